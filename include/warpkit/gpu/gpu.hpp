#pragma once
/// \file
/// The reference GPU: cores, two networks, memory partitions and the block dispatcher, advanced window by window.
///
/// Components touch each other only through links with latency and credits; the window is the smallest link latency, so
/// each component can be advanced a whole window on its own, and in any order (DESIGN 4). Windows in which nothing can
/// happen are skipped. The whole machine is a value: a copy runs on independently.

#include <warpkit/base/clock.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/cta/fit.hpp>
#include <warpkit/cta/occupancy.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/gpu/core.hpp>
#include <warpkit/gpu/counters.hpp>
#include <warpkit/gpu/dispatcher.hpp>
#include <warpkit/gpu/interconnect.hpp>
#include <warpkit/gpu/kernel_image.hpp>
#include <warpkit/gpu/parameters.hpp>
#include <warpkit/gpu/partition.hpp>
#include <warpkit/gpu/policies.hpp>
#include <warpkit/program/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace warpkit {

/// Instances of the policies that a machine starts from, for policies with run-time numbers of their own.
template <class P>
struct policy_values {
    typename P::warp_scheduler warp_scheduler{};
    typename P::fetch_order fetch_order{};
    typename P::instruction_prefetch instruction_prefetch{};
    typename P::cta_choice cta_choice{};
    typename P::occupancy_limit occupancy_limit{};
    typename P::observer observer{};
};

/// Progress of a kernel, for a progress bar.
struct kernel_progress {
    std::uint64_t finished_ctas = 0;
    std::uint64_t ctas = 0;
    cycle cycles = 0; ///< core cycles since the kernel began
};

/// Ignores progress.
struct no_progress {
    constexpr void operator()(kernel_progress const&) const noexcept {}
};

/// A GPU made of policies P (policies.hpp) and numbers.
template <class P>
class gpu {
public:
    /// Throws `error` when the numbers contradict each other.
    explicit gpu(gpu_parameters const& p, policy_values<P> const& values = {})
        : numbers_(p),
          map_(p.address_mapping.c_str(), p.memory.channels, p.memory.slices) {
        std::uint64_t const clocks[] = {p.clock.core, p.clock.interconnect, p.clock.l2, p.clock.dram};
        for (auto const c : clocks)
            if (c == 0)
                throw error("clock: a frequency of 0 kHz; set all of clock.core, interconnect, l2 and dram");
        auto const rate = common_tick_rate(clocks, 4);
        core_clock_ = clock_domain(rate / p.clock.core);
        clock_domain const network_clock(rate / p.clock.interconnect);
        partition_clocks const memory_clocks{core_clock_, clock_domain(rate / p.clock.l2),
                                             clock_domain(rate / p.clock.dram)};
        map_.check(p.dram);

        auto const slices = p.memory.channels * p.memory.slices;
        auto const latency = network_clock.at(p.network.link_cycles);
        window_ = latency;
        noc::crossbar_parameters x;
        x.inputs = p.core.count;
        x.outputs = slices;
        x.input_flits = p.network.input_flits;
        x.output_flits = p.network.output_flits;
        x.internal_speedup = p.network.speedup;
        x.flit_bytes = p.network.flit;
        x.check(8 + (p.l1d.line > p.l1i.line ? p.l1d.line : p.l1i.line));
        request_network_ = interconnect(x, network_clock, true);
        x.inputs = slices;
        x.outputs = p.core.count;
        reply_network_ = interconnect(x, network_clock, false);
        from_core_.assign(p.core.count, link<packet>(latency, p.network.input_flits));
        to_slice_.assign(slices, link<packet>(latency, p.network.ejection));
        from_slice_.assign(slices, link<packet>(latency, p.network.input_flits));
        to_core_.assign(p.core.count, link<packet>(latency, p.network.ejection));

        for (unsigned c = 0; c < p.core.count; ++c) cores_.emplace_back(c, p, core_clock_, values);
        for (unsigned m = 0; m < p.memory.channels; ++m) partitions_.emplace_back(m, p, memory_clocks);
        limit_.assign(p.core.count, 0);
        dispatcher_ = dispatcher<typename P::cta_choice>(p.core.count, core_clock_.first_at_or_after(window_),
                                                         values.cta_choice);
    }

