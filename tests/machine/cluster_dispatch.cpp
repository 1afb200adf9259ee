/// Grids of clusters: which groups they go to, as choices of block and limits say (docs/model/clusters.md#dispatch).

#include <warpkit/cta/policies.hpp>
#include <warpkit/machine/dispatcher.hpp>

#include "catch.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

/// Cores in groups that run what they get until they are told to finish it.
class grouped_cores {
public:
    grouped_cores(unsigned cores, unsigned group, unsigned fit, clustered_grid grid,
                  any_cta_choice const& choice = {}, any_cluster_placement const& placement = {})
        : d_(cores, 1, choice, placement),
          fit_(fit),
          most(cores, fit),
          held_(cores) {
        grid.group = group;
        grid.in_use = true;
        grid_began e;
        e.program = nullptr;
        e.grid_x = grid.grid.x / grid.cluster.x;
        e.grid_y = grid.grid.y / grid.cluster.y;
        e.grid_z = grid.grid.z / grid.cluster.z;
        e.cores = (cores + group - 1) / group;
        e.ctas_per_core = fit * group / grid.size();
        e.line = 128;
        d_.begin(e, fit, 0, grid);
    }
    /// What goes out in the next cycle: "core:CTA" each.
    std::string step() {
        std::string text;
        d_.run(
            now_, now_ + 1, [this](unsigned c, unsigned) { return most[c]; },
            [&](unsigned c, std::uint64_t cta, cycle) {
                text += (text.empty() ? "" : " ") + std::to_string(c) + ':' + std::to_string(cta);
                CHECK(d_.sent().core[d_.sent().rank] == c);
                clusters_.push_back(d_.sent());
                held_[c].push_back(cta);
            });
        ++now_;
        return text;
    }
    void finish(unsigned core) {
        for (auto const cta : held_[core]) d_.finished(core, cta, now_ - 1);
        held_[core].clear();
    }
    auto const& dispatcher() const { return d_; }
    std::vector<cta_cluster> const& clusters() const { return clusters_; }

private:
    warpkit::dispatcher<any_cta_choice, any_cluster_placement> d_;
    unsigned fit_;

public:
    std::vector<unsigned> most; ///< by core: what its limit says

private:
    std::vector<std::vector<std::uint64_t>> held_;
    std::vector<cta_cluster> clusters_;
    cycle now_ = 0;
};

clustered_grid line(unsigned ctas, unsigned of_cluster) { return {{ctas, 1, 1}, {of_cluster, 1, 1}}; }

} // namespace

TEST_CASE("clusters go to groups in turn, one to each in a cycle, all CTAs at once") {
    grouped_cores g(4, 2, 1, line(8, 2));
    CHECK(g.step() == "0:0 1:1 2:2 3:3");
    CHECK(g.step() == "");
    CHECK(g.clusters()[3].id == 2);
    CHECK(g.clusters()[3].rank == 1);
    CHECK(g.clusters()[3].core[0] == 2);
    SECTION("a group has room again when as many of its CTAs have finished") {
        g.finish(2);
        CHECK(g.step() == "");
        g.finish(3);
        CHECK(g.step() == "2:4 3:5");
    }
    SECTION("cores of two groups do not make one") {
        g.finish(1);
        g.finish(2);
        CHECK(g.step() == "");
        CHECK(g.dispatcher().left() == 4);
    }
}

TEST_CASE("a core may have several CTAs of a cluster") {
    CHECK(grouped_cores(4, 4, 2, line(8, 4), {}, cluster_packed{}).step() == "0:0 0:1 1:2 1:3");
    CHECK(grouped_cores(4, 4, 2, line(8, 4), {}, cluster_spread{}).step() == "0:0 1:1 2:2 3:3");
    CHECK(grouped_cores(2, 1, 4, line(8, 4)).step() == "0:0 0:1 0:2 0:3 1:4 1:5 1:6 1:7");
}

TEST_CASE("the last group may have fewer cores, and gets none where no cluster fits") {
    grouped_cores g(5, 2, 1, line(6, 2));
    CHECK(g.step() == "0:0 1:1 2:2 3:3");
    CHECK(g.step() == "");
}

TEST_CASE("clusters of several dimensions are neighbours in the grid") {
    // 4 x 4 CTAs in clusters of 2 x 2.
    grouped_cores g(16, 4, 1, {{4, 4, 1}, {2, 2, 1}});
    CHECK(g.step() == "0:0 1:1 2:4 3:5 4:2 5:3 6:6 7:7 8:8 9:9 10:12 11:13 12:10 13:11 14:14 15:15");
    CHECK(!g.dispatcher().keeps_order());
    CHECK(grouped_cores(4, 2, 1, line(8, 2)).dispatcher().keeps_order());
}

TEST_CASE("to choices of block a cluster is a CTA, and a group is a core") {
    SECTION("BCS: two consecutive ones to a group") {
        grouped_cores g(8, 4, 1, line(16, 2), consecutive_blocks<run_time>(2));
        CHECK(g.step() == "0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7");
        g.finish(0);
        g.finish(1);
        CHECK(g.step() == "");
        g.finish(2);
        g.finish(3);
        CHECK(g.step() == "0:8 1:9 2:10 3:11");
    }
    SECTION("CTA clustering: each group a part of the grid") {
        CHECK(grouped_cores(4, 2, 1, line(16, 2), clustered_dispatch{}).step() == "0:0 1:1 2:8 3:9");
    }
    SECTION("those that go by addresses, which are of CTAs, know none") {
        any_cta_choice const all[] = {locality_aware_dispatch{}, paver{}, capacity_aware{},
                                      swizzled_dispatch{}};
        for (auto const& choice : all) {
            grouped_cores g(4, 2, 2, line(24, 2), choice);
            for (unsigned n = 0; n < 40 && !g.dispatcher().done(); ++n) {
                g.step();
                for (unsigned c = 0; c < 4; ++c) g.finish(c);
            }
            CHECK(g.dispatcher().done());
        }
    }
}

TEST_CASE("limits count CTAs, but an empty group gets a cluster that fits it") {
    grouped_cores g(2, 2, 4, line(8, 4));
    g.most = {2, 2};
    CHECK(g.step() == "0:0 1:1 0:2 1:3");
    g.finish(0);
    g.finish(1);
    g.most = {1, 1};
    CHECK(g.step() == "0:4 1:5 0:6 1:7");
}

TEST_CASE("clusters that are left out of the timing are executed whole") {
    dispatcher<round_robin_dispatch> d(4, 1, {});
    grid_began e;
    e.program = nullptr;
    e.grid_x = 4;
    e.cores = 2;
    e.ctas_per_core = 1;
    e.line = 128;
    clustered_grid grid = line(8, 2);
    grid.group = 2;
    grid.in_use = true;
    d.begin(e, 1, 0, grid);
    std::vector<std::uint64_t> ctas;
    CHECK(d.skip(3, 0, [&](std::uint64_t cta) { return ctas.push_back(cta), true; }) == 4);
    CHECK(ctas == std::vector<std::uint64_t>{0, 1, 2, 3});
    CHECK(d.left() == 4);
}
