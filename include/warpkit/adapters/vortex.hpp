#pragma once
/// \file
/// Warp schedulers and fetch orders in Vortex's simx: which of a core's warps issues, and which is fetched next.
/// docs/howto/vortex.md has the lines that put them there. Nothing of the host is included; its masks of warps are
/// whatever has `test(i)` and `size()` (std::bitset, its BitVector).

#include <warpkit/base/error.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/fetch/concepts.hpp>
#include <warpkit/warp/concepts.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace warpkit::adapters {

/// Whether the host has the lines that say for what a warp waits (vortex_arbiters::stalled and ready).
enum class vortex_tells : bool { launches, stalls };

namespace detail {

/// What of its warps a core has told.
template <vortex_tells Tells>
struct vortex_events {
    using type = event_list<kernel_began, kernel_ended, scheduler_began, cta_launched, cta_finished,
                            warp_exited, issued, cycles_spent>;
};
template <>
struct vortex_events<vortex_tells::stalls> {
    using type =
        event_list<kernel_began, kernel_ended, scheduler_began, cta_launched, cta_finished, warp_exited,
                   issued, cycles_spent, blocked, unblocked, barrier_arrived, barrier_released>;
};

template <class Mask>
warp_set vortex_warps(Mask const& mask) {
    warp_set warps;
    auto const most = mask.size() < warp_set::width ? mask.size() : std::size_t{warp_set::width};
    for (std::size_t i = 0; i != most; ++i)
        if (mask.test(i)) warps.insert(warp_slot{static_cast<unsigned>(i)});
    return warps;
}
inline unsigned checked_vortex_warps(std::uint64_t warps) {
    if (warps > warp_set::width)
        raise_error(
            error({"vortex: a core of ", warps, " warps; sets of warps hold ", unsigned{warp_set::width},
                   "; compile with -DWARPKIT_WARP_SLOTS=", (warps + 63) / 64 * 64}));
    return static_cast<unsigned>(warps);
}

} // namespace detail

/// One of a core's arbiters in front of its issue slots, in the place of simx's Arbiter: warp w of it is the core's
/// warp w * arbiters + its number. A grant is an issue, as it is to simx's own, whose round-robin moves with it.
template <warp_scheduler Policy>
class vortex_arbiter {
public:
    vortex_arbiter(Policy const& policy, kernel_began const& kernel, unsigned number, unsigned warps)
        : policy_(policy),
          kernel_(kernel),
          number_(number),
          arbiters_(kernel.schedulers),
          warps_(warps) {}

    /// The one of `requests` that issues; -1 if none may, which a scheduler that holds warps back can say.
    template <class Requests>
    std::uint32_t grant(Requests const& requests) {
        return grant_of(set_of(requests));
    }
    /// The same, but of those in `suppressed`.
    template <class Requests>
    std::uint32_t grant(Requests const& requests, Requests const& suppressed) {
        return grant_of(set_of(requests) - set_of(suppressed));
    }
    /// As good as new: the kernel that it was told of last begins again.
    void reset() {
        if (began_) notify(kernel_ended{}, policy_);
        began_ = false;
    }
    Policy const& policy() const noexcept { return policy_; }

    // For vortex_arbiters alone.
    bool began() const noexcept { return began_; }
    void begin(kernel_began const& kernel) {
        reset();
        kernel_ = kernel;
        notify(kernel, policy_);
        notify(scheduler_began{number_, arbiters_, warp_set::every(arbiters_, number_)}, policy_);
        began_ = true;
        asked_ = issued_ = false;
    }
    template <class E>
    void tell(E const& e) {
        notify(e, policy_);
    }
    void spend(cycle now, bool any) {
        if (asked_) {
            auto const cause = issued_ ? cycle_cause::issued
                               : any   ? cycle_cause::structural_other
                                       : cycle_cause::no_cta;
            tell(cycles_spent{number_, cause, now - 1, 1});
        }
        asked_ = true;
        issued_ = false;
        now_ = now;
    }

private:
    template <class Requests>
    warp_set set_of(Requests const& requests) const {
        warp_set of;
        for (unsigned w = 0; w != warps_; ++w)
            if (requests.test(w)) of.insert(warp_slot{w * arbiters_ + number_});
        return of;
    }
    std::uint32_t grant_of(warp_set candidates) {
        if (!began_) begin(kernel_);
        auto const w = pick_warp(policy_, candidates, [] { return issue_classes{}; });
        if (!w) return ~std::uint32_t{0};
        issued e;
        e.warp = w;
        e.at = now_;
        tell(e);
        issued_ = true;
        return w.index() / arbiters_;
    }

