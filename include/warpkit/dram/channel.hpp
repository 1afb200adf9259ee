#pragma once
/// \file
/// One DRAM channel: the controller that turns queued requests into commands under the timing table.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/flattened.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/command_sender.hpp>
#include <warpkit/dram/counters.hpp>
#include <warpkit/dram/device.hpp>
#include <warpkit/dram/one_per_bank.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/dram/plugin.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/dram/recent_cycles.hpp>
#include <warpkit/dram/refresh.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/scheduler.hpp>
#include <warpkit/dram/timing.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace warpkit::dram {

namespace detail {
template <class S>
struct as_command_scheduler {
    using type = S;
};
template <request_scheduler S>
struct as_command_scheduler<S> {
    using type = one_per_bank<S>;
};
} // namespace detail

/// A DRAM channel: Scheduler (which command of which request) and PagePolicy (when to close) over a timing table.
///
/// Scheduler is a command scheduler, or a request scheduler in GPGPU-Sim's controller (`one_per_bank`). Each cycle, in
/// this order: the transfers that end are reported; the scheduler prepares (`one_per_bank`: hands a request to a bank);
/// it sends commands. Banks start closed.
///
/// A read is done `cl` cycles after its last column command, a write `wl` cycles: the first beat, as GPGPU-Sim counts
/// (`answer_times`). A request pushed before tick(t) can be served at t, one pushed behind it at t + 1. The caller must
/// have room for what `done` hands over: it reserves its return entry before it pushes.
///
/// Idle cycles need no tick: next_event tells the next one that matters, which must not be passed over. Ticked every
/// cycle or only when something happens, all results are the same.
///
/// Differs from GPGPU-Sim: banks start closed (there: row 0, so that a first access to it counts as a hit).
///
/// Prefetcher reads lines of open rows that nobody asked for (prefetch.hpp); `done` gets them as requests with
/// `prefetch` set. If `done` has `resident(request const&)`, it is asked whether the L2 has a line, where the
/// prefetcher minds.
///
/// Plugin sees each command and may have the controller send its own (plugin.hpp).
template <scheduler Scheduler, page_policy PagePolicy = open_page,
          memory_prefetcher Prefetcher = no_memory_prefetch, controller_plugin Plugin = no_plugin>
class channel {
    using bank_set = bank_set_of<Scheduler>;
    using cycle_rules = basic_cycle_rules<bank_set>;
    using no_rules = basic_no_rules<bank_set>;
    using commands = typename detail::as_command_scheduler<Scheduler>::type;
    static constexpr bool prefetches = !std::is_same_v<Prefetcher, no_memory_prefetch>;
    static constexpr bool closes_rows = !std::is_same_v<PagePolicy, open_page>;
    static constexpr bool plugged = !std::is_same_v<Plugin, no_plugin>;
    static_assert(!prefetches || commands::prefetches,
                  "warpkit: memory-side prefetching needs a request scheduler (fr_fcfs, fcfs)");
    static_assert(!prefetches || most_banks<bank_set> == 64,
                  "warpkit: memory-side prefetching is for channels of at most 64 banks");

public:
    /// Some requests are answered at once.
    static constexpr bool answers_at_once = commands::answers_at_once;
    /// Where `run` tells ends ahead, `counters(next)` is right for any `next` that is less than this before its
    /// `until`.
    static constexpr cycle remembered = commands::tells_work && !prefetches ? recent_cycles::capacity : 1;

