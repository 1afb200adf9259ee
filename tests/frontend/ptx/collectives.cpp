// Lanes of a warp that wait for each other, wherever they are: warp collectives, barriers by threads, and progress of
// all.
#include "catch.hpp"
#include "harness.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace ptx_test;
using warpkit::op_class;
using warpkit::stream_cursor;

namespace {
// The address of 32-bit element %r31 (the thread) of %out in %rd31.
std::string const element = "mul.wide.u32 %rd31, %r31, 4;\nadd.s64 %rd31, %out, %rd31;\n";
std::string const store = "st.global.u32 [%rd31], %r1;\n";

// How often the stream of a warp has each line of the text, and with how many lanes in all.
struct visits {
    unsigned times = 0;
    unsigned lanes = 0;
};
std::map<unsigned, visits> visits_of(machine const& m, unsigned warp) {
    std::map<unsigned, visits> v;
    auto const& code = m.program().instructions;
    auto const& s = m.streams()[0].warps[warp];
    for (stream_cursor c(s); !c.done(); c.advance(s, code[c.instruction()])) {
        auto& of = v[code[c.instruction()].source_line];
        ++of.times;
        of.lanes += static_cast<unsigned>(std::popcount(c.mask()));
    }
    return v;
}
// The line of a body at which `what` stands, in the text that kernel_of makes of it.
unsigned line_of(std::string const& text, std::string const& what) {
    auto const end = text.find(what);
    REQUIRE(end != text.npos);
    return 1 + static_cast<unsigned>(
                   std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
}
} // namespace

TEST_CASE("A branch with an exit on one side does not keep the others from meeting", "[ptx][collective]") {
    // Four warp sums, each of which lane 0 checks: an assertion that could fail, in the ways that compilers write it.
    auto const sums = [](std::string const& failure, std::string const& behind) {
        return element + R"(
mov.u32 %r10, 0;
LOOP:
mov.u32 %r1, %r31;
shfl.sync.down.b32 %r2, %r1, 16, 31, -1; add.u32 %r1, %r1, %r2;
shfl.sync.down.b32 %r2, %r1, 8, 31, -1; add.u32 %r1, %r1, %r2;
shfl.sync.down.b32 %r2, %r1, 4, 31, -1; add.u32 %r1, %r1, %r2;
shfl.sync.down.b32 %r2, %r1, 2, 31, -1; add.u32 %r1, %r1, %r2;
shfl.sync.down.b32 %r2, %r1, 1, 31, -1; add.u32 %r1, %r1, %r2;
setp.ne.u32 %p1, %r31, 0;
@%p1 bra SKIP;
mul.wide.u32 %rd1, %r10, 4;
add.s64 %rd1, %out, %rd1;
st.global.u32 [%rd1], %r1;
setp.gt.u32 %p2, %r1, 4000;
@%p2 bra )" + failure +
               R"(;
SKIP:
bar.sync 0;
add.u32 %r10, %r10, 1;
setp.lt.u32 %p3, %r10, 4;
@%p3 bra LOOP;
)" + behind;
    };
    for (auto const& text : {sums("FAIL", "ret;\nFAIL:\ntrap;\n"),
                             sums("FAIL", "ret;\nFAIL:\nst.global.u32 [%out], 1;\nexit;\n"),
                             sums("DONE", "mov.u32 %r3, 1;\nDONE:\n"), sums("DONE", "DONE:\n")}) {
        INFO(text);
        CHECK(run<std::uint32_t>(text, 5) == std::vector<std::uint32_t>{496, 496, 496, 496, 0});
        machine m(module_of(kernel_of(text)));
        auto const out = m.upload(std::vector<std::uint32_t>(5));
        m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}));
        auto const line = line_of(module_of(kernel_of(text)), "bar.sync 0");
        CHECK(visits_of(m, 0)[line].times == 4); // together
        CHECK(visits_of(m, 0)[line].lanes == 4 * 32);
    }
}

