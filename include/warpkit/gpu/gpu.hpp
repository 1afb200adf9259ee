#pragma once
/// \file
/// The reference GPU: cores, two networks, memory partitions and the block dispatcher, advanced window by window.
///
/// Components touch each other only through links with latency and credits; the window is the smallest link latency, so
/// each component can be advanced a whole window on its own, and in any order (docs/model/time.md#windows). Since links
/// join networks to all others only, the two sides can overtake each other by two windows at a time. Windows in which
/// nothing can happen are skipped. The whole machine is a value: a copy runs on independently.
///
/// Whoever advances the components of a window (Workers) is either called for one after the other, as
/// gpu/threads/in_turn.hpp, or is a pool of threads (gpu/threads/worker_pool.hpp), each of which takes its share of
/// them through many windows (gpu/threads/thread_set.hpp).
///
/// In the reference: `gpu` (reference/gpu.hpp), whose `tick` is everybody's turn in one tick.

#include <warpkit/base/clock.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/fresh_memory.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/dram/row_sharing.hpp>
#include <warpkit/gpu/common/memory_ports.hpp>
#include <warpkit/gpu/common/window.hpp>
#include <warpkit/gpu/core_array.hpp>
#include <warpkit/gpu/memory/memory_system.hpp>
#include <warpkit/gpu/threads/in_turn.hpp>
#include <warpkit/gpu/threads/thread_set.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/program/launch_group.hpp>
#include <warpkit/program/stream.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace warpkit {

/// Stands for a sampler (gpu/sampling.hpp) where there is none, so that none is compiled.
struct no_sampler {};
/// And for an interval_recorder (gpu/intervals.hpp).
struct no_intervals {};
/// And for what is to happen when kernels have begun.
struct nothing_begun {
    void operator()() const noexcept {}
};

/// A GPU made of policies P (policies.hpp) and numbers.
template <class P>
class gpu {
    using core_array_type = core_array<typename P::core, typename P::cta_choice, typename P::kernel_dispatch,
                                       typename P::cluster_placement>;

public:
    /// Throws `error` when the numbers contradict each other.
    explicit gpu(gpu_parameters const& p, policy_values<P> const& values = {})
        : gpu(p, values, fresh_memory()) {}

    /// Runs a kernel to its end, or a group that may run at once, and returns what was counted; spans() tells of each
    /// launch. Throws `error` if one does not fit the machine, cannot finish, or breaks a conservation law. `progress`
    /// is called now and then. `workers` as in step(). With a sampler, which wants one kernel at a time, what is
    /// counted is what was timed, and its estimate() tells of the whole kernel. `intervals` hears what has been counted
    /// as often as it wants. `begun` is called when they have begun, and may load the state of a machine that was in
    /// the middle of them (each_stored).
    template <class Progress = no_progress, class Workers = in_turn, class Sampler = no_sampler,
              class Intervals = no_intervals, class Begun = nothing_begun>
    run_counters run(launch_group const& launches, Progress&& progress = {}, Workers&& workers = {},
                     Sampler* sampling = nullptr, Intervals* intervals = nullptr, Begun&& begun = {}) {
        constexpr bool samples = !std::is_same_v<Sampler, no_sampler>;
        constexpr bool has_intervals = !std::is_same_v<Intervals, no_intervals>;
        if (samples && sampling != nullptr && launches.size() > 1)
            throw error("kernels at once cannot be sampled; set core.kernels=1, or time them whole");
        begin(launches);
        if constexpr (samples)
            if (sampling != nullptr) sampling->begin();
        if constexpr (has_intervals)
            if (intervals != nullptr) intervals->begin();
        begun();
        advance(workers, [&, windows = std::uint64_t{0}](std::uint64_t more) mutable {
            windows += more;
            if constexpr (samples)
                if (sampling != nullptr) cores_.sample(*sampling, now_);
            if (windows % windows_between_progress_ == 0) progress(cores_.progress(now_));
            auto most =
                sampling != nullptr ? 1 : windows_between_progress_ - windows % windows_between_progress_;
            if constexpr (has_intervals)
                if (intervals != nullptr) {
                    if (age() >= intervals->next()) intervals->take(counted());
                    auto const until = windows_within(intervals->next() - age());
                    if (until < most) most = until;
                }
            return most;
        });
        auto const r = end();
        if constexpr (has_intervals)
            if (intervals != nullptr) intervals->end(r);
        if constexpr (samples)
            if (sampling != nullptr) sampling->end(r.cycles, r.core.warp_instructions);
        return r;
    }

