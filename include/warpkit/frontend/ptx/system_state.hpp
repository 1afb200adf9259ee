#pragma once
/// \file
/// What the system calls of one launch share: where text goes, and the heap of malloc.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/memory.hpp>
#include <warpkit/frontend/ptx/execution_limits.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string_view>

namespace warpkit::ptx {

class system_state {
public:
    explicit system_state(execution_limits const& limits) : print_(limits.print), most_(limits.heap_bytes) {}

    /// Prints what a warp's vprintf made.
    void print(std::string_view text) const {
        if (print_)
            print_(text);
        else
            std::fwrite(text.data(), 1, text.size(), stdout);
    }
    /// A block of so many bytes; 0 where the heap, or the memory, has no more.
    device_address allocate(device_memory& memory, std::uint64_t bytes) {
        if (held_ > most_ || bytes > most_ - held_) return 0;
        try {
            auto const p = memory.allocate(bytes);
            held_ += memory.size_of(p);
            return p;
        } catch (error const&) {
            return 0;
        }
    }
    /// False if no block begins at this address.
    bool release(device_memory& memory, device_address p) {
        auto const bytes = memory.size_of(p);
        if (bytes == 0) return false;
        held_ -= bytes < held_ ? bytes : held_; // one of an earlier launch is not counted here
        return memory.release(p);
    }

private:
    std::function<void(std::string_view)> print_;
    std::uint64_t most_;     ///< bytes of the heap
    std::uint64_t held_ = 0; ///< that malloc gave this launch
};

} // namespace warpkit::ptx
