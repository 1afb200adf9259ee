#pragma once
/// \file
/// What keeps a warp of a current NVIDIA core from issuing, where the compiler says so: stall counter, yield and six
/// dependence counters per warp (docs/model/issue.md#control-bits), in both engines. Takes the scoreboard's place for
/// kernels with control bits.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/machine/hazard.hpp>
#include <warpkit/program/issue_class.hpp>
#include <warpkit/program/static_instruction.hpp>

#include <array>
#include <cstdint>

namespace warpkit {

/// The counters that an instruction moves.
struct counter_use {
    std::uint8_t write = control_bits::no_counter;
    std::uint8_t read = control_bits::no_counter;
    bool until_written =
        false;              ///< the write counter goes down with the result; else when the operands are read
    bool of_memory = false; ///< the result comes from memory

    counter_use() = default;
    constexpr explicit counter_use(static_instruction const& i) noexcept
        : write(i.control.write_counter),
          read(i.control.read_counter),
          until_written(write < control_bits::counters && i.kind != op_class::store &&
                        (i.is_memory() || i.destinations != 0)),
          of_memory(until_written && reads_memory(issue_class_of(i))) {}
    friend bool operator==(counter_use const&, counter_use const&) = default;
    WARPKIT_STORED_MEMBERS(4)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(write, read, until_written, of_memory);
    }
};

/// Nothing is checked against registers: what the bits do not say is not waited for. An increment is seen from the
/// second cycle after its issue on; so a consumer directly behind needs a stall of 2, or yield, to see it. Without a
/// stall and with yield, the warp pauses for 46 cycles. Calendar keeps what is due in later cycles: `insert(now, due,
/// what)`, `expire(now, f)`, which calls f(what) in the order of insertion, and, where it is asked, `next(now)`.
/// Source: Huerta et al. 2025 (docs/model/issue.md#control-bits).
/// Differs from the paper: no constant-cache tags and no result queues; counters do not saturate at 63.
template <template <class> class Calendar>
class dependence_counters {
    enum class what : std::uint8_t { stall_over, up, operands_read };
    struct entry {
        warp_slot warp;
        counter_use use;
        what happens = what::stall_over;
        friend bool operator==(entry const&, entry const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(warp, use, happens);
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
    explicit dependence_counters(unsigned warp_slots) : warp_(warp_slots), calendar_(true), in_use_(true) {}
    bool in_use() const noexcept { return in_use_; }

    /// What keeps an instruction with these bits from issuing at cycle `at`.
    hazard check(warp_slot w, control_bits const& bits, cycle at) const noexcept {
        auto const& c = warp_[w.index()];
        auto worst = c.ready > at ? hazard::other : hazard::none;
        auto const look = [&](unsigned k, int most) {
            if (c.pending[k] <= most || worst == hazard::memory) return;
            worst = c.of_memory[k] > 0 ? hazard::memory : hazard::other;
        };
        for (unsigned k = 0; k < control_bits::counters; ++k)
            if ((bits.wait_mask >> k & 1) != 0) look(k, 0);
        if (bits.threshold_counter < control_bits::counters) look(bits.threshold_counter, bits.threshold);
        return worst;
    }
    /// An instruction with these bits, whose operands will be read at `operands_read`, was issued. The number of
    /// operations that have thus begun: each ends in expire().
    unsigned issue(cycle now, cycle operands_read, warp_slot w, control_bits const& bits,
                   counter_use const& use) {
        auto& c = warp_[w.index()];
        c.ready = now + bits.pause();
        if (c.ready > now + 1) calendar_.insert(now, c.ready, {w, use, what::stall_over});
        bool const writes = use.write < control_bits::counters;
        bool const reads = use.read < control_bits::counters;
        if (!writes && !reads) return 0;
        calendar_.insert(now, now + 2, {w, use, what::up});
        if (!reads && use.until_written) return 1;
        auto const read_at = operands_read > now + 2 ? operands_read : now + 2;
        calendar_.insert(now, read_at, {w, use, what::operands_read});
        return 2;
    }
    /// The result of such an instruction has been written.
    void written(warp_slot w, counter_use const& use) noexcept {
        if (use.until_written) move(w, use.write, -1, use.of_memory);
    }
    /// Does what is due at `now`; `look(warp)` for each warp that may be able to issue now, or no longer, `ended(warp)`
    /// for each operation that has ended.
    template <class Look, class Ended>
    void expire(cycle now, Look&& look, Ended&& ended) {
        calendar_.expire(now, [&](entry const& e) {
            if (e.happens == what::up) {
                move(e.warp, e.use.write, 1, e.use.of_memory);
                move(e.warp, e.use.read, 1, false);
            } else if (e.happens == what::operands_read) {
                move(e.warp, e.use.read, -1, false);
                if (!e.use.until_written) move(e.warp, e.use.write, -1, false);
            }
            look(e.warp);
            if (e.happens != what::stall_over) ended(e.warp);
        });
    }
    /// A cycle after `now` before which nothing is due.
    cycle next(cycle now) const noexcept { return in_use() ? calendar_.next(now) : never; }
    /// A new warp is in this slot.
    void launch(warp_slot w) noexcept {
        if (in_use()) warp_[w.index()] = {};
    }

    friend bool operator==(dependence_counters const&, dependence_counters const&) = default;
    WARPKIT_STORED_MEMBERS(3)
    template <class F>
    constexpr void each_member(F&& f) const {
        if (in_use()) f(warp_, calendar_);
    }

private:
    void move(warp_slot w, std::uint8_t counter, int by, bool memory) noexcept {
        if (counter >= control_bits::counters) return;
        auto& c = warp_[w.index()];
        c.pending[counter] = static_cast<std::int16_t>(c.pending[counter] + by);
        if (memory) c.of_memory[counter] = static_cast<std::int16_t>(c.of_memory[counter] + by);
    }

    heap_array<counters> warp_;
    Calendar<entry> calendar_{false};
    bool in_use_ = false;
};

} // namespace warpkit
