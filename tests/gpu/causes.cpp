/// Every scheduler cycle has one cause (docs/model/issue.md#stall-taxonomy): situations made by hand, one for each.

#include "catch.hpp"
#include "gpu/loops.hpp"

using namespace warpkit;
using namespace warpkit::gpu_test;

namespace {

gpu_parameters one_scheduler() {
    auto p = presets::gtx480::parameters();
    p.core.count = 1;
    p.core.schedulers = 1;
    return p;
}
std::uint64_t of(run_counters const& r, cycle_cause c) { return r.core.cause[static_cast<unsigned>(c)]; }
std::uint64_t of(slope const& s, cycle_cause c) { return of(s.of, c) / s.iterations; }

/// One warp, straight through `body`.
run_counters once(gpu_parameters const& p, std::function<void(kernel_builder&)> body) {
    loop l;
    l.body = std::move(body);
    return l.run(p, 1);
}

} // namespace

TEST_CASE("issued, fetch, control: the rhythm of a lone warp", "[gpu]") {
    loop l;
    l.body = [](kernel_builder& k) {
        for (register_id i = 0; i < 13; ++i) k.op(op_class::int_add, {i}, {}); // and the branch: 7 pairs
    };
    auto const s = l.between(one_scheduler(), 8, 24);
    CHECK(of(s, cycle_cause::issued) == 14);
    CHECK(of(s, cycle_cause::fetch) == 6);   // after each pair but the last
    CHECK(of(s, cycle_cause::control) == 1); // after the branch
    CHECK(s.cycles() == 21);
}

TEST_CASE("no_cta: a core without work while another has some", "[gpu]") {
    auto p = one_scheduler();
    p.core.count = 3;
    p.core.schedulers = 2;
    auto const r = once(p, [](kernel_builder& k) { k.op(op_class::int_add, {1}, {}); });
    // The core that works waits for its CTA in the first cycle at most.
    CHECK(of(r, cycle_cause::no_cta) >= 2 * 2 * r.cycles);
    CHECK(of(r, cycle_cause::no_cta) <= 2 * 2 * r.cycles + 2);
}

TEST_CASE("drained: a scheduler without a live warp beside one that has", "[gpu]") {
    auto p = one_scheduler();
    p.core.schedulers = 2;
    auto const r = once(p, [](kernel_builder& k) {
        for (int i = 0; i < 20; ++i) k.op(op_class::int_add, {1}, {1});
    });
    // Scheduler 1 never has one. At the end neither has, when the last result is on its way.
    CHECK(of(r, cycle_cause::drained) >= r.cycles - 2);
    CHECK(of(r, cycle_cause::drained) <= r.cycles + 20);
}

TEST_CASE("structural_other: the unit is busy", "[gpu]") {
    auto p = one_scheduler();
    p.core.sp_units = 1;
    p.core.sfu_units = 1;
    auto const initiation = p.core.initiation[static_cast<unsigned>(op_class::special)];
    REQUIRE(initiation == 8);
    auto const r = once(p, [](kernel_builder& k) {
        k.op(op_class::special, {1}, {});
        k.op(op_class::special, {2}, {});
    });
    CHECK(of(r, cycle_cause::structural_other) == initiation - 1);
}

TEST_CASE("structural_memory: the load/store unit is full", "[gpu]") {
    auto p = one_scheduler();
    p.lsu.queue = 1;
    auto const r = once(p, [](kernel_builder& k) {
        k.load(memory_space::shared, 4, {1}, {});
        k.load(memory_space::shared, 4, {2}, {});
    });
    // The first leaves the queue when its operands are there.
    CHECK(of(r, cycle_cause::structural_memory) == p.core.operand_cycles - 1);
    p.lsu.queue = 2;
    CHECK(of(once(p,
                  [](kernel_builder& k) {
                      k.load(memory_space::shared, 4, {1}, {});
                      k.load(memory_space::shared, 4, {2}, {});
                  }),
             cycle_cause::structural_memory) == 0);
}

