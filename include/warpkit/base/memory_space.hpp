#pragma once
/// \file
/// The memory spaces of the PTX machine model, and the generic addresses that reach all of them.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit {

/// Where a memory instruction looks. Of a static instruction, `generic` says that addresses decide; each dynamic access
/// is resolved, and `generic` only if its lanes look into several spaces: then its addresses are generic ones.
enum class memory_space : std::uint8_t { none, global, shared, local, constant, parameter, texture, generic };
inline constexpr unsigned memory_space_count = 8;
/// By space.
inline constexpr char const* memory_space_names[memory_space_count] = {
    "no", "global", "shared", "local", "constant", "parameter", "texture", "generic"};

/// The spaces that generic addresses can lie in. An access that looks into several looks into them in this order.
inline constexpr memory_space generic_spaces[] = {memory_space::shared, memory_space::global,
                                                  memory_space::local, memory_space::constant,
                                                  memory_space::parameter};

/// Generic addresses carry their window in the top byte; global addresses have none (docs/model/ptx.md#spaces).
inline constexpr std::uint64_t window_mask = 0xffULL << 56;

/// The window of a space in the generic address space.
constexpr std::uint64_t window_of(memory_space s) noexcept {
    switch (s) {
    case memory_space::shared:
        return 1ULL << 56;
    case memory_space::local:
        return 2ULL << 56;
    case memory_space::constant:
        return 3ULL << 56;
    case memory_space::parameter:
        return 4ULL << 56;
    default:
        return 0;
    }
}

/// The space of a generic address; `none` if it is in no window.
constexpr memory_space space_of(std::uint64_t generic) noexcept {
    constexpr memory_space by_window[] = {memory_space::global, memory_space::shared, memory_space::local,
                                          memory_space::constant, memory_space::parameter};
    auto const window = generic >> 56;
    return window < 5 ? by_window[window] : memory_space::none;
}

/// Shared memory has addresses of 32 bits: the offset, and from this bit on 0 for a CTA's own, or this and the rank of
/// one in its cluster (docs/model/ptx.md#clusters). An address without bit 24 is one of the pair's even CTA, which
/// kernels rely on, so the first number is even.
inline constexpr unsigned cluster_shift = 24;
inline constexpr std::uint32_t first_cluster_rank = 2;

/// Where the parameters and results of inlined device functions lie in parameter space; below are the kernel's own.
inline constexpr std::uint64_t call_frame = 1ULL << 30;

/// What a memory access does.
enum class access_kind : std::uint8_t { load, store, atomic };

} // namespace warpkit
