#pragma once
/// \file
/// Loops for measurements: what one more iteration costs, so that start, end and instruction misses drop out.

#include <warpkit/frontend/builder.hpp>

#include "gpu/machines.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace warpkit::gpu_test {

/// Counters per iteration times `iterations`, from two runs.
struct slope {
    run_counters of; ///< the longer run less the shorter
    std::uint64_t iterations = 1;
    double cycles() const { return static_cast<double>(of.cycles) / static_cast<double>(iterations); }
    double per_iteration(std::uint64_t n) const {
        return static_cast<double>(n) / static_cast<double>(iterations);
    }
};

/// A loop: `body` writes instructions into the builder; then a branch back, with control bits if the body has them.
/// Addresses by iteration, instruction, global warp and lane.
struct loop {
    std::function<void(kernel_builder&)> body;
    std::function<std::uint64_t(std::uint64_t iteration, std::uint32_t instruction, std::uint64_t warp,
                                unsigned lane)>
        address =
            [](std::uint64_t, std::uint32_t, std::uint64_t, unsigned) { return std::uint64_t{0xC0000000}; };
    dim3 grid{};
    dim3 block{32, 1, 1};

    template <class P = fermi_lrr>
    run_counters run(gpu_parameters const& p, std::uint64_t iterations) const {
        kernel_builder k("loop");
        body(k);
        auto const last = k.branch(0);
        auto const out = k.exit();
        if (k.program().instructions[0].control.given)
            for (auto const i : {last, out}) k.control(i, {.stall = 1});
        k.grid = grid;
        k.block = block;
        auto const warps = (block.count() + lanes - 1) / lanes;
        k.script = [&, iterations](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& w) {
            for (std::uint64_t n = 0; n < iterations; ++n) {
                for (std::uint32_t i = 0; i < last; ++i)
                    if (k.program().instructions[i].is_memory())
                        w.access(i, [&](unsigned lane) { return address(n, i, cta * warps + warp, lane); });
                    else
                        w.step(i);
                w.step(n + 1 < iterations ? last : out);
            }
        };
        gpu<P> g(p);
        return g.run(k.launch());
    }
    template <class P = fermi_lrr>
    slope between(gpu_parameters const& p, std::uint64_t from, std::uint64_t to) const {
        auto const low = run<P>(p, from);
        auto const high = run<P>(p, to);
        return {difference(high, low), to - from};
    }
};

} // namespace warpkit::gpu_test
