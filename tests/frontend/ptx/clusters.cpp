// Clusters of CTAs: who is where, barriers over all of them, and the shared memory of other CTAs.
#include "catch.hpp"
#include "harness.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace ptx_test;
using Catch::Contains;

namespace {
std::string const tile = ".shared .align 16 .b8 tile[2048];\n.shared .align 8 .b64 bar[8];\n";

// Runs kernel_of(body) as clusters; `count` values from %out.
std::vector<std::uint32_t> run_clusters(std::string const& body, warpkit::dim3 grid, warpkit::dim3 cluster,
                                        std::size_t count, unsigned threads = 32, bool keep = true) {
    machine m(module_of(kernel_of(body, tile)), "t.ptx");
    m.set_cluster(cluster);
    auto const out = m.upload(std::vector<std::uint32_t>(count));
    m.launch("k", grid, {threads, 1, 1}, arguments({out}), 0, 1'000'000, std::uint64_t{1} << 29, keep);
    return m.download<std::uint32_t>(out, count);
}
std::string cluster_error(std::string const& body, warpkit::dim3 grid, warpkit::dim3 cluster) {
    try {
        static_cast<void>(run_clusters(body, grid, cluster, 1024));
    } catch (warpkit::error const& e) {
        return e.what();
    }
    return {};
}
// %rd1: the place of this CTA in %out, `words` words for each.
std::string const number_of_cta = R"(
mov.u32 %r20, %ctaid.x; mov.u32 %r21, %ctaid.y; mov.u32 %r22, %ctaid.z;
mov.u32 %r23, %nctaid.x; mov.u32 %r24, %nctaid.y;
mad.lo.u32 %r25, %r22, %r24, %r21; mad.lo.u32 %r25, %r25, %r23, %r20;
)";
} // namespace

TEST_CASE("Clusters: special registers", "[ptx][cluster]") {
    std::string body = number_of_cta + "mul.wide.u32 %rd1, %r25, 64; add.u64 %rd1, %rd1, %out;\n";
    char const* const names[] = {
        "%clusterid.x",      "%clusterid.y",      "%clusterid.z",     "%nclusterid.x",    "%nclusterid.y",
        "%nclusterid.z",     "%cluster_ctaid.x",  "%cluster_ctaid.y", "%cluster_ctaid.z", "%cluster_nctaid.x",
        "%cluster_nctaid.y", "%cluster_nctaid.z", "%cluster_ctarank", "%cluster_nctarank"};
    unsigned at = 0;
    for (auto const* const name : names) {
        body +=
            "mov.u32 %r0, " + std::string(name) + "; st.global.u32 [%rd1+" + std::to_string(at) + "], %r0;\n";
        at += 4;
    }
    warpkit::dim3 const grid{4, 6, 2};
    warpkit::dim3 const cluster{2, 3, 1};
    for (bool const keep : {true, false}) {
        auto const got = run_clusters(body, grid, cluster, std::size_t{16} * 48, 32, keep);
        for (unsigned z = 0; z < 2; ++z)
            for (unsigned y = 0; y < 6; ++y)
                for (unsigned x = 0; x < 4; ++x) {
                    auto const* const v = &got[std::size_t{16} * ((z * 6 + y) * 4 + x)];
                    std::vector<std::uint32_t> const wanted{
                        x / 2, y / 3, z, 2, 2, 2, x % 2, y % 3, 0, 2, 3, 1, y % 3 * 2 + x % 2, 6};
                    CHECK(std::vector<std::uint32_t>(v, v + 14) == wanted);
                }
    }
    // Without any, each CTA is a cluster.
    auto const alone = run_clusters(body, {3, 1, 1}, {0, 0, 0}, 48);
    CHECK(alone[16] == 1);
    CHECK(alone[16 + 3] == 3);
    CHECK(alone[16 + 12] == 0);
    CHECK(alone[16 + 13] == 1);
}

