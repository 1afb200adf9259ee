// wgmma against products that are computed here, with matrices laid out in shared memory as CuTe says.
#include "catch.hpp"
#include "harness.hpp"
#include "matrix_numbers.hpp"
#include "sanitized.hpp"
#include "shared_layouts.hpp"
#include "sparse_codes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace ptx_test;
using Catch::Contains;

namespace {

constexpr unsigned tile_bytes = 131072;

struct group_case {
    bool sparse() const { return selector >= 0; }

    std::string types; ///< D, A, B
    unsigned n;
    bool from_shared = true;
    layout a;
    layout b;
    std::string scale_d = "1";
    std::string behind; ///< of the operands
    std::string words;  ///< of the form
    int sign = 1;
    int selector = -1;   ///< of a sparse product
    bool barrier = true; ///< between stores and product; without one the warps store again behind it, too
};
std::string group_kernel(group_case const& g, unsigned d_registers, unsigned depth) {
    auto const count = std::to_string(d_registers);
    auto text = ".shared .align 1024 .b8 tile[" + std::to_string(tile_bytes) + "];\n" +
                ".visible .entry k(.param .u64 out, .param .u64 in, .param .u64 regs, .param .u64 "
                "data)\n{\n.reg .b64 %x<8>, "
                "%da, %db;\n"
                ".reg .b32 %t<8>, %a<4>;\n.reg .b32 %d<" +
                count + ">;\n.reg .pred %p<2>;\n" + R"(mov.u32 %t0, %tid.x; cvt.u64.u32 %x0, %t0;
ld.param.u64 %x1, [in]; mov.u32 %t1, tile;
mad.lo.u64 %x1, %x0, 16, %x1; mad.lo.u32 %t1, %t0, 16, %t1;
mov.u32 %t2, 0;
FILL:
ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%x1];
st.shared.v4.b32 [%t1], {%a0, %a1, %a2, %a3};
add.u64 %x1, %x1, 2048; add.u32 %t1, %t1, 2048; add.u32 %t2, %t2, 2048;
setp.lt.u32 %p0, %t2, )" +
                std::to_string(tile_bytes) + R"(;
@%p0 bra FILL;
)" + std::string(g.barrier ? "bar.sync 0;\n" : "") +
                R"(setp.eq.u32 %p0, %t0, %t0;
ld.param.u64 %x3, [regs]; mad.lo.u64 %x3, %x0, 16, %x3;
ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%x3];
ld.param.u64 %x4, [data]; mad.lo.u64 %x4, %x0, 4, %x4;
ld.global.b32 %t7, [%x4];
)";
    text += "ld.param.u64 %x2, [out]; mad.lo.u64 %x2, %x0, " + std::to_string(4 * d_registers) + ", %x2;\n";
    for (unsigned r = 0; r < d_registers; ++r)
        text += "ld.global.b32 %d" + std::to_string(r) + ", [%x2+" + std::to_string(4 * r) + "];\n";
    text += "mov.b64 %da, " + std::to_string(g.a.descriptor()) + "; mov.b64 %db, " +
            std::to_string(g.b.descriptor()) + ";\nwgmma.fence.sync.aligned;\nwgmma.mma_async" +
            (g.sparse() ? ".sp" : "") + ".sync.aligned.m64n" + std::to_string(g.n) + "k" +
            std::to_string(depth) + "." + g.types + g.words + " {";
    for (unsigned r = 0; r < d_registers; ++r) text += (r == 0 ? "%d" : ", %d") + std::to_string(r);
    text += g.from_shared ? "}, %da, %db, " : "}, {%a0, %a1, %a2, %a3}, %db, ";
    if (g.sparse()) text += "%t7, " + std::to_string(g.selector) + ", ";
    text += g.scale_d + g.behind + ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
    if (!g.barrier) // what the product has read is no longer needed
        text += R"(mov.u32 %t1, tile; mad.lo.u32 %t1, %t0, 16, %t1; mov.u32 %t2, 0;
