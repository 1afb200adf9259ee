#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cta/concepts.hpp>

namespace warpkit {

/// As many CTAs as fit.
class no_limit {
public:
    static constexpr char const* name() noexcept { return "no_limit"; }
    static constexpr char const* summary() noexcept { return "as many CTAs as fit"; }
    constexpr unsigned limit(unsigned fit) const noexcept { return fit; }
    static constexpr bool limits_each_kernel() noexcept { return true; }
    static constexpr hardware_cost_list hardware_cost(core_shape const&) noexcept { return {}; }
    friend bool operator==(no_limit const&, no_limit const&) = default;
};
static_assert(occupancy_limit<no_limit>);

/// At most a fixed number of CTAs, given at run time: the multithreading degree of the thesis' sweeps
/// (docs/model/dispatch.md#static-limit). A number of 0 is read as 1; at first there is no limit.
class static_limit {
public:
    static constexpr char const* name() noexcept { return "static_limit"; }
    static constexpr char const* summary() noexcept {
        return "at most so many CTAs: a multithreading degree";
    }
    /// More than any core holds.
    static constexpr unsigned most_ctas = 65536;
    constexpr static_limit() = default;
    constexpr explicit static_limit(unsigned ctas_per_core) noexcept
        : most_(ctas_per_core == 0 ? 1 : ctas_per_core) {}

    constexpr unsigned limit(unsigned fit) const noexcept { return fit < most_ ? fit : most_; }
    static constexpr bool steady() noexcept { return true; }
    static constexpr bool limits_each_kernel() noexcept { return true; }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}.add("limit", bits_for(shape.cta_slots));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"ctas", "per core: a multithreading degree", 1, most_ctas}, self.most_);
    }
    friend bool operator==(static_limit const&, static_limit const&) = default;

private:
    unsigned most_ = most_ctas;
};
static_assert(occupancy_limit<static_limit>);

} // namespace warpkit