TEST_CASE("raw_other: waiting for a result of a unit", "[gpu]") {
    auto const r = once(one_scheduler(), [](kernel_builder& k) {
        k.op(op_class::int_add, {1}, {});
        k.op(op_class::int_add, {2}, {1});
    });
    CHECK(of(r, cycle_cause::raw_other) == 9); // dependent issue after 10 cycles
    CHECK(of(r, cycle_cause::raw_memory) == 0);
    auto const shared = once(one_scheduler(), [](kernel_builder& k) {
        k.load(memory_space::shared, 4, {1}, {});
        k.op(op_class::int_add, {2}, {1});
    });
    CHECK(of(shared, cycle_cause::raw_other) == 31); // 32
}

TEST_CASE("raw_memory: waiting for a load, as long as it takes", "[gpu]") {
    auto const waits = [](gpu_parameters const& p) {
        return of(once(p,
                       [](kernel_builder& k) {
                           k.load(memory_space::global, 4, {1}, {});
                           k.op(op_class::int_add, {2}, {1});
                       }),
                  cycle_cause::raw_memory);
    };
    auto p = one_scheduler();
    auto const before = waits(p);
    CHECK(before > 280);
    p.memory.rop_latency += 100;
    CHECK(waits(p) == before + 100);
}

TEST_CASE("raw_memory: where loads block, whatever comes next waits for them", "[gpu]") {
    auto const waits = [](gpu_parameters const& p, memory_space space) {
        return of(once(p,
                       [&](kernel_builder& k) {
                           k.load(space, 4, {1}, {});
                           k.op(op_class::int_add, {2}, {});
                       }),
                  cycle_cause::raw_memory);
    };
    auto p = one_scheduler();
    CHECK(waits(p, memory_space::global) == 0);
    p.core.blocking_loads = 1;
    auto const blocked = waits(p, memory_space::global);
    CHECK(blocked > 280);
    p.memory.rop_latency += 100;
    CHECK(waits(p, memory_space::global) == blocked + 100);
    CHECK(waits(p, memory_space::shared) == 0);
}

TEST_CASE("sync: waiting at a barrier for the other scheduler's warp", "[gpu]") {
    auto p = one_scheduler();
    p.core.schedulers = 2;
    auto const waits = [&](unsigned chain) {
        kernel_builder k("barrier");
        for (int i = 0; i < 8; ++i) k.op(op_class::int_add, {1}, {1});
        k.branch(0);
        auto const b = k.barrier();
        auto const e = k.exit();
        k.block = {64, 1, 1};
        k.script = [=](std::uint64_t, unsigned warp, kernel_builder::warp_writer& w) {
            for (unsigned n = 0; n < (warp == 1 ? chain : 4U); ++n) {
                for (std::uint32_t i = 0; i < 8; ++i) w.step(i);
                if (n + 1 < (warp == 1 ? chain : 4U)) w.step(8);
            }
            w.step(b);
            w.step(e);
        };
        gpu<fermi_lrr> g(p);
        return of(g.run(k.launch()), cycle_cause::sync);
    };
    CHECK(waits(20) - waits(10) == 10 * 80); // ten dependent adds more, of 10 cycles
}

TEST_CASE("throttled: ready, but the policy does not let it", "[gpu]") {
    kernel_builder k("four warps");
    auto const load = k.load(memory_space::global, 4, {1}, {});
    k.op(op_class::int_add, {2}, {1});
    k.exit();
    k.block = {128, 1, 1};
    k.script = [=](std::uint64_t, unsigned, kernel_builder::warp_writer& w) {
        w.straight([](std::uint32_t, unsigned lane) { return 0xC0000000 + 4 * lane; });
    };
    (void)load;
    auto p = one_scheduler();
    gpu<random_limited> limited(p); // the two oldest warps of a scheduler compete
    auto const r = limited.run(k.launch());
    CHECK(of(r, cycle_cause::throttled) > 250); // while the two oldest wait for their load
    gpu<fermi_lrr> open(p);
    CHECK(of(open.run(k.launch()), cycle_cause::throttled) == 0);
}

// ---- control bits in the scoreboard's place (docs/model/issue.md#control-bits)

namespace {
double cycles_of(std::function<void(kernel_builder&)> body) {
    loop l;
    l.body = std::move(body);
    return l.between(one_scheduler(), 8, 24).cycles();
}
} // namespace

