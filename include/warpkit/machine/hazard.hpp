#pragma once
/// \file
/// What keeps a warp's next instruction from issuing (docs/model/issue.md#scoreboard).

#include <warpkit/base/events.hpp>

#include <cstdint>

namespace warpkit {

/// It waits for nothing, for a result, or for one that comes from memory; the last is the worst.
enum class hazard : std::uint8_t { none, other, memory };

/// The same in the words of `blocked` and `unblocked`. Precondition: not `none`.
constexpr block_reason reason_of(hazard h) noexcept {
    return h == hazard::memory ? block_reason::memory : block_reason::dependency;
}

} // namespace warpkit
