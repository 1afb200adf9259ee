#pragma once
/// \file
/// The independent protocol checker of a DRAM channel.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/dram/request.hpp>
#include <warpkit/dram/timing.hpp>

#include <cstdint>
#include <vector>

namespace warpkit::dram {

/// Hears the commands of one channel and knows the timing table, nothing else: neither the controller nor its model of
/// the device. It keeps the recent commands and compares each new one with every earlier one that a rule speaks of.
/// Slow and plain; a listener of `channel::tick`.
class protocol_checker {
public:
    protocol_checker() = default;
    /// `per_cycle`: 1 for a single bus, 2 where one row and one column command may share a cycle.
    protocol_checker(timing const& t, unsigned per_cycle)
        : t_(t),
          per_cycle_(per_cycle),
          open_(t.banks, no_row),
          refreshed_(t.banks, 0),
          past_(std::size_t{horizon()} * 2 + 2) {}

    [[gnu::noinline]] void on(command const& c) {
        ++seen_;
        if (c.bank >= t_.banks) return report(c, "no such bank");
        if (!past_.empty() && past_.back().at > c.at) return report(c, "time runs backwards");
        while (!past_.empty() && past_.front().at + horizon() < c.at) past_.pop();
        check_buses(c);
        switch (c.kind) {
        case command_kind::activate:
            if (open_[c.bank] != no_row) report(c, "activate of an open bank");
            check_activate(c);
            open_[c.bank] = c.row;
            break;
        case command_kind::precharge:
            if (open_[c.bank] == no_row || open_[c.bank] != c.row)
                report(c, "precharge of a row that is not open");
            check_precharge(c, c.bank);
            open_[c.bank] = no_row;
            break;
        case command_kind::precharge_all:
            for (unsigned b = 0; b < t_.banks; ++b) {
                if (!concerns(c, b) || open_[b] == no_row) continue;
                check_precharge(c, b);
                open_[b] = no_row;
            }
            break;
        case command_kind::read:
        case command_kind::write:
            if (open_[c.bank] == no_row || open_[c.bank] != c.row)
                report(c, "column command to a row that is not open");
            check_column(c);
            if (c.auto_precharge) open_[c.bank] = no_row;
            break;
        case command_kind::refresh:
            if (t_.refi == 0) report(c, "refresh without tREFI");
            check_refresh(c, t_.refi);
            break;
        case command_kind::refresh_bank:
        case command_kind::refresh_same_bank: {
            bool const same = c.kind == command_kind::refresh_same_bank;
            if (t_.refipb == 0 || (t_.same_bank != 0) != same) report(c, "bank refresh without tREFIpb");
            check_refresh(c, t_.refipb * (same ? t_.banks / t_.bank_groups : t_.banks));
            check_windows(c);
            break;
        }
        case command_kind::refresh_management:
            if (t_.rfm == 0) report(c, "refresh management without tRFM");
            check_refresh(c, 0);
            break;
        case command_kind::refresh_victims:
            check_refresh(c, 0);
            check_windows(c);
            break;
        }
        if (past_.full()) past_.pop();
        past_.push(c);
    }

