/// What each latency of the machine is in cycles, to the cycle: where all clocks are the same, a dependent load takes
/// the sum of what lies on its way. The same in GTX 480's clocks, beside Accel-Sim's figures, is in figures.cpp.

#include <warpkit/config/presets.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/frontend/builder.hpp>
#include <warpkit/gpu/gpu.hpp>

#include "catch.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

using namespace warpkit;

namespace {

/// One core, one clock, and sectors of 32 bytes: a load of as many is one access everywhere.
gpu_parameters one_clock() {
    auto p = presets::gtx480::parameters();
    p.core.count = 1;
    p.clock = {700'000, 700'000, 700'000, 700'000};
    p.l1d.sector = 32;
    return p;
}
enum class what { load, atomic, store };
/// A chain of dependent loads or atomics of 32 bytes at `address(n)`, or of stores with a fence behind each.
run_counters chain(gpu_parameters const& p, unsigned loads,
                   std::function<std::uint64_t(unsigned)> const& address, memory_space space, what kind) {
    kernel_builder k("chain");
    if (kind == what::load) k.load(space, 4, {1}, {1});
    if (kind == what::atomic) k.atomic(space, 4, {1}, {1});
    if (kind == what::store) k.store(space, 4, {1});
    if (kind == what::store) k.op(op_class::fence);
    auto const back = k.branch(0);
    k.exit();
    k.block = {8, 1, 1};
    k.script = [&](std::uint64_t, unsigned, kernel_builder::warp_writer& w) {
        for (unsigned n = 0; n < loads; ++n) {
            w.access(0, [&](unsigned lane) { return address(n) + 4 * lane; });
            if (kind == what::store) w.step(1);
            if (n + 1 < loads) w.step(back);
        }
        w.step(back + 1);
    };
    gpu<presets::gtx480::policies> g(p);
    return g.run(k.launch());
}
/// Cycles of one of them, exactly: of eight more or less.
struct measured {
    std::uint64_t cycles;
    run_counters eight;
};
measured one_more(gpu_parameters const& p, std::function<std::uint64_t(unsigned)> const& address,
                  unsigned first, memory_space space = memory_space::global, what kind = what::load) {
    auto const d =
        difference(chain(p, first + 8, address, space, kind), chain(p, first, address, space, kind));
    CHECK(d.cycles % 8 == 0);
    return {d.cycles / 8, d};
}

/// A number of the machine that lies on the way of a load.
struct on_the_way {
    char const* name;
    std::uint32_t& (*of)(gpu_parameters&);
    unsigned times; ///< passed
};
constexpr on_the_way to_the_operands[] = {
    {"core.operand_cycles", [](gpu_parameters& p) -> std::uint32_t& { return p.core.operand_cycles; }, 1},
};
constexpr on_the_way back_to_the_registers[] = {
    {"core.writeback_cycles", [](gpu_parameters& p) -> std::uint32_t& { return p.core.writeback_cycles; }, 1},
};
constexpr on_the_way in_the_l1[] = {
    {"lsu.l1_latency", [](gpu_parameters& p) -> std::uint32_t& { return p.lsu.l1_latency; }, 1},
};
constexpr on_the_way in_shared_memory[] = {
    {"lsu.shared_latency", [](gpu_parameters& p) -> std::uint32_t& { return p.lsu.shared_latency; }, 1},
};
constexpr on_the_way in_the_constant_cache[] = {
    {"lsu.constant_latency", [](gpu_parameters& p) -> std::uint32_t& { return p.lsu.constant_latency; }, 1},
};
constexpr on_the_way on_links[] = {
    {"network.link_cycles", [](gpu_parameters& p) -> std::uint32_t& { return p.network.link_cycles; }, 4},
};
constexpr on_the_way to_the_l2[] = {
    {"network.link_cycles", [](gpu_parameters& p) -> std::uint32_t& { return p.network.link_cycles; }, 4},
    {"memory.rop_latency", [](gpu_parameters& p) -> std::uint32_t& { return p.memory.rop_latency; }, 1},
};
constexpr on_the_way to_the_dram[] = {
    {"memory.dram_latency", [](gpu_parameters& p) -> std::uint32_t& { return p.memory.dram_latency; }, 1},
    {"dram.cl", [](gpu_parameters& p) -> std::uint32_t& { return p.dram.cl; }, 1},
};
constexpr on_the_way to_the_row[] = {
    {"dram.rcd", [](gpu_parameters& p) -> std::uint32_t& { return p.dram.rcd; }, 1},
};
constexpr on_the_way to_another_row[] = {
    {"dram.rp", [](gpu_parameters& p) -> std::uint32_t& { return p.dram.rp; }, 1},
};

/// The sum of what lies on a way, and the way with each number one more.
class way {
public:
    explicit way(std::function<std::uint64_t(gpu_parameters const&)> measure)
        : measure_(std::move(measure)) {}
    template <std::size_t N>
    way& over(on_the_way const (&list)[N]) {
        for (auto const& n : list) numbers_.push_back(&n);
        return *this;
    }
    /// And so many cycles more, in which something is handed on.
    void takes(int more) const {
        auto p = one_clock();
        auto sum = static_cast<std::uint64_t>(more);
        for (auto const* n : numbers_) sum += std::uint64_t{n->times} * n->of(p);
        CHECK(measure_(p) == sum);
        for (auto const* n : numbers_) {
            INFO(n->name);
            auto longer = p;
            ++n->of(longer);
            longer.dram.ras = longer.dram.rcd + 16; // the timing table stays without contradictions,
            longer.dram.rc = longer.dram.ras + longer.dram.rp; // and no limit to a load by itself
            CHECK(measure_(longer) == sum + n->times);
        }
    }

private:
    std::function<std::uint64_t(gpu_parameters const&)> measure_;
    std::vector<on_the_way const*> numbers_;
};

} // namespace

