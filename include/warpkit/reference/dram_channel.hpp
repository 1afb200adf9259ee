#pragma once
/// \file
/// A DRAM channel (docs/reference/dram.md): the timing of commands, and GPGPU-Sim's controller, whose banks hold a
/// request each until it is served, or a command scheduler in its place.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/dram/counters.hpp>
#include <warpkit/dram/device.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/dram/refresh.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/scheduler.hpp>
#include <warpkit/dram/timing.hpp>
#include <warpkit/dram/timing_rules.hpp>
#include <warpkit/reference/link.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace warpkit::reference {

/// A request goes from the scheduler's queue to its bank, whose row is closed and opened for it if need be; the bank
/// keeps it until its last column command. A refresh that is due waits for its banks to close. Scheduler decides which
/// request a bank gets, PagePolicy when a row that nobody asks for is closed, Prefetcher which lines are read that
/// nobody has asked for. A command scheduler has queues of its own and decides each command (dram/scheduler.hpp), by
/// the members that such a one calls; what the timing table forbids is an error.
template <class Scheduler, class PagePolicy, class Prefetcher>
class dram_channel {
    static constexpr bool sends_commands = dram::command_scheduler<Scheduler>;

public:
    dram_channel() = default;
    dram_channel(dram::timing const& t, std::uint32_t queue, Prefetcher const& prefetcher = {},
                 PagePolicy const& page = {},
                 dram::command_bus kind_of_bus = dram::command_bus::single_and_row)
        : t_(t),
          dual_(kind_of_bus == dram::command_bus::dual),
          timing_(t),
          device_(t),
          scheduler_(make_scheduler(t, queue, kind_of_bus)),
          prefetcher_(prefetcher),
          page_(page),
          refresh_(t),
          banks_(t.banks) {}

    /// For who sets its parameters before the first request comes.
    Scheduler& scheduler() { return scheduler_; }
    bool can_accept(dram::request const& r) const {
        if constexpr (sends_commands)
            return scheduler_.can_accept(r);
        else
            return scheduler_.can_accept();
    }
    void push(dram::request const& r, cycle now) {
        tell_time(now);
        if constexpr (sends_commands) {
            if (scheduler_.push(r, device_).answered) answered_.push_back(r);
        } else {
            scheduler_.push(r);
            prefetcher_.arrived(scheduler_.size());
        }
    }
    /// One cycle; returns the requests whose data have come or gone. `resident(line)` tells whether the L2 has it.
    template <class Resident, class Observer>
    std::vector<dram::request> tick(cycle now, Resident resident, Observer& observer) {
        auto done = std::exchange(answered_, {});
        for (; !transfers_.empty() && transfers_.front().at <= now; transfers_.pop_front())
            done.push_back(transfers_.front().what);
        for (auto const& r : done)
            ++(r.prefetch ? counters_.prefetches : r.write ? counters_.writes : counters_.reads);
        refresh_.advance(now);
        tell_time(now);
        bus<Observer> to{*this, now, observer};
        if constexpr (sends_commands) {
            auto const rules = rules_at(now);
            scheduler_.prepare(now, device_, rules, to);
            count_banks(scheduler_.working(), scheduler_.queued());
            scheduler_.schedule(now, device_, rules, to);
        } else {
            hand_over(now, resident);
            count_banks(static_cast<std::uint64_t>(std::count_if(banks_.begin(), banks_.end(),
                                                                 [](auto& k) { return k.held.has_value(); })),
                        scheduler_.size());
            send_commands(now, to);
        }
        return done;
    }
    dram::channel_counters const& counters() const { return counters_; }
    Prefetcher const& prefetcher() const { return prefetcher_; }
    friend bool operator==(dram_channel const&, dram_channel const&) = default;

private:
    struct bank_state {
        std::optional<dram::request> held;
        std::uint32_t sent = 0;           ///< column commands of it
        std::uint32_t row = dram::no_row; ///< that is open
        std::uint32_t columns = 0;        ///< commands since it was opened
        cycle close_at = never;           ///< the page policy wants it closed from then on

