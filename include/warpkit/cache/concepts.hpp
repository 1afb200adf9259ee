#pragma once
/// \file
/// The four seats of a cache.
///
/// Contract:
///   - set index: built from a geometry; `index(address, line)` gives the set of a line, below `sets`, and depends on
///     the line alone (`line` is address / line_bytes; `address` is any byte of it). `Index::check(geometry)` throws
///     `error` on geometries it is not defined for.
///   - replacement: built from (sets, ways). `used` is told of each accepted access to a line that is here, but may not
///     be of those that follow one of which it was if nothing else happens in the set; `inserted` of each allocation.
///     `victim(set, eligible)` is const and names one of the ways in `eligible` (never empty; invalid ways are used up
///     before it is asked): a way_set, or a std::uint64_t with a bit for each way, which serves up to 64 ways: a cache
///     of more is refused then. Whoever has `removed(set, way)` is told of each line that goes without
///     another taking its place. Whoever has `insertion_is_use`, true, counts a line that comes in as used, and need
///     not hear of uses that follow at once. Who wants to know which instruction and warp it is writes `used(set, way,
///     by)` and `inserted(set, way, by)`, `by` being a line_use (access.hpp): of a line that comes in, the access that
///     asked for it first. Who has `declines(by)` too says whether what has come is given to those who wait and not
///     kept: under an allocation that does not reserve, or the cache is refused. Who has `allowed(by)` says in which
///     ways what this access asks for may lie (way_range); where it allows none that the cache uses, the access is
///     refused, or what has come is not kept. Who has `launched(warps)` is told
///     which slots have new warps, and by `emptied()` that all lines, and all warps, are gone; who has `exited(warps)`
///     besides, whose warps have ended. Who has `granted(n)` is told how many warps may keep lines from now on, 0 being
///     as many as it was made for, where somebody else decides so (cta/concepts.hpp).
///   - allocation: `reserves` says whether a miss takes its way at once (on_miss) or when filled (on_fill); what
///     `widened(parameters)` makes of the numbers, where there is such a thing, is what the cache is built with.
///   - write policy: `on_hit` and `on_miss` are constexpr functions of the memory space (write_policy.hpp).
/// Allocation and write policies without a state are judged by the compiler, others when the cache is made. All are
/// regular, hashable values without virtual functions, and none allocates after construction.
///
/// And two things that a whole cache may be: one that asks the next level for something, and one that tells a fast
/// engine more than a cache needs to.

#include <warpkit/base/hash.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/geometry.hpp>
#include <warpkit/cache/way_set.hpp>
#include <warpkit/cache/write_policy.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace warpkit {

template <class T>
concept set_index_policy =
    regular_state<T> && !std::is_polymorphic_v<T> && std::constructible_from<T, cache_geometry const&> &&
    requires(T const& t, std::uint64_t address, std::uint64_t line, cache_geometry const& g) {
    { t(address, line) }
    noexcept->std::same_as<std::uint32_t>;
    T::check(g);
};

/// A replacement policy that goes by instruction and warp.
template <class T>
concept hears_users = requires(T& t, std::uint32_t set, std::uint32_t way, line_use const& by) {
    { t.used(set, way, by) } -> std::same_as<void>;
    { t.inserted(set, way, by) } -> std::same_as<void>;
};

template <class T>
concept replacement_policy = regular_state<T> && !std::is_polymorphic_v<T> &&
                             std::constructible_from<T, std::uint32_t, std::uint32_t> &&
                             requires(T const& c, std::uint32_t set, std::uint64_t eligible) {
    { c.victim(set, eligible) } -> std::same_as<std::uint32_t>;
}
&&(hears_users<T> || requires(T & t, std::uint32_t set, std::uint32_t way) {
    { t.used(set, way) } -> std::same_as<void>;
    { t.inserted(set, way) } -> std::same_as<void>;
});

/// Tells a replacement policy of a use, and of a line that comes in, as it wants to hear them.
template <class T>
constexpr void tell_used(T& t, std::uint32_t set, std::uint32_t way, [[maybe_unused]] line_use const& by) {
    if constexpr (hears_users<T>)
        t.used(set, way, by);
    else
        t.used(set, way);
}
template <class T>
constexpr void tell_inserted(T& t, std::uint32_t set, std::uint32_t way,
                             [[maybe_unused]] line_use const& by) {
    if constexpr (hears_users<T>)
        t.inserted(set, way, by);
    else
        t.inserted(set, way);
}

