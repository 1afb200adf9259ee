#include "black_scholes.ptx.hpp"
#include "kernels/host.hpp"

namespace warpkit::kernels::black_scholes {
namespace {

constexpr parameter parameters[] = {
    {"options", "options", "to price", 30720, 4000000, 1, 1u << 24},
    {"ctas", "CTAs", "in the grid", 60, 480, 1, 1u << 16},
    {"block", "threads", "per CTA", 128, 128, 1, 1024},
    seed,
};

double cumulative(double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); }

void run(device& d, values const& v) {
    auto const n = v.u32("options");
    random_numbers random(v["seed"]);
    auto const between = [&](float low, float high) {
        return random.vector(n, [=](random_numbers& r) { return low + (high - low) * r.unit(); });
    };
    auto const price = between(5, 30);
    auto const strike = between(1, 100);
    auto const years = between(0.25f, 10);
    constexpr float rate = 0.02f;
    constexpr float volatility = 0.3f;

    std::vector<float> call(n), put(n);
    for (std::size_t i = 0; i < n; ++i) {
        double const s = price[i];
        double const x = strike[i];
        double const t = years[i];
        auto const spread = volatility * std::sqrt(t);
        auto const d1 = (std::log(s / x) + (rate + 0.5 * volatility * volatility) * t) / spread;
        auto const d2 = d1 - spread;
        auto const discounted = x * std::exp(-rate * t);
        call[i] = static_cast<float>(s * cumulative(d1) - discounted * cumulative(d2));
        put[i] = static_cast<float>(discounted * cumulative(-d2) - s * cumulative(-d1));
    }

    auto const call_device = d.allocate<float>(n);
    auto const put_device = d.allocate<float>(n);
    d.launch("black_scholes", {v.u32("ctas")}, {v.u32("block")}, 0, call_device, put_device, d.upload(price),
             d.upload(strike), d.upload(years), rate, volatility, n);
    check_close(v, "call", d.download(call_device), call, 1e-4f);
    check_close(v, "put", d.download(put_device), put, 1e-4f);
}

constexpr paper_row rows[] = {{paper::owl, "BLK"}, {paper::elf, "BS", "BlackScholesGPU", "black_scholes"}};

constexpr workload shipped[] = {
    {
        .name = "black_scholes",
        .title = "prices of options by the Black-Scholes formula",
        .origin = "BlackScholes (CUDA SDK)",
        .rows = rows,
        .input = "prices, strikes and years uniform in the sample's ranges",
        .differs = "Logarithm, exponential and quotients are approximate, as with nvcc's fast versions; "
                   "checked to 1e-4. One launch; the sample repeats it 512 times.",
        .ptx = black_scholes_ptx,
        .ptx_name = "black_scholes.ptx",
        .parameters = parameters,
        .run = run,
    },
};

} // namespace

std::span<workload const> workloads() noexcept { return shipped; }

} // namespace warpkit::kernels::black_scholes
