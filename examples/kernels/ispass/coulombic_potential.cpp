#include "coulombic_potential.ptx.hpp"
#include "kernels/host.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpkit::kernels::coulombic_potential {
namespace {

constexpr parameter parameters[] = {
    {"width", "CTAs", "of 32 points across the plane", 2, 8, 1, 128},
    {"height", "CTAs", "of 8 points down the plane", 6, 32, 1, 512},
    {"atoms", "atoms", "above the plane, 4000 to a launch", 100, 1000, 1, 1u << 20},
    seed,
};

constexpr std::uint32_t per_launch = 4000;
constexpr float spacing = 0.1f;

using atom = std::array<float, 4>;

void run(device& d, values const& v) {
    auto const width = v.u32("width") * 32;
    auto const height = v.u32("height") * 8;
    random_numbers random(v["seed"]);
    auto const atoms = random.vector(v["atoms"], [&](random_numbers& r) {
        auto const x = r.unit() * static_cast<float>(width) * spacing;
        auto const y = r.unit() * static_cast<float>(height) * spacing;
        auto const z = 0.5f + r.unit() * static_cast<float>(width) * spacing;
        return atom{x, y, z * z, r.unit() - 0.5f};
    });
    std::vector<float> expected(std::size_t{width} * height);
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) {
            double sum = 0;
            for (auto const& [ax, ay, squared, charge] : atoms) {
                double const dx = static_cast<double>(spacing) * x - static_cast<double>(ax);
                double const dy = static_cast<double>(spacing) * y - static_cast<double>(ay);
                sum +=
                    static_cast<double>(charge) / std::sqrt(dx * dx + dy * dy + static_cast<double>(squared));
            }
            expected[std::size_t{y} * width + x] = static_cast<float>(sum);
        }

    auto const plane = d.allocate<float>(expected.size());
    for (std::size_t first = 0; first < atoms.size(); first += per_launch) {
        auto const count = std::min<std::size_t>(per_launch, atoms.size() - first);
        auto const from = atoms.begin() + static_cast<std::ptrdiff_t>(first);
        d.write_symbol("atoms", std::vector<atom>(from, from + static_cast<std::ptrdiff_t>(count)));
        d.launch("coulombic_potential", {v.u32("width"), v.u32("height")}, {16, 8}, 0, plane,
                 static_cast<std::int32_t>(count), width, spacing);
    }
    check_close(v, "potential", d.download(plane), expected, 1e-3f);
}

constexpr paper_row rows[] = {{paper::owl, "CP"}, {paper::elf, "CP", "cenergy", "coulombic_potential"}};

constexpr workload shipped[] = {{
    .name = "coulombic_potential",
    .title = "electrostatic potential of all atoms at each point of a plane",
    .origin = "CP (GPGPU-Sim's set, ISPASS 2009; Parboil)",
    .rows = rows,
    .input = "atoms uniform in a box above the plane",
    .differs = "Two points per thread, with which GPGPU-Sim's 8 x 32 CTAs of 16 x 8 threads make 256 x 256 "
               "points. A "
               "quarter of the atoms that fit constant memory, once.",
    .ptx = coulombic_potential_ptx,
    .ptx_name = "coulombic_potential.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::coulombic_potential
