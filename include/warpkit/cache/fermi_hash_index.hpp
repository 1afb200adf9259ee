#pragma once
/// \file
/// The set index of Fermi's L1 data cache.

#include <warpkit/cache/geometry.hpp>

#include <cstdint>

namespace warpkit {

/// The five low bits of the line number, each XORed with one of the address bits 13, 14, 15, 17 and 19. With 64 sets
/// (the 48-KB split) address bit 12 is the sixth bit, unhashed.
/// Source: C. Nugteren et al., "A Detailed GPU Cache Model Based on Reuse Distance Theory", HPCA 2014, as GPGPU-Sim's
/// 'H' has it (docs/model/cache.md#index).
class fermi_hash_index {
public:
    static constexpr char const* name() noexcept { return "fermi_hash"; }
    /// Throws unless there are 32 or 64 sets.
    static void check(cache_geometry const& g) {
        if (g.sets != 32 && g.sets != 64)
            detail::refuse_cache_number("sets", g.sets,
                                        "does not suit the Fermi hash, which is defined for 32 and 64",
                                        g.sets < 48 ? 32 : 64);
    }

    constexpr fermi_hash_index() = default;
    constexpr explicit fermi_hash_index(cache_geometry const& g) noexcept
        : sixth_bit_(g.sets == 64 ? 32 : 0) {}
    constexpr std::uint32_t operator()(std::uint64_t address, std::uint64_t line) const noexcept {
        auto const upper = (address >> 13 & 7) | (address >> 17 & 1) << 3 | (address >> 19 & 1) << 4;
        auto const sixth = address >> 7 & sixth_bit_;
        return static_cast<std::uint32_t>(((line & 31) ^ upper) | sixth);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(sixth_bit_);
    }
    friend bool operator==(fermi_hash_index const&, fermi_hash_index const&) = default;

private:
    std::uint32_t sixth_bit_ = 0; // 32 if there is one
};

} // namespace warpkit
