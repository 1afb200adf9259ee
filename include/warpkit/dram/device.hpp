#pragma once
/// \file
/// The banks of one channel under their timing table: which row is open, and when each command may come next.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/flattened.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/timing.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace warpkit::dram {

/// The state of the DRAM itself. It decides nothing: a controller asks when a command is legal and says which it sends.
///
/// Every rule of the timing table is kept as the earliest cycle of a command, on the level where it acts: bank, bank
/// group, pseudo-channel, row bus. The earliest cycle for a bank is the latest of its levels. An activate that holds
/// the row bus for several cycles counts from its last one on, for the rules before it and behind it alike.
class device {
public:
    device() = default;
    /// Throws `warpkit::error` if the timing contradicts itself. All banks are closed.
    [[gnu::cold]] explicit device(timing const& numbers)
        : timing_((numbers.check(), numbers)),
          derived_{numbers.burst_cycles(), larger(numbers.ccd, numbers.read_to_write()),
                   larger(numbers.ccd, numbers.write_to_read()),
                   larger(numbers.ccdl, numbers.write_to_read_in_group()), numbers.write_to_precharge()},
          late_(numbers.act_cycles - 1),
          grouped_(numbers.ccdl > numbers.ccd || numbers.rtpl != 0 || numbers.rrdl > numbers.rrd ||
                   numbers.write_to_read_in_group() > numbers.write_to_read()),
          bank_(numbers.banks),
          group_(std::size_t{numbers.bank_groups} * numbers.pseudo_channels),
          parts_(numbers.pseudo_channels),
          window_(numbers.pseudo_channels) {
        for (std::uint32_t b = 0; b < numbers.banks; ++b) {
            bank_[b].group = static_cast<std::uint8_t>(numbers.group_of(b));
            bank_[b].part = static_cast<std::uint8_t>(numbers.pseudo_channel_of(b));
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
    /// The banks of a pseudo-channel.
    bank_set banks_of(unsigned pseudo_channel) const noexcept { return banks_of_[pseudo_channel]; }

    /// The earliest cycle for a command to this bank, as far as timing is concerned. Whether the row is open is the
    /// caller's care; so are the buses, but for an activate that holds the row bus (`row_bus_at`).
    cycle read_at(unsigned bank) const noexcept { return at<&limits::read_at>(bank); }
    cycle write_at(unsigned bank) const noexcept { return at<&limits::write_at>(bank); }
    cycle activate_at(unsigned bank) const noexcept { return at<&limits::activate_at>(bank); }
    cycle precharge_at(unsigned bank) const noexcept { return at<&limits::precharge_at>(bank); }
    cycle column_at(unsigned bank, bool write) const noexcept {
        return write ? write_at(bank) : read_at(bank);
    }
    /// When the row bus is free of the last activate.
    cycle row_bus_at() const noexcept { return row_bus_at_; }

    /// Of `from`, the banks whose pseudo-channel allows the command at `now`: a quick first sieve.
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

    /// No bank may get the command before: what the pseudo-channels allow.
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
            auto const at = later(ready(static_cast<unsigned>(std::countr_zero(banks))), floor);
            if (at < least) least = at;
            banks &= banks - 1;
        } while (banks != 0 && least > floor);
        return least;
    }

    /// All of `banks` may be closed by one command, as far as timing is concerned.
    cycle precharge_all_at(bank_set banks) const noexcept {
        cycle at = 0;
        for (auto rest = banks & open_; rest != 0; rest &= rest - 1)
            at = later(at, precharge_at(static_cast<unsigned>(std::countr_zero(rest))));
        return at;
    }
    /// All of `banks`, which are closed, may be refreshed: as if activated, but for the windows between banks.
    cycle refresh_at(bank_set banks) const noexcept {
        cycle at = 0;
        for (auto rest = banks; rest != 0; rest &= rest - 1)
            at = later(at, bank_[static_cast<unsigned>(std::countr_zero(rest))].activate_at + late_);
        return at;
    }
    /// This bank, which is closed, may be refreshed.
    cycle refresh_bank_at(unsigned bank) const noexcept { return activate_at(bank) + late_; }

