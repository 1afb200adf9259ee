#pragma once
/// \file
/// First ready, first come, first served.

#include <warpkit/base/error.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/dram/scheduler.hpp>

#include <cstdint>

namespace warpkit::dram {

/// A bank gets its oldest request to the open row; if there is none, its oldest request. Late arrivals to the open row
/// win too, without a cap, so that other rows can starve.
///
/// Source: Rixner et al., Memory Access Scheduling, ISCA 2000; GPGPU-Sim's frfcfs_scheduler (SPEC 6.4).
/// Differs from the source: the paper's choice is per command over all banks; this one (GPGPU-Sim's) is per request and
/// bank, and the channel adds the round over the banks. No separate write queue.
///
/// All requests live in one block; each bank's are a list in order of arrival. The requests to the row last taken are
/// counted and the oldest of them is known, so that the list is walked only when the row changes.
class fr_fcfs {
public:
    static constexpr char const* name = "fr_fcfs";
    /// The largest queue.
    static constexpr std::uint32_t max_capacity = 65535;

    fr_fcfs() = default;
    /// A queue of `capacity` requests (1 to 65535) for `banks` banks (1 to 64).
    fr_fcfs(std::uint32_t banks, std::uint32_t capacity) {
        if (capacity == 0 || capacity > max_capacity)
            throw error("dram scheduler fr_fcfs: capacity = " + std::to_string(capacity) +
                        " is not possible; nearest legal value: " +
                        std::to_string(capacity == 0 ? 1U : max_capacity));
        if (banks == 0 || banks > 64)
            throw error("dram scheduler fr_fcfs: banks = " + std::to_string(banks) +
                        " is not possible; nearest legal value: " + std::to_string(banks == 0 ? 1 : 64));
        bank_ = heap_array<bank_queue>(banks);
        entry_ = heap_array<entry>(capacity);
        for (std::uint32_t i = 0; i < capacity; ++i)
            entry_[i].next = i + 1 < capacity ? static_cast<index>(i + 1) : none;
    }

    bool can_accept() const noexcept { return free_ != none && !entry_.empty(); }
    std::uint32_t size() const noexcept { return size_; }
    void push(request const& r) noexcept {
        auto const i = free_;
        auto& e = entry_[i];
        auto& b = bank_[r.bank];
        free_ = e.next;
        e.what = r;
        e.next = none;
        e.previous = b.tail;
        (b.tail == none ? b.head : entry_[b.tail].next) = i;
        b.tail = i;
        if (r.row == b.row && b.hits++ == 0) b.first_hit = i;
        waiting_ |= bank_set{1} << r.bank;
        ++size_;
    }

    bank_set waiting() const noexcept { return waiting_; }
    request const& pick(std::uint32_t bank, std::uint32_t open_row) const noexcept {
        return entry_[find(bank_[bank], open_row)].what;
    }
    request take(std::uint32_t bank, std::uint32_t open_row) noexcept {
        auto& b = bank_[bank];
        auto const i = find(b, open_row);
        auto& e = entry_[i];
        auto const r = e.what;
        auto const behind = e.next;
        (e.previous == none ? b.head : entry_[e.previous].next) = e.next;
        (e.next == none ? b.tail : entry_[e.next].previous) = e.previous;
        if (r.row != b.row) {
            b.row = r.row;
            recount(b);
        } else if (--b.hits != 0 && b.first_hit == i) {
            b.first_hit = behind;
            while (entry_[b.first_hit].what.row != b.row) b.first_hit = entry_[b.first_hit].next;
        }
        if (b.hits == 0) b.first_hit = none;
        e = {{}, free_, none};
        free_ = i;
        --size_;
        if (b.head == none) waiting_ &= ~(bank_set{1} << bank);
        return r;
    }
    bool has_row_hit(std::uint32_t bank, std::uint32_t row) const noexcept {
        auto const& b = bank_[bank];
        if (row == b.row) return b.hits != 0;
        return first_to(b, row) != none;
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(entry_, bank_, waiting_, size_, free_);
    }
    friend bool operator==(fr_fcfs const&, fr_fcfs const&) = default;

private:
    using index = std::uint16_t;
    static constexpr index none = 0xffff;

    struct entry {
        request what;
        index next = none; ///< the next younger of the bank, or the next free one
        index previous = none;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(what, next, previous);
        }
        friend bool operator==(entry const&, entry const&) = default;
    };
    struct bank_queue {
        std::uint32_t row = no_row; ///< the row of the request last taken
        index head = none;          ///< oldest
        index tail = none;          ///< youngest
        index first_hit = none;     ///< oldest request to `row`
        index hits = 0;             ///< requests to `row`
        template <class F>
        constexpr void each_member(F&& f) const {
            f(row, head, tail, first_hit, hits);
        }
        friend bool operator==(bank_queue const&, bank_queue const&) = default;
    };

    index first_to(bank_queue const& b, std::uint32_t row) const noexcept {
        auto i = b.head;
        while (i != none && entry_[i].what.row != row) i = entry_[i].next;
        return i;
    }
    index find(bank_queue const& b, std::uint32_t open_row) const noexcept {
        auto const hit = open_row == b.row ? b.first_hit : open_row == no_row ? none : first_to(b, open_row);
        return hit != none ? hit : b.head;
    }
    void recount(bank_queue& b) noexcept {
        b.hits = 0;
        b.first_hit = first_to(b, b.row);
        for (auto i = b.first_hit; i != none; i = entry_[i].next)
            if (entry_[i].what.row == b.row) ++b.hits;
    }

    heap_array<entry> entry_;
    heap_array<bank_queue> bank_;
    bank_set waiting_ = 0;
    std::uint32_t size_ = 0;
    index free_ = 0;
};

static_assert(scheduler<fr_fcfs>);

} // namespace warpkit::dram
