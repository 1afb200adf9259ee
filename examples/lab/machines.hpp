#pragma once
// What each part of the catalogue is made of: a preset with a scheduler, under each DRAM scheduler, with each replay queue;
// blocks are dispatched as is said when a machine is made.

#include <warpkit/cache/alternatives.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/config/sweep.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/switchable_observer.hpp>
#include <warpkit/lsu/one_replay_queue.hpp>
#include <warpkit/testing/understudies.hpp>
#include <warpkit/warp/one_warp_scheduler.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "catalogue.hpp"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace lab {

// A preset whose L1 data cache and L2 can be another kind at run time, and whose DRAM can be listened to.
template <class Preset>
using flexible = typename Preset::template with<
    warpkit::use::l1d<warpkit::with_alternatives<typename Preset::policies::data_cache>>,
    warpkit::use::l2<warpkit::with_alternatives<typename Preset::policies::l2_cache>>,
    warpkit::use::dram_observer<warpkit::dram::switchable_observer>>;

// The policies of a preset's memory under a DRAM scheduler.
template <class Preset, class Dram>
using memory = typename flexible<Preset>::template with<warpkit::use::dram_scheduler<Dram>>::policies::memory;

// A machine with this scheduler and the replay queue of this kind. All kinds are one type, so that each machine is
// compiled once; and so may the schedulers be.
template <class Machine>
warpkit::engine
with_values(warpkit::gpu_parameters const& numbers, warpkit::dispatch_policies const& dispatch,
            typename Machine::policies::warp_scheduler const& scheduler, warpkit::any_replay_queue const& queue) {
    warpkit::policy_values<typename Machine::policies> values;
    values.warp_scheduler = scheduler;
    values.replay_queue = queue;
    values.cta_choice = dispatch.choice;
    values.occupancy_limit = dispatch.limit;
    return warpkit::engine::with_values<Machine>(numbers, values);
}
template <class Machine, class Scheduler, class Queue>
warpkit::engine made_with(warpkit::gpu_parameters const& numbers,
                          warpkit::dispatch_policies const& dispatch) {
    using held = typename Machine::policies::warp_scheduler;
    return with_values<Machine>(numbers, dispatch, held(Scheduler{}), Queue());
}
template <class Machine, class Scheduler, class Queue>
warpkit::engine made(warpkit::gpu_parameters const& numbers) {
    return made_with<Machine, Scheduler, Queue>(numbers, {});
}

// What makes a machine with this kind of replay queue.
struct queue_makers {
    char const* queue;
    warpkit::engine (*make)(warpkit::gpu_parameters const&);
    warpkit::engine (*make_with)(warpkit::gpu_parameters const&, warpkit::dispatch_policies const&);
};
template <class Machine, class Scheduler, class Queue>
queue_makers makers_of(char const* queue) {
    return {queue, &made<Machine, Scheduler, Queue>, &made_with<Machine, Scheduler, Queue>};
}
// A point for each kind that is wanted. No template: there are hundreds of points.
inline void append_queues(machine_names const& which, std::vector<warpkit::sweep_point>& points,
                          std::string const& preset, std::string const& scheduler, std::string const& dram,
                          std::vector<warpkit::slot_and_policy> policies,
                          std::initializer_list<queue_makers> queues) {
    using namespace warpkit;
    for (auto const& q : queues) {
        if (!machine_names::fits(which.replay, q.queue)) continue;
        for (auto& p : policies) {
            if (p.slot == seats::warp_scheduler_seat<>::name) p.policy = scheduler;
            if (p.slot == seats::replay_queue_seat<>::name) p.policy = q.queue;
        }
        points.push_back({preset, {scheduler, dram, q.queue}, policies, q.make, q.make_with});
    }
}

// Held is the type in the machine: Scheduler, or one that can hold it. What is not wanted costs a look at its names only:
// a run needs one point of hundreds.
template <class Preset, class Scheduler, class Held, class Dram>
void append_queues(machine_names const& which, std::vector<warpkit::sweep_point>& points) {
    using namespace warpkit;
    auto const scheduler = display_name<Scheduler>();
    if (!machine_names::fits(which.scheduler, scheduler)) return;
    auto const dram = display_name<Dram>();
    if (!machine_names::fits(which.dram, dram)) return;
    auto const* const preset = Preset::numbers().name;
    if (!machine_names::fits(which.preset, preset)) return;
    using machine = typename flexible<Preset>::template with<
        use::warp_scheduler<Held>, use::dram_scheduler<Dram>, use::replay_queue<any_replay_queue>,
        use::cta_choice<any_cta_choice>, use::occupancy_limit<any_occupancy_limit>>;
    append_queues(which, points, preset, scheduler, dram, machine::describe(),
                  {makers_of<machine, Scheduler, no_replay>(no_replay::name),
                   makers_of<machine, Scheduler, mrpb>(mrpb::name),
                   makers_of<machine, Scheduler, car>(car::name),
                   makers_of<machine, Scheduler, new_car>(new_car::name)});
}

template <class Preset, class Scheduler, class Held, class... Dram>
void append(machine_names const& which, std::vector<warpkit::sweep_point>& points) {
    (append_queues<Preset, Scheduler, Held, Dram>(which, points), ...);
}

} // namespace lab
