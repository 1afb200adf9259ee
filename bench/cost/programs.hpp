#pragma once
// How measured programs are made and run, alone or under callgrind.

#include "callgrind.hpp"

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
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

/// A shell's command whose standard output is read. One of which nobody wants to know the end any more is ended.
class command {
public:
    explicit command(std::string text) : text_(std::move(text)) {
        int ends[2];
        std::cout.flush();
        if (pipe(ends) != 0) throw std::runtime_error("no pipe for " + text_);
        child_ = fork();
        if (child_ == 0) {
            dup2(ends[1], STDOUT_FILENO);
            close(ends[0]);
            close(ends[1]);
            execl("/bin/sh", "sh", "-c", text_.c_str(), static_cast<char*>(nullptr));
            _exit(127);
        }
        close(ends[1]);
        output_ = ends[0];
    }
    command(command const&) = delete;
    command& operator=(command const&) = delete;
    ~command() {
        close(output_);
        if (child_ <= 0) return;
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
    }

    /// What it has written, none at its end.
    std::string_view read() {
        auto const n = ::read(output_, buffer_, sizeof buffer_);
        return {buffer_, n > 0 ? static_cast<std::size_t>(n) : 0};
    }
    /// What it and all that it started cost; throws when it failed.
    rusage wait() {
        int status = 0;
        rusage use{};
        if (child_ < 0 || wait4(std::exchange(child_, 0), &status, 0, &use) < 0 || status != 0)
            throw std::runtime_error("failed: " + text_);
        return use;
    }

private:
    std::string text_;
    pid_t child_ = 0;
    int output_ = 0;
    char buffer_[1 << 16];
};

/// What the command writes, and what it and all that it started cost; throws when it fails.
inline outcome run(std::string const& text) {
    command c(text);
    outcome o;
    for (auto part = c.read(); !part.empty(); part = c.read()) o.output += part;
    auto const use = c.wait();
    auto const in_seconds = [](timeval t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    o.seconds = in_seconds(use.ru_utime) + in_seconds(use.ru_stime);
    o.kilobytes = static_cast<std::uint64_t>(use.ru_maxrss);
    return o;
}

/// Gives each line that the command writes to `take`, as it comes; throws when the command fails.
template <typename Take>
void for_each_line(std::string const& text, Take take) {
    command c(text);
    std::string begun;
    for (auto part = c.read(); !part.empty(); part = c.read()) {
        for (auto end = part.find('\n'); end != part.npos; end = part.find('\n')) {
            take(begun.empty() ? part.substr(0, end) : std::string_view(begun += part.substr(0, end)));
            begun.clear();
            part.remove_prefix(end + 1);
        }
        begun += part;
    }
    if (!begun.empty()) take(std::string_view(begun));
    c.wait();
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

/// Runs a program under callgrind, which dumps what it has counted before each phase and behind it; more options are
/// callgrind's.
inline measured count(std::filesystem::path const& program, std::string const& arguments,
                      std::string const& more_options = "") {
    auto const name = program.filename().string();
    auto const out = (program.parent_path() / (name + ".callgrind")).string();
    auto m = read_lines(run("LD_BIND_NOW=1 valgrind -q --tool=callgrind '--dump-before=*phase_*' "
                            "'--dump-before=*end_of_phase*' --callgrind-out-file=" +
                            out + ' ' + more_options + ' ' + program.string() + ' ' + arguments)
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
