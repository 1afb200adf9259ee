#pragma once
/// \file
/// One run as results files hold it: what was run, what came of it, and all counters and derived numbers.

#include <warpkit/config/numbers.hpp>
#include <warpkit/config/simulation_result.hpp>
#include <warpkit/machine/launch.hpp>
#include <warpkit/report/counters.hpp>
#include <warpkit/report/csv.hpp>
#include <warpkit/report/energy.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/metrics.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::report {

/// How CTAs shared DRAM rows (dram/row_sharing.hpp).
struct row_sharing_figures {
    std::uint64_t rows = 0;       ///< that any CTA reached
    double ctas_per_row = 0;      ///< mean over rows
    double consecutive_share = 0; ///< of a row's CTAs, those adjacent in number to another; mean over rows
};

/// What the kernels asked of ELF's priority calculator (program/point_use.hpp).
struct program_point_figures {
    std::vector<std::pair<std::string, std::uint32_t>> points; ///< by kernel, before merging
    double recalculations_saved = 0; ///< share of the issued instructions that need no calculation
};

/// The launch in which a run spent most of its cycles, and how it filled the machine.
struct main_launch_figures {
    std::string kernel;
    double share = 0;           ///< of all cycles
    std::uint64_t ctas = 0;     ///< of its grid
    unsigned ctas_per_core = 0; ///< that fit a core at once, as far as the grid has so many
    unsigned warps_per_cta = 0;
    double waves = 0; ///< grids that the machine would hold at once: CTAs / (cores * CTAs that fit a core)
};

/// What a run took, by part.
struct energy_figures {
    std::string model;
    bool calibrated = false; ///< the model's numbers are meant for this machine
    energy_report energy;
};

/// One launch of a run.
struct launch_figures {
    std::string kernel;
    dim3 grid;
    dim3 block;
    run_counters counters;
    cycle_estimate estimate; ///< of its cycles, where the run was sampled
    std::vector<counted_interval> intervals =
        {}; ///< what each stretch of it counted, where that was asked for
};

/// What is kept of a run.
struct run_record {
    std::vector<std::pair<std::string, std::string>>
        labels; ///< kernel, scheduler, preset, ...: what tells it apart
    std::vector<std::pair<std::string, std::uint64_t>>
        inputs;                                               ///< numbers that the program was given, by name
    std::vector<std::pair<std::string, std::string>> changes; ///< numbers that differ from the preset's
    gpu_parameters numbers;
    run_counters counters;
    bool sampled = false;    ///< asked to time only parts; `counters` are of those
    cycle_estimate estimate; ///< of all cycles
    std::uint64_t fingerprint = 0;
    bool verified = false;
    std::string problem;                                 ///< what went wrong; empty if nothing did
    double seconds = 0;                                  ///< host time
    double function_seconds = 0;                         ///< the part of it spent in functional execution
    std::optional<row_sharing_figures> row_sharing;      ///< where it was asked for
    std::optional<program_point_figures> program_points; ///< likewise
    std::optional<energy_figures> energy;                ///< likewise
    std::optional<main_launch_figures> main_launch;      ///< where launches are known
    std::vector<launch_figures> launches;                ///< in their order, where they were asked for
    std::vector<kernel_record> kernels; ///< in their order, where the machine has several at once

    /// The value of a label; empty if there is none of that name.
    std::string label(std::string const& name) const {
        for (auto const& [key, value] : labels)
            if (key == name) return value;
        return {};
    }
};

namespace detail {
inline double per_second(std::uint64_t n, double seconds) { return ratio(number_of(n), seconds); }
inline std::string text_of(dim3 const& d) {
    return std::to_string(d.x) + 'x' + std::to_string(d.y) + 'x' + std::to_string(d.z);
}
inline json_names const& metric_names() {
    static auto const names = [] {
        json_names all;
        for (auto const& m : all_metrics) all.add(m.name);
        return all;
    }();
    return names;
}
inline json_names const& counter_names() {
    static auto const names = [] {
        json_names all;
        for (auto const& f : all_counters()) all.add(f.name);
        return all;
    }();
    return names;
}
} // namespace detail

/// What the kernels of a stream did.
struct stream_figures {
    std::uint32_t stream = 0;
    std::uint64_t kernels = 0;
    cycle began = 0;               ///< the first of them
    cycle ended = 0;               ///< the last
    std::uint64_t busy_cycles = 0; ///< from beginning to end of each
    std::uint64_t ctas = 0;
    std::uint64_t warp_instructions = 0;

