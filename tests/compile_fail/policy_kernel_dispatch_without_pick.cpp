// expect: warpkit: a kernel dispatch needs `unsigned share\(unsigned kernel, unsigned kernels, unsigned cores\)
#include <warpkit/cta/kernel_dispatch.hpp>

using namespace warpkit;

struct nobody {
    void on(group_began const&) {}
    friend bool operator==(nobody const&, nobody const&) = default;
};

static_assert(check_kernel_dispatch<nobody>());
