#include <warpkit/config/check.hpp>
#include <warpkit/config/preset_numbers.hpp>

#include "catch.hpp"

using namespace warpkit;

namespace {

/// What check() says to the gtx480 with these changes.
std::string verdict(std::vector<std::string> const& assignments, preset const& p = preset_numbers::gtx480()) {
    auto g = parameters(p);
    for (auto const& a : assignments) set_number(g, a);
    try {
        check(g);
    } catch (error const& e) {
        return e.what();
    }
    return "accepted";
}

} // namespace

TEST_CASE("every preset passes, and so do sensible changes") {
    for (auto const* p : preset_numbers::all()) {
        CAPTURE(p->name);
        CHECK(verdict({}, *p) == "accepted");
        // A unified L1 has its lines in 4 sets: with its size go its ways.
        bool const unified = parameters(*p).core.unified_bytes != 0;
        CHECK(verdict({"l1.size=48KiB", unified ? "l1d.ways=96" : "l1d.ways=4"}, *p) == "accepted");
        CHECK(verdict({"l1.size=8KiB", unified ? "l1d.ways=16" : "l1d.ways=4"}, *p) == "accepted");
        CHECK(verdict({"l1.enabled=0"}, *p) == "accepted");
        CHECK(verdict({"l2.enabled=0"}, *p) == "accepted");
        CHECK(verdict({"l0i.size=32KiB", "l15i.size=128KiB", "core.control_bits=1"}, *p) == "accepted");
        CHECK(verdict({"cores=1", "core.ctas=7"}, *p) == "accepted");
        auto const mapping = parameters(*p).address_mapping;
        bool const hashed =
            mapping.substr(0, 6) == "ipoly:" || mapping.substr(0, 4) == "xor:"; // powers of two alone
        CHECK(verdict({hashed ? "memory.channels=16" : "memory.channels=5"}, *p) == "accepted");
    }
}

TEST_CASE("an impossible number is refused with the reason and the nearest legal value") {
    CHECK(verdict({"l1d.size=10000"}) ==
          "l1d.size = 10000 B is not a multiple of 4 ways of 128-byte lines (512 B); "
          "nearest legal value: 10 KiB");
    CHECK(verdict({"l1d.size=100"}) ==
          "l1d.size = 100 B is not a multiple of 4 ways of 128-byte lines (512 B); "
          "nearest legal value: 512 B");
    CHECK(verdict({"l1d.ways=513"}) == "l1d.ways = 513 is above 512; nearest legal value: 512");
    CHECK_THAT(verdict({"l2.line=100"}), Catch::Contains("not a power of two") && Catch::Contains("l2"));
    CHECK_THAT(verdict({"l2.mshr_entries=0"}), Catch::Contains("mshr_entries = 0 is too small"));
    CHECK(verdict({"core.threads=1000"}) ==
          "core.threads = 1000 is not a multiple of 32, the threads of a warp; nearest legal value: 992");
    CHECK(verdict({"core.threads=4096"}) == "core.threads = 4096 is above 2048; nearest legal value: 2048");
    CHECK(verdict({"core.schedulers=0"}) == "core.schedulers = 0 is below 1; nearest legal value: 1");
    CHECK(verdict({"core.schedulers=5"}) == "core.schedulers = 5 is above 4; nearest legal value: 4");
    CHECK(verdict({"core.count=0"}) == "core.count = 0 is below 1; nearest legal value: 1");
    CHECK(verdict({"core.latency.fp_mad=0"}) ==
          "core.latency.fp_mad = 0 cycles is below 1 cycle; nearest legal "
          "value: 1 cycle");
    CHECK(verdict({"memory.slices=32"}) == "memory.slices = 32 is above 16; nearest legal value: 16");
    CHECK(verdict({"network.input_flits=3"}) ==
          "network.input_flits = 3 is below 4; nearest legal value: 4"); // 136 bytes in flits of 40
    CHECK(verdict({"core.registers=0"}) == "core.registers = 0 is below 1; nearest legal value: 1");
    CHECK(verdict({"core.registers=16777217"}) ==
          "core.registers = 16777217 is above 16777216; nearest legal value: 16777216");
    CHECK_THAT(verdict({"core.collectors.any=3"}, preset_numbers::rtx3070()),
               Catch::StartsWith("core.collectors.any = 3 is not a multiple of core.sub_cores"));
    CHECK(verdict({"clock.l2=0kHz"}) == "clock.l2 = 0 MHz is below 1 MHz; nearest legal value: 1 MHz");
}

