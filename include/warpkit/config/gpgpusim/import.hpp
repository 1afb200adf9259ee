#pragma once
/// \file
/// Configurations of GPGPU-Sim and Accel-Sim as machines of this library.
///
/// Each option is looked up in options.hpp: what is mapped becomes numbers and policies, each with the file and line that it
/// came from; what is not modelled, and what had to be changed, is told with its effect, so that nothing passes in silence.
/// What the options leave open (GPGPU-Sim has it in its source, or has no such thing) is the base preset's.
///
/// With options of Accel-Sim's trace.config, latencies are those of traces, else those of PTX. Sources: the GPGPU-Sim 3.x
/// manual, the tested configurations and their comments, the sources of both simulators for defaults and derived numbers.

#include <warpkit/base/error.hpp>
#include <warpkit/cache/geometry.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/config/gpgpusim/network_file.hpp>
#include <warpkit/config/gpgpusim/option_file.hpp>
#include <warpkit/config/gpgpusim/options.hpp>
#include <warpkit/config/gpgpusim/values.hpp>
#include <warpkit/config/machine_file.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::gpgpusim {

/// A configuration file.
struct config_file {
    std::string name;
    std::string text;
};

struct import_options {
    std::string name; ///< of the machine; empty: of the folder of the first file, or of that file
    std::uint64_t shared_used =
        0; ///< bytes of shared memory in use on a core, which an adaptive L1 leaves it
    std::vector<std::string> skipped;  ///< options to leave out, known or not
    std::vector<std::string> settings; ///< name=value, in place of what the files say
};

/// Something that is not in the machine as it was in the configuration.
struct import_note {
    bool changed = false; ///< a number is another one than asked for; else something is not modelled
    std::string option;
    std::string value;
    std::string where; ///< file:line, or "default"
    std::string effect;
    std::vector<std::pair<std::string, std::string>>
        also; ///< further options with the same effect, and their values
};

/// What became of an option that was given.
struct option_report {
    given_option given;
    simulator_option const* option = nullptr; ///< never a renamed one; null: skipped
};

struct imported_machine {
    machine_file machine;
    std::vector<import_note> notes;
    std::vector<option_report> options; ///< in the order of the files
    bool traces = false;                ///< the latencies are those of traces
};

namespace detail {

class importer {
public:
    importer(std::vector<config_file> const& files, file_reader const& read, import_options const& how)
        : files_(&files),
          read_(&read),
          how_(&how) {}

    imported_machine import() {
        if (files_->empty())
            throw error("nothing to import; give gpgpusim.config, and trace.config for traces");
        for (auto const& f : *files_) {
            auto const beside_it = [&](std::string const& name) { return (*read_)(beside(f.name, name)); };
            for (auto& o : read_options(f.text, f.name, beside_it)) take(std::move(o));
        }
        for (auto const& [name, o] : given_)
            out_.traces = out_.traces || name.rfind("-trace_opcode_latency_initiation_", 0) == 0;
        out_.machine.base = network_is_mesh() ? "owl" : "gtx480";
        out_.machine.name = machine_name();
        out_.machine.file = out_.machine.name;
        map_machine();
        map_core();
        map_latencies();
        map_caches();
        map_network();
        map_memory();
        map_dram();
        tell_not_modelled();
        finish();
        return std::move(out_);
    }

private:
    /// The value of an option, and where it is from.
    struct found {
        std::string value;
        std::string from;  ///< "file:line: -option value", or that it is the option's default
        std::string where; ///< "file:line", or "default"
        std::string name;
        bool given = false;
        bool any = false; ///< there is a value
    };

    // ---- options

    void take(given_option o) {
        auto const skipped = [&](std::string const& name) {
            return std::find(how_->skipped.begin(), how_->skipped.end(), name) != how_->skipped.end();
        };
        if (skipped(o.name)) {
            out_.options.push_back({std::move(o), nullptr});
            return;
        }
        auto const* known = find_option(o.name);
        if (known == nullptr)
            throw error(o.where.text() + ": there is no option " + o.name.substr(0, 80) +
                        did_you_mean(o.name.substr(0, 80), option_names()) + "; to go without it: --skip " +
                        o.name.substr(0, 80));
        if (known->what == fate::renamed) known = find_option(known->text);
        auto const is_flag = known->standard != nullptr && (std::string_view(known->standard) == "0" ||
                                                            std::string_view(known->standard) == "1");
        if (!o.has_value) { // a switch is on by itself
            if (!is_flag)
                throw error(o.where.text() + ": " + o.name + " has no value; it is for " + known->meaning);
            o.value = "1";
        }
        if (known->what == fate::refused && !is_plain(*known, o.value))
            throw error(o.where.text() + ": " + o.name + ' ' + o.value + ": " + known->text);
        std::string const key =
            std::string_view(known->name).find('#') != std::string_view::npos ? o.name : known->name;
        if (auto const before = given_.find(key); before != given_.end()) {
            if (before->second.value != o.value)
                note_changed(o.name, before->second.value, before->second.where.text(),
                             "given again at " + o.where.text() + " as " + o.value + "; the last one holds");
            before->second = o;
        } else {
            given_.emplace(key, o);
        }
        out_.options.push_back({std::move(o), known});
    }

