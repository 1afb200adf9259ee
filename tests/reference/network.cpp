/// The networks of the engine between their links against the reference's, tick by tick.

#include <warpkit/gpu/memory/interconnect.hpp>
#include <warpkit/gpu/memory/mesh_interconnect.hpp>
#include <warpkit/noc/crossbar.hpp>
#include <warpkit/reference/network.hpp>
#include <warpkit/testing/random_core.hpp>

#include "catch.hpp"

#include <algorithm>
#include <string>
#include <vector>

using namespace warpkit;
using testing::random_numbers;

namespace {

/// A crossbar of noc/, with queues of its own, between links of the reference.
class crossbar_between_links {
public:
    crossbar_between_links(gpu_parameters const& p, tick period, bool towards_memory)
        : crossbar_(crossbar_parameters_of(p, towards_memory)),
          period_(period),
          destination_(towards_memory ? &packet::slice : &packet::core),
          inside_(crossbar_.numbers().inputs) {}
    void tick(warpkit::tick now, std::vector<reference::link<packet>>& in,
              std::vector<reference::link<packet>>& out) {
        if (now % period_ != 0) return;
        for (std::uint32_t i = 0; i < in.size(); ++i)
            for (; in[i].has_arrived(now, inside_[i]); ++inside_[i]) {
                auto const& p = in[i][inside_[i]];
                crossbar_.push(i, {p.*destination_, p.flits, p});
            }
        crossbar_.tick(
            now / period_, [&](std::uint32_t o, std::uint32_t) { return out[o].can_send(now); },
            [&](std::uint32_t o, noc::packet<packet> const& p) { out[o].send(now, p.payload); },
            [&](std::uint32_t i, std::uint32_t) {
                in[i].take(now);
                --inside_[i];
            });
    }
    noc::network_counters const& counters() const { return crossbar_.counters(); }
    bool idle() const { return crossbar_.idle(); }

private:
    noc::crossbar<packet> crossbar_;
    warpkit::tick period_;
    std::uint16_t packet::*destination_;
    std::vector<std::size_t> inside_;
};

/// A plain network with its links.
template <class Network>
struct plain_side {
    Network network;
    std::vector<reference::link<packet>> in, out;
    plain_side(gpu_parameters const& p, tick period, bool towards_memory, unsigned inputs, unsigned outputs)
        : network(p, period, towards_memory),
          in(inputs, reference::link<packet>(p.network.link_cycles * period, p.network.input_flits)),
          out(outputs, reference::link<packet>(p.network.link_cycles * period, p.network.ejection)) {}
};

/// The naive twins of the arbitrations: everybody is asked, the one whose turn it is first.
template <bool ByAge>
struct naive_arbitration {
    template <class Ports, class Born>
    Ports pick(Ports const& asking, std::uint32_t last, Born const& born) const {
        std::vector<std::uint32_t> in_turn;
        for (std::uint32_t k = 1; k <= Ports::capacity; ++k)
            if (asking.has((last + k) % Ports::capacity)) in_turn.push_back((last + k) % Ports::capacity);
        auto const behind = [&](auto i) {
            return static_cast<std::int32_t>(born(i) - born(in_turn.front()));
        };
        return Ports::only(!ByAge ? in_turn.front()
                                  : *std::min_element(in_turn.begin(), in_turn.end(),
                                                      [&](auto a, auto b) { return behind(a) < behind(b); }));
    }
};
using naive_turns = naive_arbitration<false>;
using naive_ages = naive_arbitration<true>;

struct traffic_result {
    std::string difference; ///< the first; empty for none
    std::uint64_t delivered = 0;
    noc::network_counters counted;
};

/// Random packets through an engine's network and a plain one, in windows as long as a link's latency: the senders, the
/// network and the receivers take their turns in any order.
template <class Engine, class Plain>
traffic_result agreement(std::uint64_t seed, gpu_parameters const& p, unsigned largest) {
    random_numbers r(seed);
    bool const towards_memory = r.chance(50);
    auto const slices = p.memory.channels * p.memory.slices;
    auto const inputs = towards_memory ? p.core.count : slices;
    auto const outputs = towards_memory ? slices : p.core.count;
    tick const period = 1 + r.below(5);
    tick const ends_period = 1 + r.below(5); // of those who send and receive
    clock_domain const clock(period);
    auto const latency = clock.at(p.network.link_cycles);
    Engine engine(p, clock, towards_memory);
    heap_array<warpkit::link<packet>> in(inputs, warpkit::link<packet>(latency, p.network.input_flits));
    heap_array<warpkit::link<packet>> out(outputs, warpkit::link<packet>(latency, p.network.ejection));
    plain_side<Plain> plain(p, period, towards_memory, inputs, outputs);
    auto const load = 1 + r.below(100), takes = 5 + r.below(96), targets = 1 + r.below(outputs);
    std::uint64_t number = 0;
    traffic_result result;
    auto const say = [&](char const* what, tick t, unsigned port) {
        if (result.difference.empty())
            result.difference = std::string(what) + " at tick " + std::to_string(t) + ", port " +
                                std::to_string(port) + ", seed " + std::to_string(seed);
    };
    unsigned const windows = 400;
    for (tick start = 0; result.difference.empty(); start += latency) {
        auto const end = start + latency;
        bool const quiet = start >= windows * latency; // it runs dry
        if (quiet && result.delivered == number) break;
        if (start == 100 * windows * latency) say("packets are lost", start, 0);
        auto const first = (start + ends_period - 1) / ends_period * ends_period;
        auto const networks = [&] {
            engine.advance(end, in, out);
            for (auto t = start; t < end; ++t) plain.network.tick(t, plain.in, plain.out);
        };
        auto const senders = [&] {
            for (auto t = first; t < end && !quiet; t += ends_period)
                for (unsigned i = 0; i < inputs; ++i) {
                    packet m;
                    m.flits = static_cast<std::uint16_t>(1 + r.below(largest));
                    m.core = m.slice = static_cast<std::uint16_t>(r.below(targets));
                    (towards_memory ? m.core : m.slice) = 999; // where it does not go
                    m.address = number;
                    m.born = static_cast<std::uint32_t>(number / 4) - 20 - r.below(4); // some before 2^32
                    bool const can = plain.in[i].can_send(t, m.flits);
                    if (in[i].can_send(t, m.flits) != can) say("other credits at the input", t, i);
                    if (!can || !r.chance(load)) continue;
                    ++number;
                    in[i].send(t, m, m.flits);
                    plain.in[i].send(t, m, m.flits);
                }
        };
        auto const receivers = [&] {
            for (auto t = first; t < end; t += ends_period)
                for (unsigned o = 0; o < outputs; ++o) {
                    bool const here = plain.out[o].has_arrived(t);
                    if (out[o].has_arrived(t) != here) say("another arrival at the output", t, o);
                    if (!here || !result.difference.empty() || !(quiet || r.chance(takes))) continue;
                    if (!(out[o].front() == plain.out[o].front())) say("another packet", t, o);
                    out[o].pop(t, 1);
                    plain.out[o].take(t);
                    ++result.delivered;
                }
        };
        for (auto& l : out) l.look(end);
        switch (r.below(3)) {
        case 0:
            receivers(), senders(), networks();
            break;
        case 1:
            senders(), networks(), receivers();
            break;
        default:
            networks(), receivers(), senders();
        }
        if (!(engine.counters() == plain.network.counters())) say("other counters", end, 0);
        if (engine.idle() && !plain.network.idle()) say("only one is idle", end, 0);
    }
    if (!plain.network.idle()) say("it is not idle", 0, 0);
    result.counted = engine.counters();
    return result;
}

gpu_parameters random_network(random_numbers& r, unsigned& largest) {
    gpu_parameters p;
    largest = 1 + r.below(6);
    p.network.flit = 32;
    p.l1d.line = largest * p.network.flit - packet_header;
    p.network.link_cycles = 1 + r.below(5);
    p.network.input_flits = largest + r.below(r.chance(50) ? 4 : 40);
    p.network.ejection = 1 + r.below(r.chance(50) ? 3 : 30);
    p.memory.slices = 1;
    return p;
}

gpu_parameters random_crossbar(std::uint64_t seed, unsigned& largest) {
    random_numbers r(seed);
    auto p = random_network(r, largest);
    p.core.count = seed % 10 == 0 ? 70 : 1 + r.below(16); // one word of ports, or several
    p.memory.channels = seed % 10 == 5 ? 70 : 1 + r.below(16);
    p.network.speedup = 1 + r.below(3);
    p.network.allocation = r.below(3);
    if (seed % 4 == 1) { // outputs choose in turn
        p.network.speedup = p.network.outputs_in_turn = 1;
        p.network.allocation = 0;
    }
    p.network.output_flits = r.chance(20) ? 0 : largest + r.below(r.chance(50) ? 4 : 40);
    return p;
}

gpu_parameters random_mesh(std::uint64_t seed, unsigned& largest) {
    random_numbers r(seed);
    auto p = random_network(r, largest);
    p.network.columns = seed % 10 == 0 ? 6 : 1 + r.below(5);
    p.network.rows = seed % 10 == 0 ? 6 : 2 + r.below(4);
    auto const nodes = p.network.columns * p.network.rows;
    p.memory.channels = 1 + r.below(nodes - 1);
    p.core.count = nodes - p.memory.channels;
    p.network.virtual_channels = 1 + r.below(4);
    p.network.channel_flits = 1 + r.below(6);
    p.network.router_cycles = 1 + r.below(3);
    p.network.channel_cycles = 1 + r.below(2);
    return p;
}

} // namespace

