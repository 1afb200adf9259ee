// What programs that share a machine get of it.
#include <warpkit/report/multiprogram.hpp>

#include "catch.hpp"

using namespace warpkit::report;

TEST_CASE("system throughput and average normalised turnaround time", "[report]") {
    CHECK(system_throughput({{100, 100}, {50, 50}}) == Approx(2));
    CHECK(average_normalised_turnaround({{100, 100}, {50, 50}}) == Approx(1));
    CHECK(system_throughput({{100, 200}, {50, 200}}) == Approx(0.75));
    CHECK(average_normalised_turnaround({{100, 200}, {50, 200}}) == Approx(3));
    CHECK(system_throughput({}) == 0);
    CHECK(average_normalised_turnaround({}) == 0);
}
