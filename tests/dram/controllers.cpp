// The command schedulers: orders, write drains, pages and refresh, under the protocol checker.
#include <warpkit/base/policy_text.hpp>
#include <warpkit/dram/bank_queues.hpp>
#include <warpkit/dram/channel.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/shared_queue.hpp>
#include <warpkit/dram/standards.hpp>
#include <warpkit/dram/wide_bank_set.hpp>

#include "catch.hpp"
#include "drive.hpp"
#include "modern_timing.hpp"
#include "naive_controllers.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

using namespace warpkit;
using namespace warpkit::dram;
using namespace warpkit::test;

static_assert(command_scheduler<shared_queue<oldest_ready>> &&
              !request_scheduler<shared_queue<oldest_ready>>);
static_assert(command_scheduler<bank_queues<>> && command_scheduler<one_per_bank<fr_fcfs>>);
static_assert(regular_state<channel<shared_queue<first_ready>, timeout_page>>);
static_assert(!std::is_polymorphic_v<channel<bank_queues<>>>);

namespace {

/// Timings with every rule switched on or off at random.
timing any_timing(random_numbers& random, std::uint32_t more_banks = 0) {
    auto const up_to = [&](std::uint32_t low, std::uint32_t high) {
        return low + random.below(high - low + 1);
    };
    timing t;
    t.banks = 1u << (up_to(2, 5) + more_banks);
    t.pseudo_channels = 1u << random.below(2);
    t.bank_groups = 1u << random.below(2);
    t.groups_by_low_bits = random.below(2) != 0;
    t.data_rate = 1u << random.below(3);
    t.burst_length = t.data_rate * up_to(1, 4);
    t.ccd = t.burst_cycles() + random.below(2);
    t.ccdl = t.bank_groups > 1 ? t.ccd + random.below(3) : 0;
    t.rrd = up_to(2, 10);
    t.rrdl = random.below(2) * (t.rrd + random.below(4));
    t.faw = random.below(2) * (4 * t.rrd + random.below(20));
    t.aw32 = random.below(2) * (t.faw * 8 + 32 * t.rrd + random.below(50));
    t.act_cycles = up_to(1, 2);
    t.rcd = up_to(2, 24);
    t.rcdwr = up_to(1, t.rcd);
    t.rp = up_to(2, 24);
    t.ras = t.rcd + random.below(30);
    t.rc = t.ras + t.rp + random.below(6);
    t.cl = up_to(1, 24);
    t.wl = up_to(1, std::min(t.cl + t.burst_cycles() + 1, 24u));
    t.rtw = random.below(2) * (t.cl + t.burst_cycles() + random.below(5));
    t.cdlr = random.below(12);
    t.cdlrl = random.below(2) * (t.cdlr + random.below(4));
    t.wr = random.below(24);
    t.rtp = up_to(1, 8);
    t.rtpl = random.below(8);
    t.rtpa = random.below(2) * up_to(1, 10);
    t.ppd = random.below(6);
    t.rfc = up_to(20, 200);
    t.rfcpb = up_to(20, 100);
    t.rrefd = random.below(12);
    if (random.below(2) != 0) t = modern(t, random, 1U << random.below(3));
    auto const close = t.ras + t.rp + t.cl + t.write_to_precharge();
    if (auto const dice = random.below(3); dice == 1)
        t.refi = t.all_ranks() * (t.rfc + close) + random.below(2000);
    else if (dice == 2)
        t.refipb = close + random.below(300);
    t.check();
    return t;
}

std::vector<request> any_requests(random_numbers& random, timing const& t, unsigned count) {
    std::vector<request> v;
    unsigned const rows = 1 + random.below(5);
    unsigned const columns = 1 + random.below(16);
    unsigned const writes = random.below(101);
    unsigned const longest = 1 + random.below(3);
    for (unsigned i = 0; i < count; ++i) {
        auto const bank = random.below(t.banks);
        auto const row = random.below(rows);
        auto const column = random.below(columns) * t.atom_bytes();
        auto r = read_of(bank, row, column, 1 + random.below(longest));
        r.write = random.below(100) < writes;
        v.push_back(r);
    }
    return numbered(v);
}

/// None, half of the time: all at once.
std::vector<cycle> any_arrivals(random_numbers& random, std::size_t count) {
    std::vector<cycle> arrival;
    if (random.below(2) == 0) return arrival;
    cycle at = 0;
    auto const gap = 1 + random.below(60);
    for (std::size_t i = 0; i < count; ++i) arrival.push_back(at += random.below(gap));
    return arrival;
}

/// What went wrong, or nothing.
template <class Scheduler, class Page = open_page>
std::string torture(unsigned seed) {
    random_numbers random(seed);
    auto const t = any_timing(random, most_banks<bank_set_of<Scheduler>> == 64    ? 0
                                      : most_banks<bank_set_of<Scheduler>> == 128 ? 2
                                                                                  : 3);
    auto const bus = random.below(2) != 0 ? command_bus::dual : command_bus::single;
    auto const requests = any_requests(random, t, 250);
    auto const arrival = any_arrivals(random, requests.size());
    queue_sizes const sizes{1 + random.below(40), 1 + random.below(40), 1 + random.below(8), {}};
    answer_times const answers{random.below(2) != 0, static_cast<write_end>(random.below(3))};
    using controller = channel<Scheduler, Page>;

    controller skipping(t, sizes, bus, answers);
    controller every = skipping;
    protocol_checker checker(t, commands_per_cycle(bus));
    protocol_checker second(t, commands_per_cycle(bus));
    auto const r = drive(skipping, requests, checker, false, arrival);
    auto const slow = drive(every, requests, second, true, arrival);
    if (checker.broken() != 0) return "skipping: " + checker.first();
    if (second.broken() != 0) return "every cycle: " + second.first();
    if (!(slow.commands == r.commands)) return "other commands when ticked every cycle";
    if (!(slow.done == r.done)) return "other answers when ticked every cycle";
    if (r.done.size() != requests.size()) return "unanswered requests";
    std::vector<bool> answered(requests.size());
    for (auto const& d : r.done) {
        if (answered[d.token]) return "a request answered twice";
        answered[d.token] = true;
    }
    auto const& n = skipping.counters();
    std::uint64_t kinds[command_kinds] = {};
    for (auto const& c : r.commands) ++kinds[static_cast<int>(c.kind)];
    if (n.activates != kinds[0] || n.read_atoms != kinds[2] || n.write_atoms != kinds[3] ||
        n.refreshes != kinds[5] + kinds[6] + kinds[7])
        return "counters of commands";
    if (answers.writes != write_end::acceptance && n.reads + n.writes != requests.size())
        return "counters of requests";
    if (n.bus_busy_cycles != (n.read_atoms + n.write_atoms) * t.burst_cycles()) return "bus cycles";
    if (n.bank_busy_cycles > n.busy_cycles || n.bank_cycles < n.bank_busy_cycles) return "bank cycles";
    if ((t.refi != 0 && r.end > 3 * cycle{t.refi}) && n.refreshes == 0) return "no refresh";
    return "";
}
template <class Scheduler, class Page = open_page>
void torture_all(unsigned from) {
    for (unsigned seed = from; seed < from + 30; ++seed) {
        auto const what = torture<Scheduler, Page>(seed);
        INFO(Scheduler::name() << ", " << Page::name() << ", seed " << seed);
        CHECK(what == "");
    }
}

} // namespace

