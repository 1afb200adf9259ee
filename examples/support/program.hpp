#pragma once
// How every program ends: with one line that says what went wrong, and a status that tells.

#include <warpkit/base/error.hpp>
#include <warpkit/base/output_file.hpp>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <new>
#include <poll.h>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace examples {

// Where the host is out of something: what, and the remedy. `remedy` is the program's.
inline std::string out_of_memory(std::string const& remedy) {
    return "out of memory" + (remedy.empty() ? "" : "; " + remedy);
}

// Whether colours go to this descriptor: to a terminal that shows them, unless NO_COLOR is set (no-color.org).
inline bool coloured(int descriptor) noexcept {
    auto const* const none = std::getenv("NO_COLOR");
    auto const* const term = std::getenv("TERM");
    return isatty(descriptor) != 0 && (none == nullptr || *none == 0) && term != nullptr &&
           std::string_view(term) != "dumb";
}

// A standard stream that the caller has closed is opened so that using it fails: otherwise the next file would get its
// number, and hold what is printed.
inline void occupy_standard_descriptors() noexcept {
    for (int d = STDIN_FILENO; d <= STDERR_FILENO; ++d)
        if (fcntl(d, F_GETFD) == -1)
            if (open("/dev/null", d == STDIN_FILENO ? O_WRONLY : O_RDONLY) != d) return;
}

// Whether this descriptor is a pipe that nobody reads any more.
inline bool reader_is_gone(int descriptor) noexcept {
    pollfd of{descriptor, POLLOUT, 0};
    return poll(&of, 1, 0) == 1 && (of.revents & POLLERR) != 0;
}

// What main returns: `body()`, once what it printed has arrived. 2 where the question was wrong (warpkit::error), 1
// where the host would not do more. `memory` says what to ask less of.
template <class Body>
int guarded(char const* name, std::string const& memory, Body&& body) {
    occupy_standard_descriptors();
    std::signal(SIGPIPE, SIG_IGN); // an error like any other: what is half written is taken away
    auto const said = [&](std::string const& what, int status) {
        bool const red = coloured(STDERR_FILENO);
        std::cerr << (red ? "\033[1;31m" : "") << name << ':' << (red ? "\033[0m " : " ") << what << '\n';
        return status;
    };
    try {
        auto const status = body();
        try {
            warpkit::finish_standard_output();
        } catch (warpkit::error const& e) {
            // It has read enough: the program ends as those do that do not ignore the signal.
            if (reader_is_gone(STDOUT_FILENO)) {
                std::signal(SIGPIPE, SIG_DFL);
                std::raise(SIGPIPE);
            }
            return said(e.what(), 1);
        }
        return status;
    } catch (warpkit::error const& e) {
        return said(e.what(), 2);
    } catch (std::bad_alloc const&) {
        return said(out_of_memory(memory), 1);
    } catch (std::exception const& e) {
        return said(e.what(), 1);
    }
}

} // namespace examples
