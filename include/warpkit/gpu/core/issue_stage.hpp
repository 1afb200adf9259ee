#pragma once
/// \file
/// The issue stage of a core: who is asked when, and what each scheduler did with each of its cycles.
///
/// In the reference: `core::issue`, `core::ask` and `core::account` (reference/core.hpp).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/host_line.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/gpu/core/execution_units.hpp>
#include <warpkit/gpu/core/hosts.hpp>
#include <warpkit/gpu/core/kernel_image.hpp>
#include <warpkit/gpu/core/warp_table.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/linked_kernels.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/warp/check.hpp>
#include <warpkit/warp/events.hpp>

#include <array>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace warpkit {

/// The schedulers of a core, the units that they issue to, and the account of their cycles. They are asked only where
/// one may decide otherwise than it did last: what happens to a warp is told by changed(). All cycles between are like
/// the last one, and accounted for in one go. P is a core_policies.
template <class P>
class issue_stage {
    using scheduler_type = typename P::warp_scheduler;
    struct nothing {
        friend bool operator==(nothing const&, nothing const&) = default;
    };
    /// Those that share the core, if any; the host's, and no state of this.
    struct kernels_here {
        static constexpr bool made_again = true; ///< (machine/state_archive.hpp)
        linked_kernels const* of = nullptr;
        friend bool operator==(kernels_here const&, kernels_here const&) noexcept { return true; }
    };
    /// A scheduler, and what it works on.
    struct alignas(host_line) seat {
        scheduler_type policy;
        warp_set owned;
        cycle_cause cause{};       ///< of its last cycle
        std::uint8_t sub_core = 0; ///< whose units it issues to
        friend bool operator==(seat const&, seat const&) = default;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(policy);
        }
    };

