// The lab for Python: plans and questions as dictionaries, results as JSON. What the package makes of them is in
// warpkit/__init__.py.
#include <warpkit/report/metrics.hpp>
#include <warpkit/report/run_record.hpp>

#include "catalogue.hpp"
#include "kernels/workload.hpp"
#include "lab.hpp"
#include "query.hpp"

#include <algorithm>
#include <csignal>
#include <functional>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <vector>

namespace py = pybind11;
using nlohmann::json;
namespace report = warpkit::report;

namespace {

// Texts, whole numbers, truths, lists and dictionaries; numpy's are taken for Python's. None stands for nothing said.
json json_of(py::handle value, std::string const& name) {
    if (py::isinstance<py::str>(value)) return value.cast<std::string>();
    if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
    if (py::isinstance<py::dict>(value)) {
        auto object = json::object();
        for (auto const& [key, inner] : value.cast<py::dict>())
            if (auto const called = py::str(key).cast<std::string>(); !inner.is_none())
                object[called] = json_of(inner, called);
        return object;
    }
    if (PyIndex_Check(value.ptr()) != 0)
        return py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr())).cast<std::int64_t>();
    if (py::isinstance<py::iterable>(value)) {
        auto list = json::array();
        for (auto const inner : value.cast<py::iterable>()) list.push_back(json_of(inner, name));
        return list;
    }
    if (py::hasattr(value, "__fspath__")) return py::str(value.attr("__fspath__")()).cast<std::string>();
    throw warpkit::error(name + ": a " + py::type::of(value).attr("__name__").cast<std::string>() +
                         " was given; expected a text, a whole number, or a list or dictionary of these");
}

// Lets Ctrl-C end what runs: Python's handlers are asked now and then, in the thread that called.
warpkit::run_progress_sink interruptible() {
    return [](warpkit::run_progress const&) {
        py::gil_scoped_acquire const python;
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    };
}

// The records of a plan's points, as an array.
std::string run(py::dict const& plan, std::uint64_t intervals, bool launches, unsigned threads,
                bool reference) {
    auto const asked = lab::plan_of(json_of(plan, "run"), "run");
    py::gil_scoped_release const others;
    auto jobs = lab::jobs_of(asked);
    auto& how = jobs.how;
    how.intervals = intervals;
    how.launches = launches;
    how.threads = threads;
    how.on_reference = reference;
    if (intervals != 0 && reference)
        throw warpkit::error(
            "intervals: the reference engine counts whole kernels; leave one of the two out");
    std::vector<lab::job> all;
    for (auto const& p : jobs.points) all.push_back(p.what);
    auto const workers = lab::workers_of(how);
    lab::shared_function function(how, &all);
    report::json_writer w;
    w.begin_array();
    for (auto const& j : all)
        append_json(w, lab::carry_out(j, how, workers, interruptible(), function).record);
    w.end_array();
    return w.text();
}

using heard_progress = std::function<void(std::size_t, std::size_t, std::string)>;

py::dict sweep(py::dict const& plan, std::string const& database, unsigned jobs,
               heard_progress const& progress) {
    auto const asked = lab::plan_of(json_of(plan, "sweep"), "sweep");
    lab::sweep_options options;
    options.database = database;
    options.jobs = jobs;
    options.quiet = true;
    if (progress)
        options.progress = [&](std::size_t done, std::size_t of, std::string const& at) {
            py::gil_scoped_acquire const python;
            progress(done, of, at);
        };
    std::size_t points = 0;
    std::size_t skipped = 0;
    lab::sweep_outcome outcome;
    {
        py::gil_scoped_release const others;
        auto const todo = lab::jobs_of(asked);
        lab::run_store store(database, lab::run_store::access::write);
        points = todo.points.size();
        skipped = todo.skipped;
        outcome = lab::carry_out(todo, store, options);
    }
    if (outcome.signal == SIGINT) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw py::error_already_set();
    }
    if (outcome.signal != 0) std::raise(outcome.signal); // as without us
    py::dict told;
    told["points"] = points;
    told["there"] = outcome.there;
    told["run"] = outcome.here;
    told["others"] = outcome.others;
    told["skipped"] = skipped;
    told["seconds"] = outcome.seconds;
    told["problems"] = outcome.problems;
    return told;
}

lab::results_request request_of(py::dict const& query) {
    auto const asked = json_of(query, "results");
    lab::results_request how;
    auto const list = [](json const& value) {
        std::vector<std::string> all;
        if (value.is_array())
            for (auto const& v : value) all.push_back(v.get<std::string>());
        else
            all.push_back(value.get<std::string>());
        return all;
    };
    std::vector<std::string> const known = {"database", "where",     "metric",  "rows",
                                            "columns",  "normalise", "version", "kind"};
    for (auto const& [name, value] : asked.items()) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw warpkit::error("results: there is no '" + name + "'" + warpkit::did_you_mean(name, known));
        try {
            if (name == "database") how.databases = list(value);
            if (name == "where") how.where = list(value);
            if (name == "metric") how.metrics = list(value);
            if (name == "rows") how.rows = list(value);
            if (name == "columns") how.columns = list(value);
            if (name == "normalise") how.normalise = value.get<std::string>();
            if (name == "version") how.version = value.get<std::string>();
            if (name == "kind") how.kind = value.get<std::string>();
        } catch (json::type_error const&) {
            throw warpkit::error(
                name + ": expected a text" +
                (name == "normalise" || name == "version" || name == "kind" ? "" : ", or a list of texts"));
        }
    }
    if (how.databases.empty()) throw warpkit::error("database: name at least one (warpkit.sweep makes one)");
    return how;
}

std::string ask(py::dict const& query) {
    auto const how = request_of(query);
    py::gil_scoped_release const others;
    return lab::ask(how, lab::runs_of(how)).values(how.normalise).dump();
}
std::string records(py::dict const& query) {
    auto const how = request_of(query);
    py::gil_scoped_release const others;
    return lab::records_of(lab::runs_of(how));
}
std::string plot(py::dict const& query) {
    auto const how = request_of(query);
    py::gil_scoped_release const others;
    return lab::picture_of(lab::ask(how, lab::runs_of(how)), how);
}
void write_report(py::dict const& query, std::string const& file) {
    auto const how = request_of(query);
    py::gil_scoped_release const others;
    lab::report_page(how, file);
}

std::vector<std::string> names(std::string const& of) {
    std::vector<std::string> all;
    if (of == "kernels")
        for (auto const* w : warpkit::kernels::all()) all.emplace_back(w->name);
    else if (of == "metrics")
        for (auto const& m : report::all_metrics) all.emplace_back(m.name);
    else if (of == "schedulers")
        all = lab::scheduler_names();
    else if (of == "presets")
        all = lab::preset_names();
    else
        lab::refuse_name("list", of, {"kernels", "metrics", "presets", "schedulers"});
    return all;
}

} // namespace

PYBIND11_MODULE(_lab, m) {
    py::register_exception<warpkit::error>(m, "Error", PyExc_ValueError);
    m.def("run", &run);
    m.def("sweep", &sweep, py::arg("plan"), py::arg("database"), py::arg("jobs"), py::arg("progress"));
    m.def("ask", &ask);
    m.def("records", &records);
    m.def("plot", &plot);
    m.def("report", &write_report);
    m.def("names", &names);
    m.def("version", [] { return lab::code_version(); });
}
