#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/check.hpp>
#include <warpkit/warp/long_latency.hpp>
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
/// Hardware cost: the line, a slot number per place, and LongLatency's.
template <std::uint64_t M, class LongLatency>
class spinning_two_level {
    static constexpr unsigned most_ = 8;
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

    constexpr spinning_two_level() noexcept { line_up(warp_set::width); }
    /// M known at run time: 1 to 8, the nearest of which is taken.
    constexpr explicit spinning_two_level(unsigned m) noexcept requires(M == run_time)
        : m_(m < 1       ? 1
             : m < most_ ? m
                         : most_) {
        line_up(warp_set::width);
    }

    constexpr warp_set eligible(warp_set candidates) const noexcept {
        auto const leaving = active_ & demoted();
        auto active = active_ - leaving;
        each_newcomer(leaving, [&](warp_slot w) {
            active.insert(w);
            return false;
        });
        return candidates & active;
    }
    constexpr warp_slot pick(warp_set candidates) const noexcept {
        auto const leaving = active_ & demoted();
        if (auto const staying = (candidates & active_) - leaving) return first_of(staying);
        auto first = no_warp;
        if (leaving && candidates)
            each_newcomer(leaving, [&](warp_slot w) {
                if (!candidates.has(w)) return false;
                first = w;
                return true;
            });
        return first;
    }

    constexpr void on(kernel_began const& e) {
        auto const m = m_;
        *this = {};
        m_ = m;
        line_up(e.warp_slots);
        slots_ = e.warp_slots;
        notify(e, long_latency_);
    }
    constexpr void on(scheduler_began const& e) noexcept {
        owned_ = e.owned;
        line_up(slots_);
        notify(e, long_latency_);
    }
    constexpr void on(issued const& e) noexcept {
        if (auto const leaving = active_ & demoted()) spin(leaving);
        spun_ = 1;
        if (active_.contains(e.warp)) turn_behind(e.warp);
        notify(e, long_latency_);
    }
    /// The cycle is over; its spin took place when something issued.
    constexpr void on(cycles_spent const& e) noexcept {
        if (e.count != spun_ && e.cause != cycle_cause::no_cta) {
            auto const leaving = active_ & demoted();
            if (leaving) spin(leaving, e.count - spun_);
        }
        spun_ = 0;
    }
    template <class E>
    requires(hears<waiting_warps, E> || hears<LongLatency, E>) constexpr void on(E const& e) noexcept {
        if constexpr (requires { warp_slot{e.warp}; })
            if (!owned_.contains(e.warp)) return;
        notify(e, warps_, long_latency_);
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
    constexpr void parameters_set() { line_up(warp_set::width); }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(m_.get(), active_, count_, pending_count_, spun_, slots_, owned_, warps_, long_latency_);
        auto w = head_;
        for (auto rest = size(); rest != 0; --rest, w = next(w)) f(w);
    }
    friend constexpr bool operator==(spinning_two_level const& a, spinning_two_level const& b) noexcept {
        if (a.m_.get() != b.m_.get() || a.size() != b.size() || a.head_ != b.head_) return false;
        auto w = a.head_;
        for (auto rest = a.size(); rest != 0; --rest, w = a.next(w))
            if (a.next(w) != b.next(w)) return false;
        return a.spun_ == b.spun_ && a.slots_ == b.slots_ && a.owned_ == b.owned_ && a.warps_ == b.warps_ &&
               a.long_latency_ == b.long_latency_;
    }

private:
    constexpr unsigned size() const noexcept { return count_ + pending_count_; }
    /// Whoever may not stay in the active set.
    constexpr warp_set demoted() const noexcept {
        return ~(warps_.live() - (warps_.at_barrier() | warps_.at_fence())) | long_latency_.warps();
    }

