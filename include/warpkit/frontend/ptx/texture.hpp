#pragma once
/// \file
/// tex, tld4, txq: fetches from bound textures, and what is known of them (CUDA C++ Programming Guide, "Texture
/// Fetching"; PTX ISA, "Texture Instructions").

#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/texture_sampling.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace warpkit::ptx {
namespace texturing {

/// The texture or surface that an instruction names; lane `l` is at fault where there is none.
inline texture_binding const& bound(warp_context& c, operation const& o, unsigned l) {
    auto const handle = o.address == addressing::absolute ? o.offset : c.lanes_of<std::uint64_t>(o.base)[l];
    auto const* t = c.memory.global->textures().find(handle);
    if (t == nullptr) c.fault(c, o, "unbound texture", l, handle, 4, memory_space::texture);
    return *t;
}
/// A layer's number, kept to those that there are.
inline std::uint64_t layer_in(texture_binding const& t, std::int32_t layer) noexcept {
    auto const last = t.layers == 0 ? 0 : std::int64_t{t.layers} - 1;
    return static_cast<std::uint64_t>(layer < 0 ? 0 : layer > last ? last : layer);
}

/// Where in a texture one lane reads: the layer or face, and the coordinates there, of type C.
template <class C>
struct place_in_texture {
    std::uint64_t layer = 0;
    std::array<C, 3> at{};
    cube_direction direction; ///< on a cube
};
template <shape S, class C>
place_in_texture<C> place_of(warp_context& c, operation const& o, unsigned l, texture_binding const& t) {
    place_in_texture<C> p;
    auto const number = [&](unsigned k) { return c.source<std::uint32_t>(o, k)[l]; };
    if constexpr (S.cube) {
        constexpr unsigned first = S.layered ? 1 : 0;
        p.direction = met(std::bit_cast<float>(number(first)), std::bit_cast<float>(number(first + 1)),
                          std::bit_cast<float>(number(first + 2)));
        auto const& d = p.direction;
        p.at = {on_face(d.s, d.axis), on_face(d.t, d.axis), 0};
        auto const layer = S.layered ? static_cast<std::int32_t>(number(0)) : 0;
        auto const cubes = static_cast<std::int32_t>(t.layers / 6);
        auto const cube = layer < 0 ? 0 : layer >= cubes ? cubes - 1 : layer;
        p.layer = layer_in(t, 6 * cube + static_cast<std::int32_t>(d.face));
    } else {
        for (unsigned d = 0; d < S.dimensions; ++d)
            p.at[d] = std::bit_cast<C>(number(d + (S.layered ? 1 : 0)));
        if constexpr (S.layered) p.layer = layer_in(t, static_cast<std::int32_t>(number(0)));
    }
    return p;
}

/// What one lane's fetch has read so far.
struct lane_fetch {
    warp_context& c;
    operation const& o;
    texture_binding const& t;
    unsigned lane = 0;
    bool linear = false;  ///< between texels
    bool numbers = false; ///< the result is a sum
    bool seen = false;
    std::array<std::uint32_t, 4> bits{};
    std::array<double, 4> sum{};

