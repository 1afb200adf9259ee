#pragma once
/// \file
/// The line of GPGPU-Sim's two-level scheduler, as slot numbers side by side: whoever stays active stands in front, and
/// all others move on together by any number of places, which is a copy of so many bytes.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace warpkit::detail {

/// Eight slot numbers in one word, the first in its lowest bits.
struct slot_row {
    __extension__ using word = std::conditional_t<sizeof(slot_number) == 1, std::uint64_t, unsigned __int128>;
    static constexpr unsigned size = 8;
    static constexpr unsigned bits = 8 * sizeof(slot_number);
    static constexpr bool is_memory = std::endian::native == std::endian::little; ///< ... as they lie there

    static constexpr word read(slot_number const* at) noexcept {
        word w = 0;
        if (is_memory && !std::is_constant_evaluated())
            __builtin_memcpy(&w, at, sizeof w);
        else
            for (unsigned i = size; i-- != 0;) w = w << bits | at[i];
        return w;
    }
    static constexpr void write(slot_number* at, word w) noexcept {
        if (is_memory && !std::is_constant_evaluated())
            __builtin_memcpy(at, &w, sizeof w);
        else
            for (unsigned i = 0; i != size; ++i, w >>= bits) at[i] = static_cast<slot_number>(w);
    }
    static constexpr warp_slot front(word w) noexcept { return warp_slot{static_cast<slot_number>(w)}; }
    /// Ones in the first n places.
    static constexpr word first_n(unsigned n) noexcept {
        return n == size ? ~word{0} : (word{1} << n * bits) - 1;
    }
    /// Of the first n, of which `s` is one, those behind it and then the others, `s` the last.
    static constexpr word turned_behind(word w, unsigned n, warp_slot s) noexcept {
        unsigned place = 1;
        for (auto rest = w; front(rest) != s; rest >>= bits) ++place;
        if (place == n) return w;
        auto const all = first_n(n);
        return ((w & all) >> place * bits | w << (n - place) * bits) & all;
    }
};

/// The line of a scheduler's warp slots, of which the first few are active.
class spinning_line {
public:
    /// No more than so many can be active.
    static constexpr unsigned most_active = slot_row::size;

    constexpr warp_set active() const noexcept { return active_; }

    /// These slots, in their order, of which so many are active.
    constexpr void begin(warp_set slots, unsigned active) noexcept {
        all_ = slots;
        active_ = {};
        head_ = 0;
        length_ = 0;
        slots.for_each([&](warp_slot w) { line_[length_++] = static_cast<slot_number>(w.index()); });
        count_ = length_ < active ? length_ : active;
        activate(0);
    }
    /// The first in the line of these active warps; with `behind`, of them as they stand when `behind` is the last.
    constexpr warp_slot first_of(warp_set among, warp_slot behind = no_warp) const noexcept {
        auto others = among;
        others.erase(among.first());
        if (!others) return among.first();
        auto row = slot_row::read(line_ + head_);
        if (behind) row = slot_row::turned_behind(row, count_, behind);
        while (!among.has(slot_row::front(row))) row >>= slot_row::bits;
        return slot_row::front(row);
    }
    /// After how many spins the first warp is active that is not stuck and is not active yet; never if there is none.
    constexpr cycle spins_until_free(warp_set stuck) const noexcept {
        auto const free = (all_ - active_) - stuck;
        auto leaving = active_ & stuck;
        if (!free || !leaving) return never;
        auto const* const pending = line_ + head_ + count_;
        unsigned places = 0;
        while (!free.has(warp_slot{pending[places]})) ++places;
        unsigned moving = 0;
        for (; leaving; leaving.erase(leaving.first())) ++moving;
        return places < moving ? 1 : places / moving + 1;
    }
    /// So often the active warps that are stuck go to the back of the line, and those behind them are active. The first
    /// of these that is not stuck comes with spin `until_free`.
    constexpr void spin(warp_set stuck, cycle times, cycle until_free) noexcept {
        auto spins = until_free;
        while (times != 0 && (active_ & stuck)) {
            if (spins > times) spins = times;
            // Those who stay are in front; of all others, who are a ring of their own, so many pass by.
            active_ -= stuck;
            auto const staying = gather(active_);
            pass_by(staying, spins * (count_ - staying));
            times -= spins;
            if (times != 0) spins = spins_until_free(stuck);
        }
    }
    /// Brings the active ones that are not stuck to the front, and turns them alone until `w` is the last of them.
    constexpr void turn_staying(warp_set stuck, warp_slot w) noexcept {
        auto const staying = gather(active_ - stuck);
        if (staying > 1) turn_first(staying, w);
    }
    /// Turns the active ones until `w`, which is one of them, is the last.
    constexpr void turn_behind(warp_slot w) noexcept { turn_first(count_, w); }

