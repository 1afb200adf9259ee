#pragma once
/// \file
/// What is said of a kernel that does not end: it runs for ever, its streams grow without bound, or its warps wait for
/// what never comes.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/ptx/collectives.hpp>
#include <warpkit/frontend/ptx/execution.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace warpkit::ptx::turns {

/// What is said of more warp instructions than execution_limits allow.
inline std::string endless(execution const& x, operation const& o) {
    auto text = x.names.kernel() + "CTA " + x.names.cta(x.context.cta) + " has not ended after " +
                std::to_string(x.limits.instructions) + " warp instructions; warp " +
                std::to_string(x.context.warp) + " is at " + x.kernel->place(o.index);
    for (auto const& g : x.now->warps[x.context.warp].groups.all())
        if (g.waits != lane_group::wait::nothing)
            text += "; lanes " + hexadecimal(g.mask) + " wait for others at a " +
                    (g.waits == lane_group::wait::lanes ? "warp collective" : "barrier") + " at " +
                    x.kernel->place(g.pc);
    return text;
}
/// Throws it, unless it may be another host thread that the CTA waits for.
[[gnu::noinline, gnu::cold]] inline void end_or_go_on(execution& x, operation const& o) {
    auto text = endless(x, o);
    if (x.shared == nullptr || !x.shared->may_go_on(x.patience, x.number_of_running(), text))
        throw error(text);
    x.may_execute += x.limits.instructions;
}

/// The place of a loop that does not end: between the first and the last instruction of the later half of what the
/// warp executed, wherever it is now, and whatever loops lie inside.
[[noreturn, gnu::cold]] inline void report_runaway(execution const& x, std::uint32_t warp,
                                                   warp_stream const& stream, std::uint64_t held) {
    std::uint64_t seen = 0;
    auto first = stream.runs().back().first;
    auto last = first;
    for (auto r = stream.runs().rbegin(); r != stream.runs().rend() && seen < stream.size() / 2; ++r) {
        first = std::min(first, r->first);
        last = std::max(last, r->first + r->count - 1);
        seen += r->count;
    }
    throw error(x.names.kernel() + "CTA " + x.names.cta(x.context.cta) + " has not ended after " +
                std::to_string(x.context.executed) + " warp instructions, and their stream takes " +
                std::to_string(held) + " bytes: warp " + std::to_string(warp) + " has been between " +
                x.kernel->place(first) + " and " + x.kernel->place(last) + " for its last " +
                std::to_string(seen) + "; if that loop does end, raise " + x.limits.stream_option + ", " +
                std::to_string(x.limits.stream_bytes) + " bytes");
}

/// A lane of this warp waits at a collective for one that never comes.
[[noreturn]] inline void report_missing(execution const& x, resident_cta const& cta, std::uint32_t w) {
    auto const& s = cta.warps[w];
    lane_group const* waiting = nullptr;
    lane_mask missing = 0;
    for (auto const& g : s.groups.all()) {
        if (waiting != nullptr || g.waits != lane_group::wait::lanes) continue;
        missing = g.members & s.groups.alive();
        for (auto const& k : s.groups.all())
            if (is_same_collective(x.kernel->operations(), g, k)) missing &= ~k.mask;
        if (missing != 0) waiting = &g;
    }
    auto const lane = std::to_string(std::countr_zero(missing));
    std::string elsewhere;
    for (std::size_t i = 0; i < s.groups.all().size(); ++i) {
        auto const& g = s.groups.all()[i];
        if (s.groups.is_join(i) || (g.mask >> std::countr_zero(missing) & 1) == 0) continue;
        elsewhere =
            (g.waits == lane_group::wait::barrier ? "barrier " + std::to_string(g.barrier)
                                                  : "a warp collective of lanes " + hexadecimal(g.members)) +
            " at " + x.kernel->place(g.pc);
    }
    throw error(x.names.kernel() + "warp collective at " + x.kernel->place(waiting->pc) + ": CTA " +
                x.names.cta(cta.linear) + ", warp " + std::to_string(w) + ", lane " +
                std::to_string(std::countr_zero(waiting->mask)) + " waits for lane " + lane +
                ", which its member mask " + hexadecimal(waiting->members) +
                " names and which never comes: it waits at " + elsewhere);
}

/// All warps of the cluster wait for what none of them can bring.
[[noreturn]] inline void report_deadlock(execution const& x) {
    std::string list;
    unsigned named = 0;
    bool barriers_alone = true;
    auto const add = [&](resident_cta const& c, std::uint32_t w, std::string const& where) {
        if (++named > 8) return;
        list += (list.empty() ? "" : ", ") +
                (x.cluster.size() == 1 && x.beside.empty() ? "" : "CTA " + x.names.cta(c.linear) + " ") +
                "warp " + std::to_string(w) + where;
    };
    auto const tell = [&](resident_cta const& c) {
        for (std::uint32_t w = 0; w < x.warps; ++w) {
            auto const& s = c.warps[w];
            if (s.status == warp_status::exited) continue;
            auto const& groups = s.groups.all();
            if (s.status == warp_status::ready) {
                barriers_alone = false;
                add(c, w,
                    " waits at " + x.kernel->place(s.poll.pc) + " (" + x.kernel->opcode(s.poll.pc) + ")");
                continue;
            }
            for (auto const& g : groups)
                if (g.waits == lane_group::wait::lanes) report_missing(x, c, w);
            for (auto const& g : groups)
                if (g.waits == lane_group::wait::barrier)
                    add(c, w,
                        (groups.size() == 1 ? "" : " (lanes " + hexadecimal(g.mask) + ")") + " at barrier " +
                            std::to_string(g.barrier) + " (" + x.kernel->place(g.pc) + ")");
        }
    };
    for (auto const& c : x.cluster) tell(c);
    for (auto const& c : x.beside) tell(c);
    if (named > 8) list += " and " + std::to_string(named - 8) + " more";
    throw error(x.names.kernel() + "CTA " + x.names.cta(x.cluster.front().linear) +
                (barriers_alone ? " waits at barriers that can never be met: "
                                : " waits for what never comes to pass: ") +
                list);
}

} // namespace warpkit::ptx::turns
