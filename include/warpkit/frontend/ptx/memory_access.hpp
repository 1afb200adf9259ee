#pragma once
/// \file
/// Addresses of a warp's memory instructions: computed, resolved to a space, checked, and turned into host pointers.

#include <warpkit/base/byte_range.hpp>
#include <warpkit/frontend/ptx/host_atomics.hpp>
#include <warpkit/frontend/ptx/operation.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpkit::ptx {

/// Functions have addresses that nothing can be loaded from: this and the number in the module.
inline constexpr std::uint64_t function_window = 5ULL << 56;

/// Whether kernels may only read this: constants, and the kernel's own parameters.
constexpr bool is_read_only(memory_space space, std::uint64_t address) noexcept {
    return space == memory_space::constant || (space == memory_space::parameter && address < call_frame);
}

/// An address as wide as those of its space: registers may be wider, and what they have more is cut off (PTX ISA,
/// "Addresses as Operands"). Only global memory takes more than 32 bits, and generic addresses have a window above.
constexpr std::uint64_t address_in(memory_space space, std::uint64_t address) noexcept {
    bool const wide = space == memory_space::global || space == memory_space::generic;
    return wide ? address : address & 0xffffffff;
}

/// An offset in the shared memory of a cluster's CTA, as an address.
constexpr std::uint64_t cluster_address(std::uint64_t offset, std::uint32_t rank) noexcept {
    return (offset & ((1U << cluster_shift) - 1)) | std::uint64_t{rank + first_cluster_rank} << cluster_shift;
}
/// The rank of the CTA in whose shared memory an address of the CTA of rank `own` lies; it may have none.
constexpr std::uint32_t cluster_rank(std::uint64_t address, std::uint32_t own) noexcept {
    auto const number = static_cast<std::uint32_t>((address & 0xffffffff) >> cluster_shift);
    return number == 0 ? own : number - first_cluster_rank;
}
constexpr std::uint32_t offset_in_cta(std::uint64_t address) noexcept {
    return static_cast<std::uint32_t>(address & ((1U << cluster_shift) - 1));
}
/// Whether an instruction may look into the shared memory of other CTAs: .shared::cluster, and generic addresses.
inline bool reaches_cluster(operation const& o) noexcept {
    return o.space == memory_space::generic || o.modifiers->get(modifier::space) == 7;
}

namespace detail {

/// The bytes [address, address + bytes) of a space as thread `lane` of the warp sees it, or null.
inline std::byte* find_bytes(warp_context const& c, memory_space space, std::uint64_t address,
                             std::uint64_t bytes, unsigned lane) {
    auto const within = [&](std::byte* p, std::uint64_t size) {
        return lies_within(address, bytes, size) ? p + address : nullptr;
    };
    auto const& m = c.memory;
    auto const local = [&] { return m.local + (std::uint64_t{c.warp} * lanes + lane) * m.local_bytes; };
    switch (space) {
    case memory_space::global:
        return m.global->find(address, bytes);
    case memory_space::shared: {
        if (address >> cluster_shift == 0) return within(m.shared, m.shared_bytes);
        auto const rank = cluster_rank(address, m.rank);
        address &= (1U << cluster_shift) - 1;
        return rank < m.cluster_ctas ? within(m.cluster[rank], m.shared_bytes) : nullptr;
    }
    case memory_space::constant:
        return within(m.constant, m.constant_bytes);
    case memory_space::local:
        return within(local(), m.local_bytes);
    case memory_space::parameter:
        if (address >= call_frame) {
            address -= call_frame;
            return within(local(), m.local_bytes);
        }
        return within(m.parameters, m.parameter_bytes);
    default:
        return nullptr;
    }
}

/// Lane by lane: for accesses whose lanes lie in different windows or allocations, and to name the lane at fault.
inline void locate_each(warp_context& c, operation const& o, lane_mask mask, unsigned bytes,
                        memory_space space, unsigned alignment) {
    c.regular = false;
    auto const leader = static_cast<unsigned>(std::countr_zero(mask));
    bool mixed = false;
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        auto address = c.address[l];
        auto own = space;
        if (space == memory_space::generic) {
            own = space_of(address);
            address &= ~window_mask;
        } else {
            address = address_in(space, address);
        }
        auto* p = find_bytes(c, own, address, bytes, l);
        if (p == nullptr)
            c.fault(c, o, "out-of-range", l, c.address[l], bytes, own == memory_space::none ? space : own);
        if (own == memory_space::shared && cluster_rank(address, c.memory.rank) != c.memory.rank &&
            !reaches_cluster(o))
            c.fault(c, o, "another CTA's shared memory without .shared::cluster:", l, c.address[l], bytes,
                    own);
        if ((address & (alignment - 1)) != 0) c.fault(c, o, "misaligned", l, c.address[l], bytes, own);
        if (o.writes && is_read_only(own, address))
            c.fault(c, o, "forbidden write", l, c.address[l], bytes, own);
        c.pointer[l] = p;
        c.address[l] = address | window_of(own);
        if (l == leader) c.space = own;
        mixed = mixed || own != c.space;
    }
    if (mixed)
        c.space = memory_space::generic;
    else
        for (auto& a : c.address) a &= ~window_mask;
    for (unsigned l = 0; l < lanes; ++l)
        if ((mask >> l & 1) == 0) c.pointer[l] = c.pointer[leader];
}
/// Addresses from `low` to `high`, all of them in the CTA's own shared memory, become those without a rank.
inline void forget_own_rank(warp_context& c, std::uint64_t& low, std::uint64_t& high) {
    auto const has = [&](std::uint64_t a) { return cluster_rank(a, c.memory.rank) == c.memory.rank; };
    if (low >> cluster_shift == 0 || low >> cluster_shift != high >> cluster_shift || !has(low)) return;
    for (auto& a : c.address) a &= (1U << cluster_shift) - 1;
    low &= (1U << cluster_shift) - 1;
    high &= (1U << cluster_shift) - 1;
}
inline void locate_each(warp_context& c, operation const& o, lane_mask mask, unsigned bytes,
                        memory_space space) {
    locate_each(c, o, mask, bytes, space, bytes);
}

} // namespace detail

