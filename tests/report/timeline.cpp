/// Time: timelines, intervals and profiles of runs agree with what the machine counts.

#include <warpkit/base/listeners.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/config/simulate.hpp>
#include <warpkit/report/memory_timeline.hpp>
#include <warpkit/report/run_profile.hpp>
#include <warpkit/report/run_record.hpp>
#include <warpkit/report/timeline.hpp>

#include "catch.hpp"
#include "kernels/workload.hpp"

#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#define WARPKIT_HAS_NLOHMANN
#endif

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace warpkit;

namespace {

using observers = listeners<report::timeline, report::run_profile>;
using machine = presets::gtx480::with<use::observer<observers>, use::l2_observer<report::l2_timeline>,
                                      use::dram_observer<report::dram_timeline>>;
using gpu_type = gpu<machine::policies>;

// Twelve launches, on two of the cores: small, since what is written of all of it is read again as JSON, which takes
// the sanitizers long.
using input_values = std::vector<std::pair<char const*, std::uint64_t>>;
input_values const small_bfs{{"nodes", 320}};

struct observed_run {
    std::shared_ptr<gpu_type> g;
    simulation_result result;
    std::string text;
    std::size_t lines_left = 0; ///< under way, as far as the timeline knows
};

/// `given`: parameters of the kernel, and their values.
observed_run run(char const* kernel, report::timeline_options const& options, cycle intervals = 0,
                 input_values const& given = {}) {
    auto const& workload = kernels::find(kernel);
    kernels::values inputs(workload);
    for (auto const& [name, value] : given) inputs.set(name, value);
    observed_run r;
    auto const file =
        std::make_shared<report::timeline_file>(options, [&](std::string_view piece) { r.text += piece; });
    policy_values<machine::policies> values;
    values.observer = {report::timeline(file), report::run_profile(true)};
    r.g = std::make_shared<gpu_type>(machine::parameters(), values);
    report::draw_memory(*r.g, file);
    auto e = engine::on(r.g);
    if (intervals != 0) e.keep_intervals(intervals);
    r.result = simulate(
        e, {workload.ptx, std::string(workload.ptx_name), [&](device& d) { workload.run(d, inputs); }});
    file->finish();
    r.lines_left = file->ways().size();
    return r;
}

} // namespace

