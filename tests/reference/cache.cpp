/// The caches of the engine against those of the reference, access by access, on random streams over random geometries;
/// the reference's have naive twins of the engine's index and replacement policies.

#include <warpkit/cache/alternatives.hpp>
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/fermi_hash_index.hpp>
#include <warpkit/cache/fermi_index.hpp>
#include <warpkit/cache/fifo.hpp>
#include <warpkit/cache/ipoly_index.hpp>
#include <warpkit/cache/linear_index.hpp>
#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/pcal.hpp>
#include <warpkit/cache/prefetch_cache.hpp>
#include <warpkit/cache/pseudo_lru.hpp>
#include <warpkit/cache/random_replacement.hpp>
#include <warpkit/cache/rlr.hpp>
#include <warpkit/cache/ship.hpp>
#include <warpkit/cache/srrip.hpp>
#include <warpkit/cache/texture_cache.hpp>
#include <warpkit/cache/xor_index.hpp>
#include <warpkit/reference/cache.hpp>

#include "catch.hpp"
#include "reference/naive_policies.hpp"
#include "source_tree.hpp"

#include <algorithm>
#include <deque>
#include <random>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

using namespace warpkit;

namespace {

/// Deterministic on every standard library.
class dice {
public:
    explicit dice(std::uint64_t seed) : engine_(seed) {}
    std::uint64_t below(std::uint64_t n) { return engine_() % n; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }

private:
    std::mt19937_64 engine_;
};

template <class Index>
cache_parameters random_parameters(dice& d, std::uint32_t least_queue) {
    cache_parameters p;
    auto& g = p.geometry;
    g.sets = 1 + static_cast<unsigned>(d.below(40));
    if (std::is_same_v<Index, fermi_hash_index>) g.sets = d.one_in(2) ? 32 : 64;
    if (std::is_same_v<Index, xor_index>) g.sets = 1U << d.below(6);
    if (std::is_same_v<Index, ipoly_index>) g.sets = 16U << d.below(3);
    g.ways = 1 + static_cast<unsigned>(d.below(d.one_in(8) ? 64 : 6));
    g.line_bytes = 16U << d.below(5); // 16 to 256
    g.sector_bytes = std::max(8U, g.line_bytes >> d.below(4));
    if (d.one_in(3)) g.sector_bytes = g.line_bytes;
    p.mshr_entries = 1 + static_cast<unsigned>(d.below(20));
    p.mshr_merges = 1 + static_cast<unsigned>(d.below(5));
    p.miss_queue = least_queue + static_cast<unsigned>(d.below(6));
    if (d.one_in(3)) p.write_ratio = 1 + static_cast<unsigned>(d.below(100));
    return p;
}
/// The same with more than 64 ways in as few sets as the index takes.
template <class Index>
void widen(dice& d, cache_geometry& g) {
    bool const hashed = std::is_same_v<Index, fermi_hash_index> || std::is_same_v<Index, ipoly_index>;
    g.sets = std::is_same_v<Index, fermi_hash_index> ? 32 : hashed ? 16 : 1U << d.below(2);
    g.ways = 65 + static_cast<unsigned>(d.below(hashed ? 3 : d.one_in(3) ? 448 : 120));
}

template <class Write>
cache_access random_access(dice& d, cache_parameters const& p) {
    auto const& g = p.geometry;
    cache_access a;
    // A few times as many lines as fit, half of the time from a hot part; hashed indices also see the upper bits.
    auto const lines = std::uint64_t{g.sets} * g.ways;
    auto line = d.below(d.one_in(2) ? lines * 3 + 2 : lines / 2 + 1);
    if (d.one_in(4)) line += d.below(64) << 6;
    auto const kind = d.below(20);
    a.kind = kind < 12 ? access_kind::load : kind < 19 ? access_kind::store : access_kind::atomic;
    a.space = d.one_in(3) ? memory_space::local : memory_space::global;
    bool const one_sector = a.kind != access_kind::store ||
                            Write::on_miss(a.space) == write_miss::write_and_fetch ||
                            waits_for_fetch(Write::on_miss(a.space));
    auto const sectors = g.sectors_per_line();
    auto first = d.below(sectors);
    auto count = one_sector ? 1 : 1 + d.below(sectors - first);
    auto begin = first * g.sector_bytes;
    auto end = begin + count * g.sector_bytes;
    if (d.one_in(2)) { // not all of it
        begin += d.below(g.sector_bytes);
        end -= d.below(end - begin);
    }
    a.address = line * g.line_bytes + begin;
    a.bytes = static_cast<std::uint32_t>(end - begin);
    a.owner = warp_slot{static_cast<unsigned>(d.below(48))};
    a.token = static_cast<std::uint32_t>(d.below(1000000));
    a.pc = 8 * static_cast<std::uint32_t>(d.below(12));
    if (a.kind == access_kind::store && a.address / 128 == (a.address + a.bytes - 1) / 128 && d.one_in(3)) {
        while ((a.written[0] | a.written[1]) == 0)
            for (auto b = a.address; b < a.address + a.bytes; ++b)
                if (!d.one_in(3)) a.written[b % 128 / 64] |= std::uint64_t{1} << b % 64;
    }
    return a;
}

/// Some 600 accesses of a real trace (examples/cache/bfs.trace), from anywhere in it, cut at sectors.
std::vector<cache_access> real_accesses(dice& d, cache_parameters const& p) {
    struct record {
        std::uint64_t address;
        char kind;
        std::uint32_t bytes, warp;
    };
    static auto const trace = [] {
        std::vector<record> all;
        std::istringstream in(source_text("examples/cache/bfs.trace"));
        for (std::string line; std::getline(in, line);) {
            std::istringstream words(line);
            record r{};
            if (line[0] != '#' && words >> std::hex >> r.address >> r.kind >> std::dec >> r.bytes >> r.warp)
                all.push_back(r);
        }
        return all;
    }();
    REQUIRE(trace.size() == 3000);
    std::vector<cache_access> some;
    for (auto i = d.below(trace.size()); some.size() < 600; i = (i + 1) % trace.size()) {
        auto const& r = trace[i];
        for (auto at = r.address; at < r.address + r.bytes;) {
            cache_access a;
            a.address = at;
            a.bytes = static_cast<std::uint32_t>(
                std::min(r.address + r.bytes - at, p.geometry.sector_bytes - at % p.geometry.sector_bytes));
            a.kind = r.kind == 'R' ? access_kind::load : access_kind::store;
            a.owner = warp_slot{r.warp};
            a.token = static_cast<std::uint32_t>(some.size());
            some.push_back(a);
            at += a.bytes;
        }
    }
    return some;
}

template <class T>
std::string shown(T const& x) {
    std::ostringstream s;
    x.each_member([&s](auto const&... m) { ((s << hash_of(m) << ' '), ...); });
    return s.str();
}

struct tally {
    cache_counters all;
    std::uint64_t configurations = 0;
    std::uint64_t fills = 0;
    std::uint64_t departures = 0;
};

/// The reference's cache with the policies of Cache, the index and the replacement being naive ones.
template <class Cache>
struct twin_policies {
    using index_policy = naive::index<typename Cache::index_policy>;
    using replacement_policy_type = naive::replacement<typename Cache::replacement_policy_type>;
    using allocation_policy_type = typename Cache::allocation_policy_type;
    using write_policy_type = typename Cache::write_policy_type;
};
template <class Cache>
using twin_of = reference::cache_of<twin_policies<Cache>>;

/// One random configuration, one random or real stream. Stops at the first difference.
template <class Cache>
bool agree(std::uint64_t seed, bool real, tally& t, bool wide = false) {
    using index = typename Cache::index_policy;
    using write = typename Cache::write_policy_type;
    dice d(seed);
    auto p = random_parameters<index>(d, Cache::miss_queue_minimum);
    if (wide) widen<index>(d, p.geometry);
    Cache fast(p);
    twin_of<Cache> slow(p);

    std::vector<std::uint64_t> outstanding; // fetches taken by the next level, answered in any order
    std::vector<std::uint32_t> parts;
    std::vector<std::uint32_t> hints;
    auto const patience = 2 + d.below(10);
    auto const given = real ? real_accesses(d, p) : std::vector<cache_access>();
    auto const accesses = real ? given.size() : wide ? 4000 : 2000;
    for (std::size_t i = 0; i < accesses; ++i) {
        auto a = real ? given[i] : random_access<write>(d, p);
        if constexpr (confines_lines<typename Cache::replacement_policy_type>)
            if (a.kind == access_kind::load && d.one_in(3)) a.token = no_token; // it is read ahead
        auto const found = fast.probe(a);
        auto const got = fast.access(a);
        auto const want = slow.access(a);
        INFO("seed " << seed << " access " << i << " address " << a.address << " bytes " << a.bytes
                     << " kind " << static_cast<int>(a.kind) << " outcome " << static_cast<int>(got.outcome)
                     << " / " << static_cast<int>(want.outcome) << " reason " << static_cast<int>(got.reason)
                     << " / " << static_cast<int>(want.reason) << " answer " << static_cast<int>(got.answer)
                     << " / " << static_cast<int>(want.answer) << " departed " << got.departed.line << " / "
                     << want.departed.line);
        if (!(got == want)) {
            CHECK(got == want);
            return false;
        }
        if (got.outcome != cache_outcome::reservation_fail && found != got.outcome) {
            CHECK(found == got.outcome);
            return false;
        }
        t.departures += static_cast<bool>(got.departed);
        if (fast.requests() != slow.requests() || fast.outstanding() != slow.outstanding()) {
            CHECK(fast.requests() == slow.requests());
            CHECK(fast.outstanding() == slow.outstanding());
            return false;
        }
        while (fast.has_request() && !d.one_in(patience)) {
            auto r = fast.front_request();
            auto const hint = r.mshr;
            r.mshr = lower_request{}.mshr;
            if (!(r == slow.front_request())) {
                INFO(shown(r) << " / " << shown(slow.front_request()));
                CHECK(r == slow.front_request());
                return false;
            }
            if (r.kind == lower_kind::fetch) {
                outstanding.push_back(r.address);
                parts.push_back(d.one_in(4) ? 2 : 1);
                // A hint is a hint: forgotten or wrong, it changes nothing.
                hints.push_back(d.one_in(4) ? static_cast<std::uint32_t>(d.below(70)) : hint);
            }
            fast.pop_request();
            slow.pop_request();
        }
        while (!outstanding.empty() && d.one_in(3)) {
            auto const which = d.below(outstanding.size());
            auto const address = outstanding[which];
            auto const bytes = p.geometry.sector_bytes / parts[which];
            for (auto part = parts[which]; part-- > 0;) {
                std::vector<std::uint32_t> tokens;
                auto const gone = fast.fill(
                    address, bytes, [&](std::uint32_t token) { tokens.push_back(token); }, hints[which]);
                std::vector<std::uint32_t> its;
                auto const waits = slow.outstanding();
                auto const leaves =
                    slow.fill(address, bytes, [&](std::uint32_t token) { its.push_back(token); });
                bool const complete = slow.outstanding() != waits;
                if (!(gone == leaves) || tokens != its || complete != (part == 0)) {
                    CHECK(gone == leaves);
                    CHECK(tokens == its);
                    CHECK(complete == (part == 0));
                    return false;
                }
                t.departures += static_cast<bool>(gone);
            }
            ++t.fills;
            outstanding.erase(outstanding.begin() + static_cast<std::ptrdiff_t>(which));
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(which));
            hints.erase(hints.begin() + static_cast<std::ptrdiff_t>(which));
        }
        if (d.one_in(wide ? 2500 : 700)) {
            fast.invalidate_all();
            slow.invalidate_all();
        }
        if constexpr (hears_launches<typename Cache::replacement_policy_type>)
            if (d.one_in(50)) {
                auto const first = static_cast<unsigned>(d.below(warp_set::width - 8));
                auto const its = warp_set::range(first, first + 1 + static_cast<unsigned>(d.below(8)));
                auto const what = d.below(4);
                if (what == 0) {
                    fast.granted(static_cast<unsigned>(first));
                    slow.granted(static_cast<unsigned>(first));
                } else if (what == 1) {
                    fast.exited(its);
                    slow.exited(its);
                } else {
                    fast.disown(its);
                    slow.disown(its);
                }
            }
    }
    ++t.configurations;
    t.all += fast.counters();
    CHECK(fast.counters() == slow.counters());
    return fast.counters() == slow.counters();
}

