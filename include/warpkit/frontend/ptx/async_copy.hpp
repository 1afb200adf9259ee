#pragma once
/// \file
/// cp.async: copies from global to shared memory; and mbarriers, 64-bit objects in shared memory at which threads
/// arrive and for whose phases they wait.
/// Source: PTX ISA, "Data Movement and Conversion Instructions: cp.async" and "mbarrier". A copy is there at once, as
/// it may be; when it would be, the timing model says.

#include <warpkit/frontend/ptx/memory_access.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace warpkit::ptx::semantics {

/// cp.async. Sources: the address register behind the second address and its offset, the bytes to write, and how many
/// of these to read, or with `Ignores` a predicate for none. What is not read is zero. `c.accessed`: lanes that
/// read any.
template <bool Ignores>
void copy_to_shared(warp_context& c, operation const& o, lane_mask mask) {
    auto const bytes = c.source<std::uint32_t>(o, 2)[0];
    locate(c, o, mask, bytes);
    if (c.space != memory_space::shared)
        c.fault(c, o, "non-shared", static_cast<unsigned>(std::countr_zero(mask)), c.address[0], bytes,
                c.space);
    std::array<std::byte*, lanes> to{};
    std::array<std::uint32_t, lanes> count{};
    lane_mask reads = 0;
    bool whole = true;
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        to[l] = c.target(l);
        count[l] = bytes;
        if (o.source_count > 3)
            count[l] = !Ignores                            ? c.source<std::uint32_t>(o, 3)[l]
                       : (c.predicate(o, 3) >> l & 1) != 0 ? 0
                                                           : bytes;
        if (count[l] > bytes)
            c.stop(c, o, lane_mask{1} << l,
                   "expected to read at most the " + std::to_string(bytes) +
                       " bytes that are written, found " + std::to_string(count[l]));
        if (count[l] != 0) reads |= lane_mask{1} << l;
        whole = whole && (count[l] == 0 || count[l] == bytes);
    }
    c.accessed = reads;
    if (reads != 0) {
        operation from = o;
        from.base = o.source[0];
        from.address = (o.source[0] & operation::constant_bit) != 0 ? addressing::absolute
                       : o.source_bytes == 8                        ? addressing::base64
                                                                    : addressing::base32;
        from.offset = *c.lanes_of<std::uint64_t>(o.source[1]);
        from.space = memory_space::global;
        from.writes = false;
        if (whole) {
            locate(c, from, reads, bytes);
        } else {
            c.regular = false;
            c.space = memory_space::global;
            for (unsigned l = 0; l < lanes; ++l) c.address[l] = address_of(c, from, l);
            for (auto rest = reads; rest != 0; rest &= rest - 1) {
                auto const l = static_cast<unsigned>(std::countr_zero(rest));
                c.pointer[l] = ptx::detail::find_bytes(c, c.space, c.address[l], count[l], l);
                if (c.pointer[l] == nullptr)
                    c.fault(c, from, "out-of-range", l, c.address[l], count[l], c.space);
                if ((c.address[l] & (bytes - 1)) != 0)
                    c.fault(c, from, "misaligned", l, c.address[l], bytes, c.space);
            }
        }
    }
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        std::array<std::byte, 16> value{};
        if (count[l] != 0) std::memcpy(value.data(), c.target(l), count[l]);
        std::memcpy(to[l], value.data(), bytes);
    }
}

/// What an mbarrier's 64 bits hold (PTX ISA leaves it open): a phase's number, how many arrivals it still expects and
/// each phase does, and transactions that are to come less those that have.
struct memory_barrier {
    static constexpr std::uint32_t most = (1U << 20) - 1; ///< arrivals and transactions

    std::uint32_t pending = 0;
    std::uint32_t expected = 0;
    std::int32_t transactions = 0;
    std::uint32_t phase = 0; ///< of the last four
    bool initialised = false;

