// Asynchronous copies and mbarriers: what they do to memory, what timing is told of them, and a model of an mbarrier
// that follows the PTX ISA's text, beside random sequences.
#include "catch.hpp"
#include "harness.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

using namespace ptx_test;
using warpkit::async_role;
using warpkit::memory_space;
using warpkit::op_class;

namespace {
std::string const tile = ".shared .align 16 .b8 tile[2048];\n.shared .align 8 .b64 bar[8];\n";

// Copies 16 bytes a lane from %out on into a tile that was full of ones, and writes the tile behind what was read.
std::string round_trip(std::string const& copy) {
    return R"(
mov.u32 %r0, tile; mad.lo.u32 %r0, %r31, 16, %r0;
mul.wide.u32 %rd0, %r31, 16; add.u64 %rd0, %rd0, %out;
mov.u32 %r1, -1; st.shared.v4.u32 [%r0], {%r1, %r1, %r1, %r1};
bar.sync 0;
)" + copy + R"(
cp.async.wait_all;
bar.sync 0;
ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r0];
st.global.v4.u32 [%rd0+512], {%r2, %r3, %r4, %r5};
)";
}
std::vector<std::uint8_t> copied(std::string const& copy) {
    machine m(module_of(kernel_of(round_trip(copy), tile)));
    std::vector<std::uint8_t> bytes(1024);
    for (unsigned i = 0; i < 512; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256 + 1);
    auto const out = m.upload(bytes);
    m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}));
    auto const all = m.download<std::uint8_t>(out, 1024);
    for (unsigned i = 0; i < 512; ++i) REQUIRE(all[i] == bytes[i]);
    return {all.begin() + 512, all.end()};
}
std::uint8_t source_byte(unsigned i) { return static_cast<std::uint8_t>(i * 7 + i / 256 + 1); }
} // namespace

TEST_CASE("cp.async: every size, what is not read is zero, what is not written stays", "[ptx][async]") {
    struct form {
        std::string text;
        unsigned written;
        unsigned (*read)(unsigned lane);
    };
    form const forms[] = {
        {"cp.async.ca.shared.global [%r0], [%rd0], 4;", 4, [](unsigned) { return 4U; }},
        {"cp.async.ca.shared::cta.global [%r0], [%rd0], 8;", 8, [](unsigned) { return 8U; }},
        {"cp.async.ca.shared.global.L2::128B [%r0], [%rd0], 16;", 16, [](unsigned) { return 16U; }},
        {"cp.async.cg.shared.global [%r0], [%rd0], 16;", 16, [](unsigned) { return 16U; }},
        {"and.b32 %r6, %r31, 15; cp.async.cg.shared.global.L2::256B [%r0], [%rd0], 16, %r6;", 16,
         [](unsigned l) { return l % 16; }},
        {"and.b32 %r6, %r31, 3; cp.async.ca.shared.global [%r0], [%rd0], 4, %r6;", 4,
         [](unsigned l) { return l % 4; }},
        {"cp.async.ca.shared.global [%r0], [%rd0], 8, 0;", 8, [](unsigned) { return 0U; }},
        {"setp.lt.u32 %p0, %r31, 10; cp.async.ca.shared.global [%r0], [%rd0], 8, %p0;", 8,
         [](unsigned l) { return l < 10 ? 0U : 8U; }},
        {"setp.lt.u32 %p0, %r31, 10; cp.async.cg.shared.global [%r0], [%rd0], 16, !%p0;", 16,
         [](unsigned l) { return l < 10 ? 16U : 0U; }},
    };
    for (auto const& f : forms) {
        CAPTURE(f.text);
        auto const got = copied(f.text);
        for (unsigned l = 0; l < 32; ++l)
            for (unsigned b = 0; b < 16; ++b) {
                unsigned const wanted = b >= f.written ? 0xff : b < f.read(l) ? source_byte(16 * l + b) : 0;
                CHECK(got[16 * l + b] == wanted);
            }
    }
    // Guarded: the others keep what they had. Immediate offsets on both sides.
    auto const got =
        copied("setp.ne.u32 %p1, %r31, 31; @%p1 cp.async.ca.shared.global [%r0+4], [%rd0+16], 4;");
    for (unsigned l = 0; l < 32; ++l)
        for (unsigned b = 0; b < 16; ++b)
            CHECK(got[16 * l + b] == (l != 31 && b / 4 == 1 ? source_byte(16 * (l + 1) + b - 4) : 0xff));
}

