#pragma once
/// \file
/// Threads, CTAs and kernels by name, as the executor's errors have them.

#include <warpkit/base/byte_range.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/frontend/ptx/kernel.hpp>
#include <warpkit/frontend/ptx/operation.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpkit::ptx {

inline std::string hexadecimal(std::uint64_t v) {
    static constexpr char hex[] = "0123456789abcdef";
    std::string digits;
    for (; v != 0 || digits.empty(); v >>= 4) digits.insert(digits.begin(), hex[v & 15]);
    return "0x" + digits;
}

/// Of one launch. The kernel must outlive it.
class thread_names {
public:
    thread_names(ptx::kernel const& k, dim3 grid, dim3 block) : kernel_(&k), grid_(grid), block_(block) {}

    std::string kernel() const { return "kernel " + kernel_->name() + ": "; }
    /// Of the lowest lane of `mask`.
    std::string thread(warp_context const& c, lane_mask mask) const {
        auto const lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        auto const t = c.warp * lanes + lane;
        return "CTA " + cta(c.cta) + ", thread (" + std::to_string(t % block_.x) + "," +
               std::to_string(t / block_.x % block_.y) + "," + std::to_string(t / block_.x / block_.y) + ")";
    }
    std::string cta(std::uint64_t linear) const {
        std::string s = "("; // in steps: GCC 12 warns without reason of a chain that begins with a literal
        s += std::to_string(linear % grid_.x) + "," + std::to_string(linear / grid_.x % grid_.y) + "," +
             std::to_string(linear / grid_.x / grid_.y);
        return s + ")";
    }

    /// warp_context::fault
    [[noreturn]] static void fault(warp_context const& c, operation const& o, std::string_view what,
                                   unsigned lane, std::uint64_t address, unsigned bytes, memory_space space) {
        auto const& self = *c.names;
        throw error(self.kernel() + std::string(what) + " access at " + self.kernel_->place(o.index) + ": " +
                    self.thread(c, 1U << lane) + ", " + std::to_string(bytes) + " bytes at address " +
                    hexadecimal(address) + " of " + memory_space_names[static_cast<std::size_t>(space)] +
                    " memory" + self.stack_over(c, address, bytes, space));
    }
    /// warp_context::stop
    [[noreturn]] static void stop(warp_context const& c, operation const& o, lane_mask of,
                                  std::string const& why) {
        auto const& self = *c.names;
        throw error(self.kernel() + "instruction at " + self.kernel_->place(o.index) + ": " +
                    self.thread(c, of) + ", warp " + std::to_string(c.warp) + ", lanes " + hexadecimal(of) +
                    ": " + why);
    }

private:
    std::string stack_over(warp_context const& c, std::uint64_t address, unsigned bytes,
                           memory_space space) const {
        auto const all = c.memory.local_bytes;
        if (!kernel_->recurses() || space != memory_space::local ||
            lies_within(address & ~window_mask, bytes, all))
            return {};
        return ": functions that call themselves have filled the thread's stack of " +
               std::to_string(all - kernel_->local_bytes()) +
               " bytes (execution_limits::stack_bytes, cudaLimitStackSize)";
    }

    ptx::kernel const* kernel_;
    dim3 grid_;
    dim3 block_;
};

} // namespace warpkit::ptx