template <class Cache>
tally many(std::uint64_t seed, unsigned configurations) {
    tally t;
    for (unsigned i = 0; i < configurations; ++i)
        if (!agree<Cache>(seed * 1000 + i, false, t)) break;
    CHECK(t.configurations == configurations);
    for (unsigned i = 0; i < 8; ++i)
        if (!agree<Cache>(seed * 1000 + 500 + i, true, t)) break;
    CHECK(t.configurations == configurations + 8);
    auto const narrow = t.departures;
    for (unsigned i = 0; i < 4; ++i)
        if (!agree<Cache>(seed * 1000 + 700 + i, false, t, true)) break;
    CHECK(t.configurations == configurations + 12);
    CHECK(t.departures > narrow);
    // The streams reach what they are meant to reach.
    CHECK(t.all.hits > 0);
    CHECK(t.all.hit_reserved > 0);
    CHECK(t.all.misses > 0);
    CHECK(t.all.sector_misses > 0);
    if constexpr (!std::is_same_v<typename Cache::allocation_policy_type, streaming>) {
        CHECK(t.all.refused_mshr_entry > 0);
        CHECK(t.all.refused_mshr_merge > 0);
    }
    CHECK(t.all.refused_miss_queue > 0);
    CHECK(t.all.evictions > 0);
    CHECK(t.departures > 0);
    CHECK(t.fills > 0);
    return t;
}

} // namespace

