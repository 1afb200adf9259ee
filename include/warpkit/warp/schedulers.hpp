#pragma once
/// \file
/// The whole catalogue of warp schedulers and their parts. A host that wants one of them includes that one's header.

#include <warpkit/warp/active_pending.hpp>
#include <warpkit/warp/by_cta.hpp>
#include <warpkit/warp/by_slot.hpp>
#include <warpkit/warp/first_with_candidate.hpp>
#include <warpkit/warp/greedy_then.hpp>
#include <warpkit/warp/group_rank.hpp>
#include <warpkit/warp/grouped.hpp>
#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/gty.hpp>
#include <warpkit/warp/locality_aware.hpp>
#include <warpkit/warp/lrr.hpp>
#include <warpkit/warp/oldest.hpp>
#include <warpkit/warp/oldest_n.hpp>
#include <warpkit/warp/one_group.hpp>
#include <warpkit/warp/owl.hpp>
#include <warpkit/warp/rotate_when_blocked.hpp>
#include <warpkit/warp/static_wavefront_limit.hpp>
#include <warpkit/warp/strict_round_robin.hpp>
#include <warpkit/warp/throttled.hpp>
#include <warpkit/warp/two_level.hpp>
#include <warpkit/warp/two_level_active.hpp>
#include <warpkit/warp/two_level_gpgpusim.hpp>
#include <warpkit/warp/youngest.hpp>
