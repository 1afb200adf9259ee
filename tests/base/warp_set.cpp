#include <warpkit/base/warp_set.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <set>

using namespace warpkit;

namespace {

template <unsigned Width>
std::set<unsigned> members(basic_warp_set<Width> const& s) {
    std::set<unsigned> all;
    s.for_each([&](warp_slot w) { all.insert(w.index()); });
    return all;
}

/// What next_after is to answer, by walking.
template <unsigned Width>
warp_slot walk_after(std::set<unsigned> const& s, warp_slot from) {
    auto const start = from ? from.index() + 1 : 0;
    for (unsigned i = 0; i < Width; ++i)
        if (s.count((start + i) % Width) != 0) return warp_slot{(start + i) % Width};
    return no_warp;
}

} // namespace

TEMPLATE_TEST_CASE("a warp set does what a std::set of slot numbers does", "", basic_warp_set<64>,
                   basic_warp_set<128>) {
    constexpr auto width = TestType::width;
    testing::random_numbers random(7);
    auto const slot = [&] { return warp_slot{random.below(width)}; };
    TestType a;
    TestType b;
    std::set<unsigned> x;
    std::set<unsigned> y;
    for (unsigned step = 0; step < 20000; ++step) {
        auto const w = slot();
        switch (random.below(8)) {
        case 0:
            a.insert(w), x.insert(w.index());
            break;
        case 1:
            a.erase(w), x.erase(w.index());
            break;
        case 2: {
            auto const member = random.chance(50);
            a.assign(w, member);
            if (member)
                x.insert(w.index());
            else
                x.erase(w.index());
            break;
        }
        case 3:
            b.insert(w), y.insert(w.index());
            break;
        case 4: {
            auto const n = random.below(width + 1);
            auto const m = n + random.below(width + 1 - n);
            b = TestType::range(n, m);
            y.clear();
            for (auto i = n; i < m; ++i) y.insert(i);
            break;
        }
        case 5: {
            a |= b;
            x.insert(y.begin(), y.end());
            break;
        }
        case 6: {
            a -= b;
            for (auto const i : y) x.erase(i);
            break;
        }
        default: {
            a &= ~b;
            for (auto const i : y) x.erase(i);
        }
        }
        REQUIRE(members(a) == x);
        REQUIRE(a.size() == x.size());
        REQUIRE(a.empty() == x.empty());
        REQUIRE(static_cast<bool>(a) == !x.empty());
        REQUIRE(a.contains(w) == (x.count(w.index()) != 0));
        REQUIRE(a.first() == (x.empty() ? no_warp : warp_slot{*x.begin()}));
        REQUIRE(a.last() == (x.empty() ? no_warp : warp_slot{*x.rbegin()}));
        REQUIRE(a.next_after(w) == walk_after<width>(x, w));
        REQUIRE(a.next_after(no_warp) == walk_after<width>(x, no_warp));
        REQUIRE(members(a.from(w.index())) == std::set<unsigned>(x.lower_bound(w.index()), x.end()));
        REQUIRE((a == b) == (x == y));
    }
}

TEST_CASE("a warp set's bounds") {
    CHECK(warp_set::first_n(0).empty());
    CHECK(warp_set::first_n(64) == ~warp_set{});
    CHECK(warp_set::first_n(64).next_after(warp_slot{63}) == warp_slot{0});
    CHECK(warp_set{warp_slot{63}}.next_after(warp_slot{63}) == warp_slot{63});
    CHECK_FALSE((~warp_set{}).contains(no_warp));
    CHECK_FALSE((~warp_set{}).contains(warp_slot{64}));
    CHECK(warp_set{}.next_after(warp_slot{5}) == no_warp);
    CHECK((~warp_set{}).from(64).empty());
    CHECK(warp_set::every(2, 1).word() == 0xaaaaaaaaaaaaaaaaU);
    using wide = basic_warp_set<128>;
    CHECK(wide::first_n(65).word(1) == 1);
    CHECK(wide::from_bits(0b101, 1) == (wide(warp_slot{64}) | wide(warp_slot{66})));
    CHECK(warp_set::part(5, 12) == warp_set::range(60, 64));
    for (unsigned size : {1U, 5U, 8U, 48U, 64U})
        for (unsigned i = 0; i * size < 128; ++i)
            CHECK(wide::part(size, i) == wide::range(i * size, (i + 1) * size));
    CHECK((wide::range(60, 70) ^ wide::range(65, 75)) == (wide::range(60, 65) | wide::range(70, 75)));
}

TEST_CASE("the n-th member of a set of warps is the one before which n members lie") {
    std::uint64_t state = 88172645463325252U;
    for (unsigned i = 0; i < 20000; ++i) {
        warp_set s;
        for (unsigned w = 0; w < warp_set::words; ++w) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            s |= warp_set::from_bits(i % 3 == 0 ? state & state >> 9 & state << 5 : state, w);
        }
        unsigned n = 0;
        unsigned wrong = 0;
        s.for_each([&](warp_slot w) { wrong += !(s.nth(n++) == w); });
        REQUIRE(wrong == 0);
        REQUIRE_FALSE(s.nth(n));
    }
    CHECK_FALSE(warp_set{}.nth(0));
    CHECK((~warp_set{}).nth(warp_set::width - 1) == warp_slot{warp_set::width - 1});
}
