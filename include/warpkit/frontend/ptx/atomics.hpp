#pragma once
/// \file
/// atom and red: lanes one after the other, in the order of their numbers. Where several host threads run CTAs, each
/// update of global memory is one step for all of them.

#include <warpkit/frontend/ptx/half.hpp>
#include <warpkit/frontend/ptx/host_atomics.hpp>
#include <warpkit/frontend/ptx/memory_access.hpp>
#include <warpkit/frontend/ptx/real.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <type_traits>

namespace warpkit::ptx::semantics {

namespace atomically {
struct add {
    template <class T>
    static T apply(T old, T b) {
        if constexpr (std::is_floating_point_v<T>) {
            T const s = old + b;
            return s == s ? s : canonical_nan<T>();
        } else
            return static_cast<T>(old + b);
    }
};
struct minimum {
    template <class T>
    static T apply(T old, T b) {
        return b < old ? b : old;
    }
};
struct maximum {
    template <class T>
    static T apply(T old, T b) {
        return b > old ? b : old;
    }
};
struct bit_and {
    template <class T>
    static T apply(T old, T b) {
        return old & b;
    }
};
struct bit_or {
    template <class T>
    static T apply(T old, T b) {
        return old | b;
    }
};
struct bit_xor {
    template <class T>
    static T apply(T old, T b) {
        return old ^ b;
    }
};
struct exchange {
    template <class T>
    static T apply(T, T b) {
        return b;
    }
};
struct increment {
    template <class T>
    static T apply(T old, T b) {
        return old >= b ? T{0} : static_cast<T>(old + 1);
    }
};
struct decrement {
    template <class T>
    static T apply(T old, T b) {
        return old == 0 || old > b ? b : static_cast<T>(old - 1);
    }
};

/// The unsigned integer of so many bytes.
template <std::size_t Bytes>
using word_of = std::conditional_t<Bytes == 2, std::uint16_t,
                                   std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>;

/// Whether other host threads may access what the instruction does; its addresses are known.
inline bool is_contended(warp_context const& c) noexcept {
    return c.memory.concurrent && c.space != memory_space::shared;
}
} // namespace atomically

/// Op on element `e` of the lanes of `mask`, each update one step for all host threads. Lanes of `flushing` flush
/// subnormal numbers; `old` gets what was there.
template <class Op, class T>
[[gnu::noinline]] void update_between_threads(warp_context const& c, lane_mask mask, unsigned e,
                                              T const* with, lane_mask flushing, T* old) {
    using word = atomically::word_of<sizeof(T)>;
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        auto const changed = [&](word seen) {
            auto const a = std::bit_cast<T>(seen);
            if constexpr (std::is_floating_point_v<T>)
                if ((flushing >> l & 1) != 0)
                    return std::bit_cast<word>(
                        flush<T>(Op::template apply<T>(flush<T>(a), flush<T>(with[l]))));
            return std::bit_cast<word>(Op::template apply<T>(a, with[l]));
        };
        old[l] = std::bit_cast<T>(host_atomics::update<word>(c.target(l) + e * sizeof(T), changed));
    }
}
/// Op on memory, on one element or on each of a vector; the old value goes to the destination if there is one.
template <class Op, class T>
void atomic_operate(warp_context& c, operation const& o, lane_mask mask) {
    locate(c, o, mask, static_cast<unsigned>(sizeof(T)) * o.elements);
    // PTX ISA, atom: additions of .f32 in global memory flush subnormals, those in shared memory do not.
    auto const flushes = [&](unsigned l) {
        return std::is_same_v<T, float> &&
               (c.space == memory_space::generic ? space_of(c.address[l]) : c.space) == memory_space::global;
    };
    bool const contended = atomically::is_contended(c);
    for (unsigned e = 0; e < o.elements; ++e) {
        auto const* b = c.source<T>(o, e);
        T old[lanes]{};
        if (contended) {
            T with[lanes];
            lane_mask flushing = 0;
            for (unsigned l = 0; l < lanes; ++l) {
                with[l] = b[l];
                flushing |= static_cast<lane_mask>(flushes(l)) << l;
            }
            update_between_threads<Op>(c, mask, e, with, flushing, old);
        } else
            for (auto rest = mask; rest != 0; rest &= rest - 1) {
                auto const l = static_cast<unsigned>(std::countr_zero(rest));
                auto* const cell = c.target(l) + e * sizeof(T);
                std::memcpy(&old[l], cell, sizeof(T));
                T value{};
                if constexpr (std::is_floating_point_v<T>)
                    value = flushes(l) ? flush<T>(Op::template apply<T>(flush<T>(old[l]), flush<T>(b[l])))
                                       : Op::template apply<T>(old[l], b[l]);
                else
                    value = Op::template apply<T>(old[l], b[l]);
                std::memcpy(cell, &value, sizeof(T));
            }
        if (o.destination[e] != operation::no_slot) c.write<T>(o.destination[e], old, mask);
    }
}
template <class T>
void atomic_compare_and_swap(warp_context& c, operation const& o, lane_mask mask) {
    locate(c, o, mask, sizeof(T));
    auto const* expected = c.source<T>(o, 0);
    auto const* value = c.source<T>(o, 1);
    T old[lanes]{};
    bool const contended = atomically::is_contended(c);
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        if (contended) {
            old[l] = host_atomics::compare_and_swap<T>(c.target(l), expected[l], value[l]);
            continue;
        }
        std::memcpy(&old[l], c.target(l), sizeof(T));
        T const v = value[l];
        if (old[l] == expected[l]) std::memcpy(c.target(l), &v, sizeof(T));
    }
    c.write<T>(o.destination[0], old, mask);
}

