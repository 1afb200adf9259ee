#pragma once
/// \file
/// Program points: the few places of a program from which a warp's distance to its next memory load can be told at any
/// instruction, and the distances. Light: a policy header may include it.
///
/// Source: ELF (Park, Park and Mahlke, SC 2015), section 3.1, Algorithms 1 and 2, and section 3.2; the readings of
/// docs/model/program_analysis.md#program-points.

#include <warpkit/base/number.hpp>
#include <warpkit/program/static_instruction.hpp>

#include <cstdint>

namespace warpkit {

/// How far apart are two points that are to become one? (Algorithm 2.)
enum class point_merge : std::uint8_t {
    pc_distance, ///< as many instructions as lie between them
    literal ///< as the listing has it: what an earlier merge put into the later point's score counts again
};

/// What the hardware gives the compiler beforehand, and what the paper leaves open.
struct program_point_options {
    std::uint32_t slots = 32;      ///< points that the hardware holds
    std::uint32_t max_score = 255; ///< what the score field holds; the paper's "256" in 8 bits saturates
    bool forward_branches = false; ///< whether forward branches are points, too
    point_merge merge = point_merge::pc_distance;
    friend constexpr bool operator==(program_point_options const&, program_point_options const&) = default;
};

/// Slots enough for all points of any kernel that we know (the paper's largest has 94).
inline constexpr std::uint32_t unlimited_points = 512;

/// A load, or a branch behind which the nearest load may be another one.
struct program_point {
    std::uint32_t index = 0; ///< of its instruction
    std::uint16_t score =
        0; ///< branch: distance to the nearest load behind it; load: to the earliest point merged into it
    std::uint16_t is_branch = 0;
    friend constexpr bool operator==(program_point const&, program_point const&) = default;
};

/// A load that ELF waits for: of global, local or texture memory, or an atomic that returns a value.
constexpr bool is_program_load(static_instruction const& i) noexcept {
    if (i.kind != op_class::load && i.kind != op_class::atomic) return false;
    if (i.kind == op_class::atomic && i.destinations == 0) return false;
    return i.space == memory_space::global || i.space == memory_space::local ||
           i.space == memory_space::generic || i.space == memory_space::texture;
}

/// The program points of one kernel, in program order, at most Options.slots of them. Options are fixed by the template
/// argument; with `run_time` they are given to the constructor, at most unlimited_points of them.
///
/// Distances count static instructions in the order of the program, across exits and jumps, because that is what
/// hardware can tell from two PCs (docs/model/program_analysis.md#program-points). Where points cannot be merged
/// (Algorithm 2 merges only into loads) and still find no slot, those at the end of the program are left out.
template <auto Options = program_point_options{}>
class program_points {
    using kept = numbers<program_point_options, Options>;
    static_assert(kept::standard.slots > 0, "warpkit: program points need at least one slot");
    static_assert(kept::standard.max_score > 0 && kept::standard.max_score < 0xffff,
                  "warpkit: a score has 16 bits here: max_score must be from 1 to 65534");

public:
    /// The most that there can be.
    static constexpr std::uint32_t most = kept::is_fixed ? kept::standard.slots : unlimited_points;

    constexpr program_points() = default;
    /// The points of `count` instructions.
    constexpr program_points(static_instruction const* code, std::uint32_t count) { choose(code, count); }
    /// The same with options known at run time; no slot is read as one, and so is no score.
    constexpr program_points(static_instruction const* code, std::uint32_t count,
                             program_point_options const& options) requires(!kept::is_fixed)
        : options_(options) {
        auto& o = options_.get();
        o.slots = o.slots < 1 ? 1 : o.slots < most ? o.slots : most;
        o.max_score = o.max_score < 1 ? 1 : o.max_score < 0xffff ? o.max_score : 0xfffe;
        choose(code, count);
    }

    constexpr std::uint32_t size() const noexcept { return count_; }
    constexpr program_point const& operator[](std::uint32_t i) const noexcept { return point_[i]; }
    /// How many there were before merging: the PP column of ELF's Table 2.
    constexpr std::uint32_t found() const noexcept { return found_; }