        bool open() const { return row != dram::no_row; }
        friend bool operator==(bank_state const&, bank_state const&) = default;
    };
    using kind = dram::timing_rules::kind;
    static Scheduler make_scheduler(dram::timing const& t, std::uint32_t queue,
                                    [[maybe_unused]] dram::command_bus kind_of_bus) {
        if constexpr (sends_commands)
            return Scheduler(t, {queue, queue, queue, {}}, kind_of_bus);
        else
            return Scheduler(t.banks, queue);
    }
    static bool has(dram::bank_set s, std::uint32_t b) { return (s >> b & 1) != 0; }
    template <class Is>
    dram::bank_set those(Is is) const {
        dram::bank_set s = 0;
        for (std::uint32_t b = 0; b < t_.banks; ++b) s |= dram::bank_set{is(b)} << b;
        return s;
    }
    /// The banks, beginning with the one whose turn it is.
    std::vector<std::uint32_t> round() const {
        std::vector<std::uint32_t> r;
        for (std::uint32_t i = 0; i < t_.banks; ++i) r.push_back((turn_ + i) % t_.banks);
        return r;
    }
    /// A scheduler that goes by time is told the cycle before it is asked.
    void tell_time([[maybe_unused]] cycle now) {
        if constexpr (dram::hears_clock<Scheduler>) scheduler_.clock(now);
    }
    void count_banks(std::uint64_t working, std::uint64_t queued) {
        counters_.bank_cycles += working;
        counters_.bank_busy_cycles += working != 0;
        counters_.busy_cycles += working != 0 || queued != 0;
    }

    bool refreshing(std::uint32_t b) const { return has(refresh_.banks(device_), b); }
    dram::cycle_rules rules_at(cycle now) const {
        return {.refreshing = refresh_.banks(device_),
                .closing = those([&](auto b) { return banks_[b].close_at <= now; })};
    }

    // ---- from the queue to a bank

    /// One request a cycle, in turn; where there is none, a line of the prefetcher.
    template <class Resident>
    void hand_over(cycle now, Resident resident) {
        auto const wants = prefetcher_.wants();
        auto const insists = prefetcher_.insists(scheduler_.size());
        auto const row_hit = [&](std::uint32_t b) { return scheduler_.has_row_hit(b, banks_[b].row); };
        for (auto const b : round()) {
            auto& k = banks_[b];
            if (k.held || refreshing(b) || !has(scheduler_.waiting(), b)) continue;
            if (has(wants, b) && has(insists, b) && !row_hit(b)) continue; // they wait for the prefetcher
            k.held = scheduler_.take(b, k.row);
            k.sent = 0;
            turn_ = (turn_ + 1) % t_.banks;
            ++counters_.requests_served;
            counters_.row_hits += k.held->row == k.row;
            return;
        }
        for (auto const b : round()) {
            auto& k = banks_[b];
            if (k.held || refreshing(b) || !k.open() || k.close_at <= now || !has(wants, b) || row_hit(b))
                continue;
            if (has(scheduler_.waiting(), b) && !has(insists, b)) continue; // a demand claims the bank
            while (has(prefetcher_.wants(), b) && !k.held) {
                dram::request r;
                r.bank = static_cast<std::uint16_t>(b);
                r.row = k.row;
                r.column = prefetcher_.next(b);
                r.atoms = prefetcher_.line_bytes() / t_.atom_bytes();
                r.prefetch = true;
                bool const skips = prefetcher_.skips_resident() && resident(r);
                skips ? prefetcher_.skip(b) : prefetcher_.read(b);
                if (!skips) k.held = r;
                k.sent = 0;
            }
            if (k.held) return;
        }
    }

    // ---- which commands

