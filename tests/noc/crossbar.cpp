#include <warpkit/base/hash.hpp>
#include <warpkit/noc/crossbar.hpp>

#include "catch.hpp"
#include "noc/random_numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

using namespace warpkit;
using namespace warpkit::noc;

static_assert(network<crossbar<std::uint64_t>, std::uint64_t>);
static_assert(!std::is_polymorphic_v<crossbar<std::uint64_t>>);
static_assert(std::is_trivially_copyable_v<packet<std::uint64_t>> &&
              std::is_trivially_copyable_v<crossbar_parameters>);

namespace {

using switch_type = crossbar<std::uint64_t>;
using message = packet<std::uint64_t>;

/// What a network must be, and nothing more.
struct archetype {
    std::uint32_t input_room(std::uint32_t) const { return 0; }
    void push(std::uint32_t, message const&) {}
    template <class CanSend, class Send, class Freed = noc::detail::freed_unheard>
    void tick(cycle, CanSend can_send, Send send, Freed freed = {}) {
        if (can_send(0U, 1U)) send(0U, message{});
        freed(0U, 1U);
    }
    bool keeps_order() const { return true; }
    bool idle() const { return true; }
    cycle next_event(cycle) const { return never; }
    bool operator==(archetype const&) const = default;
};
static_assert(network<archetype, std::uint64_t>);
static_assert(!network<message, std::uint64_t>);

message to(unsigned output, unsigned flits = 1, std::uint64_t payload = 0) {
    return {static_cast<std::uint16_t>(output), static_cast<std::uint16_t>(flits), payload};
}

constexpr auto always = [](std::uint32_t, std::uint32_t) { return true; };
constexpr auto nowhere = [](std::uint32_t, message const&) {};

crossbar_parameters shape(unsigned inputs, unsigned outputs, unsigned speedup, unsigned output_flits,
                          unsigned input_flits = 64) {
    crossbar_parameters p;
    p.inputs = inputs;
    p.outputs = outputs;
    p.internal_speedup = speedup;
    p.allocation = 0;
    p.output_flits = output_flits;
    p.input_flits = input_flits;
    return p;
}

struct arrival {
    cycle at;
    std::uint32_t output;
    message what;
    friend bool operator==(arrival const&, arrival const&) = default;
};

/// Flits per output and cycle when every input always has packets; `destination(input)` chooses.
template <class Destination>
double throughput(crossbar_parameters const& p, unsigned flits, Destination destination,
                  unsigned cycles = 20000) {
    switch_type x(p);
    for (cycle now = 0; now < cycles; ++now) {
        for (unsigned i = 0; i < p.inputs; ++i)
            while (x.input_room(i) >= flits) x.push(i, to(destination(i), flits));
        x.tick(now, always, nowhere);
    }
    return static_cast<double>(x.counters().flits) / p.outputs / cycles;
}

} // namespace

TEST_CASE("packet sizes and flits") {
    CHECK(read_request_bytes() == 8);
    CHECK(write_request_bytes(128) == 136);
    CHECK(read_reply_bytes(32) == 40);
    CHECK(write_reply_bytes() == 8);
    crossbar_parameters p;
    p.flit_bytes = 40; // GPGPU-Sim 4.x
    CHECK(p.flits(read_request_bytes()) == 1);
    CHECK(p.flits(read_reply_bytes(32)) == 1);
    CHECK(p.flits(read_reply_bytes(128)) == 4);
    p.flit_bytes = 32; // 3.x
    CHECK(p.flits(read_reply_bytes(32)) == 2);
    CHECK(p.flits(read_reply_bytes(128)) == 5);
    p.flit_bytes = 0; // local crossbar: one slot whatever the size
    CHECK(p.flits(read_request_bytes()) == 1);
    CHECK(p.flits(read_reply_bytes(128)) == 1);
}

TEST_CASE("an unloaded packet leaves in the cycle in which it was pushed") {
    for (unsigned const buffer : {0u, 64u}) {
        switch_type x(shape(4, 3, 2, buffer));
        CHECK(x.idle());
        CHECK(x.next_event(9) == never);
        x.push(2, to(1, 4, 77));
        CHECK_FALSE(x.idle());
        CHECK(x.next_event(9) == 10);
        std::vector<arrival> seen;
        x.tick(10, always, [&](std::uint32_t o, message const& m) { seen.push_back({10, o, m}); });
        CHECK(seen == std::vector<arrival>{{10, 1, to(1, 4, 77)}});
        CHECK(x.idle());
    }
}

