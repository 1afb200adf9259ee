#pragma once
/// \file
/// A function that may come to call itself, written anew so that one copy of its code serves all its calls: what it
/// needs behind a call, and its .local variables, lie on a stack in local memory (docs/model/ptx.md#recursion).

#include <warpkit/frontend/ptx/call_graph.hpp>
#include <warpkit/frontend/ptx/made_code.hpp>
#include <warpkit/frontend/ptx/memory_access.hpp>
#include <warpkit/frontend/ptx/register_operands.hpp>
#include <warpkit/program/control_flow.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/liveness.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpkit::ptx {

/// The registers that recursion adds to a function, numbered behind its own.
struct recursion_registers {
    std::uint32_t stack_pointer = 0; ///< u64: where its frame begins in local memory; of all functions one
    std::uint32_t selector = 0;      ///< u32: which of its callers it returns to
    std::uint32_t wide = 0;          ///< u64, for a moment, as are those below; of all functions one
    std::uint32_t word = 0;          ///< u32
    std::uint32_t half = 0;          ///< u16

    static recursion_registers behind(register_list const& own) {
        auto const n = own.size();
        return {n, n + 1, n + 2, n + 3, n + 4};
    }
    static void add_to(register_list& own) {
        own.add("%stack_pointer", scalar::u64);
        own.add("%selector", scalar::u32);
        own.add("%wide", scalar::u64);
        own.add("%word", scalar::u32);
        own.add("%half", scalar::u16);
    }
    /// The one that holds 8, 4, 2 or 1 bytes for a moment.
    std::uint32_t of(std::uint64_t bytes) const { return bytes == 8 ? wide : bytes == 4 ? word : half; }
};

/// Calls visit(offset, bytes) for pieces of 8, 4, 2 and 1 bytes that make up `size` bytes, none wider than `align`.
template <class Visit>
void each_piece(std::uint64_t size, std::uint64_t align, Visit&& visit) {
    for (std::uint64_t at = 0; at < size;) {
        auto bytes = std::min<std::uint64_t>(align, 8);
        while (bytes > size - at) bytes /= 2;
        visit(at, bytes);
        at += bytes;
    }
}

/// Writes one function anew. It has the registers of recursion_registers; its last instruction is a brx.idx by the
/// selector through its last list, whose targets the caller knows, and each ret goes there. Around a call that may come
/// back to it, it saves the registers and .param variables that are live behind the call; around any that comes to a
/// recursive function, it moves the stack pointer behind its frame.
class recursive_function {
public:
    static constexpr std::uint64_t frame_align = 16; ///< bytes

    recursive_function(module const& m, call_graph& calls, std::uint32_t number)
        : module_(m),
          calls_(calls),
          number_(number),
          old_(m.functions[number]),
          extra_(recursion_registers::behind(old_.registers)) {}

