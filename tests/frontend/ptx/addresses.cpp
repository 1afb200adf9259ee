// Lane addresses at the edges: one lane far outside beside lanes that are good, sums that wrap, addresses wider than
// their space. Every lane is judged by itself, whatever its neighbours do.
#include <warpkit/base/error.hpp>

#include "harness.hpp"

#include <catch.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace ptx_test;
using warpkit::device_memory;

namespace {

// Lanes 0 to 30 hold %out + 16 * lane in %rd1, lane 31 holds `wild`.
std::string beside(std::string const& wild, std::string const& access) {
    return "mul.wide.u32 %rd0, %r31, 16;\nadd.s64 %rd1, %out, %rd0;\nsetp.eq.u32 %p0, %r31, 31;\n@%p0 "
           "mov.u64 %rd1, " +
           wild + ";\n" + access;
}

// One access of every kind that computes addresses.
struct kind {
    char const* text;
    unsigned bytes;
};
kind const kinds[] = {{"ld.global.u8 %r1, [%rd1];\n", 1},
                      {"ld.global.u32 %r1, [%rd1];\n", 4},
                      {"ld.global.nc.u64 %rd2, [%rd1];\n", 8},
                      {"ld.global.v2.u32 {%r1, %r2}, [%rd1];\n", 8},
                      {"ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n", 16},
                      {"ld.u32 %r1, [%rd1];\n", 4},
                      {"ld.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];\n", 16},
                      {"st.global.u32 [%rd1], %r31;\n", 4},
                      {"st.global.v4.u32 [%rd1], {%r31, %r31, %r31, %r31};\n", 16},
                      {"st.u64 [%rd1], %rd0;\n", 8},
                      {"atom.global.add.u32 %r1, [%rd1], 1;\n", 4},
                      {"atom.global.cas.b64 %rd2, [%rd1], 1, 2;\n", 8},
                      {"atom.add.u32 %r1, [%rd1], 1;\n", 4},
                      {"red.global.add.f32 [%rd1], 0f3F800000;\n", 4}};

std::string lane_31(unsigned bytes) {
    return "thread (31,0,0), " + std::to_string(bytes) + " bytes at address 0x";
}

// Variables take up room once an instruction names them.
std::string const tile = ".shared .align 16 .b8 tile[256];\n";
std::string const in_tile = "st.shared.u32 [tile], 0;\n";
std::string const bank = ".const .align 16 .b8 bank[128];\n";
std::string const in_mine = ".local .align 16 .b8 mine[128];\nst.local.u32 [mine], 0;\n";

} // namespace

TEST_CASE("A lane one element below null faults, whatever the other lanes do", "[ptx][addresses]") {
    for (auto const& k : kinds) {
        auto const below_null = std::to_string(0 - std::uint64_t{k.bytes});
        INFO(k.text << "beside a buffer");
        CHECK_THAT(run_error(beside(below_null, k.text)),
                   Catch::Contains(lane_31(k.bytes) + "ffffffffffffff"));
        INFO("and alone");
        CHECK_THAT(run_error("mov.u64 %rd1, " + below_null + ";\n" + k.text),
                   Catch::Contains("thread (0,0,0), " + std::to_string(k.bytes) + " bytes at address 0x"));
    }
}

TEST_CASE("Nor does any other address far outside reach memory", "[ptx][addresses]") {
    for (std::uint64_t const wild :
         {std::uint64_t{0}, std::uint64_t{16}, device_memory::base - 16,
          device_memory::base + (std::uint64_t{1} << 32), std::uint64_t{1} << 55,
          (std::uint64_t{1} << 56) - 16, std::uint64_t{1} << 63, 0 - (std::uint64_t{1} << 40),
          0 - device_memory::base, std::uint64_t{5} << 56})
        for (auto const& k : kinds) {
            INFO(k.text << std::hex << wild);
            CHECK_THAT(run_error(beside(std::to_string(wild), k.text)), Catch::Contains(lane_31(k.bytes)));
        }
}

TEST_CASE("Lanes that march downwards past the begin of a space fault there", "[ptx][addresses]") {
    // Lane l at 64 - 4 l, or with %out in front: lane 17 is the first below.
    auto const down = [](std::string const& from, std::string const& access) {
        return "mul.wide.u32 %rd0, %r31, 4;\nsub.s64 %rd0, 64, %rd0;\nadd.s64 %rd1, %rd0, " + from + ";\n" +
               access;
    };
    CHECK_THAT(run_error(down("%out", "ld.global.u32 %r1, [%rd1];\n")),
               Catch::Contains("thread (17,0,0), 4 bytes"));
    CHECK_THAT(run_error(in_tile + down("0", "ld.shared.u32 %r1, [%rd1];\n"), 32, 1000, 64, tile),
               Catch::Contains("thread (17,0,0), 4 bytes"));
    CHECK_THAT(run_error(in_mine + down("0", "ld.local.u32 %r1, [%rd1];\n")),
               Catch::Contains("thread (17,0,0), 4 bytes"));
    CHECK_THAT(run_error(in_mine + down("0", "st.local.u32 [%rd1], 7;\n")),
               Catch::Contains("thread (17,0,0), 4 bytes"));
    CHECK_THAT(run_error(down("0", "ld.const.u32 %r1, [%rd1];\n"), 32, 1000, 64, bank),
               Catch::Contains("thread (17,0,0), 4 bytes"));
    // Far enough apart to come round the whole address space.
    CHECK_THAT(run_error("mul.wide.u32 %rd0, %r31, 4;\nshl.b64 %rd0, %rd0, 48;\nsub.s64 %rd1, %out, %rd0;\n"
                         "ld.global.u32 %r1, [%rd1];\n"),
               Catch::Contains("thread (1,0,0), 4 bytes"));
}

