/// Choices of block and occupancy limits in the pipeline: who runs where, and how many at once.

#include <warpkit/frontend/builder.hpp>
#include <warpkit/testing/random_grid.hpp>

#include "catch.hpp"
#include "gpu/machines.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace warpkit;
using namespace warpkit::gpu_test;

namespace {

using machine = random_limited; // holds any choice and any limit

/// Two warps a CTA, each loading eight lines of its own and eight of its CTA's, twice.
kernel_builder loads(std::uint32_t grid_x, std::uint32_t grid_y) {
    kernel_builder k("loads");
    std::vector<std::uint32_t> load;
    for (unsigned i = 0; i < 16; ++i) {
        load.push_back(k.load(memory_space::global, 4, {static_cast<register_id>(i + 1)}));
        k.op(op_class::int_add, {40}, {static_cast<register_id>(i + 1)});
    }
    k.exit();
    k.grid = {grid_x, grid_y, 1};
    k.block = {64, 1, 1};
    k.script = [=](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& w) {
        w.straight([&](std::uint32_t i, unsigned lane) -> std::uint64_t {
            auto const line = i / 2 % 8 + (i < 16 ? 0 : 8 * (1 + warp));
            return 0xC0000000 + (cta * 32 + line) * 128 + 4 * lane;
        });
    };
    return k;
}
struct seen {
    std::vector<unsigned> most;                    ///< CTAs at once, by core
    std::map<std::uint64_t, unsigned> where;       ///< core, by CTA
    std::vector<std::set<std::uint64_t>> together; ///< what each core held at first
    unsigned degree = 0;
    degree_report saw;
    unsigned most_decided = 0; ///< CTAs at once on any core that received one after the decision
    run_counters counters;
    std::string note;
};
seen run(any_cta_choice const& choice, any_occupancy_limit const& limit, kernel_launch const& launch,
         unsigned cores = 3) {
    auto p = presets::gtx480::parameters();
    p.core.count = cores;
    p.l2.size = 0;
    policy_values<machine> values;
    values.cta_choice = choice;
    values.occupancy_limit = limit;
    gpu<machine> g(p, values);
    seen s;
    s.most.assign(cores, 0);
    s.together.resize(cores);
    g.begin(launch);
    std::vector<std::set<std::uint64_t>> before(cores);
    while (g.step()) {
        bool const decided = s.degree != 0;
        for (unsigned c = 0; c < cores; ++c) {
            std::set<std::uint64_t> now;
            for (auto const& cta : g.cores()[c].table().cta)
                if (cta.busy) now.insert(cta.linear_id);
            for (auto const id : now) s.where[id] = c;
            s.most[c] = std::max(s.most[c], static_cast<unsigned>(now.size()));
            if (now.size() > s.together[c].size() && before[c].size() < now.size()) s.together[c] = now;
            bool const grew = !std::includes(before[c].begin(), before[c].end(), now.begin(), now.end());
            if (decided && grew) s.most_decided = std::max(s.most_decided, static_cast<unsigned>(now.size()));
            before[c] = now;
        }
        s.degree = g.announced_degree();
    }
    s.saw = g.announced_report();
    s.note = g.dispatch_note() == nullptr ? "" : g.dispatch_note();
    s.counters = g.end();
    return s;
}

} // namespace

TEST_CASE("a static degree is how many run at once; one of several limits costs no cycle", "[gpu]") {
    auto k = loads(90, 1);
    auto const all = run({}, {}, k.launch());
    CHECK(all.most == std::vector<unsigned>{8, 8, 8});
    CHECK(all.counters.core.ctas == 90);
    for (unsigned const n : {1U, 2U, 5U}) {
        auto const s = run({}, static_limit(n), k.launch());
        CHECK(s.most == std::vector<unsigned>(3, n));
        CHECK(s.where.size() == 90);
    }
    CHECK(run({}, static_limit(8), k.launch()).counters == all.counters);
}

TEST_CASE("BCS: what a core holds comes in pairs", "[gpu]") {
    auto k = loads(96, 1);
    auto const s = run(consecutive_blocks<run_time>(2), {}, k.launch());
    CHECK(s.where.size() == 96);
    for (std::uint64_t i = 0; i < 96; i += 2) CHECK(s.where.at(i) == s.where.at(i + 1));
    CHECK(s.where.at(0) != s.where.at(2));
    auto const one = run(consecutive_blocks<run_time>(2), static_limit(1), k.launch());
    CHECK(one.where.size() == 96); // pairs never fit: they go out singly
    CHECK(one.most == std::vector<unsigned>(3, 1));
}