    // The line, a ring of all slots: next_ and prev_ by slot.
    constexpr warp_slot next(warp_slot w) const noexcept { return warp_slot{next_[w.index()]}; }
    constexpr warp_slot prev(warp_slot w) const noexcept { return warp_slot{prev_[w.index()]}; }
    constexpr void link(warp_slot a, warp_slot b) noexcept {
        next_[a.index()] = static_cast<slot_number>(b.index());
        prev_[b.index()] = static_cast<slot_number>(a.index());
    }
    constexpr warp_slot ahead(warp_slot w, unsigned places) const noexcept {
        for (; places != 0; --places) w = next(w);
        return w;
    }
    constexpr void line_up(unsigned slots) noexcept {
        auto const all = owned_ & warp_set::first_n(slots);
        head_ = all.first();
        auto last = head_;
        unsigned places = 0;
        all.for_each([&](warp_slot w) {
            link(last, w);
            last = w;
            ++places;
        });
        if (places != 0) link(last, head_);
        count_ = places < m_.get() ? places : m_.get();
        pending_count_ = places - count_;
        choose_active();
    }
    /// The first of the line are active.
    constexpr void choose_active() noexcept {
        active_ = {};
        auto w = head_;
        for (auto rest = count_; rest != 0; --rest, w = next(w)) active_.insert(w);
        pending_ = w;
    }
    /// The first of these active warps.
    constexpr warp_slot first_of(warp_set among) const noexcept {
        auto others = among;
        others.erase(among.first());
        if (!others) return among.first();
        auto w = head_;
        while (!among.has(w)) w = next(w);
        return w;
    }
    /// Calls f for those who become active when these active warps leave, in their order, until it answers true.
    template <class F>
    constexpr void each_newcomer(warp_set leaving, F&& f) const noexcept {
        auto coming = leaving.size();
        auto w = pending_;
        for (auto rest = pending_count_; rest != 0 && coming != 0; --rest, --coming, w = next(w))
            if (f(w)) return;
        for (w = head_; coming != 0; w = next(w)) // nobody else is there: they come back at once
            if (leaving.has(w)) {
                if (f(w)) return;
                --coming;
            }
    }

    /// Steps 1 and 2: these active warps go to the back of the line.
    constexpr void spin(warp_set leaving) noexcept {
        if (leaving == active_ && pending_count_ != 0) {
            head_ = pending_;
        } else {
            auto w = head_;
            for (auto rest = count_; rest != 0; --rest) {
                auto const behind = next(w);
                if (leaving.has(w)) move_to_back(w);
                w = behind;
            }
        }
        choose_active();
    }
    constexpr void move_to_back(warp_slot w) noexcept {
        if (w == head_) {
            head_ = next(w);
            return;
        }
        link(prev(w), next(w));
        link(prev(head_), w);
        link(w, head_);
    }
    /// As often as that, in which time nothing else happens.
    constexpr void spin(warp_set leaving, cycle times) noexcept {
        auto const stuck = demoted();
        auto const all = owned_ & warp_set::first_n(slots_);
        for (;;) {
            auto const stay = active_ - leaving;
            spin(leaving);
            if (--times == 0) return;
            leaving = active_ & stuck;
            if (!leaving) return;
            if (active_ - stay != leaving) continue; // of the newcomers, some stay
            // Who stays is in front of the line, and behind them all are stuck up to the first who is not.
            auto const moving = leaving.size();
            auto const others = moving + pending_count_;
            auto const free = (all - active_) - stuck;
            auto spins = times;
            if (free) {
                unsigned places = 0;
                for (auto w = pending_; !free.has(w); w = next(w)) ++places;
                auto const until = places / moving + 1;
                if (until < spins) spins = until;
            }
            pass_by(count_ - moving, static_cast<unsigned>(spins * moving % others));
            times -= spins;
            leaving = active_ & stuck;
            if (times == 0 || !leaving) return;
        }
    }
    /// So many of those behind the first `staying` of the line go to the back of it.
    constexpr void pass_by(unsigned staying, unsigned places) noexcept {
        if (places != 0 && staying == 0) {
            head_ = ahead(head_, places);
        } else if (places != 0) {
            auto const last_staying = ahead(head_, staying - 1);
            auto const first = next(last_staying);
            auto const last = ahead(first, places - 1);
            auto const back = prev(head_);
            link(last_staying, next(last));
            link(back, first);
            link(last, head_);
        }
        choose_active();
    }
    /// Rotates the active ones until `w`, which is one of them, is the last.
    constexpr void turn_behind(warp_slot w) noexcept {
        auto const first = next(w);
        if (pending_count_ == 0) {
            head_ = first;
            return;
        }
        if (first == pending_) return;
        auto const back = prev(head_);
        link(prev(pending_), head_);
        link(back, first);
        link(w, pending_);
        head_ = first;
    }

    warp_slot head_;    ///< the first of the line
    warp_slot pending_; ///< the first of those that are not active
    warp_set active_;
    unsigned count_ = 0; ///< active ones
    unsigned pending_count_ = 0;
    unsigned spun_ = 0; ///< 1: this cycle's spin has taken place
    unsigned slots_ = warp_set::width;
    warp_set owned_ = ~warp_set{};
    waiting_warps warps_;
    [[no_unique_address]] number<unsigned, M> m_{M == run_time ? 6 : static_cast<unsigned>(M)};
    [[no_unique_address]] LongLatency long_latency_;
    slot_number next_[warp_set::width]{};
    slot_number prev_[warp_set::width]{};
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
