/// What one cache does, access by access (docs/model/cache.md).

#include <warpkit/cache/alternatives.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/fermi_hash_index.hpp>
#include <warpkit/cache/fifo.hpp>
#include <warpkit/cache/ipoly_index.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/perfect_cache.hpp>
#include <warpkit/cache/plain_cache.hpp>
#include <warpkit/cache/pseudo_lru.hpp>
#include <warpkit/cache/random_replacement.hpp>
#include <warpkit/cache/srrip.hpp>
#include <warpkit/cache/texture_cache.hpp>
#include <warpkit/cache/xor_index.hpp>

#include "catch.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

using namespace warpkit;

namespace {

using l1d = cache<fermi_hash_index, lru, on_miss, fermi_l1>;
using l2_lazy = cache<linear_index, lru, on_miss, write_back<write_miss::lazy_fetch>>;
using l2_old = cache<linear_index, lru, on_miss, write_back<write_miss::write_and_fetch>>;
using l2_fetching = cache<linear_index, lru, on_miss, write_back<write_miss::fetch_on_write>>;
using l1i = cache<linear_index, lru, on_fill, read_only>;

static_assert(regular_state<l1d> && regular_state<l2_lazy> && regular_state<l1i> &&
              regular_state<perfect_cache>);
static_assert(!std::is_polymorphic_v<l1d> && !std::is_polymorphic_v<perfect_cache> &&
              !std::is_polymorphic_v<mshr_table>);
static_assert(sizeof(cache_access) <= 40 && sizeof(cache_result) == 16 && sizeof(lower_request) <= 40);
static_assert(std::is_trivially_copyable_v<cache_access> && std::is_trivially_copyable_v<cache_result>);
static_assert(set_index_policy<linear_index> && set_index_policy<fermi_hash_index> &&
              set_index_policy<xor_index> && set_index_policy<ipoly_index>);
static_assert(replacement_policy<lru> && replacement_policy<fifo> && replacement_policy<random_replacement> &&
              replacement_policy<pseudo_lru> && replacement_policy<srrip>);
static_assert(hears_removals<srrip> && !hears_removals<lru>);
static_assert(allocation_policy<on_miss> && allocation_policy<on_fill> && allocation_policy<streaming>);
static_assert(write_policy<fermi_l1> && write_policy<read_only> &&
              write_policy<write_through<write_miss::lazy_fetch>>);
static_assert(!set_index_policy<lru> && !replacement_policy<linear_index> && !write_policy<on_miss>);
static_assert(l1d::miss_queue_minimum == 2 && l2_old::miss_queue_minimum == 3 &&
              l1i::miss_queue_minimum == 1);

/// Small caches: one set unless said otherwise, so that addresses of different lines always meet.
cache_parameters one_set(unsigned ways, unsigned line = 128, unsigned sector = 128) {
    return {.geometry = {.sets = 1, .ways = ways, .line_bytes = line, .sector_bytes = sector},
            .mshr_entries = 16,
            .mshr_merges = 4,
            .miss_queue = 8};
}
cache_parameters gtx480_l1d() {
    return {.geometry = {.sets = 32, .ways = 4, .line_bytes = 128, .sector_bytes = 128},
            .mshr_entries = 64,
            .mshr_merges = 8,
            .miss_queue = 8};
}
cache_access load(std::uint64_t address, std::uint32_t token = 1, unsigned warp = 0) {
    return {.address = address, .bytes = 4, .owner = warp_slot{warp}, .token = token};
}
cache_access store(std::uint64_t address, std::uint32_t bytes, memory_space space = memory_space::global,
                   std::uint32_t token = 1) {
    return {.address = address, .bytes = bytes, .kind = access_kind::store, .space = space, .token = token};
}
template <class Cache>
std::vector<lower_request> drain(Cache& c) {
    std::vector<lower_request> all;
    for (; c.has_request(); c.pop_request()) all.push_back(c.front_request());
    return all;
}
template <class Cache>
std::vector<std::uint32_t> fill(Cache& c, std::uint64_t address) {
    std::vector<std::uint32_t> tokens;
    c.fill(address, [&](std::uint32_t t) { tokens.push_back(t); });
    return tokens;
}
/// Brings the sectors in.
template <class Cache>
void warm(Cache& c, std::vector<std::uint64_t> const& addresses) {
    for (auto const a : addresses) {
        REQUIRE(c.access(load(a)).answer == cache_answer::at_fill);
        drain(c);
        fill(c, a);
    }
}
void is(cache_result const& r, cache_outcome o, cache_answer a) {
    CHECK(r.outcome == o);
    CHECK(r.answer == a);
}
void is_refused(cache_result const& r, refusal why) {
    CHECK(r.outcome == cache_outcome::reservation_fail);
    CHECK(r.answer == cache_answer::refused);
    CHECK(r.reason == why);
}

} // namespace

TEST_CASE("a load misses, others merge, the fill serves them in order, then it hits") {
    l1d c(gtx480_l1d());
    is(c.access(load(0x1004, 10)), cache_outcome::miss, cache_answer::at_fill);
    is(c.access(load(0x1078, 11)), cache_outcome::hit_reserved, cache_answer::at_fill);
    is(c.access(load(0x1000, 12)), cache_outcome::hit_reserved, cache_answer::at_fill);
    auto const requests = drain(c);
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].kind == lower_kind::fetch);
    CHECK(requests[0].address == 0x1000);
    CHECK(requests[0].bytes == 128);
    CHECK(requests[0].token == 10);
    CHECK(c.outstanding() == 1);
    CHECK(fill(c, 0x1000) == std::vector<std::uint32_t>{10, 11, 12});
    CHECK(c.idle());
    is(c.access(load(0x1040)), cache_outcome::hit, cache_answer::now);
    CHECK(c.counters().accesses == 4);
    CHECK(c.counters().hits == 1);
    CHECK(c.counters().misses == 1);
    CHECK(c.counters().hit_reserved == 2);
    CHECK(c.counters().fetches == 1);
}

