// Machines of cores with more warps than 64, and of warps of 64 lanes: both engines on random kernels, by hand, and the
// limits.
// Compiled with WARPKIT_WARP_SLOTS=128, and WARPKIT_WARP_LANES=32 and 64.
#include <warpkit/config/check.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/frontend/builder.hpp>
#include <warpkit/lsu/fermi_coalescing.hpp>
#include <warpkit/lsu/sectored_coalescing.hpp>
#include <warpkit/lsu/shared_banks.hpp>
#include <warpkit/report/metrics.hpp>

#include "catch.hpp"
#include "gpu/random_work.hpp"
#include "reference/both_engines.hpp"

#include <string>

using namespace warpkit;
using namespace warpkit::reference_test;

static_assert(warp_set::width == 128);
static_assert(sizeof(lane_mask) * 8 == lanes);

namespace {

/// The highest slot that has issued, on any core.
struct highest_slot {
    static inline unsigned seen = 0;
    void on(issued const& e) const noexcept {
        if (e.warp.index() > seen) seen = e.warp.index();
    }
    friend bool operator==(highest_slot const&, highest_slot const&) = default;
};
using P = presets::gtx480::with<use::observer<highest_slot>>::policies;

/// A core whose warps fill all slots.
gpu_parameters full_cores() {
    auto p = presets::gtx480::parameters();
    p.core.count = 2;
    p.core.threads = lanes * warp_set::width; // 4096 of 32 lanes
    p.core.ctas = 32;
    p.core.registers = 1 << 20;
    return p;
}

} // namespace

TEST_CASE("both engines tell the same of random kernels on wide machines") {
    for (std::uint64_t seed = 6; seed <= 12; ++seed) {
        gpu_test::random_kernel k(seed);
        auto p = gpu_test::random_machine(seed, k.warps());
        if (seed % 2 == 0) {
            p.core.threads = lanes * warp_set::width;
            p.core.ctas = 32;
        }
        INFO("seed " << seed);
        both_engines<P> both(p);
        CHECK(both.run(k.builder().launch()) == "");
    }
}

TEST_CASE("a core of 128 warps has them all, and counts their lanes") {
    kernel_builder k("all slots");
    k.grid = {64, 1, 1};
    k.block = {8 * lanes, 1, 1};
    auto const load = k.load(memory_space::global, 4, {1}, {0});
    auto const add = k.op(op_class::fp_add, {2}, {1});
    auto const exit = k.exit();
    k.script = [=](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) {
        for (unsigned i = 0; i < 3; ++i) {
            out.access(load, [=](unsigned lane) {
                return 0xC0000000 + ((cta * 8 + warp) * 3 + i) * 4 * lanes + 4 * lane;
            });
            out.step(add);
        }
        out.step(exit);
    };
    highest_slot::seen = 0;
    both_engines<P> both(full_cores());
    CHECK(both.run(k.launch()) == "");
    CHECK(highest_slot::seen == 127);
    auto const& c = both.counted();
    CHECK(c.core.warp_instructions == 64 * 8 * 7);
    CHECK(c.core.thread_instructions == c.core.warp_instructions * lanes);
    CHECK(c.core.transactions == 64 * 8 * 3 * lanes / 32); // 128 bytes each
}

TEST_CASE("the numbers of a wide machine") {
    auto p = full_cores();
    CHECK_NOTHROW(check(p));
    p.core.threads += lanes;
    CHECK_THROWS_WITH(check(p),
                      Catch::Contains("core.threads") && Catch::Contains(std::to_string(lanes * 128)));
    p.core.threads = lanes * 128 - 1;
    CHECK_THROWS_WITH(check(p), Catch::Contains("is not a multiple of " + std::to_string(lanes) +
                                                ", the threads of a warp"));
}

TEST_CASE("a warp's accesses are those of all its lanes") {
    transaction_list out;
    warp_access const row{.active = all_lanes, .bytes = 4, .base = 0xC0000000, .stride = 4};
    fermi_coalescing{}(row, false, out);
    CHECK(out.size() == lanes / 32);
    out.clear();
    warp_access const column{.active = all_lanes, .bytes = 4, .base = 0xC0000000, .stride = 4096};
    sectored_coalescing{}(column, false, out);
    REQUIRE(out.size() == lanes);
    CHECK(out[0].lanes == lane_mask{1} << (lanes - 1)); // the highest address first
    CHECK(out[lanes - 1].lanes == lane_mask{1});
    shared_banks const banks(32);
    CHECK(banks.cycles(row) == lanes / 32); // a word of each bank in a cycle
    CHECK(banks.cycles({.active = all_lanes, .bytes = 4, .base = 0, .stride = 128}) == lanes);
    CHECK(banks.cycles({.active = all_lanes, .bytes = 4, .base = 0, .stride = 0}) == 1);
}
