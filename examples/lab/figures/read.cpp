// Reads declarations: NAME.toml and NAME.tsv.
#include <warpkit/base/error.hpp>
#include <warpkit/base/input_file.hpp>
#include <warpkit/config/settings.hpp>

#include "figure_files.hpp"
#include "figures.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#ifdef WARPKIT_HAS_TOML
#include <toml++/toml.h>
#endif

namespace lab::figures {

using warpkit::error;

namespace {

std::vector<std::string> split(std::string_view text, char at) {
    std::vector<std::string> parts(1);
    for (char const c : text)
        if (c == at)
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

std::optional<double> number_of(std::string const& text) {
    double value = 0;
    auto const* const end = text.data() + text.size();
    auto const [at, problem] = std::from_chars(text.data(), end, value);
    return problem == std::errc() && at == end ? std::optional(value) : std::nullopt;
}

std::vector<paper_value> values_of(std::string_view text, std::string const& file) {
    std::vector<paper_value> all;
    std::size_t line = 0;
    for (auto const& one : split(text, '\n')) {
        ++line;
        if (line == 1 || one.empty()) continue;
        auto const cells = split(one, '\t');
        if (cells.size() != 10)
            throw error(file + ':' + std::to_string(line) + ": " + std::to_string(cells.size()) +
                        " columns in place of 10");
        all.push_back({cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7], cells[8],
                       cells[9] == "-" ? "" : cells[9], number_of(cells[7])});
    }
    return all;
}

// `*` stands for any text.
bool fits(std::string_view pattern, std::string_view text) {
    auto const star = pattern.find('*');
    if (star == pattern.npos) return pattern == text;
    auto const before = pattern.substr(0, star);
    if (text.substr(0, before.size()) != before) return false;
    auto const rest = pattern.substr(star + 1);
    for (auto at = before.size(); at <= text.size(); ++at)
        if (fits(rest, text.substr(at))) return true;
    return false;
}

} // namespace

std::vector<paper_value const*> values_that_fit(document const& d, value_pattern const& p) {
    std::vector<paper_value const*> all;
    for (auto const& v : d.values)
        if (fits(p.item, v.item) && fits(p.row, v.row) && fits(p.series, v.series) &&
            fits(p.metric, v.metric))
            all.push_back(&v);
    return all;
}

std::vector<std::string> document::diagnosed(row const& r) const {
    std::vector<std::string> names{baseline_of(r)};
    if (r.baseline.empty())
        for (auto const& perfect : {perfect_l1, perfect_l2})
            if (!perfect.empty()) names.push_back(perfect);
    return names;
}
series const& document::series_called(std::string const& called) const {
    for (auto const& s : all_series)
        if (s.name == called) return s;
    throw std::logic_error("a series that was not checked: " + called);
}
std::vector<std::string> document::series_names() const {
    std::vector<std::string> names;
    for (auto const& s : all_series) names.push_back(s.name);
    return names;
}

std::vector<row const*> rows_of(document const& d, figure const& f) {
    std::vector<row const*> all;
    for (auto const& r : d.rows)
        for (auto const& wanted : f.rows)
            if (wanted == "all" || wanted == r.name ||
                std::find(r.classes.begin(), r.classes.end(), wanted) != r.classes.end()) {
                all.push_back(&r);
                break;
            }
    return all;
}

std::vector<std::string> document_names() {
    std::vector<std::string> names;
    for (auto const& f : embedded_figure_files()) {
        std::string const name(f.name);
        if (auto const dot = name.find(".toml"); dot != name.npos) names.push_back(name.substr(0, dot));
    }
    return names;
}

#ifdef WARPKIT_HAS_TOML

namespace {

using variables = std::vector<std::pair<std::string, std::string>>;

class declaration_reader {
public:
    declaration_reader(std::string file, document& to) : file_(std::move(file)), to_(&to) {}