    /// How many instructions a warp at `index` is from its next load, as the priority calculator tells it; max_score if
    /// there is none, or if it is that far. 0 for a warp at a load.
    constexpr std::uint32_t distance(std::uint32_t index) const noexcept {
        auto const k = next(index);
        if (k == count_) return options_->max_score;
        auto const& p = point_[k];
        auto d = p.index - index;
        if (p.is_branch != 0)
            d += p.score;
        else if (d > p.score)
            d -= p.score; // to the point that was merged into this one
        return d < options_->max_score ? d : options_->max_score;
    }
    /// How many instructions it is to the next point, whatever its score; max_score + 1 if there is none.
    constexpr std::uint32_t steps(std::uint32_t index) const noexcept {
        auto const k = next(index);
        return k == count_ ? options_->max_score + 1 : point_[k].index - index;
    }
    /// The bit that the compiler puts into a branch: a warp's priority is to be calculated again when the branch is
    /// taken (if set) or when it is not (if clear). Set if the taken path is nearer to its next point, and for branches
    /// that are always taken.
    constexpr bool recalculation_bit(static_instruction const* code, std::uint32_t index) const noexcept {
        auto const& branch = code[index];
        return !branch.guarded || steps(branch.target) < steps(index + 1);
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(options_->slots, options_->max_score, options_->forward_branches, options_->merge, count_, found_);
        for (std::uint32_t i = 0; i < count_; ++i) f(point_[i]);
    }
    friend constexpr bool operator==(program_points const&, program_points const&) = default;

private:
    constexpr void choose(static_instruction const* code, std::uint32_t count) {
        working_set w(code, count, options_);
        w.find();
        found_ = w.size;
        while (w.size > options_->slots && w.merge()) {}
        count_ = w.size < options_->slots ? w.size : options_->slots;
        for (std::uint32_t i = 0; i < count_; ++i) point_[i] = w.point[i];
    }
    // The first point at or behind an instruction.
    constexpr std::uint32_t next(std::uint32_t index) const noexcept {
        std::uint32_t first = 0;
        for (auto left = count_; left != 0;) {
            auto const half = left / 2;
            bool const behind = point_[first + half].index < index;
            first = behind ? first + half + 1 : first;
            left = behind ? left - half - 1 : half;
        }
        return first;
    }

    // All points of the program while they are being found and merged.
    struct working_set {
        program_point* point = nullptr;
        std::uint32_t size = 0;
        static_instruction const* code = nullptr;
        std::uint32_t count = 0;
        [[no_unique_address]] kept options;

        constexpr working_set(static_instruction const* c, std::uint32_t n, kept const& o)
            : code(c),
              count(n),
              options(o) {
            std::uint32_t points = 0;
            for (std::uint32_t i = 0; i < n; ++i) points += is_point(i) ? 1 : 0;
            point = new program_point[points + 1];
            for (std::uint32_t i = 0; i < n; ++i)
                if (is_point(i)) {
                    bool const load = is_program_load(code[i]);
                    point[size++] = {i, static_cast<std::uint16_t>(load ? 0 : options->max_score),
                                     static_cast<std::uint16_t>(load ? 0 : 1)};
                }
        }
        working_set(working_set const&) = delete;
        working_set& operator=(working_set const&) = delete;
        constexpr ~working_set() { delete[] point; }

        constexpr bool is_point(std::uint32_t i) const noexcept {
            auto const& s = code[i];
            if (is_program_load(s)) return true;
            if (s.kind != op_class::branch || s.target == static_instruction::no_target) return false;
            return s.target <= i || options->forward_branches;
        }
        // Algorithm 1, getScore.
        constexpr std::uint32_t score(std::uint32_t index) const noexcept {
            std::uint32_t first = 0;
            for (auto left = size; left != 0;) {
                auto const half = left / 2;
                bool const behind = point[first + half].index < index;
                first = behind ? first + half + 1 : first;
                left = behind ? left - half - 1 : half;
            }
            if (first == size) return options->max_score;
            auto const s = point[first].index - index + point[first].score;
            return s < options->max_score ? s : options->max_score;
        }
        // Algorithm 1, lines 10 to 31.
        constexpr void find() noexcept {
            for (bool changed = true; changed;) {
                changed = false;
                for (std::uint32_t k = 0; k < size; ++k) {
                    auto& p = point[k];
                    if (p.is_branch == 0) continue;
                    auto const falls = score(p.index + 1) + 1;
                    auto const taken = score(code[p.index].target) + 1;
                    auto const least = falls < taken ? falls : taken;
                    if (least >= p.score) continue;
                    p.score = static_cast<std::uint16_t>(least);
                    changed = true;
                }
            }
            // From the last to the first: what is left out says the same as what follows it.
            for (auto k = size; k-- > 0;) {
                auto const& p = point[k];
                if (p.is_branch != 0 && (p.score == options->max_score || p.score == score(p.index + 1) + 1))
                    erase(k);
            }
        }
        // Algorithm 2; whether there was anything to merge.
        constexpr bool merge() noexcept {
            std::int64_t least = options->max_score;
            std::uint32_t chosen = 0; // never merges into the first point
            for (std::uint32_t k = 1; k < size; ++k) {
                auto const& p = point[k];
                auto const& q = point[k - 1];
                if (p.is_branch != 0) continue;
                std::int64_t const behind = q.is_branch != 0 ? q.score : 0;
                if (options->merge == point_merge::literal) {
                    std::int64_t const d = std::int64_t{score(q.index + 1)} + 1;
                    if (d >= least) continue;
                    least = d - behind;
                } else {
                    auto const d = std::int64_t{p.index} - q.index - behind;
                    if (d >= least) continue;
                    least = d;
                }
                chosen = k;
            }
            if (chosen == 0) return false;
            point[chosen].score = static_cast<std::uint16_t>(least < 0 ? 0 : least);
            erase(chosen - 1);
            return true;
        }
        constexpr void erase(std::uint32_t k) noexcept {
            for (--size; k < size; ++k) point[k] = point[k + 1];
        }
    };

    [[no_unique_address]] kept options_;
    program_point point_[most]{};
    std::uint32_t count_ = 0;
    std::uint32_t found_ = 0;
};

} // namespace warpkit
