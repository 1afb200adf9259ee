#pragma once
/// \file
/// Rules of DRAM standards beyond those of GPUs in the literature, switched on at random: ranks, stacks, commands of
/// two cycles, same-bank refresh.

#include "drive.hpp"

#include <algorithm>
#include <cstdint>

namespace warpkit::test {

/// `t`, whose refresh is off, with `ranks` ranks and the other rules at random; consistent if it was.
inline dram::timing modern(dram::timing t, random_numbers& random, std::uint32_t ranks) {
    auto const most = t.banks / t.pseudo_channels / t.bank_groups;
    t.ranks = std::min(ranks, most);
    t.stacks = random.below(2) != 0 ? t.bank_groups : 1;
    t.ccdr = random.below(2) * std::min(t.ccd + random.below(4), std::max(t.ccd, t.write_to_read()));
    t.rtrs = random.below(5);
    t.column_cycles = 1 + random.below(std::min({t.ccd, t.rcd, t.rcdwr + 1, 3U}));
    t.ccdlwr = random.below(2) * std::min(t.ccd + random.below(40), t.write_to_read_in_group() + t.ccdl);
    t.same_bank = random.below(2);
    t.check();
    return t;
}

} // namespace warpkit::test