TEST_CASE("Collectives gather the lanes of their mask wherever these are", "[ptx][collective]") {
    SECTION("at two instructions of the two sides of a branch: once each in the stream") {
        auto const text = element + R"(
setp.lt.u32 %p1, %r31, 16;
add.u32 %r5, %r31, 100;
add.u32 %r6, %r31, 200;
@%p1 bra LOW;
shfl.sync.bfly.b32 %r1, %r6, 16, 31, -1;
bra JOIN;
LOW:
shfl.sync.bfly.b32 %r2, %r5, 16, 31, -1;
mov.u32 %r1, %r2;
JOIN:
)" + store;
        machine m(module_of(kernel_of(text)));
        auto const out = m.upload(std::vector<std::uint32_t>(32));
        m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}));
        auto const got = m.download<std::uint32_t>(out, 32);
        for (std::uint32_t t = 0; t < 32; ++t) CHECK(got[t] == (t < 16 ? 216 + t : 84 + t));
        auto const seen = visits_of(m, 0);
        for (auto const* which : {"shfl.sync.bfly.b32 %r1", "shfl.sync.bfly.b32 %r2"}) {
            auto const of = seen.at(line_of(module_of(kernel_of(text)), which));
            CHECK(of.times == 1);
            CHECK(of.lanes == 16);
        }
    }
    SECTION("in a subroutine's loop and behind it: each lane comes as often as it likes") {
        // Lane t meets the others 1 + t % 4 times; those that are through wait behind the loop.
        auto const got = run<std::uint32_t>(element + R"(
and.b32 %r2, %r31, 3;
mov.u32 %r1, 0;
LOOP:
vote.sync.ballot.b32 %r3, 1, -1;
popc.b32 %r4, %r3;
mad.lo.u32 %r1, %r1, 100, %r4;
sub.u32 %r2, %r2, 1;
setp.ge.s32 %p1, %r2, 0;
@%p1 bra LOOP;
)" + store + "ret;\n",
                                            32);
        std::uint32_t const expected[]{32, 3224, 322416, 32241608};
        for (std::uint32_t t = 0; t < 32; ++t)
            CHECK(got[t] == expected[t % 4]); // lanes that have exited are not waited for
    }
    SECTION("tiles of a converged warp, each with a mask of its own") {
        auto const got = run<std::uint32_t>(element + R"(
and.b32 %r2, %r31, 24;
mov.u32 %r3, 255;
shl.b32 %r3, %r3, %r2;
redux.sync.add.u32 %r1, %r31, %r3;
setp.eq.u32 %p1, %r31, 9;
vote.sync.any.pred %p2, %p1, %r3;
@%p2 add.u32 %r1, %r1, 1000;
match.any.sync.b32 %r4, %r2, %r3;
setp.ne.u32 %p3, %r4, %r3;
@%p3 add.u32 %r1, %r1, 5000;
)" + store,
                                            32);
        for (std::uint32_t t = 0; t < 32; ++t) {
            auto const tile = t / 8;
            CHECK(got[t] == 28 + 64 * tile + (tile == 1 ? 1000 : 0));
        }
    }
    SECTION("under a guard: those that it holds for wait, the others need not") {
        auto const got = run<std::uint32_t>(element + R"(
setp.lt.u32 %p1, %r31, 8;
setp.ge.u32 %p2, %r31, 8;
mov.u32 %r1, %r31;
@%p1 shfl.sync.idx.b32 %r1, %r31, 20, 31, -1;
@%p2 shfl.sync.idx.b32 %r1, %r31, 3, 31, -1;
)" + store,
                                            32);
        for (std::uint32_t t = 0; t < 32; ++t) CHECK(got[t] == (t < 8 ? 20U : 3U));
    }
    SECTION(
        "lanes that have exited, or never were, are not waited for; the value of one is the reader's own") {
        auto const got = run<std::uint32_t>(element + R"(
setp.lt.u32 %p1, %r31, 4;
@%p1 exit;
vote.sync.ballot.b32 %r1, 1, -1;
shfl.sync.down.b32 %r2, %r31, 8, 31, -1;
shfl.sync.idx.b32 %r3, %r31, 2, 31, -1;
mad.lo.u32 %r2, %r2, 100, %r3;
xor.b32 %r1, %r1, %r2;
)" + store,
                                            32, 20);
        for (std::uint32_t t = 0; t < 32; ++t)
            CHECK(got[t] == (t < 4 || t >= 20 ? 0 : (0x000ffff0U ^ ((t < 12 ? t + 8 : t) * 100 + t))));
    }
    SECTION("a lane that exits later ends the wait for it") {
        auto const got = run<std::uint32_t>(element + R"(
setp.eq.u32 %p1, %r31, 7;
@%p1 bra AWAY;
vote.sync.ballot.b32 %r1, 1, -1;
)" + store + "ret;\nAWAY:\nmov.u32 %r1, 5;\n" + store +
                                                "exit;\n",
                                            32);
        for (std::uint32_t t = 0; t < 32; ++t) CHECK(got[t] == (t == 7 ? 5 : 0xffffff7fU));
    }
}

