#pragma once
/// \file
/// The order in which a compiler for an in-order core puts the instructions of each basic block: list scheduling
/// (docs/model/program_analysis.md#list-scheduling).

#include <warpkit/program/control_flow.hpp>
#include <warpkit/program/liveness.hpp>
#include <warpkit/program/static_instruction.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// What an instruction does beside its registers, as bits: two instructions keep their order if one of them writes what
/// the other reads or writes. The meaning of all bits but `everything` is the caller's.
struct side_effects {
    static constexpr std::uint8_t everything = 0xff;
    std::uint8_t reads = 0;
    std::uint8_t writes = 0;
    bool pinned = false; ///< nothing passes it, whatever it reads and writes
    friend bool operator==(side_effects const&, side_effects const&) = default;
};

/// Cycles from an instruction's issue to that of who reads its result, as a compiler reckons: those of units by class,
/// loads by where they look. Of global memory that is a hit in an L2, since nobody waits in vain for what came earlier.
/// Source: latencies of Volta and Ampere (docs/model/machines.md), rounded.
inline std::uint32_t reckoned_latency(static_instruction const& i) noexcept {
    switch (i.kind) {
    case op_class::load:
    case op_class::atomic:
        return i.space == memory_space::shared                                           ? 24
               : i.space == memory_space::constant || i.space == memory_space::parameter ? 8
                                                                                         : 200;
    case op_class::special:
    case op_class::fp_div:
    case op_class::int_div:
    case op_class::shuffle:
        return 24;
    case op_class::dp_add:
    case op_class::dp_max:
    case op_class::dp_mul:
    case op_class::dp_mad:
    case op_class::dp_div:
        return 8;
    case op_class::tensor:
        return 32;
    default:
        return 4;
    }
}

/// Orders one program.
///
/// Of the instructions whose operands are there, the one goes first from which the longest chain of latencies leads to
/// the end of its block; the one that stood first, if several. One whose result would let more registers live than the
/// program's own order needs has to wait. What ends a block stays there, and a block whose new order would not be
/// shorter, by the same latencies on a core that issues one instruction a cycle in order, stays as it is: so no block
/// gets longer, and no occupancy smaller.
/// Source: Gibbons and Muchnick, "Efficient instruction scheduling for a pipelined architecture", 1986; the bound of
/// registers as in Goodman and Hsu, "Code scheduling and register allocation in large basic blocks", 1988.
class list_schedule {
public:
    /// `uses`, `effects`: of each instruction; `weight`: of each register, in registers of a thread.
    list_schedule(control_flow const& flow, std::vector<static_instruction> const& code,
                  std::vector<register_use> const& uses, std::vector<side_effects> const& effects,
                  std::vector<std::uint8_t> const& weight)
        : code_(code),
          uses_(uses),
          effects_(effects),
          weight_(weight),
          live_(flow, uses, static_cast<std::uint32_t>(weight.size())),
          most_(live_.pressure(flow, uses, weight)),
          order_(code.size()),
          is_live_(weight.size()),
          readers_(weight.size()) {
        for (std::uint32_t i = 0; i < order_.size(); ++i) order_[i] = i;
        for (auto& u : uses_) // what a register had may stay
            if (u.conditional) u.reads.insert(u.reads.end(), u.writes.begin(), u.writes.end());
        for (std::uint32_t b = 0; b < flow.blocks().size(); ++b) schedule(flow.blocks()[b], b);
    }

    /// Which instruction, by its old number, stands at each place.
    std::vector<std::uint32_t> const& order() const noexcept { return order_; }
    /// Registers that may live at once.
    std::uint32_t most_registers() const noexcept { return most_; }

private:
    static constexpr std::uint32_t none = 0xffffffff;
    struct edge {
        std::uint32_t to;
        std::uint32_t cycles;
    };
    struct node {
        std::vector<edge> next;
        std::uint32_t waits_for = 0; ///< instructions before it that have not been placed
        std::uint32_t earliest = 0;
        std::uint32_t height = 0; ///< cycles from its issue to the end of the block
    };

    void schedule(control_flow::block const& b, std::uint32_t number) {
        auto const n = b.last - b.first;
        if (n < 3) return;
        find_edges(b);
        auto const as_it_was = length(b, [&](std::uint32_t k) { return b.first + k; });
        std::vector<std::uint32_t> placed;
        placed.reserve(n);
        if (!place(b, number, placed)) return;
        if (length(b, [&](std::uint32_t k) { return placed[k]; }) < as_it_was)
            std::copy(placed.begin(), placed.end(), order_.begin() + b.first);
    }

