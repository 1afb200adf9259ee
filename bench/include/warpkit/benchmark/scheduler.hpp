#pragma once
/// \file
/// What a decision of a warp scheduler costs: in a core that is made up, and in runs that were recorded.
///
/// Told are instructions (counted by stepping through a forked child one by one, the same number every time, less those
/// of the harness), their distribution over decisions, and Google Benchmark's times.

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/benchmark/instructions.hpp>
#include <warpkit/benchmark/references.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/testing/event_log.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/warp/check.hpp>
#include <warpkit/warp/gto.hpp>
#include <warpkit/warp/lrr.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace warpkit::bench {

using testing::logged_event;

// ---- one decision

/// 64 instructions, each eighth a load, and two loops: what ELF's program points are found in.
inline std::vector<static_instruction> const& code() {
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
    /// Of 100 warps, `density` can issue; one at least.
    explicit core(unsigned warps, unsigned density = 50) {
        testing::random_numbers random(1);
        for (auto& r : ready_) {
            if (density == 50)
                for (unsigned i = 0; i < warp_set::words; ++i) r |= warp_set::from_bits(random.next(), i);
            else
                for (unsigned i = 0; i < warps; ++i)
                    if (random.chance(density)) r.insert(warp_slot{i});
            r &= warp_set::first_n(warps);
            if (density != 50 && !r) r.insert(warp_slot{random.below(warps)});
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
    /// Inlined into the loop that measures, as into a host's cycle. `picked()` is called between the pick and the
    /// events of its issue.
    template <class Picked>
    [[gnu::always_inline]] void decide(Picked picked) {
        auto const candidates = ready_[(at_ >> 20) % ready_.size()];
        auto const w = pick_warp(scheduler_, candidates, [&] { return issue_classes{candidates, {}, {}}; });
        picked();
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

    /// A pick that nothing waits for.
    [[gnu::always_inline]] void ask(unsigned at) {
        auto const candidates = ready_[at % ready_.size()];
        auto w = pick_warp(scheduler_, candidates, [&] { return issue_classes{candidates, {}, {}}; });
        benchmark::DoNotOptimize(w);
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
    for (; times != 0; --times) c.decide([] {});
}

template <class Scheduler>
void decision(benchmark::State& state) {
    core<Scheduler> c(static_cast<unsigned>(state.range(0)));
    for (auto _ : state) c.decide([] {});
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
inline double bare_decision() {
    static auto const bare = static_cast<double>(steps_of_decisions<first_candidate>(8, 100)) / 100;
    return bare;
}
/// Instructions of a decision without those of the harness.
template <class Scheduler>
double decision_instructions(unsigned warps) {
    constexpr unsigned count = std::is_same_v<Scheduler, sorted_gto> ? 10 : 100;
    return static_cast<double>(steps_of_decisions<Scheduler>(warps, count)) / count - bare_decision();
}

/// Instructions of each of up to `count` decisions, less those of the harness, in order of size: fewer where they take
/// many; empty where processes may not be traced.
template <class Scheduler>
std::vector<std::uint64_t> decision_distribution(unsigned warps, unsigned density, unsigned count) {
    constexpr std::uint64_t most = 200'000;
    auto const counted = [&]<class S>(std::type_identity<S>, unsigned n) {
        core<S> c(warps, density);
        decide(c, 500);
        return steps_between_marks(most, [&](auto mark, auto) {
            for (unsigned i = 0; i <= n; ++i) {
                mark();
                decide(c, 1);
            }
        });
    };
    auto bare = counted(std::type_identity<first_candidate>{}, 20);
    auto all = counted(std::type_identity<Scheduler>{}, count);
    if (bare.empty()) return {};
    std::sort(bare.begin(), bare.end());
    for (auto& n : all) n -= n < bare[bare.size() / 2] ? n : bare[bare.size() / 2];
    std::sort(all.begin(), all.end());
    return all;
}

/// Instructions of the picks alone of such decisions, on average, of fewer where decisions take many; 0 where processes
/// may not be traced.
template <class Scheduler>
double pick_instructions(unsigned warps, unsigned density, unsigned count = 100) {
    auto const counted = [&]<class S>(std::type_identity<S>) {
        core<S> c(warps, density);
        decide(c, 2000);
        auto const steps = steps_between_marks(200'000, [&](auto mark, auto) {
            for (unsigned i = 0; i < count; ++i) {
                mark();
                c.decide(mark);
            }
        });
        double sum = 0;
        double picks = 0;
        for (std::size_t i = 0; i < steps.size(); i += 2, ++picks) sum += static_cast<double>(steps[i]);
        return picks == 0 ? 0 : sum / picks;
    };
    return counted(std::type_identity<Scheduler>{}) - counted(std::type_identity<first_candidate>{});
}

// ---- a whole run

/// The widths that are measured: as many as the sets of this build can tell apart.
inline std::vector<unsigned> widths() {
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
inline testing::event_log random_log(unsigned warps) {
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
inline std::vector<std::unique_ptr<run>> const& runs() {
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

/// A handler and a pick by themselves, never inlined: what is counted then is theirs, and not what they do to the
/// registers of the loop around them.
template <class Scheduler, class E>
[[gnu::noinline]] void tell(Scheduler& s, E const& e) {
    asm volatile(""); // so that there is a call where nothing hears
    if constexpr (hears<Scheduler, E>) s.on(e);
}
template <class Scheduler>
[[gnu::noinline]] unsigned ask(Scheduler const& s, decision_made const& e) {
    asm volatile("");
    return pick_warp(s, e.candidates, e.next).index();
}

/// Tells a scheduler for each of the core's schedulers all events, and asks it all decisions; before(i) is called
/// before event i.
template <class Scheduler, class F>
[[gnu::noinline]] std::uint64_t replay(run const& r, F before) {
    std::array<Scheduler, 4> schedulers{};
    std::array<Scheduler*, 4> const seats{&schedulers[0], &schedulers[1], &schedulers[2], &schedulers[3]};
    std::array<warp_set, 4> owned{};
    unsigned count = 0;
    std::uint64_t sum = 0;
    // Finding the scheduler belongs to the harness, whether or not the scheduler then hears the event, and takes as
    // many instructions whatever its size.
    auto const seat = [&](unsigned s) -> Scheduler& {
        auto* one = seats[s];
        benchmark::DoNotOptimize(one);
        return *one;
    };
    auto const hear = [&]<class E>(E const& e) {
        if constexpr (std::is_same_v<E, decision_made>) {
            sum += ask(seat(e.scheduler), e);
        } else if constexpr (std::is_same_v<E, cycles_spent>) {
            tell(seat(e.scheduler), e);
        } else if constexpr (std::is_same_v<E, issued>) {
            unsigned s = 0;
            while (!owned[s].contains(e.warp)) ++s;
            tell(seat(s), e);
        } else if constexpr (std::is_same_v<E, scheduler_began>) {
            owned[e.scheduler] = e.owned;
            tell(seat(e.scheduler), e);
        } else {
            if constexpr (std::is_same_v<E, kernel_began>) count = e.schedulers;
            for (unsigned s = 0; s < count; ++s) tell(seat(s), e);
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
/// Which events of a run are counted: of each kind at most so many, from all over it, so that launches, which come
/// seldom and many at once, weigh as much as there are of them.
inline constexpr std::size_t counted_of_a_kind = 200;
inline std::vector<bool> counted_events(run const& r) {
    std::vector<std::size_t> all(std::variant_size_v<logged_event>), seen(all.size());
    for (auto const& e : r.events) ++all[e.index()];
    std::vector<bool> counted(r.events.size());
    for (std::size_t i = 0; i + 1 < r.events.size(); ++i) { // behind the last there is no mark
        auto const kind = r.events[i].index();
        auto const every = std::max<std::size_t>(all[kind] / counted_of_a_kind, 1);
        counted[i] = seen[kind]++ % every == every / 2;
    }
    return counted;
}

/// The instructions of each event that is counted, those of the harness among them; empty where processes may not be
/// traced.
template <class Scheduler>
std::vector<std::uint64_t> steps_of_replay(run const& r, std::vector<bool> const& counted) {
    return steps_between_marks(~std::uint64_t{0}, [&](auto mark, auto toggle) {
        toggle();
        auto const sum = replay<Scheduler>(r, [&](std::size_t i) {
            bool const before = i != 0 && counted[i - 1];
            if (counted[i] && !before) toggle();
            if (counted[i] || before) mark();
            if (!counted[i] && before) toggle();
        });
        benchmark::DoNotOptimize(sum);
    });
}
/// What the decisions of a run cost, without the harness.
struct replay_cost {
    double picks = 0;     ///< instructions
    double changes = 0;   ///< instructions of all other events, in all of the core's schedulers
    double decisions = 0; ///< how many there were
    double told = 0;      ///< and of the others, events that the scheduler hears

    double per_decision() const noexcept { return (picks + changes) / decisions; }
    double per_pick() const noexcept { return picks / decisions; }
    double per_change() const noexcept { return told == 0 ? 0 : changes / told; }
};
/// Those of the harness alone, counted once for each run.
inline std::vector<std::uint64_t> const& steps_of_harness(run const& r, std::vector<bool> const& counted) {
    static std::map<run const*, std::vector<std::uint64_t>> known;
    auto const [at, is_new] = known.try_emplace(&r);
    if (is_new) at->second = steps_of_replay<first_candidate>(r, counted);
    return at->second;
}
template <class Scheduler>
replay_cost cost_of_replay(run const& r) {
    struct kind {
        double all = 0, counted = 0, instructions = 0;
        bool decision = false, heard = false;
    };
    std::vector<kind> kinds(std::variant_size_v<logged_event>);
    auto const counted = counted_events(r);
    auto const& harness = steps_of_harness(r, counted);
    auto const steps = steps_of_replay<Scheduler>(r, counted);
    std::size_t at = 0;
    for (std::size_t i = 0; i < r.events.size(); ++i) {
        auto& k = kinds[r.events[i].index()];
        k.decision = std::holds_alternative<decision_made>(r.events[i]);
        k.heard = std::visit([]<class E>(E const&) { return hears<Scheduler, E>; }, r.events[i]);
        ++k.all;
        if (!counted[i] || at >= std::min(steps.size(), harness.size())) continue;
        k.instructions += static_cast<double>(steps[at]) - static_cast<double>(harness[at]);
        ++k.counted;
        ++at;
    }
    replay_cost cost;
    for (auto const& k : kinds) {
        if (k.counted == 0) continue;
        auto const of_all = k.instructions / k.counted * k.all;
        (k.decision ? cost.picks : cost.changes) += of_all;
        if (k.decision) cost.decisions += k.all;
        if (!k.decision && k.heard) cost.told += k.all;
    }
    return cost;
}
template <class Scheduler>
void replays(benchmark::State& state, run const* r) {
    for (auto _ : state) benchmark::DoNotOptimize(replay<Scheduler>(*r));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(r->events.size()));
    state.counters["decisions"] = static_cast<double>(r->decisions);
    state.counters["events"] = static_cast<double>(r->events.size());
}

// ---- for a scheduler of anybody's

/// Counters that are the same for each run of a benchmark, which Google Benchmark repeats.
using counters = std::map<std::string, double>;
inline void put(benchmark::State& state, counters const& all) {
    for (auto const& [name, value] : all) state.counters[name] = value;
}
/// The median and what 90, 99 and 99.9 of 100 stay below.
inline void add_distribution(counters& to, std::vector<std::uint64_t> const& sorted) {
    if (sorted.empty()) return;
    double sum = 0;
    for (auto const n : sorted) sum += static_cast<double>(n);
    to["instructions"] = sum / static_cast<double>(sorted.size());
    for (auto const& [name, part] : {std::pair{"i50", 0.5}, {"i90", 0.9}, {"i99", 0.99}, {"i99.9", 0.999}})
        to[name] = static_cast<double>(
            sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1) + 0.5)]);
}
inline constexpr unsigned densities[] = {2, 10, 50, 90};

template <class Scheduler>
void latency(benchmark::State& state) {
    auto const warps = static_cast<unsigned>(state.range(0));
    auto const density = static_cast<unsigned>(state.range(1));
    core<Scheduler> c(warps, density);
    for (auto _ : state) c.decide([] {});
    static std::map<std::pair<unsigned, unsigned>, counters> known; // a benchmark is begun several times
    auto const [at, is_new] = known.try_emplace({warps, density});
    if (is_new) {
        add_distribution(at->second, decision_distribution<Scheduler>(warps, density, 1000));
        at->second["pick"] = pick_instructions<Scheduler>(warps, density);
        at->second["change"] = at->second["instructions"] - at->second["pick"];
        at->second["hardware_bits"] = static_cast<double>(
            hardware_cost_of<Scheduler>({.warp_slots = warps, .schedulers = 1}).total_bits());
        at->second["state_bytes"] = sizeof(Scheduler);
    }
    put(state, at->second);
    state.SetItemsProcessed(state.iterations());
}
template <class Scheduler>
void throughput(benchmark::State& state) {
    core<Scheduler> c(static_cast<unsigned>(state.range(0)), static_cast<unsigned>(state.range(1)));
    decide(c, 2000);
    unsigned at = 0;
    for (auto _ : state) c.ask(at++);
    state.SetItemsProcessed(state.iterations());
}
template <class Scheduler>
void recorded(benchmark::State& state, run const* r) {
    replays<Scheduler>(state, r);
    static std::map<run const*, replay_cost> known;
    auto const [at, is_new] = known.try_emplace(r);
    auto& cost = at->second;
    if (is_new) cost = cost_of_replay<Scheduler>(*r);
    if (cost.decisions == 0) return;
    state.counters["instructions"] = cost.per_decision();
    state.counters["pick"] = cost.per_pick();
    state.counters["change"] = cost.per_change();
    state.counters["changes"] = cost.told / cost.decisions;
}

template <class Scheduler>
void add_scheduler(std::string name) {
    for (auto& c : name) c = c == '/' ? '_' : c;
    auto const add = [&name](char const* mode, void (*run)(benchmark::State&)) {
        auto* const b = benchmark::RegisterBenchmark(("scheduler/" + name + '/' + mode).c_str(), run);
        b->ArgNames({"warps", "density"});
        for (auto const warps : widths())
            for (auto const density : densities) b->Args({warps, density});
    };
    add("latency", latency<Scheduler>);
    add("throughput", throughput<Scheduler>);
    for (auto const& r : runs())
        benchmark::RegisterBenchmark(("scheduler/" + name + "/recorded/" + r->name).c_str(),
                                     recorded<Scheduler>, r.get());
}

} // namespace warpkit::bench

namespace warpkit {

/// Registers what a warp scheduler costs with Google Benchmark:
///
///     scheduler/NAME/latency/warps:48/density:50     a pick and the events of one issue; the next waits for it
///     scheduler/NAME/throughput/...                  picks that nothing waits for
///     scheduler/NAME/recorded/RUN                    all events and decisions of a run: random ones, and those of the
///                                                    logs that WARPKIT_EVENT_LOGS names (lab record writes them)
///
/// for 8 to 64 warps (256, as far as WARPKIT_WARP_SLOTS goes) of which 2, 10, 50 and 90 % can issue. Counters:
/// instructions per decision, less the harness's, on average and i50, i90, i99 and i99.9 of their distribution over up
/// to 1,000 decisions; hardware_bits, where the scheduler tells its hardware_cost; state_bytes. A type that is no warp
/// scheduler does not compile, with one message.
template <class Scheduler>
void benchmark_scheduler(std::string name = common_name<Scheduler>) {
    static_assert(check_warp_scheduler<Scheduler>());
    bench::add_scheduler<Scheduler>(static_cast<std::string&&>(name));
}

/// The same for what a scheduler is compared with: nothing at all, gto, gto as a loop over the warps (its plain twin),
/// behind virtual functions, and as GPGPU-Sim does it, which sorts.
inline void benchmark_scheduler_references() {
    bench::add_scheduler<bench::first_candidate>(common_name<bench::first_candidate>);
    bench::add_scheduler<gto>(common_name<gto>);
    bench::add_scheduler<bench::plain_gto>(common_name<bench::plain_gto>);
    bench::add_scheduler<bench::virtual_gto>(common_name<bench::virtual_gto>);
    bench::add_scheduler<bench::sorted_gto>(common_name<bench::sorted_gto>);
}

} // namespace warpkit
