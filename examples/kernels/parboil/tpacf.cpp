#include "kernels/host.hpp"
#include "tpacf.ptx.hpp"

namespace warpkit::kernels::tpacf {
namespace {

constexpr parameter parameters[] = {
    {"sets", "sets", "of random points beside the data", 2, 20, 1, 1000},
    {"points", "points", "on the sphere in each set", 20, 487, 1, 1u << 14},
    seed,
};

constexpr std::size_t bins = 20;

// Cosines of 1, 10^0.2, 10^0.4, ... 10^4 minutes of arc.
std::vector<float> const boundaries{
    0.99999994f,  0.999999881f, 0.999999762f, 0.999999344f, 0.999998331f, 0.999995768f,  0.99998939f,
    0.999973297f, 0.999932945f, 0.999831557f, 0.999576926f, 0.998937488f, 0.997331738f,  0.993302107f,
    0.983204126f, 0.957989514f, 0.895596206f, 0.744722009f, 0.401129454f, -0.261507958f, -0.973044872f};

struct sphere_points {
    std::vector<float> x, y, z;
};

sphere_points make_points(std::size_t count, random_numbers& random) {
    sphere_points p;
    while (p.x.size() < count) {
        auto const x = 2 * random.unit() - 1;
        auto const y = 2 * random.unit() - 1;
        auto const z = 2 * random.unit() - 1;
        auto const length = std::sqrt(std::fma(x, x, std::fma(y, y, z * z)));
        if (length > 1 || length < 0.125f) continue; // out of the ball, or too near its centre
        p.x.push_back(x / length);
        p.y.push_back(y / length);
        p.z.push_back(z / length);
    }
    return p;
}

// Adds 1 to the bin of each pair of points of sets `a` and `b`; of one set, each pair once.
void count_pairs(sphere_points const& p, std::size_t a, std::size_t b, std::size_t points,
                 std::uint32_t* counts) {
    for (auto i = a * points; i < (a + 1) * points; ++i)
        for (auto j = a == b ? i + 1 : b * points; j < (b + 1) * points; ++j) {
            auto const cosine = std::fma(p.z[i], p.z[j], std::fma(p.y[i], p.y[j], p.x[i] * p.x[j]));
            if (!(cosine < boundaries[0])) continue;
            std::size_t bin = 0;
            while (bin < bins && cosine < boundaries[bin + 1]) ++bin;
            if (bin < bins) ++counts[bin];
        }
}

void run(device& d, values const& v) {
    auto const sets = v.u32("sets");
    auto const points = v.u32("points");
    random_numbers random(v["seed"]);
    auto const p = make_points(std::size_t{sets + 1} * points, random);
    auto const ctas = 2 * sets + 1;
    std::vector<std::uint32_t> expected(ctas * bins);
    for (std::size_t cta = 0; cta < ctas; ++cta)
        if (cta <= sets)
            count_pairs(p, cta, cta, points, &expected[cta * bins]);
        else
            count_pairs(p, 0, cta - sets, points, &expected[cta * bins]);

    auto const counts = d.allocate<std::uint32_t>(expected.size());
    d.write_symbol("boundary", boundaries);
    d.launch("tpacf", {ctas}, {256}, 0, counts, d.upload(p.x), d.upload(p.y), d.upload(p.z), sets, points);
    check_equal(v, "counts", d.download(counts), expected);
}

constexpr paper_row rows[] = {{paper::owl, "TPAF"}, {paper::elf, "TPACF", "gen_hists", "tpacf"}};

constexpr workload shipped[] = {
    {
        .name = "tpacf",
        .title = "histograms of the angles between points on a sphere",
        .origin = "tpacf (Parboil)",
        .rows = rows,
        .input = "uniform points on the sphere, `sets` random sets beside the data",
        .differs = "The full size has the 487 points of Parboil's small data set, but 20 random sets, "
                   "not 100.",
        .ptx = tpacf_ptx,
        .ptx_name = "tpacf.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::tpacf
