#pragma once
/// \file
/// tensormap: kernels that change their tensor maps, as those of grouped products do (PTX ISA, "tensormap.replace",
/// "tensormap.cp_fenceproxy"). What is changed is checked where it is changed; a map is whole again when all fields
/// are.

#include <warpkit/frontend/ptx/bulk_copy.hpp>
#include <warpkit/frontend/tensor_map.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace warpkit::ptx::semantics {

/// The fields of a tensor map, as the modifier numbers them.
enum class map_field : std::uint8_t {
    none,
    global_address,
    rank,
    box_dim,
    global_dim,
    global_stride,
    element_stride,
    elemtype,
    interleave_layout,
    swizzle_mode,
    swizzle_atomicity,
    fill_mode
};

/// Changes one field; what is wrong with the value, or nothing. `ordinal`: which dimension, of those that have one.
inline std::string replaced(tensor_map& m, map_field field, std::uint64_t ordinal, std::uint64_t value) {
    // PTX ISA, "tensormap.replace", the table of element types: another order than the host's.
    constexpr tensor_element elements[] = {
        tensor_element::u8,       tensor_element::u16,      tensor_element::u32,
        tensor_element::s32,      tensor_element::u64,      tensor_element::s64,
        tensor_element::f16,      tensor_element::f32,      tensor_element::f32_ftz,
        tensor_element::f64,      tensor_element::bf16,     tensor_element::tf32,
        tensor_element::tf32_ftz, tensor_element::packed_4, tensor_element::padded_4,
        tensor_element::padded_6};
    auto const found = ", found " + std::to_string(value);
    switch (field) {
    case map_field::global_address:
        if (value % 16 != 0) return "an address that is a multiple of 16" + found;
        m.address = value;
        return {};
    case map_field::rank:
        if (value >= tensor_map::most_dimensions) return "a rank less one of 0 to 4" + found;
        m.dimensions = static_cast<std::uint8_t>(value + 1);
        return {};
    case map_field::box_dim:
        if (value < 1 || value > 256) return "a box of 1 to 256 elements" + found;
        m.box[ordinal] = static_cast<std::uint16_t>(value);
        return {};
    case map_field::global_dim: // 0 is 2^32
        m.last[ordinal] = static_cast<std::uint32_t>(value - 1);
        return {};
    case map_field::global_stride: // of dimension 1 and up
        if (value % 16 != 0) return "a stride that is a multiple of 16 bytes" + found;
        m.stride[ordinal + 1] = value;
        return {};
    case map_field::element_stride:
        if (value < 1 || value > 8) return "an element stride from 1 to 8" + found;
        m.element_stride[ordinal] = static_cast<std::uint8_t>(value);
        return {};
    case map_field::elemtype:
        if (value >= std::size(elements)) return "an element type of 0 to 15" + found;
        m.element = elements[value];
        m.stride[0] = unit_of(m.element).global_bytes;
        return {};
    case map_field::swizzle_mode:
        if (value > 3) return "a swizzle of none, 32, 64 or 128 bytes (0 to 3)" + found;
        if (value != 3 || m.swizzle < tensor_swizzle::b128) m.swizzle = static_cast<tensor_swizzle>(value);
        return {};
    case map_field::swizzle_atomicity:
        if (value > 3) return "an atomicity of 0 to 3" + found;
        if (value != 0 && m.swizzle < tensor_swizzle::b128)
            return "a swizzle of 128 bytes for atoms of 32 or 64 bytes" + found;
        if (value != 0 || m.swizzle > tensor_swizzle::b128)
            m.swizzle = static_cast<tensor_swizzle>(static_cast<unsigned>(tensor_swizzle::b128) + value);
        return {};
    default: // interleaved layouts, and what is read outside
        return value == 0 ? std::string()
                          : "0: interleaved layouts and a fill with NaN are not supported" + found;
    }
}

/// tensormap.replace, of T a 32- or 64-bit value: address, perhaps a dimension, value.
template <class T>
void replace_in_map(warp_context& c, operation const& o, lane_mask mask) {
    auto const field = static_cast<map_field>(o.modifiers->get(modifier::map_field));
    auto const space =
        o.modifiers->has(modifier::space) ? space_of_form(*o.modifiers) : memory_space::generic;
    bool const has_ordinal = field >= map_field::box_dim && field <= map_field::element_stride;
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        auto* const at =
            bulk::place(c, o, l, space, listed_operands(c, o, l).address(), sizeof(tensor_map), 64);
        tensor_map m;
        std::memcpy(&m, at, sizeof m);
        if (m.magic != tensor_map::known)
            c.stop(c, o, lane_mask{1} << l,
                   "expected a tensor map, as cuTensorMapEncodeTiled makes them, at this address");
        auto const ordinal = has_ordinal ? c.source<std::uint32_t>(o, 0)[l] : 0;
        auto const wrong = replaced(m, field, ordinal, c.source<T>(o, has_ordinal ? 1 : 0)[l]);
        if (!wrong.empty()) c.stop(c, o, lane_mask{1} << l, "expected " + wrong);
        std::memcpy(at, &m, sizeof m);
    }
}

/// tensormap.cp_fenceproxy: a warp copies one map from shared to global memory.
template <int = 0>
void copy_map(warp_context& c, operation const& o, lane_mask mask) {
    auto const l = static_cast<unsigned>(std::countr_zero(mask));
    listed_operands operands(c, o, l);
    auto* const to = bulk::place(c, o, l, memory_space::global, operands.address(), sizeof(tensor_map), 64);
    auto const* const from =
        bulk::place(c, o, l, memory_space::shared, operands.address(), sizeof(tensor_map), 64);
    std::memcpy(to, from, sizeof(tensor_map));
}

} // namespace warpkit::ptx::semantics
