#pragma once
/// \file
/// Every choice of block, kernel dispatch, placement of clusters and occupancy limit of the catalogue, and one type for
/// all of each kind.

#include <warpkit/cta/capacity_aware.hpp>
#include <warpkit/cta/chiplet_dispatch.hpp>
#include <warpkit/cta/cluster_packed.hpp>
#include <warpkit/cta/cluster_paired.hpp>
#include <warpkit/cta/cluster_spread.hpp>
#include <warpkit/cta/clustered_dispatch.hpp>
#include <warpkit/cta/consecutive_blocks.hpp>
#include <warpkit/cta/dyncta.hpp>
#include <warpkit/cta/head_first.hpp>
#include <warpkit/cta/hilbert_dispatch.hpp>
#include <warpkit/cta/kernel_round_robin.hpp>
#include <warpkit/cta/lazy_cta_scheduling.hpp>
#include <warpkit/cta/leftover.hpp>
#include <warpkit/cta/limits.hpp>
#include <warpkit/cta/locality_aware_dispatch.hpp>
#include <warpkit/cta/longest_first.hpp>
#include <warpkit/cta/multithreading_degree.hpp>
#include <warpkit/cta/multithreading_tables.hpp>
#include <warpkit/cta/one_cluster_placement.hpp>
#include <warpkit/cta/one_cta_choice.hpp>
#include <warpkit/cta/one_kernel_dispatch.hpp>
#include <warpkit/cta/one_occupancy_limit.hpp>
#include <warpkit/cta/paver.hpp>
#include <warpkit/cta/pcal_search.hpp>
#include <warpkit/cta/round_robin_dispatch.hpp>
#include <warpkit/cta/smk.hpp>
#include <warpkit/cta/spatial_multitasking.hpp>
#include <warpkit/cta/swizzled_dispatch.hpp>
#include <warpkit/cta/warped_slicer.hpp>

namespace warpkit {

/// Whichever choice of block a user names.
using any_cta_choice =
    one_cta_choice<round_robin_dispatch, consecutive_blocks<run_time>, locality_aware_dispatch,
                   swizzled_dispatch, clustered_dispatch, paver, capacity_aware, longest_first,
                   hilbert_dispatch, chiplet_dispatch, head_first>;
/// Whichever occupancy limit a user names.
using any_occupancy_limit = one_occupancy_limit<no_limit, static_limit, lcs, dyncta,
                                                multithreading_degree<chosen_reads>, pcal_search>;
/// Whichever kernel dispatch a user names.
using any_kernel_dispatch =
    one_kernel_dispatch<leftover, spatial_multitasking, kernel_round_robin, smk, warped_slicer>;
/// Whichever placement of clusters a user names.
using any_cluster_placement = one_cluster_placement<cluster_spread, cluster_packed, cluster_paired>;
static_assert(cta_choice<any_cta_choice> && cluster_placement<any_cluster_placement> &&
              kernel_dispatch<any_kernel_dispatch> && occupancy_limit<any_occupancy_limit>);

} // namespace warpkit
