/// Registers of 128 bits, and what Blackwell's kernels hold in them: the answer to clusterlaunchcontrol.

#include "catch.hpp"
#include "harness.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace ptx_test;

TEST_CASE("mov.b128 puts two words together and takes them apart", "[ptx][wide]") {
    auto const got = run<std::uint64_t>(R"(
.reg .b128 %w<3>;
cvt.u64.u32 %rd1, %r31;
shl.b64 %rd2, %rd1, 40;
mov.b128 %w0, {%rd1, %rd2};
mov.b128 %w1, %w0;
mov.b128 %w2, {%rd2, 0x1122334455667788};
mov.b128 {%rd3, %rd4}, %w1;
mov.b128 {_, %rd5}, %w2;
mov.b128 {%rd6, _}, %w2;
setp.lt.u32 %p1, %r31, 3;
@%p1 mov.b128 %w1, %w2;
mov.b128 {%rd7, _}, %w1;
mul.wide.u32 %rd31, %r31, 40;
add.s64 %rd31, %out, %rd31;
st.global.u64 [%rd31], %rd3;
st.global.u64 [%rd31+8], %rd4;
st.global.u64 [%rd31+16], %rd5;
st.global.u64 [%rd31+24], %rd6;
st.global.u64 [%rd31+32], %rd7;
)",
                                        5 * 32);
    for (std::uint64_t t = 0; t < 32; ++t) {
        auto const* const p = &got[5 * t];
        CHECK(std::vector<std::uint64_t>(p, p + 5) ==
              std::vector<std::uint64_t>{t, t << 40, 0x1122334455667788, t << 40, t < 3 ? t << 40 : t});
    }
}

TEST_CASE("Loads and stores of 128 bits in every space", "[ptx][wide]") {
    for (std::string const space : {"global", "shared", "local", ""})
        for (std::string const order : {"", ".volatile", ".relaxed.gpu", ".weak"}) {
            if (order == ".weak" && space == "local") continue;
            INFO(space << order);
            auto const in = space.empty() ? "" : "." + space;
            auto const place = space == "shared" ? "cell" : space == "local" ? "own" : "%rd30";
            auto const got = run<std::uint64_t>(
                ".reg .b128 %w<3>;\n.shared .align 16 .b8 tile[512];\n.local .align 16 .b8 own[16];\n"
                "mul.wide.u32 %rd31, %r31, 32;\nadd.s64 %rd31, %out, %rd31;\nadd.s64 %rd30, %rd31, 16;\n"
                "shl.b32 %r1, %r31, 4;\nmov.u32 %r2, tile;\nadd.u32 %r2, %r2, %r1;\n"
                "cvt.u64.u32 %rd1, %r31;\nadd.u64 %rd2, %rd1, 1000;\nmov.b128 %w0, {%rd1, %rd2};\nst" +
                    order + in + ".b128 [" + (space == "shared" ? "%r2" : place) + "], %w0;\nld" + order +
                    in + ".b128 %w1, [" + (space == "shared" ? "%r2" : place) +
                    "];\nst.global.b128 [%rd31], %w1;\n",
                4 * 32);
            for (std::uint64_t t = 0; t < 32; ++t) {
                REQUIRE(got[4 * t] == t);
                REQUIRE(got[4 * t + 1] == t + 1000);
            }
        }
    CHECK_THAT(run_error(".reg .b128 %w;\nld.global.b128 %w, [%out+8];"),
               Catch::Contains("misaligned access") && Catch::Contains("16 bytes"));
    CHECK_THAT(run_error(".reg .b128 %w;\nld.global.b64 %w, [%out];"),
               Catch::Contains("a destination register of type .b64"));
    CHECK_THAT(run_error("ld.global.b128 %rd1, [%out];"),
               Catch::Contains("a destination register of type .b128"));
    CHECK_THAT(run_error(".reg .b128 %w;\nmov.b128 %w, {%r1, %r2, %r3, %r4};"),
               Catch::Contains("a value of type .b128, found a vector"));
    CHECK_THAT(run_error(".reg .b128 %w;\nadd.b64 %rd1, %w, %rd1;"), Catch::Contains("a value of type .b64"));
    CHECK(run_error("ld.global.b128 _, [%out];").empty());
    // As many of them as there are at once.
    auto const got = run<std::uint64_t>(R"(
.reg .b128 %w<40>;
)" +
                                            [] {
                                                std::string text = "cvt.u64.u32 %rd1, %r31;\n";
                                                for (int i = 0; i < 40; ++i)
                                                    text += "add.u64 %rd2, %rd1, " + std::to_string(i) +
                                                            ";\nmov.b128 %w" + std::to_string(i) +
                                                            ", {%rd1, %rd2};\n";
                                                text += "mov.u64 %rd3, 0;\n";
                                                for (int i = 0; i < 40; ++i)
                                                    text += "mov.b128 {_, %rd4}, %w" + std::to_string(i) +
                                                            ";\nmad.lo.u64 %rd3, %rd3, 3, %rd4;\n";
                                                return text + "mul.wide.u32 %rd31, %r31, 8;\nadd.s64 %rd31, "
                                                              "%out, %rd31;\nst.global.u64 [%rd31], %rd3;\n";
                                            }(),
                                        32);
    for (std::uint64_t t = 0; t < 32; ++t) {
        std::uint64_t sum = 0;
        for (std::uint64_t i = 0; i < 40; ++i) sum = sum * 3 + t + i;
        CHECK(got[t] == sum);
    }
}

