#pragma once
// The PTX of what programs hand over as their device code: the text itself, or a fat binary of NVIDIA's tools.
#include <warpkit/frontend/ptx/fat_binary.hpp>

#include "session.hpp"

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace warpkit::cuda {

constexpr std::size_t no_end = ~std::size_t{0};

// Of at most so many bytes; a text in memory ends with a 0, a fat binary where it says.
inline std::string embedded_text(char const* data, std::size_t most = no_end) {
    auto const begins = [&](std::string_view magic) {
        return most >= magic.size() && std::strncmp(data, magic.data(), magic.size()) == 0;
    };
    try {
        if (begins("\x7F"
                   "ELF"))
            throw error("machine code alone, which is not simulated: compile with nvcc -ptx, or -fatbin with "
                        "-gencode arch=compute_90,code=compute_90");
        if (!begins(ptx::fat_binary_mark)) return std::string(data, strnlen(data, most));
        if (most == no_end) most = ptx::fat_binary_size(data);
        return ptx::fat_binary_text({data, most});
    } catch (error const& e) {
        throw failure(cudaErrorNoKernelImageForDevice, e.what());
    }
}

} // namespace warpkit::cuda
