#pragma once
/// \file
/// A warp scheduler that is chosen at run time.

#include <warpkit/base/hash.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/check.hpp>

#include <concepts>
#include <string_view>
#include <utility>
#include <variant>

namespace warpkit::testing {

/// One of these schedulers, at first the first one: for programs that would otherwise compile every machine once for
/// each, as for recording. It decides as the one that it holds, and costs a jump for each question and event.
///
///     any_scheduler<lrr, gto> scheduler(gto{});
template <class... P>
class any_scheduler {
    static_assert(sizeof...(P) > 0 && (check_warp_scheduler<P>() && ...));

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept { return "any_scheduler"; }

    any_scheduler() = default;
    template <class Q>
    requires(std::same_as<Q, P> || ...) explicit any_scheduler(Q const& scheduler) : held_(scheduler) {}
    /// The one that the literature knows by this name; the first one if there is none.
    static any_scheduler called(std::string_view wanted) {
        any_scheduler any;
        auto const take = [&]<class Q>() {
            if (wanted == common_name<Q>) any.held_.template emplace<Q>();
        };
        (take.template operator()<P>(), ...);
        return any;
    }
    char const* its_name() const noexcept {
        return ask([]<class Q>(Q const&) { return common_name<Q>; });
    }

    warp_slot pick(warp_set candidates, issue_classes const& classes) const noexcept {
        return ask([&](auto const& p) { return pick_warp(p, candidates, classes); });
    }
    warp_set eligible(warp_set candidates, issue_classes const& classes) const noexcept {
        return ask([&](auto const& p) { return eligible_warps(p, candidates, classes); });
    }
    template <class E>
    requires(hears<P, E> || ...) void on(E const& e) {
        std::visit([&](auto& p) { notify(e, p); }, held_);
    }

    template <class F>
    void each_member(F&& f) const {
        f(held_.index(), ask([](auto const& p) { return hash_of(p); }));
    }
    friend bool operator==(any_scheduler const&, any_scheduler const&) = default;

private:
    template <class F>
    decltype(auto) ask(F&& f) const {
        return std::visit(std::forward<F>(f), held_);
    }

    std::variant<P...> held_;
};

} // namespace warpkit::testing
