#pragma once
/// \file
/// The functions that a driver provides and no module defines: vprintf, __assertfail, malloc and free (CUDA PTX
/// Writer's Guide to Interoperability, "System Calls"), and what launches kernels (CUDA C++ Programming Guide, "CUDA
/// Dynamic Parallelism", "Device-side Launch from PTX").

#include <warpkit/base/error.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/frontend/printed_text.hpp>
#include <warpkit/frontend/ptx/ast.hpp>
#include <warpkit/frontend/ptx/memory_access.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/system_state.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::ptx {

namespace system_calls {

/// Bytes at a generic address, as thread `lane` sees them; what is out of range is the kernel's fault.
inline std::byte const* bytes_at(warp_context const& c, operation const& o, unsigned lane,
                                 std::uint64_t address, unsigned count) {
    auto const space = space_of(address);
    auto const* const p = ptx::detail::find_bytes(c, space, address & ~window_mask, count, lane);
    if (p == nullptr) c.fault(c, o, "out-of-range", lane, address, count, space);
    return p;
}
template <class T>
T value_at(warp_context const& c, operation const& o, unsigned lane, std::uint64_t address) {
    T v;
    std::memcpy(&v, bytes_at(c, o, lane, address, sizeof v), sizeof v);
    return v;
}
/// A string, of which no more than `most` characters are read.
inline std::string text_at(warp_context const& c, operation const& o, unsigned lane, std::uint64_t address,
                           std::optional<std::int64_t> most = {}) {
    std::string text;
    if (address == 0) return "(null)";
    for (; !most || static_cast<std::int64_t>(text.size()) < *most; ++address) {
        auto const letter = value_at<char>(c, o, lane, address);
        if (letter == 0) break;
        text += letter;
    }
    return text;
}

/// The variables of a call: source i holds the address of the i-th, results first.
inline std::uint64_t argument(warp_context const& c, operation const& o, unsigned lane, unsigned i,
                              unsigned bytes) {
    auto const address = *c.lanes_of<std::uint64_t>(o.source[i]);
    std::uint64_t v = 0;
    std::memcpy(&v, ptx::detail::find_bytes(c, memory_space::parameter, address, bytes, lane), bytes);
    return v;
}
inline void give_back(warp_context const& c, operation const& o, unsigned lane, std::uint64_t v,
                      unsigned bytes) {
    auto const address = *c.lanes_of<std::uint64_t>(o.source[0]);
    std::memcpy(ptx::detail::find_bytes(c, memory_space::parameter, address, bytes, lane), &v, bytes);
}
template <class Each>
void for_each_lane(lane_mask mask, Each const& each) {
    for (auto rest = mask; rest != 0; rest &= rest - 1) each(static_cast<unsigned>(std::countr_zero(rest)));
}

/// What a format's conversions take from the buffer that vprintf is given: each value at a multiple of its size.
struct buffered_arguments {
    warp_context const& c;
    operation const& o;
    unsigned lane;
    std::uint64_t at;
    int read = 0;

