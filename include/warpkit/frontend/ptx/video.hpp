#pragma once
/// \file
/// Video instructions: arithmetic on selected bytes, halves or words, with saturation and a second operation or a
/// merge; and the same on two halves or four bytes at once.
/// Source: PTX ISA, "Video Instructions", by its pseudocode.

#include <warpkit/frontend/ptx/operation.hpp>

#include <cstdint>

namespace warpkit::ptx::semantics {

/// What a video instruction does with each pair of parts.
enum class video_operation : std::uint8_t {
    add,
    subtract,
    average,
    absolute_difference,
    minimum,
    maximum,
    shift_left,
    shift_right,
    compare
};

namespace video {
__extension__ typedef __int128 wide;

/// The selectors of destination and sources, from the constant behind the sources.
struct selectors {
    part_selector of[3]{};
    selectors(warp_context const& c, operation const& o)
        : selectors(*c.lanes_of<std::uint64_t>(o.source[o.source_count - 1U])) {}
    explicit constexpr selectors(std::uint64_t packed) noexcept {
        for (unsigned i = 0; i < 3; ++i) of[i] = part_selector::of(packed >> (20 * i));
    }
};

/// Bits [first, first + count) of `from`, extended as the type says.
constexpr std::int64_t extended(std::uint64_t from, unsigned first, unsigned count, bool is_signed) noexcept {
    auto const v = from >> first & ((std::uint64_t{1} << count) - 1);
    bool const negative = is_signed && (v >> (count - 1) & 1) != 0;
    return static_cast<std::int64_t>(v) - (negative ? std::int64_t{1} << count : 0);
}
/// The byte, half or word of a source that its selector names.
constexpr std::int64_t part_of(std::uint32_t word, part_selector s, bool is_signed) noexcept {
    return s.bits == 0 ? extended(word, 0, 32, is_signed)
                       : extended(word, s.digit[0] * unsigned{s.bits}, s.bits, is_signed);
}
constexpr wide limited(wide v, unsigned bits, bool is_signed) noexcept {
    wide const low = is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
    wide const high = (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    return v < low ? low : v > high ? high : v;
}
constexpr bool compared(comparison how, wide a, wide b) noexcept {
    switch (how) {
    case comparison::eq:
        return a == b;
    case comparison::ne:
        return a != b;
    case comparison::lt:
        return a < b;
    case comparison::le:
        return a <= b;
    case comparison::gt:
        return a > b;
    default:
        return a >= b;
    }
}
template <video_operation Op>
constexpr wide apply(form const& f, wide a, wide b) noexcept {
    switch (Op) {
    case video_operation::add:
        return a + b;
    case video_operation::subtract:
        return a - b;
    case video_operation::average:
        return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case video_operation::absolute_difference:
        return a < b ? b - a : a - b;
    case video_operation::minimum:
        return a < b ? a : b;
    case video_operation::maximum:
        return a > b ? a : b;
    case video_operation::shift_left:
    case video_operation::shift_right: {
        auto const by = static_cast<int>(f.get(modifier::wrap) == 2 ? b & 31 : b > 32 ? 32 : b);
        return Op == video_operation::shift_left ? a << by : a >> by;
    }
    case video_operation::compare:
        return compared(static_cast<comparison>(f.get(modifier::compare)), a, b) ? 1 : 0;
    }
    return 0;
}
/// Whether type `i` of the operands (0: the destination) is signed. vset has no type of its own: it gives .u32.
template <video_operation Op>
constexpr bool is_signed_operand(form const& f, unsigned i) noexcept {
    if (Op != video_operation::compare) return is_signed(f.type[i]);
    return i != 0 && is_signed(f.type[i - 1]);
}
} // namespace video

/// vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vset
template <video_operation Op>
void video_scalar(warp_context& c, operation const& o, lane_mask mask) {
    auto const& f = *o.modifiers;
    video::selectors const selected(c, o);
    auto const* const a = c.source<std::uint32_t>(o, 0);
    auto const* const b = c.source<std::uint32_t>(o, 1);
    auto const* const third = o.source_count > 3 ? c.source<std::uint32_t>(o, 2) : nullptr;
    bool const d_signed = video::is_signed_operand<Op>(f, 0);
    auto const merge = selected.of[0];
    std::uint32_t r[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        auto const x = video::part_of(a[l], selected.of[1], video::is_signed_operand<Op>(f, 1));
        auto const y = video::part_of(b[l], selected.of[2], video::is_signed_operand<Op>(f, 2));
        auto t = video::apply<Op>(f, x, y);
        if (o.sat) t = video::limited(t, merge.bits == 0 ? 32 : merge.bits, d_signed);
        auto value = static_cast<std::uint32_t>(t);
        if (merge.bits != 0) {
            auto const ones = ((std::uint32_t{1} << merge.bits) - 1) << (merge.digit[0] * merge.bits);
            value = (value << (merge.digit[0] * merge.bits) & ones) | (third[l] & ~ones);
        } else if (third != nullptr) {
            bool const less = d_signed
                                  ? static_cast<std::int32_t>(value) < static_cast<std::int32_t>(third[l])
                                  : value < third[l];
            switch (f.get(modifier::second)) {
            case 1:
                value += third[l];
                break;
            case 2:
                value = less ? value : third[l];
                break;
            default:
                value = less ? third[l] : value;
            }
        }
        r[l] = value;
    }
    c.write<std::uint32_t>(o.destination[0], r, mask);
}

/// vadd2, vadd4 and their like: `Parts` halves or bytes, chosen from those of both sources.
template <video_operation Op, unsigned Parts>
void video_parts(warp_context& c, operation const& o, lane_mask mask) {
    constexpr unsigned bits = 32 / Parts;
    auto const& f = *o.modifiers;
    video::selectors const selected(c, o);
    auto const* const a = c.source<std::uint32_t>(o, 0);
    auto const* const b = c.source<std::uint32_t>(o, 1);
    auto const* const third = c.source<std::uint32_t>(o, 2);
    bool const adds = f.has(modifier::second);
    std::uint32_t r[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        auto const both = std::uint64_t{b[l]} << 32 | a[l];
        std::uint32_t value = third[l];
        for (unsigned i = 0; i < Parts; ++i) {
            // A selector's digits stand with the highest part in front; without one, all of a and all of b.
            auto const chosen = [&](part_selector s, unsigned otherwise) {
                return (s.bits == 0 ? otherwise + i : s.digit[Parts - 1 - i]) * bits;
            };
            auto const x =
                video::extended(both, chosen(selected.of[1], 0), bits, video::is_signed_operand<Op>(f, 1));
            auto const y = video::extended(both, chosen(selected.of[2], Parts), bits,
                                           video::is_signed_operand<Op>(f, 2));
            auto t = video::apply<Op>(f, x, y);
            if (o.sat) t = video::limited(t, bits, video::is_signed_operand<Op>(f, 0));
            auto const& m = selected.of[0];
            bool taken = m.bits == 0;
            for (unsigned k = 0; k < m.count; ++k) taken = taken || m.digit[k] == i;
            if (!taken) continue;
            auto const ones = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1) << (i * bits);
            if (adds)
                value += static_cast<std::uint32_t>(t);
            else
                value = (static_cast<std::uint32_t>(t) << (i * bits) & ones) | (value & ~ones);
        }
        r[l] = value;
    }
    c.write<std::uint32_t>(o.destination[0], r, mask);
}

/// vmad: the sum is exact; .po adds one; .shr7 and .shr15 scale it.
template <int = 0>
void video_multiply_add(warp_context& c, operation const& o, lane_mask mask) {
    auto const& f = *o.modifiers;
    video::selectors const selected(c, o);
    auto const* const a = c.source<std::uint32_t>(o, 0);
    auto const* const b = c.source<std::uint32_t>(o, 1);
    auto const* const third = c.source<std::uint32_t>(o, 2);
    bool const is_final_signed = is_signed(f.type[1]) || is_signed(f.type[2]);
    auto const scale = f.get(modifier::scale) == 1 ? 7 : f.get(modifier::scale) == 2 ? 15 : 0;
    std::uint32_t r[lanes];
    for (unsigned l = 0; l < lanes; ++l) {
        video::wide sum =
            static_cast<video::wide>(video::part_of(a[l], selected.of[1], is_signed(f.type[1]))) *
            video::part_of(b[l], selected.of[2], is_signed(f.type[2]));
        sum += video::extended(third[l], 0, 32, is_final_signed);
        sum += f.has(modifier::plus_one) ? 1 : 0;
        auto const scaled = static_cast<std::int64_t>(sum >> scale); // 64 bits of it
        r[l] = static_cast<std::uint32_t>(
            !o.sat            ? scaled
            : is_final_signed ? video::limited(scaled, 32, true)
                              : (static_cast<std::uint64_t>(scaled) > 0xffffffff ? 0xffffffff : scaled));
    }
    c.write<std::uint32_t>(o.destination[0], r, mask);
}

} // namespace warpkit::ptx::semantics
