#include <warpkit/frontend/device.hpp>

#include "catch.hpp"
#include "kernels/functional.hpp"
#include "kernels/workload.hpp"
#include "support/sanitized.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace warpkit;
using kernels::all;
using kernels::find;
using kernels::size;
using kernels::size_named;
using kernels::values;

namespace {

struct stop {};

// The memory and the request with which a workload's first kernel is launched.
std::pair<device_memory, launch_request> first_launch(values const& v) {
    std::pair<device_memory, launch_request> seen;
    device d([&](device_memory& memory, launch_request const& request) {
        seen = {memory, request};
        throw stop{};
    });
    CHECK_THROWS_AS(v.of().run(d, v), stop);
    return seen;
}

void run_functionally(values const& v, std::string_view ptx,
                      ptx::code_order order = ptx::code_order::as_written) {
    kernels::functional_device machine(ptx, v.of().ptx_name, order);
    v.of().run(machine.device(), v);
}

// Each kernel with a little input that fills no CTA, no tile and no warp, and with one instruction that may not be
// another.
struct trial {
    std::string_view kernel;
    std::string_view parameters; // name=value, with blanks between
    std::string_view right;
    std::string_view wrong;
};
constexpr trial trials[] = {
    {"compute", "n=77 block=33", "add.rn.f32", "sub.rn.f32"},
    {"gather", "threads=45 hops=3 regions=1 region=9", "add.s32 \t%r23, ", "sub.s32 \t%r23, "},
    {"chase", "lines=37 stride=33 hops=7 first=3", "mul.wide.s32 \t%rd7, %r28, 4;",
     "mul.wide.s32 \t%rd7, %r28, 0;"},
    {"chain", "what=1 count=1", "add.s32 %", "sub.s32 %"},
    {"vecadd", "n=1003 block=50", "add.s32 \t%r8, ", "sub.s32 \t%r8, "},
    {"transpose_naive", "width=64 height=64", "setp.ge.s32 \t%p6, ", "setp.lt.s32 \t%p6, "},
    {"transpose_tiled", "width=64 height=64", "setp.ge.s32 \t%p2, %r11, ", "setp.lt.s32 \t%p2, %r11, "},
    {"transpose_variants", "width=37 height=21", "ld.global.f32 \t%f1, [%rd2];",
     "mov.f32 \t%f1, 0f00000000;"},
    {"sgemm_tiled", "m=48 n=16 k=32", "fma.rn.f32 \t%f10, %f8, %f9, ", "fma.rn.f32 \t%f10, %f8, %f8, "},
    {"reduction", "n=4099 block=32", "add.s32 \t%r19, ", "sub.s32 \t%r19, "},
    {"histogram", "n=999 bins=7 ctas=3 block=40", "atom.shared.add.u32 \t%r18, [%rd13], 1;",
     "atom.shared.add.u32 \t%r18, [%rd13], 2;"},
    {"scalar_product", "vectors=5 elements=45 ctas=2 block=32", "add.rn.f32", "sub.rn.f32"},
    {"black_scholes", "options=1000 ctas=3 block=96", "lg2.approx", "ex2.approx"},
    {"fast_walsh_transform", "log2n=12", "sub.rn.f32", "add.rn.f32"},
    {"fdtd3d", "nx=34 ny=5 nz=3 steps=2", "fma.rn.f32 \t%f83, %f60, %f69, ",
     "fma.rn.f32 \t%f83, %f60, %f60, "},
    {"fdtd3d_unrolled", "nx=34 ny=5 nz=11 steps=2", "fma.rn.f32 \t%f578, %f533, %f542, ",
     "fma.rn.f32 \t%f578, %f533, %f533, "},
    {"radix_sort", "blocks=2 digits=2", "[%rd31], %r16;\n\tadd.s32 \t%r5,",
     "[%rd31], %r17;\n\tadd.s32 \t%r5,"},
    {"scan", "n=2000", "add.s32 \t%r37, %r36, %r33;", "sub.s32 \t%r37, %r36, %r33;"},
    {"separable_convolution", "columns=1 rows=1", "fma.rn.f32 \t%f49, %f37, %f38, ",
     "fma.rn.f32 \t%f49, %f37, %f37, "},
    {"histogram_merged", "bytes=4016 ctas=2", "atom.shared.add.u32 \t%r23, [%rd19], 1;",
     "atom.shared.add.u32 \t%r23, [%rd19], 2;"},
    {"b_plus_tree", "keys=700 queries=5 ranges=5", "add.s32 \t%r29, ", "sub.s32 \t%r29, "},
    {"backprop", "inputs=48", "add.rn.f32 \t%f20, ", "sub.rn.f32 \t%f20, "},
    {"cfd", "side=4 block=48", "add.rn.f32 \t%f139, ", "sub.rn.f32 \t%f139, "},
    {"gaussian", "size=13 block=32 side=4", "add.s32 \t%r18, ", "sub.s32 \t%r18, "},
    {"lud", "size=48", "sub.rn.f32 \t%f52, ", "add.rn.f32 \t%f52, "},
    {"nn", "records=300 block=96", "sub.rn.f32 \t%f6, ", "add.rn.f32 \t%f6, "},
    {"nw", "length=48", "add.s32 \t%r74, ", "sub.s32 \t%r74, "},
    {"srad_v1", "rows=37 columns=23 iterations=2", "add.rn.f32 \t%f31, ", "sub.rn.f32 \t%f31, "},
    {"srad_v2", "columns=32 rows=48 iterations=2", "add.rn.f32 \t%f40, ", "sub.rn.f32 \t%f40, "},
    {"streamcluster", "points=130 dimensions=5 block=96", "sub.rn.f32 \t%f25, ", "add.rn.f32 \t%f25, "},
    {"heartwall", "points=2 template=2 window=3", "add.rn.f32 \t%f105, ", "sub.rn.f32 \t%f105, "},
    {"lava_md", "boxes=2 particles=5", "add.rn.f64 \t%fd51, ", "sub.rn.f64 \t%fd51, "},
    {"leukocyte", "rows=46 columns=47 reach=1 cells=1 steps=2", "add.rn.f32 \t%f81, ", "sub.rn.f32 \t%f81, "},
    {"particle_filter", "particles=130 frames=3 side=32", "add.rn.f32 \t%f7, ", "sub.rn.f32 \t%f7, "},
    {"particle_filter_naive", "particles=70 block=48", "setp.ge.f32 \t%p3, ", "setp.le.f32 \t%p3, "},
    {"inverted_index", "documents=33 words=9 block=32", "add.s32 \t%r21, ", "sub.s32 \t%r21, "},
    {"page_view_count", "lines=45 pages=9 block=32", "add.s32 \t%r16, ", "sub.s32 \t%r16, "},
    {"page_view_rank", "pages=45 block=32", "add.s32 \t%r12, ", "sub.s32 \t%r12, "},
    {"similarity_score", "documents=7 dimensions=5 block=32", "mul.rn.f32 \t%f17, ", "add.rn.f32 \t%f17, "},
    {"kmeans_inverted", "points=130 features=3 clusters=9 block=48", "sub.rn.f32 \t%f11, ",
     "add.rn.f32 \t%f11, "},
    {"kmeans_texture", "points=130 features=3 clusters=9 block=48", "setp.lt.f32 \t%p5, %f17, ",
     "setp.gt.f32 \t%p5, %f17, "},
    {"bfs", "nodes=333 block=100", "add.s32 \t%r17, %r16, 1;", "add.s32 \t%r17, %r16, 2;"},
    {"hotspot", "columns=37 rows=5 iterations=5 pyramid=3", "sub.rn.f32", "add.rn.f32"},
    {"kmeans", "points=130 features=3 clusters=9 block=48", "setp.lt.f32", "setp.gt.f32"},
    {"pathfinder", "columns=301 rows=9 pyramid=4", "min.s32 \t%r39, ", "max.s32 \t%r39, "},
    {"cutcp", "regions=1 cutoff=5", "rsqrt.approx.f32", "sqrt.approx.f32"},
    {"fft", "batch=3", "sub.rn.f32", "add.rn.f32"},
    {"histo", "pairs=37 lines=16 ranges=2 shares=2", "atom.shared.add.u32 \t%r13, [%rd26], %r50;",
     "atom.shared.max.u32 \t%r13, [%rd26], %r50;"},
    {"lbm", "nx=10 ny=5 nz=4", "sub.rn.f32", "add.rn.f32"},
    {"mri_q", "voxels=70 samples=1030", "cos.approx.f32", "sin.approx.f32"},
    {"sad", "width=1 height=1", "add.s32 \t%r28, %r27, %r26;", "add.s32 \t%r28, %r27, %r25;"},
    {"sad_texture", "width=1 height=1", "add.s32 \t%r11, %r5, -16;", "add.s32 \t%r11, %r5, -15;"},
    {"sgemm", "m=1 n=2 k=3", "fma.rn.f32 \t%f", "fma.rz.f32 \t%f"},
    {"spmv_jds", "rows=501 mean=3 block=96", "fma.rn.f32 \t%f44, %f40, %f41, ",
     "fma.rn.f32 \t%f44, %f40, %f40, "},
    {"spmv", "rows=501 mean=3 block=96", "fma.rn.f32 \t%f14, %f12, %f13, ",
     "fma.rn.f32 \t%f14, %f12, %f12, "},
    {"stencil", "nx=37 ny=6 nz=4 iterations=2", "add.rn.f32", "sub.rn.f32"},
    {"tpacf", "sets=1 points=40", "atom.shared.add.u32 \t%r53, [%rd11], 1;",
     "atom.shared.add.u32 \t%r53, [%rd11], 2;"},
    {"aes", "blocks=70 key=192", "xor.b32  \t%r44, ", "or.b32  \t%r44, "},
    {"bfs_one_launch", "nodes=333 block=100", "add.s32 \t%r4, %r7, 1;", "add.s32 \t%r4, %r7, 2;"},
    {"coulombic_potential", "width=1 height=2 atoms=9", "sub.rn.f32 \t%f20, ", "add.rn.f32 \t%f20, "},
    {"laplace_3d", "nx=37 ny=6 nz=5 iterations=2", "add.rn.f32 \t%f14, ", "sub.rn.f32 \t%f14, "},
    {"mummer", "reference=300 queries=45 length=20 least=6 block=48", "add.s32 \t%r78, %r78, 1;",
     "add.s32 \t%r78, %r78, 2;"},
    {"n_queens", "queens=7", "add.s32 \t%r55, %r55, 1;", "add.s32 \t%r55, %r55, 2;"},
    {"neural_network", "images=1", "fma.rn.f32 \t%f6, %f4, %f5, ", "fma.rn.f32 \t%f6, %f4, %f4, "},
    {"store_gpu", "chunks=130 blocks=2", "shf.l.wrap.b32 \t%r269, %r268, %r268, 7;",
     "shf.l.wrap.b32 \t%r269, %r268, %r268, 8;"},
    {"weather", "nx=9 ny=11 levels=3 steps=2", "sub.rn.f32 \t%f73, ", "add.rn.f32 \t%f73, "},
    {"bfs_queue", "stages=3 nodes=300 window=10 block=96", "setp.lt.s32 \t%p2, ", "setp.gt.s32 \t%p2, "},
    {"nbf_groups", "molecules=205 partners=7 reach=9 block=96", "rcp.rn.f32 \t%f24, ",
     "sqrt.rn.f32 \t%f24, "},
    {"moldyn_groups", "molecules=205 block=96", "rcp.rn.f32 \t%f28, ", "sqrt.rn.f32 \t%f28, "},
    {"unstructured_flow", "side=4 window=10 block=96", "add.rn.f32 \t%f33, ", "sub.rn.f32 \t%f33, "},
    {"euler", "side=3 window=10 block=96", "mul.rn.f32 \t%f55, ", "add.rn.f32 \t%f55, "},
    {"gsim", "levels=3 gates=70 block=48", "xor.b32  \t%r142, ", "or.b32  \t%r142, "},
    {"irreg", "side=3 window=10 sweeps=2 block=96", "sub.rn.f32", "add.rn.f32"},
    {"moldyn", "side=5 window=40 block=96", "rcp.rn.f32", "sqrt.rn.f32"},
    {"nbf", "side=5 partners=3 window=40 block=96", "rcp.rn.f32", "sqrt.rn.f32"},
    {"sta", "levels=3 gates=70 block=48", "max.s32", "min.s32"},
    {"unstructured", "side=3 window=10 block=96", "sub.rn.f32", "add.rn.f32"},
    {"denoise", "nx=37 ny=11 nz=5 steps=3", "sub.rn.f32 \t%f7, ", "add.rn.f32 \t%f7, "},
    {"gabor", "width=21 height=17 orientations=2", "sqrt.rn.f32", "rcp.rn.f32"},
    {"jpeg_decode", "width=32 height=48", "shr.s32 \t%r80, %r79, 15;", "shr.s32 \t%r80, %r79, 14;"},
    {"sift", "width=37 height=19 scales=1", "sub.rn.f32", "add.rn.f32"},
    {"gemm_wmma", "m=64 n=128 k=64", "wmma.load.b.sync.aligned.row", "wmma.load.b.sync.aligned.col"},
    {"gemm_pipelined", "m=64 n=128 k=64", "ldmatrix.sync.aligned.m8n8.x4.trans",
     "ldmatrix.sync.aligned.m8n8.x4"},
    {"softmax_rows", "rows=3 columns=48 block=64", "ex2.approx.f32", "lg2.approx.f32"},
    {"layer_norm", "tokens=5 columns=48 block=64", "rsqrt.approx.f32", "sqrt.approx.f32"},
    {"rms_norm", "tokens=3 columns=80 block=64", "rsqrt.approx.f32", "sqrt.approx.f32"},
    {"gelu", "tokens=3 columns=48 block=33", "tanh.approx.f32", "ex2.approx.f32"},
    {"swiglu", "tokens=3 columns=48 block=5", "div.approx.f32", "mul.rn.f32"},
    {"rotary_embedding", "tokens=3 heads=3 key_heads=1 dim=48 block=7", "neg.f32", "abs.f32"},
    {"matvec_int8", "rows=5 columns=192 block=64", "cvt.rni.s32.f32", "cvt.rzi.s32.f32"},
    {"matvec_int4", "rows=64 columns=256 block=64", "sub.rn.f16x2", "add.rn.f16x2"},
    {"top_k_routing", "tokens=300 experts=5", "setp.gt.f32", "setp.lt.f32"},
    {"moe_gemm", "tokens=70 experts=3 n=64 k=64", "ldmatrix.sync.aligned.m8n8.x4.trans",
     "ldmatrix.sync.aligned.m8n8.x4"},
    {"paged_attention", "sequences=3 key_heads=1 tokens=288", "add.rn.f32", "sub.rn.f32"},
    {"flash_attention_64", "heads=1 key_heads=1 tokens=64 causal=0", "ldmatrix.sync.aligned.m8n8.x4.trans",
     "ldmatrix.sync.aligned.m8n8.x4"},
    {"flash_attention_128", "tokens=192", "setp.gt.s32 \t%p15, %r749, %r25;",
     "setp.lt.s32 \t%p15, %r749, %r25;"},
    {"flash_attention_64_tall", "heads=1 key_heads=1 tokens=128 causal=0",
     "ldmatrix.sync.aligned.m8n8.x4.trans", "ldmatrix.sync.aligned.m8n8.x4"},
    {"flash_attention_128_tall", "tokens=128", "setp.gt.s32 \t%p5, %r1160, %r27;",
     "setp.lt.s32 \t%p5, %r1160, %r27;"},
    {"gemm_wgmma", "m=128 n=128 k=64", "1, 1, 0, 0; }", "1, -1, 0, 0; }"},
    {"flash_attention_wgmma", "heads=1 tokens=256 causal=0", "1, 1, 1, 1;", "1, 1, 1, 0;"},
    {"flash_attention_persistent", "heads=1 tokens=256 ctas=1", "1, 1, 1, 1;", "1, 1, 1, 0;"},
    {"bandwidth", "ctas=2 kib=32 passes=2", "xor.b32", "or.b32"},
    {"gemm_tcgen05", "m=128 n=128 k=64", "136314896", "136323088"}, // a, negated
    {"all_reduce_cluster", "clusters=1 ctas=2 elements=64 block=9", "add.rn.f32", "sub.rn.f32"},
};

values values_of(std::string_view kernel, std::string_view parameters) {
    values v(find(kernel));
    for (std::istringstream words{std::string(parameters)}; words;) {
        std::string assignment;
        if (!(words >> assignment)) break;
        auto const equals = assignment.find('=');
        v.set(assignment.substr(0, equals), std::stoull(assignment.substr(equals + 1)));
    }
    return v;
}

} // namespace

