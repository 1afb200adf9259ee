#pragma once
/// \file
/// The laws that every cache of a machine keeps (cache/check.hpp), and those of what it tells ahead, if it does
/// (tells_ahead in cache/concepts.hpp), to be run by its author:
///
///     #include <warpkit/testing/cache_laws.hpp>
///     warpkit::testing::require_cache_laws<my_cache>();
///
/// throws warpkit::error at the first breach; check_cache_laws answers with all of them.

#include <warpkit/base/error.hpp>
#include <warpkit/base/hash.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/cache/check.hpp>
#include <warpkit/cache/plain_cache.hpp>
#include <warpkit/testing/random_core.hpp>
#include <warpkit/testing/violation.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace warpkit::testing {

/// How the laws are tried.
struct cache_law_options {
    std::uint64_t seed = 1;
    unsigned streams = 6; ///< caches of different numbers, one after the other, every other one with sectors
    unsigned accesses_per_stream = 3000;
};

namespace detail {

inline cache_parameters cache_shape(random_numbers& r, unsigned stream) {
    cache_parameters p;
    p.geometry = {
        .sets = 32, .ways = 1 + r.below(4), .line_bytes = 128, .sector_bytes = stream % 2 == 0 ? 128U : 32U};
    p.mshr_entries = 1 + r.below(8);
    p.mshr_merges = 1 + r.below(4);
    p.miss_queue = 3 + r.below(6);
    return p;
}

inline cache_counters counted_since(cache_counters const& before, cache_counters now) {
    auto const less = [](std::uint64_t& a, std::uint64_t b) { a -= b; };
    less(now.accesses, before.accesses);
    less(now.hits, before.hits);
    less(now.hit_reserved, before.hit_reserved);
    less(now.misses, before.misses);
    less(now.sector_misses, before.sector_misses);
    less(now.refused_line_allocation, before.refused_line_allocation);
    less(now.refused_mshr_entry, before.refused_mshr_entry);
    less(now.refused_mshr_merge, before.refused_mshr_merge);
    less(now.refused_miss_queue, before.refused_miss_queue);
    less(now.refused_mshr_read_write_pending, before.refused_mshr_read_write_pending);
    now.evictions = now.fetches = now.stores_passed_on = now.write_backs = 0;
    return now;
}

/// What a cache tells ahead before it is given `a`, and what that abbreviates: the law that is broken, or null.
/// `before` is the cache as it was, `r` what it answered.
template <class C>
char const* broken_ahead(C const& before, cache_access const& a, cache_result const& r,
                         std::uint32_t sector_bytes, std::uint32_t line_bytes) {
    bool const refused = r.answer == cache_answer::refused;
    auto after = before;
    after.access(a);
    if (a.kind == access_kind::store && before.refuses_stores(a.space) &&
        !(refused && r.reason == refusal::miss_queue))
        return "refuses_stores() is right";
    if (before.refuses_stores(a.space) && before.takes_requests())
        return "who takes requests does not refuse stores for want of room";
    if (refused) {
        auto again = before;
        again.refuse_again(r.reason);
        if (!(again == after)) return "refuse_again() is access() of what is refused again";
    }
    if (a.kind != access_kind::load) return nullptr;
    auto const found = before.probe(a);
    if (found == cache_outcome::miss &&
        (refused && r.reason == refusal::line_allocation) == before.has_way(a.address))
        return "a load that misses lacks a way where has_way() says so";
    bool const room = before.requests() + before.load_places() <= before.parameters().miss_queue;
    if (found == cache_outcome::miss && before.has_way(a.address) &&
        room == (refused && r.reason == refusal::miss_queue))
        return "a load that misses lacks room in the queue where there are less than load_places()";
    if (!refused && found == cache_outcome::hit) {
        auto again = before;
        again.hit_at(after.found());
        auto other = before;
        if (!(again == after) || !other.hits_at(after.found(), a.address) || !(other == after))
            return "hit_at() and hits_at() are access() of a load that hits there";
        auto next = a;
        auto const behind = after.hits_behind(a.address, line_bytes);
        for (unsigned n = 0;; ++n) {
            next.address += sector_bytes;
            bool const same_line = next.address / line_bytes == a.address / line_bytes;
            if (n == behind) {
                if (same_line && after.probe(next) == cache_outcome::hit)
                    return "hits_behind() leaves out no sector";
                break;
            }
            if (!same_line || after.probe(next) != cache_outcome::hit)
                return "sectors that hits_behind() tells of hit";
            auto plain = after;
            plain.access(next);
            auto known = after;
            known.hit_again();
            if (!(known.counters() == plain.counters())) return "hit_again() is access() of a load that hits";
        }
    }
    if (!refused && found == cache_outcome::miss) {
        auto next = a;
        next.address ^= sector_bytes;
        if (next.address / line_bytes != a.address / line_bytes) return nullptr;
        auto const there = after.probe(next);
        if (there == (after.reserves() ? cache_outcome::miss : cache_outcome::sector_miss))
            return "a line is here as soon as it has missed, if the cache reserves()";
        if (there != cache_outcome::sector_miss) return nullptr;
        auto plain = after;
        if (plain.access(next).answer == cache_answer::refused) return nullptr;
        auto known = after;
        known.miss_again(next);
        // (A replacement policy need not hear again of a line that is used again at once.)
        if (!(known.counters() == plain.counters()) || known.requests() != plain.requests() ||
            known.outstanding() != plain.outstanding() || known.probe(next) != plain.probe(next))
            return "miss_again() is access() of a load that misses in the line found last";
    }
    return nullptr;
}

} // namespace detail

