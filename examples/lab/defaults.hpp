#pragma once
// Defaults of the command line, from files.

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace lab {

// ~/.config/warpkit/lab.toml and ./lab.toml, or the file of --config: names of options with their values, for all
// commands that have such an option; those below [run] and the like for that command.
class command_line_defaults {
public:
    // Takes --config FILE and --no-config out of the words behind the program's name, and reads the files: those that
    // are not named only if they are `wanted`. Throws error for a file that is none, with the line.
    command_line_defaults(std::vector<std::string>& words, bool wanted);

    bool empty() const noexcept { return entries_.empty() && sections_.empty(); }
    // The files that there were, read or not.
    std::vector<std::string> const& files() const noexcept { return files_; }
    // The words with the options behind them that they leave out and the files have; what stands nearer goes before:
    // the command line, ./lab.toml, the other file, and in each a command's own section. All commands are declared in
    // `app`. Throws error for a name or section that no command has. Says what it has added, unless --quiet is among
    // it.
    std::vector<std::string> completed(CLI::App const& app, std::vector<std::string> words) const;

private:
    struct entry {
        std::string file;
        std::string command; // empty: all
        std::string name;
        std::vector<std::string> values;
    };
    struct section {
        std::string place; // file:line
        std::string name;
    };
    void read(std::string const& file);
    // The text without comments, where it is one of sections and of names with values; notes the sections.
    std::string checked(std::string const& file, std::string const& text);
    std::vector<entry> entries_; // those that go before first
    std::vector<section> sections_;
    std::vector<std::string> files_;
};

} // namespace lab
