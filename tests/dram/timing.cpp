#include <warpkit/base/hash.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/standards.hpp>
#include <warpkit/dram/timing.hpp>

#include "catch.hpp"

#include <cstring>
#include <type_traits>

using namespace warpkit;
using namespace warpkit::dram;

static_assert(std::is_trivially_copyable_v<timing> && !std::is_polymorphic_v<timing>);
static_assert(regular_state<timing>);

namespace {
template <class Change>
timing changed(timing t, Change change) {
    change(t);
    return t;
}
} // namespace

TEST_CASE("named timing sets are consistent, fit their mapping and give the source of each number") {
    for (auto const& s : standards) {
        INFO(s.name);
        CHECK_NOTHROW(s.numbers->check());
        for (std::size_t i = 0; i < s.count; ++i) {
            INFO(s.sources[i].name);
            CHECK(s.numbers->*s.sources[i].member == s.sources[i].value);
            CHECK(std::strchr(s.sources[i].source, ':') != nullptr);
        }
        CHECK(s.count >= 17);
        address_mapping const map(s.mapping, 1);
        CHECK_NOTHROW(map.check(*s.numbers));
        CHECK_NOTHROW(map.check_bijection(s.numbers->atom_bytes(), 10'000));
        auto refreshed = *s.numbers;
        refreshed.refi = s.refi;
        CHECK_NOTHROW(refreshed.check());
    }
    // Numbers of the sources that contradict each other (docs/model/dram.md#contradictory-rc): rc 78 with ras 55 and rp
    // 24, rc 50 with ras 45 and rp 19.
    CHECK(gddr6_rtx3070.rc == 79);
    CHECK(hbm3_h100.rc == 64);
}

TEST_CASE("derived timing of the GTX 480") {
    auto const& t = gddr5_gtx480;
    CHECK(t.burst_cycles() == 2);
    CHECK(t.atom_bytes() == 64);
    CHECK(t.read_to_write() == 12 + 2 + 2 - 4);
    CHECK(t.write_to_read() == 4 + 2 + 5);
    CHECK(t.write_to_precharge() == 4 + 2 + 12);
    CHECK(t.rcdwr == 12 - (4 + 1));
    CHECK(t.atoms_for(32) == 1); // a sector costs a whole atom
    CHECK(t.atoms_for(64) == 1);
    CHECK(t.atoms_for(128) == 2);
    CHECK(gddr3_owl.atom_bytes() == 32);
    CHECK(gddr3_owl.atoms_for(64) == 2);
}

TEST_CASE("bank groups by low or by high bits of the bank") {
    auto t = gddr5_gtx480;
    CHECK(t.group_of(0) == 0);
    CHECK(t.group_of(5) == 1);
    CHECK(t.group_of(15) == 3);
    t.groups_by_low_bits = false;
    CHECK(t.group_of(0) == 0);
    CHECK(t.group_of(5) == 1);
    CHECK(t.group_of(3) == 0);
    CHECK(t.group_of(15) == 3);
}

TEST_CASE("ranks, stacks and places in groups, by low or by high bits of the bank") {
    auto t = ddr5_ramulator; // groups by high bits: 8 of 4 banks
    t.ranks = 2;
    t.banks = 64;
    CHECK(t.banks_per_rank() == 32);
    CHECK(t.rank_of(31) == 0);
    CHECK(t.rank_of(32) == 1);
    CHECK(t.pseudo_channel_of(63) == 0);
    CHECK(t.group_of(7) == 1);
    CHECK(t.group_of(32 + 7) == 8 + 1);
    CHECK(t.place_in_group(32 + 7) == 3);
    t.groups_by_low_bits = true;
    CHECK(t.group_of(32 + 7) == 8 + 7);
    CHECK(t.place_in_group(32 + 15) == 1);
    auto const& h = hbm3_ramulator; // 2 pseudo-channels of 2 stacks of 4 groups of 4 banks
    CHECK(h.rank_of(32) == 1);
    CHECK(h.pseudo_channel_of(32) == 1);
    CHECK(h.stack_of_group(h.group_of(15)) == 0);
    CHECK(h.stack_of_group(h.group_of(16)) == 1);
    CHECK(h.stack_of_group(h.group_of(32)) == 2);
    // Bursts of two ranks: read to write ends the read's data first, write to read may come at once.
    CHECK(t.to_another_rank(false, false) == 8 + 2);
    CHECK(t.to_another_rank(false, true) == 36 + 8 + 2 - 34);
    CHECK(t.to_another_rank(true, false) == 34 + 8 + 2 - 36);
    CHECK(t.to_another_rank(true, true) == 8); // one driver
    t.wl = 20;
    CHECK(t.to_another_rank(true, false) == 2); // the command's own cycles
}

TEST_CASE("contradictory timings are refused with the nearest legal value") {
    auto const refused = [](auto change, std::string const& field, unsigned legal) {
        auto const t = changed(gddr5_gtx480, change);
        INFO(field);
        CHECK_THROWS_WITH(t.check(), Catch::StartsWith("dram timing: " + field + " = ") &&
                                         Catch::EndsWith("nearest legal value: " + std::to_string(legal)));
    };
    refused([](timing& t) { t.rc = 39; }, "rc", 40);
    refused([](timing& t) { t.ras = 11; }, "ras", 12);
    refused([](timing& t) { t.ccd = 1; }, "ccd", 2);
    refused([](timing& t) { t.ccdl = 1; }, "ccdl", 2);
    refused([](timing& t) { t.banks = 0; }, "banks", 1);
    refused([](timing& t) { t.banks = 512; }, "banks", 256);
    refused([](timing& t) { t.ranks = 0; }, "ranks", 1);
    refused([](timing& t) { t.ranks = 3; }, "ranks", 2);
    refused([](timing& t) { t.ranks = 32; }, "ranks", 8);
    refused([](timing& t) { t.ranks = 8; }, "bank_groups", 2);
    refused([](timing& t) { t.stacks = 3; }, "stacks", 2);
    refused([](timing& t) { t.stacks = 8; }, "stacks", 4);
    refused([](timing& t) { t.column_cycles = 0; }, "column_cycles", 1);
    refused([](timing& t) { t.column_cycles = 3; }, "column_cycles", 2);
    refused([](timing& t) { t.ccdlwr = 1; }, "ccdlwr", 2);
    refused([](timing& t) { t.ccdlwr = 99; }, "ccdlwr", 11 + 3);
    refused([](timing& t) { t.ccdr = 1; }, "ccdr", 2);
    refused([](timing& t) { t.ccdr = 12; }, "ccdr", 11);
    refused([](timing& t) { t.same_bank = 2; }, "same_bank", 1);
    refused([](timing& t) { t.bank_groups = 0; }, "bank_groups", 1);
    refused([](timing& t) { t.bank_groups = 3; }, "bank_groups", 2);
    refused([](timing& t) { t.bank_groups = 32; }, "bank_groups", 16);
    refused([](timing& t) { t.burst_length = 6; }, "burst_length", 8);
    refused([](timing& t) { t.burst_length = 0; }, "burst_length", 4);
    refused([](timing& t) { t.data_rate = 0; }, "data_rate", 1);
    refused([](timing& t) { t.bus_bytes = 0; }, "bus_bytes", 1);
    refused([](timing& t) { t.wl = 16; }, "wl", 15);
    refused([](timing& t) { t.wl = 0; }, "wl", 1);
    refused([](timing& t) { t.cl = 0; }, "cl", 1);
    refused([](timing& t) { t.rcd = 0; }, "rcd", 1);
    refused([](timing& t) { t.rp = 0; }, "rp", 1);
    refused([](timing& t) { t.rrd = 0; }, "rrd", 1);
    refused([](timing& t) { t.pseudo_channels = 3; }, "pseudo_channels", 2);
    refused([](timing& t) { t.pseudo_channels = 8; }, "pseudo_channels", 4);
    refused([](timing& t) { t.rrdl = 5; }, "rrdl", 6);
    refused([](timing& t) { t.cdlrl = 4; }, "cdlrl", 5);
    refused([](timing& t) { t.faw = 5; }, "faw", 6);
    refused([](timing& t) { t.rtw = 9; }, "rtw", 10);
    refused([](timing& t) { t.act_cycles = 0; }, "act_cycles", 1);
    refused([](timing& t) { t.refi = 1000; }, "rfc", 1);
    refused([](timing& t) { t.refipb = 1000; }, "rfcpb", 1);
    refused(
        [](timing& t) {
            t.refi = 100;
            t.rfc = 100;
        },
        "refi", 100 + 28 + 12 + 12 + 18);
    refused([](timing& t) { t.refi = t.refipb = 2000; }, "refipb", 0);
    refused([](timing& t) { t.cl = 4'000'000'000; }, "cl", 32767);
    refused([](timing& t) { t.ras = t.rp = ~0U; }, "ras", 32767);
    refused([](timing& t) { t.burst_length = 1U << 31; }, "burst_length", 4096);
    refused([](timing& t) { t.refi = ~0U; }, "refi", 1U << 30);
    CHECK_NOTHROW(changed(gddr5_gtx480, [](timing& t) { t.wl = 15; }).check());
    CHECK_NOTHROW(changed(gddr5_gtx480, [](timing& t) {
                      t.bank_groups = 1;
                      t.ccdl = 0;
                  }).check());
}
