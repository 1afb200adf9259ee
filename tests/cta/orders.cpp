// Orders of CTAs for kernels of today: longest first, along a Hilbert curve, in chunks for the parts of a machine, head
// by head. Each beside a naive twin that makes a list of all CTAs.
#include <warpkit/base/policy_text.hpp>
#include <warpkit/cta/policies.hpp>
#include <warpkit/testing/cta_laws.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace warpkit;
using namespace warpkit::testing;

namespace {

using list = std::vector<std::uint64_t>;

grid_began grid_of(std::uint64_t x, std::uint64_t y, unsigned cores, std::uint64_t z = 1) {
    grid_began e;
    e.grid_x = x;
    e.grid_y = y;
    e.grid_z = z;
    e.cores = cores;
    e.ctas_per_core = 1;
    e.line = 128;
    return e;
}
/// Who gets what, CTA by CTA, while all cores have room.
template <class P>
std::vector<list> given_of(P p, grid_began const& e) {
    notify(e, p);
    std::vector<unsigned> const rooms(e.cores, 1);
    std::vector<list> by_core(e.cores);
    while (auto const a = p.choose({rooms.data(), e.cores})) {
        by_core[a.core].push_back(a.first);
        notify(cta_dispatched{a.core, a.first, 0}, p);
    }
    return by_core;
}
template <class P>
list order_of(P const& p, grid_began e) {
    e.cores = 1;
    return given_of(p, e).front();
}

/// The next of one list, to the next core with room.
struct in_order {
    list left;
    unsigned last = 0;

    cta_assignment choose(core_rooms rooms) const {
        for (unsigned n = 1; n <= rooms.size() && !left.empty(); ++n)
            if (auto const core = (last + n) % rooms.size(); rooms[core] > 0) return {core, left.front(), 1};
        return {};
    }
    void on(cta_dispatched const& e) {
        left.erase(left.begin());
        last = e.core;
    }
};

/// As longest_first, by sorting.
struct naive_longest : in_order {
    bool first = false;
    std::uint64_t heads = 0;

    using in_order::on;
    void on(grid_began const& e) {
        left.clear();
        for (std::uint64_t i = 0; i < e.ctas(); ++i) left.push_back(i);
        std::stable_sort(left.begin(), left.end(), [&](auto a, auto b) {
            auto const section = [&](auto i) { return heads == 0 ? 0 : i / e.grid_x / heads; };
            auto const work = [&](auto i) { return first ? e.grid_x - 1 - i % e.grid_x : i % e.grid_x; };
            return section(a) != section(b) ? section(a) < section(b) : work(a) > work(b);
        });
        last = e.cores - 1;
    }
};

/// As hilbert_dispatch, by the rule of the curve: a left-handed one is, between its steps, a right-handed, two
/// left-handed ones and a right-handed (and the other way round).
struct naive_hilbert : in_order {
    using in_order::on;
    void on(grid_began const& e) {
        left.clear();
        last = e.cores - 1;
        bool const wide = e.grid_x >= e.grid_y;
        std::uint64_t const length = wide ? e.grid_x.get() : e.grid_y, width = wide ? e.grid_y : e.grid_x.get();
        unsigned order = 0;
        while (std::uint64_t{1} << order < width) ++order;
        for (std::uint64_t z = 0; z < e.grid_z; ++z)
            for (std::uint64_t square = 0; square < length; square += std::uint64_t{1} << order) {
                walk w{0, 0, 1, 0, {}};
                w.visit();
                w.curve(order, true);
                for (auto const& [along, across] : w.seen)
                    if (square + along < length && across < width)
                        left.push_back((wide ? square + along + e.grid_x * across
                                             : across + e.grid_x * (square + along)) +
                                       e.grid_x * e.grid_y * z);
            }
    }

private:
    struct walk {
        std::int64_t along, across, step_along, step_across;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;

        void visit() {
            seen.emplace_back(static_cast<std::uint64_t>(along), static_cast<std::uint64_t>(across));
        }
        void step() {
            along += step_along;
            across += step_across;
            visit();
        }
        void turn(bool right) {
            auto const a = step_along;
            step_along = right ? -step_across : step_across;
            step_across = right ? a : -a;
        }
        void curve(unsigned order, bool right) {
            if (order == 0) return;
            turn(right);
            curve(order - 1, !right);
            step();
            turn(!right);
            curve(order - 1, right);
            step();
            curve(order - 1, right);
            turn(!right);
            step();
            curve(order - 1, !right);
            turn(right);
        }
    };
};

/// Lists of the parts of a machine, and one of what is nobody's.
struct in_parts {
    std::vector<list> part;
    list rest;
    unsigned cores = 1;
    unsigned last = 0;

