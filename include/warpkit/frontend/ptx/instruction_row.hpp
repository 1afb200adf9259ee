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
    allocates_tensor, ///< tensor memory
    frees_tensor,
    multiplies_tensors, ///< into tensor memory
    commits_tensor,     ///< arrives at mbarriers when these are over
    loads_tensor,
    stores_tensor,
    awaits_tensor_loads,
    awaits_tensor_stores,
    untimed, ///< executed, but no machine knows its time
    parts    ///< of a video instruction: which parts of its operands stands in a constant behind the sources
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

/// What instructions of a row are to the units that work beside the warps.
inline async_role role_of(row const& r) {
    if (r.what == action::copy) return async_role::copy;
    if (r.what == action::poll) return async_role::await_phase;
    switch (r.extra) {
    case trait::commits:
        return async_role::commit;
    case trait::awaits:
        return async_role::wait;
    case trait::arrives:
    case trait::after_all:
        return async_role::arrive;
    case trait::copies_in_bulk:
        return async_role::bulk_copy;
    case trait::commits_bulk:
        return async_role::bulk_commit;
    case trait::awaits_bulk:
        return async_role::bulk_wait;
    case trait::awaits_bulk_read:
        return async_role::bulk_wait_read;
    case trait::multiplies_in_group:
        return async_role::product;
    case trait::commits_products:
        return async_role::product_commit;
    case trait::awaits_products:
        return async_role::product_wait;
    case trait::allocates_tensor:
        return async_role::tensor_allocate;
    case trait::frees_tensor:
        return async_role::tensor_free;
    case trait::multiplies_tensors:
        return async_role::tensor_product;
    case trait::commits_tensor:
        return async_role::tensor_commit;
    case trait::loads_tensor:
        return async_role::tensor_load;
    case trait::stores_tensor:
        return async_role::tensor_store;
    case trait::awaits_tensor_loads:
        return async_role::tensor_wait_loads;
    case trait::awaits_tensor_stores:
        return async_role::tensor_wait_stores;
    default:
        return async_role::none;
    }
}

} // namespace warpkit::ptx
