#pragma once
/// \file
/// One core (streaming multiprocessor; docs/model/core.md): front end, issue, scoreboard or control bits,
/// resident CTAs.

#include <warpkit/base/listen.hpp>
#include <warpkit/base/one_of.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/fetch/no_prefetch.hpp>
#include <warpkit/machine/async_copies.hpp>
#include <warpkit/machine/asynchronous_units.hpp>
#include <warpkit/machine/cluster.hpp>
#include <warpkit/machine/code_caches.hpp>
#include <warpkit/machine/cta_barriers.hpp>
#include <warpkit/machine/cta_notices.hpp>
#include <warpkit/machine/dependence_counters.hpp>
#include <warpkit/machine/hazard.hpp>
#include <warpkit/machine/linked_kernels.hpp>
#include <warpkit/machine/transaction_barriers.hpp>
#include <warpkit/program/issue_class.hpp>
#include <warpkit/program/launch_footprints.hpp>
#include <warpkit/reference/link.hpp>
#include <warpkit/reference/load_store_unit.hpp>
#include <warpkit/reference/operand_collector.hpp>
#include <warpkit/reference/read_stages.hpp>
#include <warpkit/warp/concepts.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

namespace warpkit::reference {

/// P is a core_policies.
template <class P>
class core {
public:
    template <class Values>
    core(unsigned id, gpu_parameters const& p, tick period, Values const& values)
        : id_(id),
          n_(p),
          period_(period),
          warps_(p.core.threads / lanes),
          ctas_(p.core.ctas),
          collectors_(p.core),
          stages_(p.core),
          icache_(make_cache<cache_of<typename P::instruction_cache>>("l1i", p.l1i, {}, p.policy_parameters)),
          fetched_from_(p.core.threads / lanes),
          schedulers_(p.core.schedulers, values.warp_scheduler),
          load_store_(p, values, id),
          fetch_order_(values.fetch_order),
          code_(p),
          prefetch_(code_.has_l0() ? p.core.sub_cores : 1, values.instruction_prefetch),
          limit_(values.occupancy_limit),
          observer_(values.observer) {
        units_.resize(p.core.sub_cores);
        for (auto& of_sub_core : units_)
            for (unsigned k = 0; k < unit_kind_count; ++k)
                of_sub_core[k].resize(units_of(p.core, static_cast<unit_kind>(k)) / p.core.sub_cores);
    }

    // ---- the dispatcher's end

    /// The time between kernels, up to `at`, is nobody's.
    void begin(cycle at) { accounted_ = at; }
    /// Prepares for the kernel that this core has next; nothing is resident.
    void begin_kernel(static_program const& program, kernel_began const& began) {
        program_ = &program;
        load_store_.begin_kernel(began.ctas_per_core, began.warps_per_cta);
        copies_ = async_copies(n_.core.threads / lanes);
        units_beside_ = uses_async_units(program)
                            ? asynchronous_units(asynchronous_machine(n_), n_.core.threads / lanes)
                            : asynchronous_units();
        control_ = dependence_counters<calendar>(n_.core.threads / lanes);
        load_store_.invalidate(began.l1_lines); // but the L1I keeps what it has, as in GPGPU-Sim
        pressure_ = {};
        before_ = counters();
        footprints_ = began.addresses == nullptr ? launch_footprints()
                                                 : launch_footprints(*began.addresses, n_.l1d.line);
        tell(began);
        grant();
        for (unsigned s = 0; s < schedulers_.size(); ++s) {
            scheduler_began const e{s, n_.core.schedulers, owned(s)};
            notify(e, schedulers_[s], observer_);
        }
    }
    void end_kernel(cycle at) {
        account_for_empty_cycles(at);
        tell(kernel_ended{});
        openings_ = calendar<std::uint64_t>(); // of clusters whose warps have all gone
    }
    /// A CTA comes, before this core has its turn in cycle `when`.
    void launch(cycle when, std::uint64_t linear_id, cta_stream stream, cta_cluster const& cluster = {}) {
        now_ = when;
        if (resident_ == 0) account_for_empty_cycles(now_);
        unsigned c = 0;
        while (ctas_[c].busy) ++c;
        auto& cta = ctas_[c] = {};
        cta.busy = true;
        cta.linear_id = linear_id;
        cta.cluster = cluster;
        for (auto free = free_slots(); cta.warps.size() < stream.warps.size(); free.erase(free.first()))
            cta.warps.insert(free.first());
        cta.transactions = transaction_barriers(std::move(stream.phases));
        cta.stream = std::move(stream);
        ++resident_;
        cta.warps.for_each([&, in_cta = 0U](warp_slot w) mutable {
            auto& warp = at(w) = {};
            warp.cta = c;
            warp.in_cta = in_cta++;
            warp.next = stream_cursor(stream_of(warp));
            warp.live = !warp.next.done();
            copies_.launch(w);
            if (units_beside_.in_use()) units_beside_.launch(w);
            control_.launch(w);
            if (warp.live) cta.live.insert(w);
        });
        cta.unfinished = cta.live.size();
        load_store_.disown(cta.warps);
        load_store_.exited(cta.warps - cta.live);
        tell(cta_launched{cta_slot{c}, linear_id, cta.live, now_});
        if (footprints_.arrays() != 0)
            cta.live.for_each([&](warp_slot w) {
                tell(footprint_known{w, footprints_.of(linear_id, at(w).in_cta)});
            });
        if (cta.unfinished == 0) retire(c);
    }
    std::vector<finished_cta>& finished() { return finished_; }
    auto& occupancy_limit() { return limit_; }
    auto const& occupancy_limit() const { return limit_; }
    /// Tells the limit this core's counters if it wants them now.
    void sample(cycle now) {
        if constexpr (asks_samples<typename P::occupancy_limit>)
            if (now >= limit_.next_sample()) {
                limit_.on(sample_of(before_, counters(), n_.core.schedulers, now));
                grant();
            }
    }

