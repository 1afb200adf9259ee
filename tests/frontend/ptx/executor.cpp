#include "catch.hpp"
#include "harness.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

using namespace ptx_test;
using warpkit::memory_space;
using warpkit::op_class;
using warpkit::stream_cursor;

namespace {
// The address of 32-bit element %r31 (the thread) of %out in %rd31.
std::string const element = "mul.wide.u32 %rd31, %r31, 4;\nadd.s64 %rd31, %out, %rd31;\n";

struct step {
    std::uint32_t instruction;
    std::uint32_t mask;
    friend bool operator==(step const&, step const&) = default;
};
std::vector<step> steps(warpkit::warp_stream const& s) {
    std::vector<step> v;
    for (auto const& r : s.runs())
        for (std::uint32_t i = 0; i < r.count; ++i) v.push_back({r.first + i, r.mask});
    return v;
}
} // namespace

// Divergence --------------------------------------------------------------------------------------------------------

TEST_CASE("The two sides of an if run one after the other, the taken side first, and meet",
          "[ptx][divergence]") {
    machine m(module_of(R"(
.entry k(.param .u64 out)
{
.reg .b32 %r<8>; .reg .pred %p<2>;
mov.u32 %r0, %tid.x;
setp.lt.u32 %p0, %r0, 8;
@%p0 bra THEN;
mov.u32 %r1, 1;
bra JOIN;
THEN:
mov.u32 %r1, 2;
JOIN:
mov.u32 %r2, 3;
ret;
}
)"));
    m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({0}));
    CHECK(steps(m.streams()[0].warps[0]) == std::vector<step>{{0, 0xffffffff},
                                                              {1, 0xffffffff},
                                                              {2, 0xff},
                                                              {5, 0xff},
                                                              {3, 0xffffff00},
                                                              {4, 0xffffff00},
                                                              {6, 0xffffffff},
                                                              {7, 0xffffffff}});
    // A warp of which all lanes go one way does not split.
    m.launch("k", {1, 1, 1}, {8, 1, 1}, arguments({0}));
    CHECK(steps(m.streams()[0].warps[0]) ==
          std::vector<step>{{0, 0xff}, {1, 0xff}, {2, 0xff}, {5, 0xff}, {6, 0xff}, {7, 0xff}});
}

TEST_CASE("Loops that lanes leave at different times, nested ifs in them, and early exits",
          "[ptx][divergence]") {
    // Thread t: for i in 0..t: sum += i odd ? 3 : (i % 4 == 0 ? 5 : 7); threads 5 and 21 leave at i == 3 without a
    // store.
    auto const got = run<std::uint32_t>(element + R"(
mov.u32 %r0, 0; mov.u32 %r1, 0;
LOOP:
setp.ge.u32 %p0, %r1, %r31;
@%p0 bra DONE;
and.b32 %r2, %r1, 1;
setp.eq.u32 %p1, %r2, 1;
@%p1 bra ODD;
and.b32 %r2, %r1, 3;
setp.ne.u32 %p2, %r2, 0;
@%p2 bra TWO;
add.u32 %r0, %r0, 5;
bra NEXT;
TWO:
add.u32 %r0, %r0, 7;
bra NEXT;
ODD:
add.u32 %r0, %r0, 3;
rem.u32 %r3, %r31, 16;
setp.eq.u32 %p3, %r3, 5;
setp.eq.and.u32 %p4, %r1, 3, %p3;
@%p4 exit;
NEXT:
add.u32 %r1, %r1, 1;
bra LOOP;
DONE:
st.global.u32 [%rd31], %r0;
)",
                                        64, 64);
    for (std::uint32_t t = 0; t < 64; ++t) {
        std::uint32_t sum = 0;
        for (std::uint32_t i = 0; i < t; ++i) sum += i % 2 == 1 ? 3 : i % 4 == 0 ? 5 : 7;
        INFO(t);
        CHECK(got[t] == (t % 16 == 5 ? 0 : sum));
    }
}

TEST_CASE("Irreducible flow gives each lane its own result", "[ptx][divergence]") {
    auto const got = run<std::uint32_t>(element + R"(
mov.u32 %r0, 0; mov.u32 %r1, %r31;
and.b32 %r2, %r31, 1;
setp.eq.u32 %p0, %r2, 0;
@%p0 bra B;
A:
add.u32 %r0, %r0, 1;
setp.lt.u32 %p1, %r1, 2;
@%p1 bra OUT;
sub.u32 %r1, %r1, 2;
B:
add.u32 %r0, %r0, 100;
setp.lt.u32 %p1, %r1, 3;
@%p1 bra OUT;
sub.u32 %r1, %r1, 3;
bra A;
OUT:
st.global.u32 [%rd31], %r0;
)",
                                        32);
    for (std::uint32_t t = 0; t < 32; ++t) {
        std::uint32_t r = 0;
        for (auto left = t, at = t & 1;; at ^= 1) {
            r += at == 1 ? 1 : 100;
            auto const take = at == 1 ? 2U : 3U;
            if (left < take) break;
            left -= take;
        }
        CHECK(got[t] == r);
    }
}

TEST_CASE("A predicated-off instruction is in the stream with an empty mask", "[ptx][divergence]") {
    machine m(module_of(R"(
.entry k(.param .u64 out)
{
.reg .b32 %r<8>; .reg .b64 %rd<2>; .reg .pred %p<2>;
mov.u32 %r0, %tid.x;
setp.gt.u32 %p0, %r0, 100;
@%p0 st.global.u32 [%rd0], %r0;
@!%p0 mov.u32 %r1, 2;
ret;
}
)"));
    m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({0}));
    CHECK(steps(m.streams()[0].warps[0]) ==
          std::vector<step>{{0, ~0U}, {1, ~0U}, {2, 0}, {3, ~0U}, {4, ~0U}});
    CHECK(m.streams()[0].warps[0].address_data().empty());
}

// Barriers ----------------------------------------------------------------------------------------------------------

TEST_CASE("Warps exchange through shared memory at a barrier; exited warps are not waited for",
          "[ptx][barrier]") {
    // The last warp leaves at once. Each other thread reads its neighbour's value in the next warp, cyclically.
    auto const got = run<std::uint32_t>(element + R"(
setp.ge.u32 %p0, %r31, 96;
@%p0 exit;
mov.u32 %r1, tile;
shl.b32 %r2, %r31, 2;
add.u32 %r2, %r1, %r2;
st.shared.u32 [%r2], %r31;
bar.sync 0;
add.u32 %r3, %r31, 32;
rem.u32 %r3, %r3, 96;
shl.b32 %r3, %r3, 2;
add.u32 %r3, %r1, %r3;
ld.shared.u32 %r4, [%r3];
barrier.sync 0;
st.global.u32 [%rd31], %r4;
)",
                                        128, 128, ".shared .align 4 .b8 tile[512];\n");
    for (std::uint32_t t = 0; t < 128; ++t) CHECK(got[t] == (t < 96 ? (t + 32) % 96 : 0));
}

