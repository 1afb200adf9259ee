// Drives one cache from an address trace: an access at a time, and a next level that answers after a while.

#include <warpkit/cache/alternatives.hpp>

#include <cstdio>
#include <deque>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace warpkit;

namespace {

constexpr char const* help = R"(usage: cache_trace [options] <trace>

Each line of the trace is an access: address (decimal or 0x...), R, W or A (load, store, atomic; in small letters: of local
memory), bytes (4 by default), and the warp (0). # begins a comment. What spans sectors is cut.

  --sets N --ways N --line N --sector N     shape (32 4 128 128)
  --mshrs N --merges N --queue N            misses under way, accesses on each, requests to the next level (32 8 8)
  --kind A+B+...    index linear (default), xor, ipoly, fermi_hash; replacement lru (default), fifo, random, pseudo_lru,
                    srrip; perfect
  --allocation A    on_miss (default), on_fill, streaming
  --write W         read_only, write_evict, write_back, write_through, local_back_global_evict (default)
  --miss M          what a store that misses does: no_allocate (default), write_and_fetch, fetch_on_write, lazy_fetch
  --latency N       accesses until the next level answers (20)
  --events          print each access and what it drove out
  --json            print the counters as JSON
)";

struct options {
    std::map<std::string, std::string> word{{"kind", "linear"},
                                            {"allocation", "on_miss"},
                                            {"write", "local_back_global_evict"},
                                            {"miss", "no_allocate"}};
    std::map<std::string, std::uint32_t> number{{"sets", 32},  {"ways", 4},   {"line", 128}, {"sector", 128},
                                                {"mshrs", 32}, {"merges", 8}, {"queue", 8},  {"latency", 20}};
    bool events = false, json = false;
    std::string file;
};

std::vector<cache_access> trace_of(std::string const& file, std::uint32_t sector) {
    std::ifstream in(file);
    if (!in) throw error("cannot read '" + file + "'");
    std::vector<cache_access> all;
    unsigned number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        std::istringstream words(line.substr(0, line.find('#')));
        std::string address;
        char kind = 0;
        std::uint32_t bytes = 4, warp = 0;
        if (!(words >> address)) continue;
        std::size_t end = 0;
        std::uint64_t at = 0;
        try {
            at = std::stoull(address, &end, 0);
        } catch (std::exception const&) {}
        bool const read = end == address.size() && words >> kind &&
                          std::string("RWArwa").find(kind) != std::string::npos &&
                          (words >> bytes || words.eof()) && (words >> warp || words.eof());
        if (!read || bytes == 0 || bytes > 4096 || warp > 63)
            throw error(
                file + ':' + std::to_string(number) + ": '" + line +
                "' is no access; write an address, R, W or A, and perhaps bytes (1 to 4096) and warp, as in: "
                "0x1000 R 128 3");
        cache_access a;
        a.kind = kind == 'R' || kind == 'r'   ? access_kind::load
                 : kind == 'W' || kind == 'w' ? access_kind::store
                                              : access_kind::atomic;
        a.space = kind >= 'a' ? memory_space::local : memory_space::global;
        a.owner = warp_slot{warp};
        for (auto const last = at + bytes; at < last; at += a.bytes) {
            auto const left = static_cast<std::uint32_t>(last - at),
                       room = sector - static_cast<std::uint32_t>(at % sector);
            a.address = at;
            a.bytes = left < room ? left : room;
            a.token = a.kind == access_kind::store ? no_token : static_cast<std::uint32_t>(all.size());
            all.push_back(a);
        }
    }
    return all;
}

