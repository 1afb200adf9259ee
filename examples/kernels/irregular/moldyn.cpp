#include "moldyn.ptx.hpp"
#include "molecules.hpp"

namespace warpkit::kernels::moldyn {
namespace {

constexpr parameter parameters[] = {
    {"side", "molecules", "along each edge of the cube", 11, 40, 3, 128},
    {"window", "molecules", "within which numbers are shuffled", 512, 512, 1, 1u << 21},
    {"block", "threads", "per CTA", 192, 192, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const block = v.u32("block");
    auto const side = v.u32("side");
    random_numbers random(v["seed"]);
    auto const m = make_molecules(side, v.u32("window"), random);
    auto const n = static_cast<std::uint32_t>(m.x.size());

    // A list has the molecules of the points at most two away, the cutoff of 1.8 a little less, for those that move.
    constexpr float cutoff_squared = 1.8f * 1.8f;
    std::vector<std::vector<std::int32_t>> lists(n);
    for (std::uint32_t point = 0; point < n; ++point) {
        auto& list = lists[static_cast<std::size_t>(m.number[point])];
        auto const i = static_cast<int>(point % side);
        auto const j = static_cast<int>(point / side % side);
        auto const k = static_cast<int>(point / side / side);
        auto const inside = [side](int a) { return a >= 0 && a < static_cast<int>(side); };
        for (int dk = -2; dk <= 2; ++dk)
            for (int dj = -2; dj <= 2; ++dj)
                for (int di = -2; di <= 2; ++di) {
                    auto const squared = di * di + dj * dj + dk * dk;
                    if (squared == 0 || squared > 4 || !inside(i + di) || !inside(j + dj) || !inside(k + dk))
                        continue;
                    list.push_back(m.at(static_cast<std::uint32_t>(i + di),
                                        static_cast<std::uint32_t>(j + dj),
                                        static_cast<std::uint32_t>(k + dk)));
                }
    }
    std::vector<std::int32_t> first{0};
    std::vector<std::int32_t> partner;
    for (auto const& list : lists) {
        partner.insert(partner.end(), list.begin(), list.end());
        first.push_back(static_cast<std::int32_t>(partner.size()));
    }

    std::vector<float> fx(n), fy(n), fz(n);
    for (std::size_t i = 0; i < n; ++i)
        for (auto const other : lists[i]) {
            auto const j = static_cast<std::size_t>(other);
            auto const dx = m.x[i] - m.x[j];
            auto const dy = m.y[i] - m.y[j];
            auto const dz = m.z[i] - m.z[j];
            auto const squared = std::fma(dz, dz, std::fma(dy, dy, dx * dx));
            if (!(squared < cutoff_squared)) continue;
            auto const inverse = 1.0f / squared;
            auto const sixth = inverse * inverse * inverse;
            auto const force = std::fma(2.0f, sixth, -1.0f) * sixth * inverse;
            fx[i] = std::fma(force, dx, fx[i]);
            fy[i] = std::fma(force, dy, fy[i]);
            fz[i] = std::fma(force, dz, fz[i]);
        }

    auto const fx_device = d.allocate<float>(n);
    auto const fy_device = d.allocate<float>(n);
    auto const fz_device = d.allocate<float>(n);
    d.launch("moldyn", {ceil_div(n, block)}, {block}, 0, d.upload(m.x), d.upload(m.y), d.upload(m.z),
             d.upload(first), d.upload(partner), fx_device, fy_device, fz_device, n, cutoff_squared);
    check_equal(v, "fx", d.download(fx_device), fx);
    check_equal(v, "fy", d.download(fy_device), fy);
    check_equal(v, "fz", d.download(fz_device), fz);
}

constexpr workload shipped[] = {
    {
        .name = "moldyn",
        .title = "forces within a cutoff, a molecule per thread",
        .origin = "moldyn of the 2014 thesis (Cosmic; from CHARMM)",
        .input = "the molecules of nbf; lists of all that are two places away or less, most of them "
                 "within the cutoff",
        .differs = "CTAs of six warps, as in the thesis's Table 5, which does not say what a thread "
                   "does. Each pair is in both lists, so that nothing is added by atomics. The full "
                   "size has about the thesis's 10.2 MB of data.",
        .ptx = moldyn_ptx,
        .ptx_name = "moldyn.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::moldyn
