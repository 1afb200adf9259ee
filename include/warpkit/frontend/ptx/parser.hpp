#pragma once
/// \file
/// PTX text to a module: recursive descent over tokens with positions. Every error is one line
/// "name:line:column: expected X, found Y" (or says what does not fit), naming the opcode form where there is one.

#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/declaration_reader.hpp>
#include <warpkit/frontend/ptx/instruction_table.hpp>
#include <warpkit/frontend/ptx/operand_check.hpp>
#include <warpkit/frontend/ptx/scope.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::ptx {

class parser : declaration_reader {
public:
    parser(std::string_view text, std::string_view name) : declaration_reader(text, name) {
        module_.name = std::string(name);
    }

    module run() {
        while (now_.kind != token_kind::end) module_item();
        if (module_.version_major == 0) fail_at({1, 1}, "expected a .version directive, found none");
        return std::move(module_);
    }

private:
    static constexpr std::uint64_t most_parameter_bytes = 32764; ///< PTX ISA, "Kernel Function Parameters"

    // Module scope -----------------------------------------------------------------------------------------------
    void module_item() {
        if (accept(".version")) {
            if (now_.kind == token_kind::float64) { // 7.8 reads as a number
                auto const text = now_.text;
                auto const dot = text.find('.');
                if (dot == 0 || dot > 2 || (dot == 2 && text[0] != '1') || text.size() > dot + 2)
                    fail_at(now_.where, "expected a version of PTX from 1.0 to 19.9, such as 6.3, found " +
                                            std::string(text));
                for (auto c : text.substr(0, dot))
                    module_.version_major = module_.version_major * 10 + digit(c);
                for (auto c : text.substr(dot + 1))
                    module_.version_minor = module_.version_minor * 10 + digit(c);
                take();
            } else {
                expected("a version number such as 6.3");
            }
        } else if (accept(".target")) {
            auto const where = now_.where;
            module_.target = need_name("a target such as sm_70");
            require_target(where);
            while (accept(',')) need_name("a target option");
        } else if (now_.is(".address_size")) {
            take();
            if (now_.kind != token_kind::integer || now_.value != 64)
                expected("address size 64 (32-bit code is not supported)");
            take();
        } else if (now_.is(".file") || now_.is(".loc")) {
            line_directive();
        } else if (now_.is(".pragma")) {
            skip_pragma();
        } else if (accept(".section")) {
            skip_section();
        } else if (now_.is(".alias")) {
            while (now_.kind != token_kind::end && !now_.is(';')) take();
            need(';', "after .alias");
        } else {
            bool is_extern = false;
            bool any = false;
            for (;; any = true) {
                if (accept(".extern"))
                    is_extern = true;
                else if (!accept(".visible") && !accept(".weak") && !accept(".common"))
                    break;
            }
            if (now_.is(".entry") || now_.is(".func")) {
                parse_function();
            } else if (is_space(now_)) {
                declare(module_.variables, nullptr, is_extern);
            } else if (now_.is(".texref") || now_.is(".samplerref") || now_.is(".surfref")) {
                take();
                variable v;
                v.where = now_.where;
                v.name = need_name("a variable name");
                v.space = memory_space::texture;
                v.type = scalar::u64;
                v.size = 8;
                need(';', "after this declaration");
                if (module_symbols_.count(v.name) != 0)
                    fail_at(v.where, "'" + v.name + "' is declared twice");
                module_symbols_[v.name] = {symbol_reference::scope::module_variable,
                                           static_cast<std::uint32_t>(module_.variables.size())};
                module_.variables.push_back(std::move(v));
            } else {
                expected(any ? "a function or a variable declaration"
                             : "a directive such as .version, .entry, .func, .global or .const");
            }
        }
    }
    static unsigned digit(char c) { return c >= '0' && c <= '9' ? static_cast<unsigned>(c - '0') : 0; }
    void skip_pragma() {
        take();
        if (now_.kind != token_kind::string) expected("a string after .pragma");
        take();
        while (accept(',')) take();
        need(';', "after .pragma");
    }
    /// An architecture has a number of two or three digits, and perhaps a letter: sm_70, sm_90a.
    // Of a thread, so that as many CTAs of so many threads fit a core as its code says: ptxas keeps to that, in units
    // of eight (CUDA C++ Programming Guide, "Launch Bounds"; "Compute Capabilities" has the registers of a core).
    struct launch_bounds {
        std::uint64_t threads = 0; ///< 0: it does not say
        std::uint64_t ctas = 1;
    };
    std::uint32_t registers_within(launch_bounds const& b) const {
        if (b.threads == 0 || b.ctas == 0) return 0;
        unsigned const of_core = module_.target.size() == 5 && module_.target < "sm_30" ? 32768 : 65536;
        auto const each = of_core / (b.threads * b.ctas) / 8 * 8;
        return static_cast<std::uint32_t>(std::max<std::uint64_t>(each, 16));
    }
    void require_target(position where) const {
        std::string_view number = module_.target;
        bool good = number.starts_with("sm_");
        if (good) number.remove_prefix(3);
        if (good && (number.ends_with('a') || number.ends_with('f'))) number.remove_suffix(1);
        good = good && (number.size() == 2 || number.size() == 3) &&
               number.find_first_not_of("0123456789") == number.npos;
        if (!good) fail_at(where, "expected a target such as sm_70, found " + module_.target);
    }
    // .file NUMBER "NAME" and .loc FILE LINE; what else stands on the line does not matter, nor what is neither.
    void line_directive() {
        auto const line = now_.where.line;
        bool const is_file = now_.is(".file");
        auto const on_line = [&](token_kind kind) { return now_.kind == kind && now_.where.line == line; };
        auto const number = [&]() -> std::uint32_t {
            take();
            return on_line(token_kind::integer) && now_.value <= 0xffffffff
                       ? static_cast<std::uint32_t>(now_.value)
                       : 0;
        };
        source_place place;
        place.file = number();
        if (!is_file && place.file != 0) {
            place.line = number();
            if (place.line != 0) source_ = place;
        } else if (place.file != 0) {
            take();
            if (on_line(token_kind::string)) module_.files[place.file] = unquoted(now_.text);
        }
        while (now_.kind != token_kind::end && now_.where.line == line) take();
    }
    static std::string unquoted(std::string_view text) {
        return std::string(text.size() < 2 ? text : text.substr(1, text.size() - 2));
    }
    void skip_section() {
        while (now_.kind != token_kind::end && !now_.is('{')) take();
        need('{', "after the section's name");
        while (now_.kind != token_kind::end && !now_.is('}')) take();
        need('}', "at the end of this section");
    }

