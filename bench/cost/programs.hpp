#pragma once
// How measured programs are made and run, alone or under callgrind.

#include "callgrind.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace cost {

// What distributions add of their own is turned off: it costs instructions here and not there.
inline constexpr char const* flags =
    " -std=c++20 -O2 -g0 -ffp-contract=off -fno-stack-protector -U_FORTIFY_SOURCE -fno-pie -pthread "
#if defined(__x86_64__)
    "-fcf-protection=none "
#endif
    ;

struct outcome {
    std::string output;
    double seconds = 0;          ///< of the processor
    std::uint64_t kilobytes = 0; ///< most at once, of any one process
    std::uint64_t megabytes() const { return kilobytes / 1024; }
};

/// What the command writes, and what it and all that it started cost; throws when it fails.
inline outcome run(std::string const& command) {
    int ends[2];
    std::cout.flush();
    if (pipe(ends) != 0) throw std::runtime_error("no pipe for " + command);
    auto const child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    close(ends[1]);
    outcome o;
    char buffer[4096];
    for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
        o.output.append(buffer, static_cast<std::size_t>(n));
    close(ends[0]);
    int status = 0;
    rusage use{};
    if (child < 0 || wait4(child, &status, 0, &use) != child || status != 0)
        throw std::runtime_error("failed: " + command);
    auto const in_seconds = [](timeval t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    o.seconds = in_seconds(use.ru_utime) + in_seconds(use.ru_stime);
    o.kilobytes = static_cast<std::uint64_t>(use.ru_maxrss);
    return o;
}

/// One line of a measured program, and its profile.
struct phase_cost {
    std::string phase;
    std::string what;
    std::uint64_t warp_instructions = 0;
    std::uint64_t transactions = 0;
    std::uint64_t cycles = 0;
    double seconds = 0; ///< of the processor, without callgrind
    double wall = 0;    ///< the same on the clock, where the program tells it
    profile counted;
    std::uint64_t own = 0; ///< instructions of the program's own object
};
struct measured {
    std::string compiler; ///< as the program says
    std::vector<phase_cost> phases;
};

inline measured read_lines(std::string const& output) {
    measured m;
    std::istringstream in(output);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        phase_cost p;
        words >> p.phase;
        if (p.phase == "compiler") {
            words >> m.compiler;
        } else if (words >> p.what >> p.warp_instructions >> p.transactions >> p.cycles >> p.seconds) {
            words >> p.wall;
            m.phases.push_back(p);
        }
    }
    return m;
}

/// Runs a program under callgrind, which dumps what it has counted before each phase and behind it.
inline measured count(std::filesystem::path const& program, std::string const& arguments) {
    auto const name = program.filename().string();
    auto const out = (program.parent_path() / (name + ".callgrind")).string();
    auto m = read_lines(run("LD_BIND_NOW=1 valgrind -q --tool=callgrind '--dump-before=*phase_*' "
                            "'--dump-before=*end_of_phase*' --callgrind-out-file=" +
                            out + ' ' + program.string() + ' ' + arguments)
                            .output);
    unsigned part = 0;
    for (auto& p : m.phases) {
        part += 2;
        std::ifstream dump(out + '.' + std::to_string(part));
        p.counted = read_callgrind(dump);
        p.own = p.counted.own(name);
        if (p.own == 0) throw std::runtime_error(p.phase + " of " + p.what + ": callgrind counted nothing");
    }
    if (std::filesystem::exists(out + '.' + std::to_string(part + 1)))
        throw std::runtime_error(name + ": callgrind counted other phases than were run");
    return m;
}

} // namespace cost
