/// A machine whose caches always hit (cache/perfect_cache.hpp), as OWL's PMEM and Perfect-L2 are.

#include <warpkit/cache/alternatives.hpp>
#include <warpkit/cache/perfect_cache.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/gpu/gpu.hpp>

#include "catch.hpp"
#include "gpu/random_work.hpp"

using namespace warpkit;
using namespace warpkit::gpu_test;

namespace {
using perfect = presets::gtx480::with<use::l1d<perfect_cache>, use::l2<perfect_cache>>;
using perfect_l2 = presets::gtx480::with<use::l2<perfect_cache>>;
using chosen_l2 = presets::gtx480::with<
    use::l2<with_alternatives<cache<linear_index, lru, on_miss, write_through<write_miss::no_allocate>>>>>;

template <class Machine>
run_counters run(random_kernel& k, char const* l2_variant = "") {
    auto p = Machine::parameters();
    p.l2_variant = l2_variant;
    p.core.count = 3;
    gpu<typename Machine::policies> g(p);
    return g.run(k.builder().launch());
}
} // namespace

TEST_CASE("behind perfect caches kernels end, and the memory is asked for nothing", "[gpu]") {
    std::uint64_t accesses = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        INFO("seed " << seed);
        random_kernel k(seed);
        auto const both = run<perfect>(k);
        auto const l2 = run<perfect_l2>(k);
        auto const real = run<presets::gtx480>(k);
        CHECK(both.core.warp_instructions == real.core.warp_instructions);
        CHECK(l2.core.warp_instructions == real.core.warp_instructions);
        CHECK(both.l1d.hits == both.l1d.accesses);
        CHECK(l2.l2.hits == l2.l2.accesses);
        CHECK(both.dram.reads + both.dram.writes == 0);
        CHECK(l2.dram.reads + l2.dram.writes == 0);
        accesses += both.l1d.accesses;
    }
    CHECK(accesses > 0);
}

TEST_CASE("an L2 that is perfect by choice is as one that cannot be otherwise, atomics and all", "[gpu]") {
    std::uint64_t atomics = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        INFO("seed " << seed);
        random_kernel k(seed);
        auto const chosen = run<chosen_l2>(k, "perfect");
        CHECK(chosen == run<perfect_l2>(k));
        for (auto const& i : k.builder().program().instructions) atomics += i.kind == op_class::atomic;
    }
    CHECK(atomics > 0);
}

TEST_CASE("a copy from the host that leaves the address space is refused", "[gpu]") {
    gpu<presets::gtx480::policies> g(presets::gtx480::parameters());
    std::uint64_t const end = ~std::uint64_t{0};
    CHECK_THROWS_WITH(
        g.copied_from_host(end - 63, 128),
        "a copy of 128 B from the host to address 18446744073709551552 leaves the 64-bit address space");
    CHECK_THROWS_WITH(g.copied_from_host(4096, end), Catch::Contains("leaves the 64-bit address space"));
    g.copied_from_host(end - 255, 128); // the last that there is
}