TEST_CASE("Lanes that met at a collective go on together", "[ptx][collective]") {
    // The sides of the branch have nothing but a far join; the collective brings them together before.
    auto const text = element + R"(
setp.lt.u32 %p1, %r31, 5;
and.b32 %r2, %r31, 1;
setp.eq.u32 %p2, %r2, 0;
@%p1 bra B;
A:
add.u32 %r1, %r1, 1;
@%p2 bra MEET;
B:
add.u32 %r1, %r1, 2;
MEET:
bar.warp.sync -1;
add.u32 %r1, %r1, 4;
)" + store;
    machine m(module_of(kernel_of(text)));
    auto const out = m.upload(std::vector<std::uint32_t>(32));
    m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}));
    auto const seen = visits_of(m, 0).at(line_of(module_of(kernel_of(text)), "add.u32 %r1, %r1, 4"));
    CHECK(seen.times == 1);
    CHECK(seen.lanes == 32);
}

TEST_CASE("Every lane makes progress: spin locks, producers and consumers in one warp", "[ptx][collective]") {
    std::string const cells = ".shared .align 4 .b8 cells[64];\n";
    SECTION("a lock taken by a loop on compare-and-swap, the critical section behind the loop") {
        for (std::string const waits : {"", "nanosleep.u32 20;\n", "add.u32 %r9, %r9, 1;\n"}) {
            auto const got = run<std::uint32_t>(element + R"(
mov.u32 %r8, 0;
AGAIN:
SPIN:
)" + waits + R"(
atom.shared.cas.b32 %r2, [cells], 0, 1;
setp.ne.u32 %p1, %r2, 0;
@%p1 bra SPIN;
ld.volatile.shared.u32 %r1, [cells+4];
add.u32 %r3, %r1, 1;
st.volatile.shared.u32 [cells+4], %r3;
atom.shared.exch.b32 %r2, [cells], 0;
add.u32 %r8, %r8, 1;
setp.lt.u32 %p2, %r8, 3;
@%p2 bra AGAIN;
bar.sync 0;
ld.volatile.shared.u32 %r1, [cells+4];
)" + store,
                                                64, 64, cells);
            CHECK(got == std::vector<std::uint32_t>(64, 192));
        }
    }
    SECTION("a lane that waits for what one behind the join writes") {
        auto const got = run<std::uint32_t>(element + R"(
setp.ne.u32 %p1, %r31, 3;
@%p1 bra JOIN;
SPIN:
ld.volatile.shared.u32 %r1, [cells];
setp.eq.u32 %p2, %r1, 0;
@%p2 bra SPIN;
JOIN:
setp.eq.u32 %p3, %r31, 9;
@%p3 st.volatile.shared.u32 [cells], 77;
)" + store,
                                            32, 32, cells);
        for (std::uint32_t t = 0; t < 32; ++t) CHECK(got[t] == (t == 3 ? 77U : 0U));
    }
    SECTION("two sides of a branch hand a value back and forth") {
        auto const got = run<std::uint32_t>(element + R"(
mov.u32 %r2, 0;
setp.lt.u32 %p1, %r31, 1;
setp.lt.u32 %p2, %r31, 2;
@%p1 bra PING;
@%p2 bra PONG;
bra DONE;
PING:
ld.volatile.shared.u32 %r1, [cells];
and.b32 %r3, %r1, 1;
setp.ne.u32 %p3, %r3, 0;
@%p3 bra PING;
add.u32 %r1, %r1, 1;
st.volatile.shared.u32 [cells], %r1;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p4, %r2, 10;
@%p4 bra PING;
bra DONE;
PONG:
ld.volatile.shared.u32 %r1, [cells];
and.b32 %r3, %r1, 1;
setp.eq.u32 %p3, %r3, 0;
@%p3 bra PONG;
add.u32 %r1, %r1, 1;
st.volatile.shared.u32 [cells], %r1;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p4, %r2, 10;
@%p4 bra PONG;
DONE:
)" + store,
                                            32, 32, cells);
        CHECK(got[0] == 19);
        CHECK(got[1] == 20);
    }
    SECTION("lanes of different warps wait for each other, and others of their warps do not") {
        auto const got = run<std::uint32_t>(element + R"(
and.b32 %r2, %r31, 31;
shr.u32 %r3, %r31, 5;
mov.u32 %r4, cells;
mad.lo.u32 %r4, %r3, 4, %r4;
setp.eq.u32 %p1, %r2, 5;
setp.eq.u32 %p2, %r2, 6;
@!%p1 bra ON;
SPIN:
ld.volatile.shared.u32 %r1, [%r4];
setp.eq.u32 %p3, %r1, 0;
@%p3 bra SPIN;
ON:
xor.b32 %r5, %r3, 1;
mov.u32 %r6, cells;
mad.lo.u32 %r6, %r5, 4, %r6;
@%p2 st.volatile.shared.u32 [%r6], 40;
)" + store,
                                            64, 64, cells);
        for (std::uint32_t t = 0; t < 64; ++t) CHECK(got[t] == (t % 32 == 5 ? 40U : 0U));
    }
}

