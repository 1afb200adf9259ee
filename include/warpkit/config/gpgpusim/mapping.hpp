#pragma once
/// \file
/// The options of an import, and the numbers and policies that are made of them: what the parts of the importer share.

#include <warpkit/base/error.hpp>
#include <warpkit/config/gpgpusim/imported_machine.hpp>
#include <warpkit/config/gpgpusim/option_file.hpp>
#include <warpkit/config/gpgpusim/options.hpp>
#include <warpkit/config/gpgpusim/values.hpp>
#include <warpkit/config/machine_file.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpkit::gpgpusim::detail {

/// The parts stand on each other: core_mapping, cache_mapping, network_mapping, memory_mapping, and the importer on all.
/// Each maps the options of what it is named for.
class mapping {
protected:
    mapping(std::vector<config_file> const& files, file_reader const& read, import_options const& how)
        : files_(&files),
          read_(&read),
          how_(&how) {}

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

    // ---- files and the machine as a whole

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

    struct sourced {
        std::string value;
        std::string source;
    };

    std::vector<config_file> const* files_ = nullptr;
    file_reader const* read_ = nullptr;
    import_options const* how_ = nullptr;
    imported_machine out_;
    std::map<std::string, given_option> given_;
    std::map<std::string, sourced> numbers_;
};

} // namespace warpkit::gpgpusim::detail
