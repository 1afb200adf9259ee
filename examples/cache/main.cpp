// Drives one cache from an address trace: an access at a time, and a next level that answers after a while.

#include <warpkit/cache/alternatives.hpp>

#include "support/access_file.hpp"
#include "support/command_line.hpp"
#include "support/numbers.hpp"

#include <deque>

using namespace warpkit;
using any_cache = with_alternatives<cache<linear_index, lru, on_miss, fermi_l1>>;

namespace {

int drive(std::string const& file, cache_parameters numbers, unsigned latency, bool events,
          std::string const& format) {
    auto& shape = numbers.geometry;
    if (shape.sector_bytes == 0) shape.sector_bytes = shape.line_bytes;
    any_cache c(numbers);
    std::deque<std::pair<std::uint64_t, std::uint64_t>>
        below; // when the next level answers, and which address
    std::uint64_t now = 0, waiting = 0, served = 0, fills = 0;
    auto const tell = [&](std::uint64_t address, warp_slot warp, char const* what) {
        if (events)
            std::printf("%8llu 0x%llx of warp %u %s\n", now + 0ULL, address + 0ULL, warp.index(), what);
    };
    auto const tell_departed = [&](departed_line const& d) {
        if (d) tell(d.line, d.owner, d.how == line_departure::evicted ? "evicted" : "invalidated");
    };
    auto const step = [&] { // the next level gives one answer and takes one request
        if (!below.empty() && below.front().first <= now) {
            tell_departed(c.fill(below.front().second, [&](std::uint32_t) { ++served; }));
            below.pop_front();
            ++fills;
        }
        if (c.has_request()) {
            auto const& r = c.front_request();
            if (r.kind == lower_kind::fetch) below.emplace_back(now + latency, r.address);
            c.pop_request();
        }
        ++now;
    };
    constexpr access_kind kinds[] = {access_kind::load, access_kind::store, access_kind::atomic};
    auto const trace = examples::read_accesses(file, "RWArwa", shape.sector_bytes);
    for (auto const& t : trace) {
        cache_access const a{.address = t.address,
                             .bytes = t.bytes,
                             .kind = kinds[t.letter % 3],
                             .space = t.letter < 3 ? memory_space::global : memory_space::local,
                             .owner = warp_slot{t.warp},
                             .token = 1};
        auto r = c.access(a);
        for (; r.answer == cache_answer::refused; r = c.access(a)) step();
        waiting += r.answer == cache_answer::at_fill;
        constexpr char const* outcomes[] = {"hit", "hit_reserved", "miss", "sector_miss"};
        tell(a.address, a.owner, outcomes[static_cast<unsigned>(r.outcome)]);
        tell_departed(r.departed);
        step();
    }
    while (!c.idle()) step();

    auto const& k = c.counters();
    auto const share = k.accesses == 0 ? 0 : double(k.misses + k.sector_misses) / double(k.accesses);
    examples::print(examples::numbers_of(
                        k, {{"steps", std::to_string(now), "one for each access and retry"},
                            {"miss_rate", report::fixed(share, 6), "of all accesses, sectors included"}}),
                    format);
    if (k.accesses == trace.size() && served == waiting && fills == k.fetches) return 0;
    throw error("conservation broken: every access is counted once, every load answered once");
}

} // namespace

int main(int argc, char** argv) {
    cache_parameters n{.geometry = {.sector_bytes = 0}};
    std::string kind, format = "table";
    unsigned latency = 20;
    bool events = false;
    std::vector<std::string> file;
    std::string parts;
    for (auto const& part : any_cache::parts()) parts += examples::list(part.kind, part.names);
    return examples::command_line(
               "cache_trace",
               "[options] <trace>\n" + examples::access_lines("R, W or A (load, store, "
                                                              "atomic; in small letters: of local memory)"),
               "A kind is a name of any part, joined by +, as in ipoly+srrip+write_back+lazy_fetch:\n" +
                   parts)
        .option("--kind", kind, "policies by name; of parts not named, linear, lru, on_miss and Fermi's L1")
        .option("--sets", n.geometry.sets, "any number, with the linear index")
        .option("--ways", n.geometry.ways, "up to 64")
        .option("--line", n.geometry.line_bytes, "bytes")
        .option("--sector", n.geometry.sector_bytes, "bytes; 0: a line is one")
        .option("--mshrs", n.mshr_entries, "misses under way")
        .option("--merges", n.mshr_merges, "accesses that may wait for one of them")
        .option("--queue", n.miss_queue, "requests to the next level")
        .option("--write-ratio", n.write_ratio, "percent of stored-to lines below which they stay")
        .option("--latency", latency, "steps until the next level answers")
        .option("--events", events, "print each access, and what it drove out")
        .option("--format", format, examples::formats)
        .words(file, 1, 1)
        .run(argc, argv, [&] {
            n.choice = any_cache::choice_from(kind);
            return drive(file[0], n, latency, events, format);
        });
}
