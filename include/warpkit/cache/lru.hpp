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
/// fill are none (docs/model/cache.md#replacement). One stamp per way, so that a hit costs one store.
/// Differs from GPGPU-Sim: stamps count uses, not cycles, so that two uses in one cycle have an order.
class lru {
public:
    static constexpr char const* name() noexcept { return "lru"; }
    /// A line that comes in counts as used.
    static constexpr bool insertion_is_use = true;
    lru() = default;
    lru(std::uint32_t sets, std::uint32_t ways) : stamp_(std::size_t{sets} * ways), ways_(ways) {}

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
    friend bool operator==(lru const&, lru const&) = default;

private:
    static constexpr std::uint32_t most_searched_ = 64;

    [[gnu::noinline]] static std::uint32_t oldest_of(std::uint64_t const* stamp,
                                                     std::uint64_t eligible) noexcept {
        auto best = static_cast<std::uint32_t>(std::countr_zero(eligible));
        for (auto rest = eligible & (eligible - 1); rest != 0; rest &= rest - 1) {
            auto const way = static_cast<std::uint32_t>(std::countr_zero(rest));
            if (stamp[way] < stamp[best]) best = way;
        }
        return best;
    }
    /// Many may have to stay, as the write ratio keeps them: so those that need not are looked at alone.
    [[gnu::noinline]] std::uint32_t oldest_of_many(std::uint32_t set, way_set eligible) const noexcept {
        auto const* const stamp = stamp_.data() + std::size_t{set} * ways_;
        auto best = eligible.nth(0);
        auto least = stamp[best];
        eligible.for_each([&](std::uint32_t way) {
            auto const x = stamp[way];
            best = x < least ? way : best;
            least = x < least ? x : least;
        });
        return best;
    }

    heap_array<std::uint64_t> stamp_;
    std::uint64_t now_ = 0;
    std::uint32_t ways_ = 0;
};

} // namespace warpkit
