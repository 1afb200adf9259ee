#pragma once
/// \file
/// One core (streaming multiprocessor): its parts, and how a cycle goes through them.
///
/// A cycle runs back to front (docs/model/core.md#cycle): replies, results, load/store, issue, decode, fetch, requests.
/// So what one stage makes is seen by the next a cycle later. A core that did nothing sleeps until the next thing that
/// can happen; the cycles between are accounted for in one go.
///
/// In the reference: `core` (reference/core.hpp), whose `tick` is `step` here.

#include <warpkit/base/clock.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/flattened.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/one_of.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/plain_cache.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/fetch/concepts.hpp>
#include <warpkit/fetch/no_prefetch.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/gpu/common/window.hpp>
#include <warpkit/gpu/core/cluster_inbox.hpp>
#include <warpkit/gpu/core/core_conservation.hpp>
#include <warpkit/gpu/core/core_port.hpp>
#include <warpkit/gpu/core/front_end.hpp>
#include <warpkit/gpu/core/issue_stage.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/gpu/core/load_store_unit.hpp>
#include <warpkit/gpu/core/operand_path.hpp>
#include <warpkit/gpu/core/pending_results.hpp>
#include <warpkit/gpu/core/phase_waits.hpp>
#include <warpkit/gpu/core/resident_ctas.hpp>
#include <warpkit/gpu/core/warp_table.hpp>
#include <warpkit/machine/asynchronous_units.hpp>
#include <warpkit/machine/cluster.hpp>
#include <warpkit/machine/conservation.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/program/launch_footprints.hpp>
#include <warpkit/warp/check.hpp>
#include <warpkit/warp/events.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpkit {

/// Its parts, each with the state of its own: resident_ctas, front_end, issue_stage with the execution units,
/// pending_results, load_store_unit and core_port; what they all look at, the warps, is in a warp_table. What is said
/// here is in which order they have their cycle, what an instruction sets going when it issues, and who hears of what.
/// Parts that need others ask the core, their host. P is a core_policies.
template <class P>
class alignas(host_line) core {
    using scheduler_type = typename P::warp_scheduler;
    using front_end_type = front_end<typename P::fetch_order, engine_cache<typename P::instruction_cache>,
                                     typename P::instruction_prefetch>;
    static_assert(check_warp_scheduler<scheduler_type>());
    static_assert(check_fetch_order<typename P::fetch_order>());
    static_assert(check_instruction_prefetch<typename P::instruction_prefetch>());
    static_assert(check_data_prefetch<typename P::data_prefetch>());
    static_assert(check_occupancy_limit<typename P::occupancy_limit>());
    static_assert(check_listener<typename P::observer>());
    template <class E>
    static constexpr bool others_hear =
        hears<typename P::fetch_order, E> || hears<typename P::instruction_prefetch, E> ||
        hears<typename P::data_prefetch, E> || hears<typename P::occupancy_limit, E>;
    template <class E>
    static constexpr bool anyone_hears =
        hears<scheduler_type, E> || others_hear<E> || hears<typename P::observer, E>;
    /// Footprints take time to work out: only for who hears them.
    static constexpr bool tells_footprints_ = anyone_hears<footprint_known>;

public:
    core() = default;
    template <class Values>
    [[gnu::cold]] core(unsigned id, gpu_parameters const& p, clock_domain clock, Values const& values)
        : port_(id, clock, p.network.flit),
          ctas_(id),
          table_(p.core.threads / lanes, p.core.ctas),
          issue_(p.core, values.warp_scheduler),
          front_(p.core, p.l1i, values.fetch_order, values.instruction_prefetch, code_base,
                 p.policy_parameters, typename front_end_type::levels(p)),
          lsu_(p, values.replay_queue, values.coalescer, values.data_prefetch, id),
          limit_(values.occupancy_limit),
          observer_(values.observer),
          id_(id),
          l1_line_(p.l1d.line),
          numbers_(p.core),
          operands_(p.core),
          beside_machine_(p) {}

    // The dispatcher's end; used between windows only.
    /// The time between kernels, up to `at`, is nobody's.
    void begin(cycle at) {
        if (at > now_) now_ = at;
        issue_.begin(now_);
    }
    /// Prepares for the kernel that this core has next, with clusters or without; nothing may be resident.
    void begin_kernel(kernel_image const& image, kernel_began const& began, bool clusters = false) {
        lsu_.begin_kernel(began.ctas_per_core, began.warps_per_cta, clusters);
        ctas_.begin_kernel(table_, clusters);
        results_.begin_kernel(static_cast<unsigned>(table_.warp.size()), image, numbers_,
                              front_.has_levels() || clusters);
        beside_ = image.uses_async_units()
                      ? asynchronous_units(beside_machine_, static_cast<unsigned>(table_.warp.size()))
                      : asynchronous_units();
        front_.begin_kernel(image);
        lsu_.invalidate(began.l1_lines);
        pressure_ = {};
        if constexpr (asks_samples<typename P::occupancy_limit>) before_ = counters();
        if constexpr (tells_footprints_) footprints_ = {began.addresses, l1_line_};
        tell_all(began);
        grant();
        observed_.ask(observer_);
        issue_.begin_kernel(*this);
    }
    void end_kernel() {
        tell_all(kernel_ended{});
        if (!inbox_.opens_any()) return;
        inbox_.forget_openings(); // of clusters whose warps have all gone
        ctas_.expect_nothing();
    }
    /// Room for the streams of the next CTA; hand it back filled with launch().
    cta_stream take_stream() { return ctas_.take_stream(); }
    void launch(cycle at, std::uint64_t linear_id, cta_stream&& stream, cta_cluster const& cluster = {}) {
        ctas_.order(at, linear_id, std::move(stream), cluster);
        if (at < wake_) wake_ = at;
    }
    typename P::occupancy_limit& occupancy_limit() noexcept { return limit_; }
    typename P::occupancy_limit const& occupancy_limit() const noexcept { return limit_; }
    /// Tells the limit this core's counters if it wants them now.
    void sample(cycle now) {
        if constexpr (asks_samples<typename P::occupancy_limit>) {
            if (now < limit_.next_sample()) return;
            limit_.on(sample_of(before_, counters(), numbers_.schedulers, now));
            grant();
        }
    }
    /// CTAs that finished in the last window.
    std::vector<finished_cta>& finished() noexcept { return ctas_.finished(); }