TEST_CASE("of five loads to one set of a 4-way on-miss cache the fifth is refused for want of a line") {
    l1d c(gtx480_l1d());
    // 2^20 apart: the same set under the Fermi hash too, which looks at bits 0 to 19 only.
    for (std::uint64_t i = 0; i < 4; ++i)
        is(c.access(load(i << 20)), cache_outcome::miss, cache_answer::at_fill);
    is_refused(c.access(load(std::uint64_t{4} << 20)), refusal::line_allocation);
    CHECK(c.counters().refused_line_allocation == 1);
    CHECK(c.counters().accesses == 4);
    // A merge needs no line, and one fill makes room.
    is(c.access(load(0x40)), cache_outcome::hit_reserved, cache_answer::at_fill);
    drain(c);
    fill(c, 0);
    auto const r = c.access(load(std::uint64_t{4} << 20));
    is(r, cache_outcome::miss, cache_answer::at_fill);
    CHECK(r.departed.line == 0);
}

TEST_CASE("allocate on fill never lacks a line and evicts when the data comes") {
    l1i c({.geometry = {.sets = 1, .ways = 2, .line_bytes = 32, .sector_bytes = 32},
           .mshr_entries = 8,
           .mshr_merges = 2,
           .miss_queue = 8});
    for (std::uint64_t i = 0; i < 4; ++i) CHECK(c.access(load(32 * i, 1, 7)).answer == cache_answer::at_fill);
    CHECK(c.access(load(0)).outcome == cache_outcome::hit_reserved);
    drain(c);
    auto const ignore = [](std::uint32_t) {};
    CHECK_FALSE(c.fill(0, ignore));
    CHECK_FALSE(c.fill(32, ignore));
    CHECK(c.access(load(0)).outcome == cache_outcome::hit); // 32 is the older one now
    auto const gone = c.fill(64, ignore);
    CHECK(gone.how == line_departure::evicted);
    CHECK(gone.line == 32);
    CHECK(gone.owner == warp_slot{7});
    CHECK_FALSE(c.contains(32));
    CHECK(c.contains(64));
}

TEST_CASE("the reasons for refusal, in the order in which they are looked for") {
    auto p = one_set(8);
    p.mshr_entries = 2;
    p.mshr_merges = 2;
    p.miss_queue = 4;
    SECTION("MSHR entries") {
        l2_lazy c(p);
        c.access(load(0x000));
        c.access(load(0x080));
        is_refused(c.access(load(0x100)), refusal::mshr_entry);
    }
    SECTION("MSHR merges, the first access included") {
        l2_lazy c(p);
        c.access(load(0x000));
        c.access(load(0x004));
        is_refused(c.access(load(0x008)), refusal::mshr_merge);
    }
    SECTION("a read miss wants two places in the miss queue, for a write-back too") {
        p.mshr_entries = 16;
        p.miss_queue = 3;
        l2_lazy c(p);
        CHECK(c.access(load(0x000)).outcome == cache_outcome::miss);
        CHECK(c.access(load(0x080)).outcome == cache_outcome::miss);
        is_refused(c.access(load(0x100)), refusal::miss_queue); // one place left
        is_refused(c.access(load(0x004)), refusal::miss_queue); // even to merge
        c.pop_request();
        CHECK(c.access(load(0x004)).outcome == cache_outcome::hit_reserved);
    }
    SECTION("a read-only cache wants one") {
        p.mshr_entries = 16;
        p.miss_queue = 3;
        l1i c(p);
        for (std::uint64_t i = 0; i < 3; ++i) CHECK(c.access(load(128 * i)).outcome == cache_outcome::miss);
        is_refused(c.access(load(0x180)), refusal::miss_queue);
    }
    SECTION("the line comes before the queue, the queue before the MSHR") {
        p.geometry.ways = 1;
        p.mshr_entries = 1;
        p.miss_queue = 2;
        l2_lazy c(p);
        c.access(load(0));
        is_refused(c.access(load(0x80)), refusal::line_allocation);
        p.geometry.ways = 2;
        l2_lazy d(p);
        d.access(load(0));
        is_refused(d.access(load(0x80)), refusal::miss_queue);
        d.pop_request();
        is_refused(d.access(load(0x80)), refusal::mshr_entry);
    }
    SECTION("a refused access changes nothing but its counter") {
        l2_lazy c(p);
        c.access(load(0x000));
        c.access(load(0x080));
        auto before = c;
        c.access(load(0x100));
        CHECK_FALSE(c == before);
        CHECK(c.counters().refused_mshr_entry == 1);
        c.reset_counters();
        before.reset_counters();
        CHECK(c == before);
    }
}

