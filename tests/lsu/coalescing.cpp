/// Coalescing: worked examples, and a twin that looks at each byte of each lane.

#include <warpkit/lsu/concepts.hpp>
#include <warpkit/lsu/fermi_coalescing.hpp>
#include <warpkit/lsu/line_coalescing.hpp>
#include <warpkit/lsu/local_interleaving.hpp>
#include <warpkit/lsu/one_coalescer.hpp>
#include <warpkit/lsu/sectored_coalescing.hpp>

#include "catch.hpp"
#include "support/sanitized.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <type_traits>
#include <vector>

using namespace warpkit;

namespace {

static_assert(coalescing_policy<fermi_coalescing> && coalescing_policy<sectored_coalescing> &&
              coalescing_policy<line_coalescing>);
static_assert(std::is_trivially_copyable_v<transaction>);
static_assert(lanes != 32 ||
              (std::has_unique_object_representations_v<transaction> && sizeof(transaction) == 40));
static_assert(sizeof(fermi_coalescing) == 1 && sizeof(sectored_coalescing) == 1);

warp_access strided(std::uint64_t base, std::uint64_t stride, std::uint32_t bytes,
                    lane_mask active = all_lanes, access_kind kind = access_kind::load) {
    return {.active = active, .bytes = bytes, .kind = kind, .base = base, .stride = stride};
}
template <class Policy>
std::vector<transaction> coalesced(Policy const& p, warp_access const& a, bool bypasses_l1 = false) {
    transaction_list out;
    p(a, bypasses_l1, out);
    return {out.begin(), out.end()};
}

// ---- the twin ----

/// One transaction as sets, so that it cannot share a mistake of bit arithmetic.
struct plain {
    std::uint64_t block = 0;
    std::set<std::uint64_t> bytes;
    std::set<unsigned> lanes;
};
std::vector<plain> by_bytes(warp_access const& a, std::uint64_t size) {
    std::vector<plain> out;
    for (unsigned lane = 0; lane < lanes; ++lane) {
        if ((a.active >> lane & 1) == 0) continue;
        // The lane's bytes, block by block.
        std::vector<std::pair<std::uint64_t, std::set<std::uint64_t>>> pieces;
        for (std::uint64_t i = 0; i < a.bytes; ++i) {
            auto const b = a.address(lane) + i;
            if (pieces.empty() || pieces.back().first != b / size * size)
                pieces.push_back({b / size * size, {}});
            pieces.back().second.insert(b);
        }
        for (auto const& [block, bytes] : pieces) {
            auto const place =
                std::find_if(out.begin(), out.end(), [&, blk = block, &bs = bytes](plain const& t) {
                    if (t.block != blk) return false;
                    if (a.kind != access_kind::atomic) return true;
                    return std::none_of(bs.begin(), bs.end(), [&](auto b) { return t.bytes.count(b) != 0; });
                });
            auto& t = place == out.end() ? out.emplace_back() : *place;
            t.block = block;
            t.bytes.insert(bytes.begin(), bytes.end());
            t.lanes.insert(lane);
        }
    }
    return out;
}
/// The smallest aligned block of 32, 64 or 128 bytes around all used bytes.
std::pair<std::uint64_t, std::uint32_t> fitted(plain const& t) {
    for (std::uint32_t size : {32U, 64U, 128U})
        if (*t.bytes.begin() / size == *t.bytes.rbegin() / size)
            return {*t.bytes.begin() / size * size, size};
    return {0, 0};
}
bool same(plain const& want, transaction const& got, std::uint64_t address, std::uint32_t bytes) {
    if (got.address != address || got.bytes != bytes) return false;
    for (unsigned lane = 0; lane < lanes; ++lane)
        if ((got.lanes >> lane & 1) != want.lanes.count(lane)) return false;
    auto const around = address / 128 * 128;
    std::uint32_t sectors = 0;
    for (std::uint64_t b = 0; b < 128; ++b) {
        bool const used = want.bytes.count(around + b) != 0;
        if ((got.used[b / 64] >> (b % 64) & 1) != used) return false;
        if (used) sectors |= 1U << b / 32;
    }
    return sectors == got.sectors;
}

struct random_accesses {
    std::mt19937_64 engine{11};
    lane_addresses list{};