TEST_CASE("Counted barriers, arrivals and reductions", "[ptx][barrier]") {
    // Warp 0 produces and only arrives; warp 1 waits for it. Warps 2 and 3 never see barrier 1.
    auto const got = run<std::uint32_t>(element + R"(
setp.lt.u32 %p0, %r31, 64;
@!%p0 bra REST;
setp.lt.u32 %p1, %r31, 32;
@%p1 bra PRODUCE;
bar.sync 1, 64;
ld.shared.u32 %r1, [cell];
bra REDUCE;
PRODUCE:
st.shared.u32 [cell], 77;
bar.arrive 1, 64;
mov.u32 %r1, 5;
bra REDUCE;
REST:
mov.u32 %r1, 1;
REDUCE:
and.b32 %r2, %r31, 3;
setp.eq.u32 %p2, %r2, 0;
bar.red.popc.u32 %r3, 0, %p2;
bar.red.and.pred %p3, 0, %p2;
bar.red.or.pred %p4, 0, !%p2;
mad.lo.u32 %r1, %r3, 1000, %r1;
@%p3 add.u32 %r1, %r1, 1000000;
@%p4 add.u32 %r1, %r1, 2000000;
st.global.u32 [%rd31], %r1;
)",
                                        128, 128, ".shared .align 4 .u32 cell;\n");
    for (std::uint32_t t = 0; t < 128; ++t) CHECK(got[t] == 2032000 + (t < 32 ? 5U : t < 64 ? 77U : 1U));
}

TEST_CASE("A barrier that can never be met is an error that names who waits where", "[ptx][barrier]") {
    auto const e =
        run_error("setp.lt.u32 %p0, %r31, 32;\n@%p0 bra ONE;\nbar.sync 2;\nret;\nONE:\nbar.sync 1;\n", 64);
    CHECK(e == "kernel k: CTA (0,0,0) waits at barriers that can never be met: warp 0 at barrier 1 "
               "(t.ptx:21), warp 1 at barrier 2 (t.ptx:18)");
    CHECK_THAT(run_error("bar.sync 0, 128;\n", 64),
               Catch::Contains("waits at barriers that can never be met"));
    CHECK_THAT(run_error("bar.sync 16;\n"), Catch::Contains("expected a barrier number below 16, found 16"));
    CHECK_THAT(run_error("bar.sync 0, 33;\n"), Catch::Contains("multiple of 32, found 33"));
}

TEST_CASE("A warp that waits for another without a barrier gets what it waits for", "[ptx][barrier]") {
    auto const got = run<std::uint32_t>(element + R"(
setp.ge.u32 %p0, %r31, 32;
@%p0 bra PRODUCE;
SPIN:
ld.volatile.shared.u32 %r0, [flag];
setp.eq.u32 %p1, %r0, 0;
@%p1 bra SPIN;
st.global.u32 [%rd31], %r0;
ret;
PRODUCE:
st.volatile.shared.u32 [flag], 9;
)",
                                        32, 64, ".shared .align 4 .u32 flag;\n");
    CHECK(got == std::vector<std::uint32_t>(32, 9));
}

// Faults ------------------------------------------------------------------------------------------------------------

TEST_CASE("Faults name kernel, place, CTA, thread, address, size and space", "[ptx][fault]") {
    CHECK(run_error("LOOP:\nbra LOOP;\n", 64, 1000) ==
          "kernel k: CTA (0,0,0) has not ended after 1000 warp instructions; warp 0 is at t.ptx:17");
    CHECK(run_error(element + "st.global.u32 [%rd31+4032], %r31;\n") ==
          "kernel k: out-of-range access at t.ptx:18: CTA (0,0,0), thread (16,0,0), 4 bytes at address "
          "0xc0001000 of global memory");
    CHECK(run_error("mov.u64 %rd0, 16;\nld.global.u32 %r0, [%rd0];\n") ==
          "kernel k: out-of-range access at t.ptx:17: CTA (0,0,0), thread (0,0,0), 4 bytes at address 0x10 "
          "of global memory");
    CHECK(run_error(element + "ld.global.u32 %r0, [%rd31+2];\n") ==
          "kernel k: misaligned access at t.ptx:18: CTA (0,0,0), thread (0,0,0), 4 bytes at address "
          "0xc0000002 of global memory");
    // A variable that the kernel does not name takes no room.
    CHECK_THAT(run_error("shl.b32 %r1, %r31, 2;\nst.shared.u32 [%r1+64], %r1;\n", 32, 1000, 64,
                         ".shared .align 4 .b8 tile[128];\n"),
               Catch::Contains("thread (0,0,0), 4 bytes at address 0x40 of shared memory"));
    CHECK_THAT(run_error("mov.u32 %r1, tile;\nshl.b32 %r0, %r31, 2;\nadd.u32 %r1, %r1, %r0;\nst.shared.u32 "
                         "[%r1+64], %r1;\n",
                         32, 1000, 64, ".shared .align 4 .b8 tile[128];\n"),
               Catch::Contains("thread (16,0,0), 4 bytes at address 0x80 of shared memory"));
    CHECK_THAT(run_error("mov.u64 %rd1, 0x700000000000000;\nld.u32 %r1, [%rd1];\n"),
               Catch::Contains("of generic memory"));
    CHECK_THAT(run_error("setp.eq.u32 %p0, %r31, 3;\n@%p0 trap;\n"),
               Catch::Contains("trap at t.ptx:17 in CTA (0,0,0), thread (3,0,0)"));
    CHECK_THAT(run_error("ld.param.u32 %r1, [k_out+8];\n"), Catch::Contains("of parameter memory"));
}

TEST_CASE("Constants and the kernel's parameters cannot be written", "[ptx][fault]") {
    std::string const table = ".const .align 4 .u32 table[2] = {1, 2};\n";
    CHECK_THAT(parse_error(module_of(kernel_of("st.const.u32 [table], 1;", table))),
               Catch::Contains("unknown form 'st.const.u32'"));
    CHECK_THAT(run_error("mov.u64 %rd1, table;\ncvta.const.u64 %rd1, %rd1;\nst.u32 [%rd1+4], 1;\n", 32, 1000,
                         64, table),
               Catch::Contains("4 bytes at address 0x4 of constant memory"));
    CHECK_THAT(run_error("st.param.u32 [k_out], 1;\n"),
               Catch::Contains("4 bytes at address 0x0 of parameter memory"));
}

TEST_CASE("Arguments and shapes are checked before anything runs", "[ptx][fault]") {
    machine m(module_of(".entry k(.param .u64 a, .param .u32 b, .param .align 8 .b8 c[16])\n{\nret;\n}\n"));
    auto const sized = [](std::size_t n) { return std::vector<std::byte>(n); };
    CHECK_NOTHROW(m.launch("k", {1, 1, 1}, {32, 1, 1}, sized(32)));
    CHECK_THROWS_WITH(
        m.launch("k", {1, 1, 1}, {32, 1, 1}, sized(28)),
        "kernel k takes 32 bytes of arguments (8 bytes at 0, 4 bytes at 8, 16 bytes at 16), found 28");
    CHECK_THROWS_WITH(m.launch("k", {1, 1, 1}, {1025, 1, 1}, sized(32)),
                      "kernel k: expected at most 1024 threads per CTA, found 1025");
    CHECK_THROWS_WITH(m.launch("k", {0, 1, 1}, {32, 1, 1}, sized(32)),
                      "kernel k: expected a grid and a block of at least one thread");
}

