#include "host.hpp"
#include "vecadd.ptx.hpp"

namespace warpkit::kernels {
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

} // namespace

constinit workload const vecadd{
    .name = "vecadd",
    .title = "vector addition",
    .origin = "vectorAdd (CUDA SDK); the thesis on multithreading degree, Table 3",
    .ptx = vecadd_ptx,
    .ptx_name = "vecadd.ptx",
    .parameters = parameters,
    .run = run,
};

} // namespace warpkit::kernels
