// As GPGPU-Sim dispatches (docs/model/dispatch.md#round-robin).
#include <warpkit/cta/round_robin_dispatch.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <deque>
#include <vector>

using namespace warpkit;

namespace {

/// A host: it shows rooms, carries answers out, and lets each core take one answer per cycle.
struct machine {
    round_robin_dispatch choice;
    std::vector<unsigned> room;
    std::vector<unsigned> core_of; ///< by CTA number
    cycle now = 0;

    machine(unsigned cores, unsigned per_core, std::uint64_t ctas) : room(cores, per_core) { begin(ctas); }
    void begin(std::uint64_t ctas) {
        core_of.clear();
        notify(grid_began{nullptr, ctas, 1, 1, static_cast<unsigned>(room.size()), room[0]}, choice);
    }
    /// One core cycle of dispatch; how many CTAs went out.
    unsigned step() {
        ++now;
        auto shown = room;
        unsigned sent = 0;
        while (auto const a = choice.choose({shown.data(), static_cast<unsigned>(shown.size())})) {
            REQUIRE(a.count == 1);
            REQUIRE(room[a.core] != 0);
            REQUIRE(a.first == core_of.size());
            notify(cta_dispatched{a.core, a.first, now}, choice);
            core_of.push_back(a.core);
            --room[a.core];
            shown[a.core] = 0;
            ++sent;
        }
        return sent;
    }
    void retire(unsigned core, std::uint64_t cta) {
        ++room[core];
        notify(cta_retired{core, cta, now}, choice);
    }
};

} // namespace

TEST_CASE("on an empty machine, CTA i goes to core i mod cores, one to a core in each cycle") {
    machine m(15, 8, 1000);
    CHECK(m.step() == 15);
    for (unsigned i = 0; i < 7; ++i) CHECK(m.step() == 15);
    CHECK(m.step() == 0); // full
    REQUIRE(m.core_of.size() == 120);
    for (unsigned i = 0; i < 120; ++i) CHECK(m.core_of[i] == i % 15);
}

TEST_CASE("OWL's picture: CTAs 1 to 4 (0 to 3) on two cores with two each") {
    machine m(2, 2, 4);
    m.step();
    m.step();
    CHECK(m.core_of == std::vector<unsigned>{0, 1, 0, 1});
}

TEST_CASE("the walk starts behind the core that received the last CTA") {
    machine m(4, 1, 100);
    CHECK(m.step() == 4);
    m.retire(2, 2);
    CHECK(m.step() == 1);
    CHECK(m.core_of.back() == 2);
    m.retire(1, 1);
    m.retire(3, 3);
    CHECK(m.step() == 2);
    CHECK(m.core_of[5] == 3); // behind core 2
    CHECK(m.core_of[6] == 1);
}

TEST_CASE("CTAs go out in the order of their numbers, each once, and then no more") {
    machine m(3, 2, 5);
    CHECK(m.step() == 3);
    CHECK(m.step() == 2);
    CHECK(m.step() == 0);
    m.retire(0, 0);
    CHECK(m.step() == 0);
    m.begin(2);
    CHECK(m.step() == 2);
    CHECK(m.core_of == std::vector<unsigned>{0, 2}); // core 1 is full; the new grid begins at core 0
}

TEST_CASE("a grid begins at core 0 or, as in GPGPU-Sim, behind the core that received the last CTA of the "
          "one before") {
    for (auto const start : {grid_start::first_core, grid_start::next_core}) {
        machine m(4, 2, 2);
        m.choice = round_robin_dispatch(start);
        m.begin(2);
        m.step();
        CHECK(m.core_of == std::vector<unsigned>{0, 1}); // the first one at core 0
        m.begin(3);
        m.step();
        if (start == grid_start::first_core)
            CHECK(m.core_of == std::vector<unsigned>{0, 1, 2});
        else
            CHECK(m.core_of == std::vector<unsigned>{2, 3, 0});
    }
}

TEST_CASE("a grid of no CTAs and a machine that is full get nothing") {
    machine none(2, 2, 0);
    CHECK(none.step() == 0);
    machine full(2, 0, 7);
    CHECK(full.step() == 0);
    CHECK_FALSE(round_robin_dispatch{}.choose({}));
}

TEST_CASE("200,000 dispatches agree with a walk over a list of cores") {
    testing::random_numbers random(5);
    std::uint64_t decisions = 0;
    while (decisions < 200'000) {
        auto const cores = 1 + random.below(30);
        machine m(cores, 1 + random.below(4), 4000);
        std::deque<unsigned> order; // the next core to ask is in front
        for (unsigned c = 0; c < cores; ++c) order.push_back(c);
        while (m.core_of.size() < 4000) {
            std::vector<unsigned> expected;
            auto walk = order;
            for (auto const c : walk)
                if (m.room[c] != 0 && m.core_of.size() + expected.size() < 4000) expected.push_back(c);
            auto const before = m.core_of.size();
            m.step();
            REQUIRE(std::vector<unsigned>(m.core_of.begin() + static_cast<std::ptrdiff_t>(before),
                                          m.core_of.end()) == expected);
            if (!expected.empty())
                while (order.back() != expected.back()) order.push_back(order.front()), order.pop_front();
            decisions += expected.size() + 1;
            for (unsigned c = 0; c < cores; ++c)
                if (random.chance(40)) m.retire(c, 0);
        }
    }
}
