#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/config/simulate_program.hpp>

#include "kernels/workload.hpp"
#include "mutants/checked.hpp"

namespace warpkit::mutants {

simulation_result run(engine const& machine, std::string const& kernel) {
    auto const& workload = kernels::find(kernel);
    kernels::values const values(workload);
    host_program const program{workload.ptx, std::string(workload.ptx_name),
                               [&](device& d) { workload.run(d, values); }};
    auto result = simulate(machine, program);
    if (!result.verified) throw error("wrong value: " + result.wrong);
    return result;
}

gpu_parameters numbers_of(std::string const& preset) {
    for (auto const* known : preset_numbers::all()) {
        if (known->name != preset) continue;
        auto p = parameters(*known);
        if (p.core.count > 6) p.core.count = 6; // the plain engine ticks each of them in each cycle
        return p;
    }
    throw error("no preset is called " + preset);
}

} // namespace warpkit::mutants
