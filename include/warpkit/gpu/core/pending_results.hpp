#pragma once
/// \file
/// Results that will be written, and the instructions that must not issue before.
///
/// In the reference: `core::write` and `core::judge` (reference/core.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/flattened.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/gpu/common/timing_wheel.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/gpu/core/scoreboard.hpp>
#include <warpkit/machine/async_copies.hpp>
#include <warpkit/machine/dependence_counters.hpp>
#include <warpkit/machine/hazard.hpp>
#include <warpkit/machine/parameters.hpp>

#include <cstdint>

namespace warpkit {

/// A calendar of results, and what knows who waits for them: the scoreboard or, for kernels with control bits, the
/// dependence counters in its place; and asynchronous copies, for kernels that have them.
class pending_results {
public:
    /// A result that will be written.
    struct result {
        warp_slot warp;
        std::uint32_t instruction = 0;
        friend bool operator==(result const&, result const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(warp, instruction);
        }
    };

    /// `n`: of which blocking_loads and the like matter. `code_levels`: whether there are instruction caches around the
    /// L1I.
    void begin_kernel(unsigned warp_slots, kernel_image const& image, core_numbers const& n,
                      bool code_levels) {
        scoreboard_ = scoreboard(warp_slots, image.registers());
        control_ = image.has_control() ? counters(warp_slots) : counters();
        copies_ = image.has_async_copies() ? async_copies(warp_slots) : async_copies();
        has_control_ = control_.in_use();
        has_copies_ = copies_.in_use();
        blocking_loads_ = n.blocking_loads != 0;
        atomics_ = heap_array<std::uint32_t>(n.blocking_atomics != 0 ? warp_slots : 0);
        more_ = has_control_ || n.register_banks != 0 || code_levels || image.uses_async_units();
        stages_at_ = never;
        in_classes_ = !has_control_ && !has_copies_ && !blocking_loads_ && atomics_.empty() &&
                      !image.uses_async_units() && scoreboard_.in_classes();
    }
    /// New warps are in these slots.
    void launch(warp_set const& slots) noexcept {
        if (has_control_) slots.for_each([&](warp_slot w) { control_.launch(w); });
        if (has_copies_) slots.for_each([&](warp_slot w) { copies_.launch(w); });
    }

    /// What keeps `d` of warp `w` from issuing at cycle `at` or later.
    hazard check(warp_slot w, decoded_instruction const& d, running_kernel const& code,
                 cycle at) const noexcept {
        if (has_copies_) [[unlikely]] {
            auto const& more = code.details(d);
            if (more.async.role == async_role::wait && copies_.must_wait(w, more.async.groups))
                return hazard::memory;
        }
        if (blocking_loads_ && scoreboard_.awaits_memory(w)) [[unlikely]]
            return hazard::memory;
        if (!atomics_.empty() && atomics_[w.index()] != 0) return hazard::memory;
        return has_control_ ? control_.check(w, code.details(d).control, at) : scoreboard_.check(w, d, code);
    }
    /// What `d` writes is pending from now on; whether the result comes from memory.
    void reserve(warp_slot w, decoded_instruction const& d, running_kernel const& code,
                 bool from_memory) noexcept {
        scoreboard_.reserve(w, d, code, from_memory);
        if (!atomics_.empty()) atomics_[w.index()] += is_atomic(d);
        if (has_copies_ && code.details(d).async.role == async_role::copy) copies_.issue(w, code.index_of(d));
    }
    /// `w` has issued a commit of asynchronous copies.
    void commit_copies(warp_slot w) noexcept {
        if (has_copies_) copies_.commit(w);
    }
    /// The result of `d` is written.
    void written(warp_slot w, decoded_instruction const& d, running_kernel const& code) noexcept {
        scoreboard_.release(w, d, code);
        if (!atomics_.empty()) atomics_[w.index()] -= is_atomic(d);
        if (has_copies_ && code.details(d).async.role == async_role::copy)
            copies_.arrive(w, code.index_of(d));
        if (has_control_) control_.written(w, code.details(d).counts);
    }
    /// Whether there are neither control bits nor copies nor units beside the warps, loads do not block, and the
    /// scoreboard's classes of registers tell all. So it is in most kernels, in which these do the same: Abbreviates
    /// `core::by_scoreboard`, register by register.
    bool in_classes() const noexcept { return in_classes_; }
    hazard check(warp_slot w, decoded_instruction const& d) const noexcept {
        return scoreboard_.check_class(w, d);
    }
    void reserve(warp_slot w, decoded_instruction const& d, bool from_memory) noexcept {
        scoreboard_.reserve_class(w, d, from_memory);
    }
    void written(warp_slot w, decoded_instruction const& d) noexcept { scoreboard_.release_class(w, d); }

