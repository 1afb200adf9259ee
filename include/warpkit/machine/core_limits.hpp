#pragma once
/// \file
/// How many CTAs each core may hold, as the occupancy limits of the cores say: in both engines.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/cta/events.hpp>

namespace warpkit {

/// Limit is the policy of each core. Cores give theirs as `occupancy_limit()`, and `sample(now)` tells it what it wants
/// to know of the core.
template <class Limit>
class core_limits {
public:
    core_limits() = default;
    explicit core_limits(unsigned cores) : most_(cores) {}

    /// The most CTAs that this core may hold.
    unsigned operator()(unsigned core, unsigned) const noexcept { return most_[core]; }
    /// The degree that a core's limit has decided on for all cores in this kernel; 0 for none.
    unsigned announced() const noexcept { return announced_; }
    /// Whether no limit changes in this kernel.
    bool steady() const noexcept { return steady_; }

    /// A kernel begins, `fit` CTAs of which fit a core.
    template <class Cores>
    void begin(Cores const& cores, unsigned fit) {
        announced_ = 0;
        steady_ = true;
        for (auto const& c : cores) steady_ = steady_ && steady_limit(c.occupancy_limit());
        ask(cores, fit);
    }
    /// Where two windows meet: limits are told what they ask for, and asked. Whether a core may hold more than before.
    template <class Cores>
    bool follow(Cores& cores, unsigned fit, cycle now) {
        unsigned degree = 0;
        for (auto& c : cores) {
            c.sample(now);
            if constexpr (announces_degree<Limit>)
                if (degree == 0) degree = c.occupancy_limit().announced();
        }
        if (degree != 0 && announced_ == 0) {
            announced_ = degree;
            for (auto& c : cores) notify(degree_chosen{degree}, c.occupancy_limit());
        }
        return ask(cores, fit);
    }
    /// What the limit had seen that has decided; nothing where none has, or it does not tell.
    template <class Cores>
    static degree_report report(Cores const& cores) {
        if constexpr (reports_degree<Limit>)
            for (auto const& c : cores)
                if (c.occupancy_limit().announced() != 0) return c.occupancy_limit().report();
        return {};
    }

    friend bool operator==(core_limits const&, core_limits const&) = default;

private:
    template <class Cores>
    bool ask(Cores const& cores, unsigned fit) {
        bool rises = false;
        unsigned n = 0;
        for (auto const& c : cores) {
            auto const most = c.occupancy_limit().limit(fit);
            rises = rises || most > most_[n];
            most_[n++] = most;
        }
        return rises;
    }

    heap_array<unsigned> most_; ///< by core
    unsigned announced_ = 0;
    bool steady_ = true;
};

} // namespace warpkit
