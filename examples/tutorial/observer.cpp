// An observer of one's own: how many lanes take part in each instruction, on each core.

#include <warpkit/config/presets.hpp>

#include "tutorial.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <memory>

using namespace warpkit;

/// Instructions by the number of lanes that took part, in quarters of a warp. A policy hears events in the same way.
struct divergence {
    std::array<std::uint64_t, 4> quarter{};
    void on(issued const& e) noexcept {
        auto const lanes = std::popcount(e.active);
        if (lanes != 0) ++quarter[static_cast<unsigned>(lanes - 1) / 8];
    }
    friend bool operator==(divergence const&, divergence const&) = default;
};
using observed = presets::gtx480::with<use::observer<divergence>>;

int main() {
    return tutorial::told("observer", [] {
        std::printf("%-12s %8s %8s %8s %8s   %% of instructions\n", "lanes", "1-8", "9-16", "17-24", "25-32");
        for (auto const* kernel : {"vecadd", "bfs", "spmv"}) {
            auto const machine = std::make_shared<gpu<observed::policies>>(observed::parameters());
            if (auto const r = simulate(engine::on(machine), tutorial::program(kernel)); !r.verified)
                throw error(r.wrong);
            divergence all; // of all cores
            std::uint64_t sum = 0;
            for (auto const& core : machine->cores())
                for (unsigned i = 0; i < 4; ++i)
                    sum += core.observer().quarter[i], all.quarter[i] += core.observer().quarter[i];
            std::printf("%-12s", kernel);
            for (auto const n : all.quarter)
                std::printf(" %8.1f", 100.0 * static_cast<double>(n) / static_cast<double>(sum));
            std::printf("\n");
        }
    });
}
