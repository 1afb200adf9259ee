// expect: warpkit: an event handler must not take its event by mutable reference: write `void on\(event const&\)`
#include <warpkit/warp/check.hpp>

using namespace warpkit;

class mine {
public:
    warp_slot pick(warp_set candidates) const noexcept { return candidates.next_after(last_); }
    void on(issued& e) { last_ = e.warp; }
    friend bool operator==(mine const&, mine const&) = default;

private:
    warp_slot last_;
};

static_assert(check_warp_scheduler<mine>());