    // ---- a cycle

    /// Back to front: what a stage makes is seen by the next one a cycle later.
    void tick(warpkit::tick t, dram::address_mapping const& map, link<packet>& requests,
              link<packet>& replies) {
        if (t % period_ != 0) return;
        now_ = t / period_;
        if (replies.has_arrived(t)) take_reply(replies.take(t));
        openings_.expire(now_, [this](std::uint64_t cluster) { open(cluster); });
        load_store_.send_answers(now_);
        for (auto const& m : std::exchange(arrived_, {})) load_store_.take_message(now_, m, *this);
        code_.step(now_, icache_, [this](std::uint32_t token) { fetched_.push_back(warp_slot{token}); });
        if (units_beside_.in_use()) units_beside_.tick(now_, *this);
        results_.expire(now_, [this](result const& r) {
            // What memory has brought waits while another result goes to its bank; units' results do not.
            if (!has_banks() || !code(r.instruction).is_memory())
                write(r.warp, r.instruction);
            else if (take_banks(r.warp, r.instruction))
                written(r.warp, r.instruction);
            else
                results_.insert(now_, now_ + 1, r);
        });
        control_.expire(
            now_, [this](warp_slot w) { look_again(w); }, [this](warp_slot w) { operations_ended(w, 1); });
        bool const port = n_.lsu.writeback_port != 0; // then requests leave a cycle later
        if (port) load_store_.write_back(now_, *this);
        if (has_banks()) start_units();
        if (port) send_request(t, map, requests);
        load_store_.tick(now_, *this);
        if (has_banks()) operands([this](auto& o) { o.tick(now_); });
        if (resident_ != 0) issue();
        for (unsigned k = 0; k < n_.core.fetches; ++k) {
            decode();
            fetch();
        }
        served_ = {};
        if (!port) send_request(t, map, requests);
    }

    // ---- what the load/store unit asks of its host, and the units beside the warps do

    /// Results that will be written, or bytes of stores that will be acknowledged.
    void operations_begin(warp_slot w, std::uint32_t n) { at(w).outstanding += n; }
    void operations_ended(warp_slot w, std::uint32_t n) {
        at(w).outstanding -= n;
        if (at(w).outstanding != 0) return;
        if (at(w).fencing) {
            at(w).fencing = at(w).waiting = false;
            tell(unblocked{w, block_reason::fence});
            hold_at_phases(w);
        }
        if (!at(w).live) finish(w);
    }
    /// Without cycles for the way back, the result is written in the cycle in which the data comes.
    void result_at(cycle due, warp_slot w, std::uint32_t instruction) {
        due <= now_ ? write(w, instruction) : results_.insert(now_, due, {w, instruction});
    }
    bool writes(std::uint32_t instruction) const { return code(instruction).destinations != 0; }
    /// It has done with its last instruction: the next one that has all operands, if there is one.
    void hand_over() {
        operands([this](auto& o) {
            auto const* const c = o.front(unit_kind::load_store);
            if (c == nullptr) return;
            load_store_.take(now_, c->number);
            o.pop(*c);
        });
    }
    /// The banks that a result goes to, if each is free in this cycle.
    bool take_banks(warp_slot w, std::uint32_t instruction) {
        return operands([&](auto& o) {
            bool const free = o.can_write(now_, w, code(instruction));
            if (free) o.write(now_, w, code(instruction));
            return free;
        });
    }
    /// It has been: whoever waits for it goes on.
    void written(warp_slot w, std::uint32_t index) {
        auto const& i = code(index);
        at(w).atomics -= is_atomic(i);
        for (unsigned k = 0; k < i.destinations; ++k) at(w).pending.erase(i.destination[k]);
        if (i.control.given) control_.written(w, counter_use(i));
        if (i.async == async_role::copy) copies_.arrive(w, index);
        if (i.async == async_role::arrive) units_beside_.arrived(w, index, *this);
        look_again(w);
        operations_ended(w, 1);
    }
    void look(warp_slot w) { look_again(w); }
    /// An event of a phase of its CTA's mbarriers has come.
    void signal(warp_slot w, std::uint64_t word) {
        auto const phase = phase_name::of(word);
        auto& cta = ctas_[at(w).cta];
        if (!cta.cluster || phase.rank == cta.cluster.rank) return count(cta, phase.phase);
        auto const m = signal_to(cta.cluster, phase, id_, w);
        if (m.to == id_) return signalled(m);
        operations_begin(w, 1);
        load_store_.tell_other(m);
    }
    /// The same of another CTA's, which has told of it.
    void signalled(cluster_message const& m) {
        for (auto& cta : ctas_)
            if (cta.busy && cta.cluster.id == m.cluster && cta.cluster.rank == m.rank)
                return count(cta, m.phase);
    }
    /// A copy or a product of a warp is over.
    void ended(warp_slot w) {
        if (!at(w).live) operations_ended(w, 1);
    }
    /// All policies of the core hear it.
    template <class E>
    void tell(E const& e) {
        for (auto& s : schedulers_) notify(e, s);
        for (auto& p : prefetch_) notify(e, p);
        notify(e, fetch_order_, load_store_.prefetch(), limit_, observer_);
    }

