#pragma once
/// \file
/// The policies that a machine starts from, named by seat: {"warp_scheduler", "locality_aware:active=16"},
/// {"replay_queue", "new_car:16"}. What a seat can be given follows from its type: one of several where it is a one_of,
/// and itself with its parameters where it is anything else, which may be called `preset`. A cache with alternatives
/// takes a variant, {"l2", "xor+fifo"}, which counts where l1d_variant and l2_variant of the numbers name nothing.

#include <warpkit/base/error.hpp>
#include <warpkit/base/policy_text.hpp>
#include <warpkit/config/machine.hpp>
#include <warpkit/cta/multithreading_tables.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/machine/seats.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace warpkit {

namespace detail {

template <class P>
concept is_one_of = requires {
    P::each_alternative([]<class Q>() {});
};

// What follows is compiled once for each policy, not for each machine that it is in.
template <class P>
[[gnu::cold, gnu::noinline]] void take_policy(P& policy, std::string_view text, char const* kind) {
    if constexpr (is_one_of<P>) {
        policy = policy_named<P>(text, kind);
    } else {
        policy_text const parts(text, kind);
        if (parts.name != display_name<P>() && parts.name != preset_policy::name())
            throw error({"the ", kind, " of this machine is ", display_name<P>(), ", so it cannot be '",
                         parts.name, "'"});
        policy = policy_with<P>(text, kind);
    }
}

/// Calls f with a pointer to each seat of a machine, which may point to nothing.
template <class... Seat, class F>
void each_seat(warpkit::policies<Seat...> const*, F&& f) {
    (f(static_cast<Seat const*>(nullptr)), ...);
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

/// Caches are judged when they are made: which parameters there are follows from their variant.
template <class P>
concept has_numbers_of_its_own = !requires(P const& p) {
    p.counters();
};

/// A cache whose policies are chosen when it is made (cache/alternatives.hpp).
template <class P>
concept has_variants = requires(std::string_view text) {
    P::choice_over(text, text);
};
/// The text that chooses them.
inline std::string* variant_in(gpu_parameters& numbers, std::string_view seat) {
    return seat == seats::l1d_seat<>::name  ? &numbers.l1d_variant
           : seat == seats::l2_seat<>::name ? &numbers.l2_variant
                                            : nullptr;
}

/// Takes what is said of this seat out of the parameters.
inline void forget_parameters(std::string& all, std::string const& seat) {
    std::string rest;
    for (std::size_t from = 0; from < all.size();) {
        auto const to = std::min(all.find(' ', from), all.size());
        if (all.compare(from, seat.size() + 1, seat + '=') != 0)
            rest.append(rest.empty() ? "" : " ").append(all, from, to - from);
        from = to + 1;
    }
    all = rest;
}
/// Notes the parameters of a policy that the engine makes itself: one that is chosen when a machine is compiled, or one
/// of several. Throws `error` where another is named.
template <class Seat>
[[gnu::cold, gnu::noinline]] void take_parameters(gpu_parameters& numbers, slot_and_policy const& named) {
    using policy = typename Seat::policy;
    policy_text const parts(named.policy, named.slot);
    bool const as_preset = parts.name == preset_policy::name();
    auto& all = numbers.policy_parameters;
    if constexpr (is_one_of<policy>) {
        if (as_preset && parts.values.empty()) return;
        if (!as_preset) static_cast<void>(policy_named<policy>(named.policy, named.slot));
        forget_parameters(all, named.slot);
    } else {
        if constexpr (has_variants<policy>)
            if (auto* const variant = variant_in(numbers, named.slot); variant != nullptr && !as_preset &&
                                                                       parts.values.empty() &&
                                                                       parts.name != display_name<policy>()) {
                *variant = policy::choice_over(parts.name, *variant);
                return;
            }
        if (!as_preset && parts.name != display_name<policy>())
            throw error({"the policy of ", named.slot, " is chosen when a machine is compiled, with use::",
                         named.slot, ": here it is ", display_name<policy>(), ", not '", parts.name, "'"});
        if (parts.values.empty()) return;
        if constexpr (has_numbers_of_its_own<policy>) try {
                static_cast<void>(policy_with<policy>(named.policy, named.slot));
            } catch (error const& e) {
                throw error({named.slot, ": ", e.what()});
            }
    }
    if (!all.empty()) all += ' ';
    all += named.slot + '=' + named.policy;
}
/// Refuses the name of a seat that there is not.
[[noreturn, gnu::cold]] inline void refuse_seat(std::string const& name) {
    std::vector<std::string> seats;
    for (auto const& row : seat_rows()) seats.push_back(row.name);
    throw error(
        {"there is no seat '", name, '\'' + did_you_mean(name, seats), "; there are: ", list_of(seats)});
}

} // namespace detail

/// A machine's numbers and the values of its policies.
template <class Policies>
struct machine_values {
    gpu_parameters numbers;
    policy_values<Policies> policies{};

    /// Puts the policy that a text names into its seat. Throws `error` with the nearest name, or with what is wrong. A
    /// policy that is chosen when the machine is compiled can be given other parameters only, by its name or as
    /// `preset`.
    void set(slot_and_policy const& named) {
        bool known = false;
        auto const take = [&](char const* slot, char const* kind, auto& policy) {
            if (named.slot != slot) return;
            known = true;
            detail::take_policy(policy, named.policy, kind);
        };
        take(seats::warp_scheduler_seat<>::name, "scheduler", policies.warp_scheduler);
        take(seats::fetch_order_seat<>::name, "fetch order", policies.fetch_order);
        take(seats::instruction_prefetch_seat<>::name, "instruction prefetcher",
             policies.instruction_prefetch);
        take(seats::coalescer_seat<>::name, "coalescer", policies.coalescer);
        take(seats::replay_queue_seat<>::name, "replay queue", policies.replay_queue);
        take(seats::data_prefetch_seat<>::name, "data prefetcher", policies.data_prefetch);
        take(seats::cta_choice_seat<>::name, "choice of block", policies.cta_choice);
        take(seats::kernel_dispatch_seat<>::name, "kernel dispatch", policies.kernel_dispatch);
        take(seats::cluster_placement_seat<>::name, "cluster placement", policies.cluster_placement);
        take(seats::occupancy_limit_seat<>::name, "occupancy limit", policies.occupancy_limit);
        if (known) return detail::check_predictor(policies.occupancy_limit, numbers.core.count);
        detail::each_seat(static_cast<Policies const*>(nullptr), [&](auto const* seat) {
            using seat_type = std::remove_cvref_t<decltype(*seat)>;
            if (named.slot != seat_type::name) return;
            known = true;
            detail::take_parameters<seat_type>(numbers, named);
        });
        if (!known) detail::refuse_seat(named.slot);
    }
};

/// A machine with these numbers, and with its policies as the texts name them by seat; of several texts for one seat
/// the last counts.
template <class Policies>
machine_values<Policies> values_named(gpu_parameters const& numbers,
                                      std::vector<slot_and_policy> const& texts) {
    machine_values<Policies> values{numbers};
    for (auto const& t : texts) values.set(t);
    return values;
}

} // namespace warpkit
