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
///     auto const counters = g.run(launch);
///     file->finish(counters.cycles);
///     out.commit();
///
/// A core is a process. Its threads are the kernel that runs; the warp schedulers, each cycle of which has one cause
/// (cycle_cause_names); the slots for CTAs; the slots for warps, each with what its warp does: it issues (the slice is
/// named by the class of the instruction), waits (memory, dependency, barrier, fence), is ready and not picked, or has
/// no instruction in its buffer (fetch). A load is an asynchronous event from its issue to load_returned, with its
/// accesses to the L1 data cache in between; an access that misses there is one by itself, from then on until its line
/// comes. Where the machine's memory is drawn, too (report/memory_timeline.hpp), that has the stages of the way within
/// it, each from where the one before ends: L1 miss queue, request network, L2 queue, L2, DRAM, reply network. Counters
/// of a core: warp instructions per cycle, live warps, loads under way, free MSHRs.
///
/// A cycle of the core clock is a microsecond of the timeline, whose unit that is. Slices of a thread do not overlap,
/// so that sums over them are the machine's counters: of scheduler slices by name `core.cause.*`, of warps' issues
/// `core.warp_instructions`, of CTAs `core.ctas`. In a part of the time (timeline_options) slices are cut at its ends.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/lanes.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/program/instruction.hpp>
#include <warpkit/program/stream.hpp>
#include <warpkit/report/counters.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/timeline_file.hpp>
#include <warpkit/warp/events.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpkit::report {

