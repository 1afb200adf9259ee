// The checker itself: for every rule, the earliest legal command passes and one cycle earlier is caught.
#include <warpkit/dram/protocol_checker.hpp>
#include <warpkit/dram/standards.hpp>
#include <warpkit/dram/switchable_observer.hpp>

#include "catch.hpp"

using namespace warpkit;
using namespace warpkit::dram;

namespace {

constexpr auto activate = command_kind::activate;
constexpr auto precharge = command_kind::precharge;
constexpr auto read_ = command_kind::read;
constexpr auto write_ = command_kind::write;

command at(cycle c, command_kind k, unsigned bank, unsigned row = 1) {
    return {k, static_cast<std::uint16_t>(bank), row, 0, c};
}

/// What the checker says of `before` and then `last`, `early` cycles before its time.
std::string verdict(timing const& t, std::vector<command> const& before, command last, unsigned early) {
    protocol_checker checker(t, 2);
    for (auto const& c : before) checker.on(c);
    REQUIRE(checker.first() == "");
    last.at -= early;
    checker.on(last);
    return checker.first();
}

void earliest(timing const& t, std::vector<command> const& before, command last, char const* rule) {
    INFO(rule);
    CHECK(verdict(t, before, last, 0) == "");
    CHECK_THAT(verdict(t, before, last, 1), Catch::StartsWith(std::string(rule) + ":"));
}

} // namespace

TEST_CASE("the protocol checker knows every rule of the table") {
    // Each number is made the binding one where a smaller one hides it.
    auto t = gddr5_gtx480;
    earliest(t, {at(0, activate, 0)}, at(6, activate, 1), "tRRD");
    earliest(t, {at(0, activate, 0)}, at(12, read_, 0), "tRCD");
    earliest(t, {at(0, activate, 0)}, at(7, write_, 0), "tRCDWR");
    earliest(t, {at(0, activate, 0)}, at(28, precharge, 0), "tRAS");
    earliest(t, {at(0, activate, 0), at(30, precharge, 0)}, at(42, activate, 0), "tRP");
    t.rc = 50;
    earliest(t, {at(0, activate, 0), at(28, precharge, 0)}, at(50, activate, 0), "tRC");
    t = gddr5_gtx480;
    earliest(t, {at(0, activate, 0), at(6, activate, 1), at(30, read_, 0)}, at(32, read_, 1), "tCCD");
    earliest(t, {at(0, activate, 0), at(6, activate, 4), at(30, read_, 0)}, at(33, read_, 4), "tCCDL");
    earliest(t, {at(0, activate, 0), at(30, write_, 0)}, at(30 + 4 + 2 + 5, read_, 0), "tWTR");
    earliest(t, {at(0, activate, 0), at(30, read_, 0)}, at(30 + 12 + 2 + 2 - 4, write_, 0), "tRTW");
    earliest(t, {at(0, activate, 0), at(30, write_, 0)}, at(30 + 4 + 2 + 12, precharge, 0), "tWTP");
    t.rtp = 5;
    earliest(t, {at(0, activate, 0), at(30, read_, 0)}, at(35, precharge, 0), "tRTP");
    t = gddr5_gtx480;
    t.rtpl = 6;
    earliest(t, {at(0, activate, 0), at(6, activate, 4), at(40, read_, 0)}, at(46, precharge, 4), "tRTPL");
    t = gddr5_gtx480;
    t.ccd = 1;
    t.ccdl = 1;
    earliest(t, {at(0, activate, 0), at(30, read_, 0)}, at(32, read_, 0), "data bus used twice");
}

TEST_CASE("the protocol checker knows rows, buses and banks") {
    auto const& t = gddr5_gtx480;
    auto const says = [&](std::vector<command> const& before, command last) {
        return verdict(t, before, last, 0);
    };
    CHECK_THAT(says({at(0, activate, 0)}, at(60, activate, 0)),
               Catch::StartsWith("activate of an open bank"));
    CHECK_THAT(says({}, at(60, precharge, 0)), Catch::StartsWith("precharge of a row that is not open"));
    CHECK_THAT(says({}, at(60, read_, 0)), Catch::StartsWith("column command to a row that is not open"));
    CHECK_THAT(says({at(0, activate, 0, 1)}, at(60, write_, 0, 2)),
               Catch::StartsWith("column command to a row"));
    CHECK_THAT(says({at(0, activate, 0), at(40, precharge, 0)}, at(60, read_, 0)),
               Catch::StartsWith("column command"));
    CHECK_THAT(says({at(9, activate, 0)}, at(8, activate, 1)), Catch::StartsWith("time runs backwards"));
    CHECK_THAT(says({at(0, activate, 0), at(6, activate, 1), at(60, precharge, 0)}, at(60, precharge, 1)),
               Catch::StartsWith("two commands of one kind"));
    CHECK_THAT(says({}, at(0, activate, 16)), Catch::StartsWith("no such bank"));

    protocol_checker single(t, 1);
    single.on(at(0, activate, 0));
    single.on(at(12, activate, 1));
    single.on(at(12, read_, 0));
    CHECK_THAT(single.first(), Catch::StartsWith("command bus used twice"));
}