TEST_CASE("atom.exch and atom.cas of 128 bits, lane after lane", "[ptx][wide]") {
    for (std::string const space : {"global", "shared", ""}) {
        INFO(space);
        auto const in = space.empty() ? "" : "." + space;
        std::string const at = space == "shared" ? "[cell]" : "[%rd30]";
        // Each lane puts {t + 1, 7 t} there; then those that find what the lane before them left put {t, t}.
        auto const got = run<std::uint64_t>(
            ".reg .b128 %w<5>;\n.shared .align 16 .b8 cell[16];\nadd.s64 %rd30, %out, 2048;\n"
            "st.shared.v2.u64 [cell], {0, 0};\ncvt.u64.u32 %rd1, %r31;\nadd.u64 %rd2, %rd1, 1;\n"
            "mul.lo.u64 %rd3, %rd1, 7;\nmov.b128 %w0, {%rd2, %rd3};\natom" +
                in + ".relaxed.gpu.exch.b128 %w1, " + at +
                ", %w0;\nsub.u64 %rd4, %rd1, 1;\nsetp.eq.u32 %p1, %r31, 0;\n"
                "selp.u64 %rd5, 32, %rd4, %p1;\nselp.u64 %rd6, 217, %rd4, %p1;\nmov.b128 %w2, {%rd5, %rd6};\n"
                "mov.b128 %w3, {%rd1, %rd1};\nsetp.ne.u32 %p2, %r31, 9;\n@%p2 atom" +
                in + ".cas.b128 %w4, " + at +
                ", %w2, %w3;\nmul.wide.u32 %rd31, %r31, 32;\nadd.s64 %rd31, %out, %rd31;\n"
                "st.global.b128 [%rd31], %w1;\n@%p2 st.global.b128 [%rd31+16], %w4;\n",
            4 * 32 + 256, 32);
        for (std::uint64_t t = 0; t < 32; ++t) {
            REQUIRE(got[4 * t] == t); // what the lane before it put there
            REQUIRE(got[4 * t + 1] == (t == 0 ? 0 : 7 * (t - 1)));
            if (t == 9) continue; // who does nothing; the chain ends with lane 8
            REQUIRE(got[4 * t + 2] == (t == 0 ? 32 : t <= 8 ? t - 1 : 8));
            REQUIRE(got[4 * t + 3] == (t == 0 ? 217 : t <= 8 ? t - 1 : 8));
        }
    }
    CHECK_THAT(run_error(".reg .b128 %w<2>;\natom.global.exch.b128 %w0, [%out+8], %w1;"),
               Catch::Contains("misaligned access"));
    CHECK_THAT(parse_error(module_of(kernel_of(".reg .b128 %w<2>;\natom.global.add.b128 %w0, [%out], %w1;"))),
               Catch::Contains("unknown form"));
}

TEST_CASE("A function that calls itself keeps registers of 128 bits", "[ptx][wide][recursion]") {
    std::string const text = R"(
.func (.param .b64 result) f(.param .b32 n)
{
.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .b128 %w; .reg .pred %p;
ld.param.b32 %r1, [n];
cvt.u64.u32 %rd1, %r1;
mul.lo.u64 %rd2, %rd1, 11;
mov.b128 %w, {%rd1, %rd2};
mov.u64 %rd3, 1;
setp.eq.u32 %p, %r1, 0;
@%p bra DONE;
sub.u32 %r2, %r1, 1;
{
.param .b32 a; .param .b64 v;
st.param.b32 [a], %r2;
call.uni (v), f, (a);
ld.param.b64 %rd3, [v];
}
DONE:
mov.b128 {%rd1, %rd2}, %w;
mad.lo.u64 %rd3, %rd3, 3, %rd1;
add.u64 %rd3, %rd3, %rd2;
st.param.b64 [result], %rd3;
ret;
}
)";
    auto const got = run<std::uint64_t>(
        "{\n.param .b32 a; .param .b64 v;\nst.param.b32 [a], %r31;\ncall.uni (v), f, (a);\n"
        "ld.param.b64 %rd1, [v];\n}\nmul.wide.u32 %rd31, %r31, 8;\n"
        "add.s64 %rd31, %out, %rd31;\nst.global.u64 [%rd31], %rd1;\n",
        20, 20, text);
    std::uint64_t sum = 1;
    for (std::uint64_t t = 0; t < 20; ++t) {
        sum = sum * 3 + 12 * t;
        CHECK(got[t] == sum);
    }
}

