#pragma once
/// \file
/// A warp's turn: it executes its instructions, one group of lanes after the other, until its time slice is over or it
/// waits or exits, and writes down what it executed.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/ptx/barrier_arrivals.hpp>
#include <warpkit/frontend/ptx/collective_gathering.hpp>
#include <warpkit/frontend/ptx/collectives.hpp>
#include <warpkit/frontend/ptx/convergence.hpp>
#include <warpkit/frontend/ptx/execution.hpp>
#include <warpkit/frontend/ptx/execution_reports.hpp>
#include <warpkit/frontend/ptx/lane_progress.hpp>
#include <warpkit/frontend/ptx/memory_access.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/program/stream.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace warpkit::ptx::turns {

// What is rare goes to the stream through here, so that append() is expanded where it is hot.
[[gnu::noinline]] inline void step(lane_group& g, warp_stream& out, lane_mask mask) {
    out.append(g.pc++, mask);
}

/// The lanes of `mask` jump where their registers say, in the order of the lowest lane of each target; the others
/// go on.
inline void jump_by_table(execution& x, warp_state& s, operation const& o, lane_mask mask) {
    auto const& table = x.kernel->program().jump_tables[o.target];
    bool const call = o.source_bytes == 8;
    lane_groups::paths to;
    unsigned count = 0;
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        std::uint64_t chosen = call ? x.context.source<std::uint64_t>(o, 0)[l] - function_window
                                    : x.context.source<std::uint32_t>(o, 0)[l];
        if (chosen >= table.size() || table[chosen] == static_instruction::no_target)
            throw error(
                x.names.kernel() + "indirect " + (call ? "call" : "branch") + " at " +
                x.kernel->place(o.index) + ": " + x.names.thread(x.context, 1U << l) +
                (call ? ", the address in the register is not that of a function that this call can reach"
                      : ", expected a number below " + std::to_string(table.size()) + ", found " +
                            std::to_string(chosen)));
        unsigned i = 0;
        while (i < count && to[i].pc != table[chosen]) ++i;
        if (i == count) to[count++] = {table[chosen], 0};
        to[i].mask |= 1U << l;
    }
    auto& top = s.groups.current();
    if (auto const others = top.mask & ~mask; others != 0) {
        unsigned i = 0;
        while (i < count && to[i].pc != top.pc + 1) ++i;
        if (i == count) to[count++] = {top.pc + 1, 0};
        to[i].mask |= others;
    }
    if (count == 1)
        top.pc = to[0].pc;
    else
        s.groups.part(o.reconvergence, o.meets_only_at_end, to, count);
}

/// Lanes exit. False: the warp has exited or must wait.
inline bool leave(execution& x, std::uint32_t w, lane_mask mask) {
    auto& s = x.now->warps[w];
    if (!s.groups.leave(mask)) {
        s.status = warp_status::exited;
        return false;
    }
    // Who waited for nobody but lanes that have gone goes on.
    lane_mask looked_at = 0;
    for (std::size_t i = 0; i < s.groups.all().size(); ++i) {
        auto const g = s.groups.all()[i];
        if ((g.mask & ~looked_at) == 0 || g.waits == lane_group::wait::nothing) continue;
        looked_at |= g.mask;
        if (g.waits == lane_group::wait::lanes) {
            static_cast<void>(try_collective(x, w, g.mask));
            i = static_cast<std::size_t>(-1); // the list has changed
        } else if (auto const there = x.lanes_at_barrier(w, g.barrier); there.mask == s.groups.alive()) {
            arrive_whole(x, w, g.barrier, there);
            release_barriers(x);
            break; // nobody waits elsewhere
        }
    }
    return go_on(x, w);
}

