// cp.async.bulk and cp.reduce.async.bulk: what they move, what they tell their mbarriers, and what is refused.
#include "catch.hpp"
#include "harness.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace ptx_test;
using Catch::Contains;

namespace {
std::string const tile = ".shared .align 128 .b8 tile[4096];\n.shared .align 8 .b64 bar[8];\n";
// %p0: thread 0; an mbarrier of one arrival.
std::string const begin = R"(
setp.eq.u32 %p0, %r31, 0;
mov.u32 %r0, tile; mov.u32 %r1, bar;
@%p0 mbarrier.init.shared::cta.b64 [%r1], 1;
fence.proxy.async; bar.sync 0;
)";
std::string const wait = R"(
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], 0;
@!%p1 bra WAIT;
)";

std::vector<std::uint8_t> numbered(std::size_t n) {
    std::vector<std::uint8_t> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<std::uint8_t>(i * 13 + i / 256 + 1);
    return v;
}
std::string fails(std::string const& body) { return run_error(begin + body, 64, 1'000'000, 4096, tile); }
} // namespace

TEST_CASE("cp.async.bulk: to shared memory and back, with an mbarrier and a bulk group", "[ptx][bulk]") {
    machine m(module_of(kernel_of(begin + R"(
@!%p0 bra OTHERS;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 1024;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%out], 1008, [%r1];
add.u64 %rd2, %out, 1008; mov.u64 %rd3, 0;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [tile+1008], [%rd2+0], 16, [bar], %rd3;
OTHERS:
)" + wait + R"(
mad.lo.u32 %r2, %r31, 16, %r0;
ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];
not.b32 %r3, %r3;
st.shared.u32 [%r2], %r3;
fence.proxy.async.shared::cta; bar.sync 0;
@%p0 cp.async.bulk.global.shared::cta.bulk_group [%out+1024], [%r0], 1024;
@%p0 cp.async.bulk.commit_group;
@%p0 cp.async.bulk.wait_group.read 0;
@%p0 cp.async.bulk.wait_group 0;
cp.async.bulk.prefetch.L2.global [%out], 64;)",
                                  tile)));
    auto const source = numbered(1024);
    auto bytes = source;
    bytes.resize(2048);
    auto const out = m.upload(bytes);
    m.launch("k", {1, 1, 1}, {64, 1, 1}, arguments({out}));
    auto const got = m.download<std::uint8_t>(out, 2048);
    for (unsigned i = 0; i < 1024; ++i)
        REQUIRE(got[1024 + i] == (i % 16 < 4 ? static_cast<std::uint8_t>(~source[i]) : source[i]));
}

TEST_CASE("cp.async.bulk: between CTAs of a cluster, and to many at once", "[ptx][bulk]") {
    std::string const copies = R"(
mov.u32 %r10, %cluster_ctarank; mov.u32 %r11, %ctaid.x;
@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 512;
barrier.cluster.arrive; barrier.cluster.wait;
setp.eq.u32 %p2, %r10, 1; and.pred %p3, %p0, %p2;
mov.b16 %h0, 0xd;
@%p3 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r0], [%out], 512, [%r1], %h0;
@!%p2 bra GO;
@!%p0 bra GO;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%out+256], 256, [%r1];
mapa.shared::cluster.u32 %r12, %r0, 1; mapa.shared::cluster.u32 %r13, %r1, 1;
cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r12+256], [%r0], 256, [%r13];
GO:
)";
    machine m(module_of(kernel_of(begin + copies + wait + R"(
mad.lo.u32 %r2, %r31, 8, %r0;
ld.shared.v2.u32 {%r3, %r4}, [%r2];
mad.lo.u32 %r5, %r11, 64, %r31; mul.wide.u32 %rd1, %r5, 8; add.u64 %rd1, %rd1, %out;
st.global.v2.u32 [%rd1+512], {%r3, %r4};
barrier.cluster.arrive; barrier.cluster.wait;)",
                                  tile)));
    m.set_cluster({4, 1, 1});
    auto bytes = numbered(512);
    auto const source = bytes;
    bytes.resize(512 + 4 * 512);
    auto const out = m.upload(bytes);
    m.launch("k", {4, 1, 1}, {64, 1, 1}, arguments({out}));
    auto const got = m.download<std::uint8_t>(out, bytes.size());
    for (unsigned rank = 0; rank < 4; ++rank)
        for (unsigned i = 0; i < 512; ++i)
            REQUIRE(got[512 + rank * 512 + i] == (rank == 1 ? source[256 + i % 256] : source[i]));
}

