#include <warpkit/base/number.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

using namespace warpkit;

namespace {
template <std::uint64_t Ways = run_time>
struct geometry {
    std::uint32_t sets = 32;
    [[no_unique_address]] number<unsigned, Ways> ways;
};
} // namespace

TEST_CASE("a number is a value at run time, or a constant that takes no space") {
    geometry<> swept{.sets = 32, .ways = 4U};
    geometry<4> fixed{};
    CHECK(swept.ways == fixed.ways.get());
    CHECK(swept.ways == 4U);
    CHECK(fixed.ways == 4U);
    CHECK(4U == swept.ways);
    CHECK(swept.ways != 5U);
    swept.ways = 8U;
    CHECK(swept.ways.get() == 8);
    CHECK(swept.ways * 2 == 16);
    static_assert(sizeof(geometry<4>) < sizeof(geometry<>));
    static_assert(!number<unsigned>::is_fixed && number<unsigned, 4>::is_fixed);
    static_assert(number<unsigned>::fits(7) && number<unsigned, 4>::fits(4) && !number<unsigned, 4>::fits(7));
    static_assert(number<unsigned, 4>{}.get() == 4);
}

TEST_CASE("two numbers are compared by value") {
    CHECK(number<unsigned>{3} == number<unsigned>{3});
    CHECK(number<unsigned>{3} != number<unsigned>{4});
    CHECK(number<unsigned, 3>{} == number<unsigned, 3>{});
}

TEST_CASE("a divisor divides as / and % do") {
    testing::random_numbers random(11);
    for (unsigned i = 0; i < 20000; ++i) {
        auto const by = i < 64 ? std::uint64_t{1} << i : random.next() >> random.below(63);
        if (by == 0) continue;
        divisor const d(by);
        auto const n = random.next() >> random.below(63);
        REQUIRE(n / d == n / by);
        REQUIRE(n % d == n % by);
        REQUIRE(d.value() == by);
        REQUIRE(d.is_power_of_two() == ((by & (by - 1)) == 0));
    }
    CHECK(divisor{} == divisor{1});
}