struct counter {
    char const* name;
    std::uint64_t cache_counters::*count;
    char const* meaning;
};
constexpr counter counters[] = {
    {"accesses", &cache_counters::accesses, "accepted"},
    {"hits", &cache_counters::hits, "data at hand, or store to a sector at hand"},
    {"hit_reserved", &cache_counters::hit_reserved, "data on its way"},
    {"misses", &cache_counters::misses, "line absent"},
    {"sector_misses", &cache_counters::sector_misses, "line at hand, sector absent or partly written"},
    {"refused_line_allocation", &cache_counters::refused_line_allocation, "every way of the set waits"},
    {"refused_mshr_entry", &cache_counters::refused_mshr_entry, "no MSHR free"},
    {"refused_mshr_merge", &cache_counters::refused_mshr_merge, "MSHR full"},
    {"refused_miss_queue", &cache_counters::refused_miss_queue, "no room in the miss queue"},
    {"evictions", &cache_counters::evictions, "lines replaced"},
    {"fetches", &cache_counters::fetches, "sectors asked of the next level"},
    {"stores_passed_on", &cache_counters::stores_passed_on, "stores and atomics sent on"},
    {"write_backs", &cache_counters::write_backs, "dirty lines sent back"},
};

template <class Cache>
int run(options const& o) {
    auto const n = [&](char const* name) { return o.number.at(name); };
    cache_parameters p;
    p.geometry = {n("sets"), n("ways"), n("line"), n("sector")};
    p.mshr_entries = n("mshrs");
    p.mshr_merges = n("merges");
    p.miss_queue = n("queue");
    p.choice = Cache::choice_from(o.word.at("kind"));
    Cache c(p);
    auto const trace = trace_of(o.file, p.geometry.sector_bytes);

    struct answer {
        std::uint64_t due, address;
    };
    std::deque<answer> below; // fetches that the next level has, oldest first
    std::uint64_t now = 0, waiting = 0, served = 0, fills = 0;
    auto const report = [&](departed_line const& gone) {
        if (o.events && gone)
            std::printf("%8llu   line 0x%llx of warp %u %s\n", static_cast<unsigned long long>(now),
                        static_cast<unsigned long long>(gone.line), gone.owner.index(),
                        gone.how == line_departure::evicted ? "evicted" : "invalidated");
    };
    auto const step = [&] { // the next level takes one request and gives one answer
        if (!below.empty() && below.front().due <= now) {
            report(c.fill(below.front().address, [&](std::uint32_t) { ++served; }));
            below.pop_front();
            ++fills;
        }
        if (c.has_request()) {
            if (c.front_request().kind == lower_kind::fetch)
                below.push_back({now + n("latency"), c.front_request().address});
            c.pop_request();
        }
        ++now;
    };
    static char const* const outcomes[] = {"hit", "hit_reserved", "miss", "sector_miss", "refused"};
    for (auto const& a : trace) {
        auto r = c.access(a);
        for (; r.answer == cache_answer::refused; r = c.access(a)) step();
        waiting += r.answer == cache_answer::at_fill && a.token != no_token;
        if (o.events)
            std::printf("%8llu 0x%llx warp %u: %s\n", static_cast<unsigned long long>(now),
                        static_cast<unsigned long long>(a.address), a.owner.index(),
                        outcomes[static_cast<int>(r.outcome)]);
        report(r.departed);
        step();
    }
    while (!c.idle()) step();

    auto const& k = c.counters();
    if (o.json) std::printf("{\"steps\": %llu", static_cast<unsigned long long>(now));
    for (auto const& x : counters) {
        auto const value = static_cast<unsigned long long>(k.*x.count);
        if (o.json)
            std::printf(", \"%s\": %llu", x.name, value);
        else
            std::printf("%-24s %12llu  %s\n", x.name, value, x.meaning);
    }
    auto const miss_rate =
        k.accesses == 0 ? 0.0
                        : static_cast<double>(k.misses + k.sector_misses) / static_cast<double>(k.accesses);
    std::printf(o.json ? ", \"miss_rate\": %.6f}\n" : "miss rate %.4f", miss_rate);
    if (!o.json)
        std::printf(", %llu accesses in %llu steps\n", static_cast<unsigned long long>(k.accesses),
                    static_cast<unsigned long long>(now));
    if (k.accesses == trace.size() && k.accesses == k.hits + k.hit_reserved + k.misses + k.sector_misses &&
        served == waiting && fills == k.fetches)
        return 0;
    std::fprintf(
        stderr, "cache_trace: conservation broken: every access is counted once, every load answered once\n");
    return 1;
}

