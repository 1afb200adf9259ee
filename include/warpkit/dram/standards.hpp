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
};

} // namespace warpkit::dram
