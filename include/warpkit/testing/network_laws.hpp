#pragma once
/// \file
/// The laws of a machine's network (use::network), to be run by its author, with the numbers of a machine, and those of
/// an arbitration (use::network_arbitration):
///
///     warpkit::testing::require_network_laws<my_network>(presets::gtx480::parameters());
///     warpkit::testing::require_network_arbitration_laws<my_arbitration>();

#include <warpkit/base/clock.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/gpu/memory/interconnect.hpp>
#include <warpkit/gpu/memory/mesh_interconnect.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policies.hpp>
#include <warpkit/noc/arbitration.hpp>
#include <warpkit/testing/memory_laws.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpkit::testing {

/// Tries the laws on a network, both ways, between links with random senders and receivers that take their time:
///   - every packet that is sent comes out once, at its destination, as it was sent; nothing else comes out
///   - none is under way for ever, and with all taken the network is idle
///   - a copy goes on alike
/// The credits of its links show what it takes: a packet stays in its input until the network lets it pass.
template <class N, class Arbitration = noc::round_robin_arbitration>
std::vector<violation> check_network_laws(gpu_parameters const& p, memory_law_options const& options = {}) {
    static_assert(check_network<N>() && check_network_arbitration<Arbitration>());
    using model = typename interconnect_of<N, Arbitration>::type;
    struct side {
        model network;
        heap_array<link<packet>> in;
        heap_array<link<packet>> out;
    };
    std::vector<violation> found;
    auto const period = tick_rate(p) / p.clock.interconnect;
    auto const latency = period * p.network.link_cycles;
    auto const slices = p.memory.channels * p.memory.slices;
    for (unsigned i = 0; i < options.streams; ++i) {
        bool const towards_memory = i % 2 == 0;
        random_numbers random(options.seed * 1000003 + i);
        auto const inputs = towards_memory ? p.core.count : slices;
        auto const outputs = towards_memory ? slices : p.core.count;
        side s{model(p, clock_domain(period), towards_memory),
               heap_array<link<packet>>(inputs, link<packet>(latency, p.network.input_flits)),
               heap_array<link<packet>>(outputs, link<packet>(latency, p.network.ejection))};
        auto copy = s;
        std::map<std::uint32_t, packet> under_way; // by token
        std::uint32_t sent = 0;
        bool go_on = true;
        auto const breach = [&](char const* law, std::string const& what) {
            if (go_on) found.push_back({N::name(), law, what, sent, options.seed, i});
            go_on = false;
        };
        auto const load = 5 + random.below(90);
        auto const patience = 20 + random.below(81);
        std::uint64_t windows = 0;
        for (; go_on && (sent < options.steps || !under_way.empty()); ++windows) {
            if (windows > 100 * std::uint64_t{options.steps}) {
                breach("none is under way for ever", std::to_string(under_way.size()) + " packets are");
                break;
            }
            auto const begin = windows * latency;
            auto const end = begin + latency;
            for (auto* x : {&s, &copy}) {
                for (auto& l : x->in) static_cast<void>(l.look(end));
                for (auto& l : x->out) static_cast<void>(l.look(end));
            }
            for (std::uint32_t from = 0; from < inputs && sent < options.steps; ++from) {
                auto const flits = static_cast<std::uint16_t>(1 + random.below(4));
                if (!random.chance(load) || !s.in[from].can_send(begin, flits)) continue;
                packet m;
                m.token = sent++;
                m.flits = flits;
                m.bytes = flits * 32U;
                auto const to = static_cast<std::uint16_t>(random.below(outputs));
                (towards_memory ? m.slice : m.core) = to;
                (towards_memory ? m.core : m.slice) = static_cast<std::uint16_t>(from);
                under_way[m.token] = m;
                s.in[from].send(begin, m, flits);
                if (copy.in[from].can_send(begin, flits)) copy.in[from].send(begin, m, flits);
            }
            s.network.advance(end, s.in, s.out);
            copy.network.advance(end, copy.in, copy.out);
            for (std::uint32_t at = 0; at < outputs && go_on; ++at)
                while (s.out[at].has_arrived(end - 1) && random.chance(patience)) {
                    auto const m = s.out[at].front();
                    s.out[at].pop(end - 1, 1);
                    if (!copy.out[at].has_arrived(end - 1) || !(copy.out[at].front() == m)) {
                        breach("a copy goes on alike", "at output " + std::to_string(at) + " it does not");
                        break;
                    }
                    copy.out[at].pop(end - 1, 1);
                    auto const known = under_way.find(m.token);
                    if (known == under_way.end())
                        breach("a packet comes out once",
                               "number " + std::to_string(m.token) + " does again");
                    else if ((towards_memory ? m.slice : m.core) != at)
                        breach("a packet comes out at its destination", "one is at " + std::to_string(at));
                    else if (!(known->second == m))
                        breach("a packet comes out as it was sent",
                               "number " + std::to_string(m.token) + " is another");
                    if (!go_on) break;
                    under_way.erase(known);
                }
        }
        for (std::uint64_t w = windows; go_on && w < windows + 64; ++w) { // credits on their way back
            for (auto& l : s.in) static_cast<void>(l.look((w + 1) * latency));
            s.network.advance((w + 1) * latency, s.in, s.out);
        }
        if (!s.network.idle()) breach("with all taken, the network is idle", "it is not");
    }
    return found;
}

/// Tries the laws on an arbitration: of the ports that ask one goes first, whatever was let go last, and it depends on
/// nothing but what it is told.
template <class A>
std::vector<violation> check_network_arbitration_laws(memory_law_options const& options = {}) {
    static_assert(check_network_arbitration<A>());
    std::vector<violation> found;
    random_numbers random(options.seed);
    A const policy;
    for (unsigned n = 0; n < options.steps && found.empty(); ++n) {
        noc::port_set asking;
        auto const ports = 1 + random.below(100);
        for (auto i = 1 + random.below(ports); i-- > 0;) asking.insert(random.below(ports));
        auto const last = random.below(ports);
        auto const spread = 1 + random.below(1000);
        auto const at = static_cast<std::uint32_t>(random.next());
        auto const born = [&](std::uint32_t i) { return at + i * 2654435761U % spread; };
        auto const picked = policy.pick(asking, last, born);
        unsigned many = 0;
        bool asks = true;
        picked.for_each([&](std::uint32_t i) {
            ++many;
            bool known = false;
            asking.for_each([&](std::uint32_t j) { known = known || i == j; });
            asks = asks && known;
        });
        auto const breach = [&](char const* law, std::string const& what) {
            found.push_back({A::name(), law, what, n, options.seed, 0});
        };
        if (many != 1)
            breach("one that asks is picked", std::to_string(many) + " were picked");
        else if (!asks)
            breach("one that asks is picked", "a port was picked that does not ask");
        else if (!(policy.pick(asking, last, born) == picked))
            breach("it depends on nothing but what it is told", "asked twice, it answered differently");
    }
    return found;
}

template <class N, class Arbitration = noc::round_robin_arbitration>
void require_network_laws(gpu_parameters const& p, memory_law_options const& options = {}) {
    detail::require<N>(check_network_laws<N, Arbitration>(p, options));
}
template <class A>
void require_network_arbitration_laws(memory_law_options const& options = {}) {
    detail::require<A>(check_network_arbitration_laws<A>(options));
}

} // namespace warpkit::testing
