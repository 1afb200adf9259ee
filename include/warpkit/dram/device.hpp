#pragma once
/// \file
/// The banks of one channel under their timing table: which row is open, and when each command may come next.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/flattened.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/timing.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace warpkit::dram {

/// The state of the DRAM itself. It decides nothing: a controller asks when a command is legal and says which it sends.
///
/// Every rule of the timing table is kept as the earliest cycle of a command, on the level where it acts: bank, bank
/// group, rank, row bus. The earliest cycle for a bank is the latest of its levels. A command that holds its bus for
/// several cycles counts from its last one on, for the rules before it and behind it alike.
template <class BankSet>
class basic_device {
    using bank_set = BankSet;

public:
    basic_device() = default;
    /// Throws `warpkit::error` if the timing contradicts itself or has more banks than a BankSet. All banks are closed.
    /// `one_bus`: a column command holds the row bus, too.
    [[gnu::cold]] explicit basic_device(timing const& numbers, bool one_bus = true)
        : timing_((numbers.check(), check_banks(numbers), numbers)),
          derived_(numbers),
          late_(numbers.act_cycles - 1),
          grouped_(numbers.ccdl > numbers.ccd || numbers.write_to_write_in_group() > numbers.ccd ||
                   numbers.rtpl != 0 || numbers.rrdl > numbers.rrd || numbers.stacks > 1 ||
                   numbers.write_to_read_in_group() > numbers.write_to_read()),
          spreads_(numbers.ranks > 1 || numbers.ccdr > numbers.ccd || numbers.column_cycles > 1),
          one_bus_(one_bus),
          bank_(numbers.banks),
          group_(std::size_t{numbers.bank_groups} * numbers.all_ranks()),
          parts_(numbers.all_ranks()),
          window_(numbers.all_ranks()) {
        for (std::uint32_t b = 0; b < numbers.banks; ++b) {
            bank_[b].group = static_cast<std::uint8_t>(numbers.group_of(b));
            bank_[b].part = static_cast<std::uint8_t>(numbers.rank_of(b));
            banks_of_[bank_[b].part] |= bank_set{1} << b;
        }
    }

    timing const& numbers() const noexcept { return timing_; }
    /// Cycles for which a column command occupies the data bus.
    std::uint32_t burst_cycles() const noexcept { return derived_.burst; }
    /// The row in a bank's row buffer, or `no_row`.
    std::uint32_t open_row(unsigned bank) const noexcept { return bank_[bank].row; }
    /// The banks with an open row.
    bank_set open() const noexcept { return open_; }
    /// The banks of a rank (timing::rank_of).
    bank_set banks_of(unsigned rank) const noexcept { return banks_of_[rank]; }

    /// The earliest cycle for a command to this bank, as far as timing is concerned. Whether the row is open is the
    /// caller's care; so are the buses, but for an activate that holds the row bus (`row_bus_at`).
    cycle read_at(unsigned bank) const noexcept { return at<&limits::read_at>(bank); }
    cycle write_at(unsigned bank) const noexcept { return at<&limits::write_at>(bank); }
    cycle activate_at(unsigned bank) const noexcept { return at<&limits::activate_at>(bank); }
    cycle precharge_at(unsigned bank) const noexcept { return at<&limits::precharge_at>(bank); }
    cycle column_at(unsigned bank, bool write) const noexcept {
        return write ? write_at(bank) : read_at(bank);
    }
    /// When the row bus is free of the last activate, and of the last column command where there is one bus for both.
    cycle row_bus_at() const noexcept { return row_bus_at_; }