    std::uint64_t below(std::uint64_t n) { return engine() % n; }
    warp_access next() {
        warp_access a;
        a.active = static_cast<lane_mask>(engine());
        if (below(3) == 0) a.active = all_lanes;
        if (below(3) == 0) a.active = (all_lanes >> below(32)) & (all_lanes << below(32));
        if (a.active == 0) a.active = lane_mask{1} << below(32);
        a.bytes = 1U << below(6);
        if (below(10) == 0) a.bytes = 12;
        auto const kind = below(4);
        a.kind = kind == 0 ? access_kind::atomic : kind == 1 ? access_kind::store : access_kind::load;
        bool const aligned = below(3) != 0;
        auto const unit = aligned ? std::uint64_t{a.bytes} : 1;
        auto const address = [&](std::uint64_t range) { return 0x10000 + below(range) / unit * unit; };
        a.affine = below(2) == 0;
        if (a.affine) {
            a.base = address(4096);
            std::uint64_t const strides[] = {0,   a.bytes, a.bytes, 2 * a.bytes, 32,
                                             128, 512,     4100,    below(300)};
            a.stride = strides[below(9)];
            if (below(4) == 0) a.stride = 0 - a.stride; // backwards
            if (a.stride > 1U << 20) a.base += 1U << 20;
        } else {
            std::uint64_t const range = below(2) == 0 ? 256 : 8192;
            for (auto& x : list) x = address(range);
            if (below(3) == 0) // an arithmetic progression with some lanes astray
                for (unsigned i = 0; i < lanes; ++i)
                    list[i] = 0x10000 + i * a.bytes + (below(9) == 0 ? 256 : 0);
            a.addresses = &list;
        }
        return a;
    }
};

} // namespace

#if WARPKIT_WARP_LANES == 32 // worked examples

TEST_CASE("consecutive words of a warp: one line, four sectors") {
    auto const fermi = coalesced(fermi_coalescing{}, strided(0x1000, 4, 4));
    REQUIRE(fermi.size() == 1);
    CHECK(fermi[0].address == 0x1000);
    CHECK(fermi[0].bytes == 128);
    CHECK(fermi[0].lanes == all_lanes);
    CHECK(fermi[0].sectors == 0xf);
    auto const sectored = coalesced(sectored_coalescing{}, strided(0x1000, 4, 4));
    REQUIRE(sectored.size() == 4);
    CHECK(sectored[2].address == 0x1020);
    CHECK(sectored[2].bytes == 32);
    CHECK(sectored[2].lanes == 0x0000ff00);
    CHECK(sectored[2].sectors == 0b0010);
}

TEST_CASE("1, 2, 8 and 32 transactions") {
    CHECK(coalesced(fermi_coalescing{}, strided(0x1000, 0, 4)).size() == 1);
    CHECK(coalesced(fermi_coalescing{}, strided(0x1000, 8, 4)).size() == 2);
    CHECK(coalesced(fermi_coalescing{}, strided(0x1000, 32, 4)).size() == 8);
    CHECK(coalesced(fermi_coalescing{}, strided(0x1000, 128, 4)).size() == 32);
    CHECK(coalesced(fermi_coalescing{}, strided(0x1000, 4096, 4)).size() == 32);
}

TEST_CASE("8- and 16-byte lanes are not split by half or quarter warp") {
    CHECK(coalesced(fermi_coalescing{}, strided(0x1000, 8, 8)).size() == 2);
    CHECK(coalesced(fermi_coalescing{}, strided(0x1000, 16, 16)).size() == 4);
    CHECK(coalesced(sectored_coalescing{}, strided(0x1000, 16, 16)).size() == 16);
    // All lanes on one 16-byte element: one transaction, not four.
    CHECK(coalesced(sectored_coalescing{}, strided(0x1000, 0, 16)).size() == 1);
}

