#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/warp/check.hpp>
#include <warpkit/warp/long_latency.hpp>
#include <warpkit/warp/spinning_line.hpp>
#include <warpkit/warp/waiting_warps.hpp>

#include <cstdint>

namespace warpkit {

namespace detail {
struct spinning_two_level_text {
    static constexpr char const* name() noexcept { return "spinning_two_level"; }
};
} // namespace detail

/// GPGPU-Sim's `two_level_active:M:0:1` (docs/model/warp_scheduling.md#gpgpusim-two-level), M at most 8. All warp slots
/// of the scheduler, empty or not, are in a line: the first M are active, the others pending. Each cycle, in this
/// order:
///   1. Active warps that are at a barrier or fence, or not there, or that LongLatency says wait for a load, go to the
///      back of the line.
///   2. So those at the front of the pending ones are active, ready or not. They may issue in this cycle.
///   3. The first active candidate issues, and the active ones rotate so that it is the last of them.
/// A warp is not asked whether it is ready when it becomes active; so while many wait, the line spins.
///
/// LongLatency: `waits_for_load`, or `sticky_load_marks` for what GPGPU-Sim really does (`gpgpusim_compat`): its marks
/// outlive their loads, and ready warps spin with the others.
/// Differs from GPGPU-Sim: the line is in slot order again when a kernel begins. A core without any CTA does not spin
/// (there neither). See LongLatency for the rest.
/// Cycles in which nobody comes or goes who stays are counted and made up for later (spinning_line), so that a change
/// of state costs most, and a pick among those who stay a few words.
/// Hardware cost: the line, a slot number per place, and LongLatency's.
template <std::uint64_t M, class LongLatency>
class spinning_two_level {
    static constexpr unsigned most_ = detail::spinning_line::most_active;
    static_assert(M == run_time || (M >= 1 && M <= most_),
                  "warpkit: spinning_two_level<M> needs M from 1 to 8");
    static_assert(
        requires(LongLatency const& l) {
            { l.warps() } -> std::same_as<warp_set>;
        },
        "warpkit: the second argument of spinning_two_level<> needs `warp_set warps() const "
        "noexcept`");
    static_assert(detail::check_warp_listener<LongLatency>());

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept {
        return composed_name<detail::spinning_two_level_text, number_in_name<M>, LongLatency>::name();
    }
    static constexpr char const* name() noexcept requires(M == run_time) {
        return composed_name<detail::spinning_two_level_text, LongLatency>::name();
    }

    constexpr spinning_two_level() noexcept { line_up(); }
    /// M known at run time: 1 to 8, the nearest of which is taken.
    constexpr explicit spinning_two_level(unsigned m) noexcept requires(M == run_time)
        : m_(m < 1       ? 1
             : m < most_ ? m
                         : most_) {
        line_up();
    }

    constexpr warp_set eligible(warp_set candidates) const noexcept {
        auto line = line_;
        if (turned_) line.turn_staying(stuck_, turned_);
        line.spin(stuck_, due_ + 1, next_free_);
        return candidates & line.active();
    }
    constexpr warp_slot pick(warp_set candidates) const noexcept {
        // Who stays keeps his place before all newcomers, however often the line spins.
        if (auto const staying = (candidates & line_.active()) - stuck_)
            return line_.first_of(staying, turned_);
        if (due_ + 1 < next_free_ && !(candidates & stuck_)) return no_warp;
        return pick_of_newcomers(candidates);
    }

    constexpr void on(kernel_began const& e) {
        slots_ = e.warp_slots;
        owned_ = ~warp_set{};
        spun_ = 0;
        notify(e, warps_, long_latency_);
        line_up();
    }
    constexpr void on(scheduler_began const& e) noexcept {
        owned_ = e.owned;
        line_up();
        notify(e, long_latency_);
    }
    constexpr void on(issued const& e) noexcept {
        spun_ = 1;
        if (!(line_.active() & stuck_)) { // nobody leaves: no spin changes anything
            due_ = 0;
            if (line_.active().contains(e.warp)) line_.turn_behind(e.warp);
        } else if (due_ + 1 < next_free_ && (line_.active() - stuck_).contains(e.warp)) {
            ++due_; // the spin of this cycle; behind it those who stay turn, when somebody looks
            turned_before_ = turned_;
            turned_ = e.warp;
            spun_since_ = false;
        } else {
            issue_while_some_leave(e.warp);
        }
        if constexpr (hears<LongLatency, issued>) tell(e);
    }
    /// The cycle is over; its spin took place when something issued.
    constexpr void on(cycles_spent const& e) noexcept {
        auto const spins = e.count - spun_;
        spun_ = 0;
        if (spins == 0 || e.cause == cycle_cause::no_cta) return;
        spun_since_ = true;
        due_ += spins;
        if (due_ >= next_free_) catch_up();
    }
    template <class E>
    requires(hears<waiting_warps, E> || hears<LongLatency, E>) constexpr void on(E const& e) noexcept {
        if constexpr (requires { warp_slot{e.warp}; })
            if (!owned_.contains(e.warp)) return;
        tell(e);
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        auto const n = std::uint64_t{shape.warps_per_scheduler()};
        return hardware_cost_list{}
            .add("line of warps", shape.schedulers * n * bits_for(n))
            .add("live and waiting warps", 2 * std::uint64_t{shape.warp_slots})
            .add(hardware_cost_of<LongLatency>(shape));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"active", "warp slots of each scheduler that may issue", 1, most_}, self.m_);
        each_parameter_of(f, self.long_latency_);
    }
    constexpr void parameters_set() { line_up(); }
    /// What is due is no state of its own: cycles told one by one and all at once are the same.
    WARPKIT_STORED_MEMBERS(13)
    template <class F>
    constexpr void each_member(F&& f) const {
        auto const line = settled();
        f(m_.get(), line, spun_, slots_, owned_, warps_, long_latency_);
    }
    friend constexpr bool operator==(spinning_two_level const& a, spinning_two_level const& b) noexcept {
        return a.m_.get() == b.m_.get() && a.settled() == b.settled() && a.spun_ == b.spun_ &&
               a.slots_ == b.slots_ && a.owned_ == b.owned_ && a.warps_ == b.warps_ &&
               a.long_latency_ == b.long_latency_;
    }

