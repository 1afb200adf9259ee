#pragma once
/// \file
/// One core (streaming multiprocessor): resident CTAs, fetch, issue, execution units and the load/store unit.
///
/// A cycle runs back to front (SPEC 0.1): replies, results, load/store, issue, decode, fetch, requests. So what one
/// stage makes is seen by the next a cycle later. A core that did nothing sleeps until the next thing that can happen;
/// the cycles between are accounted for in one go.

#include <warpkit/base/clock.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/fetch/concepts.hpp>
#include <warpkit/gpu/counters.hpp>
#include <warpkit/gpu/dependence_counters.hpp>
#include <warpkit/gpu/front_end.hpp>
#include <warpkit/gpu/kernel_image.hpp>
#include <warpkit/gpu/link.hpp>
#include <warpkit/gpu/load_store_unit.hpp>
#include <warpkit/gpu/packet.hpp>
#include <warpkit/gpu/scoreboard.hpp>
#include <warpkit/gpu/timing_wheel.hpp>
#include <warpkit/gpu/warp_table.hpp>
#include <warpkit/program/launch_footprints.hpp>
#include <warpkit/warp/check.hpp>
#include <warpkit/warp/events.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpkit {

/// Where code lies in the address space, as GPGPU-Sim has it (SPEC 3).
inline constexpr std::uint64_t code_base = 0xF0000000;

/// A CTA that left its core.
struct finished_cta {
    std::uint64_t linear_id = 0;
    cycle at = 0;
    unsigned core = 0;
    friend bool operator==(finished_cta const&, finished_cta const&) = default;
};

/// The execution units of one kind: from when on each is free, the soonest first.
class unit_pool {
public:
    unit_pool() = default;
    explicit unit_pool(unsigned units) : free_(units == 0 ? 1 : units, units == 0 ? never : 0) {}

    /// When the first of them is free.
    cycle free_from() const noexcept { return free_[0]; }
    /// The first one is busy until `until`.
    void take(cycle until) noexcept {
        auto* at = free_.data();
        for (auto const* const last = at + free_.size() - 1; at != last;
             ++at) { // without a guess where it goes
            auto const next = at[1];
            *at = next < until ? next : until;
            until = next < until ? until : next;
        }
        *at = until;
    }
    friend bool operator==(unit_pool const&, unit_pool const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(free_);
    }

private:
    std::vector<cycle> free_ = std::vector<cycle>(1, never); ///< never empty; `never` in the place of no unit
};

/// P is a core_policies.
template <class P>
class core {
    using scheduler_type = typename P::warp_scheduler;
    static_assert(check_warp_scheduler<scheduler_type>());
    static_assert(check_fetch_order<typename P::fetch_order>());
    static_assert(check_instruction_prefetch<typename P::instruction_prefetch>());
    static_assert(check_occupancy_limit<typename P::occupancy_limit>());
    static_assert(check_listener<typename P::observer>());
    /// Footprints take time to work out: only for who asks.
    static constexpr bool tells_footprints_ = hears<scheduler_type, footprint_known> ||
                                              hears<typename P::fetch_order, footprint_known> ||
                                              hears<typename P::observer, footprint_known>;

    /// A scheduler, and what it works on.
    struct seat {
        scheduler_type policy;
        warp_set owned;
        cycle_cause cause{}; ///< of its last cycle
        friend bool operator==(seat const&, seat const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(policy);
        }
    };
    /// A CTA on its way from the dispatcher.
    struct launch_order {
        cycle at = 0;
        std::uint64_t linear_id = 0;
        cta_stream stream;
        friend bool operator==(launch_order const&, launch_order const&) = default;
    };
    /// A result that will be written.
    struct result {
        warp_slot warp;
        std::uint32_t instruction = 0;
        friend bool operator==(result const&, result const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(warp, instruction);
        }
    };

public:
    core() = default;
    template <class Values>
    [[gnu::cold]] core(unsigned id, gpu_parameters const& p, clock_domain clock, Values const& values)
        : id_(id),
          numbers_(p.core),
          clock_(clock),
          scheduler_(p.core.schedulers, seat{values.warp_scheduler, {}, {}}),
          limit_(values.occupancy_limit),
          observer_(values.observer),
          table_(p.core.threads / lanes, p.core.ctas),
          front_(p.core, p.l1i, values.fetch_order, values.instruction_prefetch, code_base),
          lsu_(p, values.replay_queue),
          flit_(p.network.flit),
          l1_line_(p.l1d.line) {
        for (unsigned s = 0; s < numbers_.schedulers; ++s)
            scheduler_[s].owned =
                warp_set::every(numbers_.schedulers, s) & warp_set::first_n(p.core.threads / lanes);
        units(unit_kind::sp) = unit_pool(p.core.sp_units);
        units(unit_kind::sfu) = unit_pool(p.core.sfu_units);
        units(unit_kind::dp) = unit_pool(p.core.dp_units);
        for (auto const k : {unit_kind::sp, unit_kind::sfu, unit_kind::dp})
            if (units(k).free_from() > units_free_) units_free_ = units(k).free_from();
    }

