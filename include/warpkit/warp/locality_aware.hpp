#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/warp/age_matrix.hpp>
#include <warpkit/warp/concepts.hpp>
#include <warpkit/warp/locality_table.hpp>
#include <warpkit/warp/waiting_warps.hpp>

#include <cstdint>

namespace warpkit {

namespace detail {
struct locality_aware_text {
    static constexpr char const* name() noexcept { return "locality_aware_two_level"; }
};
} // namespace detail

/// The locality-aware two-level scheduler: warps that touch the same parts of memory run at about the same time.
///
/// Each scheduler has an active set of at most Active of its warps; the others are pending. Of the active candidates,
/// the last issuer goes on while it can; otherwise, the one with the greatest locality degree to the last issuer. A
/// warp that waits for memory, at a barrier or at a fence leaves the set, and the pending warp that waits for nothing
/// of that kind and has the greatest locality, summed over the active ones, takes the place; if there is none, the next
/// that wakes. Ties go to the oldest. Warps whose CTA is starving (more than 2 N further CTAs have been launched on the
/// core since; N: the most that fit; Patience is that 2) come before all others, into the set and out of it, and issue
/// even while pending. Without footprints (base/footprint.hpp) it is greedy-then-oldest over an active set.
///
/// Source: Chen, Improving GPU Memory Performance via Address Pre-computation, thesis 2016, section 3.4.2
/// (docs/model/warp_scheduling.md#locality).
/// Differs from the thesis, where it is silent: 8 active warps; ties; one active set per scheduler; barriers and fences
/// are long stalls, since the warps that an active set would wait for there may be pending. Active is fixed by the
/// template argument or given to the constructor; at least 1. Patience is fixed with it. Hardware cost: the thesis's
/// table 5.2, and what it leaves out: who is active, the ages of CTAs, the last issuer.
template <std::uint64_t Active>
class locality_aware_two_level {
    static_assert(Active > 0, "warpkit: locality_aware_two_level<0> would let no warp run: give at least 1");

public:
    static constexpr char const* name() noexcept {
        return composed_name<detail::locality_aware_text, number_in_name<Active>>::name();
    }
    static constexpr char const* name() noexcept requires(Active == run_time) {
        return detail::locality_aware_text::name();
    }

    constexpr locality_aware_two_level() = default;
    /// An active set of a size known at run time; 0 is read as 1.
    constexpr explicit locality_aware_two_level(unsigned active) noexcept requires(Active == run_time)
        : limit_(active == 0 ? 1 : active) {}

    /// Active candidates, and starving ones.
    constexpr warp_set eligible(warp_set candidates) const noexcept {
        return candidates & (active_ | starving_);
    }
    constexpr warp_slot pick(warp_set candidates) const noexcept {
        auto choice = eligible(candidates);
        if (auto const first = choice & starving_) choice = first;
        if (choice.contains(last_)) return last_;
        if (last_) choice = table_.nearest(last_, choice);
        return age_.oldest_of(choice);
    }

    constexpr void on(issued const& e) noexcept { last_ = e.warp; }
    constexpr void on(kernel_began const& e) {
        auto const limit = limit_;
        auto const rounds = rounds_;
        *this = {};
        limit_ = limit;
        rounds_ = rounds;
        patience_ = rounds_.get() * std::uint64_t{e.ctas_per_core};
    }
    constexpr void on(scheduler_began const& e) noexcept {
        owned_ = e.owned;
        fill();
    }
    constexpr void on(cta_launched const& e) noexcept {
        auto const mine = e.warps & owned_;
        if (last_ && mine.contains(last_)) last_ = no_warp;
        mine.for_each([&](warp_slot w) {
            leave(w);
            table_.forget(w);
            cta_[w.index()] = launched_;
        });
        ++launched_;
        warps_.on(cta_launched{e.cta, e.linear_id, mine, e.at});
        starving_ -= mine;
        if (launched_ > next_starving_) look_for_starving();
        if (!mine) return;
        age_.launch(mine);
        starves_at(launched_ - 1);
        fill();
    }
    constexpr void on(footprint_known const& e) noexcept {
        if (owned_.contains(e.warp)) table_.learn(e.warp, e.footprint);
    }
    constexpr void on(warp_exited const& e) noexcept {
        if (!owned_.contains(e.warp)) return;
        warps_.on(e);
        starving_.erase(e.warp);
        leave(e.warp);
        fill();
    }
    constexpr void on(blocked const& e) noexcept {
        if (e.reason != block_reason::dependency) change(e);
    }
    constexpr void on(unblocked const& e) noexcept {
        if (e.reason != block_reason::dependency) change(e);
    }
    constexpr void on(barrier_arrived const& e) noexcept {
        if (e.waits) change(e);
    }
    constexpr void on(barrier_released const& e) noexcept {
        warps_.on(e);
        fill();
    }