    Policy policy_;
    kernel_began kernel_;
    unsigned number_;
    unsigned arbiters_;
    unsigned warps_; ///< each has so many
    bool began_ = false;
    bool asked_ = false; ///< a cycle has begun that has not been told
    bool issued_ = false;
    cycle now_ = 0;
};

/// All arbiters of a core, in the place of simx's `std::vector<Arbiter> ibuffer_arbs_`, with a Policy each. Told once a
/// cycle which warps are active, they tell it launches, exits and what became of the cycle; with the host's lines
/// (vortex_tells::stalls) also what warps wait for.
///
/// Warps that become active together are a CTA, or those of one number where the host says whose each warp is. A policy
/// that goes by anything else, or by what warps issue next, does not compile.
template <warp_scheduler Policy, vortex_tells Tells = vortex_tells::launches>
class vortex_arbiters {
    static_assert(
        hears_only<Policy, typename detail::vortex_events<Tells>::type, warp_scheduler_events>,
        "warpkit: this scheduler goes by events that simx does not tell (the list that is not empty); "
        "docs/howto/vortex.md says which it can, and how");
    static_assert(
        !asks_classes<Policy>,
        "warpkit: this scheduler goes by what each warp issues next, which simx's arbiters are not told");

public:
    /// What simx makes each of its arbiters of: a kind, which does not matter here, and a number of warps.
    struct each {
        template <class Kind>
        each(Kind, std::uint32_t n) : warps(n) {}
        std::uint32_t warps;
    };
    /// Throws `error` for a core of more warps than a warp_set has.
    vortex_arbiters(std::size_t arbiters, each of, Policy const& policy = {}) {
        auto const n = static_cast<unsigned>(arbiters);
        auto const warps = detail::checked_vortex_warps(std::uint64_t{n} * of.warps);
        kernel_.warp_slots = warps;
        kernel_.schedulers = n;
        for (unsigned i = 0; i != n; ++i) arbiters_.emplace_back(policy, kernel_, i, of.warps);
        cta_of_.resize(warps);
    }
    vortex_arbiter<Policy>& at(std::size_t issue_slot) { return arbiters_.at(issue_slot); }
    auto begin() noexcept { return arbiters_.begin(); }
    auto end() noexcept { return arbiters_.end(); }
    std::size_t size() const noexcept { return arbiters_.size(); }

