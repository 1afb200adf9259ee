#pragma once
// How commands are declared, and what several of them ask alike.

#include "lab.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace lab {

// A command; null where the command line begins with another.
struct named_command {
    CLI::App* app = nullptr;
    // Whether it is what is to be done.
    explicit operator bool() const { return app != nullptr && app->parsed(); }
};
// Declares one: its name, what it is for, and what it takes.
using declare_command =
    std::function<named_command(char const*, char const*, std::function<void(CLI::App*)> const&)>;
// The name of a file: not an empty one, which would count as none.
CLI::Option* named_file(CLI::Option* option);
// A check: one of these names; what is not is answered with the nearest.
CLI::Validator one_of(std::vector<std::string> const& names);
// As often as wanted, a value each.
void take_all(CLI::Option* option);

struct common_options {
    request what;
    std::string size = "small";
    bool small = false;
    bool full = false;
    bool markdown = false;
    std::string reuse_memory;
    std::string tables; // the file of a listing as JSON
    bool sample = false;
    warpkit::sampling_options sampled;

    // What is run on which machines, in lists.
    void lists(CLI::App* c);
    // The kernels and the machine of a study of blocks.
    void subjects(CLI::App* to);
    void settings(CLI::App* c);
    void uses(CLI::App* c);
    void parameters(CLI::App* c);
    // Programs in files, in place of the shipped ones.
    void program_files(CLI::App* c);
    void sampling(CLI::App* c);
    void tables_as_json(CLI::App* c);
    // Reads what was given, once it is.
    void finish();
};

} // namespace lab