    channel() = default;
    /// Throws `warpkit::error` if the timing contradicts itself or the scheduler refuses the queue sizes.
    [[gnu::cold]] channel(timing const& numbers, queue_sizes const& queues,
                          command_bus command = command_bus::single_and_row, answer_times const& answers = {},
                          PagePolicy const& page = {}, Prefetcher const& prefetcher = {},
                          Plugin const& plugin = {})
        : device_(numbers, command != command_bus::dual),
          prefetcher_(prefetcher),
          refresh_(numbers, plugged),
          page_(page),
          plugin_(plugin),
          answers_(answers),
          data_after_{numbers.cl + (answers.whole_burst ? numbers.burst_cycles() : 0), numbers.wl},
          scheduler_(numbers, queues, command),
          use_(numbers.banks),
          transfers_(std::size_t{numbers.cl} + numbers.wl + numbers.burst_cycles() + 2 + queues.reads),
          ends_(std::bit_ceil(transfers_.capacity() - queues.reads + remembered)),
          answered_(std::size_t{queues.reads} + queues.writes + 1),
          quiet_until_(refresh_.quiet_until()),
          due_(quiet_until_) {
        plugin_.attach(numbers);
    }
    /// One queue for reads and writes.
    channel(timing const& numbers, std::uint32_t queue_size,
            command_bus command = command_bus::single_and_row)
        : channel(numbers, queue_sizes{queue_size, queue_size, queue_size, {}}, command) {}

    /// For who sets its parameters before the first request comes.
    commands& scheduler() noexcept { return scheduler_; }
    /// Whether the queue has room for one more request.
    bool can_accept(bool write = false) const noexcept {
        return scheduler_.can_accept(write) && may_answer();
    }
    /// Whether this very request can be pushed: a queue may answer it at once though it is full.
    bool can_accept(request const& r) const noexcept { return scheduler_.can_accept(r) && may_answer(); }
    /// The same in cycle `now`, for schedulers that go by time (scheduler.hpp, `clock`).
    void push(request const& r, [[maybe_unused]] cycle now) noexcept {
        if constexpr (requires { scheduler_.clock(now); }) scheduler_.clock(now);
        push(r);
    }
    /// Queues a request; precondition: can_accept(r), and bank and atoms in range.
    WARPKIT_FLATTENED void push(request const& r) noexcept {
        auto const [answered, wake] = scheduler_.push(r, device_);
        if constexpr (prefetches) {
            prefetcher_.arrived(scheduler_.queued());
            look_ = due_ = 0;
        }
        if (answered || (r.write && answers_.writes == write_end::acceptance)) [[unlikely]]
            answer_early(r, answered);
        if (wake < look_) look_ = wake;
        if (wake < due_) due_ = wake;
    }

    /// Advances to cycle `now`, later than that of every earlier tick. Calls `done(request const&)` for each request
    /// whose transfer ends, and tells each listener that hears it every `command` issued. (Inlined as one, for speed.)
    ///
    /// A `done(request const&, cycle)` is called as soon as the end is known, which is with the last column command,
    /// and told that end. Ends are told in their order, but for requests that are answered at once.
    template <class Done, class... Listener>
    [[gnu::flatten]] WARPKIT_FLATTENED void tick(cycle now, Done&& done, Listener&... listener) {
        if (now < due_) return;
        if constexpr (!closes_rows && !prefetches) {
            if constexpr (!hears_ends<Done>)
                if (now >= report_) {
                    report(now, done);
                    if (now < due_) return;
                }
            if (now < quiet_until_) return look_under(no_rules{}, now, done, listener...);
        }
        act(now, done, listener...);
    }
    /// Advances over the cycles from `now` to `until` - 1, none of which has passed: as a tick in each that matters,
    /// behind which the first of `queue` is pushed, if it may be and there is room. `queue.ready()` is the cycle from
    /// which on it may, `never` if there is none; `queue.front()` is it, and `queue.pop()` removes it. Returns the next
    /// cycle that matters, `until` or later, if `queue` stays as it is.
    template <class Queue, class Done, class... Listener>
    cycle run(cycle now, cycle until, Queue&& queue, Done&& done, Listener&... listener) {
        do {
            if constexpr (runs_quietly<Done>) {
                if (now < quiet_until_ && answers_.writes != write_end::acceptance) {
                    now = run_quietly(now, until, queue, done, listener...);
                    continue;
                }
                if (now >= due_) act(now, done, listener...); // a tick, without what is done above
            } else {
                tick(now, done, listener...);
            }
            auto ready = queue.ready();
            if (ready <= now && takes(queue)) {
                push(queue.front(), now);
                queue.pop();
                ready = queue.ready();
            }
            // Which comes first is anybody's guess: chosen without a branch.
            bool const push_first = commands::answers_at_once ? ready < due_ && takes(queue)
                                                              : (ready < due_) & scheduler_.can_accept(false);
            auto const next = __builtin_expect_with_probability(push_first, 1, 0.5) ? ready : due_;
            now = later(next, now + 1);
        } while (now < until);
        return now;
    }

