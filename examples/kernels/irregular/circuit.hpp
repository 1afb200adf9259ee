#pragma once
/// \file
/// Combinational circuits for sta and gsim: gates in levels, each fed by gates of the levels before.

#include "kernels/host.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit::kernels {

/// Gates are numbered level by level. The pins of gate i are source[first[i]] to source[first[i + 1] - 1]; those of
/// level 0 have none.
struct circuit {
    std::uint32_t per_level = 0;
    std::vector<std::uint32_t> first{0};
    std::vector<std::uint32_t> source;
};

/// `levels` levels of `per_level` gates, each with one to four pins. Most come from nearby gates of the level before,
/// the others from anywhere before.
inline circuit make_circuit(std::uint32_t levels, std::uint32_t per_level, random_numbers& random) {
    constexpr std::uint32_t nearby = 256;
    circuit c;
    c.per_level = per_level;
    c.first.resize(per_level + 1);
    for (std::uint32_t level = 1; level < levels; ++level)
        for (std::uint32_t i = 0; i < per_level; ++i) {
            for (auto pins = 1 + random.below(4); pins > 0; --pins) {
                auto const reach = std::min(nearby, per_level);
                auto const left = i - std::min(i, reach / 2);
                auto const low = std::min(left, per_level - reach);
                c.source.push_back(random.below(4) != 0 ? (level - 1) * per_level + low + random.below(reach)
                                                        : random.below(level * per_level));
            }
            c.first.push_back(static_cast<std::uint32_t>(c.source.size()));
        }
    return c;
}

} // namespace warpkit::kernels
