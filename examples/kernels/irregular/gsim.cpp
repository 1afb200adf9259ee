#include "circuit.hpp"
#include "gsim.ptx.hpp"

namespace warpkit::kernels::gsim {
namespace {

constexpr parameter parameters[] = {
    {"levels", "levels", "of the circuit; one launch for each but the first", 8, 16, 2, 1000},
    {"gates", "gates", "in each level", 2048, 11776, 1, 1u << 20},
    {"block", "threads", "per CTA", 192, 192, 1, 1024},
    seed,
};

// Kinds of gates as the kernel numbers them: buffer, and, or, exclusive or, each followed by its complement.
std::uint32_t output(std::uint8_t kind, circuit const& c, std::size_t gate,
                     std::vector<std::uint32_t> const& value) {
    auto out = value[c.source[c.first[gate]]];
    for (std::size_t pin = c.first[gate] + 1; pin < c.first[gate + 1]; ++pin) {
        auto const in = value[c.source[pin]];
        if (kind / 2 == 1) out &= in;
        if (kind / 2 == 2) out |= in;
        if (kind / 2 == 3) out ^= in;
    }
    return kind % 2 == 0 ? out : ~out;
}

void run(device& d, values const& v) {
    auto const levels = v.u32("levels");
    auto const per_level = v.u32("gates");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const c = make_circuit(levels, per_level, random);
    auto const gates = levels * per_level;
    auto const kinds =
        random.vector(gates, [](random_numbers& r) { return static_cast<std::uint8_t>(r.below(8)); });
    auto const inputs =
        random.vector(per_level, [](random_numbers& r) { return static_cast<std::uint32_t>(r.next()); });
    std::vector<std::uint32_t> start(gates);
    std::copy(inputs.begin(), inputs.end(), start.begin());
    auto expected = start;
    for (std::size_t gate = per_level; gate < gates; ++gate)
        expected[gate] = output(kinds[gate], c, gate, expected);

    auto const kinds_device = d.upload(kinds);
    auto const first = d.upload(c.first);
    auto const source = d.upload(c.source);
    auto const value = d.upload(start);
    for (auto begin = per_level; begin < gates; begin += per_level)
        d.launch("gsim", {ceil_div(per_level, block)}, {block}, 0, kinds_device, first, source, value, begin,
                 begin + per_level);
    check_equal(v, "value", d.download(value), expected);
}

constexpr paper_row rows[] = {{paper::degree, "gsim"}};

constexpr workload shipped[] = {
    {
        .name = "gsim",
        .title = "logic simulation of a circuit, 32 patterns at once, level by level",
        .origin = "gate-level simulation of the 2014 thesis (Kuo et al.)",
        .rows = rows,
        .input = "the circuit of sta, with gates of eight kinds, and random patterns at its inputs",
        .differs = "CTAs of six warps, as in the thesis's Table 5, which does not say what a thread "
                   "does. One launch per level; every gate is evaluated, whether its inputs changed or "
                   "not. The full size has about the thesis's 3.5 MB of data; `levels=6 gates=31400` has the "
                   "same in launches of 164 CTAs.",
        .ptx = gsim_ptx,
        .ptx_name = "gsim.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::gsim
