#pragma once
/// \file
/// Where local memory lies.

#include <warpkit/lsu/transaction.hpp>

#include <cstdint>

namespace warpkit {

/// Local memory is interleaved over a core's threads in words of 4 bytes, so that the lanes of a warp that use the
/// same local address touch consecutive words (docs/model/load_store.md#local-memory): byte offset d of thread t lies
/// at base + ((d / 4) * threads + t) * 4 + d % 4.
/// Source: GPGPU-Sim's local-memory mapping. Differs from it: each core's threads are consecutive (there the cores'
/// threads alternate, which scatters a warp's words over as many segments as there are cores).
struct local_interleaving {
    std::uint64_t base = 0;     ///< of this core's local memory; a multiple of 128
    std::uint32_t threads = 32; ///< threads that the core can hold; a multiple of 32

    constexpr std::uint64_t address(std::uint64_t offset, std::uint32_t thread) const noexcept {
        return base + (offset / 4 * threads + thread) * 4 + offset % 4;
    }
    /// The access with word `word` (bytes 4 * word and on) of each lane's local access in place: lane i is thread
    /// `first_thread` + i. An access of 8 or 16 bytes is 2 or 4 such words, each to be coalesced.
    constexpr warp_access word_of(warp_access const& local, std::uint32_t first_thread, std::uint32_t word,
                                  lane_addresses& scratch) const noexcept {
        auto out = local;
        if (local.bytes > 4) out.bytes = 4;
        if (local.affine && local.stride == 0 && local.base % 4 + out.bytes <= 4) {
            out.base = address(local.base + 4 * word, first_thread);
            out.stride = 4;
            return out;
        }
        for (unsigned i = 0; i < lanes; ++i) {
            bool const on = (local.active >> i & 1) != 0;
            scratch[i] = on ? address(local.address(i) + 4 * word, first_thread + i) : 0;
        }
        out.affine = false;
        out.addresses = &scratch;
        return out;
    }
    /// How many words a local access has.
    static constexpr std::uint32_t words(warp_access const& local) noexcept { return (local.bytes + 3) / 4; }
    friend bool operator==(local_interleaving const&, local_interleaving const&) = default;
};

} // namespace warpkit
