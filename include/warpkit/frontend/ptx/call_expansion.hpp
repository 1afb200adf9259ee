#pragma once
/// \file
/// All instructions of an entry one behind the other, with the functions that it calls in the places of the calls, and
/// where the variables of them all lie.

#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/call_graph.hpp>
#include <warpkit/frontend/ptx/loaded_module.hpp>
#include <warpkit/frontend/ptx/made_code.hpp>
#include <warpkit/frontend/ptx/memory_access.hpp>
#include <warpkit/frontend/ptx/recursive_function.hpp>
#include <warpkit/program/static_instruction.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::ptx {

/// One instruction of an expanded entry.
struct expanded_instruction {
    std::uint32_t frame = 0; ///< which inlined instance of a function it belongs to
    instruction const* text = nullptr;
    std::uint32_t target =
        static_instruction::no_target; ///< of a jump that no text has: an instruction of the entry
};

/// Expands one entry, once.
///
/// A function is inlined at each of its calls; what stands behind one of several that a call through a register may
/// reach is its end. A function that may call itself is inlined where it is called from outside, and calls of its own
/// come back to the beginning of that copy (recursive_function.hpp).
class call_expansion {
public:
    /// Where a symbol lies: its space, and the address there.
    struct place_of {
        memory_space space = memory_space::none;
        std::uint64_t address = 0;
        bool bound = false;
    };

    explicit call_expansion(loaded_module const& m) : module_(&m), graph_(m.source()) {}

    /// Throws warpkit::error, with the place, for a call that cannot be run.
    void expand(ptx::function const& entry) {
        name_ = entry.name;
        frame outer;
        outer.f = &entry;
        outer.number = number_of(entry);
        outer.outermost = true;
        outer.variables.resize(entry.variables.size());
        for (std::uint32_t i = 0; i < entry.results + entry.parameters; ++i)
            outer.variables[i] = {memory_space::parameter, entry.variables[i].offset, true};
        recurses_ = graph_.reaches_recursion(outer.number);
        frames_.push_back(std::move(outer));
        if (recurses_) begin_stack(entry);
        expand_frame(0);
        place_variables();
        if (recurses_) stack_begin_->operands[1].value = local_bytes_ = (local_bytes_ + 15) / 16 * 16;
    }

    std::vector<expanded_instruction> const& code() const noexcept { return code_; }
    std::vector<expanded_instruction>& code() noexcept { return code_; }
    /// Jump tables of calls through registers.
    std::vector<std::vector<std::uint32_t>> const& tables() const noexcept { return tables_; }
    /// The one of a call.
    std::uint32_t table_of_call(instruction const& n, std::uint32_t frame_index) const {
        return call_tables_.at({frame_index, &n});
    }
    /// Where an instruction jumps that names a label.
    std::uint32_t target_of(expanded_instruction const& c, operand const& label) const {
        return c.target != static_instruction::no_target ? c.target : frames_[c.frame].index[label.target];
    }
    /// Where it may jump if it names a list.
    std::vector<std::uint32_t> targets_of(expanded_instruction const& c, operand const& list) const {
        auto const& f = frames_[c.frame];
        std::vector<std::uint32_t> result;
        if (f.recursive && list.target + 1 == f.f->lists.size()) { // its returns, to the outer caller first
            result = f.resumes;
            result.insert(result.begin(), f.end);
        } else {
            for (auto const to : f.f->lists[list.target].targets) result.push_back(f.index[to]);
        }
        return result;
    }
    /// Where a ret goes; no_target: it ends the kernel.
    std::uint32_t return_of(expanded_instruction const& c) const {
        return frames_[c.frame].outermost ? static_instruction::no_target : frames_[c.frame].end;
    }

    /// The number of a register within the kernel; only those that are used have one.
    std::uint32_t reg(expanded_instruction const& c, std::uint32_t r) {
        auto& f = frames_[c.frame];
        auto const [i, is_new] = f.registers.try_emplace(r, static_cast<std::uint32_t>(types_.size()));
        if (is_new) types_.push_back(f.f->registers.type(r));
        return i->second;
    }
    /// A register more, which no text names.
    std::uint32_t add_register(scalar type) {
        types_.push_back(type);
        return static_cast<std::uint32_t>(types_.size() - 1);
    }
    /// Of the registers of the kernel.
    std::vector<scalar> const& types() const noexcept { return types_; }

