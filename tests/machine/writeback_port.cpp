// docs/model/load_store.md#writeback-port: one answer is written in a cycle, clients take turns.
#include <warpkit/machine/writeback_port.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <map>
#include <utility>
#include <vector>

using namespace warpkit;
using client = writeback_port::client;

namespace {

writeback_port::answer answer(cycle at, std::uint32_t token) { return {at, token, 1, 0, warp_slot{0}}; }

/// Whose instruction 0 writes registers, and 1 does not.
struct bench {
    bool free = true; ///< its banks are
    static bool writes(std::uint32_t instruction) { return instruction == 0; }
    bool take_banks(warp_slot, std::uint32_t) const { return free; }
};

/// The tokens that a port writes, with their cycles, until it is empty.
std::vector<std::pair<cycle, std::uint32_t>> written(writeback_port port, cycle from = 0) {
    std::vector<std::pair<cycle, std::uint32_t>> all;
    bench core;
    for (auto now = from; !port.empty(); ++now)
        port.tick(now, core, [&](auto const& a) { all.emplace_back(now, a.token); });
    return all;
}

} // namespace

TEST_CASE("an answer gets the port a cycle after it came, and is written a cycle later") {
    writeback_port port;
    CHECK(port.empty());
    CHECK(port.next(5) == never);
    port.push(client::l1, answer(7, 1));
    CHECK_FALSE(port.empty());
    CHECK(port.next(5) == 8);
    CHECK(written(port, 7) == std::vector<std::pair<cycle, std::uint32_t>>{{9, 1}});
}

TEST_CASE("one is written in a cycle; clients take turns, each in its order") {
    writeback_port port;
    for (std::uint32_t t = 0; t < 3; ++t) {
        port.push(client::shared, answer(0, t));
        port.push(client::l1, answer(0, 10 + t));
    }
    CHECK(written(port) ==
          std::vector<std::pair<cycle, std::uint32_t>>{{2, 0}, {3, 10}, {4, 1}, {5, 11}, {6, 2}, {7, 12}});
}

TEST_CASE("what writes no register has ended when it gets the port, which it holds for a cycle") {
    writeback_port port;
    port.push(client::past_l1, {0, 1, 1, 1, warp_slot{0}});
    port.push(client::l1, answer(0, 2));
    CHECK(written(port) == std::vector<std::pair<cycle, std::uint32_t>>{{1, 1}, {3, 2}});
    bench core;
    writeback_port last;
    last.push(client::past_l1, {0, 1, 1, 1, warp_slot{0}});
    last.tick(1, core, [](auto const&) {});
    CHECK(last.empty()); // its kernel may be over
}

TEST_CASE("what cannot be written holds up the others") {
    writeback_port port;
    port.push(client::shared, answer(0, 1));
    port.push(client::l1, answer(0, 2));
    bench core{false};
    for (cycle now = 1; now < 6; ++now) port.tick(now, core, [](auto const&) { CHECK(false); });
    CHECK(port.next(5) == 6);
    CHECK(written(port, 6) == std::vector<std::pair<cycle, std::uint32_t>>{{6, 1}, {7, 2}});
}

TEST_CASE("random answers: each is written once, behind those of its client, one in a cycle, never before it "
          "came") {
    testing::random_numbers random(11);
    for (unsigned round = 0; round < 200; ++round) {
        writeback_port port;
        std::map<std::uint32_t, std::pair<unsigned, cycle>> expected;
        std::array<cycle, 5> last{};
        for (std::uint32_t t = 0; t < 40; ++t) {
            auto const c = random.below(5);
            last[c] += random.below(4);
            expected[t] = {c, last[c]};
            port.push(static_cast<client>(c), answer(last[c], t));
        }
        auto const done = written(port);
        REQUIRE(done.size() == 40);
        std::array<std::uint32_t, 5> previous{};
        for (std::size_t i = 0; i < done.size(); ++i) {
            auto const [c, came] = expected.at(done[i].second);
            REQUIRE(done[i].first >= came + 2);
            if (i != 0) REQUIRE(done[i].first > done[i - 1].first);
            REQUIRE(done[i].second >= previous[c]);
            previous[c] = done[i].second;
        }
    }
}
