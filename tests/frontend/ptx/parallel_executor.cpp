// One launch on several host threads (ptx/parallel_executor.hpp): as on one where CTAs do not race, atomics that lose
// nothing, CTAs that wait for each other, faults, and what stays on one thread.
#include <warpkit/base/error.hpp>

#include "catch.hpp"
#include "harness.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using namespace ptx_test;
using Catch::Contains;

namespace {

// %r20, %r21, %r22: the CTA's number, how many there are, and the thread's number in the grid.
std::string const numbers = R"(
mov.u32 %r20, %ctaid.x; mov.u32 %r21, %nctaid.x; mov.u32 %r22, %ntid.x; mad.lo.u32 %r22, %r20, %r22, %r31;
)";
std::string module_for(std::string const& body, std::string const& before = "") {
    return ".version 8.6\n.target sm_90\n.address_size 64\n" + kernel_of(body, before);
}
struct shape {
    unsigned ctas = 1;
    unsigned per_cta = 32; // threads
    std::uint64_t limit = 100'000'000;
};
constexpr std::uint64_t no_bound = std::uint64_t{1} << 29;

struct outcome {
    std::vector<std::uint32_t> words; // from %out on
    std::string error;
    unsigned used = 0; // host threads
};
outcome run_on(unsigned threads, std::string const& body, shape s, std::size_t words,
               std::string const& before = "", warpkit::dim3 cluster = {0, 0, 0}, bool cooperative = false) {
    machine m(module_for(body, before), "t.ptx");
    m.set_threads(threads);
    m.set_cluster(cluster);
    if (cooperative) m.set_cooperative();
    auto const out = m.upload(std::vector<std::uint32_t>(words));
    outcome o;
    try {
        m.launch("k", {s.ctas, 1, 1}, {s.per_cta, 1, 1}, arguments({out}), 0, s.limit, no_bound, false);
    } catch (warpkit::error const& e) {
        o.error = e.what();
    }
    o.words = m.download<std::uint32_t>(out, words);
    o.used = m.threads_used();
    return o;
}

// `update` at %rd0, 100 times by each thread of 64 CTAs of 32; %r9 is the thread's number in the grid, from 1 on.
constexpr unsigned rounds = 100;
constexpr unsigned ctas = 64;
constexpr unsigned all_updates = rounds * ctas * 32;
std::vector<std::uint32_t> after(std::string const& update, std::vector<std::uint32_t> const& before,
                                 unsigned threads, unsigned times = rounds) {
    auto const body = numbers + "mov.u64 %rd0, %out; add.u32 %r9, %r22, 1; mov.u32 %r1, 0;\nLOOP:\n" +
                      update + "\nadd.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, " + std::to_string(times) +
                      ";\n@%p0 bra LOOP;\n";
    machine m(module_for(body), "t.ptx");
    m.set_threads(threads);
    auto const out = m.upload(before);
    m.launch("k", {ctas, 1, 1}, {32, 1, 1}, arguments({out}), 0, 100'000'000, no_bound, false);
    CHECK(m.threads_used() == threads);
    return m.download<std::uint32_t>(out, before.size());
}
using words = std::vector<std::uint32_t>;
std::uint32_t bits_of(float x) {
    std::uint32_t b = 0;
    std::memcpy(&b, &x, sizeof b);
    return b;
}

} // namespace

TEST_CASE("several host threads leave the memory that one leaves", "[ptx][threads]") {
    // CTAs of different lengths, with divergence, shared memory and barriers.
    std::string const body = numbers + R"(
.shared .align 4 .b8 all[512];
mul.lo.u32 %r1, %r20, 37; and.b32 %r1, %r1, 63; and.b32 %r2, %r31, 7; add.u32 %r1, %r1, %r2;
mov.u32 %r3, %r22;
LOOP:
mad.lo.u32 %r3, %r3, 1664525, 1013904223;
setp.eq.u32 %p0, %r1, 0;
add.u32 %r1, %r1, -1;
@!%p0 bra LOOP;
mov.u32 %r4, all; shl.b32 %r5, %r31, 2; add.u32 %r4, %r4, %r5;
st.shared.u32 [%r4], %r3;
bar.sync 0;
xor.b32 %r5, %r5, 508; mov.u32 %r4, all; add.u32 %r4, %r4, %r5; ld.shared.u32 %r6, [%r4];
mul.wide.u32 %rd1, %r22, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], %r6;
)";
    shape const s{301, 128};
    auto const one = run_on(1, body, s, 301 * 128);
    for (unsigned const threads : {2U, 3U, 8U}) {
        auto const several = run_on(threads, body, s, 301 * 128);
        CHECK(several.used == threads);
        CHECK(several.error.empty());
        CHECK(several.words == one.words);
    }
}

