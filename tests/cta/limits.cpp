// Occupancy limits: static, lazy CTA scheduling, DYNCTA, and the multithreading-degree decision of the thesis (2014,
// sections 4 and 5) with its tables. Each beside a naive twin.
#include <warpkit/cta/multithreading_tables.hpp>
#include <warpkit/cta/policies.hpp>
#include <warpkit/testing/archetypes.hpp>
#include <warpkit/testing/cta_laws.hpp>

#include "catch.hpp"
#include "source_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace warpkit;
using namespace warpkit::testing;
namespace tables = warpkit::multithreading_tables;

namespace {

kernel_began kernel(unsigned ctas, unsigned core = 0, std::uint32_t l1_lines = 64) {
    kernel_began e;
    e.core = core;
    e.cores = 15;
    e.ctas_per_core = ctas;
    e.l1_lines = l1_lines;
    return e;
}
cta_launched launched(unsigned slot, unsigned warps = 2) {
    cta_launched e;
    e.cta = cta_slot{slot};
    e.warps = warp_set::range(slot * warps, (slot + 1) * warps);
    return e;
}
template <class P>
void issue(P& p, unsigned warp, unsigned times) {
    for (unsigned i = 0; i < times; ++i) p.on(issued{warp_slot{warp}, 0, issue_class::arithmetic, 1, 0});
}
core_sampled at(cycle now, std::uint64_t idle, std::uint64_t memory) {
    core_sampled e;
    e.at = now;
    e.idle_cycles = idle;
    e.memory_block_cycles = memory;
    return e;
}

// ---- naive twins

struct naive_lcs {
    lcs_options o;
    std::map<unsigned, unsigned> cta_of;
    std::map<unsigned, std::uint64_t> issues;
    std::uint64_t all = 0;
    unsigned optimum = 0;
    unsigned limit(unsigned fit) const { return optimum == 0 ? fit : std::min(optimum, fit); }
    void on(kernel_began const&) {
        cta_of.clear();
        issues.clear();
        all = 0;
        optimum = 0;
    }
    void on(cta_launched const& e) {
        issues[e.cta.index()] = 0;
        e.warps.for_each([&](warp_slot w) { cta_of[w.index()] = e.cta.index(); });
    }
    void on(issued const& e) {
        ++issues[cta_of[e.warp.index()]];
        ++all;
    }
    void on(cta_finished const& e) {
        auto its = issues[e.cta.index()];
        if (optimum != 0 || its == 0) return;
        if (o.most_issued)
            for (auto const& [cta, count] : issues) its = std::max(its, count);
        auto const n = static_cast<double>(all) / static_cast<double>(its);
        optimum = static_cast<unsigned>(o.round_down ? std::floor(n) : std::ceil(n));
    }
};

struct naive_dyncta {
    dyncta_options o;
    std::vector<std::pair<unsigned, warp_set>> by_age;
    unsigned most = 1;
    unsigned n = 1;
    std::vector<core_sampled> samples;
    unsigned limit(unsigned fit) const { return std::min(n, fit); }
    cycle next_sample() const { return samples.empty() ? 0 : samples.back().at + o.window; }
    warp_set paused() const {
        warp_set s;
        for (std::size_t i = 0; i < by_age.size(); ++i)
            if (i >= n && o.pausing) s |= by_age[i].second;
        return s;
    }
    void on(kernel_began const& e) {
        by_age.clear();
        samples.clear();
        most = e.ctas_per_core;
        n = std::max(1U, most / 2);
    }
    void on(cta_launched const& e) { by_age.emplace_back(e.cta.index(), e.warps); }
    void on(cta_finished const& e) {
        for (std::size_t i = 0; i < by_age.size(); ++i)
            if (by_age[i].first == e.cta.index())
                by_age.erase(by_age.begin() + static_cast<std::ptrdiff_t>(i--));
    }
    void on(core_sampled const& e) {
        if (!samples.empty()) {
            auto const& b = samples.back();
            auto const window = static_cast<double>(e.at - b.at) / static_cast<double>(o.window);
            auto const idle = static_cast<double>(e.idle_cycles - b.idle_cycles);
            auto const memory = static_cast<double>(e.memory_block_cycles - b.memory_block_cycles);
            if (idle >= static_cast<double>(o.idle) * window ||
                memory < static_cast<double>(o.memory_low) * window)
                n = std::min(n + 1, most);
            else if (memory > static_cast<double>(o.memory_high) * window)
                n = std::max(n - 1, 1U);
        }
        samples.push_back(e);
    }
};

/// Keeps what it has measured, and after each period searches all over again, as far as that goes.
struct naive_search {
    struct measured {
        std::uint64_t instructions;
        cycle cycles;
        bool faster_than(measured const& m, std::uint64_t percent) const {
            return instructions * m.cycles * 100 > m.instructions * cycles * (100 + percent);
        }
    };
    struct lacks {
        unsigned tokens; ///< for which there is no sample yet
    };
    pcal_search_options o;
    std::vector<unsigned> ladder;
    std::vector<measured> all;
    std::vector<core_sampled> samples;
    unsigned to_skip = 2; ///< samples behind which no period lies that counts
    unsigned now = 0;
    unsigned limit(unsigned fit) const { return fit; }
    unsigned tokens() const { return now; }
    cycle next_sample() const { return samples.empty() ? 0 : samples.back().at + o.period; }
    void on(kernel_began const& e) {
        *this = naive_search{o, {}, {}, {}};
        now = std::clamp(unsigned{e.ctas_per_core} * unsigned{e.warps_per_cta}, 1U, warp_set::width);
        for (unsigned const n : {1U, 2U, 3U, 4U, 6U, 8U, 12U, 16U, 24U, 32U, 48U, 64U, 96U})
            if (n < now) ladder.push_back(n);
        ladder.push_back(now);
    }
    unsigned above(unsigned n) const {
        for (auto const rung : ladder)
            if (rung > n) return rung;
        return n;
    }
    unsigned below(unsigned n) const {
        auto found = n;
        for (auto const rung : ladder)
            if (rung < n) found = rung;
        return found;
    }
    void search() const {
        std::size_t next = 0;
        auto const sample = [&](unsigned tokens) {
            if (next == all.size()) throw lacks{tokens};
            return all[next++];
        };
        auto best = ladder.back();
        auto rate = sample(best);
        auto const try_one = [&](unsigned n) {
            auto const r = sample(n);
            bool const better = r.faster_than(rate, o.gain);
            if (better) {
                best = n;
                rate = r;
            }
            return better;
        };
        for (auto n = best / 2; n > 0; n /= 2) try_one(n);
        for (;;) {
            auto const from = best;
            while (above(best) != best && try_one(above(best))) {}
            if (best == from)
                while (below(best) != best && try_one(below(best))) {}
            for (std::uint64_t i = 0; i < std::max<std::uint64_t>(o.hold, 1); ++i) {
                auto const r = sample(best);
                if (i + 1 >= o.hold) rate = r;
            }
        }
    }
    void on(core_sampled const& e) {
        samples.push_back(e);
        if (to_skip != 0) {
            --to_skip;
            return;
        }
        auto const& b = samples[samples.size() - 2];
        all.push_back({e.warp_instructions - b.warp_instructions, e.at - b.at});
        try {
            search();
        } catch (lacks const& l) {
            to_skip = l.tokens != now;
            now = l.tokens;
        }
    }
};

struct naive_decision {
    kernel_began k;
    bool ended = false;
    unsigned decided = 0;
    unsigned chosen = 0;
    std::uint64_t accesses = 0;
    std::uint64_t reads = 0;
    std::vector<bool> seen = std::vector<bool>(16384);
    unsigned limit(unsigned fit) const { return chosen != 0 ? std::min(chosen, fit) : k.core == 0 ? 1 : fit; }
    cycle next_sample() const { return ended ? 0 : never; }
    unsigned announced() const { return decided; }
    void on(kernel_began const& e) {
        *this = {};
        k = e;
    }
    void on(l1_accessed const& e) {
        if (k.core != 0 || decided != 0 || e.kind != access_kind::load) return;
        ++accesses;
        if (e.outcome == cache_outcome::miss || e.outcome == cache_outcome::sector_miss) ++reads;
        seen[static_cast<std::size_t>(e.line * 0x9e3779b97f4a7c15U >> 50)] = true;
    }
    void on(cta_finished const&) { ended = k.core == 0 && decided == 0; }
    void on(degree_chosen const& e) { chosen = e.ctas; }
    void on(core_sampled const& e) {
        ended = false;
        double const w = static_cast<double>(std::count(seen.begin(), seen.end(), true));
        double const c = k.l1_lines;
        double miss = accesses == 0 ? 0 : static_cast<double>(reads) / static_cast<double>(accesses);
        double r = static_cast<double>(reads);
        double time = 1;
        double best = 1;
        double most = r;
        decided = 1;
        for (unsigned t = 2; t <= k.ctas_per_core; ++t) {
            auto const f = [&](double n) { return n * w <= c ? 0.0 : (n * w - c) / (n * w); };
            double const grown = miss + 0.36 * (1 - miss) * (f(t) - f(t - 1)) / (1 - f(t - 1));
            double const reads_now = miss > 0 ? r * grown / miss : grown * static_cast<double>(accesses);
            double b = 1.10;
            if (grown < 0.15 || grown > 0.85)
                b = 1.03;
            else if (grown >= 0.30 && w > 5 * c && grown - miss > 0.10)
                b = 1.90;
            else if (grown >= 0.30 && w > 15 * c && grown - miss > 0.04)
                b = 1.75;
            double const pipeline = t * w <= c ? 1.05 : reads_now > 5 * c ? 1.2 : 1.1;
            time = time * (r > 0 ? reads_now / r : 1.0) * b * pipeline;
            miss = grown;
            r = reads_now;
            most = std::max(most, r);
            if (t / time > best) {
                best = t / time;
                decided = t;
            }
        }
        if (accesses == 0 || most < 0.05 * static_cast<double>(e.warp_instructions))
            decided = k.ctas_per_core;
    }
};

} // namespace

