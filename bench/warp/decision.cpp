// What a scheduling decision costs, for every warp scheduler of the catalogue.
//
//   bench_warp_decision                                   ns, for 8 to 64 warps, and over recorded runs
//   bench_warp_decision --benchmark_filter=/48 --benchmark_format=json
//   bench_warp_decision --markdown                        the table of docs/performance.md
//   WARPKIT_EVENT_LOGS=bfs.log,spmv.log bench_warp_decision --benchmark_filter=replay       (lab record writes them)
//
// decision: one pick and the events of one issue (issued, cycles_spent, next_decoded), half of the warps ready; the next
// decision waits for this one, as in a pipeline. replay: all events of a run and its decisions, in order.
// Instructions are counted by stepping through a forked child one by one: the same number every time.
#include <warpkit/testing/event_log.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/warp/schedulers.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <type_traits>
#include <unistd.h>
#include <variant>
#include <vector>

namespace {

using namespace warpkit;
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
    sorted_gto() : warps_(64) {
        for (unsigned i = 0; i < 64; ++i) warps_[i].id = i;
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
    unsigned slots_ = 64;
};

// ---- counting instructions

/// What f() executes and its process's end, in instructions; 0 where processes may not be traced.
template <class F>
std::uint64_t steps_of(F&& f) {
    std::cout.flush();
    auto const child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
        raise(SIGSTOP);
        f();
        _exit(0);
    }
    int status = 0;
    std::uint64_t steps = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return 0;
    while (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) == 0 && waitpid(child, &status, 0) == child &&
           WIFSTOPPED(status))
        ++steps;
    return steps;
}
/// Instructions of one call of `once`, on average over `n`.
template <class F>
double instructions_of(unsigned n, F&& once) {
    auto const few = steps_of([&] {
        for (unsigned i = 0; i < n; ++i) once();
    });
    auto const many = steps_of([&] {
        for (unsigned i = 0; i < 2 * n; ++i) once();
    });
    return static_cast<double>(many - few) / n;
}

// ---- one decision

/// 64 instructions, each eighth a load: what ELF's program points are found in.
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
        for (auto& r : ready_) r = warp_set::from_bits(random.next()) & warp_set::first_n(warps);
        kernel_began began;
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
            pc = static_cast<std::uint8_t>((pc + 1) % 63);
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
    std::array<std::uint8_t, 64> pc_{};
    std::uint32_t at_ = 0;
    cycle now_ = 0;
    Scheduler scheduler_{};
};

template <class Scheduler>
void decision(benchmark::State& state) {
    core<Scheduler> c(static_cast<unsigned>(state.range(0)));
    for (auto _ : state) c.decide();
    state.counters["state bytes"] = sizeof(Scheduler);
    state.SetItemsProcessed(state.iterations());
}
/// Instructions of a decision without those of the harness.
template <class Scheduler>
double decision_instructions(unsigned warps) {
    constexpr bool slow = std::is_same_v<Scheduler, sorted_gto>;
    core<Scheduler> c(warps);
    core<first_candidate> bare(warps);
    return instructions_of(slow ? 20 : 200, [&] { c.decide(); }) -
           instructions_of(200, [&] { bare.decide(); });
}

// ---- a whole run

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
        for (unsigned const warps : {8U, 16U, 32U, 48U, 64U})
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

