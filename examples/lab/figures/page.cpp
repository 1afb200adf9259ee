// Figures as CSV, JSON and pages.
#include <warpkit/report/csv.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/text.hpp>
#include <warpkit/version.hpp>

#include "results.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace lab::figures {

namespace report = warpkit::report;

namespace {

std::string exact(std::optional<double> v) {
    return v && std::isfinite(*v) ? report::fixed(*v, 6) : std::string();
}
nlohmann::ordered_json number(std::optional<double> v) {
    return v && std::isfinite(*v) ? nlohmann::ordered_json::parse(report::fixed(*v, 6))
                                  : nlohmann::ordered_json();
}
std::string version() {
    return std::to_string(WARPKIT_VERSION_MAJOR) + '.' + std::to_string(WARPKIT_VERSION_MINOR) + '.' +
           std::to_string(WARPKIT_VERSION_PATCH);
}
std::string percent(std::optional<double> v) { return v ? report::percent(*v) : "-"; }

// row, column, values: curves have their x for rows.
template <class Each>
void each_cell(figure_result const& f, Each each) {
    if (f.of->how == form::curves) {
        for (std::size_t c = 0; c < f.curves.size(); ++c)
            for (std::size_t i = 0; i < f.of->x.size(); ++i) each(f.of->x[i], f.curves[c], f.cells[c][i]);
        return;
    }
    for (std::size_t r = 0; r < f.rows.size(); ++r)
        for (std::size_t c = 0; c < f.of->columns.size(); ++c)
            each(f.rows[r]->name, f.of->columns[c].title, f.cells[r][c]);
    for (auto const& [mean, cells] : f.means)
        for (std::size_t c = 0; c < f.of->columns.size(); ++c) each(mean, f.of->columns[c].title, cells[c]);
}

std::string counts_of(figure_result const& f) {
    auto const good = f.with(verdict::agrees);
    auto const half = f.with(verdict::direction);
    auto const bad = f.with(verdict::against);
    auto const all = good + half + bad;
    if (f.of->how == form::words) return f.of->waits.empty() ? "drawing" : "waits";
    if (all == 0) return f.checks.empty() ? "shown" : "waits";
    if (f.of->experiment) return std::to_string(good) + " of " + std::to_string(all) + " answers hold";
    return std::to_string(good + half) + " of " + std::to_string(all) + " in direction, " +
           std::to_string(good) + " in magnitude";
}
// The first check that has a value, for the summary.
check const* headline(figure_result const& f) {
    for (auto const& c : f.checks)
        if (c.result != verdict::waits && c.paper_number) return &c;
    for (auto const& c : f.checks)
        if (c.result != verdict::waits) return &c;
    return f.checks.empty() ? nullptr : &f.checks.front();
}
std::string overall_of(figure_result const& f) {
    if (f.of->how == form::words) return f.of->waits.empty() ? "-" : "waits";
    if (f.of->experiment) return "experiment";
    return f.checks.empty() && f.rows_with_runs != 0 ? "shown" : word_of(f.overall());
}
// An experiment's answer is none of the paper's.
char const* word_for(figure_result const& f, check const& c) {
    if (!f.of->experiment || c.result == verdict::waits) return word_of(c.result);
    return c.result == verdict::agrees ? "shows" : "shows not";
}
std::string joined(std::vector<std::string> const& all, char const* between) {
    std::string text;
    for (auto const& one : all) text += (text.empty() ? "" : between) + one;
    return text;
}
// The experiments that are named beside a figure's checks, each once.
std::vector<std::string> experiments_of(figure_result const& f) {
    std::vector<std::string> all;
    for (auto const& c : f.checks)
        for (auto const& id : c.why)
            if (std::find(all.begin(), all.end(), id) == all.end()) all.push_back(id);
    return all;
}
std::string cut(std::string text, std::size_t most) {
    if (report::display_width(text) <= most) return text;
    text.resize(text.rfind(' ', most));
    return text + " ...";
}
// Waiting rows by what they wait for: "SAD, BFS: a texture".
std::string waiting_short(figure_result const& f) {
    if (f.waiting.empty()) return "";
    std::vector<std::string> names;
    for (auto const& w : f.waiting) names.push_back(w.substr(0, w.find(':')));
    return joined(names, ", ");
}

} // namespace

