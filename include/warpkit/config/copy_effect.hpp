#pragma once
/// \file
/// What copies from the host do in a trace.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit {

/// What a copy from the host to the device does.
enum class copy_effect : std::uint8_t {
    as_accel_sim, ///< as l2, but with the address cut to 32 bits, as Accel-Sim 1.2 does: mostly, nothing is found there
    l2,           ///< its last bytes are in the L2 when the next kernel begins
    none
};

} // namespace warpkit
