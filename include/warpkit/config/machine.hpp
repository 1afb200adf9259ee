#pragma once
/// \file
/// Machines put together by name: a preset's numbers, and a policy in each slot.
///
///     using mine = presets::gtx480::with<use::warp_scheduler<lrr>, use::dram_scheduler<dram::fcfs>>;
///
/// In any order, and again on the result. Inside, the slots are a compile-time map: a class with a base for each, of which
/// the compiler deduces the one that fits. (A map of Boost.Hana does the same in half a second of GCC 12.)

#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/config/preset.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/dram/scheduler.hpp>
#include <warpkit/fetch/concepts.hpp>
#include <warpkit/gpu/l2_events.hpp>
#include <warpkit/gpu/policies.hpp>
#include <warpkit/lsu/concepts.hpp>
#include <warpkit/lsu/replay_policy.hpp>
#include <warpkit/warp/check.hpp>

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace warpkit {

/// The seats that policies take, as keys.
namespace slots {
struct warp_scheduler {
    static constexpr char const* name = "warp_scheduler";
};
struct fetch_order {
    static constexpr char const* name = "fetch_order";
};
struct instruction_prefetch {
    static constexpr char const* name = "instruction_prefetch";
};
struct cta_choice {
    static constexpr char const* name = "cta_choice";
};
struct occupancy_limit {
    static constexpr char const* name = "occupancy_limit";
};
struct coalescer {
    static constexpr char const* name = "coalescer";
};
struct replay_queue {
    static constexpr char const* name = "replay_queue";
};
struct l1i {
    static constexpr char const* name = "l1i";
};
struct l1d {
    static constexpr char const* name = "l1d";
};
struct l1c {
    static constexpr char const* name = "l1c";
};
struct l1t {
    static constexpr char const* name = "l1t";
};
struct l2 {
    static constexpr char const* name = "l2";
};
struct dram_scheduler {
    static constexpr char const* name = "dram_scheduler";
};
struct page_policy {
    static constexpr char const* name = "page_policy";
};
struct observer {
    static constexpr char const* name = "observer";
};
struct network {
    static constexpr char const* name = "network";
};
struct memory_prefetcher {
    static constexpr char const* name = "memory_prefetcher";
};
struct dram_observer {
    static constexpr char const* name = "dram_observer";
};
struct l2_observer {
    static constexpr char const* name = "l2_observer";
};
} // namespace slots

/// What with<> takes: a policy P for a slot.
namespace use {
template <class P>
struct warp_scheduler {
    using slot = slots::warp_scheduler;
    using policy = P;
};
template <class P>
struct fetch_order {
    using slot = slots::fetch_order;
    using policy = P;
};
template <class P>
struct instruction_prefetch {
    using slot = slots::instruction_prefetch;
    using policy = P;
};
template <class P>
struct cta_choice {
    using slot = slots::cta_choice;
    using policy = P;
};
template <class P>
struct occupancy_limit {
    using slot = slots::occupancy_limit;
    using policy = P;
};
template <class P>
struct coalescer {
    using slot = slots::coalescer;
    using policy = P;
};
template <class P>
struct replay_queue {
    using slot = slots::replay_queue;
    using policy = P;
};
template <class P>
struct l1i {
    using slot = slots::l1i;
    using policy = P;
};
template <class P>
struct l1d {
    using slot = slots::l1d;
    using policy = P;
};
template <class P>
struct l1c {
    using slot = slots::l1c;
    using policy = P;
};
template <class P>
struct l1t {
    using slot = slots::l1t;
    using policy = P;
};
template <class P>
struct l2 {
    using slot = slots::l2;
    using policy = P;
};
template <class P>
struct dram_scheduler {
    using slot = slots::dram_scheduler;
    using policy = P;
};
template <class P>
struct page_policy {
    using slot = slots::page_policy;
    using policy = P;
};
template <class P>
struct observer {
    using slot = slots::observer;
    using policy = P;
};
template <class P>
struct network {
    using slot = slots::network;
    using policy = P;
};
template <class P>
struct memory_prefetcher {
    using slot = slots::memory_prefetcher;
    using policy = P;
};
template <class P>
struct dram_observer {
    using slot = slots::dram_observer;
    using policy = P;
};
template <class P>
struct l2_observer {
    using slot = slots::l2_observer;
    using policy = P;
};
} // namespace use

namespace detail {
/// One behind the other. (In `a + b`, GCC 12 sees overlaps and overruns where there are none: GCC bug 105651.)
inline std::string joined(std::initializer_list<std::string_view> parts) {
    std::string s;
    for (auto const part : parts) s.append(part);
    return s;
}
} // namespace detail

/// The name by which a policy is known: its common name, or the `name` or `name()` that it gives itself; caches are
/// spelled by their parts. That of its class for a policy that has none.
template <class P>
std::string display_name() {
    if constexpr (std::is_same_v<P, no_observer>)
        return "none";
    else if constexpr (requires { typename P::first_alternative; })
        return display_name<typename P::first_alternative>();
    else if constexpr (requires {
                           typename P::index_policy;
                           typename P::write_policy_type;
                       })
        return detail::joined({"cache<", display_name<typename P::index_policy>(), ", ",
                               display_name<typename P::replacement_policy_type>(), ", ",
                               display_name<typename P::allocation_policy_type>(), ", ",
                               display_name<typename P::write_policy_type>(), ">"});
    else if constexpr (requires {
                           typename P::index_policy;
                           typename P::replacement_policy_type;
                       })
        return detail::joined({"texture_cache<", display_name<typename P::index_policy>(), ", ",
                               display_name<typename P::replacement_policy_type>(), ">"});
    else if constexpr (requires {
                           { P::on_miss(memory_space::local) } -> std::same_as<write_miss>;
                           requires !P::is_read_only;
                       })
        return detail::joined({P::name, " ", name_of(P::on_miss(memory_space::local))});
    else if constexpr (requires {
                           { P::name } -> std::convertible_to<char const*>;
                       })
        return P::name;
    else
        return common_name<P>;
}

/// A slot and the name of the policy in it.
struct slot_and_policy {
    std::string slot;
    std::string policy;
    friend bool operator==(slot_and_policy const&, slot_and_policy const&) = default;
};

namespace detail {

template <class U>
concept is_use = requires {
    typename U::slot;
    typename U::policy;
    U::slot::name;
};
template <class U, class... All>
inline constexpr int times_named = ((std::is_same_v<typename U::slot, typename All::slot> ? 1 : 0) + ... + 0);

/// Slot -> use, as a class with a base for each.
template <class Slot, class U>
struct seat {};
template <class... Use>
struct seats : seat<typename Use::slot, Use>... {};
/// The use of a slot: U is deduced from the one base that fits.
template <class Slot, class U>
U in_seat(seat<Slot, U> const&);

/// What the U... have for a slot, or `otherwise`.
template <class Otherwise, class... U>
auto replacement() {
    if constexpr (times_named<Otherwise, U...> != 0)
        return decltype(in_seat<typename Otherwise::slot>(seats<U...>()))();
    else
        return Otherwise();
}

/// Refuses, with one message each, what cannot take its slot. Whether that is all right.
template <class P>
constexpr bool check_policies() {
    if constexpr (!check_warp_scheduler<typename P::warp_scheduler>())
        return false;
    else if constexpr (!check_fetch_order<typename P::fetch_order>())
        return false;
    else if constexpr (!check_instruction_prefetch<typename P::instruction_prefetch>())
        return false;
    else if constexpr (!check_cta_choice<typename P::cta_choice>())
        return false;
    else if constexpr (!check_occupancy_limit<typename P::occupancy_limit>())
        return false;
    else {
        static_assert(warpkit::coalescing_policy<typename P::coalescer>,
                      "warpkit: this is no coalescer: see the contract in lsu/concepts.hpp");
        static_assert(warpkit::replay_policy<typename P::replay_queue>,
                      "warpkit: this is no replay queue: see the contract in lsu/replay_policy.hpp");
        static_assert(dram::scheduler<typename P::dram_scheduler>,
                      "warpkit: this is no DRAM scheduler: see the contract in dram/scheduler.hpp");
        static_assert(dram::page_policy<typename P::page_policy>,
                      "warpkit: this is no page policy: see the contract in dram/page_policy.hpp");
        static_assert(dram::memory_prefetcher<typename P::memory_prefetcher>,
                      "warpkit: this is no memory prefetcher: see the contract in dram/prefetch.hpp");
        static_assert(std::regular<typename P::dram_observer>,
                      "warpkit: a DRAM observer is a value: default-constructible, copyable and comparable");
        static_assert(std::regular<typename P::l2_observer>,
                      "warpkit: an L2 observer is a value: default-constructible, copyable and comparable");
        detail::check_handlers<typename P::l2_observer>(l2_events{});
        static_assert(std::regular<typename P::observer>,
                      "warpkit: an observer is a value: default-constructible, copyable and comparable");
        return check_listener<typename P::observer>();
    }
}

} // namespace detail

template <class Numbers, class... Use>
struct machine;

namespace detail {

/// M with the uses U... in their slots; M itself, after one message, when they do not fit.
template <class M, class... U>
struct with_uses;
template <class Numbers, class... Use, class... U>
struct with_uses<machine<Numbers, Use...>, U...> {
    static constexpr auto make() {
        using same = machine<Numbers, Use...>;
        constexpr bool uses = (is_use<U> && ...);
        static_assert(uses,
                      "warpkit: with<> takes policies with their slot, as in with<use::warp_scheduler<lrr>>; "
                      "config/machine.hpp lists the slots");
        if constexpr (uses) {
            constexpr bool known = ((times_named<U, Use...> == 1) && ...);
            constexpr bool once = ((times_named<U, U...> == 1) && ...);
            static_assert(known,
                          "warpkit: with<> names a slot that this machine does not have; config/machine.hpp "
                          "lists the slots");
            static_assert(once, "warpkit: with<> names a slot twice; keep one policy for each slot");
            if constexpr (known && once)
                return std::type_identity<machine<Numbers, decltype(replacement<Use, U...>())...>>();
            else
                return std::type_identity<same>();
        } else {
            return std::type_identity<same>();
        }
    }
    using type = typename decltype(make())::type;
};

/// The policies of a machine as gpu/gpu.hpp takes them.
template <class... Use>
struct lowered {
    template <class Slot>
    using in = typename decltype(in_seat<Slot>(seats<Use...>()))::policy;

    using type = policies<in<slots::warp_scheduler>, in<slots::fetch_order>, in<slots::cta_choice>,
                          in<slots::occupancy_limit>, in<slots::coalescer>, in<slots::l1i>, in<slots::l1d>,
                          in<slots::l2>, in<slots::dram_scheduler>, in<slots::page_policy>,
                          in<slots::observer>, in<slots::instruction_prefetch>, in<slots::memory_prefetcher>,
                          in<slots::dram_observer>, in<slots::replay_queue>, in<slots::network>,
                          in<slots::l1c>, in<slots::l1t>, in<slots::l2_observer>>;
    static_assert(check_policies<type>());
};

} // namespace detail

/// A machine: `Numbers::numbers()` is its preset, and `Use...` names a policy for every slot, in the order of the slots.
template <class Numbers, class... Use>
struct machine {
    /// The same machine with other policies.
    template <class... Other>
    using with = typename detail::with_uses<machine, Other...>::type;

    /// What gpu/gpu.hpp takes. Here the policies are checked, ahead of anything that uses them.
    using policies = typename detail::lowered<Use...>::type;

    static preset const& numbers() { return Numbers::numbers(); }
    /// The preset's numbers, to be changed with set_number() and checked with check().
    static gpu_parameters parameters() { return warpkit::parameters(numbers()); }

    /// Slot and policy names, in the order of the slots.
    static std::vector<slot_and_policy> describe() {
        return {{Use::slot::name, display_name<typename Use::policy>()}...};
    }
};

} // namespace warpkit
