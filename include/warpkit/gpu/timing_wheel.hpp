#pragma once
/// \file
/// A calendar of things that happen a known number of cycles ahead.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// A timing wheel: constant-time insertion and expiry, no sorting; the next occupied cycle is found by scanning bits.
/// Things due in the same cycle come out in the order in which they were put in. The first few of a cycle lie in its
/// slot; more of them, and those of later rounds, in a list.
template <class T>
class timing_wheel {
    static constexpr unsigned slots_ = 256; // longer delays go round more than once
    static constexpr unsigned in_place_ = 4;
    static constexpr std::uint32_t none_ = 0; // nodes count from 1, so that an empty wheel is all zeros
    struct node {
        cycle due = 0;
        T content{};
        std::uint32_t next = none_;
        friend bool operator==(node const&, node const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(due, content, next);
        }
    };

    /// Cycles that are the same modulo the round.
    struct alignas(sizeof(T) <= 8 ? 64 : alignof(cycle)) slot {
        cycle due = 0;              ///< of those in place
        std::uint32_t count = 0;    ///< of those in place
        std::uint32_t head = none_; ///< the ends of a list
        std::uint32_t tail = none_;
        std::array<T, in_place_> content{};
        friend bool operator==(slot const& a, slot const& b) noexcept {
            if (a.count != b.count || a.head != b.head || a.tail != b.tail) return false;
            for (unsigned i = 0; i < a.count; ++i)
                if (!(a.content[i] == b.content[i])) return false;
            return a.count == 0 || a.due == b.due;
        }
        template <class F>
        constexpr void each_member(F&& f) const {
            f(count, head, tail);
            if (count != 0) f(due);
            for (unsigned i = 0; i < count; ++i) f(content[i]);
        }
    };

public:
    /// An unused one has no room for anything.
    explicit timing_wheel(bool used = true) : slot_(heap_array<slot>::blank(used ? slots_ : 0)) {}

    bool empty() const noexcept { return size_ == 0; }
    /// `due` is later than the cycle that was expired last.
    void insert(cycle due, T const& content) { extend(due) = content; }
    /// The same without copying: the new element's place, still holding what was there.
    T& extend(cycle due) {
        auto const at = due % slots_;
        auto& s = slot_[at];
        ++size_;
        if (s.head == none_ && (s.count == 0 || (s.due == due && s.count != in_place_))) [[likely]] {
            s.due = due;
            occupied_[at / 64] |= std::uint64_t{1} << (at % 64);
            return s.content[s.count++];
        }
        return extend_list(due);
    }
    /// Calls f(content) for everything due at `now`. Must be called for each cycle in which something is due.
    template <class F>
    [[gnu::always_inline]] void expire(cycle now, F&& f) {
        auto const at = now % slots_;
        if ((occupied_[at / 64] >> (at % 64) & 1U) == 0) return;
        auto& s = slot_[at];
        if (s.head != none_) return expire_with_list(now, f);
        if (s.due != now) return;
        auto const content = s.content; // f may insert
        auto const count = s.count;
        s.count = 0;
        occupied_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
        size_ -= count;
        for (unsigned i = 0; i < count; ++i) f(content[i]);
    }
    /// A cycle after `now` before which nothing is due; `never` when empty.
    cycle next(cycle now) const noexcept {
        if (size_ == 0) return never;
        auto const start = (now + 1) % slots_;
        for (unsigned i = 0; i <= slots_ / 64; ++i) {
            auto const w = (start / 64 + i) % (slots_ / 64);
            auto bits = occupied_[w];
            if (i == 0) bits &= ~std::uint64_t{0} << (start % 64);
            if (bits != 0) {
                auto const at = w * 64 + static_cast<unsigned>(std::countr_zero(bits));
                return now + 1 + (at + slots_ - start) % slots_;
            }
        }
        return now + 1;
    }

    friend bool operator==(timing_wheel const&, timing_wheel const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(slot_, nodes_, free_, size_);
    }

private:
    [[gnu::noinline]] T& extend_list(cycle due) {
        if (free_ == none_) {
            nodes_.emplace_back();
            free_ = static_cast<std::uint32_t>(nodes_.size());
        }
        auto const n = free_;
        auto& added = at(n);
        free_ = added.next;
        added.due = due;
        append(due % slots_, n);
        return added.content;
    }
    template <class F>
    [[gnu::noinline]] void expire_with_list(cycle now, F& f) {
        auto const place = now % slots_;
        auto const s = slot_[place];
        slot_[place] = {};
        occupied_[place / 64] &= ~(std::uint64_t{1} << (place % 64));
        auto in_place = s.count;
        if (s.due != now)
            for (; in_place != 0; --in_place) extend_list(s.due) = s.content[s.count - in_place];
        std::uint32_t first = none_;
        auto last = none_;
        for (auto n = s.head; n != none_;) {
            auto const next = at(n).next;
            if (at(n).due != now) {
                append(place, n);
            } else {
                at(n).next = none_;
                (first == none_ ? first : at(last).next) = n;
                last = n;
            }
            n = next;
        }
        size_ -= in_place;
        for (unsigned i = 0; i < in_place; ++i) f(s.content[i]);
        while (first != none_) {
            auto& expired = at(first);
            auto const content = expired.content; // f may insert
            auto const next = expired.next;
            expired.next = free_;
            free_ = first;
            first = next;
            --size_;
            f(content);
        }
    }
    node& at(std::uint32_t n) noexcept { return nodes_[n - 1]; }
    void append(std::size_t place, std::uint32_t n) {
        at(n).next = none_;
        auto& s = slot_[place];
        if (s.head == none_)
            s.head = n;
        else
            at(s.tail).next = n;
        s.tail = n;
        occupied_[place / 64] |= std::uint64_t{1} << (place % 64);
    }

    heap_array<slot> slot_;
    std::array<std::uint64_t, slots_ / 64> occupied_{}; ///< by slot
    std::vector<node> nodes_;
    std::uint32_t free_ = none_;
    std::size_t size_ = 0;
};

} // namespace warpkit
