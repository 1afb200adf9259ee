#pragma once
/// \file
/// Whether an instruction's operands are what a row of the instruction table wants; if not, why, and where.

#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/instruction_table.hpp>
#include <warpkit/frontend/ptx/matrix_shapes.hpp>
#include <warpkit/frontend/ptx/texture_sampling.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpkit::ptx {

/// Checks the instructions of one function.
class operand_check {
public:
    operand_check(module const& m, function const& f) : module_(m), function_(f) {}

    /// Whether the operands fit a row; otherwise why, and where.
    bool fits(instruction const& n, std::uint16_t row, form const& fo, std::string& why,
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
        if (calls) return check_call(n, why, where);
        bool const takes_policy = !specs.empty() && specs.back().what == operand_spec::role::policy;
        if (takes_policy && fo.has(modifier::cache_hint) != (n.operands.size() == specs.size())) {
            where = n.where;
            why = n.opcode + (fo.has(modifier::cache_hint)
                                  ? " takes a cache policy as its last operand, a 64-bit register"
                                  : " takes a cache policy only with .L2::cache_hint");
            return false;
        }
        if (r.from->select != nullptr && r.from->select(fo) == nullptr) {
            where = n.where;
            why = "unknown form '" + n.opcode + "' of opcode " + std::string(r.from->base) +
                  ": these modifiers do not go together";
            return false;
        }
        for (std::size_t i = 0; i < n.operands.size(); ++i)
            if (!check_operand(n, i, specs[i], fo, *r.from, why, where)) return false;
        return true;
    }

private:
    bool check_call(instruction const& n, std::string& why, position& where) const {
        // [(results),] function [, (arguments)]
        using kind = operand::kind;
        std::size_t i = 0;
        where = n.where;
        if (i < n.operands.size() && n.operands[i].what == kind::list) ++i;
        bool const indirect = i < n.operands.size() && n.operands[i].what == kind::reg;
        if (indirect && size_of(function_.registers.type(n.operands[i].reg)) != 8) {
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
    std::string describe(operand const& o) const {
        using kind = operand::kind;
        switch (o.what) {
        case kind::reg:
            return "register " + function_.registers.name(o.reg) + " of type ." +
                   std::string(name_of(function_.registers.type(o.reg)));
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
    bool check_operand(instruction const& n, std::size_t i, operand_spec const& s, form const& fo,
                       row const& r, std::string& why, position& where) const {
        using role = operand_spec::role;
        using kind = operand::kind;
        auto const& o = n.operands[i];
        where = o.where;
        auto const complain = [&](std::string const& wanted, operand const& have) {
            where = have.where;
            why = "operand " + std::to_string(i + 1) + " of " + n.opcode + ": expected " + wanted +
                  ", found " + describe(have);
            return false;
        };
        bool const typed = s.what != role::address && s.what != role::second_address &&
                           s.what != role::texture && s.what != role::image && s.what != role::label &&
                           s.what != role::listed_address && s.what != role::tensor &&
                           s.what != role::pixel_offsets;
        auto const fragment = s.is_fragment() ? registers_of(fo, s.matrix) : fragment_registers{};
        auto type = s.is_fragment() ? fragment.type : typed ? s.type(fo) : scalar::none;
        auto const type_name = "." + std::string(name_of(type));
        bool const narrow_parts = r.extra == trait::pack || r.extra == trait::unpack;
        auto const is_register = [&](operand const& x, bool destination) {
            if (x.what == kind::sink) return destination;
            if (x.what != kind::reg) return false;
            auto const have = function_.registers.type(x.reg);
            if (s.pair ? false : x.second != operand::no_register) return false;
            if (destination && x.negated) return false;
            if (x.parts.bits != 0 && !s.selects) return false;
            if (x.negated && have != scalar::pred) return false;
            if (x.second < operand::sink_register && function_.registers.type(x.second) != scalar::pred)
                return false;
            return agrees(have, type, s.wider);
        };
        auto const is_value = [&](operand const& x) {
            switch (x.what) {
            case kind::reg:
                return is_register(x, false);
            case kind::immediate:
                if (x.negated) return false;
                if (type == scalar::pred) return x.literal == token_kind::integer;
                if (x.literal == token_kind::integer) return !is_float(type);
                return is_float(type) || (family_of(type) == 'b' &&
                                          size_of(type) >= (x.literal == token_kind::float32 ? 4U : 8U));
            case kind::special:
                // mov and cvt may read the lower 16 bits, as in PTX 1.x, where those of places had no more (PTX ISA,
                // "Special Registers: %tid").
                return !is_float(type) && type != scalar::pred &&
                       size_of(type) >= (r.base == "mov" || r.base == "cvt" ? 2U : 4U);
            case kind::symbol:
                return (r.base == "mov" || r.base == "cvta" || r.base == "st" || r.base == "mapa") &&
                       !is_float(type) && size_of(type) >= 4;
            default:
                return false;
            }
        };
        if (o.parts.bits != 0 && !s.selects) return complain("a whole register", o);
        if (s.selects && !check_parts(n, i, s, r, o, why)) {
            where = o.where;
            return false;
        }
        switch (s.what) {
        case role::destination:
            if (!is_register(o, true))
                return complain("a destination register of type " + type_name + (s.wider ? " or wider" : ""),
                                o);
            return true;
        case role::source:
        case role::policy:
            if (!is_value(o))
                return complain("a value of type " + type_name + (s.wider ? " or wider" : ""), o);
            return true;
        case role::vector_destination:
        case role::vector_source: {
            bool const destination = s.what == role::vector_destination;
            if (narrow_parts) {
                if (o.what != kind::vector) return complain("a vector", o);
                auto const count = o.elements.size();
                if ((count != 2 && count != 4) || size_of(type) / count < 1 ||
                    (size_of(type) == 16 && count != 2))
                    return complain(
                        size_of(type) == 16 ? "a vector of 2 elements" : "a vector of 2 or 4 elements", o);
                auto const part = size_of(type) / static_cast<unsigned>(count);
                for (auto const& e : o.elements) {
                    bool const reg = e.what == kind::reg && size_of(function_.registers.type(e.reg)) == part;
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
        case role::fragment_destination:
        case role::fragment_source: {
            bool const destination = s.what == role::fragment_destination;
            auto const good = [&](operand const& x) {
                return destination ? is_register(x, true) : is_value(x);
            };
            if (fragment.count == 1 && o.what != kind::vector)
                return good(o) || complain("a register of type " + type_name, o);
            if (o.what != kind::vector || o.elements.size() != fragment.count) {
                complain("a vector of " + std::to_string(fragment.count) + " registers of type " + type_name +
                             " in braces",
                         o);
                if (o.what == kind::vector) why += " of " + std::to_string(o.elements.size());
                return false;
            }
            for (auto const& e : o.elements)
                if (!good(e)) return complain("a register of type " + type_name, e);
            return true;
        }
        case role::number: {
            bool good = o.what == kind::immediate && o.literal == token_kind::integer && !o.negated;
            if (good && !s.numbers.empty())
                good =
                    detail::index_in(s.numbers, std::to_string(static_cast<std::int64_t>(o.value)), ',') != 0;
            if (good) return true;
            complain(s.numbers.empty() ? "an integer constant"
                                       : "one of the constants " + std::string(s.numbers),
                     o);
            if (o.what == kind::immediate) why += " " + std::to_string(static_cast<std::int64_t>(o.value));
            return false;
        }
        case role::second_address:
            if (o.what != kind::address || !o.elements.empty())
                return complain("an address in square brackets", o);
            if (o.has_symbol && variable_of(o.symbol).space != memory_space::global)
                return complain("an address in global memory", o);
            return true;
        case role::listed_address:
            if (o.what != kind::address || !o.elements.empty())
                return complain("an address in square brackets", o);
            return true;
        case role::tensor: {
            auto const mode = static_cast<tensor_box_mode>(fo.get(modifier::box));
            bool const rows = mode == tensor_box_mode::gather || mode == tensor_box_mode::scatter;
            bool const columns =
                mode == tensor_box_mode::columns || mode == tensor_box_mode::columns_in_place;
            auto dimensions = fo.get(modifier::geometry);
            if (rows && dimensions != 2) return complain("a tensor of 2 dimensions (.2d) for four rows", o);
            if (columns && dimensions < 3)
                return complain("a tensor of 3 to 5 dimensions (.3d) for a column of pixels", o);
            if (rows) dimensions = 5; // a column and four rows
            type = scalar::s32;
            if (o.what != kind::address || o.elements.size() != 1 || o.elements[0].what != kind::vector ||
                o.elements[0].elements.size() != dimensions)
                return complain(
                    "[tensor map, {coordinates}] with " + std::to_string(dimensions) + " coordinates", o);
            for (auto const& e : o.elements[0].elements)
                if (!is_value(e)) return complain("a coordinate of type .s32", e);
            return true;
        }
        case role::pixel_offsets: {
            auto const offsets = fo.get(modifier::geometry) - 2;
            type = scalar::u16;
            if (o.what != kind::vector || o.elements.size() != offsets)
                return complain(std::to_string(offsets) + " offsets of pixels in braces", o);
            for (auto const& e : o.elements)
                if (!is_value(e)) return complain("an offset of type .u16", e);
            return true;
        }
        case role::address:
            if (o.what != kind::address || !o.elements.empty())
                return complain("an address in square brackets", o);
            return check_address(n, o, fo, why);
        case role::image:
        case role::texture: {
            bool const is_image = s.what == role::image;
            if (o.what != kind::address || o.elements.size() != (is_image ? 0U : 1U) || o.is_absolute ||
                o.value != 0 || (!o.has_symbol && size_of(function_.registers.type(o.reg)) != 8) ||
                (o.has_symbol && variable_of(o.symbol).space != memory_space::texture))
                return complain(std::string(is_image ? "[texture]" : "[texture, {coordinates}]") +
                                    ", the texture a .texref or a 64-bit register",
                                o);
            if (is_image) return true;
            auto const shape = texturing::shape_of(fo);
            auto const& given = o.elements[0];
            if (given.what != kind::vector ||
                !texturing::suffices(given.elements.size(), shape.coordinates()))
                return complain(std::to_string(texturing::written(shape.coordinates())) +
                                    " coordinates in braces",
                                given);
            for (std::size_t k = 0; k < given.elements.size(); ++k) {
                bool const is_layer = shape.layered && k == 0;
                type = is_layer ? scalar::s32 : fo.types > 1 ? fo.type[1] : scalar::s32;
                if (!is_value(given.elements[k]))
                    return complain((is_layer ? "a layer of type ." : "a coordinate of type .") +
                                        std::string(name_of(type)),
                                    given.elements[k]);
            }
            return true;
        }
        case role::gradient: {
            auto const numbers = texturing::shape_of(fo).numbers();
            if (numbers == 1 && is_value(o)) return true;
            if (o.what != kind::vector || !texturing::suffices(o.elements.size(), numbers))
                return complain(std::to_string(texturing::written(numbers)) + " numbers in braces", o);
            for (auto const& e : o.elements)
                if (!is_value(e)) return complain("a number of type .f32", e);
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
    // The parts of operand i of a video instruction: of two or four at once, which of both sources go where; of one,
    // which it is.
    static bool check_parts(instruction const& n, std::size_t i, operand_spec const& s, row const& r,
                            operand const& o, std::string& why) {
        auto const& p = o.parts;
        auto const name = "operand " + std::to_string(i + 1) + " of " + n.opcode + ": expected ";
        auto const many = r.base.back() == '2' ? 2U : r.base.back() == '4' ? 4U : 0U;
        if (p.bits == 0) {
            if (s.must_select)
                why = name + "a selector such as .b0 behind the register, into which the result is merged";
            return !s.must_select;
        }
        if (many == 0) {
            why = name + "one of the parts .b0 to .b3, .h0 or .h1";
            return p.count == 1 && p.digit[0] < 32 / p.bits;
        }
        bool good = p.bits * many == 32;
        if (i == 0) { // which parts are written
            for (unsigned k = 0; k < p.count; ++k)
                good = good && p.digit[k] < many && (k == 0 || p.digit[k] < p.digit[k - 1]);
            why = name +
                  (many == 2 ? "a mask of .h with digits from 1 to 0"
                             : "a mask of .b with digits from 3 to 0") +
                  ", each at most once, the highest in front";
            return good;
        }
        for (unsigned k = 0; k < p.count; ++k) good = good && p.digit[k] < 2 * many;
        why = name + (many == 2 ? ".h and two digits from 0 to 3" : ".b and four digits from 0 to 7");
        return good && p.count == many;
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
        return s.where == symbol_reference::scope::function_variable ? function_.variables[s.index]
                                                                     : module_.variables[s.index];
    }

    module const& module_;
    function const& function_;
};

} // namespace warpkit::ptx
