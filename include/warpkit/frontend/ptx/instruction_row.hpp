#pragma once
/// \file
/// What one row of the instruction table says.

#include <warpkit/frontend/ptx/form.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/program/instruction.hpp>

#include <string>
#include <string_view>

namespace warpkit::ptx {

/// The classes of an instruction by its type: integers, .f32, .f64.
struct classes {
    op_class integer = op_class::other;
    op_class single = op_class::other;
    op_class twice = op_class::other;
    constexpr classes(op_class all) : integer(all), single(all), twice(all) {}
    constexpr classes(op_class i, op_class s, op_class d) : integer(i), single(s), twice(d) {}
};

/// What a row says beside its pattern.
enum class trait : std::uint8_t {
    none,
    arrive, ///< a barrier that is not waited at
    carry,  ///< adds a carry flag: written with .cc, read by the opcodes that end in c
    carry_in,
    test_first,     ///< compares values of the form's first type
    test_second,    ///< of its second type
    by_second_type, ///< classed by the form's second type
    pack,           ///< mov of a vector into a register
    unpack,         ///< mov of a register into a vector
    commits,        ///< ends a group of asynchronous copies
    awaits,         ///< waits for these
    awaits_all,     ///< commits, and awaits all
    after_all,      ///< the same, and what its own row says
    arrives,        ///< at mbarriers
    copies_in_bulk,
    commits_bulk, ///< ends a group of bulk copies
    awaits_bulk,  ///< waits for these
    awaits_bulk_read,
    multiplies_in_group,
    commits_products, ///< ends a group of products of a warpgroup
    awaits_products,  ///< waits for these
    untimed,          ///< executed, but no machine knows its time
    parts ///< of a video instruction: which parts of its operands stands in a constant behind the sources
};

/// One row; see form_pattern and operand_spec for the two texts.
struct row {
    std::string_view base;
    std::string_view pattern;
    std::string_view operands;
    classes kind;
    execute_function (*select)(form const&);
    action what = action::compute;
    trait extra = trait::none;

    std::string base_name() const { return std::string(base); }
};

} // namespace warpkit::ptx