    /// The interval of refreshes has changed, as channel::refresh_every.
    void refresh_every(std::uint32_t cycles) { (t_.refi != 0 ? t_.refi : t_.refipb) = cycles; }
    /// What was broken, in words: the first hundred.
    std::vector<std::string> const& violations() const noexcept { return violations_; }
    /// The first, or nothing when all is well.
    std::string first() const { return violations_.empty() ? "" : violations_.front(); }
    /// Commands heard, and rules found broken.
    std::uint64_t seen() const noexcept { return seen_; }
    std::uint64_t broken() const noexcept { return broken_; }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(t_, per_cycle_, open_, refreshed_, past_, violations_, seen_, broken_);
    }
    friend bool operator==(protocol_checker const&, protocol_checker const&) = default;

private:
    static bool is_activate(command const& c) { return c.kind == command_kind::activate; }
    unsigned burst() const { return t_.burst_length / t_.data_rate; }
    unsigned banks_of_rank() const { return t_.banks / (t_.pseudo_channels * t_.ranks); }
    unsigned rank(unsigned bank) const { return bank / banks_of_rank(); }
    unsigned data_bus(unsigned bank) const { return rank(bank) / t_.ranks; }
    unsigned group(unsigned bank) const {
        auto const b = bank % banks_of_rank();
        return rank(bank) * t_.bank_groups +
               (t_.groups_by_low_bits ? b % t_.bank_groups : b / (banks_of_rank() / t_.bank_groups));
    }
    unsigned stack(unsigned bank) const { return group(bank) * t_.stacks / t_.bank_groups; }
    /// Its place in its bank group.
    unsigned place(unsigned bank) const {
        auto const b = bank % banks_of_rank();
        return t_.groups_by_low_bits ? b / t_.bank_groups : b % (banks_of_rank() / t_.bank_groups);
    }
    /// Whether `c`, which is to a whole rank or to some banks of one, is to this bank.
    bool concerns(command const& c, unsigned bank) const {
        switch (c.kind) {
        case command_kind::precharge_all:
        case command_kind::refresh:
        case command_kind::refresh_management:
            return rank(c.bank) == rank(bank);
        case command_kind::refresh_same_bank:
            return rank(c.bank) == rank(bank) && place(c.bank) == place(bank);
        default:
            return c.bank == bank;
        }
    }
    /// How far back a rule can reach.
    std::uint32_t horizon() const {
        std::uint32_t const reach[] = {t_.rc + t_.act_cycles,
                                       t_.wl + burst() + t_.wr + t_.rp + t_.act_cycles,
                                       t_.cl + burst() + 2 + t_.rtw,
                                       t_.wl + burst() + t_.cdlr + t_.cdlrl,
                                       t_.faw,
                                       t_.aw32,
                                       t_.rfc,
                                       t_.rfcpb,
                                       t_.rtpa + t_.rp,
                                       t_.rtp + t_.rp,
                                       t_.rtpl,
                                       t_.ccdl,
                                       t_.rrdl,
                                       t_.rrd + t_.act_cycles,
                                       t_.ppd,
                                       t_.rrefd,
                                       t_.rfm,
                                       t_.ccdlwr,
                                       t_.ccdr,
                                       t_.wl + t_.cl + burst() + t_.rtrs};
        std::uint32_t most = 0;
        for (auto const r : reach) most = r > most ? r : most;
        return most + 1 + t_.column_cycles;
    }
    /// Cycles on the bus.
    unsigned cycles(command const& c) const {
        return is_activate(c) ? t_.act_cycles : is_column_command(c.kind) ? t_.column_cycles : 1;
    }
    /// The cycle from which a command counts: its last on the bus.
    cycle counts_from(command const& c) const { return c.at + cycles(c) - 1; }
    /// `c` comes at least `least` cycles behind `p`.
    void apart(command const& c, command const& p, cycle least, char const* rule) {
        if (counts_from(c) < counts_from(p) + least) report(c, rule);
    }
    /// Whether `p` closed this bank.
    bool closed(command const& p, unsigned bank) const {
        return (p.kind == command_kind::precharge || p.kind == command_kind::precharge_all) &&
               concerns(p, bank);
    }

