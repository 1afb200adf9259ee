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
    awaits_all,     ///< ends a group of asynchronous copies, and waits for all of them
    after_all,      ///< the same, and what its own row says
    untimed,        ///< executed, but no machine knows its time
    parts ///< of a video instruction: which parts of its operands stands in a constant behind the sources
};

/// One row; see form_pattern and operand_spec for the two texts.
struct row {
    std::string_view base;
    std::string_view pattern;
    std::string_view operands;
    classes kind;
    execute_function (*select)(form const&);
    action what;
    trait extra;
    async_role role; ///< to the units that work beside the warps

    constexpr row(std::string_view opcode, std::string_view modifiers, std::string_view of, classes k,
                  execute_function (*executes)(form const&), action a = action::compute,
                  trait t = trait::none)
        : row(opcode, modifiers, of, k, executes, a,
              a == action::copy       ? async_role::copy
              : a == action::poll     ? async_role::await_phase
              : t == trait::after_all ? async_role::arrive
                                      : async_role::none,
              t) {}
    constexpr row(std::string_view opcode, std::string_view modifiers, std::string_view of, classes k,
                  execute_function (*executes)(form const&), action a, async_role r, trait t = trait::none)
        : base(opcode),
          pattern(modifiers),
          operands(of),
          kind(k),
          select(executes),
          what(a),
          extra(t),
          role(r) {}

    std::string base_name() const { return std::string(base); }
};

} // namespace warpkit::ptx
