#include "bandwidth.ptx.hpp"
#include "kernels/host.hpp"

namespace warpkit::kernels::bandwidth {
namespace {

constexpr std::uint32_t threads = 512;

constexpr parameter parameters[] = {
    {"ctas", "CTAs", "of 512 threads", 4, 264, 1, 4096},
    {"kib", "KiB", "that each CTA reads in a pass", 32, 64, 32, 1024, parameter::rule::power_of_two},
    {"passes", "", "over it", 2, 5, 1, 1024},
    {"own", "", "1: each CTA reads its own again and again; 0: another one's in each pass", 0, 0, 0, 1},
    seed,
};

void run(device& d, values const& v) {
    auto const ctas = v.u32("ctas");
    auto const passes = v.u32("passes");
    auto const part = v.u32("kib") * 1024 / 16; // of 16 bytes
    bool const own = v.u32("own") != 0;
    random_numbers random(v["seed"]);
    auto const words = random.vector(std::size_t{ctas} * part * 4,
                                     [](random_numbers& r) { return static_cast<std::uint32_t>(r.next()); });
    std::vector<std::uint32_t> expected(std::size_t{ctas} * threads);
    for (std::uint32_t cta = 0; cta < ctas; ++cta)
        for (std::uint32_t pass = 0; pass < passes; ++pass) {
            auto const of = own ? cta : (cta + pass * 37) % ctas;
            for (std::uint32_t i = 0; i < part; ++i)
                for (std::uint32_t w = 0; w < 4; ++w)
                    expected[cta * threads + i % threads] ^= words[(std::size_t{of} * part + i) * 4 + w];
        }
    auto const from = d.upload(words);
    auto const sums = d.allocate<std::uint32_t>(expected.size());
    d.launch(own ? "read_l1" : "read_l2", {ctas}, {threads}, 0, from,
             static_cast<std::int32_t>(own ? part : ctas * part), static_cast<std::int32_t>(passes), sums);
    check_equal(v, "sums", d.download(sums), expected);
}

constexpr workload shipped[] = {
    {
        .name = "bandwidth",
        .title = "reads of 16 bytes by every thread, of what the L2 or the L1 has",
        .origin = "the microbenchmarks of memory throughput",
        .input = "random numbers, of which each thread makes the exclusive or",
        .differs =
            "Two runs of different `passes` tell what a pass takes whose data are there: their cycles' "
            "difference by that of their passes.",
        .ptx = bandwidth_ptx,
        .ptx_name = "bandwidth.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::bandwidth
