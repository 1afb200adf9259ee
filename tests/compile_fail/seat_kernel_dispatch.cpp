// expect: warpkit: a kernel dispatch needs .unsigned share
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct oldest_kernel {
    unsigned pick(unsigned kernels) const noexcept { return kernels - 1; }
    friend bool operator==(oldest_kernel const&, oldest_kernel const&) = default;
};
using mine = presets::gtx480::with<use::kernel_dispatch<oldest_kernel>>::policies;
mine const never{};