    /// Runs one kernel to its end and returns what it counted. Throws `error` if it does not fit the machine, cannot
    /// finish, or breaks a conservation law. `progress` is called now and then.
    template <class Progress = no_progress>
    run_counters run(kernel_launch const& launch, Progress&& progress = {}) {
        begin(launch);
        for (std::uint64_t windows = 1; step(); ++windows)
            if (windows % 4096 == 0)
                progress(kernel_progress{dispatcher_.finished_count(), dispatcher_.total(), age()});
        return end();
    }

    /// The same in pieces: begin, step until it returns false, end. Between two steps the machine may be copied.
    void begin(kernel_launch const& launch) {
        launch_ = launch;
        image_ = kernel_image(*launch.program, numbers_.core);
        auto const needs = needs_of(launch);
        auto const fit = limited_to_grid(require_fit(launch.program->name, needs, resources()), launch.ctas(),
                                         numbers_.core.count);
        began_ = core_clock_.first_at_or_after(now_);
        dispatched_instructions_ = 0;
        before_ = totals();
        kernel_began e;
        e.program = launch.program;
        e.cores = numbers_.core.count;
        e.warp_slots = numbers_.core.threads / lanes;
        e.ctas_per_core = fit.ctas;
        e.warps_per_cta = launch.warps_per_cta();
        e.instruction_bytes = numbers_.core.instruction_bytes;
        e.code = launch.program->instructions.data();
        e.instructions = static_cast<std::uint32_t>(launch.program->instructions.size());
        e.addresses = launch.addresses;
        e.schedulers = numbers_.core.schedulers;
        e.l1_lines = numbers_.l1d.size == 0 ? 0 : numbers_.l1d.size / numbers_.l1d.line;
        for (unsigned c = 0; c < cores_.size(); ++c) {
            e.core = c;
            cores_[c].begin_kernel(image_, e, began_);
        }
        dispatcher_.begin(
            {launch.program, launch.grid.x, launch.grid.y, launch.grid.z, numbers_.core.count, fit.ctas},
            fit.ctas);
        stalled_since_ = now_;
        seen_instructions_ = 0;
    }

    /// Simulates the next window in which something happens; false when all CTAs have finished.
    bool step() {
        auto const end = begin_window();
        auto const all = components();
        for (unsigned c = 0; c < all; ++c) advance(c, end);
        return end_window(end);
    }
    /// The same with the components advanced in the given order, which must name each of 0 to components() - 1 once. The
    /// result is the same for every order: that is what links are for, and what makes parallel simulation exact.
    bool step(std::vector<unsigned> const& order) {
        auto const end = begin_window();
        for (auto const c : order) advance(c, end);
        return end_window(end);
    }
    /// Cores, two networks, partitions.
    unsigned components() const noexcept {
        return static_cast<unsigned>(cores_.size() + 2 + partitions_.size());
    }

    /// Checks the conservation laws and returns what the kernel counted.
    run_counters end() {
        auto finish = began_;
        for (auto const& c : cores_)
            if (c.last_retired() + 1 > finish) finish = c.last_retired() + 1;
        for (auto& c : cores_) {
            c.idle_until(finish);
            c.end_kernel();
        }
        auto const total = totals();
        auto result = difference(total, before_);
        result.cycles = finish - began_;
        result.kernels = 1;
        check_conservation(result);
        return result;
    }

    /// Core cycles since the kernel began.
    cycle age() const noexcept { return core_clock_.first_at_or_after(now_) - began_; }
    gpu_parameters const& numbers() const noexcept { return numbers_; }
    std::vector<core<P>> const& cores() const noexcept { return cores_; }
    /// The hash of the whole simulated state.
    std::uint64_t fingerprint() const { return hash_of(*this); }

    friend bool operator==(gpu const& a, gpu const& b) {
        return a.numbers_ == b.numbers_ && a.now_ == b.now_ && a.cores_ == b.cores_ &&
               a.partitions_ == b.partitions_ && a.request_network_ == b.request_network_ &&
               a.reply_network_ == b.reply_network_ && a.from_core_ == b.from_core_ &&
               a.to_slice_ == b.to_slice_ && a.from_slice_ == b.from_slice_ && a.to_core_ == b.to_core_ &&
               a.dispatcher_ == b.dispatcher_;
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(now_, cores_, partitions_, request_network_, reply_network_, from_core_, to_slice_, from_slice_,
          to_core_, dispatcher_);
    }

private:
    core_resources resources() const noexcept {
        core_resources r;
        r.threads = numbers_.core.threads;
        r.ctas = numbers_.core.ctas;
        r.registers = numbers_.core.registers;
        r.shared_bytes = numbers_.core.shared_bytes;
        return r;
    }
    cta_needs needs_of(kernel_launch const& l) const noexcept {
        auto const wanted = l.program->registers_per_thread;
        auto const most = numbers_.core.max_registers_per_thread;
        cta_needs n;
        n.threads = static_cast<unsigned>(l.block.count());
        n.registers_per_thread = wanted < most ? wanted : most;
        n.shared_bytes = l.shared_bytes;
        return n;
    }