TEST_CASE("command schedulers keep every rule, lose nothing and skip idle cycles exactly") {
    torture_all<shared_queue<oldest_ready>>(100);
    torture_all<shared_queue<oldest_ready_row_hit, no_drain>, closed_page>(200);
    torture_all<shared_queue<first_ready_cap<4>>>(300);
    torture_all<shared_queue<in_order>>(400);
    torture_all<shared_queue<first_ready, batch_drain>, auto_precharge_page>(500);
    torture_all<bank_queues<>>(600);
    torture_all<bank_queues<first_ready, watermark_drain>, closed_page>(700);
    torture_all<fr_fcfs, timeout_page>(800);
    torture_all<fr_fcfs>(900);
}

TEST_CASE("channels of more than 64 banks do the same") {
    torture_all<shared_queue<oldest_ready, watermark_drain, wide_bank_set<2>>>(100);
    torture_all<bank_queues<first_ready, watermark_drain, wide_bank_set<4>>, closed_page>(200);
    torture_all<bank_queues<head_closes<4>, batch_drain, wide_bank_set<2>>>(300);
    torture_all<basic_fr_fcfs<wide_bank_set<2>>, timeout_page>(400);
    torture_all<basic_fr_fcfs<wide_bank_set<4>>>(500);
    torture_all<basic_fcfs<wide_bank_set<4>>>(600);
}

