#pragma once
/// \file
/// Machines as files: every number by the name that `--set` has for it, policies by seat, the preset that the rest
/// comes from, and behind each value where it is from. The files are TOML, of which these parts are read: comments,
/// [tables], keys with dots, whole numbers, texts on one line, true and false. (A general reader drops comments, which
/// are the provenance here.)
///
///     [machine]
///     name = "mine"
///     base = "gtx480"
///     [policies]
///     warp_scheduler = "lrr"
///     [l1d]
///     size = "48 KiB"    # documented: a data sheet

#include <warpkit/base/error.hpp>
#include <warpkit/config/check.hpp>
#include <warpkit/config/machine.hpp>
#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/config/settings.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit {

/// A value of such a file.
struct machine_entry {
    std::string name;    ///< of a number, as machine_numbers() has it; or of a seat
    std::string value;   ///< as set_number() reads it; a policy with its parameters
    std::string comment; ///< behind it, without the '#': its provenance
    std::size_t line = 0;
    friend bool operator==(machine_entry const&, machine_entry const&) = default;
};

/// A machine in a file.
struct machine_file {
    std::string file; ///< what it is called in messages
    std::string name;
    std::string title;
    std::string base; ///< the preset that has what is not named here
    std::vector<machine_entry> policies;
    std::vector<machine_entry> numbers; ///< and texts, such as address_mapping
    friend bool operator==(machine_file const&, machine_file const&) = default;
};

namespace detail {

/// Reads the part of TOML that such files are in.
class machine_file_reader {
public:
    machine_file_reader(std::string_view text, std::string const& file) : text_(text), file_(&file) {}

    /// All `key = value`, with the names of their tables.
    std::vector<machine_entry> entries() {
        std::vector<machine_entry> all;
        std::set<std::string> tables;
        std::set<std::string> keys;
        std::string table;
        if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = 3; // a byte-order mark
        while (at_ < text_.size()) {
            blanks();
            if (next() == '[') {
                ++at_;
                if (next() == '[') refuse("an array of tables; a machine has each table once: write [table]");
                table = key("a table's name, as in [l1d]");
                if (next() != ']') refuse("the name of a table ends with ']'");
                ++at_;
                if (!tables.insert(table).second)
                    refuse("the table [" + table + "] is there twice; put its values together");
                end_of_line();
            } else if (next() != '\n' && next() != '\r' && next() != '#' && at_ < text_.size()) {
                machine_entry e;
                e.line = line_;
                e.name = key("a name, as in size = 4096");
                if (!table.empty()) e.name = table + '.' + e.name;
                if (!keys.insert(e.name).second) refuse(e.name + " is there twice; keep one value");
                if (next() != '=') refuse(e.name + " has no value; write name = value");
                ++at_;
                blanks();
                e.value = value(e.name);
                e.comment = end_of_line();
                all.push_back(std::move(e));
            } else {
                end_of_line();
            }
        }
        return all;
    }

private:
    [[noreturn]] void refuse(std::string const& why) const {
        throw error(*file_ + ':' + std::to_string(line_) + ": " + why);
    }
    char next() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
    void blanks() noexcept {
        while (next() == ' ' || next() == '\t') ++at_;
    }
    /// A key with dots, without blanks; what is behind it is next.
    std::string key(std::string const& what) {
        std::string all;
        while (true) {
            blanks();
            std::string part;
            if (next() == '"' || next() == '\'') {
                part = text();
            } else {
                auto const belongs = [](char c) {
                    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           c == '_' || c == '-';
                };
                while (belongs(next())) part += text_[at_++];
            }
            if (part.empty()) refuse("expected " + what);
            all += part;
            blanks();
            if (next() != '.') return all;
            all += '.';
            ++at_;
        }
    }
    std::string value(std::string const& name) {
        if (next() == '"' || next() == '\'') return text();
        std::string word;
        while (next() != '\0' && next() != '\n' && next() != '\r' && next() != '#' && next() != ' ' &&
               next() != '\t')
            word += text_[at_++];
        if (word == "true") return "1";
        if (word == "false") return "0";
        auto const number = !word.empty() && word.find_first_not_of("0123456789_") == word.npos &&
                            word.front() != '_' && word.back() != '_' && word.find("__") == word.npos;
        if (!number)
            refuse(name + " = " + (word.empty() ? "nothing" : word) +
                   ": a value is a whole number, or a text in quotation marks, as in \"48 KiB\"");
        word.erase(std::remove(word.begin(), word.end(), '_'), word.end());
        return word;
    }
    /// A text in quotation marks, on one line.
    std::string text() {
        auto const mark = next();
        ++at_;
        if (next() == mark && at_ + 1 < text_.size() && text_[at_ + 1] == mark)
            refuse("a text of several lines; write it on one");
        std::string out;
        while (next() != mark) {
            auto const c = next();
            if (c == '\n' || c == '\0')
                refuse("a text does not end on its line; close it with " + std::string(1, mark));
            if (static_cast<unsigned char>(c) < 0x20 && c != '\t') refuse("a control character in a text");
            ++at_;
            if (c != '\\' || mark == '\'') {
                out += c;
                continue;
            }
            constexpr std::string_view from = "\"\\bfnrt";
            constexpr std::string_view to = "\"\\\b\f\n\r\t";
            auto const i = from.find(next());
            if (i == from.npos || next() == '\0')
                refuse("a text with '\\' before something else than \" \\ b f n r t");
            out += to[i];
            ++at_;
        }
        ++at_;
        return out;
    }
    /// The comment that ends the line, if any.
    std::string end_of_line() {
        blanks();
        std::string comment;
        if (next() == '#') {
            ++at_;
            blanks();
            while (next() != '\n' && next() != '\0' && at_ < text_.size()) comment += text_[at_++];
            while (!comment.empty() && (comment.back() == ' ' || comment.back() == '\r')) comment.pop_back();
        }
        if (next() == '\r') ++at_;
        if (at_ < text_.size() && next() != '\n') refuse("something behind the value; one value a line");
        ++at_;
        ++line_;
        return comment;
    }