/// Runs one warp until its time slice is over or it waits or exits.
inline void run_warp(execution& x, std::uint32_t w, warp_stream& out) {
    auto& s = x.now->warps[w];
    auto& c = x.context;
    c.warp = w;
    c.bank[0] = x.registers_of(w);
    auto const* const code = x.kernel->operations().data();
    x.left = x.limits.time_slice;
    std::uint32_t budget = 0; // instructions until someone looks whether the group spins
    if (!s.groups.can_run()) static_cast<void>(s.groups.next());
    auto* top = &s.groups.current();
    for (;;) {
        while (top->pc == top->reconvergence) {
            s.groups.meet();
            top = &s.groups.current();
        }
        if (budget == 0) {
            if (x.left == 0) return;
            budget = next_budget(x, s);
            top = &s.groups.current();
            continue;
        }
        --budget;
        auto const pc = top->pc;
        auto const& o = code[pc];
        auto mask = top->mask;
        if (o.attention) {
            if (o.may_be_met && s.groups.meet_further_up()) {
                top = &s.groups.current();
                continue;
            }
            if (o.guarded) {
                auto const p = *c.lanes_of<lane_mask>(o.guard);
                mask &= o.guard_negated ? ~p : p;
            }
        }
        if (++c.executed > x.may_execute) end_or_go_on(x, o);
        ++x.total;
        switch (o.what) {
        case action::compute:
            out.append(pc, mask);
            if (mask != 0) o.execute(c, o, mask);
            ++top->pc;
            break;
        case action::access:
            if (mask != 0) {
                o.execute(c, o, mask);
                if (c.regular)
                    out.append(pc, mask, c.space, c.address[0], c.stride);
                else
                    out.append(pc, mask, c.space, c.address);
            } else {
                out.append(pc, mask);
            }
            ++top->pc;
            break;
        case action::jump:
            out.append(pc, mask);
            if (mask == top->mask) {
                top->pc = o.target;
            } else if (mask == 0) {
                ++top->pc;
            } else {
                s.groups.part(o.reconvergence, o.meets_only_at_end,
                              {{{o.target, mask}, {pc + 1, top->mask & ~mask}}}, 2);
                top = &s.groups.current();
            }
            break;
        case action::jump_by_table:
            out.append(pc, mask);
            jump_by_table(x, s, o, mask);
            top = &s.groups.current();
            break;
        case action::exit:
            out.append(pc, mask);
            ++top->pc;
            if (mask != 0) {
                if (!leave(x, w, mask)) return;
                top = &s.groups.current();
            }
            break;
        case action::synchronise:
            if (mask != 0) {
                if (arrive(x, w, o, mask)) return;
                top = &s.groups.current();
            } else {
                step(*top, out, mask);
            }
            break;
        case action::gather:
            if (mask == 0 || names_only(x.context, s.groups.alive(), o, mask)) {
                if (mask != 0) o.execute(c, o, mask);
                step(*top, out, mask);
            } else {
                if (!gather(x, w, o, mask)) return;
                top = &s.groups.current();
            }
            break;
        case action::copy:
            if (mask != 0) o.execute(c, o, mask);
            x.put_access(out, pc, mask == 0 ? 0 : c.accessed);
            ++top->pc;
            break;
        case action::poll:
            if (mask != 0) o.execute(c, o, mask);
            if (mask != 0 && (mask & ~c.accessed) != 0 && !is_refused(x, s, pc)) {
                if (let_others_answer(x, s)) return;
                top = &s.groups.current();
                break;
            }
            x.put_access(out, pc, mask);
            x.put_words(out, mask);
            ++top->pc;
            break;
        case action::signal:
            if (mask != 0) o.execute(c, o, mask);
            x.put_access(out, pc, mask);
            x.put_words(out, mask);
            ++top->pc;
            break;
        case action::bulk:
            if (mask != 0) o.execute(c, o, mask);
            step(*top, out, mask);
            x.put_words(out, mask);
            break;
        case action::meet:
            c.accessed = 0;
            if (mask != 0) o.execute(c, o, mask);
            if (mask != 0 && c.accessed == 0) {
                if (waits_for_cluster(x, s, pc)) return;
                top = &s.groups.current();
                break;
            }
            step(*top, out, mask);
            x.put_words(out, mask);
            break;
        case action::arrive_in_cluster:
            step(*top, out, arrive_in_cluster(x, s, o, mask));
            break;
        case action::wait_in_cluster:
            if (mask != 0 && !may_pass(x, s, o, mask)) {
                if (waits_for_cluster(x, s, pc)) return;
                top = &s.groups.current();
                break;
            }
            out.append_barrier(top->pc++, mask, x.phases_in_cluster, 0);
            break;
        case action::yield:
            step(*top, out, mask);
            if (mask != 0 && !s.groups.converged()) {
                let_others_go(x, s, true);
                top = &s.groups.current();
            } else if (mask != 0 && x.watches) {
                s.watch.waits = true;
                return;
            }
            break;
        case action::pass:
            step(*top, out, mask);
            if (mask != 0) return;
            break;
        case action::trap:
            if (mask != 0)
                throw error(x.names.kernel() + "trap at " + x.kernel->place(o.index) + " in " +
                            x.names.thread(c, mask));
            step(*top, out, mask);
            break;
        default:
            throw error(x.names.kernel() + "instruction at " + x.kernel->place(o.index) +
                        " is not supported");
        }
    }
}

} // namespace warpkit::ptx::turns