    // The dispatcher's end; used between windows only.
    /// Prepares for a kernel; nothing may be resident.
    void begin_kernel(kernel_image const& image, kernel_began const& began, cycle at) {
        if (at > now_) now_ = at; // the time between kernels is nobody's
        counted_ = now_;
        last_retired_ = 0;
        scoreboard_ = scoreboard(static_cast<unsigned>(table_.warp.size()), image.registers());
        control_ = image.has_control() ? dependence_counters(static_cast<unsigned>(table_.warp.size()))
                                       : dependence_counters();
        front_.begin_kernel(image);
        lsu_.invalidate();
        pressure_ = {};
        warps_per_cta_ = began.warps_per_cta;
        if constexpr (asks_samples<typename P::occupancy_limit>) before_ = counters_;
        if constexpr (tells_footprints_)
            footprints_ = began.addresses == nullptr ? launch_footprints()
                                                     : launch_footprints(*began.addresses, l1_line_);
        tell_all(began);
        for (unsigned s = 0; s < numbers_.schedulers; ++s)
            notify(scheduler_began{s, numbers_.schedulers, scheduler_[s].owned}, scheduler_[s].policy,
                   observer_);
    }
    void end_kernel() { tell_all(kernel_ended{}); }
    /// Room for the streams of the next CTA; hand it back filled with launch().
    cta_stream take_stream() {
        if (spare_.empty()) return {};
        auto s = std::move(spare_.back());
        spare_.pop_back();
        return s;
    }
    void launch(cycle at, std::uint64_t linear_id, cta_stream&& stream) {
        if (orders_.empty()) next_order_ = at;
        orders_.push_back({at, linear_id, std::move(stream)});
        if (at < wake_) wake_ = at;
    }
    /// How many CTAs this core may hold now, `fit` of which fit.
    unsigned limit(unsigned fit) const noexcept { return limit_.limit(fit); }
    typename P::occupancy_limit const& occupancy_limit() const noexcept { return limit_; }
    /// Tells the limit this core's counters if it wants them now.
    void sample(cycle now) {
        if constexpr (asks_samples<typename P::occupancy_limit>) {
            if (now < limit_.next_sample()) return;
            auto const c = counters();
            auto const of = [](core_counters const& n) {
                auto const cause = [&](cycle_cause w) { return n.cause[static_cast<unsigned>(w)]; };
                return cause(cycle_cause::drained) + cause(cycle_cause::sync) + cause(cycle_cause::control) +
                       cause(cycle_cause::fetch);
            };
            core_sampled e;
            e.at = now;
            e.warp_instructions = c.warp_instructions - before_.warp_instructions;
            e.idle_cycles = (of(c) - of(before_)) / numbers_.schedulers;
            e.memory_block_cycles = c.memory_block_cycles - before_.memory_block_cycles;
            e.latency_sum = c.load_latency_sum - before_.load_latency_sum;
            e.latencies = c.load_latency_count - before_.load_latency_count;
            limit_.on(e);
        }
    }
    template <class E>
    void tell_limit(E const& e) {
        notify(e, limit_);
    }
    /// The cycle in which the last CTA of this kernel retired; 0 if none has.
    cycle last_retired() const noexcept { return last_retired_; }
    /// CTAs that finished in the last window.
    std::vector<finished_cta>& finished() noexcept { return finished_; }

    /// Simulates all cycles before cycle `last`; whether any but idle ones.
    template <class Map>
    [[gnu::always_inline]] bool advance(cycle last, kernel_image const& image, Map const& map,
                                        link<packet>& requests, link<packet>& replies) {
        if (wake_ < last || requesting_ || replies.next_arrival() != never)
            return advance_awake(last, image, map, requests, replies);
        sleep_until(last);
        return false;
    }
    /// The tick before which this core has nothing to do.
    tick next_event(link<packet> const& requests, link<packet> const& replies) const noexcept {
        auto const next = earliest_work(requests, replies);
        return next == never ? never : clock_.at(next);
    }
    /// Accounts for the cycles before `at` of a core without CTAs. It may be ahead, having served late replies.
    void idle_until(cycle at) {
        count_without_cta(at);
        if (at > now_) now_ = at;
    }

    cycle now() const noexcept { return now_; }
    core_counters counters() const noexcept {
        auto c = counters_;
        if (resident_ != 0) add_cycles(c, now_ - counted_);
        c.fetches = front_.fetches();
        c.prefetches = front_.prefetches();
        c.thread_instructions = c.warp_instructions * lanes - idle_lanes_;
        c.transactions = lsu_.transactions();
        c.bank_conflict_cycles = lsu_.bank_conflict_cycles();
        c.replays = lsu_.replays();
        c.l1_bypasses = lsu_.bypasses();
        return c;
    }
    std::uint64_t instructions_issued() const noexcept { return counters_.warp_instructions; }
    auto const& l1d() const noexcept { return lsu_.cache(); }
    auto const& l1c() const noexcept { return lsu_.constants(); }
    auto const& l1t() const noexcept { return lsu_.textures(); }
    auto const& l1i() const noexcept { return front_.cache(); }
    typename P::observer const& observer() const noexcept { return observer_; }
    warp_table const& table() const noexcept { return table_; }
    /// Calls `f(policy)` for each of its warp schedulers; between windows it may change them.
    template <class F>
    void each_scheduler(F&& f) {
        for (auto& s : scheduler_) f(s.policy);
    }
    /// Nothing resident, nothing under way.
    bool idle() const noexcept {
        return orders_.empty() && resident_ == 0 && results_.empty() && lsu_.idle() && !front_.has_request();
    }
    bool scoreboard_clear() const noexcept { return scoreboard_.clear(); }
    /// Bytes that requests asked for, or gave and want acknowledged.
    std::uint64_t asked() const noexcept { return asked_; }
    /// All requests, and the bytes of all replies.
    traffic const& sent() const noexcept { return sent_; }
    std::uint64_t received() const noexcept { return received_; }

