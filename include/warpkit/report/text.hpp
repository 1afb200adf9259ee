#pragma once
/// \file
/// Aligned text tables, and the few ways in which a report spells a number.

#include <warpkit/base/standard.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::report {

namespace detail {

/// Reads one code point of UTF-8 at `at` and moves behind it; a malformed byte is read as U+FFFD.
inline char32_t next_code_point(std::string_view text, std::size_t& at) noexcept {
    constexpr char32_t malformed = 0xfffd;
    auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    auto const first = byte(at++);
    if (first < 0x80) return first;
    unsigned const length = first >= 0xc2 && first <= 0xdf   ? 1
                            : first >= 0xe0 && first <= 0xef ? 2
                            : first >= 0xf0 && first <= 0xf4 ? 3
                                                             : 0;
    if (length == 0 || at + length > text.size()) return malformed;
    char32_t code = first & (0x3fU >> length);
    for (unsigned i = 0; i < length; ++i) {
        if ((byte(at + i) & 0xc0) != 0x80) return malformed;
        code = code << 6 | (byte(at + i) & 0x3f);
    }
    constexpr std::array<char32_t, 4> shortest = {0, 0x80, 0x800, 0x10000};
    if (code < shortest[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return malformed;
    at += length;
    return code;
}

} // namespace detail

/// The columns that UTF-8 text takes on a terminal: none for combining marks, two for East Asian wide characters.
inline std::size_t display_width(std::string_view text) noexcept {
    constexpr std::pair<char32_t, char32_t> none[] = {
        {0x0300, 0x036f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
    constexpr std::pair<char32_t, char32_t> wide[] = {
        {0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0xa4cf},   {0xac00, 0xd7a3},  {0xf900, 0xfaff},
        {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
    auto const in = [](auto const& ranges, char32_t c) {
        return std::any_of(std::begin(ranges), std::end(ranges),
                           [c](auto const& r) { return c >= r.first && c <= r.second; });
    };
    std::size_t width = 0;
    for (std::size_t at = 0; at < text.size();) {
        auto const c = detail::next_code_point(text, at);
        width += in(none, c) ? 0 : in(wide, c) ? 2 : 1;
    }
    return width;
}

/// 1234567 as "1,234,567".
inline std::string with_thousands(std::uint64_t n) {
    auto text = std::to_string(n);
    for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
        text.insert(static_cast<std::size_t>(at), 1, ',');
    return text;
}

/// "1 read", "2,000 reads": how many there are of what takes an s.
inline std::string counted(std::uint64_t n, char const* what) {
    return with_thousands(n) + ' ' + what + (n == 1 ? "" : "s");
}

/// `x` with `digits` digits behind the point; "-" for what is not a number (0 of 0, say).
inline std::string fixed(double x, int digits) {
    if (!std::isfinite(x)) return "-";
    std::array<char, 64> text{};
    if (std::abs(x) >= 1e30) {
        auto const end =
            std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::scientific, digits);
        return {text.data(), end.ptr};
    }
    auto const end =
        std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::fixed, digits);
    return {text.data(), end.ptr};
}

/// As few digits as tell it apart, "1.25e-06"; "-" for what is not a number.
inline std::string scientific(double x) {
    if (!std::isfinite(x)) return "-";
    std::array<char, 32> text{};
    auto const end = std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::scientific);
    return {text.data(), end.ptr};
}

/// 0.125 as "12.5"; the column says that it is per cent.
inline std::string percent(double ratio, int digits = 1) { return fixed(ratio * 100, digits); }

/// A 64-bit fingerprint: 16 hexadecimal digits.
inline std::string hexadecimal(std::uint64_t n) {
    std::string text(16, '0');
    for (std::size_t i = 16; i-- > 0; n >>= 4) text[i] = "0123456789abcdef"[n & 15];
    return text;
}

enum class alignment : std::uint8_t { left, right };

/// One column of a table.
struct column {
    std::string title;
    alignment align = alignment::right;
    std::string unit = {}; ///< second header line; empty for none
};

/// A table of text cells in aligned columns.
class text_table {
public:
    explicit text_table(std::vector<column> columns) : columns_(std::move(columns)) {}

    /// One row; missing cells are empty, cells beyond the last column are dropped.
    void add_row(std::vector<std::string> cells) {
        cells.resize(columns_.size());
        rows_.push_back(std::move(cells));
    }
    /// A line between the rows before and after.
    void add_rule() { rows_.emplace_back(); }
    std::size_t rows() const noexcept { return rows_.size(); }
    std::vector<column> const& columns() const noexcept { return columns_; }
    /// Calls f(cells) for each row; rules are left out.
    template <class F>
    void each_row(F&& f) const {
        for (auto const& row : rows_)
            if (!row.empty()) f(row);
    }

    /// Writes the table. Where `max_width` (0: no limit) is exceeded, it is broken into several, one below the other,
    /// each of which repeats the first `key_columns` columns. `heading` and `end` are put around its headings: what
    /// makes a terminal show them in another way.
    void print(std::ostream& out, std::size_t max_width = 0, std::size_t key_columns = 1,
               char const* heading = "", char const* end_of_heading = "") const {
        auto const width = widths();
        key_columns = std::min(key_columns, columns_.size());
        std::size_t key_width = 0;
        for (std::size_t c = 0; c < key_columns; ++c) key_width += width[c] + gap;
        for (std::size_t begin = key_columns; begin < columns_.size() || begin == key_columns;) {
            auto end = begin;
            auto total = key_width;
            while (end < columns_.size() &&
                   (max_width == 0 || end == begin || total + width[end] <= max_width)) {
                total += width[end] + gap;
                ++end;
            }
            std::vector<std::size_t> shown;
            for (std::size_t c = 0; c < key_columns; ++c) shown.push_back(c);
            for (auto c = begin; c < end; ++c) shown.push_back(c);
            if (begin != key_columns) out << '\n';
            print_block(out, shown, width, heading, end_of_heading);
            begin = std::max(end, begin + 1);
        }
    }

    /// Writes the table in Markdown; a unit follows its title, and rules are left out.
    void print_markdown(std::ostream& out) const {
        auto const line = [&](auto const& cell) {
            for (std::size_t c = 0; c < columns_.size(); ++c) out << (c == 0 ? "| " : " | ") << cell(c);
            out << " |\n";
        };
        line([&](std::size_t c) {
            auto const& k = columns_[c];
            return k.unit.empty() ? k.title : k.title.empty() ? k.unit : k.title + ", " + k.unit;
        });
        line([&](std::size_t c) { return columns_[c].align == alignment::left ? "---" : "---:"; });
        for (auto const& row : rows_)
            if (!row.empty()) line([&](std::size_t c) -> std::string const& { return row[c]; });
    }

private:
    static constexpr std::size_t gap = 2;

    std::vector<std::size_t> widths() const {
        std::vector<std::size_t> width;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            auto w = std::max(display_width(columns_[c].title), display_width(columns_[c].unit));
            for (auto const& row : rows_)
                if (!row.empty()) w = std::max(w, display_width(row[c]));
            width.push_back(w);
        }
        return width;
    }

    void print_block(std::ostream& out, std::vector<std::size_t> const& shown,
                     std::vector<std::size_t> const& width, char const* heading, char const* end) const {
        std::size_t total = 0;
        bool units = false;
        for (auto c : shown) {
            total += width[c] + gap;
            units = units || !columns_[c].unit.empty();
        }
        std::string const rule(total == 0 ? 0 : total - gap, '-');
        out << heading;
        print_line(out, shown, width, [&](std::size_t c) -> std::string const& { return columns_[c].title; });
        if (units)
            print_line(out, shown, width,
                       [&](std::size_t c) -> std::string const& { return columns_[c].unit; });
        out << end;
        out << rule << '\n';
        for (auto const& row : rows_) {
            if (row.empty())
                out << rule << '\n';
            else
                print_line(out, shown, width, [&](std::size_t c) -> std::string const& { return row[c]; });
        }
    }

    template <class Cell>
    void print_line(std::ostream& out, std::vector<std::size_t> const& shown,
                    std::vector<std::size_t> const& width, Cell cell) const {
        std::string line;
        for (auto c : shown) {
            auto const& text = cell(c);
            std::string const pad(width[c] - std::min(width[c], display_width(text)), ' ');
            line += columns_[c].align == alignment::left ? text + pad : pad + text;
            line.append(gap, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    }

    std::vector<column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace warpkit::report
