#pragma once
/// \file
/// Writing JSON (RFC 8259) and CSV (RFC 4180), and files that are either whole or not there.

#include <warpkit/base/error.hpp>
#include <warpkit/base/output_file.hpp>
#include <warpkit/report/text.hpp>
#include <warpkit/report/text_buffer.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace warpkit::report {

/// Appends `text` as a JSON string with its quotation marks. Bytes that are not UTF-8 become U+FFFD.
inline void append_json_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (std::size_t at = 0; at < text.size();) {
        auto const begin = at;
        // What stands for itself, as names do from end to end, goes in one piece.
        while (at < text.size() && text[at] >= 0x20 && text[at] < 0x7f && text[at] != '"' && text[at] != '\\')
            ++at;
        if (at != begin) {
            out.append(text, begin, at - begin);
            continue;
        }
        auto const c = detail::next_code_point(text, at);
        switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        case '\b':
            out += "\\b";
            break;
        case '\f':
            out += "\\f";
            break;
        case 0xfffd:
            out += "\xef\xbf\xbd";
            break;
        default:
            if (c < 0x20) {
                out += "\\u00";
                out += "0123456789abcdef"[c >> 4];
                out += "0123456789abcdef"[c & 15];
            } else {
                out += text.substr(begin, at - begin);
            }
        }
    }
    out += '"';
}
/// The same as a string of its own.
inline std::string json_quoted(std::string_view text) {
    std::string out;
    append_json_quoted(out, text);
    return out;
}

/// Names of members that many objects have, as they are written.
class json_names {
public:
    void add(std::string_view name) {
        all_.push_back(", " + json_quoted(name) + ": ");
        length_ += all_.back().size();
    }
    std::size_t size() const noexcept { return all_.size(); }
    /// In quotation marks, with the colon behind.
    std::string_view operator[](std::size_t i) const noexcept { return std::string_view(all_[i]).substr(2); }
    /// And with the comma before, behind another.
    std::string_view behind_another(std::size_t i) const noexcept { return all_[i]; }
    /// Of all together.
    std::size_t length() const noexcept { return length_; }

private:
    std::vector<std::string> all_;
    std::size_t length_ = 0;
};

/// Writes one JSON value, piece by piece, indented. Commas and line ends come by themselves; calls that would not make
/// JSON (a key in an array, an unfinished object) throw.
class json_writer {
public:
    json_writer& begin_object() { return open('{'); }
    json_writer& end_object() { return close('{', '}'); }
    json_writer& begin_array() { return open('['); }
    json_writer& end_array() { return close('[', ']'); }

    json_writer& key(std::string_view name) {
        if (open_.empty() || open_.back() != '{' || keyed_)
            throw error("json_writer: a key has no place here");
        separate();
        quote(name);
        text_ << ": ";
        keyed_ = true;
        return *this;
    }
    json_writer& value(std::string_view text) {
        before_value();
        quote(text);
        return *this;
    }
    json_writer& value(char const* text) { return value(std::string_view(text)); }
    json_writer& value(bool b) { return raw(b ? "true" : "false"); }
    json_writer& value(double x) {
        before_value();
        number(x);
        return *this;
    }
    template <std::integral T>
    requires(!std::same_as<T, bool>) json_writer& value(T n) {
        before_value();
        text_ << n;
        return *this;
    }
    template <class T>
    json_writer& member(std::string_view name, T const& x) {
        return key(name).value(x);
    }
    /// An object with a member for each name, whose value is the number `value_of(i)`.
    template <class F>
    json_writer& object(json_names const& names, F&& value_of) {
        begin_object();
        if (names.size() == 0) return end_object();
        std::string line = ",\n";
        line.append(2 * open_.size(), ' ');
        for (std::size_t i = 0; i < names.size(); ++i) {
            text_ << std::string_view(line).substr(i == 0) << names[i];
            number(value_of(i));
        }
        first_ = false;
        return end_object();
    }
    /// The same in one line: of many such objects that is half of the text.
    template <class F>
    json_writer& object_in_line(json_names const& names, F&& value_of) {
        begin_object();
        auto* at = text_.room(names.length() + names.size() * text_buffer::longest_number);
        for (std::size_t i = 0; i < names.size(); ++i) {
            auto const name = i == 0 ? names[i] : names.behind_another(i);
            std::memcpy(at, name.data(), name.size());
            at = put(at + name.size(), value_of(i));
        }
        text_.take(at);
        return end_object();
    }

