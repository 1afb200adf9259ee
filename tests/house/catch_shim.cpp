#include "catch.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// What the other tests may use, under Catch2's versions 2 and 3 alike.

TEST_CASE("floating-point numbers are compared with Approx and the Within matchers") {
    CHECK(0.1 + 0.2 == Approx(0.3));
    CHECK(1.01 == Approx(1.0).epsilon(0.02));
    CHECK(1.01 == Approx(1.0).margin(0.02));
    CHECK_THAT(1.01, Catch::Matchers::WithinAbs(1.0, 0.02));
    CHECK_THAT(1.01, Catch::Matchers::WithinRel(1.0, 0.02));
}

TEST_CASE("an error's message is looked into with the string matchers") {
    auto const fails = [] { throw std::runtime_error("a.ptx:3:7: expected a register"); };
    CHECK_THROWS_AS(fails(), std::runtime_error);
    CHECK_THROWS_WITH(fails(), Catch::Contains("expected a register"));
    CHECK_THROWS_WITH(fails(), Catch::StartsWith("a.ptx:3:7") && Catch::EndsWith("register"));
    CHECK_THROWS_WITH(fails(), "a.ptx:3:7: expected a register");
    CHECK_THAT("gto", Catch::Equals("gto"));
    CHECK_THAT("gto", !Catch::Contains("lrr"));
}

TEST_CASE("values of the standard library are shown when a check fails") {
    CHECK(Catch::Detail::stringify(std::string_view("gto")) == "\"gto\"");
    CHECK(Catch::Detail::stringify(std::vector<int>{1, 2}) == "{ 1, 2 }");
}

TEMPLATE_TEST_CASE("a test is written once for several types", "", int, long) {
    auto const n = GENERATE(1, 2, 3);
    CAPTURE(n);
    CHECK(static_cast<TestType>(n) >= 1);
}
