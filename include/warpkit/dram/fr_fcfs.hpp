#pragma once
/// \file
/// First ready, first come, first served.

#include <warpkit/base/error.hpp>
#include <warpkit/base/flattened.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/dram/scheduler.hpp>

#include <cstdint>
#include <utility>

namespace warpkit::dram {

/// A bank gets its oldest request to the open row; if there is none, its oldest request. Late arrivals to the open row
/// win too, without a cap, so that other rows can starve.
///
/// Source: Rixner et al., Memory Access Scheduling, ISCA 2000; GPGPU-Sim's frfcfs_scheduler
/// (docs/model/dram.md#fr-fcfs).
/// Differs from the source: the paper's choice is per command over all banks; this one (GPGPU-Sim's) is per request and
/// bank, and the channel adds the round over the banks. No separate write queue.
///
/// A bank's requests are kept by row, each row's in order of arrival: those to the row that is served at hand, and the
/// few other rows in a list.
template <class BankSet>
class basic_fr_fcfs {
    using bank_set = BankSet;

public:
    static constexpr char const* name() noexcept { return "fr_fcfs"; }
    /// The largest queue.
    static constexpr std::uint32_t max_capacity = 65535;

    basic_fr_fcfs() = default;
    /// A queue of `capacity` requests (1 to 65535) for `banks` banks, 1 to most_banks<BankSet>.
    [[gnu::cold]] basic_fr_fcfs(std::uint32_t banks, std::uint32_t capacity) {
        if (capacity == 0 || capacity > max_capacity)
            raise_error(
                error({"dram scheduler fr_fcfs: capacity = ", capacity,
                       " is not possible; nearest legal value: ", capacity == 0 ? 1U : max_capacity}));
        if (banks == 0 || banks > most_banks<bank_set>)
            raise_error(
                error({"dram scheduler fr_fcfs: banks = ", banks,
                       " is not possible; nearest legal value: ", banks == 0 ? 1U : most_banks<bank_set>}));
        bank_ = heap_array<bank_rows>(banks, bank_rows{});
        entry_ = heap_array<entry>(capacity);
        row_ = heap_array<row_queue>(std::size_t{capacity} + 1);
        for (std::uint32_t i = 0; i + 1 < capacity; ++i)
            entry_[i].next = row_[i].next = static_cast<index>(i + 1);
        free_ = free_row_ = 0;
        nobody_ = static_cast<index>(capacity);
        for (auto& b : bank_) b.latest = nobody_;
    }

    bool can_accept() const noexcept { return free_ != none; }
    std::uint32_t size() const noexcept { return pushed_ - taken_; }
    WARPKIT_FLATTENED void push(request const& r) noexcept {
        auto const i = free_;
        auto& e = entry_[i];
        free_ = e.next;
        e.what = r;
        e.order = pushed_++;
        e.next = none;
        waiting_ |= bank_set{1} << r.bank;
        auto& b = bank_[r.bank];
        // Sectors of a line come one behind the other: mostly this is the row that is served, or was asked for last.
        auto* q = b.served.row == r.row ? &b.served : &row_[b.latest];
        if (q->row != r.row) {
            auto other = find(b.first, r.row);
            if (other == none) {
                other = free_row_;
                free_row_ = row_[other].next;
                row_[other] = {r.row, none, 0, b.first};
                b.first = other;
            }
            b.latest = other;
            q = &row_[other];
        }
        auto* const link = q->oldest == none ? &q->oldest : &entry_[q->youngest].next;
        *link = i;
        q->youngest = i;
    }

