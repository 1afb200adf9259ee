#include <warpkit/base/policy_text.hpp>
#include <warpkit/cache/alternatives.hpp>
#include <warpkit/cache/fifo.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/testing/random_grid.hpp>
#include <warpkit/warp/one_warp_scheduler.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "random_choices.hpp"
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
    use::observer<core_recorder>, use::l2_observer<l2_recorder>, use::dram_observer<dram_recorder>>;
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
    gpu_test::choose_caches<P>(r, p);
    auto const scheduler = schedulers[r.below(13)];
    auto v = gpu_test::random_values<P>(r);
    v.warp_scheduler = policy_named<any>(scheduler, "scheduler");
    both_engines<P> both(p, v);
    return run_pair(seed, k, both);
}

} // namespace warpkit::reference_test
