#pragma once
/// \file
/// The timing table of a DRAM channel: all that the controller and the protocol checker know of a memory device.

#include <warpkit/base/error.hpp>
#include <warpkit/base/parameters.hpp>

#include <cstdint>

namespace warpkit::dram {

/// Shape and timing of one channel. Times are cycles of the DRAM command clock, named as the data sheets name them
/// without the t. The derived rules are those of GPGPU-Sim's dram_t (docs/model/dram.md#timing); each rule beyond them
/// (tFAW, the window of 32 activates, refresh, ...) is off at 0.
///
/// A pseudo-channel has its own data bus and shares the command bus. A rank of it has its own banks, bank groups,
/// activate windows and refresh, and shares the data bus: bank b lies in rank b div (banks / (pseudo_channels *
/// ranks)), counted through all pseudo-channels, and bank groups never span two of them. The stacks of a rank (HBM's
/// stack identifiers) have its bank groups in equal parts, one stack behind the other; only ccdr tells them apart.
struct timing {
    std::uint32_t banks = 16;          ///< 1 to 256, in all pseudo-channels together
    std::uint32_t bank_groups = 1;     ///< of one rank; divides its banks
    bool groups_by_low_bits = true;    ///< the group of bank b is b mod groups, else b div (banks / groups)
    std::uint32_t pseudo_channels = 1; ///< 1 to 4
    std::uint32_t ranks = 1;           ///< 1 to 8, of one pseudo-channel
    std::uint32_t stacks = 1;          ///< 1 to 8, of one rank; divides its bank groups

    std::uint32_t bus_bytes = 8;    ///< bytes per beat: bus width times chips
    std::uint32_t burst_length = 8; ///< beats per column command
    std::uint32_t data_rate = 4;    ///< beats per command cycle

    std::uint32_t ccd = 2;    ///< column command to column command
    std::uint32_t ccdl = 0;   ///< the same within one bank group
    std::uint32_t rrd = 6;    ///< activate to activate, any two banks
    std::uint32_t rcd = 12;   ///< activate to read
    std::uint32_t rcdwr = 12; ///< activate to write
    std::uint32_t ras = 28;   ///< activate to precharge
    std::uint32_t rp = 12;    ///< precharge to activate
    std::uint32_t rc = 40;    ///< activate to activate, same bank
    std::uint32_t cl = 12;    ///< read command to data
    std::uint32_t wl = 4;     ///< write command to data
    std::uint32_t cdlr = 5;   ///< end of write data to read command, any bank
    std::uint32_t wr = 12;    ///< end of write data to precharge
    std::uint32_t rtp = 2;    ///< read to precharge, same bank
    std::uint32_t rtpl = 0;   ///< read to precharge, any bank of the same bank group

    std::uint32_t rrdl = 0;  ///< activate to activate within one bank group; 0: as rrd
    std::uint32_t faw = 0;   ///< window of at most 4 activates; 0: none
    std::uint32_t aw32 = 0;  ///< window of at most 32 activates; 0: none
    std::uint32_t rtw = 0;   ///< read to write command; 0: cl + burst + 2 - wl
    std::uint32_t cdlrl = 0; ///< as cdlr, same bank group; 0: as cdlr
    std::uint32_t ppd = 0;   ///< precharge to precharge, any two banks; 0: one cycle
    std::uint32_t rtpa = 0;  ///< read with auto-precharge to its internal precharge; 0: as rtp
    std::uint32_t act_cycles =
        1; ///< an activate holds the row bus so long; its times count from its last cycle
    std::uint32_t column_cycles = 1; ///< the same of a read or write and its bus
    std::uint32_t ccdlwr = 0;        ///< write command to write command within one bank group; 0: as ccdl
    std::uint32_t ccdr = 0;          ///< read command to read command of another stack; 0: as ccd
    std::uint32_t rtrs = 0;          ///< between the bursts of two ranks, unless both write

    std::uint32_t refi = 0;   ///< all-bank refresh to the next; 0: no all-bank refresh
    std::uint32_t rfc = 0;    ///< all-bank refresh to activate
    std::uint32_t refipb = 0; ///< per-bank refresh to the next, of another bank; 0: no per-bank refresh
    std::uint32_t rfcpb = 0;  ///< per-bank refresh to activate, same bank
    std::uint32_t rrefd = 0;  ///< per-bank refresh to activate, other bank of the rank
    std::uint32_t same_bank =
        0;                 ///< 1: a per-bank refresh takes that bank of every bank group of the rank (REFsb)
    std::uint32_t rfm = 0; ///< refresh management command to activate; 0: there is none

