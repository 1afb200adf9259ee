#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/program/program_points.hpp>
#include <warpkit/warp/age_matrix.hpp>
#include <warpkit/warp/concepts.hpp>
#include <warpkit/warp/oldest.hpp>
#include <warpkit/warp/priority_table.hpp>

#include <concepts>

namespace warpkit {

/// When a warp's distance to its next load is calculated, rather than counted down.
enum class recalculation : std::uint8_t {
    marked, ///< when a load issues, and on a branch as its recalculation bit says: the paper's hardware
    exact   ///< at every instruction: what the hardware approximates
};

namespace detail {
/// Numbers that were looked up lately, by instruction: a kernel asks for few, and for these again and again. It says
/// nothing that what is looked up does not, so that all are equal.
class looked_up {
public:
    template <class F>
    constexpr std::uint32_t operator()(std::uint32_t index, F&& look_up) noexcept {
        auto& e = entry_[index % entries_];
        if (e.index != index) e = {index, look_up()};
        return e.number;
    }
    friend constexpr bool operator==(looked_up const&, looked_up const&) noexcept { return true; }

private:
    static constexpr unsigned entries_ = 32;
    struct entry {
        std::uint32_t index = ~std::uint32_t{0};
        std::uint32_t number = 0;
    };
    entry entry_[entries_]{};
};
} // namespace detail

/// The candidate with the fewest instructions to go to its next memory load; the oldest of several.
///
/// A priority calculator holds the program points of the running kernel (program/program_points.hpp); a warp priority
/// table holds an 8-bit distance per warp, which falls by one with each instruction that the warp issues and is
/// calculated again when it issues a load, and on branches: when taken if the branch's recalculation bit is set, when
/// not taken if it is clear. The lower number is ahead. A kernel without code (as in tests) has no loads: oldest.
/// Source: ELF, Park, Park and Mahlke, SC 2015, sections 3.1 and 3.2; docs/model/warp_scheduling.md#nearest-load.
/// Differs from the paper, which is silent on: ties (here the oldest, as in its baseline); numbers beyond 8 bits (they
/// saturate); atomics that return a value (they count as loads); a loop's own branch when it is *not* taken although
/// its bit is set, or taken although it is clear: the number then stays as it was counted down, as the paper's rule has
/// it, and is stale until the next load or marked branch. `recalculation::exact` is there to see what that costs.
/// Options and When are fixed by the template arguments; with `run_time` for Options both are kept with the scheduler,
/// and begin as they are by default. Hardware cost: 42 bits per program point (valid, branch, 32-bit PC, 8-bit score)
/// and 8 bits per warp, Table 3; and an age matrix for ties, which the paper does not count.
template <auto Options = program_point_options{}, recalculation When = recalculation::marked>
class nearest_load {
    using kept = numbers<program_point_options, Options>;
    static_assert(kept::standard.max_score <= priority_table::most,
                  "warpkit: the warp priority table holds 8 bits: max_score must be at most 255");
    static_assert(kept::is_fixed || When == recalculation::marked,
                  "warpkit: nearest_load<run_time> keeps both its options and when it recalculates");

public:
    static constexpr char const* name() noexcept {
        if constexpr (When == recalculation::exact)
            return kept::standard.slots == unlimited_points ? "nearest_load<unlimited, exact>"
                                                            : "nearest_load<exact>";
        else
            return slots_name();
    }

    constexpr nearest_load() = default;
    /// Options known at run time: at most unlimited_points slots, and a max_score of at most 255.
    constexpr explicit nearest_load(program_point_options const& options,
                                    recalculation when = recalculation::marked) noexcept
        requires(!kept::is_fixed)
        : options_(options),
          when_(when) {
        if (options.max_score > priority_table::most) options_.get().max_score = priority_table::most;
    }

    constexpr warp_slot pick(warp_set candidates) const noexcept {
        auto const first = candidates.first();
        if (!first) return first;
        auto others = candidates;
        others.erase(first);
        return others ? age_.oldest_of(distance_.least_of(candidates)) : first;
    }
    /// The members of `among` that would be picked before `w`.
    constexpr warp_set ahead_of(warp_slot w, warp_set among) const noexcept {
        return distance_.below(w, among) | (distance_.equal_to(w, among) & age_.older_than(w));
    }

