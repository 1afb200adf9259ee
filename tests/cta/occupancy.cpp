// The occupancy rules of GPGPU-Sim (docs/model/dispatch.md#occupancy), on a GTX480 core unless said otherwise.
#include <warpkit/cta/fit.hpp>
#include <warpkit/cta/limits.hpp>

#include "catch.hpp"

using namespace warpkit;

namespace {
constexpr core_resources gtx480{};

struct fits {
    unsigned ctas;
    occupancy_bound bound;
    friend bool operator==(fits const&, fits const&) = default;
};
constexpr fits fit(cta_needs const& cta, core_resources const& core = gtx480) {
    auto const o = occupancy_of(cta, core);
    return {o.ctas, o.bound};
}
constexpr auto threads = occupancy_bound::threads;
constexpr auto ctas = occupancy_bound::ctas;
constexpr auto registers = occupancy_bound::registers;
constexpr auto shared_memory = occupancy_bound::shared_memory;
} // namespace

static_assert(fit({256, 16, 0}) == fits{6, threads});

TEST_CASE("each resource can be the one that binds") {
    CHECK(fit({256, 16, 0}) == fits{6, threads});
    CHECK(fit({64, 16, 0}) == fits{8, ctas});
    CHECK(fit({256, 32, 0}) == fits{4, registers});
    CHECK(fit({64, 16, 20 * 1024}) == fits{2, shared_memory});
    CHECK(fit({192, 0, 0}) ==
          fits{8, threads}); // 1536 / 192 = 8, as many as the cap: threads are named first
}

TEST_CASE("threads count in whole warps") {
    CHECK(warps_of({33, 0, 0}) == 2);
    CHECK(warps_of({32, 0, 0}) == 1);
    CHECK(fit({225, 0, 0}) == fits{6, threads}); // 8 warps each
    CHECK(fit({224, 0, 0}) == fits{6, threads}); // 7 warps: 6.86
    CHECK(fit({1536, 0, 0}) == fits{1, threads});
}

TEST_CASE("registers are rounded up to 4 per thread, and given to whole warps") {
    CHECK(fit({256, 20, 0}) == fits{6, threads});   // 32768 / (256 * 20) = 6.4, as threads
    CHECK(fit({256, 21, 0}) == fits{5, registers}); // as 24: 5.3
    CHECK(fit({256, 24, 0}) == fits{5, registers});
    CHECK(occupancy_of({200, 25, 0}, gtx480).need == 28 * 224);
}

TEST_CASE("the vector addition of the multithreading-degree thesis: CTAs of 2 warps, 8 to a core") {
    CHECK(fit({64, 10, 0}) == fits{8, ctas});
}

TEST_CASE("OWL's core: 1024 threads, 32768 registers, 32 KB of shared memory") {
    constexpr core_resources owl{1024, 8, 32768, 32 * 1024, 32};
    CHECK(fit({256, 16, 0}, owl) == fits{4, threads});
    CHECK(fit({192, 16, 0}, owl) == fits{5, threads});
    CHECK(fit({64, 16, 5000}, owl) == fits{6, shared_memory});
}

TEST_CASE("a small grid is spread over the cores: at most ceil(CTAs / cores) to each") {
    auto const six = occupancy_of({256, 16, 0}, gtx480);
    CHECK(limited_to_grid(six, 15, 15).ctas == 1);
    CHECK(limited_to_grid(six, 16, 15).ctas == 2);
    CHECK(limited_to_grid(six, 16, 15).bound == occupancy_bound::grid);
    CHECK(limited_to_grid(six, 90, 15) == six);
    CHECK(limited_to_grid(six, 75, 15).ctas == 5);
    CHECK(limited_to_grid(six, 1'000'000'000'000, 15) == six);
    CHECK(limited_to_grid(six, 1, 15).ctas == 1);
}

TEST_CASE("a CTA that no core can hold is refused, naming resource, need and limit") {
    CHECK(require_fit("k", {256, 16, 0}, gtx480).ctas == 6);
    CHECK_THROWS_AS(require_fit("k", {2048, 16, 0}, gtx480), error);
    CHECK_THROWS_WITH(
        require_fit("matmul", {2048, 8, 0}, gtx480),
        Catch::StartsWith(
            "kernel matmul: one CTA of 2048 threads needs 2048 threads, but a core has only 1536;"));
    CHECK_THROWS_WITH(require_fit("k", {1024, 61, 0}, gtx480),
                      Catch::Contains("needs 65536 registers, but a core has only 32768;"));
    CHECK_THROWS_WITH(
        require_fit("k", {32, 8, 49153}, gtx480),
        Catch::Contains(
            "needs 49153 bytes of shared memory, but a core has only 49152; use less shared memory"));
    CHECK_THROWS_WITH(require_fit("k", {0, 8, 0}, gtx480), Catch::Contains("0 threads"));
    CHECK_THROWS_WITH(require_fit("k", {32, 8, 0}, {1536, 0, 32768, 49152, 32}),
                      Catch::Contains("0 CTA slots"));
}

TEST_CASE("occupancy limits: none, and a number given at run time") {
    CHECK(no_limit{}.limit(6) == 6);
    CHECK(static_limit{3}.limit(6) == 3);
    CHECK(static_limit{7}.limit(6) == 6);
    CHECK(static_limit{}.limit(8) == 8);
    CHECK(static_limit{0}.limit(8) == 1); // a core without CTAs would never finish
}
