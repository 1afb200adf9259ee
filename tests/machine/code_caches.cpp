/// L0 and L1.5 instruction caches around an L1I, cycle by cycle (docs/model/front_end.md#levels).
#include <warpkit/cache/allocation.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/machine/code_caches.hpp>
#include <warpkit/machine/plain_queues.hpp>

#include "catch.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace warpkit;

namespace {

using small = cache<linear_index, lru, on_fill, read_only>;

cache_numbers lines(unsigned n) {
    cache_numbers c;
    c.size = n * 128;
    c.ways = c.size == 0 ? 1 : n;
    c.line = c.sector = 128;
    c.mshr_entries = c.mshr_merges = c.miss_queue = 4;
    return c;
}
gpu_parameters levels(unsigned l0, unsigned l1, unsigned l15) {
    gpu_parameters p;
    p.core.sub_cores = 2;
    p.core.l1i_cycles = 5;
    p.core.l15i_cycles = 30;
    p.l0i = lines(l0);
    p.l1i = lines(l1);
    p.l15i = lines(l15);
    return p;
}

/// A core's instruction memory: who fetches what, and when it comes.
struct instruction_memory {
    gpu_parameters numbers;
    code_caches<small, calendar> around{numbers};
    small l1 = make_cache<small>("l1i", numbers.l1i, {}, "");
    cycle now = 0;
    std::vector<std::pair<cycle, unsigned>> came{}; ///< warps
    std::vector<cycle> changed{};                   ///< when what the L1I holds may be another
    std::vector<std::pair<cycle, std::uint64_t>> asked{};
    std::vector<std::pair<cycle, std::uint64_t>> under_way{};

    cache_outcome fetch(unsigned warp, std::uint64_t address) {
        cache_access a;
        a.address = address;
        a.bytes = 8;
        a.token = warp;
        a.owner = warp_slot{warp};
        return (around.has_l0() ? around.l0_of(warp_slot{warp}) : l1).access(a).outcome;
    }
    /// Memory answers 100 cycles later.
    void step() {
        ++now;
        auto const ready = [&](std::uint32_t warp) { came.emplace_back(now, warp); };
        if (!under_way.empty() && under_way.front().first == now) {
            auto const due = around.fill(now, under_way.front().second, 128, l1, ready);
            CHECK((due == never) == !around.in_use());
            under_way.erase(under_way.begin());
        }
        if (around.step(now, l1, ready)) changed.push_back(now);
        if (!around.has_request(l1)) return;
        asked.emplace_back(now, around.request(l1).address);
        under_way.emplace_back(now + 100, around.request(l1).address);
        around.pop_request(l1);
    }
    run_counters counted() const {
        run_counters c;
        around.add_to(c);
        return c;
    }
    void run(unsigned cycles) {
        while (cycles-- != 0) step();
    }
};
using pairs = std::vector<std::pair<cycle, unsigned>>;

} // namespace

TEST_CASE("without other levels the L1I asks memory, and its warps are ready when the line has come") {
    instruction_memory m{levels(0, 4, 0)};
    CHECK_FALSE(m.around.in_use());
    CHECK(m.fetch(3, 1024) == cache_outcome::miss);
    m.run(200);
    CHECK(m.asked.size() == 1);
    CHECK(m.came == pairs{{101, 3}});
}

TEST_CASE("an L0 asks the L1I, which gives back what it has after its cycles, and what it has not when it "
          "has come") {
    instruction_memory m{levels(1, 4, 0)};
    CHECK(m.fetch(0, 1024) == cache_outcome::miss); // of sub-core 0, as warp 2
    CHECK(m.fetch(2, 1032) == cache_outcome::hit_reserved);
    CHECK_FALSE(m.around.idle(m.l1));
    m.run(200);
    CHECK(m.around.idle(m.l1));
    CHECK(m.came == pairs{{106, 0}, {106, 2}}); // asked in 1, come in 101
    CHECK(m.changed == std::vector<cycle>{1, 106});
    m.came.clear();
    CHECK(m.fetch(0, 1024) == cache_outcome::hit);
    CHECK(m.fetch(1, 1024) == cache_outcome::miss); // sub-core 1 has an L0 of its own
    m.run(50);
    CHECK(m.asked.size() == 1);
    CHECK(m.came == pairs{{206, 1}}); // the L1I looked it up in 201
    auto const c = m.counted();
    CHECK((c.l0i.accesses == 4 && c.l0i.misses == 2 && c.l0i.hit_reserved == 1 && c.l0i.hits == 1));
    CHECK((m.l1.counters().accesses == 2 && m.l1.counters().misses == 1));
    CHECK(c.l15i == cache_counters{});
}

