/// TLBs and page walks: worked examples, and the engine's parts against the reference's, on random requests.

#include <warpkit/gpu/core/core_tlb.hpp>
#include <warpkit/gpu/shared_tlb.hpp>
#include <warpkit/reference/translation.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

using namespace warpkit;
using testing::random_numbers;

namespace {

using answers = std::vector<std::tuple<unsigned, cycle, std::uint64_t>>; // core, cycle, page

translation_numbers small_tlb() {
    translation_numbers n;
    n.l1_entries = 2;
    n.l1_ways = 2;
    n.l1_mshrs = 2;
    n.l2_entries = 4;
    n.l2_ways = 4;
    n.l2_ports = 1;
    n.l2_latency = 10;
    n.walkers = 2;
    n.walk_levels = 4;
    n.walk_latency = 100;
    n.walk_cache = 8;
    n.page = 4096;
    return n;
}

struct asked {
    cycle at;
    unsigned core;
    std::uint64_t page;
};
/// Of the reference, cycle by cycle; requests are given by cycle and core.
answers ticked(translation_numbers const& n, cycle hop, std::vector<asked> const& all,
               translation_counters& c) {
    reference::shared_translation t(n, hop);
    answers found;
    std::size_t i = 0;
    for (cycle now = 0; i != all.size() || !t.idle(); ++now) {
        for (; i != all.size() && all[i].at == now; ++i) t.ask(now, all[i].core, all[i].page);
        t.tick(now, [&](unsigned core, cycle at, std::uint64_t page) { found.emplace_back(core, at, page); });
    }
    c = t.counters();
    return found;
}
/// Of the engine, window by window.
answers by_windows(translation_numbers const& n, cycle hop, std::vector<asked> const& all,
                   translation_counters& c) {
    shared_tlb t(n, hop);
    answers found;
    std::size_t i = 0;
    for (cycle end = hop; i != all.size() || !t.idle(); end += hop) {
        auto const first = i;
        while (i != all.size() && all[i].at < end) ++i;
        for (unsigned core = 0; core < 8; ++core)
            for (auto k = first; k != i; ++k)
                if (all[k].core == core) t.ask(all[k].at, core, all[k].page);
        t.run(end, [&](unsigned core, cycle at, std::uint64_t page) {
            CHECK(at >= end); // the core has not been there yet
            found.emplace_back(core, at, page);
        });
    }
    c = t.counters();
    return found;
}
/// Both, which must be the same.
answers answered(translation_numbers const& n, cycle hop, std::vector<asked> const& all,
                 translation_counters* counted = nullptr) {
    translation_counters a, b;
    auto const found = ticked(n, hop, all, a);
    CHECK(found == by_windows(n, hop, all, b));
    CHECK(a == b);
    if (counted != nullptr) *counted = a;
    return found;
}

} // namespace

TEST_CASE("a page walk reads what is not kept of the table") {
    translation_counters c;
    auto const found = answered(small_tlb(), 4, {{0, 0, 0x1000}, {500, 0, 0x1001}, {700, 1, 0x1000}}, &c);
    CHECK(found == answers{{0, 418, 0x1000}, {0, 618, 0x1001}, {1, 718, 0x1000}});
    CHECK(c.l2_misses == 2);
    CHECK(c.l2_hits == 1);
    CHECK(c.walks == 2);
    CHECK(c.walk_accesses == 5);
}

TEST_CASE("the lowest level that is kept saves all above it") {
    // 512 pages on, the entry above is another one, but the one above that is the same.
    auto const found = answered(small_tlb(), 4, {{0, 0, 0}, {500, 0, 512}, {1000, 0, 512 * 512}});
    CHECK(found == answers{{0, 418, 0}, {0, 500 + 14 + 200 + 4, 512}, {0, 1000 + 14 + 300 + 4, 512 * 512}});
    auto none = small_tlb();
    none.walk_cache = 0;
    CHECK(answered(none, 4, {{0, 0, 0}, {500, 0, 1}}) == answers{{0, 418, 0}, {0, 918, 1}});
}

TEST_CASE("misses of one page have one walk, and walks wait for a walker") {
    auto n = small_tlb();
    n.walkers = 1;
    translation_counters c;
    auto const found = answered(n, 4, {{0, 0, 7}, {0, 1, 7}, {3, 2, 9}, {100, 3, 9}}, &c);
    // One look-up a cycle: 4, 5, 7. The second walk begins where the first ends, which leaves it an entry.
    CHECK(found == answers{{0, 418, 7}, {1, 418, 7}, {2, 518, 9}, {3, 518, 9}});
    CHECK(c.walks == 2);
    CHECK(c.l2_misses == 4);
}

TEST_CASE("without a shared TLB each miss is a walk") {
    auto n = small_tlb();
    n.l2_entries = 0;
    CHECK(answered(n, 4, {{0, 0, 7}, {500, 1, 7}}) == answers{{0, 418, 7}, {1, 618, 7}});
}

