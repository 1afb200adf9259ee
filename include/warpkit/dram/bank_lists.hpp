#pragma once
/// \file
/// A queue of requests, each bank's in order of arrival, for request schedulers that look at all of a bank's.

#include <warpkit/base/error.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/dram/request.hpp>

#include <cstdint>

namespace warpkit::dram {

/// Note is what the scheduler remembers of a request, a regular value with each_member.
template <class Note, class BankSet = bank_set>
class bank_lists {
    using bank_set = BankSet;

public:
    using index = std::uint16_t;
    static constexpr index none = 0xffff;
    static constexpr std::uint32_t max_capacity = none;

    bank_lists() = default;
    /// For `capacity` requests (1 to 65535) to `banks` banks (1 to most_banks<BankSet>) of the scheduler `name`, which
    /// messages name.
    [[gnu::cold]] bank_lists(char const* name, std::uint32_t banks, std::uint32_t capacity) {
        if (capacity == 0 || capacity > max_capacity)
            raise_error(
                error({"dram scheduler ", name, ": capacity = ", capacity,
                       " is not possible; nearest legal value: ", capacity == 0 ? 1U : max_capacity}));
        if (banks == 0 || banks > most_banks<bank_set>)
            raise_error(
                error({"dram scheduler ", name, ": banks = ", banks,
                       " is not possible; nearest legal value: ", banks == 0 ? 1U : most_banks<bank_set>}));
        list_ = heap_array<list>(banks);
        entry_ = heap_array<entry>(capacity);
        for (std::uint32_t i = 0; i + 1 < capacity; ++i) entry_[i].next = static_cast<index>(i + 1);
        free_ = 0;
    }

    bool full() const noexcept { return free_ == none; }
    std::uint32_t size() const noexcept { return size_; }
    std::uint32_t banks() const noexcept { return static_cast<std::uint32_t>(list_.size()); }
    /// The banks that have one.
    bank_set waiting() const noexcept { return waiting_; }
    /// The oldest of a bank, and the next younger one of its bank; `none` if there is none.
    index oldest(std::uint32_t bank) const noexcept { return list_[bank].oldest; }
    index behind(index i) const noexcept { return entry_[i].next; }
    request const& operator[](index i) const noexcept { return entry_[i].what; }
    Note& note(index i) noexcept { return entry_[i].note; }
    Note const& note(index i) const noexcept { return entry_[i].note; }

    bool has_row(std::uint32_t bank, std::uint32_t row) const noexcept {
        for (auto i = oldest(bank); i != none; i = behind(i))
            if (entry_[i].what.row == row) return true;
        return false;
    }
    /// The oldest of a bank's requests of which no other is `better(i, j)`: i than j. Precondition: the bank has one.
    template <class Better>
    index best(std::uint32_t bank, Better const& better) const noexcept {
        auto best = oldest(bank);
        for (auto i = behind(best); i != none; i = behind(i))
            if (better(i, best)) best = i;
        return best;
    }
    /// Precondition: not full().
    index push(request const& r, Note const& note = {}) noexcept {
        auto const i = free_;
        auto& e = entry_[i];
        auto& l = list_[r.bank];
        free_ = e.next;
        e = {r, note, none, l.oldest == none ? none : l.youngest};
        (l.oldest == none ? l.oldest : entry_[l.youngest].next) = i;
        l.youngest = i;
        waiting_ |= bank_set{1} << r.bank;
        ++size_;
        return i;
    }
    request take(index i) noexcept {
        auto& e = entry_[i];
        auto const r = e.what;
        auto& l = list_[r.bank];
        (e.previous == none ? l.oldest : entry_[e.previous].next) = e.next;
        (e.next == none ? l.youngest : entry_[e.next].previous) = e.previous;
        if (l.oldest == none) {
            l = {};
            waiting_ &= ~(bank_set{1} << r.bank);
        }
        e = {{}, {}, free_, none};
        free_ = i;
        --size_;
        return r;
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(entry_, list_, waiting_, size_, free_);
    }
    friend bool operator==(bank_lists const&, bank_lists const&) = default;

private:
    struct entry {
        request what;
        Note note{};
        index next = none; ///< the next younger of its bank, or the next free one
        index previous = none;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(what, note, next, previous);
        }
        friend bool operator==(entry const&, entry const&) = default;
    };
    struct list {
        index oldest = none;
        index youngest = none;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(oldest, youngest);
        }
        friend bool operator==(list const&, list const&) = default;
    };

    heap_array<entry> entry_;
    heap_array<list> list_;
    bank_set waiting_ = 0;
    std::uint32_t size_ = 0;
    index free_ = none;
};

/// A table with a value for each core that has asked so far, and one for requests of which nobody knows who asks. It
/// grows when a core asks for the first time.
template <class T>
class per_core {
public:
    /// The number of a requester in it.
    static constexpr std::uint32_t number(requester const& by) noexcept { return by ? by.core + 1U : 0; }
    void admit(std::uint32_t number) {
        if (number < value_.size()) return;
        heap_array<T> more(std::size_t{number} + 1);
        for (std::size_t i = 0; i < value_.size(); ++i) more[i] = value_[i];
        value_ = static_cast<heap_array<T>&&>(more);
    }
    T& operator[](std::uint32_t number) noexcept { return value_[number]; }
    T const& operator[](std::uint32_t number) const noexcept { return value_[number]; }
    T* begin() noexcept { return value_.begin(); }
    T* end() noexcept { return value_.end(); }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(value_);
    }
    friend bool operator==(per_core const&, per_core const&) = default;

private:
    heap_array<T> value_;
};

} // namespace warpkit::dram
