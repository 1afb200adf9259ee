/// Clusters of CTAs on machines to which nobody listens, where the fast engine leaves out what it can; its threads, and
/// copies of it.

#include <warpkit/config/presets.hpp>
#include <warpkit/frontend/ptx/ptx.hpp>
#include <warpkit/gpu/threads/worker_pool.hpp>

#include "catch.hpp"
#include "gpu/random_clusters.hpp"
#include "reference/both_engines.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

using P = reference_test::gtx480;
using both = reference_test::both_engines<P>;

gpu_parameters machine_for(std::uint64_t seed, gpu_test::random_clusters const& k) {
    auto p = gpu_test::random_machine(seed, k.warps());
    gpu_test::random_numbers r(seed * 77);
    gpu_test::clusters(r, p, k.ctas());
    check(p);
    return p;
}

/// In clusters of two, each CTA adds the numbers of its lanes to what the other one has, they meet, and each stores its
/// own sum. Lanes arrive in two halves; of the second warp the upper half leaves without.
char const* const meeting = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry meet(.param .u64 out)
{
.reg .b32 %r<12>; .reg .b64 %rd<4>; .reg .pred %p<4>;
.shared .align 4 .b32 sum;
mov.u32 %r0, %tid.x; mov.u32 %r1, %cluster_ctarank; xor.b32 %r2, %r1, 1;
mov.u32 %r3, sum; mapa.shared::cluster.u32 %r4, %r3, %r2;
red.shared::cluster.add.u32 [%r4], %r0;
setp.ge.u32 %p0, %r0, 48;
@%p0 exit;
and.b32 %r5, %r0, 1; setp.eq.u32 %p1, %r5, 0;
@%p1 bra EVEN;
barrier.cluster.arrive;
bra WAIT;
EVEN:
barrier.cluster.arrive;
WAIT:
barrier.cluster.wait;
ld.param.u64 %rd0, [out];
mov.u32 %r6, %ctaid.x; mul.wide.u32 %rd1, %r6, 4; add.u64 %rd1, %rd1, %rd0;
ld.shared.u32 %r7, [sum];
st.global.u32 [%rd1], %r7;
ret;
}
)";

/// In clusters of four, three CTAs store their rank to the first one's shared memory, which waits for their bytes at an
/// mbarrier and adds them up; each arrives there beside.
char const* const telling = R"(
.version 8.1
.target sm_90
.address_size 64
.visible .entry tell(.param .u64 out)
{
.reg .b32 %r<12>; .reg .b64 %rd<6>; .reg .pred %p<4>;
.shared .align 8 .b64 bar; .shared .align 16 .b32 box[4];
mov.u32 %r0, %tid.x; mov.u32 %r1, %cluster_ctarank; mov.u32 %r2, bar; mov.u32 %r3, box;
setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r1, 0; and.pred %p2, %p0, %p1;
@%p2 mbarrier.init.shared::cta.b64 [%r2], 4;
@%p2 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 12;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
@%p1 bra WAIT;
mapa.shared::cluster.u32 %r4, %r2, 0; mapa.shared::cluster.u32 %r5, %r3, 0; mad.lo.u32 %r5, %r1, 4, %r5;
@%p0 st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r5], %r1, [%r4];
@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r4];
bra DONE;
WAIT:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r2], 0;
@!%p3 bra WAIT;
ld.shared.u32 %r6, [box+4]; ld.shared.u32 %r7, [box+8]; ld.shared.u32 %r8, [box+12];
add.u32 %r6, %r6, %r7; add.u32 %r6, %r6, %r8;
ld.param.u64 %rd0, [out]; mov.u32 %r9, %clusterid.x; mul.wide.u32 %rd1, %r9, 4; add.u64 %rd1, %rd1, %rd0;
@%p0 st.global.u32 [%rd1], %r6;
DONE:
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
ret;
}
)";

/// Runs a module's kernel in clusters on both engines; what it leaves in `count` words.
std::vector<std::uint32_t> run_ptx(gpu_parameters const& p, char const* text, char const* name,
                                   launch_request request, std::size_t count, run_counters& counted) {
    device_memory memory;
    ptx::loaded_module const module(ptx::parse(text, "clusters.ptx"), memory);
    ptx::kernel const kernel(module, name);
    auto const out = memory.allocate(4 * count);
    request.arguments.resize(8);
    std::memcpy(request.arguments.data(), &out, 8);
    ptx::executor e(kernel, memory, request);
    auto const launch = e.launch();
    CHECK(launch.cluster == request.cluster);
    both b(p);
    CHECK(b.run(launch) == "");
    counted = b.counted();
    std::vector<std::uint32_t> words(count);
    memory.read(words.data(), out, 4 * count);
    return words;
}

} // namespace

TEST_CASE("both engines count the same of random clusters where nobody listens", "[cluster]") {
    for (std::uint64_t seed = 101; seed <= 160; ++seed) {
        INFO("seed " << seed);
        gpu_test::random_clusters k(seed);
        both b(machine_for(seed, k));
        CHECK(b.run(k.builder().launch()) == "");
        CHECK(b.run(k.builder().launch()) == ""); // again, on the warm machine
    }
}

TEST_CASE("threads change nothing of clusters, and neither do copies", "[cluster]") {
    for (std::uint64_t seed = 201; seed <= 206; ++seed) {
        INFO("seed " << seed);
        gpu_test::random_clusters k(seed);
        auto const p = machine_for(seed, k);
        gpu<P> alone(p), shared(p), copied(p);
        auto const counted = alone.run(k.builder().launch());
        worker_pool three(3, beyond_cores::as_told);
        CHECK(shared.run(k.builder().launch(), no_progress{}, three) == counted);
        copied.begin(k.builder().launch());
        for (unsigned n = 0; copied.step(); ++n)
            if (n % 50 == 0) {
                auto copy = copied;
                CHECK(copy == copied);
                copied = copy;
            }
        CHECK(copied.end() == counted);
        CHECK(copied == alone);
        CHECK(copied.fingerprint() == alone.fingerprint());
    }
}

TEST_CASE("a PTX kernel of clusters computes what it should, and takes the same time on both engines",
          "[cluster]") {
    auto p = presets::gtx480::parameters();
    p.clock = {700'000, 700'000, 700'000, 700'000};
    p.cluster = {.cores = 5, .latency = 70, .bandwidth = 16, .barrier_latency = 100};
    run_counters counted;
    auto const waited = [&] { return counted.core.cause[static_cast<unsigned>(cycle_cause::sync)]; };
    SECTION("that meet at their barrier") {
        launch_request request{"meet", {12, 1, 1}, {64, 1, 1}, 0, {}};
        request.cluster = {2, 1, 1};
        CHECK(run_ptx(p, meeting, "meet", request, 12, counted) ==
              std::vector<std::uint32_t>(12, 63 * 64 / 2));
        // Each CTA waits for the last arrival, behind which the barrier takes its time.
        CHECK(waited() >= 12 * p.cluster.barrier_latency);
    }
    SECTION("that tell each other of stores and arrivals at an mbarrier") {
        launch_request request{"tell", {8, 1, 1}, {32, 1, 1}, 0, {}};
        request.cluster = {4, 1, 1};
        CHECK(run_ptx(p, telling, "tell", request, 2, counted) == std::vector<std::uint32_t>(2, 1 + 2 + 3));
        auto const before = counted.cycles;
        p.cluster.latency += 100;
        run_ptx(p, telling, "tell", request, 2, counted);
        CHECK(counted.cycles >= before + 100);
    }
}
