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
// The name of a file or folder: not an empty one, which would count as none.
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

    // Options that name files: what is read, and where results go. finish() holds all of a command against each other.
    // In messages an option is called by its name, and what stands without one an input.
    CLI::Option* reads(CLI::App* c, std::string const& name, std::string& file, std::string const& help);
    CLI::Option* reads(CLI::App* c, std::string const& name, std::vector<std::string>& files,
                       std::string const& help);
    CLI::Option* writes(CLI::App* c, std::string const& name, std::string& file, std::string const& help);
    // The same for an option that is there: it reads what `names` says once the command line is read.
    CLI::Option* reads(CLI::App const* c, CLI::Option* option,
                       std::function<std::vector<std::string>()> names);
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
    // Reads what was given, once it is; `defaults` are the files that gave some of it. Throws error where an output
    // would take the place of an input or of another output.
    void finish(std::vector<std::string> const& defaults);

private:
    struct file_option {
        CLI::App const* command;
        std::string use;
        std::function<std::vector<std::string>()> names;
        bool output;
    };
    CLI::Option* note(CLI::App const* c, CLI::Option* option, std::function<std::vector<std::string>()> names,
                      bool output);
    std::vector<file_option> files_;
};

} // namespace lab
