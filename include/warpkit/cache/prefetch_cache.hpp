#pragma once
/// \file
/// A prefetch cache beside a cache.

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/way_set.hpp>

#include <cstdint>

namespace warpkit {

/// A prefetch cache beside a cache, as ways of the same sets: the last Ways of each set are for what is read ahead, and
/// for nothing else, the others for what loads and stores ask for; each least recently used. All are looked up at once,
/// and what is found stays where it is, so neither drives the other's lines out. The cache's size and ways are those of
/// both: 32 KiB of 8 ways, 4 of them set apart, are an L1 of 16 KiB with a prefetch cache of 16 KiB. With all ways set
/// apart there is a prefetch cache alone: what a load asks for is given to it and not kept, which goes with allocation
/// on a fill. Ways is fixed by the template argument or set by name; 0 is half of them, rounded down.
///
/// Source: the prefetch cache of Lee, Lakshminarayana, Kim and Vuduc, "Many-Thread Aware Prefetching Mechanisms for
/// GPGPU Applications", MICRO 2010: 16 KB a core (docs/model/cache.md#prefetch-cache).
/// Differs from the paper, whose machine has no data cache beside it: that is the machine with all ways set apart. Its
/// associativity is ours.
/// Hardware cost: the paper's 16 KiB, in lines of 128 bytes and 32 sets, and LRU's.
template <std::uint64_t Ways = run_time>
class prefetch_cache_of {
    static_assert(Ways == run_time || Ways <= most_ways,
                  "warpkit: prefetch_cache_of<Ways> needs up to 512 ways, or 0 for half of them");

public:
    static constexpr char const* name() noexcept { return "prefetch_cache"; }
    prefetch_cache_of() = default;
    prefetch_cache_of(std::uint32_t sets, std::uint32_t ways) : lines_(sets, ways), ways_(ways) {}

    void used(std::uint32_t set, std::uint32_t way, line_use const&) noexcept { lines_.used(set, way); }
    void inserted(std::uint32_t set, std::uint32_t way, line_use const&) noexcept {
        lines_.inserted(set, way);
    }
    std::uint32_t victim(std::uint32_t set, way_set eligible) const noexcept {
        return lines_.victim(set, eligible);
    }
    way_range allowed(line_use const& by) const noexcept {
        return by.ahead ? way_range{others_(), ways_} : way_range{0, others_()};
    }
    bool declines(line_use const& by) const noexcept { return !by.ahead && may_decline(); }
    /// No way is left for what loads ask for.
    bool may_decline() const noexcept { return ways_ != 0 && others_() == 0; }

    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"ways", "of each set, for what is read ahead alone; 0: half of them", 0, most_ways},
          self.own_);
    }
    static constexpr hardware_cost_list hardware_cost(core_shape const&) noexcept {
        constexpr std::uint64_t lines = 16 * 1024 / 128;
        constexpr std::uint64_t tag = 48 - 7 - 5 + 1; // of an address of 48 bits, and whether it is valid
        return hardware_cost_list().add("lines", lines * 128 * 8).add("tags", lines * tag);
    }
    template <class F>
    void each_member(F&& f) const {
        f(lines_, ways_, own_.get());
    }
    friend bool operator==(prefetch_cache_of const&, prefetch_cache_of const&) = default;

private:
    /// Ways of a set that are not set apart.
    std::uint32_t others_() const noexcept {
        auto const own = own_.get() == 0 ? ways_ / 2 : own_.get();
        return own < ways_ ? ways_ - own : 0;
    }

    lru lines_;
    std::uint32_t ways_ = 0;
    [[no_unique_address]] number<unsigned, Ways> own_{Ways == run_time ? 0 : static_cast<unsigned>(Ways)};
};
using prefetch_cache = prefetch_cache_of<0>;

} // namespace warpkit
