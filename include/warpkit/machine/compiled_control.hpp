#pragma once
/// \file
/// The control bits that a compiler would give a kernel which has none (docs/model/issue.md#derived-control-bits), for
/// both engines.

#include <warpkit/machine/dependence_counters.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/instruction.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit {
namespace detail {

/// Basic blocks, and what is under way where each begins: of each register the cycles until a result of fixed latency
/// is there, and the counters that are up for one of variable latency, or until it has been read.
class control_compiler {
    struct awaited {
        std::uint8_t cycles = 0;
        std::uint8_t written = 0; ///< these and the next: counters, as bits
        std::uint8_t read = 0;
        bool add(awaited const& o) {
            auto const before = *this;
            cycles = std::max(cycles, o.cycles);
            written |= o.written;
            read |= o.read;
            return !(before == *this);
        }
        friend bool operator==(awaited const&, awaited const&) = default;
    };
    using state = std::vector<awaited>; ///< by register
    struct block {
        std::size_t first = 0, last = 0; ///< one past its last instruction
        std::vector<std::size_t> next;
        state before;
    };

public:
    control_compiler(static_program const& p, core_numbers const& n, std::vector<static_instruction>& code)
        : n_(n),
          code_(code),
          registers_(registers_of(code)) {
        find_blocks(p);
        assign_counters();
        for (auto& i : code_) {
            i.control.given = true;
            i.control.stall = 1;
        }
        for (bool changed = true; changed;) {
            changed = false;
            for (auto& b : blocks_) changed |= follow(b);
        }
    }

private:
    static constexpr auto no_target = static_instruction::no_target;
    static constexpr std::uint32_t longest_stall = 15;

    static std::size_t registers_of(std::vector<static_instruction> const& code) {
        std::size_t n = 0;
        for (auto const& i : code) {
            for (unsigned k = 0; k < i.destinations; ++k) n = std::max<std::size_t>(n, i.destination[k] + 1U);
            for (unsigned k = 0; k < i.sources; ++k) n = std::max<std::size_t>(n, i.source[k] + 1U);
        }
        return n;
    }
    /// Cycles from the issue to that of who needs the result; 0 if that is not known, or more than one can stall for.
    std::uint32_t fixed_latency(static_instruction const& i) const {
        auto const cycles = n_.operand_cycles + execution_time_of(n_, i).latency + n_.writeback_cycles;
        return has_fixed_latency(unit_for(n_, i.kind)) && cycles <= longest_stall ? cycles : 0;
    }
    void find_blocks(static_program const& p) {
        std::vector<bool> begins(code_.size() + 1);
        begins[0] = true;
        auto const jumps = [&](static_instruction const& i, auto const& to) {
            if (i.target < code_.size()) to(i.target);
            if (i.jump_table != no_target)
                for (auto const t : p.jump_tables[i.jump_table])
                    if (t < code_.size()) to(t);
        };
        for (std::size_t i = 0; i < code_.size(); ++i) {
            if (code_[i].kind == op_class::branch || code_[i].kind == op_class::exit) begins[i + 1] = true;
            jumps(code_[i], [&](std::uint32_t t) { begins[t] = true; });
        }
        std::vector<std::size_t> block_at(code_.size() + 1);
        for (std::size_t i = 0; i < code_.size(); ++i) {
            if (begins[i]) blocks_.push_back({i, i, {}, state(registers_)});
            blocks_.back().last = i + 1;
            block_at[i] = blocks_.size() - 1;
        }
        for (auto& b : blocks_) {
            auto const& end = code_[b.last - 1];
            jumps(end, [&](std::uint32_t t) { b.next.push_back(block_at[t]); });
            bool const goes_on = end.kind != op_class::exit && (end.guarded || b.next.empty());
            if (b.last < code_.size() && (goes_on || (end.kind == op_class::exit && end.guarded)))
                b.next.push_back(block_at[b.last]);
        }
    }
    /// In turn: to each result of variable latency, and to operands of such instructions that others overwrite.
    void assign_counters() {
        std::vector<std::vector<std::size_t>> writers(registers_);
        for (std::size_t i = 0; i < code_.size(); ++i)
            for (unsigned k = 0; k < code_[i].destinations; ++k)
                writers[code_[i].destination[k]].push_back(i);
        auto loop = code_.size(); // the first instruction of the loops that this one is in
        std::vector<std::size_t> loop_of(code_.size());
        for (auto i = code_.size(); i-- > 0;) {
            if (code_[i].target <= i) loop = std::min<std::size_t>(loop, code_[i].target);
            loop_of[i] = loop <= i ? loop : i;
            if (loop == i) loop = code_.size();
        }
        unsigned next = 0;
        auto const one_more = [&next] {
            return static_cast<std::uint8_t>(std::exchange(next, (next + 1) % control_bits::counters));
        };
        for (std::size_t i = 0; i < code_.size(); ++i) {
            auto& c = code_[i];
            if (fixed_latency(c) != 0) continue;
            if (c.destinations != 0) c.control.write_counter = one_more();
            if (has_fixed_latency(unit_for(n_, c.kind))) continue;
            bool overwritten = false;
            for (unsigned k = 0; k < c.sources; ++k)
                for (auto const w : writers[c.source[k]]) overwritten |= w != i && w >= loop_of[i];
            if (overwritten) c.control.read_counter = one_more();
        }
    }
    static std::uint8_t bit(std::uint8_t counter) {
        return counter < control_bits::counters ? static_cast<std::uint8_t>(1U << counter) : std::uint8_t{0};
    }
    static std::uint8_t moved(static_instruction const& i) {
        return bit(i.control.write_counter) | bit(i.control.read_counter);
    }
    void stall(std::size_t i, std::uint32_t cycles) {
        auto& s = code_[i].control.stall;
        s = static_cast<std::uint8_t>(std::max<std::uint32_t>(s, std::min(cycles, longest_stall)));
    }
    /// Works through a block, and hands what is under way at its end to those behind it; whether anything is new to
    /// them. What the first instruction waits for in cycles, those in front of it stall for.
    bool follow(block const& b) {
        auto now = b.before;
        for (auto i = b.first; i < b.last; ++i) {
            auto& c = code_[i];
            auto const own = fixed_latency(c);
            std::uint32_t cycles = 1;
            std::uint8_t waits = c.control.wait_mask;
            auto const look = [&](register_id r, bool is_written) {
                auto const& a = now[r];
                // An older result must not come behind this one.
                auto const wait = is_written && own != 0 && a.cycles != 0
                                      ? a.cycles + 1U - std::min<std::uint32_t>(a.cycles, own)
                                      : std::uint32_t{a.cycles};
                cycles = std::max(cycles, wait);
                waits |= is_written ? a.written | a.read : a.written;
            };
            for (unsigned k = 0; k < c.sources; ++k) look(c.source[k], false);
            for (unsigned k = 0; k < c.destinations; ++k) look(c.destination[k], true);
            if (i != b.first)
                stall(i - 1, (waits & moved(code_[i - 1])) != 0 ? std::max(cycles, 2U) : cycles);
            c.control.wait_mask = waits;
            auto const passed = i != b.first ? code_[i - 1].control.stall : 1U; // in front of it, at least
            for (auto& a : now) {
                a.written &= static_cast<std::uint8_t>(~waits);
                a.read &= static_cast<std::uint8_t>(~waits);
                a.cycles = static_cast<std::uint8_t>(a.cycles > passed ? a.cycles - passed : 0);
            }
            if (i == b.first) entered(b, cycles, waits);
            for (unsigned k = 0; k < c.destinations; ++k)
                now[c.destination[k]] = {static_cast<std::uint8_t>(own), bit(c.control.write_counter), 0};
            for (unsigned k = 0; k < c.sources; ++k) now[c.source[k]].read |= bit(c.control.read_counter);
        }
        bool news = false;
        for (auto const n : b.next)
            for (std::size_t r = 0; r < registers_; ++r) news |= blocks_[n].before[r].add(now[r]);
        return news;
    }
    /// The first instruction of `b` waits for these cycles and counters.
    void entered(block const& b, std::uint32_t cycles, std::uint8_t waits) {
        auto const number = static_cast<std::size_t>(&b - blocks_.data());
        for (auto const& from : blocks_) {
            if (std::find(from.next.begin(), from.next.end(), number) == from.next.end()) continue;
            stall(from.last - 1, (waits & moved(code_[from.last - 1])) != 0 ? std::max(cycles, 2U) : cycles);
        }
    }