#ifdef WARPKIT_HAS_NLOHMANN
namespace {

// What the format asks of each event (Trace Event Format, Google): its phase, its process and thread, both with a name,
// a time where it has one; durations are not negative; slices of a thread lie beside each other; asynchronous events of
// one category and id nest; a counter is numbers, one behind the other in time. There are no other phases: no begin and
// end apart ('B', 'E'), and no arrows ('s', 't', 'f'), which would have to come in pairs.
void check_format(nlohmann::json const& trace) {
    REQUIRE(trace.at("traceEvents").is_array());
    CHECK((trace.at("displayTimeUnit") == "ms" || trace.at("displayTimeUnit") == "ns"));
    std::set<std::string> const metadata = {"process_name", "process_sort_index", "thread_name",
                                            "thread_sort_index"};
    std::set<int> processes, named_processes;
    std::set<std::pair<int, int>> threads, named_threads;
    std::map<std::pair<int, std::string>, double> counted; // when last
    std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> slices;
    std::map<std::tuple<std::string, std::string>, std::vector<std::pair<double, std::string>>> open;
    std::size_t bad = 0;
    for (auto const& e : trace.at("traceEvents")) {
        auto const phase = e.at("ph").get<std::string>();
        auto const pid = e.at("pid").get<int>();
        auto const tid = e.at("tid").get<int>();
        if (phase == "M") {
            auto const what = e.at("name").get<std::string>();
            auto const& args = e.at("args");
            bad += metadata.count(what) == 0;
            bad += what.find("_name") != what.npos ? args.at("name").get<std::string>().empty()
                                                   : !args.at("sort_index").is_number_unsigned();
            if (what == "process_name") bad += !named_processes.insert(pid).second;
            if (what == "thread_name") bad += !named_threads.emplace(pid, tid).second;
            continue;
        }
        processes.insert(pid);
        auto const ts = e.at("ts").get<double>();
        bad += !e.at("name").is_string() || !e.at("cat").is_string() || ts < 0;
        if (phase != "C") threads.emplace(pid, tid); // a counter is its process's
        if (phase == "X") {
            auto const dur = e.at("dur").get<double>();
            bad += dur <= 0;
            slices[{pid, tid}].emplace_back(ts, ts + dur);
        } else if (phase == "C") {
            bad += e.at("args").empty();
            for (auto const& [name, value] : e.at("args").items()) bad += !value.is_number();
            auto const [last, is_new] = counted.try_emplace({pid, e.at("name")}, ts);
            bad += !is_new && ts <= last->second;
            last->second = ts;
        } else if (phase == "b" || phase == "n" || phase == "e") {
            // In the order of the file, which for one id is that of time.
            auto& stack = open[{e.at("cat"), e.at("id")}];
            if (phase == "b") {
                bad += !stack.empty() && ts < stack.back().first;
                stack.emplace_back(ts, e.at("name"));
            } else {
                bad += stack.empty() || ts < stack.back().first || stack.back().second != e.at("name");
                if (phase == "e" && !stack.empty()) stack.pop_back();
            }
        } else {
            ++bad;
        }
    }
    CHECK(bad == 0);
    for (auto& [thread, all] : slices) {
        std::sort(all.begin(), all.end());
        for (std::size_t i = 1; i < all.size(); ++i) bad += all[i].first < all[i - 1].second - 1e-6;
    }
    CHECK(bad == 0);
    for (auto const& [id, stack] : open) bad += !stack.empty();
    CHECK(bad == 0);
    for (auto const process : processes) bad += named_processes.count(process) == 0;
    CHECK(bad == 0);
    for (auto const& thread : threads) bad += named_threads.count(thread) == 0;
    CHECK(bad == 0);
}

// Cycles of slices of a category, by name.
std::map<std::string, std::uint64_t> sums(nlohmann::json const& trace, std::string const& category) {
    std::map<std::string, std::uint64_t> all;
    for (auto const& e : trace.at("traceEvents"))
        if (e.at("ph") == "X" && e.at("cat") == category)
            all[e.at("name").get<std::string>()] += e.at("dur").get<std::uint64_t>();
    return all;
}
std::uint64_t count(nlohmann::json const& trace, std::string const& category, std::string const& phase) {
    std::uint64_t n = 0;
    for (auto const& e : trace.at("traceEvents")) n += e.at("ph") == phase && e.value("cat", "") == category;
    return n;
}

} // namespace

TEST_CASE("the slices of a timeline sum to the counters", "[timeline]") {
    input_values const small_sgemm{{"m", 32}, {"n", 32}, {"k", 16}};
    for (auto const& [kernel, given] : {std::pair("bfs", small_bfs), {"sgemm_tiled", small_sgemm}}) {
        CAPTURE(kernel);
        report::timeline_options cores;
        for (unsigned c = 0; c < presets::gtx480::parameters().core.count; ++c) cores.cores.push_back(c);
        auto const r = run(kernel, cores, 0, given);
        REQUIRE(r.result.verified);
        auto const trace = nlohmann::json::parse(r.text);
        check_format(trace);
        auto causes = sums(trace, "scheduler");
        for (unsigned i = 0; i < cycle_cause_count; ++i) {
            CAPTURE(cycle_cause_names[i]);
            CHECK(causes[cycle_cause_names[i]] == r.result.total.core.cause[i]);
        }
        std::uint64_t issues = 0;
        for (auto const& [name, cycles] : sums(trace, "issue")) issues += cycles;
        CHECK(issues == r.result.total.core.warp_instructions);
        CHECK(count(trace, "cta", "X") == r.result.total.core.ctas);
        CHECK(count(trace, "load", "b") != 0);
        // One access of a load is told once.
        CHECK(count(trace, "load", "n") <= r.result.total.l1d.accesses);
    }
}

