#pragma once
/// \file
/// Tensor maps: what cp.async.bulk.tensor knows of a tensor in global memory and of the boxes that it moves. Source:
/// CUDA Driver API, "Tensor Map Object Management" (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col). Which bits mean
/// what in its 128 bytes is open there; here they are those of this struct (docs/model/ptx.md#tensor-maps).

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
    packed_4, ///< of 4 bits, sixteen in 8 bytes in both memories ("16U4_ALIGN8B")
    padded_4, ///< sixteen in 8 bytes in global memory, in the first 8 of 16 in shared memory ("16U4_ALIGN16B")
    padded_6, ///< of 6 bits, sixteen in 12 bytes in global memory, in the first 12 of 16 in shared ("16U6_ALIGN16B")
    count
};
/// Elements that begin and end with a byte, and the bytes that they take.
struct tensor_unit {
    unsigned elements = 1;
    unsigned global_bytes = 0;
    unsigned shared_bytes = 0;
};
constexpr tensor_unit unit_of(tensor_element t) noexcept {
    if (t == tensor_element::packed_4) return {2, 1, 1};
    if (t == tensor_element::padded_4) return {16, 8, 16};
    if (t == tensor_element::padded_6) return {16, 12, 16};
    constexpr std::uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    auto const size = bytes[static_cast<unsigned>(t)];
    return {1, size, size};
}

/// What the pieces of a box change places by, numbered as CUtensorMapSwizzle is: pieces of 16 bytes within rows of so
/// many bytes, or pieces of so many bytes within rows of 128, perhaps with the halves of all 16 bytes of odd rows
/// exchanged.
enum class tensor_swizzle : std::uint8_t {
    none,
    b32,
    b64,
    b128,
    b128_by_32,
    b128_by_32_flipped,
    b128_by_64,
    count
};
/// Bytes of the rows within which pieces change places; 0 without a swizzle.
constexpr unsigned row_of(tensor_swizzle s) noexcept {
    if (s == tensor_swizzle::none) return 0;
    return s > tensor_swizzle::b128 ? 128 : 16U << static_cast<unsigned>(s);
}

/// Where a byte of a box lies in shared memory, by where it would lie without a swizzle: address bits 4 to 6, as far as
/// the swizzle goes, are combined with bits 7 to 9 by exclusive or.
constexpr std::uint64_t swizzled(std::uint64_t address, tensor_swizzle s) noexcept {
    auto const row = address >> 7;
    if (s == tensor_swizzle::b128_by_64) return address ^ (row & 1) << 6;
    if (s > tensor_swizzle::b128)
        return address ^ (row & 3) << 5 ^ (s == tensor_swizzle::b128_by_32_flipped ? (row & 1) << 3 : 0);
    return address ^ (row & ((1U << static_cast<unsigned>(s)) - 1)) << 4;
}

/// A tensor in global memory, and its boxes. Dimension 0 is the one along which elements are contiguous. With `columns`
/// ("im2col") dimension 0 is that of channels, the last that of images, and those between have pixels: a box is a
/// column of `box[1]` pixels, with `box[0]` channels of each.
struct alignas(64) tensor_map {
    static constexpr unsigned most_dimensions = 5;
    static constexpr std::uint32_t known = 0x314d5457; ///< "WTM1"

    std::uint32_t magic = 0; ///< `known`, or this is no tensor map
    tensor_element element = tensor_element::u8;
    std::uint8_t dimensions = 0;
    tensor_swizzle swizzle = tensor_swizzle::none;
    bool columns = false;
    std::uint64_t address = 0;                 ///< in global memory
    std::uint64_t stride[most_dimensions]{};   ///< bytes between neighbours; of dimension 0, between units
    std::uint32_t last[most_dimensions]{};     ///< the greatest coordinate: one less than the extent
    std::uint16_t box[most_dimensions]{};      ///< extent of a box, in elements of the tensor
    std::int16_t lower[most_dimensions - 2]{}; ///< of columns: the first pixel along each dimension,
    std::int16_t upper[most_dimensions - 2]{}; ///< and the last one, counted from the tensor's last
    std::uint8_t element_stride[most_dimensions]{}; ///< of each so many elements, one is moved
    std::uint8_t unused[25]{};                      ///< to the end: padding would be bytes that nobody writes

    /// Whether it can be used: it may have been written by anybody.
    constexpr bool is_valid() const noexcept {
        if (magic != known || element >= tensor_element::count || swizzle >= tensor_swizzle::count ||
            dimensions < (columns ? 3 : 1) || dimensions > most_dimensions)
            return false;
        for (unsigned d = 0; d < dimensions; ++d)
            if ((box[d] == 0 && !(columns && d > 1)) || element_stride[d] == 0) return false;
        return true;
    }
    /// Elements that are moved along dimension `d`. That of dimension 0 has no stride.
    constexpr unsigned moved(unsigned d) const noexcept {
        return d == 0 ? box[0] : (box[d] + element_stride[d] - 1U) / element_stride[d];
    }
    /// Bytes of a box in shared memory, with padding.
    constexpr std::uint64_t box_bytes() const noexcept { return units() * unit_of(element).shared_bytes; }
    /// Bytes that are moved: without padding, which is no transaction (CUTLASS, "TmaTransactionBytes").
    constexpr std::uint64_t moved_bytes() const noexcept { return units() * unit_of(element).global_bytes; }

private:
    constexpr std::uint64_t units() const noexcept {
        std::uint64_t count = moved(0) / unit_of(element).elements;
        if (columns) return count * box[1];
        for (unsigned d = 1; d < dimensions; ++d) count *= moved(d);
        return count;
    }
};
static_assert(sizeof(tensor_map) == 128 && std::is_trivially_copyable_v<tensor_map>);