// ---- static, LCS, DYNCTA

TEST_CASE("a static degree is what it says, at least 1, at most what fits; it is steady") {
    CHECK(static_limit(3).limit(8) == 3);
    CHECK(static_limit(3).limit(2) == 2);
    CHECK(static_limit(0).limit(8) == 1);
    CHECK(no_limit{}.limit(7) == 7);
    CHECK(steady_limit(static_limit(3)));
    CHECK(steady_limit(no_limit{}));
    CHECK_FALSE(steady_limit(lcs{}));
}

TEST_CASE("LCS: as many CTAs as have issued what the first that ended has") {
    lcs p;
    p.on(kernel(8));
    for (unsigned c = 0; c < 4; ++c) p.on(launched(c));
    CHECK(p.limit(8) == 8);
    issue(p, 0, 60); // CTA 0: 100
    issue(p, 1, 40);
    issue(p, 2, 70); // CTA 1: 70
    issue(p, 4, 30); // CTA 2: 30
    issue(p, 6, 1);  // CTA 3: 1
    p.on(cta_finished{cta_slot{0}, 0, 500});
    CHECK(p.limit(8) == 3); // 201 / 100, rounded up
    CHECK(p.limit(2) == 2);
    issue(p, 2, 500); // decided is decided
    p.on(cta_finished{cta_slot{1}, 1, 900});
    CHECK(p.limit(8) == 3);
    p.on(kernel(8));
    CHECK(p.limit(8) == 8);
}

