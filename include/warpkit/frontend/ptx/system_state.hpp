#pragma once
/// \file
/// What the system calls of one launch share: where text goes, the heap of malloc, and launches by its threads.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/memory.hpp>
#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/execution_limits.hpp>
#include <warpkit/frontend/ptx/kernel_call.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

namespace warpkit::ptx {

class system_state {
public:
    /// The module is that of the kernel; it must outlive this.
    system_state(execution_limits const& limits, ptx::module const& home)
        : print_(limits.print),
          launch_(limits.launch),
          home_(&home),
          most_(limits.heap_bytes) {}

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

    /// Launches by threads, each of which has a number of its own in the grid: the shape that it has set for its next
    /// launch; what it will be given in a buffer of arguments; and its last error.
    bool may_launch() const noexcept { return static_cast<bool>(launch_); }
    function const& function_of(std::uint64_t index) const { return home_->functions[index]; }
    std::uint64_t functions() const noexcept { return home_->functions.size(); }
    void shape_next(std::uint64_t thread, call_shape const& shape) { next_[thread] = shape; }
    std::optional<call_shape> take_shape(std::uint64_t thread) { return take(next_, thread); }
    struct buffered_call {
        std::uint64_t function; ///< its number in the module
        call_shape shape;
    };
    void buffer(device_address at, buffered_call const& call) { buffered_[at] = call; }
    std::optional<buffered_call> take_buffered(device_address at) { return take(buffered_, at); }
    std::uint32_t launch(std::uint64_t thread, kernel_call const& call) {
        auto const code = launch_(call);
        if (code != 0) errors_[thread] = code;
        return code;
    }
    std::uint32_t last_error(std::uint64_t thread, bool forget) {
        auto const found = errors_.find(thread);
        if (found == errors_.end()) return 0;
        auto const code = found->second;
        if (forget) errors_.erase(found);
        return code;
    }

private:
    template <class Key, class T>
    static std::optional<T> take(std::map<Key, T>& from, Key key) {
        auto const found = from.find(key);
        if (found == from.end()) return {};
        auto const what = found->second;
        from.erase(found);
        return what;
    }

    std::function<void(std::string_view)> print_;
    std::function<std::uint32_t(kernel_call const&)> launch_;
    ptx::module const* home_;
    std::map<std::uint64_t, call_shape> next_;         ///< by thread
    std::map<device_address, buffered_call> buffered_; ///< by address
    std::map<std::uint64_t, std::uint32_t> errors_;    ///< by thread
    std::uint64_t most_;                               ///< bytes of the heap
    std::uint64_t held_ = 0;                           ///< that malloc gave this launch
};

} // namespace warpkit::ptx