    // ---- what a command changes; precondition: it is legal at `now`. So all that earlier column commands of its kind
    // ask for is over, and what those of the other kind ask of the next one is less than what this one does: nothing is
    // compared.
    WARPKIT_FLATTENED void activate(unsigned bank, std::uint32_t row, cycle now) noexcept {
        auto& b = bank_[bank];
        auto& p = part_[b.part];
        auto const last = now + late_;
        b.row = row;
        open_ |= bank_set{1} << bank;
        b.read_at = last + timing_.rcd;
        b.write_at = last + timing_.rcdwr;
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
    void precharge_all(unsigned pseudo_channel, cycle now) noexcept {
        auto& p = part_[pseudo_channel];
        p.precharge_at = now + timing_.ppd;
        for (auto rest = banks_of_[pseudo_channel] & open_; rest != 0; rest &= rest - 1)
            close(static_cast<unsigned>(std::countr_zero(rest)), now + timing_.rp);
    }
    WARPKIT_FLATTENED void read(unsigned bank, cycle now, bool auto_precharge = false) noexcept {
        auto& b = bank_[bank];
        auto& p = part_[b.part];
        p.read_at = now + timing_.ccd;
        p.write_at = now + derived_.read_to_write;
        b.precharge_at = later(b.precharge_at, now + timing_.rtp);
        auto& g = group_[b.group];
        g.read_at = g.write_at = now + timing_.ccdl;
        g.precharge_at = now + timing_.rtpl;
        if (auto_precharge) close(bank, now + timing_.read_auto_to_activate());
    }
    WARPKIT_FLATTENED void write(unsigned bank, cycle now, bool auto_precharge = false) noexcept {
        auto& b = bank_[bank];
        auto& p = part_[b.part];
        p.write_at = now + timing_.ccd;
        p.read_at = now + derived_.write_to_read;
        b.precharge_at = later(b.precharge_at, now + derived_.write_to_precharge);
        auto& g = group_[b.group];
        g.write_at = now + timing_.ccdl;
        g.read_at = now + derived_.write_to_read_in_group;
        if (auto_precharge) close(bank, now + timing_.write_auto_to_activate());
    }
    void refresh(unsigned pseudo_channel, cycle now) noexcept {
        for (auto rest = banks_of_[pseudo_channel]; rest != 0; rest &= rest - 1)
            hold(static_cast<unsigned>(std::countr_zero(rest)), now + timing_.rfc);
    }
    void refresh_bank(unsigned bank, cycle now) noexcept {
        hold(bank, now + timing_.rfcpb);
        auto& p = part_[bank_[bank].part];
        p.activate_at = later(p.activate_at, before_last(now + timing_.rrefd));
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(timing_, bank_, group_, part_, window_, open_, row_bus_at_);
    }
    friend bool operator==(device const&, device const&) = default;

private:
    static constexpr std::uint32_t most_parts = 4; // timing::check
    /// Sums of the table, which are needed with each column command; turns are no shorter than two commands of a kind.
    struct derived_times {
        std::uint32_t burst = 0;
        std::uint32_t read_to_write = 0;
        std::uint32_t write_to_read = 0;
        std::uint32_t write_to_read_in_group = 0;
        std::uint32_t write_to_precharge = 0;
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
        std::uint8_t part = 0; ///< pseudo-channel
        template <class F>
        constexpr void each_member(F&& f) const {
            f(read_at, write_at, activate_at, precharge_at, row);
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
    static constexpr std::uint32_t larger(std::uint32_t a, std::uint32_t b) noexcept { return a > b ? a : b; }
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
    heap_array<bank_state> bank_;
    heap_array<limits> group_;
    std::uint32_t parts_ = 1;
    std::array<limits, most_parts> part_{}; ///< pseudo-channels; the first `parts_` of them
    std::array<bank_set, most_parts> banks_of_{};
    heap_array<windows> window_;
    bank_set open_ = 0;
    cycle row_bus_at_ = 0;
};

} // namespace warpkit::dram
