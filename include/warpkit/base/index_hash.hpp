#pragma once
/// \file
/// Hashes that spread addresses over channels, banks and cache sets.

#include <warpkit/base/standard.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace warpkit {

/// How an index (a channel, a bank, a set) is mixed with the address bits above it.
enum class index_hash : std::uint8_t {
    none,
    bitwise_xor, ///< index XOR the lowest bits above it
    ipoly        ///< the bits above and the index as a polynomial over GF(2), modulo an irreducible one
};

/// XORs an index of `bits` bits with a linear function of the bits above it. Undone by being applied again.
///
/// Source of ipoly: Rau, Pseudo-Randomly Interleaved Memory, ISCA 1991, with the polynomials of GPGPU-Sim: x^4+x+1,
/// x^5+x^2+1 and x^6+x+1 for 16, 32 and 64, of which it sees the lowest 13, 15 and 19 bits above
/// (docs/model/dram.md#hashes).
class hash_of_bits {
public:
    constexpr hash_of_bits() = default;
    /// Precondition: for ipoly, `bits` is 4, 5 or 6.
    constexpr hash_of_bits(index_hash kind, std::uint32_t bits) noexcept
        : bits_(kind == index_hash::none ? 0 : bits) {
        if (kind == index_hash::bitwise_xor)
            for (std::uint32_t b = 0; b < bits; ++b) row_[b] = std::uint64_t{1} << b;
        if (kind != index_hash::ipoly) return;
        std::uint32_t const polynomial = bits == 4 ? 0b1'0011 : bits == 5 ? 0b10'0101 : 0b100'0011;
        std::uint32_t const seen = bits == 4 ? 13 : bits == 5 ? 15 : 19;
        std::uint32_t power = polynomial ^ (1U << bits); // x^bits, reduced
        for (std::uint32_t i = 0; i < seen; ++i) {
            for (std::uint32_t b = 0; b < bits; ++b) row_[b] |= std::uint64_t{power >> b & 1} << i;
            power <<= 1;
            if ((power >> bits & 1) != 0) power ^= polynomial;
        }
    }
    constexpr bool active() const noexcept { return bits_ != 0; }
    /// What the index is XORed with. Called, not inlined: most maps have no hash.
    [[gnu::noinline]] constexpr std::uint32_t operator()(std::uint64_t above) const noexcept {
        std::uint32_t h = 0;
        for (std::uint32_t b = 0; b < bits_; ++b)
            h |= static_cast<std::uint32_t>(std::popcount(above & row_[b]) & 1) << b;
        return h;
    }
    /// The bits above that bit `b` of the index is XORed with.
    constexpr std::uint64_t row(std::uint32_t b) const noexcept { return b < bits_ ? row_[b] : 0; }
    friend bool operator==(hash_of_bits const&, hash_of_bits const&) = default;

private:
    std::array<std::uint64_t, 8> row_{}; ///< by bit of the index
    std::uint32_t bits_ = 0;
};

} // namespace warpkit
