#pragma once
// What the programs of this folder have in common: a shipped kernel, run on a machine.

#include <warpkit/config/simulate.hpp>

#include <cstdio>
#include <exception>
#include <kernels/workload.hpp>
#include <string>
#include <string_view>

namespace tutorial {

/// A shipped kernel at its small size, with the host program that launches and checks it.
inline warpkit::host_program program(std::string_view kernel) {
    auto const& w = warpkit::kernels::find(kernel);
    return {w.ptx, std::string(w.ptx_name),
            [&w](warpkit::device& d) { w.run(d, warpkit::kernels::values(w)); }};
}

/// What the kernel counts on a machine; throws if it leaves wrong values behind.
template <class Machine>
warpkit::run_counters run(std::string_view kernel,
                          warpkit::gpu_parameters const& numbers = Machine::parameters()) {
    auto const result = warpkit::simulate<Machine>(program(kernel), numbers);
    if (!result.verified) throw warpkit::error(result.wrong);
    return result.total;
}

/// main() for all of them: an error is told, and ends with 1.
template <class F>
int told(char const* name, F&& f) {
    try {
        f();
        return 0;
    } catch (std::exception const& e) {
        std::fprintf(stderr, "%s: %s\n", name, e.what());
        return 1;
    }
}

} // namespace tutorial