// Memory ------------------------------------------------------------------------------------------------------------

TEST_CASE("Special registers", "[ptx][executor]") {
    machine m(module_of(kernel_of(R"(
mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; mov.u32 %r2, %ctaid.z; mov.u32 %r3, %nctaid.x; mov.u32 %r4, %nctaid.y;
mad.lo.u32 %r5, %r2, %r4, %r1;
mad.lo.u32 %r5, %r5, %r3, %r0;
mov.u32 %r6, %tid.y; mov.u32 %r7, %tid.z; mov.u32 %r8, %ntid.x; mov.u32 %r9, %ntid.y; mov.u32 %r10, %ntid.z;
mad.lo.u32 %r11, %r7, %r9, %r6;
mad.lo.u32 %r11, %r11, %r8, %r31;
mul.lo.u32 %r12, %r8, %r9;
mul.lo.u32 %r12, %r12, %r10;
mad.lo.u32 %r13, %r5, %r12, %r11;
mul.wide.u32 %rd0, %r13, 4;
add.s64 %rd0, %out, %rd0;
mov.u32 %r14, %laneid; mov.u32 %r15, %warpid;
mad.lo.u32 %r16, %r15, 32, %r14;
sub.u32 %r16, %r16, %r11;
mad.lo.u32 %r16, %r16, 1000000, %r13;
st.global.u32 [%rd0], %r16;
)")));
    warpkit::dim3 const grid{3, 2, 2};
    warpkit::dim3 const block{5, 4, 3};
    auto const out = m.upload(std::vector<std::uint32_t>(grid.count() * block.count()));
    m.launch("k", grid, block, arguments({out}));
    std::vector<std::uint32_t> expected(grid.count() * block.count());
    std::iota(expected.begin(), expected.end(), 0U);
    CHECK(m.download<std::uint32_t>(out, expected.size()) == expected);

    auto const masks = run<std::uint32_t>(
        element + "mov.u32 %r0, %lanemask_lt; mov.u32 %r1, %lanemask_ge; mov.u32 %r2, %lanemask_eq;\n"
                  "add.u32 %r0, %r0, %r1;\nxor.b32 %r0, %r0, %r2;\nst.global.u32 [%rd31], %r0;",
        32);
    for (unsigned l = 0; l < 32; ++l) CHECK(masks[l] == (0xffffffffU ^ 1U << l));
    auto const clocks = run<std::uint64_t>("mov.u64 %rd0, %clock64;\nmov.u64 %rd1, %clock64;\nsub.u64 %rd0, "
                                           "%rd1, %rd0;\nst.global.u64 [%out], %rd0;",
                                           1, 1);
    CHECK(clocks[0] == 1);
}

TEST_CASE("All widths and vectors of loads and stores", "[ptx][memory]") {
    CHECK(lower_error(module_of(kernel_of("ld.global.v4.u8 {%r4, %r5, %h2, %r6}, [%out+8];"))) ==
          "t.ptx:16:1: kernel k: the elements of a vector must be registers of one size");
    auto const got = run<std::uint64_t>(R"(
mov.u64 %rd9, 0x8877665544332211;
st.global.u64 [%out+64], %rd9;
ld.global.s8 %r0, [%out+71]; st.global.s32 [%out], %r0;
ld.volatile.global.u8 %r0, [%out+71]; st.volatile.global.u32 [%out+4], %r0;
ld.global.s16 %r0, [%out+70]; st.global.u32 [%out+8], %r0;
ld.global.s32 %rd0, [%out+68]; st.global.u64 [%out+16], %rd0;
ld.global.v4.u8 {%r1, %r2, %r3, %r4}, [%out+64]; st.global.v4.u8 [%out+24], {%r4, %r3, %r2, %r1};
ld.global.v2.u32 {%r1, %r2}, [%out+64]; st.global.v2.b32 [%out+32], {%r2, %r1};
ld.global.v2.u64 {%rd1, %rd2}, [%out+64]; st.global.v2.b64 [%out+48], {%rd2, %rd1};
st.global.u16 [%out+40], 513;
st.global.f32 [%out+44], 0f3F800000;
)",
                                        10, 1);
    CHECK(got[0] == 0x00000088ffffff88);
    CHECK(got[1] == 0x00000000ffff8877);
    CHECK(got[2] == 0xffffffff88776655);
    CHECK(got[3] == 0x11223344);
    CHECK(got[4] == 0x4433221188776655);
    CHECK(got[5] == 0x3f80000000000201);
    CHECK(got[6] == 0);
    CHECK(got[7] == 0x8877665544332211);
}

TEST_CASE("Every space by its own address and by a generic one", "[ptx][memory]") {
    auto const got = run<std::uint32_t>(element + R"(
.local .align 8 .b8 depot[16];
mov.u64 %rd0, depot;
cvta.local.u64 %rd1, %rd0;
mad.lo.u32 %r0, %r31, 3, 1;
st.u32 [%rd1+4], %r0;
ld.local.u32 %r1, [%rd0+4];
mov.u64 %rd2, tile;
cvta.shared.u64 %rd3, %rd2;
mul.wide.u32 %rd4, %r31, 4;
add.s64 %rd5, %rd3, %rd4;
st.u32 [%rd5], %r1;
cvta.to.shared.u64 %rd6, %rd5;
ld.shared.u32 %r2, [%rd6];
mov.u64 %rd7, table;
cvta.const.u64 %rd7, %rd7;
ld.u32 %r3, [%rd7+4];
ld.const.u32 %r4, [table];
mov.u64 %rd8, counter;
cvta.global.u64 %rd9, %rd8;
ld.u32 %r5, [%rd9];
isspacep.local %p0, %rd1; isspacep.shared %p1, %rd5; isspacep.const %p2, %rd7; isspacep.global %p3, %rd9; isspacep.shared %p4, %rd9;
and.pred %p0, %p0, %p1; and.pred %p0, %p0, %p2; and.pred %p0, %p0, %p3; not.pred %p4, %p4; and.pred %p0, %p0, %p4;
add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5;
@%p0 st.global.u32 [%rd31], %r2;
)",
                                        64, 64,
                                        ".shared .align 4 .b8 tile[256];\n.const .align 4 .u32 table[2] = "
                                        "{1000, 20000};\n.global .align 4 .u32 counter = 300000;\n");
    for (std::uint32_t t = 0; t < 64; ++t) CHECK(got[t] == 321001 + 3 * t);
}

TEST_CASE("A warp's lanes may be in different spaces at once", "[ptx][memory]") {
    auto const got = run<std::uint32_t>(element + R"(
mov.u64 %rd0, tile;
cvta.shared.u64 %rd0, %rd0;
and.b32 %r0, %r31, 1;
setp.eq.u32 %p0, %r0, 0;
selp.b64 %rd1, %rd31, %rd0, %p0;
st.u32 [%rd1], %r31;
ld.shared.u32 %r1, [tile];
@!%p0 st.global.u32 [%rd31], %r1;
)",
                                        32, 32, ".shared .align 4 .u32 tile;\n");
    for (std::uint32_t t = 0; t < 32; ++t) CHECK(got[t] == (t % 2 == 0 ? t : 31));
}

