// The queues against their naive twins: a vector in order of arrival, searched from the front.
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/fr_fcfs.hpp>

#include "catch.hpp"
#include "drive.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

using namespace warpkit;
using namespace warpkit::dram;
using namespace warpkit::test;

static_assert(scheduler<fcfs> && scheduler<fr_fcfs>);
static_assert(!std::is_polymorphic_v<fcfs> && !std::is_polymorphic_v<fr_fcfs>);

namespace {

/// What a scheduler must be, and nothing more: the concept does not lean on ours.
struct archetype {
    archetype() = default;
    archetype(std::uint32_t, std::uint32_t) {}
    bool can_accept() const { return false; }
    std::uint32_t size() const { return 0; }
    bank_set waiting() const { return 0; }
    request pick(std::uint32_t, std::uint32_t) const { return {}; }
    request take(std::uint32_t, std::uint32_t) { return {}; }
    bool has_row_hit(std::uint32_t, std::uint32_t) const { return false; }
    void push(request const&) {}
    bool operator==(archetype const&) const = default;
};
static_assert(scheduler<archetype>);
struct without_pick : archetype {
    using archetype::archetype;
    request pick(std::uint32_t, std::uint32_t) const = delete;
};
static_assert(!scheduler<without_pick>);

struct naive_queue {
    std::vector<request> all;

    bank_set waiting() const {
        bank_set s = 0;
        for (auto const& r : all) s |= bank_set{1} << r.bank;
        return s;
    }
    std::size_t choice(unsigned bank, unsigned row) const {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].bank == bank && all[i].row == row) return i;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].bank == bank) return i;
        return all.size();
    }
    request take(unsigned bank, unsigned row) {
        auto const i = choice(bank, row);
        auto const r = all[i];
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
        return r;
    }
};

} // namespace

TEST_CASE("fr_fcfs: row hits first, late arrivals included, then the oldest") {
    fr_fcfs q(4, 8);
    auto const tagged = [](unsigned token, unsigned bank, unsigned row) {
        auto r = read_of(bank, row);
        r.token = token;
        return r;
    };
    q.push(tagged(0, 1, 7));
    q.push(tagged(1, 1, 8));
    q.push(tagged(2, 1, 7));
    q.push(tagged(3, 2, 9));
    CHECK(q.waiting() == 0b110);
    CHECK(q.pick(1, no_row).token == 0);
    CHECK(q.pick(1, 8).token == 1);
    CHECK(q.take(1, no_row).token == 0);
    CHECK(q.take(1, 7).token == 2); // the hit passes the older miss
    q.push(tagged(4, 1, 7));
    CHECK(q.has_row_hit(1, 7));
    CHECK(q.take(1, 7).token == 4); // and so does one that came late
    CHECK_FALSE(q.has_row_hit(1, 7));
    CHECK(q.take(1, 7).token == 1);
    CHECK(q.waiting() == 0b100);
}

TEST_CASE("fr_fcfs agrees with its naive twin on random sequences") {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        random_numbers random(seed);
        unsigned const banks = 1 + random.below(16);
        unsigned const rows = 1 + random.below(6);
        unsigned const capacity = 1 + random.below(80);
        fr_fcfs fast(banks, capacity);
        naive_queue slow;
        std::vector<std::uint32_t> open(banks, no_row);
        for (unsigned step = 0; step < 2000; ++step) {
            REQUIRE(fast.can_accept() == (slow.all.size() < capacity));
            if (fast.can_accept() && random.below(100) < 52) {
                auto const bank = random.below(banks);
                auto r = read_of(bank, random.below(rows));
                r.write = random.below(2) != 0;
                r.token = step;
                fast.push(r);
                slow.all.push_back(r);
            } else if (!slow.all.empty()) {
                auto bank = random.below(banks);
                while ((slow.waiting() >> bank & 1) == 0) bank = (bank + 1) % banks;
                // mostly the row last served; sometimes closed or another row, as page policies and refresh make it
                auto const dice = random.below(10);
                auto const row = dice == 0 ? no_row : dice == 1 ? random.below(rows) : open[bank];
                REQUIRE(fast.pick(bank, row).token == slow.all[slow.choice(bank, row)].token);
                auto const taken = fast.take(bank, row);
                REQUIRE(taken == slow.take(bank, row));
                open[bank] = taken.row;
            }
            REQUIRE(fast.waiting() == slow.waiting());
            REQUIRE(fast.size() == slow.all.size());
            auto const b = random.below(banks);
            auto const w = random.below(rows);
            REQUIRE(fast.has_row_hit(b, w) ==
                    std::any_of(slow.all.begin(), slow.all.end(),
                                [&](request const& r) { return r.bank == b && r.row == w; }));
        }
    }
}

TEST_CASE("fcfs hands over in order of arrival only") {
    fcfs q(4, 2);
    q.push(read_of(3, 1));
    CHECK(q.can_accept());
    q.push(read_of(0, 2));
    CHECK_FALSE(q.can_accept());
    CHECK(q.waiting() == 0b1000);
    CHECK(q.has_row_hit(0, 2));
    CHECK_FALSE(q.has_row_hit(0, 1));
    CHECK(q.pick(3, no_row).bank == 3);
    CHECK(q.take(3, no_row).row == 1);
    CHECK(q.waiting() == 0b0001);
    CHECK(q.size() == 1);
}

TEST_CASE("impossible queues are refused") {
    CHECK_THROWS_WITH(fr_fcfs(16, 0), Catch::EndsWith("nearest legal value: 1"));
    CHECK_THROWS_WITH(fr_fcfs(16, 65536), Catch::EndsWith("nearest legal value: 65535"));
    CHECK_THROWS_WITH(fr_fcfs(65, 8), Catch::EndsWith("nearest legal value: 64"));
    CHECK_THROWS_WITH(fr_fcfs(0, 8), Catch::EndsWith("nearest legal value: 1"));
    CHECK_THROWS_WITH(fcfs(16, 0), Catch::EndsWith("nearest legal value: 1"));
    CHECK_FALSE(fr_fcfs().can_accept());
    CHECK_FALSE(fcfs().can_accept());
}
