#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/dram/fcfs.hpp>
#include <warpkit/dram/fr_fcfs.hpp>
#include <warpkit/dram/standards.hpp>

#include "catch.hpp"
#include "drive.hpp"
#include "naive_channel.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>
#include <vector>

using namespace warpkit;
using namespace warpkit::dram;
using namespace warpkit::test;

static_assert(regular_state<channel<fr_fcfs>> && regular_state<channel<fcfs, closed_page>>);
static_assert(!std::is_polymorphic_v<channel<fr_fcfs>>);
static_assert(page_policy<open_page> && page_policy<closed_page> && std::is_empty_v<open_page>);

namespace {

constexpr auto activate = command_kind::activate;
constexpr auto precharge = command_kind::precharge;
constexpr auto read_ = command_kind::read;
constexpr auto write_ = command_kind::write;

/// All requests at cycle 0 into an empty channel, under the checker.
template <class Channel = channel<fr_fcfs>>
record serve(timing const& t, std::vector<request> const& requests,
             command_bus bus = command_bus::single_and_row) {
    Channel c(t, 64, bus);
    protocol_checker checker(t, commands_per_cycle(bus));
    auto const r = drive(c, numbered(requests), checker);
    CHECK(checker.first() == "");
    CHECK(r.done.size() == requests.size());
    return r;
}

std::vector<cycle> times(record const& r, command_kind kind) {
    std::vector<cycle> v;
    for (auto const& c : r.commands)
        if (c.kind == kind) v.push_back(c.at);
    return v;
}

/// Cycles from push to done of `last`, pushed long after `first` was served.
cycle latency_after(timing const& t, request const& first, request const& last) {
    channel<fr_fcfs> c(t, 8);
    protocol_checker checker(t, 2);
    auto const r = drive(c, numbered({first, last}), checker, false, {0, 1000});
    CHECK(checker.first() == "");
    REQUIRE(r.done.size() == 2);
    CHECK(r.done[1].token == 1);
    return r.done[1].at - 1000;
}

} // namespace

TEST_CASE("OWL's 10, 22 and 32 cycles for row hit, closed row and row conflict (OWL 4.3)") {
    CHECK(latency_after(gddr3_owl, read_of(0, 5), read_of(0, 5)) == 10);
    CHECK(latency_after(gddr3_owl, read_of(1, 5), read_of(0, 5)) == 22);
    CHECK(latency_after(gddr3_owl, read_of(0, 4), read_of(0, 5)) == 32);
}

TEST_CASE("the GTX 480's row hit, closed row and row conflict") {
    CHECK(latency_after(gddr5_gtx480, read_of(0, 5), read_of(0, 5)) == 12);
    CHECK(latency_after(gddr5_gtx480, read_of(1, 5), read_of(0, 5)) == 24);
    CHECK(latency_after(gddr5_gtx480, read_of(0, 4), read_of(0, 5)) == 36);
    CHECK(latency_after(gddr5_gtx480, write_of(0, 5), write_of(0, 5)) == 4);
    CHECK(latency_after(gddr5_gtx480, read_of(1, 5), write_of(0, 5)) == 7 + 4);
    CHECK(latency_after(gddr5_gtx480, read_of(1, 5), read_of(0, 5, 0, 3)) ==
          24 + 2 * 3); // atoms of a bank at tCCDL
}

TEST_CASE("row 0 is a row like any other: banks start closed") {
    CHECK(latency_after(gddr5_gtx480, read_of(1, 0), read_of(0, 0)) == 24);
    channel<fr_fcfs> c(gddr5_gtx480, 8);
    protocol_checker checker(gddr5_gtx480, 2);
    drive(c, numbered({read_of(0, 0), read_of(0, 0)}), checker);
    CHECK(c.counters().requests_served == 2);
    CHECK(c.counters().row_hits == 1);
}

TEST_CASE("reads of one bank, each to another row, are tRC apart") {
    for (auto const& t : {gddr5_gtx480, gddr3_owl}) {
        std::vector<request> walk;
        for (unsigned i = 0; i < 200; ++i) walk.push_back(read_of(0, i));
        auto const r = serve(t, walk);
        auto const act = times(r, activate);
        REQUIRE(act.size() == 200);
        for (std::size_t i = 1; i < act.size(); ++i) CHECK(act[i] - act[i - 1] == t.rc);
        CHECK(r.end == cycle{199} * t.rc + t.rcd + t.cl);
    }
}