    /// A kernel starts, of which `kernel` holds what the host knows. Not needed for policies that ask for nothing of it
    /// but warp slots and schedulers: one begins by itself, and again when the host resets its arbiters. Throws
    /// untold_fact where a policy asks for more than is told.
    void begin_kernel(kernel_began kernel) {
        kernel.warp_slots = kernel_.warp_slots;
        kernel.schedulers = kernel_.schedulers;
        kernel_ = kernel;
        live_ = {};
        at_barrier_ = {};
        for (auto& s : waits_) s = {};
        for (auto& a : arbiters_) a.begin(kernel_);
    }
    /// At the beginning of each cycle's issue, before any grant.
    template <class Mask>
    void look(Mask const& active) {
        begin_again_if_reset();
        auto const launched = detail::vortex_warps(active) - live_;
        auto const first = launched ? launched.first().index() : 0;
        look(active, [&](unsigned w) { return launched.contains(warp_slot{w}) ? first : cta_of_[w]; });
    }
    /// The same where `cta_of(w)` is the number of the CTA of warp w, below the core's warp slots.
    template <class Mask, class CtaOf>
    void look(Mask const& active, CtaOf&& cta_of) {
        begin_again_if_reset();
        auto const now = detail::vortex_warps(active);
        for (auto& a : arbiters_) a.spend(now_, static_cast<bool>(live_));
        // Whoever has gone, or belongs to another CTA, so that the slot has a new warp.
        auto gone = live_ - now;
        (live_ & now).for_each([&](warp_slot w) {
            if (cta_of(w.index()) != cta_of_[w.index()]) gone.insert(w);
        });
        gone.for_each([this](warp_slot w) { exit(w); });
        for (auto launched = now - live_; launched;) {
            auto const cta = static_cast<unsigned>(cta_of(launched.first().index()));
            warp_set together;
            launched.for_each([&](warp_slot w) {
                if (cta_of(w.index()) == cta) together.insert(w);
            });
            together.for_each([&](warp_slot w) { cta_of_[w.index()] = cta; });
            launched -= together;
            live_ |= together;
            tell(cta_launched{cta_slot{cta}, launches_++, together, now_});
        }
        ++now_;
    }
    /// Warp w has an instruction that needs a result which is outstanding: of memory, or another.
    void stalled(unsigned w, bool by_memory) requires(Tells == vortex_tells::stalls) {
        wait(warp_slot{w}, by_memory ? block_reason::memory : block_reason::dependency, true);
        wait(warp_slot{w}, by_memory ? block_reason::dependency : block_reason::memory, false);
    }
    /// Warp w has one that needs none.
    void ready(unsigned w) requires(Tells == vortex_tells::stalls) {
        wait(warp_slot{w}, block_reason::memory, false);
        wait(warp_slot{w}, block_reason::dependency, false);
    }
    /// Warp w waits at a barrier, or does not any more.
    void at_barrier(unsigned w, bool waits) requires(Tells == vortex_tells::stalls) {
        warp_slot const slot{w};
        if (at_barrier_.contains(slot) == waits || !live_.contains(slot)) return;
        at_barrier_.assign(slot, waits);
        if (waits)
            tell(barrier_arrived{slot, true});
        else
            tell(barrier_released{warp_set{slot}});
    }

private:
    void begin_again_if_reset() {
        for (auto const& a : arbiters_)
            if (!a.began()) return begin_kernel(kernel_);
    }
    template <class E>
    void tell(E const& e) {
        for (auto& a : arbiters_) a.tell(e);
    }
    void exit(warp_slot w) {
        live_.erase(w);
        at_barrier_.erase(w);
        for (auto& s : waits_) s.erase(w);
        tell(warp_exited{w});
        auto const cta = cta_of_[w.index()];
        bool last = true;
        live_.for_each([&](warp_slot other) { last = last && cta_of_[other.index()] != cta; });
        if (last) tell(cta_finished{cta_slot{cta}, 0, now_});
    }
    void wait(warp_slot w, block_reason reason, bool waits) {
        auto& of = waits_[reason == block_reason::memory ? 0 : 1];
        if (of.contains(w) == waits || !live_.contains(w)) return;
        of.assign(w, waits);
        if (waits)
            tell(blocked{w, reason});
        else
            tell(unblocked{w, reason});
    }

    std::vector<vortex_arbiter<Policy>> arbiters_;
    std::vector<unsigned> cta_of_; ///< by warp
    kernel_began kernel_;
    cycle now_ = 0;
    std::uint64_t launches_ = 0;
    warp_set live_;
    warp_set at_barrier_;
    warp_set waits_[2]; ///< for memory; for another result
};

/// Which warp's next instruction is scheduled for fetch: in the place of the loop over warps in simx's
/// Scheduler::schedule (Emulator::step in earlier versions), which takes the lowest that is active and not stalled.
template <fetch_order Policy>
class vortex_fetch {
    static_assert(
        hears_only<Policy,
                   event_list<kernel_began, kernel_ended, cta_launched, cta_finished, warp_exited, fetched>>,
        "warpkit: this fetch order goes by events that simx does not tell (the list that is not empty)");

public:
    /// Throws `error` for a core of more warps than a warp_set has.
    explicit vortex_fetch(std::uint64_t warps, Policy const& policy = {}) : policy_(policy) {
        kernel_began kernel;
        kernel.warp_slots = detail::checked_vortex_warps(warps);
        notify(kernel, policy_);
    }
    /// The warp, or -1.
    template <class Mask>
    int next(Mask const& active, Mask const& stalled) {
        return fetch(detail::vortex_warps(active), detail::vortex_warps(stalled), ~warp_set{});
    }
    /// The same of those in `allowed`.
    template <class Mask>
    int next(Mask const& active, Mask const& stalled, Mask const& allowed) {
        return fetch(detail::vortex_warps(active), detail::vortex_warps(stalled),
                     detail::vortex_warps(allowed));
    }
    Policy const& policy() const noexcept { return policy_; }

private:
    int fetch(warp_set active, warp_set stalled, warp_set allowed) {
        (live_ - active).for_each([this](warp_slot w) { notify(warp_exited{w}, policy_); });
        if (auto const launched = active - live_)
            notify(cta_launched{cta_slot{launched.first().index()}, launches_++, launched, 0}, policy_);
        live_ = active;
        auto const w = policy_.pick((active - stalled) & allowed);
        if (!w) return -1;
        fetched e;
        e.warp = w;
        notify(e, policy_);
        return static_cast<int>(w.index());
    }

    Policy policy_;
    warp_set live_;
    std::uint64_t launches_ = 0;
};

} // namespace warpkit::adapters
