/// A core's account of its cycles, and whose turn it is, against a plain observer that looks at every cycle.

#include <warpkit/config/presets.hpp>
#include <warpkit/gpu/gpu.hpp>

#include "catch.hpp"
#include "gpu/random_work.hpp"
#include "support/sanitized.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

using namespace warpkit;
using namespace warpkit::gpu_test;

namespace warpkit::gpu_test {

/// Works out what counters say from events alone, one scheduler's cycles at a time.
struct accountant {
    unsigned schedulers = 1; ///< of the core
    std::uint64_t kernels = 0, issue_cycles = 0, memory_block_cycles = 0, wrong = 0;
    std::uint64_t contested = 0;     ///< cycles in which several schedulers were asked
    std::array<warp_set, 4> waits{}; ///< by reason
    warp_set live;
    std::vector<warp_set> cta; ///< by slot: its warps
    // Of the cycles that are being told:
    unsigned told = 0;
    bool issues = false;
    cycle asked_at = never;
    unsigned asked_last = 0; ///< how far behind the one whose turn it is

    warp_set waiting_for(block_reason r) const { return waits[static_cast<unsigned>(r)]; }
    /// OWL's definition: there are live warps, and each waits for memory or, at a barrier, for one that does.
    bool blocked_on_memory() const {
        auto const memory = live & waiting_for(block_reason::memory);
        auto const held = waiting_for(block_reason::barrier) | waiting_for(block_reason::fence);
        if (live.empty()) return false;
        for (auto const& warps : cta)
            for (unsigned w = 0; w < warp_set::width; ++w) {
                warp_slot const s(w);
                if (!(live & warps).contains(s) || memory.contains(s)) continue;
                if (!held.contains(s) || (warps & memory).empty()) return false;
            }
        return true;
    }

    void on(kernel_began const&) { ++kernels; }
    void on(cta_launched const& e) {
        live |= e.warps;
        if (cta.size() <= e.cta.index()) cta.resize(e.cta.index() + 1);
        cta[e.cta.index()] = e.warps;
    }
    void on(warp_exited const& e) { live.erase(e.warp); }
    void on(blocked const& e) { waits[static_cast<unsigned>(e.reason)].insert(e.warp); }
    void on(unblocked const& e) { waits[static_cast<unsigned>(e.reason)].erase(e.warp); }
    /// In cycle t, the scheduler whose number is t modulo theirs is asked first, the next ones behind it.
    void on(decision_made const& e) {
        auto const behind =
            static_cast<unsigned>((e.scheduler + schedulers - e.at % schedulers) % schedulers);
        if (e.at == asked_at) {
            wrong += behind <= asked_last;
            ++contested;
        }
        asked_at = e.at;
        asked_last = behind;
    }
    void on(cycles_spent const& e) {
        issues = issues || e.cause == cycle_cause::issued;
        if (++told != schedulers) return;
        issue_cycles += issues ? e.count : 0;
        if (!issues && blocked_on_memory()) memory_block_cycles += e.count;
        told = 0;
        issues = false;
    }
    friend bool operator==(accountant const&, accountant const&) = default;
};

} // namespace warpkit::gpu_test

namespace {

using plain = presets::gtx480::policies;
using watched = presets::gtx480::with<use::observer<accountant>>::policies;

} // namespace

TEST_CASE("cycles that issue or are blocked on memory, and turns of schedulers, on random kernels",
          "[gpu][long]") {
    std::uint64_t blocked = 0, issuing = 0, contested = 0, several = 0;
    for (std::uint64_t seed = 5; seed < 5 + fewer(40); ++seed) {
        INFO("seed " << seed);
        random_kernel k(seed);
        auto p = random_machine(seed, k.warps());
        p.core.schedulers = 1 + static_cast<unsigned>(seed % 4);
        if (p.core.schedulers % p.core.sub_cores != 0) p.core.sub_cores = 1;
        policy_values<watched> values;
        values.observer.schedulers = p.core.schedulers;
        gpu<watched> g(p, values);
        gpu<plain> other(p);
        auto const launch = k.builder().launch();
        g.begin(launch);
        other.begin(launch);
        bool same = true;
        for (unsigned n = 0; g.step(); ++n) {
            other.step();
            if (n % 128 == 0)
                same = same && g.counted() == other.counted(); // in the middle of idle cycles, too
        }
        other.step();
        CHECK(same);
        auto const r = g.end();
        CHECK(r == other.end());
        for (auto const& c : g.cores()) {
            auto const& o = c.observer();
            auto const counted = c.counters();
            CHECK(o.wrong == 0);
            CHECK(o.issue_cycles == counted.issue_cycles);
            CHECK(o.memory_block_cycles == counted.memory_block_cycles);
            contested += o.contested;
        }
        blocked += r.core.memory_block_cycles;
        issuing += r.core.issue_cycles;
        several += r.core.warp_instructions != r.core.issue_cycles;
    }
    CHECK(blocked > 10'000);
    CHECK(issuing > 10'000);
    CHECK(contested > (fewer(4) == 4 ? 1'000U : 100U));
    CHECK(several > fewer(40) / 3); // several schedulers issued in one cycle
}