    // ---- other cores of a cluster

    /// What its warps have done to the barriers of clusters in this cycle.
    std::vector<cluster_arrival>& cluster_arrivals() { return cluster_arrivals_; }
    /// That of this cluster opens in cycle `at`.
    void cluster_opens(cycle at, std::uint64_t cluster) { openings_.insert(now_, at, cluster); }
    /// What leaves for others in this cycle.
    std::vector<cluster_message>& messages() { return load_store_.messages(); }
    /// A message that has come in the cycle that begins.
    void message_comes(cluster_message const& m) { arrived_.push_back(m); }

    // ---- accounts

    /// Kernels that share cores will, or null: whole cores.
    void shares(linked_kernels const* linked) {
        linked_ = linked;
        stalls_.assign(linked == nullptr ? 0 : linked->launches(), {});
    }
    cycles_by_cause const& stalls_of(unsigned launch) const { return stalls_[launch]; }
    core_counters counters() const {
        auto c = counters_;
        load_store_.add_to(c);
        return c;
    }
    run_counters counted() const {
        run_counters c;
        c.core = counters();
        c.l1i = icache_.counters();
        code_.add_to(c);
        load_store_.add_to(c);
        return c;
    }
    typename P::observer const& observer() const { return observer_; }
    /// Code or data that was asked for ahead has not come.
    bool fetching_ahead() const {
        bool const code = n_.core.fetch_into_room != 0 || !is_now<fetch::no_prefetch>(prefetch_[0]);
        return load_store_.reading_ahead() || (code && !fetches_nothing());
    }
    auto& translation() { return load_store_.translation(); }
    bool empty() const { return resident_ == 0; }
    /// Nothing resident, nothing under way, no register pending.
    bool idle() const {
        return empty() && load_store_.idle() && arrived_.empty() && fetches_nothing() &&
               units_beside_.idle() &&
               std::all_of(warps_.begin(), warps_.end(), [](auto const& w) { return w.pending.empty(); });
    }

private:
    struct resident_warp {
        bool live = false;       ///< has instructions left
        bool waiting = false;    ///< at a barrier, for a phase of an mbarrier, or at a fence
        bool fencing = false;    ///< at a fence: until its operations have ended
        bool redirected = false; ///< a control transfer has flushed its buffer, which has not been refilled
        hazard blocked = hazard::none; ///< its next instruction waits for a result
        unsigned buffered = 0;         ///< decoded instructions
        unsigned cta = 0;
        unsigned in_cta = 0;
        std::uint32_t outstanding = 0; ///< results not yet written, and bytes of stores not yet acknowledged
        stream_cursor next;
        std::uint32_t atomics = 0; ///< under way
        std::uint32_t phases = 0;  ///< of its cluster's barrier in which it has arrived
        std::map<register_id, bool>
            pending; ///< the scoreboard: what results will be written to; from memory?
    };
    struct resident_cta {
        bool busy = false;
        std::uint64_t linear_id = 0;
        warp_set warps;
        warp_set live;
        unsigned unfinished = 0; ///< warps that are live, or wait for operations to end
        cta_barriers barriers;
        transaction_barriers transactions;
        cta_stream stream;
        cta_cluster cluster;
        std::uint32_t cluster_phases = 0; ///< of its cluster's barrier that are over
        warp_set waiting_in_cluster;      ///< at that barrier
    };
    /// That will be written.
    struct result {
        warp_slot warp;
        std::uint32_t instruction = 0;
    };

    /// Those of no resident CTA.
    warp_set free_slots() const {
        auto free = warp_set::first_n(n_.core.threads / lanes);
        for (auto const& cta : ctas_)
            if (cta.busy) free -= cta.warps;
        return free;
    }
    resident_warp& at(warp_slot w) { return warps_[w.index()]; }
    warp_slot slot_of(resident_warp const& w) const {
        return warp_slot{static_cast<unsigned>(&w - warps_.data())};
    }
    warp_stream const& stream_of(resident_warp const& w) const { return ctas_[w.cta].stream.warps[w.in_cta]; }
    static_instruction const& code(std::uint32_t index) const { return program_->instructions[index]; }
    static_instruction const& next_of(resident_warp const& w) const { return code(w.next.instruction()); }
    /// An arrival at an mbarrier, which is one of shared memory, blocks nobody.
    static bool is_atomic(static_instruction const& i) {
        return i.kind == op_class::atomic && i.async != async_role::arrive;
    }
    bool has_banks() const { return n_.core.register_banks != 0; }
    /// With what reads operands from them.
    template <class F>
    auto operands(F f) {
        return has_collectors(n_.core) ? f(collectors_) : f(stages_);
    }
    /// Or when its operands have been read.
    bool starts_at_issue(unit_kind k) const {
        return !has_banks() || (has_read_stages(n_.core) && has_fixed_latency(k));
    }
    std::uint32_t pc(std::uint32_t index) const { return index * n_.core.instruction_bytes; }
    unit_kind unit_for(static_instruction const& i) const { return warpkit::unit_for(n_.core, i.kind); }
    /// The warps that scheduler `s` picks from, and the units that it issues to.
    warp_set owned(unsigned s) const {
        return warp_set::every(n_.core.schedulers, s) & warp_set::first_n(n_.core.threads / lanes);
    }
    std::vector<cycle>& units(unsigned s, unit_kind k) {
        return units_[s % units_.size()][static_cast<unsigned>(k)];
    }
    template <class Is>
    warp_set those(Is is) const {
        warp_set s;
        for (unsigned i = 0; i < warps_.size(); ++i)
            if (is(warps_[i])) s.insert(warp_slot{i});
        return s;
    }

