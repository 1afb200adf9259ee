#pragma once
/// \file
/// A calendar of things that happen a known number of cycles ahead.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/flattened.hpp>
#include <warpkit/base/heap_array.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace warpkit {

/// A timing wheel: constant-time insertion and expiry, no sorting; the next occupied cycle is found by scanning bytes.
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
        std::uint32_t head = none_; ///< the ends of a list
        std::uint32_t tail = none_;
        std::array<T, in_place_> content{};
    };
    /// What a slot holds: nothing, so many in place, or more, since there is a list.
    enum class held : std::uint8_t { nothing = 0, has_list = 0x80 };
    static constexpr unsigned in_place(held h) noexcept { return static_cast<unsigned>(h) & 0x7f; }
    static constexpr held with(unsigned in_place) noexcept { return static_cast<held>(in_place); }
    static constexpr bool has_list(held h) noexcept { return h >= held::has_list; }

public:
    /// An unused one has no room for anything.
    explicit timing_wheel(bool used = true) : slot_(heap_array<slot>::blank(used ? slots_ : 0)) {}

    bool empty() const noexcept { return size_ == 0; }
    /// `due` is later than the cycle that was expired last.
    void insert(cycle due, T const& content) { extend(due) = content; }
    /// The same without copying: the new element's place, still holding what was there.
    T& extend(cycle due) {
        auto const place = due % slots_;
        auto const count = static_cast<unsigned>(held_[place]);
        auto& s = slot_[place];
        ++size_;
        if (count == 0 || (count < in_place_ && s.due == due)) [[likely]] {
            s.due = due;
            held_[place] = with(count + 1);
            return s.content[count];
        }
        return extend_list(due);
    }
    /// Calls f(content) for everything due at `now`. Must be called for each cycle in which something is due.
    template <class F>
    [[gnu::always_inline]] void expire(cycle now, F f) {
        auto const place = now % slots_;
        auto const here = held_[place];
        if (here == held::nothing) return;
        if (has_list(here)) return expire_with_list(now, f);
        auto const& s = slot_[place];
        if (s.due != now) return;
        auto const count = in_place(here);
        size_ -= count;
        for (unsigned i = 0; i < count; ++i) f(s.content[i]); // f may insert: for a later round, into a list
        held_[place] =
            static_cast<held>(static_cast<unsigned>(held_[place]) & static_cast<unsigned>(held::has_list));
    }
    /// A cycle after `now` before which nothing is due; `never` when empty.
    WARPKIT_FLATTENED cycle next(cycle now) const noexcept {
        if (size_ == 0) return never;
        auto const skipped = (now + 1) % 8;
        if (auto const some = eight(now + 1) >> 8 * skipped; some != 0)
            return now + 1 + static_cast<unsigned>(std::countr_zero(some)) / 8;
        for (auto next = now + 9 - skipped;; next += 8)
            if (auto const some = eight(next); some != 0)
                return next + static_cast<unsigned>(std::countr_zero(some)) / 8;
    }

    friend bool operator==(timing_wheel const& a, timing_wheel const& b) noexcept {
        if (a.held_ != b.held_ || a.size_ != b.size_ || a.free_ != b.free_ || a.nodes_ != b.nodes_)
            return false;
        for (std::size_t place = 0; place < slots_; ++place) {
            if (a.held_[place] == held::nothing) continue;
            auto const& s = a.slot_[place];
            auto const& t = b.slot_[place];
            auto const count = in_place(a.held_[place]);
            if (count != 0 && s.due != t.due) return false;
            if (has_list(a.held_[place]) && (s.head != t.head || s.tail != t.tail)) return false;
            for (unsigned i = 0; i < count; ++i)
                if (!(s.content[i] == t.content[i])) return false;
        }
        return true;
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(held_, nodes_, free_, size_);
        for (std::size_t place = 0; place < slots_; ++place) {
            if (held_[place] == held::nothing) continue;
            auto const& s = slot_[place];
            auto const count = in_place(held_[place]);
            if (count != 0) f(s.due);
            if (has_list(held_[place])) f(s.head, s.tail);
            for (unsigned i = 0; i < count; ++i) f(s.content[i]);
        }
    }

private:
    /// What the eight slots around that of cycle `c` hold, the first in the lowest byte.
    std::uint64_t eight(cycle c) const noexcept {
        std::uint64_t some = 0;
        std::memcpy(&some, held_.data() + c % slots_ / 8 * 8, 8);
        if constexpr (std::endian::native == std::endian::big) some = __builtin_bswap64(some);
        return some;
    }
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
    [[gnu::noinline]] void expire_with_list(cycle now, F f) {
        auto const place = now % slots_;
        auto const s = slot_[place];
        auto const count = in_place(held_[place]);
        slot_[place] = {};
        held_[place] = held::nothing;
        auto const due_now = s.due == now ? count : 0;
        for (unsigned i = due_now; i < count; ++i) extend_list(s.due) = s.content[i];
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
        size_ -= due_now;
        for (unsigned i = 0; i < due_now; ++i) f(s.content[i]);
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
        held_[place] =
            static_cast<held>(static_cast<unsigned>(held_[place]) | static_cast<unsigned>(held::has_list));
    }

    heap_array<slot> slot_;
    std::array<held, slots_> held_{}; ///< by slot
    std::vector<node> nodes_;
    std::uint32_t free_ = none_;
    std::size_t size_ = 0;
};

} // namespace warpkit
