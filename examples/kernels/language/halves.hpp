#pragma once
/// \file
/// What the host programs of language models' kernels share: numbers of half precision, and their check.

#include <warpkit/frontend/tensor_map.hpp>

#include "kernels/host.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::kernels::halves {

using half = std::uint16_t;

/// The half nearest to x, to even where two are; infinity from 65520 on. Not for a NaN.
inline half half_of(double x) noexcept {
    auto const sign = static_cast<unsigned>(std::signbit(x)) << 15;
    auto const size = std::abs(x);
    if (size >= 65520) return static_cast<half>(sign | 0x7c00);
    int exponent = 0;
    std::frexp(size, &exponent);
    // Numbers from 2^(exponent - 1) on are multiples of 2^(exponent - 11), those below 2^-14 of 2^-24.
    auto const last = std::max(exponent - 11, -24);
    auto const multiple = static_cast<unsigned>(std::nearbyint(std::ldexp(size, -last)));
    return static_cast<half>(sign | (multiple + (static_cast<unsigned>(last + 24) << 10)));
}

inline double double_of(half h) noexcept {
    auto const magnitude = static_cast<std::uint32_t>(h & 0x7fff);
    // The bits as those of a float have an exponent that is too small by 112.
    auto const size = magnitude >= 0x7c00 ? magnitude == 0x7c00 ? std::numeric_limits<double>::infinity()
                                                                : std::numeric_limits<double>::quiet_NaN()
                                          : double{std::bit_cast<float>(magnitude << 13)} * 0x1p112;
    return (h & 0x8000) != 0 ? -size : size;
}

/// `count` halves uniform in (-size, size): one of 2048 numbers with one distance between them, rounded.
inline std::vector<half> random_halves(random_numbers& random, std::size_t count, double size = 1) {
    std::vector<half> table(2048);
    for (int i = 0; i < 2048; ++i) table[static_cast<std::size_t>(i)] = half_of(size * (2 * i - 2047) / 2048);
    return random.vector(count, [&](random_numbers& r) { return table[r.next() >> 53]; });
}

inline std::vector<double> doubles_of(std::vector<half> const& from) {
    std::vector<double> to(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = double_of(from[i]);
    return to;
}

/// Throws error where `found` differs from `expected` by more than `absolute` and, beside that, `relative` times
/// `expected`; for a NaN, too.
inline void check_number(values const& v, std::string_view array, std::size_t index, double found,
                         double expected, double relative, double absolute) {
    if (std::abs(found - expected) <= absolute + relative * std::abs(expected)) return;
    std::ostringstream message;
    message.precision(9);
    message << v.of().name << ": wrong value left in memory: " << array << '[' << index << "] is " << found
            << ", expected " << expected;
    throw error(message.str());
}

/// What rounding to half precision, and a little more, may change: half a unit in the last place is 2^-11.
inline constexpr double rounding = 0x1.1p-11;
/// Halves below 2^-14 are multiples of 2^-24.
inline constexpr double least = 0x1p-24;

/// A tensor map, in device memory, of a matrix of halves there: `rows` x `columns` without gaps, boxes of `box_rows` x
/// 64 elements, whose rows of 128 bytes lie with the swizzle of 128 bytes.
inline device_array<tensor_map> map_of(device& d, device_array<half> of, std::uint64_t rows,
                                       std::uint64_t columns, std::uint32_t box_rows) {
    std::uint64_t const extents[] = {columns, rows};
    std::uint64_t const strides[] = {columns * sizeof(half)};
    std::uint32_t const box[] = {64, box_rows};
    std::uint32_t const steps[] = {1, 1};
    return d.upload(std::vector{make_tensor_map(tensor_element::f16, 2, of.address, extents, strides, box,
                                                steps, tensor_swizzle::b128)});
}

} // namespace warpkit::kernels::halves
