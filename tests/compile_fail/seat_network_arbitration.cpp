// expect: write .template <class Ports, .*Born> Ports pick
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct cannot_pick {
    static constexpr char const* name() noexcept { return "cannot_pick"; }
    friend bool operator==(cannot_pick const&, cannot_pick const&) = default;
};
using mine = presets::gtx480::with<use::network_arbitration<cannot_pick>>::policies;
mine const never{};
