#pragma once
// The seat `kernel_dispatch`: which of several kernels gets the next CTA slot of which core. The contract is in
// warpkit/cta/kernel_dispatch.hpp.
#include <warpkit/cta/kernel_dispatch.hpp>

namespace seats_of_mine {

using namespace warpkit;

/// Serves the kernel of which a core holds the fewest CTAs, the oldest of several.
class my_kernel_dispatch {
public:
    static constexpr char const* name() noexcept { return "my_kernel_dispatch"; }
    unsigned pick(kernels_on_core const& core) const noexcept {
        auto best = no_kernel;
        for (unsigned i = 0; i < core.size(); ++i)
            if (core.may(i) && (best == no_kernel || core[i].ctas < core[best].ctas)) best = i;
        return best;
    }
    friend bool operator==(my_kernel_dispatch const&, my_kernel_dispatch const&) = default;
};

} // namespace seats_of_mine
