#pragma once
// The seat `l2`: what the L2 keeps. The contract is in warpkit/cache/concepts.hpp.
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/linear_index.hpp>

#include "l1d.hpp"

namespace seats_of_mine {

using namespace warpkit;

/// A cache with the replacement policy of l1d.hpp: its index, allocation and stores are policies, too.
using my_l2 = cache<linear_index, my_replacement, on_miss, write_back<write_miss::lazy_fetch>>;

} // namespace seats_of_mine
