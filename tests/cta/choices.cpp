// Choices of block beside round-robin: block pairs (BCS), locality-aware dispatch with the worked examples of the thesis
// (2016, section 3.3, figures 3.4 to 3.9), and one of several at run time. Each beside a naive twin.
#include <warpkit/cta/policies.hpp>
#include <warpkit/testing/archetypes.hpp>
#include <warpkit/testing/cta_laws.hpp>

#include "catch.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

using namespace warpkit;
using namespace warpkit::testing;

namespace {

grid_began grid_of(std::uint64_t x, std::uint64_t y, unsigned cores, unsigned per_core,
                   predicted_addresses const* addresses = nullptr) {
    grid_began e;
    e.grid_x = x;
    e.grid_y = y;
    e.cores = cores;
    e.ctas_per_core = per_core;
    e.addresses = addresses;
    return e;
}
template <class P>
cta_assignment ask(P const& p, std::vector<unsigned> const& rooms) {
    return p.choose({rooms.data(), static_cast<unsigned>(rooms.size())});
}
template <class P>
void give(P& p, unsigned core, std::uint64_t cta) {
    notify(cta_dispatched{core, cta, 0}, p);
}

/// As consecutive_blocks, from the list of what is left.
struct naive_blocks {
    unsigned count = 2;
    std::vector<std::uint64_t> left;
    std::vector<std::set<std::uint64_t>> running;
    unsigned last = 0;

    cta_assignment choose(core_rooms rooms) const {
        for (unsigned n = 1; n <= rooms.size() && !left.empty(); ++n) {
            auto const core = (last + n) % rooms.size();
            auto const wanted = std::min<std::size_t>(count, left.size());
            if (rooms[core] >= wanted) return {core, left.front(), static_cast<unsigned>(wanted)};
            if (rooms[core] > 0 && running[core].empty()) return {core, left.front(), rooms[core]};
        }
        return {};
    }
    void on(grid_began const& e) {
        left.clear();
        for (std::uint64_t i = 0; i < e.ctas(); ++i) left.push_back(i);
        running.assign(e.cores, {});
        last = e.cores - 1;
    }
    void on(cta_dispatched const& e) {
        left.erase(std::find(left.begin(), left.end(), e.linear_id));
        running[e.core].insert(e.linear_id);
        last = e.core;
    }
    void on(cta_retired const& e) { running[e.core].erase(e.linear_id); }
};

/// As locality_aware_dispatch, everything reckoned anew for each decision.
struct naive_locality {
    locality_dispatch_options options;
    predicted_addresses const* addresses = nullptr;
    std::vector<std::uint64_t> left;
    std::vector<std::set<std::uint64_t>> running;
    std::set<unsigned> begun; ///< cores that have finished one
    unsigned last = 0;

