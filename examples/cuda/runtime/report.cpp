#include "report.hpp"

#include <warpkit/base/byte_range.hpp>
#include <warpkit/frontend/printed_text.hpp>
#include <warpkit/report/counters.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/metrics.hpp>
#include <warpkit/report/text.hpp>
#include <warpkit/version.hpp>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace warpkit::cuda {

namespace {

// "_Z3addPKfS0_Pfi" as "add".
std::string title_of(std::string const& name) {
    int status = 0;
    std::unique_ptr<char, void (*)(void*)> const text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    if (status != 0 || !text) return name;
    std::string title = text.get();
    // The parameters go; what is in front of a template's name, its result, too.
    unsigned depth = 0;
    auto open = title.npos;
    for (std::size_t i = 0; i < title.size(); ++i) {
        depth += title[i] == '<' ? 1 : 0;
        depth -= title[i] == '>' && depth > 0 ? 1 : 0;
        if (title[i] == '(' && depth == 0 && title.compare(i, 11, "(anonymous ") != 0) {
            open = i;
            break;
        }
    }
    if (open != title.npos) title.resize(open);
    if (title.compare(0, 5, "void ") == 0) title.erase(0, 5);
    return title;
}

// For a table: names of templates' instances grow to thousands of letters.
std::string shortened(std::string const& title) {
    constexpr std::size_t most = 64;
    return title.size() <= most ? title : title.substr(0, most - 3) + "...";
}

double milliseconds(run_report const& r, std::uint64_t cycles) {
    return static_cast<double>(cycles) / static_cast<double>(r.numbers.clock.core);
}

} // namespace

kernel_report& run_report::of(std::string const& name) {
    for (auto& k : kernels)
        if (k.name == name) return k;
    kernels.push_back({name, title_of(name), 0, {}, 0});
    return kernels.back();
}

// What each stream did, where there is more than the default one.
static void print_streams(run_report const& r, std::ostream& out) {
    std::map<std::uint32_t, kernel_span> streams;
    std::map<std::uint32_t, std::uint64_t> launches;
    for (auto const& k : r.kernels_at_once) {
        auto const [s, is_new] = streams.try_emplace(k.stream);
        auto const began = k.since + k.span.began;
        s->second.began = is_new ? began : std::min(s->second.began, began);
        s->second.ended = std::max(s->second.ended, k.since + k.span.ended);
        s->second.ctas += k.span.ctas;
        s->second.warp_instructions += k.span.warp_instructions;
        ++launches[k.stream];
    }
    if (streams.size() < 2) return;
    report::text_table table({{"stream"}, {"launches"}, {"CTAs"}, {"warp instr."}, {"began"}, {"ended"}});
    for (auto const& [number, s] : streams)
        table.add_row({std::to_string(number), report::with_thousands(launches[number]),
                       report::with_thousands(s.ctas), report::with_thousands(s.warp_instructions),
                       report::with_thousands(s.began), report::with_thousands(s.ended)});
    out << '\n';
    table.print(out);
}

void print(run_report const& r, std::ostream& out) {
    if (r.kernels.empty()) return;
    using report::alignment;
    std::vector<report::column> columns = {
        {"kernel", alignment::left}, {"launches"}, {"CTAs"}, {"warp instr."}};
    if (r.timing)
        columns.insert(columns.end(), {{"cycles"},
                                       {"time", alignment::right, "ms"},
                                       {"IPC", alignment::right, "warp"},
                                       {"L1D miss", alignment::right, "%"},
                                       {"L2 miss", alignment::right, "%"}});
    columns.push_back({"host", alignment::right, "s"});
    report::text_table table(columns);
    auto const row = [&](std::string const& title, std::uint64_t launches, run_counters const& c,
                         double host) {
        std::vector<std::string> cells = {shortened(title), report::with_thousands(launches),
                                          report::with_thousands(c.core.ctas),
                                          report::with_thousands(c.core.warp_instructions)};
        if (r.timing) {
            auto const value = [&](char const* name) {
                return report::find_metric(name)->value(c, r.numbers);
            };
            cells.push_back(report::with_thousands(c.cycles));
            cells.push_back(report::fixed(milliseconds(r, c.cycles), 4));
            cells.push_back(report::fixed(value("ipc"), 2));
            cells.push_back(report::percent(value("l1d_miss_rate")));
            cells.push_back(report::percent(value("l2_miss_rate")));
        }
        cells.push_back(report::fixed(host, 2));
        table.add_row(cells);
    };
    std::uint64_t launches = 0;
    double host = 0;
    for (auto const& k : r.kernels) {
        row(k.title, k.launches, k.counters, k.host_seconds);
        launches += k.launches;
        host += k.host_seconds;
    }
    table.add_rule();
    row("total", launches, r.all, host);
    out << "\nwarpkit: " << (r.timing ? r.machine : "function only (" + r.machine + ")") << '\n';
    table.print(out);
    print_streams(r, out);
    out.flush();
}

