// expect: warpkit: a cache says what an access would find: write .cache_outcome probe
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/cache/perfect_cache.hpp>
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct blind : perfect_cache {
    using perfect_cache::perfect_cache;
    cache_outcome probe(cache_access const&) const noexcept = delete;
    friend bool operator==(blind const&, blind const&) = default;
};
using mine = presets::gtx480::with<use::l1d<blind>>::policies;
mine const never{};
