// Load-latency curves of a mesh or a crossbar, beside what can be calculated: the latency without load, and the load
// that fills the busiest channel.

#include <warpkit/base/error.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/output_file.hpp>
#include <warpkit/noc/crossbar.hpp>
#include <warpkit/noc/mesh.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/text.hpp>

#include "support/command_line.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace warpkit;
using namespace warpkit::noc;

namespace {

struct options {
    std::vector<std::string> traffic;
    mesh_parameters shape;
    unsigned flits = 0;
    unsigned cycles = 10000;
    bool as_crossbar = false;
    std::string json, svg;
};

/// A shape, who sends to whom, and packets of one size.
struct scenario {
    std::string name;
    mesh_parameters shape;
    unsigned flits = 1;
    bool mirrored = false;

    /// Outputs that input `i` sends to, equally often.
    std::vector<unsigned> targets(unsigned i) const {
        if (mirrored) {
            auto const columns = shape.columns;
            return {i / columns * columns + columns - 1 - i % columns};
        }
        std::vector<unsigned> all(shape.outputs.size());
        for (unsigned o = 0; o < all.size(); ++o) all[o] = o;
        return all;
    }
};
scenario named(std::string const& name, options const& o) {
    scenario s{name, o.shape, 1, name == "mirror"};
    std::vector<std::uint16_t> const memory{3, 7, 10, 12, 23, 25, 28, 32};
    std::vector<std::uint16_t> cores, all;
    for (std::uint16_t n = 0; n < 36; ++n) {
        all.push_back(n);
        if (std::find(memory.begin(), memory.end(), n) == memory.end()) cores.push_back(n);
    }
    if (name == "uniform" || name == "mirror") {
        s.shape.inputs = s.shape.outputs = all;
    } else if (name == "owl-requests") {
        s.shape.inputs = cores;
        s.shape.outputs = memory;
    } else if (name == "owl-replies") {
        s.shape.inputs = memory;
        s.shape.outputs = cores;
        s.flits = 3;
    } else {
        throw error("no traffic '" + name + "'; there are uniform, mirror, owl-requests and owl-replies");
    }
    if (o.flits != 0) s.flits = o.flits;
    s.shape.input_flits = std::max(s.shape.input_flits, s.flits);
    return s;
}

/// What can be said without simulating.
struct analysis {
    double latency = 0; ///< mean over pairs, without load
    double limit = 1;   ///< flits per input and cycle that fill the busiest channel, input or output
};
analysis analyse(scenario const& s, bool as_crossbar) {
    mesh<int> const m(s.shape);
    analysis a;
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> load; // of channels and outputs
    double pairs = 0;
    for (unsigned i = 0; i < s.shape.inputs.size(); ++i) {
        auto const targets = s.targets(i);
        for (auto const o : targets) {
            a.latency += as_crossbar ? s.flits - 1 : s.shape.zero_load(i, o, s.flits);
            ++pairs;
            auto const share = 1.0 / static_cast<double>(targets.size());
            for (std::uint32_t at = s.shape.inputs[i];;) {
                auto const next = as_crossbar ? s.shape.outputs[o] : m.next_node(at, o);
                load[{as_crossbar ? next : at, next}] += share;
                if (next == s.shape.outputs[o] && (as_crossbar || next == at)) break;
                at = next;
            }
        }
    }
    a.latency /= pairs;
    for (auto const& l : load) a.limit = std::min(a.limit, 1 / l.second);
    return a;
}

struct point {
    double offered = 0, accepted = 0; ///< flits per input and cycle
    double latency = 0;               ///< cycles from a packet's birth until its last flit is out, mean
    bool saturated = false;
};
template <class Network>
point measure(Network network, unsigned tail, scenario const& s, double offered, unsigned cycles) {
    struct born {
        cycle at;
        unsigned output;
    };
    std::vector<std::deque<born>> waiting(s.shape.inputs.size());
    std::uint64_t drawn = 1, came = 0, flits = 0, packets = 0, sum = 0, made = 0, sent = 0;
    auto const random = [&drawn] { return hasher::mix(drawn += 0x9e3779b97f4a7c15U); };
    auto const share = offered / s.flits;
    auto const chance = share >= 1 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(share * 0x1p64);
    std::vector<std::vector<unsigned>> targets;
    for (unsigned i = 0; i < waiting.size(); ++i) targets.push_back(s.targets(i));
    // Then nothing new is made, until the network is empty.
    for (cycle now = 0; now < 2 * cycles || made != sent; ++now) {
        if (now > 100 * cycles) throw error("the network does not get empty");
        for (unsigned i = 0; i < waiting.size(); ++i) {
            if (now < 2 * cycles && random() < chance) {
                if (now >= cycles) came += s.flits;
                waiting[i].push_back({now, targets[i][random() % targets[i].size()]});
                ++made;
            }
            while (!waiting[i].empty() && network.input_room(i) >= s.flits) {
                auto const& b = waiting[i].front();
                network.push(
                    i, {static_cast<std::uint16_t>(b.output), static_cast<std::uint16_t>(s.flits), b.at});
                waiting[i].pop_front();
            }
        }
        network.tick(
            now, [](std::uint32_t, std::uint32_t) { return true; },
            [&](std::uint32_t, packet<cycle> const& p) {
                ++sent;
                if (now >= cycles && now < 2 * cycles) flits += p.flits;
                if (p.payload < cycles || p.payload >= 2 * cycles) return;
                ++packets;
                sum += now + tail - p.payload;
            });
    }
    point r;
    r.offered = offered;
    r.accepted = static_cast<double>(flits) / cycles / static_cast<double>(waiting.size());
    r.latency = packets == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(packets);
    r.saturated = static_cast<double>(flits) < 0.95 * static_cast<double>(came); // drawn at random
    return r;
}

struct curve {
    scenario what;
    analysis calculated;
    std::vector<point> points;
};
curve draw(scenario const& s, options const& o) {
    curve c{s, analyse(s, o.as_crossbar), {}};
    for (unsigned percent = 5; percent <= 110; percent += percent < 60 ? 10 : 5) {
        auto const offered = c.calculated.limit * percent / 100;
        if (offered > 1) break;
        if (o.as_crossbar) {
            crossbar_parameters x;
            x.inputs = static_cast<std::uint32_t>(s.shape.inputs.size());
            x.outputs = static_cast<std::uint32_t>(s.shape.outputs.size());
            x.input_flits = s.shape.input_flits;
            x.output_flits = 0;
            x.internal_speedup = 1;
            c.points.push_back(measure(crossbar<cycle>(x), s.flits - 1, s, offered, o.cycles));
        } else {
            c.points.push_back(measure(mesh<cycle>(s.shape), 0, s, offered, o.cycles));
        }
    }
    return c;
}

void print(curve const& c) {
    std::cout << '\n'
              << c.what.name << ": without load " << report::fixed(c.calculated.latency, 2)
              << " cycles; the busiest channel is full at " << report::fixed(c.calculated.limit, 3)
              << " flits per input and cycle\n\n";
    report::text_table t({{"of the limit, %"}, {"offered"}, {"accepted"}, {"latency"}});
    for (auto const& p : c.points)
        t.add_row({report::fixed(100 * p.offered / c.calculated.limit, 0), report::fixed(p.offered, 3),
                   report::fixed(p.accepted, 3), p.saturated ? "-" : report::fixed(p.latency, 1)});
    t.print_markdown(std::cout);
}
std::string json_of(std::vector<curve> const& curves) {
    report::json_writer w;
    w.begin_array();
    for (auto const& c : curves) {
        w.begin_object().member("traffic", c.what.name).member("flits", c.what.flits);
        w.member("zero_load_latency", c.calculated.latency).member("limit", c.calculated.limit);
        w.key("points").begin_array();
        for (auto const& p : c.points)
            w.begin_object()
                .member("offered", p.offered)
                .member("accepted", p.accepted)
                .member("latency", p.latency)
                .member("saturated", p.saturated)
                .end_object();
        w.end_array().end_object();
    }
    return w.end_array().text();
}
/// Latency, up to six times that without load, over offered load, up to the limit; a curve each.
std::string svg_of(std::vector<curve> const& curves) {
    constexpr char const* colours[] = {"#1b6ca8", "#c0392b", "#27825a", "#8e5aa8"};
    std::string s = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 640 400' font-family='sans-serif' "
                    "font-size='12'>\n<path d='M60 20V340H620' fill='none' stroke='black'/>\n"
                    "<text x='340' y='375' text-anchor='middle'>offered load, of what fills the busiest "
                    "channel</text>\n<text x='20' y='180' transform='rotate(-90 20 180)' "
                    "text-anchor='middle'>latency, of that without load</text>\n";
    for (int i = 0; i <= 5; ++i)
        s += "<text x='" + std::to_string(60 + 100 * i) + "' y='356' text-anchor='middle'>" +
             report::fixed(0.2 * i, 1) + "</text>\n<text x='52' y='" + std::to_string(344 - 64 * i) +
             "' text-anchor='end'>" + std::to_string(1 + i) + "</text>\n";
    for (std::size_t k = 0; k < curves.size(); ++k) {
        auto const& c = curves[k];
        std::string points;
        for (auto const& p : c.points) {
            auto const y = std::min(6.0, p.latency / c.calculated.latency);
            points += report::fixed(60 + 500 * p.offered / c.calculated.limit, 1) + ',' +
                      report::fixed(340 - 64 * (y - 1), 1) + ' ';
            if (y >= 6) break;
        }
        s += std::string("<polyline fill='none' stroke='") + colours[k % 4] + "' points='" + points +
             "'/>\n<text x='80' y='" + std::to_string(40 + 18 * k) + "' fill='" + colours[k % 4] + "'>" +
             c.what.name + "</text>\n";
    }
    return s + "</svg>\n";
}
int run(options const& o) {
    if (o.cycles == 0) throw error("--cycles 0 measures nothing");
    run_files files;
    if (!o.json.empty()) files.writes(o.json, "--json");
    if (!o.svg.empty()) files.writes(o.svg, "--svg");
    bool const alone = is_standard_output(o.json) || is_standard_output(o.svg);
    auto const all = {"uniform", "mirror", "owl-requests", "owl-replies"};
    std::vector<curve> curves;
    for (auto const& t : o.traffic.empty() ? std::vector<std::string>(all.begin(), all.end()) : o.traffic) {
        curves.push_back(draw(named(t, o), o));
        if (!alone) print(curves.back());
    }
    if (!o.json.empty()) write_file(o.json, json_of(curves));
    if (!o.svg.empty()) write_file(o.svg, svg_of(curves));
    for (auto const& c : curves)
        if (c.points.front().latency < c.calculated.latency * 0.9 ||
            c.points.front().latency > c.calculated.latency * 1.25)
            throw error(c.what.name + " is far from the latency without load");
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    options o;
    return examples::command_line("network_load", R"([options] [traffic ...]

Load-latency curves of a mesh or a crossbar. Traffic (all of it by default):
  uniform       from every node to every node at random, 6 x 6 mesh
  mirror        each node to its mirror image in its row
  owl-requests  28 cores to 8 memory controllers at random, OWL's places, packets of 1 flit
  owl-replies   the same the other way, packets of 3 flits)")
        .option("--virtual-channels", o.shape.virtual_channels, "of each channel")
        .option("--buffer", o.shape.buffer_flits, "flits of each virtual channel")
        .option("--router", o.shape.router_cycles, "cycles through a router")
        .option("--channel", o.shape.channel_cycles, "cycles from router to router")
        .option("--flits", o.flits, "of a packet; 0: as above")
        .option("--crossbar", o.as_crossbar, "the same traffic on a crossbar without speed-up")
        .option("--cycles", o.cycles, "measured for each point, behind as many to warm up")
        .option("--json", o.json, "a file for the curves; - is standard output")
        .option("--svg", o.svg, "a file for a picture of them")
        .words(o.traffic, 0, 100)
        .run(argc, argv, [&] { return run(o); });
}
