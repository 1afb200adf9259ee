#pragma once
/// \file
/// Declarations of cta/.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit {

struct grid_began;
struct cta_dispatched;
struct cta_retired;
struct core_rooms;
struct cta_assignment;
struct cta_needs;
struct core_resources;
struct occupancy;

struct core_sampled;
struct degree_chosen;

struct group_began;
struct kernel_served;
struct kernel_on_core;
struct kernels_on_core;
struct cta_share;
enum class core_use : bool;

class round_robin_dispatch;
template <std::uint64_t Count>
class consecutive_blocks;
class locality_aware_dispatch;
class swizzled_dispatch;
class clustered_dispatch;
class longest_first;
class hilbert_dispatch;
struct chiplet_dispatch_options;
class chiplet_dispatch;
struct head_first_options;
class head_first;
class paver;
class capacity_aware;
class block_rectangles;

class no_limit;
class static_limit;
class lcs;
class dyncta;
class pcal_search;
struct modelled_reads;
struct tabled_reads;

class leftover;
class spatial_multitasking;
class kernel_round_robin;
class smk;
class warped_slicer;

class cluster_spread;
class cluster_packed;
class cluster_paired;

template <class... P>
class one_cta_choice;
template <class... P>
class one_kernel_dispatch;
template <class... P>
class one_cluster_placement;
template <class... P>
class one_occupancy_limit;

} // namespace warpkit
