// expect: warpkit: a memory prefetcher hears what happens: write .void opened
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct deaf {
    deaf() = default;
    deaf(dram::timing const&, dram::prefetch_numbers const&) {}
    friend bool operator==(deaf const&, deaf const&) = default;
};
using mine = presets::gtx480::with<use::memory_prefetcher<deaf>>::policies;
mine const never{};