    found option(std::string const& name) const {
        found f;
        f.name = name;
        if (auto const g = given_.find(name); g != given_.end()) {
            f.value = g->second.value;
            f.where = g->second.where.text();
            f.from = short_place(g->second.where) + ": " + g->second.name + ' ' + f.value;
            f.name = g->second.name;
            f.given = f.any = true;
            return f;
        }
        auto const* const o = find_option(name);
        f.where = "default";
        f.any = o != nullptr && o->standard != nullptr;
        if (f.any) f.value = o->standard;
        f.from = "default of " + name + ": " + f.value;
        return f;
    }

    /// What `read` makes of the option's value; its errors tell the place.
    template <class Read>
    static auto value_of(found const& f, Read&& read) {
        try {
            return read(f.value);
        } catch (error const& e) {
            throw error(f.where + ": " + f.name + " '" + f.value.substr(0, 200) + "': " + e.what());
        }
    }
    static std::uint64_t whole(found const& f) {
        return value_of(f, [](std::string const& text) {
            value_reader in(text, "a whole number");
            auto const n = in.whole("the value");
            in.expect_end();
            return n;
        });
    }
    static bool flag(found const& f) {
        return value_of(f, [](std::string const& text) {
            value_reader in(text, "0 or 1");
            auto const n = in.whole("0 or 1", 1);
            in.expect_end();
            return n != 0;
        });
    }
    static std::vector<std::uint32_t> list(found const& f, char between, std::size_t fewest, std::size_t most,
                                           char const* grammar) {
        return value_of(
            f, [&](std::string const& text) { return read_list(text, between, fewest, most, grammar); });
    }

    // ---- numbers

    void put(std::string const& name, std::uint64_t value, std::string const& kind_and_source) {
        auto const* const f = find_field(machine_numbers(), name);
        if (f == nullptr) throw error("import: there is no number " + name);
        numbers_[name] = {entry_value(value, f->unit), kind_and_source};
    }
    void put(std::string const& name, std::uint64_t value, found const& from) {
        put(name, value, "documented: " + from.from);
    }
    /// At least `low` and at most `high`; a change is told.
    void put_within(std::string const& name, std::uint64_t value, std::uint64_t low, std::uint64_t high,
                    found const& from, std::string const& why) {
        auto const legal = std::clamp(value, low, high);
        if (legal != value)
            note_changed(from.name, from.value, from.where,
                         name + " = " + std::to_string(legal) + ": " + why);
        put(name, legal, (legal == value ? "documented: " : "estimated: nearest to ") + from.from);
    }
    void policy(std::string const& seat, std::string const& text, std::string const& source) {
        out_.machine.policies.push_back({seat, text, source, 0});
    }
    void note(found const& f, std::string const& effect) {
        out_.notes.push_back({false, f.name, f.value, f.where, effect, {}});
    }
    void note_changed(std::string const& option, std::string const& value, std::string const& where,
                      std::string const& effect) {
        out_.notes.push_back({true, option, value, where, effect, {}});
    }
    void note_changed(found const& f, std::string const& effect) {
        note_changed(f.name, f.value, f.where, effect);
    }

    // ---- the machine