TEST_CASE("row hits are tCCDL apart in one bank group and tCCD across groups") {
    std::vector<request> one_bank;
    std::vector<request> two_groups;
    for (unsigned i = 0; i < 60; ++i) {
        one_bank.push_back(read_of(0, 1, i * 64));
        two_groups.push_back(read_of(i % 2, 1, i / 2 * 64));
    }
    auto const one = times(serve(gddr5_gtx480, one_bank), read_);
    for (std::size_t i = 1; i < one.size(); ++i) CHECK(one[i] - one[i - 1] == 3);

    auto const two = times(serve(gddr5_gtx480, two_groups), read_);
    REQUIRE(two.size() == 60);
    for (std::size_t i = 20; i + 2 < two.size(); ++i)
        CHECK(two[i] - two[i - 1] == 2); // once both rows are open

    auto const gddr3 = times(serve(gddr3_owl, one_bank), read_);
    for (std::size_t i = 1; i < gddr3.size(); ++i) CHECK(gddr3[i] - gddr3[i - 1] == 2);
}

TEST_CASE("activates are tRRD apart; reads and writes take turns on the bus") {
    std::vector<request> banks;
    for (unsigned b = 0; b < 16; ++b) banks.push_back(read_of(b, 1));
    auto const act = times(serve(gddr5_gtx480, banks), activate);
    for (std::size_t i = 1; i < act.size(); ++i) CHECK(act[i] - act[i - 1] == 6);

    auto const turn = serve(gddr5_gtx480, {read_of(0, 1), write_of(0, 1), read_of(0, 1)});
    CHECK(times(turn, read_) == std::vector<cycle>{12, 12 + 12 + 11}); // tRCD, then tRTW = 12 and tWTR = 11
    CHECK(times(turn, write_) == std::vector<cycle>{12 + 12});
    CHECK(times(turn, activate).size() == 1);

    // tWTP: the row of a write may close wl + burst + wr after it
    auto const close = serve(gddr5_gtx480, {read_of(0, 1), write_of(0, 1), read_of(0, 2)});
    CHECK(times(close, precharge) == std::vector<cycle>{24 + 18});
    // tRAS: the row of a lone read may close ras after its activate
    CHECK(times(serve(gddr5_gtx480, {read_of(0, 1), read_of(0, 2)}), precharge) == std::vector<cycle>{28});
}

TEST_CASE("a sequential stream fills the data bus of the GTX 480 to 97 % and more") {
    address_mapping const map(gtx480_mapping, 6, 2);
    for (std::uint32_t const bytes : {64u, 128u}) {
        // what channel 0 sees of a machine-wide sequential read
        std::vector<request> stream;
        for (std::uint64_t a = 0; stream.size() < 20000; a += bytes) {
            auto const l = map.decode(a);
            if (l.channel == 0)
                stream.push_back(read_of(l.bank, l.row, l.column, gddr5_gtx480.atoms_for(bytes)));
        }
        channel<fr_fcfs> c(gddr5_gtx480, 64);
        protocol_checker checker(gddr5_gtx480, 2);
        auto const r = drive(c, numbered(stream), checker);
        CHECK(checker.first() == "");
        CHECK(c.counters().bus_busy_cycles == 20000 * bytes / 64 * 2);
        CHECK(static_cast<double>(c.counters().bus_busy_cycles) >= 0.97 * static_cast<double>(r.end));
    }
}