    /// The texel in a level's layer; the first one is that whose address the stream gets.
    std::byte const* texel(texel_array const& level, std::uint64_t layer, std::uint64_t x, std::uint64_t y,
                           std::uint64_t z) {
        auto const rows = layer * level.height + z * level.height + y;
        auto const address = level.address + rows * t.row_bytes(level) + x * t.texel_bytes();
        auto const* p = c.memory.global->find(address, t.texel_bytes());
        if (p == nullptr)
            c.fault(c, o, "out-of-range", lane, address, t.texel_bytes(), memory_space::texture);
        if (!seen) c.address[lane] = address & ~std::uint64_t{3};
        seen = true;
        return p;
    }
    /// What is read outside, of component `k`.
    float border(unsigned k) const {
        return k < t.components && (t.kind == texel_kind::floating || t.normalised_values) ? t.border[k] : 0;
    }
    /// A level's texels, which count `part` of the whole.
    template <unsigned D, class C>
    void add(texel_array const& level, place_in_texture<C> const& p, double part) {
        std::array<footprint, 3> f{};
        std::uint32_t const size[3]{level.width, level.height, level.depth};
        for (unsigned d = 0; d < D; ++d) f[d] = touched(p.at[d], size[d], t, d, linear);
        for (unsigned corner = 0; corner < (linear ? 1U << D : 1U); ++corner) {
            double weight = part;
            bool inside = true;
            std::uint64_t at[3]{};
            for (unsigned d = 0; d < D; ++d) {
                auto const second = corner >> d & 1;
                if (linear) weight *= (second != 0 ? f[d].weight : 256 - f[d].weight) / 256.0;
                auto const i = f[d].texel[second];
                inside = inside && i >= 0;
                at[d] = static_cast<std::uint64_t>(i);
            }
            if (weight == 0 && numbers) continue;
            if (!inside) {
                for (unsigned k = 0; k < t.components; ++k) {
                    sum[k] += weight * static_cast<double>(border(k));
                    if (!numbers) bits[k] = std::bit_cast<std::uint32_t>(border(k));
                }
                continue;
            }
            auto const* const q = texel(level, p.layer, at[0], at[1], at[2]);
            for (unsigned k = 0; k < t.components; ++k) {
                auto const v = read_component(t, q + std::size_t{k} * t.component_bytes);
                if (numbers)
                    sum[k] += weight * v.number;
                else
                    bits[k] = v.bits;
            }
        }
    }
    std::uint32_t result(unsigned k) const {
        if (!numbers) return bits[k];
        auto const v = static_cast<float>(sum[k]);
        return v == v ? std::bit_cast<std::uint32_t>(v) : 0x7fffffff;
    }
};

/// Where a fetch takes its level of a mipmap from.
enum class detail_from { base, level, gradient };

/// The level of detail of two gradients, whose numbers are sources from `first` on: that in which the longer one is a
/// texel (as OpenGL and Direct3D define it; without anisotropy).
template <shape S>
double detail_of(warp_context& c, operation const& o, unsigned l, texture_binding const& t, unsigned first,
                 cube_direction const& direction) {
    double longest = 0;
    std::uint32_t const size[3]{t.width, t.height, t.depth};
    for (unsigned g = 0; g < 2; ++g) {
        float v[3]{};
        for (unsigned d = 0; d < S.numbers(); ++d)
            v[d] = std::bit_cast<float>(c.source<std::uint32_t>(o, first + g * S.numbers() + d)[l]);
        if constexpr (S.cube) {
            auto const& at = direction;
            auto const by = seen_from(at.face, v[0], v[1], v[2]);
            v[0] = slope_on_face(at.s, at.axis, by.s, by.axis);
            v[1] = slope_on_face(at.t, at.axis, by.t, by.axis);
        }
        double area = 0;
        for (unsigned d = 0; d < S.dimensions; ++d) {
            auto const texels = static_cast<double>(v[d]) * (t.normalised_coordinates ? size[d] : 1.0);
            area += texels * texels;
        }
        longest = area > longest ? area : longest;
    }
    constexpr double beyond = 1000; // all levels
    if (!(longest > 0)) return -beyond;
    return longest < 1e300 ? half_logarithm(longest) : beyond;
}

} // namespace texturing

namespace semantics {

/// tex: coordinates of shape S and type C. A component that the texels lack reads as zero. The stream gets the word in
/// which each lane's first texel begins.
template <texturing::shape S, class C, texturing::detail_from From>
void fetch_texture(warp_context& c, operation const& o, lane_mask mask) {
    using texturing::detail_from;
    std::array<std::array<std::uint32_t, lanes>, 4> result{};
    c.space = memory_space::texture;
    c.regular = false;
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        auto const& t = texturing::bound(c, o, l);
        auto const p = texturing::place_of<S, C>(c, o, l, t);
        texturing::level_choice level;
        if (!t.smaller.empty()) {
            double detail = 0;
            if constexpr (From == detail_from::level)
                detail = std::bit_cast<C>(c.source<std::uint32_t>(o, S.coordinates())[l]);
            if constexpr (From == detail_from::gradient)
                detail = texturing::detail_of<S>(c, o, l, t, S.coordinates(), p.direction);
            level = texturing::chosen(t, detail);
        }
        // Integers that stay integers are never filtered, nor what integer coordinates name.
        bool const filters =
            std::is_same_v<C, float> && (t.kind == texel_kind::floating || t.normalised_values);
        texturing::lane_fetch f{c, o, t, l};
        f.linear = filters && t.filter == texture_filter::linear;
        f.numbers = f.linear || (filters && level.weight != 0);
        auto const part = f.numbers ? level.weight / 256.0 : 0.0;
        f.template add<S.dimensions>(t.level(level.first), p, 1 - part);
        if (part != 0) f.template add<S.dimensions>(t.level(level.second), p, part);
        if (!f.seen) c.address[l] = t.address & ~std::uint64_t{3}; // the border costs a look-up all the same
        for (unsigned k = 0; k < 4; ++k) result[k][l] = f.result(k);
    }
    for (unsigned k = 0; k < 4; ++k) c.write<std::uint32_t>(o.destination[k], result[k].data(), mask);
}

