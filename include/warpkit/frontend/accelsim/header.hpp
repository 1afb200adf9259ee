#pragma once
/// \file
/// The header of a kernel's trace.

#include <warpkit/frontend/accelsim/program_lines.hpp>
#include <warpkit/frontend/accelsim/text.hpp>
#include <warpkit/program/stream.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::accelsim {

/// The most that an instruction can name, of any NVIDIA GPU; the one behind reads as zero.
inline constexpr std::uint32_t most_registers = 255;
/// A thread's, as a trace's header can tell them.
inline std::uint32_t registers_in_header(static_program const& p) noexcept {
    return std::clamp(p.registers_per_thread, 1U, most_registers);
}

/// What the lines "-key = value" say. Keys that are not known are skipped (docs/model/traces.md#header).
struct trace_header {
    std::string kernel;   ///< its name, perhaps mangled
    std::uint32_t id = 0; ///< its launch's number, from 1 on; 0 if it has none
    dim3 grid;
    dim3 block;
    std::uint32_t shared_bytes = 0; ///< per CTA
    std::uint32_t registers = 1;    ///< per thread
    std::uint64_t stream = 0;       ///< the handle of the stream it was launched in; 0: the default one
    std::uint32_t binary_version = 0;
    std::uint32_t tracer_version = 0;
    std::uint64_t shared_base = 0; ///< of the windows of generic addresses; 0 if not told
    std::uint64_t local_base = 0;
    bool has_lines = false; ///< each instruction begins with its line in the source

    /// Whether LD, ST, ATOM and RED, generic opcodes, are taken for those of global memory, as Accel-Sim takes them.
    bool is_kepler() const noexcept { return binary_version >= 30 && binary_version < 40; }
    /// Before version 3, each instruction begins with its CTA and warp.
    bool has_places() const noexcept { return tracer_version < 3; }
    /// From version 6 on, Accel-Sim 2.0's, two immediates stand at an instruction's end, then "NoVal", or "Val" and the
    /// values of its registers; and behind the operands of a product of a warpgroup, whether it ends a group.
    bool has_values() const noexcept { return tracer_version >= 6; }
};

/// What to say where a NUL shows that this is not the text it was taken for.
inline constexpr char const* is_version_2 = "this is a trace of Accel-Sim 2.0 (.tracez), whose text "
                                            "accelsim::tracez_source() gives; it can not be compressed "
                                            "once more";

