#pragma once
/// \file
/// clusterlaunchcontrol: a CTA asks for the work of one that has not been launched yet (PTX ISA, "Cluster Launch
/// Control"). Here none is ever given, as it may be, so that all CTAs are launched (docs/model/ptx.md#launch-control).

#include <warpkit/base/lanes.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/frontend/ptx/bulk_copy.hpp>
#include <warpkit/frontend/ptx/memory_access.hpp>
#include <warpkit/frontend/ptx/operation.hpp>

#include <bit>
#include <cstdint>
#include <cstring>

namespace warpkit::ptx::semantics {

/// The 16 bytes of an answer, which PTX leaves open: whether a cluster is given in the lowest bit, then, in words of 32
/// bits, x, y and z of its first CTA.
struct launch_answer {
    static constexpr unsigned bytes = 16;
    std::uint32_t given = 0;
    std::uint32_t first[3]{};
};
static_assert(sizeof(launch_answer) == launch_answer::bytes);

/// clusterlaunchcontrol.try_cancel: writes the answer to shared memory, as 16 bytes of transactions of an mbarrier; of
/// this CTA, or for All to the same places of all CTAs of the cluster.
template <bool All>
void ask_for_launch(warp_context& c, operation const& o, lane_mask mask) {
    c.record->begin_instruction();
    c.space = memory_space::shared;
    c.regular = false;
    launch_answer const answer;
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        listed_operands operands(c, o, l);
        auto const to = operands.address();
        auto const barrier = operands.address();
        c.address[l] = address_in(memory_space::shared, to);
        auto const write = [&](std::uint64_t place, std::uint64_t signals) {
            std::memcpy(bulk::place(c, o, l, memory_space::shared, place, answer.bytes, answer.bytes),
                        &answer, sizeof answer);
            static_cast<void>(bulk::complete_transactions(c, o, l, signals, answer.bytes, true));
        };
        if (All && c.memory.cluster_ctas > 1)
            for (std::uint32_t rank = 0; rank < c.memory.cluster_ctas; ++rank)
                write(cluster_address(to, rank), cluster_address(barrier, rank));
        else
            write(to, barrier);
    }
}
/// clusterlaunchcontrol.query_cancel.is_canceled
template <int = 0>
void was_given(warp_context& c, operation const& o, lane_mask mask) {
    lane_mask r = 0;
    for (unsigned l = 0; l < lanes; ++l)
        r |= static_cast<lane_mask>(c.source<std::uint64_t>(o, 0)[l] & 1) << l;
    c.write_predicate(o.destination[0], r, mask);
}
/// clusterlaunchcontrol.query_cancel.get_first_ctaid: the dimension, or where there are four destinations x, y, z and
/// something.
template <unsigned Dimension>
void first_cta(warp_context& c, operation const& o, lane_mask mask) {
    for (unsigned e = 0; e < o.elements; ++e) {
        if (o.destination[e] == operation::no_slot) continue;
        auto const word = Dimension + e + 1; // of the four
        auto const* const pair = c.source<std::uint64_t>(o, word / 2 % 2);
        std::uint32_t value[lanes];
        for (unsigned l = 0; l < lanes; ++l)
            value[l] = static_cast<std::uint32_t>(pair[l] >> (word % 2 == 0 ? 0 : 32));
        c.write<std::uint32_t>(o.destination[e], value, mask);
    }
}

} // namespace warpkit::ptx::semantics