    /// For the report of a stuck machine: what each kind of waiting warp waits for.
    [[gnu::cold]] std::string whom_it_waits_for() const {
        std::string text;
        auto const say = [&text](warp_set const& who, char const* what) {
            if (!who) return;
            text += (text.empty() ? "" : ", ") + std::to_string(who.size()) + " warps " + what +
                    " (first: warp " + std::to_string(who.first().index()) + ")";
        };
        say(table_.waiting - table_.fencing, "wait at a barrier");
        say(table_.fencing, "wait at a fence");
        say((table_.hazard & table_.hazard_memory) - table_.waiting, "wait for memory");
        say(table_.hazard - table_.hazard_memory - table_.waiting, "wait for a result");
        say(ready_warps(), "could issue, but their scheduler or unit does not take them");
        say(table_.live - table_.buffered - table_.waiting, "wait for instructions");
        return text.empty() ? "waits for outstanding stores" : text;
    }

    // What the load/store unit asks of its host.
    void result_at(cycle due, warp_slot w, std::uint32_t instruction) {
        // Without cycles for the way back, in the cycle in which the data comes.
        if (due <= now_) return write_back({w, instruction});
        results_.insert(due, {w, instruction});
        if (due < wake_) wake_ = due;
    }
    void operation_begun(warp_slot w) noexcept { ++table_.warp[w.index()].outstanding; }
    void store_begun(warp_slot w, std::uint32_t bytes) noexcept {
        table_.warp[w.index()].outstanding += bytes;
    }
    bool store_ended(warp_slot w, std::uint32_t bytes) { return operation_ended(w, bytes); }
    template <class E>
    void tell(warp_slot, E const& e) {
        tell_all(e);
    }

    friend bool operator==(core const&, core const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(id_, now_, scheduler_, table_, front_, lsu_, scoreboard_, control_, results_, units_, turn_, wake_);
    }

private:
    // ---- who hears what (warp/concepts.hpp)
    template <class E>
    void tell_all(E const& e) {
        if constexpr (hears<scheduler_type, E>)
            for (auto& s : scheduler_) s.policy.on(e);
        notify(e, front_.order(), front_.prefetch(), limit_, observer_);
    }
    template <class E>
    void tell_owner(seat& s, E const& e) {
        if constexpr (hears<scheduler_type, E>) s.policy.on(e);
        notify(e, front_.order(), front_.prefetch(), limit_, observer_);
    }

    /// It is told in each step; so for who hears it no step is left out while a request waits.
    static constexpr bool anyone_hears_pressure_ =
        hears<scheduler_type, memory_pressure> || hears<typename P::fetch_order, memory_pressure> ||
        hears<typename P::instruction_prefetch, memory_pressure> ||
        hears<typename P::occupancy_limit, memory_pressure> || hears<typename P::observer, memory_pressure>;
    void tell_pressure() {
        if constexpr (anyone_hears_pressure_) {
            auto const p = lsu_.pressure();
            if (p == pressure_) return;
            pressure_ = p;
            tell_all(p);
        }
    }

    // ---- a window
    template <class Map>
    [[gnu::noinline]] bool advance_awake(cycle last, kernel_image const& image, Map const& map,
                                         link<packet>& requests, link<packet>& replies) {
        bool busy = false;
        image_ = &image;
        code_ = image.code();
        auto reply = next_reply(replies, now_, last, wake_);
        while (now_ < last) {
            if (wake_ > now_) {
                auto const next = sooner(sooner(wake_, reply), next_credit(requests));
                if (next >= last) {
                    sleep_until(last);
                    break;
                }
                if (next > now_) {
                    idle_for(next - now_);
                    now_ = next;
                }
            }
            busy = true;
            step(map, requests, replies, reply, last);
            ++now_;
        }
        image_ = nullptr;
        code_ = nullptr;
        return busy;
    }
    /// Nothing happens before the end of the window. Without a CTA, the time is accounted for when one comes.
    void sleep_until(cycle last) {
        if (resident_ == 0 || now_ >= last) return;
        idle_for(last - now_);
        now_ = last;
    }

