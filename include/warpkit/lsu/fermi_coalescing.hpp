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
    static constexpr void reduce(transaction& t) noexcept {
        while (t.bytes > 32) {
            auto const half = t.bytes / 2;
            auto const first = static_cast<std::uint32_t>(t.address & 127) / 32; // sector numbers
            auto const low = ((1U << half / 32) - 1) << first;
            auto const high = low << half / 32;
            if ((t.sectors & low) != 0 && (t.sectors & high) != 0) return;
            if ((t.sectors & low) == 0) t.address += half;
            t.bytes = half;
        }
    }
};

} // namespace warpkit
