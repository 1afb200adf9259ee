// Choices of block beside round-robin: block pairs (BCS), locality-aware dispatch with the worked examples of the
// thesis (2016, section 3.3, figures 3.4 to 3.9), and one of several at run time. Each beside a naive twin.
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
    e.line = 128;
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

/// Numbers of lines, ascending: array, row, column.
std::vector<std::uint64_t> lines_of(block_rectangles const& rectangles, std::uint64_t cta) {
    std::vector<std::uint64_t> lines;
    auto const list = rectangles.of(cta);
    for (unsigned i = 0; i < rectangles.size(); ++i)
        for (std::uint64_t row = 0; row < list[i].height; ++row)
            for (std::uint64_t column = 0; column < list[i].width; ++column)
                lines.push_back(std::uint64_t{rectangles.array(i)} << 56 |
                                (static_cast<std::uint64_t>(list[i].y + (1 << 20)) + row) << 28 |
                                (static_cast<std::uint64_t>(list[i].x + (1 << 20)) + column));
    std::sort(lines.begin(), lines.end());
    return lines;
}
std::uint64_t common_lines(std::vector<std::uint64_t> const& a, std::vector<std::uint64_t> const& b) {
    std::uint64_t n = 0;
    for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
        n += *x == *y;
        auto const least = std::min(*x, *y);
        x += *x == least;
        y += *y == least;
    }
    return n;
}
std::uint64_t shared(block_rectangles const& rectangles, std::uint64_t one, std::uint64_t other) {
    return common_lines(lines_of(rectangles, one), lines_of(rectangles, other));
}

/// As locality_aware_dispatch, everything reckoned anew for each decision, and lines counted one by one.
struct naive_locality {
    locality_dispatch_options options;
    block_rectangles rectangles;
    mutable std::map<std::uint64_t, std::vector<std::uint64_t>> lines;
    mutable std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> counted;
    std::vector<std::uint64_t> left;
    std::vector<std::set<std::uint64_t>> running;
    std::set<unsigned> begun; ///< cores that have finished one
    unsigned last = 0;

