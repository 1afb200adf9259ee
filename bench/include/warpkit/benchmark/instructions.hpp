#pragma once
// What code costs: instructions, counted by stepping through a forked child one by one, and nanoseconds.

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace warpkit::bench {

/// The instructions that f(mark) executes between its first call of mark() and its second, third and fourth, ..., and
/// the calls' own; 0 where processes may not be traced. A repeated instruction, as copies are made of, is one.
template <class F>
std::uint64_t steps_of(F&& f) {
    std::cout.flush();
    auto const child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
        f([] { raise(SIGSTOP); });
        _exit(0);
    }
    std::uint64_t steps = 0;
    bool stepping = false;
    long last = 0;
    for (int status = 0; child > 0 && waitpid(child, &status, 0) == child && WIFSTOPPED(status);) {
        if (WSTOPSIG(status) == SIGSTOP) stepping = !stepping;
        auto const at = ptrace(PTRACE_PEEKUSER, child, offsetof(user, regs.rip), nullptr);
        steps += at != last;
        last = at;
        ptrace(stepping ? PTRACE_SINGLESTEP : PTRACE_CONT, child, nullptr, nullptr);
    }
    return steps;
}

namespace detail {
/// Where a stepping parent sees its child pass by.
[[gnu::noinline]] inline void pass_mark() { asm volatile("" ::: "memory"); }
} // namespace detail

/// The instructions between each mark() and the next, in order, until the first `most` instructions are over; empty
/// where processes may not be traced. f(mark, toggle) runs at full speed from one toggle() to the next, beginning with
/// stepping; what lies between two marks of which one was passed at full speed is not told.
template <class F>
std::vector<std::uint64_t> steps_between_marks(std::uint64_t most, F&& f) {
    std::cout.flush();
    auto const child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
        auto const toggle = [] { raise(SIGSTOP); };
        toggle();
        f(detail::pass_mark, toggle);
        _exit(0);
    }
    auto const mark = reinterpret_cast<long>(&detail::pass_mark);
    std::vector<std::uint64_t> all;
    std::uint64_t steps = 0;
    std::uint64_t since = 0;
    bool stepping = false;
    bool began = false;
    long last = 0;
    for (int status = 0; child > 0 && waitpid(child, &status, 0) == child && WIFSTOPPED(status);) {
        if (WSTOPSIG(status) == SIGSTOP) {
            stepping = !stepping;
            began = false;
        }
        auto const at = ptrace(PTRACE_PEEKUSER, child, offsetof(user, regs.rip), nullptr);
        if (at == mark) {
            if (began) all.push_back(since);
            began = true;
            since = 0;
        }
        steps += at != last;
        since += at != last;
        last = at;
        if (steps > most) {
            kill(child, SIGKILL);
            continue;
        }
        ptrace(stepping ? PTRACE_SINGLESTEP : PTRACE_CONT, child, nullptr, nullptr);
    }
    return all;
}

/// CPU nanoseconds of the fastest of five calls.
inline double nanoseconds(std::function<void()> const& body) {
    double best = 1e300;
    for (unsigned i = 0; i < 5; ++i) {
        timespec before{};
        timespec after{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
        body();
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
        best = std::min(best, static_cast<double>(after.tv_sec - before.tv_sec) * 1e9 +
                                  static_cast<double>(after.tv_nsec - before.tv_nsec));
    }
    return best;
}

} // namespace warpkit::bench