TEST_CASE("A CTA that asks for another's work is given none, and told so through its mbarrier",
          "[ptx][wide]") {
    // As CUTLASS's persistent scheduler asks: clusterlaunchcontrol.try_cancel, a wait, the answer.
    auto const got = run<std::uint32_t>(R"(
.reg .b128 %w;
.shared .align 16 .b8 answer[16];
.shared .align 8 .b64 arrived;
setp.eq.u32 %p1, %r31, 0;
@!%p1 bra WAIT;
st.shared.v4.u32 [answer], {-1, -1, -1, -1};
mbarrier.init.shared::cta.b64 [arrived], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [arrived], 16;
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [arrived];
WAIT:
bar.sync 0;
AGAIN:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [arrived], 0;
@!%p2 bra AGAIN;
ld.shared.b128 %w, [answer];
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %w;
selp.u32 %r1, 1, 0, %p3;
mul.wide.u32 %rd31, %r31, 4;
add.s64 %rd31, %out, %rd31;
st.global.u32 [%rd31], %r1;
)",
                                        64, 64);
    CHECK(got == std::vector<std::uint32_t>(64, 0));

    // What an answer would say that gives the cluster whose first CTA is (t, 7, 9).
    auto const parts = run<std::uint32_t>(R"(
.reg .b128 %w;
cvt.u64.u32 %rd1, %r31;
shl.b64 %rd1, %rd1, 32;
or.b64 %rd1, %rd1, 1;
mov.b128 %w, {%rd1, 38654705671};
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %w;
@%p3 clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r1, %r2, %r3, _}, %w;
clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %r4, %w;
clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %r5, %w;
clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %r6, %w;
mul.wide.u32 %rd31, %r31, 32;
add.s64 %rd31, %out, %rd31;
st.global.v2.u32 [%rd31], {%r1, %r2};
st.global.v4.u32 [%rd31+16], {%r3, %r4, %r5, %r6};
)",
                                          8 * 32);
    for (std::uint32_t t = 0; t < 32; ++t) {
        auto const* const p = &parts[8 * t];
        CHECK(std::vector<std::uint32_t>{p[0], p[1], p[4], p[5], p[6], p[7]} ==
              std::vector<std::uint32_t>{t, 7, 9, t, 7, 9});
    }
    CHECK_THAT(parse_error(module_of(
                   kernel_of("clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %rd1;"))),
               Catch::Contains("a value of type .b128"));
}

TEST_CASE("With multicast all CTAs of a cluster are told", "[ptx][wide][cluster]") {
    machine m(module_of(kernel_of(R"(
.reg .b128 %w;
.shared .align 16 .b8 answer[16];
.shared .align 8 .b64 arrived;
st.shared.v4.u32 [answer], {-1, -1, -1, -1};
mbarrier.init.shared::cta.b64 [arrived], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [arrived], 16;
barrier.cluster.arrive;
barrier.cluster.wait;
mov.u32 %r1, %cluster_ctarank;
setp.eq.u32 %p1, %r1, 1;
@%p1 clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [answer], [arrived];
AGAIN:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [arrived], 0;
@!%p2 bra AGAIN;
ld.shared.b128 %w, [answer];
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p3, %w;
selp.u32 %r2, 5, 6, %p3;
mov.u32 %r3, %ctaid.x;
mul.wide.u32 %rd31, %r3, 4;
add.s64 %rd31, %out, %rd31;
st.global.u32 [%rd31], %r2;
barrier.cluster.arrive;
barrier.cluster.wait;
)")));
    auto const out = m.upload(std::vector<std::uint32_t>(8));
    m.set_cluster({4, 1, 1});
    m.launch("k", {8, 1, 1}, {1, 1, 1}, arguments({out}));
    CHECK(m.download<std::uint32_t>(out, 8) == std::vector<std::uint32_t>(8, 6));
}
