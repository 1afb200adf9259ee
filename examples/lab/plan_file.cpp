// Plans as files and scripts write them.
#include <warpkit/base/input_file.hpp>
#include <warpkit/config/settings.hpp>

#include "plan.hpp"
#include "runs.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#ifdef WARPKIT_HAS_TOML
#include <toml++/toml.h>
#endif

namespace lab {

using namespace warpkit;
using nlohmann::json;

namespace {

// Where a value stands, as the beginning of an error.
using place_of = std::function<std::string(json const&)>;

class plan_reader {
public:
    plan_reader(place_of place, sweep_plan& plan, bool sized)
        : place_(std::move(place)),
          plan_(&plan),
          sized_(sized) {}

    void read(json const& table) {
        auto const common = plan_->products.front();
        auto shared = common;
        json const* points = nullptr;
        for (auto const& [name, value] : table.items()) {
            if (name == "point") {
                points = &value;
                if (!value.is_array() ||
                    !std::all_of(value.begin(), value.end(), [](json const& p) { return p.is_object(); }))
                    refuse(value, "'point' is written as [[point]], once for each product of lists");
            } else if (name == "seeds") {
                if (plan_->seeds.empty()) plan_->seeds = texts(value, name);
            } else if (name == "skip") {
                for (auto& text : texts(value, name)) plan_->skip.push_back(std::move(text));
            } else {
                take(shared, common, name, value);
            }
        }
        plan_->products.clear();
        if (points != nullptr)
            for (auto const& entry : *points) {
                auto product = shared;
                for (auto const& [name, value] : entry.items()) take(product, common, name, value);
                plan_->products.push_back(std::move(product));
            }
        else
            plan_->products.push_back(std::move(shared));
    }

private:
    [[noreturn]] void refuse(json const& at, std::string const& why) const { throw error(place_(at) + why); }
    // What the command line says of the same goes before.
    void take(request& to, request const& from_command, std::string const& name, json const& value) {
        auto const lists = list_names();
        if (name == "size") {
            auto const sizes = texts(value, name);
            if (sizes.size() != 1) refuse(value, "size is one of small, medium and full");
            if (sized_) return;
            try {
                to.size = kernels::size_named(sizes.front());
            } catch (error const& e) {
                refuse(value, e.what());
            }
            return;
        }
        if (name == "set" || name == "param" || name == "use") {
            if (!value.is_object())
                refuse(value, '\'' + name + "' is a table: [" + name + "], and name = value in it");
            auto const list = name == "set"     ? &request::settings
                              : name == "param" ? &request::parameters
                                                : &request::uses;
            flatten(value, "", list, to, from_command);
            return;
        }
        if (name == "sample") {
            if (!from_command.sample) to.sample = sampling(value);
            return;
        }
        for (auto const& [called, list] : lists)
            if (name == called) {
                if ((from_command.*list).empty()) to.*list = names(value, name, list);
                return;
            }
        std::vector<std::string> known = {"size", "set", "param", "use", "sample", "seeds", "skip", "point"};
        for (auto const& [called, list] : lists) known.emplace_back(called);
        refuse(value, "there is no '" + name + "' in a plan" + did_you_mean(name, known));
    }
    static std::vector<std::pair<char const*, std::vector<std::string> request::*>> list_names() {
        return {{"kernel", &request::kernels},
                {"scheduler", &request::schedulers},
                {"preset", &request::presets},
                {"machine", &request::machines},
                {"dram", &request::dram},
                {"replay", &request::replay},
                {"fetch", &request::fetch},
                {"prefetch", &request::prefetch},
                {"l1", &request::l1},
                {"l2", &request::l2},
                {"dispatch", &request::dispatch},
                {"occupancy", &request::occupancy},
                {"ptx", &request::ptx},
                {"launch", &request::launch_files},
                {"trace", &request::traces},
                {"copies", &request::copies}};
    }
    // true, false, or a table of what is not as by default.
    std::optional<sampling_options> sampling(json const& value) const {
        sampling_options how;
        if (value.is_boolean()) return value.get<bool>() ? std::optional(how) : std::nullopt;
        if (!value.is_object())
            refuse(value, "sample is true or false, or a table: [sample], and tolerance = 0.02 in it");
        for (auto const& [name, number] : value.items()) {
            std::vector<std::string> const known = {"tolerance", "intervals", "stretch"};
            if (std::find(known.begin(), known.end(), name) == known.end())
                refuse(number, "there is no '" + name + "' in sample" + did_you_mean(name, known));
            if (name == "intervals" ? !number.is_number_unsigned() : !number.is_number())
                refuse(number,
                       "sample." + name + ": expected a " + (name == "intervals" ? "whole " : "") + "number");
            if (name == "tolerance") how.tolerance = number.get<double>();
            if (name == "intervals") how.intervals = number.get<unsigned>();
            if (name == "stretch") how.stretch = number.get<double>();
        }
        try {
            how.check();
        } catch (error const& e) {
            refuse(value, e.what());
        }
        return how;
    }
    // What there is not is refused where it stands.
    void check(json const& at, request const& one) const {
        try {
            check_names(one);
        } catch (error const& e) {
            std::string why = e.what();
            if (why.rfind("--", 0) == 0) why.erase(0, 2); // no option has said it
            refuse(at, why);
        }
    }
    std::vector<std::string> names(json const& value, std::string const& name,
                                   std::vector<std::string> request::*list) const {
        auto const check_one = [&](json const& one) {
            if (!one.is_string())
                refuse(one, name + ": a name in quotes is wanted, as in " + name +
                                " = \"all\", and here is " + one.dump());
            request asked;
            (asked.*list).push_back(one.get<std::string>());
            check(one, asked);
        };
        if (value.is_array())
            for (auto const& one : value) check_one(one);
        else
            check_one(value);
        return texts(value, name);
    }
    std::string text(json const& value, std::string const& name) const {
        if (value.is_string()) return value.get<std::string>();
        if (value.is_number_integer()) return value.dump();
        if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
        refuse(value, name + ": expected a text or a whole number");
    }
    std::vector<std::string> texts(json const& value, std::string const& name) const {
        std::vector<std::string> all;
        if (value.is_array()) {
            for (auto const& entry : value) all.push_back(text(entry, name));
            if (all.empty()) refuse(value, name + ": the list is empty; give a value, or leave it out");
        } else {
            all.push_back(text(value, name));
        }
        return all;
    }
    // `l1d.size = [...]` is a table within a table.
    void flatten(json const& table, std::string const& before, std::vector<std::string> request::*list,
                 request& product, request const& from_command) const {
        auto& to = product.*list;
        for (auto const& [key, value] : table.items()) {
            auto const name = before + key;
            if (value.is_object()) {
                flatten(value, name + '.', list, product, from_command);
                continue;
            }
            auto assignment = name + '=';
            for (auto const& t : texts(value, name)) assignment += (assignment.back() == '=' ? "" : ",") + t;
            auto const same = [&](std::string const& other) {
                return full_name(other.substr(0, other.find('='))) == full_name(name);
            };
            auto const& nearer = from_command.*list;
            if (std::any_of(nearer.begin(), nearer.end(), same)) continue;
            for (std::size_t from = name.size() + 1; from <= assignment.size();) {
                auto const end = std::min(assignment.find(',', from), assignment.size());
                request one;
                (one.*list).push_back(name + '=' + assignment.substr(from, end - from));
                check(value, one);
                from = end + 1;
            }
            to.erase(std::remove_if(to.begin(), to.end(), same), to.end()); // a point's own is nearer
            to.push_back(std::move(assignment));
        }
    }

