#pragma once
/// \file
/// What an L2 tells whoever listens at a memory partition (`use::l2_observer`): each access with the core and warp that
/// asked, each line that goes with those that had brought it in, each fill. Delivered as in base/listen.hpp: `void
/// on(l2_accessed const&)`, any subset of the three. Who listens to nothing costs nothing. Cycles are those of the L2's
/// clock, from the beginning of the machine on.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/dram/request.hpp>

#include <cstdint>

namespace warpkit {

/// A warp of the machine. Of instruction fetches ahead, of copies from the host and of memory-side prefetches there is
/// none.
struct l2_requester {
    std::uint16_t core = 0xffff;
    warp_slot warp{}; ///< none: the core itself asked, for code
    constexpr explicit operator bool() const noexcept { return core != 0xffff; }
    friend bool operator==(l2_requester const&, l2_requester const&) = default;
};

/// An access that the L2 has taken: a packet, or the part of it that lies in one sector.
struct l2_accessed {
    std::uint32_t slice = 0;   ///< among all slices of the machine
    std::uint64_t address = 0; ///< of the first byte, as asked for
    std::uint64_t line = 0;    ///< as in l2_evicted
    std::uint32_t bytes = 0;
    access_kind kind = access_kind::load;
    l2_requester by;
    cache_outcome outcome = cache_outcome::hit;
    std::uint32_t born = 0; ///< core cycle in which the packet was sent, of which the low bits do
    cycle ready = 0;        ///< the first in which the packet could be served: it was through network and ROP
    cycle at = 0;           ///< in which this part of it was
};
/// A line has gone, after the access or fill that it went for.
struct l2_evicted {
    std::uint32_t slice = 0;
    std::uint64_t line = 0; ///< address of the first byte, below the memory's capacity, where addresses wrap
    l2_requester owner;     ///< who had brought it in
    bool invalidated = false; ///< by a store, not replaced
};
/// A sector has come from DRAM.
struct l2_filled {
    std::uint32_t slice = 0;
    std::uint64_t address = 0; ///< below the memory's capacity
    cycle at = 0;
};
using l2_events = event_list<l2_accessed, l2_evicted, l2_filled>;

/// Whether a listener hears any of them.
template <class L>
inline constexpr bool hears_l2 = hears<L, l2_accessed> || hears<L, l2_evicted> || hears<L, l2_filled>;

/// A requester in the place where caches keep the owner of a line.
class l2_owner {
    static constexpr unsigned warps = warp_set::width + 1; // and none

public:
    /// Cores that can be told apart.
    static constexpr unsigned most_cores = 0xffff / warps;

    static constexpr warp_slot of(l2_requester r) noexcept {
        if (!r) return no_warp;
        return warp_slot{r.core * warps + (r.warp ? r.warp.index() : warp_set::width)};
    }
    static constexpr l2_requester requester(warp_slot owner) noexcept {
        if (!owner) return {};
        auto const warp = owner.index() % warps;
        return {static_cast<std::uint16_t>(owner.index() / warps),
                warp == warp_set::width ? no_warp : warp_slot{warp}};
    }
    /// The same as DRAM schedulers are told.
    static constexpr dram::requester dram_requester(warp_slot owner, std::uint32_t kernel) noexcept {
        auto const r = requester(owner);
        if (!r) return {};
        return {r.core, static_cast<std::uint16_t>(r.warp ? r.warp.index() : 0xffff), kernel};
    }
};

} // namespace warpkit