// What a warp's accesses through generic addresses say, by space.
struct recorded {
    memory_space space = memory_space::none;
    std::uint32_t shared = 0; // lanes
    std::uint32_t global = 0;
    bool right = true; // lane i: byte 4i of shared memory, or of `out`
    friend bool operator==(recorded const&, recorded const&) = default;
};
static std::vector<recorded> generic_accesses(machine const& m, warpkit::device_address out) {
    std::vector<recorded> all;
    auto const& s = m.streams()[0].warps[0];
    auto const& code = m.program().instructions;
    for (stream_cursor c(s); !c.done(); c.advance(s, code[c.instruction()])) {
        if (code[c.instruction()].space != memory_space::generic) continue;
        recorded r;
        warpkit::lane_addresses address{};
        r.space = c.space(s);
        r.shared = c.addresses_in(s, memory_space::shared, address);
        for (unsigned l = 0; l < 32; ++l)
            if ((r.shared >> l & 1) != 0) r.right = r.right && address[l] == 4 * l;
        r.global = c.addresses_in(s, memory_space::global, address);
        for (unsigned l = 0; l < 32; ++l)
            if ((r.global >> l & 1) != 0) r.right = r.right && address[l] == out + 4 * l;
        r.right = r.right && c.addresses_in(s, memory_space::local, address) == 0;
        all.push_back(r);
    }
    return all;
}

TEST_CASE("Lanes in different spaces: a load, a store and an atomic each say which", "[ptx][memory]") {
    struct choice {
        std::string lanes; // that look into shared memory
        std::uint32_t mask;
    };
    for (auto const& [condition, mask] :
         {choice{"ge.u32 %p0, %r31, 32", 0}, choice{"lt.u32 %p0, %r31, 32", 0xffffffff},
          choice{"lt.u32 %p0, %r31, 16", 0xffff}, choice{"ge.u32 %p0, %r31, 16", 0xffff0000},
          choice{"eq.u32 %p0, %r0, 0", 0x55555555}, choice{"eq.u32 %p0, %r31, 0", 1},
          choice{"eq.u32 %p0, %r31, 31", 0x80000000}, choice{"ne.u32 %p0, %r31, 31", 0x7fffffff}}) {
        machine m(module_of(kernel_of(element + "and.b32 %r0, %r31, 1;\nsetp." + condition + ";\n" + R"(
mul.wide.u32 %rd0, %r31, 4;
mov.u64 %rd1, tile;
add.s64 %rd1, %rd1, %rd0;
add.u32 %r1, %r31, 1000;
st.shared.u32 [%rd1], %r1;
cvta.shared.u64 %rd2, %rd1;
cvta.global.u64 %rd3, %rd31;
selp.b64 %rd4, %rd2, %rd3, %p0;
ld.u32 %r2, [%rd4];
add.u32 %r3, %r2, 5;
st.u32 [%rd4], %r3;
atom.add.u32 %r4, [%rd4], 7;
ld.shared.u32 %r5, [%rd1];
st.global.u32 [%rd31+128], %r2;
st.global.u32 [%rd31+256], %r4;
st.global.u32 [%rd31+384], %r5;
)",
                                      ".shared .align 4 .b8 tile[128];\n")));
        INFO(condition);
        std::vector<std::uint32_t> values(128);
        for (std::uint32_t t = 0; t < 32; ++t) values[t] = 2000 + t;
        auto const out = m.upload(values);
        m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}));
        for (std::uint32_t t = 0; t < 32; ++t) {
            bool const shared = (mask >> t & 1) != 0;
            auto const before = (shared ? 1000 : 2000) + t;
            values[t] = 2000 + t + (shared ? 0 : 12);
            values[32 + t] = before;
            values[64 + t] = before + 5;
            values[96 + t] = 1000 + t + (shared ? 12 : 0);
        }
        CHECK(m.download<std::uint32_t>(out, 128) == values);
        auto const space = mask == 0            ? memory_space::global
                           : mask == 0xffffffff ? memory_space::shared
                                                : memory_space::generic;
        CHECK(generic_accesses(m, out) == std::vector<recorded>(3, {space, mask, ~mask, true}));
    }
}

TEST_CASE("Lanes in four spaces at once, some of them not there", "[ptx][memory]") {
    machine m(
        module_of(kernel_of(element + R"(
mul.wide.u32 %rd0, %r31, 4;
mov.u64 %rd1, tile; add.s64 %rd1, %rd1, %rd0; cvta.shared.u64 %rd1, %rd1;
mov.u64 %rd2, depot; cvta.local.u64 %rd2, %rd2;
mov.u64 %rd3, table; cvta.const.u64 %rd3, %rd3;
cvta.global.u64 %rd4, %rd31;
add.u32 %r1, %r31, 100; st.u32 [%rd1], %r1;
add.u32 %r1, %r31, 200; st.u32 [%rd2+4], %r1;
and.b32 %r0, %r31, 3;
setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r0, 1; setp.eq.u32 %p2, %r0, 2; setp.ne.u32 %p3, %r31, 6;
add.s64 %rd2, %rd2, 4; add.s64 %rd3, %rd3, 4;
selp.b64 %rd5, %rd3, %rd4, %p2; selp.b64 %rd5, %rd2, %rd5, %p1; selp.b64 %rd5, %rd1, %rd5, %p0;
mov.u32 %r2, 0;
@%p3 ld.u32 %r2, [%rd5];
st.global.u32 [%rd31], %r2;
)",
                            ".shared .align 4 .b8 tile[128];\n.const .align 4 .u32 table[2] = {1, 300};\n"
                            ".local .align 4 .b8 depot[8];\n")));
    std::vector<std::uint32_t> values(32);
    for (std::uint32_t t = 0; t < 32; ++t) values[t] = 400 + t;
    auto const out = m.upload(values);
    m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}));
    for (std::uint32_t t = 0; t < 32; ++t)
        values[t] = t % 4 == 0 ? 100 + t : t % 4 == 1 ? 200 + t : t == 6 ? 0 : t % 4 == 2 ? 300 : 400 + t;
    CHECK(m.download<std::uint32_t>(out, 32) == values);
    auto const& s = m.streams()[0].warps[0];
    auto const& code = m.program().instructions;
    unsigned found = 0;
    for (stream_cursor c(s); !c.done(); c.advance(s, code[c.instruction()])) {
        if (!code[c.instruction()].is_memory() || c.space(s) != memory_space::generic) continue;
        ++found;
        warpkit::lane_addresses address{};
        CHECK(c.addresses_in(s, memory_space::shared, address) == 0x11111111);
        CHECK(address[4] == 16);
        CHECK(c.addresses_in(s, memory_space::local, address) == 0x22222222);
        CHECK(address[5] == 4);
        CHECK(c.addresses_in(s, memory_space::constant, address) == 0x44444404);
        CHECK(address[2] == 4);
        CHECK(c.addresses_in(s, memory_space::global, address) == 0x88888888);
        CHECK(address[31] == out + 124);
        CHECK(c.addresses_in(s, memory_space::parameter, address) == 0);
    }
    CHECK(found == 1);
}

