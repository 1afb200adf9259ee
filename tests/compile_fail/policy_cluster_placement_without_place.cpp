// expect: warpkit: a placement of clusters needs `unsigned place\(cluster_on_group const&\)
#include <warpkit/cta/cluster_placement.hpp>

using namespace warpkit;

struct nowhere {
    void on(cta_dispatched const&) {}
    friend bool operator==(nowhere const&, nowhere const&) = default;
};

static_assert(check_cluster_placement<nowhere>());
