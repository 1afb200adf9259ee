#include "kernels/host.hpp"
#include "lava_md.ptx.hpp"

#include <bit>

namespace warpkit::kernels::lava_md {
namespace {

constexpr parameter parameters[] = {
    {"boxes", "boxes", "along each edge of the space, a cube", 2, 5, 1, 16},
    {"particles", "particles", "in each box", 20, 100, 1, 128},
    seed,
};

struct particle {
    double v, x, y, z;
};

struct box {
    std::int32_t first;
    std::int32_t neighbours;
    std::int32_t neighbour[26];
};

double exponential(double x) {
    auto const n = std::rint(x * 1.4426950408889634);
    auto const r = std::fma(n, -1.9082149292705877e-10, std::fma(n, -0.6931471803691238, x));
    auto p = 2.505210838544172e-8;
    for (auto const k : {2.755731922398589e-7, 2.7557319223985893e-6, 2.48015873015873e-5,
                         1.984126984126984e-4, 1.388888888888889e-3, 8.333333333333333e-3,
                         4.1666666666666664e-2, 1.6666666666666666e-1, 0.5, 1.0, 1.0})
        p = std::fma(p, r, k);
    return p * std::bit_cast<double>((static_cast<std::int64_t>(n) + 1023) << 52);
}

void run(device& d, values const& v) {
    auto const side = static_cast<std::int32_t>(v["boxes"]);
    auto const count = static_cast<std::int32_t>(v["particles"]);
    double const a2 = 2 * 0.5 * 0.5;
    random_numbers random(v["seed"]);
    std::vector<box> boxes;
    for (std::int32_t z = 0; z < side; ++z)
        for (std::int32_t y = 0; y < side; ++y)
            for (std::int32_t x = 0; x < side; ++x) {
                box b{static_cast<std::int32_t>(boxes.size()) * count, 0, {}};
                for (auto nz = std::max(z - 1, 0); nz <= std::min(z + 1, side - 1); ++nz)
                    for (auto ny = std::max(y - 1, 0); ny <= std::min(y + 1, side - 1); ++ny)
                        for (auto nx = std::max(x - 1, 0); nx <= std::min(x + 1, side - 1); ++nx)
                            if (nx != x || ny != y || nz != z)
                                b.neighbour[b.neighbours++] = (nz * side + ny) * side + nx;
                boxes.push_back(b);
            }
    auto const all = boxes.size() * static_cast<std::size_t>(count);
    auto const tenth = [](random_numbers& r) { return (1 + r.below(10)) / 10.0; };
    auto const particles = random.vector(all, [&](random_numbers& r) {
        auto const a = tenth(r), b = tenth(r), c = tenth(r);
        return particle{tenth(r), a, b, c};
    });
    auto const charges = random.vector(all, tenth);

    auto const boxes_device = d.upload(boxes);
    auto const particles_device = d.upload(particles);
    auto const charges_device = d.upload(charges);
    auto const forces = d.allocate<double>(4 * all);
    d.launch("lava_md", {static_cast<std::uint32_t>(boxes.size())}, {128}, 0, boxes_device, particles_device,
             charges_device, forces, count, a2);

    std::vector<double> expected(4 * all);
    for (auto const& home : boxes)
        for (std::int32_t k = 0; k < 1 + home.neighbours; ++k) {
            auto const other =
                k == 0 ? home.first : boxes[static_cast<std::size_t>(home.neighbour[k - 1])].first;
            for (auto i = static_cast<std::size_t>(home.first);
                 i < static_cast<std::size_t>(home.first + count); ++i)
                for (auto j = static_cast<std::size_t>(other); j < static_cast<std::size_t>(other + count);
                     ++j) {
                    auto const& a = particles[i];
                    auto const& b = particles[j];
                    auto const dot = std::fma(a.x, b.x, std::fma(a.y, b.y, a.z * b.z));
                    auto const vij = exponential(-(a2 * (a.v + b.v - dot)));
                    auto const fs = 2 * vij;
                    auto* const force = &expected[4 * i];
                    force[0] = std::fma(charges[j], vij, force[0]);
                    force[1] = std::fma(charges[j], fs * (a.x - b.x), force[1]);
                    force[2] = std::fma(charges[j], fs * (a.y - b.y), force[2]);
                    force[3] = std::fma(charges[j], fs * (a.z - b.z), force[3]);
                }
        }
    check_equal(v, "forces", d.download(forces), expected);
}

constexpr paper_row rows[] = {{paper::elf, "LMD", "kernel_gpu_cuda", "lava_md"}};

constexpr workload shipped[] = {{
    .name = "lava_md",
    .title = "forces between the particles of neighbouring boxes, in double precision",
    .origin = "lavaMD (Rodinia)",
    .rows = rows,
    .input = "positions and charges in tenths from 0.1 to 1",
    .differs = "5 boxes along each edge at full size where Rodinia has 10: that is a fifteenth of the "
               "work. The exponential is a polynomial of our own. A force is added up in registers per "
               "neighbouring box, where the original leaves that to the compiler.",
    .ptx = lava_md_ptx,
    .ptx_name = "lava_md.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::lava_md
