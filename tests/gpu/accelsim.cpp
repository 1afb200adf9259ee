/// Side by side with Accel-Sim (SPEC 16): its synthetic kernels, instruction by instruction, on gtx480_accelsim.

#include <warpkit/frontend/builder.hpp>

#include "catch.hpp"
#include "gpu/machines.hpp"

using namespace warpkit;
using namespace warpkit::gpu_test;

namespace {

constexpr std::uint64_t array_a = 0x7f2000000000, array_b = 0x7f2010000000, array_c = 0x7f2020000000;

void prologue(kernel_builder& k) {
    k.op(op_class::int_add, {1});
    k.op(op_class::int_add, {6});
    k.op(op_class::int_add, {3});
    k.op(op_class::int_mad, {6}, {6, 3});
    k.op(op_class::int_add, {}, {6});
    k.op(op_class::exit); // predicated off
    k.op(op_class::int_add, {7});
}
void one_word_per_thread(kernel_builder& k, std::uint32_t load_a, std::uint32_t load_b) {
    k.block = {256, 1, 1};
    k.script = [=](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& w) {
        w.straight([&](std::uint32_t i, unsigned lane) {
            return (i == load_a   ? array_a
                    : i == load_b ? array_b
                                  : array_c) +
                   4 * (cta * 256 + warp * 32 + lane);
        });
    };
}
template <class P = fermi_lrr>
run_counters vecadd() {
    kernel_builder k("vecadd");
    prologue(k);
    k.op(op_class::int_mad, {2}, {6, 7});
    k.op(op_class::int_mad, {4}, {6, 7});
    auto const a = k.load(memory_space::global, 4, {8}, {2});
    auto const b = k.load(memory_space::global, 4, {9}, {4});
    k.op(op_class::int_mad, {10}, {6, 7});
    k.op(op_class::int_add, {9}, {8, 9});
    k.store(memory_space::global, 4, {10, 9});
    k.exit();
    k.grid = {2048, 1, 1};
    k.registers_per_thread(12);
    one_word_per_thread(k, a, b);
    gpu<P> g(presets::gtx480_accelsim::parameters());
    return g.run(k.launch());
}
template <class P = fermi_lrr>
run_counters compute() {
    kernel_builder k("compute");
    prologue(k);
    k.op(op_class::int_mad, {2}, {6, 7});
    auto const a = k.load(memory_space::global, 4, {8}, {2});
    for (register_id q = 0; q < 4; ++q) k.op(op_class::int_add, {static_cast<register_id>(12 + q)});
    for (unsigned j = 0; j < 200; ++j) {
        auto const r = static_cast<register_id>(12 + j % 4);
        k.op(op_class::fp_mad, {r}, {r, 8});
    }
    k.op(op_class::fp_add, {12}, {12, 13});
    k.op(op_class::fp_add, {14}, {14, 15});
    k.op(op_class::fp_add, {12}, {12, 14});
    k.op(op_class::int_mad, {4}, {6, 7});
    k.store(memory_space::global, 4, {4, 12});
    k.exit();
    k.grid = {640, 1, 1};
    k.registers_per_thread(24);
    one_word_per_thread(k, a, a);
    gpu<P> g(presets::gtx480_accelsim::parameters());
    return g.run(k.launch());
}

} // namespace

TEST_CASE("vecadd beside Accel-Sim", "[gpu]") {
    auto const r = vecadd();
    UNSCOPED_INFO("vecadd: " << r.cycles << " cycles, " << r.dram.read_atoms + r.dram.write_atoms
                             << " bursts, " << r.dram.activates << " activates");
    CHECK(r.core.warp_instructions == 245'760);
    CHECK(static_cast<double>(r.cycles) == Approx(42'602).epsilon(0.10));
    CHECK(static_cast<double>(r.dram.read_atoms + r.dram.write_atoms) == Approx(159'154).epsilon(0.01));
    CHECK(r.l1d.hits == 0); // Accel-Sim: a miss rate of 1.00
}
TEST_CASE("compute beside Accel-Sim", "[gpu]") {
    auto const r = compute();
    UNSCOPED_INFO("compute: " << r.cycles << " cycles, " << r.dram.read_atoms + r.dram.write_atoms
                              << " bursts, " << r.dram.activates << " activates");
    CHECK(r.core.warp_instructions == 1'121'280); // 640 CTAs of 8 warps, 219 instructions
    CHECK(static_cast<double>(r.cycles) == Approx(82'478).epsilon(0.10));
    CHECK(static_cast<double>(r.dram.read_atoms + r.dram.write_atoms) == Approx(24'192).epsilon(0.01));
    // A known gap (docs/deviations.md: no collectors, no register banks). When this fails, it has closed: say so there.
    CHECK(static_cast<double>(r.cycles) < 82'478 * 0.99);
}

// Its two-level scheduler forgets to take the marks of loads away. compute reads its one loaded register 200 times over,
// so its warps are demoted all the time; without that quirk the same kernel takes 155,564 cycles here.
TEST_CASE("GPGPU-Sim's two-level scheduler beside Accel-Sim", "[gpu]") {
    CHECK(static_cast<double>(vecadd<fermi_two_level_compat>().cycles) == Approx(42'402).epsilon(0.01));
    CHECK(static_cast<double>(compute<fermi_two_level_compat>().cycles) == Approx(70'856).epsilon(0.01));
}
