#pragma once
/// \file
/// Instructions that lowering makes itself: written as PTX and parsed like any other.

#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/parser.hpp>

#include <charconv>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpkit::ptx {

/// What a kernel has beside the text of its module.
struct made_code {
    std::deque<ptx::function> functions;
    std::deque<instruction> instructions;
};

/// A few instructions over the registers and .param variables of a function, as text.
class snippet {
public:
    /// The function must outlive it.
    explicit snippet(ptx::function const& f) : function_(&f) {}

    /// How the text names a register of this number and type.
    std::string reg(std::uint32_t number, scalar type) {
        registers_[number] = type;
        return "%x" + std::to_string(number);
    }
    std::string reg(std::uint32_t number) { return reg(number, function_->registers.type(number)); }
    /// How the text names a .param variable of this number.
    std::string variable(std::uint32_t number) {
        variables_.insert(number);
        return "v" + std::to_string(number);
    }
    /// Appends a line. The label `here` is that of the first instruction, `nowhere` a list of branch targets.
    void line(std::string const& text) { text_ += text + "\n"; }

    /// The instructions, as if they stood where another one does.
    std::vector<instruction> instructions(instruction const& beside) const {
        std::string whole = ".version 8.0\n.target sm_90\n.address_size 64\n.func f()\n{\n";
        for (auto const& [number, type] : registers_)
            whole += ".reg ." + std::string(name_of(type)) + " %x" + std::to_string(number) + ";\n";
        for (auto const number : variables_)
            whole += ".param .align 16 .b8 v" + std::to_string(number) + "[" +
                     std::to_string(function_->variables[number].size) + "];\n";
        auto parsed = parser(whole + "nowhere: .branchtargets here;\nhere:\n" + text_ + "}", "snippet").run();
        auto& f = parsed.functions.front();
        for (auto& n : f.body) {
            n.where = beside.where;
            n.source = beside.source;
            if (n.guarded) n.guard = number_in(f.registers.name(n.guard));
            for (auto& o : n.operands) rename(o, f);
        }
        return std::move(f.body);
    }

private:
    static std::uint32_t number_in(std::string const& name) {
        auto const digits = name.find_first_of("0123456789");
        std::uint32_t number = 0;
        std::from_chars(name.data() + digits, name.data() + name.size(), number);
        return number;
    }
    static void rename(operand& o, ptx::function const& f) {
        if (o.what == operand::kind::reg ||
            (o.what == operand::kind::address && !o.has_symbol && !o.is_absolute))
            o.reg = number_in(f.registers.name(o.reg));
        if (o.has_symbol) o.symbol.index = number_in(f.variables[o.symbol.index].name);
    }

    ptx::function const* function_;
    std::map<std::uint32_t, scalar> registers_;
    std::set<std::uint32_t> variables_;
    std::string text_;
};

} // namespace warpkit::ptx
