// A combinator forwards nothing to a part whose handler is wrong: the part is refused, not skipped.
// expect: warpkit: an event handler must not take its event by mutable reference
#include <warpkit/warp/greedy_then.hpp>

using namespace warpkit;

struct part {
    warp_slot pick(warp_set candidates) const noexcept { return candidates.first(); }
    void on(cta_launched&) {}
    friend bool operator==(part const&, part const&) = default;
};

static_assert(check_warp_scheduler<greedy_then<part>>());