struct composition {
    char const* allocation;
    char const* write;
    char const* miss;
    int (*run)(options const&);
};
template <class Allocation, class Write>
constexpr auto made_of = &run<with_alternatives<cache<linear_index, lru, Allocation, Write>>>;
using enum write_miss;
constexpr composition compositions[] = {
    {"on_miss", "read_only", "no_allocate", made_of<on_miss, read_only>},
    {"on_miss", "write_evict", "no_allocate", made_of<on_miss, write_evict>},
    {"on_miss", "write_back", "no_allocate", made_of<on_miss, write_back<no_allocate>>},
    {"on_miss", "write_back", "write_and_fetch", made_of<on_miss, write_back<write_and_fetch>>},
    {"on_miss", "write_back", "fetch_on_write", made_of<on_miss, write_back<fetch_on_write>>},
    {"on_miss", "write_back", "lazy_fetch", made_of<on_miss, write_back<lazy_fetch>>},
    {"on_miss", "write_through", "no_allocate", made_of<on_miss, write_through<no_allocate>>},
    {"on_miss", "write_through", "lazy_fetch", made_of<on_miss, write_through<lazy_fetch>>},
    {"on_miss", "local_back_global_evict", "no_allocate",
     made_of<on_miss, local_back_global_evict<no_allocate>>},
    {"on_miss", "local_back_global_evict", "lazy_fetch",
     made_of<on_miss, local_back_global_evict<lazy_fetch>>},
    {"on_fill", "read_only", "no_allocate", made_of<on_fill, read_only>},
    {"on_fill", "write_through", "lazy_fetch", made_of<on_fill, write_through<lazy_fetch>>},
    {"on_fill", "local_back_global_evict", "no_allocate",
     made_of<on_fill, local_back_global_evict<no_allocate>>},
    {"streaming", "write_through", "lazy_fetch", made_of<streaming, write_through<lazy_fetch>>},
};

} // namespace

int main(int argc, char** argv) try {
    options o;
    for (int i = 1; i < argc; ++i) {
        std::string const a = argv[i];
        if (a == "--help") return std::printf("%s", help) < 0;
        auto const name = a.rfind("--", 0) == 0 ? a.substr(2) : "";
        if (a == "--events" || a == "--json")
            (a == "--json" ? o.json : o.events) = true;
        else if (name.empty())
            o.file = a;
        else if (o.word.count(name) + o.number.count(name) == 0)
            throw error("no option '" + a + "'; see --help");
        else if (i + 1 == argc)
            throw error(a + " wants a value");
        else if (o.word.count(name) != 0)
            o.word[name] = argv[++i];
        else if (std::sscanf(argv[++i], "%u", &o.number[name]) != 1 || argv[i][0] == '-')
            throw error(a + " wants a number, not '" + argv[i] + "'");
    }
    if (o.file.empty()) throw error("which trace? see --help");
    if (o.number["sector"] == 128 && o.number["line"] < 128) o.number["sector"] = o.number["line"];
    std::string all;
    for (auto const& c : compositions) {
        if (o.word["allocation"] == c.allocation && o.word["write"] == c.write && o.word["miss"] == c.miss)
            return c.run(o);
        all += std::string("\n  --allocation ") + c.allocation + " --write " + c.write + " --miss " + c.miss;
    }
    throw error("there is no cache with --allocation " + o.word["allocation"] + " --write " +
                o.word["write"] + " --miss " + o.word["miss"] + "; there are:" + all);
} catch (std::exception const& e) {
    std::fprintf(stderr, "cache_trace: %s\n", e.what());
    return 2;
}
