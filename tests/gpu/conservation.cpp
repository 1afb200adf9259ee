/// Conservation on random kernels and machines (docs/model/core.md#conservation). gpu::end() itself checks that what
/// was dispatched was issued, that causes sum to scheduler cycles, and that nothing is outstanding.

#include <warpkit/testing/random_grid.hpp>

#include "catch.hpp"
#include "gpu/machines.hpp"
#include "gpu/random_work.hpp"
#include "random_choices.hpp"
#include "support/sanitized.hpp"

#include <numeric>

using namespace warpkit;
using namespace warpkit::gpu_test;

namespace {

/// Windows with the components in another random order each time.
template <class P>
run_counters run_shuffled(gpu<P>& g, kernel_launch const& launch, std::uint64_t seed) {
    random_numbers r(seed);
    std::vector<unsigned> order(g.components());
    std::iota(order.begin(), order.end(), 0U);
    g.begin(launch);
    while (g.step([&](unsigned, unsigned, auto&& advance) {
        for (auto i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[r.below(static_cast<unsigned>(i))]);
        unsigned busy = 0;
        for (auto const c : order) busy += advance(c);
        return busy;
    })) {}
    return g.end();
}

template <class P>
void check_laws(run_counters const& r, gpu_parameters const& p, random_kernel& k) {
    CHECK(r.core.ctas == k.builder().grid.count());
    CHECK(std::accumulate(r.core.cause.begin(), r.core.cause.end(), std::uint64_t{0}) ==
          r.cycles * p.core.count * p.core.schedulers);
    CHECK(r.core.cycles == r.cycles * p.core.count);
    CHECK(r.core.cause[0] <= r.core.warp_instructions);
    CHECK(r.core.warp_instructions <= r.core.cause[0] * p.core.issue_width);
    if (p.l1d.size == 0) CHECK(r.l1d.accesses == 0);
    if (p.l2.size == 0) CHECK(r.l2.accesses == 0);
    CHECK(r.l1d.accesses == r.l1d.hits + r.l1d.hit_reserved + r.l1d.misses + r.l1d.sector_misses);
}

template <class P>
void run_random(std::uint64_t seed) {
    INFO("seed " << seed);
    random_kernel k(seed);
    auto p = random_machine(seed, k.warps());
    random_numbers r(seed);
    auto const values = random_values<P>(r);
    choose_caches<P>(r, p);
    INFO("caches " << p.l1d_variant << ", " << p.l2_variant);
    gpu<P> a(p, values);
    auto b = a;
    auto launch = k.builder().launch();
    testing::made_up_addresses addresses(launch.grid.x); // nobody but a choice of block looks
    addresses.access(addresses.array(0), {0, 64 * r.below(4), 64 * r.below(4), 256});
    auto const view = addresses.view();
    if (r.chance(70)) launch.addresses = &view;
    auto const first = a.run(launch);
    check_laws<P>(first, p, k);
    auto const shuffled = run_shuffled(b, launch, seed);
    CHECK(first == shuffled);
    CHECK(a == b);
    CHECK(a.fingerprint() == b.fingerprint());
    // A second kernel on the same machine, its caches warm.
    random_kernel other(seed + 5000, {.body = 6, .iterations = 1, .max_warps = k.warps(), .max_ctas = 4});
    check_laws<P>(a.run(other.builder().launch()), p, other);
}

} // namespace

TEMPLATE_TEST_CASE("random kernels on random machines end, conserve, and are the same in any order",
                   "[gpu][long]", WARPKIT_RANDOM_MACHINES) {
    for (std::uint64_t seed = 5; seed < 5 + fewer(60); ++seed) run_random<TestType>(seed);
}
