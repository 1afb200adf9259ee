#pragma once
/// \file
/// The seats of a machine: the decisions for which it takes a policy. Each is declared once, here.
///
/// From a seat's declaration follow its name in lists and messages, `use::`, the check of what wants to sit there, the
/// policy that sits there unless a machine says otherwise, and the member by which the pipeline asks for it. To add a
/// seat, declare it, name it in `use` and put it into `all_seats`: presets, `with<>`, sweeps, lists and pages have it
/// then.

#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/check.hpp>
#include <warpkit/cache/fermi_index.hpp>
#include <warpkit/cta/cluster_placement.hpp>
#include <warpkit/cta/cluster_spread.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/cta/kernel_dispatch.hpp>
#include <warpkit/cta/leftover.hpp>
#include <warpkit/cta/limits.hpp>
#include <warpkit/cta/round_robin_dispatch.hpp>
#include <warpkit/dram/check.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/row_access.hpp>
#include <warpkit/fetch/concepts.hpp>
#include <warpkit/fetch/loose_round_robin.hpp>
#include <warpkit/fetch/no_prefetch.hpp>
#include <warpkit/lsu/check.hpp>
#include <warpkit/lsu/data_prefetch.hpp>
#include <warpkit/lsu/fermi_coalescing.hpp>
#include <warpkit/lsu/no_data_prefetch.hpp>
#include <warpkit/lsu/no_replay.hpp>
#include <warpkit/machine/l2_events.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/warp/check.hpp>
#include <warpkit/warp/gto.hpp>

#include <concepts>
#include <type_traits>

