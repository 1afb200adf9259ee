#pragma once
/// \file
/// Named timing sets. Each number is written once, beside its source.

#include <warpkit/dram/scheduler.hpp>
#include <warpkit/dram/timing.hpp>

#include <cstddef>
#include <cstdint>

namespace warpkit::dram {

namespace detail {
template <std::size_t N>
constexpr timing made_of(timing_number const (&numbers)[N], bool groups_by_low_bits = true) {
    timing t;
    for (auto const& n : numbers) t.*n.member = n.value;
    t.groups_by_low_bits = groups_by_low_bits;
    return t;
}
inline constexpr char const* gtx480_config = "documented: GPGPU-Sim 4.x SM2_GTX480, the same in 3.2.x";
inline constexpr char const* owl_table = "documented: OWL table 1";
inline constexpr char const* fx5800_config = "documented: GPGPU-Sim QuadroFX5800, OWL's simulator's GDDR3";
inline constexpr char const* qv100_config = "documented: GPGPU-Sim 4.x SM7_QV100";
inline constexpr char const* rtx3070_config = "documented: GPGPU-Sim 4.x SM86_RTX3070";
inline constexpr char const* h100_config = "documented: Accel-Sim 2.0 SM90_H100";
inline constexpr char const* r2_gddr6 = "documented: Ramulator 2.1 GDDR6_14000_1250mV_double, GDDR6_8Gb_x16";
inline constexpr char const* r2_hbm2 = "documented: Ramulator 2.1 HBM2_2000Mbps, HBM2_2Gb";
inline constexpr char const* d3_gddr5 = "documented: DRAMsim3 GDDR5_8Gb_x32";
inline constexpr char const* d3_gddr5x = "documented: DRAMsim3 GDDR5X_8Gb_x32";
inline constexpr char const* d3_gddr6 = "documented: DRAMsim3 GDDR6_8Gb_x16";
inline constexpr char const* d3_hbm2 = "documented: DRAMsim3 HBM2_8Gb_x128";
inline constexpr char const* r2_ddr3 = "documented: Ramulator 2.1 DDR3_1600K, DDR3_4Gb_x8";
inline constexpr char const* r2_ddr4 = "documented: Ramulator 2.1 DDR4_3200AA, DDR4_8Gb_x8";
inline constexpr char const* r2_ddr5 = "documented: Ramulator 2.1 DDR5_4800BN, DDR5_16Gb_x8";
inline constexpr char const* jedec_ddr5_sb =
    "documented: JESD79-5, 16 Gb: tRFCsb 130 ns, tREFSBRD 30 ns, at 0.416 ns";
inline constexpr char const* jedec_ddr5_rfm = "derived: JESD79-5's tRFM is tRFC1";
inline constexpr char const* r2_lpddr5 = "documented: Ramulator 2.1 LPDDR5_6400, LPDDR5_16Gb_x16";
inline constexpr char const* r2_act2 =
    "derived: Ramulator 2.1 LPDDR5_6400, counted from ACT-2, one cycle behind ACT-1";
inline constexpr char const* r2_blmax =
    "derived: Ramulator 2.1: tWTR_L 10 behind a burst of BL/n_max, 2 cycles longer";
inline constexpr char const* r2_gddr7 = "estimated: Ramulator 2.1 GDDR7_28000_PAM3, GDDR7_16Gb_x8, by its "
                                        "own words a guess where JESD239 is silent";
inline constexpr char const* r2_gddr7_rtw = "derived: Ramulator 2.1's formula for tRTW, 1 + RL + burst + 3 - "
                                            "WL; the 12 of its preset would put write data among the read's";
inline constexpr char const* r2_hbm1 = "documented: Ramulator 2.1 HBM1_1Gbps, HBM1_4Gb";
inline constexpr char const* r2_hbm3 = "documented: Ramulator 2.1 HBM3_6400Mbps, HBM3_16Gb_8hi";
inline constexpr char const* half_cycles = "derived: 1.5 cycles in JESD238 and JESD270-4, rounded up";
inline constexpr char const* r2_hbm3_16hi = "documented: Ramulator 2.1 HBM3_6400Mbps, HBM3_32Gb_16hi";
inline constexpr char const* r2_hbm4 = "documented: Ramulator 2.1 HBM4_8000Mbps, HBM4_32Gb_8Hi";
inline constexpr char const* a100_config =
    "documented: Accel-Sim, proposed tested-cfgs/NVIDIA_A100_80GB_PCIe";
inline constexpr char const* d3_ddr3 = "documented: DRAMsim3 DDR3_8Gb_x8_1600";
inline constexpr char const* d3_ddr4 = "documented: DRAMsim3 DDR4_8Gb_x8_3200";
inline constexpr char const* d3_lpddr4 = "documented: DRAMsim3 LPDDR4_8Gb_x16_2400";
inline constexpr char const* d3_default = "documented: DRAMsim3, default of a key that the file lacks";
inline constexpr char const* d3_rule =
    "derived: DRAMsim3's timing.cc: rc = ras + rp, the burst bounds ccd, "
    "rtw = cl + burst - wl + rtrs, an auto-precharge waits for the burst, too";
inline constexpr char const* r2_rule = "derived: Ramulator 2.1's constraint of this standard";
inline constexpr char const* rc_sum =
    "derived: ras + rp; the file's smaller number can never bind, since a row is "
    "open for ras and closed for rp";
inline constexpr char const* like_hbm2 = "estimated: as QV100's HBM2, since the source's row has none";
inline constexpr char const* no_groups = "documented: no bank groups";
inline constexpr char const* rcdwr_rule = "derived: rcd - (wl + 1), GPGPU-Sim's memory_config";
inline constexpr char const* rtp_rule = "derived: burst_length / data_rate, GPGPU-Sim's issue_col_command";
} // namespace detail

/// The rules that a GPGPU-Sim machine lacks, for a list of all its numbers.
inline constexpr timing_number gpgpusim_lacks[] = {
    {"pseudo_channels", &timing::pseudo_channels, 1, "documented: GPGPU-Sim has no pseudo-channels"},
    {"act_cycles", &timing::act_cycles, 1, "documented: an activate is one command cycle"},
    {"rrdl", &timing::rrdl, 0, "documented: GPGPU-Sim has no such rule"},
    {"faw", &timing::faw, 0, "documented: GPGPU-Sim has no such rule"},
    {"aw32", &timing::aw32, 0, "documented: GPGPU-Sim has no such rule"},
    {"rtw", &timing::rtw, 0, "documented: GPGPU-Sim's rule, cl + burst + 2 - wl"},
    {"cdlrl", &timing::cdlrl, 0, "documented: GPGPU-Sim has no such rule"},
    {"ppd", &timing::ppd, 0, "documented: GPGPU-Sim has no such rule"},
    {"rtpa", &timing::rtpa, 0, "documented: GPGPU-Sim has no auto-precharge"},
    {"refi", &timing::refi, 0, "documented: GPGPU-Sim never refreshes"},
    {"rfc", &timing::rfc, 0, "documented: GPGPU-Sim never refreshes"},
    {"refipb", &timing::refipb, 0, "documented: GPGPU-Sim never refreshes"},
    {"rfcpb", &timing::rfcpb, 0, "documented: GPGPU-Sim never refreshes"},
    {"rrefd", &timing::rrefd, 0, "documented: GPGPU-Sim never refreshes"},
    {"ranks", &timing::ranks, 1, "documented: GPGPU-Sim has no ranks"},
    {"stacks", &timing::stacks, 1, "documented: GPGPU-Sim has no stack identifiers"},
    {"column_cycles", &timing::column_cycles, 1, "documented: a column command is one command cycle"},
    {"ccdlwr", &timing::ccdlwr, 0, "documented: GPGPU-Sim has no such rule"},
    {"ccdr", &timing::ccdr, 0, "documented: GPGPU-Sim has no stack identifiers"},
    {"rtrs", &timing::rtrs, 0, "documented: GPGPU-Sim has no ranks"},
    {"same_bank", &timing::same_bank, 0, "documented: GPGPU-Sim never refreshes"},
    {"rfm", &timing::rfm, 0, "documented: GPGPU-Sim never refreshes"},
};

/// GDDR5 of the GeForce GTX 480 at 924 MHz: one of six channels, two 32-bit chips of 1 Gb (hynix H5GQ1H24AFR).
/// An atom is 64 bytes. Bank groups are the low bits of the bank.
inline constexpr timing_number gddr5_gtx480_numbers[] = {
    {"banks", &timing::banks, 16, detail::gtx480_config},
    {"bank_groups", &timing::bank_groups, 4, detail::gtx480_config},
    {"bus_bytes", &timing::bus_bytes, 8, detail::gtx480_config},
    {"burst_length", &timing::burst_length, 8, detail::gtx480_config},
    {"data_rate", &timing::data_rate, 4, detail::gtx480_config},
    {"ccd", &timing::ccd, 2, detail::gtx480_config},
    {"ccdl", &timing::ccdl, 3, detail::gtx480_config},
    {"rrd", &timing::rrd, 6, detail::gtx480_config},
    {"rcd", &timing::rcd, 12, detail::gtx480_config},
    {"rcdwr", &timing::rcdwr, 7, detail::rcdwr_rule},
    {"ras", &timing::ras, 28, detail::gtx480_config},
    {"rp", &timing::rp, 12, detail::gtx480_config},
    {"rc", &timing::rc, 40, detail::gtx480_config},
    {"cl", &timing::cl, 12, detail::gtx480_config},
    {"wl", &timing::wl, 4, detail::gtx480_config},
    {"cdlr", &timing::cdlr, 5, detail::gtx480_config},
    {"wr", &timing::wr, 12, detail::gtx480_config},
    {"rtp", &timing::rtp, 2, detail::rtp_rule},
    {"rtpl", &timing::rtpl, 2, detail::gtx480_config},
};
inline constexpr timing gddr5_gtx480 = detail::made_of(gddr5_gtx480_numbers);

/// GDDR3 of OWL's machine at 800 MHz: one of eight controllers, four banks with rows of 2 KB. An atom is 32 bytes.
inline constexpr timing_number gddr3_owl_numbers[] = {
    {"banks", &timing::banks, 4, detail::owl_table},
    {"bank_groups", &timing::bank_groups, 1, detail::no_groups},
    {"bus_bytes", &timing::bus_bytes, 8, detail::fx5800_config},
    {"burst_length", &timing::burst_length, 4, detail::fx5800_config},
    {"data_rate", &timing::data_rate, 2, detail::fx5800_config},
    {"ccd", &timing::ccd, 2, detail::fx5800_config},
    {"ccdl", &timing::ccdl, 0, detail::no_groups},
    {"rrd", &timing::rrd, 8, detail::owl_table},
    {"rcd", &timing::rcd, 12, detail::owl_table},
    {"rcdwr", &timing::rcdwr, 4, detail::rcdwr_rule},
    {"ras", &timing::ras, 25, detail::owl_table},
    {"rp", &timing::rp, 10, detail::owl_table},
    {"rc", &timing::rc, 35, detail::owl_table},
    {"cl", &timing::cl, 10, detail::owl_table},
    {"wl", &timing::wl, 7, detail::fx5800_config},
    {"cdlr", &timing::cdlr, 6, detail::owl_table},
    {"wr", &timing::wr, 11, detail::owl_table},
    {"rtp", &timing::rtp, 2, detail::rtp_rule},
    {"rtpl", &timing::rtpl, 0, detail::no_groups},
};
inline constexpr timing gddr3_owl = detail::made_of(gddr3_owl_numbers);

/// HBM2 of the Quadro GV100 at 850 MHz: one of 32 channels of 128 bits with a dual command bus. An atom is 32 bytes.
inline constexpr timing_number hbm2_qv100_numbers[] = {
    {"banks", &timing::banks, 16, detail::qv100_config},
    {"bank_groups", &timing::bank_groups, 4, detail::qv100_config},
    {"bus_bytes", &timing::bus_bytes, 16, detail::qv100_config},
    {"burst_length", &timing::burst_length, 2, detail::qv100_config},
    {"data_rate", &timing::data_rate, 2, detail::qv100_config},
    {"ccd", &timing::ccd, 1, detail::qv100_config},
    {"ccdl", &timing::ccdl, 2, detail::qv100_config},
    {"rrd", &timing::rrd, 3, detail::qv100_config},
    {"rcd", &timing::rcd, 12, detail::qv100_config},
    {"rcdwr", &timing::rcdwr, 9, detail::rcdwr_rule},
    {"ras", &timing::ras, 28, detail::qv100_config},
    {"rp", &timing::rp, 12, detail::qv100_config},
    {"rc", &timing::rc, 40, detail::qv100_config},
    {"cl", &timing::cl, 12, detail::qv100_config},
    {"wl", &timing::wl, 2, detail::qv100_config},
    {"cdlr", &timing::cdlr, 3, detail::qv100_config},
    {"wr", &timing::wr, 10, detail::qv100_config},
    {"rtp", &timing::rtp, 1, detail::rtp_rule},
    {"rtpl", &timing::rtpl, 3, detail::qv100_config},
};
inline constexpr timing hbm2_qv100 = detail::made_of(hbm2_qv100_numbers);

/// GDDR6 of the GeForce RTX 3070 at 3500.5 MHz: one of 16 channels of 16 bits. An atom is 32 bytes.
inline constexpr timing_number gddr6_rtx3070_numbers[] = {
    {"banks", &timing::banks, 16, detail::rtx3070_config},
    {"bank_groups", &timing::bank_groups, 4, detail::rtx3070_config},
    {"bus_bytes", &timing::bus_bytes, 2, detail::rtx3070_config},
    {"burst_length", &timing::burst_length, 16, detail::rtx3070_config},
    {"data_rate", &timing::data_rate, 4, detail::rtx3070_config},
    {"ccd", &timing::ccd, 4, detail::rtx3070_config},
    {"ccdl", &timing::ccdl, 6, detail::rtx3070_config},
    {"rrd", &timing::rrd, 12, detail::rtx3070_config},
    {"rcd", &timing::rcd, 24, detail::rtx3070_config},
    {"rcdwr", &timing::rcdwr, 15, detail::rcdwr_rule},
    {"ras", &timing::ras, 55, detail::rtx3070_config},
    {"rp", &timing::rp, 24, detail::rtx3070_config},
    {"rc", &timing::rc, 79, detail::rc_sum},
    {"cl", &timing::cl, 24, detail::rtx3070_config},
    {"wl", &timing::wl, 8, detail::rtx3070_config},
    {"cdlr", &timing::cdlr, 10, detail::rtx3070_config},
    {"wr", &timing::wr, 24, detail::rtx3070_config},
    {"rtp", &timing::rtp, 4, detail::rtp_rule},
    {"rtpl", &timing::rtpl, 4, detail::rtx3070_config},
};
inline constexpr timing gddr6_rtx3070 = detail::made_of(gddr6_rtx3070_numbers);

/// HBM3 of the H100 at 3106 MHz (command clock as configured there; 2619 MHz would give the data sheet's 3.35 TB/s).
inline constexpr timing_number hbm3_h100_numbers[] = {
    {"banks", &timing::banks, 16, detail::like_hbm2},
    {"bank_groups", &timing::bank_groups, 4, detail::h100_config},
    {"bus_bytes", &timing::bus_bytes, 16, detail::like_hbm2},
    {"burst_length", &timing::burst_length, 2, detail::like_hbm2},
    {"data_rate", &timing::data_rate, 2, detail::like_hbm2},
    {"ccd", &timing::ccd, 1, detail::h100_config},
    {"ccdl", &timing::ccdl, 6, detail::h100_config},
    {"rrd", &timing::rrd, 6, detail::h100_config},
    {"rcd", &timing::rcd, 19, detail::h100_config},
    {"rcdwr", &timing::rcdwr, 12, detail::rcdwr_rule},
    {"ras", &timing::ras, 45, detail::h100_config},
    {"rp", &timing::rp, 19, detail::h100_config},
    {"rc", &timing::rc, 64, detail::rc_sum},
    {"cl", &timing::cl, 19, detail::h100_config},
    {"wl", &timing::wl, 6, detail::h100_config},
    {"cdlr", &timing::cdlr, 8, detail::h100_config},
    {"wr", &timing::wr, 21, detail::h100_config},
    {"rtp", &timing::rtp, 1, detail::rtp_rule},
    {"rtpl", &timing::rtpl, 8, detail::h100_config},
};
inline constexpr timing hbm3_h100 = detail::made_of(hbm3_h100_numbers);

/// GDDR6 8 Gb x16 at 14 Gb/s, tCK 570 ps, as Ramulator 2.1 has it. Refresh is off: set refi to 3333.
inline constexpr timing_number gddr6_ramulator_numbers[] = {
    {"banks", &timing::banks, 16, detail::r2_gddr6},
    {"bank_groups", &timing::bank_groups, 4, detail::r2_gddr6},
    {"bus_bytes", &timing::bus_bytes, 2, detail::r2_gddr6},
    {"burst_length", &timing::burst_length, 16, detail::r2_gddr6},
    {"data_rate", &timing::data_rate, 8, detail::r2_gddr6},
    {"ccd", &timing::ccd, 2, detail::r2_gddr6},
    {"ccdl", &timing::ccdl, 4, detail::r2_gddr6},
    {"rrd", &timing::rrd, 11, detail::r2_gddr6},
    {"rrdl", &timing::rrdl, 11, detail::r2_gddr6},
    {"rcd", &timing::rcd, 30, detail::r2_gddr6},
    {"rcdwr", &timing::rcdwr, 20, detail::r2_gddr6},
    {"ras", &timing::ras, 60, detail::r2_gddr6},
    {"rp", &timing::rp, 30, detail::r2_gddr6},
    {"rc", &timing::rc, 90, detail::r2_gddr6},
    {"cl", &timing::cl, 24, detail::r2_gddr6},
    {"wl", &timing::wl, 6, detail::r2_gddr6},
    {"cdlr", &timing::cdlr, 9, detail::r2_gddr6},
    {"cdlrl", &timing::cdlrl, 11, detail::r2_gddr6},
    {"wr", &timing::wr, 30, detail::r2_gddr6},
    {"rtp", &timing::rtp, 4, detail::r2_gddr6},
    {"rtpl", &timing::rtpl, 0, detail::r2_rule},
    {"faw", &timing::faw, 43, detail::r2_gddr6},
    {"rtw", &timing::rtw, 25, detail::r2_rule},
    {"ppd", &timing::ppd, 2, detail::r2_gddr6},
    {"rfc", &timing::rfc, 211, detail::r2_gddr6},
};
inline constexpr timing gddr6_ramulator = detail::made_of(gddr6_ramulator_numbers, false);

/// HBM2 2 Gb at 2 Gb/s, tCK 1 ns, two pseudo-channels, as Ramulator 2.1 has it. Refresh is off: set refi to 3900, or
/// refipb to 122.
inline constexpr timing_number hbm2_ramulator_numbers[] = {
    {"banks", &timing::banks, 32, detail::r2_hbm2},
    {"pseudo_channels", &timing::pseudo_channels, 2, detail::r2_hbm2},
    {"bank_groups", &timing::bank_groups, 4, detail::r2_hbm2},
    {"bus_bytes", &timing::bus_bytes, 8, detail::r2_hbm2},
    {"burst_length", &timing::burst_length, 4, detail::r2_hbm2},
    {"data_rate", &timing::data_rate, 2, detail::r2_hbm2},
    {"ccd", &timing::ccd, 2, detail::r2_hbm2},
    {"ccdl", &timing::ccdl, 4, detail::r2_hbm2},
    {"rrd", &timing::rrd, 4, detail::r2_hbm2},
    {"rrdl", &timing::rrdl, 4, detail::r2_hbm2},
    {"rcd", &timing::rcd, 14, detail::r2_hbm2},
    {"rcdwr", &timing::rcdwr, 12, detail::r2_hbm2},
    {"ras", &timing::ras, 34, detail::r2_hbm2},
    {"rp", &timing::rp, 14, detail::r2_hbm2},
    {"rc", &timing::rc, 48, detail::r2_hbm2},
    {"cl", &timing::cl, 14, detail::r2_hbm2},
    {"wl", &timing::wl, 5, detail::r2_hbm2},
    {"cdlr", &timing::cdlr, 6, detail::r2_hbm2},
    {"cdlrl", &timing::cdlrl, 8, detail::r2_hbm2},
    {"wr", &timing::wr, 16, detail::r2_hbm2},
    {"rtp", &timing::rtp, 5, detail::r2_hbm2},
    {"rtpl", &timing::rtpl, 0, detail::r2_rule},
    {"faw", &timing::faw, 15, detail::r2_hbm2},
    {"act_cycles", &timing::act_cycles, 2, detail::r2_hbm2},
    {"rfc", &timing::rfc, 160, detail::r2_hbm2},
    {"rfcpb", &timing::rfcpb, 160, detail::r2_hbm2},
    {"rrefd", &timing::rrefd, 8, detail::r2_hbm2},
};
inline constexpr timing hbm2_ramulator = detail::made_of(hbm2_ramulator_numbers, false);

/// GDDR5 8 Gb x32, four chips, tCK 0.667 ns, bank groups off, as DRAMsim3 has it. Refresh is off: set refi to 3800.
inline constexpr timing_number gddr5_dramsim3_numbers[] = {
    {"banks", &timing::banks, 16, detail::d3_gddr5},
    {"bank_groups", &timing::bank_groups, 1, detail::d3_gddr5},
    {"bus_bytes", &timing::bus_bytes, 16, detail::d3_gddr5},
    {"burst_length", &timing::burst_length, 8, detail::d3_gddr5},
    {"data_rate", &timing::data_rate, 4, detail::d3_gddr5},
    {"ccd", &timing::ccd, 2, detail::d3_gddr5},
    {"rrd", &timing::rrd, 10, detail::d3_gddr5},
    {"rcd", &timing::rcd, 24, detail::d3_gddr5},
    {"rcdwr", &timing::rcdwr, 20, detail::d3_gddr5},
    {"ras", &timing::ras, 56, detail::d3_gddr5},
    {"rp", &timing::rp, 24, detail::d3_gddr5},
    {"rc", &timing::rc, 80, detail::d3_rule},
    {"cl", &timing::cl, 24, detail::d3_gddr5},
    {"wl", &timing::wl, 7, detail::d3_gddr5},
    {"cdlr", &timing::cdlr, 10, detail::d3_gddr5},
    {"wr", &timing::wr, 24, detail::d3_gddr5},
    {"rtp", &timing::rtp, 5, detail::d3_default},
    {"rtpl", &timing::rtpl, 0, detail::d3_rule},
    {"faw", &timing::faw, 40, detail::d3_gddr5},
    {"aw32", &timing::aw32, 360, detail::d3_gddr5},
    {"rtw", &timing::rtw, 20, detail::d3_rule},
    {"ppd", &timing::ppd, 5, detail::d3_gddr5},
    {"rtpa", &timing::rtpa, 7, detail::d3_rule},
    {"rfc", &timing::rfc, 74, detail::d3_gddr5},
};
inline constexpr timing gddr5_dramsim3 = detail::made_of(gddr5_dramsim3_numbers, false);

/// GDDR5X 8 Gb x32, four chips, tCK 0.666 ns, bank groups off, as DRAMsim3 has it. Refresh is off: set refi to 11699.
inline constexpr timing_number gddr5x_dramsim3_numbers[] = {
    {"banks", &timing::banks, 16, detail::d3_gddr5x},
    {"bank_groups", &timing::bank_groups, 1, detail::d3_gddr5x},
    {"bus_bytes", &timing::bus_bytes, 16, detail::d3_gddr5x},
    {"burst_length", &timing::burst_length, 16, detail::d3_gddr5x},
    {"data_rate", &timing::data_rate, 8, detail::d3_gddr5x},
    {"ccd", &timing::ccd, 2, detail::d3_gddr5x},
    {"rrd", &timing::rrd, 9, detail::d3_gddr5x},
    {"rcd", &timing::rcd, 18, detail::d3_gddr5x},
    {"rcdwr", &timing::rcdwr, 15, detail::d3_gddr5x},
    {"ras", &timing::ras, 42, detail::d3_gddr5x},
    {"rp", &timing::rp, 18, detail::d3_gddr5x},
    {"rc", &timing::rc, 60, detail::d3_rule},
    {"cl", &timing::cl, 24, detail::d3_gddr5x},
    {"wl", &timing::wl, 7, detail::d3_gddr5x},
    {"cdlr", &timing::cdlr, 8, detail::d3_gddr5x},
    {"wr", &timing::wr, 18, detail::d3_gddr5x},
    {"rtp", &timing::rtp, 5, detail::d3_default},
    {"rtpl", &timing::rtpl, 0, detail::d3_rule},
    {"faw", &timing::faw, 35, detail::d3_gddr5x},
    {"aw32", &timing::aw32, 280, detail::d3_gddr5x},
    {"rtw", &timing::rtw, 19, detail::d3_rule},
    {"ppd", &timing::ppd, 2, detail::d3_gddr5x},
    {"rtpa", &timing::rtpa, 7, detail::d3_rule},
    {"rfc", &timing::rfc, 98, detail::d3_gddr5x},
};
inline constexpr timing gddr5x_dramsim3 = detail::made_of(gddr5x_dramsim3_numbers, false);

/// GDDR6 8 Gb x16, eight chips, tCK 0.66 ns, bank groups off, as DRAMsim3 has it. Refresh is off: set refi to 11862.
inline constexpr timing_number gddr6_dramsim3_numbers[] = {
    {"banks", &timing::banks, 16, detail::d3_gddr6},
    {"bank_groups", &timing::bank_groups, 1, detail::d3_gddr6},
    {"bus_bytes", &timing::bus_bytes, 16, detail::d3_gddr6},
    {"burst_length", &timing::burst_length, 16, detail::d3_gddr6},
    {"data_rate", &timing::data_rate, 16, detail::d3_gddr6},
    {"ccd", &timing::ccd, 3, detail::d3_gddr6},
    {"rrd", &timing::rrd, 9, detail::d3_gddr6},
    {"rcd", &timing::rcd, 24, detail::d3_gddr6},
    {"rcdwr", &timing::rcdwr, 20, detail::d3_gddr6},
    {"ras", &timing::ras, 54, detail::d3_gddr6},
    {"rp", &timing::rp, 24, detail::d3_gddr6},
    {"rc", &timing::rc, 78, detail::d3_rule},
    {"cl", &timing::cl, 24, detail::d3_gddr6},
    {"wl", &timing::wl, 16, detail::d3_gddr6},
    {"cdlr", &timing::cdlr, 7, detail::d3_gddr6},
    {"wr", &timing::wr, 16, detail::d3_gddr6},
    {"rtp", &timing::rtp, 5, detail::d3_default},
    {"rtpl", &timing::rtpl, 0, detail::d3_rule},
    {"faw", &timing::faw, 32, detail::d3_gddr6},
    {"aw32", &timing::aw32, 420, detail::d3_gddr6},
    {"rtw", &timing::rtw, 10, detail::d3_rule},
    {"ppd", &timing::ppd, 2, detail::d3_gddr6},
    {"rtpa", &timing::rtpa, 6, detail::d3_rule},
    {"rfc", &timing::rfc, 126, detail::d3_gddr6},
};
inline constexpr timing gddr6_dramsim3 = detail::made_of(gddr6_dramsim3_numbers, false);

/// HBM2 8 Gb x128, tCK 1 ns, as DRAMsim3 has it. Refresh is off: set refi to 3900.
inline constexpr timing_number hbm2_dramsim3_numbers[] = {
    {"banks", &timing::banks, 16, detail::d3_hbm2},
    {"bank_groups", &timing::bank_groups, 4, detail::d3_hbm2},
    {"bus_bytes", &timing::bus_bytes, 16, detail::d3_hbm2},
    {"burst_length", &timing::burst_length, 4, detail::d3_hbm2},
    {"data_rate", &timing::data_rate, 2, detail::d3_hbm2},
    {"ccd", &timing::ccd, 2, detail::d3_rule},
    {"ccdl", &timing::ccdl, 2, detail::d3_hbm2},
    {"rrd", &timing::rrd, 4, detail::d3_hbm2},
    {"rrdl", &timing::rrdl, 6, detail::d3_hbm2},
    {"rcd", &timing::rcd, 14, detail::d3_hbm2},
    {"rcdwr", &timing::rcdwr, 14, detail::d3_hbm2},
    {"ras", &timing::ras, 34, detail::d3_hbm2},
    {"rp", &timing::rp, 14, detail::d3_hbm2},
    {"rc", &timing::rc, 48, detail::d3_rule},
    {"cl", &timing::cl, 14, detail::d3_hbm2},
    {"wl", &timing::wl, 4, detail::d3_hbm2},
    {"cdlr", &timing::cdlr, 6, detail::d3_hbm2},
    {"cdlrl", &timing::cdlrl, 8, detail::d3_hbm2},
    {"wr", &timing::wr, 16, detail::d3_hbm2},
    {"rtp", &timing::rtp, 5, detail::d3_default},
    {"rtpl", &timing::rtpl, 0, detail::d3_rule},
    {"faw", &timing::faw, 30, detail::d3_hbm2},
    {"rtw", &timing::rtw, 14, detail::d3_rule},
    {"rtpa", &timing::rtpa, 7, detail::d3_rule},
    {"rfc", &timing::rfc, 260, detail::d3_hbm2},
};
inline constexpr timing hbm2_dramsim3 = detail::made_of(hbm2_dramsim3_numbers, false);

/// DDR3-1600K 4 Gb x8, 64 bits wide, tCK 1.25 ns, as Ramulator 2.1 has it. Refresh is off: set refi to 6240.
inline constexpr timing_number ddr3_ramulator_numbers[] = {
    {"banks", &timing::banks, 8, detail::r2_ddr3},
    {"bank_groups", &timing::bank_groups, 1, detail::no_groups},
    {"bus_bytes", &timing::bus_bytes, 8, detail::r2_ddr3},
    {"burst_length", &timing::burst_length, 8, detail::r2_ddr3},
    {"data_rate", &timing::data_rate, 2, detail::r2_ddr3},
    {"ccd", &timing::ccd, 4, detail::r2_ddr3},
    {"rrd", &timing::rrd, 5, detail::r2_ddr3},
    {"rcd", &timing::rcd, 11, detail::r2_ddr3},
    {"rcdwr", &timing::rcdwr, 11, detail::r2_ddr3},
    {"ras", &timing::ras, 28, detail::r2_ddr3},
    {"rp", &timing::rp, 11, detail::r2_ddr3},
    {"rc", &timing::rc, 39, detail::r2_ddr3},
    {"cl", &timing::cl, 11, detail::r2_ddr3},
    {"wl", &timing::wl, 8, detail::r2_ddr3},
    {"cdlr", &timing::cdlr, 6, detail::r2_ddr3},
    {"wr", &timing::wr, 12, detail::r2_ddr3},
    {"rtp", &timing::rtp, 6, detail::r2_ddr3},
    {"rtpl", &timing::rtpl, 0, detail::r2_rule},
    {"faw", &timing::faw, 24, detail::r2_ddr3},
    {"rtrs", &timing::rtrs, 2, detail::r2_ddr3},
    {"rfc", &timing::rfc, 208, detail::r2_ddr3},
};
inline constexpr timing ddr3_ramulator = detail::made_of(ddr3_ramulator_numbers, false);

/// DDR4-3200AA 8 Gb x8, 64 bits wide, tCK 0.625 ns, as Ramulator 2.1 has it; for two ranks set ranks to 2, banks to 32.
/// Refresh is off: set refi to 12480.
inline constexpr timing_number ddr4_ramulator_numbers[] = {
    {"banks", &timing::banks, 16, detail::r2_ddr4},
    {"bank_groups", &timing::bank_groups, 4, detail::r2_ddr4},
    {"bus_bytes", &timing::bus_bytes, 8, detail::r2_ddr4},
    {"burst_length", &timing::burst_length, 8, detail::r2_ddr4},
    {"data_rate", &timing::data_rate, 2, detail::r2_ddr4},
    {"ccd", &timing::ccd, 4, detail::r2_ddr4},
    {"ccdl", &timing::ccdl, 8, detail::r2_ddr4},
    {"rrd", &timing::rrd, 4, detail::r2_ddr4},
    {"rrdl", &timing::rrdl, 8, detail::r2_ddr4},
    {"rcd", &timing::rcd, 22, detail::r2_ddr4},
    {"rcdwr", &timing::rcdwr, 22, detail::r2_ddr4},
    {"ras", &timing::ras, 52, detail::r2_ddr4},
    {"rp", &timing::rp, 22, detail::r2_ddr4},
    {"rc", &timing::rc, 74, detail::r2_ddr4},
    {"cl", &timing::cl, 22, detail::r2_ddr4},
    {"wl", &timing::wl, 16, detail::r2_ddr4},
    {"cdlr", &timing::cdlr, 4, detail::r2_ddr4},
    {"cdlrl", &timing::cdlrl, 12, detail::r2_ddr4},
    {"wr", &timing::wr, 24, detail::r2_ddr4},
    {"rtp", &timing::rtp, 12, detail::r2_ddr4},
    {"rtpl", &timing::rtpl, 0, detail::r2_rule},
    {"faw", &timing::faw, 34, detail::r2_ddr4},
    {"rtrs", &timing::rtrs, 2, detail::r2_ddr4},
    {"rfc", &timing::rfc, 576, detail::r2_ddr4},
};
inline constexpr timing ddr4_ramulator = detail::made_of(ddr4_ramulator_numbers, false);

/// DDR5-4800BN 16 Gb x8, a subchannel of 32 bits, tCK 0.416 ns, as Ramulator 2.1 has it. Refresh is off: set refi to
/// 9375 or, for the same bank of each group, refipb to 2343.
inline constexpr timing_number ddr5_ramulator_numbers[] = {
    {"banks", &timing::banks, 32, detail::r2_ddr5},
    {"bank_groups", &timing::bank_groups, 8, detail::r2_ddr5},
    {"bus_bytes", &timing::bus_bytes, 4, detail::r2_ddr5},
    {"burst_length", &timing::burst_length, 16, detail::r2_ddr5},
    {"data_rate", &timing::data_rate, 2, detail::r2_ddr5},
    {"ccd", &timing::ccd, 8, detail::r2_ddr5},
    {"ccdl", &timing::ccdl, 12, detail::r2_ddr5},
    {"ccdlwr", &timing::ccdlwr, 48, detail::r2_ddr5},
    {"rrd", &timing::rrd, 8, detail::r2_ddr5},
    {"rrdl", &timing::rrdl, 12, detail::r2_ddr5},
    {"rcd", &timing::rcd, 36, detail::r2_ddr5},
    {"rcdwr", &timing::rcdwr, 36, detail::r2_ddr5},
    {"ras", &timing::ras, 77, detail::r2_ddr5},
    {"rp", &timing::rp, 36, detail::r2_ddr5},
    {"rc", &timing::rc, 113, detail::r2_ddr5},
    {"cl", &timing::cl, 36, detail::r2_ddr5},
    {"wl", &timing::wl, 34, detail::r2_ddr5},
    {"cdlr", &timing::cdlr, 6, detail::r2_ddr5},
    {"cdlrl", &timing::cdlrl, 24, detail::r2_ddr5},
    {"wr", &timing::wr, 72, detail::r2_ddr5},
    {"rtp", &timing::rtp, 18, detail::r2_ddr5},
    {"rtpl", &timing::rtpl, 0, detail::r2_rule},
    {"faw", &timing::faw, 48, detail::r2_ddr5},
    {"rtw", &timing::rtw, 14, detail::r2_rule},
    {"ppd", &timing::ppd, 2, detail::r2_ddr5},
    {"act_cycles", &timing::act_cycles, 2, detail::r2_ddr5},
    {"column_cycles", &timing::column_cycles, 2, detail::r2_ddr5},
    {"rtrs", &timing::rtrs, 2, detail::r2_ddr5},
    {"rfc", &timing::rfc, 710, detail::r2_ddr5},
    {"rfcpb", &timing::rfcpb, 313, detail::jedec_ddr5_sb},
    {"rrefd", &timing::rrefd, 73, detail::jedec_ddr5_sb},
    {"same_bank", &timing::same_bank, 1, detail::jedec_ddr5_sb},
    {"rfm", &timing::rfm, 710, detail::jedec_ddr5_rfm},
};
inline constexpr timing ddr5_ramulator = detail::made_of(ddr5_ramulator_numbers, false);

/// LPDDR5-6400 16 Gb x16, tCK 1.25 ns (CK at a quarter of WCK), as Ramulator 2.1 has it, but for the clock of the data:
/// no CAS command wakes it. ACT-1 and ACT-2 are one command of two cycles. Refresh is off: set refi to 3125 or refipb
/// to 391.
inline constexpr timing_number lpddr5_ramulator_numbers[] = {
    {"banks", &timing::banks, 16, detail::r2_lpddr5},
    {"bank_groups", &timing::bank_groups, 4, detail::r2_lpddr5},
    {"bus_bytes", &timing::bus_bytes, 2, detail::r2_lpddr5},
    {"burst_length", &timing::burst_length, 16, detail::r2_lpddr5},
    {"data_rate", &timing::data_rate, 8, detail::r2_lpddr5},
    {"ccd", &timing::ccd, 2, detail::r2_lpddr5},
    {"ccdl", &timing::ccdl, 4, detail::r2_lpddr5},
    {"rrd", &timing::rrd, 4, detail::r2_lpddr5},
    {"rrdl", &timing::rrdl, 4, detail::r2_lpddr5},
    {"rcd", &timing::rcd, 14, detail::r2_act2},
    {"rcdwr", &timing::rcdwr, 14, detail::r2_act2},
    {"ras", &timing::ras, 33, detail::r2_act2},
    {"rp", &timing::rp, 15, detail::r2_lpddr5},
    {"rc", &timing::rc, 49, detail::r2_lpddr5},
    {"cl", &timing::cl, 17, detail::r2_lpddr5},
    {"wl", &timing::wl, 9, detail::r2_lpddr5},
    {"cdlr", &timing::cdlr, 5, detail::r2_lpddr5},
    {"cdlrl", &timing::cdlrl, 12, detail::r2_blmax},
    {"wr", &timing::wr, 28, detail::r2_lpddr5},
    {"rtp", &timing::rtp, 8, detail::r2_lpddr5},
    {"rtpl", &timing::rtpl, 0, detail::r2_rule},
    {"faw", &timing::faw, 16, detail::r2_lpddr5},
    {"ppd", &timing::ppd, 2, detail::r2_lpddr5},
    {"act_cycles", &timing::act_cycles, 2, detail::r2_act2},
    {"rtrs", &timing::rtrs, 2, detail::r2_lpddr5},
    {"rfc", &timing::rfc, 224, detail::r2_lpddr5},
    {"rfcpb", &timing::rfcpb, 112, detail::r2_lpddr5},
    {"rrefd", &timing::rrefd, 6, detail::r2_lpddr5},
};
inline constexpr timing lpddr5_ramulator = detail::made_of(lpddr5_ramulator_numbers, false);

/// GDDR7 16 Gb x8, PAM3 at 28 Gb/s, tCK4 0.571 ns, as Ramulator 2.1 has it, which calls it no vendor's table: none is
/// published. Each bank is a group of its own (tCCDSB, tWTRSB). Refresh is off: set refi to 3327 or refipb to 207.
inline constexpr timing_number gddr7_ramulator_numbers[] = {
    {"banks", &timing::banks, 16, detail::r2_gddr7},
    {"bank_groups", &timing::bank_groups, 16, detail::r2_gddr7},
    {"bus_bytes", &timing::bus_bytes, 1, detail::r2_gddr7},
    {"burst_length", &timing::burst_length, 32, detail::r2_gddr7},
    {"data_rate", &timing::data_rate, 16, detail::r2_gddr7},
    {"ccd", &timing::ccd, 2, detail::r2_gddr7},
    {"ccdl", &timing::ccdl, 4, detail::r2_gddr7},
    {"rrd", &timing::rrd, 4, detail::r2_gddr7},
    {"rcd", &timing::rcd, 30, detail::r2_gddr7},
    {"rcdwr", &timing::rcdwr, 19, detail::r2_gddr7},
    {"ras", &timing::ras, 60, detail::r2_gddr7},
    {"rp", &timing::rp, 30, detail::r2_gddr7},
    {"rc", &timing::rc, 90, detail::r2_gddr7},
    {"cl", &timing::cl, 24, detail::r2_gddr7},
    {"wl", &timing::wl, 6, detail::r2_gddr7},
    {"cdlr", &timing::cdlr, 9, detail::r2_gddr7},
    {"cdlrl", &timing::cdlrl, 11, detail::r2_gddr7},
    {"wr", &timing::wr, 30, detail::r2_gddr7},
    {"rtp", &timing::rtp, 4, detail::r2_gddr7},
    {"rtpl", &timing::rtpl, 0, detail::r2_rule},
    {"rtw", &timing::rtw, 24, detail::r2_gddr7_rtw},
    {"ppd", &timing::ppd, 2, detail::r2_gddr7},
    {"act_cycles", &timing::act_cycles, 2, detail::r2_gddr7},
    {"column_cycles", &timing::column_cycles, 2, detail::r2_gddr7},
    {"rfc", &timing::rfc, 315, detail::r2_gddr7},
    {"rfcpb", &timing::rfcpb, 105, detail::r2_gddr7},
    {"rrefd", &timing::rrefd, 21, detail::r2_gddr7},
    {"rfm", &timing::rfm, 315, detail::r2_gddr7},
};
inline constexpr timing gddr7_ramulator = detail::made_of(gddr7_ramulator_numbers, false);

/// HBM 4 Gb at 1 Gb/s, tCK 2 ns, as Ramulator 2.1 has it. Refresh is off: set refi to 1950 or refipb to 244.
inline constexpr timing_number hbm1_ramulator_numbers[] = {
    {"banks", &timing::banks, 8, detail::r2_hbm1},
    {"bank_groups", &timing::bank_groups, 4, detail::r2_hbm1},
    {"bus_bytes", &timing::bus_bytes, 16, detail::r2_hbm1},
    {"burst_length", &timing::burst_length, 2, detail::r2_hbm1},
    {"data_rate", &timing::data_rate, 2, detail::r2_hbm1},
    {"ccd", &timing::ccd, 1, detail::r2_hbm1},
    {"ccdl", &timing::ccdl, 2, detail::r2_hbm1},
    {"rrd", &timing::rrd, 4, detail::r2_hbm1},
    {"rrdl", &timing::rrdl, 4, detail::r2_hbm1},
    {"rcd", &timing::rcd, 7, detail::r2_hbm1},
    {"rcdwr", &timing::rcdwr, 6, detail::r2_hbm1},
    {"ras", &timing::ras, 17, detail::r2_hbm1},
    {"rp", &timing::rp, 7, detail::r2_hbm1},
    {"rc", &timing::rc, 24, detail::r2_hbm1},
    {"cl", &timing::cl, 7, detail::r2_hbm1},
    {"wl", &timing::wl, 4, detail::r2_hbm1},
    {"cdlr", &timing::cdlr, 3, detail::r2_hbm1},
    {"cdlrl", &timing::cdlrl, 4, detail::r2_hbm1},
    {"wr", &timing::wr, 8, detail::r2_hbm1},
    {"rtp", &timing::rtp, 4, detail::r2_hbm1},
    {"rtpl", &timing::rtpl, 0, detail::r2_rule},
    {"faw", &timing::faw, 8, detail::r2_hbm1},
    {"act_cycles", &timing::act_cycles, 2, detail::r2_hbm1},
    {"rfc", &timing::rfc, 130, detail::r2_hbm1},
    {"rfcpb", &timing::rfcpb, 80, detail::r2_hbm1},
    {"rrefd", &timing::rrefd, 4, detail::r2_hbm1},
};
inline constexpr timing hbm1_ramulator = detail::made_of(hbm1_ramulator_numbers, false);

/// HBM3 16 Gb, 8 high, at 6.4 Gb/s, tCK 0.625 ns, two pseudo-channels of two stacks, as Ramulator 2.1 has it in half
/// cycles. Refresh is off: set refi to 6240 or refipb to 97.
inline constexpr timing_number hbm3_ramulator_numbers[] = {
    {"banks", &timing::banks, 64, detail::r2_hbm3},
    {"stacks", &timing::stacks, 2, detail::r2_hbm3},
    {"bank_groups", &timing::bank_groups, 8, detail::r2_hbm3},
    {"pseudo_channels", &timing::pseudo_channels, 2, detail::r2_hbm3},
    {"bus_bytes", &timing::bus_bytes, 4, detail::r2_hbm3},
    {"burst_length", &timing::burst_length, 8, detail::r2_hbm3},
    {"data_rate", &timing::data_rate, 4, detail::r2_hbm3},
    {"ccd", &timing::ccd, 2, detail::r2_hbm3},
    {"ccdl", &timing::ccdl, 4, detail::r2_hbm3},
    {"ccdr", &timing::ccdr, 3, detail::r2_hbm3},
    {"rrd", &timing::rrd, 4, detail::r2_hbm3},
    {"rrdl", &timing::rrdl, 5, detail::r2_hbm3},
    {"rcd", &timing::rcd, 31, detail::r2_hbm3},
    {"rcdwr", &timing::rcdwr, 15, detail::r2_hbm3},
    {"ras", &timing::ras, 45, detail::r2_hbm3},
    {"rp", &timing::rp, 26, detail::r2_hbm3},
    {"rc", &timing::rc, 72, detail::r2_hbm3},
    {"cl", &timing::cl, 20, detail::r2_hbm3},
    {"wl", &timing::wl, 10, detail::r2_hbm3},
    {"cdlr", &timing::cdlr, 7, detail::r2_hbm3},
    {"cdlrl", &timing::cdlrl, 10, detail::r2_hbm3},
    {"wr", &timing::wr, 33, detail::r2_hbm3},
    {"rtp", &timing::rtp, 9, detail::r2_hbm3},
    {"rtpl", &timing::rtpl, 0, detail::r2_rule},
    {"faw", &timing::faw, 24, detail::r2_hbm3},
    {"rtw", &timing::rtw, 20, detail::r2_hbm3},
    {"ppd", &timing::ppd, 2, detail::r2_hbm3},
    {"act_cycles", &timing::act_cycles, 2, detail::half_cycles},
    {"rfc", &timing::rfc, 560, detail::r2_hbm3},
    {"rfcpb", &timing::rfcpb, 320, detail::r2_hbm3},
    {"rrefd", &timing::rrefd, 8, detail::r2_hbm3},
    {"rfm", &timing::rfm, 560, detail::r2_hbm3},
};
inline constexpr timing hbm3_ramulator = detail::made_of(hbm3_ramulator_numbers, false);

/// What the HBM3 of Ramulator 2.1 has not, for a list of all of a machine's numbers. Refresh is off, as in the others.
inline constexpr timing_number hbm3_lacks[] = {
    {"aw32", &timing::aw32, 0, "documented: HBM3 has no such rule"},
    {"rtpa", &timing::rtpa, 0, "documented: as rtp"},
    {"refi", &timing::refi, 0, "estimated: off, as in GPGPU-Sim; tREFI is 3.9 us"},
    {"refipb", &timing::refipb, 0, "estimated: off, as in GPGPU-Sim"},
    {"ranks", &timing::ranks, 1, "documented: HBM3 has stack identifiers instead"},
    {"column_cycles", &timing::column_cycles, 1, "documented: a column command is one command cycle"},
    {"ccdlwr", &timing::ccdlwr, 0, "documented: as ccdl"},
    {"rtrs", &timing::rtrs, 0, "documented: HBM3 has no ranks"},
    {"same_bank", &timing::same_bank, 0, "documented: a per-bank refresh is of one bank"},
};

/// The same, 32 Gb, 16 high: four stacks and 128 banks, for schedulers of a wide_bank_set.
inline constexpr timing_number hbm3_16hi_ramulator_numbers[] = {
    {"banks", &timing::banks, 128, detail::r2_hbm3_16hi},
    {"stacks", &timing::stacks, 4, detail::r2_hbm3_16hi},
    {"bank_groups", &timing::bank_groups, 16, detail::r2_hbm3_16hi},
    {"pseudo_channels", &timing::pseudo_channels, 2, detail::r2_hbm3_16hi},
    {"bus_bytes", &timing::bus_bytes, 4, detail::r2_hbm3_16hi},
    {"burst_length", &timing::burst_length, 8, detail::r2_hbm3_16hi},
    {"data_rate", &timing::data_rate, 4, detail::r2_hbm3_16hi},
    {"ccd", &timing::ccd, 2, detail::r2_hbm3_16hi},
    {"ccdl", &timing::ccdl, 4, detail::r2_hbm3_16hi},
    {"ccdr", &timing::ccdr, 3, detail::r2_hbm3_16hi},
    {"rrd", &timing::rrd, 4, detail::r2_hbm3_16hi},
    {"rrdl", &timing::rrdl, 5, detail::r2_hbm3_16hi},
    {"rcd", &timing::rcd, 31, detail::r2_hbm3_16hi},
    {"rcdwr", &timing::rcdwr, 15, detail::r2_hbm3_16hi},
    {"ras", &timing::ras, 45, detail::r2_hbm3_16hi},
    {"rp", &timing::rp, 26, detail::r2_hbm3_16hi},
    {"rc", &timing::rc, 72, detail::r2_hbm3_16hi},
    {"cl", &timing::cl, 20, detail::r2_hbm3_16hi},
    {"wl", &timing::wl, 10, detail::r2_hbm3_16hi},
    {"cdlr", &timing::cdlr, 7, detail::r2_hbm3_16hi},
    {"cdlrl", &timing::cdlrl, 10, detail::r2_hbm3_16hi},
    {"wr", &timing::wr, 33, detail::r2_hbm3_16hi},
    {"rtp", &timing::rtp, 9, detail::r2_hbm3_16hi},
    {"rtpl", &timing::rtpl, 0, detail::r2_rule},
    {"faw", &timing::faw, 24, detail::r2_hbm3_16hi},
    {"rtw", &timing::rtw, 20, detail::r2_hbm3_16hi},
    {"ppd", &timing::ppd, 2, detail::r2_hbm3_16hi},
    {"act_cycles", &timing::act_cycles, 2, detail::half_cycles},
    {"rfc", &timing::rfc, 560, detail::r2_hbm3_16hi},
    {"rfcpb", &timing::rfcpb, 320, detail::r2_hbm3_16hi},
    {"rrefd", &timing::rrefd, 8, detail::r2_hbm3_16hi},
    {"rfm", &timing::rfm, 560, detail::r2_hbm3_16hi},
};
inline constexpr timing hbm3_16hi_ramulator = detail::made_of(hbm3_16hi_ramulator_numbers, false);

/// HBM4 32 Gb, 8 high, at 8 Gb/s, tCK 0.5 ns, two pseudo-channels of two stacks, as Ramulator 2.1 has it in half
/// cycles. Refresh is off: set refi to 7800 or refipb to 121.
inline constexpr timing_number hbm4_ramulator_numbers[] = {
    {"banks", &timing::banks, 64, detail::r2_hbm4},
    {"pseudo_channels", &timing::pseudo_channels, 2, detail::r2_hbm4},
    {"stacks", &timing::stacks, 2, detail::r2_hbm4},
    {"bank_groups", &timing::bank_groups, 4, detail::r2_hbm4},
    {"bus_bytes", &timing::bus_bytes, 4, detail::r2_hbm4},
    {"burst_length", &timing::burst_length, 8, detail::r2_hbm4},
    {"data_rate", &timing::data_rate, 4, detail::r2_hbm4},
    {"ccd", &timing::ccd, 2, detail::r2_hbm4},
    {"ccdl", &timing::ccdl, 4, detail::r2_hbm4},
    {"ccdr", &timing::ccdr, 2, detail::r2_hbm4},
    {"rrd", &timing::rrd, 5, detail::r2_hbm4},
    {"rrdl", &timing::rrdl, 7, detail::r2_hbm4},
    {"rcd", &timing::rcd, 39, detail::r2_hbm4},
    {"rcdwr", &timing::rcdwr, 19, detail::r2_hbm4},
    {"ras", &timing::ras, 57, detail::r2_hbm4},
    {"rp", &timing::rp, 33, detail::r2_hbm4},
    {"rc", &timing::rc, 90, detail::r2_hbm4},
    {"cl", &timing::cl, 20, detail::r2_hbm4},
    {"wl", &timing::wl, 10, detail::r2_hbm4},
    {"cdlr", &timing::cdlr, 9, detail::r2_hbm4},
    {"cdlrl", &timing::cdlrl, 13, detail::r2_hbm4},
    {"wr", &timing::wr, 42, detail::r2_hbm4},
    {"rtp", &timing::rtp, 12, detail::r2_hbm4},
    {"rtpl", &timing::rtpl, 0, detail::r2_rule},
    {"faw", &timing::faw, 30, detail::r2_hbm4},
    {"rtw", &timing::rtw, 25, detail::r2_hbm4},
    {"ppd", &timing::ppd, 2, detail::r2_hbm4},
    {"act_cycles", &timing::act_cycles, 2, detail::half_cycles},
    {"rfc", &timing::rfc, 800, detail::r2_hbm4},
    {"rfcpb", &timing::rfcpb, 560, detail::r2_hbm4},
    {"rrefd", &timing::rrefd, 8, detail::r2_hbm4},
    {"rfm", &timing::rfm, 800, detail::r2_hbm4},
};
inline constexpr timing hbm4_ramulator = detail::made_of(hbm4_ramulator_numbers, false);

/// HBM2E of the A100 80 GB at 1512 MHz. An atom is 32 bytes.
inline constexpr timing_number hbm2e_a100_numbers[] = {
    {"banks", &timing::banks, 16, detail::like_hbm2},
    {"bank_groups", &timing::bank_groups, 4, detail::like_hbm2},
    {"bus_bytes", &timing::bus_bytes, 16, detail::like_hbm2},
    {"burst_length", &timing::burst_length, 2, detail::like_hbm2},
    {"data_rate", &timing::data_rate, 2, detail::like_hbm2},
    {"ccd", &timing::ccd, 1, detail::like_hbm2},
    {"ccdl", &timing::ccdl, 4, detail::a100_config},
    {"rrd", &timing::rrd, 7, detail::a100_config},
    {"rcd", &timing::rcd, 22, detail::a100_config},
    {"rcdwr", &timing::rcdwr, 17, detail::rcdwr_rule},
    {"ras", &timing::ras, 50, detail::a100_config},
    {"rp", &timing::rp, 22, detail::a100_config},
    {"rc", &timing::rc, 72, detail::a100_config},
    {"cl", &timing::cl, 22, detail::a100_config},
    {"wl", &timing::wl, 4, detail::a100_config},
    {"cdlr", &timing::cdlr, 5, detail::a100_config},
    {"wr", &timing::wr, 19, detail::a100_config},
    {"rtp", &timing::rtp, 1, detail::rtp_rule},
    {"rtpl", &timing::rtpl, 7, detail::a100_config},
};
inline constexpr timing hbm2e_a100 = detail::made_of(hbm2e_a100_numbers);

/// DDR3-1600 8 Gb x8, two ranks of 64 bits, tCK 1.25 ns, as DRAMsim3 has it. Refresh is off: set refi to 7800.
inline constexpr timing_number ddr3_dramsim3_numbers[] = {
    {"banks", &timing::banks, 16, detail::d3_ddr3},
    {"ranks", &timing::ranks, 2, detail::d3_ddr3},
    {"bank_groups", &timing::bank_groups, 1, detail::d3_ddr3},
    {"bus_bytes", &timing::bus_bytes, 8, detail::d3_ddr3},
    {"burst_length", &timing::burst_length, 8, detail::d3_ddr3},
    {"data_rate", &timing::data_rate, 2, detail::d3_ddr3},
    {"ccd", &timing::ccd, 4, detail::d3_ddr3},
    {"rrd", &timing::rrd, 6, detail::d3_ddr3},
    {"rcd", &timing::rcd, 11, detail::d3_ddr3},
    {"rcdwr", &timing::rcdwr, 11, detail::d3_ddr3},
    {"ras", &timing::ras, 28, detail::d3_ddr3},
    {"rp", &timing::rp, 11, detail::d3_ddr3},
    {"rc", &timing::rc, 39, detail::d3_rule},
    {"cl", &timing::cl, 11, detail::d3_ddr3},
    {"wl", &timing::wl, 8, detail::d3_ddr3},
    {"cdlr", &timing::cdlr, 6, detail::d3_ddr3},
    {"wr", &timing::wr, 12, detail::d3_ddr3},
    {"rtp", &timing::rtp, 6, detail::d3_ddr3},
    {"rtpl", &timing::rtpl, 0, detail::d3_rule},
    {"faw", &timing::faw, 32, detail::d3_ddr3},
    {"rtw", &timing::rtw, 8, detail::d3_rule},
    {"rtpa", &timing::rtpa, 10, detail::d3_rule},
    {"rtrs", &timing::rtrs, 1, detail::d3_ddr3},
    {"rfc", &timing::rfc, 280, detail::d3_ddr3},
};
inline constexpr timing ddr3_dramsim3 = detail::made_of(ddr3_dramsim3_numbers, false);

/// DDR4-3200 8 Gb x8, two ranks of 64 bits, tCK 0.63 ns, as DRAMsim3 has it. Refresh is off: set refi to 12480.
inline constexpr timing_number ddr4_dramsim3_numbers[] = {
    {"banks", &timing::banks, 32, detail::d3_ddr4},
    {"ranks", &timing::ranks, 2, detail::d3_ddr4},
    {"bank_groups", &timing::bank_groups, 4, detail::d3_ddr4},
    {"bus_bytes", &timing::bus_bytes, 8, detail::d3_ddr4},
    {"burst_length", &timing::burst_length, 8, detail::d3_ddr4},
    {"data_rate", &timing::data_rate, 2, detail::d3_ddr4},
    {"ccd", &timing::ccd, 4, detail::d3_ddr4},
    {"ccdl", &timing::ccdl, 8, detail::d3_ddr4},
    {"rrd", &timing::rrd, 4, detail::d3_ddr4},
    {"rrdl", &timing::rrdl, 8, detail::d3_ddr4},
    {"rcd", &timing::rcd, 22, detail::d3_ddr4},
    {"rcdwr", &timing::rcdwr, 22, detail::d3_ddr4},
    {"ras", &timing::ras, 52, detail::d3_ddr4},
    {"rp", &timing::rp, 22, detail::d3_ddr4},
    {"rc", &timing::rc, 74, detail::d3_rule},
    {"cl", &timing::cl, 22, detail::d3_ddr4},
    {"wl", &timing::wl, 16, detail::d3_ddr4},
    {"cdlr", &timing::cdlr, 4, detail::d3_ddr4},
    {"cdlrl", &timing::cdlrl, 12, detail::d3_ddr4},
    {"wr", &timing::wr, 24, detail::d3_ddr4},
    {"rtp", &timing::rtp, 12, detail::d3_ddr4},
    {"rtpl", &timing::rtpl, 0, detail::d3_rule},
    {"faw", &timing::faw, 34, detail::d3_ddr4},
    {"rtw", &timing::rtw, 11, detail::d3_rule},
    {"rtpa", &timing::rtpa, 16, detail::d3_rule},
    {"rtrs", &timing::rtrs, 1, detail::d3_ddr4},
    {"rfc", &timing::rfc, 560, detail::d3_ddr4},
};
inline constexpr timing ddr4_dramsim3 = detail::made_of(ddr4_dramsim3_numbers, false);

/// LPDDR4-2400 8 Gb x16, two ranks of 64 bits, tCK 0.83 ns, as DRAMsim3 has it, with two bank groups. Refresh is off:
/// set refi to 8660.
inline constexpr timing_number lpddr4_dramsim3_numbers[] = {
    {"banks", &timing::banks, 16, detail::d3_lpddr4},
    {"ranks", &timing::ranks, 2, detail::d3_lpddr4},
    {"bank_groups", &timing::bank_groups, 2, detail::d3_lpddr4},
    {"bus_bytes", &timing::bus_bytes, 8, detail::d3_lpddr4},
    {"burst_length", &timing::burst_length, 16, detail::d3_lpddr4},
    {"data_rate", &timing::data_rate, 2, detail::d3_lpddr4},
    {"ccd", &timing::ccd, 8, detail::d3_rule},
    {"ccdl", &timing::ccdl, 8, detail::d3_rule},
    {"rrd", &timing::rrd, 8, detail::d3_lpddr4},
    {"rrdl", &timing::rrdl, 8, detail::d3_lpddr4},
    {"rcd", &timing::rcd, 15, detail::d3_lpddr4},
    {"rcdwr", &timing::rcdwr, 15, detail::d3_lpddr4},
    {"ras", &timing::ras, 32, detail::d3_lpddr4},
    {"rp", &timing::rp, 15, detail::d3_lpddr4},
    {"rc", &timing::rc, 47, detail::d3_rule},
    {"cl", &timing::cl, 17, detail::d3_lpddr4},
    {"wl", &timing::wl, 14, detail::d3_lpddr4},
    {"cdlr", &timing::cdlr, 8, detail::d3_lpddr4},
    {"cdlrl", &timing::cdlrl, 16, detail::d3_lpddr4},
    {"wr", &timing::wr, 30, detail::d3_lpddr4},
    {"rtp", &timing::rtp, 12, detail::d3_lpddr4},
    {"rtpl", &timing::rtpl, 0, detail::d3_rule},
    {"faw", &timing::faw, 32, detail::d3_lpddr4},
    {"rtw", &timing::rtw, 12, detail::d3_rule},
    {"ppd", &timing::ppd, 2, detail::d3_lpddr4},
    {"rtpa", &timing::rtpa, 20, detail::d3_rule},
    {"rtrs", &timing::rtrs, 1, detail::d3_lpddr4},
    {"rfc", &timing::rfc, 392, detail::d3_lpddr4},
};
inline constexpr timing lpddr4_dramsim3 = detail::made_of(lpddr4_dramsim3_numbers, false);

/// A named set with what belongs to it.
struct standard {
    char const* name;
    char const* says;
    timing const* numbers;
    timing_number const* sources;
    std::size_t count;
    command_bus bus;
    char const* mapping; ///< of one channel, for address_mapping
    std::uint32_t
        refi; ///< its interval of all-bank refresh in cycles, which `numbers` leaves off; 0: not known
};

namespace detail {
template <std::size_t N>
constexpr standard describe(char const* name, char const* says, timing const& t,
                            timing_number const (&numbers)[N], command_bus bus, char const* mapping,
                            std::uint32_t refi) {
    return {name, says, &t, numbers, N, bus, mapping, refi};
}
} // namespace detail

/// All of them.
inline constexpr standard standards[] = {
    detail::describe("gddr3_owl", "GDDR3 of OWL's machine", gddr3_owl, gddr3_owl_numbers,
                     command_bus::single_and_row, "low:S2 C9 B2 R14", 0),
    detail::describe("gddr5_gtx480", "GDDR5 of the GTX 480 (GPGPU-Sim)", gddr5_gtx480, gddr5_gtx480_numbers,
                     command_bus::single_and_row, "low:S6 C2 B1 C3 B3 R12", 0),
    detail::describe("hbm2_qv100", "HBM2 of the Quadro GV100 (GPGPU-Sim)", hbm2_qv100, hbm2_qv100_numbers,
                     command_bus::dual, "low:S6 C2 B1 C3 B3 R13", 0),
    detail::describe("gddr6_rtx3070", "GDDR6 of the RTX 3070 (GPGPU-Sim)", gddr6_rtx3070,
                     gddr6_rtx3070_numbers, command_bus::single_and_row, "low:S6 C2 B1 C3 B3 R13", 0),
    detail::describe("hbm3_h100", "HBM3 of the H100 (Accel-Sim)", hbm3_h100, hbm3_h100_numbers,
                     command_bus::dual, "low:S6 C2 B1 C3 B3 R14", 0),
    detail::describe("gddr6_ramulator", "GDDR6 of Ramulator 2.1", gddr6_ramulator, gddr6_ramulator_numbers,
                     command_bus::single, "low:S5 C6 G2 B2 R14", 3333),
    detail::describe("hbm2_ramulator", "HBM2 of Ramulator 2.1", hbm2_ramulator, hbm2_ramulator_numbers,
                     command_bus::dual, "low:S5 C5 P1 G2 B2 R14", 3900),
    detail::describe("gddr5_dramsim3", "GDDR5 of DRAMsim3", gddr5_dramsim3, gddr5_dramsim3_numbers,
                     command_bus::single, "low:S7 C7 B4 R14", 3800),
    detail::describe("gddr5x_dramsim3", "GDDR5X of DRAMsim3", gddr5x_dramsim3, gddr5x_dramsim3_numbers,
                     command_bus::single, "low:S8 C6 B4 R14", 11699),
    detail::describe("gddr6_dramsim3", "GDDR6 of DRAMsim3", gddr6_dramsim3, gddr6_dramsim3_numbers,
                     command_bus::single, "low:S8 C7 B4 R14", 11862),
    detail::describe("hbm2_dramsim3", "HBM2 of DRAMsim3", hbm2_dramsim3, hbm2_dramsim3_numbers,
                     command_bus::dual, "low:S6 C5 B2 G2 R15", 3900),
    detail::describe("ddr3_ramulator", "DDR3 of Ramulator 2.1", ddr3_ramulator, ddr3_ramulator_numbers,
                     command_bus::single, "low:S6 C7 B3 R16", 6240),
    detail::describe("ddr4_ramulator", "DDR4 of Ramulator 2.1", ddr4_ramulator, ddr4_ramulator_numbers,
                     command_bus::single, "low:S6 C7 G2 B2 R16", 12480),
    detail::describe("ddr5_ramulator", "DDR5 of Ramulator 2.1", ddr5_ramulator, ddr5_ramulator_numbers,
                     command_bus::single, "low:S6 C6 G3 B2 R16", 9375),
    detail::describe("lpddr5_ramulator", "LPDDR5 of Ramulator 2.1", lpddr5_ramulator,
                     lpddr5_ramulator_numbers, command_bus::single, "low:S5 C6 G2 B2 R16", 3125),
    detail::describe("gddr7_ramulator", "GDDR7 of Ramulator 2.1", gddr7_ramulator, gddr7_ramulator_numbers,
                     command_bus::dual, "low:S5 C6 B4 R14", 3327),
    detail::describe("hbm1_ramulator", "HBM of Ramulator 2.1", hbm1_ramulator, hbm1_ramulator_numbers,
                     command_bus::dual, "low:S5 C6 G2 B1 R15", 1950),
    detail::describe("hbm3_ramulator", "HBM3 of Ramulator 2.1, 8 dies", hbm3_ramulator,
                     hbm3_ramulator_numbers, command_bus::dual, "low:S5 C5 P1 G3 B2 R14", 6240),
    detail::describe("hbm3_16hi_ramulator", "HBM3 of Ramulator 2.1, 16 dies", hbm3_16hi_ramulator,
                     hbm3_16hi_ramulator_numbers, command_bus::dual, "low:S5 C5 P1 G4 B2 R15", 6240),
    detail::describe("hbm4_ramulator", "HBM4 of Ramulator 2.1, 8 dies", hbm4_ramulator,
                     hbm4_ramulator_numbers, command_bus::dual, "low:S5 C5 P1 G2 B3 R14", 7800),
    detail::describe("hbm2e_a100", "HBM2E of the A100 (proposed for Accel-Sim)", hbm2e_a100,
                     hbm2e_a100_numbers, command_bus::dual, "low:S5 C6 B4 R14", 0),
    detail::describe("ddr3_dramsim3", "DDR3 of DRAMsim3", ddr3_dramsim3, ddr3_dramsim3_numbers,
                     command_bus::single, "low:S6 C8 B3 K1 R16", 7800),
    detail::describe("ddr4_dramsim3", "DDR4 of DRAMsim3", ddr4_dramsim3, ddr4_dramsim3_numbers,
                     command_bus::single, "low:S6 C7 G2 B2 K1 R16", 12480),
    detail::describe("lpddr4_dramsim3", "LPDDR4 of DRAMsim3", lpddr4_dramsim3, lpddr4_dramsim3_numbers,
                     command_bus::single, "low:S7 C6 G1 B2 K1 R16", 8660),
};

} // namespace warpkit::dram