    /// The space and address that a symbol stands for.
    place_of resolve(expanded_instruction const& c, symbol_reference s) {
        return resolve(c.frame, s, *c.text);
    }
    /// The function that a call asks of the driver, or the kernel that it launches; null: another instruction.
    ptx::function const* system_call(instruction const& n) const {
        if (!is_call(n)) return nullptr;
        call_parts const p(n);
        if (p.indirect()) return nullptr;
        auto const& f = module_->source().functions[p.callee->symbol.index];
        return system_calls::runs(f) ? &f : nullptr;
    }

    std::uint32_t shared_bytes() const noexcept { return static_cast<std::uint32_t>(shared_used_); }
    /// Of a thread, the stack not among them, which lies behind.
    std::uint64_t local_bytes() const noexcept { return local_bytes_; }
    /// Whether some function may call itself, so that there is a stack.
    bool recurses() const noexcept { return recurses_; }
    /// What the instructions point to beside the module; null: nothing.
    std::shared_ptr<made_code const> made() const noexcept { return made_; }

private:
    static constexpr std::uint32_t most_instructions = 1U << 20;
    static constexpr unsigned max_calls = 64;
    static constexpr std::uint32_t dynamic_mark = 0xffffffff;

    // One inlined instance of a function.
    struct frame {
        ptx::function const* f = nullptr;
        std::uint32_t number = 0;                         ///< of the function that it was in the module
        std::map<std::uint32_t, std::uint32_t> registers; ///< numbers of those in use
        std::vector<place_of> variables;
        std::vector<std::uint32_t> index; ///< of each of its instructions, and one past the last
        std::uint32_t end = 0;            ///< where its ret goes
        bool outermost = false;
        bool recursive = false;
        std::vector<std::uint32_t> resumes; ///< where its ret goes when it has called itself, by selector - 1
    };

    [[noreturn]] void refuse(instruction const& n, std::string const& why) const {
        fail(module_->source().name, n.where, "kernel " + name_ + ": " + why);
    }
    std::uint32_t number_of(ptx::function const& f) const {
        return static_cast<std::uint32_t>(&f - module_->source().functions.data());
    }
    std::uint32_t here() const { return static_cast<std::uint32_t>(code_.size()); }

    // Layout of memory ------------------------------------------------------------------------------------------------
    std::uint32_t shared_variable(variable const& v, std::uint64_t key) {
        auto const known = shared_.find(key);
        if (known != shared_.end()) return known->second;
        if (v.unsized) { // all extern arrays begin where dynamic shared memory does
            dynamic_.push_back(key);
            if (v.align > dynamic_align_) dynamic_align_ = v.align;
            shared_[key] = dynamic_mark;
            return dynamic_mark;
        }
        auto const at = (shared_used_ + v.align - 1) / v.align * v.align;
        if (at + v.size > (1U << 24))
            fail(module_->source().name, v.where, "expected less than 16 MiB of shared variables");
        shared_used_ = at + v.size;
        shared_[key] = static_cast<std::uint32_t>(at);
        return static_cast<std::uint32_t>(at);
    }
    std::uint64_t local_variable(variable const& v) {
        auto const at = (local_bytes_ + v.align - 1) / v.align * v.align;
        if (at + v.size > (1U << 24))
            fail(module_->source().name, v.where, "expected less than 16 MiB of local variables");
        local_bytes_ = at + v.size;
        return at;
    }
    place_of place(variable const& v, std::uint64_t key) {
        place_of p{v.space, 0, true};
        switch (v.space) {
        case memory_space::shared:
            p.address = shared_variable(v, key);
            break;
        case memory_space::local:
            p.address = local_variable(v);
            break;
        case memory_space::parameter:
            p.address = call_frame + local_variable(v);
            break;
        default:
            fail(module_->source().name, v.where,
                 "variable '" + v.name + "': this space is not supported inside functions");
        }
        return p;
    }
    place_of resolve(std::uint32_t frame_index, symbol_reference s, instruction const& n) {
        if (s.where == symbol_reference::scope::function)
            return {memory_space::none, function_window | s.index, true};
        if (s.where == symbol_reference::scope::function_variable) {
            auto& f = frames_[frame_index];
            auto& p = f.variables[s.index];
            auto const& v = f.f->variables[s.index];
            // Shared variables are one for all inlined copies.
            auto const key = std::uint64_t{f.number + 1} << 32 | s.index;
            if (!p.bound) p = place(v, key);
            if (v.space == memory_space::shared) p.address = shared_[key];
            return p;
        }
        auto const& v = module_->source().variables[s.index];
        switch (v.space) {
        case memory_space::global:
            if (v.is_extern) refuse(n, "variable '" + v.name + "' is .extern and defined nowhere");
            return {v.space, module_->address(s.index), true};
        case memory_space::constant:
            return {v.space, module_->address(s.index), true};
        case memory_space::shared:
            return {v.space, shared_variable(v, s.index), true};
        case memory_space::local: {
            auto const known = module_locals_.find(s.index);
            if (known != module_locals_.end()) return {v.space, known->second, true};
            auto const at = local_variable(v);
            module_locals_[s.index] = at;
            return {v.space, at, true};
        }
        default: // a texture: its handle
            return {v.space, module_->address(s.index), true};
        }
    }
    // Shared variables get their places before any address is taken, static ones first; where there is a stack, those
    // in local memory do, too, since it lies behind them.
    void place_variables() {
        for (auto const& c : code_) {
            auto const visit = [&](operand const& o, auto const& self) -> void {
                bool const symbol =
                    o.what == operand::kind::symbol || (o.what == operand::kind::address && o.has_symbol);
                if (symbol && o.symbol.where != symbol_reference::scope::function) {
                    auto const& v = o.symbol.where == symbol_reference::scope::function_variable
                                        ? frames_[c.frame].f->variables[o.symbol.index]
                                        : module_->source().variables[o.symbol.index];
                    if (recurses_ || v.space == memory_space::shared)
                        static_cast<void>(resolve(c.frame, o.symbol, *c.text));
                }
                for (auto const& e : o.elements) self(e, self);
            };
            for (auto const& o : c.text->operands) visit(o, visit);
        }
        auto const align = std::uint64_t{dynamic_align_ < 16 ? 16 : dynamic_align_};
        if (!dynamic_.empty()) shared_used_ = (shared_used_ + align - 1) / align * align;
        for (auto key : dynamic_) shared_[key] = static_cast<std::uint32_t>(shared_used_);
    }