/// Reads the lines up to the first that begins with '#', on which `in` is left standing. Our own lines make `program`.
/// Throws `error` when a line makes no sense, or grid, block, or what residence depends on is missing or impossible.
inline trace_header read_header(line_reader& in, program_lines& program) {
    constexpr std::uint64_t most = 0xffffffff;
    trace_header h;
    bool has_grid = false;
    bool has_block = false;
    bool has_shared = false;
    bool has_registers = false;
    std::vector<std::string> seen;
    constexpr std::array known = {"kernel name",
                                  "kernel id",
                                  "grid dim",
                                  "block dim",
                                  "shmem",
                                  "nregs",
                                  "cuda stream id",
                                  "binary version",
                                  "enable lineinfo",
                                  "shmem base_addr",
                                  "local mem base_addr",
                                  "accelsim tracer version"};
    auto const trimmed = [](std::string_view s) {
        while (!s.empty() && word_reader::is_blank(s.front())) s.remove_prefix(1);
        while (!s.empty() && word_reader::is_blank(s.back())) s.remove_suffix(1);
        return s;
    };
    auto const quoted = [](std::string_view s) { // in steps: GCC 12 warns without reason of a chain
        std::string text("'");
        text += s.substr(0, 40);
        if (s.size() > 40) text += "...";
        return text += '\'';
    };
    bool more = true;
    while ((more = in.next())) {
        auto const line = in.line();
        if (line.find('\0') != line.npos) in.refuse(is_version_2);
        if (line.empty() || line[0] != '-') {
            if (!line.empty() && line[0] == '#') break;
            if (!trimmed(line).empty() && !has_grid)
                in.refuse("expected a trace's header, found " + quoted(line));
            continue;
        }
        if (line.substr(0, program_key.size()) == program_key) {
            program.take(line.substr(program_key.size()), in);
            continue;
        }
        auto const equals = line.find('=');
        if (equals == line.npos) continue;
        auto const key = trimmed(line.substr(1, equals - 1));
        auto const value = line.substr(equals + 1);
        if (std::find(known.begin(), known.end(), key) != known.end()) {
            if (std::find(seen.begin(), seen.end(), key) != seen.end())
                in.refuse("a second '-" + std::string(key) + "' in the header");
            seen.emplace_back(key);
        }
        word_reader words(value);
        auto const decimal = [&](std::uint64_t from, std::uint64_t to) {
            std::uint64_t n = 0;
            if (!words.decimal(n) || n < from || n > to || !words.done())
                in.refuse(std::string(key) + ": expected a number from " + std::to_string(from) + " to " +
                          std::to_string(to) + ", found " + quoted(trimmed(value)));
            return static_cast<std::uint32_t>(n);
        };
        auto const wide_decimal = [&] {
            std::uint64_t n = 0;
            if (!words.decimal(n) || !words.done())
                in.refuse(std::string(key) + ": expected a number, found " + quoted(trimmed(value)));
            return n;
        };
        auto const hexadecimal = [&] {
            std::uint64_t n = 0;
            if (!words.hexadecimal(n) || !words.done())
                in.refuse(std::string(key) + ": expected a hexadecimal number, found " +
                          quoted(trimmed(value)));
            return n;
        };
        auto const extent = [&](dim3 const& limit) {
            std::string text(trimmed(value));
            for (auto& c : text)
                if (c == '(' || c == ')' || c == ',') c = ' ';
            text += '\n';
            word_reader numbers({text.data(), text.size() - 1});
            std::uint64_t x = 0;
            std::uint64_t y = 0;
            std::uint64_t z = 0;
            if (!numbers.decimal(x) || !numbers.decimal(y) || !numbers.decimal(z) || !numbers.done() ||
                x == 0 || y == 0 || z == 0 || x > limit.x || y > limit.y || z > limit.z)
                in.refuse(std::string(key) + ": expected (x,y,z) from (1,1,1) to (" +
                          std::to_string(limit.x) + ',' + std::to_string(limit.y) + ',' +
                          std::to_string(limit.z) + "), found " + quoted(trimmed(value)));
            return dim3{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                        static_cast<std::uint32_t>(z)};
        };
        if (key == "kernel name") {
            h.kernel = trimmed(value);
        } else if (key == "kernel id") {
            h.id = decimal(0, most);
        } else if (key == "grid dim") {
            h.grid = extent({0x7fffffff, 65535, 65535});
            has_grid = true;
        } else if (key == "block dim") {
            h.block = extent({1024, 1024, 64});
            if (h.block.count() > 1024)
                in.refuse("block dim: expected at most 1024 threads, found " +
                          std::to_string(h.block.count()));
            has_block = true;
        } else if (key == "shmem") {
            h.shared_bytes = decimal(0, program_lines::most_shared);
            has_shared = true;
        } else if (key == "nregs") {
            h.registers = decimal(1, most_registers);
            has_registers = true;
        } else if (key == "cuda stream id") {
            h.stream = wide_decimal();
        } else if (key == "binary version") {
            h.binary_version = decimal(0, 999);
        } else if (key == "accelsim tracer version") {
            h.tracer_version = decimal(0, most);
        } else if (key == "enable lineinfo") {
            h.has_lines = decimal(0, most) != 0;
        } else if (key == "shmem base_addr") {
            h.shared_base = hexadecimal();
        } else if (key == "local mem base_addr") {
            h.local_base = hexadecimal();
        }
    }
    if (!more) in.refuse("the file ends in its header, before any thread block");
    if (!has_grid) in.refuse("the header has no '-grid dim = (x,y,z)'");
    if (!has_block) in.refuse("the header has no '-block dim = (x,y,z)'");
    if (!has_shared) in.refuse("the header has no '-shmem = n', bytes of shared memory per thread block");
    if (!has_registers) in.refuse("the header has no '-nregs = n', registers per thread");
    program.finish(in);
    return h;
}

} // namespace warpkit::accelsim
