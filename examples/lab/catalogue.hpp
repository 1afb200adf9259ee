#pragma once
// The machines that the lab can run.

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/policy_text.hpp>
#include <warpkit/config/engine.hpp>
#include <warpkit/config/sweep_point.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

// The DRAM schedulers of a machine that was compiled with this one: several where it is chosen when a machine is made.
std::vector<std::string> names_of_dram(std::string_view compiled);
// Whether that is one of them.
bool serves_dram(std::string_view compiled, std::string_view wanted);

// Which of the machines; an empty name stands for all. Names only, without parameters.
struct machine_names {
    std::string preset = {};
    std::string scheduler = {};
    std::string dram = {};
    std::string replay = {};
    // Of the seats that are filled when a machine is compiled, those with another policy than the preset's.
    std::vector<warpkit::slot_and_policy> own = {};

    static bool fits(std::string_view wanted, std::string_view name) noexcept {
        return wanted.empty() || wanted == name;
    }
    // Whether a machine with these policies, by seat, is one of them. Where no preset is named, all are wanted.
    bool wants(std::vector<warpkit::slot_and_policy> const& chosen) const {
        auto rest = own.size();
        for (auto const& [seat, policy] : chosen) {
            bool const as_preset = policy == warpkit::preset_policy::name();
            if (seat == "dram_scheduler") {
                if (!dram.empty() && !serves_dram(policy, dram)) return false;
            } else if (!as_preset) {
                if (!preset.empty() &&
                    std::find(own.begin(), own.end(), warpkit::slot_and_policy{seat, policy}) == own.end())
                    return false;
                --rest;
            }
        }
        return preset.empty() || rest == 0;
    }
};
// Whether both have the same policies in the same seats, in any order.
bool same_seats(std::vector<warpkit::slot_and_policy> const& a,
                std::vector<warpkit::slot_and_policy> const& b);
// These, made when asked for: all of them are some 20,000 allocations.
std::vector<warpkit::sweep_point> machines_called(machine_names const& which);

// Every preset under every scheduler and DRAM scheduler, with every replay queue: chosen[0], [1] and [2]; and those
// with a policy of one's own.
std::vector<warpkit::sweep_point> const& catalogue();

// What a preset says of a seat that is filled when a machine is made; empty where the run says that, or nobody.
std::string told_by_preset(warpkit::sweep_point const& point, std::string_view seat);

// Their names, without making any.
std::vector<std::string> preset_names();
std::vector<std::string> scheduler_names();
std::vector<std::string> dram_names();
std::vector<std::string> replay_names();

// The policies of a seat that can be named when a machine is made, with their parameters; empty for another seat.
std::vector<warpkit::named_policy> policies_in(std::string_view seat);
// All policies of a seat whose parameters can be set, those that a machine is compiled with among them.
std::vector<warpkit::named_policy> policies_with_parameters_in(std::string_view seat);
// The policies of one's own in the seats that are filled when a machine is compiled.
std::vector<warpkit::slot_and_policy> own_policies();
// What those of one's own that tell it would cost in hardware, by seat and name.
struct policy_cost {
    std::string seat;
    std::string name;
    warpkit::hardware_cost_list structures;
};
std::vector<policy_cost> own_costs(warpkit::core_shape const& shape);
// What a policy would cost with the parameters that this text sets, in each seat that has one of its name; none where
// none tells it. `names` becomes longer by those that do.
std::vector<policy_cost> costs_named(std::string const& text, warpkit::core_shape const& shape,
                                     std::vector<std::string>& names);
// Throws error unless this text names a policy of its seat, for a machine with so many cores (0: not known yet).
void check_policy(warpkit::slot_and_policy const& named, unsigned cores = 0);
// The name of the policy in such a text.
inline std::string policy_of(std::string_view text) { return std::string(text.substr(0, text.find(':'))); }
// Whether this choice of block keeps the order of the blocks.
bool keeps_order(std::string_view choice);

} // namespace lab
