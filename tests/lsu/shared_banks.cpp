/// Shared-memory bank conflicts.

#include <warpkit/lsu/shared_banks.hpp>

#include "catch.hpp"

#include <map>
#include <random>
#include <set>
#include <type_traits>

using namespace warpkit;

namespace {

static_assert(regular_state<shared_banks> && std::is_trivially_copyable_v<shared_banks>);
static_assert(shared_banks{}.cycles({.active = all_lanes, .bytes = 4, .base = 0, .stride = 8}) == lanes / 16);

unsigned naive(warp_access const& a, std::uint32_t banks, std::uint32_t word_bytes) {
    std::map<std::uint64_t, std::set<std::uint64_t>> wanted;
    for (unsigned i = 0; i < lanes; ++i)
        if ((a.active >> i & 1) != 0)
            wanted[a.address(i) / word_bytes % banks].insert(a.address(i) / word_bytes);
    std::size_t most = 0;
    for (auto const& [bank, set] : wanted) most = std::max(most, set.size());
    return static_cast<unsigned>(most);
}

} // namespace

#if WARPKIT_WARP_LANES == 32 // worked examples

namespace {

warp_access words(std::uint64_t stride_in_words, lane_mask active = all_lanes) {
    return {.active = active, .bytes = 4, .base = 64, .stride = 4 * stride_in_words};
}

} // namespace

TEST_CASE("stride 2 words takes 2 cycles, stride 33 takes 1, all on one word 1") {
    shared_banks const b;
    CHECK(b.cycles(words(2)) == 2);
    CHECK(b.cycles(words(33)) == 1);
    CHECK(b.cycles(words(0)) == 1);
}

TEST_CASE("strides in words") {
    shared_banks const b;
    CHECK(b.cycles(words(1)) == 1);
    CHECK(b.cycles(words(3)) == 1);
    CHECK(b.cycles(words(4)) == 4);
    CHECK(b.cycles(words(16)) == 16);
    CHECK(b.cycles(words(32)) == 32);
    CHECK(b.cycles(words(32, 0xff)) == 8);
    CHECK(b.cycles(words(2, 0x0000ffff)) == 1);
    CHECK(b.cycles(words(0 - std::uint64_t{2})) == 2);
}

TEST_CASE("wide accesses count with their first word: 8 bytes take 2 cycles, 16 take 4") {
    shared_banks const b;
    CHECK(b.cycles({.active = all_lanes, .bytes = 8, .base = 0, .stride = 8}) == 2);
    CHECK(b.cycles({.active = all_lanes, .bytes = 16, .base = 0, .stride = 16}) == 4);
    CHECK(b.cycles({.active = all_lanes, .bytes = 1, .base = 0, .stride = 1}) ==
          1); // four lanes share a word
}

#endif

TEST_CASE("every access agrees with a map from banks to sets of words") {
    std::mt19937_64 random(3);
    for (unsigned i = 0; i < 20000; ++i) {
        std::uint32_t const banks = i % 4 == 0 ? 32 : 1 + static_cast<std::uint32_t>(random() % 64);
        std::uint32_t const word = i % 8 == 0 ? 8 : 4;
        lane_addresses list{};
        for (auto& x : list) x = random() % (i % 3 == 0 ? 256 : 49152);
        warp_access a;
        a.active = i % 2 == 0 ? all_lanes : static_cast<lane_mask>(random() | 1);
        a.affine = i % 5 != 0;
        a.base = 40000 + random() % 64;
        a.stride = random() % 300;
        if (i % 3 == 0) a.stride *= 4;
        if (i % 7 == 0) a.stride = 0 - a.stride;
        a.addresses = &list;
        auto const got = shared_banks(banks, word).cycles(a);
        auto const want = naive(a, banks, word);
        if (got != want) {
            INFO("banks " << banks << " word " << word << " base " << a.base << " stride " << a.stride
                          << " active " << a.active);
            REQUIRE(got == want);
        }
    }
}

TEST_CASE("impossible banks are refused") {
    CHECK_THROWS_WITH(shared_banks(0), Catch::Contains("0 banks; the nearest legal value is 1"));
    CHECK_THROWS_WITH(shared_banks(65), Catch::Contains("nearest legal value is 64"));
    CHECK_THROWS_WITH(shared_banks(32, 6), Catch::Contains("power of two"));
}