    place_of place_;
    sweep_plan* plan_;
    bool sized_; // on the command line
};

} // namespace

sweep_plan plan_of(json const& table, std::string const& where) {
    sweep_plan plan;
    plan.products.emplace_back();
    plan_reader([&](json const&) { return where + ": "; }, plan, false).read(table);
    return plan;
}

#ifdef WARPKIT_HAS_TOML

namespace {

// The same in JSON, with the line of each value.
void convert(toml::node const& node, json& to, std::map<json const*, std::size_t>& lines) {
    lines[&to] = node.source().begin.line;
    if (auto const* const table = node.as_table()) {
        to = json::object();
        for (auto const& [key, value] : *table) convert(value, to[std::string(key.str())], lines);
    } else if (auto const* const array = node.as_array()) {
        to = json::array_t(array->size());
        for (std::size_t i = 0; i < array->size(); ++i) convert(*array->get(i), to[i], lines);
    } else if (auto const* const text = node.as_string()) {
        to = text->get();
    } else if (auto const* const number = node.as_integer()) {
        if (number->get() < 0)
            to = number->get();
        else
            to = static_cast<std::uint64_t>(number->get());
    } else if (auto const* const real = node.as_floating_point()) {
        to = real->get();
    } else if (auto const* const boolean = node.as_boolean()) {
        to = boolean->get();
    } // what else there is has no place in a plan, and stays null
}

} // namespace

void read_plan(std::string const& file, sweep_plan& plan, bool sized) {
    auto const text = read_file(file);
    try {
        auto const table = toml::parse(text, file);
        json values;
        std::map<json const*, std::size_t> lines;
        convert(table, values, lines);
        plan_reader([&](json const& at) { return file + ':' + std::to_string(lines.at(&at)) + ": "; }, plan,
                    sized)
            .read(values);
        plan.file = file;
        for (std::size_t i = 0; i < plan.products.size(); ++i)
            if (auto const& p = plan.products[i];
                p.kernels.empty() && p.launch_files.empty() && p.traces.empty() && p.ptx.empty())
                throw error(file + ": " +
                            (plan.products.size() > 1 ? "[[point]] " + std::to_string(i + 1) + " " : "it ") +
                            "names no kernel, launch file or trace; all kernels are kernel = \"all\"");
    } catch (toml::parse_error const& e) {
        throw error(file + ':' + std::to_string(e.source().begin.line) + ':' +
                    std::to_string(e.source().begin.column) + ": " + std::string(e.description()));
    }
}

#else

void read_plan(std::string const& file, sweep_plan&, bool) {
    throw error(
        file +
        ": this lab was built without a reader of TOML; install it (Debian and Ubuntu: apt-get install "
        "libtomlplusplus-dev) and build the lab again, or give the lists on the command line");
}

#endif

} // namespace lab
