#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/stored_members.hpp>
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
/// The scheduler's warps stand in a line, the most critical first, which a pick goes along until it finds a candidate;
/// where few can issue, it compares their places instead. Numbers change with each issue, and places only when another
/// warp's begin to: until then the line is right but for one warp, `moved_`, which a pick weighs by itself.
/// Source: the criticality predictor of CAWA (Lee, Arunkumar and Wu, ISCA 2015), instructions and stalls, by its
/// abstract and by how others have implemented it (docs/model/warp_scheduling.md#criticality). Its text was not at
/// hand.
/// Differs from what is told of it: the guess starts at the length of the program, not at nothing, and is never below
/// 0; fractions are cut off. Its cache partitioning is not part of a scheduler. Hardware cost: per warp a guess, a
/// count of instructions and three of cycles, and an age matrix.
class most_critical {
public:
    static constexpr char const* name() noexcept { return "most_critical"; }

    constexpr most_critical() noexcept { line_up(~warp_set{}); }

    constexpr warp_slot pick(warp_set candidates) const noexcept {
        auto others = candidates;
        if (moved_) others.erase(moved_);
        auto const best = first_in_line(others);
        if (!candidates.contains(moved_)) return best;
        return !best || ahead(moved_, criticality(warp_[moved_.index()]), best) ? moved_ : best;
    }

    constexpr void on(kernel_began const& e) {
        *this = {};
        instruction_bytes_ = e.instruction_bytes;
        instructions_ = e.instructions;
    }
    constexpr void on(scheduler_began const& e) noexcept { line_up(e.owned); }
    constexpr void on(cta_launched const& e) noexcept {
        auto const mine = e.warps & owned_;
        if (!mine) return;
        put_back();
        join(mine, e.at);
    }
    constexpr void on(warp_exited const& e) noexcept {
        if (!owned_.contains(e.warp)) return;
        move(e.warp);
        warp_[e.warp.index()] = {.number = never}; // behind all that live
        put_back();
    }
    constexpr void on(issued const& e) noexcept {
        move(e.warp);
        auto& w = warp_[e.warp.index()];
        w.remaining -= w.remaining != 0;
        if (e.at > w.last_issue + 1) w.stalled += e.at - w.last_issue - 1;
        w.last_issue = e.at;
        ++w.issued;
    }
    constexpr void on(branched const& e) noexcept {
        if (!owned_.contains(e.warp)) return;
        move(e.warp);
        auto& w = warp_[e.warp.index()];
        if (e.next_pc <= e.pc) {
            w.remaining += (e.pc - e.next_pc) / instruction_bytes_ + 1;
        } else {
            auto const skipped = (e.next_pc - e.pc) / instruction_bytes_ - 1;
            w.remaining -= skipped < w.remaining ? skipped : w.remaining;
        }
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        auto const n = std::uint64_t{shape.warps_per_scheduler()};
        return hardware_cost_list{}
            .add("criticality counters", std::uint64_t{shape.warp_slots} * 5 * 32)
            .add("age matrix", shape.schedulers * (n * (n - 1) / 2));
    }
    WARPKIT_STORED_MEMBERS(10)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(owned_, moved_, launched_, instructions_, instruction_bytes_);
        for (unsigned place = 0; place < count_; ++place) {
            auto const w = line_[place];
            f(w, warp_[w], criticality_[w]);
        }
    }
    friend bool operator==(most_critical const&, most_critical const&) = default;

private:
    struct progress {
        cycle launched = 0;
        cycle last_issue = 0;
        std::uint64_t stalled = 0;
        std::uint64_t remaining = 0; ///< instructions, as far as can be guessed
        std::uint64_t issued = 0;
        std::uint64_t number = 0; ///< of its launch: the lower is older
        friend bool operator==(progress const&, progress const&) = default;
    };
    static constexpr std::uint64_t criticality(progress const& w) noexcept {
        auto const cycles = w.last_issue >= w.launched ? w.last_issue - w.launched + 1 : 1;
        return w.remaining * cycles / (w.issued == 0 ? 1 : w.issued) + w.stalled;
    }
    /// Whether `w`, with this criticality, goes before `other`, which is not moved_.
    constexpr bool ahead(warp_slot w, std::uint64_t its, warp_slot other) const noexcept {
        auto const others = criticality_[other.index()];
        return its > others || (its == others && warp_[w.index()].number < warp_[other.index()].number);
    }
    constexpr warp_slot at(unsigned place) const noexcept { return warp_slot{line_[place]}; }

    /// Of these, none of which is moved_.
    constexpr warp_slot first_in_line(warp_set among) const noexcept {
        auto best = among.first();
        if (!best) return best;
        auto rest = among;
        rest.erase(best);
        if (!rest) return best;
        constexpr unsigned near = 4; // places that are looked at before candidates are compared
        for (unsigned place = 0; place < near; ++place)
            if (among.has(at(place))) return at(place);
        rest.for_each([&](warp_slot w) {
            if (place_[w.index()] < place_[best.index()]) best = w;
        });
        return best;
    }

    /// The numbers of `w` are about to change.
    constexpr void move(warp_slot w) noexcept {
        if (w == moved_) return;
        put_back();
        moved_ = w;
    }
    /// To its place in the line. Never inlined, so that a warp that goes on issuing pays nothing for it.
    [[gnu::noinline]] constexpr void put_back() noexcept {
        if (!moved_) return;
        auto const w = moved_;
        moved_ = no_warp;
        auto const its = criticality(warp_[w.index()]);
        criticality_[w.index()] = its;
        unsigned place = place_[w.index()];
        for (; place != 0 && ahead(w, its, at(place - 1)); --place) stand(at(place - 1), place);
        for (; place + 1 < count_ && !ahead(w, its, at(place + 1)); ++place) stand(at(place + 1), place);
        stand(w, place);
    }
    constexpr void stand(warp_slot w, unsigned place) noexcept {
        line_[place] = static_cast<slot_number>(w.index());
        place_[w.index()] = static_cast<slot_number>(place);
    }
    /// Warps that begin: the youngest of those that are as critical.
    constexpr void join(warp_set warps, cycle now) noexcept {
        unsigned others = 0;
        for (unsigned place = 0; place < count_; ++place)
            if (!warps.has(at(place))) stand(at(place), others++);
        auto end = count_;
        while (others != 0 && criticality_[line_[others - 1]] < instructions_) stand(at(--others), --end);
        warps.for_each([&](warp_slot w) {
            warp_[w.index()] = {now, now, 0, instructions_, 0, launched_++};
            criticality_[w.index()] = instructions_;
            stand(w, others++);
        });
    }
    /// These are the scheduler's, in the order of their slots.
    constexpr void line_up(warp_set owned) noexcept {
        owned_ = owned;
        count_ = 0;
        owned.for_each([&](warp_slot w) {
            warp_[w.index()] = {};
            warp_[w.index()].number = w.index();
            stand(w, count_++);
        });
    }

    progress warp_[warp_set::width]{};
    std::uint64_t criticality_[warp_set::width]{};
    slot_number line_[warp_set::width]{};  ///< slots, the most critical first, but for moved_
    slot_number place_[warp_set::width]{}; ///< in the line, by slot
    unsigned count_ = 0;                   ///< warps in the line
    warp_slot moved_;                      ///< whose numbers have changed since it got its place, if any
    warp_set owned_;
    std::uint64_t launched_ = warp_set::width; ///< what the next warp's number is
    std::uint32_t instructions_ = 0;
    std::uint32_t instruction_bytes_ = 8;
};
static_assert(warp_order<most_critical> && hears<most_critical, branched>);

} // namespace warpkit
