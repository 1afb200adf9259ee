#pragma once
/// \file
/// Which lanes of a warp run together, and where those that parted meet again.
///
/// Independent thread scheduling (NVIDIA, "Tesla V100 GPU architecture", 2017) on top of a reconvergence stack: a list
/// of groups, each with a place in the code of its own. Lanes that part at a branch become groups below a join, which
/// holds the place where they meet (program/control_flow.hpp) and the lanes that are there already. As long as nobody
/// waits for anybody, the list grows and shrinks at its end, and is the stack of a warp in lock-step. Where the last
/// group must wait, another one runs; where all must, the lanes at a join go on without those that are missing, so that
/// lanes end wherever threads with a program counter each would.

#include <warpkit/program/control_flow.hpp>
#include <warpkit/program/stream.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::ptx {

/// Lanes of a warp at one instruction; or, while other groups are below it, the join of these.
struct lane_group {
    /// What it waits for.
    enum class wait : std::uint8_t { nothing, lanes, barrier };

    std::uint32_t pc =
        0; ///< its next instruction, or that at which it waits; of a join, where the groups meet
    std::uint32_t reconvergence = 0; ///< where it waits for the other groups of its join
    lane_mask mask = 0;              ///< of a join: with the lanes of all groups below
    lane_mask members = 0;           ///< lanes it waits for, itself among them
    std::uint32_t turn = 0;          ///< when it last let others go first, counted in the warp; 0: never
    std::uint8_t level = 0;          ///< joins above it
    wait waits = wait::nothing;
    std::uint8_t barrier = 0; ///< at which it waits
};

/// All lanes of a warp that have not exited.
class lane_groups {
public:
    /// Lanes that go on together.
    struct path {
        std::uint32_t pc;
        lane_mask mask;
    };
    /// The most paths that a warp's lanes can take: one each, and the next instruction.
    using paths = std::array<path, lanes + 1>;

    /// All lanes of `mask` at instruction 0.
    void begin(lane_mask mask) {
        groups_.clear();
        groups_.push_back({0, control_flow::none, mask});
        current_ = 0;
        turns_ = 0;
        alive_ = mask;
    }
    /// Lanes that have not exited.
    lane_mask alive() const noexcept { return alive_; }
    /// The group that runs. Invalid after any change of the list.
    lane_group& current() noexcept { return groups_[current_]; }
    /// Whether it can run: it is no join and waits for nothing.
    bool can_run() const noexcept { return can_run(current_); }
    /// Whether all lanes run together.
    bool converged() const noexcept { return groups_.size() == 1; }
    /// All groups, a join in front of those below it.
    std::vector<lane_group> const& all() const noexcept { return groups_; }
    bool is_join(std::size_t i) const noexcept {
        return i + 1 < groups_.size() && groups_[i + 1].level > groups_[i].level;
    }

    /// The running group's lanes part; the first path runs. They meet at `join`; where that is `control_flow::none`, or
    /// only the end of the program, they meet where the group itself would have met others. A path that begins where
    /// all meet needs no group: its lanes wait there.
    void part(std::uint32_t join, bool only_at_end, paths const& taken, unsigned count) {
        auto const old = groups_[current_];
        bool const joins = join != control_flow::none && join != old.reconvergence &&
                           !(only_at_end && old.reconvergence != control_flow::none);
        auto const meet = joins ? join : old.reconvergence;
        auto at = current_;
        if (joins)
            groups_[at++].pc = join;
        else
            remove(at);
        auto const level = static_cast<std::uint8_t>(old.level + (joins ? 1 : 0));
        for (auto i = count; i-- > 0;) {
            if (taken[i].pc == meet) continue;
            lane_group g{taken[i].pc, meet, taken[i].mask};
            g.turn = old.turn;
            g.level = level;
            insert(at++, g);
        }
        current_ = at - 1;
        if (!can_run(current_)) static_cast<void>(next()); // all paths begin where they meet
    }
    /// The running group is where it meets others: it waits there, or they all go on. Another one runs now.
    void meet() {
        remove(current_);
        --current_; // the sibling that was to run next, or the join
        if (!can_run(current_)) static_cast<void>(next());
    }
    /// The running group has come to where one of the joins further up waits, past the nearest: its lanes wait there
    /// instead, and another group runs. False: it has not.
    bool meet_further_up() {
        auto const g = groups_[current_];
        auto level = g.level;
        for (auto i = current_; level != 0; --i) {
            auto const& join = groups_[i - 1];
            if (join.level >= level) continue;
            level = join.level;
            if (join.pc != g.pc) continue;
            auto end = i;
            while (end < groups_.size() && groups_[end].level > level) ++end;
            current_ = erase_lanes(i, end, g.mask, current_) - 1;
            if (!can_run(current_)) static_cast<void>(next());
            return true;
        }
        return false;
    }
    /// Lanes of the running group have exited. False: those were the last; otherwise can_run() may be false.
    bool leave(lane_mask mask) {
        alive_ &= ~mask;
        auto const before = erase_lanes(0, groups_.size(), mask, current_);
        if (groups_.empty()) return false;
        current_ = keeps_current_ || before == 0 ? before : before - 1;
        return true;
    }
    /// Another group runs: of those that have let others go first least recently, the last one; if all wait, lanes at a
    /// join go on alone. False: all wait.
    bool next() { return pick() || release(); }
    /// The running group lets all others go first; where all have, and if `release_joins`, also lanes at a join.
    /// False: there is no other.
    bool yield(bool release_joins) {
        auto& g = groups_[current_];
        g.turn = ++turns_;
        auto const mask = g.mask;
        merge();
        if (release_joins && all_have_yielded() && release()) return true;
        static_cast<void>(pick());
        return (groups_[current_].mask & mask) == 0;
    }
    /// Whether all groups that could run have let others go first since they were made.
    bool all_have_yielded() const noexcept {
        for (std::size_t i = 0; i < groups_.size(); ++i)
            if (can_run(i) && groups_[i].turn == 0) return false;
        return true;
    }
    /// The running group waits.
    void block(lane_group::wait what, lane_mask members, std::uint8_t barrier) {
        block(current_, what, members, barrier);
    }
    void block(std::size_t i, lane_group::wait what, lane_mask members, std::uint8_t barrier) {
        groups_[i].waits = what;
        groups_[i].members = members;
        groups_[i].barrier = barrier;
    }
    /// The lanes of `mask`, which are those of one or several groups at one instruction, go on behind it as one group:
    /// below the innermost join that holds them all. That group runs.
    void unite(lane_mask mask, std::uint32_t pc) {
        std::size_t found = 0;
        std::size_t last = 0;
        std::size_t join = groups_.size();
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            auto const& g = groups_[i];
            if (is_join(i)) {
                if ((mask & ~g.mask) == 0) join = i;
            } else if ((g.mask & mask) != 0) {
                ++found;
                last = i;
            }
        }
        if (found == 1) {
            current_ = last;
            groups_[last].waits = lane_group::wait::nothing;
            groups_[last].pc = pc;
            groups_[last].turn = 0;
            return;
        }
        lane_group g{pc, control_flow::none, mask};
        auto first = std::size_t{0};
        if (join != groups_.size()) {
            g.reconvergence = groups_[join].pc;
            g.level = static_cast<std::uint8_t>(groups_[join].level + 1);
            first = join + 1;
        }
        auto end = first;
        while (end < groups_.size() && groups_[end].level >= g.level) ++end;
        current_ = erase_lanes(first, end, mask, end);
        insert(current_, g);
        dissolve_joins(current_);
    }
    /// Groups of one join that are at one place become one.
    void merge() {
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            if (!can_run(i)) continue;
            for (auto k = i + 1; k < groups_.size() && groups_[k].level >= groups_[i].level;) {
                auto const& other = groups_[k];
                if (other.level != groups_[i].level || other.pc != groups_[i].pc || !can_run(k)) {
                    ++k;
                    continue;
                }
                groups_[i].mask |= other.mask;
                if (other.turn > groups_[i].turn) groups_[i].turn = other.turn;
                if (current_ == k) current_ = i;
                if (current_ > k) --current_;
                remove(k);
            }
            dissolve_joins(i);
        }
    }

