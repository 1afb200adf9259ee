#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/fetch/concepts.hpp>
#include <warpkit/fetch/prefetched_lines.hpp>

#include <cstdint>

namespace warpkit::fetch {

/// The line behind the one that was fetched from, if fewer than Threshold misses occupy MSHRs in the L1 instruction and
/// L1 data caches together. 0 switches it off. Threshold is fixed, or `run_time` and given to the constructor.
///
/// It looks ahead when a fetch misses, and when one finds for the first time a line that was prefetched (there, or
/// still on its way), so that straight code stays one line ahead.
/// Source: ELF, Park, Park and Mahlke, SC 2015, section 3.5 (next line, threshold 16); the trigger is that of tagged
/// prefetching, as the paper names none (docs/model/front_end.md#next-line). Never across the end of a kernel: that is
/// the host's business. Hardware cost: one bit per line of the L1 instruction cache, 16 in a GTX480's core; here a
/// table of 64 lines.
template <std::uint64_t Threshold = 16>
class next_line {
    struct text {
        static constexpr char const* name() noexcept { return "next_line"; }
    };

public:
    static constexpr char const* name() noexcept {
        return composed_name<text, number_in_name<Threshold>>::name();
    }
    static constexpr char const* name() noexcept requires(Threshold == run_time) { return "next_line"; }

    constexpr next_line() = default;
    constexpr explicit next_line(unsigned threshold) noexcept requires(Threshold == run_time)
        : threshold_(threshold) {}

    constexpr bool wants(fetched const& e, unsigned occupied) const noexcept {
        if (occupied >= threshold_ || e.outcome == cache_outcome::reservation_fail) return false;
        bool const there = e.outcome == cache_outcome::hit || e.outcome == cache_outcome::hit_reserved;
        return !there || ahead_.has(e.line);
    }

    constexpr void on(fetched const& e) noexcept {
        if (e.outcome != cache_outcome::reservation_fail) ahead_.erase(e.line);
    }
    constexpr void on(prefetched const& e) noexcept { ahead_.insert(e.line); }
    constexpr void on(kernel_began const&) noexcept { ahead_ = {}; }

    static constexpr hardware_cost_list hardware_cost(core_shape const&) noexcept {
        return hardware_cost_list{}.add("prefetched lines not used yet", 16);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"threshold", "occupied MSHRs of the L1I and L1D from which on nothing is prefetched", 0,
                    65536},
          self.threshold_);
    }
    WARPKIT_STORED_MEMBERS(2)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(threshold_.get());
        ahead_.each_member(f);
    }
    friend bool operator==(next_line const&, next_line const&) = default;

private:
    prefetched_lines ahead_;
    [[no_unique_address]] number<unsigned, Threshold> threshold_{
        Threshold == run_time ? 16 : static_cast<unsigned>(Threshold)};
};
static_assert(instruction_prefetch<next_line<>> && hears<next_line<>, prefetched>);

} // namespace warpkit::fetch