TEST_CASE("replacement") {
    auto const fill_ways = [](auto& c) { warm(c, {0x000, 0x080, 0x100}); };
    SECTION("invalid ways first, then the least recently used") {
        cache<linear_index, lru, on_miss, read_only> c(one_set(3));
        fill_ways(c);
        CHECK(c.counters().evictions == 0);
        c.access(load(0x000)); // used again
        auto const r = c.access(load(0x180));
        CHECK(r.departed.how == line_departure::evicted);
        CHECK(r.departed.line == 0x080);
        CHECK(c.contains(0x000));
    }
    SECTION("first in, first out, used or not") {
        cache<linear_index, fifo, on_miss, read_only> c(one_set(3));
        fill_ways(c);
        c.access(load(0x000));
        CHECK(c.access(load(0x180)).departed.line == 0x000);
    }
    SECTION("pseudo-LRU, four ways") {
        cache<linear_index, pseudo_lru, on_miss, read_only> c(one_set(4));
        warm(c, {0x000, 0x080, 0x100, 0x180}); // ways 3, 2, 1, 0: the bits lead to 3 now
        c.access(load(0x000));                 // way 3: the root leads down, and below it to 1
        auto const r = c.access(load(0x200));
        CHECK(r.departed.line == 0x100);
        // 0x080 was used longest ago of all, but is its neighbour's neighbour
        CHECK(c.contains(0x080));
    }
    SECTION("pseudo-LRU with three ways, and one that waits") {
        cache<linear_index, pseudo_lru, on_miss, read_only> c(one_set(3));
        c.access(load(0x000)); // way 2, waits
        warm(c, {0x080, 0x100});
        CHECK(c.access(load(0x180)).departed.line == 0x080);
    }
    SECTION("SRRIP: lines used once go before lines used again, however recent (Jaleel's section 4.1)") {
        cache<linear_index, srrip, on_miss, read_only> c(one_set(4));
        warm(c, {0x000, 0x080, 0x100, 0x180}); // ways 3, 2, 1, 0, all predicted far
        c.access(load(0x000));
        c.access(load(0x080));
        std::uint64_t gone[4];
        for (std::uint64_t i = 0; i < 4; ++i) { // a scan
            auto const r = c.access(load(0x200 + 0x80 * i));
            drain(c);
            fill(c, 0x200 + 0x80 * i);
            gone[i] = r.departed.line;
        }
        // The two that were used once, lowest way first, then the scan itself; the used ones have grown old with it.
        CHECK(gone[0] == 0x180);
        CHECK(gone[1] == 0x100);
        CHECK(gone[2] == 0x200);
        CHECK(gone[3] == 0x280);
        CHECK(c.contains(0x000));
        CHECK(c.contains(0x080));
    }
    SECTION("random: all eligible ways go about equally often") {
        random_replacement a(1, 6);
        unsigned times[6] = {};
        for (unsigned i = 0; i < 6000; ++i) {
            auto const way = a.victim(0, 0b111011);
            ++times[way];
            a.inserted(0, way);
        }
        CHECK(times[2] == 0);
        for (unsigned const w : {0U, 1U, 3U, 4U, 5U}) CHECK((times[w] > 1100 && times[w] < 1300));
    }
    SECTION("lines that wait for data are passed over") {
        cache<linear_index, lru, on_miss, read_only> c(one_set(2));
        c.access(load(0x000)); // oldest, but waits
        warm(c, {0x080});
        CHECK(c.access(load(0x100)).departed.line == 0x080);
    }
    SECTION("the owner is who brought the line in") {
        cache<linear_index, lru, on_miss, read_only> c(one_set(1));
        c.access(load(0x000, 1, 5));
        drain(c);
        fill(c, 0);
        c.access(load(0x000, 1, 9));
        CHECK(c.access(load(0x080, 1, 9)).departed.owner == warp_slot{5});
    }
}

TEST_CASE("Fermi's L1: global stores evict, local ones stay, and neither allocates") {
    l1d c(gtx480_l1d());
    SECTION("a global store that hits sends the data on and removes the line") {
        warm(c, {0x1000});
        auto const r = c.access(store(0x1010, 4));
        is(r, cache_outcome::hit, cache_answer::below);
        CHECK(r.departed.how == line_departure::invalidated);
        CHECK(r.departed.line == 0x1000);
        auto const requests = drain(c);
        REQUIRE(requests.size() == 1);
        CHECK(requests[0].kind == lower_kind::store);
        CHECK(requests[0].address == 0x1010);
        CHECK(requests[0].bytes == 4);
        CHECK(c.access(load(0x1000)).outcome == cache_outcome::miss);
        CHECK(c.counters().evictions == 0);
    }
    SECTION("a global store that misses is sent on") {
        is(c.access(store(0x1010, 4)), cache_outcome::miss, cache_answer::below);
        CHECK(drain(c).size() == 1);
        CHECK(c.access(load(0x1000)).outcome == cache_outcome::miss);
    }
    SECTION("a global store under way of a fetch leaves the fetch alone") {
        c.access(load(0x1000, 3));
        is(c.access(store(0x1010, 4)), cache_outcome::hit_reserved, cache_answer::below);
        CHECK(fill(c, 0x1000) == std::vector<std::uint32_t>{3});
    }
    SECTION("a local store that hits is kept, and written back whole when its line goes") {
        warm(c, {0x1000});
        is(c.access(store(0x1010, 4, memory_space::local)), cache_outcome::hit, cache_answer::now);
        CHECK_FALSE(c.has_request());
        CHECK(c.dirty_bytes() == 128);
        for (std::uint64_t i = 1; i <= 3; ++i) warm(c, {0x1000 + (i << 20)});
        CHECK(c.access(load(0x1000 + (std::uint64_t{4} << 20))).departed.line == 0x1000);
        auto const requests = drain(c);
        REQUIRE(requests.size() == 2);
        CHECK(requests[0].kind == lower_kind::fetch); // the fetch goes first
        CHECK(requests[1].kind == lower_kind::write_back);
        CHECK(requests[1].address == 0x1000);
        CHECK(requests[1].bytes == 128);
    }
    SECTION("a local store that misses is sent on") {
        is(c.access(store(0x1010, 4, memory_space::local)), cache_outcome::miss, cache_answer::below);
    }
    SECTION("an atomic is sent on with its token, and drops the line") {
        warm(c, {0x1000});
        cache_access a = load(0x1000, 42);
        a.kind = access_kind::atomic;
        is(c.access(a), cache_outcome::hit, cache_answer::below);
        auto const requests = drain(c);
        REQUIRE(requests.size() == 1);
        CHECK(requests[0].kind == lower_kind::atomic);
        CHECK(requests[0].token == 42);
        CHECK_FALSE(c.contains(0x1000));
    }
    SECTION("a store needs a place in the miss queue") {
        for (unsigned i = 0; i < 8; ++i) CHECK(c.access(store(128 * i, 4)).answer == cache_answer::below);
        is_refused(c.access(store(0x8000, 4)), refusal::miss_queue);
    }
}

TEST_CASE("a sector that an atomic made dirty, dropped and fetched again, is clean") {
    cache<linear_index, lru, on_miss, fermi_l1> c(one_set(2, 128, 32));
    auto a = load(0x20, 9);
    a.kind = access_kind::atomic;
    a.space = memory_space::local; // kept here, as a local store is
    is(c.access(a), cache_outcome::miss, cache_answer::at_fill);
    drain(c);
    fill(c, 0x20);
    CHECK(c.dirty_bytes() == 32);
    warm(c, {0x40}); // so that the line stays
    CHECK(c.access(store(0x20, 4)).departed.how == line_departure::none);
    auto const requests = drain(c);
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].kind == lower_kind::write_back);
    CHECK(requests[0].sectors == 0b0010);
    CHECK(requests[1].kind == lower_kind::store);
    CHECK_FALSE(c.contains(0x20));
    CHECK(c.contains(0x40));
    warm(c, {0x20});
    CHECK(c.dirty_bytes() == 0);
}

