// What a scheduling decision costs, for every warp scheduler of the catalogue.
//
//   bench_warp_decision                                   ns, for 8 to 64 warps, and over recorded runs
//   bench_warp_decision_128                               the same with sets of 128 warps, and for 128, too
//   bench_warp_decision --benchmark_filter=/48 --benchmark_format=json
//   bench_warp_decision --markdown                        the table of docs/explanation/performance.md
//   WARPKIT_EVENT_LOGS=bfs.log,spmv.log bench_warp_decision --benchmark_filter=replay       (lab record writes them)
//
// decision: one pick and the events of one issue (issued, cycles_spent, next_decoded), half of the warps ready; the
// next decision waits for this one, as in a pipeline. replay: all events of a run and its decisions, in order.
// Instructions are counted by stepping through a forked child one by one: the same number every time.
#include <warpkit/testing/event_log.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "../instructions.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace warpkit;
using bench::steps_of;
using testing::logged_event;

// ---- beside the schedulers: what they are compared with

/// Hears nothing: what the harness costs.
struct first_candidate {
    static constexpr char const* name() noexcept { return "(harness alone)"; }
    warp_slot pick(warp_set c) const noexcept { return c.first(); }
    friend bool operator==(first_candidate const&, first_candidate const&) = default;
};

/// gto behind virtual functions.
class virtual_gto {
    struct interface {
        virtual ~interface() = default;
        virtual warp_slot pick(warp_set candidates) const = 0;
        virtual void on_kernel(kernel_began const& e) = 0;
        virtual void on_launch(cta_launched const& e) = 0;
        virtual void on_issue(issued const& e) = 0;
    };
    struct implementation final : interface {
        warp_slot pick(warp_set candidates) const override { return policy.pick(candidates); }
        void on_kernel(kernel_began const& e) override { policy.on(e); }
        void on_launch(cta_launched const& e) override { policy.on(e); }
        void on_issue(issued const& e) override { policy.on(e); }
        gto policy;
    };

public:
    static constexpr char const* name() noexcept { return "gto, virtual"; }
    warp_slot pick(warp_set c) const {
        benchmark::DoNotOptimize(self_);
        return self_->pick(c);
    }
    void on(kernel_began const& e) { self_->on_kernel(e); }
    void on(cta_launched const& e) { self_->on_launch(e); }
    void on(issued const& e) {
        benchmark::DoNotOptimize(self_);
        self_->on_issue(e);
    }
    friend bool operator==(virtual_gto const&, virtual_gto const&) = default;

private:
    std::shared_ptr<interface> self_ = std::make_shared<implementation>();
};

/// gto as GPGPU-Sim does it: each cycle the list of warps is copied, sorted by dynamic warp id, the greedy one put in
/// front, and tried from the front.
class sorted_gto {
    struct warp {
        unsigned id = 0;
        std::uint64_t dynamic_id = 0;
        bool done = true;
    };

public:
    static constexpr char const* name() noexcept { return "gto, sorted every cycle"; }
    sorted_gto() : warps_(warp_set::width) {
        for (unsigned i = 0; i < warp_set::width; ++i) warps_[i].id = i;
    }
    warp_slot pick(warp_set candidates) const {
        std::vector<warp const*> list;
        for (unsigned i = 0; i < slots_; ++i) list.push_back(&warps_[i]);
        auto const* const greedy = greedy_ ? &warps_[greedy_.index()] : nullptr;
        std::vector<warp const*> order;
        if (greedy != nullptr) order.push_back(greedy);
        std::sort(list.begin(), list.end(), [](warp const* a, warp const* b) {
            return a->done || b->done ? !a->done && b->done : a->dynamic_id < b->dynamic_id;
        });
        for (auto const* w : list)
            if (w != greedy) order.push_back(w);
        for (auto const* w : order)
            if (!w->done && candidates.contains(warp_slot{w->id})) return warp_slot{w->id};
        return no_warp;
    }
    void on(kernel_began const& e) {
        *this = {};
        slots_ = e.warp_slots;
    }
    void on(cta_launched const& e) {
        e.warps.for_each([this](warp_slot w) {
            warps_[w.index()].dynamic_id = next_++;
            warps_[w.index()].done = false;
        });
    }
    void on(warp_exited const& e) { warps_[e.warp.index()].done = true; }
    void on(issued const& e) { greedy_ = e.warp; }
    friend bool operator==(sorted_gto const& a, sorted_gto const& b) { return a.greedy_ == b.greedy_; }

private:
    std::vector<warp> warps_;
    warp_slot greedy_;
    std::uint64_t next_ = 0;
    unsigned slots_ = warp_set::width;
};

// ---- one decision

