#include <warpkit/base/policy_text.hpp>
#include <warpkit/cache/alternatives.hpp>
#include <warpkit/cache/fifo.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/dram/atlas.hpp>
#include <warpkit/dram/par_bs.hpp>
#include <warpkit/fetch/next_line.hpp>
#include <warpkit/fetch/no_prefetch.hpp>
#include <warpkit/fetch/one_fetch_order.hpp>
#include <warpkit/fetch/stream_buffer.hpp>
#include <warpkit/lsu/many_thread_aware_prefetch.hpp>
#include <warpkit/lsu/no_data_prefetch.hpp>
#include <warpkit/lsu/one_data_prefetch.hpp>
#include <warpkit/lsu/per_warp_stride.hpp>
#include <warpkit/lsu/stride_chain.hpp>
#include <warpkit/testing/random_grid.hpp>
#include <warpkit/warp/one_warp_scheduler.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "dram/naive_who_asks.hpp"
#include "random_choices.hpp"
#include "reference/both_engines.hpp"
#include "reference/random_pairs.hpp"

#include <cstddef>
#include <cstdint>

namespace warpkit::reference_test {

namespace {

/// Goes by all that is known of who asks: core, warp and kernel.
class by_requester : public test::naive_queue_by_thread {
public:
    using naive_queue_by_thread::naive_queue_by_thread;
    void push(dram::request const& r) { all_.push_back({r, false, 0}); }
    dram::request const& pick(std::uint32_t bank, std::uint32_t) const { return all_[choose(bank)].what; }
    dram::request take(std::uint32_t bank, std::uint32_t) { return remove(choose(bank)); }

private:
    std::size_t choose(std::uint32_t bank) const {
        return first_by(bank, [](entry const& e) {
            auto const& by = e.what.by;
            return hasher::mix(by.core + by.warp * 1000U + by.kernel * 1000'000ULL);
        });
    }
};

} // namespace

/// One of the DRAM schedulers that go by who asks, which being a parameter.
class any_dram_scheduler {
    template <class F>
    auto ask(F f) const {
        return which_ == 0 ? f(batches_) : which_ == 1 ? f(attained_) : f(requester_);
    }

public:
    static constexpr char const* name() noexcept { return "any"; }
    static constexpr bool asks_who = true;

    any_dram_scheduler() = default;
    any_dram_scheduler(std::uint32_t banks, std::uint32_t capacity)
        : batches_(banks, capacity),
          attained_(banks, capacity),
          requester_(banks, capacity) {}
    bool can_accept() const {
        return ask([](auto& s) { return s.can_accept(); });
    }
    std::uint32_t size() const {
        return ask([](auto& s) { return s.size(); });
    }
    dram::bank_set waiting() const {
        return ask([](auto& s) { return s.waiting(); });
    }
    bool has_row_hit(std::uint32_t b, std::uint32_t r) const {
        return ask([&](auto& s) { return s.has_row_hit(b, r); });
    }
    dram::request pick(std::uint32_t b, std::uint32_t r) const {
        return ask([&](auto& s) { return s.pick(b, r); });
    }
    dram::request take(std::uint32_t b, std::uint32_t r) {
        return which_ == 0 ? batches_.take(b, r) : which_ == 1 ? attained_.take(b, r) : requester_.take(b, r);
    }
    void push(dram::request const& r) {
        which_ == 0 ? batches_.push(r) : which_ == 1 ? attained_.push(r) : requester_.push(r);
    }
    void clock(cycle now) { attained_.clock(now); }
    void ended(std::uint32_t bank) {
        if (which_ == 1) attained_.ended(bank);
    }
    friend bool operator==(any_dram_scheduler const&, any_dram_scheduler const&) = default;
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"which", "0 to 2", 0, 2}, self.which_);
    }
    template <class F>
    void each_member(F&& f) const {
        f(which_, batches_, attained_, requester_);
    }

