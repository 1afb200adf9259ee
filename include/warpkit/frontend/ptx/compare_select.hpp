#pragma once
/// \file
/// Comparisons, selections, predicate logic and moves.

#include <warpkit/frontend/ptx/half.hpp>
#include <warpkit/frontend/ptx/integer.hpp>
#include <warpkit/frontend/ptx/lane_map.hpp>

#include <cstdint>

namespace warpkit::ptx::semantics {

namespace compare {
struct eq {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return a == b;
    }
};
struct ne {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return a < b || a > b;
    }
};
struct ne_integer {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return a != b;
    }
};
struct lt {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return a < b;
    }
};
struct le {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return a <= b;
    }
};
struct gt {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return a > b;
    }
};
struct ge {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return a >= b;
    }
};
struct equ {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return !(a < b || a > b);
    }
};
struct neu {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return !(a == b);
    }
};
struct ltu {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return !(a >= b);
    }
};
struct leu {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return !(a > b);
    }
};
struct gtu {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return !(a <= b);
    }
};
struct geu {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return !(a < b);
    }
};
struct num {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return a == a && b == b;
    }
};
struct nan {
    template <class T>
    static constexpr bool apply(T a, T b) {
        return !(a == a && b == b);
    }
};
} // namespace compare

/// A comparison's result as a mask, for all 32 lanes.
using compare_function = test_function;

template <class Op, class T>
lane_mask compare_lanes(warp_context const& c, operation const& o) {
    auto const* a = c.source<T>(o, 0);
    auto const* b = c.source<T>(o, 1);
    std::uint8_t flag[lanes];
    if constexpr (std::is_floating_point_v<T>) {
        if (o.ftz) {
            for (unsigned l = 0; l < lanes; ++l) {
                constexpr T least = std::numeric_limits<T>::min();
                T const x = a[l] < least && a[l] > -least ? T{0} : a[l];
                T const y = b[l] < least && b[l] > -least ? T{0} : b[l];
                flag[l] = Op::apply(x, y) ? 1 : 0;
            }
            return pack_mask(flag);
        }
    }
    for (unsigned l = 0; l < lanes; ++l)
        flag[l] = Op::apply(static_cast<T>(a[l]), static_cast<T>(b[l])) ? 1 : 0;
    return pack_mask(flag);
}

/// .f16 and .bf16: compared as the .f32 numbers that they are; `Part` of lanes of W.
template <class N, class W, unsigned Part>
struct half_part {};
template <class Op, class N, class W, unsigned Part>
lane_mask compare_half_lanes(warp_context const& c, operation const& o) {
    auto const* a = c.source<W>(o, 0);
    auto const* b = c.source<W>(o, 1);
    std::uint8_t flag[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        auto const x = static_cast<typename N::bits>(a[l] >> (16 * Part));
        auto const y = static_cast<typename N::bits>(b[l] >> (16 * Part));
        flag[l] =
            Op::apply(N::to_float(o.ftz ? N::flush(x) : x), N::to_float(o.ftz ? N::flush(y) : y)) ? 1 : 0;
    }
    return pack_mask(flag);
}
template <class Op, class T>
inline constexpr compare_function real_comparison = &compare_lanes<Op, T>;
template <class Op, class N, class W, unsigned Part>
inline constexpr compare_function real_comparison<Op, half_part<N, W, Part>> =
    &compare_half_lanes<Op, N, W, Part>;

