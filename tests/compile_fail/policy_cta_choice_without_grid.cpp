// expect: warpkit: a choice of block must hear where its grid begins: write `void on\(grid_began const&\)`
#include <warpkit/cta/concepts.hpp>

using namespace warpkit;

struct deaf {
    cta_assignment choose(core_rooms) const noexcept { return {}; }
    friend bool operator==(deaf const&, deaf const&) = default;
};

static_assert(check_cta_choice<deaf>());