    // Inlining --------------------------------------------------------------------------------------------------------
    void expand_frame(std::uint32_t frame_index) {
        auto const* f = frames_[frame_index].f;
        running_.push_back(frame_index);
        for (auto const& n : f->body) {
            if (code_.size() >= most_instructions)
                refuse(n, "expected at most 1048576 instructions after inlining");
            frames_[frame_index].index.push_back(here());
            if (is_call(n) && system_call(n) == nullptr)
                call(frame_index, n);
            else
                code_.push_back({frame_index, &n});
            if (auto const* const asked = system_call(n))
                check_arguments(frame_index, n, call_parts(n), *asked);
        }
        frames_[frame_index].index.push_back(here());
        frames_[frame_index].end = here();
        running_.pop_back();
    }
    void call(std::uint32_t frame_index, instruction const& written) {
        auto const* n = &written;
        auto const skip = here();
        if (n->guarded) { // who does not call goes on behind the whole function
            auto past = jump(frame_index, *n);
            past.guarded = true;
            past.guard = n->guard;
            past.guard_negated = !n->guard_negated;
            code_.push_back({frame_index, keep(std::move(past))});
            auto plain = *n;
            plain.guarded = false;
            n = keep(std::move(plain));
        }
        code_.push_back({frame_index, n});
        call_parts const p(*n);
        auto const& functions = module_->source().functions;
        if (!p.indirect()) {
            run_function(frame_index, *n, p, p.callee->symbol.index);
        } else { // all functions that it may reach, one behind the other; each returns to the end of them all
            std::vector<std::uint32_t> table(functions.size(), static_instruction::no_target);
            std::vector<std::size_t> bodies;
            std::vector<std::size_t> jumps;
            auto const reachable = graph_.callees(*frames_[frame_index].f, *n);
            if (reachable.empty()) refuse(*n, "there is no function that this call could reach");
            for (auto const index : reachable) {
                table[index] = here();
                if (frame_that_runs(index) != nullptr) { // the results of a recursion are fetched behind it
                    run_function(frame_index, *n, p, index);
                    jumps.push_back(code_.size());
                    code_.push_back({frame_index, keep(jump(frame_index, *n)), 0});
                } else {
                    check_end(*n, functions[index]);
                    bodies.push_back(frames_.size());
                    run_function(frame_index, *n, p, index);
                }
            }
            for (auto const b : bodies) frames_[b].end = here();
            for (auto const j : jumps) code_[j].target = here();
            call_tables_[{frame_index, n}] = static_cast<std::uint32_t>(tables_.size());
            tables_.push_back(std::move(table));
        }
        if (written.guarded) code_[skip].target = here();
    }
    // Behind a function that is called indirectly stands another: it must not run into it.
    void check_end(instruction const& n, ptx::function const& f) const {
        if (!f.body.empty() && !f.body.back().guarded) {
            auto const& base = f.body.back().opcode;
            for (std::string_view const last : {"ret", "exit", "bra", "trap", "brx"})
                if (base.substr(0, base.find('.')) == last) return;
        }
        refuse(n, "expected '" + f.name + "', which this call may reach, to end with ret");
    }
    frame* frame_that_runs(std::uint32_t function) {
        for (auto const r : running_)
            if (frames_[r].number == function) return &frames_[r];
        return nullptr;
    }
    void run_function(std::uint32_t frame_index, instruction const& n, call_parts const& p,
                      std::uint32_t function) {
        auto const& callee = module_->source().functions[function];
        if (!callee.is_defined) refuse(n, "call of external function '" + callee.name + "' is not supported");
        check_arguments(frame_index, n, p, callee);
        if (auto const* const again = frame_that_runs(function))
            return come_back(frame_index, n, p, static_cast<std::uint32_t>(again - frames_.data()));
        if (running_.size() > max_calls) refuse(n, "expected at most 64 nested calls");
        frame inner;
        inner.f = &callee;
        inner.number = function;
        inner.recursive = graph_.is_recursive(function);
        if (inner.recursive) {
            auto& f = written_[function];
            if (f == nullptr) {
                make().functions.push_back(recursive_function(module_->source(), graph_, function).written());
                f = &make().functions.back();
            }
            inner.f = f;
            auto const extra = recursion_registers::behind(callee.registers);
            inner.registers = {{extra.stack_pointer, stack_pointer_},
                               {extra.wide, wide_},
                               {extra.word, word_},
                               {extra.half, half_}};
        }
        inner.variables.resize(inner.f->variables.size());
        // The callee's parameters are the caller's argument variables: nothing needs to be copied.
        for (std::uint32_t k = 0; k < callee.results + callee.parameters; ++k)
            inner.variables[k] = resolve(frame_index, p.given(callee, k).symbol, n);
        frames_.push_back(std::move(inner));
        auto const index = static_cast<std::uint32_t>(frames_.size() - 1);
        if (frames_[index].recursive) select(index, n, 0);
        entered_[index] = here();
        expand_frame(index);
    }
    void check_arguments(std::uint32_t frame_index, instruction const& n, call_parts const& p,
                         ptx::function const& callee) const {
        auto const result_count = p.results == nullptr ? 0 : p.results->elements.size();
        auto const argument_count = p.arguments == nullptr ? 0 : p.arguments->elements.size();
        if (result_count != callee.results || argument_count != callee.parameters)
            refuse(n, "'" + callee.name + "' takes " + std::to_string(callee.parameters) +
                          " arguments and gives " + std::to_string(callee.results) + " results, found " +
                          std::to_string(argument_count) + " and " + std::to_string(result_count));
        for (std::uint32_t k = 0; k < callee.results + callee.parameters; ++k) {
            auto const& have = frames_[frame_index].f->variables[p.given(callee, k).symbol.index];
            auto const& want = callee.variables[k];
            // A call widens small integers, which a kernel's parameters keep small.
            if (have.size != want.size && !(callee.is_entry && have.size == 4 && want.size < 4))
                refuse(n, "parameter '" + want.name + "' of '" + callee.name + "' has " +
                              std::to_string(want.size) + " bytes, the argument '" + have.name + "' has " +
                              std::to_string(have.size));
        }
    }