TEST_CASE("Fermi's segments: 128 bytes from 4 bytes a lane on, 64 for 2, 32 for 1; halves and quarters if "
          "that is all") {
    auto const of = [](std::uint64_t base, std::uint64_t stride, std::uint32_t bytes,
                       lane_mask active = all_lanes) {
        return coalesced(fermi_coalescing{}, strided(base, stride, bytes, active));
    };
    SECTION("by size") {
        CHECK(of(0x1000, 2, 2).size() == 1);
        CHECK(of(0x1000, 2, 2)[0].bytes == 64);
        CHECK(of(0x1020, 2, 2).size() == 2); // 32 bytes left and right of a 64-byte boundary
        CHECK(of(0x1020, 2, 2)[0].bytes == 32);
        CHECK(of(0x1000, 1, 1).size() == 1);
        CHECK(of(0x1000, 1, 1)[0].bytes == 32);
        CHECK(of(0x1010, 1, 1).size() == 2);
    }
    SECTION("reduced") {
        auto const upper_half = of(0x1040, 4, 4, 0xffff);
        REQUIRE(upper_half.size() == 1);
        CHECK(upper_half[0].address == 0x1040);
        CHECK(upper_half[0].bytes == 64);
        auto const third_quarter = of(0x1040, 4, 4, 0xff);
        REQUIRE(third_quarter.size() == 1);
        CHECK(third_quarter[0].address == 0x1040);
        CHECK(third_quarter[0].bytes == 32);
        auto const last_word = of(0x107c, 0, 4);
        CHECK(last_word[0].address == 0x1060);
        CHECK(last_word[0].bytes == 32);
        // Quarters 1 and 2 lie in different halves.
        CHECK(of(0x1020, 4, 4, 0xffff)[0].bytes == 128);
    }
    SECTION("an unaligned line: a large and a small part") {
        auto const t = of(0x1010, 4, 4);
        REQUIRE(t.size() == 2);
        CHECK(t[0].address == 0x1000);
        CHECK(t[0].bytes == 128);
        CHECK(t[0].lanes == 0x0fffffff);
        CHECK(t[1].address == 0x1080);
        CHECK(t[1].bytes == 32);
        CHECK(t[1].lanes == 0xf0000000);
    }
    SECTION("past the L1, 32-byte sectors") {
        CHECK(coalesced(fermi_coalescing{}, strided(0x1000, 4, 4), true).size() == 4);
    }
}

TEST_CASE("an access across a boundary makes two transactions, with the lane in both") {
    auto const t = coalesced(sectored_coalescing{}, strided(0x101e, 0, 4, 1));
    REQUIRE(t.size() == 2);
    CHECK(t[0].address == 0x1020);
    CHECK(t[1].address == 0x1000);
    CHECK(t[0].lanes == 1);
    CHECK(t[1].lanes == 1);
    CHECK(t[0].used[0] == std::uint64_t{3} << 32);
    CHECK(t[1].used[0] == std::uint64_t{3} << 30);
}

TEST_CASE("atomics: lanes that overlap need transactions of their own") {
    auto const atomic = [](std::uint64_t stride) {
        return coalesced(fermi_coalescing{}, strided(0x1000, stride, 4, all_lanes, access_kind::atomic),
                         true);
    };
    CHECK(atomic(0).size() == 32); // all on one counter
    CHECK(atomic(4).size() == 4);  // each its own word
    lane_addresses list{};
    for (unsigned i = 0; i < lanes; ++i) list[i] = 0x1000 + 4 * (i % 8); // eight counters in one sector
    warp_access a{
        .active = all_lanes, .bytes = 4, .kind = access_kind::atomic, .affine = false, .addresses = &list};
    auto const t = coalesced(fermi_coalescing{}, a, true);
    REQUIRE(t.size() == 4);
    CHECK(t[0].lanes == 0x000000ff);
    CHECK(t[3].lanes == 0xff000000);
}