TEST_CASE("Lanes in shared and global memory add floats as their own memory does", "[ptx][atomic]") {
    // Global memory flushes subnormals, shared memory keeps them.
    auto const got = run<std::uint32_t>(element + R"(
mov.u64 %rd0, tile; cvta.shared.u64 %rd0, %rd0; mul.wide.u32 %rd1, %r31, 4; add.s64 %rd0, %rd0, %rd1;
mov.u32 %r0, 1; st.u32 [%rd0], %r0; st.global.u32 [%rd31], %r0;
and.b32 %r1, %r31, 1; setp.eq.u32 %p0, %r1, 0;
selp.b64 %rd2, %rd0, %rd31, %p0;
mov.b32 %f0, %r0;
red.add.f32 [%rd2], %f0;
ld.u32 %r2, [%rd2];
st.global.u32 [%rd31], %r2;
)",
                                        32, 32, ".shared .align 4 .b8 tile[128];\n");
    for (std::uint32_t t = 0; t < 32; ++t) CHECK(got[t] == (t % 2 == 0 ? 2 : 0));
}

TEST_CASE("Lanes at equal distances that come round the address space are looked at one by one",
          "[ptx][fault]") {
    // 31 times this distance is 64, so that the first and the last lane are inside.
    CHECK_THAT(run_error("cvt.u64.u32 %rd0, %r31;\nmul.lo.u64 %rd0, %rd0, 0xdef7bdef7bdef7c0;\n"
                         "add.s64 %rd0, %rd0, %out;\nld.global.u32 %r0, [%rd0];\n"),
               Catch::Contains("out-of-range"));
}

TEST_CASE("Variables of the module: initial values, addresses of others, host access, dynamic shared memory",
          "[ptx][memory]") {
    machine m(module_of(kernel_of(R"(
ld.global.u64 %rd0, [pointers+8];
ld.u32 %r0, [%rd0];
ld.const.f32 %f0, [scale];
cvt.rzi.u32.f32 %r1, %f0;
add.u32 %r0, %r0, %r1;
mov.u32 %r2, dynamic;
shl.b32 %r3, %r31, 2;
add.u32 %r2, %r2, %r3;
st.shared.u32 [%r2], %r0;
st.shared.u32 [fixed], %r1;
ld.shared.u32 %r4, [%r2];
@%p0 bra L;
L:
mul.wide.u32 %rd1, %r31, 4;
add.s64 %rd1, %out, %rd1;
st.global.u32 [%rd1], %r4;
st.global.u32 [values], %r4;
)",
                                  ".extern .shared .align 16 .b8 dynamic[];\n.shared .align 4 .u32 "
                                  "fixed;\n.global .align 4 .u32 values[3] = {5, 6, 7};\n"
                                  ".global .align 8 .u64 pointers[2] = {0, generic(values)+4};\n.const "
                                  ".align 4 .f32 scale = 0f41200000;\n")));
    auto const out = m.upload(std::vector<std::uint32_t>(32));
    m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}), 128);
    CHECK(m.download<std::uint32_t>(out, 32) == std::vector<std::uint32_t>(32, 16));
    std::uint32_t v[3];
    m.read_variable("values", v, sizeof v);
    CHECK(v[0] == 16);
    CHECK(v[2] == 7);
    float const scale = 100;
    m.write_variable("scale", &scale, 4);
    m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}), 128);
    CHECK(m.download<std::uint32_t>(out, 1)[0] == 106);
    CHECK(m.program().shared_bytes == 16); // `fixed`, and dynamic memory aligned behind it
    CHECK_THROWS_WITH(m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}), 124),
                      Catch::Contains("thread (31,0,0), 4 bytes at address 0x8c of shared memory"));
    CHECK_THROWS_WITH(m.read_variable("nothing", v, 4),
                      Catch::Contains("there are: values, pointers, scale"));
    CHECK_THROWS_WITH(m.write_variable("scale", v, 8),
                      Catch::Contains("has 4 bytes, 8 at offset 0 do not fit"));
}

TEST_CASE("The stream says what timing needs: spaces, addresses, sizes, registers", "[ptx][stream]") {
    machine m(module_of(kernel_of(R"(
.local .align 8 .b8 depot[32];
mov.u64 %rd0, depot;
mul.wide.u32 %rd1, %r31, 8;
add.s64 %rd1, %out, %rd1;
st.global.u64 [%rd1], %rd0;
st.local.u32 [%rd0+4], %r31;
st.local.v2.u64 [%rd0+16], {%rd0, %rd1};
mul.wide.u32 %rd2, %r31, 128;
add.s64 %rd2, %out, %rd2;
atom.global.add.u32 %r1, [%rd2], 1;
mov.u64 %rd3, tile;
cvta.shared.u64 %rd3, %rd3;
ld.u32 %r2, [%rd3+8];
bar.sync 0;
membar.gl;
sqrt.rn.f64 %fd0, %fd1;
fma.rn.f32 %f0, %f1, %f2, %f3;
ex2.approx.f32 %f0, %f1;
shfl.sync.down.b32 %r3|%p1, %r2, 1, 31, -1;
)",
                                  ".shared .align 4 .b8 tile[64];\n")));
    auto const out = m.upload(std::vector<std::uint8_t>(8192));
    m.launch("k", {2, 1, 1}, {64, 1, 1}, arguments({out}));
    auto const& p = m.program();
    auto const& s = m.streams()[1].warps[1]; // threads 96 to 127 of 128
    struct expected {
        memory_space space;
        std::uint64_t base, stride;
        unsigned bytes;
        op_class kind;
        memory_space declared;
    };
    std::vector<expected> const wanted{
        {memory_space::parameter, 0, 0, 8, op_class::load, memory_space::parameter},
        {memory_space::global, out + 32 * 8, 8, 8, op_class::store, memory_space::global},
        {memory_space::local, 4, 0, 4, op_class::store, memory_space::local},
        {memory_space::local, 16, 0, 16, op_class::store, memory_space::local},
        {memory_space::global, out + 32 * 128, 128, 4, op_class::atomic, memory_space::global},
        {memory_space::shared, 8, 0, 4, op_class::load, memory_space::generic}};
    std::size_t next = 0;
    for (warpkit::stream_cursor c(s); !c.done();) {
        auto const& i = p.instructions[c.instruction()];
        if (i.is_memory()) {
            REQUIRE(next < wanted.size());
            auto const& w = wanted[next++];
            INFO(next);
            CHECK(c.space(s) == w.space);
            REQUIRE(c.is_affine(s));
            CHECK(c.base(s) == w.base);
            CHECK(c.stride(s) == w.stride);
            CHECK(i.access_bytes == w.bytes);
            CHECK(i.kind == w.kind);
            CHECK(i.space == w.declared);
        }
        c.advance(s, i);
    }
    CHECK(next == wanted.size());
    std::vector<op_class> kinds;
    for (auto const& i : p.instructions) kinds.push_back(i.kind);
    auto const tail = std::vector<op_class>(kinds.end() - 7, kinds.end());
    CHECK(tail == std::vector<op_class>{op_class::barrier, op_class::fence, op_class::dp_div,
                                        op_class::fp_mad, op_class::special, op_class::shuffle,
                                        op_class::exit});
    for (auto const& i : p.instructions) {
        for (unsigned d = 0; d < i.destinations; ++d) CHECK(i.destination[d] < p.registers);
        for (unsigned d = 0; d < i.sources; ++d) CHECK(i.source[d] < p.registers);
    }
    CHECK(m.local_bytes() == 32);
}

