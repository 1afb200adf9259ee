#pragma once
// What each part of the catalogue is made of: a preset with a scheduler, under each DRAM scheduler, with each replay queue;
// blocks are dispatched as is said when a machine is made.

#include <warpkit/cache/alternatives.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/config/sweep.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/switchable_observer.hpp>
#include <warpkit/lsu/any_replay.hpp>
#include <warpkit/testing/any_scheduler.hpp>
#include <warpkit/testing/understudies.hpp>
#include <warpkit/warp/schedulers.hpp>

#include <type_traits>
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
template <class Machine, class Scheduler, warpkit::replay_kind Kind>
warpkit::engine with_values(warpkit::gpu_parameters const& numbers,
                            warpkit::dispatch_policies const& dispatch) {
    warpkit::policy_values<typename Machine::policies> values;
    values.warp_scheduler = decltype(values.warp_scheduler)(Scheduler{});
    values.replay_queue = warpkit::any_replay(Kind);
    values.cta_choice = dispatch.choice;
    values.occupancy_limit = dispatch.limit;
    return warpkit::engine::with_values<Machine>(numbers, values);
}

// Held is the type in the machine: Scheduler, or one that can hold it.
template <class Preset, class Scheduler, class Held, class Dram>
void append_queues(std::vector<warpkit::sweep_point>& points) {
    using namespace warpkit;
    using machine = typename flexible<Preset>::template with<
        use::warp_scheduler<Held>, use::dram_scheduler<Dram>, use::replay_queue<any_replay>,
        use::cta_choice<any_cta_choice>, use::occupancy_limit<any_occupancy_limit>>;
    auto const add = [&points]<replay_kind Kind>(char const* queue,
                                                 std::integral_constant<replay_kind, Kind>) {
        auto policies = machine::describe();
        for (auto& p : policies) {
            if (p.slot == slots::warp_scheduler::name) p.policy = display_name<Scheduler>();
            if (p.slot == slots::replay_queue::name) p.policy = queue;
        }
        points.push_back(
            {machine::numbers().name,
             {display_name<Scheduler>(), display_name<Dram>(), queue},
             std::move(policies),
             [](gpu_parameters const& numbers) { return with_values<machine, Scheduler, Kind>(numbers, {}); },
             &with_values<machine, Scheduler, Kind>});
    };
    add(no_replay::name, std::integral_constant<replay_kind, replay_kind::none>{});
    add(mrpb::name, std::integral_constant<replay_kind, replay_kind::mrpb>{});
    add(car::name, std::integral_constant<replay_kind, replay_kind::car>{});
    add(new_car::name, std::integral_constant<replay_kind, replay_kind::new_car>{});
}

template <class Preset, class Scheduler, class Held, class... Dram>
void append(std::vector<warpkit::sweep_point>& points) {
    (append_queues<Preset, Scheduler, Held, Dram>(points), ...);
}

} // namespace lab
