#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/light_error.hpp>
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
    static constexpr unsigned most_ = 8; ///< slots are bytes of a word
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
        if (!leaving_) return candidates & active_;
        auto coming = leaving_.size();
        auto active = active_ - leaving_;
        for (unsigned k = 0; k < pending_count_ && coming != 0; ++k, --coming) active.insert(pending(k));
        for (unsigned k = 0; coming != 0; ++k) // nobody else is there: they come back at once
            if (leaving_.contains(place(k))) {
                active.insert(place(k));
                --coming;
            }
        return candidates & active;
    }
    constexpr warp_slot pick(warp_set candidates) const noexcept {
        if (auto const staying = (candidates & active_) - leaving_) {
            auto line = line_;
            while (!staying.contains(warp_slot{static_cast<unsigned>(line) & index_bits_})) line >>= 8;
            return slot_at(line);
        }
        if (!leaving_ || !candidates) return no_warp;
        auto coming = leaving_.size();
        for (unsigned k = 0; k < pending_count_ && coming != 0; ++k, --coming)
            if (candidates.contains(pending(k))) return pending(k);
        for (unsigned k = 0; coming != 0; ++k)
            if (leaving_.contains(place(k))) {
                if (candidates.contains(place(k))) return place(k);
                --coming;
            }
        return no_warp;
    }

    /// Throws `light_error` where a core has more slots than bytes can tell apart.
    constexpr void on(kernel_began const& e) {
        if (e.warp_slots > 256)
            raise_error(
                light_error("two_level_gpgpusim keeps slots in bytes: its cores have at most 256 warps"));
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
        if (leaving_) spin();
        spun_ = 1;
        if (active_.contains(e.warp)) turn_behind(e.warp);
        if constexpr (hears<LongLatency, issued>) {
            long_latency_.on(e);
            look();
        }
    }
    /// The cycle is over; its spin took place when something issued.
    constexpr void on(cycles_spent const& e) noexcept {
        if (leaving_ && e.cause != cycle_cause::no_cta && e.count != spun_) spin(e.count - spun_);
        spun_ = 0;
    }
    template <class E>
    requires(hears<waiting_warps, E> || hears<LongLatency, E>) constexpr void on(E const& e) noexcept {
        notify(e, warps_, long_latency_);
        look();
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
        f(m_.get(), line_, active_, count_, pending_count_, spun_, slots_, owned_, warps_, long_latency_);
        for (unsigned k = 0; k < pending_count_; ++k) f(pending_[(head_ + k) % warp_set::width]);
    }
    friend constexpr bool operator==(spinning_two_level const& a, spinning_two_level const& b) noexcept {
        if (a.m_.get() != b.m_.get() || a.line_ != b.line_ || a.count_ != b.count_ ||
            a.pending_count_ != b.pending_count_)
            return false;
        for (unsigned k = 0; k < a.pending_count_; ++k)
            if (a.pending(k) != b.pending(k)) return false;
        return a.spun_ == b.spun_ && a.slots_ == b.slots_ && a.owned_ == b.owned_ && a.warps_ == b.warps_ &&
               a.long_latency_ == b.long_latency_;
    }

