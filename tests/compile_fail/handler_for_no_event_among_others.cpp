// expect: warpkit: this class has a handler `on` for something that is no event of the vocabulary
#include <warpkit/warp/check.hpp>

using namespace warpkit;

class mine {
public:
    warp_slot pick(warp_set candidates) const noexcept { return candidates.next_after(last_); }
    void on(issued const& e) { last_ = e.warp; }
    void on(warp_slot issuer) { last_ = issuer; }
    friend bool operator==(mine const&, mine const&) = default;

private:
    warp_slot last_;
};

static_assert(check_warp_scheduler<mine>());
