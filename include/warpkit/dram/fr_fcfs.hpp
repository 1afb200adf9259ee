#pragma once
/// \file
/// First ready, first come, first served.

#include <warpkit/base/error.hpp>
#include <warpkit/base/flattened.hpp>
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
/// A bank's requests are kept by row, each row's in order of arrival: the few rows that a bank's requests want are what is
/// searched.
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
        bank_ = heap_array<bank_rows>(banks, bank_rows{});
        entry_ = heap_array<entry>(capacity);
        row_ = heap_array<row_queue>(capacity);
        for (std::uint32_t i = 0; i + 1 < capacity; ++i)
            entry_[i].next = row_[i].next = static_cast<index>(i + 1);
        free_ = free_row_ = 0;
    }

    bool can_accept() const noexcept { return free_ != none; }
    std::uint32_t size() const noexcept { return size_; }
    WARPKIT_FLATTENED void push(request const& r) noexcept {
        auto const i = free_;
        auto& e = entry_[i];
        free_ = e.next;
        e.what = r;
        e.order = order_++;
        e.next = none;
        waiting_ |= bank_set{1} << r.bank;
        ++size_;
        auto& b = bank_[r.bank];
        // Sectors of a line come one behind the other: mostly this is the row that was asked for last.
        if (b.latest == none || row_[b.latest].row != r.row) {
            auto* link = &b.first;
            while (*link != none && row_[*link].row != r.row) link = &row_[*link].next;
            b.latest = *link;
            if (*link == none) {
                b.latest = *link = free_row_;
                auto& q = row_[free_row_];
                free_row_ = q.next;
                q = {r.row, i, i, none};
                return;
            }
        }
        auto& q = row_[b.latest];
        entry_[q.youngest].next = i;
        q.youngest = i;
    }

    bank_set waiting() const noexcept { return waiting_; }
    request const& pick(std::uint32_t bank, std::uint32_t open_row) const noexcept {
        return entry_[row_[choose(bank_[bank].first, open_row)].oldest].what;
    }
    WARPKIT_FLATTENED request take(std::uint32_t bank, std::uint32_t open_row) noexcept {
        auto& b = bank_[bank];
        auto const q = choose(b.first, open_row);
        auto const i = row_[q].oldest;
        auto& e = entry_[i];
        if (e.next != none)
            row_[q].oldest = e.next;
        else
            remove(b, q, bank);
        e.next = free_;
        free_ = i;
        --size_;
        return e.what;
    }
    bool has_row_hit(std::uint32_t bank, std::uint32_t row) const noexcept {
        return queue_of(bank_[bank].first, row) != none;
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(entry_, row_, bank_, waiting_, size_, order_, free_, free_row_);
    }
    friend bool operator==(fr_fcfs const&, fr_fcfs const&) = default;

private:
    using index = std::uint16_t;
    static constexpr index none = 0xffff;

    struct entry {
        request what;
        std::uint32_t order = 0; ///< of arrival, wrapping round; nobody waits for half of them
        index next = none;       ///< the next younger to its row, or the next free one
        template <class F>
        constexpr void each_member(F&& f) const {
            f(what, order, next);
        }
        friend bool operator==(entry const&, entry const&) = default;
    };
    /// The requests to one row of one bank.
    struct row_queue {
        std::uint32_t row = no_row;
        index oldest = none;
        index youngest = none;
        index next = none; ///< a row of the bank that was asked for later, or the next free one
        template <class F>
        constexpr void each_member(F&& f) const {
            f(row, oldest, youngest, next);
        }
        friend bool operator==(row_queue const&, row_queue const&) = default;
    };

    /// The rows that a bank's requests want.
    struct bank_rows {
        index first = none;
        index latest = none; ///< the one that was asked for last; none if that is served
        template <class F>
        constexpr void each_member(F&& f) const {
            f(first, latest);
        }
        friend bool operator==(bank_rows const&, bank_rows const&) = default;
    };

    /// Of the bank whose first row is `q`: that row's queue.
    index queue_of(index q, std::uint32_t row) const noexcept {
        while (q != none && row_[q].row != row) q = row_[q].next;
        return q;
    }
    /// Of that bank, which has requests: the open row's queue or, if there is none, the one with the oldest request.
    index choose(index first, std::uint32_t open_row) const noexcept {
        auto const hits = queue_of(first, open_row);
        return hits != none ? hits : row_[first].next == none ? first : oldest_of(first);
    }
    [[gnu::noinline]] index oldest_of(index first) const noexcept {
        auto best = first;
        for (auto q = row_[first].next; q != none; q = row_[q].next)
            if (static_cast<std::int32_t>(entry_[row_[q].oldest].order - entry_[row_[best].oldest].order) < 0)
                best = q;
        return best;
    }
    /// The last request of this queue goes.
    void remove(bank_rows& b, index q, std::uint32_t bank) noexcept {
        auto* link = &b.first;
        while (*link != q) link = &row_[*link].next;
        *link = row_[q].next;
        row_[q].next = free_row_;
        free_row_ = q;
        if (b.latest == q) b.latest = none;
        if (b.first == none) waiting_ &= ~(bank_set{1} << bank);
    }

    heap_array<entry> entry_;
    heap_array<row_queue> row_;
    heap_array<bank_rows> bank_;
    bank_set waiting_ = 0;
    std::uint32_t size_ = 0;
    std::uint32_t order_ = 0;
    index free_ = none;
    index free_row_ = none;
};

static_assert(scheduler<fr_fcfs>);

} // namespace warpkit::dram
