#pragma once
/// \file
/// ELF's Algorithms 1 and 2 as the listings have them: a list of instructions, walks of one instruction at a time.

#include <warpkit/program/program_points.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace naive {

using namespace warpkit;

struct point {
    std::uint32_t inst = 0;
    int score = 0;
    bool branch = false;
    bool operator==(point const&) const = default;
};

/// One program and what is found in it.
struct points {
    std::vector<static_instruction> code;
    program_point_options options;
    std::vector<point> list;

    point const* at(std::uint32_t inst) const {
        for (auto const& p : list)
            if (p.inst == inst) return &p;
        return nullptr;
    }
    // Lines 36 to 46.
    int get_score(std::uint32_t inst) const {
        int const max = static_cast<int>(options.max_score);
        int score = 0;
        for (auto curr = inst; curr < code.size(); ++curr) {
            if (auto const* p = at(curr)) return std::min(score + p->score, max);
            score += 1;
        }
        return max;
    }
    bool useless(point const& p) const {
        return p.branch &&
               (p.score == static_cast<int>(options.max_score) || p.score == get_score(p.inst + 1) + 1);
    }
    // Lines 1 to 24.
    void find() {
        for (std::uint32_t i = 0; i < code.size(); ++i) {
            auto const& s = code[i];
            bool const off_chip = s.space == memory_space::global || s.space == memory_space::local ||
                                  s.space == memory_space::generic || s.space == memory_space::texture;
            bool const load =
                off_chip && (s.kind == op_class::load || (s.kind == op_class::atomic && s.destinations > 0));
            bool const branch = s.kind == op_class::branch && s.target != static_instruction::no_target &&
                                (s.target <= i || options.forward_branches);
            if (load) list.push_back({i, 0, false});
            if (branch) list.push_back({i, static_cast<int>(options.max_score), true});
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (auto& p : list) {
                if (!p.branch) continue;
                auto const score = std::min(get_score(p.inst + 1), get_score(code[p.inst].target)) + 1;
                if (score >= p.score) continue;
                p.score = score;
                changed = true;
            }
        }
    }
    // Lines 25 to 31, in the order in which `pick` chooses among the useless ones that are left.
    template <class Pick>
    void remove_useless(Pick&& pick) {
        for (;;) {
            std::vector<std::size_t> found;
            for (std::size_t k = 0; k < list.size(); ++k)
                if (useless(list[k])) found.push_back(k);
            if (found.empty()) return;
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(found[pick(found.size())]));
        }
    }
    // Algorithm 2.
    bool merge() {
        long least = options.max_score;
        std::size_t mem = 0;
        for (std::size_t k = 1; k < list.size(); ++k) {
            if (list[k].branch) continue;
            auto const& prev = list[k - 1];
            bool const literal = options.merge == point_merge::literal;
            long d = literal ? get_score(prev.inst + 1) + 1 : static_cast<long>(list[k].inst - prev.inst);
            if (!literal && prev.branch) d -= prev.score;
            if (d >= least) continue;
            least = d;
            mem = k;
            if (literal && prev.branch) least -= prev.score;
        }
        if (mem == 0) return false;
        list[mem].score = static_cast<int>(std::max(least, 0L));
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(mem - 1));
        return true;
    }
    void fit() {
        while (list.size() > options.slots && merge()) {}
        if (list.size() > options.slots) list.resize(options.slots);
    }
    // Section 3.2.
    int distance(std::uint32_t inst) const {
        int const max = static_cast<int>(options.max_score);
        for (auto const& p : list) {
            if (p.inst < inst) continue;
            int d = static_cast<int>(p.inst - inst);
            if (p.branch)
                d += p.score;
            else if (d > p.score)
                d -= p.score;
            return std::min(d, max);
        }
        return max;
    }
    bool recalculates_when_taken(std::uint32_t branch) const {
        auto const& s = code[branch];
        auto const steps = [&](std::uint32_t from) {
            for (auto const& p : list)
                if (p.inst >= from) return p.inst - from;
            return options.max_score + 1;
        };
        return !s.guarded || steps(s.target) < steps(branch + 1);
    }

    points() = default;
    points(std::vector<static_instruction> c, program_point_options o) : code(std::move(c)), options(o) {
        find();
        remove_useless([](std::size_t) { return std::size_t{0}; });
        fit();
    }
};

} // namespace naive
