// Compares a scheduler of one's own with two of the literature, on the shipped kernels.

#include <warpkit/config/presets.hpp>
#include <warpkit/config/simulate.hpp>
#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/lrr.hpp>

#include "loads_first.hpp"

#include <cstdio>
#include <exception>
#include <kernels/workload.hpp>
#include <string>
#include <string_view>

namespace {

/// Core cycles of one kernel at its small size under a scheduler; throws if it computes wrong values.
template <class Scheduler>
std::uint64_t cycles(kernels::workload const& w) {
    using machine = presets::gtx480::with<use::warp_scheduler<Scheduler>>;
    host_program const program{w.ptx, std::string(w.ptx_name),
                               [&w](device& d) { w.run(d, kernels::values(w)); }};
    auto const result = simulate<machine>(program);
    if (!result.verified) throw error(result.wrong);
    return result.total.cycles;
}

} // namespace

int main(int argc, char** argv) try {
    std::string_view const asked = argc > 1 ? argv[1] : "";
    if (asked == "--help") {
        std::puts("usage: first_policy [KERNEL]   for example: first_policy spmv");
        return 0;
    }
    std::printf("%-16s %10s %10s %12s\n", "cycles", "lrr", "gto", "loads_first");
    for (auto const* w : kernels::all())
        if (asked.empty() ? !w->needs.any() : &kernels::find(asked) == w) // what not every machine has
            std::printf("%-16s %10llu %10llu %12llu\n", std::string(w->name).c_str(),
                        static_cast<unsigned long long>(cycles<lrr>(*w)),
                        static_cast<unsigned long long>(cycles<gto>(*w)),
                        static_cast<unsigned long long>(cycles<loads_first>(*w)));
    return 0;
} catch (std::exception const& e) {
    std::fprintf(stderr, "first_policy: %s\n", e.what());
    return 1;
}
