// OWL's opportunistic prefetching (section 4.4; docs/model/dram.md#opportunistic-prefetch), under the protocol checker.
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/dram/row_sharing.hpp>
#include <warpkit/dram/standards.hpp>

#include "catch.hpp"
#include "drive.hpp"

#include <algorithm>
#include <vector>

using namespace warpkit;
using namespace warpkit::dram;
using namespace warpkit::test;

namespace {

struct run {
    record seen;
    std::vector<std::uint32_t> lines;   ///< columns of prefetched lines, in order of arrival
    std::vector<std::uint64_t> demands; ///< tokens, in order of arrival
    channel_counters counters;
    std::string broken;
};

/// Tells the prefetcher what the L2 has, and keeps what comes.
struct receiver {
    run& r;
    bool has_even_lines = false;
    void operator()(request const& q) const {
        if (q.prefetch)
            r.lines.push_back(q.column);
        else
            r.demands.push_back(q.token);
    }
    bool resident(request const& q) const { return has_even_lines && q.column / 64 % 2 == 0; }
};

template <class Prefetcher, class Scheduler = fr_fcfs>
run serve(std::vector<request> const& requests, std::vector<cycle> const& arrival,
          prefetch_numbers const& n = {}, bool every_cycle = false, bool even = false) {
    channel<Scheduler, open_page, Prefetcher> c(gddr3_owl, {64, 64, 8, {}}, command_bus::single_and_row, {},
                                                {}, Prefetcher(gddr3_owl, n));
    protocol_checker checker(gddr3_owl, 2);
    run r;
    std::size_t next = 0;
    receiver const done{r, even};
    for (cycle now = 0; now < 100'000;) {
        while (next < requests.size() && arrival[next] <= now && c.can_accept()) c.push(requests[next++]);
        c.tick(now, done, r.seen, checker);
        auto const event = c.next_event(now);
        auto const arrives = next < requests.size() ? arrival[next] : never;
        now = every_cycle ? now + 1 : std::min(std::max(arrives, now + 1), event);
    }
    r.counters = c.counters();
    r.broken = checker.first();
    return r;
}

/// Lines prefetched from the first row before it is closed.
unsigned before_close(run const& r) {
    unsigned lines = 0;
    for (auto const& c : r.seen.commands) {
        if (c.kind == command_kind::precharge) break;
        lines += c.kind == command_kind::read && c.row == 1;
    }
    return lines / 2; // an atom is half a line
}

} // namespace

TEST_CASE("an open row that nobody wants more of is read to its end, in ascending order, without the "
          "demanded line") {
    auto const r = serve<opportunistic_at_least>(numbered({read_of(0, 1, 128, 2)}), {0});
    CHECK(r.broken == "");
    REQUIRE(r.lines.size() == 31); // of 32 lines of 64 bytes
    CHECK(std::is_sorted(r.lines.begin(), r.lines.end()));
    CHECK(std::count(r.lines.begin(), r.lines.end(), 128u) == 0);
    CHECK(r.counters.prefetches == 31);
    CHECK(r.counters.reads == 1);
    CHECK(r.counters.requests_served == 1); // prefetches are in no row-hit rate
}

TEST_CASE("a row that only writes have opened is left alone, until something is read from it") {
    auto requests = numbered({read_of(0, 1, 128, 2), read_of(0, 1, 256, 2)});
    requests[0].write = true;
    CHECK(serve<opportunistic_at_least>({requests[0]}, {0}).lines.empty());
    auto const r = serve<opportunistic_at_least>(requests, {0, 100});
    CHECK(r.broken == "");
    CHECK(r.lines.size() == 30);
}

TEST_CASE("demands to the open row go before prefetches, and what they touch is not prefetched") {
    std::vector<request> const requests =
        numbered({read_of(0, 1, 0, 2), read_of(0, 1, 1984, 2), read_of(0, 1, 1920, 2)});
    auto const r = serve<opportunistic_until_conflict>(requests, {0, 40, 41});
    CHECK(r.broken == "");
    CHECK(r.lines.size() == 29);
    CHECK(r.demands == std::vector<std::uint64_t>{0, 1, 2});
    // read 1 arrives at 40 amid the prefetches and waits for one line at most
    auto const column = [](command const& c) { return c.column; };
    auto const at = std::find_if(r.seen.commands.begin(), r.seen.commands.end(),
                                 [&](command const& c) { return column(c) == 1984; });
    REQUIRE(at != r.seen.commands.end());
    CHECK(at->at <= 40 + 4);
}