    /// The limit says how many warps may keep lines.
    void grant() {
        if constexpr (grants_tokens<typename P::occupancy_limit>) load_store_.granted(limit_.tokens());
    }

    // ---- CTAs go, and meet at barriers

    /// `w` has no instructions left.
    void exit(warp_slot w) {
        auto& cta = ctas_[at(w).cta];
        at(w).live = false;
        cta.live.erase(w);
        load_store_.exited(warp_set::range(w.index(), w.index() + 1));
        tell(warp_exited{w});
        if (cta.cluster) cluster_arrivals_.push_back({now_, cta.cluster.id, true, at(w).phases});
        cta.barriers.exited(cta.live.size(), [this](warp_set free) { release(free); });
        if (units_beside_.in_use()) operations_begin(w, units_beside_.under_way(w));
        if (at(w).outstanding == 0) finish(w);
    }
    void finish(warp_slot w) {
        if (--ctas_[at(w).cta].unfinished == 0) retire(at(w).cta);
    }
    void retire(unsigned c) {
        ctas_[c].busy = false;
        --resident_;
        ++counters_.ctas;
        finished_.push_back({ctas_[c].linear_id, now_, id_});
        tell(cta_finished{cta_slot{c}, ctas_[c].linear_id, now_});
    }
    void arrive(warp_slot w, unsigned number, unsigned expected, bool waits) {
        auto& cta = ctas_[at(w).cta];
        tell(barrier_arrived{w, waits});
        cta.barriers.arrive(w, number, expected, waits);
        if (waits) {
            at(w).waiting = true;
            tell(blocked{w, block_reason::barrier});
        }
        cta.barriers.try_open(number, cta.live.size(), [this](warp_set free) { release(free); });
    }
    /// At the barrier of its cluster; waits until phase number `phase` is over, 0: does not.
    void arrive_in_cluster(warp_slot w, std::uint32_t phase) {
        auto& cta = ctas_[at(w).cta];
        if (phase == 0 || at(w).phases < phase) // some lanes have arrived, and the others have gone
            cluster_arrivals_.push_back({now_, cta.cluster.id, false, ++at(w).phases});
        bool const waits = cta.cluster_phases < phase;
        if (waits || phase == 0) tell(barrier_arrived{w, waits});
        if (!waits) return;
        at(w).waiting = true;
        cta.waiting_in_cluster.insert(w);
        tell(blocked{w, block_reason::barrier});
    }
    /// A phase of this cluster's barrier is over.
    void open(std::uint64_t cluster) {
        for (auto& cta : ctas_) {
            if (!cta.busy || cta.cluster.id != cluster) continue;
            ++cta.cluster_phases;
            if (auto const free = std::exchange(cta.waiting_in_cluster, {})) release(free);
        }
    }
    /// The barrier at which they wait has opened.
    void release(warp_set free) {
        free.for_each([&](warp_slot w) { at(w).waiting = false; });
        tell(barrier_released{free});
        free.for_each([&](warp_slot w) { tell(unblocked{w, block_reason::barrier}); });
        free.for_each([&](warp_slot w) { hold_at_phases(w); });
    }
    void count(resident_cta& cta, std::uint32_t phase) {
        units_beside_.count(now_, cta.transactions, cta.warps, phase, [this](warp_slot free) {
            at(free).waiting = false;
            tell(unblocked{free, block_reason::barrier});
        });
    }
    /// `w` waits here until the phases that its next instruction is for are over.
    void hold_at_phases(warp_slot w) {
        auto& warp = at(w);
        if (warp.waiting || warp.buffered == 0 || next_of(warp).async != async_role::await_phase) return;
        for (auto const word : warp.next.words(stream_of(warp), true))
            warp.waiting |= ctas_[warp.cta].transactions.wait(w, phase_name::of(word).phase);
        if (warp.waiting) tell(blocked{w, block_reason::barrier});
    }

    // ---- replies and results

    void take_reply(packet const& p) {
        if (p.kind == packet_kind::instruction) {
            code_.fill(now_, p.address, p.bytes, icache_,
                       [this](std::uint32_t token) { fetched_.push_back(warp_slot{token}); });
        } else if (is_bulk(p)) {
            units_beside_.receive(p, *this);
        } else if (p.kind == packet_kind::write) {
            if (p.token != no_token) operations_ended(warp_slot{p.token}, p.bytes);
        } else {
            if (p.kind != packet_kind::atomic) {
                counters_.load_latency_sum += static_cast<std::uint32_t>(now_) - p.born;
                ++counters_.load_latency_count;
            }
            load_store_.receive(now_, p, *this);
        }
    }
    void write(warp_slot w, std::uint32_t index) {
        if (has_banks()) operands([&](auto& o) { o.write(now_, w, code(index)); });
        written(w, index);
    }