    void read(toml::table const& table) {
        expect(table, {"title", "apart", "machine", "baseline", "perfect_l1", "perfect_l2", "notes", "row",
                       "series", "figure"});
        to_->title = needed(table, "title");
        to_->machine = needed(table, "machine");
        to_->baseline = needed(table, "baseline");
        to_->perfect_l1 = optional_text(table, "perfect_l1");
        to_->perfect_l2 = optional_text(table, "perfect_l2");
        to_->apart = flag(table, "apart");
        to_->notes = texts_of(table, "notes");
        each_table(table, "row", [&](toml::table const& t) { read_row(t); });
        each_table(table, "series", [&](toml::table const& t) { read_series(t); });
        names_ = to_->series_names();
        std::vector<std::string> diagnosed{to_->baseline, to_->perfect_l1, to_->perfect_l2};
        for (auto const& r : to_->rows) diagnosed.push_back(r.baseline);
        for (auto const& name : diagnosed)
            if (!name.empty() && std::find(names_.begin(), names_.end(), name) == names_.end())
                refuse(table, "there is no series '" + name + "'" + warpkit::did_you_mean(name, names_));
        each_table(table, "figure", [&](toml::table const& t) { read_figure(t); });
        std::set<std::string> ids;
        for (auto const& f : to_->all_figures)
            if (!ids.insert(f.id).second) refuse(table, "two figures are called " + f.id);
        std::vector<std::string> experiments;
        for (auto const& f : to_->all_figures)
            if (f.experiment) experiments.push_back(f.id);
        for (auto const& [at, id] : cited_)
            if (std::find(experiments.begin(), experiments.end(), id) == experiments.end())
                refuse(*at, "there is no experiment '" + id + "'" + warpkit::did_you_mean(id, experiments));
    }

private:
    [[noreturn]] void refuse(toml::node const& at, std::string const& why) const {
        throw error(file_ + ':' + std::to_string(at.source().begin.line) + ": " + why);
    }
    void expect(toml::table const& table, std::vector<std::string> const& known) const {
        for (auto const& [key, value] : table) {
            std::string const name(key.str());
            if (std::find(known.begin(), known.end(), name) == known.end())
                refuse(value, "there is no '" + name + "' here" + warpkit::did_you_mean(name, known));
        }
    }
    // {name} stands for the value that `each` gives it.
    std::string filled(std::string text) const {
        for (auto const& [name, value] : variables_)
            for (std::size_t at = 0; (at = text.find('{' + name + '}', at)) != text.npos; at += value.size())
                text.replace(at, name.size() + 2, value);
        return text;
    }
    std::string text(toml::node const& value, std::string const& name) const {
        if (auto const* const s = value.as_string()) return filled(s->get());
        if (auto const* const n = value.as_integer()) return std::to_string(n->get());
        if (auto const* const b = value.as_boolean()) return b->get() ? "1" : "0";
        refuse(value, name + ": expected a text or a whole number");
    }
    std::string optional_text(toml::table const& table, std::string const& name) const {
        auto const* const value = table.get(name);
        return value == nullptr ? std::string() : text(*value, name);
    }
    std::string needed(toml::table const& table, std::string const& name) const {
        auto result = optional_text(table, name);
        if (result.empty()) refuse(table, "'" + name + "' is missing");
        return result;
    }
    std::vector<std::string> texts(toml::node const& value, std::string const& name) const {
        if (auto const* const list = value.as_array()) {
            std::vector<std::string> all;
            for (auto const& entry : *list) all.push_back(text(entry, name));
            return all;
        }
        return {text(value, name)};
    }
    std::vector<std::string> texts_of(toml::table const& table, std::string const& name) const {
        auto const* const value = table.get(name);
        return value == nullptr ? std::vector<std::string>() : texts(*value, name);
    }
    std::optional<double> real(toml::table const& table, std::string const& name) const {
        auto const* const value = table.get(name);
        if (value == nullptr) return {};
        if (auto const d = value->value<double>()) return *d;
        refuse(*value, name + ": expected a number");
    }
    bool flag(toml::table const& table, std::string const& name) const {
        auto const* const value = table.get(name);
        if (value == nullptr) return false;
        if (auto const* const b = value->as_boolean()) return b->get();
        refuse(*value, name + ": expected true or false");
    }
    // [[name]], once for each combination of its `each`.
    template <class Read>
    void each_table(toml::table const& in, std::string const& name, Read read) {
        auto const* const value = in.get(name);
        if (value == nullptr) return;
        auto const* const all = value->as_array();
        if (all == nullptr || !all->is_homogeneous(toml::node_type::table))
            refuse(*value, "'" + name + "' is written as [[" + name + "]]");
        for (auto const& entry : *all) {
            auto const& table = *entry.as_table();
            auto const outer = variables_;
            for (auto const& inner : combinations(table)) {
                variables_ = outer;
                variables_.insert(variables_.end(), inner.begin(), inner.end());
                read(table);
            }
            variables_ = outer;
        }
    }
    // `each`: a table of lists, all of whose combinations are meant; or a list of tables, which are.
    std::vector<variables> combinations(toml::table const& table) const {
        std::vector<variables> all(1);
        auto const* const each = table.get("each");
        if (each == nullptr) return all;
        if (auto const* const lists = each->as_table()) {
            for (auto const& [key, values] : *lists) {
                std::vector<variables> longer;
                for (auto const& before : all)
                    for (auto const& v : texts(values, std::string(key.str()))) {
                        longer.push_back(before);
                        longer.back().emplace_back(std::string(key.str()), v);
                    }
                all = std::move(longer);
            }
            return all;
        }
        auto const* const list = each->as_array();
        if (list == nullptr || !list->is_homogeneous(toml::node_type::table))
            refuse(*each, "'each' is a table of lists, or a list of tables");
        all.clear();
        for (auto const& entry : *list) {
            all.emplace_back();
            for (auto const& [key, v] : *entry.as_table())
                all.back().emplace_back(std::string(key.str()), text(v, std::string(key.str())));
        }
        return all;
    }

