#pragma once
/// \file
/// Integer, logic, shift, bit-field and byte operations (PTX ISA, "Integer Arithmetic", "Logic and Shift",
/// "Data Movement: prmt"). Arithmetic wraps; no host undefined behaviour for any operand.

#include <warpkit/frontend/ptx/lane_map.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace warpkit::ptx::semantics {

template <class T>
using unsigned_of = std::make_unsigned_t<T>;
/// Wide enough that no arithmetic on T promotes to int and overflows there.
template <class T>
using arithmetic_of = std::conditional_t<(sizeof(T) < 4), std::uint32_t, unsigned_of<T>>;
template <class T>
using wide_of =
    std::conditional_t<std::is_signed_v<T>, std::conditional_t<sizeof(T) == 2, std::int32_t, std::int64_t>,
                       std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint64_t>>;

/// The upper 64 bits of a product.
constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t const al = a & 0xffffffff;
    std::uint64_t const ah = a >> 32;
    std::uint64_t const bl = b & 0xffffffff;
    std::uint64_t const bh = b >> 32;
    std::uint64_t const middle = ah * bl + (al * bl >> 32);
    std::uint64_t const other = al * bh + (middle & 0xffffffff);
    return ah * bh + (middle >> 32) + (other >> 32);
}
constexpr std::int64_t multiply_high(std::int64_t a, std::int64_t b) noexcept {
    auto const ua = static_cast<std::uint64_t>(a);
    auto const ub = static_cast<std::uint64_t>(b);
    return static_cast<std::int64_t>(multiply_high(ua, ub) - (a < 0 ? ub : 0) - (b < 0 ? ua : 0));
}

