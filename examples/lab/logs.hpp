#pragma once
// Listening to runs, and replaying them on schedulers; running on from one state under several.

#include <warpkit/base/error.hpp>
#include <warpkit/base/listeners.hpp>
#include <warpkit/config/engine.hpp>
#include <warpkit/config/machine.hpp>
#include <warpkit/config/recorded_program.hpp>
#include <warpkit/report/activity.hpp>
#include <warpkit/report/memory_timeline.hpp>
#include <warpkit/report/run_profile.hpp>
#include <warpkit/report/timeline.hpp>
#include <warpkit/testing/event_log.hpp>
#include <warpkit/testing/replay.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lab {

struct job;
struct machine_names;

// Who listens to a core of such a machine; each of them does nothing unless it is asked to.
using core_listeners = warpkit::listeners<warpkit::testing::event_recorder, warpkit::report::timeline,
                                          warpkit::report::run_profile, warpkit::report::core_activity>;
// A machine that is listened to.
struct observed_machine {
    warpkit::engine machine;
    std::function<core_listeners const&(unsigned core)> core;    // as far as it has run
    std::function<warpkit::report::machine_activity()> activity; // likewise, where cores count theirs
};
// How a run is to fork.
struct fork_order {
    std::vector<std::string> schedulers;          // by their texts; the first runs the warm-up
    std::vector<warpkit::slot_and_policy> others; // of the other seats, likewise
    std::uint64_t cycles = 0;                     // that the warm-up lasts at least
    std::uint64_t instructions = 0;               // warp instructions, likewise
    std::shared_ptr<warpkit::worker_pool> workers;
    std::function<void(std::string const& scheduler)> begins;
};
// One way in which it went on.
struct forked_run {
    std::string scheduler;
    warpkit::run_counters at;                    // counted in the warm-up
    std::vector<warpkit::run_counters> launches; // from the beginning on
    double seconds = 0;
};
// What can be listened to, or fork: a machine for these presets, under the scheduler that is named.
struct recorder {
    std::vector<std::string> presets;
    std::string dram; // the DRAM scheduler that it is compiled with, one of several perhaps
    std::vector<warpkit::slot_and_policy>
        own; // and what it has in other seats in place of the preset's policies
    observed_machine (*make)(warpkit::gpu_parameters const& numbers, std::string const& scheduler,
                             core_listeners const& listeners,
                             std::vector<warpkit::slot_and_policy> const& others);
    // Throws error where the program ends during the warm-up.
    std::vector<forked_run> (*fork)(warpkit::gpu_parameters const& numbers,
                                    warpkit::recorded_program const& program, fork_order const& order);
};
std::vector<recorder> const& recorders();
// The one of this machine; null where it was not compiled. Throws error, which names the command.
recorder const* recorder_for(job const& j);
recorder const& recorder_of(job const& j, char const* command);
// The same on the reference pipeline (reference/gpu.hpp), whose activity is not counted. Throws error where it was not
// compiled.
observed_machine reference_of(job const& j, core_listeners const& listeners = {});
observed_machine on_the_reference(machine_names const& which, warpkit::gpu_parameters const& numbers,
                                  std::string const& scheduler, core_listeners const& listeners,
                                  std::vector<warpkit::slot_and_policy> const& others);

// What a log can be replayed on: each scheduler of the catalogue, with the parameters that its text sets.
struct replayer {
    std::string scheduler;
    warpkit::testing::replay_result (*run)(warpkit::testing::event_log const& log, std::string const& text);
};
std::vector<replayer> const& replayers();

} // namespace lab
