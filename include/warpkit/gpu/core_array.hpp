#pragma once
/// \file
/// All cores of a machine, and the dispatcher that feeds them: the half that runs warps. What is behind the cores'
/// ports (gpu/memory/memory_system.hpp) is known here by its links alone, so that a scheduler is compiled once for
/// machines that differ in their memory.
///
/// In the reference: the cores of `gpu`, with `check_progress` and `check_conservation` (reference/gpu.hpp).

#include <warpkit/base/clock.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/fresh_memory.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/gpu/cluster_network.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/gpu/common/window.hpp>
#include <warpkit/gpu/core/core.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/gpu/cta_supply.hpp>
#include <warpkit/gpu/sampled_progress.hpp>
#include <warpkit/gpu/shared_tlb.hpp>
#include <warpkit/lsu/no_data_prefetch.hpp>
#include <warpkit/machine/cluster.hpp>
#include <warpkit/machine/cluster_barriers.hpp>
#include <warpkit/machine/conservation.hpp>
#include <warpkit/machine/core_limits.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/kernel_dispatcher.hpp>
#include <warpkit/machine/kernel_span.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/machine/linked_kernels.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/machine/state_archive.hpp>
#include <warpkit/program/launch_group.hpp>
#include <warpkit/program/stream.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpkit {

/// P is a core_policies.
template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement = cluster_spread>
class core_array {
public:
    using values = core_values<P, CtaChoice, KernelDispatch, ClusterPlacement>;

    core_array() = default;
    /// `latency` is that of the cores' links, in ticks.
    [[gnu::cold]] core_array(gpu_parameters const& p, clock_domain clock, tick latency, values const& v);

    /// Starts kernels at `now`. Throws `error` if one does not fit.
    [[gnu::cold]] void begin(launch_group const& launches, tick now);
    /// The window from tick `begin` to before `end`.
    window window_of(tick begin, tick end) const noexcept {
        return {begin, end, clock_.first_at_or_after(end)};
    }
    /// A window begins: sends the CTAs that leave the dispatcher in it.
    void dispatch(window const& w) { dispatch(clock_.first_at_or_after(w.begin), w.last); }
    /// Advances core `c`, the ends of whose links are given, to the end of the window or, if one of its CTAs finishes
    /// before, to cycle `halfway`; whether through any but idle cycles.
    bool advance(unsigned c, window const& w, cycle halfway, dram::address_mapping const& map,
                 link<packet>& requests, link<packet>& replies);
    /// The same for all cores, one after the other, to each of which a link of both kinds is given; the dispatcher
    /// hears of what finishes. How many were busy. The window may be two in one, the second of which begins in cycle
    /// `halfway` and in which the dispatcher was settled() when the first began.
    unsigned pass(window const& w, cycle halfway, dram::address_mapping const& map, link<packet>* requests,
                  link<packet>* replies);
    /// The tick from `now` on before which nobody here has anything to do. `requests` and `replies` have a link for
    /// each core.
    tick next_event(tick now, link<packet> const* requests, link<packet> const* replies) const noexcept;
    /// The end of a window: calls `f` for each CTA of core `c` that finished in it.
    template <class F>
    void take_finished(unsigned c, F&& f) {
        take_finished(cores_[c], f);
    }
    /// The dispatcher hears of a CTA that has finished; of those of one window in the order of cores.
    void hear(finished_cta const& f) { dispatcher_.finished(f); }
    /// Whether cores share a TLB. Then, when all have come to `now`, it is told what they have asked of it and answers,
    /// at the end of each window, or of every second one. pass() does that itself.
    bool translates() const noexcept { return tlb_.in_use(); }
    [[gnu::noinline]] void translate(tick now);
    /// Whether translate() has something to do: for requests of core `c`; and for those that have been told.
    bool has_asked(unsigned c) noexcept { return !cores_[c].tlb().asked().empty(); }
    bool is_translating() const noexcept { return !tlb_.idle(); }
    /// At the end of the last of some windows: follows kernels at once, and limits, which must be asked in each window
    /// unless they are steady. Throws if nobody gets anywhere.
    void follow(tick now, std::uint64_t windows);
    /// For how many windows at most follow() need not be called.
    std::uint64_t unwatched() const noexcept {
        return limits_.steady() && !dispatcher_.several() && !dispatcher_.done() &&
                       !dispatcher_.has_clusters()
                   ? windows_between_looks_ - windows_ % windows_between_looks_
                   : 1;
    }
    /// In the cycles from `begin` to `end - 1`.
    void dispatch(cycle begin, cycle end);
    /// What the dispatcher will have to do.
    dispatch_outlook outlook() const noexcept { return dispatcher_.outlook(); }
    /// Executes CTAs of a kernel that runs alone; another thread may do so ahead.
    cta_supply& supply() noexcept { return running_[0].supply; }
    /// Whether all CTAs have finished.
    bool finished() const noexcept { return dispatcher_.done(); }
    /// Leaves CTAs out of the timing where `s` wants it: they are executed, and finish at once.
    template <class Sampler>
    void sample(Sampler& s, tick now);
    /// Whether all CTAs have finished, and nothing of theirs is on its way any more that matters to the next kernel.
    bool done() const noexcept { return dispatcher_.done() && !fetching_ahead(); }
    /// What became of each launch.
    std::vector<kernel_span> const& spans() const noexcept { return dispatcher_.spans(); }
    /// Ends the kernels; the core cycles that they took.
    cycle end();
    /// Throws `error` where the kernels that ended, which counted `r`, broke a conservation law, here or in the memory.
    [[gnu::cold]] void check_conservation(run_counters const& r, bool memory_is_idle,
                                          conservation const& in_memory) const;
    /// Of all cores.
    traffic sent() const noexcept {
        traffic t;
        for (auto const& c : cores_) t += c.sent();
        return t;
    }
    std::uint64_t received() const noexcept {
        std::uint64_t bytes = 0;
        for (auto const& c : cores_) bytes += c.received();
        return bytes;
    }

