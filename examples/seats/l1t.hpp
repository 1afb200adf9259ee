#pragma once
// The seat `l1t`: what the L1 texture cache keeps. The contract is in warpkit/cache/concepts.hpp.
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/texture_cache.hpp>

#include "l1d.hpp"

namespace seats_of_mine {

using namespace warpkit;

/// A texture cache with the replacement policy of l1d.hpp; its set index is a policy, too.
using my_l1t = texture_cache<linear_index, my_replacement>;

} // namespace seats_of_mine