/// 64 instructions, each eighth a load, and two loops: what ELF's program points are found in.
std::vector<static_instruction> const& code() {
    static auto const all = [] {
        std::vector<static_instruction> v(64);
        for (unsigned i = 0; i < v.size(); ++i) {
            v[i].kind = i % 8 == 7 ? op_class::load : op_class::fp_mad;
            if (i % 8 == 7) {
                v[i].space = memory_space::global;
                v[i].access_bytes = 4;
            }
        }
        for (auto const& [from, to] : {std::pair{29U, 12U}, std::pair{52U, 41U}}) {
            v[from].kind = op_class::branch;
            v[from].target = to;
            v[from].guarded = true;
        }
        v.back().kind = op_class::exit;
        return v;
    }();
    return all;
}

/// A core of `warps` warps in CTAs of eight, all launched, and its one scheduler.
template <class Scheduler>
class core {
public:
    explicit core(unsigned warps) {
        testing::random_numbers random(1);
        for (auto& r : ready_) {
            for (unsigned i = 0; i < warp_set::words; ++i) r |= warp_set::from_bits(random.next(), i);
            r &= warp_set::first_n(warps);
        }
        kernel_began began;
        began.core = 0;
        began.cores = 1;
        began.schedulers = 1;
        began.instruction_bytes = 8;
        began.warp_slots = warps;
        began.ctas_per_core = warps / 8;
        began.warps_per_cta = 8;
        began.l1_lines = 128;
        began.code = code().data();
        began.instructions = static_cast<std::uint32_t>(code().size());
        tell(began);
        tell(scheduler_began{0, 1, warp_set::first_n(warps)});
        for (unsigned c = 0; c < warps / 8; ++c) {
            auto const its = warp_set::range(8 * c, 8 * (c + 1));
            tell(cta_launched{cta_slot{c}, c, its, c});
            its.for_each([&](warp_slot w) {
                footprint_known f{w, {}};
                for (unsigned a = 0; a < warp_footprint::arrays; ++a)
                    f.footprint.touched[a] = static_cast<std::uint16_t>(random.next());
                tell(f);
                tell(next_decoded{w, 0});
            });
        }
    }
    /// Inlined into the loop that measures, as into a host's cycle.
    [[gnu::always_inline]] void decide() {
        auto const candidates = ready_[(at_ >> 20) % ready_.size()];
        auto const w = pick_warp(scheduler_, candidates, [&] { return issue_classes{candidates, {}, {}}; });
        if (w) {
            auto& pc = pc_[w.index()];
            issued e;
            e.warp = w;
            e.pc = pc * 8;
            e.at = now_;
            tell(e);
            auto const& instruction = code_[pc];
            bool const branch = instruction.kind == op_class::branch;
            bool const taken = branch && (at_ >> 24 & 3) != 0;
            auto const next = taken ? instruction.target : (pc + 1U) % 63;
            if (branch) tell(branched{w, pc * 8U, next * 8U, taken});
            pc = static_cast<std::uint8_t>(next);
            tell(next_decoded{w, pc * 8U});
        }
        tell(cycles_spent{0, cycle_cause::issued, now_++, 1});
        at_ = at_ * 1664525 + 1013904223 + w.index();
        benchmark::DoNotOptimize(at_);
        benchmark::DoNotOptimize(scheduler_);
    }

private:
    template <class E>
    [[gnu::always_inline]] void tell(E const& e) {
        if constexpr (hears<Scheduler, E>) scheduler_.on(e);
    }
    std::array<warp_set, 1024> ready_;
    std::array<std::uint8_t, warp_set::width> pc_{};
    std::uint32_t at_ = 0;
    cycle now_ = 0;
    static_instruction const* code_ = code().data();
    Scheduler scheduler_{};
};

/// Never inlined, so that every scheduler is counted in the same surroundings, the harness alone included.
template <class Scheduler>
[[gnu::noinline]] void decide(core<Scheduler>& c, unsigned times) {
    for (; times != 0; --times) c.decide();
}

template <class Scheduler>
void decision(benchmark::State& state) {
    core<Scheduler> c(static_cast<unsigned>(state.range(0)));
    for (auto _ : state) c.decide();
    state.counters["state bytes"] = sizeof(Scheduler);
    state.SetItemsProcessed(state.iterations());
}
template <class Scheduler>
std::uint64_t steps_of_decisions(unsigned warps, unsigned count) {
    core<Scheduler> c(warps);
    decide(c, 2000); // the first ones are not like the others: all warps begin at one place
    return steps_of([&](auto mark) {
        mark();
        decide(c, count);
        mark();
    });
}
/// The harness's own, however many warps there are.
double bare_decision() {
    static auto const bare = static_cast<double>(steps_of_decisions<first_candidate>(8, 100)) / 100;
    return bare;
}
/// Instructions of a decision without those of the harness.
template <class Scheduler>
double decision_instructions(unsigned warps) {
    constexpr unsigned count = std::is_same_v<Scheduler, sorted_gto> ? 10 : 100;
    return static_cast<double>(steps_of_decisions<Scheduler>(warps, count)) / count - bare_decision();
}