TEST_CASE("A named lane that can never come is an error with its place", "[ptx][collective]") {
    CHECK(run_error("setp.lt.u32 %p1, %r31, 16;\n@%p1 bra LOW;\nbar.sync 0;\nret;\nLOW:\nshfl.sync.idx.b32 "
                    "%r1, %r31, "
                    "0, 31, -1;\n",
                    64) ==
          "kernel k: warp collective at t.ptx:21: CTA (0,0,0), warp 0, lane 0 waits for lane 16, which "
          "its member mask 0xffffffff names and which never comes: it waits at barrier 0 at t.ptx:18");
    CHECK(run_error(
              "setp.lt.u32 %p1, %r31, 16;\n@%p1 bra LOW;\nvote.sync.ballot.b32 %r1, %p1, -1;\nret;\nLOW:\n"
              "shfl.sync.idx.b32 %r1, %r31, 0, 31, -1;\n") ==
          "kernel k: warp collective at t.ptx:18: CTA (0,0,0), warp 0, lane 16 waits for lane 0, which its "
          "member mask "
          "0xffffffff names and which never comes: it waits at a warp collective of lanes 0xffffffff at "
          "t.ptx:21");
    CHECK_THAT(
        run_error("setp.lt.u32 %p1, %r31, 16;\n@%p1 bar.warp.sync 0x1ffff;\n@!%p1 bar.warp.sync -1;\n"),
        Catch::Contains(
            "warp collective at t.ptx:17: CTA (0,0,0), warp 0, lane 0 waits for lane 16, which its "
            "member mask 0x1ffff names"));
    CHECK(run_error("bar.warp.sync 0xff;\n") == "kernel k: warp collective at t.ptx:16: CTA (0,0,0), thread "
                                                "(8,0,0), warp 0: lane 8 is not in its own member "
                                                "mask 0xff");
    // One that spins for ever is one that never comes.
    CHECK_THAT(
        run_error("setp.eq.u32 %p1, %r31, 3;\n@%p1 bra SPIN;\nbar.warp.sync -1;\nret;\nSPIN:\nbra SPIN;\n"),
        Catch::Contains(
            "has not ended after 100000 warp instructions; warp 0 is at t.ptx:21; lanes 0xfffffff7 "
            "wait for others at a warp collective at t.ptx:18"));
}

