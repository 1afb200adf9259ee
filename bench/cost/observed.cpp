// What it costs to be told of a run in time, which .ci/cost measures and holds against the run itself (timing.cpp): a
// gtx480 under gto, each part of which can be listened to.
//
//     observed [kernel]          a line per kernel and phase; under callgrind, a dump for each
//
// Phases: `unheard`, a run to which nobody listens, and its results as JSON; `laws`, the end of one, where its
// conservation laws are checked; `intervals`, the first with what each thousand cycles counted; `intervals_csv`, that
// as CSV; `timeline`, a run of which a whole core is drawn.

#include <warpkit/config/presets.hpp>
#include <warpkit/gpu/gpu.hpp>
#include <warpkit/gpu/intervals.hpp>
#include <warpkit/report/memory_timeline.hpp>
#include <warpkit/report/run_record.hpp>
#include <warpkit/report/timeline.hpp>

#include "measured.hpp"
#include "workloads.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace cost;
using machine =
    presets::gtx480::with<use::warp_scheduler<gto>, use::observer<report::timeline>,
                          use::l2_observer<report::l2_timeline>, use::dram_observer<report::dram_timeline>>;

using machine_type = gpu<machine::policies>;

// Not written by a lambda of a phase, whose name would be taken for the phase's.
struct written {
    std::FILE* to;
    void operator()(std::string_view text) const { std::fwrite(text.data(), 1, text.size(), to); }
};
std::shared_ptr<report::timeline_file> drawn_core(std::FILE* to) {
    return std::make_shared<report::timeline_file>(report::timeline_options{.cores = {0}}, written{to});
}
// As results files have it: in JSON, or in CSV.
run_counters run(machine_type& g, kernel_launch const& launch, interval_recorder* intervals, std::FILE* to,
                 bool csv = false) {
    auto const r = g.run(launch, {}, {}, static_cast<no_sampler*>(nullptr), intervals);
    report::run_record record;
    record.numbers = g.numbers();
    record.counters = r;
    record.launches.push_back({"kernel", launch.grid, launch.block, r, {}, {}});
    if (intervals != nullptr) record.launches.back().intervals = intervals->kept();
    if (csv) {
        written{to}(report::to_csv({record}));
        return r;
    }
    report::json_writer w;
    append_json(w, record);
    written{to}(w.text());
    return r;
}

[[gnu::noinline]] run_counters phase_unheard(machine_type& g, kernel_launch const& launch, std::FILE* to) {
    return run(g, launch, nullptr, to);
}
// On a machine of its own, so that a compiler inlines in the others what it does without it.
using unobserved = gpu<presets::gtx480::with<use::warp_scheduler<gto>>::policies>;
[[gnu::noinline]] run_counters phase_laws(unobserved& g) { return g.end(); }
[[gnu::noinline]] run_counters phase_intervals(machine_type& g, kernel_launch const& launch, std::FILE* to) {
    interval_recorder intervals(1000);
    return run(g, launch, &intervals, to);
}
[[gnu::noinline]] run_counters phase_intervals_csv(machine_type& g, kernel_launch const& launch,
                                                   std::FILE* to) {
    interval_recorder intervals(1000);
    return run(g, launch, &intervals, to, true);
}
// Nobody needs its results' file.
[[gnu::noinline]] run_counters phase_timeline(machine_type& g, kernel_launch const& launch,
                                              report::timeline_file& file) {
    auto const r = g.run(launch);
    file.finish();
    return r;
}

void measure_all(workload const& w, std::FILE* to) {
    auto k = kernel_of(w, w.ctas);
    auto launch = k.launch();
    std::vector<cta_stream> all(launch.ctas());
    for (std::uint64_t cta = 0; cta < all.size(); ++cta) {
        all[cta].reset(launch.warps_per_cta());
        launch.fill(launch.source, cta, all[cta]);
    }
    launch.fill = [](void* source, std::uint64_t cta, cta_stream& out) {
        std::swap(out, (*static_cast<std::vector<cta_stream>*>(source))[cta]);
    };
    auto const measure = [&](char const* phase, auto& g, auto const& run_phase) {
        auto streams = all;
        launch.source = &streams;
        run_counters const r = run_phase(g);
        end_of_phase();
        std::printf("%s %s %llu %llu %llu 0\n", phase, w.name,
                    static_cast<unsigned long long>(r.core.warp_instructions),
                    static_cast<unsigned long long>(r.core.transactions),
                    static_cast<unsigned long long>(r.cycles));
    };
    machine_type plain(machine::parameters());
    measure("unheard", plain, [&](machine_type& g) { return phase_unheard(g, launch, to); });
    unobserved lawful(machine::parameters());
    measure("laws", lawful, [&](unobserved& g) {
        g.begin(launch);
        while (g.step()) {}
        return phase_laws(g);
    });
    machine_type counted(machine::parameters());
    measure("intervals", counted, [&](machine_type& g) { return phase_intervals(g, launch, to); });
    machine_type as_csv(machine::parameters());
    measure("intervals_csv", as_csv, [&](machine_type& g) { return phase_intervals_csv(g, launch, to); });
    auto const file = drawn_core(to);
    policy_values<machine::policies> values;
    values.observer = report::timeline(file);
    machine_type drawn(machine::parameters(), values);
    report::draw_memory(drawn, file);
    measure("timeline", drawn, [&](machine_type& g) { return phase_timeline(g, launch, *file); });
}

} // namespace

int main(int argc, char** argv) try {
    auto* const to = std::fopen("/dev/null", "w");
    if (to == nullptr) throw std::runtime_error("/dev/null cannot be written");
    std::puts("compiler " WARPKIT_COST_COMPILER);
    for (auto const& w : workloads)
        if (argc < 2 || std::strcmp(argv[1], w.name) == 0) measure_all(w, to);
    std::fclose(to);
} catch (std::exception const& e) {
    std::fprintf(stderr, "observed: %s\n", e.what());
    return 1;
}
