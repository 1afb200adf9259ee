#include "kernels/host.hpp"
#include "nw.ptx.hpp"

#include <algorithm>
#include <array>

namespace warpkit::kernels::nw {
namespace {

constexpr std::uint32_t side = 16;
constexpr std::size_t letters = 24; // amino acids and what stands for several

constexpr parameter parameters[] = {
    {"length", "letters", "of both sequences", 128, 2048, 16, 4096, parameter::rule::multiple_of_16},
    {"penalty", "", "of a gap", 10, 10, 0, 1000},
    seed,
};

void run(device& d, values const& v) {
    auto const n = v.u32("length");
    auto const penalty = static_cast<std::int32_t>(v["penalty"]);
    std::size_t const columns = n + 1;
    random_numbers random(v["seed"]);
    // Like the substitution matrices: symmetric, mostly negative, high where a letter meets itself.
    std::array<std::array<std::int32_t, letters>, letters> substitution{};
    for (std::size_t a = 0; a < letters; ++a)
        for (std::size_t b = 0; b <= a; ++b)
            substitution[a][b] = substitution[b][a] = a == b ? 4 + static_cast<std::int32_t>(random.below(8))
                                                             : static_cast<std::int32_t>(random.below(7)) - 4;
    auto const letter = [](random_numbers& r) { return r.below(10) + 1; };
    auto const one = random.vector(columns, letter);
    auto const other = random.vector(columns, letter);
    std::vector<std::int32_t> similarity(columns * columns);
    std::vector<std::int32_t> table(columns * columns);
    for (std::size_t i = 1; i < columns; ++i) {
        for (std::size_t j = 1; j < columns; ++j)
            similarity[i * columns + j] = substitution[one[i]][other[j]];
        table[i] = table[i * columns] = -static_cast<std::int32_t>(i) * penalty;
    }

    auto const similarity_device = d.upload(similarity);
    auto const table_device = d.upload(table);
    auto const width = n / side;
    for (std::uint32_t i = 1; i <= width; ++i)
        d.launch("nw_growing", {i}, {side}, 0, similarity_device, table_device, n + 1, penalty, i);
    for (auto i = width - 1; i >= 1; --i)
        d.launch("nw_shrinking", {i}, {side}, 0, similarity_device, table_device, n + 1, penalty, i, width);

    for (std::size_t i = 1; i < columns; ++i)
        for (std::size_t j = 1; j < columns; ++j) {
            auto const at = i * columns + j;
            table[at] = std::max({table[at - columns - 1] + similarity[at], table[at - 1] - penalty,
                                  table[at - columns] - penalty});
        }
    check_equal(v, "table", d.download(table_device), table);
}

constexpr paper_row rows[] = {{paper::elf, "NW", "needle_cuda_shared_1", "nw_growing"},
                              {paper::elf, "NW", "needle_cuda_shared_2", "nw_shrinking"},
                              {paper::degree, "Needleman-Wunsch"},
                              {paper::precomputation, "NW"}};

constexpr workload shipped[] = {{
    .name = "nw",
    .title = "alignment of two sequences: a table filled tile by tile along diagonals",
    .origin = "nw (Rodinia)",
    .rows = rows,
    .input = "two random sequences of ten letters, and a random symmetric substitution matrix",
    .differs = "Rodinia takes the matrix BLOSUM62. The thesis on address pre-computation ran 511 "
               "launches: `length=4096`.",
    .ptx = nw_ptx,
    .ptx_name = "nw.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::nw
