#pragma once
/// \file
/// Explains, in one message each, what is wrong with a type that wants to be a cache, or a texture cache, of a machine.
///
/// Contract of a cache (`perfect_cache` is the smallest one, cache/cache.hpp the one with policies):
///   - `C(cache_parameters)` makes one, empty; impossible numbers throw `error`. Regular values: copy, compare, hash.
///   - `access(a)` takes an access or refuses it, as cache_result says; a refused one has changed nothing but a counter.
///     `probe(a)` says what access would find, and changes nothing.
///   - `counters()`: each accepted access by its outcome, each refusal by its reason, and what goes to the next level.
///   - `invalidate_all()` empties the cache; who waits for data is still served.
/// One that asks anything of the next level has, for that:
///   - `requests()`, `front_request()` and `pop_request()`: how many requests wait, the oldest of them, away with it.
///   - `fill(address, sink)`: the data of the fetch with this address have come. Calls `sink(token)` for each access that
///     waited for them, in their order, and returns the line that had to go.
/// And, where the plain answer (cache/plain_cache.hpp) is not its own: `keeps_stores(space)`, `fetches_on_store()`,
/// `may_free_way(wanted, filled)`, `outstanding()`, `parameters()`, `disown(slots)` of one that remembers owners,
/// `install(address, departed)` of one that prefetches into. What makes the fast engine faster is beside that:
/// tells_ahead (cache/concepts.hpp).
///
/// What a cache has not said for itself, no engine may conclude: between calls of access, fill, pop_request, install
/// and invalidate_all, it stays as it is.

#include <warpkit/base/check.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/cache/geometry.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace warpkit {

namespace detail {

/// What caches of all kinds have; false after one message.
template <class C>
constexpr bool check_upper_side() {
    if constexpr (!std::constructible_from<C, cache_parameters const&>)
        static_assert(acceptable<C>,
                      "warpkit: a cache is built from its numbers: write a constructor `explicit "
                      "my_cache(cache_parameters const&)`");
    else if constexpr (!requires(C & c, cache_access const& a) {
                           { c.access(a) } -> std::same_as<cache_result>;
                       })
        static_assert(acceptable<C>,
                      "warpkit: a cache takes accesses: write `cache_result access(cache_access const&)`");
    else if constexpr (!requires(C const& c) {
                           { c.counters() } -> std::convertible_to<cache_counters const&>;
                       })
        static_assert(acceptable<C>,
                      "warpkit: a cache counts: write `cache_counters const& counters() const noexcept`");
    else if constexpr (!requires(C & c) { c.invalidate_all(); })
        static_assert(acceptable<C>, "warpkit: a cache is emptied between kernels: write `void "
                                     "invalidate_all()`, which may do nothing");
    else
        return true;
    return false;
}

/// What those have that ask the next level; likewise.
template <class C>
constexpr bool check_lower_side() {
    if constexpr (!requires(C const& c) {
                      { c.requests() } -> std::convertible_to<std::size_t>;
                  })
        static_assert(acceptable<C>, "warpkit: a cache says how much waits to go to the next level: write "
                                     "`std::size_t requests() const noexcept`");
    else if constexpr (!requires(C & c, C const& k) {
                           { k.front_request() } -> std::convertible_to<lower_request>;
                           c.pop_request();
                       })
        static_assert(acceptable<C>,
                      "warpkit: a cache hands over what goes to the next level: write `lower_request const& "
                      "front_request() const` and `void pop_request()`");
    else
        return true;
    return false;
}
} // namespace detail

/// Refuses, with one message that names the first member that is missing, a type that is no cache.
template <class C>
constexpr bool check_cache() {
    if constexpr (!check_value<C>()) {
        return false;
    } else if constexpr (!detail::check_upper_side<C>()) {
        return false;
    } else {
        using detail::acceptable;
        if constexpr (!requires(C const& c, cache_access const& a) {
                          { c.probe(a) } -> std::same_as<cache_outcome>;
                      })
            static_assert(acceptable<C>,
                          "warpkit: a cache says what an access would find: write `cache_outcome "
                          "probe(cache_access const&) const noexcept`");
        else if constexpr (!asks_below<C>)
            return true;
        else if constexpr (!detail::check_lower_side<C>())
            return false;
        else if constexpr (!requires(C & c, std::uint64_t address, detail::any_sink sink) {
                               { c.fill(address, sink) } -> std::same_as<departed_line>;
                           })
            static_assert(
                acceptable<C>,
                "warpkit: a cache takes the data that it has asked for: write `template <class Sink> "
                "departed_line fill(std::uint64_t address, Sink&& sink)`");
        else
            return true;
        return false;
    }
}

/// The same for a texture cache, whose accesses are served in order, some cycles after their look-up: `can_serve()`,
/// `serve(sink)`, `fill(address, bytes, mshr)`, `has_request()` and `disown(slots)` as in cache/texture_cache.hpp.
template <class C>
constexpr bool check_texture_cache() {
    if constexpr (!check_value<C>()) {
        return false;
    } else if constexpr (!detail::check_upper_side<C>()) {
        return false;
    } else {
        using detail::acceptable;
        if constexpr (!requires(C & c, C const& k, detail::any_sink sink) {
                          { k.can_serve() } -> std::same_as<bool>;
                          c.serve(sink);
                      })
            static_assert(acceptable<C>,
                          "warpkit: a texture cache serves accesses in their order: write `bool can_serve() "
                          "const noexcept` and `template <class Sink> void serve(Sink&&)`");
        else if constexpr (!detail::check_lower_side<C>())
            return false;
        else if constexpr (!requires(C & c, std::uint64_t address) { c.fill(address, 1U, no_token); })
            static_assert(acceptable<C>,
                          "warpkit: a texture cache takes the data that it has asked for: write `void "
                          "fill(std::uint64_t address, std::uint32_t bytes, std::uint32_t mshr)`");
        else if constexpr (!requires(C & c, C const& k, warp_set slots) {
                               { k.has_request() } -> std::same_as<bool>;
                               c.disown(slots);
                           })
            static_assert(
                acceptable<C>,
                "warpkit: a texture cache says whether anything goes to the next level, and forgets "
                "the owners of lines: write `bool has_request() const noexcept` and `void "
                "disown(warp_set)`");
        else
            return true;
        return false;
    }
}

} // namespace warpkit
