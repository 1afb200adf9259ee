/// Microbenchmarks with an analytic answer, on the GTX 480's numbers.
///
/// Sources of the figures: "Accel-Sim" is Accel-Sim 1.2 with the GTX480 configuration, one warp in an idle machine,
/// load issue to dependent issue; the rest follows from the numbers of the preset.

#include <warpkit/dram/address_mapping.hpp>

#include "catch.hpp"
#include "gpu/loops.hpp"

#include <algorithm>

using namespace warpkit;
using namespace warpkit::gpu_test;

namespace {

gpu_parameters one_core() {
    auto p = presets::gtx480::parameters();
    p.core.count = 1;
    return p;
}

/// Cycles from load to dependent load, `lane_stride` bytes between lanes.
double shared_chain(std::uint64_t lane_stride) {
    loop l;
    l.body = [](kernel_builder& k) { k.load(memory_space::shared, 4, {1}, {1}); };
    l.address = [=](std::uint64_t, std::uint32_t, std::uint64_t, unsigned lane) {
        return lane_stride * lane;
    };
    return l.between(one_core(), 16, 80).cycles();
}
/// The same in global memory, over given addresses.
slope global_chain(gpu_parameters const& p, std::uint64_t from, std::uint64_t to,
                   std::function<std::uint64_t(std::uint64_t)> line, unsigned lane_stride = 4) {
    loop l;
    l.body = [](kernel_builder& k) { k.load(memory_space::global, 4, {1}, {1}); };
    l.address = [=](std::uint64_t n, std::uint32_t, std::uint64_t, unsigned lane) {
        return line(n) + lane_stride * lane;
    };
    return l.between(p, from, to);
}

} // namespace

TEST_CASE("shared memory: 26 cycles and 6 for the pipeline, one more for each conflict", "[gpu]") {
    CHECK(shared_chain(4) == 32);      // Accel-Sim: 32
    CHECK(shared_chain(8) == 33);      // stride 2 words: 2 cycles
    CHECK(shared_chain(33 * 4) == 32); // stride 33: 1
    CHECK(shared_chain(0) == 32);      // the same word: 1
    CHECK(shared_chain(128) == 63);    // all in one bank: 32; Accel-Sim: 63
    CHECK(shared_chain(16 * 4) == 32 + 15);
}

TEST_CASE("the latency ladder: L1, L2, DRAM", "[gpu]") {
    auto const p = one_core();
    std::uint64_t const base = 0xC0000000;

    SECTION("L1 hit: its latency of 35 and 5 (Accel-Sim: 40), one more per further line") {
        CHECK(global_chain(p, 16, 80, [&](std::uint64_t) { return base; }).cycles() == 40);
        // 32 lines fit the L1; Accel-Sim: 71
        CHECK(global_chain(
                  p, 16, 80, [&](std::uint64_t) { return base; }, 128)
                  .cycles() == 71);
    }
    SECTION("L2 hit: Accel-Sim 182") {
        // 64 KB round and round: never in an LRU L1 of 16 KB, always in the L2.
        auto const s = global_chain(p, 1024, 2048, [&](std::uint64_t n) { return base + n % 512 * 128; });
        CHECK(s.of.l1d.hits == 0);
        CHECK(s.of.dram.reads == 0);
        auto const link = p.network.link_cycles;
        auto const request = p.core.operand_cycles + (p.lsu.l1_latency - 1) + 2 * link + p.memory.rop_latency;
        auto const l2 = 1 + (p.l1d.line / p.l2.sector - 1) + 1; // look-up, the other sectors, reply
        auto const reply = 2 * link + p.core.writeback_cycles;
        CHECK(s.cycles() == request + l2 + reply);
        CHECK(s.cycles() == Approx(182).epsilon(0.03));
    }
    dram::address_mapping const map(p.address_mapping.c_str(), p.memory.channels, p.memory.slices);
    SECTION("DRAM, row open: Accel-Sim 300") {
        auto const s = global_chain(p, 6, 30, [&](std::uint64_t n) { // the 32 lines of one row
            dram::location l;
            l.row = 5;
            l.column = static_cast<std::uint32_t>(n * 128);
            return map.encode(l);
        });
        CHECK(s.of.dram.activates == 0);
        CHECK(s.of.dram.row_hits == s.of.dram.requests_served);
        CHECK(s.cycles() == Approx(300).epsilon(0.03));
    }
    SECTION("DRAM, bank closed: Accel-Sim 309") {
        auto const s = global_chain(p, 10, 90, [&](std::uint64_t n) { // the first line of each bank
            dram::location l;
            l.channel = static_cast<std::uint32_t>(n % 6);
            l.bank = static_cast<std::uint32_t>(n / 6);
            return map.encode(l);
        });
        CHECK(s.of.dram.activates == 80);
        CHECK(s.of.dram.precharges == 0);
        CHECK(s.cycles() == Approx(309).epsilon(0.03));
    }
    SECTION("DRAM, another row open: Accel-Sim 317") {
        auto const s = global_chain(p, 10, 110, [&](std::uint64_t n) { // another row of one bank
            dram::location l;
            l.row = static_cast<std::uint32_t>(n);
            return map.encode(l);
        });
        CHECK(s.of.dram.activates == 100);
        CHECK(s.of.dram.precharges == 100);
        CHECK(s.cycles() == Approx(317).epsilon(0.03));
    }
}