    std::string_view text_;
    std::string const* file_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
};

inline std::string at_line(machine_file const& m, std::size_t line) {
    return m.file + ':' + std::to_string(line) + ": ";
}

/// Sets a number or a text to what an entry says.
inline void set_entry(gpu_parameters& g, machine_entry const& e, std::string const& file) {
    try {
        set_number(g, e.name + '=' + e.value);
    } catch (error const& wrong) {
        throw error(file + ':' + std::to_string(e.line) + ": " + wrong.what());
    }
}

} // namespace detail

/// The preset of that name, or null.
inline preset const* preset_named(std::string_view name) {
    for (auto const* p : preset_numbers::all())
        if (p->name == name) return p;
    return nullptr;
}

/// The preset that a machine builds on.
inline preset const& base_of(machine_file const& m) {
    auto const* const base = preset_named(m.base);
    if (base == nullptr) {
        std::vector<std::string> names;
        for (auto const* p : preset_numbers::all()) names.emplace_back(p->name);
        throw error(m.file + ": base: there is no preset '" + m.base + '\'' + did_you_mean(m.base, names));
    }
    return *base;
}

/// The numbers of a machine, those of its base included; not checked. Throws `error` with file and line.
inline gpu_parameters parameters(machine_file const& m) {
    auto g = parameters(base_of(m));
    for (auto const& e : m.numbers) detail::set_entry(g, e, m.file);
    for (auto const& p : m.policies) {
        if (p.name == "l1d") g.l1d_variant = p.value;
        if (p.name == "l2") g.l2_variant = p.value;
    }
    g.name = m.name;
    return g;
}

/// Reads a machine. Throws `error` with file and line for what is no such file, for names that there are not, with the
/// nearest one, and for values that do not fit; whether the numbers go together is check()'s business. Policies are
/// looked at when the machine is made.
inline machine_file read_machine(std::string_view text, std::string const& file) {
    machine_file m;
    m.file = file;
    std::vector<std::string> seats;
    for (auto const& row : seat_rows()) seats.push_back(row.name);
    for (auto& e : detail::machine_file_reader(text, file).entries()) {
        auto const refuse = [&](std::string const& why) { throw error(detail::at_line(m, e.line) + why); };
        if (e.name.substr(0, 8) == "machine.") {
            auto const name = e.name.substr(8);
            if (name != "name" && name != "title" && name != "base")
                refuse("[machine] has no '" + name + '\'' + did_you_mean(name, {"name", "title", "base"}) +
                       "; it has name, title and base");
            (name == "name" ? m.name : name == "title" ? m.title : m.base) = e.value;
        } else if (e.name.substr(0, 9) == "policies.") {
            e.name.erase(0, 9);
            if (std::find(seats.begin(), seats.end(), e.name) == seats.end())
                refuse("there is no seat '" + e.name + '\'' + did_you_mean(e.name, seats) +
                       " (lab list seats)");
            if (e.value.empty()) refuse("the seat " + e.name + " is empty; name its policy, or leave it out");
            m.policies.push_back(std::move(e));
        } else {
            e.name = full_name(e.name);
            m.numbers.push_back(std::move(e));
        }
    }
    if (m.base.empty())
        throw error(file + ": no base; begin with [machine], and in it base = \"gtx480\", the preset that "
                           "has what is not named here");
    auto const named =
        !m.name.empty() &&
        m.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
            m.name.npos;
    if (!named) throw error(file + ": [machine] needs a name of letters, digits, '_', '-' and '.'");
    if (preset_named(m.name) != nullptr)
        throw error(file + ": the name " + m.name + " is a preset's; call the machine something else");
    (void)parameters(m);
    return m;
}