TEST_CASE("the cache agrees with the reference's, access by access") {
    SECTION("Fermi's L1: hashed, local write-back, global write-evict") {
        auto const t = many<cache<fermi_hash_index, lru, on_miss, fermi_l1>>(1, 14);
        CHECK(t.all.refused_line_allocation > 0);
        CHECK(t.all.write_backs > 0);
        CHECK(t.all.stores_passed_on > 0);
    }
    SECTION("XOR index, SRRIP, local stores that allocate") {
        auto const t =
            many<cache<xor_index, srrip, on_miss, local_back_global_evict<write_miss::lazy_fetch>>>(2, 14);
        CHECK(t.all.write_backs > 0);
    }
    SECTION("L2 of the 4.x configurations: write-back, lazy fetch") {
        auto const t = many<cache<linear_index, lru, on_miss, write_back<write_miss::lazy_fetch>>>(3, 20);
        CHECK(t.all.refused_line_allocation > 0);
        CHECK(t.all.write_backs > 0);
        CHECK(t.all.stores_passed_on == 0);
    }
    SECTION("write-back, write and fetch as in the 3.x configurations; IPOLY, pseudo-LRU") {
        auto const t =
            many<cache<ipoly_index, pseudo_lru, on_miss, write_back<write_miss::write_and_fetch>>>(4, 16);
        CHECK(t.all.write_backs > 0);
        CHECK(t.all.stores_passed_on > 0);
    }
    SECTION("write-back, fetch on write, first in first out") {
        auto const t =
            many<cache<linear_index, fifo, on_miss, write_back<write_miss::fetch_on_write>>>(5, 12);
        CHECK(t.all.write_backs > 0);
        CHECK(t.all.refused_mshr_read_write_pending == 0);
    }
    SECTION("the same, in order") {
        auto const t =
            many<cache<xor_index, lru, on_miss, write_back<write_miss::ordered_fetch_on_write>>>(15, 8);
        CHECK(t.all.refused_mshr_read_write_pending > 0);
    }
    SECTION("write-back without allocation, random replacement") {
        many<cache<xor_index, random_replacement, on_miss, write_back<write_miss::no_allocate>>>(6, 8);
    }
    SECTION("Volta's L1 that does not stream: write-through, lazy fetch") {
        auto const t =
            many<cache<linear_index, pseudo_lru, on_miss, write_through<write_miss::lazy_fetch>>>(7, 16);
        CHECK(t.all.write_backs == 0);
    }
    SECTION("Volta's L1 that streams") {
        auto const t =
            many<cache<ipoly_index, srrip, streaming, write_through<write_miss::lazy_fetch>>>(8, 14);
        CHECK(t.all.refused_line_allocation == 0);
        CHECK(t.all.write_backs == 0);
    }
    SECTION("write-through without allocation, allocate on fill, random replacement") {
        auto const t =
            many<cache<linear_index, random_replacement, on_fill, write_through<write_miss::no_allocate>>>(
                9, 14);
        CHECK(t.all.refused_line_allocation == 0);
    }
    SECTION("read-only, allocate on fill: instruction and constant caches") {
        auto const t = many<cache<linear_index, lru, on_fill, read_only>>(14, 14);
        CHECK(t.all.refused_line_allocation == 0);
    }
    SECTION("read-only, first in first out") {
        auto const t = many<cache<xor_index, fifo, on_miss, read_only>>(11, 14);
        CHECK(t.all.refused_line_allocation > 0);
    }
    SECTION("SHiP by instruction, by region and by warp, with few signatures") {
        many<cache<linear_index, ship, on_miss, write_back<write_miss::lazy_fetch>>>(16, 14);
        many<cache<xor_index, ship_of<ship_signature::memory, 3>, streaming,
                   write_through<write_miss::lazy_fetch>>>(17, 10);
        many<cache<linear_index, ship_of<ship_signature::warp, 2>, on_fill, read_only>>(18, 10);
    }
    SECTION("RLR: by age, type and hits") {
        many<cache<linear_index, rlr, on_miss, write_back<write_miss::lazy_fetch>>>(25, 14);
        many<cache<xor_index, rlr, streaming, write_through<write_miss::lazy_fetch>>>(26, 10);
        many<cache<linear_index, rlr, on_fill, read_only>>(27, 10);
    }
    SECTION("PCAL: a few warps' lines are kept") {
        many<cache<linear_index, pcal_of<5>, on_fill, read_only>>(19, 10);
        many<cache<xor_index, pcal_of<20>, streaming, write_through<write_miss::no_allocate>>>(20, 10);
    }
    SECTION("a prefetch cache beside it, or alone") {
        auto const t = many<cache<fermi_hash_index, prefetch_cache, on_miss, fermi_l1>>(21, 14);
        CHECK(t.all.refused_line_allocation > 0);
        many<cache<linear_index, prefetch_cache, on_miss, write_back<write_miss::write_and_fetch>>>(22, 14);
        many<cache<xor_index, prefetch_cache_of<3>, streaming, write_through<write_miss::no_allocate>>>(23,
                                                                                                        10);
        many<cache<linear_index, prefetch_cache_of<64>, on_fill, read_only>>(24, 10);
    }
    SECTION("every store evicts") {
        auto const t = many<cache<fermi_hash_index, srrip, on_miss, write_evict>>(12, 14);
        CHECK(t.all.write_backs == 0);
    }
    SECTION("Fermi's L1 allocating on fill: a fill may write back") {
        auto const t = many<cache<fermi_hash_index, lru, on_fill, fermi_l1>>(13, 14);
        CHECK(t.all.write_backs > 0);
    }
}

