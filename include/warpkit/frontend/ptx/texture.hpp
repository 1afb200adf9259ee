#pragma once
/// \file
/// tex: fetches from bound textures (CUDA C++ Programming Guide, "Texture Fetching"). Filtering weights have 8 bits
/// of fraction, as the hardware's have; sums are exact to double precision and then rounded once.

#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/soft_float.hpp>
#include <warpkit/frontend/texture.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace warpkit::ptx {
namespace texturing {

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

} // namespace texturing

namespace semantics {

/// tex: `D` dimensions, coordinates of type C. The texture's handle is the address. A component that the texels lack
/// reads as zero. The stream gets the word in which each lane's first texel begins.
template <unsigned D, class C>
void fetch_texture(warp_context& c, operation const& o, lane_mask mask) {
    std::array<std::array<std::uint32_t, lanes>, 4> result{};
    c.space = memory_space::texture;
    c.regular = false;
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        auto const handle =
            o.address == addressing::absolute ? o.offset : c.lanes_of<std::uint64_t>(o.base)[l];
        auto const* t = c.memory.global->textures().find(handle);
        if (t == nullptr) c.fault(c, o, "unbound texture", l, handle, 4, memory_space::texture);
        std::array<texturing::footprint, 3> f{};
        std::uint32_t const size[3]{t->width, t->height, t->depth};
        // Integers that stay integers are never filtered, nor what integer coordinates name.
        bool const linear = std::is_same_v<C, float> && t->filter == texture_filter::linear &&
                            (t->kind == texel_kind::floating || t->normalised_values);
        for (unsigned d = 0; d < D; ++d) {
            auto const x = c.source<std::uint32_t>(o, d)[l];
            f[d] = texturing::touched(std::bit_cast<C>(x), size[d], *t, d, linear);
        }
        double sum[4]{};
        bool seen = false;
        for (unsigned corner = 0; corner < (linear ? 1U << D : 1U); ++corner) {
            double weight = 1;
            bool inside = true;
            std::uint64_t at[3]{};
            for (unsigned d = 0; d < D; ++d) {
                auto const second = corner >> d & 1;
                if (linear) weight *= (second != 0 ? f[d].weight : 256 - f[d].weight) / 256.0;
                auto const i = f[d].texel[second];
                inside = inside && i >= 0;
                at[d] = static_cast<std::uint64_t>(i);
            }
            if (!inside || weight == 0) continue;
            auto const address =
                t->address + (at[2] * t->height + at[1]) * t->row_bytes() + at[0] * t->texel_bytes();
            auto const* p = c.memory.global->find(address, t->texel_bytes());
            if (p == nullptr)
                c.fault(c, o, "out-of-range", l, address, t->texel_bytes(), memory_space::texture);
            if (!seen) c.address[l] = address & ~std::uint64_t{3};
            seen = true;
            for (unsigned k = 0; k < t->components; ++k) {
                auto const v = texturing::read_component(*t, p + std::size_t{k} * t->component_bytes);
                if (linear)
                    sum[k] += weight * v.number;
                else
                    result[k][l] = v.bits;
            }
        }
        if (!seen) c.address[l] = t->address & ~std::uint64_t{3}; // the border costs a look-up all the same
        if (linear)
            for (unsigned k = 0; k < t->components; ++k) {
                auto const v = static_cast<float>(sum[k]);
                result[k][l] = v == v ? std::bit_cast<std::uint32_t>(v) : 0x7fffffff;
            }
    }
    for (unsigned k = 0; k < 4; ++k) c.write<std::uint32_t>(o.destination[k], result[k].data(), mask);
}
template <unsigned D>
execute_function fetches_of(form const& f) {
    return f.type[1] == scalar::f32 ? &fetch_texture<D, float> : &fetch_texture<D, std::int32_t>;
}
/// By the form's geometry; only vectors of four come back.
template <int = 0>
execute_function fetches(form const& f) {
    if (f.vector_size() != 4) return nullptr;
    switch (f.get(modifier::geometry)) {
    case 1:
        return fetches_of<1>(f);
    case 2:
        return fetches_of<2>(f);
    default:
        return fetches_of<3>(f);
    }
}

} // namespace semantics
} // namespace warpkit::ptx
