#pragma once
// What the lab compiles: the machines that its presets run on, and what each preset tells its machine.

#include <warpkit/cache/alternatives.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/config/sweep.hpp>
#include <warpkit/dram/switchable_observer.hpp>
#include <warpkit/machine/memory_listener.hpp>
#include <warpkit/testing/shadow_schedulers.hpp>

#include "catalogue.hpp"
#include "policies.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace lab {

// The machine that a preset runs on. Presets differ in their numbers, in their caches and in policies that are chosen
// when a machine is made: all this is told to one machine, which is compiled once for all of them that have the same
// network. Its caches can be of any kind, its memory can be listened to, and its policies are the lab's wherever one of
// several is chosen when it is made, warp schedulers among them.
template <class Preset>
using flexible = typename presets::gtx480::with<
    typename Preset::template seat<use::l1i>, typename Preset::template seat<use::l1c>,
    typename Preset::template seat<use::l1t>, typename Preset::template seat<use::page_policy>,
    typename Preset::template seat<use::memory_prefetcher>, typename Preset::template seat<use::network>,
    typename Preset::template seat<use::network_arbitration>,
    use::l1d<with_alternatives<presets::gtx480::policies::data_cache>>,
    use::l2<with_alternatives<presets::gtx480::policies::l2_cache>>, use::l2_observer<l2_heard_beside<>>,
    use::dram_observer<dram_heard_beside<dram::switchable_observer>>, use::warp_scheduler<any_scheduler>,
    use::coalescer<any_coalescer>, use::replay_queue<any_queue>, use::cta_choice<any_choice>,
    use::kernel_dispatch<any_kernel_dispatch>, use::cluster_placement<any_cluster_placement>,
    use::occupancy_limit<any_limit>, use::data_prefetch<any_data_prefetch>, use::fetch_order<any_fetch_order>,
    use::instruction_prefetch<any_prefetch>, use::dram_scheduler<any_dram>>;

// The same with a warp scheduler that it is compiled with, and the usual front end: what costs least.
template <class Machine, class Scheduler>
using specialised =
    typename Machine::template with<use::warp_scheduler<Scheduler>, use::fetch_order<plain_fetch_order>,
                                    use::instruction_prefetch<plain_prefetch>,
                                    use::data_prefetch<plain_data_prefetch>>;

// A preset in the terms of the machine that it runs on.
struct preset_row {
    std::vector<slot_and_policy> policies; // its own, by seat
    std::vector<slot_and_policy> texts;    // those that its machine is told
};
struct preset_entry {
    std::string_view name;
    preset_row (*row)(); // made when it is wanted
};

// A cache's policies, each by its name.
template <class Cache>
std::string variant_text() {
    auto text = detail::joined({display_name<typename Cache::index_policy>(), "+",
                                display_name<typename Cache::replacement_policy_type>(), "+",
                                display_name<typename Cache::allocation_policy_type>(), "+",
                                display_name<typename Cache::write_policy_type>()});
    std::replace(text.begin(), text.end(), ' ', '+');
    return text;
}
template <class Preset, class Machine>
[[gnu::cold]] preset_row row_of() {
    static_assert(std::is_same_v<flexible<Preset>, Machine>,
                  "this preset runs on another machine: see the lab's CMakeLists.txt");
    preset_row row{Preset::describe(), {}};
    auto const tell = [&row]<class Seat>(Seat const*, std::string text) {
        row.texts.push_back({Seat::name, std::move(text)});
    };
    using coalescer = typename Preset::template seat<use::coalescer>;
    tell(static_cast<coalescer const*>(nullptr), display_name<typename coalescer::policy>());
    auto const tell_cache = [&]<class Seat, class Standard>(Seat const* seat, Standard const*) {
        if constexpr (!std::is_same_v<Seat, Standard>) tell(seat, variant_text<typename Seat::policy>());
    };
    using l1d = typename Preset::template seat<use::l1d>;
    using l2 = typename Preset::template seat<use::l2>;
    tell_cache(static_cast<l1d const*>(nullptr),
               static_cast<presets::gtx480::seat<use::l1d> const*>(nullptr));
    tell_cache(static_cast<l2 const*>(nullptr), static_cast<presets::gtx480::seat<use::l2> const*>(nullptr));
    return row;
}
// Those of the presets that run on one machine.
template <class Machine, class... Preset>
std::vector<preset_entry> presets_on() {
    return {{Preset::numbers().name, &row_of<Preset, Machine>}...};
}

// Makes a machine.
using maker = engine (*)(gpu_parameters const&, std::vector<slot_and_policy> const&);
// One that is compiled with a warp scheduler.
struct specialised_maker {
    char const* scheduler;
    maker make;
};
template <class Policy>
bool has_policy(std::string_view text) {
    if constexpr (detail::is_one_of<Policy>) {
        auto const names = policy_names_of<Policy>();
        return std::find(names.begin(), names.end(), policy_of(text)) != names.end();
    } else {
        return policy_of(text) == display_name<Policy>();
    }
}
// Machine with this scheduler compiled in or, for a front end that it then does not have, as it is.
template <class Machine, class Scheduler>
engine make_specialised(gpu_parameters const& numbers, std::vector<slot_and_policy> const& texts) {
    for (auto const& t : texts)
        if ((t.slot == seats::fetch_order_seat<>::name && !has_policy<plain_fetch_order>(t.policy)) ||
            (t.slot == seats::data_prefetch_seat<>::name && !has_policy<plain_data_prefetch>(t.policy)) ||
            (t.slot == seats::instruction_prefetch_seat<>::name && !has_policy<plain_prefetch>(t.policy)))
            return detail::make_machine<Machine>(numbers, texts);
    return detail::make_machine<specialised<Machine, Scheduler>>(numbers, texts);
}

// The points of a compiled machine, in whose seats is what is chosen, on each preset: one for each replay queue that is
// wanted, for each warp scheduler, and each DRAM scheduler where that is chosen when a machine is made. The specialised
// ones are those of this machine. No template: there are hundreds of points.
void append_points(machine_names const& which, std::vector<sweep_point>& points,
                   std::vector<preset_entry> const& presets, std::vector<slot_and_policy> const& chosen,
                   maker make, std::vector<specialised_maker> const& specialised);

// The machines of a product: of DRAM schedulers, and of policies in further seats that are filled when a machine is
// compiled. What is not wanted costs a look at its names only: a run needs one point of hundreds.
template <class Machine, class... Choose>
void append(machine_names const& which, std::vector<sweep_point>& points,
            std::vector<preset_entry> const& presets, std::vector<specialised_maker> const& specialised) {
    each_machine<Machine, Choose...>([&]<class M>(std::vector<slot_and_policy> const& chosen) {
        if (which.wants(chosen))
            append_points(which, points, presets, chosen, &detail::make_machine<M>, specialised);
    });
}

} // namespace lab
