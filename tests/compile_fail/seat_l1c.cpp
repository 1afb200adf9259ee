// expect: warpkit: a cache counts: write .cache_counters const& counters
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/cache/perfect_cache.hpp>
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct uncounted : perfect_cache {
    using perfect_cache::perfect_cache;
    void counters() const noexcept;
    friend bool operator==(uncounted const&, uncounted const&) = default;
};
using mine = presets::gtx480::with<use::l1c<uncounted>>::policies;
mine const never{};
