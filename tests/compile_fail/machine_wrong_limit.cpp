// expect: warpkit: an occupancy limit needs `unsigned limit\(unsigned fit\) const noexcept`
#include <warpkit/config/presets.hpp>

using namespace warpkit;

using mine = presets::gtx480::with<use::occupancy_limit<round_robin_dispatch>>::policies;
mine const never{};
