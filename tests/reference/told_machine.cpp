#include <warpkit/cache/alternatives.hpp>
#include <warpkit/cache/fifo.hpp>
#include <warpkit/config/policy_text.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/cta/policies.hpp>
#include <warpkit/dram/atlas.hpp>
#include <warpkit/lsu/one_replay_queue.hpp>
#include <warpkit/testing/random_grid.hpp>
#include <warpkit/warp/one_warp_scheduler.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "reference/both_engines.hpp"
#include "reference/random_pairs.hpp"

namespace warpkit::reference_test {

namespace {

using any =
    one_warp_scheduler<gto, lrr, two_level, cta_aware_locality, ccws, mascar, locality_aware, daws_style, elf,
                       cawa_style, two_level_active, static_wavefront_limit_8, two_level_gpgpusim>;
using machine = presets::gtx480::with<
    use::warp_scheduler<any>, use::cta_choice<any_cta_choice>, use::occupancy_limit<any_occupancy_limit>,
    use::replay_queue<any_replay_queue>,
    use::l1d<with_alternatives<cache<linear_index, fifo, on_miss, write_through<write_miss::lazy_fetch>>>>,
    use::l2<with_alternatives<cache<linear_index, fifo, on_miss, write_back<write_miss::lazy_fetch>>>>,
    use::observer<core_recorder>, use::l2_observer<l2_recorder>,
    use::dram_scheduler<dram::atlas_of<dram::atlas_numbers{300, 200, 700}>>,
    use::dram_observer<dram_recorder>>;
using P = machine::policies;

char const* const schedulers[] = {"gto",
                                  "lrr",
                                  "two_level",
                                  "cta_aware_locality",
                                  "ccws",
                                  "mascar",
                                  "elf",
                                  "daws_style",
                                  "static_wavefront_limit_8",
                                  "cawa_style",
                                  "two_level_active",
                                  "locality_aware",
                                  "two_level_gpgpusim"};

} // namespace

std::string told_machine(std::uint64_t seed) {
    random_numbers r(seed);
    gpu_test::random_kernel k(seed);
    auto p = gpu_test::random_machine(seed, k.warps());
    choose_caches(r, p);
    policy_values<P> v;
    v.warp_scheduler = policy_named<any>(schedulers[r.below(13)], "scheduler");
    any_occupancy_limit const limits[] = {static_limit{1 + r.below(4)},
                                          no_limit{},
                                          lcs{},
                                          dyncta({50, 5, 10, 20, r.chance(70)}),
                                          multithreading_degree<chosen_reads>{},
                                          multithreading_degree<chosen_reads>(tabled_reads{})};
    any_cta_choice const choices[] = {
        round_robin_dispatch{}, consecutive_blocks<run_time>(1 + r.below(3)),
        locality_aware_dispatch({.window = 1 + r.below(8), .fill = initial_fill::locality})};
    v.occupancy_limit = limits[r.below(6)];
    v.cta_choice = choices[r.below(3)];
    any_replay_queue const queues[] = {no_replay{}, mrpb{}, car{}, new_car{}};
    v.replay_queue = queues[r.below(4)];
    both_engines<P> both(p, v);
    return run_pair(seed, k, both);
}

} // namespace warpkit::reference_test
