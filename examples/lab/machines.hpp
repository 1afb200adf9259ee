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

// A preset whose L1 data cache and L2 can be another kind at run time, whose DRAM can be listened to, and whose policies are
// the lab's wherever one of several is chosen when a machine is made.
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

// The points of one compiled machine: one for each of its schedulers and each replay queue that are wanted. No template:
// there are hundreds of points. What is not wanted costs a look at its names only: a run needs one point of hundreds.
inline void append_points(machine_names const& which, std::vector<warpkit::sweep_point>& points,
                          warpkit::sweep_point const& machine, std::vector<std::string> const& schedulers) {
    using namespace warpkit;
    auto const put = [](sweep_point& p, char const* slot, std::string const& policy) {
        for (auto& s : p.policies)
            if (s.slot == slot) s.policy = policy;
        p.texts.push_back({slot, policy});
    };
    for (auto const& scheduler : schedulers) {
        if (!machine_names::fits(which.scheduler, scheduler)) continue;
        for (auto const& queue : policy_names_of<any_queue>()) {
            if (!machine_names::fits(which.replay, queue)) continue;
            auto point = machine;
            put(point, seats::warp_scheduler_seat<>::name, scheduler);
            put(point, seats::replay_queue_seat<>::name, queue);
            point.chosen = {scheduler, machine.chosen[0], queue};
            points.push_back(std::move(point));
        }
    }
}
template <class Machine, class Dram>
void append_machine(machine_names const& which, std::vector<warpkit::sweep_point>& points,
                    std::vector<std::string> const& schedulers) {
    using namespace warpkit;
    if (!machine_names::fits(which.dram, display_name<Dram>()) ||
        !machine_names::fits(which.preset, Machine::numbers().name))
        return;
    append_points(which, points, detail::make_point<Machine, use::dram_scheduler<Dram>>(), schedulers);
}

// A machine with this scheduler, compiled for it.
template <class Machine, class Scheduler, class... Dram>
void append(machine_names const& which, std::vector<warpkit::sweep_point>& points) {
    if (!which.own.slot.empty()) return;
    auto const name = warpkit::display_name<Scheduler>();
    if (!machine_names::fits(which.scheduler, name)) return;
    (append_machine<typename Machine::template with<warpkit::use::warp_scheduler<Scheduler>>, Dram>(
         which, points, {name}),
     ...);
}
// A machine that is compiled once, with its scheduler chosen when it is made. `own`: what it has in a seat of the others.
template <class Machine, class... Dram>
void append_any(machine_names const& which, warpkit::slot_and_policy const& own,
                std::vector<warpkit::sweep_point>& points) {
    if (which.own != own && !(which.own.slot.empty() && which.preset.empty())) return;
    (append_machine<Machine, Dram>(which, points, warpkit::policy_names_of<any_scheduler>()), ...);
}
// The same with a policy of one's own in a seat that is filled when a machine is compiled.
template <class Preset, class Use, class... Dram>
void append_own(machine_names const& which, std::vector<warpkit::sweep_point>& points) {
    append_any<typename flexible<Preset>::template with<Use>, Dram...>(
        which, {Use::name, warpkit::display_name<typename Use::policy>()}, points);
}

} // namespace lab
