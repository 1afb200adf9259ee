#pragma once
/// \file
/// Static re-reference interval prediction.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// Each line has a 2-bit prediction of how far off its next use is: far (2) when it comes, near (0) once it was used. The
/// victim is the lowest-numbered way whose next use is distant (3); if there is none, all predictions of the set grow
/// until one is. So lines that are used once do not drive out those that are used again.
/// Source: Jaleel, Theobald, Steely and Emer, "High Performance Cache Replacement Using Re-Reference Interval
/// Prediction (RRIP)", ISCA 2010, section 4.1: SRRIP with hit priority, M = 2.
/// Differs from the paper: ways that wait for data grow old with the others but are no victims; a merge with a miss on
/// its way is a use.
class srrip {
public:
    static constexpr char const* name = "srrip";
    srrip() = default;
    srrip(std::uint32_t sets, std::uint32_t ways)
        : next_use_(std::size_t{sets} * ways, distant_),
          ways_(ways) {}

    void used(std::uint32_t set, std::uint32_t way) noexcept {
        next_use_[std::size_t{set} * ways_ + way] = 0;
    }
    void inserted(std::uint32_t set, std::uint32_t way) noexcept {
        auto* const next = next_use_.data() + std::size_t{set} * ways_;
        // What the search for the victim added until it found this one.
        auto const grown = static_cast<std::uint8_t>(distant_ - next[way]);
        for (std::uint32_t w = 0; grown != 0 && w != ways_; ++w)
            next[w] = static_cast<std::uint8_t>(next[w] + grown < distant_ ? next[w] + grown : distant_);
        next[way] = distant_ - 1;
    }
    void removed(std::uint32_t set, std::uint32_t way) noexcept {
        next_use_[std::size_t{set} * ways_ + way] = distant_;
    }
    std::uint32_t victim(std::uint32_t set, std::uint64_t eligible) const noexcept {
        auto const* const next = next_use_.data() + std::size_t{set} * ways_;
        auto best = static_cast<std::uint32_t>(std::countr_zero(eligible));
        for (auto rest = eligible & (eligible - 1); rest != 0; rest &= rest - 1) {
            auto const way = static_cast<std::uint32_t>(std::countr_zero(rest));
            if (next[way] > next[best]) best = way;
        }
        return best;
    }
    template <class F>
    void each_member(F&& f) const {
        f(next_use_, ways_);
    }
    friend bool operator==(srrip const&, srrip const&) = default;

private:
    static constexpr std::uint8_t distant_ = 3;
    std::vector<std::uint8_t> next_use_; // by way within a set; an empty way's is distant
    std::uint32_t ways_ = 0;
};

} // namespace warpkit