TEST_CASE("constant and texture memory go line by line") {
    CHECK(coalesced(line_coalescing{64}, strided(0x1000, 4, 4)).size() == 2);
    CHECK(coalesced(line_coalescing{128}, strided(0x1000, 4, 4)).size() == 1);
    CHECK(coalesced(line_coalescing{64}, strided(0x1000, 0, 4)).at(0).bytes == 64);
}

TEST_CASE("transactions come in the order in which the lanes ask for them") {
    auto const t = coalesced(fermi_coalescing{}, strided(0x2000, 0 - std::uint64_t{128}, 4, 0b111));
    REQUIRE(t.size() == 3);
    CHECK(t[0].address == 0x2000);
    CHECK(t[2].address == 0x1f00);
}

TEST_CASE("sectors go by address, the highest first, whatever the order in which lanes ask") {
    lane_addresses list{};
    for (unsigned i = 0; i < lanes; ++i) list[i] = 0x2000 + 32 * (i * 11 % lanes);
    warp_access a{.active = all_lanes, .bytes = 4, .affine = false, .addresses = &list};
    auto const t = coalesced(sectored_coalescing{}, a);
    REQUIRE(t.size() == lanes);
    for (unsigned i = 0; i < lanes; ++i) CHECK(t[i].address == 0x2000 + 32 * (lanes - 1 - i));
    // An atomic's transactions in one sector: the last that was made.
    for (unsigned i = 0; i < lanes; ++i) list[i] = 0x1000 + i / 16 * 32;
    a.kind = access_kind::atomic;
    auto const atomic = coalesced(sectored_coalescing{}, a, true);
    REQUIRE(atomic.size() == lanes);
    for (unsigned i = 0; i < lanes; ++i) CHECK(atomic[i].lanes == 1U << (lanes - 1 - i));
}

TEST_CASE("local memory: lanes at the same offset touch consecutive words") {
    local_interleaving const local{.base = 0x100000, .threads = 1536};
    CHECK(local.address(0, 0) == 0x100000);
    CHECK(local.address(0, 31) == 0x100000 + 31 * 4);
    CHECK(local.address(3, 31) == 0x100000 + 31 * 4 + 3);
    CHECK(local.address(4, 0) == 0x100000 + 1536 * 4);
    lane_addresses scratch{};
    auto const access = strided(8, 0, 8); // a 64-bit local variable of each lane
    CHECK(local_interleaving::words(access) == 2);
    for (std::uint32_t w = 0; w < 2; ++w) {
        auto const t = coalesced(fermi_coalescing{}, local.word_of(access, 64, w, scratch));
        REQUIRE(t.size() == 1);
        CHECK(t[0].address == 0x100000 + (2 + w) * 1536 * 4 + 64 * 4);
        CHECK(t[0].bytes == 128);
    }
    SECTION("an array indexed by the lane scatters") {
        auto const t = coalesced(fermi_coalescing{}, local.word_of(strided(0, 4, 4), 0, 0, scratch));
        CHECK(t.size() == 32);
    }
    SECTION("the affine form and the list say the same") {
        lane_addresses list{};
        list.fill(20);
        warp_access a{.active = 0x00ff00ff, .bytes = 4, .affine = false, .addresses = &list};
        auto const listed = coalesced(fermi_coalescing{}, local.word_of(a, 32, 0, scratch));
        auto const affine =
            coalesced(fermi_coalescing{}, local.word_of(strided(20, 0, 4, 0x00ff00ff), 32, 0, scratch));
        CHECK(listed == affine);
    }
}

#endif