private:
    bool can_run(std::size_t i) const noexcept {
        return groups_[i].waits == lane_group::wait::nothing && !is_join(i);
    }
    void remove(std::size_t i) {
        if (i + 1 == groups_.size())
            groups_.pop_back();
        else
            groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    void insert(std::size_t i, lane_group const& g) {
        if (i == groups_.size())
            groups_.push_back(g);
        else
            groups_.insert(groups_.begin() + static_cast<std::ptrdiff_t>(i), g);
    }
    // Takes lanes out of the groups [first, end); those without any vanish. Returns where the group `of` is now, or
    // would be; keeps_current_ says whether it is.
    std::size_t erase_lanes(std::size_t first, std::size_t end, lane_mask mask, std::size_t of) {
        auto to = first;
        auto result = of;
        keeps_current_ = false;
        for (auto i = first; i < end; ++i) {
            groups_[i].mask &= ~mask;
            if (i == of) {
                result = to;
                keeps_current_ = groups_[i].mask != 0;
            }
            if (groups_[i].mask != 0) groups_[to++] = groups_[i];
        }
        if (of >= end) result = to + (of - end);
        groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(to),
                      groups_.begin() + static_cast<std::ptrdiff_t>(end));
        return result;
    }
    // A join at which nobody waits, and below which there is but group `i`, has none to bring together.
    void dissolve_joins(std::size_t i) {
        while (groups_[i].level != 0) {
            auto join = i - 1;
            while (groups_[join].level >= groups_[i].level) --join;
            if (groups_[join].mask != groups_[i].mask) return;
            groups_[i].reconvergence = groups_[join].reconvergence;
            --groups_[i].level;
            remove(join);
            if (current_ > join) --current_;
            --i;
        }
    }
    bool pick() noexcept {
        bool found = false;
        for (std::size_t i = 0; i < groups_.size(); ++i)
            if (can_run(i) && (!found || groups_[i].turn <= groups_[current_].turn)) {
                current_ = i;
                found = true;
            }
        return found;
    }
    // The lanes that wait at the innermost join, if there are any, become a group of their own; it runs.
    bool release() {
        for (auto i = groups_.size(); i-- > 0;) {
            if (!is_join(i)) continue;
            auto waiting = groups_[i].mask;
            auto end = i + 1;
            for (; end < groups_.size() && groups_[end].level > groups_[i].level; ++end)
                waiting &= ~groups_[end].mask;
            if (waiting == 0) continue;
            groups_[i].mask &= ~waiting;
            lane_group g{groups_[i].pc, groups_[i].reconvergence, waiting};
            g.level = groups_[i].level;
            insert(end, g);
            current_ = end;
            return true;
        }
        return false;
    }

    std::vector<lane_group> groups_;
    std::size_t current_ = 0;
    std::uint32_t turns_ = 0;
    lane_mask alive_ = 0;
    bool keeps_current_ = false;
};

} // namespace warpkit::ptx