    // { columns = 4 } as kernel.columns=4; `l1d.size` is a table within a table.
    void assignments(toml::table const& in, std::string const& name, std::string const& before,
                     std::vector<std::string>& to) const {
        auto const* const value = in.get(name);
        if (value == nullptr) return;
        if (value->as_table() == nullptr) refuse(*value, name + " is a table: { name = value }");
        flatten(*value->as_table(), before, to);
    }
    void flatten(toml::table const& table, std::string const& before, std::vector<std::string>& to) const {
        for (auto const& [key, value] : table) {
            auto const called = before + std::string(key.str());
            if (auto const* const inner = value.as_table())
                flatten(*inner, called + '.', to);
            else
                to.push_back(called + '=' + text(value, called));
        }
    }

    // CTAs that fit a core; 0 where nothing is said.
    unsigned fitting(toml::table const& t, std::string const& name) const {
        auto const fits = real(t, name);
        if (!fits) return 0;
        if (!(*fits >= 1 && *fits <= 64)) refuse(*t.get(name), "fits: expected 1 to 64 CTAs");
        return static_cast<unsigned>(*fits);
    }

    void read_row(toml::table const& t) {
        expect(t, {"name", "class", "kernel", "param", "small", "paper", "fits", "waits", "note", "baseline",
                   "each"});
        row r;
        r.name = needed(t, "name");
        r.classes = texts_of(t, "class");
        r.kernel = optional_text(t, "kernel");
        r.waits = optional_text(t, "waits");
        r.note = optional_text(t, "note");
        r.baseline = optional_text(t, "baseline");
        if (auto const* const by_size = t.get_as<toml::table>("fits")) {
            expect(*by_size, {"small", "paper"});
            r.fits = {fitting(*by_size, "small"), fitting(*by_size, "paper")};
        } else {
            r.fits = {fitting(t, "fits"), fitting(t, "fits")};
        }
        if (r.kernel.empty() && r.waits.empty())
            refuse(t, "row " + r.name + ": name its kernel, or what it waits for");
        assignments(t, "param", r.kernel + '.', r.parameters);
        assignments(t, "small", r.kernel + '.', r.small_only);
        assignments(t, "paper", r.kernel + '.', r.paper_only);
        for (auto const& other : to_->rows)
            if (other.name == r.name) refuse(t, "two rows are called " + r.name);
        to_->rows.push_back(std::move(r));
    }