    constexpr warp_set active() const noexcept { return active_; }
    constexpr warp_set starving() const noexcept { return starving_; }
    constexpr locality_table const& table() const noexcept { return table_; }
    constexpr unsigned limit() const noexcept { return limit_.get(); }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        auto const w = std::uint64_t{shape.warp_slots};
        constexpr auto footprint_bits =
            warp_footprint::arrays * (warp_footprint::region_bits + warp_footprint::subregions);
        return hardware_cost_list{}
            .add("locality degree table", w * (w - 1) / 2 * 8)
            .add("warp access ranges", w * footprint_bits)
            .add("active warps", w)
            .add("CTA ages", shape.cta_slots * (bits_for(2 * shape.cta_slots + 2)))
            .add("last issuer", shape.schedulers * bits_for(shape.warps_per_scheduler()));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"active", "warps of each scheduler that may issue", 1, warp_set::width}, self.limit_);
        f(parameter{"patience",
                    "launches on the core that a CTA sees go by before it starves, in CTAs that fit", 0,
                    1'000'000},
          self.rounds_);
    }
    WARPKIT_STORED_MEMBERS(14)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(table_, age_, warps_, owned_, active_, starving_, last_, limit_.get(), rounds_.get(), patience_,
          launched_, next_starving_, cta_);
    }
    friend bool operator==(locality_aware_two_level const&, locality_aware_two_level const&) = default;

private:
    template <class E>
    constexpr void change(E const& e) noexcept {
        if (!owned_.contains(e.warp)) return;
        warps_.on(e);
        if (active_.contains(e.warp) && !warps_.going().contains(e.warp)) leave(e.warp);
        fill();
    }
    constexpr void join(warp_slot w) noexcept {
        active_.insert(w);
        ++members_;
    }
    constexpr void leave(warp_slot w) noexcept {
        if (!active_.contains(w)) return;
        active_.erase(w);
        --members_;
    }
    /// Promotes pending warps as long as there is room.
    constexpr void fill() noexcept {
        while (members_ < limit_.get()) {
            auto ready = (warps_.going() & owned_) - active_;
            if (!ready) return;
            if (auto const first = ready & starving_) ready = first;
            auto others = ready;
            others.erase(ready.first());
            join(others ? age_.oldest_of(nearest_to_active(ready)) : ready.first());
        }
    }
    /// Those with the greatest locality, summed over the active ones. Seldom are there several to choose from.
    [[gnu::noinline]] constexpr warp_set nearest_to_active(warp_set ready) const noexcept {
        warp_set best;
        unsigned most = 0;
        ready.for_each([&](warp_slot w) {
            unsigned sum = 0;
            (table_.sharing(w) & active_).for_each([&](warp_slot a) { sum += table_.degree(w, a); });
            if (sum < most) return;
            if (sum > most) best = {};
            most = sum;
            best.insert(w);
        });
        return best;
    }
    /// A CTA that was launched when `before` others had been starves when more have been than it has patience for.
    constexpr void starves_at(std::uint64_t before) noexcept {
        auto const last = patience_ < never - before - 1 ? before + patience_ + 1 : never;
        if (last < next_starving_) next_starving_ = last;
    }
    constexpr void look_for_starving() noexcept {
        next_starving_ = never;
        (warps_.live() & owned_).for_each([this](warp_slot w) {
            auto const before = cta_[w.index()];
            if (launched_ - 1 - before > patience_)
                starving_.insert(w);
            else
                starves_at(before);
        });
    }

    locality_table table_;
    age_matrix age_;
    waiting_warps warps_;
    warp_set owned_ = ~warp_set{};
    warp_set active_;
    warp_set starving_;
    std::uint64_t patience_ = never;       ///< launches on the core that a CTA may see go by
    std::uint64_t launched_ = 0;           ///< CTAs on this core so far
    std::uint64_t next_starving_ = never;  ///< nobody begins to starve before more have been launched
    std::uint64_t cta_[warp_set::width]{}; ///< by warp: how many had been launched before its own
    unsigned members_ = 0;                 ///< of the active set
    [[no_unique_address]] number<unsigned, Active> limit_{Active == run_time ? 8
                                                                             : static_cast<unsigned>(Active)};
    [[no_unique_address]] number<unsigned, Active == run_time ? run_time : 2> rounds_{2};
    warp_slot last_;
};

/// The locality-aware two-level scheduler with an active set of 8 warps per scheduler; of another size, or with its
/// numbers set by name, locality_aware_of<run_time>.
template <std::uint64_t Active>
using locality_aware_of = locality_aware_two_level<Active>;
using locality_aware = locality_aware_of<8>;
template <>
inline constexpr char const* common_name<locality_aware> = "locality_aware";
template <>
inline constexpr char const* common_name<locality_aware_of<run_time>> = "locality_aware";
static_assert(warp_scheduler<locality_aware> && narrows<locality_aware> &&
              hears<locality_aware, footprint_known>);

} // namespace warpkit
