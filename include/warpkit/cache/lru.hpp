#pragma once
/// \file
/// Least recently used replacement.

#include <warpkit/base/heap_array.hpp>
#include <warpkit/cache/way_set.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpkit {

/// Evicts the way whose last use lies farthest back. A use is a hit, a merge or an allocation; a refused access and a
/// fill are none (docs/model/cache.md#replacement). One stamp per way, so that a hit costs one store. In sets of more
/// than 64 ways the oldest are looked for several at a time: they stay so until they are used.
/// Differs from GPGPU-Sim: stamps count uses, not cycles, so that two uses in one cycle have an order.
class lru {
public:
    static constexpr char const* name() noexcept { return "lru"; }
    /// A line that comes in counts as used.
    static constexpr bool insertion_is_use = true;
    lru() = default;
    lru(std::uint32_t sets, std::uint32_t ways)
        : stamp_(std::size_t{sets} * ways),
          ways_(ways),
          oldest_(ways > most_searched_ ? std::size_t{sets} * batch_ : 0, none_) {}

    void used(std::uint32_t set, std::uint32_t way) noexcept {
        stamp_[std::size_t{set} * ways_ + way] = ++now_;
    }
    void inserted(std::uint32_t set, std::uint32_t way) noexcept { used(set, way); }
    std::uint32_t victim(std::uint32_t set, way_set eligible) const noexcept {
        if (ways_ > most_searched_) [[unlikely]]
            return oldest_of_many(set, eligible);
        // Mostly the oldest of all: as many steps each time, which is what a branch foresees.
        auto const* const stamp = stamp_.data() + std::size_t{set} * ways_;
        auto const* const end = stamp + ways_;
        auto const* oldest = stamp;
        auto least = *stamp;
        for (auto const* s = stamp + 1; s != end; ++s) {
            auto const x = *s;
            oldest = x < least ? s : oldest;
            least = x < least ? x : least;
        }
        auto const way = static_cast<std::uint32_t>(oldest - stamp);
        return eligible.contains(way) ? way : oldest_of(stamp, eligible.word(0));
    }
    template <class F>
    void each_member(F&& f) const {
        f(stamp_, now_, ways_);
    }
    friend bool operator==(lru const& a, lru const& b) noexcept {
        return a.now_ == b.now_ && a.ways_ == b.ways_ && a.stamp_ == b.stamp_;
    }

private:
    static constexpr std::uint32_t most_searched_ = 64;
    static constexpr std::uint32_t batch_ = 16;
    static constexpr std::uint64_t none_ = ~std::uint64_t{0};

    [[gnu::noinline]] static std::uint32_t oldest_of(std::uint64_t const* stamp,
                                                     std::uint64_t eligible) noexcept {
        auto best = static_cast<std::uint32_t>(std::countr_zero(eligible));
        for (auto rest = eligible & (eligible - 1); rest != 0; rest &= rest - 1) {
            auto const way = static_cast<std::uint32_t>(std::countr_zero(rest));
            if (stamp[way] < stamp[best]) best = way;
        }
        return best;
    }
    /// Among those that were the oldest of all when the set was searched last, those that have not been used since
    /// still are.
    [[gnu::noinline]] std::uint32_t oldest_of_many(std::uint32_t set, way_set eligible) const noexcept {
        auto const* const stamp = stamp_.data() + std::size_t{set} * ways_;
        auto* const batch = oldest_.data() + std::size_t{set} * batch_;
        for (bool searched = false;; searched = true) {
            for (std::uint32_t i = 0; i != batch_ && batch[i] != none_; ++i) {
                auto const way = static_cast<std::uint32_t>(batch[i] % most_ways);
                if (stamp[way] == batch[i] / most_ways && eligible.contains(way)) return way;
            }
            if (searched) break; // these have to stay
            for (std::uint32_t i = 0; i != batch_; ++i) batch[i] = none_;
            for (std::uint32_t way = 0; way != ways_; ++way) {
                auto const x = stamp[way] * most_ways + way;
                auto i = batch_;
                for (; i != 0 && x < batch[i - 1]; --i)
                    if (i != batch_) batch[i] = batch[i - 1];
                if (i != batch_) batch[i] = x;
            }
        }
        auto best = eligible.nth(0);
        eligible.for_each([&](std::uint32_t way) {
            if (stamp[way] < stamp[best]) best = way;
        });
        return best;
    }

    heap_array<std::uint64_t> stamp_;
    std::uint64_t now_ = 0;
    std::uint32_t ways_ = 0;
    mutable heap_array<std::uint64_t>
        oldest_; // by set, stamp * most_ways + way: what victim() knows, no state
};

} // namespace warpkit