TEST_CASE("a core's TLB: hits, misses, merges, and who waits for want of an MSHR") {
    core_tlb<int> t(small_tlb());
    warp_slot const w{3};
    CHECK(t.look_up(1, 0x1000, w, 1) == page_found::later);
    CHECK(t.look_up(2, 0x1fff, w, 2) == page_found::later); // the same page
    CHECK(t.look_up(3, 0x2000, w, 3) == page_found::later);
    CHECK(t.look_up(4, 0x3000, w, 4) == page_found::not_yet);
    CHECK(t.warps().contains(w));
    t.answer_at(50, 2);
    t.answer_at(20, 1);
    CHECK(t.next_answer() == 20);
    t.take_answers(19);
    CHECK_FALSE(t.has_ready());
    t.take_answers(20);
    CHECK(t.next_ready() == 1);
    t.pop_ready();
    CHECK(t.next_ready() == 2);
    t.pop_ready();
    CHECK_FALSE(t.has_ready());
    CHECK(t.warps().contains(w)); // for the other page
    CHECK(t.look_up(21, 0x1008, w, 5) == page_found::now);
    CHECK(t.look_up(21, 0x3000, w, 6) == page_found::later);
    t.take_answers(50);
    CHECK(t.next_ready() == 3);
    CHECK(t.counters().l1_misses == 3);
    CHECK(t.counters().l1_merges == 1);
    CHECK(t.counters().l1_hits == 1);
    CHECK(t.counters().wait_cycles == 19 + 18 + 47);
}

TEST_CASE("what cores share agrees with the reference, on random requests") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        INFO("seed " << seed);
        random_numbers r(seed);
        auto n = small_tlb();
        n.l2_ways = 1 + r.below(4);
        n.l2_entries = n.l2_ways * r.below(4);
        n.l2_ports = 1 + r.below(3);
        n.l2_latency = r.below(2) * r.below(30);
        n.walkers = 1 + r.below(4);
        n.walk_levels = 1 + r.below(5);
        n.walk_latency = 1 + r.below(40);
        n.walk_cache = r.below(6);
        auto const pages = 1 + r.below(40);
        auto const scale = r.chance(50) ? 1U : 511U;
        std::vector<asked> all;
        for (cycle at = 0; at < 1500; ++at)
            for (unsigned core = 0; core < 8; ++core)
                if (r.chance(3)) all.push_back({at, core, std::uint64_t{r.below(pages) * scale}});
        translation_counters c;
        auto const found = answered(n, 1 + r.below(9), all, &c);
        CHECK(found.size() == all.size()); // each has its answer
        CHECK(c.l2_hits + c.l2_misses == all.size());
        CHECK(c.walks <= c.l2_misses);
    }
}

TEST_CASE("a core's TLB agrees with the reference's, on random transactions") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        INFO("seed " << seed);
        random_numbers r(seed);
        auto n = small_tlb();
        n.l1_ways = 1 + r.below(4);
        n.l1_entries = n.l1_ways * (1 + r.below(3));
        n.l1_mshrs = 1 + r.below(4);
        core_tlb<unsigned> fast(n);
        reference::core_translation<unsigned> slow(n);
        auto const pages = 2 + r.below(12);
        for (cycle now = 0; now < 3000; ++now) {
            fast.take_answers(now);
            slow.tick(now);
            while (!slow.ready().empty() && r.chance(60)) {
                REQUIRE(fast.has_ready());
                REQUIRE(fast.next_ready() == slow.ready().front());
                fast.pop_ready();
                slow.ready().erase(slow.ready().begin());
            }
            REQUIRE(fast.has_ready() != slow.ready().empty());
            if (r.chance(50)) {
                auto const address = std::uint64_t{r.below(pages)} * n.page + r.below(n.page);
                warp_slot const w{r.below(48)};
                auto const a = fast.look_up(now, address, w, static_cast<unsigned>(now));
                auto const b = slow.look_up(now, address, w, static_cast<unsigned>(now));
                REQUIRE(static_cast<int>(a) == static_cast<int>(b));
                REQUIRE(fast.has(address) == slow.has(address));
            }
            REQUIRE(fast.asked().size() == slow.asked().size());
            for (auto const& asked : fast.asked()) {
                REQUIRE(asked.at == now);
                auto const at = now + 1 + r.below(60);
                fast.answer_at(at, asked.page);
                slow.answer_at(at, asked.page);
            }
            fast.asked().clear();
            slow.asked().clear();
            for (unsigned w = 0; w < 48; ++w)
                REQUIRE(fast.warps().contains(warp_slot{w}) == slow.waits(warp_slot{w}));
        }
        CHECK(fast.counters() == slow.counters());
        CHECK(fast.counters().l1_hits > 0);
        CHECK(fast.counters().l1_merges > 0);
    }
}
