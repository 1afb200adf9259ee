#pragma once
// Runs as results files and databases hold them.

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace lab {

// Those of a results file, or of a database; behind a ? those that fit conditions, as in 'runs.db?scheduler=gto'.
// Throws error for what is neither, and for sampled runs.
std::vector<nlohmann::json> runs_in(std::string const& name);
// The file that such a name is of.
std::string file_in(std::string const& name);

} // namespace lab