public:
    issue_stage() = default;
    [[gnu::cold]] issue_stage(core_numbers const& n, scheduler_type const& policy)
        : seat_(n.schedulers, seat{policy, {}, {}}),
          units_(n),
          width_(n.issue_width),
          to_different_(n.issue_to_different != 0),
          further_(n.sub_cores - 1, units_),
          common_(n.sub_cores == 1 && n.issue_width == 1 && !units_.has_others()),
          plain_(common_) {
        for (unsigned s = 0; s < schedulers(); ++s) {
            seat_[s].owned = warp_set::every(schedulers(), s) & warp_set::first_n(n.threads / lanes);
            seat_[s].sub_core = static_cast<std::uint8_t>(s % n.sub_cores);
        }
        note_what_is_heard();
    }

    unsigned schedulers() const noexcept { return static_cast<unsigned>(seat_.size()); }
    /// Calls `f(policy)` for each scheduler.
    template <class F>
    void each_scheduler(F&& f) {
        for (auto& s : seat_) f(s.policy);
        note_what_is_heard();
    }
    /// Whether a scheduler hears E.
    template <class E>
    bool heard() const noexcept {
        if constexpr (!hears<scheduler_type, E>)
            return false;
        else if constexpr (hears_some<scheduler_type>)
            return heard_.template has<E>();
        else
            return true;
    }
    /// What the schedulers of a sub-core issue to.
    execution_units& units_at(unsigned sub_core) noexcept {
        return sub_core == 0 ? units_ : further_[sub_core - 1U];
    }
    /// Tells each that hears it.
    template <class E>
    [[gnu::always_inline]] void tell(E const& e) {
        if constexpr (hears<scheduler_type, E>)
            if (heard<E>())
                for (auto& s : seat_) s.policy.on(e);
    }

    /// Time begins anew at `at`: what was before is nobody's.
    void begin(cycle at) noexcept {
        uncounted_ += at - counted_;
        counted_ = at;
    }
    template <issue_host<scheduler_type> Host>
    void begin_kernel(Host& host) {
        note_what_is_heard();
        for (unsigned s = 0; s < schedulers(); ++s) {
            scheduler_began const e{s, schedulers(), seat_[s].owned};
            notify(e, seat_[s].policy);
            host.observe(e);
        }
    }

    // ---- when to ask
    /// Something happened to a warp that may change what can issue.
    void changed() noexcept { changed_ = true; }
    bool has_changed() const noexcept { return changed_; }
    /// The load/store unit accepts an instruction, or not, within the cycle in which they are asked.
    void lsu_accepts(bool so) noexcept { lsu_accepts_ = so; }
    /// Whether anybody may decide otherwise than last time although nothing has changed.
    /// Abbreviates `core::ask` where it would answer as in the cycle before.
    bool due(cycle now, bool lsu_accepts) const noexcept {
        return now >= retry_at_ || lsu_accepts != lsu_accepts_;
    }
    /// Nobody can issue before this cycle, if nothing changes.
    cycle next() const noexcept { return retry_at_; }
    /// Nobody is there to be asked.
    void rest() noexcept {
        changed_ = false;
        retry_at_ = never;
    }

    /// A cycle: asks each scheduler.
    template <issue_host<scheduler_type> Host>
    [[gnu::always_inline]] void run(warp_table const& t, running_kernel const& code, bool lsu_accepts,
                                    Host& host) {
        if (plain_) [[likely]]
            run_as<true>(t, code, lsu_accepts, host);
        else
            run_parts(t, code, lsu_accepts, host);
    }

    // ---- the account
    /// Kernels that share the core will, or null.
    [[gnu::cold]] void shares(linked_kernels const* linked) {
        linked_.of = linked;
        plain_ = common_ && linked == nullptr;
        stalls_.assign(linked == nullptr ? 0 : linked->launches(), {});
        launch_.assign(linked == nullptr ? 0 : schedulers(), nobodys_);
    }
    /// Adds the cycles before `until` in which nothing issued and a warp of that launch has the cause.
    void add_stalls_of(unsigned launch, cycle until, cycles_by_cause& to) const {
        for (unsigned k = 0; k < cycle_cause_count; ++k) to[k] += stalls_[launch][k];
        for (unsigned s = 0; s < schedulers(); ++s)
            if (launch_[s] == launch && until > counted_)
                to[static_cast<unsigned>(seat_[s].cause)] += until - counted_;
    }
    /// `n` cycles in which nothing changes. Who hears of cycles hears of them at once; otherwise they are counted when
    /// something changes.
    template <issue_host<scheduler_type> Host>
    void idle(cycle n, Host& host) {
        if (n != 0 && tells_cycles(host)) spend(n, host);
    }
    /// The cycles before `until` were like the last one.
    template <issue_host<scheduler_type> Host>
    void idle_until(cycle until, Host& host) {
        if (counted_ < until) spend(until - counted_, host);
    }
    /// The same for cycles without any CTA.
    template <issue_host<scheduler_type> Host>
    void empty_until(cycle until, Host& host) {
        if (until <= counted_) return;
        for (auto& s : seat_) s.cause = cycle_cause::no_cta;
        for (auto& l : launch_) l = nobodys_;
        memory_blocked_ = false;
        spend(until - counted_, host);
    }
    /// Adds what was counted before `until`.
    void add_to(core_counters& c, cycle until) const noexcept {
        c.cycles += counted_ - uncounted_;
        c.issue_cycles += issue_cycles_;
        c.memory_block_cycles += memory_block_cycles_;
        for (unsigned i = 0; i < cycle_cause_count; ++i) c.cause[i] += cause_[i];
        if (until <= counted_) return;
        auto const n = until - counted_;
        for (auto const& s : seat_) c.cause[static_cast<unsigned>(s.cause)] += n;
        c.cycles += n;
        if (memory_blocked_) c.memory_block_cycles += n;
    }

    friend bool operator==(issue_stage const&, issue_stage const&) = default;
    WARPKIT_STORED_MEMBERS(21)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(seat_, units_, further_, turn_);
    }

