// Raw traces, in the order of the GPU that ran them: grouped, they read as the grouped file does.

#include <warpkit/frontend/accelsim/trace.hpp>
#include <warpkit/frontend/accelsim/trace_program.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace warpkit;

namespace {

std::string header(unsigned version, char const* grid, char const* block) {
    return std::string("-kernel name = k\n-kernel id = 1\n-grid dim = (") + grid + ")\n-block dim = (" +
           block + ")\n-shmem = 0\n-nregs = 8\n-binary version = 70\n-cuda stream id = 0\n" +
           "-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f1000000000\n" +
           "-nvbit version = 1.5.5\n-accelsim tracer version = " + std::to_string(version) +
           "\n\n#traces format = PC mask ...\n\n";
}

/// Blocks of a grid of 3 x 2 with 2 warps each, at random; as the grouped file, and its lines with their places.
struct both_forms {
    std::string grouped;
    std::vector<std::pair<std::string, std::string>> lines; ///< "x y z warp ", and the rest
};
both_forms random_trace(std::mt19937& random, unsigned version) {
    both_forms t;
    t.grouped = header(version, "3,2,1", "64,1,1");
    for (unsigned cta = 0; cta < 6; ++cta) {
        auto const x = std::to_string(cta % 3);
        auto const y = std::to_string(cta / 3);
        t.grouped += "#BEGIN_TB\n\nthread block = " + x + ',' + y + ",0\n";
        for (unsigned w = 0; w < 2; ++w) {
            auto const n = static_cast<unsigned>(random() % 9) + (w == 0 ? 1U : 0U);
            t.grouped += "\nwarp = " + std::to_string(w) + "\ninsts = " + std::to_string(n) + '\n';
            for (unsigned i = 0; i < n; ++i) {
                auto const place = x + ' ' + y + " 0 " + std::to_string(w) + ' ';
                auto const line = random() % 2 == 0
                                      ? "0010 ffffffff 1 R" + std::to_string(random() % 7) + " IADD3 1 R1 0 "
                                      : "0020 0000ffff 1 R8 LDG.E.SYS 1 R2 4 1 0x7f20000" +
                                            std::to_string(10000 + 128 * (random() % 9)) + " 4 ";
                t.grouped += (version < 3 ? place : std::string()) + line + '\n';
                t.lines.emplace_back(place, line);
            }
        }
        t.grouped += "\n#END_TB\n\n";
    }
    return t;
}
/// In an order in which warps take turns at random.
std::string raw_of(both_forms const& t, std::mt19937& random, unsigned version) {
    std::vector<std::vector<std::string>> warps;
    std::vector<std::string> places;
    for (auto const& [place, line] : t.lines) {
        auto const at = std::find(places.begin(), places.end(), place);
        if (at == places.end()) {
            places.push_back(place);
            warps.emplace_back();
        }
        warps[static_cast<std::size_t>(std::find(places.begin(), places.end(), place) - places.begin())]
            .push_back(place + line + '\n');
    }
    auto text = header(version, "3,2,1", "64,1,1");
    std::vector<std::size_t> next(warps.size());
    for (std::size_t left = t.lines.size(); left != 0;) {
        auto const w = random() % warps.size();
        if (next[w] == warps[w].size()) continue;
        text += warps[w][next[w]++];
        --left;
    }
    return text;
}
std::vector<cta_stream> blocks_of(accelsim::trace_kernel& k) {
    std::vector<cta_stream> all(k.launch().ctas());
    for (std::uint64_t cta = 0; cta < all.size(); ++cta) k.read_block(cta, all[cta]);
    return all;
}
std::string error_of(std::string const& text) {
    try {
        accelsim::trace_kernel k(accelsim::source_of("t", text));
        blocks_of(k);
    } catch (error const& e) {
        return e.what();
    }
    return {};
}

} // namespace

TEST_CASE("accelsim: a raw trace reads as the grouped one") {
    std::mt19937 random(1);
    for (unsigned i = 0; i < 40; ++i) {
        auto const version = i % 2 == 0 ? 3U : 2U;
        auto const t = random_trace(random, version);
        accelsim::trace_kernel grouped(accelsim::source_of("g", t.grouped));
        accelsim::trace_kernel raw(accelsim::source_of("r", raw_of(t, random, version)));
        CHECK(raw.instructions() == grouped.instructions());
        CHECK(raw.program().instructions == grouped.program().instructions);
        CHECK(blocks_of(raw) == blocks_of(grouped));
        // Blocks in any order.
        cta_stream one;
        cta_stream other;
        for (auto const cta : {5U, 0U, 3U, 3U}) {
            raw.read_block(cta, one);
            grouped.read_block(cta, other);
            CHECK(one == other);
        }
    }
}

