#pragma once
/// \file
/// Where local memory lies.

#include <warpkit/lsu/transaction.hpp>

#include <cstdint>

namespace warpkit {

/// The places of a kernel's threads among all of them that can be resident on a machine: CTA by CTA the cores take
/// turns.
struct resident_places {
    std::uint64_t core = 0; ///< whose warps are asked for
    std::uint64_t cores = 1;
    std::uint32_t ctas = 1; ///< that a core can hold
    std::uint32_t warps_per_cta = 1;

    constexpr std::uint64_t threads() const noexcept { return cores * ctas * warps_per_cta * lanes; }
    /// That of the first thread in warp slot `w`.
    constexpr std::uint64_t first_thread(std::uint32_t w) const noexcept {
        auto const cta = w / warps_per_cta;
        return ((cta * cores + core) * warps_per_cta + w % warps_per_cta) * lanes;
    }
    friend bool operator==(resident_places const&, resident_places const&) = default;
};

/// Local memory is interleaved in words of 4 bytes over the threads that can be resident, by their places, so that the
/// lanes of a warp that use the same local address touch consecutive words, and a CTA finds the lines of the one that
/// was in its place before (docs/model/load_store.md#local-memory): byte offset d of thread t lies at base + ((d / 4) *
/// threads + t) * 4 + d % 4. Source: GPGPU-Sim, `translate_local_memaddr` with `gpgpu_local_mem_map 1`, its default; an
/// access of more than 4 bytes is as many of 4 there, too.
struct local_interleaving {
    std::uint64_t base = 0;     ///< of all local memory; a multiple of 128
    std::uint64_t threads = 32; ///< that can be resident; a multiple of 32

    constexpr std::uint64_t address(std::uint64_t offset, std::uint64_t thread) const noexcept {
        return base + (offset / 4 * threads + thread) * 4 + offset % 4;
    }
    /// The access with word `word` (bytes 4 * word and on) of each lane's local access in place: lane i is thread
    /// `first_thread` + i. An access of 8 or 16 bytes is 2 or 4 such words, each to be coalesced.
    constexpr warp_access word_of(warp_access const& local, std::uint64_t first_thread, std::uint32_t word,
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
