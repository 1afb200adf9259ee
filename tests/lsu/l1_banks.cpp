#include <warpkit/lsu/l1_banks.hpp>

#include "catch.hpp"

using namespace warpkit;

TEST_CASE("banks of an L1 and a replay queue exclude each other") {
    CHECK_NOTHROW(check_l1_banks(1, true));
    CHECK_NOTHROW(check_l1_banks(4, false));
    CHECK_THROWS_WITH(check_l1_banks(4, true), Catch::StartsWith("lsu.l1_banks = 4: a replay queue") &&
                                                   Catch::EndsWith("nearest legal value: 1"));
}