    /// Simulates the cycles of a window or, if a CTA finishes before cycle `halfway`, those before that one; whether
    /// any but idle ones.
    template <class Map>
    [[gnu::always_inline]] bool advance(window const& w, cycle halfway, kernel_image const& image,
                                        Map const& map, link<packet>& requests, link<packet>& replies) {
        if (replies.look(w.end) || wake_ < w.last || port_.requesting() || port_.has_fill())
            return advance_awake(w.last, halfway, image, map, requests, replies);
        sleep_until(w.last);
        return false;
    }
    /// The tick before which this core has nothing to do.
    tick next_event(link<packet> const& requests, link<packet> const& replies) const noexcept {
        auto const next = earliest_work(requests, replies);
        return next == never ? never : port_.clock().at(next);
    }
    /// Accounts for the cycles before `at` of a core without CTAs. It may be ahead, having served late replies.
    void idle_until(cycle at) {
        issue_.empty_until(at, *this);
        if (at > now_) now_ = at;
    }

    core_counters counters() const noexcept {
        core_counters c;
        issue_.add_to(c, ctas_.none() ? 0 : now_);
        c.ctas = ctas_.retired();
        c.warp_instructions = instructions_;
        c.thread_instructions = instructions_ * lanes - idle_lanes_;
        c.memory_instructions = memory_instructions_;
        c.other_instructions = other_instructions_;
        c.load_latency_sum = port_.latency_sum();
        c.load_latency_count = port_.latencies();
        c.fetches = front_.fetches();
        c.prefetches = front_.prefetches();
        c.transactions = lsu_.transactions();
        c.bank_conflict_cycles = lsu_.bank_conflict_cycles();
        c.replays = lsu_.replays();
        c.l1_bypasses = lsu_.bypasses();
        lsu_.ahead().add_to(c);
        return c;
    }
    std::uint64_t instructions_issued() const noexcept { return instructions_; }
    /// Kernels that share cores will, or null: whole cores. Nothing is resident.
    [[gnu::cold]] void shares(linked_kernels const* linked) { issue_.shares(linked); }
    void add_stalls_of(unsigned launch, cycles_by_cause& to) const {
        issue_.add_stalls_of(launch, ctas_.none() ? 0 : now_, to);
    }
    /// The page will be in the TLB in cycle `at`, which is in a window to come.
    void page_comes(cycle at, std::uint64_t page) {
        lsu_.page_comes(at, page);
        if (at < wake_) wake_ = at;
    }
    // Other cores of a cluster; used between windows only.
    /// A message comes, or this cluster's barrier opens, in cycle `at`, which is in a window to come and not before
    /// those told earlier.
    void message_comes(cycle at, cluster_message const& m) {
        inbox_.message_comes(at, m);
        expect(at);
    }
    void cluster_opens(cycle at, std::uint64_t cluster) {
        inbox_.opens(at, cluster);
        expect(at);
    }
    /// What has left, and what warps did to the barriers of clusters, since somebody emptied these lists.
    auto& messages() noexcept { return lsu_.messages(); }
    std::vector<cluster_arrival>& cluster_arrivals() noexcept { return ctas_.arrivals(); }
    resident_ctas const& ctas() const noexcept { return ctas_; }
    cta_cluster const& cluster_of(warp_slot w) const noexcept {
        return ctas_.cluster_of(table_.warp[w.index()].cta);
    }
    auto& tlb() noexcept { return lsu_.tlb(); }
    auto const& tlb() const noexcept { return lsu_.tlb(); }
    auto const& l1d() const noexcept { return lsu_.cache(); }
    auto const& l1c() const noexcept { return lsu_.constants(); }
    auto const& l1t() const noexcept { return lsu_.textures(); }
    auto const& l1i() const noexcept { return front_.cache(); }
    void add_code_levels_to(run_counters& t) const noexcept { front_.add_levels_to(t); }
    typename P::observer const& observer() const noexcept { return observer_; }
    warp_table const& table() const noexcept { return table_; }
    /// For the report of a stuck machine, in which it runs this program.
    [[gnu::cold]] std::string whom_it_waits_for(static_program const& code) const {
        return table_.whom_it_waits_for(code, [this](warp_slot w) { return beside_.lacks(w); });
    }
    /// Calls `f(policy)` for each of its warp schedulers; between windows it may change them.
    template <class F>
    void each_scheduler(F&& f) {
        issue_.each_scheduler(f);
    }
    /// Data that was asked for ahead has not come.
    bool reading_ahead() const noexcept { return lsu_.reading_ahead(); }
    /// No code is asked for.
    bool code_idle() const noexcept { return front_.idle(); }
    bool prefetches_code() const noexcept {
        return front_.fetches_into_room() || !is_now<fetch::no_prefetch>(front_.prefetch());
    }
    /// Nothing resident, nothing under way.
    bool idle() const noexcept {
        return ctas_.next_order() == never && ctas_.none() && inbox_.empty() && results_.empty() &&
               lsu_.idle() && !front_.has_request() && (!front_.has_levels() || front_.idle()) &&
               beside_.idle();
    }
    bool scoreboard_clear() const noexcept { return results_.clear(); }
    /// What has been counted can be, and nobody waits for what was not asked for. While idle().
    [[gnu::cold]] conservation conserved() const {
        conservation b;
        check_core(b, counters(), numbers_, lsu_.ahead().unused());
        check_cache(b, "L1I", l1i());
        front_.each_level([&](char const* name, auto const& cache) { check_cache(b, name, cache); });
        check_cache(b, "L1D", l1d());
        check_cache(b, "L1C", l1c());
        check_cache(b, "L1T", l1t());
        b.same("warps and CTAs in a table where none is", !table_.clear(), 0);
        return b;
    }
    /// Bytes that requests asked for, or gave and want acknowledged.
    std::uint64_t asked() const noexcept { return port_.asked(); }
    /// All requests, and the bytes of all replies.
    traffic const& sent() const noexcept { return port_.sent(); }
    std::uint64_t received() const noexcept { return port_.received(); }

