#pragma once
/// \file
/// Coalescing of the Fermi and Kepler generations.

#include <warpkit/lsu/merge_blocks.hpp>
#include <warpkit/lsu/transaction.hpp>

#include <cstdint>

namespace warpkit {

/// A whole warp at once; segments of 128 bytes for lanes of 4 bytes and more, 64 for 2, 32 for 1; a segment is cut
/// down to the aligned half, then quarter, that alone is used. Past the L1, every segment is a 32-byte sector.
/// Source: GPGPU-Sim's generations 2.x and 3.x (docs/model/load_store.md#fermi-coalescing); rules after the CUDA
/// programming guide.
/// Differs from GPGPU-Sim: transactions come in the order of the lanes that first ask for them, not by address; an
/// atomic across a boundary makes two transactions (refused there).
struct fermi_coalescing {
    static constexpr char const* name() noexcept { return "fermi"; }

    void operator()(warp_access const& a, bool bypasses_l1, transaction_list& out) const noexcept {
        if (bypasses_l1 || a.bytes == 1) {
            detail::merge_blocks(a, 5, out);
            return;
        }
        detail::merge_blocks(a, a.bytes == 2 ? 6 : 7, out);
        for (auto& t : out) reduce(t);
    }
    friend bool operator==(fermi_coalescing const&, fermi_coalescing const&) = default;

private:
    /// By the sectors used: the smallest aligned block of 32, 64 or 128 bytes that holds them.
    static constexpr void reduce(transaction& t) noexcept {
        t.address = (t.address & ~std::uint64_t{127}) + from_[t.sectors];
        t.bytes = bytes_[t.sectors];
    }
    static constexpr std::uint8_t from_[16] = {0, 0, 32, 0, 64, 0, 0, 0, 96, 0, 0, 0, 64, 0, 0, 0};
    static constexpr std::uint8_t bytes_[16] = {128, 32,  32,  64,  32, 128, 128, 128,
                                                32,  128, 128, 128, 64, 128, 128, 128};
};

} // namespace warpkit
