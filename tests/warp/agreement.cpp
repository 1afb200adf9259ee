// Every scheduler keeps the laws, and agrees with its naive twin, over random streams of legal events.
#include <warpkit/testing/warp_scheduler_laws.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "catch.hpp"
#include "warp/twins.hpp"

using namespace warpkit;
using namespace warpkit::testing;

namespace {

constexpr law_options long_run{
    .seed = 20261120, .streams = 20, .decisions_per_stream = 10000, .starvation_bound = 0};

template <class Policy, class Twin>
void agrees(Policy const& policy = {}) {
    require_agreement<Policy, Twin>(long_run, policy);
    require_warp_scheduler_laws<Policy>({}, policy);
}

} // namespace

TEST_CASE("200,000 random decisions agree with the naive twin, and the laws hold") {
    SECTION("lrr") { CHECK_NOTHROW(agrees<lrr, twins::lrr>()); }
    SECTION("strict_round_robin") { CHECK_NOTHROW(agrees<strict_round_robin, twins::strict_round_robin>()); }
    SECTION("oldest") { CHECK_NOTHROW(agrees<oldest, twins::oldest>()); }
    SECTION("youngest") { CHECK_NOTHROW(agrees<youngest, twins::youngest>()); }
    SECTION("gto") { CHECK_NOTHROW(agrees<gto, twins::greedy_then<twins::oldest>>()); }
    SECTION("gty") { CHECK_NOTHROW(agrees<gty, twins::greedy_then<twins::youngest>>()); }
    SECTION("static_wavefront_limit<4>") {
        CHECK_NOTHROW(agrees<static_wavefront_limit<4>, twins::static_wavefront_limit<4>>());
    }
    SECTION("static_wavefront_limit<1>") {
        CHECK_NOTHROW(agrees<static_wavefront_limit<1>, twins::static_wavefront_limit<1>>());
    }
    SECTION("static_wavefront_limit<> of 6") {
        CHECK_NOTHROW(agrees<static_wavefront_limit<>, twins::static_wavefront_limit<6>>(
            static_wavefront_limit<>{oldest_n<>{6}}));
    }
    SECTION("two_level") { CHECK_NOTHROW(agrees<two_level, twins::two_level<8>>()); }
    SECTION("two_level with idle slots") {
        CHECK_NOTHROW(
            agrees<grouped<by_slot<8>, rotate_when_blocked_only, lrr>, twins::two_level<8, false>>());
    }
    SECTION("two_level, groups of 5") {
        CHECK_NOTHROW(agrees<grouped<by_slot<5>, rotate_when_blocked, lrr>, twins::two_level<5>>());
    }
    SECTION("two_level of the CCWS authors") {
        CHECK_NOTHROW(agrees<two_level_any_stall, twins::two_level_any_stall<8>>());
    }
    SECTION("two_level_active") {
        CHECK_NOTHROW(agrees<two_level_active, twins::two_level_active<8>>());
        CHECK_NOTHROW(agrees<two_level_active_of<run_time>, twins::two_level_active<3>>(
            two_level_active_of<run_time>{active_pending<run_time>{3}}));
    }
    SECTION("two_level_active of GPGPU-Sim") {
        CHECK_NOTHROW(agrees<spinning_two_level<>, twins::spinning_two_level<6, false>>());
        CHECK_NOTHROW(agrees<two_level_gpgpusim_compat, twins::spinning_two_level<6, true>>());
        CHECK_NOTHROW(agrees<spinning_two_level<8>, twins::spinning_two_level<8, false>>());
    }
    SECTION("ccws") {
        // Scores fall by 1 each cycle, and can be high: denial lasts long, but not for ever.
        CHECK_NOTHROW(require_agreement<ccws, twins::ccws>(long_run));
        CHECK_NOTHROW(require_warp_scheduler_laws<ccws>({.denial_bound = 40000}));
    }
    SECTION("one group is no group") {
        CHECK_NOTHROW(agrees<grouped<one_group, rotate_when_blocked, lrr>, twins::lrr>());
        CHECK_NOTHROW(
            agrees<grouped<one_group, first_with_candidate<>, gto>, twins::greedy_then<twins::oldest>>());
    }
    SECTION("a throttle within a throttle") {
        CHECK_NOTHROW(
            agrees<throttled<oldest_n<9>, static_wavefront_limit<4>>, twins::static_wavefront_limit<4>>());
    }
}

TEST_CASE("round-robin passes nobody over more often than there are other warps") {
    CHECK_NOTHROW(require_warp_scheduler_laws<lrr>(
        {.seed = 3, .streams = 12, .decisions_per_stream = 5000, .starvation_bound = 63}));
    CHECK_THROWS_WITH(require_warp_scheduler_laws<gto>(
                          {.seed = 3, .streams = 12, .decisions_per_stream = 5000, .starvation_bound = 63}),
                      Catch::Contains("starves"));
}
