// ELF 3.3 and 3.5: the unified fetch order, and next-line instruction prefetch.
#include <warpkit/fetch/interleaved.hpp>
#include <warpkit/fetch/next_line.hpp>
#include <warpkit/fetch/stream_buffer.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/warp/elf.hpp>
#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/lrr.hpp>

#include "catch.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

kernel_began two_schedulers() {
    kernel_began e;
    e.schedulers = 2;
    return e;
}
// The paper's list, written down: each scheduler's order by repeated picks, then first, first, second, second ...
template <class Order>
std::vector<unsigned> unified(std::vector<Order> const& schedulers, warp_set live) {
    std::vector<std::vector<unsigned>> lists;
    for (unsigned s = 0; s < schedulers.size(); ++s) {
        auto rest = live & warp_set::every(static_cast<unsigned>(schedulers.size()), s);
        lists.emplace_back();
        while (auto const w = schedulers[s].pick(rest)) {
            lists.back().push_back(w.index());
            rest.erase(w);
        }
    }
    std::vector<unsigned> all;
    for (std::size_t rank = 0; rank < 64; ++rank)
        for (auto const& l : lists)
            if (rank < l.size()) all.push_back(l[rank]);
    return all;
}

} // namespace

TEST_CASE("interleaved: first, first, second, second (ELF 3.3)") {
    fetch::interleaved<oldest> order;
    notify(two_schedulers(), order);
    notify(cta_launched{cta_slot{0}, 0, warp_set::first_n(6), 0}, order);
    auto rest = warp_set::first_n(6);
    std::vector<unsigned> list;
    while (auto const w = order.pick(rest)) {
        list.push_back(w.index());
        rest.erase(w);
    }
    CHECK(list == std::vector<unsigned>{0, 1, 2, 3, 4, 5});
    // Scheduler 0's warps are 0, 2, 4. Its front warps have instructions: scheduler 1's first goes ahead of its third.
    CHECK(order.pick(warp_set::from_bits(0b011010)) == warp_slot{1});
    CHECK(order.pick(warp_set::from_bits(0b110000)) == warp_slot{4}); // both third: scheduler 0 first
    // A warp that has exited keeps no place.
    notify(warp_exited{warp_slot{0}}, order);
    CHECK(order.pick(warp_set::from_bits(0b110000)) == warp_slot{4});
    notify(warp_exited{warp_slot{2}}, order);
    CHECK(order.pick(warp_set::from_bits(0b011000)) ==
          warp_slot{4}); // scheduler 0's first, scheduler 1's second
}

TEST_CASE("interleaved: each scheduler's order hears of its own warps") {
    fetch::interleaved<gto> order;
    notify(two_schedulers(), order);
    notify(cta_launched{cta_slot{0}, 0, warp_set::first_n(8), 0}, order);
    notify(issued{warp_slot{4}}, order);
    notify(issued{warp_slot{7}}, order);
    CHECK(order.order(0).greedy() == warp_slot{4});
    CHECK(order.order(1).greedy() == warp_slot{7});
    CHECK(order.pick(warp_set::first_n(8)) == warp_slot{4});
    CHECK(order.pick(warp_set::first_n(8) - warp_set{warp_slot{4}}) == warp_slot{7});
}

namespace {

// Random streams of a core with several schedulers; every fetch beside the list written down.
template <class Order>
std::uint64_t disagreements(std::uint64_t decisions) {
    std::uint64_t wrong = 0;
    for (unsigned schedulers = 1; schedulers <= 4; schedulers += 1 + schedulers / 2) {
        testing::random_core_options options;
        options.seed = 17 * schedulers;
        options.schedulers = schedulers;
        testing::random_core core(options);
        fetch::interleaved<Order> order;
        std::vector<Order> each(schedulers);
        auto const tell = [&](auto event) {
            using event_type = decltype(event);
            if constexpr (std::is_same_v<event_type, kernel_began>) event.schedulers = schedulers;
            if constexpr (!std::is_same_v<event_type, scheduler_began>) {
                notify(event, order);
                for (unsigned s = 0; s < schedulers; ++s) {
                    if constexpr (requires { warp_slot{event.warp}; })
                        if (event.warp && event.warp.index() % schedulers != s) continue;
                    notify(event, each[s]);
                }
            }
        };
        testing::random_numbers random(schedulers);
        core.begin_kernel(tell);
        for (std::uint64_t n = 0; n < decisions; ++n) {
            core.step(tell, [&](warp_set candidates, issue_classes const&) {
                auto const wanting = core.live() & warp_set::from_bits(random.next() & random.next());
                auto expected = no_warp;
                for (auto const w : unified(each, core.live()))
                    if (wanting.contains(warp_slot{w})) {
                        expected = warp_slot{w};
                        break;
                    }
                wrong += order.pick(wanting) == expected ? 0 : 1;
                return candidates.first();
            });
            if (n % 400 == 399) {
                core.end_kernel(tell);
                core.begin_kernel(tell);
            }
        }
    }
    return wrong;
}

} // namespace