TEST_CASE("LCS: what is not confirmed of it is a parameter") {
    auto const chosen = [](lcs_options const& o) {
        lcs p(o);
        p.on(kernel(8));
        for (unsigned c = 0; c < 4; ++c) p.on(launched(c));
        issue(p, 0,
              100); // the first to end; the second has issued more, as no greedy scheduler would have it
        issue(p, 2, 150);
        issue(p, 4, 30);
        issue(p, 6, 1);
        p.on(cta_finished{cta_slot{0}, 0, 500});
        return p.chosen();
    };
    CHECK(chosen({}) == 3); // 281 / 100
    CHECK(chosen({.round_down = true}) == 2);
    CHECK(chosen({.most_issued = true}) == 2); // 281 / 150
    CHECK(chosen({.round_down = true, .most_issued = true}) == 1);
    lcs one({.round_down = true});
    one.on(kernel(8));
    one.on(launched(0));
    issue(one, 0, 7);
    one.on(cta_finished{cta_slot{0}, 0, 9});
    CHECK(one.chosen() == 1); // never below
    one.on(kernel(8));
    CHECK(one == [] { // the next kernel begins anew, under the same options
        lcs fresh({.round_down = true});
        fresh.on(kernel(8));
        return fresh;
    }());
}

TEST_CASE("DYNCTA: half at first, then one more or one less by what a window was lost to") {
    dyncta p;
    p.on(kernel(8));
    CHECK(p.limit(8) == 4);
    CHECK(p.next_sample() == 0);
    p.on(at(100, 0, 0)); // the first window begins
    CHECK(p.next_sample() == 100 + 2048);
    struct {
        std::uint64_t idle, memory;
        unsigned then;
    } const windows[] = {{15, 128, 4}, // at no threshold
                         {16, 400, 5}, // idle comes first
                         {15, 127, 6}, // little waiting
                         {15, 384, 6}, // not above
                         {15, 385, 5}, {0, 2048, 4}, {0, 2048, 3}, {0, 2048, 2},
                         {0, 2048, 1}, {0, 2048, 1}, {0, 0, 2}};
    core_sampled e = at(100, 0, 0);
    for (auto const& w : windows) {
        e = at(e.at + 2048, e.idle_cycles + w.idle, e.memory_block_cycles + w.memory);
        p.on(e);
        CHECK(p.limit(8) == w.then);
    }
    p.on(at(e.at + 4096, e.idle_cycles,
            e.memory_block_cycles + 770)); // a window of twice the length: 385 of 2048
    CHECK(p.limit(8) == 1);
    dyncta one;
    one.on(kernel(1));
    CHECK(one.limit(1) == 1);
    dyncta most;
    most.on(kernel(4));
    for (cycle t = 0; t < 10; ++t) most.on(at(2048 * t, 0, 0));
    CHECK(most.limit(8) == 4);
}