TEST_CASE("a link carries one flit per cycle; the switch is internal_speedup times as fast") {
    auto const starts = [](crossbar_parameters const& p, std::vector<message> const& from_0) {
        switch_type x(p);
        for (auto const& m : from_0) x.push(0, m);
        std::vector<cycle> at;
        for (cycle now = 0; now < 40; ++now)
            x.tick(now, always, [&](std::uint32_t, message const&) { at.push_back(now); });
        return at;
    };
    // to one output: its link takes 4 cycles for each
    CHECK(starts(shape(2, 2, 2, 64), {to(0, 4), to(0, 4), to(0, 4)}) == std::vector<cycle>{0, 4, 8});
    CHECK(starts(shape(2, 2, 1, 0), {to(0, 4), to(0, 4), to(0, 4)}) == std::vector<cycle>{0, 4, 8});
    // to different outputs: the input holds the next one back for 4 / speedup cycles
    CHECK(starts(shape(2, 3, 1, 64), {to(0, 4), to(1, 4), to(2, 4)}) == std::vector<cycle>{0, 4, 8});
    CHECK(starts(shape(2, 3, 2, 64), {to(0, 4), to(1, 4), to(2, 4)}) == std::vector<cycle>{0, 2, 4});
    CHECK(starts(shape(2, 3, 4, 64), {to(0, 4), to(1, 4), to(2, 4)}) == std::vector<cycle>{0, 1, 2});
    CHECK(starts(shape(2, 2, 2, 64), {to(0, 1), to(1, 1)}) == std::vector<cycle>{0, 0});
    // the allocation of its virtual channel takes one of a cycle's two turns, the flit the other
    auto allocating = shape(2, 3, 2, 64);
    allocating.allocation = 1;
    CHECK(starts(allocating, {to(0, 1), to(1, 1), to(2, 1)}) == std::vector<cycle>{0, 1, 2});
    CHECK(starts(allocating, {to(0, 4), to(1, 4), to(2, 4)}) == std::vector<cycle>{0, 2, 5});
    // without an output buffer switch and link are one
    CHECK(starts(shape(2, 3, 2, 0), {to(0, 4), to(1, 4), to(2, 4)}) == std::vector<cycle>{0, 4, 8});
}

TEST_CASE("outputs grant their inputs in turn: equal shares, whatever the load elsewhere") {
    for (unsigned const buffer : {0u, 64u}) {
        auto const p = shape(5, 2, 1, buffer);
        switch_type x(p);
        std::vector<unsigned> share(5);
        for (cycle now = 0; now < 5000; ++now) {
            for (unsigned i = 0; i < 5; ++i)
                while (x.input_room(i) >= 2) x.push(i, to(0, 2, i));
            x.tick(now, always, [&](std::uint32_t, message const& m) { ++share[m.payload]; });
        }
        CHECK(std::vector<unsigned>(5, 500) == share); // 2500 packets of 2 flits in 5000 cycles
    }
    // an input that asks rarely is served within one turn
    switch_type x(shape(4, 1, 1, 0));
    cycle longest = 0;
    cycle asked = 0;
    for (cycle now = 0; now < 1000; ++now) {
        for (unsigned i = 0; i < 3; ++i)
            while (x.input_room(i) >= 1) x.push(i, to(0, 1, i));
        if (now % 10 == 0) {
            x.push(3, to(0, 1, 3));
            asked = now;
        }
        x.tick(now, always, [&](std::uint32_t, message const& m) {
            if (m.payload == 3) longest = std::max(longest, now - asked);
        });
    }
    CHECK(longest == 3);
}

TEST_CASE("a permutation runs at full rate; uniform random traffic saturates where theory says") {
    auto const shifted = [](unsigned n) { return [n](unsigned i) { return (i + 3) % n; }; };
    CHECK(throughput(shape(15, 15, 1, 0), 1, shifted(15)) == 1.0);
    CHECK(throughput(shape(15, 15, 2, 64), 4, shifted(15)) == 1.0);
    CHECK(throughput(shape(132, 132, 1, 0), 5, shifted(132), 2000) == 1.0);

    // Head-of-line blocking: Karol, Hluchyj and Morgan, Input versus output queueing, 1987, table I.
    random_numbers random(1);
    for (auto const& [n, limit] : {std::pair{2u, 0.75}, {4u, 0.6553}, {8u, 0.6184}}) {
        auto const anywhere = [&, ports = n](unsigned) { return random.below(ports); };
        CHECK(throughput(shape(n, n, 1, 0), 1, anywhere) == Approx(limit).epsilon(0.01));
    }
    // a switch twice as fast as the links lifts most of it
    auto const anywhere = [&](unsigned) { return random.below(16); };
    auto twice = shape(16, 16, 2, 64);
    CHECK(throughput(twice, 1, anywhere) > 0.95);
    // but not of packets of one flit, if each spends one of its cycle's two turns on its virtual channel
    twice.allocation = 1;
    CHECK(throughput(twice, 1, anywhere) == Approx(0.6).epsilon(0.01));
    CHECK(throughput(twice, 4, anywhere) > 0.8);
}