/// A memory operand's address in lane `l`.
inline std::uint64_t address_of(warp_context const& c, operation const& o, unsigned l) {
    switch (o.address) {
    case addressing::absolute:
        return o.offset;
    case addressing::base32:
        return c.lanes_of<std::uint32_t>(o.base)[l] + static_cast<std::uint32_t>(o.offset);
    default:
        return c.lanes_of<std::uint64_t>(o.base)[l] + o.offset;
    }
}

/// Computes the lane addresses of a memory operand, checks range and alignment, and leaves behind: c.target(l) (valid
/// to read for all 32 lanes; that of a lane not in `mask` belongs to another lane), c.space and c.address as the
/// instruction stream wants them: generic addresses where lanes are in several spaces. Faults throw.
inline void locate(warp_context& c, operation const& o, lane_mask mask, unsigned bytes) {
    auto& a = c.address;
    auto space = o.space;
    if (o.address == addressing::absolute) {
        if (space != memory_space::local && space != memory_space::generic && o.offset < call_frame) {
            if (space == memory_space::shared && o.offset >> cluster_shift != 0) {
                a.fill(o.offset);
                return detail::locate_each(c, o, mask, bytes, space);
            }
            auto* p = detail::find_bytes(c, space, o.offset, bytes, 0);
            auto const lane = static_cast<unsigned>(std::countr_zero(mask));
            if (p == nullptr) c.fault(c, o, "out-of-range", lane, o.offset, bytes, space);
            if ((o.offset & (bytes - 1)) != 0) c.fault(c, o, "misaligned", lane, o.offset, bytes, space);
            if (o.writes && is_read_only(space, o.offset))
                c.fault(c, o, "forbidden write", lane, o.offset, bytes, space);
            a.fill(o.offset);
            c.pointer[0] = p;
            c.regular = true;
            c.stride = 0;
            c.space = space;
            return;
        }
        a.fill(o.offset);
    } else if (o.address == addressing::base64) {
        auto const* base = c.lanes_of<std::uint64_t>(o.base);
        for (unsigned l = 0; l < lanes; ++l) a[l] = base[l] + o.offset;
    } else {
        auto const* base = c.lanes_of<std::uint32_t>(o.base);
        auto const offset = static_cast<std::uint32_t>(o.offset);
        for (unsigned l = 0; l < lanes; ++l) a[l] = base[l] + offset;
    }
    auto const first = a[static_cast<unsigned>(std::countr_zero(mask))];
    std::uint64_t low = first;
    std::uint64_t high = first;
    std::uint64_t bits = first;
    // All lanes at equal distances: two ends tell everything, unless distances are such that 31 of them come round.
    auto const stride = a[1] - a[0];
    std::uint64_t irregular = (mask == all_lanes ? 0U : 1U) | (stride + (1ULL << 55)) >> 56;
    auto expected = a[0];
    for (unsigned l = 0; l < lanes; ++l) {
        irregular |= a[l] ^ expected;
        expected += stride;
    }
    if (irregular == 0) {
        bool const forward = static_cast<std::int64_t>(stride) >= 0;
        low = forward ? a[0] : a[lanes - 1];
        high = forward ? a[lanes - 1] : a[0];
        bits |= stride;
    } else {
        if (mask != all_lanes)
            for (unsigned l = 0; l < lanes; ++l) a[l] = (mask & detail::lane_bit[l]) != 0 ? a[l] : first;
        for (unsigned l = 0; l < lanes; ++l) {
            low = a[l] < low ? a[l] : low;
            high = a[l] > high ? a[l] : high;
            bits |= a[l];
        }
    }
    c.regular = false;
    // All in one window: then `low` is the lower end, and no sum below wraps.
    if (((low ^ high) & window_mask) != 0) return detail::locate_each(c, o, mask, bytes, space);
    if (space == memory_space::generic) {
        space = space_of(low);
        if (space == memory_space::none) return detail::locate_each(c, o, mask, bytes, memory_space::generic);
        if (space != memory_space::global) {
            for (unsigned l = 0; l < lanes; ++l) a[l] &= ~window_mask;
            low &= ~window_mask;
            high &= ~window_mask;
        }
    }
    if (c.memory.names_own && space == memory_space::shared) detail::forget_own_rank(c, low, high);
    auto const span = high - low + bytes;
    if ((bits & (bytes - 1)) != 0) return detail::locate_each(c, o, mask, bytes, space);
    if (space == memory_space::local || (space == memory_space::parameter && high >= call_frame)) {
        std::uint64_t const frame = space == memory_space::local ? 0 : call_frame;
        if (low < frame || !lies_within(low - frame, span, c.memory.local_bytes))
            return detail::locate_each(c, o, mask, bytes, space);
        auto const thread = std::uint64_t{c.warp} * lanes;
        for (unsigned l = 0; l < lanes; ++l) {
            auto const lane =
                (mask & detail::lane_bit[l]) != 0 ? l : static_cast<unsigned>(std::countr_zero(mask));
            c.pointer[l] = c.memory.local + (thread + lane) * c.memory.local_bytes + (a[l] - frame);
        }
        c.space = space;
        return;
    }
    auto* p = detail::find_bytes(c, space, low, span, 0);
    if (p == nullptr || (o.writes && is_read_only(space, low)) ||
        (space == memory_space::shared && low >> cluster_shift != 0 && !reaches_cluster(o)))
        return detail::locate_each(c, o, mask, bytes, space);
    if (irregular == 0) {
        c.regular = true;
        c.stride = stride;
        c.pointer[0] = p + (a[0] - low);
    } else {
        auto const origin = reinterpret_cast<std::uintptr_t>(p) - low; // one addition for each lane
        for (unsigned l = 0; l < lanes; ++l) c.pointer[l] = reinterpret_cast<std::byte*>(origin + a[l]);
    }
    c.space = space;
}

