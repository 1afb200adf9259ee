#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cta/concepts.hpp>

#include <cstdint>

namespace warpkit {

/// As many CTAs as the core needed to be busy until its first one ended.
///
/// The core begins with all that fit, under a warp scheduler that prefers some CTAs to others (greedy-then-oldest). When
/// the first of them ends, the instructions that all of the core's CTAs have issued, divided by those of the ended one and
/// rounded up, are the CTAs that suffice: N_opt. Others come only while there are fewer. Each kernel begins anew.
///
/// Source: lazy CTA scheduling (LCS), Lee et al., HPCA 2014, from memory (SPEC 2).
/// Differs from the paper, where it was not at hand: clamped to what fits.
class lcs {
public:
    static constexpr char const* name() noexcept { return "lcs"; }

    constexpr unsigned limit(unsigned fit) const noexcept {
        return chosen_ != 0 && chosen_ < fit ? chosen_ : fit;
    }
    /// N_opt; 0 as long as no CTA has ended.
    constexpr unsigned chosen() const noexcept { return chosen_; }

    constexpr void on(kernel_began const&) noexcept { *this = {}; }
    constexpr void on(cta_launched const& e) noexcept {
        auto const c = e.cta.index() % slots_;
        issued_[c] = 0;
        e.warps.for_each([&](warp_slot w) { cta_[w.index()] = static_cast<std::uint8_t>(c); });
    }
    constexpr void on(issued const& e) noexcept {
        if (chosen_ != 0) return;
        ++issued_[cta_[e.warp.index()]];
        ++all_;
    }
    constexpr void on(cta_finished const& e) noexcept {
        auto const its = issued_[e.cta.index() % slots_];
        if (chosen_ != 0 || its == 0) return;
        auto const n = (all_ + its - 1) / its;
        chosen_ = n > slots_ ? slots_ : static_cast<unsigned>(n);
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}
            .add("instructions per CTA", shape.cta_slots * 32)
            .add("limit", bits_for(shape.cta_slots + 1));
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(issued_, all_, cta_, chosen_);
    }
    friend bool operator==(lcs const&, lcs const&) = default;

private:
    static constexpr unsigned slots_ = warp_set::width; ///< a CTA has a warp at least

    struct counts {
        std::uint64_t at[slots_]{};
        constexpr std::uint64_t& operator[](unsigned i) noexcept { return at[i]; }
        friend bool operator==(counts const&, counts const&) = default;
    };
    struct numbers {
        std::uint8_t at[warp_set::width]{};
        constexpr std::uint8_t& operator[](unsigned i) noexcept { return at[i]; }
        friend bool operator==(numbers const&, numbers const&) = default;
    };
    counts issued_;         ///< by CTA slot: instructions since its launch
    std::uint64_t all_ = 0; ///< by all of them, those that have left included
    numbers cta_;           ///< by warp
    unsigned chosen_ = 0;
};
static_assert(occupancy_limit<lcs>);

} // namespace warpkit
