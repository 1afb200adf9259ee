#pragma once
/// \file
/// Energy by part, after AccelWattch (Kandiah, Peverelle, Khairy, Pan, Manjunath, Rogers, Aamodt, Hardavellas:
/// "AccelWattch: A Power Modeling Framework for Modern GPUs", MICRO 2021): a constant, what powered cores leak, and an
/// energy for each event. docs/model/energy.md has the equations, the sources of the numbers, and where this differs.
///
///     auto const e = report::energy_of(result.total, activity, machine::numbers(), report::accelwattch_volta);
///     e.total(); // J
///     e.watts(report::energy_part::dram);

#include <warpkit/base/lanes.hpp>
#include <warpkit/machine/counters.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/report/activity.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpkit::report {

/// Where energy goes.
enum class energy_part : std::uint8_t {
    constant,
    leakage,
    idle_cores,
    instruction_buffers,
    schedulers,
    instruction_caches,
    register_files,
    integer,
    single_precision,
    double_precision,
    special_functions,
    tensor_cores,
    texture_units,
    pipelines,
    l1_data_caches,
    shared_memory,
    constant_caches,
    texture_caches,
    l2,
    networks,
    dram
};
inline constexpr unsigned energy_part_count = 21;

struct energy_part_note {
    char const* name;
    char const* definition;
};
inline constexpr energy_part_note energy_parts[energy_part_count] = {
    {"constant",
     "of the whole board, whatever the chip does: clocks, fans, regulators, memory controllers at rest"},
    {"leakage", "of cores that have a CTA, by the mix of what they execute and the lanes in use"},
    {"idle_cores", "of cores that have none"},
    {"instruction_buffers", "fetched instructions kept and decoded"},
    {"schedulers", "instructions chosen"},
    {"instruction_caches", "hits and misses"},
    {"register_files", "operands of warps read and written"},
    {"integer", "additions, multiplications and divisions of integers, by lane"},
    {"single_precision", "those of floats"},
    {"double_precision", "those of doubles"},
    {"special_functions", "roots, logarithms, sines and exponentials, by lane"},
    {"tensor_cores", "their instructions, by lane"},
    {"texture_units", "texels fetched, by lane"},
    {"pipelines", "latches that instructions of lanes go through"},
    {"l1_data_caches", "hits and misses of reads and writes"},
    {"shared_memory", "accesses, each bank conflict one more"},
    {"constant_caches", "accesses"},
    {"texture_caches", "hits and misses"},
    {"l2", "hits and misses of reads and writes"},
    {"networks", "flits, both ways"},
    {"dram", "reads, writes and precharges, with their way through the memory controllers"},
};

/// What is paid for by the piece.
enum class energy_event : std::uint8_t {
    instruction,
    decision,
    instruction_hit,
    instruction_miss,
    register_read,
    register_write,
    integer_add,
    integer_multiply,
    integer_divide,
    single_add,
    single_multiply,
    single_divide,
    double_add,
    double_multiply,
    double_divide,
    special,
    tensor,
    texture,
    lane,
    l1_read_hit,
    l1_read_miss,
    l1_write_hit,
    l1_write_miss,
    shared_access,
    constant_access,
    texture_hit,
    texture_miss,
    l2_read_hit,
    l2_read_miss,
    l2_write_hit,
    l2_write_miss,
    flit,
    dram_read,
    dram_write,
    dram_precharge
};
inline constexpr unsigned energy_event_count = 35;

