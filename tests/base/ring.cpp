#include <warpkit/base/fresh_memory.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

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
struct alignas(host_line) wide {
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
    using triple = std::array<std::uint32_t, 3>; // copied as bytes, all at once
    for (std::size_t size = 0; size < 10; ++size) {
        heap_array<triple> const all(size, {1, 2, 3});
        CHECK(all == heap_array<triple>::of(size, [](std::size_t) { return triple{1, 2, 3}; }));
        CHECK(heap_array<triple>(all) == all);
        CHECK(heap_array<triple>(size) == heap_array<triple>(size, {0, 0, 0}));
    }
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

namespace {

struct marked { // not all zeros at first
    std::uint32_t number = 7;
    std::uint32_t none = 0xffff;
    friend bool operator==(marked const&, marked const&) = default;
};
bool on_its_own_line(void const* p) { return reinterpret_cast<std::uintptr_t>(p) % host_line == 0; }

} // namespace

TEST_CASE("arrays in fresh memory are what they are elsewhere, and outlive who laid it out") {
    std::vector<heap_array<std::uint64_t>> numbers;
    std::vector<heap_array<marked>> others;
    {
        fresh_memory const here;
        for (unsigned i = 0; i < 300; ++i) { // over 3 MB, in several blocks
            numbers.emplace_back(i % 50 == 49 ? 200'000 : 40);
            others.emplace_back(20);
            if (i % 7 == 0) fresh_memory::begin_component();
        }
        fresh_memory const inner;
        numbers.emplace_back(3);
        fresh_memory::begin_component();
        numbers.emplace_back(3);
        auto const* const before = (numbers.end() - 2)->data();
        CHECK((fresh_memory::at_hand() == nullptr || numbers.back().data() - before > 20 * 8)); // lines of 8
        others.push_back(heap_array<marked>(2, {1, 2}));
    }
    numbers.emplace_back(3);
    bool same = true;
    for (std::size_t n = 0; n < numbers.size(); ++n) {
        auto& a = numbers[n];
        same = same && on_its_own_line(a.data()) && a == heap_array<std::uint64_t>(a.size(), 0);
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = n + i;
    }
    for (std::size_t n = 0; n < numbers.size(); ++n) // nobody wrote into another
        for (std::size_t i = 0; i < numbers[n].size(); ++i) same = same && numbers[n][i] == n + i;
    for (std::size_t n = 0; n < 300; ++n) same = same && others[n] == heap_array<marked>(20, marked{});
    CHECK(same);
    CHECK(others.back() == heap_array<marked>(2, {1, 2}));

    auto const copy = numbers[3];
    numbers[7] = std::move(numbers[5]);
    std::thread([from = std::move(numbers)]() mutable { from.clear(); }).join();
    CHECK(copy[2] == 5);
}

TEST_CASE("rings in fresh memory are equal to those elsewhere") {
    auto const made = [] {
        ring<marked> r(6);
        for (int i = 0; i < 5; ++i) r.push({}), r.pop();
        for (std::uint32_t i = 0; i < 4; ++i) r.push({i, 1});
        return r;
    };
    auto const outside = made();
    fresh_memory const here;
    auto const inside = made();
    auto copy = inside;
    CHECK(inside == outside);
    CHECK(hash_of(copy) == hash_of(outside));
    copy.push({9, 9});
    copy.pop();
    CHECK(inside[3] == marked{3, 1});
    copy = outside;
    CHECK(copy == inside);
}

TEST_CASE("an array whose elements cannot be made leaves nothing behind in fresh memory") {
    fresh_memory const here;
    CHECK_THROWS_AS(heap_array<pinned>::of(6, [](std::size_t i) { return pinned(static_cast<int>(i)); }),
                    std::runtime_error);
    CHECK(pinned::alive == 0);
    heap_array<wide> const aligned(2);
    CHECK(reinterpret_cast<std::uintptr_t>(aligned.data()) % alignof(wide) == 0);
    CHECK(aligned[1].value == 3);
}
