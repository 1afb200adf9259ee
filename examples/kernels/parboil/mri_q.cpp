#include <warpkit/frontend/ptx/approximation.hpp>

#include "kernels/host.hpp"
#include "mri_q.ptx.hpp"

#include <algorithm>

namespace warpkit::kernels::mri_q {
namespace {

constexpr parameter parameters[] = {
    {"voxels", "voxels", "to compute", 3840, 32768, 1, 1u << 20},
    {"samples", "samples", "of k-space, in tiles of 1024", 40, 2048, 1, 1u << 16},
    seed,
};

constexpr std::uint32_t tile = 1024;

struct sample {
    float x, y, z, magnitude;
};

void run(device& d, values const& v) {
    auto const voxels = v.u32("voxels");
    auto const count = v.u32("samples");
    random_numbers random(v["seed"]);
    auto const centred = [](random_numbers& r) { return r.unit() - 0.5f; };
    auto const position = [&] { return random.vector(voxels, centred); };
    auto const of_sample = [&] { return random.vector(count, centred); };
    auto const x = position();
    auto const y = position();
    auto const z = position();
    auto const phi_real = of_sample();
    auto const phi_imaginary = of_sample();
    std::vector<sample> samples(count);
    for (auto& s : samples) s = {32 * centred(random), 32 * centred(random), 32 * centred(random), 0};

    auto const magnitude_device = d.allocate<float>(count);
    d.launch("mri_q_magnitude", {ceil_div(count, 512)}, {512}, 0, d.upload(phi_real), d.upload(phi_imaginary),
             magnitude_device, count);
    auto const magnitude = d.download(magnitude_device);
    std::vector<float> expected(count);
    for (std::size_t k = 0; k < count; ++k) {
        expected[k] = std::fma(phi_real[k], phi_real[k], phi_imaginary[k] * phi_imaginary[k]);
        samples[k].magnitude = magnitude[k];
    }
    check_equal(v, "magnitude", magnitude, expected);

    std::vector<float> real(voxels), imaginary(voxels);
    for (std::size_t i = 0; i < voxels; ++i)
        for (auto const& s : samples) {
            auto const angle = 6.2831855f * std::fma(s.z, z[i], std::fma(s.y, y[i], s.x * x[i]));
            real[i] = std::fma(s.magnitude, ptx::approximate::cosine(angle), real[i]);
            imaginary[i] = std::fma(s.magnitude, ptx::approximate::sine(angle), imaginary[i]);
        }

    auto const x_device = d.upload(x);
    auto const y_device = d.upload(y);
    auto const z_device = d.upload(z);
    auto const real_device = d.allocate<float>(voxels);
    auto const imaginary_device = d.allocate<float>(voxels);
    for (std::uint32_t first = 0; first < count; first += tile) {
        auto const last = std::min(count, first + tile);
        d.write_symbol("samples", std::vector(samples.begin() + first, samples.begin() + last));
        d.launch("mri_q", {ceil_div(voxels, 256)}, {256}, 0, x_device, y_device, z_device, real_device,
                 imaginary_device, last - first, voxels);
    }
    check_equal(v, "q_real", d.download(real_device), real);
    check_equal(v, "q_imaginary", d.download(imaginary_device), imaginary);
}

constexpr paper_row rows[] = {{paper::elf, "MRIQ", "ComputePhiMag", "mri_q_magnitude"},
                              {paper::elf, "MRIQ", "ComputeQ", "mri_q"}};

constexpr workload shipped[] = {
    {
        .name = "mri_q",
        .title = "the Q matrix of an MRI reconstruction, samples in constant memory",
        .origin = "mri-q (Parboil)",
        .rows = rows,
        .input = "voxels and samples of k-space uniform in a cube",
        .differs = "Sine and cosine are one instruction of the special function unit each. The full "
                   "size has 32 x 32 x 32 voxels as Parboil's small data set, and 2048 samples as its "
                   "large one.",
        .ptx = mri_q_ptx,
        .ptx_name = "mri_q.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::mri_q
