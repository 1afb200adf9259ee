#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/standards.hpp>

#include "catch.hpp"
#include "drive.hpp"

#include <bit>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace warpkit;
using namespace warpkit::dram;
using warpkit::test::random_numbers;

namespace {

std::string mask_of(std::string const& low) { return std::string(64 - low.size(), '0') + low; }
auto key(location const& l) { return std::make_tuple(l.channel, l.bank, l.row, l.column); }

/// The definition, bit by bit (docs/model/dram.md#address-maps): letters from bit 63 down.
location bit_by_bit(std::string const& letters, unsigned split, unsigned channels, unsigned slices,
                    std::uint64_t address) {
    location l;
    auto const low = address & ((std::uint64_t{1} << split) - 1);
    l.channel = static_cast<std::uint32_t>((address >> split) % channels);
    auto const rest = ((address >> split) / channels) << split | low;
    unsigned bit = 64;
    for (char const c : letters) {
        if (c == '.') continue;
        auto const value = static_cast<std::uint32_t>(rest >> --bit & 1);
        if (c == 'B') l.bank = l.bank * 2 + value;
        if (c == 'R') l.row = l.row * 2 + value;
        if (c == 'C' || c == 'S') l.column = l.column * 2 + value;
    }
    l.sub_partition = l.channel * slices + l.bank % slices;
    return l;
}

} // namespace

TEST_CASE("the GTX 480's map, by hand") {
    address_mapping const m(gtx480_mapping, 6, 2);
    CHECK(m.channels() == 6);
    CHECK(m.banks() == 16);
    CHECK(m.rows() == 4096);
    CHECK(m.row_bytes() == 4096);
    CHECK(m.capacity() == std::uint64_t{6} * 256 * 1024 * 1024);
    CHECK_NOTHROW(m.check(gddr5_gtx480));

    // 256-byte blocks go round the channels; the second round is the odd bank, so the other sub-partition.
    CHECK(m.decode(0) == location{0, 0, 0, 0, 0});
    CHECK(m.decode(255) == location{0, 0, 0, 0, 255});
    CHECK(m.decode(256) == location{1, 2, 0, 0, 0});
    CHECK(m.decode(5 * 256 + 7) == location{5, 10, 0, 0, 7});
    CHECK(m.decode(6 * 256) == location{0, 1, 1, 0, 0});
    CHECK(m.decode(2 * 6 * 256) ==
          location{0, 0, 0, 0, 256}); // column bit 8 is address bit 9 of the remainder
    // remainder 1 << 13 is bank bit 1, 1 << 16 is row bit 0
    CHECK(m.decode((std::uint64_t{1} << 5) * 6 * 256) == location{0, 0, 2, 0, 0});
    CHECK(m.decode((std::uint64_t{1} << 8) * 6 * 256) == location{0, 0, 0, 1, 0});
    CHECK(m.sub_partition(11 * 256) == 11);
}

TEST_CASE("OWL's map puts the next row of a channel into another bank") {
    address_mapping const m(owl_mapping, 8);
    CHECK(m.banks() == 4);
    CHECK(m.row_bytes() == 2048);
    CHECK_NOTHROW(m.check(gddr3_owl));
    CHECK(m.decode(2048) == location{0, 0, 1, 0, 0});
    CHECK(m.decode(4 * 2048) == location{1, 1, 0, 0, 0});
    CHECK(m.decode(8 * 4 * 2048) == location{0, 0, 0, 1, 0});
}

TEST_CASE("decoding is what the letters say, bit by bit, and encoding inverts it") {
    std::string const letters = "00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS";
    random_numbers random(3);
    for (unsigned const channels : {1u, 2u, 3u, 5u, 6u, 8u, 12u, 40u}) {
        address_mapping const m(("dramid@8;" + letters).c_str(), channels, 2);
        for (int i = 0; i < 2000; ++i) {
            auto const address = random() % m.capacity();
            auto const l = m.decode(address);
            CHECK(l == bit_by_bit(letters, 8, channels, 2, address));
            CHECK(m.encode(l) == address);
            CHECK(m.sub_partition(address) == l.sub_partition);
        }
        auto const a = random() % m.capacity();
        CHECK(m.decode(a + m.capacity()) == m.decode(a));
    }
}