// Calls -------------------------------------------------------------------------------------------------------------

TEST_CASE("Device functions: arguments, results, structs, nested calls, early returns", "[ptx][call]") {
    auto const got = run<std::uint32_t>(element + R"(
{
.reg .b32 temp;
.param .b32 a; st.param.b32 [a+0], %r31;
.param .align 4 .b8 pair[8]; st.param.b32 [pair+0], 10; st.param.b32 [pair+4], 20;
.param .b32 result;
call.uni (result), mix, (a, pair);
ld.param.b32 %r0, [result+0];
}
{
.param .b32 a; st.param.b32 [a], %r0;
.param .align 4 .b8 pair[8]; st.param.v2.b32 [pair+0], {1, 2};
.param .b32 result;
call (result), mix, (a, pair);
ld.param.b32 %r1, [result];
}
add.u32 %r0, %r0, %r1;
st.global.u32 [%rd31], %r0;
)",
                                        32, 32, R"(
.func (.param .b32 r) twice(.param .b32 x)
{
.reg .b32 %r<4>;
ld.param.u32 %r1, [x];
shl.b32 %r2, %r1, 1;
st.param.b32 [r], %r2;
ret;
}
.func (.param .b32 r) mix(.param .b32 x, .param .align 4 .b8 s[8])
{
.reg .b32 %r<8>; .reg .pred %p<2>;
ld.param.u32 %r1, [x];
ld.param.u32 %r2, [s+4];
setp.lt.u32 %p1, %r1, 16;
@%p1 bra SMALL;
st.param.b32 [r], %r2;
ret;
SMALL:
{
.param .b32 q; st.param.b32 [q], %r1;
.param .b32 w;
call.uni (w), twice, (q);
ld.param.b32 %r3, [w];
}
ld.param.u32 %r4, [s];
add.u32 %r3, %r3, %r4;
st.param.b32 [r], %r3;
ret;
}
)");
    auto const mix = [](std::uint32_t x, std::uint32_t s0, std::uint32_t s1) {
        return x < 16 ? 2 * x + s0 : s1;
    };
    for (std::uint32_t t = 0; t < 32; ++t) {
        auto const a = mix(t, 10, 20);
        CHECK(got[t] == a + mix(a, 1, 2));
    }
}

// Between lanes -----------------------------------------------------------------------------------------------------

TEST_CASE("Atomic operations, lanes in order", "[ptx][atomic]") {
    auto const one = [](std::string const& op, std::string const& type, bits initial, bits step) {
        // All 32 lanes do `op` with lane * step; the old value seen by the last lane and the final one are returned.
        auto const got = run<std::uint64_t>(
            ".reg ." + type + " %v, %o;\ncvt.u64.u32 %rd0, %r31;\nmul.lo.u64 %rd0, %rd0, " +
                std::to_string(step) + ";\nmov.u64 %rd1, " + std::to_string(initial) +
                ";\nst.global.u64 [%out], %rd1;\nst.shared.u64 [cell], %rd1;\nmov.u64 %rd3, cell; "
                "cvta.shared.u64 %rd3, %rd3;\n" +
                (type == "b32" ? "cvt.u32.u64 %v, %rd0;\n" : "mov.b64 %v, %rd0;\n") + "atom.global." + op +
                " %o, [%out], %v;\natom.relaxed.gpu.shared." + op + " %o, [cell], %v;\nred." + op +
                " [%rd3+8], %v;\nsetp.eq.u32 %p0, %r31, 31;\nld.shared.u64 %rd2, [cell];\n@%p0 st.global.u64 "
                "[%out+8], %rd2;\n@%p0 st.global." +
                type + " [%out+16], %o;\n",
            3, 32, ".shared .align 8 .b8 cell[16];\n");
        CHECK(got[0] == got[1]); // global and shared agree
        return std::pair{got[0], got[2]};
    };
    CHECK(one("add.u32", "b32", 5, 2) == std::pair<bits, bits>{5 + 992, 5 + 930});
    CHECK(one("add.u64", "b64", 1ULL << 40, 1) ==
          std::pair<bits, bits>{(1ULL << 40) + 496, (1ULL << 40) + 465});
    CHECK(one("min.s32", "b32", 0xffffffff, 1) == std::pair<bits, bits>{0xffffffff, 0xffffffff});
    CHECK(one("min.u32", "b32", 0xffffffff, 1) == std::pair<bits, bits>{0, 0});
    CHECK(one("max.s32", "b32", 0xffffffff, 1) == std::pair<bits, bits>{31, 30});
    CHECK(one("max.u64", "b64", 7, 1) == std::pair<bits, bits>{31, 30});
    CHECK(one("and.b32", "b32", 0xff, 1) == std::pair<bits, bits>{0, 0});
    CHECK(one("or.b32", "b32", 0x100, 1) == std::pair<bits, bits>{0x11f, 0x11f});
    CHECK(one("xor.b32", "b32", 0, 1) == std::pair<bits, bits>{0, 31});
    CHECK(one("exch.b32", "b32", 99, 1) == std::pair<bits, bits>{31, 30});
    CHECK(one("exch.b64", "b64", 99, 1) == std::pair<bits, bits>{31, 30});
    auto const bounded = [](std::string const& op, unsigned start) {
        return run<std::uint32_t>("st.global.u32 [%out], " + std::to_string(start) + ";\natom.global." + op +
                                      ".u32 %r0, [%out], 4;\n",
                                  1)[0];
    };
    CHECK(bounded("inc", 0) == 32 % 5);
    CHECK(bounded("inc", 9) == 31 % 5);
    CHECK(bounded("dec", 0) == 3); // 0 -> 4, then down; 32 steps around 5 values
    CHECK(run<std::uint32_t>(
              element +
                  "mov.u32 %r1, %r31;\natom.global.cas.b32 %r0, [%out], %r1, 1;\nadd.u32 %r2, %r31, 100;\n"
                  "setp.eq.u32 %p0, %r31, 9;\n@%p0 st.global.u32 [%out+4], %r0;",
              2) == std::vector<std::uint32_t>{1, 1});
    CHECK(run<float>("st.global.f32 [%out], 0f3F000000;\natom.global.add.f32 %f0, [%out], "
                     "0f3F800000;\nred.global.add.f32 [%out+4], 0f00000001;",
                     2) == std::vector<float>{32.5F, 0.0F}); // subnormals are flushed in global memory
    CHECK(run<double>("red.global.add.f64 [%out], 0d3FE0000000000000;", 1) == std::vector<double>{16.0});
}