    /// Throws warpkit::error for an operand that would need the address of a .local variable and cannot have it.
    ptx::function written() {
        find_locations();
        lay_out();
        ptx::function f = old_;
        recursion_registers::add_to(f.registers);
        auto const all = f; // the registers of snippets
        f.body.clear();
        std::vector<std::uint32_t> place; // of each old instruction, with what stands before it for its sake
        auto const append = [&](snippet const& s, instruction const& beside) {
            for (auto& n : s.instructions(beside)) f.body.push_back(std::move(n)), is_old_.push_back(false);
        };
        std::vector<std::uint32_t> leaves;
        for (std::uint32_t i = 0; i < old_.body.size(); ++i) {
            place.push_back(static_cast<std::uint32_t>(f.body.size()));
            auto n = old_.body[i];
            snippet before(all);
            snippet behind(all);
            if (is_call(n))
                around(i, before, behind);
            else
                for (auto& o : n.operands) point_into_frame(n, o, before);
            append(before, n);
            if (row_of(n).what == action::leave) {
                snippet s(all);
                s.line("bra here;");
                auto jump = std::move(s.instructions(n).front());
                jump.guarded = n.guarded;
                jump.guard = n.guard;
                jump.guard_negated = n.guard_negated;
                leaves.push_back(static_cast<std::uint32_t>(f.body.size()));
                n = std::move(jump);
            }
            f.body.push_back(std::move(n));
            is_old_.push_back(leaves.empty() || leaves.back() + 1 != f.body.size());
            append(behind, old_.body[i]);
        }
        auto const end = static_cast<std::uint32_t>(f.body.size());
        place.push_back(end);
        for (std::uint32_t i = 0; i < end; ++i)
            if (is_old_[i])
                for (auto& o : f.body[i].operands)
                    if (o.what == operand::kind::label) o.target = place[o.target];
        for (auto const i : leaves) f.body[i].operands[0].target = end;
        for (auto& list : f.lists)
            if (list.what == target_list::kind::branch)
                for (auto& to : list.targets) to = place[to];
        snippet last(all);
        last.line("brx.idx " + last.reg(extra_.selector) + ", nowhere;");
        instruction at_end;
        if (!old_.body.empty()) at_end = old_.body.back();
        append(last, at_end);
        f.body.back().operands[1].target = static_cast<std::uint32_t>(f.lists.size());
        f.lists.emplace_back();
        return f;
    }

private:
    static row const& row_of(instruction const& n) { return *instruction_table::instance()[n.row].from; }
    // A location: a register by its number, then the .param variables by theirs.
    std::uint32_t location_of_variable(std::uint32_t v) const { return extra_.half + 1 + v; }
    bool is_variable(std::uint32_t location) const { return location > extra_.half; }
    variable const& variable_at(std::uint32_t location) const {
        return old_.variables[location - extra_.half - 1];
    }
    bool is_parameter_space(operand const& o) const {
        return o.symbol.where == symbol_reference::scope::function_variable &&
               old_.variables[o.symbol.index].space == memory_space::parameter;
    }
    bool comes_back(instruction const& n) {
        for (auto const g : calls_.callees(old_, n))
            if (calls_.reaches(g, number_) || g == number_) return true;
        return false;
    }
    bool comes_to_recursion(instruction const& n) {
        for (auto const g : calls_.callees(old_, n))
            if (calls_.reaches_recursion(g)) return true;
        return false;
    }