TEST_CASE("control bits: a stall counter does what the scoreboard does, or less", "[gpu]") {
    auto const p = one_scheduler();
    auto const latency = p.core.operand_cycles + p.core.latency[static_cast<unsigned>(op_class::int_add)] +
                         p.core.writeback_cycles;
    REQUIRE(latency < 16);
    auto const chain = [](kernel_builder& k) {
        for (int i = 0; i < 7; ++i) k.op(op_class::int_add, {1}, {1});
    };
    auto const with_stall = [&](unsigned stall) {
        return cycles_of([&](kernel_builder& k) {
            chain(k);
            for (std::uint32_t i = 0; i < 7; ++i) k.control(i, {.stall = static_cast<std::uint8_t>(stall)});
        });
    };
    CHECK(with_stall(latency) == cycles_of(chain) + 2); // the branch behind the last addition waits, too
    CHECK(with_stall(latency + 1) == with_stall(latency) + 7);
    auto const alone = cycles_of([](kernel_builder& k) { // nothing depends on anything
        for (register_id i = 0; i < 7; ++i) k.op(op_class::int_add, {i}, {});
    });
    CHECK(with_stall(1) == alone); // no register is looked at
    CHECK(with_stall(15) - with_stall(14) == 7);
}

TEST_CASE("control bits: a consumer waits for its load's counter, if it can see it", "[gpu]") {
    auto const body = [](kernel_builder& k) {
        k.load(memory_space::global, 4, {1}, {0});
        k.op(op_class::int_add, {2}, {1});
    };
    auto const counted = [&](control_bits load, control_bits add) {
        return cycles_of([&](kernel_builder& k) {
            body(k);
            k.control(0, load);
            k.control(1, add);
        });
    };
    // A stall of 2 lets the consumer see the increment; so does yield.
    CHECK(counted({.stall = 2, .write_counter = 3}, {.stall = 1, .wait_mask = 1 << 3}) == cycles_of(body));
    CHECK(counted({.yield = true, .stall = 1, .write_counter = 3}, {.stall = 1, .wait_mask = 1 << 3}) ==
          cycles_of(body));
    // Directly behind, it does not. (In the next iteration it waits for this one's load.)
    CHECK(counted({.stall = 1, .write_counter = 3}, {.stall = 1, .wait_mask = 1 << 3}) <
          cycles_of(body) - 15);
    CHECK(counted({.stall = 2, .write_counter = 3}, {.stall = 1, .wait_mask = 1 << 2}) < cycles_of(body) / 2);
    // Who only waits until the operands have been read goes on long before the data come.
    CHECK(counted({.stall = 2, .read_counter = 3}, {.stall = 1, .wait_mask = 1 << 3}) < cycles_of(body) / 2);
}

TEST_CASE("control bits: waiting for a load's counter is waiting for memory, a stall is not", "[gpu]") {
    loop l;
    l.body = [](kernel_builder& k) {
        k.load(memory_space::global, 4, {1}, {0});
        k.op(op_class::int_add, {2}, {1});
        k.control(0, {.stall = 2, .write_counter = 0});
        k.control(1, {.stall = 10, .wait_mask = 1});
    };
    auto const s = l.between(one_scheduler(), 8, 24);
    CHECK(of(s, cycle_cause::raw_memory) > 20);
    CHECK(of(s, cycle_cause::raw_other) >= 1);
    CHECK(of(s, cycle_cause::raw_other) <= 10);
}

TEST_CASE("control bits: no stall and yield is a pause of 46 cycles", "[gpu]") {
    auto const paused = [](bool pause) {
        return cycles_of([pause](kernel_builder& k) {
            for (register_id i = 0; i < 3; ++i) k.op(op_class::int_add, {i}, {});
            for (std::uint32_t i = 0; i < 3; ++i) k.control(i, {.stall = 15});
            if (pause) k.control(1, {.yield = true, .stall = 0});
        });
    };
    CHECK(paused(true) - paused(false) == 46 - 15);
}

TEST_CASE("control bits of some instructions only are refused", "[gpu]") {
    CHECK_THROWS_WITH(
        once(one_scheduler(),
             [](kernel_builder& k) {
                 k.op(op_class::int_add, {1}, {});
                 k.op(op_class::int_add, {2}, {});
                 k.control(1, {.stall = 1});
             }),
        Catch::Contains("of instructions 0 and 1, one has control bits and the other has none"));
}