    // A declaration of one or more variables in a state space, from the space on to the semicolon.
    void declare(std::vector<variable>& into, function* in, bool is_extern) {
        auto const space = space_from(now_.text);
        take();
        if (space == memory_space::constant && now_.kind == token_kind::symbol && now_.is('[')) {
            while (!now_.is(']') && now_.kind != token_kind::end) take(); // .const[bank], obsolete
            need(']', "after the bank");
        }
        do {
            auto v = declarator(space, into.size() != 0 && previous_.is(',') ? &into.back() : nullptr);
            v.is_extern = is_extern;
            if (v.unsized && !is_extern && v.initial.empty())
                fail_at(v.where, "expected a size for '" + v.name +
                                     "': only .extern variables may be declared with []");
            if (in != nullptr) {
                define_variable(*in, std::move(v));
            } else {
                auto const known = module_symbols_.find(v.name);
                if (known != module_symbols_.end()) {
                    if (known->second.where == symbol_reference::scope::function)
                        fail_at(v.where, "'" + v.name + "' is already the name of a function");
                    auto& earlier = module_.variables[known->second.index];
                    if (!earlier.is_extern && !v.is_extern)
                        fail_at(v.where, "'" + v.name + "' is declared twice");
                    if (earlier.is_extern) earlier = std::move(v);
                } else {
                    module_symbols_[v.name] = {symbol_reference::scope::module_variable,
                                               static_cast<std::uint32_t>(into.size())};
                    into.push_back(std::move(v));
                }
            }
        } while (accept(','));
        need(';', "after this declaration");
    }
    // Functions --------------------------------------------------------------------------------------------------