TEST_CASE("a timeline has what the memory does, as often as it is counted", "[timeline]") {
    auto const [kernel, given] =
        GENERATE(std::pair("bfs", small_bfs), std::pair("sgemm_tiled", input_values{{"m", 64}, {"n", 64}}));
    CAPTURE(kernel);
    auto const r = run(kernel, {.channels = {0, 1, 2, 3, 4, 5}}, 0, given);
    auto const& c = r.result.total;
    auto const trace = nlohmann::json::parse(r.text);
    check_format(trace);
    auto const of = [&](std::string const& category, std::string const& name) {
        std::uint64_t n = 0;
        for (auto const& e : trace.at("traceEvents"))
            n += e.at("ph") == "X" && e.at("cat") == category && (name.empty() || e.at("name") == name);
        return n;
    };
    CHECK(of("l2", "") == c.l2.accesses);
    CHECK(of("l2", "hit") == c.l2.hits);
    CHECK(of("l2", "hit_reserved") == c.l2.hit_reserved);
    CHECK(of("l2", "miss") == c.l2.misses);
    CHECK(of("l2", "sector_miss") == c.l2.sector_misses);
    CHECK(of("dram", "activate") == c.dram.activates);
    CHECK(of("dram", "read") == c.dram.read_atoms);
    CHECK(of("dram", "write") == c.dram.write_atoms);
    CHECK(of("row", "") == c.dram.activates);
    CHECK(c.dram.activates > 10);

    // Each row is read and written only while it is open.
    std::map<std::tuple<int, int, int>, std::vector<std::pair<double, double>>> open;
    std::size_t bad = 0, columns = 0;
    auto const banks_from = 101;
    for (auto const& e : trace.at("traceEvents"))
        if (e.at("ph") == "X" && e.at("cat") == "row") {
            auto const ts = e.at("ts").get<double>();
            auto const row = std::stoi(e.at("name").get<std::string>().substr(4));
            open[{e.at("pid"), e.at("tid").get<int>() - banks_from, row}].emplace_back(
                ts, ts + e.at("dur").get<double>());
        }
    for (auto const& e : trace.at("traceEvents"))
        if (e.at("ph") == "X" && e.at("cat") == "dram" && e.at("args").contains("column")) {
            auto const ts = e.at("ts").get<double>();
            auto const& rows = open[{e.at("pid"), e.at("args").at("bank"), e.at("args").at("row")}];
            bad += std::none_of(rows.begin(), rows.end(),
                                [ts](auto const& o) { return o.first < ts && ts < o.second + 1e-6; });
            ++columns;
        }
    CHECK(bad == 0);
    CHECK(columns > 300);
}