TEST_CASE("Clusters: the shared memory of other CTAs", "[ptx][cluster]") {
    // Each CTA of four writes into its neighbour's tile, adds to a counter of rank 0 and reads what it got; by
    // addresses of .shared::cluster, and by generic ones.
    std::string const body = number_of_cta + R"(
mov.u32 %r0, %cluster_ctarank; add.u32 %r1, %r0, 1; and.b32 %r1, %r1, 3;
mapa.shared::cluster.u32 %r2, tile, %r1;
mad.lo.u32 %r3, %r31, 4, %r2; mad.lo.u32 %r4, %r0, 1000, %r31;
barrier.cluster.arrive.release.aligned;
barrier.cluster.wait.acquire.aligned;
st.shared::cluster.u32 [%r3], %r4;
mov.u32 %r5, bar; mapa.shared::cluster.u32 %r5, %r5, 0;
red.shared::cluster.add.u32 [%r5], 1;
cvta.shared.u64 %rd5, 0;
mov.u64 %rd2, tile; cvta.shared.u64 %rd2, %rd2; mapa.u64 %rd3, %rd2, %r1;
mul.wide.u32 %rd4, %r31, 4; add.u64 %rd4, %rd4, %rd3;
st.u32 [%rd4+1024], %r4;
barrier.cluster.arrive;
barrier.cluster.wait;
mov.u32 %r6, tile; mad.lo.u32 %r6, %r31, 4, %r6;
ld.shared.u32 %r7, [%r6]; ld.shared::cta.u32 %r8, [%r6+1024];
ld.shared::cluster.u32 %r9, [%r5];
getctarank.shared::cluster.u32 %r10, %r2; getctarank.u64 %r11, %rd3; getctarank.shared::cluster.u32 %r12, %r6;
isspacep.shared::cta %p0, %rd3; isspacep.shared::cluster %p1, %rd3; isspacep.shared::cta %p2, %rd2;
selp.u32 %r13, 1, 0, %p0; selp.u32 %r14, 2, 0, %p1; selp.u32 %r15, 4, 0, %p2;
or.b32 %r13, %r13, %r14; or.b32 %r13, %r13, %r15;
mad.lo.u32 %r16, %r25, 32, %r31; mul.wide.u32 %rd1, %r16, 32; add.u64 %rd1, %rd1, %out;
st.global.v4.u32 [%rd1], {%r7, %r8, %r9, %r10}; st.global.v4.u32 [%rd1+16], {%r11, %r12, %r13, %r1};
barrier.cluster.arrive.relaxed; barrier.cluster.wait;
)";
    auto const got = run_clusters(body, {8, 1, 1}, {4, 1, 1}, std::size_t{8} * 32 * 8);
    for (unsigned cta = 0; cta < 8; ++cta)
        for (unsigned l = 0; l < 32; ++l) {
            auto const* const v = &got[(std::size_t{cta} * 32 + l) * 8];
            unsigned const rank = cta % 4;
            unsigned const from = (rank + 3) % 4 * 1000 + l;
            unsigned const next = (rank + 1) % 4;
            std::vector<std::uint32_t> const wanted{from, from, 128, next, next, rank, 6, next};
            CHECK(std::vector<std::uint32_t>(v, v + 8) == wanted);
        }
}

TEST_CASE("Clusters: an mbarrier that other CTAs arrive at", "[ptx][cluster]") {
    // Rank 0 waits for one arrival and eight bytes' transactions of each of the others.
    auto const got = run_clusters(R"(
mov.u32 %r0, %cluster_ctarank; mov.u32 %r1, bar; setp.eq.u32 %p0, %r31, 0;
setp.eq.u32 %p1, %r0, 0;
and.pred %p2, %p0, %p1;
@%p2 mbarrier.init.shared::cta.b64 [%r1], 3;
fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
@%p1 bra WAIT;
mapa.shared::cluster.u32 %r2, tile, 0; mapa.shared::cluster.u32 %r3, %r1, 0;
mad.lo.u32 %r2, %r0, 4, %r2;
@%p0 st.shared::cluster.u32 [%r2], %r0;
@%p0 mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r3], 8;
@%p0 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r3], 8;
bra DONE;
WAIT:
mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r1], 0;
@!%p3 bra WAIT;
ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [tile];
st.global.v4.u32 [%out], {%r4, %r5, %r6, %r7};
DONE:
barrier.cluster.arrive; barrier.cluster.wait;)",
                                  {4, 1, 1}, {4, 1, 1}, 4, 64);
    CHECK(got == std::vector<std::uint32_t>{0, 1, 2, 3});
}

