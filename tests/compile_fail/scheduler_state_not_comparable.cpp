// expect: warpkit: a policy's state must be comparable: write `friend bool operator==\(my_policy const&, my_policy const&\) = default;`
#include <warpkit/warp/check.hpp>

using namespace warpkit;

class unequal {
public:
    warp_slot pick(warp_set candidates) const noexcept { return candidates.next_after(last_); }
    void on(issued const& e) { last_ = e.warp; }

private:
    warp_slot last_;
};

static_assert(check_warp_scheduler<unequal>());