TEST_CASE("several host threads are never more than CTAs, or clusters", "[ptx][threads]") {
    auto const body = numbers + "st.global.u32 [%out], 1;";
    CHECK(run_on(8, body, {5, 32}, 4).used == 5);
    CHECK(run_on(8, body, {1, 32}, 4).used == 1);
    CHECK(run_on(8, body, {6, 32}, 4, "", {2, 1, 1}).used == 3);
}

TEST_CASE("several host threads lose nothing of atom and red", "[ptx][threads]") {
    for (unsigned const threads : {2U, 8U}) {
        INFO(threads << " threads");
        // Sums by words of 32 and 64 bits, signed and not, by generic addresses, and with what was there before.
        CHECK(after("atom.global.add.u32 %r2, [%rd0], 3;", {5}, threads) == words{5 + 3 * all_updates});
        CHECK(after("red.add.s32 [%rd0], -1;", {0}, threads) == words{0U - all_updates});
        CHECK(after("red.global.add.u64 [%rd0], 4294967297;", {0, 0}, threads) ==
              words{all_updates, all_updates});
        CHECK(after("atom.add.f32 %f0, [%rd0], 0f3F800000;", {0}, threads) ==
              words{bits_of(static_cast<float>(all_updates))});
        CHECK(after("red.global.add.f64 [%rd0], 0d3FF0000000000000;", {0, 0}, threads) ==
              words{0, 0x41090000}); // 204800.0
        // The greatest and the least, and bits.
        CHECK(after("atom.global.max.u32 %r2, [%rd0], %r9;", {0}, threads) == words{ctas * 32});
        CHECK(after("neg.s32 %r3, %r9; atom.global.min.s32 %r2, [%rd0], %r3;", {0}, threads) ==
              words{0U - ctas * 32});
        CHECK(after("cvt.u64.u32 %rd2, %r9; red.global.max.u64 [%rd0], %rd2;", {0, 0}, threads) ==
              words{ctas * 32, 0});
        CHECK(after("cvt.s64.s32 %rd2, %r9; neg.s64 %rd2, %rd2; red.global.min.s64 [%rd0], %rd2;", {0, 0},
                    threads) == words{0U - ctas * 32, ~0U});
        CHECK(after("and.b32 %r3, %r20, 31; mov.u32 %r4, 1; shl.b32 %r4, %r4, %r3; red.global.or.b32 [%rd0], "
                    "%r4;",
                    {0}, threads) == words{~0U});
        CHECK(after("and.b32 %r3, %r20, 31; mov.u32 %r4, 1; shl.b32 %r4, %r4, %r3; not.b32 %r4, %r4;"
                    "red.global.and.b32 [%rd0], %r4;",
                    {~0U}, threads) == words{0});
        // Each thread's bit an even number of times.
        CHECK(after("atom.global.xor.b32 %r2, [%rd0], %r9;", {77}, threads) == words{77});
        CHECK(after("mov.b64 %rd2, {%r9, %r9}; atom.global.xor.b64 %rd3, [%rd0], %rd2;", {7, 9}, threads) ==
              words{7, 9});
        // As often round as updates go into it, up and down.
        CHECK(after("atom.global.inc.u32 %r2, [%rd0], 999;", {0}, threads) == words{all_updates % 1000});
        CHECK(after("atom.global.dec.u32 %r2, [%rd0], 999;", {0}, threads) ==
              words{1000 - all_updates % 1000});
        // Who swaps what in passes it on: what is there in the end and all that came out is what went in.
        CHECK(
            after("mov.u32 %r2, %r9; atom.global.exch.b32 %r2, [%rd0], %r2; red.global.add.u32 [%rd0+4], %r2;"
                  "red.global.add.u32 [%rd0+8], %r9;",
                  {0, 0, 0}, threads)[0] != 0);
        auto const swapped = after("atom.global.exch.b32 %r2, [%rd0], %r9; red.global.add.u32 [%rd0+4], %r2;"
                                   "red.global.add.u32 [%rd0+8], %r9;",
                                   {0, 0, 0}, threads);
        CHECK(swapped[0] + swapped[1] == swapped[2]);
    }
}