TEST_CASE("Clusters: threads that have exited are not waited for, CTAs of one warp and more",
          "[ptx][cluster]") {
    auto const got = run_clusters(number_of_cta + R"(
mov.u32 %r0, %cluster_ctarank;
setp.eq.u32 %p0, %r0, 1; setp.ge.u32 %p1, %r31, 40; and.pred %p2, %p0, %p1;
@%p2 exit;
barrier.cluster.arrive;
setp.lt.u32 %p3, %r31, 5;
@%p3 bra FEW;
barrier.cluster.wait;
bra DONE;
FEW:
add.u32 %r5, %r5, 1;
barrier.cluster.wait;
DONE:
mad.lo.u32 %r16, %r25, 64, %r31; mul.wide.u32 %rd1, %r16, 4; add.u64 %rd1, %rd1, %out;
st.global.u32 [%rd1], 1;)",
                                  {2, 1, 1}, {2, 1, 1}, 128, 64);
    for (unsigned i = 0; i < 128; ++i) CHECK(got[i] == (i >= 104 ? 0 : 1));
}

TEST_CASE("Clusters: what cannot be is refused", "[ptx][cluster]") {
    CHECK_THAT(cluster_error("", {3, 1, 1}, {2, 1, 1}),
               Contains("expected a grid of whole clusters of 2 x 1 x 1, found 3 x 1 x 1"));
    CHECK_THAT(cluster_error("", {32, 1, 1}, {32, 1, 1}), Contains("at most 16 CTAs in a cluster, found 32"));
    CHECK_THAT(cluster_error("", {2, 1, 1}, {2, 0, 1}), Contains("at least one CTA along each dimension"));
    CHECK_THAT(cluster_error("barrier.cluster.wait;", {2, 1, 1}, {2, 1, 1}),
               Contains("expected a barrier.cluster.arrive before barrier.cluster.wait"));
    CHECK_THAT(cluster_error("barrier.cluster.arrive; barrier.cluster.arrive;", {2, 1, 1}, {2, 1, 1}),
               Contains("between two barrier.cluster.arrive"));
    CHECK_THAT(
        cluster_error("mov.u32 %r0, 2; mapa.shared::cluster.u32 %r1, tile, %r0;", {2, 1, 1}, {2, 1, 1}),
        Contains("the rank of one of the cluster's 2 CTAs, found 2"));
    CHECK_THAT(cluster_error("mov.u32 %r0, %cluster_ctarank; xor.b32 %r0, %r0, 1; "
                             "mapa.shared::cluster.u32 %r1, tile, %r0; ld.shared.u32 %r2, [%r1];",
                             {2, 1, 1}, {2, 1, 1}),
               Contains("another CTA's shared memory without .shared::cluster: access at t.ptx"));
    CHECK_THAT(
        cluster_error("mov.u32 %r0, %cluster_ctarank; xor.b32 %r0, %r0, 1; "
                      "mapa.shared::cluster.u32 %r1, bar, %r0; mbarrier.init.shared::cluster.b64 [%r1], 2;",
                      {2, 1, 1}, {2, 1, 1}),
        Contains("expected an mbarrier of this CTA"));
    CHECK_THAT(
        cluster_error("mov.u32 %r1, 0x3000000; ld.shared::cluster.u32 %r2, [%r1];", {2, 1, 1}, {2, 1, 1}),
        Contains("out-of-range"));
    // One CTA waits, the other ends in a loop that asks.
    CHECK_THAT(
        cluster_error("mov.u32 %r0, %cluster_ctarank; setp.eq.u32 %p0, %r0, 1;\n@%p0 bra WAIT;\n"
                      "barrier.cluster.arrive;\nbarrier.cluster.wait;\nexit;\nWAIT:\n"
                      "setp.eq.u32 %p1, %r31, 0; @%p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0;\nL:\n"
                      "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra L;",
                      {2, 1, 1}, {2, 1, 1}),
        Contains("CTA (0,0,0) warp 0 waits at t.ptx:21 (barrier.cluster.wait)") &&
            Contains("CTA (1,0,0) warp 0 waits at t.ptx:26 (mbarrier.test_wait"));
}