    // ---- one cycle (its parts are put together here: a call in each costs as much as what it does)
    /// `reply`: the cycle of the next reply; `last`: the end of the window.
    template <class Map>
    [[gnu::always_inline]] void step(Map const& map, link<packet>& requests, link<packet>& replies,
                                     cycle& reply, cycle last) {
        if (next_order_ <= now_) admit_ordered();
        if (reply <= now_) {
            auto const taken = take_reply(replies, last);
            reply = taken.next;
            requesting_ = requesting_ || lsu_.l1d_has_request(); // a fill may evict
            bool const idle = !taken.noticed || (!anyone_hears_pressure_ && !changed_ && !lsu_.due(now_) &&
                                                 !front_.active(table_));
            if (idle && wake_ > now_ &&
                (anyone_hears_pressure_ ? !requesting_ : next_credit(requests) > now_))
                return idle_for(1);
        }
        results_.expire(
            now_, [&](result const& r) __attribute__((always_inline)) { write_back(r); });
        if (control_.in_use())
            control_.expire(
                now_, *image_,
                [&](warp_slot w) {
                    changed_ = true;
                    if (table_.buffered.contains(w)) judge(w, code_[next_instruction(w)], now_);
                },
                [&](warp_slot w) { operation_ended(w, 1); });
        if (lsu_.due(now_)) {
            lsu_.step(now_, *this);
            requesting_ = requesting_ || lsu_.has_request();
        }
        tell_pressure();
        if (resident_ == 0) { // see count_without_cta
            changed_ = false;
            retry_at_ = never;
        } else if (changed_ || now_ >= retry_at_ || lsu_.can_accept() != lsu_accepts_) {
            issue_all();
        } else {
            idle_for(1); // nobody can issue, for the same causes
        }
        bool const fetching = front_.active(table_);
        if (fetching) {
            if (auto const w = front_.decode(table_)) {
                auto const index = next_instruction(w);
                new_head(w, table_.warp[w.index()], index, code_[index]);
                if constexpr (hears<scheduler_type, instruction_buffered> ||
                              hears<typename P::observer, instruction_buffered>)
                    tell_all(instruction_buffered{w, table_.warp[w.index()].buffered});
            }
            if (front_.fetch(table_, *image_, lsu_.cache().outstanding()))
                requesting_ = requesting_ || front_.has_request();
        }
        bool const sent = requesting_ && send(map, requests);
        if (sent) requesting_ = has_request();
        if (changed_ || (sent && requesting_) || (fetching && front_.active(table_)))
            wake_ = now_ + 1;
        else if (resident_ == 0 && next_order_ == never && !requesting_)
            wake_ = never;
        else
            wake_ = next_own_event();
    }
    static cycle sooner(cycle a, cycle b) noexcept { return a < b ? a : b; }
    /// When a request that waits may find room; `never` if none does.
    cycle next_credit(link<packet> const& requests) const noexcept {
        return requesting_ ? clock_.first_at_or_after(requests.next_credit()) : never;
    }
    /// The next cycle in which something of the core's own making can happen, if issue and front end are done for now.
    cycle next_own_event() noexcept {
        auto next = sooner(sooner(results_.next(now_), retry_at_), lsu_.next_event(now_));
        if (control_.in_use()) next = sooner(next, control_.next(now_));
        return sooner(next, next_order_);
    }
    /// When a unit that a ready warp wants becomes free.
    cycle next_free_unit() const noexcept {
        auto next = never;
        auto const ready = ready_warps();
        for (auto const k : {unit_kind::sp, unit_kind::sfu, unit_kind::dp})
            if ((ready & wants(k)) && free_from(k) < next) next = free_from(k);
        return next;
    }
    cycle earliest_work(link<packet> const& requests, link<packet> const& replies) const noexcept {
        if (wake_ <= now_) return now_;
        auto const next =
            sooner(sooner(wake_, clock_.first_at_or_after(replies.next_arrival())), next_credit(requests));
        return next < now_ ? now_ : next;
    }
    /// Who hears of cycles hears of each part of the time at once; otherwise those are counted when something changes.
    static constexpr bool tells_cycles_ =
        hears<scheduler_type, cycles_spent> || hears<typename P::observer, cycles_spent>;
    /// `n` cycles in which nothing changes.
    void idle_for(cycle n) {
        if constexpr (tells_cycles_)
            if (resident_ != 0) count(n); // see count_without_cta
    }
    /// The next `n` cycles are like the last one.
    void count(cycle n) {
        if constexpr (tells_cycles_)
            for (unsigned s = 0; s < numbers_.schedulers; ++s) tell_cycles(s, scheduler_[s].cause, n);
        add_cycles(counters_, n);
        passed(n);
    }
    void add_cycles(core_counters& c, cycle n) const noexcept {
        for (auto const& s : scheduler_) c.cause[static_cast<unsigned>(s.cause)] += n;
        c.cycles += n;
        if (memory_blocked_) c.memory_block_cycles += n;
    }
    /// Cycles without any CTA are accounted for when one comes, or when the kernel ends.
    void count_without_cta(cycle until) {
        if (until <= counted_) return;
        for (auto& s : scheduler_) s.cause = cycle_cause::no_cta;
        memory_blocked_ = false;
        count(until - counted_);
    }
    void tell_cycles(unsigned s, cycle_cause why, cycle n) {
        cycles_spent const e{s, why, counted_, n};
        if constexpr (hears<scheduler_type, cycles_spent>) scheduler_[s].policy.on(e);
        notify(e, observer_);
    }
    void passed(cycle n) noexcept {
        counted_ += n;
        auto const schedulers = numbers_.schedulers;
        turn_ = static_cast<unsigned>((schedulers & (schedulers - 1)) == 0 ? (turn_ + n) & (schedulers - 1)
                                                                           : (turn_ + n) % schedulers);
    }