    std::vector<std::uint32_t> arrays() const {
        std::vector<std::uint32_t> known;
        for (std::uint32_t a = 0; addresses != nullptr && a < addresses->arrays(); ++a)
            for (std::uint32_t i = 0; i < addresses->accesses(); ++i)
                if (auto const& x = addresses->access(i);
                    x.array == a && x.predictable && (x.reads || !options.reads_only)) {
                    if (known.size() < 5) known.push_back(a);
                    break;
                }
        return known;
    }
    std::uint64_t shared(std::uint64_t one, std::uint64_t other) const {
        std::uint64_t sum = 0;
        for (auto const a : arrays()) {
            auto const pitch = addresses->array_pitch(a);
            line_rectangle r[2] = {addresses->array_rectangle(a, pitch, one, 128, options.reads_only),
                                   addresses->array_rectangle(a, pitch, other, 128, options.reads_only)};
            for (auto& q : r)
                if (options.byte_saturate)
                    q = {std::clamp<std::int64_t>(q.x, 0, 255), std::clamp<std::int64_t>(q.y, 0, 255),
                         std::min<std::uint64_t>(q.width, 255), std::min<std::uint64_t>(q.height, 255)};
            std::uint64_t columns = 0;
            std::uint64_t rows = 0;
            auto const in = [](std::int64_t at, std::int64_t from, std::uint64_t n) {
                return at >= from && at < from + static_cast<std::int64_t>(n);
            };
            for (std::uint64_t i = 0; i < r[0].width; ++i)
                columns += in(r[0].x + static_cast<std::int64_t>(i), r[1].x, r[1].width);
            for (std::uint64_t i = 0; i < r[0].height; ++i)
                rows += in(r[0].y + static_cast<std::int64_t>(i), r[1].y, r[1].height);
            sum += columns * rows;
        }
        return sum;
    }
    cta_assignment choose(core_rooms rooms) const {
        for (unsigned n = 1; n <= rooms.size() && !left.empty(); ++n)
            if (auto const core = (last + n) % rooms.size(); rooms[core] > 0)
                return {core, best_for(core), 1};
        return {};
    }
    std::uint64_t best_for(unsigned core) const {
        if (arrays().empty() || (options.fill == initial_fill::round_robin && begun.count(core) == 0))
            return left.front();
        struct candidate {
            std::uint64_t here = 0;
            std::uint64_t elsewhere = 0;
            std::uint64_t id = 0;
        };
        std::vector<candidate> all;
        for (std::size_t i = 0; i < left.size() && i < options.window; ++i) {
            candidate c;
            c.id = left[i];
            for (unsigned k = 0; k < running.size(); ++k)
                for (auto const r : running[k]) (k == core ? c.here : c.elsewhere) += shared(c.id, r);
            all.push_back(c);
        }
        if (options.tie == cta_tie::highest) std::reverse(all.begin(), all.end());
        auto const most =
            *std::max_element(all.begin(), all.end(), [](auto a, auto b) { return a.here < b.here; });
        if (most.here > 0) return most.id;
        return std::min_element(all.begin(), all.end(),
                                [](auto a, auto b) { return a.elsewhere < b.elsewhere; })
            ->id;
    }
    void on(grid_began const& e) {
        addresses = e.addresses;
        left.clear();
        for (std::uint64_t i = 0; i < e.ctas(); ++i) left.push_back(i);
        running.assign(e.cores, {});
        begun.clear();
        last = e.cores - 1;
    }
    void on(cta_dispatched const& e) {
        left.erase(std::find(left.begin(), left.end(), e.linear_id));
        running[e.core].insert(e.linear_id);
        last = e.core;
    }
    void on(cta_retired const& e) {
        running[e.core].erase(e.linear_id);
        begun.insert(e.core);
    }
};

} // namespace

// ---- block pairs

TEST_CASE("BCS: two consecutive CTAs, and only to a core with room for both") {
    bcs p;
    notify(grid_of(100, 1, 3, 4), p);
    CHECK(ask(p, {1, 2, 4}) == cta_assignment{0, 0, 1}); // core 0 is empty: it would wait for ever
    p.on(cta_dispatched{0, 0, 0});
    CHECK(ask(p, {1, 2, 4}) == cta_assignment{1, 1, 2});
    give(p, 1, 1);
    give(p, 1, 2);
    CHECK(ask(p, {1, 1, 4}) == cta_assignment{2, 3, 2});
    give(p, 2, 3);
    give(p, 2, 4);
    CHECK_FALSE(ask(p, {1, 1, 1})); // delayed, as in the thesis' section 5.1
    CHECK(ask(p, {1, 2, 1}) == cta_assignment{1, 5, 2});
}

TEST_CASE("BCS: the last, odd CTA goes out alone; other numbers at run time") {
    bcs p;
    notify(grid_of(3, 1, 2, 8), p);
    give(p, 0, 0);
    give(p, 0, 1);
    CHECK(ask(p, {1, 8}) == cta_assignment{1, 2, 1});
    consecutive_blocks<run_time> four(4);
    notify(grid_of(9, 1, 2, 8), four);
    CHECK(ask(four, {8, 8}) == cta_assignment{0, 0, 4});
    CHECK(std::string(common_name<bcs>) == "bcs");
}