struct energy_event_note {
    char const* name;
    energy_part part;
    char const* accelwattch; ///< its name there
};
inline constexpr energy_event_note energy_events[energy_event_count] = {
    {"instruction", energy_part::instruction_buffers, "TOT_INST"},
    {"decision", energy_part::schedulers, "FP_INT"},
    {"instruction_hit", energy_part::instruction_caches, "IC_H"},
    {"instruction_miss", energy_part::instruction_caches, "IC_M"},
    {"register_read", energy_part::register_files, "REG_RD"},
    {"register_write", energy_part::register_files, "REG_WR"},
    {"integer_add", energy_part::integer, "INT_ACC"},
    {"integer_multiply", energy_part::integer, "INT_MUL_ACC"},
    {"integer_divide", energy_part::integer, "INT_DIV_ACC"},
    {"single_add", energy_part::single_precision, "FP_ACC"},
    {"single_multiply", energy_part::single_precision, "FP_MUL_ACC"},
    {"single_divide", energy_part::single_precision, "FP_DIV_ACC"},
    {"double_add", energy_part::double_precision, "DP_ACC"},
    {"double_multiply", energy_part::double_precision, "DP_MUL_ACC"},
    {"double_divide", energy_part::double_precision, "DP_DIV_ACC"},
    {"special", energy_part::special_functions, "FP_SQRT_ACC, FP_LG_ACC, FP_SIN_ACC, FP_EXP_ACC"},
    {"tensor", energy_part::tensor_cores, "TENSOR_ACC"},
    {"texture", energy_part::texture_units, "TEX_ACC"},
    {"lane", energy_part::pipelines, "PIPE_A"},
    {"l1_read_hit", energy_part::l1_data_caches, "DC_RH"},
    {"l1_read_miss", energy_part::l1_data_caches, "DC_RM"},
    {"l1_write_hit", energy_part::l1_data_caches, "DC_WH"},
    {"l1_write_miss", energy_part::l1_data_caches, "DC_WM"},
    {"shared_access", energy_part::shared_memory, "SHRD_ACC"},
    {"constant_access", energy_part::constant_caches, "CC_H"},
    {"texture_hit", energy_part::texture_caches, "TC_H"},
    {"texture_miss", energy_part::texture_caches, "TC_M"},
    {"l2_read_hit", energy_part::l2, "L2_RH"},
    {"l2_read_miss", energy_part::l2, "L2_RM"},
    {"l2_write_hit", energy_part::l2, "L2_WH"},
    {"l2_write_miss", energy_part::l2, "L2_WM"},
    {"flit", energy_part::networks, "NOC_A"},
    {"dram_read", energy_part::dram, "MEM_RD"},
    {"dram_write", energy_part::dram, "MEM_WR"},
    {"dram_precharge", energy_part::dram, "MEM_PRE"},
};

/// What powered cores leak depends on which units work at all, and on the lanes in use: the first one's share and each further
/// lane's, in watts, for as many cores as the model was fitted on.
struct leakage_mix {
    char const* name;
    double first_lane;
    double further_lane;
};
enum class unit_mix : std::uint8_t {
    integer_add,
    integer_multiply,
    integer,
    with_single,
    with_double,
    with_special,
    with_texture,
    with_tensor,
    other,
    l1_alone,
    shared_alone,
    l2_alone,
    light
};
inline constexpr unsigned unit_mix_count = 13;

/// The numbers of a power model.
struct power_model {
    char const* name;
    std::array<double, energy_event_count> picojoules; ///< of each event
    double constant_watts;
    double idle_core_watts; ///< of each
    std::array<leakage_mix, unit_mix_count> leakage;
    double cores; ///< those that it was fitted on
};