    // Recursion -------------------------------------------------------------------------------------------------------
    made_code& make() {
        if (made_ == nullptr) made_ = std::make_shared<made_code>();
        return *made_;
    }
    instruction const* keep(instruction n) {
        make().instructions.push_back(std::move(n));
        return &make().instructions.back();
    }
    template <class Write>
    static std::vector<instruction> made_instructions(ptx::function const* f, instruction const& beside,
                                                      Write write) {
        snippet s(*f);
        write(s);
        return s.instructions(beside);
    }
    instruction jump(std::uint32_t frame_index, instruction const& n) const {
        return made_instructions(frames_[frame_index].f, n, [](snippet& s) { s.line("bra here;"); }).front();
    }
    template <class Write>
    void append(std::uint32_t frame_index, instruction const& beside, Write write) {
        for (auto& n : made_instructions(frames_[frame_index].f, beside, write))
            code_.push_back({frame_index, keep(std::move(n))});
    }
    void begin_stack(ptx::function const& entry) {
        stack_pointer_ = add_register(scalar::u64);
        wide_ = add_register(scalar::u64);
        word_ = add_register(scalar::u32);
        half_ = add_register(scalar::u16);
        auto const number = entry.registers.size(); // one that its text cannot name
        frames_[0].registers[number] = stack_pointer_;
        instruction begin;
        begin.where = entry.where;
        append(0, entry.body.empty() ? begin : entry.body.front(),
               [&](snippet& s) { s.line("mov.u64 " + s.reg(number, scalar::u64) + ", 0;"); });
        stack_begin_ = &make().instructions.back();
    }
    recursion_registers extra_of(std::uint32_t frame_index) const {
        return recursion_registers::behind(
            module_->source().functions[frames_[frame_index].number].registers);
    }
    void select(std::uint32_t frame_index, instruction const& n, std::size_t caller) {
        append(frame_index, n, [&](snippet& s) {
            s.line("mov.u32 " + s.reg(extra_of(frame_index).selector) + ", " + std::to_string(caller) + ";");
        });
    }
    // A call of a function that is running further out: its arguments go where that one has its parameters, and its
    // results are fetched from there.
    void come_back(std::uint32_t from, instruction const& n, call_parts const& p, std::uint32_t to) {
        auto const& callee = *frames_[to].f;
        auto const copy = [&](std::uint32_t source, std::uint32_t source_variable, std::uint32_t target,
                              std::uint32_t target_variable) {
            auto const& from_here = frames_[source].f->variables[source_variable];
            auto const align = std::min(from_here.align, frames_[target].f->variables[target_variable].align);
            each_piece(from_here.size, align, [&](std::uint64_t at, std::uint64_t bytes) {
                auto const move = [&](std::uint32_t in, std::uint32_t variable, bool loads) {
                    append(in, n, [&](snippet& s) {
                        auto const by = s.reg(extra_of(in).of(bytes));
                        auto const there = "[" + s.variable(variable) + "+" + std::to_string(at) + "]";
                        auto const bits = ".param.b" + std::to_string(8 * bytes) + " ";
                        s.line(loads ? "ld" + bits + by + ", " + there + ";"
                                     : "st" + bits + there + ", " + by + ";");
                    });
                };
                move(source, source_variable, true);
                move(target, target_variable, false);
            });
        };
        for (auto k = callee.results; k < callee.results + callee.parameters; ++k)
            copy(from, p.given(callee, k).symbol.index, to, k);
        select(to, n, frames_[to].resumes.size() + 1);
        code_.push_back({to, keep(jump(to, n)), entered_.at(to)});
        frames_[to].resumes.push_back(here());
        for (std::uint32_t k = 0; k < callee.results; ++k) copy(to, k, from, p.given(callee, k).symbol.index);
    }