std::string command_of(document_result const& d, figure_result const& f) {
    return "lab figures " + d.of->name + " --only " + f.of->id + " --size " + d.size;
}

std::string csv_of(figure_result const& f) {
    auto text = report::csv_line({"figure", "row", "column", "ours", "paper", "unit"});
    each_cell(f, [&](std::string const& row, std::string const& column, cell const& c) {
        text += report::csv_line({f.of->id, row, column, exact(c.ours), exact(c.paper), f.of->unit});
    });
    for (auto const& c : f.checks)
        text += report::csv_line({f.of->id, c.what, "verdict: " + std::string(word_for(f, c)), exact(c.ours),
                                  c.paper_number ? exact(c.paper_number) : c.paper, c.note});
    return text;
}

nlohmann::ordered_json json_of(document_result const& d, figure_result const& f, run_table const& runs) {
    nlohmann::ordered_json j;
    j["warpkit"] = version();
    j["document"] = d.of->title;
    j["figure"] = f.of->id;
    j["item"] = f.of->item;
    j["title"] = f.of->title;
    j["unit"] = f.of->unit;
    j["size"] = d.size;
    j["command"] = command_of(d, f);
    j["verdict"] = overall_of(f);
    auto& values = j["values"] = nlohmann::ordered_json::array();
    each_cell(f, [&](std::string const& row, std::string const& column, cell const& c) {
        values.push_back(
            {{"row", row}, {"column", column}, {"ours", number(c.ours)}, {"paper", number(c.paper)}});
    });
    auto& checks = j["checks"] = nlohmann::ordered_json::array();
    for (auto const& c : f.checks)
        checks.push_back({{"what", c.what},
                          {"paper", c.paper},
                          {"paper_number", number(c.paper_number)},
                          {"ours", number(c.ours)},
                          {"ours_text", c.ours_text},
                          {"verdict", word_for(f, c)},
                          {"note", c.note},
                          {"experiments", c.why}});
    j["waits"] = f.waiting;
    j["notes"] = f.of->notes;
    // What was run, so that anyone can hold their own against it.
    std::set<std::string> series;
    for (auto const& c : f.of->columns) series.insert(c.value.series().begin(), c.value.series().end());
    for (auto const& t : f.of->targets) series.insert(t.ours.series().begin(), t.ours.series().end());
    for (auto const& c : f.of->claims)
        for (auto const* of : {&c.holds, &c.value}) series.insert(of->series().begin(), of->series().end());
    auto& all = j["runs"] = nlohmann::ordered_json::array();
    for (auto const* r : f.rows)
        for (auto const& s : series) {
            auto const found = runs.find({r->name, s});
            if (found == runs.end()) continue;
            auto const& one = *found->second;
            nlohmann::ordered_json labels;
            for (auto const* const label : {"kernel", "preset", "scheduler", "replay_queue", "dispatch",
                                            "occupancy", "l1", "l2", "policies", "parameters"})
                if (auto const at = one.record.find(label); at != one.record.end()) labels[label] = *at;
            nlohmann::ordered_json const changes = one.record.at("changes");
            all.push_back({{"row", r->name},
                           {"series", s},
                           {"labels", labels},
                           {"changes", changes},
                           {"cycles", one.record.at("counters").at("cycles")},
                           {"verified", one.verified},
                           {"fingerprint", one.record.at("fingerprint")}});
        }
    return j;
}

// ---- pages

