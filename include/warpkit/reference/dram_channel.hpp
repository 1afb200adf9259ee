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
    using bank_set = dram::bank_set_of<Scheduler>;
    static constexpr bool sends_commands = dram::command_scheduler<Scheduler>;

public:
    dram_channel() = default;
    dram_channel(dram::timing const& t, std::uint32_t queue, Prefetcher const& prefetcher = {},
                 PagePolicy const& page = {},
                 dram::command_bus kind_of_bus = dram::command_bus::single_and_row)
        : t_(t),
          dual_(kind_of_bus == dram::command_bus::dual),
          timing_(t, !dual_),
          device_(t, !dual_),
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
        now_ = now;
        auto done = std::exchange(answered_, {});
        for (; !transfers_.empty() && transfers_.front().at <= now; transfers_.pop_front())
            done.push_back(transfers_.front().what);
        for (auto const& r : done)
            ++(r.prefetch ? counters_.prefetches : r.write ? counters_.writes : counters_.reads);
        refresh_.advance(now);
        tell_time(now);
        if constexpr (sends_commands) {
            dram::basic_cycle_rules<bank_set> const rules{
                .refreshing = refresh_.banks(device_),
                .closing = those([&](auto b) { return banks_[b].close_at <= now; })};
            scheduler_.prepare(now, device_, rules, *this);
            count_banks(scheduler_.working(), scheduler_.queued());
            scheduler_.schedule(now, device_, rules, *this);
        } else {
            hand_over(resident);
            count_banks(static_cast<std::uint64_t>(std::count_if(banks_.begin(), banks_.end(), holds)),
                        scheduler_.size());
            send_commands();
        }
        for (auto const& c : std::exchange(sent_, {})) notify(c, observer);
        return done;
    }

    // ---- the command bus in this cycle, as command schedulers know it

    void serves(bool row_hit) {
        ++counters_.requests_served;
        counters_.row_hits += row_hit;
    }
    void begins(bool) {} // each cycle counts the banks that work
    void ends(bool) {}
    bool prefetch(unsigned, dram::request&) { return false; }
    void activate(dram::request const& r) {
        note(kind::activate, r.bank);
        device_.activate(r.bank, r.row, now_);
        banks_[r.bank].columns = 0;
        banks_[r.bank].close_at = never;
        prefetcher_.opened(r.bank, r.row);
        ++counters_.activates;
        tell(dram::command_kind::activate, r.bank, r.row);
    }
    void precharge(unsigned b) {
        note(kind::precharge, b);
        tell(dram::command_kind::precharge, b, open_row(b));
        device_.precharge(b, now_);
        closed(b);
    }
    /// Column command number `atom` of r; whether the row has closed itself with it.
    bool column(dram::request const& r, std::uint32_t atom, bool keep_open = false) {
        auto& k = banks_[r.bank];
        auto const place = r.column + atom * t_.atom_bytes();
        bool const last = atom + 1 == r.atoms;
        bool closes = false;
        ++k.columns;
        k.close_at = never;
        if (last && !keep_open) {
            dram::page_use const use{PagePolicy::asks && scheduler_.has_row_hit(r.bank, r.row), k.columns};
            closes = page_.closes_itself(use);
            auto const after = closes ? never : page_.closes_after(use);
            if (after != never) k.close_at = now_ + after;
        }
        note(r.write ? kind::write : kind::read, r.bank);
        r.write ? device_.write(r.bank, now_, closes) : device_.read(r.bank, now_, closes);
        ++(r.write ? counters_.write_atoms : counters_.read_atoms);
        counters_.bus_busy_cycles += t_.burst_cycles();
        tell(r.write ? dram::command_kind::write : dram::command_kind::read, r.bank, r.row, place, closes);
        if (!r.prefetch) prefetcher_.accessed(r.bank, place, r.write);
        if (closes) {
            timing_.note(r.write ? kind::write_closing : kind::read_closing, r.bank, now_);
            prefetcher_.closed(r.bank);
        }
        if (last) {
            last_end_ = std::max(last_end_, now_ + (r.write ? t_.wl : t_.cl));
            transfers_.push_back({last_end_, r});
        }
        return closes;
    }
    /// A read of the place that was read just now: done together with it.
    void shares(dram::request const& r) {
        serves(true);
        transfers_.push_back({last_end_, r});
    }
    /// Sends what the refresh that is due needs next, and whether it has; `spare` are banks that must not be closed.
    bool refresh(bank_set spare) {
        if (!timing_.bus_is_free(now_)) return false;
        auto const order = refresh_.order();
        auto const taken = refresh_.banks(device_);
        auto const open = those([&](auto b) { return has(taken, b) && open_row(b) != dram::no_row; });
        if (open != 0) {
            if constexpr (sends_commands)
                if (Scheduler::closes_together && order.of_rank()) return precharge_all(spare, taken, open);
            auto const ready = allowed(kind::precharge, open & ~spare);
            if (ready != 0) precharge(first(ready));
            return ready != 0;
        }
        auto const command = order.of_rank() ? kind::refresh : kind::refresh_bank;
        if (allowed(command, taken) != taken) return false;
        for (unsigned b = 0; b < t_.banks; ++b)
            if (has(taken, b)) timing_.note(command, b, now_, order.cycles);
        device_.refresh(taken, now_, order.cycles, order.of_rank() ? 0 : t_.rrefd);
        refresh_.done();
        ++counters_.refreshes;
        tell(order.what, first(taken), order.row);
        return true;
    }

    dram::channel_counters const& counters() const { return counters_; }
    Prefetcher const& prefetcher() const { return prefetcher_; }

