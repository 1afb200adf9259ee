#pragma once
/// \file
/// Phases of the mbarriers of a CTA: warps wait for them, and what completes them lets the warps go.
///
/// In the reference: `core::hold_at_phases` and `core::count_phase` (reference/core.hpp).

#include <warpkit/base/events.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/gpu/core/warp_table.hpp>
#include <warpkit/machine/asynchronous_units.hpp>

#include <cstdint>

namespace warpkit {

/// An event of phase `phase` of the CTA in slot `cta`, or what asynchronous_units take in its place. The host hears
/// what all policies hear, and that somebody else may be able to issue.
template <class Host>
[[gnu::noinline]] void count_phase(cycle now, unsigned cta, std::uint32_t phase, asynchronous_units& units,
                                   warp_table& t, Host& host) {
    units.count(now, t.cta[cta].phases, t.cta[cta].warps, phase, [&](warp_slot free) {
        t.waiting.erase(free);
        host.issue_changed();
        host.tell_all(unblocked{free, block_reason::barrier});
    });
}
/// `w` waits if its next instruction awaits phases that are not over.
template <class Host>
void hold_at_phases(warp_slot w, running_kernel const& code, warp_table& t, Host& host) {
    if (t.waiting.contains(w) || !t.buffered.contains(w)) return;
    auto const& warp = t.warp[w.index()];
    if (code.details(code[warp.at.instruction()]).async.role != async_role::await_phase) return;
    bool waits = false;
    for (auto const word : warp.at.words(t.stream(w), true))
        waits |= t.cta[warp.cta].phases.wait(w, phase_name::of(word).phase);
    if (!waits) return;
    t.waiting.insert(w);
    host.issue_changed();
    host.tell_all(blocked{w, block_reason::barrier});
}

} // namespace warpkit
