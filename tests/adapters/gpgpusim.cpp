// The adapter of warp schedulers for GPGPU-Sim and Accel-Sim, in a small host with the same interface: what it tells
// the policies, and that they issue what they would where they are told by hand.
#include <warpkit/adapters/gpgpusim.hpp>

#include "catch.hpp"

#include <string>
#include <vector>

namespace {

// ---- the host, with the members that the adapter uses

struct memory_space_t {
    int is = 0;
    int get_type() const { return is; }
};
struct warp_inst_t {
    unsigned pc = 0;
    unsigned isize = 8;
    unsigned in[4] = {};
    memory_space_t space;
    bool load = false;
    bool store = false;
    bool is_load() const { return load; }
    bool is_store() const { return store; }
    bool isatomic() const { return false; }
};
class shd_warp_t {
public:
    unsigned id = 0;
    unsigned dynamic_id = 0;
    unsigned cta = 0;
    unsigned atomics = 0;
    bool done = true;
    warp_inst_t instruction;
    unsigned get_warp_id() const { return id; }
    unsigned get_dynamic_warp_id() const { return dynamic_id; }
    unsigned get_cta_id() const { return cta; }
    unsigned get_n_atomic() const { return atomics; }
    bool done_exit() const { return done; }
    warp_inst_t const* ibuffer_next_inst() { return &instruction; }
};
class Scoreboard {
public:
    unsigned long_register = 0; ///< that a load will write, of every warp in `waiting`
    std::vector<bool> waiting = std::vector<bool>(48);
    bool islongop(unsigned warp, unsigned r) { return waiting[warp] && r == long_register; }
    bool checkCollision(unsigned warp, warp_inst_t const*) const { return waiting[warp]; }
};
class kernel_info_t {
public:
    std::size_t threads_per_cta() const { return 256; }
};
class shader_core_config {
public:
    unsigned num_shader() const { return 15; }
    unsigned max_cta(kernel_info_t const&) const { return 6; }
    unsigned warp_size = 32;
    unsigned max_warps_per_shader = 48;
    unsigned gpgpu_num_sched_per_core = 2;
};
class shader_core_ctx {
public:
    kernel_info_t* get_kernel() { return &kernel; }
    unsigned get_sid() const { return 0; }
    shader_core_config const* get_config() const { return &config; }
    bool warp_waiting_at_barrier(unsigned warp) const { return barrier[warp]; }
    bool warp_waiting_at_mem_barrier(unsigned) { return false; }
    kernel_info_t kernel;
    shader_core_config config;
    std::vector<bool> barrier = std::vector<bool>(48);
};
class scheduler_unit {
public:
    scheduler_unit(shader_core_ctx* shader, Scoreboard* scoreboard, std::vector<shd_warp_t*>* warps, int id)
        : m_shader(shader),
          m_scoreboard(scoreboard),
          m_warp(warps),
          m_id(id) {}
    virtual ~scheduler_unit() = default;
    virtual void done_adding_supervised_warps() {}
    virtual void order_warps() = 0;
    void add_supervised_warp_id(unsigned w) { m_supervised_warps.push_back((*m_warp)[w]); }
    // Issues from the first warp in order that can; its number, or -1.
    int cycle() {
        order_warps();
        for (auto at = m_next_cycle_prioritized_warps.cbegin(); at != m_next_cycle_prioritized_warps.cend();
             ++at) {
            auto* const w = *at;
            if (w->done_exit() || m_shader->warp_waiting_at_barrier(w->id) ||
                m_scoreboard->checkCollision(w->id, &w->instruction))
                continue;
            do_on_warp_issued(w->id, 1, at);
            return static_cast<int>(w->id);
        }
        return -1;
    }

protected:
    virtual void do_on_warp_issued(unsigned, unsigned, std::vector<shd_warp_t*>::const_iterator const&) {}

    std::vector<shd_warp_t*> m_next_cycle_prioritized_warps;
    std::vector<shd_warp_t*> m_supervised_warps;
    std::vector<shd_warp_t*>::const_iterator m_last_supervised_issued;
    shader_core_ctx* m_shader;
    Scoreboard* m_scoreboard;
    std::vector<shd_warp_t*>* m_warp;
    int m_id;
};

// ---- a core of six CTAs of eight warps

struct core {
    std::vector<shd_warp_t> all = std::vector<shd_warp_t>(48);
    std::vector<shd_warp_t*> warps;
    shader_core_ctx shader;
    Scoreboard scoreboard;
    core() {
        scoreboard.long_register = 9;
        for (unsigned i = 0; i < 48; ++i) {
            all[i].id = all[i].dynamic_id = i;
            all[i].cta = i / 8;
            all[i].done = false;
            all[i].instruction.in[1] = 9;
            warps.push_back(&all[i]);
        }
    }
    template <class Unit>
    void complete(Unit& unit, unsigned first) {
        for (unsigned i = first; i < 48; i += 2) unit.add_supervised_warp_id(i);
        unit.done_adding_supervised_warps();
    }
};

template <class Policy>
using unit = warpkit::adapters::gpgpusim_scheduler<scheduler_unit, Policy>;

} // namespace

