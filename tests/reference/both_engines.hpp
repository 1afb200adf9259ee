#pragma once

/// Runs the same work on both engines and says where they part: the first cycle, component and event, or the counters.

#include <warpkit/dram/request.hpp>
#include <warpkit/dram/row_access.hpp>
#include <warpkit/gpu/gpu.hpp>
#include <warpkit/machine/l2_events.hpp>
#include <warpkit/reference/gpu.hpp>
#include <warpkit/report/counters.hpp>
#include <warpkit/testing/event_log.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit::reference_test {

/// Something that a component told, as numbers.
struct told {
    cycle at = 0; ///< so many cycles of the component's clock were over
    char const* what = "";
    std::vector<std::uint64_t> numbers;
    friend bool operator==(told const& a, told const& b) {
        return a.at == b.at && std::string_view(a.what) == b.what && a.numbers == b.numbers;
    }
    std::string text() const {
        std::string s = what;
        for (auto const n : numbers) s += ' ' + std::to_string(n);
        return s;
    }
};

/// Takes the fields of an event as testing::log_fields() hands them out.
struct field_collector {
    std::vector<std::uint64_t> numbers;
    template <class T>
    void operator()(T const& n, std::uint64_t = 0) {
        numbers.push_back(static_cast<std::uint64_t>(n));
    }
    template <class Tag>
    void operator()(slot<Tag> const& s) {
        numbers.push_back(s ? s.index() : ~std::uint64_t{0});
    }
    void operator()(warp_set const& s) { numbers.push_back(s.word()); }
    template <class T>
    void difference(T const& n, T const&) {
        (*this)(n);
    }
};

/// Keeps what a core tells. A run of cycles with one cause is one entry, however it was told.
class core_recorder {
public:
    static constexpr bool forwards_events = true;
    template <testing::detail::loggable E>
    void on(E const& e) {
        static constexpr char const* names[] = {
            "kernel_began", "scheduler_began", "kernel_ended",     "cta_launched",    "footprint_known",
            "cta_finished", "warp_exited",     "issued",           "branched",        "blocked",
            "unblocked",    "barrier_arrived", "barrier_released", "l1_accessed",     "l1_evicted",
            "l1_filled",    "load_returned",   "lsu_refused",      "memory_pressure", "instruction_buffered",
            "next_decoded", "cycles_spent",    "decision_made"};
        static_assert(std::size(names) == std::variant_size_v<testing::logged_event>);
        if constexpr (std::is_same_v<E, cycles_spent>) {
            spent_.resize(std::max<std::size_t>(spent_.size(), e.scheduler + 1));
            auto& last = spent_[e.scheduler];
            if (last.empty() || last.back().cause != e.cause ||
                last.back().from + last.back().count != e.from)
                last.push_back(e);
            else
                last.back().count += e.count;
            now_ = e.from + e.count;
        } else {
            field_collector c;
            testing::detail::log_context none;
            testing::detail::log_fields(c, e, none);
            log_.push_back({now_, names[testing::detail::tag_of<E>], std::move(c.numbers)});
        }
    }
    /// All of it in order, cycles behind everything else.
    std::vector<told> log() const {
        auto all = log_;
        for (auto const& s : spent_)
            for (auto const& e : s)
                all.push_back(
                    {e.from, "cycles_spent", {e.scheduler, static_cast<std::uint64_t>(e.cause), e.count}});
        return all;
    }
    friend bool operator==(core_recorder const&, core_recorder const&) { return true; }

private:
    cycle now_ = 0;
    std::vector<told> log_;
    std::vector<std::vector<cycles_spent>> spent_; ///< by scheduler
};

/// Keeps what the L2 of a partition tells.
class l2_recorder {
public:
    void on(l2_accessed const& e) {
        log_.push_back({0,
                        "l2_accessed",
                        {e.slice, e.address, e.line, e.bytes, static_cast<std::uint64_t>(e.kind), e.by.core,
                         e.by.warp.index(), static_cast<std::uint64_t>(e.outcome)}});
    }
    void on(l2_evicted const& e) {
        log_.push_back(
            {0, "l2_evicted", {e.slice, e.line, e.owner.core, e.owner.warp.index(), e.invalidated}});
    }
    void on(l2_filled const& e) { log_.push_back({0, "l2_filled", {e.slice, e.address}}); }
    /// By slice: two slices have no common order.
    std::vector<told> log() const {
        auto all = log_;
        std::stable_sort(all.begin(), all.end(),
                         [](told const& a, told const& b) { return a.numbers[0] < b.numbers[0]; });
        return all;
    }
    friend bool operator==(l2_recorder const&, l2_recorder const&) { return true; }

private:
    std::vector<told> log_;
};

