#pragma once
/// \file
/// Import: cores, clocks, schedulers and latencies.

#include <warpkit/base/error.hpp>
#include <warpkit/config/gpgpusim/mapping.hpp>
#include <warpkit/config/gpgpusim/values.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::gpgpusim::detail {

/// -gpgpu_n_clusters to -gpgpu_scheduler, and latencies of PTX or of traces.
class core_mapping : protected mapping {
protected:
    using mapping::mapping;

    void map_machine() {
        auto const clusters = option("-gpgpu_n_clusters");
        auto const each = option("-gpgpu_n_cores_per_cluster");
        if (whole(clusters) == 0 || whole(each) == 0) {
            auto const& none = whole(clusters) == 0 ? clusters : each;
            throw error(none.where + ": " + none.name + " 0: a machine has one core at least");
        }
        put("core.count", whole(clusters) * whole(each), "documented: " + clusters.from + "; " + each.from);
        if (whole(each) > 1) note(each, "each core has a port of its own to the network");
        auto const clocks = option("-gpgpu_clock_domains");
        auto const khz = value_of(clocks, read_clocks);
        constexpr char const* names[] = {"clock.core", "clock.interconnect", "clock.l2", "clock.dram"};
        for (std::size_t i = 0; i < 4; ++i) put(names[i], khz[i], clocks);
    }

    void map_core() {
        auto const pipeline = option("-gpgpu_shader_core_pipeline");
        auto const shape = list(pipeline, ':', 2, 3, "threads:lanes of a warp, as 1536:32");
        if (shape[1] != 32)
            throw error(pipeline.where + ": " + pipeline.name + ' ' + pipeline.value + ": warps of " +
                        std::to_string(shape[1]) + " lanes; only warps of 32 are modelled, as threads:32");
        auto const rounded = (std::uint64_t{shape[0]} + 31) / 32 * 32;
        if (rounded != shape[0]) note_changed(pipeline, "threads are a multiple of 32");
        put_within("core.threads", rounded, 32, 2048, pipeline, "a core has 1 to 64 warps");
        auto const [generation, from] = capability();
        put("core.max_registers_per_thread",
            generation < 20   ? 128
            : generation < 35 ? 63
                              : 255,
            "documented: CUDA C Programming Guide, compute capability " + std::to_string(generation / 10) +
                '.' + std::to_string(generation % 10) + "; " + from.from);
        auto const registers = option("-gpgpu_shader_registers");
        put_within("core.registers", whole(registers), 1, 1U << 24, registers, "its bounds");
        auto const ctas = option("-gpgpu_shader_cta");
        put_within("core.ctas", whole(ctas), 1, 64, ctas, "a core has 1 to 64 CTAs");
        auto const shared = option("-gpgpu_shmem_size");
        put_within("core.shared_bytes", whole(shared), 0, 1U << 24, shared, "its bounds");
        auto const schedulers = option("-gpgpu_num_sched_per_core");
        put_within("core.schedulers", whole(schedulers), 1, 4, schedulers, "a core has 1 to 4 schedulers");
        map_units(whole(schedulers));
        if (auto const ports = option("-gpgpu_reg_file_port_throughput"); whole(ports) > 1) {
            // Latch and collector, the reads of one or two registers, dispatch; then the unit takes it.
            put("core.operand_cycles", 3,
                "documented: GPGPU-Sim source: steps of the operand collectors; " + ports.from);
            put("core.writeback_cycles", 2, "documented: GPGPU-Sim source: result port and scoreboard");
        }
        auto const launch = option("-gpgpu_kernel_launch_latency");
        put_within("core.kernel_launch_cycles", whole(launch), 0, 1'000'000, launch, "0 to 1000000 cycles");
        auto const cta_launch = option("-gpgpu_TB_launch_latency");
        put_within("core.cta_launch_cycles", whole(cta_launch), 0, 1000, cta_launch, "0 to 1000 cycles");
        map_kernels();
        map_load_store_queue();
        map_collectors(flag(option("-gpgpu_sub_core_model")), whole(schedulers));
        map_scheduler();
    }

