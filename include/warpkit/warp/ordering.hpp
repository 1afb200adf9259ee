#pragma once
/// \file
/// A warp scheduler for hosts that have warps as objects and, each cycle, put them in order and let the first one issue
/// that can: the shape of GPGPU-Sim's scheduler_unit, with order_warps() and do_on_warp_issued().
/// docs/howto/embedding.md shows the few lines that put it there.
///
///     struct view { // how to read the host's warps
///         static unsigned slot(warp* w) { return w->get_warp_id(); }
///         static bool live(warp* w) { return !w->done_exit(); }
///         static std::uint64_t age(warp* w) { return w->get_dynamic_warp_id(); }
///         static unsigned cta(warp* w) { return w->get_cta_id(); }
///     };
///     ordering<gto, view> scheduler;

#include <warpkit/base/listen.hpp>
#include <warpkit/warp/concepts.hpp>

#include <concepts>
#include <cstdint>

namespace warpkit {

/// How to read a host's warp W: its slot in the core, below warp_set::width; whether it lives; the number of its
/// launch, which grows from warp to warp and tells apart the warps that one slot has one after the other; the slot of
/// its CTA. For policies that ask for classes also `next(w)`, the issue_class of what it issues next.
template <class View, class W>
concept warp_view = requires(W const& w) {
    { View::slot(w) } -> std::convertible_to<unsigned>;
    { View::live(w) } -> std::convertible_to<bool>;
    { View::age(w) } -> std::convertible_to<std::uint64_t>;
    { View::cta(w) } -> std::convertible_to<unsigned>;
};

namespace detail {
/// What an ordering tells, by itself and because the host promises it.
template <class Told>
struct ordering_tells;
template <class... E>
struct ordering_tells<event_list<E...>> {
    using type = event_list<kernel_began, kernel_ended, scheduler_began, cta_launched, cta_finished,
                            warp_exited, issued, E...>;
};
} // namespace detail

/// Drives a Scheduler, to which it tells the events that the host's warps show: launches and exits are found by looking
/// at them, issues are told by the host. What else the Scheduler wants to hear (blocked, barriers, cache), the host
/// tells through tell(), and promises so by naming it in the event_list Told: a Scheduler that hears anything else does
/// not compile, since it would decide as another one. A scheduler that judges core-wide must be shown all warps of its
/// core.
template <warp_scheduler Scheduler, class View, class Told = event_list<>>
class ordering {
    static_assert(hears_only<Scheduler, typename detail::ordering_tells<Told>::type, warp_scheduler_events>,
                  "warpkit: this scheduler goes by events that the ordering does not see in the host's warps "
                  "(the list that "
                  "is not empty): name them in the third argument, ordering<Scheduler, View, "
                  "event_list<blocked, ...>>, "
                  "and tell each as it happens, with tell()");

public:
    ordering() = default;
    explicit ordering(Scheduler const& scheduler) : scheduler_(scheduler) {}

    /// Before anything else, and at each kernel. Scheduler number `scheduler` of `schedulers`, which own the warp slots
    /// in turn. Throws untold_fact where the scheduler goes by a fact of the kernel that is not set.
    void begin(kernel_began kernel, unsigned scheduler = 0, unsigned schedulers = 1) {
        if (began_) notify(kernel_ended{}, scheduler_);
        live_ = {};
        began_ = true;
        has_code_ = kernel.code.known();
        kernel.schedulers = schedulers;
        notify(kernel, scheduler_);
        notify(scheduler_began{scheduler, schedulers, warp_set::every(schedulers, scheduler)}, scheduler_);
    }