namespace {

constexpr char const* page_style =
    R"(:root{color-scheme:light dark;--text:#1b1b1b;--back:#fff;--soft:#f3f3f1;--rule:#d5d5d0;--good:#00694d;--half:#7a5200;--bad:#a83200;--link:#005a96}
@media (prefers-color-scheme:dark){:root{--text:#e8e8e8;--back:#161616;--soft:#222;--rule:#3c3c3c;--good:#3fd3a5;--half:#f0b23a;--bad:#ff9060;--link:#7cc4ff}}
body{margin:0 auto;padding:1.2rem;max-width:76rem;background:var(--back);color:var(--text);font:15px/1.5 system-ui,'DejaVu Sans',sans-serif}
h1{font-size:1.5rem;margin:.4rem 0}h2{font-size:1.15rem;margin:2.6rem 0 .3rem;border-top:1px solid var(--rule);padding-top:1rem}h3{font-size:1rem;margin:1.1rem 0 .3rem}
a{color:var(--link)}code{background:var(--soft);padding:.1em .35em;border-radius:3px;font-size:.9em;overflow-wrap:anywhere}
.wide{overflow-x:auto;margin:.6rem 0}table{border-collapse:collapse;font-size:.87rem}th,td{padding:.18rem .6rem;border-bottom:1px solid var(--rule);text-align:right;vertical-align:top}
th{background:var(--soft);font-weight:600}th:first-child,td:first-child,.left{text-align:left}td.left{max-width:34rem}td:first-child{white-space:nowrap}td.left:first-child{white-space:normal}.paper{opacity:.72}
.agrees{color:var(--good);font-weight:600}.direction{color:var(--half);font-weight:600}.against{color:var(--bad);font-weight:600}.waits{opacity:.7;font-style:italic}
.note{background:var(--soft);border-left:3px solid var(--half);padding:.3rem .7rem;margin:.4rem 0;font-size:.9rem}summary{cursor:pointer}
svg{height:auto;max-width:max(100%,44rem)}caption{text-align:left;padding:.2rem 0;font-size:.95em}
)";

} // namespace

std::string head_of(std::string const& title, bool plots) {
    return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
           escaped(title) + "</title>\n<style>\n" + page_style + (plots ? svg_style() : "") +
           "</style>\n</head>\n<body>\n";
}
namespace {

// A sentence in which `this` is code.
std::string prose(std::string_view text) {
    std::string out;
    bool code = false;
    for (std::size_t from = 0; from <= text.size();) {
        auto const to = std::min(text.find('`', from), text.size());
        out += escaped(text.substr(from, to - from));
        if (to < text.size()) out += (code = !code) ? "<code>" : "</code>";
        from = to + 1;
    }
    return out + (code ? "</code>" : "");
}
} // namespace

std::string cell_html(std::string const& text, std::string const& style) {
    return "<td" + (style.empty() ? "" : " class=\"" + style + '"') + '>' + escaped(text) + "</td>";
}
std::string header_html(std::vector<std::string> const& titles) {
    std::string text = "<thead><tr>";
    for (auto const& t : titles)
        text += t.rfind('<', 0) == 0 ? "<th scope=\"col\" class=\"left\">" + escaped(t.substr(1)) + "</th>"
                                     : "<th scope=\"col\">" + escaped(t) + "</th>";
    return text + "</tr></thead>\n";
}

namespace {

// A table with what a screen reader calls it; its body is lines.
std::string table_html(std::string const& caption, std::vector<std::string> const& titles,
                       std::string const& body) {
    return "<div class=\"wide\"><table><caption>" + escaped(caption) + "</caption>" + header_html(titles) +
           "<tbody>\n" + body + "</tbody></table></div>";
}
std::string body_of(std::string const& content) {
    return "<main>\n" + content + "</main>\n</body>\n</html>\n";
}

// Links to the experiments that are named beside a check, which `page` has (the same one, if it is empty).
std::string why_html(std::string const& page, check const& c) {
    std::string text;
    for (auto const& id : c.why)
        text += (text.empty() ? "" : ", ") +
                (id == "none" ? id : "<a href=\"" + page + '#' + id + "\">" + escaped(id) + "</a>");
    return "<td class=\"left\">" + text + "</td>";
}

std::string checks_html(figure_result const& f) {
    if (f.checks.empty()) return {};
    std::string body;
    for (auto const& c : f.checks)
        body += "<tr>" + cell_html(c.what, "left") + cell_html(f.of->experiment ? "" : c.paper) +
                cell_html(c.ours_text) + cell_html(word_for(f, c), word_of(c.result)) + why_html("", c) +
                cell_html(c.note, "left") + "</tr>\n";
    return table_html(f.of->item + (f.of->experiment ? ": answers" : ": checks"),
                      {f.of->experiment ? "<what it shows" : "<what the paper says", "paper", "ours",
                       "verdict", "<why", "<note"},
                      body) +
           '\n';
}

std::string values_html(figure_result const& f) {
    auto const& columns = f.of->columns;
    if (columns.empty()) return {};
    std::vector<std::string> titles;
    std::string body;
    if (f.of->how == form::curves) {
        titles = {f.of->along};
        for (auto const& c : f.curves) titles.push_back(c);
        for (std::size_t i = 0; i < f.of->x.size(); ++i) {
            body += "<tr>" + cell_html(f.of->x[i]);
            for (auto const& line : f.cells)
                body += cell_html(shown(line[i].ours) +
                                  (line[i].paper ? " (" + shown(line[i].paper) + ')' : std::string()));
            body += "</tr>\n";
        }
    } else {
        std::vector<bool> paper(columns.size(), false);
        for (std::size_t c = 0; c < columns.size(); ++c) {
            for (auto const& line : f.cells) paper[c] = paper[c] || line[c].paper;
            for (auto const& m : f.means) paper[c] = paper[c] || m.second[c].paper;
        }
        titles = {"row", "<kernel"};
        for (std::size_t c = 0; c < columns.size(); ++c) {
            titles.push_back(columns[c].title);
            if (paper[c]) titles.emplace_back("paper");
        }
        auto const line = [&](std::string const& name, std::string const& kernel,
                              std::vector<cell> const& cells) {
            body += "<tr>" + cell_html(name) + cell_html(kernel, "left");
            for (std::size_t c = 0; c < columns.size(); ++c) {
                body += cell_html(shown(cells[c].ours));
                if (paper[c]) body += cell_html(shown(cells[c].paper), "paper");
            }
            body += "</tr>\n";
        };
        for (std::size_t r = 0; r < f.rows.size(); ++r) {
            auto const why = why_row_waits(*f.rows[r]);
            line(f.rows[r]->name, why.empty() ? f.rows[r]->kernel : "waits: " + why, f.cells[r]);
        }
        for (auto const& [mean, cells] : f.means) line(mean, "", cells);
    }
    auto const open = f.of->how == form::table ? " open=\"open\"" : "";
    return std::string("<details") + open + "><summary>all values" +
           (f.of->unit.empty() ? "" : ", " + escaped(f.of->unit)) + "</summary>" +
           table_html(f.of->item + ": all values", titles, body) + "</details>\n";
}

std::string diagnosis_html(document_result const& d) {
    if (d.rows.empty()) return {};
    std::string text =
        "<h2 id=\"rows\">The rows</h2>\n<p>What each row runs as, and what it leaves to be gained, under " +
        escaped(d.of->series_called(d.of->baseline).title) +
        (std::any_of(d.rows.begin(), d.rows.end(), [](auto const& r) { return !r.of->baseline.empty(); })
             ? ", or on the machine that a row is for"
             : "") +
        ": the launch in which most cycles are spent, its CTAs, how many of them fit a core (as far as there "
        "are so many), "
        "the waves of CTAs, the groups of OWL's rule on a core (at least eight warps each), L2 hits, use of "
        "the DRAM bus, and IPC with "
        "a perfect L1 and a perfect L2. Below four waves, or with one group, a scheduler of CTAs has little "
        "to choose.</p>\n";
    std::string body;
    for (auto const& r : d.rows) {
        auto const input = r.base == nullptr
                               ? r.of->kernel
                               : r.of->kernel + ": " + r.base->record.value("parameters", std::string());
        body += "<tr>" + cell_html(r.of->name) +
                cell_html(input + (r.of->note.empty() ? "" : ". " + r.of->note), "left") +
                cell_html(shown(r.ctas)) + cell_html(shown(r.ctas_per_core)) +
                cell_html(shown(r.warps_per_cta)) + cell_html(shown(r.waves)) + cell_html(shown(r.groups)) +
                cell_html(percent(r.l2_hits)) + cell_html(percent(r.bus_use)) +
                cell_html(shown(r.perfect_l1)) + cell_html(shown(r.perfect_l2)) + "</tr>\n";
    }
    text += table_html("The rows and their diagnosis",
                       {"row", "<kernel and input", "CTAs", "CTAs per core", "warps per CTA", "waves",
                        "groups", "L2 hits, %", "DRAM bus, %", "perfect L1", "perfect L2"},
                       body) +
            '\n';
    std::vector<std::string> waiting;
    for (auto const& r : d.of->rows)
        if (auto const why = why_row_waits(r); !why.empty()) waiting.push_back(r.name + " (" + why + ")");
    if (!waiting.empty())
        text += "<p class=\"waits\">Rows that cannot run yet: " + escaped(joined(waiting, "; ")) + ".</p>\n";
    return text;
}

std::string rule_html() {
    std::string text = "<h2 id=\"rule\">The rule of the verdicts</h2>\n<ul>\n";
    for (auto const& r : rule_in_words()) text += "<li>" + escaped(r) + "</li>\n";
    return text + "</ul>\n";
}

} // namespace

std::string page_of(document_result const& d) {
    auto text = "<h1>" + escaped(d.of->title) +
                "</h1>\n<p>Every figure and table, remade by <code>lab figures " + d.of->name + " --size " +
                d.size + "</code> with warpkit " + version() + " from " + std::to_string(d.runs) +
                " runs. <a href=\"#rows\">Rows and their diagnosis</a>, <a href=\"#rule\">the rule of the "
                "verdicts</a>.</p>\n";
    for (auto const& n : d.of->notes) text += "<p class=\"note\">" + prose(n) + "</p>\n";
    std::string overview;
    for (auto const& f : d.figures) {
        auto const* const first = headline(f);
        overview += "<tr><td><a href=\"#" + f.of->id + "\">" + escaped(f.of->item) + "</a></td>" +
                    cell_html(f.of->title, "left") +
                    cell_html(first == nullptr ? "" : cut(first->what, 44) + ": " + first->paper, "left") +
                    cell_html(first == nullptr ? "" : first->ours_text) +
                    cell_html(overall_of(f), word_of(f.overall())) + "</tr>\n";
    }
    text +=
        table_html("All figures and tables", {"figure", "<shows", "<paper", "ours", "verdict"}, overview) +
        '\n';
    for (auto const& f : d.figures) {
        text += "<h2 id=\"" + f.of->id + "\">" + escaped(f.of->item + ": " + f.of->title) +
                "</h2>\n<p><code>" + escaped(command_of(d, f)) + "</code>, " + escaped(counts_of(f)) +
                "</p>\n";
        if (!f.of->seen.empty()) text += "<p>" + prose(f.of->seen) + "</p>\n";
        if (auto const svg = svg_of(f, false); !svg.empty())
            text += "<div class=\"wide\">" + svg + "</div>\n";
        text += checks_html(f) + values_html(f);
        for (auto const& n : f.of->notes) text += "<p class=\"note\">" + prose(n) + "</p>\n";
        if (!f.waiting.empty())
            text += "<p class=\"waits\">Waits: " + escaped(joined(f.waiting, "; ")) + ".</p>\n";
    }
    text += diagnosis_html(d);
    if (!d.problems.empty()) {
        text += "<h2 id=\"problems\">Runs that failed</h2>\n<ul>\n";
        for (auto const& p : d.problems) text += "<li>" + escaped(p) + "</li>\n";
        text += "</ul>\n";
    }
    return head_of(d.of->title, true) + body_of(text + rule_html());
}

std::string summary_markdown(std::vector<document_result> const& all) {
    std::string text;
    for (auto const& d : all) {
        text += (text.empty() ? "### " : "\n### ") + d.of->title +
                "\n\n| | shows | first value | paper | ours | verdict | checks | why | waits |\n"
                "|---|---|---|---|---|---|---|---|---|\n";
        for (auto const& f : d.figures) {
            auto const* const first = headline(f);
            text += "| " + f.of->item + " | " + f.of->title + " | " +
                    (first == nullptr ? "" : cut(first->what, 60)) + " | " +
                    (first == nullptr || f.of->experiment ? "" : first->paper) + " | " +
                    (first == nullptr ? "" : first->ours_text) + " | " + overall_of(f) + " | " +
                    counts_of(f) + " | " + joined(experiments_of(f), ", ") + " | " +
                    cut(waiting_short(f), 60) + " |\n";
        }
    }
    return text;
}

std::string summary_csv(std::vector<document_result> const& all) {
    auto text =
        report::csv_line({"document", "figure", "item", "what", "paper", "ours", "verdict", "why", "note"});
    for (auto const& d : all)
        for (auto const& f : d.figures) {
            for (auto const& c : f.checks)
                text += report::csv_line({d.of->name, f.of->id, f.of->item, c.what,
                                          f.of->experiment ? "" : c.paper, c.ours_text, word_for(f, c),
                                          joined(c.why, " "), c.note});
            if (f.checks.empty())
                text += report::csv_line(
                    {d.of->name, f.of->id, f.of->item, f.of->title, "", "", overall_of(f), "", f.of->waits});
        }
    return text;
}

std::string summary_page(std::vector<document_result> const& all) {
    std::string text = "<h1>The papers' figures, remade</h1>\n";
    for (auto const& d : all) {
        std::size_t count[4] = {};
        for (auto const& f : d.figures)
            if (!f.of->experiment)
                for (auto const& c : f.checks) ++count[static_cast<int>(c.result)];
        text += "<h2><a href=\"" + d.of->name + ".html\">" + escaped(d.of->title) + "</a></h2>\n<p>" +
                std::to_string(count[0] + count[1]) + " of " +
                std::to_string(count[0] + count[1] + count[2]) + " checks agree in direction, " +
                std::to_string(count[0]) + " in magnitude; " + std::to_string(count[3]) + " wait.</p>\n";
        std::string body;
        for (auto const& f : d.figures) {
            for (auto const& c : f.checks)
                body += "<tr><td><a href=\"" + d.of->name + ".html#" + f.of->id + "\">" +
                        escaped(f.of->item) + "</a></td>" + cell_html(c.what, "left") +
                        cell_html(f.of->experiment ? "" : c.paper) + cell_html(c.ours_text) +
                        cell_html(word_for(f, c), word_of(c.result)) + why_html(d.of->name + ".html", c) +
                        cell_html(c.note, "left") + "</tr>\n";
            if (f.checks.empty())
                body += "<tr><td><a href=\"" + d.of->name + ".html#" + f.of->id + "\">" +
                        escaped(f.of->item) + "</a></td>" + cell_html(f.of->title, "left") + cell_html("") +
                        cell_html("") + cell_html(overall_of(f), "waits") + cell_html("") +
                        cell_html(f.of->waits, "left") + "</tr>\n";
        }
        text += table_html(d.of->title + ": checks",
                           {"figure", "<what", "paper", "ours", "verdict", "<why", "<note"}, body) +
                '\n';
    }
    return head_of("The papers' figures, remade", false) + body_of(text + rule_html());
}

} // namespace lab::figures
