// Every scheduler keeps the laws, and agrees with its naive twin, over random streams of legal events.
#include <warpkit/testing/warp_scheduler_laws.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "catch.hpp"
#include "warp/million.hpp"
#include "warp/twins.hpp"

using namespace warpkit;
using namespace warpkit::testing;

namespace {

template <class Policy, class Twin>
void agrees(Policy const& policy = {}, Twin const& twin = {}, unsigned in_streams = million / 5) {
    require_agreement<Policy, Twin>({.seed = 20261120, .streams = in_streams, .decisions_per_stream = 10000},
                                    policy, twin);
}
template <class Policy, class Twin>
void agrees_and_keeps_the_laws(law_options const& options = {}) {
    agrees<Policy, Twin>({}, {}, million);
    require_warp_scheduler_laws<Policy>(options);
}
/// The twin of static_wavefront_limit<>{n}.
twins::static_wavefront_limit limited_to(unsigned n) {
    twins::static_wavefront_limit twin;
    twin.limit = n;
    return twin;
}

} // namespace

TEST_CASE("a million random decisions agree with the naive twin, and the laws hold") {
    SECTION("lrr") { CHECK_NOTHROW((agrees_and_keeps_the_laws<lrr, twins::lrr>())); }
    SECTION("strict_round_robin") {
        CHECK_NOTHROW((agrees_and_keeps_the_laws<strict_round_robin, twins::strict_round_robin>()));
    }
    SECTION("oldest") { CHECK_NOTHROW((agrees_and_keeps_the_laws<oldest, twins::oldest>())); }
    SECTION("youngest") { CHECK_NOTHROW((agrees_and_keeps_the_laws<youngest, twins::youngest>())); }
    SECTION("gto") { CHECK_NOTHROW((agrees_and_keeps_the_laws<gto, twins::greedy_then<twins::oldest>>())); }
    SECTION("gty") { CHECK_NOTHROW((agrees_and_keeps_the_laws<gty, twins::greedy_then<twins::youngest>>())); }
    SECTION("static_wavefront_limit") {
        CHECK_NOTHROW(
            (agrees_and_keeps_the_laws<static_wavefront_limit<8>, twins::static_wavefront_limit>()));
        for (unsigned n : {1U, 4U})
            CHECK_NOTHROW(agrees(static_wavefront_limit<>{oldest_n<>{n}}, limited_to(n)));
    }
    SECTION("two_level") {
        CHECK_NOTHROW((agrees_and_keeps_the_laws<two_level, twins::two_level<8>>()));
        CHECK_NOTHROW(
            (agrees<grouped<by_slot<5>, rotate_when_blocked_only, lrr>, twins::two_level<5, false>>()));
    }
    SECTION("two_level_any_stall") {
        CHECK_NOTHROW((agrees_and_keeps_the_laws<two_level_any_stall, twins::two_level_any_stall<8>>()));
    }
    SECTION("two_level_active") {
        CHECK_NOTHROW((agrees_and_keeps_the_laws<two_level_active, twins::two_level_active<8>>()));
    }
    SECTION("two_level_gpgpusim") {
        CHECK_NOTHROW((agrees_and_keeps_the_laws<two_level_gpgpusim, twins::spinning_two_level<6, false>>()));
        CHECK_NOTHROW(
            (agrees_and_keeps_the_laws<two_level_gpgpusim_compat, twins::spinning_two_level<6, true>>()));
    }
    SECTION("ccws") {
        // Scores fall by 1 each cycle, and can be high: denial lasts long, but not for ever.
        CHECK_NOTHROW((agrees_and_keeps_the_laws<ccws, twins::ccws>({.denial_bound = 40000})));
    }
    SECTION("mascar") { CHECK_NOTHROW((agrees_and_keeps_the_laws<mascar, twins::mascar>())); }
    SECTION("baws") { CHECK_NOTHROW((agrees_and_keeps_the_laws<baws, twins::baws>())); }
    SECTION("producer_first") {
        CHECK_NOTHROW((agrees_and_keeps_the_laws<producer_first, twins::producer_first>()));
    }
    SECTION("leader_first") {
        CHECK_NOTHROW((agrees_and_keeps_the_laws<leader_first, twins::leader_first>()));
        twins::leader_first twin;
        twin.every = 3;
        twin.free_mshrs = 20;
        CHECK_NOTHROW(agrees(leader_first_of<3, 20>{}, twin));
    }
    SECTION("pingpong") { CHECK_NOTHROW((agrees_and_keeps_the_laws<pingpong, twins::pingpong>())); }
    SECTION("cawa_style") {
        CHECK_NOTHROW((agrees_and_keeps_the_laws<cawa_style, twins::greedy_then<twins::most_critical>>()));
    }
    SECTION("daws_style") { CHECK_NOTHROW((agrees_and_keeps_the_laws<daws_style, twins::daws_style>())); }
    SECTION("one group is no group") {
        CHECK_NOTHROW(
            (agrees<grouped<one_group, first_with_candidate<>, gto>, twins::greedy_then<twins::oldest>>()));
    }
    SECTION("a throttle within a throttle") {
        CHECK_NOTHROW(
            (agrees<throttled<oldest_n<9>, static_wavefront_limit<8>>, twins::static_wavefront_limit>()));
    }
}

TEST_CASE("round-robin passes nobody over more often than there are other warps") {
    constexpr auto others = warp_set::width - 1;
    law_options const bounded{
        .seed = 3, .streams = 12, .decisions_per_stream = 5000, .starvation_bound = others};
    static_assert(lrr::starvation_bound == others); // declared, and so tried by default
    auto by_default = bounded;
    by_default.starvation_bound = 0;
    CHECK_NOTHROW(require_warp_scheduler_laws<lrr>(by_default));
    auto narrower = bounded;
    narrower.starvation_bound = 20;
    CHECK_THROWS_WITH(require_warp_scheduler_laws<lrr>(narrower), Catch::Contains("starves"));
    CHECK_THROWS_WITH(require_warp_scheduler_laws<gto>(bounded), Catch::Contains("starves"));
}
