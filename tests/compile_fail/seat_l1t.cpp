// expect: warpkit: a texture cache serves accesses in their order: write .bool can_serve
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/cache/perfect_cache.hpp>
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct plain : perfect_cache {
    using perfect_cache::perfect_cache;
    friend bool operator==(plain const&, plain const&) = default;
};
using mine = presets::gtx480::with<use::l1t<plain>>::policies;
mine const never{};
