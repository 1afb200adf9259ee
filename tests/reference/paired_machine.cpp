/// Pairs of CTAs on both engines (docs/model/asynchronous.md#pairs): products of both cores, columns that both ask for,
/// and a kernel of PTX as CUTLASS's with two SMs.

#include <warpkit/config/presets.hpp>
#include <warpkit/cta/policies.hpp>
#include <warpkit/frontend/builder.hpp>
#include <warpkit/frontend/ptx/ptx.hpp>
#include <warpkit/program/async_words.hpp>

#include "catch.hpp"
#include "frontend/ptx/pair_product.hpp"
#include "gpu/random_clusters.hpp"
#include "random_choices.hpp"
#include "reference/told_machine.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

using P = reference_test::told;
using both = reference_test::both_engines<P>;
using gpu_test::one_of;
using gpu_test::random_numbers;

/// Two cores of one group, whose clocks all tick together.
gpu_parameters paired_cores() {
    auto p = presets::gtx480::parameters();
    p.clock = {700'000, 700'000, 700'000, 700'000};
    p.core.count = 2;
    p.core.threads = 1024;
    p.core.schedulers = p.core.sub_cores = 4;
    p.core.sp_units = p.core.int_units = p.core.sfu_units = 4;
    p.core.perfect_branches = 1;
    p.core.instruction_buffer = 8;
    p.core.fetch_bytes = 8 * p.core.instruction_bytes;
    p.l1i.size = 0;
    p.cluster = {.cores = 2, .latency = 70, .bandwidth = 16, .barrier_latency = 100};
    p.async.wait_latency = 34;
    p.async.copy_queue = 2;
    p.async.copy_setup = 100;
    p.async.copy_request = 128;
    p.async.copy_interval = 1;
    p.async.copy_requests = 64;
    p.async.tensor_memory = 512;
    p.async.tensor_columns = 2;
    p.async.tensor_latency = 10;
    p.async.tensor_access = 5;
    return p;
}

using words = std::vector<std::uint64_t>;
words half_of_product(std::uint32_t rank, std::uint32_t columns, std::uint32_t bytes) {
    tensor_product_words const p{columns, bytes};
    return {p.word(), phase_name{rank ^ 1, pair_order::of(p).number()}.word()};
}
words half_of_columns(std::uint32_t rank, std::uint32_t columns) {
    return {columns, phase_name{rank ^ 1, pair_order::of_allocation().number()}.word()};
}
auto const nowhere = [](unsigned) { return std::uint64_t{0}; };

/// What a cluster of two CTAs did on both engines, which must be equal.
class timeline {
public:
    timeline(gpu_parameters const& p, kernel_builder& k) : pc_(p.core.instruction_bytes) {
        policy_values<P> v;
        v.warp_scheduler = reference_test::scheduler_named("lrr");
        both b(p, v);
        CHECK(b.run(k.launch()) == "");
        for (unsigned core = 0; core < 2; ++core) issues_.push_back(b.observer(core).issues());
    }
    /// The cycle in which a core's warp issued an instruction for the first time.
    cycle at(unsigned core, std::uint32_t instruction) const {
        for (auto const& e : issues_[core])
            if (e.pc == instruction * pc_) return e.at;
        return never;
    }

private:
    std::vector<std::vector<reference_test::issue_recorder::issue>> issues_;
    std::uint32_t pc_;
};

} // namespace

TEST_CASE("of a pair's product each core does a half, the other core when it hears of it", "[pair]") {
    auto const p = paired_cores();
    // CTA 0 orders a product of 256 columns on each core; CTA 1, some time later, one of its own of 64.
    kernel_builder k("pair");
    k.grid = k.cluster = {2, 1, 1};
    auto const work = k.op(op_class::int_add);
    auto const multiply = k.tensor(async_role::tensor_product);
    auto const commit = k.tensor(async_role::tensor_commit);
    auto const wait = k.await_phase({1});
    auto const exit = k.exit();
    unsigned later = 100;
    bool orders = true;
    k.script = [&](std::uint64_t cta, unsigned, kernel_builder::warp_writer& out) {
        auto const rank = static_cast<std::uint32_t>(cta);
        for (unsigned i = 0; i < later && rank == 1; ++i) out.step(work);
        out.step(multiply);
        out.words(rank == 1 || !orders ? words{tensor_product_words{64, 0}.word()}
                                       : half_of_product(0, 256, 0));
        out.step(commit);
        out.words(words{phase_name{rank, 0}.word()});
        out.access(wait, nowhere);
        out.words(words{phase_name{rank, 0}.word()});
        out.step(exit);
    };
    timeline const t(p, k);
    // A cycle to leave the issue, 3 to read operands; 2 columns in a cycle; 10 until the result is there.
    CHECK(t.at(0, wait) - t.at(0, multiply) == 4 + 128 + 10);
    // The other core hears of it when the operands have been read, and a way of the network later.
    auto const heard = t.at(0, multiply) + 4 + p.cluster.latency;
    REQUIRE(t.at(1, multiply) > heard);
    CHECK(t.at(1, wait) == heard + 128 + 32 + 10);
    orders = false;
    timeline const alone(p, k);
    CHECK(alone.at(1, wait) == alone.at(1, multiply) + 4 + 32 + 10);
}

