#pragma once
/// \file
/// What a GPU is put together from: one type per decision. Both engines, gpu/ and reference/, take the same.

#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/texture_cache.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/fetch/no_prefetch.hpp>
#include <warpkit/lsu/no_replay.hpp>

namespace warpkit {

/// The networks, as policies of a machine (use::network): each engine has its own model of both.
struct crossbar_network {
    static constexpr char const* name = "crossbar";
};
struct mesh_network {
    static constexpr char const* name = "mesh";
};

/// The constant and texture caches of all published machines.
using usual_constant_cache = cache<linear_index, lru, on_fill, read_only>;
using usual_texture_cache = texture_cache<linear_index, lru>;

/// Hears nothing.
struct no_observer {
    friend bool operator==(no_observer const&, no_observer const&) = default;
};

/// What a core is made of.
template <class WarpScheduler, class FetchOrder, class OccupancyLimit, class Coalescer,
          class InstructionCache, class DataCache, class Observer, class InstructionPrefetch,
          class ReplayQueue = no_replay, class ConstantCache = usual_constant_cache,
          class TextureCache = usual_texture_cache>
struct core_policies {
    using warp_scheduler = WarpScheduler;
    using fetch_order = FetchOrder;
    using instruction_prefetch = InstructionPrefetch;
    using occupancy_limit = OccupancyLimit;
    using coalescer = Coalescer;
    using replay_queue = ReplayQueue;
    using instruction_cache = InstructionCache;
    using data_cache = DataCache;
    using constant_cache = ConstantCache;
    using texture_cache = TextureCache;
    using observer = Observer; ///< one per core; copies hear what happens there
};

/// What a memory partition is made of.
template <class L2, class DramScheduler, class PagePolicy, class MemoryPrefetcher = dram::no_memory_prefetch,
          class DramObserver = no_observer, class Network = crossbar_network, class L2Observer = no_observer>
struct memory_policies {
    using l2_cache = L2;
    using dram_scheduler = DramScheduler;
    using page_policy = PagePolicy;
    using memory_prefetcher = MemoryPrefetcher;
    using dram_observer = DramObserver; ///< one per channel; copies hear its commands
    using network = Network;            ///< one for requests, one for replies
    using l2_observer = L2Observer;     ///< one per partition; copies hear what its L2 slices do
};

/// The policies of a machine. config/machine.hpp makes one of these from named slots; by hand, name them all. Each
/// component is compiled for its own ones only: machines that differ in their DRAM alone share the code of their cores.
template <class WarpScheduler, class FetchOrder, class CtaChoice, class OccupancyLimit, class Coalescer,
          class InstructionCache, class DataCache, class L2, class DramScheduler, class PagePolicy,
          class Observer, class InstructionPrefetch = fetch::no_prefetch,
          class MemoryPrefetcher = dram::no_memory_prefetch, class DramObserver = no_observer,
          class ReplayQueue = no_replay, class Network = crossbar_network,
          class ConstantCache = usual_constant_cache, class TextureCache = usual_texture_cache,
          class L2Observer = no_observer>
struct policies
    : core_policies<WarpScheduler, FetchOrder, OccupancyLimit, Coalescer, InstructionCache, DataCache,
                    Observer, InstructionPrefetch, ReplayQueue, ConstantCache, TextureCache>,
      memory_policies<L2, DramScheduler, PagePolicy, MemoryPrefetcher, DramObserver, Network, L2Observer> {
    using core =
        core_policies<WarpScheduler, FetchOrder, OccupancyLimit, Coalescer, InstructionCache, DataCache,
                      Observer, InstructionPrefetch, ReplayQueue, ConstantCache, TextureCache>;
    using memory =
        memory_policies<L2, DramScheduler, PagePolicy, MemoryPrefetcher, DramObserver, Network, L2Observer>;
    using cta_choice = CtaChoice;
};

/// Instances of the policies of a machine's cores and dispatcher, for policies with run-time numbers of their own. P is a
/// core_policies.
template <class P, class CtaChoice>
struct core_values {
    typename P::warp_scheduler warp_scheduler{};
    typename P::fetch_order fetch_order{};
    typename P::instruction_prefetch instruction_prefetch{};
    typename P::replay_queue replay_queue{};
    CtaChoice cta_choice{};
    typename P::occupancy_limit occupancy_limit{};
    typename P::observer observer{};
};
/// Those that a machine starts from. P is a policies.
template <class P>
using policy_values = core_values<typename P::core, typename P::cta_choice>;

} // namespace warpkit