TEST_CASE("counters of cycles and bank-level parallelism, by hand") {
    auto const counters = [](std::vector<request> const& requests) {
        channel<fr_fcfs> c(gddr5_gtx480, 8);
        protocol_checker checker(gddr5_gtx480, 2);
        drive(c, numbered(requests), checker);
        return c.counters();
    };
    // ACT at 0, RD at 12: the bank holds its request in cycles 0 to 12
    auto const one = counters({read_of(0, 1)});
    CHECK(one.bank_cycles == 13);
    CHECK(one.bank_busy_cycles == 13);
    CHECK(one.busy_cycles == 13);
    CHECK(one.reads == 1);
    CHECK(one.bus_busy_cycles == 2);
    // the second is handed over at 1, activated at 6 (tRRD), read at 18
    auto const two = counters({read_of(0, 1), read_of(1, 1)});
    CHECK(two.bank_cycles == 13 + 18);
    CHECK(two.bank_busy_cycles == 19);
    CHECK(two.busy_cycles == 19);
    CHECK(two.activates == 2);
    // the second waits in the queue, is handed over at 13 and read at 15 (tCCDL)
    auto const hit = counters({read_of(0, 1), read_of(0, 1)});
    CHECK(hit.bank_cycles == 16);
    CHECK(hit.busy_cycles == 16);
    CHECK(hit.row_hits == 1);

    auto sum = one;
    sum += two;
    CHECK(sum.bank_cycles == 13 + 13 + 18);
    CHECK(sum.reads == 3);
    CHECK(sum.activates == 3);
    CHECK(sum.bus_busy_cycles == 6);
    CHECK(sum.requests_served == 3);
}

TEST_CASE("pages: open rows stay open, closed ones close behind the last hit") {
    auto const kinds = [](record const& r) {
        std::vector<command_kind> v;
        for (auto const& c : r.commands) v.push_back(c.kind);
        return v;
    };
    std::vector<request> const two_hits{read_of(0, 1), read_of(0, 1), read_of(1, 1)};
    CHECK(kinds(serve<channel<fr_fcfs>>(gddr5_gtx480, two_hits)) ==
          std::vector<command_kind>{activate, activate, read_, read_, read_});

    channel<fr_fcfs, closed_page> c(gddr5_gtx480, 8);
    protocol_checker checker(gddr5_gtx480, 2);
    record r;
    for (auto const& q : two_hits) c.push(q);
    cycle now = 0;
    for (; now < 200; ++now)
        c.tick(
            now, [](request const&) {}, r, checker);
    CHECK(checker.first() == "");
    CHECK(kinds(r) ==
          std::vector<command_kind>{activate, activate, read_, read_, read_, precharge, precharge});
    CHECK(times(r, precharge) == std::vector<cycle>{28, 34}); // tRAS after their activates
    CHECK(c.open_row(0) == no_row);
    // a row conflict costs no more than a closed row now
    CHECK(c.counters().row_hits == 1);
    c.push(read_of(0, 2));
    c.tick(
        now, [](request const&) {}, r, checker);
    CHECK(r.commands.back() == command{activate, 0, 2, 0, now});

    // the row would close at 28; a request to it that is handed over in that very cycle keeps it open until it is
    // served
    channel<fr_fcfs, closed_page> d(gddr5_gtx480, 8);
    protocol_checker second(gddr5_gtx480, 2);
    auto const late = drive(d, numbered({read_of(0, 1), read_of(0, 1)}), second, false, {0, 28});
    CHECK(second.first() == "");
    CHECK(times(late, activate) == std::vector<cycle>{0});
    CHECK(times(late, read_) == std::vector<cycle>{12, 28});
    CHECK(times(late, precharge) == std::vector<cycle>{30});
    CHECK(late.done[1].at == 28 + 12);
}

