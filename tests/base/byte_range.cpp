// Ranges of bytes against numbers wide enough not to wrap.
#include <warpkit/base/byte_range.hpp>

#include "catch.hpp"

#include <cstdint>
#include <iterator>
#include <random>

using namespace warpkit;

namespace {

__extension__ typedef unsigned __int128 wide;
constexpr auto most = ~std::uint64_t{0};

// Small numbers, large ones, and what lies around powers of two.
std::uint64_t any(std::mt19937_64& random) {
    std::uint64_t const edges[] = {0, 1, 4, 128, most, most - 3, most / 2, std::uint64_t{1} << 63};
    switch (random() % 4) {
    case 0:
        return edges[random() % std::size(edges)];
    case 1:
        return random() % 1000;
    case 2:
        return 0 - random() % 1000;
    default:
        return random() >> random() % 64;
    }
}
std::uint64_t cut(wide n) { return n > most ? most : static_cast<std::uint64_t>(n); }

} // namespace

static_assert(lies_within(0, 0, 0) && lies_within(4, 0, 4) && lies_within(0, 4, 4));
static_assert(!lies_within(5, 0, 4) && !lies_within(1, 4, 4) && !lies_within(most, 2, 4) &&
              !lies_within(2, most, 4));
static_assert(saturated_sum(most, 1) == most && saturated_product(std::uint64_t{1} << 61, 16) == most);
static_assert(bytes_of_rows(5, 3, 512) == 1029 && bytes_of_rows(5, 0, 512) == 0 &&
              bytes_of_rows(0, 9, 512) == 0);
static_assert(bytes_of_rows(1, std::uint64_t{1} << 60, 512) == most);

TEST_CASE("byte range: as with numbers that cannot wrap") {
    std::mt19937_64 random(6);
    for (unsigned i = 0; i < 100000; ++i) {
        auto const a = any(random);
        auto const b = any(random);
        auto const c = any(random);
        INFO(a << " " << b << " " << c);
        REQUIRE(lies_within(a, b, c) == (wide{a} + b <= c && a <= c));
        REQUIRE(saturated_sum(a, b) == cut(wide{a} + b));
        REQUIRE(saturated_product(a, b) == cut(wide{a} * b));
        REQUIRE(bytes_of_rows(a, b, c) ==
                (a == 0 || b == 0 ? 0 : saturated_sum(saturated_product(b - 1, c), a)));
    }
}
