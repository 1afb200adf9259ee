// expect: warpkit: an instruction prefetcher needs .bool wants
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct always {
    bool wants(unsigned) const noexcept { return true; }
    friend bool operator==(always const&, always const&) = default;
};
using mine = presets::gtx480::with<use::instruction_prefetch<always>>::policies;
mine const never{};
