#include <warpkit/frontend/ptx/approximation.hpp>

#include "cutcp.ptx.hpp"
#include "kernels/host.hpp"

#include <array>

namespace warpkit::kernels::cutcp {
namespace {

constexpr parameter parameters[] = {
    {"regions", "regions", "of 8 x 8 x 8 lattice points along each axis; a CTA each", 2, 6, 1, 32},
    {"cutoff", "angstrom", "beyond which an atom does not count", 3, 12, 1, 20},
    seed,
};

constexpr int bin_length = 4; // angstrom; as long as a region
constexpr float spacing = 0.5f;
constexpr std::size_t depth = 8; // atoms per bin at most

struct atom {
    float x, y, z, charge; // a charge of 0 ends a bin
};
struct offset {
    std::int32_t x, y, z;
};

void run(device& d, values const& v) {
    auto const regions = v.u32("regions");
    auto const cutoff = static_cast<int>(v.u32("cutoff"));
    random_numbers random(v["seed"]);

    // Bins that the cutoff reaches from some point of the bin in the middle, and as many around the box.
    auto const margin = (cutoff + bin_length - 1) / bin_length;
    auto const reach = static_cast<double>(cutoff) + bin_length * std::sqrt(3.0);
    std::vector<offset> neighbours;
    for (int k = -margin; k <= margin; ++k)
        for (int j = -margin; j <= margin; ++j)
            for (int i = -margin; i <= margin; ++i)
                if ((i * i + j * j + k * k) * bin_length * bin_length < reach * reach)
                    neighbours.push_back({i, j, k});
    auto const across = static_cast<int>(regions) + 2 * margin;
    auto const bin = [&](int i, int j, int k) {
        return static_cast<std::size_t>(((k + margin) * across + j + margin) * across + i + margin);
    };
    std::vector<std::array<atom, depth>> bins(static_cast<std::size_t>(across * across * across));
    for (int k = 0; k < static_cast<int>(regions); ++k)
        for (int j = 0; j < static_cast<int>(regions); ++j)
            for (int i = 0; i < static_cast<int>(regions); ++i) {
                auto const count = 5 + random.below(4); // water has 6.4 in 4 x 4 x 4
                for (std::uint32_t a = 0; a < count; ++a) {
                    auto const at = [&](int b) {
                        return static_cast<float>(bin_length) * (static_cast<float>(b) + random.unit());
                    };
                    auto const x = at(i);
                    auto const y = at(j);
                    auto const z = at(k);
                    bins[bin(i, j, k)][a] = {x, y, z, random.below(3) == 0 ? -0.8f : 0.4f};
                }
            }

    auto const squared_cutoff = static_cast<float>(cutoff * cutoff);
    auto const inverse = 1 / squared_cutoff;
    std::vector<float> expected;
    for (int rk = 0; rk < static_cast<int>(regions); ++rk)
        for (int rj = 0; rj < static_cast<int>(regions); ++rj)
            for (int ri = 0; ri < static_cast<int>(regions); ++ri)
                for (int point = 0; point < 512; ++point) {
                    auto const x = static_cast<float>(8 * ri + point % 8) * spacing;
                    auto const y =
                        static_cast<float>(8 * rj + point / 8 % 2) * spacing; // the thread's first point
                    auto const z = static_cast<float>(8 * rk + point / 64) * spacing;
                    float energy = 0;
                    for (auto const& to : neighbours)
                        for (auto const& a : bins[bin(ri + to.x, rj + to.y, rk + to.z)]) {
                            if (a.charge == 0) break;
                            auto const dx = a.x - x;
                            auto const dz = a.z - z;
                            auto dy = a.y - y;
                            for (int i = point / 16 % 4; i > 0; --i) dy -= 2 * spacing;
                            auto const squared = std::fma(dy, dy, std::fma(dx, dx, dz * dz));
                            if (!(squared < squared_cutoff)) continue;
                            auto const s = std::fma(-squared, inverse, 1.0f);
                            auto const strength =
                                a.charge * ptx::approximate::reciprocal_square_root(squared) * s;
                            energy = std::fma(strength, s, energy);
                        }
                    expected.push_back(energy);
                }

    auto const bins_device = d.upload(bins);
    auto const potential = d.allocate<float>(expected.size());
    d.write_symbol("neighbours", std::vector{static_cast<std::int32_t>(neighbours.size())});
    d.write_symbol("neighbour", neighbours);
    auto const origin = bins_device.address + bin(0, 0, 0) * sizeof bins[0];
    for (std::uint32_t z = 0; z < regions; ++z)
        d.launch("cutcp", {regions, regions}, {8, 2, 8}, 0, origin, across, across, spacing, squared_cutoff,
                 inverse, potential, z);
    check_equal(v, "potential", d.download(potential), expected);
}

constexpr paper_row rows[] = {{paper::owl, "CUTP"}};

constexpr workload shipped[] = {
    {
        .name = "cutcp",
        .title = "electrostatic potential on a lattice, with a cutoff",
        .origin = "cutcp (Parboil)",
        .rows = rows,
        .input = "atoms of the density of water, 5 to 8 in each bin of 4 x 4 x 4 angstrom",
        .differs = "No bin holds more than eight atoms, so that the host has none to add. The full size "
                   "is a box of 24 angstrom, not the 40 of Parboil's small data set: that takes seven "
                   "times as long.",
        .ptx = cutcp_ptx,
        .ptx_name = "cutcp.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::cutcp