    static std::string beside(std::string const& file, std::string const& name) {
        auto const slash = file.rfind('/');
        return slash == file.npos || (!name.empty() && name.front() == '/')
                   ? name
                   : file.substr(0, slash + 1) + name;
    }
    /// Without folders, which differ from host to host.
    static std::string short_name(std::string const& file) { return file.substr(file.rfind('/') + 1); }
    static std::string short_place(place const& p) {
        return short_name(p.file) + ':' + std::to_string(p.line);
    }
    std::string machine_name() const {
        auto name = how_->name;
        if (name.empty()) {
            auto const& file = files_->front().name;
            auto const slash = file.rfind('/');
            auto const folder = slash == file.npos ? std::string() : file.substr(0, slash);
            name = folder.substr(folder.rfind('/') + 1);
            if (name.empty() || name == "." || name == "..") {
                name = file.substr(slash + 1);
                name = name.substr(0, name.rfind('.'));
            }
            for (auto& c : name) {
                if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
                if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) c = '_';
            }
            if (name.empty()) name = "imported";
            if (preset_named(name) != nullptr) name += "_imported";
        }
        return name;
    }

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
    /// Of the machine: 20 for Fermi, 70 for Volta.
    std::pair<std::uint64_t, found> capability() const {
        auto const major = option("-gpgpu_compute_capability_major");
        auto const minor = option("-gpgpu_compute_capability_minor");
        auto const ptx = option("-gpgpu_ptx_force_max_capability");
        auto const coalescing = option("-gpgpu_coalesce_arch");
        if (major.given) return {whole(major) * 10 + whole(minor), major};
        if (ptx.given && whole(ptx) != 0) return {whole(ptx), ptx};
        return {whole(coalescing), coalescing};
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
        auto const units = [&](char const* name, char const* of) {
            auto const f = option(of);
            put_within(name, whole(f), 1, 64, f, "there are 1 to 64 units of each kind");
        };
        units("core.sp_units", "-gpgpu_num_sp_units");
        units("core.sfu_units", "-gpgpu_num_sfu_units");
        if (auto const dp = option("-gpgpu_num_dp_units"); whole(dp) == 0) {
            put("core.dp_units", 1,
                "estimated: " + dp.from +
                    ": runs double precision on the special-function unit; "
                    "here it is one of its own");
            note_changed(dp, "core.dp_units = 1: double precision has a unit of its own");
        } else {
            units("core.dp_units", "-gpgpu_num_dp_units");
        }
        map_load_store_queue();
        map_scheduler();
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

    void map_latencies() {
        static constexpr char const* one[] = {"branch", "barrier", "fence",  "exit",
                                              "load",   "store",   "atomic", "other"};
        for (auto const* op : one)
            latency(op, 1, 1, "documented: GPGPU-Sim source: 1 for what no table names",
                    "documented: GPGPU-Sim source: 1 for what no table names");
        bool const wide = out_.traces && capability().first >= 70;
        auto const bytes = wide ? 16U : 8U;
        put("core.instruction_bytes", bytes,
            out_.traces ? "documented: size of an instruction of that generation"
                        : "documented: GPGPU-Sim source: size of a "
                          "PTX instruction");
        put("core.fetch_bytes", 2 * bytes,
            "documented: GPGPU-Sim source: two instructions are fetched at a time");
        put("core.instruction_buffer", 2, "documented: GPGPU-Sim source: IBUFFER_SIZE");
        if (out_.traces)
            map_trace_latencies();
        else
            map_ptx_latencies();
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
        all("int", {"int_add", "int_max", "int_mul", "int_mad", "int_div", "shuffle", "branch"});
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
            if (u.name == "BRA") {
                all(std::string("spec_op_") + n, {"branch"});
                note(unit, "branches have that latency, and no unit of their own: they take a place of the "
                           "core.sp_units");
            } else {
                note(unit, "no unit " + u.name +
                               ": its instructions are of the class that the opcode table gives them");
            }
        }
    }

    // ---- caches

    /// The shape and the numbers of a cache.
    void put_cache(std::string const& name, cache_text c, found const& f, std::uint32_t least_queue) {
        if (c.sets == 0 || c.ways == 0 || c.line == 0)
            throw error(f.where + ": " + f.name + ' ' + f.value +
                        ": a cache without sets, ways or lines; write none to have "
                        "no cache");
        if (!std::has_single_bit(c.line) || c.line < 8 || c.line > 4096 || (c.sectored && c.line < 32))
            throw error(f.where + ": " + f.name + ' ' + f.value + ": lines of " + std::to_string(c.line) +
                        " bytes; lines are a power of two from 8 to 4096, at least 32 with sectors");
        if (c.ways > 64) {
            std::uint32_t k = 2;
            while (c.ways % k != 0 || c.ways / k > 64) ++k;
            if (std::uint64_t{c.sets} * k > 0xffffffff)
                throw error(f.where + ": " + f.name + ' ' + f.value + ": too many ways");
            note_changed(f, name + ".ways = " + std::to_string(c.ways / k) + " and " +
                                std::to_string(c.sets * k) + " sets in place of " + std::to_string(c.ways) +
                                " and " + std::to_string(c.sets) +
                                ": the same size; a set has 64 ways at most");
            c.ways /= k;
            c.sets *= k;
        }
        if (c.bytes() > 0xffffffff)
            throw error(f.where + ": " + f.name + ' ' + f.value + ": more than 4 GiB");
        put(name + ".size", c.bytes(), f);
        put(name + ".ways", c.ways, f);
        put(name + ".line", c.line, f);
        put(name + ".sector", c.sectored ? 32 : c.line, f);
        bool const texture = c.mshr == 'F' || c.mshr == 'T';
        put_within(name + ".mshr_entries", texture ? c.queue : c.entries, 1, most_mshr_entries, f,
                   "its bounds");
        put_within(name + ".mshr_merges", texture ? c.entries : c.merges, 1, most_mshr_merges, f,
                   "its bounds");
        put_within(name + ".miss_queue", texture ? c.merges : c.queue, least_queue, 65536, f,
                   "what one miss may ask of the next level");
        put(name + ".write_ratio", 0,
            "documented: GPGPU-Sim source: 0 but for an option of the L1 data cache");
        sets_[name] = c.sets;
    }

