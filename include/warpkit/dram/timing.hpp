#pragma once
/// \file
/// The timing table of a DRAM channel: all that the controller and the protocol checker know of a memory device.

#include <warpkit/base/error.hpp>

#include <cstdint>

namespace warpkit::dram {

/// Shape and timing of one channel. Times are cycles of the DRAM command clock, named as the data sheets name them
/// without the t. The derived rules are those of GPGPU-Sim's dram_t (SPEC 6.3). There is no refresh and no tFAW.
struct timing {
    std::uint32_t banks = 16;       ///< 1 to 64
    std::uint32_t bank_groups = 1;  ///< divides banks
    bool groups_by_low_bits = true; ///< the group of bank b is b mod groups, else b div (banks / groups)

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
    std::uint32_t rtpl = 0;   ///< read to precharge, same bank group

    /// Cycles for which a column command occupies the data bus.
    constexpr std::uint32_t burst_cycles() const noexcept { return burst_length / data_rate; }
    /// Bytes that one column command moves.
    constexpr std::uint32_t atom_bytes() const noexcept { return burst_length * bus_bytes; }
    /// Column commands that `bytes` bytes take; a part of an atom costs a whole one.
    constexpr std::uint32_t atoms_for(std::uint32_t bytes) const noexcept {
        return (bytes + atom_bytes() - 1) / atom_bytes();
    }
    /// Read command to write command, any banks.
    constexpr std::uint32_t read_to_write() const noexcept { return cl + burst_cycles() + 2 - wl; }
    /// Write command to read command, any banks.
    constexpr std::uint32_t write_to_read() const noexcept { return wl + burst_cycles() + cdlr; }
    /// Write command to precharge, same bank.
    constexpr std::uint32_t write_to_precharge() const noexcept { return wl + burst_cycles() + wr; }
    /// The bank group of a bank.
    constexpr std::uint32_t group_of(std::uint32_t bank) const noexcept {
        return groups_by_low_bits ? bank % bank_groups : bank / (banks / bank_groups);
    }

    /// Throws `warpkit::error`, naming the field and the nearest legal value, unless the numbers agree with each other.
    void check() const {
        range("banks", banks, 1, 64);
        range("bank_groups", bank_groups, 1, banks);
        if (banks % bank_groups != 0) {
            std::uint32_t legal = bank_groups;
            while (banks % legal != 0) --legal;
            refuse("bank_groups", bank_groups, "does not divide banks (" + std::to_string(banks) + ")",
                   legal);
        }
        range("bus_bytes", bus_bytes, 1, 4096);
        range("data_rate", data_rate, 1, 64);
        if (burst_length == 0 || burst_length % data_rate != 0)
            refuse("burst_length", burst_length,
                   "is no whole number of command cycles at data_rate " + std::to_string(data_rate),
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
        if (wl > cl + burst_cycles() + 1)
            refuse("wl", wl,
                   "would let a write overtake the read before it: it must not exceed cl + burst + 1",
                   cl + burst_cycles() + 1);
    }

    template <class F>
    constexpr void each_member(F&& f) const {
        f(banks, bank_groups, groups_by_low_bits, bus_bytes, burst_length, data_rate, ccd, ccdl, rrd, rcd,
          rcdwr, ras, rp, rc, cl, wl, cdlr, wr, rtp, rtpl);
    }
    friend bool operator==(timing const&, timing const&) = default;

private:
    [[noreturn]] static void refuse(char const* field, std::uint32_t value, std::string const& why,
                                    std::uint32_t legal) {
        throw error(std::string("dram timing: ") + field + " = " + std::to_string(value) + " " + why +
                    "; nearest legal value: " + std::to_string(legal));
    }
    static void range(char const* field, std::uint32_t value, std::uint32_t low, std::uint32_t high) {
        if (value < low) refuse(field, value, "is below " + std::to_string(low), low);
        if (value > high) refuse(field, value, "is above " + std::to_string(high), high);
    }
    static void at_least(char const* field, std::uint32_t value, std::uint32_t low, char const* what) {
        if (value < low) refuse(field, value, std::string("is less than ") + what, low);
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
