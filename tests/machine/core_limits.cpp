/// What all cores' occupancy limits say of how many CTAs each may hold.

#include <warpkit/cta/lazy_cta_scheduling.hpp>
#include <warpkit/cta/limits.hpp>
#include <warpkit/cta/one_occupancy_limit.hpp>
#include <warpkit/machine/core_limits.hpp>

#include "catch.hpp"

#include <vector>

using namespace warpkit;

namespace {

/// Allows what it is told to, and may decide for all.
struct scripted {
    unsigned allowed = 8;
    unsigned decided = 0;
    std::vector<unsigned> heard;
    unsigned limit(unsigned fit) const { return allowed < fit ? allowed : fit; }
    unsigned announced() const { return decided; }
    bool steady() const { return false; }
    void on(degree_chosen const& e) { heard.push_back(e.ctas); }
};
struct core {
    scripted policy;
    cycle sampled = 0;
    scripted& occupancy_limit() { return policy; }
    scripted const& occupancy_limit() const { return policy; }
    void sample(cycle now) { sampled = now; }
};

/// A kernel begins, six CTAs of which fit a core.
void begin(core_limits<scripted>& limits, std::vector<core> const& cores) {
    limits.begin(false);
    for (unsigned c = 0; c < cores.size(); ++c) limits.begin(c, cores[c].policy, 6);
}

} // namespace

TEST_CASE("limits are asked in each window, and tell where a core may hold more", "[machine]") {
    std::vector<core> cores(3);
    core_limits<scripted> limits(3, {}, false);
    begin(limits, cores);
    CHECK(limits(1) == 6);
    CHECK_FALSE(limits.steady());

    cores[1].policy.allowed = 2;
    CHECK_FALSE(limits.follow(cores, 100));
    CHECK(limits(1) == 2);
    CHECK(limits(2) == 6);
    CHECK(cores[2].sampled == 100);
    cores[1].policy.allowed = 3;
    CHECK(limits.follow(cores, 200));
    CHECK(limits(1) == 3);

    limits.begin(1, cores[1].policy, 2); // another kernel has this core, two CTAs of which fit
    CHECK(limits(1) == 2);
    CHECK(limits(2) == 6);
    limits.follow(cores, 300);
    CHECK(limits(1) == 2);
}

TEST_CASE("what one limit decides for all cores is told to all, once in a kernel", "[machine]") {
    std::vector<core> cores(3);
    core_limits<scripted> limits(3, {}, false);
    begin(limits, cores);
    limits.follow(cores, 1);
    CHECK(limits.announced() == 0);
    cores[2].policy.decided = 4;
    limits.follow(cores, 2);
    cores[0].policy.decided = 5; // too late
    limits.follow(cores, 3);
    CHECK(limits.announced() == 4);
    for (auto const& c : cores) CHECK(c.policy.heard == std::vector<unsigned>{4});
    begin(limits, cores);
    CHECK(limits.announced() == 0);

    // Of several kernels at once none can have the others' number.
    limits.begin(true);
    CHECK_THROWS_WITH(limits.follow(cores, 4), Catch::Contains("core.kernels=1"));
}

TEST_CASE("where kernels are to share cores, a limit that knows one kernel is refused", "[machine]") {
    CHECK_THROWS_WITH(core_limits<scripted>(3, {}, true), Catch::Contains("choose no_limit or static_limit"));
    CHECK_NOTHROW(core_limits<no_limit>(3, {}, true));
    CHECK_NOTHROW(core_limits<static_limit>(3, static_limit(2), true));
    using any = one_occupancy_limit<static_limit, lcs>;
    CHECK_NOTHROW(core_limits<any>(3, static_limit(2), true));
    CHECK_THROWS_WITH(core_limits<any>(3, lcs(), true), Catch::Contains("kernels are to share cores"));
}