    /// The host has copied these bytes to the device: they are in the L2 now, as far as it holds them. Between kernels.
    void copied_from_host(std::uint64_t address, std::uint64_t bytes) {
        check_copy(address, bytes);
        memory_.copied_from_host(address, bytes);
    }

    /// The same in pieces: begin, step until it returns false, end. Between two steps the machine may be copied.
    void begin(launch_group const& launches) {
        before_ = totals();
        cores_.begin(launches, now_);
        memory_.kernel_began();
    }

    /// Simulates the next window in which something happens; false when all CTAs have finished.
    ///
    /// `workers(count, likely, f)` calls f(c) once for each component c below `count`, in any order, and answers how
    /// many calls said that they were busy; `likely` is how many were in the last window. Or `workers` is a pool of
    /// threads. The result is the same for all: that is what links are for, and what makes parallel simulation exact.
    template <class Workers = in_turn>
    bool step(Workers&& workers = {}) {
        if constexpr (are_threads<Workers>) {
            return thread_set<handle, Workers>(handle(*this), workers).share(1) != 0 && !cores_.done();
        } else if constexpr (std::is_same_v<std::remove_cvref_t<Workers>, in_turn>) {
            leapfrog(1);
            return !cores_.done();
        } else {
            auto const w = begin_window();
            auto const ports = memory_.ports();
            memory_.wake(w.begin);
            busy_ = workers(components(), busy_, [&](unsigned c) { return advance(c, w, ports); });
            for (unsigned c = 0; c < cores_.size(); ++c)
                cores_.take_finished(c, [this](finished_cta const& f) { cores_.hear(f); });
            now_ = w.end;
            if (cores_.translates()) cores_.translate(now_);
            cores_.follow(now_, 1);
            return !cores_.done();
        }
    }
    /// Cores, two networks, partitions.
    unsigned components() const noexcept { return cores_.size() + memory_.components(); }

    /// Checks the conservation laws and returns what the kernel counted.
    run_counters end() {
        auto const cycles = cores_.end();
        auto result = difference(totals(), before_);
        result.cycles = cycles;
        result.kernels = spans().size();
        cores_.check_conservation(result, memory_.idle(),
                                  memory_.conserved(cores_.sent(), cores_.received()));
        return result;
    }

    /// What became of each launch of the last group.
    std::vector<kernel_span> const& spans() const noexcept { return cores_.spans(); }
    /// What the running kernels have counted so far.
    run_counters counted() const {
        auto result = difference(totals(), before_);
        result.cycles = age();
        // A core without CTAs counts its cycles when one comes.
        auto const waiting = result.cycles * cores_.size() - result.core.cycles;
        result.core.cycles += waiting;
        result.core.cause[static_cast<unsigned>(cycle_cause::no_cta)] += waiting * numbers_.core.schedulers;
        return result;
    }
    /// Calls `f(scheduler)` for each warp scheduler of each core, which may change it: between two steps, say of a copy
    /// that is to go on under another policy (testing/shadow_schedulers.hpp).
    template <class F>
    void each_scheduler(F&& f) {
        cores_.each_scheduler(f);
    }
    /// Calls `f(channel, l2_observer, dram_observer)` for each memory partition, which may change them: to hand them
    /// what they write to.
    template <class F>
    void each_memory_observer(F&& f) {
        memory_.each_observer(f);
    }