    list const& own(unsigned core) const { return part[core * part.size() / cores]; }
    list const& longest() const {
        return *std::max_element(part.begin(), part.end(),
                                 [](auto const& a, auto const& b) { return a.size() < b.size(); });
    }
    void on(cta_dispatched const& e) {
        for (auto& p : part) p.erase(std::remove(p.begin(), p.end(), e.linear_id), p.end());
        rest.erase(std::remove(rest.begin(), rest.end(), e.linear_id), rest.end());
        last = e.core;
    }
    void begin(grid_began const& e, unsigned parts) {
        part.assign(parts, {});
        rest.clear();
        cores = e.cores;
        last = cores - 1;
    }
    template <class Other>
    cta_assignment next(core_rooms rooms, Other&& other) const {
        for (unsigned n = 1; n <= rooms.size(); ++n) {
            auto const core = (last + n) % rooms.size();
            if (rooms[core] == 0) continue;
            if (!own(core).empty()) return {core, own(core).front(), 1};
            if (!rest.empty()) return {core, rest.front(), 1};
            if (!longest().empty()) return {core, other(longest()), 1};
        }
        return {};
    }
};

struct naive_chiplets : in_parts {
    chiplet_dispatch_options options;

    using in_parts::on;
    void on(grid_began const& e) {
        begin(e, options.parts);
        list all;
        for (std::uint64_t z = 0; z < e.grid_z; ++z)
            for (std::uint64_t band = 0; band < e.grid_y; band += options.window)
                for (std::uint64_t x = 0; x < e.grid_x; ++x)
                    for (auto y = band; y < std::min(band + options.window, e.grid_y); ++y)
                        all.push_back(x + e.grid_x * (y + e.grid_y * z));
        std::size_t at = 0;
        while (all.size() - at >= std::size_t{options.parts} * options.chunk)
            for (auto& p : part)
                for (unsigned i = 0; i < options.chunk; ++i) p.push_back(all[at++]);
        rest.assign(all.begin() + static_cast<std::ptrdiff_t>(at), all.end());
    }
    cta_assignment choose(core_rooms rooms) const {
        return next(rooms, [](list const& l) { return l.front(); });
    }
};

struct naive_heads : in_parts {
    head_first_options options;

    using in_parts::on;
    void on(grid_began const& e) {
        begin(e, options.parts);
        std::vector<list> bundle;
        for (std::uint64_t i = 0; i < e.ctas(); ++i) {
            if (i % (e.grid_x * options.share) == 0) bundle.emplace_back();
            bundle.back().push_back(i);
        }
        for (unsigned p = 0; p < options.parts; ++p)
            for (auto b = bundle.size() * p / options.parts; b < bundle.size() * (p + 1) / options.parts; ++b)
                part[p].insert(part[p].end(), bundle[b].begin(), bundle[b].end());
    }
    cta_assignment choose(core_rooms rooms) const {
        return next(rooms, [](list const& l) { return l.back(); });
    }
};

} // namespace

TEST_CASE("longest first: of each row the last CTA, then the one before; a section of rows after another") {
    CHECK(order_of(longest_first{}, grid_of(3, 2, 1)) == list{2, 5, 1, 4, 0, 3});
    CHECK(order_of(longest_first(longest_end::first), grid_of(3, 2, 1)) == list{0, 3, 1, 4, 2, 5});
    // Rows of all planes count on: three heads of which two make a section.
    CHECK(order_of(longest_first(longest_end::last, 2), grid_of(2, 1, 1, 3)) == list{1, 3, 0, 2, 5, 4});
}

TEST_CASE("longest first: the last CTAs of a causal attention end together") {
    // Two heads of eight CTAs, of 1 to 8 units of work, on four cores that take the next one when they have done.
    auto const longest_core = [](auto policy) {
        notify(grid_of(8, 2, 4), policy);
        std::vector<unsigned> until(4, 0);
        for (unsigned now = 0, given = 0; given < 16; ++now)
            for (unsigned free = 4; free != 0; --free) {
                std::vector<unsigned> rooms(4);
                for (unsigned c = 0; c < 4; ++c) rooms[c] = until[c] <= now;
                auto const a = policy.choose({rooms.data(), 4});
                if (!a) break;
                until[a.core] = now + static_cast<unsigned>(a.first % 8) + 1;
                notify(cta_dispatched{a.core, a.first, now}, policy);
                ++given;
            }
        return *std::max_element(until.begin(), until.end());
    };
    CHECK(longest_core(round_robin_dispatch{}) == 21);
    CHECK(longest_core(longest_first{}) == 18); // of 72 units on four cores
}

