#include <warpkit/config/presets.hpp>

#include "reference/both_engines.hpp"
#include "reference/random_pairs.hpp"

namespace warpkit::reference_test {

std::string deaf_machine(std::uint64_t seed) {
    gpu_test::random_kernel k(seed);
    both_engines<presets::gtx480::policies> both(gpu_test::random_machine(seed, k.warps()));
    return run_pair(seed, k, both);
}

std::string arrivals_left_over() {
    kernel_builder k("arrivals left over");
    k.grid = {2, 1, 1};
    k.block = {2 * lanes, 1, 1};
    auto const arrive = k.barrier(1, 2, false);
    auto const wait = k.barrier(1, 2, true);
    auto const slow = k.op(op_class::fp_div, {1}, {1});
    auto const exit = k.exit();
    k.script = [=](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) {
        if (cta == 0 && warp == 0) out.step(arrive);
        if (cta == 1 && warp == 1)
            for (unsigned i = 0; i < 20; ++i) out.step(slow);
        if (cta == 1) out.step(wait);
        out.step(exit);
    };
    auto p = presets::gtx480::parameters();
    p.core.count = p.core.ctas = 1;
    both_engines<presets::gtx480::policies> both(p);
    auto const parted = both.run(k.launch());
    auto const waited = both.counted().core.cause[static_cast<unsigned>(cycle_cause::sync)];
    return waited < 100 ? "the first warp went on after " + std::to_string(waited) + " cycles" : parted;
}

} // namespace warpkit::reference_test