    /// Warp instructions in a core cycle between the first and the last, of the whole machine: the share of its IPC.
    double ipc() const noexcept {
        return ended == began ? 0
                              : static_cast<double>(warp_instructions) / static_cast<double>(ended - began);
    }
};
/// By stream, in the order of numbers.
inline std::vector<stream_figures> streams_of(std::vector<kernel_record> const& kernels) {
    std::vector<stream_figures> streams;
    for (auto const& k : kernels) {
        auto s = std::find_if(streams.begin(), streams.end(),
                              [&](auto const& of) { return of.stream >= k.stream; });
        if (s == streams.end() || s->stream != k.stream) {
            s = streams.insert(s, stream_figures{});
            s->stream = k.stream;
            s->began = k.span.began;
        }
        ++s->kernels;
        s->began = std::min(s->began, k.span.began);
        s->ended = std::max(s->ended, k.span.ended);
        s->busy_cycles += k.span.ended - k.span.began;
        s->ctas += k.span.ctas;
        s->warp_instructions += k.span.warp_instructions;
    }
    return streams;
}

/// Warp instructions simulated per host second.
inline double instruction_speed(run_record const& r) {
    return detail::per_second(r.sampled ? r.estimate.warp_instructions : r.counters.core.warp_instructions,
                              r.seconds);
}
/// Memory transactions timed per host second.
inline double transaction_speed(run_record const& r) {
    return detail::per_second(r.counters.core.transactions, r.seconds);
}

/// Warp instructions per cycle of the whole run, sampled or not.
inline double estimated_ipc(run_record const& r) {
    return r.sampled ? detail::ratio(detail::number_of(r.estimate.warp_instructions), r.estimate.cycles)
                     : detail::share(r.counters.core.warp_instructions, r.counters.cycles);
}

