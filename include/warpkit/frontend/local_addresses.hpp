#pragma once
/// \file
/// Where timing sees local memory.

#include <cstdint>

namespace warpkit {

/// Where local memory begins in the address stream that timing sees: far above every global address.
inline constexpr std::uint64_t local_base = 1ULL << 36;

/// The address that timing sees for a local access: threads interleaved in words of 4 bytes, or in elements of the
/// access where it is wider, so that a warp's access to one variable is contiguous
/// (docs/model/load_store.md#local-memory).
constexpr std::uint64_t interleaved(std::uint64_t offset, unsigned bytes, std::uint64_t threads,
                                    std::uint64_t thread) noexcept {
    std::uint64_t const word = bytes < 4 ? 4 : bytes;
    return local_base + (offset / word * threads + thread) * word + offset % word;
}
/// The offset that `interleaved` takes there, if this is an address of that thread.
constexpr std::uint64_t local_offset(std::uint64_t address, unsigned bytes, std::uint64_t threads) noexcept {
    std::uint64_t const word = bytes < 4 ? 4 : bytes;
    auto const a = address - local_base;
    return a / word / threads * word + a % word;
}

} // namespace warpkit
