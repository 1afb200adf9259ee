#pragma once
/// \file
/// Replays a recorded run (event_log.hpp) on any scheduler, without the pipeline: on how many decisions does it agree
/// with what was recorded, and on which do the two part first?
///
///     auto const result = testing::replay<lrr>(testing::event_log::read("vecadd.log"));
///     std::cout << result.text() << '\n';
///
/// The log goes on with what was issued, not with what the scheduler would have picked: each decision is judged on its
/// own, with the history that the recorded scheduler made.

#include <warpkit/base/listen.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/base/warp_picker.hpp>
#include <warpkit/testing/event_log.hpp>
#include <warpkit/testing/words.hpp>
#include <warpkit/warp/check.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace warpkit::testing {

/// A decision on which the replayed scheduler picks another warp than the recorded one did.
struct parting {
    std::uint64_t record = 0; ///< its number in the log, counted from 1
    unsigned core = 0;
    std::string kernel;
    decision_made recorded;
    warp_slot picked; ///< by the replayed scheduler

    /// "cycle 812, core 0, scheduler 1: gto issued warp 5, lrr would pick warp 7; candidates {5, 7, 9}".
    std::string text(std::string const& recorded_name, std::string const& name) const {
        return "cycle " + std::to_string(recorded.at) + ", core " + std::to_string(core) + ", scheduler " +
               std::to_string(recorded.scheduler) + ": " + recorded_name + " picked " +
               text_of(recorded.pick) + ", " + name + " would pick " + text_of(picked) + "; candidates " +
               text_of(recorded.candidates) + (kernel.empty() ? std::string() : ", in kernel " + kernel);
    }
};

/// What came of a replay.
struct replay_result {
    std::string recorded; ///< the name of the scheduler that was recorded
    std::string policy;   ///< the name of the one that was replayed
    std::uint64_t decisions = 0;
    std::uint64_t agreed = 0;
    std::optional<parting> first; ///< where they part, if they do

    /// From 0 to 1.
    double agreement() const noexcept {
        return decisions == 0 ? 1.0 : static_cast<double>(agreed) / static_cast<double>(decisions);
    }
    /// One sentence.
    std::string text() const {
        auto const numbers = policy + " agrees with " + recorded + " on " + std::to_string(agreed) + " of " +
                             std::to_string(decisions) + " decisions";
        return first ? numbers + "; they part at " + first->text(recorded, policy) : numbers;
    }
};

/// Replays a log on P, one instance for each of the recorded core's schedulers. Throws `error` on a corrupt log.
template <class P>
replay_result replay(event_log const& log, P const& fresh = P{}, std::string const& name = common_name<P>) {
    static_assert(check_warp_scheduler<P>());
    struct seat {
        unsigned scheduler;
        warp_set owned;
        P policy;
    };
    std::vector<seat> seats;
    replay_result result;
    result.recorded = log.header().scheduler;
    result.policy = name;
    kernel_began began; // schedulers begin directly behind it
    event_log_reader reader(log);
    auto const hear = [&](auto const& e) {
        using type = std::remove_cvref_t<decltype(e)>;
        if constexpr (std::is_same_v<type, kernel_began>) {
            began = e;
            for (auto& s : seats) notify(e, s.policy);
        } else if constexpr (std::is_same_v<type, scheduler_began>) {
            for (auto& s : seats)
                if (s.scheduler == e.scheduler) {
                    s.owned = e.owned;
                    notify(e, s.policy);
                    return;
                }
            seats.push_back({e.scheduler, e.owned, fresh});
            notify(began, seats.back().policy);
            notify(e, seats.back().policy);
        } else if constexpr (std::is_same_v<type, issued>) {
            for (auto& s : seats)
                if (s.owned.contains(e.warp)) notify(e, s.policy);
        } else if constexpr (std::is_same_v<type, cycles_spent>) {
            for (auto& s : seats)
                if (s.scheduler == e.scheduler) notify(e, s.policy);
        } else if constexpr (std::is_same_v<type, decision_made>) {
            for (auto const& s : seats) {
                if (s.scheduler != e.scheduler) continue;
                auto const picked = pick_warp(s.policy, e.candidates, e.next);
                ++result.decisions;
                result.agreed += picked == e.pick;
                if (picked != e.pick && !result.first)
                    result.first = parting{reader.number(), began.core, reader.kernel(), e, picked};
            }
        } else {
            for (auto& s : seats) notify(e, s.policy);
        }
    };
    while (auto const* const e = reader.next()) std::visit(hear, *e);
    return result;
}

} // namespace warpkit::testing
