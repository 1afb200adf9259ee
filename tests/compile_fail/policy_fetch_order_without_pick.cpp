// expect: warpkit: a fetch order needs `warp_slot pick\(warp_set candidates\) const noexcept`
#include <warpkit/fetch/concepts.hpp>

using namespace warpkit;

struct nothing {
    friend bool operator==(nothing const&, nothing const&) = default;
};

static_assert(check_fetch_order<nothing>());