TEST_CASE("DYNCTA pauses the youngest, which go on before others come") {
    dyncta p;
    p.on(kernel(8));
    p.on(at(0, 0, 0));
    for (unsigned const c : {0U, 1U, 2U, 3U}) p.on(launched(c));
    CHECK_FALSE(p.paused());
    p.on(at(2048, 0, 1000));
    CHECK(p.limit(8) == 3);
    CHECK(p.paused() == warp_set::range(6, 8)); // CTA 3's
    p.on(at(4096, 0, 2000));
    CHECK(p.paused() == warp_set::range(4, 8));
    p.on(cta_finished{cta_slot{0}, 0, 4100});
    CHECK(p.limit(8) == 2);                     // three resident: no newcomer
    CHECK(p.paused() == warp_set::range(6, 8)); // CTA 2 has resumed
    p.on(cta_finished{cta_slot{2}, 2, 4200});
    CHECK_FALSE(p.paused());
    p.on(launched(0));
    CHECK(p.paused() == warp_set::range(0, 2)); // were one to come all the same, it is the youngest now
    dyncta_options o;
    o.pausing = false;
    dyncta calm(o);
    calm.on(kernel(8));
    calm.on(at(0, 0, 0));
    for (unsigned const c : {0U, 1U, 2U, 3U}) calm.on(launched(c));
    calm.on(at(2048, 0, 1000));
    CHECK(calm.limit(8) == 3);
    CHECK_FALSE(calm.paused());
}

// ---- the decision, stage by stage

TEST_CASE("PCAL's search has periods of a cycle at least") {
    CHECK(pcal_search({.period = 0}) == pcal_search({.period = 1}));
    CHECK(!(pcal_search({.period = 1}) == pcal_search({.period = 2})));
}

TEST_CASE("PCAL's search: halves of all tokens first, then neighbours of the best, which stays for a while") {
    // Instructions in a period of 100 cycles, by tokens: six are best.
    auto const speed = [](unsigned tokens) {
        return tokens <= 6 ? 100 + 10 * tokens : tokens <= 12 ? 140U : 100U;
    };
    pcal_search p({.period = 100, .gain = 2, .hold = 3});
    auto began = kernel(5);
    began.warps_per_cta = 8;
    p.on(began);
    CHECK(p.limit(5) == 5);
    std::vector<unsigned> tried;
    core_sampled e;
    for (unsigned i = 0; i < 25; ++i) {
        e.at = p.next_sample();
        p.on(e);
        if (tried.empty() || tried.back() != p.tokens()) tried.push_back(p.tokens());
        e.warp_instructions += speed(p.tokens());
    }
    CHECK(tried == std::vector<unsigned>{40, 20, 10, 5, 2, 1, 6, 8, 6, 8, 4, 6});
    // What a core does at first, and while its lines are others', does not count: a period goes by unheeded each time.
    p.on(began);
    e.at = 0;
    for (unsigned i = 0; i < 3; ++i) {
        e.at += 100;
        CHECK(p.tokens() == 40);
        p.on(e);
    }
    CHECK(p.tokens() == 20);
    p.on(began);
    CHECK(p.tokens() == 40);
}

TEST_CASE("equation 2: the growth of DRAM reads, on all of table 5") {
    for (auto const& p : tables::programs)
        for (unsigned t = 1; t < 8; ++t) {
            INFO(p.name << " at " << t + 1);
            auto const& row = p.degree[t];
            CHECK(increasing_rate(row.reads, p.degree[t - 1].reads) == Approx(row.read_rate).margin(0.0051));
            CHECK(row.time / p.degree[t - 1].time == Approx(row.time_rate).margin(0.0051)); // table 6
        }
    CHECK(increasing_rate(5, 0) == 1);
}

