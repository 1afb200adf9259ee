/// Which bytes of a line have been stored, beside a list of bytes.
#include <warpkit/cache/written_bytes.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

using namespace warpkit;

namespace {

struct naive_bytes {
    std::uint32_t sector = 0;
    std::vector<std::set<std::uint32_t>> stored; ///< by line

    bool whole(std::size_t line, std::uint32_t s) const {
        std::uint32_t there = 0;
        for (auto const b : stored[line]) there += b / sector == s;
        return there == sector;
    }
    void forget(std::size_t line, std::uint32_t s) {
        std::erase_if(stored[line], [&](std::uint32_t b) { return b / sector == s; });
    }
};

} // namespace

TEST_CASE("whether a store writes all of its bytes, and which bytes a range has in a word") {
    cache_access a{.address = 0x1000, .bytes = 128};
    CHECK(writes_all(a)); // no mask
    a.written = {~std::uint64_t{0}, ~std::uint64_t{0}};
    CHECK(writes_all(a));
    a.written[1] &= ~(std::uint64_t{1} << 63);
    CHECK_FALSE(writes_all(a));
    a.bytes = 127;
    CHECK(writes_all(a));
    a.address = 0x1040;
    a.bytes = 63;
    CHECK(writes_all(a));
    a.bytes = 64;
    CHECK_FALSE(writes_all(a));
    CHECK(byte_range(0, 64, 0) == ~std::uint64_t{0});
    CHECK(byte_range(0, 64, 1) == 0);
    CHECK(byte_range(60, 66, 0) == std::uint64_t{0xf} << 60);
    CHECK(byte_range(60, 66, 1) == 3);
    CHECK(byte_range(64, 128, 0) == 0);
}

TEST_CASE("a sector can be read once every byte of it has been stored, and no more when it is dropped") {
    written_bytes w(2, {.sets = 1, .ways = 2, .line_bytes = 128, .sector_bytes = 32});
    cache_access a{.address = 0x20, .bytes = 16};
    CHECK(w.add(1, a, 0b0010) == 0);
    a.address = 0x30;
    CHECK(w.add(0, a, 0b0010) == 0); // of the other line
    CHECK(w.add(1, a, 0b0010) == 0b0010);
    w.forget(1, 0b0010);
    CHECK(w.add(1, a, 0b0010) == 0);
    a.address = 0x20;
    CHECK(w.add(1, a, 0b0010) == 0b0010);
    w.clear(1);
    CHECK(w.add(1, a, 0b0010) == 0);
}

TEST_CASE("stored bytes of lines: as a list of bytes has them") {
    testing::random_numbers random(5);
    struct {
        std::uint32_t line, sector;
    } const geometries[] = {{128, 32}, {128, 128}, {128, 64}, {64, 32}, {32, 32}, {64, 8}, {16, 16}};
    for (auto const [line, sector] : geometries) {
        constexpr std::size_t lines = 3;
        written_bytes w(lines, {.sets = 1, .ways = 3, .line_bytes = line, .sector_bytes = sector});
        naive_bytes twin{sector, {lines, std::set<std::uint32_t>{}}};
        std::vector<std::uint32_t> readable(lines, 0);
        unsigned became = 0;
        for (unsigned step = 0; step < 1500; ++step) {
            auto const i = random.below(lines);
            if (random.chance(2)) {
                w.clear(i);
                twin.stored[i].clear();
                readable[i] = 0;
            } else if (random.chance(15)) {
                auto const dropped = 1 + random.below((1U << line / sector) - 1);
                w.forget(i, dropped);
                for (std::uint32_t s = 0; s < line / sector; ++s)
                    if ((dropped >> s & 1) != 0) twin.forget(i, s);
                readable[i] &= ~dropped;
            } else {
                cache_access a{.address = 0x40000 + std::uint64_t{i} * line};
                auto const begin =
                    random.chance(50) ? random.below(line / sector) * sector : random.below(line);
                auto const most = line - begin;
                a.address += begin;
                a.bytes = random.chance(30) ? std::min(sector, most) : 1 + random.below(most);
                if (random.chance(50))
                    for (auto& word : a.written) {
                        word = ~std::uint64_t{0};
                        for (auto n = random.below(4); n != 0; --n)
                            word ^= std::uint64_t{1} << random.below(64);
                    }
                bool const all = (a.written[0] | a.written[1]) == 0;
                std::uint32_t touched = 0;
                for (std::uint32_t b = begin; b < begin + a.bytes; ++b) {
                    auto const bit = (a.address - begin + b) % 128;
                    if (all || (a.written[bit / 64] >> bit % 64 & 1) != 0) twin.stored[i].insert(b);
                    touched |= 1U << b / sector;
                }
                auto const now = w.add(i, a, static_cast<std::uint16_t>(touched));
                for (std::uint32_t s = 0; s < line / sector; ++s) {
                    auto const bit = 1U << s;
                    if ((touched & bit) == 0) REQUIRE((now & bit) == 0);
                    if ((touched & bit & ~readable[i]) != 0) REQUIRE(((now & bit) != 0) == twin.whole(i, s));
                }
                became += (now & ~readable[i]) != 0;
                readable[i] |= now;
            }
        }
        CHECK(became > 50);
    }
}
