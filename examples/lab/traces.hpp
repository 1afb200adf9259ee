#pragma once
// Traces of Accel-Sim: read for `lab run --trace`, written by `lab trace`.

#include <warpkit/config/engine.hpp>
#include <warpkit/frontend/accelsim/trace_program.hpp>

#include "lab.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lab {

// The program of a kernelslist.g, looked through; warns of what it could not make sense of.
std::shared_ptr<warpkit::accelsim::trace_program> open_trace(std::string const& path);
// What to call it: its folder's name.
std::string trace_name(std::string const& path);

// The files that a kernelslist.g, or a trace, is of; none if it can not be read.
std::vector<std::string> trace_files(std::string const& path);

// A folder of traces being written. Until finish() nothing of it is there but what was, and after an error neither.
class trace_folder {
public:
    // Makes the folder if there is none; none of `files` is overwritten.
    trace_folder(trace_output const& to, warpkit::run_files& files);
    ~trace_folder();
    trace_folder(trace_folder const&) = delete;
    trace_folder& operator=(trace_folder const&) = delete;

    // A machine that writes the launches that it is given.
    warpkit::engine writer();
    // Writes the list, and says what there is.
    void finish();

private:
    void write(warpkit::kernel_launch const& launch);

    warpkit::output_file begin(std::string const& name);

    trace_output to_;
    warpkit::run_files* run_;
    warpkit::accelsim::codec codec_;
    bool made_ = false; // the folder
    std::vector<warpkit::output_file> files_;
    std::vector<std::string> names_;
    std::uint64_t instructions_ = 0;
};

} // namespace lab