CLEAR:
st.shared.v4.b32 [%t1], {%t2, %t2, %t2, %t2};
add.u32 %t1, %t1, 2048; add.u32 %t2, %t2, 2048;
setp.lt.u32 %p1, %t2, )" +
                std::to_string(tile_bytes) + ";\n@%p1 bra CLEAR;\n";
    for (unsigned r = 0; r < d_registers; ++r)
        text += "st.global.b32 [%x2+" + std::to_string(4 * r) + "], %d" + std::to_string(r) + ";\n";
    return module_of(text + "ret;\n}\n");
}

void check_group(group_case const& g, bool small) {
    auto const names = names_of(g.types);
    CAPTURE(g.types, g.n, g.from_shared, g.a.pieces, g.a.by_rows, g.b.pieces, g.b.by_rows, g.scale_d,
            g.behind, small);
    auto const& fd = format_of(names[0]);
    auto const& fa = format_of(names[1]);
    auto const& fb = format_of(names[2]);
    unsigned const held = 256 / fa.bits; // of a row of A
    unsigned const depth = g.sparse() ? 2 * held : held;
    std::mt19937_64 random(g.n * 8 + g.a.pieces);
    auto a = random_matrix(random, 64, held, fa, small);   // what is held
    std::vector<unsigned> lies_in(std::size_t{64} * held); // the column
    for (unsigned i = 0; i < lies_in.size(); ++i) lies_in[i] = i % held;
    std::vector<std::uint32_t> data(128);
    if (g.sparse()) {
        sparse_form const f{depth, "", fa.bits == 32 ? 2U : 4U, 1, fa.bits >= 16 ? 2U : 1U};
        for (unsigned warp = 0; warp < 4; ++warp) {
            auto const s = random_sparse(random, f, fa, small, true);
            auto const words =
                metadata_words(random, f, fa.bits, s.nibble, static_cast<unsigned>(g.selector));
            std::copy(words.begin(), words.end(), data.begin() + 32 * warp);
            for (unsigned row = 0; row < 16; ++row)
                for (unsigned i = 0, k = 0; k < depth; ++k)
                    if (s.stored[row * depth + k] != 0) {
                        a(16 * warp + row, i) = s.packed(row, i);
                        lies_in[(16 * warp + row) * held + i++] = k;
                    }
        }
    }
    auto const b = random_matrix(random, depth, g.n, fb, small);
    auto const c = random_matrix(random, 64, g.n, fd, small);
    std::vector<std::uint8_t> tile(tile_bytes, 0xa5);
    auto const bytes = fa.bits / 8;
    for (unsigned i = 0; i < held && g.from_shared; ++i)
        for (unsigned r = 0; r < 64; ++r) std::memcpy(&tile.at(g.a.at(r, i)), &a.at[r * held + i], bytes);
    for (unsigned i = 0; i < depth; ++i) {
        for (unsigned n = 0; n < g.n; ++n) std::memcpy(&tile.at(g.b.at(n, i)), &b.at[i * g.n + n], bytes);
    }
    unsigned const in = 32 / fd.bits;
    unsigned const d_registers = g.n / 2 / in;
    std::vector<std::uint32_t> sums(std::size_t{128} * d_registers);
    std::vector<std::uint32_t> registers(512);
    auto const place = [&](unsigned thread, unsigned i) {
        return std::pair<unsigned, unsigned>(thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8,
                                             i / 4 * 8 + thread % 4 * 2 + i % 2);
    };
    unsigned const per = 32 / fa.bits;
    for (unsigned thread = 0; thread < 128; ++thread) {
        for (unsigned i = 0; i < g.n / 2; ++i) {
            auto const [row, column] = place(thread, i);
            sums[thread * d_registers + i / in] |=
                static_cast<std::uint32_t>(c(row, column) << (i % in * fd.bits));
        }
        for (unsigned r = 0; r < 4; ++r)
            for (unsigned e = 0; e < per; ++e)
                registers[thread * 4 + r] |= static_cast<std::uint32_t>(
                    a(thread / 32 * 16 + thread % 32 / 4 + r % 2 * 8, thread % 4 * per + e + r / 2 * 4 * per)
                    << (e * fa.bits));
    }
    machine m(group_kernel(g, d_registers, depth), "group.ptx");
    auto const out = m.upload(sums);
    m.launch("k", {1, 1, 1}, {128, 1, 1},
             arguments({out, m.upload(tile), m.upload(registers), m.upload(data)}));
    auto const got = m.download<std::uint32_t>(out, sums.size());
    bool const adds = g.scale_d != "0" && g.scale_d != "!%p0";
    unsigned wrong = 0;
    for (unsigned thread = 0; thread < 128; ++thread)
        for (unsigned i = 0; i < g.n / 2; ++i) {
            auto const [row, column] = place(thread, i);
            bits wanted = 0;
            if (fa.fraction == 0) {
                auto sum = adds ? static_cast<std::int64_t>(value_of(fd, c(row, column))) : 0;
                for (unsigned k = 0; k < held; ++k)
                    sum += static_cast<std::int64_t>(value_of(fa, a(row, k)) *
                                                     value_of(fb, b(lies_in[row * held + k], column)));
                if (!g.words.empty()) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
                wanted = static_cast<std::uint32_t>(sum);
            } else {
                auto sum = adds ? static_cast<double>(value_of(fd, c(row, column))) : 0;
                for (unsigned k = 0; k < held; ++k)
                    sum += g.sign * static_cast<double>(value_of(fa, a(row, k))) *
                           static_cast<double>(value_of(fb, b(lies_in[row * held + k], column)));
                wanted = narrowed(sum, fd);
            }
            auto const have =
                got[thread * d_registers + i / in] >> (i % in * fd.bits) & ((bits{1} << fd.bits) - 1);
            wrong += have == wanted ? 0 : 1;
        }
    CHECK(wrong == 0);
}

