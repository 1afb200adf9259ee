// expect: warpkit: each_parameter is not public, or cannot be called with the policy and a function
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

class hides {
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"limit", "warps", 1, 64}, self.limit_);
    }

public:
    warp_slot pick(warp_set candidates) const noexcept { return candidates.first(); }
    friend bool operator==(hides const&, hides const&) = default;

private:
    unsigned limit_ = 4;
};
using mine = presets::gtx480::with<use::warp_scheduler<hides>>::policies;
mine const never{};
