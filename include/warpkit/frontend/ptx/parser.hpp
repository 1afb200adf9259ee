#pragma once
/// \file
/// PTX text to a module: recursive descent over tokens with positions. Every error is one line
/// "name:line:column: expected X, found Y" (or says what does not fit), naming the opcode form where there is one.

#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/instruction_table.hpp>
#include <warpkit/frontend/ptx/lexer.hpp>

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::ptx {

class parser {
public:
    parser(std::string_view text, std::string_view name) : lexer_(text, name), name_(name) {
        module_.name = std::string(name);
        take();
    }

    module run() {
        while (now_.kind != token_kind::end) module_item();
        if (module_.version_major == 0) fail_at({1, 1}, "expected a .version directive, found none");
        return std::move(module_);
    }

private:
    static constexpr std::uint32_t most_registers = 1U << 20;
    static constexpr std::uint64_t most_bytes = 1ULL << 32;

    // Tokens -----------------------------------------------------------------------------------------------------
    void take() {
        previous_ = now_;
        now_ = lexer_.next();
    }
    [[noreturn]] void fail_at(position p, std::string const& message) const { fail(name_, p, message); }
    [[noreturn]] void expected(std::string const& what) const {
        fail_at(now_.where, "expected " + what + ", found " + found(now_));
    }
    void need(char c, char const* where) {
        if (!now_.is(c)) expected("'" + std::string(1, c) + "' " + where);
        take();
    }
    bool accept(char c) {
        if (!now_.is(c)) return false;
        take();
        return true;
    }
    bool accept(std::string_view word) {
        if (!now_.is(word)) return false;
        take();
        return true;
    }
    std::string need_name(char const* what) {
        if (now_.kind != token_kind::identifier) expected(what);
        auto s = std::string(now_.text);
        take();
        return s;
    }
    std::uint64_t need_integer(char const* what) {
        if (now_.kind != token_kind::integer) expected(what);
        auto const v = now_.value;
        take();
        return v;
    }
    std::int64_t signed_integer(char const* what) {
        bool const minus = accept('-');
        auto const v = need_integer(what);
        return static_cast<std::int64_t>(minus ? 0 - v : v);
    }

    // Module scope -----------------------------------------------------------------------------------------------
    void module_item() {
        if (accept(".version")) {
            if (now_.kind == token_kind::float64) { // 7.8 reads as a number
                auto const text = now_.text;
                auto const dot = text.find('.');
                for (auto c : text.substr(0, dot))
                    module_.version_major = module_.version_major * 10 + digit(c);
                for (auto c : text.substr(dot + 1))
                    module_.version_minor = module_.version_minor * 10 + digit(c);
                take();
            } else {
                expected("a version number such as 6.3");
            }
        } else if (accept(".target")) {
            module_.target = need_name("a target such as sm_70");
            while (accept(',')) need_name("a target option");
        } else if (now_.is(".address_size")) {
            take();
            if (now_.kind != token_kind::integer || now_.value != 64)
                expected("address size 64 (32-bit code is not supported)");
            take();
        } else if (now_.is(".file") || now_.is(".loc")) {
            skip_line_directive();
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
    static bool is_space(token const& t) {
        return t.is(".global") || t.is(".const") || t.is(".shared") || t.is(".local") || t.is(".tex");
    }
    void skip_pragma() {
        take();
        if (now_.kind != token_kind::string) expected("a string after .pragma");
        take();
        while (accept(',')) take();
        need(';', "after .pragma");
    }
    void skip_line_directive() {
        auto const line = now_.where.line;
        take();
        while (now_.kind != token_kind::end && now_.where.line == line) take();
    }
    void skip_section() {
        while (now_.kind != token_kind::end && !now_.is('{')) take();
        need('{', "after the section's name");
        while (now_.kind != token_kind::end && !now_.is('}')) take();
        need('}', "at the end of this section");
    }

    static memory_space space_from(std::string_view word) {
        if (word == ".global") return memory_space::global;
        if (word == ".const") return memory_space::constant;
        if (word == ".shared") return memory_space::shared;
        if (word == ".local") return memory_space::local;
        if (word == ".param") return memory_space::parameter;
        if (word == ".tex") return memory_space::texture;
        return memory_space::none;
    }

    scalar need_type() {
        auto const t = now_.kind == token_kind::dotted ? scalar_from(now_.text.substr(1)) : scalar::none;
        if (t == scalar::none) expected("a type such as .u32");
        take();
        return t;
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
    // [.align n] [.ptr ...] .type name [dimensions] [= initialiser]; `same` supplies alignment and type after a comma.
    variable declarator(memory_space space, variable const* same) {
        variable v;
        v.space = space;
        unsigned elements_per_vector = 1;
        bool aligned = false;
        if (same != nullptr && now_.kind == token_kind::identifier) {
            v.type = same->type;
            v.align = same->align;
        } else {
            for (;;) {
                if (accept(".align")) {
                    auto const n = need_integer("an alignment");
                    if (n == 0 || (n & (n - 1)) != 0 || n > 4096)
                        fail_at(previous_.where, "expected an alignment that is a power of two up to 4096");
                    v.align = static_cast<std::uint32_t>(n);
                    aligned = true;
                } else if (accept(".v2")) {
                    elements_per_vector = 2;
                } else if (accept(".v4")) {
                    elements_per_vector = 4;
                } else {
                    break;
                }
            }
            if (now_.is(".texref") || now_.is(".samplerref") || now_.is(".surfref")) {
                take();
                v.type = scalar::u64;
                v.space = memory_space::texture;
            } else {
                v.type = need_type();
            }
            if (v.type == scalar::pred)
                fail_at(previous_.where, "expected a type with a size, found '.pred'");
            if (!aligned) v.align = size_of(v.type) * elements_per_vector;
            if (space == memory_space::parameter &&
                accept(".ptr")) { // .ptr .space .align n: a hint about the pointee
                if (now_.kind == token_kind::dotted && space_from(now_.text) != memory_space::none) take();
                if (accept(".align")) need_integer("an alignment");
            }
        }
        v.where = now_.where;
        v.name = need_name("a variable name");
        std::uint64_t count = elements_per_vector;
        while (accept('[')) {
            v.is_array = true;
            if (now_.is(']')) {
                v.unsized = true;
            } else {
                auto const n = need_integer("an array size");
                if (n != 0 && count > most_bytes / n)
                    fail_at(previous_.where, "expected an array of less than 4 GiB");
                count *= n;
            }
            need(']', "after the array size");
        }
        if (count > most_bytes / size_of(v.type)) fail_at(v.where, "expected an array of less than 4 GiB");
        v.size = v.unsized ? 0 : count * size_of(v.type);
        if (accept('=')) {
            if (space != memory_space::global && space != memory_space::constant)
                fail_at(previous_.where,
                        "expected no initialiser: only .global and .const variables have one");
            if (v.is_array || elements_per_vector > 1 || now_.is('{'))
                initialise_list(v);
            else
                initialise_one(v);
            if (v.unsized) {
                v.size = v.initial.size();
                v.unsized = false;
            } else if (v.initial.size() > v.size) {
                fail_at(v.where, "expected at most " + std::to_string(v.size) +
                                     " bytes of initial values for '" + v.name + "', found " +
                                     std::to_string(v.initial.size()));
            }
        }
        return v;
    }
    void initialise_list(variable& v) {
        need('{', "before the initial values");
        if (!now_.is('}')) {
            do {
                if (now_.is('{')) {
                    if (++depth_ > 16) fail_at(now_.where, "expected at most 16 levels of braces");
                    initialise_list(v);
                    --depth_;
                } else {
                    initialise_one(v);
                }
            } while (accept(','));
        }
        need('}', "after the initial values");
    }
    void initialise_one(variable& v) {
        auto const at = v.initial.size();
        auto const bytes = size_of(v.type);
        if (at + bytes > most_bytes) fail_at(now_.where, "expected fewer initial values");
        v.initial.resize(at + bytes);
        if (now_.kind == token_kind::identifier) {
            relocation r;
            r.offset = at;
            r.bytes = static_cast<std::uint8_t>(bytes);
            r.where = now_.where;
            if (now_.is("generic")) {
                take();
                need('(', "after generic");
                r.generic = true;
                r.variable = initialiser_symbol();
                need(')', "after the variable");
            } else if (auto const f = module_symbols_.find(now_.text);
                       f != module_symbols_.end() && f->second.where == symbol_reference::scope::function) {
                r.is_function = true;
                r.variable = f->second.index;
                if (bytes != 8) expected("a number: the address of a function needs a variable of 8 bytes");
                take();
            } else {
                r.variable = initialiser_symbol();
            }
            if (now_.is('+') || now_.is('-')) {
                accept('+');
                r.addend = signed_integer("an offset");
            }
            if (bytes < 4) fail_at(r.where, "expected a number: an address needs a variable of 4 or 8 bytes");
            v.relocations.push_back(r);
            return;
        }
        bool const minus = accept('-');
        auto const t = now_;
        if (t.kind != token_kind::integer && t.kind != token_kind::float32 && t.kind != token_kind::float64)
            expected("an initial value");
        take();
        auto const bits = literal_bits(t, minus, v.type);
        std::memcpy(v.initial.data() + at, &bits, bytes);
    }
    std::uint32_t initialiser_symbol() {
        auto const t = now_;
        auto const name = need_name("a variable name");
        auto const i = module_symbols_.find(name);
        if (i == module_symbols_.end()) fail_at(t.where, "expected a declared variable, found " + found(t));
        if (i->second.where == symbol_reference::scope::function)
            fail_at(t.where, "expected a variable, found function " + found(t));
        return i->second.index;
    }
    /// A literal as the bits of a value of this type (low bytes).
    std::uint64_t literal_bits(token const& t, bool minus, scalar type) const {
        if (t.kind == token_kind::integer) {
            auto const v = minus ? 0 - t.value : t.value;
            if (type == scalar::f32)
                return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(v)));
            if (type == scalar::f64)
                return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(v)));
            return v;
        }
        if (t.kind == token_kind::float32) {
            auto const bits = static_cast<std::uint32_t>(t.value) ^ (minus ? 0x80000000U : 0U);
            if (type == scalar::f64)
                return std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(bits)));
            return bits;
        }
        auto const bits = t.value ^ (minus ? 1ULL << 63 : 0);
        if (size_of(type) == 4)
            return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
        return bits;
    }

    // Functions --------------------------------------------------------------------------------------------------
    struct register_range {
        std::string prefix;
        std::uint32_t count = 0; ///< 0: exactly this name
        std::uint32_t first = 0;
    };
    /// A name used as a label: by an operand of an instruction, or by an entry of a target list.
    struct label_use {
        position where;
        std::string name;
        bool in_list = false;
        std::uint32_t holder = 0; ///< number of the instruction or of the list
        std::uint32_t entry = 0;
    };
    struct scope {
        std::map<std::string, std::uint32_t, std::less<>> names; ///< registers
        std::map<std::string, register_range, std::less<>> ranges;
        std::map<std::string, std::uint32_t, std::less<>> variables;
        std::map<std::string, std::uint32_t, std::less<>> labels; ///< to instruction index
        std::map<std::string, std::uint32_t, std::less<>> lists;  ///< to the function's target lists
        std::vector<label_use> uses; ///< of labels and lists, resolved when the scope closes
    };

    void parse_function() {
        function f;
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
        }
        for (;;) {
            if (accept(".maxntid") || accept(".reqntid")) {
                need_integer("a number of threads");
                while (accept(',')) need_integer("a number of threads");
            } else if (accept(".minnctapersm") || accept(".maxnctapersm") || accept(".maxnreg")) {
                need_integer("a number");
            } else if (accept(".noreturn")) {
            } else if (now_.is(".pragma")) {
                skip_pragma();
            } else {
                break;
            }
        }
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
        current_ = &f;
        statements(f, opening);
        scopes_.clear();
        module_.functions[index] = std::move(f);
    }
    void parameter_list(function& f, variable::role role) {
        need('(', "before the parameters");
        while (!now_.is(')')) {
            if (now_.is(".reg"))
                fail_at(now_.where, "expected .param, found '.reg': register parameters are not supported");
            if (!now_.is(".param")) expected("'.param' or ')'");
            take();
            auto v = declarator(memory_space::parameter, nullptr);
            v.what = role;
            if (v.unsized) fail_at(v.where, "expected a size for parameter '" + v.name + "'");
            f.variables.push_back(std::move(v));
            if (!accept(',') && !now_.is(')')) expected("',' or ')' in the parameter list");
        }
        take();
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
        } else if (now_.is(".loc") || now_.is(".file")) {
            skip_line_directive();
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
                if (count > most_registers - first)
                    fail_at(where, "expected at most 1048576 registers in a function");
                if (!s.ranges.emplace(name, register_range{name, static_cast<std::uint32_t>(count), first})
                         .second)
                    fail_at(where, "registers '" + name + "' are declared twice");
                for (std::uint32_t i = 0; i < count; ++i)
                    f.registers.push_back({name + std::to_string(i), type});
            } else {
                if (first >= most_registers)
                    fail_at(where, "expected at most 1048576 registers in a function");
                if (!s.names.emplace(name, first).second)
                    fail_at(where, "register '" + name + "' is declared twice");
                f.registers.push_back({name, type});
            }
        } while (accept(','));
        need(';', "after this declaration");
    }
    bool find_register(std::string_view name, std::uint32_t& index) const {
        auto digits = name.size();
        while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
        for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s) {
            if (auto const i = s->names.find(name); i != s->names.end()) {
                index = i->second;
                return true;
            }
            // Prefixes themselves may end in digits (%r1<4> declares %r10 to %r13): try all cuts.
            for (auto cut = digits; cut < name.size() && name.size() - cut <= 7; ++cut) {
                if (name[cut] == '0' && cut + 1 != name.size()) continue;
                auto const i = s->ranges.find(name.substr(0, cut));
                if (i == s->ranges.end()) continue;
                std::uint32_t n = 0;
                for (auto c : name.substr(cut)) n = n * 10 + digit(c);
                if (n < i->second.count) {
                    index = i->second.first + n;
                    return true;
                }
            }
        }
        return false;
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
            if (!find_register(name, n.guard))
                fail_at(t.where,
                        "expected a predicate register, found " + found(t) + ", which is not declared");
            if (f.registers[n.guard].type != scalar::pred)
                fail_at(t.where, "expected a predicate register, found " + found(t) + " of type ." +
                                     std::string(name_of(f.registers[n.guard].type)));
        } else if (now_.kind != token_kind::identifier) {
            expected("a statement");
        }
        auto const first = now_;
        n.where = first.where;
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
            if (check(f, n, fitting[i], forms[i], why, place)) {
                n.row = fitting[i];
                n.form = forms[i];
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
            accept(".noreturn");
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
        if (find_register(t.text, o.reg)) {
            o.what = operand::kind::reg;
            if (accept('|')) second_destination(o);
            return o;
        }
        if (t.text[0] == '%') {
            for (std::size_t i = 0; i < detail::specials.size(); ++i)
                if (detail::specials[i].name == t.text) {
                    o.what = operand::kind::special;
                    o.special = static_cast<special_register>(i);
                    return o;
                }
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
        else if (!find_register(name, o.second))
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
        if (find_register(name, o.reg)) {
            auto const type = f.registers[o.reg].type;
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

    // Whether the operands fit a row; otherwise why, and where.
    bool check(function const& f, instruction const& n, std::uint16_t row, form const& fo, std::string& why,
               position& where) const {
        auto const& r = instruction_table::instance()[row];
        auto const& specs = r.operands;
        std::size_t least = 0;
        while (least < specs.size() && !specs[least].optional) ++least;
        if (r.from->what == action::unsupported) return true;
        bool const calls = r.from->what == action::call;
        if (!calls && (n.operands.size() < least || n.operands.size() > specs.size())) {
            where = n.where;
            why = n.opcode + " takes " + std::to_string(least) +
                  (least == specs.size() ? "" : " to " + std::to_string(specs.size())) +
                  (specs.size() == 1 ? " operand" : " operands") + ", found " +
                  std::to_string(n.operands.size());
            return false;
        }
        if (calls) return check_call(f, n, why, where);
        if (r.from->select != nullptr && r.from->select(fo) == nullptr) {
            where = n.where;
            why = "unknown form '" + n.opcode + "' of opcode " + std::string(r.from->base) +
                  ": these modifiers do not go together";
            return false;
        }
        for (std::size_t i = 0; i < n.operands.size(); ++i)
            if (!check_operand(f, n, i, specs[i], fo, *r.from, why, where)) return false;
        return true;
    }
    bool check_call(function const& f, instruction const& n, std::string& why, position& where) const {
        // [(results),] function [, (arguments)]
        using kind = operand::kind;
        std::size_t i = 0;
        where = n.where;
        if (i < n.operands.size() && n.operands[i].what == kind::list) ++i;
        bool const indirect = i < n.operands.size() && n.operands[i].what == kind::reg;
        if (indirect && size_of(f.registers[n.operands[i].reg].type) != 8) {
            where = n.operands[i].where;
            why = n.opcode + ": expected a 64-bit register with a function's address";
            return false;
        }
        bool const named = indirect || (i < n.operands.size() && n.operands[i].what == kind::symbol &&
                                        n.operands[i].symbol.where == symbol_reference::scope::function);
        if (!named) {
            if (i < n.operands.size()) where = n.operands[i].where;
            why = n.opcode + ": expected the name of a declared function";
            return false;
        }
        if (++i < n.operands.size() && n.operands[i].what == kind::list) ++i;
        if (indirect && i < n.operands.size() &&
            (n.operands[i].what == kind::label || n.operands[i].what == kind::symbol))
            ++i;
        if (i != n.operands.size()) {
            where = n.operands[i].where;
            why = n.opcode + ": expected (results), function, (arguments)";
            return false;
        }
        for (auto const& o : n.operands)
            for (auto const& e : o.elements)
                if (o.what != kind::list || e.what != kind::symbol ||
                    e.symbol.where != symbol_reference::scope::function_variable) {
                    where = e.where;
                    why = n.opcode + ": expected a .param variable of this function as argument";
                    return false;
                }
        return true;
    }
    std::string describe(function const& f, operand const& o) const {
        using kind = operand::kind;
        switch (o.what) {
        case kind::reg:
            return "register " + f.registers[o.reg].name + " of type ." +
                   std::string(name_of(f.registers[o.reg].type));
        case kind::immediate:
            return o.literal == token_kind::integer ? "an integer" : "a floating-point number";
        case kind::symbol:
            return "the name of a variable or function";
        case kind::special:
            return "special register " +
                   std::string(detail::specials[static_cast<std::size_t>(o.special)].name);
        case kind::address:
            return "an address";
        case kind::vector:
            return "a vector";
        case kind::list:
            return "a list in parentheses";
        case kind::label:
            return "an undeclared name";
        case kind::sink:
            return "'_'";
        default:
            return "nothing";
        }
    }
    bool check_operand(function const& f, instruction const& n, std::size_t i, operand_spec const& s,
                       form const& fo, row const& r, std::string& why, position& where) const {
        using role = operand_spec::role;
        using kind = operand::kind;
        auto const& o = n.operands[i];
        where = o.where;
        auto const complain = [&](std::string const& wanted, operand const& have) {
            where = have.where;
            why = "operand " + std::to_string(i + 1) + " of " + n.opcode + ": expected " + wanted +
                  ", found " + describe(f, have);
            return false;
        };
        auto type = s.what == role::address || s.what == role::texture || s.what == role::label ? scalar::none
                                                                                                : s.type(fo);
        auto const type_name = "." + std::string(name_of(type));
        bool const narrow_parts = r.extra == trait::pack || r.extra == trait::unpack;
        auto const is_register = [&](operand const& x, bool destination) {
            if (x.what == kind::sink) return destination;
            if (x.what != kind::reg) return false;
            auto const have = f.registers[x.reg].type;
            if (s.pair ? false : x.second != operand::no_register) return false;
            if (destination && x.negated) return false;
            if (x.negated && have != scalar::pred) return false;
            if (x.second < operand::sink_register && f.registers[x.second].type != scalar::pred) return false;
            return agrees(have, type, s.wider);
        };
        auto const is_value = [&](operand const& x) {
            switch (x.what) {
            case kind::reg:
                return is_register(x, false);
            case kind::immediate:
                if (x.negated) return false;
                if (type == scalar::pred) return r.base == "mov" && x.literal == token_kind::integer;
                if (x.literal == token_kind::integer) return !is_float(type);
                return is_float(type) || (family_of(type) == 'b' &&
                                          size_of(type) >= (x.literal == token_kind::float32 ? 4U : 8U));
            case kind::special:
                return !is_float(type) && type != scalar::pred && size_of(type) >= 4;
            case kind::symbol:
                return (r.base == "mov" || r.base == "cvta" || r.base == "st") && !is_float(type) &&
                       size_of(type) >= 4;
            default:
                return false;
            }
        };
        switch (s.what) {
        case role::destination:
            if (!is_register(o, true))
                return complain("a destination register of type " + type_name + (s.wider ? " or wider" : ""),
                                o);
            return true;
        case role::source:
            if (!is_value(o))
                return complain("a value of type " + type_name + (s.wider ? " or wider" : ""), o);
            return true;
        case role::vector_destination:
        case role::vector_source: {
            bool const destination = s.what == role::vector_destination;
            if (narrow_parts) {
                if (o.what != kind::vector) return complain("a vector", o);
                auto const count = o.elements.size();
                if ((count != 2 && count != 4) || size_of(type) / count < 1)
                    return complain("a vector of 2 or 4 elements", o);
                auto const part = size_of(type) / static_cast<unsigned>(count);
                for (auto const& e : o.elements) {
                    bool const reg = e.what == kind::reg && size_of(f.registers[e.reg].type) == part;
                    if (!(reg || (destination && e.what == kind::sink) ||
                          (!destination && e.what == kind::immediate)))
                        return complain("an element of " + std::to_string(part * 8) + " bits", e);
                }
                return true;
            }
            if (fo.vector_size() == 1) {
                if (o.what == kind::vector && o.elements.size() == 1)
                    return destination
                               ? is_register(o.elements[0], true) || complain("a register", o.elements[0])
                               : is_value(o.elements[0]) || complain("a value", o.elements[0]);
                bool const good = destination ? is_register(o, true) : is_value(o);
                return good ||
                       complain((destination ? "a destination register of type " : "a value of type ") +
                                    type_name + (s.wider ? " or wider" : ""),
                                o);
            }
            if (o.what != kind::vector || o.elements.size() != fo.vector_size())
                return complain("a vector of " + std::to_string(fo.vector_size()) + " elements in braces", o);
            for (auto const& e : o.elements)
                if (!(destination ? is_register(e, true) : is_value(e)))
                    return complain("an element of type " + type_name + " or wider", e);
            return true;
        }
        case role::address:
            if (o.what != kind::address || !o.elements.empty())
                return complain("an address in square brackets", o);
            return check_address(n, o, fo, why);
        case role::texture: {
            if (o.what != kind::address || o.elements.size() != 1 || o.is_absolute || o.value != 0 ||
                (!o.has_symbol && size_of(f.registers[o.reg].type) != 8) ||
                (o.has_symbol && variable_of(o.symbol).space != memory_space::texture))
                return complain("[texture, {coordinates}], the texture a .texref or a 64-bit register", o);
            auto const dimensions = fo.get(modifier::geometry);
            auto const given = o.elements[0].elements.size();
            type = fo.type[1];
            if (o.elements[0].what != kind::vector ||
                (given != dimensions && !(dimensions == 3 && given == 4)))
                return complain(std::to_string(dimensions == 3 ? 4 : dimensions) + " coordinates in braces",
                                o.elements[0]);
            for (auto const& e : o.elements[0].elements)
                if (!is_value(e)) return complain("a coordinate of type ." + std::string(name_of(type)), e);
            return true;
        }
        case role::label:
            if (o.what != kind::label) return complain("a label", o);
            return true;
        case role::call:
            return true;
        }
        return true;
    }
    bool check_address(instruction const& n, operand const& o, form const& fo, std::string& why) const {
        if (!o.has_symbol) return true;
        auto const& v = variable_of(o.symbol);
        auto const space = space_of_form(fo);
        if (space != memory_space::generic && v.space != space) {
            why = "address of " + n.opcode + ": expected a variable of that space, found '" + v.name +
                  "', which is declared in another";
            return false;
        }
        return true;
    }
    variable const& variable_of(symbol_reference const& s) const {
        return s.where == symbol_reference::scope::function_variable ? current_->variables[s.index]
                                                                     : module_.variables[s.index];
    }

    lexer lexer_;
    std::string name_;
    module module_;
    token now_;
    token previous_;
    unsigned depth_ = 0;
    std::map<std::string, symbol_reference, std::less<>> module_symbols_;
    std::vector<scope> scopes_;
    std::vector<std::string> label_names_;
    std::string last_label_;
    function const* current_ = nullptr;
};

/// Parses PTX text. `name` is how messages call it ("kernel.ptx"). Throws warpkit::error at the first mistake.
inline module parse(std::string_view text, std::string_view name = "<ptx>") {
    return parser(text, name).run();
}

} // namespace warpkit::ptx