namespace {

template <class Cache>
bool texture_agrees(std::uint64_t seed, cache_counters& sum) {
    using index = typename Cache::index_policy;
    dice d(seed);
    auto p = random_parameters<index>(d, 1);
    if (seed % 4 == 3) widen<index>(d, p.geometry);
    p.geometry.sector_bytes = p.geometry.line_bytes;
    p.mshr_merges = 1 + static_cast<std::uint32_t>(d.below(12));
    Cache fast(p);
    reference::texture_cache<naive::index<index>, naive::replacement<typename Cache::replacement_policy_type>>
        slow(p);
    std::vector<std::pair<lower_request, std::uint32_t>> below; // and the bytes of it that have come
    for (unsigned i = 0; i < 2000; ++i) {
        auto a = random_access<read_only>(d, p);
        a.kind = access_kind::load;
        a.written = {};
        a.bytes = 1;
        if (!(fast.access(a) == slow.access(a))) return false;
        if (fast.requests() != slow.requests() || fast.can_serve() != slow.can_serve()) return false;
        while (fast.has_request() && d.one_in(2)) {
            if (!(fast.front_request() == slow.front_request())) return false;
            below.emplace_back(fast.front_request(), 0);
            fast.pop_request();
            slow.pop_request();
        }
        while (!below.empty() && d.one_in(2)) {
            auto const which = d.below(below.size());
            auto& [request, came] = below[which];
            fast.fill(request.address, p.geometry.line_bytes / 2, request.mshr);
            slow.fill(request.address, p.geometry.line_bytes / 2, request.mshr);
            came += p.geometry.line_bytes / 2;
            if (came == p.geometry.line_bytes)
                below.erase(below.begin() + static_cast<std::ptrdiff_t>(which));
        }
        for (auto tries = d.below(4); tries > 0; --tries) {
            std::uint32_t token = no_token;
            if (fast.can_serve() != slow.can_serve()) return false;
            if (!fast.serve([&](std::uint32_t t) { token = t; })) continue;
            auto its = no_token;
            slow.serve([&](std::uint32_t t) { its = t; });
            if (its != token) return false;
        }
        if (d.one_in(700)) {
            fast.invalidate_all();
            slow.invalidate_all();
        }
    }
    sum += fast.counters();
    return fast.counters() == slow.counters();
}

} // namespace

