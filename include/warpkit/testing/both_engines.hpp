#pragma once
/// \file
/// Holds one model of a machine to another: runs the same work on both and says where they part.
///
///     using machine =
///         presets::gtx480::with<use::observer<testing::core_recorder>, use::l2_observer<testing::l2_recorder>,
///                               use::dram_observer<testing::dram_recorder>>;
///     using P = machine::policies;
///     testing::both_engines<gpu<P>, reference::gpu<P>> both(machine::parameters());
///     std::string const parted = both.run(launch, describe); // empty: they told and counted the same
///
/// Recorders sit in the seats of observers, any of which may stay empty: then only counters are compared.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/row_access.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/kernel_span.hpp>
#include <warpkit/machine/l2_events.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/program/launch_group.hpp>
#include <warpkit/testing/event_log.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace warpkit::testing {

/// What a component told, a name and numbers each, as few bytes as will do: runs of millions of events are compared.
class told_events {
public:
    struct told {
        cycle at = 0; ///< so many cycles of the component's clock were over
        std::string_view what;
        std::vector<std::uint64_t> numbers;
        friend bool operator==(told const&, told const&) = default;
    };

    /// `what` is a literal.
    template <class Numbers>
    void add(cycle at, char const* what, Numbers const& numbers) {
        std::size_t name = 0;
        while (name < names_.size() && names_[name] != what) ++name;
        if (name == names_.size()) names_.push_back(what);
        written_.number(name);
        written_.difference(at, last_);
        last_ = at;
        written_.number(std::size(numbers));
        for (std::uint64_t const n : numbers) written_.number(n);
    }
    /// Calls f(told const&) for each, in their order, until it returns false.
    template <class F>
    void each(F&& f) const {
        auto const* const begin = written_.bytes.data();
        detail::log_reader in(begin, begin + written_.bytes.size());
        told t;
        while (!in.done()) {
            t.what = names_[in.number()];
            in.difference(t.at, t.at);
            t.numbers.resize(in.number());
            for (auto& n : t.numbers) n = in.number();
            if (!f(t)) return;
        }
    }
    std::vector<told> all() const {
        std::vector<told> list;
        each([&](told const& t) {
            list.push_back(t);
            return true;
        });
        return list;
    }
    void clear() { *this = {}; }
    /// Bytes; for a hash, or to see how much there is.
    std::vector<std::uint8_t> const& bytes() const noexcept { return written_.bytes; }
    friend bool operator==(told_events const& a, told_events const& b) {
        if (a.names_.size() != b.names_.size()) return false;
        for (std::size_t i = 0; i < a.names_.size(); ++i)
            if (std::string_view(a.names_[i]) != b.names_[i]) return false;
        return a.written_ == b.written_;
    }

private:
    std::vector<char const*> names_; ///< in the order of their first use
    detail::log_writer written_;
    cycle last_ = 0;
};

/// Where two models of a component part.
struct divergence {
    cycle at = never; ///< of the component's clock
    std::string text; ///< empty: they do not
};
inline divergence first_divergence(std::string const& who, told_events const& one, told_events const& other) {
    if (one == other) return {};
    auto const a = one.all();
    auto const b = other.all();
    std::size_t i = 0;
    while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
    auto const said = [i](std::vector<told_events::told> const& l) {
        if (i >= l.size()) return std::string("nothing more");
        auto text = "cycle " + std::to_string(l[i].at) + ": " + std::string(l[i].what);
        for (auto const n : l[i].numbers) text += ' ' + std::to_string(n);
        return text;
    };
    auto const at = std::min(i < a.size() ? a[i].at : never, i < b.size() ? b[i].at : never);
    return {at, who + ", event " + std::to_string(i) + ": the engine tells [" + said(a) +
                    "], the reference [" + said(b) + "]"};
}

namespace detail {
/// Takes the fields of an event as log_fields() hands them out.
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
    template <class T, warpkit::detail::fact_name Name>
    void operator()(told_fact<T, Name> const& n, std::uint64_t = 0) {
        numbers.push_back(static_cast<std::uint64_t>(n.get()));
    }
    void operator()(warp_set const& s) {
        for (unsigned i = 0; i < warp_set::words; ++i) numbers.push_back(s.word(i));
    }
    template <class T>
    void difference(T const& n, T const&) {
        (*this)(n);
    }
};
} // namespace detail

