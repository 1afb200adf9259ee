#pragma once
/// \file
/// cp.async.bulk and cp.reduce.async.bulk: copies of many bytes between global memory and the shared memory of a
/// cluster's CTAs, by one thread; st.async and red.async, of registers.
/// Source: PTX ISA, "Data Movement and Conversion Instructions: cp.async.bulk". A copy is there at once, as it may be:
/// with it come the transactions of its mbarrier (docs/model/ptx.md#bulk-copies).

#include <warpkit/frontend/ptx/async_copy.hpp>
#include <warpkit/frontend/ptx/atomics.hpp>
#include <warpkit/frontend/ptx/half.hpp>
#include <warpkit/frontend/ptx/host_atomics.hpp>
#include <warpkit/frontend/ptx/memory_access.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace warpkit::ptx::semantics {

/// Operands that an instruction lists one behind the other (operand_spec's "[&]" and "[&,]"), as one lane has them.
class listed_operands {
public:
    /// Behind `registers` of a matrix, if any are listed.
    listed_operands(warp_context const& c, operation const& o, unsigned lane, unsigned registers = 0)
        : c_(&c),
          next_(c.fragments + o.target + registers),
          lane_(lane) {}
    std::uint64_t address() {
        auto const slot = *next_++;
        auto const bytes = *next_++;
        auto const offset = *c_->lanes_of<std::uint64_t>(*next_++);
        if (bytes == 8) return c_->lanes_of<std::uint64_t>(slot)[lane_] + offset;
        return c_->lanes_of<std::uint32_t>(slot)[lane_] + static_cast<std::uint32_t>(offset);
    }
    /// To the coordinates of a pixel, which are not negative (PTX ISA, "im2colOffsets").
    std::int32_t pixel_offset() { return c_->lanes_of<std::uint16_t>(*next_++)[lane_]; }
    std::int32_t coordinate() { return c_->lanes_of<std::int32_t>(*next_++)[lane_]; }

private:
    warp_context const* c_;
    std::uint32_t const* next_;
    unsigned lane_;
};

namespace bulk {

/// The host's view of `bytes` bytes, which must be there and aligned.
inline std::byte* place(warp_context const& c, operation const& o, unsigned lane, memory_space space,
                        std::uint64_t address, std::uint64_t bytes, unsigned alignment) {
    auto at = address;
    if (space == memory_space::generic) {
        space = space_of(address);
        at &= ~window_mask;
    }
    at = address_in(space, at);
    auto* const p = ptx::detail::find_bytes(c, space, at, bytes, lane);
    if (p == nullptr) c.fault(c, o, "out-of-range", lane, address, static_cast<unsigned>(bytes), space);
    if (at % alignment != 0) c.fault(c, o, "misaligned", lane, address, static_cast<unsigned>(bytes), space);
    return p;
}

/// Changes the mbarrier at an address, `change(mbarrier, rank, offset)`, and ends its phase if nothing is missing then.
template <class Change>
void change_barrier(warp_context const& c, operation const& o, unsigned lane, memory_space space,
                    std::uint64_t address, Change&& change) {
    auto* const p = place(c, o, lane, space, address, 8, 8);
    std::uint64_t word = 0;
    std::memcpy(&word, p, sizeof word);
    auto m = memory_barrier::of(word);
    if (!m.initialised)
        c.stop(c, o, lane_mask{1} << lane,
               "expected an mbarrier at this address: there was no mbarrier.init");
    auto const rank = cluster_rank(address, c.memory.rank);
    change(m, rank, offset_in_cta(address));
    if (m.complete()) c.record->complete(rank, offset_in_cta(address));
    word = m.bits();
    std::memcpy(p, &word, sizeof word);
}

/// Transactions of the mbarrier at an address of shared memory have come; the phase that they complete, in a record's
/// words.
inline std::uint64_t complete_transactions(warp_context const& c, operation const& o, unsigned lane,
                                           std::uint64_t address, std::uint64_t count,
                                           bool by_store = false) {
    std::uint64_t phase = no_phase;
    change_barrier(c, o, lane, memory_space::shared, address,
                   [&](memory_barrier& m, std::uint32_t rank, std::uint32_t offset) {
                       memory_barriers::set_transactions(
                           c, o, lane, m, std::int64_t{m.transactions} - static_cast<std::int64_t>(count));
                       if (by_store)
                           c.record->arrive(rank, offset);
                       else
                           phase = c.record->complete_by_copy(rank, offset);
                   });
    return phase;
}

/// One thread arrives at the mbarrier at an address of shared memory, and the record says so.
inline void arrive(warp_context const& c, operation const& o, unsigned lane, memory_space space,
                   std::uint64_t address) {
    change_barrier(c, o, lane, space, address,
                   [&](memory_barrier& m, std::uint32_t rank, std::uint32_t offset) {
                       if (m.pending == 0)
                           c.stop(c, o, lane_mask{1} << lane,
                                  "expected an mbarrier whose phase still waits for an arrival");
                       --m.pending;
                       c.record->arrive(rank, offset);
                   });
}

/// Calls `f(rank)` for each CTA that a multicast's mask names.
template <class F>
void each_cta(warp_context const& c, operation const& o, unsigned lane, std::uint32_t ctas, F&& f) {
    if (ctas >> c.memory.cluster_ctas != 0)
        c.stop(c, o, lane_mask{1} << lane,
               "expected a mask of the cluster's " + std::to_string(c.memory.cluster_ctas) + " CTAs, found " +
                   std::to_string(ctas));
    for (; ctas != 0; ctas &= ctas - 1) f(static_cast<std::uint32_t>(std::countr_zero(ctas)));
}

/// How one element is added to another in memory; and the bytes of an element.
struct reduction {
    void (*combine)(std::byte* to, std::byte const* from) = nullptr;
    void (*combine_between_threads)(std::byte* to, std::byte const* from) = nullptr;
    unsigned bytes = 0;

