#include "gaussian.ptx.hpp"
#include "kernels/host.hpp"

#include <cmath>

namespace warpkit::kernels::gaussian {
namespace {

constexpr parameter parameters[] = {
    {"size", "unknowns", "of the system", 32, 208, 2, 1024},
    {"block", "threads", "per CTA that works out multipliers", 512, 512, 1, 1024},
    {"side", "threads", "along each edge of a CTA that works on rows", 4, 4, 1, 32},
    seed,
};

void run(device& d, values const& v) {
    auto const n = v.u32("size");
    auto const block = v.u32("block");
    auto const side = v.u32("side");
    random_numbers random(v["seed"]);
    // Dominant about the diagonal, and decaying away from it.
    std::vector<float> a(std::size_t{n} * n);
    for (std::size_t y = 0; y < n; ++y)
        for (std::size_t x = 0; x < n; ++x) {
            auto const away = x > y ? x - y : y - x;
            a[y * n + x] = (10 + random.unit()) / static_cast<float>(1 + away * away);
        }
    auto b = random.units(n);
    std::vector<float> m(a.size());

    auto const a_device = d.upload(a);
    auto const b_device = d.upload(b);
    auto const m_device = d.upload(m);
    auto const edge = ceil_div(n, side);
    for (std::uint32_t t = 0; t + 1 < n; ++t) {
        d.launch("gaussian_multipliers", {ceil_div(n, block)}, {block}, 0, m_device, a_device, n, t);
        d.launch("gaussian_rows", {edge, edge}, {side, side}, 0, m_device, a_device, b_device, n, t);
    }

    for (std::size_t t = 0; t + 1 < n; ++t)
        for (std::size_t row = t + 1; row < n; ++row) {
            auto const factor = a[n * row + t] / a[n * t + t];
            m[n * row + t] = factor;
            for (auto x = t; x < n; ++x) a[n * row + x] = std::fma(-factor, a[n * t + x], a[n * row + x]);
            b[row] = std::fma(-factor, b[t], b[row]);
        }
    check_equal(v, "m", d.download(m_device), m);
    check_equal(v, "a", d.download(a_device), a);
    check_equal(v, "b", d.download(b_device), b);
}

constexpr paper_row rows[] = {{paper::degree, "Gaussian"}, {paper::precomputation, "GAUSSIAN"}};

constexpr workload shipped[] = {{
    .name = "gaussian",
    .title = "Gaussian elimination: two launches per column, rows across lanes",
    .origin = "gaussian (Rodinia)",
    .rows = rows,
    .input = "a matrix that decays away from its diagonal, and a random right side",
    .differs = "Back substitution, which the original does on the host, is left out. The thesis on "
               "address pre-computation ran 1,022 launches of 525,308 CTAs: `size=512 block=128 side=16`.",
    .ptx = gaussian_ptx,
    .ptx_name = "gaussian.ptx",
    .parameters = parameters,
    .run = run,
}};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::gaussian
