#pragma once
/// \file
/// What the reference pipeline is put together from: one type per decision.

#include <warpkit/fetch/no_prefetch.hpp>

namespace warpkit {

/// Hears nothing.
struct no_observer {
    friend bool operator==(no_observer const&, no_observer const&) = default;
};

/// The policies of a machine. config/machine.hpp makes one of these from named slots; by hand, name them all.
template <class WarpScheduler, class FetchOrder, class CtaChoice, class OccupancyLimit, class Coalescer,
          class InstructionCache, class DataCache, class L2, class DramScheduler, class PagePolicy,
          class Observer, class InstructionPrefetch = fetch::no_prefetch>
struct policies {
    using warp_scheduler = WarpScheduler;
    using fetch_order = FetchOrder;
    using instruction_prefetch = InstructionPrefetch;
    using cta_choice = CtaChoice;
    using occupancy_limit = OccupancyLimit;
    using coalescer = Coalescer;
    using instruction_cache = InstructionCache;
    using data_cache = DataCache;
    using l2_cache = L2;
    using dram_scheduler = DramScheduler;
    using page_policy = PagePolicy;
    using observer = Observer; ///< one per core; copies hear what happens there
};

} // namespace warpkit