    /// Throws `error`: `why`, and who waits for whom.
    [[noreturn, gnu::cold]] void stuck(std::string const& why, tick now) const;

    /// Core cycles since the kernels began.
    cycle age(tick now) const noexcept { return clock_.first_at_or_after(now) - began_; }
    /// What the choice of block has to say of this grid; null for nothing.
    char const* dispatch_note() const noexcept { return note_of(dispatcher_.choice()); }
    /// The CTAs per core that a limit has decided on for all cores in this kernel; 0 for none.
    unsigned announced_degree() const noexcept { return limits_.announced(); }
    /// What that core's limit had seen; nothing where none has decided, or it does not tell.
    degree_report announced_report() const noexcept { return limits_.report(cores_); }
    kernel_progress progress(tick now) const noexcept {
        return {dispatcher_.finished_count(), dispatcher_.total(), age(now)};
    }
    unsigned size() const noexcept { return static_cast<unsigned>(cores_.size()); }
    heap_array<core<P>> const& cores() const noexcept { return cores_; }
    /// Calls `f(scheduler)` for each warp scheduler of each core.
    template <class F>
    void each_scheduler(F&& f) {
        for (auto& c : cores_) c.each_scheduler(f);
    }
    /// Adds what was counted here.
    [[gnu::cold]] void add_to(run_counters& t) const;

    friend bool operator==(core_array const& a, core_array const& b) {
        return a.cores_ == b.cores_ && a.dispatcher_ == b.dispatcher_ &&
               a.cluster_network_ == b.cluster_network_ && a.cluster_barriers_ == b.cluster_barriers_;
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(cores_, dispatcher_);
    }
    /// (No template, so that it is compiled where the rest is.)
    [[gnu::cold]] void each_stored(state_archive& a);
    std::uint64_t dispatched_ctas() const noexcept { return dispatcher_.total() - dispatcher_.left(); }