TEST_CASE("the texture cache agrees with the reference's") {
    cache_counters sum;
    bool same = true;
    for (std::uint64_t seed = 1; seed <= 12 && same; ++seed) {
        INFO("seed " << seed);
        same = texture_agrees<texture_cache<linear_index, lru>>(seed, sum) &&
               texture_agrees<texture_cache<xor_index, srrip>>(seed, sum) &&
               texture_agrees<texture_cache<xor_index, ship_of<ship_signature::warp, 2>>>(seed, sum);
        CHECK(same);
    }
    CHECK(sum.hit_reserved > 0);
    CHECK(sum.misses > 0);
    CHECK(sum.evictions > 0);
    CHECK(sum.refused_mshr_entry > 0);
    CHECK(sum.refused_mshr_merge > 0);
    CHECK(sum.refused_miss_queue > 0);
}

namespace {

/// Whether the alternative of that name is `Cache`, over a random stream.
template <class Flexible, class Cache>
bool is_like(char const* text, std::uint64_t seed) {
    dice d(seed);
    auto p = random_parameters<ipoly_index>(d, Cache::miss_queue_minimum);
    Cache plain(p);
    p.choice = Flexible::choice_from(text);
    Flexible flexible(p);
    plain.disown(warp_set::first_n(20)); // new warps are there, for who goes by them
    flexible.disown(warp_set::first_n(20));
    for (unsigned i = 0; i < 3000; ++i) {
        auto const a = random_access<typename Cache::write_policy_type>(d, p);
        if (!(plain.access(a) == flexible.access(a))) return false;
        if (!plain.has_request()) continue;
        auto const r = plain.front_request();
        if (!(r == flexible.front_request())) return false;
        plain.pop_request();
        flexible.pop_request();
        if (r.kind != lower_kind::fetch) continue;
        auto const ignore = [](std::uint32_t) {};
        if (!(plain.fill(r.address, ignore) == flexible.fill(r.address, ignore))) return false;
    }
    return plain.counters() == flexible.counters() && plain.counters().evictions != 0;
}

} // namespace

