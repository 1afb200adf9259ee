#pragma once
// What each part of the catalogue is made of: a preset with a scheduler, under each DRAM scheduler; replay queue, block
// dispatch and the numbers of all policies are as is said when a machine is made.

#include <warpkit/cache/alternatives.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/config/sweep.hpp>
#include <warpkit/dram/switchable_observer.hpp>
#include <warpkit/testing/shadow_schedulers.hpp>

#include "catalogue.hpp"
#include "policies.hpp"

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace lab {

// A preset whose L1 data cache and L2 can be another kind at run time, whose DRAM can be listened to, and whose
// policies are the lab's wherever one of several is chosen when a machine is made.
template <class Preset>
using flexible = typename Preset::template with<
    warpkit::use::l1d<warpkit::with_alternatives<typename Preset::policies::data_cache>>,
    warpkit::use::l2<warpkit::with_alternatives<typename Preset::policies::l2_cache>>,
    warpkit::use::dram_observer<warpkit::dram::switchable_observer>,
    warpkit::use::warp_scheduler<any_scheduler>, warpkit::use::coalescer<any_coalescer>,
    warpkit::use::replay_queue<any_queue>, warpkit::use::cta_choice<any_choice>,
    warpkit::use::occupancy_limit<any_limit>, warpkit::use::data_prefetch<any_data_prefetch>,
    warpkit::use::fetch_order<
        std::conditional_t<front_end_at_choice<Preset>, any_fetch_order, plain_fetch_order>>,
    warpkit::use::instruction_prefetch<
        std::conditional_t<front_end_at_choice<Preset>, any_prefetch, plain_prefetch>>>;

// The policies of a preset's memory under a DRAM scheduler.
template <class Preset, class Dram>
using memory = typename flexible<Preset>::template with<warpkit::use::dram_scheduler<Dram>>::policies::memory;

// The points of some compiled machines: one for each replay queue that is wanted and, where a scheduler, of warps or of
// the DRAM, is chosen when a machine is made, each of these. No template: there are hundreds of points.
inline void append_points(machine_names const& which, std::vector<warpkit::sweep_point>& points,
                          std::vector<warpkit::sweep_point> const& machines) {
    using namespace warpkit;
    auto const put = [](sweep_point& p, char const* slot, std::string const& policy) {
        for (auto& s : p.policies)
            if (s.slot == slot) s.policy = policy;
        p.texts.push_back({slot, policy});
    };
    for (auto const& machine : machines) {
        auto const& scheduler_there = machine.chosen[0];
        auto const schedulers = scheduler_there == preset_policy::name() ? policy_names_of<any_scheduler>()
                                                                         : std::vector{scheduler_there};
        for (auto const& scheduler : schedulers) {
            if (!machine_names::fits(which.scheduler, scheduler)) continue;
            for (auto const& dram : names_of_dram(machine.chosen[1])) {
                if (!machine_names::fits(which.dram, dram)) continue;
                for (auto const& queue : policy_names_of<any_queue>()) {
                    if (!machine_names::fits(which.replay, queue)) continue;
                    auto point = machine;
                    put(point, seats::warp_scheduler_seat<>::name, scheduler);
                    put(point, seats::dram_scheduler_seat<>::name, dram);
                    put(point, seats::replay_queue_seat<>::name, queue);
                    point.chosen = {scheduler, dram, queue};
                    points.push_back(std::move(point));
                }
            }
        }
    }
}
// The machines of a product: of warp schedulers (preset_policy: chosen when the machine is made), of DRAM schedulers,
// and of policies in further seats that are filled when a machine is compiled. What is not wanted costs a look at its
// names only: a run needs one point of hundreds.
template <class Preset, class... Choose>
void append(machine_names const& which, std::vector<warpkit::sweep_point>& points) {
    using namespace warpkit;
    if (!machine_names::fits(which.preset, Preset::numbers().name)) return;
    append_points(which, points,
                  sweep<flexible<Preset>, Choose...>(
                      [&](std::vector<slot_and_policy> const& chosen) { return which.wants(chosen); }));
}

} // namespace lab