TEST_CASE("Shuffles", "[ptx][warp]") {
    auto const shuffle = [](std::string const& mode, unsigned b, unsigned c) {
        return run<std::uint32_t>(
            element + "add.u32 %r0, %r31, 100;\nshfl.sync." + mode + ".b32 %r1|%p0, %r0, " +
                std::to_string(b) + ", " + std::to_string(c) +
                ", -1;\nselp.b32 %r2, 1000, 0, %p0;\nadd.u32 %r1, %r1, %r2;\nst.global.u32 [%rd31], %r1;",
            32);
    };
    struct test {
        char const* mode;
        unsigned delta, width;
    };
    for (auto const& t : {test{"up", 1, 32}, test{"up", 3, 8}, test{"down", 5, 32}, test{"down", 2, 16},
                          test{"bfly", 7, 32}, test{"bfly", 4, 4}, test{"idx", 13, 32}, test{"idx", 5, 8}}) {
        std::string const mode = t.mode;
        auto const got = shuffle(mode, t.delta, (32 - t.width) << 8 | (mode == "up" ? 0 : 31));
        for (unsigned l = 0; l < 32; ++l) {
            int const segment = static_cast<int>(l / t.width * t.width);
            int const d = static_cast<int>(t.delta);
            int const i = static_cast<int>(l);
            int const from = mode == "up"     ? i - d
                             : mode == "down" ? i + d
                             : mode == "bfly" ? i ^ d
                                              : segment + d % static_cast<int>(t.width);
            bool const in = mode == "up" ? from >= segment : from < segment + static_cast<int>(t.width);
            INFO(mode << " " << t.delta << " " << t.width << " lane " << l);
            CHECK(got[l] == (in ? 1100U + static_cast<unsigned>(from) : 100U + l));
        }
    }
    // From a lane that does not take part: the own value stays.
    auto const partial =
        run<std::uint32_t>(element + "setp.lt.u32 %p1, %r31, 8;\nmov.u32 %r1, 7;\n@%p1 shfl.sync.bfly.b32 "
                                     "%r1, %r31, 8, 31, 255;\nst.global.u32 [%rd31], %r1;",
                           32);
    for (unsigned l = 0; l < 32; ++l) CHECK(partial[l] == (l < 8 ? l : 7));
}

TEST_CASE("Votes, match, reductions over a warp, active mask", "[ptx][warp]") {
    auto const got = run<std::uint32_t>(R"(
and.b32 %r0, %r31, 3;
setp.eq.u32 %p0, %r0, 1;
vote.sync.ballot.b32 %r1, %p0, -1;
vote.sync.any.pred %p1, %p0, -1;
vote.sync.all.pred %p2, %p0, -1;
vote.sync.uni.pred %p3, %p0, -1;
vote.sync.all.pred %p4, !%p0, -1;
selp.b32 %r2, 1, 0, %p1; @%p2 add.u32 %r2, %r2, 2; @%p3 add.u32 %r2, %r2, 4; @%p4 add.u32 %r2, %r2, 8;
match.any.sync.b32 %r3, %r0, -1;
match.all.sync.b32 %r4|%p5, %r0, -1;
redux.sync.add.u32 %r5, %r31, -1;
redux.sync.max.s32 %r6, %r0, -1;
activemask.b32 %r7;
setp.ne.u32 %p6, %r31, 6;
@%p6 bra END;
vote.ballot.b32 %r8, %p0;
activemask.b32 %r9;
st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};
st.global.v4.u32 [%out+16], {%r5, %r6, %r7, %r8};
st.global.u32 [%out+32], %r9;
END:
)",
                                        9);
    CHECK(got == std::vector<std::uint32_t>{0x22222222, 1, 0x44444444, 0, 496, 3, 0xffffffff, 0, 1U << 6});
}

TEST_CASE("Results and streams are the same however often and in whatever order CTAs run",
          "[ptx][executor]") {
    auto const text = module_of(kernel_of(
        element + "mov.u32 %r0, %ctaid.x;\nmad.lo.u32 %r0, %r0, 7, %r31;\nst.global.u32 [%rd31], %r0;\n"));
    machine a(text);
    machine b(text);
    auto const out = a.upload(std::vector<std::uint32_t>(64));
    REQUIRE(b.upload(std::vector<std::uint32_t>(64)) == out);
    a.launch("k", {4, 1, 1}, {64, 1, 1}, arguments({out}));
    b.launch("k", {4, 1, 1}, {64, 1, 1}, arguments({out}));
    CHECK(a.memory() == b.memory());
    CHECK(a.streams() == b.streams());
}

TEST_CASE("brx.idx sends each lane to its target; the sides run by their lowest lane and meet again",
          "[ptx][divergence]") {
    auto const text = element + R"(
rem.u32 %r1, %r31, 5;
mov.u32 %r2, 100;
setp.ne.u32 %p1, %r1, 4;
table: .branchtargets ZERO, ONE, ZERO, TWO;
@%p1 brx.idx %r1, table;
add.u32 %r2, %r2, 1;
bra DONE;
TWO: add.u32 %r2, %r2, 1000;
ONE: add.u32 %r2, %r2, 100;
bra DONE;
ZERO: add.u32 %r2, %r2, 10;
DONE: add.u32 %r2, %r2, 5;
st.global.u32 [%rd31], %r2;
)";
    auto const got = run<std::uint32_t>(text, 32);
    std::uint32_t const expected[]{115, 205, 115, 1205, 106};
    for (std::uint32_t t = 0; t < 32; ++t) CHECK(got[t] == expected[t % 5]);
    machine m(module_of(kernel_of(text)));
    auto const out = m.upload(std::vector<std::uint32_t>(32));
    m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}));
    auto const& runs = m.streams()[0].warps[0].runs();
    CHECK(runs.back().mask == warpkit::all_lanes); // they meet before the last add
    CHECK(runs.back().count >= 2);
    CHECK(run_error("brx.idx %r31, L;\nL: .branchtargets A;\nA: ret;\n") ==
          "kernel k: indirect branch at t.ptx:16: CTA (0,0,0), thread (1,0,0), expected a number below 1, "
          "found 1");
    CHECK(
        run<std::uint32_t>("mov.u32 %r1, 0;\n.reg .b32 %q;\nbrx.idx.uni %r1, T;\nT: .branchtargets N, M;\nN: "
                           "st.global.u32 [%out], 3;\nM:\n",
                           1)[0] == 3);
}

