#pragma once
/// \file
/// How programs read files that they hold whole.

#include <warpkit/base/error.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

namespace warpkit {

namespace detail {
/// Bytes that are read of a device: a terminal gives fewer, /dev/zero has no end.
inline constexpr std::size_t device_most = std::size_t{1} << 24;
} // namespace detail

/// What is said of a file that can not be read.
inline error unreadable(std::string const& name, std::string const& why) {
    return error("cannot read " + (name.size() < 1000 ? name : name.substr(0, 60) + "...") + ": " + why);
}
/// The same, with the reason that the system has just given.
inline error unreadable(std::string const& name) {
    return unreadable(name, std::generic_category().message(errno));
}

/// All of a file, a pipe or a device. Throws `error` when it can not be read, is a folder, or has more than `most`
/// bytes, as /dev/zero has: nothing is read without end.
inline std::string read_file(std::string const& name, std::size_t most = std::size_t{1} << 30) {
    std::error_code ignored;
    if (std::filesystem::is_directory(name, ignored)) throw unreadable(name, "it is a folder");
    if (std::filesystem::is_character_file(name, ignored) && most > detail::device_most)
        most = detail::device_most;
    auto* const file = std::fopen(name.c_str(), "rb");
    if (file == nullptr) throw unreadable(name);
    std::string text;
    char block[65536];
    std::size_t n = 0;
    while (text.size() <= most && (n = std::fread(block, 1, sizeof block, file)) != 0) text.append(block, n);
    bool const failed = std::ferror(file) != 0;
    auto const why = errno;
    std::fclose(file);
    if (failed) throw unreadable(name, std::generic_category().message(why));
    if (text.size() > most) throw unreadable(name, "it has more than " + std::to_string(most) + " bytes");
    return text;
}

} // namespace warpkit
