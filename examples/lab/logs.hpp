#pragma once
// Recording runs, and replaying them on schedulers.

#include <warpkit/config/engine.hpp>
#include <warpkit/testing/event_log.hpp>
#include <warpkit/testing/replay.hpp>

#include <functional>
#include <string>
#include <vector>

namespace lab {

// A machine one core of which is recorded.
struct recording {
    warpkit::engine machine;
    std::function<warpkit::testing::event_log const&()> log; // as far as it has run
};
// What can be recorded: a preset, under the scheduler that the header names.
struct recorder {
    std::string preset;
    recording (*make)(warpkit::gpu_parameters const& numbers, warpkit::testing::event_log_header header);
};
std::vector<recorder> const& recorders();

// What a log can be replayed on: each scheduler of the catalogue.
struct replayer {
    std::string scheduler;
    warpkit::testing::replay_result (*run)(warpkit::testing::event_log const& log);
};
std::vector<replayer> const& replayers();

} // namespace lab
