#pragma once
/// \file
/// IPOLY set index: pseudo-random interleaving by a polynomial.

#include <warpkit/base/index_hash.hpp>
#include <warpkit/cache/geometry.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace warpkit {

/// The line number as a polynomial over GF(2), modulo an irreducible one: no power-of-two stride meets a set twice
/// before all have been met. For 16, 32 and 64 sets, with the polynomials that GPGPU-Sim's 'P' has
/// (base/index_hash.hpp, which names the source). A hash is three table look-ups.
class ipoly_index {
public:
    static constexpr char const* name() noexcept { return "ipoly"; }
    /// Throws unless there are 16, 32 or 64 sets.
    static void check(cache_geometry const& g) {
        if (g.sets != 16 && g.sets != 32 && g.sets != 64)
            detail::refuse_cache_number("sets", g.sets,
                                        "does not suit IPOLY, which is defined for 16, 32 and 64",
                                        g.sets < 24   ? 16
                                        : g.sets < 48 ? 32
                                                      : 64);
    }

    constexpr ipoly_index() = default;
    constexpr explicit ipoly_index(cache_geometry const& g) noexcept
        : bits_(static_cast<std::uint32_t>(std::countr_zero(g.sets))) {}
    constexpr std::uint32_t operator()(std::uint64_t, std::uint64_t line) const noexcept {
        auto const& t = tables_[bits_ - 4];
        auto const above = line >> bits_;
        return static_cast<std::uint32_t>((line & ((1U << bits_) - 1)) ^ t[0][above & 255] ^
                                          t[1][above >> 8 & 255] ^ t[2][above >> 16 & 255]);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(bits_);
    }
    friend bool operator==(ipoly_index const&, ipoly_index const&) = default;

private:
    using bytes = std::array<std::uint8_t, 256>;
    using table = std::array<bytes, 3>; // by byte of the bits above: what it adds
    static constexpr table table_for(std::uint32_t bits) noexcept {
        hash_of_bits const hash(index_hash::ipoly, bits);
        table t{};
        for (std::uint32_t i = 0; i < 3; ++i)
            for (std::uint32_t v = 1; v < 256; ++v) { // linear: the lowest bit, and the rest
                auto const lowest = hash(std::uint64_t{v & (~v + 1)} << 8 * i);
                t[i][v] = static_cast<std::uint8_t>(t[i][v & (v - 1)] ^ lowest);
            }
        return t;
    }
    static std::array<table, 3> const tables_; // for 4, 5 and 6 bits

    std::uint32_t bits_ = 4;
};

inline constexpr std::array<ipoly_index::table, 3> ipoly_index::tables_ = {table_for(4), table_for(5),
                                                                           table_for(6)};

} // namespace warpkit
