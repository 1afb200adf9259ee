#include <warpkit/base/clock.hpp>

#include "catch.hpp"

#include <array>

using namespace warpkit;

TEST_CASE("the clocks of the GTX480, 700 and 924 MHz, share ticks of 23.1 GHz") {
    std::array<std::uint64_t, 4> const kilohertz{700'000, 700'000, 700'000, 924'000};
    auto const rate = common_tick_rate(kilohertz.data(), kilohertz.size());
    CHECK(rate == 23'100'000);
    clock_domain const core(rate / kilohertz[0]);
    clock_domain const dram(rate / kilohertz[3]);
    CHECK(core.period() == 33);
    CHECK(dram.period() == 25);
    // 700 core cycles last as long as 924 DRAM cycles, for ever: nothing drifts.
    CHECK(core.at(700'000'000'000) == dram.at(924'000'000'000));
}

TEST_CASE("the clocks of OWL's machine, 325, 650 and 800 MHz, share ticks of 10.4 GHz") {
    std::array<std::uint64_t, 4> const kilohertz{325'000, 650'000, 650'000, 800'000};
    auto const rate = common_tick_rate(kilohertz.data(), kilohertz.size());
    CHECK(rate == 10'400'000);
    CHECK(rate / 325'000 == 32);
    CHECK(rate / 650'000 == 16);
    CHECK(rate / 800'000 == 13);
}

TEST_CASE("edges fall on whole multiples of the period") {
    clock_domain const c(25);
    CHECK(c.at(0) == 0);
    CHECK(c.at(3) == 75);
    CHECK(c.first_at_or_after(0) == 0);
    CHECK(c.first_at_or_after(1) == 1);
    CHECK(c.first_at_or_after(75) == 3);
    CHECK(c.first_at_or_after(76) == 4);
    CHECK(c.edges_before(75) == 3); // 0, 25 and 50
    CHECK(c.edges_before(76) == 4);
    CHECK(greatest_common_divisor(0, 12) == 12);
    CHECK(greatest_common_divisor(700, 924) == 28);
}

TEST_CASE("whatever the period and the tick, edges are counted as divisions do") {
    std::uint64_t broken = 0;
    std::uint64_t x = 1;
    for (std::uint64_t const period : {1ULL, 2ULL, 3ULL, 16ULL, 25ULL, 33ULL, 1000ULL, 7001ULL, 1'481'001ULL,
                                       1ULL << 31, (1ULL << 40) + 1}) {
        clock_domain const c(period);
        for (int i = 0; i < 4000; ++i) {
            x = x * 6364136223846793005 + 1442695040888963407;
            for (tick const t : {x >> x % 64, x >> x % 64 << x % 32, (x >> 24) / period * period,
                                 (std::uint64_t{1} << 63) / period + x % 4 - 2}) {
                broken += c.first_at_or_after(t) != t / period + (t % period != 0);
                broken += c.first_at_or_after(t - t % period) != t / period;
            }
        }
    }
    CHECK(broken == 0);
}

TEST_CASE("never stays never in every clock") {
    clock_domain const c(25);
    CHECK(c.first_at_or_after(never) == never);
    CHECK(c.at(never) == never);
    CHECK(c.first_at_or_after(never - 1) == (never - 1) / 25 + 1);
}