TEST_CASE("second stage: the latency rules at every boundary (section 5.1)") {
    double const c = 64;
    auto const b = [&](double miss, double growth, double sets) {
        return latency_growth(miss, growth, sets * c, c);
    };
    CHECK(b(.10, 0, 1) == 1.03);
    CHECK(b(.20, 0, 1) == 1.10);
    CHECK(b(.50, .12, 6) == 1.90);
    CHECK(b(.50, .05, 16) == 1.75);
    CHECK(b(.90, .12, 6) == 1.03);
    CHECK(b(std::nextafter(.15, 0), .12, 6) == 1.03); // equality goes to the next rule
    CHECK(b(.15, .12, 6) == 1.10);
    CHECK(b(std::nextafter(.30, 0), .12, 6) == 1.10);
    CHECK(b(.30, .12, 6) == 1.90);
    CHECK(b(.85, .12, 6) == 1.90);
    CHECK(b(std::nextafter(.85, 1), .12, 6) == 1.03);
    CHECK(b(.50, .12, 5) == 1.10); // larger than 5 times
    CHECK(latency_growth(.50, .12, 5 * c + 1, c) == 1.90);
    CHECK(b(.50, .10, 6) == 1.10); // growth larger than 0.1
    CHECK(b(.50, std::nextafter(.10, 1), 6) == 1.90);
    CHECK(b(.50, .12, 16) == 1.90); // the first rule that applies
    CHECK(b(.50, .05, 15) == 1.10);
    CHECK(latency_growth(.50, .05, 15 * c + 1, c) == 1.75);
    CHECK(b(.50, .04, 16) == 1.10);
    CHECK(b(.50, std::nextafter(.04, 1), 16) == 1.75);
}

TEST_CASE("third stage: the pipeline rules at every boundary (sections 4.4 and 5.1)") {
    CHECK(pipeline_growth(63, 1000, 64) == 1.05);
    CHECK(pipeline_growth(64, 1000, 64) == 1.05);
    CHECK(pipeline_growth(65, 320, 64) == 1.10);
    CHECK(pipeline_growth(65, 320.5, 64) == 1.20);
    degree_rules r;
    r.saturated = 0.9; // section 4.4: reads close to warp instructions
    CHECK(pipeline_growth(65, 10, 64, 0.9, r) == 1.20);
    CHECK(pipeline_growth(65, 10, 64, 0.89, r) == 1.10);
    CHECK(pipeline_growth(65, 10, 64, 0.9) == 1.10);
}

TEST_CASE("the gate: fewer than 0.05 DRAM reads per warp instruction are compute-bound, and keep all") {
    degree_report r;
    r.accesses = 1000;
    r.reads = 50;
    r.working_set = 100;
    r.cache = 64;
    r.warp_instructions = 1000;
    degree_rules alone;
    alone.gate = degree_gate::measured;
    CHECK_FALSE(predict_degrees(r, 8, modelled_reads{}, alone).compute_bound);
    r.warp_instructions = 1001;
    auto const p = predict_degrees(r, 8, modelled_reads{}, alone);
    CHECK(p.compute_bound);
    CHECK(p.chosen == 8);
    // The standard looks at the most reads that any degree is foretold to have.
    tabled_reads t;
    t.degrees = 2;
    t.point[0] = {.05, 50};
    t.point[1] = {.2, 200};
    r.warp_instructions = 4000;
    CHECK_FALSE(predict_degrees(r, 2, t).compute_bound);
    r.warp_instructions = 4001;
    CHECK(predict_degrees(r, 2, t).compute_bound);
    CHECK(predict_degrees(r, 1, t).compute_bound);
    r.accesses = r.reads = 0;
    CHECK(predict_degrees(r, 6, modelled_reads{}).chosen == 6);
}

TEST_CASE("the gate: what alone fits the cache looks compute-bound by its own reads, not by those foretold") {
    // `gather` at full size with an L1 of 16 KiB, as `lab degrees --saw` tells of it; one block there is four times as
    // fast as six (docs/reference/cta.md).
    degree_report r;
    r.accesses = 4999;
    r.reads = 136; // .032 per instruction, all of them first touches
    r.warp_instructions = 4304;
    r.working_set = 136;
    r.cache = 128;
    degree_rules alone;
    alone.gate = degree_gate::measured;
    CHECK(predict_degrees(r, 6, modelled_reads{}, alone).chosen == 6);
    auto const p = predict_degrees(r, 6, modelled_reads{});
    CHECK_FALSE(p.compute_bound);
    CHECK(p.chosen == 1);
    // f(1) = 8/136, f(2) = 144/272: miss = .0272 + .36 * .9728 / 2
    CHECK(p.step[1].miss == Approx(.2023).margin(5e-5));
    CHECK(p.step[1].reads == Approx(1011.4).margin(.5)); // .235 per instruction
}

