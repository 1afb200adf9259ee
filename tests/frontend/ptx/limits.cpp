// Kernels that do not end, and what is said of them: how much they may execute, how much is kept, and where they are.
#include <warpkit/base/error.hpp>
#include <warpkit/frontend/ptx/ptx.hpp>

#include "harness.hpp"

#include <catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

using namespace ptx_test;

namespace {

constexpr std::uint64_t megabyte = 1 << 20;

// What running the kernel says, with streams of at most so many bytes.
std::string said(std::string const& text, std::uint64_t stream_bytes, unsigned threads = 64, bool keep = true,
                 std::uint64_t limit = 10'000'000) {
    machine m(text, "spin.ptx");
    auto const out = m.upload(std::vector<std::uint32_t>(4096));
    try {
        m.launch("k", {1, 1, 1}, {threads, 1, 1}, arguments({out}), 0, limit, stream_bytes, keep);
    } catch (warpkit::error const& e) {
        return e.what();
    }
    return {};
}

// Lane by lane other addresses: a list of them each time. The body begins in line 16.
std::string const scattered = "mul.lo.u32 %r1, %r31, %r31;\nshl.b32 %r1, %r1, 2;\nand.b32 %r1, %r1, 4092;\n"
                              "cvt.u64.u32 %rd1, %r1;\nadd.s64 %rd1, %rd1, %out;\n";

} // namespace

TEST_CASE("A loop without end is stopped by the bound of streams", "[ptx][limits]") {
    auto const text = module_of(kernel_of(scattered + "again:\nld.global.u32 %r2, [%rd1];\nbra again;\n"));
    auto const e = said(text, megabyte, 32);
    INFO(e);
    CHECK_THAT(e, Catch::Contains("kernel k: CTA (0,0,0) has not ended"));
    CHECK_THAT(e, Catch::Contains("warp 0 has been between spin.ptx:22 and spin.ptx:23 for its last"));
    CHECK_THAT(e, Catch::Contains("raise execution_limits::stream_bytes, 1048576 bytes"));
    // The instruction limit still holds where it comes first.
    CHECK_THAT(said(text, megabyte, 64, true, 1000), Catch::Contains("after 1000 warp instructions"));
}

TEST_CASE("Of nested loops the one is named that does not end", "[ptx][limits]") {
    // The inner one ends after 8 rounds, over and over; a straight part comes before both.
    auto const e =
        said(module_of(kernel_of(scattered + "outer:\nmov.u32 %r3, 0;\ninner:\nld.global.u32 %r2, [%rd1];\n"
                                             "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p0, %r3, 8;\n"
                                             "@%p0 bra inner;\nbra outer;\n")),
             megabyte);
    INFO(e);
    CHECK_THAT(e, Catch::Contains("between spin.ptx:22 and spin.ptx:28"));
}

TEST_CASE("The warp that runs away is named, not one that ended", "[ptx][limits]") {
    auto const e = said(module_of(kernel_of(scattered + "setp.lt.u32 %p1, %r31, 64;\n@%p1 ret;\nagain:\n"
                                                        "ld.global.u32 %r2, [%rd1];\nbra again;\n")),
                        megabyte, 96);
    INFO(e);
    CHECK_THAT(e, Catch::Contains("warp 2 has been between spin.ptx:24 and spin.ptx:25"));
}

TEST_CASE("What ends within the bound runs as without one", "[ptx][limits]") {
    auto const text = module_of(kernel_of(scattered + "mov.u32 %r3, 0;\nagain:\nld.global.u32 %r2, [%rd1];\n"
                                                      "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p0, %r3, 3000;\n"
                                                      "@%p0 bra again;\n"));
    machine m(text);
    auto const out = m.upload(std::vector<std::uint32_t>(4096));
    m.launch("k", {1, 1, 1}, {64, 1, 1}, arguments({out}));
    std::uint64_t bytes = 0;
    for (auto const& w : m.streams()[0].warps) bytes += w.bytes();
    CHECK(bytes > megabyte); // a list of 32 addresses each round
    CHECK(said(text, bytes).empty());
    CHECK_THAT(said(text, bytes - 1), Catch::Contains("has not ended"));
}

