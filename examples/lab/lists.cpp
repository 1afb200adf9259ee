// `lab list`, `lab show` and `lab explain`.
#include <warpkit/cache/alternatives.hpp>
#include <warpkit/config/check.hpp>
#include <warpkit/config/dispatch.hpp>
#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/frontend/accelsim/opcodes.hpp>
#include <warpkit/report/metrics.hpp>
#include <warpkit/report/text.hpp>

#include "catalogue.hpp"
#include "lab.hpp"
#include "machine_files.hpp"

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <utility>

namespace lab {

using namespace warpkit;
using report::alignment;
using report::text_table;

[[noreturn]] void refuse_name(std::string const& kind, std::string const& name,
                              std::vector<std::string> const& names, std::string const& place) {
    std::string all;
    for (auto const& n : names) all += (all.empty() ? "" : ", ") + n;
    throw error((place.empty() ? place : place + ": ") + "there is no " + kind + " '" + name + '\'' +
                did_you_mean(name, names) + "; there are: " + all);
}

void check_setting(std::string const& setting) {
    std::string why;
    for (auto const* p : preset_numbers::all()) try {
            auto numbers = parameters(*p);
            set_number(numbers, setting);
            return;
        } catch (error const& e) {
            if (why.empty()) why = e.what();
        }
    throw error(why + " (lab list numbers)");
}

void change(gpu_parameters& numbers, std::vector<std::string> const& settings) {
    std::map<std::string, std::string> given;
    for (auto const& setting : settings) try {
            auto const name = full_name(setting.substr(0, setting.find('=')));
            if (auto const [earlier, is_new] = given.emplace(name, setting); !is_new)
                throw error(name + " is set twice, before as " + earlier->second + "; set it once");
            set_number(numbers, setting);
        } catch (error const& e) {
            throw error("--set " + setting + ": " + e.what() + " (lab list numbers)");
        }
}

std::vector<std::string> policy_names_in(std::string_view seat) {
    std::vector<std::string> names;
    for (auto const& p : policies_in(seat)) names.push_back(p.name);
    return names;
}

std::string enumerated(std::vector<std::string> const& parts) {
    std::string all;
    for (auto const& p : parts) all += (all.empty() ? "" : ", ") + p;
    return all;
}

std::vector<std::string> policies_of_slot(std::string const& slot) {
    auto names = policy_names_in(slot);
    if (!names.empty()) return names;
    if (slot == "dram_scheduler") return dram_names();
    for (auto const& point : catalogue())
        for (auto const& s : point.policies)
            if (s.slot == slot && std::find(names.begin(), names.end(), s.policy) == names.end())
                names.push_back(s.policy);
    return names;
}

namespace {

void list_kernels() {
    text_table names({{"kernel", alignment::left},
                      {"suite", alignment::left},
                      {"what it does", alignment::left},
                      {"stands for", alignment::left}});
    text_table parameters({{"parameter", alignment::left},
                           {"small"},
                           {"full"},
                           {"from"},
                           {"to"},
                           {"meaning", alignment::left}});
    for (auto const& suite : kernels::suites())
        for (auto const* w : suite.workloads) {
            names.add_row({std::string(w->name), std::string(suite.name), std::string(w->title),
                           std::string(w->origin)});
            for (auto const& p : w->parameters)
                parameters.add_row(
                    {std::string(w->name) + '.' + std::string(p.name), std::to_string(p.small),
                     std::to_string(p.full), std::to_string(p.minimum), std::to_string(p.maximum),
                     std::string(p.meaning) + (p.unit.empty() ? "" : " [" + std::string(p.unit) + ']')});
        }
    print_table("kernels", names);
    std::cout << '\n';
    print_table("kernel_parameters", parameters);
}

void list_names(std::vector<std::string> const& names) {
    if (json_tables::collects()) {
        text_table t({{"scheduler", alignment::left}});
        for (auto const& n : names) t.add_row({n});
        return print_table("schedulers", t);
    }
    for (auto const& n : names) std::cout << "  " << n << '\n';
}

void list_presets() {
    text_table t({{"preset", alignment::left}, {"machine", alignment::left}});
    for (auto const* p : preset_numbers::all()) t.add_row({p->name, p->title});
    print_table("presets", t);
}

void list_policies() {
    text_table t({{"seat", alignment::left}, {"policies in the lab's catalogue", alignment::left}});
    for (auto const& row : seat_rows()) {
        auto const names = policies_of_slot(row.name);
        for (std::size_t i = 0; i < names.size(); ++i) t.add_row({i == 0 ? row.name : "", names[i]});
    }
    print_table("policies", t);
}

void list_seats() {
    text_table t({{"seat", alignment::left},
                  {"decides", alignment::left},
                  {"standard", alignment::left},
                  {"contract", alignment::left}});
    for (auto const& row : seat_rows()) t.add_row({row.name, row.decides, row.standard, row.contract});
    print_table("seats", t);
}

void list_caches() {
    using any = with_alternatives<cache<linear_index, lru, on_miss, fermi_l1>>;
    text_table t({{"part", alignment::left}, {"for --l1 and --l2, several joined by +", alignment::left}});
    t.add_row({"as it is", "preset"});
    for (auto const& p : any::parts())
        t.add_row({std::string(p.kind), enumerated({p.names.begin(), p.names.end()})});
    auto const parameters = [&](std::string const& policy, auto const& its) {
        for (auto const& q : its)
            t.add_row({"parameter",
                       policy + ':' + q.name + '=' + q.standard + " (" + q.values + "), " + q.meaning});
    };
    parameters("srrip", parameters_of<srrip_of<run_time>>());
    parameters("pcal", parameters_of<pcal_of<run_time>>());
    parameters("prefetch_cache", parameters_of<prefetch_cache_of<run_time>>());
    print_table("caches", t);
}

// The policies of these seats with their parameters; those without any only where `all`.
void list_parameters_of(std::vector<std::string> const& seats, bool all) {
    bool first = true;
    for (auto const& row : seat_rows()) {
        if (!seats.empty() && std::find(seats.begin(), seats.end(), row.name) == seats.end()) continue;
        text_table t({{row.name, alignment::left},
                      {"parameter", alignment::left},
                      {"standard", alignment::right},
                      {"values", alignment::left},
                      {"meaning", alignment::left}});
        bool any = false;
        for (auto const& p : policies_with_parameters_in(row.name)) {
            if (!all && p.parameters.empty()) continue;
            any = true;
            t.add_row({p.name, "", "", "", p.meaning});
            for (auto const& q : p.parameters) t.add_row({"", q.name, q.standard, q.values, q.meaning});
        }
        if (!any) continue;
        if (!first) std::cout << '\n';
        print_table(std::string(row.name), t);
        first = false;
    }
}
void list_parameters() { list_parameters_of({}, false); }
void list_dispatch() {
    list_parameters_of({"cta_choice", "kernel_dispatch", "cluster_placement", "occupancy_limit"}, true);
}

void list_fields(char const* title, std::vector<field> const& fields) {
    text_table t({{title, alignment::left}, {"unit", alignment::left}, {"meaning", alignment::left}});
    for (auto const& f : fields) t.add_row({f.name, f.unit, f.meaning});
    print_table(title + std::string("s"), t);
}

void list_metrics() {
    text_table t({{"metric", alignment::left}, {"unit", alignment::left}, {"definition", alignment::left}});
    for (auto const& m : report::all_metrics) t.add_row({m.name, m.unit, m.definition});
    print_table("metrics", t);
}

void list_views() {
    text_table t({{"view", alignment::left}, {"category", alignment::left}, {"causes", alignment::left}});
    for (auto const& v : report::all_stall_views)
        for (auto const& c : v.categories) {
            std::vector<std::string> causes;
            for (unsigned i = 0; i < cycle_cause_count; ++i)
                if ((c.causes >> i & 1) != 0) causes.push_back(cycle_cause_names[i]);
            t.add_row({&c == v.categories.data() ? std::string(v.name) : "", c.name, enumerated(causes)});
        }
    for (auto const& c : report::owl_categories)
        t.add_row(
            {&c == report::owl_categories ? "owl" : "", c.name, std::string("per core: ") + c.definition});
    print_table("views", t);
}

// The opcodes of traces, by unit: each with its class, by which machines have latencies.
void list_opcodes() {
    text_table t({{"opcode", alignment::left},
                  {"unit", alignment::left},
                  {"latency class", alignment::left},
                  {"memory", alignment::left}});
    for (auto const& r : accelsim::detail::opcode_rows)
        t.add_row({std::string(r.name), accelsim::opcode_unit_names[static_cast<unsigned>(unit_of(r))],
                   op_class_names[static_cast<unsigned>(r.kind)],
                   r.space == memory_space::none ? "" : memory_space_names[static_cast<unsigned>(r.space)]});
    print_table("opcodes", t);
}

struct topic {
    char const* name;
    char const* title;
    std::function<void()> print;
};
std::vector<topic> topics() {
    return {
        {"kernels", "Kernels (lab run --kernel)", list_kernels},
        {"schedulers", "Warp schedulers (lab run --scheduler)", [] { list_names(scheduler_names()); }},
        {"presets", "Presets (lab run --preset; lab show)", list_presets},
        {"seats", "Seats of a machine (use::, lab run --use seat=policy)", list_seats},
        {"policies", "Policies by seat", list_policies},
        {"parameters", "Parameters of policies (name:parameter=value:parameter=value)", list_parameters},
        {"caches", "Kinds of L1 data cache and L2", list_caches},
        {"dispatch", "Block dispatch (lab run --dispatch, --occupancy name:parameter=value)", list_dispatch},
        {"numbers", "Numbers (lab run --set name=value)", [] { list_fields("number", machine_numbers()); }},
        {"counters", "Counters (in --json and --csv)",
         [] { list_fields("counter", report::all_counters()); }},
        {"metrics", "Derived numbers (in --json and --csv)", list_metrics},
        {"views", "Views of the stall causes, as the papers have them", list_views},
        {"opcodes", "Opcodes of NVIDIA's GPUs from Kepler on (lab run --trace)", list_opcodes},
        {"options", "Options of GPGPU-Sim and Accel-Sim (lab import)", list_simulator_options}};
}

} // namespace

std::vector<std::string> list_topics() {
    std::vector<std::string> names;
    for (auto const& t : topics()) names.push_back(t.name);
    return names;
}

void list(std::string const& asked) {
    auto const name = asked == "all" ? std::string() : asked;
    bool found = false;
    std::vector<std::string> names;
    for (auto const& t : topics()) {
        names.push_back(t.name);
        if (!name.empty() && name != t.name) continue;
        if (found) std::cout << '\n';
        if (name.empty()) std::cout << t.title << "\n\n";
        t.print();
        found = true;
    }
    if (!found) refuse_name("topic", name, names);
}

namespace {
std::string variant_of(gpu_parameters const& g, std::string const& slot) {
    auto const& variant = slot == "l1d" ? g.l1d_variant : slot == "l2" ? g.l2_variant : std::string();
    return variant.empty() ? "" : ", but " + variant;
}
} // namespace

static void show_one(std::string const& name, std::vector<std::string> const& settings,
                     std::string const& before_titles) {
    auto const shown = describe_machine(name);
    auto const& before = shown.numbers;
    auto after = before;
    change(after, settings);
    check(after);

    std::cout << shown.name << ": " << shown.title << "\n\n";
    // For people in their units, for programs in bytes, kHz and cycles.
    text_table t({{"number", alignment::left},
                  {"value"},
                  {"provenance", alignment::left},
                  {"source", alignment::left}});
    auto const& fields = machine_numbers();
    std::string group;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        auto const its_group = fields[i].name.substr(0, fields[i].name.find('.'));
        if (!group.empty() && its_group != group) t.add_rule();
        group = its_group;
        auto const number = read_field(after, fields[i]);
        auto const value =
            json_tables::collects() ? std::to_string(number) : format_number(number, fields[i].unit);
        if (read_field(after, fields[i]) != read_field(before, fields[i]))
            t.add_row({fields[i].name, value, "set", "--set"});
        else
            t.add_row({fields[i].name, value, shown.origins[i].kind, shown.origins[i].source});
    }
    print_table(before_titles + "numbers", t);
    if (json_tables::collects()) {
        text_table texts(
            {{"text", alignment::left}, {"value", alignment::left}, {"source", alignment::left}});
        auto const source = [](bool same, std::string const& its) {
            return same ? its : std::string("--set");
        };
        texts.add_row({"address_mapping", after.address_mapping,
                       source(after.address_mapping == before.address_mapping, shown.mapping_source)});
        texts.add_row({"memory_nodes", after.memory_nodes,
                       source(after.memory_nodes == before.memory_nodes, shown.nodes_source)});
        print_table(before_titles + "texts", texts);
    }
    std::cout << "\naddress_mapping  " << after.address_mapping << "\n                 "
              << (after.address_mapping == before.address_mapping ? shown.mapping_source : "--set")
              << "\nmemory_nodes     " << after.memory_nodes << "\n                 "
              << (after.memory_nodes == before.memory_nodes ? shown.nodes_source : "--set")
              << "\n\nPolicies:\n\n";
    for (auto const& point : catalogue())
        if (point.preset == shown.preset) {
            text_table policies({{"slot", alignment::left}, {"policy", alignment::left}});
            for (auto const& s : point.policies)
                if (auto const own = shown.policy_of(s.slot); !own.empty())
                    policies.add_row({s.slot, own});
                else if (auto const told = told_by_preset(point, s.slot); !told.empty())
                    policies.add_row({s.slot, told});
                else if (!policies_in(s.slot).empty() || s.slot == "dram_scheduler")
                    policies.add_row({s.slot, enumerated(policies_of_slot(s.slot))});
                else
                    policies.add_row({s.slot, s.policy + variant_of(after, s.slot)});
            print_table(before_titles + "policies", policies);
            std::cout
                << "\nOther policies of the L1 data cache and the L2: lab list caches, --set l1d_variant, "
                   "l2_variant\n";
            point.make(after); // a variant that there is not is refused
            return;
        }
}

void show(std::string const& name, std::vector<std::string> const& settings) {
    if (name != "all") return show_one(name, settings, "");
    bool first = true;
    for (auto const& preset : preset_names()) {
        if (!std::exchange(first, false)) std::cout << '\n';
        show_one(preset, settings, preset + '.');
    }
}

} // namespace lab