    // ---- what keeps a warp's next instruction from issuing

    /// Works it out for cycle `when`, and tells of a change.
    void judge(warp_slot w, cycle when) {
        auto const& i = next_of(at(w));
        bool const copies = i.async == async_role::wait && copies_.must_wait(w, i.async_groups);
        auto found = copies || waits_for_any_load(at(w)) ? hazard::memory
                     : i.control.given                   ? control_.check(w, i.control, when)
                                                         : by_scoreboard(at(w));
        if (units_beside_.in_use()) found = std::max(found, units_beside_.check(when, w, async_use_of(i)));
        auto const before = std::exchange(at(w).blocked, found);
        if (found == before) return;
        if (before != hazard::none) tell(unblocked{w, reason_of(before)});
        if (found != hazard::none) tell(blocked{w, reason_of(found)});
    }
    /// Something has happened to what its next instruction may wait for.
    void look_again(warp_slot w) {
        if (at(w).buffered != 0) judge(w, now_);
    }
    /// Loads or atomics block (docs/model/issue.md#blocking-loads), and it has one under way.
    bool waits_for_any_load(resident_warp const& w) const {
        if (n_.core.blocking_atomics != 0 && w.atomics != 0) return true;
        return n_.core.blocking_loads != 0 &&
               std::any_of(w.pending.begin(), w.pending.end(), [](auto const& p) { return p.second; });
    }
    /// Registers that it reads or writes are pending.
    hazard by_scoreboard(resident_warp const& w) const {
        auto const& i = next_of(w);
        auto worst = hazard::none;
        auto const look = [&](register_id r) {
            auto const found = w.pending.find(r);
            if (found != w.pending.end() && worst != hazard::memory)
                worst = found->second ? hazard::memory : hazard::other;
        };
        std::for_each_n(i.destination, i.destinations, look);
        std::for_each_n(i.source, i.sources, look);
        return worst;
    }

    // ---- issue