    // ---- arrival and departure
    [[gnu::noinline]] void admit_ordered() {
        auto o = orders_.begin();
        for (; o != orders_.end() && o->at <= now_; ++o) admit(*o);
        orders_.erase(orders_.begin(), o);
        next_order_ = orders_.empty() ? never : orders_.front().at;
    }
    void admit(launch_order& o) {
        changed_ = true;
        if (resident_ == 0) count_without_cta(now_);
        unsigned c = 0;
        while (table_.cta[c].busy) ++c;
        auto& cta = table_.cta[c];
        cta.busy = true;
        cta.linear_id = o.linear_id;
        cta.stream = std::move(o.stream);
        cta.warps = warp_set::range(c * warps_per_cta_, (c + 1) * warps_per_cta_);
        cta.live = {};
        cta.unfinished = warps_per_cta_;
        ++resident_;
        cta.warps.for_each([&](warp_slot w) {
            auto& warp = table_.warp[w.index()];
            table_.want(w, unit_kind::sp);
            warp = {};
            warp.cta = static_cast<std::uint16_t>(c);
            warp.in_cta = static_cast<std::uint16_t>(w.index() - c * warps_per_cta_);
            warp.at = stream_cursor(cta.stream.warps[warp.in_cta]);
            control_.launch(w);
            if (cta.stream.warps[warp.in_cta].empty())
                --cta.unfinished;
            else
                cta.live.insert(w);
        });
        table_.live |= cta.live;
        if constexpr (hears<scheduler_type, l1_evicted> || hears<typename P::observer, l1_evicted>)
            lsu_.disown(cta.warps); // lines that these slots' former warps brought in
        tell_all(cta_launched{cta_slot{c}, o.linear_id, cta.live, now_});
        if constexpr (tells_footprints_)
            if (footprints_.arrays() != 0)
                cta.live.for_each([&](warp_slot w) {
                    tell_all(footprint_known{w, footprints_.of(o.linear_id, table_.warp[w.index()].in_cta)});
                });
        if (cta.unfinished == 0) retire(c);
    }
    void warp_ends(warp_slot w) {
        changed_ = true;
        auto& cta = table_.cta[table_.warp[w.index()].cta];
        table_.live.erase(w);
        cta.live.erase(w);
        tell_all(warp_exited{w});
        if (cta.live & table_.waiting)
            for (unsigned b = 0; b < resident_cta::barriers; ++b)
                if (cta.waiting[b]) try_release(cta, b);
        if (table_.warp[w.index()].outstanding == 0) warp_is_done(w);
    }
    void warp_is_done(warp_slot w) {
        auto const c = table_.warp[w.index()].cta;
        if (--table_.cta[c].unfinished == 0) retire(c);
    }
    void retire(unsigned c) {
        changed_ = true;
        auto& cta = table_.cta[c];
        cta.busy = false;
        if (resident_ == 1 && counted_ < now_) count(now_ - counted_);
        --resident_;
        ++counters_.ctas;
        spare_.push_back(std::move(cta.stream));
        cta.stream = {};
        last_retired_ = now_;
        finished_.push_back({cta.linear_id, now_, id_});
        tell_all(cta_finished{cta_slot{c}, cta.linear_id, now_});
    }
    /// Whether that was the last one of `w`.
    bool operation_ended(warp_slot w, std::uint32_t amount) {
        auto& warp = table_.warp[w.index()];
        warp.outstanding -= amount;
        if (warp.outstanding != 0) return false;
        operations_ended(w);
        return true;
    }
    /// Whether its last one matters: of so few that one asks this first, which is easier to guess.
    bool awaits_operations(warp_slot w) const noexcept { return (table_.fencing | ~table_.live).contains(w); }
    void operations_ended(warp_slot w) {
        if (table_.fencing.contains(w)) {
            table_.fencing.erase(w);
            table_.waiting.erase(w);
            changed_ = true;
            tell_all(unblocked{w, block_reason::fence});
        }
        if (!table_.live.contains(w)) warp_is_done(w);
    }

    // ---- results and replies
    [[gnu::always_inline]] void write_back(result const& r) {
        auto const& d = code_[r.instruction];
        scoreboard_.release(r.warp, d, *image_);
        if (control_.in_use()) control_.written(r.warp, d, image_->details(d).control);
        auto& warp = table_.warp[r.warp.index()];
        if (table_.hazard.contains(r.warp)) judge(r.warp, code_[warp.at.instruction()], now_);
        --warp.outstanding;
        if (awaits_operations(r.warp) && warp.outstanding == 0) operations_ended(r.warp);
    }
    struct reply_taken {
        cycle next = 0; ///< when the next one comes
        bool noticed = false;
    };
    /// Takes the reply that is here, and those behind it that nobody can notice.
    [[gnu::noinline]] reply_taken take_reply(link<packet>& replies, cycle last) {
        bool const noticed = receive(replies.front());
        replies.pop(clock_.at(now_), 1);
        return {next_reply(replies, now_ + 1, last, noticed ? 0 : wake_), noticed};
    }
    /// The cycle of the next reply, from cycle `from` on, or `last` if there is none before. Those that nobody can notice
    /// are taken in one go: parts of lines of which more will follow, whatever the core does meanwhile; and
    /// acknowledgements of parts of stores up to cycle `wake`, until which the core sleeps.
    cycle next_reply(link<packet>& replies, cycle from, cycle last, cycle wake) {
        return replies.next_arrival() == never ? last : take_parts(replies, from, last, wake);
    }
    [[gnu::noinline]] cycle take_parts(link<packet>& replies, cycle from, cycle last, cycle wake) {
        if (resident_ == 0) { // it may have slept for long
            auto const first = clock_.first_at_or_after(replies.next_arrival());
            if (first > from) from = first;
        }
        reply_sums sums;
        for (auto at = clock_.at(from);; ++from, at += clock_.period()) {
            auto const arrival = replies.next_arrival();
            if (arrival == never) from = last;
            for (; at < arrival && from < last; at += clock_.period()) ++from;
            if (from >= last) break;
            auto const& p = replies.front();
            if (p.kind == packet_kind::read) {
                if (anyone_hears_pressure_ || !lsu_.take_part(p)) break;
                sums.add(p, from);
            } else if (from > wake || !take_acknowledgement(p)) {
                break;
            }
            replies.pop(at, 1);
        }
        count(sums);
        return from;
    }
    /// Takes the acknowledgement of a part of a store, if it is one and more will follow.
    bool take_acknowledgement(packet const& p) noexcept {
        if (p.kind != packet_kind::write || p.token == no_token || requesting_) return false;
        auto& outstanding = table_.warp[p.token].outstanding;
        if (outstanding <= p.bytes) return false;
        outstanding -= p.bytes;
        received_ += p.bytes;
        return true;
    }
    /// Replies to reads.
    struct reply_sums {
        std::uint64_t count = 0;
        std::uint64_t bytes = 0;
        std::uint64_t latency = 0;
        void add(packet const& p, cycle at) noexcept {
            ++count;
            bytes += p.bytes;
            latency += static_cast<std::uint32_t>(at) - p.born;
        }
    };
    void count(reply_sums const& s) noexcept {
        received_ += s.bytes;
        counters_.load_latency_sum += s.latency;
        counters_.load_latency_count += s.count;
    }
    void count_reply(packet const& p) noexcept {
        reply_sums s;
        s.add(p, now_);
        count(s);
    }
    /// Whether any other stage can notice: a part of what is waited for changes nothing yet.
    bool receive(packet const& p) {
        switch (p.kind) {
        case packet_kind::read:
            count_reply(p);
            return lsu_.fill(now_, p, *this);
        case packet_kind::constant:
        case packet_kind::texture:
            count_reply(p);
            return lsu_.fill_read_only(now_, p, *this);
        default:
            break;
        }
        received_ += p.bytes;
        switch (p.kind) {
        case packet_kind::instruction:
            front_.fill(p.address, p.bytes);
            return true;
        case packet_kind::atomic:
            return lsu_.atomic_done(now_, p, *this);
        default:
            return p.token != no_token && store_ended(warp_slot{p.token}, p.bytes);
        }
    }