/// Tries the laws on a cache, and answers with the breaches, at most one of each stream:
///   - probe says what an accepted access finds, and changes nothing
///   - each access is counted once, by its outcome or by why it was refused; a refused one stays refused until something
///     has come or gone
///   - who was told to wait is called once, by the fill of its own sector, after those that came before
///   - what goes to the next level is counted: fetches, stores that are sent on, write-backs
///   - copies behave alike, and equal states hash alike; an emptied cache finds nothing
///   - and of what is told ahead, each member does what it abbreviates
template <class C>
std::vector<violation> check_cache_laws(cache_law_options const& options = {}) {
    static_assert(check_cache<C>());
    std::vector<violation> found;
    for (unsigned i = 0; i < options.streams; ++i) {
        random_numbers random(options.seed * 1000003 + i);
        auto const p = detail::cache_shape(random, i);
        C own(p);
        std::vector<cache_access> waiting; // in order
        std::vector<lower_request> asked;  // fetches at the next level
        cache_counters below;
        std::uint64_t events = 0;
        bool go_on = true;
        auto const breach = [&](char const* law, std::string const& what) {
            if (go_on) found.push_back({policy_name<C>(), law, what, events, options.seed, i});
            go_on = false;
        };
        plain_cache<C> const asker(p); // answers what C leaves out
        bool const in_sectors = asker.fetches_on_store();
        auto const sector_of = [&](std::uint64_t address) {
            return address & ~(p.geometry.sector_bytes - 1ULL);
        };
        auto const fill = [&](C& c, std::uint64_t address, std::vector<std::uint32_t>& tokens) {
            if constexpr (asks_below<C>)
                c.fill(address, [&](std::uint32_t token) {
                    if (token != no_token) tokens.push_back(token);
                });
        };
        auto const pop = [&] {
            if constexpr (asks_below<C>) {
                lower_request const r = own.front_request();
                own.pop_request();
                if (r.kind == lower_kind::fetch) {
                    asked.push_back(r);
                    ++below.fetches;
                } else {
                    ++(r.kind == lower_kind::write_back ? below.write_backs : below.stores_passed_on);
                }
            }
        };
        auto const answer = [&] {
            if (asked.empty()) return;
            auto const k = random.below(static_cast<unsigned>(asked.size()));
            auto const address = asked[k].address;
            [[maybe_unused]] auto const mshr = asked[k].mshr;
            asked.erase(asked.begin() + k);
            std::vector<std::uint32_t> due;
            std::vector<cache_access> still;
            for (auto const& w : waiting)
                if (sector_of(w.address) == sector_of(address))
                    due.push_back(w.token);
                else
                    still.push_back(w);
            waiting = still;
            [[maybe_unused]] auto const before = own;
            std::vector<std::uint32_t> called;
            fill(own, address, called);
            if (called != due)
                breach("who waits is called once, in order", std::to_string(called.size()) +
                                                                 " were called, where " +
                                                                 std::to_string(due.size()) + " waited");
            if constexpr (tells_ahead<C>) {
                auto ahead = before;
                std::vector<std::uint32_t> by_mshr;
                if (ahead.fetched(mshr) != address) breach("fetched() is the address", "it is another one");
                for (std::uint64_t wanted = 0; wanted < 4 * 128; wanted += 128)
                    if (ahead.fill_may_free_way(ahead.set_of(wanted), mshr) !=
                        ahead.may_free_way(wanted, address))
                        breach("fill_may_free_way() is may_free_way()", "it is not, for a line that comes");
                if (ahead.count_part(mshr, 1)) breach("count_part() waits for the last part", "it did not");
                if (!ahead.count_part(mshr, p.geometry.sector_bytes - 1))
                    breach("count_part() notices the last part", "it did not");
                ahead.fill_all(mshr, [&](std::uint32_t token) { by_mshr.push_back(token); });
                if (!(ahead == own) || by_mshr != called)
                    breach("fill_all() is fill()", "it left another cache");
            }
        };
        for (unsigned n = 0; n < options.accesses_per_stream && go_on; ++n) {
            ++events;
            cache_access a;
            a.address =
                std::uint64_t{random.below(6)} * 32 * 128 + random.below(3) * 128 + random.below(32) * 4;
            a.kind = random.chance(60)   ? access_kind::load
                     : random.chance(80) ? access_kind::store
                                         : access_kind::atomic;
            a.space = random.chance(80) ? memory_space::global : memory_space::local;
            a.owner = warp_slot{random.below(32)};
            a.token = n;
            if (a.kind == access_kind::store && !in_sectors && random.chance(30)) {
                a.address &= ~127ULL;
                a.bytes = 128;
            }
            auto const before = own;
            auto const expected = own.probe(a);
            if (!(own == before)) breach("probe changes nothing", "the state was another one afterwards");
            auto const counted = own.counters();
            auto const r = own.access(a);
            bool const refused = r.answer == cache_answer::refused;
            cache_counters due;
            refused ? due.count(r.reason) : due.count(r.outcome);
            if (!(detail::counted_since(counted, own.counters()) == due))
                breach("an access is counted once", "it was counted otherwise");
            if (!refused && r.outcome != expected)
                breach("probe says what an access finds", "it said another outcome");
            auto copy = before;
            if (!(copy.access(a) == r) || !(copy == own))
                breach("copies behave alike", "a copy went its own way");
            if (hash_of(copy) != hash_of(own)) breach("equal states hash alike", "two equal states did not");
            if (refused) {
                auto const again = copy.access(a);
                if (again.answer != r.answer || again.reason != r.reason)
                    breach("what is refused stays refused", "asked twice in a row, it answered differently");
            }
            if constexpr (tells_ahead<C>)
                if (auto const* const law =
                        detail::broken_ahead(before, a, r, p.geometry.sector_bytes, p.geometry.line_bytes))
                    breach(law, "it did not, for a load or store of " + std::to_string(a.bytes) +
                                    " bytes at " + std::to_string(a.address));
            if (r.answer == cache_answer::at_fill) waiting.push_back(a);
            if constexpr (asks_below<C>) {
                while (own.requests() != 0 && random.chance(refused ? 70 : 40)) pop();
                while (random.chance(refused ? 60 : 30)) {
                    if (asked.empty()) break;
                    answer();
                }
            }
        }
        if constexpr (asks_below<C>) {
            while (go_on && (own.requests() != 0 || !asked.empty())) {
                while (own.requests() != 0) pop();
                answer();
            }
            auto const& c = own.counters();
            if (!waiting.empty())
                breach("who waits is called", std::to_string(waiting.size()) + " wait for ever");
            if (c.fetches != below.fetches || c.stores_passed_on != below.stores_passed_on ||
                c.write_backs != below.write_backs)
                breach("what goes to the next level is counted", "more or less went there");
            own.invalidate_all();
            for (std::uint64_t line = 0; line < 6 * 32; ++line)
                if (own.probe({.address = line * 128}) != cache_outcome::miss)
                    breach("an emptied cache finds nothing", "a line was there");
        }
    }
    return found;
}

/// Throws `error` at the first breach.
template <class C>
void require_cache_laws(cache_law_options const& options = {}) {
    for (auto const& v : check_cache_laws<C>(options)) throw error(v.text());
}

} // namespace warpkit::testing
