/// The pipeline's small parts alone, each against a naive twin: timing wheel, scoreboard, execution units, dispatcher;
/// what the front end asks for, and how CTAs come and go.

#include <warpkit/base/hash.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/cache/allocation.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/cta/round_robin_dispatch.hpp>
#include <warpkit/fetch/loose_round_robin.hpp>
#include <warpkit/fetch/next_line.hpp>
#include <warpkit/fetch/no_prefetch.hpp>
#include <warpkit/fetch/stream_buffer.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/gpu/common/timing_wheel.hpp>
#include <warpkit/gpu/core/core_port.hpp>
#include <warpkit/gpu/core/execution_units.hpp>
#include <warpkit/gpu/core/front_end.hpp>
#include <warpkit/gpu/core/pending_results.hpp>
#include <warpkit/gpu/core/resident_ctas.hpp>
#include <warpkit/gpu/core/scoreboard.hpp>
#include <warpkit/gpu/threads/mailbox.hpp>
#include <warpkit/machine/dispatcher.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>
#include <vector>

using namespace warpkit;
using testing::random_numbers;

static_assert(regular_state<warpkit::link<int>> && regular_state<timing_wheel<int>> &&
              regular_state<scoreboard>);
static_assert(regular_state<dispatcher<round_robin_dispatch>>);
static_assert(regular_state<execution_units> && regular_state<pending_results> &&
              regular_state<resident_ctas> && regular_state<core_port>);

TEST_CASE("a core's port: a reply to a read counts once, with its cycles since it left and its bytes",
          "[gpu]") {
    core_port port;
    packet p;
    p.bytes = 128;
    p.born = 40;
    port.count_read(p, 100);
    CHECK(port.latency_sum() == 60);
    CHECK(port.latencies() == 1);
    p.born = 0xffff'fff0; // cycles are told apart by their low 32 bits
    port.count_read(p, 0x1'0000'0004);
    CHECK(port.latency_sum() == 60 + 20);
    CHECK(port.latencies() == 2);
    port.count_other(p);
    CHECK(port.latencies() == 2);
    CHECK(port.received() == 3 * 128);
}

TEST_CASE("a link: what is sent arrives a latency later, and so do its credits on the way back", "[gpu]") {
    warpkit::link<int> l(10, 2);
    CHECK(l.credits(0) == 2);
    l.send(3, 7, 1);
    l.send(4, 8, 1);
    CHECK(l.credits(9) == 0);
    CHECK_FALSE(l.has_arrived(13)); // nothing passes within a window ...
    l.look(13);
    CHECK(l.next_arrival() == never); // ... even where the sender is ahead
    l.look(20);
    CHECK(l.next_arrival() == 13);
    CHECK_FALSE(l.has_arrived(12));
    REQUIRE(l.has_arrived(13));
    CHECK(l.front() == 7);
    l.pop(15, 1);
    CHECK(l.next_credit(20) == never); // nor does a credit
    CHECK(l.next_credit() == 25);
    CHECK(l.credits(24) == 0);
    CHECK(l.credits(25) == 1);
    CHECK(l.next_credit() == never);
    CHECK(l.has_arrived(14));
    CHECK(l.front() == 8);
    CHECK(l[0] == 8); // left where it is, to be used later
    CHECK(l.next_arrival(0) <= 14);
    CHECK(l.next_arrival(1) == never);
    CHECK_FALSE(l.empty());
    CHECK(l.credits(1000) == 1); // its credit with it
    l.pop(1000, 1);
    CHECK(l.empty());
    CHECK(l.credits(1010) == 2);
}

