#include "kernels/host.hpp"
#include "scalar_product.ptx.hpp"

namespace warpkit::kernels::scalar_product {
namespace {

constexpr parameter parameters[] = {
    {"vectors", "pairs", "of vectors", 60, 256, 1, 4096},
    {"elements", "elements", "of each vector", 2048, 4096, 1, 16384},
    {"ctas", "CTAs", "in the grid", 60, 128, 1, 4096},
    {"block", "threads", "per CTA", 256, 256, 32, 1024, parameter::rule::power_of_two},
    seed,
};

void run(device& d, values const& v) {
    auto const vectors = v.u32("vectors");
    auto const elements = v.u32("elements");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const a = random.units(std::size_t{vectors} * elements);
    auto const b = random.units(std::size_t{vectors} * elements);
    std::vector<float> expected(vectors);
    for (std::size_t vector = 0; vector < vectors; ++vector) {
        // In the kernel's order: a stride of elements per thread, then the tree.
        std::vector<float> partial(block);
        for (std::size_t i = 0; i < elements; ++i) {
            auto& sum = partial[i % block];
            sum = std::fma(a[vector * elements + i], b[vector * elements + i], sum);
        }
        for (auto s = block / 2; s > 0; s /= 2)
            for (std::size_t t = 0; t < s; ++t) partial[t] += partial[t + s];
        expected[vector] = partial[0];
    }

    auto const a_device = d.upload(a);
    auto const b_device = d.upload(b);
    auto const c_device = d.allocate<float>(vectors);
    d.launch("scalar_product", {v.u32("ctas")}, {block}, block * 4, a_device, b_device, c_device, vectors,
             elements);
    check_equal(v, "c", d.download(c_device), expected);
}

constexpr paper_row rows[] = {{paper::owl, "SCP"}};

constexpr workload shipped[] = {
    {
        .name = "scalar_product",
        .title = "scalar products of many pairs of vectors",
        .origin = "scalarProd (CUDA SDK)",
        .rows = rows,
        .input = "random floats below 1",
        .differs = "As many running sums as threads; the sample has 1024 per CTA.",
        .ptx = scalar_product_ptx,
        .ptx_name = "scalar_product.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::scalar_product
