// expect: warpkit: a network is crossbar_network or mesh_network, or one of your own
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct torus {
    static constexpr char const* name() noexcept { return "torus"; }
};
using mine = presets::gtx480::with<use::network<torus>>::policies;
mine const never{};
