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

// Headings and labels of tables, those over two lines in two parts, and what stands in them.
struct heading {
    char const* name;
    char const* second;
    char const* meaning;
};
constexpr heading headings[] = {
    // results
    {"kernel", "", "the program that ran, or runs (lab list kernels)"},
    {"scheduler", "", "the warp scheduler (lab list schedulers)"},
    {"preset", "", "the machine (lab list presets); as a policy: the one that the preset has in that seat"},
    {"DRAM", "", "as a label, the DRAM scheduler (--dram)"},
    {"replay", "", "the replay queue of the load/store path (--replay)"},
    {"l1", "", "the kind of L1 data cache (--l1, lab list caches)"},
    {"l2", "", "the kind of L2 (--l2, lab list caches)"},
    {"dispatch", "", "the choice of block (--dispatch, lab list dispatch)"},
    {"occupancy", "", "the limit of the blocks on a core (--occupancy, lab list dispatch)"},
    {"policies", "", "those of seats without an option of their own (--use)"},
    {"ptx", "", "the file in place of the kernel's own PTX (--ptx)"},
    {"launch", "", "the launch file (--launch); of one run, the number of the launch"},
    {"trace", "", "the trace of Accel-Sim (--trace)"},
    {"sampling", "", "how the run was sampled (--sample)"},
    {"IPC", "warp", "metric ipc"},
    {"IPC", "thread", "metric thread_ipc"},
    {"IPC", "amean", "metric ipc: arithmetic mean over the kernels, divided by the baseline's"},
    {"IPC", "geomean", "metric ipc: geometric mean over the kernels of what it is of the baseline's"},
    {"L1D miss", "%", "metric l1d_miss_rate"},
    {"L1 miss", "geomean",
     "metric l1d_miss_rate: geometric mean over the kernels of what it is of the baseline's"},
    {"L2 miss", "%", "metric l2_miss_rate"},
    {"row hit", "%", "metric row_hit_rate"},
    {"BLP", "banks", "bank-level parallelism: metric blp"},
    {"DRAM", "GB/s", "metric dram_bandwidth"},
    {"host", "kwarp-instr/s", "thousand warp instructions simulated per second of the host"},
    {"host", "ktransact/s", "thousand memory transactions simulated per second of the host"},
    {"fingerprint", "", "a hash of all counters of all launches: the same on every host for the same run"},
    {"verified", "",
     "whether the values that the kernel left in memory are right; NO and ERROR are in no mean"},
    {"+/-", "%", "half the 95 % interval of sampled cycles, in % of them (--sample)"},
    {"RAW", "memory", "counter core.cause.raw_memory"},
    {"RAW", "other", "counter core.cause.raw_other"},
    {"RAW", "pages", "counter core.cause.translation"},
    {"structural", "memory", "counter core.cause.structural_memory"},
    {"structural", "other", "counter core.cause.structural_other"},
    {"no CTA", "", "counter core.cause.no_cta"},
    {"MemoryBlock", "%", "that category of the view gpgpusim"},
    {"parameters", "", "the numbers that the program was given (--param)"},
    {"changes", "", "numbers of the machine that --set changed"},
    {"seconds", "", "host time of a run"},
    {"version", "",
     "of the library, with a hash of its sources: results of another one are kept apart (lab results)"},
    {"of kernel", "", "the function that was launched"},
    {"grid", "", "blocks of a launch, in each direction"},
    {"block", "", "threads of a block, in each direction"},
    {"warp instr", "", "counter core.warp_instructions"},
    {"stream", "", "what was launched into one of these runs in order"},
    {"kernels", "", "how many were launched into a stream"},
    {"began", "cycle", "when the kernel's launch, or the stream's first, was at the machine"},
    {"first CTA", "cycle", "when the kernel's first CTA was"},
    {"ended", "cycle", "when the last CTA of the kernel, or of the stream, had finished"},
    {"busy", "cycles", "in which the stream had a kernel on the machine"},
    {"CTAs", "", "counter core.ctas"},
    {"CTAs/row", "", "mean over DRAM rows of the CTAs that reached them (--row-sharing)"},
    {"rows", "", "DRAM rows that were read or written (--row-sharing)"},
    {"consecutive", "%", "of a DRAM row's CTAs, those adjacent in number to another (--row-sharing)"},
    {"saved", "%", "priorities of ELF that needed no calculation (--program-points)"},
    {"points", "", "program points of each function, before merging (--program-points)"},
    {"uJ", "", "energy, in millionths of a joule (--energy)"},
    {"W", "", "power on average, in watts (--energy)"},
    {"fork", "at cycle", "the cycle in which the machine was copied (lab fork)"},
    {"cycles", "from there", "from the fork on (lab fork)"},
    {"speed-up", "", "cycles of the first row, or without a limit, divided by those of this one"},
    // listings
    {"suite", "", "of benchmarks, from which the kernel is: its name stands for all of them (--kernel)"},
    {"what it does", "", "the kernel, in words"},
    {"stands for", "", "the program that the kernel is written after"},
    {"parameter", "", "a number of a kernel's input (--param), or of a policy (name:parameter=value)"},
    {"small", "", "the value at the small size (--size)"},
    {"full", "", "the value at the full size (--size)"},
    {"from", "", "the least that a parameter may be"},
    {"to", "", "the most that a parameter may be"},
    {"meaning", "", "what a number, counter or parameter is"},
    {"machine", "", "what a preset stands for"},
    {"seat", "", "a place of the machine that takes a policy (lab list seats, --use)"},
    {"slot", "", "a seat, in the policies of one machine"},
    {"policy", "", "what sits in a seat (lab list policies)"},
    {"policies in the lab's catalogue", "", "those that a seat may have here"},
    {"decides", "", "what the policy of the seat decides"},
    {"standard", "", "what it is unless you, or a machine, say otherwise"},
    {"contract", "", "the header that says what a policy of the seat has to have"},
    {"part", "", "of a cache, which has one of these kinds; of the energy, what takes it"},
    {"for --l1 and --l2, several joined by +", "", "names of kinds of cache"},
    {"values", "", "what a parameter may be"},
    {"value", "", "what a number of the machine is"},
    {"number", "", "a number of the machine (lab list numbers, --set)"},
    {"unit", "", "in which a number, counter or metric counts; of an opcode, where it executes"},
    {"counter", "", "what a run counts (lab list counters)"},
    {"metric", "", "what is derived from counters (lab list metrics)"},
    {"definition", "", "how a metric is derived"},
    {"view", "", "a paper's way to tell where the cycles went (lab list views, --view)"},
    {"category", "", "what a view tells apart"},
    {"causes", "", "of cycles (lab explain core.cause), which a category has together"},
    {"opcode", "", "an instruction of a trace (lab list opcodes)"},
    {"latency class", "", "by which a machine has the instruction's latency"},
    {"memory", "", "the memory that the instruction reads or writes"},
    {"option", "", "of a configuration of GPGPU-Sim or Accel-Sim (lab import)"},
    {"since", "", "the first version of GPGPU-Sim that has the option"},
    {"until", "", "the last version of GPGPU-Sim that has the option"},
    {"what becomes of it", "", "what lab import makes of the option"},
    {"provenance", "", "whether a number is documented, measured, estimated or set"},
    {"source", "", "where a number, or a cost, is from"},
    {"text", "", "a number of the machine that is words"},
    {"structure", "", "a part of the hardware (lab cost)"},
    {"printed there", "", "what the source says that the structure costs"},
    {"bits here", "", "what it costs as this library has it"},
    {"bits", "", "of storage (lab cost)"},
    {"bytes", "", "of storage (lab cost)"},
    {"kB", "", "1024 bytes of storage (lab cost)"},
    {"made up of", "", "the structures, each with its bits"},
    // studies
    {"launches", "", "how many the kernel makes"},
    {"blocks", "", "CTAs, in all or on a core"},
    {"blocks", "per line", "CTAs that touch a cache line that several touch (lab sharing)"},
    {"blocks", "per row", "CTAs that touch a DRAM row (lab sharing)"},
    {"shared", "%", "of the lines, those that several blocks touch (lab sharing)"},
    {"distance", "most common", "between the numbers of two blocks that share a line (lab sharing)"},
    {"its share", "%", "of the pairs of blocks that share a line, those at that distance (lab sharing)"},
    {"accesses", "", "to global memory in the code (lab addresses)"},
    {"exact", "", "accesses, or blocks, whose lines are foretold as they are (lab addresses)"},
    {"covering", "", "those that are foretold with others (lab addresses)"},
    {"not predicted", "", "those of which nothing is foretold (lab addresses)"},
    {"verdict", "", "how well the lines are foretold (lab addresses)"},
    {"lines touched", "per block", "cache lines (lab addresses)"},
    {"in rectangles", "per block", "lines in what is foretold (lab addresses)"},
    {"best", "", "how many blocks on a core take the fewest cycles (lab degrees)"},
    {"modelled", "", "the degree that the decision scheme takes by its model (lab degrees)"},
    {"measured", "", "the degree that it takes by what was measured of the first stage (lab degrees)"},
    {"decisions", "", "of a recorded scheduler (lab replay)"},
    {"agrees", "", "decisions that another scheduler would make, too (lab replay)"},
};