namespace semantics {

/// ld: one to four elements of type T into registers that may be wider (sign- or zero-extended as T says).
template <class T>
void load(warp_context& c, operation const& o, lane_mask mask) {
    locate(c, o, mask, static_cast<unsigned>(sizeof(T)) * o.elements);
    for (unsigned e = 0; e < o.elements; ++e) {
        T r[lanes];
        if (!c.regular) {
            for (unsigned l = 0; l < lanes; ++l) std::memcpy(&r[l], c.pointer[l] + e * sizeof(T), sizeof(T));
        } else if (c.stride == sizeof(T)) {
            std::memcpy(r, c.pointer[0], sizeof r);
        } else {
            auto const* p = c.pointer[0] + e * sizeof(T);
            for (unsigned l = 0; l < lanes; ++l) std::memcpy(&r[l], p + c.step(l), sizeof(T));
        }
        if (o.destination_bytes == sizeof(T)) {
            c.write<T>(o.destination[e], r, mask);
        } else {
            std::uint64_t wide[lanes];
            for (unsigned l = 0; l < lanes; ++l) wide[l] = static_cast<std::uint64_t>(r[l]);
            c.write_sized(o.destination[e], wide, o.destination_bytes, mask);
        }
    }
}

/// st: one to four elements of type T, the low bytes of the registers. Of lanes that write the same place the highest
/// wins.
template <class T>
void store(warp_context& c, operation const& o, lane_mask mask) {
    locate(c, o, mask, static_cast<unsigned>(sizeof(T)) * o.elements);
    for (unsigned e = 0; e < o.elements; ++e) {
        auto const put = [&](auto const* s) {
            T v[lanes];
            for (unsigned l = 0; l < lanes; ++l) v[l] = static_cast<T>(s[l]);
            if (c.regular && c.stride == sizeof(T)) {
                std::memcpy(c.pointer[0], v, sizeof v);
            } else if (c.regular && mask == all_lanes) {
                auto* p = c.pointer[0] + e * sizeof(T);
                for (unsigned l = 0; l < lanes; ++l) std::memcpy(p + c.step(l), &v[l], sizeof(T));
            } else {
                for (auto rest = mask; rest != 0; rest &= rest - 1) {
                    auto const l = static_cast<unsigned>(std::countr_zero(rest));
                    std::memcpy(c.target(l) + e * sizeof(T), &v[l], sizeof(T));
                }
            }
        };
        if (o.source_bytes == sizeof(T)) {
            put(c.source<T>(o, e));
        } else {
            std::uint64_t wide[lanes];
            c.read_sized(o.source[e], o.source_bytes, wide);
            put(wide);
        }
    }
}

/// Of modifier::order.
inline constexpr unsigned order_acquire = 4;
inline constexpr unsigned order_release = 5;
/// Bytes.
inline constexpr std::size_t largest_vector = 32;

/// Whether other host threads can tell how an access to global memory is done: one of a vector, whose bytes are to be
/// of one time, or one that orders others.
inline bool is_seen_by_others(form const& f) noexcept {
    auto const space = space_of_form(f);
    if ((space != memory_space::generic && space != memory_space::global) || f.has(modifier::nc))
        return false;
    return f.vector_size() > 1 || f.type[0] == scalar::b128 || f.get(modifier::order) == order_acquire ||
           f.get(modifier::order) == order_release;
}
/// load() that is_seen_by_others(): with .acquire it comes before what is behind it.
template <class T>
void load_in_order(warp_context& c, operation const& o, lane_mask mask) {
    if (!c.memory.concurrent) return load<T>(c, o, mask);
    auto const all = sizeof(T) * o.elements;
    locate(c, o, mask, static_cast<unsigned>(all));
    alignas(largest_vector) std::byte whole[lanes][largest_vector]{};
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        host_atomics::copy_whole(whole[l], c.target(l), all);
    }
    for (unsigned e = 0; e < o.elements; ++e) {
        std::uint64_t r[lanes];
        for (unsigned l = 0; l < lanes; ++l) {
            T v{};
            std::memcpy(&v, whole[l] + e * sizeof(T), sizeof(T));
            r[l] = static_cast<std::uint64_t>(v);
        }
        c.write_sized(o.destination[e], r, o.destination_bytes, mask);
    }
    if (o.modifiers->get(modifier::order) == order_acquire) host_atomics::fence();
}
/// store() likewise: one with .release comes behind what is before it.
template <class T>
void store_in_order(warp_context& c, operation const& o, lane_mask mask) {
    if (!c.memory.concurrent) return store<T>(c, o, mask);
    if (o.modifiers->get(modifier::order) == order_release) host_atomics::fence();
    auto const all = sizeof(T) * o.elements;
    locate(c, o, mask, static_cast<unsigned>(all));
    alignas(largest_vector) std::byte whole[lanes][largest_vector];
    for (unsigned e = 0; e < o.elements; ++e) {
        std::uint64_t s[lanes];
        c.read_sized(o.source[e], o.source_bytes, s);
        for (unsigned l = 0; l < lanes; ++l) {
            auto const v = static_cast<T>(s[l]);
            std::memcpy(whole[l] + e * sizeof(T), &v, sizeof(T));
        }
    }
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        host_atomics::copy_whole(c.target(l), whole[l], all);
    }
}
/// membar and fence.
template <int = 0>
void order_memory(warp_context& c, operation const&, lane_mask) {
    if (c.memory.concurrent) host_atomics::fence();
}

