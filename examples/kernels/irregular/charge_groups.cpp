#include "charge_groups.ptx.hpp"
#include "kernels/host.hpp"

#include <algorithm>
#include <limits>

namespace warpkit::kernels::charge_groups {
namespace {

constexpr parameter nbf_parameters[] = {
    {"molecules", "molecules", "along a bar", 3072, 163584, 64, 1u << 21},
    {"partners", "partners", "of each group of 32 molecules", 116, 116, 1, 1024},
    {"reach", "places", "between a group and its partners at most", 128, 128, 1, 1u << 20},
    {"runs", "runs", "of rising numbers that a list is made of", 4, 4, 1, 1024},
    {"block", "threads", "per CTA", 192, 192, 32, 1024},
    seed,
};

constexpr parameter moldyn_parameters[] = {
    {"molecules", "molecules", "along a bar", 1024, 195840, 64, 1u << 21},
    {"layers", "layers", "of the bar before and behind that a list looks at", 2, 2, 1, 64},
    {"block", "threads", "per CTA", 192, 192, 32, 1024},
    seed,
};

constexpr std::uint32_t group = 32;
constexpr std::uint32_t layer = 64; // 8 x 8 molecules, one apart

struct vector {
    float x, y, z;
};

std::vector<vector> make_bar(std::uint32_t molecules, random_numbers& random) {
    std::vector<vector> at;
    for (std::uint32_t i = 0; i < molecules; ++i) {
        auto const x = static_cast<float>(i % 8) + random.unit() / 4;
        auto const y = static_cast<float>(i / 8 % 8) + random.unit() / 4;
        at.push_back({x, y, static_cast<float>(i / layer) + random.unit() / 4});
    }
    return at;
}

// What `lists` does to each molecule; first[g] to first[g + 1] are the places of group g.
std::vector<vector> forces(std::vector<vector> const& at, std::vector<std::int32_t> const& first,
                           std::vector<std::int32_t> const& lists, float cutoff_squared) {
    std::vector<vector> sums(at.size());
    for (std::size_t i = 0; i < at.size(); ++i)
        for (auto k = first[i / group]; k < first[i / group + 1]; ++k) {
            auto const j = static_cast<std::size_t>(lists[static_cast<std::size_t>(k)]);
            auto const dx = at[i].x - at[j].x;
            auto const dy = at[i].y - at[j].y;
            auto const dz = at[i].z - at[j].z;
            auto const squared = std::fma(dz, dz, std::fma(dy, dy, dx * dx));
            if (j == i || !(squared < cutoff_squared)) continue;
            auto const inverse = 1.0f / squared;
            auto const sixth = inverse * inverse * inverse;
            auto const force = std::fma(2.0f, sixth, -1.0f) * sixth * inverse;
            sums[i].x = std::fma(force, dx, sums[i].x);
            sums[i].y = std::fma(force, dy, sums[i].y);
            sums[i].z = std::fma(force, dz, sums[i].z);
        }
    return sums;
}

void check_forces(device const& d, values const& v, device_array<vector> const& found,
                  std::vector<vector> const& expected) {
    auto const of_device = d.download(found);
    auto const each = [](std::vector<vector> const& all, float vector::*component) {
        std::vector<float> of_all;
        for (auto const& one : all) of_all.push_back(one.*component);
        return of_all;
    };
    check_equal(v, "force along x", each(of_device, &vector::x), each(expected, &vector::x));
    check_equal(v, "force along y", each(of_device, &vector::y), each(expected, &vector::y));
    check_equal(v, "force along z", each(of_device, &vector::z), each(expected, &vector::z));
}

void run_nbf(device& d, values const& v) {
    auto const n = v.u32("molecules");
    auto const partners = v.u32("partners");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const at = make_bar(n, random);
    // From before the group or behind it; at the ends of the bar from the one side alone.
    std::vector<std::int32_t> lists, first{0};
    for (std::uint32_t begin = 0; begin < n; begin += group) {
        auto const end = std::min(begin + group, n);
        auto const before = std::min(v.u32("reach"), begin);
        auto const behind = std::min(v.u32("reach"), n - end);
        for (std::uint32_t k = 0; k < partners; ++k) {
            auto const which = random.below(before + behind);
            lists.push_back(
                static_cast<std::int32_t>(which < before ? begin - 1 - which : end + which - before));
        }
        for (std::uint32_t run = 0; run < v.u32("runs"); ++run)
            std::sort(lists.end() - partners + run * partners / v.u32("runs"),
                      lists.end() - partners + (run + 1) * partners / v.u32("runs"));
        first.push_back(static_cast<std::int32_t>(lists.size()));
    }
    auto const expected = forces(at, first, lists, std::numeric_limits<float>::infinity());

    auto const found = d.allocate<vector>(n);
    d.launch("nbf_groups", {ceil_div(n, block)}, {block}, 0, d.upload(at), d.upload(lists), found, n,
             partners);
    check_forces(d, v, found, expected);
}

void run_moldyn(device& d, values const& v) {
    auto const n = v.u32("molecules");
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const at = make_bar(n, random);
    // A list has the molecules whose places are no further from one of the group's than a cutoff of 2.3 and a little
    // more allow, for those that move.
    constexpr float cutoff_squared = 2.3f * 2.3f;
    std::vector<std::int32_t> lists, first{0};
    for (std::uint32_t begin = 0; begin < n; begin += group) {
        auto const from = begin / layer - std::min(begin / layer, v.u32("layers"));
        auto const to =
            std::min(std::uint64_t{n}, (std::uint64_t{begin / layer} + v.u32("layers") + 1) * layer);
        for (auto j = from * layer; j < to; ++j) {
            // The group has half a layer, four rows of eight.
            auto const low = begin / 8 % 8, high = low + 3, row = j / 8 % 8;
            auto const rows = row < low ? low - row : row > high ? row - high : 0;
            auto const layers =
                j / layer > begin / layer ? j / layer - begin / layer : begin / layer - j / layer;
            if (rows * rows + layers * layers <= 7) lists.push_back(static_cast<std::int32_t>(j));
        }
        first.push_back(static_cast<std::int32_t>(lists.size()));
    }
    auto const expected = forces(at, first, lists, cutoff_squared);

    auto const found = d.allocate<vector>(n);
    d.launch("moldyn_groups", {ceil_div(n, block)}, {block}, 0, d.upload(at), d.upload(first),
             d.upload(lists), found, n, cutoff_squared);
    check_forces(d, v, found, expected);
}

constexpr paper_row nbf_rows[] = {{paper::degree, "nbf"}};
constexpr paper_row moldyn_rows[] = {{paper::degree, "moldyn"}};

constexpr workload shipped[] = {
    {
        .name = "nbf_groups",
        .title = "non-bonded forces, a list of partners for each group of 32 molecules",
        .origin = "nbf of the 2014 thesis (Cosmic; from GROMOS)",
        .rows = nbf_rows,
        .input = "molecules along a bar, partners of a group at random within `reach` of it, each list a few "
                 "runs of rising numbers",
        .differs =
            "The thesis does not say what a thread does. A warp of molecules shares a list, as GROMOS's "
            "charge groups "
            "do: with that a CTA of six warps touches about the thesis's 65 lines. Its Table 5, whose cache "
            "size is not "
            "printed, is met with an L1 of 4 KiB (below). The full size has the thesis's 6.3 MB of data.",
        .ptx = charge_groups_ptx,
        .ptx_name = "charge_groups.ptx",
        .parameters = nbf_parameters,
        .run = run_nbf,
    },
    {
        .name = "moldyn_groups",
        .title = "forces within a cutoff, a list of partners for each group of 32 molecules",
        .origin = "moldyn of the 2014 thesis (Cosmic; from CHARMM)",
        .rows = moldyn_rows,
        .input = "the molecules of nbf_groups; lists of all that may be within the cutoff",
        .differs = "As nbf_groups; a pair is in the lists of both groups. The full size has the thesis's "
                   "10.2 MB of data.",
        .ptx = charge_groups_ptx,
        .ptx_name = "charge_groups.ptx",
        .parameters = moldyn_parameters,
        .run = run_moldyn,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::charge_groups