TEST_CASE("The first and the last word of the address space are not one range", "[ptx][addresses]") {
    // Lane 31 one element below the begin, the others at it: together they span 2^64 bytes, which is 0.
    auto const apart = [](std::string const& access) {
        return "mov.u64 %rd1, 0;\nsetp.eq.u32 %p0, %r31, 31;\n@%p0 mov.u64 %rd1, -4;\n" + access;
    };
    CHECK_THAT(run_error(in_tile + apart("ld.shared.u32 %r1, [%rd1];\n"), 32, 1000, 64, tile),
               Catch::Contains("thread (31,0,0), 4 bytes"));
    CHECK_THAT(run_error(in_tile + apart("atom.shared.add.u32 %r1, [%rd1], 1;\n"), 32, 1000, 64, tile),
               Catch::Contains("thread (31,0,0), 4 bytes"));
    CHECK_THAT(run_error(apart("ld.const.u32 %r1, [%rd1];\n"), 32, 1000, 64, bank),
               Catch::Contains("thread (31,0,0), 4 bytes"));
    CHECK_THAT(run_error(in_mine + apart("ld.local.u32 %r1, [%rd1];\n")),
               Catch::Contains("thread (31,0,0), 4 bytes"));
}

TEST_CASE("Shared and local addresses are 32 bits wide: sums wrap", "[ptx][addresses]") {
    // Each lane stores its number at 4 l, then loads it by a base 124 below.
    std::string const stored = in_tile + "shl.b32 %r1, %r31, 2;\nst.shared.u32 [%r1], %r31;\n";
    std::string const written =
        "\nmul.wide.u32 %rd9, %r31, 4;\nadd.s64 %rd9, %rd9, %out;\nst.global.u32 [%rd9], %r5;\n";
    std::vector<std::uint32_t> lane(32);
    for (std::uint32_t l = 0; l < 32; ++l) lane[l] = l;

    INFO("a 32-bit register");
    CHECK(run<std::uint32_t>(stored + "sub.u32 %r4, %r1, 124;\nld.shared.u32 %r5, [%r4+124];" + written, 32,
                             32, tile) == lane);
    INFO("the same, zero-extended to 64 bits");
    CHECK(run<std::uint32_t>(
              stored + "sub.u32 %r4, %r1, 124;\ncvt.u64.u32 %rd4, %r4;\nld.shared.u32 %r5, [%rd4+124];" +
                  written,
              32, 32, tile) == lane);
    INFO("some lanes below, some above");
    CHECK(
        run<std::uint32_t>(
            stored + "sub.u32 %r4, %r1, 64;\ncvt.u64.u32 %rd4, %r4;\nld.shared.u32 %r5, [%rd4+64];" + written,
            32, 32, tile) == lane);
    INFO("a store and an atomic by 64-bit registers");
    CHECK(run<std::uint32_t>(in_tile +
                                 "shl.b32 %r1, %r31, 2;\nsub.u32 %r4, %r1, 64;\ncvt.u64.u32 %rd4, %r4;\n"
                                 "st.shared.u32 [%rd4+64], 0;\natom.shared.add.u32 %r6, [%rd4+64], %r31;\n"
                                 "ld.shared.u32 %r5, [%r1];" +
                                 written,
                             32, 32, tile) == lane);
    INFO("vectors");
    CHECK(run<std::uint32_t>(in_tile +
                                 "shl.b32 %r1, %r31, 3;\nsub.u32 %r4, %r1, 128;\ncvt.u64.u32 %rd4, %r4;\n"
                                 "st.shared.v2.u32 [%rd4+128], {%r31, %r31};\nld.shared.u32 %r5, [%r1+4];" +
                                 written,
                             32, 32, tile) == lane);
    INFO("local memory");
    CHECK(run<std::uint32_t>(in_mine +
                                 "shl.b32 %r1, %r31, 2;\n"
                                 "st.local.u32 [%r1], %r31;\nsub.u32 %r4, %r1, 124;\ncvt.u64.u32 %rd4, %r4;\n"
                                 "ld.local.u32 %r5, [%rd4+124];" +
                                 written,
                             32, 32) == lane);
    INFO("what is outside stays outside");
    CHECK_THAT(run_error(in_tile + "mov.u64 %rd4, 4294967168;\nld.shared.u32 %r5, [%rd4+124];\n", 32, 1000,
                         64, tile),
               Catch::Contains("out-of-range access"));
    INFO("where the stream says that the words are");
    {
        machine m(module_of(
            kernel_of(in_tile + "shl.b32 %r1, %r31, 2;\nsub.u32 %r4, %r1, 64;\ncvt.u64.u32 %rd4, %r4;\n"
                                "st.shared.u32 [%rd4+64], 0;\n",
                      tile)));
        auto const out = m.upload(std::vector<std::uint32_t>(1));
        m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}));
        warpkit::lane_addresses last{};
        auto const& s = m.streams()[0].warps[0];
        for (warpkit::stream_cursor c(s); !c.done();) {
            auto const& i = m.program().instructions[c.instruction()];
            if (i.kind == warpkit::op_class::store)
                CHECK(c.addresses_in(s, warpkit::memory_space::shared, last) == warpkit::all_lanes);
            c.advance(s, i);
        }
        for (unsigned l = 0; l < 32; ++l) CHECK(last[l] == 4 * l);
    }
}

