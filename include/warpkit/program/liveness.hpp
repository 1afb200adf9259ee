#pragma once
/// \file
/// Which registers are live where; allocation of few registers for many by linear scan; register pressure.
///
/// PTX is before register allocation: what a thread occupies must be estimated from live ranges
/// (docs/model/program_analysis.md#registers).

#include <warpkit/program/control_flow.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {

/// The registers that one instruction writes and reads. A write under a guard does not end the old value's life.
struct register_use {
    std::vector<std::uint32_t> writes;
    std::vector<std::uint32_t> reads;
    bool conditional = false;
};

/// From a register's first to its last instruction, in program order, loops included: the span in which its value
/// must be kept. `first > last` for a register that is never used.
struct live_interval {
    std::uint32_t first = 0xffffffff;
    std::uint32_t last = 0;
    friend bool operator==(live_interval const&, live_interval const&) = default;
};

/// Live ranges of `registers` virtual registers.
class liveness {
public:
    liveness(control_flow const& flow, std::vector<register_use> const& code, std::uint32_t registers)
        : words_((registers + 63) / 64),
          intervals_(registers) {
        auto const& blocks = flow.blocks();
        auto const n = blocks.size();
        std::vector<std::vector<std::uint64_t>> use(n, empty());
        std::vector<std::vector<std::uint64_t>> kill(n, empty());
        in_.assign(n, empty());
        out_.assign(n, empty());
        for (std::size_t b = 0; b < n; ++b)
            for (auto i = blocks[b].first; i < blocks[b].last; ++i) {
                for (auto r : code[i].reads)
                    if (!test(kill[b], r)) set(use[b], r);
                for (auto r : code[i].writes) {
                    if (!code[i].conditional)
                        set(kill[b], r);
                    else if (!test(kill[b], r))
                        set(use[b], r);
                }
            }
        for (bool changed = true; changed;) {
            changed = false;
            for (auto b = n; b-- > 0;) {
                for (auto s : blocks[b].successors)
                    for (std::size_t w = 0; w < words_; ++w) out_[b][w] |= in_[s][w];
                for (std::size_t w = 0; w < words_; ++w) {
                    auto const value = use[b][w] | (out_[b][w] & ~kill[b][w]);
                    changed = changed || value != in_[b][w];
                    in_[b][w] = value;
                }
            }
        }
        for (std::size_t b = 0; b < n; ++b) {
            each(in_[b], [&](std::uint32_t r) { extend(r, blocks[b].first); });
            each(out_[b], [&](std::uint32_t r) { extend(r, blocks[b].last - 1); });
            for (auto i = blocks[b].first; i < blocks[b].last; ++i) {
                for (auto r : code[i].reads) extend(r, i);
                for (auto r : code[i].writes) extend(r, i);
            }
        }
    }

    live_interval const& interval(std::uint32_t r) const noexcept { return intervals_[r]; }
    bool live_in(std::uint32_t block, std::uint32_t r) const noexcept { return test(in_[block], r); }
    bool live_out(std::uint32_t block, std::uint32_t r) const noexcept { return test(out_[block], r); }
    /// The registers that are live behind instruction `i`, in order. `flow` and `code` are what this was made of.
    std::vector<std::uint32_t> live_behind(control_flow const& flow, std::vector<register_use> const& code,
                                           std::uint32_t i) const {
        auto const b = flow.block_of(i);
        auto live = out_[b];
        for (auto at = flow.blocks()[b].last; --at > i;) {
            if (!code[at].conditional)
                for (auto r : code[at].writes) clear(live, r);
            for (auto r : code[at].reads) set(live, r);
        }
        std::vector<std::uint32_t> result;
        each(live, [&](std::uint32_t r) { result.push_back(r); });
        return result;
    }

