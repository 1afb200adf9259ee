// From lists of names and numbers to the points of a sweep.
#include "plan.hpp"

#include <warpkit/base/input_file.hpp>
#include <warpkit/config/settings.hpp>

#include "traces.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

namespace lab {

using namespace warpkit;
using nlohmann::json;

namespace {

std::vector<std::string> split(std::string_view text, std::string_view at) {
    std::vector<std::string> parts(1);
    for (char const c : text)
        if (at.find(c) != at.npos)
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

// A choice of one value for each of several `name=value,value`.
std::vector<std::vector<std::string>> combinations(std::vector<std::string> const& lists,
                                                   std::string const& option) {
    std::vector<std::vector<std::string>> all(1);
    for (auto const& list : lists) {
        auto const equals = list.find('=');
        if (equals == list.npos || equals == 0)
            throw error(option + ' ' + list + ": write name=value, or name=value,value");
        std::vector<std::vector<std::string>> longer;
        for (auto const& before : all)
            for (auto const& value : split(std::string_view(list).substr(equals + 1), ",")) {
                if (value.empty()) throw error(option + ' ' + list + ": a value is empty");
                longer.push_back(before);
                longer.back().push_back(list.substr(0, equals + 1) + value);
            }
        all = std::move(longer);
    }
    return all;
}

} // namespace

condition::condition(std::string text, std::string const& where) : text_(std::move(text)) {
    auto const at = text_.find_first_of("=!<>");
    auto const end = at == text_.npos ? at : text_.find_first_not_of("=!<>", at);
    if (at == text_.npos || at == 0 || end == text_.npos)
        throw error(where + " '" + text_ +
                    "' is no condition; write name=value, as in scheduler=gto|lrr or "
                    "l1d.size>=32KiB");
    name_ = text_.substr(0, at);
    sign_ = text_.substr(at, end - at);
    values_ = split(std::string_view(text_).substr(end), "|");
    std::vector<std::string> const signs = {"=", "!=", "<", "<=", ">", ">="};
    if (std::find(signs.begin(), signs.end(), sign_) == signs.end())
        throw error(where + " '" + text_ + "': " + sign_ + " compares nothing; write =, !=, <, <=, > or >=");
    if (values_.size() > 1 && sign_ != "=" && sign_ != "!=")
        throw error(where + " '" + text_ + "': several values go with = and != only");
}

bool condition::fits(json const& point) const {
    std::string unit;
    auto const own = value_of(point, name_, &unit);
    if (own.empty()) return false;
    auto const is_number = own.find_first_not_of("0123456789") == own.npos;
    if (!is_number && sign_ != "=" && sign_ != "!=")
        throw error(text_ + ": " + name_ + " is no number, but " + own);
    auto const one = [&](std::string const& value) {
        if (!is_number) return own == value;
        auto const left = std::stoull(own);
        auto const right = parse_number(value, unit, name_);
        if (sign_ == "<") return left < right;
        if (sign_ == "<=") return left <= right;
        if (sign_ == ">") return left > right;
        if (sign_ == ">=") return left >= right;
        return left == right;
    };
    auto const any = std::any_of(values_.begin(), values_.end(), one);
    return sign_ == "!=" ? !any : any;
}

std::vector<condition> condition::one_by_one() const {
    if (sign_ != "=" || values_.size() == 1) return {*this};
    std::vector<condition> each;
    for (auto const& value : values_) {
        each.push_back(*this);
        each.back().text_ = name_ + '=' + value;
        each.back().values_ = {value};
    }
    return each;
}

std::vector<condition> conditions_of(std::string const& text, std::string const& where) {
    std::vector<condition> all;
    for (auto const& part : split(text, ", "))
        if (!part.empty()) all.emplace_back(part, where);
    if (all.empty()) throw error(where + " '" + text + "' says nothing; write name=value");
    return all;
}

// ---- points

std::string code_of(subject const& program) {
    if (!program.code.empty()) return program.code;
    std::string code(program.ptx);
    if (program.trace) // what is traced is known by its files
        for (auto const& file : trace_files(program.ptx_name)) code += content_hash(read_file(file));
    return content_hash(code);
}

json point_of(job const& j, std::string const& code) {
    json point;
    for (auto const& [name, value] : record_of(j).labels)
        if (name != "parameters") point["labels"][name] = value;
    auto& parameters = point["parameters"] = json::object();
    for (auto const& part : split(j.program->parameters, " "))
        if (auto const equals = part.find('='); equals != part.npos)
            parameters[part.substr(0, equals)] = part.substr(equals + 1);
    point["code"] = code;
    for (auto const& p : j.machine->policies) point["policies"][p.slot] = p.policy;
    for (auto const& p : j.policies) point["policies"][p.slot] = p.policy;
    auto& numbers = point["numbers"];
    for (auto const& f : machine_numbers()) numbers[f.name] = read_field(j.numbers, f);
    for (auto const& [name, text] : {std::pair("address_mapping", &j.numbers.address_mapping),
                                     {"memory_nodes", &j.numbers.memory_nodes},
                                     {"l1d_variant", &j.numbers.l1d_variant},
                                     {"l2_variant", &j.numbers.l2_variant}})
        numbers[name] = *text;
    // What is looked at changes no cycle, but what is kept.
    if (!j.numbers.row_sharing.empty()) numbers["row_sharing"] = j.numbers.row_sharing;
    if (j.program_points) numbers["program_points"] = "on";
    return point;
}

std::string value_of(json const& point, std::string_view asked, std::string* unit) {
    std::string const name(asked);
    auto const text = [](json const& value) {
        return value.is_string() ? value.get<std::string>() : value.dump();
    };
    auto const in = [&](char const* part, std::string const& called) {
        auto const p = point.find(part);
        if (p == point.end()) return std::string();
        auto const found = p->find(called);
        return found == p->end() ? std::string() : text(*found);
    };
    if (auto value = in("labels", name); !value.empty()) return value;
    auto const full = full_name(name);
    if (auto value = in("numbers", full); !value.empty()) {
        if (unit != nullptr)
            if (auto const* const f = find_field(machine_numbers(), full)) *unit = f->unit;
        return value;
    }
    auto const kernel = in("labels", "kernel") + '.';
    if (auto value = in("parameters", name.rfind(kernel, 0) == 0 ? name.substr(kernel.size()) : name);
        !value.empty())
        return value;
    return in("policies", name);
}

namespace {

sweep_jobs all_jobs_of(sweep_plan const& plan) {
    sweep_jobs jobs;
    std::map<std::tuple<std::string, std::string, std::string, std::string>, std::vector<subject> const*>
        known;
    std::map<subject const*, std::size_t> order;
    std::set<std::string> keys;
    std::vector<std::vector<condition>> skip;
    for (auto const& text : plan.skip) skip.push_back(conditions_of(text, "skip"));
    std::vector<bool> used(skip.size(), false);

    // All machines for programs.
    auto const add = [&](request one, std::vector<std::vector<std::string>> const& settings) {
        one.settings.clear();
        auto found = subjects_of(one);
        for (auto& s : found) {
            auto& group = known[{s.name, s.parameters, s.ptx_name, s.file_name + ' ' + s.code}];
            if (group == nullptr) {
                group = &jobs.programs.emplace_back(1, std::move(s));
                order.emplace(group->data(), order.size());
            }
            auto const& program = group->front();
            auto const code = code_of(program);
            if (!program.file_kind.empty()) {
                auto const& same = jobs.files.try_emplace({program.file_kind, program.file_name}, code);
                if (same.first->second != code)
                    throw error("--" + program.file_kind + ": two files are called " + program.file_name +
                                ", and results are told apart by that name; give one of them another");
            }
            for (auto const& setting : settings) {
                one.settings = setting;
                for (auto& j : jobs_of(one, *group, &jobs.without)) {
                    auto const point = point_of(j, code);
                    bool left_out = false;
                    for (std::size_t i = 0; i < skip.size(); ++i)
                        if (std::all_of(skip[i].begin(), skip[i].end(),
                                        [&](auto const& c) { return c.fits(point); }))
                            left_out = used[i] = true;
                    auto text = point.dump();
                    auto key = content_hash(text);
                    if (left_out) {
                        ++jobs.skipped;
                        continue;
                    }
                    jobs.keys.back().push_back(key);
                    if (keys.insert(key).second)
                        jobs.points.push_back({std::move(j), std::move(text), std::move(key)});
                }
            }
        }
    };
    for (auto const& asked : plan.products) {
        check_program_files(asked);
        auto const product = all_named(asked);
        jobs.how = product;
        jobs.keys.emplace_back();
        auto const settings = combinations(product.settings, "--set");
        if (!product.traces.empty() || !product.launch_files.empty()) {
            if (!plan.seeds.empty())
                throw error(std::string("--seeds: ") + (product.traces.empty() ? "launch files" : "traces") +
                            " have no input that a seed could change; leave it out");
            add(product, settings);
            continue;
        }
        std::vector<kernels::workload const*> all;
        if (product.kernels.empty()) all.assign(kernels::all().begin(), kernels::all().end());
        for (auto const& name : product.kernels)
            for (auto const* w : kernels::find_all(name)) all.push_back(w);
        auto const kernel_of = [](std::string const& parameter) {
            return parameter.substr(0, parameter.find('.'));
        };
        for (auto const& p : product.parameters) {
            auto const& kernel = kernels::find(kernel_of(p));
            if (std::find(all.begin(), all.end(), &kernel) == all.end())
                throw error("--param " + p + ": " + std::string(kernel.name) +
                            " is not among the kernels to run");
        }
        bool seeded = plan.seeds.empty();
        for (auto const* w : all) {
            auto one = product;
            one.kernels = {std::string(w->name)};
            one.leave_out = product.leave_out || std::find(product.kernels.begin(), product.kernels.end(),
                                                           w->name) == product.kernels.end();
            std::vector<std::string> lists;
            for (auto const& p : product.parameters)
                if (kernel_of(p) == w->name) lists.push_back(p);
            if (!plan.seeds.empty() && std::any_of(w->parameters.begin(), w->parameters.end(),
                                                   [](auto const& p) { return p.name == "seed"; })) {
                seeded = true;
                auto list = std::string(w->name) + ".seed=";
                for (auto const& s : plan.seeds) list += (list.back() == '=' ? "" : ",") + s;
                lists.push_back(list);
            }
            for (auto const& parameters : combinations(lists, "--param")) {
                one.parameters = parameters;
                add(one, settings);
            }
        }
        if (!seeded)
            throw error(
                "--seeds: none of the kernels has a parameter seed; leave the option out (lab list kernels)");
    }
    for (std::size_t i = 0; i < skip.size(); ++i)
        if (!used[i])
            throw error("skip '" + plan.skip[i] +
                        "' fits no point of the plan; is a name or a value of it misspelt? (lab list)");
    if (jobs.points.empty()) throw error("the plan has no points: everything is left out");
    std::stable_sort(jobs.points.begin(), jobs.points.end(), [&](auto const& a, auto const& b) {
        return order.at(a.what.program) < order.at(b.what.program);
    });
    return jobs;
}

} // namespace

sweep_jobs jobs_of(sweep_plan const& plan) {
    if (plan.file.empty()) return all_jobs_of(plan);
    try {
        return all_jobs_of(plan);
    } catch (error const& e) {
        throw error(plan.file + ": " + e.what());
    }
}

void refuse_changed_files(sweep_jobs const& jobs, run_store& store) {
    std::map<std::string, std::vector<run_store::past_program>> past;
    for (auto const& [file, code] : jobs.files) {
        auto const& [kind, name] = file;
        auto const [known, is_new] = past.try_emplace(kind);
        if (is_new) known->second = store.programs_of(kind.c_str(), code_version());
        for (auto const& p : known->second)
            if (p.file == name && p.code != code)
                throw error("--" + kind + ' ' + name + ": it has changed since the results of it in " +
                            store.path() + " were made, and they and new ones would look alike; undo that, " +
                            "give it another name, or take another database");
    }
}

} // namespace lab