    core_numbers const& n_;
    std::vector<static_instruction>& code_;
    std::size_t registers_;
    std::vector<block> blocks_;
};

/// An operand is kept if the next instruction that reads one in its place, and from its bank, reads it again, in the
/// same basic block and before it is written.
inline void keep_operands(std::vector<static_instruction>& code, core_numbers const& n) {
    auto const banks = n.register_banks / n.sub_cores;
    auto const cached = [&](static_instruction const& i) { return has_fixed_latency(unit_for(n, i.kind)); };
    auto const ends = [](static_instruction const& i) {
        return i.kind == op_class::branch || i.kind == op_class::exit;
    };
    auto const each_operand = [](static_instruction const& i, auto const& f) {
        unsigned slot = 0;
        for (unsigned k = 0; k < i.sources; ++k)
            if ((i.further_sources >> k & 1) == 0) f(slot++, i.source[k]);
    };
    auto const again = [&](std::size_t from, unsigned slot, register_id r) {
        for (auto i = from; !ends(code[i]) && i + 1 < code.size(); ++i) {
            if (std::find(code[i].destination, code[i].destination + code[i].destinations, r) !=
                code[i].destination + code[i].destinations)
                return false;
            if (!cached(code[i + 1])) continue;
            bool found = false, same = false;
            each_operand(code[i + 1], [&](unsigned s, register_id other) {
                if (s != slot || other % banks != r % banks) return;
                found = true;
                same = other == r;
            });
            if (found) return same;
        }
        return false;
    };
    for (std::size_t i = 0; i < code.size(); ++i)
        if (cached(code[i]))
            each_operand(code[i], [&](unsigned slot, register_id r) {
                if (slot < n.register_cache && again(i, slot, r))
                    code[i].control.reuse |= static_cast<std::uint8_t>(1U << slot);
            });
}

} // namespace detail

/// The kernel's code as it runs on such a core: as it is where the kernel has control bits, or the core has no use for
/// them; otherwise with the bits that a compiler would give it.
/// Differs from NVIDIA's compiler, which reorders instructions for it: the order stays, counters are taken in turn, a
/// warp never yields, and paths are taken to be what branches say, so that of a trace they are straight.
inline std::vector<static_instruction> as_compiled(static_program const& p, core_numbers const& n) {
    auto code = p.instructions;
    if (code.empty() || code[0].control.given) return code;
    if (n.register_cache != 0) detail::keep_operands(code, n);
    if (n.control_bits != 0) detail::control_compiler(p, n, code);
    return code;
}

} // namespace warpkit
