#pragma once
/// \file
/// What a core's counters say of each other, and of its caches, when nothing is resident and nothing under way.
///
/// In the reference: `core::conserved` (reference/core.hpp).

#include <warpkit/machine/conservation.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/parameters.hpp>

#include <cstdint>

namespace warpkit {

/// `unused`: lines read ahead that nobody has asked for.
[[gnu::cold]] inline void check_core(conservation& b, core_counters const& c, core_numbers const& core,
                                     std::uint64_t unused) {
    auto const cause = [&c](cycle_cause why) { return c.cause[static_cast<unsigned>(why)]; };
    auto const issued = cause(cycle_cause::issued);
    b.at_most("scheduler cycles that issued, and warp instructions", issued, c.warp_instructions);
    b.at_most("warp instructions, and those that could issue", c.warp_instructions,
              issued * core.issue_width);
    b.at_most("cycles that issued, or were blocked on memory", c.issue_cycles + c.memory_block_cycles,
              c.cycles);
    b.at_most("cycles that issued", c.issue_cycles, issued);
    b.at_most("scheduler cycles that issued", issued, c.issue_cycles * core.schedulers);
    b.at_most("cycles blocked on memory", c.memory_block_cycles,
              cause(cycle_cause::raw_memory) + cause(cycle_cause::translation) + cause(cycle_cause::sync));
    b.at_most("memory and other instructions", c.memory_instructions + c.other_instructions,
              c.warp_instructions);
    b.at_most("thread instructions", c.thread_instructions, c.warp_instructions * lanes);
    b.at_most("loads that took a cycle", c.load_latency_count, c.load_latency_sum);
    b.at_most("loads past the L1", c.l1_bypasses, c.replays);
    b.same("data prefetches useful, late, useless or still unused",
           c.data_prefetches_useful + c.data_prefetches_late + c.data_prefetches_useless + unused,
           c.data_prefetches);
}
/// Of one of its caches. `answered`: all that has been asked for has come, so that no MSHR waits.
template <class Cache>
[[gnu::cold]] void check_cache_of_core(conservation& b, char const* name, Cache const& cache, bool answered) {
    conservation of;
    check_outcomes(of, cache.counters());
    if (answered) of.same("MSHRs that wait for nothing", cache.outstanding(), 0);
    b.part(name, of);
}

} // namespace warpkit