TEST_CASE("Who does not keep streams has no bound of them", "[ptx][limits]") {
    auto const text = module_of(kernel_of(scattered + "mov.u32 %r3, 0;\nagain:\nld.global.u32 %r2, [%rd1];\n"
                                                      "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p0, %r3, 3000;\n"
                                                      "@%p0 bra again;\nst.global.u32 [%out], %r3;\n"));
    machine m(text);
    auto const out = m.upload(std::vector<std::uint32_t>(4096));
    m.launch("k", {1, 1, 1}, {64, 1, 1}, arguments({out}), 0, 100'000, 1000, false);
    CHECK(m.download<std::uint32_t>(out, 1)[0] == 3000);
    CHECK(m.executed() > 2 * 4 * 3000);
    CHECK_THAT(said(module_of(kernel_of("again:\nbra again;\n")), 1000, 32, false, 50'000),
               Catch::Contains("after 50000 warp instructions") && Catch::Contains("spin.ptx:17"));
}

TEST_CASE("Messages name the line of the program's own source where .loc tells it", "[ptx][limits]") {
    std::string const files = "\t.file\t1 \"spin.cu\"\n\t.file 2 \"inc/deep.cuh\", 17, 1234\n";
    std::string const loop =
        scattered + ".loc 1 7 5\nagain:\nld.global.u32 %r2, [%rd1];\n"
                    ".loc 2 40 3, function_name $L__info_string0, inlined_at 1 8 2\nadd.u32 %r3, %r3, %r2;\n"
                    ".loc 1 9 0\nbra again;\n";
    auto const e = said(module_of(files + kernel_of(loop)), megabyte);
    INFO(e);
    CHECK_THAT(e, Catch::Contains("between spin.ptx:25 (spin.cu:7) and spin.ptx:29 (spin.cu:9)"));
    // Every fault does.
    CHECK_THAT(said(module_of(files + kernel_of(".loc 2 12 1\nld.global.u32 %r1, [%rd1];\n")), megabyte),
               Catch::Contains("out-of-range access at spin.ptx:19 (inc/deep.cuh:12): CTA"));
    // There is none in front of the first .loc, behind one of an unknown file, and in the next function.
    CHECK_THAT(said(module_of(files + kernel_of("ld.global.u32 %r1, [%rd1];\n.loc 1 3 1\n")), megabyte),
               Catch::Contains("at spin.ptx:18: CTA"));
    CHECK_THAT(said(module_of(files + kernel_of(".loc 9 3 1\nld.global.u32 %r1, [%rd1];\n")), megabyte),
               Catch::Contains("at spin.ptx:19: CTA"));
    CHECK_THAT(said(module_of(files + ".visible .entry other()\n{\n.loc 1 3 1\nret;\n}\n" +
                              kernel_of("ld.global.u32 %r1, [%rd1];\n")),
                    megabyte),
               Catch::Contains("at spin.ptx:23: CTA"));
    // What is no such line does no harm.
    for (auto const* odd :
         {".loc", ".loc 1", ".loc x y", ".file", ".file 1", ".file 1 name", ".loc 99999999999 1 1"})
        CHECK(said(module_of(files + std::string(odd) + "\n" + kernel_of(std::string(odd) + "\n")), megabyte)
                  .empty());
}

TEST_CASE("Registers of a thread: no more than .maxnreg says, or the bounds of a launch leave",
          "[ptx][limits]") {
    auto const registers = [](std::string const& directive) {
        std::string text = ".visible .entry k(.param .u64 o) " + directive +
                           "\n{\n.reg .b32 %r<20>; .reg .b64 %o;\nld.param.u64 %o, [o];\n";
        for (unsigned i = 0; i < 20; ++i)
            text += "ld.global.u32 %r" + std::to_string(i) + ", [%o+" + std::to_string(4 * i) + "];\n";
        for (unsigned i = 0; i < 20; ++i)
            text += "st.global.u32 [%o+" + std::to_string(4 * i) + "], %r" + std::to_string(i) + ";\n";
        warpkit::device_memory memory;
        warpkit::ptx::loaded_module const module(warpkit::ptx::parse(module_of(text + "ret;\n}\n"), "t.ptx"),
                                                 memory);
        return warpkit::ptx::kernel(module, "k").program().registers_per_thread;
    };
    auto const as_lives = registers(""); // 20 values at once, and the address
    CHECK(as_lives >= 20);
    CHECK(registers(".maxnreg 64") == as_lives);
    CHECK(registers(".maxnreg 16") == 16);
    CHECK(registers(".maxntid 1024, 1, 1 .minnctapersm 2") == as_lives); // 32 of 65,536
    CHECK(registers(".maxntid 32, 32, 1 .minnctapersm 4") == 16);
    CHECK(registers(".reqntid 768 .minnctapersm 4") == 16); // 21, in units of eight
    CHECK(registers(".reqntid 768 .minnctapersm 4 .maxnreg 20") == 20);
    CHECK(registers(".minnctapersm 4") == as_lives);
}