TEST_CASE("the coalescers agree with a twin that looks at each byte") {
    random_accesses random;
    unsigned most = 0;
    for (unsigned i = 0; i < fewer(60000); ++i) {
        auto const a = random.next();
        bool const bypasses = random.below(4) == 0;
        auto const which = random.below(3);
        std::uint64_t const line = 32U << random.below(3);
        auto const got = which == 0   ? coalesced(fermi_coalescing{}, a, bypasses)
                         : which == 1 ? coalesced(sectored_coalescing{}, a, bypasses)
                                      : coalesced(line_coalescing{static_cast<std::uint32_t>(line)}, a);
        auto const segment = bypasses || a.bytes == 1 ? 32U : a.bytes == 2 ? 64U : 128U;
        auto want = by_bytes(a, which == 0 ? segment : which == 1 ? 32 : line);
        if (which == 1) { // the highest first
            std::reverse(want.begin(), want.end());
            std::stable_sort(want.begin(), want.end(),
                             [](auto const& x, auto const& y) { return x.block > y.block; });
        }
        bool agree = got.size() == want.size();
        for (std::size_t t = 0; t < want.size() && agree; ++t) {
            auto const size = static_cast<std::uint32_t>(which == 1 ? 32 : line);
            auto const [address, bytes] = which == 0 ? fitted(want[t]) : std::pair{want[t].block, size};
            agree = same(want[t], got[t], address, bytes);
        }
        most = std::max(most, static_cast<unsigned>(got.size()));
        if (!agree) {
            INFO("access " << i << " policy " << which << " affine " << a.affine << " base " << a.base
                           << " stride " << static_cast<std::int64_t>(a.stride) << " bytes " << a.bytes
                           << " active " << a.active << " kind " << static_cast<int>(a.kind) << " got "
                           << got.size() << " want " << want.size());
            REQUIRE(agree);
        }
    }
    CHECK(most == 2 * lanes);
}

TEST_CASE("an instruction's addresses are read from its stream in either form") {
    warp_stream stream;
    lane_addresses address{};
    for (unsigned i = 0; i < lanes; ++i) address[i] = 0x400 + 8 * i;
    stream.append(0, 0x0000ffff, memory_space::global, address);
    address[3] = 5;
    stream.append(1, all_lanes, memory_space::global, address);
    static_instruction load;
    load.kind = op_class::load;
    load.access_bytes = 8;
    static_instruction store = load;
    store.kind = op_class::store;
    stream_cursor cursor(stream);
    lane_addresses scratch{};
    auto const first = read_access(cursor, stream, load, scratch);
    CHECK(first.affine);
    CHECK(first.active == 0x0000ffff);
    CHECK(first.bytes == 8);
    CHECK(first.kind == access_kind::load);
    CHECK(first.address(15) == 0x400 + 8 * 15);
    cursor.advance(stream, true);
    auto const second = read_access(cursor, stream, store, scratch);
    CHECK_FALSE(second.affine);
    CHECK(second.kind == access_kind::store);
    CHECK(second.address(3) == 5);
    CHECK(second.address(31) == 0x400 + 8 * 31);
}

TEST_CASE("one of several coalescers makes the transactions of the one that it is") {
    using any = one_coalescer<fermi_coalescing, sectored_coalescing>;
    static_assert(coalescing_policy<any>);
    for (auto const& a : {strided(0, 4, 4), strided(64, 8, 4), strided(96, 132, 8), strided(3, 1, 1)})
        for (bool const past : {false, true}) {
            CHECK(coalesced(any(), a, past) == coalesced(fermi_coalescing(), a, past));
            CHECK(coalesced(any(sectored_coalescing()), a, past) ==
                  coalesced(sectored_coalescing(), a, past));
        }
    CHECK(coalesced(any(), strided(0, 4, 4)) != coalesced(any(sectored_coalescing()), strided(0, 4, 4)));
    CHECK_FALSE(any() == any(sectored_coalescing()));
}
