#include "kernels/host.hpp"
#include "lud.ptx.hpp"

namespace warpkit::kernels::lud {
namespace {

constexpr std::uint32_t side = 16;

constexpr parameter parameters[] = {
    {"size", "rows", "and columns of the matrix", 96, 256, 16, 2048, parameter::rule::multiple_of_16},
    seed,
};

// In place, tile by tile in the kernels' order of operations.
void decompose(std::vector<float>& m, std::size_t n) {
    auto const at = [&](std::size_t y, std::size_t x) -> float& { return m[y * n + x]; };
    for (std::size_t o = 0; o < n; o += side) {
        auto const end = o + side;
        for (auto i = o; i < end; ++i) {
            // What is left of column i, below the tile as well, and of row i, right of the tile as well.
            for (auto y = i + 1; y < n; ++y) {
                for (auto j = o; j < i; ++j) at(y, i) = std::fma(-at(y, j), at(j, i), at(y, i));
                at(y, i) /= at(i, i);
            }
            if (i + 1 < end)
                for (auto x = i + 1; x < n; ++x)
                    for (auto j = o; j <= i; ++j)
                        at(i + 1, x) = std::fma(-at(i + 1, j), at(j, x), at(i + 1, x));
        }
        for (auto y = end; y < n; ++y)
            for (auto x = end; x < n; ++x) {
                float sum = 0;
                for (auto i = o; i < end; ++i) sum = std::fma(at(y, i), at(i, x), sum);
                at(y, x) -= sum;
            }
    }
}

void run(device& d, values const& v) {
    auto const n = v.u32("size");
    random_numbers random(v["seed"]);
    auto matrix = random.units(std::size_t{n} * n);
    for (std::size_t i = 0; i < n; ++i) matrix[i * n + i] += static_cast<float>(n);

    auto const m = d.upload(matrix);
    for (std::uint32_t o = 0; o < n; o += side) {
        d.launch("lud_diagonal", {1}, {side}, 0, m, n, o);
        auto const left = (n - o) / side - 1;
        if (left == 0) break;
        d.launch("lud_perimeter", {left}, {2 * side}, 0, m, n, o);
        d.launch("lud_internal", {left, left}, {side, side}, 0, m, n, o);
    }
    decompose(matrix, n);
    check_equal(v, "m", d.download(m), matrix);
}

constexpr paper_row rows[] = {{paper::owl, "LUD"},
                              {paper::elf, "LUD", "lud_diagonal", "lud_diagonal"},
                              {paper::elf, "LUD", "lud_perimeter", "lud_perimeter"},
                              {paper::elf, "LUD", "lud_internal", "lud_internal"},
                              {paper::precomputation, "LUD"}};

constexpr workload shipped[] = {{
    .name = "lud",
    .title = "LU decomposition in tiles: three launches of very different width per tile of the diagonal",
    .origin = "lud (Rodinia)",
    .rows = rows,
    .input = "a random matrix with a dominant diagonal",
    .differs =
        "None but the input's values. The thesis on address pre-computation ran 223 launches: `size=1200`.",
    .ptx = lud_ptx,
    .ptx_name = "lud.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::lud
