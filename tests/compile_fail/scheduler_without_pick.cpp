// expect: warpkit: this warp scheduler has no pick: write `warp_slot pick\(warp_set candidates\) const noexcept`
#include <warpkit/warp/check.hpp>

using namespace warpkit;

class forgetful {
public:
    void on(issued const& e) { last_ = e.warp; }
    friend bool operator==(forgetful const&, forgetful const&) = default;

private:
    warp_slot last_;
};

static_assert(check_warp_scheduler<forgetful>());
