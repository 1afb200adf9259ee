// What streams say of mbarriers and bulk copies: which phase an operation belongs to, and what is moved.
#include <warpkit/program/async_words.hpp>
#include <warpkit/program/stored_launch.hpp>

#include "catch.hpp"
#include "harness.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace ptx_test;
using warpkit::async_role;
using warpkit::bulk_copy_words;
using warpkit::no_phase;
using words = std::vector<std::uint64_t>;

namespace {
std::string const tile = ".shared .align 128 .b8 tile[4096];\n.shared .align 8 .b64 bar[8];\n";

/// The words of all instructions of a role that a warp executed.
std::vector<words> words_of(machine const& m, unsigned warp, async_role role, unsigned cta = 0) {
    std::vector<words> all;
    auto const& code = m.program().instructions;
    auto const& s = m.streams()[cta].warps[warp];
    for (warpkit::stream_cursor c(s); !c.done(); c.advance(s, code[c.instruction()])) {
        auto const& i = code[c.instruction()];
        if (i.async != role) continue;
        auto const w = c.words(s, i.is_memory());
        all.emplace_back(w.begin(), w.end());
    }
    return all;
}
} // namespace

TEST_CASE("streams: each wait stands once, with the phase that it waited for", "[ptx][async]") {
    // Warp 0 copies to one place, four times; warp 1 hands it back. Two mbarriers: full, and empty.
    machine m(module_of(kernel_of(R"(
setp.eq.u32 %p0, %r31, 0; shr.u32 %r9, %r31, 5; setp.eq.u32 %p3, %r9, 1;
mov.u32 %r0, tile; mov.u32 %r1, bar;
@%p0 mbarrier.init.shared::cta.b64 [%r1], 1;
@%p0 mbarrier.init.shared::cta.b64 [%r1+8], 32;
bar.sync 0;
mov.u32 %r2, 0;
LOOP:
and.b32 %r3, %r2, 1; xor.b32 %r4, %r3, 1;
@%p3 bra CONSUME;
@!%p0 bra NEXT;
FREE:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1+8], %r4;
@!%p1 bra FREE;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r1], 256;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%out], 256, [%r1];
bra NEXT;
CONSUME:
mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r3;
@!%p1 bra CONSUME;
mbarrier.arrive.shared::cta.b64 _, [%r1+8];
NEXT:
add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 4;
@%p2 bra LOOP;
)",
                                  tile)));
    auto const out = m.upload(std::vector<std::uint8_t>(1024));
    m.launch("k", {1, 1, 1}, {64, 1, 1}, arguments({out}));

    // Phases in the order of their beginning: full 0 and empty 1 at their init; then whichever is over gives the next.
    auto const full = words_of(m, 1, async_role::await_phase);
    CHECK(full == std::vector<words>{{0}, {2}, {4}, {6}});
    auto const empty = words_of(m, 0, async_role::await_phase);
    CHECK(empty == std::vector<words>{{}, {1}, {3}, {5}}); // of the phase before the first one there is none
    CHECK(words_of(m, 0, async_role::arrive) == std::vector<words>{{0}, {2}, {4}, {6}});
    CHECK(words_of(m, 1, async_role::arrive) == std::vector<words>{{1}, {3}, {5}, {7}});
    // Each full phase has an arrival and a copy, each empty one the arrival of a warp.
    CHECK(m.streams()[0].phases == std::vector<std::uint32_t>{2, 1, 2, 1, 2, 1, 2, 1, 0, 0});
    auto const copies = words_of(m, 0, async_role::bulk_copy);
    REQUIRE(copies.size() == 4);
    std::span<std::uint64_t const> rest = copies[3];
    auto const last = bulk_copy_words::take_from(rest);
    CHECK(rest.empty());
    CHECK(last.signals == 6);
    CHECK(last.way == warpkit::bulk_way::load);
    CHECK_FALSE(last.reads_map);
    CHECK(last.pieces == std::vector<bulk_copy_words::piece>{{out, 0, 256}});

    // What is kept comes back.
    warpkit::stream_code code(m.program());
    std::vector<std::uint8_t> bytes;
    code.encode(m.streams()[0], bytes);
    warpkit::cta_stream again;
    code.decode(bytes.data(), again);
    CHECK(again == m.streams()[0]);
}

