#pragma once
/// \file
/// Traces in files: plain or compressed, and lists of them.

#include <warpkit/base/error.hpp>
#include <warpkit/base/input_file.hpp>
#include <warpkit/frontend/accelsim/compression.hpp>
#include <warpkit/frontend/accelsim/scratch_file.hpp>
#include <warpkit/frontend/accelsim/text.hpp>
#include <warpkit/frontend/accelsim/tracez.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::accelsim {

namespace detail {

/// What can be read only once, a pipe: its bytes go to a file without a name.
inline std::shared_ptr<scratch_file> spooled(std::string const& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw unreadable(path);
    auto const file = std::make_shared<scratch_file>(path);
    std::vector<char> block(codec_buffer);
    while (in) {
        in.read(block.data(), static_cast<std::streamsize>(block.size()));
        file->append({block.data(), static_cast<std::size_t>(in.gcount())});
    }
    return file;
}

inline bool exists(std::filesystem::path const& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

} // namespace detail

/// A file, decompressed if its first bytes say that it is compressed, a .tracez as the text that it holds. Pipes are
/// copied first, since traces are read twice. Throws `error` when it cannot be read, or if it is compressed and the
/// library was not there.
inline text_source file_source(std::string const& path, std::vector<codec> const& codecs) {
    std::error_code ignored;
    auto const status = std::filesystem::status(path, ignored);
    if (std::filesystem::is_directory(status)) throw unreadable(path, "it is a folder");
    if (std::filesystem::is_character_file(status) || std::filesystem::is_block_file(status))
        throw unreadable(path, "it is a device; name a file or a pipe");
    std::function<byte_stream(std::uint64_t)> open;
    std::uint64_t size = 0;
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        auto const copy = detail::spooled(path);
        size = copy->size();
        open = [copy](std::uint64_t at) -> byte_stream {
            return [copy, at](char* to, std::size_t most) mutable {
                auto const n = copy->read(at, to, most);
                at += n;
                return n;
            };
        };
    } else {
        size = std::filesystem::file_size(path, ignored);
        open = [path](std::uint64_t at) -> byte_stream {
            auto const in = std::make_shared<std::ifstream>(path, std::ios::binary);
            in->seekg(static_cast<std::streamoff>(at));
            if (!*in) throw unreadable(path);
            return [in](char* to, std::size_t most) {
                in->read(to, static_cast<std::streamsize>(most));
                return static_cast<std::size_t>(in->gcount());
            };
        };
    }
    std::string head(tracez_head, '\0');
    head.resize(open(0)(head.data(), head.size()));
    auto const header = tracez_header(head);
    for (auto const& c : codecs) {
        if (!header.empty() && c.name == "zstd")
            return tracez_source(path, open, size, std::string(header), c);
        if (std::string_view(head).substr(0, c.magic.size()) != c.magic) continue;
        if (c.decode == nullptr)
            throw error(path + ": this is " + std::string(c.name) +
                        "-compressed, and the program was built without " + "the library for it; install " +
                        std::string(c.package) + " and build again, or decompress the file");
        return {path, false, [open, decode = c.decode](std::uint64_t) { return decode(open(0)); }};
    }
    return {path, true, open};
}

/// One line of a list.
struct trace_command {
    bool is_copy = false;      ///< from host to device; else a kernel
    std::string file;          ///< of a kernel's trace
    std::uint64_t address = 0; ///< of a copy
    std::uint64_t bytes = 0;
    std::uint64_t line = 0;
};

/// The commands of a kernelslist.g, or of the kernelslist of raw traces. Lines that are neither a copy from the host to
/// the device nor a trace's name are skipped. Throws `error` with file and line.
inline std::vector<trace_command> read_kernel_list(text_source const& list) {
    std::vector<trace_command> all;
    line_reader in(list);
    while (in.next()) {
        word_reader words(in.line());
        words.skip_blanks();
        std::string_view line(words.at(), words.left());
        while (!line.empty() && word_reader::is_blank(line.back())) line.remove_suffix(1);
        trace_command c;
        c.line = in.number();
        if (line.substr(0, 10) == "MemcpyHtoD") {
            std::string text(line.substr(10));
            for (auto& x : text)
                if (x == ',') x = ' ';
            text += '\n';
            word_reader numbers({text.data(), text.size() - 1});
            if (!numbers.hexadecimal(c.address) || !numbers.decimal(c.bytes) || !numbers.done() ||
                c.address >> 56 != 0 || c.bytes > std::uint64_t{1} << 40)
                in.refuse("expected MemcpyHtoD,0xADDRESS,BYTES, found '" + std::string(line.substr(0, 80)) +
                          '\'');
            c.is_copy = true;
        } else if (line.substr(0, 6) == "kernel" || line.find(".trace") != line.npos) {
            c.file = line;
        } else {
            continue;
        }
        all.push_back(std::move(c));
    }
    return all;
}

/// The file of a trace that a list names: as it says, or with the suffix of a codec.
inline std::string trace_path(std::string const& list, std::string const& name,
                              std::vector<codec> const& codecs) {
    auto const path = std::filesystem::path(list).parent_path() / name;
    if (!detail::exists(path))
        for (auto const& c : codecs) {
            auto const other = path.string() + std::string(c.suffix);
            if (detail::exists(other)) return other;
        }
    return path.string();
}

} // namespace warpkit::accelsim