private:
    /// Tells a compiler, where it can, that a slot lies in the set.
    static constexpr unsigned index_bits_ =
        (warp_set::width & (warp_set::width - 1)) == 0 ? warp_set::width - 1 : 0xff;
    static constexpr warp_slot slot_at(std::uint64_t line) noexcept {
        return warp_slot{static_cast<unsigned>(line & 0xff)};
    }
    constexpr warp_slot place(unsigned k) const noexcept { return slot_at(line_ >> 8 * k); }
    constexpr warp_slot pending(unsigned k) const noexcept {
        return warp_slot{pending_[(head_ + k) % warp_set::width]};
    }
    constexpr void look() noexcept { leaving_ = active_ & demoted(); }
    /// Whoever may not stay in the active set.
    constexpr warp_set demoted() const noexcept {
        return ~(warps_.live() - (warps_.at_barrier() | warps_.at_fence())) | long_latency_.warps();
    }
    constexpr void line_up(unsigned slots) noexcept {
        line_ = 0;
        active_ = {};
        count_ = pending_count_ = head_ = 0;
        (owned_ & warp_set::first_n(slots)).for_each([this](warp_slot w) {
            if (count_ < m_.get())
                append(w);
            else
                pending_[pending_count_++] = static_cast<slot_number>(w.index());
        });
        look();
    }
    /// To the back of the active ones.
    constexpr void append(warp_slot w) noexcept {
        line_ |= std::uint64_t{w.index()} << 8 * count_++;
        active_.insert(w);
    }
    constexpr void push_pending(warp_slot w) noexcept {
        pending_[(head_ + pending_count_++) % warp_set::width] = static_cast<slot_number>(w.index());
    }
    constexpr warp_slot pop_pending() noexcept {
        auto const w = pending(0);
        head_ = (head_ + 1) % warp_set::width;
        --pending_count_;
        return w;
    }
    /// Steps 1 and 2; precondition: somebody is demoted.
    constexpr void spin() noexcept {
        auto const leaving = leaving_;
        auto line = line_;
        auto const before = count_;
        line_ = 0;
        active_ = {};
        count_ = 0;
        for (unsigned k = 0; k < before; ++k, line >>= 8)
            if (leaving.contains(slot_at(line)))
                push_pending(slot_at(line));
            else
                append(slot_at(line));
        while (count_ < before) append(pop_pending());
        look();
    }
    /// As often as that, in which time nothing else happens.
    constexpr void spin(cycle times) noexcept {
        while (times != 0 && pending_count_ != 0) {
            bool hope = false; // that somebody comes who stays
            for (unsigned k = 0; k < pending_count_; ++k) hope = hope || !demoted().contains(pending(k));
            if (!hope) break;
            spin();
            --times;
            if (!leaving_) return;
        }
        if (times == 0) return;
        spin();
        // Only those who are demoted move any more: a ring of all of them, by so many places each time.
        auto const moving = leaving_.size();
        auto const around = (times - 1) % (moving + pending_count_);
        for (auto turns = around * moving % (moving + pending_count_); turns != 0; --turns) {
            auto const staying = count_ - moving;
            push_pending(place(staying));
            active_.erase(place(staying));
            auto const kept = line_ & low_bytes(staying);
            line_ = kept | (line_ >> 8 & ~low_bytes(staying) & low_bytes(count_ - 1));
            --count_;
            append(pop_pending());
        }
        look();
    }
    static constexpr std::uint64_t low_bytes(unsigned n) noexcept {
        return n >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * n) - 1;
    }
    /// Rotates the active ones until `w`, which is one of them, is the last.
    constexpr void turn_behind(warp_slot w) noexcept {
        unsigned shift = 8;
        for (auto line = line_; (line & 0xff) != w.index(); line >>= 8) shift += 8;
        auto const all = 8 * count_;
        if (shift == all) return;
        line_ = line_ >> shift | (line_ << (all - shift) & low_bytes(count_));
    }

    std::uint64_t line_ = 0; ///< the active ones' slots, a byte each, first in the low byte
    warp_set active_;
    warp_set leaving_;   ///< active ones that go to the back of the line when the next cycle begins
    unsigned count_ = 0; ///< active ones
    unsigned pending_count_ = 0;
    unsigned head_ = 0; ///< first of pending_, a ring
    unsigned spun_ = 0; ///< 1: this cycle's spin has taken place
    unsigned slots_ = warp_set::width;
    warp_set owned_ = ~warp_set{};
    waiting_warps warps_;
    [[no_unique_address]] number<unsigned, M> m_{M == run_time ? 6 : static_cast<unsigned>(M)};
    [[no_unique_address]] LongLatency long_latency_;
    slot_number pending_[warp_set::width]{};
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