TEST_CASE("sectored write-back with lazy fetch: L2 of the 4.x configurations") {
    l2_lazy c(one_set(2, 128, 32));
    SECTION("a miss fetches one sector; another sector of the line is a sector miss") {
        is(c.access(load(0x20, 1)), cache_outcome::miss, cache_answer::at_fill);
        is(c.access(load(0x24, 2)), cache_outcome::hit_reserved, cache_answer::at_fill);
        is(c.access(load(0x60, 3)), cache_outcome::sector_miss, cache_answer::at_fill);
        auto const requests = drain(c);
        REQUIRE(requests.size() == 2);
        CHECK(requests[0].address == 0x20);
        CHECK(requests[0].bytes == 32);
        CHECK(requests[1].address == 0x60);
        CHECK(fill(c, 0x60) == std::vector<std::uint32_t>{3});
        CHECK(fill(c, 0x20) == std::vector<std::uint32_t>{1, 2});
        CHECK(c.contains(0x20));
        CHECK(c.contains(0x7f));
        CHECK_FALSE(c.contains(0x00));
    }
    SECTION("a store allocates without a fetch; a load of what it wrote in part fetches the rest") {
        is(c.access(store(0x20, 8)), cache_outcome::miss, cache_answer::now);
        CHECK_FALSE(c.has_request());
        is(c.access(store(0x28, 8)), cache_outcome::hit, cache_answer::now);
        is(c.access(load(0x20)), cache_outcome::sector_miss, cache_answer::at_fill);
        CHECK(drain(c).size() == 1);
        fill(c, 0x20);
        is(c.access(load(0x3c)), cache_outcome::hit, cache_answer::now);
        CHECK(c.dirty_bytes() == 32);
    }
    SECTION("a sector written in full, at once or bit by bit, can be read") {
        c.access(store(0x20, 32));
        is(c.access(load(0x20)), cache_outcome::hit, cache_answer::now);
        for (unsigned i = 0; i < 4; ++i) c.access(store(0x40 + 8 * i, 8));
        is(c.access(load(0x40)), cache_outcome::hit, cache_answer::now);
        CHECK_FALSE(c.has_request());
    }
    SECTION("a store with a mask fills only the bytes of the mask") {
        auto s = store(0x00, 128);
        s.written = {0x00000000'ffffffff, 0xffffffff'fffffffe}; // sector 0, most of 2, sector 3
        is(c.access(s), cache_outcome::miss, cache_answer::now);
        CHECK(c.contains(0x00));
        CHECK_FALSE(c.contains(0x20));
        CHECK_FALSE(c.contains(0x40));
        CHECK(c.contains(0x60));
        CHECK(c.dirty_bytes() == 96);
    }
    SECTION("a write-back carries the dirty sectors alone") {
        c.access(store(0x20, 32));
        c.access(store(0x60, 4));
        warm(c, {0x80});
        CHECK(c.access(load(0x100)).departed.line == 0);
        auto const requests = drain(c);
        REQUIRE(requests.size() == 2);
        CHECK(requests[1].kind == lower_kind::write_back);
        CHECK(requests[1].bytes == 64);
        CHECK(requests[1].sectors == 0b1010);
        CHECK(c.counters().write_backs == 1);
    }
    SECTION("a store to a sector on its way merges without an MSHR; the fill completes it") {
        c.access(load(0x20, 5));
        is(c.access(store(0x20, 4)), cache_outcome::hit_reserved, cache_answer::now);
        CHECK(fill(c, 0x20) == std::vector<std::uint32_t>{5});
        CHECK(c.contains(0x20));
        CHECK(c.dirty_bytes() == 32);
    }
    SECTION("a line written to while it waits is not evicted before its data has come") {
        c.access(load(0x20));
        c.access(store(0x20, 32));
        warm(c, {0x80});
        CHECK(c.access(load(0x100)).departed.line == 0x80);
    }
    SECTION("an atomic is a read that leaves the sector dirty") {
        auto a = load(0x20, 9);
        a.kind = access_kind::atomic;
        is(c.access(a), cache_outcome::miss, cache_answer::at_fill);
        CHECK(c.dirty_bytes() == 0);
        CHECK(fill(c, 0x20) == std::vector<std::uint32_t>{9});
        CHECK(c.dirty_bytes() == 32);
        is(c.access(a), cache_outcome::hit, cache_answer::now);
    }
}

TEST_CASE("write-back, write and fetch: L2 of the 3.x configurations") {
    l2_old c(one_set(2));
    is(c.access(store(0x10, 32, memory_space::global, 8)), cache_outcome::miss, cache_answer::below);
    auto const requests = drain(c);
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].kind == lower_kind::store);
    CHECK(requests[0].token == 8);
    CHECK(requests[1].kind == lower_kind::fetch);
    CHECK(requests[1].bytes == 128);
    CHECK(fill(c, 0).empty()); // nobody waits for that fetch
    CHECK(c.dirty_bytes() == 0);
    is(c.access(store(0x10, 32)), cache_outcome::hit, cache_answer::now);
    CHECK(c.dirty_bytes() == 128);
    SECTION("it wants three places in the miss queue") {
        for (unsigned i = 1; i <= 6; ++i) c.access(store(0x10, 32));
        auto p = one_set(4);
        p.miss_queue = 4;
        l2_old d(p);
        CHECK(d.access(store(0x000, 4)).outcome == cache_outcome::miss);
        is_refused(d.access(store(0x080, 4)), refusal::miss_queue);
        d.pop_request();
        CHECK(d.access(store(0x080, 4)).outcome == cache_outcome::miss);
    }
}

TEST_CASE("write-back, fetch on write") {
    l2_fetching c(one_set(2, 128, 32));
    SECTION("part of a sector is fetched, and the store is answered by the fill") {
        is(c.access(store(0x20, 4, memory_space::global, 6)), cache_outcome::miss, cache_answer::at_fill);
        CHECK(drain(c).size() == 1);
        CHECK(fill(c, 0x20) == std::vector<std::uint32_t>{6});
        CHECK(c.dirty_bytes() == 32);
    }
    SECTION("a whole sector is not") {
        is(c.access(store(0x20, 32)), cache_outcome::miss, cache_answer::now);
        CHECK_FALSE(c.has_request());
        CHECK(c.contains(0x20));
    }
}

