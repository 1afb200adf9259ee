#include "help.hpp"

#include <warpkit/config/settings.hpp>
#include <warpkit/report/counters.hpp>
#include <warpkit/report/metrics.hpp>
#include <warpkit/version.hpp>

#include "catalogue.hpp"
#include "kernels/workload.hpp"
#include "lab.hpp"
#include "machine_files.hpp"
#include "plot.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <string_view>

namespace lab {

using namespace warpkit;

namespace {

using words = std::vector<std::string>;

words with(words names, words const& more) {
    names.insert(names.end(), more.begin(), more.end());
    return names;
}
words kernel_names() {
    words names = {"all"};
    for (auto const& suite : kernels::suites()) names.emplace_back(suite.name);
    for (auto const* w : kernels::all()) names.emplace_back(w->name);
    return names;
}
words metric_names(bool counters) {
    words names;
    for (auto const& m : report::all_metrics) names.emplace_back(m.name);
    if (counters)
        for (auto const& f : report::all_counters()) names.push_back(f.name);
    return names;
}
words number_names() {
    words names;
    for (auto const& f : machine_numbers()) names.push_back(f.name + '=');
    return names;
}
words parameter_names() {
    words names;
    for (auto const* w : kernels::all())
        for (auto const& p : w->parameters)
            names.push_back(std::string(w->name) + '.' + std::string(p.name) + '=');
    return names;
}
words seat_names() {
    words names;
    for (auto const& row : seat_rows()) names.push_back(std::string(row.name) + '=');
    return names;
}
words cache_names() { return {"preset", "perfect", "all"}; }

// What an option takes, where that is a name.
words values_of(std::string const& option) {
    static std::map<std::string, words (*)()> const by_option = {
        {"--kernel", kernel_names},
        {"--scheduler", [] { return with(scheduler_names(), {"all"}); }},
        {"--under", scheduler_names},
        {"--baseline", scheduler_names},
        {"--preset", [] { return with(preset_names(), {"all"}); }},
        {"--dram", [] { return with(dram_names(), {"all"}); }},
        {"--replay", [] { return with(replay_names(), {"all"}); }},
        {"--fetch", [] { return with(policy_names_in("fetch_order"), {"all"}); }},
        {"--prefetch", [] { return with(policy_names_in("instruction_prefetch"), {"all"}); }},
        {"--dispatch", [] { return with(policy_names_in("cta_choice"), {"all"}); }},
        {"--occupancy", [] { return with(policy_names_in("occupancy_limit"), {"all"}); }},
        {"--l1", cache_names},
        {"--l2", cache_names},
        {"--use", seat_names},
        {"--set", number_names},
        {"--against", number_names},
        {"--param", parameter_names},
        {"--metric", [] { return with(metric_names(true), {"all"}); }},
        {"--view", [] { return with(view_names(), {"all"}); }},
        {"--kind", plot_kinds},
        {"--size",
         [] {
             return words{"small", "medium", "full"};
         }},
        {"--engine",
         [] {
             return words{"fast", "reference"};
         }},
        {"--copies",
         [] {
             return words{"accel-sim", "l2", "none"};
         }},
        {"--compress",
         [] {
             return words{"xz", "gzip", "zstd"};
         }},
        {"--isa", [] {
             return words{"kepler", "volta", "ampere"};
         }}};
    auto const found = by_option.find(option);
    return found == by_option.end() ? words() : found->second();
}
// And what stands behind a command without one.
words values_behind(std::string const& command) {
    if (command == "list") return with(list_topics(), {"all"});
    if (command == "show") return with(preset_names(), {"all"});
    if (command == "cost") return with(with(preset_names(), scheduler_names()), {"all"});
    if (command == "record" || command == "trace") return kernel_names();
    if (command == "figures")
        return with({"owl", "elf", "degree", "locality", "comparators", "blocks", "schedulers", "modern",
                     "ladders", "hardware", "today"},
                    {"all"});
    if (command == "completion") return {"bash", "zsh", "fish"};
    if (command == "explain") {
        words names;
        explained({}, names, false);
        return names;
    }
    return {};
}

// An option by how it is written on the command line; null if there is none.
CLI::Option const* option_of(CLI::App const& app, std::string const& word) {
    for (auto const* o : app.get_options())
        for (auto const& name : word.rfind("--", 0) == 0 ? o->get_lnames() : o->get_snames())
            if ((word.rfind("--", 0) == 0 ? "--" : "-") + name == word) return o;
    return nullptr;
}
std::string long_name(CLI::Option const& o) {
    return o.get_lnames().empty() ? "" : "--" + o.get_lnames().front();
}

// Text for roff: no line begins with a control character, hyphens stay what they are.
std::string roff(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((i == 0 || text[i - 1] == '\n') && (text[i] == '.' || text[i] == '\'')) out += "\\&";
        if (text[i] == '\\')
            out += "\\e";
        else if (text[i] == '-')
            out += "\\-";
        else
            out += text[i];
    }
    return out;
}
void print_options(CLI::App const& app) {
    for (auto const* o : app.get_options()) {
        std::string name;
        for (auto const& s : o->get_snames()) name += (name.empty() ? "" : ", ") + ("-" + s);
        for (auto const& l : o->get_lnames()) name += (name.empty() ? "" : ", ") + ("--" + l);
        if (name.empty()) name = o->get_name(true);
        bool const flag = o->get_items_expected_max() == 0;
        auto const type = flag || o->get_positional() ? std::string() : o->get_type_name();
        std::cout << ".TP\n\\fB" << roff(name) << "\\fR"
                  << (type.empty() ? "" : " \\fI" + roff(type) + "\\fR") << '\n'
                  << roff(o->get_description()) << '\n';
    }
}
void print_footer(CLI::App const& app) {
    auto text = app.get_footer();
    while (!text.empty() && text.front() == '\n') text.erase(0, 1);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    if (!text.empty()) std::cout << ".PP\n.nf\n" << roff(text) << "\n.fi\n";
}

constexpr char const* bash_script =
    R"sh(# Completion of warpkit's lab in bash: source it, or put it where bash-completion looks.
_lab() {
    local line=${COMP_LINE:0:COMP_POINT} words candidate
    read -ra words <<<"$line"
    [[ $line == *' ' ]] && words+=('')
    # Bash takes a word apart at = and :, and wants what is behind the last of them.
    local last=${words[${#words[@]} - 1]} current=${COMP_WORDS[COMP_CWORD]}
    [[ $current == [=:] ]] && current=
    local cut=${last%"$current"}
    COMPREPLY=()
    while read -r candidate; do
        COMPREPLY+=("${candidate#"$cut"}")
    done < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    return 0
}
complete -o default -F _lab lab
)sh";
constexpr char const* zsh_script = R"sh(#compdef lab
# Completion of warpkit's lab in zsh: put it as _lab into a folder of $fpath, or source it.
_lab() {
    local -a candidates
    candidates=(${(f)"$(${words[1]} complete "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( ${#candidates} )); then
        compadd -Q -- $candidates
    else
        _files
    fi
}
if [[ $funcstack[1] == _lab ]]; then _lab "$@"; else compdef _lab lab; fi
)sh";
constexpr char const* fish_script =
    R"sh(# Completion of warpkit's lab in fish: put it as lab.fish into ~/.config/fish/completions.
function __lab_complete
    set -l typed (commandline -opc) (commandline -ct)
    command $typed[1] complete $typed[2..-1] 2>/dev/null
end
complete -c lab -a '(__lab_complete)'
)sh";

} // namespace

void print_completion(std::string const& shell) {
    if (shell == "bash")
        std::cout << bash_script;
    else if (shell == "zsh")
        std::cout << zsh_script;
    else if (shell == "fish")
        std::cout << fish_script;
    else
        refuse_name("shell", shell, {"bash", "zsh", "fish"});
}

void complete(CLI::App& app, words const& typed) {
    auto const last = typed.empty() ? std::string() : typed.back();
    std::string before; // what of the word stays
    words candidates;
    CLI::App const* command = nullptr;
    if (typed.size() > 1)
        for (auto const* c : app.get_subcommands([](CLI::App const*) { return true; }))
            if (c->get_name() == typed.front()) command = c;
    if (command == nullptr) {
        for (auto const* c : app.get_subcommands([](CLI::App const*) { return true; }))
            candidates.push_back(c->get_name());
        candidates.insert(candidates.end(), {"--help", "--version", "--config", "--no-config"});
    } else {
        auto const* option = option_of(*command, typed[typed.size() - 2]);
        if (option != nullptr && option->get_items_expected_max() == 0) option = nullptr; // a flag
        auto prefix = last;
        if (auto const equals = last.find('='); last.rfind("--", 0) == 0 && equals != last.npos) {
            option = option_of(*command, last.substr(0, equals));
            before = last.substr(0, equals + 1);
            prefix = last.substr(equals + 1);
        }
        if (option != nullptr) {
            candidates = values_of(long_name(*option));
            if (auto const comma = prefix.rfind(','); comma != prefix.npos)
                before += prefix.substr(0, comma + 1);
        } else if (last.rfind('-', 0) == 0) {
            for (auto const* o : command->get_options())
                for (auto const& l : o->get_lnames()) candidates.push_back("--" + l);
        } else {
            candidates = values_behind(command->get_name());
        }
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (auto const& c : candidates)
        if ((before + c).rfind(last, 0) == 0) std::cout << before << c << '\n';
}

void print_man_page(CLI::App& app) {
    std::cout << ".\\\" Made by lab man.\n.TH LAB 1 \"\" \"warpkit " << WARPKIT_VERSION_MAJOR << '.'
              << WARPKIT_VERSION_MINOR << '.' << WARPKIT_VERSION_PATCH << "\" \"User Commands\"\n"
              << ".SH NAME\nlab \\- runs CUDA kernels on GPU models put together from policies\n"
              << ".SH SYNOPSIS\n.B lab\n[\\fICOMMAND\\fR [\\fIOPTIONS\\fR]]\n.SH DESCRIPTION\n"
              << roff(app.get_description()) << '\n';
    print_footer(app);
    print_options(app);
    std::cout << ".SH COMMANDS\n";
    for (auto const* c : app.get_subcommands([](CLI::App const*) { return true; })) {
        std::cout << ".SS lab " << roff(c->get_name()) << '\n' << roff(c->get_description()) << ".\n";
        print_options(*c);
        print_footer(*c);
    }
    std::cout
        << ".SH EXIT STATUS\n0 when all values were right; 1 when a value was wrong or a simulation "
           "failed, or "
           "when the host would not do more; 2 when the question was wrong.\n"
           ".SH FILES\n.TP\n\\fI./lab.toml\\fR, \\fI~/.config/warpkit/lab.toml\\fR\nDefaults of the command "
           "line: options by their long names, as scheduler = [\"gto\", \"elf\"], for all commands that have "
           "them; below [run] and the like for that command.\n"
           ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nNothing is coloured where it is set.\n"
           ".TP\n\\fBTMPDIR\\fR\nWhere what does not fit into \\-\\-reuse\\-memory is kept while a lab "
           "runs.\n";
}

std::string meant_option(CLI::App const& app, words const& arguments) {
    words names;
    for (auto const* o : app.get_options())
        for (auto const& l : o->get_lnames()) names.push_back("--" + l);
    for (auto const& a : arguments) {
        auto const word = a.substr(0, a.find('='));
        if (word.rfind("--", 0) == 0 && std::find(names.begin(), names.end(), word) == names.end())
            return did_you_mean(word, names);
    }
    // A value without its option: of several that take it, the first.
    for (auto const& a : arguments) {
        if (a.rfind('-', 0) == 0) continue;
        words values;
        std::map<std::string, std::string> written; // with its option
        for (auto const* o : app.get_options())
            for (auto const& v : values_of(long_name(*o)))
                if (v.back() != '=' && v != "all" && written.emplace(v, long_name(*o) + ' ' + v).second)
                    values.push_back(v);
        if (written.count(a) != 0) return " (write " + written.at(a) + ')';
        auto const nearest = nearest_name(a, values);
        return nearest.empty() ? "" : " (did you mean " + written.at(nearest) + "?)";
    }
    return {};
}

} // namespace lab