    // What the dispatcher asks of its host.
    void took_place(unsigned place, kernel_launch const& launch);
    void cores_share(linked_kernels const* linked) {
        if (linked != nullptr) running_[0].image = kernel_image(linked->program(), numbers_.core);
        for (auto& c : cores_) c.shares(linked);
    }
    cycles_by_cause stalls_of(unsigned launch) const {
        cycles_by_cause sum{};
        for (auto const& c : cores_) c.add_stalls_of(launch, sum);
        return sum;
    }
    void begin_kernel(unsigned c, unsigned place, kernel_launch const& launch, unsigned fit);
    void end_kernel(unsigned c, cycle at) {
        cores_[c].idle_until(at);
        cores_[c].end_kernel();
    }
    bool is_free(unsigned c) const noexcept { return !fetching_ahead(cores_[c]); }
    run_counters counted_on(unsigned c) const {
        run_counters t;
        add_to(t, cores_[c]);
        return t;
    }

private:
    /// A kernel that has a place.
    struct running {
        kernel_image image;
        cta_supply supply;
    };
    kernel_image const& image_on(unsigned c) const noexcept { return running_[place_[c]].image; }
    /// Code and data that were asked for ahead must have come before the next kernel's take their place.
    static bool fetching_ahead(core<P> const& c) noexcept {
        if constexpr (!std::is_same_v<typename P::data_prefetch, no_data_prefetch>)
            if (c.reading_ahead()) return true;
        return c.prefetches_code() && !c.code_idle();
    }
    bool fetching_ahead() const noexcept {
        for (auto const& c : cores_)
            if (fetching_ahead(c)) return true;
        return false;
    }
    static void add_to(run_counters& t, core<P> const& c) {
        t.core += c.counters();
        t.l1i += c.l1i().counters();
        c.add_code_levels_to(t);
        t.l1d += c.l1d().counters();
        t.l1c += c.l1c().counters();
        t.l1t += c.l1t().counters();
        t.tlb += c.tlb().counters();
    }
    template <class F>
    static void take_finished(core<P>& c, F&& f) {
        auto& finished = c.finished();
        if (finished.empty()) return;
        for (auto const& cta : finished) f(cta);
        finished.clear();
    }
    /// CTAs have finished in a window: the dispatcher hears of them. Where that was before `halfway`, it may give the
    /// core another one in the half behind, before which that has `stopped`.
    [[gnu::noinline]] void hear_finished(window const& w, cycle halfway, bool stopped,
                                         dram::address_mapping const& map, link<packet>* requests,
                                         link<packet>* replies);
    /// What cores have told others of their cluster in the window that ends at `now`, and what their warps did to its
    /// barrier.
    [[gnu::noinline]] void exchange(tick now);
    /// Answers its warp instructions.
    std::uint64_t send_cta(unsigned place, unsigned c, std::uint64_t cta, cycle at) {
        auto stream = cores_[c].take_stream();
        running_[place].supply.take(cta, stream);
        auto const before = dispatched_.instructions;
        for (auto const& w : stream.warps) dispatched_ += w;
        cta = dispatcher_.on_core(place, cta, stream);
        auto const& cluster = dispatcher_.cluster(place);
        if (cluster) cluster_barriers_.joined(cluster, live_warps(stream));
        cores_[c].launch(at, cta, std::move(stream), cluster);
        return dispatched_.instructions - before;
    }

    std::uint64_t issued() const noexcept {
        std::uint64_t n = 0;
        for (auto const& c : cores_) n += c.instructions_issued();
        return n;
    }

    /// For a report: the first barrier of a cluster at which some have arrived, and who has not.
    [[gnu::cold]] std::string who_waits_in_clusters() const;

    static constexpr cycle patience_ = 1'000'000;
    static constexpr std::uint64_t windows_between_looks_ = 1024; // at whether anybody gets anywhere