    constexpr void on(kernel_began const& e) {
        auto const options = options_;
        auto const when = when_;
        *this = {};
        options_ = options;
        when_ = when;
        instruction_bytes_ = e.instruction_bytes;
        code_ = e.code;
        std::uint32_t const instructions = code_ == nullptr ? std::uint32_t{0} : e.instructions.get();
        if constexpr (!kept::is_fixed)
            points_ = program_points<Options>(code_, instructions, options_.get());
        else if (code_ != nullptr)
            points_ = program_points<Options>(code_, instructions);
    }
    constexpr void on(kernel_ended const&) noexcept { code_ = nullptr; }
    constexpr void on(cta_launched const& e) noexcept {
        age_.launch(e.warps);
        distance_.set(e.warps, points_.distance(0));
    }
    constexpr void on(issued const& e) noexcept {
        if (code_ == nullptr) return;
        auto const at = e.pc / instruction_bytes_;
        if (recalculates_always() || is_program_load(code_[at]))
            calculate(e.warp, at + 1);
        else
            distance_.decrement(e.warp);
    }
    constexpr void on(branched const& e) noexcept {
        if (code_ == nullptr) return;
        if (recalculates_always() || e.taken == bit_at(e.pc / instruction_bytes_))
            calculate(e.warp, e.next_pc / instruction_bytes_);
    }
    /// Paths that meet again move a warp on without a branch.
    constexpr void on(next_decoded const& e) noexcept
        requires(!kept::is_fixed || When == recalculation::exact) {
        if (recalculates_always() && code_ != nullptr)
            calculate(e.warp, e.pc / instruction_bytes_);
    }

    /// How far the table says that a warp is from its next load.
    constexpr unsigned distance(warp_slot w) const noexcept { return distance_[w]; }
    constexpr program_points<Options> const& points() const noexcept { return points_; }

    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        return hardware_cost_list{}
            .add("priority calculator", std::uint64_t{options_->slots} * (1 + 1 + 32 + 8))
            .add("warp priority table", std::uint64_t{shape.warp_slots} * priority_table::bits)
            .add(hardware_cost_of<oldest>(shape));
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        auto& o = self.options_.get();
        f(parameter{"points", "program points that the hardware holds", 1, unlimited_points}, o.slots);
        f(parameter{"max_score", "instructions to the next load that a score can tell", 1,
                    priority_table::most},
          o.max_score);
        f(parameter{"forward_branches", "whether forward branches are points, too"}, o.forward_branches);
        f(parameter{"merge", "how far apart two points are that become one: by their PCs, or as the paper's "
                             "listing has it"},
          o.merge, merge_words_);
        f(parameter{"recalculation",
                    "of a warp's distance: at loads and branches as they are marked, or everywhere"},
          self.when_, recalculation_words_);
    }
    WARPKIT_STORED_MEMBERS(9)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(options_->slots, options_->max_score, options_->forward_branches, options_->merge,
          recalculates_always());
        f(distance_, age_, points_, instruction_bytes_);
    }
    friend bool operator==(nearest_load const&, nearest_load const&) = default;

private:
    static constexpr parameter_word<point_merge> merge_words_[] = {{"pc_distance", point_merge::pc_distance},
                                                                   {"literal", point_merge::literal}};
    static constexpr parameter_word<recalculation> recalculation_words_[] = {
        {"marked", recalculation::marked}, {"exact", recalculation::exact}};
    /// When, fixed or kept.
    struct fixed_when {
        constexpr operator recalculation() const noexcept { return When; }
        friend bool operator==(fixed_when, fixed_when) = default;
    };
    constexpr void calculate(warp_slot w, std::uint32_t index) noexcept {
        distance_.set(w, distances_(index, [&] { return points_.distance(index); }));
    }
    constexpr bool bit_at(std::uint32_t index) noexcept {
        return bits_(index, [&] { return std::uint32_t{points_.recalculation_bit(code_, index)}; }) != 0;
    }
    constexpr bool recalculates_always() const noexcept { return when_ == recalculation::exact; }
    static constexpr char const* slots_name() noexcept {
        if constexpr (kept::standard == program_point_options{})
            return "nearest_load";
        else if constexpr (kept::standard.forward_branches)
            return "nearest_load<forward branches>";
        else if constexpr (kept::standard.merge == point_merge::literal)
            return "nearest_load<literal merge>";
        else if constexpr (kept::standard.slots == unlimited_points)
            return "nearest_load<unlimited>";
        else
            return composed_name<text, number_in_name<kept::standard.slots>>::name();
    }
    struct text {
        static constexpr char const* name() noexcept { return "nearest_load"; }
    };

    [[no_unique_address]] kept options_;
    [[no_unique_address]] std::conditional_t<kept::is_fixed, fixed_when, recalculation> when_{};
    priority_table distance_;
    age_matrix age_;
    program_points<Options> points_;
    detail::looked_up distances_; ///< of points_
    detail::looked_up bits_;      ///< for recalculation, of points_ and the code
    static_instruction const* code_ =
        nullptr; ///< the compiler's bits are read off it; alive until kernel_ended
    std::uint32_t instruction_bytes_ = 8;
};
static_assert(warp_order<nearest_load<>> && hears<nearest_load<>, issued> && hears<nearest_load<>, branched>);

} // namespace warpkit