TEST_CASE("along a Hilbert curve CTAs that follow each other are neighbours") {
    CHECK(order_of(hilbert_dispatch{}, grid_of(2, 2, 1)) == list{0, 2, 3, 1});
    CHECK(order_of(hilbert_dispatch{}, grid_of(4, 4, 1)) ==
          list{0, 1, 5, 4, 8, 12, 13, 9, 10, 14, 15, 11, 7, 6, 2, 3});
    for (auto const& [x, y] : {std::pair{16U, 16U}, {64U, 8U}, {8U, 64U}, {9U, 1U}, {1U, 5U}}) {
        auto const order = order_of(hilbert_dispatch{}, grid_of(x, y, 1));
        REQUIRE(order.size() == std::size_t{x} * y);
        for (std::size_t i = 1; i < order.size(); ++i) {
            auto const dx = static_cast<int>(order[i] % x) - static_cast<int>(order[i - 1] % x);
            auto const dy = static_cast<int>(order[i] / x) - static_cast<int>(order[i - 1] / x);
            CHECK(dx * dx + dy * dy == 1);
        }
    }
}

TEST_CASE("along a Hilbert curve all CTAs go out once, whatever the grid") {
    for (auto const& [x, y, z] : {std::tuple{5U, 3U, 2U}, {1U, 1U, 1U}, {17U, 33U, 1U}, {100U, 7U, 3U}}) {
        auto order = order_of(hilbert_dispatch{}, grid_of(x, y, 1, z));
        std::sort(order.begin(), order.end());
        list all;
        for (std::uint64_t i = 0; i < std::uint64_t{x} * y * z; ++i) all.push_back(i);
        CHECK(order == all);
    }
}

TEST_CASE("chiplets: chunks of a band of rows to the parts in turn, what is left to whoever has room") {
    // 4 x 3 CTAs in bands of two rows: 0 4 1 5 2 6 3 7 | 8 9 10 11; chunks of three for two parts.
    chiplet_dispatch const p({.parts = 2, .chunk = 3, .window = 2});
    // One core is in the first part, and helps the other.
    CHECK(order_of(p, grid_of(4, 3, 1)) == list{0, 4, 1, 3, 7, 8, 5, 2, 6, 9, 10, 11});
    CHECK(given_of(p, grid_of(4, 3, 2)) == std::vector<list>{{0, 4, 1, 3, 7, 8}, {5, 2, 6, 9, 10, 11}});
    chiplet_dispatch const rest({.parts = 2, .chunk = 5, .window = 2});
    CHECK(given_of(rest, grid_of(4, 3, 2)) == std::vector<list>{{0, 4, 1, 5, 2, 10}, {6, 3, 7, 8, 9, 11}});
    CHECK(chiplet_dispatch({.parts = 0, .chunk = 0, .window = 0}) ==
          chiplet_dispatch({.parts = 1, .chunk = 1, .window = 1}));
}

TEST_CASE("head-first: each part of the machine has heads of its own, those that share keys and values together") {
    head_first const p;
    CHECK(given_of(p, grid_of(2, 4, 2)) == std::vector<list>{{0, 1, 2, 3}, {4, 5, 6, 7}});
    head_first const shared({.parts = 2, .share = 2});
    CHECK(given_of(shared, grid_of(1, 6, 2)) == std::vector<list>{{0, 1, 5}, {2, 3, 4}});
    CHECK(head_first({.parts = 0, .share = 0}) == head_first({.parts = 1, .share = 1}));
}

TEST_CASE("orders of today: names and parameters") {
    CHECK(policy_with<longest_first>("longest_first:longest=first:heads=8") ==
          longest_first(longest_end::first, 8));
    CHECK(policy_with<chiplet_dispatch>("chiplet_dispatch:parts=8:window=4") ==
          chiplet_dispatch({.parts = 8, .chunk = 64, .window = 4}));
    CHECK(policy_with<head_first>("head_first:share=4") == head_first({.parts = 2, .share = 4}));
}

TEST_CASE("orders of today keep the laws, and agree with their twins") {
    CHECK_NOTHROW(require_cta_choice_laws<longest_first>());
    CHECK_NOTHROW(require_cta_choice_laws<hilbert_dispatch>());
    CHECK_NOTHROW(require_cta_choice_laws<chiplet_dispatch>());
    CHECK_NOTHROW(require_cta_choice_laws<head_first>());
    for (unsigned i = 0; i < 4; ++i) {
        naive_longest longest;
        longest.first = i % 2 != 0;
        longest.heads = 3 * i;
        CHECK_NOTHROW(require_choice_agreement(
            {.seed = 10 + i, .streams = 3},
            longest_first(longest.first ? longest_end::first : longest_end::last, 3 * i), longest));
        naive_chiplets chiplets;
        chiplets.options = {1 + i, 1 + 5 * i, 8 - 2 * i};
        CHECK_NOTHROW(require_choice_agreement({.seed = 20 + i, .streams = 3},
                                               chiplet_dispatch(chiplets.options), chiplets));
        naive_heads heads;
        heads.options = {1 + 2 * i, 1 + i};
        CHECK_NOTHROW(
            require_choice_agreement({.seed = 30 + i, .streams = 3}, head_first(heads.options), heads));
    }
    CHECK_NOTHROW(require_choice_agreement<hilbert_dispatch, naive_hilbert>({.seed = 40, .streams = 8}));
}