// ---- rectangles

TEST_CASE("figure 3.6: byte addresses become line addresses") {
    made_up_addresses a(8);
    auto const array = a.array(0);
    // Rows of 1024 bytes; byte x of row y of the array is at 1024 y + x.
    a.access(array, {0, 0, 0, 128}, 1024);               // (0,0) to (127,0)
    a.access(array, {2 * 1024 + 128, 0, 0, 128}, 1024);  // (128,2) to (255,2)
    a.access(array, {2 * 1024 + 100, 0, 0, 1052}, 1024); // from (100,2) to (127,3)
    auto const view = a.view();
    CHECK(view.cta_rectangle(0, 0, 128) == line_rectangle{0, 0, 1, 1});
    CHECK(view.cta_rectangle(1, 0, 128) == line_rectangle{1, 2, 1, 1});
    CHECK(view.cta_rectangle(2, 0, 128) == line_rectangle{0, 2, 1, 2});
    CHECK(view.array_rectangle(array, 1024, 0, 128) == line_rectangle{0, 0, 2, 4}); // around all three
}

TEST_CASE("figures 3.4, 3.5 and 3.7: start, width and height from the first and the last thread of a block") {
    // 16 x 16 threads read 16 rows of 16 floats of a matrix with rows of 4 KiB, at column 16 bx and row 16 by.
    made_up_addresses a(64);
    auto const array = a.array(0x10000);
    a.access(array, {0x10000, 64, 16 * 4096, 15 * 4096 + 64}, 4096);
    auto const view = a.view();
    CHECK(view.cta_rectangle(0, 0, 128) == line_rectangle{0, 0, 1, 16});
    CHECK(view.cta_rectangle(0, 1, 128) == line_rectangle{0, 0, 1, 16}); // the other half of the same lines
    CHECK(view.cta_rectangle(0, 2, 128) == line_rectangle{1, 0, 1, 16});
    CHECK(view.cta_rectangle(0, 64 + 5, 128) == line_rectangle{2, 16, 1, 16});
}

TEST_CASE("figure 3.9: the overlap of two rectangles; SPEC 11.11: 4 x 4, one right, two down: 3 x 2 lines") {
    line_rectangle const a{10, 20, 4, 4};
    auto const at = [&](std::int64_t dx, std::int64_t dy) { return overlap(a, {10 + dx, 20 + dy, 4, 4}); };
    CHECK(at(0, 0) == 16);
    CHECK(at(1, 2) == 6);
    CHECK(at(-1, 2) == 6); // distances have no sign
    CHECK(at(1, -2) == 6);
    CHECK(at(3, 3) == 1);
    CHECK(at(4, 0) == 0); // distance = width: the formula's second branch gives 0, too
    CHECK(at(5, 0) == 0); // distance > width
    CHECK(at(0, 4) == 0);
    CHECK(overlap(a, {11, 21, 1, 9}) == 3); // unequal sizes: the intersection
    CHECK(overlap(a, {}) == 0);
    static_assert(overlap({0, 0, 2, 1}, {1, 0, 2, 1}) == 1);
}

// ---- figure 3.8: the decision

