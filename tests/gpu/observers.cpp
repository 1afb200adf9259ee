/// Observers hear what the counters count.

#include <warpkit/testing/replay.hpp>

#include "catch.hpp"
#include "gpu/machines.hpp"
#include "gpu/random_work.hpp"
#include "support/sanitized.hpp"

using namespace warpkit;
using namespace warpkit::gpu_test;

TEST_CASE("events agree with the counters, on random kernels and machines", "[gpu]") {
    for (std::uint64_t seed = 101; seed <= 100 + fewer(40); ++seed) {
        INFO("seed " << seed);
        random_kernel k(seed);
        auto const p = random_machine(seed, k.warps());
        gpu<random_lrr> g(p);
        auto const r = g.run(k.builder().launch());
        counting_observer sum;
        for (auto const& c : g.cores()) {
            auto const& o = c.observer();
            CHECK(o.wrong == 0);
            CHECK(o.live.empty());
            for (auto const& w : o.waits) CHECK(w.empty()); // whoever was blocked was unblocked
            CHECK(o.kernels == 1);
            CHECK((o.pressures != 0 || o.accesses == 0));
            CHECK(o.kernels_ended == 1);
            CHECK(o.cycles == r.cycles * p.core.schedulers);
            sum.ctas += o.ctas;
            sum.ctas_finished += o.ctas_finished;
            sum.issues += o.issues;
            sum.decisions += o.decisions;
            sum.lanes_issued += o.lanes_issued;
            sum.accesses += o.accesses;
            sum.hits += o.hits;
            sum.evictions += o.evictions;
            sum.fills += o.fills;
            sum.fetches += o.fetches;
            sum.refusals += o.refusals;
            for (unsigned i = 0; i < cycle_cause_count; ++i) sum.cause[i] += o.cause[i];
        }
        CHECK(sum.ctas == r.core.ctas);
        CHECK(sum.ctas_finished == r.core.ctas);
        CHECK(sum.issues == r.core.warp_instructions);
        CHECK(sum.decisions == r.core.cause[0]); // whoever is picked issues, once or more
        CHECK(sum.lanes_issued == r.core.thread_instructions);
        CHECK(sum.accesses == r.l1d.accesses);
        CHECK(sum.hits == r.l1d.hits);
        CHECK(sum.fills == r.l1d.fetches);
        CHECK(sum.evictions >= r.l1d.evictions); // stores that hit remove lines, too
        auto refused = r.l1d;
        refused += r.l1c;
        refused += r.l1t;
        CHECK(sum.refusals == refused.refused_line_allocation + refused.refused_mshr_entry +
                                  refused.refused_mshr_merge + refused.refused_miss_queue +
                                  refused.refused_mshr_read_write_pending);
        CHECK(sum.cause == r.core.cause);
        // And they change nothing: the same machine without an observer.
        gpu<fermi_lrr> plain(p);
        CHECK(plain.run(k.builder().launch()) == r);
    }
}

namespace of_one_core { // named: Clang warns of comparisons that only a concept asks for

// Counts what one core of many does, and what it is told of the others although it listens to none.
struct observer_of_one {
    static constexpr bool forwards_events = true;
    unsigned core = 0;
    bool mine = false;
    unsigned strays = 0;
    counting_observer counts{};

    template <class E>
    requires hears<counting_observer, E>
    void on(E const& e) {
        if constexpr (std::is_same_v<E, kernel_began>)
            mine = e.core == core;
        else
            strays += !mine;
        if (mine) counts.on(e);
    }
    template <class E>
    bool listens() const noexcept {
        return mine && hears<counting_observer, E>;
    }
    friend bool operator==(observer_of_one const&, observer_of_one const&) = default;
};

} // namespace of_one_core
namespace {

using selective =
    linear_fermi<use::warp_scheduler<lrr>, use::observer<of_one_core::observer_of_one>>::policies;

} // namespace

TEST_CASE("of many cores those are told that are listened to, as if all were", "[gpu]") {
    for (std::uint64_t seed = 201; seed <= 203; ++seed) {
        INFO("seed " << seed);
        random_kernel k(seed);
        auto const p = random_machine(seed, k.warps());
        policy_values<selective> values;
        values.observer.core = p.core.count - 1;
        gpu<selective> some(p, values);
        gpu<random_lrr> all(p);
        for (unsigned launch = 0; launch < 2; ++launch)
            CHECK(some.run(k.builder().launch()) == all.run(k.builder().launch()));
        for (unsigned c = 0; c < p.core.count; ++c) {
            auto const& o = some.cores()[c].observer();
            CHECK(o.strays == 0);
            CHECK(o.counts == (o.mine ? all.cores()[c].observer() : counting_observer()));
        }
    }
}