namespace {
/// Requests of one bank or of all, short queues and long ones: what differs from the twin, or nothing.
template <class Scheduler, class Twin, class Page>
std::string unlike_twin(unsigned seed) {
    random_numbers random(seed);
    auto const t = any_timing(random);
    auto const bus = random.below(2) != 0 ? command_bus::dual : command_bus::single;
    auto const requests = any_requests(random, t, 100);
    auto const arrival = any_arrivals(random, requests.size());
    queue_sizes const sizes{1 + random.below(20), 1 + random.below(20), 1 + random.below(4), {}};
    answer_times const answers{random.below(2) != 0, static_cast<write_end>(random.below(3))};
    channel<Scheduler, Page> quick(t, sizes, bus, answers);
    channel<Twin, Page> naive(t, sizes, bus, answers);
    protocol_checker of_quick(t, commands_per_cycle(bus));
    protocol_checker of_naive(t, commands_per_cycle(bus));
    auto const a = drive(quick, requests, of_quick, false, arrival);
    auto const b = drive(naive, requests, of_naive, true, arrival);
    if (of_naive.broken() != 0) return "the twin: " + of_naive.first();
    if (!(a.commands == b.commands)) return "other commands";
    if (!(a.done == b.done)) return "other answers";
    return quick.counters() == naive.counters() ? "" : "other counters";
}
template <class Scheduler, class Twin, class Page = open_page>
void like_twin(unsigned from) {
    for (unsigned seed = from; seed < from + 15; ++seed) {
        INFO(Scheduler::name() << ", " << Page::name() << ", seed " << seed);
        CHECK((unlike_twin<Scheduler, Twin, Page>(seed)) == "");
    }
}
template <class Order, class Drain, class Page = open_page>
void queue_like_twin(unsigned from) {
    like_twin<shared_queue<Order, Drain>, naive_shared_queue<Order, Drain>, Page>(from);
}
template <class Order, class Drain, class Page = open_page>
void queues_like_twin(unsigned from) {
    like_twin<bank_queues<Order, Drain>, naive_bank_queues<Order, Drain>, Page>(from);
}
} // namespace

TEST_CASE("one queue for the channel: the naive twin sends the same commands in the same cycles") {
    queue_like_twin<oldest_ready, watermark_drain>(0);
    queue_like_twin<oldest_ready_row_hit, no_drain, closed_page>(100);
    queue_like_twin<first_ready_cap<4>, batch_drain, timeout_page>(200);
    queue_like_twin<first_ready_cap<1>, watermark_drain>(300);
    queue_like_twin<in_order, no_drain>(400);
    queue_like_twin<in_order, watermark_drain, auto_precharge_page>(500);
    queue_like_twin<head_closes<2>, no_drain>(600);
    // A refresh becomes due behind cycles that were skipped, and nothing is there before the first request comes.
    for (unsigned const from : {10320U, 11020U, 10480U, 10600U})
        queue_like_twin<oldest_ready, watermark_drain>(from);
}

TEST_CASE("a queue for each bank: the naive twin sends the same commands in the same cycles") {
    queues_like_twin<head_closes<4>, batch_drain>(0);
    queues_like_twin<head_closes<1>, no_drain, timeout_page>(100);
    queues_like_twin<first_ready_cap<2>, batch_drain, closed_page>(200);
    queues_like_twin<first_ready, no_drain>(300);
    queues_like_twin<oldest_ready_row_hit, batch_drain, auto_precharge_page>(400);
    // Watermarks remember, so that what is decided in skipped cycles counts.
    for (unsigned const from : {40020U, 40120U, 40890U})
        queues_like_twin<first_ready_cap<2>, watermark_drain>(from);
    queues_like_twin<head_closes<4>, watermark_drain, timeout_page>(50530);
}