group_case case_of(std::string const& types, unsigned n, unsigned pieces, bool a_rows, bool b_rows,
                   bool wide) {
    auto const bytes = format_of(names_of(types)[1]).bits / 8;
    group_case g;
    g.types = types;
    g.n = n;
    g.a = layout_of(pieces, a_rows, 64, bytes, 1024, wide);
    g.b = layout_of(pieces, b_rows, n, bytes, 32768, wide);
    return g;
}
} // namespace

TEST_CASE("wgmma: all types and shapes, from shared memory and from registers", "[ptx][matrices]") {
    unsigned turn = 0;
    for (std::string const types :
         {"f32.f16.f16", "f16.f16.f16", "f32.bf16.bf16", "f32.tf32.tf32", "f32.e4m3.e5m2", "f16.e5m2.e4m3",
          "f32.e4m3.e4m3", "s32.s8.u8", "s32.u8.s8", "s32.s8.s8"}) {
        bool const halves = types.find("f16.") != std::string::npos && types.find(".e") == std::string::npos;
        bool const integers = types[0] == 's';
        for (unsigned const n : {8U, 16U, 24U, 48U, 128U, 256U})
            for (bool const from_shared : {true, false})
                for (bool const small : {true, false}) {
                    auto g = case_of(types, n,
                                     n == 8    ? 1
                                     : n == 16 ? 2
                                     : n == 24 ? 4
                                               : 8,
                                     true, true, n == 8);
                    g.from_shared = from_shared;
                    g.behind = integers ? "" : halves ? from_shared ? ", 1, 1, 0, 0" : ", 1, 1, 0" : ", 1, 1";
                    if (is_taken(turn++)) check_group(g, small);
                }
    }
}

