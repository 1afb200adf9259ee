#include "compute.ptx.hpp"
#include "kernels/host.hpp"

namespace warpkit::kernels::compute {
namespace {

constexpr parameter parameters[] = {
    {"n", "elements", "length of the vectors", 16384, 163840, 1, 1u << 24},
    {"block", "threads", "per CTA", 256, 256, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const n = v.u32("n");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const a = random.vector(n, [](random_numbers& r) { return r.unit() / 64; });
    std::vector<float> expected(n);
    for (std::size_t i = 0; i < n; ++i) {
        float chain[4] = {0.25f, 0.5f, 0.75f, 1.0f};
        for (auto& r : chain)
            for (int j = 0; j < 50; ++j) r = std::fma(r, a[i], r);
        expected[i] = (chain[0] + chain[1]) + (chain[2] + chain[3]);
    }

    auto const a_device = d.upload(a);
    auto const c_device = d.allocate<float>(n);
    d.launch("compute", {ceil_div(n, block)}, {block}, 0, a_device, c_device, n);
    check_equal(v, "c", d.download(c_device), expected);
}

constexpr workload shipped[] = {
    {
        .name = "compute",
        .title = "200 multiply-adds per element in four chains",
        .origin = "the compute trace of the Accel-Sim measurements",
        .input = "random floats below 1",
        .differs = "The trace is made-up SASS with 219 instructions per warp where our PTX has 220: "
                   "parameter loads and address arithmetic, which SASS folds into operands. Grid, block, "
                   "loads, stores and the dependences are the same.",
        .ptx = compute_ptx,
        .ptx_name = "compute.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::compute
