#pragma once
/// \file
/// What a fetch makes of texels: which it touches, how much each counts, which level of a mipmap, which face of a cube
/// (CUDA C++ Programming Guide, "Texture Fetching", "Cubemap Textures"). Filtering weights have 8 bits of fraction, as
/// the hardware's have; sums are exact to double precision and then rounded once.

#include <warpkit/frontend/ptx/form.hpp>
#include <warpkit/frontend/ptx/soft_float.hpp>
#include <warpkit/frontend/texture.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpkit::ptx {
namespace texturing {

/// What .1d to .acube say of the coordinates: a layer's number first, then one for each dimension, or the direction
/// from the middle of a cube.
struct shape {
    unsigned dimensions = 1; ///< of what is filtered: 2 on a cube's face
    bool layered = false;
    bool cube = false;

    constexpr unsigned numbers() const noexcept {
        return cube ? 3 : dimensions;
    } ///< coordinates but the layer
    constexpr unsigned coordinates() const noexcept { return numbers() + (layered ? 1U : 0U); }
};
/// How many elements a vector of `needed` numbers is written with: of three it has a fourth, which says nothing.
constexpr unsigned written(unsigned needed) noexcept { return needed == 3 ? 4 : needed; }
/// Whether a vector of `given` elements will do; without the fourth, too.
constexpr bool suffices(std::size_t given, unsigned needed) noexcept {
    return given == needed || given == written(needed);
}
/// By the 1-based index of the word.
constexpr shape shape_of(unsigned word) noexcept {
    switch (word) {
    case 6:
        return {1, true, false};
    case 7:
        return {2, true, false};
    case 8:
        return {2, false, true};
    case 9:
        return {2, true, true};
    default:
        return {word, false, false};
    }
}
constexpr shape shape_of(form const& f) noexcept { return shape_of(f.get(modifier::geometry)); }

/// The texels that a coordinate touches in one direction, and how much the second one counts.
struct footprint {
    std::int64_t texel[2]{};  ///< negative: outside, zeros
    std::uint32_t weight = 0; ///< of the second, in 256ths
};

/// Where texel `i` of `n` really is.
inline std::int64_t place(std::int64_t i, std::uint32_t n, texture_address_mode mode, bool normalised) {
    if (i >= 0 && i < n) return i;
    if (mode == texture_address_mode::border) return -1;
    if (normalised && mode == texture_address_mode::wrap) {
        auto const r = i % n;
        return r < 0 ? r + n : r;
    }
    if (normalised && mode == texture_address_mode::mirror) {
        auto r = i % (2 * std::int64_t{n});
        if (r < 0) r += 2 * std::int64_t{n};
        return r < n ? r : 2 * std::int64_t{n} - 1 - r;
    }
    return i < 0 ? 0 : std::int64_t{n} - 1;
}
inline footprint touched(float x, std::uint32_t n, texture_binding const& t, unsigned direction,
                         bool linear) {
    footprint f;
    if (x != x) x = 0; // NaN reads as 0
    double at = t.normalised_coordinates ? static_cast<double>(x) * n : static_cast<double>(x);
    double const far = 1e15; // exact, and outside of everything
    at = at < -far ? -far : at > far ? far : at;
    if (linear) at -= 0.5;
    double const low = std::floor(at);
    auto const i = static_cast<std::int64_t>(low);
    auto const mode = t.outside[direction];
    f.texel[0] = place(i, n, mode, t.normalised_coordinates);
    if (linear) {
        f.weight = static_cast<std::uint32_t>((at - low) * 256 + 0.5);
        f.texel[1] = place(i + 1, n, mode, t.normalised_coordinates);
    }
    return f;
}
inline footprint touched(std::int32_t x, std::uint32_t n, texture_binding const& t, unsigned direction,
                         bool) {
    footprint f;
    f.texel[0] = place(x, n, t.outside[direction], false);
    return f;
}

/// One component of a texel as its bits (integers extended) and as a number.
struct component {
    std::uint32_t bits = 0;
    double number = 0;
};
inline component read_component(texture_binding const& t, std::byte const* p) {
    component c;
    std::memcpy(&c.bits, p, t.component_bytes); // little-endian, as the device
    if (t.kind == texel_kind::floating) {
        if (t.component_bytes == 2) {
            auto const h = static_cast<std::uint16_t>(c.bits);
            auto const s = soft::split_bits<soft::half_format>(h);
            c.bits = soft::round_to<soft::single_format>(s.sign, s.mantissa, s.exponent, rounding::rn);
            if ((h & 0x7c00) == 0x7c00)
                c.bits = (h & 0x3ff) != 0 ? 0x7fffffff : s.sign ? 0xff800000 : 0x7f800000;
        }
        c.number = static_cast<double>(std::bit_cast<float>(c.bits));
        return c;
    }
    unsigned const unused = 32 - 8U * t.component_bytes;
    bool const is_signed = t.kind == texel_kind::signed_integer;
    if (is_signed) c.bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(c.bits << unused) >> unused);
    if (t.normalised_values) {
        double const greatest =
            is_signed ? (1U << (8 * t.component_bytes - 1)) - 1 : (1U << 8 * t.component_bytes) - 1;
        double const v = is_signed ? static_cast<std::int32_t>(c.bits) : static_cast<double>(c.bits);
        c.number = v / greatest < -1 ? -1 : v / greatest;
        c.bits = std::bit_cast<std::uint32_t>(static_cast<float>(c.number));
    }
    return c;
}

