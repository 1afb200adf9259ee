#pragma once
/// \file
/// A calendar of things that happen a known number of cycles ahead.
///
/// In the reference: `calendar` (reference/link.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/stored_members.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// A timing wheel: constant-time insertion and expiry, no sorting; a mask says which cycles are occupied. Things due in
/// the same cycle come out in the order in which they were put in. The first few of a cycle lie in its slot; more of
/// them, and those of later rounds, in a list.
template <class T>
class timing_wheel {
    static constexpr unsigned slots_ = 64; // a bit for each; few enough that the host's caches keep them
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
    /// The ends of a list.
    struct list {
        std::uint32_t head = none_;
        std::uint32_t tail = none_;
        friend bool operator==(list const&, list const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(head, tail);
        }
    };
    /// Of one cycle of the round that is under way.
    struct slot {
        std::array<T, in_place_> content{};
    };
    /// What is due in the cycles of a slot: nothing, so many in place, or more, since there is a list.
    enum class held : std::uint8_t { nothing = 0, has_list = 0x80 };
    static constexpr unsigned in_place(held h) noexcept { return static_cast<unsigned>(h) & 0x7f; }
    static constexpr held with(unsigned in_place) noexcept { return static_cast<held>(in_place); }
    static constexpr bool has_list(held h) noexcept { return h >= held::has_list; }

public:
    /// An unused one has no room for anything.
    explicit timing_wheel(bool used = true)
        : slot_(heap_array<slot>::blank(used ? slots_ : 0)),
          list_(used ? slots_ : 0) {}

    bool empty() const noexcept { return occupied_ == 0; }
    /// `due` is later than `now`, the cycle in which it is put in; no cycle before `now` has yet to be expired.
    void insert(cycle now, cycle due, T const& content) { extend(now, due) = content; }
    /// The same without copying: the new element's place, still holding what was there.
    T& extend(cycle now, cycle due) {
        auto const place = due % slots_;
        auto const count = static_cast<unsigned>(held_[place]);
        if (count < in_place_ && due - now < slots_) [[likely]] {
            occupied_ |= std::uint64_t{1} << place;
            held_[place] = with(count + 1);
            return slot_[place].content[count];
        }
        return extend_list(due);
    }
    /// Calls f(content) for everything due at `now`. Must be called for each cycle in which something is due.
    template <class F>
    [[gnu::always_inline]] void expire(cycle now, F f) {
        auto const place = now % slots_;
        auto const here = held_[place];
        if (here == held::nothing) return;
        if (has_list(here)) [[unlikely]]
            return expire_with_list(now, f);
        held_[place] = held::nothing;
        occupied_ &= ~(std::uint64_t{1} << place);
        auto const* r = slot_[place].content.data();
        auto const* const end = r + static_cast<unsigned>(here);
        // f may insert: for a later round, into a list
        do f(*r);
        while (++r != end);
    }
    /// A cycle after `now` before which nothing is due; `never` when empty.
    cycle next(cycle now) const noexcept {
        if (occupied_ == 0) return never;
        auto const behind = std::rotr(occupied_, static_cast<int>((now + 1) % slots_));
        return now + 1 + static_cast<unsigned>(std::countr_zero(behind));
    }

    friend bool operator==(timing_wheel const& a, timing_wheel const& b) noexcept {
        if (a.held_ != b.held_ || a.free_ != b.free_ || a.nodes_ != b.nodes_ || !(a.list_ == b.list_))
            return false;
        for (std::size_t place = 0; place < slots_; ++place)
            for (unsigned i = 0; i < in_place(a.held_[place]); ++i)
                if (!(a.slot_[place].content[i] == b.slot_[place].content[i])) return false;
        return true;
    }
    WARPKIT_STORED_MEMBERS(6)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(held_, nodes_, free_, list_);
        for (std::size_t place = 0; place < slots_; ++place)
            for (unsigned i = 0; i < in_place(held_[place]); ++i) f(slot_[place].content[i]);
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
    [[gnu::noinline]] void expire_with_list(cycle now, F f) {
        auto const place = now % slots_;
        auto const s = slot_[place];
        auto const count = in_place(held_[place]);
        auto n = list_[place].head;
        held_[place] = held::nothing;
        occupied_ &= ~(std::uint64_t{1} << place);
        list_[place] = {};
        list due;
        while (n != none_) {
            auto const next = at(n).next;
            if (at(n).due == now)
                append(due, n);
            else
                append(place, n);
            n = next;
        }
        for (unsigned i = 0; i < count; ++i) f(s.content[i]);
        while (due.head != none_) {
            auto const expired = due.head;
            auto const content = at(expired).content; // f may insert
            due.head = at(expired).next;
            at(expired).next = free_;
            free_ = expired;
            f(content);
        }
    }
    node& at(std::uint32_t n) noexcept { return nodes_[n - 1]; }
    void append(std::size_t place, std::uint32_t n) {
        append(list_[place], n);
        held_[place] =
            static_cast<held>(static_cast<unsigned>(held_[place]) | static_cast<unsigned>(held::has_list));
        occupied_ |= std::uint64_t{1} << place;
    }
    void append(list& l, std::uint32_t n) {
        at(n).next = none_;
        (l.head == none_ ? l.head : at(l.tail).next) = n;
        l.tail = n;
    }

    heap_array<slot> slot_;
    std::uint64_t occupied_ = 0;      ///< slots that hold anything, as bits
    std::array<held, slots_> held_{}; ///< by slot
    heap_array<list> list_;           ///< by slot
    std::vector<node> nodes_;
    std::uint32_t free_ = none_;
};

} // namespace warpkit