    /// The result of instruction `instruction` of `w` will be written at `due`, after `now`.
    [[gnu::always_inline]] void write_at(cycle now, cycle due, warp_slot w, std::uint32_t instruction) {
        auto& r = calendar_.extend(now, due);
        r.warp = w;
        r.instruction = instruction;
    }
    /// `d` of `w`, with control bits, was issued. The number of operations that have thus begun, each of which will
    /// end.
    unsigned issued(cycle now, cycle operands_read, warp_slot w, decoded_instruction const& d,
                    running_kernel const& code) {
        auto const& more = code.details(d);
        return control_.issue(now, operands_read, w, more.control, more.counts);
    }
    /// Calls `write(result)` for each result that is due at `now`.
    template <class Write>
    [[gnu::always_inline]] void expire(cycle now, Write write) {
        calendar_.expire(now, write);
    }
    /// Whether dependence counters are in use. Then, in each cycle, `look(warp)` is called for each warp that may be
    /// able to issue now, or no longer, `ended(warp)` for each operation that has ended.
    bool has_control() const noexcept { return has_control_; }
    /// Whether there is more to do in a cycle than to write results: these counters, register banks, levels of
    /// instruction caches, or units beside the warps.
    bool has_more() const noexcept { return more_; }
    /// The stages of these have something to do from this cycle on.
    void stages_at(cycle at) noexcept { stages_at_ = at; }
    /// The same, if they have not sooner.
    void stages_from(cycle at) noexcept {
        if (at < stages_at_) stages_at_ = at;
    }
    template <class Look, class Ended>
    void expire_control(cycle now, Look look, Ended ended) {
        control_.expire(now, look, ended);
    }
    /// A cycle after `now` before which nothing is due.
    WARPKIT_FLATTENED cycle next(cycle now) const noexcept {
        auto const write = calendar_.next(now);
        if (!more_) return write;
        auto const stages = stages_at_ < write ? stages_at_ : write;
        if (!has_control_) return stages;
        auto const other = control_.next(now);
        return other < stages ? other : stages;
    }

    /// Whether no result is under way.
    bool empty() const noexcept { return calendar_.empty(); }
    /// Whether no register is pending.
    bool clear() const noexcept { return scoreboard_.clear(); }

    friend bool operator==(pending_results const&, pending_results const&) = default;
    WARPKIT_STORED_MEMBERS(11)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(scoreboard_, control_, copies_, calendar_);
    }

private:
    /// An arrival at an mbarrier blocks nobody.
    static bool is_atomic(decoded_instruction const& d) noexcept {
        return d.kind == op_class::atomic && d.is_memory;
    }
    using counters = dependence_counters<timing_wheel>;

    bool in_classes_ = false;
    bool has_control_ = false;
    bool has_copies_ = false;
    bool blocking_loads_ = false;
    bool more_ = false;
    scoreboard scoreboard_;
    timing_wheel<result> calendar_;
    counters control_;
    async_copies copies_;
    heap_array<std::uint32_t> atomics_; ///< of each warp, where they block
    cycle stages_at_ = never;
};

} // namespace warpkit