    static constexpr memory_barrier of(std::uint64_t b) noexcept {
        memory_barrier m;
        m.pending = static_cast<std::uint32_t>(b & most);
        m.expected = static_cast<std::uint32_t>(b >> 20 & most);
        m.transactions = static_cast<std::int32_t>(b >> 40 & 0x1fffff) - (1 << 20);
        m.phase = static_cast<std::uint32_t>(b >> 61 & 3);
        m.initialised = b >> 63 != 0;
        return m;
    }
    constexpr std::uint64_t bits() const noexcept {
        return std::uint64_t{pending} | std::uint64_t{expected} << 20 |
               static_cast<std::uint64_t>(transactions + (1 << 20)) << 40 | std::uint64_t{phase} << 61 |
               std::uint64_t{initialised} << 63;
    }
    /// If nobody and nothing is missing, the phase is over and the next one begins.
    constexpr bool complete() noexcept {
        if (pending != 0 || transactions != 0) return false;
        phase = (phase + 1) & 3;
        pending = expected;
        return true;
    }
};

/// What an instruction does at an mbarrier; the words of the forms, so that one function serves them all.
enum class barrier_action : std::uint8_t {
    init,
    invalidate,
    expect,
    finish,
    arrive,
    arrive_and_expect,
    arrive_incomplete,
    arrive_copied,         ///< cp.async.mbarrier.arrive: expects one arrival more, which this is
    arrive_copied_counted, ///< with .noinc
    drop,
    drop_and_expect,
    drop_incomplete
};

namespace memory_barriers {
/// Lane `l`'s mbarrier, which must be one.
inline memory_barrier barrier_at(warp_context const& c, operation const& o, unsigned l) {
    std::uint64_t word = 0;
    std::memcpy(&word, c.target(l), sizeof word);
    auto const m = memory_barrier::of(word);
    if (!m.initialised)
        c.stop(c, o, lane_mask{1} << l, "expected an mbarrier at this address: there was no mbarrier.init");
    return m;
}
/// Only what arrives may look at an mbarrier of another CTA of the cluster (PTX ISA, "mbarrier").
inline void require_own(warp_context const& c, operation const& o, unsigned l) {
    if (cluster_rank(c.address_of(l), c.memory.rank) != c.memory.rank)
        c.stop(c, o, lane_mask{1} << l,
               "expected an mbarrier of this CTA, found one of another CTA of its cluster");
}
/// `sum` transactions of an mbarrier are to come.
inline void set_transactions(warp_context const& c, operation const& o, unsigned l, memory_barrier& m,
                             std::int64_t sum) {
    if (sum > std::int64_t{memory_barrier::most} || sum < -std::int64_t{memory_barrier::most})
        c.stop(c, o, lane_mask{1} << l, "expected at most 1048575 transactions under way");
    m.transactions = static_cast<std::int32_t>(sum);
}
} // namespace memory_barriers

