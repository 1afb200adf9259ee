#include "kernels/host.hpp"
#include "reduction.ptx.hpp"

#include <numeric>

namespace warpkit::kernels::reduction {
namespace {

constexpr parameter parameters[] = {
    {"n", "elements", "to add up", 131072, 1u << 24, 1, 1u << 27},
    {"block", "threads", "per CTA", 256, 256, 32, 1024, parameter::rule::power_of_two},
    seed,
};

void run(device& d, values const& v) {
    auto const block = v.u32("block");
    random_numbers random(v["seed"]);
    auto const data =
        random.vector(v.u32("n"), [](random_numbers& r) { return static_cast<std::uint32_t>(r.next()); });
    auto const expected = std::accumulate(data.begin(), data.end(), std::uint32_t{0});

    auto in = d.upload(data);
    do { // each pass leaves one sum per CTA
        auto const ctas = ceil_div(static_cast<std::uint32_t>(in.count), 2 * block);
        auto const out = d.allocate<std::uint32_t>(ctas);
        d.launch("reduction", {ctas}, {block}, block * 4, in, out, static_cast<std::uint32_t>(in.count));
        in = out;
    } while (in.count > 1);
    check_equal(v, "sum", d.download(in), {expected});
}

constexpr workload shipped[] = {
    {
        .name = "reduction",
        .title = "sum of a vector: trees in shared memory, pass by pass until one value is left",
        .origin = "reduction (CUDA SDK, SHOC)",
        .input = "random integers",
        .differs = "Partial sums go through the device again until one is left; the sample adds the last "
                   "few on the host. Integers.",
        .ptx = reduction_ptx,
        .ptx_name = "reduction.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::reduction
