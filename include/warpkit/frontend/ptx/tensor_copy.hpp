#pragma once
/// \file
/// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor: boxes of a tensor of one to five dimensions, four of its rows,
/// and columns of pixels, between global and shared memory. Source: PTX ISA, "Tensors" and "cp.async.bulk.tensor"; CUDA
/// Driver API, "Tensor Map Object Management". What they leave open: docs/model/ptx.md#tensor-maps.

#include <warpkit/frontend/ptx/bulk_copy.hpp>
#include <warpkit/frontend/tensor_map.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace warpkit::ptx::semantics {

namespace bulk {

/// A box of a tensor: the element of its least coordinates; or a column of four rows' numbers; or the first pixel, and
/// what is added to its coordinates and those of the pixels behind it.
struct tensor_box {
    tensor_map map;
    tensor_box_mode mode{};
    std::array<std::int32_t, tensor_map::most_dimensions> first{};
    std::array<std::int32_t, tensor_map::most_dimensions - 2> offset{};

    bool of_rows() const noexcept {
        return mode == tensor_box_mode::gather || mode == tensor_box_mode::scatter;
    }
    std::uint64_t bytes() const noexcept { return (of_rows() ? 4 : 1) * map.box_bytes(); }
    std::uint64_t moved_bytes() const noexcept { return (of_rows() ? 4 : 1) * map.moved_bytes(); }
};
/// The map at a generic address, and the coordinates behind it.
inline tensor_box box_of(warp_context const& c, operation const& o, unsigned lane,
                         listed_operands& operands) {
    tensor_box b;
    auto const* const map = place(c, o, lane, memory_space::generic, operands.address(), sizeof b.map, 64);
    std::memcpy(&b.map, map, sizeof b.map);
    b.mode = static_cast<tensor_box_mode>(o.modifiers->get(modifier::box));
    auto const stop = [&](std::string const& why) { c.stop(c, o, lane_mask{1} << lane, why); };
    auto const dimensions = o.modifiers->get(modifier::geometry);
    if (!b.map.is_valid())
        stop("expected a tensor map, as cuTensorMapEncodeTiled makes them, at this address");
    if (b.map.columns != (b.mode == tensor_box_mode::columns || b.mode == tensor_box_mode::columns_in_place))
        stop(b.map.columns
                 ? "expected a tensor map of boxes, found one of columns (cuTensorMapEncodeIm2col)"
                 : "expected a tensor map of columns (cuTensorMapEncodeIm2col), found one of boxes");
    if (b.map.dimensions != dimensions)
        stop("expected a tensor map of " + std::to_string(dimensions) + " dimensions, found one of " +
             std::to_string(b.map.dimensions));
    if (b.of_rows() && b.map.moved(1) != 1)
        stop("expected a tensor map whose boxes are one row, found " + std::to_string(b.map.moved(1)));
    for (unsigned d = 0; d < (b.of_rows() ? 5 : dimensions); ++d) b.first[d] = operands.coordinate();
    auto const unit = unit_of(b.map.element);
    unsigned const whole = unit.shared_bytes != unit.global_bytes ? 128 : unit.elements;
    if (b.first[0] % static_cast<std::int32_t>(whole) != 0)
        stop("expected a coordinate that is a multiple of " + std::to_string(whole) +
             ", as elements of this type are moved, found " + std::to_string(b.first[0]));
    return b;
}
/// What stands behind all addresses.
inline void take_offsets(tensor_box& b, listed_operands& operands) {
    if (b.mode != tensor_box_mode::columns) return;
    for (unsigned d = 0; d + 2U < b.map.dimensions; ++d) b.offset[d] = operands.pixel_offset();
}

/// Calls `visit(coordinates from 1 up)` for each row of a box, in the order of the box.
template <class Visit>
void each_row(tensor_box const& b, Visit&& visit) {
    auto const& m = b.map;
    std::array<std::int64_t, tensor_map::most_dimensions> x{};
    if (b.of_rows()) {
        for (unsigned k = 1; k <= 4; ++k) {
            x[1] = b.first[k];
            visit(x);
        }
        return;
    }
    for (unsigned d = 1; d < m.dimensions; ++d) x[d] = b.first[d];
    unsigned const last = m.dimensions - 1U;
    if (m.columns) {
        for (unsigned pixel = 0; pixel < m.box[1]; ++pixel) {
            auto moved = x;
            for (unsigned d = 1; d < last; ++d) moved[d] += b.offset[d - 1];
            visit(moved);
            unsigned d = 1;
            while (d < last && (x[d] += m.element_stride[d]) > std::int64_t{m.last[d]} + m.upper[d - 1]) {
                x[d] = m.lower[d - 1];
                ++d;
            }
            if (d == last) x[d] += m.element_stride[d];
        }
        return;
    }
    std::array<unsigned, tensor_map::most_dimensions> at{};
    for (;;) {
        visit(x);
        unsigned d = 1;
        while (d <= last && ++at[d] == m.moved(d)) {
            at[d] = 0;
            x[d] = b.first[d];
            ++d;
        }
        if (d > last) return;
        x[d] += m.element_stride[d];
    }
}

/// Calls `visit(offset in the box, address in global memory, bytes, whether it lies in the tensor)` for pieces of the
/// box's rows, in the order of the box.
template <class Visit>
void each_piece(tensor_box const& b, Visit&& visit) {
    auto const& m = b.map;
    auto const unit = unit_of(m.element);
    std::uint64_t offset = 0;
    each_row(b, [&](auto const& row) {
        bool inside = true;
        auto address = m.address;
        for (unsigned d = 1; d < m.dimensions; ++d) {
            inside = inside && row[d] >= 0 && row[d] <= std::int64_t{m.last[d]};
            address += static_cast<std::uint64_t>(row[d]) * m.stride[d];
        }
        for (unsigned i = 0; i < m.box[0]; i += unit.elements, offset += unit.shared_bytes) {
            auto const x = std::int64_t{b.first[0]} + i;
            auto const at_unit = x / std::int64_t{unit.elements} * std::int64_t{unit.global_bytes};
            visit(offset, address + static_cast<std::uint64_t>(at_unit), unit.global_bytes,
                  inside && x >= 0 && x <= std::int64_t{m.last[0]});
        }
    });
}

/// Where a box lies in the shared memory of the CTA of a rank.
struct box_in_shared {
    std::byte* bytes = nullptr; ///< of offset 0 of the CTA's shared memory
    std::uint64_t first = 0;
    tensor_swizzle swizzle{};
    std::byte* at(std::uint64_t offset) const { return bytes + swizzled(first + offset, swizzle); }

