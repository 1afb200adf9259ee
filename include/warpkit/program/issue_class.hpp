#pragma once
/// \file
/// What policies are told of an instruction, and which unit executes it.

#include <warpkit/base/events.hpp>
#include <warpkit/program/static_instruction.hpp>

namespace warpkit {

/// How policies are told of an instruction.
constexpr issue_class issue_class_of(static_instruction const& i) noexcept {
    bool const off_chip = i.space != memory_space::shared && i.space != memory_space::constant;
    switch (i.kind) {
    case op_class::load:
        return off_chip ? issue_class::load : issue_class::shared_memory;
    case op_class::store:
        return off_chip ? issue_class::store : issue_class::shared_memory;
    case op_class::atomic:
        return off_chip ? issue_class::atomic : issue_class::shared_memory;
    case op_class::special:
        return issue_class::special_function;
    case op_class::branch:
        return issue_class::branch;
    case op_class::barrier:
        return issue_class::barrier;
    case op_class::exit:
        return issue_class::exit;
    case op_class::other:
        return issue_class::other;
    default:
        return issue_class::arithmetic;
    }
}

/// Whether a register that it writes waits for memory.
constexpr bool reads_memory(issue_class c) noexcept {
    return c == issue_class::load || c == issue_class::atomic;
}

/// The unit that executes instructions of a class, on a core that has all kinds (unit_for says what others do).
constexpr unit_kind unit_of(op_class k) noexcept {
    switch (k) {
    case op_class::load:
    case op_class::store:
    case op_class::atomic:
        return unit_kind::load_store;
    case op_class::special:
    case op_class::int_div:
    case op_class::fp_div:
        return unit_kind::sfu;
    case op_class::dp_add:
    case op_class::dp_max:
    case op_class::dp_mul:
    case op_class::dp_mad:
    case op_class::dp_div:
        return unit_kind::dp;
    case op_class::fp_add:
    case op_class::fp_max:
    case op_class::fp_mul:
    case op_class::fp_mad:
        return unit_kind::sp;
    case op_class::tensor:
        return unit_kind::tensor;
    case op_class::branch:
        return unit_kind::branch;
    case op_class::uniform:
        return unit_kind::uniform;
    default:
        return unit_kind::integer;
    }
}

} // namespace warpkit