TEST_CASE("wgmma: layouts in shared memory, by rows and by columns, with every swizzle", "[ptx][matrices]") {
    for (std::string const types : {"f32.f16.f16", "f32.bf16.bf16"})
        for (unsigned const pieces : {1U, 2U, 4U, 8U})
            for (bool const a_rows : {true, false})
                for (bool const b_rows : {true, false})
                    for (bool const wide : {true, false})
                        for (unsigned const n : {8U, 40U, 128U}) {
                            if (n != 40 && (types != "f32.f16.f16" || (n == 128 && a_rows))) continue;
                            auto g = case_of(types, n, pieces, a_rows, b_rows, wide);
                            g.behind =
                                std::string(", 1, 1, ") + (a_rows ? "0" : "1") + (b_rows ? ", 0" : ", 1");
                            check_group(g, false);
                        }
    // The second 32 bytes of rows of 128; and a pattern that begins elsewhere than at a multiple of 1024.
    auto g = case_of("f32.f16.f16", 32, 8, true, true, false);
    g.behind = ", 1, 1, 0, 0";
    g.a.start += 32;
    g.b.start += 64;
    check_group(g, false);
    g = case_of("f32.f16.f16", 32, 8, true, true, false);
    g.behind = ", 1, 1, 0, 0";
    g.a.start += 256;
    g.a.base = 2;
    check_group(g, false);
}

TEST_CASE("wgmma: the warps of a group meet at its fence and where they wait for it", "[ptx][matrices]") {
    auto g = case_of("f32.f16.f16", 64, 8, true, true, false);
    g.behind = ", 1, 1, 0, 0";
    g.barrier = false;
    check_group(g, false);
}

TEST_CASE("wgmma: scales, saturation, sums that begin at zero", "[ptx][matrices]") {
    for (std::string const scale : {"0", "1", "%p0", "!%p0"})
        for (bool const from_shared : {true, false}) {
            auto g = case_of("f32.f16.f16", 16, 2, true, true, false);
            g.scale_d = scale;
            g.from_shared = from_shared;
            g.behind = from_shared ? ", -1, 1, 0, 0" : ", 1, -1, 0";
            g.sign = -1;
            check_group(g, true);
            g.behind = from_shared ? ", -1, -1, 0, 0" : ", -1, -1, 0";
            g.sign = 1;
            check_group(g, true);
        }
    auto g = case_of("s32.s8.s8", 32, 4, true, true, false);
    check_group(g, false);
    g.words = ".satfinite";
    check_group(g, false);
}

TEST_CASE("wgmma.sp: all types, selectors and layouts of B, from shared memory and from registers",
          "[ptx][matrices]") {
    unsigned turn = 0;
    for (std::string const types : {"f32.f16.f16", "f16.f16.f16", "f32.bf16.bf16", "f32.tf32.tf32",
                                    "f32.e4m3.e5m2", "f16.e5m2.e4m3", "s32.s8.u8", "s32.u8.s8"}) {
        auto const bits_of_a = format_of(names_of(types)[1]).bits;
        bool const halves = bits_of_a == 16;
        for (int selector = 0; selector < (bits_of_a >= 16 ? 2 : 1); ++selector)
            for (unsigned const n : {8U, 32U, 256U})
                for (bool const from_shared : {true, false})
                    for (bool const b_rows : {true, false}) {
                        if (!b_rows && !halves) continue;
                        auto g = case_of(types, n, n == 8 ? 1 : n == 32 ? 4 : 8, true, b_rows, n == 8);
                        g.selector = selector;
                        g.b = layout_of(g.b.pieces, b_rows, n, bits_of_a / 8, 32768, n == 8, 64);
                        g.from_shared = from_shared;
                        g.behind = types[0] == 's' ? "" : ", 1, 1";
                        if (halves)
                            g.behind += std::string(from_shared ? ", 0" : "") + (b_rows ? ", 0" : ", 1");
                        if (is_taken(turn++)) check_group(g, n != 32);
                    }
    }
    auto g = case_of("s32.s8.s8", 32, 4, true, true, false);
    g.selector = 0;
    g.b = layout_of(4, true, 32, 1, 32768, false, 64);
    g.words = ".satfinite";
    check_group(g, false);
}

