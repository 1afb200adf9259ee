// Any text as PTX: it is refused by warpkit::error, or parsed, prepared, and run for a while.
#include <warpkit/frontend/ptx/ptx.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

using namespace warpkit;

namespace {

constexpr std::uint64_t most_bytes =
    1U << 20; // of any memory: an address space per thread takes its time to clear

void run(ptx::loaded_module& m, device_memory& memory, ptx::function const& f) {
    ptx::kernel const kernel(m, f.name);
    static_cast<void>(ptx::slices_of(kernel));
    if (kernel.shared_bytes() > most_bytes || kernel.local_bytes() * 64 > most_bytes ||
        kernel.register_bytes() > most_bytes)
        return;
    // Pointers to a buffer, and small numbers.
    launch_request request{f.name, {2, 1, 1}, {40, 1, 1}, 256, {}};
    request.arguments.resize(kernel.parameter_bytes());
    auto const buffer = memory.allocate(4096);
    for (auto const& p : kernel.parameters()) {
        std::uint64_t const value = p.size == 8 ? buffer : 16;
        std::memcpy(request.arguments.data() + p.offset, &value, p.size < 8 ? p.size : 8);
    }
    ptx::execution_limits limits;
    limits.instructions = 4000;
    limits.time_slice = 100;
    ptx::executor executor(kernel, memory, request, limits);
    cta_stream stream;
    executor.run_cta(1, stream);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    try {
        device_memory memory(most_bytes * 16);
        ptx::loaded_module m(ptx::parse(text, "fuzz.ptx"), memory);
        texture_binding t;
        t.width = 16;
        t.address = memory.allocate(64);
        unsigned runs = 0;
        for (auto const& v : m.source().variables)
            if (v.space == memory_space::texture) m.bind_texture(v.name, t);
        for (auto const& f : m.source().functions) {
            if (!f.is_entry || !f.is_defined || ++runs > 2) continue;
            try {
                run(m, memory, f);
            } catch (error const&) {}
        }
    } catch (error const&) {}
    return 0;
}
