// Side by side with Ramulator 2.1 and DRAMsim3 (docs/model/peers.md#dram): their controllers, their timings, the same
// requests.
#include <warpkit/dram/bank_queues.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/protocol_checker.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/dram/standards.hpp>

#include "catch.hpp"
#include "streams.hpp"

#include <cstdint>
#include <string>
#include <string_view>

using namespace warpkit;
using namespace warpkit::dram;
using namespace warpkit::test;

namespace {

using ramulator = shared_queue<oldest_ready, watermark_drain>;
using dramsim3 = bank_queues<head_closes<4>, batch_drain>;

constexpr char const* kinds[] = {"seq", "rand", "mix16", "pingpong", "rowwalk"};

/// What a peer took for the five streams.
struct peer_cycles {
    char const* standard;
    std::uint32_t refi;
    std::uint32_t refipb;
    cycle of[5];
};

standard const& named(std::string_view name) {
    for (auto const& s : standards)
        if (name == s.name) return s;
    FAIL("no standard " << name);
    return standards[0];
}

template <class Listener>
cycle ours(peer_cycles const& p, char const* kind, std::uint64_t count, Listener& listener) {
    auto const& s = named(p.standard);
    auto t = *s.numbers;
    t.refi = p.refi;
    t.refipb = p.refipb;
    address_mapping const map(s.mapping, 1);
    auto const requests = stream(kind, count, map, t);
    // A peer's first cycle: Ramulator counts from 1, DRAMsim3 from 0; refresh falls on multiples of its interval.
    if (std::string_view(p.standard).find("ramulator") != std::string_view::npos) {
        channel<ramulator> c(t, {32, 32, 8, {}}, s.bus, {true, write_end::command});
        return cycles_to_serve(c, requests, 1, listener);
    }
    channel<dramsim3> c(t, {32, 32, 8, {}}, s.bus, {true, write_end::acceptance});
    return cycles_to_serve(c, requests, 0, listener);
}

struct deaf {};

} // namespace

TEST_CASE("4,000 requests take as many cycles as in Ramulator 2.1 and DRAMsim3, refresh off and on") {
    // Measured: each peer's own code, driven in order until refused, one tick, repeat.
    peer_cycles const peers[] = {
        {"gddr6_ramulator", 0, 0, {11496, 44138, 18796, 45993, 359967}},
        {"gddr6_ramulator", 3333, 0, {11227, 48187, 20490, 49821, 384232}},
        {"hbm2_ramulator", 0, 0, {7447, 12062, 7947, 19653, 191984}},
        {"hbm2_ramulator", 3900, 0, {7409, 12611, 8271, 20620, 200144}},
        {"hbm2_ramulator", 0, 122, {8339, 14302, 9096, 20917, 201548}},
        {"gddr5_dramsim3", 0, 0, {8081, 46052, 14910, 22789, 319972}},
        {"gddr5_dramsim3", 3800, 0, {8468, 47830, 15149, 23632, 328416}},
        {"gddr5x_dramsim3", 0, 0, {8093, 38028, 16531, 20819, 239986}},
        {"gddr5x_dramsim3", 11699, 0, {8093, 38381, 16579, 20977, 242306}},
        {"gddr6_dramsim3", 0, 0, {12048, 52947, 18276, 26222, 311973}},
        {"gddr6_dramsim3", 11862, 0, {12251, 53736, 18560, 26532, 315873}},
        {"hbm2_dramsim3", 0, 0, {8030, 30580, 10022, 20525, 191984}},
        {"hbm2_dramsim3", 3900, 0, {8640, 33104, 10829, 21921, 206368}},
        // Two ranks each.
        {"ddr3_dramsim3", 0, 0, {16025, 18548, 16567, 22821, 155989}},
        {"ddr4_dramsim3", 0, 0, {22984, 21091, 18657, 45530, 295976}},
        {"lpddr4_dramsim3", 0, 0, {32041, 32330, 32789, 42676, 187995}},
    };
    for (auto const& p : peers)
        for (std::size_t k = 0; k < 5; ++k) {
            INFO(p.standard << (p.refi + p.refipb != 0 ? " with refresh, " : ", ") << kinds[k]);
            auto t = *named(p.standard).numbers;
            t.refi = p.refi;
            t.refipb = p.refipb;
            protocol_checker checker(t, named(p.standard).bus == command_bus::dual ? 2 : 1);
            auto const cycles = ours(p, kinds[k], 4000, checker);
            CHECK(checker.first() == "");
            if (std::string_view(p.standard) == "gddr6_ramulator" && p.refi != 0 && k == 3) {
                // Ramulator refreshes GDDR6 without waiting tRP behind a precharge of one bank: it gains up to 30
                // cycles each time.
                CHECK(cycles >= p.of[k]);
                CHECK(static_cast<double>(cycles) < 1.005 * static_cast<double>(p.of[k]));
            } else {
                CHECK(cycles == p.of[k]);
            }
        }
}

TEST_CASE("a million requests take as many cycles as the peers", "[.][peers]") {
    peer_cycles const peers[] = {
        {"gddr6_ramulator", 0, 0, {2968404, 10998389, 3497615, 11499993, 89999967}},
        {"hbm2_ramulator", 0, 0, {1906072, 3005634, 1723846, 4906249, 47999984}},
        {"gddr5_dramsim3", 0, 0, {2007862, 11247131, 3659215, 5687593, 79999972}},
        {"gddr6_dramsim3", 0, 0, {3000048, 13121024, 4443506, 6546951, 77999973}},
        {"hbm2_dramsim3", 0, 0, {2000030, 7500715, 2513640, 5124986, 47999984}},
    };
    for (auto const& p : peers)
        for (std::size_t k = 0; k < 5; ++k) {
            INFO(p.standard << ", " << kinds[k]);
            deaf nobody;
            CHECK(ours(p, kinds[k], 1'000'000, nobody) == p.of[k]);
        }
}