    void read_series(toml::table const& t) {
        expect(t, {"name", "title", "machine", "scheduler", "replay", "fetch", "prefetch", "dispatch",
                   "occupancy", "dram", "l1", "l2", "use", "set", "row_sharing", "program_points", "waits",
                   "each"});
        series s;
        s.name = needed(t, "name");
        s.title = optional_text(t, "title");
        if (s.title.empty()) s.title = s.name;
        s.waits = optional_text(t, "waits");
        s.row_sharing = flag(t, "row_sharing");
        auto const machine = optional_text(t, "machine");
        s.asked.presets = {machine.empty() ? to_->machine : machine};
        for (auto const& [name, list] : {std::pair("scheduler", &request::schedulers),
                                         {"replay", &request::replay},
                                         {"fetch", &request::fetch},
                                         {"prefetch", &request::prefetch},
                                         {"dispatch", &request::dispatch},
                                         {"occupancy", &request::occupancy},
                                         {"dram", &request::dram},
                                         {"l1", &request::l1},
                                         {"l2", &request::l2}})
            if (auto const one = optional_text(t, name); !one.empty()) s.asked.*list = {one};
        assignments(t, "use", "", s.asked.uses);
        assignments(t, "set", "", s.asked.settings);
        s.asked.program_points = flag(t, "program_points");
        if (s.row_sharing) s.asked.settings.emplace_back(row_sharing_on);
        for (auto const& other : to_->all_series)
            if (other.name == s.name) refuse(t, "two series are called " + s.name);
        to_->all_series.push_back(std::move(s));
    }

    formula formula_of(toml::node const& at, std::string const& text) const {
        try {
            return formula(text, names_);
        } catch (error const& e) {
            refuse(at, e.what());
        }
    }
    value_pattern pattern_of(toml::node const& at, std::string const& text) const {
        auto const parts = split(text, '|');
        if (parts.size() != 4)
            refuse(at, "'" + text + "': write item|row|series|metric, as the .tsv has them");
        return {parts[0], parts[1], parts[2], parts[3]};
    }