TEST_CASE("kernels: defaults lie in their parameters' ranges") {
    for (auto const* w : all())
        for (auto const& p : w->parameters) {
            INFO(w->name << '.' << p.name);
            values v(*w);
            CHECK_NOTHROW(v.set(p.name, p.small));
            CHECK_NOTHROW(v.set(p.name, p.full));
            CHECK(values(*w)[p.name] == p.small);
            CHECK(values(*w, size::full)[p.name] == p.full);
            auto const medium = values(*w, size::medium)[p.name];
            CHECK_NOTHROW(v.set(p.name, medium)); // obeys the parameter's rule
            CHECK(std::min(p.small, p.full) <= medium);
            CHECK(medium <= std::max(p.small, p.full));
        }
    values const gather(find("gather"), size::medium);
    CHECK(gather["threads"] == 23170); // the root of 8192 * 65536
    CHECK(gather["hops"] == 45);
    CHECK(gather["regions"] == 724);
    CHECK(gather["region"] == 256);
    CHECK(size_named("medium") == size::medium);
    CHECK_THROWS_WITH(size_named("big"),
                      Catch::Equals("there is no size 'big'; there are small, medium and full"));
}

TEST_CASE("kernels: impossible values are refused with the range") {
    values v(find("reduction"));
    CHECK_THROWS_WITH(v.set("n", 0),
                      Catch::Equals("reduction.n = 0 is impossible: it must be from 1 to 134217728"));
    CHECK_THROWS_WITH(
        v.set("block", 100),
        Catch::Equals("reduction.block = 100 is impossible: it must be a power of two from 32 to 1024"));
    CHECK_THROWS_WITH(v.set("block", 2048), Catch::Contains("a power of two from 32 to 1024"));
    CHECK_THROWS_WITH(values(find("sgemm_tiled")).set("k", 40),
                      Catch::Contains("a multiple of 16 from 16 to"));
    CHECK(v == values(find("reduction"))); // a refusal changes nothing
    for (auto const* w : all())
        for (auto const& p : w->parameters) {
            INFO(w->name << '.' << p.name);
            if (p.minimum > 0) CHECK_THROWS_AS(values(*w).set(p.name, p.minimum - 1), error);
            if (p.maximum + 1 != 0) CHECK_THROWS_AS(values(*w).set(p.name, p.maximum + 1), error);
        }
}

