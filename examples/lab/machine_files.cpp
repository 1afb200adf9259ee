// Machines in files: `--machine`, `--set @file`, `lab show a b`.
#include "machine_files.hpp"

#include <warpkit/base/input_file.hpp>
#include <warpkit/config/check.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/text.hpp>

#include "catalogue.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <utility>

namespace lab {

using namespace warpkit;
using report::alignment;
using report::text_table;

namespace {

machine_file read_machine_at(std::string const& path) {
    return read_machine(read_file(path, std::size_t{1} << 24), path);
}

// What configures a lab with this policy.
std::string line_for(std::string const& seat, std::string const& policy, std::string const& preset) {
    struct known_policy {
        std::string_view seat;
        std::string_view name;
        char const* type;
        char const* header;
    };
    static constexpr known_policy known[] = {
        {"network", "mesh", "mesh_network", "warpkit/machine/policies.hpp"},
        {"network", "crossbar", "crossbar_network", "warpkit/machine/policies.hpp"},
        {"page_policy", "open_page", "dram::open_page", "warpkit/dram/page_policy.hpp"},
        {"page_policy", "closed_page", "dram::closed_page", "warpkit/dram/page_policy.hpp"}};
    if (seat == "preset") return "cmake --preset lab \"-DWARPKIT_LAB_MACHINES=gtx480;" + preset + '"';
    if (seat == "dram_scheduler")
        return "cmake --preset lab \"-DWARPKIT_LAB_DRAM_SCHEDULERS=fr_fcfs;fcfs;" + policy + '"';
    for (auto const& k : known)
        if (k.seat == seat && k.name == policy)
            return "cmake --preset lab \"-DWARPKIT_LAB_POLICIES=" + seat + ' ' + k.type + " include/" +
                   k.header + '"';
    return "cmake --preset lab \"-DWARPKIT_LAB_POLICIES=" + seat +
           " TYPE HEADER\", with the type and header of " + policy;
}

[[noreturn]] void refuse_policy(machine_file const& m, machine_entry const& p, std::string const& why) {
    throw error(m.file + (p.line == 0 ? "" : ':' + std::to_string(p.line)) + ": " + p.name + " = " + p.value +
                ": " + why);
}

// Refuses what this lab's machine of that preset is not.
void check_policies(machine_file const& m) {
    auto const points =
        machines_called({.preset = m.base, .scheduler = {}, .dram = {}, .replay = {}, .own = {}});
    if (points.empty())
        throw error(m.file + ": base: this lab was compiled without " + m.base + "; configure one with " +
                    line_for("preset", {}, m.base));
    auto const cores = parameters(m).core.count;
    for (auto const& p : m.policies) {
        if (p.name == "l1d" || p.name == "l2") continue; // variants; refused when the machine is made
        if (!policies_in(p.name).empty()) {
            try {
                check_policy({p.name, p.value}, cores);
            } catch (error const& e) {
                refuse_policy(m, p, e.what());
            }
            continue;
        }
        std::vector<std::string> there =
            p.name == "dram_scheduler" ? dram_names() : std::vector<std::string>();
        for (auto const& point : points)
            for (auto const& s : point.policies)
                if (s.slot == p.name && std::find(there.begin(), there.end(), s.policy) == there.end())
                    there.push_back(s.policy);
        if (std::find(there.begin(), there.end(), p.value) == there.end())
            refuse_policy(m, p,
                          "this lab has no " + m.base + " with it" + did_you_mean(p.value, there) +
                              "; configure one with " + line_for(p.name, p.value, m.base));
    }
}

} // namespace

gpu_parameters chosen_machine::numbers() const {
    return file ? parameters(*file) : parameters(*preset_named(preset));
}

std::vector<std::string> chosen_machine::texts(std::string_view seat,
                                               std::vector<std::string> const& asked) const {
    if (!asked.empty() || !file) return asked;
    for (auto const& p : file->policies)
        if (p.name == seat) return {p.value};
    return {};
}
std::vector<slot_and_policy> chosen_machine::policies(std::vector<std::string> const& seats) const {
    std::vector<slot_and_policy> all;
    if (file)
        for (auto const& p : file->policies)
            if (std::find(seats.begin(), seats.end(), p.name) != seats.end())
                all.push_back({p.name, p.value});
    return all;
}

std::vector<chosen_machine> machines_of(request const& what) {
    std::vector<chosen_machine> all;
    std::set<std::string> names;
    std::vector<std::string> presets = what.presets;
    if (presets.empty() && what.machines.empty()) presets = {"gtx480"};
    auto const known = preset_names();
    for (auto const& name : presets) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            std::error_code ignored;
            if (std::filesystem::is_regular_file(name, ignored))
                throw error("--preset " + name + " is a file; name it with --machine");
            refuse_name("preset", name, known);
        }
        all.push_back({name, name, nullptr});
    }
    for (auto const& path : what.machines) {
        auto m = std::make_shared<machine_file>(read_machine_at(path));
        if (!names.insert(m->name).second)
            throw error("--machine " + path + ": its name, " + m->name +
                        ", is another one's; give each its own");
        check_policies(*m);
        all.push_back({m->name, m->base, m});
    }
    return all;
}