TEST_CASE("cp.async: timing hears of copies, groups and waits as of LDGSTS, LDGDEPBAR and DEPBAR",
          "[ptx][async]") {
    machine m(module_of(kernel_of(R"(
mov.u32 %r0, tile; mad.lo.u32 %r0, %r31, 16, %r0;
mul.wide.u32 %rd0, %r31, 16; add.u64 %rd0, %rd0, %out;
setp.lt.u32 %p0, %r31, 8;
cp.async.cg.shared.global [%r0], [%rd0], 16;
cp.async.commit_group;
cp.async.ca.shared.global [%r0], [%rd0], 4, %p0;
cp.async.wait_group 1;
cp.async.wait_all;)",
                                  tile)));
    auto const out = m.upload(std::vector<std::uint8_t>(512));
    m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}));
    std::vector<std::string> told;
    auto const& warp = m.streams()[0].warps[0];
    for (warpkit::stream_cursor at(warp); !at.done();) {
        auto const& i = m.program().instructions[at.instruction()];
        if (i.async == async_role::copy) {
            CHECK(i.kind == op_class::load);
            CHECK(i.space == memory_space::global);
            CHECK(i.destinations == 0);
            CHECK(i.past_l1 == (i.access_bytes == 16)); // .cg
            warpkit::lane_addresses a{};
            at.addresses(warp, a);
            for (unsigned l = 0; l < 32; ++l)
                if ((at.mask() >> l & 1) != 0) CHECK(a[l] == out + 16 * l);
            told.push_back("copy " + std::to_string(i.access_bytes) + " " + std::to_string(at.mask()));
        }
        if (i.async == async_role::commit) told.emplace_back("commit");
        if (i.async == async_role::wait) told.push_back("wait " + std::to_string(i.async_groups));
        at.advance(warp, i);
    }
    CHECK(told == std::vector<std::string>{"copy 16 4294967295", "commit", "copy 4 4294967040", "wait 1",
                                           "commit", "wait 0"});
}

TEST_CASE("loads with .cg and .cv go past the L1, others and stores do not", "[ptx]") {
    machine m(module_of(kernel_of(R"(
ld.global.u32 %r1, [%out];
ld.global.ca.u32 %r1, [%out];
ld.global.cg.u32 %r1, [%out];
ld.global.cs.u32 %r1, [%out];
ld.global.cv.u32 %r1, [%out];
ld.cg.v2.u32 {%r1, %r2}, [%out];
st.global.cg.u32 [%out], %r1;)",
                                  tile)));
    m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({m.upload(std::vector<std::uint8_t>(512))}));
    std::vector<bool> past;
    for (auto const& i : m.program().instructions)
        if (i.space == memory_space::global || i.space == memory_space::generic) past.push_back(i.past_l1);
    CHECK(past == std::vector<bool>{false, false, true, false, true, true, false});
}

namespace {
// PTX ISA, "mbarrier": counts as the text has them.
struct model {
    std::uint32_t pending = 0;
    std::uint32_t expected = 0;
    std::int64_t transactions = 0;
    std::uint64_t phase = 0;
    void settle() {
        if (pending != 0 || transactions != 0) return;
        ++phase;
        pending = expected;
    }
};
} // namespace