namespace warpkit {

/// The part of a machine whose code a seat's policy becomes a part of. Machines that differ in the seats of one part
/// share the code of the others.
enum class machine_part : unsigned char { core, memory, dispatcher };

/// What all seats have in common.
template <machine_part Part, class P>
struct seat {
    using policy = P;
    static constexpr machine_part part = Part;
};

/// What observers of the memory may hear. One type may sit in both seats, so neither refuses what the other one hears.
using memory_events = event_list<dram::command, dram::row_access, l2_accessed, l2_evicted, l2_filled>;

namespace seats {

template <class P = gto>
struct warp_scheduler_seat : seat<machine_part::core, P> {
    using warp_scheduler = P;
    static constexpr char const* name = "warp_scheduler";
    static constexpr char const* decides = "which warp issues";
    static constexpr char const* contract = "warp/concepts.hpp";
    static constexpr bool check() { return check_warp_scheduler<P>(); }
};

template <class P = fetch::loose_round_robin>
struct fetch_order_seat : seat<machine_part::core, P> {
    using fetch_order = P;
    static constexpr char const* name = "fetch_order";
    static constexpr char const* decides = "which warp's instructions are fetched";
    static constexpr char const* contract = "fetch/concepts.hpp";
    static constexpr bool check() { return check_fetch_order<P>(); }
};

template <class P = fetch::no_prefetch>
struct instruction_prefetch_seat : seat<machine_part::core, P> {
    using instruction_prefetch = P;
    static constexpr char const* name = "instruction_prefetch";
    static constexpr char const* decides = "which code is fetched ahead of all warps";
    static constexpr char const* contract = "fetch/concepts.hpp";
    static constexpr bool check() { return check_instruction_prefetch<P>(); }
};

template <class P = round_robin_dispatch>
struct cta_choice_seat : seat<machine_part::dispatcher, P> {
    using cta_choice = P;
    static constexpr char const* name = "cta_choice";
    static constexpr char const* decides = "which CTA goes to which core";
    static constexpr char const* contract = "cta/concepts.hpp";
    static constexpr bool check() { return check_cta_choice<P>(); }
};

template <class P = leftover>
struct kernel_dispatch_seat : seat<machine_part::dispatcher, P> {
    using kernel_dispatch = P;
    static constexpr char const* name = "kernel_dispatch";
    static constexpr char const* decides = "which of several kernels gets the next CTA slot of which core";
    static constexpr char const* contract = "cta/kernel_dispatch.hpp";
    static constexpr bool check() { return check_kernel_dispatch<P>(); }
};

template <class P = cluster_spread>
struct cluster_placement_seat : seat<machine_part::dispatcher, P> {
    using cluster_placement = P;
    static constexpr char const* name = "cluster_placement";
    static constexpr char const* decides = "which core of its group each CTA of a cluster goes to";
    static constexpr char const* contract = "cta/cluster_placement.hpp";
    static constexpr bool check() { return check_cluster_placement<P>(); }
};

template <class P = no_limit>
struct occupancy_limit_seat : seat<machine_part::core, P> {
    using occupancy_limit = P;
    static constexpr char const* name = "occupancy_limit";
    static constexpr char const* decides = "how many CTAs a core holds";
    static constexpr char const* contract = "cta/concepts.hpp";
    static constexpr bool check() { return check_occupancy_limit<P>(); }
};

template <class P = fermi_coalescing>
struct coalescer_seat : seat<machine_part::core, P> {
    using coalescer = P;
    static constexpr char const* name = "coalescer";
    static constexpr char const* decides = "which transactions a warp's accesses become";
    static constexpr char const* contract = "lsu/concepts.hpp";
    static constexpr bool check() { return check_coalescer<P>(); }
};

template <class P = no_replay>
struct replay_queue_seat : seat<machine_part::core, P> {
    using replay_queue = P;
    static constexpr char const* name = "replay_queue";
    static constexpr char const* decides = "what becomes of requests that the L1 refuses";
    static constexpr char const* contract = "lsu/replay_policy.hpp";
    static constexpr bool check() { return check_replay_queue<P>(); }
};

template <class P = no_data_prefetch>
struct data_prefetch_seat : seat<machine_part::core, P> {
    using data_prefetch = P;
    static constexpr char const* name = "data_prefetch";
    static constexpr char const* decides = "what the L1 data cache is asked for ahead of all warps";
    static constexpr char const* contract = "lsu/data_prefetch.hpp";
    static constexpr bool check() { return check_data_prefetch<P>(); }
};

template <class P = cache<linear_index, lru, on_fill, read_only>>
struct l1i_seat : seat<machine_part::core, P> {
    using instruction_cache = P;
    static constexpr char const* name = "l1i";
    static constexpr char const* decides = "what the L1 instruction cache keeps";
    static constexpr char const* contract = "cache/check.hpp";
    static constexpr bool check() { return check_cache<P>(); }
};

template <class P = cache<fermi_index, lru, on_miss, local_back_global_evict<write_miss::no_allocate>>>
struct l1d_seat : seat<machine_part::core, P> {
    using data_cache = P;
    static constexpr char const* name = "l1d";
    static constexpr char const* decides = "what the L1 data cache keeps";
    static constexpr char const* contract = "cache/check.hpp";
    static constexpr bool check() { return check_cache<P>(); }
};

template <class P = usual_constant_cache>
struct l1c_seat : seat<machine_part::core, P> {
    using constant_cache = P;
    static constexpr char const* name = "l1c";
    static constexpr char const* decides = "what the L1 constant cache keeps";
    static constexpr char const* contract = "cache/check.hpp";
    static constexpr bool check() { return check_cache<P>(); }
};

template <class P = usual_texture_cache>
struct l1t_seat : seat<machine_part::core, P> {
    using texture_cache = P;
    static constexpr char const* name = "l1t";
    static constexpr char const* decides = "what the L1 texture cache keeps";
    static constexpr char const* contract = "cache/check.hpp";
    static constexpr bool check() { return check_texture_cache<P>(); }
};

template <class P = cache<linear_index, lru, on_miss, write_back<write_miss::lazy_fetch>>>
struct l2_seat : seat<machine_part::memory, P> {
    using l2_cache = P;
    static constexpr char const* name = "l2";
    static constexpr char const* decides = "what the L2 keeps";
    static constexpr char const* contract = "cache/check.hpp";
    static constexpr bool check() { return check_cache<P>(); }
};

template <class P = dram::fr_fcfs>
struct dram_scheduler_seat : seat<machine_part::memory, P> {
    using dram_scheduler = P;
    static constexpr char const* name = "dram_scheduler";
    static constexpr char const* decides = "which DRAM request is served next";
    static constexpr char const* contract = "dram/scheduler.hpp";
    static constexpr bool check() { return dram::check_scheduler<P>(); }
};

template <class P = dram::open_page>
struct page_policy_seat : seat<machine_part::memory, P> {
    using page_policy = P;
    static constexpr char const* name = "page_policy";
    static constexpr char const* decides = "when a DRAM row is closed";
    static constexpr char const* contract = "dram/page_policy.hpp";
    static constexpr bool check() { return dram::check_page_policy<P>(); }
};

template <class P = dram::no_memory_prefetch>
struct memory_prefetcher_seat : seat<machine_part::memory, P> {
    using memory_prefetcher = P;
    static constexpr char const* name = "memory_prefetcher";
    static constexpr char const* decides = "what a DRAM channel reads ahead of all demands";
    static constexpr char const* contract = "dram/prefetch.hpp";
    static constexpr bool check() { return dram::check_memory_prefetcher<P>(); }
};

template <class P = crossbar_network>
struct network_seat : seat<machine_part::memory, P> {
    using network = P;
    static constexpr char const* name = "network";
    static constexpr char const* decides = "how packets come from cores to L2 slices, and back";
    static constexpr char const* contract = "machine/policies.hpp";
    static constexpr bool check() { return check_network<P>(); }
};

template <class P = noc::round_robin_arbitration>
struct network_arbitration_seat : seat<machine_part::memory, P> {
    using network_arbitration = P;
    static constexpr char const* name = "network_arbitration";
    static constexpr char const* decides = "which packet goes first in a network";
    static constexpr char const* contract = "noc/arbitration.hpp";
    static constexpr bool check() { return check_network_arbitration<P>(); }
};

template <class P = no_observer>
struct observer_seat : seat<machine_part::core, P> {
    using observer = P; ///< one per core; copies hear what happens there
    static constexpr char const* name = "observer";
    static constexpr char const* decides = "nothing: it hears what happens in a core";
    static constexpr char const* contract = "base/listen.hpp";
    static constexpr bool check() { return check_observer<P>(all_events{}); }
};

template <class P = no_observer>
struct dram_observer_seat : seat<machine_part::memory, P> {
    using dram_observer = P; ///< one per channel; copies hear its commands
    static constexpr char const* name = "dram_observer";
    static constexpr char const* decides = "nothing: it hears the commands of a DRAM channel";
    static constexpr char const* contract = "dram/request.hpp";
    static constexpr bool check() { return check_observer<P>(memory_events{}); }
};

template <class P = no_observer>
struct l2_observer_seat : seat<machine_part::memory, P> {
    using l2_observer = P; ///< one per partition; copies hear what its L2 slices do
    static constexpr char const* name = "l2_observer";
    static constexpr char const* decides = "nothing: it hears what the L2 slices of a partition do";
    static constexpr char const* contract = "machine/l2_events.hpp";
    static constexpr bool check() { return check_observer<P>(memory_events{}); }
};

} // namespace seats

/// What with<> takes: a policy with its seat.
namespace use {
template <class P>
using warp_scheduler = seats::warp_scheduler_seat<P>;
template <class P>
using fetch_order = seats::fetch_order_seat<P>;
template <class P>
using instruction_prefetch = seats::instruction_prefetch_seat<P>;
template <class P>
using cta_choice = seats::cta_choice_seat<P>;
template <class P>
using kernel_dispatch = seats::kernel_dispatch_seat<P>;
template <class P>
using cluster_placement = seats::cluster_placement_seat<P>;
template <class P>
using occupancy_limit = seats::occupancy_limit_seat<P>;
template <class P>
using coalescer = seats::coalescer_seat<P>;
template <class P>
using replay_queue = seats::replay_queue_seat<P>;
template <class P>
using data_prefetch = seats::data_prefetch_seat<P>;
template <class P>
using l1i = seats::l1i_seat<P>;
template <class P>
using l1d = seats::l1d_seat<P>;
template <class P>
using l1c = seats::l1c_seat<P>;
template <class P>
using l1t = seats::l1t_seat<P>;
template <class P>
using l2 = seats::l2_seat<P>;
template <class P>
using dram_scheduler = seats::dram_scheduler_seat<P>;
template <class P>
using page_policy = seats::page_policy_seat<P>;
template <class P>
using memory_prefetcher = seats::memory_prefetcher_seat<P>;
template <class P>
using network = seats::network_seat<P>;
template <class P>
using network_arbitration = seats::network_arbitration_seat<P>;
template <class P>
using observer = seats::observer_seat<P>;
template <class P>
using dram_observer = seats::dram_observer_seat<P>;
template <class P>
using l2_observer = seats::l2_observer_seat<P>;
} // namespace use

namespace detail {

/// A list of seats.
template <class... Seat>
struct seat_list {};

/// Whether two seats are the same one, whatever sits there.
template <class A, class B>
inline constexpr bool same_seat = false;
template <template <class> class Seat, class P, class Q>
inline constexpr bool same_seat<Seat<P>, Seat<Q>> = true;

/// Whether S is a policy with its seat, as use:: makes them.
template <class S>
concept is_seat = same_seat<S, S> && requires {
    typename S::policy;
    { S::part } -> std::convertible_to<machine_part>;
    { S::name } -> std::convertible_to<char const*>;
};

/// Those of one part, in their order.
template <machine_part Part, class Found, class... Seat>
struct seats_of_part {
    using type = Found;
};
template <machine_part Part, class... Found, class Next, class... Seat>
struct seats_of_part<Part, seat_list<Found...>, Next, Seat...>
    : std::conditional_t<Next::part == Part, seats_of_part<Part, seat_list<Found..., Next>, Seat...>,
                         seats_of_part<Part, seat_list<Found...>, Seat...>> {};

/// Puts a list's seats into a template.
template <template <class...> class To, class List>
struct filled;
template <template <class...> class To, class... Seat>
struct filled<To, seat_list<Seat...>> {
    using type = To<Seat...>;
};

} // namespace detail

/// All seats, each with the policy that sits there unless a machine says otherwise.
using all_seats =
    detail::seat_list<seats::warp_scheduler_seat<>, seats::fetch_order_seat<>, seats::cta_choice_seat<>,
                      seats::occupancy_limit_seat<>, seats::coalescer_seat<>, seats::replay_queue_seat<>,
                      seats::l1i_seat<>, seats::l1d_seat<>, seats::l2_seat<>, seats::dram_scheduler_seat<>,
                      seats::page_policy_seat<>, seats::observer_seat<>, seats::instruction_prefetch_seat<>,
                      seats::memory_prefetcher_seat<>, seats::dram_observer_seat<>, seats::network_seat<>,
                      seats::network_arbitration_seat<>, seats::l1c_seat<>, seats::l1t_seat<>,
                      seats::l2_observer_seat<>, seats::data_prefetch_seat<>, seats::kernel_dispatch_seat<>,
                      seats::cluster_placement_seat<>>;

/// What a core is made of: `core_policies<...>::warp_scheduler` and so on, by the members of its seats.
template <class... Seat>
struct core_policies : Seat... {};

/// What a memory partition is made of.
template <class... Seat>
struct memory_policies : Seat... {};

/// The policies of a machine, one for each seat. Each component is compiled for its own ones only: machines that differ
/// in their DRAM alone share the code of their cores.
template <class... Seat>
struct policies : Seat... {
    using core = typename detail::filled<
        core_policies,
        typename detail::seats_of_part<machine_part::core, detail::seat_list<>, Seat...>::type>::type;
    using memory = typename detail::filled<
        memory_policies,
        typename detail::seats_of_part<machine_part::memory, detail::seat_list<>, Seat...>::type>::type;
};

} // namespace warpkit