namespace atomically {
template <class Op>
execute_function atomic_of(scalar t) {
    switch (t) {
    case scalar::u32:
        return &atomic_operate<Op, std::uint32_t>;
    case scalar::s32:
        return &atomic_operate<Op, std::int32_t>;
    case scalar::u64:
        return &atomic_operate<Op, std::uint64_t>;
    case scalar::s64:
        return &atomic_operate<Op, std::int64_t>;
    default:
        return nullptr;
    }
}
template <class Op>
execute_function atomic_bits(scalar t) {
    switch (size_of(t)) {
    case 4:
        return is_float(t) ? nullptr : &atomic_operate<Op, std::uint32_t>;
    case 8:
        return is_float(t) ? nullptr : &atomic_operate<Op, std::uint64_t>;
    default:
        return nullptr;
    }
}
} // namespace atomically

/// Only global and shared memory have atomics.
inline bool can_be_atomic(form const& f) noexcept {
    auto const s = space_of_form(f);
    return s == memory_space::generic || s == memory_space::global || s == memory_space::shared;
}
template <int = 0>
execute_function atomics(form const& f) {
    if (!can_be_atomic(f)) return nullptr;
    auto const t = f.type[0];
    switch (static_cast<atomic_operation>(f.get(modifier::atomic))) {
    case atomic_operation::add:
        if (t == scalar::f32) return &atomic_operate<atomically::add, float>;
        if (t == scalar::f64) return &atomic_operate<atomically::add, double>;
        // Two's complement: a sum of signed numbers is that of unsigned ones.
        return family_of(t) == 'b' ? nullptr : atomically::atomic_bits<atomically::add>(t);
    case atomic_operation::minimum:
        return atomically::atomic_of<atomically::minimum>(t);
    case atomic_operation::maximum:
        return atomically::atomic_of<atomically::maximum>(t);
    case atomic_operation::bit_and:
        return atomically::atomic_bits<atomically::bit_and>(t);
    case atomic_operation::bit_or:
        return atomically::atomic_bits<atomically::bit_or>(t);
    case atomic_operation::bit_xor:
        return atomically::atomic_bits<atomically::bit_xor>(t);
    case atomic_operation::exchange:
        return atomically::atomic_bits<atomically::exchange>(t);
    case atomic_operation::increment:
        return t == scalar::u32 ? &atomic_operate<atomically::increment, std::uint32_t> : nullptr;
    case atomic_operation::decrement:
        return t == scalar::u32 ? &atomic_operate<atomically::decrement, std::uint32_t> : nullptr;
    default:
        return nullptr;
    }
}
/// atom.exch and, with Compares, atom.cas of 128 bits. Few hosts have them without a lock, so there is one of all.
template <bool Compares>
void exchange_wide(warp_context& c, operation const& o, lane_mask mask) {
    static std::mutex one_at_a_time;
    struct words {
        std::uint64_t half[2];
        bool operator==(words const&) const = default;
    };
    auto const from = [&](unsigned first, unsigned l) {
        return words{{c.source<std::uint64_t>(o, first)[l], c.source<std::uint64_t>(o, first + 1)[l]}};
    };
    locate(c, o, mask, sizeof(words));
    std::uint64_t old[2][lanes]{};
    auto const each = [&] {
        for (auto rest = mask; rest != 0; rest &= rest - 1) {
            auto const l = static_cast<unsigned>(std::countr_zero(rest));
            alignas(16) words seen;
            alignas(16) auto const wanted = from(Compares ? 2 : 0, l);
            host_atomics::copy_whole(reinterpret_cast<std::byte*>(&seen), c.target(l), sizeof seen);
            if (!Compares || seen == from(0, l))
                host_atomics::copy_whole(c.target(l), reinterpret_cast<std::byte const*>(&wanted),
                                         sizeof wanted);
            for (unsigned e = 0; e < 2; ++e) old[e][l] = seen.half[e];
        }
    };
    if (atomically::is_contended(c)) {
        std::lock_guard const guard(one_at_a_time);
        each();
    } else {
        each();
    }
    for (unsigned e = 0; e < 2; ++e) c.write<std::uint64_t>(o.destination[e], old[e], mask);
}
template <bool Compares>
execute_function wide_exchanges(form const& f) {
    return can_be_atomic(f) ? &exchange_wide<Compares> : nullptr;
}
template <int = 0>
execute_function swaps(form const& f) {
    if (!can_be_atomic(f)) return nullptr;
    return size_of(f.type[0]) == 2   ? &atomic_compare_and_swap<std::uint16_t>
           : size_of(f.type[0]) == 4 ? &atomic_compare_and_swap<std::uint32_t>
                                     : &atomic_compare_and_swap<std::uint64_t>;
}

