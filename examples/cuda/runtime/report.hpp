#pragma once
// What is told at the end of a program, and how kernels' printf is spelled.

#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/kernel_span.hpp>
#include <warpkit/machine/parameters.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace warpkit::cuda {

// All launches of one kernel.
struct kernel_report {
    std::string name;  ///< in the PTX
    std::string title; ///< as the source spells it
    std::uint64_t launches = 0;
    run_counters counters;
    double host_seconds = 0;
};

// One launch, where the machine has several kernels at once.
struct kernel_at_once {
    std::string title;
    std::uint32_t stream = 0;
    std::uint64_t since = 0; ///< the program's core cycle from which its own are counted
    kernel_span span;
};

struct run_report {
    std::string machine;
    gpu_parameters numbers;
    bool timing = true;
    run_counters all; ///< of all launches
    std::deque<kernel_report>
        kernels; ///< in the order of their first launch; their own shares of what ran at once
    std::vector<kernel_at_once> kernels_at_once;

    kernel_report& of(std::string const& name);
};

void print(run_report const& r, std::ostream& out);
void write_json(run_report const& r, std::string const& file);

// An argument of printf: an integer, a double's bits, an address, or a string (include/device/printf.h).
struct printed_value {
    static constexpr unsigned string = 4;
    unsigned kind = 0;
    std::uint64_t bits = 0;
    std::string text; ///< of a string, which was copied when printf was called
};
// One record of a kernel's printf.
struct printed_record {
    std::uint64_t format = 0; ///< its address on the device; 0: the first value
    std::vector<printed_value> values;
};
// Reads the record at `at` and moves behind it; false where there is none, or none that is whole.
bool read_record(std::byte const* buffer, std::size_t size, std::size_t& at, printed_record& to);
// The text that printf makes; `text_at` reads a string of the device that was not copied.
std::string formatted(std::string const& format, std::vector<printed_value> const& values,
                      std::function<std::string(std::uint64_t)> const& text_at);

} // namespace warpkit::cuda
