#pragma once
/// \file
/// The machines that the pipeline's tests run. Each is compiled once, in machines_*.cpp.

#include <warpkit/cache/alternatives.hpp>
#include <warpkit/cache/fifo.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/cta/policies.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/protocol_checker.hpp>
#include <warpkit/fetch/interleaved.hpp>
#include <warpkit/fetch/next_line.hpp>
#include <warpkit/gpu/gpu.hpp>
#include <warpkit/lsu/one_replay_queue.hpp>
#include <warpkit/lsu/sectored_coalescing.hpp>
#include <warpkit/testing/archetypes.hpp>
#include <warpkit/testing/event_log.hpp>
#include <warpkit/testing/shadow_schedulers.hpp>
#include <warpkit/warp/elf.hpp>
#include <warpkit/warp/grouped.hpp>
#include <warpkit/warp/loop_footprint.hpp>
#include <warpkit/warp/lost_locality.hpp>
#include <warpkit/warp/memory_owner.hpp>
#include <warpkit/warp/one_warp_scheduler.hpp>
#include <warpkit/warp/static_wavefront_limit.hpp>
#include <warpkit/warp/two_level.hpp>
#include <warpkit/warp/two_level_gpgpusim.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <map>

namespace warpkit::gpu_test {

/// Each of these machines runs under the protocol checker.
using checked = use::dram_observer<dram::protocol_checker>;

/// Fermi with everything as preset, but lrr: most exact figures are independent of the scheduler. The other one is the
/// two-level scheduler that Accel-Sim has.
using lrr_or_another = one_warp_scheduler<lrr, two_level_gpgpusim_compat>;
using fermi_lrr = presets::gtx480::with<use::warp_scheduler<lrr_or_another>, checked>::policies;
/// The 3.2.x machine, with gto, with CTAs limited at run time, and ready to be recorded and to change its scheduler.
using gto_or_another =
    testing::shadow_schedulers<one_warp_scheduler<gto, lrr, throttled<lost_locality<>, gto>>>;
using fermi_v3 =
    presets::gtx480_v3::with<checked, use::warp_scheduler<gto_or_another>, use::occupancy_limit<static_limit>,
                             use::observer<testing::event_recorder>>::policies;

/// Counts every event, and notes what must never happen.
struct counting_observer {
    std::uint64_t kernels = 0, kernels_ended = 0, ctas = 0, ctas_finished = 0, exits = 0, issues = 0,
                  lanes_issued = 0, decisions = 0;
    std::uint64_t branches = 0, arrivals = 0, releases = 0, released_warps = 0, accesses = 0, hits = 0,
                  evictions = 0;
    std::uint64_t fills = 0, loads = 0, refusals = 0, fetches = 0, buffered = 0, cycles = 0, wrong = 0;
    std::array<std::uint64_t, cycle_cause_count> cause{};
    std::array<warp_set, 4> waits{}; ///< by reason
    warp_set live;
    warp_set accessed; ///< warps that reached the L1 since their slot was launched
    std::array<std::uint32_t, 64> head{};
    warp_set decoded; ///< who has a head
    static_program const* program = nullptr;
    std::uint32_t instruction_bytes = 0;
    std::uint64_t pressures = 0;
    memory_pressure pressure;
    std::uint64_t footprints = 0;
    std::array<warp_footprint, 64> footprint{}; ///< the last of each slot