// What there is only where a machine is compiled with it.
struct compiled_policy {
    char const* name;
    char const* meaning;
};
constexpr compiled_policy compiled_policies[] = {
    {"crossbar", "one switch, at which each core and each memory partition has a port"},
    {"mesh", "routers in rows and columns, each of which passes packets on to its neighbours"},
    {"round_robin", "the ports take turns"},
    {"open_page", "a row stays open until its bank is asked for another one"},
    {"no_memory_prefetch", "nothing is read ahead"},
};

// The parts of a cache by its name, as cache<linear, lru, on_fill, read_only>; nothing for another name.
std::string parts_of_cache(std::string const& name) {
    auto const open = name.find('<');
    if (open == name.npos || name.back() != '>' || name.substr(0, open).find("cache") == name.npos) return {};
    static constexpr char const* kinds[] = {"index", "replacement", "allocation", "writes"};
    std::string text;
    std::size_t from = open + 1;
    for (auto const* const kind : kinds) {
        auto const to = std::min(name.find(", ", from), name.size() - 1);
        text += (text.empty() ? "" : ", ") + std::string(kind) + ' ' + name.substr(from, to - from);
        if (to == name.size() - 1) break;
        from = to + 2;
    }
    return text;
}

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
        for (auto const& p : policies_of_slot(row.name)) {
            if (std::any_of(policies.begin(), policies.end(), [&](auto const& o) { return o.name == p; }) ||
                row.name == "dram_scheduler" || !fits(p))
                continue;
            auto meaning = parts_of_cache(p);
            for (auto const& known : compiled_policies)
                if (p == known.name) meaning = known.meaning;
            say(row.name, p, "", meaning.empty() ? row.decides : meaning);
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
    // Of two lines the first, the second, or both; as JSON and Markdown have them, too.
    auto plain = name;
    plain.erase(
        std::remove_if(plain.begin(), plain.end(), [](char c) { return c == '[' || c == ']' || c == ','; }),
        plain.end());
    for (auto const& h : headings) {
        std::string const second = h.second;
        auto const whole = h.name + (second.empty() ? "" : ' ' + second);
        bool const one = fits(h.name), other = !second.empty() && fits(second);
        if (one || other || fits(whole) || (lower(whole) == plain && !second.empty()))
            say("in tables:", whole, "", h.meaning);
    }
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