TEST_CASE("in order, no store joins a load that waits behind another store (MSHR_RW_PENDING)") {
    cache<linear_index, lru, on_miss, write_back<write_miss::ordered_fetch_on_write>> c(one_set(2, 128, 32));
    is(c.access(store(0x20, 4)), cache_outcome::miss, cache_answer::at_fill);
    is(c.access(store(0x24, 4)), cache_outcome::hit_reserved, cache_answer::at_fill);
    is(c.access(load(0x20)), cache_outcome::hit_reserved, cache_answer::at_fill);
    is_refused(c.access(store(0x20, 4)), refusal::mshr_read_write_pending);
    is(c.access(load(0x20)), cache_outcome::hit_reserved, cache_answer::at_fill);
    CHECK(c.counters().refused_mshr_read_write_pending == 1);
    drain(c);
    fill(c, 0x20);
    is(c.access(store(0x20, 4)), cache_outcome::hit, cache_answer::now);
}

TEST_CASE("below the write ratio, lines that have been stored to stay") {
    auto numbers = one_set(4, 128, 32); // Volta's L1 is four such sets, of 64 ways
    numbers.geometry.sets = 4;
    numbers.write_ratio = 25;                                            // four lines
    auto const line = [](unsigned n) { return std::uint64_t{512} * n; }; // all of one set
    auto const goes = [](auto& c, std::uint64_t address) { return c.access(load(address)).departed.line; };
    SECTION("whether they are dirty or written through") {
        using l1_of_volta = cache<linear_index, lru, on_miss, write_through<write_miss::lazy_fetch>>;
        l1_of_volta c(numbers);
        for (auto const n : {1U, 2U, 3U})
            is(c.access(store(line(n), 32)), cache_outcome::miss, cache_answer::below);
        warm(c, {line(4)});
        drain(c);
        CHECK(goes(c, line(5)) == line(4));                            // not the oldest
        is_refused(c.access(load(line(6))), refusal::line_allocation); // the others are kept, this one waits
        drain(c);
        fill(c, line(5));
        c.access(store(512 + 128, 32)); // a fourth line, in another set: the ratio is reached
        CHECK(goes(c, line(6)) == line(1));
    }
    SECTION("a set full of them gives one up, as it would wait for ever") {
        l2_lazy c(numbers);
        numbers.write_ratio = 26;
        l2_lazy higher(numbers);
        for (auto const n : {1U, 2U, 3U, 4U}) {
            c.access(store(line(n), 32));
            higher.access(store(line(n), 32));
        }
        CHECK(goes(c, line(5)) == line(1)); // a quarter is reached
        CHECK(goes(higher, line(5)) == line(1));
    }
    SECTION("written back, they are as others") {
        l2_lazy c(numbers);
        c.access(store(line(1), 32));
        warm(c, {line(2), line(3), line(4)});
        c.flush();
        drain(c);
        CHECK(goes(c, line(5)) == line(1));
    }
}

TEST_CASE("a fill may come in parts, and must have been asked for") {
    l1d c(gtx480_l1d());
    c.access(load(0x1000, 4));
    std::vector<std::uint32_t> tokens;
    for (unsigned part = 0; part < 4; ++part) {
        CHECK(tokens.empty());
        CHECK(c.outstanding() == 1);
        c.fill(0x1000, 32, [&](std::uint32_t t) { tokens.push_back(t); });
    }
    CHECK(tokens == std::vector<std::uint32_t>{4});
    CHECK_THROWS_WITH(fill(c, 0x1000), Catch::Contains("no outstanding fetch"));
}

TEST_CASE("flush writes back what is dirty, as the queue has room; invalidate_all drops everything") {
    auto p = one_set(4, 128, 32);
    p.miss_queue = 2;
    l2_lazy c(p);
    for (std::uint64_t i = 0; i < 3; ++i) c.access(store(128 * i, 32));
    CHECK(c.dirty_bytes() == 96);
    CHECK_FALSE(c.flush());
    CHECK(drain(c).size() == 2);
    CHECK(c.flush());
    CHECK(drain(c).size() == 1);
    CHECK(c.dirty_bytes() == 0);
    CHECK(c.contains(0));
    c.access(store(0, 32));
    c.access(load(0x1000, 3));
    CHECK(c.invalidate_all() == 32);
    CHECK_FALSE(c.contains(0));
    drain(c);
    CHECK(fill(c, 0x1000) == std::vector<std::uint32_t>{3}); // who waits is served all the same
    CHECK_FALSE(c.contains(0x1000));
}

TEST_CASE("the Fermi hash") {
    cache_geometry g{.sets = 32, .ways = 4, .line_bytes = 128, .sector_bytes = 128};
    auto const set = [&](std::uint64_t a) { return fermi_hash_index(g)(a, a / 128); };
    CHECK(set(0) == 0);
    CHECK(set(128 * 5) == 5);
    CHECK(set(1U << 12) == 0); // bit 12 does not take part
    CHECK(set(1U << 13) == 1);
    CHECK(set(1U << 14) == 2);
    CHECK(set(1U << 15) == 4);
    CHECK(set(1U << 16) == 0);
    CHECK(set(1U << 17) == 8);
    CHECK(set(1U << 18) == 0);
    CHECK(set(1U << 19) == 16);
    CHECK(set((1U << 19) | (1U << 13) | 128 * 31) == (31 ^ 17));
    g.sets = 64;
    CHECK(set(1U << 12) == 32);
    CHECK(set((1U << 12) | (1U << 13) | 128) == 32);
}

