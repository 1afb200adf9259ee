#pragma once
/// \file
/// Declarations of warp/'s parts, combinators and schedulers.

#include <warpkit/base/number.hpp>

#include <cstdint>

namespace warpkit {

struct scheduler_began;

// Orders within a group; each is a whole scheduler, too.
class lrr;
class strict_round_robin;
class oldest;
class youngest;
template <class Order>
class greedy_then;
template <class Order>
class producers_first;
template <class Order, std::uint64_t Every, std::uint64_t FreeMshrs>
class leaders_first;

// Groupings and group orders.
class one_group;
template <std::uint64_t Size = run_time>
class by_slot;
enum class front_moves : std::uint8_t;
enum class idle_slots : std::uint8_t;
template <front_moves When, idle_slots Idle, bool Chosen>
class rotate_groups;
class by_number;
class rotated_by_core;
template <std::uint64_t Interval = run_time, class Rank = by_number>
class rotated_every;
template <class Rank = by_number>
class first_with_candidate;
template <std::uint64_t Warps = run_time>
struct min_warps;
struct inherit_slot;
template <class Rank = by_number>
struct rank_last;
template <class MinWarps = min_warps<8>, class Refill = rank_last<>>
class by_cta;
template <class Grouping, class GroupOrder, class Order>
class grouped;

// Eligibility.
template <std::uint64_t N = run_time>
class oldest_n;
template <std::uint64_t Size = 8, class Promotion = oldest>
class active_pending;
class products_in_turn;
template <class Eligibility, class Scheduler>
class throttled;

// Whole schedulers that are no compositions, and their parts.
class waits_for_load;
class sticky_load_marks;
template <std::uint64_t M = 6, class LongLatency = waits_for_load>
class spinning_two_level;
template <std::uint64_t Active = run_time>
class locality_aware_two_level;

} // namespace warpkit