TEST_CASE("kernels: what does not exist is answered with what does") {
    CHECK_THROWS_WITH(find("sgem_tiled"),
                      Catch::Contains("no kernel 'sgem_tiled'; did you mean 'sgemm_tiled'?") &&
                          Catch::Contains("compute, gather, chase, chain, bandwidth, vecadd, "));
    CHECK_THROWS_WITH(find("quicksort_on_rails"), Catch::Contains("; there are: compute, "));
    values v(find("vecadd"));
    CHECK_THROWS_WITH(v.set("blocks", 1),
                      Catch::Equals("there is no parameter 'blocks' of kernel vecadd; did you mean 'block'? "
                                    "There are: n, block, seed"));
    CHECK_THROWS_AS(v["m"], error);
}

TEST_CASE("kernels: the same seed makes the same inputs, another one others") {
    for (auto const& t : trials) {
        INFO(t.kernel);
        auto v = values_of(t.kernel, t.parameters);
        auto const first = first_launch(v);
        auto const again = first_launch(v);
        CHECK(first.first == again.first);
        CHECK(first.second.arguments == again.second.arguments);
        CHECK(first.second.symbols == again.second.symbols);
        if (t.kernel == "chain") continue; // it has no input but two numbers
        v.set("seed", 2);
        auto const other = first_launch(v);
        CHECK_FALSE((first.first == other.first && first.second.symbols == other.second.symbols));
    }
}

