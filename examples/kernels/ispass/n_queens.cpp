#include "kernels/host.hpp"
#include "n_queens.ptx.hpp"

#include <algorithm>
#include <array>

namespace warpkit::kernels::n_queens {
namespace {

constexpr parameter parameters[] = {
    {"queens", "queens", "on a board of as many rows and columns", 9, 12, 4, 14},
    seed,
};

constexpr std::uint32_t ctas = 256; // most of which have nothing to do
constexpr std::uint32_t threads = 96;
constexpr std::uint32_t most_rows = 10; // of a thread's stack

using row = std::array<std::uint32_t, 4>; // columns taken, diagonals taken, and nothing

// Every way to fill `rows` rows below `from`, in order of columns; or their number alone, when `to` is null.
std::uint32_t fill(row const& from, std::uint32_t rows, std::uint32_t board, std::vector<row>* to) {
    if (rows == 0) {
        if (to != nullptr) to->push_back(from);
        return 1;
    }
    std::uint32_t ways = 0;
    for (std::uint32_t queen = 1; queen <= board; queen *= 2)
        if (((from[0] | from[1] | from[2]) & queen) == 0)
            ways += fill({from[0] | queen, (from[1] | queen) << 1, (from[2] | queen) >> 1, 0}, rows - 1,
                         board, to);
    return ways;
}

void run(device& d, values const& v) {
    auto const n = v.u32("queens");
    auto const board = (1u << n) - 1;
    // Two rows, or as many as are too many for the stack.
    auto const above = std::max(2u, n - std::min(n, most_rows));
    std::vector<row> beginnings;
    fill({}, above, board, &beginnings);
    random_numbers random(
        v["seed"]); // the order makes no difference to the sum, but to who works for how long
    for (auto left = beginnings.size(); left > 1; --left)
        std::swap(beginnings[left - 1], beginnings[random.below(static_cast<std::uint32_t>(left))]);
    std::vector<std::uint32_t> expected(ctas);
    for (std::size_t i = 0; i < beginnings.size(); ++i)
        expected.at(i / threads) += fill(beginnings[i], n - above, board, nullptr);

    auto const ways = d.allocate<std::uint32_t>(ctas);
    d.launch("n_queens", {ctas}, {threads}, 0, d.upload(beginnings), ways,
             static_cast<std::uint32_t>(beginnings.size()), n - above, board);
    check_equal(v, "ways", d.download(ways), expected);
}

constexpr paper_row rows[] = {{paper::owl, "NQU"}};

constexpr workload shipped[] = {{
    .name = "n_queens",
    .title = "ways to place queens on a board, searched with a stack per thread in shared memory",
    .origin = "N-Queens Solver (GPGPU-Sim's set, ISPASS 2009; by Chen)",
    .rows = rows,
    .input = "all beginnings of two rows and more, in random order",
    .differs = "No symmetry is made use of. The grid is GPGPU-Sim's, 256 CTAs of 96 threads; as there, only "
               "the first few "
               "have work.",
    .ptx = n_queens_ptx,
    .ptx_name = "n_queens.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::n_queens
