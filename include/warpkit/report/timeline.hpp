#pragma once
/// \file
/// A run as a timeline that Perfetto (ui.perfetto.dev) and chrome://tracing show: the trace-event format in JSON.
///
///     using machine = presets::gtx480::with<use::observer<report::timeline>>;
///     output_file out("out.json");
///     auto const file = std::make_shared<report::timeline_file>(
///         report::timeline_options{.from = 1000, .to = 3000, .cores = {0}},
///         [&](std::string_view text) { out.write(text); });
///     policy_values<machine::policies> values;
///     values.observer = report::timeline(file);
///     gpu<machine::policies> g(machine::parameters(), values);
///     ... g.run(launch) ...
///     file->finish();
///     out.commit();
///
/// A core is a process. Its threads are the kernel that runs; the warp schedulers, each cycle of which has one cause
/// (cycle_cause_names); the slots for CTAs; the slots for warps, each with what its warp does: it issues (the slice
/// is named by the class of the instruction), waits (memory, dependency, barrier, fence), is ready and not picked, or
/// has no instruction in its buffer (fetch). A load is an asynchronous event from its issue to load_returned, with its
/// accesses to the L1 data cache in between. Counters of a core: warp instructions per cycle, live warps, loads under
/// way, free MSHRs.
///
/// A cycle of the core clock is a microsecond of the timeline, whose unit that is. Slices of a thread do not overlap,
/// so that sums over them are the machine's counters: of scheduler slices by name `core.cause.*`, of warps' issues
/// `core.warp_instructions`, of CTAs `core.ctas`. In a part of the time (timeline_options) slices are cut at its ends.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/lanes.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/stream.hpp>
#include <warpkit/report/counters.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/warp/events.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpkit::report {

/// What of a run is drawn.
struct timeline_options {
    cycle from = 0;                   ///< core cycles, counted on from kernel to kernel
    cycle to = never;                 ///< the one behind the last
    std::vector<unsigned> cores = {}; ///< these; all if there are none
    cycle sampling = 100;             ///< core cycles between two values of a counter's track
};

/// Where the timelines of a machine's cores come together. Hands its text on piece by piece: what is kept in memory
/// does not grow with the run. Cores may be in several threads; in one, the same run makes the same text.
class timeline_file {
public:
    using sink = std::function<void(std::string_view)>;
    /// Throws `error` where there is nothing to draw, and what `write` throws.
    timeline_file(timeline_options options, sink write)
        : options_(std::move(options)),
          write_(std::move(write)) {
        if (options_.from >= options_.to)
            throw error("a timeline from cycle " + std::to_string(options_.from) + " to cycle " +
                        std::to_string(options_.to) + " has no cycle in it");
        if (options_.sampling == 0) throw error("a timeline has at least one cycle between two values");
        std::string head =
            "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"unit\": \"a microsecond here is a cycle "
            "of the core clock\", \"from\": ";
        head += std::to_string(options_.from);
        if (options_.to != never) head += ", \"to\": " + std::to_string(options_.to);
        write_(head + "}, \"traceEvents\": [");
    }
    timeline_options const& options() const noexcept { return options_; }
    bool wants(unsigned core) const noexcept {
        auto const& c = options_.cores;
        return c.empty() || std::find(c.begin(), c.end(), core) != c.end();
    }
    /// Events, each behind a line end and separated by commas. What goes wrong with writing is thrown by finish(): a
    /// machine in the middle of a cycle could not go on.
    void append(std::string_view events) {
        std::lock_guard const lock(mutex_);
        if (events.empty() || !problem_.empty()) return;
        try {
            if (std::exchange(any_, true)) write_(",");
            write_(events);
        } catch (std::exception const& e) {
            problem_ = e.what();
        }
    }
    /// The run has ended. Throws `error` with what went wrong, if anything did.
    void finish() {
        if (!problem_.empty()) throw error(problem_);
        write_("\n]}\n");
    }

private:
    timeline_options options_;
    sink write_;
    std::mutex mutex_;
    bool any_ = false;
    std::string problem_;
};

