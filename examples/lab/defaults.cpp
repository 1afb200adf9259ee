#include "defaults.hpp"

#include <warpkit/base/error.hpp>
#include <warpkit/base/input_file.hpp>
#include <warpkit/config/settings.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <utility>

namespace lab {

using warpkit::error;

command_line_defaults::command_line_defaults(std::vector<std::string>& words, bool wanted) {
    std::string named;
    bool none = false;
    for (std::size_t i = 0; i < words.size();) {
        auto const& w = words[i];
        if (w == "--") break;
        std::size_t taken = 0;
        if (w == "--no-config") {
            none = true;
            taken = 1;
        } else if (w.rfind("--config=", 0) == 0) {
            named = w.substr(9);
            taken = 1;
        } else if (w == "--config" && i + 1 < words.size()) {
            named = words[i + 1];
            taken = 2;
        } else if (w == "--config") {
            throw error("--config: give it a file (lab --help)");
        }
        if (taken == 1 && named.empty() && !none) throw error("--config: give it a file (lab --help)");
        auto const at = words.begin() + static_cast<std::ptrdiff_t>(i);
        words.erase(at, at + static_cast<std::ptrdiff_t>(taken));
        if (taken == 0) ++i;
    }
    if (none) return;
    if (!named.empty()) {
        read(named);
        return;
    }
    auto const take = [&](std::string const& file) {
        if (wanted)
            read(file);
        else
            files_.push_back(file); // no output is to take its place
    };
    auto const there = [](std::filesystem::path const& p) {
        std::error_code e;
        return std::filesystem::is_regular_file(p, e);
    };
    if (there("lab.toml")) take("lab.toml");
    std::filesystem::path home;
    if (auto const* const xdg = std::getenv("XDG_CONFIG_HOME"); xdg != nullptr && *xdg != 0)
        home = xdg;
    else if (auto const* const h = std::getenv("HOME"); h != nullptr && *h != 0)
        home = std::filesystem::path(h) / ".config";
    if (!home.empty() && there(home / "warpkit" / "lab.toml")) take((home / "warpkit" / "lab.toml").string());
}

std::string command_line_defaults::checked(std::string const& file, std::string const& text) {
    // CLI11 takes any line for something, a section that is not closed for a flag.
    std::istringstream lines(text);
    std::string all;
    std::string line;
    std::size_t n = 0;
    std::size_t list = 0; // the line where one begins that goes on
    auto const refuse = [&](std::size_t at, std::string const& why) {
        throw error(file + ':' + std::to_string(at) + ": a syntax error: " + why +
                    "; lab --no-config goes without this file");
    };
    while (std::getline(lines, line)) {
        ++n;
        char quote = 0;
        std::string bare;
        for (char const c : line) {
            if (quote == 0 && (c == '#' || (c == ';' && CLI::detail::trim_copy(bare).empty()))) break;
            if (quote == 0 && (c == '"' || c == '\''))
                quote = c;
            else if (c == quote)
                quote = 0;
            bare += c;
        }
        CLI::detail::trim(bare);
        all += bare + '\n';
        if (quote != 0) refuse(n, std::string("a text has no second ") + quote);
        if (bare.empty()) continue;
        if (list != 0) {
            if (bare.back() == ']') list = 0;
            continue;
        }
        if (bare.front() == '[') {
            if (bare.back() != ']') refuse(n, "a section is written as [run], and here is " + bare);
            auto const from = bare.find_first_not_of('[');
            auto const name = bare.substr(std::min(from, bare.size()), bare.find_first_of("].", from) - from);
            sections_.push_back({file + ':' + std::to_string(n), name});
            continue;
        }
        auto const equals = bare.find('=');
        if (equals == bare.npos || equals == 0 || equals + 1 == bare.size())
            refuse(n, "write name = value, or a section as [run], and here is " + bare);
        auto const value = CLI::detail::trim_copy(bare.substr(equals + 1));
        if (value.front() == '[' && value.back() != ']') list = n;
    }
    if (list != 0) refuse(list, "a list has no ] at its end");
    return all;
}

void command_line_defaults::read(std::string const& file) {
    files_.push_back(file);
    std::istringstream text(checked(file, warpkit::read_file(file, std::size_t{1} << 20)));
    std::vector<CLI::ConfigItem> items;
    try {
        items = CLI::ConfigTOML().from_config(text);
    } catch (CLI::Error const& e) {
        throw error(file + ": " + e.what());
    }
    std::vector<entry> general;
    for (auto& item : items) {
        if (item.name == "++" || item.name == "--") continue; // where sections begin and end
        auto parents = item.parents;
        if (!parents.empty() && parents.front() == "default") parents.erase(parents.begin());
        // set.l1d.size = "16KiB" is set = "l1d.size=16KiB"; and so with param and use.
        std::string number;
        for (std::size_t i = 0; i < parents.size(); ++i)
            if (parents[i] == "set" || parents[i] == "param" || parents[i] == "use") {
                for (std::size_t k = i + 1; k < parents.size(); ++k) number += parents[k] + '.';
                number += item.name;
                item.name = parents[i];
                for (auto& v : item.inputs) v = number + '=' + v;
                parents.resize(i);
            }
        if (parents.size() > 1)
            throw error(file + ": there is no section [" + parents[0] + '.' + parents[1] + ']');
        entry e{file, parents.empty() ? "" : parents.front(), item.name, item.inputs};
        auto& to = e.command.empty() ? general : entries_;
        auto const known = std::find_if(to.begin(), to.end(), [&](entry const& other) {
            return other.file == e.file && other.command == e.command && other.name == e.name;
        });
        if (known == to.end())
            to.push_back(std::move(e));
        else if (!number.empty())
            known->values.insert(known->values.end(), e.values.begin(), e.values.end());
        else
            throw error(file + ": " + e.name + " is given twice; give it once");
    }
    entries_.insert(entries_.end(), general.begin(), general.end());
}

namespace {

CLI::Option const* option_called(CLI::App const& command, std::string const& name) {
    for (auto const* o : command.get_options())
        for (auto const& l : o->get_lnames())
            if (l == name && l != "help") return o;
    return nullptr;
}
bool is_among(CLI::Option const& option, std::vector<std::string> const& words) {
    for (auto const& w : words) {
        if (w == "--") break;
        for (auto const& l : option.get_lnames())
            if (w == "--" + l || w.rfind("--" + l + '=', 0) == 0) return true;
        for (auto const& s : option.get_snames())
            if (w.rfind('-' + s, 0) == 0) return true;
    }
    return false;
}

} // namespace

std::vector<std::string> command_line_defaults::completed(CLI::App const& app,
                                                          std::vector<std::string> words) const {
    auto const commands = app.get_subcommands([](CLI::App const*) { return true; });
    std::vector<std::string> names;
    std::vector<std::string> command_names;
    for (auto const* c : commands) {
        command_names.push_back(c->get_name());
        for (auto const* o : c->get_options())
            for (auto const& l : o->get_lnames())
                if (l != "help") names.push_back(l);
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (words.empty()) words = {"run"};
    CLI::App const* asked = nullptr;
    for (auto const* c : commands)
        if (c->get_name() == words.front()) asked = c;

    for (auto const& s : sections_) {
        auto known = command_names;
        known.insert(known.end(), {"default", "set", "param", "use"});
        if (std::find(known.begin(), known.end(), s.name) == known.end())
            throw error(s.place + ": [" + s.name + "] is no command" + warpkit::did_you_mean(s.name, known));
    }
    std::vector<std::string> more;
    std::string said;
    auto const given = words;
    for (auto const& e : entries_) {
        CLI::App const* of = nullptr;
        for (auto const* c : commands)
            if (c->get_name() == e.command) of = c;
        if (!e.command.empty() && of == nullptr)
            throw error(e.file + ": [" + e.command + "] is no command" +
                        warpkit::did_you_mean(e.command, command_names));
        bool const known = of != nullptr ? option_called(*of, e.name) != nullptr
                                         : std::binary_search(names.begin(), names.end(), e.name);
        if (!known) {
            auto near = of == nullptr ? names : std::vector<std::string>();
            if (of != nullptr)
                for (auto const* o : of->get_options())
                    for (auto const& l : o->get_lnames()) near.push_back(l);
            throw error(e.file + ": " +
                        (of == nullptr ? "no command has an" : "lab " + e.command + " has no") +
                        " option --" + e.name + warpkit::did_you_mean(e.name, near) +
                        "; lab --no-config goes without this file");
        }
        if (asked == nullptr || (of != nullptr && of != asked)) continue;
        auto const* const option = option_called(*asked, e.name);
        if (option == nullptr || is_among(*option, given) || is_among(*option, more)) continue;
        auto const excluded = option->get_excludes();
        if (std::any_of(excluded.begin(), excluded.end(),
                        [&](CLI::Option const* o) { return is_among(*o, given) || is_among(*o, more); }))
            continue;
        bool const flag = option->get_items_expected_max() == 0;
        if (flag && e.values != std::vector<std::string>{"true"} &&
            e.values != std::vector<std::string>{"false"})
            throw error(e.file + ": " + e.name + " is true or false");
        if (flag && e.values.front() == "false") continue;
        if (flag) more.push_back("--" + e.name);
        if (!flag)
            for (auto const& v : e.values) more.insert(more.end(), {"--" + e.name, v});
        said += (said.empty() ? "" : ", ") + e.name + " of " + e.file;
    }
    auto const is_quiet = [](std::string const& w) { return w == "--quiet" || w == "-q"; };
    if (!said.empty() && std::none_of(given.begin(), given.end(), is_quiet) &&
        std::none_of(more.begin(), more.end(), is_quiet))
        std::cerr << "lab: note: defaults: " << said << " (--no-config goes without)\n";
    words.insert(std::find(words.begin(), words.end(), "--"), more.begin(), more.end());
    return words;
}

} // namespace lab