    /// Cycles for which a column command occupies the data bus.
    constexpr std::uint32_t burst_cycles() const noexcept { return burst_length / data_rate; }
    /// Bytes that one column command moves.
    constexpr std::uint32_t atom_bytes() const noexcept { return burst_length * bus_bytes; }
    /// Column commands that `bytes` bytes take; a part of an atom costs a whole one.
    constexpr std::uint32_t atoms_for(std::uint32_t bytes) const noexcept {
        return (bytes + atom_bytes() - 1) / atom_bytes();
    }
    /// Read command to write command, any banks.
    constexpr std::uint32_t read_to_write() const noexcept {
        return rtw != 0 ? rtw : cl + burst_cycles() + 2 - wl;
    }
    /// Write command to read command, any banks.
    constexpr std::uint32_t write_to_read() const noexcept { return wl + burst_cycles() + cdlr; }
    /// Write command to write command, same bank group.
    constexpr std::uint32_t write_to_write_in_group() const noexcept { return ccdlwr != 0 ? ccdlwr : ccdl; }
    /// Column command to column command of another rank: the bursts lie `rtrs` apart, but for two writes, which have
    /// one driver of the bus.
    constexpr std::uint32_t to_another_rank(bool writes, bool then_writes) const noexcept {
        auto const end = (writes ? wl : cl) + burst_cycles() + (writes && then_writes ? 0 : rtrs);
        auto const begin = then_writes ? wl : cl;
        return end > begin + column_cycles ? end - begin : column_cycles;
    }
    /// Write command to read command, same bank group.
    constexpr std::uint32_t write_to_read_in_group() const noexcept {
        return wl + burst_cycles() + (cdlrl > cdlr ? cdlrl : cdlr);
    }
    /// Read command with auto-precharge to activate, same bank.
    constexpr std::uint32_t read_auto_to_activate() const noexcept { return (rtpa != 0 ? rtpa : rtp) + rp; }
    /// Write command with auto-precharge to activate, same bank.
    constexpr std::uint32_t write_auto_to_activate() const noexcept { return write_to_precharge() + rp; }
    /// Write command to precharge, same bank.
    constexpr std::uint32_t write_to_precharge() const noexcept { return wl + burst_cycles() + wr; }
    /// The ranks of all pseudo-channels.
    constexpr std::uint32_t all_ranks() const noexcept { return pseudo_channels * ranks; }
    constexpr std::uint32_t banks_per_rank() const noexcept { return banks / all_ranks(); }
    /// The rank of a bank; those of the second pseudo-channel follow those of the first.
    constexpr std::uint32_t rank_of(std::uint32_t bank) const noexcept { return bank / banks_per_rank(); }
    /// The pseudo-channel of a bank.
    constexpr std::uint32_t pseudo_channel_of(std::uint32_t bank) const noexcept {
        return rank_of(bank) / ranks;
    }
    /// The bank group of a bank; those of the second rank follow those of the first.
    constexpr std::uint32_t group_of(std::uint32_t bank) const noexcept {
        auto const own = banks_per_rank();
        auto const b = bank % own;
        return bank / own * bank_groups + (groups_by_low_bits ? b % bank_groups : b / (own / bank_groups));
    }
    /// Its place in its bank group.
    constexpr std::uint32_t place_in_group(std::uint32_t bank) const noexcept {
        auto const b = bank % banks_per_rank();
        return groups_by_low_bits ? b / bank_groups : b % (banks_per_rank() / bank_groups);
    }
    /// The stack of a bank group; those of the second rank follow those of the first.
    constexpr std::uint32_t stack_of_group(std::uint32_t group) const noexcept {
        return group / (bank_groups / stacks);
    }
    /// Whether the device is refreshed at all.
    constexpr bool refreshed() const noexcept { return refi != 0 || refipb != 0; }

