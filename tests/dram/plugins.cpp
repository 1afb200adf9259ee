// Controller plug-ins: what they ask for is sent once, by the rules of the table, and they ask for what their naive
// twins ask for.
#include <warpkit/dram/activates_owed.hpp>
#include <warpkit/dram/bank_queues.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/graphene.hpp>
#include <warpkit/dram/para.hpp>
#include <warpkit/dram/per_row_counting.hpp>
#include <warpkit/dram/protocol_checker.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/dram/standards.hpp>

#include "catch.hpp"
#include "drive.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

using namespace warpkit;
using namespace warpkit::dram;
using namespace warpkit::test;

static_assert(std::is_empty_v<no_plugin> && controller_plugin<no_plugin>);

namespace {

constexpr auto victims = command_kind::refresh_victims;
constexpr auto management = command_kind::refresh_management;

/// A few rows of a few banks, opened again and again, and some others.
std::vector<request> hammering(timing const& t, unsigned seed, unsigned count) {
    random_numbers random(seed);
    std::vector<request> v;
    for (unsigned i = 0; i < count; ++i) {
        bool const hot = random.below(4) != 0;
        auto const bank = hot ? random.below(2) * (t.banks - 1) : random.below(t.banks);
        auto const row = hot ? random.below(4) : random.below(60);
        v.push_back(read_of(bank, row, random.below(8) * t.atom_bytes()));
        v.back().write = random.below(4) == 0;
    }
    return numbered(v);
}

timing ddr5(bool refreshed) {
    auto t = ddr5_ramulator;
    t.ranks = 2;
    t.banks = 64;
    if (refreshed) t.refi = 9375;
    t.check();
    return t;
}

/// Under the checker, each cycle ticked and only those that matter; the commands.
template <class Scheduler, class Plugin>
std::vector<command> commands_of(Plugin const& plugin, timing const& t, unsigned seed) {
    INFO(Plugin::name() << ", seed " << seed);
    auto const requests = hammering(t, seed, 1500);
    using controller = channel<Scheduler, open_page, no_memory_prefetch, Plugin>;
    controller skipping(t, {16, 16, 4, {}}, command_bus::single, {}, {}, {}, plugin);
    auto every = skipping;
    protocol_checker checker(t, 1);
    protocol_checker second(t, 1);
    auto const r = drive(skipping, requests, checker);
    auto const slow = drive(every, requests, second, true);
    CHECK(checker.first() == "");
    CHECK(second.first() == "");
    CHECK(r == slow);
    CHECK(skipping.plugin() == every.plugin());
    CHECK(hash_of(skipping.plugin()) == hash_of(every.plugin()));
    REQUIRE(r.done.size() == requests.size());
    return r.commands;
}

std::uint64_t count_of(std::vector<command> const& commands, command_kind k) {
    return static_cast<std::uint64_t>(
        std::count_if(commands.begin(), commands.end(), [k](auto const& c) { return c.kind == k; }));
}

/// The orders that a plug-in's twin wants after these commands are the ones that were sent, but for the last few, which
/// may wait still when the last request is done.
void sent_as_wanted(std::vector<command> const& commands, std::vector<command> const& wanted,
                    command_kind k) {
    std::vector<command> sent;
    for (auto const& c : commands)
        if (c.kind == k) sent.push_back(c);
    REQUIRE(sent.size() <= wanted.size());
    CHECK(sent.size() + 16 >= wanted.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
        CHECK(sent[i].bank == wanted[i].bank);
        CHECK(sent[i].row == wanted[i].row);
        CHECK(sent[i].at > wanted[i].at);
    }
}

/// Graphene with a map of all rows: the same table, looked up by name.
std::vector<command> wanted_by_graphene(std::vector<command> const& commands, graphene const& g) {
    struct bank_table {
        std::vector<std::pair<std::uint32_t, std::uint32_t>>
            rows; // row and estimate, in the order of the table
        std::uint32_t spilled = 0;
    };
    std::map<unsigned, bank_table> banks;
    std::vector<command> wanted;
    cycle period = 0;
    for (auto const& c : commands) {
        if (c.kind != command_kind::activate) continue;
        if (c.at / g.window != period) {
            period = c.at / g.window;
            banks.clear();
        }
        auto& b = banks[c.bank];
        b.rows.resize(g.entries, {no_row, 0});
        auto row =
            std::find_if(b.rows.begin(), b.rows.end(), [&](auto const& r) { return r.first == c.row; });
        if (row == b.rows.end()) {
            row = std::find_if(b.rows.begin(), b.rows.end(),
                               [&](auto const& r) { return r.second == b.spilled; });
            if (row == b.rows.end()) {
                ++b.spilled;
                continue;
            }
            row->first = c.row;
        }
        if (++row->second % g.threshold == 0) wanted.push_back(c);
    }
    return wanted;
}

} // namespace

