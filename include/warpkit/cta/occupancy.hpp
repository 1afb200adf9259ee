#pragma once
/// \file
/// How many CTAs of a kernel fit a core, and which resource says so (docs/model/dispatch.md#occupancy).

#include <warpkit/base/lanes.hpp>

#include <cstdint>

namespace warpkit {

/// What one CTA takes.
struct cta_needs {
    unsigned threads = 1;              ///< at least 1
    unsigned registers_per_thread = 0; ///< 32-bit registers
    std::uint32_t shared_bytes = 0;    ///< static and dynamic together
};

/// What one core has. The defaults are a GTX480 core's (docs/model/machines.md#fermi).
struct core_resources {
    unsigned threads = 1536;
    unsigned ctas = 8;
    std::uint32_t registers = 32768; ///< 32-bit registers
    std::uint32_t shared_bytes = 48 * 1024;
    unsigned warp_size = lanes;
};

/// The resource that keeps one more CTA out.
enum class occupancy_bound : std::uint8_t { threads, ctas, registers, shared_memory, grid };

/// The bound in words.
constexpr char const* text_of(occupancy_bound bound) noexcept {
    switch (bound) {
    case occupancy_bound::threads:
        return "threads";
    case occupancy_bound::ctas:
        return "CTA slots";
    case occupancy_bound::registers:
        return "registers";
    case occupancy_bound::shared_memory:
        return "bytes of shared memory";
    case occupancy_bound::grid:
        return "size of the grid";
    }
    return "";
}

/// How many CTAs a core holds at once, and why not more.
struct occupancy {
    unsigned ctas = 0; ///< 0: not even one fits
    occupancy_bound bound = occupancy_bound::ctas;
    std::uint64_t need = 0;  ///< of the binding resource, what one CTA takes
    std::uint64_t limit = 0; ///< and what the core has

    friend bool operator==(occupancy const&, occupancy const&) = default;
};

/// Warps of one CTA.
constexpr unsigned warps_of(cta_needs const& cta, core_resources const& core = {}) noexcept {
    return (cta.threads + core.warp_size - 1) / core.warp_size;
}

/// What one such CTA takes of a core: threads in whole warps, registers per thread rounded up to 4 and allocated for
/// whole warps (GPGPU-Sim's rules).
struct cta_share {
    std::uint64_t threads = 0;
    std::uint64_t registers = 0;
    std::uint64_t shared_bytes = 0;
    friend bool operator==(cta_share const&, cta_share const&) = default;
};
constexpr cta_share share_of(cta_needs const& cta, core_resources const& core = {}) noexcept {
    auto const threads = std::uint64_t{warps_of(cta, core)} * core.warp_size;
    return {threads, (std::uint64_t{cta.registers_per_thread} + 3) / 4 * 4 * threads, cta.shared_bytes};
}

/// The number of CTAs that fit, each of which takes so much. Where two resources bind alike, the first of the
/// enumeration is named.
constexpr occupancy room_for(cta_share const& cta, core_resources const& core) noexcept {
    occupancy best{~0U, occupancy_bound::threads, 0, 0};
    auto const bound = [&best](occupancy_bound which, std::uint64_t need, std::uint64_t limit) {
        if (need != 0 && limit / need < best.ctas)
            best = {static_cast<unsigned>(limit / need), which, need, limit};
    };
    bound(occupancy_bound::threads, cta.threads, core.threads);
    bound(occupancy_bound::ctas, 1, core.ctas);
    bound(occupancy_bound::registers, cta.registers, core.registers);
    bound(occupancy_bound::shared_memory, cta.shared_bytes, core.shared_bytes);
    return best;
}
/// What is left of `core` beside so many such CTAs, which fit there.
constexpr core_resources left_by(core_resources core, cta_share const& cta, unsigned ctas = 1) noexcept {
    core.threads -= static_cast<unsigned>(cta.threads * ctas);
    core.ctas -= ctas;
    core.registers -= static_cast<std::uint32_t>(cta.registers * ctas);
    core.shared_bytes -= static_cast<std::uint32_t>(cta.shared_bytes * ctas);
    return core;
}
/// The number of such CTAs that fit.
constexpr occupancy occupancy_of(cta_needs const& cta, core_resources const& core) noexcept {
    return room_for(share_of(cta, core), core);
}

/// The same, when the whole grid has too few CTAs to fill all cores: they are spread evenly, at most
/// ceil(grid / cores) to a core, as in GPGPU-Sim.
constexpr occupancy limited_to_grid(occupancy const& fit, std::uint64_t grid_ctas, unsigned cores) noexcept {
    auto const share = (grid_ctas + cores - 1) / cores;
    return share < fit.ctas ? occupancy{static_cast<unsigned>(share), occupancy_bound::grid, 1, share} : fit;
}

} // namespace warpkit
