/// The pipeline asks no more of a policy than its concept says: it runs the archetypes.

#include "catch.hpp"
#include "gpu/machines.hpp"
#include "gpu/random_work.hpp"

using namespace warpkit;
using namespace warpkit::gpu_test;

TEMPLATE_TEST_CASE("the archetypes of every seat run random kernels to the end", "[gpu]", least_asking,
                   least_throttling) {
    for (std::uint64_t seed = 5; seed < 15; ++seed) {
        INFO("seed " << seed);
        random_kernel k(seed);
        gpu<TestType> g(random_machine(seed, k.warps()));
        auto const r = g.run(k.builder().launch());
        CHECK(r.core.ctas == k.builder().grid.count());
    }
}
