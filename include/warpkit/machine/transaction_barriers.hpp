#pragma once
/// \file
/// The mbarriers of a CTA in time (docs/model/asynchronous.md#mbarriers), in both engines.

#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// Each phase is a countdown of the events that complete it: arrivals, and copies. Function has numbered the phases
/// and knows their events, so that it does not matter here in which of a CTA's mbarriers they are, nor how many bytes
/// a copy brings. A warp that waits for phases is held until all of them are over.
/// Source: PTX ISA, "mbarrier".
class transaction_barriers {
public:
    transaction_barriers() = default;
    /// Of a CTA whose phases are completed by so many events each.
    explicit transaction_barriers(std::vector<std::uint32_t> events) : left_(std::move(events)) {}

    /// `w` waits for this phase, if it is not over: whether it must.
    bool wait(warp_slot w, std::uint32_t phase) {
        if (left_[phase] == 0) return false;
        waiting_.push_back({w, phase});
        return true;
    }
    /// An event of a phase: if it is the last one, calls `release(warp)` for each that waits for no other phase, in the
    /// order of slots. Precondition: the phase has events left.
    template <class Release>
    void count(std::uint32_t phase, Release&& release) {
        if (--left_[phase] != 0) return;
        warp_set free;
        for (auto const& x : waiting_)
            if (x.phase == phase) free.insert(x.warp);
        waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(),
                                      [&](waiter const& x) { return x.phase == phase; }),
                       waiting_.end());
        for (auto const& x : waiting_) free.erase(x.warp);
        free.for_each([&](warp_slot w) { release(w); });
    }

    /// The phase that `w` waits for, and how many events are missing there; none if it waits for none.
    struct missing_events {
        std::uint32_t phase = 0;
        std::uint32_t events = 0;
    };
    missing_events awaited_by(warp_slot w) const noexcept {
        for (auto const& x : waiting_)
            if (x.warp == w) return {x.phase, left_[x.phase]};
        return {};
    }

    friend bool operator==(transaction_barriers const&, transaction_barriers const&) = default;
    WARPKIT_STORED_MEMBERS(2)
    template <class F>
    constexpr void each_member(F&& f) const {
        for (auto const n : left_) f(n);
        for (auto const& x : waiting_) f(x.warp, x.phase);
    }

private:
    struct waiter {
        warp_slot warp;
        std::uint32_t phase = 0;
        friend bool operator==(waiter const&, waiter const&) = default;
    };
    std::vector<std::uint32_t> left_; ///< by phase
    std::vector<waiter> waiting_;
};

} // namespace warpkit