    // ---- issue
    warp_set ready_warps() const noexcept { return table_.buffered - table_.hazard - table_.waiting; }
    warp_set const& wants(unit_kind k) const noexcept { return table_.wants[static_cast<unsigned>(k)]; }
    unit_pool& units(unit_kind k) noexcept { return units_[static_cast<unsigned>(k)]; }
    cycle free_from(unit_kind k) const noexcept { return units_[static_cast<unsigned>(k)].free_from(); }

    void issue_all() {
        if (counted_ != now_) count(now_ - counted_);
        bool any = false;
        bool throttled = false;
        changed_ = false;
        lsu_accepts_ = lsu_.can_accept();
        for (unsigned i = 0, s = turn_; i < numbers_.schedulers; ++i) {
            auto& scheduler = scheduler_[s];
            auto const cause = issue_from(s, scheduler);
            scheduler.cause = cause;
            ++counters_.cause[static_cast<unsigned>(cause)];
            if constexpr (tells_cycles_) tell_cycles(s, cause, 1);
            any = any || cause == cycle_cause::issued;
            throttled = throttled || cause == cycle_cause::throttled;
            if (++s == numbers_.schedulers) s = 0;
        }
        ++counters_.cycles;
        ++counted_;
        if (++turn_ == numbers_.schedulers) turn_ = 0;
        memory_blocked_ = false;
        if (any) { // which is a change: they are asked again in the next cycle
            ++counters_.issue_cycles;
            return;
        }
        retry_at_ = throttled ? now_ + 1 : next_free_unit(); // a policy may change its mind with time
        memory_blocked_ = blocked_on_memory();
        counters_.memory_block_cycles += memory_blocked_;
    }
    /// Those whose unit can take them now.
    warp_set startable(warp_set ready) const noexcept {
        if (units_free_ > now_)
            for (auto const k : {unit_kind::sp, unit_kind::sfu, unit_kind::dp})
                if (free_from(k) > now_) ready -= wants(k);
        if (!lsu_accepts_) ready -= wants(unit_kind::load_store);
        return ready;
    }
    /// The cause of scheduler `s`'s cycle (SPEC 7: the first that applies, judged on the best warp).
    [[gnu::always_inline]] cycle_cause issue_from(unsigned s, seat& scheduler) {
        auto const owned = scheduler.owned;
        auto const ready = owned & ready_warps();
        if (auto candidates = startable(ready)) {
            if constexpr (pauses_warps<typename P::occupancy_limit>)
                if (auto const others = candidates - limit_.paused()) candidates = others;
            auto const w = pick_warp(scheduler.policy, candidates, [&] { return classes(candidates); });
            if constexpr (hears<typename P::observer, decision_made>)
                observer_.on(decision_made{s, candidates, classes(candidates), w, now_});
            if (!w) return cycle_cause::throttled;
            issue(s, scheduler, w);
            return cycle_cause::issued;
        }
        auto const live = owned & table_.live;
        if (!live) return cycle_cause::drained;
        if (ready)
            return ready & wants(unit_kind::load_store) ? cycle_cause::structural_memory
                                                        : cycle_cause::structural_other;
        auto const held = (owned & table_.buffered & table_.hazard) - table_.waiting;
        if (held) return held & table_.hazard_memory ? cycle_cause::raw_memory : cycle_cause::raw_other;
        if (live & table_.waiting) return cycle_cause::sync;
        return live & table_.redirected ? cycle_cause::control : cycle_cause::fetch;
    }
    issue_classes classes(warp_set candidates) const noexcept {
        issue_classes c;
        candidates.for_each([&](warp_slot w) {
            switch (code_[next_instruction(w)].told_as) {
            case issue_class::load:
                c.loads.insert(w);
                break;
            case issue_class::store:
                c.stores.insert(w);
                break;
            case issue_class::atomic:
                c.atomics.insert(w);
                break;
            default:
                break;
            }
        });
        return c;
    }
    std::uint32_t next_instruction(warp_slot w) const noexcept {
        return table_.warp[w.index()].at.instruction();
    }
    /// OWL's MemoryBlockCycles: there are live warps, and each waits for memory or, at a barrier, for one that does.
    bool blocked_on_memory() const noexcept {
        if (!table_.live) return false;
        auto const others = table_.live - table_.hazard_memory;
        if (!others) return true;
        if (others - table_.waiting) return false;
        bool all = true;
        for (auto const& c : table_.cta)
            if (c.busy && (c.live & others) && !(c.live & table_.hazard_memory)) all = false;
        return all;
    }

