#pragma once
/// \file
/// The control-flow graph of a static program: basic blocks and immediate post-dominators, where diverged paths of a
/// warp meet again (docs/model/ptx.md#reconvergence).

#include <warpkit/program/instruction.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// Basic blocks, their edges, immediate post-dominators, and where the paths of a branch meet. Flow may be irreducible.
///
/// A guarded exit falls through for the lanes that do not leave; an unguarded branch has only its target. Falling off
/// the last instruction leaves the program. Post-dominators: Cooper, Harvey and Kennedy, "A simple, fast dominance
/// algorithm", 2001, on the reversed graph with one virtual exit.
///
/// Paths that leave on their own (an assertion that fails, a return in the middle) do not keep the others from meeting:
/// as real compilers place convergence points, a branch meets at its post-dominator among the paths to one end. An end
/// is a block behind which the program leaves; that at which most blocks can arrive is taken first, and those at which
/// it aborts never.
class control_flow {
public:
    /// "No block", "no instruction": also stands for the virtual exit.
    static constexpr std::uint32_t none = 0xffffffff;

    struct block {
        std::uint32_t first = 0; ///< first instruction
        std::uint32_t last = 0;  ///< one past its last instruction
        std::vector<std::uint32_t> successors;
        std::vector<std::uint32_t> predecessors;
        bool leaves = false; ///< an edge goes to the virtual exit
        std::uint32_t immediate_post_dominator = none;
        friend bool operator==(block const&, block const&) = default;
    };

    control_flow() = default;
    /// `tables`: those of the program, for branches to many places; `aborts`: its instructions that end it as a
    /// failure.
    explicit control_flow(std::vector<static_instruction> const& code,
                          std::vector<std::vector<std::uint32_t>> const& tables = {},
                          std::vector<std::uint32_t> const& aborts = {}) {
        find_blocks(code, tables);
        find_post_dominators();
        find_meetings(aborts);
    }

    std::vector<block> const& blocks() const noexcept { return blocks_; }
    /// The block that an instruction is in.
    std::uint32_t block_of(std::uint32_t instruction) const noexcept { return block_of_[instruction]; }
    /// The first instruction that every path from `instruction` (a branch) passes again which does not leave on its
    /// own, lanes that leave under a guard apart; `none` if the paths meet only at the end of the program, or never
    /// end.
    std::uint32_t reconvergence(std::uint32_t instruction) const noexcept {
        auto const b = meets_[block_of_[instruction]];
        return b == none ? none : blocks_[b].first;
    }
    /// Whether the program does nothing from there on but leave.
    bool only_leaves(std::uint32_t instruction) const noexcept {
        return only_leaves(blocks_[block_of_[instruction]]);
    }
    /// Whether some branch meets before its immediate post-dominator.
    bool meets_early() const noexcept { return meets_early_; }

private:
    static bool ends_block(static_instruction const& i) {
        return i.kind == op_class::exit || i.target != no_target || i.jump_table != no_target;
    }
    static constexpr auto no_target = static_instruction::no_target;