TEST_CASE("several host threads lose nothing of narrow and packed atomics and of vectors", "[ptx][threads]") {
    for (unsigned const threads : {2U, 8U}) {
        INFO(threads << " threads");
        // Up to 2048, 256 in bfloat16, where each sum is exact: by one thread of each warp.
        auto const first_of = [&](std::string const& text, unsigned one_of) {
            return "and.b32 %r3, %r31, " + std::to_string(one_of - 1) + "; setp.eq.u32 %p1, %r3, 0;\n" + text;
        };
        CHECK(after(first_of("mov.b16 %h0, 0x3C00; @%p1 atom.global.add.noftz.f16 %h1, [%rd0+2], %h0;", 32),
                    {0x1234}, threads, 32) == words{0x68001234}); // 2048.0 in the upper half
        CHECK(after(first_of("mov.b32 %r4, 0x3C003C00; @%p1 red.global.add.noftz.f16x2 [%rd0], %r4;", 32),
                    {0}, threads, 32) == words{0x68006800});
        CHECK(after(first_of("mov.b16 %h0, 0x3F80; @%p1 atom.global.add.noftz.bf16 %h1, [%rd0], %h0;", 32),
                    {0}, threads, 4) == words{0x4380}); // 256.0
        CHECK(after(first_of("mov.b32 %r4, 0x3F803F80; @%p1 atom.global.add.noftz.bf16x2 %r5, [%rd0], %r4;",
                             32),
                    {0}, threads, 4) == words{0x43804380});
        float const all = static_cast<float>(all_updates);
        CHECK(after("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;"
                    "red.global.add.v2.f32 [%rd0], {%f1, %f2};",
                    {0, 0}, threads) == words{bits_of(all), bits_of(2 * all)});
        CHECK(after("mov.f32 %f1, 0f3F800000;"
                    "atom.global.add.v4.f32 {%f2, %f3, %f4, %f5}, [%rd0], {%f1, %f1, %f1, %f1};",
                    {0, 0, 0, 0}, threads) == words(4, bits_of(all)));
        // Loops around a swap, in words of 16, 32 and 64 bits, lane after lane.
        CHECK(
            after("ld.global.u16 %h0, [%rd0];\nAGAIN:\nmov.u16 %h2, %h0; add.u16 %h1, %h0, 1;"
                  "atom.global.cas.b16 %h0, [%rd0], %h2, %h1; setp.ne.u16 %p2, %h0, %h2;\n@%p2 bra AGAIN;\n",
                  {0x70000}, threads, 10) == words{0x70000 + 10 * ctas * 32});
        CHECK(
            after("ld.global.u32 %r2, [%rd0];\nAGAIN:\nmov.u32 %r3, %r2; add.u32 %r4, %r3, 2;"
                  "atom.global.cas.b32 %r2, [%rd0], %r3, %r4; setp.ne.u32 %p2, %r2, %r3;\n@%p2 bra AGAIN;\n",
                  {1}, threads, 10) == words{1 + 20 * ctas * 32});
        CHECK(after("ld.global.u64 %rd2, [%rd0];\nAGAIN:\nmov.u64 %rd3, %rd2; add.u64 %rd4, %rd3, 4294967297;"
                    "atom.cas.b64 %rd2, [%rd0], %rd3, %rd4; setp.ne.u64 %p2, %rd2, %rd3;\n@%p2 bra AGAIN;\n",
                    {0, 0}, threads, 10) == words{10 * ctas * 32, 10 * ctas * 32});
    }
}

TEST_CASE("several host threads give each atom.add a place of its own", "[ptx][threads]") {
    auto const body = numbers + R"(
atom.global.add.u32 %r1, [%out], 1;
mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1+4], %r22;
)";
    auto o = run_on(4, body, {200, 64}, 1 + 200 * 64);
    CHECK(o.words[0] == 200 * 64);
    std::sort(o.words.begin() + 1, o.words.end());
    for (unsigned i = 0; i < 200 * 64; ++i)
        if (o.words[1 + i] != i) FAIL("place " << i);
}

