#pragma once
/// \file
/// One DRAM channel: the controller that turns queued requests into commands under the timing table.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/dram/counters.hpp>
#include <warpkit/dram/page_policy.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/scheduler.hpp>
#include <warpkit/dram/timing.hpp>

#include <bit>
#include <cstdint>
#include <vector>

namespace warpkit::dram {

/// What may share one command cycle.
enum class command_bus : std::uint8_t {
    single,         ///< one command; a column command goes first
    single_and_row, ///< GPGPU-Sim's single bus: a row command and, of a bank behind it in the round, a column command
    dual            ///< one column and one row command (HBM)
};

/// A DRAM channel: Scheduler (which request) and PagePolicy (when to close) over a timing table.
///
/// Each cycle, in this order (SPEC 6.3, 6.4; GPGPU-Sim's dram_t::cycle): the transfer that ends is reported; one
/// queued request is handed to a free bank, banks taking turns; commands are issued, banks taking turns. A bank holds
/// one request until its last column command. Banks start closed.
///
/// A read is done `cl` cycles after its last column command, a write `wl` cycles: the first beat, as GPGPU-Sim counts.
/// A request pushed before tick(t) can be served at t, one pushed behind it at t + 1. The caller must have room for
/// what `done` hands over: it reserves its return entry before it pushes.
///
/// Idle cycles need no tick: next_event tells the next one that matters, which must not be passed over. Ticked every
/// cycle or only when something happens, all results are the same.
///
/// Differs from GPGPU-Sim: banks start closed (there: row 0, so that a first access to it counts as a hit); a row
/// command does not disturb the round over the banks within its own cycle.
template <scheduler Scheduler, page_policy PagePolicy = open_page>
class channel {
public:
    channel() = default;
    /// Throws `warpkit::error` if the timing contradicts itself or the scheduler refuses the queue size.
    channel(timing const& numbers, std::uint32_t queue_size, command_bus bus = command_bus::single_and_row,
            PagePolicy const& page = {})
        : timing_((numbers.check(), numbers)),
          page_(page),
          bus_mode_(bus),
          scheduler_(numbers.banks, queue_size),
          bank_(numbers.banks),
          group_(numbers.bank_groups),
          transfers_(numbers.cl + numbers.wl + 2) {
        for (std::uint32_t b = 0; b < numbers.banks; ++b)
            bank_[b].group = static_cast<std::uint16_t>(numbers.group_of(b));
    }

    /// Whether the queue has room for one more request.
    bool can_accept() const noexcept { return scheduler_.can_accept(); }
    /// Queues a request; precondition: can_accept(), and bank and atoms in range.
    void push(request const& r) noexcept {
        scheduler_.push(r);
        if (can_hand_over()) wake_ = 0;
    }

    /// Advances to cycle `now`, later than that of every earlier tick. Calls `done(request const&)` for the request
    /// whose transfer ends, and tells each listener that hears it every `command` issued.
    template <class Done, class... Listener>
    void tick(cycle now, Done&& done, Listener&... listener) {
        if (now < wake_) return;
        count_until(now);
        if (!transfers_.empty() && transfers_.front().end <= now) {
            auto const r = transfers_.front().what;
            transfers_.pop();
            ++(r.write ? counters_.writes : counters_.reads);
            done(r);
        }
        hand_over();
        count_this_cycle(now);
        issue(now, listener...);
        had_work_ = held_ != 0 || scheduler_.size() != 0;
        wake_ = earliest_after(now);
    }

    /// The earliest cycle after `now` at which a tick could do anything if nothing is pushed; `never` if idle.
    cycle next_event(cycle now) const noexcept { return wake_ > now ? wake_ : now + 1; }

