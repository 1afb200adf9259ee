#include <warpkit/report/metrics.hpp>

#include "catch.hpp"

#include <cmath>
#include <set>

using namespace warpkit;
using namespace warpkit::report;

namespace {

/// A run in which counter number i has the value 1000 + i.
run_counters numbered() {
    run_counters r;
    std::uint64_t next = 1000;
    for (auto const& f : all_counters()) write_field(r, f, next++);
    return r;
}

} // namespace

TEST_CASE("every counter is reflected: nothing in run_counters is without a name, unit and definition") {
    CHECK(all_counters().size() * sizeof(std::uint64_t) == sizeof(run_counters));
    std::set<std::string> names;
    for (auto const& f : all_counters()) {
        names.insert(f.name);
        CAPTURE(f.name);
        CHECK_FALSE(std::string(f.unit).empty());
        CHECK(std::string(f.meaning).size() > 8);
    }
    CHECK(names.size() == all_counters().size());
    CHECK(find_field(all_counters(), "core.cause.raw_memory") != nullptr);
    CHECK(find_field(all_counters(), "dram.row_hits") != nullptr);
}

TEST_CASE("summing by reflection is what += does") {
    auto const r = numbered();
    auto sum = r;
    sum += r;
    for (auto const& f : all_counters()) {
        CAPTURE(f.name);
        CHECK(read_field(sum, f) == 2 * read_field(r, f));
    }
}

TEST_CASE("two runs are compared counter by counter") {
    auto const a = numbered();
    auto b = a;
    CHECK(differences(a, b).empty());
    b.l2.hits += 5;
    b.core.cause[static_cast<unsigned>(cycle_cause::fetch)] = 0;
    auto const found = differences(a, b);
    REQUIRE(found.size() == 2);
    CHECK(found[0].counter->name == "core.cause.fetch");
    CHECK(found[0].second == 0);
    CHECK(found[1].counter->name == "l2.hits");
    CHECK(found[1].second == found[1].first + 5);
}

TEST_CASE("a fingerprint tells any two sequences of runs apart, and is the same everywhere") {
    auto const of = [](std::vector<run_counters> const& runs) {
        fingerprint f;
        for (auto const& r : runs) f.add(r);
        return f.value();
    };
    auto const a = numbered();
    std::set<std::uint64_t> seen = {of({}), of({a}), of({a, a}), of({{}})};
    for (auto const& f : all_counters()) {
        auto b = a;
        write_field(b, f, 7);
        seen.insert(of({b}));
    }
    CHECK(seen.size() == 4 + all_counters().size());
    fingerprint empty;
    CHECK(empty.value() == 0x243f6a8885a308d3U);
}

