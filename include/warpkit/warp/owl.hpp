#pragma once
/// \file
/// OWL: scheduling by thread blocks, in the steps of the paper (Jog et al., ASPLOS 2013;
/// docs/model/warp_scheduling.md#owl). Its fourth step, opportunistic prefetching, is a part of the DRAM controller,
/// and goes with cta_aware_locality_blp. The paper's groups have at least 8 warps; those of ..._of<N> have N, and
/// ..._of<run_time> is set by name.

#include <warpkit/warp/by_cta.hpp>
#include <warpkit/warp/first_with_candidate.hpp>
#include <warpkit/warp/grouped.hpp>
#include <warpkit/warp/lrr.hpp>
#include <warpkit/warp/rotate_when_blocked.hpp>

#include <type_traits>

namespace warpkit {

/// CTA-Aware: groups of whole CTAs take turns, each until all of its warps are blocked; round-robin inside
/// (OWL, section 4.1). A replaced CTA's successor is in the same group: groups that are equal have no end to wait for.
/// Differs from the paper: idle slots of the front group are filled from the others (see rotate_when_blocked); the
/// paper's reading is grouped<by_cta<min_warps<8>, inherit_slot>, rotate_when_blocked_only, lrr>, by name
/// cta_aware:idle_slots=left_idle.
template <std::uint64_t MinWarps>
using cta_aware_of =
    grouped<by_cta<min_warps<MinWarps>, inherit_slot>,
            std::conditional_t<MinWarps == run_time, rotate_when_blocked_chosen, rotate_when_blocked>, lrr>;
using cta_aware = cta_aware_of<8>;
template <>
inline constexpr char const* common_name<cta_aware> = "cta_aware";
template <>
inline constexpr char const* common_name<cta_aware_of<run_time>> = "cta_aware";

/// CTA-Aware-Locality: always the first group that has a candidate (OWL, section 4.2), so that few CTAs share the L1.
/// Differs from the paper, which is silent on replaced CTAs: see by_cta.
template <std::uint64_t MinWarps>
using cta_aware_locality_of = grouped<by_cta<min_warps<MinWarps>>, first_with_candidate<>, lrr>;
using cta_aware_locality = cta_aware_locality_of<8>;
template <>
inline constexpr char const* common_name<cta_aware_locality> = "cta_aware_locality";
template <>
inline constexpr char const* common_name<cta_aware_locality_of<run_time>> = "cta_aware_locality";

/// CTA-Aware-Locality-BLP: the same with other groups first on other cores (OWL, section 4.3), so that cores are not
/// all at work on the same DRAM banks.
template <std::uint64_t MinWarps>
using cta_aware_locality_blp_of =
    grouped<by_cta<min_warps<MinWarps>, rank_last<rotated_by_core>>, first_with_candidate<>, lrr>;
using cta_aware_locality_blp = cta_aware_locality_blp_of<8>;
template <>
inline constexpr char const* common_name<cta_aware_locality_blp> = "cta_aware_locality_blp";
template <>
inline constexpr char const* common_name<cta_aware_locality_blp_of<run_time>> = "cta_aware_locality_blp";

/// The fair CTA-Aware-Locality: the first group moves on every Interval cycles, and with it all ranks. The paper
/// leaves it to future work (OWL, section 4.2). Groups keep their slots, so that each has its turn.
template <std::uint64_t MinWarps, std::uint64_t Interval>
using cta_aware_locality_fair_of =
    grouped<by_cta<min_warps<MinWarps>, inherit_slot>, first_with_candidate<rotated_every<Interval>>, lrr>;
template <std::uint64_t Interval = run_time>
using cta_aware_locality_fair_every = cta_aware_locality_fair_of<8, Interval>;
/// The same with turns of 4096 cycles, our choice: long beside a miss, short beside a kernel.
using cta_aware_locality_fair = cta_aware_locality_fair_every<4096>;
template <>
inline constexpr char const* common_name<cta_aware_locality_fair> = "cta_aware_locality_fair";
template <>
inline constexpr char const* common_name<cta_aware_locality_fair_of<run_time, run_time>> =
    "cta_aware_locality_fair";

static_assert(warp_order<cta_aware> && hears<cta_aware, blocked> && hears<cta_aware, cta_launched>);
static_assert(warp_order<cta_aware_locality> && warp_order<cta_aware_locality_blp> &&
              warp_order<cta_aware_locality_fair> && hears<cta_aware_locality_fair, cycles_spent>);

} // namespace warpkit
