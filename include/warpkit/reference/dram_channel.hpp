#pragma once
/// \file
/// A DRAM channel: GPGPU-Sim's controller, whose banks hold a request each until it is served (docs/reference/dram.md).

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/dram/counters.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/dram/prefetch.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/scheduler.hpp>
#include <warpkit/dram/timing.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace warpkit::reference {

/// The rules between commands, as the timing table has them. An activate counts from its last cycle.
class dram_timing {
public:
    enum kind { activate, precharge, read, write, read_closing, write_closing, refresh, refresh_bank, kinds };

    dram_timing() = default;
    explicit dram_timing(dram::timing const& t)
        : t_((t.check(), t)),
          rules_{{activate, activate, bank, t.rc},
                 {activate, activate, group, t.rrdl},
                 {activate, activate, part, t.rrd},
                 {activate, read, bank, t.rcd},
                 {activate, write, bank, t.rcdwr},
                 {activate, precharge, bank, t.ras},
                 {precharge, activate, bank, t.rp},
                 {precharge, precharge, part, t.ppd},
                 {read, read, group, t.ccdl},
                 {read, read, part, t.ccd},
                 {read, write, group, t.ccdl},
                 {read, write, part, std::max(t.ccd, t.read_to_write())},
                 {read, precharge, bank, t.rtp},
                 {read, precharge, group, t.rtpl},
                 {write, write, group, t.ccdl},
                 {write, write, part, t.ccd},
                 {write, read, group, std::max(t.ccdl, t.write_to_read_in_group())},
                 {write, read, part, std::max(t.ccd, t.write_to_read())},
                 {write, precharge, bank, t.write_to_precharge()},
                 {read_closing, activate, bank, t.read_auto_to_activate()},
                 {write_closing, activate, bank, t.write_auto_to_activate()},
                 {refresh, activate, bank, t.rfc},
                 {refresh_bank, activate, bank, t.rfcpb},
                 {refresh_bank, activate, part, t.rrefd}},
          activates_(t.pseudo_channels) {
        for (auto& of_kind : last_) {
            of_kind[bank].resize(t.banks);
            of_kind[group].resize(std::size_t{t.bank_groups} * t.pseudo_channels);
            of_kind[part].resize(t.pseudo_channels);
        }
    }

    /// Whether the command may come now, as far as other commands are concerned. A refresh is bound as an activate is:
    /// one of all banks by the rules within each bank.
    bool allows(kind k, std::uint32_t b, cycle now) const {
        bool const like_activate = k == activate || k == refresh || k == refresh_bank;
        auto const at = now + (k == activate ? t_.act_cycles - 1 : 0);
        for (auto const& r : rules_) {
            if (r.to != (like_activate ? activate : k) || (k == refresh && r.within != bank)) continue;
            auto const& last = last_[r.from][r.within][place(r.within, b)];
            if (last && at < *last + r.cycles) return false;
        }
        auto const& a = activates_[t_.pseudo_channel_of(b)];
        auto const in_window = [&](std::uint32_t many, std::uint32_t cycles) {
            return cycles != 0 && a.size() >= many && at < a[a.size() - many] + cycles;
        };
        return !like_activate || k == refresh || (!in_window(4, t_.faw) && !in_window(32, t_.aw32));
    }
    void note(kind k, std::uint32_t b, cycle now) {
        auto const at = now + (k == activate ? t_.act_cycles - 1 : 0);
        for (auto const within : {bank, group, part}) last_[k][within][place(within, b)] = at;
        if (k != activate) return;
        activates_[t_.pseudo_channel_of(b)].push_back(at);
        bus_free_ = at + 1;
    }
    /// Whether the last activate has left the command bus.
    bool bus_is_free(cycle now) const { return now >= bus_free_; }

private:
    enum scope { bank, group, part, scopes }; // part: a pseudo-channel
    struct rule {
        kind from, to;
        scope within;
        std::uint32_t cycles;
    };
    std::size_t place(scope s, std::uint32_t b) const {
        return s == bank ? b : s == group ? t_.group_of(b) : t_.pseudo_channel_of(b);
    }

    dram::timing t_;
    std::vector<rule> rules_;
    std::vector<std::optional<cycle>> last_[kinds][scopes];
    std::vector<std::vector<cycle>> activates_; ///< by pseudo-channel
    cycle bus_free_ = 0;
};

