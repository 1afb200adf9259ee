// `lab cost`: the page docs/reference/hardware_cost.md, or the same as aligned tables.
#include <warpkit/config/preset_numbers.hpp>
#include <warpkit/config/settings.hpp>
#include <warpkit/lsu/new_car.hpp>
#include <warpkit/report/text.hpp>
#include <warpkit/warp/schedulers.hpp>

#include "catalogue.hpp"
#include "lab.hpp"

#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace lab {

using namespace warpkit;
using report::alignment;

namespace {

template <class... Scheduler>
std::vector<policy_cost> costs_of(core_shape const& shape) {
    return {{"warp_scheduler", common_name<Scheduler>, hardware_cost_of<Scheduler>(shape)}...};
}
std::vector<policy_cost> scheduler_costs(core_shape const& shape) {
    return costs_of<lrr, strict_round_robin, oldest, youngest, gto, gty, two_level, two_level_active,
                    two_level_gpgpusim, two_level_gpgpusim_compat, static_wavefront_limit<8>, ccws,
                    daws_style, cawa_style, baws, mascar, producer_first, leader_first, pingpong, cta_aware,
                    cta_aware_locality, cta_aware_locality_blp, cta_aware_locality_fair, elf, locality_aware>(
        shape);
}

std::string kilobytes(std::uint64_t bits) { return report::fixed(static_cast<double>(bits) / 8 / 1024, 2); }

void print_costs(char const* title, std::vector<policy_cost> const& costs, bool markdown) {
    report::text_table table({{title, alignment::left},
                              {"bits", alignment::right, {}},
                              {"kB", alignment::right, {}},
                              {"made up of", alignment::left}});
    for (auto const& s : costs) {
        std::string parts;
        for (auto const& part : s.structures)
            parts += (parts.empty() ? "" : ", ") + std::string(part.structure) + ' ' +
                     report::with_thousands(part.bits);
        auto const bits = s.structures.total_bits();
        table.add_row({s.name, report::with_thousands(bits), kilobytes(bits), parts});
    }
    print_table(title + std::string("s"), table, markdown);
}

// A line of a paper's overhead table, and what this library computes.
struct published {
    char const* source;
    char const* structure;
    char const* says;
    std::uint64_t bits;
};

template <class Policy>
std::uint64_t bits_of(char const* structure) {
    for (auto const& s : hardware_cost_of<Policy>(core_shape{}))
        if (std::string(s.structure) == structure) return s.bits;
    throw std::logic_error(std::string("no structure ") + structure);
}

std::vector<published> published_costs() {
    auto const car_queue = bits_of<new_car>("NewCAR");
    auto const calculator = bits_of<elf>("priority calculator");
    auto const priorities = bits_of<elf>("warp priority table");
    return {
        {"ELF, table 3", "priority calculator", "0.16 kB", calculator},
        {"", "warp priority table", "0.05 kB", priorities},
        {"", "NewCAR", "1.18 kB", car_queue},
        {"", "in all", "1.39 kB", calculator + priorities + car_queue},
        {"locality-aware thesis, table 5.2", "block queue, per entry", "15 bytes", block_range_bits},
        {"", "locality degree table", "1.1 KB", bits_of<locality_aware>("locality degree table")},
        {"", "warp access ranges", "1 KB (48*16 bytes)", bits_of<locality_aware>("warp access ranges")},
        {"CCWS, MICRO 2012", "victim tags", "16 tags per warp", bits_of<ccws>("victim tags")},
        {"round-robin over masks", "last issuer", "", lrr::hardware_cost(core_shape{}).total_bits()},
    };
}

constexpr char const* notes =
    "* ELF prints 301 bits for an entry of NewCAR, and that CAR's are the same; the fields "
    "that make them up (lsu/replay_entries.hpp)\n"
    "  are our reading.\n"
    "* The thesis gives a warp 6 bytes for five regions; five numbers of 10 bits "
    "are 50 bits, so its 16 bytes are 130 bits\n"
    "  here. It leaves out who is active, the ages of CTAs and the last issuer.\n"
    "* Round-robin over masks costs one pointer per scheduler: the last issuer. "
    "The rotation and the search for the next set\n"
    "  bit are logic.\n";

void print_published(bool markdown) {
    report::text_table table({{"source", alignment::left},
                              {"structure", alignment::left},
                              {"printed there", alignment::left},
                              {"bits here", alignment::right, {}},
                              {"bytes", alignment::right, {}},
                              {"kB", alignment::right, {}}});
    for (auto const& p : published_costs())
        table.add_row({p.source, p.structure, p.says, report::with_thousands(p.bits),
                       report::fixed(static_cast<double>(p.bits) / 8, p.bits % 8 == 0 ? 0 : 2),
                       kilobytes(p.bits)});
    print_table("published", table, markdown);
}

core_shape core_of(preset const& p) {
    auto const numbers = parameters(p);
    core_shape shape;
    shape.warp_slots = numbers.core.threads / 32;
    shape.schedulers = numbers.core.schedulers;
    shape.cta_slots = numbers.core.ctas;
    shape.cores = numbers.core.count;
    shape.l1_lines = numbers.l1d.size / numbers.l1d.line;
    return shape;
}
void print_core(core_shape const& shape, char const* preset_name, bool markdown) {
    std::cout << (markdown ? "## A core of " : "A core of ") << preset_name << (markdown ? "\n\n" : ": ")
              << shape.warp_slots << " warps, " << shape.schedulers
              << (shape.schedulers == 1 ? " scheduler, " : " schedulers, ") << shape.cta_slots << " CTAs"
              << (markdown ? ".\n\n" : "\n\n");
}
std::vector<policy_cost> with_seats(std::vector<policy_cost> costs) {
    for (auto& c : costs) c.name = c.seat + ' ' + c.name;
    return costs;
}
void print_named(std::vector<std::string> const& texts, core_shape const& shape, char const* preset_name,
                 bool markdown) {
    std::vector<policy_cost> costs;
    auto all = texts;
    if (std::find(texts.begin(), texts.end(), "all") != texts.end()) {
        std::vector<std::string> names;
        (void)costs_named({}, shape, names);
        all.clear();
        for (auto const& name : names) // one may sit in several seats
            if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }
    for (auto const& text : all) {
        std::vector<std::string> names;
        auto const found = costs_named(text, shape, names);
        if (found.empty()) {
            for (auto const* p : preset_numbers::all()) names.push_back(p->name);
            refuse_name("preset, or policy that tells its cost,", policy_of(text), names);
        }
        costs.insert(costs.end(), found.begin(), found.end());
    }
    print_core(shape, preset_name, markdown);
    print_costs("policy", with_seats(costs), markdown);
}

} // namespace

