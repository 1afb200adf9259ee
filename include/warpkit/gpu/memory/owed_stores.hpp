#pragma once
/// \file
/// What an L2 that does not keep atomics owes the DRAM.
///
/// In the reference: `l2_slice::change`, and what is passed on in `l2_slice::tick` (reference/l2_partition.hpp).

#include <warpkit/base/standard.hpp>
#include <warpkit/base/stored_members.hpp>

#include <cstdint>
#include <vector>

namespace warpkit {

/// What an atomic has changed, and the L2 had no room to pass on.
struct owed_store {
    std::uint64_t local = 0;
    std::uint32_t bytes = 0;
    friend bool operator==(owed_store const&, owed_store const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(local, bytes);
    }
};

/// They go in the order in which they came. `take(store, first)` tells whether there was room for one, which is tried
/// for the first time or again.
class owed_stores {
public:
    template <class Take>
    void add(owed_store const& s, Take&& take) {
        if (!owed_.empty() || !take(s, true)) owed_.push_back(s);
    }
    /// There can be room where anything has changed since: `busy`, or a packet was served.
    template <class Take>
    void pass_on(bool busy, Take&& take) {
        if (busy || served_)
            while (!owed_.empty() && take(owed_.front(), false)) owed_.erase(owed_.begin());
        served_ = false;
    }
    /// A packet was served in this cycle, which may have made room.
    void packet_served() noexcept { served_ = !owed_.empty(); }
    /// Whether one is to be tried in the next cycle.
    bool due() const noexcept { return served_; }

    friend bool operator==(owed_stores const&, owed_stores const&) = default;
    WARPKIT_STORED_MEMBERS(2)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(owed_);
    }

private:
    bool served_ = false;
    std::vector<owed_store> owed_; ///< oldest first
};

} // namespace warpkit
