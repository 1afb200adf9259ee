// expect: write .bool closes_itself
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct half {
    static constexpr bool asks = false;
    cycle closes_after(dram::page_use) const noexcept { return 0; }
    friend bool operator==(half const&, half const&) = default;
};
using mine = presets::gtx480::with<use::page_policy<half>>::policies;
mine const never{};