namespace {
// 64 numbers of T: op into what lies at %out + 512 from what lies at %out; `shared`: into shared memory first.
template <class T>
std::vector<T> reduced(std::string const& words, std::vector<T> const& to, std::vector<T> const& from,
                       bool shared) {
    auto const bytes = std::to_string(from.size() * sizeof(T));
    std::string body = begin + "@!%p0 bra OTHERS;\n";
    body += "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], " +
            std::to_string(from.size() * sizeof(T) * (shared ? 3 : 1)) + ";\n";
    body += "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%out], " + bytes +
            ", [%r1];\n";
    if (shared) {
        body += "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0+1024], [%out+512], " +
                bytes +
                ", [%r1];\ncp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." +
                words + " [%r0+1024], [%r0], " + bytes + ", [%r1];\n" +
                "cp.async.bulk.global.shared::cta.bulk_group [%out+512], [%r0+1024], " + bytes + ";\n";
    } else {
        body += "cp.reduce.async.bulk.global.shared::cta.bulk_group." + words + " [%out+512], [%r0], " +
                bytes + ";\n";
    }
    body += "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nOTHERS:\n" + wait;
    machine m(module_of(kernel_of(body, tile)));
    std::vector<std::uint8_t> memory(1024);
    std::memcpy(memory.data(), from.data(), from.size() * sizeof(T));
    std::memcpy(memory.data() + 512, to.data(), to.size() * sizeof(T));
    auto const out = m.upload(memory);
    m.launch("k", {1, 1, 1}, {64, 1, 1}, arguments({out}));
    memory = m.download<std::uint8_t>(out, 1024);
    std::vector<T> result(to.size());
    std::memcpy(result.data(), memory.data() + 512, result.size() * sizeof(T));
    return result;
}
template <class T, class F>
void check_reduction(std::string const& words, bool shared_too, F const& wanted) {
    CAPTURE(words);
    std::vector<T> to(32);
    std::vector<T> from(32);
    for (unsigned i = 0; i < 32; ++i) {
        to[i] = static_cast<T>(static_cast<std::int64_t>(i * i * 77) - 5000);
        from[i] = static_cast<T>(i % 7 == 0 ? -1 : static_cast<int>(i) * 300 - 4000);
    }
    for (bool const shared : {false, true}) {
        if (shared && !shared_too) continue;
        auto const got = reduced(words, to, from, shared);
        for (unsigned i = 0; i < 32; ++i) CHECK(got[i] == wanted(to[i], from[i]));
    }
}
} // namespace