TEST_CASE("latencies add up, to the cycle: L1", "[gpu]") {
    way([](gpu_parameters const& p) {
        auto const m = one_more(
            p, [](unsigned) { return 0xC0000000; }, 8);
        CHECK(m.eight.l1d.hits == 8);
        return m.cycles;
    })
        .over(to_the_operands)
        .over(back_to_the_registers)
        .over(in_the_l1)
        .takes(-1); // operands are there in the first cycle of the L1's pipe
}

TEST_CASE("latencies add up, to the cycle: L2", "[gpu]") {
    way([](gpu_parameters const& p) { // 16 KB of lines, of which no L1 of 16 KB has kept one, round and round
        auto const m = one_more(
            p, [](unsigned n) { return 0xC0000000 + n % 512 * 128; }, 1024);
        CHECK(m.eight.l1d.hits == 0);
        CHECK(m.eight.l2.hits == 8);
        CHECK(m.eight.dram.reads == 0);
        CHECK(m.eight.core.load_latency_count ==
              8); // from when it leaves the core to when its reply is there
        auto const inside = p.core.operand_cycles + p.lsu.l1_latency - 1 + p.core.writeback_cycles;
        CHECK(m.eight.core.load_latency_sum == 8 * (m.cycles - inside));
        return m.cycles;
    })
        .over(to_the_operands)
        .over(back_to_the_registers)
        .over(in_the_l1)
        .over(to_the_l2)
        .takes(2 - 1); // look-up, answer
}

TEST_CASE("latencies add up, to the cycle: constants and textures that miss", "[gpu]") {
    auto const missing = [](memory_space space, std::uint32_t bytes, std::uint32_t line) {
        return [=](gpu_parameters const& p) { // round and round in twice as much as the cache holds
            auto const m = one_more(
                p, [=](unsigned n) { return n * line % bytes; }, 512, space);
            CHECK(m.eight.dram.reads == 0);
            CHECK(m.eight.l2.hits == 8 * line / p.l2.sector);
            CHECK(m.eight.core.load_latency_count == 8 * line / p.l2.sector); // one for each reply
            return m.cycles;
        };
    };
    auto const numbers = one_clock();
    auto const sectors = [&](std::uint32_t line) { return static_cast<int>(line / numbers.l2.sector); };
    way(missing(memory_space::constant, 16384, numbers.l1c.line))
        .over(to_the_operands)
        .over(back_to_the_registers)
        .over(to_the_l2)
        .takes(1 + sectors(numbers.l1c.line)); // looked up, a sector in each cycle
    way(missing(memory_space::texture, 24576, numbers.l1t.line))
        .over(to_the_operands)
        .over(back_to_the_registers)
        .over(on_links)
        .takes(1 + sectors(numbers.l1t.line));
}

TEST_CASE("latencies add up, to the cycle: atomics, and stores with a fence behind them", "[gpu]") {
    way([](gpu_parameters const& p) {
        auto const m = one_more(
            p, [](unsigned) { return 0xC0000000; }, 8, memory_space::global, what::atomic);
        CHECK(m.eight.l1d.accesses == 0); // past the L1
        CHECK(m.eight.l2.hits == 8);
        return m.cycles;
    })
        .over(to_the_operands)
        .over(back_to_the_registers)
        .over(to_the_l2)
        .takes(2);
    way([](gpu_parameters const& p) {
        auto const m = one_more(
            p, [](unsigned) { return 0xC0000000; }, 8, memory_space::global, what::store);
        CHECK(m.eight.l2.hits == 8);
        return m.cycles;
    })
        .over(to_the_operands)
        .over(in_the_l1)
        .over(to_the_l2)
        .takes(2 - 1 +
               2); // the branch issues with the acknowledgement, and the next store when it is decoded
}

