// What is promised of every warp, fetch and CTA policy at compile time: regular, trivially copyable, not polymorphic,
// as small as its state, and usable in constant expressions.

#include <warpkit/cta/occupancy.hpp>
#include <warpkit/cta/policies.hpp>
#include <warpkit/fetch/interleaved.hpp>
#include <warpkit/fetch/loose_round_robin.hpp>
#include <warpkit/fetch/next_line.hpp>
#include <warpkit/fetch/no_prefetch.hpp>
#include <warpkit/fetch/stream_buffer.hpp>
#include <warpkit/warp/schedulers.hpp>

#include <string_view>
#include <type_traits>

namespace {

using namespace warpkit;

template <class P>
constexpr bool is_plain_value() {
    static_assert(regular_state<P>);
    static_assert(std::is_trivially_copyable_v<P>);
    static_assert(std::is_trivially_destructible_v<P>);
    static_assert(!std::is_polymorphic_v<P>);
    static_assert(std::is_nothrow_default_constructible_v<P> && std::is_nothrow_copy_constructible_v<P>);
    static_assert(named<P>);
    static_assert(P{} == P{} && hash_of(P{}) == hash_of(P{}));
    return true;
}
template <class P>
constexpr bool is_scheduler() {
    static_assert(check_warp_scheduler<P>() && warp_scheduler<P> && is_plain_value<P>());
    static_assert(tells_hardware_cost<P>);
    static_assert(noexcept(pick_warp(P{}, warp_set{}, issue_classes{})));
    return true;
}

static_assert(is_scheduler<lrr>() && is_scheduler<strict_round_robin>());
static_assert(is_scheduler<oldest>() && is_scheduler<youngest>());
static_assert(is_scheduler<gto>() && is_scheduler<gty>());
static_assert(is_scheduler<two_level>());
static_assert(is_scheduler<elf>() && is_scheduler<elf_greedy>() && is_scheduler<elf_exact>());
static_assert(is_scheduler<grouped<by_slot<8>, rotate_when_blocked_only, lrr>>());
static_assert(is_scheduler<two_level_any_stall>());
static_assert(is_scheduler<two_level_active>() && is_scheduler<two_level_active_of<run_time>>());
static_assert(is_scheduler<ccws>() && narrows<ccws> && asks_classes<ccws>);
static_assert(is_scheduler<mascar>() && is_scheduler<baws>() && is_scheduler<cawa_style>() &&
              is_scheduler<daws_style>());
static_assert(is_scheduler<producer_first>() && is_scheduler<leader_first>() && is_scheduler<pingpong>() &&
              narrows<pingpong> && is_scheduler<leader_first_of<run_time, run_time>>());
static_assert(is_scheduler<two_level_gpgpusim>() && is_scheduler<two_level_gpgpusim_compat>());
static_assert(is_scheduler<grouped<by_slot<8>, first_with_candidate<>, greedy_then<oldest>>>());
static_assert(is_scheduler<static_wavefront_limit<8>>() && is_scheduler<static_wavefront_limit<>>());
static_assert(is_plain_value<one_group>() && is_plain_value<by_slot<8>>() && is_plain_value<by_number>());
static_assert(is_plain_value<rotate_when_blocked>() && is_plain_value<oldest_n<8>>());
static_assert(is_plain_value<fetch::interleaved<elf>>() && check_fetch_order<fetch::interleaved<elf>>());
static_assert(is_plain_value<fetch::next_line<>>() && is_plain_value<fetch::next_line<run_time>>() &&
              is_plain_value<fetch::no_prefetch>() && is_plain_value<fetch::stream_buffer<>>() &&
              check_instruction_prefetch<fetch::next_line<>>());
static_assert(is_plain_value<fetch::loose_round_robin>() && check_fetch_order<fetch::loose_round_robin>());
static_assert(is_plain_value<round_robin_dispatch>() && check_cta_choice<round_robin_dispatch>());
static_assert(is_plain_value<lcs>() && is_plain_value<dyncta>());
static_assert(is_plain_value<multithreading_degree<modelled_reads>>());
static_assert(check_occupancy_limit<lcs>() && check_occupancy_limit<dyncta>() &&
              is_plain_value<pcal_search>() && check_occupancy_limit<pcal_search>());
static_assert(!std::is_polymorphic_v<bcs> && !std::is_polymorphic_v<locality_aware_dispatch> &&
              !std::is_polymorphic_v<any_cta_choice> && !std::is_polymorphic_v<any_occupancy_limit>);
static_assert(tells_hardware_cost<bcs> && tells_hardware_cost<locality_aware_dispatch> &&
              tells_hardware_cost<lcs> && tells_hardware_cost<dyncta> && tells_hardware_cost<pcal_search>);
// The block queue of the thesis (table 5.2) is 15 bytes an entry.
static_assert(hardware_cost_of<locality_aware_dispatch>({}).begin()->bits == 64 * 15 * 8);
static_assert(std::string_view(common_name<bcs>) == "bcs" &&
              std::string_view(policy_name<multithreading_degree<tabled_reads>>()) ==
                  "multithreading_degree<tabled_reads>");
static_assert(is_plain_value<no_limit>() && check_occupancy_limit<no_limit>());
static_assert(is_plain_value<static_limit>() && check_occupancy_limit<static_limit>());
static_assert(is_plain_value<cluster_spread>() && check_cluster_placement<cluster_spread>() &&
              is_plain_value<cluster_packed>() && check_cluster_placement<cluster_packed>() &&
              is_plain_value<cluster_paired>() && check_cluster_placement<cluster_paired>() &&
              tells_hardware_cost<cluster_spread> && tells_hardware_cost<cluster_packed> &&
              tells_hardware_cost<cluster_paired>);
static_assert(tells_hardware_cost<longest_first> && tells_hardware_cost<hilbert_dispatch> &&
              tells_hardware_cost<chiplet_dispatch> && tells_hardware_cost<head_first>);
static_assert(is_plain_value<leftover>() && check_kernel_dispatch<leftover>() &&
              is_plain_value<spatial_multitasking>() && check_kernel_dispatch<spatial_multitasking>() &&
              is_plain_value<smk>() && check_kernel_dispatch<smk>() &&
              check_kernel_dispatch<warped_slicer>() && check_kernel_dispatch<kernel_round_robin>() &&
              tells_hardware_cost<smk> && tells_hardware_cost<warped_slicer> &&
              tells_hardware_cost<leftover>);

// As small as its state: a combinator adds nothing to its parts.
static_assert(sizeof(lrr) == 2 && sizeof(fetch::loose_round_robin) == 2);
static_assert(sizeof(age_matrix) == 512 && sizeof(oldest) == 512 && sizeof(youngest) == 512);
static_assert(sizeof(gto) == 520);
static_assert(std::is_empty_v<one_group> && std::is_empty_v<by_number> && std::is_empty_v<no_limit>);
static_assert(sizeof(grouped<one_group, first_with_candidate<>, lrr>) == sizeof(lrr));
static_assert(sizeof(throttled<oldest_n<8>, gto>) == sizeof(oldest_n<8>) + sizeof(gto));
static_assert(sizeof(two_level) <= 64 && sizeof(two_level_active) <= 576);
static_assert(sizeof(ccws) <= 14000);
static_assert(sizeof(two_level_gpgpusim) <= 400 && sizeof(two_level_gpgpusim_compat) <= 4512);

// Who hears what, and who does not: silence costs nothing.
static_assert(hears<lrr, issued> && !hears<lrr, cta_launched> && !hears<lrr, blocked> &&
              !hears<lrr, cycles_spent>);
static_assert(hears<gto, issued> && hears<gto, cta_launched> && !hears<gto, blocked> &&
              !hears<gto, l1_accessed>);
static_assert(hears<two_level, blocked> && hears<two_level, barrier_arrived> &&
              !hears<two_level, l1_accessed>);
static_assert(hears<static_wavefront_limit<8>, scheduler_began> && !hears<gto, scheduler_began>);
static_assert(!narrows<gto> && !narrows<two_level> && narrows<static_wavefront_limit<8>>);
static_assert(!asks_classes<gto> && !asks_classes<static_wavefront_limit<8>>);

// No schedulers, and recognised as such.
struct without_pick {
    bool operator==(without_pick const&) const = default;
};
struct without_comparison {
    warp_slot pick(warp_set c) const noexcept { return c.first(); }
};
struct picks_mutably {
    warp_slot pick(warp_set c) noexcept { return c.first(); }
    bool operator==(picks_mutably const&) const = default;
};
static_assert(!warp_scheduler<without_pick> && !warp_scheduler<without_comparison> &&
              !warp_scheduler<picks_mutably>);
static_assert(!grouping<lrr> && !group_order_of<lrr, by_slot<8>> && !eligibility<gto> &&
              !warp_order<throttled<oldest_n<8>, gto>>);
static_assert(!kernel_dispatch<no_limit> && !picks_kernels<spatial_multitasking> && !parts_cores<smk>);
static_assert(!cta_choice<no_limit> && !occupancy_limit<round_robin_dispatch> && !fetch_order<no_limit>);

// Whole stories run in constant expressions.
constexpr bool greed_moves() {
    gto s;
    s.on(kernel_began{});
    s.on(cta_launched{cta_slot{0}, 0, warp_set::first_n(4), 0});
    s.on(issued{warp_slot{2}});
    auto const stays = s.pick(warp_set::first_n(4)) == warp_slot{2};
    s.on(issued{warp_slot{0}});
    return stays && s.pick(warp_set::first_n(4)) == warp_slot{0} &&
           s.pick(warp_set::range(1, 4)) == warp_slot{1};
}
static_assert(greed_moves());

constexpr bool front_moves_on() {
    two_level s;
    kernel_began e;
    e.warp_slots = 48;
    s.on(e);
    s.on(cta_launched{cta_slot{0}, 0, warp_set::first_n(16), 0});
    for (unsigned w = 0; w < 8; ++w) s.on(blocked{warp_slot{w}, block_reason::memory});
    return s.pick(warp_set::first_n(16)) == warp_slot{8};
}
static_assert(front_moves_on());

} // namespace
