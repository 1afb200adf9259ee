#pragma once
// What is made of the command line as it is declared: completion in shells, and the man page.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lab {

// Prints the script that a shell (bash, zsh or fish) reads to complete the lab's command line. Throws error for another
// shell.
void print_completion(std::string const& shell);
// Prints what the last of these words may go on as, one in a line; nothing where it is a file's name.
void complete(CLI::App& app, std::vector<std::string> const& words);
// Prints the man page, in section 1, of all commands and options.
void print_man_page(CLI::App& app);
// What these arguments, which this command does not take, may have meant: " (did you mean --kernel?)" for an option,
// " (write --kernel bfs)" for what is the value of one; or nothing.
std::string meant_option(CLI::App const& app, std::vector<std::string> const& arguments);

} // namespace lab
