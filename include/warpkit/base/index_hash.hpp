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
    ipoly,       ///< the bits above and the index as a polynomial over GF(2), modulo an irreducible one
    skew         ///< as ipoly, but of all bits above, and added to the index, modulo any number
};

/// A linear function of the bits above an index of `bits` bits, to be XORed with it (undone by being applied again), or
/// for skew to be added.
///
/// Source of ipoly: Rau, Pseudo-Randomly Interleaved Memory, ISCA 1991, with the polynomials of GPGPU-Sim: x^4+x+1,
/// x^5+x^2+1 and x^6+x+1 for 16, 32 and 64, of which it sees the lowest 13, 15 and 19 bits above
/// (docs/model/dram.md#hashes). Of skew: Harper and Jump, Vector Access Performance in Parallel Memories Using a Skewed
/// Storage Scheme, IEEE Transactions on Computers, 1987, which adds the quotient itself; the polynomials are ours
/// (docs/model/dram.md#skew).
class hash_of_bits {
public:
    constexpr hash_of_bits() = default;
    /// Precondition: for ipoly, `bits` is 4, 5 or 6; for skew, at most 8.
    constexpr hash_of_bits(index_hash kind, std::uint32_t bits) noexcept
        : bits_(kind == index_hash::none ? 0 : bits) {
        if (kind == index_hash::bitwise_xor)
            for (std::uint32_t b = 0; b < bits; ++b) row_[b] = std::uint64_t{1} << b;
        if ((kind != index_hash::ipoly && kind != index_hash::skew) || bits == 0) return;
        // Primitive, so that x^0, x^1, ... are as many as can be; by degree, from 1 up.
        constexpr std::uint32_t polynomials[] = {0b11,      0b111,      0b1011,      0b1'0011,
                                                 0b10'0101, 0b100'0011, 0b1000'0011, 0b1'0001'1101};
        auto const polynomial = polynomials[bits - 1];
        std::uint32_t const seen = kind == index_hash::skew ? 64 : bits == 4 ? 13 : bits == 5 ? 15 : 19;
        std::uint32_t power = polynomial ^ (1U << bits); // x^bits, reduced
        for (std::uint32_t i = 0; i < seen; ++i) {
            for (std::uint32_t b = 0; b < bits; ++b) row_[b] |= std::uint64_t{power >> b & 1} << i;
            power <<= 1;
            if ((power >> bits & 1) != 0) power ^= polynomial;
        }
    }
    constexpr bool active() const noexcept { return bits_ != 0; }
    /// What the index is XORed with, or for skew, to be added. Called, not inlined: most maps have no hash.
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