template <class T>
compare_function integer_comparison(form const& f) {
    using U = unsigned_of<T>;
    switch (static_cast<comparison>(f.get(modifier::compare))) {
    case comparison::eq:
        return &compare_lanes<compare::eq, T>;
    case comparison::ne:
        return &compare_lanes<compare::ne_integer, T>;
    case comparison::lt:
        return &compare_lanes<compare::lt, T>;
    case comparison::le:
        return &compare_lanes<compare::le, T>;
    case comparison::gt:
        return &compare_lanes<compare::gt, T>;
    case comparison::ge:
        return &compare_lanes<compare::ge, T>;
    case comparison::lo:
        return &compare_lanes<compare::lt, U>;
    case comparison::ls:
        return &compare_lanes<compare::le, U>;
    case comparison::hi:
        return &compare_lanes<compare::gt, U>;
    case comparison::hs:
        return &compare_lanes<compare::ge, U>;
    default:
        return nullptr;
    }
}
template <class T>
compare_function float_comparison(form const& f) {
    switch (static_cast<comparison>(f.get(modifier::compare))) {
    case comparison::eq:
        return real_comparison<compare::eq, T>;
    case comparison::ne:
        return real_comparison<compare::ne, T>;
    case comparison::lt:
        return real_comparison<compare::lt, T>;
    case comparison::le:
        return real_comparison<compare::le, T>;
    case comparison::gt:
        return real_comparison<compare::gt, T>;
    case comparison::ge:
        return real_comparison<compare::ge, T>;
    case comparison::equ:
        return real_comparison<compare::equ, T>;
    case comparison::neu:
        return real_comparison<compare::neu, T>;
    case comparison::ltu:
        return real_comparison<compare::ltu, T>;
    case comparison::leu:
        return real_comparison<compare::leu, T>;
    case comparison::gtu:
        return real_comparison<compare::gtu, T>;
    case comparison::geu:
        return real_comparison<compare::geu, T>;
    case comparison::num:
        return real_comparison<compare::num, T>;
    case comparison::nan:
        return real_comparison<compare::nan, T>;
    default:
        return nullptr;
    }
}
/// The comparison of a form whose compared type is type number `n`; null if the type does not have it.
inline compare_function comparison_of(form const& f, unsigned n) {
    if (f.has(modifier::ftz) && f.type[n] != scalar::f32 && f.type[n] != scalar::f16 &&
        f.type[n] != scalar::f16x2)
        return nullptr;
    switch (f.type[n]) {
    case scalar::b16:
    case scalar::u16:
        return integer_comparison<std::uint16_t>(f);
    case scalar::b32:
    case scalar::u32:
        return integer_comparison<std::uint32_t>(f);
    case scalar::b64:
    case scalar::u64:
        return integer_comparison<std::uint64_t>(f);
    case scalar::s16:
        return integer_comparison<std::int16_t>(f);
    case scalar::s32:
        return integer_comparison<std::int32_t>(f);
    case scalar::s64:
        return integer_comparison<std::int64_t>(f);
    case scalar::f16:
        return float_comparison<half_part<half, std::uint16_t, 0>>(f);
    case scalar::bf16:
        return float_comparison<half_part<bfloat, std::uint16_t, 0>>(f);
    case scalar::f16x2: // the lower of the two; upper_comparison_of has the other
        return float_comparison<half_part<half, std::uint32_t, 0>>(f);
    case scalar::bf16x2:
        return float_comparison<half_part<bfloat, std::uint32_t, 0>>(f);
    case scalar::f32:
        return float_comparison<float>(f);
    case scalar::f64:
        return float_comparison<double>(f);
    default:
        return nullptr;
    }
}
/// Of the upper parts of .f16x2 and .bf16x2.
inline compare_function upper_comparison_of(form const& f, unsigned n) {
    return f.type[n] == scalar::f16x2 ? float_comparison<half_part<half, std::uint32_t, 1>>(f)
                                      : float_comparison<half_part<bfloat, std::uint32_t, 1>>(f);
}
/// The result of setp and set, combined with a further predicate as .and, .or or .xor.
inline lane_mask combine(unsigned boolean, lane_mask a, lane_mask b) {
    return boolean == 1 ? a & b : boolean == 2 ? a | b : boolean == 3 ? a ^ b : a;
}

