/// Machines with units beside the warps: mbarriers, bulk copies, products of warpgroups and into tensor memory
/// (docs/model/asynchronous.md), by hand and on random machines.

#include <warpkit/config/presets.hpp>
#include <warpkit/frontend/builder.hpp>
#include <warpkit/program/async_words.hpp>

#include "catch.hpp"
#include "random_choices.hpp"
#include "reference/random_pairs.hpp"
#include "reference/told_machine.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

using reference_test::told;

/// One clock, one core with a scheduler of its own for each of four sub-cores, a perfect front end.
gpu_parameters plain_machine() {
    auto p = presets::gtx480::parameters();
    p.clock = {700'000, 700'000, 700'000, 700'000};
    p.core.count = 1;
    p.core.schedulers = p.core.sub_cores = 4;
    p.core.sp_units = p.core.int_units = p.core.sfu_units = 4;
    p.core.perfect_branches = 1;
    p.core.instruction_buffer = 8;
    p.core.fetch_bytes = 8 * p.core.instruction_bytes;
    p.l1i.size = 0;
    p.async.wait_latency = 34;
    p.async.copy_queue = 4;
    p.async.copy_hold = 20;
    p.async.copy_setup = 100;
    p.async.tensor_setup = 50;
    p.async.copy_request = 128;
    p.async.copy_interval = 2;
    p.async.copy_requests = 64;
    p.async.product_columns = 2;
    p.async.product_latency = 10;
    p.async.tensor_memory = 512;
    p.async.tensor_columns = 2;
    p.async.tensor_latency = 10;
    p.async.tensor_access = 5;
    return p;
}

policy_values<told> plain_values() {
    policy_values<told> v;
    v.warp_scheduler = reference_test::scheduler_named("lrr");
    return v;
}
/// What the fast engine and the reference say of a launch on which both must fail.
struct failures {
    std::string fast, plain;
};
failures failures_of(gpu_parameters const& p, launch_group const& group) {
    reference_test::both_engines<told> both(p);
    auto const fast = both.run(group);
    CHECK_THAT(fast, Catch::StartsWith("on both: "));
    return {fast, both.failure_of_reference()};
}

/// What a kernel did on both engines, which must be equal.
class timeline {
public:
    timeline(gpu_parameters const& p, kernel_builder& k) : pc_(p.core.instruction_bytes) {
        reference_test::both_engines<told> both(p, plain_values());
        both.copied_from_host(0xC0000000, 4096);
        CHECK(both.run(k.launch()) == "");
        counted = both.counted();
        issues_ = both.observer(0).issues();
    }
    /// The cycle in which a warp issued an instruction for the n-th time.
    cycle at(std::uint32_t instruction, unsigned warp = 0, unsigned n = 0) const {
        for (auto const& e : issues_)
            if (e.warp == warp && e.pc == instruction * pc_ && n-- == 0) return e.at;
        return never;
    }
    cycle cause(cycle_cause c) const { return counted.core.cause[static_cast<unsigned>(c)]; }
    run_counters counted;

private:
    std::vector<reference_test::issue_recorder::issue> issues_;
    std::uint32_t pc_;
};
std::vector<std::uint64_t> phase(std::uint32_t n) { return {phase_name{0, n}.word()}; }
auto const nowhere = [](unsigned) { return std::uint64_t{0}; };
/// From the cycle in which a request of 128 bytes that the L2 holds leaves a core to that of its last reply: four
/// links, the ROP delay, and a look-up for each sector behind a cycle in the queue.
cycle l2_hit(gpu_parameters const& p) { return 4 * p.network.link_cycles + p.memory.rop_latency + 1 + 3 + 1; }
bulk_copy_words load_of(std::uint32_t signals, std::uint32_t bytes) {
    bulk_copy_words c;
    c.signals = phase_name{0, signals}.word();
    c.add(0xC0000000, 0, bytes);
    return c;
}
std::uint32_t role(kernel_builder& k, async_role r, unsigned groups = 0) {
    auto const i = k.op(op_class::other);
    k.async(i, r, groups);
    return i;
}

} // namespace

