#include <warpkit/config/presets.hpp>

#include "reference/both_engines.hpp"
#include "reference/random_pairs.hpp"

namespace warpkit::reference_test {

std::string deaf_machine(std::uint64_t seed) {
    gpu_test::random_kernel k(seed);
    auto p = gpu_test::random_machine(seed, k.warps());
    random_numbers r(seed * 31);
    if (r.chance(50)) p.lsu.l1_banks = 2 + r.below(5);
    p.memory.dual_command_bus = r.below(2);
    both_engines<presets::gtx480::policies> both(p);
    return run_pair(seed, k, both);
}

std::string forks() {
    using machine = reference::gpu<presets::gtx480::policies>;
    for (std::uint64_t seed = 1; seed < 3; ++seed) {
        gpu_test::random_kernel k(seed);
        gpu_test::random_kernel second(seed + 5000, {.body = 6, .max_warps = k.warps(), .max_ctas = 4});
        machine one(gpu_test::random_machine(seed, k.warps()));
        auto const fresh = one;
        if (!(one == fresh)) return "a copy differs";
        one.run(k.builder().launch());
        auto fork = one;
        if (one == fresh) return "what ran is like what did not";
        auto const a = one.run(second.builder().launch());
        if (one == fork) return "what ran on is like what did not";
        auto const b = fork.run(second.builder().launch());
        if (!(a == b) || !(one == fork)) return "two copies ran on differently";
    }
    return {};
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

std::string late_parts() {
    std::string why;
    for (unsigned const latency : {20U, 400U, 3000U}) {
        kernel_builder k("late parts");
        k.block = {lanes, 1, 1};
        k.shared_bytes = 1024;
        auto const load = k.load(memory_space::generic, 4, {1}, {0});
        auto const use = k.op(op_class::int_add, {2}, {1});
        auto const exit = k.exit();
        k.script = [=](std::uint64_t, unsigned, kernel_builder::warp_writer& out) {
            out.access(load, out.lanes_present(), [](unsigned lane) {
                auto const space = lane % 2 == 0 ? memory_space::shared : memory_space::global;
                return window_of(space) | (space == memory_space::global ? 0xC0000000 : 0) | lane * 4;
            });
            out.step(use);
            out.step(exit);
        };
        auto p = presets::gtx480::parameters();
        p.lsu.shared_latency = latency;
        both_engines<presets::gtx480::policies> both(p);
        why += both.run(k.launch());
        // The data of global memory come after some 500 cycles.
        auto const cycles = both.counted().cycles;
        if (latency == 3000 && (cycles < latency || cycles > latency + 500))
            why += "the result of a late part came after " + std::to_string(cycles) + " cycles";
    }
    return why;
}

} // namespace warpkit::reference_test
