// expect: warpkit: this class has a member `on` that hears no event of the vocabulary
#include <warpkit/warp/check.hpp>

using namespace warpkit;

class mine {
public:
    warp_slot pick(warp_set candidates) const noexcept { return candidates.next_after(last_); }

    friend bool operator==(mine const&, mine const&) = default;

private:
    void on(issued const& e) { last_ = e.warp; }
    warp_slot last_;
};

static_assert(check_warp_scheduler<mine>());