TEST_CASE("PARA answers a fraction of the activates, and the same ones each time") {
    para p;
    p.per_million = 50'000;
    auto const t = ddr5(true);
    std::uint64_t activates = 0;
    std::uint64_t answers = 0;
    for (unsigned seed = 0; seed < 6; ++seed) {
        auto const c = commands_of<shared_queue<first_ready>>(p, t, seed);
        CHECK(c == commands_of<shared_queue<first_ready>>(p, t, seed));
        activates += count_of(c, command_kind::activate);
        answers += count_of(c, victims);
        for (std::size_t i = 0; i < c.size(); ++i) {
            if (c[i].kind != victims) continue;
            // It answers an activate of this row, and is one row's cycle long.
            CHECK(std::any_of(c.begin(), c.begin() + static_cast<std::ptrdiff_t>(i), [&](auto const& a) {
                return a.kind == command_kind::activate && a.bank == c[i].bank && a.row == c[i].row;
            }));
            for (auto j = i + 1; j < c.size(); ++j)
                if (c[j].kind == command_kind::activate && c[j].bank == c[i].bank) {
                    CHECK(c[j].at + t.act_cycles - 1 >= c[i].at + t.rc);
                    break;
                }
        }
    }
    CHECK(activates > 1000);
    CHECK(answers > activates / 40);
    CHECK(answers < activates / 10);
    p.per_million = 0;
    CHECK(count_of(commands_of<fr_fcfs>(p, t, 1), victims) == 0);
}

TEST_CASE("Graphene asks for what its twin asks for, and misses no row that is opened too often") {
    graphene g;
    g.threshold = 6;
    g.entries = 3;
    g.window = 40'000;
    for (unsigned seed = 0; seed < 4; ++seed) {
        auto const t = ddr5(seed % 2 != 0);
        auto const c = commands_of<bank_queues<>>(g, t, seed);
        auto const wanted = wanted_by_graphene(c, g);
        CHECK(wanted.size() > 20);
        sent_as_wanted(c, wanted, victims);
    }
    // With entries for all that a window has room for, no row's activates pass the threshold unseen.
    g.entries = g.window / ddr5_ramulator.rc / g.threshold;
    auto const c = commands_of<bank_queues<>>(g, ddr5(false), 9);
    std::map<std::pair<unsigned, std::uint32_t>, std::uint32_t> opened;
    for (auto const& w : wanted_by_graphene(c, g)) --opened[{w.bank, w.row}];
    std::map<std::pair<unsigned, std::uint32_t>, std::uint32_t> total;
    for (auto const& a : c)
        if (a.kind == command_kind::activate && a.at < g.window) ++total[{a.bank, a.row}];
    for (auto const& [row, n] : total)
        if (n >= g.threshold) CHECK(opened.count(row) != 0);
}

