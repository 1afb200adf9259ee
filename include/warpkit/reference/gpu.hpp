#pragma once
/// \file
/// The reference GPU: the whole machine, ticked every cycle. It is the specification in code: what gpu/, which is made
/// to be fast, does must come to the same cycles, counters and events. One file for each thing: the machine here, then
/// core.hpp, load_store_unit.hpp, cache.hpp, translation.hpp, cluster_network.hpp, network.hpp, l2_partition.hpp and
/// dram_channel.hpp; they touch each other through link.hpp alone.

#include <warpkit/base/clock.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/row_sharing.hpp>
#include <warpkit/machine/cluster.hpp>
#include <warpkit/machine/cluster_barriers.hpp>
#include <warpkit/machine/compiled_control.hpp>
#include <warpkit/machine/conservation.hpp>
#include <warpkit/machine/core_limits.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/kernel_dispatcher.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/program/launch_group.hpp>
#include <warpkit/program/stream.hpp>
#include <warpkit/reference/cluster_network.hpp>
#include <warpkit/reference/core.hpp>
#include <warpkit/reference/l2_partition.hpp>
#include <warpkit/reference/link.hpp>
#include <warpkit/reference/network.hpp>
#include <warpkit/reference/translation.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

namespace warpkit::reference {

/// P is a policies (machine/policies.hpp). The machine is a value: a copy runs on independently.
template <class P>
class gpu {
    using cores_type = heap_array<core<typename P::core>>;
    using partitions_type = heap_array<l2_partition<typename P::memory>>;

public:
    /// Throws `error` when the numbers contradict each other.
    explicit gpu(gpu_parameters const& p, policy_values<P> const& values = {})
        : n_(p),
          core_period_(tick_rate(p) / p.clock.core),
          latency_(tick_rate(p) / p.clock.interconnect * p.network.link_cycles),
          map_(p.address_mapping.c_str(), p.memory.channels, p.memory.slices),
          request_network_(p, tick_rate(p) / p.clock.interconnect, true),
          reply_network_(p, tick_rate(p) / p.clock.interconnect, false),
          translation_(p.tlb, cycle_at(latency_)),
          from_core_(p.core.count, {latency_, p.network.input_flits}),
          to_core_(p.core.count, {latency_, p.network.ejection}),
          to_slice_(p.memory.channels * p.memory.slices, {latency_, p.network.ejection}),
          from_slice_(to_slice_.size(), {latency_, p.network.input_flits}),
          dispatcher_(p, cycle_at(latency_), values.cta_choice, values.kernel_dispatch,
                      values.cluster_placement),
          limits_(p.core.count, values.occupancy_limit,
                  p.core.kernels > 1 && shares_cores(values.kernel_dispatch)),
          cluster_network_(p) {
        check_cluster_latency(p);
        map_.check(p.dram, longest_line(p));
        cores_ = cores_type::of(p.core.count, [&](std::size_t c) {
            return core<typename P::core>(static_cast<unsigned>(c), p, core_period_, values);
        });
        partitions_ = partitions_type::of(p.memory.channels, [&](std::size_t m) {
            return l2_partition<typename P::memory>(static_cast<std::uint32_t>(m), p, core_period_,
                                                    tick_rate(p) / p.clock.l2, tick_rate(p) / p.clock.dram);
        });
    }

    /// Runs a kernel to its end, or a group that may run at once, and returns what was counted. Throws `error` if one
    /// does not fit the machine, cannot finish, or breaks a conservation law. `progress` is called now and then.
    template <class Progress = no_progress>
    run_counters run(launch_group const& launches, Progress&& progress = {}) {
        begin(launches);
        for (unsigned windows = 1; step(); ++windows)
            if (windows % 4096 == 0)
                progress(kernel_progress{dispatcher_.finished_count(), dispatcher_.total(), age()});
        return end();
    }
    /// The host has copied these bytes to the device: they are in the L2 now, as far as it holds them. Between kernels.
    void copied_from_host(std::uint64_t address, std::uint64_t bytes) {
        check_copy(address, bytes);
        if (!memory_is_idle()) return; // a prefetch may still be under way
        auto const kept = 16ULL * n_.l2.size * n_.memory.slices * n_.memory.channels; // no more will stay
        auto const from = bytes > kept ? address + bytes - kept : address;
        for (auto a = from / n_.l2.sector * n_.l2.sector; a < address + bytes; a += n_.l2.sector) {
            auto const slice = map_.sub_partition(a);
            partitions_[slice / n_.memory.slices].copied(slice % n_.memory.slices, map_.local(a));
        }
    }

    // ---- the same in pieces: begin, step until it returns false, end