TEST_CASE("the stages of a load's way sum to the time of its miss", "[timeline]") {
    auto const r = run("bfs", {.cores = {0, 1}}, 0, small_bfs);
    CHECK(r.lines_left == 0);
    auto const trace = nlohmann::json::parse(r.text);
    check_format(trace);
    struct access {
        double begin = 0, end = 0, at = 0, sum = 0;
        std::vector<std::string> stages;
    };
    std::map<std::string, access> all;
    std::map<std::string, std::pair<double, double>> loads; // from their issues to their ends
    std::uint64_t bad = 0, missed = 0, wants = 0;
    for (auto const& e : trace.at("traceEvents")) {
        if (e.value("cat", "") == "load") {
            auto& l = loads[e.at("id")];
            if (e.at("ph") == "b") l.first = e.at("ts");
            if (e.at("ph") == "e") l.second = e.at("ts");
            wants += e.at("ph") == "n" && e.at("args").at("l1d") != "hit";
        }
        if (e.value("cat", "") != "access") continue;
        CHECK((e.at("pid") == 0 || e.at("pid") == 1));
        auto& a = all[e.at("id")];
        double const ts = e.at("ts");
        if (e.at("name") == "L1 miss") {
            if (e.at("ph") == "b") a.begin = a.at = ts;
            if (e.at("ph") == "e") a.end = ts;
        } else if (e.at("ph") == "b") {
            bad += ts != a.at; // without a gap
            a.stages.push_back(e.at("name"));
        } else {
            a.sum += ts - a.at;
            a.at = ts;
        }
    }
    CHECK(wants == all.size());
    std::map<std::string, std::size_t> stages;
    for (auto const& [id, a] : all) {
        bad += a.sum != a.end - a.begin;
        auto const& l = loads.at(id.substr(0, id.rfind('.')));
        bad += a.begin < l.first || a.end > l.second;
        for (auto const& s : a.stages) ++stages[s];
        ++missed;
    }
    CHECK(bad == 0);
    CHECK(missed > 400);
    for (auto const* const stage : {"request network", "L2 queue", "L2", "DRAM", "reply network"}) {
        CAPTURE(stage);
        CHECK(stages[stage] > 5);
    }
    CHECK(stages["reply network"] == missed);
    // The memory's own timelines were not asked for.
    CHECK(count(trace, "l2", "X") == 0);
}

