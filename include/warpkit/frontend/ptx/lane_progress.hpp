#pragma once
/// \file
/// Every lane makes progress: a group of lanes that only waits for others lets them go, and a warp that asks for what
/// has not come to pass (action::poll) is answered when nobody can do anything else.

#include <warpkit/frontend/ptx/convergence.hpp>
#include <warpkit/frontend/ptx/execution.hpp>
#include <warpkit/frontend/ptx/execution_reports.hpp>
#include <warpkit/frontend/ptx/resident_cta.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace warpkit::ptx::turns {

/// In instructions that a group runs in a row; `next_` holds once lanes of the warp were seen to wait for others.
inline constexpr std::uint32_t first_look = 1024;
inline constexpr std::uint32_t next_look = 64;
inline constexpr std::uint64_t first_patience = 1U << 16;
inline constexpr std::uint64_t first_endurance = 1U << 20;
inline constexpr std::uint64_t next_patience = 1024;
inline constexpr std::uint32_t most_steps = 1024;

/// Of a warp that begins: nothing has been seen of it.
inline void begin_watch(warp_state& s) {
    s.watch.mask = 0;
    s.watch.steps = 0;
    s.watch.waits = false;
    s.watch.interval = first_look;
    s.watch.patience = first_patience;
    s.watch.endurance = first_endurance;
    s.poll.asks = s.poll.at_cluster_barrier = s.poll.refuse = false;
    s.poll.refusals = 0;
    s.poll.refused_at = 0;
}

/// The group that runs lets another of its warp run; `from_joins_too`: also one that waits where lanes meet. Where
/// there is none, or all have let others go, other warps have their turn.
[[gnu::noinline]] inline void let_others_go(execution& x, warp_state& s, bool from_joins_too) {
    auto& v = s.watch;
    bool const other = s.groups.yield(from_joins_too);
    if (!other && !from_joins_too) return;
    v.mask = 0;
    v.steps = 0;
    if (other) {
        v.interval = next_look;
        v.patience = next_patience;
        if (from_joins_too) v.endurance = next_patience;
    }
    if (!other || s.groups.all_have_yielded()) {
        x.left = 0; // it may be other warps that all of them wait for
        v.waits = true;
    }
}

/// A group that comes again to the same instruction with the same registers waits for others. A look takes a copy
/// and follows some instructions; between looks the group runs twice as long each time. One that counts while it
/// waits is not seen so, and lets others go when it has run for long.
inline void look(execution& x, warp_state& s) {
    auto& v = s.watch;
    auto const& g = s.groups.current();
    auto const* const registers = x.context.bank[0];
    if (g.mask != v.mask) {
        v.mask = g.mask;
        v.ran = 0;
        v.look_at = v.interval;
        v.steps = 0;
    } else if (v.steps != 0) {
        --v.steps;
        if (g.pc == v.pc && std::memcmp(registers, v.registers.data(), v.registers.size()) == 0)
            let_others_go(x, s, true);
    } else {
        v.ran += v.interval;
        if (v.ran >= v.patience) {
            let_others_go(x, s, v.ran >= v.endurance);
        } else if (v.ran >= v.look_at) {
            v.look_at = 2 * v.ran;
            v.steps =
                static_cast<std::uint32_t>(std::clamp<std::uint64_t>(v.ran / 16, next_look, most_steps));
            v.pc = g.pc;
            v.registers.assign(registers, registers + x.kernel->register_bytes());
        }
    }
}

/// Looks whether the group that runs should let others go, and says for how many instructions it goes on unwatched.
[[gnu::noinline]] inline std::uint32_t next_budget(execution& x, warp_state& s) {
    if (!s.groups.converged() || x.watches) look(x, s);
    auto const next = std::min(s.watch.steps != 0 ? 1 : s.watch.interval, x.left);
    x.left -= next;
    return next;
}

/// A group that can run does. False: there is none, and the warp waits.
inline bool go_on(execution& x, std::uint32_t w) {
    auto& s = x.now->warps[w];
    if (s.groups.can_run() || s.groups.next()) return true;
    s.status = warp_status::waiting;
    for (auto const& g : s.groups.all())
        if (g.waits == lane_group::wait::barrier) return false;
    report_missing(x, *x.now, w);
}

/// The warp asks for what has not come to pass: does it hear so, or do others go first?
[[gnu::noinline]] inline bool is_refused(execution& x, warp_state& s, std::uint32_t pc) {
    auto& p = s.poll;
    p.pc = pc;
    if (!p.refuse) {
        p.asks = true;
        x.uncount();
        return false;
    }
    p.refuse = false;
    p.refused_at = x.total;
    auto const* const registers = x.context.bank[0];
    if (p.registers.size() == x.kernel->register_bytes() &&
        std::memcmp(registers, p.registers.data(), p.registers.size()) == 0) {
        ++p.refusals;
    } else {
        p.registers.assign(registers, registers + x.kernel->register_bytes());
        p.refusals = 0;
    }
    return true;
}

/// The running group asks again when others have had their turn. True: those are other warps.
[[gnu::noinline]] inline bool let_others_answer(execution& x, warp_state& s) {
    if (s.groups.converged()) return true;
    let_others_go(x, s, true);
    return x.left == 0;
}

/// The running group waits for other CTAs of its cluster, and comes again to the same instruction. True: other warps
/// have their turn first.
[[gnu::noinline]] inline bool waits_for_cluster(execution& x, warp_state& s, std::uint32_t pc) {
    s.poll.pc = pc;
    s.poll.at_cluster_barrier = true;
    x.uncount();
    return let_others_answer(x, s);
}

/// In a round of all CTAs nobody has executed anything: of those that ask, the one that was refused least recently is,
/// unless somebody else only gave up a turn.
inline void refuse_one(execution& x) {
    poll_watch* chosen = nullptr;
    bool hope = false;
    bool goes_on = false;
    auto const choose = [&](resident_cta& c) {
        for (auto& s : c.warps) {
            if (s.status != warp_status::ready) continue;
            if (!s.poll.asks) {
                goes_on = goes_on || !s.poll.at_cluster_barrier;
                continue;
            }
            if (chosen == nullptr || s.poll.refused_at < chosen->refused_at) chosen = &s.poll;
            hope = hope || s.poll.refusals < poll_watch::most_refusals;
        }
    };
    for (auto& c : x.cluster) choose(c);
    for (auto& c : x.beside) choose(c);
    if (goes_on) return;
    if (!hope) report_deadlock(x);
    chosen->refuse = true;
}

} // namespace warpkit::ptx::turns