    void check_buses(command const& c) {
        unsigned same_cycle = 1;
        for (auto const& p : past_) {
            if (p.at == c.at) {
                ++same_cycle;
                if (is_column_command(p.kind) == is_column_command(c.kind))
                    report(c, "two commands of one kind in a cycle");
            } else if (p.at + cycles(p) > c.at &&
                       (per_cycle_ == 1 || is_column_command(p.kind) == is_column_command(c.kind))) {
                report(c, is_activate(p) ? "row bus held by an activate" : "bus held by a column command");
            }
        }
        if (same_cycle > per_cycle_) report(c, "command bus used twice");
    }
    /// Everything that must have happened long enough ago before a closed bank is opened or refreshed.
    void check_closed(command const& c, unsigned bank) {
        for (auto const& p : past_) {
            if (is_activate(p) && p.bank == bank) apart(c, p, t_.rc, "tRC");
            if (closed(p, bank)) apart(c, p, t_.rp, "tRP");
            if (p.auto_precharge && p.bank == bank)
                apart(c, p,
                      (p.kind == command_kind::write ? t_.wl + burst() + t_.wr
                       : t_.rtpa != 0                ? t_.rtpa
                                                     : t_.rtp) +
                          t_.rp,
                      "tRP behind an auto-precharge");
            if (!concerns(p, bank)) continue;
            if (p.kind == command_kind::refresh) apart(c, p, t_.rfc, "tRFC");
            if (refreshes_some(p) && p.kind != command_kind::refresh_victims) apart(c, p, t_.rfcpb, "tRFCpb");
            if (p.kind == command_kind::refresh_management) apart(c, p, t_.rfm, "tRFM");
            if (p.kind == command_kind::refresh_victims) apart(c, p, t_.rc, "tRC of a victim");
        }
    }
    void check_windows(command const& c) {
        unsigned activates = 0;
        for (std::size_t i = past_.size(); i-- > 0;) {
            auto const& p = past_[i];
            if (rank(p.bank) != rank(c.bank)) continue;
            if (refreshes_some(p) && !concerns(p, c.bank)) apart(c, p, t_.rrefd, "tRREFD");
            if (!is_activate(p)) continue;
            ++activates;
            apart(c, p, t_.rrd, "tRRD");
            if (group(p.bank) == group(c.bank) || c.kind == command_kind::refresh_same_bank)
                apart(c, p, t_.rrdl, "tRRDL");
            if (activates == 4) apart(c, p, t_.faw, "tFAW");
            if (activates == 32) apart(c, p, t_.aw32, "the window of 32 activates");
        }
    }
    void check_activate(command const& c) {
        check_closed(c, c.bank);
        check_windows(c);
    }
    void check_precharge(command const& c, unsigned bank) {
        for (auto const& p : past_) {
            if (is_activate(p) && p.bank == bank) apart(c, p, t_.ras, "tRAS");
            if (p.kind == command_kind::read && p.bank == bank) apart(c, p, t_.rtp, "tRTP");
            if (t_.rtpl != 0 && p.kind == command_kind::read && group(p.bank) == group(bank))
                apart(c, p, t_.rtpl, "tRTPL");
            if (p.kind == command_kind::write && p.bank == bank) apart(c, p, t_.wl + burst() + t_.wr, "tWTP");
            if ((p.kind == command_kind::precharge || p.kind == command_kind::precharge_all) &&
                rank(p.bank) == rank(bank))
                apart(c, p, t_.ppd, "tPPD");
        }
    }
    void check_column(command const& c) {
        bool const reads = c.kind == command_kind::read;
        for (auto const& p : past_) {
            if (is_activate(p) && p.bank == c.bank)
                apart(c, p, reads ? t_.rcd : t_.rcdwr, reads ? "tRCD" : "tRCDWR");
            if (!is_column_command(p.kind) || data_bus(p.bank) != data_bus(c.bank)) continue;
            auto const before = p.at + (p.kind == command_kind::read ? t_.cl : t_.wl);
            auto const now = c.at + (reads ? t_.cl : t_.wl);
            bool const collide = now < before + burst() && before < now + burst();
            if (rank(p.bank) != rank(c.bank)) {
                bool const one_driver = p.kind == command_kind::write && !reads;
                if (collide || now < before + burst() + (one_driver ? 0 : t_.rtrs)) report(c, "tRTRS");
                continue;
            }
            bool const group_too = group(p.bank) == group(c.bank);
            apart(c, p, t_.ccd, "tCCD");
            if (group_too) {
                bool const writes = p.kind == command_kind::write && !reads;
                apart(c, p, writes && t_.ccdlwr != 0 ? t_.ccdlwr : t_.ccdl, "tCCDL");
            }
            if (reads && p.kind == command_kind::read && stack(p.bank) != stack(c.bank))
                apart(c, p, t_.ccdr, "tCCDR");
            if (p.kind == command_kind::write && reads) {
                apart(c, p, t_.wl + burst() + t_.cdlr, "tWTR");
                if (group_too && t_.cdlrl != 0) apart(c, p, t_.wl + burst() + t_.cdlrl, "tWTRL");
            }
            if (p.kind == command_kind::read && !reads)
                apart(c, p, t_.rtw != 0 ? t_.rtw : t_.cl + burst() + 2 - t_.wl, "tRTW");
            if (collide) report(c, "data bus used twice");
        }
    }
    /// Of one or some banks of a rank.
    static bool refreshes_some(command const& c) {
        return c.kind == command_kind::refresh_bank || c.kind == command_kind::refresh_same_bank ||
               c.kind == command_kind::refresh_victims;
    }
    /// JEDEC lets eight refreshes be put off, not more. An interval of 0 is that of a command that is not due.
    void check_refresh(command const& c, std::uint32_t interval) {
        for (unsigned b = 0; b < t_.banks; ++b) {
            if (!concerns(c, b)) continue;
            if (open_[b] != no_row) report(c, "refresh of an open bank");
            check_closed(c, b);
            if (interval == 0) continue;
            if (c.at > refreshed_[b] + 9 * cycle{interval})
                report(c, "refresh more than 9 tREFI behind the last");
            refreshed_[b] = c.at;
        }
    }

    void report(command const& c, char const* rule) {
        static char const* const names[] = {"ACT", "PRE",  "RD",    "WR",  "PREA",
                                            "REF", "REFB", "REFSB", "RFM", "VRR"};
        ++broken_;
        if (violations_.size() >= 100) return;
        violations_.push_back(std::string(rule) + ": " + names[static_cast<int>(c.kind)] + " bank " +
                              std::to_string(c.bank) + " row " + std::to_string(c.row) + " at " +
                              std::to_string(c.at));
    }

    timing t_;
    unsigned per_cycle_ = 1;
    std::vector<std::uint32_t> open_;
    std::vector<cycle> refreshed_; ///< by bank: the last refresh
    ring<command> past_;
    std::vector<std::string> violations_;
    std::uint64_t seen_ = 0;
    std::uint64_t broken_ = 0;
};

} // namespace warpkit::dram
