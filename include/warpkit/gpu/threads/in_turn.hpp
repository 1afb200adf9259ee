#pragma once
/// \file
/// Who advances the components of a window: here, the calling thread. On several threads: gpu/threads/worker_pool.hpp.
///
/// The reference has no threads.

#include <warpkit/base/standard.hpp>

namespace warpkit {

/// Says that the calling thread advances a window's components, one after the other.
struct in_turn {};

} // namespace warpkit
