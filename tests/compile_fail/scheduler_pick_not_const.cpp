// expect: warpkit: pick must be const, because being picked is not being issued
#include <warpkit/warp/check.hpp>

using namespace warpkit;

class impatient {
public:
    warp_slot pick(warp_set candidates) { return last_ = candidates.next_after(last_); }
    friend bool operator==(impatient const&, impatient const&) = default;

private:
    warp_slot last_;
};

static_assert(check_warp_scheduler<impatient>());
