// Runs the shipped kernels functionally, without a timing model, checks what they leave in memory, and
// counts.

#include <warpkit/base/input_file.hpp>
#include <warpkit/base/number_text.hpp>

#include "functional.hpp"
#include "support/program.hpp"
#include "workload.hpp"

#include <cstdint>
#include <iomanip>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace warpkit;

constexpr char const* usage = R"(usage: run_kernels [--full] [--ptx DIR] [NAME...]
Runs shipped kernels, by their names or those of suites (all without any NAME), functionally and checks the
values that they leave in memory.
  --full      at the papers' sizes, not the small ones
  --scheduled with the instructions in a compiler's order, not the text's
  --threads N each launch on N host threads, 0 for all; seconds are those of all
              threads together
  --ptx DIR   with DIR/NAME.ptx, not with the PTX inside the program
)";

// One line: the kernel, launches, warp instructions, and how fast. Returns whether the values were right.
bool run(kernels::workload const& w, kernels::size size, std::string const& directory, ptx::code_order order,
         unsigned threads) {
    std::cout << std::left << std::setw(16) << w.name << std::right << std::flush;
    try {
        auto const path = directory + "/" + std::string(w.ptx_name);
        auto const text = directory.empty() ? std::string(w.ptx) : read_file(path);
        kernels::functional_device machine(text, directory.empty() ? w.ptx_name : path, order, threads);
        w.run(machine.device(), kernels::values(w, size));
        std::cout << std::setw(9) << machine.launches().size() << std::setw(19) << machine.warp_instructions()
                  << std::fixed << std::setprecision(2) << std::setw(9) << machine.seconds()
                  << std::setprecision(1) << std::setw(11)
                  << static_cast<double>(machine.warp_instructions()) / machine.seconds() / 1e6
                  << "  right\n";
        return true;
    } catch (std::exception const& e) {
        std::cout << "  " << e.what() << '\n';
        return false;
    }
}

int run_all(std::vector<std::string> const& arguments) {
    auto size = kernels::size::small;
    auto order = ptx::code_order::as_written;
    std::string directory;
    unsigned threads = 1;
    std::vector<kernels::workload const*> chosen;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        auto const& a = arguments[i];
        if (a == "--full") {
            size = kernels::size::full;
        } else if (a == "--scheduled") {
            order = ptx::code_order::scheduled;
        } else if (a == "--threads" && i + 1 < arguments.size()) {
            threads = static_cast<unsigned>(parse_number(arguments[++i], "", "--threads"));
        } else if (a == "--ptx" && i + 1 < arguments.size()) {
            directory = arguments[++i];
        } else if (a == "-h" || a == "--help") {
            std::cout << usage;
            return 0;
        } else if (a.substr(0, 1) == "-") {
            std::cerr << usage;
            return 2;
        } else {
            for (auto const* w : kernels::find_all(a)) chosen.push_back(w);
        }
    }
    if (chosen.empty()) chosen.assign(kernels::all().begin(), kernels::all().end());

    std::cout << "kernel           launches  warp instructions  seconds  million/s  values\n";
    bool right = true;
    for (auto const* w : chosen) right = run(*w, size, directory, order, threads) && right;
    return right ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    return examples::guarded("run_kernels", "", [&] { return run_all({argv + 1, argv + argc}); });
}