TEST_CASE("links in two objects each, joined by mail, agree with links in one", "[gpu]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        random_numbers r(seed);
        tick const latency = 3 + r.below(8);
        std::vector<warpkit::link<int>> whole;
        for (auto n = 1 + r.below(4); n != 0; --n) whole.emplace_back(latency, 1 + r.below(9));
        auto senders = whole, receivers = whole;
        mailbox<int> elements, credits; // from senders to receivers, and back
        mailbox<int>::addresses at_receivers, at_senders;
        for (std::size_t i = 0; i < whole.size(); ++i) {
            elements.carry_elements(senders[i]);
            at_receivers.sent.push_back(&receivers[i]);
            credits.carry_credits(receivers[i]);
            at_senders.taken.push_back(&senders[i]);
        }
        std::uint64_t windows = 0; // since the mail began
        bool agrees = true;
        elements.begin();
        credits.begin();
        for (tick start = 0; start < 300 * latency; start += latency, ++windows) {
            bool const at_hand =
                windows == 0 || (elements.posted(windows - 1) && credits.posted(windows - 1));
            agrees = agrees && at_hand && !elements.posted(windows);
            if (windows != 0)
                agrees = agrees && elements.take(windows - 1, at_receivers) == windows &&
                         credits.take(windows - 1, at_senders) == 7;
            for (std::size_t i = 0; i < whole.size(); ++i) {
                auto &one = whole[i], &sender = senders[i], &receiver = receivers[i];
                agrees = agrees && one.look(start + latency) == receiver.look(start + latency);
                for (tick t = start; t < start + latency; ++t) {
                    agrees = agrees && one.credits(t) == sender.credits(t) &&
                             one.next_credit(start + latency) == sender.next_credit(start + latency) &&
                             one.next_arrival() == receiver.next_arrival();
                    auto const cost = 1 + r.below(3);
                    if (one.credits(t) >= cost && r.chance(60))
                        for (auto* l : {&one, &sender}) l->send(t, static_cast<int>(t), cost);
                    if (!one.has_arrived(t) || r.chance(40)) continue;
                    agrees = agrees && one.front() == receiver.front();
                    for (auto* l : {&one, &receiver}) l->pop(t, l->first().cost);
                }
            }
            elements.post(windows, static_cast<std::uint32_t>(windows + 1));
            credits.post(windows, 7);
            if (!r.chance(3)) continue;
            windows = ~std::uint64_t{0}; // they become one, of either kind, and begin anew
            for (std::size_t i = 0; i < whole.size(); ++i) {
                auto to_receiver = receivers[i], to_sender = senders[i];
                to_receiver.join_sender(senders[i]);
                to_sender.join_receiver(receivers[i]);
                agrees = agrees && to_receiver == whole[i] && to_sender == whole[i];
                senders[i].mirror(whole[i]);
                receivers[i].mirror(whole[i]);
                agrees = agrees && senders[i] == whole[i];
            }
            elements.begin();
            credits.begin();
        }
        INFO("seed " << seed);
        CHECK(agrees);
    }
}

TEST_CASE("a timing wheel agrees with a sorted list, delays beyond one round included", "[gpu]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        random_numbers r(seed);
        timing_wheel<int> wheel;
        std::vector<std::pair<cycle, int>> twin; // in order of insertion
        int number = 0;
        bool agrees = true;
        cycle now = r.below(5000);
        for (int step = 0; step < 2000; ++step) {
            if (r.chance(50)) {
                auto const due = now + 1 + (r.chance(80) ? r.below(40) : r.below(4000));
                wheel.insert(now, due, number);
                twin.push_back({due, number++});
            }
            auto next = never;
            for (auto const& t : twin) next = std::min(next, t.first);
            agrees = agrees && (wheel.next(now) == never) == twin.empty() && wheel.next(now) <= next &&
                     wheel.next(now) > now;
            now = r.chance(70) || twin.empty() ? now + 1 : std::min(wheel.next(now), next);
            std::vector<int> got, expected;
            wheel.expire(now, [&](int n) { got.push_back(n); });
            for (auto const& t : twin)
                if (t.first == now) expected.push_back(t.second);
            twin.erase(
                std::remove_if(twin.begin(), twin.end(), [&](auto const& t) { return t.first == now; }),
                twin.end());
            agrees = agrees && got == expected && wheel.empty() == twin.empty();
            if (r.chance(5)) { // a value: a copy is the same, until something is put into it
                auto copy = wheel;
                agrees = agrees && copy == wheel && hash_of(copy) == hash_of(wheel);
                copy.insert(now, now + 1 + r.below(1000), -1);
                agrees = agrees && copy != wheel && hash_of(copy) != hash_of(wheel);
            }
            if (!twin.empty() && r.chance(1)) { // skipping is allowed up to what next() says
                auto const w = wheel.next(now);
                agrees = agrees && w <= std::min_element(twin.begin(), twin.end())->first;
            }
        }
        INFO("seed " << seed);
        CHECK(agrees);
    }
}

