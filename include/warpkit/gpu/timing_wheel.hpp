#pragma once
/// \file
/// A calendar of things that happen a known number of cycles ahead.

#include <warpkit/base/cycle.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// A timing wheel: constant-time insertion and expiry, no sorting; the next occupied cycle is found by scanning bits.
/// Things due in the same cycle come out in the order in which they were put in.
template <class T>
class timing_wheel {
    static constexpr unsigned slots_ = 1024; // longer delays go round more than once
    static constexpr std::uint32_t none_ = 0xffffffff;
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

    /// Due in one cycle of the round: the ends of a list.
    struct slot {
        std::uint32_t head = none_;
        std::uint32_t tail = none_;
        friend bool operator==(slot const&, slot const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(head, tail);
        }
    };

public:
    timing_wheel() : slot_(slots_), occupied_(slots_ / 64, 0) {}

    bool empty() const noexcept { return size_ == 0; }
    /// `due` is later than the cycle that was expired last.
    void insert(cycle due, T const& content) {
        if (free_ == none_) grow();
        auto const n = free_;
        auto& added = nodes_[n];
        free_ = added.next;
        added.due = due;
        added.content = content;
        append(due % slots_, n);
        ++size_;
    }
    /// Calls f(content) for everything due at `now`. Must be called for each cycle in which something is due.
    template <class F>
    [[gnu::always_inline]] void expire(cycle now, F&& f) {
        auto const at = now % slots_;
        if ((occupied_[at / 64] >> (at % 64) & 1U) == 0) return;
        auto n = slot_[at].head;
        slot_[at] = {};
        occupied_[at / 64] &= ~(std::uint64_t{1} << (at % 64));
        while (n != none_) {
            auto& expired = nodes_[n];
            auto const next = expired.next;
            if (expired.due == now) {
                auto const content = expired.content; // f may insert
                expired.next = free_;
                free_ = n;
                --size_;
                f(content);
            } else {
                append(at, n);
            }
            n = next;
        }
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
    void append(std::size_t at, std::uint32_t n) {
        nodes_[n].next = none_;
        auto& s = slot_[at];
        if (s.head == none_)
            s.head = n;
        else
            nodes_[s.tail].next = n;
        s.tail = n;
        occupied_[at / 64] |= std::uint64_t{1} << (at % 64);
    }
    [[gnu::noinline]] void grow() {
        free_ = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
    }

    std::vector<slot> slot_;
    std::vector<std::uint64_t> occupied_;
    std::vector<node> nodes_;
    std::uint32_t free_ = none_;
    std::size_t size_ = 0;
};

} // namespace warpkit