TEST_CASE("mbarriers: random sequences of one thread beside the text's counts", "[ptx][async]") {
    std::mt19937 random(5);
    for (unsigned round = 0; round < 30; ++round) {
        std::string body = "mov.u32 %r0, bar;\n";
        std::vector<std::uint32_t> wanted;
        model b;
        auto const save = [&](std::string const& reg, std::uint32_t value) {
            body += "st.global.u32 [%out+" + std::to_string(4 * wanted.size()) + "], " + reg + ";\n";
            wanted.push_back(value);
        };
        b.pending = b.expected = 1 + static_cast<std::uint32_t>(random() % 6);
        body += "mbarrier.init.shared.b64 [%r0], " + std::to_string(b.expected) + ";\n";
        std::uint64_t token_phase = 0;
        bool token = false;
        for (unsigned step = 0; step < 25 && b.expected != 0; ++step) {
            auto const n = 1 + random() % std::max(b.pending, 1U);
            auto const count = std::to_string(n);
            bool arrived = false;
            auto const before = b;
            switch (b.pending == 0 ? 3 : random() % 9) { // nobody is missing: transactions are
            case 0:
                body += "mbarrier.arrive.shared.b64 %rd0, [%r0];\n";
                --b.pending;
                arrived = true;
                break;
            case 1:
                body += "mbarrier.arrive.release.cta.shared::cta.b64 %rd0, [%r0], " + count + ";\n";
                b.pending -= static_cast<std::uint32_t>(n);
                arrived = true;
                break;
            case 2: {
                auto const t = random() % 100;
                body += "mbarrier.expect_tx.relaxed.cta.shared.b64 [%r0], " + std::to_string(t) + ";\n";
                b.transactions += t;
                continue; // it does not complete a phase
            }
            case 3: {
                auto const t =
                    b.transactions == 0 ? 0 : 1 + random() % static_cast<std::uint32_t>(b.transactions);
                body += "mbarrier.complete_tx.shared.b64 [%r0], " + std::to_string(t) + ";\n";
                b.transactions -= static_cast<std::int64_t>(t);
                b.settle();
                break;
            }
            case 4: {
                auto const t = random() % 50;
                body += "mbarrier.arrive.expect_tx.shared.b64 %rd0, [%r0], " + std::to_string(t) + ";\n";
                b.transactions += t;
                --b.pending;
                arrived = true;
                break;
            }
            case 5:
                if (b.expected < 2 || b.pending < 2) continue;
                body += "mbarrier.arrive_drop.shared.b64 %rd0, [%r0];\n";
                --b.pending;
                --b.expected;
                arrived = true;
                break;
            case 6:
                if (b.pending == 1) continue;
                body += "mbarrier.arrive.noComplete.shared.b64 %rd0, [%r0], 1;\n";
                --b.pending;
                arrived = true;
                break;
            case 7:
                body += "cp.async.mbarrier.arrive.shared.b64 [%r0];\n"; // nothing changes
                break;
            default:
                body += "cp.async.mbarrier.arrive.noinc.shared.b64 [%r0];\n";
                --b.pending;
                b.settle();
                break;
            }
            if (arrived) {
                body += "mbarrier.pending_count.b64 %r1, %rd0;\nmov.b64 %rd1, %rd0;\n";
                save("%r1", before.pending);
                token = true;
                token_phase = before.phase;
                b.settle();
            }
            for (unsigned parity = 0; parity < 2; ++parity) {
                body += "mbarrier.test_wait.parity.shared.b64 %p0, [%r0], " + std::to_string(parity) +
                        ";\nselp.u32 %r1, 1, 0, %p0;\n";
                save("%r1", b.phase % 2 != parity ? 1 : 0);
            }
            if (token && b.phase - token_phase <= 1) { // older states are invalid
                body += std::string("mbarrier.") + (step % 2 == 0 ? "test" : "try") +
                        "_wait.acquire.cta.shared.b64 %p0, [%r0], %rd1;\nselp.u32 %r1, 1, 0, %p0;\n";
                save("%r1", b.phase != token_phase ? 1 : 0);
            }
        }
        body += "mbarrier.inval.shared.b64 [%r0];\n";
        CAPTURE(round, body);
        CHECK(run<std::uint32_t>(body, wanted.size(), 1, tile) == wanted);
    }
}

TEST_CASE("mbarriers: warps wait for what others bring, and ask once", "[ptx][async]") {
    // Warp 1 fills a ring of two places, warp 0 empties it: 20 rounds, by parity.
    std::string const body = R"(
mov.u32 %r0, bar; mov.u32 %r1, tile; shr.u32 %r2, %r31, 5; and.b32 %r3, %r31, 31;
setp.ne.u32 %p0, %r31, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r0], 32; mbarrier.init.shared.b64 [%r0+8], 32;
mbarrier.init.shared.b64 [%r0+16], 32; mbarrier.init.shared.b64 [%r0+24], 32;
READY:
bar.sync 0;
mov.u32 %r4, 0;
mov.u32 %r9, 0;
setp.eq.u32 %p1, %r2, 0;
LOOP:
and.b32 %r5, %r4, 1; shl.b32 %r6, %r5, 3; add.u32 %r6, %r6, %r0;
shr.u32 %r7, %r4, 1; and.b32 %r7, %r7, 1;
shl.b32 %r8, %r5, 7; mad.lo.u32 %r8, %r3, 4, %r8; add.u32 %r8, %r8, %r1;
@%p1 bra EMPTY;
xor.b32 %r10, %r7, 1;
FREE:
mbarrier.try_wait.parity.shared.b64 %p2, [%r6+16], %r10;
@!%p2 bra FREE;
mad.lo.u32 %r11, %r4, 100, %r3;
st.shared.u32 [%r8], %r11;
mbarrier.arrive.shared.b64 %rd0, [%r6];
bra NEXT;
EMPTY:
mbarrier.try_wait.parity.shared.b64 %p2, [%r6], %r7, 1000;
@!%p2 bra EMPTY;
ld.shared.u32 %r11, [%r8];
add.u32 %r9, %r9, %r11;
mbarrier.arrive.shared.b64 _, [%r6+16];
NEXT:
add.u32 %r4, %r4, 1;
setp.lt.u32 %p3, %r4, 20;
@%p3 bra LOOP;
mul.wide.u32 %rd1, %r31, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], %r9;
)";
    machine m(module_of(kernel_of(body, tile)));
    auto const out = m.upload(std::vector<std::uint32_t>(64));
    m.launch("k", {1, 1, 1}, {64, 1, 1}, arguments({out}));
    auto const got = m.download<std::uint32_t>(out, 64);
    for (unsigned l = 0; l < 32; ++l) CHECK(got[l] == 190 * 100 + 20 * l);
    unsigned asked = 0;
    for (auto const& warp : m.streams()[0].warps)
        for (warpkit::stream_cursor at(warp); !at.done();) {
            auto const& i = m.program().instructions[at.instruction()];
            asked +=
                i.kind == op_class::load && i.space == memory_space::shared && i.access_bytes == 8 ? 1 : 0;
            at.advance(warp, i);
        }
    CHECK(asked == 40); // in the streams each wait stands once

    // Lanes of one warp that wait for another lane of it.
    auto const lanes = run<std::uint32_t>(R"(
mov.u32 %r0, bar;
setp.eq.u32 %p0, %r31, 7;
@%p0 mbarrier.init.shared.b64 [%r0], 1;
bar.warp.sync -1;
@%p0 bra LAST;
WAIT:
mbarrier.test_wait.parity.shared.b64 %p2, [%r0], 0;
@!%p2 bra WAIT;
bra DONE;
LAST:
mbarrier.arrive.shared.b64 %rd0, [%r0];
DONE:
mul.wide.u32 %rd1, %r31, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], 1;)",
                                          32, 32, tile);
    for (auto const v : lanes) CHECK(v == 1);
}

