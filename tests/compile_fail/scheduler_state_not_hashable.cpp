// expect: warpkit: a policy's state must be hashable, and this one has padding or members of unknown kind: write `template <class F> constexpr void each_member
#include <warpkit/warp/check.hpp>

using namespace warpkit;

class padded {
public:
    warp_slot pick(warp_set candidates) const noexcept { return candidates.next_after(last_); }
    void on(issued const& e) { last_ = e.warp; }
    void on(cta_launched const& e) { live_ |= e.warps; }
    friend bool operator==(padded const&, padded const&) = default;

private:
    warp_set live_;
    warp_slot last_;
};

static_assert(check_warp_scheduler<padded>());