    /// Each scheduler has a turn, and each of its cycles one cause.
    void issue() {
        if (auto const p = load_store_.pressure(); p != pressure_) tell(pressure_ = p);
        bool any = false;
        for (unsigned k = 0; k < schedulers_.size(); ++k) {
            auto const s = static_cast<unsigned>((turn_ + k) % schedulers_.size());
            auto const cause = ask(s);
            account(s, cause, 1);
            if (linked_ != nullptr) account_to_kernel(s, cause);
            any |= cause == cycle_cause::issued;
        }
        ++turn_;
        ++accounted_;
        ++counters_.cycles;
        counters_.issue_cycles += any;
        counters_.memory_block_cycles += !any && all_wait_for_memory();
    }
    void account(unsigned s, cycle_cause cause, cycle n) {
        counters_.cause[static_cast<unsigned>(cause)] += n;
        cycles_spent const e{s, cause, accounted_, n};
        notify(e, schedulers_[s], observer_);
    }
    /// A cycle in which nothing issued is the kernel's of the lowest slot whose warp has the cause.
    void account_to_kernel(unsigned s, cycle_cause cause) {
        auto const has_it = [&](auto const& w) {
            bool const ready = w.buffered != 0 && w.blocked == hazard::none && !w.waiting;
            bool const held = w.blocked != hazard::none && !w.waiting;
            switch (cause) {
            case cycle_cause::issued:
                return false;
            case cycle_cause::structural_memory:
                return ready && next_of(w).is_memory();
            case cycle_cause::structural_other:
            case cycle_cause::throttled:
                return ready;
            case cycle_cause::translation:
                return held && w.blocked == hazard::memory && load_store_.translation().waits(slot_of(w));
            case cycle_cause::raw_memory:
                return held && w.blocked == hazard::memory;
            case cycle_cause::raw_other:
                return held;
            case cycle_cause::sync:
                return w.waiting;
            case cycle_cause::control:
                return w.redirected;
            default:
                return true;
            }
        };
        auto const who = owned(s) & those([&](auto& w) { return w.live && has_it(w); });
        if (who)
            ++stalls_[linked_->launch_of(ctas_[at(who.first()).cta].linear_id)][static_cast<unsigned>(cause)];
    }
    /// Cycles without a CTA are accounted for when one comes, or when the kernel has ended.
    void account_for_empty_cycles(cycle until) {
        if (until <= accounted_) return;
        auto const n = until - accounted_;
        for (unsigned s = 0; s < schedulers_.size(); ++s) account(s, cycle_cause::no_cta, n);
        counters_.cycles += n;
        turn_ += n;
        accounted_ = until;
    }
    /// The cause is the first that applies, judged on the best warp.
    cycle_cause ask(unsigned s) {
        auto const any = [&](auto is) {
            return bool(owned(s) & those([&](auto& w) { return w.live && is(w); }));
        };
        auto const may_issue = [](auto& w) {
            return w.buffered != 0 && w.blocked == hazard::none && !w.waiting;
        };
        auto const finds_unit = [&](auto& w) { return unit_is_free(s, unit_for(next_of(w))); };
        auto const held = [](auto& w) { return w.blocked != hazard::none && !w.waiting; };

        if (!any([](auto&) { return true; })) return cycle_cause::drained;
        auto candidates = owned(s) & those([&](auto& w) { return w.live && may_issue(w) && finds_unit(w); });
        if (candidates) {
            if constexpr (pauses_warps<typename P::occupancy_limit>)
                if (auto const others = candidates - limit_.paused()) candidates = others;
            auto const next = classes(candidates);
            auto const w = pick_warp(schedulers_[s], candidates, next);
            decision_made const e{s, candidates, next, w, now_};
            notify(e, observer_);
            if (w) issue_in_a_row(s, w);
            return w ? cycle_cause::issued : cycle_cause::throttled;
        }
        if (any([&](auto& w) { return may_issue(w) && next_of(w).is_memory(); }))
            return cycle_cause::structural_memory;
        if (any(may_issue)) return cycle_cause::structural_other;
        auto const by_memory = [&](auto& w) { return held(w) && w.blocked == hazard::memory; };
        if (any([&](auto& w) { return by_memory(w) && load_store_.translation().waits(slot_of(w)); }))
            return cycle_cause::translation;
        if (any(by_memory)) return cycle_cause::raw_memory;
        if (any(held)) return cycle_cause::raw_other;
        if (any([](auto& w) { return w.waiting; })) return cycle_cause::sync;
        return any([](auto& w) { return w.redirected; }) ? cycle_cause::control : cycle_cause::fetch;
    }
    bool unit_is_free(unsigned s, unit_kind k) {
        if (has_banks() && !operands([&](auto& o) { return o.has_latch(s % n_.core.sub_cores, k); }))
            return false;
        if (!starts_at_issue(k)) return true;
        if (k == unit_kind::load_store) return load_store_.can_accept();
        auto const& of_kind = units(s, k);
        return std::any_of(of_kind.begin(), of_kind.end(), [this](cycle from) { return from <= now_; });
    }
    /// `w`, which scheduler `s` picked, issues; and, as many as the issue is wide, what it has next, if it can.
    /// Instructions with control bits say themselves when the next one may.
    void issue_in_a_row(unsigned s, warp_slot w) {
        for (unsigned k = 1;; ++k) {
            auto const before = unit_for(next_of(at(w)));
            issue(s, w);
            auto const& warp = at(w);
            if (k == n_.core.issue_width || !warp.live || warp.waiting || warp.buffered == 0) return;
            auto const& next = next_of(warp);
            if (next.control.given || warp.blocked != hazard::none) return;
            auto const unit = unit_for(next);
            if (!unit_is_free(s, unit) || (n_.core.issue_to_different != 0 && unit == before)) return;
        }
    }
    issue_classes classes(warp_set candidates) {
        issue_classes c;
        candidates.for_each([&](warp_slot w) { c.add(w, issue_class_of(next_of(at(w)))); });
        return c;
    }
    /// OWL's MemoryBlockCycles: each live warp waits for memory, or at a barrier or fence for one of its CTA that does.
    bool all_wait_for_memory() const {
        bool any = false;
        for (auto const& w : warps_) {
            if (!w.live) continue;
            any = true;
            if (w.blocked == hazard::memory) continue;
            auto const others =
                those([&](auto& o) { return o.cta == w.cta && o.live && o.blocked == hazard::memory; });
            if (!w.waiting || !others) return false;
        }
        return any;
    }
    void issue(unsigned s, warp_slot w) {
        auto& warp = at(w);
        auto const& stream = stream_of(warp);
        auto const index = warp.next.instruction();
        auto const mask = warp.next.mask();
        auto const& i = code(index);
        ++counters_.warp_instructions;
        counters_.thread_instructions += count_lanes(mask);
        counters_.memory_instructions += i.is_memory();
        counters_.other_instructions += i.kind == op_class::other;
        auto const number =
            has_banks() ? operands([&](auto& o) { return o.issue(w, index, i, unit_for(i)); }) : 0;
        if (i.is_memory())
            load_store_.issue(now_, number, w, index, i, warp.next, stream, ctas_[warp.cta].cluster, *this);
        else
            starts_at_issue(unit_for(i)) ? execute(s, w, index) : operations_begin(w, 1);
        warp.atomics += is_atomic(i);
        for (unsigned k = 0; k < i.destinations; ++k)
            warp.pending[i.destination[k]] = reads_memory(issue_class_of(i));
        if (i.async == async_role::copy) copies_.issue(w, index);
        if (i.async == async_role::commit && mask != 0) copies_.commit(w);
        if (i.control.given)
            operations_begin(
                w, control_.issue(now_, now_ + n_.core.operand_cycles, w, i.control, counter_use(i)));
        bool const in_stream = i.barrier_in_stream && mask != 0;
        auto const its_barrier = in_stream ? warp.next.barrier(stream) : i.barrier;
        auto const expected = in_stream ? warp.next.barrier_warps(stream) : i.barrier_warps;
        if (units_beside_.in_use())
            units_beside_.issue(now_, w, index, async_use_of(i),
                                has_words(i.async) ? warp.next.words(stream, i.is_memory())
                                                   : std::span<std::uint64_t const>(),
                                mask != 0);
        warp.next.advance(stream, i);

        issued const e{w, pc(index), issue_class_of(i), mask, now_};
        for (auto& p : prefetch_) notify(e, p);
        notify(e, schedulers_[s], fetch_order_, load_store_.prefetch(), limit_, observer_);
        if (warp.next.done()) {
            warp.buffered = 0;
            return exit(w);
        }
        auto const next = warp.next.instruction();
        if (i.cluster != cluster_role::none && mask != 0)
            arrive_in_cluster(w, i.cluster == cluster_role::wait ? its_barrier : 0);
        else if (i.kind == op_class::barrier && mask != 0)
            arrive(w, its_barrier, expected, i.barrier_waits);
        if (i.kind == op_class::fence && warp.outstanding != 0) {
            warp.waiting = warp.fencing = true;
            tell(blocked{w, block_reason::fence});
        }
        if (i.kind == op_class::branch) tell(branched{w, pc(index), pc(next), next == i.target});
        if (next != index + 1 && n_.core.perfect_branches == 0) {
            warp.buffered = 0;
            warp.redirected = true;
        } else if (--warp.buffered != 0) {
            look_at_next(w);
        }
    }
    /// In the unit of its kind that is free first.
    void execute(unsigned s, warp_slot w, std::uint32_t index) {
        auto const& i = code(index);
        auto const time = execution_time_of(n_.core, i);
        auto& of_kind = units(s, unit_for(i));
        *std::min_element(of_kind.begin(), of_kind.end()) = now_ + time.initiation;
        if (i.destinations == 0) return;
        operations_begin(w, 1);
        auto const latency = n_.core.operand_cycles + time.latency + n_.core.writeback_cycles;
        results_.insert(now_, now_ + latency, {w, index});
    }