TEST_CASE("mbarriers: who waits for ever is told, with the line", "[ptx][async]") {
    using Catch::Contains;
    std::string const init = R"(
mov.u32 %r0, bar; setp.ne.u32 %p0, %r31, 0;
@%p0 bra READY;
mbarrier.init.shared.b64 [%r0], 2;
READY:
bar.sync 0;
)";
    // Two warps, of which one arrives and both wait.
    auto const text = run_error(init + R"(
@!%p0 mbarrier.arrive.shared.b64 %rd0, [%r0];
WAIT:
mbarrier.try_wait.parity.shared.b64 %p2, [%r0], 0;
@!%p2 bra WAIT;)",
                                64, 10'000'000, 4096, tile);
    CHECK_THAT(text, Contains("CTA (0,0,0) waits for what never comes to pass") &&
                         Contains("warp 0 waits at t.ptx:27 (mbarrier.try_wait.parity.shared.b64)") &&
                         Contains("warp 1 waits at t.ptx:27"));
    // One waits there, the other at a barrier.
    CHECK_THAT(run_error(init + R"(
setp.ge.u32 %p3, %r31, 32;
@%p3 bar.sync 1;
WAIT:
mbarrier.test_wait.parity.shared.b64 %p2, [%r0], 0;
@!%p2 bra WAIT;)",
                         64, 10'000'000, 4096, tile),
               Contains("warp 0 waits at t.ptx:28 (mbarrier.test_wait") &&
                   Contains("warp 1 at barrier 1 (t.ptx:26)"));
    // Lanes of one warp that wait for each other.
    CHECK_THAT(run_error(init + R"(
setp.ge.u32 %p3, %r31, 16;
@%p3 bra UPPER;
LOWER:
mbarrier.try_wait.parity.shared.b64 %p2, [%r0], 0;
@!%p2 bra LOWER;
bra DONE;
UPPER:
mbarrier.try_wait.parity.shared.b64 %p2, [%r0], 0;
@!%p2 bra UPPER;
DONE:)",
                         32, 10'000'000, 4096, tile),
               Contains("waits for what never comes to pass: warp 0 waits at t.ptx"));
    // Who gives up after some tries and then arrives is no such thing, however many others wait in front of it.
    auto const got = run<std::uint32_t>(init + R"(
mov.u32 %r1, 0;
setp.ge.u32 %p3, %r31, 32;
WAIT:
mbarrier.try_wait.parity.shared.b64 %p2, [%r0], 0;
@%p2 bra DONE;
add.u32 %r1, %r1, 1;
setp.lt.u32 %p4, %r1, 3000;
@%p4 bra WAIT;
setp.eq.u32 %p4, %r31, 32;
@!%p3 bra WAIT;
@%p4 mbarrier.arrive.shared.b64 %rd0, [%r0], 2;
bra WAIT;
DONE:
mul.wide.u32 %rd1, %r31, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], 7;)",
                                        64, 64, tile);
    for (auto const v : got) CHECK(v == 7);
}