    /// The policies of a data cache, as a variant's words.
    std::string words_of(std::string const& name, cache_text const& c, found const& f) {
        std::string index = c.index == 'H'   ? "fermi_hash"
                            : c.index == 'P' ? "ipoly"
                            : c.index == 'X' ? "xor"
                                             : "linear";
        auto const sets = sets_[name];
        auto const other_index = [&](std::string const& why) {
            note_changed(f, name + " has a linear set index: " + why);
            index = "linear";
        };
        if (c.index == 'C') other_index("the custom one of a configuration is nowhere defined");
        if (index == "ipoly" && sets != 16 && sets != 32 && sets != 64)
            other_index("IPOLY is defined for 16, 32 and 64 sets, not for " + std::to_string(sets));
        if (index == "fermi_hash" && sets != 32 && sets != 64)
            other_index("the Fermi hash is defined for 32 and 64 sets, not for " + std::to_string(sets));
        if (index == "xor" && !std::has_single_bit(sets)) other_index("XOR wants a power of two of sets");
        std::string const write = c.write == 'B'   ? "write_back"
                                  : c.write == 'T' ? "write_through"
                                  : c.write == 'E' ? "write_evict"
                                  : c.write == 'L' ? "local_back_global_evict"
                                                   : "read_only";
        std::string miss = c.write_miss == 'W'   ? "write_and_fetch"
                           : c.write_miss == 'F' ? "ordered_fetch_on_write"
                           : c.write_miss == 'L' ? "lazy_fetch"
                                                 : "no_allocate";
        auto const fetches = miss == "write_and_fetch" || miss == "ordered_fetch_on_write";
        auto const other_miss = [&](char const* instead) {
            note_changed(f, name + ": " + miss + " does not go with " + write + "; " + instead +
                                " in its place");
            miss = instead;
        };
        if ((c.write == 'R' || c.write == 'E') && miss != "no_allocate") other_miss("no_allocate");
        if (c.write == 'T' && fetches) other_miss("lazy_fetch");
        return index + '+' + (c.replacement == 'F' ? "fifo" : "lru") + '+' +
               (c.allocation == 's'   ? "streaming"
                : c.allocation == 'f' ? "on_fill"
                                      : "on_miss") +
               '+' + write + '+' + miss;
    }
    static std::uint32_t least_queue(cache_text const& c) {
        return c.write == 'R' ? 1 : c.write_miss == 'W' || c.write_miss == 'F' ? 3 : 2;
    }