    /// Of `from`, the banks whose rank allows the command at `now`: a quick first sieve.
    bank_set may_read(bank_set from, cycle now) const noexcept { return sieve<&limits::read_at>(from, now); }
    bank_set may_write(bank_set from, cycle now) const noexcept {
        return sieve<&limits::write_at>(from, now);
    }
    bank_set may_activate(bank_set from, cycle now) const noexcept {
        return sieve<&limits::activate_at>(from, now);
    }
    bank_set may_precharge(bank_set from, cycle now) const noexcept {
        return sieve<&limits::precharge_at>(from, now);
    }
    /// The same; `next` falls to when the first of the others may have it, at the earliest.
    bank_set may_read(bank_set from, cycle now, cycle& next) const noexcept {
        return sieve<&limits::read_at>(from, now, next);
    }
    bank_set may_write(bank_set from, cycle now, cycle& next) const noexcept {
        return sieve<&limits::write_at>(from, now, next);
    }
    bank_set may_activate(bank_set from, cycle now, cycle& next) const noexcept {
        return sieve<&limits::activate_at>(from, now, next);
    }
    bank_set may_precharge(bank_set from, cycle now, cycle& next) const noexcept {
        return sieve<&limits::precharge_at>(from, now, next);
    }
    /// The earliest cycle as far as the bank and its bank group are concerned: what is left to ask behind that sieve.
    cycle own_read_at(unsigned bank) const noexcept { return own_at<&limits::read_at>(bank); }
    cycle own_write_at(unsigned bank) const noexcept { return own_at<&limits::write_at>(bank); }
    cycle own_activate_at(unsigned bank) const noexcept { return own_at<&limits::activate_at>(bank); }
    cycle own_precharge_at(unsigned bank) const noexcept { return own_at<&limits::precharge_at>(bank); }

    /// No bank may get the command before: what the ranks allow.
    cycle read_floor() const noexcept { return floor<&limits::read_at>(); }
    cycle write_floor() const noexcept { return floor<&limits::write_at>(); }
    cycle column_floor(bool write) const noexcept { return write ? write_floor() : read_floor(); }
    cycle activate_floor() const noexcept { return later(floor<&limits::activate_at>(), row_bus_at_); }
    cycle precharge_floor() const noexcept { return later(floor<&limits::precharge_at>(), row_bus_at_); }
    /// The earliest of `ready(bank)` for `banks`, if it is before `least`; nobody is ready before `floor`.
    template <class Ready>
    static cycle earliest(bank_set banks, cycle least, cycle floor, Ready ready) noexcept {
        if (banks == 0 || least <= floor) return least;
        do {
            auto const at = later(ready(lowest_bank(banks)), floor);
            if (at < least) least = at;
            banks &= banks - 1;
        } while (banks != 0 && least > floor);
        return least;
    }

    /// All of `banks` may be closed by one command, as far as timing is concerned.
    cycle precharge_all_at(bank_set banks) const noexcept {
        cycle at = 0;
        for (auto rest = banks & open_; rest != 0; rest &= rest - 1)
            at = later(at, precharge_at(lowest_bank(rest)));
        return at;
    }
    /// All of `banks`, which are closed, may be refreshed: as if activated; where they are all of a rank, but for the
    /// windows between banks.
    cycle refresh_at(bank_set banks, bool of_rank) const noexcept {
        cycle at = 0;
        for (auto rest = banks; rest != 0; rest &= rest - 1) {
            auto const b = lowest_bank(rest);
            at = later(at, (of_rank ? bank_[b].activate_at : activate_at(b)) + late_);
        }
        return at;
    }