    // What its parts ask of their host.
    cycle now() const noexcept { return now_; }
    void result_at(cycle due, warp_slot w, std::uint32_t instruction) {
        // Without cycles for the way back, in the cycle in which the data comes.
        if (due <= now_) return written_at_once(w, instruction);
        results_.write_at(now_, due, w, instruction);
        if (due < wake_) wake_ = due;
    }
    // With a write-back port.
    bool writes(std::uint32_t instruction) const noexcept { return code_[instruction].writes; }
    bool take_banks(warp_slot w, std::uint32_t instruction) noexcept {
        auto const& more = code_.details(code_[instruction]);
        bool const free = operands_.can_write(now_, w, more);
        if (free) operands_.write(now_, w, more);
        return free;
    }
    [[gnu::noinline]] void written(warp_slot w, std::uint32_t instruction) { write_back(w, instruction); }
    void answer_comes(cycle at) noexcept {
        results_.stages_from(at + 1);
        if (at + 1 < wake_) wake_ = at + 1;
    }
    void operation_begun(warp_slot w) noexcept { ++table_.warp[w.index()].outstanding; }
    void store_begun(warp_slot w, std::uint32_t bytes) noexcept {
        table_.warp[w.index()].outstanding += bytes;
    }
    bool store_ended(warp_slot w, std::uint32_t bytes) { return operation_ended(w, bytes); }
    void pages_waited_for(warp_set const& by) noexcept {
        if (table_.translating == by) return;
        table_.translating = by;
        issue_.changed();
    }
    /// The warps of a CTA are in the table.
    void launched(cta_slot c) {
        issue_.changed();
        auto const& cta = table_.cta[c.index()];
        results_.launch(cta.warps);
        if (beside_.in_use()) cta.warps.for_each([&](warp_slot w) { beside_.launch(w); });
        if constexpr (anyone_hears<l1_evicted> || decltype(lsu_)::minds_warps()) {
            lsu_.disown(cta.warps); // lines that these slots' former warps brought in
            if (auto const none = cta.warps - cta.live) lsu_.exited(none);
        }
        tell_all(cta_launched{c, cta.linear_id, cta.live, now_});
        if constexpr (tells_footprints_)
            if (anyone_hears_now<footprint_known>()) tell_footprints(cta);
    }
    /// They have been let go by a barrier or a fence.
    void let_go(warp_set const& warps) {
        if (beside_.in_use()) warps.for_each([&](warp_slot w) { hold_at_phases(w, code_, table_, *this); });
    }
    void exited(warp_slot w) {
        if (beside_.in_use()) table_.warp[w.index()].outstanding += beside_.under_way(w);
        lsu_.exited(warp_set::range(w.index(), w.index() + 1));
        tell_all(warp_exited{w});
    }
    /// A CTA is about to leave, perhaps the last that is there.
    void retiring(bool last) {
        if (now_ < halfway_) end_ = halfway_;
        issue_.changed();
        if (last) issue_.idle_until(now_, *this);
    }
    /// `w`, which `scheduler` picked, issues.
    [[gnu::always_inline]] void issue(scheduler_type& scheduler, execution_units& units, warp_slot w) {
        issue_.changed();
        auto& warp = table_.warp[w.index()];
        auto const index = warp.at.instruction();
        auto const mask = warp.at.mask();
        auto const& d = code_[index];
        ++instructions_;
        if (mask != all_lanes) idle_lanes_ += lanes - count_lanes(mask);
        if (!d.is_plain)
            return d.is_memory ? issue_memory(scheduler, w, index, d)
                               : issue_other(scheduler, units, w, index, d);
        execute(units, w, warp, index, d);
        bool const straight = warp.at.step();
        if (!straight) warp.at.next_run(table_.stream(w));
        tell_owner(scheduler, issued{w, index * numbers_.instruction_bytes, d.told_as, mask, now_});
        if (!straight)
            goes_on(w, index);
        else if (--warp.buffered == 0)
            leave_buffer(w, warp);
        else
            new_head(w, warp, index + 1, *(&d + 1));
    }
    /// The same on a core that is not of the common kind.
    void issue_parts(scheduler_type& scheduler, execution_units& units, warp_slot w) {
        if (!has_banks()) return issue(scheduler, units, w);
        auto const index = table_.next_instruction(w);
        auto const& d = code_[index];
        auto const& more = code_.details(d);
        auto const number = operands_.issue(now_, w, index, d, more);
        units.control_holds(operands_.has_stages());
        if (operands_.has_stages() && has_fixed_latency(d.unit)) return issue(scheduler, units, w);
        issue_.changed();
        auto const mask = table_.warp[w.index()].at.mask();
        ++instructions_;
        idle_lanes_ += lanes - count_lanes(mask);
        units.take(d.unit, never);
        if (d.is_memory) {
            lsu_.issue_aside(now_, number, w, index, d, table_.warp[w.index()].at, table_.stream(w), *this);
            return memory_issued<false>(scheduler, w, index, d);
        }
        if (d.unit == unit_kind::load_store) {
            lsu_.issue_aside(now_, number, w, index, d, table_.warp[w.index()].at, table_.stream(w), *this);
            return memory_issued<true>(scheduler, w, index, d);
        }
        if (d.writes) reserve(w, d, false);
        operation_begun(w);
        other_issued(scheduler, w, index, d);
    }
    // What the units beside the warps ask.
    void issue_changed() { issue_.changed(); }
    void look(warp_slot w) {
        issue_.changed();
        if (table_.buffered.contains(w)) judge(w, code_[table_.next_instruction(w)], now_);
    }
    void signal(warp_slot w, std::uint64_t word) {
        auto const phase = phase_name::of(word);
        auto const c = table_.warp[w.index()].cta;
        auto const& cluster = ctas_.cluster_of(c);
        if (!cluster || phase.rank == cluster.rank) return count(c, phase.phase);
        auto const m = signal_to(cluster, phase, id_, w);
        if (m.to == id_) return signalled(m);
        store_begun(w, 1);
        lsu_.tell_other(now_, m);
    }
    /// The same of another CTA's, which has told of it.
    void signalled(cluster_message const& m) {
        auto const c = ctas_.find(m.cluster, m.rank, table_);
        if (c != table_.cta.size()) count(c, m.phase);
    }
    void count(unsigned cta, std::uint32_t phase) { count_phase(now_, cta, phase, beside_, table_, *this); }
    void ended(warp_slot w) {
        if (!table_.live.contains(w)) operation_ended(w, 1);
    }
    /// Tells all who hear it (warp/concepts.hpp).
    template <class E>
    void tell_all(E const& e) {
        issue_.tell(e);
        tell_others(e);
    }
    template <class E>
    void tell(warp_slot, E const& e) {
        tell_all(e);
    }
    /// Whether the observer hears E.
    template <class E>
    bool observed() const noexcept {
        return observed_.template has<E>();
    }
    template <class E>
    void observe(E const& e) {
        if constexpr (hears<typename P::observer, E>)
            if (std::is_same_v<E, kernel_began> || observed<E>()) observer_.on(e);
    }