TEST_CASE("first stage: the model's shape, as section 5.1 and figures 9 to 11 describe it") {
    auto const grow = [](double miss, double set, double cache) {
        degree_report r;
        r.accesses = 10000;
        r.reads = static_cast<std::uint64_t>(10000 * miss);
        r.working_set = static_cast<std::uint64_t>(set);
        r.cache = static_cast<std::uint64_t>(cache);
        auto const first = first_point(r);
        return modelled_reads{}.at(2, first, r).reads / first.reads;
    };
    CHECK(grow(.1, 70, 64) > grow(.4, 70, 64));            // figure 9: faster where the miss rate is low
    CHECK(grow(.4, 40, 64) > grow(.4, 40, 75));            // figure 10: slower on a larger cache
    CHECK(grow(.4, 60, 64) > grow(.4, 40, 64));            // figure 11: faster with a larger working set
    CHECK(grow(.4, 32, 64) == 1);                          // two fit
    CHECK(grow(.4, 64, 64) == Approx(grow(.4, 1000, 64))); // beyond the cache, neither matters
}

TEST_CASE("the whole prediction by hand: two degrees") {
    degree_report r;
    r.accesses = 400;
    r.reads = 100; // miss .25
    r.warp_instructions = 1000;
    r.working_set = 48;
    r.cache = 64;
    auto const p = predict_degrees(r, 2, modelled_reads{0.5});
    // f(2) = 32 / 96 = 1/3, miss = .25 + .5 * .75 / 3 = .375: a = 1.5; b: .30 and more, small set: 1.10; c: 96 lines:
    // 1.1
    CHECK(p.step[1].miss == Approx(.375));
    CHECK(p.step[1].reads == Approx(150));
    CHECK(p.step[1].read_rate == Approx(1.5));
    CHECK(p.step[1].latency == 1.10);
    CHECK(p.step[1].pipeline == 1.1);
    CHECK(p.step[1].time == Approx(1.815));
    CHECK(p.step[1].throughput == Approx(2 / 1.815));
    CHECK(p.chosen == 2);
}

TEST_CASE("the decision on one core, from events; the controller's word goes to all") {
    using decision = multithreading_degree<modelled_reads>;
    decision first;
    decision other;
    first.on(kernel(8, 0));
    other.on(kernel(8, 3));
    CHECK(first.limit(8) == 1);
    CHECK(other.limit(8) == 8);
    auto const load = [&](decision& d, std::uint64_t line, cache_outcome o,
                          access_kind k = access_kind::load) {
        d.on(l1_accessed{warp_slot{0}, 0, 128 * line, k, o});
    };
    for (unsigned round = 0; round < 4; ++round)
        for (unsigned i = 0; i < 100; ++i) {
            load(first, i,
                 round == 0   ? cache_outcome::miss
                 : i % 2 == 0 ? cache_outcome::hit
                              : cache_outcome::hit_reserved);
            load(first, 1000 + i, cache_outcome::miss, access_kind::store); // counts nowhere
            load(other, i, cache_outcome::miss);
        }
    CHECK(first.next_sample() == never);
    first.on(cta_finished{cta_slot{0}, 0, 900});
    other.on(cta_finished{cta_slot{0}, 3, 900});
    CHECK(first.next_sample() == 0);
    CHECK(other.next_sample() == never);
    core_sampled e;
    e.warp_instructions = 1000;
    e.latency_sum = 30000;
    e.latencies = 100;
    first.on(e);
    CHECK(first.report() == degree_report{400, 100, 1000, first.report().working_set, 64, 300.0});
    CHECK(first.report().working_set >= 98); // 100, but for lines that the filter takes for each other
    CHECK(first.report().working_set <= 100);
    auto const chosen = first.announced();
    CHECK(chosen == predict_degrees(first.report(), 8, modelled_reads{}).chosen);
    CHECK(first.limit(8) == 1); // until the controller says so
    first.on(degree_chosen{chosen});
    other.on(degree_chosen{chosen});
    CHECK(first.limit(8) == chosen);
    CHECK(other.limit(8) == chosen);
    CHECK(other.limit(1) == 1);
    first.on(kernel(8, 0));
    CHECK(first.limit(8) == 1);
    CHECK(first.announced() == 0);
}

