#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/warp/age_matrix.hpp>
#include <warpkit/warp/concepts.hpp>

#include <cstdint>

namespace warpkit {

/// The candidate that is expected to end last; of equal ones the oldest.
///
///     criticality = remaining instructions * cycles per instruction so far + cycles in which it did not issue
///
/// Remaining instructions are guessed: at launch all of the program's; one less with each issue; a branch back adds
/// what it will run through again, a branch ahead subtracts what it skips. All is brought up to date when the warp
/// issues.
/// Source: the criticality predictor of CAWA (Lee, Arunkumar and Wu, ISCA 2015), instructions and stalls, by its
/// abstract and by how others have implemented it (docs/model/warp_scheduling.md#criticality). Its text was not at
/// hand.
/// Differs from what is told of it: the guess starts at the length of the program, not at nothing, and is never below
/// 0; fractions are cut off. Its cache partitioning is not part of a scheduler. Hardware cost: per warp a guess, a
/// count of instructions and three of cycles, and an age matrix.
class most_critical {
public:
    static constexpr char const* name() noexcept { return "most_critical"; }

    constexpr warp_slot pick(warp_set candidates) const noexcept {
        auto best = candidates.first();
        candidates.for_each([&](warp_slot w) {
            auto const mine = warp_[w.index()].criticality;
            auto const its = warp_[best.index()].criticality;
            if (mine > its || (mine == its && age_.older_than(best).contains(w))) best = w;
        });
        return best;
    }

    constexpr void on(kernel_began const& e) {
        *this = {};
        instruction_bytes_ = e.instruction_bytes;
        instructions_ = e.instructions;
    }
    constexpr void on(cta_launched const& e) noexcept {
        age_.launch(e.warps);
        e.warps.for_each(
            [&](warp_slot w) { warp_[w.index()] = {e.at, e.at, 0, instructions_, instructions_, 0}; });
    }
    constexpr void on(issued const& e) noexcept {
        auto& w = warp_[e.warp.index()];
        if (w.remaining != 0) --w.remaining;
        if (e.at > w.last_issue + 1) w.stalled += e.at - w.last_issue - 1;
        w.last_issue = e.at;
        ++w.issued;
        estimate(w);
    }
    constexpr void on(branched const& e) noexcept {
        auto& w = warp_[e.warp.index()];
        if (e.next_pc <= e.pc) {
            w.remaining += (e.pc - e.next_pc) / instruction_bytes_ + 1;
        } else {
            auto const skipped = (e.next_pc - e.pc) / instruction_bytes_ - 1;
            w.remaining -= skipped < w.remaining ? skipped : w.remaining;
        }
        estimate(w);
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        auto const n = std::uint64_t{shape.warps_per_scheduler()};
        return hardware_cost_list{}
            .add("criticality counters", std::uint64_t{shape.warp_slots} * 5 * 32)
            .add("age matrix", shape.schedulers * (n * (n - 1) / 2));
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(age_, instructions_, instruction_bytes_);
        for (auto const& w : warp_) f(w);
    }
    friend bool operator==(most_critical const&, most_critical const&) = default;

private:
    struct progress {
        cycle launched = 0;
        cycle last_issue = 0;
        std::uint64_t stalled = 0;
        std::uint64_t criticality = 0;
        std::uint64_t remaining = 0; ///< instructions, as far as can be guessed
        std::uint64_t issued = 0;
        friend bool operator==(progress const&, progress const&) = default;
    };
    static constexpr void estimate(progress& w) noexcept {
        auto const cycles = w.last_issue >= w.launched ? w.last_issue - w.launched + 1 : 1;
        w.criticality = w.remaining * cycles / (w.issued == 0 ? 1 : w.issued) + w.stalled;
    }

    progress warp_[warp_set::width]{};
    age_matrix age_;
    std::uint32_t instructions_ = 0;
    std::uint32_t instruction_bytes_ = 8;
};
static_assert(warp_order<most_critical> && hears<most_critical, branched>);

} // namespace warpkit