    /// The greatest sum of weights of the registers that are live at once, an instruction's results included.
    std::uint32_t pressure(control_flow const& flow, std::vector<register_use> const& code,
                           std::vector<std::uint8_t> const& weight) const {
        std::uint32_t most = 0;
        for (std::size_t b = 0; b < flow.blocks().size(); ++b) {
            auto live = out_[b];
            std::uint32_t sum = 0;
            each(live, [&](std::uint32_t r) { sum += weight[r]; });
            for (auto i = flow.blocks()[b].last; i-- > flow.blocks()[b].first;) {
                auto const& u = code[i];
                for (auto r : u.writes) // results need a place even if nobody reads them
                    if (!test(live, r)) set(live, r), sum += weight[r];
                most = sum > most ? sum : most;
                if (!u.conditional)
                    for (auto r : u.writes)
                        if (test(live, r)) clear(live, r), sum -= weight[r];
                for (auto r : u.reads)
                    if (!test(live, r)) set(live, r), sum += weight[r];
                most = sum > most ? sum : most;
            }
        }
        return most;
    }

private:
    std::vector<std::uint64_t> empty() const { return std::vector<std::uint64_t>(words_, 0); }
    static bool test(std::vector<std::uint64_t> const& s, std::uint32_t r) {
        return (s[r / 64] >> (r % 64) & 1) != 0;
    }
    static void set(std::vector<std::uint64_t>& s, std::uint32_t r) {
        s[r / 64] |= std::uint64_t{1} << (r % 64);
    }
    static void clear(std::vector<std::uint64_t>& s, std::uint32_t r) {
        s[r / 64] &= ~(std::uint64_t{1} << (r % 64));
    }
    template <class F>
    static void each(std::vector<std::uint64_t> const& s, F&& f) {
        for (std::size_t w = 0; w < s.size(); ++w)
            for (auto rest = s[w]; rest != 0; rest &= rest - 1)
                f(static_cast<std::uint32_t>(w * 64) + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
    void extend(std::uint32_t r, std::uint32_t i) {
        auto& v = intervals_[r];
        v.first = i < v.first ? i : v.first;
        v.last = i > v.last ? i : v.last;
    }

    std::size_t words_;
    std::vector<live_interval> intervals_;
    std::vector<std::vector<std::uint64_t>> in_;
    std::vector<std::vector<std::uint64_t>> out_;
};

/// Where each virtual register was put.
struct register_allocation {
    static constexpr std::uint32_t unused = 0xffffffff;
    std::vector<std::uint32_t>
        place; ///< per virtual register: a number within its class; `unused` if never used
    std::vector<std::uint32_t> in_class; ///< per class: how many places
};

/// Linear scan over live intervals (Poletto and Sarkar, 1999) with as many places as are needed, so nothing spills.
/// Registers of different classes never share a place. Among free places the one free for longest is taken, so that a
/// place's new value seldom waits for its old one.
inline register_allocation allocate_registers(liveness const& live,
                                              std::vector<std::uint8_t> const& class_of) {
    auto const n = static_cast<std::uint32_t>(class_of.size());
    register_allocation result;
    result.place.assign(n, register_allocation::unused);
    std::vector<std::uint32_t> order;
    for (std::uint32_t r = 0; r < n; ++r)
        if (live.interval(r).first <= live.interval(r).last) order.push_back(r);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(live.interval(a).first, a) < std::pair(live.interval(b).first, b);
    });
    std::uint8_t classes = 0;
    for (auto c : class_of) classes = c >= classes ? static_cast<std::uint8_t>(c + 1) : classes;
    result.in_class.assign(classes, 0);
    std::vector<std::vector<std::uint32_t>> free(classes); // a queue per class
    std::vector<std::size_t> head(classes, 0);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> active; // heap: ends first
    auto const later = [](auto const& a, auto const& b) { return a > b; };
    for (auto r : order) {
        auto const& v = live.interval(r);
        // A place is free from the instruction after the last read on; an instruction may reuse what it reads last
        // only from the next one on, since vectors are written element by element.
        while (!active.empty() && active.front().first < v.first) {
            auto const ended = active.front().second;
            std::pop_heap(active.begin(), active.end(), later);
            active.pop_back();
            free[class_of[ended]].push_back(result.place[ended]);
        }
        auto const c = class_of[r];
        result.place[r] = head[c] < free[c].size() ? free[c][head[c]++] : result.in_class[c]++;
        active.emplace_back(v.last, r);
        std::push_heap(active.begin(), active.end(), later);
    }
    return result;
}

} // namespace warpkit
