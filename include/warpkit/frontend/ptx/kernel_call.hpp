#pragma once
/// \file
/// Launches by threads of a kernel (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism").

#include <warpkit/program/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace warpkit::ptx {

/// How a thread asks for a kernel to be launched, apart from what it gives it.
struct call_shape {
    dim3 grid;
    dim3 block;
    std::uint64_t shared_bytes = 0; ///< dynamic, of a CTA
    std::uint64_t stream = 0;       ///< as the thread names it; 0: its CTA's own
};

/// A kernel that a thread launches.
struct kernel_call {
    std::string_view kernel;
    call_shape shape;
    std::vector<std::byte> arguments; ///< as the kernel's parameters lie
};

} // namespace warpkit::ptx