TEST_CASE("a commit tells both CTAs of a pair", "[pair]") {
    auto const p = paired_cores();
    kernel_builder k("pair");
    k.grid = k.cluster = {2, 1, 1};
    auto const multiply = k.tensor(async_role::tensor_product);
    auto const commit = k.tensor(async_role::tensor_commit);
    auto const wait = k.await_phase({1});
    auto const exit = k.exit();
    k.script = [&](std::uint64_t cta, unsigned, kernel_builder::warp_writer& out) {
        auto const rank = static_cast<std::uint32_t>(cta);
        if (rank == 0) {
            out.step(multiply);
            out.words(half_of_product(0, 128, 0));
            out.step(commit);
            out.words(words{phase_name{0, 0}.word(), phase_name{1, 0}.word()});
        }
        out.access(wait, nowhere);
        out.words(words{phase_name{rank, 0}.word()});
        out.step(exit);
    };
    timeline const t(p, k);
    CHECK(t.at(0, wait) == t.at(0, multiply) + 4 + 64 + 10);
    CHECK(t.at(1, wait) == t.at(0, wait) + p.cluster.latency);
}

TEST_CASE("columns for both CTAs of a pair: the even one's first, when the odd one has asked", "[pair]") {
    auto const p = paired_cores();
    auto const way = p.cluster.latency;
    kernel_builder k("columns");
    k.grid = k.cluster = {2, 1, 1};
    auto const work = k.op(op_class::int_add);
    auto const allocate = k.tensor(async_role::tensor_allocate);
    auto const has = k.op(op_class::int_add);
    auto const free = k.tensor(async_role::tensor_free);
    auto const exit = k.exit();
    unsigned later[2]{};
    k.script = [&](std::uint64_t cta, unsigned, kernel_builder::warp_writer& out) {
        for (unsigned i = 0; i < later[cta]; ++i) out.step(work);
        out.step(allocate);
        out.words(half_of_columns(static_cast<std::uint32_t>(cta), 256));
        out.step(has);
        out.step(free);
        out.words(words{256});
        out.step(exit);
    };
    SECTION("the odd one comes later") {
        later[1] = 200;
        timeline const t(p, k);
        CHECK(t.at(0, has) == t.at(1, allocate) + 1 + way);
        CHECK(t.at(1, has) == t.at(0, has) + 1 + way);
    }
    SECTION("the even one comes later") {
        later[0] = 200;
        timeline const t(p, k);
        CHECK(t.at(0, has) == t.at(0, allocate) + 1);
        CHECK(t.at(1, has) == t.at(0, allocate) + 1 + way);
    }
}

TEST_CASE("two pairs on the same cores get all columns one after the other, whoever comes first", "[pair]") {
    auto p = paired_cores();
    p.core.ctas = 2;
    for (unsigned seed = 0; seed < 8; ++seed) {
        INFO("seed " << seed);
        kernel_builder k("columns");
        k.grid = {8, 1, 1};
        k.cluster = {2, 1, 1};
        auto const work = k.op(op_class::int_add);
        auto const allocate = k.tensor(async_role::tensor_allocate);
        auto const free = k.tensor(async_role::tensor_free);
        auto const exit = k.exit();
        k.script = [&](std::uint64_t cta, unsigned, kernel_builder::warp_writer& out) {
            random_numbers r(seed * 100 + cta);
            for (unsigned i = r.below(150); i != 0; --i) out.step(work);
            out.step(allocate);
            out.words(half_of_columns(cta & 1, 512));
            for (unsigned i = r.below(50); i != 0; --i) out.step(work);
            out.step(free);
            out.words(words{512});
            out.step(exit);
        };
        both b(p);
        CHECK(b.run(k.launch()) == "");
    }
}

TEST_CASE("who waits for the other CTA of its pair is named", "[pair]") {
    tensor_memory_unit unit(paired_cores().async, 4, 32, 8);
    warp_slot const w{3};
    CHECK(unit.lacks(w).empty());
    unit.allocate(10, w, half_of_columns(0, 32));
    CHECK(unit.holds(w));
    CHECK(unit.lacks(w) == " waits for the other CTA of its pair to allocate tensor memory");
    warp_set cta;
    cta.insert(w);
    unit.may_allocate(cta);
    CHECK(unit.holds(w));
    unit.tick(
        11, [](warp_slot, auto) {}, [&](warp_slot granted) { CHECK(granted == w); });
    CHECK(!unit.holds(w));
}

