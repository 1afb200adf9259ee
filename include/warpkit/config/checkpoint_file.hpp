#pragma once
/// \file
/// Checkpoints in a file: there whole or not at all, and read only if they are what was written, of the same run.
///
/// A line that names the format; the length of what follows, and its hash, as three times eight bytes, the lowest
/// first; then what the run is of, and the bytes of its checkpoint (config/checkpoint.hpp).

#include <warpkit/base/error.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/input_file.hpp>
#include <warpkit/machine/state_archive.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

namespace warpkit {

/// What a run is of, each by a name and as text: a version, a machine, a program. All must be the same where it goes
/// on.
using run_identity = std::vector<std::pair<std::string, std::string>>;

namespace detail {
inline constexpr std::string_view checkpoint_magic = "warpkit checkpoint 1\n";

/// 128 bits of hash, and the length.
inline std::string checkpoint_seal(std::string_view content) {
    hasher of[2];
    of[1].add(1);
    for (std::size_t at = 0; at < content.size(); at += 8) {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < 8 && at + i < content.size(); ++i)
            word |= std::uint64_t{static_cast<unsigned char>(content[at + i])} << (8 * i);
        for (auto& h : of) h.add(word);
    }
    std::string seal;
    for (auto const word : {std::uint64_t{content.size()}, of[0].value(), of[1].value()})
        for (unsigned i = 0; i < 8; ++i) seal.push_back(static_cast<char>(word >> (8 * i)));
    return seal;
}
} // namespace detail

/// Writes a checkpoint of this run, in place of what the file has: first beside it, as FILE.part, which then takes its
/// name. Who is killed meanwhile leaves the one that was there. Throws `error` where it cannot be written.
inline std::size_t write_checkpoint(std::string const& file, run_identity of, std::string const& state) {
    state_archive to;
    to(of);
    auto const& head = to.bytes();
    auto const content = head + state;
    auto const part = file + ".part";
    auto const refuse = [&](int why) {
        auto const reason = std::generic_category().message(why);
        std::remove(part.c_str());
        throw error("cannot write the checkpoint " + file + ": " + reason);
    };
    auto* const f = std::fopen(part.c_str(), "wb");
    if (f == nullptr) refuse(errno);
    bool good = true;
    auto const seal = detail::checkpoint_seal(content);
    for (auto const text : {detail::checkpoint_magic, std::string_view(seal), std::string_view(content)})
        good = good && std::fwrite(text.data(), 1, text.size(), f) == text.size();
    good = good && std::fflush(f) == 0;
#if __has_include(<unistd.h>)
    good = good && fsync(fileno(f)) == 0; // before its name says that it is there
#endif
    auto const why = errno;
    if ((std::fclose(f) != 0) | !good) refuse(why);
    if (std::rename(part.c_str(), file.c_str()) != 0) refuse(errno);
    return detail::checkpoint_magic.size() + seal.size() + content.size();
}

/// The state in a checkpoint of this run. Throws `error` for a file that cannot be read, is none, is damaged, or is of
/// another run: then it says what differs.
inline std::string read_checkpoint(std::string const& file, run_identity const& of) {
    auto const text = read_file(file, std::size_t{1} << 36);
    auto const refuse = [&](std::string const& why) {
        throw error("cannot go on from " + file + ": " + why);
    };
    static constexpr std::string_view anew = "; start without --resume, which replaces it";
    auto const& magic = detail::checkpoint_magic;
    if (text.compare(0, magic.size(), magic) != 0)
        refuse(text.compare(0, magic.size() - 3, magic.substr(0, magic.size() - 3)) == 0
                   ? "it is a checkpoint of another format" + std::string(anew)
                   : "it is no checkpoint");
    auto const seal = std::string_view(text).substr(magic.size()).substr(0, 24);
    auto const content = std::string_view(text).substr(magic.size()).substr(seal.size());
    if (seal != detail::checkpoint_seal(content)) refuse("it is damaged, or cut short" + std::string(anew));
    state_archive from(content);
    run_identity was;
    from(was);
    auto const value = [](run_identity const& in, std::string const& name) -> std::string const* {
        for (auto const& [n, v] : in)
            if (n == name) return &v;
        return nullptr;
    };
    auto const shown = [](std::string const* what) {
        return what == nullptr || what->empty() ? "none" : *what;
    };
    auto const compare = [&](run_identity const& names) {
        for (auto const& [name, ignored] : names) {
            auto const *there = value(was, name), *here = value(of, name);
            if (shown(there) != shown(here))
                refuse("it is of another run: " + name + " is " + shown(there) + " there and " + shown(here) +
                       " here; ask for the same" + (name == "version" ? ", with the same build" : "") +
                       anew.data());
        }
    };
    compare(of);
    compare(was);
    return text.substr(text.size() - from.left());
}

} // namespace warpkit