TEST_CASE("kernels: inputs are the same on every machine") {
    // vecadd's a[0] and a[1], worked out apart from our code: splitmix64 with seed 1 begins 910a2dec89025cc1,
    // beeb8da1658eec67; their upper halves times 1000000 / 2^32.
    auto const [memory, request] = first_launch(values(find("vecadd")));
    std::int32_t a[2];
    memory.read(a, device_memory::base, sizeof a);
    CHECK(a[0] == 566561);
    CHECK(a[1] == 745781);
}

TEST_CASE("kernels: launch shapes of the measurements that they are compared with") {
    // gen.py of the Accel-Sim measurements: 2048 and 640 CTAs of 256 threads.
    auto request = first_launch(values(find("vecadd"), size::full)).second;
    CHECK((request.grid == dim3{2048} && request.block == dim3{256}));
    request = first_launch(values(find("compute"), size::full)).second;
    CHECK((request.grid == dim3{640} && request.block == dim3{256}));
    // The multithreading-degree thesis, Table 3: 20480 elements in CTAs of two warps.
    values v(find("vecadd"));
    v.set("n", 20480);
    v.set("block", 64);
    request = first_launch(v).second;
    CHECK((request.grid == dim3{320} && request.block == dim3{64}));
}

TEST_CASE("kernels: launch shapes that the papers tell") {
    struct shape {
        std::string_view kernel;
        std::string_view parameters;
        dim3 grid, block;
    };
    constexpr shape shapes[] = {
        // GPGPU-Sim's set (Bakhoda et al., ISPASS 2009). Of MUMmer the number of queries matters alone.
        {"aes", "blocks=16448", {257}, {256}},
        {"coulombic_potential", "width=8 height=32", {8, 32}, {16, 8}},
        {"laplace_3d", "nx=100 ny=100", {4, 25}, {32, 4}},
        {"mummer", "queries=50000 reference=16", {782}, {64}},
        {"n_queens", "queens=12", {256}, {96}},
        {"neural_network", "images=28", {6, 28}, {13, 13}},
        {"store_gpu", "chunks=49152", {384}, {128}},
        {"weather", "nx=71 ny=58", {9, 8}, {8, 8}},
        // The thesis on address pre-computation, Table 4.2: 5,120 CTAs in one launch.
        {"nn", "records=163840 block=32", {5120}, {32}},
        // Above the 120 blocks of one wave on the 15 cores of the thesis on multithreading degree.
        {"sta", "levels=4 gates=24576", {128}, {192}},
        {"gsim", "levels=6 gates=31400", {164}, {192}},
    };
    for (auto const& [kernel, parameters, grid, block] : shapes) {
        INFO(kernel);
        auto const request = first_launch(values_of(kernel, parameters)).second;
        CHECK(request.grid == grid);
        CHECK(request.block == block);
    }
}

