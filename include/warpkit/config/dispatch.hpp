#pragma once
/// \file
/// Choices of block and occupancy limits by name, their parameters set by name: `bcs`, `static_limit:3`,
/// `locality_aware_dispatch:window=32:tie=highest`, `dyncta:window=4096:pausing=0`.

#include <warpkit/base/error.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/cta/multithreading_tables.hpp>
#include <warpkit/cta/policies.hpp>

#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warpkit {

/// A parameter of a named policy.
struct policy_parameter {
    std::string name;
    std::string standard; ///< its value if nobody sets it
    std::string meaning;
};
/// A policy of the catalogue, for lists.
struct named_policy {
    std::string name;
    std::string meaning;
    std::vector<policy_parameter> parameters; ///< the first may be set without its name
};

namespace detail {

/// "name:key=value:value", taken apart; tells what nobody took.
class policy_text {
public:
    policy_text(std::string_view text, std::string kind, unsigned cores = 0)
        : kind_(std::move(kind)),
          cores_(cores) {
        for (std::size_t from = 0; from <= text.size();) {
            auto const to = text.find(':', from) < text.size() ? text.find(':', from) : text.size();
            auto const part = text.substr(from, to - from);
            from = to + 1;
            if (name_.empty()) {
                name_ = part;
                if (name_.empty()) throw error(kind_ + " '" + std::string(text) + "' has no name");
                continue;
            }
            auto const equals = part.find('=');
            if (equals == part.npos)
                set_.push_back({"", std::string(part)});
            else
                set_.push_back({std::string(part.substr(0, equals)), std::string(part.substr(equals + 1))});
        }
    }
    std::string const& name() const noexcept { return name_; }
    /// Of the machine that it is for; 0 if that is not known yet.
    unsigned cores() const noexcept { return cores_; }

