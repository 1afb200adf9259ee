#include "denoise.ptx.hpp"
#include "kernels/host.hpp"

#include <cmath>

namespace warpkit::kernels::denoise {
namespace {

constexpr parameter parameters[] = {
    {"nx", "voxels", "of the volume in x, the outermost among them", 34, 130, 3, 1024},
    {"ny", "voxels", "in y", 26, 130, 3, 1024},
    {"nz", "voxels", "in z", 6, 66, 3, 1024},
    {"steps", "steps", "two launches each", 1, 5, 1, 1000},
    seed,
};

struct volume {
    std::int32_t nx, ny, nz;
};

struct numbers {
    float epsilon, step, fidelity, inverse_variance;
};

void run(device& d, values const& v) {
    auto const nx = v.u32("nx");
    auto const ny = v.u32("ny");
    auto const nz = v.u32("nz");
    auto const plane = std::size_t{nx} * ny;
    random_numbers random(v["seed"]);
    // A bright box in a dark ground, and noise.
    std::vector<float> measured;
    for (std::uint32_t z = 0; z < nz; ++z)
        for (std::uint32_t y = 0; y < ny; ++y)
            for (std::uint32_t x = 0; x < nx; ++x) {
                auto const bright =
                    x > nx / 4 && x < nx - nx / 4 && y > ny / 4 && y < ny - ny / 4 && z > nz / 4;
                measured.push_back((bright ? 0.75f : 0.25f) + random.unit() / 8);
            }
    numbers const n{1e-10f, 5.0f, 26.0f, 400.0f};
    auto image = measured;
    std::vector<float> steepness(image.size());

    auto const measured_device = d.upload(measured);
    device_array<float> const images[] = {d.upload(image), d.upload(image)};
    auto const steepness_device = d.upload(steepness);
    volume const size{static_cast<std::int32_t>(nx), static_cast<std::int32_t>(ny),
                      static_cast<std::int32_t>(nz)};
    dim3 const grid{ceil_div(nx - 2, 32), ceil_div(ny - 2, 8), nz - 2};
    for (std::uint64_t step = 0; step < v["steps"]; ++step) {
        auto const from = images[step % 2], to = images[(step + 1) % 2];
        d.launch("denoise_steepness", grid, {32, 8}, 0, from, steepness_device, size, n.epsilon);
        d.launch("denoise_step", grid, {32, 8}, 0, from, measured_device, steepness_device, to, size, n);
        auto const each_inside = [&](auto const& f) {
            for (std::size_t z = 1; z + 1 < nz; ++z)
                for (std::size_t y = 1; y + 1 < ny; ++y)
                    for (std::size_t x = 1; x + 1 < nx; ++x) {
                        auto const at = z * plane + y * nx + x;
                        std::size_t const around[] = {at + 1,  at - 1,     at + nx,
                                                      at - nx, at + plane, at - plane};
                        f(at, around);
                    }
        };
        each_inside([&](std::size_t at, auto const& around) {
            auto sum = n.epsilon;
            for (auto const k : around) {
                auto const difference = image[at] - image[k];
                sum = std::fma(difference, difference, sum);
            }
            steepness[at] = 1.0f / std::sqrt(sum);
        });
        auto next = image;
        each_inside([&](std::size_t at, auto const& around) {
            auto const x = image[at] * measured[at] * n.inverse_variance;
            auto const ratio = x * std::fma(x, x + 0.950037f, 2.38944f) /
                               std::fma(x, std::fma(x, x + 1.48937f, 2.57541f), 4.65314f);
            auto pulled = n.fidelity * measured[at] * ratio;
            auto weight = n.fidelity;
            for (auto const k : around) {
                pulled = std::fma(image[k], steepness[k], pulled);
                weight += steepness[k];
            }
            next[at] = std::fma(n.step, pulled, image[at]) / std::fma(n.step, weight, 1.0f);
        });
        image.swap(next);
        check_equal(v, "steepness", d.download(steepness_device), steepness);
        check_equal(v, "image", d.download(to), image);
    }
}

constexpr paper_row rows[] = {{paper::owl, "DN"}};

constexpr workload shipped[] = {
    {
        .name = "denoise",
        .title = "denoising a volume by total variation under Rician noise, a voxel per thread",
        .origin = "Denoise (OWL's third party)",
        .rows = rows,
        .input = "a bright box in a dark ground, with uniform noise",
        .differs =
            "OWL names neither source nor method; ours is the one that medical imaging's accelerator suites "
            "have under this name, semi-implicit descent on Getreuer, Tong and Vese's model (2011). "
            "Voxels at the volume's surface stay as they are.",
        .ptx = denoise_ptx,
        .ptx_name = "denoise.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::denoise