namespace {
template <class Narrow, class Wide>
void same_commands(unsigned seed) {
    INFO(Narrow::name() << ", seed " << seed);
    random_numbers random(seed);
    auto const t = any_timing(random);
    auto const bus = random.below(2) != 0 ? command_bus::dual : command_bus::single;
    auto const requests = any_requests(random, t, 250);
    channel<Narrow> narrow(t, {16, 16, 4, {}}, bus);
    channel<Wide> wide(t, {16, 16, 4, {}}, bus);
    protocol_checker of_narrow(t, commands_per_cycle(bus));
    protocol_checker of_wide(t, commands_per_cycle(bus));
    CHECK(drive(narrow, requests, of_narrow) == drive(wide, requests, of_wide));
    CHECK(narrow.counters() == wide.counters());
}
} // namespace

TEST_CASE("which set of banks a scheduler speaks makes no difference") {
    for (unsigned seed = 0; seed < 30; ++seed) {
        same_commands<fr_fcfs, basic_fr_fcfs<wide_bank_set<2>>>(seed);
        same_commands<fcfs, basic_fcfs<wide_bank_set<4>>>(seed);
        same_commands<shared_queue<oldest_ready>,
                      shared_queue<oldest_ready, watermark_drain, wide_bank_set<2>>>(seed);
        same_commands<bank_queues<>, bank_queues<head_closes<4>, batch_drain, wide_bank_set<4>>>(seed);
    }
}

TEST_CASE("a channel of more banks than its scheduler can tell apart is refused") {
    auto t = hbm3_16hi_ramulator;
    CHECK_THROWS_WITH(channel<fr_fcfs>(t, 8), Catch::Contains("banks = 128") &&
                                                  Catch::Contains("nearest legal value: 64") &&
                                                  Catch::Contains("wide_bank_set"));
    CHECK_NOTHROW(channel<basic_fr_fcfs<wide_bank_set<2>>>(t, 8));
}

TEST_CASE("orders: who may go on") {
    bank_view v;
    v.has_hit = v.has_miss = true;
    v.hit_order = v.hit_arrived = 7;
    v.miss_order = v.miss_arrived = 5; // the miss is older
    CHECK(oldest_ready::may_close(v));
    CHECK(oldest_ready_row_hit::may_close(v));
    CHECK_FALSE(first_ready::may_close(v));
    v.columns = 3;
    CHECK_FALSE(head_closes<4>{}.may_close(v));
    v.columns = 4;
    CHECK(head_closes<4>{}.may_close(v));
    v.passed = 3;
    CHECK(first_ready_cap<4>{}.may_hit(v));
    CHECK_FALSE(first_ready_cap<4>{}.may_close(v));
    v.passed = 4;
    CHECK_FALSE(first_ready_cap<4>{}.may_hit(v));
    CHECK(first_ready_cap<4>{}.may_close(v));
    v.hit_order = v.hit_arrived = 4; // now the hit is
    CHECK(oldest_ready::may_close(v));
    CHECK_FALSE(oldest_ready_row_hit::may_close(v));
    CHECK_FALSE(head_closes<4>{}.may_close(v));
    CHECK(first_ready_cap<4>{}.may_hit(v));
}

TEST_CASE("a cap lets an older request to another row through") {
    // 40 hits behind one miss: without a cap the miss is served last, with a cap of 4 fifth.
    std::vector<request> requests{read_of(0, 1), read_of(0, 2)};
    for (unsigned i = 1; i <= 20; ++i) requests.push_back(read_of(0, 1, i * 64));
    auto const place = [&](auto controller) {
        protocol_checker checker(gddr5_gtx480, 1);
        auto const r = drive(controller, numbered(requests), checker);
        CHECK(checker.first() == "");
        for (std::size_t i = 0; i < r.done.size(); ++i)
            if (r.done[i].token == 1) return i;
        return r.done.size();
    };
    queue_sizes const sizes{32, 32, 32, {}};
    CHECK(place(channel<shared_queue<first_ready>>(gddr5_gtx480, sizes, command_bus::single)) == 21);
    CHECK(place(channel<shared_queue<first_ready_cap<4>>>(gddr5_gtx480, sizes, command_bus::single)) == 5);
    CHECK(place(channel<shared_queue<in_order>>(gddr5_gtx480, sizes, command_bus::single)) == 1);
}

