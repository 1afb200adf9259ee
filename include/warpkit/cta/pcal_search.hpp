#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cta/concepts.hpp>

#include <cstdint>

namespace warpkit {

/// What PCAL's search goes by.
struct pcal_search_options {
    cycle period = 2048;     ///< core cycles of a sample; one goes by after each change that is not counted
    std::uint64_t gain = 2;  ///< percent by which another number must be faster
    std::uint64_t hold = 16; ///< periods that a number stays before its neighbours are tried again
    friend bool operator==(pcal_search_options const&, pcal_search_options const&) = default;
};

/// All CTAs that fit, and as many tokens for their warps as this core is fastest with: the search of PCAL, to go with
/// an L1 that keeps lines for who has a token (cache/pcal.hpp). Beside any other L1 it changes nothing.
///
/// A core begins with a token for each warp, and samples its instructions per cycle for a period each with that number
/// and with halves of it, down to one. From the best of them it climbs: to the next number of the ladder 1, 2, 3, 4, 6,
/// 8, 12, 16, 24 ... above, as long as each is faster, or else below. Where neither is, the number stays for some
/// periods, is sampled anew, and the climb goes on from there. Each kernel begins anew; how many warps run at all is
/// the warp scheduler's (static_wavefront_limit).
///
/// Source: Li et al., Priority-Based Cache Allocation in Throughput Processors, HPCA 2015, which was not at hand: from
/// memory, tokens found while the kernel runs, by sampling and hill-climbing (docs/model/dispatch.md#pcal-search).
/// Differs from the paper as far as memory does: there the number of warps that run is searched, too, and the cores'
/// samples are taken together.
class pcal_search {
public:
    static constexpr char const* name() noexcept { return "pcal_search"; }
    static constexpr char const* summary() noexcept {
        return "all CTAs that fit; as many tokens for an L1 that goes by them as the core is fastest with";
    }

    constexpr pcal_search() = default;
    constexpr explicit pcal_search(pcal_search_options const& options) noexcept : options_(options) {
        if (options_.period == 0) options_.period = 1;
    }

    constexpr unsigned limit(unsigned fit) const noexcept { return fit; }
    constexpr unsigned tokens() const noexcept { return tokens_; }
    constexpr cycle next_sample() const noexcept { return next_; }

    constexpr void on(kernel_began const& e) noexcept {
        *this = pcal_search(options_);
        auto const warps = std::uint64_t{e.ctas_per_core} * std::uint64_t{e.warps_per_cta};
        all_ = warps == 0 ? 1 : warps < warp_set::width ? static_cast<unsigned>(warps) : warp_set::width;
        tokens_ = all_;
    }
    constexpr void on(core_sampled const& e) noexcept {
        next_ = e.at + options_.period;
        auto const before = tokens_;
        if (step_ == step::sampling)
            judge({e.warp_instructions - start_.instructions, e.at - start_.cycles});
        else
            step_ = step_ == step::beginning ? step::warming : step::sampling;
        if (tokens_ != before) step_ = step::warming;
        start_ = {e.warp_instructions, e.at};
    }

    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        return hardware_cost_list{}
            .add("instructions and cycles", 4 * 32)
            .add("tokens", 3 * bits_for(shape.warp_slots + 1))
            .add("state", 2 * 2 + bits_for(options_.hold));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        auto& o = self.options_;
        f(parameter{"period", "core cycles of a sample", 1}, o.period);
        f(parameter{"gain", "percent by which another number must be faster", 0, 1000}, o.gain);
        f(parameter{"hold", "periods that a number stays", 0, 1000000}, o.hold);
    }
    WARPKIT_STORED_MEMBERS(10)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(options_.period, options_.gain, options_.hold, all_, tokens_, best_, best_rate_.instructions,
          best_rate_.cycles, start_.instructions, start_.cycles, next_, held_, static_cast<unsigned>(step_),
          static_cast<unsigned>(phase_));
    }
    friend bool operator==(pcal_search const&, pcal_search const&) = default;

private:
    enum class step : std::uint8_t { beginning, warming, sampling };
    enum class phase : std::uint8_t { halves, up, further_up, down, held };
    struct rate {
        std::uint64_t instructions = 0;
        cycle cycles = 0;
        friend bool operator==(rate const&, rate const&) = default;
    };
    /// The numbers that are tried: 1, 2, 3, 4, 6, 8, 12 ... and all.
    constexpr unsigned above(unsigned n) const noexcept {
        unsigned power = 1;
        while (2 * power <= n) power *= 2;
        auto const next = n < 2 ? 2 : n < power + power / 2 ? power + power / 2 : 2 * power;
        return next < all_ ? next : all_;
    }
    static constexpr unsigned below(unsigned n) noexcept {
        if (n < 3) return 1;
        unsigned power = 1;
        while (2 * power < n) power *= 2;
        return n > power + power / 2 ? power + power / 2 : power;
    }
    constexpr bool faster(rate const& r) const noexcept {
        return r.instructions * best_rate_.cycles * 100 >
               best_rate_.instructions * r.cycles * (100 + options_.gain);
    }
    constexpr void keep(rate const& r) noexcept {
        best_ = tokens_;
        best_rate_ = r;
    }
    /// What the last period says of tokens_, and which number is next.
    constexpr void judge(rate const& r) noexcept {
        switch (phase_) {
        case phase::halves:
            if (best_ == 0 || faster(r)) keep(r);
            if (tokens_ > 1)
                tokens_ /= 2;
            else
                climb();
            break;
        case phase::up:
        case phase::further_up:
        case phase::down:
            if (faster(r)) {
                keep(r);
                auto const next = phase_ == phase::down ? below(best_) : above(best_);
                if (phase_ == phase::up) phase_ = phase::further_up;
                if (next != best_)
                    tokens_ = next;
                else
                    stay();
            } else if (phase_ == phase::up && best_ > 1) {
                phase_ = phase::down;
                tokens_ = below(best_);
            } else {
                stay();
            }
            break;
        case phase::held:
            if (++held_ < options_.hold) break;
            keep(r); // of this last period
            climb();
            break;
        }
    }
    constexpr void climb() noexcept {
        phase_ = phase::up;
        tokens_ = above(best_);
        if (tokens_ != best_) return;
        phase_ = phase::down;
        tokens_ = below(best_);
        if (tokens_ == best_) stay();
    }
    constexpr void stay() noexcept {
        phase_ = phase::held;
        held_ = 0;
        tokens_ = best_;
    }

    pcal_search_options options_;
    unsigned all_ = 1;
    unsigned tokens_ = 0; ///< now; 0 outside kernels
    unsigned best_ = 0;   ///< 0: none has been sampled
    rate best_rate_;
    rate start_; ///< what the core had counted when this period began
    cycle next_ = 0;
    std::uint64_t held_ = 0;
    step step_ = step::beginning;
    phase phase_ = phase::halves;
};
static_assert(occupancy_limit<pcal_search> && asks_samples<pcal_search> && grants_tokens<pcal_search>);

} // namespace warpkit