    friend bool operator==(core const&, core const&) = default;
    WARPKIT_STORED_MEMBERS(30)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(id_, now_, wake_, table_, ctas_, front_, issue_, results_, operands_, lsu_, port_, beside_);
    }

private:
    /// Whoever has been answered, and asks for nothing, waits for nothing.
    template <class Cache>
    void check_cache(conservation& b, char const* name, Cache const& cache) const {
        check_cache_of_core(b, name, cache, asked() == received() && !port_.requesting());
    }
    /// The limit says how many warps may keep lines.
    void grant() {
        if constexpr (grants_tokens<typename P::occupancy_limit>) lsu_.granted(limit_.tokens());
    }
    template <class E>
    void tell_owner(scheduler_type& scheduler, E const& e) {
        if constexpr (hears<scheduler_type, E>)
            if (issue_.template heard<E>()) scheduler.on(e);
        tell_others(e);
    }
    template <class E>
    void tell_others(E const& e) {
        front_.tell(e);
        notify(e, lsu_.ahead().policy(), limit_);
        observe(e);
    }
    /// Not what a policy hears that is one of several, of which another is in charge: but for the schedulers.
    template <class E>
    bool anyone_hears_now() const noexcept {
        return issue_.template heard<E>() || others_hear<E> || observed<E>();
    }

    /// It is told in each step; so for who hears it no step is left out while a request waits, nor behind one that has
    /// left.
    bool anyone_hears_pressure() const noexcept { return anyone_hears_now<memory_pressure>(); }
    void tell_pressure() {
        if (anyone_hears_pressure()) {
            auto const p = lsu_.pressure();
            if (p == pressure_) return;
            pressure_ = p;
            tell_all(p);
        }
    }

    void tell_footprints(resident_cta const& cta) {
        auto const& cut = footprints_.get();
        if (cut.arrays() == 0) return;
        cta.live.for_each([&](warp_slot w) {
            tell_all(footprint_known{w, cut.of(cta.linear_id, table_.warp[w.index()].in_cta)});
        });
    }

    // ---- a window
    template <class Map>
    [[gnu::noinline]] bool advance_awake(cycle last, cycle halfway, kernel_image const& image, Map const& map,
                                         link<packet>& requests, link<packet>& replies) {
        if (now_ >= last) return false; // it is ahead
        bool busy = false;
        code_ = image;
        end_ = last;
        halfway_ = halfway;
        wake_for_credit(requests);
        auto reply = next_reply(replies, now_, last, wake_);
        if (wake_ < now_) wake_ = now_;
        for (;; ++now_) { // one branch in a cycle: what comes first is a minimum
            WARPKIT_SHORT_LOOP;
            auto const next = sooner(wake_, reply);
            if (next >= end_) break;
            idle_for(next - now_);
            now_ = next;
            busy = true;
            step(map, requests, replies, reply);
        }
        sleep_until(end_);
        code_ = {};
        end_ = halfway_ = 0;
        return busy;
    }
    /// Nothing happens before the end of the window. Without a CTA, the time is accounted for when one comes.
    /// Abbreviates `core::tick` in each cycle until then.
    void sleep_until(cycle last) {
        if (ctas_.none() || now_ >= last) return;
        idle_for(last - now_);
        now_ = last;
    }
    /// `n` cycles in which nothing changes.
    /// Abbreviates `core::tick`, of which only `core::account` is left.
    void idle_for(cycle n) {
        if (!ctas_.none()) issue_.idle(n, *this);
    }

    // ---- one cycle (its parts are put together here: a call in each costs as much as what it does)
    /// `reply`: the cycle of the next reply.
    template <class Map>
    [[gnu::always_inline]] void step(Map const& map, link<packet>& requests, link<packet>& replies,
                                     cycle& reply) {
        if (ctas_.next_order() <= now_) admit();
        if (reply <= now_) {
            bool const noticed = port_.has_fill() ? fill(reply) : take_reply(replies, reply);
            port_.requesting(port_.requesting() || lsu_.l1d_has_request()); // a fill may evict
            bool const idle = !noticed || (!anyone_hears_pressure() && !issue_.has_changed() &&
                                           !lsu_.due(now_) && !front_.active(table_));
            if (idle && wake_ > now_ &&
                (anyone_hears_pressure() ? !port_.requesting() : port_.next_credit(requests) > now_)) {
                wake_for_credit(requests);
                return idle_for(1);
            }
        }
        if (results_.has_more()) [[unlikely]] {
            if (next_of_cluster() <= now_) hear_others();
            if (front_.has_levels()) step_levels();
            if (beside_.in_use()) step_beside();
            if (lsu_.has_port() && port_.requesting()) send(map, requests);
            expire_more();
            step_stages();
        } else {
            results_.expire(
                now_, [this](pending_results::result const& r)
                          __attribute__((always_inline)) { write_back(r.warp, r.instruction); });
            if (lsu_.due(now_)) {
                lsu_.step(now_, *this);
                port_.requesting(port_.requesting() || lsu_.has_request());
            }
        }
        if (!ctas_.none()) tell_pressure();
        if (!issue_.has_changed() && !issue_.due(now_, lsu_.can_accept()))
            idle_for(1); // nobody can issue, for the same causes
        else if (ctas_.none())
            issue_.rest();
        else
            issue_all();
        decode();
        bool const fetching = front_.fetches(table_);
        if (fetching) {
            if (front_.fetch(table_, lsu_.cache().outstanding())) [[unlikely]]
                after_fetch();
        }
        bool const sent = port_.requesting() && (lsu_.has_port() || send(map, requests));
        if (issue_.has_changed() || (sent && (port_.requesting() || anyone_hears_pressure())) ||
            (fetching && front_.active(table_)))
            wake_ = now_ + 1;
        else if (ctas_.none() && ctas_.next_order() == never && !port_.requesting() && lsu_.ahead().empty() &&
                 !(front_.has_levels() && front_.next_of_levels(now_) != never)) // lines fetched ahead go on
            wake_ = never;
        else {
            wake_ = next_own_event();
            wake_for_credit(requests);
        }
    }
    [[gnu::always_inline]] void decode() {
        if (!front_.has_latched()) return;
        if (front_.fetches_into_room()) [[unlikely]]
            return decode_into_room();
        auto const w = front_.decode(table_);
        auto const index = table_.next_instruction(w);
        new_head(w, table_.warp[w.index()], index, code_[index]);
        if constexpr (hears<scheduler_type, instruction_buffered> ||
                      hears<typename P::observer, instruction_buffered>)
            tell_all(instruction_buffered{w, table_.warp[w.index()].buffered});
    }
    [[gnu::noinline]] void decode_into_room() {
        auto const w = front_.decode_into_room(table_);
        if (!w) return;
        auto& warp = table_.warp[w.index()];
        if (!table_.buffered.has(w)) {
            table_.buffered.insert(w);
            auto const index = table_.next_instruction(w);
            new_head(w, warp, index, code_[index]);
        }
        tell_all(instruction_buffered{w, warp.buffered});
    }
    /// The further fetches of a cycle, each behind a decode; and what the instruction cache asks for.
    [[gnu::noinline]] void after_fetch() {
        for (unsigned k = 1; k < numbers_.fetches; ++k) {
            decode();
            if (!front_.fetches(table_)) break;
            front_.fetch(table_, lsu_.cache().outstanding());
        }
        front_.end_cycle();
        if (front_.has_levels()) results_.stages_from(front_.next_of_levels(now_));
        port_.requesting(port_.requesting() || front_.has_request());
    }
    [[gnu::noinline]] void step_levels() {
        front_.step_levels(now_);
        port_.requesting(port_.requesting() || front_.has_request());
    }
    /// What waits to be sent may find room in this window. What may come later is left to the next one, so that where
    /// windows end makes no difference.
    void wake_for_credit(link<packet> const& requests) noexcept {
        if (!port_.requesting()) return;
        if (auto const credit = port_.next_credit(requests); credit < end_) wake_ = sooner(wake_, credit);
    }
    static cycle sooner(cycle a, cycle b) noexcept { return a < b ? a : b; }
    /// The next cycle in which something of the core's own making can happen, if issue and front end are done for now.
    [[gnu::always_inline]] cycle next_own_event() const noexcept {
        auto const next = sooner(sooner(results_.next(now_), issue_.next()), lsu_.next_event(now_));
        return sooner(next, ctas_.next_order());
    }
    cycle earliest_work(link<packet> const& requests, link<packet> const& replies) const noexcept {
        if (wake_ <= now_) return now_;
        auto const next = sooner(sooner(wake_, port_.clock().first_at_or_after(replies.next_arrival())),
                                 port_.next_credit(requests));
        return next < now_ ? now_ : next;
    }
    [[gnu::noinline]] void admit() {
        if (ctas_.has_come(now_)) {
            if (ctas_.none()) issue_.empty_until(now_, *this);
            ctas_.admit(now_, table_, *this);
        }
        ctas_.expect_nothing();
        ctas_.expect(next_of_cluster());
    }
    /// What comes from other cores of a cluster in this cycle, behind a reply. It is among what has its turn in each
    /// cycle of kernels with clusters (pending_results::has_more).
    [[gnu::noinline]] void hear_others() {
        inbox_.take_openings(now_, [this](std::uint64_t cluster) {
            if (ctas_.open(cluster, table_, *this)) issue_.changed();
        });
        lsu_.send_answers(now_);
        inbox_.take_messages(now_, [this](cluster_message const& m) { lsu_.take_message(now_, m, *this); });
        ctas_.expect_nothing();
        ctas_.expect(next_of_cluster());
    }
    cycle next_of_cluster() const noexcept { return sooner(lsu_.next_answer(), inbox_.next()); }
    void expect(cycle at) noexcept {
        ctas_.expect(at);
        if (at < wake_) wake_ = at;
    }
    [[gnu::always_inline]] void issue_all() { issue_.run(table_, code_, lsu_.can_accept(), *this); }
    template <class Map>
    [[gnu::noinline]] bool send(Map const& map, link<packet>& requests) {
        if (beside_.in_use()) [[unlikely]]
            return send_beside(map, requests);
        return port_.send(now_, map, requests, front_, lsu_, table_);
    }

    /// The same where more has its turn in each cycle.
    [[gnu::noinline]] void expire_more() {
        results_.expire(now_, [this](pending_results::result const& r) {
            if (!has_banks()) return write_back(r.warp, r.instruction);
            auto const w = r.warp;
            auto const index = r.instruction;
            auto const& d = code_[index];
            // What memory has brought waits while another result of the cycle goes to its bank.
            if (d.unit == unit_kind::load_store && !operands_.can_write(now_, w, code_.details(d)))
                results_.write_at(now_, now_ + 1, w, index);
            else
                written_at_once(w, index);
        });
        if (results_.has_control()) expire_control();
        if (lsu_.has_port()) lsu_.write_back(now_, *this);
    }
    [[gnu::noinline]] void written_at_once(warp_slot w, std::uint32_t index) {
        if (has_banks()) operands_.write(now_, w, code_.details(code_[index]));
        write_back(w, index);
    }
    bool has_banks() const noexcept { return numbers_.register_banks != 0; }
    [[gnu::noinline]] void step_beside() {
        beside_.tick(now_, *this);
        port_.requesting(port_.requesting() || beside_.has_request(now_));
    }
    /// Bulk copies go in front of the load/store unit.
    template <class Map>
    [[gnu::noinline]] bool send_beside(Map const& map, link<packet>& requests) {
        bool sent = false;
        if (front_.has_request() || !beside_.has_request(now_)) {
            sent = port_.send(now_, map, requests, front_, lsu_, table_);
        } else if (port_.send_bulk(now_, map, requests, beside_.request(), table_)) {
            sent = true;
            beside_.pop_request(now_, *this);
            results_.stages_from(beside_.next(now_));
        }
        port_.requesting(front_.has_request() || lsu_.has_request() || beside_.has_request(now_));
        return sent;
    }
    /// A reply to a bulk copy; whether any other stage can notice.
    [[gnu::noinline]] bool receive_bulk(packet const& p) {
        if (!beside_.receive(p, *this)) return false;
        results_.stages_from(now_);
        wake_ = sooner(wake_, now_);
        return true;
    }
    [[gnu::noinline]] void begin_beside(warp_slot w, std::uint32_t index, decoded_instruction const& d) {
        auto const& use = code_.details(d).async;
        auto const& at = table_.warp[w.index()].at;
        beside_.issue(now_, w, index, use,
                      has_words(use.role) ? at.words(table_.stream(w), d.unit == unit_kind::load_store)
                                          : std::span<std::uint64_t const>(),
                      at.mask() != 0);
    }
    /// The load/store unit, and operand collectors or read stages around it: units start, it may take an instruction
    /// when it has looked up the L1, and then operands are read.
    [[gnu::noinline]] void step_stages() {
        auto const start = [this](warp_slot w, std::uint32_t index, cycle due) {
            if (code_[index].writes)
                results_.write_at(now_, due, w, index);
            else
                operation_ended(w, 1);
        };
        auto const released = [this](unsigned sub_core, unit_kind k) {
            issue_.units_at(sub_core).release(k);
            issue_.changed();
        };
        auto const load = [this](std::uint64_t number) { lsu_.take(now_, number); };
        operands_.start(now_, code_, start, released);
        auto looked_up = replay_route::wait;
        if (lsu_.due(now_)) looked_up = lsu_.step_l1(now_, *this);
        if (has_banks() && lsu_.room_from() <= now_) operands_.hand_over(now_, load, released);
        if (lsu_.due(now_)) {
            lsu_.step_rest(now_, looked_up, *this);
            port_.requesting(port_.requesting() || lsu_.has_request());
        }
        operands_.step(now_, lsu_.room_from(), released, [this](unsigned sub_core) {
            issue_.units_at(sub_core).control_holds(false);
            issue_.changed();
        });
        auto next = front_.next_of_levels(now_);
        if (beside_.in_use()) next = sooner(next, beside_.next(now_));
        if (has_banks()) next = sooner(next, sooner(operands_.next(), lsu_.next_write_back(now_)));
        results_.stages_at(next);
    }
    [[gnu::noinline]] void expire_control() {
        results_.expire_control(
            now_,
            [this](warp_slot w) {
                issue_.changed();
                if (table_.buffered.contains(w)) judge(w, code_[table_.next_instruction(w)], now_);
            },
            [this](warp_slot w) { operation_ended(w, 1); });
    }

    // ---- what has ended
    /// Whether that was the last one of `w`.
    bool operation_ended(warp_slot w, std::uint32_t amount) {
        auto& warp = table_.warp[w.index()];
        warp.outstanding -= amount;
        if (warp.outstanding != 0) return false;
        operations_ended(w);
        return true;
    }
    [[gnu::noinline]] void operations_ended(warp_slot w) {
        if (ctas_.operations_ended(now_, w, table_, *this)) issue_.changed();
    }
    [[gnu::always_inline]] void write_back(warp_slot w, std::uint32_t instruction) {
        auto const& d = code_[instruction];
        results_.in_classes() ? results_.written(w, d) : written_at_large(w, d);
        auto& warp = table_.warp[w.index()];
        if (table_.hazard.has(w)) judge(w, code_[warp.at.instruction()], now_);
        --warp.outstanding;
        if (table_.awaits_operations(w) && warp.outstanding == 0) operations_ended(w);
    }
    // What is here, in the cycle `reply`, is taken; that becomes the cycle of what comes next. Whether any other stage
    // notices.
    /// The last part of a line, the others of which have been counted.
    bool fill(cycle& reply) {
        lsu_.fill(now_, port_.pop_fill(), *this);
        reply = port_.next_reply(now_);
        return true;
    }
    /// A reply that could not be taken ahead.
    [[gnu::noinline]] bool take_reply(link<packet>& replies, cycle& reply) {
        bool const noticed = receive(replies.front());
        replies.pop(port_.clock().of(now_), 1);
        reply = next_reply(replies, now_ + 1, end_, noticed ? 0 : wake_);
        return noticed;
    }
    /// The cycle of the next reply that somebody can notice; what nobody can is taken, as core_port::take_ahead().
    cycle next_reply(link<packet>& replies, cycle from, cycle last, cycle wake) {
        if (port_.has_fill()) return port_.next_reply(now_);
        return replies.next_arrival() == never ? last : take_ahead(replies, from, last, wake);
    }
    [[gnu::noinline]] cycle take_ahead(link<packet>& replies, cycle from, cycle last, cycle wake) {
        if (anyone_hears_pressure())
            port_.template take_ahead<true>(replies, from, last, wake, lsu_, table_);
        else
            port_.template take_ahead<false>(replies, from, last, wake, lsu_, table_);
        return port_.next_reply(from);
    }
    /// Whether any other stage can notice: a part of what is waited for changes nothing yet.
    bool receive(packet const& p) {
        switch (p.kind) {
        case packet_kind::read:
            port_.count_read(p, now_);
            return lsu_.receive(now_, p, *this);
        case packet_kind::constant:
        case packet_kind::texture:
            port_.count_read(p, now_);
            return lsu_.fill_read_only(now_, p, *this);
        default:
            break;
        }
        port_.count_other(p);
        switch (p.kind) {
        case packet_kind::instruction:
            if (auto const at = front_.fill(p.address, p.bytes, now_); at != never) {
                results_.stages_from(at);
                wake_ = sooner(wake_, at);
            }
            return true;
        case packet_kind::bulk_read:
            return receive_bulk(p);
        case packet_kind::atomic:
            return p.token < first_bulk_token ? lsu_.atomic_done(now_, p, *this) : receive_bulk(p);
        default:
            if (p.token < first_bulk_token) return store_ended(warp_slot{p.token}, p.bytes);
            return p.token != no_token && receive_bulk(p);
        }
    }

    // ---- what an instruction sets going
    [[gnu::noinline]] void issue_memory(scheduler_type& scheduler, warp_slot w, std::uint32_t index,
                                        decoded_instruction const& d) {
        lsu_.issue(now_, w, index, d, table_.warp[w.index()].at, table_.stream(w), *this);
        issue_.lsu_accepts(lsu_.can_accept());
        memory_issued<false>(scheduler, w, index, d);
    }
    /// One that has words of its own in the stream: at an mbarrier.
    [[gnu::noinline]] void issue_at_barrier(scheduler_type& scheduler, warp_slot w, std::uint32_t index,
                                            decoded_instruction const& d) {
        lsu_.issue(now_, w, index, d, table_.warp[w.index()].at, table_.stream(w), *this);
        issue_.lsu_accepts(lsu_.can_accept());
        memory_issued<true>(scheduler, w, index, d);
    }
    template <bool HasWords>
    [[gnu::always_inline]] void memory_issued(scheduler_type& scheduler, warp_slot w, std::uint32_t index,
                                              decoded_instruction const& d) {
        auto& warp = table_.warp[w.index()];
        auto const mask = warp.at.mask();
        ++memory_instructions_;
        reserve(w, d, d.told_as == issue_class::load || d.told_as == issue_class::atomic);
        if (results_.has_control()) begin_controlled(w, d);
        if constexpr (HasWords) {
            begin_beside(w, index, d);
            warp.at.advance_behind_words(table_.stream(w), true);
        } else {
            warp.at.advance(table_.stream(w), true);
        }
        tell_owner(scheduler, issued{w, index * numbers_.instruction_bytes, d.told_as, mask, now_});
        goes_on(w, index);
    }
    /// Neither a plain instruction nor a memory instruction.
    [[gnu::noinline]] void issue_other(scheduler_type& scheduler, execution_units& units, warp_slot w,
                                       std::uint32_t index, decoded_instruction const& d) {
        if (d.unit == unit_kind::load_store) return issue_at_barrier(scheduler, w, index, d);
        execute(units, w, table_.warp[w.index()], index, d);
        other_issued(scheduler, w, index, d);
    }
    [[gnu::always_inline]] void other_issued(scheduler_type& scheduler, warp_slot w, std::uint32_t index,
                                             decoded_instruction const& d) {
        auto& warp = table_.warp[w.index()];
        auto const& stream = table_.stream(w);
        auto const mask = warp.at.mask();
        auto const& more = code_.details(d);
        other_instructions_ += d.kind == op_class::other;
        if (results_.has_control()) begin_controlled(w, d);
        if (more.async.role == async_role::commit && mask != 0) results_.commit_copies(w);
        if (beside_.in_use()) begin_beside(w, index, d);
        auto barrier = more.barrier;
        auto barrier_warps = more.barrier_warps;
        std::uint32_t phase = 0;
        if (d.barrier_in_stream && mask != 0) {
            phase = warp.at.barrier(stream);
            barrier = static_cast<std::uint8_t>(warp.at.barrier(stream));
            barrier_warps = static_cast<std::uint8_t>(warp.at.barrier_warps(stream));
        }
        if (has_words(more.async.role))
            warp.at.advance_behind_words(stream, false);
        else
            warp.at.advance(stream, d.barrier_in_stream);
        tell_owner(scheduler, issued{w, index * numbers_.instruction_bytes, d.told_as, mask, now_});
        if (!warp.at.done()) {
            if (more.cluster != cluster_role::none)
                arrive_in_cluster(w, more.cluster == cluster_role::wait ? phase : 0, mask);
            else if (d.kind == op_class::barrier && mask != 0)
                ctas_.arrive(w, barrier, barrier_warps, more.barrier_waits, table_, *this);
            if (d.kind == op_class::fence && warp.outstanding != 0) ctas_.fence(w, table_, *this);
            auto const next = warp.at.instruction();
            if (d.kind == op_class::branch)
                tell_all(branched{w, index * numbers_.instruction_bytes, next * numbers_.instruction_bytes,
                                  next == more.target});
        }
        goes_on(w, index);
    }
    [[gnu::noinline]] void arrive_in_cluster(warp_slot w, std::uint32_t phase, lane_mask mask) {
        if (mask != 0) ctas_.arrive_in_cluster(now_, w, phase, table_, *this);
    }
    [[gnu::noinline]] void begin_controlled(warp_slot w, decoded_instruction const& d) {
        for (auto n = results_.issued(now_, now_ + numbers_.operand_cycles, w, d, code_); n != 0; --n)
            operation_begun(w);
    }
    [[gnu::always_inline]] void execute(execution_units& units, warp_slot w, resident_warp& warp,
                                        std::uint32_t index, decoded_instruction const& d) {
        units.take(d.unit, now_ + d.initiation);
        if (!d.writes) return;
        reserve(w, d, false);
        ++warp.outstanding;
        results_.write_at(now_, now_ + d.latency, w, index);
    }
    /// `w` has issued instruction `index`, and its cursor has moved on.
    [[gnu::always_inline]] void goes_on(warp_slot w, std::uint32_t index) {
        auto& warp = table_.warp[w.index()];
        auto const& at = warp.at;
        auto const next = at.done() ? index : at.instruction();
        if (at.done()) {
            leave_buffer(w, warp);
            warp_ends(w);
        } else if (next != index + 1 && numbers_.perfect_branches == 0) {
            leave_buffer(w, warp);
            table_.redirected.insert(w);
        } else if (--warp.buffered == 0) {
            leave_buffer(w, warp);
        } else {
            new_head(w, warp, next, code_[next]);
        }
    }
    [[gnu::noinline]] void warp_ends(warp_slot w) { ctas_.warp_ends(now_, w, table_, *this); }
    [[gnu::always_inline]] void leave_buffer(warp_slot w, resident_warp& warp) {
        warp.buffered = 0;
        table_.buffered.erase(w);
        set_hazard(w, hazard::none);
    }
    /// The first instruction in the buffer of `w` is another one.
    [[gnu::always_inline]] void new_head(warp_slot w, resident_warp& warp, std::uint32_t index,
                                         decoded_instruction const& d) {
        tell_all(next_decoded{w, index * numbers_.instruction_bytes});
        issue_.changed();
        table_.want(w, warp, d.unit);
        judge(w, d, now_ + 1);
    }
    /// Works out what keeps `d`, the first instruction in the buffer of `w`, from issuing at cycle `at` or later.
    [[gnu::always_inline]] void judge(warp_slot w, decoded_instruction const& d, cycle at) {
        set_hazard(w, results_.in_classes() ? results_.check(w, d) : check_at_large(w, d, at));
    }
    [[gnu::always_inline]] void reserve(warp_slot w, decoded_instruction const& d,
                                        bool from_memory) noexcept {
        results_.in_classes() ? results_.reserve(w, d, from_memory) : reserve_at_large(w, d, from_memory);
    }
    // Where registers' classes do not tell all.
    [[gnu::noinline]] hazard check_at_large(warp_slot w, decoded_instruction const& d, cycle at) {
        if (beside_.in_use()) hold_at_phases(w, code_, table_, *this);
        auto const found = results_.check(w, d, code_, at);
        if (!beside_.in_use()) return found;
        auto const other = beside_.check(at, w, code_.details(d).async);
        return other > found ? other : found;
    }
    [[gnu::noinline]] void reserve_at_large(warp_slot w, decoded_instruction const& d,
                                            bool from_memory) noexcept {
        results_.reserve(w, d, code_, from_memory);
    }
    [[gnu::noinline]] void written_at_large(warp_slot w, decoded_instruction const& d) {
        results_.written(w, d, code_);
        if (beside_.in_use() && code_.details(d).async.role == async_role::arrive)
            beside_.arrived(w, code_.index_of(d), *this);
    }
    [[gnu::always_inline]] void set_hazard(warp_slot w, hazard h) {
        if (h != hazard::none || table_.hazard.has(w)) change_hazard(w, h);
    }
    [[gnu::always_inline]] void change_hazard(warp_slot w, hazard h) {
        bool const blocked_before = table_.hazard.has(w);
        bool const by_memory = table_.hazard_memory.has(w);
        if ((h != hazard::none) == blocked_before && (h == hazard::memory) == by_memory) return;
        auto const was = by_memory ? hazard::memory : blocked_before ? hazard::other : hazard::none;
        issue_.changed();
        table_.hazard.assign(w, h != hazard::none);
        table_.hazard_memory.assign(w, h == hazard::memory);
        if (was != hazard::none) tell_all(unblocked{w, reason_of(was)});
        if (h != hazard::none) tell_all(blocked{w, reason_of(h)});
    }

    // In this order few of the host's lines are touched in a cycle: what each looks at is in front, in its parts as
    // well.
    cycle now_ = 0;
    cycle wake_ = never; ///< nothing of the core's own making happens before
    core_port port_;
    resident_ctas ctas_;
    running_kernel code_; ///< while advance() runs
    cycle end_ = 0;       ///< of its window; both 0 between two
    cycle halfway_ = 0;   ///< where it ends if a CTA finishes before
    warp_table table_;
    issue_stage<P> issue_;
    std::uint64_t instructions_ = 0;
    std::uint64_t idle_lanes_ = 0; ///< of them: few have any
    pending_results results_;
    front_end_type front_;
    load_store_unit<typename P::coalescer, engine_cache<typename P::data_cache>, typename P::replay_queue,
                    engine_cache<typename P::constant_cache>, typename P::texture_cache,
                    typename P::data_prefetch>
        lsu_;
    [[no_unique_address]] typename P::occupancy_limit limit_{};
    [[no_unique_address]] typename P::observer observer_{};
    [[no_unique_address]] heard_by<typename P::observer> observed_; ///< of a kernel

    std::uint64_t memory_instructions_ = 0;
    std::uint64_t other_instructions_ = 0;
    memory_pressure pressure_; ///< as last told
    unsigned id_ = 0;
    std::uint32_t l1_line_ = 128;
    core_numbers numbers_;
    operand_path operands_;
    asynchronous_machine beside_machine_;
    asynchronous_units beside_;  ///< the warps, for kernels that use them
    lazy_footprints footprints_; ///< of the running kernel
    core_counters before_;       ///< when the kernel began, for a limit that asks
    cluster_inbox inbox_;        ///< from the others of a cluster
    host_gap gap_;
};

} // namespace warpkit
