#pragma once
/// \file
/// The memory spaces of the PTX machine model.

#include <cstdint>

namespace warpkit {

/// Where a memory instruction looks. `generic` occurs only in static instructions; each dynamic access is resolved.
enum class memory_space : std::uint8_t { none, global, shared, local, constant, parameter, texture, generic };
inline constexpr unsigned memory_space_count = 8;
/// By space.
inline constexpr char const* memory_space_names[memory_space_count] = {
    "no", "global", "shared", "local", "constant", "parameter", "texture", "generic"};

/// Where the parameters and results of inlined device functions lie in parameter space; below are the kernel's own.
inline constexpr std::uint64_t call_frame = 1ULL << 30;

/// What a memory access does.
enum class access_kind : std::uint8_t { load, store, atomic };

} // namespace warpkit