/// cvta: an address of a space to a generic one, or with .to back. o.offset is the space's window, o.option 1 for .to.
template <int = 0>
void convert_address(warp_context& c, operation const& o, lane_mask mask) {
    auto const* a = c.source<std::uint64_t>(o, 0);
    std::uint64_t r[lanes];
    if (o.option != 0)
        for (unsigned l = 0; l < lanes; ++l) r[l] = a[l] & ~o.offset;
    else
        for (unsigned l = 0; l < lanes; ++l) r[l] = a[l] | o.offset;
    c.write<std::uint64_t>(o.destination[0], r, mask);
}
/// isspacep: whether a generic address lies in a window.
template <int = 0>
void is_in_space(warp_context& c, operation const& o, lane_mask mask) {
    auto const* a = c.source<std::uint64_t>(o, 0);
    bool const own = o.offset == window_of(memory_space::shared) && o.modifiers->get(modifier::space) != 7;
    lane_mask r = 0;
    for (unsigned l = 0; l < lanes; ++l) {
        bool const in =
            (a[l] & window_mask) == o.offset && (!own || cluster_rank(a[l], c.memory.rank) == c.memory.rank);
        r |= static_cast<lane_mask>(in) << l;
    }
    c.write_predicate(o.destination[0], r, mask);
}

} // namespace semantics
} // namespace warpkit::ptx