/// Keeps what a core tells, to sit in `use::observer`. How often a core tells of cycles is its own affair: a run of
/// cycles with one cause is one entry.
class core_recorder {
public:
    static constexpr bool forwards_events = true;
    template <detail::loggable E>
    void on(E const& e) {
        static constexpr char const* names[] = {
            "kernel_began", "scheduler_began", "kernel_ended",     "cta_launched",    "footprint_known",
            "cta_finished", "warp_exited",     "issued",           "branched",        "blocked",
            "unblocked",    "barrier_arrived", "barrier_released", "l1_accessed",     "l1_evicted",
            "l1_filled",    "load_returned",   "lsu_refused",      "memory_pressure", "instruction_buffered",
            "next_decoded", "cycles_spent",    "decision_made"};
        static_assert(std::size(names) == std::variant_size_v<logged_event>);
        if constexpr (std::is_same_v<E, cycles_spent>) {
            if (spent_.size() <= e.scheduler) spent_.resize(e.scheduler + 1);
            auto& last = spent_[e.scheduler].last;
            if (last.cause == e.cause && last.from + last.count == e.from) {
                last.count += e.count;
            } else {
                spent_[e.scheduler].add();
                last = e;
            }
            now_ = e.from + e.count;
        } else {
            detail::field_collector c;
            detail::log_context none;
            detail::log_fields(c, e, none);
            log_.add(now_, names[detail::tag_of<E>], c.numbers);
        }
    }
    /// By the name of what told it.
    std::map<std::string, told_events> logs(std::string const& who) const {
        std::map<std::string, told_events> all{{who, log_}};
        for (std::size_t s = 0; s < spent_.size(); ++s) {
            auto copy = spent_[s];
            copy.add();
            all[who + ", cycles of scheduler " + std::to_string(s)] = copy.runs;
        }
        return all;
    }
    friend bool operator==(core_recorder const&, core_recorder const&) { return true; }

private:
    struct causes {
        cycles_spent last{};
        told_events runs;
        void add() {
            std::uint64_t const numbers[] = {static_cast<std::uint64_t>(last.cause), last.count};
            if (last.count != 0) runs.add(last.from + last.count, "cycles_spent until then", numbers);
        }
    };
    cycle now_ = 0;
    told_events log_;
    std::vector<causes> spent_; ///< by scheduler
};

/// Keeps what the L2 of a partition tells, to sit in `use::l2_observer`: slice by slice, as two slices have no common
/// order.
class l2_recorder {
public:
    void on(l2_accessed const& e) {
        slices_[e.slice].at = e.at;
        add(e.slice, "l2_accessed",
            {e.address, e.line, e.bytes, static_cast<std::uint64_t>(e.kind), e.by.core, e.by.warp.index(),
             static_cast<std::uint64_t>(e.outcome), e.born, e.ready});
    }
    void on(l2_evicted const& e) {
        add(e.slice, "l2_evicted", {e.line, e.owner.core, e.owner.warp.index(), e.invalidated});
    }
    void on(l2_filled const& e) {
        slices_[e.slice].at = e.at;
        add(e.slice, "l2_filled", {e.address});
    }
    std::map<std::string, told_events> logs(std::string const&) const {
        std::map<std::string, told_events> all;
        for (auto const& [number, s] : slices_) all["L2 slice " + std::to_string(number)] = s.log;
        return all;
    }
    friend bool operator==(l2_recorder const&, l2_recorder const&) { return true; }

private:
    void add(std::uint32_t slice, char const* what, std::initializer_list<std::uint64_t> numbers) {
        auto& s = slices_[slice];
        s.log.add(s.at, what, numbers);
    }
    struct slice_log {
        cycle at = 0; ///< of the L2, up to which it has told something
        told_events log;
    };
    std::map<std::uint32_t, slice_log> slices_;
};

/// Keeps the commands of a DRAM channel, to sit in `use::dram_observer`, and which rows CTAs want.
class dram_recorder {
public:
    void on(dram::command const& c) {
        std::uint64_t const numbers[] = {static_cast<std::uint64_t>(c.kind), c.bank, c.row, c.column,
                                         c.auto_precharge};
        commands_.add(c.at, "command", numbers);
    }
    void on(dram::row_access const& a) {
        std::uint64_t const numbers[] = {a.bank, a.row, a.cta};
        rows_.add(0, "row_access", numbers);
    }
    std::map<std::string, told_events> logs(std::string const& who) const {
        return {{who, commands_}, {who + ", rows", rows_}};
    }
    friend bool operator==(dram_recorder const&, dram_recorder const&) { return true; }

private:
    told_events commands_;
    told_events rows_;
};