std::string described_machine::policy_of(std::string_view seat) const {
    for (auto const& p : policies)
        if (p.slot == seat) return p.policy;
    return {};
}

described_machine describe_machine(std::string const& name) {
    described_machine d;
    auto const& fields = machine_numbers();
    auto const as_preset = [&](preset const& p, std::string const& prefix) {
        d.preset = p.name;
        d.numbers = parameters(p);
        for (auto const& row : rows(p)) d.origins.push_back({to_string(row.kind), prefix + row.source});
        d.mapping_source = prefix + address_mapping_source(p);
        d.nodes_source = prefix + memory_nodes_source(p);
    };
    if (auto const* const p = preset_named(name)) {
        as_preset(*p, "");
        d.name = p->name;
        d.title = p->title;
        return d;
    }
    std::error_code ignored;
    if (!std::filesystem::exists(name, ignored)) {
        std::vector<std::string> names;
        for (auto const* p : preset_numbers::all()) names.emplace_back(p->name);
        if (name.find('/') == name.npos && name.find(".toml") == name.npos)
            refuse_name("preset", name, names);
    }
    auto const m = read_machine_at(name);
    as_preset(base_of(m), "as " + m.base + ": ");
    d.name = m.name;
    d.title = m.title;
    d.numbers = parameters(m);
    for (auto const& e : m.numbers) {
        auto const colon = e.comment.find(": ");
        number_origin o{"set", e.comment.empty() ? m.file + ':' + std::to_string(e.line) : e.comment};
        for (std::string const kind : {"documented", "measured", "estimated", "set"})
            if (colon != e.comment.npos && e.comment.substr(0, colon) == kind)
                o = {kind, e.comment.substr(colon + 2)};
        if (auto const* const f = find_field(fields, e.name))
            d.origins[static_cast<std::size_t>(f - fields.data())] = o;
        else if (e.name == "address_mapping")
            d.mapping_source = o.kind + ": " + o.source;
        else if (e.name == "memory_nodes")
            d.nodes_source = o.kind + ": " + o.source;
    }
    for (auto const& p : m.policies) d.policies.push_back({p.name, p.value});
    return d;
}

namespace {

// What two machines have under one name.
struct difference {
    std::string name;
    std::string first;
    std::string second;
    std::string ratio; // of numbers, second to first
    number_origin origins[2];
};

// The policy of each seat: the file's, else the compiled machine's.
std::vector<slot_and_policy> policies_of(described_machine const& d) {
    std::vector<slot_and_policy> all;
    auto const points =
        machines_called({.preset = d.preset, .scheduler = {}, .dram = {}, .replay = {}, .own = {}});
    for (auto const& row : seat_rows()) {
        std::string policy;
        if (!points.empty())
            for (auto const& s : points.front().policies)
                if (s.slot == row.name) policy = s.policy;
        if (!policies_in(row.name).empty() || row.name == "dram_scheduler") policy = "any; the run's";
        if (!points.empty())
            if (auto const told = told_by_preset(points.front(), row.name); !told.empty()) policy = told;
        if (auto const own = d.policy_of(row.name); !own.empty()) policy = own;
        if (row.name == "l1d" && !d.numbers.l1d_variant.empty()) policy = d.numbers.l1d_variant;
        if (row.name == "l2" && !d.numbers.l2_variant.empty()) policy = d.numbers.l2_variant;
        all.push_back({row.name, policy});
    }
    return all;
}

} // namespace