template <class T>
struct add {
    static constexpr T apply(T a, T b) {
        return static_cast<T>(static_cast<arithmetic_of<T>>(a) + static_cast<arithmetic_of<T>>(b));
    }
};
template <class T>
struct subtract {
    static constexpr T apply(T a, T b) {
        return static_cast<T>(static_cast<arithmetic_of<T>>(a) - static_cast<arithmetic_of<T>>(b));
    }
};
template <class T>
struct multiply_low {
    static constexpr T apply(T a, T b) {
        return static_cast<T>(static_cast<arithmetic_of<T>>(a) * static_cast<arithmetic_of<T>>(b));
    }
};
template <class T>
struct multiply_upper {
    static constexpr T apply(T a, T b) {
        if constexpr (sizeof(T) == 8)
            return multiply_high(a, b);
        else
            return static_cast<T>((static_cast<wide_of<T>>(a) * static_cast<wide_of<T>>(b)) >>
                                  (8 * sizeof(T)));
    }
};
template <class T>
struct multiply_wide {
    static constexpr wide_of<T> apply(T a, T b) {
        return static_cast<wide_of<T>>(static_cast<wide_of<T>>(a) * static_cast<wide_of<T>>(b));
    }
};
template <class T>
struct multiply_add_low {
    static constexpr T apply(T a, T b, T c) { return add<T>::apply(multiply_low<T>::apply(a, b), c); }
};
template <class T>
struct multiply_add_upper {
    static constexpr T apply(T a, T b, T c) { return add<T>::apply(multiply_upper<T>::apply(a, b), c); }
};
template <class T>
struct multiply_add_wide {
    static constexpr wide_of<T> apply(T a, T b, wide_of<T> c) {
        return add<wide_of<T>>::apply(multiply_wide<T>::apply(a, b), c);
    }
};
/// The operands' low 24 bits, sign-extended for signed types.
template <class T>
constexpr std::int64_t low_24(T a) {
    if constexpr (std::is_signed_v<T>)
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << 8) >> 8;
    else
        return a & 0xffffff;
}
template <class T>
struct multiply_24_low {
    static constexpr T apply(T a, T b) { return static_cast<T>(low_24(a) * low_24(b)); }
};
/// Bits 16 to 47 of the 48-bit product.
template <class T>
struct multiply_24_high {
    static constexpr T apply(T a, T b) { return static_cast<T>((low_24(a) * low_24(b)) >> 16); }
};
template <class T>
struct multiply_add_24_low {
    static constexpr T apply(T a, T b, T c) { return add<T>::apply(multiply_24_low<T>::apply(a, b), c); }
};
template <class T>
struct multiply_add_24_high {
    static constexpr T apply(T a, T b, T c) { return add<T>::apply(multiply_24_high<T>::apply(a, b), c); }
};
/// Division by zero gives all ones, as the machine's integer division does (PTX leaves it unspecified); the most
/// negative number divided by -1 wraps.
template <class T>
struct divide {
    static constexpr T apply(T a, T b) {
        if (b == 0) return static_cast<T>(~T{0});
        if constexpr (std::is_signed_v<T>)
            if (b == -1) return subtract<T>::apply(T{0}, a);
        return static_cast<T>(a / b);
    }
};
/// The remainder by zero is the dividend.
template <class T>
struct remainder {
    static constexpr T apply(T a, T b) {
        if (b == 0) return a;
        if constexpr (std::is_signed_v<T>)
            if (b == -1) return 0;
        return static_cast<T>(a % b);
    }
};
template <class T>
struct negate {
    static constexpr T apply(T a) { return subtract<T>::apply(T{0}, a); }
};
template <class T>
struct absolute {
    static constexpr T apply(T a) { return a < 0 ? subtract<T>::apply(T{0}, a) : a; }
};
template <class T>
struct minimum {
    static constexpr T apply(T a, T b) { return a < b ? a : b; }
};
template <class T>
struct maximum {
    static constexpr T apply(T a, T b) { return a > b ? a : b; }
};
template <class T>
struct sum_of_absolute_difference {
    static constexpr T apply(T a, T b, T c) {
        return add<T>::apply(c, a < b ? subtract<T>::apply(b, a) : subtract<T>::apply(a, b));
    }
};
template <class T>
struct bit_and {
    static constexpr T apply(T a, T b) { return static_cast<T>(a & b); }
};
template <class T>
struct bit_or {
    static constexpr T apply(T a, T b) { return static_cast<T>(a | b); }
};
template <class T>
struct bit_xor {
    static constexpr T apply(T a, T b) { return static_cast<T>(a ^ b); }
};
template <class T>
struct bit_not {
    static constexpr T apply(T a) { return static_cast<T>(~a); }
};
template <class T>
struct logical_not {
    static constexpr T apply(T a) { return a == 0 ? T{1} : T{0}; }
};
template <class T>
struct copy {
    static constexpr T apply(T a) { return a; }
};
/// Shift amounts past the width give zero, or copies of the sign.
template <class T>
struct shift_left {
    static constexpr T apply(T a, std::uint32_t n) {
        return n >= 8 * sizeof(T) ? T{0} : static_cast<T>(static_cast<arithmetic_of<T>>(a) << n);
    }
};
template <class T>
struct shift_right {
    static constexpr T apply(T a, std::uint32_t n) {
        constexpr std::uint32_t width = 8 * sizeof(T);
        if (n >= width) return std::is_signed_v<T> && a < 0 ? static_cast<T>(~T{0}) : T{0};
        return static_cast<T>(a >> n);
    }
};
/// Extracts `length` bits from bit `position` on; past the top, signed extraction repeats the sign bit (PTX ISA, bfe).
template <class T>
struct bit_field_extract {
    static constexpr T apply(T a, std::uint32_t position_word, std::uint32_t length_word) {
        using U = unsigned_of<T>;
        constexpr unsigned width = 8 * sizeof(T);
        unsigned const position = position_word & 0xff;
        unsigned const length = length_word & 0xff;
        auto const u = static_cast<U>(a);
        unsigned const top = position + length == 0 ? 0 : position + length - 1;
        bool const sign =
            std::is_signed_v<T> && length != 0 && ((u >> (top < width ? top : width - 1)) & 1) != 0;
        U const field = position >= width ? U{0} : static_cast<U>(u >> position);
        unsigned const kept = position >= width ? 0 : (length < width - position ? length : width - position);
        U const mask = kept >= width ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << kept) - 1);
        return static_cast<T>((field & mask) | (sign ? static_cast<U>(~mask) : U{0}));
    }
};
/// Puts the low `length` bits of a into b from bit `position` on.
template <class T>
struct bit_field_insert {
    static constexpr T apply(T a, T b, std::uint32_t position_word, std::uint32_t length_word) {
        constexpr unsigned width = 8 * sizeof(T);
        unsigned const position = position_word & 0xff;
        unsigned const length = length_word & 0xff;
        if (position >= width || length == 0) return b;
        unsigned const kept = length < width - position ? length : width - position;
        T const field = kept >= width ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << kept) - 1);
        T const mask = static_cast<T>(field << position);
        return static_cast<T>((b & static_cast<T>(~mask)) | (static_cast<T>(a << position) & mask));
    }
};
template <class T>
struct bit_reverse {
    static constexpr T apply(T a) {
        T r = 0;
        for (unsigned i = 0; i < 8 * sizeof(T); ++i)
            r = static_cast<T>(r | ((a >> i & 1) << (8 * sizeof(T) - 1 - i)));
        return r;
    }
};
template <class T>
struct population_count {
    static constexpr std::uint32_t apply(T a) { return static_cast<std::uint32_t>(std::popcount(a)); }
};
template <class T>
struct count_leading_zeros {
    static constexpr std::uint32_t apply(T a) { return static_cast<std::uint32_t>(std::countl_zero(a)); }
};
/// The position of the highest bit that differs from the sign (for unsigned: the highest set bit); all ones if none.
template <class T>
struct bit_find {
    static constexpr std::uint32_t apply(T a) {
        auto u = static_cast<unsigned_of<T>>(a);
        if (std::is_signed_v<T> && a < 0) u = static_cast<unsigned_of<T>>(~u);
        return u == 0 ? 0xffffffffU
                      : static_cast<std::uint32_t>(8 * sizeof(T) - 1) -
                            static_cast<std::uint32_t>(std::countl_zero(u));
    }
};
/// bfind.shiftamt: the left shift that brings that bit to the top.
template <class T>
struct bit_find_shift {
    static constexpr std::uint32_t apply(T a) {
        auto const p = bit_find<T>::apply(a);
        return p == 0xffffffffU ? p : static_cast<std::uint32_t>(8 * sizeof(T) - 1) - p;
    }
};