TEST_CASE("latencies add up, to the cycle: DRAM", "[gpu]") {
    auto const numbers = one_clock();
    dram::address_mapping const map(numbers.address_mapping.c_str(), numbers.memory.channels,
                                    numbers.memory.slices);
    // The look-up hands on what is missing, the DRAM side takes it; after its delay a bank gets it in the next cycle;
    // behind the transfer it comes to the L2, and becomes an answer.
    constexpr int handed_on = 2 - 1 + 5;
    auto const to_dram = [&](auto const& address, std::uint64_t activates, std::uint64_t precharges) {
        way w([=](gpu_parameters const& p) {
            auto const m = one_more(p, address, 8);
            CHECK(m.eight.dram.reads == 8);
            CHECK(m.eight.dram.activates == activates);
            CHECK(m.eight.dram.precharges == precharges);
            return m.cycles;
        });
        return w.over(to_the_operands)
            .over(back_to_the_registers)
            .over(in_the_l1)
            .over(to_the_l2)
            .over(to_the_dram);
    };
    SECTION("in an open row") {
        to_dram([&](unsigned n) { return map.encode({.row = 5, .column = n * 32}); }, 0, 0).takes(handed_on);
    }
    SECTION("in a bank that is closed") {
        to_dram([&](unsigned n) { return map.encode({.channel = n % 6, .bank = n / 6}); }, 8, 0)
            .over(to_the_row)
            .takes(handed_on);
    }
    SECTION("in another row than the one that is open") {
        to_dram([&](unsigned n) { return map.encode({.row = n}); }, 8, 8)
            .over(to_the_row)
            .over(to_another_row)
            .takes(handed_on);
    }
}

TEST_CASE("the way to the DRAM takes cycles of the core, whatever the DRAM's clock is", "[gpu]") {
    for (std::uint64_t const clock : {350'000ULL, 1'400'000ULL, 2'100'000ULL}) {
        auto p = one_clock();
        p.clock.dram = clock;
        dram::address_mapping const map(p.address_mapping.c_str(), p.memory.channels, p.memory.slices);
        auto const load = [&] {
            return one_more(
                       p, [&](unsigned n) { return map.encode({.row = 5, .column = n * 32}); }, 8)
                .cycles;
        };
        auto const before = load();
        p.memory.dram_latency += 60;
        CHECK(load() == before + 60);
    }
}

TEST_CASE("latencies add up, to the cycle: shared memory and constants", "[gpu]") {
    way([](gpu_parameters const& p) {
        return one_more(
                   p, [](unsigned) { return 0; }, 8, memory_space::shared)
            .cycles;
    })
        .over(to_the_operands)
        .over(back_to_the_registers)
        .over(in_shared_memory)
        .takes(0);
    way([](gpu_parameters const& p) {
        return one_more(
                   p, [](unsigned) { return 0; }, 8, memory_space::constant)
            .cycles;
    })
        .over(to_the_operands)
        .over(back_to_the_registers)
        .over(in_the_constant_cache)
        .takes(0);
}

TEST_CASE("a kernel's launch takes its cycles, and each CTA's", "[gpu]") {
    auto const run = [](std::uint32_t kernel, std::uint32_t cta) {
        auto p = one_clock();
        p.core.kernel_launch_cycles = kernel;
        p.core.cta_launch_cycles = cta;
        kernel_builder k("launched");
        k.op(op_class::int_add);
        k.exit();
        k.grid = {3, 1, 1};
        k.script = [](std::uint64_t, unsigned, kernel_builder::warp_writer& w) { w.step(1); };
        gpu<presets::gtx480::policies> g(p);
        auto const launch = k.launch();
        g.run(launch); // its code is in the L1I then
        return g.run(launch);
    };
    auto const at_once = run(0, 0);
    auto const later = run(1000, 10);
    auto const empty = [](run_counters const& r) {
        return r.core.cause[static_cast<unsigned>(cycle_cause::no_cta)];
    };
    CHECK(later.cycles - at_once.cycles == 1030);
    CHECK(empty(later) - empty(at_once) == 2 * 1030); // of two schedulers
    CHECK(later.core.warp_instructions == at_once.core.warp_instructions);
    // More than any other wait of a million cycles, and no deadlock.
    CHECK(run(1'000'000, 1000).cycles - at_once.cycles == 1'003'000);
}
