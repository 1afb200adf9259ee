// expect: warpkit: an event handler takes its event and nothing else: write `void on\(event const&\)`
#include <warpkit/warp/check.hpp>

using namespace warpkit;

class mine {
public:
    warp_slot pick(warp_set candidates) const noexcept { return candidates.next_after(last_); }
    void on(issued const& e, int) { last_ = e.warp; }
    friend bool operator==(mine const&, mine const&) = default;

private:
    warp_slot last_;
};

static_assert(check_warp_scheduler<mine>());
