#pragma once
/// \file
/// Sectors that a memory-side prefetcher has read, on their way to an L2 slice (docs/model/dram.md#prefetch-readings),
/// in both engines.

#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/prefetch_outcomes.hpp>

#include <cstddef>
#include <cstdint>

namespace warpkit {

/// A queue of 64 lines, and what became of those that were in it. One made without numbers drops all.
class prefetched_sectors {
public:
    prefetched_sectors() = default;
    /// Without an L2, it drops all, too.
    explicit prefetched_sectors(cache_numbers const& l2)
        : waiting_(l2.size == 0 ? 0 : std::size_t{64} * (l2.line / l2.sector)),
          line_(l2.line),
          sector_(l2.sector),
          outcomes_(l2.size / l2.sector) {}

    bool empty() const noexcept { return waiting_.empty(); }
    /// One has been read. It is dropped where there is no room for it.
    void read(std::uint64_t sector) {
        if (waiting_.full())
            outcomes_.was_there();
        else
            waiting_.push(sector);
    }
    /// The one in front goes into the L2; `installed(sector, line)` is called when it has, with what had to go. Without
    /// room it waits; one that is there, or on its way for a demand, is dropped. Precondition: not empty().
    template <class L2, class Installed>
    void install(L2& l2, Installed&& installed) {
        auto const sector = waiting_.front();
        auto const found = l2.probe({.address = sector, .bytes = sector_});
        departed_line gone;
        if (found == cache_outcome::hit) {
            outcomes_.was_there();
        } else if (found == cache_outcome::hit_reserved) {
            outcomes_.was_late();
        } else {
            if (!l2.install(sector, gone)) return;
            outcomes_.filled(sector, there_in(l2));
            installed(sector, gone);
        }
        waiting_.pop();
    }
    /// A demand hits, or misses, the sector of this address.
    void demanded(std::uint64_t address, bool hit) noexcept {
        outcomes_.demanded(address & ~std::uint64_t{sector_ - 1U}, hit);
    }
    /// A line has left the L2, and what was prefetched of it with it.
    void departed(departed_line const& d) noexcept {
        if (!d) return;
        for (std::uint32_t i = 0; i < line_; i += sector_) outcomes_.departed(d.line + i);
    }
    template <class Counters, class L2>
    void add_to(Counters& c, L2 const& l2) const {
        c.prefetched_useful += outcomes_.useful();
        c.prefetched_late += outcomes_.late();
        c.prefetched_useless += outcomes_.useless(there_in(l2));
    }
    /// All that were read: useful, late, useless, not used yet, and waiting.
    template <class L2>
    std::uint64_t all(L2 const& l2) const {
        return waiting_.size() + outcomes_.useful() + outcomes_.late() + outcomes_.useless(there_in(l2)) +
               outcomes_.unused(there_in(l2));
    }

    friend bool operator==(prefetched_sectors const&, prefetched_sectors const&) = default;
    WARPKIT_STORED_MEMBERS(4)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(waiting_, outcomes_);
    }

private:
    template <class L2>
    static auto there_in(L2 const& l2) {
        return [&l2](std::uint64_t sector) { return l2.contains(sector); };
    }

    ring<std::uint64_t> waiting_;
    std::uint32_t line_ = 128;
    std::uint32_t sector_ = 32;
    prefetch_outcomes outcomes_;
};

} // namespace warpkit