TEST_CASE("a bulk copy of 128 bytes on an idle machine, cycle by cycle", "[reference][async]") {
    kernel_builder k("copy");
    auto const copy = k.bulk_copy();
    auto const wait = k.await_phase({1});
    auto const exit = k.exit();
    bool maps = false;
    k.script = [&](std::uint64_t, unsigned, kernel_builder::warp_writer& w) {
        auto c = load_of(0, 128);
        c.reads_map = maps;
        w.step(copy, 1);
        w.words({c});
        w.access(wait, nowhere);
        w.words(phase(0));
        w.step(exit);
    };
    auto const p = plain_machine();
    SECTION("it enters the queue a cycle behind its issue, and is asked for when it has been set up") {
        timeline const t(p, k);
        // The last reply lets the waiting warp go in its own cycle.
        CHECK(t.at(wait) - t.at(copy) == 1 + 100 + l2_hit(p));
        CHECK(t.at(exit) - t.at(wait) == 34);
        // It waits at a barrier, also while the copy would hold its warp; then for a fixed time.
        CHECK(t.cause(cycle_cause::sync) == 100 + l2_hit(p));
        CHECK(t.cause(cycle_cause::raw_other) == 33);
    }
    SECTION("a tensor map takes longer to set up") {
        maps = true;
        timeline const t(p, k);
        CHECK(t.at(wait) - t.at(copy) == 1 + 150 + l2_hit(p));
    }
    SECTION("a wait for a phase that is over takes its latency alone") {
        auto quick = p;
        quick.async.copy_hold = 1000;
        timeline const t(quick, k);
        CHECK(t.at(wait) - t.at(copy) == 1000);
        CHECK(t.at(exit) - t.at(wait) == 34);
        CHECK(t.cause(cycle_cause::sync) == 100 + l2_hit(p));
        CHECK(t.cause(cycle_cause::raw_other) == 1000 - (1 + 100 + l2_hit(p)) + 33);
    }
}

TEST_CASE("a bulk copy asks for a request in each interval, as far as its bytes may be under way",
          "[reference][async]") {
    kernel_builder k("copy");
    auto const copy = k.bulk_copy();
    auto const wait = k.await_phase({1});
    auto const exit = k.exit();
    k.script = [&](std::uint64_t, unsigned, kernel_builder::warp_writer& w) {
        w.step(copy, 1);
        w.words({load_of(0, 512)});
        w.access(wait, nowhere);
        w.words(phase(0));
        w.step(exit);
    };
    auto p = plain_machine();
    p.memory.channels = p.memory.slices = 1; // the lines come from one slice, one behind the other
    p.address_mapping = "dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RRRCBBBB.CCCCCCCC";
    p.async.copy_interval = 40;
    auto const four = timeline(p, k);
    CHECK(four.at(wait) - four.at(copy) == 1 + 100 + 3 * 40 + l2_hit(p));
    SECTION("with room for one, each waits for the one before") {
        p.async.copy_requests = 1;
        auto const one = timeline(p, k);
        CHECK(one.at(wait) - one.at(copy) == 1 + 100 + 4 * l2_hit(p));
    }
    SECTION("smaller requests are more") {
        p.async.copy_request = 64;
        auto const eight = timeline(p, k);
        CHECK(eight.at(wait) - eight.at(copy) == 1 + 100 + 7 * 40 + l2_hit(p) - 2); // two sectors less
    }
}

TEST_CASE("warps hand over bulk copies as the queue has room", "[reference][async]") {
    kernel_builder k("copies");
    auto const copy = k.bulk_copy();
    auto const next = k.op(op_class::int_add, {1});
    auto const exit = k.exit();
    k.script = [&](std::uint64_t, unsigned, kernel_builder::warp_writer& w) {
        w.step(copy, 7); // three lanes, three copies
        w.words({load_of(0, 128), load_of(0, 128), load_of(0, 128)});
        w.step(next);
        w.step(exit);
    };
    auto p = plain_machine();
    p.async.copy_queue = 1;
    timeline const t(p, k);
    // The first is asked for when it is set up, and makes room; the second likewise; then the third enters.
    CHECK(t.at(next) - t.at(copy) == 1 + 2 * (100 + 1));
    CHECK(t.cause(cycle_cause::raw_memory) == 2 * 101);
}

TEST_CASE("groups of bulk stores are waited for until they are read, or done", "[reference][async]") {
    kernel_builder k("stores");
    auto const copy = k.bulk_copy();
    auto const commit = role(k, async_role::bulk_commit);
    auto const read = role(k, async_role::bulk_wait_read);
    auto const done = role(k, async_role::bulk_wait);
    auto const exit = k.exit();
    k.script = [&](std::uint64_t, unsigned, kernel_builder::warp_writer& w) {
        bulk_copy_words c;
        c.way = bulk_way::store;
        c.add(0xC0000000, 0, 256);
        w.step(copy, 1);
        w.words({c});
        for (auto const i : {commit, read, done, exit}) w.step(i);
    };
    auto p = plain_machine();
    timeline const t(p, k);
    CHECK(t.at(commit) - t.at(copy) == 20);
    // Two requests of a header and 128 bytes each. It is read when the last has left, which shows in the cycle behind;
    // the port is free for it when the interval is over.
    CHECK(t.at(read) - t.at(copy) == 1 + 100 + 2 + 1);
    CHECK(t.at(done) > t.at(read) + p.memory.rop_latency);
}

