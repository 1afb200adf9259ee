#include "all_reduce_cluster.ptx.hpp"
#include "kernels/host.hpp"

#include <cstring>

namespace warpkit::kernels::all_reduce_cluster {
namespace {

constexpr parameter parameters[] = {
    {"clusters", "clusters", "of CTAs, each with sums of its own", 4, 512, 1, 1u << 16},
    {"ctas", "CTAs", "in a cluster", 8, 8, 1, 8, parameter::rule::power_of_two},
    {"elements", "elements", "of a vector", 1024, 4096, 64, 4096, parameter::rule::multiple_of_64},
    {"block", "threads", "per CTA", 128, 128, 1, 1024},
    seed,
};

void run(device& d, values const& v) {
    auto const ctas = v.u32("ctas");
    auto const elements = v.u32("elements");
    auto const all = v.u32("clusters") * ctas;
    random_numbers random(v["seed"]);
    auto const in = random.units(std::size_t{all} * elements);
    auto const in_device = d.upload(in);
    auto const out = d.allocate<float>(in.size());
    struct {
        device_address in;
        device_address out;
        std::uint32_t elements;
    } const arguments{in_device.address, out.address, elements};
    launch_request request;
    request.kernel = "all_reduce_cluster";
    request.grid = {all};
    request.block = {v.u32("block")};
    request.cluster = {ctas, 1, 1};
    request.arguments.resize(2 * sizeof(device_address) + sizeof(std::uint32_t));
    std::memcpy(request.arguments.data(), &arguments, request.arguments.size());
    d.launch(request);

    // In the kernel's order: the CTA that adds an element begins with its own.
    std::vector<float> expected(in.size());
    for (std::size_t cluster = 0; cluster < all; cluster += ctas)
        for (std::size_t i = 0; i < elements; ++i) {
            auto const adds = i / (elements / ctas);
            float sum = 0;
            for (std::size_t r = 0; r < ctas; ++r) sum += in[(cluster + (adds + r) % ctas) * elements + i];
            for (std::size_t r = 0; r < ctas; ++r) expected[(cluster + r) * elements + i] = sum;
        }
    check_equal(v, "out", d.download(out), expected);
}

constexpr workload shipped[] = {
    {
        .name = "all_reduce_cluster",
        .title =
            "vectors of a cluster's CTAs added up through distributed shared memory, the sum in all of them",
        .origin = "partial products of 512 tokens of Llama-3-8B, 4,096 elements, in clusters of 8 CTAs; the "
                  "distributed shared memory of the CUDA C++ Programming Guide",
        .input = "elements uniform in [0, 1)",
        .differs = "A kernel of its own, where fused ones have it at their end.",
        .ptx = all_reduce_cluster_ptx,
        .ptx_name = "all_reduce_cluster.ptx",
        .parameters = parameters,
        .run = run,
        .needs = {.clusters = true},
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::all_reduce_cluster
