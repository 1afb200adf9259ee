#pragma once

/// Random kernels on random machines of random policies, on both engines. Three kinds of machines, as what the fast
/// engine may leave out depends on who listens; each is compiled in a file of its own.

#include <warpkit/machine/counters.hpp>
#include <warpkit/program/launch_group.hpp>

#include "gpu/random_work.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <string>

namespace warpkit::reference_test {

/// What the seed makes of a kind of machine: where the engines part, or nothing if they do not.
///   told: every event of cores, L2s and DRAM channels is compared; any scheduler, CTA choice, limit, replay queue and
///   cache. deaf: nobody listens, so the engine does all that it can to be fast; as the published machines. mesh: as
///   deaf, on a mesh, with other fetch orders, prefetchers, coalescers and page policies.
std::string told_machine(std::uint64_t seed);
std::string deaf_machine(std::uint64_t seed);
std::string mesh_machine(std::uint64_t seed);

/// Loads that a data prefetcher can foresee, on the mesh machine. Nothing, if the engines agree and it does.
std::string strided_loads();
/// Lines that were fetched ahead go on from level to level while their core has no warp.
std::string lines_without_warps();
/// The reference is a value: a copy runs on as it does itself, and compares equal as long as both have run the same.
std::string forks();

/// A CTA leaves while one of its warps has arrived at a barrier at which nobody waits; the next CTA in its place uses
/// that barrier.
std::string arrivals_left_over();

/// A lone warp issues in each cycle where a fetch is made as soon as there is room, and not where its buffer has to be
/// empty; what was fetched behind a branch or an exit is dropped.
std::string fetches_into_room();

/// A load of shared and global memory, whose parts come one long before the other, or the other way around.
std::string late_parts();

/// A wait for asynchronous copies lasts until the data of as many groups have come as it says, and no longer.
std::string copies_by_groups();

/// Transactions in a replay queue that were refused for want of a place in the queue of misses are tried again as soon
/// as there is one.
std::string replays_wait_for_room();

using gpu_test::random_numbers;

/// Gives some kernels control bits, which then need not make sense: all that matters is that both engines obey.
inline void control(random_numbers& r, kernel_builder& b) {
    if (!r.chance(25)) return;
    for (std::uint32_t i = 0; i < b.program().instructions.size(); ++i) {
        control_bits c;
        c.stall = static_cast<std::uint8_t>(r.chance(70) ? r.below(4) : r.below(16));
        c.yield = r.chance(20);
        if (r.chance(50)) c.write_counter = static_cast<std::uint8_t>(r.below(control_bits::counters));
        if (r.chance(30)) c.read_counter = static_cast<std::uint8_t>(r.below(control_bits::counters));
        c.reuse = static_cast<std::uint8_t>(r.below(16));
        if (r.chance(50)) c.wait_mask = static_cast<std::uint8_t>(r.below(1U << control_bits::counters));
        if (r.chance(20)) c.threshold_counter = static_cast<std::uint8_t>(r.below(control_bits::counters));
        c.threshold = static_cast<std::uint8_t>(r.below(3));
        b.control(i, c);
    }
}

/// Kernels of several streams, which wait for each other now and then. `Both` is a both_engines. CTAs have `warps`
/// warps at most; `asynchronous`: which use the units beside them.
template <class Both>
std::string run_group(std::uint64_t seed, unsigned warps, Both& both, bool asynchronous = false) {
    random_numbers r(seed + 99);
    std::deque<gpu_test::random_kernel> kernels;
    launch_group group;
    auto const count = 2 + r.below(5);
    auto const streams = 1 + r.below(4);
    std::map<unsigned, std::uint32_t> last; // of each stream
    for (std::uint32_t k = 0; k < count; ++k) {
        kernels.emplace_back(seed + 6000 + 100 * k,
                             gpu_test::work_options{.body = 5,
                                                    .iterations = 2,
                                                    .max_warps = warps,
                                                    .max_ctas = 1 + r.below(9),
                                                    .asynchronous = asynchronous && k % 3 != 2});
        control(r, kernels.back().builder());
        auto const stream = r.below(streams);
        ordered_launch l{kernels.back().builder().launch()};
        if (auto const before = last.find(stream); before != last.end()) l.after.push_back(before->second);
        if (k != 0 && r.chance(15)) l.after.push_back(r.below(k));
        last[stream] = k;
        group.push_back(l);
    }
    auto const parted = both.run(group);
    if (parted.find("on both: the occupancy limit decides on one number of CTAs for all") == 0) return {};
    if (parted.find("on both: kernels are to share cores, but ") == 0) return {}; // of control bits
    if (!parted.empty()) return parted;
    // Each waited for whom it had to, and all that cores did was done for one of them.
    auto const& spans = both.spans();
    std::uint64_t instructions = 0;
    std::uint64_t ctas = 0;
    core_counters on_cores;
    for (std::uint32_t k = 0; k < count; ++k) {
        for (auto const a : group[k].after)
            if (spans[k].began < spans[a].ended) return "a launch begins before another one has ended";
        if (spans[k].ctas != group[k].launch.ctas() || spans[k].counted.core.ctas != spans[k].ctas)
            return "CTAs of a launch are missing";
        if (spans[k].counted.core.warp_instructions != spans[k].warp_instructions)
            return "a launch issues other instructions than it has";
        instructions += spans[k].warp_instructions;
        ctas += spans[k].ctas;
        on_cores += spans[k].counted.core;
    }
    if (instructions != both.counted().core.warp_instructions || ctas != both.counted().core.ctas)
        return "the launches do not sum up";
    auto const& all = both.counted().core;
    for (unsigned c = 0; c < cycle_cause_count && on_cores.cycles == 0; ++c) {
        auto const cause = static_cast<cycle_cause>(c);
        bool const nobodys =
            cause == cycle_cause::issued || cause == cycle_cause::no_cta || cause == cycle_cause::drained;
        if (on_cores.cause[c] != (nobodys ? 0 : all.cause[c])) return "a stall is nobody's, or two kernels'";
    }
    bool const theirs = on_cores.cycles == 0 ? on_cores.thread_instructions == all.thread_instructions &&
                                                   on_cores.memory_instructions == all.memory_instructions &&
                                                   on_cores.other_instructions == all.other_instructions
                                             : on_cores == all; // who shares cores has not their cycles
    return theirs ? "" : "what cores count is nobody's";
}

/// Two kernels, one after the other on a machine that stays warm, between them a copy from the host; then several at
/// once. `Both` is a both_engines.
template <class Both>
std::string run_pair(std::uint64_t seed, gpu_test::random_kernel& first, Both& both,
                     bool asynchronous = false) {
    random_numbers r(seed + 77);
    control(r, first.builder());
    auto parted = both.run(first.builder().launch());
    if (!parted.empty()) return parted;
    both.copied_from_host(0xC0000000 + r.below(1U << 12) * 16, r.below(1U << 14));
    gpu_test::random_kernel second(seed + 5000, {.body = 6,
                                                 .iterations = 1,
                                                 .max_warps = first.warps(),
                                                 .max_ctas = 4,
                                                 .asynchronous = asynchronous});
    control(r, second.builder());
    parted = both.run(second.builder().launch());
    if (!parted.empty()) return "the second kernel: " + parted;
    parted = run_group(seed, first.warps(), both, asynchronous);
    return parted.empty() ? parted : "kernels at once: " + parted;
}

} // namespace warpkit::reference_test
