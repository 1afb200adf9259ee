/// Clusters of CTAs on both engines: what their barriers and each other's shared memory cost.

#include <warpkit/config/presets.hpp>
#include <warpkit/cta/policies.hpp>
#include <warpkit/frontend/builder.hpp>

#include "catch.hpp"
#include "gpu/random_clusters.hpp"
#include "reference/told_machine.hpp"
#include "support/random_choices.hpp"

#include <cstdint>
#include <string>

using namespace warpkit;

namespace {

using P = reference_test::told;
using both = reference_test::both_engines<P>;

/// Four cores in two groups, whose clocks all tick together.
gpu_parameters clustered() {
    auto p = presets::gtx480::parameters();
    p.clock = {700'000, 700'000, 700'000, 700'000};
    p.core.count = 4;
    p.cluster = {.cores = 2, .latency = 70, .bandwidth = 16, .barrier_latency = 100};
    return p;
}

/// Two CTAs of a warp in a cluster, which does one thing, and uses what it gets.
class pair_of_ctas {
public:
    enum class does { load, store, atomic, meet };
    pair_of_ctas(does what, bool remote) {
        auto& b = builder_;
        b.grid = b.cluster = {2, 1, 1};
        b.shared_bytes = 1024;
        std::uint32_t first = 0, wait = 0;
        switch (what) {
        case does::load:
            first = b.load(memory_space::shared, 4, {1}, {0});
            break;
        case does::store:
            first = b.store(memory_space::shared, 4, {0});
            break;
        case does::atomic:
            first = b.atomic(memory_space::shared, 4, {1}, {0});
            break;
        default:
            first = b.arrive_in_cluster();
            wait = b.wait_in_cluster();
        }
        auto const use = b.op(op_class::int_add, {2}, {1});
        auto const exit = b.exit();
        b.script = [=](std::uint64_t cta, unsigned, kernel_builder::warp_writer& out) {
            if (what == does::meet) {
                if (cta == 0 || remote) out.step(first);
                if (cta == 0 || remote) out.wait_in_cluster(wait, 1);
            } else if (cta == 0) {
                auto const rank = (remote ? 1 + first_cluster_rank : 0) << cluster_shift;
                out.access(first, all_lanes, [=](unsigned lane) { return rank | lane * 4; });
            }
            out.step(use);
            out.step(exit);
        };
    }
    kernel_builder& builder() noexcept { return builder_; }

private:
    kernel_builder builder_{"pair of CTAs"};
};

cycle cycles_of(gpu_parameters const& p, pair_of_ctas::does what, bool remote,
                any_cluster_placement const& placement = {}) {
    policy_values<P> v;
    v.cluster_placement = placement;
    pair_of_ctas k(what, remote);
    both b(p, v);
    CHECK(b.run(k.builder().launch()) == "");
    return b.counted().cycles;
}
std::string failure_of(gpu_parameters const& p, launch_group const& group) {
    both b(p);
    return b.run(group);
}

} // namespace

TEST_CASE("a load from another core's shared memory takes two ways more, and its data one end's time",
          "[cluster]") {
    auto const p = clustered();
    auto const local = cycles_of(p, pair_of_ctas::does::load, false);
    auto const remote = cycles_of(p, pair_of_ctas::does::load, true);
    // A request of 8 bytes comes whole in the cycle in which it comes; an answer of 8 + 128 takes 9 cycles of 16.
    CHECK(remote - local == 2 * p.cluster.latency + 9 - 1);
    SECTION("on one core it is a load as any other") {
        CHECK(cycles_of(p, pair_of_ctas::does::load, true, cluster_packed{}) ==
              cycles_of(p, pair_of_ctas::does::load, false, cluster_packed{}));
    }
    SECTION("an atomic carries data both ways") {
        CHECK(cycles_of(p, pair_of_ctas::does::atomic, true) -
                  cycles_of(p, pair_of_ctas::does::atomic, false) ==
              2 * (p.cluster.latency + 9 - 1));
    }
}

TEST_CASE("a store to another core's shared memory holds its warp until it is acknowledged", "[cluster]") {
    auto const p = clustered();
    auto const local = cycles_of(p, pair_of_ctas::does::store, false);
    CHECK(cycles_of(p, pair_of_ctas::does::store, true) - local ==
          2 * p.cluster.latency + 9 - 1 - p.core.writeback_cycles);
}

