// A scheduler with handlers by reference and by value, and nothing wrong with it.
#include <warpkit/warp/check.hpp>

using namespace warpkit;

class mine {
public:
    warp_slot pick(warp_set candidates) const noexcept { return candidates.next_after(last_); }
    void on(issued const& e) { last_ = e.warp; }
    void on(kernel_began e) { last_ = e.core == 0 ? warp_slot{} : no_warp; }
    friend bool operator==(mine const&, mine const&) = default;

private:
    warp_slot last_;
};

static_assert(check_warp_scheduler<mine>());