TEST_CASE("of a memory's partitions those are drawn that are named", "[timeline]") {
    auto const r = run("bfs", {.from = 200, .to = 6000, .channels = {1}}, 0, small_bfs);
    auto const trace = nlohmann::json::parse(r.text);
    check_format(trace);
    std::uint64_t slices = 0;
    for (auto const& e : trace.at("traceEvents")) {
        CHECK(e.at("pid") == 100'001);
        if (e.at("ph") != "X") continue;
        ++slices;
        CHECK(e.at("ts").get<double>() >= 200);
        CHECK(e.at("ts").get<double>() + e.at("dur").get<double>() <= 6000);
    }
    CHECK(slices > 20);
}

TEST_CASE("of a timeline's part only that is drawn", "[timeline]") {
    report::timeline_options part;
    part.from = 500;
    part.to = 900;
    part.cores = {1};
    auto const r = run("bfs", part, 0, small_bfs);
    auto const trace = nlohmann::json::parse(r.text);
    check_format(trace);
    std::uint64_t cycles = 0;
    for (auto const& e : trace.at("traceEvents")) {
        CHECK(e.at("pid") == 1);
        if (!e.contains("ts")) continue;
        CHECK(e.at("ts") >= 500);
        CHECK(e.at("ts").get<std::uint64_t>() + e.value("dur", std::uint64_t{0}) <= 900);
    }
    for (auto const& [cause, n] : sums(trace, "scheduler")) cycles += n;
    CHECK(cycles == 400 * r.g->numbers().core.schedulers);
}
#endif

TEST_CASE("listening changes nothing", "[timeline]") {
    auto const& workload = kernels::find("bfs");
    kernels::values inputs(workload);
    for (auto const& [name, value] : small_bfs) inputs.set(name, value);
    auto const plain =
        simulate(engine::of<presets::gtx480>(presets::gtx480::parameters()),
                 {workload.ptx, std::string(workload.ptx_name), [&](device& d) { workload.run(d, inputs); }});
    auto const observed = run("bfs", {}, 300, small_bfs);
    CHECK(observed.result.total == plain.total);
}

TEST_CASE("intervals sum to what their launch counts", "[intervals]") {
    auto const r = run("bfs", {.cores = {0}}, 300, small_bfs);
    REQUIRE(r.result.launches.size() > 1);
    auto const& n = r.g->numbers();
    for (auto const& l : r.result.launches) {
        run_counters sum;
        cycle end = 0;
        for (auto const& i : l.intervals) {
            CHECK(i.begin == end);
            CHECK(i.counters.cycles == i.end - i.begin);
            // Each cycle of each scheduler has a cause within its interval, too.
            std::uint64_t causes = 0;
            for (auto const c : i.counters.core.cause) causes += c;
            CHECK(causes == i.counters.cycles * n.core.count * n.core.schedulers);
            for (auto const c : i.counters.core.cause) CHECK(c <= causes);
            sum += i.counters;
            end = i.end;
        }
        CHECK(end == l.counters.cycles);
        CHECK(sum == l.counters);
        CHECK(l.intervals.size() >= l.counters.cycles / 400);
        CHECK(l.intervals.size() <= l.counters.cycles / 300 + 1);
    }
}

TEST_CASE("an interval has a cycle") {
    CHECK_THROWS_WITH(interval_recorder(0), "an interval has at least one cycle");
    CHECK_THROWS_WITH(report::timeline_file({.from = 5, .to = 5}, [](std::string_view) {}),
                      "a timeline from cycle 5 to cycle 5 has no cycle in it");
}

TEST_CASE("a timeline that can not be written says so at its end", "[timeline]") {
    std::size_t written = 0;
    report::timeline_file file({}, [&](std::string_view piece) {
        written += piece.size();
        if (written > 300) throw error("the disk is full");
    });
    std::string const piece(400, ' ');
    file.append(piece);
    file.append(piece); // nobody tries again
    CHECK_THROWS_WITH(file.finish(), "the disk is full");
    CHECK(written < 700);
}

TEST_CASE("a profile counts what the machine counts", "[profile]") {
    auto const r = run("bfs", {.cores = {0}}, 0, small_bfs);
    std::uint64_t issues = 0, accesses = 0, hits = 0, loads = 0, steps = 0;
    for (auto const& core : r.g->cores()) {
        auto const& launches = core.observer().get<report::run_profile>().launches();
        REQUIRE(launches.size() == r.result.launches.size());
        for (std::size_t l = 0; l < launches.size(); ++l) {
            for (auto const& i : launches[l].instructions) {
                issues += i.issues;
                accesses += i.accesses;
                hits += i.hits;
                loads += i.loads;
                CHECK(i.latency_most <= i.latency_sum);
            }
            cycle last = 0;
            launches[l].each_step([&](report::issue_step const& s) {
                CHECK(s.at >= last);
                last = s.at;
                ++steps;
                return true;
            });
            CHECK(last < r.result.launches[l].counters.cycles);
        }
    }
    CHECK(issues == r.result.total.core.warp_instructions);
    CHECK(steps == issues);
    CHECK(accesses == r.result.total.l1d.accesses);
    CHECK(hits == r.result.total.l1d.hits);
    CHECK(loads != 0);
}

TEST_CASE("each interval is a line of CSV behind its launch", "[intervals]") {
    auto const r = run("bfs", {.cores = {0}}, 500, small_bfs);
    report::run_record record;
    record.labels = {{"kernel", "bfs"}, {"parameters", "nodes=1"}};
    record.inputs = {{"nodes", 1}, {"seed", 7}};
    record.numbers = r.g->numbers();
    record.counters = r.result.total;
    for (auto const& l : r.result.launches)
        record.launches.push_back({l.kernel, l.grid, l.block, l.counters, l.estimate, l.intervals});
    auto const text = report::to_csv({record});
    CHECK(text.find("kernel,parameters,input.nodes,input.seed,fingerprint,") == 0);
    CHECK(text.find(",launch,launch_kernel,grid,block,begin,end,") != std::string::npos);
    std::size_t lines = 2; // the header, the run
    for (auto const& l : record.launches) lines += 1 + l.intervals.size();
    CHECK(std::count(text.begin(), text.end(), '\n') == static_cast<std::ptrdiff_t>(lines));
}