TEST_CASE("warps go on so long after the last has arrived at their cluster's barrier", "[cluster]") {
    auto p = clustered();
    auto const at = [&](std::uint32_t latency) {
        p.cluster.barrier_latency = latency;
        return cycles_of(p, pair_of_ctas::does::meet, true);
    };
    CHECK(at(250) - at(150) == 100);
    SECTION("warps that have exited are not waited for") {
        auto const alone = cycles_of(p, pair_of_ctas::does::meet, false);
        CHECK(alone < at(p.cluster.barrier_latency + 50));
    }
}

TEST_CASE("both engines tell the same of random clusters on random machines", "[cluster]") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        INFO("seed " << seed);
        gpu_test::random_clusters k(seed);
        auto p = gpu_test::random_machine(seed, k.warps());
        gpu_test::random_numbers r(seed * 77);
        gpu_test::clusters(r, p, k.ctas());
        check(p);
        auto v = gpu_test::random_values<P>(r);
        if (r.chance(50)) v.cluster_placement = cluster_packed{};
        both b(p, v);
        CHECK(b.run(k.builder().launch()) == "");
        CHECK(b.run(k.builder().launch()) == ""); // again, on the warm machine
    }
}

TEST_CASE("what clusters a machine cannot have is refused with the reason", "[cluster]") {
    using Catch::Contains;
    auto p = clustered();
    kernel_builder k("big");
    k.exit();
    k.grid = {8, 1, 1};
    auto const failure = [&] { return failure_of(p, k.launch()); };
    k.cluster = {2, 1, 1};
    CHECK(failure().empty());
    SECTION("no groups") {
        p.cluster = {};
        CHECK_THAT(
            failure(),
            Contains("on both: kernel 'big' has clusters of 2 CTAs, and the machine has no groups of cores "
                     "for them; set cluster.cores"));
    }
    SECTION("too large for a group") {
        p.core.ctas = 1;
        k.cluster = {4, 1, 1};
        CHECK_THAT(failure(), Contains("clusters of 4 CTAs, but a group of 2 cores holds 2"));
    }
    SECTION("too large for any") {
        k.grid = k.cluster = {32, 1, 1};
        CHECK_THAT(failure(), Contains("clusters of 32 CTAs; a cluster has 1 to 16"));
    }
    SECTION("a grid that is not of whole ones") {
        k.cluster = {3, 1, 1};
        CHECK_THAT(failure(), Contains("of which its grid of 8 x 1 x 1 is no multiple"));
    }
    SECTION("beside other kernels") {
        launch_group const two{{k.launch()}};
        launch_group group = two;
        group.push_back({k.launch()});
        CHECK_THAT(failure_of(p, group), !Contains("core.kernels=1")); // one after the other
        p.core.kernels = 2;
        CHECK_THAT(failure_of(p, group),
                   Contains("other kernels may be on the machine beside it; set core.kernels=1"));
    }
    SECTION("a cluster's barrier without clusters") {
        k.cluster = {};
        k.arrive_in_cluster();
        CHECK(failure().empty());
        p.cluster = {};
        CHECK_THAT(failure(), Contains("kernel 'big' has clusters of 1 CTA, and the machine has no groups"));
    }
    SECTION("a network that is faster than a link") {
        p.cluster.latency = static_cast<std::uint32_t>(cycles_of_link(p)) - 1;
        CHECK_THROWS_WITH(failure(),
                          Contains("cluster.latency = ") && Contains("that a link of the networks takes"));
        CHECK_THROWS_WITH(check(p), Contains("cluster.latency = "));
    }
}

TEST_CASE("a report of a machine that is stuck tells who waits at the barrier of a cluster", "[cluster]") {
    kernel_builder k("stuck");
    k.grid = k.cluster = {2, 1, 1};
    auto const arrive = k.arrive_in_cluster();
    auto const wait = k.wait_in_cluster();
    auto const bar = k.barrier(1, 2); // for two warps, of which the CTA has one
    auto const exit = k.exit();
    k.script = [=](std::uint64_t cta, unsigned, kernel_builder::warp_writer& out) {
        if (cta == 1) out.step(bar);
        out.step(arrive);
        out.wait_in_cluster(wait, 1);
        out.step(exit);
    };
    CHECK_THAT(
        failure_of(clustered(), k.launch()),
        Catch::Contains(
            "the barrier of a cluster of 2 CTAs, of which 0 phases are over, 1 of 2 warps have reached: "
            "CTA 0 on core 0: 1 wait there; CTA 1 on core 1: 0 wait there, 1 have not come (first: warp 0)"));
}