TEST_CASE("maps are bijective for any number of channels") {
    std::string const letters = mask_of("RRBCRBCCSS"); // scattered on purpose
    for (unsigned channels = 1; channels <= 13; ++channels)
        for (unsigned split = 0; split <= 10; ++split) {
            if (split == 10 && (channels & (channels - 1)) != 0) continue; // nothing left to divide
            address_mapping const m(("dramid@" + std::to_string(split) + ";" + letters).c_str(), channels, 2);
            REQUIRE(m.capacity() == channels * 1024u);
            std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>> seen;
            std::vector<std::set<std::uint64_t>> local(channels * 2);
            bool inverted = true;
            bool in_range = true;
            for (std::uint64_t a = 0; a < m.capacity(); ++a) {
                auto const l = m.decode(a);
                seen.insert(key(l));
                local[l.sub_partition].insert(m.local(a));
                inverted &= m.encode(l) == a;
                in_range &= l.channel < channels && l.bank < m.banks() && l.row < m.rows() &&
                            l.column < m.row_bytes();
            }
            INFO("channels " << channels << " split " << split);
            CHECK(seen.size() == m.capacity());
            CHECK(inverted);
            CHECK(in_range);
            for (auto const& s : local) { // each sub-partition: half a channel, numbered without gaps
                CHECK(s.size() == 512);
                CHECK(*s.begin() == 0);
                CHECK(*s.rbegin() == 511);
            }
        }
}

TEST_CASE("the channel is the remainder up to the highest address, with any number of channels") {
    std::string const letters = mask_of("RRBCRBCCSS");
    for (unsigned channels : {3U, 6U, 7U, 11U, 48U, 53U, 255U, 257U})
        for (unsigned split : {0U, 1U, 2U, 5U, 8U, 9U}) {
            address_mapping const m(("dramid@" + std::to_string(split) + ";" + letters).c_str(), channels);
            INFO("channels " << channels << " split " << split);
            bool right = true;
            for (std::uint64_t down = 0; down < 5000; ++down) {
                auto const address = ~(down << split);
                right &= m.decode(address).channel == (address >> split) % channels &&
                         m.sub_partition(address) == (address >> split) % channels;
            }
            CHECK(right);
        }
}

TEST_CASE("dramid@ and explicit channel bits say the same") {
    address_mapping const inserted(("dramid@4;" + mask_of("RRRRBBCCSSSS")).c_str(), 4);
    address_mapping const written(mask_of("RRRRBBCCDDSSSS").c_str(), 4);
    for (std::uint64_t a = 0; a < inserted.capacity(); ++a) REQUIRE(inserted.decode(a) == written.decode(a));
    CHECK(inserted.capacity() == written.capacity());
}