TEST_CASE("a warpgroup's product takes the tensor cores for its columns, and shared memory for its operands",
          "[reference][async]") {
    unsigned columns = 64;
    bool shared = true;
    auto const lengths = [&] {
        kernel_builder k("product");
        k.block = {128, 1, 1};
        auto const product = k.group_product(columns, shared);
        role(k, async_role::product_commit);
        auto const wait = role(k, async_role::product_wait);
        k.exit();
        timeline const t(plain_machine(), k);
        std::vector<cycle> all;
        for (unsigned w = 0; w < 4; ++w) {
            CHECK(t.at(product, w) == t.at(product, 0) + w); // as they are fetched
            all.push_back(t.at(wait, w) - t.at(product, w));
        }
        return all;
    };
    // A cycle to leave the issue, 3 to read operands; 64 columns, 2 in a cycle; 10 until the result is there. Of shared
    // memory each reads 16 rows and 16 columns of 32 bytes, 8 cycles: less than the others compute.
    cycle const outside = 1 + 3 + 10;
    CHECK(lengths() == std::vector<cycle>(4, outside + 32));
    // Of 8 columns each reads 512 + 64 bytes, in 4.5 cycles, one warp behind the other, and computes for 4.
    columns = 8;
    CHECK(lengths() == std::vector<cycle>{outside + 5, outside + 9 - 1, outside + 14 - 2, outside + 18 - 3});
    // The first factor from registers: 64 bytes, half a cycle.
    shared = false;
    CHECK(lengths() == std::vector<cycle>(4, outside + 4));
}

namespace {
std::vector<std::uint64_t> product(std::uint32_t columns, std::uint32_t bytes) {
    return {tensor_product_words{columns, bytes}.word()};
}
} // namespace

TEST_CASE("products into tensor memory: columns, what is read of shared memory, commits",
          "[reference][async]") {
    auto const length = [&](std::vector<std::vector<std::uint64_t>> const& products) {
        kernel_builder k("tensor products");
        auto const multiply = k.tensor(async_role::tensor_product);
        auto const commit = k.tensor(async_role::tensor_commit);
        auto const wait = k.await_phase({1});
        k.exit();
        k.script = [&](std::uint64_t, unsigned, kernel_builder::warp_writer& out) {
            for (auto const& p : products) {
                out.step(multiply);
                out.words(p);
            }
            out.step(commit);
            out.words(phase(0));
            out.access(wait, nowhere);
            out.words(phase(0));
            out.step(wait + 1);
        };
        timeline const t(plain_machine(), k);
        CHECK(t.cause(cycle_cause::raw_memory) == 0);
        return t.at(wait) - t.at(multiply);
    };
    // A cycle to leave the issue, 3 to read operands; 256 columns, 2 in a cycle; 10 until the result is there.
    cycle const outside = 1 + 3 + 10;
    CHECK(length({product(256, 32 * (128 + 256))}) == outside + 128);
    // Of 64 columns 128 rows and they are 6,144 bytes, 128 in a cycle: more than the 32 cycles of the tensor cores.
    CHECK(length({product(64, 32 * (128 + 64))}) == outside + 48);
    // One behind the other; and shared memory is read behind what was read.
    CHECK(length({product(64, 32 * 64), product(32, 32 * 32), product(8, 0)}) == outside + 32 + 16 + 4);
    CHECK(length({product(64, 6144), product(64, 6144)}) == outside + 96);
    // What else fills tensor memory has no columns: a copy of 4,096 bytes, which takes its turn, and a shift.
    CHECK(length({product(0, 4096)}) == outside + 32);
    CHECK(length({product(64, 0), product(0, 4096), product(64, 0)}) == outside + 96);
    CHECK(length({product(64, 0), product(0, 0)}) == outside + 32);
    CHECK(length({product(0, 0)}) == outside);
    // A commit without products: when it could have begun.
    kernel_builder k("commit");
    auto const commit = k.tensor(async_role::tensor_commit);
    auto const wait = k.await_phase({1});
    k.exit();
    k.script = [&](std::uint64_t, unsigned, kernel_builder::warp_writer& out) {
        out.step(commit);
        out.words(phase(0));
        out.access(wait, nowhere);
        out.words(phase(0));
        out.step(wait + 1);
    };
    timeline const t(plain_machine(), k);
    CHECK(t.at(wait) - t.at(commit) == 1 + 3);
}