TEST_CASE("Barriers are met by threads", "[ptx][collective][barrier]") {
    std::string const cells = ".shared .align 4 .b8 cells[512];\n";
    SECTION("the two sides of a branch at two of them: one arrival of the warp") {
        auto const text = element + R"(
mov.u32 %r4, cells;
mad.lo.u32 %r4, %r31, 4, %r4;
st.shared.u32 [%r4], %r31;
setp.lt.u32 %p1, %r31, 40;
@%p1 bra LOW;
barrier.sync 0;
bra JOIN;
LOW:
barrier.sync 0;
JOIN:
xor.b32 %r5, %r31, 63;
mov.u32 %r4, cells;
mad.lo.u32 %r4, %r5, 4, %r4;
ld.shared.u32 %r1, [%r4];
bar.sync 0;
)" + store;
        machine m(module_of(kernel_of(text, cells)));
        auto const out = m.upload(std::vector<std::uint32_t>(64));
        m.launch("k", {1, 1, 1}, {64, 1, 1}, arguments({out}));
        auto const got = m.download<std::uint32_t>(out, 64);
        for (std::uint32_t t = 0; t < 64; ++t) CHECK(got[t] == 63 - t);
        // Timing counts the instructions of a warp that lanes execute: one for each barrier.
        for (unsigned w = 0; w < 2; ++w) {
            unsigned arrivals = 0;
            auto const& code = m.program().instructions;
            auto const& s = m.streams()[0].warps[w];
            for (stream_cursor c(s); !c.done(); c.advance(s, code[c.instruction()]))
                arrivals += code[c.instruction()].kind == op_class::barrier && c.mask() != 0 ? 1 : 0;
            CHECK(arrivals == 2);
        }
    }
    SECTION("lanes that leave before the others come") {
        auto const got = run<std::uint32_t>(element + R"(
and.b32 %r2, %r31, 1;
setp.eq.u32 %p1, %r2, 0;
@%p1 bra AWAY;
bar.red.popc.u32 %r1, 0, %p1;
bar.red.popc.u32 %r1, 0, !%p1;
)" + store + "ret;\nAWAY:\nmov.u32 %r1, 9;\n" + store +
                                                "exit;\n",
                                            64, 64);
        for (std::uint32_t t = 0; t < 64; ++t) CHECK(got[t] == (t % 2 == 0 ? 9U : 32U));
    }
    SECTION("a count that halves of warps make up") {
        // The low halves of four warps meet at barrier 1, the high ones at barrier 2.
        auto const got = run<std::uint32_t>(element + R"(
and.b32 %r2, %r31, 16;
setp.eq.u32 %p1, %r2, 0;
setp.lt.u32 %p2, %r31, 32;
@%p1 bra LOW;
barrier.red.popc.u32 %r1, 2, 64, %p2;
bra JOIN;
LOW:
barrier.red.popc.u32 %r1, 1, 64, !%p2;
JOIN:
)" + store,
                                            128, 128);
        for (std::uint32_t t = 0; t < 128; ++t) CHECK(got[t] == (t % 32 < 16 ? 48U : 16U));
    }
    SECTION("one that only a part of a warp can reach is an error that names its lanes") {
        CHECK(
            run_error(
                "setp.lt.u32 %p1, %r31, 8;\n@%p1 bra LOW;\nbarrier.sync 1;\nret;\nLOW:\nbarrier.sync 2;\n") ==
            "kernel k: CTA (0,0,0) waits at barriers that can never be met: warp 0 (lanes 0xffffff00) at "
            "barrier 1 "
            "(t.ptx:18), warp 0 (lanes 0xff) at barrier 2 (t.ptx:21)");
    }
}

// Random programs beside threads on their own ------------------------------------------------------------------------

namespace {

class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}
    unsigned below(unsigned n) {
        auto z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return static_cast<unsigned>((z ^ z >> 31) >> 33) % n;
    }

private:
    std::uint64_t state_;
};

enum class meeting { none, exchange, ballot, any, sum, alike, sync, barrier, count };
enum class members { all, tile_of_16, tile_of_4, parity, count };

