// Accel-Sim 2.0's .tracez: what it holds reads as the grouped text of which it was made; what is cut off or changed is
// refused by the file's name.

#include <warpkit/frontend/accelsim/files.hpp>
#include <warpkit/frontend/accelsim/trace.hpp>

#include "catch.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#ifdef WARPKIT_HAS_ZSTD
#include <zstd.h>
#endif

using namespace warpkit;

namespace {

std::string header(char const* binary = "90") {
    return std::string("-kernel name = k\n-kernel id = 1\n-grid dim = (3,2,1)\n-block dim = (64,1,1)\n") +
           "-shmem = 0\n-nregs = 8\n-binary version = " + binary +
           "\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n" +
           "-local mem base_addr = 0x00007f1000000000\n-nvbit version = 1.8\n-accelsim tracer version = 6\n";
}
std::string error_of(accelsim::text_source const& source) {
    try {
        accelsim::trace_kernel kernel(source);
        cta_stream block;
        for (std::uint64_t cta = 0; cta < kernel.launch().ctas(); ++cta) kernel.read_block(cta, block);
    } catch (error const& e) {
        return e.what();
    }
    return {};
}
accelsim::text_source grouped_text(std::string const& body, char const* binary = "90") {
    return accelsim::source_of("t", header(binary) + "#\n" + body);
}
std::string block_of(std::string const& lines, std::size_t n) {
    std::string text;
    for (unsigned cta = 0; cta < 6; ++cta)
        text += "#BEGIN_TB\nthread block = " + std::to_string(cta % 3) + ',' + std::to_string(cta / 3) +
                ",0\nwarp = 0\ninsts = " + std::to_string(n) + '\n' + lines + "#END_TB\n";
    return text;
}
/// The first block's first warp, and the program.
struct one_block {
    explicit one_block(std::string const& lines, char const* binary = "90")
        : kernel(grouped_text(
              block_of(lines, static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'))),
              binary)) {
        kernel.read_block(0, block);
    }
    static_instruction const& at(std::uint32_t index) const {
        return kernel.program().instructions.at(index);
    }
    accelsim::trace_kernel kernel;
    cta_stream block;
};

} // namespace

TEST_CASE("tracez: lines of version 6 end with two immediates and perhaps with what registers held") {
    one_block const b("0000 ffffffff 1 R1 IADD3 1 R2 0 5 0 NoVal\n"
                      "0010 ffffffff 1 R3 LDG.E 2 R4 UR6 4 1 0x7f2000001000 4 0 0 NoVal\n"
                      "0020 0000000f 1 R3 LDG.E 1 R4 4 2 0x7f2000001000 4 4 4 0 0 Val 1 0x7 1 0x9\n"
                      "0030 ffffffff 0 EXIT 0 0 0\n");
    CHECK(b.block.warps[0].size() == 4);
    CHECK(b.at(1).kind == op_class::load);
    CHECK(b.at(1).sources == 3); // an address of two registers, and a uniform one
    CHECK(error_of(grouped_text(block_of("0000 ffffffff 1 R1 IADD3 1 R2 0 5 0 6 7\n", 1)))
              .find("expected two immediates and Val or NoVal") != std::string::npos);
}

TEST_CASE("tracez: a product of a warpgroup says whether it ends a group") {
    one_block const b("0000 ffffffff 1 R8 HGMMA.64x8x16.F32 2 UR4 R8 1 0 0 0 NoVal\n");
    CHECK(b.at(0).kind == op_class::tensor);
    CHECK(error_of(grouped_text(block_of("0000 ffffffff 1 R8 HGMMA.64x8x16.F32 2 UR4 R8\n", 1)))
              .find("expected 0 or 1 behind the operands of HGMMA") != std::string::npos);
}

TEST_CASE("tracez: each kind of register is told from the others, and none is beyond its kind") {
    one_block const b("0000 ffffffff 2 P0 UP0 ISETP 2 R1 UR1 0 0 0 NoVal\n");
    CHECK(b.at(0).destinations == 2);
    CHECK(b.at(0).destination[0] != b.at(0).destination[1]);
    CHECK(b.at(0).source[0] != b.at(0).source[1]);
    // URZ, PT and UPT are nobody's.
    CHECK(one_block("0000 ffffffff 2 P7 UP7 ISETP 1 UR63 0 0 0 NoVal\n").at(0).sources == 0);
    CHECK(one_block("0000 ffffffff 0 ISETP 2 UR63 UR255 0 0 0 NoVal\n", "100").at(0).sources == 1);
    for (auto const* const none : {"UR256", "P8", "UP8", "R65536", "Q1"})
        CHECK(error_of(grouped_text(block_of(std::string("0000 ffffffff 1 ") + none + " ISETP 0 0\n", 1)))
                  .find(std::string("expected a register, found '") + none + '\'') != std::string::npos);
}

TEST_CASE("tracez: what has no time in a trace is refused by its name") {
    CHECK(error_of(grouped_text(block_of("0000 00000001 0 UTMALDG.2D 2 UR8 UR4 16 0x400 0 128 0 3 0\n", 1)))
              .find("UTMALDG.2D: bulk and tensor copies are not timed from traces") != std::string::npos);
    auto clustered = block_of("0000 ffffffff 0 EXIT 0 0 0\n", 1);
    auto const at = clustered.find("warp = 0");
    clustered.insert(at, "cluster id = 0,0,0\ncluster cta = 0,0,0\ncluster rank = 0\n");
    CHECK(error_of(grouped_text(clustered)).empty());
    clustered.replace(clustered.find("rank = 0"), 8, "rank = 1");
    CHECK(error_of(grouped_text(clustered)).find("of a cluster of several") != std::string::npos);
}

#ifdef WARPKIT_HAS_ZSTD
namespace {

void append(std::string& to, std::uint64_t n, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) to += static_cast<char>(n >> (8 * i) & 0xff);
}
std::string frame_of(std::string const& text, std::string const& dictionary) {
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    auto* const context = ZSTD_createCCtx();
    packed.resize(ZSTD_compress_usingDict(context, packed.data(), packed.size(), text.data(), text.size(),
                                          dictionary.data(), dictionary.size(), 3));
    ZSTD_freeCCtx(context);
    return packed;
}

/// Random blocks of two warps, as text and as a .tracez whose blocks come in a random order, each warp in frames of
/// at most three lines.
struct both_forms {
    std::string text;
    std::string packed;
};
both_forms random_trace(std::uint64_t seed, std::string const& dictionary) {
    std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
    both_forms t;
    t.packed = header() + "\n#traces format\n";
    t.text = t.packed;
    t.packed += '\0';
    append(t.packed, dictionary.size(), 4);
    append(t.packed, 3, 4);
    t.packed += dictionary;
    std::vector<std::string> index;
    for (unsigned cta = 0; cta < 6; ++cta) {
        std::string entry;
        for (auto const n : {cta % 3, cta / 3, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 0U, 2U}) append(entry, n, 4);
        t.text +=
            "#BEGIN_TB\nthread block = " + std::to_string(cta % 3) + ',' + std::to_string(cta / 3) + ",0\n";
        for (unsigned w = 0; w < 2; ++w) {
            std::vector<std::string> frames;
            std::vector<unsigned> counts;
            auto const n = static_cast<unsigned>(random() % 9);
            t.text += "warp = " + std::to_string(w) + "\ninsts = " + std::to_string(n) + '\n';
            for (unsigned i = 0; i < n; ++i) {
                if (counts.empty() || counts.back() == 1 + random() % 3)
                    frames.emplace_back(), counts.push_back(0);
                auto const line =
                    random() % 2 == 0
                        ? "0010 ffffffff 1 R" + std::to_string(random() % 7) + " IADD3 1 R1 0 0 0 NoVal"
                        : "0020 0000ffff 1 R8 LDG.E 1 R2 4 1 0x7f20000" +
                              std::to_string(10000 + 128 * (random() % 9)) + " 4 0 0 NoVal";
                t.text += line + '\n';
                frames.back() += line + '\n';
                ++counts.back();
            }
            append(entry, n, 4);
            append(entry, frames.size(), 4);
            append(entry, t.packed.size(), 8);
            append(t.packed, n, 4);
            append(t.packed, frames.size(), 4);
            for (std::size_t k = 0; k < frames.size(); ++k) {
                if (random() % 2 == 0) frames[k].pop_back(); // the end of its last line
                auto const frame = frame_of(frames[k], dictionary);
                append(t.packed, frame.size(), 4);
                t.packed += frame;
                append(entry, counts[k], 4);
            }
        }
        t.text += "#END_TB\n";
        index.push_back(entry);
    }
    std::shuffle(index.begin(), index.end(), random);
    auto const at = t.packed.size();
    append(t.packed, index.size(), 4);
    for (auto const& entry : index) t.packed += entry;
    append(t.packed, at, 8);
    return t;
}
accelsim::text_source source_of(std::string const& packed) {
    auto const all = accelsim::codecs();
    auto const zstd = std::find_if(all.begin(), all.end(), [](auto const& c) { return c.name == "zstd"; });
    return accelsim::tracez_source("t.tracez", accelsim::source_of("t.tracez", packed).open, packed.size(),
                                   std::string(accelsim::tracez_header(packed)), *zstd);
}
std::string error_of_packed(std::string const& packed) {
    try {
        return error_of(source_of(packed));
    } catch (error const& e) {
        return e.what();
    }
}

} // namespace