    void begin(launch_group const& launches) {
        for (auto const& c : cores_)
            if (!c.empty()) refuse_to_begin(launches.front().launch);
        before_ = totals();
        began_ = cycle_at(now_);
        programs_.clear();
        for (auto& m : partitions_) m.kernel_began();
        for (auto& c : cores_) c.begin(began_);
        limits_.begin(launches.size() > 1);
        dispatcher_.begin(n_, launches, began_, *this);
        progress_at_ = now_;
    }
    /// Simulates the next window; false when all CTAs have finished. A window is the latency of a link. The cores hand
    /// their finished CTAs to the dispatcher, and occupancy limits are asked, where two windows meet; so nothing that
    /// happens in a window needs to be known to anybody else before its end.
    bool step() {
        for (auto const end = now_ + latency_; now_ < end; now_ = next_edge(end)) tick();
        for (auto& c : cores_) {
            for (auto const& f : c.finished()) dispatcher_.finished(f);
            c.finished().clear();
        }
        dispatcher_.follow(n_, cycle_at(now_), *this);
        if (limits_.follow(cores_, cycle_at(now_))) dispatcher_.reconsider();
        check_progress();
        return !dispatcher_.done() || fetching_ahead();
    }
    /// Checks the conservation laws and returns what the kernel counted.
    run_counters end() {
        auto const finish = dispatcher_.end(*this);
        auto result = difference(totals(), before_);
        result.cycles = finish - began_;
        result.kernels = dispatcher_.spans().size();
        check_conservation(result);
        return result;
    }

    // ---- what the dispatcher asks of its host

    void begin_kernel(unsigned c, unsigned, kernel_launch const& launch, unsigned fit) {
        auto& program = programs_[launch.program];
        if (program == nullptr) {
            auto compiled = *launch.program;
            compiled.instructions = as_compiled(compiled, n_.core);
            program = std::make_shared<static_program const>(std::move(compiled));
        }
        cores_[c].begin_kernel(*program, began_on(n_, launch, fit, c));
        limits_.begin(c, cores_[c].occupancy_limit(), fit);
    }
    void end_kernel(unsigned c, cycle at) { cores_[c].end_kernel(at); }
    void cores_share(linked_kernels const* linked) {
        for (auto& c : cores_) c.shares(linked);
    }
    cycles_by_cause stalls_of(unsigned launch) const {
        cycles_by_cause sum{};
        for (auto const& c : cores_)
            for (unsigned k = 0; k < cycle_cause_count; ++k) sum[k] += c.stalls_of(launch)[k];
        return sum;
    }
    bool is_free(unsigned c) const { return !cores_[c].fetching_ahead(); }
    run_counters counted_on(unsigned c) const { return cores_[c].counted(); }

    // ---- what others want to know

    /// What became of each launch of the last group.
    std::vector<kernel_span> const& spans() const { return dispatcher_.spans(); }

    cores_type const& cores() const { return cores_; }
    partitions_type const& partitions() const { return partitions_; }
    gpu_parameters const& numbers() const { return n_; }
    /// Core cycles since the kernel, or the group, began.
    cycle age() const { return cycle_at(now_) - began_; }
    char const* dispatch_note() const { return note_of(dispatcher_.choice()); }
    unsigned announced_degree() const { return limits_.announced(); }
    degree_report announced_report() const { return limits_.report(cores_); }
    dram::row_sharing row_sharing() const {
        dram::row_sharing sum;
        for (auto const& m : partitions_) m.add_to(sum);
        return sum;
    }

private:
    /// The next tick at which any clock has an edge, but not behind `end`.
    warpkit::tick next_edge(warpkit::tick end) const {
        for (auto const frequency : {n_.clock.core, n_.clock.interconnect, n_.clock.l2, n_.clock.dram}) {
            auto const period = tick_rate(n_) / frequency;
            end = std::min(end, (now_ / period + 1) * period);
        }
        return end;
    }
    cycle cycle_at(warpkit::tick t) const { return (t + core_period_ - 1) / core_period_; }

