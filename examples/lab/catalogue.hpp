#pragma once
// The machines that the lab can run.

#include <warpkit/config/engine.hpp>
#include <warpkit/config/sweep.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace lab {

// Which of the machines; an empty name stands for all.
struct machine_names {
    std::string_view preset = {};
    std::string_view scheduler = {};
    std::string_view dram = {};
    std::string_view replay = {};

    static bool fits(std::string_view wanted, std::string_view name) noexcept {
        return wanted.empty() || wanted == name;
    }
};
// These, made when asked for: all of them are some 20,000 allocations.
std::vector<warpkit::sweep_point> machines_called(machine_names const& which);

// One of these on the reference pipeline (reference/gpu.hpp), in place of the fast engine; all names are given.
warpkit::engine on_the_reference(machine_names const& which, warpkit::gpu_parameters const& numbers,
                                 warpkit::dispatch_policies const& dispatch);

// Every preset under every scheduler and DRAM scheduler, with every replay queue: chosen[0], [1] and [2].
std::vector<warpkit::sweep_point> const& catalogue();

// Their names, without making any.
std::vector<std::string> preset_names();
std::vector<std::string> scheduler_names();
std::vector<std::string> dram_names();
std::vector<std::string> replay_names();

} // namespace lab
