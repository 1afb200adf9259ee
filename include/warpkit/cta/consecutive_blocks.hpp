#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/cta/concepts.hpp>

#include <cstdint>
#include <vector>

namespace warpkit {

namespace detail {
struct consecutive_blocks_text {
    static constexpr char const* name() noexcept { return "consecutive_blocks"; }
};
} // namespace detail

/// A core gets Count consecutive CTAs at once, and only when it has room for all of them: what else it could take
/// waits. Cores take turns as in round_robin_dispatch. The last ones of a grid go out together, however few they are; a
/// core that can never hold Count gets as many as it has room for once it is empty, since it would wait forever.
///
/// Source: block CTA scheduling (BCS), Lee et al., HPCA 2014, where Count is 2, as the locality-aware thesis tells of
/// it (sections 2.2 and 5.1; docs/model/dispatch.md#bcs).
/// Differs from BCS: its companion, a warp scheduler that treats the two CTAs alike, is a policy of another seat. Count
/// is fixed by the template argument or given to the constructor; 0 is read as 1.
template <std::uint64_t Count>
class consecutive_blocks {
    static_assert(Count > 0, "warpkit: consecutive_blocks<0> would give nobody anything: give at least 1");

public:
    static constexpr char const* name() noexcept {
        return composed_name<detail::consecutive_blocks_text, number_in_name<Count>>::name();
    }
    static constexpr char const* name() noexcept requires(Count == run_time) {
        return detail::consecutive_blocks_text::name();
    }

    static constexpr char const* summary() noexcept {
        return "consecutive CTAs to one core, when it has room for all (block CTA scheduling)";
    }

    consecutive_blocks() = default;
    /// A number known at run time; 0 is read as 1.
    explicit consecutive_blocks(unsigned count) noexcept requires(Count == run_time)
        : count_(count == 0 ? 1 : count) {}

    cta_assignment choose(core_rooms rooms) const noexcept {
        auto const left = ctas_ - next_cta_;
        if (left == 0) return {};
        auto const wanted = left < count_.get() ? static_cast<unsigned>(left) : count_.get();
        auto core = next_core_;
        for (unsigned tried = 0; tried < rooms.size(); ++tried, ++core) {
            if (core >= rooms.size()) core = 0;
            if (rooms[core] >= wanted) return {core, next_cta_, wanted};
            if (rooms[core] != 0 && resident_[core] == 0) return {core, next_cta_, rooms[core]};
        }
        return {};
    }

    static constexpr bool keeps_order() noexcept { return true; }

    void on(grid_began const& e) {
        ctas_ = e.ctas();
        next_cta_ = 0;
        next_core_ = 0;
        resident_.assign(e.cores, 0);
    }
    void on(cta_dispatched const& e) noexcept {
        next_cta_ = e.linear_id + 1;
        next_core_ = e.core + 1;
        ++resident_[e.core];
    }
    void on(cta_retired const& e) noexcept { --resident_[e.core]; }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}.add("last core", bits_for(shape.cores)).add("next CTA", 32);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"blocks", "consecutive CTAs at once", 1, 65536}, self.count_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(next_cta_, ctas_, next_core_, count_.get(), resident_);
    }
    friend bool operator==(consecutive_blocks const& a, consecutive_blocks const& b) {
        return a.next_cta_ == b.next_cta_ && a.ctas_ == b.ctas_ && a.next_core_ == b.next_core_ &&
               a.count_.get() == b.count_.get() && a.resident_ == b.resident_;
    }

private:
    std::uint64_t next_cta_ = 0;
    std::uint64_t ctas_ = 0;
    unsigned next_core_ = 0;
    [[no_unique_address]] number<unsigned, Count> count_{Count == run_time ? 2
                                                                           : static_cast<unsigned>(Count)};
    std::vector<unsigned> resident_; ///< by core
};

/// Block CTA scheduling: two consecutive CTAs.
template <std::uint64_t Count>
using bcs_of = consecutive_blocks<Count>;
using bcs = bcs_of<2>;
template <>
inline constexpr char const* common_name<bcs> = "bcs";
template <>
inline constexpr char const* common_name<bcs_of<run_time>> = "bcs";
static_assert(cta_choice<bcs> && cta_choice<consecutive_blocks<run_time>>);

} // namespace warpkit