    void on(kernel_began const& e) {
        ++kernels;
        program = e.program;
        instruction_bytes = e.instruction_bytes;
        wrong += !live.empty();
        pressure = {};
    }
    void on(kernel_ended const&) { ++kernels_ended; }
    void on(cta_launched const& e) {
        ++ctas;
        wrong += !(live & e.warps).empty();
        live |= e.warps;
        accessed -= e.warps;
    }
    void on(next_decoded const& e) {
        wrong += !live.contains(e.warp) || decoded.contains(e.warp);
        decoded.insert(e.warp);
        head[e.warp.index()] = e.pc;
    }
    void on(memory_pressure const& e) {
        ++pressures;
        wrong += e == pressure || e.free_mshrs > e.mshrs || e.free_queue > e.queue;
        pressure = e;
    }
    void on(footprint_known const& e) {
        ++footprints;
        wrong += !live.contains(e.warp) || decoded.contains(e.warp);
        footprint[e.warp.index()] = e.footprint;
    }
    void on(cta_finished const&) { ++ctas_finished; }
    void on(warp_exited const& e) {
        ++exits;
        wrong += !live.contains(e.warp);
        for (auto const& w : waits) wrong += w.contains(e.warp);
        live.erase(e.warp);
    }
    void on(issued const& e) {
        ++issues;
        lanes_issued += static_cast<unsigned>(std::popcount(e.active));
        wrong += !live.contains(e.warp);
        for (auto const& w : waits) wrong += w.contains(e.warp);
        wrong += !decoded.contains(e.warp) || head[e.warp.index()] != e.pc;
        decoded.erase(e.warp);
    }
    void on(decision_made const& e) {
        ++decisions;
        wrong += !e.candidates.contains(e.pick) || !(e.next.memory() - e.candidates).empty();
    }
    void on(branched const&) { ++branches; }
    void on(blocked const& e) {
        auto& w = waits[static_cast<unsigned>(e.reason)];
        wrong += w.contains(e.warp) || !live.contains(e.warp);
        w.insert(e.warp);
    }
    void on(unblocked const& e) {
        auto& w = waits[static_cast<unsigned>(e.reason)];
        wrong += !w.contains(e.warp);
        w.erase(e.warp);
    }
    void on(barrier_arrived const&) { ++arrivals; }
    void on(barrier_released const& e) {
        ++releases;
        released_warps += e.warps.size();
    }
    void on(l1_accessed const& e) {
        ++accesses;
        hits += e.outcome == cache_outcome::hit;
        wrong += e.line % 32 != 0;
        wrong +=
            e.pc % instruction_bytes != 0 || !program->instructions[e.pc / instruction_bytes].is_memory();
        accessed.insert(e.warp);
    }
    void on(l1_evicted const& e) {
        ++evictions;
        wrong += e.owner && !accessed.contains(e.owner);
    }
    void on(l1_filled const&) { ++fills; }
    void on(load_returned const&) { ++loads; }
    void on(lsu_refused const&) { ++refusals; }
    void on(fetched const&) { ++fetches; }
    void on(instruction_buffered const&) { ++buffered; }
    void on(cycles_spent const& e) {
        cause[static_cast<unsigned>(e.cause)] += e.count;
        cycles += e.count;
    }
    friend bool operator==(counting_observer const&, counting_observer const&) = default;
};

/// Counts what the L2 slices of a partition tell, and keeps who brought each line in.
struct l2_listener {
    std::uint64_t accesses = 0, hits = 0, evictions = 0, fills = 0, wrong = 0;
    std::array<std::uint64_t, 64> by_core{};
    std::map<std::uint64_t, l2_requester> missed; ///< by line

