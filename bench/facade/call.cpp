// What libwarpkit costs over the headers: a pick of gto and the issue of what it picked, through the library and
// inlined.
//
//   bench_facade_call
//   valgrind --tool=callgrind bench_facade_call --benchmark_filter=library        (and =inlined: instructions)
#include <warpkit/facade/facade.hpp>
#include <warpkit/warp/gto.hpp>

#include <benchmark/benchmark.h>

#include <cstdint>

namespace {

/// 48 warps of which half, and the first, can issue.
class candidates {
public:
    std::uint64_t next() noexcept {
        state_ = state_ * 6364136223846793005U + 1;
        return (state_ >> 8 & ~std::uint64_t{0} >> 16) | 1;
    }

private:
    std::uint64_t state_ = 1;
};

void library(benchmark::State& state) {
    warpkit::facade::scheduler s("gto");
    warpkit::facade::kernel kernel;
    s.kernel_began(kernel);
    s.cta_launched(0, 0, ~std::uint64_t{0} >> 16, 0);
    candidates c;
    std::uint64_t now = 0;
    for (auto _ : state) {
        auto const w = s.pick(c.next());
        s.issued(static_cast<std::uint32_t>(w), 0, WARPKIT_ARITHMETIC, ~std::uint32_t{0}, now++);
        benchmark::DoNotOptimize(w);
    }
}
void inlined(benchmark::State& state) {
    warpkit::gto s;
    s.on(warpkit::kernel_began{});
    s.on(warpkit::cta_launched{warpkit::cta_slot{0}, 0, warpkit::warp_set::first_n(48), 0});
    candidates c;
    std::uint64_t now = 0;
    for (auto _ : state) {
        auto const w = s.pick(warpkit::warp_set::from_bits(c.next()));
        s.on(warpkit::issued{w, 0, warpkit::issue_class::arithmetic, ~warpkit::lane_mask{0}, now++});
        benchmark::DoNotOptimize(w.index());
    }
}
BENCHMARK(library);
BENCHMARK(inlined);

} // namespace