TEST_CASE("accelsim: of a raw trace, no more is kept in memory than may be") {
    std::mt19937 random(2);
    for (auto const most : {0U, 1U, 100U, 1000U}) {
        auto const t = random_trace(random, 3);
        accelsim::trace_kernel expected(accelsim::source_of("g", t.grouped));
        accelsim::trace_kernel kernel(
            accelsim::grouped(accelsim::source_of("r", raw_of(t, random, 3)), expected.header(), most));
        CHECK(blocks_of(kernel) == blocks_of(expected));
    }
}

TEST_CASE("accelsim: what is wrong with a raw trace is told with its own line") {
    auto const h = header(3, "2,1,1", "64,1,1");
    std::string const line = "0000 ffffffff 1 R1 MOV 0 0\n";
    auto const first = std::count(h.begin(), h.end(), '\n') + 1;
    auto const at = [&](std::ptrdiff_t n) { return "t:" + std::to_string(first + n) + ": "; };
    CHECK(error_of(h + "0 0 0 0 " + line + "1 0 0 0 " + line).empty());
    CHECK(error_of(h + "0 0 0 0 " + line + "1 0 0 0 " + line + "0 0 0 1 0010 ffffffff 1 X1 MOV 0 0\n") ==
          at(2) + "expected a register, found 'X1'");
    CHECK(error_of(h + "0 0 0 0 0010 3 1 R1 LDG.E 1 R2 4 1 0xffffffffffffff00 4\n1 0 0 0 " + line) ==
          at(0) + "an address beyond 2^56: 18446744073709551360");
    CHECK(error_of(h + "0 0 0 0 " + line + "1 0 0 1 " + line + "1 0 0 0 " + line +
                   "0 0 0 0 0010 3 1 R1 LDG.E 1 R2 4 1 0xffffffffffffff00 4\n") ==
          at(3) + "an address beyond 2^56: 18446744073709551360");
    CHECK(error_of(h + "0 0 0 0 " + line + "2 0 0 0 " + line) ==
          at(1) + "there is no thread block 2,0,0 in a grid of 2,1,1");
    CHECK(error_of(h + "0 0 0 2 " + line) == at(0) + "there is no warp 2 in a thread block of 2");
    CHECK(error_of(h + "0 0 R1 " + line) ==
          at(0) + "expected x, y, z of the thread block and the warp before the PC");
    CHECK(error_of(h + "0 0 0 0 " + line + "thread block = 0,0,0\n") ==
          at(1) + "expected an instruction with its thread block and warp, found 'thread block = 0,0,0'");
    CHECK(error_of(h + "0 0 0 0 " + line).find("but the grid has 2, numbered from 0") != std::string::npos);
    CHECK(error_of(h + "0 0 0 0 " + line + "#BEGIN_TB\n").find("the grid has 2") != std::string::npos);
    // Neither raw nor grouped.
    CHECK(error_of(h + "thread block = 0,0,0\n") == at(0) + "a thread block without #BEGIN_TB");
}

TEST_CASE("accelsim: headers that contradict themselves, and those of other formats") {
    auto const h = header(3, "1,1,1", "32,1,1");
    std::string const body =
        "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 1\n0 1 0 EXIT 0 0\n#END_TB\n";
    REQUIRE(error_of(h + body).empty());
    for (auto const* const key :
         {"kernel name", "kernel id", "grid dim", "block dim", "shmem", "nregs", "binary version",
          "shmem base_addr", "local mem base_addr", "accelsim tracer version"}) {
        auto const begin = h.find(std::string("-") + key + " =");
        auto const line = h.substr(begin, h.find('\n', begin) + 1 - begin);
        CHECK(error_of(line + h + body).find(std::string("a second '-") + key + "' in the header") !=
              std::string::npos);
    }
    CHECK(error_of("-my key = 1\n-my key = 2\n" + h + body).empty()); // nobody knows what that means
    auto broken = h;
    broken.replace(broken.find("0x00007f1"), 18, "0x7f10 and more");
    CHECK(error_of(broken + body).find("local mem base_addr: expected a hexadecimal number") !=
          std::string::npos);
    CHECK(error_of(h + std::string("\0zstd", 5)).find("Accel-Sim 2.0 (.tracez)") != std::string::npos);
    CHECK(error_of(h.substr(0, h.find('#')) + std::string("\0zstd", 5)).find("Accel-Sim 2.0 (.tracez)") !=
          std::string::npos);
}

TEST_CASE("accelsim: lists of raw traces") {
    auto const list = accelsim::read_kernel_list(
        accelsim::source_of("l", "MemcpyHtoD,0x10,4\nkernel-1.trace\nout/my.trace.xz\n"));
    REQUIRE(list.size() == 3);
    CHECK(list[1].file == "kernel-1.trace");
    CHECK(list[2].file == "out/my.trace.xz");
}
