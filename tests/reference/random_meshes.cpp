/// Both engines on a mesh, with other fetch orders, prefetchers, coalescers and page policies.

#include "catch.hpp"
#include "reference/random_pairs.hpp"

using namespace warpkit::reference_test;

TEST_CASE("both engines tell the same of random kernels on random meshes", "[reference]") {
    for (std::uint64_t seed = 201; seed < 216; ++seed) {
        INFO("seed " << seed);
        CHECK(mesh_machine(seed) == "");
    }
}

TEST_CASE("a data prefetcher foresees strides, on both engines", "[reference]") {
    CHECK(strided_loads() == "");
}

TEST_CASE("lines fetched ahead come to a core without warps, on both engines", "[reference]") {
    CHECK(lines_without_warps() == "");
}

TEST_CASE("for as long as one lets it, both engines tell the same on meshes", "[.][meshes_forever]") {
    for (std::uint64_t seed = 1;; ++seed) {
        INFO("seed " << seed);
        REQUIRE(mesh_machine(seed) == "");
    }
}
