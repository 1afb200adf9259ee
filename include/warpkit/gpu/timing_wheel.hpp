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

public:
    timing_wheel() : head_(slots_, none_), tail_(slots_, none_), occupied_(slots_ / 64, 0) {}

    bool empty() const noexcept { return size_ == 0; }
    /// `due` is later than the cycle that was expired last.
    void insert(cycle due, T const& content) {
        std::uint32_t n = free_;
        if (n == none_) {
            n = static_cast<std::uint32_t>(nodes_.size());
            nodes_.emplace_back();
        } else {
            free_ = nodes_[n].next;
        }
        nodes_[n].due = due;
        nodes_[n].content = content;
        append(due % slots_, n);
        ++size_;
    }
    /// Calls f(content) for everything due at `now`. Must be called for each cycle in which something is due.
    template <class F>
    void expire(cycle now, F&& f) {
        auto const slot = now % slots_;
        if ((occupied_[slot / 64] >> (slot % 64) & 1U) == 0) return;
        auto n = head_[slot];
        head_[slot] = tail_[slot] = none_;
        occupied_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
        while (n != none_) {
            auto const next = nodes_[n].next;
            if (nodes_[n].due == now) {
                auto const content = nodes_[n].content;
                nodes_[n].next = free_;
                free_ = n;
                --size_;
                f(content);
            } else {
                append(slot, n);
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
                auto const slot = w * 64 + static_cast<unsigned>(std::countr_zero(bits));
                return now + 1 + (slot + slots_ - start) % slots_;
            }
        }
        return now + 1;
    }

    friend bool operator==(timing_wheel const&, timing_wheel const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(head_, tail_, nodes_, free_, size_);
    }

private:
    void append(std::size_t slot, std::uint32_t n) {
        nodes_[n].next = none_;
        if (head_[slot] == none_)
            head_[slot] = n;
        else
            nodes_[tail_[slot]].next = n;
        tail_[slot] = n;
        occupied_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    }

    std::vector<std::uint32_t> head_;
    std::vector<std::uint32_t> tail_;
    std::vector<std::uint64_t> occupied_;
    std::vector<node> nodes_;
    std::uint32_t free_ = none_;
    std::size_t size_ = 0;
};

} // namespace warpkit