// A block stirs the thread's value, perhaps meets other threads, and goes on or leaves.
struct block {
    unsigned bit = 0;        // of the value: chooses the way
    unsigned guard_bit = 32; // of the value: whether it meets; 32: always
    meeting what = meeting::none;
    members with = members::all;
    enum class end { both, next, leave } how = end::next;
    unsigned target[2]{};
};
struct program {
    std::vector<block> blocks;
    unsigned threads = 64;
    unsigned fuel = 24;
};
program random_program(std::uint64_t seed) {
    random_numbers r(seed);
    program p;
    unsigned const sizes[]{64, 64, 48, 20};
    p.threads = sizes[r.below(4)];
    auto const count = 3 + r.below(8);
    p.blocks.resize(count);
    // Few kinds in one program: more of them hardly ever find each other.
    auto const some = [&](auto last) {
        return static_cast<decltype(last)>(r.below(static_cast<unsigned>(last)));
    };
    meeting const kinds[]{some(meeting::count), some(meeting::count)};
    members const masks[]{some(members::count), members::all};
    auto const different = r.below(3) == 0 ? 2U : 1U;
    auto const exits = r.below(3);
    for (unsigned i = 0; i < count; ++i) {
        auto& b = p.blocks[i];
        b.bit = r.below(28);
        if (r.below(2) == 0) b.what = kinds[r.below(different)];
        b.with = masks[r.below(different)];
        if (r.below(4) == 0) b.guard_bit = r.below(28);
        auto const how = r.below(6);
        b.how = how < 2 ? block::end::both : how < 2 + exits ? block::end::leave : block::end::next;
        for (auto& t : b.target)
            t = r.below(4) == 0 ? r.below(count + 1) : std::min(count, i + 1 + r.below(3));
    }
    return p;
}
std::string text_of(program const& p) {
    auto const label = [](unsigned b) { return "B" + std::to_string(b); };
    auto const end = static_cast<unsigned>(p.blocks.size());
    std::string t = element + "mov.u32 %r1, %r31;\nmov.u32 %r2, " + std::to_string(p.fuel) + R"(;
and.b32 %r20, %r31, 31;
and.b32 %r6, %r20, 16; mov.u32 %r21, 65535; shl.b32 %r21, %r21, %r6;
and.b32 %r6, %r20, 28; mov.u32 %r22, 15; shl.b32 %r22, %r22, %r6;
and.b32 %r6, %r20, 1; mov.u32 %r23, 0x55555555; shl.b32 %r23, %r23, %r6;
)";
    for (unsigned i = 0; i < end; ++i) {
        auto const& b = p.blocks[i];
        t += label(i) + ":\nxor.b32 %r1, %r1, " + std::to_string(i * 0x85ebca6bU + 1) +
             "; mul.lo.u32 %r1, %r1, 0x9e3779b1; shr.u32 %r3, %r1, 15; xor.b32 %r1, %r1, %r3;\n" + store;
        t += "sub.u32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra " + label(end) + ";\n";
        std::string guard;
        if (b.guard_bit < 32) {
            t += "shr.u32 %r4, %r1, " + std::to_string(b.guard_bit) +
                 "; and.b32 %r4, %r4, 1; setp.ne.u32 %p4, %r4, 0;\n";
            guard = "@%p4 ";
        }
        std::string const named[]{"-1", "%r21", "%r22", "%r23"};
        auto const& mask = named[static_cast<unsigned>(b.with)];
        // Registers change with the block, so that operands of one collective are at different places.
        auto const d = "%r" + std::to_string(7 + i % 3);
        auto const s = "%r" + std::to_string(10 + i % 2);
        t +=
            "mov.u32 " + d + ", 0; mov.u32 " + s + ", %r1; and.b32 %r5, %r1, 256; setp.ne.u32 %p5, %r5, 0;\n";
        switch (b.what) {
        case meeting::exchange:
            t += guard + "shfl.sync.bfly.b32 " + d + ", " + s + ", 1, 31, " + mask + ";\n";
            break;
        case meeting::ballot:
            t += guard + "vote.sync.ballot.b32 " + d + (i % 2 == 0 ? ", %p5, " : ", !%p5, ") + mask + ";\n";
            break;
        case meeting::any:
            t += guard + "vote.sync.any.pred %p6, %p5, " + mask + ";\n" + guard + "selp.u32 " + d +
                 ", 1, 2, %p6;\n";
            break;
        case meeting::sum:
            t += guard + "redux.sync.add.u32 " + d + ", " + s + ", " + mask + ";\n";
            break;
        case meeting::alike:
            t += "and.b32 " + s + ", " + s + ", 3;\n" + guard + "match.any.sync.b32 " + d + ", " + s + ", " +
                 mask + ";\n";
            break;
        case meeting::sync:
            t += guard + "bar.warp.sync " + mask + ";\n";
            break;
        case meeting::barrier:
            t += guard + "barrier.red.popc.u32 " + d + ", 0, %p5;\n";
            break;
        default:
            break;
        }
        t += "add.u32 %r1, %r1, " + d + ";\n" + store;
        t += "shr.u32 %r4, %r1, " + std::to_string(b.bit) +
             "; and.b32 %r5, %r4, 1; setp.ne.u32 %p2, %r5, 0;\n";
        if (b.how == block::end::leave)
            t += "@%p2 bra LEAVE" + std::to_string(i) + ";\n";
        else
            t += "@%p2 bra " + label(b.target[0]) + ";\n";
        if (b.how == block::end::both) t += "bra " + label(b.target[1]) + ";\n";
    }
    t += label(end) + ":\nret;\n";
    for (unsigned i = 0; i < end; ++i)
        if (p.blocks[i].how == block::end::leave)
            t += "LEAVE" + std::to_string(i) + ":\n" + (i % 2 == 0 ? "" : "add.u32 %r1, %r1, 1;\n" + store) +
                 "exit;\n";
    return t;
}

