#pragma once
/// \file
/// Which functions of a module call which, through registers too, and which of them may call themselves.

#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/instruction_table.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/system_calls.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace warpkit::ptx {

/// Whether an instruction is a call.
inline bool is_call(instruction const& n) {
    return instruction_table::instance()[n.row].from->what == action::call;
}

/// The parts of a call as written: (results), function, (arguments), list of targets.
struct call_parts {
    operand const* results = nullptr;   ///< null: none is written
    operand const* callee = nullptr;    ///< a symbol, or a register with a function's address
    operand const* arguments = nullptr; ///< null: none is written
    operand const* targets = nullptr;   ///< null: none is written

    explicit call_parts(instruction const& n) {
        std::size_t i = 0;
        if (n.operands[i].what == operand::kind::list) results = &n.operands[i++];
        callee = &n.operands[i++];
        if (i < n.operands.size() && n.operands[i].what == operand::kind::list) arguments = &n.operands[i++];
        if (i < n.operands.size() && n.operands[i].what == operand::kind::targets) targets = &n.operands[i];
    }
    bool indirect() const { return callee->what == operand::kind::reg; }
    /// What the call gives for the k-th of a function's results and parameters.
    operand const& given(ptx::function const& f, std::uint32_t k) const {
        return k < f.results ? results->elements[k] : arguments->elements[k - f.results];
    }
};

/// The calls of a module's functions, by their numbers there. The module must outlive it.
class call_graph {
public:
    explicit call_graph(module const& m) : module_(&m), reached_(m.functions.size()) {}

    /// The functions that a call of `caller` may run. Through a register: the targets that it names; otherwise all
    /// functions whose address is taken and whose parameters and results are of the sizes given there. None: the driver
    /// runs it, or launches the kernel.
    std::vector<std::uint32_t> callees(ptx::function const& caller, instruction const& n) {
        call_parts const p(n);
        if (p.indirect()) return through_register(caller, p);
        auto const index = p.callee->symbol.index;
        if (system_calls::runs(module_->functions[index])) return {};
        return {index};
    }
    /// Whether a function may come to run another, itself too, by calls of its own and of those that it calls.
    bool reaches(std::uint32_t from, std::uint32_t to) { return reached(from)[to] != 0; }
    bool is_recursive(std::uint32_t f) { return reaches(f, f); }
    /// Whether a function is recursive or may come to run one that is.
    bool reaches_recursion(std::uint32_t f) {
        if (is_recursive(f)) return true;
        for (std::uint32_t g = 0; g < module_->functions.size(); ++g)
            if (reaches(f, g) && is_recursive(g)) return true;
        return false;
    }

private:
    std::vector<std::uint8_t> const& reached(std::uint32_t from) {
        auto& known = reached_[from];
        if (!known.empty()) return known;
        known.resize(module_->functions.size());
        std::vector<std::uint32_t> pending{from};
        while (!pending.empty()) {
            auto const& f = module_->functions[pending.back()];
            pending.pop_back();
            for (auto const& n : f.body)
                if (is_call(n))
                    for (auto const g : callees(f, n))
                        if (!std::exchange(known[g], std::uint8_t{1})) pending.push_back(g);
        }
        return known;
    }
    std::vector<std::uint32_t> through_register(ptx::function const& caller, call_parts const& p) {
        auto const& functions = module_->functions;
        auto const* const list = p.targets == nullptr ? nullptr : &caller.lists[p.targets->target];
        auto const& candidates =
            list != nullptr && list->what == target_list::kind::call ? list->targets : addressed();
        std::vector<std::uint32_t> result;
        for (auto const index : candidates) {
            auto const& f = functions[index];
            bool fits = f.is_defined && !f.is_entry;
            for (auto const known : result) fits = fits && known != index;
            auto const agree = [&](operand const* given, std::uint32_t from, std::uint32_t count) {
                fits = fits && (given == nullptr ? 0 : given->elements.size()) == count;
                for (std::uint32_t k = 0; fits && k < count; ++k)
                    fits =
                        caller.variables[given->elements[k].symbol.index].size == f.variables[from + k].size;
            };
            agree(p.results, 0, f.results);
            agree(p.arguments, f.results, f.parameters);
            if (fits) result.push_back(index);
        }
        return result;
    }
    // The functions whose address is taken.
    std::vector<std::uint32_t> const& addressed() {
        if (addressed_) return *addressed_;
        std::vector<std::uint8_t> taken(module_->functions.size());
        for (auto const& v : module_->variables)
            for (auto const& r : v.relocations)
                if (r.is_function) taken[r.variable] = 1;
        for (auto const& f : module_->functions)
            for (auto const& n : f.body)
                if (!is_call(n))
                    for (auto const& o : n.operands)
                        if (o.what == operand::kind::symbol &&
                            o.symbol.where == symbol_reference::scope::function)
                            taken[o.symbol.index] = 1;
        addressed_.emplace();
        for (std::uint32_t i = 0; i < taken.size(); ++i)
            if (taken[i] != 0) addressed_->push_back(i);
        return *addressed_;
    }

    module const* module_;
    std::vector<std::vector<std::uint8_t>> reached_;      ///< by function; empty until it is asked for
    std::optional<std::vector<std::uint32_t>> addressed_; ///< likewise
};

} // namespace warpkit::ptx