    void read_figure(toml::table const& t) {
        expect(t, {"id",    "item",    "title", "form",  "unit",  "machine",   "rows",       "columns",
                   "value", "neutral", "means", "along", "x",     "curves_of", "target",     "claim",
                   "notes", "waits",   "seen",  "each",  "paper", "size",      "experiment", "why"});
        figure f;
        f.id = needed(t, "id");
        f.item = needed(t, "item");
        f.title = needed(t, "title");
        auto const how = needed(t, "form");
        std::vector<std::pair<std::string, form>> const forms = {
            {"bars", form::bars},   {"stacked", form::stacked}, {"curves", form::curves},
            {"table", form::table}, {"numbers", form::numbers}, {"words", form::words}};
        auto const found =
            std::find_if(forms.begin(), forms.end(), [&](auto const& p) { return p.first == how; });
        if (found == forms.end()) refuse(t, "form is bars, stacked, curves, table, numbers or words");
        f.how = found->second;
        f.unit = optional_text(t, "unit");
        f.machine = optional_text(t, "machine");
        if (f.machine.empty()) f.machine = to_->machine;
        f.rows = texts_of(t, "rows");
        for (auto const& name : f.rows)
            if (name != "all" && rows_of(*to_, figure_of(name)).empty())
                refuse(t, "there is no row, and no class of rows, called " + name);
        f.means = texts_of(t, "means");
        f.along = optional_text(t, "along");
        f.x = texts_of(t, "x");
        f.curve_for_each_row = optional_text(t, "curves_of") == "rows";
        f.notes = texts_of(t, "notes");
        f.waits = optional_text(t, "waits");
        f.size = optional_text(t, "size");
        if (!f.size.empty() && f.size != "small" && f.size != "paper") refuse(t, "size is small or paper");
        f.seen = optional_text(t, "seen");
        f.experiment = flag(t, "experiment");
        f.why = texts_of(t, "why");
        read_columns(t, f);
        each_table(t, "target", [&](toml::table const& one) { read_target(one, f); });
        each_table(t, "claim", [&](toml::table const& one) {
            expect(one, {"text", "where", "holds", "value", "each"});
            auto const given = [&](std::string const& name) {
                auto const said = optional_text(one, name);
                return said.empty() ? formula() : formula_of(one, said);
            };
            f.claims.push_back(
                {needed(one, "text"), optional_text(one, "where"), given("holds"), given("value")});
        });
        to_->all_figures.push_back(std::move(f));
    }
    static figure figure_of(std::string const& rows) {
        figure f;
        f.rows = {rows};
        return f;
    }

    void read_columns(toml::table const& t, figure& f) {
        auto const* const list = t.get("columns");
        if (list == nullptr) return;
        if (list->as_array() == nullptr) refuse(*list, "columns is a list of series, or of { title, value }");
        auto const common = t.get("value");
        auto const neutral = real(t, "neutral");
        auto const common_paper = t.get("paper");
        for (auto const& entry : *list->as_array()) {
            std::string title;
            std::string value;
            std::string paper;
            auto own_neutral = neutral;
            if (auto const* const one = entry.as_table()) {
                expect(*one, {"title", "value", "paper", "neutral"});
                title = needed(*one, "title");
                value = needed(*one, "value");
                paper = optional_text(*one, "paper");
                if (auto const n = real(*one, "neutral")) own_neutral = n;
            } else {
                auto const name = text(entry, "columns");
                if (common == nullptr)
                    refuse(entry, "columns of series need a value, as \"ipc@{s} / ipc@rr\"");
                if (std::find(names_.begin(), names_.end(), name) == names_.end())
                    refuse(entry, "there is no series '" + name + "'" + warpkit::did_you_mean(name, names_));
                auto const& s = to_->series_called(name);
                title = s.title;
                variables_.emplace_back("s", name);
                variables_.emplace_back("title", title);
                value = text(*common, "value");
                if (common_paper != nullptr) paper = text(*common_paper, "paper");
                variables_.resize(variables_.size() - 2);
            }
            auto const add = [&](std::string const& of) {
                column c;
                c.title = title;
                c.value = formula_of(entry, of);
                c.neutral = own_neutral;
                if (!paper.empty()) c.paper = pattern_of(entry, paper);
                f.columns.push_back(std::move(c));
            };
            if (f.how != form::curves) {
                add(value);
                continue;
            }
            for (auto const& x : f.x) {
                auto of = value;
                for (std::size_t at = 0; (at = of.find("{x}", at)) != of.npos; at += x.size())
                    of.replace(at, 3, x);
                add(of);
            }
        }
    }

