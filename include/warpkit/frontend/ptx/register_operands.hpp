#pragma once
/// \file
/// The registers that an instruction writes and reads.

#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/form.hpp>
#include <warpkit/frontend/ptx/instruction_table.hpp>

#include <cstddef>
#include <cstdint>

namespace warpkit::ptx {

/// How an instruction uses a register that one of its operands names.
struct register_operand {
    std::uint32_t reg = 0; ///< its number within the function
    bool written = false;
    bool further = false; ///< of a matrix's registers, not the first
};

/// Calls visit(register_operand) for each in the order of the operands, the guard first. A register that is written and
/// read is named twice. The carry flag, which no operand names, is left out.
template <class Visit>
void each_register(instruction const& n, Visit&& visit) {
    auto const& specs = instruction_table::instance()[n.row].operands;
    auto const use = [&](operand const& o, bool written, bool further = false) {
        if (o.what == operand::kind::reg) visit(register_operand{o.reg, written, further});
        if (written && o.second < operand::sink_register) visit(register_operand{o.second, written, further});
    };
    auto const fragment = [&](operand const& o, bool written) {
        if (o.what != operand::kind::vector) return use(o, written);
        for (std::size_t k = 0; k < o.elements.size(); ++k)
            use(o.elements[k], written, k != 0 && o.elements[k].what == operand::kind::reg);
    };
    auto const base = [&](operand const& o) {
        if (!o.has_symbol && !o.is_absolute) visit(register_operand{o.reg, false, false});
    };
    if (n.guarded) visit(register_operand{n.guard, false, false});
    for (std::size_t k = 0; k < n.operands.size() && k < specs.size(); ++k) {
        auto const& o = n.operands[k];
        using role = operand_spec::role;
        switch (specs[k].what) {
        case role::destination:
            use(o, true);
            break;
        case role::source:
        case role::number:
            use(o, false);
            break;
        case role::fragment_destination:
            fragment(o, true);
            if (specs[k].matrix == 'W') fragment(o, false); // an accumulator
            break;
        case role::fragment_source:
            fragment(o, false);
            break;
        case role::vector_destination:
        case role::vector_source: {
            bool const written = specs[k].what == role::vector_destination;
            if (o.what != operand::kind::vector)
                use(o, written);
            else
                for (auto const& e : o.elements) use(e, written);
            break;
        }
        case role::gradient:
            use(o, false);
            [[fallthrough]];
        case role::pixel_offsets:
            for (auto const& e : o.elements) use(e, false);
            break;
        case role::tensor:
            for (auto const& e : o.elements[0].elements) use(e, false);
            base(o);
            break;
        case role::address:
        case role::second_address:
        case role::listed_address:
            base(o);
            break;
        case role::texture:
            if (!o.has_symbol) visit(register_operand{o.reg, false, false});
            for (auto const& e : o.elements[0].elements) use(e, false);
            break;
        case role::image:
            if (!o.has_symbol) visit(register_operand{o.reg, false, false});
            break;
        case role::call:
            use(n.operands[0].what == operand::kind::list ? n.operands[1] : n.operands[0], false);
            break;
        case role::policy:
        case role::label:
            break;
        }
    }
}

} // namespace warpkit::ptx