/// A direction on the cube: which face it meets, and of that face's coordinates those before the division.
struct cube_direction {
    unsigned face = 0;
    float s = 0;
    float t = 0;
    float axis = 0; ///< along the face's own, positive on it
};
/// How `face` sees x, y and z.
constexpr cube_direction seen_from(unsigned face, float x, float y, float z) noexcept {
    switch (face) {
    case 0:
        return {face, -z, -y, x};
    case 1:
        return {face, z, -y, -x};
    case 2:
        return {face, x, z, y};
    case 3:
        return {face, x, -z, -y};
    case 4:
        return {face, x, -y, z};
    default:
        return {face, -x, -y, -z};
    }
}
/// The face in the direction of the largest coordinate; of equal ones z comes before y before x.
inline cube_direction met(float x, float y, float z) noexcept {
    float const ax = std::fabs(x);
    float const ay = std::fabs(y);
    float const az = std::fabs(z);
    if (ax > ay && ax > az) return seen_from(x >= 0 ? 0 : 1, x, y, z);
    return ay > az ? seen_from(y >= 0 ? 2 : 3, x, y, z) : seen_from(z >= 0 ? 4 : 5, x, y, z);
}
/// From [-1, 1] on a face to normalised coordinates.
inline float on_face(float part, float axis) noexcept { return (part / axis + 1) / 2; }
/// How fast on_face() changes where the direction changes by `of`, which the same face has seen.
inline float slope_on_face(float part, float axis, float of_part, float of_axis) noexcept {
    return (of_part * axis - part * of_axis) / (2 * axis * axis);
}

/// Half the logarithm to base 2, rounded down to a 1024th: of an area, what that of a length would be. Squaring finds
/// it bit by bit, so that no mathematical library has a say. `x` is positive and finite.
inline double half_logarithm(double x) noexcept {
    int exponent = 0;
    double m = 2 * std::frexp(x, &exponent); // in [1, 2)
    double log = exponent - 1;
    double bit = 1;
    for (unsigned i = 0; i < 9; ++i) {
        m *= m;
        bit /= 2;
        if (m >= 2) {
            m /= 2;
            log += bit;
        }
    }
    return log / 2;
}

/// Which levels of a mipmap a fetch reads, and how much the second one counts.
struct level_choice {
    std::uint32_t first = 0;
    std::uint32_t second = 0;
    std::uint32_t weight = 0; ///< of the second, in 256ths
};
/// Those of level of detail `lod`, 0 the largest: biased, clamped, and the nearest one or both neighbours.
inline level_choice chosen(texture_binding const& t, double lod) noexcept {
    if (t.smaller.empty()) return {};
    auto const last = static_cast<double>(t.levels() - 1);
    if (lod != lod) lod = 0;
    lod += static_cast<double>(t.level_bias);
    auto const low = static_cast<double>(t.lowest_level);
    auto const high = static_cast<double>(t.highest_level);
    lod = lod < low ? low : lod > high ? high : lod;
    lod = lod < 0 ? 0 : lod > last ? last : lod;
    if (t.between_levels == texture_filter::point) {
        auto const k = static_cast<std::uint32_t>(std::floor(lod + 0.5));
        return {k, k, 0};
    }
    auto const first = static_cast<std::uint32_t>(std::floor(lod));
    auto const weight = static_cast<std::uint32_t>((lod - first) * 256 + 0.5);
    return {first, first + 1 < t.levels() ? first + 1 : first, weight};
}

} // namespace texturing
} // namespace warpkit::ptx
