#pragma once
/// \file
/// The barriers of a CTA (docs/model/core.md#barriers), in both engines.

#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>

#include <array>
#include <cstdint>

namespace warpkit {

/// Who has arrived at which of the 16 barriers (PTX: barrier.cta.sync and barrier.cta.arrive), and who waits there.
/// Arrivals of warps that do not wait count like others. A barrier opens for as many arrivals as the one that came last
/// has asked for, or when all warps that have not exited have arrived.
class cta_barriers {
public:
    static constexpr unsigned count = 16;

    /// `w` arrives at `barrier`, which opens for `warps` arrivals, 0 for all warps; and waits, or not.
    void arrive(warp_slot w, unsigned barrier, unsigned warps, bool waits) noexcept {
        ++arrived_[barrier];
        expected_[barrier] = static_cast<std::uint8_t>(warps);
        if (waits) waiting_[barrier].insert(w);
    }
    /// Opens a barrier if, of `live` warps, all have arrived that must: calls `release(warps)` for those who waited.
    template <class Release>
    void try_open(unsigned barrier, unsigned live, Release&& release) {
        if (arrived_[barrier] < (expected_[barrier] != 0 ? expected_[barrier] : live)) return;
        auto const free = waiting_[barrier];
        arrived_[barrier] = 0;
        waiting_[barrier] = {};
        release(free);
    }
    /// A warp has exited, so that `live` are left: the same for each barrier at which somebody waits.
    template <class Release>
    void exited(unsigned live, Release&& release) {
        for (unsigned b = 0; b < count; ++b)
            if (waiting_[b]) try_open(b, live, release);
    }

    /// The barrier at which `w` waits; `count`: at none.
    unsigned of(warp_slot w) const noexcept {
        for (unsigned b = 0; b < count; ++b)
            if (waiting_[b].contains(w)) return b;
        return count;
    }
    warp_set const& waiting(unsigned barrier) const noexcept { return waiting_[barrier]; }
    unsigned arrived(unsigned barrier) const noexcept { return arrived_[barrier]; }
    /// Arrivals that open it; 0: of all warps that have not exited.
    unsigned expected(unsigned barrier) const noexcept { return expected_[barrier]; }

    friend bool operator==(cta_barriers const&, cta_barriers const&) = default;
    WARPKIT_STORED_MEMBERS(3)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(waiting_, arrived_, expected_);
    }

private:
    std::array<warp_set, count> waiting_{};
    std::array<std::uint16_t, count> arrived_{}; ///< waiting or not
    std::array<std::uint8_t, count>
        expected_{}; ///< arrivals that open it; 0: of all warps that have not exited
};

} // namespace warpkit
