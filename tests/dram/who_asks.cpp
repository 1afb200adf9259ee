// The schedulers that go by who asks: worked examples of their papers, and their naive twins.
#include <warpkit/base/policy_text.hpp>
#include <warpkit/dram/atlas.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/par_bs.hpp>

#include "catch.hpp"
#include "drive.hpp"
#include "naive_who_asks.hpp"

#include <string>
#include <type_traits>
#include <vector>

using namespace warpkit;
using namespace warpkit::dram;
using namespace warpkit::test;

static_assert(asks_who<par_bs> && asks_who<atlas> && !asks_who<fr_fcfs>);
static_assert(hears_clock<atlas> && !hears_clock<par_bs> && hears_bank_ends<atlas>);
static_assert(!std::is_polymorphic_v<par_bs> && !std::is_polymorphic_v<atlas>);

namespace {

request from(unsigned core, unsigned bank, unsigned row, unsigned token = 0) {
    auto r = read_of(bank, row);
    r.by.core = static_cast<std::uint16_t>(core);
    r.token = token;
    return r;
}

/// Whose requests a bank gets, one after the other.
template <class S>
std::string cores_in_turn(S& s, unsigned bank) {
    std::string all;
    for (std::uint32_t row = no_row; (s.waiting() >> bank & 1) != 0;) {
        auto const r = s.take(bank, row);
        row = r.row;
        all += static_cast<char>('0' + r.by.core);
    }
    return all;
}

/// Random calls to both, which must agree in all that they answer.
template <class Fast, class Slow>
void agree(unsigned seeds) {
    for (unsigned seed = 1; seed <= seeds; ++seed) {
        random_numbers random(seed);
        unsigned const banks = 1 + random.below(16);
        unsigned const rows = 1 + random.below(6);
        unsigned const capacity = 1 + random.below(80);
        unsigned const cores = 1 + random.below(6);
        Fast fast(banks, capacity);
        Slow slow(banks, capacity);
        std::vector<std::uint32_t> open(banks, no_row);
        std::vector<bool> works(banks);
        cycle now = 0;
        for (unsigned step = 0; step < 2000; ++step) {
            now += random.below(8);
            if constexpr (hears_clock<Fast>) {
                fast.clock(now);
                slow.clock(now);
            }
            REQUIRE(fast.can_accept() == slow.can_accept());
            auto const b = random.below(banks);
            if (fast.can_accept() && random.below(100) < 52) {
                auto r = from(random.below(cores), b, random.below(rows), step);
                if (random.below(8) == 0) r.by = {};
                fast.push(r);
                slow.push(r);
            } else if (hears_bank_ends<Fast> && works[b]) {
                if constexpr (hears_bank_ends<Fast>) {
                    fast.ended(b);
                    slow.ended(b);
                }
                works[b] = false;
            } else if ((slow.waiting() >> b & 1) != 0) {
                auto const row = random.below(10) == 0 ? no_row : open[b];
                REQUIRE(fast.pick(b, row) == slow.pick(b, row));
                auto const taken = fast.take(b, row);
                REQUIRE(taken == slow.take(b, row));
                open[b] = taken.row;
                works[b] = true;
            }
            REQUIRE(fast.waiting() == slow.waiting());
            REQUIRE(fast.size() == slow.size());
            auto const row = random.below(rows);
            REQUIRE(fast.has_row_hit(b, row) == slow.has_row_hit(b, row));
        }
    }
}

constexpr atlas_numbers short_quanta{300, 90, 500};

} // namespace

