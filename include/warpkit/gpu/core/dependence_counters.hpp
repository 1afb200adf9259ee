#pragma once
/// \file
/// What keeps a warp of a current NVIDIA core from issuing, where the compiler says so: stall counter, yield and six
/// dependence counters per warp (docs/model/issue.md#control-bits). Takes the scoreboard's place for kernels with
/// control bits.
///
/// In the reference: `core::by_control_bits`, `core::begin_control` and `core::handle` (reference/core.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/gpu/common/timing_wheel.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/gpu/core/scoreboard.hpp>

#include <array>
#include <cstdint>

namespace warpkit {

/// Nothing is checked against registers: what the bits do not say is not waited for. An increment is seen from the
/// second cycle after its issue on; so a consumer directly behind needs a stall of 2, or yield, to see it. Without a
/// stall and with yield, the warp pauses for 46 cycles. Source: Huerta et al. 2025 (docs/model/issue.md#control-bits).
/// Differs from the paper: no DEPBAR with a threshold, no constant-cache tags, no result queues and no register ports;
/// counters do not saturate at 63.
class dependence_counters {
    enum class what : std::uint8_t { stall_over, up, operands_read };
    struct entry {
        warp_slot warp;
        std::uint32_t instruction = 0;
        what happens = what::stall_over;
        friend bool operator==(entry const&, entry const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(warp, instruction, happens);
        }
    };
    struct counters {
        cycle ready = 0; ///< the stall counter is 0, and the warp does not yield, from then on
        std::array<std::int16_t, control_bits::counters> pending{};
        std::array<std::int16_t, control_bits::counters>
            of_memory{}; ///< of these, results of memory operations
        friend bool operator==(counters const&, counters const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(ready, pending, of_memory);
        }
    };

public:
    dependence_counters() = default;
    /// In use; without this, the scoreboard is.
    explicit dependence_counters(unsigned warp_slots) : warp_(warp_slots), wheel_(true), in_use_(true) {}
    bool in_use() const noexcept { return in_use_; }

    /// What keeps an instruction with these bits from issuing at cycle `at`.
    scoreboard::hazard check(warp_slot w, control_bits const& bits, cycle at) const noexcept {
        auto const& c = warp_[w.index()];
        auto worst = c.ready > at ? scoreboard::hazard::other : scoreboard::hazard::none;
        for (unsigned k = 0; k < control_bits::counters; ++k) {
            if ((bits.wait_mask >> k & 1) == 0 || c.pending[k] <= 0) continue;
            if (c.of_memory[k] > 0) return scoreboard::hazard::memory;
            worst = scoreboard::hazard::other;
        }
        return worst;
    }
    /// `d`, with these bits, was issued. The number of operations that have thus begun: each ends in expire().
    unsigned issue(cycle now, cycle operands_read, warp_slot w, std::uint32_t instruction,
                   decoded_instruction const& d, control_bits const& bits) {
        auto& c = warp_[w.index()];
        c.ready = now + bits.pause();
        if (c.ready > now + 1) wheel_.insert(now, c.ready, {w, instruction, what::stall_over});
        if (bits.write_counter >= control_bits::counters && bits.read_counter >= control_bits::counters)
            return 0;
        wheel_.insert(now, now + 2, {w, instruction, what::up});
        if (!releases_at_read(d, bits)) return 1;
        wheel_.insert(now, operands_read > now + 2 ? operands_read : now + 2,
                      {w, instruction, what::operands_read});
        return 2;
    }
    /// The result of `d` has been written.
    void written(warp_slot w, decoded_instruction const& d, control_bits const& bits) noexcept {
        if (!written_late(d, bits)) return;
        down(w, bits.write_counter, reads_memory(d.told_as));
    }
    /// Does what is due at `now`; `look(warp)` for each warp that may be able to issue now, or no longer, `ended(warp)`
    /// for each operation that has ended.
    template <class Look, class Ended>
    void expire(cycle now, running_kernel const& code, Look&& look, Ended&& ended) {
        wheel_.expire(now, [&](entry const& e) {
            auto const& d = code[e.instruction];
            auto const& bits = code.details(d).control;
            if (e.happens == what::up) {
                up(e.warp, bits.write_counter, written_late(d, bits) && reads_memory(d.told_as));
                up(e.warp, bits.read_counter, false);
            } else if (e.happens == what::operands_read) {
                down(e.warp, bits.read_counter, false);
                if (!written_late(d, bits)) down(e.warp, bits.write_counter, false);
            }
            look(e.warp);
            if (e.happens != what::stall_over) ended(e.warp);
        });
    }
    /// A cycle after `now` before which nothing is due.
    cycle next(cycle now) const noexcept { return in_use() ? wheel_.next(now) : never; }
    /// A new warp is in this slot.
    void launch(warp_slot w) noexcept {
        if (in_use()) warp_[w.index()] = {};
    }

    friend bool operator==(dependence_counters const&, dependence_counters const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        if (in_use()) f(warp_, wheel_);
    }

private:
    /// Whether `written` will be told of it.
    static bool written_late(decoded_instruction const& d, control_bits const& bits) noexcept {
        return bits.write_counter < control_bits::counters && d.kind != op_class::store &&
               (d.is_memory || d.writes);
    }
    static bool releases_at_read(decoded_instruction const& d, control_bits const& bits) noexcept {
        return bits.read_counter < control_bits::counters ||
               (bits.write_counter < control_bits::counters && !written_late(d, bits));
    }
    void up(warp_slot w, std::uint8_t counter, bool memory) noexcept {
        if (counter >= control_bits::counters) return;
        ++warp_[w.index()].pending[counter];
        if (memory) ++warp_[w.index()].of_memory[counter];
    }
    void down(warp_slot w, std::uint8_t counter, bool memory) noexcept {
        if (counter >= control_bits::counters) return;
        --warp_[w.index()].pending[counter];
        if (memory) --warp_[w.index()].of_memory[counter];
    }

    heap_array<counters> warp_;
    timing_wheel<entry> wheel_{false};
    bool in_use_ = false;
};

} // namespace warpkit
