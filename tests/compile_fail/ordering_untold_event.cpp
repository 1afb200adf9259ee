// CTA-Aware turns to the next group when all warps are blocked: a host that never says so has another policy.
// expect: warpkit: this scheduler goes by events that the ordering does not see in the host's warps
// expect: blocked
#include <warpkit/warp/ordering.hpp>
#include <warpkit/warp/owl.hpp>

struct warp {};
struct view {
    static unsigned slot(warp const*) { return 0; }
    static bool live(warp const*) { return true; }
    static unsigned age(warp const*) { return 0; }
    static unsigned cta(warp const*) { return 0; }
};
warpkit::ordering<warpkit::cta_aware, view> order;