// ---- the thesis' tables

namespace {
degree_report report_of(tables::program const& p, double working_set) {
    degree_report r;
    r.accesses = static_cast<std::uint64_t>(100 * p.degree[0].reads / p.degree[0].miss + .5); // hundredths
    r.reads = static_cast<std::uint64_t>(100 * p.degree[0].reads + .5);
    r.warp_instructions = r.reads;
    r.working_set = static_cast<std::uint64_t>(100 * working_set + .5);
    r.cache = static_cast<std::uint64_t>(100 * tables::cache_lines);
    return r;
}
double working_set_of(tables::program const& p) {
    return p.working_set != 0 ? p.working_set : 5 * tables::cache_lines;
}
std::vector<double> modelled(tables::program const& p, double reuse) {
    auto const r = report_of(p, working_set_of(p));
    read_point now{p.degree[0].miss, p.degree[0].reads};
    std::vector<double> miss{now.miss};
    for (unsigned t = 2; t <= 8; ++t) {
        now = modelled_reads{reuse}.at(t, now, r);
        miss.push_back(now.miss);
    }
    return miss;
}
double residual(tables::program const& p, double reuse) {
    double sum = 0;
    auto const miss = modelled(p, reuse);
    for (unsigned t = 0; t < 8; ++t) sum += (miss[t] - p.degree[t].miss) * (miss[t] - p.degree[t].miss);
    return sum;
}
std::string fixed(double x, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, x);
    return text;
}
} // namespace

TEST_CASE("the residuals of the modelled first stage on table 5 are those that the page tells of") {
    std::ostringstream page_table;
    double best_sum = 1e9;
    int best_common = 0;
    for (int n = 0; n <= 100; ++n) {
        double sum = 0;
        for (auto const& p : tables::programs) sum += residual(p, n / 100.0);
        if (sum < best_sum) {
            best_sum = sum;
            best_common = n;
        }
    }
    CHECK(best_common / 100.0 == Approx(modelled_reads{}.reuse)); // the default is the best for all three
    for (auto const& p : tables::programs) {
        int best = 0;
        for (int n = 1; n <= 100; ++n)
            if (residual(p, n / 100.0) < residual(p, best / 100.0)) best = n;
        auto const row = [&](std::string const& what, auto const& miss) {
            page_table << "| " << p.name << " | " << what << " |";
            for (unsigned t = 0; t < 8; ++t) page_table << ' ' << fixed(miss[t], 2) << " |";
        };
        std::vector<double> thesis;
        for (auto const& d : p.degree) thesis.push_back(d.miss);
        row("thesis", thesis);
        page_table << " |\n";
        for (auto const reuse : {modelled_reads{}.reuse, best / 100.0}) {
            row("reuse " + fixed(reuse, 2) + (reuse == modelled_reads{}.reuse ? "" : ", its best"),
                modelled(p, reuse));
            page_table << ' ' << fixed(std::sqrt(residual(p, reuse) / 8), 3) << " |\n";
        }
    }
    auto const page = source_text("docs/reference/cta.md");
    INFO("the table that docs/reference/cta.md should hold:\n" << page_table.str());
    CHECK(page.find(page_table.str()) != std::string::npos);
}

TEST_CASE("what the scheme decides on the thesis' own programs, beside what tables 5 and 6 say is best") {
    auto const best_of = [](tables::program const& p) {
        unsigned best = 1;
        for (unsigned t = 2; t <= 8; ++t)
            if (t / p.degree[t - 1].time > best / p.degree[best - 1].time) best = t;
        return best;
    };
    struct expected {
        unsigned measured, tabled, model;
    };
    expected const all[] = {{5, 5, 4}, {2, 1, 1}, {2, 1, 1}};
    for (unsigned i = 0; i < 3; ++i) {
        auto const& p = tables::programs[i];
        INFO(p.name);
        auto const r = report_of(p, working_set_of(p));
        CHECK(best_of(p) == all[i].measured);
        CHECK(predict_degrees(r, 8, tables::table_of(p)).chosen == all[i].tabled);
        CHECK(predict_degrees(r, 8, modelled_reads{}).chosen == all[i].model);
    }
}

// ---- laws, twins, and one of several