TEST_CASE("malformed maps are refused, naming text, place and remedy") {
    auto const refused = [](std::string const& text, unsigned channels, unsigned slices,
                            std::string const& why) {
        INFO(text);
        CHECK_THROWS_WITH(address_mapping(text.c_str(), channels, slices),
                          Catch::StartsWith("address mapping '" + text + "'") && Catch::Contains(why));
    };
    refused("dramid@8;RRBBCC", 6, 1, "has 6 letters; expected 64");
    refused("dramid@8;" + mask_of("RRBBCC") + "0", 6, 1, "more than 64 letters");
    refused("dramid@8;" + mask_of("RRBBXC"), 6, 1, "unknown letter 'X' at position 71");
    refused("dramid@;" + mask_of("RRBBCC"), 6, 1, "dramid@ wants a bit number");
    refused("dramid@64;" + mask_of("RRBBCC"), 6, 1, "dramid@ wants a bit number");
    refused("dramid@2;" + mask_of("RRDBCC"), 4, 1, "drop one of them");
    refused(mask_of("RRDBCC"), 6, 1, "use dramid@");
    refused(mask_of("RRDBCC"), 4, 1, "the letter D marks 1 bits");
    refused("dramid@2;" + mask_of("RRB0CC"), 4, 1, "unused bit");
    refused("dramid@2;" + mask_of("RRBBCC"), 0, 1, "nearest legal value: 1");
    refused("dramid@2;" + mask_of("RRBBCC"), 6, 8, "nearest legal value: 4");
    refused("dramid@2;" + mask_of("RRBBCC"), 6, 3, "nearest legal value: 2");
    refused("dramid@2;" + mask_of("RRBBCC"), 6, 0, "nearest legal value: 1");
    refused("dramid@6;" + mask_of("RRBBCC"), 6, 1, "no letters above bit 6");
    refused("dramid@2;" + std::string(56, 'R') + "BBBBCCCC", 4, 1, "no unused bits left");
    refused("dramid@2;" + mask_of("RRBBBBBBBBBCC"), 4, 1, "more than 8 bank bits");

    address_mapping const m(gtx480_mapping, 6, 2);
    auto t = gddr5_gtx480;
    t.banks = 8;
    CHECK_THROWS_WITH(m.check(t), Catch::Contains("16 banks, but the dram has 8"));
    t = gddr5_gtx480;
    t.bus_bytes = 6;
    CHECK_THROWS_WITH(m.check(t), Catch::Contains("no whole number of atoms of 48 bytes"));
}

TEST_CASE("a bit field gathers and spreads any mask") {
    random_numbers random(5);
    for (int i = 0; i < 500; ++i) {
        auto const mask = i == 0   ? 0
                          : i == 1 ? ~std::uint64_t{0}
                          : i == 2 ? 0x5555555555555555U
                                   : random() & random();
        bit_field const f(mask);
        auto const value = random();
        std::uint64_t gathered = 0;
        unsigned n = 0;
        for (unsigned b = 0; b < 64; ++b)
            if ((mask >> b & 1) != 0) gathered |= (value >> b & 1) << n++;
        CHECK(f.width() == n);
        CHECK(f.gather(value) == gathered);
        CHECK(f.spread(gathered) == (value & mask));
    }
}