    /// The bus takes a row command and, of a bank behind it in the round, a column command; or what a refresh needs,
    /// alone. With two buses, of rows and of columns, neither looks at the other.
    template <class Bus>
    void send_commands(cycle now, Bus& to) {
        bool row_bus = timing_.bus_is_free(now);
        if (refresh_.pending() && to.refresh(those([this](auto b) { // rows in use are spared
                return banks_[b].held && banks_[b].held->row == banks_[b].row;
            })))
            row_bus = false;
        if (!row_bus && !dual_) return;
        auto const banks = round();
        auto const first = [&](auto ready) { return std::find_if(banks.begin(), banks.end(), ready); };
        auto column = first([&](auto b) { return column_ready(b, now) && !banks_[b].held->prefetch; });
        if (column == banks.end()) column = first([&](auto b) { return column_ready(b, now); });
        if (dual_ && column != banks.end()) send_column(*column, to);
        auto const row = first([&](auto b) { return row_bus && row_ready(b, now); });
        if (row < column || (dual_ && row != banks.end())) {
            turn_ = (*row + 1) % t_.banks;
            banks_[*row].open() ? to.precharge(*row) : to.activate(*banks_[*row].held);
        }
        if (!dual_ && column != banks.end()) send_column(*column, to);
    }
    template <class Bus>
    void send_column(std::uint32_t b, Bus& to) {
        auto& k = banks_[b];
        auto const r = *k.held;
        auto const atom = k.sent++;
        if (k.sent == r.atoms) k.held.reset();
        to.column(r, atom);
        if constexpr (dram::hears_bank_ends<Scheduler>)
            if (!k.held && !r.prefetch) scheduler_.ended(r.bank);
    }
    bool column_ready(std::uint32_t b, cycle now) const {
        auto const& k = banks_[b];
        return k.held && k.held->row == k.row &&
               timing_.allows(k.held->write ? kind::write : kind::read, b, now);
    }
    /// Whether its row may be opened for the request that it holds, or closed: for that or because the page policy
    /// says so.
    bool row_ready(std::uint32_t b, cycle now) const {
        auto const& k = banks_[b];
        if (refreshing(b) || (k.held && k.held->row == k.row)) return false;
        if (!k.open()) return k.held && timing_.allows(kind::activate, b, now);
        return (k.held || k.close_at <= now) && timing_.allows(kind::precharge, b, now);
    }

    // ---- what they do

    /// The command bus in one cycle, as command schedulers know it.
    template <class Observer>
    struct bus {
        dram_channel& self;
        cycle now;
        Observer& observer;

        void serves(bool row_hit) {
            ++self.counters_.requests_served;
            self.counters_.row_hits += row_hit;
        }
        void begins(bool) {} // each cycle counts the banks that work
        void ends(bool) {}
        bool prefetch(unsigned, dram::request&) { return false; }
        void activate(dram::request const& r) {
            auto& k = self.banks_[r.bank];
            note(kind::activate, r.bank);
            self.device_.activate(r.bank, r.row, now);
            k.row = r.row;
            k.columns = 0;
            k.close_at = never;
            self.prefetcher_.opened(r.bank, r.row);
            ++self.counters_.activates;
            tell(dram::command_kind::activate, r.bank, r.row);
        }
        void precharge(unsigned b) {
            note(kind::precharge, b);
            tell(dram::command_kind::precharge, b, self.banks_[b].row);
            self.device_.precharge(b, now);
            ++self.counters_.precharges;
            close(b);
        }
        /// Column command number `atom` of r; whether the row has closed itself with it.
        bool column(dram::request const& r, std::uint32_t atom, bool keep_open = false) {
            auto& k = self.banks_[r.bank];
            auto const& t = self.t_;
            auto const column = r.column + atom * t.atom_bytes();
            bool const last = atom + 1 == r.atoms;
            bool closes = false;
            ++k.columns;
            k.close_at = never;
            if (last && !keep_open) {
                dram::page_use const use{PagePolicy::asks && self.scheduler_.has_row_hit(r.bank, r.row),
                                         k.columns};
                closes = self.page_.closes_itself(use);
                auto const after = closes ? never : self.page_.closes_after(use);
                if (after != never) k.close_at = now + after;
            }
            note(r.write ? kind::write : kind::read, r.bank);
            r.write ? self.device_.write(r.bank, now, closes) : self.device_.read(r.bank, now, closes);
            ++(r.write ? self.counters_.write_atoms : self.counters_.read_atoms);
            self.counters_.bus_busy_cycles += t.burst_cycles();
            tell(r.write ? dram::command_kind::write : dram::command_kind::read, r.bank, r.row, column,
                 closes);
            if (!r.prefetch) self.prefetcher_.accessed(r.bank, column, r.write);
            if (closes) {
                self.timing_.note(r.write ? kind::write_closing : kind::read_closing, r.bank, now);
                close(r.bank);
            }
            if (last) {
                self.last_end_ = std::max(self.last_end_, now + (r.write ? t.wl : t.cl));
                self.transfers_.push_back({self.last_end_, r});
            }
            return closes;
        }
        /// A read of the place that was read just now: done together with it.
        void shares(dram::request const& r) {
            serves(true);
            self.transfers_.push_back({self.last_end_, r});
        }
        /// Sends what the refresh that is due needs next, and whether it has; `spare` are banks that must not be
        /// closed.
        bool refresh(dram::bank_set spare) {
            if (!self.timing_.bus_is_free(now)) return false;
            bool const of_all = !self.refresh_.by_bank();
            auto const taken = self.refresh_.banks(self.device_);
            auto const open = self.those([&](auto b) { return has(taken, b) && self.banks_[b].open(); });
            auto const allowed = [&](kind k, dram::bank_set of) {
                return self.those([&](auto b) { return has(of, b) && self.timing_.allows(k, b, now); });
            };
            if (open == 0) {
                auto const k = of_all ? kind::refresh : kind::refresh_bank;
                if (allowed(k, taken) != taken) return false;
                self.each(taken, [&](auto b) { note(k, b); });
                auto const unit = self.refresh_.unit();
                of_all ? self.device_.refresh(unit, now) : self.device_.refresh_bank(unit, now);
                self.refresh_.done();
                ++self.counters_.refreshes;
                tell(of_all ? dram::command_kind::refresh : dram::command_kind::refresh_bank, first(taken),
                     dram::no_row);
                return true;
            }
            if constexpr (sends_commands)
                if (Scheduler::closes_together && of_all) return precharge_all(spare, taken, open);
            auto const ready = allowed(kind::precharge, open & ~spare);
            if (ready != 0) precharge(first(ready));
            return ready != 0;
        }