TEST_CASE("the L1I takes one line a cycle, from its L0s in turn") {
    instruction_memory m{levels(4, 8, 0)};
    for (unsigned line = 0; line < 4; ++line) {
        m.fetch(0, line * 128);
        m.fetch(1, line * 128);
    }
    m.run(300);
    m.came.clear();
    for (auto* l0 : {&m.around.l0_of(warp_slot{0}), &m.around.l0_of(warp_slot{1})}) l0->invalidate_all();
    m.fetch(0, 0);
    m.fetch(2, 128);
    m.fetch(1, 256);
    m.run(50);
    // The last one was of sub-core 1, so sub-core 0 goes first.
    CHECK(m.came == pairs{{306, 0}, {307, 1}, {308, 2}});
}

TEST_CASE("an L1.5 is asked for what the L1I lacks") {
    for (unsigned const l0 : {0U, 2U}) {
        instruction_memory m{levels(l0, 1, 4)};
        cycle const up = l0 == 0 ? 0 : 5;
        m.fetch(0, 0);
        m.run(400);
        REQUIRE(m.came.size() == 1);
        auto const first = m.came[0].first;
        m.fetch(0, 128);
        m.fetch(2, 256); // the L1I of one line keeps the last one
        m.run(400);
        m.came.clear();
        if (l0 != 0) m.around.l0_of(warp_slot{0}).invalidate_all();
        auto const began = m.now;
        CHECK(m.fetch(0, 0) == cache_outcome::miss);
        m.run(100);
        REQUIRE(m.came.size() == 1);
        CHECK(m.asked.size() == 3); // memory has not been asked again
        CHECK(m.came[0].first - began == 1 + (l0 == 0 ? 0 : 1) + 30 + up);
        CHECK(first == 1 + (l0 == 0 ? 0 : 1) + 100 + 30 + up);
        CHECK((m.counted().l15i.accesses == 4 && m.counted().l15i.hits == 1));
        CHECK(m.counted().l0i.accesses == (l0 == 0 ? 0 : 4));
    }
}

TEST_CASE("an L1I of size 0 behind L0s has everything") {
    instruction_memory m{levels(1, 0, 0)};
    CHECK(m.fetch(1, 4096) == cache_outcome::miss);
    m.run(20);
    CHECK(m.asked.empty());
    CHECK(m.came == pairs{{6, 1}});
}

TEST_CASE("what an L1.5 gives back changes what the L1I holds, in the cycle in which it comes") {
    instruction_memory m{levels(0, 1, 4)};
    m.fetch(0, 0);
    m.run(200);
    CHECK(m.came == pairs{{131, 0}}); // asked in 1, come in 101
    CHECK(m.changed == std::vector<cycle>{131});
    m.fetch(0, 128);
    m.run(200);
    m.changed.clear();
    m.fetch(0, 0); // which the L1.5 has kept
    m.run(100);
    CHECK(m.changed == std::vector<cycle>{431});
}

TEST_CASE("the caches around an L1I are told by name: an L0 for each sub-core, and one L1.5") {
    auto const names = [](unsigned l0, unsigned l15) {
        std::string all;
        instruction_memory const m{levels(l0, 4, l15)};
        m.around.each_cache([&](char const* name, small const&) { all += std::string(" ") + name; });
        return all;
    };
    CHECK(names(0, 0) == "");
    CHECK(names(2, 0) == " L0I L0I");
    CHECK(names(0, 2) == " L1.5I");
    CHECK(names(2, 2) == " L0I L0I L1.5I");
}