    void map_caches() {
        map_read_only("l1i", "-gpgpu_cache:il1", 'f');
        map_read_only("l1c", "-gpgpu_const_cache:l1", 'f');
        map_read_only("l1t", "-gpgpu_tex_cache:l1", 'm');
        map_data_cache();
        auto const perfect = option("-gpgpu_perfect_inst_const_cache");
        if (out_.traces) {
            put("l1c.size", 0,
                "documented: a load of a constant in a trace never looks into the constant cache");
        } else if (flag(perfect)) {
            put("l1c.size", 0, "documented: " + perfect.from + ": every constant takes lsu.constant_latency");
        }
        if (flag(perfect))
            note(perfect, "the instruction cache is as large as configured: each line of code misses once");
        map_coalescing();
        auto const l1 = option("-gpgpu_l1_latency");
        put_within("lsu.l1_latency", whole(l1), 1, 100'000, l1, "one cycle at least");
        auto const shared = option("-gpgpu_smem_latency");
        put_within("lsu.shared_latency", whole(shared), 1, 100'000, shared, "one cycle at least");
        auto const banks = option("-gpgpu_shmem_num_banks");
        put_within("lsu.shared_banks", whole(banks), 1, 1024, banks, "its bounds");
    }
    void map_read_only(std::string const& name, char const* of, char allocation) {
        auto const f = option(of);
        auto const c = value_of(f, read_cache);
        if (c.none) {
            if (name == "l1i")
                throw error(f.where + ": " + f.name +
                            " none: a core without an instruction cache; give it one");
            put(name + ".size", 0, f);
            return;
        }
        auto const fifo = c.mshr == 'F' || c.mshr == 'T';
        if (fifo != (name == "l1t"))
            throw error(f.where + ": " + f.name + ' ' + f.value +
                        (fifo ? ": MSHRs of kind F or T are a texture cache's FIFOs; write A or S"
                              : ": a texture cache has FIFOs, of kind F or T"));
        if (name != "l1i" && (c.line < 32 || c.line > 128))
            throw error(f.where + ": " + f.name + ' ' + f.value + ": lines of " + std::to_string(c.line) +
                        " bytes; constants and textures are coalesced to lines of 32 to 128");
        put_cache(name, c, f, 1);
        if (c.replacement != 'L' || c.index != 'L' || c.allocation != allocation || c.write != 'R')
            note(f, name + " is read-only, has a linear index, LRU, and allocates on " +
                        (allocation == 'f' ? "fills" : "misses"));
    }
    void map_data_cache() {
        auto const f = option("-gpgpu_cache:dl1");
        auto c = value_of(f, read_cache);
        auto const skip = option("-gpgpu_gmem_skip_L1D");
        auto const adaptive = option("-gpgpu_adaptive_cache_config");
        if (c.none) {
            put("l1d.size", 0, f);
            return;
        }
        if (c.mshr == 'F' || c.mshr == 'T')
            throw error(f.where + ": " + f.name + ' ' + f.value +
                        ": MSHRs of kind F or T are a texture cache's; write A or S");
        std::string size_from;
        if (flag(adaptive)) size_from = carve_out(c, f, adaptive);
        put_cache("l1d", c, f, least_queue(c));
        if (!size_from.empty()) numbers_["l1d.size"].source = numbers_["l1d.ways"].source = size_from;
        auto words = words_of("l1d", c, f);
        auto const perfect = option("-gpgpu_perfect_mem");
        if (flag(perfect)) words = "perfect";
        policy("l1d", words, "documented: " + (flag(perfect) ? perfect : f).from);
        auto const ratio = option("-gpgpu_l1_cache_write_ratio");
        put_within("l1d.write_ratio", whole(ratio), 0, 100, ratio, "per cent");
        if (flag(skip)) {
            put("l1d.size", 0, skip);
            note_changed(skip, "l1d.size = 0: local memory goes past the L1 as well");
        }
    }
    /// Gives the cache the ways that `shared_used` leaves it; where its size is from.
    std::string carve_out(cache_text& c, found const& f, found const& adaptive) {
        auto const unified = option("-gpgpu_unified_l1d_size");
        auto const choices = option("-gpgpu_shmem_option");
        auto const line_of_ways = std::uint64_t{c.sets} * c.line;
        if (line_of_ways == 0) return {};
        auto const total =
            whole(unified) != 0 ? whole(unified) * 1024 : 4 * c.bytes(); // 4.0 had no option for either
        auto sizes = list(choices, ',', 1, 64, "KiB with commas, as 0,8,16,32,64,96");
        if (!choices.given) sizes = {0, 8, 16, 32, 64, 96};
        std::sort(sizes.begin(), sizes.end());
        auto const fits = std::find_if(sizes.begin(), sizes.end(),
                                       [&](std::uint64_t kib) { return how_->shared_used <= kib * 1024; });
        if (fits == sizes.end())
            throw error((choices.given ? choices : adaptive).where + ": " +
                        std::to_string(how_->shared_used) +
                        " bytes of shared memory in use, but the largest choice is " +
                        std::to_string(sizes.back()) + " KiB");
        auto const shared = std::uint64_t{*fits} * 1024;
        if (shared >= total)
            throw error((choices.given ? choices : adaptive).where + ": " + std::to_string(*fits) +
                        " KiB of shared memory leave nothing of the unified " + std::to_string(total / 1024) +
                        " KiB");
        auto const most = total / line_of_ways;
        auto const ways = (2 * most * (total - shared) + total) / (2 * total); // rounded
        if (ways == 0 || ways > 65536)
            throw error(f.where + ": " + f.name + ' ' + f.value + ": an L1 of " + std::to_string(ways) +
                        " ways");
        c.ways = static_cast<std::uint32_t>(ways);
        note(adaptive, "the L1 is what kernels with " + std::to_string(how_->shared_used) +
                           " bytes of shared memory in use on a core leave it (" +
                           std::to_string(c.bytes() / 1024) +
                           " KiB), whatever the kernel; import with --shared for others");
        return "documented: " + (whole(unified) != 0 ? unified : f).from + "; with " + std::to_string(*fits) +
               " KiB for shared memory";
    }
    void map_coalescing() {
        auto const f = option("-gpgpu_coalesce_arch");
        auto const generation = whole(f);
        policy("coalescer", generation >= 40 ? "sectored" : "fermi", "documented: " + f.from);
        if (generation < 20) note(f, "a warp is coalesced as a whole, as from Fermi on, not by halves");
    }

    // ---- network

    network_value const* network(std::string const& name) const {
        network_value const* last = nullptr; // which holds
        for (auto const& v : network_values_)
            if (v.name == name) last = &v;
        return last;
    }
    std::uint64_t network_number(std::string const& name, std::uint64_t standard) const {
        auto const* const v = network(name);
        if (v == nullptr) return standard;
        value_reader in(v->value, "a whole number");
        try {
            auto const n = in.thousandths(name); // internal_speedup = 2.0
            in.expect_end();
            return n / 1000;
        } catch (error const& e) {
            throw error(v->where.text() + ": " + name + " = " + v->value.substr(0, 60) + ": " + e.what());
        }
    }
    std::string network_source(std::string const& name, std::uint64_t standard) const {
        auto const* const v = network(name);
        return v != nullptr ? "documented: " + short_place(v->where) + ": " + name + " = " + v->value
                            : "documented: intersim's default: " + name + " = " + std::to_string(standard);
    }
    bool network_is_mesh() {
        auto const mode = option("-network_mode");
        auto const n = whole(mode);
        if (n != 1 && n != 2)
            throw error(mode.where + ": " + mode.name + ' ' + mode.value +
                        ": there is 1, intersim, and 2, GPGPU-Sim's own crossbar");
        if (n != 1) return false;
        auto const f = option("-inter_config_file");
        auto const path = f.given ? beside(f.where.substr(0, f.where.rfind(':')), f.value) : f.value;
        try {
            if (!f.given) throw error("no -inter_config_file is given");
            network_values_ = read_network_file((*read_)(path), path);
        } catch (error const& e) {
            if (f.given && std::string_view(e.what()).substr(0, path.size() + 1) == path + ':') throw;
            note(f, std::string(e.what()) + "; the network is that of the base");
            no_network_ = true;
            return false;
        }
        auto const* const topology = network("topology");
        return topology != nullptr && topology->value == "mesh" && network_number("n", 2) == 2;
    }
    void map_network() {
        auto const ejection = option("-gpgpu_n_cluster_ejection_buffer_size");
        put_within("network.ejection", whole(ejection), 1, 65536, ejection, "its bounds");
        auto const mode = option("-network_mode");
        auto const largest = largest_packet();
        if (whole(mode) == 2) {
            put("network.flit", largest,
                "documented: GPGPU-Sim source: its own crossbar moves whole packets; the largest "
                "here has that many bytes");
            put("network.link_cycles", 1,
                "documented: GPGPU-Sim source: a packet is in the crossbar the cycle after it came; " +
                    mode.from);
            put("network.speedup", 1, "documented: GPGPU-Sim source: one packet for each port and cycle");
            put("network.allocation", 0, "documented: GPGPU-Sim source: the way is given in the same cycle");
            auto const in = option("-icnt_in_buffer_limit");
            auto const out = option("-icnt_out_buffer_limit");
            put_within("network.input_flits", whole(in), 1, 65536, in, "its bounds");
            put_within("network.output_flits", whole(out), 1, 65536, out, "its bounds");
            return;
        }
        if (no_network_) return;
        auto const flit = network_number("flit_size", 32);
        put("network.flit", std::clamp<std::uint64_t>(flit, 1, 4096), network_source("flit_size", 32));
        auto const mesh = out_.machine.base == "owl";
        auto const channels = network_number("num_vcs", 16);
        auto const buffer = network_number("vc_buf_size", 8);
        auto const whole_packet = (largest + flit - 1) / std::max<std::uint64_t>(flit, 1);
        if (mesh) {
            auto const k = network_number("k", 8);
            put("network.columns", k, network_source("k", 8));
            put("network.rows", k, network_source("k", 8));
            put("network.virtual_channels", std::clamp<std::uint64_t>(channels, 1, 8),
                network_source("num_vcs", 16));
            put("network.channel_flits", std::clamp<std::uint64_t>(buffer, 1, 65535),
                network_source("vc_buf_size", 8));
            auto const router = network_number("routing_delay", 1) + network_number("vc_alloc_delay", 1) +
                                network_number("sw_alloc_delay", 1);
            put("network.router_cycles", std::clamp<std::uint64_t>(router, 1, 1000),
                "documented: routing_delay + vc_alloc_delay + sw_alloc_delay of the same file");
        } else {
            auto const* const topology = network("topology");
            if (topology != nullptr && (topology->value != "fly" || network_number("n", 1) != 1))
                out_.notes.push_back({false,
                                      "topology",
                                      topology->value,
                                      topology->where.text(),
                                      "one crossbar for requests and one for replies",
                                      {}});
            auto const speedup = network_number("internal_speedup", 1);
            put("network.speedup", std::clamp<std::uint64_t>(speedup, 1, 64),
                network_source("internal_speedup", 1));
            bool const waits = channels == 1 && network_number("vc_alloc_delay", 1) != 0;
            put("network.allocation", waits ? 1 : 0,
                "documented: a packet waits for its way where vc_alloc_delay is not 0 and num_vcs is 1; " +
                    network_source("num_vcs", 16).substr(12));
            auto flits = channels * buffer;
            if (flits < whole_packet) {
                auto const* const v = network("vc_buf_size");
                note_changed("vc_buf_size", std::to_string(buffer),
                             v != nullptr ? v->where.text() : "default",
                             "network.input_flits = " + std::to_string(whole_packet) +
                                 ": room for the largest packet");
                flits = whole_packet;
            }
            put("network.input_flits", std::clamp<std::uint64_t>(flits, 1, 65536),
                network_source("vc_buf_size", 8));
            put("network.output_flits", std::clamp<std::uint64_t>(flits, 1, 65536),
                "estimated: as many as per input; intersim sets no limit");
        }
        static constexpr std::string_view read[] = {
            "flit_size",      "num_vcs",        "vc_buf_size",     "k", "n", "topology", "routing_delay",
            "vc_alloc_delay", "sw_alloc_delay", "internal_speedup"};
        // What tells the same for all networks there are, or nothing of the machine.
        static constexpr std::string_view plain[] = {"use_map=0",
                                                     "network_count=2",
                                                     "routing_function=dest_tag",
                                                     "routing_function=dim_order",
                                                     "routing_function=dor",
                                                     "wait_for_tail_credit=0",
                                                     "vc_allocator=islip",
                                                     "sw_allocator=islip",
                                                     "alloc_iters=1",
                                                     "credit_delay=0",
                                                     "input_speedup=1",
                                                     "output_speedup=1",
                                                     "traffic=",
                                                     "packet_size=",
                                                     "packet_size_rate=",
                                                     "sim_type=",
                                                     "injection_rate=",
                                                     "subnets=2",
                                                     "use_read_write=",
                                                     "read_request_subnet=0",
                                                     "read_reply_subnet=1",
                                                     "write_request_subnet=0",
                                                     "write_reply_subnet=1",
                                                     "read_request_begin_vc=",
                                                     "read_request_end_vc=",
                                                     "write_request_begin_vc=",
                                                     "write_request_end_vc=",
                                                     "read_reply_begin_vc=",
                                                     "read_reply_end_vc=",
                                                     "write_reply_begin_vc=",
                                                     "write_reply_end_vc=",
                                                     "input_buffer_size=",
                                                     "ejection_buffer_size=",
                                                     "boundary_buffer_size=",
                                                     "enable_link_stats=",
                                                     "MATLAB_OUTPUT=",
                                                     "DISPLAY_LAT_DIST=",
                                                     "DISPLAY_HOP_DIST=",
                                                     "DISPLAY_PAIR_LATENCY=",
                                                     "watch_out="};
        for (auto const& v : network_values_) {
            if (std::find(std::begin(read), std::end(read), v.name) != std::end(read)) continue;
            auto const known = std::any_of(std::begin(plain), std::end(plain), [&](std::string_view p) {
                return p == v.name + '=' + v.value ||
                       (p.back() == '=' && p.substr(0, p.size() - 1) == v.name);
            });
            if (!known)
                out_.notes.push_back(
                    {false, v.name, v.value, v.where.text(), "the network has no such number or policy", {}});
        }
    }
    /// Bytes: a header and the longest line.
    std::uint64_t largest_packet() const {
        auto g = parameters(*preset_named(out_.machine.base));
        for (auto const& [name, n] : numbers_)
            if (name.size() > 5 && name.substr(name.size() - 5) == ".line")
                set_number(g, name + '=' + n.value);
        return 8 + std::max({g.l1i.line, g.l1d.line, g.l1c.line, g.l1t.line, g.l2.line});
    }

    // ---- memory

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
        map_l2();
    }
    void map_l2() {
        auto const f = option("-gpgpu_cache:dl2");
        auto const c = value_of(f, read_cache);
        if (c.none) {
            put("l2.size", 0, f);
            return;
        }
        if (c.mshr == 'F' || c.mshr == 'T')
            throw error(f.where + ": " + f.name + ' ' + f.value +
                        ": MSHRs of kind F or T are a texture cache's; write A or S");
        put_cache("l2", c, f, least_queue(c));
        auto const ideal = option("-l2_ideal");
        auto const words = words_of("l2", c, f);
        policy("l2", flag(ideal) ? "perfect" : words, "documented: " + (flag(ideal) ? ideal : f).from);
        auto const texture = option("-gpgpu_cache:dl2_texture_only");
        if (flag(texture)) {
            put("l2.size", 0, texture);
            note_changed(texture, "l2.size = 0: textures go past the L2 as well");
        }
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
        map_addresses(t.nbk);
    }

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
            note(hash, "the partition is not hashed: there is 0 none, 1 XOR and 2 IPOLY");
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

    // ---- what remains

    void tell_not_modelled() {
        // One line for options that have the same effect.
        std::map<std::string, std::size_t> by_effect;
        for (auto const& o : simulator_options()) {
            if (o.what != fate::not_modelled) continue;
            auto const f = option(o.name);
            if (!f.any || is_plain(o, f.value)) continue;
            if (!f.given && *o.plain == '\0') continue; // no default asks for it
            if (std::string_view(o.name).substr(0, 7) == "-trace_" && !out_.traces) continue;
            if (std::string_view(o.name).substr(0, 5) == "-ptx_" && out_.traces) continue;
            auto const [at, fresh] = by_effect.emplace(o.text, out_.notes.size());
            if (fresh) {
                note(f, o.text);
            } else {
                out_.notes[at->second].also.emplace_back(f.name, f.value);
            }
        }
    }

    void finish() {
        auto const& base = *preset_named(out_.machine.base);
        auto const base_rows = rows(base);
        auto const& fields = machine_numbers();
        auto& to = out_.machine.numbers;
        auto const as_base = [&](preset_number const& row) {
            return std::string(to_string(row.kind)) + ": as " + base.name + ": " + row.source;
        };
        auto const mapping = numbers_.find("address_mapping");
        if (mapping != numbers_.end())
            to.push_back({"address_mapping", mapping->second.value, mapping->second.source, 0});
        for (std::size_t i = 0; i < fields.size(); ++i) {
            auto const own = numbers_.find(fields[i].name);
            if (own != numbers_.end())
                to.push_back({fields[i].name, own->second.value, own->second.source, 0});
            else
                to.push_back({fields[i].name, entry_value(base_rows[i].value, fields[i].unit),
                              as_base(base_rows[i]), 0});
        }
        std::string files;
        for (auto const& f : *files_) files += (files.empty() ? "" : " and ") + short_name(f.name);
        out_.machine.title = "imported from " + files;
        for (auto const& setting : how_->settings) {
            auto g = parameters(out_.machine);
            set_number(g, setting);
            auto const equals = setting.find('=');
            auto const name = full_name(setting.substr(0, equals));
            auto const entry =
                std::find_if(to.begin(), to.end(), [&](auto const& e) { return e.name == name; });
            auto const* const f = find_field(fields, name);
            machine_entry const set{
                name, f != nullptr ? entry_value(read_field(g, *f), f->unit) : setting.substr(equals + 1),
                "set: --set " + setting, 0};
            if (entry != to.end())
                *entry = set;
            else
                to.push_back(set);
        }
        policy("network", out_.machine.base == "owl" ? "mesh" : "crossbar",
               "documented: " + option("-network_mode").from);
        std::string all;
        for (auto const& f : *files_) all += (all.empty() ? "" : ", ") + f.name;
        try {
            check(parameters(out_.machine));
        } catch (error const& e) {
            throw error("the machine of " + all + ": " + e.what() + "; set another one with --set");
        }
    }

    struct sourced {
        std::string value;
        std::string source;
    };
    std::vector<config_file> const* files_;
    file_reader const* read_;
    import_options const* how_;
    imported_machine out_;
    std::map<std::string, given_option> given_;
    std::map<std::string, sourced> numbers_;
    std::map<std::string, std::uint32_t> sets_;
    std::vector<network_value> network_values_;
    bool no_network_ = false;
};

} // namespace detail

/// The machine that these files describe together: gpgpusim.config, and trace.config if it is for traces. `read` gives the
/// text of a file that they name (intersim's, included ones), by its path. Throws `error` with file, line and option for what
/// cannot be understood, and where what is asked for is no machine.
inline imported_machine import_machine(std::vector<config_file> const& files, file_reader const& read,
                                       import_options const& how = {}) {
    return detail::importer(files, read, how).import();
}

} // namespace warpkit::gpgpusim