    void find_blocks(std::vector<static_instruction> const& code,
                     std::vector<std::vector<std::uint32_t>> const& tables) {
        auto const n = static_cast<std::uint32_t>(code.size());
        std::vector<std::uint8_t> leader(n + 1, 0);
        leader[0] = 1;
        for (std::uint32_t i = 0; i < n; ++i) {
            if (!ends_block(code[i])) continue;
            leader[i + 1] = 1;
            if (code[i].target < n) leader[code[i].target] = 1;
            if (code[i].jump_table != no_target)
                for (auto t : tables[code[i].jump_table])
                    if (t < n) leader[t] = 1;
        }
        block_of_.resize(n);
        for (std::uint32_t i = 0; i < n; ++i) {
            if (leader[i] != 0) {
                block b;
                b.first = i;
                blocks_.push_back(b);
            }
            blocks_.back().last = i + 1;
            block_of_[i] = static_cast<std::uint32_t>(blocks_.size() - 1);
        }
        for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
            auto const& last = code[blocks_[b].last - 1];
            bool const jumps = last.target != no_target;
            if (jumps) connect(b, last.target, n);
            if (last.jump_table != no_target)
                for (auto t : tables[last.jump_table])
                    if (t != no_target) connect(b, t, n);
            if (last.kind == op_class::exit) blocks_[b].leaves = true;
            if (last.guarded || !ends_block(last)) connect(b, blocks_[b].last, n);
        }
    }
    void connect(std::uint32_t from, std::uint32_t to_instruction, std::uint32_t n) {
        if (to_instruction >= n) {
            blocks_[from].leaves = true;
            return;
        }
        auto const to = block_of_[to_instruction];
        for (auto s : blocks_[from].successors)
            if (s == to) return;
        blocks_[from].successors.push_back(to);
        blocks_[to].predecessors.push_back(from);
    }

    /// Lanes that leave under a guard meet nobody again; the others meet as if it were not there.
    static bool is_end(block const& b) { return b.leaves && b.successors.empty(); }
    static bool only_leaves(block const& b) { return is_end(b) && b.last - b.first == 1; }
    void find_post_dominators() {
        auto const n = static_cast<std::uint32_t>(blocks_.size());
        std::vector<std::uint32_t> ends;
        for (std::uint32_t b = 0; b < n; ++b)
            if (is_end(blocks_[b])) ends.push_back(b);
        auto const found = post_dominators(ends);
        for (std::uint32_t b = 0; b < n; ++b) blocks_[b].immediate_post_dominator = found[b];
    }
    // Of each block, on the paths to these ends; at an end they stop. `none` for a block without such a path, or if
    // that is the virtual exit behind all ends.
    std::vector<std::uint32_t> post_dominators(std::vector<std::uint32_t> const& ends) const {
        auto const n = static_cast<std::uint32_t>(blocks_.size());
        auto const exit = n;
        // Order of the reversed graph: depth first from the virtual exit along predecessor edges.
        std::vector<std::uint32_t> number(n + 1, none);
        std::vector<std::uint32_t> order;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;
        std::vector<std::uint8_t> seen(n + 1, 0);
        std::vector<std::uint8_t> stops(n, 0);
        for (auto const e : ends) stops[e] = 1;
        auto const predecessors = [&](std::uint32_t b) -> std::vector<std::uint32_t> const& {
            return b == exit ? ends : blocks_[b].predecessors;
        };
        stack.emplace_back(exit, 0);
        seen[exit] = 1;
        while (!stack.empty()) {
            auto& [b, next] = stack.back();
            if (next < predecessors(b).size()) {
                auto const p = predecessors(b)[next++];
                if (seen[p] == 0) {
                    seen[p] = 1;
                    stack.emplace_back(p, 0);
                }
            } else {
                number[b] = static_cast<std::uint32_t>(order.size());
                order.push_back(b);
                stack.pop_back();
            }
        }
        std::vector<std::uint32_t> dominator(n + 1, none);
        dominator[exit] = exit;
        auto const meet = [&](std::uint32_t a, std::uint32_t b) {
            while (a != b) {
                while (number[a] < number[b]) a = dominator[a];
                while (number[b] < number[a]) b = dominator[b];
            }
            return a;
        };
        for (bool changed = true; changed;) {
            changed = false;
            for (auto i = order.size(); i-- > 0;) {
                auto const b = order[i];
                if (b == exit) continue;
                auto found = none;
                auto const consider = [&](std::uint32_t s) {
                    if (number[s] == none || dominator[s] == none) return;
                    found = found == none ? s : meet(found, s);
                };
                if (stops[b] != 0)
                    consider(exit);
                else
                    for (auto s : blocks_[b].successors) consider(s);
                if (found != dominator[b]) {
                    dominator[b] = found;
                    changed = true;
                }
            }
        }
        dominator.pop_back();
        for (auto& d : dominator)
            if (d == exit) d = none;
        return dominator;
    }

    // An end where paths that leave on their own are left out: the last block in front of a block that only leaves.
    struct end_of_paths {
        std::uint32_t block = 0;
        bool leaves_always = false;     ///< it does not go on elsewhere
        std::uint32_t reached_from = 0; ///< blocks
        std::vector<std::uint32_t> post_dominator;
    };
    static constexpr std::size_t most_ends = 64; ///< those that come last in the program are looked at
    void find_meetings(std::vector<std::uint32_t> const& aborts) {
        auto const n = static_cast<std::uint32_t>(blocks_.size());
        meets_.resize(n);
        for (std::uint32_t b = 0; b < n; ++b) meets_[b] = blocks_[b].immediate_post_dominator;
        std::vector<std::uint8_t> fails(n, 0);
        for (auto const i : aborts) fails[block_of_[i]] = 1;
        std::vector<end_of_paths> ends;
        for (auto b = n; b-- > 0 && ends.size() < most_ends;) {
            auto const& s = blocks_[b].successors;
            std::size_t leave = 0;
            for (auto const t : s) leave += only_leaves(blocks_[t]) && fails[t] == 0 ? 1 : 0;
            if (fails[b] == 0 && !only_leaves(blocks_[b]) && (leave != 0 || is_end(blocks_[b])))
                ends.push_back({b, leave == s.size(), 0, {}});
        }
        // Which ends each block can arrive at.
        std::vector<std::uint64_t> reach(n, 0);
        std::vector<std::uint32_t> work;
        for (std::size_t e = 0; e < ends.size(); ++e) {
            reach[ends[e].block] |= std::uint64_t{1} << e;
            work.push_back(ends[e].block);
        }
        while (!work.empty()) {
            auto const b = work.back();
            work.pop_back();
            for (auto const p : blocks_[b].predecessors) {
                if ((reach[b] & ~reach[p]) == 0) continue;
                reach[p] |= reach[b];
                work.push_back(p);
            }
        }
        for (std::uint32_t b = 0; b < n; ++b)
            for (auto rest = reach[b]; rest != 0; rest &= rest - 1)
                ++ends[static_cast<unsigned>(std::countr_zero(rest))].reached_from;
        for (std::uint32_t b = 0; b < n; ++b) meets_[b] = meeting_of(b, ends, reach);
    }
    std::uint32_t meeting_of(std::uint32_t b, std::vector<end_of_paths>& ends,
                             std::vector<std::uint64_t> const& reach) {
        auto const otherwise = blocks_[b].immediate_post_dominator;
        if (blocks_[b].successors.size() < 2) return otherwise;
        std::uint64_t any = 0;
        std::uint64_t several = 0; // ends that more than one successor arrives at
        for (auto const s : blocks_[b].successors) {
            several |= any & reach[s];
            any |= reach[s];
        }
        end_of_paths const* best = nullptr;
        auto result = otherwise;
        for (; several != 0; several &= several - 1) {
            auto& e = ends[static_cast<unsigned>(std::countr_zero(several))];
            if (best != nullptr &&
                (e.leaves_always != best->leaves_always ? best->leaves_always
                                                        : e.reached_from < best->reached_from))
                continue;
            if (e.post_dominator.empty()) e.post_dominator = post_dominators({e.block});
            auto const met = e.post_dominator[b];
            if (met == none) continue;
            bool const alike = best != nullptr && e.leaves_always == best->leaves_always &&
                               e.reached_from == best->reached_from;
            // Of ends alike, the one on whose way they meet first.
            if (alike && !(reach[met] == reach[result] ? met < result : (reach[result] & ~reach[met]) == 0))
                continue;
            best = &e;
            result = met;
        }
        meets_early_ = meets_early_ || result != otherwise;
        return result;
    }

    std::vector<block> blocks_;
    std::vector<std::uint32_t> block_of_;
    std::vector<std::uint32_t> meets_;
    bool meets_early_ = false;
};

} // namespace warpkit
