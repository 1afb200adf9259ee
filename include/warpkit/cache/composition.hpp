#pragma once
/// \file
/// A cache's policies, made from its parameters; what does not go together is refused.

#include <warpkit/base/error.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/cache/geometry.hpp>
#include <warpkit/cache/write_policy.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace warpkit::detail {

/// Allocation and write policies without a state are judged by the compiler, others when the cache is made.
template <class Allocation, class Write>
inline constexpr bool judged_at_run_time = !std::is_empty_v<Allocation> || !std::is_empty_v<Write>;

/// An allocation or write policy; one that stands for several is told which.
template <class Policy>
Policy chosen([[maybe_unused]] cache_choice const& c) {
    if constexpr (std::constructible_from<Policy, cache_choice const&>)
        return Policy(c);
    else
        return Policy();
}
template <class Index>
Index make_index(cache_parameters const& p) {
    if constexpr (requires { typename Index::first_alternative; })
        return Index(p.geometry, p.choice.index);
    else
        return Index(p.geometry);
}
inline void check_ways(std::uint32_t ways, std::uint32_t most) {
    if (ways > most)
        refuse_cache_number("ways", ways,
                            "is more than the replacement policy serves, which takes its ways as a "
                            "std::uint64_t and not as a way_set",
                            most);
}
/// How many ways of a set a policy serves.
template <class Replacement>
inline constexpr std::uint32_t most_ways_of = serves_wide_sets<Replacement> ? most_ways : 64;
/// Throws `error` where a set has more ways than the policy serves.
template <class Replacement>
Replacement make_replacement(cache_parameters const& p) {
    auto const& g = p.geometry;
    if constexpr (requires { typename Replacement::first_alternative; }) {
        check_ways(g.ways, Replacement::ways_served(p.choice.replacement));
        return Replacement(g.sets, g.ways, p.choice.replacement);
    } else {
        if constexpr (!serves_wide_sets<Replacement>) check_ways(g.ways, most_ways_of<Replacement>);
        return Replacement(g.sets, g.ways);
    }
}

/// Throws `error` where lines are to be kept out that have a place before they come.
template <class Replacement>
void check_declines(Replacement const& r, bool reserves) {
    if (reserves && may_decline(r))
        raise_error(
            error("cache: a replacement policy that keeps lines out does not go with on_miss, under which a "
                  "line has its place before it comes; choose on_fill"));
}

/// Refuses what could not work: the compiler does.
template <class Allocation, class Write>
struct combination {
    static constexpr bool at_run_time = judged_at_run_time<Allocation, Write>;
    static_assert(at_run_time || Allocation{}.reserves || !ever_allocates_dirty(Write{}),
                  "warpkit: a cache whose stores bring dirty lines in cannot allocate on fill: a fill that "
                  "evicts a dirty line may find no room for the write-back; choose on_miss");
    static_assert(at_run_time || Allocation{}.reserves || !keeps_global_stores(Write{}),
                  "warpkit: a cache that writes global data back cannot allocate on fill; choose on_miss");
    static_assert(at_run_time || fetches_what_it_keeps(Write{}),
                  "warpkit: fetch_on_write belongs to write_hit::back: the fetched sector is dirty here");
    static constexpr bool is_legal = true;
};
/// The same of policies that are chosen at run time.
template <class Allocation, class Write>
void check_combination(Allocation const& allocation, Write const& write) {
    if (!allocation.reserves && (ever_allocates_dirty(write) || keeps_global_stores(write)))
        raise_error(error(
            "cache: stores that make lines dirty do not go with allocation on a fill, which may find no "
            "room for the write-back; choose on_miss, or write_through"));
    if (!fetches_what_it_keeps(write))
        raise_error(
            error("cache: fetch_on_write goes with write_back alone: the fetched sector is dirty here"));
}
/// The numbers that the cache is built with. Throws `error` if one is impossible.
template <class Index, class Allocation, class Write>
cache_parameters checked(cache_parameters const& p, Allocation allocation, Write write) {
    check(p);
    if constexpr (combination<Allocation, Write>::at_run_time) check_combination(allocation, write);
    if constexpr (requires { Index::check(p.geometry, p.choice.index); })
        Index::check(p.geometry, p.choice.index);
    else
        Index::check(p.geometry);
    if (auto const least = miss_queue_minimum(write); p.miss_queue < least)
        refuse_cache_number("miss_queue", p.miss_queue,
                            "can never hold the requests that one access may cause", least);
    if constexpr (requires { allocation.widened(p); }) return allocation.widened(p);
    return p;
}

} // namespace warpkit::detail