TEST_CASE("the first scheme stops when a demand to another row arrives, the second reads at least C lines") {
    std::vector<request> const requests = numbered({read_of(0, 1, 0, 2), read_of(0, 2, 0, 2)});
    // the second demand is there from the start: no time for the first scheme, C = lower = 8 lines for the second
    CHECK(before_close(serve<opportunistic_until_conflict>(requests, {0, 0})) == 1 + 0);
    CHECK(before_close(serve<opportunistic_at_least>(requests, {0, 0})) == 1 + 8);
    // it arrives at 40: ACT 0, RD 12 and 14, then a line every 4 cycles
    auto const first = before_close(serve<opportunistic_until_conflict>(requests, {0, 40}));
    CHECK(first >= 1 + 6);
    CHECK(first <= 1 + 7);
    CHECK(before_close(serve<opportunistic_at_least>(requests, {0, 40})) == 1 + 8);
    // fewer demands wait than the threshold: C = higher = 16
    prefetch_numbers n;
    n.threshold = 5;
    CHECK(before_close(serve<opportunistic_at_least>(requests, {0, 0}, n)) == 1 + 16);
    n.threshold = 1;
    CHECK(before_close(serve<opportunistic_at_least>(requests, {0, 0}, n)) == 1 + 8);
    n.lower = 0;
    CHECK(before_close(serve<opportunistic_at_least>(requests, {0, 0}, n)) == 1 + 0);
}

TEST_CASE("lines that the L2 has can be left out") {
    prefetch_numbers n;
    CHECK(serve<opportunistic_at_least>({read_of(0, 1, 64, 2)}, {0}, n, false, true).lines.size() == 31);
    n.skip_resident = true;
    auto const r = serve<opportunistic_at_least>({read_of(0, 1, 64, 2)}, {0}, n, false, true);
    CHECK(r.lines.size() == 15); // the odd ones but the demanded
    CHECK(r.lines.front() == 192);
}

TEST_CASE("prefetching is the same whether idle cycles are ticked or not, and loses no demand") {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        random_numbers random(seed);
        std::vector<request> requests;
        std::vector<cycle> arrival;
        cycle at = 0;
        for (unsigned i = 0; i < 200; ++i) {
            auto const bank = random.below(4);
            auto const row = random.below(3);
            auto r = read_of(bank, row, random.below(32) * 64, 2);
            r.write = random.below(4) == 0;
            requests.push_back(r);
            arrival.push_back(at += random.below(40));
        }
        requests = numbered(requests);
        prefetch_numbers n;
        n.shift = 3;
        auto const skipping = serve<opportunistic_at_least>(requests, arrival, n);
        auto const every = serve<opportunistic_at_least>(requests, arrival, n, true);
        INFO("seed " << seed);
        CHECK(skipping.broken == "");
        CHECK(skipping.seen.commands == every.seen.commands);
        CHECK(skipping.lines == every.lines);
        CHECK(skipping.demands == every.demands);
        auto sorted = skipping.demands;
        std::sort(sorted.begin(), sorted.end());
        REQUIRE(sorted.size() == 200);
        for (std::uint64_t i = 0; i < 200; ++i) CHECK(sorted[i] == i);
        CHECK(skipping.counters.prefetches == skipping.lines.size());
        CHECK(skipping.lines.size() > 50);
        auto const in_order = serve<opportunistic_until_conflict, fcfs>(requests, arrival, n);
        CHECK(in_order.broken == "");
        CHECK(in_order.demands.size() == 200);
    }
}

TEST_CASE("the running mean follows slowly and stays within 7 bits") {
    shifted_mean m(7);
    for (unsigned i = 0; i < 2000; ++i) m.add(40);
    CHECK(m.value() == 40);
    for (unsigned i = 0; i < 5000; ++i) m.add(1000);
    CHECK(m.value() == 127);
    for (unsigned i = 0; i < 5000; ++i) m.add(0);
    CHECK(m.value() == 0);
    shifted_mean quick(1);
    quick.add(20);
    CHECK(quick.value() == 10);
}

TEST_CASE("impossible prefetchers are refused with the nearest legal value") {
    auto const refusal = [](prefetch_numbers const& n) {
        try {
            opportunistic_at_least(gddr3_owl, n);
        } catch (error const& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    prefetch_numbers n;
    n.line_bytes = 48;
    CHECK_THAT(refusal(n), Catch::EndsWith("nearest legal value: 64"));
    n = {};
    n.row_bytes = 8192;
    CHECK_THAT(refusal(n), Catch::EndsWith("nearest legal value: 4096"));
    n = {};
    n.higher = 4;
    CHECK_THAT(refusal(n), Catch::EndsWith("nearest legal value: 8"));
}

TEST_CASE("row sharing: CTAs per row, and how many of them are neighbours (OWL, table 4)") {
    row_sharing s;
    CHECK(s.consecutive_share() == 0);
    for (auto const cta : {1u, 2u, 7u, 2u}) s.accessed(0, 5, cta); // 1 and 2 are neighbours, 7 is not
    s.accessed(1, 5, 3);                                           // another bank, alone
    CHECK(s.rows() == 2);
    CHECK(s.ctas_per_row() == Approx((3 + 1) / 2.0));
    CHECK(s.consecutive_share() == Approx((2.0 / 3 + 0) / 2));
    row_sharing other;
    other.accessed(0, 5, 6); // the next to 7
    other += s;
    CHECK(other.rows() == 2);
    CHECK(other.consecutive_share() == Approx((4.0 / 4 + 0) / 2));
}