/// One object: the labels, `inputs`, `changes`, `fingerprint` (16 hexadecimal digits), `verified`, `problem`, `host`,
/// `metrics` (null where undefined) and `counters`, by their names; `row_sharing`, `program_points` and `energy`, where
/// they were asked for; `main_launch`; `launches`, where they were asked for: of each its `kernel`, `grid`, `block`,
/// `metrics` and `counters`, and `intervals`, where they were asked for: of each `begin` and `end` in core cycles since
/// the launch began, `metrics` and `counters`. Where the machine may have several kernels at once, `kernels`: of each
/// its `kernel`, `stream`, `launch` (the number from 1 on of the launches that were counted together), `began`,
/// `first_cta` and `ended` in core cycles of the run, `ctas`, `warp_instructions`, and the `counters` of cores and
/// their caches while they were its own; and `streams`: of each the same together, and `busy_cycles`. A sampled run has
/// `sample` before them: the estimated `cycles` with their `error` and the `ipc`, and what was left out; metrics and
/// counters are of what was timed.
inline void append_json(json_writer& w, run_record const& r) {
    w.begin_object();
    for (auto const& [key, value] : r.labels) w.member(key, value);
    w.key("inputs").begin_object();
    for (auto const& [key, value] : r.inputs) w.member(key, value);
    w.end_object();
    w.key("changes").begin_object();
    for (auto const& [key, value] : r.changes) w.member(key, value);
    w.end_object();
    w.member("fingerprint", hexadecimal(r.fingerprint))
        .member("verified", r.verified)
        .member("problem", r.problem);
    w.key("host").begin_object();
    w.member("seconds", r.seconds).member("function_seconds", r.function_seconds);
    w.member("warp_instructions_per_second", instruction_speed(r));
    w.member("transactions_per_second", transaction_speed(r)).end_object();
    if (r.sampled) {
        auto const& e = r.estimate;
        w.key("sample").begin_object();
        w.member("exact", e.exact()).member("cycles", e.cycles).member("error", e.error);
        w.member("ipc", estimated_ipc(r)).member("warp_instructions", e.warp_instructions);
        w.member("skipped_warp_instructions", e.skipped_warp_instructions);
        w.member("skipped_ctas", e.skipped_ctas).member("gaps", e.gaps).end_object();
    }
    auto const append_metrics = [&](run_counters const& c) {
        w.key("metrics").object(detail::metric_names(),
                                [&](std::size_t i) { return all_metrics[i].value(c, r.numbers); });
    };
    auto const append_counters = [&](run_counters const& c) {
        w.key("counters").object(detail::counter_names(), [&](std::size_t i) {
            return read_field(c, all_counters()[i]);
        });
    };
    append_metrics(r.counters);
    if (r.row_sharing) {
        w.key("row_sharing").begin_object();
        w.member("rows", r.row_sharing->rows).member("ctas_per_row", r.row_sharing->ctas_per_row);
        w.member("consecutive_share", r.row_sharing->consecutive_share).end_object();
    }
    if (r.program_points) {
        w.key("program_points").begin_object();
        w.member("recalculations_saved", r.program_points->recalculations_saved);
        for (auto const& [kernel, points] : r.program_points->points) w.member(kernel, points);
        w.end_object();
    }
    if (r.energy) {
        auto const& e = r.energy->energy;
        w.key("energy").begin_object();
        w.member("model", r.energy->model).member("calibrated", r.energy->calibrated);
        w.member("seconds", e.seconds).member("joules", e.total()).member("watts", e.watts());
        w.key("parts").begin_object();
        for (unsigned i = 0; i < energy_part_count; ++i) {
            w.key(energy_parts[i].name).begin_object();
            w.member("joules", e.joules[i])
                .member("watts", e.watts(static_cast<energy_part>(i)))
                .end_object();
        }
        w.end_object().end_object();
    }
    if (r.main_launch) {
        auto const& l = *r.main_launch;
        w.key("main_launch").begin_object();
        w.member("kernel", l.kernel).member("share", l.share).member("ctas", l.ctas);
        w.member("ctas_per_core", l.ctas_per_core).member("warps_per_cta", l.warps_per_cta);
        w.member("waves", l.waves).end_object();
    }
    if (!r.launches.empty()) {
        w.key("launches").begin_array();
        for (auto const& l : r.launches) {
            w.begin_object().member("kernel", l.kernel);
            w.member("grid", detail::text_of(l.grid)).member("block", detail::text_of(l.block));
            if (r.sampled) {
                w.key("sample").begin_object();
                w.member("exact", l.estimate.exact()).member("cycles", l.estimate.cycles);
                w.member("error", l.estimate.error).end_object();
            }
            append_metrics(l.counters);
            append_counters(l.counters);
            if (!l.intervals.empty()) {
                w.key("intervals").begin_array();
                for (auto const& i : l.intervals) {
                    w.begin_object().member("begin", i.begin).member("end", i.end);
                    w.key("metrics").object_in_line(detail::metric_names(), [&](std::size_t k) {
                        return all_metrics[k].value(i.counters, r.numbers);
                    });
                    w.key("counters").object_in_line(detail::counter_names(), [&](std::size_t k) {
                        return read_field(i.counters, all_counters()[k]);
                    });
                    w.end_object();
                }
                w.end_array();
            }
            w.end_object();
        }
        w.end_array();
    }
    if (!r.kernels.empty()) {
        w.key("kernels").begin_array();
        for (auto const& k : r.kernels) {
            w.begin_object().member("kernel", k.kernel).member("stream", k.stream);
            w.member("launch", k.launch + 1).member("began", k.span.began);
            w.member("first_cta", k.span.first_cta).member("ended", k.span.ended);
            w.member("ctas", k.span.ctas).member("warp_instructions", k.span.warp_instructions);
            append_counters(k.span.counted);
            w.end_object();
        }
        w.end_array().key("streams").begin_array();
        for (auto const& s : streams_of(r.kernels)) {
            w.begin_object().member("stream", s.stream).member("kernels", s.kernels);
            w.member("began", s.began).member("ended", s.ended).member("busy_cycles", s.busy_cycles);
            w.member("ctas", s.ctas).member("warp_instructions", s.warp_instructions);
            w.member("ipc", s.ipc()).end_object();
        }
        w.end_array();
    }
    append_counters(r.counters);
    w.end_object();
}