    /// The rows that its DRAM observers have seen shared, since the machine was made; none if they do not look at that.
    dram::row_sharing row_sharing() const {
        dram::row_sharing sum;
        memory_.add_to(sum);
        return sum;
    }
    /// What the choice of block has to say of the grid that began last; null for nothing.
    char const* dispatch_note() const noexcept { return cores_.dispatch_note(); }
    /// The CTAs per core that an occupancy limit decided on for all cores in that kernel; 0 for none.
    unsigned announced_degree() const noexcept { return cores_.announced_degree(); }
    /// What that limit had seen of its CTA; nothing where none has decided.
    degree_report announced_report() const noexcept { return cores_.announced_report(); }
    /// Core cycles since the kernel began.
    cycle age() const noexcept { return cores_.age(now_); }
    gpu_parameters const& numbers() const noexcept { return numbers_; }
    heap_array<core<typename P::core>> const& cores() const noexcept { return cores_.cores(); }
    memory_system<typename P::memory> const& memory() const noexcept { return memory_; }
    /// The hash of the whole simulated state.
    std::uint64_t fingerprint() const { return hash_of(*this); }

    friend bool operator==(gpu const& a, gpu const& b) {
        return a.numbers_ == b.numbers_ && a.now_ == b.now_ && a.cores_ == b.cores_ && a.memory_ == b.memory_;
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(now_, cores_, memory_);
    }
    /// What a checkpoint holds: between two windows, of kernels that do not run at once. It is loaded over a machine
    /// that was made alike and has begun with the same ones.
    template <class F>
    void each_stored(F&& f) {
        f(now_, busy_, before_, cores_, memory_);
    }
    /// CTAs of the running kernels that have gone out.
    std::uint64_t dispatched_ctas() const noexcept { return cores_.dispatched_ctas(); }

private:
    /// Its arrays lie in this memory.
    [[gnu::cold]] gpu(gpu_parameters const& p, policy_values<P> const& values, fresh_memory const&)
        : numbers_(p),
          memory_(p, tick_rate(p)),
          window_(memory_.latency()),
          cores_(p, clock_domain(tick_rate(p) / p.clock.core), window_, values) {}

    /// The machine in the hands of several threads (gpu/threads/thread_set.hpp, shareable_machine).
    class handle {
    public:
        explicit handle(gpu& g) noexcept : gpu_(&g) {}
        auto& cores() const noexcept { return gpu_->cores_; }
        auto& memory() const noexcept { return gpu_->memory_; }
        unsigned components() const noexcept { return gpu_->components(); }
        unsigned& busy() const noexcept { return gpu_->busy_; }
        tick& now() const noexcept { return gpu_->now_; }
        tick window_ticks() const noexcept { return gpu_->window_; }
        window window_at(tick begin) const noexcept { return gpu_->window_at(begin); }
        window begin_window() const { return gpu_->begin_window(); }
        unsigned advance_ports(window const& w, cycle halfway) const {
            return gpu_->advance_ports(w, halfway);
        }
        bool advance(unsigned c, window const& w, memory_ports const& ports, cycle halfway) const {
            return gpu_->advance(c, w, ports, halfway);
        }
        std::uint64_t leapfrog(std::uint64_t most) const { return gpu_->leapfrog(most); }
        bool step() const { return gpu_->step(); }

    private:
        gpu* gpu_;
    };
    static constexpr std::uint64_t windows_between_progress_ = 4096;

