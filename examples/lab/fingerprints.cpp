// Runs the named kernels on all machines of the catalogue, small, and prints a line for each: preset, scheduler, kernel
// and fingerprint. What .ci/fingerprints builds with each compiler and at each level, since the lab itself takes
// longer.
#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/config/simulate.hpp>
#include <warpkit/report/counters.hpp>
#include <warpkit/report/run_record.hpp>

#include "catalogue.hpp"
#include "kernels/workload.hpp"
#include "support/program.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace warpkit;

std::string line_of(sweep_point const& point, kernels::workload const& kernel) {
    for (auto const* preset : preset_numbers::all()) {
        if (preset->name != point.preset) continue;
        kernels::values const values(kernel);
        host_program const program{kernel.ptx, std::string(kernel.ptx_name),
                                   [&](device& d) { kernel.run(d, values); }};
        auto const result = simulate(point.make(parameters(*preset)), program);
        if (!result.verified) throw error(std::string(kernel.name) + ": " + result.wrong);
        report::fingerprint fingerprint;
        for (auto const& launch : result.launches) fingerprint.add(launch.counters);
        return point.preset + ' ' + point.chosen[0] + ' ' + std::string(kernel.name) + ' ' +
               report::hexadecimal(fingerprint.value());
    }
    throw error("no preset is called " + point.preset);
}

} // namespace

int main(int count, char** words) {
    if (count < 4 || std::string(words[1]) == "--help") {
        std::cout << "usage: fingerprints <preset,...> <scheduler,...> <kernel> ...\n\n"
                     "Example:\n  fingerprints gtx480,owl lrr,gto vecadd bfs\n";
        return count < 4 ? 2 : 0;
    }
    auto const asked = [](std::string const& list, std::string const& name) {
        return (',' + list + ',').find(',' + name + ',') != std::string::npos;
    };
    return examples::guarded("fingerprints", "", [&] {
        std::vector<std::string> lines;
        for (auto const& preset : lab::preset_names()) {
            if (!asked(words[1], preset)) continue;
            // Those with a policy of one's own in place of the preset's are other machines of the same name.
            for (auto const& point :
                 lab::machines_called({.preset = preset, .dram = "fr_fcfs", .replay = "none"})) {
                if (!asked(words[2], point.chosen[0])) continue;
                for (int i = 3; i < count; ++i) lines.push_back(line_of(point, kernels::find(words[i])));
            }
        }
        if (lines.empty()) throw warpkit::error("no such machine was built");
        std::sort(lines.begin(), lines.end());
        for (auto const& line : lines) std::cout << line << '\n';
        return 0;
    });
}
