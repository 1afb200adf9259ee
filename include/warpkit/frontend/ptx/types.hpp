#pragma once
/// \file
/// The scalar types of PTX.

#include <warpkit/base/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpkit::ptx {

/// A fundamental type of PTX (PTX ISA, "Fundamental Types"); `none` where there is no type.
enum class scalar : std::uint8_t {
    none,
    pred,
    b8,
    b16,
    b32,
    b64,
    b128,
    u8,
    u16,
    u32,
    u64,
    s8,
    s16,
    s32,
    s64,
    f16,
    f16x2,
    f32,
    f64,
    bf16,
    bf16x2,
    tf32,
    e4m3x2,
    e5m2x2,
    e2m1x2, ///< in 8 bits, the others in 16
    e2m3x2,
    e3m2x2,
    ue8m0x2,
    e4m3, ///< this and what follows are elements of matrices alone: no register has them
    e5m2,
    s4,
    u4,
    b1,
    e2m3, ///< this and the next two have a byte each: of tcgen05's kinds of 8 bits, and of mma
    e3m2,
    e2m1,
    packed_e2m1 ///< two in a byte, as kinds mxf4 and mxf4nvf4 have .e2m1
};

namespace detail {
struct scalar_row {
    std::string_view name;
    std::uint8_t bytes; ///< 0 for predicates, which live in masks
    char family; ///< p predicate, b bits, u unsigned, s signed, f floating point, m element of a matrix
};
inline constexpr std::array<scalar_row, 37> scalars{
    {{"(none)", 0, '-'},       {"pred", 0, 'p'},   {"b8", 1, 'b'},     {"b16", 2, 'b'},
     {"b32", 4, 'b'},          {"b64", 8, 'b'},    {"b128", 16, 'b'},  {"u8", 1, 'u'},
     {"u16", 2, 'u'},          {"u32", 4, 'u'},    {"u64", 8, 'u'},    {"s8", 1, 's'},
     {"s16", 2, 's'},          {"s32", 4, 's'},    {"s64", 8, 's'},    {"f16", 2, 'f'},
     {"f16x2", 4, 'f'},        {"f32", 4, 'f'},    {"f64", 8, 'f'},    {"bf16", 2, 'f'},
     {"bf16x2", 4, 'f'},       {"tf32", 4, 'f'},   {"e4m3x2", 2, 'f'}, {"e5m2x2", 2, 'f'},
     {"e2m1x2", 1, 'f'},       {"e2m3x2", 2, 'f'}, {"e3m2x2", 2, 'f'}, {"ue8m0x2", 2, 'f'},
     {"e4m3", 0, 'm'},         {"e5m2", 0, 'm'},   {"s4", 0, 'm'},     {"u4", 0, 'm'},
     {"b1", 0, 'm'},           {"e2m3", 0, 'm'},   {"e3m2", 0, 'm'},   {"e2m1", 0, 'm'},
     {"(packed e2m1)", 0, 'm'}}};
} // namespace detail

/// The type's name without its dot.
constexpr std::string_view name_of(scalar t) noexcept {
    return detail::scalars[static_cast<std::size_t>(t)].name;
}
/// Bytes of a value; 0 for predicates and what is no value by itself.
constexpr unsigned size_of(scalar t) noexcept { return detail::scalars[static_cast<std::size_t>(t)].bytes; }
constexpr char family_of(scalar t) noexcept { return detail::scalars[static_cast<std::size_t>(t)].family; }
constexpr bool is_float(scalar t) noexcept { return family_of(t) == 'f'; }
constexpr bool is_signed(scalar t) noexcept { return family_of(t) == 's'; }

/// The type of this name (without dot); `none` when there is no such type.
constexpr scalar scalar_from(std::string_view name) noexcept {
    for (std::size_t i = 1; i < detail::scalars.size(); ++i)
        if (detail::scalars[i].name == name) return static_cast<scalar>(i);
    return scalar::none;
}

/// Whether an operand declared as `have` may stand where an instruction wants `want`: the same size, and not an
/// integer for a floating-point number or the reverse; untyped bits go with everything (PTX ISA, "Operand Type
/// Checking"). With `wider`, as for ld, st and cvt, the declared type may also be larger, unless it is .b128.
constexpr bool agrees(scalar have, scalar want, bool wider) noexcept {
    if (have == scalar::pred || want == scalar::pred) return have == want;
    if ((have == scalar::b128) != (want == scalar::b128)) return false;
    if (size_of(have) < size_of(want) || (!wider && size_of(have) != size_of(want))) return false;
    if (family_of(have) == 'b' || family_of(want) == 'b') return true;
    if (wider && size_of(have) > size_of(want)) return !is_float(have) && !is_float(want);
    return is_float(have) == is_float(want);
}

/// A place in the source text; both numbers count from 1.
struct position {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    friend bool operator==(position const&, position const&) = default;
};

/// The line of a program's own source that an instruction was made of, as .loc says: 0 where nothing does.
struct source_place {
    std::uint32_t file = 0; ///< as .file numbers them
    std::uint32_t line = 0;
    friend bool operator==(source_place const&, source_place const&) = default;
};

/// "name:line:column".
inline std::string at(std::string_view source, position p) {
    return std::string(source) + ":" + std::to_string(p.line) + ":" + std::to_string(p.column);
}

/// Throws warpkit::error "name:line:column: message".
[[noreturn]] inline void fail(std::string_view source, position p, std::string const& message) {
    throw error(at(source, p) + ": " + message);
}

} // namespace warpkit::ptx