TEST_CASE("wgmma: what does not fit is refused", "[ptx][matrices]") {
    auto const says = [](std::string const& body) { return parse_error(module_of(kernel_of(body))); };
    std::string const f16 = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 ";
    CHECK(says(f16 + "{%f0, %f1, %f2, %f3}, %rd0, %rd1, 1, 1, 1, 0, 0;").empty());
    CHECK(says(f16 + "{%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, %rd1, %p0, 1, -1, 1;").empty());
    CHECK_THAT(says(f16 + "{%f0, %f1, %f2}, %rd0, %rd1, 1, 1, 1, 0, 0;"),
               Contains("a vector of 4 registers of type .f32 in braces") && Contains("of 3"));
    CHECK_THAT(says(f16 + "{%f0, %f1, %f2, %f3}, %rd0, %rd1, 1, 2, 1, 0, 0;"),
               Contains("one of the constants 1,-1"));
    CHECK_THAT(says("wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd0, %rd1, 1, "
                    "1, 1, 0, 0;"),
               Contains("these modifiers do not go together"));
    CHECK_THAT(says("wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r0}, %rd0, %rd1, 1;"),
               Contains("these modifiers do not go together"));
    CHECK_THAT(says("wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16 {%f0}, %rd0, %rd1, 1, 1, 1, 0, 0;"),
               Contains("unknown form") && Contains("known: "));
    std::string const sparse = "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f0, %f1, %f2, %f3}, ";
    CHECK(says(sparse + "%rd0, %rd1, %r0, 1, 1, 1, 1, 0, 0;").empty());
    CHECK_THAT(says(sparse + "%rd0, %rd1, 1, 1, 1, 0, 0;"), Contains("wgmma.mma_async.sp"));
    CHECK_THAT(says("wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd0, %rd1, "
                    "%r0, 0, 1, "
                    "1, 1, 0, 0;"),
               Contains("these modifiers do not go together"));
    auto const runs = [&](std::string const& behind) {
        return run_error(
            ".shared .align 128 .b8 tile[4096];\nmov.u32 %r0, tile; mov.u64 %rd0, 0x1000080000; mov.u64 "
            "%rd1, 0x1000080000; mov.u32 %r0, 0x44444444;\n" +
                sparse + "%rd0, %rd1, %r0, " + behind,
            128);
    };
    CHECK(runs("0, 1, 1, 1, 0, 0;").empty());
    CHECK_THAT(runs("2, 1, 1, 1, 0, 0;"), Contains("expected a sparsity selector below 2, found 2"));
    CHECK_THAT(says("wgmma.wait_group.sync.aligned %r0;"), Contains("an integer constant"));

    auto const fails = [&](std::string const& body, unsigned threads) {
        return run_error(body + f16 + "{%f0, %f1, %f2, %f3}, %rd0, %rd1, 1, 1, 1, 0, 0;", threads, 100000,
                         4096, ".shared .align 128 .b8 tile[2048];\n");
    };
    std::string const both = "mov.u64 %rd0, 0x800010; mov.u64 %rd1, 0x800010;\n";
    CHECK(fails("mov.u32 %r0, tile; mov.u64 %rd0, 0x1000080000; mov.u64 %rd1, 0x1000080000;\n", 128).empty());
    CHECK_THAT(fails(both, 96), Contains("expected a warpgroup of four whole warps"));
    CHECK_THAT(fails("mov.u32 %r0, tile; mov.u64 %rd0, 0x1000080040; mov.u64 %rd1, 0;\n", 128),
               Contains("out-of-range access at t.ptx") && Contains("shared memory"));
    CHECK_THAT(fails("cvt.u64.u32 %rd0, %r31; mov.u64 %rd1, 0;\n", 128),
               Contains("expected one matrix descriptor in all lanes"));
    CHECK_THAT(fails("setp.eq.u32 %p0, %r31, 3; @%p0 exit;\n", 128), Contains("all 32 lanes"));

    machine m(module_of(kernel_of(f16 + "{%f0, %f1, %f2, %f3}, %rd0, %rd1, 1, 1, 1, 0, 0;")), "t.ptx");
    CHECK(m.timed_error("k", {1, 1, 1}, {128, 1, 1}, arguments({0})).empty());
}
