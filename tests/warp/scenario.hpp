#pragma once
/// \file
/// Tells a scheduler little stories, in the words of the specification.

#include <warpkit/base/listen.hpp>
#include <warpkit/base/warp_picker.hpp>
#include <warpkit/warp/events.hpp>

#include <initializer_list>

namespace scenario {

using namespace warpkit;

/// The set of these slots.
inline warp_set warps(std::initializer_list<unsigned> slots) {
    warp_set s;
    for (auto const w : slots) s.insert(warp_slot{w});
    return s;
}

/// One scheduler and what happens to it.
template <class P>
struct told {
    P policy{};
    unsigned launched = 0;

    explicit told(P const& p = P{}, unsigned slots = 48) : policy(p) {
        notify(kernel_began{nullptr, 0, 1, slots, 8, 6, 8, 0, nullptr, 0, nullptr, 1},
               policy); // without code
    }
    void owns(unsigned scheduler, unsigned schedulers) {
        notify(scheduler_began{scheduler, schedulers, warp_set::every(schedulers, scheduler)}, policy);
    }
    void launch(warp_set w) {
        notify(cta_launched{cta_slot{launched}, launched, w, 0}, policy);
        ++launched;
    }
    void issue(unsigned w) { notify(issued{warp_slot{w}, 0, issue_class::arithmetic, ~0U, 0}, policy); }
    void exit(unsigned w) { notify(warp_exited{warp_slot{w}}, policy); }
    void block(unsigned w, block_reason why) { notify(blocked{warp_slot{w}, why}, policy); }
    void unblock(unsigned w, block_reason why) { notify(unblocked{warp_slot{w}, why}, policy); }
    void cycles(cycle n = 1) { notify(cycles_spent{0, cycle_cause::raw_other, 0, n}, policy); }

    /// The slot picked; -1 for none.
    int pick(warp_set candidates) const {
        auto const w = pick_warp(policy, candidates, issue_classes{});
        return w ? static_cast<int>(w.index()) : -1;
    }
    /// Picks and issues.
    int step(warp_set candidates) {
        auto const w = pick(candidates);
        if (w >= 0) issue(static_cast<unsigned>(w));
        return w;
    }
};

} // namespace scenario
