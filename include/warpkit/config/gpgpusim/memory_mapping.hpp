#pragma once
/// \file
/// Import: memory partitions, DRAM, and where addresses lie.

#include <warpkit/base/error.hpp>
#include <warpkit/config/gpgpusim/network_mapping.hpp>
#include <warpkit/config/gpgpusim/values.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace warpkit::gpgpusim::detail {

/// -gpgpu_n_mem to -gpgpu_dram_timing_opt.
class memory_mapping : protected network_mapping {
protected:
    using network_mapping::network_mapping;

    void map_memory() {
        auto const channels = option("-gpgpu_n_mem");
        put_within("memory.channels", whole(channels), 1, 256, channels, "there are 1 to 256 controllers");
        auto const slices = option("-gpgpu_n_sub_partition_per_mchannel");
        put_within("memory.slices", whole(slices), 1, 64, slices, "its bounds");
        auto const rop = option("-gpgpu_l2_rop_latency");
        put_within("memory.rop_latency", whole(rop), 0, 1'000'000, rop, "its bounds");
        auto const dram = option("-dram_latency");
        put_within("memory.dram_latency", whole(dram), 0, 1'000'000, dram, "its bounds");
        auto const queues = option("-gpgpu_dram_partition_queues");
        auto const q = list(queues, ':', 4, 4, "into the L2:to DRAM:from DRAM:out of the L2, as 8:8:8:8");
        constexpr char const* names[] = {"memory.l2_input_queue", "memory.l2_to_dram_queue",
                                         "memory.dram_to_l2_queue", "memory.l2_output_queue"};
        for (std::size_t i = 0; i < 4; ++i)
            put_within(names[i], q[i], 1, 65536, queues, "one request at least");
        auto const unlimited = [&](char const* name, char const* of) {
            auto const f = option(of);
            if (whole(f) == 0) {
                put(name, 1024, "estimated: " + f.from + ", without limit");
                note_changed(f, std::string(name) + " = 1024 in place of no limit");
            } else {
                put_within(name, whole(f), 1, 65535, f, "its bounds");
            }
        };
        unlimited("memory.dram_queue", "-gpgpu_frfcfs_dram_sched_queue_size");
        unlimited("memory.dram_return_queue", "-gpgpu_dram_return_queue_size");
    }
    void map_dram() {
        auto const f = option("-gpgpu_dram_timing_opt");
        auto const t = value_of(f, read_dram_timing);
        auto const chips = option("-gpgpu_n_mem_per_ctrlr");
        auto const bus = option("-gpgpu_dram_buswidth");
        auto const burst = option("-gpgpu_dram_burst_length");
        auto const rate = option("-dram_data_command_freq_ratio");
        put("dram.bus_bytes", whole(chips) * whole(bus), "documented: " + chips.from + "; " + bus.from);
        put("dram.burst_length", whole(burst), burst);
        put("dram.data_rate", whole(rate), rate);
        auto const burst_cycles = whole(rate) == 0 ? 0 : whole(burst) / whole(rate);
        put("dram.banks", t.nbk, f);
        put("dram.rrd", std::max(t.rrd, 1U), f);
        put("dram.rcd", t.rcd, f);
        put("dram.ras", t.ras, f);
        put("dram.rp", t.rp, f);
        put("dram.cl", t.cl, f);
        put("dram.wl", t.wl, f);
        put("dram.cdlr", t.cdlr, f);
        put_within("dram.ccd", t.ccd, burst_cycles, 32767, f, "a burst takes as long as it does");
        put_within("dram.rc", t.rc, std::uint64_t{t.ras} + t.rp, 65534, f,
                   "RAS and RP together are more, so that RC never binds there either");
        put("dram.rcdwr", t.rcd > t.wl ? t.rcd - t.wl - 1 : 0,
            "documented: GPGPU-Sim source: RCD - (WL + 1); " + f.from);
        put("dram.rtp", burst_cycles,
            "documented: GPGPU-Sim source: a precharge waits for the burst of a read; " + burst.from);
        if (t.has_wr) {
            put("dram.wr", t.wr, f);
        } else {
            put("dram.wr", t.rp, "estimated: as RP; " + f.from + " is GPGPU-Sim 3.0's, without WR");
            note_changed(f, "dram.wr = " + std::to_string(t.rp) + ", as RP: GPGPU-Sim 3.0 knows no WR");
        }
        put("dram.bank_groups", std::max(t.nbkgrp, 1U), f);
        put_within("dram.ccdl", t.ccdl, t.nbkgrp > 1 ? std::max<std::uint64_t>(t.ccd, burst_cycles) : 0,
                   32767, f, "it is not below CCD");
        put("dram.rtpl", t.rtpl, f);
        auto const groups = option("-dram_bnkgrp_indexing_policy");
        put("dram.groups_by_low_bits", whole(groups) == 1 ? 1 : 0, groups);
        for (auto const& lacking : warpkit::dram::gpgpusim_lacks)
            put(std::string("dram.") + lacking.name, lacking.value, lacking.source);
        auto const scheduler = option("-gpgpu_dram_scheduler");
        policy("dram_scheduler", whole(scheduler) == 0 ? "fcfs" : "fr_fcfs", "documented: " + scheduler.from);
        auto const dual = option("-dram_dual_bus_interface");
        put_within("memory.dual_command_bus", whole(dual), 0, 1, dual, "0 or 1");
        map_addresses(t.nbk);
    }

private:
    /// 64 letters of the masks of rows, banks and columns.
    static std::string letters(std::uint64_t row, std::uint64_t bank, std::uint64_t column) {
        std::string text;
        for (unsigned bit = 64; bit-- != 0;) {
            auto const in = [bit](std::uint64_t mask) { return (mask >> bit & 1) != 0; };
            text += in(row) ? 'R' : in(bank) ? 'B' : in(column) ? 'C' : '0';
            if (bit % 8 == 0 && bit != 0) text += '.';
        }
        return text;
    }
    /// GPGPU-Sim's built-in masks, where no letters are given (addrdec.cc).
    static std::string built_in(found const& mask) {
        struct masks {
            std::uint64_t number;
            unsigned channel_at;
            std::uint64_t bank, row, column;
        };
        constexpr std::uint64_t rows = 0x7FFE000;
        static constexpr masks all[] = {
            {0, 10, 0x300, rows, 0x1CFF},      {1, 13, 0x1800, rows, 0x7FF},  {2, 11, 0x1800, rows, 0x7FF},
            {3, 11, 0x1800, 0xFFFE000, 0x7FF}, {5, 5, 0x1800, rows, 0x7FF},   {6, 6, 0x1800, rows, 0x7FF},
            {14, 14, 0x1800, rows, 0x7FF},     {15, 15, 0x1800, rows, 0x7FF}, {16, 16, 0x1800, rows, 0x7FF},
            {100, 1, 0x3, rows, 0x1FFC},       {103, 3, 0x3, rows, 0x1FFC},   {106, 6, 0x1800, rows, 0x7FF},
            {160, 6, 0x300, rows, 0x1CFF}};
        auto const n = whole(mask);
        for (auto const& m : all)
            if (m.number == n)
                return "dramid@" + std::to_string(m.channel_at) + ';' + letters(m.row, m.bank, m.column);
        throw error(
            mask.where + ": " + mask.name + ' ' + mask.value +
            ": there is no such mask; there are 0, 1, 2, 3, 5, 6, 14, 15, 16, 100, 103, 106 and 160, or "
            "give -gpgpu_mem_addr_mapping");
    }
    void map_addresses(std::uint32_t banks) {
        auto const given = option("-gpgpu_mem_addr_mapping");
        auto const mask = option("-gpgpu_mem_address_mask");
        auto text = given.any ? given.value : built_in(mask);
        auto const channels =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(whole(option("-gpgpu_n_mem")), 256));
        auto const slices = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(whole(option("-gpgpu_n_sub_partition_per_mchannel")), 64));
        auto source = "documented: " + (given.any ? given : mask).from;
        std::string prefix;
        auto const hash = option("-gpgpu_memory_partition_indexing");
        auto const add = [&](found const& f, std::string const& words, std::string const& lost) {
            try {
                (void)warpkit::dram::address_mapping((prefix + words + text).c_str(), channels, slices);
                prefix += words;
                source += "; " + f.from;
            } catch (error const& e) {
                try {
                    (void)warpkit::dram::address_mapping((prefix + text).c_str(), channels, slices);
                } catch (error const&) {
                    throw error((given.any ? given : mask).where + ": " + (given.any ? given : mask).name +
                                ": " + e.what());
                }
                note_changed(f, lost + std::string(": ") + e.what());
            }
        };
        add(hash, "", "");
        source = "documented: " + (given.any ? given : mask).from;
        switch (whole(hash)) {
        case 0:
            break;
        case 1:
            add(hash, "xor:", "the partition is not hashed");
            break;
        case 2:
            add(hash, "ipoly:", "the partition is not hashed");
            break;
        default:
            note(hash, "the partition is not hashed: modelled are 0 none, 1 XOR and 2 IPOLY");
        }
        auto const bank = option("-dram_bnk_indexing_policy");
        switch (whole(bank)) {
        case 0:
            break;
        case 1:
            add(bank, "bank_xor:", "the bank is not hashed");
            break;
        case 2:
            add(bank, "bank_ipoly:", "the bank is not hashed");
            break;
        default:
            note(bank, "the bank is not hashed: there is 0 none, 1 XOR and 2 IPOLY");
        }
        numbers_["address_mapping"] = {prefix + text, source};
        warpkit::dram::address_mapping const map((prefix + text).c_str(), channels, slices);
        if (map.banks() != banks) {
            auto const timing = option("-gpgpu_dram_timing_opt");
            note_changed(timing, "dram.banks = " + std::to_string(map.banks()) +
                                     ": as many as the address map has bits for");
            put("dram.banks", map.banks(),
                "documented: the bank bits of the address map; " + (given.any ? given : mask).from);
        }
    }
};

} // namespace warpkit::gpgpusim::detail