TEST_CASE("a crossbar agrees with the reference's") {
    std::uint64_t delivered = 0;
    noc::network_counters counted;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        unsigned largest = 0;
        auto const p = random_crossbar(seed, largest);
        auto const r = seed % 2 == 0
                           ? agreement<interconnect, reference::crossbar<naive_turns>>(seed, p, largest)
                           : agreement<crossbar_interconnect<noc::age_based_arbitration>,
                                       reference::crossbar<naive_ages>>(seed, p, largest);
        CHECK(r.difference == "");
        CHECK(agreement<interconnect, crossbar_between_links>(seed, p, largest).difference == "");
        delivered += r.delivered;
        counted += r.counted;
    }
    CHECK(delivered > 30'000);
    CHECK(counted.conflicts > 1000);
    CHECK(counted.refused_cycles > 1000);
}

TEST_CASE("a mesh agrees with the reference's") {
    std::uint64_t delivered = 0;
    noc::network_counters counted;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        unsigned largest = 0;
        auto const p = random_mesh(seed, largest);
        auto const r =
            seed % 2 == 0
                ? agreement<mesh_interconnect<packet>, reference::mesh<naive_turns>>(seed, p, largest)
                : agreement<mesh_interconnect<packet, noc::age_based_arbitration>,
                            reference::mesh<naive_ages>>(seed, p, largest);
        CHECK(r.difference == "");
        delivered += r.delivered;
        counted += r.counted;
    }
    CHECK(delivered > 20'000);
    CHECK(counted.conflicts > 1000);
    CHECK(counted.refused_cycles > 1000);
    CHECK(counted.hops > 10'000);
}