/// AccelWattch's for Volta (SASS SIM), fitted on a Quadro GV100. Energies are what AccelWattch itself answers to one
/// event of each kind: McPAT's for a 23 nm Fermi, times the factors of accelwattch_sass_sim.xml (gpgpu-sim_distribution
/// 667834cf, configs/tested-cfgs/SM7_QV100; the same file serves its TITAN V, TITAN X and RTX 2060 SUPER). Watts stand
/// in that file as they are. `special` is the mean of its four; no factor was fitted for divisions and texture caches.
inline constexpr power_model accelwattch_volta = {
    "AccelWattch, Volta",
    {5.87836,  17.3106, 149.804, 2031.65, 2.50016, 2.13674, 6.92238, 4.45129, 38.6739,
     9.98617,  3.46198, 38.6739, 14.6535, 5.10994, 38.6739, 7.88965, 31.5368, 4.45137,
     0.488631, 506.432, 338.455, 37.3126, 393.384, 112.605, 6.10784, 79.2686, 84.9872,
     68.7875,  4.48159, 269.741, 129.999, 86.1012, 2062.17, 1178.89, 332.694},
    32.32522272 + 0.55022, // constant_power, and the memory controllers' at rest
    0.28279166,
    {{{"integer additions", 19.70468506, 0.388578623},
      {"integer multiplications", 16.64811823, 0.281803166},
      {"integers", 15.29035866, 0.586233603},
      {"integers and floats", 18.6179906, 0.645228013},
      {"integers, floats and doubles", 19.10017723, 0.726863055},
      {"integers, floats and special functions", 18.55029744, 0.6099397},
      {"integers, floats and textures", 14.74826681, 0.514367937},
      {"integers, floats and tensor cores", 48.94875596, 0},
      {"another mix", 17.21745077, 0.650630555},
      {"L1 accesses alone", 34.79491352, 0},
      {"shared memory alone", 31.40965691, 0},
      {"L2 accesses alone", 17.30654755, 0},
      {"none", 1.965373811, 0.003966868}}},
    80};

/// Which units worked in a launch, as AccelWattch tells mixes apart.
inline unit_mix mix_of(launch_activity const& a, std::uint64_t l2_accesses) noexcept {
    auto const any = [&](auto... kinds) { return ((a.lanes[static_cast<unsigned>(kinds)] != 0) || ...); };
    using enum op_class;
    bool const adds = any(int_add, int_max, shuffle);
    bool const multiplies = any(int_mul, int_mad, int_div);
    bool const single = any(fp_add, fp_max, fp_mul, fp_mad, fp_div);
    bool const twice = any(dp_add, dp_max, dp_mul, dp_mad, dp_div);
    bool const functions = any(op_class::special);
    bool const matrices = any(op_class::tensor);
    bool const texels = a.texture_lanes != 0;
    unsigned const more = unsigned{twice} + unsigned{functions} + unsigned{matrices} + unsigned{texels};
    bool const integers = adds || multiplies;
    if (!integers && !single && more == 0)
        return a.l1 != read_write_counts{} ? unit_mix::l1_alone
               : a.shared_accesses != 0    ? unit_mix::shared_alone
               : l2_accesses != 0          ? unit_mix::l2_alone
                                           : unit_mix::light;
    if (!integers || more > 1 || (more == 1 && !single)) return unit_mix::other;
    if (!single)
        return !multiplies ? unit_mix::integer_add : !adds ? unit_mix::integer_multiply : unit_mix::integer;
    return twice       ? unit_mix::with_double
           : functions ? unit_mix::with_special
           : matrices  ? unit_mix::with_tensor
           : texels    ? unit_mix::with_texture
                       : unit_mix::with_single;
}

/// How many of each event there were. `l2` may be of another stretch of the run than the rest.
inline std::array<std::uint64_t, energy_event_count>
energy_events_of(run_counters const& c, launch_activity const& a, read_write_counts const& l2) noexcept {
    auto const lanes_of = [&](auto... kinds) { return (a.lanes[static_cast<unsigned>(kinds)] + ...); };
    using enum op_class;
    return {c.core.warp_instructions,
            c.core.warp_instructions,
            c.l1i.hits + c.l1i.hit_reserved,
            c.l1i.misses + c.l1i.sector_misses,
            lanes * a.register_reads,
            lanes * a.register_writes,
            lanes_of(int_add, int_max, shuffle),
            lanes_of(int_mul, int_mad),
            lanes_of(int_div),
            lanes_of(fp_add, fp_max),
            lanes_of(fp_mul, fp_mad),
            lanes_of(fp_div),
            lanes_of(dp_add, dp_max),
            lanes_of(dp_mul, dp_mad),
            lanes_of(dp_div),
            lanes_of(op_class::special),
            lanes_of(op_class::tensor),
            a.texture_lanes,
            c.core.thread_instructions,
            a.l1.read_hits,
            a.l1.read_misses,
            a.l1.write_hits,
            a.l1.write_misses,
            a.shared_accesses + c.core.bank_conflict_cycles,
            c.l1c.accesses,
            c.l1t.hits + c.l1t.hit_reserved,
            c.l1t.misses + c.l1t.sector_misses,
            l2.read_hits,
            l2.read_misses,
            l2.write_hits,
            l2.write_misses,
            c.request_network.flits + c.reply_network.flits,
            c.dram.read_atoms,
            c.dram.write_atoms,
            c.dram.precharges};
}