    std::uint64_t next(unsigned bytes) {
        at = (at + bytes - 1) / bytes * bytes;
        std::uint64_t v = 0;
        std::memcpy(&v, bytes_at(c, o, lane, at, bytes), bytes);
        at += bytes;
        ++read;
        return v;
    }
    std::uint64_t integer(unsigned bits) { return next(bits / 8); }
    double real() { return std::bit_cast<double>(next(8)); }
    std::string text(std::optional<std::int64_t> most) { return text_at(c, o, lane, next(8), most); }
};

/// int vprintf(char const* format, void const* arguments): how many arguments it has printed; -1 without a format.
inline void print(warp_context& c, operation const& o, lane_mask mask) {
    std::string out;
    for_each_lane(mask, [&](unsigned lane) {
        auto const format = argument(c, o, lane, 1, 8);
        buffered_arguments arguments{c, o, lane, argument(c, o, lane, 2, 8)};
        if (format != 0) out += printed_text(text_at(c, o, lane, format), arguments);
        give_back(c, o, lane, static_cast<std::uint32_t>(format == 0 ? -1 : arguments.read), 4);
    });
    c.system->print(out);
}
/// void __assertfail(char const* message, char const* file, unsigned line, char const* function, size_t)
inline void fail_assertion(warp_context& c, operation const& o, lane_mask mask) {
    auto const lane = static_cast<unsigned>(std::countr_zero(mask));
    auto const text = [&](unsigned i) { return text_at(c, o, lane, argument(c, o, lane, i, 8)); };
    c.stop(c, o, 1U << lane,
           "Assertion `" + text(0) + "' failed at " + text(1) + ":" +
               std::to_string(argument(c, o, lane, 2, 4)) + " in " + text(3));
}
/// void* malloc(size_t bytes): null where the heap has no more.
inline void allocate(warp_context& c, operation const& o, lane_mask mask) {
    for_each_lane(mask, [&](unsigned lane) {
        auto const bytes = argument(c, o, lane, 1, 8);
        give_back(c, o, lane, c.system->allocate(*c.memory.global, bytes), 8);
    });
}
/// void free(void* p)
inline void release(warp_context& c, operation const& o, lane_mask mask) {
    for_each_lane(mask, [&](unsigned lane) {
        auto const p = argument(c, o, lane, 0, 8);
        if (p != 0 && !c.system->release(*c.memory.global, p))
            c.stop(c, o, 1U << lane, "free() of an address that malloc() of a kernel has not given");
    });
}

/// The number of a thread in its grid.
inline std::uint64_t thread_of(warp_context const& c, unsigned lane) {
    return c.cta * c.threads + c.warp * lanes + lane;
}
inline void require_launches(warp_context const& c, operation const& o, unsigned lane) {
    if (!c.system->may_launch())
        c.stop(c, o, 1U << lane,
               "a kernel that a thread launches is run where the CUDA runtime executes the program "
               "(warpkit-cuda), not where a kernel is run by itself");
}
/// The bytes of an argument that is longer than a word.
template <class T>
T long_argument(warp_context const& c, unsigned lane, std::uint64_t address) {
    T v;
    std::memcpy(&v, ptx::detail::find_bytes(c, memory_space::parameter, address, sizeof v, lane), sizeof v);
    return v;
}
/// void warpkit_cuda_configure(unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, uint64_t shared_bytes,
/// uint64_t stream): the shape of the thread's next launch, which is a call of a kernel.
inline void configure(warp_context& c, operation const& o, lane_mask mask) {
    for_each_lane(mask, [&](unsigned lane) {
        std::array<std::uint32_t, 6> n{};
        for (unsigned i = 0; i < n.size(); ++i) n[i] = static_cast<std::uint32_t>(argument(c, o, lane, i, 4));
        c.system->shape_next(
            thread_of(c, lane),
            {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, argument(c, o, lane, 6, 8), argument(c, o, lane, 7, 8)});
    });
}
/// A call of a kernel, whose number in the module is the operation's offset; its arguments are variables whose
/// addresses stand where the operands of matrices do.
inline void launch(warp_context& c, operation const& o, lane_mask mask) {
    auto const& callee = c.system->function_of(o.offset);
    for_each_lane(mask, [&](unsigned lane) {
        require_launches(c, o, lane);
        auto const shape = c.system->take_shape(thread_of(c, lane));
        if (!shape)
            c.stop(c, o, 1U << lane,
                   "'" + callee.name +
                       "' is a kernel: its call is a launch, for which warpkit_cuda_configure gives "
                       "the grid first");
        kernel_call call{callee.name, *shape, std::vector<std::byte>(callee.parameter_bytes)};
        for (std::uint32_t i = 0; i < callee.parameters; ++i) {
            auto const& p = callee.parameter(i);
            auto const from = *c.lanes_of<std::uint64_t>(c.fragments[o.target + i]);
            auto const bytes = static_cast<unsigned>(p.size);
            std::memcpy(call.arguments.data() + p.offset,
                        ptx::detail::find_bytes(c, memory_space::parameter, from, bytes, lane), bytes);
        }
        static_cast<void>(c.system->launch(thread_of(c, lane), call));
    });
}
/// void* cudaGetParameterBufferV2(void* kernel, dim3 grid, dim3 block, unsigned shared_bytes): where the arguments go;
/// null where the heap has no more.
inline void get_buffer(warp_context& c, operation const& o, lane_mask mask) {
    for_each_lane(mask, [&](unsigned lane) {
        require_launches(c, o, lane);
        auto const index = argument(c, o, lane, 1, 8) - function_window;
        if (index >= c.system->functions() || !c.system->function_of(index).is_entry)
            c.stop(c, o, 1U << lane, "cudaGetParameterBufferV2 of what is no kernel of this module");
        using extent = std::array<std::uint32_t, 3>;
        auto const at = [&](unsigned i) { return *c.lanes_of<std::uint64_t>(o.source[i]); };
        auto const grid = long_argument<extent>(c, lane, at(2));
        auto const block = long_argument<extent>(c, lane, at(3));
        auto const bytes = c.system->function_of(index).parameter_bytes;
        auto const buffer = c.system->allocate(*c.memory.global, bytes == 0 ? 1 : bytes);
        if (buffer != 0)
            c.system->buffer(buffer, {index,
                                      {{grid[0], grid[1], grid[2]},
                                       {block[0], block[1], block[2]},
                                       argument(c, o, lane, 4, 4),
                                       0}});
        give_back(c, o, lane, buffer, 8);
    });
}
/// cudaError_t cudaLaunchDeviceV2(void* buffer, cudaStream_t stream)
inline void launch_buffered(warp_context& c, operation const& o, lane_mask mask) {
    constexpr std::uint64_t invalid_value = 1;
    for_each_lane(mask, [&](unsigned lane) {
        auto const buffer = argument(c, o, lane, 1, 8);
        auto made = c.system->take_buffered(buffer);
        if (!made) return give_back(c, o, lane, invalid_value, 4);
        auto const& callee = c.system->function_of(made->function);
        made->shape.stream = argument(c, o, lane, 2, 8);
        kernel_call call{callee.name, made->shape, std::vector<std::byte>(callee.parameter_bytes)};
        if (!call.arguments.empty())
            std::memcpy(call.arguments.data(),
                        bytes_at(c, o, lane, buffer, static_cast<unsigned>(callee.parameter_bytes)),
                        call.arguments.size());
        static_cast<void>(c.system->release(*c.memory.global, buffer));
        give_back(c, o, lane, c.system->launch(thread_of(c, lane), call), 4);
    });
}
/// cudaError_t cudaDeviceSynchronize(): what threads launch has been executed when their launch returns.
inline void await_launched(warp_context& c, operation const& o, lane_mask mask) {
    for_each_lane(mask, [&](unsigned lane) { give_back(c, o, lane, 0, 4); });
}
/// cudaError_t cudaGetLastError(), and without forgetting it cudaPeekAtLastError()
template <bool forget>
void last_error(warp_context& c, operation const& o, lane_mask mask) {
    for_each_lane(mask, [&](unsigned lane) {
        give_back(c, o, lane, c.system->last_error(thread_of(c, lane), forget), 4);
    });
}

/// What a function of the driver's is called, what it takes and gives, and what runs it.
struct description {
    std::string_view name;
    std::uint8_t result; ///< bytes; 0: none
    std::uint8_t parameters;
    std::array<std::uint8_t, 8> bytes; ///< of each parameter
    execute_function execute;
};
inline constexpr std::array<description, 14> all{{
    {"vprintf", 4, 2, {8, 8}, &print},
    {"__assertfail", 0, 5, {8, 8, 4, 8, 8}, &fail_assertion},
    {"malloc", 8, 1, {8}, &allocate},
    {"free", 0, 1, {8}, &release},
    {"warpkit_cuda_configure", 0, 8, {4, 4, 4, 4, 4, 4, 8, 8}, &configure},
    {"cudaGetParameterBufferV2", 8, 4, {8, 12, 12, 4}, &get_buffer},
    {"__cudaCDP2GetParameterBufferV2", 8, 4, {8, 12, 12, 4}, &get_buffer},
    {"cudaLaunchDeviceV2", 4, 2, {8, 8}, &launch_buffered},
    {"__cudaCDP2LaunchDeviceV2", 4, 2, {8, 8}, &launch_buffered},
    {"cudaDeviceSynchronize", 4, 0, {}, &await_launched},
    {"cudaGetLastError", 4, 0, {}, &last_error<true>},
    {"__cudaCDP2GetLastError", 4, 0, {}, &last_error<true>},
    {"cudaPeekAtLastError", 4, 0, {}, &last_error<false>},
    {"__cudaCDP2PeekAtLastError", 4, 0, {}, &last_error<false>},
}};

/// The description of a function that a module declares and does not define; null: the driver has none like it.
inline description const* find(function const& f) {
    if (f.is_defined) return nullptr;
    for (auto const& d : all) {
        if (d.name != f.name || f.results != (d.result == 0 ? 0U : 1U) || f.parameters != d.parameters)
            continue;
        bool fits = f.results == 0 || f.result(0).size == d.result;
        for (std::uint32_t i = 0; i < f.parameters; ++i) fits = fits && f.parameter(i).size == d.bytes[i];
        if (fits) return &d;
    }
    return nullptr;
}
/// Whether an instruction asks for what the threads of a launch share, such as the heap or the place where text goes;
/// who gets what depends on who comes first. A failed assertion does not.
inline bool are_asked_by(operation const& o) {
    if (o.execute == nullptr) return false;
    bool asks = o.execute == &launch;
    for (auto const& d : all) asks = asks || (o.execute == d.execute && o.execute != &fail_assertion);
    return asks;
}
/// Whether a call of `f` is not one of code: the driver runs it, or it is a kernel, whose call is a launch.
inline bool runs(function const& f) { return (f.is_entry && f.is_defined) || find(f) != nullptr; }

} // namespace system_calls

} // namespace warpkit::ptx
