/// The link of the engine against the reference's, tick by tick.

#include <warpkit/gpu/common/link.hpp>
#include <warpkit/reference/link.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

using namespace warpkit;
using testing::random_numbers;

TEST_CASE("a link agrees with the reference's, whichever end goes first") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        random_numbers r(seed);
        tick const latency = 3 + r.below(8);
        std::uint32_t const size = 1 + r.below(6);
        warpkit::link<int> fast(latency, size);
        reference::link<int> plain(latency, size);
        bool const single = seed % 3 == 0; // every element costs one credit
        bool agrees = true;
        int number = 0;
        for (tick start = 0; start < 3000; start += latency) { // windows as long as the latency
            auto const receiver = [&] {
                for (tick t = start; t < start + latency; ++t)
                    while (fast.has_arrived(t)) {
                        agrees = agrees && plain.has_arrived(t) && plain.front() == fast.front();
                        if (!agrees || r.chance(50)) break;
                        fast.pop(t, fast.first().cost);
                        plain.take(t);
                    }
            };
            auto const sender = [&] {
                for (tick t = start; t < start + latency; ++t) {
                    auto const credits = single ? fast.single_credits(t) : fast.credits(t);
                    agrees = agrees && plain.can_send(t, credits) && !plain.can_send(t, credits + 1);
                    auto const cost = single ? 1 : 1 + r.below(size);
                    if (cost > credits || !r.chance(60)) continue;
                    fast.send(t, number, cost);
                    plain.send(t, number++, cost);
                }
            };
            fast.look(start + latency);
            r.chance(50) ? (receiver(), sender()) : (sender(), receiver());
            agrees = agrees &&
                     fast.has_arrived(start + latency - 1) == plain.has_arrived(start + latency - 1) &&
                     fast.empty() == plain.empty() && plain.lost_credits() == 0;
        }
        INFO("seed " << seed);
        CHECK(agrees);
        CHECK(number > 20);
    }
}