TEST_CASE("streams: lanes that arrive together are one event of each phase", "[ptx][async]") {
    // An mbarrier of 8: the 32 lanes of one arrival are four phases of it.
    machine m(module_of(kernel_of(R"(
setp.eq.u32 %p0, %r31, 0; mov.u32 %r1, bar;
@%p0 mbarrier.init.shared::cta.b64 [%r1], 8;
bar.warp.sync -1;
mbarrier.arrive.shared::cta.b64 %rd1, [%r1];
mbarrier.test_wait.shared::cta.b64 %p1, [%r1], %rd1;
)",
                                  tile)));
    m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({0}));
    CHECK(words_of(m, 0, async_role::arrive) == std::vector<words>{{0, 1, 2, 3}});
    CHECK(m.streams()[0].phases == std::vector<std::uint32_t>{1, 1, 1, 1, 0});
    // Those whose state is that of the running phase modulo 4 ask in vain.
    auto const waits = words_of(m, 0, async_role::await_phase);
    REQUIRE(waits.size() == 1);
    CHECK(waits[0] == words{1, 2, 3});
}

TEST_CASE("streams: stores in bulk name no phase, and the rows of a box are pieces", "[ptx][async]") {
    machine m(module_of(kernel_of(R"(
setp.eq.u32 %p0, %r31, 0; mov.u32 %r0, tile;
@%p0 cp.async.bulk.global.shared::cta.bulk_group [%out], [%r0+128], 64;
@%p0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [%r0], 16;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 1;
cp.async.bulk.wait_group 0;
)",
                                  tile)));
    auto const out = m.upload(std::vector<std::uint8_t>(1024));
    m.launch("k", {1, 1, 1}, {32, 1, 1}, arguments({out}));
    auto const copies = words_of(m, 0, async_role::bulk_copy);
    REQUIRE(copies.size() == 2);
    std::span<std::uint64_t const> first = copies[0];
    auto const store = bulk_copy_words::take_from(first);
    CHECK(store.signals == no_phase);
    CHECK(store.way == warpkit::bulk_way::store);
    CHECK(store.pieces == std::vector<bulk_copy_words::piece>{{out, 128, 64}});
    std::span<std::uint64_t const> second = copies[1];
    CHECK(bulk_copy_words::take_from(second).way == warpkit::bulk_way::reduction);
    auto const& code = m.program().instructions;
    auto const count = [&](async_role r) {
        return std::count_if(code.begin(), code.end(), [r](auto const& i) { return i.async == r; });
    };
    CHECK(count(async_role::bulk_commit) == 1);
    CHECK(count(async_role::bulk_wait) == 1);
    CHECK(count(async_role::bulk_wait_read) == 1);
}

TEST_CASE("streams: products of warpgroups, whose groups are waited for", "[ptx][async]") {
    machine m(module_of(kernel_of(R"(
mov.u32 %r0, tile; mov.u64 %rd0, 0x1000080000; mov.u64 %rd1, 0x1000080000;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd0, %rd1, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 1;
)",
                                  tile)));
    m.launch("k", {1, 1, 1}, {128, 1, 1}, arguments({0}));
    auto const& code = m.program().instructions;
    auto const with = [&](async_role r) {
        return std::find_if(code.begin(), code.end(), [r](auto const& i) { return i.async == r; });
    };
    auto const product = with(async_role::product);
    REQUIRE(product != code.end());
    CHECK(product->matrix_columns == 8);
    CHECK(product->matrix_depth == 16);
    CHECK(product->factor_in_shared);
    CHECK(product->destinations == 0); // no scoreboard waits for it
    CHECK(with(async_role::product_commit) != code.end());
    CHECK(with(async_role::product_wait)->async_groups == 1);
}