TEST_CASE("XOR and IPOLY spread strides of powers of two over all sets, as Rau's paper says of IPOLY") {
    cache_geometry const g{.sets = 32, .ways = 4, .line_bytes = 128, .sector_bytes = 128};
    xor_index const x(g);
    ipoly_index const p(g);
    CHECK(x(0, 0b00001'00011) == 0b00010);
    CHECK(x(0, 0b11111'00000'00000) == 0); // only the next five bits take part
    // x^5 = x^2 + 1, x^6 = x^3 + x modulo x^5 + x^2 + 1.
    CHECK(p(0, 32) == 0b00101);
    CHECK(p(0, 64) == 0b01010);
    CHECK(p(0, 96 + 3) == (0b01111 ^ 3));
    for (unsigned stride = 0; stride < 15; ++stride) {
        std::uint64_t sets = 0;
        for (std::uint64_t i = 0; i < 32; ++i) sets |= std::uint64_t{1} << p(0, i << stride);
        INFO("stride 2^" << stride << " lines");
        CHECK(sets == 0xffffffff);
    }
    CHECK(linear_index(g)(0, 7 << 5) == linear_index(g)(0, 9 << 5));
    CHECK(x(0, 7 << 5) != x(0, 9 << 5));
}

TEST_CASE("streaming has an MSHR for each sector, and room in it for 64 warps") {
    auto q = one_set(2, 128, 32);
    q.geometry.sets = 4;
    q.mshr_entries = 2;
    q.mshr_merges = 8;
    cache<linear_index, lru, streaming, write_through<write_miss::lazy_fetch>> c(q);
    CHECK(c.parameters().mshr_entries == 4 * 2 * 4);
    CHECK(c.parameters().mshr_merges == 64);
    for (std::uint64_t i = 0; i < 32; ++i) {
        CHECK(c.access(load(128 * 4 * i)).answer == cache_answer::at_fill); // all in one set
        drain(c);
    }
    is_refused(c.access(load(128 * 4 * 32)), refusal::mshr_entry);
    CHECK(c.counters().refused_line_allocation == 0);
    // A store takes a line at once, and a load of it joins the fetch that is on its way.
    is(c.access(store(0, 8)), cache_outcome::miss, cache_answer::below);
    is(c.access(load(0, 5)), cache_outcome::hit_reserved, cache_answer::at_fill);
    CHECK(fill(c, 0) == std::vector<std::uint32_t>{1, 5});
    CHECK(c.contains(0));
}

TEST_CASE("write-evict: local stores, too, are sent on and drop what they hit") {
    cache<linear_index, lru, on_miss, write_evict> c(one_set(2));
    warm(c, {0x000});
    auto const r = c.access(store(0x10, 4, memory_space::local));
    is(r, cache_outcome::hit, cache_answer::below);
    CHECK(r.departed.how == line_departure::invalidated);
    CHECK_FALSE(c.contains(0x000));
    CHECK(c.dirty_bytes() == 0);
}

TEST_CASE("linear sets need not be a power of two") {
    linear_index const i({.sets = 12, .ways = 1, .line_bytes = 64, .sector_bytes = 64});
    CHECK(i(64 * 11, 11) == 11);
    CHECK(i(64 * 12, 12) == 0);
    CHECK(i(64 * 1000003ULL, 1000003) == 1000003 % 12);
}

TEST_CASE("a texture cache serves in order: a hit waits for the miss before it") {
    using l1t = texture_cache<linear_index, lru>;
    static_assert(regular_state<l1t>);
    auto p = one_set(2, 128, 128);
    p.mshr_entries = 3; // reorder buffer
    p.mshr_merges = 4;  // fragment FIFO
    l1t c(p);
    std::vector<std::uint32_t> served;
    auto const serve = [&] {
        auto const before = served.size();
        while (c.serve([&](std::uint32_t t) { served.push_back(t); })) {}
        return served.size() - before;
    };
    is(c.access(load(0x000, 1)), cache_outcome::miss, cache_answer::at_fill);
    is(c.access(load(0x004, 2)), cache_outcome::hit_reserved, cache_answer::at_fill);
    is(c.access(load(0x080, 3)), cache_outcome::miss, cache_answer::at_fill);
    auto const fetches = drain(c);
    REQUIRE(fetches.size() == 2);
    CHECK(fetches[0].bytes == 128);
    c.fill(0x080, 128, fetches[1].mshr); // the second comes first
    CHECK(serve() == 0);
    c.fill(0x000, 64, fetches[0].mshr);
    CHECK(serve() == 0); // half of it
    c.fill(0x040, 64, fetches[0].mshr);
    CHECK(serve() == 3);
    CHECK(served == std::vector<std::uint32_t>{1, 2, 3});
    CHECK(c.idle());
    // The tags know a line as soon as it is asked for, and forget it as soon as another takes its way.
    auto const r = c.access(load(0x100, 4, 7));
    CHECK(r.departed.line == 0x000);
    is(c.access(load(0x000, 5)), cache_outcome::miss, cache_answer::at_fill);
    is(c.access(load(0x180, 6)), cache_outcome::miss, cache_answer::at_fill);
    is_refused(c.access(load(0x000, 7)), refusal::mshr_entry); // a hit, but refused all the same
    drain(c);
    for (auto const& f : {0, 1, 2})
        c.fill(std::uint64_t{0x100} - 0x100 * (f == 1) + 0x80 * (f == 2), 128,
               static_cast<std::uint32_t>(2 + f));
    CHECK(serve() == 3);
    for (unsigned i = 0; i < 4; ++i) c.access(load(0x180, i));
    is_refused(c.access(load(0x180)), refusal::mshr_merge);
    CHECK_THROWS_WITH(c.fill(0x180, 128, 0), Catch::Contains("no outstanding fetch"));
    p.geometry.sector_bytes = 32;
    CHECK_THROWS_WITH(l1t(p),
                      Catch::Contains("sector_bytes = 32") && Catch::Contains("nearest legal value is 128"));
}

TEST_CASE("a perfect cache always hits and asks for nothing") {
    perfect_cache c(gtx480_l1d());
    is(c.access(load(0x1234)), cache_outcome::hit, cache_answer::now);
    is(c.access(store(0x1234, 4)), cache_outcome::hit, cache_answer::now);
    CHECK(c.counters().hits == 2);
    static_assert(!asks_below<perfect_cache> && !tells_ahead<perfect_cache>);
    plain_cache<perfect_cache> in_a_machine(gtx480_l1d());
    CHECK_FALSE(in_a_machine.has_request());
    CHECK_THROWS_AS(in_a_machine.fill(0, [](std::uint32_t) {}), error);
}

TEST_CASE("a cache is a value: copies part, equal histories are equal and hash alike") {
    l2_lazy a(one_set(4, 128, 32));
    a.access(load(0x20, 1));
    auto b = a;
    CHECK(a == b);
    CHECK(hash_of(a) == hash_of(b));
    b.access(load(0x40, 2));
    CHECK_FALSE(a == b);
    CHECK(hash_of(a) != hash_of(b));
    a.access(load(0x40, 2));
    CHECK(a == b);
    CHECK(hash_of(a) == hash_of(b));
    CHECK(a.outstanding() == 2);
}

TEST_CASE("impossible numbers are refused with the nearest legal one") {
    auto const refuses = [](auto change, char const* words) {
        cache_parameters p = gtx480_l1d();
        change(p);
        CHECK_THROWS_WITH(l2_old(p), Catch::Contains(words));
    };
    refuses([](auto& p) { p.geometry.ways = 0; }, "ways = 0 is too small; the nearest legal value is 1");
    refuses([](auto& p) { p.geometry.ways = 513; },
            "ways = 513 is too large; the nearest legal value is 512");
    refuses([](auto& p) { p.geometry.sets = 0; }, "sets = 0 is too small; the nearest legal value is 1");
    refuses([](auto& p) { p.geometry.line_bytes = 100; },
            "line_bytes = 100 is not a power of two; the nearest legal value is 128");
    refuses([](auto& p) { p.geometry.line_bytes = 90; }, "the nearest legal value is 64");
    refuses([](auto& p) { p.geometry.sector_bytes = 48; },
            "sector_bytes = 48 is not a power of two; the nearest legal value is 32");
    refuses([](auto& p) { p.geometry.sector_bytes = 256; },
            "sector_bytes = 256 is too large; the nearest legal value is 128");
    refuses(
        [](auto& p) {
            p.geometry.line_bytes = 1024;
            p.geometry.sector_bytes = 32;
        },
        "nearest legal value is 64");
    refuses([](auto& p) { p.mshr_entries = 0; }, "mshr_entries = 0");
    refuses([](auto& p) { p.mshr_merges = 0; }, "mshr_merges = 0");
    refuses([](auto& p) { p.write_ratio = 101; },
            "write_ratio = 101 is too large; the nearest legal value is 100");
    refuses(
        [](auto& p) { p.miss_queue = 2; },
        "miss_queue = 2 can never hold the requests that one access may cause; the nearest legal value is 3");
    cache_parameters p = gtx480_l1d();
    p.geometry.sets = 48;
    CHECK_THROWS_WITH(l1d(p), Catch::Contains("Fermi hash") && Catch::Contains("nearest legal value is 64"));
    CHECK_NOTHROW(l2_lazy(p));
    using ipoly = cache<ipoly_index, lru, on_miss, read_only>;
    CHECK_THROWS_WITH(ipoly(p),
                      Catch::Contains("sets = 48 does not suit IPOLY, which is defined for 16, 32 and 64; "
                                      "the nearest legal value is 64"));
    using exclusive_or = cache<xor_index, lru, on_miss, read_only>;
    p.geometry.sets = 40;
    CHECK_THROWS_WITH(exclusive_or(p),
                      Catch::Contains("sets = 40 does not suit the XOR index, which wants a power of "
                                      "two; the nearest legal value is 32"));
}

namespace {

/// A way that is used, brought in or removed at random, on both; whether they ever name another victim.
template <class A, class B>
bool parts_ways(A a, B b) {
    std::uint64_t x = 7;
    auto const below = [&x](std::uint32_t n) {
        x = x * 6364136223846793005U + 1442695040888963407U;
        return static_cast<std::uint32_t>(x >> 33) % n;
    };
    bool parted = false;
    for (unsigned step = 0; step < 20000; ++step) {
        auto const set = below(4);
        auto const eligible = 1 + below(255);
        auto const way = a.victim(set, eligible);
        parted = parted || b.victim(set, eligible) != way;
        switch (below(3)) {
        case 0:
            a.inserted(set, way), b.inserted(set, way);
            break;
        case 1: {
            auto const used = below(8);
            a.used(set, used), b.used(set, used);
            break;
        }
        default:
            if (below(8) == 0) a.removed(set, way), b.removed(set, way);
        }
    }
    return parted;
}

} // namespace

TEST_CASE("SRRIP with bits known at run time is SRRIP with these bits") {
    CHECK_FALSE(parts_ways(srrip_of<run_time>(4, 8), srrip(4, 8)));
    for (std::uint32_t const bits : {1U, 3U, 8U})
        CHECK(parts_ways(srrip_of<run_time>(4, 8, bits), srrip(4, 8)));
    CHECK_FALSE(parts_ways(srrip_of<run_time>(4, 8, 1), srrip_of<1>(4, 8)));
    CHECK_FALSE(parts_ways(srrip_of<run_time>(4, 8, 3), srrip_of<3>(4, 8)));
    CHECK(srrip_of<run_time>(4, 8, 3) != srrip_of<run_time>(4, 8, 2));
    CHECK(srrip_of<run_time>(4, 8, 0) == srrip_of<run_time>(4, 8, 1));
    srrip_of<run_time> set_by_name(4, 8);
    set_by_name.used(1, 2);
    each_parameter_of([](parameter const&, auto& bits) { bits = 3; }, set_by_name);
    tell_parameters_set(set_by_name);
    CHECK(set_by_name == srrip_of<run_time>(4, 8, 3));
    CHECK(sizeof(srrip) == sizeof(std::vector<std::uint8_t>) + 8);
}

TEST_CASE("a cache that is carved is one with fewer ways") {
    using carved_cache = cache<linear_index, lru, on_miss, write_through<write_miss::lazy_fetch>>;
    for (std::uint32_t const ratio : {0U, 25U})
        for (std::uint32_t const used : {1U, 3U, 8U}) {
            INFO(ratio << " " << used);
            cache_parameters p{.geometry = {.sets = 4, .ways = 8, .line_bytes = 128, .sector_bytes = 32},
                               .mshr_entries = 8,
                               .mshr_merges = 4,
                               .miss_queue = 8};
            p.write_ratio = ratio;
            carved_cache large(p);
            p.geometry.ways = used;
            carved_cache small(p);
            auto const run = [&](std::uint64_t seed) {
                std::uint64_t state = seed;
                auto const random = [&](std::uint64_t below) {
                    state = state * 6364136223846793005U + 1442695040888963407U;
                    return (state >> 33) % below;
                };
                for (unsigned i = 0; i < 4000; ++i) {
                    cache_access const a{.address = random(64) * 128 + random(4) * 32,
                                         .bytes = 32,
                                         .kind = random(3) == 0 ? access_kind::store : access_kind::load,
                                         .token = i};
                    auto const one = large.access(a);
                    auto const other = small.access(a);
                    REQUIRE(one.outcome == other.outcome);
                    while (large.has_request()) {
                        REQUIRE(small.has_request());
                        auto const r = large.front_request();
                        REQUIRE(r.address == small.front_request().address);
                        large.pop_request();
                        small.pop_request();
                        if (r.kind != lower_kind::fetch) continue;
                        (void)large.fill(r.address, [](std::uint32_t) {});
                        (void)small.fill(r.address, [](std::uint32_t) {});
                    }
                }
            };
            large.carve(4 * used);
            large.invalidate_all();
            run(1);
            // All of it again, then the same part again.
            large.carve(32);
            large.invalidate_all();
            for (std::uint64_t line = 0; line < 32; ++line) {
                (void)large.access({.address = line * 128, .bytes = 32});
                large.pop_request();
                (void)large.fill(line * 128, [](std::uint32_t) {});
            }
            for (std::uint64_t line = 0; line < 32; ++line) CHECK(large.contains(line * 128));
            large.carve(4 * used);
            large.invalidate_all();
            small.invalidate_all();
            run(2);
        }
}

namespace cache_test {

/// Least recently used, of sets whose ways fit one word.
struct of_one_word : lru {
    using lru::lru;
    static constexpr char const* name() noexcept { return "of_one_word"; }
    std::uint32_t victim(std::uint32_t set, std::uint64_t eligible) const noexcept {
        return lru::victim(set, eligible);
    }
    friend bool operator==(of_one_word const&, of_one_word const&) = default;
};
} // namespace cache_test

namespace {

using cache_test::of_one_word;

template <class Cache>
std::string of_ways(std::uint32_t ways) {
    cache_parameters p{.geometry = {.sets = 2, .ways = ways, .line_bytes = 128, .sector_bytes = 128}};
    try {
        Cache made(p);
        return made.idle() ? "made" : "";
    } catch (error const& e) {
        return e.what();
    }
}

} // namespace

TEST_CASE("a set of ways is a word, or several") {
    way_set const few(0b1001'0100);
    CHECK(few.size() == 3);
    CHECK(few.nth(0) == 2);
    CHECK(few.nth(2) == 7);
    CHECK(few.contains(4));
    CHECK_FALSE(few.contains(3));
    CHECK(few.any_in(4, 2));
    CHECK_FALSE(few.any_in(0, 2));
    auto many = way_mask(200);
    CHECK(many.empty());
    for (auto const way : {5U, 63U, 64U, 130U, 199U}) many.insert(way);
    way_set const view = many;
    CHECK(view.words() == 4);
    CHECK(view.size() == 5);
    CHECK(view.nth(1) == 63);
    CHECK(view.nth(2) == 64);
    CHECK(view.nth(4) == 199);
    CHECK(view.any_in(128, 128));
    CHECK(view.any_in(192, 8));
    CHECK_FALSE(view.any_in(66, 2));
    CHECK_FALSE(view.any_in(256, 128)); // beyond the last way, where a tree has leaves
    std::vector<std::uint32_t> all;
    view.for_each([&](std::uint32_t way) { all.push_back(way); });
    CHECK(all == std::vector<std::uint32_t>{5, 63, 64, 130, 199});
    CHECK(way_set(way_mask::all(200)).size() == 200);
    CHECK(way_set(way_mask::all(64)).word(0) == ~std::uint64_t{0});
    CHECK(way_mask::all_in(200, 3) == 0xff);
    CHECK(way_mask::all_in(200, 4) == 0);
}

TEST_CASE("a policy that takes its ways as one word is refused where there are more, by name") {
    using narrow = cache<linear_index, of_one_word, on_miss, read_only>;
    using wide = cache<linear_index, lru, on_miss, read_only>;
    STATIC_REQUIRE(serves_wide_sets<lru>);
    STATIC_REQUIRE_FALSE(serves_wide_sets<of_one_word>);
    STATIC_REQUIRE(replacement_policy<of_one_word>);
    auto const why = "cache: ways = 65 is more than the replacement policy serves, which takes its ways as a "
                     "std::uint64_t and not as a way_set; the nearest legal value is 64";
    CHECK(of_ways<narrow>(64) == "made");
    CHECK(of_ways<narrow>(65) == why);
    CHECK(of_ways<wide>(512) == "made");
    CHECK(of_ways<texture_cache<linear_index, lru>>(256) == "made");
    CHECK(of_ways<texture_cache<linear_index, of_one_word>>(65) == why);
    // Of alternatives the one that is chosen counts.
    cache_parameters p{.geometry = {.sets = 2, .ways = 65, .line_bytes = 128, .sector_bytes = 128}};
    CHECK_THROWS_WITH(with_alternatives<narrow>(p), why);
    p.choice.replacement = 2; // of_one_word, lru, fifo
    CHECK_NOTHROW(with_alternatives<narrow>(p));
}

TEST_CASE("the least recently used of many ways, some of which must stay") {
    lru many(1, 300);
    for (std::uint32_t way = 0; way < 300; ++way) many.inserted(0, 299 - way); // 299 is the oldest
    auto const all = way_mask::all(300);
    CHECK(many.victim(0, all) == 299);
    many.used(0, 299);
    CHECK(many.victim(0, all) == 298);
    auto some = way_mask(300); // the oldest stay
    for (std::uint32_t way = 100; way < 200; ++way) some.insert(way);
    CHECK(many.victim(0, some) == 199);
    for (std::uint32_t way = 280; way < 299; ++way) many.used(0, way); // the next of them
    CHECK(many.victim(0, all) == 279);
    auto const copy = many;
    CHECK(copy == many);
    CHECK(copy.victim(0, all) == 279);
}
