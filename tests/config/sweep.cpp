#include <warpkit/config/presets.hpp>
#include <warpkit/config/sweep.hpp>
#include <warpkit/dram/fcfs.hpp>

#include "catch.hpp"

using namespace warpkit;

TEST_CASE("a sweep is the product of its choices, the last varying fastest, each point with its names") {
    auto const table = sweep<presets::gtx480, choose<use::warp_scheduler, lrr, gto>,
                             choose<use::dram_scheduler, dram::fcfs>>();
    REQUIRE(table.size() == 2);
    CHECK(table[0].chosen == std::vector<std::string>{"lrr", "fcfs"});
    CHECK(table[1].chosen == std::vector<std::string>{"gto", "fcfs"});
    for (auto const& point : table) {
        CHECK(point.preset == "gtx480");
        CHECK(point.policies[0].policy == point.chosen[0]);
        for (auto const& p : point.policies)
            if (p.slot == "dram_scheduler") CHECK(p.policy == "fcfs");
    }
    auto impossible = presets::gtx480::parameters();
    impossible.core.schedulers = 9;
    CHECK_THROWS_WITH(table[0].make(impossible), Catch::Contains("core.schedulers = 9"));
    CHECK_NOTHROW(table[0].make(presets::gtx480::parameters()));
}