    void map_latencies() {
        static constexpr char const* one[] = {"branch", "barrier", "fence",  "exit",    "load",
                                              "store",  "atomic",  "tensor", "uniform", "other"};
        for (auto const* op : one)
            latency(op, 1, 1, "documented: GPGPU-Sim source: 1 for what no table names",
                    "documented: GPGPU-Sim source: 1 for what no table names");
        bool const wide = out_.traces && capability().first >= 70;
        auto const bytes = wide ? 16U : 8U;
        put("core.instruction_bytes", bytes,
            out_.traces ? "documented: size of an instruction of that generation"
                        : "documented: GPGPU-Sim source: size of a "
                          "PTX instruction");
        auto const fetches = option("-gpgpu_inst_fetch_throughput");
        put_within("core.fetches", whole(fetches), 1, 16, fetches, "1 to 16 fetches in a cycle");
        put("core.fetch_bytes", 2 * bytes, "documented: GPGPU-Sim source: a fetch decodes two instructions");
        put("core.instruction_buffer", 2, "documented: GPGPU-Sim source: IBUFFER_SIZE");
        if (out_.traces)
            map_trace_latencies();
        else
            map_ptx_latencies();
    }

private:
    /// Kernels at once. Accel-Sim launches the next one when the last has ended, unless a core may have several.
    void map_kernels() {
        auto const most = option("-gpgpu_max_concurrent_kernel");
        auto const on_one_core = option("-gpgpu_concurrent_kernel_sm");
        if (out_.traces && !flag(on_one_core))
            put("core.kernels", 1, on_one_core);
        else
            put_within("core.kernels", whole(most), 1, 128, most, "1 to 128 kernels");
        policy("kernel_dispatch", flag(on_one_core) ? "leftover:cores=shared" : "leftover",
               "documented: " + on_one_core.from);
    }