/// The lanes one after the other, as atomics.
template <barrier_action Action>
void use_barrier(warp_context& c, operation const& o, lane_mask mask) {
    using enum barrier_action;
    constexpr bool drops = Action == drop || Action == drop_and_expect || Action == drop_incomplete;
    constexpr bool expects = Action == expect || Action == arrive_and_expect || Action == drop_and_expect;
    constexpr bool arrives = Action >= arrive;
    constexpr auto most = memory_barrier::most;
    locate(c, o, mask, 8);
    if (c.space != memory_space::shared)
        c.fault(c, o, "non-shared", static_cast<unsigned>(std::countr_zero(mask)), c.address[0], 8, c.space);
    std::uint64_t state[lanes]{};
    c.record->begin_instruction();
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        auto const given = o.source_count != 0 ? c.source<std::uint32_t>(o, 0)[l] : 1U;
        auto const stop = [&](std::string const& why) { c.stop(c, o, lane_mask{1} << l, why); };
        auto const rank = [&] { return cluster_rank(c.address_of(l), c.memory.rank); };
        if constexpr (Action == init || Action == invalidate) memory_barriers::require_own(c, o, l);
        if constexpr (Action == init) {
            if (given == 0 || given > most)
                stop("expected a count of arrivals from 1 to 1048575, found " + std::to_string(given));
            auto const word = memory_barrier{given, given, 0, 0, true}.bits();
            std::memcpy(c.target(l), &word, sizeof word);
            c.record->initialise(rank(), offset_in_cta(c.address_of(l)));
            continue;
        }
        auto m = memory_barriers::barrier_at(c, o, l);
        state[l] = m.bits();
        if constexpr (Action == invalidate) {
            std::uint64_t const word = 0;
            std::memcpy(c.target(l), &word, sizeof word);
            continue;
        }
        if constexpr (expects || Action == finish) {
            auto const sum =
                std::int64_t{m.transactions} + (expects ? std::int64_t{given} : -std::int64_t{given});
            memory_barriers::set_transactions(c, o, l, m, given > most ? std::int64_t{given} : sum);
        }
        if constexpr (arrives) {
            auto const count =
                expects || Action == arrive_copied || Action == arrive_copied_counted ? 1U : given;
            if constexpr (Action == arrive_copied) {
                if (m.pending == most) stop("expected at most 1048575 arrivals");
                ++m.pending;
            }
            if (count == 0 || count > m.pending)
                stop("expected an arrival of 1 to the " + std::to_string(m.pending) +
                     " that this phase still waits for, found " + std::to_string(count));
            if constexpr (drops) {
                if (count > m.expected) stop("expected no more to drop out than are expected");
                m.expected -= count;
            }
            m.pending -= count;
        }
        if constexpr (Action != expect) {
            c.record->arrive(rank(), offset_in_cta(c.address_of(l)));
            bool const over = m.complete();
            if (over) c.record->complete(rank(), offset_in_cta(c.address_of(l)));
            if ((Action == arrive_incomplete || Action == drop_incomplete) && over)
                stop("expected an arrival with .noComplete not to be the last of its phase");
        }
        auto const word = m.bits();
        std::memcpy(c.target(l), &word, sizeof word);
    }
    if (o.destination[0] != operation::no_slot) c.write<std::uint64_t>(o.destination[0], state, mask);
}

/// mbarrier.test_wait and .try_wait: whether the phase in which a state was taken, or with `Parity` the last phase of
/// this parity, is over. `c.accessed`: lanes for which it is.
template <bool Parity>
void test_barrier(warp_context& c, operation const& o, lane_mask mask) {
    locate(c, o, mask, 8);
    if (c.space != memory_space::shared)
        c.fault(c, o, "non-shared", static_cast<unsigned>(std::countr_zero(mask)), c.address[0], 8, c.space);
    lane_mask over = 0;
    c.record->begin_instruction();
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        memory_barriers::require_own(c, o, l);
        auto const phase = memory_barriers::barrier_at(c, o, l).phase;
        unsigned before = 0; // phases
        if constexpr (Parity) {
            auto const parity = c.source<std::uint32_t>(o, 0)[l];
            if (parity > 1)
                c.stop(c, o, lane_mask{1} << l,
                       "expected a parity of 0 or 1, found " + std::to_string(parity));
            before = (phase & 1) != parity ? 1 : 0;
        } else {
            before = (phase - memory_barrier::of(c.source<std::uint64_t>(o, 0)[l]).phase) & 3;
        }
        if (before != 0) c.record->wait(c.memory.rank, offset_in_cta(c.address_of(l)), before);
        over |= lane_mask{before != 0} << l;
    }
    c.accessed = over;
    c.write_predicate(o.destination[0], over, mask);
}

/// mbarrier.pending_count
template <int = 0>
void pending_arrivals(warp_context& c, operation const& o, lane_mask mask) {
    auto const* const state = c.source<std::uint64_t>(o, 0);
    std::uint32_t r[lanes];
    for (unsigned l = 0; l < lanes; ++l) r[l] = memory_barrier::of(state[l]).pending;
    c.write<std::uint32_t>(o.destination[0], r, mask);
}

} // namespace warpkit::ptx::semantics