TEST_CASE("several host threads lose nothing of a bulk copy's sums", "[ptx][threads]") {
    auto const sum = [](unsigned threads, std::string const& value, std::string const& type) {
        auto const body = R"(
.shared .align 16 .b8 all[128];
mov.u32 %r4, all; shl.b32 %r5, %r31, 2; add.u32 %r5, %r4, %r5;
mov.b32 %r6, )" + value +
                          R"(; st.shared.b32 [%r5], %r6;
bar.sync 0;
setp.ne.u32 %p0, %r31, 0;
mov.u32 %r1, 0;
LOOP:
@!%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.)" +
                          type + R"( [%out], [%r4], 128;
add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 500;
@%p1 bra LOOP;
)";
        return run_on(threads, body, {ctas, 32}, 32).words;
    };
    for (unsigned const threads : {2U, 8U}) {
        CHECK(sum(threads, "2", "u32") == words(32, 1000 * ctas));
        CHECK(sum(threads, "0x3F800000", "f32") == words(32, bits_of(500 * static_cast<float>(ctas))));
    }
}

TEST_CASE("several host threads see a vector whole", "[ptx][threads]") {
    // The first CTA writes the same number into all parts; the others count where parts differ.
    for (std::string const type : {"v2.u64", "v4.u32", "v2.u32"}) {
        bool const wide = type == "v2.u64";
        std::string const write = wide ? "cvt.u64.u32 %rd1, %r1; st.global.v2.u64 [%out], {%rd1, %rd1};"
                                  : type == "v4.u32" ? "st.global.v4.u32 [%out], {%r1, %r1, %r1, %r1};"
                                                     : "st.global.v2.u32 [%out], {%r1, %r1};";
        std::string const read =
            wide ? "ld.global.v2.u64 {%rd1, %rd2}, [%out]; setp.ne.u64 %p1, %rd1, %rd2;"
            : type == "v4.u32"
                ? "ld.volatile.global.v4.u32 {%r2, %r3, %r4, %r5}, [%out]; setp.ne.u32 %p1, %r2, %r5;"
                : "ld.relaxed.gpu.global.v2.u32 {%r2, %r3}, [%out]; setp.ne.u32 %p1, %r2, %r3;";
        auto const body =
            numbers + "setp.ne.u32 %p0, %r20, 0; mov.u32 %r1, 0;\n@%p0 bra READ;\nWRITE:\n" + write +
            "\nadd.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 20000;\n@%p2 bra WRITE;\nret;\nREAD:\n" + read +
            "\n@%p1 red.global.add.u32 [%out+16], 1;\n"
            "add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 20000;\n@%p2 bra READ;\n";
        auto const o = run_on(2, body, {2, 1}, 8);
        INFO(type);
        CHECK(o.words[0] == 19999);
        CHECK(o.words[4] == 0);
    }
}

TEST_CASE("several host threads: CTAs that look back end, each with the sum of all before",
          "[ptx][threads]") {
    // Decoupled look-back: the flag of a CTA, with its value in one word, then the sum up to it.
    auto const chain = [](std::string const& publish, std::string const& ask) {
        return numbers + R"(
setp.ne.u32 %p0, %r31, 0;
@%p0 bra END;
mov.u32 %r1, 0;
setp.eq.u32 %p1, %r20, 0;
@%p1 bra FOUND;
add.u32 %r2, %r20, -1;
mul.wide.u32 %rd1, %r2, 8; add.u64 %rd1, %rd1, %out;
AGAIN:
)" + ask + R"(
setp.eq.u32 %p2, %r3, 0;
@%p2 bra AGAIN;
FOUND:
add.u32 %r4, %r20, %r1;
mul.wide.u32 %rd2, %r20, 8; add.u64 %rd2, %rd2, %out;
)" + publish + "\nEND:\n";
    };
    std::string const fenced[] = {
        "st.global.u32 [%rd2+4], %r4; membar.gl; st.volatile.global.u32 [%rd2], 1;",
        "ld.volatile.global.u32 %r3, [%rd1]; membar.gl; ld.volatile.global.u32 %r1, [%rd1+4];"};
    std::string const ordered[] = {"st.global.u32 [%rd2+4], %r4; st.release.gpu.global.u32 [%rd2], 1;",
                                   "ld.acquire.gpu.global.u32 %r3, [%rd1]; ld.global.u32 %r1, [%rd1+4];"};
    std::string const whole[] = {"mov.u32 %r5, 1; st.relaxed.gpu.global.v2.u32 [%rd2], {%r5, %r4};",
                                 "ld.relaxed.gpu.global.v2.u32 {%r3, %r1}, [%rd1];"};
    for (auto const* const way : {fenced, ordered, whole})
        for (unsigned const threads : {2U, 5U}) {
            auto const o = run_on(threads, chain(way[0], way[1]), {400, 64}, 800);
            CHECK(o.error.empty());
            unsigned sum = 0;
            for (unsigned i = 0; i < 400; ++i)
                if (sum += i; o.words[2 * i + 1] != sum) FAIL("CTA " << i);
        }
}

