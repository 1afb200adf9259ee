#pragma once

#include <warpkit/base/one_of.hpp>
#include <warpkit/cta/cluster_placement.hpp>

namespace warpkit {

/// One of these placements of clusters, at first the first one.
template <class... P>
class one_cluster_placement : public one_of<P...> {
    static_assert((check_cluster_placement<P>() && ...));

public:
    static constexpr char const* name() noexcept { return "one_cluster_placement"; }

    using one_of<P...>::one_of;
    unsigned place(cluster_on_group const& group) const noexcept {
        unsigned core = 0;
        this->ask([&](auto const& p) { core = p.place(group); });
        return core;
    }
    friend bool operator==(one_cluster_placement const&, one_cluster_placement const&) = default;
};

} // namespace warpkit