    private:
        static unsigned first(dram::bank_set s) { return static_cast<unsigned>(std::countr_zero(s)); }
        bool precharge_all(dram::bank_set spare, dram::bank_set taken, dram::bank_set open) {
            if ((open & spare) != 0 || now < self.device_.precharge_all_at(taken)) return false;
            tell(dram::command_kind::precharge_all, first(taken), dram::no_row);
            self.each(open, [&](auto b) {
                self.timing_.note(kind::precharge, b, now);
                ++self.counters_.precharges;
                close(b);
            });
            self.device_.precharge_all(self.refresh_.unit(), now);
            return true;
        }
        void note(kind k, unsigned b) {
            if (!self.timing_.allows(k, b, now))
                throw error({"DRAM: the scheduler breaks a rule of the timing table in cycle ", now});
            self.timing_.note(k, b, now);
        }
        void close(unsigned b) {
            self.banks_[b].row = dram::no_row;
            self.banks_[b].close_at = never;
            self.prefetcher_.closed(b);
        }
        void tell(dram::command_kind k, unsigned b, std::uint32_t row, std::uint32_t column = 0,
                  bool closes = false) {
            notify(dram::command{k, static_cast<std::uint16_t>(b), row, column, now, closes}, observer);
        }
    };
    template <class F>
    void each(dram::bank_set s, F f) const {
        for (std::uint32_t b = 0; b < t_.banks; ++b)
            if (has(s, b)) f(b);
    }

    dram::timing t_;
    bool dual_ = false; ///< the command bus
    dram::timing_rules timing_;
    dram::device device_; ///< the timing as command schedulers look at it
    Scheduler scheduler_;
    Prefetcher prefetcher_;
    PagePolicy page_;
    dram::refresh_timer refresh_;
    std::vector<bank_state> banks_;
    std::uint32_t turn_ = 0;                     ///< the bank that is asked first
    std::vector<dram::request> answered_;        ///< without the DRAM, to be told in the next cycle
    fifo_queue<timed<dram::request>> transfers_; ///< by the cycle in which they end
    cycle last_end_ = 0;
    dram::channel_counters counters_;
};

} // namespace warpkit::reference
