/// Vector addition of the multithreading-degree thesis (2014, section 4.1, tables 3 and 4).

#include <warpkit/frontend/builder.hpp>

#include "catch.hpp"
#include "gpu/machines.hpp"

#include <array>

using namespace warpkit;
using namespace warpkit::gpu_test;

namespace {

/// C[id] = A[id] + B[id] as a compiler of the time writes it: 20480 elements, CTAs of 64 threads, one core.
run_counters vector_add(unsigned ctas_resident, std::uint32_t l1_bytes) {
    kernel_builder k("vec_add");
    k.load(memory_space::constant, 8, {1}); // parameters A, B, C
    k.load(memory_space::constant, 8, {2});
    k.load(memory_space::constant, 8, {3});
    k.op(op_class::int_add, {4}); // ctaid, ntid, tid
    k.op(op_class::int_add, {5});
    k.op(op_class::int_add, {6});
    k.op(op_class::int_mad, {7}, {4, 5, 6});
    k.op(op_class::int_mul, {8}, {7});
    k.op(op_class::int_add, {9}, {1, 8});
    auto const a = k.load(memory_space::global, 4, {10}, {9});
    k.op(op_class::int_add, {11}, {2, 8});
    auto const b = k.load(memory_space::global, 4, {12}, {11});
    k.op(op_class::int_add, {13}, {10, 12});
    k.op(op_class::int_add, {14}, {3, 8});
    auto const c = k.store(memory_space::global, 4, {14, 13});
    k.exit();
    k.grid = {320, 1, 1};
    k.block = {64, 1, 1};
    k.script = [=](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& w) {
        w.straight([&](std::uint32_t i, unsigned lane) -> std::uint64_t {
            auto const at = 4 * (cta * 64 + warp * 32 + lane);
            auto const bytes = std::uint64_t{20480} * 4;
            return i == a   ? 0xC0000000 + at
                   : i == b ? 0xC0000000 + bytes + at
                   : i == c ? 0xC0000000 + 2 * bytes + at
                            : 0;
        });
    };
    auto p = presets::gtx480_v3::parameters();
    p.core.count = 1;
    p.l1d.size = l1_bytes;
    p.l2.size = 0;
    policy_values<fermi_v3> values;
    values.occupancy_limit = static_limit{ctas_resident};
    gpu<fermi_v3> g(p, values);
    return g.run(k.launch());
}

} // namespace

TEST_CASE("vector addition: DRAM reads stay, cycles fall with the CTAs resident", "[gpu]") {
    std::array<double, 7> const theirs{1, 0.51, 0.34, 0.26, 0.21, 0.18, 0.15}; // table 4
    std::array<double, 7> const theirs_cycles{197157, 100867, 67506, 50857, 40823, 34682, 29757};
    auto const alone = vector_add(1, 16384);
    auto const alone_off = vector_add(1, 0);
    for (unsigned n = 1; n <= 7; ++n) {
        auto const r = vector_add(n, 16384);
        auto const latency =
            static_cast<double>(r.core.load_latency_sum) / static_cast<double>(r.core.load_latency_count);
        INFO(n << " CTAs: " << r.cycles << " cycles, latency " << latency << ", reads " << r.dram.reads);
        CHECK(r.dram.reads ==
              1280 + 2); // theirs: 1280 of 128 bytes; ours counts the line of code and that of parameters
        CHECK(static_cast<double>(r.cycles) / static_cast<double>(alone.cycles) ==
              Approx(theirs[n - 1]).margin(0.02));
        CHECK(latency ==
              Approx(264).epsilon(
                  0.05));     // theirs: 264 to 271; why ours is shorter: docs/explanation/validation.md
        CHECK(latency < 264); // a known gap: when it closes, say so in docs/explanation/deviations.md
        CHECK(static_cast<double>(r.cycles) == Approx(theirs_cycles[n - 1]).epsilon(0.08));
        // With the L1 off as well, 32 bytes a request.
        auto const off = vector_add(n, 0);
        CHECK(off.dram.reads == 4 * 1280 + 2);
        CHECK(static_cast<double>(off.cycles) / static_cast<double>(alone_off.cycles) ==
              Approx(theirs[n - 1]).margin(0.02));
    }
}
