#pragma once

#include <warpkit/base/one_of.hpp>
#include <warpkit/cta/concepts.hpp>

#include <type_traits>

namespace warpkit {

/// One of these occupancy limits, at first the first one.
template <class... P>
class one_occupancy_limit : public one_of<P...> {
    static_assert((check_occupancy_limit<P>() && ...));

public:
    static constexpr char const* name() noexcept { return "one_occupancy_limit"; }

    using one_of<P...>::one_of;
    unsigned limit(unsigned fit) const noexcept {
        unsigned n = fit;
        this->ask([&](auto const& p) { n = p.limit(fit); });
        return n;
    }
    bool steady() const noexcept {
        bool s = true;
        this->ask([&](auto const& p) { s = steady_limit(p); });
        return s;
    }
    bool limits_each_kernel() const noexcept {
        bool each = false;
        this->ask([&](auto const& p) { each = warpkit::limits_each_kernel(p); });
        return each;
    }
    cycle next_sample() const noexcept requires(asks_samples<P> || ...) {
        auto at = never;
        this->ask([&](auto const& p) {
            if constexpr (asks_samples<std::remove_cvref_t<decltype(p)>>) at = p.next_sample();
        });
        return at;
    }
    unsigned announced() const noexcept requires(announces_degree<P> || ...) {
        unsigned degree = 0;
        this->ask([&](auto const& p) {
            if constexpr (announces_degree<std::remove_cvref_t<decltype(p)>>) degree = p.announced();
        });
        return degree;
    }
    degree_report report() const noexcept requires(reports_degree<P> || ...) {
        degree_report r;
        this->ask([&](auto const& p) {
            if constexpr (reports_degree<std::remove_cvref_t<decltype(p)>>) r = p.report();
        });
        return r;
    }
    warp_set paused() const noexcept requires(pauses_warps<P> || ...) {
        warp_set set;
        this->ask([&](auto const& p) {
            if constexpr (pauses_warps<std::remove_cvref_t<decltype(p)>>) set = p.paused();
        });
        return set;
    }
    unsigned tokens() const noexcept requires(grants_tokens<P> || ...) {
        unsigned n = 0;
        this->ask([&](auto const& p) {
            if constexpr (grants_tokens<std::remove_cvref_t<decltype(p)>>) n = p.tokens();
        });
        return n;
    }
    friend bool operator==(one_occupancy_limit const&, one_occupancy_limit const&) = default;
};

} // namespace warpkit