    /// Units take what has its operands, the oldest first, then the load/store unit; then collectors have their cycle.
    void start_units() {
        for (auto const k : collectors_.order)
            for (unsigned s = 0; k != unit_kind::load_store && s < units_.size(); ++s)
                for (auto& unit : units(s, k))
                    operands([&](auto& o) {
                        if (auto const* c = o.front(k, s); c != nullptr && unit <= now_) start(o, *c, unit);
                    });
    }
    template <class Operands, class Entry>
    void start(Operands& from, Entry const& c, cycle& unit) {
        auto const time = execution_time_of(n_.core, code(c.instruction));
        auto const due = now_ + time.latency + n_.core.writeback_cycles;
        auto& booked = buses_[due];
        if (n_.core.result_buses != 0 && booked == n_.core.result_buses && has_collectors(n_.core)) return;
        ++booked;
        buses_.erase(buses_.begin(), buses_.lower_bound(now_));
        unit = now_ + time.initiation;
        if (code(c.instruction).destinations != 0)
            results_.insert(now_, due, {c.warp, c.instruction});
        else
            operations_ended(c.warp, 1);
        from.pop(c);
    }

    // ---- decode and fetch

    /// The instruction at the head of the buffer of `w` is another one; it can issue in the next cycle.
    void look_at_next(warp_slot w) {
        tell(next_decoded{w, pc(at(w).next.instruction())});
        hold_at_phases(w);
        judge(w, now_ + 1);
    }
    bool fetches_nothing() const { return code_.idle(icache_) && fetched_.empty() && !latch_; }
    /// What was fetched goes into its warp's buffer.
    void decode() {
        auto const w = std::exchange(latch_, no_warp);
        if (!w) return;
        auto& warp = at(w);
        fetching_.erase(w);
        auto const index = fetched_from_[w.index()];
        if (!warp.live || index != first_to_fetch(warp)) return; // behind a branch or an exit
        bool const was_empty = warp.buffered == 0;
        warp.buffered += std::min(n_.core.instruction_buffer - warp.buffered,
                                  fetched_together(n_.core, n_.l1i.line, code_begins_at() + pc(index),
                                                   program_->instructions.size() - index));
        warp.redirected = false;
        if (was_empty) look_at_next(w);
        tell(instruction_buffered{w, static_cast<std::uint8_t>(warp.buffered)});
    }
    /// Behind what its buffer has.
    std::uint32_t first_to_fetch(resident_warp const& w) const { return w.next.instruction() + w.buffered; }
    bool wants_fetch(resident_warp const& w) const {
        if (!w.live || n_.core.fetch_into_room == 0) return w.live && w.buffered == 0;
        return w.buffered < n_.core.instruction_buffer && first_to_fetch(w) < program_->instructions.size();
    }
    std::uint64_t code_begins_at() const {
        return code_base + std::uint64_t{program_->code_begin} * n_.core.instruction_bytes;
    }
    /// Serves a miss that has come, else looks up the L1I for one warp, and perhaps asks for the line behind.
    void fetch() {
        if (!fetched_.empty()) {
            latch_ = fetched_.front();
            fetched_.pop_front();
            return;
        }
        auto const candidates = those([this](auto& w) { return wants_fetch(w); }) - fetching_ - served_;
        auto const w = candidates ? fetch_order_.pick(candidates) : no_warp;
        if (!w) return;
        fetched_from_[w.index()] = first_to_fetch(at(w));
        auto const offset = pc(fetched_from_[w.index()]);
        auto const address = code_begins_at() + offset;
        auto& cache = first_level(w);
        auto& prefetch = prefetch_[code_.has_l0() ? code_.sub_core_of(w) : 0];
        auto outcome = cache_outcome::hit;
        if (has_first_level()) // else it is perfect
            outcome = cache
                          .access({.address = address,
                                   .bytes = n_.core.instruction_bytes,
                                   .owner = w,
                                   .token = w.index()})
                          .outcome;
        ++counters_.fetches;
        if (code_.has_l0()) served_ |= warp_set::every(n_.core.sub_cores, code_.sub_core_of(w));
        auto const line = static_cast<std::uint32_t>(address - address % n_.l1i.line - code_begins_at());
        fetched const e{w, offset, line, outcome};
        bool const ahead = prefetch.wants(e, cache.outstanding() + load_store_.data().outstanding());
        notify(e, fetch_order_, prefetch);
        for (unsigned k = 1; ahead && k <= lines_ahead(prefetch); ++k)
            fetch_ahead(line + k * n_.l1i.line, cache, prefetch);
        if (outcome != cache_outcome::reservation_fail) fetching_.insert(w); // or the slot is spent
        if (outcome == cache_outcome::hit) latch_ = w;
    }
    /// Asks for a line that is neither there nor on its way, if the cache has room; nobody waits for it.
    template <class Cache, class Prefetch>
    void fetch_ahead(std::uint32_t line, Cache& cache, Prefetch& prefetch) {
        if (!has_first_level() || line >= pc(static_cast<std::uint32_t>(program_->instructions.size())))
            return;
        cache_access const a{.address = code_begins_at() + line, .bytes = n_.core.instruction_bytes};
        if (cache.probe(a) != cache_outcome::miss || cache.access(a).outcome != cache_outcome::miss) return;
        ++counters_.prefetches;
        prefetched const e{line};
        notify(e, fetch_order_, prefetch);
    }
    /// What a warp's fetches look into.
    auto& first_level(warp_slot w) { return code_.has_l0() ? code_.l0_of(w) : icache_; }
    bool has_first_level() const { return code_.has_l0() || n_.l1i.size != 0; }

