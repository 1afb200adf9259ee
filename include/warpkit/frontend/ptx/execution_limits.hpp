#pragma once
/// \file
/// What a functional execution is told beside its kernel.

#include <warpkit/base/standard.hpp>
#include <warpkit/frontend/ptx/code_order.hpp>
#include <warpkit/frontend/ptx/kernel_call.hpp>

#include <cstdint>
#include <functional>
#include <string_view>

namespace warpkit::ptx {

/// How far an executor goes, and what it answers where the machine would be asked.
struct execution_limits {
    std::uint64_t instructions =
        1'000'000'000; ///< warp instructions per CTA, then the kernel counts as stuck
    /// Bytes of a CTA's streams, looked at when a warp's turn is over; then the kernel counts as runaway. A warp
    /// instruction takes up to 276, and some 40 where it jumps and accesses memory. Of the shipped kernels at the
    /// papers' sizes the largest CTA takes 3 % of this (heartwall).
    std::uint64_t stream_bytes = std::uint64_t{1} << 29;
    char const* stream_option = "execution_limits::stream_bytes"; ///< as the user sets it, for the message
    std::uint32_t time_slice = 4096; ///< warp instructions of one warp before the next has its turn
    std::uint32_t sm_count = 1;      ///< %nsmid; %smid is 0: function does not know where a CTA runs
    std::uint64_t grid_id = 0;       ///< %gridid
    /// Bytes of each thread's stack where functions call themselves, a multiple of 16. PTX keeps more there than CUDA's
    /// 1024 by default, since it is before register allocation.
    std::uint64_t stack_bytes = std::uint64_t{16} << 10;
    std::uint64_t heap_bytes = std::uint64_t{8} << 20; ///< that malloc of the driver's may hold in a launch
    std::function<void(std::string_view)>
        print; ///< what vprintf prints; to standard output where this is empty
    /// What threads launch; the result is CUDA's code of an error, 0 for none. It is called where the thread
    /// launches, and may execute the kernel before it returns. Where this is empty, such a launch is the kernel's
    /// fault.
    std::function<std::uint32_t(kernel_call const&)> launch;
    code_order order = code_order::as_written; ///< of who makes the kernel for this execution
};

} // namespace warpkit::ptx
