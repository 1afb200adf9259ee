#pragma once

#include <warpkit/base/policy_name.hpp>
#include <warpkit/cta/concepts.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace warpkit {

namespace detail {
struct one_of_text {
    static constexpr char const* name() noexcept { return "one_of"; }
};
} // namespace detail

/// One of several choices of block, or of several occupancy limits, which one being known at run time: so that one machine
/// serves all of them. At first the first. Not virtual, no allocation: a comparison for each alternative that has
/// something to do with a call.
template <class... P>
class one_of {
    static_assert(sizeof...(P) != 0,
                  "warpkit: one_of<> has nothing to choose from: name at least one policy");
    using variant = std::variant<P...>;

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept { return composed_name<detail::one_of_text, P...>::name(); }

    one_of() = default;
    /// This one.
    template <class Q>
    requires(std::is_same_v<Q, P> || ...) one_of(Q const& policy) : active_(policy) {}

    /// The policy in charge, if it is a Q.
    template <class Q>
    Q const* get_if() const noexcept {
        return std::get_if<Q>(&active_);
    }
    /// The name of the policy in charge.
    char const* chosen_name() const noexcept {
        char const* text = "";
        each([&]<class Q>(Q const&) { text = common_name<Q>; });
        return text;
    }

    // ---- as a choice of block
    cta_assignment choose(core_rooms rooms) const requires(chooses_ctas<P>&&...) {
        cta_assignment a;
        each([&](auto const& p) { a = p.choose(rooms); });
        return a;
    }
    char const* note() const noexcept {
        char const* text = nullptr;
        each([&](auto const& p) { text = note_of(p); });
        return text;
    }

    bool keeps_order() const noexcept {
        bool kept = false;
        each([&](auto const& p) { kept = warpkit::keeps_order(p); });
        return kept;
    }

    // ---- as an occupancy limit
    unsigned limit(unsigned fit) const noexcept requires(limits_ctas<P>&&...) {
        unsigned n = fit;
        each([&](auto const& p) { n = p.limit(fit); });
        return n;
    }
    bool steady() const noexcept {
        bool s = true;
        each([&](auto const& p) { s = steady_limit(p); });
        return s;
    }
    cycle next_sample() const noexcept requires(asks_samples<P> || ...) {
        auto at = never;
        each([&](auto const& p) {
            if constexpr (asks_samples<std::remove_cvref_t<decltype(p)>>) at = p.next_sample();
        });
        return at;
    }
    unsigned announced() const noexcept requires(announces_degree<P> || ...) {
        unsigned degree = 0;
        each([&](auto const& p) {
            if constexpr (announces_degree<std::remove_cvref_t<decltype(p)>>) degree = p.announced();
        });
        return degree;
    }
    degree_report report() const noexcept requires(reports_degree<P> || ...) {
        degree_report r;
        each([&](auto const& p) {
            if constexpr (reports_degree<std::remove_cvref_t<decltype(p)>>) r = p.report();
        });
        return r;
    }
    warp_set paused() const noexcept requires(pauses_warps<P> || ...) {
        warp_set set;
        each([&](auto const& p) {
            if constexpr (pauses_warps<std::remove_cvref_t<decltype(p)>>) set = p.paused();
        });
        return set;
    }

    template <class E>
    void on(E const& e) requires(hears<P, E> || ...) {
        hand_on(e, std::index_sequence_for<P...>{});
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(active_.index());
        each([&](auto const& p) { f(p); });
    }
    friend bool operator==(one_of const&, one_of const&) = default;

private:
    template <class F>
    void each(F&& f) const {
        each(f, std::index_sequence_for<P...>{});
    }
    template <class F, std::size_t... I>
    void each(F&& f, std::index_sequence<I...>) const {
        (
            [&] {
                if (auto const* const p = std::get_if<I>(&active_)) f(*p);
            }(),
            ...);
    }
    template <class E, std::size_t... I>
    void hand_on(E const& e, std::index_sequence<I...>) {
        (
            [&] {
                if constexpr (hears<P, E>)
                    if (auto* const p = std::get_if<I>(&active_)) p->on(e);
            }(),
            ...);
    }

    variant active_;
};

} // namespace warpkit
