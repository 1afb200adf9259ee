/// Local memory belongs to the places in which threads are resident (docs/model/load_store.md#local-memory).

#include <warpkit/config/presets.hpp>
#include <warpkit/frontend/builder.hpp>
#include <warpkit/gpu/gpu.hpp>

#include "catch.hpp"

#include <cstdint>

using namespace warpkit;

namespace {

/// Each thread writes 8 words and reads them again. On 2 cores that hold 3 CTAs of 2 warps each.
run_counters spill(std::uint32_t ctas) {
    kernel_builder k("spill");
    for (unsigned i = 0; i < 8; ++i) k.store(memory_space::local, 4, {1});
    for (unsigned i = 0; i < 8; ++i) k.load(memory_space::local, 4, {2});
    k.exit();
    k.grid = {ctas, 1, 1};
    k.block = {64, 1, 1};
    k.script = [](std::uint64_t, unsigned, kernel_builder::warp_writer& out) {
        out.straight([](std::uint32_t i, unsigned) { return std::uint64_t{i} % 8 * 4; });
    };
    auto p = presets::gtx480::parameters();
    p.core.count = 2;
    p.core.ctas = 3;
    gpu<presets::gtx480::policies> g(p);
    return g.run(k.launch());
}

} // namespace

TEST_CASE("a CTA finds the local lines of the one that was in its place before", "[gpu]") {
    auto const one_round = spill(6);
    auto const five_rounds = spill(30);
    CHECK(five_rounds.core.transactions == 5 * one_round.core.transactions);
    CHECK(one_round.l1d.misses ==
          2 * 6 * 2 * 8); // a line for each warp and word, written past the L1, then read
    CHECK(five_rounds.l1d.misses == one_round.l1d.misses);
    CHECK(five_rounds.l2.accesses == one_round.l2.accesses);
}