TEST_CASE("a scoreboard agrees with a set of registers", "[gpu]") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        random_numbers r(seed);
        unsigned const registers = 1 + r.below(seed % 2 == 0 ? 64 : 200);
        scoreboard board(8, registers);
        std::set<std::pair<unsigned, unsigned>> pending, memory;
        static_program program;
        program.instructions.resize(500);
        for (auto& i : program.instructions) {
            for (auto n = r.below(3); n != 0; --n)
                i.destination[i.destinations++] = static_cast<register_id>(r.below(registers));
            for (auto n = r.below(4); n != 0; --n)
                i.source[i.sources++] = static_cast<register_id>(r.below(registers));
        }
        kernel_image const image(program, {});
        std::vector<std::pair<warp_slot, std::uint32_t>> under_way;
        bool agrees = true;
        for (int step = 0; step < 3000; ++step) {
            auto const index = r.below(image.size());
            auto const& d = image.details(image[index]);
            auto const w = r.below(8);
            auto worst = hazard::none;
            for (unsigned k = 0; k < d.registers; ++k) {
                if (pending.count({w, d.reg[k]}) == 0) continue;
                if (memory.count({w, d.reg[k]}) != 0)
                    worst = hazard::memory;
                else if (worst == hazard::none)
                    worst = hazard::other;
            }
            agrees = agrees && board.check(warp_slot{w}, image[index], image) == worst;
            if (worst == hazard::none && r.chance(60)) {
                bool const from_memory = r.chance(40);
                board.reserve(warp_slot{w}, image[index], image, from_memory);
                for (unsigned k = 0; k < d.destinations; ++k) {
                    pending.insert({w, d.reg[k]});
                    if (from_memory) memory.insert({w, d.reg[k]});
                }
                under_way.push_back({warp_slot{w}, index});
            }
            if (!under_way.empty() && r.chance(50)) {
                auto const i = r.below(static_cast<unsigned>(under_way.size()));
                auto const [warp, finished] = under_way[i];
                auto const& done = image.details(image[finished]);
                under_way.erase(under_way.begin() + i);
                board.release(warp, image[finished], image);
                for (unsigned k = 0; k < done.destinations; ++k) {
                    pending.erase({warp.index(), done.reg[k]});
                    memory.erase({warp.index(), done.reg[k]});
                }
            }
            agrees = agrees && board.clear() == pending.empty();
        }
        INFO("seed " << seed);
        CHECK(agrees);
    }
}

TEST_CASE("execution units agree with a list of times for each kind", "[gpu]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        random_numbers r(seed);
        core_numbers n;
        n.sub_cores = 1 + r.below(2);
        n.sp_units = n.sub_cores * (1 + r.below(4));
        n.sfu_units = n.sub_cores * (1 + r.below(2));
        for (auto* some : {&n.dp_units, &n.int_units, &n.tensor_units, &n.branch_units, &n.uniform_units})
            *some = seed % 2 == 0 ? 0 : n.sub_cores * r.below(3);
        execution_units units(n);     // of one of them
        std::vector<unit_kind> kinds; // nobody wants a unit that there is not
        std::vector<std::vector<cycle>> twin;
        for (auto const k : {unit_kind::sp, unit_kind::sfu, unit_kind::dp, unit_kind::integer,
                             unit_kind::tensor, unit_kind::branch, unit_kind::uniform}) {
            if (units_of(n, k) == 0) continue;
            kinds.push_back(k);
            twin.emplace_back(units_of(n, k) / n.sub_cores);
        }
        auto const count = static_cast<unsigned>(kinds.size());
        warp_table table(48, 8);
        bool agrees = true;
        for (cycle now = 0; now < 3000; ++now) {
            table.want(warp_slot{r.below(48)}, r.chance(30) ? unit_kind::load_store : kinds[r.below(count)]);
            auto const ready = warp_set::from_bits(r.next()) & warp_set::first_n(48);
            auto startable = ready;
            auto next = never;
            for (unsigned k = 0; k < count; ++k) {
                auto const free = *std::min_element(twin[k].begin(), twin[k].end());
                if (free > now) startable -= table.wanting(kinds[k]);
                if (ready & table.wanting(kinds[k])) next = std::min(next, free);
            }
            agrees = agrees && units.startable(now, ready, table) == startable &&
                     units.next_free(ready, table) == next;
            for (unsigned k = 0; k < count; ++k) {
                auto const unit = std::min_element(twin[k].begin(), twin[k].end());
                if (*unit > now || !r.chance(40)) continue;
                *unit = now + 1 + r.below(9);
                units.take(kinds[k], *unit);
            }
        }
        INFO("seed " << seed);
        CHECK(agrees);
    }
}