    /// Execution units and who issues to them.
    void map_units(std::uint64_t schedulers) {
        auto const parted = option("-gpgpu_sub_core_model");
        auto const sub_cores = flag(parted) ? std::clamp<std::uint64_t>(schedulers, 1, 4) : 1;
        put("core.sub_cores", sub_cores, parted);
        auto const put_units = [&](char const* name, std::uint64_t n, std::uint64_t least, found const& f) {
            auto const legal =
                (std::clamp<std::uint64_t>(n, least, 64) + sub_cores - 1) / sub_cores * sub_cores;
            if (legal != n)
                note_changed(f, std::string(name) + " = " + std::to_string(legal) +
                                    ": each sub-core has as many, 64 all together at most");
            put(name, legal, (legal == n ? "documented: " : "estimated: nearest to ") + f.from);
        };
        auto const units = [&](char const* name, char const* of, std::uint64_t least) {
            auto const f = option(of);
            put_units(name, whole(f), least, f);
        };
        units("core.sp_units", "-gpgpu_num_sp_units", 1);
        units("core.sfu_units", "-gpgpu_num_sfu_units", 1);
        units("core.dp_units", "-gpgpu_num_dp_units", 0);
        units("core.int_units", "-gpgpu_num_int_units", 0);
        units("core.tensor_units", "-gpgpu_num_tensor_core_units", 0);
        std::string const none = "documented: none of the -specialized_unit_# is one";
        put("core.branch_units", 0, none);
        put("core.uniform_units", 0, none);
        for (char n = '1'; out_.traces && n <= '8'; ++n) {
            auto const unit = option(std::string("-specialized_unit_") + n);
            if (!unit.given) continue;
            auto const u = value_of(unit, read_unit);
            if (!u.enabled) continue;
            if (u.name == "BRA") put_units("core.branch_units", u.units, 1, unit);
            if (u.name == "UDP") put_units("core.uniform_units", u.units, 1, unit);
            if (u.name == "TENSOR") put_units("core.tensor_units", u.units, 1, unit);
        }
        auto const width = option("-gpgpu_max_insn_issue_per_warp");
        put_within("core.issue_width", whole(width), 1, 4, width,
                   "a warp issues 1 to 4 instructions in a cycle");
        auto const different = option("-gpgpu_dual_issue_diff_exec_units");
        put("core.issue_to_different", flag(different), different);
        put("core.perfect_branches", out_.traces ? 1 : 0,
            out_.traces
                ? "documented: Accel-Sim source: it decodes the next instructions of the trace, whatever "
                  "the branches"
                : "documented: GPGPU-Sim source: a warp fetches again behind each branch");
    }
    void map_load_store_queue() {
        auto const widths = option("-gpgpu_pipeline_widths");
        auto const w = list(widths, ',', 7, 13, "7, 9, 11 or 13 widths with commas");
        // 7: ID_OC_SP SFU MEM, OC_EX_SP SFU MEM, EX_WB; 9 with DP behind SP; 11 with INT behind that; 13 with two for
        // tensor cores at the end.
        if (w.size() % 2 == 0)
            throw error(widths.where + ": " + widths.name + ' ' + widths.value + ": " +
                        std::to_string(w.size()) + " widths; write 7, 9, 11 or 13 with commas");
        auto const kinds = w.size() == 13 ? 5 : (w.size() - 1) / 2;
        auto const into = w[kinds - 1];
        auto const out_of = w[2 * kinds - 1];
        auto const own = option("-gpgpu_operand_collector_num_units_mem");
        auto const any = option("-gpgpu_operand_collector_num_units_gen");
        auto const special = flag(option("-gpgpu_enable_specialized_operand_collector"));
        auto const held = special ? whole(own) + whole(any) : whole(any);
        put_within("lsu.queue", into + held + out_of, 1, 1024, widths, "its bounds");
        numbers_["lsu.queue"].source =
            "documented: issue latches, operand collectors and dispatch registers of loads and "
            "stores: " +
            widths.from + "; " + (special ? own : any).from;
        for (std::size_t k = 0; k + 1 < kinds; ++k) {
            auto const* const unit = k == 0           ? "-gpgpu_num_sp_units"
                                     : k + 2 == kinds ? "-gpgpu_num_sfu_units"
                                                      : nullptr;
            if (unit != nullptr && (w[k] < whole(option(unit)) || w[kinds + k] < whole(option(unit)))) {
                note(widths, "all units of a kind can begin in one cycle");
                break;
            }
        }
    }
    /// Register banks and operand collectors, of machines whose schedulers have their own.
    void map_collectors(bool parted, std::uint64_t schedulers) {
        auto const banks = option("-gpgpu_num_reg_banks");
        auto const sub_cores = std::clamp<std::uint64_t>(schedulers, 1, 4);
        auto const put_share = [&](std::string const& name, std::uint64_t n, std::uint64_t most,
                                   found const& f) {
            auto const legal =
                std::min((n + sub_cores - 1) / sub_cores * sub_cores, most / sub_cores * sub_cores);
            if (legal != n)
                note_changed(f, name + " = " + std::to_string(legal) + ": each sub-core has as many");
            put(name, legal, (legal == n ? "documented: " : "estimated: nearest to ") + f.from);
        };
        for (auto const* const n : {"core.read_window", "core.register_cache", "core.control_bits"})
            put(n, 0, "documented: GPGPU-Sim source: operand collectors and a scoreboard");
        if (!parted) {
            put("core.first_fetch", 0, "estimated: warps take turns from the first on");
            put("core.register_banks", 0, "estimated: collectors are modelled from Volta on");
            put("lsu.writeback_port", 0, "estimated: with collectors alone");
            if (banks.given)
                note(banks, "no operand collectors before Volta: core.operand_cycles stands for them");
            return;
        }
        put("core.blocking_atomics", 1, "documented: GPGPU-Sim source: a warp waits for its atomics");
        put("core.first_fetch", 1, "documented: GPGPU-Sim 4.x source: m_last_warp_fetched is 0 at first");
        put("lsu.writeback_port", 1, "documented: GPGPU-Sim 4.x source: ldst_unit::writeback");
        put_share("core.register_banks", std::max<std::uint64_t>(whole(banks), 1), 256, banks);
        auto const turns = option("-gpgpu_reg_file_port_throughput");
        put_within("core.bank_accesses", whole(turns), 1, 16, turns, "a bank serves 1 to 16 in a cycle");
        auto const widths = option("-gpgpu_pipeline_widths");
        auto const w = list(widths, ',', 7, 13, "7, 9, 11 or 13 widths with commas");
        put_within("core.result_buses", w[w.size() == 13 ? 10 : w.size() - 1], 1, 64, widths,
                   "1 to 64 buses");
        auto const special = flag(option("-gpgpu_enable_specialized_operand_collector"));
        for (unsigned k = 0; k < unit_kind_count; ++k) {
            std::string const kind = unit_kind_names[k];
            put("core.latches." + kind, sub_cores,
                "documented: GPGPU-Sim source: one in each; " + widths.from);
            put("core.collectors." + kind, 0, "documented: none for branches and the uniform data path");
            put("core.collector_ports." + kind, 0, "documented: none for branches and the uniform data path");
        }
        struct names {
            char const* set;
            char const* option;
        };
        for (auto const& [set, name] : {names{"any", "gen"},
                                        {"sp", "sp"},
                                        {"sfu", "sfu"},
                                        {"dp", "dp"},
                                        {"integer", "int"},
                                        {"tensor", "tensor_core"},
                                        {"load_store", "mem"}}) {
            auto const of = [&, option_name = std::string(name)](char const* what) {
                return option(std::string("-gpgpu_operand_collector_num_") + what + '_' + option_name);
            };
            bool const there = special || std::string_view(set) == "any";
            auto const units = of("units");
            put_share(std::string("core.collectors.") + set, there ? whole(units) : 0, 32, units);
            auto const in = of("in_ports");
            put_within(std::string("core.collector_ports.") + set,
                       there ? std::max<std::uint64_t>(whole(in), whole(units) != 0) : 0, 0, 64, in,
                       "a set has 1 to 64 ports");
        }
        if (special && whole(option("-gpgpu_operand_collector_num_units_gen")) == 0) {
            put("core.collectors.any", sub_cores, "estimated: so that each instruction finds one");
            put("core.collector_ports.any", 1, "estimated: the same");
        }
    }
    void map_scheduler() {
        auto const f = option("-gpgpu_scheduler");
        auto const text = value_of(f, [](std::string const& value) -> std::string {
            value_reader in(value,
                            "lrr, gto, rrr, oldest, two_level_active:warps:0:1 or warp_limiting:2:warps");
            auto const name = in.word("a scheduler");
            std::vector<std::uint32_t> numbers;
            while (in.take(':')) numbers.push_back(in.number("a number of the scheduler"));
            in.expect_end();
            if (numbers.empty()) {
                if (name == "lrr") return "lrr";
                if (name == "gto") return "gto";
                if (name == "rrr") return "strict_round_robin";
                if (name == "old" || name == "oldest") return "oldest";
            } else if (name == "two_level_active" && numbers.size() == 3 && numbers[1] == 0 &&
                       numbers[2] == 1) {
                return "two_level_gpgpusim:" + std::to_string(numbers[0]);
            } else if (name == "warp_limiting" && numbers.size() == 2 && numbers[0] == 2) {
                return "static_wavefront_limit:" + std::to_string(numbers[1]);
            }
            in.refuse("there is no such scheduler");
        });
        policy("warp_scheduler", text, "documented: " + f.from);
    }
    void latency(std::string const& op, std::uint64_t cycles, std::uint64_t starts,
                 std::string const& cycles_from, std::string const& starts_from) {
        put("core.latency." + op, std::max<std::uint64_t>(cycles, 1), cycles_from);
        put("core.initiation." + op, std::max<std::uint64_t>(starts, 1), starts_from);
    }
    void map_ptx_latencies() {
        static constexpr char const* ops[] = {"add", "max", "mul", "mad", "div"};
        for (std::string const kind : {"int", "fp", "dp"}) {
            auto const is_int = kind == "int";
            auto const cycles = option("-ptx_opcode_latency_" + kind);
            auto const starts = option("-ptx_opcode_initiation_" + kind);
            auto const grammar = is_int ? "add,max,mul,mad,div[,shuffle], as 4,13,4,5,145,32"
                                        : "add,max,mul,mad,div, as 4,13,4,5,39";
            auto const l = list(cycles, ',', 5, is_int ? 6 : 5, grammar);
            auto const i = list(starts, ',', 5, is_int ? 6 : 5, grammar);
            for (std::size_t k = 0; k < 5; ++k)
                latency(kind + '_' + ops[k], l[k], i[k], "documented: " + cycles.from,
                        "documented: " + starts.from);
            if (!is_int) continue;
            auto const standard = "documented: default of -ptx_opcode_latency_int and _initiation_int, whose "
                                  "sixth is not given";
            latency("shuffle", l.size() == 6 ? l[5] : 32, i.size() == 6 ? i[5] : 4,
                    l.size() == 6 ? "documented: " + cycles.from : standard,
                    i.size() == 6 ? "documented: " + starts.from : standard);
        }
        auto const cycles = option("-ptx_opcode_latency_sfu");
        auto const starts = option("-ptx_opcode_initiation_sfu");
        latency("special", whole(cycles), whole(starts), "documented: " + cycles.from,
                "documented: " + starts.from);
        auto const matrix = option("-ptx_opcode_latency_tesnor");
        auto const matrix_starts = option("-ptx_opcode_initiation_tensor");
        latency("tensor", whole(matrix), whole(matrix_starts), "documented: " + matrix.from,
                "documented: " + matrix_starts.from);
    }
    void map_trace_latencies() {
        auto const pair = [&](std::string const& what) {
            auto const f = option("-trace_opcode_latency_initiation_" + what);
            return std::pair(list(f, ',', 2, 2, "cycles,between two starts, as 4,1"), f);
        };
        auto const all = [&](std::string const& what, std::vector<std::string> const& ops) {
            auto const [l, f] = pair(what);
            for (auto const& op : ops)
                latency(op, l[0], l[1], "documented: " + f.from, "documented: " + f.from);
        };
        all("int",
            {"int_add", "int_max", "int_mul", "int_mad", "int_div", "shuffle", "branch", "uniform", "other"});
        all("tensor", {"tensor"});
        all("sp", {"fp_add", "fp_max", "fp_mul", "fp_mad", "fp_div"});
        all("dp", {"dp_add", "dp_max", "dp_mul", "dp_mad", "dp_div"});
        all("sfu", {"special"});
        put("lsu.constant_latency", std::max(pair("int").first[0], 1U),
            "documented: a load of a constant is an integer instruction in traces: " +
                pair("int").second.from);
        for (char n = '1'; n <= '8'; ++n) {
            auto const unit = option(std::string("-specialized_unit_") + n);
            if (!unit.given) continue;
            auto const u = value_of(unit, read_unit);
            if (!u.enabled) continue;
            auto const* const op = u.name == "BRA"      ? "branch"
                                   : u.name == "UDP"    ? "uniform"
                                   : u.name == "TENSOR" ? "tensor"
                                                        : nullptr;
            if (op != nullptr) {
                all(std::string("spec_op_") + n, {op});
            } else {
                note(unit, "no unit " + u.name +
                               ": its instructions are of the class that the opcode table gives them");
            }
        }
    }
};

} // namespace warpkit::gpgpusim::detail
