#include "reference/told_machine.hpp"

#include <warpkit/base/policy_text.hpp>

#include "random_choices.hpp"
#include "reference/random_pairs.hpp"

#include <string>

namespace warpkit::reference_test {

template class both_engines<told>;

any_scheduler scheduler_named(char const* name) { return policy_named<any_scheduler>(name, "scheduler"); }

namespace {

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
                                  "two_level_gpgpusim",
                                  "baws",
                                  "producer_first",
                                  "leader_first",
                                  "pingpong"};

} // namespace

std::string told_machine(std::uint64_t seed) {
    random_numbers r(seed);
    gpu_test::random_kernel k(seed);
    auto p = gpu_test::random_machine(seed, k.warps());
    gpu_test::choose_caches<told>(r, p);
    auto const scheduler = schedulers[r.below(14)];
    auto v = gpu_test::random_values<told>(r);
    v.kernel_dispatch = gpu_test::random_kernel_dispatch(seed, v.occupancy_limit);
    v.warp_scheduler = scheduler_named(scheduler);
    random_numbers ahead(seed * 13 + 5);
    if (ahead.chance(50)) v.instruction_prefetch = fetch::next_line<run_time>(1 + ahead.below(20));
    if (ahead.chance(50)) v.instruction_prefetch = fetch::stream_buffer<run_time>(1 + ahead.below(9));
    char const* const prefetchers[] = {
        "no_data_prefetch", "per_warp_stride:degree=3:entries=20", "many_thread_aware_prefetch:period=400",
        "many_thread_aware_prefetch:period=0:global=2:queue=40", "stride_chain:agree=1:links=7:heads=9"};
    v.data_prefetch = policy_named<decltype(v.data_prefetch)>(prefetchers[r.below(5)], "data prefetcher");
    p.policy_parameters = "dram_scheduler=any:which=" + std::to_string(seed % 3);
    if (!v.replay_queue.queues() && r.chance(60)) p.lsu.l1_banks = 2 + r.below(5);
    p.memory.dual_command_bus = r.below(2);
    both_engines<told> both(p, v);
    return run_pair(seed, k, both);
}

std::string replays_wait_for_room() {
    std::string why;
    enum : unsigned { loads = 1, atomics = 2 };
    // Of both, a warp's atomics wait behind its loads, which the queue must go on with.
    for (unsigned const what : {0U + loads, 0U + atomics, loads | atomics}) {
        cycle in_order = 0;
        for (any_replay_queue const& queue : {any_replay_queue(no_replay{}), any_replay_queue(car{}),
                                              any_replay_queue(new_car{}), any_replay_queue(mrpb{})}) {
            kernel_builder k("replays wait for room");
            k.block = {4 * lanes, 1, 1};
            std::vector<std::uint32_t> accesses;
            if ((what & loads) != 0) accesses.push_back(k.load(memory_space::global, 4, {1}, {0}));
            if ((what & atomics) != 0) accesses.push_back(k.atomic(memory_space::global, 4, {2}, {0}));
            auto const exit = k.exit();
            k.script = [=](std::uint64_t, unsigned warp, kernel_builder::warp_writer& out) {
                auto base = 0xC0000000 + warp * 0x10000;
                for (auto const access : accesses) {
                    out.access(access, out.lanes_present(), [=](unsigned lane) { return base + lane * 128; });
                    base += 0x4000;
                }
                out.step(exit);
            };
            auto p = presets::gtx480::parameters();
            p.core.count = 1;
            p.l1d.size = 64 * 1024;
            p.l1d.mshr_entries = 128;
            p.l1d.miss_queue = 2;
            p.clock.interconnect = p.clock.core / 14; // which is full most of the time
            policy_values<told> v;
            v.replay_queue = queue;
            both_engines<told> both(p, v);
            why += both.run(k.launch());
            // The network sets the pace, so a queue that tries again at once takes hardly longer.
            auto const cycles = both.counted().cycles;
            if (in_order == 0) in_order = cycles;
            if (what != (loads | atomics) && cycles > in_order + in_order / 4)
                why += "\n" + std::to_string(cycles) + " cycles with a queue, without " +
                       std::to_string(in_order);
        }
    }
    return why;
}

} // namespace warpkit::reference_test
