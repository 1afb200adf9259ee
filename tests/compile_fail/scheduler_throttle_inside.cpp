// expect: warpkit: throttle outside, not inside: write throttled<Eligibility, greedy_then<Order>>
#include <warpkit/warp/static_wavefront_limit.hpp>

using namespace warpkit;

static_assert(check_warp_scheduler<greedy_then<throttled<oldest_n<4>, oldest>>>());
