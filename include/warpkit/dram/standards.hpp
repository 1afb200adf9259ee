#pragma once
/// \file
/// Named timing sets. Each number is written once, beside its source.

#include <warpkit/dram/timing.hpp>

#include <cstddef>
#include <cstdint>

namespace warpkit::dram {

namespace detail {
template <std::size_t N>
constexpr timing made_of(timing_number const (&numbers)[N]) {
    timing t;
    for (auto const& n : numbers) t.*n.member = n.value;
    return t;
}
inline constexpr char const* gtx480_config =
    "documented: GPGPU-Sim 4.x SM2_GTX480, the same in 3.2.x (SPEC 8.1)";
inline constexpr char const* owl_table = "documented: OWL table 1";
inline constexpr char const* fx5800_config =
    "documented: GPGPU-Sim QuadroFX5800, OWL's simulator's GDDR3 (SPEC 8.1)";
inline constexpr char const* rcdwr_rule = "derived: rcd - (wl + 1), GPGPU-Sim's memory_config";
inline constexpr char const* rtp_rule = "derived: burst_length / data_rate, GPGPU-Sim's issue_col_command";
} // namespace detail

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
    {"bank_groups", &timing::bank_groups, 1, "documented: GDDR3 has no bank groups"},
    {"bus_bytes", &timing::bus_bytes, 8, detail::fx5800_config},
    {"burst_length", &timing::burst_length, 4, detail::fx5800_config},
    {"data_rate", &timing::data_rate, 2, detail::fx5800_config},
    {"ccd", &timing::ccd, 2, detail::fx5800_config},
    {"ccdl", &timing::ccdl, 0, "documented: GDDR3 has no bank groups"},
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
    {"rtpl", &timing::rtpl, 0, "documented: GDDR3 has no bank groups"},
};
inline constexpr timing gddr3_owl = detail::made_of(gddr3_owl_numbers);

} // namespace warpkit::dram
