// The least that the concepts ask is accepted by every combinator and check.

#include <warpkit/testing/archetypes.hpp>
#include <warpkit/warp/schedulers.hpp>

namespace {

using namespace warpkit;
using namespace warpkit::testing;

static_assert(check_warp_scheduler<warp_scheduler_archetype>());
static_assert(check_warp_scheduler<asking_scheduler_archetype>());
static_assert(check_warp_scheduler<throttling_scheduler_archetype>());
static_assert(check_warp_scheduler<greedy_then<warp_scheduler_archetype>>());
static_assert(check_warp_scheduler<greedy_then<asking_scheduler_archetype>>());
static_assert(check_warp_scheduler<throttled<eligibility_archetype, warp_scheduler_archetype>>());
static_assert(check_warp_scheduler<throttled<asking_eligibility_archetype, warp_scheduler_archetype>>());
static_assert(check_warp_scheduler<throttled<eligibility_archetype, throttling_scheduler_archetype>>());
static_assert(
    check_warp_scheduler<grouped<grouping_archetype, group_order_archetype, warp_scheduler_archetype>>());
static_assert(check_warp_scheduler<grouped<grouping_archetype, rotate_when_blocked, lrr>>());
static_assert(
    check_warp_scheduler<grouped<grouping_archetype, first_with_candidate<>, asking_scheduler_archetype>>());
static_assert(check_fetch_order<fetch_order_archetype>());
static_assert(check_cta_choice<cta_choice_archetype>());
static_assert(check_occupancy_limit<occupancy_limit_archetype>());
static_assert(check_cluster_placement<cluster_placement_archetype>());
static_assert(check_kernel_dispatch<kernel_dispatch_archetype>() &&
              check_kernel_dispatch<core_parting_archetype>());

} // namespace
