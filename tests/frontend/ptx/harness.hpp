#pragma once
/// Runs PTX for the tests. Kept apart from the front end's headers, so that only one translation unit compiles those.

#include <warpkit/frontend/device.hpp>
#include <warpkit/frontend/ptx/kernel_call.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/launch_addresses.hpp>
#include <warpkit/program/stream.hpp>

#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptx_test {

using bits = std::uint64_t;

/// A device with one module loaded.
class machine {
public:
    explicit machine(std::string_view text, std::string_view name = "test.ptx");
    ~machine();

    warpkit::device_memory& memory();
    /// Runs all CTAs in order and keeps their streams, unless told not to.
    void launch(std::string_view kernel, warpkit::dim3 grid, warpkit::dim3 block,
                std::vector<std::byte> arguments, std::uint32_t dynamic_shared = 0,
                std::uint64_t limit = 10'000'000, std::uint64_t stream_bytes = std::uint64_t{1} << 29,
                bool keep = true);
    /// CTAs of the clusters of launches from now on.
    void set_cluster(warpkit::dim3 extent);
    /// Launches from now on are cooperative.
    void set_cooperative();
    /// Host threads of launches from now on whose streams are not kept, if more than one.
    void set_threads(unsigned threads);
    /// Host threads that the last such launch had.
    unsigned threads_used() const;
    /// What launches by threads of launches from now on come to, in place of being a fault.
    void set_launch(std::function<std::uint32_t(warpkit::ptx::kernel_call const&)> launch);
    /// What a timed run says of a launch; empty if nothing.
    std::string timed_error(std::string_view kernel, warpkit::dim3 grid, warpkit::dim3 block,
                            std::vector<std::byte> arguments);
    /// What kernels have printed.
    std::string const& printed() const;
    /// Warp instructions of the last launch.
    std::uint64_t executed() const;
    warpkit::static_program const& program() const;
    std::vector<warpkit::cta_stream> const& streams() const;
    std::uint64_t local_bytes() const;
    void write_variable(std::string_view name, void const* from, std::size_t bytes);
    void bind_texture(std::string_view name, warpkit::texture_binding const& t);
    void read_variable(std::string_view name, void* to, std::size_t bytes);

    template <class T>
    warpkit::device_address upload(std::vector<T> const& v) {
        auto const a = memory().allocate(v.size() * sizeof(T));
        memory().write(a, v.data(), v.size() * sizeof(T));
        return a;
    }
    template <class T>
    std::vector<T> download(warpkit::device_address a, std::size_t n) {
        std::vector<T> v(n);
        memory().read(v.data(), a, n * sizeof(T));
        return v;
    }

private:
    struct inside;
    std::unique_ptr<inside> in_;
};

/// One launch as observe() shows it: nothing of it has run yet.
struct observed_launch {
    warpkit::launch_request const& request;
    warpkit::static_program const& program;
    warpkit::address_slices const& slices;
    warpkit::launch_addresses const& addresses;
    std::function<void(std::uint64_t cta, warpkit::cta_stream& out)>
        run_cta; ///< to be called for each, in order
};
/// Runs a host program on a device with this module; `launched` runs the CTAs.
void observe(std::string_view text, std::string_view name, std::function<void(warpkit::device&)> const& host,
             std::function<void(observed_launch const&)> const& launched);

/// Arguments as a struct of 8-byte values.
inline std::vector<std::byte> arguments(std::initializer_list<std::uint64_t> values) {
    std::vector<std::byte> bytes(values.size() * 8);
    std::size_t at = 0;
    for (auto v : values) {
        std::memcpy(bytes.data() + at, &v, 8);
        at += 8;
    }
    return bytes;
}

/// A module around this text.
std::string module_of(std::string const& text);
/// An entry "k" that takes one pointer in %out (a 64-bit register), with registers %r<32> .b32, %rd<32> .b64, %f<32>
/// .f32, %fd<16> .f64, %h<16> .b16, %p<16> .pred, and %tid in %r31.
std::string kernel_of(std::string const& body, std::string const& before = "");

/// What parsing says about a text; empty if nothing.
std::string parse_error(std::string_view text);
/// The same for parsing and preparing the kernel.
std::string lower_error(std::string_view text, std::string_view kernel = "k");
/// The same for running kernel_of(body) with one CTA; `bytes` is the size of the buffer at %out.
std::string run_error(std::string const& body, unsigned threads = 32, std::uint64_t limit = 100000,
                      unsigned bytes = 4096, std::string const& before = "");

/// Runs kernel_of(body), one CTA of `threads` threads, and returns `count` values of T from %out.
template <class T>
std::vector<T> run(std::string const& body, std::size_t count, unsigned threads = 32,
                   std::string const& before = "") {
    machine m(module_of(kernel_of(body, before)));
    auto const out = m.upload(std::vector<T>(count));
    m.launch("k", {1, 1, 1}, {threads, 1, 1}, arguments({out}));
    return m.download<T>(out, count);
}

/// Runs one instruction on many operands. `text` uses %d, %a, %b, %c, %e; the types are those of d and then of the
/// sources ("pred" too). `cases` holds the sources' bits of each case.
std::vector<bits> evaluate(std::string const& text, std::string const& result,
                           std::vector<std::string> const& sources,
                           std::vector<std::vector<bits>> const& cases);

/// The same for many instructions on the same operands: a list of results for each.
std::vector<std::vector<bits>> evaluate_all(std::vector<std::string> const& texts, std::string const& result,
                                            std::vector<std::string> const& sources,
                                            std::vector<std::vector<bits>> const& cases);

/// All combinations of values.
std::vector<std::vector<bits>> combinations(std::vector<std::vector<bits>> const& values);

} // namespace ptx_test