    /// Between windows.
    tick next_event() noexcept {
        memory_.look();
        auto const next = cores_.next_event(now_, memory_.from_cores(), memory_.to_cores());
        auto const behind = memory_.next_event();
        auto const sooner = behind < next ? behind : next;
        return sooner > now_ ? sooner : now_;
    }
    /// Steps to the end of the kernel. `between(windows)` is called after each but the last, or after as many as are
    /// given; it answers how many may pass until it is called again.
    template <class Workers, class Between>
    void advance(Workers& workers, Between&& between) {
        if constexpr (are_threads<Workers>) {
            thread_set<handle, Workers> c(handle(*this), workers);
            each_some([&](std::uint64_t most) { return c.advance(most); }, between);
        } else if constexpr (std::is_same_v<std::remove_cvref_t<Workers>, in_turn>) {
            each_some([this](std::uint64_t most) { return leapfrog(most); }, between);
        } else {
            while (step(workers)) static_cast<void>(between(1));
        }
    }
    template <class Some, class Between>
    void each_some(Some&& some, Between&& between) {
        for (auto most = std::uint64_t{1};;) {
            auto const windows = some(most);
            if (cores_.done()) return;
            most = between(windows);
        }
    }
    /// Simulates the next window in which something happens, and some behind it, `most` in all; how many.
    ///
    /// Links join networks to cores and partitions only, and each takes a window's time in both directions: what is on
    /// one side may be a window ahead of what is on the other. So the sides overtake each other by two windows at a
    /// time, which is half as many visits to each component. They draw level where the dispatcher has something to do
    /// between the two, and at the end.
    /// Abbreviates `gpu::tick`: each component is visited once for all ticks of two windows.
    std::uint64_t leapfrog(std::uint64_t most) {
        if (auto const unwatched = cores_.unwatched(); unwatched < most) most = unwatched;
        auto w = begin_window();
        busy_ = advance_ports(w, 0);
        std::uint64_t windows = 1;
        while (busy_ != 0 && windows + 2 <= most && !cores_.finished()) {
            busy_ += memory_.advance_networks(now_ - window_, now_ + window_);
            w = window_at(now_);
            cores_.dispatch(w);
            if (auto const ahead = cores_.outlook(); !ahead.settled || ahead.finished) {
                busy_ += advance_ports(w, 0);
                cores_.follow(now_, ++windows);
                return windows;
            }
            busy_ = advance_ports(cores_.window_of(now_, now_ + 2 * window_), w.last);
            windows += 2;
        }
        busy_ += memory_.advance_networks(now_ - window_, now_);
        cores_.follow(now_, windows);
        return windows;
    }
    /// Cores and partitions, through a window or two; in cycle `halfway` the second one begins. How many were busy.
    unsigned advance_ports(window const& w, cycle halfway) {
        auto const ports = memory_.ports();
        now_ = w.end;
        return cores_.pass(w, halfway, memory_.map(), ports.from_core, ports.to_core) +
               memory_.advance_partitions(w.end);
    }
    /// Finds the next window and dispatches its CTAs.
    window begin_window() {
        // After a window in which something happened, the next one is looked into without asking.
        auto const next = busy_ != 0 ? now_ : next_event();
        if (next == never) cores_.stuck("nothing can happen any more", now_);
        // All windows lie on one grid: nobody can notice, not even the next kernel, which windows were skipped.
        auto const w = window_at(busy_ != 0 ? now_ : next - next % window_);
        cores_.dispatch(w);
        return w;
    }
    /// So many windows, one at least, that are no longer than this.
    std::uint64_t windows_within(cycle time) const noexcept {
        auto const longest = cores_.age(now_ + window_) - age() + 1;
        return time < 2 * longest ? 1 : time / longest;
    }
    window window_at(tick begin) const noexcept { return cores_.window_of(begin, begin + window_); }
    /// Advances one component through the window; touches nothing but that component and its ends of its links, which
    /// are at `ports` unless it is a network. Whether any but idle cycles passed.
    bool advance(unsigned c, window const& w, memory_ports const& ports, cycle halfway = 0) {
        return c < cores_.size()
                   ? cores_.advance(c, w, halfway, memory_.map(), ports.from_core[c], ports.to_core[c])
                   : memory_.advance(c - cores_.size(), w.end, ports);
    }
    run_counters totals() const {
        run_counters t;
        cores_.add_to(t);
        memory_.add_to(t, now_);
        return t;
    }

    gpu_parameters numbers_;
    memory_system<typename P::memory> memory_;
    tick window_ = 1;
    tick now_ = 0;
    core_array_type cores_;
    unsigned busy_ = 0; ///< components to which something happened in the last window
    run_counters before_;
};

} // namespace warpkit