/// Funnel shifts of the pair (b:a).
struct funnel {
    static constexpr std::uint64_t pair(std::uint32_t a, std::uint32_t b) {
        return std::uint64_t{b} << 32 | a;
    }
};
struct funnel_left_wrap : funnel {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
        return static_cast<std::uint32_t>(pair(a, b) << (n & 31) >> 32);
    }
};
struct funnel_left_clamp : funnel {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
        return n >= 32 ? a : static_cast<std::uint32_t>(pair(a, b) << n >> 32);
    }
};
struct funnel_right_wrap : funnel {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
        return static_cast<std::uint32_t>(pair(a, b) >> (n & 31));
    }
};
struct funnel_right_clamp : funnel {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t n) {
        return n >= 32 ? b : static_cast<std::uint32_t>(pair(a, b) >> n);
    }
};

/// prmt: four bytes chosen from the eight of (b:a); `Mode` as modifier::permute numbers them, 0 for the general one.
template <unsigned Mode>
struct permute {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        std::uint64_t const bytes = std::uint64_t{b} << 32 | a;
        auto const byte = [&](std::uint32_t i) {
            return static_cast<std::uint32_t>(bytes >> (8 * (i & 7)) & 0xff);
        };
        std::uint32_t r = 0;
        std::uint32_t const s = c & 3;
        for (std::uint32_t i = 0; i < 4; ++i) {
            std::uint32_t v = 0;
            if constexpr (Mode == 0) {
                std::uint32_t const selector = c >> (4 * i) & 0xf;
                v = byte(selector);
                if ((selector & 8) != 0) v = (v & 0x80) != 0 ? 0xff : 0;
            } else if constexpr (Mode == 1) { // f4e: forward four bytes
                v = byte(s + i);
            } else if constexpr (Mode == 2) { // b4e: backward
                v = byte(s + 8 - i);
            } else if constexpr (Mode == 3) { // rc8: replicate a byte
                v = byte(s);
            } else if constexpr (Mode == 4) { // ecl: edge clamp left
                v = byte(i > s ? i : s);
            } else if constexpr (Mode == 5) { // ecr: edge clamp right
                v = byte(i < s ? i : s);
            } else { // rc16: replicate a half
                v = byte((s & 1) * 2 + (i & 1));
            }
            r |= v << (8 * i);
        }
        return r;
    }
};
struct permute_select {
    static execute_function select(form const& f) {
        using u = std::uint32_t;
        switch (f.get(modifier::permute)) {
        case 0:
            return &map_lanes<permute<0>, u, u, u, u>;
        case 1:
            return &map_lanes<permute<1>, u, u, u, u>;
        case 2:
            return &map_lanes<permute<2>, u, u, u, u>;
        case 3:
            return &map_lanes<permute<3>, u, u, u, u>;
        case 4:
            return &map_lanes<permute<4>, u, u, u, u>;
        case 5:
            return &map_lanes<permute<5>, u, u, u, u>;
        default:
            return &map_lanes<permute<6>, u, u, u, u>;
        }
    }
};