    [[gnu::always_inline]] void issue(unsigned s, seat& scheduler, warp_slot w) {
        changed_ = true;
        auto& warp = table_.warp[w.index()];
        auto const index = warp.at.instruction();
        auto const mask = warp.at.mask();
        auto const& d = code_[index];
        ++counters_.warp_instructions;
        if (mask != all_lanes) idle_lanes_ += lanes - count_lanes(mask);
        if (!d.is_plain) {
            issue_other(s, w, index, d);
            return;
        }
        execute(w, warp, index, d);
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
    /// Any but a plain instruction.
    [[gnu::noinline]] void issue_other(unsigned s, warp_slot w, std::uint32_t index,
                                       decoded_instruction const& d) {
        auto& warp = table_.warp[w.index()];
        auto const& stream = table_.stream(w);
        auto const mask = warp.at.mask();
        auto const& more = image_->details(d);
        counters_.other_instructions += d.kind == op_class::other;
        if (d.is_memory) {
            ++counters_.memory_instructions;
            lsu_.issue(now_, w, index, d, warp.at, stream, *this);
            lsu_accepts_ = lsu_.can_accept();
            scoreboard_.reserve(w, d, *image_,
                                d.told_as == issue_class::load || d.told_as == issue_class::atomic);
        } else {
            execute(w, warp, index, d);
        }
        if (control_.in_use())
            for (auto n = control_.issue(now_, now_ + numbers_.operand_cycles, w, index, d, more.control);
                 n != 0; --n)
                operation_begun(w);
        auto barrier = more.barrier;
        auto barrier_warps = more.barrier_warps;
        if (d.barrier_in_stream && mask != 0) {
            barrier = static_cast<std::uint8_t>(warp.at.barrier(stream));
            barrier_warps = static_cast<std::uint8_t>(warp.at.barrier_warps(stream));
        }
        warp.at.advance(stream, d.is_memory || d.barrier_in_stream);
        tell_owner(scheduler_[s], issued{w, index * numbers_.instruction_bytes, d.told_as, mask, now_});
        if (!warp.at.done()) {
            if (d.kind == op_class::barrier && mask != 0)
                arrive(w, barrier, barrier_warps, more.barrier_waits);
            if (d.kind == op_class::fence && warp.outstanding != 0) {
                table_.waiting.insert(w);
                table_.fencing.insert(w);
                tell_all(blocked{w, block_reason::fence});
            }
            auto const next = warp.at.instruction();
            if (d.kind == op_class::branch)
                tell_all(branched{w, index * numbers_.instruction_bytes, next * numbers_.instruction_bytes,
                                  next == more.target});
        }
        goes_on(w, index);
    }
    [[gnu::always_inline]] void execute(warp_slot w, resident_warp& warp, std::uint32_t index,
                                        decoded_instruction const& d) {
        auto& kind = units(d.unit);
        kind.take(now_ + d.initiation);
        if (kind.free_from() > units_free_) units_free_ = kind.free_from();
        if (!d.writes) return;
        scoreboard_.reserve(w, d, *image_, false);
        ++warp.outstanding;
        auto& r = results_.extend(now_ + d.latency);
        r.warp = w;
        r.instruction = index;
    }
    /// `w` has issued instruction `index`, and its cursor has moved on.
    [[gnu::always_inline]] void goes_on(warp_slot w, std::uint32_t index) {
        auto& warp = table_.warp[w.index()];
        auto const& at = warp.at;
        if (at.done()) {
            leave_buffer(w, warp);
            warp_ends(w);
        } else if (at.instruction() != index + 1) {
            leave_buffer(w, warp);
            table_.redirected.insert(w);
        } else if (--warp.buffered == 0) {
            leave_buffer(w, warp);
        } else {
            new_head(w, warp, index + 1, code_[index + 1]);
        }
    }
    [[gnu::always_inline]] void leave_buffer(warp_slot w, resident_warp& warp) {
        warp.buffered = 0;
        table_.buffered.erase(w);
        set_hazard(w, scoreboard::hazard::none);
    }
    /// The first instruction in the buffer of `w` is another one.
    [[gnu::always_inline]] void new_head(warp_slot w, resident_warp& warp, std::uint32_t index,
                                         decoded_instruction const& d) {
        tell_all(next_decoded{w, index * numbers_.instruction_bytes});
        changed_ = true;
        table_.want(w, warp, d.unit);
        judge(w, d, now_ + 1);
    }
    /// Works out what keeps `d`, the first instruction in the buffer of `w`, from issuing at cycle `at` or later.
    [[gnu::always_inline]] void judge(warp_slot w, decoded_instruction const& d, cycle at) {
        set_hazard(w, control_.in_use() ? control_.check(w, image_->details(d).control, at)
                                        : scoreboard_.check(w, d, *image_));
    }
    [[gnu::always_inline]] void set_hazard(warp_slot w, scoreboard::hazard h) {
        if (h != scoreboard::hazard::none || table_.hazard.contains(w)) change_hazard(w, h);
    }
    void change_hazard(warp_slot w, scoreboard::hazard h) {
        auto const was = table_.hazard_memory.contains(w) ? scoreboard::hazard::memory
                         : table_.hazard.contains(w)      ? scoreboard::hazard::other
                                                          : scoreboard::hazard::none;
        if (h == was) return;
        changed_ = true;
        table_.hazard.assign(w, h != scoreboard::hazard::none);
        table_.hazard_memory.assign(w, h == scoreboard::hazard::memory);
        if (was != scoreboard::hazard::none) tell_all(unblocked{w, reason_of(was)});
        if (h != scoreboard::hazard::none) tell_all(blocked{w, reason_of(h)});
    }
    static block_reason reason_of(scoreboard::hazard h) noexcept {
        return h == scoreboard::hazard::memory ? block_reason::memory : block_reason::dependency;
    }

    // ---- barriers
    void arrive(warp_slot w, unsigned barrier, std::uint8_t warps, bool waits) {
        auto& cta = table_.cta[table_.warp[w.index()].cta];
        tell_all(barrier_arrived{w});
        ++cta.arrived[barrier];
        cta.expected[barrier] = warps;
        if (waits) {
            cta.waiting[barrier].insert(w);
            table_.waiting.insert(w);
            tell_all(blocked{w, block_reason::barrier});
        }
        try_release(cta, barrier);
    }
    /// Opens barrier `b` if all that must arrive have.
    void try_release(resident_cta& cta, unsigned b) {
        if (cta.arrived[b] < (cta.expected[b] != 0 ? cta.expected[b] : cta.live.size())) return;
        auto const free = cta.waiting[b];
        cta.arrived[b] = 0;
        cta.waiting[b] = {};
        table_.waiting -= free;
        tell_all(barrier_released{free});
        free.for_each([&](warp_slot w) { tell_all(unblocked{w, block_reason::barrier}); });
    }

    // ---- requests
    bool has_request() const noexcept { return lsu_.has_request() || front_.has_request(); }
    /// One packet a cycle, instruction misses first; precondition: has_request(). Whether there was room for it.
    template <class Map>
    bool send(Map const& map, link<packet>& requests) {
        auto const tick_now = clock_.at(now_);
        if (!requests.can_send(tick_now, 1)) return false;
        bool const code = front_.has_request();
        auto& p = requests.draft();
        if (code) {
            auto const& r = front_.request();
            p.kind = packet_kind::instruction;
            p.address = r.address;
            p.bytes = r.bytes;
            p.warp = static_cast<packet_warp>(r.owner.index());
            p.token = 0;
            p.cta = packet{}.cta;
            p.written = {};
        } else {
            lsu_.request(p);
            p.cta = p.token != no_token && p.warp != packet{}.warp
                        ? static_cast<std::uint32_t>(table_.cta[table_.warp[p.warp].cta].linear_id)
                        : packet{}.cta;
        }
        auto const bytes = request_bytes(p);
        auto const flits = bytes <= flit_ ? 1 : (bytes + flit_ - 1) / flit_;
        if (flits != 1 && !requests.can_send(tick_now, flits)) return false;
        p.core = static_cast<std::uint16_t>(id_);
        p.slice = static_cast<std::uint16_t>(map.sub_partition(p.address));
        p.flits = static_cast<std::uint16_t>(flits);
        p.born = static_cast<std::uint32_t>(now_);
        if (p.token != no_token) asked_ += p.bytes; // a write-back is not answered
        sent_.count(p);
        requests.send(tick_now, flits);
        if (code)
            front_.pop_request();
        else
            lsu_.pop_request(now_);
        return true;
    }

    unsigned id_ = 0;
    core_numbers numbers_;
    clock_domain clock_;
    cycle now_ = 0;
    cycle counted_ = 0;  ///< all cycles before are accounted for
    cycle wake_ = never; ///< nothing of the core's own making happens before
    std::uint64_t asked_ = 0;
    traffic sent_;
    std::uint64_t received_ = 0;

    heap_array<seat> scheduler_;
    [[no_unique_address]] typename P::occupancy_limit limit_{};
    [[no_unique_address]] typename P::observer observer_{};
    warp_table table_;
    front_end<typename P::fetch_order, typename P::instruction_cache, typename P::instruction_prefetch>
        front_;
    load_store_unit<typename P::coalescer, typename P::data_cache, typename P::replay_queue,
                    typename P::constant_cache, typename P::texture_cache>
        lsu_;
    scoreboard scoreboard_;
    dependence_counters control_; ///< in the scoreboard's place, for kernels with control bits
    timing_wheel<result> results_;
    std::array<unit_pool, unit_kind_count> units_;
    cycle units_free_ = 0;     ///< from then on each kind has one that is free
    bool changed_ = true;      ///< since the schedulers were last asked
    bool lsu_accepts_ = false; ///< when they were last asked
    cycle retry_at_ = 0;       ///< nobody can issue before, if nothing changes
    bool memory_blocked_ = false;
    bool requesting_ = false;  ///< something waits to be sent
    memory_pressure pressure_; ///< as last told
    unsigned turn_ = 0;        ///< the scheduler that goes first
    unsigned warps_per_cta_ = 1;
    unsigned resident_ = 0;
    cycle last_retired_ = 0;
    std::uint32_t flit_ = 32;
    std::uint32_t l1_line_ = 128;
    launch_footprints footprints_; ///< of the running kernel
    std::vector<launch_order> orders_;
    cycle next_order_ = never; ///< when the first of them comes
    std::vector<finished_cta> finished_;
    std::vector<cta_stream> spare_;
    kernel_image const* image_ = nullptr;       ///< while advance() runs
    decoded_instruction const* code_ = nullptr; ///< of it
    core_counters counters_;                    ///< of what nothing else counts
    std::uint64_t idle_lanes_ = 0;              ///< of instructions issued: few have any
    core_counters before_;                      ///< when the kernel began, for a limit that asks
    host_gap gap_;
};

} // namespace warpkit