// Every thread with a place of its own. Meets whom its mask names among those that have not left, by what they do and
// whom they name, wherever they are.
class threads_alone {
public:
    explicit threads_alone(program const& p) : p_(p), threads_(p.threads) {
        for (std::uint32_t t = 0; t < p.threads; ++t) {
            threads_[t].value = t;
            threads_[t].fuel = p.fuel;
        }
        for (bool moved = true; moved;) {
            moved = false;
            for (std::uint32_t t = 0; t < p.threads; ++t)
                if (!threads_[t].left && !threads_[t].waits) moved = true, advance(t);
            for (std::uint32_t t = 0; t < p.threads; ++t)
                if (threads_[t].waits && meet(t)) moved = true;
        }
        for (auto const& t : threads_) stuck_ = stuck_ || !t.left;
    }
    bool stuck() const { return stuck_; }
    std::vector<std::uint32_t> values() const {
        std::vector<std::uint32_t> v;
        for (auto const& t : threads_) v.push_back(t.value);
        return v;
    }
    /// How often threads of a warp ran each block.
    unsigned ran(unsigned warp, unsigned b) const {
        auto const found = ran_.find({warp, b});
        return found == ran_.end() ? 0 : found->second;
    }

private:
    struct thread {
        unsigned at = 0;
        std::uint32_t value = 0;
        std::uint32_t fuel = 0;
        bool waits = false;
        bool left = false;
    };
    std::uint32_t mask_of(std::uint32_t t) const {
        auto const lane = t % 32;
        switch (p_.blocks[threads_[t].at].with) {
        case members::tile_of_16:
            return 0xffffU << (lane & 16);
        case members::tile_of_4:
            return 15U << (lane & 28);
        case members::parity:
            return 0x55555555U << (lane & 1);
        default:
            return ~0U;
        }
    }
    // Up to where it waits, or behind the block.
    void advance(std::uint32_t t) {
        auto& x = threads_[t];
        if (x.at == p_.blocks.size()) {
            x.left = true;
            return;
        }
        auto const& b = p_.blocks[x.at];
        ++ran_[{t / 32, x.at}];
        x.value = (x.value ^ (x.at * 0x85ebca6bU + 1)) * 0x9e3779b1U;
        x.value ^= x.value >> 15;
        if (--x.fuel == 0) {
            x.left = true;
            return;
        }
        if (b.what != meeting::none && (b.guard_bit == 32 || (x.value >> b.guard_bit & 1) != 0))
            x.waits = true;
        else
            go_on(t, 0);
    }
    void go_on(std::uint32_t t, std::uint32_t result) {
        auto& x = threads_[t];
        auto const& b = p_.blocks[x.at];
        x.waits = false;
        x.value += result;
        bool const taken = (x.value >> b.bit & 1) != 0;
        switch (b.how) {
        case block::end::both:
            x.at = b.target[taken ? 0 : 1];
            break;
        case block::end::next:
            x.at = taken ? b.target[0] : x.at + 1;
            break;
        case block::end::leave:
            if (taken) {
                if (x.at % 2 != 0) ++x.value;
                x.left = true;
            }
            ++x.at;
            break;
        }
    }
    bool predicate(std::uint32_t t) const {
        bool const p = (threads_[t].value & 256) != 0;
        return p_.blocks[threads_[t].at].what == meeting::ballot && threads_[t].at % 2 != 0 ? !p : p;
    }
    bool meet(std::uint32_t t) {
        auto const what = p_.blocks[threads_[t].at].what;
        auto const mask = what == meeting::barrier ? 0 : mask_of(t);
        std::vector<std::uint32_t> all;
        for (std::uint32_t k = 0; k < p_.threads; ++k) {
            bool const named = what == meeting::barrier || (k / 32 == t / 32 && (mask >> k % 32 & 1) != 0);
            if (!named || threads_[k].left) continue;
            if (!threads_[k].waits || p_.blocks[threads_[k].at].what != what) return false;
            if (what != meeting::barrier && mask_of(k) != mask) return false;
            all.push_back(k);
        }
        std::map<std::uint32_t, std::uint32_t> result;
        for (auto const k : all) {
            auto& r = result[k];
            for (auto const other : all) {
                auto const bit = 1U << other % 32;
                switch (what) {
                case meeting::exchange:
                    if (other == (k ^ 1)) r = threads_[other].value;
                    break;
                case meeting::ballot:
                    r |= predicate(other) ? bit : 0;
                    break;
                case meeting::any:
                    r = r == 1 || predicate(other) ? 1 : 2;
                    break;
                case meeting::sum:
                    r += threads_[other].value;
                    break;
                case meeting::alike:
                    r |= (threads_[k].value & 3) == (threads_[other].value & 3) ? bit : 0;
                    break;
                case meeting::barrier:
                    r += predicate(other) ? 1 : 0;
                    break;
                default:
                    break;
                }
            }
            bool const has_partner = std::find(all.begin(), all.end(), k ^ 1) != all.end();
            if (what == meeting::exchange && !has_partner) r = threads_[k].value;
        }
        for (auto const k : all) go_on(k, result[k]);
        return true;
    }