    // What is live behind each call that may come back, by number of the call.
    void find_locations() {
        auto const n = static_cast<std::uint32_t>(old_.body.size());
        std::map<std::uint32_t, std::uint32_t> dense; // numbers of the locations in use
        std::vector<std::uint32_t> locations;
        auto const number = [&](std::uint32_t location) {
            auto const [i, is_new] =
                dense.try_emplace(location, static_cast<std::uint32_t>(locations.size()));
            if (is_new) locations.push_back(location);
            return i->second;
        };
        std::vector<static_instruction> code(n);
        std::vector<std::vector<std::uint32_t>> tables;
        std::vector<register_use> uses(n);
        std::vector<std::uint32_t> always; // variables whose address is taken
        for (std::uint32_t i = 0; i < n; ++i) {
            auto const& x = old_.body[i];
            auto& use = uses[i];
            use.conditional = code[i].guarded = x.guarded;
            each_register(x, [&](register_operand const& r) {
                (r.written ? use.writes : use.reads).push_back(number(r.reg));
            });
            for (auto const& o : x.operands) {
                if (o.what == operand::kind::label) code[i].target = o.target;
                if (o.what == operand::kind::targets && !is_call(x)) {
                    code[i].jump_table = static_cast<std::uint32_t>(tables.size());
                    tables.push_back(old_.lists[o.target].targets);
                }
                if (o.what == operand::kind::symbol && !is_call(x) && is_parameter_space(o))
                    always.push_back(o.symbol.index);
                if (o.what == operand::kind::address && o.has_symbol && is_parameter_space(o)) {
                    auto const bytes = std::uint64_t{size_of(x.form.type[0])} * x.form.vector_size();
                    bool const stores = row_of(x).kind.integer == op_class::store;
                    if (!stores)
                        use.reads.push_back(number(location_of_variable(o.symbol.index)));
                    else if (o.value == 0 && bytes == old_.variables[o.symbol.index].size)
                        use.writes.push_back(number(location_of_variable(o.symbol.index)));
                }
            }
            if (is_call(x)) {
                call_parts const p(x);
                if (p.arguments != nullptr)
                    for (auto const& e : p.arguments->elements)
                        use.reads.push_back(number(location_of_variable(e.symbol.index)));
                if (p.results != nullptr)
                    for (auto const& e : p.results->elements)
                        use.writes.push_back(number(location_of_variable(e.symbol.index)));
            }
            auto const what = row_of(x).what;
            if (what == action::exit || what == action::leave || what == action::trap)
                code[i].kind = op_class::exit;
            if (what == action::leave) {
                use.reads.push_back(number(extra_.selector));
                for (std::uint32_t v = 0; v < old_.results; ++v)
                    use.reads.push_back(number(location_of_variable(v)));
            }
        }
        auto const returns = number(extra_.selector); // running off the end is a return, too
        control_flow const flow(code, tables);
        liveness const live(flow, uses, static_cast<std::uint32_t>(locations.size()));
        for (std::uint32_t i = 0; i < n; ++i) {
            if (!is_call(old_.body[i]) || !comes_back(old_.body[i])) continue;
            auto& kept = kept_[i];
            auto behind = live.live_behind(flow, uses, i);
            behind.push_back(returns);
            for (auto const d : behind) kept.push_back(locations[d]);
            for (auto const v : always) kept.push_back(location_of_variable(v));
            std::sort(kept.begin(), kept.end());
            kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
            call_parts const p(old_.body[i]);
            if (p.results != nullptr && !old_.body[i].guarded)
                for (auto const& e : p.results->elements)
                    kept.erase(std::remove(kept.begin(), kept.end(), location_of_variable(e.symbol.index)),
                               kept.end());
        }
    }
    // The frame: .local variables, then what is kept.
    void lay_out() {
        auto const take = [&](std::uint64_t bytes, std::uint64_t align) {
            auto const at = (frame_ + align - 1) / align * align;
            frame_ = at + bytes;
            return at;
        };
        for (std::uint32_t v = 0; v < old_.variables.size(); ++v)
            if (old_.variables[v].space == memory_space::local)
                at_[location_of_variable(v)] = take(
                    old_.variables[v].size, std::min<std::uint64_t>(old_.variables[v].align, frame_align));
        for (auto const& [call, kept] : kept_)
            for (auto const location : kept)
                if (at_.count(location) == 0) {
                    bool const wide =
                        location < extra_.stack_pointer && old_.registers.type(location) == scalar::b128;
                    auto const bytes = is_variable(location) ? variable_at(location).size : wide ? 16U : 8U;
                    at_[location] = take(bytes, wide ? 16 : 8);
                }
        frame_ = (frame_ + frame_align - 1) / frame_align * frame_align;
    }

