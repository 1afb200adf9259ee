#pragma once
/// \file
/// What goes into an import, and what comes of it.

#include <warpkit/config/gpgpusim/option_file.hpp>
#include <warpkit/config/gpgpusim/options.hpp>
#include <warpkit/config/machine_file.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace warpkit::gpgpusim {

/// A configuration file.
struct config_file {
    std::string name;
    std::string text;
};

struct import_options {
    std::string name; ///< of the machine; empty: of the folder of the first file, or of that file
    std::uint64_t shared_used =
        0; ///< bytes of shared memory in use on a core, which an adaptive L1 leaves it
    std::vector<std::string> skipped;  ///< options to leave out, known or not
    std::vector<std::string> settings; ///< name=value, in place of what the files say
};

/// Something that is not in the machine as it was in the configuration.
struct import_note {
    bool changed = false; ///< a number is another one than asked for; else something is not modelled
    std::string option;
    std::string value;
    std::string where; ///< file:line, or "default"
    std::string effect;
    std::vector<std::pair<std::string, std::string>>
        also; ///< further options with the same effect, and their values
};

/// What became of an option that was given.
struct option_report {
    given_option given;
    simulator_option const* option = nullptr; ///< never a renamed one; null: skipped
};

struct imported_machine {
    machine_file machine;
    std::vector<import_note> notes;
    std::vector<option_report> options; ///< in the order of the files
    bool traces = false;                ///< the latencies are those of traces
};

} // namespace warpkit::gpgpusim