private:
    template <class Host>
    bool tells_cycles(Host const& host) const noexcept {
        return heard<cycles_spent>() || host.template observed<cycles_spent>();
    }
    void note_what_is_heard() noexcept {
        if constexpr (hears_some<scheduler_type>) {
            heard_ = {};
            for (auto const& s : seat_) heard_.add(s.policy);
        }
    }

    unsigned number(seat const& s) const noexcept { return static_cast<unsigned>(&s - seat_.begin()); }
    /// Plain: a core without sub-cores, further issues in a cycle, and kinds of units that few have.
    template <bool Plain, class Host>
    [[gnu::always_inline]] void run_as(warp_table const& t, running_kernel const& code, bool lsu_accepts,
                                       Host& host) {
        if (counted_ != host.now()) spend(host.now() - counted_, host);
        bool any = false;
        bool throttled = false;
        changed_ = false;
        lsu_accepts_ = lsu_accepts;
        auto* const first = &seat_[turn_];
        auto* const end = seat_.end();
        auto* s = first;
        do {
            auto const cause = ask<Plain>(*s, t, code, host);
            s->cause = cause;
            ++cause_[static_cast<unsigned>(cause)];
            if constexpr (!Plain)
                if (linked_.of != nullptr) [[unlikely]]
                    account_to_kernel(*s, t);
            if (tells_cycles(host)) tell_cycles(number(*s), cause, 1, host);
            any = any || cause == cycle_cause::issued;
            throttled = throttled || cause == cycle_cause::throttled;
            if (++s == end) s = seat_.begin();
        } while (s != first);
        ++counted_;
        if (++turn_ == schedulers()) turn_ = 0;
        memory_blocked_ = false;
        if (any) { // which is a change: they are asked again in the next cycle
            ++issue_cycles_;
            return;
        }
        // A policy may change its mind with time.
        retry_at_ = throttled ? host.now() + 1
                    : Plain   ? units_.template next_free<true>(t.ready(), t)
                              : next_free_of_all(t);
        memory_blocked_ = t.blocked_on_memory();
        memory_block_cycles_ += memory_blocked_;
    }
    template <class Host>
    [[gnu::noinline]] void run_parts(warp_table const& t, running_kernel const& code, bool lsu_accepts,
                                     Host& host) {
        run_as<false>(t, code, lsu_accepts, host);
    }
    /// The cause of this cycle of a scheduler (docs/model/issue.md#stall-taxonomy).
    template <bool Plain, class Host>
    [[gnu::always_inline]] cycle_cause ask(seat& scheduler, warp_table const& t, running_kernel const& code,
                                           Host& host) {
        auto const owned = scheduler.owned;
        auto const ready = owned & t.ready();
        auto& units = Plain ? units_ : units_of(scheduler);
        auto candidates = units.template startable<Plain>(host.now(), ready, t);
        if (!lsu_accepts_) [[unlikely]]
            candidates -= t.wanting(unit_kind::load_store);
        if (candidates) {
            if constexpr (pauses_warps<typename P::occupancy_limit>)
                if (auto const others = candidates - host.occupancy_limit().paused()) candidates = others;
            auto const w =
                pick_warp(scheduler.policy, candidates, [&] { return classes(candidates, t, code); });
            if (host.template observed<decision_made>())
                host.observe(decision_made{number(scheduler), candidates, classes(candidates, t, code), w,
                                           host.now()});
            if (!w) return cycle_cause::throttled;
            if constexpr (Plain) {
                host.issue(scheduler.policy, units, w);
            } else {
                auto const unit = t.warp[w.index()].wanted;
                host.issue_parts(scheduler.policy, units, w);
                if (width_ != 1) issue_more(scheduler, units, unit, w, t, code, host);
            }
            return cycle_cause::issued;
        }
        auto const live = owned & t.live;
        if (!live) return cycle_cause::drained;
        if (ready)
            return ready & t.wanting(unit_kind::load_store) ? cycle_cause::structural_memory
                                                            : cycle_cause::structural_other;
        auto const held = (owned & t.buffered & t.hazard) - t.waiting;
        if (auto const by_memory = held & t.hazard_memory)
            return by_memory & t.translating ? cycle_cause::translation : cycle_cause::raw_memory;
        if (held) return cycle_cause::raw_other;
        if (live & t.waiting) return cycle_cause::sync;
        return live & t.redirected ? cycle_cause::control : cycle_cause::fetch;
    }
    /// In the reference: `core::account_to_kernel`.
    [[gnu::noinline]] void account_to_kernel(seat& scheduler, warp_table const& t) {
        auto const live = scheduler.owned & t.live;
        auto const ready = scheduler.owned & t.ready();
        auto const held = (scheduler.owned & t.buffered & t.hazard) - t.waiting;
        auto const who = [&]() -> warp_set {
            switch (scheduler.cause) {
            case cycle_cause::issued:
                return {};
            case cycle_cause::structural_memory:
                return ready & t.wanting(unit_kind::load_store);
            case cycle_cause::structural_other:
            case cycle_cause::throttled:
                return ready;
            case cycle_cause::translation:
                return held & t.hazard_memory & t.translating;
            case cycle_cause::raw_memory:
                return held & t.hazard_memory;
            case cycle_cause::raw_other:
                return held;
            case cycle_cause::sync:
                return live & t.waiting;
            case cycle_cause::control:
                return live & t.redirected;
            default:
                return live;
            }
        }();
        auto& launch = launch_[number(scheduler)];
        launch = nobodys_;
        if (!who) return;
        launch = linked_.of->launch_of(t.cta[t.warp[who.first().index()].cta].linear_id);
        ++stalls_[launch][static_cast<unsigned>(scheduler.cause)];
    }
    execution_units& units_of(seat const& s) noexcept { return units_at(s.sub_core); }
    cycle next_free_of_all(warp_table const& t) noexcept {
        auto next = never;
        for (auto const& s : seat_)
            if (auto const at = units_of(s).template next_free<false>(s.owned & t.ready(), t); at < next)
                next = at;
        return next;
    }
    /// `w` has issued to a unit of kind `before`, and may issue what it has next in the same cycle.
    /// In the reference: `core::issue_in_a_row`.
    template <class Host>
    [[gnu::noinline]] void issue_more(seat& scheduler, execution_units& units, unit_kind before, warp_slot w,
                                      warp_table const& t, running_kernel const& code, Host& host) {
        for (unsigned k = 1; k < width_; ++k) {
            if (!t.live.has(w) || !t.ready().has(w)) return;
            if (code.details(code[t.next_instruction(w)]).control.given) return;
            auto const unit = t.warp[w.index()].wanted;
            if (to_different_ && unit == before) return;
            if ((unit == unit_kind::load_store && !lsu_accepts_) || !units.is_free(unit, host.now())) return;
            if (units.control_holds()) return;
            host.issue_parts(scheduler.policy, units, w);
            before = unit;
        }
    }
    static issue_classes classes(warp_set candidates, warp_table const& t,
                                 running_kernel const& code) noexcept {
        issue_classes c;
        candidates.for_each([&](warp_slot w) {
            switch (code[t.next_instruction(w)].told_as) {
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
    /// The next `n` cycles are like the last one.
    template <class Host>
    void spend(cycle n, Host& host) {
        if (tells_cycles(host))
            for (unsigned s = 0; s < schedulers(); ++s) tell_cycles(s, seat_[s].cause, n, host);
        for (auto const& s : seat_) cause_[static_cast<unsigned>(s.cause)] += n;
        if (!stalls_.empty()) [[unlikely]]
            for (unsigned s = 0; s < schedulers(); ++s)
                if (launch_[s] != nobodys_) stalls_[launch_[s]][static_cast<unsigned>(seat_[s].cause)] += n;
        if (memory_blocked_) memory_block_cycles_ += n;
        counted_ += n;
        auto const all = schedulers();
        turn_ = static_cast<unsigned>((all & (all - 1)) == 0 ? (turn_ + n) & (all - 1) : (turn_ + n) % all);
    }
    template <class Host>
    void tell_cycles(unsigned s, cycle_cause why, cycle n, Host& host) {
        cycles_spent const e{s, why, counted_, n};
        notify(e, seat_[s].policy);
        host.observe(e);
    }

    heap_array<seat> seat_;
    [[no_unique_address]] std::conditional_t<hears_some<scheduler_type>, heard_events, nothing> heard_;
    unsigned turn_ = 0;        ///< the scheduler that goes first
    bool changed_ = true;      ///< since they were last asked
    bool lsu_accepts_ = false; ///< when they were last asked
    bool memory_blocked_ = false;
    std::uint64_t issue_cycles_ = 0;
    cycle counted_ = 0;  ///< all cycles before are accounted for
    cycle retry_at_ = 0; ///< nobody can issue before, if nothing changes
    execution_units units_;
    std::array<std::uint64_t, cycle_cause_count> cause_{};
    std::uint64_t memory_block_cycles_ = 0;
    cycle uncounted_ = 0; ///< of the cycles accounted for, those that are nobody's
    unsigned width_ = 1;
    bool to_different_ = false;
    heap_array<execution_units> further_; ///< of the second sub-core and those behind
    bool common_ = true;                  ///< one sub-core, one issue in a cycle, the common kinds of units
    bool plain_ = true;                   ///< that, and one kernel alone
    kernels_here linked_;
    std::vector<cycles_by_cause> stalls_; ///< by launch, where kernels share cores
    std::vector<unsigned> launch_;        ///< by scheduler: whose its last cycle was, if nothing issued
    static constexpr unsigned nobodys_ = ~0U;
};

} // namespace warpkit