    // ---- what must come before what
    void add(std::uint32_t first, std::uint32_t from, std::uint32_t to, std::uint32_t cycles) {
        if (from == none || from == to) return;
        nodes_[from - first].next.push_back({to - first, cycles});
        ++nodes_[to - first].waits_for;
    }
    void find_edges(control_flow::block const& b) {
        nodes_.assign(b.last - b.first, {});
        std::vector<std::uint32_t> touched;
        if (writer_.size() != weight_.size()) {
            writer_.assign(weight_.size(), none);
            reads_.resize(weight_.size());
        }
        std::array<std::uint32_t, 8> wrote{};
        std::array<std::vector<std::uint32_t>, 8> read;
        wrote.fill(none);
        auto pin = none;
        for (auto i = b.first; i < b.last; ++i) {
            auto const& u = uses_[i];
            auto const reads = [&](std::uint32_t r) {
                if (writer_[r] != none) add(b.first, writer_[r], i, reckoned_latency(code_[writer_[r]]));
                reads_[r].push_back(i);
                touched.push_back(r);
            };
            for (auto const r : u.reads) reads(r);
            for (auto const r : u.writes) {
                for (auto const reader : reads_[r]) add(b.first, reader, i, 1);
                // The later result must not come first.
                if (writer_[r] != none) add(b.first, writer_[r], i, reckoned_latency(code_[writer_[r]]));
                reads_[r].clear();
                writer_[r] = i;
                touched.push_back(r);
            }
            auto const& e = effects_[i];
            for (unsigned k = 0; k < 8; ++k) {
                if ((e.writes >> k & 1) != 0) {
                    add(b.first, wrote[k], i, 1);
                    for (auto const reader : read[k]) add(b.first, reader, i, 1);
                    read[k].clear();
                    wrote[k] = i;
                } else if ((e.reads >> k & 1) != 0) {
                    add(b.first, wrote[k], i, 1);
                    read[k].push_back(i);
                }
            }
            if (e.pinned || i + 1 == b.last)
                for (auto before = pin == none ? b.first : pin; before < i; ++before)
                    add(b.first, before, i, 1);
            else
                add(b.first, pin, i, 1);
            if (e.pinned) pin = i;
        }
        for (auto const r : touched) {
            writer_[r] = none;
            reads_[r].clear();
        }
        for (auto k = nodes_.size(); k-- > 0;) {
            auto& of = nodes_[k];
            of.height = reckoned_latency(code_[b.first + k]);
            for (auto const& e : of.next) of.height = std::max(of.height, e.cycles + nodes_[e.to].height);
        }
    }
    /// Cycles that a block takes, its last result included.
    template <class At>
    std::uint32_t length(control_flow::block const& b, At at) {
        for (auto& n : nodes_) n.earliest = 0;
        std::uint32_t now = 0;
        std::uint32_t end = 0;
        for (std::uint32_t k = 0; k < nodes_.size(); ++k) {
            auto const i = at(k);
            auto const& n = nodes_[i - b.first];
            now = std::max(now, n.earliest);
            for (auto const& e : n.next)
                nodes_[e.to].earliest = std::max(nodes_[e.to].earliest, now + e.cycles);
            end = std::max(end, now + (code_[i].destinations != 0 || !uses_[i].writes.empty()
                                           ? reckoned_latency(code_[i])
                                           : 1));
            ++now;
        }
        return end;
    }