    /// The earliest cycle after `now` at which a tick could do anything if nothing is pushed; `never` if idle.
    cycle next_event(cycle now) const noexcept { return later(due_, now + 1); }

    /// Nothing queued, served or in transfer.
    bool idle() const noexcept { return scheduler_.empty() && transfers_.empty() && answered_.empty(); }
    /// The row in a bank's row buffer, or `no_row`.
    std::uint32_t open_row(std::uint32_t bank) const noexcept { return device_.open_row(bank); }
    /// The banks that work on a request.
    bank_set serving() const noexcept { return scheduler_.serving(); }
    /// The queues.
    commands const& queue() const noexcept { return scheduler_; }
    Prefetcher const& prefetcher() const noexcept { return prefetcher_; }
    Plugin const& plugin() const noexcept { return plugin_; }
    /// From cycle `now` on, which is not ticked yet, refreshes are `cycles` apart (refresh_interval has what a
    /// temperature asks for), at least 1; nothing where the timing table has no refresh.
    void refresh_every(std::uint32_t cycles, cycle now) noexcept {
        refresh_.every(cycles, now);
        settle();
    }
    timing const& numbers() const noexcept { return device_.numbers(); }
    /// Read commands for the prefetcher, of all read_atoms.
    std::uint64_t prefetched_atoms() const noexcept { return prefetched_atoms_; }
    /// Counts the cycles before `next`, also where it has run ahead; without it those up to the last in which anything
    /// happened, which are all once it is idle.
    channel_counters counters(cycle next = never) const noexcept {
        channel_standing s{counters_, counted_, commands::tells_work ? scheduler_.working() : noted_, busy_};
        recent_.take_back(s, next);
        auto& c = s.counters;
        auto& counted = s.counted;
        for (auto const told : ends_) {
            auto const end = told >> 1;
            if (end == 0) continue; // none was told here yet
            if (end >= next)
                --((told & 1) != 0 ? c.writes : c.reads);
            else if (end >= counted)
                counted = end + 1;
        }
        if (next != never) counted = next; // nothing has changed since
        c.bus_busy_cycles = (c.read_atoms + c.write_atoms) * device_.burst_cycles();
        c.busy_cycles += s.busy * counted;
        c.bank_cycles += s.serving * counted;
        c.bank_busy_cycles += (s.serving != 0) * counted;
        return c;
    }

    WARPKIT_STORED_MEMBERS(25)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(device_, prefetcher_, refresh_, page_, plugin_, answers_, scheduler_, use_, closing_, transfers_,
          last_end_, ends_, told_, answered_, busy_, noted_, report_, look_, due_, quiet_until_, counted_,
          counters_, recent_);
    }
    friend bool operator==(channel const&, channel const&) = default;

