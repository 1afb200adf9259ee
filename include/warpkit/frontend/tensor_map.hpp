#pragma once
/// \file
/// Tensor maps: what cp.async.bulk.tensor knows of a tensor in global memory and of the boxes that it moves.
/// Source: CUDA Driver API, "Tensor Map Object Management" (cuTensorMapEncodeTiled). Which bits mean what in its 128
/// bytes is open there; here they are those of this struct (docs/model/ptx.md#tensor-maps).

#include <warpkit/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace warpkit {

/// The elements of a tensor, numbered as CUtensorMapDataType is.
enum class tensor_element : std::uint8_t {
    u8,
    u16,
    u32,
    s32,
    u64,
    s64,
    f16,
    f32,
    f64,
    bf16,
    f32_ftz,
    tf32,
    tf32_ftz,
    count
};
/// Bytes of an element.
constexpr unsigned size_of(tensor_element t) noexcept {
    constexpr std::uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return bytes[static_cast<unsigned>(t)];
}

/// What the pieces of 16 bytes of a box change places by, numbered as CUtensorMapSwizzle is: within rows of so many
/// bytes.
enum class tensor_swizzle : std::uint8_t { none, b32, b64, b128 };

/// Where a byte of a box lies in shared memory, by where it would lie without a swizzle: address bits 4 to 6, as far as
/// the swizzle goes, are combined with bits 7 to 9 by exclusive or.
constexpr std::uint64_t swizzled(std::uint64_t address, tensor_swizzle s) noexcept {
    auto const mask = (1U << static_cast<unsigned>(s)) - 1;
    return address ^ ((address >> 7 & mask) << 4);
}

/// A tensor in global memory, and its boxes. Dimension 0 is the one along which elements are contiguous.
struct alignas(64) tensor_map {
    static constexpr unsigned most_dimensions = 5;
    static constexpr std::uint32_t known = 0x314d5457; ///< "WTM1"

    std::uint32_t magic = 0; ///< `known`, or this is no tensor map
    tensor_element element = tensor_element::u8;
    std::uint8_t dimensions = 0;
    tensor_swizzle swizzle = tensor_swizzle::none;
    std::uint8_t reserved = 0;
    std::uint64_t address = 0;                      ///< in global memory
    std::uint64_t stride[most_dimensions]{};        ///< bytes between neighbours
    std::uint32_t last[most_dimensions]{};          ///< the greatest coordinate: one less than the extent
    std::uint16_t box[most_dimensions]{};           ///< extent of a box, in elements of the tensor
    std::uint8_t element_stride[most_dimensions]{}; ///< of each so many elements, one is moved
    std::uint8_t unused[37]{}; ///< to the end: padding would be bytes that nobody writes

    /// Whether it can be used: it may have been written by anybody.
    constexpr bool is_valid() const noexcept {
        if (magic != known || element >= tensor_element::count || swizzle > tensor_swizzle::b128 ||
            dimensions < 1 || dimensions > most_dimensions)
            return false;
        for (unsigned d = 0; d < dimensions; ++d)
            if (box[d] == 0 || element_stride[d] == 0) return false;
        return true;
    }
    /// Elements that are moved along dimension `d`. That of dimension 0 has no stride.
    constexpr unsigned moved(unsigned d) const noexcept {
        return d == 0 ? box[0] : (box[d] + element_stride[d] - 1U) / element_stride[d];
    }
    /// Bytes of a box in shared memory.
    constexpr std::uint64_t box_bytes() const noexcept {
        std::uint64_t bytes = size_of(element);
        for (unsigned d = 0; d < dimensions; ++d) bytes *= moved(d);
        return bytes;
    }
};
static_assert(sizeof(tensor_map) == 128 && std::is_trivially_copyable_v<tensor_map>);

/// Checks what CUDA documents of cuTensorMapEncodeTiled's parameters (`strides`: of dimensions 1 and up, in bytes);
/// throws warpkit::error for what does not fit.
inline tensor_map make_tensor_map(tensor_element element, unsigned dimensions, std::uint64_t address,
                                  std::uint64_t const* extents, std::uint64_t const* strides,
                                  std::uint32_t const* box, std::uint32_t const* element_strides,
                                  tensor_swizzle swizzle) {
    auto const require = [](bool good, std::string const& what, unsigned d, std::uint64_t found) {
        if (!good)
            throw error("tensor map: expected " + what + ", found " + std::to_string(found) + " (dimension " +
                        std::to_string(d) + ")");
    };
    require(element < tensor_element::count, "a type of whole bytes, from 8-bit integers to .tf32", 0,
            static_cast<unsigned>(element));
    require(dimensions >= 1 && dimensions <= tensor_map::most_dimensions, "1 to 5 dimensions", 0, dimensions);
    require(address % 16 == 0, "an address that is a multiple of 16", 0, address);
    require(swizzle <= tensor_swizzle::b128, "a swizzle of none, 32, 64 or 128 bytes", 0,
            static_cast<unsigned>(swizzle));
    tensor_map m;
    m.magic = tensor_map::known;
    m.element = element;
    m.dimensions = static_cast<std::uint8_t>(dimensions);
    m.swizzle = swizzle;
    m.address = address;
    for (unsigned d = 0; d < dimensions; ++d) {
        require(extents[d] >= 1 && extents[d] <= std::uint64_t{1} << 32, "an extent from 1 to 2^32", d,
                extents[d]);
        require(box[d] >= 1 && box[d] <= 256, "a box of 1 to 256 elements", d, box[d]);
        require(element_strides[d] >= 1 && element_strides[d] <= 8, "an element stride from 1 to 8", d,
                element_strides[d]);
        m.stride[d] = d == 0 ? size_of(element) : strides[d - 1];
        require(d == 0 || (m.stride[d] % 16 == 0 && m.stride[d] < std::uint64_t{1} << 40),
                "a stride that is a multiple of 16 bytes below 2^40", d, m.stride[d]);
        m.last[d] = static_cast<std::uint32_t>(extents[d] - 1);
        m.box[d] = static_cast<std::uint16_t>(box[d]);
        m.element_stride[d] = static_cast<std::uint8_t>(element_strides[d]);
    }
    auto const row = box[0] * size_of(element);
    require(row % 16 == 0, "rows of a box of a multiple of 16 bytes", 0, row);
    auto const most_row = 16U << static_cast<unsigned>(swizzle);
    require(swizzle == tensor_swizzle::none || row <= most_row,
            "rows of a box of at most the swizzle's " + std::to_string(most_row) + " bytes", 0, row);
    return m;
}

} // namespace warpkit
