// expect: warpkit: an occupancy limit needs `unsigned limit\(unsigned fit\) const noexcept`
#include <warpkit/cta/concepts.hpp>

using namespace warpkit;

struct limit_of_two {
    int limit(unsigned) const noexcept { return 2; }
    friend bool operator==(limit_of_two const&, limit_of_two const&) = default;
};

static_assert(check_occupancy_limit<limit_of_two>());
