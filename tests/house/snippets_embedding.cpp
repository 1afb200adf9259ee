// The C++ of docs/howto/embedding.md, as printed: in a host of one's own, and beside stand-ins for the classes of
// GPGPU-Sim that it names, which do with it what a core does.
#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/lrr.hpp>
#include <warpkit/warp/owl.hpp>

#include "catch.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace host {

// What the first snippet goes by.
template <class Issue>
void cycle(unsigned fit, warpkit::warp_set warps, Issue issue) {
    warpkit::cta_slot const cta{0};
    std::uint64_t const id = 0;
    warpkit::cycle const now = 0;
    std::uint32_t const pc = 0;
    std::uint32_t const lanes = ~0U;
    auto const kind = warpkit::issue_class::arithmetic;
    auto const candidates = warps;
    warpkit::issue_classes const classes;
    {
#include "embedding_1.inc"
    }
}

} // namespace host

#include "embedding_2.inc"

// ---- GPGPU-Sim

class shd_warp_t {
public:
    unsigned id = 0;
    unsigned dynamic_id = 0;
    unsigned cta = 0;
    bool done = true;
    unsigned get_warp_id() const { return id; }
    unsigned get_dynamic_warp_id() const { return dynamic_id; }
    unsigned get_cta_id() const { return cta; }
    bool done_exit() const { return done; }
};
class kernel_info_t {
public:
    std::size_t threads_per_cta() const { return 180; }
};
class shader_core_config {
public:
    unsigned num_shader() const { return 15; }
    unsigned max_cta(kernel_info_t const&) const { return 8; }
    unsigned warp_size = 32;
    unsigned max_warps_per_shader = 48;
    unsigned gpgpu_num_sched_per_core = 2;
};
class shader_core_ctx {
public:
    kernel_info_t* get_kernel() { return kernel; }
    unsigned get_sid() const { return 0; }
    shader_core_config const* get_config() const { return &config; }
    kernel_info_t* kernel = nullptr;
    shader_core_config config;
};
class scheduler_unit {
public:
    scheduler_unit(shader_core_ctx* shader, std::vector<shd_warp_t*>* warps, int id)
        : m_shader(shader),
          m_warp(warps),
          m_id(id) {
        for (auto* const w : *warps)
            if (w->id % 2 == static_cast<unsigned>(id)) m_supervised_warps.push_back(w);
    }
    virtual ~scheduler_unit() = default;
    virtual void order_warps() = 0;
    // Issues from the first warp in order.
    unsigned issue() {
        order_warps();
        auto const first = m_next_cycle_prioritized_warps.cbegin();
        do_on_warp_issued((*first)->id, 1, first);
        return (*first)->id;
    }
    std::vector<shd_warp_t*> const& ordered() const { return m_next_cycle_prioritized_warps; }

protected:
    virtual void do_on_warp_issued(unsigned, unsigned, std::vector<shd_warp_t*>::const_iterator const&) {}

    std::vector<shd_warp_t*> m_next_cycle_prioritized_warps;
    std::vector<shd_warp_t*> m_supervised_warps;
    shader_core_ctx* m_shader;
    std::vector<shd_warp_t*>* m_warp;
    int m_id;
};

#include "embedding_3.inc"

namespace {

// A core of 8 CTAs of 6 warps, and what each of its schedulers' issues are from.
template <class Policy>
std::vector<unsigned> issues(unsigned scheduler, unsigned count) {
    std::vector<shd_warp_t> all(48);
    std::vector<shd_warp_t*> warps;
    for (unsigned i = 0; i < 48; ++i) {
        all[i] = {i, i, i / 6, false};
        warps.push_back(&all[i]);
    }
    kernel_info_t kernel;
    shader_core_ctx core;
    core.kernel = &kernel;
    warpkit_scheduler<Policy> unit(&core, &warps, static_cast<int>(scheduler));
    std::vector<unsigned> ids;
    for (unsigned n = 0; n < count; ++n) ids.push_back(unit.issue());
    CHECK(unit.ordered().size() == 24);
    return ids;
}

} // namespace

TEST_CASE("the host of one's own that the page shows issues", "[embedding]") {
    warpkit::warp_slot issued;
    host::cycle(8, warpkit::warp_set::first_n(6), [&](warpkit::warp_slot w) {
        issued = w;
        return true;
    });
    CHECK(issued == warpkit::warp_slot{0});
}

TEST_CASE("in GPGPU-Sim's shape as the page shows it, policies decide as themselves", "[embedding]") {
    CHECK(issues<warpkit::lrr>(0, 5) == std::vector<unsigned>{0, 2, 4, 6, 8});
    CHECK(issues<warpkit::gto>(1, 3) == std::vector<unsigned>{1, 1, 1});
    // OWL: round-robin in the first group, two CTAs of 6 warps, and in no other.
    CHECK(issues<warpkit::cta_aware_locality>(0, 8) == std::vector<unsigned>{0, 2, 4, 6, 8, 10, 0, 2});
    CHECK(issues<warpkit::cta_aware_locality_blp>(1, 7) == std::vector<unsigned>{1, 3, 5, 7, 9, 11, 1});
}