TEST_CASE("cp.reduce.async.bulk: every operation and type", "[ptx][bulk]") {
    using u32 = std::uint32_t;
    using u64 = std::uint64_t;
    check_reduction<u32>("add.u32", true, [](u32 a, u32 b) { return a + b; });
    check_reduction<u32>("add.s32", true, [](u32 a, u32 b) { return a + b; });
    check_reduction<u64>("add.u64", true, [](u64 a, u64 b) { return a + b; });
    check_reduction<u32>("min.u32", true, [](u32 a, u32 b) { return std::min(a, b); });
    check_reduction<std::int32_t>("min.s32", true, [](auto a, auto b) { return std::min(a, b); });
    check_reduction<u32>("max.u32", true, [](u32 a, u32 b) { return std::max(a, b); });
    check_reduction<std::int32_t>("max.s32", true, [](auto a, auto b) { return std::max(a, b); });
    check_reduction<u64>("min.u64", false, [](u64 a, u64 b) { return std::min(a, b); });
    check_reduction<std::int64_t>("max.s64", false, [](auto a, auto b) { return std::max(a, b); });
    check_reduction<u32>("and.b32", true, [](u32 a, u32 b) { return a & b; });
    check_reduction<u32>("or.b32", true, [](u32 a, u32 b) { return a | b; });
    check_reduction<u32>("xor.b32", true, [](u32 a, u32 b) { return a ^ b; });
    check_reduction<u64>("xor.b64", false, [](u64 a, u64 b) { return a ^ b; });
    check_reduction<u32>("inc.u32", true, [](u32 a, u32 b) { return a >= b ? 0 : a + 1; });
    check_reduction<u32>("dec.u32", true, [](u32 a, u32 b) { return a == 0 || a > b ? b : a - 1; });
    check_reduction<float>("add.f32", false, [](float a, float b) { return a + b; });
    check_reduction<double>("add.f64", false, [](double a, double b) { return a + b; });
    // Subnormal numbers of .f32 are flushed, those of .f64 are not.
    auto const tiny = std::numeric_limits<float>::denorm_min();
    CHECK(reduced<float>("add.f32", {tiny, 1, 2, 3}, {tiny, tiny, 1, 1}, false) ==
          std::vector<float>{0, 1, 3, 4});
    // 1.5 + 2.25 and the like, in halves of 10 and 7 bits.
    std::vector<std::uint16_t> const halves{0x3e00, 0x4080, 0xc000, 0x7bff, 0x0001, 0x8000, 0x3c00, 0x4400};
    std::vector<std::uint16_t> const others{0x4080, 0x4080, 0x4000, 0x7bff, 0x0001, 0x0000, 0xbc00, 0x7e00};
    CHECK(reduced<std::uint16_t>("add.noftz.f16", halves, others, false) ==
          std::vector<std::uint16_t>{0x4380, 0x4480, 0x0000, 0x7c00, 0x0002, 0x0000, 0x0000, 0x7fff});
    CHECK(reduced<std::uint16_t>("min.f16", halves, others, false) ==
          std::vector<std::uint16_t>{0x3e00, 0x4080, 0xc000, 0x7bff, 0x0001, 0x8000, 0xbc00, 0x4400});
    CHECK(reduced<std::uint16_t>("max.f16", halves, others, false) ==
          std::vector<std::uint16_t>{0x4080, 0x4080, 0x4000, 0x7bff, 0x0001, 0x0000, 0x3c00, 0x4400});
    std::vector<std::uint16_t> const brains{0x3fc0, 0x4010, 0xc000, 0x3f80, 0, 0, 0, 0};
    std::vector<std::uint16_t> const more{0x4010, 0x4010, 0x4000, 0xbf80, 0, 0, 0, 0};
    CHECK(reduced<std::uint16_t>("add.noftz.bf16", brains, more, false) ==
          std::vector<std::uint16_t>{0x4070, 0x4090, 0, 0, 0, 0, 0, 0});
    CHECK(reduced<std::uint16_t>("max.bf16", brains, more, false) ==
          std::vector<std::uint16_t>{0x4010, 0x4010, 0x4000, 0x3f80, 0, 0, 0, 0});
}

TEST_CASE("st.async and red.async: values to other CTAs, with their transactions", "[ptx][bulk]") {
    machine m(module_of(kernel_of(begin + R"(
mov.u32 %r10, %cluster_ctarank; xor.b32 %r11, %r10, 1;
mov.u32 %r2, 100; setp.lt.u32 %p4, %r31, 3; @%p4 st.shared.u32 [tile+1024], %r2;
@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 800;
barrier.cluster.arrive; barrier.cluster.wait;
mapa.shared::cluster.u32 %r12, %r0, %r11; mapa.shared::cluster.u32 %r13, %r1, %r11;
mad.lo.u32 %r14, %r31, 8, %r12; add.u32 %r3, %r31, 1000;
st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.u32 [%r14], {%r31, %r3}, [%r13];
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r12+1024], 2, [%r13];
setp.lt.u32 %p2, %r31, 4; mov.u64 %rd3, -1; add.u32 %r15, %r12, 1032;
@%p2 st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%r15], %rd3, [%r13];
)" + wait + R"(
mad.lo.u32 %r4, %r31, 8, %r0; ld.shared.v2.u32 {%r5, %r6}, [%r4]; ld.shared.u32 %r7, [tile+1024];
ld.shared.u32 %r8, [tile+1036];
mov.u32 %r9, %ctaid.x; mad.lo.u32 %r9, %r9, 64, %r31; mul.wide.u32 %rd1, %r9, 16; add.u64 %rd1, %rd1, %out;
st.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8};
barrier.cluster.arrive; barrier.cluster.wait;)",
                                  tile)));
    m.set_cluster({2, 1, 1});
    auto const out = m.upload(std::vector<std::uint32_t>(512));
    m.launch("k", {2, 1, 1}, {64, 1, 1}, arguments({out}));
    auto const got = m.download<std::uint32_t>(out, 512);
    for (unsigned i = 0; i < 128; ++i) {
        auto const* const v = &got[std::size_t{4} * i];
        CHECK(std::vector<std::uint32_t>(v, v + 4) ==
              std::vector<std::uint32_t>{i % 64, i % 64 + 1000, 100 + 128, 0xffffffff});
    }
}

