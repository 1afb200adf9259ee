#include <warpkit/frontend/ptx/approximation.hpp>

#include "fft.ptx.hpp"
#include "kernels/host.hpp"

#include <array>

namespace warpkit::kernels::fft {
namespace {

constexpr parameter parameters[] = {
    {"batch", "transforms", "of 256 complex points, one per CTA", 60, 1024, 1, 1u << 16},
    seed,
};

constexpr std::size_t points = 256;

struct complex {
    float real, imaginary;
};

// Stockham's order: in each pass, thread t takes points t and t + 128 and puts their butterfly `span` apart.
std::array<complex, points> transform(complex const* in) {
    std::array<complex, points> now;
    for (std::size_t i = 0; i < points; ++i) now[i] = in[i];
    for (std::size_t span = 1; span < points; span *= 2) {
        std::array<complex, points> next;
        for (std::size_t t = 0; t < points / 2; ++t) {
            auto const low = t % span;
            auto const angle = -3.1415927f * static_cast<float>(low) / static_cast<float>(span);
            auto const c = ptx::approximate::cosine(angle);
            auto const s = ptx::approximate::sine(angle);
            auto const a = now[t];
            auto const b = now[t + points / 2];
            complex const turned{std::fma(b.real, c, -(b.imaginary * s)),
                                 std::fma(b.real, s, b.imaginary * c)};
            auto const to = 2 * (t - low) + low;
            next[to] = {a.real + turned.real, a.imaginary + turned.imaginary};
            next[to + span] = {a.real - turned.real, a.imaginary - turned.imaginary};
        }
        now = next;
    }
    return now;
}

void run(device& d, values const& v) {
    auto const batch = v.u32("batch");
    random_numbers random(v["seed"]);
    auto const in = random.vector(points * batch, [](random_numbers& r) {
        auto const real = 2 * r.unit() - 1;
        return complex{real, 2 * r.unit() - 1};
    });
    std::vector<float> expected;
    for (std::size_t b = 0; b < batch; ++b)
        for (auto const& x : transform(&in[b * points])) {
            expected.push_back(x.real);
            expected.push_back(x.imaginary);
        }

    auto const data = d.upload(in);
    d.launch("fft", {batch}, {points / 2}, 0, data);
    std::vector<float> found;
    for (auto const& x : d.download(data)) {
        found.push_back(x.real);
        found.push_back(x.imaginary);
    }
    check_equal(v, "data", found, expected);
}

constexpr paper_row rows[] = {{paper::owl, "FFT"}};

constexpr workload shipped[] = {
    {
        .name = "fft",
        .title = "batch of complex transforms of 256 points, in shared memory",
        .origin = "fft (Parboil), its radix-2 kernel",
        .rows = rows,
        .input = "complex numbers, both parts uniform in [-1, 1)",
        .differs = "Sine and cosine are one instruction of the special function unit each.",
        .ptx = fft_ptx,
        .ptx_name = "fft.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::fft