    void read_target(toml::table const& t, figure& f) {
        expect(t, {"title", "paper", "ours", "mark", "convert", "neutral", "exact", "why", "each"});
        target one;
        one.paper = pattern_of(t, needed(t, "paper"));
        auto const values = values_that_fit(*to_, one.paper);
        if (values.empty()) refuse(t, "the paper's values have no " + needed(t, "paper"));
        if (!values.front()->number)
            refuse(t, needed(t, "paper") + " is no number, but " + values.front()->value);
        for (auto const* v : values)
            if (v->value != values.front()->value) refuse(t, needed(t, "paper") + " fits several values");
        one.convert = optional_text(t, "convert");
        if (!one.convert.empty() && one.convert != "gain" && one.convert != "loss" && one.convert != "share")
            refuse(t, "convert is gain, loss or share");
        one.neutral = real(t, "neutral");
        if (!one.neutral && (one.convert == "gain" || one.convert == "loss")) one.neutral = 1;
        one.exact = flag(t, "exact");
        one.why = texts_of(t, "why");
        if (one.why.empty()) one.why = f.why;
        for (auto const& id : one.why) cited_.emplace_back(&t, id);
        auto const mark = texts_of(t, "mark");
        auto ours = optional_text(t, "ours");
        if (!mark.empty()) {
            if (mark.size() != 2) refuse(t, "mark is a row or mean, and a column");
            one.mark_row = mark[0];
            one.mark_column = mark[1];
            auto const n =
                f.how == form::curves ? std::find(f.x.begin(), f.x.end(), mark[0]) - f.x.begin() : 0;
            auto const c = std::find_if(f.columns.begin(), f.columns.end(),
                                        [&](column const& x) { return x.title == one.mark_column; });
            if (c == f.columns.end() ||
                (f.how == form::curves && n == static_cast<std::ptrdiff_t>(f.x.size())))
                refuse(t, "the figure has no place for the mark at " + mark[0] + ", " + mark[1]);
            if (ours.empty()) ours = at_mark(f, mark[0], *(c + n), t);
        }
        if (ours.empty()) refuse(t, "say with 'ours' or 'mark' what stands beside it");
        one.ours = formula_of(t, ours);
        one.title = optional_text(t, "title");
        if (one.title.empty())
            one.title = values.front()->row + ", " + values.front()->series + ": " + values.front()->metric;
        f.targets.push_back(std::move(one));
    }
    std::string at_mark(figure const& f, std::string const& place, column const& c,
                        toml::table const& t) const {
        if (f.how == form::curves) return c.value.text();
        for (auto const& mean : f.means)
            if (mean == place) {
                auto const parts = split(mean, ' ');
                return parts[0] + '(' + c.value.text() + (parts.size() > 1 ? ", " + parts[1] : "") + ')';
            }
        for (auto const* r : rows_of(*to_, f))
            if (r->name == place) return "at(" + place + ", " + c.value.text() + ')';
        refuse(t, "the figure has no row or mean called " + place);
    }

    std::string file_;
    document* to_;
    std::vector<std::string> names_; // of series
    variables variables_;
    std::vector<std::pair<toml::table const*, std::string>> cited_; // experiments, and where
};

} // namespace

document read_document(std::string const& name, std::string const& folder) {
    document d;
    d.name = name;
    auto const file_text = [&](std::string const& file) {
        if (!folder.empty()) return std::pair(folder + '/' + file, warpkit::read_file(folder + '/' + file));
        for (auto const& f : embedded_figure_files())
            if (f.name == file) return std::pair("the lab's " + file, std::string(f.text));
        throw error("there is no document '" + name + "'" + warpkit::did_you_mean(name, document_names()) +
                    " (lab figures --list)");
    };
    auto const [declared, text] = file_text(name + ".toml");
    auto const [printed, values] = file_text(name + ".tsv");
    d.values = values_of(values, printed);
    try {
        auto const table = toml::parse(text, declared);
        declaration_reader(declared, d).read(table);
    } catch (toml::parse_error const& e) {
        throw error(declared + ':' + std::to_string(e.source().begin.line) + ':' +
                    std::to_string(e.source().begin.column) + ": " + std::string(e.description()));
    }
    return d;
}

#else

document read_document(std::string const& name, std::string const&) {
    throw error(
        "lab figures " + name +
        ": this lab was built without a reader of TOML; install it (Debian and Ubuntu: apt-get install "
        "libtomlplusplus-dev) and build the lab again");
}

#endif

} // namespace lab::figures
