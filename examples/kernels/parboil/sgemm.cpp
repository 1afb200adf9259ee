#include "kernels/host.hpp"
#include "sgemm.ptx.hpp"

namespace warpkit::kernels::sgemm {
namespace {

constexpr parameter parameters[] = {
    {"m", "tiles", "of 128 rows of A and C", 2, 8, 1, 64},
    {"n", "tiles", "of 16 columns of B and C", 6, 31, 1, 512},
    {"k", "tiles", "of 8 columns of A and rows of B", 4, 66, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const m = v.u32("m") * 128;
    auto const n = v.u32("n") * 16;
    auto const k = v.u32("k") * 8;
    random_numbers random(v["seed"]);
    auto const a = random.units(std::size_t{m} * k);
    auto const b = random.units(std::size_t{k} * n);
    std::vector<float> expected(std::size_t{m} * n);
    for (std::size_t column = 0; column < n; ++column)
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t row = 0; row < m; ++row) {
                auto& sum = expected[column * m + row];
                sum = std::fma(a[i * m + row], b[i * n + column], sum);
            }

    auto const c = d.allocate<float>(expected.size());
    d.launch("sgemm", {m / 128, n / 16}, {16, 8}, 0, d.upload(a), d.upload(b), c, m, n, k);
    check_equal(v, "c", d.download(c), expected);
}

constexpr paper_row rows[] = {{paper::owl, "MM"}, {paper::elf, "SGEMM", "mysgemmNT", "sgemm"}};

constexpr workload shipped[] = {
    {
        .name = "sgemm",
        .title = "dense matrix product, 16 results per thread in registers",
        .origin = "sgemm (Parboil)",
        .rows = rows,
        .input = "random floats below 1",
        .differs =
            "Without the factors alpha and beta. The full size is about half as wide and half as "
            "deep as Parboil's medium data set, 1024 x 992 x 1056. Between steps of 8 a thread's 16 sums lie "
            "in local memory, where the original has them in registers throughout.",
        .ptx = sgemm_ptx,
        .ptx_name = "sgemm.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::sgemm
