#include <warpkit/base/hash.hpp>
#include <warpkit/machine/network_parameters.hpp>
#include <warpkit/noc/mesh.hpp>

#include "catch.hpp"
#include "noc/random_numbers.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

using namespace warpkit;
using namespace warpkit::noc;

static_assert(network<mesh<std::uint64_t>, std::uint64_t>);
static_assert(!std::is_polymorphic_v<mesh<std::uint64_t>>);

namespace {

using mesh_type = mesh<std::uint64_t>;
using message = noc::packet<std::uint64_t>;

message to(unsigned output, unsigned flits = 1, std::uint64_t payload = 0) {
    return {static_cast<std::uint16_t>(output), static_cast<std::uint16_t>(flits), payload};
}
constexpr auto always = [](std::uint32_t, std::uint32_t) { return true; };
constexpr auto nowhere = [](std::uint32_t, message const&) {};

std::vector<std::uint16_t> every_node(std::uint32_t nodes) {
    std::vector<std::uint16_t> all(nodes);
    std::iota(all.begin(), all.end(), std::uint16_t{0});
    return all;
}
/// An input and an output at every node.
mesh_parameters everywhere(std::uint32_t columns, std::uint32_t rows) {
    mesh_parameters p;
    p.columns = columns;
    p.rows = rows;
    p.inputs = p.outputs = every_node(columns * rows);
    return p;
}
/// OWL's: 28 cores and 8 memory controllers (docs/model/network.md#owl-mesh).
mesh_parameters owl() {
    mesh_parameters p;
    p.outputs = {3, 7, 10, 12, 23, 25, 28, 32};
    for (std::uint16_t n = 0; n < 36; ++n)
        if (std::find(p.outputs.begin(), p.outputs.end(), n) == p.outputs.end()) p.inputs.push_back(n);
    return p;
}

struct arrival {
    cycle at;
    std::uint32_t output;
    std::uint64_t payload;
    friend auto operator<=>(arrival const&, arrival const&) = default;
};

/// Flits per output and cycle when every input always has packets.
template <class Destination>
double throughput(mesh_parameters p, unsigned flits, Destination destination, unsigned cycles) {
    p.input_flits = 4 * flits;
    mesh_type x(p);
    for (cycle now = 0; now < cycles; ++now) {
        for (unsigned i = 0; i < p.inputs.size(); ++i)
            while (x.input_room(i) >= flits) x.push(i, to(destination(i), flits));
        x.tick(now, always, nowhere);
    }
    return static_cast<double>(x.counters().flits) / static_cast<double>(p.outputs.size()) / cycles;
}

} // namespace

TEST_CASE("an unloaded mesh: every pair takes the cycles that its way has") {
    auto const shapes = {owl(), everywhere(6, 6), everywhere(5, 2), everywhere(1, 1)};
    for (auto p : shapes) {
        for (auto const& [router, channel] : {std::pair{2u, 1u}, {1u, 3u}}) {
            p.router_cycles = router;
            p.channel_cycles = channel;
            mesh_type x(p);
            cycle now = 5;
            unsigned wrong = 0;
            for (unsigned i = 0; i < p.inputs.size(); ++i)
                for (unsigned o = 0; o < p.outputs.size(); ++o)
                    for (unsigned const flits : {1u, 3u}) {
                        auto const pushed = now;
                        x.push(i, to(o, flits));
                        cycle sent = never;
                        do {
                            x.tick(now, always, [&](std::uint32_t at, message const& m) {
                                wrong += at != o || m.flits != flits;
                                sent = now;
                            });
                            now = x.next_event(now);
                        } while (sent == never);
                        wrong += sent - pushed != p.zero_load(i, o, flits);
                        wrong += !x.idle();
                        now = sent + 7;
                    }
            CHECK(wrong == 0);
        }
    }
    // A corner to the far corner in OWL's: 10 channels, 11 routers of 2 cycles.
    auto const p = everywhere(6, 6);
    CHECK(p.hops(0, 35) == 10);
    CHECK(p.zero_load(0, 35, 1) == 32);
    CHECK(p.zero_load(0, 35, 3) == 34);
    CHECK(p.zero_load(14, 14, 1) == 2);
}