TEST_CASE("par_bs: the threads of figure 3 of the paper, by max and total") {
    // Thread 0 has 3 requests in 3 banks; 1 and 2 have two in their fullest bank, 4 and 6 in all; 3 has five in one
    // bank. The batch is formed by the request in front, whose bank is served before.
    par_bs q(5, 64);
    q.push(from(9, 4, 0));
    auto const ask = [&](unsigned core, std::initializer_list<unsigned> banks) {
        for (auto const b : banks) q.push(from(core, b, core + 10));
    };
    ask(3, {0, 0, 0, 0, 0, 1});
    ask(2, {0, 0, 1, 1, 2, 3});
    ask(1, {0, 0, 1, 2});
    ask(0, {0, 1, 2});
    CHECK(q.marked() == 1);
    CHECK(q.take(4, no_row).by.core == 9);
    CHECK(q.marked() == 19);
    auto in_bank = q;
    CHECK(cores_in_turn(in_bank, 0) == "0112233333");
    in_bank = q;
    CHECK(cores_in_turn(in_bank, 1) == "01223");
    in_bank = q;
    CHECK(cores_in_turn(in_bank, 2) == "012");
}

TEST_CASE("par_bs: a row hit of the batch goes before a higher rank, and after a batch nobody") {
    par_bs q(2, 64);
    q.push(from(9, 1, 0));
    q.push(from(0, 0, 1, 1));
    q.push(from(1, 0, 2, 2));
    q.push(from(1, 0, 2, 3));
    (void)q.take(1, no_row);  // the batch: 1, 2, 3
    q.push(from(0, 0, 2, 4)); // of the next one
    CHECK(q.take(0, 2).token == 2);
    CHECK(q.take(0, 2).token == 3); // 4 hits too, but is not marked
    CHECK(q.take(0, 2).token == 1);
    CHECK(q.take(0, 1).token == 4);
}

TEST_CASE(
    "par_bs: a batch has no more of a core and bank than the marking cap, so others wait for five at most") {
    par_bs q(2, 64);
    q.push(from(9, 1, 0));
    for (unsigned i = 0; i < 12; ++i) q.push(from(3, 0, 7, i));
    (void)q.take(1, no_row);
    CHECK(q.marked() == 5);
    q.push(from(1, 0, 8, 99));
    std::uint32_t row = no_row;
    for (unsigned i = 0; i < 5; ++i) {
        CHECK(q.take(0, row).token == i);
        row = 7;
    }
    CHECK(q.marked() == 6);         // five of core 3, and the one of core 1
    CHECK(q.pick(0, 7).token == 5); // row hits first
    CHECK(q.pick(0, no_row).token == 99);
}

TEST_CASE("par_bs costs what the paper says") {
    CHECK(par_bs::hardware_cost({8, 128, 8}).total_bits() == 1412);
    // And what docs/reference/dram.md says.
    CHECK(par_bs::hardware_cost({}).total_bits() == 2117);
    CHECK(atlas::hardware_cost({8, 128, 8}).total_bits() == 1328);
    CHECK(atlas::hardware_cost({}).total_bits() == 1416);
}

TEST_CASE("atlas: who was served least in the quanta before goes first") {
    atlas_of<atlas_numbers{100, 1000, 500}> q(4, 64);
    auto const serve = [&](unsigned core, cycle begin, cycle end) {
        q.clock(begin);
        q.push(from(core, 3, 0));
        (void)q.take(3, 0);
        q.clock(end);
        q.ended(3);
    };
    serve(0, 0, 29); // 30 cycles
    serve(1, 30, 39);
    q.clock(50);
    q.push(from(0, 0, 1, 1));
    q.push(from(1, 0, 2, 2));
    CHECK(q.pick(0, no_row).token == 1); // within the quantum nothing changes: the oldest
    CHECK(q.pick(0, 2).token == 2);      // a row hit
    q.clock(100);
    CHECK(q.pick(0, 1).token == 2); // less service goes before a row hit
    q.push(from(2, 0, 1, 3));
    CHECK(q.pick(0, no_row).token == 3); // and none before all
    serve(1, 100, 119);                  // 10 and 20: 0.5 * 5 + 0.5 * 20 = 12.5; core 0 has 0.5 * 15 = 7.5
    q.clock(200);
    CHECK(q.take(0, no_row).token == 3);
    CHECK(q.take(0, no_row).token == 1);
}

