#pragma once
/// \file
/// CTA dispatch is `occupancy limit` after `choice of block`: the limit says how many CTAs a core may hold, the choice
/// says which core gets the next one, and which one that is (DESIGN 3, SPEC 2).

#include <warpkit/base/hash.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/cta/events.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit {

/// How many further CTAs each core may take now, under its resources and its limit. A view of the host's table.
struct core_rooms {
    unsigned const* room = nullptr;
    unsigned cores = 0;

    constexpr unsigned operator[](unsigned core) const noexcept { return room[core]; }
    constexpr unsigned size() const noexcept { return cores; }
};

/// What a choice answers: `count` CTAs, from number `first` on, for one core.
struct cta_assignment {
    unsigned core = 0;
    std::uint64_t first = 0;
    unsigned count = 0; ///< 0: nobody gets anything now

    /// Whether anybody gets anything.
    constexpr explicit operator bool() const noexcept { return count != 0; }
    friend bool operator==(cta_assignment const&, cta_assignment const&) = default;
};

/// Which core gets the next CTA, and which CTA is that?
///
/// Contract: `choose(rooms)` is const and names only cores with room for `count` and CTAs that have not been dispatched.
/// The host carries the answer out, tells of it by one cta_dispatched for each CTA, and asks again; a core takes at
/// most one answer per core cycle, so the host then shows it with room 0 until the next. State is regular; it changes
/// through grid_began (as good as new), cta_dispatched and cta_retired. As long as CTAs remain and a core is empty, the
/// answer is not "nobody".
template <class P>
concept cta_choice = regular_state<P> && hears<P, grid_began> && requires(P const& p, core_rooms rooms) {
    { p.choose(rooms) } -> std::same_as<cta_assignment>;
};

/// How many CTAs may a core hold? One instance per core.
///
/// Contract: `limit(fit)` is from 1 to `fit`, the number that fit the core's resources. State is regular and changes
/// through the core's events (base/events.hpp), kernel_began first. A limit below the number of resident CTAs evicts
/// nobody, it only delays the next launch.
template <class P>
concept occupancy_limit = regular_state<P> && requires(P const& p, unsigned fit) {
    { p.limit(fit) } -> std::same_as<unsigned>;
};

/// Refuses, with one message that tells the remedy, a type that is no choice of block.
template <class P>
constexpr bool check_cta_choice() {
    if constexpr (!requires(P const& p, core_rooms rooms) {
                      { p.choose(rooms) } -> std::same_as<cta_assignment>;
                  })
        static_assert(cta_choice<P>,
                      "warpkit: a choice of block needs `cta_assignment choose(core_rooms) const noexcept`");
    else if constexpr (!regular_state<P>)
        static_assert(cta_choice<P>,
                      "warpkit: a choice of block must be a regular value: copyable, `friend bool "
                      "operator==(P const&, P const&) = default;`, and hashable (base/hash.hpp)");
    else if constexpr (!hears<P, grid_began>)
        static_assert(cta_choice<P>, "warpkit: a choice of block must hear where its grid begins: write "
                                     "`void on(grid_began const&)`");
    detail::check_handlers<P>(cta_choice_events{});
    return true;
}

/// Refuses, with one message that tells the remedy, a type that is no occupancy limit.
template <class P>
constexpr bool check_occupancy_limit() {
    if constexpr (!requires(P const& p, unsigned fit) {
                      { p.limit(fit) } -> std::same_as<unsigned>;
                  })
        static_assert(occupancy_limit<P>,
                      "warpkit: an occupancy limit needs `unsigned limit(unsigned fit) const noexcept`");
    else if constexpr (!regular_state<P>)
        static_assert(occupancy_limit<P>,
                      "warpkit: an occupancy limit must be a regular value: copyable, `friend bool "
                      "operator==(P const&, P const&) = default;`, and hashable (base/hash.hpp)");
    return check_listener<P>();
}

} // namespace warpkit
