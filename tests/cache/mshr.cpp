/// Miss status holding registers against a map.

#include <warpkit/base/hash.hpp>
#include <warpkit/cache/mshr.hpp>

#include "catch.hpp"

#include <deque>
#include <map>
#include <random>
#include <vector>

using namespace warpkit;

static_assert(regular_state<mshr_table>);

TEST_CASE("an MSHR keeps who waits, in order, and is free once released") {
    mshr_table t(2, 3);
    CHECK(t.find(7) == mshr_table::none);
    auto const e = t.allocate(7, warp_slot{4});
    t.add(e, 30);
    t.add(e, 10);
    CHECK(t.find(7) == e);
    CHECK(t.owner(e) == warp_slot{4});
    CHECK(t.can_merge(e));
    t.add(e, 20);
    CHECK_FALSE(t.can_merge(e));
    t.allocate(8);
    CHECK(t.full());
    std::vector<std::uint32_t> seen;
    t.release(e, [&](std::uint32_t token) { seen.push_back(token); });
    CHECK(seen == std::vector<std::uint32_t>{30, 10, 20});
    CHECK(t.find(7) == mshr_table::none);
    CHECK(t.find(8) != mshr_table::none);
    CHECK(t.used() == 1);
}

TEST_CASE("an MSHR table agrees with a map on random streams") {
    std::mt19937_64 random(5);
    for (std::uint32_t const shape : {1U, 2U, 3U, 17U, 64U, 512U, 1001U, 1017U}) {
        auto const entries = shape % 1000;
        mshr_table t(entries, 4, shape < 1000); // above: without an index
        std::map<std::uint64_t, std::deque<std::uint32_t>> m;
        bool same = true;
        for (unsigned i = 0; i < 20000 && same; ++i) {
            auto const block = random() % (2 * entries + 1) << (random() % 2 * 7);
            auto const e = t.find(block);
            same = same && (e != mshr_table::none) == (m.count(block) != 0) && t.used() == m.size();
            if (e == mshr_table::none) {
                same = same && t.full() == (m.size() == entries);
                if (!t.full() && random() % 4 != 0) {
                    t.add(t.allocate(block), i);
                    m[block].push_back(i);
                }
            } else if (random() % 2 == 0) {
                same = same && t.can_merge(e) == (m[block].size() < 4);
                if (t.can_merge(e)) {
                    t.add(e, i);
                    m[block].push_back(i);
                }
            } else {
                std::deque<std::uint32_t> got;
                t.release(e, [&](std::uint32_t token) { got.push_back(token); });
                same = same && got == m[block];
                m.erase(block);
            }
        }
        INFO(entries << " entries");
        CHECK(same);
    }
}

TEST_CASE("MSHR tables with the same content are equal, whatever their history") {
    mshr_table a(4, 2);
    mshr_table b(4, 2);
    a.add(a.allocate(1), 5);
    a.add(a.allocate(2), 6);
    b.add(b.allocate(3), 9);
    b.add(b.allocate(2), 6);
    b.release(b.find(3), [](std::uint32_t) {});
    b.add(b.allocate(1), 5);
    CHECK(a == b);
    CHECK(hash_of(a) == hash_of(b));
    b.add(b.find(1), 7);
    CHECK_FALSE(a == b);
    CHECK(hash_of(a) != hash_of(b));
}
