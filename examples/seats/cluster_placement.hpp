#pragma once
// The seat `cluster_placement`: which core of its group each CTA of a cluster goes to. The contract is in
// warpkit/cta/cluster_placement.hpp.
#include <warpkit/cta/cluster_placement.hpp>

namespace seats_of_mine {

using namespace warpkit;

/// To the core with the most room, the lowest of several, whoever is there.
class my_cluster_placement {
public:
    static constexpr char const* name() noexcept { return "my_cluster_placement"; }
    unsigned place(cluster_on_group const& group) const noexcept {
        unsigned best = 0;
        for (unsigned c = 1; c < group.size(); ++c)
            if (group.rooms[c] > group.rooms[best]) best = c;
        return best;
    }
    friend bool operator==(my_cluster_placement const&, my_cluster_placement const&) = default;
};

} // namespace seats_of_mine