TEST_CASE("occupancy limits keep the laws, and agree with their naive twins") {
    CHECK_NOTHROW(require_occupancy_limit_laws<no_limit>({.streams = 2}));
    CHECK_NOTHROW(require_occupancy_limit_laws({.streams = 2}, static_limit(3)));
    CHECK_NOTHROW(require_occupancy_limit_laws<lcs>());
    CHECK_NOTHROW(require_occupancy_limit_laws<dyncta>());
    CHECK_NOTHROW(require_occupancy_limit_laws<multithreading_degree<modelled_reads>>({.streams = 4}));
    CHECK_NOTHROW(require_occupancy_limit_laws(
        {.streams = 2}, multithreading_degree<tabled_reads>(tables::table_of(tables::programs[0]))));
    CHECK_NOTHROW(require_occupancy_limit_laws<occupancy_limit_archetype>({.streams = 1}));
    CHECK_NOTHROW(require_occupancy_limit_laws({.streams = 2}, any_occupancy_limit(dyncta())));
    CHECK_NOTHROW(require_limit_agreement<lcs, naive_lcs>({.seed = 5, .streams = 12}));
    lcs_options const other{.round_down = true, .most_issued = true};
    naive_lcs other_twin;
    other_twin.o = other;
    CHECK_NOTHROW(require_limit_agreement({.seed = 9, .streams = 6}, lcs(other), other_twin));
    CHECK_NOTHROW(require_limit_agreement<dyncta, naive_dyncta>({.seed = 6, .streams = 12}));
    dyncta_options o{500, 40, 60, 120, true};
    naive_dyncta twin;
    twin.o = o;
    CHECK_NOTHROW(require_limit_agreement({.seed = 7, .streams = 12}, dyncta(o), twin));
    CHECK_NOTHROW(require_limit_agreement<multithreading_degree<modelled_reads>, naive_decision>(
        {.seed = 8, .streams = 12}));
    CHECK_NOTHROW(require_occupancy_limit_laws<pcal_search>());
    for (std::uint64_t i = 0; i < 8; ++i) {
        naive_search third;
        third.o = {.period = 20 + 100 * i, .gain = i, .hold = 3 * i};
        CHECK_NOTHROW(require_limit_agreement({.seed = 20 + i, .streams = 3}, pcal_search(third.o), third));
    }
}

namespace {
/// Too many, and none.
struct unbounded {
    unsigned limit(unsigned fit) const { return launched_ < 3 ? fit : fit - 1; }
    void on(cta_launched const&) { ++launched_; }
    void on(kernel_began const&) { launched_ = 0; }
    bool operator==(unbounded const&) const = default;
    unsigned launched_ = 0;
};
/// Calls itself steady.
struct unsteady {
    unsigned limit(unsigned fit) const { return 1 + launched_ % fit; }
    bool steady() const { return true; }
    void on(cta_launched const&) { ++launched_; }
    void on(kernel_began const&) { launched_ = 0; }
    bool operator==(unsteady const&) const = default;
    unsigned launched_ = 0;
};
/// Remembers the kernel before.
struct remembering {
    unsigned limit(unsigned fit) const { return launched_ > 20 ? 1 : fit; }
    void on(cta_launched const&) { ++launched_; }
    bool operator==(remembering const&) const = default;
    unsigned launched_ = 0;
};
} // namespace

TEST_CASE("the laws see what is wrong with a limit") {
    CHECK_THROWS_WITH(require_occupancy_limit_laws<unbounded>(),
                      Catch::Contains("a limit is from 1 to what fits"));
    CHECK_THROWS_WITH(require_occupancy_limit_laws<unsteady>(), Catch::Contains("a steady limit stays"));
    CHECK_THROWS_WITH(require_occupancy_limit_laws<remembering>(), Catch::Contains("as good as new"));
    CHECK_THROWS_WITH((require_limit_agreement<lcs, naive_dyncta>()), Catch::Contains("twin"));
}

TEST_CASE("one of several limits is the one that it is") {
    STATIC_REQUIRE(check_occupancy_limit<any_occupancy_limit>());
    CHECK(steady_limit(any_occupancy_limit{}));
    CHECK(steady_limit(any_occupancy_limit(static_limit(2))));
    CHECK_FALSE(steady_limit(any_occupancy_limit(lcs{})));
    CHECK_NOTHROW(require_limit_agreement({.streams = 3}, any_occupancy_limit(dyncta()), dyncta()));
    CHECK_NOTHROW(require_limit_agreement({.streams = 3}, any_occupancy_limit(lcs()), lcs()));
    CHECK(any_occupancy_limit(static_limit(3)).limit(8) == 3);
    CHECK_FALSE(any_occupancy_limit(static_limit(3)) == any_occupancy_limit{});
}