    /// Everybody has a turn, and looks at its own clock. The order does not matter.
    void tick() {
        if (now_ % core_period_ == 0) {
            dispatch(now_ / core_period_);
            if (dispatcher_.has_clusters()) take_messages(now_ / core_period_);
        }
        for (unsigned c = 0; c < cores_.size(); ++c) cores_[c].tick(now_, map_, from_core_[c], to_core_[c]);
        if (now_ % core_period_ == 0) {
            translate(now_ / core_period_);
            if (dispatcher_.has_clusters()) gather(now_ / core_period_);
        }
        request_network_.tick(now_, from_core_, to_slice_);
        reply_network_.tick(now_, from_slice_, to_core_);
        for (auto& m : partitions_) m.tick(now_, to_slice_, from_slice_);
    }
    /// What cores ask of the TLB that they share is there as late as a packet would be, and so is the answer.
    void translate(cycle now) {
        for (unsigned c = 0; c < cores_.size(); ++c) {
            for (auto const page : cores_[c].translation().asked()) translation_.ask(now, c, page);
            cores_[c].translation().asked().clear();
        }
        translation_.tick(now, [this](unsigned c, cycle at, std::uint64_t page) {
            cores_[c].translation().answer_at(at, page);
        });
    }
    /// What cores tell others of their cluster comes with them.
    void take_messages(cycle now) {
        cluster_network_.tick(now, [this](cluster_message const& m) { cores_[m.to].message_comes(m); });
    }
    /// What they tell others in this cycle, and what their warps did to the barriers of clusters.
    void gather(cycle now) {
        for (auto& c : cores_) {
            for (auto const& m : std::exchange(c.messages(), {})) cluster_network_.send(m);
            for (auto const& a : std::exchange(c.cluster_arrivals(), {}))
                cluster_barriers_.take(a, [&](cluster_barriers::barrier const& b) {
                    for (unsigned other = 0; other < cores_.size(); ++other)
                        if (is_on(b.cluster, other))
                            cores_[other].cluster_opens(now + n_.cluster.barrier_latency, b.cluster.id);
                });
        }
    }
    /// The dispatcher's cycle.
    void dispatch(cycle now) {
        dispatcher_.run(now, now + 1, limits_, [this](unsigned n, unsigned c, std::uint64_t cta, cycle at) {
            auto const& launch = dispatcher_.launch_in(n);
            cta_stream s;
            s.reset(launch.warps_per_cta());
            launch.fill(launch.source, cta, s);
            std::uint64_t instructions = 0;
            for (auto const& w : s.warps) instructions += w.size();
            if (dispatcher_.has_clusters()) cluster_barriers_.joined(dispatcher_.cluster(n), live_warps(s));
            cta = dispatcher_.on_core(n, cta, s);
            cores_[c].launch(at, cta, std::move(s), dispatcher_.cluster(n));
            return instructions;
        });
    }
    /// Code and data that were asked for ahead must have come before the next kernel's take their place.
    bool fetching_ahead() const {
        return std::any_of(cores_.begin(), cores_.end(), [](auto const& c) { return c.fetching_ahead(); });
    }
    bool memory_is_idle() const {
        for (auto const* links : {&from_core_, &to_slice_, &from_slice_, &to_core_})
            for (auto const& l : *links)
                if (!l.empty()) return false;
        for (auto const& m : partitions_)
            if (!m.idle()) return false;
        return request_network_.idle() && reply_network_.idle();
    }
    void check_progress() {
        std::uint64_t issued = 0;
        for (auto const& c : cores_) issued += c.counters().warp_instructions;
        if (issued != progress_ || dispatcher_.next_event(cycle_at(now_)) != never) progress_at_ = now_;
        progress_ = issued;
        if (now_ > progress_at_ + 1'000'000 * core_period_)
            throw error({dispatcher_.names(), " is stuck at core cycle ", age(),
                         ": no instruction was issued for 1000000 core cycles"});
    }
    run_counters totals() const {
        run_counters t;
        for (auto const& c : cores_) t += c.counted();
        for (auto const& m : partitions_) m.add_to(t);
        t.tlb += translation_.counters();
        t.request_network = request_network_.counters();
        t.reply_network = reply_network_.counters();
        return t;
    }
    /// What went into a part has come out, or is there still.
    void check_conservation(run_counters const& r) const {
        conservation b;
        check_counters(b, r, n_.core);
        b.same("warp instructions issued, of those dispatched", r.core.warp_instructions,
               dispatcher_.dispatched());
        b.same("CTAs finished, of those launched", r.core.ctas, dispatcher_.total());
        b.same("page walks under way at the end", !translation_.idle(), 0);
        b.same("messages of clusters under way at the end", cluster_network_.under_way(), 0);
        b.same("warps at barriers of clusters at the end", !cluster_barriers_.empty(), 0);
        for (auto const& c : cores_) b.same("cores with something outstanding at the end", !c.idle(), 0);
        for (auto const* links : {&from_core_, &to_slice_, &from_slice_, &to_core_})
            for (auto const& l : *links)
                b.same("lost credits of a link", static_cast<std::uint64_t>(l.lost_credits()), 0);
        if (!b.broken().empty())
            throw error({dispatcher_.names(), ": conservation broken: ", b.broken(),
                         "; this is a bug in the model or in one of its policies"});
    }

    gpu_parameters n_;
    warpkit::tick core_period_;
    warpkit::tick latency_; ///< of every link
    dram::address_mapping map_;
    network_of<typename P::network, typename P::network_arbitration> request_network_;
    network_of<typename P::network, typename P::network_arbitration> reply_network_;
    shared_translation translation_;
    cores_type cores_;
    partitions_type partitions_;
    packet_links from_core_, to_core_;   ///< by core
    packet_links to_slice_, from_slice_; ///< by slice of the machine
    kernel_dispatcher<typename P::cta_choice, typename P::kernel_dispatch, typename P::cluster_placement>
        dispatcher_;
    warpkit::tick now_ = 0;

    std::map<static_program const*, std::shared_ptr<static_program const>> programs_; ///< as they run here
    run_counters before_; ///< when the group began
    cycle began_ = 0;
    core_limits<typename P::occupancy_limit> limits_;
    cluster_network cluster_network_;
    cluster_barriers cluster_barriers_;
    std::uint64_t progress_ = 0; ///< instructions issued
    warpkit::tick progress_at_ = 0;
};

} // namespace warpkit::reference
