#pragma once
/// \file
/// Operations between the lanes of a warp: shuffle, vote, match, reduce, active mask. The lanes that take part are
/// those of the mask: where the form has a member mask, the executor has gathered the lanes that it names and that have
/// not exited; elsewhere they are those that execute the instruction together.

#include <warpkit/frontend/ptx/integer.hpp>
#include <warpkit/frontend/ptx/operation.hpp>

#include <bit>
#include <cstdint>

namespace warpkit::ptx::semantics {

/// shfl: from which lane each lane reads follows the PTX ISA's table; the optional predicate says whether that lane is
/// in range. A lane that would read from one that does not take part keeps its own value.
template <int = 0>
void shuffle_lanes(warp_context& c, operation const& o, lane_mask mask) {
    auto const* a = c.source<std::uint32_t>(o, 0);
    auto const* b = c.source<std::uint32_t>(o, 1);
    auto const* k = c.source<std::uint32_t>(o, 2);
    auto const mode = o.modifiers->get(modifier::shuffle);
    std::uint32_t r[lanes];
    lane_mask in_range = 0;
    for (std::uint32_t l = 0; l < lanes; ++l) {
        std::uint32_t const delta = b[l] & 31;
        std::uint32_t const clamp = k[l] & 31;
        std::uint32_t const segment = k[l] >> 8 & 31;
        std::uint32_t const least = l & segment;
        auto const most = static_cast<std::int32_t>(least | (clamp & ~segment & 31));
        std::int32_t from = 0;
        bool good = false;
        switch (mode) {
        case 1:
            from = static_cast<std::int32_t>(l) - static_cast<std::int32_t>(delta);
            good = from >= most;
            break;
        case 2:
            from = static_cast<std::int32_t>(l + delta);
            good = from <= most;
            break;
        case 3:
            from = static_cast<std::int32_t>(l ^ delta);
            good = from <= most;
            break;
        default:
            from = static_cast<std::int32_t>(least | (delta & ~segment & 31));
            good = from <= most;
            break;
        }
        in_range |= static_cast<lane_mask>(good) << l;
        bool const readable = good && (mask >> from & 1) != 0;
        r[l] = a[readable ? static_cast<std::uint32_t>(from) : l];
    }
    c.write<std::uint32_t>(o.destination[0], r, mask);
    if (o.destination[1] != operation::no_slot) c.write_predicate(o.destination[1], in_range, mask);
}

/// vote.all, any, uni
template <int = 0>
void vote_predicate(warp_context& c, operation const& o, lane_mask mask) {
    auto const yes = c.predicate(o, 0) & mask;
    bool const all = yes == mask;
    bool const any = yes != 0;
    auto const mode = o.modifiers->get(modifier::vote);
    bool const r = mode == 1 ? all : mode == 2 ? any : all || !any;
    c.write_predicate(o.destination[0], r ? all_lanes : 0, mask);
}
inline void write_uniform(warp_context& c, std::uint32_t slot, std::uint32_t value, lane_mask mask) {
    std::uint32_t r[lanes];
    for (auto& v : r) v = value;
    c.write<std::uint32_t>(slot, r, mask);
}
template <int = 0>
void vote_ballot(warp_context& c, operation const& o, lane_mask mask) {
    write_uniform(c, o.destination[0], c.predicate(o, 0) & mask, mask);
}
template <int = 0>
void active_mask(warp_context& c, operation const& o, lane_mask mask) {
    write_uniform(c, o.destination[0], mask, mask);
}
/// match.any: the lanes with the same value. match.all: the members if all have one value, else 0, and whether.
template <class T>
void match_any(warp_context& c, operation const& o, lane_mask mask) {
    auto const* a = c.source<T>(o, 0);
    std::uint32_t r[lanes]{};
    for (unsigned l = 0; l < lanes; ++l)
        for (unsigned k = 0; k < lanes; ++k)
            r[l] |= static_cast<std::uint32_t>((mask >> k & 1) != 0 && a[l] == a[k]) << k;
    c.write<std::uint32_t>(o.destination[0], r, mask);
}
template <class T>
void match_all(warp_context& c, operation const& o, lane_mask mask) {
    auto const* a = c.source<T>(o, 0);
    bool same = true;
    auto const first = static_cast<unsigned>(std::countr_zero(mask));
    for (unsigned l = 0; l < lanes; ++l) same = same && ((mask >> l & 1) == 0 || a[l] == a[first]);
    write_uniform(c, o.destination[0], same ? mask : 0, mask);
    if (o.destination[1] != operation::no_slot)
        c.write_predicate(o.destination[1], same ? all_lanes : 0, mask);
}
template <bool All>
execute_function matches(form const& f) {
    if (size_of(f.type[0]) == 4) return All ? &match_all<std::uint32_t> : &match_any<std::uint32_t>;
    return All ? &match_all<std::uint64_t> : &match_any<std::uint64_t>;
}
/// elect.sync: the lowest of the members leads; all are told which it is, and whether they are.
template <int = 0>
void elect_leader(warp_context& c, operation const& o, lane_mask mask) {
    auto const leader = static_cast<std::uint32_t>(std::countr_zero(mask));
    if (o.destination[0] != operation::no_slot) write_uniform(c, o.destination[0], leader, mask);
    if (o.destination[1] != operation::no_slot)
        c.write_predicate(o.destination[1], lane_mask{1} << leader, mask);
}
/// redux.sync
template <class T>
void reduce_lanes(warp_context& c, operation const& o, lane_mask mask) {
    auto const* a = c.source<T>(o, 0);
    auto r = a[static_cast<unsigned>(std::countr_zero(mask))];
    for (auto rest = mask & (mask - 1); rest != 0; rest &= rest - 1) {
        T const v = a[static_cast<unsigned>(std::countr_zero(rest))];
        switch (static_cast<atomic_operation>(o.modifiers->get(modifier::atomic))) {
        case atomic_operation::add:
            r = add<T>::apply(r, v);
            break;
        case atomic_operation::minimum:
            r = minimum<T>::apply(r, v);
            break;
        case atomic_operation::maximum:
            r = maximum<T>::apply(r, v);
            break;
        case atomic_operation::bit_and:
            r = bit_and<T>::apply(r, v);
            break;
        case atomic_operation::bit_or:
            r = bit_or<T>::apply(r, v);
            break;
        default:
            r = bit_xor<T>::apply(r, v);
            break;
        }
    }
    write_uniform(c, o.destination[0], static_cast<std::uint32_t>(r), mask);
}
template <int = 0>
execute_function reductions(form const& f) {
    auto const op = static_cast<atomic_operation>(f.get(modifier::atomic));
    if (op > atomic_operation::bit_xor) return nullptr;
    return f.type[0] == scalar::s32 ? &reduce_lanes<std::int32_t> : &reduce_lanes<std::uint32_t>;
}

} // namespace warpkit::ptx::semantics
