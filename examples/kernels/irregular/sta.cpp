#include "circuit.hpp"
#include "sta.ptx.hpp"

namespace warpkit::kernels::sta {
namespace {

constexpr parameter parameters[] = {
    {"levels", "levels", "of the circuit, one launch each", 8, 16, 1, 1000},
    {"gates", "gates", "in each level", 2048, 6144, 1, 1u << 20},
    {"block", "threads", "per CTA", 192, 192, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const levels = v.u32("levels");
    auto const per_level = v.u32("gates");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const c = make_circuit(levels, per_level, random);
    auto const gates = levels * per_level;
    auto const delay = [](random_numbers& r) { return static_cast<std::int32_t>(1 + r.below(100)); };
    auto const wire_delay = random.vector(c.source.size(), delay);
    auto const gate_delay = random.vector(gates, delay);
    std::vector<std::int32_t> arrival(gates);
    for (std::size_t gate = 0; gate < gates; ++gate) {
        std::int32_t latest = 0;
        for (std::size_t pin = c.first[gate]; pin < c.first[gate + 1]; ++pin)
            latest = std::max(latest, arrival[c.source[pin]] + wire_delay[pin]);
        arrival[gate] = latest + gate_delay[gate];
    }

    auto const first = d.upload(c.first);
    auto const source = d.upload(c.source);
    auto const wire = d.upload(wire_delay);
    auto const own = d.upload(gate_delay);
    auto const found = d.allocate<std::int32_t>(gates);
    for (std::uint32_t begin = 0; begin < gates; begin += per_level)
        d.launch("sta", {ceil_div(per_level, block)}, {block}, 0, first, source, wire, own, found, begin,
                 begin + per_level);
    check_equal(v, "arrival", d.download(found), arrival);
}

constexpr paper_row rows[] = {{paper::degree, "sta"}};

constexpr workload shipped[] = {
    {
        .name = "sta",
        .title = "static timing analysis of a circuit, level by level",
        .origin = "static timing analysis of the 2014 thesis (Kuo et al.)",
        .rows = rows,
        .input = "gates of one to four pins in levels of equal size, three of four pins fed from nearby "
                 "in the level before; random delays",
        .differs =
            "CTAs of six warps, as in the thesis's Table 5, which does not say what a thread "
            "does. One launch per level; arrival times only. The full size has about the "
            "thesis's 3.0 MB of data; `levels=4 gates=24576` has the same in launches of 128 CTAs, more "
            "than the 120 that its 15 cores take at once.",
        .ptx = sta_ptx,
        .ptx_name = "sta.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::sta