TEST_CASE("elect.sync: the lowest member leads", "[ptx][async]") {
    auto const got = run<std::uint32_t>(R"(
setp.lt.u32 %p0, %r31, 20;
selp.b32 %r0, 0x000fffe0, 0xfff0001f, %p0;
setp.lt.u32 %p1, %r31, 5;
selp.b32 %r0, 0xfff0001f, %r0, %p1;
elect.sync %r1|%p2, %r0;
selp.u32 %r2, 256, 0, %p2;
add.u32 %r1, %r1, %r2;
mul.wide.u32 %rd1, %r31, 4; add.u64 %rd1, %rd1, %out; st.global.u32 [%rd1], %r1;)",
                                        32);
    for (unsigned l = 0; l < 32; ++l) {
        unsigned const leader = l >= 5 && l < 20 ? 5 : 0;
        CHECK(got[l] == leader + (l == leader ? 256 : 0));
    }
}

TEST_CASE("Asynchronous copies and mbarriers: what does not fit is refused", "[ptx][async]") {
    using Catch::Contains;
    auto const says = [](std::string const& body) { return lower_error(module_of(kernel_of(body, tile))); };
    CHECK(says("cp.async.ca.shared.global [%r0], [%rd0], 4;") == "");
    CHECK_THAT(says("cp.async.ca.shared.global [%r0], [%rd0], 12;"),
               Contains("operand 3") && Contains("one of the constants 4,8,16") && Contains("12"));
    CHECK_THAT(says("cp.async.cg.shared.global [%r0], [%rd0], 8;"), Contains("one of the constants 16"));
    CHECK_THAT(says("cp.async.ca.shared.global [%r0], [%rd0], %r1;"),
               Contains("one of the constants 4,8,16"));
    CHECK_THAT(says("cp.async.ca.shared.global [%r0], [tile], 4;"), Contains("an address in global memory"));
    CHECK_THAT(says("cp.async.wait_group %r0;"), Contains("an integer constant"));
    CHECK_THAT(says("mbarrier.init.shared.b32 [%r0], 1;"), Contains("unknown form"));
    auto const fails = [](std::string const& body) { return run_error(body, 32, 100000, 4096, tile); };
    CHECK_THAT(fails("mov.u32 %r0, tile;\ncp.async.ca.shared.global [%r0], [%out], 4, 5;"),
               Contains("at most the 4 bytes that are written, found 5"));
    CHECK_THAT(
        fails("mov.u32 %r0, tile;\nadd.u64 %rd0, %out, 4;\ncp.async.ca.shared.global [%r0], [%rd0], 8;"),
        Contains("misaligned") && Contains("global"));
    CHECK_THAT(
        fails(
            "mov.u32 %r0, tile;\nadd.u64 %rd0, %out, 4088;\ncp.async.cg.shared.global [%r0], [%rd0], 16, 8;"),
        Contains("misaligned"));
    CHECK_THAT(
        fails(
            "mov.u32 %r0, tile;\nadd.u64 %rd0, %out, 4096;\ncp.async.cg.shared.global [%r0], [%rd0], 16, 8;"),
        Contains("out-of-range") && Contains("8 bytes"));
    CHECK_THAT(fails("mov.u32 %r0, tile;\nmbarrier.arrive.shared.b64 %rd0, [%r0];"),
               Contains("expected an mbarrier at this address: there was no mbarrier.init"));
    CHECK_THAT(fails("mov.u32 %r0, bar;\nmbarrier.init.shared.b64 [%r0], 0;"),
               Contains("from 1 to 1048575, found 0"));
    CHECK_THAT(fails("mov.u32 %r0, bar;\nmbarrier.init.shared.b64 [%r0], 3;\nmbarrier.arrive.shared.b64 "
                     "%rd0, [%r0], 4;"),
               Contains("1 to the 3"));
    CHECK_THAT(fails("mov.u32 %r0, bar;\nmbarrier.init.shared.b64 [%r0], "
                     "32;\nmbarrier.arrive.noComplete.shared.b64 %rd0, [%r0], 1;"),
               Contains("not to be the last of its phase"));
    CHECK_THAT(fails("mov.u32 %r0, bar;\nmbarrier.init.shared.b64 [%r0], "
                     "1;\nW:\nmbarrier.try_wait.parity.shared.b64 %p0, [%r0], 0;\n@!%p0 bra W;"),
               Contains("waits for what never comes to pass: warp 0 waits at t.ptx:21"));
}
