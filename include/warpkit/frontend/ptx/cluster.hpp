#pragma once
/// \file
/// Addresses in the shared memory of a cluster's CTAs: mapa and getctarank.
/// Source: PTX ISA, "Data Movement and Conversion Instructions: mapa, getctarank"; docs/model/ptx.md#clusters.

#include <warpkit/frontend/ptx/memory_access.hpp>

#include <bit>
#include <cstdint>
#include <string>

namespace warpkit::ptx::semantics {

/// mapa: the address in the CTA of a rank that corresponds to one of the executing CTA's. Without .shared::cluster both
/// are generic.
inline void map_to_cta(warp_context& c, operation const& o, lane_mask mask) {
    bool const generic = !o.modifiers->has(modifier::space);
    auto const* const rank = c.source<std::uint32_t>(o, 1);
    std::uint64_t from[lanes];
    std::uint64_t r[lanes]{};
    c.read_sized(o.source[0], o.source_bytes, from);
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
        auto const l = static_cast<unsigned>(std::countr_zero(rest));
        if (generic && space_of(from[l]) != memory_space::shared)
            c.stop(c, o, lane_mask{1} << l, "expected a generic address of shared memory");
        if (rank[l] >= c.memory.cluster_ctas)
            c.stop(c, o, lane_mask{1} << l,
                   "expected the rank of one of the cluster's " + std::to_string(c.memory.cluster_ctas) +
                       " CTAs, found " + std::to_string(rank[l]));
        r[l] = cluster_address(from[l], rank[l]) | (generic ? window_of(memory_space::shared) : 0);
    }
    c.write_sized(o.destination[0], r, o.destination_bytes, mask);
}
/// getctarank: of the CTA in whose shared memory an address lies.
inline void rank_of_address(warp_context& c, operation const& o, lane_mask mask) {
    std::uint64_t from[lanes];
    std::uint32_t r[lanes];
    c.read_sized(o.source[0], o.source_bytes, from);
    for (unsigned l = 0; l < lanes; ++l)
        r[l] = static_cast<std::uint32_t>(cluster_rank(from[l], c.memory.rank));
    c.write<std::uint32_t>(o.destination[0], r, mask);
}

} // namespace warpkit::ptx::semantics