TEST_CASE("refresh management: no bank owes more than it asked for and what was under way") {
    activates_owed a;
    a.initial = 20;
    for (unsigned seed = 0; seed < 4; ++seed) {
        auto t = ddr5(seed % 2 != 0);
        if (seed == 2) t.refipb = 1200;
        auto const c = commands_of<shared_queue<oldest_ready>>(a, t, seed);
        CHECK(count_of(c, management) > 3);
        std::vector<std::int64_t> owed(t.banks);
        for (auto const& x : c) {
            if (x.kind == command_kind::activate) CHECK(++owed[x.bank] < 4 * a.initial);
            for (unsigned b = 0; b < t.banks; ++b) {
                bool const all = (x.kind == management || x.kind == command_kind::refresh) &&
                                 t.rank_of(b) == t.rank_of(x.bank);
                bool const some = x.kind == command_kind::refresh_same_bank &&
                                  t.rank_of(b) == t.rank_of(x.bank) &&
                                  t.place_in_group(b) == t.place_in_group(x.bank);
                if (!all && !some) continue;
                // Refresh management comes only where a bank of the rank owes it.
                owed[b] = std::max<std::int64_t>(owed[b] - a.initial, 0);
            }
        }
        // Without it, banks of this traffic owe far more.
        CHECK(count_of(c, command_kind::activate) > 10 * a.initial);
    }
    auto t = ddr5_ramulator;
    t.rfm = 0;
    CHECK_THROWS_WITH((channel<fr_fcfs, open_page, no_memory_prefetch, activates_owed>(t, 8)),
                      Catch::Contains("rfm = 0"));
}

TEST_CASE("per-row counting: a row that was opened too often is taken care of, its count begins anew") {
    per_row_counting p;
    p.back_off = 12;
    p.answers = 2;
    p.rows = 64;
    for (unsigned seed = 0; seed < 4; ++seed) {
        auto const t = ddr5(seed % 2 != 0);
        auto const c = commands_of<fr_fcfs>(p, t, seed);
        std::map<std::pair<unsigned, std::uint32_t>, unsigned> count;
        std::map<unsigned, std::uint32_t> tracked; // by bank
        std::vector<unsigned> owed(2), alerts(2), answers(2);
        for (auto const& x : c) {
            auto const rank = t.rank_of(x.bank);
            if (x.kind == command_kind::activate) {
                auto const n = ++count[{x.bank, x.row}];
                if (!tracked.count(x.bank) || n > count[{x.bank, tracked[x.bank]}]) tracked[x.bank] = x.row;
                if (n >= p.back_off && owed[rank] == 0) {
                    ++alerts[rank];
                    owed[rank] = p.answers;
                }
                CHECK(n < 3 * p.back_off);
            } else if (x.kind == management) {
                REQUIRE(owed[rank] != 0); // nobody asked
                --owed[rank];
                ++answers[rank];
                for (unsigned b = 0; b < t.banks; ++b)
                    if (t.rank_of(b) == rank && tracked.count(b)) {
                        count[{b, tracked[b]}] = 0;
                        tracked.erase(b);
                    }
            }
        }
        for (unsigned r = 0; r < 2; ++r) CHECK(answers[r] + owed[r] == p.answers * alerts[r]);
        CHECK(alerts[0] + alerts[1] > 3);
    }
}

TEST_CASE("what plug-ins cost in hardware, and what they refuse") {
    controller_shape const s{16, 64, 15};
    CHECK(para::hardware_cost(s).total_bits() == 64);
    CHECK(graphene::hardware_cost(s).total_bits() ==
          16 * (81 * (16 + 14 + 1) + 14)); // section V-A: 31 bits an entry
    CHECK(activates_owed::hardware_cost(s).total_bits() == 16 * 8);
    CHECK(per_row_counting::hardware_cost(s).total_bits() == 3);
    para p;
    p.per_million = 1'000'001;
    CHECK_THROWS_WITH(p.attach(ddr5_ramulator), Catch::EndsWith("nearest legal value: 1000000"));
    graphene g;
    g.entries = 0;
    CHECK_THROWS_WITH(g.attach(ddr5_ramulator), Catch::Contains("graphene: entries = 0"));
}
