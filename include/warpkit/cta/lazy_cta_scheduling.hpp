#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cta/concepts.hpp>

#include <cstdint>

namespace warpkit {

/// What accounts of LCS leave open.
struct lcs_options {
    bool round_down = false;  ///< N_opt is rounded down, not up
    bool most_issued = false; ///< divided by what the CTA that issued most has issued, not by the ended one's
    friend bool operator==(lcs_options const&, lcs_options const&) = default;
};

/// As many CTAs as the core needed to be busy until its first one ended.
///
/// The core begins with all that fit, under a warp scheduler that prefers some CTAs to others (greedy-then-oldest).
/// When the first of them ends, the instructions that all of the core's CTAs have issued, divided by those of the ended
/// one and rounded up, are the CTAs that suffice: N_opt. Others come only while there are fewer. Each kernel begins
/// anew.
///
/// Source: lazy CTA scheduling (LCS), Lee et al., HPCA 2014, which is not at hand: from memory
/// (docs/model/dispatch.md#lcs), and as ELF tells of it (SC 2015, section 6): instructions are counted by CTA until one
/// ends, and those that hid its latencies suffice.
/// Differs from the paper: what is not confirmed, rounding and divisor, is lcs_options; clamped to what fits.
class lcs {
public:
    static constexpr char const* name() noexcept { return "lcs"; }
    static constexpr char const* summary() noexcept {
        return "what kept the core busy until its first CTA ended (lazy CTA scheduling)";
    }

    constexpr lcs() = default;
    constexpr explicit lcs(lcs_options const& options) noexcept : options_(options) {}

    constexpr unsigned limit(unsigned fit) const noexcept {
        return chosen_ != 0 && chosen_ < fit ? chosen_ : fit;
    }
    /// N_opt; 0 as long as no CTA has ended.
    constexpr unsigned chosen() const noexcept { return chosen_; }

    constexpr void on(kernel_began const&) noexcept { *this = lcs(options_); }
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
        auto its = issued_[e.cta.index() % slots_];
        if (chosen_ != 0 || its == 0) return;
        for (auto const other : issued_.at)
            if (options_.most_issued && other > its) its = other;
        auto const n = (all_ + (options_.round_down ? 0 : its - 1)) / its;
        chosen_ = n > slots_ ? slots_ : static_cast<unsigned>(n);
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        return hardware_cost_list{}
            .add("instructions per CTA", shape.cta_slots * 32)
            .add("limit", bits_for(shape.cta_slots + 1));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"round_down", "the number is rounded down, not up"}, self.options_.round_down);
        f(parameter{"most_issued",
                    "divided by the instructions of the CTA that issued most, not of the ended one"},
          self.options_.most_issued);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(options_.round_down, options_.most_issued, issued_, all_, cta_, chosen_);
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
    lcs_options options_;
    counts issued_;         ///< by CTA slot: instructions since its launch
    std::uint64_t all_ = 0; ///< by all of them, those that have left included
    numbers cta_;           ///< by warp
    unsigned chosen_ = 0;
};
static_assert(occupancy_limit<lcs>);

} // namespace warpkit