namespace atomically {
/// The sum of each 16-bit number of T, which has one or two of format N.
template <class N>
struct add_halves {
    template <class T>
    static T apply(T old, T b) {
        T r = 0;
        for (unsigned at = 0; at < 8 * sizeof(T); at += 16)
            r = static_cast<T>(r | static_cast<T>(N::fused(static_cast<typename N::bits>(old >> at), N::one,
                                                           static_cast<typename N::bits>(b >> at)))
                                       << at);
        return r;
    }
};
} // namespace atomically
/// atom.add.noftz and red.add.noftz: each half of a pair is an atomic operation of its own.
template <int = 0>
execute_function half_atomics(form const& f) {
    if (!can_be_atomic(f) || static_cast<atomic_operation>(f.get(modifier::atomic)) != atomic_operation::add)
        return nullptr;
    switch (f.type[0]) {
    case scalar::f16:
        return &atomic_operate<atomically::add_halves<half>, std::uint16_t>;
    case scalar::f16x2:
        return &atomic_operate<atomically::add_halves<half>, std::uint32_t>;
    case scalar::bf16:
        return &atomic_operate<atomically::add_halves<bfloat>, std::uint16_t>;
    default:
        return &atomic_operate<atomically::add_halves<bfloat>, std::uint32_t>;
    }
}

/// atom.add and red.add of vectors: each element is an atomic operation of its own. 16 bytes are the most.
template <int = 0>
execute_function vector_sums(form const& f) {
    if (f.vector_size() * size_of(f.type[0]) > 16) return nullptr;
    return f.type[0] == scalar::f32 ? atomics<>(f) : half_atomics<>(f);
}

} // namespace warpkit::ptx::semantics
