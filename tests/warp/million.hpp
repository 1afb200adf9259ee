#pragma once
/// \file
/// How many decisions a scheduler and its naive twin are compared over.

#include <warpkit/base/warp_set.hpp>

#include "support/sanitized.hpp"

/// So many streams of 10,000 decisions: a million; a tenth where sanitizers look for other things, and half of
/// that for wider sets, which are the same code.
#ifdef WARPKIT_SANITIZED
inline constexpr unsigned million = 10;
#else
inline constexpr unsigned million = warpkit::warp_set::width == 64 ? 100 : 5;
#endif
