/// Sectors that a memory-side prefetcher has read: each is useful, late, useless, unused or waiting, and none is two.

#include <warpkit/machine/prefetched_sectors.hpp>

#include "catch.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

using namespace warpkit;

namespace {

/// An L2 of so many lines of 128 bytes and sectors of 32, whose oldest line goes.
struct small_l2 {
    std::size_t lines = 4;
    std::vector<std::uint64_t> order;         ///< of lines
    std::set<std::uint64_t> sectors, waiting; ///< there, and on their way for a demand
    bool full_queue = false;

    cache_outcome probe(cache_access const& a) const {
        if (sectors.count(a.address) != 0) return cache_outcome::hit;
        if (waiting.count(a.address) != 0) return cache_outcome::hit_reserved;
        return cache_outcome::miss;
    }
    bool contains(std::uint64_t sector) const { return sectors.count(sector) != 0; }
    bool install(std::uint64_t sector, departed_line& gone) {
        if (full_queue) return false;
        auto const line = sector & ~std::uint64_t{127};
        if (std::find(order.begin(), order.end(), line) == order.end()) {
            if (order.size() == lines) {
                gone = {order.front(), no_warp, line_departure::evicted};
                sectors.erase(sectors.lower_bound(gone.line), sectors.lower_bound(gone.line + 128));
                order.erase(order.begin());
            }
            order.push_back(line);
        }
        sectors.insert(sector);
        return true;
    }
};
cache_numbers const numbers{4 * 128, 4, 128, 32, 8, 4, 8};

struct counted {
    std::uint64_t prefetched_useful = 0, prefetched_late = 0, prefetched_useless = 0;
};
counted counts(prefetched_sectors const& p, small_l2 const& l2) {
    counted c;
    p.add_to(c, l2);
    return c;
}
void install(prefetched_sectors& p, small_l2& l2) {
    p.install(l2, [&](std::uint64_t, departed_line const& gone) { p.departed(gone); });
}

} // namespace

TEST_CASE("a sector is useful when a demand hits it, late where one waits for it, useless where it is there",
          "[machine]") {
    prefetched_sectors p(numbers);
    small_l2 l2;
    l2.sectors = {0x1000};
    l2.waiting = {0x1020};
    for (std::uint64_t const sector : {0x1000U, 0x1020U, 0x1040U}) p.read(sector);
    for (int i = 0; i < 3; ++i) install(p, l2);
    CHECK(p.empty());
    CHECK(counts(p, l2).prefetched_useless == 1);
    CHECK(counts(p, l2).prefetched_late == 1);
    CHECK(counts(p, l2).prefetched_useful == 0);
    p.demanded(0x1044, true); // within the third
    CHECK(counts(p, l2).prefetched_useful == 1);
    p.demanded(0x1044, true); // once is all
    CHECK(counts(p, l2).prefetched_useful == 1);
    CHECK(p.all(l2) == 3);
}

TEST_CASE("what leaves the L2 unused was useless, all sectors of its line", "[machine]") {
    prefetched_sectors p(numbers);
    small_l2 l2;
    for (std::uint64_t const sector : {0x1000U, 0x1060U}) p.read(sector);
    install(p, l2);
    install(p, l2);
    p.departed({0x1000, no_warp, line_departure::evicted});
    l2.sectors.clear();
    CHECK(counts(p, l2).prefetched_useless == 2);
    CHECK(p.all(l2) == 2);
}

TEST_CASE("without room in the L2 the first one waits; without room behind the DRAM one is dropped",
          "[machine]") {
    prefetched_sectors p(numbers);
    small_l2 l2;
    l2.full_queue = true;
    for (std::uint64_t i = 0; i < 64 * 4 + 3; ++i) p.read(0x10000 + 32 * i);
    CHECK(counts(p, l2).prefetched_useless == 3);
    install(p, l2);
    CHECK(p.all(l2) == 64 * 4 + 3); // nothing has moved
    l2.full_queue = false;
    install(p, l2);
    CHECK(l2.contains(0x10000));
    CHECK(p.all(l2) == 64 * 4 + 3);
}

TEST_CASE("without an L2 everything is dropped", "[machine]") {
    auto off = numbers;
    off.size = 0;
    prefetched_sectors p(off);
    p.read(0x1000);
    CHECK(p.empty());
}

TEST_CASE("random sectors, demands and departures: every one read is counted once", "[machine]") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 random(seed);
        prefetched_sectors p(numbers);
        small_l2 l2;
        std::uint64_t read = 0;
        for (int step = 0; step < 3000; ++step) {
            auto const sector = std::uint64_t{random() % 64} * 32;
            switch (random() % 4) {
            case 0:
                p.read(sector);
                ++read;
                break;
            case 1:
                l2.full_queue = random() % 8 == 0;
                if (!p.empty()) install(p, l2);
                break;
            case 2:
                p.demanded(sector + random() % 32, l2.contains(sector));
                break;
            default:
                random() % 2 == 0 ? (void)l2.waiting.insert(sector) : (void)l2.waiting.erase(sector);
                if (l2.contains(sector)) l2.waiting.erase(sector);
            }
            REQUIRE(p.all(l2) == read);
        }
    }
}
