// The examples of docs/reference/lsu.md, word for word.
#include <warpkit/lsu/fermi_coalescing.hpp>
#include <warpkit/lsu/sectored_coalescing.hpp>
#include <warpkit/lsu/shared_banks.hpp>

#include "catch.hpp"
#include "source_tree.hpp"

#include <cstddef>

namespace {

using namespace warpkit;

/// Transactions of a warp that reads one column of a row-major matrix of floats.
template <class Coalescing>
std::size_t transactions_of_a_column(std::uint64_t matrix, std::uint64_t width) {
    warp_access const column{.active = all_lanes, .bytes = 4, .base = matrix, .stride = 4 * width};
    transaction_list out;
    Coalescing{}(column, false, out);
    return out.size();
}

/// Cycles of the same in shared memory: why tiles are padded by one word.
unsigned cycles_of_a_column(std::uint64_t width) {
    return shared_banks{}.cycles({.active = all_lanes, .bytes = 4, .base = 0, .stride = 4 * width});
}

} // namespace

TEST_CASE("the examples of docs/reference/lsu.md are compiled here, and do what it says") {
    CHECK(check_snippets("docs/reference/lsu.md", {"tests/lsu/example.cpp", "tests/lsu/data_prefetch.cpp"}) ==
          3);
    CHECK(transactions_of_a_column<fermi_coalescing>(0x1000, 1024) == 32);
    CHECK(transactions_of_a_column<sectored_coalescing>(0x1000, 1) == 4);
    CHECK(cycles_of_a_column(32) == 32);
    CHECK(cycles_of_a_column(33) == 1);
}
