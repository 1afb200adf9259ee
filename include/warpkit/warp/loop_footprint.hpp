#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/program/static_instruction.hpp>
#include <warpkit/warp/age_matrix.hpp>
#include <warpkit/warp/concepts.hpp>
#include <warpkit/warp/waiting_warps.hpp>

#include <bit>
#include <cstdint>

namespace warpkit {

/// The constants of loop_footprint.
struct loop_footprint_numbers {
    std::uint32_t percent = 60; ///< of the L1's lines that all footprints together may take
    std::uint32_t lines =
        0; ///< in the L1; 0: as many as kernel_began tells, or no limit where there is no L1
    std::uint32_t divergent_above =
        2; ///< lines per execution, on average, from which on a load counts as divergent
    std::uint32_t repeats_from =
        25; ///< per cent of its accesses that hit, from which on a load counts as repeating
    std::uint32_t unknown_below = 32; ///< accesses; until then a load counts as repeating
    friend bool operator==(loop_footprint_numbers const&, loop_footprint_numbers const&) = default;
};

/// Divergence-aware: denies loads inside loops to those warps whose footprints no longer fit into the L1.
///
/// A warp in a loop is expected to need, for each load of the loop that repeats itself, as many lines as it has active
/// lanes if the load diverges, and one if not. The oldest warps are admitted as long as the sum fits (the first one in
/// any case); warps at a barrier or fence need nothing meanwhile, so whom they wait for comes in. Outside loops, and of
/// anything but loads, nothing is denied. Loops are the ranges of code that branches back span, nested or overlapping
/// ones as one; at most 16, with at most 64 loads, the first ones of the program. Which loads diverge and which repeat
/// is learned from their accesses as they run.
/// Source: in the style of DAWS (Rogers, O'Connor and Aamodt, MICRO 2013;
/// docs/model/warp_scheduling.md#loop-footprints). No claim of fidelity: its text was not at hand.
/// Differs from what is told of it: no victim tags speak for warps outside loops (for that, put lost_locality in
/// front); budget, warps and samples are per scheduler. Numbers are fixed by the template argument; with `run_time`
/// they are kept with the scheduler, and begin as they are by default. Hardware cost: per load two counters and its
/// class, per warp its loop and active lanes, and an age matrix.
template <auto Numbers = loop_footprint_numbers{}>
class loop_footprint {
    using kept = numbers<loop_footprint_numbers, Numbers>;

public:
    static constexpr char const* name() noexcept { return "loop_footprint"; }
    static constexpr unsigned max_loops = 16;
    static constexpr unsigned max_loads = 64;

    constexpr loop_footprint() = default;
    constexpr explicit loop_footprint(loop_footprint_numbers const& n) noexcept requires(!kept::is_fixed)
        : numbers_(n) {}

    constexpr warp_set eligible(warp_set candidates, issue_classes const& classes) const noexcept {
        return candidates - (classes.loads & (looping_ - admitted_));
    }

    constexpr void on(kernel_began const& e) {
        auto const n = numbers_;
        *this = {};
        numbers_ = n;
        instruction_bytes_ = e.instruction_bytes;
        lines_ = numbers_->lines;
        if (lines_ == 0) lines_ = e.l1_lines;
        if (lines_ == 0) lines_ = ~std::uint32_t{0};
        find_loops(e.code, e.instructions);
    }
    constexpr void on(scheduler_began const& e) noexcept {
        owned_ = e.owned;
        schedulers_ = e.schedulers;
    }
    constexpr void on(cta_launched const& e) noexcept {
        age_.launch(e.warps);
        warps_.on(e);
        looping_ -= e.warps;
        admit();
    }
    constexpr void on(warp_exited const& e) noexcept {
        looping_.erase(e.warp);
        change(e);
    }
    constexpr void on(blocked const& e) noexcept {
        if (e.reason == block_reason::barrier || e.reason == block_reason::fence) change(e);
    }
    constexpr void on(unblocked const& e) noexcept {
        if (e.reason == block_reason::barrier || e.reason == block_reason::fence) change(e);
    }
    constexpr void on(barrier_arrived const& e) noexcept { change(e); }
    constexpr void on(barrier_released const& e) noexcept { change(e); }

