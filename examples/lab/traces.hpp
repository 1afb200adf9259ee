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

// A folder of traces being written.
class trace_folder {
public:
    // Makes the folder if there is none.
    explicit trace_folder(trace_output const& to);

    // A machine that writes the launches that it is given.
    warpkit::engine writer();
    // Writes the list, and says what there is.
    void finish() const;

private:
    void write(warpkit::kernel_launch const& launch);

    trace_output to_;
    warpkit::accelsim::codec codec_;
    std::vector<std::string> files_;
    std::uint64_t instructions_ = 0;
};

} // namespace lab