TEST_CASE("Calls through registers reach every function of the right shape whose address is taken",
          "[ptx][call]") {
    // What clang makes of a table of function pointers.
    std::string const functions = R"(
.func (.param .b32 result) once(.param .b32 a);
.func (.param .b32 result) twice(.param .b32 a);
.func other(.param .b64 a) { ret; }
.visible .global .align 8 .u64 list[3] = {once, twice, other};
.func (.param .b32 result) once(.param .b32 a)
{
.reg .b32 %a;
ld.param.b32 %a, [a];
add.u32 %a, %a, 1;
st.param.b32 [result], %a;
ret;
}
.func (.param .b32 result) twice(.param .b32 a)
{
.reg .b32 %a; .reg .pred %p;
ld.param.b32 %a, [a];
setp.gt.u32 %p, %a, 20;
@%p bra LARGE;
mul.lo.u32 %a, %a, 2;
st.param.b32 [result], %a;
ret;
LARGE:
st.param.b32 [result], 7;
ret;
}
)";
    auto const calling = [](std::string const& with) {
        return element + R"(
rem.u32 %r1, %r31, 2;
mul.wide.u32 %rd1, %r1, 8;
mov.u64 %rd2, list;
add.u64 %rd1, %rd1, %rd2;
ld.global.u64 %rd3, [%rd1];
{
.param .b32 argument; .param .b32 value;
st.param.b32 [argument], %r31;
)" + with + R"(
ld.param.b32 %r2, [value];
}
add.u32 %r2, %r2, 1000;
st.global.u32 [%rd31], %r2;
)";
    };
    for (auto const* with :
         {"prototype: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (value), %rd3, (argument), "
          "prototype;",
          "reachable: .calltargets once, twice;\ncall (value), %rd3, (argument), reachable;",
          "call (value), %rd3, (argument), list;"}) {
        INFO(with);
        auto const got = run<std::uint32_t>(calling(with), 32, 32, functions);
        for (std::uint32_t t = 0; t < 32; ++t)
            REQUIRE(got[t] == 1000 + (t % 2 == 0 ? t + 1 : t > 20 ? 7 : 2 * t));
    }
    CHECK(run_error(calling("reachable: .calltargets once;\ncall (value), %rd3, (argument), reachable;"), 32,
                    100000, 4096, functions) == "kernel k: indirect call at t.ptx:54: CTA (0,0,0), thread "
                                                "(1,0,0), the address in the register is not that "
                                                "of a function that this call can reach");
    CHECK_THAT(lower_error(module_of(
                   kernel_of(".param .b64 q; p: .callprototype _ (.param .b64 _); call %rd1, (q), p;"))),
               Catch::Contains("there is no function that this call could reach"));
    CHECK_THAT(parse_error(module_of(kernel_of("call %r1, p;\np: .callprototype _;"))),
               Catch::Contains("expected a 64-bit register with a function's address"));
    CHECK_THAT(parse_error(module_of(kernel_of("bra p;\np: .callprototype _;"))),
               Catch::Contains("bra cannot use the list 'p'"));
    CHECK_THAT(parse_error(module_of(kernel_of("brx.idx %r1, p;\np: ret;"))),
               Catch::Contains("brx.idx: expected a list of targets, found label 'p'"));
}

TEST_CASE("Barriers by number in a register; the stream says which", "[ptx][barrier]") {
    auto const text = element + R"(
shr.u32 %r1, %r31, 6;
add.u32 %r1, %r1, 3;
mov.u32 %r2, 64;
mov.u32 %r3, cell;
mad.lo.u32 %r3, %r1, 4, %r3;
setp.ge.u32 %p1, %r31, 96;
and.b32 %r4, %r31, 32;
setp.eq.u32 %p2, %r4, 0;
@%p2 st.shared.u32 [%r3], %r1;
barrier.sync %r1, %r2;
ld.shared.u32 %r5, [%r3];
bar.red.popc.u32 %r6, %r1, %r2, %p1;
mad.lo.u32 %r5, %r6, 100, %r5;
st.global.u32 [%rd31], %r5;
)";
    std::string const cell = ".shared .align 4 .b8 cell[64];\n";
    auto const got = run<std::uint32_t>(text, 128, 128, cell);
    for (std::uint32_t t = 0; t < 128; ++t) CHECK(got[t] == (t < 64 ? 3U : 3204U));
    machine m(module_of(kernel_of(text, cell)));
    auto const out = m.upload(std::vector<std::uint32_t>(128));
    m.launch("k", {1, 1, 1}, {128, 1, 1}, arguments({out}));
    auto const& code = m.program().instructions;
    for (std::size_t w = 0; w < 4; ++w) {
        auto const& s = m.streams()[0].warps[w];
        unsigned barriers = 0;
        for (stream_cursor c(s); !c.done(); c.advance(s, code[c.instruction()])) {
            if (code[c.instruction()].kind != op_class::barrier) continue;
            ++barriers;
            CHECK(c.barrier(s) == 3 + w / 2);
            CHECK(c.barrier_warps(s) == 2);
        }
        CHECK(barriers == 2);
    }
}

TEST_CASE("Executor: mov and cvt read the lower 16 bits of a special register", "[ptx]") {
    auto const got = run<std::uint32_t>(R"(
cvt.u32.u16 %r0, %tid.x; mov.u16 %h0, %ntid.x; cvt.u32.u16 %r1, %h0; mad.lo.u32 %r2, %r1, 1000, %r0;
mul.wide.u32 %rd1, %r31, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], %r2;)",
                                        64, 64);
    for (std::uint32_t i = 0; i < 64; ++i) CHECK(got[i] == 64000 + i);
}

TEST_CASE("Executor: a vote's qualifiers come in either order", "[ptx]") {
    auto const got = run<std::uint32_t>(R"(
setp.lt.u32 %p0, %r31, 5; vote.ballot.sync.b32 %r0, %p0, -1; vote.sync.ballot.b32 %r1, %p0, -1;
st.global.v2.u32 [%out], {%r0, %r1};)",
                                        2, 32);
    CHECK(got == std::vector<std::uint32_t>{31, 31});
}

TEST_CASE("Constant expressions, and variables with names of registers", "[ptx][executor]") {
    CHECK(run<std::uint32_t>(R"(
.shared .align 4 .b8 %cells[64];
mov.u32 %r0, 2 + 3 * 4;
mov.u32 %r1, 100 - 7 - 3 * 2 / 3 - -1;
mov.u32 %r2, 1 << 4 | 0xf0 & 0x3c ^ 5;
mov.s32 %r3, -17 / 5 * 5;
mov.u32 %r4, %cells;
st.shared.u32 [%r4+4*8], %r0;
st.shared.u32 [%cells + 16 * 2 + 4], %r1;
ld.shared.v2.u32 {%r5, %r6}, [%cells+32];
st.global.v4.u32 [%out], {%r0, %r1, %r2, %r3};
st.global.v2.u32 [%out+8*2], {%r5, %r6};
)",
                             6) ==
          std::vector<std::uint32_t>{2 + 3 * 4, 100 - 7 - 3 * 2 / 3 - -1, (1 << 4) | ((0xf0 & 0x3c) ^ 5),
                                     static_cast<std::uint32_t>(-17 / 5 * 5), 14, 92});
    CHECK_THAT(run_error("mov.u32 %r0, 4 / 0;"), Catch::Contains("t.ptx:16:16: division by zero"));
    CHECK_THAT(run_error("mov.u32 %r0, 4 * %r1;"),
               Catch::Contains("expected a number behind the operator, found '%r1'"));
}