    constexpr void on(issued const& e) noexcept {
        auto const index = e.pc / instruction_bytes_;
        auto& w = warp_[e.warp.index()];
        auto const loop = loop_at(index, w.loop);
        auto const active = static_cast<std::uint8_t>(std::popcount(e.active));
        bool const inside = loop != no_loop_;
        bool const same =
            inside == looping_.contains(e.warp) && (!inside || (w.loop == loop && w.lanes == active));
        if (inside && e.kind == issue_class::load)
            if (auto* const l = load_at(index)) ++l->issues;
        if (same) return;
        w = {static_cast<std::uint8_t>(inside ? loop : 0), active};
        looping_.assign(e.warp, inside);
        admit();
    }
    constexpr void on(l1_accessed const& e) noexcept {
        if (e.kind != access_kind::load || !owned_.contains(e.warp)) return;
        auto* const l = load_at(e.pc / instruction_bytes_);
        if (l == nullptr) return;
        ++l->accesses;
        l->hits += e.outcome == cache_outcome::hit;
        if (auto const c = class_of(*l); c != l->what) {
            count(*l, -1);
            l->what = c;
            count(*l, 1);
            admit();
        }
    }

    /// Who is in a loop, and who of them may issue loads.
    constexpr warp_set looping() const noexcept { return looping_; }
    constexpr warp_set admitted() const noexcept { return admitted_; }
    /// The lines that a warp is expected to need; 0 outside loops.
    constexpr std::uint32_t footprint(warp_slot w) const noexcept {
        if (!looping_.contains(w)) return 0;
        auto const& loop = loop_[warp_[w.index()].loop];
        return loop.narrow + loop.divergent * warp_[w.index()].lanes;
    }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        auto const n = std::uint64_t{shape.warps_per_scheduler()};
        return hardware_cost_list{}
            .add("loads of loops", shape.schedulers * std::uint64_t{max_loads} * (3 * 32 + 2))
            .add("loops and active lanes of warps", std::uint64_t{shape.warp_slots} * (5 + 6))
            .add("age matrix", shape.schedulers * (n * (n - 1) / 2));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        auto& n = self.numbers_.get();
        f(parameter{"percent", "of the lines in the L1 that all footprints together may take", 0, 1'000'000},
          n.percent);
        f(parameter{"lines", "in the L1; 0: as many as it has, without one no limit"}, n.lines);
        f(parameter{"divergent_above", "lines per execution from which on a load counts as divergent", 0, 32},
          n.divergent_above);
        f(parameter{"repeats_from",
                    "per cent of its accesses that hit, from which on a load counts as repeating", 0, 100},
          n.repeats_from);
        f(parameter{"unknown_below", "accesses; until then a load counts as repeating"}, n.unknown_below);
    }
    WARPKIT_STORED_MEMBERS(14)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(numbers_->percent, numbers_->lines, numbers_->divergent_above, numbers_->repeats_from,
          numbers_->unknown_below);
        f(age_, warps_, owned_, looping_, admitted_, lines_, schedulers_, instruction_bytes_, loops_, loads_);
        for (auto const& w : warp_) f(w.loop, w.lanes);
        for (auto const& l : loop_) f(l.begin, l.end, l.narrow, l.divergent);
        for (auto const& l : load_) f(l.index, l.loop, l.accesses, l.issues, l.hits, l.what);
    }
    friend bool operator==(loop_footprint const&, loop_footprint const&) = default;