TEST_CASE("control bits: word and meaning", "[gpu]") {
    static_assert(decode_control(encode_control({})) == control_bits{.given = true});
    constexpr auto c = decode_control(0x1f << 11 | 5 << 8 | 2 << 5 | 16 | 9);
    CHECK(c == control_bits{.given = true,
                            .yield = false,
                            .stall = 9,
                            .write_counter = 2,
                            .read_counter = 5,
                            .wait_mask = 0x1f});
    CHECK(decode_control(0).yield); // the bit is inverted
    constexpr control_bits threshold{.given = true, .threshold_counter = 2, .threshold = 63};
    static_assert(encode_control(threshold) >> control_word_bits == 0);
    CHECK(decode_control(encode_control(threshold)) == threshold);
}

TEST_CASE("a unit of its own for integers, and a scheduler's own units", "[gpu]") {
    auto p = one_scheduler();
    for (auto const c : {op_class::int_add, op_class::fp_add})
        p.core.initiation[static_cast<unsigned>(c)] = 3;
    auto const pairs = [](op_class second) {
        return [second](kernel_builder& k) {
            for (register_id i = 0; i < 24; i += 2) {
                k.op(op_class::int_add, {i}, {});
                k.op(second, {static_cast<register_id>(i + 1)}, {});
            }
        };
    };
    auto const waits = [&](op_class second) {
        return of(once(p, pairs(second)), cycle_cause::structural_other);
    };
    // On one unit the second of a pair waits for two cycles, and the first of the next, there in two, for one.
    constexpr auto on_one = 12 * 2 + 11;
    p.core.sp_units = 1;
    CHECK(waits(op_class::fp_add) == on_one);
    p.core.int_units = 1;
    CHECK(waits(op_class::fp_add) == 0);
    CHECK(waits(op_class::int_add) == on_one);
    // Two units for all schedulers, or one for each.
    p.core.schedulers = 2;
    p.core.sp_units = p.core.int_units = p.core.sfu_units = p.core.dp_units = 2;
    CHECK(waits(op_class::int_add) == 0);
    p.core.sub_cores = 2;
    CHECK(waits(op_class::int_add) == on_one);
    CHECK(waits(op_class::fp_add) == 0);
}

TEST_CASE("two instructions of a warp in a cycle", "[gpu]") {
    auto p = one_scheduler();
    p.core.sp_units = p.core.int_units = 2;
    p.core.issue_width = 2;
    p.core.issue_to_different = 0;
    auto const with_another = [&](op_class second, bool dependent) {
        auto const r = once(p, [&](kernel_builder& k) {
            for (register_id i = 0; i < 24; i += 2) {
                k.op(op_class::int_add, {i}, {});
                k.op(second, {static_cast<register_id>(i + 1)},
                     {static_cast<register_id>(dependent ? i : i + 1)});
            }
        });
        return r.core.warp_instructions - of(r, cycle_cause::issued);
    };
    CHECK(with_another(op_class::fp_add, false) == 12);
    CHECK(with_another(op_class::int_add, false) == 12);
    CHECK(with_another(op_class::fp_add, true) == 0);
    p.core.issue_to_different = 1;
    CHECK(with_another(op_class::fp_add, false) == 12);
    CHECK(with_another(op_class::int_add, false) == 0);
}

TEST_CASE("a perfect front end: no control hazards, no misses", "[gpu]") {
    loop l;
    l.body = [](kernel_builder& k) {
        for (register_id i = 0; i < 13; ++i) k.op(op_class::int_add, {i}, {});
    };
    auto p = one_scheduler();
    p.core.perfect_branches = 1;
    auto const s = l.between(p, 8, 24);
    CHECK(of(s, cycle_cause::issued) == 14);
    CHECK(of(s, cycle_cause::fetch) == 7); // after each pair, the branch or not
    CHECK(of(s, cycle_cause::control) == 0);
    p.l1i.size = 0;
    auto const r = l.run(p, 4);
    CHECK(r.l1i.accesses == 0);
    CHECK(r.core.fetches >= 4 * 7);
    CHECK(of(r, cycle_cause::fetch) <= 4 * 7 + 4);
}
