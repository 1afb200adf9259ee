#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cta/concepts.hpp>

#include <cstdint>

namespace warpkit {

/// What DYNCTA goes by. Cycles are those of a window of `window` core cycles.
struct dyncta_options {
    cycle window = 2048;
    std::uint64_t idle = 16;         ///< so many idle cycles, and one more CTA comes
    std::uint64_t memory_low = 128;  ///< fewer cycles in which all wait for memory: one more
    std::uint64_t memory_high = 384; ///< more of them: one less
    bool pausing = true;             ///< what is above the number is paused, not only not replaced
    friend bool operator==(dyncta_options const&, dyncta_options const&) = default;
};

/// A number of CTAs that follows, window by window, what keeps the core from issuing.
///
/// Begins with half of those that fit (at least one). At the end of a window: if the core was idle for `idle` cycles or
/// more, one more; else if all warps waited for memory for fewer than `memory_low` cycles, one more; else if for more
/// than `memory_high`, one less; from 1 to what fits. Where the number falls below the residents, the youngest are
/// paused: their warps issue only while nobody else can. They resume before new ones come.
///
/// Source: Kayiran et al., Neither more nor less, PACT 2013, which is not at hand: the thresholds are from memory
/// (docs/model/dispatch.md#dyncta). Half at first, idle and memory cycles as the measure, and pausing are confirmed by
/// others' accounts (docs/reference/cta.md).
/// Differs from the paper: a paused CTA goes on while nobody else can issue, so that none is held up by it for ever.
/// Idle cycles are those of the schedulers, divided by their number. Windows end where a window of the simulation does,
/// a few cycles late; counts are scaled to `window` cycles.
class dyncta {
public:
    static constexpr char const* name() noexcept { return "dyncta"; }
    static constexpr char const* summary() noexcept {
        return "one more or one less, window by window; what is too much is paused";
    }

    constexpr dyncta() = default;
    constexpr explicit dyncta(dyncta_options const& options) noexcept : options_(options) {
        if (options_.window == 0) options_.window = 1;
    }

    constexpr unsigned limit(unsigned fit) const noexcept { return number_ < fit ? number_ : fit; }
    constexpr warp_set paused() const noexcept { return paused_; }
    constexpr cycle next_sample() const noexcept { return window_end_; }

    constexpr void on(kernel_began const& e) {
        *this = dyncta(options_);
        most_ = e.ctas_per_core;
        number_ = most_ < 2 ? 1 : most_ / 2;
    }
    constexpr void on(core_sampled const& e) noexcept {
        if (window_end_ != 0) {
            auto const cycles = e.at - last_at_;
            // n of `cycles` is at least `limit` of a window
            auto const reaches = [&](std::uint64_t n, std::uint64_t limit) {
                return n * options_.window >= limit * cycles;
            };
            auto const memory = e.memory_block_cycles - last_memory_;
            if (reaches(e.idle_cycles - last_idle_, options_.idle) || !reaches(memory, options_.memory_low))
                number_ += number_ < most_ ? 1 : 0;
            else if (memory * options_.window > options_.memory_high * cycles)
                number_ -= number_ > 1 ? 1 : 0;
            pause();
        }
        last_at_ = e.at;
        last_idle_ = e.idle_cycles;
        last_memory_ = e.memory_block_cycles;
        window_end_ = e.at + options_.window;
    }
    constexpr void on(cta_launched const& e) noexcept {
        if (resident_ == slots_) return;
        order_[resident_] = static_cast<std::uint8_t>(e.cta.index() % slots_);
        warps_[e.cta.index() % slots_] = e.warps;
        ++resident_;
        pause();
    }
    constexpr void on(cta_finished const& e) noexcept {
        unsigned kept = 0;
        for (unsigned i = 0; i < resident_; ++i)
            if (order_[i] != e.cta.index() % slots_) order_[kept++] = order_[i];
        for (auto i = kept; i < resident_; ++i) order_[i] = 0;
        resident_ = kept;
        warps_[e.cta.index() % slots_] = {};
        pause();
    }

    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        return hardware_cost_list{}
            .add("idle and memory cycles", 2 * bits_for(options_.window))
            .add("limit", bits_for(shape.cta_slots + 1))
            .add("ages and paused CTAs", shape.cta_slots * (bits_for(shape.cta_slots) + 1));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        auto& o = self.options_;
        f(parameter{"window", "core cycles", 1}, o.window);
        f(parameter{"idle", "idle cycles of a window from which on there is one more"}, o.idle);
        f(parameter{"memory_low", "cycles below which all warps wait for memory: one more"}, o.memory_low);
        f(parameter{"memory_high", "cycles above which they do: one less"}, o.memory_high);
        f(parameter{"pausing", "what is too much is paused, not only not replaced"}, o.pausing);
    }
    WARPKIT_STORED_MEMBERS(11)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(options_.window, options_.idle, options_.memory_low, options_.memory_high, options_.pausing, most_,
          number_, window_end_, last_at_, last_idle_, last_memory_, resident_, paused_);
        for (unsigned i = 0; i < resident_; ++i) f(order_[i], warps_[order_[i]]);
    }
    friend bool operator==(dyncta const&, dyncta const&) = default;

private:
    static constexpr unsigned slots_ = warp_set::width;

    constexpr void pause() noexcept {
        paused_ = {};
        for (auto i = number_; i < resident_ && options_.pausing; ++i) paused_ |= warps_[order_[i]];
    }

    dyncta_options options_;
    unsigned most_ = 1;
    unsigned number_ = 1;
    cycle window_end_ = 0; ///< 0: before the first sample, which begins the first window
    cycle last_at_ = 0;
    std::uint64_t last_idle_ = 0;
    std::uint64_t last_memory_ = 0;
    unsigned resident_ = 0;
    std::uint8_t order_[slots_]{}; ///< CTA slots, the oldest first
    warp_set warps_[slots_]{};     ///< by CTA slot
    warp_set paused_;
};
static_assert(occupancy_limit<dyncta> && pauses_warps<dyncta>);

} // namespace warpkit