// Random lanes at the edges of everything against what each lane alone would do.
TEST_CASE("A warp's access faults exactly if one of its lanes would", "[ptx][addresses]") {
    std::mt19937_64 random(20);
    // The lanes' addresses stand in `list`, %rd1 is this lane's; the access must not change anything.
    machine m(module_of(
        ".global .align 8 .b8 list[256];\n.shared .align 16 .b8 tile[128];\n"
        ".const .align 16 .b8 bank[128];\n" +
        [] {
            std::string all;
            for (auto const* space : {"global", "shared", "const", "local"})
                for (auto const* width : {"8", "32", "64"})
                    all += std::string(".visible .entry ") + space + width +
                           "()\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<8>;\n"
                           ".local .align 16 .b8 mine[128];\nst.local.u32 [mine], 0;\n"
                           "ld.shared.u8 %r2, [tile];\nmov.u32 %r1, %tid.x;\n"
                           "mul.wide.u32 %rd1, %r1, 8;\nmov.u64 %rd2, list;\nadd.s64 %rd1, %rd1, %rd2;\n"
                           "ld.global.u64 %rd1, [%rd1];\nld." +
                           space + ".b" + width + (std::string(width) == "64" ? " %rd3" : " %r3") +
                           ", [%rd1];\nret;\n}\n";
            return all;
        }()));
    auto const buffer = m.memory().allocate(128);
    unsigned faults = 0;
    unsigned good = 0;
    for (unsigned round = 0; round < 600; ++round) {
        auto const space = std::vector<std::string>{"global", "shared", "const", "local"}[random() % 4];
        auto const bytes = std::vector<std::uint64_t>{1, 4, 8}[random() % 3];
        auto const begin = space == "global" ? buffer : 0;
        std::uint64_t edges[] = {begin,
                                 begin + 128 - bytes,
                                 begin + 128,
                                 begin - bytes,
                                 0 - bytes,
                                 std::uint64_t{1} << 32,
                                 (std::uint64_t{1} << 32) - bytes,
                                 std::uint64_t{1} << 63,
                                 0};
        std::vector<std::uint64_t> lane(32);
        bool const march = random() % 2 == 0;
        auto const at = begin + random() % 128 / bytes * bytes;
        auto const step = (random() % 9 - 4) * bytes << (random() % 4 == 0 ? random() % 50 : 0);
        for (std::uint64_t l = 0; l < 32; ++l)
            lane[l] = march                 ? at + l * step
                      : random() % 100 == 0 ? edges[random() % std::size(edges)]
                                            : begin + random() % 128 / bytes * bytes;
        bool fits = true;
        for (auto a : lane) {
            // Only global addresses are wider than 32 bits.
            auto const offset = space == "global" ? a - begin : a & 0xffffffff;
            fits = fits && offset < 128 && 128 - offset >= bytes;
        }
        m.write_variable("list", lane.data(), 256);
        std::string said;
        try {
            m.launch(space + std::to_string(8 * bytes), {1, 1, 1}, {32, 1, 1}, {});
        } catch (warpkit::error const& e) {
            said = e.what();
        }
        INFO(round << " " << space << " " << bytes << " " << said);
        REQUIRE(said.empty() == fits);
        (fits ? good : faults) += 1;
    }
    CHECK(faults > 100);
    CHECK(good > 100);
}

TEST_CASE("A launch's shared memory is not cut off at 32 bits", "[ptx][addresses]") {
    machine m(module_of(kernel_of(in_tile, tile)));
    auto const out = m.upload(std::vector<std::uint32_t>(1));
    CHECK_THROWS_WITH(m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}), 0xfffffff0),
                      Catch::Contains("kernel k") && Catch::Contains("4294967536 bytes of shared memory"));
}
