#include <warpkit/dram/address_picture.hpp>

#include "catch.hpp"

#include <bit>
#include <cstdint>
#include <string>

using namespace warpkit::dram;

TEST_CASE("the picture of an address map names all bits of its fields and of its hashes") {
    address_mapping const map(
        "bank_xor:dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCSSSSSS", 16);
    auto const text = picture(map);
    CHECK_THAT(text, Catch::Contains("\nfield  RRRRRRRR RRRRRBBB CCCBDDDD CCCCCCCC\n"));
    unsigned hashed = 0;
    for (std::uint32_t b = 0; b < 8; ++b) {
        auto rest = map.bank_hashed_with(b);
        if (rest == 0) continue;
        ++hashed;
        auto line = "\nbank bit " + std::to_string(b) + " ^= address bits";
        for (; rest != 0; rest &= rest - 1) line += ' ' + std::to_string(std::countr_zero(rest));
        CHECK_THAT(text, Catch::Contains(line + '\n'));
    }
    CHECK(hashed == 4);
}

TEST_CASE("the picture of a skewed map says what is added, and to what") {
    address_mapping const map("skew:dramid@8;low:S5 C3 B1 P1 C2 G3 B1 R14", 80, 2);
    auto const text = picture(map);
    for (std::uint32_t b = 0; b < 8; ++b) {
        auto line = "\nskew bit " + std::to_string(b) + " is the parity of address bits";
        for (auto rest = map.hashed_with(b); rest != 0; rest &= rest - 1)
            line += ' ' + std::to_string(std::countr_zero(rest));
        CHECK_THAT(text, Catch::Contains(line + '\n'));
    }
    CHECK_THAT(text, Catch::Contains("\nwhich is added to the sub-partition, modulo 160\n"));
}