namespace {

/// Clusters of pairs whose CTAs allocate, order products and copies of the pair, and tell each other, at random.
class random_pairs_of_ctas {
public:
    explicit random_pairs_of_ctas(std::uint64_t seed) : seed_(seed) {
        random_numbers r(seed);
        auto& b = builder_;
        b.cluster = {one_of(r, {2U, 4U}), 1, 1};
        b.grid = {b.cluster.x * (1 + r.below(4)), 1, 1};
        b.block = {32 * (1 + r.below(3)), 1, 1};
        rounds_ = 1 + r.below(5);
        allocate_ = b.tensor(async_role::tensor_allocate);
        work_ = b.op(op_class::int_add, {2}, {2});
        load_ = b.tensor(async_role::tensor_load, 1 + r.below(30));
        multiply_ = b.tensor(async_role::tensor_product);
        commit_ = b.tensor(async_role::tensor_commit);
        wait_ = b.await_phase({1});
        fence_ = b.op(op_class::fence);
        free_ = b.tensor(async_role::tensor_free);
        exit_ = b.exit();
        b.script = [this](std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) {
            write(cta, warp, out);
        };
    }
    kernel_builder& builder() noexcept { return builder_; }
    unsigned warps() const noexcept { return static_cast<unsigned>(builder_.block.x / 32); }

private:
    void write(std::uint64_t cta, unsigned warp, kernel_builder::warp_writer& out) const {
        random_numbers r(seed_ * 1000003 + cta * 257 + warp);
        auto const rank = static_cast<std::uint32_t>(cta % builder_.cluster.x);
        for (unsigned i = r.below(30); i != 0; --i) out.step(work_);
        if (warp == 0) {
            out.step(allocate_);
            out.words(half_of_columns(rank, 32));
        }
        for (std::uint32_t round = 0; round < rounds_; ++round) {
            for (unsigned i = r.below(6); i != 0; --i) out.step(one_of(r, {work_, work_, load_}));
            for (unsigned i = warp == 0 ? r.below(4) : 0; i != 0; --i) {
                out.step(multiply_);
                auto const columns = r.chance(30) ? 0 : 16 * (1 + r.below(16)), bytes = 512 * r.below(16);
                out.words(r.chance(80) ? half_of_product(rank, columns, bytes)
                                       : words{tensor_product_words{columns, bytes}.word()});
            }
            if (warp == 0) {
                out.step(commit_);
                out.words(words{phase_name{rank, round}.word(), phase_name{rank ^ 1, round}.word()});
            }
            if (r.chance(30)) out.step(fence_);
            out.access(wait_, nowhere);
            out.words(words{phase_name{rank, round}.word()});
        }
        if (warp == 0) {
            out.step(free_);
            out.words(words{32});
        }
        out.step(exit_);
    }

    kernel_builder builder_{"random pairs"};
    std::uint64_t seed_;
    std::uint32_t rounds_ = 1;
    std::uint32_t allocate_ = 0, work_ = 0, load_ = 0, multiply_ = 0, commit_ = 0, wait_ = 0, fence_ = 0,
                  free_ = 0, exit_ = 0;
};

} // namespace

TEST_CASE("both engines tell the same of random pairs on random machines", "[pair]") {
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
        INFO("seed " << seed);
        random_pairs_of_ctas k(seed);
        auto p = gpu_test::random_machine(seed, k.warps());
        random_numbers r(seed * 91);
        gpu_test::clusters(r, p, k.builder().cluster.x);
        gpu_test::asynchronous(r, p);
        p.core.ctas = std::min(p.core.ctas, 16U); // of 32 columns each
        check(p);
        auto v = gpu_test::random_values<P>(r);
        if (r.chance(30))
            v.cluster_placement = cluster_packed{};
        else if (r.chance(50))
            v.cluster_placement = cluster_paired{};
        both b(p, v);
        CHECK(b.run(k.builder().launch()) == "");
        CHECK(b.run(k.builder().launch()) == ""); // again, on the warm machine
    }
}

TEST_CASE("a product of matrices by pairs of CTAs takes as long on both engines", "[pair]") {
    cycle before = never;
    for (unsigned const stages : {1U, 2U}) {
        INFO(stages << " stages");
        ptx_test::pair_product product;
        product.stages = stages;
        product.steps = 3;
        device_memory memory;
        auto const a = memory.allocate(2 * product.depth() * product.rows),
                   b = memory.allocate(2 * product.depth() * product.columns);
        tensor_map const maps[] = {product.map(a, product.rows, 128), product.map(b, product.columns, 64)};
        auto const maps_at = memory.allocate(sizeof maps);
        memory.write(maps_at, maps, sizeof maps);
        std::uint64_t const given[] = {maps_at, maps_at + sizeof(tensor_map),
                                       memory.allocate(std::uint64_t{4} * product.rows * product.columns)};
        std::vector<std::byte> arguments(sizeof given);
        std::memcpy(arguments.data(), given, sizeof given);
        ptx::loaded_module const module(ptx::parse(product.text(), "product.ptx"), memory);
        ptx::kernel const kernel(module, "k");
        auto p = paired_cores();
        p.core.shared_bytes = 1U << 18;
        both machine(p);
        ptx::executor run(kernel, memory, {"k", {2, 1, 1}, {product.threads, 1, 1}, 0, arguments});
        REQUIRE(machine.run(run.launch()) == "");
        CHECK(machine.counted().cycles < before);
        before = machine.counted().cycles;
    }
}
