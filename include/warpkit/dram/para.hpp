#pragma once
/// \file
/// PARA: a neighbour of one opened row in so many is refreshed.

#include <warpkit/base/error.hpp>
#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/victim_refresh.hpp>

#include <cstdint>

namespace warpkit::dram {

/// Each activate has one of the row's two neighbours refreshed with a small probability; nothing is remembered.
/// Source: Kim et al., Flipping Bits in Memory Without Accessing Them, ISCA 2014, section 8.2 (PARA).
/// Differs from the source: the paper draws when the row is closed; here when it is opened, which is as often.
class para {
public:
    std::uint32_t per_million = 1000; ///< activates of a million that are answered; the paper has 1,000
    std::uint64_t seed = 1;

    static constexpr char const* name() noexcept { return "para"; }
    void attach(timing const& t) {
        if (per_million > 1'000'000)
            raise_error(error({"dram plug-in para: per_million = ", per_million,
                               " is above a million; nearest legal value: 1000000"}));
        table_ = t;
        ready_.attach(64);
    }
    void on(command const& c) noexcept {
        if (c.kind != command_kind::activate) return;
        if (hasher::mix(seed + ++drawn_ * 0x9e3779b97f4a7c15U) % 1'000'000 < per_million)
            ready_.add(detail::victims_of(c, table_, 1));
    }
    bool next(refresh_order& o) noexcept { return ready_.next(o); }
    std::uint64_t lost() const noexcept { return ready_.lost(); }
    static constexpr hardware_cost_list hardware_cost(controller_shape const&) noexcept {
        return hardware_cost_list().add("pseudo-random number", 64);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"per_million", "activates of a million that refresh a neighbour"}, self.per_million);
    }
    WARPKIT_STORED_MEMBERS(5)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(per_million, seed, drawn_, ready_);
    }
    friend bool operator==(para const&, para const&) = default;

private:
    std::uint64_t drawn_ = 0;
    detail::ready_orders ready_;
    timing table_;
};

static_assert(controller_plugin<para>);

} // namespace warpkit::dram
