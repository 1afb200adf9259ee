// The energy of a channel, against the same sums written by hand and counted cycle by cycle.
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/energy.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/dram/standards.hpp>

#include "catch.hpp"
#include "drive.hpp"

#include <cstring>
#include <string_view>
#include <vector>

using namespace warpkit;
using namespace warpkit::dram;
using namespace warpkit::test;

namespace {
device_currents const& of(std::string_view standard) {
    for (auto const& c : published_currents)
        if (c.standard == standard) return c;
    FAIL("no currents of " << standard);
    return published_currents[0];
}
} // namespace

TEST_CASE("each set of currents has its timing set and its source") {
    for (auto const& c : published_currents) {
        INFO(c.standard);
        bool found = false;
        for (auto const& s : standards) found |= std::strcmp(s.name, c.standard) == 0;
        CHECK(found);
        CHECK(std::strchr(c.source, ':') != nullptr);
        CHECK(c.idd4r > c.idd3n);
        CHECK(c.idd4w > c.idd3n);
        CHECK(c.idd5ab > c.idd3n);
        CHECK(c.idd3n > c.idd2n);
    }
}

TEST_CASE("the energy of a few commands is that of the data sheet's formula") {
    auto const& t = ddr4_dramsim3;
    energy_counter e(t);
    for (auto const& c :
         {command{command_kind::activate, 0, 1, 0, 100}, command{command_kind::read, 0, 1, 0, 122},
          command{command_kind::write, 0, 1, 0, 140}, command{command_kind::precharge, 0, 1, 0, 200}})
        e.on(c);
    auto const& i = of("ddr4_dramsim3");
    auto const sum = e.energy(i, 1000);
    CHECK(e.open_cycles(0, 1000) == 100);
    CHECK(e.open_cycles(1, 1000) == 0);
    double const unit = 1.2 * 0.63 * 8;
    CHECK(sum.activates == Approx(unit * (57 * 74 - 52 * 52 - 37 * 22)));
    CHECK(sum.reads == Approx(unit * (168 - 52) * 4));
    CHECK(sum.writes == Approx(unit * (150 - 52) * 4));
    CHECK(sum.refreshes == 0);
    CHECK(sum.standing == Approx(unit * (52 * 100 + 37 * 900 + 37 * 1000))); // two ranks
    CHECK(sum.total() == Approx(sum.activates + sum.reads + sum.writes + sum.standing));
    e.on({command_kind::refresh, 16, no_row, 0, 1000});
    CHECK(e.energy(i, 2000).refreshes == Approx(unit * 560 * (250 - 52)));
}

TEST_CASE("standing energy is that of a count of every cycle, whatever closes the rows") {
    for (unsigned seed = 0; seed < 10; ++seed) {
        random_numbers random(seed);
        auto t = ddr4_dramsim3;
        t.refi = 12480;
        std::vector<request> requests;
        std::vector<cycle> arrival;
        cycle at = 0;
        for (unsigned n = 0; n < 200; ++n) {
            requests.push_back(read_of(random.below(32), random.below(3)));
            requests.back().write = random.below(3) == 0;
            arrival.push_back(at += random.below(400));
        }
        auto const count = [&](auto page) {
            channel<shared_queue<first_ready>, decltype(page)> c(t, {32, 32, 8, {}}, command_bus::single, {},
                                                                 page);
            protocol_checker checker(t, 1);
            auto const r = drive(c, numbered(requests), checker, false, arrival);
            CHECK(checker.first() == "");
            energy_counter e(t);
            for (auto const& x : r.commands) e.on(x);
            auto const end = r.end + 1000;
            std::vector<std::vector<bool>> open(32, std::vector<bool>(end + 1000));
            std::vector<cycle> since(32, never);
            auto const close = [&](unsigned b, cycle to) {
                if (since[b] == never) return;
                for (auto k = since[b]; k < to; ++k) open[b][k] = true;
                since[b] = never;
            };
            for (auto const& x : r.commands) {
                if (x.kind == command_kind::activate) since[x.bank] = x.at;
                if (x.kind == command_kind::precharge) close(x.bank, x.at);
                if (x.kind == command_kind::precharge_all)
                    for (unsigned b = 0; b < 32; ++b)
                        if (t.rank_of(b) == t.rank_of(x.bank)) close(b, x.at);
                if (x.auto_precharge)
                    close(x.bank, x.at + (x.kind == command_kind::read ? t.rtpa : t.write_to_precharge()));
            }
            for (unsigned b = 0; b < 32; ++b) close(b, end);
            for (unsigned rank = 0; rank < 2; ++rank) {
                cycle cycles = 0;
                for (cycle k = 0; k < end; ++k) {
                    bool any = false;
                    for (unsigned b = 0; b < 16; ++b) any = any || open[rank * 16 + b][k];
                    cycles += any;
                }
                INFO("seed " << seed << ", rank " << rank);
                CHECK(e.open_cycles(rank, end) == cycles);
            }
        };
        count(open_page{});
        count(timeout_page{100});
        count(auto_precharge_page{});
    }
}
