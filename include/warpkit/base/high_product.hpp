#pragma once
/// \file
/// The high half of a product, for divisions by what is known beforehand.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit {

/// The upper 64 of the 128 bits of a * b.
constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b) noexcept {
#ifdef __SIZEOF_INT128__
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<wide>(a) * b >> 64);
#else
    std::uint64_t const a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    std::uint64_t const middle = a1 * b0 + (a0 * b0 >> 32);
    std::uint64_t const other = a0 * b1 + (middle & 0xffffffff);
    return a1 * b1 + (middle >> 32) + (other >> 32);
#endif
}

} // namespace warpkit