TEST_CASE("kernels: launches and CTAs of the thesis on address pre-computation") {
    struct account {
        std::uint64_t launches = 0, ctas = 0;
    };
    // Nothing is executed, so the check fails in the end, or after the launches before it.
    auto const launched = [](std::string_view kernel, std::string_view parameters) {
        account a;
        device d([&](device_memory&, launch_request const& request) {
            ++a.launches;
            a.ctas += request.grid.count();
        });
        CHECK_THROWS_AS(find(kernel).run(d, values_of(kernel, parameters)), error);
        return a;
    };
    auto const row = [](std::string_view label) {
        return *std::find_if(std::begin(kernels::precomputation_table),
                             std::end(kernels::precomputation_table),
                             [&](kernels::precomputation_row const& r) { return r.label == label; });
    };
    auto const gaussian = launched("gaussian", "size=512 block=128 side=16");
    CHECK(gaussian.launches == row("GAUSSIAN").launches);
    CHECK(gaussian.ctas == row("GAUSSIAN").ctas);
    // One of eight kernels, checked after its three launches.
    auto const transpose = launched("transpose_variants", "width=1024 height=1024 repeats=3");
    CHECK(8 * transpose.launches == row("TRAN").launches);
    CHECK(8 * transpose.ctas == row("TRAN").ctas);
    // 64 MiB would be 4,370 CTAs for 64 bins; their number goes with the bytes, all others are as they are.
    auto const histogram = launched("histogram_merged", "bytes=1048576 ctas=240 runs=2");
    CHECK(histogram.launches == row("HIS").launches);
    CHECK(histogram.ctas == row("HIS").ctas - 2 * (4370 - 69));
}

