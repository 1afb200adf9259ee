/// The high half of a product, with the compiler's wide numbers or without.

#include <warpkit/base/high_product.hpp>

#include "catch.hpp"

#include <cstdint>
#include <random>

using namespace warpkit;

TEST_CASE("the high half of a product is what long multiplication in four parts gives") {
    std::mt19937_64 random(1);
    std::uint64_t const corners[] = {0, 1, 2, 0xffffffff, 0x100000000, 0x8000000000000000, ~std::uint64_t{0}};
    auto const holds = [](std::uint64_t a, std::uint64_t b) {
        // Digits of 16 bits, from the lowest: no sum of their products overflows.
        std::uint64_t digit[8] = {};
        for (unsigned i = 0; i < 4; ++i)
            for (unsigned j = 0; j < 4; ++j) {
                auto const product = (a >> 16 * i & 0xffff) * (b >> 16 * j & 0xffff);
                digit[i + j] += product & 0xffff;
                digit[i + j + 1] += product >> 16;
            }
        for (unsigned i = 0; i < 7; ++i) {
            digit[i + 1] += digit[i] >> 16;
            digit[i] &= 0xffff;
        }
        return high_product(a, b) == (digit[4] | digit[5] << 16 | digit[6] << 32 | digit[7] << 48);
    };
    for (auto const a : corners)
        for (auto const b : corners) CHECK(holds(a, b));
    for (unsigned i = 0; i < 1000; ++i) CHECK(holds(random() >> random() % 64, random() >> random() % 64));
}