TEST_CASE("registers move to and from tensor memory one in a cycle, by sub-core", "[reference][async]") {
    kernel_builder k("moves");
    k.block = {160, 1, 1};
    auto const load = k.tensor(async_role::tensor_load, 64);
    auto const stored = k.tensor(async_role::tensor_wait_stores);
    auto const loaded = k.tensor(async_role::tensor_wait_loads);
    auto const store = k.tensor(async_role::tensor_store, 8);
    auto const end = k.tensor(async_role::tensor_wait_stores);
    k.exit();
    timeline const t(plain_machine(), k);
    cycle const outside = 1 + 3 + 5;
    for (unsigned w = 0; w < 4; ++w) {
        CHECK(t.at(stored, w) == t.at(load, w) + 1); // nothing is stored
        // Warp 4 is of warp 0's sub-core, and takes its turn behind it.
        CHECK(t.at(loaded, w) - t.at(load, w) == outside + 64);
        if (w != 0) CHECK(t.at(end, w) - t.at(store, w) == outside + 8);
    }
    CHECK(t.at(loaded, 4) - t.at(load, 0) == outside + 128);
    CHECK(t.cause(cycle_cause::raw_memory) == 0);
}

TEST_CASE("who asks for more columns of tensor memory than are free is held, and served in order",
          "[reference][async]") {
    kernel_builder k("columns");
    k.block = {96, 1, 1};
    auto const allocate = k.tensor(async_role::tensor_allocate);
    auto const has = k.op(op_class::int_add);
    auto const free = k.tensor(async_role::tensor_free);
    auto const goes_on = k.op(op_class::int_add);
    k.exit();
    // The second does not fit beside the first, the third would.
    k.script = [&](std::uint64_t, unsigned warp, kernel_builder::warp_writer& out) {
        std::vector<std::uint64_t> const columns{warp == 0 ? 256U : warp == 1 ? 512U : 32U};
        out.step(allocate);
        out.words(columns);
        out.step(has);
        for (unsigned i = 0; i < 20 && warp == 0; ++i) out.step(has);
        out.step(free);
        out.words(columns);
        out.step(goes_on);
        out.step(goes_on + 1);
    };
    timeline const t(plain_machine(), k);
    CHECK(t.at(has, 0) == t.at(allocate, 0) + 1);
    CHECK(t.at(has, 1) == t.at(free, 0) + 1);
    CHECK(t.at(has, 2) == t.at(free, 1) + 1);
    CHECK(t.at(goes_on, 0) == t.at(free, 0) + 1);
    CHECK(t.cause(cycle_cause::raw_other) > 0);
}

TEST_CASE("who waits for columns that nobody frees is named with what is free", "[reference][async]") {
    kernel_builder k("columns");
    k.block = {64, 1, 1};
    auto const allocate = k.tensor(async_role::tensor_allocate);
    auto const bar = k.barrier();
    k.tensor(async_role::tensor_free);
    auto const exit = k.exit();
    k.script = [&](std::uint64_t, unsigned warp, kernel_builder::warp_writer& w) {
        w.step(allocate);
        w.words(std::vector<std::uint64_t>{warp == 0 ? 256U : 512U});
        w.step(bar);
        w.step(exit);
    };
    CHECK_THAT(failures_of(plain_machine(), k.launch()).fast,
               Catch::Contains("warp 0 waits at barrier 0, which 1 of 2 have reached -> warp 1 waits for 512 "
                               "columns of tensor memory, of which 256 are free"));
}

TEST_CASE("products of a sub-core follow each other, and a wait lets the last groups be",
          "[reference][async]") {
    kernel_builder k("products");
    k.block = {128, 1, 1};
    auto const first = k.group_product(256, true);
    role(k, async_role::product_commit);
    k.group_product(256, true);
    role(k, async_role::product_commit);
    auto const one = role(k, async_role::product_wait, 1);
    auto const none = role(k, async_role::product_wait, 0);
    k.exit();
    timeline const t(plain_machine(), k);
    for (unsigned w = 0; w < 4; ++w) {
        CHECK(t.at(one, w) - t.at(first, w) == 1 + 3 + 128 + 10);
        CHECK(t.at(none, w) - t.at(one, w) == 128);
    }
    CHECK(t.cause(cycle_cause::raw_memory) == 0);
    CHECK(t.cause(cycle_cause::sync) == 0);
}