    gpu_parameters numbers_;
    clock_domain clock_;
    heap_array<core<P>> cores_;
    kernel_dispatcher<CtaChoice, KernelDispatch, ClusterPlacement> dispatcher_;
    std::vector<unsigned> stopped_; ///< cores, while the dispatcher hears of what has finished
    core_limits<typename P::occupancy_limit> limits_;
    std::vector<running> running_ = std::vector<running>(1); ///< by place
    heap_array<unsigned> place_;                             ///< of the kernel that a core has
    cycle began_ = 0;
    stream_size dispatched_;          ///< of these kernels, but for what was left out
    stream_size dispatched_at_gap_;   ///< when CTAs were left out for the last time
    std::uint64_t issued_before_ = 0; ///< these kernels
    std::uint64_t seen_instructions_ = 0;
    tick stalled_since_ = 0;
    std::uint64_t windows_ = 0;
    shared_tlb tlb_;
    cluster_network cluster_network_;
    cluster_barriers cluster_barriers_;
    std::vector<cluster_arrival> arrivals_; ///< of a window
};

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::core_array(gpu_parameters const& p,
                                                                       clock_domain clock, tick latency,
                                                                       values const& v)
    : numbers_(p),
      clock_(clock),
      cores_(heap_array<core<P>>::of(p.core.count,
                                     [&](std::size_t c) {
                                         fresh_memory::begin_component();
                                         return core<P>(static_cast<unsigned>(c), p, clock, v);
                                     })),
      dispatcher_(p, clock.first_at_or_after(latency), v.cta_choice, v.kernel_dispatch, v.cluster_placement),
      limits_(p.core.count, v.occupancy_limit, p.core.kernels > 1 && shares_cores(v.kernel_dispatch)),
      place_(p.core.count),
      tlb_(p.tlb, clock.first_at_or_after(latency)),
      cluster_network_(p) {
    check_cluster_latency(p);
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
void core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::begin(launch_group const& launches,
                                                                       tick now) {
    for (auto const& c : cores_)
        if (!c.table().clear()) refuse_to_begin(launches.front().launch);
    began_ = clock_.first_at_or_after(now);
    dispatched_ = dispatched_at_gap_ = {};
    issued_before_ = issued();
    for (auto& c : cores_) c.begin(began_);
    limits_.begin(launches.size() > 1);
    dispatcher_.begin(numbers_, launches, began_, *this);
    stalled_since_ = now;
    seen_instructions_ = 0;
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
void core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::took_place(unsigned place,
                                                                            kernel_launch const& launch) {
    if (place >= running_.size()) running_.resize(place + 1);
    if (!dispatcher_.shared()) running_[place].image = kernel_image(*launch.program, numbers_.core);
    running_[place].supply = cta_supply(launch, !dispatcher_.several() && dispatcher_.keeps_order());
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
void core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::begin_kernel(unsigned c, unsigned place,
                                                                              kernel_launch const& launch,
                                                                              unsigned fit) {
    place_[c] = place;
    cores_[c].begin_kernel(running_[place].image, began_on(numbers_, launch, fit, c),
                           dispatcher_.has_clusters());
    limits_.begin(c, cores_[c].occupancy_limit(), fit);
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
void core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::dispatch(cycle begin, cycle end) {
    dispatcher_.run(begin, end, limits_, [&](unsigned place, unsigned c, std::uint64_t cta, cycle at) {
        return send_cta(place, c, cta, at);
    });
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
bool core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::advance(unsigned c, window const& w,
                                                                         cycle halfway,
                                                                         dram::address_mapping const& map,
                                                                         link<packet>& requests,
                                                                         link<packet>& replies) {
    return cores_[c].advance(w, halfway, image_on(c), map, requests, replies);
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
unsigned core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::pass(window const& w, cycle halfway,
                                                                          dram::address_mapping const& map,
                                                                          link<packet>* requests,
                                                                          link<packet>* replies) {
    unsigned busy = 0;
    bool finished = false;
    auto const stop = dispatcher_.left() != 0 ? halfway : 0;
    auto *request = requests, *reply = replies;
    auto const* place = place_.data();
    for (auto& c : cores_) {
        if (c.advance(w, stop, running_[*place++].image, map, *request, *reply)) {
            ++busy;
            finished = finished || !c.finished().empty();
        }
        ++request;
        ++reply;
    }
    if (finished) hear_finished(w, halfway, stop != 0, map, requests, replies);
    if (tlb_.in_use()) [[unlikely]]
        translate(w.end);
    return busy;
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
void core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::hear_finished(
    window const& w, cycle halfway, bool stopped, dram::address_mapping const& map, link<packet>* requests,
    link<packet>* replies) {
    stopped_.clear();
    for (unsigned c = 0; c < cores_.size(); ++c) {
        auto& f = cores_[c].finished();
        if (f.empty() || f.front().at >= halfway) continue;
        auto late = f.begin();
        for (; late != f.end() && late->at < halfway; ++late) hear(*late);
        f.erase(f.begin(), late);
        stopped_.push_back(c);
    }
    if (!stopped_.empty()) {
        dispatch(halfway, w.last);
        for (auto const c : stopped_)
            if (stopped) cores_[c].advance(w, 0, image_on(c), map, requests[c], replies[c]);
    }
    for (auto& c : cores_) take_finished(c, [this](finished_cta const& f) { hear(f); });
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
tick core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::next_event(
    tick now, link<packet> const* requests, link<packet> const* replies) const noexcept {
    auto const dispatch = dispatcher_.next_event(clock_.first_at_or_after(now));
    auto next = dispatch == never ? never : clock_.at(dispatch);
    if (tlb_.in_use() && !tlb_.idle() && clock_.at(tlb_.next()) < next) next = clock_.at(tlb_.next());
    if (auto const message = cluster_network_.next(); message != never && clock_.at(message) < next)
        next = clock_.at(message);
    for (unsigned c = 0; c < cores_.size(); ++c) {
        auto const t = cores_[c].next_event(requests[c], replies[c]);
        if (t < next) next = t;
        if constexpr (asks_samples<typename P::occupancy_limit>) {
            // At the end of a window: so the one before it must not be skipped.
            auto const sample = cores_[c].occupancy_limit().next_sample();
            if (limits_.steady() || sample == never) continue;
            auto const before = clock_.at(sample == 0 ? 0 : sample - 1);
            if (before < next) next = before < now ? now : before;
        }
    }
    return next;
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
void core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::follow(tick now, std::uint64_t windows) {
    if (dispatcher_.has_clusters()) [[unlikely]]
        exchange(now);
    if (dispatcher_.several()) dispatcher_.follow(numbers_, clock_.first_at_or_after(now), *this);
    if (!limits_.steady() && limits_.follow(cores_, clock_.first_at_or_after(now))) dispatcher_.reconsider();
    windows_ += windows;
    if (windows_ % windows_between_looks_ != 0) return;
    auto const now_issued = issued();
    if (now_issued != seen_instructions_ || dispatcher_.next_event(clock_.first_at_or_after(now)) != never) {
        seen_instructions_ = now_issued;
        stalled_since_ = now;
    } else if (now > stalled_since_ + clock_.at(patience_)) {
        stuck(joined({"no instruction was issued for ", patience_, " core cycles"}), now);
    }
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
void core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::translate(tick now) {
    for (unsigned c = 0; c < cores_.size(); ++c) {
        auto& asked = cores_[c].tlb().asked();
        for (auto const& a : asked) tlb_.ask(a.at, c, a.page);
        asked.clear();
    }
    tlb_.answer_before(clock_.first_at_or_after(now),
                       [this](unsigned c, cycle at, std::uint64_t page) { cores_[c].page_comes(at, page); });
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
void core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::exchange(tick now) {
    arrivals_.clear();
    for (auto& c : cores_) {
        for (auto const& m : c.messages()) cluster_network_.send(m.at, m.what);
        c.messages().clear();
        auto& told = c.cluster_arrivals();
        arrivals_.insert(arrivals_.end(), told.begin(), told.end());
        told.clear();
    }
    cluster_network_.run(clock_.first_at_or_after(now),
                         [this](cycle at, cluster_message const& m) { cores_[m.to].message_comes(at, m); });
    std::stable_sort(arrivals_.begin(), arrivals_.end(),
                     [](auto const& a, auto const& b) { return a.at < b.at; });
    for (auto const& a : arrivals_)
        cluster_barriers_.take(a, [&](cluster_barriers::barrier const& b) {
            for (unsigned c = 0; c < cores_.size(); ++c)
                if (is_on(b.cluster, c))
                    cores_[c].cluster_opens(a.at + numbers_.cluster.barrier_latency, a.cluster);
        });
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
template <class Sampler>
void core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::sample(Sampler& s, tick now) {
    sampled_progress p;
    p.age = age(now);
    p.warp_instructions = issued() - issued_before_;
    p.finished = dispatcher_.finished_count() - dispatcher_.skipped_count();
    p.left = dispatcher_.left();
    p.resident = dispatcher_.total() - dispatcher_.finished_count() - p.left;
    auto const wanted = s.look(p);
    if (wanted == 0) return;
    auto const timed = dispatched_ - dispatched_at_gap_;
    std::uint64_t alike = 0;
    stream_size wave; // not yet known to be like what was timed
    std::uint64_t count = 0;
    cta_stream stream;
    auto const ctas = dispatcher_.skip(wanted, clock_.first_at_or_after(now), [&](std::uint64_t cta) {
        supply().take(cta, stream);
        for (auto const& w : stream.warps) wave += w;
        if (++count % s.wave() != 0) return true;
        if (!s.alike(timed, wave)) return false;
        alike += std::exchange(wave, {}).instructions;
        return true;
    });
    bool const unlike = wave.instructions != 0 && !s.alike(timed, wave);
    if (!unlike) alike += std::exchange(wave, {}).instructions;
    dispatched_at_gap_ = dispatched_;
    s.skipped(p, ctas, alike, wave.instructions);
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
cycle core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::end() {
    return dispatcher_.end(*this) - began_;
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
void core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::check_conservation(
    run_counters const& r, bool memory_is_idle, conservation const& in_memory) const {
    auto const broken = [&](std::initializer_list<message_part> what) {
        throw error({dispatcher_.names(), ": conservation broken: ", joined(what),
                     "; this is a bug in the model or in one of its policies"});
    };
    if (r.core.warp_instructions != dispatched_.instructions)
        broken({dispatched_.instructions, " warp instructions dispatched, ", r.core.warp_instructions,
                " issued"});
    std::uint64_t causes = 0;
    for (auto const n : r.core.cause) causes += n;
    if (causes != r.core.cycles * numbers_.core.schedulers)
        broken({r.core.cycles * numbers_.core.schedulers, " scheduler cycles, but causes for ", causes});
    for (unsigned c = 0; c < cores_.size(); ++c)
        if (!cores_[c].idle() || !cores_[c].scoreboard_clear())
            broken({"core ", c, " has something outstanding at the end"});
    conservation b;
    for (unsigned c = 0; c < cores_.size(); ++c) {
        auto const what = joined({"bytes that core ", c, " asked for, and was answered"});
        b.flow(what.c_str(), cores_[c].asked(), cores_[c].received(), memory_is_idle);
        b.part(joined({"core ", c}), cores_[c].conserved());
    }
    b.same("CTAs, finished but for those left out of the timing", r.core.ctas,
           dispatcher_.finished_count() - dispatcher_.skipped_count());
    b.same("page walks under way at the end", !tlb_.idle(), 0);
    b.same("messages of clusters under way at the end", cluster_network_.under_way(), 0);
    b.same("warps at barriers of clusters at the end", !cluster_barriers_.empty(), 0);
    b.same("pages that cores asked for, and that the shared TLB looked up", r.tlb.l1_misses,
           r.tlb.l2_hits + r.tlb.l2_misses);
    b.at_most("page walks, and misses of the shared TLB", r.tlb.walks, r.tlb.l2_misses);
    b.same("CTAs that the dispatcher waits for", dispatcher_.resident(), 0);
    b.same("cycles of all cores", r.core.cycles, r.cycles * cores_.size());
    b.part("memory", in_memory);
    if (!b.broken().empty()) broken({b.broken()});
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
void core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::stuck(std::string const& why,
                                                                       tick now) const {
    auto const text = joined({dispatcher_.names(), " is stuck at core cycle ", age(now), ": ", why, "; "});
    for (unsigned c = 0; c < cores_.size(); ++c)
        if (!cores_[c].idle())
            throw error({text, "core ", c, ": ", cores_[c].whom_it_waits_for(dispatcher_.program_on(c)),
                         who_waits_in_clusters()});
    throw error({text, dispatcher_.total() - dispatcher_.finished_count(),
                 " CTAs are left, but the dispatcher gives them to nobody"});
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
std::string core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::who_waits_in_clusters() const {
    std::string text;
    cluster_barriers_.each([&](cluster_barriers::barrier const& b) {
        if (b.arrived == 0 || !text.empty()) return;
        text = joined({"; the barrier of a cluster of ", b.cluster.ctas, " CTAs, of which ", b.phases,
                       b.phases == 1 ? " phase is over, " : " phases are over, ", b.arrived, " of ", b.live,
                       " warps have reached:"});
        for (unsigned c = 0; c < cores_.size(); ++c)
            cores_[c].ctas().each_in_cluster(
                b.cluster.id, b.phases, cores_[c].table(),
                [&](std::uint64_t cta, warp_set const& missing, warp_set const& waiting) {
                    text += joined({" CTA ", cta, " on core ", c, ": ", waiting.size(), " wait there"});
                    if (missing)
                        text += joined({", ", missing.size(), " have not come (first: warp ",
                                        missing.first().index(), ")"});
                    text += ';';
                });
        text.pop_back();
    });
    return text;
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
void core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::each_stored(state_archive& a) {
    a.template require_members<typename P::observer>();
    a(cores_, dispatcher_, limits_, place_, began_, dispatched_, dispatched_at_gap_, issued_before_,
      seen_instructions_, stalled_since_, windows_, tlb_, cluster_network_, cluster_barriers_,
      running_[0].supply);
}

template <class P, class CtaChoice, class KernelDispatch, class ClusterPlacement>
void core_array<P, CtaChoice, KernelDispatch, ClusterPlacement>::add_to(run_counters& t) const {
    for (auto const& c : cores_) add_to(t, c);
    t.tlb += tlb_.counters();
}

} // namespace warpkit