TEST_CASE("several host threads: any CTA can be waited for", "[ptx][threads]") {
    // The last CTA; then, a barrier of all.
    auto const last = numbers + R"(
add.u32 %r2, %r21, -1; setp.ne.u32 %p0, %r20, %r2;
@!%p0 st.volatile.global.u32 [%out], 77;
AGAIN:
ld.volatile.global.u32 %r1, [%out]; setp.ne.u32 %p1, %r1, 77;
@%p1 bra AGAIN;
red.global.add.u32 [%out+4], 1;
)";
    for (unsigned const threads : {2U, 8U}) {
        auto const o = run_on(threads, last, {40, 32}, 4);
        CHECK(o.error.empty());
        CHECK(o.words[1] == 40 * 32);
    }
    auto const barrier = numbers + R"(
setp.ne.u32 %p0, %r31, 0;
@%p0 bra THERE;
atom.global.add.u32 %r1, [%out], 1;
AGAIN:
ld.acquire.gpu.global.u32 %r1, [%out]; setp.lt.u32 %p1, %r1, %r21;
@%p1 bra AGAIN;
THERE:
bar.sync 0;
red.global.add.u32 [%out+4], 1;
)";
    for (unsigned const threads : {2U, 3U}) CHECK(run_on(threads, barrier, {13, 96}, 4).words[1] == 13 * 96);
}

TEST_CASE("several host threads: who waits for another thread's CTA is not stuck", "[ptx][threads]") {
    // The first CTA waits for all others, of which another thread executes one after the other: many times as many
    // instructions as it may.
    auto const body = numbers + R"(
setp.eq.u32 %p0, %r20, 0;
@%p0 bra AGAIN;
mov.u32 %r1, 0;
LOOP:
add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 300;
@%p1 bra LOOP;
red.global.add.u32 [%out], 1;
ret;
AGAIN:
ld.volatile.global.u32 %r1, [%out]; add.u32 %r2, %r1, 1; setp.lt.u32 %p1, %r2, %r21;
@%p1 bra AGAIN;
st.global.u32 [%out+4], 1;
)";
    CHECK_THAT(run_on(1, body, {3000, 1, 5000}, 4).error, Contains("CTA (0,0,0) has not ended after 5000"));
    auto const o = run_on(2, body, {3000, 1, 5000}, 4);
    CHECK(o.error.empty());
    CHECK(o.words[1] == 1);
}

