#pragma once
/// \file
/// What lies between issue and units on a core with register banks: these, behind operand collectors or read stages.
///
/// In the reference: `core::issue_parts`, `core::start_units` and `core::hand_over`, which know the two apart
/// (reference/core.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/gpu/core/operand_collector.hpp>
#include <warpkit/gpu/core/read_stages.hpp>
#include <warpkit/gpu/core/register_banks.hpp>
#include <warpkit/machine/parameters.hpp>

#include <cstdint>

namespace warpkit {

class operand_path {
public:
    operand_path() = default;
    [[gnu::cold]] explicit operand_path(core_numbers const& n) : banks_(n), collectors_(n), stages_(n) {}

    /// Whether instructions of fixed latency leave the Control stage in a cycle that is known.
    bool has_stages() const noexcept { return stages_.in_use(); }
    /// An instruction is in the first place behind issue, which was free; its number.
    std::uint64_t issue(cycle now, warp_slot w, std::uint32_t index, decoded_instruction const& d,
                        instruction_details const& more) noexcept {
        return has_stages() ? stages_.issue(now, w, index, d, more, banks_)
                            : collectors_.issue(now, w, index, d, more, banks_);
    }
    /// Whether each bank that the instruction's results go to has not been written to in this cycle.
    bool can_write(cycle now, warp_slot w, instruction_details const& more) const noexcept {
        return banks_.can_write(now, w, more);
    }
    void write(cycle now, warp_slot w, instruction_details const& more) noexcept {
        banks_.write(now, w, more);
    }
    /// A cycle begins: `start(warp, instruction, due)` of an instruction that a unit has taken, whose result is written
    /// then; `released(sub_core, kind)` of the place that it has left.
    template <class Start, class Released>
    void start(cycle now, running_kernel const& code, Start start, Released released) {
        if (collectors_.in_use()) collectors_.start(now, code, start);
        if (has_stages()) stages_.start(now, code, start, released);
    }
    /// The load/store unit has room: `load(number)` of the memory instruction that it takes, if there is one.
    template <class Load, class Released>
    void hand_over(cycle now, Load load, Released released) {
        has_stages() ? stages_.hand_over(now, load, released) : collectors_.hand_over(load);
    }
    /// The cycle ends; the load/store unit may have room from `room` on. `moved_on(sub_core)` of a Control stage that
    /// is free again.
    template <class Released, class MovedOn>
    void step(cycle now, cycle room, Released released, MovedOn moved_on) {
        if (collectors_.in_use()) collectors_.step(now, room, banks_, released);
        if (has_stages()) stages_.step(now, room, moved_on);
    }
    /// A cycle after `now` before which nothing in here moves of itself.
    cycle next() const noexcept {
        return collectors_.next() < stages_.next() ? collectors_.next() : stages_.next();
    }

    friend bool operator==(operand_path const&, operand_path const&) = default;
    WARPKIT_STORED_MEMBERS(3)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(collectors_, stages_);
    }

private:
    register_banks banks_;
    operand_collector collectors_;
    read_stages stages_;
};

} // namespace warpkit
