#include "sparse_matrix.hpp"
#include "spmv_jds.ptx.hpp"

#include <numeric>

namespace warpkit::kernels::spmv_jds {
namespace {

constexpr parameter parameters[] = {
    {"rows", "rows", "of the square matrix", 8192, 146689, 1, 32 * 5120},
    {"mean", "nonzeros", "per row on average; rows have one to twice as many", 12, 24, 1, 64},
    {"band", "columns", "on either side of the diagonal that half of the nonzeros lie in", 64, 64, 1,
     1u << 20},
    {"block", "threads", "per CTA", 192, 192, 32, 1024},
    seed,
};

constexpr std::size_t warp = 32;

void run(device& d, values const& v) {
    auto const rows = v.u32("rows");
    auto const mean = v.u32("mean");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const m = make_sparse_matrix(rows, 1, mean - 1, v.u32("band"), random);
    auto const x = random.units(rows);
    std::vector<float> expected(rows);
    for (std::size_t row = 0; row < rows; ++row)
        for (auto e = static_cast<std::size_t>(m.row_begin[row]);
             e < static_cast<std::size_t>(m.row_begin[row + 1]); ++e)
            expected[row] = std::fma(m.value[e], x[static_cast<std::size_t>(m.column[e])], expected[row]);

    // Rows from the longest to the shortest; diagonal k holds the k-th nonzeros of all warps that have so many.
    auto const length_of = [&](std::int32_t row) {
        return m.row_begin[static_cast<std::size_t>(row) + 1] - m.row_begin[static_cast<std::size_t>(row)];
    };
    std::vector<std::int32_t> permutation(rows);
    std::iota(permutation.begin(), permutation.end(), 0);
    std::stable_sort(permutation.begin(), permutation.end(),
                     [&](std::int32_t a, std::int32_t b) { return length_of(a) > length_of(b); });
    std::vector<std::int32_t> length, diagonal, column;
    std::vector<float> value;
    for (std::size_t first = 0; first < rows; first += warp) length.push_back(length_of(permutation[first]));
    for (std::int32_t k = 0; k < length[0]; ++k) {
        diagonal.push_back(static_cast<std::int32_t>(value.size()));
        for (std::size_t i = 0; i < length.size() * warp && length[i / warp] > k; ++i) {
            auto const there = i < rows && length_of(permutation[i]) > k;
            auto const e =
                there ? static_cast<std::size_t>(m.row_begin[static_cast<std::size_t>(permutation[i])] + k)
                      : 0;
            value.push_back(there ? m.value[e] : 0);
            column.push_back(there ? m.column[e] : 0);
        }
    }

    auto const y = d.allocate<float>(rows);
    d.write_symbol("length", length);
    d.write_symbol("diagonal", diagonal);
    d.launch("spmv_jds", {ceil_div(rows, block)}, {block}, 0, y, d.upload(value), d.upload(column),
             d.upload(permutation), d.upload(x), rows);
    check_equal(v, "y", d.download(y), expected);
}

constexpr paper_row rows[] = {{paper::owl, "SPMV"}, {paper::elf, "SpMV", "spmv_jds", "spmv_jds"}};

constexpr workload shipped[] = {
    {
        .name = "spmv_jds",
        .title = "sparse matrix-vector product, jagged diagonals, one row per thread",
        .origin = "spmv (Parboil)",
        .rows = rows,
        .input = "the matrix of spmv, but with no empty row",
        .differs = "The full size is that of Parboil's large matrix, from memory.",
        .ptx = spmv_jds_ptx,
        .ptx_name = "spmv_jds.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::spmv_jds