TEST_CASE("rates are what their definitions say") {
    run_counters r;
    gpu_parameters g;
    g.clock = {700'000, 700'000, 700'000, 1'400'000};
    g.memory.channels = 2;
    g.memory.slices = 2;
    g.core.count = 5;
    r.cycles = 1000;
    r.core.warp_instructions = 2500;
    r.core.thread_instructions = 40000;
    r.core.cycles = 5000;
    r.core.issue_cycles = 2000;
    r.core.memory_block_cycles = 1500;
    r.core.load_latency_sum = 900;
    r.core.load_latency_count = 3;
    r.l1d.accesses = 200;
    r.l1d.hits = 100;
    r.l1d.hit_reserved = 50;
    r.l1d.misses = 30;
    r.l1d.sector_misses = 20;
    r.dram.requests_served = 80;
    r.dram.row_hits = 60;
    r.dram.bus_busy_cycles = 1000;
    r.dram.busy_cycles = 2000;
    r.dram.bank_cycles = 5000;
    r.dram.bank_busy_cycles = 1600;
    r.dram.read_atoms = 400;
    r.dram.write_atoms = 100;
    r.reply_network.flits = 2500;
    g.l0i.size = 1;
    r.core.prefetches = 40;
    r.l0i.accesses = 140;
    r.l0i.misses = 60;
    r.l1i.accesses = 60;
    r.l1i.misses = 30;
    auto const value = [&](char const* name) {
        auto const* const m = find_metric(name);
        REQUIRE(m != nullptr);
        return m->value(r, g);
    };
    CHECK(value("ipc") == 2.5);
    CHECK(value("thread_ipc") == 40);
    CHECK(value("simd_efficiency") == 0.5);
    CHECK(value("l0i_miss_rate") == 0.2); // the L0s' prefetches, each an access and a miss, left out
    CHECK(value("l1i_miss_rate") == 0.5);
    CHECK(value("l1d_miss_rate") == 0.25);
    CHECK(value("l1d_waiting_rate") == 0.25);
    CHECK(value("row_hit_rate") == 0.75);
    CHECK(value("row_locality_gpgpusim") == 4);
    CHECK(value("dram_efficiency") == 0.5);
    CHECK(value("dram_utilisation") == 0.25); // 1000 of 2 channels of 2000 DRAM cycles
    g.dram.pseudo_channels = 2;               // a bus each
    CHECK(value("dram_efficiency") == 0.25);
    CHECK(value("dram_utilisation") == 0.125);
    g.dram.pseudo_channels = 1;
    CHECK(value("blp") == 2.5);
    CHECK(value("blp_gpgpusim") == Approx(3.125));
    CHECK(value("dram_bandwidth") == Approx(500 * 64 / (1000 / 700e6) / 1e9)); // atoms of 64 bytes
    CHECK(value("load_latency") == 300);
    CHECK(value("reply_link_utilisation") == 0.5);
    CHECK(value("memory_block_share") == 0.3);
    CHECK(value("inactive_share") == 0.6);
    r.core.cause[static_cast<unsigned>(cycle_cause::no_cta)] = 1000;
    g.core.schedulers = 2;
    CHECK(value("no_warp_share") == 0.1); // 1000 of two schedulers' 5000 core cycles
    CHECK(std::isnan(value("l2_miss_rate")));
    CHECK(find_metric("no_such") == nullptr);
}

TEST_CASE("every view of the stalls sums to all scheduler cycles") {
    auto const r = numbered();
    std::uint64_t total = 0;
    for (auto const n : r.core.cause) total += n;
    CHECK(scheduler_cycles(r) == total);
    for (auto const& view : all_stall_views) {
        CAPTURE(view.name);
        std::uint64_t sum = 0;
        for (auto const& category : view.categories) sum += cycles_in(r, category);
        CHECK(sum == total);
    }
}

TEST_CASE("the views are those of the papers") {
    run_counters r;
    for (unsigned i = 0; i < cycle_cause_count; ++i) r.core.cause[i] = std::uint64_t{1} << i;
    auto const in = [&](char const* view, char const* category) {
        for (auto const& v : all_stall_views)
            for (auto const& c : v.categories)
                if (v.name == std::string(view) && c.name == std::string(category)) return cycles_in(r, c);
        FAIL("no category " << category);
        return std::uint64_t{0};
    };
    auto const classes = [](std::vector<unsigned> const& numbers) {
        std::uint64_t bits = 0;
        for (auto const n : numbers) bits |= std::uint64_t{1} << n;
        return bits;
    };
    CHECK(in("gpgpusim", "[1] scoreboard") == classes({6, 7, 11}));
    CHECK(in("gpgpusim", "[2] no free unit") == classes({3, 4}));
    CHECK(in("gpgpusim", "[0] no valid instruction") == classes({1, 2, 5, 8, 9, 10}));
    CHECK(in("elf", "memory conflict") == classes({3}));
    CHECK(in("elf", "memory dependency") == classes({6, 11}));
    CHECK(in("elf", "fetch") == classes({9, 10}));
    CHECK(in("elf", "other") == classes({4, 7, 8}));
    CHECK(in("chen", "structural") == classes({3, 4}));
    CHECK(in("chen", "idle or control") == classes({1, 2, 8, 9, 10}));
    CHECK(in("chen", "RAW") == classes({6, 7, 11}));
}

TEST_CASE("OWL's view is of cores and sums to their cycles") {
    run_counters r;
    r.core.cycles = 1000;
    r.core.issue_cycles = 400;
    r.core.memory_block_cycles = 300;
    r.core.cause[static_cast<unsigned>(cycle_cause::no_cta)] = 200; // two schedulers: 100 core cycles
    auto const v = owl_view(r, 2);
    CHECK(v.issuing == 400);
    CHECK(v.memory_block == 300);
    CHECK(v.no_warp == 100);
    CHECK(v.other == 200);
    std::uint64_t sum = 0;
    for (auto const& c : owl_categories) sum += v.*c.cycles;
    CHECK(sum == r.core.cycles);
}