    /// Tells of the launches and exits since the last time: for hosts that have more to tell of warps before they are
    /// put in order, which looks by itself. `all` are the core's warps.
    template <class Warps>
    void look(Warps const& all) {
        check_view<typename Warps::value_type>();
        observe(all);
    }
    /// Fills `result` with the live warps among `supervised`, the first choice first. A warp that the scheduler
    /// refuses, as a throttle does, is left out. Both are containers of W with push_back and clear.
    template <class Warps>
    void order(Warps& result, Warps const& supervised) {
        order(result, supervised, supervised);
    }
    /// The same where other schedulers have a part of the core's warps: `all` are shown, `supervised` are put in order.
    template <class Warps>
    void order(Warps& result, Warps const& supervised, Warps const& all) {
        check_view<typename Warps::value_type>();
        auto rest = observe(all);
        if (&all != &supervised) rest &= slots_of(supervised);
        issue_classes classes = classes_of(supervised, rest);
        result.clear();
        while (auto const w = pick_warp(scheduler_, rest, classes)) {
            for (auto const& host : supervised)
                if (View::slot(host) == w.index()) {
                    result.push_back(host);
                    break;
                }
            rest.erase(w);
            classes = {classes.loads & rest, classes.stores & rest, classes.atomics & rest};
        }
    }
    /// The one warp that issues, of those of which `can_issue(w)` is true: its slot, or none. Cheaper than an order.
    template <class Warps, class CanIssue>
    warp_slot pick(Warps const& supervised, CanIssue&& can_issue) {
        check_view<typename Warps::value_type>();
        auto candidates = observe(supervised);
        for (auto const& host : supervised)
            if (candidates.contains(warp_slot{View::slot(host)}) && !can_issue(host))
                candidates.erase(warp_slot{View::slot(host)});
        return pick_warp(scheduler_, candidates, [&] { return classes_of(supervised, candidates); });
    }
    /// The host issued an instruction of the warp in `slot`. Enough for schedulers that do not look at the code; throws
    /// untold_fact where the host has told kernel_began::code, as those that do demand.
    void on_issued(unsigned slot) {
        if (has_code_) detail::refuse_untold<"issued::pc">();
        issued e;
        e.warp = warp_slot{slot};
        tell(e);
    }
    /// The same with all that is known of it: see the event.
    void on_issued(unsigned slot, issue_class kind, std::uint32_t pc, lane_mask active, cycle at) {
        issued e;
        e.warp = warp_slot{slot};
        e.kind = kind;
        e.pc = pc;
        e.active = active;
        e.at = now_ = at;
        tell(e);
    }
    /// Any other event that the host knows of.
    template <class E>
    void tell(E const& e) {
        notify(e, scheduler_);
    }

    Scheduler const& scheduler() const noexcept { return scheduler_; }

private:
    template <class W>
    static constexpr void check_view() {
        static_assert(warp_view<View, W>,
                      "warpkit: the view does not fit the host's warps: see warp_view in warp/ordering.hpp");
        static_assert(
            !asks_classes<Scheduler> ||
                requires(W const& w) {
                    { View::next(w) } -> std::same_as<issue_class>;
                },
            "warpkit: this scheduler goes by what each warp issues next: give the view a "
            "`static issue_class next(W const&)`");
    }
    /// Tells the launches and exits since the last time; the live warps among `supervised`.
    template <class Warps>
    warp_set observe(Warps const& supervised) {
        warp_set shown;
        warp_set launched;
        for (auto const& host : supervised) {
            if (!View::live(host)) continue;
            warp_slot const w{View::slot(host)};
            shown.insert(w);
            if (live_.contains(w) && age_[w.index()] == View::age(host)) continue;
            if (live_.contains(w)) exit(w); // another warp has its slot already
            age_[w.index()] = View::age(host);
            cta_[w.index()] = static_cast<std::uint16_t>(View::cta(host));
            launched.insert(w);
        }
        (live_ - shown).for_each([this](warp_slot w) { exit(w); });
        while (launched) launched -= launch_oldest(launched);
        return shown;
    }
    /// Tells of the CTA whose warps were launched first, as far as they are in `launched`.
    warp_set launch_oldest(warp_set launched) {
        auto first = launched.first();
        launched.for_each([&](warp_slot w) {
            if (age_[w.index()] < age_[first.index()]) first = w;
        });
        warp_set together;
        launched.for_each([&](warp_slot w) {
            if (cta_[w.index()] == cta_[first.index()]) together.insert(w);
        });
        live_ |= together;
        cta_launched e;
        e.cta = cta_slot{cta_[first.index()]};
        e.linear_id = age_[first.index()];
        e.warps = together;
        e.at = now_;
        tell(e);
        return together;
    }
    void exit(warp_slot w) {
        live_.erase(w);
        tell(warp_exited{w});
        bool last = true;
        live_.for_each([&](warp_slot other) { last = last && cta_[other.index()] != cta_[w.index()]; });
        if (last) tell(cta_finished{cta_slot{cta_[w.index()]}, 0, now_});
    }
    template <class Warps>
    static warp_set slots_of(Warps const& warps) {
        warp_set slots;
        for (auto const& host : warps) slots.insert(warp_slot{View::slot(host)});
        return slots;
    }
    template <class Warps>
    static issue_classes classes_of(Warps const& supervised, warp_set candidates) {
        issue_classes classes;
        if constexpr (asks_classes<Scheduler>)
            for (auto const& host : supervised) {
                warp_slot const w{View::slot(host)};
                if (!candidates.contains(w)) continue;
                auto const kind = View::next(host);
                if (kind == issue_class::load) classes.loads.insert(w);
                if (kind == issue_class::store) classes.stores.insert(w);
                if (kind == issue_class::atomic) classes.atomics.insert(w);
            }
        return classes;
    }

    Scheduler scheduler_{};
    bool began_ = false;
    bool has_code_ = false;
    cycle now_ = 0; ///< of the last issue
    warp_set live_;
    std::uint64_t age_[warp_set::width]{};
    std::uint16_t cta_[warp_set::width]{};
};

} // namespace warpkit