namespace detail {

template <class E, class List>
inline constexpr bool is_event = false;
template <class E, class... Events>
inline constexpr bool is_event<E, event_list<Events...>> = (std::is_same_v<E, Events> || ...);

inline constexpr char const* issue_class_names[] = {
    "arithmetic", "special function", "shared memory", "load", "store",
    "atomic",     "branch",           "barrier",       "exit", "other"};

/// One core's events as text.
class timeline_events {
public:
    timeline_events(timeline_file& file, unsigned core) : file_(&file), core_(core) {}

    /// Whether any of [begin, end) is drawn, which is cut to that.
    bool visible(cycle& begin, cycle& end) const noexcept {
        auto const& o = file_->options();
        if (begin < o.from) begin = o.from;
        if (end > o.to) end = o.to;
        return begin < end;
    }
    bool visible(cycle at) const noexcept {
        auto const& o = file_->options();
        return at >= o.from && at < o.to;
    }
    void slice(unsigned thread, char const* category, std::string_view name, cycle begin, cycle end,
               std::string_view args = {}) {
        if (!visible(begin, end)) return;
        open("X", thread, category, name, begin);
        text_ += ", \"dur\": ";
        number(end - begin);
        close(args);
    }
    void load(char phase, unsigned thread, std::uint64_t id, std::string_view name, cycle at,
              std::string_view args = {}) {
        char const p[2] = {phase, 0};
        open(p, thread, "load", name, at);
        text_ += ", \"id\": \"";
        number(core_);
        text_ += '.';
        number(id);
        text_ += '"';
        close(args);
    }
    void counter(std::string_view name, std::string_view series, std::string_view value, cycle at) {
        if (!visible(at)) return;
        open("C", 0, "counter", name, at);
        text_ += ", \"args\": {\"";
        text_ += series;
        text_ += "\": ";
        text_ += value;
        text_ += "}}";
        pass_on();
    }
    void name(char const* what, unsigned thread, std::string_view name) {
        begin_event("M", thread);
        text_ += ", \"name\": \"";
        text_ += what;
        text_ += "\", \"args\": {\"name\": ";
        text_ += json_quoted(name);
        text_ += "}}";
    }
    void sort(char const* what, unsigned thread, unsigned index) {
        begin_event("M", thread);
        text_ += ", \"name\": \"";
        text_ += what;
        text_ += "\", \"args\": {\"sort_index\": ";
        number(index);
        text_ += "}}";
    }
    void flush() {
        file_->append(text_);
        text_.clear();
    }

private:
    static constexpr std::size_t most_ = std::size_t{1} << 15;

    void number(std::uint64_t n) {
        std::array<char, 20> digits;
        auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), n);
        text_.append(digits.data(), end.ptr);
    }
    void begin_event(char const* phase, unsigned thread) {
        text_ += text_.empty() ? "\n{\"ph\": \"" : ",\n{\"ph\": \"";
        text_ += phase;
        text_ += "\", \"pid\": ";
        number(core_);
        text_ += ", \"tid\": ";
        number(thread);
    }
    void open(char const* phase, unsigned thread, char const* category, std::string_view name, cycle at) {
        begin_event(phase, thread);
        text_ += ", \"ts\": ";
        number(at);
        text_ += ", \"cat\": \"";
        text_ += category;
        text_ += "\", \"name\": \"";
        text_ += name;
        text_ += '"';
    }
    void close(std::string_view args) {
        if (!args.empty()) {
            text_ += ", \"args\": {";
            text_ += args;
            text_ += '}';
        }
        text_ += '}';
        pass_on();
    }
    void pass_on() {
        if (text_.size() >= most_) flush();
    }

    timeline_file* file_;
    unsigned core_;
    std::string text_;
};

/// What is known of one core.
class core_timeline {
public:
    core_timeline(timeline_file& file, unsigned core) : out_(file, core), sampling_(file.options().sampling) {
        out_.name("process_name", 0, "core " + std::to_string(core));
        out_.sort("process_sort_index", 0, core);
        name_thread(kernel_thread, "kernel");
    }

