#include <warpkit/config/presets.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/dram/par_bs.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/fetch/interleaved.hpp>
#include <warpkit/fetch/next_line.hpp>
#include <warpkit/lsu/new_car.hpp>
#include <warpkit/lsu/sectored_coalescing.hpp>
#include <warpkit/warp/elf.hpp>
#include <warpkit/warp/owl.hpp>

#include "reference/both_engines.hpp"
#include "reference/random_pairs.hpp"

namespace warpkit::reference_test {

std::string mesh_machine(std::uint64_t seed) {
    using machine = presets::gtx480::with<
        use::warp_scheduler<cta_aware_locality>, use::fetch_order<fetch::interleaved<elf>>,
        use::instruction_prefetch<fetch::next_line<>>, use::coalescer<sectored_coalescing>,
        use::replay_queue<new_car>,
        use::l1d<cache<linear_index, lru, on_fill, write_through<write_miss::no_allocate>>>,
        use::l2<cache<linear_index, lru, on_miss, write_back<write_miss::write_and_fetch>>>,
        use::dram_scheduler<dram::par_bs>, use::page_policy<dram::closed_page>,
        use::memory_prefetcher<dram::opportunistic_at_least>, use::network<mesh_network>,
        use::network_arbitration<noc::age_based_arbitration>>;
    gpu_test::random_kernel k(seed);
    auto p = gpu_test::random_machine(seed, k.warps());
    random_numbers r(seed);
    if (p.l2.line == 32) { // a line is a whole number of column commands where lines are fetched ahead
        p.l2.line = p.l2.sector = 64;
        p.l2.size *= 2;
    }
    p.memory.prefetch_lower = r.below(8);
    p.memory.prefetch_higher = p.memory.prefetch_lower + r.below(8);
    p.memory.prefetch_threshold = r.below(4);
    p.memory.prefetch_shift = 1 + r.below(6);
    p.memory.prefetch_skips_resident = r.below(2);
    both_engines<machine::policies> both(p);
    return run_pair(seed, k, both);
}

} // namespace warpkit::reference_test