    void parse_function() {
        function f;
        source_ = {};
        f.is_entry = now_.is(".entry");
        take();
        if (!f.is_entry && now_.is('(')) {
            parameter_list(f, variable::role::result);
            f.results = static_cast<std::uint32_t>(f.variables.size());
        }
        f.where = now_.where;
        f.name = need_name("a function name");
        if (now_.is('(')) parameter_list(f, variable::role::parameter);
        f.parameters = static_cast<std::uint32_t>(f.variables.size()) - f.results;
        for (std::uint32_t i = 0; i < f.parameters; ++i) {
            auto& p = f.variables[f.results + i];
            f.parameter_bytes = (f.parameter_bytes + p.align - 1) / p.align * p.align;
            p.offset = f.parameter_bytes;
            f.parameter_bytes += p.size;
            if (p.align > f.parameter_align) f.parameter_align = p.align;
            if (f.parameter_bytes > most_parameter_bytes)
                fail_at(p.where, "expected at most 32764 bytes of parameters");
        }
        launch_bounds bounds;
        for (;;) {
            if (accept(".maxntid") || accept(".reqntid")) {
                bounds.threads = 1;
                do
                    bounds.threads = std::min<std::uint64_t>(
                        bounds.threads * std::min<std::uint64_t>(need_integer("a number of threads"), 1024),
                        1024);
                while (accept(','));
            } else if (accept(".minnctapersm")) {
                bounds.ctas = std::min<std::uint64_t>(need_integer("a number"), 1024);
            } else if (accept(".maxnctapersm")) {
                need_integer("a number");
            } else if (accept(".maxnreg")) {
                f.most_registers = static_cast<std::uint32_t>(
                    std::min<std::uint64_t>(need_integer("a number of registers"), 0xffffffff));
            } else if (accept(".reqnctapercluster")) {
                cluster_extent(f);
            } else if (accept(".explicitcluster")) {
                f.cluster.is_explicit = true;
            } else if (accept(".maxclusterrank")) {
                f.cluster.most_ctas = static_cast<std::uint32_t>(
                    std::min<std::uint64_t>(need_integer("a number of CTAs"), 0xffffffff));
            } else if (accept(".noreturn")) {
            } else if (preserved_registers()) {
            } else if (now_.is(".pragma")) {
                skip_pragma();
            } else {
                break;
            }
        }
        if (f.most_registers == 0) f.most_registers = registers_within(bounds);
        auto index = static_cast<std::uint32_t>(module_.functions.size());
        auto const known = module_symbols_.find(f.name);
        if (known != module_symbols_.end()) {
            if (known->second.where != symbol_reference::scope::function)
                fail_at(f.where, "'" + f.name + "' is already the name of a variable");
            index = known->second.index;
            if (module_.functions[index].is_defined && now_.is('{'))
                fail_at(f.where, "function '" + f.name + "' is defined twice");
        } else {
            module_symbols_[f.name] = {symbol_reference::scope::function, index};
            module_.functions.emplace_back();
            module_.functions.back().name = f.name; // callable from its own body
        }
        if (accept(';')) {
            if (!module_.functions[index].is_defined) module_.functions[index] = std::move(f);
            return;
        }
        f.is_defined = true;
        scopes_.clear();
        scopes_.emplace_back();
        for (std::uint32_t i = 0; i < f.variables.size(); ++i)
            if (!f.variables[i].name.empty()) scopes_.back().variables[f.variables[i].name] = i;
        auto const opening = now_.where;
        need('{', "before the function's body");
        statements(f, opening);
        scopes_.clear();
        module_.functions[index] = std::move(f);
    }
    // What callers keep in registers: calls are inlined, so none is lost.
    bool preserved_registers() {
        if (!accept(".abi_preserve") && !accept(".abi_preserve_control")) return false;
        need_integer("a number of registers");
        return true;
    }
    // x[, y[, z]]
    void cluster_extent(function& f) {
        f.cluster.required = {};
        auto* const extent = &f.cluster.required;
        for (auto* to : {&extent->x, &extent->y, &extent->z}) {
            auto const where = now_.where;
            auto const n = need_integer("a number of CTAs");
            if (n == 0 || n > 1024) fail_at(where, "expected 1 to 1024 CTAs, found " + std::to_string(n));
            *to = static_cast<std::uint32_t>(n);
            if (!accept(',')) return;
        }
    }
    void define_variable(function& f, variable v) {
        auto const index = static_cast<std::uint32_t>(f.variables.size());
        if (!scopes_.back().variables.emplace(v.name, index).second)
            fail_at(v.where, "'" + v.name + "' is declared twice");
        f.variables.push_back(std::move(v));
    }

