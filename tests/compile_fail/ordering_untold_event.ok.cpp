#include <warpkit/warp/ordering.hpp>
#include <warpkit/warp/owl.hpp>

struct warp {};
struct view {
    static unsigned slot(warp const*) { return 0; }
    static bool live(warp const*) { return true; }
    static unsigned age(warp const*) { return 0; }
    static unsigned cta(warp const*) { return 0; }
};
using told = warpkit::event_list<warpkit::blocked, warpkit::unblocked, warpkit::barrier_arrived,
                                 warpkit::barrier_released>;
warpkit::ordering<warpkit::cta_aware, view, told> order;