namespace {

/// A core's end of resident_ctas: notes what it hears.
struct host_of_ctas {
    std::vector<unsigned> launched_into;
    unsigned released = 0;
    unsigned unblocked_at_fence = 0;
    std::vector<std::uint64_t> gone;
    std::vector<unsigned> exited_warps;
    bool last = false;

    void exited(warp_slot w) { exited_warps.push_back(w.index()); }
    void launched(cta_slot c) { launched_into.push_back(c.index()); }
    void retiring(bool is_last) { last = is_last; }
    void let_go(warp_set const&) {}
    void tell_all(barrier_released const& e) { released += e.warps.size(); }
    void tell_all(unblocked const& e) { unblocked_at_fence += e.reason == block_reason::fence; }
    void tell_all(cta_finished const& e) { gone.push_back(e.linear_id); }
    template <class E>
    void tell_all(E const&) {}
};

} // namespace

TEST_CASE("resident CTAs: in order into the first free slots; out when the last operation has ended",
          "[gpu]") {
    warp_table table(8, 3);
    resident_ctas ctas(5);
    host_of_ctas host;
    auto const two_warps = [](std::uint32_t instructions) {
        cta_stream s;
        s.reset(2);
        for (auto& w : s.warps)
            for (std::uint32_t i = 0; i < instructions; ++i) w.append(i, all_lanes);
        return s;
    };
    CHECK(ctas.next_order() == never);
    ctas.order(10, 7, two_warps(3), {});
    ctas.order(12, 8, two_warps(3), {});
    ctas.order(20, 9, two_warps(0), {}); // no instructions: gone as it comes
    CHECK(ctas.next_order() == 10);
    ctas.admit(12, table, host);
    ctas.expect_nothing();
    CHECK(host.launched_into == std::vector<unsigned>{0, 1});
    CHECK(ctas.next_order() == 20);
    CHECK(table.live == warp_set::first_n(4));
    CHECK_FALSE(ctas.none());

    // A barrier opens for those who are left.
    ctas.arrive(warp_slot{0}, 3, 0, true, table, host);
    CHECK(host.released == 0);
    CHECK(table.waiting == warp_set(warp_slot{0}));
    ++table.warp[1].outstanding;
    ctas.warp_ends(13, warp_slot{1}, table, host);
    CHECK(host.exited_warps == std::vector<unsigned>{1}); // though its store is on the way
    CHECK(host.released == 1);
    CHECK(table.waiting.empty());

    // A fence waits for one warp's operations.
    ++table.warp[0].outstanding;
    ctas.fence(warp_slot{0}, table, host);
    CHECK(table.waiting == warp_set(warp_slot{0}));
    --table.warp[0].outstanding;
    CHECK(ctas.operations_ended(14, warp_slot{0}, table, host));
    CHECK(host.unblocked_at_fence == 1);
    CHECK(table.waiting.empty());

    // The block is there until warp 1, which has exited, has its store acknowledged.
    ctas.warp_ends(15, warp_slot{0}, table, host);
    CHECK(host.gone.empty());
    --table.warp[1].outstanding;
    CHECK_FALSE(ctas.operations_ended(16, warp_slot{1}, table, host));
    CHECK(host.gone == std::vector<std::uint64_t>{7});
    CHECK_FALSE(host.last);

    ctas.admit(20, table, host);
    CHECK(host.launched_into == std::vector<unsigned>{0, 1, 0});
    CHECK(host.gone == std::vector<std::uint64_t>{7, 9});
    for (auto const w : {2U, 3U}) ctas.warp_ends(21, warp_slot{w}, table, host);
    CHECK(host.last);
    CHECK(ctas.none());
    CHECK(ctas.retired() == 3);
    REQUIRE(ctas.finished().size() == 3);
    CHECK(ctas.finished().back() == finished_cta{8, 21, 5});
    CHECK(ctas.take_stream().warps.size() == 2); // their memory is used again
}

