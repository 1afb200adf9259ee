/// Asynchronous copies, group by group (PTX ISA, cp.async.commit_group and cp.async.wait_group).

#include <warpkit/machine/async_copies.hpp>

#include "catch.hpp"

#include <algorithm>
#include <random>
#include <vector>

using namespace warpkit;

TEST_CASE("a wait lets the last groups be, and waits for all others", "[machine]") {
    async_copies copies(2);
    warp_slot const w{1};
    for (std::uint32_t group = 0; group < 3; ++group) {
        copies.issue(w, 10 * group);
        copies.issue(w, 10 * group + 1);
        copies.commit(w);
    }
    copies.issue(w, 30); // of no group yet
    CHECK(copies.must_wait(w, 0));
    CHECK(copies.must_wait(w, 1));
    CHECK(copies.must_wait(w, 2));
    CHECK_FALSE(copies.must_wait(w, 3));
    CHECK_FALSE(copies.must_wait(warp_slot{0}, 0)); // which has none

    copies.arrive(w, 0);
    CHECK(copies.must_wait(w, 2)); // half of the first group is under way
    copies.arrive(w, 1);
    CHECK_FALSE(copies.must_wait(w, 2));
    CHECK(copies.must_wait(w, 1));
    copies.arrive(w, 11);
    copies.arrive(w, 10);
    CHECK_FALSE(copies.must_wait(w, 1));
    CHECK(copies.must_wait(w, 0));
    copies.arrive(w, 20);
    copies.arrive(w, 21);
    CHECK_FALSE(copies.must_wait(w, 0)); // the copy without a group is nobody's yet
    copies.commit(w);
    CHECK(copies.must_wait(w, 0));
    copies.launch(w); // a new warp is in this slot
    CHECK_FALSE(copies.must_wait(w, 0));
}

TEST_CASE("copies of many warps agree with what the definition says", "[machine]") {
    struct copy {
        unsigned warp;
        std::uint32_t instruction;
        std::uint32_t group;
    };
    std::mt19937_64 engine(7);
    auto const below = [&](std::uint64_t n) { return engine() % n; };
    async_copies copies(4);
    std::vector<copy> under_way;
    std::uint32_t committed[4] = {};
    for (unsigned step = 0; step < 20'000; ++step) {
        auto const w = static_cast<unsigned>(below(4));
        auto const choice = below(10);
        if (choice < 4) {
            auto const instruction = static_cast<std::uint32_t>(below(5));
            copies.issue(warp_slot{w}, instruction);
            under_way.push_back({w, instruction, committed[w]});
        } else if (choice < 6) {
            copies.commit(warp_slot{w});
            ++committed[w];
        } else if (!under_way.empty() && step % 500 != 0) {
            auto const some = under_way[below(under_way.size())];
            copies.arrive(warp_slot{some.warp}, some.instruction);
            under_way.erase(std::find_if(under_way.begin(), under_way.end(), [&](copy const& c) {
                return c.warp == some.warp && c.instruction == some.instruction;
            }));
        } else if (step % 500 == 0) {
            copies.launch(warp_slot{w});
            std::erase_if(under_way, [&](copy const& c) { return c.warp == w; });
            committed[w] = 0;
        }
        for (std::uint32_t groups = 0; groups < 4; ++groups) {
            bool const waits = std::any_of(under_way.begin(), under_way.end(), [&](copy const& c) {
                return c.warp == w && c.group + groups < committed[w];
            });
            REQUIRE(copies.must_wait(warp_slot{w}, groups) == waits);
        }
    }
}