TEST_CASE("a receiver without room holds its own output back, and others only behind it") {
    switch_type x(shape(2, 2, 1, 4));
    auto const only_1 = [](std::uint32_t o, std::uint32_t) { return o == 1; };
    for (unsigned k = 0; k < 6; ++k) x.push(0, to(0, 2, k));
    x.push(1, to(1, 2, 9));
    std::vector<std::uint64_t> seen;
    auto const note = [&](std::uint32_t, message const& m) { seen.push_back(m.payload); };
    for (cycle now = 0; now < 20; ++now) x.tick(now, only_1, note);
    CHECK(seen == std::vector<std::uint64_t>{9});
    CHECK(x.counters().refused_cycles == 20);
    CHECK(x.input_room(0) == 64 - 8); // two of six packets have reached the output buffer of 4 flits
    CHECK(x.next_event(19) == 20);
    x.push(0, to(1, 2, 10)); // waits behind them
    for (cycle now = 20; now < 40; ++now) x.tick(now, always, note);
    CHECK(seen == std::vector<std::uint64_t>{9, 0, 1, 2, 3, 4, 10, 5}); // 5 is in output 0's buffer by then
    CHECK(x.idle());
}

TEST_CASE("outputs in turn: an input serves several in a cycle, if their numbers rise") {
    crossbar_parameters p;
    p.inputs = 2;
    p.outputs = 4;
    p.flit_bytes = 0;
    p.internal_speedup = 1;
    p.allocation = 0;
    auto const seen_by = [&](std::uint32_t in_turn) {
        p.outputs_in_turn = in_turn;
        switch_type x(p);
        for (auto const o : {1U, 2U, 0U, 3U}) x.push(0, to(o, 1, 10 + o));
        x.push(1, to(2, 1, 22));
        std::vector<std::vector<std::uint64_t>> seen;
        for (cycle now = 0; !x.idle(); ++now) {
            seen.emplace_back();
            x.tick(now, always, [&](std::uint32_t, message const& m) { seen.back().push_back(m.payload); });
        }
        return seen;
    };
    using cycles = std::vector<std::vector<std::uint64_t>>;
    CHECK(seen_by(0) == cycles{{11, 22}, {12}, {10}, {13}});
    CHECK(seen_by(1) == cycles{{11, 12}, {10, 22, 13}});
    p.outputs_in_turn = 1;
    p.internal_speedup = 2;
    CHECK_THROWS_AS(switch_type(p), error);
}

TEST_CASE("random traffic: nothing lost, order kept, idle cycles may be skipped") {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        random_numbers random(seed);
        auto const wide = seed % 10 == 0;
        crossbar_parameters p;
        p.inputs = wide ? 132 : 1 + random.below(30);
        p.outputs = wide ? 96 : 1 + random.below(30);
        p.internal_speedup = 1 + random.below(3);
        p.allocation = random.below(3);
        p.outputs_in_turn = p.internal_speedup == 1 && p.allocation == 0 ? 1 : 0;
        auto const largest = 1 + random.below(5);
        p.output_flits = random.below(3) == 0 ? 0 : largest + random.below(seed % 2 == 0 ? 3 : 40);
        p.input_flits = largest + random.below(60);
        INFO("seed " << seed);
        auto const load = 1 + random.below(60);
        auto const refusing = random.below(60);
        unsigned const cycles = wide ? 150 : 600;
        switch_type every(p);
        switch_type skipping(p);
        std::vector<arrival> got[2];
        cycle wake = 0;
        std::uint64_t pushed = 0;
        std::uint64_t pushed_flits = 0;
        for (cycle now = 0; now < cycles + 20000 && !(now >= cycles && every.idle()); ++now) {
            for (unsigned i = 0; now < cycles && i < p.inputs; ++i) {
                auto const m = to(random.below(p.outputs), 1 + random.below(largest), pushed << 8 | i);
                if (random.below(100) >= load || every.input_room(i) < m.flits) continue;
                every.push(i, m);
                skipping.push(i, m);
                wake = now;
                pushed_flits += m.flits;
                ++pushed;
            }
            // receivers refuse at random, the same in both, and stop refusing at the end
            auto const room = [&](std::uint32_t o, std::uint32_t) {
                return now >= cycles || hasher::mix(now / 4 * 1000 + o + seed) % 100 >= refusing;
            };
            auto const note = [&](int which) {
                return [&got, which, now](std::uint32_t o, message const& m) {
                    got[which].push_back({now, o, m});
                };
            };
            every.tick(now, room, note(0));
            if (now >= wake) {
                skipping.tick(now, room, note(1));
                wake = skipping.next_event(now);
            }
        }
        CHECK(every.idle());
        auto const by_cycle_and_output = [](std::vector<arrival> v) {
            std::stable_sort(v.begin(), v.end(), [](arrival const& a, arrival const& b) {
                return std::tie(a.at, a.output) < std::tie(b.at, b.output);
            });
            return v;
        };
        CHECK(by_cycle_and_output(got[0]) == by_cycle_and_output(got[1]));
        CHECK(every == skipping);
        CHECK(hash_of(every) == hash_of(skipping));

        // conservation
        REQUIRE(got[0].size() == pushed);
        CHECK(every.counters().packets == pushed);
        CHECK(every.counters().flits == pushed_flits);
        std::set<std::uint64_t> payloads;
        std::vector<std::uint64_t> last(std::size_t{p.inputs} * p.outputs);
        std::vector<cycle> link_free(p.outputs);
        bool ordered = true;
        bool delivered = true;
        bool one_flit_per_cycle = true;
        std::set<cycle> busy;
        for (auto const& a : got[0]) {
            for (unsigned f = 0; f < a.what.flits; ++f) busy.insert(a.at + f);
            payloads.insert(a.what.payload);
            auto& previous = last[(a.what.payload & 0xff) * p.outputs + a.output];
            ordered &= previous <= a.what.payload;
            previous = a.what.payload;
            delivered &= a.output == a.what.destination;
            one_flit_per_cycle &= a.at >= link_free[a.output];
            link_free[a.output] = a.at + a.what.flits;
        }
        CHECK(every.counters().busy_cycles == busy.size());
        CHECK(payloads.size() == pushed);
        CHECK(ordered);
        CHECK(delivered);
        CHECK(one_flit_per_cycle);
    }
}