TEST_CASE("in GPGPU-Sim's shape, a scheduler issues as itself", "[adapters]") {
    core c;
    unit<warpkit::gto> gto(warpkit::gto{}, &c.shader, &c.scoreboard, &c.warps, 1);
    c.complete(gto, 1);
    CHECK(gto.cycle() == 1);
    CHECK(gto.cycle() == 1);
    c.scoreboard.waiting[1] = true;
    CHECK(gto.cycle() == 3);
    c.scoreboard.waiting[1] = false;
    CHECK(gto.cycle() == 3);
    c.all[3].done = true;
    CHECK(gto.cycle() == 1);
    // Another warp in the slot is the youngest.
    c.all[1].done = true;
    CHECK(gto.cycle() == 5);
    c.all[1] = c.all[3];
    c.all[1].id = 1;
    c.all[1].done = false;
    c.all[1].dynamic_id = 100;
    c.all[5].done = true;
    CHECK(gto.cycle() == 7);
}

TEST_CASE("in GPGPU-Sim's shape, a scheduler hears of loads and barriers", "[adapters]") {
    core c;
    unit<warpkit::two_level_of<4>> two(warpkit::two_level_of<4>{}, &c.shader, &c.scoreboard, &c.warps, 0);
    c.complete(two, 0);
    // Groups of four slots, of which this scheduler has two each.
    CHECK(two.cycle() == 0);
    CHECK(two.cycle() == 2);
    CHECK(two.cycle() == 0);
    // The front group waits for loads, all of it: the next one is in front, and stays when the loads have come.
    for (unsigned w : {0U, 1U, 2U, 3U}) c.scoreboard.waiting[w] = true;
    CHECK(two.cycle() == 4);
    for (unsigned w : {0U, 1U, 2U, 3U}) c.scoreboard.waiting[w] = false;
    CHECK(two.cycle() == 6);
    CHECK(two.cycle() == 4);
    // At a barrier, too.
    for (unsigned w : {4U, 5U, 6U, 7U}) c.shader.barrier[w] = true;
    CHECK(two.cycle() == 8);
}

TEST_CASE("in GPGPU-Sim's shape, what decides by what is not told is refused", "[adapters]") {
    using namespace warpkit::adapters;
    core c;
    auto const named = [&](char const* text) {
        return new_gpgpusim_scheduler<scheduler_unit>(text, &c.shader, &c.scoreboard, &c.warps, 0);
    };
    CHECK_THROWS_WITH(named("ccws"), Catch::Matchers::Contains("does not tell"));
    CHECK_THROWS_WITH(named("gtoo"), Catch::Matchers::Contains("did you mean gto?"));
    CHECK_THROWS_WITH(named("two_level:0"), Catch::Matchers::Contains("give 1 to"));
    auto* const made = named("cta_aware_locality:min_warps=8");
    c.complete(*made, 0);
    CHECK(made->cycle() == 0);
    CHECK(made->cycle() == 2);
    delete made;
    // With the host's lines, it is told of its L1.
    auto* const ccws = new_gpgpusim_scheduler<scheduler_unit, gpgpusim_tells::hooks>(
        "ccws", &c.shader, &c.scoreboard, &c.warps, 0);
    c.complete(*ccws, 0);
    CHECK(ccws->cycle() == 0);
    std::vector<scheduler_unit*> const schedulers{ccws};
    tell_all(schedulers, warpkit::l1_evicted{128, warpkit::warp_slot{0}});
    tell_all(schedulers, warpkit::l1_accessed{warpkit::warp_slot{0}, 0, 128, warpkit::access_kind::load,
                                              warpkit::cache_outcome::miss});
    using policy = warpkit::ccws_of<warpkit::run_time>;
    auto* const unit = dynamic_cast<gpgpusim_scheduler<scheduler_unit, policy, gpgpusim_tells::hooks>*>(ccws);
    REQUIRE(unit != nullptr);
    auto quiet = unit->policy();
    warpkit::notify(warpkit::cycles_spent{0, warpkit::cycle_cause::issued, 0, 1}, quiet);
    CHECK(!(unit->policy() == policy{}));
    delete ccws;
}