    std::string in_frame(snippet& s, std::uint64_t at) const {
        return "[" + s.reg(extra_.stack_pointer) + "+" + std::to_string(at) + "]";
    }
    void around(std::uint32_t call, snippet& before, snippet& behind) {
        auto const& n = old_.body[call];
        auto const kept = kept_.find(call);
        if (kept != kept_.end())
            for (auto const location : kept->second) keep(location, before, behind, true);
        if (comes_to_recursion(n)) {
            auto const move = [&](snippet& s, char const* sign) {
                auto const sp = s.reg(extra_.stack_pointer);
                s.line("add.s64 " + sp + ", " + sp + ", " + sign + std::to_string(frame_) + ";");
            };
            move(before, "");
            move(behind, "-");
        }
        if (kept != kept_.end())
            for (auto const location : kept->second) keep(location, before, behind, false);
    }
    // Saves a location before, or gives it back behind.
    void keep(std::uint32_t location, snippet& before, snippet& behind, bool saves) {
        auto const at = at_.at(location);
        auto& s = saves ? before : behind;
        auto const store = [&](std::string const& bits, std::uint64_t offset, std::string const& from) {
            s.line("st.local.b" + bits + " " + in_frame(s, at + offset) + ", " + from + ";");
        };
        auto const load = [&](std::string const& bits, std::uint64_t offset, std::string const& to) {
            s.line("ld.local.b" + bits + " " + to + ", " + in_frame(s, at + offset) + ";");
        };
        if (is_variable(location)) {
            auto const v = location - extra_.half - 1;
            each_piece(old_.variables[v].size, old_.variables[v].align,
                       [&](std::uint64_t offset, std::uint64_t bytes) {
                           auto const by = s.reg(extra_.of(bytes));
                           auto const bits = std::to_string(8 * bytes);
                           auto const there = "[" + s.variable(v) + "+" + std::to_string(offset) + "]";
                           if (saves) s.line("ld.param.b" + bits + " " + by + ", " + there + ";");
                           saves ? store(bits, offset, by) : load(bits, offset, by);
                           if (!saves) s.line("st.param.b" + bits + " " + there + ", " + by + ";");
                       });
            return;
        }
        auto const type = location == extra_.selector ? scalar::u32 : old_.registers.type(location);
        auto const name = s.reg(location);
        if (type == scalar::pred) {
            auto const word = s.reg(extra_.word);
            if (saves) {
                s.line("selp.u32 " + word + ", 1, 0, " + name + ";");
                store("32", 0, word);
            } else {
                load("32", 0, word);
                s.line("setp.ne.u32 " + name + ", " + word + ", 0;");
            }
            return;
        }
        auto const bits = std::to_string(8 * size_of(type));
        saves ? store(bits, 0, name) : load(bits, 0, name);
    }
    // An operand that names a .local variable of the function gets its place in the frame.
    void point_into_frame(instruction& n, operand& o, snippet& before) {
        bool const names =
            (o.what == operand::kind::symbol || (o.what == operand::kind::address && o.has_symbol)) &&
            o.symbol.where == symbol_reference::scope::function_variable &&
            old_.variables[o.symbol.index].space == memory_space::local;
        for (auto& e : o.elements) point_into_frame(n, e, before);
        if (!names) return;
        auto const at = at_.at(location_of_variable(o.symbol.index)) + o.value;
        bool const plain = o.what == operand::kind::address && space_of_form(n.form) == memory_space::local;
        auto const from = extra_.stack_pointer;
        if (plain) {
            o.has_symbol = false;
            o.reg = from;
            o.value = at;
            return;
        }
        bool const address = o.what == operand::kind::address; // a generic one
        auto const there = at + (address ? window_of(memory_space::local) : 0);
        before.line("add.s64 " + before.reg(extra_.wide) + ", " + before.reg(from) + ", " +
                    std::to_string(there) + ";");
        o.reg = extra_.wide;
        o.value = 0;
        o.has_symbol = false;
        if (address) return;
        o.what = operand::kind::reg;
        if (size_of(n.form.type[0]) == 4) {
            before.line("cvt.u32.u64 " + before.reg(extra_.word) + ", " + before.reg(extra_.wide) + ";");
            o.reg = extra_.word;
        } else if (size_of(n.form.type[0]) != 8) {
            fail(module_.name, n.where,
                 "function " + old_.name + ": an address of 4 or 8 bytes is expected where " + n.opcode +
                     " names a .local variable of a function that may call itself");
        }
    }

    module const& module_;
    call_graph& calls_;
    std::uint32_t number_;
    ptx::function const& old_;
    recursion_registers extra_;
    std::map<std::uint32_t, std::vector<std::uint32_t>> kept_; ///< locations, by call
    std::map<std::uint32_t, std::uint64_t> at_;                ///< bytes from the frame's begin, by location
    std::uint64_t frame_ = 0;                                  ///< bytes
    std::vector<bool> is_old_;                                 ///< by new instruction
};

} // namespace warpkit::ptx