TEST_CASE("locality-aware dispatch puts together what shares lines, a grid row apart", "[gpu]") {
    auto k = loads(12, 8);
    testing::made_up_addresses addresses(12);
    addresses.access(addresses.array(0), {0, 32 * 4096, 64, 31 * 4096 + 64},
                     4096); // (x, 2y) and (x, 2y + 1) share
    auto const view = addresses.view();
    auto launch = k.launch();
    launch.addresses = &view;
    auto const together = [](seen const& s) {
        unsigned n = 0;
        for (std::uint64_t y = 0; y < 8; y += 2)
            for (std::uint64_t x = 0; x < 12; ++x) n += s.where.at(12 * y + x) == s.where.at(12 * y + 12 + x);
        return n;
    };
    auto const plain = run({}, static_limit(2), launch, 5);
    auto const aware =
        run(locality_aware_dispatch({.fill = initial_fill::locality}), static_limit(2), launch, 5);
    CHECK(plain.where.size() == 96);
    CHECK(aware.where.size() == 96);
    CHECK(together(aware) > 2 * together(plain));
    CHECK(together(aware) > 30); // of 48
    CHECK(aware.note.empty());
    CHECK(run(locality_aware_dispatch{}, {}, k.launch()).note.find("round-robin in place of locality") !=
          std::string::npos);
}

TEST_CASE("the decision: one CTA alone on core 0, then what it predicts for all cores", "[gpu]") {
    auto k = loads(90, 1);
    tabled_reads t; // reads double with the second CTA, and stay then
    t.degrees = 8;
    for (unsigned i = 0; i < 8; ++i) t.point[i] = {i == 0 ? 0.4 : 0.8, i == 0 ? 24.0 : 48.0};
    auto const s = run({}, multithreading_degree<chosen_reads>(t), k.launch());
    CHECK(s.where.size() == 90);
    // 24 lines a CTA of 128, each load in four sectors; misses then .8: b = 1.10. c: 1.05 for up to 5 CTAs (120 lines),
    // then 1.1.
    degree_report r;
    r.accesses = 32 * 4;
    r.reads = 24;
    r.warp_instructions = 66;
    r.working_set = 24;
    r.cache = 128;
    CHECK(s.saw.mean_latency > 200);
    r.mean_latency = s.saw.mean_latency;
    CHECK(s.saw == r);
    CHECK(run({}, static_limit(3), k.launch()).saw == degree_report{});
    CHECK(s.degree == predict_degrees(r, 8, t).chosen);
    CHECK(s.degree != 0);
    CHECK(s.degree < 8);
    CHECK(s.most_decided <= s.degree);
    auto const elsewhere = run({}, multithreading_degree<chosen_reads>(t, {}, 2), k.launch());
    CHECK(elsewhere.degree == s.degree);
    degree_rules strict;
    strict.compute_bound = 10;
    CHECK(run({}, multithreading_degree<chosen_reads>({}, strict), k.launch()).degree == 8);
}

TEST_CASE("LCS and DYNCTA: all CTAs end; a core that waits for memory holds fewer", "[gpu]") {
    auto k = loads(120, 1);
    auto const lazy = run({}, lcs{}, k.launch());
    CHECK(lazy.where.size() == 120);
    auto const follows = run({}, dyncta({64, 1000, 8, 16, true}), k.launch());
    CHECK(follows.where.size() == 120);
    auto const never_waits =
        run({}, dyncta({64, 0, 1000, 1000, true}), k.launch()); // idle for 0 cycles: always one more
    CHECK(never_waits.most == std::vector<unsigned>(3, 8));
    auto const rises =
        run({}, dyncta({1000000, 0, 0, 0, true}), k.launch()); // no window ends: half of what fits
    CHECK(rises.most == std::vector<unsigned>(3, 4));
    auto const falls = run({}, dyncta({32, 1000, 0, 0, true}), k.launch()); // any waiting: one less
    CHECK(*std::max_element(falls.most.begin(), falls.most.end()) <= 4);
}
