#pragma once

/// Policies and caches chosen at random, for machines that choose them at run time.

#include <warpkit/cta/policies.hpp>
#include <warpkit/lsu/one_replay_queue.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policies.hpp>

#include "gpu/random_work.hpp"

#include <type_traits>

namespace warpkit::gpu_test {

/// Occupancy limit, choice of block and replay queue, where P has one of several.
template <class P>
policy_values<P> random_values(random_numbers& r) {
    policy_values<P> v;
    if constexpr (std::is_same_v<typename P::occupancy_limit, any_occupancy_limit>) {
        any_occupancy_limit const limits[] = {
            static_limit{1 + r.below(4)},
            no_limit{},
            lcs{},
            dyncta({50, 5, 10, 20, r.chance(70)}),
            multithreading_degree<chosen_reads>{},
            multithreading_degree<chosen_reads>(tabled_reads{}),
            pcal_search({.period = 1 + r.below(80), .gain = r.below(4), .hold = r.below(6)})};
        any_cta_choice const choices[] = {
            round_robin_dispatch{}, consecutive_blocks<run_time>(1 + r.below(3)),
            locality_aware_dispatch({.window = 1 + r.below(8), .fill = initial_fill::locality}),
            paver({.partition = r.chance(50)   ? graph_partition::tree
                                : r.chance(50) ? graph_partition::halves
                                               : graph_partition::k_way,
                   .graph = 1 + r.below(30)}),
            capacity_aware({.capacity = 1 + r.below(8), .set = r.below(20)})};
        v.occupancy_limit = limits[r.below(7)];
        v.cta_choice = choices[r.below(5)];
    }
    if constexpr (std::is_same_v<typename P::replay_queue, any_replay_queue>) {
        any_replay_queue const queues[] = {no_replay{}, mrpb{}, car{}, new_car{}};
        v.replay_queue = queues[r.below(4)];
    }
    return v;
}

/// How kernels at once have their cores; they share none where the limit would be refused.
template <class Limit = no_limit>
any_kernel_dispatch random_kernel_dispatch(std::uint64_t seed, Limit const& limit = {}) {
    random_numbers r(seed * 7 + 3);
    any_kernel_dispatch const whole[] = {leftover{}, spatial_multitasking{}};
    any_kernel_dispatch const shared[] = {leftover(core_use::shared), kernel_round_robin{}, smk{},
                                          warped_slicer{}};
    return limits_each_kernel(limit) && r.chance(70) ? shared[r.below(4)] : whole[r.below(2)];
}

/// The kinds of L1 data cache and L2, where P's have alternatives.
template <class P>
void choose_caches(random_numbers& r, gpu_parameters& p) {
    if constexpr (requires { P::data_cache::choice_from(""); }) {
        char const* const l1[] = {"",
                                  "streaming+srrip",
                                  "on_fill+pseudo_lru",
                                  "write_back+fetch_on_write",
                                  "write_back+ordered_fetch_on_write",
                                  "write_back+lru",
                                  "write_evict+random",
                                  "local_back_global_evict",
                                  "perfect",
                                  "ship",
                                  "on_fill+ship_warp",
                                  "on_fill+pcal",
                                  "prefetch_cache"};
        char const* const l2[] = {"",
                                  "fetch_on_write",
                                  "ordered_fetch_on_write",
                                  "write_and_fetch+srrip",
                                  "no_allocate",
                                  "write_through+random",
                                  "streaming+write_through",
                                  "on_fill+write_evict",
                                  "perfect",
                                  "ship_mem"};
        p.l1d_variant = l1[r.below(13)];
        p.l2_variant = l2[r.below(10)];
        if (r.chance(30)) p.l1d.write_ratio = r.below(101);
        if (r.chance(30)) p.l2.write_ratio = r.below(101);
    }
}

} // namespace warpkit::gpu_test
