/// Barriers, fences, and what cannot run (docs/model/core.md#barriers; PTX ISA, "bar").

#include <warpkit/frontend/builder.hpp>

#include "catch.hpp"
#include "gpu/machines.hpp"

#include <string>

using namespace warpkit;
using namespace warpkit::gpu_test;

namespace {

gpu_parameters one_core() {
    auto p = presets::gtx480::parameters();
    p.core.count = 1;
    return p;
}
run_counters run(kernel_builder& k, gpu_parameters const& p = one_core()) {
    gpu<random_lrr> g(p);
    auto const r = g.run(k.launch());
    CHECK(g.cores()[0].observer().wrong == 0);
    return r;
}
/// A chain of `n` dependent divisions: a way to be late.
std::vector<std::uint32_t> divisions(kernel_builder& k, unsigned n) {
    std::vector<std::uint32_t> at;
    for (unsigned i = 0; i < n; ++i) at.push_back(k.op(op_class::int_div, {1}, {1}));
    return at;
}

} // namespace

TEST_CASE("a barrier waits for the last warp, and for none that has exited", "[gpu]") {
    auto const cycles = [](bool last_arrives) {
        kernel_builder k("barrier");
        auto const late = divisions(k, 6);
        auto const b = k.barrier();
        auto const tail = divisions(k, 4);
        auto const e = k.exit();
        k.block = {3 * 32 - 5, 1, 1}; // the last warp is partial
        k.script = [=](std::uint64_t, unsigned warp, kernel_builder::warp_writer& w) {
            if (warp == 2)
                for (auto const i : late) w.step(i);
            if (warp != 2 || last_arrives) w.step(b);
            if (warp == 0)
                for (auto const i : tail) w.step(i);
            w.step(e);
        };
        return run(k).cycles;
    };
    auto const arrives = cycles(true);
    auto const exits = cycles(false);
    CHECK(arrives > 10 * 145);
    CHECK(exits > 10 * 145); // its exit opens the barrier, no earlier
    CHECK(std::max(arrives, exits) - std::min(arrives, exits) < 20);
}

TEST_CASE("a counted barrier opens with its count, whoever arrives", "[gpu]") {
    auto const cycles = [](unsigned count, bool producer_waits) {
        kernel_builder k("producer");
        auto const late = divisions(k, 6);
        auto const wait = k.barrier(3, count, true);
        auto const arrive = k.barrier(3, count, producer_waits);
        auto const e = k.exit();
        k.block = {128, 1, 1};
        k.script = [=](std::uint64_t, unsigned warp, kernel_builder::warp_writer& w) {
            if (warp == 0) w.step(wait);
            if (warp == 1) w.step(arrive);
            if (warp == 3) {
                for (auto const i : late) w.step(i);
                if (count == 3) w.step(arrive);
            }
            w.step(e);
        };
        auto const r = run(k);
        return r.core.cause[static_cast<unsigned>(cycle_cause::sync)];
    };
    CHECK(cycles(2, false) < 300);     // warps 0 and 1 suffice: at most an instruction miss apart
    CHECK(cycles(3, false) > 5 * 145); // warp 1 has arrived and gone on, and exited: the third is waited for
    CHECK(cycles(3, true) > 5 * 145);
}

TEST_CASE("a warp that only arrives does not wait", "[gpu]") {
    kernel_builder k("arrive");
    auto const late = divisions(k, 6);
    auto const wait = k.barrier(1, 2, true);
    auto const arrive = k.barrier(1, 2, false);
    auto const e = k.exit();
    k.block = {64, 1, 1};
    k.script = [=](std::uint64_t, unsigned warp, kernel_builder::warp_writer& w) {
        if (warp == 0) w.step(arrive);
        for (auto const i : late) w.step(i);
        if (warp == 1) w.step(wait);
        w.step(e);
    };
    auto const r = run(k);
    CHECK(r.core.cause[static_cast<unsigned>(cycle_cause::sync)] ==
          0); // when warp 1 comes, warp 0 has long arrived
}

TEST_CASE("a fence waits until the stores before it are acknowledged", "[gpu]") {
    auto const waits = [](unsigned rop, bool store) {
        kernel_builder k("fence");
        auto const s = k.store(memory_space::global, 4, {});
        auto const f = k.op(op_class::fence);
        auto const e = k.exit();
        k.script = [=](std::uint64_t, unsigned, kernel_builder::warp_writer& w) {
            if (store) w.access(s, [](unsigned lane) { return 0xC0000000 + 4 * lane; });
            w.step(f);
            w.step(e);
        };
        auto p = one_core();
        p.core.schedulers = 1;
        p.memory.rop_latency = rop;
        return run(k, p).core.cause[static_cast<unsigned>(cycle_cause::sync)];
    };
    CHECK(waits(120, false) == 0);
    CHECK(waits(120, true) > 150);
    CHECK(waits(220, true) == waits(120, true) + 100);
}

