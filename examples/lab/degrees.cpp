// `lab degrees`: what each number of blocks per core does, the best of them, and what the decision scheme picks.
#include <warpkit/config/dispatch.hpp>
#include <warpkit/report/metrics.hpp>
#include <warpkit/report/progress.hpp>
#include <warpkit/report/text.hpp>

#include "runs.hpp"

#include <cmath>
#include <iostream>
#include <map>
#include <optional>
#include <tuple>
#include <unistd.h>

namespace lab {

using namespace warpkit;
using report::alignment;
using report::text_table;

namespace {

// The first stage of the decision as the sweep has measured it: misses and DRAM reads of a CTA at each degree.
std::string measured(std::vector<run_counters> const& by_degree) {
    std::string miss;
    std::string reads;
    for (auto const& c : by_degree) {
        auto const loads = c.l1d.accesses - c.l1d.stores_passed_on;
        auto const separator = miss.empty() ? "" : "/";
        miss += separator +
                report::fixed(
                    loads == 0 ? 0 : static_cast<double>(c.l1d.fetches) / static_cast<double>(loads), 4);
        reads += separator +
                 report::fixed(static_cast<double>(c.l1d.fetches) / static_cast<double>(c.core.ctas), 2);
    }
    return "multithreading_degree:miss=" + miss + ":reads=" + reads;
}
// The degrees that the launches of a run ended with, each once, in order; "all" where nothing was decided.
std::string degrees_of(std::vector<launch_record> const& launches) {
    std::string text;
    std::string before;
    for (auto const& l : launches) {
        auto const d = l.degree == 0 ? std::string("all") : std::to_string(l.degree);
        if (d == before) continue;
        text += (text.empty() ? "" : " ") + d;
        before = d;
    }
    return text.size() > 16 ? "various" : text;
}

// What the decision saw and foretold, a row for each launch that is unlike the one before.
class account {
public:
    explicit account(unsigned most) : most_(most) {
        std::vector<report::column> columns{{"kernel", alignment::left, {}},
                                            {"first stage", alignment::left, {}},
                                            {"L1", alignment::right, {}},
                                            {"degree", alignment::right, {}},
                                            {"loads", alignment::right, {}},
                                            {"DRAM", alignment::right, "reads"},
                                            {"miss", alignment::right, {}},
                                            {"warp", alignment::right, "instructions"},
                                            {"reads", alignment::right, "/ instr."},
                                            {"set", alignment::right, "lines"},
                                            {"cache", alignment::right, "lines"},
                                            {"latency", alignment::right, "cycles"}};
        for (unsigned d = 2; d <= most; ++d)
            columns.push_back({std::to_string(d), alignment::right, d == 2 ? "foretold" : ""});
        table_.emplace(columns);
    }
    void add(std::string const& program, std::string const& size, char const* stage,
             std::string const& occupancy, std::vector<launch_record> const& launches) {
        auto const limit = occupancy_limit_named(occupancy);
        launch_record const* before = nullptr;
        for (auto const& l : launches) {
            if (l.degree == 0 || (before != nullptr && before->saw == l.saw && before->degree == l.degree))
                continue;
            before = &l;
            auto const& s = l.saw;
            auto const ratio = [](std::uint64_t a, std::uint64_t b) {
                return b == 0 ? std::string("-")
                              : report::fixed(static_cast<double>(a) / static_cast<double>(b), 3);
            };
            std::vector<std::string> cells{program == l.kernel ? program : program + ": " + l.kernel,
                                           stage,
                                           size,
                                           std::to_string(l.degree),
                                           report::with_thousands(s.accesses),
                                           report::with_thousands(s.reads),
                                           ratio(s.reads, s.accesses),
                                           report::with_thousands(s.warp_instructions),
                                           ratio(s.reads, s.warp_instructions),
                                           report::with_thousands(s.working_set),
                                           report::with_thousands(s.cache),
                                           report::fixed(s.mean_latency, 0)};
            auto const foretold = [&](auto const* decision) {
                if (decision == nullptr) return;
                auto const p = decision->predict(s, most_);
                for (unsigned d = 2; d <= most_; ++d)
                    cells.push_back(report::fixed(p.step[d - 1].throughput, 2));
            };
            foretold(limit.get_if<multithreading_degree<chosen_reads>>());
            table_->add_row(cells);
        }
    }
    text_table const& table() const { return *table_; }

private:
    unsigned most_;
    std::optional<text_table> table_;
};

} // namespace

int degrees(request const& asked, degrees_request const& how) {
    auto what = asked;
    if (what.schedulers.empty()) what.schedulers = {"gto"};
    if (what.schedulers.size() != 1 || what.presets.size() > 1)
        throw error("degrees: it takes one --scheduler and one --preset");
    auto sizes = how.l1_sizes;
    if (sizes.empty()) sizes.emplace_back();
    std::string tables;
    account saw(how.most);
    bool good = true;
    std::optional<report::progress_bar> bar;
    if (!what.quiet) bar.emplace(std::cerr, isatty(STDERR_FILENO) != 0);
    std::vector<subject> subjects;
    left_out without;
    auto each = what;
    each.leave_out = true;
    auto programs = subjects_of(what);
    for (auto const& size : sizes) { // what is wrong comes before any note
        auto one = each;
        if (!size.empty()) one.settings.push_back("l1d.size=" + size);
        if (!programs.empty()) (void)jobs_of(one, {programs.front()}, &without);
    }
    for (auto& s : programs)
        if (!jobs_of(each, {s}, &without).empty()) subjects.push_back(std::move(s));
    if (!what.quiet) without.tell();
    std::size_t done = 0;
    for (auto const& size : sizes) {
        std::vector<report::column> columns{{"kernel", alignment::left, {}},
                                            {"cycles", alignment::right, "no limit"}};
        for (unsigned d = 1; d <= how.most; ++d)
            columns.push_back({std::to_string(d), alignment::right, d == 1 ? "block: speed-up" : "blocks"});
        for (auto const* const title : {"best", "speed-up"}) columns.push_back({title, alignment::right, {}});
        for (auto const* const title : {"modelled", "speed-up"})
            columns.push_back({title, alignment::right, {}});
        for (auto const* const title : {"measured", "speed-up"})
            columns.push_back({title, alignment::right, {}});
        text_table table(columns);
        struct mean {
            double logarithm = 0;
            unsigned count = 0;
            void add(double x) {
                logarithm += std::log(x);
                ++count;
            }
            std::string text() const {
                return count == 0 ? "-" : report::fixed(std::exp(logarithm / count), 3);
            }
        };
        mean best_mean;
        mean modelled_mean;
        mean measured_mean;
        for (auto const& program : subjects) {
            std::vector<subject> const alone{program};
            shared_function function(what, nullptr);
            auto one = what;
            if (!size.empty()) one.settings.push_back("l1d.size=" + size);
            auto const run = [&](std::string const& occupancy) {
                one.occupancy = {occupancy};
                auto const jobs = jobs_of(one, alone);
                if (bar)
                    bar->update(static_cast<double>(done) /
                                    static_cast<double>(sizes.size() * subjects.size()),
                                program.name + ' ' + occupancy.substr(0, 24));
                auto finished = carry_out(jobs.front(), one, {}, {}, function);
                if (!finished.record.verified) {
                    good = false;
                    std::cerr << "lab: " << program.name << " under " << occupancy << ": "
                              << finished.record.problem << '\n';
                }
                return finished;
            };
            auto const unlimited = run("no_limit").record.counters;
            auto const usual = unlimited.cycles;
            std::vector<std::string> cells{program.name, report::with_thousands(usual)};
            std::vector<run_counters> by_degree;
            unsigned best = 1;
            auto const speed_up = [&](std::uint64_t cycles) {
                return cycles == 0 ? 0.0 : static_cast<double>(usual) / static_cast<double>(cycles);
            };
            for (unsigned d = 1; d <= how.most; ++d) {
                // A limit that changed nothing was never reached; nor is a higher one.
                bool const reached = by_degree.empty() || !(by_degree.back() == unlimited);
                by_degree.push_back(reached ? run("static_limit:" + std::to_string(d)).record.counters
                                            : unlimited);
                if (by_degree.back().cycles < by_degree[best - 1].cycles) best = d;
                cells.push_back(reached ? report::fixed(speed_up(by_degree.back().cycles), 3) : "");
            }
            cells.push_back(std::to_string(best));
            cells.push_back(report::fixed(speed_up(by_degree[best - 1].cycles), 3));
            best_mean.add(speed_up(by_degree[best - 1].cycles));
            auto const table_text = measured(by_degree);
            for (auto const& [stage, occupancy, all] :
                 {std::tuple<char const*, std::string, mean*>{"modelled", "multithreading_degree",
                                                              &modelled_mean},
                  {"measured", table_text, &measured_mean}}) {
                auto const decided = run(occupancy);
                saw.add(program.name, size, stage, occupancy, decided.launches);
                cells.push_back(degrees_of(decided.launches));
                cells.push_back(report::fixed(speed_up(decided.record.counters.cycles), 3));
                all->add(speed_up(decided.record.counters.cycles));
            }
            table.add_row(cells);
            tables +=
                program.name + (size.empty() ? "" : ", L1 " + size) + ": --occupancy " + table_text + '\n';
            ++done;
        }
        std::vector<std::string> last(columns.size());
        last[0] = "geometric mean";
        last[columns.size() - 5] = best_mean.text();
        last[columns.size() - 3] = modelled_mean.text();
        last[columns.size() - 1] = measured_mean.text();
        if (!how.markdown) table.add_rule();
        table.add_row(last);
        std::cout << (size.empty() ? "" : "L1 of " + size + ":\n\n");
        print_table(size.empty() ? "degrees" : "degrees, L1 of " + size, table, how.markdown);
        std::cout << '\n';
    }
    if (how.tables) std::cout << tables;
    if (how.saw) print_table("saw", saw.table(), how.markdown);
    return good ? 0 : 1;
}

} // namespace lab