private:
    struct pending_transfer {
        cycle end = 0;
        request what;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(end, what);
        }
        friend bool operator==(pending_transfer const&, pending_transfer const&) = default;
    };
    /// A request that needs no DRAM access to be done.
    struct answer {
        request what;
        bool posted = false; ///< a write that is still to be sent, and counted then
        template <class F>
        constexpr void each_member(F&& f) const {
            f(what, posted);
        }
        friend bool operator==(answer const&, answer const&) = default;
    };
    /// What the page policy is asked about, and what it said.
    struct row_use {
        std::uint32_t columns = 0;
        cycle close_at = never;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(columns, close_at);
        }
        friend bool operator==(row_use const&, row_use const&) = default;
    };
    template <class Channel, class Done, class... Listener>
    friend struct command_sender;
    template <class Done, class... Listener>
    using sender = command_sender<channel, Done, Listener...>;

    static constexpr cycle later(cycle a, cycle b) noexcept { return a > b ? a : b; }

    /// Whether the first of `queue`, where there is one, can be pushed. Reads and writes may wait separately only where
    /// requests may be answered at once.
    template <class Queue>
    bool takes(Queue const& queue) const noexcept {
        if constexpr (commands::answers_at_once)
            return can_accept(queue.front());
        else
            return can_accept();
    }
    [[gnu::noinline]] void answer_early(request const& r, bool answered) noexcept {
        answered_.push({r, !answered});
        report_not_after(0);
    }
    void report_not_after(cycle at) noexcept {
        if (at < report_) report_ = at;
        if (at < due_) due_ = at;
        if (at < quiet_until_) quiet_until_ = at;
    }
    /// Whether an answer that a push may give has room.
    bool may_answer() const noexcept { return !commands::answers_at_once || !answered_.full(); }
    template <class Done>
    static constexpr bool hears_ends = requires(Done& done, request const& r, cycle end) {
        done(r, end);
    };
    template <class Done>
    static void tell(Done& done, request const& r, cycle end) {
        if constexpr (hears_ends<Done>)
            done(r, end);
        else
            done(r);
    }
    /// The data of `r` follow, up to `end` or, if that is later, the end of those before it.
    template <class Done>
    void transfer(request const& r, cycle end, Done& done) {
        last_end_ = end = later(end, last_end_);
        if constexpr (hears_ends<Done>) {
            count(r);
            ends_[told_++ & (ends_.size() - 1)] = end << 1 | r.write;
            done(r, end);
        } else {
            transfers_.push({end, r});
            report_not_after(end);
        }
    }
    void count(request const& r) noexcept {
        ++(prefetches && r.prefetch ? counters_.prefetches : r.write ? counters_.writes : counters_.reads);
    }
    template <class Done>
    void report(cycle now, Done& done) {
        for (; !answered_.empty(); answered_.pop()) { // `done` pushes nothing
            auto const& a = answered_.front();
            if (!a.posted) count(a.what);
            tell(done, a.what, now);
        }
        auto next = never;
        for (; !transfers_.empty(); transfers_.pop()) {
            auto const& [end, r] = transfers_.front();
            if (end > now) {
                next = end;
                break;
            }
            count(r);
            if constexpr (!hears_ends<Done>) done(r); // else it is told ahead
        }
        report_ = next;
        settle();
        counted_ = now + 1;
    }
    /// A cycle in which something is to be reported, a refresh is due, or the page policy or the prefetcher has to be
    /// asked.
    template <class Done, class... Listener>
    [[gnu::noinline]] void act(cycle now, Done& done, Listener&... listener) {
        bool const reports = now >= report_;
        if (reports) report(now, done);
        if (now >= look_ || !refresh_.quiet(now)) {
            refresh_.advance(now);
            look_under(rules_at(now), now, done, listener...);
        } else if (reports) {
            note<Done>(now, 0);
        }
        settle();
    }
    void settle() noexcept {
        quiet_until_ = report_ < refresh_.quiet_until() ? report_ : refresh_.quiet_until();
        due_ = quiet_until_ < look_ ? quiet_until_ : look_;
    }
    template <class Rules, class Done, class... Listener>
    WARPKIT_FLATTENED void look_under(Rules const& rules, cycle now, Done& done, Listener&... listener) {
        sender<Done, Listener...> out{*this, now, done, {&listener...}};
        if (scheduler_.prepare(now, device_, rules, out) && note_work(now))
            out.events |= recent_cycles::busy_changed;
        if (scheduler_.schedule(now, device_, rules, out)) note_work(now + 1);
        note<Done>(now, out.events);
        if constexpr (Rules::none)
            look_ = earliest_look(now, rules);
        else
            look_ = refresh_.pending() ? now + 1 : earliest_look(now, rules_at(now));
        due_ = quiet_until_ < look_ ? quiet_until_ : look_;
        counted_ = now + 1;
        if constexpr (plugged) take_orders();
    }
    /// What the plug-in wants sent waits behind the refreshes that are due.
    void take_orders() noexcept {
        bool asked = false;
        for (refresh_order o; refresh_.takes() && plugin_.next(o); asked = true) refresh_.ask(o);
        if (!asked) return;
        settle();
        look_ = due_ = 0;
    }
    /// A cycle that was counted, for those who hear ends ahead.
    template <class Done>
    [[gnu::always_inline]] void note(cycle now, std::uint64_t events) noexcept {
        if constexpr (remembered != 1 && hears_ends<Done>) recent_.note(now, events);
    }
    /// Where nothing happens, but for refresh and early answers, that `one_per_bank` does not tell.
    template <class Done>
    static constexpr bool runs_quietly =
        hears_ends<Done>&& request_scheduler<Scheduler> && !closes_rows && !prefetches && !plugged;
    /// As `run`, up to `until` or the first cycle that is not quiet: what is the same in all of them is asked once, and
    /// which banks may have a request once in each.
    template <class Queue, class Done, class... Listener>
    [[gnu::always_inline]] cycle run_quietly(cycle now, cycle until, Queue&& queue, Done& done,
                                             Listener&... listener) {
        constexpr no_rules rules;
        auto const end = until < quiet_until_ ? until : quiet_until_;
        auto look = look_;
        auto free = scheduler_.to_hand_over(device_, rules);
        do {
            if (now >= look) {
                sender<Done, Listener...> out{*this, now, done, {&listener...}};
                if (free != 0) scheduler_.hand_over(free, now, device_, rules, out);
                scheduler_.schedule(now, device_, rules, out);
                note<Done>(now, out.events);
                counted_ = now + 1;
            }
            auto ready = queue.ready();
            if (ready <= now && scheduler_.can_accept(false)) {
                scheduler_.clock(now);
                scheduler_.push(queue.front(), device_);
                queue.pop();
                ready = queue.ready();
            }
            free = scheduler_.to_hand_over(device_, rules);
            look = free != 0 ? now + 1 : scheduler_.commands_from();
            // Which comes first is anybody's guess: chosen without a branch.
            bool const push_first = (ready < look) & scheduler_.can_accept(false);
            auto const next = __builtin_expect_with_probability(push_first, 1, 0.5) ? ready : look;
            now = later(next, now + 1);
        } while (now < end);
        look_ = look;
        due_ = quiet_until_ < look ? quiet_until_ : look;
        return now < quiet_until_ ? now : quiet_until_;
    }
    cycle_rules rules_at(cycle now) const noexcept {
        cycle_rules rules;
        rules.refreshing = refresh_.banks(device_);
        if constexpr (prefetches) {
            rules.prefetching = prefetcher_.wants();
            rules.insisting = prefetcher_.insists(scheduler_.queued());
        }
        if constexpr (closes_rows)
            for (auto rest = closing_; rest != 0; rest &= rest - 1)
                if (use_[lowest_bank(rest)].close_at <= now) rules.closing |= rest & (~rest + 1);
        return rules;
    }
    /// A bank works, or does so no more, from cycle `from` on. A state counts the cycle in which it ends and, negative,
    /// the one in which it began: the sum is right once it has ended, and counters() sees to the one that has not.
    /// Whether the channel has become busy, or idle, with it.
    bool begin_work(cycle from, bool first) noexcept {
        counters_.bank_cycles -= from;
        if (!first) return false;
        counters_.bank_busy_cycles -= from;
        return note_busy(from, true);
    }
    bool end_work(cycle from, bool last) noexcept {
        counters_.bank_cycles += from;
        if (!last) return false;
        counters_.bank_busy_cycles += from;
        return note_busy(from, false);
    }
    /// The same where the scheduler has not told.
    bool note_work(cycle from) noexcept {
        auto const serving = scheduler_.working();
        if constexpr (!commands::tells_work) {
            if (serving != noted_) {
                counters_.bank_cycles += from * (cycle{noted_} - serving);
                if (noted_ == 0) {
                    counters_.bank_busy_cycles -= from;
                    note_busy(from, true);
                } else if (serving == 0) {
                    counters_.bank_busy_cycles += from;
                }
                noted_ = serving;
            }
        }
        return serving == 0 && note_busy(from, false);
    }
    [[gnu::noinline]] bool note_busy(cycle from, bool serving) noexcept {
        bool const busy = serving || scheduler_.queued() != 0;
        if (busy == busy_) return false;
        counters_.busy_cycles += busy ? 0 - from : from;
        busy_ = busy;
        return true;
    }
    /// Before the column command is sent. Whether it closes its row.
    bool ask_page_policy(request const& r, bool last, cycle now) noexcept {
        if constexpr (!closes_rows) {
            return false;
        } else {
            auto& use = use_[r.bank];
            auto const bit = bank_set{1} << r.bank;
            ++use.columns;
            closing_ &= ~bit;
            if (!last) return false;
            page_use const asked{PagePolicy::asks && scheduler_.has_row_hit(r.bank, r.row), use.columns};
            if (page_.closes_itself(asked)) return true;
            auto const after = page_.closes_after(asked);
            if (after == never) return false;
            use.close_at = now + after;
            closing_ |= bit;
            return false;
        }
    }
    void closed(unsigned bank) noexcept {
        closing_ &= ~(bank_set{1} << bank);
        prefetcher_.closed(bank);
    }

    /// The earliest cycle after `now` in which there may be more to do than to report or to refresh.
    template <class Rules>
    cycle earliest_look(cycle now, Rules const& rules) const noexcept {
        auto e = scheduler_.earliest(now, device_, rules);
        if constexpr (closes_rows)
            for (auto rest = closing_; rest != 0; rest &= rest - 1) {
                auto const at = use_[lowest_bank(rest)].close_at;
                if (at > now && at < e) e = at;
            }
        return e;
    }

    basic_device<bank_set> device_;
    [[no_unique_address]] Prefetcher prefetcher_{};
    refresh_timer refresh_;
    [[no_unique_address]] PagePolicy page_{};
    [[no_unique_address]] Plugin plugin_{};
    answer_times answers_;
    std::uint32_t data_after_[2] = {}; ///< the last column command of a read and of a write, until it is done
    commands scheduler_;
    heap_array<row_use> use_;
    bank_set closing_ = 0;             ///< banks whose row has a date at which it closes
    ring<pending_transfer> transfers_; ///< in order of their end; of those whose end is not told ahead
    cycle last_end_ = 0;
    heap_array<cycle> ends_; ///< the latest that were told ahead, doubled, and whether of a write
    std::uint32_t told_ = 0; ///< how many were
    ring<answer> answered_;
    bool busy_ = false;         ///< requests are queued or served, as last noted
    std::uint32_t noted_ = 0;   ///< banks that worked when the scheduler was last asked, which does not tell
    cycle report_ = never;      ///< nothing is to be reported before this cycle
    cycle look_ = never;        ///< nothing but reports and refreshes happens before this cycle
    cycle quiet_until_ = never; ///< nothing is to be reported, and no refresh is due, before this cycle
    cycle due_ = never;         ///< the earlier of both: nothing happens before
    cycle counted_ = 0;         ///< all cycles before this one are counted
    channel_counters counters_;
    std::uint64_t prefetched_atoms_ = 0;
    recent_cycles recent_; ///< where ends are told ahead
};

} // namespace warpkit::dram