TEST_CASE("a producer and a consumer, two stages: a round of both takes one way around",
          "[reference][async]") {
    kernel_builder k("pipeline");
    k.block = {64, 1, 1};
    auto const free = k.await_phase({1});
    auto const copy = k.bulk_copy();
    auto const full = k.await_phase({1});
    auto const hand_back = k.arrive();
    auto const exit = k.exit();
    unsigned rounds = 6;
    k.script = [&](std::uint64_t, unsigned warp, kernel_builder::warp_writer& w) {
        // Phase 2 n is over when copy n has come, 2 n + 1 when it has been used.
        for (unsigned n = 0; n < rounds; ++n)
            if (warp == 0) {
                w.access(free, nowhere);
                w.words(n < 2 ? std::vector<std::uint64_t>() : phase(2 * (n - 2) + 1));
                w.step(copy, 1);
                w.words({load_of(2 * n, 128)});
            } else {
                w.access(full, nowhere);
                w.words(phase(2 * n));
                w.access(hand_back, nowhere);
                w.words(phase(2 * n + 1));
            }
        w.step(exit);
    };
    auto const p = plain_machine();
    timeline const t(p, k);
    auto const load = 1 + 100 + l2_hit(p);
    auto const arrival = p.core.operand_cycles + p.lsu.shared_latency + p.core.writeback_cycles;
    auto const around = load + 34 + arrival + 34;
    for (unsigned n = 2; n < rounds; ++n) {
        CHECK(t.at(full, 1, n) - t.at(copy, 0, n) == load);
        CHECK(t.at(hand_back, 1, n) - t.at(full, 1, n) == 34);
        CHECK(t.at(free, 0, n) - t.at(hand_back, 1, n - 2) == arrival);
        CHECK(t.at(copy, 0, n) - t.at(copy, 0, n - 2) == around);
    }
}

TEST_CASE("a phase whose events never come is named by who waits for it", "[reference][async]") {
    kernel_builder k("crossed");
    k.block = {64, 1, 1};
    auto const wait = k.await_phase({1});
    auto const arrive = k.arrive();
    auto const exit = k.exit();
    k.script = [&](std::uint64_t, unsigned warp, kernel_builder::warp_writer& w) {
        w.access(wait, nowhere);
        w.words(phase(warp));
        w.access(arrive, nowhere);
        w.words(phase(1 - warp));
        w.step(exit);
    };
    auto const said = failures_of(plain_machine(), k.launch());
    CHECK_THAT(said.fast,
               Catch::Contains("waits for phase 0 of its CTA's mbarriers, which 1 arrivals or copies"));
    CHECK_THAT(said.plain, Catch::Contains("is stuck"));
}

TEST_CASE("a machine without a unit refuses the kernels that need it", "[reference][async]") {
    kernel_builder copies("copies");
    copies.bulk_copy();
    copies.exit();
    kernel_builder products("products");
    products.group_product(64, true);
    products.exit();
    using Catch::Contains;
    auto const p = presets::gtx480::parameters();
    auto const copied = failures_of(p, copies.launch());
    CHECK_THAT(copied.fast, Contains("cp.async.bulk") && Contains("'gtx480' has not (async.copy_queue = 0)"));
    CHECK_THAT(copied.plain, Contains("cp.async.bulk"));
    CHECK_THAT(failures_of(p, products.launch()).fast,
               Contains("wgmma") && Contains("async.product_columns = 0"));
}

TEST_CASE("both engines have the same units beside the warps on random machines", "[reference][async]") {
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        INFO("seed " << seed);
        gpu_test::random_kernel k(
            seed, {.body = 12, .iterations = 3, .max_warps = 8, .max_ctas = 5, .asynchronous = true});
        auto p = gpu_test::random_machine(seed, k.warps());
        gpu_test::random_numbers r(seed * 77);
        gpu_test::asynchronous(r, p);
        if (r.chance(30)) gpu_test::translation(r, p.tlb);
        if (seed % 3 == 1) gpu_test::collectors(r, p.core);
        if (seed % 3 == 2) gpu_test::read_stages(r, p.core);
        if (p.core.register_banks != 0) p.lsu.writeback_port = r.below(2);
        p.core.control_bits = r.chance(20);
        p.core.blocking_atomics = r.chance(20);
        check(p);
        auto values = plain_values();
        values.kernel_dispatch = gpu_test::random_kernel_dispatch(seed);
        reference_test::both_engines<told> both(p, values);
        REQUIRE(reference_test::run_pair(seed, k, both, true) == "");
    }
}
