// Any text as a launch file: it is refused by warpkit::error, or its buffers are filled and its outputs written.
#include <warpkit/base/error.hpp>
#include <warpkit/frontend/device.hpp>

#include "launch/launch_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using namespace warpkit;

namespace {
char const* const kernels =
    ".version 6.3\n.target sm_70\n.address_size 64\n"
    ".visible .entry k(.param .u64 x, .param .f32 a, .param .align 4 .b8 s[12]) { ret; }\n"
    ".visible .entry none() { ret; }\n";
}

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    try {
        launch_file const file({reinterpret_cast<char const*>(data), size}, "fuzz.json",
                               [](std::string const& name, std::size_t most) {
                                   if (name == "k.ptx") return std::string(kernels);
                                   if (most > 4096) throw error("too long");
                                   return std::string(most, 'x');
                               });
        device d([](device_memory&, launch_request const&) {});
        static_cast<void>(file.run(d, [](std::string const&, std::string_view) {}));
    } catch (error const&) {}
    return 0;
}