    void on(kernel_began const& e) {
        kernel_ = e.program != nullptr ? e.program->name : "kernel";
        code_ = e.code.known() ? e.code.get() : nullptr;
        instructions_ = code_ != nullptr ? e.instructions.get() : 0;
        instruction_bytes_ = e.instruction_bytes.known() ? e.instruction_bytes.get() : 1;
        warps_.resize(warp_set::width);
        fresh_ = true;
    }
    void on(kernel_ended const&) {
        for (auto& s : schedulers_) spend(s);
        if (!fresh_) out_.slice(kernel_thread, "kernel", json_inner(kernel_), began_, now_);
        sample();
        out_.flush();
    }
    void on(scheduler_began const& e) {
        if (e.scheduler < schedulers_.size()) return;
        schedulers_.resize(e.scheduler + 1);
        schedulers_.back().thread = first_scheduler + e.scheduler;
        name_thread(first_scheduler + e.scheduler, "scheduler " + std::to_string(e.scheduler));
    }
    void on(cycles_spent const& e) {
        began(e.from);
        if (schedulers_.size() <= e.scheduler) return;
        auto& s = schedulers_[e.scheduler];
        if (s.cause != e.cause || s.from + s.count != e.from) {
            spend(s);
            s.cause = e.cause;
            s.from = e.from;
        }
        s.count += e.count;
        passed(e.from + e.count);
    }
    void on(cta_launched const& e) {
        began(e.at);
        passed(e.at);
        if (ctas_.size() <= e.cta.index()) ctas_.resize(e.cta.index() + 1);
        auto& c = ctas_[e.cta.index()];
        c.from = e.at;
        if (!std::exchange(c.named, true))
            name_thread(first_cta + e.cta.index(), "CTA slot " + std::to_string(e.cta.index()));
        e.warps.for_each([&](warp_slot w) {
            auto& warp = warps_[w.index()];
            if (!std::exchange(warp.named, true))
                name_thread(first_warp + w.index(), "warp " + std::to_string(w.index()));
            warp.live = true;
            warp.head = warp.barrier = warp.fence = warp.memory = warp.dependency = false;
            warp.state = state::fetch;
            warp.from = e.at;
            warp.cta = e.linear_id;
        });
        live_ += e.warps.size();
    }
    void on(cta_finished const& e) {
        passed(e.at);
        if (e.cta.index() >= ctas_.size()) return;
        out_.slice(first_cta + e.cta.index(), "cta", "CTA " + std::to_string(e.linear_id),
                   ctas_[e.cta.index()].from, e.at, "\"cta\": " + std::to_string(e.linear_id));
    }
    void on(warp_exited const& e) {
        auto& w = warps_[e.warp.index()];
        change(e.warp, w, state::gone);
        w.live = false;
        under_way_ -= w.loads.size();
        w.loads.clear();
        live_ -= live_ != 0;
    }
    void on(warpkit::issued const& e) {
        passed(e.at);
        auto& w = warps_[e.warp.index()];
        change(e.warp, w, state::gone, e.at); // another scheduler may have told of this cycle
        ++issues_;
        std::string args =
            "\"pc\": " + std::to_string(e.pc) + ", \"lanes\": " + std::to_string(count_lanes(e.active));
        if (auto const line = line_of(e.pc); line != 0) args += ", \"line\": " + std::to_string(line);
        out_.slice(first_warp + e.warp.index(), "issue", issue_class_names[static_cast<unsigned>(e.kind)],
                   e.at, e.at + 1, args);
        w.from = e.at + 1;
        w.head = false;
        w.state = state_of(w);
        if (e.kind == issue_class::load || e.kind == issue_class::atomic) {
            if (w.loads.size() == most_loads) {
                w.loads.erase(w.loads.begin());
                --under_way_;
            }
            w.loads.push_back({e.pc, e.at, serial_++, {}});
            ++under_way_;
        }
    }
    void on(next_decoded const& e) {
        auto& w = warps_[e.warp.index()];
        w.head = true;
        change(e.warp, w, state_of(w));
    }
    void on(blocked const& e) { reason(e.warp, e.reason, true); }
    void on(unblocked const& e) { reason(e.warp, e.reason, false); }
    void on(l1_accessed const& e) {
        if (e.kind == access_kind::store || !e.warp) return;
        for (auto& l : warps_[e.warp.index()].loads)
            if (l.pc == e.pc && l.accesses.size() < most_accesses) {
                l.accesses.push_back({now_, e.line, e.outcome});
                return;
            }
    }
    void on(load_returned const& e) {
        auto& w = warps_[e.warp.index()];
        auto const l =
            std::find_if(w.loads.begin(), w.loads.end(), [&](auto const& x) { return x.pc == e.pc; });
        if (l == w.loads.end()) return;
        auto begin = l->at;
        auto end = now_ > l->at ? now_ : l->at;
        if (end >= begin && (begin == end ? out_.visible(begin) : out_.visible(begin, end)))
            draw(e.warp, *l, begin, end);
        w.loads.erase(l);
        --under_way_;
    }
    void on(memory_pressure const& e) {
        if (e.mshrs != 0) free_mshrs_ = e.free_mshrs;
    }

private:
    enum class state : std::uint8_t { gone, fetch, ready, memory, dependency, barrier, fence };
    static constexpr char const* state_names[] = {"",           "fetch",   "ready", "memory",
                                                  "dependency", "barrier", "fence"};
    static constexpr unsigned kernel_thread = 1;
    static constexpr unsigned first_scheduler = 10;
    static constexpr unsigned first_cta = 100;
    static constexpr unsigned first_warp = 1000;
    static constexpr std::size_t most_loads = 256;   // of a warp: far more than scoreboards let it have
    static constexpr std::size_t most_accesses = 64; // of a load