TEST_CASE("drains: watermarks and batches") {
    watermark_drain w;
    w.update({1, 25, 32, false});
    CHECK(w.serves(false));
    w.update({1, 26, 32, false}); // above 80 %
    CHECK(w.serves(true));
    w.update({1, 7, 32, false}); // still above 20 %
    CHECK(w.serves(true));
    w.update({1, 6, 32, false});
    CHECK(w.serves(false));
    w.update({0, 1, 32, false}); // no reads
    CHECK(w.serves(true));

    batch_drain b;
    b.update({1, 31, 32, false});
    CHECK(b.serves(false));
    b.update({1, 9, 32, true}); // more than 8, and nothing else to do
    CHECK(b.serves(true));
    for (unsigned i = 0; i < 8; ++i) b.sent(true);
    CHECK(b.serves(true));
    b.sent(true);
    CHECK(b.serves(false));
    b.update({1, 8, 32, true});
    CHECK(b.serves(false));
    b.update({1, 32, 32, false});
    CHECK(b.serves(true));
}

TEST_CASE("a queued write answers a read of its place, and takes up a second write of it") {
    channel<shared_queue<oldest_ready>> c(gddr5_gtx480, {4, 4, 4, {}}, command_bus::single,
                                          {true, write_end::command});
    protocol_checker checker(gddr5_gtx480, 1);
    auto const r =
        drive(c, numbered({read_of(1, 3), write_of(0, 5), write_of(0, 5), read_of(0, 5)}), checker);
    CHECK(checker.first() == "");
    CHECK(r.done.size() == 4);
    CHECK(c.counters().read_atoms == 1);
    CHECK(c.counters().reads == 2);

    channel<bank_queues<>> d(gddr5_gtx480, {4, 4, 4, {}}, command_bus::single, {true, write_end::acceptance});
    protocol_checker second(gddr5_gtx480, 1);
    auto const s = drive(d, numbered({read_of(0, 5), read_of(0, 5), read_of(0, 5)}), second);
    CHECK(s.done.size() == 3); // one command for all
    CHECK(d.counters().read_atoms == 1);
    CHECK(d.counters().reads == 3);
}

TEST_CASE("all-bank refresh: every tREFI, tRFC before the next activate, all banks closed") {
    auto t = gddr5_dramsim3;
    t.refi = 3800;
    channel<fr_fcfs> c(t, {32, 32, 8, {}}, command_bus::single);
    protocol_checker checker(t, 1);
    record r;
    cycle now = 0;
    for (std::uint64_t i = 0; now < 40'000; now = c.next_event(now)) {
        for (; c.can_accept(); ++i)
            c.push(read_of(static_cast<unsigned>(i % 16), static_cast<unsigned>(i / 160)));
        c.tick(
            now, [](request const&) {}, r, checker);
    }
    CHECK(checker.first() == "");
    CHECK(c.counters().refreshes == 10);
    cycle last = 0;
    for (auto const& x : r.commands) {
        if (x.kind == command_kind::activate && last != 0) {
            CHECK(x.at - last == 74);
            last = 0;
        }
        if (x.kind == command_kind::refresh) last = x.at;
    }
}

TEST_CASE("an idle channel is refreshed all the same, per bank in turn") {
    auto t = hbm2_ramulator;
    t.refipb = 122;
    channel<shared_queue<oldest_ready>> c(t, {4, 4, 4, {}}, command_bus::dual);
    protocol_checker checker(t, 2);
    record r;
    for (cycle now = 0; now < 122 * 33; now = c.next_event(now))
        c.tick(
            now, [](request const&) {}, r, checker);
    CHECK(checker.first() == "");
    REQUIRE(r.commands.size() == 32);
    for (unsigned i = 0; i < 32; ++i) {
        CHECK(r.commands[i].kind == command_kind::refresh_bank);
        CHECK(r.commands[i].bank == i);
        CHECK(r.commands[i].at == 122 * (i + 1));
    }
}