TEST_CASE("hashes spread strides over the channels and stay bijective") {
    std::string const qv100 =
        "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCSSSSSS";
    for (std::string const hash : {"xor:", "ipoly:", "bank_xor:", "bank_ipoly:", "ipoly:bank_xor:"})
        for (std::uint32_t const channels : {16u, 32u})
            for (std::uint32_t const sub_partitions : {1u, 2u}) {
                INFO(hash << channels << " x " << sub_partitions);
                address_mapping const map((hash + qv100).c_str(), channels, sub_partitions);
                CHECK_NOTHROW(map.check_bijection(32, 20'000));
            }
    // 64 addresses, 256 KB apart: all in one channel, or two in each
    address_mapping const plain(qv100.c_str(), 32);
    address_mapping const hashed(("ipoly:" + qv100).c_str(), 32);
    std::vector<unsigned> of_plain(32), of_hashed(32);
    for (std::uint64_t i = 0; i < 64; ++i) {
        ++of_plain[plain.decode(i << 18).channel];
        ++of_hashed[hashed.decode(i << 18).channel];
        CHECK(hashed.sub_partition(i << 18) == hashed.decode(i << 18).sub_partition);
    }
    CHECK(of_plain[0] == 64);
    CHECK(std::count(of_hashed.begin(), of_hashed.end(), 2u) == 32);
}

namespace {

// GPGPU-Sim's addrdec_tlx with -gpgpu_memory_partition_indexing 2 and a number of channels that is no power of two, and
// its ipoly_hash_function, bit by bit.
unsigned folded_twin(std::uint64_t address, unsigned split, unsigned channels, unsigned slices,
                     unsigned bank_bit) {
    auto const quotient = (address >> split) / channels;
    auto const rest = quotient << split | (address & ((std::uint64_t{1} << split) - 1));
    auto const index = (address >> split) % channels * slices + (slices == 1 ? 0 : rest >> bank_bit & 1);
    unsigned count = 1;
    while (count < channels) count *= 2;
    count *= slices;
    static std::vector<std::vector<unsigned>> const of_16 = {
        {11, 10, 9, 8, 6, 4, 3, 0}, {12, 8, 7, 6, 5, 3, 1, 0}, {9, 8, 7, 6, 4, 2, 1}, {10, 9, 8, 7, 5, 3, 2}};
    static std::vector<std::vector<unsigned>> const of_32 = {{13, 12, 11, 10, 9, 6, 5, 3, 0},
                                                             {14, 13, 12, 11, 10, 7, 6, 4, 1},
                                                             {14, 10, 9, 8, 7, 6, 3, 2, 0},
                                                             {11, 10, 9, 8, 7, 4, 3, 1},
                                                             {12, 11, 10, 9, 8, 5, 4, 2}};
    static std::vector<std::vector<unsigned>> const of_64 = {
        {18, 17, 16, 15, 12, 10, 6, 5, 0}, {15, 13, 12, 11, 10, 7, 5, 1, 0},
        {16, 14, 13, 12, 11, 8, 6, 2, 1},  {17, 15, 14, 13, 12, 9, 7, 3, 2},
        {18, 16, 15, 14, 13, 10, 8, 4, 3}, {17, 16, 15, 14, 11, 9, 5, 4}};
    auto const& rows = count == 16 ? of_16 : count == 32 ? of_32 : of_64;
    std::uint64_t hashed = 0;
    for (unsigned b = 0; b < rows.size(); ++b) {
        auto bit = index >> b & 1;
        for (auto const a : rows[b]) bit ^= quotient >> a & 1;
        hashed |= bit << b;
    }
    return static_cast<unsigned>(hashed % (channels * slices));
}

} // namespace

TEST_CASE("a hash over a number of channels that is no power of two folds, as in GPGPU-Sim") {
    std::string const titan_v =
        "ipoly:dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS";
    random_numbers random(11);
    for (std::uint32_t const channels : {24u, 12u, 20u, 40u})
        for (std::uint32_t const slices : {1u, 2u}) {
            if (channels * slices > 64) continue;
            INFO(channels << " x " << slices);
            address_mapping const map(titan_v.c_str(), channels, slices);
            CHECK(map.folds());
            CHECK_NOTHROW(map.check_bijection(32, 20'000));
            std::vector<unsigned> load(channels * slices);
            for (unsigned i = 0; i < 64 * 1024; ++i) {
                auto const address = random() % map.capacity();
                auto const sub = map.sub_partition(address);
                REQUIRE(sub == folded_twin(address, 8, channels, slices, 8));
                auto const l = map.decode(address);
                REQUIRE(l.sub_partition == sub);
                REQUIRE(l.channel == sub / slices);
                REQUIRE(map.address(sub, map.local(address)) == address);
                REQUIRE(map.decode(map.encode(l)) == l); // another address may lie there
                REQUIRE(map.encode(l) <= address);
                REQUIRE(map.locate(sub, map.local_of(l)) == l);
                ++load[sub];
            }
            // What lies beyond the last one is folded upon the first.
            auto const twice = std::bit_ceil(channels) * slices - channels * slices;
            unsigned most_of_rest = 0, least_of_first = ~0u;
            for (unsigned s = 0; s < load.size(); ++s) {
                if (s < twice)
                    least_of_first = std::min(least_of_first, load[s]);
                else
                    most_of_rest = std::max(most_of_rest, load[s]);
            }
            CHECK(least_of_first > most_of_rest * 3 / 2);
        }
    CHECK_THROWS_WITH(address_mapping(("xor:" + titan_v.substr(6)).c_str(), 24, 2),
                      Catch::Contains("xor needs, ipoly and skew do not"));
    CHECK_THROWS_WITH(address_mapping(titan_v.c_str(), 48, 2), Catch::Contains("the next power of two"));
}

TEST_CASE("a skewed map is a bijection for any number of channels, and no stride stays in a few") {
    random_numbers random(12);
    for (std::uint32_t const channels : {1u, 3u, 5u, 24u, 64u, 80u, 96u, 120u, 128u, 256u})
        for (std::uint32_t const slices : {1u, 2u}) {
            auto const all = channels * slices;
            if (all > 256) continue;
            INFO(channels << " x " << slices);
            address_mapping const map("skew:dramid@8;low:S5 C3 B1 P1 C2 G3 B1 R14", channels, slices);
            address_mapping const plain("dramid@8;low:S5 C3 B1 P1 C2 G3 B1 R14", channels, slices);
            CHECK(map.skews());
            CHECK_NOTHROW(map.check_bijection(32, 20'000));
            for (unsigned i = 0; i < 10'000; ++i) {
                auto const address = random() % map.capacity();
                auto const l = map.decode(address);
                REQUIRE(map.sub_partition(address) == l.sub_partition);
                REQUIRE(map.address(l.sub_partition, map.local(address)) == address);
                REQUIRE(map.locate(l.sub_partition, map.local(address)) == l);
                REQUIRE(map.local_of(l) == map.local(address));
                REQUIRE(map.encode(l) == address);
                // Bank, row and column are as without; the sub-partition is turned by what the quotient gives,
                // bit by bit.
                auto const p = plain.decode(address);
                REQUIRE((p.bank == l.bank && p.row == l.row && p.column == l.column));
                auto const quotient = (address >> 8) / channels & ~std::uint64_t{slices - 1};
                unsigned bits = 0, hash = 0;
                while (1u << bits < all) ++bits;
                unsigned const rests[] = {0, 1, 3, 3, 3,
                                          5, 3, 3, 29}; // the polynomials without their highest terms
                auto power = rests[bits];
                for (unsigned b = 0; b < 56 && bits != 0; ++b) {
                    if ((quotient >> b & 1) != 0) hash ^= power;
                    power <<= 1;
                    if ((power >> bits & 1) != 0) power ^= rests[bits] | 1u << bits;
                }
                REQUIRE(l.sub_partition == (p.sub_partition + hash) % all);
            }
            if (channels < 24) continue;
            for (unsigned shift = 8; shift < 20; ++shift) {
                std::vector<unsigned> load(channels);
                for (std::uint64_t i = 0; i < 64 * channels; ++i) ++load[map.decode(i << shift).channel];
                INFO("stride 2^" << shift);
                CHECK(*std::max_element(load.begin(), load.end()) < 3 * 64);
            }
        }
    CHECK_THROWS_WITH(address_mapping("skew:dramid@8;low:S5 C6 B4 R14", 129, 2),
                      Catch::Contains("skew of 512 sub-partitions; nearest legal value: 256"));
}

TEST_CASE("in a slice of a folded map no two addresses are one line") {
    address_mapping const map(("ipoly:dramid@3;" + mask_of("RRRBBCCSSS")).c_str(), 24, 2);
    std::vector<std::set<std::uint64_t>> local(48);
    for (std::uint64_t a = 0; a < map.capacity(); ++a) local[map.sub_partition(a)].insert(map.local(a));
    std::size_t all = 0;
    for (auto const& s : local) all += s.size();
    CHECK(all == map.capacity());
}

TEST_CASE("ipoly is a remainder of polynomials (Rau, ISCA 1991)") {
    // x^5 = x^2 + 1 and x^8 = x^3 + x^2 + 1 modulo x^5 + x^2 + 1; and GPGPU-Sim's rows for 32
    hash_of_bits const h(index_hash::ipoly, 5);
    CHECK(h(1) == 0b00101);
    CHECK(h(8) == 0b01101);
    CHECK(h.row(0) == 0b11'1110'0110'1001);
    CHECK(h.row(4) == 0b1'1111'0011'0100);
    CHECK(h(std::uint64_t{1} << 15) == 0); // beyond what GPGPU-Sim looks at
}

TEST_CASE("letters in any order are a bijection, groups below banks and slices by group bits among them") {
    random_numbers random{7};
    for (unsigned i = 0; i < 60; ++i) {
        auto letters = std::string(8 + random.below(4), 'R') + std::string(6 + random.below(3), 'C') +
                       std::string(2 + random.below(2), 'B') + std::string(random.below(3), 'G') +
                       std::string(random.below(2), 'P');
        for (auto left = letters.size(); left > 1; --left)
            std::swap(letters[left - 1], letters[random.below(static_cast<std::uint32_t>(left))]);
        auto const text =
            (random.below(2) == 0 ? "bank_xor:" : "") + std::string("dramid@8;") + mask_of(letters + "SSSSS");
        auto const slices = std::uint32_t{1} << random.below(3);
        INFO(text << " " << slices);
        CHECK_NOTHROW(address_mapping(text.c_str(), 1 + random.below(7), slices).check_bijection(32, 1'000));
    }
}

TEST_CASE("any number of channels is a bijection, too") {
    for (std::uint32_t const channels : {1u, 3u, 5u, 6u, 7u, 10u, 12u, 160u})
        CHECK_NOTHROW(address_mapping(gtx480_mapping, channels, 2).check_bijection(32, 5'000));
}

TEST_CASE("counted letters, bank groups and pseudo-channels") {
    address_mapping const map("low:S5 C5 P1 G2 B2 R14", 1);
    CHECK(map.banks() == 32);
    CHECK(map.rows() == 16384);
    CHECK(map.row_bytes() == 1024);
    CHECK(map.decode(1 << 10).bank == 16); // the pseudo-channel is the highest bit of the bank
    CHECK(map.decode(1 << 11).bank == 4);  // then the bank group
    CHECK(map.decode(1 << 13).bank == 1);
    CHECK(map.letter(13) == 'B');
    CHECK(map.place(11) == 2);
    CHECK_THROWS_WITH(address_mapping("low:S5 C B2", 1), Catch::Contains("a letter without a count"));
    CHECK_THROWS_WITH(address_mapping("low:S5 C60 B2", 1), Catch::Contains("more than 64 bits"));
}

TEST_CASE("hashes on numbers that they do not suit are refused with the nearest legal one") {
    std::string const text(gtx480_mapping);
    CHECK_THROWS_WITH(address_mapping(("ipoly:" + text).c_str(), 8),
                      Catch::Contains("no polynomial for 8 sub-partitions") &&
                          Catch::EndsWith("nearest legal value: 16"));
    CHECK_THROWS_WITH(address_mapping(("ipoly:" + text).c_str(), 64, 2),
                      Catch::EndsWith("nearest legal value: 64"));
    CHECK_THROWS_WITH(address_mapping(("xor:" + text).c_str(), 6),
                      Catch::Contains("6 channels are no power of two") &&
                          Catch::EndsWith("nearest legal value: 4"));
    CHECK_THROWS_WITH(address_mapping("bank_ipoly:low:S5 C5 B2 R14", 1), Catch::Contains("4 banks"));
}

TEST_CASE("a map that spreads a packet's block over channels or slices is refused for a machine") {
    timing t = gddr5_gtx480;
    t.banks = 4;
    auto const check = [&](char const* text, unsigned channels, unsigned slices, std::uint32_t block) {
        try {
            address_mapping(text, channels, slices).check(t, block);
        } catch (error const& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(check("low:S6 C2 D2 B2 R10 C2", 4, 1, 256) == "");
    CHECK_THAT(
        check("low:S6 D2 B2 R10 C4", 4, 1, 128),
        Catch::Contains("bit 6 of an address tells the channel, so that a block of 128 bytes, which one "
                        "packet asks for, lies in several; lowest legal bit: 7"));
    CHECK_THAT(check("low:S6 B2 C2 D2 R10", 4, 2, 128),
               Catch::Contains("bit 6 of an address tells the slice"));
    CHECK(check("low:S6 B2 C2 D2 R10", 4, 1, 128) == ""); // banks may differ
    CHECK_THAT(check("dramid@6;low:S6 C2 B2 R10", 3, 1, 128), Catch::Contains("tells the channel"));
    CHECK(check("dramid@7;low:S6 C2 B2 R10", 3, 1, 128) == "");
}