    /// Checks the parameters against what there is, and names the one without a name.
    void match(named_policy const& p) {
        std::vector<std::string> names;
        for (auto const& q : p.parameters) names.push_back(q.name);
        for (auto& s : set_) {
            if (s.key.empty() && !names.empty()) s.key = names.front();
            bool known = false;
            for (auto const& n : names) known = known || n == s.key;
            if (known) {
                for (auto const* earlier = set_.data(); earlier != &s; ++earlier)
                    if (earlier->key == s.key)
                        throw error(name_ + ' ' + s.key + " is given twice, as " + earlier->value +
                                    " and as " + s.value + "; give it once");
                continue;
            }
            std::string all;
            for (auto const& n : names) all += (all.empty() ? "" : ", ") + n;
            throw error(name_ + " has no parameter '" + (s.key.empty() ? s.value : s.key) + '\'' +
                        did_you_mean(s.key, names) +
                        (all.empty() ? "; it takes none" : "; it takes: " + all));
        }
    }
    std::string const* value(std::string_view key) const noexcept {
        std::string const* found = nullptr;
        for (auto const& s : set_)
            if (s.key == key) found = &s.value;
        return found;
    }
    template <class T>
    void take(std::string_view key, T& to) const {
        auto const* const text = value(key);
        if (text == nullptr) return;
        auto const what = name_ + ' ' + std::string(key);
        if constexpr (std::is_same_v<T, bool>) {
            if (*text != "0" && *text != "1") throw error(what + ": '" + *text + "' is neither 0 nor 1");
            to = *text == "1";
        } else if constexpr (std::is_floating_point_v<T>) {
            to = decimal(*text, what);
        } else {
            auto const n = parse_number(*text, "", what);
            if (n > 1'000'000'000) throw error(what + " = " + *text + " is too large; at most 1000000000");
            to = static_cast<T>(n);
        }
    }
    template <class T>
    void take(std::string_view key, T& to, std::vector<std::pair<std::string, T>> const& words) const {
        auto const* const text = value(key);
        if (text == nullptr) return;
        std::vector<std::string> names;
        for (auto const& [word, meant] : words) {
            if (word == *text) {
                to = meant;
                return;
            }
            names.push_back(word);
        }
        std::string all;
        for (auto const& n : names) all += (all.empty() ? "" : ", ") + n;
        throw error(name_ + ' ' + std::string(key) + ": there is no '" + *text + '\'' +
                    did_you_mean(*text, names) + "; there are: " + all);
    }
    /// Numbers with slashes between them.
    std::vector<double> list(std::string_view key) const {
        std::vector<double> all;
        auto const* const text = value(key);
        for (std::size_t from = 0; text != nullptr && from <= text->size();) {
            auto const to = text->find('/', from) < text->size() ? text->find('/', from) : text->size();
            all.push_back(decimal(text->substr(from, to - from), name_ + ' ' + std::string(key)));
            from = to + 1;
        }
        return all;
    }

private:
    struct setting {
        std::string key;
        std::string value;
    };
    static double decimal(std::string const& text, std::string const& what) {
        double v = 0;
        auto const [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), v);
        if (wrong != std::errc() || end != text.data() + text.size() || !(v >= 0) || v > 1e12)
            throw error(what + ": '" + text + "' is no number from 0 on");
        return v;
    }
    std::string kind_;
    std::string name_;
    unsigned cores_;
    std::vector<setting> set_;
};

template <class Policy>
struct policy_maker {
    named_policy about;
    std::function<Policy(policy_text const&)> make;
};

template <class Policy>
Policy policy_named(std::string_view text, std::string const& kind,
                    std::vector<policy_maker<Policy>> const& all, unsigned cores) {
    policy_text parts(text, kind, cores);
    std::vector<std::string> names;
    for (auto const& m : all) {
        names.push_back(m.about.name);
        if (m.about.name != parts.name()) continue;
        parts.match(m.about);
        return m.make(parts);
    }
    std::string list;
    for (auto const& n : names) list += (list.empty() ? "" : ", ") + n;
    throw error("there is no " + kind + " '" + parts.name() + '\'' + did_you_mean(parts.name(), names) +
                "; there are: " + list);
}
template <class Policy>
std::vector<named_policy> about(std::vector<policy_maker<Policy>> const& all) {
    std::vector<named_policy> names;
    for (auto const& m : all) names.push_back(m.about);
    return names;
}

inline std::vector<policy_maker<any_cta_choice>> const& cta_choice_makers() {
    static std::vector<policy_maker<any_cta_choice>> const all = {
        {{"round_robin_dispatch",
          "in order, each to the next core with room (GPGPU-Sim, OWL)",
          {{"start", "first_core",
            "of a grid: first_core, or next_core behind the last grid's (GPGPU-Sim)"}}},
         [](policy_text const& t) {
             auto start = grid_start::first_core;
             t.take<grid_start>(
                 "start", start,
                 {{"first_core", grid_start::first_core}, {"next_core", grid_start::next_core}});
             return any_cta_choice(round_robin_dispatch(start));
         }},
        {{"bcs",
          "consecutive CTAs to one core, when it has room for all (block CTA scheduling)",
          {{"blocks", "2", "CTAs at once"}}},
         [](policy_text const& t) {
             unsigned blocks = 2;
             t.take("blocks", blocks);
             if (blocks == 0) throw error("bcs blocks = 0: give at least 1 CTA");
             return any_cta_choice(consecutive_blocks<run_time>(blocks));
         }},
        {{"locality_aware_dispatch",
          "the CTA that shares most lines with those on the core (address pre-computation)",
          {{"window", "64", "CTAs that are candidates"},
           {"tie", "lowest", "of equally good ones the one of lowest, or highest, number"},
           {"fill", "round_robin", "round_robin until the core has finished one, or locality from the start"},
           {"rectangles", "access", "of lines: one per access, or one per array around all accesses to it"},
           {"reads_only", "0", "1: stores do not count"},
           {"byte_saturate", "0", "1: coordinates of one byte, as in the thesis' cost"}}},
         [](policy_text const& t) {
             locality_dispatch_options o;
             t.take("window", o.window);
             t.take<cta_tie>("tie", o.tie, {{"lowest", cta_tie::lowest}, {"highest", cta_tie::highest}});
             t.take<initial_fill>(
                 "fill", o.fill,
                 {{"round_robin", initial_fill::round_robin}, {"locality", initial_fill::locality}});
             t.take<rectangle_per>("rectangles", o.rectangles,
                                   {{"access", rectangle_per::access}, {"array", rectangle_per::array}});
             t.take("reads_only", o.reads_only);
             t.take("byte_saturate", o.byte_saturate);
             if (o.window == 0 || o.window > 65536)
                 throw error("locality_aware_dispatch window: give 1 to 65536 candidates");
             return any_cta_choice(locality_aware_dispatch(o));
         }}};
    return all;
}

inline any_occupancy_limit multithreading_degree_of(policy_text const& t) {
    degree_rules r;
    t.take("compute_bound", r.compute_bound);
    t.take<degree_gate>("gate", r.gate,
                        {{"measured", degree_gate::measured}, {"predicted", degree_gate::predicted}});
    t.take("all_sets", r.all_sets);
    t.take("saturated", r.saturated);
    unsigned core = 0;
    t.take("core", core);
    if (t.cores() != 0 && core >= t.cores())
        throw error("multithreading_degree core = " + std::to_string(core) + ": the machine has cores 0 to " +
                    std::to_string(t.cores() - 1));
    auto const miss = t.list("miss");
    auto const reads = t.list("reads");
    auto const* const program = t.value("table");
    if (program == nullptr && miss.empty() && reads.empty()) {
        modelled_reads m;
        t.take("reuse", m.reuse);
        return any_occupancy_limit(multithreading_degree<modelled_reads>(m, r, core));
    }
    tabled_reads table;
    if (program != nullptr) {
        bool found = false;
        std::vector<std::string> names;
        for (auto const& p : multithreading_tables::programs) {
            names.emplace_back(p.name);
            if (*program != p.name) continue;
            table = multithreading_tables::table_of(p);
            found = true;
        }
        if (!found)
            throw error("multithreading_degree table: the thesis has none of '" + *program + '\'' +
                        did_you_mean(*program, names) + "; it has bfs, nbfs and unstructured");
    } else {
        if (miss.size() != reads.size() || miss.size() > tabled_reads::most)
            throw error("multithreading_degree: miss and reads are lists of the same length, one value for "
                        "each of up to " +
                        std::to_string(tabled_reads::most) + " degrees, as in miss=.2/.4:reads=100/250");
        for (auto const m : miss) table.point[table.degrees++].miss = m;
        for (std::size_t i = 0; i < reads.size(); ++i) table.point[i].reads = reads[i];
    }
    return any_occupancy_limit(multithreading_degree<tabled_reads>(table, r, core));
}

inline std::vector<policy_maker<any_occupancy_limit>> const& occupancy_limit_makers() {
    static std::vector<policy_maker<any_occupancy_limit>> const all = {
        {{"no_limit", "as many CTAs as fit", {}},
         [](policy_text const&) { return any_occupancy_limit(no_limit()); }},
        {{"static_limit", "at most so many CTAs: a multithreading degree", {{"ctas", "8", "per core"}}},
         [](policy_text const& t) {
             unsigned ctas = 8;
             t.take("ctas", ctas);
             if (ctas == 0) throw error("static_limit ctas: a core holds at least 1 CTA");
             return any_occupancy_limit(static_limit(ctas));
         }},
        {{"lcs",
          "what kept the core busy until its first CTA ended (lazy CTA scheduling)",
          {{"round_down", "0", "1: the number is rounded down, not up"},
           {"most_issued", "0",
            "1: divided by the instructions of the CTA that issued most, not of the ended"}}},
         [](policy_text const& t) {
             lcs_options o;
             t.take("round_down", o.round_down);
             t.take("most_issued", o.most_issued);
             return any_occupancy_limit(lcs(o));
         }},
        {{"dyncta",
          "one more or one less, window by window; what is too much is paused",
          {{"window", "2048", "core cycles"},
           {"idle", "16", "idle cycles of a window from which on there is one more"},
           {"memory_low", "128", "cycles below which all warps wait for memory: one more"},
           {"memory_high", "384", "cycles above which they do: one less"},
           {"pausing", "1", "0: nothing is paused, only not replaced"}}},
         [](policy_text const& t) {
             dyncta_options o;
             t.take("window", o.window);
             t.take("idle", o.idle);
             t.take("memory_low", o.memory_low);
             t.take("memory_high", o.memory_high);
             t.take("pausing", o.pausing);
             if (o.window == 0) throw error("dyncta window: give at least 1 cycle");
             return any_occupancy_limit(dyncta(o));
         }},
        {{"multithreading_degree",
          "what one CTA alone on one core lets predict to be best",
          {{"reuse", "0.36", "of the modelled first stage"},
           {"table", "", "in its place: bfs, nbfs or unstructured of the thesis' table 5"},
           {"miss", "", "in its place: miss rates by degree, as in 0.2/0.4"},
           {"reads", "", "and DRAM reads of a CTA, as in 100/250"},
           {"compute_bound", "0.05", "DRAM reads per warp instruction below which all fit stays"},
           {"gate", "predicted",
            "these are the most at any degree, as predicted, or the lone CTA's: measured"},
           {"all_sets", "0", "1: the latency rules look at all CTAs' working sets"},
           {"saturated", "0", "reads per warp instruction from which on the pipeline is slow; 0: never"},
           {"core", "0", "the predictor's"}}},
         multithreading_degree_of}};
    return all;
}

} // namespace detail

/// All choices of block that have a name, and all occupancy limits.
inline std::vector<named_policy> cta_choices() { return detail::about(detail::cta_choice_makers()); }
inline std::vector<named_policy> occupancy_limits() {
    return detail::about(detail::occupancy_limit_makers());
}

/// A choice of block by its name and parameters, for a machine of so many cores, 0 if that is not known yet. Throws `error` with
/// the nearest name, or with what is wrong.
inline any_cta_choice cta_choice_named(std::string_view text, unsigned cores = 0) {
    return detail::policy_named(text, "choice of block", detail::cta_choice_makers(), cores);
}
/// An occupancy limit, likewise.
inline any_occupancy_limit occupancy_limit_named(std::string_view text, unsigned cores = 0) {
    return detail::policy_named(text, "occupancy limit", detail::occupancy_limit_makers(), cores);
}

} // namespace warpkit
