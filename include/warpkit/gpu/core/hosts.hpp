#pragma once
/// \file
/// What the stages of a core ask of it: the calls that go up, in one place.
///
/// In the reference: what `load_store_unit` asks of its core, and `core::tell` (reference/core.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/gpu/core/execution_units.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit {

/// Of a load/store unit: an instruction has a result to come, whose cycle is told when it is known; or it stores so
/// many bytes, which are acknowledged. All policies hear what it tells. With a write-back port it asks whether an
/// instruction writes registers, takes their banks if they are free, tells that they have been written, and that an
/// answer comes in some cycle; with a TLB it tells which warps wait for pages.
template <class H>
concept memory_host = requires(H& h, cycle due, warp_slot w, std::uint32_t instruction, std::uint32_t bytes,
                               load_returned const& e, warp_set const& warps) {
    h.operation_begun(w);
    h.result_at(due, w, instruction);
    h.store_begun(w, bytes);
    h.store_ended(w, bytes);
    h.tell(w, e);
    { h.writes(instruction) } -> std::same_as<bool>;
    { h.take_banks(w, instruction) } -> std::same_as<bool>;
    h.written(w, instruction);
    h.answer_comes(due);
    h.pages_waited_for(warps);
};

/// Of the CTAs that are resident: the warps of one are in the table; warps have been let go by a barrier or a fence;
/// one of them has no instructions left; one CTA is about to leave, perhaps the last; and what all policies hear.
template <class H>
concept cta_host = requires(H& h, cta_slot c, warp_slot w, warp_set const& warps, bool last,
                            barrier_released const& e) {
    h.launched(c);
    h.let_go(warps);
    h.exited(w);
    h.retiring(last);
    h.tell_all(e);
};

/// Of the issue stage: the cycle; that a warp, which a scheduler has picked, issues to some units,
/// of the common kind of core or not; whom a limit pauses;
/// what the observer alone hears, and whether it does.
template <class H, class Scheduler>
concept issue_host = requires(H& h, H const& k, Scheduler& s, execution_units& units, warp_slot w,
                              cycles_spent const& e) {
    { k.now() } -> std::same_as<cycle>;
    h.issue(s, units, w);
    h.issue_parts(s, units, w);
    k.occupancy_limit();
    { k.template observed<cycles_spent>() } -> std::same_as<bool>;
    h.observe(e);
};

} // namespace warpkit