TEST_CASE("packets go along their row first; no channel waits for itself in a circle") {
    for (auto const& p : {everywhere(6, 6), everywhere(3, 4), everywhere(1, 5), owl()}) {
        mesh_type const x(p);
        using channel = std::pair<std::uint32_t, std::uint32_t>;
        std::map<channel, std::vector<channel>> waits_for;
        for (auto const from : p.inputs)
            for (std::uint32_t o = 0; o < p.outputs.size(); ++o) {
                channel last{from, from};
                std::uint32_t at = from;
                bool turned = false;
                while (x.next_node(at, o) != at) {
                    auto const next = x.next_node(at, o);
                    bool const in_row = next / p.columns == at / p.columns;
                    REQUIRE_FALSE((in_row && turned));
                    turned = turned || !in_row;
                    if (last.first != last.second) waits_for[last].push_back({at, next});
                    last = {at, next};
                    at = next;
                }
                REQUIRE(at == p.outputs[o]);
            }
        // Dally and Seitz 1987: no circle, no deadlock. Channels that wait for none are taken away until none is left.
        std::size_t before = 0;
        do {
            before = waits_for.size();
            std::erase_if(waits_for, [&](auto const& c) {
                return std::none_of(c.second.begin(), c.second.end(),
                                    [&](channel const& d) { return waits_for.count(d) != 0; });
            });
        } while (waits_for.size() != before);
        CHECK(waits_for.empty());
    }
}

TEST_CASE("random traffic: nothing lost, idle cycles may be skipped, nothing hangs") {
    std::string wrong;
    for (unsigned seed = 1; seed <= 60 && wrong.empty(); ++seed) {
        random_numbers random(seed);
        auto p = everywhere(1 + random.below(5), 1 + random.below(5));
        if (seed % 10 == 0) p = owl();
        if (seed % 10 == 5) { // replies: few inputs, many outputs
            p = owl();
            std::swap(p.inputs, p.outputs);
        }
        p.virtual_channels = 1 + random.below(4);
        p.buffer_flits = 1 + random.below(6);
        p.router_cycles = 1 + random.below(3);
        p.channel_cycles = 1 + random.below(2);
        p.input_flits = 6 + random.below(20);
        auto const inputs = static_cast<unsigned>(p.inputs.size());
        auto const outputs = static_cast<unsigned>(p.outputs.size());
        auto const load = 1 + random.below(60);
        auto const refusing = random.below(60);
        unsigned const cycles = 250;
        mesh_type every(p);
        mesh_type skipping(p);
        std::vector<arrival> got[2];
        cycle wake = 0;
        std::uint64_t pushed = 0;
        std::uint64_t pushed_flits = 0;
        std::uint64_t hops = 0;
        std::vector<std::uint32_t> freed(inputs);
        std::vector<std::uint32_t> given(inputs);
        for (cycle now = 0; now < cycles + 20000 && !(now >= cycles && every.idle()); ++now) {
            for (unsigned i = 0; now < cycles && i < inputs; ++i) {
                auto const m = to(random.below(outputs), 1 + random.below(6), pushed << 8 | i);
                if (random.below(100) >= load || every.input_room(i) < m.flits) continue;
                every.push(i, m);
                skipping.push(i, m);
                given[i] += m.flits;
                pushed_flits += m.flits;
                hops += std::uint64_t{m.flits} * p.hops(i, m.destination);
                ++pushed;
                wake = now;
            }
            auto const room = [&](std::uint32_t o, std::uint32_t) {
                return now >= cycles || hasher::mix(now / 4 * 1000 + o + seed) % 100 >= refusing;
            };
            auto const note = [&](int which) {
                return [&got, which, now](std::uint32_t o, message const& m) {
                    got[which].push_back({now, o, m.payload});
                };
            };
            every.tick(now, room, note(0), [&](std::uint32_t i, std::uint32_t n) { freed[i] += n; });
            if (now >= wake) {
                skipping.tick(now, room, note(1));
                wake = skipping.next_event(now);
            }
        }
        if (!every.idle()) wrong = "it hangs";
        if (freed != given) wrong = "room is lost";
        if (!(every == skipping) || hash_of(every) != hash_of(skipping)) wrong = "skipping is noticed";
        for (auto& g : got) std::sort(g.begin(), g.end());
        if (got[0] != got[1]) wrong = "skipping differs";
        auto const& c = every.counters();
        if (got[0].size() != pushed || c.packets != pushed || c.flits != pushed_flits || c.hops != hops)
            wrong = "not conserved";
        std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> last;
        std::vector<std::uint64_t> payloads;
        for (auto const& a : got[0]) {
            payloads.push_back(a.payload);
            auto& previous = last[{a.payload & 0xff, a.output}];
            if (every.keeps_order() && previous > a.payload) wrong = "out of order";
            previous = a.payload;
        }
        std::sort(payloads.begin(), payloads.end());
        if (std::adjacent_find(payloads.begin(), payloads.end()) != payloads.end()) wrong = "sent twice";
        if (!wrong.empty()) wrong += ", seed " + std::to_string(seed);
    }
    CHECK(wrong == "");
}