    // ---- requests

    /// One packet leaves for the network: of instruction misses, bulk copies or the load/store unit, in this order.
    void send_request(warpkit::tick t, dram::address_mapping const& map, link<packet>& requests) {
        bool const code = code_.has_request(icache_);
        bool const bulk = !code && units_beside_.in_use() && units_beside_.has_request(now_);
        if (!code && !bulk && !load_store_.has_request()) return;
        auto p = code   ? packet_of(code_.request(icache_), 0, packet_kind::instruction)
                 : bulk ? units_beside_.request()
                        : load_store_.request();
        if (!code && p.token != no_token && p.warp != packet{}.warp)
            p.cta = static_cast<std::uint32_t>(ctas_[warps_[p.warp].cta].linear_id);
        p.flits = flits_of(request_bytes(p), n_.network.flit);
        if (!requests.can_send(t, p.flits)) return;
        p.core = static_cast<std::uint16_t>(id_);
        p.slice = static_cast<std::uint16_t>(map.sub_partition(p.address));
        p.born = static_cast<std::uint32_t>(now_);
        requests.send(t, p, p.flits);
        if (bulk) return units_beside_.pop_request(now_, *this);
        code ? code_.pop_request(icache_) : load_store_.pop_request();
    }

    unsigned id_;
    gpu_parameters n_;
    warpkit::tick period_;
    cycle now_ = 0;
    static_program const* program_ = nullptr;
    std::vector<resident_warp> warps_; ///< by slot
    std::vector<resident_cta> ctas_;
    unsigned resident_ = 0;
    std::vector<finished_cta> finished_; ///< since the dispatcher looked
    operand_collector collectors_;
    read_stages stages_;
    std::map<cycle, std::uint32_t> buses_; ///< results of units, by the cycle in which they are written
    cache_of<typename P::instruction_cache> icache_;
    warp_slot latch_;                         ///< between fetch and decode
    warp_set fetching_;                       ///< in the latch, or waiting for a line
    std::vector<std::uint32_t> fetched_from_; ///< by slot: the first instruction of its last fetch
    fifo_queue<warp_slot> fetched_;           ///< whose missing line has come
    std::vector<typename P::warp_scheduler> schedulers_;
    std::uint64_t turn_ = 0; ///< modulo their number: who goes first
    cycle accounted_ = 0;    ///< all cycles before are accounted for
    std::vector<std::array<std::vector<cycle>, unit_kind_count>> units_; ///< by sub-core: when each is free
    calendar<result> results_;
    async_copies copies_;
    asynchronous_units units_beside_; ///< the warps, for kernels that use them
    dependence_counters<calendar> control_;
    load_store_unit<P, core> load_store_;
    typename P::fetch_order fetch_order_;
    code_caches<cache_of<typename P::instruction_cache>, calendar>
        code_;                                               ///< in front of icache_, and behind it
    std::vector<typename P::instruction_prefetch> prefetch_; ///< of each L0, or one
    warp_set served_; ///< of sub-cores whose L0 has been asked in this cycle
    typename P::occupancy_limit limit_;
    typename P::observer observer_;
    memory_pressure pressure_; ///< as last told
    launch_footprints footprints_;
    core_counters counters_;
    core_counters before_;             ///< when the kernel began
    calendar<std::uint64_t> openings_; ///< of the barriers of clusters
    std::vector<cluster_arrival> cluster_arrivals_;
    std::vector<cluster_message> arrived_;
    linked_kernels const* linked_ = nullptr;
    std::vector<cycles_by_cause> stalls_; ///< by launch, where kernels share cores
};

} // namespace warpkit::reference