    static constexpr std::uint32_t all_ranks_limit = 16;
    /// Throws `warpkit::error`, naming the field and the nearest legal value, unless the numbers agree with each other.
    [[gnu::cold]] void check() const {
        range("banks", banks, 1, 256);
        range("pseudo_channels", pseudo_channels, 1, banks < 4 ? banks : 4);
        divides("pseudo_channels", pseudo_channels, "banks", banks);
        auto const of_channel = banks / pseudo_channels;
        auto const most_ranks = all_ranks_limit / pseudo_channels < 8 ? all_ranks_limit / pseudo_channels : 8;
        range("ranks", ranks, 1, of_channel < most_ranks ? of_channel : most_ranks);
        divides("ranks", ranks, "the banks of a pseudo-channel", of_channel);
        range("bank_groups", bank_groups, 1, banks_per_rank());
        divides("bank_groups", bank_groups, "the banks of a rank", banks_per_rank());
        range("stacks", stacks, 1, bank_groups < 8 ? bank_groups : 8);
        divides("stacks", stacks, "bank_groups", bank_groups);
        range("bus_bytes", bus_bytes, 1, 4096);
        range("data_rate", data_rate, 1, 64);
        range("burst_length", burst_length, 0, 4096);
        struct limit {
            char const* field;
            std::uint32_t cycles;
        };
        constexpr std::uint32_t most = 32767; // far beyond any device, and no sum of them overflows
        limit const limits[] = {{"ccd", ccd},     {"ccdl", ccdl},    {"rrd", rrd},   {"rrdl", rrdl},
                                {"rcd", rcd},     {"rcdwr", rcdwr},  {"ras", ras},   {"rp", rp},
                                {"cl", cl},       {"wl", wl},        {"cdlr", cdlr}, {"cdlrl", cdlrl},
                                {"wr", wr},       {"rtp", rtp},      {"rtpl", rtpl}, {"rtpa", rtpa},
                                {"faw", faw},     {"rtw", rtw},      {"ppd", ppd},   {"rfc", rfc},
                                {"rfcpb", rfcpb}, {"rrefd", rrefd},  {"rtrs", rtrs}, {"rfm", rfm},
                                {"ccdr", ccdr},   {"ccdlwr", ccdlwr}};
        for (auto const& l : limits) range(l.field, l.cycles, 0, most);
        range("rc", rc, 0, 2 * most);
        range("aw32", aw32, 0, 32 * most);
        range("same_bank", same_bank, 0, 1);
        range("refi", refi, 0, 1U << 30);
        range("refipb", refipb, 0, 1U << 30);
        if (burst_length == 0 || burst_length % data_rate != 0)
            refuse("burst_length", burst_length,
                   joined({"is no whole number of command cycles at data_rate ", data_rate}),
                   (burst_length / data_rate + 1) * data_rate);
        at_least("ccd", ccd, burst_cycles(), "the burst of burst_length / data_rate cycles");
        at_least("rcd", rcd, 1, "one cycle");
        at_least("rp", rp, 1, "one cycle");
        at_least("cl", cl, 1, "one cycle");
        at_least("wl", wl, 1, "one cycle");
        at_least("rrd", rrd, 1, "one cycle");
        at_least("ras", ras, rcd, "rcd");
        at_least("rc", rc, ras + rp, "ras + rp");
        if (bank_groups > 1) at_least("ccdl", ccdl, ccd, "ccd, because bank_groups is above 1");
        range("column_cycles", column_cycles, 1, ccd);
        at_least("rcd", rcd, column_cycles, "column_cycles");
        at_least("rcdwr", rcdwr, column_cycles - 1, "column_cycles - 1");
        if (ccdlwr != 0) {
            at_least("ccdlwr", ccdlwr, ccd, "ccd");
            range("ccdlwr", ccdlwr, 0, write_to_read_in_group() + ccdl);
        }
        if (ccdr != 0) {
            at_least("ccdr", ccdr, ccd, "ccd");
            range("ccdr", ccdr, 0, larger(ccd, write_to_read()));
        }
        if (rtw == 0 && wl > cl + burst_cycles() + 1)
            refuse("wl", wl,
                   "would let a write overtake the read before it: it must not exceed cl + burst + 1",
                   cl + burst_cycles() + 1);
        if (rtw != 0 && rtw + wl < cl + burst_cycles())
            refuse(
                "rtw", rtw,
                "puts write data on the bus before the read data have left it: it must reach cl + burst - wl",
                cl + burst_cycles() - wl);
        if (rrdl != 0) at_least("rrdl", rrdl, rrd, "rrd");
        if (cdlrl != 0) at_least("cdlrl", cdlrl, cdlr, "cdlr");
        if (faw != 0) at_least("faw", faw, rrd, "rrd");
        if (aw32 != 0) at_least("aw32", aw32, faw, "faw");
        range("act_cycles", act_cycles, 1, rrd);
        if (refi != 0 && refipb != 0)
            refuse("refipb", refipb, "and refi both ask for refresh: all-bank or per-bank, not both", 0);
        if (refi != 0) {
            at_least("rfc", rfc, 1, "one cycle, because refi asks for refresh");
            at_least("refi", refi, all_ranks() * (rfc + ras + rp + cl + write_to_precharge()),
                     "what refreshing all banks takes (rfc + ras + rp + cl + wl + burst + wr, each rank)");
        }
        if (refipb != 0) {
            at_least("rfcpb", rfcpb, 1, "one cycle, because refipb asks for refresh");
            at_least("refipb", refipb, ras + rp + cl + write_to_precharge(),
                     "what closing a bank takes (ras + rp + cl + wl + burst + wr)");
        }
    }

