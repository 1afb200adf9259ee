#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/config/settings.hpp>

#include "catch.hpp"

#include <set>

using namespace warpkit;

namespace {

gpu_parameters with(std::vector<std::string> const& assignments) {
    auto g = parameters(preset_numbers::gtx480());
    for (auto const& a : assignments) set_number(g, a);
    return g;
}
std::string refused(std::string const& assignment) {
    try {
        with({assignment});
    } catch (error const& e) {
        return e.what();
    }
    return "accepted";
}

} // namespace

TEST_CASE("sizes are read in bytes, KiB and MiB") {
    CHECK(with({"l1d.size=48KiB"}).l1d.size == 49152);
    CHECK(with({"l1d_variant=xor+srrip"}).l1d_variant == "xor+srrip");
    CHECK(with({"l1d.size=48K"}).l1d.size == 49152);
    CHECK(with({"l1d.size=48kB"}).l1d.size == 49152);
    CHECK(with({"l1d.size=49152"}).l1d.size == 49152);
    CHECK(with({"l1d.size= 49152 B "}).l1d.size == 49152);
    CHECK(with({"l2.size=1.5MiB"}).l2.size == 1572864);
    CHECK(refused("l1d.size=48MHz") ==
          "l1d.size: '48MHz' does not suit; expected bytes: a number, or one with KiB, MiB or GiB");
    CHECK(refused("l1d.size=0.3") == "l1d.size: '0.3' is not whole");
    CHECK(refused("l1d.size=8GiB") == "l1d.size = 8589934592 is too large; nearest legal value: 4294967295");
}

TEST_CASE("frequencies need their unit, since 700 could be anything") {
    CHECK(with({"clock.core=1.4GHz"}).clock.core == 1'400'000);
    CHECK(with({"clock.core=700 MHz"}).clock.core == 700'000);
    CHECK(with({"clock.core=700500kHz"}).clock.core == 700'500);
    CHECK(refused("clock.core=700") ==
          "clock.core: '700' does not suit; expected a frequency with kHz, MHz or GHz");
}

TEST_CASE("cycles and counts are plain numbers, with k and M for thousands and millions") {
    CHECK(with({"l1d.latency=20"}).lsu.l1_latency == 20);
    CHECK(with({"lsu.l1_latency=20cycles"}).lsu.l1_latency == 20);
    CHECK(with({"core.registers=64k"}).core.registers == 64000);
    CHECK(with({"core.latency.fp_mad=9"}).core.latency[static_cast<unsigned>(op_class::fp_mad)] == 9);
    CHECK(with({"dram.groups_by_low_bits=0"}).dram.groups_by_low_bits == false);
    CHECK(refused("lsu.l1_latency=20KiB") ==
          "lsu.l1_latency: '20KiB' does not suit; expected cycles: a number without a unit");
    CHECK(refused("core.registers=many") == "core.registers: 'many' is not a number");
    CHECK(refused("lsu.l1_latency=-3") == "lsu.l1_latency: '-3' is not a number");
    CHECK(refused("lsu.l1_latency=1234567890123456789") ==
          "lsu.l1_latency: '1234567890123456789' has too many digits");
    CHECK(refused("dram.groups_by_low_bits=2") ==
          "dram.groups_by_low_bits = 2 is too large; nearest legal value: 1");
}

TEST_CASE("a number too large for 64 bits is refused, not wrapped") {
    CHECK_THROWS_WITH(parse_number("999999999999999999GiB", "bytes", "x"), Catch::Contains("too large"));
    CHECK(parse_number("999999999999999999", "", "x") == 999999999999999999U);
}

TEST_CASE("short names stand for long ones") {
    CHECK(with({"l1.size=32KiB"}) == with({"l1d.size=32KiB"}));
    CHECK(with({"cores=30"}).core.count == 30);
    CHECK(with({"l2.enabled=0"}).l2.size == 0);
    CHECK(with({"l2.enabled=1"}) == with({}));
    CHECK(refused("l2.enabled=yes") == "l2.enabled: 'yes' is neither 0 nor 1");
    CHECK_THROWS_WITH(with({"l2.size=0", "l2.enabled=1"}), Catch::Contains("give it one with l2.size=..."));
}

TEST_CASE("an unknown name is refused, and the nearest one is named") {
    CHECK(refused("l1d.sise=1") == "there is no number l1d.sise (did you mean l1d.size?)");
    CHECK(refused("core.latency.fpmad=1") ==
          "there is no number core.latency.fpmad (did you mean core.latency.fp_mad?)");
    CHECK(refused("zebra=1") == "there is no number zebra");
    CHECK(refused("l3.enabled=0") == "there is no number l3.enabled (did you mean l2.enabled?)");
}

TEST_CASE("what sets nothing is refused") {
    CHECK(refused("l1d.size") == "'l1d.size' sets nothing; write name=value, as in l1d.size=32KiB");
    CHECK(refused("=3") == "'=3' sets nothing; write name=value, as in l1d.size=32KiB");
    CHECK(refused("l1d.size=") == "l1d.size: no value behind the '='");
}

TEST_CASE("every number can be set by name to what it was, as it is printed") {
    auto const g = with({});
    std::set<std::string> names;
    for (auto const& f : machine_numbers()) {
        auto copy = g;
        write_field(copy, f, 1);
        set_number(copy, f.name + '=' + format_number(read_field(g, f), f.unit));
        CAPTURE(f.name);
        CHECK(copy == g);
        names.insert(f.name);
    }
    CHECK(names.size() == machine_numbers().size());
    CHECK(names.count("l1d.size") + names.count("clock.dram") + names.count("core.initiation.dp_div") == 3);
}

TEST_CASE("numbers are printed with the unit that suits") {
    CHECK(format_number(16384, "bytes") == "16 KiB");
    CHECK(format_number(1048576, "bytes") == "1 MiB");
    CHECK(format_number(100, "bytes") == "100 B");
    CHECK(format_number(924'000, "kHz") == "924 MHz");
    CHECK(format_number(700'001, "kHz") == "700001 kHz");
    CHECK(format_number(35, "cycles") == "35 cycles");
    CHECK(format_number(2, "") == "2");
}
