#pragma once
/// \file
/// The line of GPGPU-Sim's two-level scheduler, as a ring of links: whoever stays active is cut out of it, and all
/// others move on together by any number of places.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/warp_set.hpp>

#include <cstdint>

namespace warpkit::detail {

/// The line of a scheduler's warp slots: a ring of links, of which the first few are active.
class spinning_line {
public:
    constexpr warp_set active() const noexcept { return active_; }

    /// These slots, in their order, of which so many are active.
    constexpr void begin(warp_set slots, unsigned most_active) noexcept {
        *this = {};
        head_ = slots.first();
        auto last = head_;
        slots.for_each([&](warp_slot w) {
            link(last, w);
            last = w;
            ++pending_count_;
        });
        if (head_) link(last, head_);
        all_ = slots;
        count_ = pending_count_ < most_active ? pending_count_ : most_active;
        pending_count_ -= count_;
        choose_active();
    }
    /// The first in the line of these active warps; with `behind`, of them as they stand when `behind` is the last.
    constexpr warp_slot first_of(warp_set among, warp_slot behind = no_warp) const noexcept {
        auto others = among;
        others.erase(among.first());
        if (!others) return among.first();
        auto w = head_;
        if (behind)
            for (w = next(behind); w != pending_; w = next(w))
                if (among.has(w)) return w;
        for (w = head_; !among.has(w);) w = next(w);
        return w;
    }
    /// After how many spins the first warp is active that is not stuck and is not active yet; never if there is none.
    constexpr cycle spins_until_free(warp_set stuck) const noexcept {
        auto const free = (all_ - active_) - stuck;
        auto const leaving = active_ & stuck;
        if (!free || !leaving) return never;
        unsigned places = 0;
        for (auto w = pending_; !free.has(w); w = next(w)) ++places;
        return places / leaving.size() + 1;
    }
    /// So often the active warps that are stuck go to the back of the line, and those behind them are active.
    constexpr void spin(warp_set stuck, cycle times) noexcept {
        while (times != 0) {
            auto const leaving = active_ & stuck;
            if (!leaving) return;
            auto spins = spins_until_free(stuck);
            if (spins > times) spins = times;
            times -= spins;
            // Those who stay are in front; of all others, who are a ring of their own, so many pass by.
            auto const staying = gather(active_ - leaving);
            auto const moving = count_ - staying;
            pass_by(staying, static_cast<unsigned>(spins * moving % (moving + pending_count_)));
        }
    }
    /// Brings the active ones that are not stuck to the front, and turns them alone until `w` is the last of them.
    constexpr void turn_staying(warp_set stuck, warp_slot w) noexcept {
        auto rest = gather(active_ - stuck);
        auto last = w;
        for (auto v = head_; v != w; v = next(v)) --rest;
        for (; rest > 1; --rest) last = next(last);
        if (last != w) {
            auto const first = next(w);
            auto const back = prev(head_);
            link(w, next(last));
            link(last, head_);
            link(back, first);
            head_ = first;
        }
        if (pending_count_ == 0) pending_ = head_;
    }
    /// Turns the active ones until `w`, which is one of them, is the last.
    constexpr void turn_behind(warp_slot w) noexcept {
        auto const first = next(w);
        if (pending_count_ == 0) {
            head_ = pending_ = first;
        } else if (first != pending_) {
            auto const back = prev(head_);
            link(prev(pending_), head_);
            link(back, first);
            link(w, pending_);
            head_ = first;
        }
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(active_, all_, count_);
        auto w = head_;
        for (auto rest = count_ + pending_count_; rest != 0; --rest, w = next(w)) f(w);
    }
    friend constexpr bool operator==(spinning_line const&, spinning_line const&) = default;

private:
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
    /// The first of the line are active.
    constexpr void choose_active() noexcept {
        active_ = {};
        auto w = head_;
        for (auto rest = count_; rest != 0; --rest, w = next(w)) active_.insert(w);
        pending_ = w;
    }
    /// Brings these active warps to the front, in their order; how many they are.
    constexpr unsigned gather(warp_set staying) noexcept {
        unsigned found = 0;
        auto last = no_warp;
        for (auto w = head_; staying; w = next(last)) {
            while (!staying.has(w)) w = next(w);
            staying.erase(w);
            ++found;
            if (!last && w != head_) {
                take_out(w);
                put_before(head_, w);
                head_ = w;
            } else if (last && next(last) != w) {
                take_out(w);
                put_before(next(last), w);
            }
            last = w;
        }
        return found;
    }
    constexpr void take_out(warp_slot w) noexcept { link(prev(w), next(w)); }
    constexpr void put_before(warp_slot place, warp_slot w) noexcept {
        link(prev(place), w);
        link(w, place);
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

    warp_set active_;
    warp_set all_;
    warp_slot head_;             ///< the first of the line
    warp_slot pending_;          ///< the first of those that are not active
    unsigned count_ = 0;         ///< active ones
    unsigned pending_count_ = 0; ///< the others
    slot_number next_[warp_set::width]{}; ///< by slot
    slot_number prev_[warp_set::width]{};
};

} // namespace warpkit::detail
