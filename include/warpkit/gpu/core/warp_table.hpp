#pragma once
/// \file
/// The warps and thread blocks resident on one core, and the bit masks over them that the stages work with.
///
/// In the reference: `core::resident_warp` and `core::resident_cta`, warp by warp (reference/core.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/machine/cta_barriers.hpp>
#include <warpkit/machine/transaction_barriers.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/stream.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace warpkit {

/// One resident warp.
struct resident_warp {
    stream_cursor at;                 ///< the next instruction to issue
    std::uint16_t cta = 0;            ///< its CTA slot
    std::uint16_t in_cta = 0;         ///< its number in the CTA
    std::uint8_t buffered = 0;        ///< decoded instructions in its buffer
    unit_kind wanted = unit_kind::sp; ///< by its next instruction
    std::uint32_t outstanding = 0;    ///< results not yet written, and bytes of stores not yet acknowledged
    friend bool operator==(resident_warp const&, resident_warp const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(cta, in_cta, buffered, outstanding);
    }
};

/// One resident CTA.
struct resident_cta {
    std::uint64_t linear_id = 0;
    bool busy = false;
    warp_set warps;          ///< all its slots
    warp_set live;           ///< those not exited
    unsigned unfinished = 0; ///< warps that are live or wait for outstanding memory operations
    cta_barriers barriers;
    transaction_barriers phases;
    cta_stream stream;
    friend bool operator==(resident_cta const&, resident_cta const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(linear_id, busy, warps, live, unfinished, barriers, phases);
    }
};

/// What is resident on a core. The masks say of each warp slot what its next instruction would need; they are kept up
/// to date by the stages, so that an issue decision is a handful of set operations.
struct warp_table {
    heap_array<resident_cta> cta;
    heap_array<resident_warp> warp;

    warp_set live;          ///< has instructions left
    warp_set buffered;      ///< has a decoded instruction
    warp_set hazard;        ///< its next instruction waits for a register
    warp_set hazard_memory; ///< ... that a memory operation will write
    warp_set translating;   ///< of which a transaction waits for its page
    warp_set waiting;       ///< at a barrier or fence, or for a phase of an mbarrier
    warp_set fencing;       ///< at a fence: until its memory operations are done
    warp_set redirected;    ///< its buffer was flushed by a control transfer and has not been refilled
    std::array<warp_set, unit_kind_count>
        wants{}; ///< by unit kind of the next instruction; each warp is in one

    warp_table() = default;
    [[gnu::cold]] warp_table(unsigned warp_slots, unsigned cta_slots) : cta(cta_slots), warp(warp_slots) {
        wants[static_cast<unsigned>(unit_kind::sp)] = warp_set::first_n(warp_slots);
    }

    /// The next instruction of `w` is for units of this kind.
    void want(warp_slot w, unit_kind k) noexcept { want(w, warp[w.index()], k); }
    void want(warp_slot w, resident_warp& r, unit_kind k) noexcept {
        auto& now = r.wanted;
        if (now == k) return;
        wants[static_cast<unsigned>(now)].erase(w);
        wants[static_cast<unsigned>(k)].insert(w);
        now = k;
    }