TEST_CASE("the protocol checker knows windows, groups, turns and refresh") {
    constexpr auto refresh = command_kind::refresh;
    constexpr auto refresh_bank = command_kind::refresh_bank;
    constexpr auto precharge_all = command_kind::precharge_all;
    auto t = gddr5_gtx480;
    t.rrdl = 9;
    earliest(t, {at(0, activate, 0)}, at(9, activate, 4), "tRRDL");
    t = gddr5_gtx480;
    t.faw = 40;
    std::vector<command> four{at(0, activate, 0), at(6, activate, 1), at(12, activate, 2),
                              at(18, activate, 3)};
    earliest(t, four, at(40, activate, 4), "tFAW");
    t = gddr5_gtx480;
    t.banks = 64;
    t.aw32 = 300;
    std::vector<command> many;
    for (unsigned i = 0; i < 32; ++i) many.push_back(at(6 * i, activate, i));
    earliest(t, many, at(300, activate, 40), "the window of 32 activates");
    t = gddr5_gtx480;
    t.cdlrl = 9;
    earliest(t, {at(0, activate, 0), at(6, activate, 4), at(30, write_, 0)}, at(30 + 4 + 2 + 9, read_, 4),
             "tWTRL");
    t = gddr5_gtx480;
    t.rtw = 20;
    earliest(t, {at(0, activate, 0), at(30, read_, 0)}, at(50, write_, 0), "tRTW");
    t = gddr5_gtx480;
    t.ppd = 3;
    earliest(t, {at(0, activate, 0), at(6, activate, 1), at(60, precharge, 0)}, at(63, precharge, 1), "tPPD");
    t = gddr5_gtx480;
    t.act_cycles = 3; // counts from its last cycle on, and holds the row bus
    earliest(t, {at(0, activate, 0)}, at(2 + 12, read_, 0), "tRCD");
    CHECK_THAT(verdict(t, {at(0, activate, 0), at(6, activate, 1)}, at(8, activate, 2), 0),
               Catch::StartsWith("row bus held by an activate"));

    t = gddr5_gtx480;
    t.refi = 4000;
    t.rfc = 100;
    earliest(t, {at(0, activate, 0), at(60, precharge_all, 0)}, at(72, refresh, 0), "tRP");
    earliest(t, {at(500, refresh, 0)}, at(600, activate, 3), "tRFC");
    CHECK_THAT(verdict(t, {at(0, activate, 0)}, at(60, refresh, 0), 0),
               Catch::StartsWith("refresh of an open bank"));
    CHECK(verdict(t, {}, at(36'000, refresh, 0), 0) == "");
    CHECK_THAT(verdict(t, {}, at(36'001, refresh, 0), 0), Catch::StartsWith("refresh more than 9 tREFI"));
    CHECK_THAT(verdict(gddr5_gtx480, {}, at(60, refresh, 0), 0), Catch::StartsWith("refresh without tREFI"));
    t = gddr5_gtx480;
    t.refipb = 300;
    t.rfcpb = 80;
    t.rrefd = 10;
    earliest(t, {at(50, refresh_bank, 2)}, at(130, activate, 2), "tRFCpb");
    earliest(t, {at(50, refresh_bank, 2)}, at(60, activate, 3), "tRREFD");
    earliest(t, {at(50, activate, 2)}, at(56, refresh_bank, 3), "tRRD");

    // ranks: windows and precharges of their own, one data bus
    t = gddr5_gtx480;
    t.ranks = 2;
    t.rtrs = 3;
    t.ppd = 5;
    t.faw = 40;
    CHECK(verdict(t, {at(0, activate, 0)}, at(1, activate, 8), 0) == "");
    CHECK(verdict(t, four, at(24, activate, 8), 0) == "");
    std::vector<command> const both{at(0, activate, 0), at(1, activate, 8)};
    auto const behind = [&](command const& c) {
        auto v = both;
        v.push_back(c);
        return v;
    };
    earliest(t, behind(at(30, read_, 0)), at(30 + 2 + 3, read_, 8), "tRTRS");
    earliest(t, behind(at(30, read_, 0)), at(30 + 12 + 2 + 3 - 4, write_, 8), "tRTRS");
    earliest(t, behind(at(30, write_, 0)), at(30 + 2, write_, 8), "tRTRS");
    CHECK(verdict(t, behind(at(60, precharge, 0)), at(61, precharge, 8), 0) == "");
    // stacks
    t = gddr5_gtx480;
    t.groups_by_low_bits = false;
    t.stacks = 2;
    t.ccdr = 7;
    earliest(t, {at(0, activate, 0), at(6, activate, 8), at(30, read_, 0)}, at(37, read_, 8), "tCCDR");
    CHECK(verdict(t, {at(0, activate, 0), at(6, activate, 4), at(30, read_, 0)}, at(32, read_, 4), 0) == "");
    // column commands of two cycles count from the second and hold their bus
    t = gddr5_gtx480;
    t.column_cycles = 2;
    earliest(t, {at(0, activate, 0)}, at(11, read_, 0), "tRCD");
    t.rtp = 5;
    earliest(t, {at(0, activate, 0), at(30, read_, 0)}, at(36, precharge, 0), "tRTP");
    protocol_checker one(t, 1);
    for (auto const& c : {at(0, activate, 0), at(30, read_, 0), at(31, activate, 1)}) one.on(c);
    CHECK_THAT(one.first(), Catch::StartsWith("bus held by a column command"));
    t.ccd = 1;
    t.pseudo_channels = 2;
    CHECK_THAT(verdict(t, {at(0, activate, 0), at(1, activate, 8), at(30, read_, 0)}, at(31, read_, 8), 0),
               Catch::StartsWith("bus held by a column command"));
    t = gddr5_gtx480;
    t.ccdlwr = 9;
    earliest(t, {at(0, activate, 0), at(6, activate, 4), at(30, write_, 0)}, at(39, write_, 4), "tCCDL");
    earliest(t, {at(0, activate, 0), at(6, activate, 4), at(30, read_, 0)}, at(33, read_, 4), "tCCDL");
    // one bank of every group
    constexpr auto same_bank = command_kind::refresh_same_bank;
    t = gddr5_gtx480; // four groups by the low bits
    t.same_bank = 1;
    t.refipb = 300;
    t.rfcpb = 80;
    t.rrefd = 10;
    earliest(t, {at(50, same_bank, 4)}, at(130, activate, 7), "tRFCpb");
    earliest(t, {at(50, same_bank, 4)}, at(60, activate, 3), "tRREFD");
    earliest(t, {at(50, same_bank, 4)}, at(130, same_bank, 4), "tRFCpb");
    CHECK_THAT(verdict(t, {at(0, activate, 6)}, at(60, same_bank, 4), 0),
               Catch::StartsWith("refresh of an open bank"));
    CHECK(verdict(t, {at(0, activate, 8)}, at(60, same_bank, 4), 0) == "");
    CHECK_THAT(verdict(t, {}, at(60, refresh_bank, 4), 0), Catch::StartsWith("bank refresh without"));
    // what plug-ins ask for
    constexpr auto management = command_kind::refresh_management;
    constexpr auto victims = command_kind::refresh_victims;
    t = gddr5_gtx480;
    CHECK_THAT(verdict(t, {}, at(60, management, 0), 0),
               Catch::StartsWith("refresh management without tRFM"));
    t.rfm = 70;
    t.ranks = 2;
    earliest(t, {at(50, management, 0)}, at(120, activate, 7), "tRFM");
    CHECK(verdict(t, {at(50, management, 0)}, at(51, activate, 8), 0) == "");
    earliest(t, {at(50, victims, 2)}, at(90, activate, 2), "tRC of a victim");
    CHECK_THAT(verdict(t, {at(0, activate, 2)}, at(60, victims, 2), 0),
               Catch::StartsWith("refresh of an open bank"));

    auto closing = at(30, read_, 0);
    closing.auto_precharge = true;
    earliest(gddr5_gtx480, {at(0, activate, 0), closing}, at(30 + 2 + 12, activate, 0),
             "tRP behind an auto-precharge");
    // two pseudo-channels know nothing of each other but the bus
    t = gddr5_gtx480;
    t.pseudo_channels = 2;
    CHECK(verdict(t, {at(0, activate, 0)}, at(1, activate, 8), 0) == "");
    CHECK(verdict(t, {at(0, activate, 0), at(1, activate, 8), at(30, read_, 0)}, at(31, read_, 8), 0) == "");
}

TEST_CASE("a protocol checker that is switched off hears nothing; on, it is the same one") {
    switchable_observer off(gddr5_gtx480, 2, false, false);
    switchable_observer on(gddr5_gtx480, 2, true, false);
    protocol_checker plain(gddr5_gtx480, 2);
    for (auto const& c : {at(0, activate, 0), at(1, read_, 0)}) {
        off.on(c);
        on.on(c);
        plain.on(c);
    }
    CHECK(off.seen() == 0);
    CHECK(off.broken() == 0);
    CHECK(on.seen() == 2);
    CHECK(on.broken() == 1);
    CHECK(on.first() == plain.first());
}
