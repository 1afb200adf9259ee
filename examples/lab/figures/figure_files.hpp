#pragma once
// The declarations within the program, made by CMake (embed.cmake).

#include <string_view>
#include <vector>

namespace lab::figures {

struct figure_file {
    std::string_view name;
    std::string_view text;
};
std::vector<figure_file> const& embedded_figure_files();

} // namespace lab::figures
