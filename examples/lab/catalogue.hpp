#pragma once
// The machines that the lab can run.

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/config/engine.hpp>
#include <warpkit/config/policy_text.hpp>
#include <warpkit/config/sweep.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace lab {

// Which of the machines; an empty name stands for all. Names only, without parameters.
struct machine_names {
    std::string preset = {};
    std::string scheduler = {};
    std::string dram = {};
    std::string replay = {};
    warpkit::slot_and_policy own =
        {}; // a policy of one's own in a seat that is filled when a machine is compiled

    static bool fits(std::string_view wanted, std::string_view name) noexcept {
        return wanted.empty() || wanted == name;
    }
};
// These, made when asked for: all of them are some 20,000 allocations.
std::vector<warpkit::sweep_point> machines_called(machine_names const& which);

// One of these on the reference pipeline (reference/gpu.hpp), in place of the fast engine; all names are given, and the
// policies by their texts. Throws error for a policy of one's own in a seat that is filled when a machine is compiled.
warpkit::engine on_the_reference(machine_names const& which, warpkit::gpu_parameters const& numbers,
                                 std::vector<warpkit::slot_and_policy> const& policies);

// Every preset under every scheduler and DRAM scheduler, with every replay queue: chosen[0], [1] and [2]; and those with a
// policy of one's own.
std::vector<warpkit::sweep_point> const& catalogue();

// Their names, without making any.
std::vector<std::string> preset_names();
std::vector<std::string> scheduler_names();
std::vector<std::string> dram_names();
std::vector<std::string> replay_names();

// The policies of a seat that can be named when a machine is made, with their parameters; empty for another seat.
std::vector<warpkit::named_policy> policies_in(std::string_view seat);
// The policies of one's own in the seats that are filled when a machine is compiled.
std::vector<warpkit::slot_and_policy> own_policies();
// What those of one's own that tell it would cost in hardware, by seat and name.
struct policy_cost {
    std::string seat;
    std::string name;
    warpkit::hardware_cost_list structures;
};
std::vector<policy_cost> own_costs(warpkit::core_shape const& shape);
// Throws error unless this text names a policy of its seat, for a machine with so many cores (0: not known yet).
void check_policy(warpkit::slot_and_policy const& named, unsigned cores = 0);
// The name of the policy in such a text.
inline std::string policy_of(std::string_view text) { return std::string(text.substr(0, text.find(':'))); }
// Whether this choice of block keeps the order of the blocks.
bool keeps_order(std::string_view choice);

} // namespace lab