    struct access {
        cycle at;
        std::uint64_t line;
        cache_outcome outcome;
    };
    struct load {
        std::uint32_t pc;
        cycle at;
        std::uint64_t serial;
        std::vector<access> accesses;
    };
    struct warp_state {
        bool live = false, named = false;
        bool head = false, memory = false, dependency = false, barrier = false, fence = false;
        core_timeline::state state = core_timeline::state::gone;
        cycle from = 0;
        std::uint64_t cta = 0;
        std::vector<load> loads;
    };
    struct scheduler_state {
        unsigned thread = 0;
        cycle_cause cause = cycle_cause::issued;
        cycle from = 0;
        cycle count = 0;
    };
    struct cta_state {
        cycle from = 0;
        bool named = false;
    };

    static std::string json_inner(std::string_view text) {
        auto quoted = json_quoted(text);
        return quoted.substr(1, quoted.size() - 2);
    }
    static state state_of(warp_state const& w) noexcept {
        if (!w.live) return state::gone;
        if (w.barrier) return state::barrier;
        if (w.fence) return state::fence;
        if (!w.head) return state::fetch;
        if (w.memory) return state::memory;
        return w.dependency ? state::dependency : state::ready;
    }
    void name_thread(unsigned thread, std::string const& name) {
        out_.name("thread_name", thread, name);
        out_.sort("thread_sort_index", thread, thread);
    }
    std::uint32_t line_of(std::uint32_t pc) const noexcept {
        auto const i = pc / instruction_bytes_;
        return i < instructions_ ? code_[i].source_line : 0;
    }
    /// The kernel's first cycle on this core.
    void began(cycle at) {
        if (!std::exchange(fresh_, false)) return;
        began_ = at;
        passed(at);
        next_sample_ = at + sampling_;
        issues_ = 0;
    }
    /// All before `at` is over.
    void passed(cycle at) {
        if (at <= now_) return;
        now_ = at;
        if (now_ >= next_sample_) sample();
    }
    void sample() {
        auto const from = next_sample_ - sampling_;
        auto const cycles = now_ > from ? now_ - from : 1;
        std::array<char, 32> digits;
        auto const end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                       static_cast<double>(issues_) / static_cast<double>(cycles));
        std::string const values[] = {{digits.data(), end.ptr},
                                      std::to_string(live_),
                                      std::to_string(under_way_),
                                      std::to_string(free_mshrs_)};
        static constexpr char const* names[] = {"warp instructions per cycle", "live warps",
                                                "loads under way", "free MSHRs"};
        for (unsigned i = 0; i < sampled_.size(); ++i)
            if (sampled_[i] != values[i] && !(i == 3 && free_mshrs_ < 0)) {
                out_.counter(names[i], "value", values[i], from);
                sampled_[i] = values[i];
            }
        issues_ = 0;
        next_sample_ = now_ + sampling_;
    }
    void spend(scheduler_state& s) {
        if (s.count != 0)
            out_.slice(s.thread, "scheduler", cycle_cause_names[static_cast<unsigned>(s.cause)], s.from,
                       s.from + s.count);
        s.count = 0;
    }
    void reason(warp_slot slot, block_reason why, bool so) {
        auto& w = warps_[slot.index()];
        switch (why) {
        case block_reason::memory:
            w.memory = so;
            break;
        case block_reason::dependency:
            w.dependency = so;
            break;
        case block_reason::barrier:
            w.barrier = so;
            break;
        case block_reason::fence:
            w.fence = so;
            break;
        }
        change(slot, w, state_of(w));
    }
    void change(warp_slot slot, warp_state& w, state to) { change(slot, w, to, now_); }
    void change(warp_slot slot, warp_state& w, state to, cycle at) {
        if (w.state == to) return;
        if (w.state != state::gone)
            out_.slice(first_warp + slot.index(), "warp", state_names[static_cast<unsigned>(w.state)], w.from,
                       at, "\"cta\": " + std::to_string(w.cta));
        w.state = to;
        if (at > w.from) w.from = at;
    }
    void draw(warp_slot w, load const& l, cycle begin, cycle end) {
        auto const thread = first_warp + w.index();
        auto const line = line_of(l.pc);
        auto const name =
            line != 0 ? "load, line " + std::to_string(line) : "load, pc " + std::to_string(l.pc);
        out_.load('b', thread, l.serial, name, begin,
                  "\"pc\": " + std::to_string(l.pc) + ", \"warp\": " + std::to_string(w.index()) +
                      ", \"cycles\": " + std::to_string(now_ - l.at));
        static constexpr char const* outcomes[] = {"hit", "hit_reserved", "miss", "sector_miss",
                                                   "reservation_fail"};
        for (auto const& a : l.accesses)
            if (out_.visible(a.at))
                out_.load('n', thread, l.serial, name, a.at,
                          "\"l1d\": \"" + std::string(outcomes[static_cast<unsigned>(a.outcome)]) +
                              "\", \"line\": " + std::to_string(a.line));
        out_.load('e', thread, l.serial, name, end);
    }

    timeline_events out_;
    cycle sampling_;
    cycle now_ = 0; ///< all cycles before are over
    cycle next_sample_ = never;
    std::string kernel_;
    static_instruction const* code_ = nullptr;
    std::uint32_t instructions_ = 0;
    std::uint32_t instruction_bytes_ = 1;
    bool fresh_ = true; ///< nothing of the kernel has happened here
    cycle began_ = 0;
    std::vector<scheduler_state> schedulers_;
    std::vector<cta_state> ctas_;
    std::vector<warp_state> warps_;
    std::uint64_t serial_ = 0;
    std::uint64_t live_ = 0;
    std::uint64_t under_way_ = 0;
    std::uint64_t issues_ = 0; ///< since the last values of the counters' tracks
    int free_mshrs_ = -1;
    std::array<std::string, 4> sampled_;
};

} // namespace detail

/// Observes the cores of a machine for a timeline_file: to sit in `use::observer`. One that is given none does nothing.
class timeline {
public:
    static constexpr bool forwards_events = true;

    timeline() = default;
    explicit timeline(std::shared_ptr<timeline_file> file) : file_(std::move(file)) {}

    template <class E>
    requires(detail::is_event<E, warp_scheduler_events>&& requires(detail::core_timeline& c, E const& e) {
        c.on(e);
    }) void on(E const& e) {
        if constexpr (std::is_same_v<E, kernel_began>)
            if (file_ && !core_ && file_->wants(e.core))
                core_ = std::make_shared<detail::core_timeline>(*file_, e.core);
        if (core_) core_->on(e);
    }

    friend bool operator==(timeline const&, timeline const&) { return true; } // it changes nothing

private:
    std::shared_ptr<timeline_file> file_;
    std::shared_ptr<detail::core_timeline> core_; ///< a copy of a machine goes on in the same timeline
};

} // namespace warpkit::report
