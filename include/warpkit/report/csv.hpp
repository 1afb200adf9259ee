#pragma once
/// \file
/// Comma-separated values, as RFC 4180 has them.

#include <warpkit/base/standard.hpp>
#include <warpkit/report/text.hpp>
#include <warpkit/report/text_buffer.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::report {

/// Lines of cells, each quoted where it must be.
class csv_writer {
public:
    csv_writer& operator<<(std::string_view cell) {
        next();
        if (cell.find_first_of(",\"\r\n") == cell.npos) {
            text_ << cell;
            return *this;
        }
        text_ << '"';
        for (char const c : cell) {
            if (c == '"') text_ << '"';
            text_ << c;
        }
        text_ << '"';
        return *this;
    }
    csv_writer& operator<<(std::uint64_t n) {
        next();
        text_ << n;
        return *this;
    }
    /// With six digits behind the point; an empty cell for what is not a number (0 of 0, say).
    csv_writer& operator<<(double x) { return *this << (std::isfinite(x) ? fixed(x, 6) : std::string()); }
    void end_line() {
        text_ << "\r\n";
        first_ = true;
    }
    std::string_view text() const noexcept { return text_.text(); }

private:
    void next() {
        if (!first_) text_ << ',';
        first_ = false;
    }
    text_buffer text_;
    bool first_ = true;
};

/// One line with its CR LF.
inline std::string csv_line(std::vector<std::string> const& cells) {
    csv_writer line;
    for (auto const& cell : cells) line << cell;
    line.end_line();
    return std::string(line.text());
}

} // namespace warpkit::report
