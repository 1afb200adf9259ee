// `lab explain`: what the names that the lab prints and takes mean.
#include <warpkit/cache/alternatives.hpp>
#include <warpkit/config/gpgpusim/options.hpp>
#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/frontend/accelsim/opcodes.hpp>
#include <warpkit/report/metrics.hpp>

#include "catalogue.hpp"
#include "lab.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <set>

namespace lab {

using namespace warpkit;

namespace {

std::string lower(std::string_view text) {
    std::string small(text);
    for (auto& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return small;
}

// Headings and labels of tables that are no names of something else, and what stands in them.
struct heading {
    char const* name;
    char const* meaning;
};
constexpr heading headings[] = {
    {"host",
     "kwarp-instr/s, ktransact/s: thousand warp instructions and memory transactions simulated per second of "
     "the host"},
    {"fingerprint", "a hash of all counters of all launches: the same on every host for the same run"},
    {"verified", "whether the values that the kernel left in memory are right; NO and ERROR are in no mean"},
    {"+/-", "half the 95 % interval of sampled cycles, in % of them (--sample)"},
    {"BLP", "bank-level parallelism: metric blp"},
    {"IPC", "warp: metric ipc; thread: metric thread_ipc"},
    {"L1D miss", "metric l1d_miss_rate"},
    {"L2 miss", "metric l2_miss_rate"},
    {"row hit", "metric row_hit_rate"},
    {"DRAM", "GB/s: metric dram_bandwidth; as a label, the DRAM scheduler"},
    {"RAW",
     "memory, other, pages: counters core.cause.raw_memory, core.cause.raw_other and core.cause.translation"},
    {"structural", "memory, other: counters core.cause.structural_memory and core.cause.structural_other"},
    {"no CTA", "counter core.cause.no_cta"},
    {"replay", "the replay queue of the load/store path (--replay)"},
    {"speed-up", "cycles of the first row divided by those of this one, from the fork on"},
    {"fork", "the cycle in which the machine was copied (lab fork)"},
    {"CTAs/row", "mean over DRAM rows of the CTAs that reached them (--row-sharing)"},
    {"consecutive", "of a DRAM row's CTAs, those adjacent in number to another, in % (--row-sharing)"},
    {"seconds", "host time of a run"},
    {"parameters", "the numbers that the program was given (--param)"},
    {"changes", "numbers of the machine that --set changed"},
    {"version",
     "of the library, with a hash of its sources: results of another one are kept apart (lab results)"},
    {"preset", "as a policy: the one that the preset has in that seat"},
};

} // namespace

std::size_t explained(std::string const& asked, std::vector<std::string>& names, bool aloud) {
    auto const name = lower(full_name(asked));
    std::size_t found = 0;
    std::set<std::string> said;
    // It is the name, begins with it, as core.cause, or ends with it, as raw_memory.
    auto const fits = [&](std::string_view which) {
        names.emplace_back(which);
        auto const other = lower(which);
        if (other == name) return true;
        if (other.size() <= name.size() + 1 || name.empty()) return false;
        return other.compare(0, name.size() + 1, name + '.') == 0 ||
               other.compare(other.size() - name.size() - 1, std::string::npos, '.' + name) == 0;
    };
    auto const say = [&](std::string const& kind, std::string const& what, std::string const& unit,
                         std::string const& meaning) {
        ++found;
        auto const line = kind + ' ' + what + (unit.empty() ? "" : " [" + unit + "]") + ": " + meaning;
        if (aloud && said.insert(line).second) std::cout << line << '\n';
    };
    auto const further = [&](std::string const& line) {
        if (aloud && said.insert(line).second) std::cout << "  " << line << '\n';
    };
    auto const fields = [&](char const* kind, std::vector<field> const& all) {
        for (auto const& f : all)
            if (fits(f.name)) say(kind, f.name, f.unit, f.meaning);
    };
    for (auto const& m : report::all_metrics)
        if (fits(m.name)) say("metric", m.name, m.unit, m.definition);
    fields("counter", report::all_counters());
    fields("number", machine_numbers());
    for (auto const* p : preset_numbers::all())
        if (fits(p->name)) say("preset", p->name, "", p->title);
    for (auto const& suite : kernels::suites())
        if (fits(suite.name)) {
            std::vector<std::string> all;
            for (auto const* w : suite.workloads) all.emplace_back(w->name);
            say("suite", std::string(suite.name), "", enumerated(all));
        }
    for (auto const* w : kernels::all()) {
        auto const text = std::string(w->name);
        if (fits(text)) say("kernel", text, "", std::string(w->title) + "; " + std::string(w->origin));
        for (auto const& p : w->parameters)
            if (fits(text + '.' + std::string(p.name)))
                say("parameter", text + '.' + std::string(p.name), std::string(p.unit),
                    std::string(p.meaning) + "; " + std::to_string(p.minimum) + " to " +
                        std::to_string(p.maximum) + ", " + std::to_string(p.small) + " at small size, " +
                        std::to_string(p.full) + " at full size");
    }
    for (auto const& row : seat_rows()) {
        if (fits(row.name))
            say("seat", row.name, "",
                std::string(row.decides) + "; " + row.standard + " unless a machine says " +
                    "otherwise; contract: " + row.contract);
        auto policies = policies_with_parameters_in(row.name);
        for (auto const& p : policies_in(row.name))
            if (std::none_of(policies.begin(), policies.end(),
                             [&](auto const& o) { return o.name == p.name; }))
                policies.push_back(p);
        for (auto const& p : policies) {
            if (fits(p.name)) {
                say(row.name, p.name, "", p.meaning.empty() ? row.decides : p.meaning);
                for (auto const& q : p.parameters)
                    further(p.name + ':' + q.name + '=' + q.standard + " (" + q.values + "): " + q.meaning);
            }
            for (auto const& q : p.parameters)
                for (char const separator : {':', '.'})
                    if (fits(p.name + separator + q.name))
                        say("parameter of the " + std::string(row.name), p.name + ':' + q.name, "",
                            q.meaning + "; " + q.values + ", " + q.standard + " unless you say otherwise");
        }
    }
    for (auto const& d : dram_names())
        if (fits(d))
            say("dram_scheduler", d, "", "which request of a DRAM channel goes first (lab list parameters)");
    using any = with_alternatives<cache<linear_index, lru, on_miss, fermi_l1>>;
    for (auto const& part : any::parts())
        for (auto const& n : part.names)
            if (fits(n))
                say("kind of cache", std::string(n), "", "its " + std::string(part.kind) + " (--l1, --l2)");
    if (fits("perfect")) say("kind of cache", "perfect", "", "every access hits (--l1, --l2)");
    for (auto const& v : report::all_stall_views) {
        bool const its = fits(v.name);
        if (its) say("view", v.name, "", v.source);
        for (auto const& c : v.categories) {
            std::vector<std::string> causes;
            for (unsigned i = 0; i < cycle_cause_count; ++i)
                if ((c.causes >> i & 1) != 0) causes.push_back(cycle_cause_names[i]);
            if (its)
                further(std::string(c.name) + " = " + enumerated(causes));
            else if (fits(c.name))
                say(std::string("in the view ") + v.name, c.name, "", enumerated(causes));
        }
    }
    bool const owl = fits("owl");
    if (owl) say("view", "owl", "", "OWL, ASPLOS 2013; of core cycles, not of scheduler cycles");
    for (auto const& c : report::owl_categories)
        if (owl)
            further(std::string(c.name) + " = " + c.definition);
        else if (fits(c.name))
            say("in the view owl", c.name, "", c.definition);
    for (auto const& h : headings)
        if (fits(h.name)) say("in tables:", h.name, "", h.meaning);
    for (auto const& r : accelsim::detail::opcode_rows)
        if (fits(r.name))
            say("opcode", std::string(r.name), "",
                std::string("of the class ") + op_class_names[static_cast<unsigned>(r.kind)] +
                    " (lab list opcodes)");
    for (auto const& o : gpgpusim::simulator_options())
        if (fits(o.name) || fits(o.name + 1)) // without its dash, which would make it one of ours
            say("option of GPGPU-Sim", o.name, "", std::string(gpgpusim::to_string(o.what)) + "; " + o.text);
    return found;
}

void explain(std::string const& asked) {
    std::vector<std::string> names;
    if (explained(asked, names, true) == 0)
        throw error("there is nothing called '" + asked + '\'' + did_you_mean(asked, names) +
                    " (lab list names everything)");
}

} // namespace lab
