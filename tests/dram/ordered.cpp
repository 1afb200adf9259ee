// A DRAM scheduler made of an order alone: it is what schedulers that keep their queues are.
#include <warpkit/base/policy_text.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/ordered.hpp>

#include "catch.hpp"
#include "drive.hpp"

#include <array>
#include <string>
#include <vector>

using namespace warpkit;
using namespace warpkit::dram;
using namespace warpkit::test;

namespace dram_orders {

struct row_hits_first {
    static constexpr char const* name() noexcept { return "row_hits_first"; }
    bool before(request const& a, request const& b, std::uint32_t open_row) const noexcept {
        return a.row == open_row && b.row != open_row;
    }
    friend bool operator==(row_hits_first const&, row_hits_first const&) = default;
};

/// The same, but no more than `cap` hits in a row.
struct capped {
    static constexpr char const* name() noexcept { return "capped"; }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"cap", "row hits in a row", 1}, self.cap);
    }
    bool before(request const& a, request const& b, std::uint32_t open_row) const noexcept {
        return hits[a.bank] < cap && a.row == open_row && b.row != open_row;
    }
    void came(request const&) noexcept { ++all; }
    void served(request const& r, std::uint32_t open_row) noexcept {
        hits[r.bank] = r.row == open_row ? hits[r.bank] + 1 : 0;
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(cap, all, hits);
    }
    friend bool operator==(capped const&, capped const&) = default;

    std::uint32_t cap = 4;
    std::uint32_t all = 0;
    std::array<std::uint32_t, 16> hits{};
};

/// Goes by who asks, the time and what ends.
struct by_core {
    static constexpr char const* name() noexcept { return "by_core"; }
    static constexpr bool asks_who = true;
    bool before(request const& a, request const& b, std::uint32_t) const noexcept {
        return a.by.core < b.by.core;
    }
    void clock(cycle now) noexcept { last = now; }
    void ended(std::uint32_t bank) noexcept { done = bank; }
    friend bool operator==(by_core const&, by_core const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(last, done);
    }

    cycle last = 0;
    std::uint32_t done = 0;
};

} // namespace dram_orders
using namespace dram_orders;

static_assert(request_scheduler<ordered<row_hits_first>> && request_order<row_hits_first>);
static_assert(!asks_who<ordered<row_hits_first>> && !hears_clock<ordered<row_hits_first>>);
static_assert(asks_who<ordered<by_core>> && hears_clock<ordered<by_core>> &&
              hears_bank_ends<ordered<by_core>>);

TEST_CASE("row hits first, then the oldest, is FR-FCFS") {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        random_numbers random(seed);
        unsigned const banks = 1 + random.below(16);
        unsigned const capacity = 1 + random.below(60);
        ordered<row_hits_first> made(banks, capacity);
        fr_fcfs known(banks, capacity);
        std::vector<std::uint32_t> open(banks, no_row);
        for (unsigned step = 0; step < 2000; ++step) {
            auto const b = random.below(banks);
            REQUIRE(made.can_accept() == known.can_accept());
            if (made.can_accept() && random.below(100) < 52) {
                auto r = read_of(b, random.below(5));
                r.token = step;
                made.push(r);
                known.push(r);
            } else if ((known.waiting() >> b & 1) != 0) {
                REQUIRE(made.pick(b, open[b]) == known.pick(b, open[b]));
                auto const r = made.take(b, open[b]);
                REQUIRE(r == known.take(b, open[b]));
                open[b] = r.row;
            }
            REQUIRE(made == ordered<row_hits_first>(made));
            REQUIRE(made.waiting() == known.waiting());
            REQUIRE(made.size() == known.size());
            REQUIRE(made.has_row_hit(b, 3) == known.has_row_hit(b, 3));
        }
    }
}

TEST_CASE("an order with a state is told what comes and what is served, and has parameters by name") {
    ordered<capped> q(2, 32);
    set_parameters(q, "capped:cap=2");
    for (unsigned i = 0; i < 6; ++i) {
        auto r = read_of(1, i == 0 ? 7 : 3);
        r.token = i;
        q.push(r);
    }
    CHECK(q.order().all == 6);
    std::string rows;
    for (std::uint32_t row = 3; (q.waiting() >> 1 & 1) != 0;) {
        row = q.take(1, row).row;
        rows += static_cast<char>('0' + row);
    }
    CHECK(rows ==
          "337333"); // two hits, then the oldest, then its successors, of which the first opens the row
}

TEST_CASE("an order that goes by who asks gets the requester, the time and the ends of banks") {
    ordered<by_core> q(1, 8);
    for (unsigned const core : {5U, 2U, 9U}) {
        auto r = read_of(0, core);
        r.by.core = static_cast<std::uint16_t>(core);
        q.push(r);
    }
    q.clock(77);
    q.ended(0);
    CHECK(q.order().last == 77);
    CHECK_FALSE(q == ordered<by_core>(1, 8));
    CHECK(q.take(0, 9).row == 2);
    CHECK(q.take(0, 9).row == 5);
    CHECK(q.take(0, 9).row == 9);
}

TEST_CASE("impossible sizes are refused") {
    CHECK_THROWS_WITH(ordered<capped>(0, 4), Catch::Contains("banks = 0"));
    CHECK_THROWS_WITH(ordered<capped>(4, 0), Catch::Contains("capacity = 0"));
}
