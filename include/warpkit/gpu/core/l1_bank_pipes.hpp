#pragma once
/// \file
/// The delay pipes in front of an L1 data cache of several banks (docs/model/load_store.md#l1-banks).
///
/// In the reference: `l1_bank` (reference/load_store_unit.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/machine/parameters.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// A pipe for each bank; none where the L1 has but one. `Access` is a transaction with the cycle in which it is `due`.
template <class Access>
class l1_bank_pipes {
public:
    l1_bank_pipes() = default;
    explicit l1_bank_pipes(gpu_parameters const& p)
        : in_use_(p.lsu.l1_banks > 1),
          latency_(p.lsu.l1_latency + p.lsu.writeback_port) {
        if (!in_use_) return;
        bank b;
        b.pipe = ring<Access>(p.lsu.l1_latency);
        banks_.assign(p.lsu.l1_banks, b);
    }

    bool in_use() const noexcept { return in_use_; }
    bool empty() const noexcept {
        for (auto const& b : banks_)
            if (!b.pipe.empty()) return false;
        return true;
    }
    bool any_refused() const noexcept {
        for (auto const& b : banks_)
            if (b.refused) return true;
        return false;
    }
    /// Whether a head was refused for want of a place in the miss queue.
    bool lack_room_below() const noexcept {
        for (auto const& b : banks_)
            if (b.refused && b.lacks == refusal::miss_queue) return true;
        return false;
    }
    /// There may be such a place.
    void room_below() noexcept {
        for (auto& b : banks_) b.refused = b.refused && b.lacks != refusal::miss_queue;
    }
    /// What an MSHR waits for has come; `may_be_taken(head, set)` says whether that may help a head that was refused.
    /// Whether any is to be tried again.
    template <class MayBeTaken>
    bool filled(MayBeTaken&& may_be_taken) noexcept {
        bool any = false;
        for (auto& b : banks_) {
            if (!b.refused ||
                (b.lacks != refusal::mshr_entry && !may_be_taken(b.pipe.front(), b.refused_set)))
                continue;
            b.refused = false;
            any = true;
        }
        return any;
    }
    /// Calls `take` with the head of each bank that is due, in the order of the banks; one that it does not take is
    /// refused, for the reason that `why` then holds.
    template <class Take, class SetOf>
    void each_due(cycle now, Take&& take, refusal const& why, SetOf&& set_of) {
        for (auto& b : banks_) {
            if (b.pipe.empty() || b.pipe.front().due > now || b.refused) continue;
            if (take(b.pipe.front())) {
                b.pipe.pop();
            } else {
                b.refused = true;
                b.lacks = why;
                b.refused_set = set_of(b.pipe.front().access.address);
            }
        }
    }
    bool full(std::uint64_t address) const noexcept { return banks_[number_of(address)].pipe.full(); }
    /// Whether a transaction can set out for the bank of its address now: one a cycle.
    bool has_room(cycle now, std::uint64_t address) const noexcept {
        auto const& p = banks_[number_of(address)].pipe;
        return !p.full() && (p.empty() || p.back().due != now + latency_ - 1);
    }
    /// Its place; precondition: has_room().
    Access& extend(std::uint64_t address) noexcept { return banks_[number_of(address)].pipe.extend(); }
    /// The first cycle after `now` in which a head is due.
    cycle next_event_after(cycle now) const noexcept {
        auto next = never;
        for (auto const& b : banks_) {
            if (b.pipe.empty() || b.refused) continue;
            auto const due = b.pipe.front().due > now ? b.pipe.front().due : now + 1;
            if (due < next) next = due;
        }
        return next;
    }

    friend bool operator==(l1_bank_pipes const&, l1_bank_pipes const&) = default;
    WARPKIT_STORED_MEMBERS(3)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(banks_);
    }

private:
    struct bank {
        ring<Access> pipe;
        bool refused = false; ///< its head, until what it lacked can have come
        refusal lacks = refusal::line_allocation;
        std::uint32_t refused_set = 0;
        friend bool operator==(bank const&, bank const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(pipe, refused);
        }
    };
    std::size_t number_of(std::uint64_t address) const noexcept { return address / 32 % banks_.size(); }

    bool in_use_ = false;
    std::uint32_t latency_ = 1;
    std::vector<bank> banks_;
};

} // namespace warpkit