TEST_CASE("busy cycles are those in which a link carries a flit") {
    switch_type x(shape(2, 2, 1, 0));
    x.push(0, to(0, 3));
    x.tick(0, always, nowhere);
    x.push(1, to(1, 4));
    x.tick(1, always, nowhere); // 0-2 and 1-4
    CHECK(x.counters().busy_cycles == 5);
    x.push(0, to(0, 2));
    x.tick(10, always, nowhere);
    CHECK(x.counters().busy_cycles == 7);
    CHECK(x.counters().conflicts == 0);
    x.push(0, to(1, 1));
    x.push(1, to(1, 1));
    for (cycle now = 12; now < 14; ++now) x.tick(now, always, nowhere);
    CHECK(x.counters().conflicts == 1);
    auto sum = x.counters();
    sum += x.counters();
    CHECK(sum.busy_cycles == 18);
    CHECK(sum.packets == 10);
    CHECK(sum.flits == 22);
    CHECK(sum.conflicts == 2);
}

TEST_CASE("impossible crossbars are refused with the nearest legal value") {
    auto const refused = [](auto change, std::string const& message) {
        auto p = shape(15, 12, 2, 64);
        change(p);
        CHECK_THROWS_WITH(p.check(136), Catch::StartsWith("crossbar: " + message));
    };
    CHECK_NOTHROW(shape(15, 12, 2, 64).check(136));
    CHECK_NOTHROW(shape(15, 12, 2, 0).check(136));
    refused([](auto& p) { p.inputs = 0; }, "inputs = 0 is below 1; nearest legal value: 1");
    refused([](auto& p) { p.outputs = 0; }, "outputs = 0 is below 1; nearest legal value: 1");
    refused([](auto& p) { p.internal_speedup = 0; },
            "internal_speedup = 0 is below 1; nearest legal value: 1");
    refused([](auto& p) { p.input_flits = 3; },
            "input_flits = 3 is below 4 (the largest packet); nearest legal value: 4");
    refused([](auto& p) { p.output_flits = 2; }, "output_flits = 2 is below 4 (the largest packet)");
    CHECK_THROWS_AS(switch_type(shape(0, 1, 1, 0)), error);
}

TEST_CASE("a crossbar is a value: a copy goes its own way") {
    switch_type a(shape(4, 4, 2, 8));
    for (unsigned i = 0; i < 4; ++i)
        for (unsigned k = 0; k < 8; ++k) a.push(i, to((i * k) % 4, 1 + k % 3, i * 8 + k));
    a.tick(0, always, nowhere);
    auto b = a;
    CHECK(a == b);
    for (cycle now = 1; now < 6; ++now) b.tick(now, always, nowhere);
    CHECK_FALSE(a == b);
    CHECK(hash_of(a) != hash_of(b));
    for (cycle now = 1; now < 6; ++now) a.tick(now, always, nowhere);
    CHECK(a == b);
    CHECK(hash_of(a) == hash_of(b));
}
