// expect: kernels for WARPKIT_WARP_LANES=64 come from the builder
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#define WARPKIT_WARP_LANES 64
#include <warpkit/frontend/ptx/operation.hpp>