    WARPKIT_STORED_MEMBERS(6)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(active_, all_, count_);
        for (unsigned i = 0; i != length_; ++i) f(line_[head_ + i]);
    }
    friend constexpr bool operator==(spinning_line const& a, spinning_line const& b) noexcept {
        if (a.active_ != b.active_ || a.all_ != b.all_ || a.count_ != b.count_) return false;
        for (unsigned i = 0; i != a.length_; ++i)
            if (a.line_[a.head_ + i] != b.line_[b.head_ + i]) return false;
        return true;
    }

private:
    /// The active ones from place `from` on are so, too.
    constexpr void activate(unsigned from) noexcept {
        for (unsigned i = from; i != count_; ++i) active_.insert(warp_slot{line_[head_ + i]});
    }
    constexpr void turn_first(unsigned n, warp_slot w) noexcept {
        write_first(head_, n, slot_row::turned_behind(slot_row::read(line_ + head_), n, w));
    }
    /// The first n of the row, and nothing behind them.
    constexpr void write_first(unsigned at, unsigned n, slot_row::word row) noexcept {
        auto const own = slot_row::first_n(n);
        slot_row::write(line_ + at, (row & own) | (slot_row::read(line_ + at) & ~own));
    }
    /// Brings these active warps to the front, in their order; how many they are.
    constexpr unsigned gather(warp_set staying) noexcept {
        unsigned found = 0;
        auto row = slot_row::read(line_ + head_);
        for (; staying && staying.has(slot_row::front(row)); row >>= slot_row::bits, ++found)
            staying.erase(slot_row::front(row));
        if (!staying) return found;
        // Behind those that are in front already: the others of them, and then who is not.
        slot_number others[most_active]{};
        unsigned passed = 0;
        unsigned const from = found;
        for (unsigned i = from; staying; ++i, row >>= slot_row::bits) {
            auto const w = slot_row::front(row);
            if (staying.has(w)) {
                staying.erase(w);
                line_[head_ + found++] = static_cast<slot_number>(w.index());
            } else {
                others[passed++] = static_cast<slot_number>(w.index());
            }
        }
        for (unsigned i = 0; i != passed; ++i) line_[head_ + found + i] = others[i];
        return found;
    }
    /// So many of those behind the first `staying` of the line, which are the active ones, go to the back of it; so
    /// often as there are places for the others.
    constexpr void pass_by(unsigned staying, cycle all) noexcept {
        auto const ring = length_ - staying;
        auto const places = static_cast<unsigned>(all < ring ? all : all % ring);
        if (places != 0) {
            if (head_ + length_ + places > room_) to_the_front();
            auto* const first = line_ + head_;
            for (unsigned i = 0; i < places; i += slot_row::size)
                slot_row::write(first + length_ + i, slot_row::read(first + staying + i));
            if (staying != 0) write_first(head_ + places, staying, slot_row::read(first));
            head_ += places;
        }
        activate(staying);
    }
    [[gnu::noinline]] constexpr void to_the_front() noexcept {
        for (unsigned i = 0; i < length_; i += slot_row::size)
            slot_row::write(line_ + i, slot_row::read(line_ + head_ + i));
        head_ = 0;
    }

    static constexpr unsigned room_ = 4 * warp_set::width;
    warp_set active_;
    warp_set all_;
    unsigned head_ = 0;                              ///< where the line begins
    unsigned length_ = 0;                            ///< slots in the line
    unsigned count_ = 0;                             ///< active ones
    slot_number line_[room_ + 2 * slot_row::size]{}; ///< rows may reach beyond its end
};

} // namespace warpkit::detail