TEST_CASE("Bulk copies: what does not fit is refused", "[ptx][bulk]") {
    std::string const load = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes ";
    auto const says = [](std::string const& body) { return parse_error(module_of(kernel_of(body, tile))); };
    CHECK(says(load + "[tile], [%out], 16, [bar];").empty());
    CHECK_THAT(says("cp.async.bulk.shared::cluster.global.bulk_group [tile], [%out], 16;"),
               Contains("t.ptx:18:1: unknown form") && Contains("known: "));
    CHECK_THAT(says("cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%out], [tile], 16, %h0;"),
               Contains("unknown form"));
    CHECK_THAT(says(load + "[tile], %out, 16, [bar];"), Contains("expected an address in square brackets"));
    CHECK_THAT(says(load + "[tile], [%out], 16;"), Contains("takes 4 to 5 operands, found 3"));
    for (auto const* const words :
         {"add.f32", "add.s64", "min.u64", "xor.b64", "inc.s32", "and.u32", "exch.b32"})
        CHECK_THAT(says("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." +
                        std::string(words) + " [tile], [tile], 16, [bar];"),
                   Contains("unknown form"));
    for (auto const* const words : {"add.f16", "add.s64", "min.f32", "inc.u64", "and.u32", "add.b32"})
        CHECK_THAT(says("cp.reduce.async.bulk.global.shared::cta.bulk_group." + std::string(words) +
                        " [%out], [tile], 16;"),
                   Contains("unknown form"));
    CHECK_THAT(fails("@%p0 " + load + "[tile], [%out], 24, [bar];"),
               Contains("expected a multiple of 16 bytes, found 24") && Contains("t.ptx:23"));
    CHECK_THAT(fails("@%p0 " + load + "[tile+8], [%out], 16, [bar];"),
               Contains("misaligned access at t.ptx:23"));
    CHECK_THAT(fails("@%p0 " + load + "[tile], [%out+8], 16, [bar];"), Contains("misaligned"));
    CHECK_THAT(fails("@%p0 " + load + "[tile], [%out+4000], 112, [bar];"),
               Contains("out-of-range") && Contains("112 bytes") && Contains("global memory"));
    CHECK_THAT(fails("@%p0 " + load + "[tile+4096], [%out], 4096, [bar];"),
               Contains("out-of-range") && Contains("shared memory"));
    CHECK_THAT(fails("@%p0 " + load + "[tile], [%out], 16, [bar+8];"),
               Contains("there was no mbarrier.init"));
    CHECK_THAT(fails("mov.b16 %h0, 2; @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                     "multicast::cluster [tile], [%out], 16, [bar], %h0;"),
               Contains("expected a mask of the cluster's 1 CTAs, found 2"));
    // Who forgets the copy, or expects more bytes, waits for ever.
    CHECK_THAT(fails("@%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 32;\n@%p0 " + load +
                     "[tile], [%out], 16, [bar];" + wait),
               Contains("waits for what never comes to pass: warp 0 waits at t.ptx"));

    machine m(
        module_of(kernel_of(begin + "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                                    "[tile], [tile], 16, [%r1];",
                            tile)),
        "t.ptx");
    CHECK_THAT(
        m.timed_error("k", {1, 1, 1}, {64, 1, 1}, arguments({m.upload(std::vector<bits>(8))})),
        Contains("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes at t.ptx:23 is "
                 "executed and not timed") &&
            Contains("WARPKIT_TIMING=off"));
}
