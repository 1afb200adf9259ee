#pragma once
/// \file
/// What the seats of a machine (machine/seats.hpp) are filled with where nothing else is said, and the instances of
/// policies that a machine starts from. Both engines, gpu/ and reference/, take the same.

#include <warpkit/base/policy_name.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/texture_cache.hpp>
#include <warpkit/cta/cluster_spread.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/fetch/no_prefetch.hpp>
#include <warpkit/lsu/no_replay.hpp>
#include <warpkit/noc/arbitration.hpp>

#include <concepts>
#include <type_traits>

namespace warpkit {

/// The networks, as policies of a machine (use::network): each engine has its own model of both.
struct crossbar_network {
    static constexpr char const* name() noexcept { return "crossbar"; }
};
struct mesh_network {
    static constexpr char const* name() noexcept { return "mesh"; }
};

/// The constant and texture caches of all published machines.
using usual_constant_cache = cache<linear_index, lru, on_fill, read_only>;
using usual_texture_cache = texture_cache<linear_index, lru>;

/// Hears nothing.
struct no_observer {
    friend bool operator==(no_observer const&, no_observer const&) = default;
};

/// Instances of the policies of a machine's cores and dispatcher, for policies with run-time numbers of their own. P is
/// a core_policies.
template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement = cluster_spread>
struct core_values {
    typename P::warp_scheduler warp_scheduler{};
    typename P::fetch_order fetch_order{};
    typename P::instruction_prefetch instruction_prefetch{};
    typename P::coalescer coalescer{};
    typename P::replay_queue replay_queue{};
    typename P::data_prefetch data_prefetch{};
    CtaChoice cta_choice{};
    KernelDispatch kernel_dispatch{};
    ClusterPlacement cluster_placement{};
    typename P::occupancy_limit occupancy_limit{};
    typename P::observer observer{};
};
/// Those that a machine starts from; what is in the memory is made by the engine, and has its parameters from the
/// machine's numbers (machine/policy_parameters.hpp). P is a policies.
template <class P>
struct policy_values : core_values<typename P::core, typename P::cta_choice, typename P::kernel_dispatch,
                                   typename P::cluster_placement> {};

/// Refuses, with one message that tells the remedy, a type that is no network arbitration (noc/arbitration.hpp).
template <class A>
constexpr bool check_network_arbitration() {
    static_assert(noc::arbitration<A>,
                  "warpkit: a network arbitration says which port goes first: write `template <class Ports, "
                  "class Born> Ports pick(Ports const& asking, std::uint32_t last, Born const& born) const "
                  "noexcept`, the set of one port of `asking`, `static constexpr char const* name()` and a "
                  "defaulted operator== (noc/arbitration.hpp)");
    return noc::arbitration<A>;
}

/// Refuses, with one message that tells the remedy, a type that is no network.
template <class N>
constexpr bool check_network() {
    constexpr bool modelled =
        std::is_same_v<N, crossbar_network> || std::is_same_v<N, mesh_network> || requires {
        typename N::interconnect;
    };
    static_assert(
        named<N> && modelled,
        "warpkit: a network is crossbar_network or mesh_network, or one of your own: write `static constexpr "
        "char const* name()` and `using interconnect = ...;`, the class that models it, with the members of "
        "interconnect (gpu/memory/interconnect.hpp)");
    return named<N> && modelled;
}

} // namespace warpkit
