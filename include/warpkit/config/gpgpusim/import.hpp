#pragma once
/// \file
/// Configurations of GPGPU-Sim and Accel-Sim as machines of this library.
///
/// Each option is looked up in options.hpp: what is mapped becomes numbers and policies, each with the file and line
/// that it came from; what is not modelled, and what had to be changed, is told with its effect, so that nothing passes
/// in silence. What the options leave open (GPGPU-Sim has it in its source, or has no such thing) is the base preset's.
///
/// With options of Accel-Sim's trace.config, latencies are those of traces, else those of PTX.
/// Sources: the GPGPU-Sim 3.x manual, the tested configurations and their comments, the sources of both simulators for
/// defaults and derived numbers.

#include <warpkit/base/error.hpp>
#include <warpkit/config/gpgpusim/imported_machine.hpp>
#include <warpkit/config/gpgpusim/memory_mapping.hpp>
#include <warpkit/config/gpgpusim/option_file.hpp>
#include <warpkit/config/gpgpusim/options.hpp>
#include <warpkit/config/machine_file.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::gpgpusim {

namespace detail {

class importer : memory_mapping {
public:
    importer(std::vector<config_file> const& files, file_reader const& read, import_options const& how)
        : memory_mapping(files, read, how) {}

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
        map_l2();
        map_dram();
        tell_not_modelled();
        finish();
        return std::move(out_);
    }

private:
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
        auto const map = numbers_.find("address_mapping");
        if (map != numbers_.end())
            to.push_back({"address_mapping", map->second.value, map->second.source, 0});
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
};

} // namespace detail

/// The machine that these files describe together: gpgpusim.config, and trace.config if it is for traces. `read` gives
/// the text of a file that they name (intersim's, included ones), by its path. Throws `error` with file, line and
/// option for what cannot be understood, and where what is asked for is no machine.
inline imported_machine import_machine(std::vector<config_file> const& files, file_reader const& read,
                                       import_options const& how = {}) {
    return detail::importer(files, read, how).import();
}

} // namespace warpkit::gpgpusim