    tick next_event() const noexcept {
        auto next = never;
        auto const sooner = [&next](tick t) {
            if (t < next) next = t;
        };
        auto const dispatch = dispatcher_.next_event(core_clock_.first_at_or_after(now_));
        if (dispatch != never) sooner(core_clock_.at(dispatch));
        for (unsigned c = 0; c < cores_.size(); ++c) sooner(cores_[c].next_event(from_core_[c], to_core_[c]));
        sooner(request_network_.next_event(from_core_));
        sooner(reply_network_.next_event(from_slice_));
        auto const slices = numbers_.memory.slices;
        for (unsigned m = 0; m < partitions_.size(); ++m)
            sooner(partitions_[m].next_event(&to_slice_[m * slices], &from_slice_[m * slices]));
        return next == never || next > now_ ? next : now_;
    }
    /// Finds the next window and dispatches its CTAs; the tick at which it ends.
    tick begin_window() {
        // After a window in which something happened, the next one is looked into without asking.
        auto const next = busy_ ? now_ : next_event();
        if (next == never) throw error(stuck("nothing can happen any more"));
        // All windows lie on one grid: nobody can notice, not even the next kernel, which windows were skipped.
        auto const start = busy_ ? now_ : next - next % window_;
        auto const end = start + window_;
        dispatcher_.run(
            core_clock_.first_at_or_after(start), core_clock_.first_at_or_after(end),
            [&](unsigned c, unsigned fit) { return cores_[c].limit(fit); },
            [&](unsigned c, std::uint64_t cta, cycle at) { send_cta(c, cta, at); });
        busy_ = false;
        end_cycle_ = core_clock_.first_at_or_after(end);
        return end;
    }
    /// Advances one component through the window; touches nothing but that component and its ends of its links.
    void advance(unsigned component, tick end) {
        auto const cores = static_cast<unsigned>(cores_.size());
        bool busy = false;
        if (component < cores) {
            busy = cores_[component].advance(end_cycle_, image_, map_, from_core_[component],
                                             to_core_[component]);
        } else if (component == cores) {
            busy = request_network_.advance(end, from_core_, to_slice_);
        } else if (component == cores + 1) {
            busy = reply_network_.advance(end, from_slice_, to_core_);
        } else {
            auto const m = component - cores - 2;
            auto const first = m * numbers_.memory.slices;
            busy = partitions_[m].advance(end, map_, &to_slice_[first], &from_slice_[first]);
        }
        busy_ = busy_ || busy;
    }
    bool end_window(tick end) {
        exchange();
        now_ = end;
        watch();
        return !dispatcher_.done() || fetching_ahead();
    }
    /// Code that was asked for ahead must have come before the next kernel's takes its place.
    bool fetching_ahead() const noexcept {
        if constexpr (!std::is_same_v<typename P::instruction_prefetch, fetch::no_prefetch>)
            for (auto const& c : cores_)
                if (!c.l1i().idle()) return true;
        return false;
    }
    void send_cta(unsigned c, std::uint64_t cta, cycle at) {
        auto stream = cores_[c].take_stream();
        stream.reset(launch_.warps_per_cta());
        launch_.fill(launch_.source, cta, stream);
        for (auto const& w : stream.warps) dispatched_instructions_ += w.size();
        cores_[c].launch(at, cta, std::move(stream));
    }
    void exchange() {
        for (auto* links : {&from_core_, &to_slice_, &from_slice_, &to_core_})
            for (auto& l : *links) l.exchange();
        for (unsigned c = 0; c < cores_.size(); ++c) {
            for (auto const& f : cores_[c].finished()) dispatcher_.finished(c, f.linear_id, f.at);
            cores_[c].finished().clear();
            if constexpr (!std::is_empty_v<typename P::occupancy_limit>) {
                auto const limit = cores_[c].limit(dispatcher_.fit());
                if (limit > limit_[c]) dispatcher_.reconsider();
                limit_[c] = limit;
            }
        }
    }

