// expect: warpkit: a choice of block needs `cta_assignment choose\(core_rooms\) const noexcept`
#include <warpkit/cta/concepts.hpp>

using namespace warpkit;

struct nobody {
    void on(grid_began const&) {}
    friend bool operator==(nobody const&, nobody const&) = default;
};

static_assert(check_cta_choice<nobody>());