TEST_CASE("a mesh saturates where its bisection says") {
    // Each row's flows all cross the channel in its middle, one flit a cycle each way: 2 flits for 6 nodes.
    auto const mirrored = [](unsigned i) { return i / 6 * 6 + 5 - i % 6; };
    for (unsigned const flits : {1u, 4u}) {
        auto const rate = throughput(everywhere(6, 6), flits, mirrored, 3000);
        CHECK(rate <= 2.0 / 6);
        CHECK(rate == Approx(2.0 / 6).epsilon(0.01));
    }
    // Uniform: half of all flits cross the middle, in 6 channels each way: 4 / 6 of a flit for each node at the most.
    random_numbers random(1);
    auto const anywhere = [&](unsigned) { return random.below(36); };
    double before = 0;
    for (unsigned const channels : {1u, 2u, 4u, 8u}) {
        auto p = everywhere(6, 6);
        p.virtual_channels = channels;
        auto const rate = throughput(p, 1, anywhere, 1500);
        CHECK(rate < 4.0 / 6);
        CHECK(rate > before); // virtual channels get packets past those that wait
        before = rate;
    }
    CHECK(before > 0.8 * 4 / 6);
}

TEST_CASE("one virtual channel needs as many places as a credit takes for its round") {
    // A place is used again channel + (channel + router) cycles after the last time: 4 here.
    auto p = everywhere(2, 1);
    p.virtual_channels = 1;
    auto const over = [](unsigned i) { return 1 - i; };
    for (unsigned const places : {1u, 2u, 3u, 4u, 8u}) {
        p.buffer_flits = places;
        CHECK(throughput(p, 1, over, 4000) == Approx(std::min(places, 4u) / 4.0).epsilon(0.01));
    }
}

TEST_CASE("a receiver without room holds back its own packets; others pass in another virtual channel") {
    for (unsigned const channels : {1u, 2u}) {
        auto p = everywhere(4, 1);
        p.virtual_channels = channels;
        p.buffer_flits = 2;
        p.input_flits = 16;
        mesh_type x(p);
        auto const not_3 = [](std::uint32_t o, std::uint32_t) { return o != 3; };
        std::vector<std::uint64_t> seen;
        auto const note = [&](std::uint32_t, message const& m) { seen.push_back(m.payload); };
        x.push(0, to(3, 8, 1)); // output 3 has put it together but for its last flit
        x.push(
            0,
            to(3, 8,
               2)); // and this one, where there is another virtual channel; else it stands all over the way
        for (cycle now = 0; now < 40; ++now) x.tick(now, not_3, note);
        x.push(1, to(2, 1, 3));
        for (cycle now = 40; now < 80; ++now) x.tick(now, not_3, note);
        CHECK(seen == (channels == 1 ? std::vector<std::uint64_t>{} : std::vector<std::uint64_t>{3}));
        CHECK(x.counters().refused_cycles != 0);
        for (cycle now = 80; now < 120; ++now) x.tick(now, always, note);
        CHECK(seen.size() == 3);
        CHECK(x.idle());
    }
}