    // ---- what a command changes; precondition: it is legal at `now`. So all that earlier column commands of its kind
    // ask for is over, and what those of the other kind ask of the next one is less than what this one does: nothing is
    // compared.
    WARPKIT_FLATTENED void activate(unsigned bank, std::uint32_t row, cycle now) noexcept {
        auto& b = bank_[bank];
        auto& p = part_[b.part];
        auto const last = now + late_;
        b.row = row;
        open_ |= bank_set{1} << bank;
        b.read_at = last + derived_.activate_to_read;
        b.write_at = last + derived_.activate_to_write;
        b.precharge_at = last + timing_.ras;
        b.activate_at = now + timing_.rc;
        p.activate_at = later(p.activate_at, now + timing_.rrd);
        if (timing_.rrdl != 0) group_[b.group].activate_at = now + timing_.rrdl;
        if (timing_.faw != 0) enter(p, window_[b.part].four, now + timing_.faw);
        if (timing_.aw32 != 0) enter(p, window_[b.part].many, now + timing_.aw32);
        row_bus_at_ = now + timing_.act_cycles;
    }
    void precharge(unsigned bank, cycle now) noexcept {
        part_[bank_[bank].part].precharge_at = now + timing_.ppd;
        close(bank, now + timing_.rp);
    }
    void precharge_all(unsigned rank, cycle now) noexcept {
        auto& p = part_[rank];
        p.precharge_at = now + timing_.ppd;
        for (auto rest = banks_of_[rank] & open_; rest != 0; rest &= rest - 1)
            close(lowest_bank(rest), now + timing_.rp);
    }
    WARPKIT_FLATTENED void read(unsigned bank, cycle now, bool auto_precharge = false) noexcept {
        auto& b = bank_[bank];
        auto& p = part_[b.part];
        p.read_at = now + timing_.ccd;
        p.write_at = now + derived_.read_to_write;
        b.precharge_at = later(b.precharge_at, now + derived_.read_to_precharge);
        auto& g = group_[b.group];
        g.read_at = g.write_at = now + timing_.ccdl;
        g.precharge_at = now + derived_.read_to_precharge_in_group;
        if (spreads_) [[unlikely]]
            spread(b, now, false);
        if (auto_precharge) close(bank, now + column_late() + timing_.read_auto_to_activate());
    }
    WARPKIT_FLATTENED void write(unsigned bank, cycle now, bool auto_precharge = false) noexcept {
        auto& b = bank_[bank];
        auto& p = part_[b.part];
        p.write_at = now + timing_.ccd;
        p.read_at = now + derived_.write_to_read;
        b.precharge_at = later(b.precharge_at, now + derived_.write_to_precharge);
        auto& g = group_[b.group];
        g.write_at = now + derived_.write_to_write_in_group;
        g.read_at = now + derived_.write_to_read_in_group;
        if (spreads_) [[unlikely]]
            spread(b, now, true);
        if (auto_precharge) close(bank, now + column_late() + timing_.write_auto_to_activate());
    }
    /// `banks`, all of one rank, are refreshed, and may be activated `cycles` later; the others of their rank
    /// `others` later.
    void refresh(bank_set banks, cycle now, std::uint32_t cycles, std::uint32_t others) noexcept {
        auto& p = part_[bank_[lowest_bank(banks)].part];
        for (auto rest = banks; rest != 0; rest &= rest - 1) hold(lowest_bank(rest), now + cycles);
        p.activate_at = later(p.activate_at, before_last(now + others));
    }

    WARPKIT_STORED_MEMBERS(14)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(timing_, bank_, group_, part_, window_, open_, row_bus_at_);
    }
    friend bool operator==(basic_device const&, basic_device const&) = default;

