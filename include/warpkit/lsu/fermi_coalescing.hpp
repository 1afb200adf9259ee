#pragma once
/// \file
/// Coalescing of the Fermi and Kepler generations.

#include <warpkit/lsu/merge_blocks.hpp>
#include <warpkit/lsu/transaction.hpp>

#include <cstdint>

namespace warpkit {

/// A whole warp at once; segments of 128 bytes for lanes of 4 bytes and more, 64 for 2, 32 for 1; a segment is cut
/// down to the aligned half, then quarter, that alone is used. Past the L1, every segment is a 32-byte sector.
/// Source: SPEC 4.1, GPGPU-Sim's generations 2.x and 3.x; rules after the CUDA programming guide.
/// Differs from GPGPU-Sim: transactions come in the order of the lanes that first ask for them, not by address; an
/// atomic across a boundary makes two transactions (refused there).
struct fermi_coalescing {
    static constexpr char const* name = "fermi";

    void operator()(warp_access const& a, bool bypasses_l1, transaction_list& out) const noexcept {
        if (bypasses_l1 || a.bytes == 1) {
            detail::merge_blocks(a, 5, out);
            return;
        }
        detail::merge_blocks(a, a.bytes == 2 ? 6 : 7, out);
        for (std::size_t i = 0; i < out.size(); ++i) reduce(out[i]);
    }
    friend bool operator==(fermi_coalescing const&, fermi_coalescing const&) = default;

private:
    /// By the sectors used: the smallest aligned block of 32, 64 or 128 bytes that holds them.
    static constexpr void reduce(transaction& t) noexcept {
        constexpr std::uint8_t first[16] = {0, 0, 1, 0, 2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0}; // sector
        constexpr std::uint8_t bytes[16] = {128, 32,  32,  64,  32, 128, 128, 128,
                                            32,  128, 128, 128, 64, 128, 128, 128};
        t.address = (t.address & ~std::uint64_t{127}) + 32U * first[t.sectors];
        t.bytes = bytes[t.sectors];
    }
};

} // namespace warpkit