/// All runs as CSV with a header line; the labels are those of the first run. With sampled runs come the columns
/// `sample_cycles`, `sample_error`, `sample_ipc` and `sample_skipped_ctas`. Where launches were asked for, come the
/// columns `launch`, `launch_kernel`, `grid` and `block`, and behind each run a line for each of its launches, whose
/// `launch` is its number from 1 on, which is empty in the run's own; host seconds stand in the run's line only. Where
/// intervals were, come `begin` and `end`, and behind each launch a line for each of its intervals, in which these are
/// not empty. Where the machine may have several kernels at once, come `kernel_name`, `stream`, `kernel_began` and
/// `kernel_ended`, and behind each run a line for each of its kernels, in which these are not empty, and the metrics
/// and counters are of its own cores and their caches. With `energy` come `energy_calibrated`, `energy_joules` and a
/// column `energy.<part>` in joules for each part, in the runs' own lines. A run's inputs are in `input.<name>`, empty
/// where a program has none of that name.
inline std::string to_csv(std::vector<run_record> const& runs) {
    if (runs.empty()) return {};
    std::vector<std::string> header;
    for (auto const& [key, value] : runs.front().labels) header.push_back(key);
    std::vector<std::string> inputs;
    for (auto const& r : runs)
        for (auto const& [name, value] : r.inputs)
            if (std::find(inputs.begin(), inputs.end(), name) == inputs.end()) inputs.push_back(name);
    for (auto const& name : inputs) header.push_back("input." + name);
    for (auto const* const name : {"fingerprint", "verified", "problem", "seconds", "function_seconds"})
        header.push_back(name);
    bool sampled = false;
    bool launches = false;
    bool intervals = false;
    bool energy = false;
    bool kernels = false;
    for (auto const& r : runs) {
        kernels = kernels || !r.kernels.empty();
        energy = energy || r.energy.has_value();
        for (auto const& l : r.launches) intervals = intervals || !l.intervals.empty();
        sampled = sampled || r.sampled;
        launches = launches || !r.launches.empty();
    }
    if (launches)
        for (auto const* const name : {"launch", "launch_kernel", "grid", "block"}) header.push_back(name);
    if (intervals)
        for (auto const* const name : {"begin", "end"}) header.push_back(name);
    if (kernels)
        for (auto const* const name : {"kernel_name", "stream", "kernel_began", "kernel_ended"})
            header.push_back(name);
    if (sampled)
        for (auto const* const name : {"sample_cycles", "sample_error", "sample_ipc", "sample_skipped_ctas"})
            header.push_back(name);
    if (energy) {
        for (auto const* const name : {"energy_calibrated", "energy_joules"}) header.push_back(name);
        for (auto const& part : energy_parts) header.push_back(std::string("energy.") + part.name);
    }
    for (auto const& m : all_metrics) header.push_back(m.name);
    for (auto const& f : all_counters()) header.push_back(f.name);
    csv_writer text;
    for (auto const& name : header) text << name;
    text.end_line();
    auto const add = [&](run_record const& r, std::uint64_t number, launch_figures const* l,
                         counted_interval const* part, kernel_record const* kernel) {
        auto const& counters = part != nullptr     ? part->counters
                               : l != nullptr      ? l->counters
                               : kernel != nullptr ? kernel->span.counted
                                                   : r.counters;
        bool const of_run = l == nullptr && kernel == nullptr;
        auto const& estimate = l != nullptr ? l->estimate : r.estimate;
        // An empty cell where the line is not of such a thing.
        auto const only = [&](bool here, auto const& value) {
            if (here)
                text << value();
            else
                text << "";
        };
        for (auto const& [key, value] : runs.front().labels) text << r.label(key);
        for (auto const& name : inputs) {
            auto const own = std::find_if(r.inputs.begin(), r.inputs.end(),
                                          [&](auto const& input) { return input.first == name; });
            only(own != r.inputs.end(), [&] { return own->second; });
        }
        text << hexadecimal(r.fingerprint) << (r.verified ? "true" : "false") << r.problem;
        only(of_run, [&] { return r.seconds; });
        only(of_run, [&] { return r.function_seconds; });
        if (launches) {
            only(l != nullptr, [&] { return number; });
            only(l != nullptr, [&] { return std::string_view(l->kernel); });
            only(l != nullptr, [&] { return detail::text_of(l->grid); });
            only(l != nullptr, [&] { return detail::text_of(l->block); });
        }
        if (intervals) {
            only(part != nullptr, [&] { return part->begin; });
            only(part != nullptr, [&] { return part->end; });
        }
        if (kernels) {
            only(kernel != nullptr, [&] { return std::string_view(kernel->kernel); });
            only(kernel != nullptr, [&] { return std::uint64_t{kernel->stream}; });
            only(kernel != nullptr, [&] { return kernel->span.began; });
            only(kernel != nullptr, [&] { return kernel->span.ended; });
        }
        if (sampled)
            text << fixed(estimate.cycles, 1) << fixed(estimate.error, 1)
                 << fixed(l != nullptr
                              ? detail::ratio(detail::number_of(estimate.warp_instructions), estimate.cycles)
                              : estimated_ipc(r),
                          6)
                 << estimate.skipped_ctas;
        if (energy) {
            bool const here = of_run && r.energy;
            text << (!here ? "" : r.energy->calibrated ? "true" : "false");
            only(here, [&] { return scientific(r.energy->energy.total()); });
            for (unsigned i = 0; i < energy_part_count; ++i)
                only(here, [&] { return scientific(r.energy->energy.joules[i]); });
        }
        for (auto const& m : all_metrics) text << m.value(counters, r.numbers);
        for (auto const& f : all_counters()) text << read_field(counters, f);
        text.end_line();
    };
    for (auto const& r : runs) {
        add(r, 0, nullptr, nullptr, nullptr);
        for (std::size_t i = 0; i < r.launches.size(); ++i) {
            add(r, i + 1, &r.launches[i], nullptr, nullptr);
            for (auto const& part : r.launches[i].intervals) add(r, i + 1, &r.launches[i], &part, nullptr);
        }
        for (auto const& k : r.kernels) add(r, 0, nullptr, nullptr, &k);
    }
    return std::string(text.text());
}

} // namespace warpkit::report
