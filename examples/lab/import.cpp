// `lab import`, and `lab list options`.
#include <warpkit/base/input_file.hpp>
#include <warpkit/base/output_file.hpp>
#include <warpkit/config/gpgpusim/import.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/report/json.hpp>
#include <warpkit/report/text.hpp>

#include "machine_files.hpp"

#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace lab {

using namespace warpkit;
using namespace warpkit::gpgpusim;
using report::alignment;
using report::text_table;

namespace {

std::string cut(std::string const& text, std::size_t most) {
    return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}
// Without folders: they are the same for all rows.
std::string short_place(std::string const& where) { return where.substr(where.rfind('/') + 1); }

void print_notes(std::ostream& out, imported_machine const& m, bool changed, char const* title) {
    text_table t({{title, alignment::left},
                  {"value", alignment::left},
                  {"where", alignment::left},
                  {"effect", alignment::left}});
    bool any = false;
    for (auto const& n : m.notes) {
        if (n.changed != changed) continue;
        any = true;
        t.add_row({n.option + (n.also.empty() ? "" : " and " + std::to_string(n.also.size()) + " more"),
                   cut(n.value, 40), short_place(n.where), n.effect});
    }
    if (!any) return;
    t.print(out);
    out << '\n';
}

std::string json_of_machine(imported_machine const& m) {
    report::json_writer w;
    w.begin_object().member("machine", m.machine.name).member("base", m.machine.base);
    w.member("latencies", m.traces ? "traces" : "ptx");
    w.key("options").begin_array();
    for (auto const& o : m.options) {
        w.begin_object().member("name", o.given.name).member("value", o.given.value);
        w.member("where", o.given.where.text());
        w.member("fate", o.option == nullptr ? "skipped" : to_string(o.option->what));
        if (o.option != nullptr) w.member("text", o.option->text);
        w.end_object();
    }
    w.end_array().key("notes").begin_array();
    for (auto const& n : m.notes) {
        w.begin_object().member("kind", n.changed ? "changed" : "not modelled").member("option", n.option);
        w.member("value", n.value).member("where", n.where).member("effect", n.effect);
        w.key("also").begin_array();
        for (auto const& [option, value] : n.also)
            w.begin_object().member("option", option).member("value", value).end_object();
        w.end_array().end_object();
    }
    w.end_array().end_object();
    return w.text();
}

} // namespace

void import(import_request const& what, request const& asked) {
    auto files = asked.files;
    std::vector<config_file> configs;
    for (auto const& name : what.files) configs.push_back({name, read_file(name, std::size_t{1} << 24)});
    import_options how;
    how.name = what.name;
    if (!what.shared.empty()) how.shared_used = parse_number(what.shared, "bytes", "--shared");
    how.skipped = what.skip;
    how.settings = asked.settings;
    auto const read = [&](std::string const& name) {
        files.reads(name, "a file that a configuration names");
        return read_file(name, std::size_t{1} << 24);
    };
    auto const m = import_machine(configs, read, how);
    auto const text = text_of(m.machine);
    (void)read_machine(text, what.output); // what cannot be read back is not written

    std::vector<output_file> outputs;
    outputs.emplace_back(what.output).write(text);
    if (!what.json.empty()) outputs.emplace_back(what.json).write(json_of_machine(m));
    for (auto& f : outputs) f.close();
    for (auto& f : outputs) f.commit();

    auto& out = is_standard_output(what.output) || is_standard_output(what.json) ? std::cerr : std::cout;
    std::map<std::string, unsigned> count;
    for (auto const& o : m.options) ++count[o.option == nullptr ? "skipped" : to_string(o.option->what)];
    if (what.all) {
        text_table t({{"option", alignment::left},
                      {"value", alignment::left},
                      {"where", alignment::left},
                      {"what becomes of it", alignment::left},
                      {"", alignment::left}});
        for (auto const& o : m.options)
            t.add_row({o.given.name, cut(o.given.value, 40), short_place(o.given.where.text()),
                       o.option == nullptr ? "skipped" : to_string(o.option->what),
                       o.option == nullptr ? "" : cut(o.option->text, 80)});
        t.print(out);
        out << '\n';
    }
    print_notes(out, m, true, "changed");
    print_notes(out, m, false, "not modelled");
    out << what.output << ": " << m.machine.name << " on " << m.machine.base << ", latencies of "
        << (m.traces ? "traces" : "PTX") << "; of " << m.options.size() << " options";
    char const* before = " ";
    for (auto const& [name, n] : count) {
        out << before << n << ' ' << name;
        before = ", ";
    }
    out << (what.all ? "" : " (--all lists them)") << '\n';
}

void list_simulator_options() {
    text_table t({{"option", alignment::left},
                  {"since", alignment::left},
                  {"until", alignment::left},
                  {"standard", alignment::left},
                  {"what becomes of it", alignment::left},
                  {"", alignment::left}});
    for (auto const& o : simulator_options())
        t.add_row(
            {o.name, o.since, o.until, o.standard == nullptr ? "" : o.standard, to_string(o.what), o.text});
    print_table("options", t);
}

} // namespace lab
