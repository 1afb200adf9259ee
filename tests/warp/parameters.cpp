// A scheduler whose numbers are known at run time decides as the one whose numbers are fixed: as the published one
// while it has the published numbers, and as the one compiled for others when it has those.
#include <warpkit/base/policy_text.hpp>
#include <warpkit/fetch/next_line.hpp>
#include <warpkit/testing/warp_scheduler_laws.hpp>
#include <warpkit/warp/one_warp_scheduler.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "catch.hpp"

#include <string>

using namespace warpkit;
using namespace warpkit::testing;

namespace {

/// `text` sets the numbers of AtRunTime; Fixed has them already.
template <class AtRunTime, class Fixed>
void same(std::string const& text) {
    INFO(text);
    auto const policy = policy_with<AtRunTime>(text);
    CHECK_NOTHROW(require_agreement<AtRunTime, Fixed>(
        {.seed = 11, .streams = 4, .decisions_per_stream = 4000}, policy));
    CHECK(std::string(common_name<AtRunTime>) == text.substr(0, text.find(':')));
}

} // namespace

TEST_CASE("with the published numbers, a scheduler is the published one") {
    same<two_level_of<run_time>, two_level>("two_level");
    same<two_level_any_stall_of<run_time>, two_level_any_stall>("two_level_any_stall");
    same<two_level_active_of<run_time>, two_level_active>("two_level_active");
    same<two_level_gpgpusim_of<run_time>, two_level_gpgpusim>("two_level_gpgpusim");
    same<two_level_gpgpusim_compat_of<run_time>, two_level_gpgpusim_compat>("two_level_gpgpusim_compat");
    same<ccws_of<run_time>, ccws>("ccws");
    same<daws_style_of<run_time>, daws_style>("daws_style");
    same<mascar_of<run_time, run_time>, mascar>("mascar");
    same<leader_first_of<run_time, run_time>, leader_first>("leader_first");
    same<cta_aware_of<run_time>, cta_aware>("cta_aware");
    same<cta_aware_locality_of<run_time>, cta_aware_locality>("cta_aware_locality");
    same<cta_aware_locality_blp_of<run_time>, cta_aware_locality_blp>("cta_aware_locality_blp");
    same<cta_aware_locality_fair_of<run_time, run_time>, cta_aware_locality_fair>("cta_aware_locality_fair");
    same<locality_aware_of<run_time>, locality_aware>("locality_aware");
    same<elf_of<run_time>, elf>("elf");
    same<elf_greedy_of<run_time>, elf_greedy>("elf_greedy");
}

TEST_CASE("with other numbers, it is the one that is compiled for them") {
    same<two_level_of<run_time>, two_level_of<5>>("two_level:group=5");
    same<two_level_of<run_time>, two_level_of<64>>("two_level:64");
    same<two_level_active_of<run_time>, two_level_active_of<3>>("two_level_active:3");
    same<static_wavefront_limit<>, static_wavefront_limit_8>("static_wavefront_limit:8");
    same<two_level_gpgpusim_of<run_time>, spinning_two_level<3>>("two_level_gpgpusim:active=3");
    same<ccws_of<run_time>, ccws_of<lost_locality_numbers{.base_score = 40, .throttle = 20}>>(
        "ccws:throttle=20:base_score=40");
    same<daws_style_of<run_time>, daws_style_of<loop_footprint_numbers{.percent = 20, .divergent_above = 1}>>(
        "daws_style:20:divergent_above=1");
    same<mascar_of<run_time, run_time>, mascar_of<30, 0>>("mascar:30:free_queue=0");
    same<leader_first_of<run_time, run_time>, leader_first_of<2, 30>>("leader_first:2:free_mshrs=30");
    same<cta_aware_of<run_time>, cta_aware_of<12>>("cta_aware:min_warps=12");
    same<cta_aware_of<run_time>, grouped<by_cta<min_warps<8>, inherit_slot>, rotate_when_blocked_only, lrr>>(
        "cta_aware:idle_slots=left_idle");
    same<cta_aware_locality_blp_of<run_time>, cta_aware_locality_blp_of<3>>("cta_aware_locality_blp:3");
    same<cta_aware_locality_fair_of<run_time, run_time>, cta_aware_locality_fair_of<16, 100>>(
        "cta_aware_locality_fair:interval=100:min_warps=16");
    same<locality_aware_of<run_time>, locality_aware_of<3>>("locality_aware:active=3");
    same<elf_of<run_time>, elf_16>("elf:points=16");
    same<elf_of<run_time>, elf_exact>("elf:points=512:recalculation=exact");
    same<elf_of<run_time>, elf_of<program_point_options{.max_score = 12, .merge = point_merge::literal}>>(
        "elf:max_score=12:merge=literal");
}

TEST_CASE("one of several schedulers hears, decides, hashes and is set as the one that it is") {
    using any = one_warp_scheduler<gto, two_level_of<run_time>, ccws_of<run_time>, elf_of<run_time>>;
    auto const two = policy_named<any>("two_level:group=4", "scheduler");
    CHECK(std::string(two.chosen_name()) == "two_level");
    CHECK_NOTHROW(require_agreement<any, two_level_of<4>>({.streams = 3}, two));
    CHECK_NOTHROW(require_agreement<any, gto>({.streams = 3}));
    CHECK(two != policy_named<any>("two_level:group=5", "scheduler"));
    CHECK(hash_of(two) != hash_of(policy_named<any>("two_level:group=5", "scheduler")));
    CHECK(two == policy_named<any>("two_level:4", "scheduler"));
    auto moved = two;
    moved = policy_named<any>("elf:points=7", "scheduler");
    CHECK(moved.get_if<elf_of<run_time>>() != nullptr);
    CHECK(moved.get_if<gto>() == nullptr);
    auto const last = std::move(moved);
    CHECK(last == policy_named<any>("elf:7", "scheduler"));
    CHECK(policies_of<any>().size() == 4);
    CHECK(policies_of<any>()[1].parameters[0].name == "group");
}

TEST_CASE("numbers stay through kernels, and those that nobody sets are the published ones") {
    auto policy = policy_with<locality_aware_of<run_time>>("locality_aware:active=3:patience=5");
    kernel_began e{};
    e.core = 0;
    e.cores = 1;
    e.warp_slots = warp_set::width;
    e.ctas_per_core = 4;
    e.warps_per_cta = 8;
    notify(e, policy);
    CHECK(parameters_of(policy)[0].standard == "3");
    CHECK(parameters_of(policy)[1].standard == "5");
    CHECK(parameters_of<elf_of<run_time>>()[0].standard == "32");
    CHECK(parameters_of<elf>()[0].values == "fixed");
    auto ranked = policy_with<cta_aware_locality_blp_of<run_time>>("cta_aware_locality_blp:16");
    notify(e, ranked);
    CHECK(parameters_of(ranked)[0].standard == "16");
}