TEST_CASE("a variant of a cache that is itself told by a variant says only where the two differ") {
    using flexible = with_alternatives<cache<fermi_index, lru, on_miss, fermi_l1>>; // the lab's L1
    auto const over = [](char const* base, char const* text) { return flexible::choice_over(base, text); };
    CHECK(over("", "") == "");
    CHECK(over("linear+fifo", "") == "linear+fifo");
    CHECK(over("", "xor") == "xor");
    CHECK(over("linear+lru+on_miss+write_back+write_and_fetch", "srrip+xor") ==
          "xor+srrip+on_miss+write_back+write_and_fetch");
    CHECK(over("linear+write_back+lazy_fetch", "write_through") == "linear+write_through+lazy_fetch");
    CHECK(over("linear+write_back+lazy_fetch", "no_allocate") == "linear+write_back+no_allocate");
    // The base's kind of miss does not go with that policy.
    CHECK(over("linear+write_back+write_and_fetch", "write_through") == "linear+write_through+no_allocate");
    CHECK(over("linear+write_back+lazy_fetch", "perfect") == "linear+write_back+lazy_fetch+perfect");
    CHECK_THROWS_WITH(over("linear", "xor+fermi_hash"), Catch::Contains("'fermi_hash' is a second name"));
    CHECK_THROWS_WITH(over("linear", "xr"), Catch::Contains("there is no 'xr'"));

    // Whatever is chosen, it is as if the base were compiled in.
    using own =
        with_alternatives<cache<ipoly_index, srrip, on_miss, write_back<write_miss::write_and_fetch>>>;
    constexpr char const* base = "ipoly+srrip+on_miss+write_back+write_and_fetch";
    for (char const* text :
         {"", "xor", "lru+linear", "write_through", "lazy_fetch", "streaming+fifo+write_through", "perfect",
          "local_back_global_evict", "write_through+lazy_fetch"}) {
        INFO(text);
        dice d(17);
        auto p = random_parameters<ipoly_index>(d, 4);
        p.choice = own::choice_from(text);
        own compiled(p);
        p.choice = flexible::choice_from(flexible::choice_over(base, text));
        flexible told(p);
        for (unsigned i = 0; i < 2000; ++i) {
            auto const a = random_access<write_back<write_miss::write_and_fetch>>(d, p);
            REQUIRE(compiled.access(a) == told.access(a));
            if (!compiled.has_request()) continue;
            auto const r = compiled.front_request();
            REQUIRE(r == told.front_request());
            compiled.pop_request();
            told.pop_request();
            auto const ignore = [](std::uint32_t) {};
            if (r.kind == lower_kind::fetch)
                REQUIRE(compiled.fill(r.address, ignore) == told.fill(r.address, ignore));
        }
        CHECK(compiled.counters() == told.counters());
    }
}

