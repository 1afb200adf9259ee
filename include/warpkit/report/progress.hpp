#pragma once
/// \file
/// A progress bar: on a terminal one line that is rewritten, elsewhere a plain line every few seconds.

#include <warpkit/report/text.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>

namespace warpkit::report {

/// How far a job has come, for people who wait. Times are handed in, so that it can be tested; it writes only when at
/// least a tenth of a second (terminal) or five seconds (otherwise) have passed.
class progress_bar {
public:
    using clock = std::chrono::steady_clock;

    /// `terminal`: whether `out` is one.
    progress_bar(std::ostream& out, bool terminal, clock::time_point start = clock::now())
        : out_(&out),
          terminal_(terminal),
          start_(start),
          last_(start) {}
    progress_bar(progress_bar const&) = delete;
    progress_bar& operator=(progress_bar const&) = delete;
    ~progress_bar() { clear(); }

    /// `done` is the share of the job from 0 to 1, `what` the thing it is at.
    void update(double done, std::string_view what, clock::time_point now = clock::now()) {
        if (now - last_ < (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000)))
            return;
        last_ = now;
        done = std::clamp(done, 0.0, 1.0);
        auto line =
            bar(done) + ' ' + fixed(done * 100, 0) + " %  " + remaining(done, now) + "  " + std::string(what);
        if (!terminal_) {
            *out_ << line << std::endl;
            return;
        }
        while (display_width(line) > columns) { // cut whole code points
            while (line.size() > 1 && (static_cast<unsigned char>(line.back()) & 0xc0) == 0x80)
                line.pop_back();
            line.pop_back();
        }
        auto const width = display_width(line);
        *out_ << '\r' << line << std::string(drawn_ > width ? drawn_ - width : 0, ' ') << std::flush;
        drawn_ = width;
    }

    /// Takes the bar off the terminal.
    void clear() {
        if (drawn_ != 0) *out_ << '\r' << std::string(drawn_, ' ') << '\r' << std::flush;
        drawn_ = 0;
    }

private:
    static constexpr std::size_t columns = 79;

    static std::string bar(double done) {
        constexpr std::size_t length = 24;
        auto const full = static_cast<std::size_t>(done * length);
        return '[' + std::string(full, '#') + std::string(length - full, '.') + ']';
    }
    std::string remaining(double done, clock::time_point now) const {
        auto const spent = std::chrono::duration<double>(now - start_).count();
        if (done < 0.01 || spent < 0.5) return "--:-- left";
        auto const left = static_cast<std::uint64_t>(spent / done * (1 - done) + 0.5);
        auto const two = [](std::uint64_t n) {
            return std::string(n < 10 ? "0" : "").append(std::to_string(n));
        };
        return two(left / 60) + ':' + two(left % 60) + " left";
    }

    std::ostream* out_;
    bool terminal_;
    clock::time_point start_;
    clock::time_point last_;
    std::size_t drawn_ = 0;
};

} // namespace warpkit::report