TEST_CASE("impossible meshes are refused with the nearest legal value") {
    auto const refused = [](auto change, std::string const& message) {
        auto p = owl();
        change(p);
        CHECK_THROWS_WITH(p.check(72), Catch::StartsWith("mesh: " + message));
        if (message.find("input_flits") == message.npos) CHECK_THROWS_AS(mesh_type(p), error);
    };
    CHECK_NOTHROW(owl().check(72));
    refused([](auto& p) { p.columns = 0; }, "columns = 0 is below 1; nearest legal value: 1");
    refused([](auto& p) { p.rows = 2000; },
            "6 columns of 2000 rows are above 1024 nodes; nearest legal value: rows = 170");
    refused([](auto& p) { p.virtual_channels = 0; },
            "virtual_channels = 0 is below 1; nearest legal value: 1");
    refused([](auto& p) { p.virtual_channels = 9; },
            "virtual_channels = 9 is above 8; nearest legal value: 8");
    refused([](auto& p) { p.buffer_flits = 0; }, "buffer_flits = 0 is below 1; nearest legal value: 1");
    refused([](auto& p) { p.router_cycles = 0; }, "router_cycles = 0 is below 1; nearest legal value: 1");
    refused([](auto& p) { p.channel_cycles = 0; }, "channel_cycles = 0 is below 1; nearest legal value: 1");
    refused([](auto& p) { p.flit_bytes = 0; }, "flit_bytes = 0 is below 1; nearest legal value: 1");
    refused([](auto& p) { p.input_flits = 2; }, "input_flits = 2 is below 3; nearest legal value: 3");
    refused([](auto& p) { p.inputs = {}; }, "no inputs; nearest legal value: one");
    refused([](auto& p) { p.inputs.resize(40); },
            "40 inputs at 36 nodes; nearest legal value: 36, one at each");
    refused([](auto& p) { p.outputs[2] = 7; }, "outputs[2] = 7 names a node twice; nearest legal value: 0");
    refused([](auto& p) { p.outputs[1] = 36; }, "outputs[1] = 36 is no node; nearest legal value: 0");
}

TEST_CASE("a machine's mesh: OWL's places, even spreading, and what cannot be") {
    gpu_parameters g;
    g.core.count = 28;
    g.memory.channels = 8;
    g.memory.slices = 1;
    g.l1d.line = 64;
    g.l1i.line = 256;
    g.network = {32, 4, 1, 0, 0, 16, 16, 8, 6, 6, 2, 8, 2, 1};
    g.memory_nodes = "3 7 10 12, 23 25 28 32";
    CHECK(mesh_parameters_of(g, true) == [] {
        auto p = owl();
        p.input_flits = 16;
        return p;
    }());
    auto const replies = mesh_parameters_of(g, false);
    CHECK(replies.inputs == owl().outputs);
    CHECK(replies.outputs == owl().inputs);
    auto const refused = [&](std::string const& nodes, std::string const& message) {
        auto h = g;
        h.memory_nodes = nodes;
        CHECK_THROWS_WITH(mesh_parameters_of(h, true), Catch::Contains(message));
    };
    refused("3 7 10", "names 3 nodes for 8 L2 slices; nearest legal value: 8 nodes, or none");
    refused("3 7 10 12 23 25 28 36", "node 36 is not in a mesh of 36; nearest legal value: 35");
    refused("3 3 10 12 23 25 28 32", "names a node twice");
    refused("3 x", "write the numbers of nodes");
    g.memory_nodes = "";
    CHECK(memory_nodes_of(g) == std::vector<std::uint16_t>{2, 6, 11, 15, 20, 24, 29, 33});
    g.network.rows = 5;
    CHECK_THROWS_WITH(mesh_parameters_of(g, true),
                      Catch::Contains("36 cores and L2 slices do not fit into 6 columns of 5 rows; nearest "
                                      "legal value: network.rows = 6"));
}

TEST_CASE("a mesh is a value: a copy goes its own way") {
    mesh_type a(everywhere(3, 3));
    for (unsigned i = 0; i < 9; ++i)
        for (unsigned k = 0; k < 3; ++k) a.push(i, to((i * k) % 9, 1 + k % 3, i * 8 + k));
    a.tick(0, always, nowhere);
    auto b = a;
    CHECK(a == b);
    for (cycle now = 1; now < 8; ++now) b.tick(now, always, nowhere);
    CHECK_FALSE(a == b);
    CHECK(hash_of(a) != hash_of(b));
    for (cycle now = 1; now < 8; ++now) a.tick(now, always, nowhere);
    CHECK(a == b);
    CHECK(hash_of(a) == hash_of(b));
}