/// A request goes from the scheduler's queue to its bank, whose row is closed and opened for it if need be; the bank
/// keeps it until its last column command. A refresh that is due waits for its banks to close. Scheduler decides which
/// request a bank gets, PagePolicy when a row that nobody asks for is closed, Prefetcher which lines are read that
/// nobody has asked for.
template <class Scheduler, class PagePolicy, class Prefetcher>
class dram_channel {
    static_assert(dram::request_scheduler<Scheduler>,
                  "warpkit: the reference has GPGPU-Sim's DRAM controller alone: choose a request scheduler "
                  "(fr_fcfs, fcfs), "
                  "or run this machine on the engine");

public:
    dram_channel() = default;
    dram_channel(dram::timing const& t, std::uint32_t queue, Prefetcher const& prefetcher = {},
                 PagePolicy const& page = {}, Scheduler const& like = {})
        : t_(t),
          timing_(t),
          scheduler_(dram::make_scheduler(t.banks, queue, like)),
          prefetcher_(prefetcher),
          page_(page),
          banks_(t.banks),
          next_refresh_(t.refi != 0     ? t.refi
                        : t.refipb != 0 ? t.refipb
                                        : never) {}

    bool can_accept() const { return scheduler_.can_accept(); }
    void push(dram::request const& r, cycle now) {
        tell_time(now);
        scheduler_.push(r);
        prefetcher_.arrived(scheduler_.size());
    }
    /// One cycle; returns the requests whose data have come or gone. `resident(line)` tells whether the L2 has it.
    template <class Resident, class Observer>
    std::vector<dram::request> tick(cycle now, Resident resident, Observer& observer) {
        std::vector<dram::request> done;
        for (; !transfers_.empty() && transfers_.front().end <= now; transfers_.pop_front()) {
            auto const& r = done.emplace_back(transfers_.front().what);
            ++(r.prefetch ? counters_.prefetches : r.write ? counters_.writes : counters_.reads);
        }
        become_due(now);
        tell_time(now);
        hand_over(now, resident);
        count_banks();
        send_commands(now, observer);
        return done;
    }
    dram::channel_counters const& counters() const { return counters_; }
    /// Read commands for the prefetcher, of all.
    std::uint64_t prefetched_atoms() const { return prefetched_atoms_; }
    Prefetcher const& prefetcher() const { return prefetcher_; }

private:
    struct bank_state {
        std::optional<dram::request> held;
        std::uint32_t sent = 0;           ///< column commands of it
        std::uint32_t row = dram::no_row; ///< that is open
        std::uint32_t columns = 0;        ///< commands since it was opened
        cycle close_at = never;           ///< the page policy wants it closed from then on

        bool open() const { return row != dram::no_row; }
    };
    struct transfer {
        cycle end = 0;
        dram::request what;
    };
    using kind = dram_timing::kind;
    static bool has(dram::bank_set s, std::uint32_t b) { return (s >> b & 1) != 0; }
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

