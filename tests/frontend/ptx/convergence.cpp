#include <warpkit/frontend/ptx/convergence.hpp>

#include "catch.hpp"

#include <bit>
#include <cstdint>
#include <vector>

using namespace warpkit;
using namespace warpkit::ptx;

namespace {

// Whatever happens: every living lane is in just one group that is no join, or waits at one join; a join holds the
// lanes below it, whose groups are to meet where it waits.
bool is_whole(lane_groups const& g) {
    auto const& all = g.all();
    lane_mask outermost = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].mask == 0) return false;
        if (all[i].level == 0) {
            if ((outermost & all[i].mask) != 0 || all[i].reconvergence != control_flow::none) return false;
            outermost |= all[i].mask;
        }
        if (g.is_join(i) && all[i].waits != lane_group::wait::nothing) return false;
        lane_mask below = 0;
        for (auto k = i + 1; k < all.size() && all[k].level > all[i].level; ++k) {
            if (all[k].level != all[i].level + 1) continue;
            if ((below & all[k].mask) != 0 || all[k].reconvergence != all[i].pc) return false;
            below |= all[k].mask;
        }
        if ((below & ~all[i].mask) != 0) return false;
        if (i != 0 && all[i].level > all[i - 1].level + 1) return false;
    }
    return outermost == g.alive();
}
std::vector<std::uint32_t> places(lane_groups const& g) {
    std::vector<std::uint32_t> p;
    for (auto const& x : g.all()) p.push_back(x.pc);
    return p;
}

} // namespace

TEST_CASE("Lanes that part meet as on a stack, the first way first", "[ptx][convergence]") {
    lane_groups g;
    g.begin(0xff);
    g.part(20, false, {{{10, 0x0f}, {5, 0xf0}}}, 2);
    CHECK(places(g) == std::vector<std::uint32_t>{20, 5, 10});
    CHECK(g.current().mask == 0x0f);
    g.part(15, false, {{{15, 0x01}, {11, 0x0e}}}, 2); // lane 0 is where they meet
    CHECK(g.current().mask == 0x0e);
    g.current().pc = 15;
    g.meet();
    CHECK(g.current().mask == 0x0f);
    g.current().pc = 20;
    g.meet();
    CHECK(g.current().pc == 5);
    REQUIRE(g.leave(0x30));
    CHECK(g.current().mask == 0xc0);
    g.current().pc = 20;
    g.meet();
    CHECK(g.converged());
    CHECK(g.current().mask == 0xcf);
    CHECK(!g.leave(0xcf));
}

TEST_CASE("Where all wait, lanes at a join go on alone; united lanes go on below what holds them all",
          "[ptx][convergence]") {
    lane_groups g;
    g.begin(0xff);
    g.part(20, false, {{{10, 0x0f}, {20, 0xf0}}}, 2);
    g.block(lane_group::wait::lanes, 0xff, 0);
    REQUIRE(g.next());
    CHECK(g.current().mask == 0xf0);
    CHECK(g.current().pc == 20);
    g.block(lane_group::wait::lanes, 0xff, 0);
    CHECK(!g.next());
    CHECK(is_whole(g));
    g.unite(0xff, 30);
    CHECK(g.converged());
    CHECK(g.current().pc == 30);
}

TEST_CASE("Lanes that come to a join further up wait there", "[ptx][convergence]") {
    lane_groups g;
    g.begin(0xff);
    g.part(50, false, {{{10, 0x0f}, {5, 0xf0}}}, 2);
    g.part(30, false, {{{12, 0x03}, {11, 0x0c}}}, 2);
    g.current().pc = 50; // past 30
    CHECK(g.meet_further_up());
    CHECK(is_whole(g));
    CHECK(g.current().mask == 0x0c);
    CHECK(!g.meet_further_up());
    g.current().pc = 30;
    g.meet();
    CHECK(g.current().mask == 0x0c); // those that never came are not waited for
}

TEST_CASE("Whatever lanes do, none is lost or doubled, and nesting is bounded", "[ptx][convergence]") {
    std::uint64_t state = 1;
    auto const below = [&](unsigned n) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        return static_cast<unsigned>(state >> 33) % n;
    };
    for (unsigned turn = 0; turn < 300; ++turn) {
        lane_groups g;
        g.begin(turn % 3 == 0 ? 0xffff : all_lanes);
        bool alive = true;
        unsigned deepest = 0;
        for (unsigned step = 0; alive && step < 300; ++step) {
            if (!g.can_run() && !g.next()) { // all wait: those at one of the places go on
                auto const which = g.all()[below(static_cast<unsigned>(g.all().size()))].pc;
                lane_mask mask = 0;
                for (auto const& x : g.all())
                    if (x.waits != lane_group::wait::nothing && x.pc == which) mask |= x.mask;
                if (mask != 0) g.unite(mask, which + 1);
                REQUIRE(is_whole(g));
                continue;
            }
            auto const old = g.current();
            std::uint32_t away = 0;
            auto const some = old.mask & (below(0x7fffffff) * 3);
            switch (below(8)) {
            case 0:
            case 1:
            case 2:
                if (some == 0 || some == old.mask) break;
                away = old.reconvergence != control_flow::none && below(3) == 0 ? old.reconvergence
                                                                                : 30 + below(4);
                g.part(below(4) == 0 ? control_flow::none : below(12), below(3) == 0,
                       {{{20 + below(4), some}, {away, old.mask & ~some}}}, 2);
                break;
            case 3:
                if (old.reconvergence != control_flow::none) g.meet();
                break;
            case 4:
                static_cast<void>(g.meet_further_up());
                break;
            case 5:
                if (below(6) == 0) alive = g.leave(old.mask & (below(2) == 0 ? ~0U : some));
                break;
            case 6:
                static_cast<void>(g.yield(below(2) == 0));
                break;
            default:
                g.block(lane_group::wait::lanes, old.mask, 0);
                break;
            }
            if (!alive) break;
            REQUIRE(is_whole(g));
            for (auto const& x : g.all()) deepest = x.level > deepest ? x.level : deepest;
        }
        REQUIRE(deepest <= lanes);
    }
}
