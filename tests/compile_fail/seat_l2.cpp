// expect: warpkit: a cache takes accesses: write .cache_result access
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct closed {
    explicit closed(cache_parameters const& = {}) {}
    bool access(std::uint64_t address);
    friend bool operator==(closed const&, closed const&) = default;
};
using mine = presets::gtx480::with<use::l2<closed>>::policies;
mine const never{};
