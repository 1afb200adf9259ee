#include "moldyn.ptx.hpp"
#include "molecules.hpp"

#include <array>

namespace warpkit::kernels::moldyn {
namespace {

constexpr parameter parameters[] = {
    {"side", "molecules", "along each edge of the cube", 16, 40, 5, 128},
    {"partners", "pairs", "per molecule in the list", 8, 17, 1, 256},
    {"window", "molecules", "within which numbers are shuffled", 512, 512, 1, 1u << 21},
    {"block", "threads", "per CTA", 192, 192, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const partners = v.u32("partners");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const m = make_molecules(v.u32("side"), partners, v.u32("window"), random);
    auto const n = m.x.size();
    std::vector<std::array<std::int32_t, 2>> pairs;
    for (std::size_t k = 0; k < m.partner.size(); ++k)
        pairs.push_back({static_cast<std::int32_t>(k / partners), m.partner[k]});
    constexpr float cutoff_squared = 6;
    std::vector<float> fx(n), fy(n), fz(n);
    for (auto const& pair : pairs) {
        auto const i = static_cast<std::size_t>(pair[0]);
        auto const j = static_cast<std::size_t>(pair[1]);
        auto const dx = m.x[i] - m.x[j];
        auto const dy = m.y[i] - m.y[j];
        auto const dz = m.z[i] - m.z[j];
        auto const squared = std::fma(dz, dz, std::fma(dy, dy, dx * dx));
        if (!(squared < cutoff_squared)) continue;
        auto const inverse = 1.0f / squared;
        auto const sixth = inverse * inverse * inverse;
        auto const force = std::fma(2.0f, sixth, -1.0f) * sixth * inverse;
        fx[i] += force * dx;
        fy[i] += force * dy;
        fz[i] += force * dz;
        fx[j] -= force * dx;
        fy[j] -= force * dy;
        fz[j] -= force * dz;
    }

    auto const x = d.upload(m.x);
    auto const y = d.upload(m.y);
    auto const z = d.upload(m.z);
    auto const pairs_device = d.upload(pairs);
    auto const fx_device = d.allocate<float>(n);
    auto const fy_device = d.allocate<float>(n);
    auto const fz_device = d.allocate<float>(n);
    auto const count = static_cast<std::uint32_t>(pairs.size());
    d.launch("moldyn", {ceil_div(count, block)}, {block}, 0, x, y, z, pairs_device, fx_device, fy_device,
             fz_device, count, cutoff_squared);
    constexpr float tolerance = 1e-3f; // sums of forces of either sign, in any order
    check_close(v, "fx", d.download(fx_device), fx, tolerance);
    check_close(v, "fy", d.download(fy_device), fy, tolerance);
    check_close(v, "fz", d.download(fz_device), fz, tolerance);
}

constexpr paper_row rows[] = {{paper::degree, "moldyn"}};

constexpr workload shipped[] = {
    {
        .name = "moldyn",
        .title = "forces within a cutoff, a pair of molecules per thread",
        .origin = "moldyn of the 2014 thesis (Cosmic; from CHARMM)",
        .rows = rows,
        .input = "the molecules of nbf, their partners as a list of pairs, about half of them within "
                 "the cutoff",
        .differs = "The thesis names its program and its data, not its launch; ours has CTAs of 192 "
                   "threads, one of the two shapes that it speaks of. Forces are added by atomics in "
                   "whatever order, hence checked to 1e-3. The full size has about the thesis's 10.2 MB "
                   "of data.",
        .ptx = moldyn_ptx,
        .ptx_name = "moldyn.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::moldyn