TEST_CASE("kernels: on OWL's cores cfd_flux and streamcluster form groups, and have four waves of CTAs") {
    struct row {
        std::string_view kernel;
        std::string_view parameters;
        std::string_view entry;
    };
    constexpr row rows[] = {{"cfd", "side=46 block=128", "cfd_flux"},
                            {"streamcluster", "points=131072 dimensions=1 centres=1", "compute_cost"}};
    for (auto const& [kernel, parameters, entry] : rows) {
        INFO(kernel);
        auto const v = values_of(kernel, parameters);
        device_memory memory;
        ptx::loaded_module const module(ptx::parse(v.of().ptx, v.of().ptx_name), memory);
        auto const registers = ptx::kernel(module, entry).program().registers_per_thread;
        auto const request = first_launch(v).second; // all launches have its shape
        auto const threads = static_cast<std::uint32_t>(request.block.count());
        // OWL, Table 1; Algorithm 1 with eight warps to a group.
        auto const on_a_core = std::min(1024 / threads, 32768 / (registers * threads));
        auto const in_a_group = (8 + threads / 32 - 1) / (threads / 32);
        CHECK(on_a_core / in_a_group >= 2);
        CHECK(request.grid.count() >= std::uint64_t{4} * 28 * on_a_core);
    }
}

TEST_CASE("kernels: AES with a key that is none is refused") {
    CHECK_THROWS_WITH(run_functionally(values_of("aes", "key=130"), find("aes").ptx),
                      Catch::Contains("aes.key = 130 is impossible: it must be 128, 192 or 256"));
}

namespace {

// The lines of 128 bytes that a CTA loads from, a mean over all CTAs of all launches.
double lines_loaded(values const& v) {
    std::uint64_t lines = 0, ctas = 0;
    ptx::loaded_module* module = nullptr;
    device d([&](device_memory& memory, launch_request const& request) {
        ptx::kernel const kernel(*module, request.kernel);
        ptx::executor executor(kernel, memory, request);
        cta_stream streams;
        for (std::uint64_t cta = 0; cta < request.grid.count(); ++cta, ++ctas) {
            executor.run_cta(cta, streams);
            std::set<std::uint64_t> touched;
            for (auto const& s : streams.warps)
                for (stream_cursor at(s); !at.done();) {
                    auto const& i = kernel.program().instructions[at.instruction()];
                    lane_addresses address;
                    if (i.kind == op_class::load && at.mask() != 0)
                        for (auto rest = at.addresses_in(s, memory_space::global, address); rest != 0;
                             rest &= rest - 1)
                            touched.insert(address[static_cast<std::size_t>(std::countr_zero(rest))] / 128);
                    at.advance(s, i);
                }
            lines += touched.size();
        }
    });
    ptx::loaded_module loaded(ptx::parse(v.of().ptx, v.of().ptx_name), d.memory());
    module = &loaded;
    v.of().run(d, v);
    return static_cast<double>(lines) / static_cast<double>(ctas);
}

} // namespace

TEST_CASE("kernels: the working sets that the thesis on multithreading degree tells") {
    // Section 5.1: a CTA of six warps touches about 65 lines in nbf and about 70 in bfs.
    auto const nbf = lines_loaded(values_of("nbf_groups", "molecules=9216"));
    CHECK(nbf > 60);
    CHECK(nbf < 70);
    auto const bfs = lines_loaded(values_of("bfs_queue", "nodes=9216"));
    CHECK(bfs > 65);
    CHECK(bfs < 75);
    // Figure 11: with CTAs of three warps, less.
    CHECK(lines_loaded(values_of("bfs_queue", "nodes=9216 block=96")) < 0.6 * bfs);
}

