// `lab report`: one page of all runs.
#include <warpkit/base/output_file.hpp>
#include <warpkit/report/text.hpp>

#include "figures/results.hpp"
#include "plot.hpp"
#include "query.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace lab {

using nlohmann::json;
namespace report = warpkit::report;

namespace {

// Sorts, filters and opens runs. What is opened is read from the data in the page.
constexpr char const* page_script = R"js(
'use strict';
const table = document.getElementById('runs'), body = table.tBodies[0], rows = [...body.rows];
const records = JSON.parse(document.getElementById('records').textContent);
const filter = document.getElementById('filter'), shown = document.getElementById('shown');
const units = {KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, kHz: 1e3, MHz: 1e6, GHz: 1e9};
function number(text) {
  const parts = /^(-?[\d.,]+)(?: (\S+))?$/.exec(text);
  return parts ? parseFloat(parts[1].replaceAll(',', '')) * (units[parts[2]] ?? 1) : null;
}
[...table.tHead.rows[0].cells].forEach((head, column) => head.querySelector('button')?.addEventListener('click', () => {
  const down = head.getAttribute('aria-sort') === 'ascending';
  for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  const value = row => row.cells[column].textContent;
  rows.sort((a, b) => {
    const x = number(value(a)), y = number(value(b));
    if ((x === null) !== (y === null)) return x === null ? 1 : -1;
    const order = x !== null ? x - y : value(a).localeCompare(value(b));
    return down ? -order : order;
  });
  body.append(...rows);
}));
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(w => w);
  let count = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(w => text.includes(w));
    count += !row.hidden;
  }
  shown.textContent = count + ' of ' + rows.length + ' runs';
});
const dialog = document.getElementById('run');
body.addEventListener('click', event => {
  const button = event.target.closest('button');
  if (!button) return;
  const record = records[button.dataset.run];
  const lines = [];
  for (const [key, value] of Object.entries(record))
    if (typeof value !== 'object') lines.push([key, value]);
  for (const part of ['inputs', 'changes', 'metrics', 'counters'])
    for (const [key, value] of Object.entries(record[part] ?? {})) lines.push([key, value]);
  const inside = dialog.querySelector('tbody');
  inside.replaceChildren(...lines.map(([key, value]) => {
    const row = document.createElement('tr'), head = document.createElement('th'), cell = document.createElement('td');
    head.scope = 'row'; head.className = 'left'; head.textContent = key;
    cell.textContent = value === null ? '-' : typeof value === 'number' ? value.toLocaleString('en') : value;
    row.append(head, cell);
    return row;
  }));
  dialog.querySelector('h2').textContent = button.getAttribute('aria-label');
  dialog.showModal();
});
)js";
constexpr char const* page_extra =
    "th button{all:unset;cursor:pointer}th "
    "button:focus-visible,td button:focus-visible,input:focus-visible{outline:2px "
    "solid var(--link);outline-offset:2px}\nth[aria-sort=ascending] button::after{content:' \\2191'}"
    "th[aria-sort=descending] button::after{content:' \\2193'}\ninput{font:inherit;padding:.25rem "
    ".5rem;min-width:18rem;"
    "background:var(--back);color:var(--text);border:1px solid "
    "var(--rule)}\ndialog{max-height:85vh;background:"
    "var(--back);color:var(--text);border:1px solid var(--rule)}\ntd "
    "button{font:inherit;cursor:pointer;color:"
    "var(--link);background:none;border:0;padding:0;text-decoration:underline}\n";

