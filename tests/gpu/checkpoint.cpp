/// What a checkpoint holds of a machine, and what becomes of a run that goes on from one (config/checkpoint.hpp).

#include <warpkit/config/engine.hpp>
#include <warpkit/machine/state_archive.hpp>

#include "catch.hpp"
#include "gpu/machines.hpp"
#include "gpu/random_work.hpp"
#include "random_choices.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace warpkit;
using namespace warpkit::gpu_test;
using testing::random_numbers;

namespace {

/// Runs a kernel, and stores the machine in the middle of a second one; what is loaded over a new machine is equal, and
/// ends as this one does.
template <class P>
void store_and_go_on(std::uint64_t seed) {
    INFO("seed " << seed);
    random_kernel k(seed);
    auto p = random_machine(seed, k.warps());
    random_numbers r(seed);
    auto const values = random_values<P>(r);
    choose_caches<P>(r, p);
    random_kernel second(seed + 5000, {.max_warps = k.warps(), .max_ctas = 6});
    gpu<P> whole(p, values);
    (void)whole.run(k.builder().launch());
    auto a = whole;
    auto const expected = whole.run(second.builder().launch());
    a.begin(second.builder().launch());
    bool more = true;
    for (auto steps = r.below(300); steps != 0 && more; --steps) more = a.step();
    auto const state = stored_bytes(a);
    CHECK(stored_bytes(a) == state);
    gpu<P> b(p, values);
    b.begin(second.builder().launch());
    load_bytes(b, state);
    CHECK((a == b));
    CHECK(a.fingerprint() == b.fingerprint());
    CHECK(stored_bytes(b) == state);
    while (more && b.step()) {}
    CHECK(b.end() == expected);
    while (more && a.step()) {}
    CHECK(a.end() == expected);
    CHECK(b.fingerprint() ==
          a.fingerprint()); // (== also sees what is left in places of queues that are free)
    CHECK(b.fingerprint() == whole.fingerprint());
    CHECK(b.spans() == whole.spans());
}

/// A program of some kernels, whose CTAs note when they are executed.
struct noting_program {
    explicit noting_program(std::uint64_t seed) {
        for (unsigned i = 0; i < 4; ++i)
            kernel.push_back(std::make_unique<random_kernel>(
                seed + i, work_options{.iterations = 6, .max_warps = 4, .max_ctas = 40}));
    }
    std::vector<std::unique_ptr<random_kernel>> kernel;
    std::vector<std::uint64_t> executed;
    kernel_launch inner;

    std::vector<run_counters> run(engine const& machine) {
        std::vector<run_counters> all;
        executed.clear();
        for (auto& k : kernel) {
            inner = k->builder().launch();
            auto l = inner;
            l.source = this;
            l.fill = [](void* self, std::uint64_t cta, cta_stream& out) {
                auto& p = *static_cast<noting_program*>(self);
                p.executed.push_back(cta);
                p.inner.fill(p.inner.source, cta, out);
            };
            all.push_back(machine.run(l));
        }
        return all;
    }
};

gpu_parameters small_machine() {
    auto p = presets::gtx480::parameters();
    p.core.count = 2;
    return p;
}
template <class P>
engine machine_of(policy_values<P> const& values = {}) {
    return engine::on(std::make_shared<gpu<P>>(small_machine(), values));
}

/// Keeps a run every so many cycles, and goes on from each checkpoint: to the same end, with CTAs executed in the same
/// order.
template <class P>
void resume_everywhere(policy_values<P> const& values, std::uint64_t every, bool same_bytes = true) {
    noting_program program(7);
    auto const expected = program.run(machine_of<P>(values));
    auto const order = program.executed;
    std::vector<std::string> kept;
    std::vector<checkpoint_place> places;
    auto keeping = machine_of<P>(values);
    checkpoint_options options;
    options.cycles = every;
    options.keep = [&](std::string const& bytes, checkpoint_place const& at) {
        kept.push_back(bytes);
        places.push_back(at);
    };
    keeping.keep(options);
    CHECK(program.run(keeping) == expected);
    CHECK(program.executed == order);
    REQUIRE(kept.size() > 2);
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        INFO("checkpoint " << i << ", launch " << places[i].launches << ", cycle " << places[i].cycles);
        CHECK(places[i].cycles >= last + (i == 0 ? 0 : every));
        last = places[i].cycles;
        auto resumed = machine_of<P>(values);
        checkpoint_options from;
        from.cycles = every;
        from.resume = kept[i];
        std::vector<std::string> again;
        bool told = false;
        from.keep = [&](std::string const& bytes, checkpoint_place const&) { again.push_back(bytes); };
        from.resumed = [&](checkpoint_place const& at) { told = at.cycles == places[i].cycles; };
        resumed.keep(from);
        CHECK(program.run(resumed) == expected);
        CHECK(program.executed == order);
        CHECK(told);
        // What it keeps itself is what was kept without the interruption, byte for byte where no place that is still
        // unused is stored: such a one holds zeros or T(), as its memory came (heap_array::blank).
        std::vector<std::string> const rest(kept.begin() + static_cast<std::ptrdiff_t>(i) + 1, kept.end());
        CHECK(again.size() == rest.size());
        if (same_bytes) CHECK((again == rest));
    }
}

} // namespace

TEMPLATE_TEST_CASE("a machine that is stored and loaded goes on as if nothing had been", "[gpu]",
                   WARPKIT_RANDOM_MACHINES) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) store_and_go_on<TestType>(seed);
}

TEST_CASE("a run goes on from each of its checkpoints, to the same end", "[gpu]") {
    resume_everywhere<fermi_lrr>({}, 1500);
}

TEST_CASE("so it does where blocks go out in another order", "[gpu]") {
    policy_values<random_limited> values;
    values.cta_choice = any_cta_choice(hilbert_dispatch{});
    resume_everywhere<random_limited>(values, 1500, false);
}

TEST_CASE("another program is refused, and what cannot be kept", "[gpu]") {
    std::string kept;
    noting_program program(7);
    auto keeping = machine_of<fermi_lrr>();
    checkpoint_options options;
    options.cycles = 2500;
    options.keep = [&](std::string const& bytes, checkpoint_place const&) { kept = bytes; };
    keeping.keep(options);
    (void)program.run(keeping);
    noting_program other(8);
    auto resumed = machine_of<fermi_lrr>();
    options.resume = kept;
    resumed.keep(options);
    CHECK_THROWS_WITH(other.run(resumed), Catch::Contains("of another run: its launch 0 was 'random 7'"));
    for (std::size_t n = 1; n < kept.size(); n += 1 + kept.size() / 50) {
        options.resume = kept.substr(0, n);
        auto cut = machine_of<fermi_lrr>();
        CHECK_THROWS_AS(cut.keep(options), error);
    }
    auto sampled = machine_of<fermi_lrr>();
    sampled.sample({});
    CHECK_THROWS_WITH(sampled.keep(options), Catch::Contains("sampled"));
    auto counted = machine_of<fermi_lrr>();
    counted.keep_intervals(100);
    CHECK_THROWS_WITH(counted.keep(options), Catch::Contains("intervals"));
}