private:
    static constexpr std::uint32_t no_loop_ = 0xff;
    enum class load_class : std::uint8_t { narrow, divergent, passing };
    struct looping_load {
        std::uint32_t index = 0;
        std::uint32_t loop = 0;
        std::uint32_t accesses = 0;
        std::uint32_t issues = 0;
        std::uint32_t hits = 0;
        load_class what = load_class::narrow;
        friend bool operator==(looping_load const&, looping_load const&) = default;
    };
    struct code_range {
        std::uint32_t begin = 0; ///< first instruction
        std::uint32_t end = 0;   ///< behind the last
        std::uint32_t narrow = 0;
        std::uint32_t divergent = 0; ///< its loads that repeat themselves
        friend bool operator==(code_range const&, code_range const&) = default;
    };
    struct place {
        std::uint8_t loop = 0;
        std::uint8_t lanes = 0;
        friend bool operator==(place const&, place const&) = default;
    };

    constexpr load_class class_of(looping_load const& l) const noexcept {
        if (l.accesses >= numbers_->unknown_below &&
            l.hits * 100ULL < l.accesses * std::uint64_t{numbers_->repeats_from})
            return load_class::passing;
        return l.accesses > std::uint64_t{l.issues} * numbers_->divergent_above ? load_class::divergent
                                                                                : load_class::narrow;
    }
    constexpr void count(looping_load const& l, int by) noexcept {
        auto& into = loop_[l.loop];
        if (l.what == load_class::narrow) into.narrow += static_cast<std::uint32_t>(by);
        if (l.what == load_class::divergent) into.divergent += static_cast<std::uint32_t>(by);
    }
    constexpr void find_loops(static_instruction const* code, std::uint32_t size) noexcept {
        for (std::uint32_t i = 0; i < size; ++i) {
            if (code[i].kind != op_class::branch || code[i].target > i) continue;
            auto begin = code[i].target;
            // Ends come in ascending order: only the last loops can overlap.
            while (loops_ != 0 && loop_[loops_ - 1].end > begin) {
                --loops_;
                if (loop_[loops_].begin < begin) begin = loop_[loops_].begin;
                loop_[loops_] = {};
            }
            if (loops_ == max_loops) break;
            loop_[loops_++] = {begin, i + 1, 0, 0};
        }
        for (std::uint32_t k = 0; k < loops_; ++k)
            for (auto i = loop_[k].begin; i != loop_[k].end && loads_ != max_loads; ++i)
                if (code[i].kind == op_class::load && code[i].space != memory_space::shared &&
                    code[i].space != memory_space::constant) {
                    load_[loads_] = {i, k, 0, 0, 0, load_class::narrow};
                    count(load_[loads_++], 1);
                }
    }
    /// The loop around an instruction, most likely `guess`; or none.
    constexpr std::uint32_t loop_at(std::uint32_t index, std::uint32_t guess) const noexcept {
        auto const around = [&](std::uint32_t k) { return loop_[k].begin <= index && index < loop_[k].end; };
        if (around(guess)) return guess;
        for (std::uint32_t k = 0; k < loops_; ++k)
            if (around(k)) return k;
        return no_loop_;
    }
    constexpr looping_load* load_at(std::uint32_t index) noexcept {
        unsigned low = 0;
        for (auto high = loads_; low < high;) {
            auto const middle = (low + high) / 2;
            if (load_[middle].index < index)
                low = middle + 1;
            else
                high = middle;
        }
        return low < loads_ && load_[low].index == index ? &load_[low] : nullptr;
    }
    template <class E>
    constexpr void change(E const& e) noexcept {
        warps_.on(e);
        admit();
    }
    constexpr void admit() noexcept {
        admitted_ = {};
        auto const budget = std::uint64_t{lines_} * numbers_->percent / 100 / schedulers_;
        std::uint64_t sum = 0;
        for (auto rest = looping_ & (warps_.live() - (warps_.at_barrier() | warps_.at_fence())); rest;) {
            auto const next = age_.oldest_of(rest);
            rest.erase(next);
            sum += footprint(next);
            if (admitted_ && sum > budget) break;
            admitted_.insert(next);
        }
    }

    [[no_unique_address]] kept numbers_;
    age_matrix age_;
    waiting_warps warps_;
    warp_set owned_ = ~warp_set{};
    warp_set looping_; ///< the scheduler's own
    warp_set admitted_;
    std::uint32_t lines_ = 128;
    std::uint32_t schedulers_ = 1;
    std::uint32_t instruction_bytes_ = 8;
    std::uint32_t loops_ = 0;
    std::uint32_t loads_ = 0;
    place warp_[warp_set::width]{};
    code_range loop_[max_loops]{};   ///< in the order of the program, apart from each other
    looping_load load_[max_loads]{}; ///< of all loops, in the order of the program
};
static_assert(eligibility<loop_footprint<>> && narrows_by_class<loop_footprint<>>);

} // namespace warpkit