    /// Nothing queued, served or in transfer.
    bool idle() const noexcept { return held_ == 0 && scheduler_.size() == 0 && transfers_.empty(); }
    /// The row in a bank's row buffer, or `no_row`.
    std::uint32_t open_row(std::uint32_t bank) const noexcept { return bank_[bank].row; }
    /// The banks that hold a request.
    bank_set serving() const noexcept { return held_; }
    /// The queue.
    Scheduler const& queue() const noexcept { return scheduler_; }
    timing const& numbers() const noexcept { return timing_; }
    /// Counts up to the last tick; complete once idle.
    channel_counters const& counters() const noexcept { return counters_; }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(timing_, page_, bus_mode_, had_work_, turn_, scheduler_, bank_, group_, transfers_, held_, reads_,
          column_, activate_, precharge_, column_at_, read_at_, write_at_, activate_at_, wake_, counted_,
          counters_);
    }
    friend bool operator==(channel const&, channel const&) = default;

private:
    struct bank_state {
        request serving;            ///< meaningful while the bank is held
        std::uint32_t row = no_row; ///< in the row buffer
        std::uint16_t left = 0;     ///< column commands still to send
        std::uint16_t group = 0;
        cycle read_at = 0; ///< the earliest cycle for each command, as far as this bank is concerned
        cycle write_at = 0;
        cycle activate_at = 0;
        cycle precharge_at = 0;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(serving, row, left, group, read_at, write_at, activate_at, precharge_at);
        }
        friend bool operator==(bank_state const&, bank_state const&) = default;
    };
    struct group_state {
        cycle column_at = 0;
        cycle precharge_at = 0;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(column_at, precharge_at);
        }
        friend bool operator==(group_state const&, group_state const&) = default;
    };
    struct transfer {
        cycle end = 0;
        request what;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(end, what);
        }
        friend bool operator==(transfer const&, transfer const&) = default;
    };
    static constexpr unsigned no_bank = 64;

    static constexpr cycle later(cycle a, cycle b) noexcept { return a > b ? a : b; }
    bool can_hand_over() const noexcept { return (scheduler_.waiting() & ~held_) != 0; }

    /// All cycles since the last tick, through which the state stayed as it left it.
    void count_until(cycle now) noexcept {
        auto const passed = now - counted_;
        counted_ = now;
        if (passed == 0 || !had_work_) return;
        counters_.busy_cycles += passed;
        counters_.bank_cycles += passed * held_count_;
        counters_.bank_busy_cycles += held_ != 0 ? passed : 0;
    }
    /// This cycle counts a bank whose last column command is sent in it.
    void count_this_cycle(cycle now) noexcept {
        had_work_ = held_ != 0 || scheduler_.size() != 0;
        count_until(now + 1);
    }

    void hand_over() noexcept {
        auto const free = scheduler_.waiting() & ~held_;
        if (free == 0) return;
        auto const b = next_bank(free, turn_);
        turn_ = turn_ + 1 == timing_.banks ? 0 : turn_ + 1;
        auto& bank = bank_[b];
        auto const bit = bank_set{1} << b;
        bank.serving = scheduler_.take(b, bank.row);
        bank.left = bank.serving.atoms;
        held_ |= bit;
        ++held_count_;
        reads_ = bank.serving.write ? reads_ & ~bit : reads_ | bit;
        precharge_ &= ~bit;
        (bank.row == bank.serving.row ? column_ : bank.row == no_row ? activate_ : precharge_) |= bit;
        ++counters_.requests_served;
        counters_.row_hits += bank.row == bank.serving.row;
    }

    cycle column_ready(bank_state const& bank) const noexcept {
        auto const own = bank.serving.write ? later(bank.write_at, write_at_) : later(bank.read_at, read_at_);
        return later(later(own, group_[bank.group].column_at), column_at_);
    }
    cycle activate_ready(bank_state const& bank) const noexcept {
        return later(bank.activate_at, activate_at_);
    }
    cycle precharge_ready(bank_state const& bank) const noexcept {
        return later(bank.precharge_at, group_[bank.group].precharge_at);
    }

    unsigned find_column(cycle now) const noexcept {
        if (now < column_at_) return no_bank;
        auto candidates = column_;
        if (now < read_at_) candidates &= ~reads_;
        if (now < write_at_) candidates &= reads_;
        while (candidates != 0) {
            auto const b = next_bank(candidates, turn_);
            if (column_ready(bank_[b]) <= now) return b;
            candidates &= ~(bank_set{1} << b);
        }
        return no_bank;
    }
    unsigned find_row(cycle now) const noexcept {
        auto candidates = precharge_ | (now < activate_at_ ? 0 : activate_);
        while (candidates != 0) {
            auto const b = next_bank(candidates, turn_);
            auto const bit = bank_set{1} << b;
            if (((activate_ & bit) != 0 ? bank_[b].activate_at : precharge_ready(bank_[b])) <= now) return b;
            candidates &= ~bit;
        }
        return no_bank;
    }
    /// How many banks are asked before bank `b`.
    unsigned place_in_round(unsigned b) const noexcept {
        return b >= turn_ ? b - turn_ : b + timing_.banks - turn_;
    }

    template <class... Listener>
    void issue(cycle now, Listener&... listener) {
        auto const c = find_column(now);
        if (bus_mode_ == command_bus::dual) {
            if (c != no_bank) send_column(c, now, listener...);
            if (auto const r = find_row(now); r != no_bank) send_row(r, now, listener...);
        } else if (c == no_bank) {
            if (auto const r = find_row(now); r != no_bank) send_row(r, now, listener...);
        } else {
            if (bus_mode_ == command_bus::single_and_row) {
                auto const r = find_row(now);
                if (r != no_bank && place_in_round(r) < place_in_round(c)) send_row(r, now, listener...);
            }
            send_column(c, now, listener...);
        }
    }

    template <class... Listener>
    void send_column(unsigned b, cycle now, Listener&... listener) {
        auto& bank = bank_[b];
        auto& group = group_[bank.group];
        auto const& r = bank.serving;
        auto const column = r.column + (std::uint32_t{r.atoms} - bank.left) * timing_.atom_bytes();
        column_at_ = now + timing_.ccd;
        group.column_at = now + timing_.ccdl;
        counters_.bus_busy_cycles += timing_.burst_cycles();
        if (r.write) {
            ++counters_.write_atoms;
            read_at_ = now + timing_.write_to_read();
            bank.precharge_at = later(bank.precharge_at, now + timing_.write_to_precharge());
        } else {
            ++counters_.read_atoms;
            write_at_ = now + timing_.read_to_write();
            bank.precharge_at = later(bank.precharge_at, now + timing_.rtp);
            group.precharge_at = now + timing_.rtpl;
        }
        notify(command{r.write ? command_kind::write : command_kind::read, r.bank, bank.row, column, now},
               listener...);
        if (--bank.left != 0) return;
        auto const bit = bank_set{1} << b;
        transfers_.push({now + (r.write ? timing_.wl : timing_.cl), r});
        held_ &= ~bit;
        --held_count_;
        column_ &= ~bit;
        if (page_.close_after(scheduler_.has_row_hit(b, bank.row))) precharge_ |= bit;
    }

    template <class... Listener>
    void send_row(unsigned b, cycle now, Listener&... listener) {
        auto& bank = bank_[b];
        auto const bit = bank_set{1} << b;
        turn_ = b + 1 == timing_.banks ? 0 : b + 1;
        if ((activate_ & bit) != 0) {
            ++counters_.activates;
            bank.row = bank.serving.row;
            bank.read_at = now + timing_.rcd;
            bank.write_at = now + timing_.rcdwr;
            bank.precharge_at = now + timing_.ras;
            bank.activate_at = now + timing_.rc;
            activate_at_ = now + timing_.rrd;
            activate_ &= ~bit;
            column_ |= bit;
            notify(command{command_kind::activate, static_cast<std::uint16_t>(b), bank.row, 0, now},
                   listener...);
        } else {
            ++counters_.precharges;
            notify(command{command_kind::precharge, static_cast<std::uint16_t>(b), bank.row, 0, now},
                   listener...);
            bank.row = no_row;
            bank.activate_at = later(bank.activate_at, now + timing_.rp);
            precharge_ &= ~bit;
            activate_ |= held_ & bit;
        }
    }

    cycle earliest_after(cycle now) const noexcept {
        auto const next = now + 1;
        if (can_hand_over()) return next;
        auto e = transfers_.empty() ? never : transfers_.front().end;
        auto const least = [&](bank_set banks, auto ready) {
            for (; banks != 0 && e > next; banks &= banks - 1) {
                auto const at = ready(bank_[static_cast<unsigned>(std::countr_zero(banks))]);
                if (at < e) e = at;
            }
        };
        least(column_, [this](bank_state const& b) { return column_ready(b); });
        least(activate_, [this](bank_state const& b) { return activate_ready(b); });
        least(precharge_, [this](bank_state const& b) { return precharge_ready(b); });
        return later(e, next);
    }

    timing timing_;
    [[no_unique_address]] PagePolicy page_{};
    command_bus bus_mode_ = command_bus::single_and_row;
    bool had_work_ = false;  ///< of the cycles up to the next tick
    std::uint32_t turn_ = 0; ///< the bank that is asked first
    Scheduler scheduler_;
    std::vector<bank_state> bank_;
    std::vector<group_state> group_;
    ring<transfer> transfers_; ///< in order of their end
    std::uint32_t held_count_ = 0;
    bank_set held_ = 0;      ///< banks that hold a request
    bank_set reads_ = 0;     ///< of these, the ones that read
    bank_set column_ = 0;    ///< held, and the row is open
    bank_set activate_ = 0;  ///< held, and closed
    bank_set precharge_ = 0; ///< another row is open, or the page policy closes it
    cycle column_at_ = 0;    ///< the earliest cycle for each command, as far as the channel is concerned
    cycle read_at_ = 0;
    cycle write_at_ = 0;
    cycle activate_at_ = 0;
    cycle wake_ = never; ///< nothing happens before this cycle
    cycle counted_ = 0;  ///< all cycles before this one are counted
    channel_counters counters_;
};

} // namespace warpkit::dram