TEST_CASE("Clusters: what the kernel says of them", "[ptx][cluster]") {
    auto const kernel = [](std::string const& directives) {
        return module_of(".visible .entry k(.param .u64 o) " + directives +
                         "\n{\n.reg .b32 %r<2>; .reg .b64 %o;\nld.param.u64 %o, [o];\nmov.u32 %r0, "
                         "%cluster_nctarank; st.global.u32 [%o], %r0;\nret;\n}\n");
    };
    auto const size = [&](std::string const& directives, warpkit::dim3 cluster) {
        machine m(kernel(directives), "t.ptx");
        m.set_cluster(cluster);
        auto const out = m.upload(std::vector<std::uint32_t>(1));
        m.launch("k", {4, 2, 1}, {32, 1, 1}, arguments({out}));
        return m.download<std::uint32_t>(out, 1)[0];
    };
    CHECK(size("", {0, 0, 0}) == 1);
    CHECK(size(".reqnctapercluster 2, 2, 1", {0, 0, 0}) == 4);
    CHECK(size(".reqnctapercluster 4", {4, 1, 1}) == 4);
    CHECK(size(".explicitcluster .maxclusterrank 4", {2, 1, 1}) == 2);
    CHECK_THROWS_WITH(
        size(".reqnctapercluster 4", {2, 1, 1}),
        Contains("its .reqnctapercluster is 4 x 1 x 1, and the launch asks for clusters of 2 x 1 x 1"));
    CHECK_THROWS_WITH(size(".explicitcluster", {0, 0, 0}),
                      Contains("give the launch the extent of its clusters"));
    CHECK_THROWS_WITH(size(".explicitcluster .maxclusterrank 4", {4, 2, 1}),
                      Contains("at most 4 CTAs in a cluster, found 8"));
    CHECK_THAT(parse_error(kernel(".reqnctapercluster 0")), Contains("expected 1 to 1024 CTAs, found 0"));

    machine m(kernel(""), "t.ptx");
    auto const out = m.upload(std::vector<std::uint32_t>(1));
    CHECK(m.timed_error("k", {2, 1, 1}, {32, 1, 1}, arguments({out})).empty());
    m.set_cluster({2, 1, 1});
    CHECK(m.timed_error("k", {2, 1, 1}, {32, 1, 1}, arguments({out}))
              .empty()); // that is for the machine to say
}

TEST_CASE("Clusters: the stream has each warp's arrivals once, and the phases that are waited for",
          "[ptx][cluster]") {
    machine m(module_of(kernel_of(R"(
and.b32 %r1, %r31, 1; setp.eq.u32 %p0, %r1, 0;
@%p0 bra EVEN;
barrier.cluster.arrive;
bra WAIT;
EVEN:
barrier.cluster.arrive;
WAIT:
barrier.cluster.wait;
barrier.cluster.arrive;
barrier.cluster.wait;)",
                                  tile)),
              "t.ptx");
    m.set_cluster({2, 1, 1});
    auto const out = m.upload(std::vector<std::uint32_t>(1));
    m.launch("k", {2, 1, 1}, {32, 1, 1}, arguments({out}));
    auto const& code = m.program().instructions;
    for (auto const& cta : m.streams()) {
        unsigned arrivals = 0;
        std::vector<std::uint32_t> phases;
        auto const& s = cta.warps.at(0);
        for (warpkit::stream_cursor at(s); !at.done();) {
            auto const& i = code[at.instruction()];
            if (i.cluster == warpkit::cluster_role::arrive && at.mask() != 0) ++arrivals;
            if (i.cluster == warpkit::cluster_role::wait && at.mask() != 0) phases.push_back(at.barrier(s));
            at.advance(s, i);
        }
        CHECK(arrivals == 2);
        CHECK(phases == std::vector<std::uint32_t>{1, 2});
    }
}
