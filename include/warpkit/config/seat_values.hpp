#pragma once
/// \file
/// The policies that a machine starts from, named by seat: {"warp_scheduler", "locality_aware:active=16"},
/// {"replay_queue", "new_car:16"}. What a seat can be given follows from its type: one of several where it is a one_of, and
/// itself with its parameters where it is anything else.

#include <warpkit/base/error.hpp>
#include <warpkit/config/machine.hpp>
#include <warpkit/config/policy_text.hpp>
#include <warpkit/cta/multithreading_tables.hpp>
#include <warpkit/machine/policies.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit {

namespace detail {

template <class P>
concept is_one_of = requires {
    P::each_alternative([]<class Q>() {});
};

template <class P>
void take_policy(P& policy, std::string_view text, std::string const& kind) {
    if constexpr (is_one_of<P>) {
        policy = policy_named<P>(text, kind);
    } else {
        policy_text const parts(text, kind);
        if (parts.name != display_name<P>())
            throw error({"the ", kind, " of this machine is ", display_name<P>(), ", so it cannot be '",
                         parts.name, "'"});
        policy = policy_with<P>(text, kind);
    }
}

/// A decision for all cores is taken on one that there is.
template <class P>
void check_predictor([[maybe_unused]] P const& limit, [[maybe_unused]] unsigned cores) {
    using decision = multithreading_degree<chosen_reads>;
    if constexpr (requires { limit.template get_if<decision>(); })
        if (auto const* const d = limit.template get_if<decision>();
            d != nullptr && cores != 0 && d->core() >= cores)
            throw error(
                {"multithreading_degree core = ", d->core(), ": the machine has cores 0 to ", cores - 1});
}

} // namespace detail

/// Puts the policy that a text names into its seat of a machine with `cores` cores, 0 if that is not known. Throws `error`
/// with the nearest name, or with what is wrong, and where a seat's policy is chosen when the machine is compiled.
template <class P, class CtaChoice>
void set_policy(core_values<P, CtaChoice>& values, slot_and_policy const& named, unsigned cores = 0) {
    bool known = false;
    auto const take = [&](char const* slot, char const* kind, auto& policy) {
        if (named.slot != slot) return;
        known = true;
        detail::take_policy(policy, named.policy, kind);
    };
    take(seats::warp_scheduler_seat<>::name, "scheduler", values.warp_scheduler);
    take(seats::fetch_order_seat<>::name, "fetch order", values.fetch_order);
    take(seats::instruction_prefetch_seat<>::name, "instruction prefetcher", values.instruction_prefetch);
    take(seats::coalescer_seat<>::name, "coalescer", values.coalescer);
    take(seats::replay_queue_seat<>::name, "replay queue", values.replay_queue);
    take(seats::data_prefetch_seat<>::name, "data prefetcher", values.data_prefetch);
    take(seats::cta_choice_seat<>::name, "choice of block", values.cta_choice);
    take(seats::occupancy_limit_seat<>::name, "occupancy limit", values.occupancy_limit);
    if (known) return detail::check_predictor(values.occupancy_limit, cores);
    std::vector<std::string> seats;
    for (auto const& row : seat_rows()) seats.push_back(row.name);
    if (std::find(seats.begin(), seats.end(), named.slot) == seats.end())
        throw error({"there is no seat '", named.slot, '\'' + did_you_mean(named.slot, seats),
                     "; there are: ", detail::list_of(seats)});
    throw error({"the policy of ", named.slot, " is chosen when a machine is compiled: use::", named.slot});
}

/// The same of all of a machine's.
template <class Policies>
void set_policy(policy_values<Policies>& values, slot_and_policy const& named, unsigned cores = 0) {
    if (named.slot == seats::dram_scheduler_seat<>::name)
        return detail::take_policy(values.dram_scheduler, named.policy, "DRAM scheduler");
    using of_cores = core_values<typename Policies::core, typename Policies::cta_choice>;
    set_policy(static_cast<of_cores&>(values), named, cores);
}

/// A machine's policies, those of the named seats by their texts; of several texts for one seat the last counts.
template <class Policies>
policy_values<Policies> values_named(std::vector<slot_and_policy> const& texts, unsigned cores = 0) {
    policy_values<Policies> values;
    for (auto const& t : texts) set_policy(values, t, cores);
    return values;
}

} // namespace warpkit
