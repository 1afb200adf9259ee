#pragma once
/// \file
/// How many CTAs each core may hold, as the occupancy limits of the cores say: in both engines.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cta/concepts.hpp>
#include <warpkit/cta/events.hpp>

namespace warpkit {

/// Limit is the policy of each core. Cores give theirs as `occupancy_limit()`, and `sample(now)` tells it what it wants
/// to know of the core.
template <class Limit>
class core_limits {
public:
    core_limits() = default;
    /// `shared`: cores may have CTAs of several kernels at once. Throws `error` where the limit cannot tell them apart.
    core_limits(unsigned cores, Limit const& limit, bool shared) : most_(cores), fit_(cores) {
        if (shared && !limits_each_kernel(limit))
            throw error(
                "the occupancy limit goes by what a core's one kernel does, but kernels are to share cores; "
                "set core.kernels=1, choose no_limit or static_limit, or a kernel dispatch that gives whole "
                "cores: leftover or spatial_multitasking");
    }

    /// The most CTAs that this core may hold.
    unsigned operator()(unsigned core) const noexcept { return most_[core]; }
    /// The degree that a core's limit has decided on for all cores; 0 for none.
    unsigned announced() const noexcept { return announced_; }
    /// Whether no limit changes as long as the cores have the kernels that they have.
    bool steady() const noexcept { return steady_; }

    /// Kernels will begin, after others; perhaps several at once.
    void begin(bool several) noexcept {
        announced_ = 0;
        steady_ = true;
        several_ = several;
    }
    /// One has begun on a core, `fit` CTAs of which fit it.
    void begin(unsigned core, Limit const& l, unsigned fit) {
        steady_ = steady_ && steady_limit(l);
        fit_[core] = fit;
        most_[core] = l.limit(fit);
    }
    /// Where two windows meet: limits are told what they ask for, and asked. Whether a core may hold more than before.
    /// Throws `error` where one decides for all cores, and these have several kernels.
    template <class Cores>
    bool follow(Cores& cores, cycle now) {
        unsigned degree = 0;
        for (auto& c : cores) {
            c.sample(now);
            if constexpr (announces_degree<Limit>)
                if (degree == 0) degree = c.occupancy_limit().announced();
        }
        if (degree != 0 && several_)
            throw error("the occupancy limit decides on one number of CTAs for all cores, which have several "
                        "kernels; set core.kernels=1, or choose a limit that decides core by core");
        if (degree != 0 && announced_ == 0) {
            announced_ = degree;
            for (auto& c : cores) notify(degree_chosen{degree}, c.occupancy_limit());
        }
        return ask(cores);
    }
    /// What the limit had seen that has decided; nothing where none has, or it does not tell.
    template <class Cores>
    static degree_report report(Cores const& cores) {
        if constexpr (reports_degree<Limit>)
            for (auto const& c : cores)
                if (c.occupancy_limit().announced() != 0) return c.occupancy_limit().report();
        return {};
    }

    WARPKIT_STORED_MEMBERS(5)
    friend bool operator==(core_limits const&, core_limits const&) = default;

private:
    template <class Cores>
    bool ask(Cores const& cores) {
        bool rises = false;
        unsigned n = 0;
        for (auto const& c : cores) {
            auto const most = c.occupancy_limit().limit(fit_[n]);
            rises = rises || most > most_[n];
            most_[n++] = most;
        }
        return rises;
    }

    heap_array<unsigned> most_; ///< by core
    heap_array<unsigned> fit_;  ///< CTAs of its kernel
    unsigned announced_ = 0;
    bool steady_ = true;
    bool several_ = false;
};

} // namespace warpkit