/// setp: the first destination gets (a cmp b) op c, the second !(a cmp b) op c.
template <int = 0>
void set_predicate(warp_context& c, operation const& o, lane_mask mask) {
    auto const t = o.test(c, o);
    if (o.option == 0 && o.destination[1] == operation::no_slot)
        return c.write_predicate(o.destination[0], t, mask);
    auto const p = o.option != 0 ? c.predicate(o, 2) : 0;
    c.write_predicate(o.destination[0], combine(o.option, t, p), mask);
    if (o.destination[1] != operation::no_slot)
        c.write_predicate(o.destination[1], combine(o.option, ~t, p), mask);
}
/// setp of .f16x2 and .bf16x2: the first destination is of the lower parts, the second of the upper ones.
template <int = 0>
void set_two_predicates(warp_context& c, operation const& o, lane_mask mask) {
    lane_mask const t[] = {o.test(c, o), upper_comparison_of(*o.modifiers, 0)(c, o)};
    auto const p = o.option != 0 ? c.predicate(o, 2) : 0;
    for (unsigned i = 0; i < 2; ++i)
        if (o.destination[i] != operation::no_slot)
            c.write_predicate(o.destination[i], combine(o.option, t[i], p), mask);
}
template <int = 0>
execute_function set_predicates(form const& f) {
    if (comparison_of(f, 0) == nullptr) return nullptr;
    return f.type[0] == scalar::f16x2 || f.type[0] == scalar::bf16x2 ? &set_two_predicates<>
                                                                     : &set_predicate<>;
}
/// set: all ones, or 1.0 of a floating-point type, where the comparison holds.
constexpr std::uint32_t yes_of(scalar t) noexcept {
    return t == scalar::f32                           ? 0x3f800000U
           : t == scalar::f16 || t == scalar::f16x2   ? half::one
           : t == scalar::bf16 || t == scalar::bf16x2 ? bfloat::one
                                                      : 0xffffffffU;
}
template <class D>
void set_value(warp_context& c, operation const& o, lane_mask mask) {
    auto t = o.test(c, o);
    if (o.option != 0) t = combine(o.option, t, c.predicate(o, 2));
    auto const yes = static_cast<D>(yes_of(o.modifiers->type[0]));
    D r[lanes];
    for (unsigned l = 0; l < lanes; ++l) r[l] = (t & detail::lane_bit[l]) != 0 ? yes : D{0};
    c.write<D>(o.destination[0], r, mask);
}
template <int = 0>
void set_two_values(warp_context& c, operation const& o, lane_mask mask) {
    lane_mask t[] = {o.test(c, o), upper_comparison_of(*o.modifiers, 1)(c, o)};
    if (o.option != 0)
        for (auto& part : t) part = combine(o.option, part, c.predicate(o, 2));
    auto const yes = yes_of(o.modifiers->type[0]) & 0xffff;
    std::uint32_t r[lanes];
    for (unsigned l = 0; l < lanes; ++l)
        r[l] = ((t[0] & detail::lane_bit[l]) != 0 ? yes : 0) |
               ((t[1] & detail::lane_bit[l]) != 0 ? yes << 16 : 0);
    c.write<std::uint32_t>(o.destination[0], r, mask);
}
template <int = 0>
execute_function set_values(form const& f) {
    auto const to = f.type[0];
    bool const two = f.type[1] == scalar::f16x2 || f.type[1] == scalar::bf16x2;
    if (comparison_of(f, 1) == nullptr || (two && is_float(to) && to != f.type[1])) return nullptr;
    return two ? &set_two_values<> : size_of(to) == 2 ? &set_value<std::uint16_t> : &set_value<std::uint32_t>;
}