TEST_CASE("figure 3.8: the CTA of highest overlap with the core; if all are zero, the one of least with the "
          "others") {
    // One array, one row. CTA i reads two lines from line 2 * place(i) on: made so that overlaps are known.
    made_up_addresses a(100);
    auto const array = a.array(0);
    a.access(array, {0, 64, 0, 128}); // CTA i: bytes 64 i to 64 i + 127: an odd one touches two lines
    auto const view = a.view();
    // 0: line 0; 1: lines 0, 1; 2: line 1; 3: lines 1, 2; 4: line 2 ...
    locality_aware_dispatch p;
    notify(grid_of(100, 1, 2, 2, &view), p);
    CHECK(p.known_arrays() == 1);
    CHECK(p.note() == nullptr);
    CHECK(ask(p, {2, 2}) == cta_assignment{0, 0, 1}); // initial fill: round-robin
    give(p, 0, 0);
    CHECK(ask(p, {1, 2}) == cta_assignment{1, 1, 1});
    give(p, 1, 1);
    give(p, 0, 2);
    give(p, 1, 3);
    // Core 0 runs 0 and 2, core 1 runs 1 and 3. CTA 0 ends.
    p.on(cta_retired{0, 0, 0});
    // With core 0 (line 1): nobody left touches it. With core 1 (lines 0, 1 and 1, 2): 4 and 5 touch line 2. So all overlaps
    // with core 0 are zero, and the least overlap with core 1 is that of 6, the lowest.
    CHECK(ask(p, {1, 0}) == cta_assignment{0, 6, 1});
    p.on(cta_retired{1, 1, 0});
    // Core 1 runs 3 (lines 1 and 2): 4 and 5 share one line with it: the lowest.
    CHECK(ask(p, {0, 1}) == cta_assignment{1, 4, 1});
    give(p, 1, 4);
    p.on(cta_retired{1, 3, 0});
    CHECK(ask(p, {0, 1}) == cta_assignment{1, 5, 1}); // line 2 with CTA 4
}

TEST_CASE("locality-aware dispatch: ties to the highest, a window, and locality from the start") {
    made_up_addresses a(100);
    auto const array = a.array(0);
    a.access(array, {0, 64, 0, 128});
    auto const view = a.view();
    locality_aware_dispatch last({.window = 10, .tie = cta_tie::highest, .fill = initial_fill::locality});
    notify(grid_of(100, 1, 2, 4, &view), last);
    CHECK(ask(last, {4, 4}) == cta_assignment{0, 9, 1}); // all overlaps are zero, here and elsewhere
    give(last, 0, 9);                                    // lines 4 and 5
    CHECK(ask(last, {0, 4}) == cta_assignment{1, 6, 1}); // 7, 8 and 10 share a line with core 0
    give(last, 1, 6);
    CHECK(ask(last, {3, 0}) == cta_assignment{0, 11, 1}); // lines 5 and 6; it has come into the window
}

TEST_CASE("column-major: the neighbours are a row of the grid apart, and meet on one core") {
    // CTA (x, y) of a grid of 16 x 16 reads rows 32 x to 32 x + 31 of a matrix, 16 floats from column 16 y on: blocks
    // (x, 2 y) and (x, 2 y + 1) share all their lines, and are 16 apart in number.
    made_up_addresses a(16);
    auto const array = a.array(0);
    a.access(array, {0, 32 * 4096, 64, 31 * 4096 + 64}, 4096);
    auto const view = a.view();
    locality_aware_dispatch p;
    notify(grid_of(16, 16, 4, 1, &view), p);
    for (unsigned c = 0; c < 4; ++c) give(p, c, c);
    std::map<std::uint64_t, unsigned> core_of;
    // Each core finishes one and gets another, while its other CTAs go on: here they have one slot each, so give it before.
    for (unsigned c = 0; c < 4; ++c) p.on(cta_retired{c, c, 0});
    for (unsigned c = 0; c < 4; ++c) {
        auto const a1 = ask(p, {1, 1, 1, 1});
        give(p, a1.core, a1.first);
        core_of[a1.first] = a1.core;
    }
    // With nothing running anywhere the lowest go first; each next one keeps off the lines of the cores before.
    CHECK(core_of.size() == 4);
    locality_aware_dispatch two;
    notify(grid_of(16, 16, 2, 2, &view), two);
    give(two, 0, 0);
    give(two, 1, 1);
    give(two, 0, 2);
    give(two, 1, 3);
    two.on(cta_retired{0, 2, 0});
    CHECK(ask(two, {1, 0}) == cta_assignment{0, 16, 1}); // below CTA 0
    give(two, 0, 16);
    two.on(cta_retired{1, 1, 0});
    CHECK(ask(two, {0, 1}) == cta_assignment{1, 19, 1}); // below CTA 3
}