    /// By their names, to be set as those of a policy are (base/policy_text.hpp).
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        auto const number = [&f](char const* name, char const* meaning, auto& at) {
            f(parameter{name, meaning}, at);
        };
        number("banks", "1 to 64, in all pseudo-channels; to 256 where the scheduler can tell them apart",
               self.banks);
        number("bank_groups", "of one rank", self.bank_groups);
        number("pseudo_channels", "1 to 4", self.pseudo_channels);
        number("ranks", "1 to 8, of one pseudo-channel", self.ranks);
        number("stacks", "1 to 8 stack identifiers, of one rank", self.stacks);
        number("bus_bytes", "bytes per beat", self.bus_bytes);
        number("burst_length", "beats per column command", self.burst_length);
        number("data_rate", "beats per command cycle", self.data_rate);
        number("ccd", "column command to column command", self.ccd);
        number("ccdl", "the same within one bank group", self.ccdl);
        number("rrd", "activate to activate", self.rrd);
        number("rrdl", "the same within one bank group; 0: as rrd", self.rrdl);
        number("rcd", "activate to read", self.rcd);
        number("rcdwr", "activate to write", self.rcdwr);
        number("ras", "activate to precharge", self.ras);
        number("rp", "precharge to activate", self.rp);
        number("rc", "activate to activate, same bank", self.rc);
        number("cl", "read command to data", self.cl);
        number("wl", "write command to data", self.wl);
        number("cdlr", "end of write data to read command", self.cdlr);
        number("cdlrl", "the same within one bank group; 0: as cdlr", self.cdlrl);
        number("wr", "end of write data to precharge", self.wr);
        number("rtp", "read to precharge, same bank", self.rtp);
        number("rtpl", "read to precharge, same bank group", self.rtpl);
        number("rtpa", "read with auto-precharge to its precharge; 0: as rtp", self.rtpa);
        number("faw", "window of at most 4 activates; 0: none", self.faw);
        number("aw32", "window of at most 32 activates; 0: none", self.aw32);
        number("rtw", "read to write command; 0: cl + burst + 2 - wl", self.rtw);
        number("ppd", "precharge to precharge; 0: one cycle", self.ppd);
        number("act_cycles", "command cycles of an activate", self.act_cycles);
        number("column_cycles", "command cycles of a read or write", self.column_cycles);
        number("ccdlwr", "write to write within one bank group; 0: as ccdl", self.ccdlwr);
        number("ccdr", "read to read of another stack; 0: as ccd", self.ccdr);
        number("rtrs", "between the bursts of two ranks, unless both write", self.rtrs);
        number("refi", "all-bank refresh to the next; 0: none", self.refi);
        number("rfc", "all-bank refresh to activate", self.rfc);
        number("refipb", "per-bank refresh to the next; 0: none", self.refipb);
        number("rfcpb", "per-bank refresh to activate, same bank", self.rfcpb);
        number("rrefd", "per-bank refresh to activate, another bank", self.rrefd);
        number("same_bank", "1: a per-bank refresh takes that bank of every bank group", self.same_bank);
        number("rfm", "refresh management command to activate; 0: there is none", self.rfm);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(banks, bank_groups, groups_by_low_bits, pseudo_channels, bus_bytes, burst_length, data_rate, ccd,
          ccdl, rrd, rcd, rcdwr, ras, rp, rc, cl, wl, cdlr, wr, rtp, rtpl, rrdl, faw, aw32, rtw, cdlrl, ppd,
          rtpa, act_cycles, refi, rfc, refipb, rfcpb, rrefd, ranks, stacks, column_cycles, ccdlwr, ccdr, rtrs,
          same_bank, rfm);
    }
    friend bool operator==(timing const&, timing const&) = default;

private:
    [[noreturn, gnu::cold]] static void refuse(char const* field, std::uint32_t value, std::string const& why,
                                               std::uint32_t legal) {
        raise_error(
            error({"dram timing: ", field, " = ", value, " ", why, "; nearest legal value: ", legal}));
    }
    [[gnu::cold]] static void range(char const* field, std::uint32_t value, std::uint32_t low,
                                    std::uint32_t high) {
        if (value < low) refuse(field, value, joined({"is below ", low}), low);
        if (value > high) refuse(field, value, joined({"is above ", high}), high);
    }
    static constexpr std::uint32_t larger(std::uint32_t a, std::uint32_t b) noexcept { return a > b ? a : b; }
    static void divides(char const* field, std::uint32_t value, char const* whole, std::uint32_t of) {
        if (of % value == 0) return;
        auto legal = value;
        while (of % legal != 0) --legal;
        refuse(field, value, joined({"does not divide ", whole, " (", of, ")"}), legal);
    }
    [[gnu::cold]] static void at_least(char const* field, std::uint32_t value, std::uint32_t low,
                                       char const* what) {
        if (value < low) refuse(field, value, joined({"is less than ", what}), low);
    }
};

/// One number of a named timing set, with where it comes from.
struct timing_number {
    char const* name;
    std::uint32_t timing::*member;
    std::uint32_t value;
    char const* source;
};

} // namespace warpkit::dram
