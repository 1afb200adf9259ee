#pragma once
/// \file
/// Static re-reference interval prediction.

#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/cache/way_set.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// Each line has a prediction of Bits bits of how far off its next use is: far (one less than distant) when it comes,
/// near (0) once it was used. The victim is the lowest-numbered way whose next use is distant (all bits set); if there
/// is none, all predictions of the set grow until one is. So lines that are used once do not drive out those that are
/// used again.
/// Source: Jaleel, Theobald, Steely and Emer, "High Performance Cache Replacement Using Re-Reference Interval
/// Prediction (RRIP)", ISCA 2010, section 4.1: SRRIP with hit priority; M, here Bits, is 2. Bits is fixed by the
/// template argument, or given to the constructor or by name: 1 to 8.
/// Differs from the paper: ways that wait for data grow old with the others but are no victims; a merge with a miss on
/// its way is a use.
template <std::uint64_t Bits = run_time>
class srrip_of {
    static_assert(Bits == run_time || (Bits >= 1 && Bits <= 8), "warpkit: srrip_of<Bits> needs 1 to 8 bits");

public:
    static constexpr char const* name() noexcept { return "srrip"; }
    srrip_of() = default;
    srrip_of(std::uint32_t sets, std::uint32_t ways)
        : next_use_(std::size_t{sets} * ways, distant()),
          ways_(ways) {}
    /// Bits known at run time: 1 to 8, the nearest of which is taken.
    srrip_of(std::uint32_t sets, std::uint32_t ways, std::uint32_t bits) requires(Bits == run_time)
        : bits_(bits < 1   ? 1
                : bits < 8 ? bits
                           : 8),
          next_use_(std::size_t{sets} * ways, distant()),
          ways_(ways) {}

    void used(std::uint32_t set, std::uint32_t way) noexcept {
        next_use_[std::size_t{set} * ways_ + way] = 0;
    }
    void inserted(std::uint32_t set, std::uint32_t way) noexcept {
        auto* const next = next_use_.data() + std::size_t{set} * ways_;
        // What the search for the victim added until it found this one.
        auto const grown = static_cast<std::uint8_t>(distant() - next[way]);
        for (std::uint32_t w = 0; grown != 0 && w != ways_; ++w)
            next[w] = static_cast<std::uint8_t>(next[w] + grown < distant() ? next[w] + grown : distant());
        next[way] = static_cast<std::uint8_t>(distant() - 1);
    }
    void removed(std::uint32_t set, std::uint32_t way) noexcept {
        next_use_[std::size_t{set} * ways_ + way] = distant();
    }
    std::uint32_t victim(std::uint32_t set, way_set eligible) const noexcept {
        auto const* const next = next_use_.data() + std::size_t{set} * ways_;
        auto best = ways_;
        eligible.for_each([&](std::uint32_t way) {
            if (best == ways_ || next[way] > next[best]) best = way;
        });
        return best;
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"bits", "of the prediction of a line's next use", 1, 8}, self.bits_);
    }
    /// All lines are as good as new.
    void parameters_set() { next_use_.assign(next_use_.size(), distant()); }
    template <class F>
    void each_member(F&& f) const {
        f(bits_.get(), next_use_, ways_);
    }
    friend bool operator==(srrip_of const&, srrip_of const&) = default;

private:
    std::uint8_t distant() const noexcept { return static_cast<std::uint8_t>((1U << bits_.get()) - 1); }

    [[no_unique_address]] number<std::uint32_t, Bits> bits_{
        Bits == run_time ? 2 : static_cast<std::uint32_t>(Bits)};
    std::vector<std::uint8_t> next_use_; // by way within a set; an empty way's is distant
    std::uint32_t ways_ = 0;
};
using srrip = srrip_of<2>;

} // namespace warpkit