/// What the components of a machine have told its recorders, by their names.
template <class Gpu>
std::map<std::string, told_events> logs_of(Gpu const& g) {
    std::map<std::string, told_events> all;
    auto const add = [&all](std::string const& who, auto const& observer) {
        if constexpr (requires { observer.logs(who); }) all.merge(observer.logs(who));
    };
    unsigned n = 0;
    for (auto const& c : g.cores()) add("core " + std::to_string(n++), c.observer());
    auto const channel = [&](unsigned m, auto const& dram_observer, auto const& l2_observer) {
        add("DRAM channel " + std::to_string(m), dram_observer);
        add("L2", l2_observer);
    };
    if constexpr (requires { g.memory(); })
        for (unsigned m = 0; m < g.memory().channels(); ++m)
            channel(m, g.memory().dram_observer(m), g.memory().l2_observer(m));
    else
        for (unsigned m = 0; m < g.partitions().size(); ++m)
            channel(m, g.partitions()[m].dram_observer(), g.partitions()[m].l2_observer());
    return all;
}
/// What a recorded core told, in the same form.
inline std::map<std::string, told_events> logs_of(event_log const& log, std::string const& who) {
    core_recorder told;
    event_log_reader in(log);
    while (auto const* next = in.next()) std::visit([&](auto const& e) { told.on(e); }, *next);
    return told.logs(who);
}
/// Where two machines part first, of cores or, where these tell the same, of all components.
inline std::string first_divergence(std::map<std::string, told_events> const& engine,
                                    std::map<std::string, told_events> const& reference) {
    for (bool const cores : {true, false}) {
        divergence first;
        for (auto const& [who, log] : engine) {
            if ((who[0] == 'c') != cores) continue;
            auto const other = reference.find(who);
            auto const p =
                first_divergence(who, log, other == reference.end() ? told_events() : other->second);
            if (!p.text.empty() && (first.text.empty() || p.at < first.at)) first = p;
        }
        if (!first.text.empty()) return first.text;
    }
    return {};
}

/// What both make of some launches, one after the other.
template <class Engine, class Reference>
class both_engines {
public:
    template <class... Values>
    explicit both_engines(gpu_parameters const& p, Values const&... values)
        : engine_(p, values...),
          reference_(p, values...) {}

    void copied_from_host(std::uint64_t address, std::uint64_t bytes) {
        engine_.copied_from_host(address, bytes);
        reference_.copied_from_host(address, bytes);
    }
    /// Runs it on both; where they part, or nothing if they do not. `describe` makes a text of two run_counters that
    /// differ.
    template <class Describe>
    std::string run(launch_group const& launch, Describe&& describe) {
        auto const a = outcome_of(engine_, launch);
        auto const b = outcome_of(reference_, launch);
        counted_ = b.counted;
        spans_ = b.spans;
        failure_ = b.failure;
        if (!a.failure.empty() && !b.failure.empty()) return "on both: " + a.failure;
        auto text = first_divergence(logs_of(engine_), logs_of(reference_));
        if (a.failure != b.failure) text += "\nthe engine: " + a.failure + "\nthe reference: " + b.failure;
        if (!(a.counted == b.counted)) text += describe(a.counted, b.counted);
        for (std::size_t k = 0; k < b.spans.size() && a.failure.empty(); ++k) {
            auto const &one = a.spans[k], &other = b.spans[k];
            if (one == other) continue;
            text += "\nlaunch " + std::to_string(k) + ", cycles " + said(one) + " on the engine, " +
                    said(other) + " on the reference";
            if (!(one.counted == other.counted)) text += describe(one.counted, other.counted);
        }
        return text;
    }
    run_counters const& counted() const { return counted_; }
    /// What became of each launch.
    std::vector<kernel_span> const& spans() const { return spans_; }
    /// As far as it has run.
    Reference const& reference() const noexcept { return reference_; }
    /// Why the last run ended with an error on the reference; empty if it did not.
    std::string const& failure_of_reference() const noexcept { return failure_; }

private:
    struct outcome {
        run_counters counted;
        std::string failure;
        std::vector<kernel_span> spans;
    };
    template <class Gpu>
    static outcome outcome_of(Gpu& g, launch_group const& launch) {
        try {
            auto const counted = g.run(launch);
            return {counted, {}, g.spans()};
        } catch (error const& e) {
            return {{}, e.what(), {}};
        }
    }
    static std::string said(kernel_span const& s) {
        return std::to_string(s.began) + " to " + std::to_string(s.ended) + ", first CTA at " +
               std::to_string(s.first_cta);
    }

    Engine engine_;
    Reference reference_;
    run_counters counted_;
    std::vector<kernel_span> spans_;
    std::string failure_;
};

} // namespace warpkit::testing