    /// How it is done in global memory.
    auto in_global(warp_context const& c) const noexcept {
        return c.memory.concurrent ? combine_between_threads : combine;
    }
};
template <class Op, class T>
T combined(T a, T b) {
    if constexpr (std::is_same_v<T, float>)
        return flush<float>(Op::template apply<float>(flush<float>(a), flush<float>(b)));
    else
        return Op::template apply<T>(a, b);
}
template <class Op, class T>
void combine(std::byte* to, std::byte const* from) {
    T a;
    T b;
    std::memcpy(&a, to, sizeof a);
    std::memcpy(&b, from, sizeof b);
    a = combined<Op, T>(a, b);
    std::memcpy(to, &a, sizeof a);
}
/// The same where other host threads access `to`.
template <class Op, class T>
void combine_between_threads(std::byte* to, std::byte const* from) {
    using word = atomically::word_of<sizeof(T)>;
    T b;
    std::memcpy(&b, from, sizeof b);
    host_atomics::update<word>(
        to, [&](word a) { return std::bit_cast<word>(combined<Op, T>(std::bit_cast<T>(a), b)); });
}
/// halves:: operations on one number of N.
template <class Op, class N>
struct on_half {
    template <class T>
    static T apply(T a, T b) {
        return Op::template apply<N>(a, b);
    }
};
template <class Op, class T>
constexpr reduction as() noexcept {
    return {&combine<Op, T>, &combine_between_threads<Op, T>, sizeof(T)};
}
template <class Op>
reduction ordered(scalar t, bool greater) {
    switch (t) {
    case scalar::u32:
        return as<Op, std::uint32_t>();
    case scalar::s32:
        return as<Op, std::int32_t>();
    case scalar::u64:
        return as<Op, std::uint64_t>();
    case scalar::s64:
        return as<Op, std::int64_t>();
    case scalar::f16:
        return greater ? as<on_half<halves::extreme<true, false>, half>, std::uint16_t>()
                       : as<on_half<halves::extreme<false, false>, half>, std::uint16_t>();
    case scalar::bf16:
        return greater ? as<on_half<halves::extreme<true, false>, bfloat>, std::uint16_t>()
                       : as<on_half<halves::extreme<false, false>, bfloat>, std::uint16_t>();
    default:
        return {};
    }
}
template <class Op>
reduction by_bits(scalar t) {
    return is_float(t) || size_of(t) < 4 ? reduction{}
           : size_of(t) == 4             ? as<Op, std::uint32_t>()
                                         : as<Op, std::uint64_t>();
}
inline reduction sum_of(scalar t) {
    switch (t) {
    case scalar::u32:
    case scalar::s32:
        return as<atomically::add, std::uint32_t>();
    case scalar::u64:
        return as<atomically::add, std::uint64_t>();
    case scalar::f32:
        return as<atomically::add, float>();
    case scalar::f64:
        return as<atomically::add, double>();
    case scalar::f16:
        return as<on_half<halves::add, half>, std::uint16_t>();
    case scalar::bf16:
        return as<on_half<halves::add, bfloat>, std::uint16_t>();
    default:
        return {};
    }
}
/// What PTX has of reductions into global memory; without `combine` what it has not.
inline reduction reduction_of(atomic_operation what, scalar t) {
    switch (what) {
    case atomic_operation::add:
        return sum_of(t);
    case atomic_operation::minimum:
        return ordered<atomically::minimum>(t, false);
    case atomic_operation::maximum:
        return ordered<atomically::maximum>(t, true);
    case atomic_operation::bit_and:
        return by_bits<atomically::bit_and>(t);
    case atomic_operation::bit_or:
        return by_bits<atomically::bit_or>(t);
    case atomic_operation::bit_xor:
        return by_bits<atomically::bit_xor>(t);
    case atomic_operation::increment:
        return t == scalar::u32 ? as<atomically::increment, std::uint32_t>() : reduction{};
    case atomic_operation::decrement:
        return t == scalar::u32 ? as<atomically::decrement, std::uint32_t>() : reduction{};
    default:
        return {};
    }
}

/// Where a copy goes: destination, source, size, then its mbarrier if it has one.
enum class way : std::uint8_t { global_to_shared, global_to_many, shared_to_cluster, shared_to_global };

inline void copy_lane(warp_context const& c, operation const& o, unsigned lane, way w) {
    listed_operands operands(c, o, lane);
    auto const to = operands.address();
    auto const from = operands.address();
    auto const bytes = c.source<std::uint32_t>(o, 0)[lane];
    if (bytes % 16 != 0)
        c.stop(c, o, lane_mask{1} << lane, "expected a multiple of 16 bytes, found " + std::to_string(bytes));
    bool const loads = w == way::global_to_shared || w == way::global_to_many;
    auto const* const source =
        place(c, o, lane, loads ? memory_space::global : memory_space::shared, from, bytes, 16);
    if (!loads && cluster_rank(from, c.memory.rank) != c.memory.rank)
        c.stop(c, o, lane_mask{1} << lane, "expected a source in this CTA's shared memory");
    bulk_copy_words moved;
    moved.way = loads                                ? bulk_way::load
                : o.modifiers->has(modifier::atomic) ? bulk_way::reduction
                                                     : bulk_way::store;
    moved.add(loads ? from : to, offset_in_cta(loads ? to : from), bytes);
    auto const copy = [&](memory_space space, std::uint64_t address) {
        auto* const target = place(c, o, lane, space, address, bytes, 16);
        if (!o.modifiers->has(modifier::atomic)) {
            std::memmove(target, source, bytes);
            return;
        }
        auto const r = reduction_of(static_cast<atomic_operation>(o.modifiers->get(modifier::atomic)),
                                    o.modifiers->type[0]);
        auto const combine = space == memory_space::global ? r.in_global(c) : r.combine;
        for (std::uint32_t at = 0; at < bytes; at += r.bytes) combine(target + at, source + at);
    };
    if (w == way::shared_to_global) {
        copy(memory_space::global, to);
        return c.record->copy(moved);
    }
    auto const barrier = operands.address();
    if (w != way::global_to_many) {
        copy(memory_space::shared, to);
        moved.signals = complete_transactions(c, o, lane, barrier, bytes);
        return c.record->copy(moved);
    }
    each_cta(c, o, lane, c.source<std::uint16_t>(o, 1)[lane], [&](std::uint32_t rank) {
        copy(memory_space::shared, cluster_address(to, rank));
        moved.signal(complete_transactions(c, o, lane, cluster_address(barrier, rank), bytes));
    });
    c.record->copy(moved);
}

} // namespace bulk