TEST_CASE("atlas: a request that has waited too long goes first") {
    atlas_of<atlas_numbers{100, 150, 500}> q(2, 64);
    q.push(from(0, 1, 0));
    (void)q.take(1, no_row);
    q.clock(60);
    q.ended(1);
    q.push(from(0, 0, 1, 1)); // at 60
    q.clock(110);
    q.push(from(1, 0, 2, 2));
    CHECK(q.pick(0, no_row).token == 2);
    q.clock(210);
    CHECK(q.pick(0, no_row).token == 2);
    q.clock(211);
    CHECK(q.pick(0, no_row).token == 1);
}

TEST_CASE("atlas: quanta in which nothing happens do no harm") {
    atlas_of<atlas_numbers{1, 150, 999}> q(2, 64);
    q.push(from(0, 1, 0));
    (void)q.take(1, no_row);
    q.clock(10);
    q.ended(1);
    auto late = q;
    late.clock(4'000'000'000'000); // at once
    CHECK(late.can_accept());
}

TEST_CASE("schedulers that go by who asks agree with their naive twins") {
    agree<par_bs, naive_par_bs<>>(40);
    agree<par_bs_of<1>, naive_par_bs<1>>(20);
    agree<par_bs_of<>, naive_par_bs<>>(10);
    agree<atlas_of<short_quanta>, naive_atlas<short_quanta>>(40);
    agree<atlas, naive_atlas<atlas_numbers{}>>(5);
}

TEST_CASE("schedulers that go by who asks take their numbers by name") {
    CHECK(parameters_of<par_bs_of<>>()[0].standard == "5");
    CHECK(parameters_of<atlas_of<>>()[1].standard == "100000");
    CHECK_THROWS_WITH(policy_with<par_bs_of<>>("par_bs:0"), Catch::EndsWith("give 1 to 1000000000"));
    CHECK_THROWS_WITH(policy_with<atlas_of<>>("atlas:quantum=0"), Catch::EndsWith("give 1 to 1000000000"));
    CHECK(!(policy_with<atlas_of<>>("atlas:5") == atlas_of<>()));
    // In a channel, too.
    par_bs_of<> q(4, 16);
    channel<par_bs_of<>> c(timing{}, {16, 16, 16, {}});
    set_parameters(q, "par_bs:cap=2");
    set_parameters(c.scheduler(), "par_bs:cap=2");
    q.push(from(9, 1, 0));
    c.push(from(9, 1, 0));
    for (unsigned i = 0; i < 5; ++i) {
        q.push(from(0, 0, 1));
        c.push(from(0, 0, 1));
    }
    (void)q.take(1, no_row);
    CHECK(q.marked() == 2);
    c.tick(0, [](request const&) {}); // bank 0 has the first turn
    c.tick(1, [](request const&) {});
    CHECK(c.queue().queue().marked() == 2);
}

TEST_CASE("impossible queues of schedulers that go by who asks are refused") {
    CHECK_THROWS_WITH(par_bs(16, 0), Catch::EndsWith("nearest legal value: 1"));
    CHECK_THROWS_WITH(atlas(16, 65536), Catch::EndsWith("nearest legal value: 65535"));
    CHECK_THROWS_WITH(par_bs(65, 8), Catch::EndsWith("nearest legal value: 64"));
    CHECK_THROWS_WITH(atlas(0, 8), Catch::EndsWith("nearest legal value: 1"));
    CHECK_FALSE(par_bs().can_accept());
}

TEST_CASE("par_bs shortens the wait of a light thread behind a heavy one") {
    auto const end_of_light = []<class S>() {
        channel<S> c(timing{}, 64);
        protocol_checker checker(timing{}, 2);
        std::vector<request> all;
        for (unsigned i = 0; i < 60; ++i) all.push_back(from(0, i % 2, 1, i));
        for (unsigned i = 0; i < 4; ++i) all.push_back(from(1, i % 2, 2, 60 + i));
        cycle light = 0;
        for (auto const& d : drive(c, all, checker).done)
            if (d.token >= 60) light = d.at;
        CHECK(checker.broken() == 0);
        return light;
    };
    CHECK(end_of_light.template operator()<par_bs>() < end_of_light.template operator()<fr_fcfs>() / 2);
}
