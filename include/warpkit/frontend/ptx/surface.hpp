#pragma once
/// \file
/// suld and sust: an array's bytes, by the byte in x and by the row, slice or layer (PTX ISA, "Surface Instructions";
/// CUDA C++ Programming Guide, "Surface Memory"). For timing they are accesses of global memory.

#include <warpkit/frontend/ptx/host_atomics.hpp>
#include <warpkit/frontend/ptx/operation.hpp>
#include <warpkit/frontend/ptx/texture.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpkit::ptx {
namespace surfaces {

/// What happens outside of the array, by the 1-based index of the word.
enum class boundary : std::uint8_t { none, trap, clamp, zero };

/// Where lane `l` reads or writes `bytes` bytes, or null: outside, with .zero. Its address goes to the stream; that of
/// a null is the nearest one inside.
inline std::byte* place(warp_context& c, operation const& o, unsigned l, unsigned bytes) {
    auto const& t = texturing::bound(c, o, l);
    auto const s = texturing::shape_of(*o.modifiers);
    std::int64_t at[3]{}; // byte, row, slice or layer
    std::int64_t last[3]{std::int64_t{t.width} * t.texel_bytes() - bytes, std::int64_t{t.height} - 1,
                         s.layered ? std::int64_t{t.layers} - 1 : std::int64_t{t.depth} - 1};
    auto const coordinate = [&](unsigned k) {
        return std::int64_t{static_cast<std::int32_t>(c.source<std::uint32_t>(o, k)[l])};
    };
    for (unsigned d = 0; d < s.dimensions; ++d) at[d] = coordinate(d + (s.layered ? 1 : 0));
    if (s.layered) at[2] = coordinate(0);
    if (last[0] < 0) c.fault(c, o, "out-of-range", l, t.address, bytes, memory_space::global);
    bool inside = true;
    for (unsigned d = 0; d < 3; ++d) {
        auto const kept = at[d] < 0 ? 0 : at[d] > last[d] ? last[d] : at[d];
        inside = inside && kept == at[d];
        at[d] = kept;
    }
    auto const rows = static_cast<std::uint64_t>(at[2]) * t.height + static_cast<std::uint64_t>(at[1]);
    auto address = t.address + rows * t.row_bytes() + static_cast<std::uint64_t>(at[0]);
    auto const how = static_cast<boundary>(o.modifiers->get(modifier::boundary));
    if (!inside && how == boundary::trap)
        c.fault(c, o, "out-of-range surface", l, address, bytes, memory_space::global);
    if (address % bytes != 0) {
        if (inside || how != boundary::clamp)
            c.fault(c, o, "misaligned", l, address, bytes, memory_space::global);
        address -= address % bytes;
    }
    auto* const p = c.memory.global->find(address, bytes);
    if (p == nullptr) c.fault(c, o, "out-of-range", l, address, bytes, memory_space::global);
    c.address[l] = address;
    return inside || how == boundary::clamp ? p : nullptr;
}
/// The bytes of one lane, whole where other host threads may see them.
inline void copy(warp_context const& c, std::byte* to, std::byte const* from, unsigned bytes) {
    if (c.memory.concurrent)
        host_atomics::copy_whole(to, from, bytes);
    else
        std::memcpy(to, from, bytes);
}

} // namespace surfaces

namespace semantics {

/// suld.b: one to four elements of type T into registers that may be wider; zeros where there is nothing to read.
template <class T>
void load_surface(warp_context& c, operation const& o, lane_mask mask) {
    auto const bytes = static_cast<unsigned>(sizeof(T)) * o.elements;
    c.space = memory_space::global;
    c.regular = false;
    T read[lanes][4]{};
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        alignas(16) std::byte whole[4 * sizeof(T)];
        if (auto const* p = surfaces::place(c, o, l, bytes)) {
            surfaces::copy(c, whole, p, bytes);
            std::memcpy(read[l], whole, bytes);
        }
    }
    for (unsigned e = 0; e < o.elements; ++e) {
        std::uint64_t wide[lanes];
        for (unsigned l = 0; l < lanes; ++l) wide[l] = read[l][e];
        c.write_sized(o.destination[e], wide, o.destination_bytes, mask);
    }
}
/// sust.b: the low bytes of the registers. Of lanes that write the same place the highest wins.
template <class T>
void store_surface(warp_context& c, operation const& o, lane_mask mask) {
    auto const bytes = static_cast<unsigned>(sizeof(T)) * o.elements;
    auto const first = texturing::shape_of(*o.modifiers).coordinates();
    c.space = memory_space::global;
    c.regular = false;
    alignas(16) std::byte whole[lanes][4 * sizeof(T)];
    for (unsigned e = 0; e < o.elements; ++e) {
        std::uint64_t wide[lanes];
        c.read_sized(o.source[first + e], o.source_bytes, wide);
        for (unsigned l = 0; l < lanes; ++l) {
            auto const v = static_cast<T>(wide[l]);
            std::memcpy(whole[l] + e * sizeof(T), &v, sizeof(T));
        }
    }
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        if (auto* p = surfaces::place(c, o, l, bytes)) surfaces::copy(c, p, whole[l], bytes);
    }
}

namespace detail {
/// One or two elements of 8 bytes, up to four of fewer; cubes have no surfaces but by layers.
inline bool is_surface_access(form const& f) noexcept {
    return !texturing::shape_of(f).cube && f.vector_size() * size_of(f.type[0]) <= 16;
}
template <class Of>
execute_function by_element(form const& f, Of const& of) {
    if (!is_surface_access(f)) return nullptr;
    switch (size_of(f.type[0])) {
    case 1:
        return of.template operator()<std::uint8_t>();
    case 2:
        return of.template operator()<std::uint16_t>();
    case 4:
        return of.template operator()<std::uint32_t>();
    default:
        return of.template operator()<std::uint64_t>();
    }
}
} // namespace detail
template <int = 0>
execute_function surface_loads(form const& f) {
    return detail::by_element(f, []<class T>() { return &load_surface<T>; });
}
template <int = 0>
execute_function surface_stores(form const& f) {
    return detail::by_element(f, []<class T>() { return &store_surface<T>; });
}

} // namespace semantics
} // namespace warpkit::ptx