TEST_CASE("resident CTAs of several kernels have the lowest free warp slots, in the order of their warps",
          "[gpu]") {
    warp_table table(6, 4);
    resident_ctas ctas(0);
    host_of_ctas host;
    auto const order = [&](cycle at, unsigned warps) {
        cta_stream s;
        s.reset(warps);
        for (auto& w : s.warps) w.append(0, all_lanes);
        ctas.order(at, at, std::move(s), {});
        ctas.admit(at, table, host);
    };
    order(1, 1);
    order(2, 2);
    order(3, 1);
    CHECK(table.cta[1].warps == warp_set::range(1, 3));
    ctas.warp_ends(4, warp_slot{0}, table, host);
    ctas.warp_ends(4, warp_slot{3}, table, host);
    order(5, 3);
    CHECK(host.launched_into == std::vector<unsigned>{0, 1, 2, 0});
    CHECK(table.cta[0].warps == (warp_set::range(0, 1) | warp_set::range(3, 5)));
    CHECK(table.warp[3].in_cta == 1);
    CHECK(table.warp[4].in_cta == 2);
    CHECK(table.warp[4].cta == 0);
    order(6, 1);
    CHECK(table.cta[2].warps == warp_set::range(5, 6)); // the last there is
    CHECK(table.live == warp_set::first_n(6));
}

TEST_CASE("the dispatcher: one CTA per core and cycle, none early or late, never above the limit, each once",
          "[gpu]") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        random_numbers r(seed);
        unsigned const cores = 1 + r.below(5), fit = 1 + r.below(4);
        cycle const window = 1 + r.below(5);
        dispatcher<round_robin_dispatch> d(cores, window, {});
        grid_began const grid{nullptr, 1 + r.below(60), 1, 1, cores, fit};
        cycle const from = r.below(40);
        d.begin(grid, fit, from);
        cycle first = never;
        std::vector<unsigned> running(cores, 0);                               // as the cores know it
        std::vector<std::vector<std::pair<cycle, std::uint64_t>>> ends(cores); // by core
        std::set<std::uint64_t> seen;
        std::uint64_t next = 0, finished = 0;
        bool agrees = true;
        for (cycle start = 0; !d.done() && start < 20000; start += window) {
            std::set<std::pair<unsigned, cycle>> launched;
            d.run(
                start, start + window, [&](unsigned, unsigned f) { return f; },
                [&](unsigned core, std::uint64_t cta, cycle at) {
                    agrees =
                        agrees && at >= start && at < start + window && launched.insert({core, at}).second;
                    first = std::min(first, at);
                    agrees = agrees && cta == next++ && seen.insert(cta).second && ++running[core] <= fit;
                    ends[core].push_back({start + window + r.below(30), cta});
                });
            for (unsigned c = 0; c < cores; ++c)
                for (std::size_t i = 0; i < ends[c].size();) {
                    auto const [at, cta] = ends[c][i];
                    if (at < start || at >= start + window) {
                        ++i;
                        continue;
                    }
                    d.finished(c, cta, at);
                    --running[c];
                    ++finished;
                    ends[c].erase(ends[c].begin() + static_cast<std::ptrdiff_t>(i));
                }
        }
        INFO("seed " << seed);
        CHECK(agrees);
        CHECK(first == from);
        CHECK(d.done());
        CHECK(finished == grid.ctas());
        CHECK(d.finished_count() == d.total());
    }
}

