#pragma once
// What the mains of the small examples share: options that are bound to variables and listed by --help with what they
// are, mistakes told in one line.

#include <warpkit/base/error.hpp>

#include "program.hpp"

#include <charconv>
#include <concepts>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace examples {

// "  title: one two three", for notes.
template <class Names>
std::string list(auto const& title, Names const& names) {
    std::string text = "  " + std::string(title) + ':';
    for (auto const& n : names) text += ' ' + std::string(n);
    return text + '\n';
}

class command_line {
public:
    // `usage` follows the name on the first line of --help, `notes` end it.
    command_line(std::string name, std::string usage, std::string notes = "")
        : name_(std::move(name)),
          usage_(std::move(usage)),
          notes_(std::move(notes)) {}

    // An option sets its variable: a bool by itself, all else by the word behind it.
    command_line& option(std::string name, bool& to, std::string meaning) {
        options_.push_back(
            {std::move(name), "", std::move(meaning), [&to](std::string const&) { to = true; }});
        return *this;
    }
    command_line& option(std::string name, std::string& to, std::string meaning) {
        options_.push_back({std::move(name), to.empty() ? "TEXT" : to, std::move(meaning),
                            [&to](std::string const& text) { to = text; }});
        return *this;
    }
    command_line& option(std::string name, std::unsigned_integral auto& to, std::string meaning) {
        options_.push_back(
            {name, std::to_string(to), std::move(meaning), [&to, name](std::string const& text) {
                 auto const* const end = text.data() + text.size();
                 if (std::from_chars(text.data(), end, to).ptr != end || text.empty())
                     throw warpkit::error(name + " wants a number, not '" + text + "'");
             }});
        return *this;
    }
    // Words that are no options, `least` to `most`.
    command_line& words(std::vector<std::string>& to, std::size_t least, std::size_t most) {
        words_ = &to;
        least_ = least;
        most_ = most;
        return *this;
    }

    // Reads, and runs if help was not asked for; what main returns: 2 after a mistake (program.hpp).
    int run(int argc, char** argv, std::function<int()> const& run) const {
        return guarded(name_.c_str(), "", [&] {
            for (int i = 1; i < argc; ++i) {
                std::string const word = argv[i];
                if (word == "--help") return help();
                if (word.empty() || word[0] != '-') {
                    words_->push_back(word);
                    continue;
                }
                auto const& o = named(word);
                bool const flag = o.standard.empty();
                if (!flag && i + 1 == argc) throw warpkit::error(word + " wants a value");
                o.set(flag ? word : argv[++i]);
            }
            if (words_->size() < least_ || words_->size() > most_)
                throw warpkit::error("usage: " + name_ + ' ' + usage_.substr(0, usage_.find('\n')) +
                                     "; see --help");
            return run();
        });
    }

private:
    struct bound_option {
        std::string name, standard, meaning; // no standard: it takes no value
        std::function<void(std::string const&)> set;
    };
    bound_option const& named(std::string const& name) const {
        for (auto const& o : options_)
            if (o.name == name) return o;
        throw warpkit::error("no option '" + name + "'; see --help");
    }
    int help() const {
        std::cout << "usage: " << name_ << ' ' << usage_ << "\n\n";
        for (auto const& o : options_) {
            auto const left = "  " + o.name + (o.standard.empty() ? "" : ' ' + o.standard);
            std::cout << left << std::string(left.size() < 24 ? 24 - left.size() : 2, ' ') << o.meaning
                      << '\n';
        }
        if (!notes_.empty()) std::cout << '\n' << notes_;
        return 0;
    }

    std::string name_, usage_, notes_;
    std::vector<bound_option> options_;
    std::vector<std::string> none_;
    std::vector<std::string>* words_ = &none_;
    std::size_t least_ = 0, most_ = 0;
};

} // namespace examples