private:
    /// Whoever may not stay in the active set.
    constexpr warp_set demoted() const noexcept {
        return ~(warps_.live() - (warps_.at_barrier() | warps_.at_fence())) | long_latency_.warps();
    }
    constexpr void line_up() noexcept {
        line_.begin(owned_ & warp_set::first_n(slots_), m_.get());
        due_ = 0;
        turned_ = turned_before_ = no_warp;
        stuck_ = demoted();
        look();
    }
    // What is not done each cycle is not inlined, so that what is pays nothing for it.
    [[gnu::noinline]] constexpr warp_slot pick_of_newcomers(warp_set candidates) const noexcept {
        auto line = line_; // as it is after the spins that are due and the one of the cycle that begins
        if (turned_) line.turn_staying(stuck_, turned_);
        line.spin(stuck_, due_ + 1, next_free_);
        auto const active = candidates & line.active();
        return active ? line.first_of(active) : no_warp;
    }
    [[gnu::noinline]] constexpr void issue_while_some_leave(warp_slot w) noexcept {
        ++due_;
        spun_since_ = true;
        settle();
        if (line_.active().contains(w)) line_.turn_behind(w);
        look();
    }
    /// An event may change who is stuck: what is due until then is made up for with those who were.
    template <class E>
    constexpr void tell(E const& e) noexcept {
        if constexpr (std::same_as<E, issued>)
            long_latency_.on(e);
        else
            notify(e, warps_, long_latency_);
        if (auto const now = demoted(); now != stuck_) change(now);
    }
    [[gnu::noinline]] constexpr void change(warp_set now) noexcept {
        settle();
        stuck_ = now;
        look();
    }
    [[gnu::noinline]] constexpr void catch_up() noexcept {
        settle();
        look();
    }
    constexpr void settle() noexcept {
        make_up_for(line_);
        due_ = 0;
        turned_ = turned_before_ = no_warp;
    }
    constexpr void make_up_for(detail::spinning_line& line) const noexcept {
        // Before anybody comes who stays.
        if (auto const last = spun_since_ ? turned_ : turned_before_) line.turn_staying(stuck_, last);
        line.spin(stuck_, due_, next_free_);
        if (turned_ && !spun_since_) line.turn_behind(turned_);
    }
    constexpr detail::spinning_line settled() const noexcept {
        auto line = line_;
        make_up_for(line);
        return line;
    }
    constexpr void look() noexcept { next_free_ = line_.spins_until_free(stuck_); }

    detail::spinning_line line_; ///< before the spins that are due, and before the active ones turn
    /// Who issued last since these spins began, if the active ones are to turn behind it. Those who stay only turn as
    /// they stand, whoever issues, so that the last issuer says how; and the one before, where those who leave are in
    /// between.
    warp_slot turned_;
    warp_slot turned_before_;
    bool spun_since_ = false; ///< the others have moved on since: those who stay turn alone
    cycle due_ = 0;
    cycle next_free_ = never; ///< with so many spins due the next warp comes that stays
    unsigned spun_ = 0;       ///< 1: this cycle's spin has taken place
    unsigned slots_ = warp_set::width;
    warp_set owned_ = ~warp_set{};
    warp_set stuck_; ///< demoted(), as it was when the line was looked at
    waiting_warps warps_;
    [[no_unique_address]] number<unsigned, M> m_{M == run_time ? 6 : static_cast<unsigned>(M)};
    [[no_unique_address]] LongLatency long_latency_;
};
static_assert(warp_scheduler<spinning_two_level<>> &&
              warp_scheduler<spinning_two_level<6, sticky_load_marks>>);

/// `two_level_active:6:0:1` with marks as they should be.
template <std::uint64_t M>
using two_level_gpgpusim_of = spinning_two_level<M>;
using two_level_gpgpusim = two_level_gpgpusim_of<6>;
/// The same with the marks that GPGPU-Sim has: what ELF calls 2-LV.
template <std::uint64_t M>
using two_level_gpgpusim_compat_of = spinning_two_level<M, sticky_load_marks>;
using two_level_gpgpusim_compat = two_level_gpgpusim_compat_of<6>;
template <>
inline constexpr char const* common_name<two_level_gpgpusim> = "two_level_gpgpusim";
template <>
inline constexpr char const* common_name<two_level_gpgpusim_compat> = "two_level_gpgpusim_compat";
template <>
inline constexpr char const* common_name<two_level_gpgpusim_of<run_time>> = "two_level_gpgpusim";
template <>
inline constexpr char const* common_name<two_level_gpgpusim_compat_of<run_time>> =
    "two_level_gpgpusim_compat";

} // namespace warpkit