/// st.async and red.async: values of registers go to the shared memory of a CTA of the cluster, and are transactions of
/// an mbarrier there: to timing, arrivals with data.
inline void store_asynchronously(warp_context& c, operation const& o, lane_mask mask) {
    auto const bytes = size_of(o.modifiers->type[0]);
    auto const all = bytes * o.elements;
    bulk::reduction r;
    if (o.modifiers->has(modifier::atomic))
        r = bulk::reduction_of(static_cast<atomic_operation>(o.modifiers->get(modifier::atomic)),
                               o.modifiers->type[0]);
    c.record->begin_instruction();
    c.space = memory_space::shared;
    c.regular = false;
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        listed_operands operands(c, o, l);
        auto const address = operands.address();
        c.address[l] = address_in(memory_space::shared, address);
        auto* const to = bulk::place(c, o, l, memory_space::shared, address, all, all);
        for (unsigned e = 0; e < o.elements; ++e) {
            auto const* const from = c.at(o.source[e]) + std::size_t{l} * bytes;
            if (r.combine != nullptr)
                r.combine(to, from);
            else
                std::memcpy(to + std::size_t{e} * bytes, from, bytes);
        }
        static_cast<void>(bulk::complete_transactions(c, o, l, operands.address(), all, true));
    }
}
/// Lane after lane.
template <bulk::way Way>
void copy_bulk(warp_context& c, operation const& o, lane_mask mask) {
    c.record->begin_instruction();
    for (auto rest = mask; rest != 0; rest &= rest - 1)
        bulk::copy_lane(c, o, static_cast<unsigned>(std::countr_zero(rest)), Way);
}
/// The same for forms with a reduction; null for what PTX has not: into shared memory fewer types.
template <bulk::way Way>
execute_function bulk_reductions(form const& f) {
    auto const what = static_cast<atomic_operation>(f.get(modifier::atomic));
    auto const t = f.type[0];
    bool const ordered = what == atomic_operation::minimum || what == atomic_operation::maximum;
    if (Way == bulk::way::shared_to_cluster &&
        (is_float(t) || t == scalar::s64 || t == scalar::b64 ||
         (t == scalar::u64 && what != atomic_operation::add) || (ordered && size_of(t) != 4)))
        return nullptr;
    bool const bits = what == atomic_operation::bit_and || what == atomic_operation::bit_or ||
                      what == atomic_operation::bit_xor;
    if (bits != (family_of(t) == 'b')) return nullptr;
    return bulk::reduction_of(what, t).combine == nullptr ? nullptr : &copy_bulk<Way>;
}
/// red.async has the reductions of copies into shared memory.
inline execute_function async_reductions(form const& f) {
    return bulk_reductions<bulk::way::shared_to_cluster>(f) == nullptr ? nullptr : &store_asynchronously;
}

} // namespace warpkit::ptx::semantics
