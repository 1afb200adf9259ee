#pragma once
/// \file
/// A warp scheduler whose place another one can take in mid-kernel.

#include <warpkit/base/listen.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/check.hpp>

#include <concepts>
#include <cstddef>
#include <utility>
#include <vector>

namespace warpkit::testing {

/// Several schedulers of one type in one seat: the first decides, all hear what comes of it. So each of them knows the
/// history that the first has made, and any of them can go on from there.
///
///     using scheduler = shadow_schedulers<one_warp_scheduler<gto, lrr>>;
///     values.warp_scheduler = scheduler(gto{}, lrr{});
///     ...
///     auto fork = gpu; // in mid-kernel
///     fork.each_scheduler([](scheduler& s) { s.take_over(1); });
///
/// The type may be one_warp_scheduler, for schedulers of different types, or one whose number is known at run time.
template <class Scheduler>
class shadow_schedulers {
    static_assert(check_warp_scheduler<Scheduler>());

public:
    static constexpr bool forwards_events = true;
    static constexpr char const* name() noexcept { return "shadow_schedulers"; }

    shadow_schedulers() : all_(1) {}
    /// These, of which the first decides. Precondition: at least one.
    explicit shadow_schedulers(std::vector<Scheduler> schedulers) : all_(std::move(schedulers)) {}
    template <class... S>
    requires(std::constructible_from<Scheduler, S const&>&&...) explicit shadow_schedulers(
        S const&... schedulers)
        : all_{Scheduler(schedulers)...} {}

    std::size_t size() const noexcept { return all_.size(); }
    /// The one who decides.
    Scheduler const& in_charge() const noexcept { return all_.front(); }
    /// From now on number `which` decides, and is alone. It starts from what it has heard.
    void take_over(std::size_t which) { all_ = std::vector<Scheduler>(1, all_[which]); }

    warp_slot pick(warp_set candidates, issue_classes const& classes) const noexcept {
        return pick_warp(all_.front(), candidates, classes);
    }
    warp_set eligible(warp_set candidates, issue_classes const& classes) const noexcept {
        return eligible_warps(all_.front(), candidates, classes);
    }
    bool wants_classes() const noexcept {
        if constexpr (tells_whether_it_asks<Scheduler>)
            return all_.front().wants_classes();
        else
            return asks_classes<Scheduler>;
    }
    template <class E>
    requires hears<Scheduler, E>
    void on(E const& e) {
        for (auto& s : all_) s.on(e);
    }
    /// Whether any of them hears E.
    template <class E>
    bool listens() const noexcept {
        for (auto const& s : all_)
            if (hears_now<E>(s)) return true;
        return false;
    }

    template <class F>
    void each_member(F&& f) const {
        f(all_);
    }
    friend bool operator==(shadow_schedulers const&, shadow_schedulers const&) = default;

private:
    std::vector<Scheduler> all_;
};

} // namespace warpkit::testing