    program const& p_;
    std::vector<thread> threads_;
    std::map<std::pair<unsigned, unsigned>, unsigned> ran_;
    bool stuck_ = false;
};

} // namespace

TEST_CASE("Random flow with exits, collectives and barriers: every thread as if it were alone",
          "[ptx][collective]") {
    unsigned ended = 0;
    unsigned stuck = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        auto const p = random_program(seed);
        auto const text = text_of(p);
        threads_alone const expected(p);
        INFO("seed " << seed << ", " << p.threads << " threads\n" << text);
        if (expected.stuck()) {
            ++stuck;
            auto const e = run_error(text, p.threads, 1'000'000);
            bool const told = e.find("which never comes") != e.npos || e.find("can never be met") != e.npos;
            INFO(e);
            REQUIRE(told);
            continue;
        }
        ++ended;
        machine m(module_of(kernel_of(text)));
        auto const out = m.upload(std::vector<std::uint32_t>(p.threads));
        m.launch("k", {1, 1, 1}, {p.threads, 1, 1}, arguments({out}));
        REQUIRE(m.download<std::uint32_t>(out, p.threads) == expected.values());
        // Nothing is lost or told twice: each block's first line has as many lanes as threads ran it.
        auto const whole = module_of(kernel_of(text));
        for (unsigned w = 0; w < (p.threads + 31) / 32; ++w) {
            auto const seen = visits_of(m, w);
            for (unsigned b = 0; b < p.blocks.size(); ++b) {
                auto const line = line_of(whole, "\nB" + std::to_string(b) + ":\n") + 2;
                auto const found = seen.find(line);
                unsigned const lanes = found == seen.end() ? 0 : found->second.lanes;
                REQUIRE(lanes == 4 * expected.ran(w, b));
            }
        }
    }
    CHECK(ended >= 100); // both are tried
    CHECK(stuck >= 20);
}
