#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/age_matrix.hpp>
#include <warpkit/warp/concepts.hpp>
#include <warpkit/warp/waiting_warps.hpp>

namespace warpkit {

namespace detail {
struct oldest_n_text {
    static constexpr char const* name() noexcept { return "oldest_n"; }
};
} // namespace detail

/// Eligible are the N oldest live warps of the scheduler, and, as long as the last admitted one is stuck at a barrier
/// or a fence, the next oldest as well: without that, N warps could wait at a barrier for siblings that may never run.
/// N is fixed by the template argument, or given to the constructor; at least 1.
/// Source: static wavefront limiting of Rogers, O'Connor and Aamodt, MICRO 2012, with the barrier rule of the CCWS
/// authors' code (docs/model/warp_scheduling.md#static-limit).
/// Differs from GPGPU-Sim's `warp_limiting`, which admits the greedy warp beyond the N oldest: here the greedy warp
/// must be one of them. Hardware cost: an age matrix and a mask of warps that are stuck, and one of warps that may
/// compete.
template <std::uint64_t N>
class oldest_n {
    static_assert(N > 0, "warpkit: oldest_n<0> would let no warp run: give at least 1");

public:
    static constexpr char const* name() noexcept {
        return composed_name<detail::oldest_n_text, number_in_name<N>>::name();
    }
    static constexpr char const* name() noexcept requires(N == run_time) { return "oldest_n"; }

    constexpr oldest_n() = default;
    /// A limit known at run time; 0 is read as 1.
    constexpr explicit oldest_n(unsigned limit) noexcept requires(N == run_time)
        : limit_(limit == 0 ? 1 : limit) {}

    constexpr warp_set eligible(warp_set candidates) const noexcept { return candidates & admitted_; }

    constexpr void on(kernel_began const& e) noexcept {
        auto const limit = limit_;
        *this = {};
        limit_ = limit;
        warps_.on(e);
    }
    constexpr void on(scheduler_began const& e) noexcept {
        owned_ = e.owned;
        admit();
    }
    constexpr void on(cta_launched const& e) noexcept {
        age_.launch(e.warps);
        warps_.on(e);
        admit();
    }
    constexpr void on(warp_exited const& e) noexcept { change(e); }
    constexpr void on(blocked const& e) noexcept {
        if (e.reason == block_reason::barrier || e.reason == block_reason::fence) change(e);
    }
    constexpr void on(unblocked const& e) noexcept {
        if (e.reason == block_reason::barrier || e.reason == block_reason::fence) change(e);
    }
    constexpr void on(barrier_arrived const& e) noexcept { change(e); }
    constexpr void on(barrier_released const& e) noexcept { change(e); }

    /// The warps that may compete now.
    constexpr warp_set admitted() const noexcept { return admitted_; }
    constexpr unsigned limit() const noexcept { return limit_; }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        auto const n = std::uint64_t{shape.warps_per_scheduler()};
        return hardware_cost_list{}
            .add("age matrix", shape.schedulers * (n * (n - 1) / 2))
            .add("stuck warps", shape.schedulers * n)
            .add("admitted warps", shape.schedulers * n);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"warps", "the oldest ones of each scheduler, which may issue", 1, warp_set::width},
          self.limit_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(age_, warps_, owned_, admitted_, limit_.get());
    }
    friend bool operator==(oldest_n const&, oldest_n const&) = default;

private:
    template <class E>
    constexpr void change(E const& e) noexcept {
        warps_.on(e);
        admit();
    }
    constexpr void admit() noexcept {
        auto waiting = warps_.live() & owned_;
        auto const stuck = warps_.at_barrier() | warps_.at_fence();
        admitted_ = {};
        for (unsigned n = 0; waiting; ++n) {
            auto const next = age_.oldest_of(waiting);
            waiting.erase(next);
            admitted_.insert(next);
            if (n + 1 >= limit_.get() && !stuck.contains(next)) break;
        }
    }

    age_matrix age_;
    waiting_warps warps_;
    warp_set owned_ = ~warp_set{};
    warp_set admitted_;
    [[no_unique_address]] number<unsigned, N> limit_{N == run_time ? warp_set::width
                                                                   : static_cast<unsigned>(N)};
};
static_assert(eligibility<oldest_n<4>> && eligibility<oldest_n<>> && hears<oldest_n<4>, cta_launched>);

} // namespace warpkit