TEST_CASE("a barrier that can never be met ends in one error that says who waits", "[gpu]") {
    kernel_builder k("never met");
    k.barrier(0, 5);
    k.exit();
    k.block = {64, 1, 1};
    gpu<random_lrr> g(one_core());
    CHECK_THROWS_WITH(g.run(k.launch()),
                      Catch::Contains("kernel 'never met'") && Catch::Contains("core cycle") &&
                          Catch::Contains("core 0: 2 warps wait at a barrier") &&
                          Catch::Contains("in CTA 0: warp 0 waits at barrier 0, which 2 of 5 "
                                          "have reached -> nobody who could reach it"));
}

TEST_CASE("the report of a stuck core is a chain: who waits for whom, and before which line", "[gpu]") {
    static_program code;
    code.instructions.resize(3);
    code.instructions[0].source_line = 17;
    warp_table t(4, 1);
    auto& cta = t.cta[0];
    cta.linear_id = 7;
    cta.live = t.live = t.buffered = warp_set::first_n(2);
    cta.stream.reset(2);
    cta.barriers.arrive(warp_slot{1}, 3, 0, true);
    t.waiting.insert(warp_slot{1});
    auto const says = [&](char const* what) {
        auto const text = t.whom_it_waits_for(code, [](warp_slot) { return std::string(); });
        INFO(text);
        CHECK(text.find(what) != text.npos);
    };
    says("1 warps wait at a barrier (first: warp 1)");
    says("; in CTA 7: warp 1, before line 17, waits at barrier 3, which 1 of 2 have reached -> warp 0, "
         "before line 17, "
         "could issue, but its scheduler or unit does not take it");
    t.hazard.insert(warp_slot{0});
    says("-> warp 0, before line 17, waits for a result");
    t.hazard_memory.insert(warp_slot{0});
    t.warp[0].outstanding = 2;
    says("-> warp 0, before line 17, waits for memory: 2 outstanding");
    t.hazard = t.hazard_memory = t.buffered = {};
    says("-> warp 0, before line 17, waits for instructions");
    t.waiting.insert(warp_slot{0});
    t.fencing.insert(warp_slot{0});
    says("; in CTA 7: warp 0, before line 17, waits at a fence: 2 outstanding");
}

TEST_CASE("a CTA that no core can hold is refused, naming the resource", "[gpu]") {
    auto const refused = [](dim3 block, std::uint32_t shared, std::uint32_t registers) {
        kernel_builder k("large");
        k.exit();
        k.block = block;
        k.shared_bytes = shared;
        k.registers_per_thread(registers);
        gpu<random_lrr> g(one_core());
        try {
            g.run(k.launch());
        } catch (error const& e) {
            return std::string(e.what());
        }
        return std::string("it ran");
    };
    CHECK_THAT(refused({32, 1, 1}, 49153, 8),
               Catch::Contains("large") && Catch::Contains("49153 bytes of shared memory"));
    CHECK_THAT(refused({1024, 2, 1}, 0, 8), Catch::Contains("2048 threads"));
    CHECK_THAT(refused({1024, 1, 1}, 0, 40), Catch::Contains("registers") && Catch::Contains("32768"));
    CHECK(refused({1024, 1, 1}, 49152, 16) == "it ran");
    // More than this machine's compiler would give a thread: the kernel has them all the same.
    REQUIRE(one_core().core.max_registers_per_thread == 63);
    CHECK_THAT(refused({512, 1, 1}, 0, 128), Catch::Contains("65536 registers"));
}

TEST_CASE(
    "registers that were allocated bound residence; an estimate is capped as the machine's compiler would",
    "[gpu]") {
    kernel_builder k("two");
    for (auto const i : divisions(k, 20)) static_cast<void>(i);
    k.exit();
    k.block = {128, 1, 1};
    k.grid = {4, 1, 1};
    auto const cycles = [&](std::uint32_t registers, bool estimated) {
        k.registers_per_thread(registers);
        auto program = k.program();
        program.registers_estimated = estimated;
        auto launch = k.launch();
        launch.program = &program;
        gpu<random_lrr> g(one_core());
        return g.run(launch).cycles;
    };
    auto const together = cycles(64, false); // 4 CTAs of 8192 registers: all of them
    CHECK(cycles(63, true) == together);
    CHECK(cycles(128, true) == together);
    CHECK(cycles(65, false) > together * 5 / 4);  // 3, and 1
    CHECK(cycles(255, false) > together * 7 / 2); // one by one
}
