// Policies behind the shape of GPGPU-Sim's scheduler_unit: a stand-in of it with lrr and gto as they are there (rotate
// a list; sort by dynamic warp id, greedy warp in front), beside ours in the same place.
#include <warpkit/testing/random_core.hpp>
#include <warpkit/warp/elf.hpp>
#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/lrr.hpp>
#include <warpkit/warp/ordering.hpp>
#include <warpkit/warp/owl.hpp>
#include <warpkit/warp/static_wavefront_limit.hpp>

#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace warpkit;

namespace {

/// The host's warp.
struct shader_warp {
    unsigned id = 0;
    unsigned dynamic_id = 0;
    unsigned cta = 0;
    bool done = true;
    bool ready = false; // has an instruction that can issue
};
using warps = std::vector<shader_warp*>;

/// The host's scheduler: orders its warps, tries them in order, and notes the first that issued.
class scheduler_unit {
public:
    explicit scheduler_unit(warps w) : supervised(std::move(w)) {}
    virtual ~scheduler_unit() = default;
    virtual void order_warps() = 0;
    virtual void do_on_warp_issued(shader_warp* w) { last_issued = w; }
    shader_warp* cycle() {
        order_warps();
        for (auto* const w : prioritized)
            if (!w->done && w->ready) {
                do_on_warp_issued(w);
                return w;
            }
        return nullptr;
    }

protected:
    warps supervised;
    warps prioritized;
    shader_warp* last_issued = nullptr;
};
class host_lrr : public scheduler_unit {
public:
    using scheduler_unit::scheduler_unit;
    void order_warps() override {
        prioritized = supervised;
        auto const last = std::find(prioritized.begin(), prioritized.end(), last_issued);
        if (last != prioritized.end()) std::rotate(prioritized.begin(), last + 1, prioritized.end());
    }
};
class host_gto : public scheduler_unit {
public:
    using scheduler_unit::scheduler_unit;
    void order_warps() override {
        prioritized = supervised;
        std::sort(prioritized.begin(), prioritized.end(), [this](auto const* a, auto const* b) {
            if ((a == last_issued) != (b == last_issued)) return a == last_issued;
            return a->dynamic_id < b->dynamic_id;
        });
    }
};

struct view {
    static unsigned slot(shader_warp const* w) { return w->id; }
    static bool live(shader_warp const* w) { return !w->done; }
    static std::uint64_t age(shader_warp const* w) { return w->dynamic_id; }
    static unsigned cta(shader_warp const* w) { return w->cta; }
};
static_assert(warp_view<view, shader_warp*>);

template <class Policy, class Told = event_list<>>
class embedded : public scheduler_unit {
public:
    embedded(warps w, unsigned number, unsigned of) : scheduler_unit(std::move(w)) {
        order.begin({}, number, of);
    }
    void order_warps() override { order.order(prioritized, supervised); }
    void do_on_warp_issued(shader_warp* w) override {
        scheduler_unit::do_on_warp_issued(w);
        order.on_issued(w->id);
    }
    warps const& list() const { return prioritized; }
    warp_slot one() {
        return order.pick(supervised, [](auto const* w) { return w->ready; });
    }
    ordering<Policy, view, Told> order;
};

/// A core of 48 warps in CTAs of 6, scheduled by two schedulers, at random.
struct host_core {
    explicit host_core(std::uint64_t seed) : random(seed), all(48) {
        for (unsigned i = 0; i < all.size(); ++i) all[i].id = i;
    }
    warps of(unsigned scheduler) {
        warps w;
        for (auto& x : all)
            if (x.id % 2 == scheduler) w.push_back(&x);
        return w;
    }
    void change() {
        for (unsigned c = 0; c < 8; ++c) {
            bool empty = true;
            for (unsigned i = 0; i < 6; ++i) empty = empty && all[6 * c + i].done;
            if (!empty || !random.chance(10)) continue;
            for (unsigned i = 0; i < 6; ++i) all[6 * c + i] = {6 * c + i, next_id++, c, false, false};
        }
        for (auto& w : all) {
            w.ready = random.chance(w.ready ? 90 : 20);
            if (!w.done && random.below(200) == 0) w.done = true;
        }
    }
    testing::random_numbers random;
    std::vector<shader_warp> all;
    unsigned next_id = 0;
};

template <class Policy, class Host>
void issues_the_same() {
    host_core core(17);
    Host host(core.of(1));
    embedded<Policy> ours(core.of(1), 1, 2);
    unsigned issued = 0;
    unsigned differ = 0;
    for (unsigned cycle = 0; cycle < 20000; ++cycle) {
        core.change();
        auto const one = ours.one();
        auto const* const a = host.cycle();
        auto const* const b = ours.cycle();
        issued += a != nullptr;
        differ += a != b || (b != nullptr ? one != warp_slot{b->id} : bool(one));
    }
    CHECK(issued > 15000);
    CHECK(differ == 0);
}

} // namespace

