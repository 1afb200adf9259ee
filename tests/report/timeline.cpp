/// Time: timelines, intervals and profiles of runs agree with what the machine counts.

#include <warpkit/base/listeners.hpp>
#include <warpkit/config/presets.hpp>
#include <warpkit/config/simulate.hpp>
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
using machine = presets::gtx480::with<use::observer<observers>>;
using gpu_type = gpu<machine::policies>;

struct observed_run {
    std::shared_ptr<gpu_type> g;
    simulation_result result;
    std::string text;
};

/// `input`: a parameter of the kernel, and its value.
observed_run run(char const* kernel, report::timeline_options const& options, cycle intervals = 0,
                 std::pair<char const*, std::uint64_t> input = {}) {
    auto const& workload = kernels::find(kernel);
    kernels::values inputs(workload);
    if (input.first != nullptr) inputs.set(input.first, input.second);
    observed_run r;
    auto const file =
        std::make_shared<report::timeline_file>(options, [&](std::string_view piece) { r.text += piece; });
    policy_values<machine::policies> values;
    values.observer = {report::timeline(file), report::run_profile(true)};
    r.g = std::make_shared<gpu_type>(machine::parameters(), values);
    auto e = engine::on(r.g);
    if (intervals != 0) e.keep_intervals(intervals);
    r.result = simulate(
        e, {workload.ptx, std::string(workload.ptx_name), [&](device& d) { workload.run(d, inputs); }});
    file->finish();
    return r;
}

} // namespace

#ifdef WARPKIT_HAS_NLOHMANN
namespace {

// What the format asks of each event (Trace Event Format, Google): its phase, its process and thread, a time where it
// has one; durations are not negative; slices of a thread lie beside each other; asynchronous events end as often as
// they begin, in that order.
void check_format(nlohmann::json const& trace) {
    REQUIRE(trace.at("traceEvents").is_array());
    std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>> slices;
    std::map<std::tuple<int, std::string, std::string>, std::vector<std::pair<std::int64_t, char>>>
        asynchronous;
    std::size_t bad = 0;
    for (auto const& e : trace.at("traceEvents")) {
        auto const phase = e.at("ph").get<std::string>();
        auto const pid = e.at("pid").get<int>();
        auto const tid = e.at("tid").get<int>();
        if (phase == "M") {
            bad += !e.at("args").is_object() || !e.at("name").is_string();
            continue;
        }
        auto const ts = e.at("ts").get<std::int64_t>();
        bad += !e.at("name").is_string() || !e.at("cat").is_string();
        if (phase == "X") {
            auto const dur = e.at("dur").get<std::int64_t>();
            bad += dur <= 0;
            slices[{pid, tid}].emplace_back(ts, ts + dur);
        } else if (phase == "C") {
            for (auto const& [name, value] : e.at("args").items()) bad += !value.is_number();
        } else if (phase == "b" || phase == "n" || phase == "e") {
            asynchronous[{pid, e.at("cat"), e.at("id")}].emplace_back(ts, phase[0]);
        } else {
            ++bad;
        }
    }
    CHECK(bad == 0);
    for (auto& [thread, all] : slices) {
        std::sort(all.begin(), all.end());
        for (std::size_t i = 1; i < all.size(); ++i) bad += all[i].first < all[i - 1].second;
    }
    CHECK(bad == 0);
    for (auto const& [id, all] : asynchronous) {
        bad += all.front().second != 'b' || all.back().second != 'e';
        for (std::size_t i = 1; i < all.size(); ++i) {
            bad += all[i].first < all[i - 1].first;
            bad += i + 1 < all.size() && all[i].second != 'n';
        }
    }
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
    using small = std::pair<char const*, std::uint64_t>;
    for (auto const& [kernel, input] : {std::pair("bfs", small("nodes", 1024)), {"sgemm_tiled", {"m", 32}}}) {
        CAPTURE(kernel);
        auto const r = run(kernel, {}, 0, input);
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

TEST_CASE("of a timeline's part only that is drawn", "[timeline]") {
    report::timeline_options part;
    part.from = 500;
    part.to = 900;
    part.cores = {3};
    auto const r = run("bfs", part);
    auto const trace = nlohmann::json::parse(r.text);
    check_format(trace);
    std::uint64_t cycles = 0;
    for (auto const& e : trace.at("traceEvents")) {
        CHECK(e.at("pid") == 3);
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
    kernels::values const inputs(workload);
    auto const plain =
        simulate(engine::of<presets::gtx480>(presets::gtx480::parameters()),
                 {workload.ptx, std::string(workload.ptx_name), [&](device& d) { workload.run(d, inputs); }});
    auto const observed = run("bfs", {}, 1000);
    CHECK(observed.result.total == plain.total);
}

TEST_CASE("intervals sum to what their launch counts", "[intervals]") {
    auto const r = run("bfs", {.cores = {0}}, 1000);
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
        CHECK(l.intervals.size() >= l.counters.cycles / 1100);
        CHECK(l.intervals.size() <= l.counters.cycles / 1000 + 1);
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
    auto const r = run("bfs", {.cores = {0}});
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
    auto const r = run("bfs", {.cores = {0}}, 2000);
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