TEST_CASE("kernels: as many ways to place queens as are known") {
    constexpr std::pair<unsigned, unsigned> known[] = {{4, 2}, {6, 4}, {8, 92}, {10, 724}, {12, 14200}};
    for (auto const& [queens, expected] : known) {
        if (queens > 10 && fewer(4) < 4) continue;
        auto v = values(find("n_queens"));
        v.set("queens", queens);
        device_address ways = 0;
        kernels::functional_device machine(v.of().ptx, v.of().ptx_name);
        device d([&](device_memory&, launch_request const& request) {
            std::memcpy(&ways, request.arguments.data() + 8, sizeof ways);
            throw stop{};
        });
        CHECK_THROWS_AS(v.of().run(d, v), stop);
        v.of().run(machine.device(), v); // the same addresses
        std::uint32_t of_cta[256];
        machine.device().memory().read(of_cta, ways, sizeof of_cta);
        CHECK(std::accumulate(std::begin(of_cta), std::end(of_cta), 0u) == expected);
    }
}

TEST_CASE("kernels: a launch that does nothing is a failed run") {
    for (auto const& t : trials) {
        device d([](device_memory&, launch_request const&) {});
        CHECK_THROWS_WITH(find(t.kernel).run(d, values_of(t.kernel, t.parameters)),
                          Catch::StartsWith(std::string(t.kernel) + ": wrong value left in memory: "));
    }
}

TEST_CASE("kernels: there is a trial of each, and each leaves the expected values") {
    for (auto const* w : all())
        CHECK(std::any_of(std::begin(trials), std::end(trials),
                          [&](trial const& t) { return t.kernel == w->name; }));
    for (auto const& t : trials) {
        INFO(t.kernel << ' ' << t.parameters);
        CHECK_NOTHROW(run_functionally(values_of(t.kernel, t.parameters), find(t.kernel).ptx));
    }
}

TEST_CASE("kernels: in the order of list scheduling each leaves the expected values") {
    for (auto const& t : trials) {
        INFO(t.kernel << ' ' << t.parameters);
        CHECK_NOTHROW(run_functionally(values_of(t.kernel, t.parameters), find(t.kernel).ptx,
                                       ptx::code_order::scheduled));
    }
}

TEST_CASE("kernels: sums stay in registers, and only what is known to is in local memory") {
    // A loop over an array that the compiler does not unroll puts the array there, and nobody sees it but the L1.
    std::set<std::string_view> local;
    for (auto const* const w : all())
        if (w->ptx.find(".local") != std::string_view::npos) local.insert(w->name);
    CHECK(local == std::set<std::string_view>{"mummer", "sgemm", "weather"});
}

TEST_CASE("kernels: one wrong instruction in the PTX is a failed run") {
    for (auto const& t : trials) {
        INFO(t.kernel);
        std::string ptx(find(t.kernel).ptx);
        auto const at = ptx.find(t.right);
        REQUIRE(at != std::string::npos);
        ptx.replace(at, t.right.size(), t.wrong);
        CHECK_THROWS_WITH(run_functionally(values_of(t.kernel, t.parameters), ptx),
                          Catch::StartsWith(std::string(t.kernel) + ": wrong value left in memory: ") &&
                              Catch::Contains(", expected "));
    }
}

TEST_CASE("kernels: the smallest inputs, and others of odd shapes") {
    struct odd {
        std::string_view kernel;
        std::string_view parameters;
    };
    constexpr odd shapes[] = {
        {"chase", "lines=1 stride=1 hops=1"},
        {"chase", "lines=64 stride=32 hops=65 warm=1"},
        {"chase", "lines=1024 hops=1025 shared=1"},
        {"chain", "what=0 count=1"},
        {"chain", "what=2 count=1"},
        {"chain", "what=3 count=1"},
        {"chain", "what=4 count=1"},
        {"chain", "what=5 count=2"},
        {"chain", "what=6 count=1"},
        {"chain", "what=7 count=1"},
        {"vecadd", "n=1"},
        {"transpose_naive", "width=7 height=70"},
        {"transpose_naive", "width=33 height=5"},
        {"transpose_tiled", "width=7 height=70"},
        {"transpose_tiled", "width=33 height=5"},
        {"transpose_tiled", "width=33 height=50 tile=16"},
        {"transpose_tiled", "width=33 height=50 tile=16 order=1"},
        {"transpose_tiled", "width=33 height=50 tile=16 order=2"},
        {"transpose_variants", "width=64 height=64 repeats=2"},
        {"transpose_variants", "width=16 height=81"},
        {"histogram_merged", "bytes=16 ctas=1 runs=2"},
        {"histogram_merged", "bytes=20000 ctas=300"},
        {"aes", "blocks=1 key=256"},
        {"aes", "blocks=65 key=128"},
        {"coulombic_potential", "width=1 height=1 atoms=4001"},
        {"laplace_3d", "nx=1 ny=40 nz=1"},
        {"laplace_3d", "nx=3 ny=3 nz=3 iterations=3"},
        {"mummer", "reference=16 queries=3 length=3 least=9"},
        {"mummer", "reference=64 queries=70 length=9 least=1"},
        {"n_queens", "queens=4"},
        {"n_queens", "queens=12"},
        {"store_gpu", "chunks=1 blocks=1"},
        {"weather", "nx=1 ny=1 levels=64"},
        {"jpeg_decode", "width=16 height=16"},
        {"bfs_queue", "stages=2 nodes=1 window=1"},
        {"bfs_queue", "stages=5 nodes=100 window=200 unreached=1 block=32"},
        {"nbf_groups", "molecules=64 partners=1 reach=1 runs=9"},
        {"moldyn_groups", "molecules=65 layers=1"},
        {"unstructured_flow", "side=2 window=1"},
        {"sad_texture", "width=2 height=1"},
        {"denoise", "nx=3 ny=3 nz=3"},
        {"denoise", "nx=4 ny=40 nz=3 steps=2"},
        {"fdtd3d_unrolled", "nx=1 ny=20 nz=9"},
        {"sift", "width=5 height=70 down=1"},
        {"hotspot", "columns=1 rows=40 iterations=9 pyramid=7"},
        {"bfs", "nodes=1"},
        {"spmv", "rows=1 band=1000"},
        {"reduction", "n=1"},
        {"histogram", "n=5000 bins=1000 ctas=2 block=64"},
        {"kmeans", "points=130 features=3 clusters=1"},
        {"kmeans", "points=130 features=1 clusters=9 block=48"},
        {"pathfinder", "columns=1 rows=9 pyramid=4"},
        {"pathfinder", "columns=301 rows=140 pyramid=127"},
        {"scalar_product", "vectors=2 elements=1 ctas=7"},
        {"gather", "threads=45 hops=3 regions=1 region=1"},
    };
    for (auto const& [kernel, parameters] : shapes) {
        INFO(kernel << ' ' << parameters);
        CHECK_NOTHROW(run_functionally(values_of(kernel, parameters), find(kernel).ptx));
    }
}