    loaded_module const* module_;
    call_graph graph_;
    std::string name_; ///< the entry's
    std::vector<frame> frames_;
    std::vector<std::uint32_t> running_; ///< frames that are being expanded, outermost first
    std::vector<expanded_instruction> code_;
    std::vector<scalar> types_; ///< of the kernel's registers
    std::vector<std::vector<std::uint32_t>> tables_;
    std::map<std::pair<std::uint32_t, instruction const*>, std::uint32_t> call_tables_;

    std::map<std::uint64_t, std::uint32_t> shared_;
    std::map<std::uint32_t, std::uint64_t> module_locals_;
    std::vector<std::uint64_t> dynamic_;
    std::uint64_t shared_used_ = 0;
    std::uint32_t dynamic_align_ = 1;
    std::uint64_t local_bytes_ = 0;

    bool recurses_ = false;
    std::shared_ptr<made_code> made_;
    std::map<std::uint32_t, ptx::function const*> written_; ///< recursive functions, by number
    std::map<std::uint32_t, std::uint32_t> entered_; ///< the first instruction behind the selector, by frame
    instruction* stack_begin_ = nullptr; ///< where the kernel points the stack pointer at its stack
    std::uint32_t stack_pointer_ = 0;
    std::uint32_t wide_ = 0;
    std::uint32_t word_ = 0;
    std::uint32_t half_ = 0;
};

} // namespace warpkit::ptx