// ---- a whole run

/// The widths that are measured: as many as the sets of this build can tell apart.
std::vector<unsigned> widths() {
    std::vector<unsigned> all{8, 16, 32, 48, 64};
    if (warp_set::width > 64) all.push_back(warp_set::width);
    return all;
}

struct run {
    std::string name;
    std::vector<std::unique_ptr<static_program>> programs; // what the events point to
    std::vector<logged_event> events;
    std::uint64_t decisions = 0;

    run(std::string n, testing::event_log const& log) : name(std::move(n)) {
        testing::event_log_reader reader(log);
        while (auto const* const read = reader.next()) {
            events.push_back(*read);
            decisions += std::holds_alternative<decision_made>(*read);
            if (auto* const began = std::get_if<kernel_began>(&events.back())) {
                programs.push_back(std::make_unique<static_program>(*began->program));
                began->program = programs.back().get();
                began->code = began->program->instructions.data();
            }
        }
    }
};

/// A core of `warps` warps that does everything at random, under lrr.
testing::event_log random_log(unsigned warps) {
    testing::random_core_options o;
    o.seed = warps;
    o.warp_slots = warps;
    testing::random_core c(o);
    lrr policy;
    testing::event_log log({0, "random", "lrr"});
    auto const tell = [&](auto const& e) {
        notify(e, policy);
        log.add(e);
    };
    auto const decide = [&](warp_set candidates, issue_classes const& next) {
        auto const w = policy.pick(candidates);
        log.add(decision_made{0, candidates, next, w, 0});
        return w;
    };
    c.begin_kernel(tell);
    while (c.decisions() < 3000) c.step(tell, decide);
    c.end_kernel(tell);
    return log;
}

/// The synthetic mixes, and what WARPKIT_EVENT_LOGS names.
std::vector<std::unique_ptr<run>> const& runs() {
    static auto const all = [] {
        std::vector<std::unique_ptr<run>> r;
        for (auto const warps : widths())
            r.push_back(std::make_unique<run>("random" + std::to_string(warps), random_log(warps)));
        char const* const files = std::getenv("WARPKIT_EVENT_LOGS");
        std::string rest = files != nullptr ? files : "";
        while (!rest.empty()) {
            auto const file = rest.substr(0, rest.find(','));
            rest.erase(0, file.size() + 1);
            auto const log = testing::event_log::read(file);
            auto const& title = log.header().title;
            r.push_back(std::make_unique<run>(title.substr(0, title.find(' ')), log));
        }
        return r;
    }();
    return all;
}

/// Tells a scheduler for each of the core's schedulers all events, and asks it all decisions; before(i) is called
/// before event i.
template <class Scheduler, class F>
[[gnu::noinline]] std::uint64_t replay(run const& r, F before) {
    std::array<Scheduler, 4> schedulers{};
    std::array<warp_set, 4> owned{};
    unsigned count = 0;
    std::uint64_t sum = 0;
    // Finding the scheduler belongs to the harness, whether or not the scheduler then hears the event.
    auto const seat = [&](unsigned s) {
        auto* one = &schedulers[s];
        benchmark::DoNotOptimize(one);
        return one;
    };
    auto const hear = [&]<class E>(E const& e) {
        if constexpr (std::is_same_v<E, decision_made>) {
            sum += pick_warp(*seat(e.scheduler), e.candidates, e.next).index();
        } else if constexpr (std::is_same_v<E, scheduler_began>) {
            owned[e.scheduler] = e.owned;
            count = e.schedulers;
            notify(e, *seat(e.scheduler));
        } else if constexpr (std::is_same_v<E, kernel_began>) {
            for (auto& one : schedulers) notify(e, one);
        } else if constexpr (std::is_same_v<E, cycles_spent>) {
            notify(e, *seat(e.scheduler));
        } else if constexpr (std::is_same_v<E, issued>) {
            unsigned s = 0;
            while (!owned[s].contains(e.warp)) ++s;
            notify(e, *seat(s));
        } else {
            for (unsigned s = 0; s < count; ++s) notify(e, *seat(s));
        }
    };
    for (std::size_t i = 0; i < r.events.size(); ++i) {
        before(i);
        std::visit(hear, r.events[i]);
    }
    return sum;
}
template <class Scheduler>
std::uint64_t replay(run const& r) {
    return replay<Scheduler>(r, [](std::size_t) {});
}
/// Every so many events of a run, so many are counted: some 2500 from all over it.
constexpr std::size_t sample = 250;
std::size_t stride(run const& r) { return std::max(r.events.size() / 10, 2 * sample); }
template <class Scheduler>
std::uint64_t steps_of_replay(run const& r) {
    auto const every = stride(r);
    return steps_of([&](auto mark) {
        auto const sum = replay<Scheduler>(r, [&](std::size_t i) {
            if (auto const at = i % every; at == 0 || at == sample) mark();
        });
        benchmark::DoNotOptimize(sum);
    });
}
/// Instructions per decision, all events included, without those of the harness (`bare`).
template <class Scheduler>
double replay_instructions(run const& r, std::uint64_t bare) {
    double decisions = 0;
    for (std::size_t i = 0; i < r.events.size(); ++i)
        decisions += i % stride(r) < sample && std::holds_alternative<decision_made>(r.events[i]);
    return (static_cast<double>(steps_of_replay<Scheduler>(r)) - static_cast<double>(bare)) / decisions;
}
template <class Scheduler>
void replays(benchmark::State& state, run const* r) {
    for (auto _ : state) benchmark::DoNotOptimize(replay<Scheduler>(*r));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(r->events.size()));
    state.counters["decisions"] = static_cast<double>(r->decisions);
    state.counters["events"] = static_cast<double>(r->events.size());
}