TEST_CASE("alternatives are the caches that they are named after") {
    using write = write_back<write_miss::lazy_fetch>;
    using flexible = with_alternatives<cache<linear_index, lru, on_miss, write>>;
    CHECK(is_like<flexible, cache<linear_index, lru, on_miss, write>>("", 1));
    CHECK(is_like<flexible, cache<linear_index, lru, on_miss, write>>("linear+lru", 2));
    CHECK(is_like<flexible, cache<ipoly_index, srrip, on_miss, write>>("ipoly+srrip", 3));
    CHECK(is_like<flexible, cache<xor_index, random_replacement, on_miss, write>>("random+xor", 4));
    using with_srrip = with_alternatives<cache<linear_index, srrip, on_miss, write>>;
    CHECK(is_like<with_srrip, cache<linear_index, srrip, on_miss, write>>("", 5));
    CHECK(is_like<with_srrip, cache<xor_index, pseudo_lru, on_miss, write>>("xor+pseudo_lru", 6));

    CHECK(is_like<flexible, cache<ipoly_index, srrip, streaming, write_through<write_miss::lazy_fetch>>>(
        "ipoly+srrip+streaming+write_through", 7));
    CHECK(is_like<flexible,
                  cache<linear_index, random_replacement, on_fill, write_through<write_miss::no_allocate>>>(
        "on_fill+write_through+no_allocate+random", 8));
    CHECK(is_like<flexible, cache<ipoly_index, pseudo_lru, on_miss, write_back<write_miss::write_and_fetch>>>(
        "pseudo_lru+ipoly+write_and_fetch", 9));
    CHECK(is_like<flexible, cache<linear_index, fifo, on_miss, write_back<write_miss::fetch_on_write>>>(
        "fetch_on_write+fifo", 10));
    CHECK(
        is_like<flexible, cache<xor_index, srrip, on_miss, local_back_global_evict<write_miss::lazy_fetch>>>(
            "xor+srrip+local_back_global_evict", 11));
    CHECK(is_like<flexible, cache<linear_index, lru, on_fill, read_only>>("on_fill+read_only", 12));
    CHECK(is_like<flexible, cache<linear_index, ship, on_miss, write>>("ship", 13));
    CHECK(is_like<flexible, cache<linear_index, ship_mem, on_miss, write>>("ship_mem", 14));
    CHECK(is_like<flexible, cache<linear_index, rlr, on_miss, write>>("rlr", 17));
    CHECK(is_like<flexible, cache<linear_index, pcal, on_fill, read_only>>("on_fill+read_only+pcal", 15));
    CHECK(is_like<flexible, cache<linear_index, prefetch_cache, on_miss, write>>("prefetch_cache", 16));

    cache_parameters p;
    p.choice = flexible::choice_from("perfect");
    flexible perfect(p);
    for (std::uint64_t i = 0; i < 1000; ++i)
        perfect.access({.address = 4096 * i, .kind = i % 2 == 0 ? access_kind::load : access_kind::store});
    CHECK(perfect.counters().hits == 1000);
    CHECK(perfect.idle());
    CHECK_THROWS_WITH(flexible::choice_from("xor+srip"),
                      Catch::Contains("there is no 'srip'") &&
                          Catch::Contains("linear, xor, ipoly, fermi_hash"));
    CHECK_THROWS_WITH(flexible::choice_from("on_fill+on_miss"),
                      Catch::Contains("'on_miss' is a second name for the part 'allocation'"));
    auto const refuses = [&p](char const* text, char const* why) {
        p.choice = flexible::choice_from(text);
        CHECK_THROWS_WITH(flexible(p), Catch::Contains(why));
    };
    refuses("pcal", "keeps lines out does not go with on_miss");
    refuses("write_through+fetch_on_write",
            "fetch_on_write does not go with write_through, which sends every store "
            "on, so it fetches for none; choose no_allocate or lazy_fetch");
    refuses("read_only+lazy_fetch", "which keeps no store; choose no_allocate");
    refuses("on_fill", "do not go with allocation on a fill");
    p.miss_queue = 2;
    refuses("write_and_fetch", "the nearest legal value is 3");
    p.miss_queue = 8;
    p.choice = flexible::choice_from("ipoly");
    p.geometry.sets = 20;
    CHECK_THROWS_WITH(flexible(p), Catch::Contains("the nearest legal value is 16"));
}