TEST_CASE("several host threads: one CTA's fault has the text that it has with one", "[ptx][threads]") {
    std::string const before = numbers + "setp.eq.u32 %p0, %r20, 37; setp.eq.and.u32 %p0, %r31, 5, %p0;\n";
    std::string const outside = before + "@%p0 st.global.u32 [%out+4096], %r1;";
    std::string const trap = before + "@%p0 trap;";
    std::string const meets_not = numbers + "setp.eq.u32 %p0, %r20, 37; setp.eq.and.u32 %p0, %r31, 5, %p0;\n"
                                            "@%p0 bra ALONE;\nbar.warp.sync -1;\nret;\nALONE:\nbar.sync 0;\n"
                                            "bar.sync 1, 64;\n";
    // It has no end, wherever the others are.
    std::string const endless = before + "mov.u32 %r1, 0;\n@!%p0 bra END;\nAGAIN:\nadd.u32 %r1, %r1, 1;\n"
                                         "bra AGAIN;\nEND:\n";
    for (auto const& body : {outside, trap, meets_not, endless}) {
        auto const one = run_on(1, body, {100, 32, 200'000}, 1);
        REQUIRE(!one.error.empty());
        for (unsigned const threads : {2U, 8U})
            CHECK(run_on(threads, body, {100, 32, 200'000}, 1).error == one.error);
    }
}

TEST_CASE("several host threads: of two faults that of the lowest CTA is told", "[ptx][threads]") {
    // The lower one comes later.
    auto const body = numbers + R"(
setp.eq.u32 %p0, %r20, 3; setp.eq.u32 %p1, %r20, 5;
@%p1 trap;
mov.u32 %r1, 0;
@!%p0 bra END;
LOOP:
add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 100000;
@%p2 bra LOOP;
st.global.u32 [%out+1024], %r1;
END:
)";
    auto const one = run_on(1, body, {100, 32}, 1).error;
    CHECK_THAT(one, Contains("out-of-range") && Contains("CTA (3,0,0)"));
    for (unsigned const threads : {2U, 4U, 8U})
        for (int i = 0; i < 5; ++i) CHECK(run_on(threads, body, {100, 32}, 1).error == one);
}

TEST_CASE("several host threads: who waits for a CTA with a fault is left", "[ptx][threads]") {
    auto const body = numbers + R"(
setp.eq.u32 %p0, %r20, 20;
@%p0 trap;
AGAIN:
ld.volatile.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0;
@%p1 bra AGAIN;
)";
    for (unsigned const threads : {2U, 8U})
        CHECK_THAT(run_on(threads, body, {40, 32}, 1).error, Contains("trap") && Contains("CTA (20,0,0)"));
}

TEST_CASE("several host threads: what never comes ends at the limit", "[ptx][threads]") {
    auto const body = "AGAIN: ld.volatile.global.u32 %r1, [%out]; setp.eq.u32 %p1, %r1, 0; @%p1 bra AGAIN;";
    auto const stuck = run_on(1, body, {40, 32, 1'000'000}, 1).error;
    CHECK_THAT(stuck, Contains("CTA (0,0,0) has not ended after 1000000 warp instructions"));
    for (unsigned const threads : {2U, 4U})
        CHECK(run_on(threads, body, {40, 32, 1'000'000}, 1).error == stuck);
    // A barrier that cannot be met is one CTA's own.
    auto const missing = numbers + "setp.eq.u32 %p0, %r20, 9;\n@%p0 bar.sync 1, 64;";
    auto const one = run_on(1, missing, {40, 32}, 1).error;
    CHECK_THAT(one, Contains("never be met"));
    CHECK(run_on(4, missing, {40, 32}, 1).error == one);
}

TEST_CASE("several host threads: clusters are executed by one each, cooperative launches by one",
          "[ptx][threads]") {
    // Each CTA writes its number into the shared memory of the next one of its cluster, which sends it on.
    auto const body = numbers + R"(
.shared .align 4 .b8 box[4];
mov.u32 %r1, %cluster_ctarank; add.u32 %r2, %r1, 1; and.b32 %r2, %r2, 3;
mov.u32 %r3, box; mapa.shared::cluster.u32 %r4, %r3, %r2;
st.shared::cluster.u32 [%r4], %r20;
barrier.cluster.arrive; barrier.cluster.wait;
ld.shared.u32 %r5, [%r3];
mul.wide.u32 %rd1, %r20, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], %r5;
)";
    words expected;
    for (unsigned i = 0; i < 64; ++i) expected.push_back(i / 4 * 4 + (i + 3) % 4);
    for (unsigned const threads : {1U, 2U, 7U}) {
        auto const o = run_on(threads, body, {64, 32}, 64, "", {4, 1, 1});
        CHECK(o.used == threads);
        CHECK(o.words == expected);
    }
    auto const meets = numbers + R"(
atom.global.add.u32 %r1, [%out], 1;
AGAIN:
ld.volatile.global.u32 %r1, [%out]; setp.lt.u32 %p1, %r1, 12;
@%p1 bra AGAIN;
mul.wide.u32 %rd1, %r20, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1+4], %r1;
)";
    auto const o = run_on(4, meets, {12, 1}, 13, "", {0, 0, 0}, true);
    CHECK(o.used == 1);
    CHECK(o.words == words(13, 12));
}