    run_counters totals() const {
        run_counters t;
        for (auto const& c : cores_) {
            t.core += c.counters();
            t.l1i += c.l1i().counters();
            t.l1d += c.l1d().counters();
        }
        for (auto const& m : partitions_) {
            t.l2 += m.l2_counters();
            t.dram += m.dram_counters();
        }
        t.request_network += request_network_.counters();
        t.reply_network += reply_network_.counters();
        return t;
    }

    void check_conservation(run_counters const& r) const {
        auto const broken = [&](std::string const& what) {
            throw error("kernel '" + launch_.program->name + "': conservation broken: " + what +
                        "; this is a bug in the model or in one of its policies");
        };
        if (r.core.warp_instructions != dispatched_instructions_)
            broken(std::to_string(dispatched_instructions_) + " warp instructions dispatched, " +
                   std::to_string(r.core.warp_instructions) + " issued");
        std::uint64_t causes = 0;
        for (auto const n : r.core.cause) causes += n;
        if (causes != r.core.cycles * numbers_.core.schedulers)
            broken(std::to_string(r.core.cycles * numbers_.core.schedulers) +
                   " scheduler cycles, but causes for " + std::to_string(causes));
        for (unsigned c = 0; c < cores_.size(); ++c)
            if (!cores_[c].idle() || !cores_[c].scoreboard_clear())
                broken("core " + std::to_string(c) + " has something outstanding at the end");
        std::uint64_t asked = 0;
        std::uint64_t answered = 0;
        for (auto const& c : cores_) {
            asked += c.asked();
            answered += c.answered();
        }
        if (answered > asked || (answered != asked && quiet()))
            broken("memory was asked for " + std::to_string(asked) + " bytes and answered for " +
                   std::to_string(answered));
    }
    /// Nothing under way between the cores and memory.
    bool quiet() const noexcept {
        for (auto const* links : {&from_core_, &to_slice_, &from_slice_, &to_core_})
            for (auto const& l : *links)
                if (!l.empty()) return false;
        for (auto const& m : partitions_)
            if (!m.idle()) return false;
        return request_network_.idle() && reply_network_.idle();
    }

    /// Notices a machine that is busy but gets nowhere.
    void watch() {
        std::uint64_t issued = 0;
        for (auto const& c : cores_) issued += c.counters().warp_instructions;
        if (issued != seen_instructions_) {
            seen_instructions_ = issued;
            stalled_since_ = now_;
        } else if (now_ - stalled_since_ > core_clock_.at(patience_)) {
            throw error(stuck("no instruction was issued for " + std::to_string(patience_) + " core cycles"));
        }
    }
    std::string stuck(std::string const& why) const {
        auto text = "kernel '" + launch_.program->name + "' is stuck at core cycle " + std::to_string(age()) +
                    ": " + why;
        for (unsigned c = 0; c < cores_.size(); ++c)
            if (!cores_[c].idle())
                return text + "; core " + std::to_string(c) + ": " + cores_[c].whom_it_waits_for();
        return text + "; " + std::to_string(dispatcher_.total() - dispatcher_.finished_count()) +
               " CTAs are left, but the dispatcher gives them to nobody";
    }

    static constexpr cycle patience_ = 1'000'000;

    gpu_parameters numbers_;
    dram::address_mapping map_;
    clock_domain core_clock_;
    tick window_ = 1;
    cycle end_cycle_ = 0; ///< the first core cycle behind this window
    tick now_ = 0;
    std::vector<core<P>> cores_;
    std::vector<partition<P>> partitions_;
    interconnect request_network_;
    interconnect reply_network_;
    std::vector<link<packet>> from_core_;
    std::vector<link<packet>> to_slice_;
    std::vector<link<packet>> from_slice_;
    std::vector<link<packet>> to_core_;
    dispatcher<typename P::cta_choice> dispatcher_;

    std::vector<unsigned> limit_; ///< the most CTAs each core took at the end of the last window
    bool busy_ = false;           ///< something happened in the last window
    kernel_launch launch_;
    kernel_image image_;
    cycle began_ = 0;
    std::uint64_t dispatched_instructions_ = 0;
    run_counters before_;
    std::uint64_t seen_instructions_ = 0;
    tick stalled_since_ = 0;
};

} // namespace warpkit
