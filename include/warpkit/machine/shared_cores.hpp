#pragma once
/// \file
/// The kernel dispatch at work on cores that several kernels share (docs/model/dispatch.md#shared-cores).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cta/cluster_spread.hpp>
#include <warpkit/cta/kernel_dispatch.hpp>
#include <warpkit/cta/occupancy.hpp>
#include <warpkit/machine/dispatcher.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/machine/parameters.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpkit {

/// A place on the machine for one launch at a time.
template <class Choice, class Placement = cluster_spread>
struct kernel_place {
    static constexpr unsigned nobody = ~0U;

    dispatcher<Choice, Placement> ctas;
    unsigned kernel = nobody; ///< by its number in the group
    cta_share takes;          ///< what a CTA of it takes of a core
    friend bool operator==(kernel_place const&, kernel_place const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(ctas, kernel);
    }
};

/// Asks the policy whose turn each core is, cycle by cycle, and has these kernels' dispatchers send.
template <class Choice, class KernelDispatch, class Placement = cluster_spread>
class shared_cores {
    static_assert(check_kernel_dispatch<KernelDispatch>());
    using place = kernel_place<Choice, Placement>;
    static constexpr unsigned nobody = place::nobody;

public:
    shared_cores() = default;
    shared_cores(gpu_parameters const& p, KernelDispatch const& policy)
        : policy_(policy),
          core_(resources_of(p)),
          turn_(p.core.count, nobody) {}

    KernelDispatch const& policy() const noexcept { return policy_; }
    void begin() { notify(group_began{static_cast<unsigned>(turn_.size())}, policy_); }

    /// Cycle `now` of launches in some places, the oldest first. In it a core gets what belongs together of one kernel,
    /// the policy says of which; of them the choice of block may have nothing for it. `limit(core)` is the most CTAs of
    /// one kernel that it may hold; `send(n, core, cta, cycle)` sends one of the launch in place `n`.
    template <class Limit, class Send>
    void run(cycle now, std::vector<place>& places, std::vector<unsigned> const& running, Limit const& limit,
             Send const& send) {
        for (auto const n : running)
            places[n].ctas.retire(now, [&, kernel = places[n].kernel](unsigned c) {
                notify(kernel_cta_retired{c, kernel, now}, policy_);
            });
        for (unsigned c = 0; c < turn_.size(); ++c) turn_[c] = whose_turn(c, now, places, running, limit(c));
        bool any = false;
        for (auto const n : running) {
            auto& ctas = places[n].ctas;
            if (!ctas.waits(now)) continue;
            auto const most = [&](unsigned c, unsigned) {
                return turn_[c] == n ? ctas.held(c) + room(places[n], c, left(c, places, running), limit(c))
                                     : 0U;
            };
            any |= ctas.dispatch(now, most, [&](unsigned c, std::uint64_t cta, cycle at) {
                notify(kernel_served{c, places[n].kernel, now}, policy_);
                send(n, c, cta, at);
            });
        }
        for (auto const n : running)
            if (any)
                places[n].ctas.reconsider();
            else if (places[n].ctas.from() <= now)
                places[n].ctas.rest();
    }

    friend bool operator==(shared_cores const& a, shared_cores const& b) { return a.policy_ == b.policy_; }
    WARPKIT_STORED_MEMBERS(4)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(policy_);
    }

private:
    /// What CTAs leave of a core.
    core_resources left(unsigned c, std::vector<place> const& places,
                        std::vector<unsigned> const& running) const noexcept {
        auto left = core_;
        for (auto const n : running) left = left_by(left, places[n].takes, places[n].ctas.held(c));
        return left;
    }
    /// CTAs of a launch for which a core has room where so much is left, and it may hold `most` of them.
    static unsigned room(place const& p, unsigned c, core_resources const& left, unsigned most) noexcept {
        most = std::min(most, p.ctas.fit());
        if (p.ctas.held(c) >= most) return 0;
        return std::min(most - p.ctas.held(c), room_for(p.takes, left).ctas);
    }
    /// The place of the kernel that core `c` shall get CTAs of, or nobody.
    unsigned whose_turn(unsigned c, cycle now, std::vector<place> const& places,
                        std::vector<unsigned> const& running, unsigned most) {
        if constexpr (picks_kernels<KernelDispatch>) {
            view_.clear();
            auto const free = left(c, places, running);
            for (auto const n : running) {
                auto const& p = places[n];
                view_.push_back({p.kernel, p.ctas.held(c), std::min(most, p.ctas.fit()), p.ctas.waits(now),
                                 room(p, c, free, most) != 0, p.takes});
            }
            auto const picked = policy_.pick({c, core_, view_.data(), static_cast<unsigned>(view_.size())});
            if (picked != no_kernel) return running[picked];
        }
        return nobody;
    }

    [[no_unique_address]] KernelDispatch policy_{};
    core_resources core_;
    heap_array<unsigned> turn_;        ///< by core: the place of whose turn it is
    std::vector<kernel_on_core> view_; ///< of a core
};

} // namespace warpkit
