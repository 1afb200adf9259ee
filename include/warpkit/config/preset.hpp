#pragma once
/// \file
/// What a preset is: a list of a machine's numbers, each with its provenance.

#include <warpkit/base/error.hpp>
#include <warpkit/config/numbers.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit {

/// Where a number comes from.
enum class provenance : std::uint8_t {
    documented, ///< written in a paper, a manual or a configuration file, or derived from such by a written rule
    measured, ///< observed by running something
    estimated ///< our choice, with the reason
};
constexpr char const* to_string(provenance p) noexcept {
    return p == provenance::documented ? "documented" : p == provenance::measured ? "measured" : "estimated";
}

/// One number of a preset.
struct preset_number {
    char const* name; ///< as in machine_numbers()
    std::uint64_t value;
    provenance kind;
    char const* source; ///< a document, a measurement, or the reason for an estimate

    constexpr preset_number(char const* n, std::uint64_t v, provenance k, char const* s)
        : name(n),
          value(v),
          kind(k),
          source(s) {}
    /// From the DRAM standards' tables, whose sources start with "documented: ", "derived: " (documented too),
    /// "measured: " or "estimated: ".
    constexpr preset_number(char const* n, std::uint64_t v, std::string_view tagged_source)
        : name(n),
          value(v),
          kind(kind_of(tagged_source)),
          source(behind_tag(tagged_source)) {}

private:
    static constexpr provenance kind_of(std::string_view s) noexcept {
        return s.substr(0, 9) == "measured:"     ? provenance::measured
               : s.substr(0, 10) == "estimated:" ? provenance::estimated
                                                 : provenance::documented;
    }
    static constexpr char const* behind_tag(std::string_view s) noexcept {
        auto const tagged = [&](std::string_view tag) { return s.substr(0, tag.size()) == tag; };
        for (std::string_view const tag : {"documented: ", "measured: ", "estimated: "})
            if (tagged(tag)) return s.data() + tag.size();
        return s.data(); // "derived: ..." says how, so it stays
    }
};

/// A published machine in numbers. It may build on another one and name only where it differs.
struct preset {
    char const* name;
    char const* title;
    preset const* base = nullptr;                      ///< null: every number is named here
    std::vector<preset_number> (*numbers)() = nullptr; ///< those named here; null: none
    char const* address_mapping = nullptr;             ///< null: the base's
    char const* address_mapping_source = nullptr;
    char const* memory_nodes = nullptr; ///< null: the base's, or spread evenly
    char const* memory_nodes_source = nullptr;
};

/// All rows of a preset, its base's included, in the order of machine_numbers(), each number once. Throws when a row
/// names no number, names one twice, or does not fit it, and when a number has no row.
[[gnu::cold]] inline std::vector<preset_number> rows(preset const& p) {
    auto const refuse = [&](std::initializer_list<message_part> why) {
        throw error({"preset ", p.name, ": ", joined(why)});
    };
    auto const& fields = machine_numbers();
    std::vector<preset_number const*> row(fields.size(), nullptr);
    auto const own = p.numbers != nullptr ? p.numbers() : std::vector<preset_number>{};
    std::vector<preset_number> const below = p.base != nullptr ? rows(*p.base) : std::vector<preset_number>{};
    for (std::size_t i = 0; i < below.size(); ++i) row[i] = &below[i];
    std::vector<bool> named(fields.size(), false);
    std::size_t after = 0; // mostly they come in order
    for (auto const& n : own) {
        auto const* const f = after < fields.size() && fields[after].name == n.name
                                  ? &fields[after]
                                  : find_field(fields, n.name);
        if (f == nullptr) refuse({"there is no number ", n.name});
        auto const i = static_cast<std::size_t>(f - fields.data());
        if (named[i]) refuse({f->name, " is named twice"});
        if (n.value > f->maximum) refuse({f->name, " cannot hold ", n.value});
        if (n.source == nullptr || *n.source == '\0') refuse({f->name, " has no provenance"});
        named[i] = true;
        row[i] = &n;
        after = i + 1;
    }
    std::vector<preset_number> all;
    all.reserve(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (row[i] == nullptr) refuse({fields[i].name, " has no value and no provenance"});
        all.push_back(*row[i]);
    }
    return all;
}

/// The numbers of a preset as the machine takes them. Throws as rows() does.
[[gnu::cold]] inline gpu_parameters parameters(preset const& p) {
    gpu_parameters g;
    auto const& fields = machine_numbers();
    auto const all = rows(p);
    for (std::size_t i = 0; i < all.size(); ++i) write_field(g, fields[i], all[i].value);
    g.name = p.name;
    auto const* from = &p;
    while (from->address_mapping == nullptr && from->base != nullptr) from = from->base;
    if (from->address_mapping == nullptr || from->address_mapping_source == nullptr)
        throw error({"preset ", p.name, ": address_mapping has no value or no provenance"});
    g.address_mapping = from->address_mapping;
    for (from = &p; from->memory_nodes == nullptr && from->base != nullptr;) from = from->base;
    if (from->memory_nodes != nullptr) {
        if (from->memory_nodes_source == nullptr)
            throw error({"preset ", p.name, ": memory_nodes has no provenance"});
        g.memory_nodes = from->memory_nodes;
    }
    return g;
}

namespace detail {
/// The same of a class that names a preset: a function that can be instantiated explicitly.
template <class Numbers>
gpu_parameters numbers_of() {
    return warpkit::parameters(Numbers::numbers());
}
} // namespace detail

/// Where a preset's address mapping comes from.
inline char const* address_mapping_source(preset const& p) {
    return p.address_mapping_source != nullptr || p.base == nullptr ? p.address_mapping_source
                                                                    : address_mapping_source(*p.base);
}
/// Where the places of its L2 slices in a mesh come from.
inline char const* memory_nodes_source(preset const& p) {
    return p.memory_nodes_source != nullptr ? p.memory_nodes_source
           : p.base != nullptr              ? memory_nodes_source(*p.base)
                                            : "spread evenly";
}

} // namespace warpkit
