#pragma once
/// \file
/// CTA dispatch is `occupancy limit` after `choice of block`: the limit says how many CTAs a core may hold, the choice
/// says which core gets the next one, and which one that is (docs/model/dispatch.md).

#include <warpkit/base/check.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/cta/events.hpp>
#include <warpkit/cta/read_growth.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace warpkit {

/// How many further CTAs each core may take now, under its resources and its limit. A view of the host's table.
struct core_rooms {
    unsigned const* room = nullptr;
    unsigned cores = 0;

    constexpr unsigned operator[](unsigned core) const noexcept { return room[core]; }
    constexpr unsigned size() const noexcept { return cores; }
    /// The first core with room from `core` on, in a circle; size() if none has any. A `core` of size() or more is 0.
    constexpr unsigned next_with_room(unsigned core) const noexcept {
        for (unsigned tried = 0; tried < cores; ++tried, ++core) {
            if (core >= cores) core = 0;
            if (room[core] != 0) return core;
        }
        return cores;
    }
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
/// Contract: `choose(rooms)` is const and names only cores with room for `count` and CTAs that have not been
/// dispatched. The host carries the answer out, tells of it by one cta_dispatched for each CTA, and asks again; a core
/// takes at most one answer per core cycle, so the host then shows it with room 0 until the next. State is regular; it
/// changes through grid_began (as good as new), cta_dispatched and cta_retired. As long as CTAs remain and a core is
/// empty, the answer is not "nobody".
template <class P>
concept chooses_ctas = requires(P const& p, core_rooms rooms) {
    { p.choose(rooms) } -> std::same_as<cta_assignment>;
};
template <class P>
concept cta_choice = regular_state<P> && hears<P, grid_began> && chooses_ctas<P>;

/// How many CTAs may a core hold? One instance per core.
///
/// Contract: `limit(fit)` is from 1 to `fit`, the number that fit the core's resources. State is regular and changes
/// through the core's events (base/events.hpp), kernel_began first. A limit below the number of resident CTAs evicts
/// nobody, it only delays the next launch. A limit may offer any of these as well:
///   - `bool steady() const`: its answer stays what it is until the kernel ends, and it wants nothing of the below.
///     What has no state is steady; the host then need not ask again.
///   - `on(core_sampled const&)` and `cycle next_sample() const`: it is told the core's counters at the first end of a
///     window of simulation that is not before that cycle; `never` asks for none.
///   - `unsigned announced() const`: not 0 as soon as it has decided on a number of CTAs for all cores; the host tells
///     all cores' limits, this one included, `degree_chosen`, once per kernel.
///   - `degree_report report() const`, beside it: what it decided that from.
///   - `warp_set paused() const`: warps that issue only while no other candidate can.
///   - `unsigned tokens() const`: how many warps of the core may keep lines in its L1, if the L1 minds (hears_grants of
///     cache/concepts.hpp), 0 being as many as it was made for; asked for where a kernel begins and after each sample.
template <class P>
concept limits_ctas = requires(P const& p, unsigned fit) {
    { p.limit(fit) } -> std::same_as<unsigned>;
};
template <class P>
concept occupancy_limit = regular_state<P> && limits_ctas<P>;

/// A limit that says when it wants to be told the core's counters.
template <class P>
concept asks_samples = hears<P, core_sampled> && requires(P const& p) {
    { p.next_sample() } -> std::same_as<cycle>;
};
/// A limit that sets warps aside.
template <class P>
concept pauses_warps = requires(P const& p) {
    { p.paused() } -> std::same_as<warp_set>;
};
/// A limit that says how many warps may keep lines.
template <class P>
concept grants_tokens = requires(P const& p) {
    { p.tokens() } -> std::same_as<unsigned>;
};
/// A limit that decides for all cores.
template <class P>
concept announces_degree = requires(P const& p) {
    { p.announced() } -> std::same_as<unsigned>;
};
/// ... and tells from what.
template <class P>
concept reports_degree = announces_degree<P> && requires(P const& p) {
    { p.report() } -> std::convertible_to<degree_report>;
};
/// Whether this limit's answer stays what it is until the kernel ends.
template <class P>
constexpr bool steady_limit(P const& p) noexcept {
    if constexpr (requires { p.steady(); })
        return p.steady();
    else
        return std::is_empty_v<P>;
}
/// Whether its answer is `fit`, or a number that never changes if that is less: then it holds for each of several
/// kernels that share a core, where other limits are refused. Optional: `bool limits_each_kernel() const`; without, no.
template <class P>
constexpr bool limits_each_kernel(P const& p) noexcept {
    if constexpr (requires { p.limits_each_kernel(); })
        return p.limits_each_kernel();
    else
        return false;
}
/// What a choice of block has to say of how it treats this grid, as a sentence's end; null for nothing. Optional:
/// `char const* note() const`.
template <class P>
constexpr char const* note_of(P const& p) noexcept {
    if constexpr (requires { p.note(); })
        return p.note();
    else
        return nullptr;
}

/// Whether it gives CTAs out in the order of their numbers, whatever happens: then what kernels compute, CTA by CTA as
/// they are dispatched, depends on nothing else of the machine. Optional: `bool keeps_order() const`; without, no.
template <class P>
constexpr bool keeps_order(P const& p) noexcept {
    if constexpr (requires { p.keeps_order(); })
        return p.keeps_order();
    else
        return false;
}

namespace detail {
template <class... A, class... B>
constexpr event_list<A..., B...> joined(event_list<A...>, event_list<B...>) noexcept {
    return {};
}
} // namespace detail

/// Refuses, with one message that tells the remedy, a type that is no choice of block.
template <class P>
constexpr bool check_cta_choice() {
    if constexpr (!std::is_polymorphic_v<P> && !chooses_ctas<P>) {
        static_assert(detail::acceptable<P>,
                      "warpkit: a choice of block needs `cta_assignment choose(core_rooms) const noexcept`");
    } else if constexpr (check_value<P>()) {
        detail::check_handlers<P>(cta_choice_events{});
        static_assert(hears<P, grid_began>,
                      "warpkit: a choice of block must hear where its grid begins: write "
                      "`void on(grid_began const&)`");
    }
    return cta_choice<P>;
}

/// Refuses, with one message that tells the remedy, a type that is no occupancy limit.
template <class P>
constexpr bool check_occupancy_limit() {
    if constexpr (!std::is_polymorphic_v<P> && !limits_ctas<P>) {
        static_assert(detail::acceptable<P>,
                      "warpkit: an occupancy limit needs `unsigned limit(unsigned fit) const noexcept`");
    } else if constexpr (check_value<P>()) {
        detail::check_handlers<P>(detail::joined(all_events{}, occupancy_limit_events{}));
        if constexpr (hears<P, core_sampled>)
            static_assert(asks_samples<P>,
                          "warpkit: an occupancy limit that hears core_sampled says when it wants to: write "
                          "`cycle next_sample() const noexcept`");
    }
    return occupancy_limit<P>;
}

} // namespace warpkit
