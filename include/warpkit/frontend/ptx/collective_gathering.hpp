#pragma once
/// \file
/// Members of a warp collective that do not stand at it together: those that are there wait, and it is carried out when
/// the last one has come, wherever each is (PTX ISA, shfl.sync). What is carried out: collectives.hpp.

#include <warpkit/base/error.hpp>
#include <warpkit/frontend/ptx/collectives.hpp>
#include <warpkit/frontend/ptx/convergence.hpp>
#include <warpkit/frontend/ptx/execution.hpp>
#include <warpkit/frontend/ptx/lane_progress.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace warpkit::ptx::turns {

/// The lanes of `waiting` are a group at a collective: if all members are there, they go on. Returns whether they do.
inline bool try_collective(execution& x, std::uint32_t w, lane_mask waiting) {
    auto& s = x.now->warps[w];
    lane_group const* group = nullptr;
    for (std::size_t i = 0; i < s.groups.all().size(); ++i)
        if (auto const& g = s.groups.all()[i]; !s.groups.is_join(i) && (g.mask & waiting) != 0) group = &g;
    auto there = lanes_that(
        s.groups, [&](lane_group const& g) { return is_same_collective(x.kernel->operations(), *group, g); });
    if (there.mask != (group->members & s.groups.alive())) return false;
    auto& last = there.at[there.count - 1];
    for (unsigned i = 0; i < there.count; ++i) // the given lanes run on
        if (there.at[i].pc == group->pc) std::swap(there.at[i], last);
    perform(x.context, x.kernel->operations(), x.registers_of(w), there);
    for (unsigned i = 0; i < there.count; ++i) {
        x.put(w, there.at[i].pc, there.at[i].mask);
        s.groups.unite(there.at[i].mask, there.at[i].pc + 1);
    }
    return true;
}

/// The lanes of `mask` reach a collective and do not name just each other. False: the warp must wait.
inline bool gather(execution& x, std::uint32_t w, operation const& o, lane_mask mask) {
    auto& s = x.now->warps[w];
    auto const* const members = x.context.source<lane_mask>(o, o.source_count - 1U);
    auto const pc = o.index;
    auto const all = s.groups.current().mask;
    std::array<lane_mask, lanes> named{};
    lane_groups::paths sets;
    unsigned count = 0;
    lane_mask done = 0;
    for (auto rest = mask; rest != 0;) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        lane_mask alike = 0;
        for (auto more = rest; more != 0; more &= more - 1) {
            auto const k = static_cast<unsigned>(std::countr_zero(more));
            alike |= static_cast<lane_mask>(members[k] == members[l]) << k;
        }
        if (auto const strangers = alike & ~members[l]; strangers != 0)
            throw error(x.names.kernel() + "warp collective at " + x.kernel->place(pc) + ": " +
                        x.names.thread(x.context, strangers) + ", warp " + std::to_string(w) + ": lane " +
                        std::to_string(std::countr_zero(strangers)) + " is not in its own member mask " +
                        hexadecimal(members[l]));
        if ((members[l] & s.groups.alive()) == alike) {
            o.execute(x.context, o, alike);
            done |= alike;
        } else {
            named[count] = members[l];
            sets[count++] = {pc, alike};
        }
        rest &= ~alike;
    }
    x.uncount();
    if (done != 0) x.put(w, pc, done);
    if (count == 0) {
        ++s.groups.current().pc;
        return true;
    }
    // Those that wait part from those that go on.
    if (count > 1 || sets[0].mask != all) s.groups.part(pc + 1, false, sets, count);
    for (unsigned i = 0; i < count; ++i)
        for (std::size_t k = 0; k < s.groups.all().size(); ++k)
            if (!s.groups.is_join(k) && s.groups.all()[k].mask == sets[i].mask)
                s.groups.block(k, lane_group::wait::lanes, named[i], 0);
    for (unsigned i = 0; i < count; ++i) static_cast<void>(try_collective(x, w, sets[i].mask));
    return go_on(x, w);
}

} // namespace warpkit::ptx::turns
