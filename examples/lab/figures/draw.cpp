// `lab figures`: runs what the figures need and is not there yet, and writes what came of it.
#include <warpkit/base/error.hpp>
#include <warpkit/base/output_file.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/text.hpp>

#include "../sweep.hpp"
#include "results.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

namespace lab {

using namespace figures;
using nlohmann::json;
using warpkit::error;
namespace report = warpkit::report;

namespace {

struct chosen_document {
    document of;
    std::vector<figure const*> figures;
};

std::vector<chosen_document> chosen_documents(figures_request const& what) {
    auto const known = document_names();
    auto names = what.documents;
    bool const by_name = !names.empty() && std::find(names.begin(), names.end(), "all") == names.end();
    if (!by_name) names = known;
    std::vector<chosen_document> all;
    std::set<std::string> found;
    for (auto const& name : names) {
        if (what.declarations.empty() && std::find(known.begin(), known.end(), name) == known.end())
            refuse_name("document", name, known);
        auto& one = all.emplace_back();
        one.of = read_document(name, what.declarations);
        if (one.of.apart && !by_name && !what.list && what.only.empty()) {
            all.pop_back();
            continue;
        }
        for (auto& f : one.of.all_figures)
            if (!f.size.empty() && (f.size == "paper") != what.paper_size) {
                f.waits = "--size " + f.size + ", which alone it is about";
                f.columns.clear();
                f.targets.clear();
                f.claims.clear();
            }
        for (auto const& f : one.of.all_figures) {
            bool wanted = what.only.empty();
            for (auto const& only : what.only)
                if (only == f.id || only == name + '/' + f.id) {
                    found.insert(only);
                    wanted = true;
                }
            if (wanted) one.figures.push_back(&f);
        }
    }
    for (auto const& only : what.only) {
        if (found.count(only) != 0) continue;
        std::vector<std::string> ids;
        for (auto const& d : all)
            for (auto const& f : d.of.all_figures) ids.push_back(f.id);
        refuse_name("figure", only, ids, "--only");
    }
    all.erase(std::remove_if(all.begin(), all.end(), [](auto const& d) { return d.figures.empty(); }),
              all.end());
    return all;
}

// What a row under a series asks of the lab.
request asked_of(row const& r, series const& s, bool paper_size) {
    auto what = s.asked;
    what.kernels = {r.kernel};
    what.size = paper_size ? warpkit::kernels::size::full : warpkit::kernels::size::small;
    if (what.schedulers.empty()) what.schedulers = {"gto"};
    for (auto const* const list : {&r.parameters, paper_size ? &r.paper_only : &r.small_only})
        for (auto const& p : *list) {
            auto const same = [&](std::string const& other) {
                return other.substr(0, other.find('=')) == p.substr(0, p.find('='));
            };
            what.parameters.erase(std::remove_if(what.parameters.begin(), what.parameters.end(), same),
                                  what.parameters.end());
            what.parameters.push_back(p);
        }
    // A limit above what fits is none.
    if (auto const fits = r.fits.of(paper_size); fits != 0) {
        constexpr std::string_view limit = "static_limit:";
        for (auto& one : what.occupancy)
            if (one.compare(0, limit.size(), limit) == 0 && std::stoul(one.substr(limit.size())) > fits)
                one = std::string(limit) + std::to_string(fits);
    }
    return what;
}
// The same without what it tells besides, which changes nothing of what happens.
request without_reports(request what) {
    what.program_points = false;
    what.settings.erase(std::remove(what.settings.begin(), what.settings.end(), row_sharing_on),
                        what.settings.end());
    return what;
}
std::string text_of(request const& what) {
    std::string text;
    for (auto const* const list : {&what.kernels, &what.parameters, &what.presets, &what.schedulers,
                                   &what.dram, &what.replay, &what.fetch, &what.prefetch, &what.uses,
                                   &what.l1, &what.l2, &what.dispatch, &what.occupancy, &what.settings}) {
        for (auto const& one : *list) text += one + ' ';
        text += '\n';
    }
    if (what.program_points) text += "program points";
    return text;
}

// The runs that documents need, each once, and which of them are whose.
class wanted_runs {
public:
    wanted_runs(std::vector<chosen_document> const& all, bool paper_size) : paper_size_(paper_size) {
        for (auto const& d : all) add(d);
        join();
    }
    sweep_plan const& plan() const { return plan_; }
    // The product of each run.
    std::map<std::pair<std::string, std::string>, std::size_t> const& of(std::string const& document) const {
        static std::map<std::pair<std::string, std::string>, std::size_t> const none;
        auto const found = products_.find(document);
        return found == products_.end() ? none : found->second;
    }

private:
    void add(chosen_document const& d) {
        std::set<row const*> rows;
        for (auto const* f : d.figures) {
            std::set<std::string> everywhere;
            std::vector<std::pair<std::string, std::string>> in_rows;
            for (auto const* formula : formulas_of(*f))
                everywhere.insert(formula->series().begin(), formula->series().end());
            if (everywhere.empty()) continue;
            for (auto const* r : rows_of(d.of, *f)) {
                if (!why_row_waits(*r).empty()) continue;
                rows.insert(r);
                for (auto const& name : everywhere) add(d.of, *r, name);
            }
        }
        for (auto const* r : rows)
            for (auto const& name : d.of.diagnosed(*r)) add(d.of, *r, name);
    }
    // Who is told besides who shares rows, or of program points, has the run for those who are not.
    void join() {
        std::map<std::string, std::size_t> told; // runs with reports, by their text without
        for (std::size_t i = 0; i < plan_.products.size(); ++i) {
            auto const& what = plan_.products[i];
            if (auto const plain = text_of(without_reports(what)); plain != text_of(what))
                told.emplace(plain, i);
        }
        std::vector<std::size_t> becomes;
        std::vector<std::size_t> kept;
        for (std::size_t i = 0; i < plan_.products.size(); ++i) {
            auto const same = told.find(text_of(plan_.products[i]));
            becomes.push_back(same != told.end() ? same->second : i);
            if (becomes.back() == i) kept.push_back(i);
        }
        sweep_plan fewer;
        std::map<std::size_t, std::size_t> now;
        for (auto const i : kept) {
            now[i] = fewer.products.size();
            fewer.products.push_back(plan_.products[i]);
        }
        plan_.products = fewer.products;
        for (auto& [document, of] : products_)
            for (auto& [place, product] : of) product = now.at(becomes[product]);
    }
    static std::vector<formula const*> formulas_of(figure const& f) {
        std::vector<formula const*> all;
        for (auto const& c : f.columns) all.push_back(&c.value);
        for (auto const& t : f.targets) all.push_back(&t.ours);
        for (auto const& c : f.claims) all.insert(all.end(), {&c.holds, &c.value});
        return all;
    }
    void add(document const& d, row const& r, std::string const& name) {
        auto const& s = d.series_called(name);
        if (!s.waits.empty()) return;
        auto what = asked_of(r, s, paper_size_);
        what.leave_out = true; // a row on a machine without its units has no value
        auto const [at, is_new] = known_.try_emplace(text_of(what), plan_.products.size());
        if (is_new) plan_.products.push_back(what);
        products_[d.name][{r.name, name}] = at->second;
    }