TEST_CASE("several host threads: a cluster's place in a grid of three dimensions", "[ptx][threads]") {
    auto const body = R"(
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;
mad.lo.u32 %r4, %r3, 6, %r2; mad.lo.u32 %r4, %r4, 4, %r1;
mul.wide.u32 %rd1, %r4, 4; add.u64 %rd1, %rd1, %out; red.global.add.u32 [%rd1], 1;
)";
    for (warpkit::dim3 const cluster :
         {warpkit::dim3{0, 0, 0}, warpkit::dim3{2, 3, 1}, warpkit::dim3{1, 2, 2}}) {
        machine m(module_for(body), "t.ptx");
        m.set_threads(3);
        m.set_cluster(cluster);
        auto const out = m.upload(words(4 * 6 * 2));
        m.launch("k", {4, 6, 2}, {1, 1, 1}, arguments({out}), 0, 1'000'000, no_bound, false);
        CHECK(m.threads_used() == 3);
        CHECK(m.download<std::uint32_t>(out, 48) == words(48, 1));
    }
}

TEST_CASE("several host threads: what asks the driver keeps its order, and is executed by one",
          "[ptx][threads]") {
    std::string const declared = R"(
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.extern .func (.param .b64 r) malloc(.param .b64 a);
.global .align 1 .b8 form[4] = {37, 100, 32, 0};
)";
    auto const print = numbers + R"(
.local .align 8 .b8 buffer[8];
mov.u64 %rd3, buffer; cvta.local.u64 %rd2, %rd3; st.local.u32 [%rd3], %r20;
mov.u64 %rd1, form; cvta.global.u64 %rd1, %rd1;
{
.param .b64 p0; st.param.b64 [p0], %rd1;
.param .b64 p1; st.param.b64 [p1], %rd2;
.param .b32 r0;
call.uni (r0), vprintf, (p0, p1);
}
)";
    machine m(module_for(print, declared), "t.ptx");
    m.set_threads(8);
    m.launch("k", {30, 1, 1}, {1, 1, 1}, arguments({0}), 0, 100'000, no_bound, false);
    std::string expected;
    for (int i = 0; i < 30; ++i) expected += std::to_string(i) + " ";
    CHECK(m.printed() == expected);
    CHECK(m.threads_used() == 1);

    auto const memory =
        "{\n.param .b64 p0; st.param.b64 [p0], 16;\n.param .b64 r0;\ncall.uni (r0), malloc, (p0);\n}\n";
    CHECK(run_on(8, memory, {30, 1}, 1, declared).used == 1);
    // A failed assertion prints nothing by itself.
    auto const assertion = numbers + R"(
setp.ne.u32 %p0, %r20, 11;
@%p0 bra END;
mov.u64 %rd1, form; cvta.global.u64 %rd1, %rd1;
{
.param .b64 p0; st.param.b64 [p0], %rd1;
.param .b64 p1; st.param.b64 [p1], %rd1;
.param .b32 p2; st.param.b32 [p2], 7;
.param .b64 p3; st.param.b64 [p3], %rd1;
.param .b64 p4; st.param.b64 [p4], 1;
call.uni __assertfail, (p0, p1, p2, p3, p4);
}
END:
)";
    auto const o = run_on(4, assertion, {30, 1}, 1, declared);
    CHECK(o.used == 4);
    CHECK_THAT(o.error, Contains("Assertion `%d ' failed") && Contains("CTA (11,0,0)"));
}

TEST_CASE("several host threads: memory of the host that is not aligned as its address is one thread's",
          "[ptx][threads]") {
    alignas(16) std::byte host[64]{};
    for (unsigned const shift : {0U, 1U, 8U}) {
        machine m(module_for("red.global.add.u32 [%out], 1;"), "t.ptx");
        m.set_threads(3);
        m.memory().map(0x10000000, host + shift, 16);
        m.launch("k", {9, 1, 1}, {32, 1, 1}, arguments({0x10000000}), 0, 100'000, no_bound, false);
        CHECK(m.threads_used() == (shift == 0 ? 3 : 1));
        std::uint32_t sum = 0;
        std::memcpy(&sum, host + shift, sizeof sum);
        CHECK(sum == 9 * 32);
        std::memset(host, 0, sizeof host);
    }
}