/// Keeps the commands of a DRAM channel.
class dram_recorder {
public:
    void on(dram::command const& c) {
        log_.push_back({c.at,
                        "command",
                        {static_cast<std::uint64_t>(c.kind), c.bank, c.row, c.column, c.auto_precharge}});
    }
    void on(dram::row_access const& a) { rows_.push_back({0, "row_access", {a.bank, a.row, a.cta}}); }
    std::vector<told> log() const {
        auto all = log_;
        all.insert(all.end(), rows_.begin(), rows_.end());
        return all;
    }
    friend bool operator==(dram_recorder const&, dram_recorder const&) { return true; }

private:
    std::vector<told> log_;
    std::vector<told> rows_;
};

/// The first difference between what a component told in both engines; empty without any. `at` becomes its cycle.
inline std::string first_difference(std::string const& who, std::vector<told> const& engine,
                                    std::vector<told> const& reference, cycle& at) {
    auto const n = std::min(engine.size(), reference.size());
    std::size_t i = 0;
    while (i < n && engine[i] == reference[i]) ++i;
    if (i == n && engine.size() == reference.size()) return {};
    auto const of = [i](std::vector<told> const& l) {
        return i < l.size() ? "cycle " + std::to_string(l[i].at) + ": " + l[i].text()
                            : std::string("nothing more");
    };
    at = i < reference.size() ? reference[i].at : engine[i].at;
    return who + ", event " + std::to_string(i) + ": the engine tells [" + of(engine) + "], the reference [" +
           of(reference) + "]";
}

/// What both engines make of some launches, one after the other.
template <class P>
class both_engines {
public:
    explicit both_engines(gpu_parameters const& p, policy_values<P> const& values = {})
        : engine_(p, values),
          reference_(p, values) {}

    void copied_from_host(std::uint64_t address, std::uint64_t bytes) {
        engine_.copied_from_host(address, bytes);
        reference_.copied_from_host(address, bytes);
    }
    /// Runs it on both; where they part, or nothing if they do not.
    std::string run(kernel_launch const& launch) {
        auto const a = outcome_of(engine_, launch);
        auto const b = outcome_of(reference_, launch);
        counted_ = b.counted;
        if (!a.failure.empty() && !b.failure.empty()) return "on both: " + a.failure;
        if (a.counted == b.counted && a.failure == b.failure) return events();
        std::string text = events();
        if (a.failure != b.failure) text += "\nthe engine: " + a.failure + "\nthe reference: " + b.failure;
        for (auto const& d : report::differences(a.counted, b.counted))
            text += "\n" + d.counter->name + ": " + std::to_string(d.first) + " by the engine, " +
                    std::to_string(d.second) + " by the reference";
        return text;
    }
    run_counters const& counted() const { return counted_; }

private:
    struct outcome {
        run_counters counted;
        std::string failure;
    };
    template <class Gpu>
    static outcome outcome_of(Gpu& g, kernel_launch const& launch) {
        try {
            return {g.run(launch), {}};
        } catch (error const& e) {
            return {{}, e.what()};
        }
    }
    /// Where the logs part first, of those components that keep any.
    std::string events() const {
        std::string first;
        cycle when = never;
        auto const look = [&](std::string const& who, auto const& engine, auto const& reference) {
            cycle at = never;
            auto const text = first_difference(who, engine.log(), reference.log(), at);
            if (text.empty() || at >= when) return;
            when = at;
            first = text;
        };
        if constexpr (std::is_same_v<typename P::observer, core_recorder>)
            for (unsigned c = 0; c < reference_.cores().size(); ++c)
                look("core " + std::to_string(c), engine_.cores()[c].observer(),
                     reference_.cores()[c].observer());
        if (!first.empty()) return first;
        for (unsigned m = 0; m < reference_.partitions().size(); ++m) {
            auto const number = std::to_string(m);
            if constexpr (std::is_same_v<typename P::dram_observer, dram_recorder>)
                look("DRAM channel " + number, engine_.memory().partitions()[m].dram_observer(),
                     reference_.partitions()[m].dram_observer());
            if constexpr (std::is_same_v<typename P::l2_observer, l2_recorder>)
                look("L2 of partition " + number, engine_.memory().l2_observer(m),
                     reference_.partitions()[m].l2_observer());
        }
        return first;
    }

    gpu<P> engine_;
    reference::gpu<P> reference_;
    run_counters counted_;
};

} // namespace warpkit::reference_test