TEST_CASE("owl: an L2 miss over the mesh takes OWL's 92 ns at least", "[gpu]") {
    auto const p = presets::owl::parameters();
    dram::address_mapping const map(p.address_mapping.c_str(), p.memory.channels, p.memory.slices);
    double least = 1e9, most = 0;
    for (std::uint32_t channel = 0; channel < 8; ++channel) {
        loop l;
        l.body = [](kernel_builder& k) { k.load(memory_space::global, 4, {1}, {1}); };
        l.address = [&](std::uint64_t n, std::uint32_t, std::uint64_t, unsigned) { // the 32 lines of a row
            dram::location place;
            place.channel = channel;
            place.row = 5;
            place.column = static_cast<std::uint32_t>(n * 64);
            return map.encode(place);
        };
        auto const s = l.between<random_two_level>(p, 6, 30); // any scheduler: there is one warp, on node 0
        CHECK(s.of.dram.reads == 24);
        CHECK(s.of.dram.row_hits == 24);
        auto const cycles = static_cast<double>(s.of.core.load_latency_sum) /
                            static_cast<double>(s.of.core.load_latency_count);
        std::uint32_t const node[] = {3, 7, 10, 12, 23, 25, 28, 32};
        auto const hops = node[channel] / 6 + node[channel] % 6;
        auto const to_a_neighbour =
            cycles - 3.0 * (hops - 1); // each hop takes 3 cycles at 650 MHz, there and back
        INFO("channel " << channel << ", " << hops << " hops, " << cycles << " cycles");
        least = std::min(least, to_a_neighbour);
        most = std::max(most, to_a_neighbour);
    }
    CHECK(most - least < 1);
    CHECK(least / 0.325 == Approx(92).epsilon(0.05)); // ns
}

TEST_CASE("constant and texture caches: hit, line by line, L2", "[gpu]") {
    auto const p = one_core();
    auto const chain = [&](memory_space space, std::uint64_t from, std::uint64_t to, std::uint64_t step,
                           std::uint64_t bytes, std::uint64_t lane_stride) {
        loop l;
        l.body = [=](kernel_builder& k) { k.load(space, 4, {1}, {1}); };
        l.address = [=](std::uint64_t n, std::uint32_t, std::uint64_t, unsigned lane) {
            return n * step % bytes + lane_stride * lane;
        };
        return l.between(p, from, to);
    };
    auto const ends = p.core.operand_cycles + p.core.writeback_cycles;
    auto const links = 4 * p.network.link_cycles;
    auto const l2 = [&](std::uint32_t line) { return 1 + (line / p.l2.sector - 1) + 1; }; // as for the L1D
    SECTION("a constant that hits takes lsu.constant_latency, and a cycle more for each further line") {
        auto const uniform = chain(memory_space::constant, 16, 80, 0, 1, 0);
        CHECK(uniform.cycles() == ends + p.lsu.constant_latency);
        CHECK(uniform.of.l1c.hits == 64);
        CHECK(uniform.of.l1d.accesses == 0);
        CHECK(chain(memory_space::constant, 16, 80, 0, 1, 64).cycles() == ends + p.lsu.constant_latency + 31);
        CHECK(chain(memory_space::parameter, 16, 80, 0, 1, 0).cycles() == uniform.cycles());
    }
    SECTION("16 KB of constants round and round an 8 KB cache: each line comes from the L2") {
        auto const s = chain(memory_space::constant, 512, 768, 64, 16384, 0);
        CHECK(s.of.l1c.misses == 256);
        CHECK(s.of.dram.reads == 0);
        CHECK(s.cycles() == ends + links + p.memory.rop_latency + l2(p.l1c.line));
    }
    SECTION("a texture line that is there is served in the next cycle, in order") {
        auto const s = chain(memory_space::texture, 16, 80, 0, 1, 0);
        CHECK(s.cycles() == ends + 1);
        CHECK(s.of.l1t.hit_reserved == 64);
        CHECK(s.of.l1d.accesses == 0);
        CHECK(chain(memory_space::texture, 16, 80, 0, 1, 128).cycles() == ends + 1 + 31);
    }
    SECTION("24 KB of texture round and round a 12 KB cache: past the ROP delay") {
        auto const s = chain(memory_space::texture, 384, 576, 128, 24576, 0);
        CHECK(s.of.l1t.misses == 192);
        CHECK(s.of.dram.reads == 0);
        CHECK(s.cycles() == ends + links + l2(p.l1t.line));
    }
    SECTION("they may be switched off") {
        auto off = p;
        off.l1c.size = 0;
        off.l1t.size = 0;
        loop l;
        l.body = [](kernel_builder& k) { k.load(memory_space::constant, 4, {1}, {1}); };
        CHECK(l.between(off, 16, 80).cycles() == ends + p.lsu.constant_latency);
        l.body = [](kernel_builder& k) { k.load(memory_space::texture, 4, {1}, {1}); };
        CHECK(l.between(off, 16, 80).of.l1d.hits == 64);
    }
}