void cost(std::vector<std::string> const& words, bool markdown) {
    auto const* chosen = &preset_numbers::gtx480();
    auto texts = words;
    for (auto const* p : preset_numbers::all()) {
        if (words.empty() || p->name != words.front()) continue;
        chosen = p;
        texts.erase(texts.begin());
    }
    auto const shape = core_of(*chosen);
    if (!texts.empty()) return print_named(texts, shape, chosen->name, markdown);

    if (markdown)
        std::cout << "# What the schedulers would cost in hardware\n\n"
                     "Made by `lab cost --markdown`; a test holds this page against its output.\n\n"
                     "Storage per core, by structure, as each policy's `hardware_cost(core_shape)` tells it. "
                     "Logic is not\n"
                     "counted, nor is what every scheduler is given: the mask of candidates, and of what "
                     "they would issue.\n"
                     "A kB is 1024 bytes.\n\n"
                     "## Published tables, computed\n\n";
    else
        std::cout << "Published tables, computed:\n\n";
    print_published(markdown);
    if (markdown) std::cout << '\n' << notes;
    std::cout << '\n';
    print_core(shape, chosen->name, markdown);
    print_costs("scheduler", scheduler_costs(shape), markdown);
    auto const own = own_costs(shape);
    if (markdown || own.empty()) return; // the page is of the shipped ones
    std::cout << "\nPolicies of your own\n\n";
    print_costs("policy", with_seats(own), markdown);
}

} // namespace lab