/// add.sat and sub.sat of .s32.
struct add_saturated {
    static constexpr std::int32_t apply(std::int32_t a, std::int32_t b) { return clamp(std::int64_t{a} + b); }
    static constexpr std::int32_t clamp(std::int64_t v) {
        constexpr std::int64_t low = std::numeric_limits<std::int32_t>::min();
        constexpr std::int64_t high = std::numeric_limits<std::int32_t>::max();
        return static_cast<std::int32_t>(v < low ? low : v > high ? high : v);
    }
};
struct subtract_saturated {
    static constexpr std::int32_t apply(std::int32_t a, std::int32_t b) {
        return add_saturated::clamp(std::int64_t{a} - b);
    }
};
struct multiply_add_saturated {
    static constexpr std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
        auto const upper = multiply_upper<std::int32_t>::apply(a, b);
        return add_saturated::clamp(std::int64_t{upper} + c);
    }
};

struct multiply_add_24_saturated {
    static constexpr std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
        auto const product = multiply_24_high<std::int32_t>::apply(a, b);
        return add_saturated::clamp(std::int64_t{product} + c);
    }
};

/// lop3: any function of three bits, by its truth table.
struct logic_3 {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                         std::uint32_t table) {
        std::uint32_t r = 0;
        for (std::uint32_t i = 0; i < 8; ++i)
            if ((table >> i & 1) != 0)
                r |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
        return r;
    }
};
/// dp4a: the sum of four products of bytes, on top of c. A and B are the byte types.
template <class A, class B>
struct dot_4 {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        for (unsigned i = 0; i < 32; i += 8)
            c += static_cast<std::uint32_t>(static_cast<A>(a >> i) * static_cast<B>(b >> i));
        return c;
    }
};
template <int = 0>
execute_function dot_4_select(form const& f) {
    using u = std::uint32_t;
    using s8 = std::int8_t;
    using u8 = std::uint8_t;
    bool const a = is_signed(f.type[0]);
    bool const b = is_signed(f.type[1]);
    if (a) return b ? &map_lanes<dot_4<s8, s8>, u, u, u, u> : &map_lanes<dot_4<s8, u8>, u, u, u, u>;
    return b ? &map_lanes<dot_4<u8, s8>, u, u, u, u> : &map_lanes<dot_4<u8, u8>, u, u, u, u>;
}

/// c plus the products of two 16-bit parts of a and two bytes of b, the lower or the upper two.
template <class A, class B, unsigned From>
struct dot_2 {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        for (unsigned i = 0; i < 2; ++i)
            c +=
                static_cast<std::uint32_t>(static_cast<A>(a >> 16 * i) * static_cast<B>(b >> 8 * (From + i)));
        return c;
    }
};
template <int = 0>
execute_function dot_2_select(form const& f) {
    using u = std::uint32_t;
    auto const by_half = [&]<class A, class B>(A, B) -> execute_function {
        return f.get(modifier::half) == 1 ? &map_lanes<dot_2<A, B, 0>, u, u, u, u>
                                          : &map_lanes<dot_2<A, B, 2>, u, u, u, u>;
    };
    auto const by_second = [&]<class A>(A a) {
        return is_signed(f.type[1]) ? by_half(a, std::int8_t{}) : by_half(a, std::uint8_t{});
    };
    return is_signed(f.type[0]) ? by_second(std::int16_t{}) : by_second(std::uint16_t{});
}