TEST_CASE("a chain of dependent instructions: operands, latency, way back", "[gpu]") {
    auto const p = one_core();
    for (auto const kind : {op_class::int_add, op_class::int_max, op_class::int_mad, op_class::fp_mad,
                            op_class::dp_add, op_class::int_div, op_class::special}) {
        INFO("op_class " << static_cast<unsigned>(kind));
        loop l;
        l.body = [=](kernel_builder& k) {
            for (int i = 0; i < 8; ++i) k.op(kind, {1}, {1});
        };
        auto const latency = p.core.latency[static_cast<unsigned>(kind)];
        CHECK(l.between(p, 4, 20).cycles() ==
              8 * (p.core.operand_cycles + latency + p.core.writeback_cycles));
    }
    CHECK(p.core.operand_cycles + p.core.latency[0] + p.core.writeback_cycles == 10); // Accel-Sim: 10
}

TEST_CASE("independent instructions: what limits them", "[gpu]") {
    auto p = one_core();
    loop l;
    auto const thirteen = [&l](op_class kind) { // and the branch: 7 pairs, all in one line of code
        l.body = [=](kernel_builder& k) {
            for (register_id i = 0; i < 13; ++i) k.op(kind, {i}, {});
        };
    };
    thirteen(op_class::int_add);
    SECTION("a lone warp issues 2 in 3 cycles: issue, issue, fetch again (Accel-Sim)") {
        CHECK(l.between(p, 8, 24).cycles() == 21);
    }
    l.grid = {6, 1, 1};
    l.block = {256, 1, 1};
    auto const warps = 48.0;
    SECTION("many warps: two a cycle") {
        CHECK(l.between(p, 8, 24).cycles() == Approx(warps * 7).epsilon(0.01));
    }
    SECTION("one fetch of two instructions a cycle, however many schedulers and units") {
        p.core.schedulers = 4;
        p.core.sp_units = 4;
        CHECK(l.between(p, 8, 24).cycles() == Approx(warps * 7).epsilon(0.01));
        p.core.fetch_bytes = 32;
        p.core.instruction_buffer = 4;
        CHECK(l.between(p, 8, 24).cycles() == Approx(warps * 4).epsilon(0.01));
    }
    SECTION("one scheduler: one a cycle") {
        p.core.schedulers = 1;
        CHECK(l.between(p, 8, 24).cycles() == Approx(warps * 14).epsilon(0.01));
    }
    SECTION("initiation 2 in two units: one a cycle; in one unit: one in 2 cycles") {
        thirteen(op_class::int_mul);
        REQUIRE(p.core.initiation[static_cast<unsigned>(op_class::int_mul)] == 2);
        CHECK(l.between(p, 8, 24).cycles() ==
              Approx(warps * 13.5).epsilon(0.02)); // the branch takes half a slot
        p.core.sp_units = 1;
        CHECK(l.between(p, 8, 24).cycles() == Approx(warps * 27).epsilon(0.02));
    }
    SECTION("initiation 8 in the special-function unit: one in 8 cycles") {
        thirteen(op_class::special);
        CHECK(l.between(p, 4, 12).cycles() == Approx(warps * 13 * 8).epsilon(0.01));
        p.core.sfu_units = 2;
        CHECK(l.between(p, 4, 12).cycles() == Approx(warps * 13 * 4).epsilon(0.01));
    }
}