// ---- all of them

template <class F>
void for_each_scheduler(F&& f) {
    auto const each = [&f]<class... S>(event_list<S...>) { (f.template operator()<S>(), ...); };
    each(event_list<first_candidate, lrr, strict_round_robin, oldest, youngest, gto, gty, two_level,
                    two_level_any_stall, two_level_active, two_level_gpgpusim, two_level_gpgpusim_compat,
                    static_wavefront_limit<8>, ccws, daws_style, cawa_style, mascar, cta_aware,
                    cta_aware_locality, cta_aware_locality_blp, cta_aware_locality_fair, elf, elf_exact,
                    elf_greedy, locality_aware, virtual_gto, sorted_gto>{});
}

template <class Scheduler>
double decision_nanoseconds(unsigned warps) {
    constexpr unsigned n = std::is_same_v<Scheduler, sorted_gto> ? 2000 : 100000;
    core<Scheduler> c(warps);
    return bench::nanoseconds([&] { decide(c, n); }) / n;
}

/// Of the schedulers named, or of all.
void print_markdown(std::set<std::string> const& names) {
    auto const& last = *runs().back();
    auto const bare = steps_of_replay<first_candidate>(last);
    std::cout << "| scheduler | state bytes";
    for (auto const warps : widths()) std::cout << " | instructions, " << warps;
    for (auto const warps : {8U, 48U, widths().back()}) std::cout << " | ns, " << warps;
    std::cout << " | " << last.name << ": instructions per decision | ns per event |\n|---|---:";
    for (auto n = widths().size() + 5; n != 0; --n) std::cout << "|---:";
    std::cout << "|\n" << std::fixed;
    for_each_scheduler([&]<class S>() {
        if (!names.empty() && names.count(common_name<S>) == 0) return;
        std::cout << "| " << common_name<S> << " | " << sizeof(S) << std::setprecision(0);
        for (auto const warps : widths()) std::cout << " | " << decision_instructions<S>(warps);
        std::cout << std::setprecision(1);
        for (auto const warps : {8U, 48U, widths().back()})
            std::cout << " | " << decision_nanoseconds<S>(warps);
        std::cout << std::setprecision(0) << " | ";
        if (!std::is_same_v<S, sorted_gto>) std::cout << replay_instructions<S>(last, bare);
        std::cout << std::setprecision(1) << " | "
                  << bench::nanoseconds([&] { benchmark::DoNotOptimize(replay<S>(last)); }) /
                         static_cast<double>(last.events.size())
                  << " |\n";
        std::cout.flush();
    });
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc > 1 && std::string(argv[1]) == "--markdown") {
            print_markdown({argv + 2, argv + argc});
            return 0;
        }
        for_each_scheduler([]<class S>() {
            std::string const name = common_name<S>;
            auto* const d = benchmark::RegisterBenchmark(("decision/" + name).c_str(), decision<S>);
            for (auto const warps : widths()) d->Arg(warps);
            for (auto const& r : runs())
                benchmark::RegisterBenchmark(("replay/" + name + "/" + r->name).c_str(), replays<S>, r.get());
        });
    } catch (warpkit::error const& e) {
        std::cerr << e.what() << '\n';
        return 2;
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
}
