#include "sparse_matrix.hpp"
#include "spmv.ptx.hpp"

namespace warpkit::kernels::spmv {
namespace {

constexpr parameter parameters[] = {
    {"rows", "rows", "of the square matrix", 8192, 146689, 1, 1u << 20},
    {"mean", "nonzeros", "per row on average; rows have none to twice as many", 12, 24, 1, 64},
    {"band", "columns", "on either side of the diagonal that half of the nonzeros lie in", 64, 64, 1,
     1u << 20},
    {"block", "threads", "per CTA", 128, 128, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const rows = v.u32("rows");
    auto const mean = v.u32("mean");
    auto const band = v.u32("band");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const m = make_sparse_matrix(rows, 0, mean, band, random);
    auto const x = random.units(rows);
    std::vector<float> expected(rows);
    for (std::size_t row = 0; row < rows; ++row)
        for (auto e = static_cast<std::size_t>(m.row_begin[row]);
             e < static_cast<std::size_t>(m.row_begin[row + 1]); ++e)
            expected[row] = std::fma(m.value[e], x[static_cast<std::size_t>(m.column[e])], expected[row]);

    auto const row_begin_device = d.upload(m.row_begin);
    auto const column_device = d.upload(m.column);
    auto const value_device = d.upload(m.value);
    auto const x_device = d.upload(x);
    auto const y_device = d.allocate<float>(rows);
    d.launch("spmv", {ceil_div(rows, block)}, {block}, 0, row_begin_device, column_device, value_device,
             x_device, y_device, rows);
    check_equal(v, "y", d.download(y_device), expected);
}

constexpr workload shipped[] = {
    {
        .name = "spmv",
        .title = "sparse matrix-vector product, compressed rows, one row per thread",
        .origin = "spmv (SHOC)",
        .input = "a matrix with none to twice `mean` nonzeros per row, half of them near the diagonal",
        .differs = "The full size is that of Parboil's large matrix, from memory, to be compared with "
                   "spmv_jds.",
        .ptx = spmv_ptx,
        .ptx_name = "spmv.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::spmv
