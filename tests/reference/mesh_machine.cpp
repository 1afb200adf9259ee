#include <warpkit/config/presets.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/dram/par_bs.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/fetch/interleaved.hpp>
#include <warpkit/fetch/next_line.hpp>
#include <warpkit/fetch/one_fetch_order.hpp>
#include <warpkit/fetch/stream_buffer.hpp>
#include <warpkit/lsu/many_thread_aware_prefetch.hpp>
#include <warpkit/lsu/new_car.hpp>
#include <warpkit/lsu/sectored_coalescing.hpp>
#include <warpkit/warp/elf.hpp>
#include <warpkit/warp/owl.hpp>

#include "random_choices.hpp"
#include "reference/both_engines.hpp"
#include "reference/random_pairs.hpp"

namespace warpkit::reference_test {

namespace {

/// Tables that overflow, and a throttle that is heard.
constexpr many_thread_aware_numbers prefetch_numbers{12, 3, 3, 1, 6, 700};
using machine = presets::gtx480::with<
    use::warp_scheduler<cta_aware_locality>, use::fetch_order<fetch::interleaved<elf>>,

    use::instruction_prefetch<
        fetch::one_instruction_prefetch<fetch::next_line<>, fetch::stream_buffer<run_time>>>,
    use::coalescer<sectored_coalescing>, use::replay_queue<new_car>,
    use::data_prefetch<many_thread_aware_prefetch_of<prefetch_numbers>>,
    use::l1d<cache<linear_index, lru, on_fill, write_through<write_miss::no_allocate>>>,
    use::l2<cache<linear_index, lru, on_miss, write_back<write_miss::write_and_fetch>>>,
    use::dram_scheduler<dram::par_bs>, use::page_policy<dram::closed_page>,
    use::memory_prefetcher<dram::opportunistic_at_least>, use::network<mesh_network>,
    use::network_arbitration<noc::age_based_arbitration>, use::kernel_dispatch<any_kernel_dispatch>>;

} // namespace

std::string mesh_machine(std::uint64_t seed) {
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
    policy_values<machine::policies> values;
    values.kernel_dispatch = gpu_test::random_kernel_dispatch(seed);
    if (r.chance(60)) values.instruction_prefetch = fetch::stream_buffer<run_time>(1 + r.below(5));
    both_engines<machine::policies> both(p, values);
    return run_pair(seed, k, both);
}

std::string strided_loads() {
    kernel_builder k("strided loads");
    k.grid = {4, 1, 1};
    k.block = {8 * lanes, 1, 1};
    auto const load = k.load(memory_space::global, 4, {1}, {0});
    auto const use = k.op(op_class::fp_add, {2}, {1});
    auto const other = k.load(memory_space::global, 4, {3}, {0});
    auto const exit = k.exit();
    k.script = [=](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) {
        std::uint64_t const mine = 0xC0000000 + (cta * 8 + warp) * 128;
        for (unsigned i = 0; i < 40; ++i) {
            out.access(load, [=](unsigned lane) { return mine + i * 8192 + 4 * lane; });
            out.step(use);
            if (i % 8 == 0)
                out.access(other, [=](unsigned lane) { return mine + (i * 977 << 12) + 4 * lane; });
        }
        out.step(exit);
    };
    auto p = presets::gtx480::parameters();
    p.core.count = 2;
    p.network.columns = 4;
    p.network.rows = 4;
    p.network.virtual_channels = 2;
    p.network.channel_flits = 8;
    p.network.router_cycles = p.network.channel_cycles = 1;
    both_engines<machine::policies> both(p);
    auto const parted = both.run(k.launch());
    auto const& c = both.counted().core;
    if (!parted.empty()) return parted;
    if (c.data_prefetches < 200 || c.data_prefetches_useful < 50 || c.data_prefetches_late == 0)
        return std::to_string(c.data_prefetches) + " prefetches, useful " +
               std::to_string(c.data_prefetches_useful) + ", late " + std::to_string(c.data_prefetches_late) +
               ", useless " + std::to_string(c.data_prefetches_useless);
    return {};
}

std::string lines_without_warps() {
    kernel_builder k("behind an exit lies more code");
    auto const first = k.op(op_class::fp_add, {1});
    auto const exit = k.exit();
    for (unsigned i = 0; i < 256; ++i) k.op(op_class::fp_add, {2});
    k.block = {lanes, 1, 1};
    k.script = [=](std::uint64_t, unsigned, kernel_builder::warp_writer& out) {
        out.step(first);
        out.step(exit);
    };
    auto p = presets::gtx480::parameters();
    p.core.count = 1;
    p.network.columns = p.network.rows = 4;
    p.core.sub_cores = 2;
    p.l1i.mshr_entries = p.l1i.miss_queue = 16;
    p.l0i = p.l15i = p.l1i;
    p.core.l1i_cycles = 20;
    p.core.l15i_cycles = 30;
    policy_values<machine::policies> values;
    values.instruction_prefetch = fetch::stream_buffer<run_time>(12);
    both_engines<machine::policies> both(p, values);
    auto const parted = both.run(k.launch());
    if (!parted.empty()) return parted;
    auto const fetched = both.counted().core.prefetches;
    return fetched == 12 ? "" : std::to_string(fetched) + " lines fetched ahead";
}

} // namespace warpkit::reference_test