TEST_CASE("kernels whose addresses are not known fall back to round-robin, and say so") {
    locality_aware_dispatch p;
    round_robin_dispatch plain;
    auto const same = [&](grid_began const& g) {
        notify(g, p, plain);
        bool equal = true;
        for (unsigned i = 0; i < 40; ++i) {
            auto const a = ask(p, {1, 1, 1});
            equal = equal && a == ask(plain, {1, 1, 1});
            notify(cta_dispatched{a.core, a.first, 0}, p, plain);
            notify(cta_retired{a.core, a.first, 0}, p, plain);
        }
        return equal;
    };
    CHECK(same(grid_of(100, 1, 3, 2)));
    CHECK(std::string(p.note()) ==
          "no access of this kernel is predictable: round-robin in place of locality");
    made_up_addresses gather(100);
    gather.access(gather.array(0), {0, 64, 0, 128}, 0, true, false);
    auto const unknown = gather.view();
    CHECK(same(grid_of(100, 1, 3, 2, &unknown)));
    CHECK(p.known_arrays() == 0);
    gather.access(0, {0, 64, 0, 128});
    auto const half = gather.view();
    notify(grid_of(100, 1, 3, 2, &half), p);
    CHECK(p.known_arrays() == 1);
    CHECK(std::string(p.note()) == "accesses of this kernel that are not predictable do not count");
}

TEST_CASE("stores count, unless only reads are to; a byte is 255 at most") {
    made_up_addresses a(100);
    a.access(a.array(0), {0, 64, 0, 128}, 0, false); // a store
    auto const view = a.view();
    locality_aware_dispatch all;
    locality_aware_dispatch reads({.reads_only = true});
    notify(grid_of(100, 1, 2, 2, &view), all, reads);
    CHECK(all.known_arrays() == 1);
    CHECK(reads.known_arrays() == 0);
    // Beyond line 255 everything is line 255: CTAs that share nothing seem to.
    made_up_addresses far(100);
    far.access(far.array(0), {0, 128 * 256, 0, 128});
    auto const distant = far.view();
    for (bool const saturate : {false, true}) {
        locality_aware_dispatch p({.fill = initial_fill::locality, .byte_saturate = saturate});
        notify(grid_of(100, 1, 2, 2, &distant), p);
        give(p, 0, 1);
        CHECK(ask(p, {1, 0}).first == (saturate ? 2 : 0));
    }
}

// ---- laws, twins, and one of several

TEST_CASE("choices of block keep the laws, and agree with their naive twins") {
    CHECK_NOTHROW(require_cta_choice_laws<round_robin_dispatch>());
    CHECK_NOTHROW(require_cta_choice_laws<bcs>());
    CHECK_NOTHROW(require_cta_choice_laws<locality_aware_dispatch>({.streams = 6, .grids = 4}));
    CHECK_NOTHROW(require_cta_choice_laws<cta_choice_archetype>({.streams = 2}));
    CHECK_NOTHROW(require_choice_agreement<bcs, naive_blocks>({.seed = 3, .streams = 12}));
    CHECK_NOTHROW(require_choice_agreement({.seed = 4, .streams = 6}, consecutive_blocks<run_time>(5),
                                           naive_blocks{5, {}, {}, 0}));
    for (unsigned i = 0; i < 6; ++i) {
        locality_dispatch_options o;
        o.window = i == 0 ? 64 : 1 + 7 * i;
        o.tie = i % 2 == 0 ? cta_tie::lowest : cta_tie::highest;
        o.fill = i % 3 == 0 ? initial_fill::round_robin : initial_fill::locality;
        o.reads_only = i == 2;
        o.byte_saturate = i == 4;
        naive_locality twin;
        twin.options = o;
        cta_law_options const laws{.seed = 20 + i, .streams = 1, .grids = 2};
        CHECK_NOTHROW(require_choice_agreement(laws, locality_aware_dispatch(o), twin));
    }
}