    // ---- refresh
    void become_due(cycle now) {
        auto const units = t_.refi != 0 ? t_.pseudo_channels : t_.banks;
        for (; next_refresh_ <= now; next_refresh_ += t_.refi != 0 ? t_.refi : t_.refipb) {
            due_refreshes_.push_back(next_unit_);
            next_unit_ = (next_unit_ + 1) % units;
            for (; t_.refi != 0 && next_unit_ != 0; next_unit_ = (next_unit_ + 1) % units)
                due_refreshes_.push_back(next_unit_);
        }
    }
    /// Whether the refresh that is due first takes this bank: of its bank, or of its pseudo-channel.
    bool refreshing(std::uint32_t b) const {
        return !due_refreshes_.empty() &&
               due_refreshes_.front() == (t_.refi != 0 ? t_.pseudo_channel_of(b) : b);
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
                if (prefetcher_.skips_resident() && resident(r)) {
                    prefetcher_.skip(b);
                    continue;
                }
                prefetcher_.read(b);
                k.held = r;
                k.sent = 0;
            }
            if (k.held) return;
        }
    }
    void count_banks() {
        auto const held = static_cast<std::uint64_t>(
            std::count_if(banks_.begin(), banks_.end(), [](auto const& k) { return k.held.has_value(); }));
        counters_.bank_cycles += held;
        counters_.bank_busy_cycles += held != 0;
        counters_.busy_cycles += held != 0 || scheduler_.size() != 0;
    }

    // ---- commands
    /// The bus takes a row command and, of a bank behind it in the round, a column command; or what a refresh needs,
    /// alone.
    template <class Observer>
    void send_commands(cycle now, Observer& observer) {
        if (!timing_.bus_is_free(now)) return;
        if (!due_refreshes_.empty() && refresh(now, observer)) return;
        auto const banks = round();
        auto const first = [&](auto ready) { return std::find_if(banks.begin(), banks.end(), ready); };
        auto column =
            first([&](std::uint32_t b) { return column_ready(b, now) && !banks_[b].held->prefetch; });
        if (column == banks.end()) column = first([&](std::uint32_t b) { return column_ready(b, now); });
        auto const row = first([&](std::uint32_t b) { return row_ready(b, now); });
        if (row < column) {
            turn_ = (*row + 1) % t_.banks;
            banks_[*row].open() ? send_precharge(*row, now, observer) : send_activate(*row, now, observer);
        }
        if (column != banks.end()) send_column(*column, now, observer);
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
    template <class Observer>
    bool refresh(cycle now, Observer& observer) {
        bool any_open = false;
        bool may = true;
        std::vector<std::uint32_t> banks;
        for (std::uint32_t b = 0; b < t_.banks; ++b)
            if (refreshing(b)) banks.push_back(b);
        auto const k = t_.refi != 0 ? kind::refresh : kind::refresh_bank;
        for (auto const b : banks) {
            any_open |= banks_[b].open();
            may &= timing_.allows(k, b, now);
            bool const in_use = banks_[b].held && banks_[b].held->row == banks_[b].row;
            if (!banks_[b].open() || in_use || !timing_.allows(kind::precharge, b, now)) continue;
            send_precharge(b, now, observer);
            return true;
        }
        if (any_open || !may) return false;
        for (auto const b : banks) timing_.note(k, b, now);
        due_refreshes_.pop_front();
        ++counters_.refreshes;
        tell({k == kind::refresh ? dram::command_kind::refresh : dram::command_kind::refresh_bank,
              static_cast<std::uint16_t>(banks.front()), dram::no_row, 0, now},
             observer);
        return true;
    }
    template <class Observer>
    void send_activate(std::uint32_t b, cycle now, Observer& observer) {
        auto& k = banks_[b];
        k.row = k.held->row;
        k.columns = 0;
        k.close_at = never;
        timing_.note(kind::activate, b, now);
        prefetcher_.opened(b, k.row);
        ++counters_.activates;
        tell({dram::command_kind::activate, static_cast<std::uint16_t>(b), k.row, 0, now}, observer);
    }
    template <class Observer>
    void send_precharge(std::uint32_t b, cycle now, Observer& observer) {
        tell({dram::command_kind::precharge, static_cast<std::uint16_t>(b), banks_[b].row, 0, now}, observer);
        timing_.note(kind::precharge, b, now);
        ++counters_.precharges;
        close(b);
    }
    template <class Observer>
    void send_column(std::uint32_t b, cycle now, Observer& observer) {
        auto& k = banks_[b];
        auto const r = *k.held;
        auto const column = r.column + k.sent * t_.atom_bytes();
        bool const last = ++k.sent == r.atoms;
        ++k.columns;
        k.close_at = never;
        bool closes = false;
        if (last) {
            dram::page_use const use{PagePolicy::asks && scheduler_.has_row_hit(b, r.row), k.columns};
            closes = page_.closes_itself(use);
            auto const after = closes ? never : page_.closes_after(use);
            if (after != never) k.close_at = now + after;
            k.held.reset();
            if constexpr (dram::hears_bank_ends<Scheduler>)
                if (!r.prefetch) scheduler_.ended(b);
            last_end_ = std::max(last_end_, now + (r.write ? t_.wl : t_.cl));
            transfers_.push_back({last_end_, r});
        }
        timing_.note(r.write ? kind::write : kind::read, b, now);
        ++(r.write ? counters_.write_atoms : counters_.read_atoms);
        counters_.bus_busy_cycles += t_.burst_cycles();
        prefetched_atoms_ += r.prefetch;
        tell({r.write ? dram::command_kind::write : dram::command_kind::read, r.bank, r.row, column, now,
              closes},
             observer);
        if (!r.prefetch) prefetcher_.accessed(b, column, r.write);
        if (closes) {
            timing_.note(r.write ? kind::write_closing : kind::read_closing, b, now);
            close(b);
        }
    }
    void close(std::uint32_t b) {
        banks_[b].row = dram::no_row;
        banks_[b].close_at = never;
        prefetcher_.closed(b);
    }
    template <class Observer>
    static void tell(dram::command const& c, Observer& observer) {
        notify(c, observer);
    }

    dram::timing t_;
    dram_timing timing_;
    Scheduler scheduler_;
    Prefetcher prefetcher_;
    PagePolicy page_;
    std::vector<bank_state> banks_;
    std::uint32_t turn_ = 0; ///< the bank that is asked first
    std::deque<transfer> transfers_;
    cycle last_end_ = 0;
    cycle next_refresh_ = never;
    std::uint32_t next_unit_ = 0;             ///< the bank or pseudo-channel that is refreshed next
    std::deque<std::uint32_t> due_refreshes_; ///< banks or pseudo-channels
    dram::channel_counters counters_;
    std::uint64_t prefetched_atoms_ = 0;
};

} // namespace warpkit::reference
