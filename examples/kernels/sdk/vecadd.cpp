#include "kernels/host.hpp"
#include "vecadd.ptx.hpp"

namespace warpkit::kernels::vecadd {
namespace {

constexpr parameter parameters[] = {
    {"n", "elements", "length of the vectors", 81920, 524288, 1, 1u << 26},
    {"block", "threads", "per CTA", 256, 256, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const n = v.u32("n");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const below_million = [](random_numbers& r) { return static_cast<std::int32_t>(r.below(1000000)); };
    auto const a = random.vector(n, below_million);
    auto const b = random.vector(n, below_million);
    std::vector<std::int32_t> expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = a[i] + b[i];

    auto const a_device = d.upload(a);
    auto const b_device = d.upload(b);
    auto const c_device = d.allocate<std::int32_t>(n);
    d.launch("vecadd", {ceil_div(n, block)}, {block}, 0, a_device, b_device, c_device, n);
    check_equal(v, "c", d.download(c_device), expected);
}

constexpr workload shipped[] = {
    {
        .name = "vecadd",
        .title = "vector addition",
        .origin = "vectorAdd (CUDA SDK); the thesis on multithreading degree, Table 3",
        .input = "random integers below 1,000,000",
        .differs = "The Accel-Sim trace `vecadd` has 15 instructions per warp where our PTX has 22, as "
                   "with `compute`. With `n=20480 block=64` it is the microbenchmark of the thesis on "
                   "multithreading degree (Table 3), which has no bounds check.",
        .ptx = vecadd_ptx,
        .ptx_name = "vecadd.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::vecadd