plot_values plot_over(std::vector<kept_run> const& runs, std::string const& row, std::string const& column,
                      std::vector<std::string> const& metrics, bool shares) {
    plot_values p;
    p.along = row;
    std::map<std::pair<std::string, std::string>, std::vector<std::vector<double>>> cells;
    std::vector<std::vector<std::string>> row_keys;
    std::vector<std::string> column_keys;
    for (auto const& r : runs) {
        auto const k = shown(r, row);
        auto const c = column.empty() ? std::string() : shown(r, column);
        if (std::find(row_keys.begin(), row_keys.end(), std::vector{k}) == row_keys.end())
            row_keys.push_back({k});
        if (std::find(column_keys.begin(), column_keys.end(), c) == column_keys.end())
            column_keys.push_back(c);
        auto& cell = cells[{k, c}];
        cell.resize(metrics.size());
        for (std::size_t m = 0; m < metrics.size(); ++m)
            if (auto const v = measure(r, metrics[m])) cell[m].push_back(*v);
    }
    sort_by_number(row_keys);
    sort_by_number(column_keys);
    for (auto const& c : column_keys)
        for (auto const& m : metrics)
            p.columns.push_back(metrics.size() == 1 ? c : m.substr(m.rfind('.') + 1));
    if (shares && column.empty())
        for (auto const& m : metrics) p.styles.push_back(style_of_cause(m));
    for (auto const& k : row_keys) {
        p.rows.push_back(k.front());
        auto& line = p.values.emplace_back();
        double sum = 0;
        for (auto const& c : column_keys)
            for (std::size_t m = 0; m < metrics.size(); ++m) {
                auto const found = cells.find({k.front(), c});
                auto const v = found == cells.end() ? mean_value() : mean_of(found->second[m]);
                line.push_back(v.n != 0 && std::isfinite(v.value) ? std::optional(v.value) : std::nullopt);
                if (line.back()) sum += *line.back();
            }
        if (shares && sum > 0)
            for (auto& v : line)
                if (v) *v *= 100 / sum;
    }
    return p;
}

void sort_by(std::vector<std::string> const& axes, std::vector<kept_run>& runs) {
    auto const place_of_run = [&](kept_run const& r) {
        std::vector<std::string> place;
        for (auto const& a : axes) place.push_back(a == "version" ? r.version : shown(r, a));
        return place;
    };
    std::vector<std::vector<std::string>> places;
    for (auto const& r : runs) places.push_back(place_of_run(r));
    auto order = places;
    sort_by_number(order);
    std::map<std::vector<std::string>, std::vector<std::size_t>> at;
    for (std::size_t i = places.size(); i-- > 0;) at[places[i]].push_back(i);
    std::vector<kept_run> sorted;
    for (auto const& p : order) {
        sorted.push_back(std::move(runs[at[p].back()]));
        at[p].pop_back();
    }
    runs = std::move(sorted);
}

} // namespace