TEST_CASE("a same-bank refresh takes one place of every bank group, in turn through the ranks") {
    auto t = ddr5_ramulator;
    t.ranks = 2;
    t.banks = 64;
    t.refipb = 1200;
    channel<shared_queue<oldest_ready>> c(t, {4, 4, 4, {}}, command_bus::single);
    protocol_checker checker(t, 1);
    record r;
    for (unsigned b = 0; b < 64; ++b) {
        while (!c.can_accept())
            c.tick(
                r.end++, [](request const&) {}, r, checker);
        c.push(read_of(b, 1));
    }
    cycle now = r.end;
    for (; now < 1200 * 9; now = c.next_event(now))
        c.tick(
            now, [](request const&) {}, r, checker);
    CHECK(checker.first() == "");
    std::vector<unsigned> firsts;
    for (auto const& x : r.commands)
        if (x.kind == command_kind::refresh_same_bank) firsts.push_back(x.bank);
    CHECK(firsts ==
          std::vector<unsigned>{0, 1, 2, 3, 32, 33, 34, 35}); // groups are the high bits of the bank
    CHECK(c.counters().precharges == 64);
    for (unsigned b = 0; b < 64; ++b) CHECK(c.open_row(b) == no_row);
}

TEST_CASE("a hot memory is refreshed more often, from the change on") {
    CHECK(refresh_interval(7800, 20) == 7800);
    CHECK(refresh_interval(7800, 85) == 7800);
    CHECK(refresh_interval(7800, 86) == 3900);
    CHECK(refresh_interval(7800, 95) == 3900);
    CHECK(refresh_interval(7800, 96) == 1950);
    auto t = ddr4_ramulator;
    t.refi = 12480;
    channel<bank_queues<>> c(t, {4, 4, 4, {}}, command_bus::single);
    protocol_checker checker(t, 1);
    record r;
    auto const run = [&](cycle from, cycle to) {
        for (auto now = c.next_event(from); now < to; now = c.next_event(now))
            c.tick(
                now, [](request const&) {}, r, checker);
    };
    run(0, 30'000); // 12480, 24960
    c.refresh_every(refresh_interval(t.refi, 90), 30'000);
    checker.refresh_every(6240);
    run(29'999, 45'000); // 31200, 37440, 43680
    c.refresh_every(t.refi, 45'000);
    checker.refresh_every(t.refi);
    run(44'999, 60'000); // 56160
    CHECK(checker.first() == "");
    std::vector<cycle> at;
    for (auto const& x : r.commands) at.push_back(x.at);
    CHECK(at == std::vector<cycle>{12480, 24960, 31200, 37440, 43680, 56160});
    // An interval that has run out by then ends at once.
    c.refresh_every(100, 60'000);
    CHECK(c.next_event(59'999) == 60'001);
}

TEST_CASE("bursts of two ranks keep tRTRS apart; within one they follow each other") {
    auto t = ddr4_ramulator;
    t.ranks = 2;
    t.banks = 32;
    auto const columns = [&](std::vector<request> const& requests) {
        channel<shared_queue<oldest_ready, no_drain>> c(t, 8, command_bus::single);
        protocol_checker checker(t, 1);
        auto const r = drive(c, numbered(requests), checker);
        CHECK(checker.first() == "");
        std::vector<cycle> at;
        for (auto const& x : r.commands)
            if (is_column_command(x.kind)) at.push_back(x.at);
        return at;
    };
    // Activates of one rank are tRRD = 4 apart, those of two ranks one cycle; the rows are open long before a column is
    // held up.
    CHECK(columns({read_of(0, 1), read_of(4, 1)}) == std::vector<cycle>{22, 26});
    CHECK(columns({read_of(0, 1), read_of(16, 1)}) == std::vector<cycle>{22, 28}); // burst 4 + tRTRS 2
    CHECK(columns({write_of(0, 1), read_of(16, 1)}) ==
          std::vector<cycle>{22, 23}); // 16 + 4 + 2 - 22 = 0: the bus's
    t.rtrs = 8;
    CHECK(columns({write_of(0, 1), read_of(16, 1)}) == std::vector<cycle>{22, 28});
}

TEST_CASE("a row that is not used times out") {
    channel<fr_fcfs, timeout_page> c(gddr5_gtx480, {8, 8, 8, {}}, command_bus::single, {}, timeout_page{100});
    protocol_checker checker(gddr5_gtx480, 1);
    record r;
    c.push(read_of(0, 1));
    cycle now = 0;
    for (; now != never; now = c.next_event(now))
        c.tick(
            now, [](request const&) {}, r, checker);
    CHECK(checker.first() == "");
    REQUIRE(r.commands.size() == 3); // ACT at 0, RD at 12, PRE 100 cycles behind it
    CHECK(r.commands[2] == command{command_kind::precharge, 0, 1, 0, 112});
}

TEST_CASE("auto-precharge closes a row without a command") {
    channel<fr_fcfs, auto_precharge_page> c(gddr5_gtx480, 8);
    protocol_checker checker(gddr5_gtx480, 2);
    auto const r = drive(c, numbered({read_of(0, 1), read_of(0, 1)}), checker);
    CHECK(checker.first() == "");
    CHECK(c.counters().activates == 2);
    CHECK(c.counters().precharges == 0);
    CHECK(r.done[1].at == 40 + 12 + 12); // tRC, tRCD, CL
}

TEST_CASE("impossible controllers are refused with the nearest legal value") {
    using ramulator = shared_queue<oldest_ready>;
    CHECK_THROWS_WITH(channel<ramulator>(gddr5_gtx480, 0),
                      Catch::Contains("reads = 0") && Catch::EndsWith("nearest legal value: 1"));
    CHECK_THROWS_WITH(channel<bank_queues<>>(gddr5_gtx480, {8, 8, 5000, {}}, command_bus::single),
                      Catch::Contains("bank = 5000") && Catch::EndsWith("nearest legal value: 4095"));
}

TEST_CASE("caps and watermarks are set by name, and decide as those that are fixed") {
    bank_view v;
    v.has_hit = v.has_miss = true;
    v.hit_order = v.hit_arrived = 7;
    v.miss_order = v.miss_arrived = 5;
    auto const three = policy_with<first_ready_cap<run_time>>("first_ready_cap:3");
    auto const closes = policy_with<head_closes<run_time>>("head_closes:cap=3");
    for (v.passed = v.columns = 0; v.passed < 6; v.columns = ++v.passed) {
        CHECK(three.may_hit(v) == first_ready_cap<3>{}.may_hit(v));
        CHECK(three.may_close(v) == first_ready_cap<3>{}.may_close(v));
        CHECK(closes.may_close(v) == head_closes<3>{}.may_close(v));
    }
    auto drain = policy_with<watermark_drain>("watermark_drain:low=50:high=60");
    drain.update({1, 60, 100, false});
    CHECK(drain.serves(false));
    drain.update({1, 61, 100, false});
    CHECK(drain.serves(true));
    drain.update({1, 49, 100, false});
    CHECK(drain.serves(false));
    CHECK_THROWS_WITH(policy_with<watermark_drain>("watermark_drain:low=90"),
                      "watermark_drain low = 90 is above high = 80; nearest legal value: 80");
    auto const queue = policy_with<shared_queue<first_ready_cap<run_time>>>("first_ready_cap:cap=2:high=70");
    CHECK(parameters_of(queue)[0].standard == "2");
    CHECK(parameters_of(queue)[2].standard == "70");
    CHECK(queue != shared_queue<first_ready_cap<run_time>>());
    CHECK(parameters_of<bank_queues<>>()[0].values == "fixed");
    CHECK(policy_with<opportunistic_at_least>("opportunistic_at_least:lower=2:higher=4:threshold=9")
              .minimum(8) == 4);
    CHECK(policy_with<opportunistic_at_least>("opportunistic_at_least:lower=2:higher=4:threshold=9")
              .minimum(9) == 2);
    CHECK_THROWS_WITH(policy_with<opportunistic_at_least>("opportunistic_at_least:lower=20"),
                      "memory prefetch: higher = 16 is less than lower; nearest legal value: 20");
}