void show_differences(std::string const& first, std::string const& second,
                      std::vector<std::string> const& settings, comparison_request const& how) {
    described_machine machines[2] = {describe_machine(first), describe_machine(second)};
    auto const& fields = machine_numbers();
    for (auto& m : machines) {
        auto const before = m.numbers;
        change(m.numbers, settings);
        check(m.numbers);
        for (std::size_t i = 0; i < fields.size(); ++i)
            if (read_field(before, fields[i]) != read_field(m.numbers, fields[i]))
                m.origins[i] = {"set", "--set"};
    }

    std::vector<difference> numbers;
    std::size_t equal = 0;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        auto const a = read_field(machines[0].numbers, fields[i]);
        auto const b = read_field(machines[1].numbers, fields[i]);
        equal += a == b ? 1 : 0;
        if (a == b && !how.all) continue;
        auto const ratio =
            a == 0 ? std::string("-") : report::fixed(static_cast<double>(b) / static_cast<double>(a), 2);
        numbers.push_back({fields[i].name,
                           format_number(a, fields[i].unit),
                           format_number(b, fields[i].unit),
                           ratio,
                           {machines[0].origins[i], machines[1].origins[i]}});
    }
    std::vector<difference> others;
    auto const other = [&](std::string const& name, std::string const& a, std::string const& b) {
        if (a != b || how.all) others.push_back({name, a, b, {}, {}});
    };
    other("address_mapping", machines[0].numbers.address_mapping, machines[1].numbers.address_mapping);
    other("memory_nodes", machines[0].numbers.memory_nodes, machines[1].numbers.memory_nodes);
    auto const a = policies_of(machines[0]);
    auto const b = policies_of(machines[1]);
    for (std::size_t i = 0; i < a.size(); ++i) other(a[i].slot, a[i].policy, b[i].policy);

    if (!how.json.empty()) {
        report::json_writer w;
        w.begin_object().member("first", machines[0].name).member("second", machines[1].name);
        for (auto const* const part : {&numbers, &others}) {
            w.key(part == &numbers ? "numbers" : "others").begin_array();
            for (auto const& d : *part) {
                w.begin_object().member("name", d.name).member("first", d.first).member("second", d.second);
                if (part == &numbers)
                    w.member("first_source", d.origins[0].kind + ": " + d.origins[0].source)
                        .member("second_source", d.origins[1].kind + ": " + d.origins[1].source);
                w.end_object();
            }
            w.end_array();
        }
        w.end_object();
        output_file out(how.json);
        out.write(w.text());
        out.close();
        out.commit();
        if (is_standard_output(how.json)) return;
    }
    text_table t({{"number", alignment::left}, {machines[0].name}, {machines[1].name}, {"ratio"}});
    for (auto const& d : numbers) t.add_row({d.name, d.first, d.second, d.ratio});
    print_table("numbers", t);
    std::cout << '\n' << equal << " of " << fields.size() << " numbers are the same\n";
    if (others.empty()) return;
    text_table rest({{"policy", alignment::left},
                     {machines[0].name, alignment::left},
                     {machines[1].name, alignment::left}});
    for (auto const& d : others)
        rest.add_row({d.name, d.first.empty() ? "-" : d.first, d.second.empty() ? "-" : d.second});
    std::cout << '\n';
    print_table("policies", rest);
}

std::vector<std::string> expand_settings(std::vector<std::string> const& settings,
                                         std::vector<std::string>& files) {
    std::set<std::string> named;
    for (auto const& s : settings)
        if (s.substr(0, 1) != "@") named.insert(full_name(s.substr(0, s.find('='))));
    std::vector<std::string> all;
    for (auto const& s : settings) {
        if (s.substr(0, 1) != "@") {
            all.push_back(s);
            continue;
        }
        auto const path = s.substr(1);
        if (path.empty()) throw error("--set @: name a file with numbers, as in --set @numbers.toml");
        files.push_back(path);
        for (auto const& from_file : settings_in(read_file(path, std::size_t{1} << 24), path))
            if (named.count(full_name(from_file.substr(0, from_file.find('=')))) == 0)
                all.push_back(from_file);
    }
    return all;
}

} // namespace lab