    bool paper_size_;
    sweep_plan plan_;
    std::map<std::string, std::size_t> known_;
    std::map<std::string, std::map<std::pair<std::string, std::string>, std::size_t>> products_;
};

// A row whose `fits` is not what its run says was not run at all of its limits.
void expect_to_fit(document const& d, std::string const& row_name, bool paper_size, finished_run const& run) {
    for (auto const& r : d.rows)
        if (auto const [fit, said] =
                std::pair(run.measured("main_launch.ctas_per_core"), r.fits.of(paper_size));
            r.name == row_name && said != 0 && fit != said)
            throw error("row " + row_name + " of " + d.name + ": fits is " + std::to_string(said) + ", but " +
                        (fit ? shown(fit) : "no number") + " of its CTAs fit a core");
}

void list(std::vector<chosen_document> const& all) {
    for (auto const& d : all) {
        std::cout << d.of.name << ": " << d.of.title << '\n';
        report::text_table table({{"id", report::alignment::left, {}},
                                  {"item", report::alignment::left, {}},
                                  {"shows", report::alignment::left, {}},
                                  {"checks"},
                                  {"waits for", report::alignment::left, {}}});
        for (auto const* f : d.figures)
            table.add_row(
                {f->id, f->item, f->title, std::to_string(f->targets.size() + f->claims.size()), f->waits});
        table.print(std::cout, terminal_width(), 1);
        std::cout << '\n';
    }
}

} // namespace

int draw_figures(figures_request const& what) {
    auto const documents = chosen_documents(what);
    if (what.list) {
        list(documents);
        return 0;
    }
    wanted_runs const wanted(documents, what.paper_size);

    std::map<std::string, finished_run> runs; // by key
    sweep_jobs jobs;
    bool interrupted = false;
    std::vector<std::string> problems;
    if (!wanted.plan().products.empty()) {
        jobs = jobs_of(wanted.plan());
        if (what.dry) {
            sweep_options dry{what.database, what.jobs, true, what.quiet};
            return sweep(wanted.plan(), dry);
        }
        run_store store(what.database, run_store::access::write);
        auto const done = carry_out(jobs, store, {what.database, what.jobs, false, what.quiet});
        problems = done.problems;
        interrupted = done.signal != 0 && done.there + done.here + done.others < jobs.points.size();
        if (interrupted) {
            std::cerr << "lab: ended early; " << done.there + done.here + done.others << " of "
                      << jobs.points.size() << " runs are in " << what.database
                      << ", and the same command goes on from there\n";
            return 130;
        }
        std::set<std::string> keys;
        for (auto const& p : jobs.points) keys.insert(p.key);
        for (auto& r : store.runs(code_version()))
            if (keys.count(r.key) != 0)
                runs[r.key] = {json::parse(r.point), json::parse(r.record), r.verified};
    } else if (what.dry) {
        std::cout << "0 points\n";
        return 0;
    }

    std::vector<document_result> results;
    std::vector<run_table> tables;
    for (auto const& d : documents) {
        run_table table;
        document_result result;
        result.of = &d.of;
        result.size = what.paper_size ? "paper" : "small";
        std::set<finished_run const*> used;
        std::set<std::string> rows;
        for (auto const& [place, product] : wanted.of(d.of.name)) {
            auto const& keys = jobs.keys.at(product);
            if (keys.empty()) continue; // left out
            if (keys.size() != 1)
                throw error("series " + place.second + " of " + d.of.name + ": not one run, but " +
                            std::to_string(keys.size()) + "; a list stands where one value is meant");
            auto const found = runs.find(keys.front());
            if (found == runs.end()) continue;
            table[place] = &found->second;
            expect_to_fit(d.of, place.first, what.paper_size, found->second);
            used.insert(&found->second);
            rows.insert(place.first);
            if (!found->second.verified)
                result.problems.push_back(place.first + " under " + place.second + ": " +
                                          found->second.record.value("problem", ""));
        }
        result.runs = used.size();
        for (auto const* f : d.figures) result.figures.push_back(evaluate(d.of, *f, table));
        for (auto const& r : d.of.rows)
            if (rows.count(r.name) != 0) result.rows.push_back(diagnose(d.of, r, table));
        results.push_back(std::move(result));
        tables.push_back(std::move(table));
    }

    std::vector<std::pair<std::string, std::string>> files;
    for (std::size_t i = 0; i < results.size(); ++i) {
        auto const& d = results[i];
        auto const folder = d.of->name + '/';
        for (auto const& f : d.figures) {
            files.emplace_back(folder + f.of->id + ".csv", csv_of(f));
            files.emplace_back(folder + f.of->id + ".json", json_of(d, f, tables[i]).dump(1) + '\n');
            if (auto svg = svg_of(f, true); !svg.empty())
                files.emplace_back(folder + f.of->id + ".svg", std::move(svg));
        }
        files.emplace_back(d.of->name + ".html", page_of(d));
    }
    files.emplace_back("summary.csv", summary_csv(results));
    files.emplace_back("summary.md", summary_markdown(results));
    files.emplace_back("index.html", summary_page(results));
    std::error_code problem;
    for (auto const& d : results)
        std::filesystem::create_directories(what.output + '/' + d.of->name, problem);
    if (problem)
        throw error("--output " + what.output + ": no such folder can be made (" + problem.message() + ')');
    for (auto const& [name, text] : files) warpkit::write_file(what.output + '/' + name, text);

    if (!what.quiet) std::cout << summary_markdown(results);
    std::cout << what.output << "/index.html: " << files.size() << " files\n";
    for (auto const& d : results)
        for (auto const& p : d.problems) std::cerr << "lab: " << d.of->name << ": " << p << '\n';
    return problems.empty() ? 0 : 1;
}

} // namespace lab