namespace {
/// Forgets that it has given a CTA away.
struct forgetful : cta_choice_archetype {
    void on(cta_dispatched const& e) { next = e.linear_id % 7 == 6 ? e.linear_id : e.linear_id + 1; }
    void on(grid_began const& e) { cta_choice_archetype::on(e); }
    bool operator==(forgetful const&) const = default;
};
/// Gives nobody anything once a few have gone.
struct lazy : cta_choice_archetype {
    cta_assignment choose(core_rooms rooms) const {
        return next > 3 ? cta_assignment{} : cta_choice_archetype::choose(rooms);
    }
    bool operator==(lazy const&) const = default;
};
/// Goes on where the grid before ended.
struct continuing : cta_choice_archetype {
    cta_assignment choose(core_rooms rooms) const {
        for (unsigned i = 0; i < rooms.size() && next < end; ++i)
            if (auto const core = static_cast<unsigned>((i + turn) % rooms.size()); rooms[core] != 0)
                return {core, next, 1};
        return {};
    }
    void on(grid_began const& e) { cta_choice_archetype::on(e); }
    void on(cta_dispatched const& e) {
        cta_choice_archetype::on(e);
        ++turn;
    }
    bool operator==(continuing const& o) const { return next == o.next && end == o.end && turn == o.turn; }
    std::uint64_t turn = 0;
};
/// Says that it keeps the order, and takes each two CTAs the other way round.
struct boastful : cta_choice_archetype {
    static bool keeps_order() { return true; }
    cta_assignment choose(core_rooms rooms) const {
        auto a = cta_choice_archetype::choose(rooms);
        if (a && end % 2 == 0) a.first ^= 1U;
        return a;
    }
    bool operator==(boastful const&) const = default;
};
} // namespace

TEST_CASE("the laws see what is wrong with a choice") {
    CHECK_THROWS_WITH(require_cta_choice_laws<boastful>(), Catch::Contains("who keeps the order"));
    CHECK_THROWS_WITH(require_cta_choice_laws<forgetful>(), Catch::Contains("no CTA goes out twice"));
    CHECK_THROWS_WITH(require_cta_choice_laws<lazy>(), Catch::Contains("somebody gets something"));
    CHECK_THROWS_WITH(require_cta_choice_laws<continuing>(),
                      Catch::Contains("grid_began makes as good as new"));
    CHECK_THROWS_WITH((require_choice_agreement<round_robin_dispatch, naive_blocks>()),
                      Catch::Contains("twin"));
}

TEST_CASE("one of several choices is the one that it is, and a regular value") {
    STATIC_REQUIRE(check_cta_choice<any_cta_choice>());
    any_cta_choice standard;
    CHECK(std::string(standard.chosen_name()) == "round_robin_dispatch");
    CHECK_NOTHROW(require_cta_choice_laws<any_cta_choice>({.streams = 2, .grids = 2},
                                                          any_cta_choice(locality_aware_dispatch())));
    CHECK_NOTHROW(
        require_choice_agreement({.streams = 3}, any_cta_choice(consecutive_blocks<run_time>(2)), bcs()));
    CHECK_NOTHROW(require_choice_agreement({.streams = 3}, any_cta_choice(), round_robin_dispatch()));
    any_cta_choice const pairs(consecutive_blocks<run_time>(2));
    CHECK_FALSE(pairs == standard);
    CHECK((keeps_order(pairs) && keeps_order(standard)));
    CHECK_FALSE(keeps_order(any_cta_choice(locality_aware_dispatch())));
    CHECK(pairs.get_if<consecutive_blocks<run_time>>() != nullptr);
    CHECK(pairs.get_if<locality_aware_dispatch>() == nullptr);
}
