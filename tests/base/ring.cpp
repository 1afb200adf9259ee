#include <warpkit/base/hash.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <algorithm>
#include <deque>

using namespace warpkit;

TEST_CASE("a ring does what a bounded std::deque does") {
    for (std::size_t const capacity : {1U, 2U, 3U, 5U, 8U, 13U}) {
        testing::random_numbers random(capacity);
        ring<int> r(capacity);
        std::deque<int> d;
        REQUIRE(r.capacity() == capacity);
        for (int i = 0; i < 4000; ++i) {
            if (random.chance(50) && !r.full())
                r.push(i), d.push_back(i);
            else if (!r.empty())
                r.pop(), d.pop_front();
            REQUIRE(r.size() == d.size());
            REQUIRE(r.room() == capacity - d.size());
            REQUIRE(r.empty() == d.empty());
            REQUIRE(r.full() == (d.size() == capacity));
            if (!d.empty()) {
                REQUIRE(r.front() == d.front());
                REQUIRE(r.back() == d.back());
                REQUIRE(r[d.size() - 1] == d.back());
            }
            REQUIRE(std::equal(d.begin(), d.end(), r.begin(), [](int a, int b) { return a == b; }));
        }
        r.clear();
        CHECK(r.empty());
    }
}

TEST_CASE("rings are equal, and hash alike, when they hold the same elements, wherever those lie") {
    ring<int> a(4);
    ring<int> b(4);
    for (int i = 0; i < 3; ++i) b.push(i), b.pop();
    a.push(7), a.push(8);
    b.push(7), b.push(8);
    CHECK(a == b);
    CHECK(hash_of(a) == hash_of(b));
    b.push(9);
    CHECK_FALSE(a == b);
    CHECK(hash_of(a) != hash_of(b));
    auto copy = b;
    copy.pop();
    CHECK(b.size() == 3);
}

TEST_CASE("a ring without room holds nothing") {
    ring<int> const none(0);
    CHECK(none.full());
    CHECK(none.empty());
    CHECK(none == ring<int>{});
}