namespace {

/// Random streams on random timings: legal commands only, nothing lost, skipping idle cycles changes nothing.
template <class Channel>
void torture(command_bus bus, unsigned seed) {
    random_numbers random(seed);
    auto const t = basic_timing(random);
    auto const requests = basic_requests(random, t, 300);
    std::vector<cycle> arrival;
    if (random.below(2) != 0) {
        cycle at = 0;
        auto const gap = 1 + random.below(60);
        for (std::size_t i = 0; i < requests.size(); ++i) arrival.push_back(at += random.below(gap));
    }
    auto const capacity = 1 + random.below(64);
    INFO("seed " << seed);

    Channel every(t, capacity, bus);
    Channel skipping(t, capacity, bus);
    protocol_checker checker(t, commands_per_cycle(bus));
    protocol_checker second(t, commands_per_cycle(bus));
    auto const r = drive(skipping, requests, checker, false, arrival);
    CHECK(checker.first() == "");
    auto const slow = drive(every, requests, second, true, arrival);
    CHECK(slow.commands == r.commands);
    CHECK(slow.done == r.done);
    CHECK(every == skipping);
    CHECK(hash_of(every) == hash_of(skipping));

    // each request once; each atom, row opening and closing counted once
    REQUIRE(r.done.size() == requests.size());
    std::set<std::uint64_t> tokens;
    for (auto const& d : r.done) tokens.insert(d.token);
    CHECK(tokens.size() == requests.size());
    std::uint64_t atoms[2] = {};
    std::uint64_t number[2] = {};
    for (auto const& q : requests) {
        atoms[q.write] += q.atoms;
        ++number[q.write];
    }
    auto const& n = skipping.counters();
    CHECK(n.reads == number[0]);
    CHECK(n.writes == number[1]);
    CHECK(n.read_atoms == atoms[0]);
    CHECK(n.write_atoms == atoms[1]);
    CHECK(n.read_atoms == times(r, read_).size());
    CHECK(n.write_atoms == times(r, write_).size());
    CHECK(n.activates == times(r, activate).size());
    CHECK(n.precharges == times(r, precharge).size());
    CHECK(n.requests_served == requests.size());
    CHECK(n.row_hits + n.activates >= requests.size());
    CHECK(n.bus_busy_cycles == (atoms[0] + atoms[1]) * t.burst_cycles());
    CHECK(n.bank_busy_cycles <= n.busy_cycles);
    CHECK(n.bank_cycles >= n.bank_busy_cycles);
    CHECK(skipping.idle());

    // no request is answered before its data can be there
    for (auto const& d : r.done) CHECK(d.at >= (requests[d.token].write ? t.wl : t.cl));
}

} // namespace

TEST_CASE("random streams on random timings keep the protocol, lose nothing and skip idle cycles exactly") {
    for (unsigned seed = 1; seed <= 40; ++seed)
        for (auto const bus : {command_bus::single, command_bus::single_and_row, command_bus::dual}) {
            torture<channel<fr_fcfs>>(bus, seed);
            torture<channel<fcfs>>(bus, seed + 1000);
            torture<channel<fr_fcfs, closed_page>>(bus, seed + 2000);
            torture<channel<fcfs, closed_page>>(bus, seed + 3000);
        }
}