    // ---- what is placed when
    /// False if more registers would live than may.
    bool place(control_flow::block const& b, std::uint32_t number, std::vector<std::uint32_t>& placed) {
        std::vector<std::uint32_t> used;
        auto const begin = [&](std::uint32_t r) {
            if (readers_[r] == 0 && !is_live_[r]) used.push_back(r);
        };
        live_registers_ = 0;
        for (auto i = b.first; i < b.last; ++i) {
            for (auto const r : uses_[i].writes) begin(r), is_live_[r] = live_.live_in(number, r);
            for (auto const r : uses_[i].reads) {
                begin(r);
                ++readers_[r];
                is_live_[r] = live_.live_in(number, r);
            }
        }
        for (std::uint32_t r = 0; r < weight_.size(); ++r)
            if (live_.live_in(number, r)) live_registers_ += weight_[r];
        for (auto& n : nodes_) n.earliest = 0;
        std::vector<std::uint32_t> ready;
        for (std::uint32_t k = 0; k < nodes_.size(); ++k)
            if (nodes_[k].waits_for == 0) ready.push_back(k);
        std::uint32_t now = 0;
        bool fits = true;
        while (!ready.empty() && fits) {
            auto const at = choose(b, number, ready, now);
            auto const k = ready[at];
            ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(at));
            now = std::max(now, nodes_[k].earliest);
            for (auto const& e : nodes_[k].next) {
                auto& to = nodes_[e.to];
                to.earliest = std::max(to.earliest, now + e.cycles);
                if (--to.waits_for == 0) ready.push_back(e.to);
            }
            fits = live_behind(b.first + k, number) <= most_;
            go(b.first + k, number);
            placed.push_back(b.first + k);
            ++now;
        }
        for (auto const r : used) {
            is_live_[r] = false;
            readers_[r] = 0;
        }
        return fits;
    }
    /// Which of those that are ready goes next: without room for its result, the one that stood first.
    std::size_t choose(control_flow::block const& b, std::uint32_t number,
                       std::vector<std::uint32_t> const& ready, std::uint32_t now) const {
        auto best = ready.size();
        std::size_t first = 0;
        auto const before = [&](std::uint32_t x, std::uint32_t y) { // x in front of y
            auto const& a = nodes_[x];
            auto const& c = nodes_[y];
            bool const a_now = a.earliest <= now;
            bool const c_now = c.earliest <= now;
            if (a_now != c_now) return a_now;
            if (!a_now && a.earliest != c.earliest) return a.earliest < c.earliest;
            return a.height != c.height ? a.height > c.height : x < y;
        };
        for (std::size_t at = 0; at < ready.size(); ++at) {
            if (ready[at] < ready[first]) first = at;
            if (live_behind(b.first + ready[at], number) > most_) continue;
            if (best == ready.size() || before(ready[at], ready[best])) best = at;
        }
        return best == ready.size() ? first : best;
    }
    /// Registers that live behind this instruction if it goes next, its results included.
    std::uint32_t live_behind(std::uint32_t i, std::uint32_t block) const {
        auto const& u = uses_[i];
        auto const is_in = [](std::vector<std::uint32_t> const& all, std::uint32_t r) {
            return std::count(all.begin(), all.end(), r);
        };
        auto sum = live_registers_;
        for (auto r = u.reads.begin(); r != u.reads.end(); ++r)
            if (is_live_[*r] && std::find(u.reads.begin(), r, *r) == r && !live_.live_out(block, *r) &&
                readers_[*r] == is_in(u.reads, *r) && is_in(u.writes, *r) == 0)
                sum -= weight_[*r];
        for (auto const r : u.writes)
            if (!is_live_[r]) sum += weight_[r];
        return sum;
    }
    void go(std::uint32_t i, std::uint32_t block) {
        for (auto const r : uses_[i].reads) {
            if (--readers_[r] != 0 || live_.live_out(block, r) || !is_live_[r]) continue;
            is_live_[r] = false;
            live_registers_ -= weight_[r];
        }
        for (auto const r : uses_[i].writes) {
            bool const wanted = readers_[r] != 0 || live_.live_out(block, r);
            if (wanted && !is_live_[r]) live_registers_ += weight_[r];
            if (!wanted && is_live_[r]) live_registers_ -= weight_[r];
            is_live_[r] = wanted;
        }
    }

    std::vector<static_instruction> const& code_;
    std::vector<register_use> uses_; ///< those under a guard read what they write
    std::vector<side_effects> const& effects_;
    std::vector<std::uint8_t> const& weight_;
    liveness live_;
    std::uint32_t most_;
    std::vector<std::uint32_t> order_;
    std::vector<node> nodes_;                       ///< of one block
    std::vector<std::uint32_t> writer_;             ///< by register: the last one
    std::vector<std::vector<std::uint32_t>> reads_; ///< by register: since then
    std::vector<char> is_live_;                     ///< by register, where instructions are being placed
    std::vector<std::uint32_t> readers_;            ///< by register: that are still to be placed
    std::uint32_t live_registers_ = 0;
};

} // namespace warpkit