TEST_CASE("interleaved: random streams agree with the list written down") {
    CHECK(disagreements<elf>(4000) == 0);
    CHECK(disagreements<gto>(2000) == 0);
    CHECK(disagreements<lrr>(1000) == 0);
}

TEST_CASE("next_line: ahead on a miss, and at the first use of a line that was prefetched") {
    fetch::next_line<> p;
    auto const at = [](std::uint32_t pc, cache_outcome outcome) {
        return fetched{warp_slot{0}, pc, pc / 128 * 128, outcome};
    };
    using enum cache_outcome;
    CHECK(p.wants(at(0, miss), 0));
    notify(at(0, miss), p);
    notify(prefetched{128}, p);
    CHECK_FALSE(p.wants(at(16, hit), 0)); // of the line that was missed
    CHECK_FALSE(p.wants(at(8, hit_reserved), 0));
    CHECK(p.wants(at(128, hit_reserved), 0)); // on its way, and wanted for the first time
    CHECK(p.wants(at(128, hit), 0));
    notify(at(128, hit), p);
    CHECK_FALSE(p.wants(at(136, hit), 0)); // the second use
    CHECK_FALSE(p.wants(at(256, reservation_fail), 0));
    notify(prefetched{256}, p);
    notify(kernel_began{}, p);
    CHECK(p == fetch::next_line<>{});
}

TEST_CASE("stream_buffer: so many lines ahead on a miss, and at the first use of one of them (Jouppi 1990)") {
    fetch::stream_buffer<> p;
    using enum cache_outcome;
    auto const at = [](std::uint32_t line, cache_outcome outcome) {
        return fetched{warp_slot{0}, line, line, outcome};
    };
    CHECK(lines_ahead(p) == 8);
    CHECK(lines_ahead(fetch::next_line<>{}) == 1);
    CHECK(lines_ahead(fetch::stream_buffer<run_time>{3}) == 3);
    CHECK(p.wants(at(0, miss), 1000)); // however many MSHRs are in use: the cache says what it has room for
    notify(at(0, miss), p);
    for (std::uint32_t k = 1; k <= 8; ++k) notify(prefetched{k * 128}, p);
    CHECK_FALSE(p.wants(at(0, hit), 0));
    for (std::uint32_t k = 1; k <= 8; ++k) {
        CHECK(p.wants(at(k * 128, k % 2 == 0 ? hit : hit_reserved), 0));
        notify(at(k * 128, hit), p);
        CHECK_FALSE(p.wants(at(k * 128, hit), 0));
    }
    CHECK_FALSE(p.wants(at(128, reservation_fail), 0));
    notify(prefetched{128}, p);
    notify(kernel_began{}, p);
    CHECK(p == fetch::stream_buffer<>{});
    CHECK(std::string(fetch::stream_buffer<>::name()) == "stream_buffer<8>");
}

TEST_CASE("next_line: only while fewer than 16 misses occupy MSHRs (ELF 3.5); 0 switches it off") {
    fetched const miss{warp_slot{0}, 0, 0, cache_outcome::miss};
    CHECK(fetch::next_line<>{}.wants(miss, 15));
    CHECK_FALSE(fetch::next_line<>{}.wants(miss, 16));
    CHECK_FALSE(fetch::next_line<0>{}.wants(miss, 0));
    CHECK(fetch::next_line<run_time>{24}.wants(miss, 23));
    CHECK_FALSE(fetch::next_line<run_time>{24}.wants(miss, 24));
    CHECK(std::string(fetch::next_line<>::name()) == "next_line<16>");
    CHECK(std::string(fetch::interleaved<elf>::name()) == "interleaved<nearest_load>");
    CHECK(fetch::next_line<>::hardware_cost({}).total_bits() == 16);
}