TEST_CASE("numbers that contradict each other are refused") {
    CHECK(verdict({"dram.rc=39"}) == "dram timing: rc = 39 is less than ras + rp; nearest legal value: 40");
    CHECK_THAT(verdict({"dram.banks=8"}), Catch::Contains("letters B address 16 banks, but the dram has 8"));
    CHECK_THAT(verdict({"address_mapping=RRR"}), Catch::Contains("has 3 letters; expected 64"));
    CHECK_THAT(verdict({"memory.slices=3"}), Catch::Contains("nearest legal value: 2"));
    CHECK(verdict({"dram.banks=0"}) == "dram timing: banks = 0 is below 1; nearest legal value: 1");
    CHECK_THAT(verdict({"dram.banks=8"}), Catch::EndsWith("nearest legal value of dram.banks: 16"));
    CHECK_THAT(verdict({"memory.prefetch_higher=2"}), Catch::EndsWith("nearest legal value: 8"));
    CHECK(verdict({"core.read_window=3"}) ==
          "core.read_window = 3 cycles has no core.register_banks to read; nearest legal value: 0 cycles");
    CHECK(verdict({"core.register_cache=3"}) ==
          "core.register_cache = 3 is for cores with a core.read_window; nearest legal value: 0");
    CHECK(verdict({"async.copy_request=0"}) == "accepted"); // there is no unit
    CHECK(verdict({"async.copy_queue=8", "async.copy_request=128", "async.copy_interval=1"}) ==
          "async.copy_requests = 0 is below 1; nearest legal value: 1");
    CHECK(verdict({"async.copy_queue=8", "async.copy_request=256"}) ==
          "async.copy_request = 256 B is above 128 B; nearest legal value: 128 B");
    CHECK(verdict({"async.copy_queue=8", "async.copy_request=96"}) ==
          "async.copy_request = 96 B is not a power of two; nearest legal value: 64 B");
    auto const& modern = preset_numbers::rtx3070();
    CHECK(verdict({"core.read_window=3", "core.register_cache=3"}, modern) == "accepted");
    CHECK(verdict({"core.read_window=3", "core.latches.dp=0"}, modern) ==
          "core.latches.dp = 0 is below 1; nearest legal value: 1");
    CHECK(verdict({"core.read_window=3", "core.collectors.any=0", "core.latches.sp=0"}, modern) ==
          "accepted");
    CHECK(verdict({"core.fetch_into_room=1"}) == "accepted");
    CHECK(verdict({"core.fetch_into_room=1"}, modern) ==
          "core.fetch_into_room = 1 fetches along the code, core.perfect_branches = 1 along the warp's own "
          "path; nearest "
          "legal value: 0");
    CHECK(verdict({"core.fetch_into_room=1", "core.perfect_branches=0"}, modern) == "accepted");
    CHECK(verdict({"l0i.size=32KiB", "l0i.line=64", "l0i.sector=64"}) ==
          "l0i.line = 64 B is below 128 B; nearest legal value: 128 B");
    CHECK(verdict({"l15i.size=64KiB", "l15i.sector=32"}) ==
          "l15i.sector = 32 B is below 128 B; nearest legal value: 128 B");
}

TEST_CASE("machines that no host could hold are refused") {
    CHECK(verdict({"l2.size=2048MiB"}) ==
          "l2.size = 2048 MiB is too much for 12 of them in one machine; nearest legal value: 174762 KiB");
    CHECK_THAT(verdict({"l1d.size=1GiB", "core.count=4096"}),
               Catch::EndsWith("nearest legal value: 512 KiB"));
    CHECK_THAT(verdict({"network.input_flits=65536", "core.count=4096"}),
               Catch::StartsWith("network.input_flits"));
    CHECK_THAT(verdict({"network.columns=1024", "network.rows=1024"}), Catch::EndsWith("value: 64"));
    CHECK_THAT(verdict({"network.channel_flits=65535", "network.columns=100", "network.rows=100"}),
               Catch::StartsWith("network.channel_flits = 65535"));
    CHECK(verdict({"l2.size=128MiB", "l1d.size=64MiB"}) == "accepted");
}

TEST_CASE("clocks without a common time unit that can be counted in are refused") {
    CHECK(verdict({"clock.core=1GHz", "clock.dram=1215MHz"}) == "accepted");
    auto const odd = verdict({"clock.core=700001kHz", "clock.l2=699997kHz", "clock.dram=923987kHz"});
    CHECK_THAT(odd, Catch::StartsWith("clock.core = 700001 kHz has no common time unit"));
    CHECK_THAT(odd, Catch::EndsWith("nearest legal value: 700 MHz"));
}