/// selp: a where the predicate holds, else b.
template <class T>
struct select_lanes {
    static void run(warp_context& c, operation const& o, lane_mask mask) {
        auto const p = c.predicate(o, 2);
        auto const* a = c.source<T>(o, 0);
        auto const* b = c.source<T>(o, 1);
        T r[lanes];
        for (unsigned l = 0; l < lanes; ++l) r[l] = (p & detail::lane_bit[l]) != 0 ? a[l] : b[l];
        c.write<T>(o.destination[0], r, mask);
    }
};
/// slct: a where c >= 0, else b. A NaN selects b; with .ftz a subnormal counts as zero, which is >= 0.
template <class T>
struct select_by_sign {
    static void run(warp_context& c, operation const& o, lane_mask mask) {
        auto const* a = c.source<T>(o, 0);
        auto const* b = c.source<T>(o, 1);
        auto const* s = c.source<std::int32_t>(o, 2);
        bool const real = o.modifiers->type[1] == scalar::f32;
        T r[lanes];
        for (unsigned l = 0; l < lanes; ++l) {
            auto const magnitude = static_cast<std::uint32_t>(s[l]) & 0x7fffffff;
            bool const first = !real ? s[l] >= 0
                                     : magnitude <= 0x7f800000 &&
                                           (s[l] >= 0 || magnitude == 0 || (o.ftz && magnitude < 0x00800000));
            r[l] = first ? a[l] : b[l];
        }
        c.write<T>(o.destination[0], r, mask);
    }
};
template <template <class> class Op>
execute_function by_size(form const& f) {
    if (f.has(modifier::ftz) && f.type[1] != scalar::f32) return nullptr; // slct
    switch (size_of(f.type[0])) {
    case 2:
        return &Op<std::uint16_t>::run;
    case 4:
        return &Op<std::uint32_t>::run;
    case 8:
        return &Op<std::uint64_t>::run;
    default:
        return nullptr;
    }
}

/// Logic on predicates: 0 and, 1 or, 2 xor, 3 not, 4 copy.
template <unsigned Kind>
void predicate_logic(warp_context& c, operation const& o, lane_mask mask) {
    auto const a = c.predicate(o, 0);
    auto const b = Kind < 3 ? c.predicate(o, 1) : 0;
    c.write_predicate(o.destination[0],
                      Kind == 0   ? a & b
                      : Kind == 1 ? a | b
                      : Kind == 2 ? a ^ b
                      : Kind == 3 ? ~a
                                  : a,
                      mask);
}

/// mov of a clock: warp instructions that this CTA has executed, the only time that function knows.
template <int = 0>
void read_clock(warp_context& c, operation const& o, lane_mask mask) {
    std::uint64_t r[lanes];
    for (auto& v : r) v = o.option != 0 ? c.executed >> 32 : c.executed;
    c.write_sized(o.destination[0], r, o.destination_bytes, mask);
}

/// mov to or from a vector: the elements' bits side by side, the first lowest. Wider side: o.destination_bytes or
/// o.source_bytes, as the lowering sets them.
template <int = 0>
void pack(warp_context& c, operation const& o, lane_mask mask) {
    std::uint64_t whole[lanes]{};
    for (unsigned e = 0; e < o.elements; ++e) {
        std::uint64_t part[lanes];
        c.read_sized(o.source[e], o.source_bytes, part);
        for (unsigned l = 0; l < lanes; ++l) whole[l] |= part[l] << (8 * o.source_bytes * e);
    }
    c.write_sized(o.destination[0], whole, o.destination_bytes, mask);
}
template <int = 0>
void unpack(warp_context& c, operation const& o, lane_mask mask) {
    std::uint64_t whole[lanes];
    c.read_sized(o.source[0], o.source_bytes, whole);
    for (unsigned e = 0; e < o.elements; ++e) {
        std::uint64_t part[lanes];
        for (unsigned l = 0; l < lanes; ++l) part[l] = whole[l] >> (8 * o.destination_bytes * e);
        c.write_sized(o.destination[e], part, o.destination_bytes, mask);
    }
}

/// mov.b128: the two words of 64 bits of which such a register is made.
inline void copy_words(warp_context& c, operation const& o, lane_mask mask) {
    for (unsigned e = 0; e < 2; ++e)
        if (o.destination[e] != operation::no_slot)
            c.write<std::uint64_t>(o.destination[e], c.source<std::uint64_t>(o, e), mask);
}

} // namespace warpkit::ptx::semantics
