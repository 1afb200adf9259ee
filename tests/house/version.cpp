#include <warpkit/version.hpp>

#include "catch.hpp"

TEST_CASE("the version is three small numbers") {
    CHECK(WARPKIT_VERSION_MAJOR >= 0);
    CHECK(WARPKIT_VERSION_MINOR < 1000);
    CHECK(WARPKIT_VERSION_PATCH < 1000);
}