namespace detail {
inline void require_of_map(bool good, std::string const& what, unsigned d, std::uint64_t found) {
    if (!good)
        throw error("tensor map: expected " + what + ", found " + std::to_string(found) + " (dimension " +
                    std::to_string(d) + ")");
}
/// What maps of boxes and of columns have both; `row`: elements of a row of a box.
inline tensor_map map_of_tensor(tensor_element element, unsigned dimensions, std::uint64_t address,
                                std::uint64_t const* extents, std::uint64_t const* strides, std::uint32_t row,
                                std::uint32_t const* element_strides, tensor_swizzle swizzle) {
    auto const require = require_of_map;
    require(element < tensor_element::count, "a type from 8-bit integers to padded ones of 6 bits", 0,
            static_cast<unsigned>(element));
    require(dimensions >= 1 && dimensions <= tensor_map::most_dimensions, "1 to 5 dimensions", 0, dimensions);
    auto const unit = unit_of(element);
    bool const padded = unit.shared_bytes != unit.global_bytes;
    unsigned const aligned = padded ? 32 : 16;
    require(address % aligned == 0, "an address that is a multiple of " + std::to_string(aligned), 0,
            address);
    require(swizzle < tensor_swizzle::count, "a swizzle of none, 32, 64 or 128 bytes, or of atoms", 0,
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
        require(element_strides[d] >= 1 && element_strides[d] <= 8, "an element stride from 1 to 8", d,
                element_strides[d]);
        m.stride[d] = d == 0 ? unit.global_bytes : strides[d - 1];
        require(d == 0 || (m.stride[d] % aligned == 0 && m.stride[d] < std::uint64_t{1} << 40),
                "a stride that is a multiple of " + std::to_string(aligned) + " bytes below 2^40", d,
                m.stride[d]);
        m.last[d] = static_cast<std::uint32_t>(extents[d] - 1);
        m.element_stride[d] = static_cast<std::uint8_t>(element_strides[d]);
    }
    require(row >= 1 && row <= 256, "a box of 1 to 256 elements", 0, row);
    m.box[0] = static_cast<std::uint16_t>(row);
    unsigned const whole = padded ? 128 : unit.elements;
    require(extents[0] % whole == 0, "an extent that is a multiple of " + std::to_string(whole), 0,
            extents[0]);
    require(!padded || row == 128, "a box of 128 padded elements", 0, row);
    auto const bytes = row / unit.elements * unit.shared_bytes;
    require(row % unit.elements == 0 && bytes % 16 == 0, "rows of a box of a multiple of 16 bytes", 0, bytes);
    require(swizzle == tensor_swizzle::none || bytes <= row_of(swizzle),
            "rows of a box of at most the swizzle's " + std::to_string(row_of(swizzle)) + " bytes", 0, bytes);
    return m;
}
} // namespace detail

/// Checks what CUDA documents of cuTensorMapEncodeTiled's parameters (`strides`: of dimensions 1 and up, in bytes);
/// throws warpkit::error for what does not fit.
inline tensor_map make_tensor_map(tensor_element element, unsigned dimensions, std::uint64_t address,
                                  std::uint64_t const* extents, std::uint64_t const* strides,
                                  std::uint32_t const* box, std::uint32_t const* element_strides,
                                  tensor_swizzle swizzle) {
    auto m = detail::map_of_tensor(element, dimensions, address, extents, strides, box[0], element_strides,
                                   swizzle);
    for (unsigned d = 1; d < dimensions; ++d) {
        detail::require_of_map(box[d] >= 1 && box[d] <= 256, "a box of 1 to 256 elements", d, box[d]);
        m.box[d] = static_cast<std::uint16_t>(box[d]);
    }
    return m;
}

/// The same of cuTensorMapEncodeIm2col. Corners are those of dimensions 1 and up, without the last: pixels go from
/// `lower` to `upper` beyond the tensor's last; element strides part the pixels.
inline tensor_map make_column_map(tensor_element element, unsigned dimensions, std::uint64_t address,
                                  std::uint64_t const* extents, std::uint64_t const* strides,
                                  int const* lower, int const* upper, std::uint32_t channels,
                                  std::uint32_t pixels, std::uint32_t const* element_strides,
                                  tensor_swizzle swizzle) {
    auto const require = detail::require_of_map;
    require(dimensions >= 3 && dimensions <= tensor_map::most_dimensions, "3 to 5 dimensions", 0, dimensions);
    auto m = detail::map_of_tensor(element, dimensions, address, extents, strides, channels, element_strides,
                                   swizzle);
    m.columns = true;
    require(pixels >= 1 && pixels <= 1024, "columns of 1 to 1024 pixels", 1, pixels);
    m.box[1] = static_cast<std::uint16_t>(pixels);
    int const most = dimensions == 3 ? 32768 : dimensions == 4 ? 128 : 16;
    for (unsigned d = 1; d + 1 < dimensions; ++d) {
        for (int const corner : {lower[d - 1], upper[d - 1]})
            if (corner < -most || corner >= most)
                throw error({"tensor map: expected corners from -", std::to_string(most), " to ",
                             std::to_string(most - 1), ", found ", std::to_string(corner), " (dimension ", d,
                             ")"});
        m.lower[d - 1] = static_cast<std::int16_t>(lower[d - 1]);
        m.upper[d - 1] = static_cast<std::int16_t>(upper[d - 1]);
        if (std::int64_t{m.last[d]} + upper[d - 1] < lower[d - 1])
            throw error({"tensor map: expected corners with a pixel between them (dimension ", d, ")"});
    }
    return m;
}

} // namespace warpkit