TEST_CASE("tracez: the text of the file, with a dictionary and without, in any order of its blocks") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        auto const t = random_trace(seed, seed % 2 == 0 ? std::string()
                                                        : std::string(4000, 'x') +
                                                              "0010 ffffffff 1 R1 IADD3 1 R1 0 "
                                                              "0 0 NoVal\n0020 0000ffff 1 R8 LDG.E 1 "
                                                              "R2 4 1 0x7f20000");
        INFO("seed " << seed);
        accelsim::trace_kernel text(accelsim::source_of("t", t.text));
        accelsim::trace_kernel packed(source_of(t.packed));
        REQUIRE(packed.program().instructions == text.program().instructions);
        CHECK(packed.instructions() == text.instructions());
        cta_stream a;
        cta_stream b;
        for (std::uint64_t const cta : {0U, 1U, 2U, 3U, 4U, 5U, 5U, 0U, 3U, 2U}) {
            text.read_block(cta, a);
            packed.read_block(cta, b);
            CHECK(a == b);
        }
    }
}

TEST_CASE("tracez: a file with any byte changed or cut off is refused, or means what stands in it") {
    auto const good = random_trace(7, {}).packed;
    REQUIRE(error_of_packed(good).empty());
    auto const begins = [](std::string const& e) { return e.empty() || e.substr(0, 8) == "t.tracez"; };
    unsigned refused = 0;
    for (std::size_t i = accelsim::tracez_header(good).size() + 1; i < good.size(); ++i) {
        auto bad = good;
        bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ (1U << i % 8));
        auto const e = error_of_packed(bad);
        INFO("byte " << i << ": " << e);
        CHECK(begins(e));
        refused += e.empty() ? 0 : 1;
        auto const cut = error_of_packed(good.substr(0, i));
        INFO(cut);
        CHECK(cut.substr(0, 8) == "t.tracez");
    }
    CHECK(refused > good.size() / 4);
    CHECK(error_of_packed(good.substr(0, good.size() - 9)).find("the place of the index") !=
          std::string::npos);
}

TEST_CASE("tracez: a file of that kind is told by its beginning, whatever its name") {
    auto const t = random_trace(3, {});
    auto const path = std::filesystem::temp_directory_path() / "warpkit-test-kernel-1.any";
    std::ofstream(path, std::ios::binary) << t.packed;
    accelsim::trace_kernel kernel(accelsim::file_source(path.string(), accelsim::codecs()));
    CHECK(kernel.instructions() == accelsim::trace_kernel(accelsim::source_of("t", t.text)).instructions());
    // Without the library it says what to install.
    auto none = accelsim::codecs();
    for (auto& c : none) c.frames = nullptr;
    std::string said;
    try {
        static_cast<void>(accelsim::file_source(path.string(), none));
    } catch (error const& e) {
        said = e.what();
    }
    CHECK(said.find("install libzstd-dev") != std::string::npos);
    std::filesystem::remove(path);
}
#endif
