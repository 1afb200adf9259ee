#pragma once
/// \file
/// Arithmetic on ranges of bytes that no size and no address can make wrap: what is too large stays too large, and what
/// is outside stays outside. Everything that checks an address or a size asks here.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit {

/// Whether [offset, offset + count) lies in [0, size). An empty range may lie at the end.
constexpr bool lies_within(std::uint64_t offset, std::uint64_t count, std::uint64_t size) noexcept {
    return offset <= size && count <= size - offset;
}

/// The sum, or the largest number if that is less.
constexpr std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) noexcept {
    return a + b < a ? ~std::uint64_t{0} : a + b;
}

/// The product, or the largest number if that is less.
constexpr std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b) noexcept {
    return b != 0 && a > ~std::uint64_t{0} / b ? ~std::uint64_t{0} : a * b;
}

/// Bytes that `rows` rows of `width` bytes take, each `pitch` bytes behind the one before; 0 without a row or a width,
/// and the largest number if that is less.
constexpr std::uint64_t bytes_of_rows(std::uint64_t width, std::uint64_t rows, std::uint64_t pitch) noexcept {
    return rows == 0 || width == 0 ? 0 : saturated_sum(saturated_product(rows - 1, pitch), width);
}

} // namespace warpkit
