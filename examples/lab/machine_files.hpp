#pragma once
// Machines that files describe (config/machine_file.hpp), beside the presets that are compiled.

#include <warpkit/config/machine_file.hpp>

#include "lab.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lab {

// A machine to run on: a preset with what a file says of it, if there is one.
struct chosen_machine {
    std::string name; // of the machine
    std::string preset;
    std::shared_ptr<warpkit::machine_file const> file; // null: the preset as it is

    warpkit::gpu_parameters numbers() const;
    // These texts, or the file's for the seat if there are none.
    std::vector<std::string> texts(std::string_view seat, std::vector<std::string> const& asked) const;
    // The file's policies of these seats.
    std::vector<warpkit::slot_and_policy> policies(std::vector<std::string> const& seats) const;
};
// The presets and machine files that are asked for, or gtx480. Refuses what there is not, and machines that this lab
// was not compiled for, with the line that configures one that is.
std::vector<chosen_machine> machines_of(request const& what);

// A machine for lab show: a preset, or a file's.
struct number_origin {
    std::string kind; // documented, measured, estimated, set
    std::string source;
};
struct described_machine {
    std::string name;
    std::string title;
    std::string preset;
    warpkit::gpu_parameters numbers;
    std::vector<number_origin> origins; // by machine_numbers()
    std::string mapping_source;
    std::string nodes_source;
    std::vector<warpkit::slot_and_policy> policies; // of a file

    // The file's for a seat; empty if it has none.
    std::string policy_of(std::string_view seat) const;
};
described_machine describe_machine(std::string const& preset_or_file);

// Numbers and policies in which two machines differ; all, if so wanted. Writes them to a file as JSON, if that has a
// name.
struct comparison_request {
    bool all = false;
    std::string json;
};
void show_differences(std::string const& first, std::string const& second,
                      std::vector<std::string> const& settings, comparison_request const& how);

// --set @file in place: the numbers of the file, but for those that are set by name too. `files` hears its names.
std::vector<std::string> expand_settings(std::vector<std::string> const& settings,
                                         std::vector<std::string>& files);

// lab import: configurations of GPGPU-Sim and Accel-Sim as machine files.
struct import_request {
    std::vector<std::string> files;
    std::string output = "-";
    std::string name;
    std::string shared;
    std::vector<std::string> skip;
    std::string json;
    bool all = false; // list every option
};
// With the settings of `asked`.
void import(import_request const& what, request const& asked);
// Prints every option that import knows, and what becomes of it.
void list_simulator_options();

} // namespace lab