    /// The finished text, with a line end.
    std::string text() const {
        if (!open_.empty() || text_.size() == 0) throw error("json_writer: the value is not finished");
        std::string all;
        all.reserve(text_.size() + 1);
        return all.append(text_.text()).append(1, '\n');
    }

private:
    json_writer& open(char bracket) {
        before_value();
        text_ << bracket;
        open_ += bracket;
        first_ = true;
        return *this;
    }
    json_writer& close(char bracket, char closing) {
        if (open_.empty() || open_.back() != bracket || keyed_)
            throw error("json_writer: nothing to close here");
        open_.pop_back();
        if (!first_) new_line();
        text_ << closing;
        first_ = false;
        return *this;
    }
    json_writer& raw(std::string_view value) {
        before_value();
        text_ << value;
        return *this;
    }
    void quote(std::string_view text) {
        quoted_.clear();
        append_json_quoted(quoted_, text);
        text_ << std::string_view(quoted_);
    }
    template <class T>
    void number(T n) {
        text_.take(put(text_.room(text_buffer::longest_number), n));
    }
    /// A number, or null for what is none, where there is room for it. Behind it.
    template <class T>
    static char* put(char* at, T n) noexcept {
        if constexpr (std::is_floating_point_v<T>)
            if (!std::isfinite(n)) {
                std::memcpy(at, "null", 4);
                return at + 4;
            }
        return text_buffer::put(at, n);
    }
    void before_value() {
        if (keyed_) {
            keyed_ = false;
            return;
        }
        if (open_.empty() ? text_.size() != 0 : open_.back() == '{')
            throw error("json_writer: a value has no place here");
        if (!open_.empty()) separate();
    }
    void separate() {
        if (!first_) text_ << ',';
        first_ = false;
        new_line();
    }
    void new_line() {
        text_ << '\n';
        text_.spaces(2 * open_.size());
    }

    text_buffer text_;
    std::string quoted_; ///< the last text in quotation marks
    std::string open_;   ///< the brackets not closed yet
    bool first_ = false;
    bool keyed_ = false;
};

/// A table as an array of an object for each row, by the titles of its columns, units in brackets behind them. A cell
/// of a column aligned to the right is a number where it is one (thousands are apart in tables, and not here), null
/// where it is empty or "-"; where the first cells of a row are empty, as for the second name of one seat, they are
/// those of the row above.
inline void append_json(json_writer& w, text_table const& table) {
    auto const& columns = table.columns();
    std::vector<std::string> above(columns.size());
    w.begin_array();
    table.each_row([&](std::vector<std::string> const& row) {
        w.begin_object();
        bool leading = true;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            auto const& k = columns[c];
            w.key(k.unit.empty() ? k.title : k.title.empty() ? k.unit : k.title + " [" + k.unit + ']');
            leading = leading && row[c].empty() && k.align == alignment::left;
            auto const& cell = leading ? above[c] : row[c];
            above[c] = cell;
            if (k.align == alignment::left) {
                w.value(cell);
                continue;
            }
            std::string digits;
            for (char const d : cell)
                if (d != ',' && !(digits.empty() && d == '+')) digits += d;
            double number = 0;
            auto const end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
            std::int64_t whole = 0;
            auto const whole_end = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
            if (cell.empty() || cell == "-")
                w.value(std::nan("")); // null
            else if (whole_end.ec == std::errc() && whole_end.ptr == digits.data() + digits.size())
                w.value(whole);
            else if (end.ec == std::errc() && end.ptr == digits.data() + digits.size())
                w.value(number);
            else
                w.value(cell);
        }
        w.end_object();
    });
    w.end_array();
}

using warpkit::write_file;

} // namespace warpkit::report