namespace detail {

template <class E, class List>
inline constexpr bool is_event = false;
template <class E, class... Events>
inline constexpr bool is_event<E, event_list<Events...>> = (std::is_same_v<E, Events> || ...);

inline constexpr std::string_view issue_class_names[] = {
    "arithmetic", "special function", "shared memory", "load", "store",
    "atomic",     "branch",           "barrier",       "exit", "other"};

/// What is known of one core.
class core_timeline {
public:
    core_timeline(timeline_file& file, unsigned core)
        : out_(file, core),
          ways_(&file.ways()),
          core_(core),
          sampling_(file.options().sampling) {
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
                   ctas_[e.cta.index()].from, e.at, {{"cta", e.linear_id}});
    }
    void on(warp_exited const& e) {
        auto& w = warps_[e.warp.index()];
        change(e.warp, w, state::gone);
        w.live = false;
        under_way_ -= w.loads.size();
        for (auto& l : w.loads) forget(l);
        w.loads.clear();
        live_ -= live_ != 0;
    }
    void on(warpkit::issued const& e) {
        passed(e.at);
        auto& w = warps_[e.warp.index()];
        change(e.warp, w, state::gone, e.at); // another scheduler may have told of this cycle
        ++issues_;
        auto const line = line_of(e.pc);
        out_.slice(first_warp + e.warp.index(), "issue", issue_class_names[static_cast<unsigned>(e.kind)],
                   e.at, e.at + 1,
                   {{"pc", e.pc}, {"lanes", count_lanes(e.active)}, {line != 0 ? "line" : nullptr, line}});
        w.from = e.at + 1;
        w.head = false;
        w.state = state_of(w);
        if (e.kind == issue_class::load || e.kind == issue_class::atomic) {
            if (w.loads.size() == most_loads) {
                forget(w.loads.front());
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
                l.accesses.push_back({now_, e.line, e.outcome, {}});
                if (e.outcome != cache_outcome::hit) l.accesses.back().way = ways_->missed(core_, e.line);
                return;
            }
    }
    void on(l1_filled const& e) {
        if (auto const way = ways_->of(core_, e.line)) way->came = now_;
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
        forget(*l);
        w.loads.erase(l);
        --under_way_;
    }
    void on(memory_pressure const& e) {
        if (e.mshrs != 0) free_mshrs_ = e.free_mshrs;
    }

private:
    enum class state : std::uint8_t { gone, fetch, ready, memory, dependency, barrier, fence };
    static constexpr std::string_view state_names[] = {"",           "fetch",   "ready", "memory",
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
        line_ways::way way; ///< of one that did not hit
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
                       at, {{"cta", w.cta}});
        w.state = to;
        if (at > w.from) w.from = at;
    }
    void draw(warp_slot w, load const& l, cycle begin, cycle end) {
        auto const thread = first_warp + w.index();
        auto const line = line_of(l.pc);
        name_.clear();
        line != 0 ? name_ << "load, line " << line : name_ << "load, pc " << l.pc;
        auto const name = name_.text();
        out_.asynchronous('b', "load", thread, l.serial, 0, name, begin,
                          {{"pc", l.pc}, {"warp", w.index()}, {"cycles", now_ - l.at}});
        static constexpr char const* outcomes[] = {"hit", "hit_reserved", "miss", "sector_miss",
                                                   "reservation_fail"};
        for (auto const& a : l.accesses)
            if (out_.visible(a.at))
                out_.asynchronous('n', "load", thread, l.serial, 0, name, a.at,
                                  {{"l1d", 0, outcomes[static_cast<unsigned>(a.outcome)]}, {"line", a.line}});
        out_.asynchronous('e', "load", thread, l.serial, 0, name, end);
        unsigned part = 0;
        for (auto const& a : l.accesses) {
            ++part;
            if (a.way) draw_way(thread, l.serial, part, a);
        }
    }
    /// The stages between an access and the coming of its line: each begins where the one before ends, so that they sum
    /// to that time.
    void draw_way(unsigned thread, std::uint64_t serial, unsigned part, access const& a) {
        auto const& way = *a.way;
        auto const came =
            way.came < now_ ? way.came : now_; // the core hears of the load before it hears of the line
        auto const end = came > a.at ? came : a.at;
        auto const stage = [&](char phase, std::string_view name, cycle at, timeline_arguments args = {}) {
            out_.asynchronous(phase, "access", thread, serial, part, name, at, args);
        };
        auto const cut = [&](cycle from, cycle to, auto const& f) {
            if (from < to && out_.visible(from, to)) f(from, to);
        };
        cut(a.at, end, [&](cycle from, cycle to) {
            stage('b', "L1 miss", from, {{"line", a.line}});
            auto at = a.at;
            auto const until = [&](char const* name, cycle then, timeline_arguments args = {}) {
                if (then == never || then <= at) return;
                if (then > end) then = end;
                cut(at, then, [&](cycle first, cycle last) {
                    stage('b', name, first, args);
                    stage('e', name, last);
                });
                at = then;
            };
            until("L1 miss queue", way.sent);
            until("request network", way.ready);
            until("L2 queue", way.served);
            if (way.filled == never)
                until("L2", way.through, {{"slice", way.slice}});
            else if (way.read == never)
                until("DRAM", way.filled, {{"slice", way.slice}});
            else
                until("DRAM", way.filled,
                      {{"slice", way.slice},
                       {"bank", way.bank},
                       {"row", way.row},
                       {"row was", 0, way.row_opened ? "closed" : "open"},
                       {"read in cycle", way.read}});
            if (way.sent != never) until("reply network", end);
            stage('e', "L1 miss", to);
        });
    }
    void forget(load& l) {
        for (auto& a : l.accesses)
            if (a.way) ways_->drop(core_, a.line, a.way);
    }

    timeline_events out_;
    line_ways* ways_;
    unsigned core_;
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
    text_buffer name_; ///< of a load
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

    template <class E>
    bool listens() const noexcept {
        return core_ && hears<timeline, E>;
    }

    std::shared_ptr<timeline_file> const& file() const noexcept { return file_; }

    friend bool operator==(timeline const&, timeline const&) { return true; } // it changes nothing

private:
    std::shared_ptr<timeline_file> file_;
    std::shared_ptr<detail::core_timeline> core_; ///< a copy of a machine goes on in the same timeline
};

} // namespace warpkit::report