namespace {

// One warp runs straight through 40 instructions of 8 bytes, in lines of 128; each line comes `latency` cycles after it
// was asked for. The lines asked for, and how many cycles it took until all was decoded.
template <class Prefetch>
struct straight_run {
    std::vector<std::uint64_t> lines;
    unsigned cycles = 0;
    std::uint64_t prefetches = 0;

    explicit straight_run(unsigned latency, unsigned data_misses = 0) {
        core_numbers core;
        core.threads = 64;
        core.instruction_bytes = 8;
        core.fetch_bytes = 16;
        core.instruction_buffer = 2;
        cache_numbers const l1i{2048, 4, 128, 128, 8, 4, 4};
        static_program program;
        program.instructions.resize(40);
        kernel_image const image(program, core);
        std::uint64_t const base = 0xF0000000;
        front_end<fetch::loose_round_robin, cache<linear_index, lru, on_fill, read_only>, Prefetch> front(
            core, l1i, {}, Prefetch{}, base);
        front.begin_kernel(image);
        warp_table table(2, 1);
        table.cta[0].stream.reset(1);
        for (std::uint32_t i = 0; i < 40; ++i) table.cta[0].stream.warps[0].append(i, all_lanes);
        table.warp[0].at = stream_cursor(table.stream(warp_slot{0}));
        table.live.insert(warp_slot{0});
        std::deque<std::pair<unsigned, std::uint64_t>> memory;
        auto& warp = table.warp[0];
        for (; !warp.at.done(); ++cycles) {
            if (!memory.empty() && memory.front().first == cycles) {
                front.fill(memory.front().second, 128);
                memory.pop_front();
            }
            if (front.has_latched()) { // all that is decoded issues at once
                front.decode(table);
                for (; warp.buffered != 0; --warp.buffered)
                    warp.at.advance(table.stream(warp_slot{0}), false);
                table.buffered.erase(warp_slot{0});
            }
            if (!warp.at.done()) front.fetch(table, data_misses);
            if (front.has_request()) {
                lines.push_back((front.request().address - base) / 128);
                memory.emplace_back(cycles + latency, front.request().address);
                front.pop_request();
            }
        }
        prefetches = front.prefetches();
    }
};

} // namespace

TEST_CASE("the front end: next-line prefetch runs one line ahead, and not beyond the kernel", "[gpu]") {
    // 40 instructions are 320 bytes: lines 0, 1 and the first half of 2.
    straight_run<fetch::no_prefetch> const without(100);
    CHECK(without.lines == std::vector<std::uint64_t>{0, 1, 2});
    CHECK(without.prefetches == 0);
    straight_run<fetch::next_line<>> const with(100);
    CHECK(with.lines == std::vector<std::uint64_t>{0, 1, 2});
    CHECK(with.prefetches == 2);
    // Line 1 comes with line 0, and line 2 is asked for when line 1 is fetched from for the first time, not when that
    // ends: eight fetches of two instructions each are hidden, and one latency whole.
    CHECK(without.cycles - with.cycles > 100);
    straight_run<fetch::next_line<>> const crowded(100, 16);
    CHECK(crowded.prefetches == 0);
    CHECK(crowded.cycles == without.cycles);
    CHECK(straight_run<fetch::next_line<0>>(100).cycles == without.cycles);
    // A stream buffer has asked for both before the first one comes.
    straight_run<fetch::stream_buffer<>> const stream(100);
    CHECK(stream.lines == std::vector<std::uint64_t>{0, 1, 2});
    CHECK(stream.prefetches == 2);
    CHECK(with.cycles - stream.cycles > 80);
    CHECK(straight_run<fetch::stream_buffer<1>>(100).cycles == with.cycles);
    CHECK(straight_run<fetch::stream_buffer<0>>(100).cycles == without.cycles);
}