TEST_CASE("in a scheduler_unit's place, lrr and gto issue what the host's own do", "[embedding]") {
    issues_the_same<lrr, host_lrr>();
    issues_the_same<gto, host_gto>();
}

TEST_CASE("an order holds every live warp once, and a throttle's refused ones not at all", "[embedding]") {
    host_core core(3);
    for (unsigned i = 0; i < 12; ++i) core.all[i] = {i, 100 + i, i / 6, false, true};
    embedded<lrr> open(core.of(0), 0, 2);
    open.cycle();
    std::vector<unsigned> ids;
    for (auto const* w : open.list()) ids.push_back(w->id);
    CHECK(ids == std::vector<unsigned>{0, 2, 4, 6, 8, 10});
    // Nothing blocks here.
    embedded<static_wavefront_limit<2>, event_list<blocked, unblocked, barrier_arrived, barrier_released>>
        limited(core.of(0), 0, 2);
    limited.cycle();
    CHECK(limited.list().size() == 2);
    core.all[0].dynamic_id = 200; // another warp has slot 0 now
    open.cycle();
    CHECK(open.list().size() == 6);
}

namespace {

// What an untold_fact says; empty if there was none.
template <class F>
std::string untold(F&& f) {
    try {
        f();
    } catch (untold_fact const& e) {
        return e.what();
    }
    return {};
}
kernel_began owl_kernel() {
    kernel_began kernel;
    kernel.ctas_per_core = 8;
    kernel.warps_per_cta = 6;
    return kernel;
}

} // namespace

TEST_CASE("a policy that goes by what the host has not told of the kernel says which field it is",
          "[embedding]") {
    ordering<cta_aware_locality, view> order;
    CHECK_THAT(untold([&] { order.begin({}); }), Catch::Contains("kernel_began::warps_per_cta"));
    auto kernel = owl_kernel();
    kernel.ctas_per_core = {};
    CHECK_THAT(untold([&] { order.begin(kernel); }), Catch::Contains("kernel_began::ctas_per_core"));
    CHECK(untold([&] { order.begin(owl_kernel()); }).empty());
    ordering<cta_aware_locality_blp, view> by_core;
    CHECK_THAT(untold([&] { by_core.begin(owl_kernel()); }), Catch::Contains("kernel_began::core,"));
}

TEST_CASE("embedded, OWL puts the CTAs of the first group in front", "[embedding]") {
    std::vector<shader_warp> all(48);
    warps shown;
    for (unsigned i = 0; i < 48; ++i) {
        all[i] = {i, i, i / 6, false, true};
        shown.push_back(&all[i]);
    }
    ordering<cta_aware_locality, view> order; // groups of two CTAs, 12 warps
    order.begin(owl_kernel());
    warps result;
    for (unsigned issue = 0; issue < 30; ++issue) {
        order.order(result, shown);
        REQUIRE(result.size() == 48);
        for (unsigned place = 0; place < 12; ++place) CHECK(result[place]->id < 12);
        CHECK(result[0]->id == issue % 12);
        order.on_issued(result[0]->id);
    }
}

TEST_CASE("a policy that is shown a whole core orders its scheduler's warps alone", "[embedding]") {
    std::vector<shader_warp> all(24);
    warps shown;
    warps own;
    for (unsigned i = 0; i < 24; ++i) {
        all[i] = {i, i, i / 6, false, true};
        shown.push_back(&all[i]);
        if (i % 2 == 1) own.push_back(&all[i]);
    }
    ordering<cta_aware_locality, view> order;
    order.begin(owl_kernel(), 1, 2);
    warps result;
    order.order(result, own, shown);
    CHECK(result == own);
    // The other scheduler's warps of the first group have gone, and its own: it ends only with both.
    for (unsigned i = 1; i < 12; i += 2) all[i].done = true;
    order.order(result, own, shown);
    CHECK(order.scheduler().groups().ranked(0) == 0);
    for (unsigned i = 0; i < 12; i += 2) all[i].done = true;
    order.order(result, own, shown);
    CHECK(order.scheduler().groups().ranked(0) == 1);
}

TEST_CASE("who goes by the code must be told it, and where each issue is in it", "[embedding]") {
    ordering<elf, view, event_list<branched>> order;
    CHECK_THAT(untold([&] { order.begin({}); }), Catch::Contains("kernel_began::instruction_bytes"));
    kernel_began kernel;
    kernel.instruction_bytes = 8;
    CHECK_THAT(untold([&] { order.begin(kernel); }), Catch::Contains("kernel_began::code"));
    std::vector<static_instruction> code(4);
    kernel.code = code.data();
    CHECK_THAT(untold([&] { order.begin(kernel); }), Catch::Contains("kernel_began::instructions"));
    kernel.instructions = 4;
    order.begin(kernel);
    CHECK_THAT(untold([&] { order.on_issued(0); }), Catch::Contains("issued::pc"));
    CHECK(untold([&] { order.on_issued(0, issue_class::arithmetic, 8, 1, 5); }).empty());
}