/// bmsk: `width` ones from bit `position` on; what passes the top is cut off. Numbers wrap modulo 32, or with Clamp
/// those past it count as 32.
template <bool Clamp>
struct bit_mask {
    static constexpr std::uint32_t apply(std::uint32_t position, std::uint32_t width) {
        if (Clamp && position >= 32) return 0;
        std::uint32_t const from = position & 31;
        std::uint32_t const count = Clamp && width >= 32 ? 32 : width & 31;
        return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << from);
    }
};
template <int = 0>
execute_function bit_masks(form const& f) {
    using u = std::uint32_t;
    return f.get(modifier::wrap) == 1 ? &map_lanes<bit_mask<true>, u, u, u>
                                      : &map_lanes<bit_mask<false>, u, u, u>;
}
/// szext: the low `width` bits, extended by zeros or by their sign; likewise.
template <class T, bool Clamp>
struct sign_extension {
    static constexpr std::uint32_t apply(std::uint32_t a, std::uint32_t width) {
        if (Clamp && width >= 32) return a;
        std::uint32_t const n = width & 31;
        if (n == 0) return 0;
        std::uint32_t const mask = ~std::uint32_t{0} << n;
        bool const negative = std::is_signed_v<T> && (a >> (n - 1) & 1) != 0;
        return (a & ~mask) | (negative ? mask : 0);
    }
};
template <int = 0>
execute_function sign_extensions(form const& f) {
    using u = std::uint32_t;
    bool const clamp = f.get(modifier::wrap) == 1;
    if (is_signed(f.type[0]))
        return clamp ? &map_lanes<sign_extension<std::int32_t, true>, u, u, u>
                     : &map_lanes<sign_extension<std::int32_t, false>, u, u, u>;
    return clamp ? &map_lanes<sign_extension<u, true>, u, u, u>
                 : &map_lanes<sign_extension<u, false>, u, u, u>;
}

// Forms whose operands are not all of one type.
template <template <class> class Op, class Second>
execute_function shifts(form const& f) {
    switch (f.type[0]) {
    case scalar::b16:
    case scalar::u16:
        return &map_lanes<Op<std::uint16_t>, std::uint16_t, std::uint16_t, Second>;
    case scalar::b32:
    case scalar::u32:
        return &map_lanes<Op<std::uint32_t>, std::uint32_t, std::uint32_t, Second>;
    case scalar::b64:
    case scalar::u64:
        return &map_lanes<Op<std::uint64_t>, std::uint64_t, std::uint64_t, Second>;
    case scalar::s16:
        return &map_lanes<Op<std::int16_t>, std::int16_t, std::int16_t, Second>;
    case scalar::s32:
        return &map_lanes<Op<std::int32_t>, std::int32_t, std::int32_t, Second>;
    case scalar::s64:
        return &map_lanes<Op<std::int64_t>, std::int64_t, std::int64_t, Second>;
    default:
        return nullptr;
    }
}
template <int = 0>
execute_function wide_products(form const& f) {
    switch (f.type[0]) {
    case scalar::u16:
        return &map_lanes<multiply_wide<std::uint16_t>, std::uint32_t, std::uint16_t, std::uint16_t>;
    case scalar::s16:
        return &map_lanes<multiply_wide<std::int16_t>, std::int32_t, std::int16_t, std::int16_t>;
    case scalar::u32:
        return &map_lanes<multiply_wide<std::uint32_t>, std::uint64_t, std::uint32_t, std::uint32_t>;
    case scalar::s32:
        return &map_lanes<multiply_wide<std::int32_t>, std::int64_t, std::int32_t, std::int32_t>;
    default:
        return nullptr;
    }
}
template <class T>
constexpr execute_function wide_product_sum = &map_lanes<multiply_add_wide<T>, wide_of<T>, T, T, wide_of<T>>;
template <int = 0>
execute_function wide_product_sums(form const& f) {
    switch (f.type[0]) {
    case scalar::u16:
        return wide_product_sum<std::uint16_t>;
    case scalar::s16:
        return wide_product_sum<std::int16_t>;
    case scalar::u32:
        return wide_product_sum<std::uint32_t>;
    case scalar::s32:
        return wide_product_sum<std::int32_t>;
    default:
        return nullptr;
    }
}
template <template <class> class Op>
execute_function bit_counts(form const& f) {
    switch (f.type[0]) {
    case scalar::b32:
    case scalar::u32:
        return &map_lanes<Op<std::uint32_t>, std::uint32_t, std::uint32_t>;
    case scalar::b64:
    case scalar::u64:
        return &map_lanes<Op<std::uint64_t>, std::uint32_t, std::uint64_t>;
    default:
        return nullptr;
    }
}
template <template <class> class Op>
execute_function bit_finds(form const& f) {
    switch (f.type[0]) {
    case scalar::s32:
        return &map_lanes<Op<std::int32_t>, std::uint32_t, std::int32_t>;
    case scalar::s64:
        return &map_lanes<Op<std::int64_t>, std::uint32_t, std::int64_t>;
    default:
        return bit_counts<Op>(f);
    }
}
template <class T>
constexpr execute_function field_extract =
    &map_lanes<bit_field_extract<T>, T, T, std::uint32_t, std::uint32_t>;
