#pragma once
/// \file
/// The control-flow graph of a static program: basic blocks and immediate post-dominators, where diverged paths of a
/// warp meet again (SPEC 10).

#include <warpkit/program/instruction.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// Basic blocks, their edges and immediate post-dominators. Flow may be irreducible.
///
/// A guarded exit falls through for the lanes that do not leave; an unguarded branch has only its target. Falling off
/// the last instruction leaves the program. Post-dominators: Cooper, Harvey and Kennedy, "A simple, fast dominance
/// algorithm", 2001, on the reversed graph with one virtual exit.
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
    /// `tables`: those of the program, for branches to many places.
    explicit control_flow(std::vector<static_instruction> const& code,
                          std::vector<std::vector<std::uint32_t>> const& tables = {}) {
        find_blocks(code, tables);
        find_post_dominators();
    }

    std::vector<block> const& blocks() const noexcept { return blocks_; }
    /// The block that an instruction is in.
    std::uint32_t block_of(std::uint32_t instruction) const noexcept { return block_of_[instruction]; }
    /// The first instruction that every path from `instruction` (a branch) to the end passes again, lanes that leave
    /// under a guard apart; `none` if the paths meet only at the end of the program, or never end.
    std::uint32_t reconvergence(std::uint32_t instruction) const noexcept {
        auto const b = blocks_[block_of_[instruction]].immediate_post_dominator;
        return b == none ? none : blocks_[b].first;
    }

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
    void find_post_dominators() {
        auto const n = static_cast<std::uint32_t>(blocks_.size());
        auto const exit = n;
        // Order of the reversed graph: depth first from the virtual exit along predecessor edges.
        std::vector<std::uint32_t> number(n + 1, none);
        std::vector<std::uint32_t> order;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> stack;
        std::vector<std::uint8_t> seen(n + 1, 0);
        std::vector<std::uint32_t> exits;
        for (std::uint32_t b = 0; b < n; ++b)
            if (is_end(blocks_[b])) exits.push_back(b);
        auto const predecessors = [&](std::uint32_t b) -> std::vector<std::uint32_t> const& {
            return b == exit ? exits : blocks_[b].predecessors;
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
                if (is_end(blocks_[b])) consider(exit);
                for (auto s : blocks_[b].successors) consider(s);
                if (found != dominator[b]) {
                    dominator[b] = found;
                    changed = true;
                }
            }
        }
        for (std::uint32_t b = 0; b < n; ++b)
            blocks_[b].immediate_post_dominator = dominator[b] == exit ? none : dominator[b];
    }

    std::vector<block> blocks_;
    std::vector<std::uint32_t> block_of_;
};

} // namespace warpkit