TEST_CASE("the L2 tells who asked, and whose line goes", "[gpu]") {
    std::uint64_t evictions = 0, cores = 0;
    for (std::uint64_t seed = 141; seed <= 160; ++seed) {
        INFO("seed " << seed);
        random_kernel k(seed);
        auto const p = random_machine(seed, k.warps());
        policy_values<random_limited> values;
        gpu<random_limited> g(p, values);
        auto const r = g.run(k.builder().launch());
        l2_listener sum;
        for (unsigned m = 0; m < p.memory.channels; ++m) {
            auto const& o = g.memory().l2_observer(m);
            CHECK(o.wrong == 0);
            sum.accesses += o.accesses;
            sum.hits += o.hits;
            sum.evictions += o.evictions;
            sum.fills += o.fills;
            for (unsigned c = 0; c < 64; ++c) sum.by_core[c] += o.by_core[c];
        }
        CHECK(sum.accesses == r.l2.accesses);
        CHECK(sum.hits == r.l2.hits);
        CHECK(sum.evictions == r.l2.evictions);
        CHECK(sum.fills <= r.l2.fetches); // some come when the kernel has ended
        for (unsigned c = 0; c < 64; ++c) {
            CHECK((sum.by_core[c] == 0 || c < p.core.count));
            cores += sum.by_core[c] != 0;
        }
        evictions += sum.evictions;
    }
    CHECK(evictions > 1000);
    CHECK(cores > 20);
}

TEST_CASE("barrier events: every arrival, one release of those that wait", "[gpu]") {
    kernel_builder k("barriers");
    k.barrier();
    k.barrier();
    k.exit();
    k.grid = {5, 1, 1};
    k.block = {96, 1, 1};
    auto p = presets::gtx480::parameters();
    p.core.count = 1;
    gpu<random_lrr> g(p);
    g.run(k.launch());
    auto const& o = g.cores()[0].observer();
    CHECK(o.arrivals == 5 * 3 * 2);
    CHECK(o.releases == 5 * 2);
    CHECK(o.released_warps == 5 * 3 * 2);
    CHECK(o.exits == 5 * 3);
}

TEST_CASE("footprints: of each warp at its launch, when the launch's addresses are known", "[gpu]") {
    kernel_builder k("known");
    k.exit();
    k.grid = {9, 1, 1};
    k.block = {128, 1, 1};
    // Each warp reads the 1024 bytes of its own in an array of 9 x 4 of them: 288 lines, regions of a CTA's 32.
    predicted_access access;
    access.array = 0;
    access.bytes = 32;
    access.reads = access.predictable = true;
    address_range const array{1 << 20, (1 << 20) + 9 * 4 * 1024};
    predicted_addresses::functions f;
    f.cta_range = [](void const*, std::uint32_t, std::uint64_t cta) {
        auto const first = (1 << 20) + 4096 * cta;
        return address_range{first, first + 4096};
    };
    f.warp_range = [](void const*, std::uint32_t, std::uint64_t cta, unsigned warp) {
        auto const first = (1 << 20) + 4096 * cta + 1024 * warp;
        return address_range{first, first + 1024};
    };
    predicted_addresses const addresses(nullptr, f, &access, 1, &array, 1);
    auto launch = k.launch();
    launch.addresses = &addresses;
    auto p = presets::gtx480::parameters();
    p.core.count = 1;
    gpu<random_lrr> g(p);
    g.run(launch);
    auto const& o = g.cores()[0].observer();
    CHECK(o.footprints == 9 * 4);
    CHECK(o.wrong == 0);
    for (unsigned w = 4; w < 32; ++w) { // CTA 8 came last, to slot 0
        CHECK(o.footprint[w].region[0] == w / 4);
        CHECK(o.footprint[w].touched[0] == 0xfU << w % 4 * 4);
    }
    CHECK(o.footprint[1].region[0] == 8);
    launch.addresses = nullptr;
    g.run(launch);
    CHECK(g.cores()[0].observer().footprints == 9 * 4);
}

TEST_CASE("a recorded core, replayed: the scheduler agrees with itself on every decision", "[gpu]") {
    random_kernel k(5);
    auto p = presets::gtx480_v3::parameters();
    p.core.count = 2;
    policy_values<fermi_v3> values;
    values.occupancy_limit = static_limit(8);
    values.observer = testing::event_recorder({1, "random", "gto"});
    gpu<fermi_v3> g(p, values);
    auto const r = g.run(k.builder().launch());
    CHECK(g.cores()[0].observer().log().records() == 0);
    auto const log = testing::event_log::from_bytes(g.cores()[1].observer().log().to_bytes(), "memory");
    auto const same = testing::replay<gto>(log);
    CHECK(same.decisions == g.cores()[1].counters().warp_instructions);
    CHECK(same.agreed == same.decisions);
    CHECK(testing::replay<lrr>(log).first);
    gpu<fermi_v3> plain(p);
    CHECK(r.cycles == plain.run(k.builder().launch()).cycles); // recording changes nothing
}