template <int = 0>
execute_function field_extracts(form const& f) {
    switch (f.type[0]) {
    case scalar::u32:
        return field_extract<std::uint32_t>;
    case scalar::s32:
        return field_extract<std::int32_t>;
    case scalar::u64:
        return field_extract<std::uint64_t>;
    case scalar::s64:
        return field_extract<std::int64_t>;
    default:
        return nullptr;
    }
}
template <int = 0>
execute_function field_inserts(form const& f) {
    using u32 = std::uint32_t;
    using u64 = std::uint64_t;
    return size_of(f.type[0]) == 4 ? &map_lanes<bit_field_insert<u32>, u32, u32, u32, u32, u32>
                                   : &map_lanes<bit_field_insert<u64>, u64, u64, u64, u32, u32>;
}
template <int = 0>
execute_function funnels(form const& f) {
    using u = std::uint32_t;
    bool const left = f.get(modifier::direction) == 1;
    bool const wrap = f.get(modifier::wrap) == 2;
    if (left)
        return wrap ? &map_lanes<funnel_left_wrap, u, u, u, u> : &map_lanes<funnel_left_clamp, u, u, u, u>;
    return wrap ? &map_lanes<funnel_right_wrap, u, u, u, u> : &map_lanes<funnel_right_clamp, u, u, u, u>;
}

/// Extended-precision arithmetic: add, sub and the sum of mad with carry in and out. The carry is the second
/// destination and the last source, both predicates; the lowering supplies whichever the form has.
template <class T, unsigned Kind> // 0 add, 1 subtract, 2 low product, 3 high product
void with_carry(warp_context& c, operation const& o, lane_mask mask) {
    using U = unsigned_of<T>;
    constexpr unsigned data = Kind < 2 ? 2 : 3;
    auto const* a = c.source<T>(o, 0);
    auto const* b = c.source<T>(o, 1);
    bool const in = o.source_count > data;
    bool const out = (o.option & 1) != 0;
    lane_mask const carry_in = in ? *c.lanes_of<lane_mask>(o.source[data]) : 0;
    lane_mask carry = 0;
    U r[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        auto x = static_cast<U>(a[l]);
        auto y = static_cast<U>(b[l]);
        U const k = carry_in >> l & 1;
        if constexpr (Kind == 1) {
            // The flag is the borrow.
            U const d = x - y;
            r[l] = d - k;
            carry |= static_cast<lane_mask>(x < y || d < k) << l;
        } else {
            if constexpr (Kind >= 2) {
                x = static_cast<U>(Kind == 2 ? multiply_low<T>::apply(a[l], b[l])
                                             : multiply_upper<T>::apply(a[l], b[l]));
                y = static_cast<U>(c.source<T>(o, 2)[l]);
            }
            U const s = x + y;
            r[l] = s + k;
            carry |= static_cast<lane_mask>(s < x || r[l] < s) << l;
        }
    }
    c.write<U>(o.destination[0], r, mask);
    if (out) c.write_predicate(o.destination[1], carry, mask);
}
template <unsigned Kind>
execute_function carries(form const& f) {
    switch (f.type[0]) {
    case scalar::u32:
    case scalar::b32:
        return &with_carry<std::uint32_t, Kind>;
    case scalar::s32:
        return &with_carry<std::int32_t, Kind>;
    case scalar::u64:
    case scalar::b64:
        return &with_carry<std::uint64_t, Kind>;
    case scalar::s64:
        return &with_carry<std::int64_t, Kind>;
    default:
        return nullptr;
    }
}
/// mad.lo and mad.hi: Kind 2 or 3 by the form's half.
template <int = 0>
execute_function carry_products(form const& f) {
    return f.get(modifier::half) == 1 ? carries<2>(f) : carries<3>(f);
}

/// createpolicy: a value that means something to caches alone, of which none here asks for it.
template <int = 0>
void no_policy(warp_context& c, operation const& o, lane_mask mask) {
    std::uint64_t const r[lanes]{};
    c.write<std::uint64_t>(o.destination[0], r, mask);
}

} // namespace warpkit::ptx::semantics