TEST_CASE("kernels: what they stand for is in the papers' tables, under those names") {
    for (auto const* w : all()) {
        CHECK_FALSE((w->title.empty() || w->origin.empty() || w->input.empty() || w->differs.empty()));
        for (auto const& r : w->rows) {
            INFO(w->name << " for " << r.label << ' ' << r.kernel);
            auto const named = [&](auto const& row) { return row.label == r.label; };
            switch (r.in) {
            case kernels::paper::owl:
                CHECK(std::any_of(std::begin(kernels::owl_table_2), std::end(kernels::owl_table_2), named));
                break;
            case kernels::paper::elf:
                CHECK(std::any_of(
                    std::begin(kernels::elf_table_2), std::end(kernels::elf_table_2),
                    [&](kernels::elf_row const& row) { return named(row) && row.kernel == r.kernel; }));
                CHECK(w->ptx.find(".entry " + std::string(r.ours) + "(") != std::string_view::npos);
                break;
            case kernels::paper::degree:
                CHECK(
                    std::any_of(std::begin(kernels::degree_tables), std::end(kernels::degree_tables), named));
                break;
            case kernels::paper::precomputation:
                CHECK(std::any_of(std::begin(kernels::precomputation_table),
                                  std::end(kernels::precomputation_table), named));
                break;
            }
        }
    }
}

TEST_CASE("kernels: a suite's name stands for its kernels") {
    CHECK(kernels::find_all("bfs") == std::vector{&find("bfs")});
    auto const sdk = kernels::find_all("sdk");
    CHECK(sdk.size() > 2);
    CHECK(sdk.front() == &find("vecadd"));
    CHECK_THROWS_AS(kernels::find_all("sdq"), error);
}

TEST_CASE("kernels: as many warp instructions as can be told in advance") {
    auto const count = [](values const& v) {
        kernels::functional_device machine(v.of().ptx, v.of().ptx_name);
        v.of().run(machine.device(), v);
        return machine.warp_instructions();
    };
    // 22 and 220 per warp.
    CHECK(count(values(find("vecadd"), size::full)) == 524288 / 32 * 22);
    CHECK(count(values(find("compute"))) == 16384 / 32 * 220);
}

TEST_CASE("kernels: a variable written by the host is there at the next launch; one that is not is refused") {
    auto const& w = find("tpacf");
    kernels::functional_device machine(w.ptx, w.ptx_name);
    auto& d = machine.device();
    d.write_symbol("boundary", std::vector<float>(21));
    d.write_symbol("boundaries", std::vector<float>(21));
    auto const counts = d.allocate<std::uint32_t>(20);
    auto const none = d.allocate<float>(0);
    auto const launch = [&] { d.launch("tpacf", {1}, {256}, 0, counts, none, none, none, 0, 0); };
    CHECK_THROWS_WITH(launch(),
                      Catch::Contains("no .global or .const variable 'boundaries'; there are: boundary"));
    CHECK_NOTHROW(launch()); // told once
    d.write_symbol("boundary", std::vector<float>(22));
    CHECK_THROWS_WITH(launch(), Catch::Contains("has 84 bytes, 88 at offset 0 do not fit"));
}