/// Tells a scheduler for each of the core's schedulers all events, and asks it all decisions.
template <class Scheduler>
[[gnu::noinline]] std::uint64_t replay(run const& r, std::size_t upto) {
    std::array<Scheduler, 4> schedulers{};
    std::array<warp_set, 4> owned{};
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < upto; ++i)
        std::visit(
            [&](auto const& e) {
                using type = std::remove_cvref_t<decltype(e)>;
                if constexpr (std::is_same_v<type, decision_made>) {
                    sum += pick_warp(schedulers[e.scheduler], e.candidates, e.next).index();
                } else if constexpr (std::is_same_v<type, scheduler_began>) {
                    owned[e.scheduler] = e.owned;
                    notify(e, schedulers[e.scheduler]);
                } else if constexpr (std::is_same_v<type, cycles_spent>) {
                    notify(e, schedulers[e.scheduler]);
                } else if constexpr (std::is_same_v<type, issued>) {
                    for (unsigned s = 0; s < 4; ++s)
                        if (owned[s].contains(e.warp)) notify(e, schedulers[s]);
                } else if constexpr (hears<Scheduler, type>) {
                    for (unsigned s = 0; s < 4; ++s)
                        if (owned[s] || std::is_same_v<type, kernel_began>) schedulers[s].on(e);
                }
            },
            r.events[i]);
    return sum;
}
/// Instructions per decision, all events included, without those of the harness: over the first few thousand events.
template <class Scheduler>
double replay_instructions(run const& r) {
    auto const upto = std::min<std::size_t>(r.events.size(), 3000);
    auto const decisions =
        std::count_if(r.events.begin(), r.events.begin() + static_cast<std::ptrdiff_t>(upto),
                      [](auto const& e) { return std::holds_alternative<decision_made>(e); });
    auto const all = steps_of([&] { benchmark::DoNotOptimize(replay<Scheduler>(r, upto)); });
    auto const bare = steps_of([&] { benchmark::DoNotOptimize(replay<first_candidate>(r, upto)); });
    return (static_cast<double>(all) - static_cast<double>(bare)) / static_cast<double>(decisions);
}
template <class Scheduler>
void replays(benchmark::State& state, run const* r) {
    for (auto _ : state) benchmark::DoNotOptimize(replay<Scheduler>(*r, r->events.size()));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(r->events.size()));
    state.counters["decisions"] = static_cast<double>(r->decisions);
    state.counters["events"] = static_cast<double>(r->events.size());
}

// ---- all of them

template <class F>
void for_each_scheduler(F&& f) {
    auto const each = [&f]<class... S>(event_list<S...>) { (f.template operator()<S>(), ...); };
    each(event_list<first_candidate, lrr, strict_round_robin, oldest, youngest, gto, gty, two_level,
                    two_level_active, two_level_gpgpusim, two_level_gpgpusim_compat,
                    static_wavefront_limit<8>, ccws, daws_style, cawa_style, mascar, cta_aware,
                    cta_aware_locality, cta_aware_locality_blp, cta_aware_locality_fair, elf, locality_aware,
                    virtual_gto, sorted_gto>{});
}

template <class Scheduler>
double nanoseconds(std::function<void()> const& body) {
    double best = 1e300;
    for (unsigned i = 0; i < 5; ++i) {
        timespec before{};
        timespec after{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
        body();
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
        best = std::min(best, static_cast<double>(after.tv_sec - before.tv_sec) * 1e9 +
                                  static_cast<double>(after.tv_nsec - before.tv_nsec));
    }
    return best;
}
template <class Scheduler>
double decision_nanoseconds(unsigned warps) {
    constexpr unsigned n = std::is_same_v<Scheduler, sorted_gto> ? 2000 : 100000;
    core<Scheduler> c(warps);
    return nanoseconds<Scheduler>([&] {
               for (unsigned i = 0; i < n; ++i) c.decide();
           }) /
           n;
}

void print_markdown() {
    auto const& last = *runs().back();
    std::cout << "| scheduler | state bytes | ns, 8 warps | 48 warps | 64 warps | instructions, 48 warps | "
              << last.name
              << ": ns per event | instructions per decision |\n|---|---|---|---|---|---|---|---|\n"
              << std::fixed;
    for_each_scheduler([&]<class S>() {
        std::cout << "| " << common_name<S> << " | " << sizeof(S) << std::setprecision(1) << " | "
                  << decision_nanoseconds<S>(8) << " | " << decision_nanoseconds<S>(48) << " | "
                  << decision_nanoseconds<S>(64) << " | " << std::setprecision(0)
                  << decision_instructions<S>(48) << " | " << std::setprecision(1)
                  << nanoseconds<S>([&] { benchmark::DoNotOptimize(replay<S>(last, last.events.size())); }) /
                         static_cast<double>(last.events.size());
        std::cout << " | " << std::setprecision(0);
        if (!std::is_same_v<S, sorted_gto>) std::cout << replay_instructions<S>(last);
        std::cout << " |\n";
        std::cout.flush();
    });
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc == 2 && std::string(argv[1]) == "--markdown") {
            print_markdown();
            return 0;
        }
        for_each_scheduler([]<class S>() {
            std::string const name = common_name<S>;
            auto* const d = benchmark::RegisterBenchmark(("decision/" + name).c_str(), decision<S>);
            for (int const warps : {8, 16, 32, 48, 64}) d->Arg(warps);
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
