// The README's C++, as printed, behind the line that it asks for.
#include <warpkit/config/presets.hpp>
#include <warpkit/config/simulate.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/warp/concepts.hpp>

#include "catch.hpp"

#include <string>

using namespace warpkit;

#include "README_1.inc"

host_program const program{R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry nothing() { ret; }
)",
                           "nothing.ptx", [](device& d) {
                               d.launch({.kernel = "nothing", .grid = {4}, .block = {64}, .arguments = {}});
                           }};

#include "README_2.inc"

TEST_CASE("the README's machine runs its scheduler") {
    CHECK(result.verified);
    CHECK(result.total.cycles > 0);
    CHECK(std::string(common_name<mine::policies::warp_scheduler>) !=
          common_name<presets::gtx480::policies::warp_scheduler>);
}