void write_json(run_report const& r, std::string const& file) {
    report::json_writer w;
    auto const version = std::to_string(WARPKIT_VERSION_MAJOR) + '.' + std::to_string(WARPKIT_VERSION_MINOR) +
                         '.' + std::to_string(WARPKIT_VERSION_PATCH);
    w.begin_object().member("warpkit", version).member("machine", r.machine).member("timing", r.timing);
    auto const body = [&](run_counters const& c, std::uint64_t launches, double host) {
        w.member("launches", launches).member("host_seconds", host);
        if (r.timing) w.member("milliseconds", milliseconds(r, c.cycles));
        if (r.timing) {
            w.key("metrics").begin_object();
            for (auto const& m : report::all_metrics) w.member(m.name, m.value(c, r.numbers));
            w.end_object();
        }
        w.key("counters").begin_object();
        for (auto const& f : report::all_counters())
            if (r.timing || read_field(c, f) != 0) w.member(f.name, read_field(c, f));
        w.end_object();
    };
    w.key("kernels").begin_array();
    std::uint64_t launches = 0;
    double host = 0;
    for (auto const& k : r.kernels) {
        w.begin_object().member("kernel", k.title).member("name", k.name);
        body(k.counters, k.launches, k.host_seconds);
        w.end_object();
        launches += k.launches;
        host += k.host_seconds;
    }
    w.end_array();
    if (!r.kernels_at_once.empty()) {
        w.key("at_once").begin_array();
        for (auto const& k : r.kernels_at_once) {
            w.begin_object().member("kernel", k.title).member("stream", k.stream);
            w.member("began", k.since + k.span.began).member("first_cta", k.since + k.span.first_cta);
            w.member("ended", k.since + k.span.ended).member("ctas", k.span.ctas);
            w.member("warp_instructions", k.span.warp_instructions).end_object();
        }
        w.end_array();
    }
    w.key("total").begin_object();
    body(r.all, launches, host);
    w.end_object().end_object();
    report::write_file(file, w.text());
}

bool read_record(std::byte const* buffer, std::size_t size, std::size_t& at, printed_record& to) {
    auto const word = [&](std::size_t where) {
        std::uint64_t w = 0;
        std::memcpy(&w, buffer + where, sizeof w);
        return w;
    };
    to = {};
    if (!lies_within(at, 16, size)) return false;
    auto const bytes = word(at);
    if (bytes < 16 || !lies_within(at, bytes, size))
        return false; // what found no room, or a kernel wrote over it
    to.format = word(at + 8);
    auto const end = at + bytes;
    for (at += 16; lies_within(at, 16, end);) {
        printed_value v;
        v.kind = static_cast<unsigned>(word(at));
        v.bits = word(at + 8);
        at += 16;
        if (v.kind == printed_value::string) {
            if (!lies_within(at, v.bits, end)) return false;
            v.text.assign(reinterpret_cast<char const*>(buffer + at), v.bits);
            at += (v.bits + 7) / 8 * 8;
        }
        to.values.push_back(std::move(v));
    }
    at = end;
    return true;
}

namespace {

// The values of a record, in their order; what is not there is 0.
struct recorded_arguments {
    std::vector<printed_value> const& values;
    std::function<std::string(std::uint64_t)> const& text_at;
    std::size_t next = 0;

    std::uint64_t integer(unsigned) { return next < values.size() ? values[next++].bits : 0; }
    double real() {
        bool const is_integer = next < values.size() && values[next].kind == 1;
        auto const bits = integer(64);
        return is_integer ? static_cast<double>(static_cast<std::int64_t>(bits))
                          : std::bit_cast<double>(bits);
    }
    std::string text(std::optional<std::int64_t>) {
        bool const copied = next < values.size() && values[next].kind == printed_value::string;
        auto const first = next;
        auto const bits = integer(64);
        return copied ? values[first].text : bits == 0 ? "(null)" : text_at(bits);
    }
};

} // namespace

std::string formatted(std::string const& format, std::vector<printed_value> const& values,
                      std::function<std::string(std::uint64_t)> const& text_at) {
    recorded_arguments arguments{values, text_at};
    return printed_text(format, arguments);
}

} // namespace warpkit::cuda