/// `name=value` for each number of a file, for `--set @file`. It has numbers alone, as a machine has them, in
/// tables or with dots. Throws `error` with file and line.
inline std::vector<std::string> settings_in(std::string_view text, std::string const& file) {
    std::vector<std::string> settings;
    auto scratch = parameters(*preset_numbers::all().front());
    for (auto const& e : detail::machine_file_reader(text, file).entries()) {
        if (e.name.substr(0, 8) == "machine." || e.name.substr(0, 9) == "policies.")
            throw error(file + ':' + std::to_string(e.line) + ": " + e.name +
                        " belongs to a machine, and --set takes numbers alone; give the file to --machine");
        detail::set_entry(scratch, e, file);
        settings.push_back(e.name + '=' + e.value);
    }
    return settings;
}

namespace detail {
/// A value as TOML has it: whole numbers bare, all else in quotation marks.
inline std::string toml_value(std::string const& value) {
    if (!value.empty() && value.size() < 19 && value.find_first_not_of("0123456789") == value.npos)
        return value;
    constexpr std::string_view special = "\"\\\b\f\n\r\t";
    constexpr std::string_view letter = "\"\\bfnrt";
    std::string out = "\"";
    for (char const c : value) {
        auto const i = special.find(c);
        if (i != special.npos)
            (out += '\\') += letter[i];
        else
            out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
    return out + '"';
}
inline void append_line(std::string& to, std::string const& name, std::string const& value,
                        std::string const& comment) {
    auto line = name + " = " + toml_value(value);
    if (!comment.empty()) {
        if (line.size() < 30) line.resize(30, ' ');
        line += "  # ";
        for (char const c : comment) line += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    to += line + '\n';
}
} // namespace detail

/// A machine as the text of a file; read_machine() gives it back.
inline std::string text_of(machine_file const& m) {
    std::string out;
    for (auto const& e : m.numbers) // texts belong to no table, and come first
        if (e.name.find('.') == e.name.npos) detail::append_line(out, e.name, e.value, e.comment);
    out += (out.empty() ? "" : "\n") + std::string("[machine]\n");
    detail::append_line(out, "name", m.name, {});
    if (!m.title.empty()) detail::append_line(out, "title", m.title, {});
    detail::append_line(out, "base", m.base, "what is not named here is this preset's");
    if (!m.policies.empty()) out += "\n[policies]\n";
    for (auto const& p : m.policies) detail::append_line(out, p.name, p.value, p.comment);
    std::vector<std::string> tables;
    auto const table_of = [](std::string const& name) { return name.substr(0, name.rfind('.')); };
    for (auto const& e : m.numbers)
        if (e.name.find('.') != e.name.npos &&
            std::find(tables.begin(), tables.end(), table_of(e.name)) == tables.end())
            tables.push_back(table_of(e.name));
    for (auto const& table : tables) {
        out += "\n[" + table + "]\n";
        for (auto const& e : m.numbers)
            if (e.name.find('.') != e.name.npos && table_of(e.name) == table)
                detail::append_line(out, e.name.substr(table.size() + 1), e.value, e.comment);
    }
    return out;
}

/// A number as such files have it: bytes and frequencies with their unit, all else bare.
inline std::string entry_value(std::uint64_t value, std::string_view unit) {
    return unit == "kHz" || (unit == "bytes" && value >= 1024 && value % 1024 == 0)
               ? format_number(value, unit)
               : std::to_string(value);
}

} // namespace warpkit
