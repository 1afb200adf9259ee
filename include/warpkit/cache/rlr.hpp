#pragma once
/// \file
/// Replacement by age, type and hits, as reinforcement learning found them to matter.

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/way_set.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// The line of the lowest priority goes:
///
///     8 if it is no older than the reuse distance, + 1 if it was not read ahead when it was used last, + 1 if it has
///     been used since it came
///
/// of several the youngest, of these the lowest way. A line's age is 0 when it comes and when it is used, and grows, up
/// to 3, with every eighth miss of its set. The reuse distance, one for the cache, is twice the mean age at which the
/// last 32 uses found their lines; it is reckoned anew after so many, and is 0 at first.
///
/// Source: RLR of Sethumurugan, Yin and Sartori, "Designing a Cost-Effective Cache Replacement Policy using Machine
/// Learning", HPCA 2021, for one core, from memory and from an open implementation of it (docs/model/cache.md#rlr).
/// Differs: uses are those that srrip counts, a merge with a miss on its way among them. An L2 is not told who reads
/// ahead: there all lines are of one type.
/// Hardware cost: 4 bits a line and 3 a set, and the counters of the mean.
class rlr {
public:
    static constexpr char const* name() noexcept { return "rlr"; }
    rlr() = default;
    rlr(std::uint32_t sets, std::uint32_t ways) : line_(std::size_t{sets} * ways), misses_(sets), ways_(ways) {}

    void used(std::uint32_t set, std::uint32_t way, line_use const& by) noexcept {
        auto& l = at(set, way);
        found_age_ += l.age;
        if (++uses_ == window_) {
            distance_ = 2 * found_age_ / window_;
            uses_ = 0;
            found_age_ = 0;
        }
        l = {0, !by.ahead, true};
    }
    void inserted(std::uint32_t set, std::uint32_t way, line_use const& by) noexcept {
        if (++misses_[set] == misses_an_age_) {
            misses_[set] = 0;
            for (std::uint32_t w = 0; w < ways_; ++w)
                if (auto& l = at(set, w); l.age != oldest_) ++l.age;
        }
        at(set, way) = {0, !by.ahead, false};
    }
    void removed(std::uint32_t set, std::uint32_t way) noexcept { at(set, way) = {}; }
    std::uint32_t victim(std::uint32_t set, way_set eligible) const noexcept {
        auto best = ways_;
        unsigned least = ~0U;
        eligible.for_each([&](std::uint32_t way) {
            auto const& l = line_[std::size_t{set} * ways_ + way];
            auto const priority = (l.age <= distance_ ? 8U : 0U) + unsigned{l.demanded} + unsigned{l.hit};
            if (auto const rank = priority * (oldest_ + 1U) + l.age; rank < least) {
                least = rank;
                best = way;
            }
        });
        return best;
    }
    /// How old a line may be that is still expected to be used.
    std::uint32_t reuse_distance() const noexcept { return distance_; }

    /// Of an L1 data cache.
    static constexpr hardware_cost_list hardware_cost(core_shape const& s) noexcept {
        return hardware_cost_list()
            .add("age, type and hit of each line", std::uint64_t{s.l1_lines} * 4)
            .add("uses, their ages, reuse distance", 5 + 7 + 3);
    }
    template <class F>
    void each_member(F&& f) const {
        f(line_, misses_, distance_, found_age_, uses_);
    }
    friend bool operator==(rlr const&, rlr const&) = default;

private:
    static constexpr std::uint8_t oldest_ = 3, misses_an_age_ = 8;
    static constexpr std::uint32_t window_ = 32;
    struct line {
        std::uint8_t age = 0;
        bool demanded = false; ///< its last use was not ahead of all
        bool hit = false;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(age, demanded, hit);
        }
        friend bool operator==(line const&, line const&) = default;
    };
    line& at(std::uint32_t set, std::uint32_t way) noexcept { return line_[std::size_t{set} * ways_ + way]; }

    std::vector<line> line_;           // by way within a set
    std::vector<std::uint8_t> misses_; // by set
    std::uint32_t ways_ = 0;
    std::uint32_t distance_ = 0;
    std::uint32_t found_age_ = 0; // sum over the uses since the last mean
    std::uint32_t uses_ = 0;
};

} // namespace warpkit
