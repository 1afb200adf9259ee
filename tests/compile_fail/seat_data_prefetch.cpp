// expect: write .template <class Ask> void seen\(load_seen const&, prefetch_record
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct sees_nothing {
    static constexpr char const* name() noexcept { return "sees_nothing"; }
    std::uint32_t queue() const noexcept { return 1; }
    friend bool operator==(sees_nothing const&, sees_nothing const&) = default;
};
using mine = presets::gtx480::with<use::data_prefetch<sees_nothing>>::policies;
mine const never{};
