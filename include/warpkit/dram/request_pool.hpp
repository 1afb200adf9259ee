#pragma once
/// \file
/// Requests by bank, in order of arrival, sorted into hits and misses of the open row.

#include <warpkit/dram/request.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::dram {

/// Holds the requests of a command scheduler. Each bank has a list of reads and a list of writes, oldest first; of each
/// list the oldest request to the bank's open row (hit) and the oldest to another row (miss) are known. A closed bank
/// has misses only. Nothing is searched but a list whose row or whose first hit or miss changes.
template <class BankSet>
class basic_request_pool {
    using bank_set = BankSet;

public:
    using index = std::uint16_t;
    static constexpr index none = 0xffff;
    static constexpr std::uint32_t max_capacity = none;

    struct entry {
        request what;
        std::uint64_t order = 0;   ///< of arrival
        std::uint64_t arrived = 0; ///< equal for requests that arrived in the same cycle
        std::uint16_t sent = 0;    ///< column commands
        bool served = false;       ///< a command was sent for it
        index next = none;         ///< the next younger of its list, or the next free one
        index previous = none;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(what, order, arrived, sent, served, next, previous);
        }
        friend bool operator==(entry const&, entry const&) = default;
    };

    basic_request_pool() = default;
    basic_request_pool(std::uint32_t banks, std::uint32_t capacity)
        : entry_(capacity),
          list_(std::size_t{banks} * 2),
          row_(banks, no_row),
          free_(capacity == 0 ? none : index{0}) {
        for (std::uint32_t i = 0; i + 1 < capacity; ++i) entry_[i].next = static_cast<index>(i + 1);
    }

    bool full() const noexcept { return free_ == none; }
    std::uint32_t size() const noexcept { return size_; }
    entry& operator[](index i) noexcept { return entry_[i]; }
    entry const& operator[](index i) const noexcept { return entry_[i]; }

    /// The banks with a request, a hit, a miss.
    bank_set any(bool write) const noexcept { return hits_[write] | misses_[write]; }
    bank_set any() const noexcept { return any(false) | any(true); }
    bank_set hits(bool write) const noexcept { return hits_[write]; }
    bank_set misses(bool write) const noexcept { return misses_[write]; }
    /// The oldest of a bank's list; `none` if there is none.
    index oldest(unsigned bank, bool write) const noexcept { return list_[bank * 2 + write].head; }
    index hit(unsigned bank, bool write) const noexcept { return list_[bank * 2 + write].hit; }
    index miss(unsigned bank, bool write) const noexcept { return list_[bank * 2 + write].miss; }
    /// The older of two; `none` is younger than all.
    index older(index a, index b) const noexcept {
        if (a == none) return b;
        return b == none || entry_[a].order < entry_[b].order ? a : b;
    }
    /// A request for this row of this bank.
    bool has(unsigned bank, std::uint32_t row) const noexcept {
        for (unsigned w = 0; w < 2; ++w)
            for (auto i = list_[bank * 2 + w].head; i != none; i = entry_[i].next)
                if (entry_[i].what.row == row) return true;
        return false;
    }
    /// The oldest request of its list for the same place as `r`.
    index same(request const& r, bool write) const noexcept {
        auto i = list_[r.bank * 2U + write].head;
        while (i != none && (entry_[i].what.row != r.row || entry_[i].what.column != r.column))
            i = entry_[i].next;
        return i;
    }

    /// Precondition: not full().
    index push(request const& r, std::uint64_t order, std::uint64_t arrived) noexcept {
        auto const i = free_;
        auto& e = entry_[i];
        auto& l = list_[r.bank * 2U + r.write];
        free_ = e.next;
        e = {r, order, arrived, 0, false, none, l.tail};
        (l.tail == none ? l.head : entry_[l.tail].next) = i;
        l.tail = i;
        auto& first = r.row == row_[r.bank] ? l.hit : l.miss;
        if (first == none) first = i;
        mark(r.bank, r.write);
        ++size_;
        return i;
    }
    void remove(index i) noexcept {
        auto& e = entry_[i];
        auto const bank = e.what.bank;
        bool const write = e.what.write;
        auto& l = list_[bank * 2U + write];
        if (l.hit == i) l.hit = next_of(e.next, row_[bank], true);
        if (l.miss == i) l.miss = next_of(e.next, row_[bank], false);
        (e.previous == none ? l.head : entry_[e.previous].next) = e.next;
        (e.next == none ? l.tail : entry_[e.next].previous) = e.previous;
        e = {{}, 0, 0, 0, false, free_, none};
        free_ = i;
        mark(bank, write);
        --size_;
    }
    /// The bank's row buffer holds another row now, or none (`no_row`).
    void opened(unsigned bank, std::uint32_t row) noexcept {
        row_[bank] = row;
        for (unsigned w = 0; w < 2; ++w) {
            auto& l = list_[bank * 2 + w];
            l.hit = next_of(l.head, row, true);
            l.miss = next_of(l.head, row, false);
            mark(bank, w != 0);
        }
    }
    void closed(unsigned bank) noexcept { opened(bank, no_row); }
    /// The row that the pool believes open.
    std::uint32_t row(unsigned bank) const noexcept { return row_[bank]; }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(entry_, list_, row_, hits_[0], hits_[1], misses_[0], misses_[1], free_, size_);
    }
    friend bool operator==(basic_request_pool const&, basic_request_pool const&) = default;

private:
    struct list {
        index head = none; ///< oldest
        index tail = none;
        index hit = none;
        index miss = none;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(head, tail, hit, miss);
        }
        friend bool operator==(list const&, list const&) = default;
    };

    index next_of(index i, std::uint32_t row, bool hit) const noexcept {
        while (i != none && (entry_[i].what.row == row) != hit) i = entry_[i].next;
        return i;
    }
    void mark(unsigned bank, bool write) noexcept {
        auto const& l = list_[bank * 2 + write];
        auto const bit = bank_set{1} << bank;
        hits_[write] = l.hit != none ? hits_[write] | bit : hits_[write] & ~bit;
        misses_[write] = l.miss != none ? misses_[write] | bit : misses_[write] & ~bit;
    }

    std::vector<entry> entry_;
    std::vector<list> list_; ///< by bank, reads before writes
    std::vector<std::uint32_t> row_;
    bank_set hits_[2] = {};
    bank_set misses_[2] = {};
    index free_ = none;
    std::uint32_t size_ = 0;
};

/// Of a channel with at most 64 banks.
using request_pool = basic_request_pool<bank_set>;

} // namespace warpkit::dram
