#include <warpkit/config/presets.hpp>

#include "random_choices.hpp"
#include "reference/both_engines.hpp"
#include "reference/random_pairs.hpp"

namespace warpkit::reference_test {

template class both_engines<gtx480>;

std::string deaf_machine(std::uint64_t seed) {
    gpu_test::random_kernel k(seed);
    auto p = gpu_test::random_machine(seed, k.warps());
    random_numbers r(seed * 31);
    if (r.chance(50)) p.lsu.l1_banks = 2 + r.below(5);
    p.memory.dual_command_bus = r.below(2);
    policy_values<gtx480> v;
    v.kernel_dispatch = gpu_test::random_kernel_dispatch(seed);
    both_engines<gtx480> both(p, v);
    return run_pair(seed, k, both);
}

std::string forks() {
    using machine = reference::gpu<gtx480>;
    for (std::uint64_t seed = 1; seed < 3; ++seed) {
        gpu_test::random_kernel k(seed);
        gpu_test::random_kernel second(seed + 5000, {.body = 6, .max_warps = k.warps(), .max_ctas = 4});
        machine one(gpu_test::random_machine(seed, k.warps()));
        one.run(k.builder().launch());
        auto fork = one;
        auto const a = one.run(second.builder().launch());
        auto const b = fork.run(second.builder().launch());
        if (!(a == b)) return "two copies ran on differently";
        if (a == machine(one.numbers()).run(second.builder().launch())) return "nothing was left to copy";
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
    both_engines<gtx480> both(p);
    auto const parted = both.run(k.launch());
    auto const waited = both.counted().core.cause[static_cast<unsigned>(cycle_cause::sync)];
    return waited < 100 ? "the first warp went on after " + std::to_string(waited) + " cycles" : parted;
}

std::string fetches_into_room() {
    std::string why;
    // Instructions of a lone warp, in a row or each behind a jump over another one.
    auto const cycles = [&](bool into_room, unsigned count, bool jumps) {
        kernel_builder k("a lone warp");
        k.block = {lanes, 1, 1};
        std::vector<std::uint32_t> code;
        for (unsigned i = 0; i < count; ++i) {
            code.push_back(k.op(op_class::fp_add));
            if (!jumps) continue;
            code.push_back(k.branch(code.back() + 3));
            k.op(op_class::fp_add);
        }
        code.push_back(k.exit());
        k.op(op_class::fp_add); // is fetched, and dropped
        k.script = [&](std::uint64_t, unsigned, kernel_builder::warp_writer& out) {
            for (auto const i : code) out.step(i);
        };
        auto p = presets::gtx480::parameters();
        p.l1i.size = 0;
        p.core.instruction_buffer = 2;
        p.core.fetch_bytes = p.core.instruction_bytes;
        p.core.fetch_into_room = into_room;
        both_engines<gtx480> both(p);
        why += both.run(k.launch());
        why += both.run(k.launch()); // in the same slots
        return both.counted().cycles;
    };
    auto const of_40 = [&](bool into_room, bool jumps) {
        return cycles(into_room, 80, jumps) - cycles(into_room, 40, jumps);
    };
    struct {
        bool into_room, jumps;
        cycle expected;
    } const cases[] = {{true, false, 40}, {false, false, 80}, {true, true, 120}, {false, true, 160}};
    for (auto const& c : cases)
        if (auto const n = of_40(c.into_room, c.jumps); n != c.expected)
            why += std::string(c.into_room ? "into room, " : "when empty, ") +
                   (c.jumps ? "with jumps: " : "in a row: ") + std::to_string(n) + " cycles\n";
    return why;
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
        both_engines<gtx480> both(p);
        why += both.run(k.launch());
        // The data of global memory come after some 500 cycles.
        auto const cycles = both.counted().cycles;
        if (latency == 3000 && (cycles < latency || cycles > latency + 500))
            why += "the result of a late part came after " + std::to_string(cycles) + " cycles";
    }
    return why;
}

std::string copies_by_groups() {
    std::string why;
    cycle cycles[3] = {};
    for (unsigned groups = 0; groups < 3; ++groups) {
        kernel_builder k("copies by groups");
        k.block = {lanes, 1, 1};
        k.shared_bytes = 1024;
        std::vector<std::uint32_t> code;
        std::vector<std::uint32_t> copies;
        for (unsigned i = 0; i < 2; ++i) {
            copies.push_back(k.load(memory_space::global, 4, {}, {0}));
            k.async(copies.back(), async_role::copy);
            auto const commit = k.op(op_class::int_add);
            k.async(commit, async_role::commit);
            code.insert(code.end(), {copies.back(), commit});
            // A division later the data of the first copy are still on their way.
            if (i == 0) code.push_back(k.op(op_class::int_div, {1}, {1}));
            if (i == 0) code.push_back(k.op(op_class::int_add, {1}, {1}));
        }
        auto const wait = k.op(op_class::int_add);
        k.async(wait, async_role::wait, groups);
        code.push_back(wait);
        for (unsigned j = 0; j < 8; ++j) code.push_back(k.op(op_class::int_div, {2}, {2}));
        code.push_back(k.exit());
        k.script = [&](std::uint64_t, unsigned, kernel_builder::warp_writer& out) {
            for (auto const i : code)
                if (i == copies[0] || i == copies[1])
                    out.access(
                        i, [&](unsigned lane) { return 0xC0000000 + (i == copies[0]) * 4096 + lane * 4; });
                else
                    out.step(i);
        };
        both_engines<gtx480> both(presets::gtx480::parameters());
        why += both.run(k.launch());
        cycles[groups] = both.counted().cycles;
    }
    for (unsigned groups = 0; groups < 2; ++groups)
        if (cycles[groups] < cycles[groups + 1] + 100)
            why += "with at most " + std::to_string(groups) + " groups under way it takes " +
                   std::to_string(cycles[groups]) + " cycles, with one more " +
                   std::to_string(cycles[groups + 1]);
    return why;
}

} // namespace warpkit::reference_test