    void on(l2_accessed const& e) {
        ++accesses;
        hits += e.outcome == cache_outcome::hit;
        wrong += !e.by || e.by.core >= by_core.size();
        if (e.by) ++by_core[e.by.core % by_core.size()];
        if (e.outcome == cache_outcome::miss) wrong += !missed.emplace(e.line, e.by).second;
    }
    void on(l2_evicted const& e) {
        ++evictions;
        auto const line = missed.find(e.line);
        wrong += line == missed.end() || !(line->second == e.owner) || e.invalidated;
        if (line != missed.end()) missed.erase(line);
    }
    void on(l2_filled const&) { ++fills; }
    friend bool operator==(l2_listener const&, l2_listener const&) = default;
};

/// For random numbers: the L1 of any size takes a linear index.
template <class... U>
using linear_fermi = presets::gtx480::with<checked, U...>;

using random_lrr = linear_fermi<use::warp_scheduler<lrr>, use::observer<counting_observer>>::policies;
using random_gto =
    linear_fermi<use::l1d<cache<linear_index, lru, on_fill, write_through<write_miss::no_allocate>>>,
                 use::l2<cache<linear_index, lru, on_miss, write_back<write_miss::write_and_fetch>>>,
                 use::dram_scheduler<dram::fcfs>, use::page_policy<dram::closed_page>,
                 use::fetch_order<fetch::interleaved<elf>>,
                 use::instruction_prefetch<fetch::next_line<>>>::policies;
using random_two_level =
    linear_fermi<use::warp_scheduler<throttled<memory_owner<>, throttled<lost_locality<>, two_level>>>,
                 use::replay_queue<any_replay_queue>,
                 use::l1d<cache<linear_index, lru, on_miss, write_back<write_miss::fetch_on_write>>>,
                 use::l2<cache<linear_index, lru, on_miss, write_back<write_miss::fetch_on_write>>>,
                 use::network<mesh_network>>::policies;
using random_limited = linear_fermi<
    use::warp_scheduler<throttled<loop_footprint<>, static_wavefront_limit<2>>>,
    use::cta_choice<any_cta_choice>, use::occupancy_limit<any_occupancy_limit>,
    use::coalescer<sectored_coalescing>, use::replay_queue<any_replay_queue>,
    use::l1d<with_alternatives<cache<linear_index, fifo, on_miss, write_through<write_miss::lazy_fetch>>>>,
    use::l2<with_alternatives<cache<linear_index, fifo, on_miss, write_back<write_miss::lazy_fetch>>>>,
    use::l2_observer<l2_listener>>::policies;

/// Those that random kernels run on; one of them takes long to compile, and has what others have apart
/// (tests/CMakeLists.txt).
#ifdef WARPKIT_EVERY_TURN
#define WARPKIT_RANDOM_MACHINES random_lrr, random_gto, random_two_level, random_limited
#else
#define WARPKIT_RANDOM_MACHINES random_lrr, random_two_level, random_limited
#endif

/// The least that each concept allows (testing/archetypes.hpp).
using least_asking =
    presets::gtx480::with<checked, use::warp_scheduler<testing::asking_scheduler_archetype>,
                          use::fetch_order<testing::fetch_order_archetype>,
                          use::cta_choice<testing::cta_choice_archetype>,
                          use::occupancy_limit<testing::occupancy_limit_archetype>,
                          use::kernel_dispatch<testing::core_parting_archetype>,
                          use::cluster_placement<testing::cluster_placement_archetype>>::policies;
using least_throttling = presets::gtx480::with<
    checked,
    use::warp_scheduler<throttled<testing::asking_eligibility_archetype,
                                  grouped<testing::grouping_archetype, testing::group_order_archetype,
                                          testing::warp_scheduler_archetype>>>>::policies;

} // namespace warpkit::gpu_test

/// The code of a machine's two halves: declared with `extern` in front, defined with nothing. Memory systems are
/// shared.
#define WARPKIT_GPU_TEST_CORES(EXTERN, P)                                                                    \
    EXTERN template class warpkit::core_array<warpkit::gpu_test::P::core, warpkit::gpu_test::P::cta_choice,  \
                                              warpkit::gpu_test::P::kernel_dispatch,                         \
                                              warpkit::gpu_test::P::cluster_placement>;
#define WARPKIT_GPU_TEST_MEMORY(EXTERN, P)                                                                   \
    EXTERN template class warpkit::memory_system<warpkit::gpu_test::P::memory>;

WARPKIT_GPU_TEST_CORES(extern, least_asking)
WARPKIT_GPU_TEST_CORES(extern, least_throttling)
WARPKIT_GPU_TEST_CORES(extern, fermi_lrr)
WARPKIT_GPU_TEST_CORES(extern, fermi_v3)
WARPKIT_GPU_TEST_CORES(extern, random_lrr)
WARPKIT_GPU_TEST_CORES(extern, random_two_level)
WARPKIT_GPU_TEST_CORES(extern, random_limited)
WARPKIT_GPU_TEST_MEMORY(extern, fermi_lrr)
WARPKIT_GPU_TEST_MEMORY(extern, fermi_v3)
WARPKIT_GPU_TEST_MEMORY(extern, random_two_level)
WARPKIT_GPU_TEST_MEMORY(extern, random_limited)
#ifdef WARPKIT_EVERY_TURN
WARPKIT_GPU_TEST_CORES(extern, random_gto)
WARPKIT_GPU_TEST_MEMORY(extern, random_gto)
#endif