    std::uint64_t shared(std::uint64_t one, std::uint64_t other) const {
        auto const [at, is_new] = counted.try_emplace({one, other});
        if (is_new) {
            for (auto const cta : {one, other})
                if (lines.count(cta) == 0) lines[cta] = lines_of(rectangles, cta);
            at->second = common_lines(lines[one], lines[other]);
        }
        return at->second;
    }
    cta_assignment choose(core_rooms rooms) const {
        for (unsigned n = 1; n <= rooms.size() && !left.empty(); ++n)
            if (auto const core = (last + n) % rooms.size(); rooms[core] > 0)
                return {core, best_for(core), 1};
        return {};
    }
    std::uint64_t best_for(unsigned core) const {
        if (rectangles.size() == 0 || (options.fill == initial_fill::round_robin && begun.count(core) == 0))
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
        rectangles = block_rectangles(e, {options.rectangles, options.reads_only, options.byte_saturate});
        lines.clear();
        counted.clear();
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
    block_rectangles const around(grid_of(1, 1, 1, 1, &view), {rectangle_per::array});
    CHECK(around.of(0)[0] == line_rectangle{0, 0, 2, 4}); // around all three
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

TEST_CASE("figure 3.9: the overlap of two rectangles; 4 x 4, one right, two down: 3 x 2 lines") {
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

// ---- several accesses to one array

namespace {
/// LU decomposition in tiles of 16 x 16 floats of a matrix of 256 x 256, whose rows are eight lines, with the first
/// tile done: CTA (x, y) of 15 x 15 reads the tile at the head of its column, that at the head of its row, and its own
/// one, which it writes. A line is two tiles wide.
struct lud_internal {
    lud_internal() {
        auto const array = addresses.array(0x10000);
        auto const tile = [&](std::uint64_t x, std::uint64_t y, std::uint64_t dx, std::uint64_t dy,
                              bool reads) {
            addresses.access(array, {0x10000 + y * 16384 + x * 64, dx * 64, dy * 16384, 15 * 1024 + 64}, 1024,
                             reads);
        };
        tile(1, 0, 1, 0, true);
        tile(0, 1, 0, 1, true);
        tile(1, 1, 1, 1, true);
        tile(1, 1, 1, 1, false);
        view = addresses.view();
    }
    made_up_addresses addresses{15};
    predicted_addresses view;
    grid_began grid(unsigned cores, unsigned per_core) const {
        return grid_of(15, 15, cores, per_core, &view);
    }
};
} // namespace

TEST_CASE(
    "an array that is touched in several places has several rectangles, and none of a CTA's lines twice") {
    lud_internal const lud;
    block_rectangles const r(lud.grid(2, 2), {});
    CHECK(r.size() == 3); // the store is where the load was
    CHECK(r.arrays() == 1);
    CHECK(r.of(1) == block_rectangles::list{line_rectangle{1, 0, 1, 16}, {0, 16, 1, 16}, {1, 16, 1, 16}});
    CHECK(r.of(0) == block_rectangles::list{
                         line_rectangle{0, 0, 1, 16}, {0, 16, 1, 16}, {}}); // tiles 0 and 1 share lines
    CHECK(r.of(15 * 2 + 4) ==
          block_rectangles::list{line_rectangle{2, 0, 1, 16}, {0, 48, 1, 16}, {2, 48, 1, 16}});
    // One rectangle holds all that lies between them: up to three quarters of it are not touched.
    block_rectangles const one(lud.grid(2, 2), {rectangle_per::array});
    CHECK(one.size() == 1);
    CHECK(one.of(15 * 2 + 4) == block_rectangles::list{line_rectangle{0, 0, 3, 64}});
}

TEST_CASE("lud: what CTAs of a row, of a column, of a pair, and others share") {
    lud_internal const lud;
    block_rectangles const r(lud.grid(2, 2), {});
    auto const at = [](std::uint64_t x, std::uint64_t y) { return x + 15 * y; };
    CHECK(shared(r, at(1, 3), at(4, 3)) == 16); // the tile at the head of the row
    CHECK(shared(r, at(1, 3), at(1, 5)) == 16); // at the head of the column
    CHECK(shared(r, at(1, 3), at(2, 5)) == 16); // of two columns in the same lines
    CHECK(shared(r, at(1, 3), at(2, 3)) == 48); // all three
    CHECK(shared(r, at(2, 3), at(3, 3)) == 16); // as near, but across the border of two lines
    CHECK(shared(r, at(1, 3), at(4, 5)) == 0);
    CHECK(shared(r, at(0, 3), at(1, 3)) ==
          16); // the first column's own tile is in the lines of the row's head
    CHECK(shared(r, at(0, 3), at(0, 5)) == 16);
    block_rectangles const one(lud.grid(2, 2), {rectangle_per::array});
    CHECK(shared(one, at(1, 3), at(4, 5)) == 2 * 5 * 16); // where nothing is shared
}

TEST_CASE(
    "lud: the decision is for pairs of a row and of a column; in one rectangle all further ones look alike") {
    lud_internal const lud;
    auto const after = [&](rectangle_per per) {
        locality_aware_dispatch p({.fill = initial_fill::locality, .rectangles = per});
        notify(lud.grid(2, 4), p);
        give(p, 0, 31); // (1, 2)
        std::vector<std::uint64_t> order;
        for (unsigned i = 0; i < 3; ++i) {
            order.push_back(ask(p, {4, 0}).first);
            give(p, 0, order.back());
        }
        return order;
    };
    // (2, 2) shares 48 lines with (1, 2), (1, 0) then 16 with each, and (2, 0) 48 + 16 + 16.
    CHECK(after(rectangle_per::access) == std::vector<std::uint64_t>{32, 1, 2});
    CHECK(after(rectangle_per::array) == std::vector<std::uint64_t>{32, 33, 34});
}

TEST_CASE("accesses side by side make one rectangle: a stencil's") {
    // 16 x 16 floats, their neighbours above, below, left and right, 32 columns and 16 rows further from CTA to CTA.
    made_up_addresses a(8);
    auto const array = a.array(1 << 20);
    for (std::int64_t const shift : {0, -4096, 4096, -4, 4})
        a.access(array, {static_cast<std::uint64_t>((2 << 20) + 64 + shift), 128, 16 * 4096, 15 * 4096 + 64},
                 4096);
    auto const view = a.view();
    block_rectangles const r(grid_of(8, 8, 2, 2, &view), {});
    CHECK(r.size() == 1);
    CHECK(r.of(9).front() == line_rectangle{1, 271, 2, 18}); // the one to the right is in the next line
}

TEST_CASE("five rectangles are the most: those are joined that it costs least") {
    made_up_addresses a(1);
    auto const lone = a.array(0);
    auto const array = a.array(1 << 20);
    for (auto const line : {0U, 10U, 13U, 30U, 50U, 90U})
        a.access(array, {(1 << 20) + line * 128, 0, 0, 128});
    a.access(lone, {0, 0, 0, 128});
    auto const view = a.view();
    block_rectangles const r(grid_of(1, 1, 1, 1, &view), {});
    CHECK(r.size() == 5);
    CHECK(r.arrays() == 2);
    CHECK(r.of(0) ==
          block_rectangles::list{
              line_rectangle{0, 0, 1, 1}, {0, 0, 14, 1}, {30, 0, 1, 1}, {50, 0, 1, 1}, {90, 0, 1, 1}});
}

TEST_CASE("random accesses: rectangles hold every line that is touched, and none twice") {
    random_numbers random(7);
    unsigned twice = 0;
    unsigned missing = 0;
    unsigned outside = 0;
    unsigned crowded = 0;
    for (unsigned trial = 0; trial < 400; ++trial) {
        made_up_addresses a(6);
        auto const arrays = 1 + random.below(3);
        for (unsigned k = 0; k < arrays; ++k) a.array(std::uint64_t{k + 1} << 32);
        for (auto n = 1 + random.below(9); n != 0; --n) {
            auto const array = random.below(arrays);
            auto const rows = random.below(6);
            a.access(array,
                     {(std::uint64_t{array + 1} << 32) + 1024 * random.below(20) + 4 * random.below(200),
                      4 * random.below(64), 1024 * random.below(4), 1024 * rows + 4 * (1 + random.below(40))},
                     1024, random.chance(70), random.chance(90));
        }
        auto const view = a.view();
        auto const grid = grid_of(6, 5, 2, 2, &view);
        bool const reads_only = random.chance(30);
        block_rectangles const split(grid, {rectangle_per::access, reads_only});
        block_rectangles const whole(grid, {rectangle_per::array, reads_only});
        for (std::uint64_t cta = 0; cta < 30; cta += 1 + random.below(7)) {
            auto const lines = lines_of(split, cta);
            auto const all = lines_of(whole, cta);
            twice += std::adjacent_find(lines.begin(), lines.end()) != lines.end();
            outside += !std::includes(all.begin(), all.end(), lines.begin(), lines.end());
            auto const list = split.of(cta);
            for (std::uint32_t i = 0; i < view.accesses(); ++i) {
                auto const& x = view.access(i);
                if (!x.predictable || (reads_only && !x.reads)) continue;
                auto const r = view.cta_rectangle(i, cta, 128, view.array_pitch(x.array));
                std::uint64_t held = 0;
                for (unsigned k = 0; k < split.size(); ++k)
                    if (split.array(k) == x.array) held += overlap(r, list[k]);
                missing += held != r.width * r.height;
            }
        }
        crowded += split.size() > split.arrays();
    }
    CHECK(twice == 0);
    CHECK(missing == 0);
    CHECK(outside == 0);
    CHECK(crowded > 100);
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
    // With core 0 (line 1): nobody left touches it. With core 1 (lines 0, 1 and 1, 2): 4 and 5 touch line 2. So all
    // overlaps with core 0 are zero, and the least overlap with core 1 is that of 6, the lowest.
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

TEST_CASE(
    "locality-aware dispatch: none is left, a window of none is one of one CTA, and CTAs may go elsewhere") {
    made_up_addresses a(100);
    auto const array = a.array(0);
    a.access(array, {0, 64, 0, 128}); // as above: CTA i shares a line with i + 1, an odd one with i + 2
    auto const view = a.view();
    locality_aware_dispatch narrow({.window = 0, .fill = initial_fill::locality});
    CHECK(narrow.options().window == 1);
    notify(grid_of(3, 1, 2, 4, &view), narrow);
    for (std::uint64_t cta = 0; cta < 3; ++cta) {
        CHECK(ask(narrow, {4, 4}) == cta_assignment{static_cast<unsigned>(cta) % 2, cta, 1});
        give(narrow, static_cast<unsigned>(cta) % 2, cta);
    }
    CHECK_FALSE(ask(narrow, {4, 4}));

    // Whoever is sent elsewhere than by its choice changes nothing: one that is not in the window, one too many.
    locality_aware_dispatch p({.window = 8, .fill = initial_fill::locality});
    notify(grid_of(100, 1, 2, 8, &view), p);
    give(p, 0, 50);
    CHECK(ask(p, {0, 8}) == cta_assignment{1, 0, 1});
    for (std::uint64_t cta = 0; cta < 9; ++cta) give(p, 1, cta);
    p.on(cta_retired{1, 8, 0});                        // which it has not noted
    CHECK(ask(p, {8, 0}) == cta_assignment{0, 10, 1}); // 8 and 9 share a line with 7, on the other core
    CHECK(ask(p, {0, 8}) == cta_assignment{1, 8, 1});  // the window still has it
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
    // Each core finishes one and gets another, while its other CTAs go on: here they have one slot each, so give it
    // before.
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

namespace {
/// As swizzled_dispatch, from a list of all CTAs in its order.
struct naive_bands {
    std::uint64_t width = 8;
    std::vector<std::uint64_t> left;
    unsigned last = 0;

    cta_assignment choose(core_rooms rooms) const {
        for (unsigned n = 1; n <= rooms.size() && !left.empty(); ++n)
            if (auto const core = (last + n) % rooms.size(); rooms[core] > 0) return {core, left.front(), 1};
        return {};
    }
    void on(grid_began const& e) {
        left.clear();
        for (std::uint64_t z = 0; z < e.grid_z; ++z)
            for (std::uint64_t band = 0; band < e.grid_x; band += width)
                for (std::uint64_t y = 0; y < e.grid_y; ++y)
                    for (auto x = band; x < std::min(band + width, e.grid_x.get()); ++x)
                        left.push_back(x + e.grid_x * (y + e.grid_y * z));
        last = e.cores - 1;
    }
    void on(cta_dispatched const& e) {
        left.erase(left.begin());
        last = e.core;
    }
};
/// As clustered_dispatch, from a list of what is left of each part.
struct naive_clusters {
    bool by_columns = false;
    std::vector<std::vector<std::uint64_t>> part;
    std::vector<unsigned> running;
    unsigned last = 0;

    std::vector<std::uint64_t> const& longest() const {
        return *std::max_element(part.begin(), part.end(),
                                 [](auto const& a, auto const& b) { return a.size() < b.size(); });
    }
    cta_assignment choose(core_rooms rooms) const {
        for (unsigned n = 1; n <= rooms.size(); ++n)
            if (auto const core = (last + n) % rooms.size(); rooms[core] > 0 && !part[core].empty())
                return {core, part[core].front(), 1};
        for (unsigned n = 1; n <= rooms.size() && !longest().empty(); ++n)
            if (auto const core = (last + n) % rooms.size(); rooms[core] > 0 && running[core] == 0)
                return {core, longest().back(), 1};
        return {};
    }
    void on(grid_began const& e) {
        std::vector<std::uint64_t> all;
        for (std::uint64_t z = 0; z < e.grid_z; ++z)
            for (std::uint64_t a = 0; a < (by_columns ? e.grid_x.get() : e.grid_y); ++a)
                for (std::uint64_t b = 0; b < (by_columns ? e.grid_y : e.grid_x.get()); ++b)
                    all.push_back(by_columns ? a + e.grid_x * (b + e.grid_y * z)
                                             : b + e.grid_x * (a + e.grid_y * z));
        part.assign(e.cores, {});
        running.assign(e.cores, 0);
        for (unsigned core = 0; core < e.cores; ++core)
            for (auto i = all.size() * core / e.cores; i < all.size() * (core + 1) / e.cores; ++i)
                part[core].push_back(all[i]);
        last = e.cores - 1;
    }
    void on(cta_dispatched const& e) {
        for (auto& p : part) p.erase(std::remove(p.begin(), p.end(), e.linear_id), p.end());
        ++running[e.core];
        last = e.core;
    }
    void on(cta_retired const& e) { --running[e.core]; }
};
/// As paver, from tables of what all pairs share; the tree is built edge by edge and walked by recursion.
struct naive_paver {
    paver_options options;
    grid_began grid;
    std::vector<std::vector<std::uint64_t>> groups;
    std::vector<std::vector<std::uint64_t>> own;
    std::uint64_t given = 0;
    unsigned last = 0;

    cta_assignment choose(core_rooms rooms) const {
        for (unsigned n = 1; n <= rooms.size() && given != grid.ctas(); ++n)
            if (auto const core = (last + n) % rooms.size(); rooms[core] > 0) {
                if (!own[core].empty()) return {core, own[core].front(), 1};
                if (!groups.empty()) return {core, groups.front().front(), 1};
                return {core, fullest().back(), 1};
            }
        return {};
    }
    std::vector<std::uint64_t> const& fullest() const {
        return *std::max_element(own.begin(), own.end(),
                                 [](auto const& a, auto const& b) { return a.size() < b.size(); });
    }
    void on(grid_began const& e) {
        grid = e;
        own.assign(e.cores, {});
        given = 0;
        last = e.cores - 1;
        plan();
    }
    void on(cta_dispatched const& e) {
        if (own[e.core].empty() && !groups.empty()) {
            own[e.core] = groups.front();
            groups.erase(groups.begin());
        }
        for (auto& o : own) o.erase(std::remove(o.begin(), o.end(), e.linear_id), o.end());
        last = e.core;
        if (++given % options.graph == 0) plan();
    }
    void plan() {
        block_rectangles const rectangles(grid, {});
        auto const end = std::min<std::uint64_t>(grid.ctas(), given + options.graph);
        std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> weight;
        std::map<std::uint64_t, std::vector<std::uint64_t>> lines;
        for (auto c = given; c < end; ++c) lines[c] = lines_of(rectangles, c);
        for (auto a = given; a < end; ++a)
            for (auto b = given; b < end; ++b) weight[{a, b}] = common_lines(lines[a], lines[b]);
        groups.clear();
        std::vector<std::uint64_t> all;
        for (auto c = given; c < end; ++c) all.push_back(c);
        if (all.empty()) return;
        std::size_t const fit = grid.ctas_per_core;
        if (options.partition == graph_partition::halves) return halve(all, fit, weight);
        if (options.partition == graph_partition::k_way) {
            for (auto const& part : cut(all, weight)) groups.push_back(walked(part, weight));
            return;
        }
        auto const order = walked(all, weight);
        for (std::size_t at = 0; at < order.size();) {
            auto const size = std::min(order.size() - at, groups.size() < grid.cores ? fit : 1);
            auto const first = order.begin() + static_cast<std::ptrdiff_t>(at);
            groups.emplace_back(first, first + static_cast<std::ptrdiff_t>(size));
            at += size;
        }
    }
    template <class Weight>
    static std::vector<std::uint64_t> walked(std::vector<std::uint64_t> const& all, Weight& weight) {
        // Prim: of all edges out of the tree the heaviest, to the lowest CTA, from the one that came first.
        std::vector<std::uint64_t> tree{all[0]};
        std::map<std::uint64_t, std::vector<std::uint64_t>> children;
        std::map<std::uint64_t, std::uint64_t> link;
        while (tree.size() != all.size()) {
            std::uint64_t from = 0, to = 0;
            bool found = false;
            for (auto const v : all) {
                if (std::count(tree.begin(), tree.end(), v) != 0) continue;
                for (auto const t : tree)
                    if (!found || weight[{t, v}] > weight[{from, to}]) {
                        found = true;
                        from = t;
                        to = v;
                    }
            }
            tree.push_back(to);
            children[from].push_back(to);
            link[to] = weight[{from, to}];
        }
        std::vector<std::uint64_t> order;
        auto const walk = [&](auto const& self, std::uint64_t v) -> void {
            order.push_back(v);
            auto below = children[v];
            std::sort(below.begin(), below.end());
            std::stable_sort(below.begin(), below.end(), [&](auto a, auto b) { return link[a] > link[b]; });
            for (auto const c : below) self(self, c);
        };
        walk(walk, all[0]);
        return order;
    }
    /// Parts of equal size; two CTAs change places where less is cut for it.
    template <class Weight>
    std::vector<std::set<std::uint64_t>> grown(std::vector<std::uint64_t> all, Weight& weight) const {
        std::vector<std::set<std::uint64_t>> parts;
        auto const k = std::min<std::size_t>(grid.cores, all.size());
        for (std::size_t p = 0, size = all.size(); p < k; ++p) {
            parts.push_back(gather(all, (size + k - 1 - p) / k, weight));
            for (auto const v : parts.back()) all.erase(std::find(all.begin(), all.end(), v));
        }
        return parts;
    }
    template <class Weight>
    std::vector<std::vector<std::uint64_t>> cut(std::vector<std::uint64_t> const& all, Weight& weight) const {
        auto parts = grown(all, weight);
        auto const part_of = [&](std::uint64_t v) -> std::set<std::uint64_t>& {
            return *std::find_if(parts.begin(), parts.end(), [v](auto const& p) { return p.count(v) != 0; });
        };
        auto const within = [&](std::uint64_t v, std::set<std::uint64_t> const& part) {
            std::uint64_t lines = 0;
            for (auto const u : part) lines += u == v ? 0 : weight[{u, v}];
            return lines;
        };
        for (unsigned pass = 0; pass < 10; ++pass)
            for (auto const v : all) {
                auto best = v;
                std::uint64_t most = 0;
                for (auto const u : all) {
                    auto &mine = part_of(v), &its = part_of(u);
                    if (&mine == &its) continue;
                    auto const before = within(v, mine) + within(u, its);
                    auto const after = within(v, its) + within(u, mine) - 2 * weight[{u, v}];
                    if (after > before && after - before > most) {
                        most = after - before;
                        best = u;
                    }
                }
                if (best == v) continue;
                auto &mine = part_of(v), &its = part_of(best);
                mine.erase(v);
                its.erase(best);
                mine.insert(best);
                its.insert(v);
            }
        std::vector<std::vector<std::uint64_t>> lists;
        for (auto const& p : parts) lists.emplace_back(p.begin(), p.end());
        return lists;
    }
    template <class Weight>
    static std::set<std::uint64_t> gather(std::vector<std::uint64_t> const& all, std::size_t wanted,
                                          Weight& weight) {
        std::set<std::uint64_t> gathered{all[0]};
        while (gathered.size() < wanted) {
            auto best = all.end();
            std::uint64_t most = 0;
            for (auto v = all.begin(); v != all.end(); ++v) {
                if (gathered.count(*v) != 0) continue;
                std::uint64_t shared = 0;
                for (auto const g : gathered) shared += weight[{g, *v}];
                if (best == all.end() || shared > most) {
                    best = v;
                    most = shared;
                }
            }
            gathered.insert(*best);
        }
        return gathered;
    }
    template <class Weight>
    void halve(std::vector<std::uint64_t> const& all, std::size_t fit, Weight& weight) {
        if (all.size() <= fit) {
            groups.push_back(all);
            return;
        }
        auto const gathered = gather(all, (all.size() + 1) / 2, weight);
        std::vector<std::uint64_t> rest;
        for (auto const v : all)
            if (gathered.count(v) == 0) rest.push_back(v);
        halve({gathered.begin(), gathered.end()}, fit, weight);
        halve(rest, fit, weight);
    }
};
/// As capacity_aware, from the list of all steps.
struct naive_capacity {
    capacity_aware_options options;
    std::vector<std::uint64_t> step_of; ///< by CTA
    std::vector<std::set<std::uint64_t>> running;
    std::uint64_t next = 0;
    unsigned last = 0;

    cta_assignment choose(core_rooms rooms) const {
        if (next == step_of.size()) return {};
        bool may = true; // nobody of an earlier step runs
        for (auto const& core : running)
            for (auto const c : core) may = may && step_of[c] >= step_of[next];
        for (unsigned n = 1; n <= rooms.size(); ++n)
            if (auto const core = (last + n) % rooms.size();
                rooms[core] > 0 && (may || running[core].empty()))
                return {core, next, 1};
        return {};
    }
    void on(grid_began const& e) {
        block_rectangles const rectangles(e, {});
        step_of.clear();
        std::uint64_t used = 0, step = 0;
        for (std::uint64_t c = 0; c < e.ctas(); ++c) {
            auto const its = options.set != 0 ? options.set : lines_of(rectangles, c).size();
            if (c != 0 && (used + its) * e.line > options.capacity * 1024) {
                used = 0;
                ++step;
            }
            used += its;
            step_of.push_back(step);
        }
        running.assign(e.cores, {});
        next = 0;
        last = e.cores - 1;
    }
    void on(cta_dispatched const& e) {
        running[e.core].insert(e.linear_id);
        next = e.linear_id + 1;
        last = e.core;
    }
    void on(cta_retired const& e) { running[e.core].erase(e.linear_id); }
};
} // namespace

TEST_CASE("PAVER: CTAs that share are a group of one core; once no group is left, the fullest core gives") {
    // 8 CTAs, of which i and i + 4 read the same line.
    made_up_addresses a(4);
    a.access(a.array(0), {0, 128, 0, 128});
    auto const view = a.view();
    for (auto const partition : {graph_partition::tree, graph_partition::halves}) {
        paver p({.partition = partition});
        notify(grid_of(4, 2, 2, 2, &view), p);
        CHECK(p.note() == nullptr);
        CHECK(ask(p, {2, 2}) == cta_assignment{0, 0, 1});
        give(p, 0, 0);
        CHECK(ask(p, {1, 0}) == cta_assignment{0, 4, 1});
        give(p, 0, 4);
        CHECK(ask(p, {0, 2}) == cta_assignment{1, 1, 1});
        give(p, 1, 1);
        CHECK(ask(p, {0, 1}) == cta_assignment{1, 5, 1});
        CHECK(ask(p, {1, 0}) == cta_assignment{0, 2, 1}); // the next group
        give(p, 0, 2);
        CHECK(ask(p, {1, 0}) == cta_assignment{0, 6, 1});
        give(p, 0, 6);
        give(p, 0, 3);
        give(p, 0, 7);
        CHECK(ask(p, {1, 0}) == cta_assignment{0, 5, 1}); // core 1 has it left
    }
    // K ways, for two cores: four each, in the order of their tree.
    paver parts({.partition = graph_partition::k_way});
    notify(grid_of(4, 2, 2, 2, &view), parts);
    for (std::uint64_t const next : {0U, 4U, 1U, 5U}) {
        CHECK(ask(parts, {1, 0}) == cta_assignment{0, next, 1});
        give(parts, 0, next);
    }
    CHECK(ask(parts, {0, 1}) == cta_assignment{1, 2, 1});
    give(parts, 1, 2);
    CHECK(ask(parts, {1, 1}) ==
          cta_assignment{0, 7, 1}); // core 0 has none left, and takes the last of core 1's
    paver blind;
    notify(grid_of(4, 2, 2, 2), blind);
    CHECK(std::string(blind.note()).find("the order of numbers") != std::string::npos);
    for (std::uint64_t const next : {0U, 1U, 4U, 5U}) {
        CHECK(ask(blind, {2, 0}) == cta_assignment{0, next, 1});
        give(blind, 0, next);
        if (next == 1) { // core 1 takes the group between
            give(blind, 1, 2);
            give(blind, 1, 3);
        }
    }
}

TEST_CASE("capacity-aware: a step of CTAs that fit the shared cache; the next waits until it has finished") {
    capacity_aware p({.capacity = 1, .set = 3}); // 8 lines: two CTAs
    notify(grid_of(5, 1, 2, 4), p);
    CHECK(p.note() == nullptr);
    CHECK(p.step_end() == 2);
    give(p, 0, 0);
    give(p, 1, 1);
    CHECK_FALSE(ask(p, {3, 3}));
    p.on(cta_retired{0, 0, 0});
    CHECK(ask(p, {4, 3}) == cta_assignment{0, 2, 1}); // who is empty begins with the next one
    give(p, 0, 2);
    CHECK_FALSE(ask(p, {3, 3}));
    p.on(cta_retired{1, 1, 0});
    CHECK(p.step_end() == 4);
    CHECK(ask(p, {3, 4}) == cta_assignment{1, 3, 1});
    give(p, 1, 3);
    p.on(cta_retired{1, 3, 0});
    give(p, 1, 4); // the last one, ahead of its step
    p.on(cta_retired{1, 4, 0});
    CHECK(p.step_end() == 4);
    CHECK_FALSE(ask(p, {3, 4}));
    capacity_aware blind;
    notify(grid_of(5, 1, 2, 4), blind);
    CHECK(blind.note() != nullptr);
    CHECK(blind.step_end() == 5);
}

TEST_CASE("rasterisation: bands of columns, row by row") {
    swizzled_dispatch p(2);
    notify(grid_of(5, 2, 1, 8), p);
    for (std::uint64_t const next : {0U, 1U, 5U, 6U, 2U, 3U, 7U, 8U, 4U, 9U}) {
        CHECK(ask(p, {1}) == cta_assignment{0, next, 1});
        give(p, 0, next);
    }
    CHECK_FALSE(ask(p, {1}));
}

TEST_CASE("CTA clustering: each core its own part; who is empty helps where most is left") {
    clustered_dispatch p;
    notify(grid_of(4, 2, 2, 8), p);
    CHECK(ask(p, {1, 1}) == cta_assignment{0, 0, 1});
    CHECK(ask(p, {0, 1}) == cta_assignment{1, 4, 1});
    for (std::uint64_t const cta : {4U, 5U, 6U, 7U}) give(p, 1, cta);
    CHECK_FALSE(ask(p, {0, 4})); // it is not empty
    for (std::uint64_t const cta : {4U, 5U, 6U, 7U}) p.on(cta_retired{1, cta, 0});
    CHECK(ask(p, {0, 4}) == cta_assignment{1, 3, 1});
    for (std::uint64_t const cta : {0U, 1U, 2U, 3U}) {
        give(p, 0, cta);
        p.on(cta_retired{0, cta, 0});
    }
    CHECK_FALSE(ask(p, {4, 4}));         // all have gone out
    for (unsigned const to : {0U, 1U}) { // of parts as large as each other the first
        notify(grid_of(12, 1, 4, 8), p);
        for (std::uint64_t cta = 6; cta < 9; ++cta) {
            give(p, 2, cta);
            p.on(cta_retired{2, cta, 0});
        }
        if (to == 1) give(p, 0, 0);
        CHECK(ask(p, {0, 0, 1, 0}) == cta_assignment{2, to == 0 ? 2U : 5U, 1});
    }
    clustered_dispatch columns(cluster_cut::columns);
    notify(grid_of(4, 2, 2, 8), columns);
    give(columns, 0, 0);
    CHECK(ask(columns, {1, 0}) == cta_assignment{0, 4, 1});
    CHECK(ask(columns, {0, 1}) == cta_assignment{1, 2, 1});
}

TEST_CASE("choices of block keep the laws, and agree with their naive twins") {
    CHECK_NOTHROW(require_cta_choice_laws<round_robin_dispatch>());
    CHECK_NOTHROW(require_choice_agreement({.streams = 3}, round_robin_dispatch(grid_start::next_core),
                                           any_cta_choice(round_robin_dispatch(grid_start::next_core))));
    CHECK_NOTHROW(require_cta_choice_laws<bcs>());
    CHECK_NOTHROW(require_cta_choice_laws<locality_aware_dispatch>({.streams = 6, .grids = 4}));
    CHECK_NOTHROW(require_cta_choice_laws<cta_choice_archetype>({.streams = 2}));
    CHECK_NOTHROW(require_cta_choice_laws<swizzled_dispatch>());
    CHECK_NOTHROW(require_cta_choice_laws<clustered_dispatch>());
    CHECK_NOTHROW(require_cta_choice_laws<paver>({.streams = 4, .grids = 3}));
    CHECK_NOTHROW(require_cta_choice_laws({.streams = 3, .grids = 3},
                                          paver({.partition = graph_partition::halves, .graph = 100})));
    CHECK_NOTHROW(require_cta_choice_laws<capacity_aware>());
    CHECK_NOTHROW(require_cta_choice_laws({.seed = 2}, capacity_aware({.capacity = 4, .set = 5})));
    CHECK_NOTHROW(require_cta_choice_laws({.streams = 3, .grids = 3},
                                          paver({.partition = graph_partition::k_way, .graph = 100})));
    for (unsigned i = 0; i < 6; ++i) {
        naive_paver twin;
        graph_partition const partitions[] = {graph_partition::tree, graph_partition::halves,
                                              graph_partition::k_way};
        twin.options = {partitions[i % 3], i < 3 ? 40U : 75U};
        CHECK_NOTHROW(
            require_choice_agreement({.seed = 40 + i, .streams = 1, .grids = 2}, paver(twin.options), twin));
    }
    for (std::uint64_t i = 0; i < 4; ++i) {
        naive_capacity twin;
        twin.options = {1 + 5 * i, i % 2 == 0 ? 0 : 1 + i};
        CHECK_NOTHROW(require_choice_agreement({.seed = 50 + i, .streams = 3, .grids = 3},
                                               capacity_aware(twin.options), twin));
    }
    CHECK_NOTHROW(
        require_choice_agreement({.seed = 5, .streams = 6}, swizzled_dispatch(3), naive_bands{3, {}, 0}));
    CHECK_NOTHROW(require_choice_agreement({.seed = 6, .streams = 6}, clustered_dispatch(),
                                           naive_clusters{false, {}, {}, 0}));
    CHECK_NOTHROW(require_choice_agreement({.seed = 7, .streams = 6},
                                           clustered_dispatch(cluster_cut::columns),
                                           naive_clusters{true, {}, {}, 0}));
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
        o.rectangles = i == 5 ? rectangle_per::array : rectangle_per::access;
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
