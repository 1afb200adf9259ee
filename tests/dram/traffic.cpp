// Nine kinds of traffic over every standard, with refresh: every rule is kept, nothing is lost, each cycle ticked or
// only those that matter, and the cycles are those of docs/reference/dram.md.
#include "traffic.hpp"

#include <warpkit/dram/bank_queues.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/protocol_checker.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/dram/standards.hpp>
#include <warpkit/dram/wide_bank_set.hpp>

#include "catch.hpp"
#include "drive.hpp"
#include "source_tree.hpp"

#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

using namespace warpkit;
using namespace warpkit::dram;
using namespace warpkit::test;

namespace {

struct all_of_it {
    cycle end = 0;
    std::string wrong;
};

/// The cycle of the last answer, or what is wrong.
template <class Scheduler>
all_of_it serve(standard const& s, std::string_view kind, std::uint32_t count, bool twice = true) {
    auto t = *s.numbers;
    t.refi = s.refi;
    address_mapping const map(s.mapping, 1);
    auto const w = traffic_of(kind, count, map, t);
    channel<Scheduler> skipping(t, {32, 32, 8, {}}, s.bus, {true, write_end::data});
    auto every = skipping;
    protocol_checker checker(t, commands_per_cycle(s.bus));
    protocol_checker second(t, commands_per_cycle(s.bus));
    auto const r = drive(skipping, w.requests, checker, false, w.arrival);
    auto const slow = twice ? drive(every, w.requests, second, true, w.arrival) : r;
    if (checker.broken() != 0) return {r.end, checker.first()};
    if (!(r == slow)) return {r.end, "other commands when ticked every cycle"};
    std::vector<bool> answered(w.requests.size());
    for (auto const& d : r.done) {
        if (answered[d.token]) return {r.end, "a request answered twice"};
        answered[d.token] = true;
    }
    if (r.done.size() != w.requests.size()) return {r.end, "a request lost"};
    auto const& n = skipping.counters();
    if (n.reads + n.writes != w.requests.size()) return {r.end, "counters"};
    if (s.refi != 0 && r.end > 2 * cycle{s.refi} * t.all_ranks() && n.refreshes == 0)
        return {r.end, "no refresh"};
    return {r.end, ""};
}

constexpr std::uint32_t many = 2000;
constexpr char const* heading =
    "| standard | random | write-heavy | write-only | strided | conflicting | ping-pong | "
    "bursts | sparse | small hot set |";

std::string table_row(standard const& s) {
    std::ostringstream row;
    row << "| `" << s.name << "` |";
    for (auto const* kind : kinds_of_traffic) {
        auto const r =
            s.numbers->banks > 64
                ? serve<shared_queue<first_ready, watermark_drain, wide_bank_set<2>>>(s, kind, many, false)
                : serve<shared_queue<first_ready>>(s, kind, many, false);
        INFO(s.name << ", " << kind);
        CHECK(r.wrong == "");
        row << ' ' << r.end << " |";
    }
    return row.str();
}

} // namespace

TEST_CASE("nine kinds of traffic over every standard, and the table of the documentation") {
    std::istringstream page(source_text("docs/reference/dram.md"));
    std::vector<std::string> table;
    for (std::string line; std::getline(page, line);) {
        if (line == heading) {
            table.push_back(line);
            std::getline(page, line); // the rule below the heading
        } else if (!table.empty() && !line.empty() && line[0] == '|') {
            table.push_back(line);
        } else if (!table.empty()) {
            break;
        }
    }
    REQUIRE(table.size() == std::size(standards) + 1);
    for (std::size_t i = 0; i < std::size(standards); ++i) CHECK(table[i + 1] == table_row(standards[i]));
}

TEST_CASE("nine kinds of traffic under each controller, each cycle ticked or only those that matter") {
    for (auto const& s : standards)
        for (auto const* kind : kinds_of_traffic) {
            INFO(s.name << ", " << kind);
            if (s.numbers->banks > 64) {
                CHECK(serve<bank_queues<head_closes<4>, batch_drain, wide_bank_set<2>>>(s, kind, 500).wrong ==
                      "");
                CHECK(serve<basic_fr_fcfs<wide_bank_set<2>>>(s, kind, 500).wrong == "");
            } else {
                CHECK(serve<shared_queue<first_ready>>(s, kind, 500).wrong == "");
                CHECK(serve<bank_queues<>>(s, kind, 500).wrong == "");
                CHECK(serve<fr_fcfs>(s, kind, 500).wrong == "");
            }
        }
}

TEST_CASE("the table of nine kinds of traffic, to be printed", "[.][traffic-table]") {
    std::cout << heading << '\n';
    for (auto const& s : standards) std::cout << table_row(s) << '\n';
}
