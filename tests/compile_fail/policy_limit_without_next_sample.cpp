// expect: warpkit: an occupancy limit that hears core_sampled says when it wants to: write `cycle next_sample\(\) const noexcept`
#include <warpkit/cta/concepts.hpp>

using namespace warpkit;

struct curious {
    unsigned limit(unsigned fit) const noexcept { return fit; }
    void on(core_sampled const&) {}
    friend bool operator==(curious const&, curious const&) = default;
};

static_assert(check_occupancy_limit<curious>());
