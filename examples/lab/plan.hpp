#pragma once
// What a sweep consists of: lists of everything that can be named, their products, and the points that come of them.

#include "lab.hpp"
#include "runs.hpp"
#include "store.hpp"

#include <nlohmann/json.hpp>

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab {

// A condition on points, as `l1d.size>=32KiB` or `scheduler=gto|lrr`.
class condition {
public:
    // Throws `error` that begins with `where`.
    condition(std::string text, std::string const& where);
    // Whether a point (point_of) is as it says; nothing that a point has not is.
    bool fits(nlohmann::json const& point) const;
    std::string const& text() const noexcept { return text_; }
    std::string const& name() const noexcept { return name_; }
    std::vector<std::string> const& values() const noexcept { return values_; }
    // Of `name=value|value` a condition for each value; of all others itself.
    std::vector<condition> one_by_one() const;

private:
    std::string text_;
    std::string name_;
    std::string sign_;
    std::vector<std::string> values_;
};
// All of them, with commas or spaces between.
std::vector<condition> conditions_of(std::string const& text, std::string const& where);

// A sweep as it is asked for. In each product, every list of names and each setting and parameter may have several
// values (name=value,value); all combinations are points.
struct sweep_plan {
    std::vector<request> products;
    std::vector<std::string> seeds; // of the kernels' inputs; empty: their own
    std::vector<std::string> skip;  // conditions; a point that fits all of one text is left out
    std::string file;               // that it was read from; empty: none
};
// Adds what a file says to `plan`, whose one product has what the command line says, and goes before; `sized`: it
// has a size. Throws `error` with the file's line, also for names that there are not, and for a file that names nothing
// to run.
void read_plan(std::string const& file, sweep_plan& plan, bool sized);
// The same of an object with the names of a plan file. Throws `error` that begins with `where`.
sweep_plan plan_of(nlohmann::json const& table, std::string const& where);

// Everything that determines a job's result, but for the version of the code: `labels`, `parameters`, `code`
// (code_of), `policies` by seat, and `numbers`.
nlohmann::json point_of(job const& j, std::string const& code);
// A hash of what a program is: its PTX, all files of its launch file, or its traces.
std::string code_of(subject const& program);
// What a point has by this name: a label, a number of the machine, a parameter of its kernel (n or vecadd.n) or the
// policy in a seat; as text, empty if there is none. `unit` is of a number.
std::string value_of(nlohmann::json const& point, std::string_view name, std::string* unit = nullptr);

// The points, programs together, each point once.
struct sweep_jobs {
    struct point {
        job what;
        std::string text; // point_of, as text
        std::string key;
    };
    std::deque<std::vector<subject>> programs;
    std::vector<point> points;
    std::vector<std::vector<std::string>> keys; // of each product's points
    std::size_t skipped = 0;
    left_out without;
    // What files programs are of: the label that has their name, the name, and the hash of what is in them.
    std::map<std::pair<std::string, std::string>, std::string> files;
    request how; // what all have in common
};
// Throws `error` for what there is not, before any work; it begins with the plan's file.
sweep_jobs jobs_of(sweep_plan const& plan);
// Throws `error` where results of this version in `store` are of a file of the same name with other contents: they and
// those to come would look alike.
void refuse_changed_files(sweep_jobs const& jobs, run_store& store);

} // namespace lab
