#pragma once
/// \file
/// The device as a host program sees it: memory, and kernels launched by name.

#include <warpkit/base/byte_range.hpp>
#include <warpkit/frontend/memory.hpp>
#include <warpkit/program/stream.hpp>
#include <warpkit/program/stream_order.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpkit {

/// Bytes for a .global or .const variable of the module.
struct symbol_value {
    std::string name;
    std::vector<std::byte> bytes;
    friend bool operator==(symbol_value const&, symbol_value const&) = default;
};

/// What a host asks for when it writes kernel<<<grid, block, shared>>>(arguments...).
struct launch_request {
    std::string kernel; ///< the entry's name in the PTX
    dim3 grid;
    dim3 block;
    std::uint32_t dynamic_shared_bytes = 0;
    std::vector<std::byte> arguments;       ///< laid out as the C ABI lays out a struct of the parameters
    std::vector<symbol_value> symbols = {}; ///< written since the launch before, in this order
    launch_place place = {};                ///< `after` is filled in when it is launched
    dim3 cluster = {0, 0, 0};               ///< CTAs of a cluster; zeros: as the kernel says, or one
    bool cooperative = false;               ///< all CTAs are there at once and may wait for each other
};

/// A stream of a device; the default one is there from the beginning.
struct device_stream {
    std::uint32_t number = stream_order::default_stream;
};
/// What a stream had been given when the event was recorded.
struct device_event {
    stream_order::launches done;
};

/// An array in device memory.
template <class T>
struct device_array {
    device_address address = 0;
    std::size_t count = 0;
};

/// A simulated device: its memory and a way to run kernels. Who owns the modules and the machine model supplies the
/// launcher; host programs (workloads) know nothing of either.
class device {
public:
    using launcher = std::function<void(device_memory&, launch_request const&)>;

    explicit device(launcher run) : run_(std::move(run)) {}

    device_memory& memory() noexcept { return memory_; }
    device_memory const& memory() const noexcept { return memory_; }

    /// `count` zeroed elements; throws when they do not fit.
    template <class T>
    device_array<T> allocate(std::size_t count) {
        static_assert(std::is_trivially_copyable_v<T>);
        return {memory_.allocate(saturated_product(count, sizeof(T))), count};
    }
    /// A device copy of host data.
    template <class T>
    device_array<T> upload(std::vector<T> const& host) {
        auto a = allocate<T>(host.size());
        memory_.write(a.address, host.data(), host.size() * sizeof(T));
        return a;
    }
    template <class T>
    void write(device_array<T> to, std::vector<T> const& host) {
        order_.host_copies();
        memory_.write(to.address, host.data(), host.size() * sizeof(T));
    }
    template <class T>
    std::vector<T> download(device_array<T> from) const {
        order_.host_copies();
        std::vector<T> host(from.count);
        memory_.read(host.data(), from.address, from.count * sizeof(T));
        return host;
    }

    /// Writes to the start of a variable of the module that the next launch finds loaded, as cudaMemcpyToSymbol does.
    /// What does not exist or is too small is refused by that launch.
    template <class T>
    void write_symbol(std::string_view name, std::vector<T> const& host) {
        static_assert(std::is_trivially_copyable_v<T>);
        order_.host_copies();
        auto& to = symbols_.emplace_back(symbol_value{std::string(name), {}}).bytes;
        to.resize(host.size() * sizeof(T));
        if (!to.empty()) std::memcpy(to.data(), host.data(), to.size());
    }

    // ---- streams, as CUDA has them (program/stream_order.hpp). What the host copies with the members above waits for
    // the kernels launched before, as cudaMemcpy does; new arrays do not.

    device_stream create_stream() { return {++streams_}; }
    /// One for which the default stream does not wait, nor it for the default stream.
    device_stream create_non_blocking_stream() {
        auto const s = create_stream();
        order_.do_not_block(s.number);
        return s;
    }
    device_event record(device_stream s) { return {order_.record(s.number)}; }
    void wait(device_stream s, device_event const& e) { order_.wait(s.number, e.done); }
    /// The host waits.
    void synchronize(device_event const& e) { order_.host_waits(e.done); }
    void synchronize(device_stream s) { synchronize(record(s)); }
    void synchronize() { order_.host_waits(); }

    /// Runs a kernel to its end. Arguments are passed as given: a device_array as its 64-bit address, scalars by their
    /// own type (write 1u or std::uint32_t{n} where the kernel takes an unsigned int).
    template <class... A>
    void launch(std::string_view kernel, dim3 grid, dim3 block, std::uint32_t dynamic_shared_bytes,
                A const&... a) {
        launch(device_stream{}, kernel, grid, block, dynamic_shared_bytes, a...);
    }
    /// The same in a stream. What it computes is there when this returns; a machine of which core.kernels allows it
    /// times it beside kernels of other streams.
    template <class... A>
    void launch(device_stream s, std::string_view kernel, dim3 grid, dim3 block,
                std::uint32_t dynamic_shared_bytes, A const&... a) {
        launch_request request{std::string(kernel), grid, block, dynamic_shared_bytes, {}};
        (append(request.arguments, a), ...);
        request.place.stream = s.number;
        launch(std::move(request));
    }
    /// The same, all in one.
    void launch(launch_request request) {
        request.symbols.insert(request.symbols.begin(), symbols_.begin(), symbols_.end());
        symbols_.clear();
        request.place.after = order_.launch(request.place.stream);
        run_(memory_, request);
    }

private:
    template <class T>
    static void append(std::vector<std::byte>& to, device_array<T> const& a) {
        append(to, a.address);
    }
    template <class T>
    static void append(std::vector<std::byte>& to, T const& x) {
        static_assert(std::is_trivially_copyable_v<T>);
        auto const at = (to.size() + alignof(T) - 1) / alignof(T) * alignof(T);
        to.resize(at + sizeof(T));
        std::memcpy(to.data() + at, &x, sizeof(T));
    }

    launcher run_;
    device_memory memory_;
    std::vector<symbol_value> symbols_; ///< for the next launch
    mutable stream_order order_;        ///< who looks at the memory waits
    std::uint32_t streams_ = 0;         ///< created
};

} // namespace warpkit