// GPGPU-Sim empties the L1 data cache between kernels, and nothing else.
TEST_CASE("code stays in the instruction cache from kernel to kernel; another kernel's code is elsewhere",
          "[gpu]") {
    kernel_builder k("code");
    for (unsigned i = 0; i < 40; ++i) k.op(op_class::int_add, {1});
    k.exit();
    k.script = [](std::uint64_t, unsigned, kernel_builder::warp_writer& w) {
        w.straight([](std::uint32_t, unsigned) { return std::uint64_t{0}; });
    };
    auto const p = one_core();
    gpu<fermi_lrr> g(p);
    auto launch = k.launch();
    auto const bytes = 41 * p.core.instruction_bytes;
    auto const lines = (bytes + p.l1i.line - 1) / p.l1i.line;
    auto const cold = g.run(launch);
    CHECK(cold.l1i.misses == lines);
    auto const warm = g.run(launch);
    CHECK(warm.l1i.misses == 0);
    CHECK(warm.cycles < cold.cycles - 200);
    auto behind = *launch.program;
    behind.code_begin = 64;
    launch.program = &behind;
    CHECK(g.run(launch).l1i.misses == lines);
    CHECK(g.run(launch).l1i.misses == 0);
    launch = k.launch();
    CHECK(g.run(launch).l1i.misses == 0); // both have room
}

TEST_CASE("coalescing: transactions of one load", "[gpu]") {
    auto const transactions = [](std::uint64_t base, std::uint64_t lane_stride) {
        loop l;
        l.body = [](kernel_builder& k) { k.load(memory_space::global, 4, {1}, {}); };
        l.address = [=](std::uint64_t, std::uint32_t, std::uint64_t, unsigned lane) {
            return base + lane_stride * lane;
        };
        auto const r = l.run(one_core(), 1);
        CHECK(r.l1d.accesses == r.core.transactions);
        CHECK(r.l1d.misses == r.core.transactions);
        return r.core.transactions;
    };
    std::uint64_t const base = 0xC0000000;
    CHECK(transactions(base, 4) == 1);
    CHECK(transactions(base + 64, 4) == 2); // across a line
    CHECK(transactions(base, 0) == 1);      // one word for all
    CHECK(transactions(base, 32) == 8);     // 8 lines
    CHECK(transactions(base, 128) == 32);   // 32 lines
}

namespace {

/// A stream of loads over all cores, 128 bytes a warp, nothing read twice. Share of the DRAM cycles in which the data
/// bus is busy.
double bus_share(gpu_parameters const& p) {
    loop l;
    l.grid = {p.core.count * 6, 1, 1};
    l.block = {256, 1, 1};
    auto const warps = std::uint64_t{l.grid.x} * 8;
    l.body = [](kernel_builder& k) {
        for (register_id i = 0; i < 4; ++i) k.load(memory_space::global, 4, {i}, {});
    };
    l.address = [=](std::uint64_t n, std::uint32_t i, std::uint64_t warp, unsigned lane) {
        return 0xC0000000 + ((n * 4 + i) * warps + warp) * 128 + lane * 4;
    };
    auto const s = l.between(p, 4, 10);
    CHECK(s.of.dram.read_atoms ==
          s.iterations * 4 * warps * (p.l2.sector == 128 ? 2 : 4)); // atoms of 64 bytes
    auto const dram_cycles = static_cast<double>(s.of.cycles) * static_cast<double>(p.clock.dram) /
                             static_cast<double>(p.clock.core);
    return static_cast<double>(s.of.dram.bus_busy_cycles) / (dram_cycles * p.memory.channels);
}

} // namespace

TEST_CASE("a sequential stream of reads keeps the DRAM's data bus busy, within 3 %", "[gpu]") {
    auto p = presets::gtx480::parameters();
    // 32-byte sectors: half of each burst is thrown away, but the bus is busy.
    CHECK(bus_share(p) > 0.97);
    CHECK(bus_share(p) <= 1.001); // the ends of the two runs are not aligned
    // Whole lines: one channel, that nothing but the bus may be the limit. 128 bytes take 4 DRAM cycles.
    p.l2.sector = 128;
    p.memory.channels = 1;
    CHECK(bus_share(p) > 0.97);
    CHECK(bus_share(p) <= 1.001);
}