private:
    struct bank_state {
        std::optional<dram::request> held;
        std::uint32_t sent = 0;    ///< column commands of it
        std::uint32_t columns = 0; ///< commands since its row was opened
        cycle close_at = never;    ///< the page policy wants it closed from then on
    };
    using kind = dram::timing_rules::kind;
    static Scheduler make_scheduler(dram::timing const& t, std::uint32_t queue,
                                    [[maybe_unused]] dram::command_bus kind_of_bus) {
        if constexpr (sends_commands)
            return Scheduler(t, {queue, queue, queue, {}}, kind_of_bus);
        else
            return Scheduler(t.banks, queue);
    }
    static bool holds(bank_state const& k) { return k.held.has_value(); }
    static bool has(bank_set s, std::uint32_t b) { return (s >> b & 1) != 0; }
    static unsigned first(bank_set s) { return dram::first_of(s, 0); }
    template <class Is>
    bank_set those(Is is) const {
        bank_set s = 0;
        for (std::uint32_t b = 0; b < t_.banks; ++b) s |= bank_set{is(b)} << b;
        return s;
    }
    bank_set allowed(kind k, bank_set of) const {
        return those([&](auto b) { return has(of, b) && timing_.allows(k, b, now_); });
    }
    std::uint32_t open_row(std::uint32_t b) const { return device_.open_row(b); }
    /// Whether it works on a request for the row that is open.
    bool serves_row(std::uint32_t b) const { return banks_[b].held && banks_[b].held->row == open_row(b); }
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

    // ---- from the queue to a bank

    /// One request a cycle, in turn; where there is none, a line of the prefetcher.
    template <class Resident>
    void hand_over(Resident resident) {
        auto const wants = prefetcher_.wants();
        auto const insists = prefetcher_.insists(scheduler_.size());
        auto const row_hit = [&](std::uint32_t b) { return scheduler_.has_row_hit(b, open_row(b)); };
        for (auto const b : round()) {
            auto& k = banks_[b];
            if (k.held || refreshing(b) || !has(scheduler_.waiting(), b)) continue;
            if (has(wants, b) && has(insists, b) && !row_hit(b)) continue; // they wait for the prefetcher
            k.held = scheduler_.take(b, open_row(b));
            k.sent = 0;
            turn_ = (turn_ + 1) % t_.banks;
            return serves(serves_row(b));
        }
        for (auto const b : round()) {
            auto& k = banks_[b];
            bool const stays_open = open_row(b) != dram::no_row && k.close_at > now_ && !refreshing(b);
            if (k.held || !stays_open || !has(wants, b) || row_hit(b)) continue;
            if (has(scheduler_.waiting(), b) && !has(insists, b)) continue; // a demand claims the bank
            while (has(prefetcher_.wants(), b) && !k.held) {
                dram::request r;
                r.bank = static_cast<std::uint16_t>(b);
                r.row = open_row(b);
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
    void send_commands() {
        bool row_bus = timing_.bus_is_free(now_);
        if (refresh_.pending() && refresh(those([this](auto b) { return serves_row(b); })))
            row_bus = false; // rows in use are spared
        if (!row_bus && !dual_) return;
        auto const banks = round();
        auto const ready_in_turn = [&](auto ready) {
            return std::find_if(banks.begin(), banks.end(), ready);
        };
        auto column = ready_in_turn([&](auto b) { return column_ready(b) && !banks_[b].held->prefetch; });
        if (column == banks.end()) column = ready_in_turn([&](auto b) { return column_ready(b); });
        if (dual_ && column != banks.end()) send_column(*column);
        auto const row = ready_in_turn([&](auto b) { return row_bus && row_ready(b); });
        if (row < column || (dual_ && row != banks.end())) {
            turn_ = (*row + 1) % t_.banks;
            open_row(*row) != dram::no_row ? precharge(*row) : activate(*banks_[*row].held);
        }
        if (!dual_ && column != banks.end()) send_column(*column);
    }
    void send_column(std::uint32_t b) {
        auto& k = banks_[b];
        auto const r = *k.held;
        auto const atom = k.sent++;
        if (k.sent == r.atoms) k.held.reset();
        column(r, atom);
        if constexpr (dram::hears_bank_ends<Scheduler>)
            if (!k.held && !r.prefetch) scheduler_.ended(r.bank);
    }
    bool column_ready(std::uint32_t b) const {
        return serves_row(b) && timing_.allows(banks_[b].held->write ? kind::write : kind::read, b, now_);
    }
    /// Whether its row may be opened for the request that it holds, or closed: for that or because the page policy
    /// says so.
    bool row_ready(std::uint32_t b) const {
        auto const& k = banks_[b];
        if (refreshing(b) || serves_row(b)) return false;
        if (open_row(b) == dram::no_row) return k.held && timing_.allows(kind::activate, b, now_);
        return (k.held || k.close_at <= now_) && timing_.allows(kind::precharge, b, now_);
    }

    // ---- what they do

    bool precharge_all(bank_set spare, bank_set taken, bank_set open) {
        if ((open & spare) != 0 || now_ < device_.precharge_all_at(taken)) return false;
        tell(dram::command_kind::precharge_all, first(taken), dram::no_row);
        device_.precharge_all(refresh_.order().unit, now_);
        for (unsigned b = 0; b < t_.banks; ++b) {
            if (!has(open, b)) continue;
            timing_.note(kind::precharge, b, now_);
            closed(b);
        }
        return true;
    }
    void closed(unsigned b) {
        ++counters_.precharges;
        banks_[b].close_at = never;
        prefetcher_.closed(b);
    }
    void note(kind k, unsigned b) {
        if (!timing_.allows(k, b, now_))
            throw error({"DRAM: the scheduler breaks a rule of the timing table in cycle ", now_});
        timing_.note(k, b, now_);
    }
    void tell(dram::command_kind k, unsigned b, std::uint32_t row, std::uint32_t column = 0,
              bool closes = false) {
        sent_.push_back({k, static_cast<std::uint16_t>(b), row, column, now_, closes});
    }

    dram::timing t_;
    bool dual_ = false; ///< the command bus
    cycle now_ = 0;
    dram::timing_rules timing_;
    dram::basic_device<bank_set> device_; ///< the timing as command schedulers look at it
    Scheduler scheduler_;
    Prefetcher prefetcher_;
    PagePolicy page_;
    dram::refresh_timer refresh_;
    std::vector<bank_state> banks_;
    std::uint32_t turn_ = 0;                     ///< the bank that is asked first
    std::vector<dram::request> answered_;        ///< without the DRAM, to be told in the next cycle
    fifo_queue<timed<dram::request>> transfers_; ///< by the cycle in which they end
    cycle last_end_ = 0;
    std::vector<dram::command> sent_; ///< in this cycle
    dram::channel_counters counters_;
};

} // namespace warpkit::reference