    warp_stream const& stream(warp_slot w) const noexcept {
        auto const& r = warp[w.index()];
        return cta[r.cta].stream.warps[r.in_cta];
    }
    std::uint32_t next_instruction(warp_slot w) const noexcept { return warp[w.index()].at.instruction(); }
    warp_set const& wanting(unit_kind k) const noexcept { return wants[static_cast<unsigned>(k)]; }
    /// Can issue, if their unit can take them.
    warp_set ready() const noexcept { return buffered - hazard - waiting; }
    /// Whether it matters when the last outstanding operation of `w` ends: of so few that one asks this first, which is
    /// easier to guess.
    bool awaits_operations(warp_slot w) const noexcept { return (fencing | ~live).has(w); }
    /// OWL's MemoryBlockCycles: there are live warps, and each waits for memory or, at a barrier, for one that does.
    bool blocked_on_memory() const noexcept {
        if (!live) return false;
        auto const others = live - hazard_memory;
        if (!others) return true;
        if (others - waiting) return false;
        bool all = true;
        for (auto const& c : cta)
            if (c.busy && (c.live & others) && !(c.live & hazard_memory)) all = false;
        return all;
    }
    /// Nobody is there, and nothing of those who were.
    [[gnu::cold]] bool clear() const noexcept {
        if (live || buffered || hazard || hazard_memory || waiting || fencing || redirected) return false;
        for (auto const& w : warp)
            if (w.outstanding != 0 || w.buffered != 0) return false;
        for (auto const& c : cta)
            if (c.busy) return false;
        return true;
    }
    /// For the report of a stuck machine: what each kind of waiting warp waits for, and who waits for whom.
    /// `lacks(warp)`: what the units beside the warps have not for it, or nothing.
    template <class Lacks>
    [[gnu::cold]] std::string whom_it_waits_for(static_program const& code, Lacks const& lacks) const {
        std::string text;
        auto const say = [&text](warp_set const& who, char const* what) __attribute__((cold)) {
            if (!who) return;
            text += joined({text.empty() ? "" : ", ", who.size(), " warps ", what, " (first: warp ",
                            who.first().index(), ")"});
        };
        say(waiting - fencing, "wait at a barrier");
        say(fencing, "wait at a fence");
        say((hazard & hazard_memory) - waiting, "wait for memory");
        say(hazard - hazard_memory - waiting, "wait for a result");
        say(ready(), "could issue, but their scheduler or unit does not take them");
        say(live - buffered - waiting, "wait for instructions");
        if (text.empty()) return "waits for outstanding stores";
        return text + chain_from(waiting ? waiting.first() : live.first(), code, lacks);
    }

    friend bool operator==(warp_table const&, warp_table const&) = default;
    WARPKIT_STORED_MEMBERS(11)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(warp, cta, live, buffered, hazard, hazard_memory, waiting, fencing, redirected, wants);
    }

private:
    /// Who waits for whom, beginning with `w`: ends with one who waits for no other warp, or for one who is not there.
    template <class Lacks>
    [[gnu::cold]] std::string chain_from(warp_slot w, static_program const& code, Lacks const& lacks) const {
        auto const& c = cta[warp[w.index()].cta];
        auto text = joined({"; in CTA ", c.linear_id});
        for (char const* before = ": "; w != no_warp; before = " -> ") {
            text += joined({before, "warp ", w.index()});
            auto const next = next_instruction(w);
            if (next < code.instructions.size() && code.instructions[next].source_line != 0)
                text += joined({", before line ", code.instructions[next].source_line, ","});
            auto const barrier = c.barriers.of(w);
            if (auto const phase = c.phases.awaited_by(w); phase.events != 0) {
                text += joined({" waits for phase ", phase.phase, " of its CTA's mbarriers, which ",
                                phase.events, " arrivals or copies have yet to complete"});
                break;
            }
            if (fencing.contains(w) || barrier == cta_barriers::count) {
                auto const lacking = lacks(w);
                text += lacking.empty() ? what_holds(w) : lacking;
                break;
            }
            auto const expected = c.barriers.expected(barrier);
            text += joined({" waits at barrier ", barrier, ", which ", c.barriers.arrived(barrier), " of ",
                            expected != 0 ? expected : c.live.size(), " have reached"});
            w = (c.live - waiting).first(); // others who wait do so at another one
            if (w == no_warp) text += " -> nobody who could reach it";
        }
        return text;
    }
    [[gnu::cold]] std::string what_holds(warp_slot w) const {
        auto const outstanding = warp[w.index()].outstanding;
        if (fencing.contains(w)) return joined({" waits at a fence: ", outstanding, " outstanding"});
        if (hazard.contains(w) && hazard_memory.contains(w))
            return joined({" waits for memory: ", outstanding, " outstanding"});
        if (hazard.contains(w)) return " waits for a result";
        if (!buffered.contains(w)) return " waits for instructions";
        return " could issue, but its scheduler or unit does not take it";
    }
};

} // namespace warpkit
