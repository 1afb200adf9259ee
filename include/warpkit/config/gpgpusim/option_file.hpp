#pragma once
/// \file
/// The files in which GPGPU-Sim and Accel-Sim are configured: options and their values, each with the place where it
/// stands.

#include <warpkit/base/error.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::gpgpusim {

/// A line of a file.
struct place {
    std::string file;
    std::size_t line = 0;
    /// "file:line"
    std::string text() const { return file + ':' + std::to_string(line); }
};

/// An option as it stands in a file.
struct given_option {
    std::string name; ///< with its dash
    std::string
        value; ///< without quotation marks; several words of a quoted value with one blank between them
    bool has_value = false;
    place where;
};

/// Gives the text of a file that another one names; throws `error` where there is none.
using file_reader = std::function<std::string(std::string const& name)>;

namespace detail {

/// A word of such a file.
struct option_word {
    std::string text;
    bool quoted = false;
    std::size_t line = 0;
};

/// Words apart by white space; `#` begins a comment that goes to the end of the line, inside a quotation too, as there.
inline std::vector<option_word> option_words(std::string_view text, std::string const& file) {
    std::vector<option_word> words;
    std::size_t line = 1;
    bool open = false; // a quotation, in words.back()
    for (std::size_t at = 0; at < text.size();) {
        auto const c = text[at];
        if (c == '\n') ++line;
        if (c == '#') {
            while (at < text.size() && text[at] != '\n') ++at;
            continue;
        }
        if (c == '\0') throw error(file + ':' + std::to_string(line) + ": a byte 0: this is no text file");
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v') {
            ++at;
            continue;
        }
        auto const begin = at;
        while (at < text.size() && std::string_view(" \t\r\n\f\v#").find(text[at]) == std::string_view::npos)
            ++at;
        std::string word(text.substr(begin, at - begin));
        if (!open && word.front() == '"') {
            open = true;
            words.push_back({"", true, line});
            word.erase(0, 1);
        } else if (!open) {
            words.push_back({word, false, line});
            continue;
        } else if (!words.back().text.empty()) {
            words.back().text += ' ';
        }
        if (!word.empty() && word.back() == '"') {
            open = false;
            word.pop_back();
        }
        words.back().text += word;
    }
    if (open)
        throw error(file + ':' + std::to_string(words.back().line) +
                    ": the quotation that begins here does not end; close it with \"");
    return words;
}

/// Whether a word is an option's name: a dash and a letter (a dash and a digit is a number).
inline bool names_option(option_word const& w) {
    return !w.quoted && w.text.size() > 1 && w.text[0] == '-' && (w.text[1] < '0' || w.text[1] > '9') &&
           w.text[1] != '.';
}

inline void append_options(std::vector<given_option>& to, std::string_view text, std::string const& file,
                           file_reader const& read, unsigned depth) {
    auto const words = option_words(text, file);
    for (std::size_t i = 0; i < words.size(); ++i) {
        place const where{file, words[i].line};
        if (!names_option(words[i]))
            throw error(where.text() + ": '" + words[i].text.substr(0, 60) +
                        "' belongs to no option; options begin with a dash and have one value, which takes "
                        "quotation marks if it has blanks");
        given_option o{words[i].text, {}, false, where};
        if (i + 1 < words.size() && !names_option(words[i + 1])) {
            o.value = words[++i].text;
            o.has_value = true;
        }
        if (o.name == "-config") {
            if (!o.has_value || o.value.empty())
                throw error(where.text() + ": -config names no file; write -config FILE");
            if (depth == 8)
                throw error(where.text() +
                            ": files include each other more than 8 deep; does one include itself?");
            std::string included;
            try {
                included = read(o.value);
            } catch (error const& e) {
                throw error(where.text() + ": -config " + o.value + ": " + e.what());
            }
            append_options(to, included, o.value, read, depth + 1);
        } else {
            to.push_back(std::move(o));
        }
    }
}

} // namespace detail

/// The options of a file in their order, those of files that it includes (`-config FILE`) in their place. `read` is
/// asked for these. Throws `error` with file and line for what is no such file; what the options are called is not
/// looked at.
inline std::vector<given_option> read_options(std::string_view text, std::string const& file,
                                              file_reader const& read) {
    std::vector<given_option> options;
    detail::append_options(options, text, file, read, 0);
    return options;
}

} // namespace warpkit::gpgpusim
