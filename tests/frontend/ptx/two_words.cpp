/// Numbers of two words are the compiler's own of 128 bits.

#include <warpkit/frontend/ptx/two_words.hpp>

#include "catch.hpp"

#ifdef __SIZEOF_INT128__

#include <cstdint>
#include <random>
#include <vector>

using warpkit::ptx::soft::two_words;

TEST_CASE("two words add, multiply, divide, shift and compare as the compiler's 128 bits") {
    __extension__ using wide = unsigned __int128;
    std::mt19937_64 random(7);
    std::vector<wide> values = {
        0, 1, 2, ~wide{0}, wide{1} << 63, wide{1} << 64, wide{1} << 127, (wide{1} << 64) - 1};
    for (int i = 0; i < 60; ++i) values.push_back(((wide{random()} << 64) | random()) >> random() % 128);
    auto const words = [](wide n) {
        return two_words{static_cast<std::uint64_t>(n >> 64)} << 64 |
               two_words{static_cast<std::uint64_t>(n)};
    };
    unsigned wrong = 0;
    auto const same = [&](two_words ours, wide theirs) { wrong += ours != words(theirs); };
    for (auto const a : values)
        for (auto const b : values) {
            same(words(a) + words(b), a + b);
            same(words(a) - words(b), a - b);
            same(words(a) * words(b), a * b);
            same(words(a) & words(b), a & b);
            same(words(a) | words(b), a | b);
            if (b != 0) same(words(a) / words(b), a / b);
            if (b != 0) same(words(a) % words(b), a % b);
            wrong += (words(a) < words(b)) != (a < b);
            wrong += (words(a) == words(b)) != (a == b);
        }
    for (auto const a : values)
        for (int n = 0; n < 128; ++n) {
            same(words(a) << n, a << n);
            same(words(a) >> n, a >> n);
        }
    CHECK(wrong == 0);
    CHECK(static_cast<std::uint64_t>(words(~wide{0} - 1)) == ~std::uint64_t{1});
    CHECK(static_cast<std::uint8_t>(words(0x1ff)) == 0xff);
}

#endif