int report_page(results_request const& how, std::string const& file) {
    auto runs = runs_of(how);
    auto const axes = axes_of(runs);
    sort_by(axes, runs);
    std::vector<kept_run> good;
    for (auto const& r : runs)
        if (r.verified) good.push_back(r);
    using figures::escaped;
    std::string title = "Results of " + how.databases.front();
    for (std::size_t i = 1; i < how.databases.size(); ++i) title += ", " + how.databases[i];
    auto text = figures::head_of(title, true);
    text.insert(text.find("</style>"), page_extra);
    text += "<main>\n<h1>" + escaped(title) + "</h1>\n<p>" + std::to_string(runs.size()) + " runs, " +
            std::to_string(runs.size() - good.size()) + " of them failed or wrong, by warpkit " +
            escaped(runs.front().version) + ".</p>\n";
    auto const has = [&](char const* axis) {
        return std::find(axes.begin(), axes.end(), axis) != axes.end();
    };
    auto const plot = [&](std::string const& heading, plot_values p, char const* kind) {
        p.title = heading;
        text +=
            "<h2>" + escaped(heading) + "</h2>\n<div class=\"wide\">" + plot_svg(p, kind, false) + "</div>\n";
    };
    if (!good.empty()) {
        auto ipc = plot_over(good, "kernel", has("scheduler") ? "scheduler" : "", {"ipc"}, false);
        ipc.unit = "warp instructions per cycle";
        if (ipc.columns == std::vector<std::string>{""}) ipc.columns = {"ipc"};
        plot(has("scheduler") ? "IPC of each kernel, by scheduler" : "IPC of each kernel", ipc,
             ipc.columns.size() > 8 ? "heat" : "bars");
        auto stalls = plot_over(good, "kernel", "", cause_counters(), true);
        stalls.unit = "% of scheduler cycles";
        plot("Where the scheduler cycles of each kernel went", stalls, "stacked");
        for (auto const& axis : axes) {
            if (axis == "seed" || axis == "kernel" || axis == "scheduler") continue;
            auto curves = plot_over(good, axis, has("scheduler") ? "scheduler" : "", {"ipc"}, false);
            if (curves.rows.size() < 2 || !std::all_of(curves.rows.begin(), curves.rows.end(), is_number))
                continue;
            curves.unit = "IPC, geometric mean";
            if (curves.columns == std::vector<std::string>{""}) curves.columns = {"ipc"};
            plot("IPC over " + axis, curves, "curves");
        }
    }

    std::vector<std::string> const metrics = {"ipc", "l1d_miss_rate", "l2_miss_rate", "row_hit_rate",
                                              "dram_bandwidth"};
    text += "<h2>Runs</h2>\n<p><label for=\"filter\">Only runs with all these words: </label><input "
            "id=\"filter\" "
            "type=\"search\" autocomplete=\"off\"/> <span id=\"shown\" role=\"status\">" +
            std::to_string(runs.size()) + " of " + std::to_string(runs.size()) +
            " runs</span></p>\n<div class=\"wide\"><table id=\"runs\"><caption>A line for each run: its "
            "number opens all of its "
            "counters, a heading sorts.</caption><thead><tr><th scope=\"col\">run</th>";
    auto const head = [&](std::string const& name, bool words) {
        text += std::string("<th scope=\"col\"") + (words ? " class=\"left\"" : "") +
                "><button type=\"button\">" + escaped(name) + "</button></th>";
    };
    for (auto const& a : axes) head(a, true);
    head("cycles", false);
    for (auto const& m : metrics) head(m, false);
    head("verified", true);
    text += "</tr></thead>\n<tbody>\n";
    json records = json::array();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto const& r = runs[i];
        records.push_back(r.record);
        std::string name;
        for (auto const& a : axes)
            name += (name.empty() ? "" : ", ") + (a == "version" ? r.version : shown(r, a));
        auto const n = std::to_string(i);
        text += "<tr><td><button type=\"button\" data-run=\"" + n + "\" aria-label=\"" + escaped(name) +
                "\">" + std::to_string(i + 1) + "</button></td>";
        for (auto const& a : axes)
            text += figures::cell_html(a == "version" ? r.version : shown(r, a), "left");
        auto const value = [&](std::string const& m, int digits) {
            auto const v = measure(r, m);
            text += figures::cell_html(v && std::isfinite(*v) ? report::fixed(*v, digits) : "-");
        };
        value("cycles", 0);
        for (auto const& m : metrics) value(m, 3);
        text += figures::cell_html(r.verified ? "yes" : "no: " + r.record.value("problem", ""),
                                   r.verified ? "left" : "left against") +
                "</tr>\n";
    }
    auto data = records.dump();
    for (std::size_t at = 0; (at = data.find("</", at)) != data.npos; at += 3) data.insert(at + 1, "\\");
    text += "</tbody></table></div>\n</main>\n<dialog id=\"run\" aria-labelledby=\"run-name\"><form "
            "method=\"dialog\">"
            "<button>Close</button></form><h2 id=\"run-name\">run</h2><table><caption>Labels, inputs, "
            "metrics and counters</caption><thead><tr><th scope=\"col\" class=\"left\">name</th>"
            "<th scope=\"col\">value</th></tr></thead><tbody></tbody></table></dialog>\n"
            "<script type=\"application/json\" id=\"records\">" +
            data + "</script>\n<script>" + page_script + "</script>\n</body>\n</html>\n";
    warpkit::write_file(file, text);
    return 0;
}

} // namespace lab