    void statements(function& f, position opening) {
        for (;;) {
            if (now_.kind == token_kind::end)
                fail_at(now_.where, "expected '}' to close the block of line " +
                                        std::to_string(opening.line) + ", found the end of the text");
            if (now_.is('}')) {
                take();
                close_scope(f);
                return;
            }
            statement(f);
        }
    }
    void statement(function& f) {
        if (now_.is('{')) {
            if (scopes_.size() > 64) fail_at(now_.where, "expected at most 64 nested blocks");
            auto const opening = now_.where;
            take();
            scopes_.emplace_back();
            statements(f, opening);
        } else if (accept(';')) {
        } else if (now_.is(".reg")) {
            declare_registers(f);
        } else if (now_.is(".param")) {
            declare(f.variables, &f, false);
        } else if (is_space(now_)) {
            declare(f.variables, &f, false);
        } else if (accept(".extern")) {
            if (!now_.is(".shared")) expected("'.shared' after .extern");
            declare(f.variables, &f, true);
        } else if (now_.is(".loc") || now_.is(".file")) {
            line_directive();
        } else if (now_.is(".pragma")) {
            skip_pragma();
        } else if (now_.kind == token_kind::dotted) {
            fail_at(now_.where,
                    "expected a statement, found directive " + found(now_) + ", which is not supported here");
        } else {
            statement_with_opcode(f);
        }
    }
    void declare_registers(function& f) {
        take();
        unsigned vector = 1;
        if (accept(".v2")) vector = 2;
        if (accept(".v4")) vector = 4;
        auto const type_at = now_.where;
        auto const type = need_type();
        if (vector != 1) fail_at(type_at, "expected a scalar register: vector registers are not supported");
        do {
            auto const where = now_.where;
            auto const name = need_name("a register name");
            auto const first = static_cast<std::uint32_t>(f.registers.size());
            auto& s = scopes_.back();
            if (accept('<')) {
                auto const count = need_integer("a number of registers");
                need('>', "after the number of registers");
                if (count > register_list::most - first)
                    fail_at(where, "expected at most 16777216 registers in a function");
                if (!s.ranges.emplace(name, register_range{static_cast<std::uint32_t>(count), first}).second)
                    fail_at(where, "registers '" + name + "' are declared twice");
                f.registers.add(name, type, static_cast<std::uint32_t>(count));
            } else {
                if (first >= register_list::most)
                    fail_at(where, "expected at most 16777216 registers in a function");
                if (!s.names.emplace(name, first).second)
                    fail_at(where, "register '" + name + "' is declared twice");
                f.registers.add(name, type);
            }
        } while (accept(','));
        need(';', "after this declaration");
    }
    bool find_symbol(std::string_view name, symbol_reference& out) const {
        for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s)
            if (auto const i = s->variables.find(name); i != s->variables.end()) {
                out = {symbol_reference::scope::function_variable, i->second};
                return true;
            }
        auto const i = module_symbols_.find(name);
        if (i == module_symbols_.end()) return false;
        out = i->second;
        return true;
    }

    void close_scope(function& f) {
        auto& s = scopes_.back();
        for (auto& use : s.uses) {
            auto const label = s.labels.find(use.name);
            auto const list = s.lists.find(use.name);
            if (use.in_list && label != s.labels.end()) {
                f.lists[use.holder].targets[use.entry] = label->second;
            } else if (!use.in_list && (label != s.labels.end() || list != s.lists.end())) {
                auto& n = f.body[use.holder];
                auto& o = n.operands[use.entry];
                auto const what = instruction_table::instance()[n.row].from->what;
                if (label != s.labels.end()) {
                    if (what != action::jump)
                        fail_at(use.where,
                                n.opcode + ": expected a list of targets, found label '" + use.name + "'");
                    o.target = label->second;
                } else {
                    bool const branches = f.lists[list->second].what == target_list::kind::branch;
                    if (what == action::jump || branches != (what == action::jump_by_table))
                        fail_at(use.where, n.opcode + " cannot use the list '" + use.name + "'");
                    o.what = operand::kind::targets;
                    o.target = list->second;
                }
            } else if (scopes_.size() > 1) {
                scopes_[scopes_.size() - 2].uses.push_back(std::move(use));
            } else {
                fail_at(use.where,
                        "expected a label of this function, found '" + use.name + "', which is not declared");
            }
        }
        scopes_.pop_back();
    }

    // Instructions -----------------------------------------------------------------------------------------------
    void statement_with_opcode(function& f) {
        instruction n;
        if (accept('@')) {
            n.guarded = true;
            n.guard_negated = accept('!');
            auto const t = now_;
            auto const name = need_name("a predicate register");
            if (!find_register(scopes_, name, n.guard))
                fail_at(t.where,
                        "expected a predicate register, found " + found(t) + ", which is not declared");
            if (f.registers.type(n.guard) != scalar::pred)
                fail_at(t.where, "expected a predicate register, found " + found(t) + " of type ." +
                                     std::string(name_of(f.registers.type(n.guard))));
        } else if (now_.kind != token_kind::identifier) {
            expected("a statement");
        }
        auto const first = now_;
        n.where = first.where;
        n.source = source_;
        auto const base = need_name("an opcode");
        if (!n.guarded && now_.is(':')) {
            take();
            if (now_.is(".branchtargets") || now_.is(".calltargets") || now_.is(".callprototype"))
                return declare_targets(f, first);
            if (!scopes_.back().labels.emplace(base, static_cast<std::uint32_t>(f.body.size())).second)
                fail_at(first.where, "label '" + base + "' is declared twice");
            return;
        }
        n.opcode = base;
        std::vector<std::string_view> words;
        while (now_.kind == token_kind::dotted && now_.touches_previous) {
            n.opcode += now_.text;
            words.push_back(now_.text.substr(1));
            take();
        }
        auto const& rows = instruction_table::instance().rows_of(base);
        if (rows.empty()) fail_at(first.where, "unknown opcode '" + n.opcode + "'");
        std::vector<std::uint16_t> fitting;
        std::vector<form> forms;
        for (auto r : rows) {
            form candidate;
            if (instruction_table::instance()[r].pattern.match(words, candidate)) {
                fitting.push_back(r);
                forms.push_back(candidate);
            }
        }
        if (fitting.empty()) {
            std::string known;
            for (auto r : rows)
                known +=
                    (known.empty() ? "" : "; ") + instruction_table::instance()[r].pattern.describe(base);
            fail_at(first.where, "unknown form '" + n.opcode + "' of opcode " + base + "; known: " + known);
        }
        n.operands = operand_list(f, n.opcode);
        // Several rows may have this form (mov of scalars and of vectors): take the one whose operands fit, and report
        // the trouble with the first one otherwise.
        std::string trouble;
        position where;
        for (std::size_t i = 0; i < fitting.size(); ++i) {
            std::string why;
            position place;
            if (operand_check(module_, f).fits(n, fitting[i], forms[i], why, place)) {
                n.row = fitting[i];
                n.form = forms[i];
                auto const extra = instruction_table::instance()[n.row].from->extra;
                if (extra == trait::awaits_all || extra == trait::after_all) await_all(f, n);
                if (extra == trait::awaits_all) return;
                auto const index = static_cast<std::uint32_t>(f.body.size());
                for (std::uint32_t k = 0; k < n.operands.size(); ++k)
                    if (n.operands[k].what == operand::kind::label) {
                        scopes_.back().uses.push_back(
                            {n.operands[k].where, label_names_[k], false, index, k});
                    }
                f.body.push_back(std::move(n));
                return;
            }
            if (trouble.empty()) {
                trouble = why;
                where = place;
            }
        }
        fail_at(where, trouble);
    }

    // What `n` stands for, or waits for first: cp.async.commit_group and cp.async.wait_group 0 (PTX ISA,
    // cp.async.wait_all).
    static void await_all(function& f, instruction const& n) {
        auto const& table = instruction_table::instance();
        for (auto const wanted : {async_role::commit, async_role::wait})
            for (auto const r : table.rows_of("cp"))
                if (table[r].from->role == wanted) {
                    auto& part = f.body.emplace_back(n);
                    part.row = r;
                    part.form = {};
                    part.operands.clear();
                    if (wanted == async_role::wait) {
                        operand groups;
                        groups.what = operand::kind::immediate;
                        part.operands.push_back(groups);
                    }
                }
    }

    // name: .branchtargets labels; name: .calltargets functions; name: .callprototype (results) _ (parameters);
    void declare_targets(function& f, token const& name) {
        auto const index = static_cast<std::uint32_t>(f.lists.size());
        if (!scopes_.back().lists.emplace(std::string(name.text), index).second)
            fail_at(name.where, "list '" + std::string(name.text) + "' is declared twice");
        target_list list;
        list.where = name.where;
        if (accept(".callprototype")) {
            list.what = target_list::kind::prototype;
            function prototype;
            if (now_.is('(')) parameter_list(prototype, variable::role::result);
            need_name("'_' in place of the function's name");
            if (now_.is('(')) parameter_list(prototype, variable::role::parameter);
            while (accept(".noreturn") || preserved_registers()) {}
        } else {
            bool const calls = now_.is(".calltargets");
            list.what = calls ? target_list::kind::call : target_list::kind::branch;
            take();
            do {
                auto const t = now_;
                auto target = need_name(calls ? "a function" : "a label");
                if (calls) {
                    auto const i = module_symbols_.find(target);
                    if (i == module_symbols_.end() || i->second.where != symbol_reference::scope::function)
                        fail_at(t.where, "expected a declared function, found " + found(t));
                    list.targets.push_back(i->second.index);
                } else {
                    auto const entry = static_cast<std::uint32_t>(list.targets.size());
                    scopes_.back().uses.push_back({t.where, std::move(target), true, index, entry});
                    list.targets.push_back(0);
                }
            } while (accept(','));
        }
        need(';', "after this list");
        f.lists.push_back(std::move(list));
    }

    std::vector<operand> operand_list(function& f, std::string const& opcode) {
        std::vector<operand> list;
        label_names_.clear();
        if (!now_.is(';')) {
            do {
                list.push_back(one_operand(f, opcode));
                label_names_.push_back(last_label_);
            } while (accept(','));
        }
        if (!now_.is(';')) expected("',' or ';' after an operand of " + opcode);
        take();
        return list;
    }
    operand one_operand(function& f, std::string const& opcode) {
        operand o;
        last_label_.clear();
        o.where = now_.where;
        if (now_.is('{') || now_.is('(')) {
            bool const vector = now_.is('{');
            char const close = vector ? '}' : ')';
            take();
            o.what = vector ? operand::kind::vector : operand::kind::list;
            if (++depth_ > 8) fail_at(o.where, "expected at most 8 levels of brackets");
            if (!now_.is(close)) {
                do {
                    o.elements.push_back(one_operand(f, opcode));
                } while (accept(','));
            }
            --depth_;
            last_label_.clear();
            need(close, vector ? "after the vector's elements" : "after the arguments");
            return o;
        }
        if (accept('[')) {
            o.what = operand::kind::address;
            address(f, o);
            if (accept(',')) { // a texture's coordinates
                do {
                    o.elements.push_back(one_operand(f, opcode));
                } while (accept(','));
                last_label_.clear();
            }
            need(']', "after the address");
            return o;
        }
        if (accept('!')) o.negated = true;
        if (now_.is('-') || now_.kind == token_kind::integer || now_.kind == token_kind::float32 ||
            now_.kind == token_kind::float64) {
            bool const minus = accept('-');
            if (now_.kind != token_kind::integer && now_.kind != token_kind::float32 &&
                now_.kind != token_kind::float64)
                expected("a number");
            o.what = operand::kind::immediate;
            o.literal = now_.kind;
            o.value = now_.value;
            if (minus)
                o.value = o.literal == token_kind::integer   ? 0 - o.value
                          : o.literal == token_kind::float32 ? o.value ^ 0x80000000U
                                                             : o.value ^ (1ULL << 63);
            take();
            if (o.literal == token_kind::integer) o.value = operations_on(o.value);
            return o;
        }
        if (now_.kind != token_kind::identifier) expected("an operand of " + opcode);
        auto const t = now_;
        take();
        if (t.text == "_") {
            o.what = operand::kind::sink;
            if (accept('|')) second_destination(o);
            return o;
        }
        if (t.text == "WARP_SZ") {
            o.what = operand::kind::immediate;
            o.value = lanes;
            return o;
        }
        if (find_register(scopes_, t.text, o.reg)) {
            o.what = operand::kind::reg;
            if (now_.kind == token_kind::dotted && now_.touches_previous) {
                if (!o.parts.read(now_.text.substr(1))) expected("a selector such as .b0, .h1 or .b3210");
                take();
            }
            if (accept('|')) second_destination(o);
            return o;
        }
        if (t.text[0] == '%') {
            if (auto const special = detail::special_from(t.text)) {
                o.what = operand::kind::special;
                o.special = *special;
                return o;
            }
            if (!find_symbol(t.text, o.symbol))
                fail_at(t.where, "expected an operand of " + opcode + ", found register " + found(t) +
                                     ", which is not declared");
        }
        if (find_symbol(t.text, o.symbol)) {
            o.what = operand::kind::symbol;
            if (now_.is('+') || now_.is('-')) {
                accept('+');
                o.value = static_cast<std::uint64_t>(signed_integer("an offset"));
            }
            return o;
        }
        o.what = operand::kind::label;
        last_label_ = std::string(t.text);
        return o;
    }
    void second_destination(operand& o) {
        auto const t = now_;
        auto const name = need_name("a second destination register");
        if (name == "_")
            o.second = operand::sink_register;
        else if (!find_register(scopes_, name, o.second))
            fail_at(t.where, "expected a register, found " + found(t) + ", which is not declared");
    }
    void address(function& f, operand& o) {
        if (now_.kind == token_kind::integer || now_.is('-')) {
            o.is_absolute = true;
            o.value = static_cast<std::uint64_t>(signed_integer("an address"));
            return;
        }
        auto const t = now_;
        auto const name = need_name("a register, a variable or a number as address");
        if (find_register(scopes_, name, o.reg)) {
            auto const type = f.registers.type(o.reg);
            if (type == scalar::pred || is_float(type) || size_of(type) < 4)
                fail_at(t.where, "expected a 32- or 64-bit integer register as address, found " + found(t) +
                                     " of type ." + std::string(name_of(type)));
        } else if (find_symbol(name, o.symbol)) {
            o.has_symbol = true;
            if (o.symbol.where == symbol_reference::scope::function)
                fail_at(t.where, "expected a variable as address, found function " + found(t));
        } else {
            fail_at(t.where, "expected a register or a variable as address, found " + found(t) +
                                 ", which is not declared");
        }
        if (now_.is('+') || now_.is('-')) {
            accept('+');
            o.value = static_cast<std::uint64_t>(signed_integer("an offset"));
        }
    }

    module module_;
    std::vector<scope> scopes_;
    std::vector<std::string> label_names_;
    std::string last_label_;
    source_place source_; ///< the last .loc of this function
};

} // namespace warpkit::ptx
