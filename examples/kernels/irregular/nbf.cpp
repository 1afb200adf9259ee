#include "molecules.hpp"
#include "nbf.ptx.hpp"

namespace warpkit::kernels::nbf {
namespace {

constexpr parameter parameters[] = {
    {"side", "molecules", "along each edge of the cube", 16, 40, 5, 128},
    {"partners", "partners", "of each molecule", 18, 18, 1, 256},
    {"window", "molecules", "within which numbers are shuffled", 512, 512, 1, 1u << 21},
    {"block", "threads", "per CTA", 192, 192, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const partners = v.u32("partners");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const side = v.u32("side");
    auto const m = make_molecules(side, v.u32("window"), random);
    auto const n = static_cast<std::uint32_t>(m.x.size());
    // Partners are at most two places away along each axis; beyond a face comes the opposite one.
    std::vector<std::int32_t> partner(std::size_t{n} * partners);
    for (std::uint32_t point = 0; point < n; ++point)
        for (std::uint32_t k = 0; k < partners; ++k) {
            auto const step = random.below(124); // of the 125 points around, but for the middle
            auto const to = step < 62 ? step : step + 1;
            auto const along = [side](std::uint32_t from, std::uint32_t by) {
                return (from + side + by - 2) % side;
            };
            partner[static_cast<std::size_t>(m.number[point]) * partners + k] =
                m.at(along(point % side, to % 5), along(point / side % side, to / 5 % 5),
                     along(point / side / side, to / 25));
        }
    std::vector<float> fx(n), fy(n), fz(n);
    for (std::size_t i = 0; i < n; ++i)
        for (auto k = i * partners; k < (i + 1) * partners; ++k) {
            auto const j = static_cast<std::size_t>(partner[k]);
            auto const dx = m.x[i] - m.x[j];
            auto const dy = m.y[i] - m.y[j];
            auto const dz = m.z[i] - m.z[j];
            auto const inverse = 1.0f / std::fma(dz, dz, std::fma(dy, dy, dx * dx));
            auto const sixth = inverse * inverse * inverse;
            auto const force = std::fma(2.0f, sixth, -1.0f) * sixth * inverse;
            fx[i] = std::fma(force, dx, fx[i]);
            fy[i] = std::fma(force, dy, fy[i]);
            fz[i] = std::fma(force, dz, fz[i]);
        }

    auto const x = d.upload(m.x);
    auto const y = d.upload(m.y);
    auto const z = d.upload(m.z);
    auto const partner_device = d.upload(partner);
    auto const fx_device = d.allocate<float>(n);
    auto const fy_device = d.allocate<float>(n);
    auto const fz_device = d.allocate<float>(n);
    d.launch("nbf", {ceil_div(n, block)}, {block}, 0, x, y, z, partner_device, fx_device, fy_device,
             fz_device, n, partners);
    check_equal(v, "fx", d.download(fx_device), fx);
    check_equal(v, "fy", d.download(fy_device), fy);
    check_equal(v, "fz", d.download(fz_device), fz);
}

constexpr workload shipped[] = {
    {
        .name = "nbf",
        .title = "non-bonded forces, a molecule per thread",
        .origin = "nbf of the 2014 thesis (Cosmic; from GROMOS)",
        .input = "molecules in a cube, each with partners from up to two places away, numbers shuffled "
                 "within `window`",
        .differs = "CTAs of six warps, as in the thesis's Table 5, which does not say what a thread "
                   "does. Each pair is in the list of one of its molecules and pulls at that one only. "
                   "The full size has about the thesis's 6.3 MB of data.",
        .ptx = nbf_ptx,
        .ptx_name = "nbf.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::nbf
