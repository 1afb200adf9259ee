#pragma once
/// \file
/// Explains, in one message each, what is wrong with a type that wants to be a cache, or a texture cache, of a machine.
///
/// Contract of a cache (`perfect_cache` is the smallest one, cache/cache.hpp the one with policies):
///   - `C(cache_parameters)` makes one, empty; impossible numbers throw `error`. Regular values: copy, compare, hash.
///   - `access(a)` takes an access or refuses it, as cache_result says; a refused one has changed nothing but a counter.
///     `probe(a)` says what access would find, and changes nothing.
///   - `has_request()`, `front_request()`, `pop_request()` and `requests()`: the queue of what goes to the next level.
///   - `fill(address, bytes, sink, mshr)`: data has come; `sink(token)` is called for each access that waited for it. It
///     returns the line that had to go.
///   - `outstanding()` counts MSHRs in use; `idle()` says that nothing is under way; `invalidate_all()` empties the cache and
///     says how many dirty bytes there were; `disown(slots)` forgets the owners of lines.
///   - `parameters()` and `counters()`.

#include <warpkit/base/check.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/geometry.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace warpkit {

namespace detail {
struct any_sink {
    constexpr void operator()(std::uint32_t) const noexcept {}
};

/// What caches of all kinds have; false after one message.
template <class C>
constexpr bool check_lower_side() {
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
                           { c.has_request() } -> std::same_as<bool>;
                           { c.requests() } -> std::convertible_to<std::size_t>;
                       })
        static_assert(acceptable<C>,
                      "warpkit: a cache says whether anything goes to the next level, and how much: write "
                      "`bool has_request() const noexcept` and `std::size_t requests() const noexcept`");
    else if constexpr (!requires(C & c, C const& k) {
                           { k.front_request() } -> std::convertible_to<lower_request>;
                           c.pop_request();
                       })
        static_assert(acceptable<C>,
                      "warpkit: a cache hands over what goes to the next level: write `lower_request const& "
                      "front_request() const` and `void pop_request()`");
    else if constexpr (!requires(C & c, warp_set slots) {
                           c.invalidate_all();
                           c.disown(slots);
                       })
        static_assert(acceptable<C>,
                      "warpkit: a cache is emptied between kernels and forgets the owners of lines: write "
                      "`std::uint64_t invalidate_all()` and `void disown(warp_set)`");
    else if constexpr (!requires(C const& c) {
                           { c.counters() } -> std::convertible_to<cache_counters>;
                       })
        static_assert(acceptable<C>,
                      "warpkit: a cache counts: write `cache_counters const& counters() const noexcept`");
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
    } else if constexpr (!detail::check_lower_side<C>()) {
        return false;
    } else {
        using detail::acceptable;
        if constexpr (!requires(C const& c, cache_access const& a) {
                          { c.probe(a) } -> std::same_as<cache_outcome>;
                      })
            static_assert(acceptable<C>,
                          "warpkit: a cache says what an access would find: write `cache_outcome "
                          "probe(cache_access const&) const noexcept`");
        else if constexpr (!requires(C & c, std::uint64_t address, detail::any_sink sink) {
                               { c.fill(address, 1U, sink, no_token) } -> std::same_as<departed_line>;
                           })
            static_assert(
                acceptable<C>,
                "warpkit: a cache takes the data that it has asked for: write `template <class Sink> "
                "departed_line fill(std::uint64_t address, std::uint32_t bytes, Sink&&, std::uint32_t "
                "mshr = no_token)`");
        else if constexpr (!requires(C const& c) {
                               { c.outstanding() } -> std::convertible_to<std::uint32_t>;
                               { c.idle() } -> std::same_as<bool>;
                           })
            static_assert(acceptable<C>,
                          "warpkit: a cache says what is under way: write `std::uint32_t outstanding() const "
                          "noexcept` and `bool idle() const noexcept`");
        else if constexpr (!requires(C const& c) {
                               { c.parameters() } -> std::convertible_to<cache_parameters const&>;
                           })
            static_assert(acceptable<C>, "warpkit: a cache knows its numbers: write `cache_parameters const& "
                                         "parameters() const noexcept`");
        else
            return true;
        return false;
    }
}

/// The same for a texture cache, whose accesses are served in order, some cycles after their look-up: `can_serve()`,
/// `serve(sink)` and `fill(address, bytes, mshr)` as in cache/texture_cache.hpp.
template <class C>
constexpr bool check_texture_cache() {
    if constexpr (!check_value<C>()) {
        return false;
    } else if constexpr (!detail::check_lower_side<C>()) {
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
        else if constexpr (!requires(C & c, std::uint64_t address) { c.fill(address, 1U, no_token); })
            static_assert(acceptable<C>,
                          "warpkit: a texture cache takes the data that it has asked for: write `void "
                          "fill(std::uint64_t address, std::uint32_t bytes, std::uint32_t mshr)`");
        else
            return true;
        return false;
    }
}

} // namespace warpkit
