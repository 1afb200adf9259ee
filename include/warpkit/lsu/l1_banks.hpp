#pragma once
/// \file
/// The banks of an L1 data cache, which lie behind the load/store unit's delay pipes.

#include <warpkit/base/error.hpp>

#include <cstdint>

namespace warpkit {

/// Throws `error` where a machine with banks has a replay queue, which offers one transaction a cycle to one L1.
inline void check_l1_banks(std::uint32_t banks, bool has_replay_queue) {
    if (banks > 1 && has_replay_queue)
        raise_error(
            error({"lsu.l1_banks = ", banks,
                   ": a replay queue offers one transaction a cycle to one bank; nearest legal value: 1"}));
}

} // namespace warpkit