    bank_set waiting() const noexcept { return waiting_; }
    request const& pick(std::uint32_t bank, std::uint32_t open_row) const noexcept {
        auto const& b = bank_[bank];
        auto const q = b.served.oldest != none && b.served.row == open_row ? none : choose(b, open_row);
        return entry_[(q == none ? b.served : row_[q]).oldest].what;
    }
    WARPKIT_FLATTENED request take(std::uint32_t bank, std::uint32_t open_row) noexcept {
        auto& b = bank_[bank];
        if (b.served.oldest == none || b.served.row != open_row) turn_to(b, choose(b, open_row));
        auto const i = b.served.oldest;
        auto& e = entry_[i];
        b.served.oldest = e.next;
        waiting_ &= ~(bank_set{(b.served.oldest & b.first) == none} << bank);
        e.next = free_;
        free_ = i;
        ++taken_;
        return e.what;
    }
    bool has_row_hit(std::uint32_t bank, std::uint32_t row) const noexcept {
        auto const& b = bank_[bank];
        return (b.served.oldest != none && b.served.row == row) || find(b.first, row) != none;
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(entry_, row_, bank_, waiting_, pushed_, taken_, free_, free_row_, nobody_);
    }
    friend bool operator==(basic_fr_fcfs const&, basic_fr_fcfs const&) = default;

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
        index youngest = 0; ///< if there is one
        index next = none;  ///< a row of the bank that was asked for later, or the next free one
        template <class F>
        constexpr void each_member(F&& f) const {
            f(row, oldest, youngest, next);
        }
        friend bool operator==(row_queue const&, row_queue const&) = default;
    };

    /// The rows that a bank's requests want.
    struct bank_rows {
        row_queue served;    ///< the row that was served last, which may have no request
        index first = none;  ///< of the others
        index latest = none; ///< the one of these that was asked for last, or nobody's
        template <class F>
        constexpr void each_member(F&& f) const {
            f(served, first, latest);
        }
        friend bool operator==(bank_rows const&, bank_rows const&) = default;
    };

    /// Of the rows from `q` on: this one's queue.
    index find(index q, std::uint32_t row) const noexcept {
        while (q != none && row_[q].row != row) q = row_[q].next;
        return q;
    }
    /// Of a bank that has requests, but none that is served to the open row: that row's queue or, if there is none, the
    /// one with the oldest request; none: that of the row that is served.
    index choose(bank_rows const& b, std::uint32_t open_row) const noexcept {
        bool const only = b.served.oldest == none;
        return only && row_[b.first].next == none ? b.first : choose_among(b, open_row);
    }
    [[gnu::noinline]] index choose_among(bank_rows const& b, std::uint32_t open_row) const noexcept {
        auto best = none;
        auto oldest = b.served.oldest;
        for (auto q = b.first; q != none; q = row_[q].next) {
            auto const& other = row_[q];
            if (other.row == open_row) return q;
            if (oldest == none ||
                static_cast<std::int32_t>(entry_[other.oldest].order - entry_[oldest].order) < 0) {
                best = q;
                oldest = other.oldest;
            }
        }
        return best;
    }
    /// The row of this queue is the one that is served from now on.
    void turn_to(bank_rows& b, index q) noexcept {
        if (q == none) return;
        auto& to = row_[q];
        if (b.served.oldest != none) {
            auto const next = to.next;
            std::swap(b.served, to);
            to.next = next;
            return;
        }
        auto* link = &b.first;
        while (*link != q) link = &row_[*link].next;
        *link = to.next;
        b.latest = nobody_;
        b.served = to;
        to = {no_row, none, 0, free_row_};
        free_row_ = q;
    }

    heap_array<entry> entry_;
    heap_array<row_queue> row_;
    heap_array<bank_rows> bank_;
    bank_set waiting_ = 0;
    std::uint32_t pushed_ = 0; ///< requests, wrapping round
    std::uint32_t taken_ = 0;  ///< of these
    index free_ = none;
    index free_row_ = none;
    index nobody_ = none; ///< the queue of no row
};

/// Of a channel with at most 64 banks.
using fr_fcfs = basic_fr_fcfs<bank_set>;

static_assert(scheduler<fr_fcfs>);

} // namespace warpkit::dram
