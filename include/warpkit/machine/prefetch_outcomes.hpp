#pragma once
/// \file
/// What became of the sectors that a prefetcher brought into a cache: a memory prefetcher into an L2 slice, or a data
/// prefetcher into an L1. Both engines count by it.

#include <warpkit/base/standard.hpp>
#include <warpkit/base/stored_members.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// Sectors that were prefetched and not used yet, and counts of those that were. A sector is useful once a demand hits
/// it, late if its line was on its way for a demand when it came, useless if it was there already, or left the L2
/// unused. Every sector that came is one of these, or in the L2 and not used yet: useful() + late() + useless() +
/// unused().
class prefetch_outcomes {
public:
    prefetch_outcomes() = default;
    /// For a cache of so many sectors.
    explicit prefetch_outcomes(std::size_t sectors) {
        std::size_t size = 16;
        while (size < sectors * 4) size *= 2;
        table_.assign(size, free_);
    }
    /// A sector has been filled in. `there(address)` tells whether a sector is still in the cache.
    template <class There>
    void filled(std::uint64_t address, There&& there) {
        if (used_ * 2 >= table_.size()) clean(there);
        auto& place = table_[find(address)];
        used_ += place == free_;
        useless_ += place == address; // it has left and come again
        place = address;
    }
    /// A sector has left the cache.
    void departed(std::uint64_t address) noexcept { demanded(address, false); }
    /// A demand meets this sector on its way, where it counts as filled when it is asked for.
    void met(std::uint64_t address) noexcept {
        if (table_.empty()) return;
        auto& place = table_[find(address)];
        if (place == free_) return;
        place = gone_;
        ++late_;
    }
    /// All sectors have left.
    void all_departed() noexcept {
        for (auto& place : table_) {
            useless_ += place != free_ && place != gone_;
            place = free_;
        }
        used_ = 0;
    }
    void was_late() noexcept { ++late_; }
    void was_there() noexcept { ++useless_; }
    /// A demand hits, or misses, this sector.
    void demanded(std::uint64_t address, bool hit) noexcept {
        if (table_.empty()) return;
        auto& place = table_[find(address)];
        if (place == free_) return;
        place = gone_;
        ++(hit ? useful_ : useless_);
    }
    std::uint64_t useful() const noexcept { return useful_; }
    std::uint64_t late() const noexcept { return late_; }
    /// Where each that leaves is told of.
    std::uint64_t useless() const noexcept { return useless_; }
    /// With those that have left the cache and were not missed yet.
    template <class There>
    std::uint64_t useless(There&& there) const {
        auto n = useless_;
        for (auto const a : table_) n += a != free_ && a != gone_ && !there(a);
        return n;
    }
    /// In the cache, and not used yet.
    template <class There>
    std::uint64_t unused(There&& there) const {
        std::uint64_t n = 0;
        for (auto const a : table_) n += a != free_ && a != gone_ && there(a);
        return n;
    }

    WARPKIT_STORED_MEMBERS(5)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(table_, used_, useful_, late_, useless_);
    }
    friend bool operator==(prefetch_outcomes const&, prefetch_outcomes const&) = default;

private:
    static constexpr std::uint64_t free_ = ~std::uint64_t{0};
    static constexpr std::uint64_t gone_ = free_ - 1;

    std::size_t find(std::uint64_t address) const noexcept {
        auto i = (address * 0x9e3779b97f4a7c15U) >> 20 & (table_.size() - 1);
        while (table_[i] != address && table_[i] != free_) i = (i + 1) & (table_.size() - 1);
        return i;
    }
    /// Keeps only what is still in the cache.
    template <class There>
    void clean(There&& there) {
        auto const old = table_;
        table_.assign(old.size(), free_);
        used_ = 0;
        for (auto const a : old) {
            if (a == free_ || a == gone_) continue;
            if (!there(a)) {
                ++useless_;
                continue;
            }
            table_[find(a)] = a;
            ++used_;
        }
    }

    std::vector<std::uint64_t> table_; ///< open addressing; at most half full
    std::size_t used_ = 0;             ///< places that are not free
    std::uint64_t useful_ = 0;
    std::uint64_t late_ = 0;
    std::uint64_t useless_ = 0;
};

} // namespace warpkit
