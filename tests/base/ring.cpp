#include <warpkit/base/hash.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <utility>

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

namespace {

// Counts what is alive, can neither be copied nor moved, and throws when the fourth is made.
struct pinned {
    static inline int alive = 0;
    int value;
    explicit pinned(int v) : value(v) {
        if (v == 4) throw std::runtime_error("the fourth");
        ++alive;
    }
    pinned(pinned const&) = delete;
    ~pinned() { --alive; }
};
struct alignas(128) wide {
    int value = 3;
};

} // namespace

TEST_CASE("a heap array is a value: its copies are its own, and what is moved from is empty") {
    heap_array<int> a(3);
    CHECK(a.size() == 3);
    CHECK(std::all_of(a.begin(), a.end(), [](int x) { return x == 0; }));
    auto b = a;
    CHECK(a == b);
    CHECK(hash_of(a) == hash_of(b));
    b[1] = 5;
    CHECK(a[1] == 0);
    CHECK_FALSE(a == b);
    CHECK_FALSE(a == heap_array<int>(2));
    a = b;
    CHECK(a == b);
    a = std::move(b);
    CHECK(a[1] == 5);
    CHECK(b.empty());
    auto& same = a;
    a = same;
    a = std::move(same);
    CHECK(a == heap_array<int>::of(3, [](std::size_t i) { return i == 1 ? 5 : 0; }));
    CHECK(heap_array<int>(2, 9) == heap_array<int>::of(2, [](std::size_t) { return 9; }));
    CHECK(heap_array<int>(0) == heap_array<int>());
}

TEST_CASE("a heap array makes its elements where they stay, aligned, and destroys them all") {
    {
        auto const all = heap_array<pinned>::of(3, [](std::size_t i) { return pinned(static_cast<int>(i)); });
        CHECK(pinned::alive == 3);
        CHECK(all[2].value == 2);
    }
    CHECK(pinned::alive == 0);
    CHECK_THROWS_AS(heap_array<pinned>::of(6, [](std::size_t i) { return pinned(static_cast<int>(i)); }),
                    std::runtime_error);
    CHECK(pinned::alive == 0);
    heap_array<wide> const aligned(2);
    CHECK(reinterpret_cast<std::uintptr_t>(aligned.data()) % alignof(wide) == 0);
    CHECK(aligned[1].value == 3);
}