/// A replacement policy that keeps lines out.
template <class T>
concept declines_lines = hears_users<T> && requires(T const& t, line_use const& by) {
    { t.declines(by) } -> std::same_as<bool>;
};
/// ... and one that sets ways apart.
template <class T>
concept confines_lines = hears_users<T> && requires(T const& t, line_use const& by) {
    { t.allowed(by) } -> std::same_as<way_range>;
};
/// ... and one that is told which warps there are.
template <class T>
concept hears_launches = requires(T& t, warp_set warps) {
    { t.launched(warps) } -> std::same_as<void>;
    { t.emptied() } -> std::same_as<void>;
};
/// ... and which of them have ended.
template <class T>
concept hears_exits = hears_launches<T> && requires(T& t, warp_set warps) {
    { t.exited(warps) } -> std::same_as<void>;
};
/// ... and how many of them may keep lines.
template <class T>
concept hears_grants = requires(T& t, unsigned warps) {
    { t.granted(warps) } -> std::same_as<void>;
};
/// Whether it may keep lines out: one that stands for several says which it is.
template <class T>
constexpr bool may_decline([[maybe_unused]] T const& t) noexcept {
    if constexpr (requires { t.may_decline(); })
        return t.may_decline();
    else
        return declines_lines<T>;
}

/// A replacement policy for sets of any number of ways, not of 64 at most.
template <class T>
concept serves_wide_sets = requires(T const& c, std::uint32_t set, way_set eligible) {
    { c.victim(set, eligible) } -> std::same_as<std::uint32_t>;
};
/// The way that it gives up.
template <class T>
constexpr std::uint32_t victim_of(T const& t, std::uint32_t set, way_set eligible) {
    if constexpr (serves_wide_sets<T>)
        return t.victim(set, eligible);
    else
        return t.victim(set, eligible.word(0));
}

/// A replacement policy that hears of lines that go without another taking their place.
template <class T>
concept hears_removals = requires(T& t, std::uint32_t set, std::uint32_t way) {
    { t.removed(set, way) } -> std::same_as<void>;
};

template <class T>
concept allocation_policy = std::regular<T> && requires(T const& t) {
    { t.reserves } -> std::convertible_to<bool>;
};

template <class T>
concept write_policy = std::regular<T> && requires(T const& t, memory_space s) {
    { t.is_read_only } -> std::convertible_to<bool>;
    { t.on_hit(s) }
    noexcept->std::same_as<write_hit>;
    { t.on_miss(s) }
    noexcept->std::same_as<write_miss>;
};

namespace detail {
struct any_sink {
    constexpr void operator()(std::uint32_t) const noexcept {}
};
} // namespace detail

/// A cache behind which there is another level, as it has the queue of what goes there. (A cache that always hits has
/// none of this.)
template <class C>
concept asks_below = requires(C const& k) {
    k.requests();
}
|| requires(C const& k) { k.front_request(); }
|| requires(C& c) { c.pop_request(); }
|| requires(C& c, std::uint64_t address) { c.fill(address, detail::any_sink()); };

/// A cache that knows ahead what would be the answer to accesses, or gives it for less to who knows more. It is an
/// interface apart, beside the contract of a cache (cache/check.hpp), which the fast engine looks for: without it the
/// engine asks plainly, and comes to the same cycles. Each member abbreviates something plain, and
/// testing/cache_laws.hpp holds it to that:
///
///   found(), hits_at(place, address), hit_at(place)   access() of a load that hits where one has been found
///   hits_behind(address, bytes), hit_again()          probe() of the next sectors of the line found, access() of each
///   miss_again(access)                                access() of a load that misses in the line found or reserved
///   refuse_again(reason)                              access() of what is refused again, for the same reason
///   load_places(), reserves()                         what a load that misses would lack; when its line comes
///   set_of(address), fill_may_free_way(set, mshr)     may_free_way(wanted, filled)
///   count_part(mshr, bytes), fetched(mshr), fill_all(mshr, sink)   fill(address, sink) of data that come in parts
template <class C>
concept tells_ahead = requires(C& c, C const& k, cache_access const& a, std::uint64_t address,
                               std::uint32_t n, refusal reason, detail::any_sink sink) {
    c.hits_at(k.found(), address);
    c.hit_at(k.found());
    { k.hits_behind(address, n) } -> std::same_as<std::uint8_t>;
    c.hit_again();
    c.miss_again(a);
    c.refuse_again(reason);
    { k.load_places() } -> std::same_as<std::uint32_t>;
    { k.reserves() } -> std::same_as<bool>;
    { k.set_of(address) } -> std::same_as<std::uint32_t>;
    { k.fill_may_free_way(n, n) } -> std::same_as<bool>;
    { c.count_part(n, n) } -> std::same_as<bool>;
    { k.fetched(n) } -> std::same_as<std::uint64_t>;
    { c.fill_all(n, sink) } -> std::same_as<departed_line>;
};

} // namespace warpkit