private:
    unsigned which_ = 0;
    dram::par_bs batches_;
    dram::atlas_of<dram::atlas_numbers{300, 200, 700}> attained_;
    by_requester requester_;
};
static_assert(dram::request_scheduler<any_dram_scheduler>);

namespace {

using any = one_warp_scheduler<gto, lrr, two_level, cta_aware_locality, ccws, mascar, locality_aware,
                               daws_style, elf, cawa_style, two_level_active, static_wavefront_limit_8,
                               two_level_gpgpusim, baws, producer_first, leader_first, pingpong>;
using machine = presets::gtx480::with<
    use::warp_scheduler<any>, use::cta_choice<any_cta_choice>, use::occupancy_limit<any_occupancy_limit>,
    use::kernel_dispatch<any_kernel_dispatch>,
    use::instruction_prefetch<fetch::one_instruction_prefetch<fetch::no_prefetch, fetch::next_line<run_time>,
                                                              fetch::stream_buffer<run_time>>>,
    use::replay_queue<any_replay_queue>,
    use::l1d<with_alternatives<cache<linear_index, fifo, on_miss, write_through<write_miss::lazy_fetch>>>>,
    use::l2<with_alternatives<cache<linear_index, fifo, on_miss, write_back<write_miss::lazy_fetch>>>>,
    use::observer<core_recorder>, use::l2_observer<l2_recorder>,
    use::data_prefetch<one_data_prefetch<no_data_prefetch, per_warp_stride_of<run_time>,
                                         many_thread_aware_prefetch_of<run_time>, stride_chain_of<run_time>>>,
    use::dram_scheduler<any_dram_scheduler>, use::network_arbitration<noc::age_based_arbitration>,
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
    gpu_test::choose_caches<P>(r, p);
    auto const scheduler = schedulers[r.below(14)];
    auto v = gpu_test::random_values<P>(r);
    v.kernel_dispatch = gpu_test::random_kernel_dispatch(seed, v.occupancy_limit);
    v.warp_scheduler = policy_named<any>(scheduler, "scheduler");
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
    both_engines<P> both(p, v);
    return run_pair(seed, k, both);
}

std::string replays_wait_for_room() {
    std::string why;
    for (auto const what : {access_kind::load, access_kind::atomic}) {
        cycle in_order = 0;
        for (any_replay_queue const& queue : {any_replay_queue(no_replay{}), any_replay_queue(car{}),
                                              any_replay_queue(new_car{}), any_replay_queue(mrpb{})}) {
            kernel_builder k("replays wait for room");
            k.block = {4 * lanes, 1, 1};
            auto const access = what == access_kind::load ? k.load(memory_space::global, 4, {1}, {0})
                                                          : k.atomic(memory_space::global, 4, {1}, {0});
            auto const exit = k.exit();
            k.script = [=](std::uint64_t, unsigned warp, kernel_builder::warp_writer& out) {
                auto const base = 0xC0000000 + warp * 0x10000;
                out.access(access, out.lanes_present(), [=](unsigned lane) { return base + lane * 128; });
                out.step(exit);
            };
            auto p = presets::gtx480::parameters();
            p.core.count = 1;
            p.l1d.size = 64 * 1024;
            p.l1d.mshr_entries = 128;
            p.l1d.miss_queue = 2;
            p.clock.interconnect = p.clock.core / 14; // which is full most of the time
            policy_values<P> v;
            v.replay_queue = queue;
            both_engines<P> both(p, v);
            why += both.run(k.launch());
            // The network sets the pace, so a queue that tries again at once takes hardly longer.
            auto const cycles = both.counted().cycles;
            if (in_order == 0) in_order = cycles;
            if (cycles > in_order + in_order / 4)
                why += "\n" + std::to_string(cycles) + " cycles with a queue, without " +
                       std::to_string(in_order);
        }
    }
    return why;
}

} // namespace warpkit::reference_test