namespace {

/// Requests on their way to a channel, in order.
struct arriving {
    std::vector<request> requests;
    std::vector<cycle> arrival;
    std::size_t next = 0;
    cycle ready() const { return next < requests.size() ? arrival[next] : never; }
    request const& front() const { return requests[next]; }
    void pop() { ++next; }
};

/// Windows of any length in one go are the same as a tick in each cycle with a push behind it, and count the same.
template <class Channel>
void in_windows(command_bus bus, unsigned seed, answer_times const& answers = {}, bool refreshes = false) {
    random_numbers random(seed);
    auto t = basic_timing(random);
    if (refreshes) {
        t.rfc = 20 + random.below(100);
        t.rfcpb = 20 + random.below(60);
        auto const least = t.rfc + t.ras + t.rp + t.cl + t.write_to_precharge();
        (seed % 2 == 0 ? t.refi : t.refipb) = least + random.below(300);
        t.check();
    }
    arriving a{basic_requests(random, t, 200), {}};
    cycle at = 0;
    auto const gap = 1 + random.below(50);
    for (std::size_t i = 0; i < a.requests.size(); ++i) a.arrival.push_back(at += random.below(gap));
    auto b = a;
    auto const capacity = 1 + random.below(64);
    Channel whole(t, {capacity, capacity, capacity, {}}, bus, answers);
    auto single = whole;
    record w, s;
    auto const longest = 1 + random.below(random.below(2) != 0 ? 8 : 200);
    bool same = true;
    cycle due = 0;
    for (cycle begin = 0, end = 0; !single.idle() || b.ready() != never; begin = end) {
        end = begin + 1 + random.below(longest);
        REQUIRE(end < 200'000);
        if (due < end)
            due = whole.run(
                due > begin ? due : begin, end, a,
                [&](request const& q, cycle until) {
                    w.done.push_back({q.token, until});
                },
                w);
        for (auto now = begin; now < end; ++now) {
            if (now + Channel::remembered > end) same = same && whole.counters(now) == single.counters(now);
            single.tick(
                now,
                [&](request const& q) {
                    s.done.push_back({q.token, now});
                },
                s);
            if (b.ready() <= now && single.can_accept()) {
                single.push(b.front());
                b.pop();
            }
        }
        same = same && whole.counters(end) == single.counters(end) && a.next == b.next;
    }
    if (answers.writes != write_end::data) // writes end among reads whose end was told before
        for (auto* r : {&w, &s})
            std::sort(r->done.begin(), r->done.end(), [](auto const& x, auto const& y) {
                return x.at != y.at ? x.at < y.at : x.token < y.token;
            });
    INFO("seed " << seed);
    CHECK(same);
    CHECK(w.commands == s.commands);
    CHECK(w.done == s.done);
    CHECK(w.done.size() == a.requests.size());
}

} // namespace

TEST_CASE("windows of many cycles in one go are the same as cycle by cycle") {
    for (unsigned seed = 1; seed <= 40; ++seed)
        for (auto const bus : {command_bus::single, command_bus::single_and_row, command_bus::dual}) {
            in_windows<channel<fr_fcfs>>(bus, seed);
            in_windows<channel<fcfs, closed_page>>(bus, seed + 1000);
            in_windows<channel<fr_fcfs>>(bus, seed + 2000, {true, write_end::command});
            in_windows<channel<fr_fcfs>>(bus, seed + 3000, {false, write_end::acceptance});
            if (seed <= 8) in_windows<channel<fr_fcfs>>(bus, seed + 4000, {}, true);
        }
}

TEST_CASE("the naive twin of the whole channel sends the same commands in the same cycles") {
    for (unsigned seed = 1; seed <= 60; ++seed)
        for (auto const bus : {command_bus::single, command_bus::single_and_row, command_bus::dual}) {
            random_numbers random(seed);
            auto const t = seed % 4 == 0 ? gddr5_gtx480 : basic_timing(random);
            auto const requests = basic_requests(random, t, 300);
            std::vector<cycle> arrival;
            cycle at = 0;
            auto const gap = 1 + random.below(40);
            for (std::size_t i = 0; i < requests.size(); ++i) arrival.push_back(at += random.below(gap));
            auto const capacity = 1 + random.below(64);
            INFO("seed " << seed);
            channel<fr_fcfs> fast(t, capacity, bus);
            naive_channel slow(t, capacity, bus);
            protocol_checker checker(t, commands_per_cycle(bus));
            protocol_checker second(t, commands_per_cycle(bus));
            auto const f = drive(fast, requests, checker, false, arrival);
            auto const s = drive(slow, requests, second, true, arrival);
            CHECK(checker.first() == "");
            CHECK(f.commands == s.commands);
            CHECK(f.done == s.done);
        }
}

TEST_CASE("the cycle counters agree with watching the channel every cycle") {
    random_numbers random(11);
    auto const requests = basic_requests(random, gddr5_gtx480, 500);
    channel<fr_fcfs> c(gddr5_gtx480, 16);
    std::uint64_t bank_cycles = 0;
    std::uint64_t bank_busy = 0;
    std::uint64_t busy = 0;
    std::size_t next = 0;
    for (cycle now = 0; !c.idle() || next < requests.size(); ++now) {
        while (next < requests.size() && c.can_accept()) c.push(requests[next++]);
        bool const queued = c.queue().queued() != 0;
        auto held = c.serving();
        auto const served = c.counters().requests_served;
        std::vector<command> commands;
        struct {
            std::vector<command>& all;
            void on(command const& x) { all.push_back(x); }
        } listener{commands};
        c.tick(
            now, [](request const&) {}, listener);
        // in this cycle a bank held a request if it did before or does behind it, or sent its column command in it
        held |= c.serving();
        for (auto const& x : commands)
            if (is_column_command(x.kind)) held |= bank_set{1} << x.bank;
        bank_cycles += static_cast<unsigned>(std::popcount(held));
        bank_busy += held != 0;
        busy += held != 0 || queued;
        REQUIRE(c.counters().requests_served <= served + 1); // one hand-over per cycle
    }
    CHECK(c.counters().bank_cycles == bank_cycles);
    CHECK(c.counters().bank_busy_cycles == bank_busy);
    CHECK(c.counters().busy_cycles == busy);
}

TEST_CASE("command buses: one command, GPGPU-Sim's extra row command, or one of each") {
    random_numbers random(17);
    auto const requests = basic_requests(random, gddr5_gtx480, 2000);
    std::map<command_bus, unsigned> doubled;
    std::map<command_bus, cycle> end;
    for (auto const bus : {command_bus::single, command_bus::single_and_row, command_bus::dual}) {
        auto const r = serve(gddr5_gtx480, requests, bus);
        for (std::size_t i = 1; i < r.commands.size(); ++i)
            doubled[bus] += r.commands[i].at == r.commands[i - 1].at;
        end[bus] = r.end;
    }
    CHECK(doubled[command_bus::single] == 0);
    CHECK(doubled[command_bus::single_and_row] > 0);
    CHECK(doubled[command_bus::dual] > doubled[command_bus::single_and_row]);
}

TEST_CASE(
    "GPGPU-Sim's single bus sends a row command along only of a bank that is asked before the column's") {
    // Bank 0 reads at 12. A second request arrives in that cycle, when the round begins at bank 2.
    auto const second_activate = [](command_bus bus, unsigned bank) {
        channel<fr_fcfs> c(gddr5_gtx480, 8, bus);
        protocol_checker checker(gddr5_gtx480, commands_per_cycle(bus));
        auto const r = drive(c, numbered({read_of(0, 1), read_of(bank, 1)}), checker, false, {0, 12});
        CHECK(checker.first() == "");
        CHECK(times(r, read_).front() == 12);
        return times(r, activate).back();
    };
    CHECK(second_activate(command_bus::single_and_row, 5) == 12); // asked before bank 0
    CHECK(second_activate(command_bus::single_and_row, 1) == 13); // asked behind it
    CHECK(second_activate(command_bus::dual, 5) == 12);
    CHECK(second_activate(command_bus::dual, 1) == 12);
    CHECK(second_activate(command_bus::single, 5) == 13);
    CHECK(second_activate(command_bus::single, 1) == 13);
}

TEST_CASE("fr_fcfs serves row hits that fcfs leaves behind") {
    std::vector<request> pingpong;
    for (unsigned i = 0; i < 64; ++i) pingpong.push_back(read_of(0, i % 2, i / 2 * 64));
    CHECK(times(serve<channel<fr_fcfs>>(gddr5_gtx480, pingpong), activate).size() == 2);
    CHECK(times(serve<channel<fcfs>>(gddr5_gtx480, pingpong), activate).size() == 64);
}

TEST_CASE("a channel is a value: a copy goes its own way") {
    random_numbers random(23);
    auto const requests = basic_requests(random, gddr5_gtx480, 60);
    channel<fr_fcfs> a(gddr5_gtx480, 64);
    for (auto const& q : requests) a.push(q);
    cycle now = 0;
    for (; now < 100; ++now) a.tick(now, [](request const&) {});
    auto b = a;
    CHECK(a == b);
    CHECK(hash_of(a) == hash_of(b));
    b.tick(now, [](request const&) {});
    for (auto later = now + 1; later < now + 30; ++later) b.tick(later, [](request const&) {});
    CHECK_FALSE(a == b);
    CHECK(hash_of(a) != hash_of(b));
    for (auto later = now; later < now + 30; ++later) a.tick(later, [](request const&) {});
    CHECK(a == b);
}

TEST_CASE("an idle channel needs no tick, and refuses contradictory timings") {
    channel<fr_fcfs> c(gddr5_gtx480, 4);
    CHECK(c.idle());
    CHECK(c.next_event(7) == never);
    c.push(read_of(0, 0));
    CHECK(c.next_event(7) == 8);
    auto t = gddr5_gtx480;
    t.rc = 10;
    CHECK_THROWS_AS(channel<fr_fcfs>(t, 4), error);
    CHECK_THROWS_AS(channel<fr_fcfs>(gddr5_gtx480, 0), error);
    CHECK_FALSE(channel<fr_fcfs>().can_accept());
}
