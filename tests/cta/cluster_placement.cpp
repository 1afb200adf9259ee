/// Where the CTAs of a cluster go in their group of cores.

#include <warpkit/cta/policies.hpp>
#include <warpkit/testing/cluster_placement_laws.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace warpkit;
using namespace warpkit::testing;

namespace {

/// The cores of a cluster's CTAs, by rank.
template <class P>
std::vector<unsigned> placed(P const& policy, std::vector<unsigned> rooms, unsigned ctas) {
    std::vector<unsigned> given(rooms.size()), cores;
    for (unsigned rank = 0; rank < ctas; ++rank) {
        auto const c =
            policy.place({{rooms.data(), static_cast<unsigned>(rooms.size())}, given.data(), 0, rank, ctas});
        --rooms.at(c);
        ++given[c];
        cores.push_back(c);
    }
    return cores;
}

/// All cores with room, the best in front: said as an order.
template <class Better>
class sorted_cores {
public:
    unsigned place(cluster_on_group const& g) const {
        std::vector<unsigned> cores;
        for (unsigned c = 0; c < g.size(); ++c)
            if (g.rooms[c] != 0) cores.push_back(c);
        std::stable_sort(cores.begin(), cores.end(),
                         [&](unsigned a, unsigned b) { return Better()(g, a, b); });
        return cores.front();
    }
    friend bool operator==(sorted_cores const&, sorted_cores const&) { return true; }
};
struct fewest_then_most_room {
    bool operator()(cluster_on_group const& g, unsigned a, unsigned b) const {
        if (g.given[a] != g.given[b]) return g.given[a] < g.given[b];
        return g.rooms[a] > g.rooms[b];
    }
};
struct begun_then_most_room {
    bool operator()(cluster_on_group const& g, unsigned a, unsigned b) const {
        bool const has_a = g.given[a] != 0, has_b = g.given[b] != 0;
        if (has_a || has_b) return has_a && !has_b;
        return g.rooms[a] > g.rooms[b];
    }
};

/// All pairs of neighbours with room for both, the best in front; the second of a pair follows the first.
struct sorted_pairs {
    unsigned place(cluster_on_group const& g) const {
        auto const beside = [&](unsigned c) {
            for (unsigned o = 0; o < g.size(); ++o)
                if (o != c && (g.first + o) / 2 == (g.first + c) / 2) return o;
            return g.size();
        };
        std::vector<unsigned> cores;
        for (unsigned c = 0; c < g.size(); ++c) {
            auto const o = beside(c);
            if (g.rooms[c] == 0 || o == g.size()) continue;
            if (g.rank % 2 == 0 ? c < o && g.rooms[o] != 0 : g.given[o] > g.given[c]) cores.push_back(c);
        }
        if (cores.empty()) return sorted_cores<fewest_then_most_room>().place(g);
        if (g.rank % 2 == 0)
            std::stable_sort(cores.begin(), cores.end(), [&](unsigned a, unsigned b) {
                auto const given = [&](unsigned c) { return g.given[c] + g.given[beside(c)]; };
                auto const room = [&](unsigned c) { return g.rooms[c] + g.rooms[beside(c)]; };
                return given(a) != given(b) ? given(a) < given(b) : room(a) > room(b);
            });
        return cores.front();
    }
};

/// Says what it was told last.
struct tells_tales {
    unsigned place(cluster_on_group const& g) const { return g.rank < g.size() ? g.rank : 0; }
    friend bool operator==(tells_tales const&, tells_tales const&) { return true; }
};

} // namespace

TEST_CASE("a cluster is spread over its group") {
    CHECK(placed(cluster_spread{}, {2, 2, 2, 2}, 4) == std::vector<unsigned>{0, 1, 2, 3});
    CHECK(placed(cluster_spread{}, {1, 3, 0, 2}, 4) == std::vector<unsigned>{1, 3, 0, 1});
    CHECK(placed(cluster_spread{}, {8}, 3) == std::vector<unsigned>{0, 0, 0});
}

TEST_CASE("a cluster is packed into few cores") {
    CHECK(placed(cluster_packed{}, {2, 2, 2, 2}, 4) == std::vector<unsigned>{0, 0, 1, 1});
    CHECK(placed(cluster_packed{}, {1, 3, 0, 2}, 4) == std::vector<unsigned>{1, 1, 1, 3});
    CHECK(placed(cluster_packed{}, {1, 1, 1}, 3) == std::vector<unsigned>{0, 1, 2});
}

TEST_CASE("a cluster's CTAs are two by two on neighbouring cores, pairs apart") {
    CHECK(placed(cluster_paired{}, {2, 2, 2, 2}, 4) == std::vector<unsigned>{0, 1, 2, 3});
    CHECK(placed(cluster_paired{}, {1, 1, 2, 3, 2, 2}, 4) == std::vector<unsigned>{2, 3, 4, 5});
    CHECK(placed(cluster_paired{}, {1, 0, 1, 1}, 2) == std::vector<unsigned>{2, 3});
    CHECK(placed(cluster_paired{}, {1, 0, 0, 1}, 2) == std::vector<unsigned>{0, 3}); // no two have room
    CHECK(placed(cluster_paired{}, {4}, 2) == std::vector<unsigned>{0, 0});
}

TEST_CASE("placements of clusters keep the laws, and agree with their twins") {
    require_cluster_placement_laws<cluster_spread>();
    require_cluster_placement_laws<cluster_packed>();
    require_cluster_placement_laws<cluster_paired>();
    require_cluster_placement_laws<any_cluster_placement>({}, cluster_packed{});
    require_cluster_placement_agreement<cluster_spread, sorted_cores<fewest_then_most_room>>();
    require_cluster_placement_agreement<cluster_packed, sorted_cores<begun_then_most_room>>();
    require_cluster_placement_agreement<cluster_paired, sorted_pairs>();
    SECTION("who names a core without room does not") {
        auto const found = check_cluster_placement_laws<tells_tales>();
        REQUIRE(!found.empty());
        CHECK(found.front().law == "that core has room");
    }
}
