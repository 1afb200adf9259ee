#pragma once
/// \file
/// Warp collectives: who takes part (PTX ISA, shfl.sync: all threads of the member mask that have not exited, with the
/// same qualifiers and mask), and what they do once they are there.

#include <warpkit/frontend/ptx/convergence.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/program/stream.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace warpkit::ptx {

/// Whether the lanes that execute a collective are all that each of them names.
inline bool names_only(warp_context const& c, lane_mask alive, operation const& o, lane_mask mask) {
    auto const slot = o.source[o.source_count - 1U];
    auto const* const members = c.lanes_of<lane_mask>(slot);
    auto const first = members[static_cast<unsigned>(std::countr_zero(mask))];
    if ((first & alive) != mask) return false;
    if ((slot & operation::constant_bit) != 0) return true;
    lane_mask differs = 0;
    for (unsigned l = 0; l < lanes; ++l)
        differs |= (mask & detail::lane_bit[l]) != 0 ? members[l] ^ first : 0;
    return differs == 0;
}

/// Whether two groups wait at collectives that are one: with the same qualifiers and members.
inline bool is_same_collective(std::vector<operation> const& code, lane_group const& a, lane_group const& b) {
    if (b.waits != lane_group::wait::lanes || a.members != b.members) return false;
    if (a.pc == b.pc) return true;
    auto const& x = code[a.pc];
    auto const& y = code[b.pc];
    return x.row == y.row && x.modifiers->word == y.modifiers->word && x.modifiers->type == y.modifiers->type;
}

/// A collective of lanes at one or several instructions: their operands are brought together, it is carried out once,
/// and each lane's results go where its own instruction says.
/// `registers` are the warp's.
inline void perform(warp_context& c, std::vector<operation> const& code, std::byte* registers,
                    waiting_lanes const& parts) {
    static constexpr std::uint32_t slot_bytes = 8 * lanes;
    auto* const saved = c.bank[0];
    alignas(64) std::array<std::byte, slot_bytes*(operation::max_sources + 2)> operands;
    auto* const gathered = operands.data();
    operation all = code[parts.at[0].pc];
    all.negated = 0;
    for (unsigned k = 0; k < all.source_count; ++k) all.source[k] = k * slot_bytes;
    all.destination[0] = operation::max_sources * slot_bytes;
    bool second = false;
    for (unsigned i = 0; i < parts.count; ++i) {
        auto const& o = code[parts.at[i].pc];
        second = second || o.destination[1] != operation::no_slot;
        for (unsigned k = 0; k < o.source_count; ++k) {
            c.bank[0] = registers;
            unsigned const bytes = k == 0 ? o.source_bytes : sizeof(lane_mask);
            auto const* const from = c.at(o.source[k]);
            lane_mask const predicate = bytes == 0 ? c.predicate(o, k) : 0;
            c.bank[0] = gathered;
            if (bytes == 0) {
                c.write_predicate(all.source[k], predicate, parts.at[i].mask);
                continue;
            }
            for (auto rest = parts.at[i].mask; rest != 0; rest &= rest - 1) {
                auto const l = static_cast<unsigned>(std::countr_zero(rest));
                std::memcpy(c.at(all.source[k]) + std::size_t{l} * bytes, from + std::size_t{l} * bytes,
                            bytes);
            }
        }
    }
    all.destination[1] = second ? (operation::max_sources + 1) * slot_bytes : operation::no_slot;
    c.bank[0] = gathered;
    all.execute(c, all, parts.mask);
    std::array<std::uint32_t, lanes> result{};
    std::memcpy(result.data(), c.at(all.destination[0]), sizeof result);
    lane_mask in_range = 0;
    if (second) std::memcpy(&in_range, c.at(all.destination[1]), sizeof in_range);
    c.bank[0] = registers;
    for (unsigned i = 0; i < parts.count; ++i) {
        auto const& o = code[parts.at[i].pc];
        if (o.destination[0] != operation::no_slot) {
            if (o.destination_bytes == 0)
                c.write_predicate(o.destination[0], result[0], parts.at[i].mask);
            else
                c.write<std::uint32_t>(o.destination[0], result.data(), parts.at[i].mask);
        }
        if (o.destination[1] != operation::no_slot)
            c.write_predicate(o.destination[1], in_range, parts.at[i].mask);
    }
    c.bank[0] = saved;
}

} // namespace warpkit::ptx
