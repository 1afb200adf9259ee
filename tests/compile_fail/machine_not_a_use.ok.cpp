#include <warpkit/config/presets.hpp>
using mine = warpkit::presets::gtx480::with<warpkit::use::warp_scheduler<warpkit::lrr>>;
mine built;