/// tld4: one component of the four texels that a linear filter would weigh, from the one on the left below on, in
/// a circle to the right (PTX ISA, "tld4").
template <texturing::shape S>
void gather_texels(warp_context& c, operation const& o, lane_mask mask) {
    std::array<std::array<std::uint32_t, lanes>, 4> result{};
    c.space = memory_space::texture;
    c.regular = false;
    auto const component = o.modifiers->get(modifier::component) - 1;
    constexpr std::uint8_t corner[4][2]{{0, 1}, {1, 1}, {1, 0}, {0, 0}}; // rows grow downwards
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        auto const& t = texturing::bound(c, o, l);
        auto const p = texturing::place_of<S, float>(c, o, l, t);
        auto const x = texturing::touched(p.at[0], t.width, t, 0, true);
        auto const y = texturing::touched(p.at[1], t.height, t, 1, true);
        texturing::lane_fetch f{c, o, t, l};
        for (unsigned k = 0; k < 4; ++k) {
            auto const i = x.texel[corner[k][0]];
            auto const j = y.texel[corner[k][1]];
            if (i < 0 || j < 0) {
                result[k][l] = std::bit_cast<std::uint32_t>(f.border(component));
                continue;
            }
            auto const* const q =
                f.texel(t.level(0), p.layer, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j), 0);
            if (component < t.components)
                result[k][l] =
                    texturing::read_component(t, q + std::size_t{component} * t.component_bytes).bits;
        }
        if (!f.seen) c.address[l] = t.address & ~std::uint64_t{3};
    }
    for (unsigned k = 0; k < 4; ++k) c.write<std::uint32_t>(o.destination[k], result[k].data(), mask);
}

/// txq and suq: what is known of a texture or surface; of one of its levels, where the form names one.
template <bool OfLevel>
void query_texture(warp_context& c, operation const& o, lane_mask mask) {
    std::array<std::uint32_t, lanes> result{};
    auto const what = o.modifiers->get(modifier::query);
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        auto const& t = texturing::bound(c, o, l);
        std::uint32_t level = 0;
        if constexpr (OfLevel) level = c.source<std::uint32_t>(o, 0)[l];
        auto const a = t.level(level < t.levels() ? level : t.levels() - 1);
        std::uint32_t const known[]{a.width, a.height, a.depth, t.layers, t.levels()};
        result[l] = known[what - 1];
    }
    c.write<std::uint32_t>(o.destination[0], result.data(), mask);
}

namespace detail {
template <template <texturing::shape> class Function>
execute_function by_shape(form const& f) {
    using texturing::shape_of;
    switch (f.get(modifier::geometry)) {
    case 1:
        return Function<shape_of(1)>::of(f);
    case 2:
        return Function<shape_of(2)>::of(f);
    case 3:
        return Function<shape_of(3)>::of(f);
    case 6:
        return Function<shape_of(6)>::of(f);
    case 7:
        return Function<shape_of(7)>::of(f);
    case 8:
        return Function<shape_of(8)>::of(f);
    case 9:
        return Function<shape_of(9)>::of(f);
    default:
        return nullptr;
    }
}
template <texturing::detail_from From>
struct fetches_from {
    template <texturing::shape S>
    struct shaped {
        static execute_function of(form const& f) {
            if (f.type[1] == scalar::f32) return &fetch_texture<S, float, From>;
            if constexpr (S.cube || From == texturing::detail_from::gradient)
                return nullptr; // a direction is no integer
            else
                return &fetch_texture<S, std::int32_t, From>;
        }
    };
};
template <texturing::shape S>
struct gathers_of {
    static execute_function of(form const&) {
        if constexpr (S.dimensions == 2)
            return &gather_texels<S>;
        else
            return nullptr;
    }
};
} // namespace detail

/// By the form's geometry; only vectors of four come back.
template <texturing::detail_from From>
execute_function fetches(form const& f) {
    return f.vector_size() == 4 ? detail::by_shape<detail::fetches_from<From>::template shaped>(f) : nullptr;
}
template <int = 0>
execute_function gathers(form const& f) {
    return f.vector_size() == 4 ? detail::by_shape<detail::gathers_of>(f) : nullptr;
}

} // namespace semantics
} // namespace warpkit::ptx