/// Joules by part.
struct energy_report {
    std::array<double, energy_part_count> joules{};
    double seconds = 0; ///< simulated

    double& operator[](energy_part p) noexcept { return joules[static_cast<unsigned>(p)]; }
    double operator[](energy_part p) const noexcept { return joules[static_cast<unsigned>(p)]; }
    double total() const noexcept {
        double sum = 0;
        for (auto const j : joules) sum += j;
        return sum;
    }
    /// On average.
    double watts(energy_part p) const noexcept { return seconds == 0 ? 0 : (*this)[p] / seconds; }
    double watts() const noexcept { return seconds == 0 ? 0 : total() / seconds; }
    energy_report& operator+=(energy_report const& o) noexcept {
        for (unsigned i = 0; i < energy_part_count; ++i) joules[i] += o.joules[i];
        seconds += o.seconds;
        return *this;
    }
};

/// The energy of one launch, or of whatever has these counters and one mix of units.
inline energy_report energy_of(run_counters const& c, launch_activity const& a, read_write_counts const& l2,
                               gpu_parameters const& machine, power_model const& model) noexcept {
    energy_report e;
    auto const events = energy_events_of(c, a, l2);
    for (unsigned i = 0; i < energy_event_count; ++i)
        e[energy_events[i].part] += static_cast<double>(events[i]) * model.picojoules[i] * 1e-12;
    e.seconds = static_cast<double>(c.cycles) / (static_cast<double>(machine.clock.core) * 1e3);
    if (c.cycles == 0) return e;
    auto const without = c.core.cause[static_cast<unsigned>(cycle_cause::no_cta)] / machine.core.schedulers;
    auto const cycles = static_cast<double>(c.cycles);
    auto const idle = static_cast<double>(without) / cycles; // cores, on average
    auto const powered = static_cast<double>(c.core.cycles - without) / cycles;
    auto const& leak = model.leakage[static_cast<unsigned>(mix_of(a, c.l2.accesses))];
    auto const in_use =
        a.warps_executed == 0 ? 1 : (a.lanes_executed() + a.warps_executed - 1) / a.warps_executed;
    auto const per_core =
        (leak.first_lane + static_cast<double>(in_use - 1) * leak.further_lane) / model.cores;
    e[energy_part::constant] = model.constant_watts * e.seconds;
    e[energy_part::leakage] = per_core * powered * e.seconds;
    e[energy_part::idle_cores] = model.idle_core_watts * idle * e.seconds;
    return e;
}
/// The energy of a run: of its launches, each with its own mix, and of the L2.
template <class Launches>
energy_report energy_of(Launches const& launches, machine_activity const& activity,
                        gpu_parameters const& machine, power_model const& model) {
    auto e = energy_of(run_counters{}, {}, activity.l2, machine, model);
    for (std::size_t i = 0; i < launches.size(); ++i)
        e += energy_of(launches[i].counters,
                       i < activity.launches.size() ? activity.launches[i] : launch_activity{}, {}, machine,
                       model);
    return e;
}

/// Whether the numbers of accelwattch_volta are meant for this machine, as it was published.
constexpr bool is_calibrated(std::string_view preset, bool changed) noexcept {
    return preset == "qv100" && !changed;
}

} // namespace warpkit::report