private:
    static constexpr std::uint32_t most_parts = timing::all_ranks_limit;
    static constexpr std::uint32_t larger(std::uint32_t a, std::uint32_t b) noexcept { return a > b ? a : b; }
    /// Sums of the table, which are needed with each column command, from its first cycle to the next one's first;
    /// turns are no shorter than two commands of a kind.
    struct derived_times {
        std::uint32_t burst = 0;
        std::uint32_t read_to_write = 0;
        std::uint32_t write_to_read = 0;
        std::uint32_t write_to_read_in_group = 0;
        std::uint32_t write_to_write_in_group = 0;
        std::uint32_t write_to_precharge = 0;
        std::uint32_t read_to_precharge = 0;
        std::uint32_t read_to_precharge_in_group = 0;
        std::uint32_t activate_to_read = 0;
        std::uint32_t activate_to_write = 0;
        derived_times() = default;
        explicit derived_times(timing const& t)
            : burst(t.burst_cycles()),
              read_to_write(larger(t.ccd, t.read_to_write())),
              write_to_read(larger(t.ccd, t.write_to_read())),
              write_to_read_in_group(larger(t.ccdl, t.write_to_read_in_group())),
              write_to_write_in_group(t.write_to_write_in_group()),
              write_to_precharge(t.write_to_precharge() + t.column_cycles - 1),
              read_to_precharge(t.rtp + t.column_cycles - 1),
              read_to_precharge_in_group(t.rtpl == 0 ? 0 : t.rtpl + t.column_cycles - 1),
              activate_to_read(t.rcd - (t.column_cycles - 1)),
              activate_to_write(t.rcdwr - (t.column_cycles - 1)) {}
        friend bool operator==(derived_times const&, derived_times const&) = default;
    };
    struct limits {
        cycle read_at = 0;
        cycle write_at = 0;
        cycle activate_at = 0; ///< for the first cycle of the command
        cycle precharge_at = 0;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(read_at, write_at, activate_at, precharge_at);
        }
        friend bool operator==(limits const&, limits const&) = default;
    };
    struct bank_state : limits {
        std::uint32_t row = no_row;
        std::uint8_t group = 0;
        std::uint8_t part = 0; ///< rank
        template <class F>
        constexpr void each_member(F&& f) const {
            f(this->read_at, this->write_at, this->activate_at, this->precharge_at, row);
        }
        template <class F>
        void each_stored(F&& f) {
            f(static_cast<limits&>(*this), row, group, part);
        }
        friend bool operator==(bank_state const&, bank_state const&) = default;
    };
    /// When the latest activates leave their window; the oldest is overwritten.
    template <std::size_t N>
    struct activates {
        std::array<cycle, N> leave{};
        std::uint32_t oldest = 0;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(leave, oldest);
        }
        friend bool operator==(activates const&, activates const&) = default;
    };
    struct windows {
        activates<4> four;
        activates<32> many;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(four, many);
        }
        friend bool operator==(windows const&, windows const&) = default;
    };

    static constexpr cycle later(cycle a, cycle b) noexcept { return a > b ? a : b; }
    static void check_banks(timing const& t) {
        if (t.banks > most_banks<bank_set>)
            raise_error(error({"dram timing: banks = ", t.banks,
                               " is more than this channel can tell apart; nearest legal "
                               "value: ",
                               most_banks<bank_set>, "; a scheduler of a wide_bank_set can do more"}));
    }
    /// Cycles by which a column command's last cycle follows its first.
    std::uint32_t column_late() const noexcept { return timing_.column_cycles - 1; }
    /// What a column command asks of other ranks and stacks, and of the bus that it holds.
    [[gnu::noinline, gnu::cold]] void spread(auto const& b, cycle now, bool write) noexcept {
        auto const& t = timing_;
        auto const own = b.part / t.ranks;
        for (std::uint32_t p = 0; p < parts_; ++p) {
            bool const shares_data = p / t.ranks == own && p != b.part;
            auto const reads = shares_data ? t.to_another_rank(write, false) : t.column_cycles;
            auto const writes = shares_data ? t.to_another_rank(write, true) : t.column_cycles;
            part_[p].read_at = later(part_[p].read_at, now + reads);
            part_[p].write_at = later(part_[p].write_at, now + writes);
        }
        if (t.stacks > 1 && !write)
            for (auto g = b.part * t.bank_groups; g < (b.part + 1U) * t.bank_groups; ++g)
                if (t.stack_of_group(g) != t.stack_of_group(b.group))
                    group_[g].read_at = later(group_[g].read_at, now + t.ccdr);
        if (one_bus_) row_bus_at_ = later(row_bus_at_, now + t.column_cycles);
    }
    /// The first cycle of an activate whose last one is `last`.
    cycle before_last(cycle last) const noexcept { return last > late_ ? last - late_ : 0; }

    template <std::size_t N>
    static void enter(limits& p, activates<N>& a, cycle leaves) noexcept {
        a.leave[a.oldest] = leaves;
        a.oldest = a.oldest + 1 == N ? 0 : a.oldest + 1;
        p.activate_at = later(p.activate_at, a.leave[a.oldest]);
    }
    void hold(unsigned bank, cycle until) noexcept {
        auto& b = bank_[bank];
        b.activate_at = later(b.activate_at, before_last(until));
    }
    void close(unsigned bank, cycle activate_from) noexcept {
        bank_[bank].row = no_row;
        open_ &= ~(bank_set{1} << bank);
        hold(bank, activate_from);
    }
    template <cycle limits::*L>
    [[gnu::always_inline]] cycle own_at(unsigned bank) const noexcept {
        auto const& b = bank_[bank];
        return later(b.*L, group_[b.group].*L);
    }
    template <cycle limits::*L>
    cycle at(unsigned bank) const noexcept {
        auto const& b = bank_[bank];
        auto const at = later(b.*L, part_[b.part].*L);
        return grouped_ ? later(at, group_[b.group].*L) : at;
    }
    template <cycle limits::*L>
    [[gnu::always_inline]] cycle floor() const noexcept {
        return parts_ == 1 ? part_[0].*L : floor_of_parts<L>();
    }
    template <cycle limits::*L>
    [[gnu::noinline]] cycle floor_of_parts() const noexcept {
        auto at = part_[0].*L;
        for (std::uint32_t i = 1; i < parts_; ++i)
            if (part_[i].*L < at) at = part_[i].*L;
        return at;
    }
    template <cycle limits::*L>
    [[gnu::always_inline]] bank_set sieve(bank_set from, cycle now) const noexcept {
        if (parts_ == 1) return part_[0].*L <= now ? from : 0;
        bank_set s = 0;
        for (std::uint32_t i = 0; i < parts_; ++i)
            if (part_[i].*L <= now) s |= banks_of_[i];
        return s & from;
    }
    template <cycle limits::*L>
    [[gnu::always_inline]] bank_set sieve(bank_set from, cycle now, cycle& next) const noexcept {
        if (parts_ != 1) {
            auto const s = sieve_parts<L>(from, now, next);
            next = s.next;
            return s.banks;
        }
        auto const at = part_[0].*L;
        if (at <= now) return from;
        if (at < next) next = at;
        return 0;
    }
    /// What is left of a set, and when the first of the others may have its command.
    struct sieved {
        bank_set banks = 0;
        cycle next = never;
    };
    template <cycle limits::*L>
    [[gnu::noinline]] sieved sieve_parts(bank_set from, cycle now, cycle next) const noexcept {
        if (auto const first = floor_of_parts<L>(); first > now) return {0, first < next ? first : next};
        bank_set late = 0;
        for (std::uint32_t i = 0; i < parts_; ++i)
            if (part_[i].*L > now) late |= banks_of_[i] & from;
        return {from & ~late, earliest(late, next, 0, [&](unsigned b) { return at<L>(b); })};
    }

    timing timing_;
    derived_times derived_;
    std::uint32_t late_ = 0; ///< cycles by which an activate's last cycle follows its first
    bool grouped_ = false;   ///< the table has rules for bank groups beyond those for any two banks
    bool spreads_ = false;   ///< column commands ask something of other ranks or stacks, or hold their bus
    bool one_bus_ = true;    ///< for row and for column commands
    heap_array<bank_state> bank_;
    heap_array<limits> group_;
    std::uint32_t parts_ = 1;
    std::array<limits, most_parts> part_{}; ///< ranks; the first `parts_` of them
    std::array<bank_set, most_parts> banks_of_{};
    heap_array<windows> window_;
    bank_set open_ = 0;
    cycle row_bus_at_ = 0;
};

/// Of a channel with at most 64 banks.
using device = basic_device<bank_set>;

} // namespace warpkit::dram
