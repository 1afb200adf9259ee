/// Machines that translate addresses: what a miss costs, and what it is accounted as.

#include <warpkit/config/presets.hpp>
#include <warpkit/frontend/builder.hpp>

#include "catch.hpp"
#include "reference/both_engines.hpp"
#include "reference/random_pairs.hpp"

#include <cstdint>

using namespace warpkit;

namespace {

/// One warp loads two lines, one behind the other, `stride` bytes apart, and uses each.
class two_loads {
public:
    explicit two_loads(std::uint64_t stride) {
        builder_.block = {32, 1, 1};
        auto const first = builder_.load(memory_space::global, 4, {1}, {0});
        auto const use = builder_.op(op_class::int_add, {2}, {1});
        auto const second = builder_.load(memory_space::global, 4, {3}, {2});
        auto const last = builder_.op(op_class::int_add, {4}, {3});
        auto const exit = builder_.exit();
        builder_.script = [=](std::uint64_t, unsigned, kernel_builder::warp_writer& out) {
            out.access(first, all_lanes, [](unsigned lane) { return 0xC0000000 + 4 * lane; });
            out.step(use);
            out.access(second, all_lanes, [=](unsigned lane) { return 0xC0000000 + stride + 4 * lane; });
            out.step(last);
            out.step(exit);
        };
    }
    kernel_builder& builder() noexcept { return builder_; }

private:
    kernel_builder builder_{"two loads"};
};

gpu_parameters translating_if(bool translates) {
    auto p = presets::gtx480::parameters();
    p.clock = {700'000, 700'000, 700'000, 700'000}; // so that nothing else depends on when it begins
    p.core.count = 2;
    p.tlb.l1_entries = translates ? 32 : 0;
    return p;
}
run_counters run(gpu_parameters const& p, std::uint64_t stride) {
    two_loads k(stride);
    reference_test::both_engines<reference_test::gtx480> both(p);
    CHECK(both.run(k.builder().launch()) == "");
    return both.counted();
}
std::uint64_t translating(run_counters const& r) {
    return r.core.cause[static_cast<unsigned>(cycle_cause::translation)];
}

} // namespace

TEST_CASE("a page walk delays a load by the ways there and back, the look-up and its accesses",
          "[reference]") {
    auto const with = translating_if(true);
    cycle const hop = with.network.link_cycles;
    cycle const first = hop + with.tlb.l2_latency + 4 * with.tlb.walk_latency + hop;
    cycle const neighbour = first - 3 * with.tlb.walk_latency; // the upper levels are kept
    SECTION("two lines of a page") {
        auto const r = run(with, 256);
        CHECK(r.cycles == run(translating_if(false), 256).cycles + first);
        CHECK(r.tlb.l1_misses == 1);
        CHECK(r.tlb.l1_hits == 1);
        CHECK(r.tlb.wait_cycles == first);
        CHECK(translating(r) == first); // one scheduler has the warp, which needs its load at once
    }
    SECTION("of two pages") {
        auto const r = run(with, 4096);
        CHECK(r.cycles == run(translating_if(false), 4096).cycles + first + neighbour);
        CHECK(r.tlb.l1_misses == 2);
        CHECK(r.tlb.walk_accesses == 5);
        CHECK(translating(r) == first + neighbour);
    }
    SECTION("without translation nothing is counted") {
        auto const r = run(translating_if(false), 4096);
        CHECK(r.tlb == translation_counters{});
        CHECK(translating(r) == 0);
    }
}

TEST_CASE("what is translated stays so from kernel to kernel", "[reference]") {
    two_loads k(256);
    reference_test::both_engines<reference_test::gtx480> both(translating_if(true));
    CHECK(both.run(k.builder().launch()) == "");
    CHECK(both.counted().tlb.l1_misses == 1);
    CHECK(both.run(k.builder().launch()) == "");
    auto const again = both.counted();
    CHECK(again.tlb.l1_misses == 0);
    CHECK(again.tlb.l1_hits == 2);
}

TEST_CASE("both engines translate alike on random machines", "[reference]") {
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        INFO("seed " << seed);
        gpu_test::random_kernel k(seed, {.body = 6, .iterations = 2, .max_warps = 6, .max_ctas = 4});
        auto p = gpu_test::random_machine(seed, k.warps());
        gpu_test::random_numbers r(seed * 31);
        if (r.chance(50)) p.lsu.l1_banks = 2 + r.below(5);
        gpu_test::translation(r, p.tlb);
        check(p);
        reference_test::both_engines<reference_test::gtx480> both(p);
        CHECK(both.run(k.builder().launch()) == "");
    }
}
