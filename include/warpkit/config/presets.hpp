#pragma once
/// \file
/// Published machines: numbers with their provenance (config/preset_numbers.hpp) and the policies that they run.

#include <warpkit/cache/allocation.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/fermi_hash_index.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/config/fermi_index.hpp>
#include <warpkit/config/machine.hpp>
#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/cta/limits.hpp>
#include <warpkit/cta/round_robin_dispatch.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/fetch/loose_round_robin.hpp>
#include <warpkit/fetch/no_prefetch.hpp>
#include <warpkit/lsu/fermi_coalescing.hpp>
#include <warpkit/lsu/no_replay.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/lrr.hpp>

namespace warpkit::presets {

namespace detail {

struct gtx480_numbers {
    static preset const& numbers() { return preset_numbers::gtx480(); }
};
struct gtx480_v3_numbers {
    static preset const& numbers() { return preset_numbers::gtx480_v3(); }
};
struct gtx480_accelsim_numbers {
    static preset const& numbers() { return preset_numbers::gtx480_accelsim(); }
};
struct owl_numbers {
    static preset const& numbers() { return preset_numbers::owl(); }
};

template <class Numbers>
using gtx480_on =
    machine<Numbers, use::warp_scheduler<gto>, use::fetch_order<fetch::loose_round_robin>,
            use::cta_choice<round_robin_dispatch>, use::occupancy_limit<no_limit>,
            use::coalescer<fermi_coalescing>, use::replay_queue<no_replay>,
            use::l1i<cache<linear_index, lru, on_fill, read_only>>,
            use::l1d<cache<fermi_index, lru, on_miss, local_back_global_evict<write_miss::no_allocate>>>,
            use::l2<cache<linear_index, lru, on_miss, write_back<write_miss::lazy_fetch>>>,
            use::dram_scheduler<dram::fr_fcfs>, use::page_policy<dram::open_page>, use::observer<no_observer>,
            use::instruction_prefetch<fetch::no_prefetch>, use::memory_prefetcher<dram::no_memory_prefetch>,
            use::dram_observer<no_observer>, use::network<crossbar_network>, use::l1c<usual_constant_cache>,
            use::l1t<usual_texture_cache>, use::l2_observer<no_observer>>;

} // namespace detail

/// GeForce GTX 480 with the values of GPGPU-Sim 4.x.
using gtx480 = detail::gtx480_on<detail::gtx480_numbers>;

/// gtx480 as Accel-Sim ran it on traces (SPEC 16).
using gtx480_accelsim = detail::gtx480_on<detail::gtx480_accelsim_numbers>;

/// GeForce GTX 480 with the values of GPGPU-Sim 3.2.x: there a store that misses the L2 fetches the line.
using gtx480_v3 = detail::gtx480_on<detail::gtx480_v3_numbers>::with<
    use::l2<cache<linear_index, lru, on_miss, write_back<write_miss::write_and_fetch>>>>;

/// OWL's 28-core machine (ASPLOS 2013, table 1). Its L1 writes back all data. Round-robin among ready warps.
using owl =
    machine<detail::owl_numbers, use::warp_scheduler<lrr>, use::fetch_order<fetch::loose_round_robin>,
            use::cta_choice<round_robin_dispatch>, use::occupancy_limit<no_limit>,
            use::coalescer<fermi_coalescing>, use::replay_queue<no_replay>,
            use::l1i<cache<linear_index, lru, on_fill, read_only>>,
            use::l1d<cache<linear_index, lru, on_miss, write_back<write_miss::fetch_on_write>>>,
            use::l2<cache<linear_index, lru, on_miss, write_back<write_miss::fetch_on_write>>>,
            use::dram_scheduler<dram::fr_fcfs>, use::page_policy<dram::open_page>, use::observer<no_observer>,
            use::instruction_prefetch<fetch::no_prefetch>, use::memory_prefetcher<dram::no_memory_prefetch>,
            use::dram_observer<no_observer>, use::network<mesh_network>, use::l1c<usual_constant_cache>,
            use::l1t<usual_texture_cache>, use::l2_observer<no_observer>>;

} // namespace warpkit::presets