    /// Calls `visit(bytes in shared memory, place in the piece, how many)`: a swizzle leaves eight bytes together.
    template <class Visit>
    void each_part(std::uint64_t offset, unsigned size, Visit&& visit) const {
        for (unsigned k = 0; k < size; k += 8) visit(at(offset + k), k, size - k < 8 ? size - k : 8);
    }
};
inline box_in_shared in_shared(warp_context const& c, operation const& o, unsigned lane,
                               std::uint64_t address, tensor_box const& b) {
    auto const& m = b.map;
    static_cast<void>(place(c, o, lane, memory_space::shared, address, b.bytes(), 128));
    auto const offset = address & ((1U << cluster_shift) - 1);
    auto const rank = cluster_rank(address, c.memory.rank);
    // Pieces change places within 128 bytes, so all of the last 128 must be there.
    if (m.swizzle != tensor_swizzle::none && (offset + b.bytes() + 127) / 128 * 128 > c.memory.shared_bytes)
        c.fault(c, o, "out-of-range", lane, address, static_cast<unsigned>(b.bytes()), memory_space::shared);
    return {c.memory.cluster[rank], offset, m.swizzle};
}

/// What is read from global memory is written into `moved` where that is empty: a multicast reads it once.
inline void load_box(warp_context const& c, operation const& o, unsigned lane, tensor_box const& b,
                     std::uint64_t to, std::uint64_t barrier, bulk_copy_words& moved) {
    auto const box = in_shared(c, o, lane, to, b);
    bool const first = moved.pieces.empty();
    each_piece(b, [&](std::uint64_t offset, std::uint64_t address, unsigned bytes, bool inside) {
        if (inside && first) moved.add(address, offset_in_cta(to + offset), bytes);
        auto const* const from =
            inside ? place(c, o, lane, memory_space::global, address, bytes, 1) : nullptr;
        box.each_part(offset, bytes, [&](std::byte* part, unsigned at, unsigned size) {
            if (inside)
                std::memcpy(part, from + at, size);
            else
                std::memset(part, 0, size);
        });
    });
    moved.signal(complete_transactions(c, o, lane, barrier, b.moved_bytes()));
}

/// The type that a reduction takes the elements of a tensor to be.
inline scalar scalar_of(tensor_element t, bool bits) noexcept {
    constexpr scalar types[] = {scalar::u8,  scalar::u16, scalar::u32, scalar::s32, scalar::u64,
                                scalar::s64, scalar::f16, scalar::f32, scalar::f64, scalar::bf16,
                                scalar::f32, scalar::f32, scalar::f32};
    if (t >= tensor_element::packed_4) return scalar::none;
    auto const type = types[static_cast<unsigned>(t)];
    if (size_of(type) < 4 && !is_float(type)) return scalar::none;
    return bits && !is_float(type) ? (size_of(type) == 4 ? scalar::b32 : scalar::b64) : type;
}
inline void store_box(warp_context const& c, operation const& o, unsigned lane, tensor_box const& b,
                      std::uint64_t from) {
    auto const box = in_shared(c, o, lane, from, b);
    if (cluster_rank(from, c.memory.rank) != c.memory.rank)
        c.stop(c, o, lane_mask{1} << lane, "expected a source in this CTA's shared memory");
    reduction r;
    if (o.modifiers->has(modifier::atomic)) {
        auto const what = static_cast<atomic_operation>(o.modifiers->get(modifier::atomic));
        bool const bits = what >= atomic_operation::bit_and && what <= atomic_operation::bit_xor;
        r = reduction_of(what, scalar_of(b.map.element, bits));
        if (r.combine == nullptr)
            c.stop(c, o, lane_mask{1} << lane, "expected a tensor of elements that this reduction takes");
    }
    bulk_copy_words moved;
    moved.reads_map = true;
    moved.way = r.combine != nullptr ? bulk_way::reduction : bulk_way::store;
    each_piece(b, [&](std::uint64_t offset, std::uint64_t address, unsigned bytes, bool inside) {
        if (!inside) return;
        moved.add(address, offset_in_cta(from + offset), bytes);
        auto* const to = place(c, o, lane, memory_space::global, address, bytes, 1);
        if (r.combine != nullptr)
            r.in_global(c)(to, box.at(offset));
        else
            box.each_part(offset, bytes, [&](std::byte const* part, unsigned at, unsigned size) {
                std::memcpy(to + at, part, size);
            });
    });
    c.record->copy(moved);
}

/// Operands: shared memory, map and coordinates, mbarrier, offsets of pixels; for stores map and coordinates, shared
/// memory. With .cta_group::2 a multicast tells the mbarriers of the even or of the odd CTAs, as that of the operand is
/// one's.
inline void tensor_lane(warp_context const& c, operation const& o, unsigned lane, way w) {
    listed_operands operands(c, o, lane);
    if (w == way::shared_to_global) {
        auto const box = box_of(c, o, lane, operands);
        return store_box(c, o, lane, box, operands.address());
    }
    auto const to = operands.address();
    auto box = box_of(c, o, lane, operands);
    auto const barrier = operands.address();
    take_offsets(box, operands);
    bool const pair = is_of_pair(*o.modifiers); // then the mbarrier may be the other CTA's
    auto const told = cluster_rank(barrier, c.memory.rank);
    bulk_copy_words moved;
    moved.reads_map = true;
    if (w == way::global_to_shared) {
        if (pair && (told ^ cluster_rank(to, c.memory.rank)) > 1)
            c.stop(
                c, o, lane_mask{1} << lane,
                "expected an mbarrier of the CTA that the box is copied to, or of the other one of its pair, "
                "found one of rank " +
                    std::to_string(told));
        load_box(c, o, lane, box, to, barrier, moved);
    } else {
        each_cta(c, o, lane, c.source<std::uint16_t>(o, 0)[lane], [&](std::uint32_t rank) {
            auto const at = cluster_address(barrier, pair ? (rank & ~1U) | (told & 1) : rank);
            load_box(c, o, lane, box, cluster_address(to, rank), at, moved);
        });
    }
    c.record->copy(moved);
}

} // namespace bulk

/// Lane after lane.
template <bulk::way Way>
void copy_box(warp_context& c, operation const& o, lane_mask mask) {
    c.record->begin_instruction();
    for (auto rest = mask; rest != 0; rest &= rest - 1)
        bulk::tensor_lane(c, o, static_cast<unsigned>(std::countr_zero(rest)), Way);
}

} // namespace warpkit::ptx::semantics
