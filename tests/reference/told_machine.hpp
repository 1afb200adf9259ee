#pragma once

/// A machine that chooses most of its policies when it is made, and on which all that cores, L2 slices and DRAM
/// channels tell is recorded: compiled once for all tests of both engines (told_machine.cpp).

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
#include <warpkit/lsu/one_replay_queue.hpp>
#include <warpkit/lsu/per_warp_stride.hpp>
#include <warpkit/lsu/stride_chain.hpp>
#include <warpkit/warp/one_warp_scheduler.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "dram/naive_who_asks.hpp"
#include "reference/both_engines.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace warpkit::reference_test {

/// A core's recorder that also says when its warps issued.
class issue_recorder : public core_recorder {
public:
    struct issue {
        unsigned warp = 0;
        std::uint32_t pc = 0;
        cycle at = 0;
    };
    template <testing::detail::loggable E>
    void on(E const& e) {
        if constexpr (std::is_same_v<E, issued>) issues_.push_back({e.warp.index(), e.pc, e.at});
        core_recorder::on(e);
    }
    std::vector<issue> const& issues() const noexcept { return issues_; }

private:
    std::vector<issue> issues_;
};

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

using any_scheduler =
    one_warp_scheduler<gto, lrr, two_level, cta_aware_locality, ccws, mascar, locality_aware, daws_style, elf,
                       cawa_style, two_level_active, static_wavefront_limit_8, two_level_gpgpusim, baws,
                       producer_first, leader_first, pingpong>;
using told = presets::gtx480::with<
    use::warp_scheduler<any_scheduler>, use::cta_choice<any_cta_choice>,
    use::occupancy_limit<any_occupancy_limit>, use::kernel_dispatch<any_kernel_dispatch>,
    use::cluster_placement<any_cluster_placement>,
    use::instruction_prefetch<fetch::one_instruction_prefetch<fetch::no_prefetch, fetch::next_line<run_time>,
                                                              fetch::stream_buffer<run_time>>>,
    use::replay_queue<any_replay_queue>,
    use::l1d<with_alternatives<cache<linear_index, fifo, on_miss, write_through<write_miss::lazy_fetch>>>>,
    use::l2<with_alternatives<cache<linear_index, fifo, on_miss, write_back<write_miss::lazy_fetch>>>>,
    use::observer<issue_recorder>, use::l2_observer<l2_recorder>,
    use::data_prefetch<one_data_prefetch<no_data_prefetch, per_warp_stride_of<run_time>,
                                         many_thread_aware_prefetch_of<run_time>, stride_chain_of<run_time>>>,
    use::dram_scheduler<any_dram_scheduler>, use::network_arbitration<noc::age_based_arbitration>,
    use::dram_observer<dram_recorder>>::policies;
extern template class both_engines<told>;

/// The scheduler of such a machine, by its name.
any_scheduler scheduler_named(char const* name);

} // namespace warpkit::reference_test
