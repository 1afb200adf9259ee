#pragma once
/// \file
/// The naive twin of warpkit::cache: maps, lists and sets of bytes, written from SPEC 4.3 and the policies' docs
/// rather than from the cache. Slow and obvious.

#include <warpkit/cache/access.hpp>
#include <warpkit/cache/geometry.hpp>
#include <warpkit/cache/write_policy.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace naive {

using namespace warpkit;

enum class index { linear, exclusive_or, ipoly, fermi };
enum class replacement { lru, fifo, random, pseudo_lru, srrip };

struct choices {
    naive::index index = naive::index::linear;
    naive::replacement replacement = naive::replacement::lru;
    bool allocate_on_fill = false;
    bool read_only = false;
    std::function<write_hit(memory_space)> on_hit;
    std::function<write_miss(memory_space)> on_miss;
};

struct sector {
    std::set<std::uint64_t> stored; // byte addresses
    bool filled = false;
    bool waiting = false;
    bool dirty = false;
    bool dirty_when_filled = false;
};

struct line {
    std::uint64_t address = 0;
    std::uint32_t way = 0;
    std::uint64_t last_use = 0;
    std::uint64_t born = 0;
    bool stored_to = false;
    warp_slot owner;
    std::map<std::uint64_t, sector> sectors; // by address; absent ones are not in the map

    bool waits() const {
        return std::any_of(sectors.begin(), sectors.end(), [](auto const& s) { return s.second.waiting; });
    }
    bool dirty() const {
        return std::any_of(sectors.begin(), sectors.end(), [](auto const& s) { return s.second.dirty; });
    }
};

struct miss {
    std::deque<std::uint32_t> tokens;
    std::string kinds; // of those who wait: S is a store, L anything else
    std::uint32_t came = 0;
    warp_slot first;
};

class cache {
public:
    cache(cache_parameters const& p, choices c) : p_(p), c_(std::move(c)) {}

    std::deque<lower_request> requests;
    cache_counters counted;

    cache_result access(cache_access const& a) {
        if (a.kind == access_kind::load) return load(a, false);
        if (a.kind == access_kind::atomic && c_.on_hit(a.space) == write_hit::back) return load(a, true);
        return store(a);
    }

    departed_line fill(std::uint64_t address, std::uint32_t bytes, std::vector<std::uint32_t>& served) {
        auto& m = misses_.at(address);
        m.came += bytes;
        if (m.came < p_.geometry.sector_bytes) return {};
        departed_line gone;
        auto* l = find(address);
        if (c_.allocate_on_fill) {
            if (l == nullptr) {
                gone = make_line(address, m.first);
                l = find(address);
            }
            l->sectors[address].waiting = true;
        }
        if (l != nullptr && l->sectors.count(address) != 0 && l->sectors[address].waiting) {
            auto& s = l->sectors[address];
            s.waiting = false;
            s.filled = true;
            s.dirty = s.dirty || s.dirty_when_filled;
            l->stored_to = l->stored_to || s.dirty_when_filled;
            s.dirty_when_filled = false;
        }
        for (auto const t : m.tokens)
            if (t != no_token) served.push_back(t);
        misses_.erase(address);
        return gone;
    }

    std::uint64_t invalidate_all() {
        std::uint64_t bytes = 0;
        for (auto const& l : lines_)
            for (auto const& s : l.sectors)
                if (s.second.dirty) bytes += p_.geometry.sector_bytes;
        lines_.clear();
        next_use_.clear();
        return bytes;
    }

private:
    // ---- places ----
    std::uint64_t line_of(std::uint64_t a) const {
        return a / p_.geometry.line_bytes * p_.geometry.line_bytes;
    }
    std::uint64_t sector_of(std::uint64_t a) const {
        return a / p_.geometry.sector_bytes * p_.geometry.sector_bytes;
    }
    std::uint64_t set_of(std::uint64_t a) const {
        auto const number = a / p_.geometry.line_bytes;
        auto const sets = p_.geometry.sets;
        std::uint64_t set = 0;
        switch (c_.index) {
        case index::linear:
            return number % sets;
        case index::exclusive_or:
            return (number % sets) ^ (number / sets % sets);
        case index::
            ipoly: { // long division of the polynomial, from its highest term down, as far as the hash sees
            std::uint64_t const divisor = sets == 16 ? 19 : sets == 32 ? 37 : 67;
            unsigned const terms = sets == 16 ? 17 : sets == 32 ? 20 : 25;
            set = number % (std::uint64_t{1} << terms);
            for (unsigned t = terms; t-- > 0;)
                if (set >= sets && (set >> t & 1) != 0)
                    set ^= divisor << (t + 1 - static_cast<unsigned>(std::bit_width(sets)));
            return set;
        }
        case index::fermi:
            break;
        }
        unsigned const partner[5] = {13, 14, 15, 17, 19};
        for (unsigned b = 0; b < 5; ++b)
            if (((number >> b) & 1) != ((a >> partner[b]) & 1)) set += std::uint64_t{1} << b;
        if (sets == 64 && ((a >> 12) & 1) != 0) set += 32;
        return set;
    }
    line* find(std::uint64_t a) {
        for (auto& l : lines_)
            if (l.address == line_of(a)) return &l;
        return nullptr;
    }
    std::vector<std::uint64_t> sectors_of(cache_access const& a) const {
        std::vector<std::uint64_t> all;
        for (auto const b : bytes_of(a))
            if (all.empty() || all.back() != sector_of(b)) all.push_back(sector_of(b));
        return all;
    }
    std::set<std::uint64_t> bytes_of(cache_access const& a) const {
        std::set<std::uint64_t> all;
        bool const masked = a.written[0] != 0 || a.written[1] != 0;
        for (auto b = a.address; b < a.address + a.bytes; ++b)
            if (!masked || (a.written[b % 128 / 64] >> (b % 64) & 1) != 0) all.insert(b);
        return all;
    }
    bool readable(sector const& s) const { return s.filled || s.stored.size() == p_.geometry.sector_bytes; }
    bool at_hand(sector const& s) const { return s.filled || !s.stored.empty(); }

    /// The lines of a full set that may go: those that do not wait and have not been stored to, as long as the write ratio
    /// protects these; if it protects all, and none waits, any.
    std::vector<line const*> may_go(std::uint64_t set) const {
        auto const stored =
            std::count_if(lines_.begin(), lines_.end(), [](line const& l) { return l.stored_to; });
        bool const protects = static_cast<std::uint64_t>(stored) * 100 <
                              std::uint64_t{p_.write_ratio} * p_.geometry.sets * p_.geometry.ways;
        std::vector<line const*> clean, any;
        bool waits = false;
        for (auto const& l : lines_) {
            if (set_of(l.address) != set) continue;
            waits = waits || l.waits();
            if (l.waits()) continue;
            any.push_back(&l);
            if (!protects || !l.stored_to) clean.push_back(&l);
        }
        return clean.empty() && !waits ? any : clean;
    }
    /// Whether there is an invalid way for a line at `a`, or a line that may go.
    bool can_make_line(std::uint64_t a) const {
        auto const held = std::count_if(lines_.begin(), lines_.end(),
                                        [&](line const& l) { return set_of(l.address) == set_of(a); });
        return held < p_.geometry.ways || !may_go(set_of(a)).empty();
    }
    /// The way that a line at `a` takes; precondition: it can.
    std::uint32_t way_for(std::uint64_t a) const {
        auto const set = set_of(a);
        std::set<std::uint32_t> held;
        for (auto const& l : lines_)
            if (set_of(l.address) == set) held.insert(l.way);
        for (auto w = p_.geometry.ways; w-- > 0;)
            if (held.count(w) == 0) return w;
        auto eligible = may_go(set); // by way
        std::sort(eligible.begin(), eligible.end(), [](auto* x, auto* y) { return x->way < y->way; });
        auto const oldest = [&](auto line::*age) {
            return (*std::min_element(eligible.begin(), eligible.end(),
                                      [age](auto* x, auto* y) { return x->*age < y->*age; }))
                ->way;
        };
        switch (c_.replacement) {
        case replacement::lru:
            return oldest(&line::last_use);
        case replacement::fifo:
            return oldest(&line::born);
        case replacement::random:
            return eligible[split_mix(born_) * eligible.size() >> 32]->way;
        case replacement::pseudo_lru: {
            std::uint32_t from = 0;
            auto to = std::bit_ceil(p_.geometry.ways);
            auto const any = [&](std::uint32_t f, std::uint32_t t) {
                return std::any_of(eligible.begin(), eligible.end(),
                                   [&](auto* l) { return f <= l->way && l->way < t; });
            };
            while (to - from > 1) {
                auto const middle = (from + to) / 2;
                auto const i = upper_next_.find({set, from, to});
                bool upper = i != upper_next_.end() && i->second;
                if (!any(upper ? middle : from, upper ? to : middle)) upper = !upper;
                (upper ? from : to) = middle;
            }
            return from;
        }
        case replacement::srrip:
            break;
        }
        auto next = next_use_; // a look into the future
        for (;; grow(set, next))
            for (auto const* l : eligible)
                if (next[{set, l->way}] == 3) return l->way;
    }
    /// Whether a line at `a` takes the place of a dirty one.
    bool leaves_dirty(std::uint64_t a) const {
        auto const way = way_for(a);
        return std::any_of(lines_.begin(), lines_.end(), [&](line const& l) {
            return set_of(l.address) == set_of(a) && l.way == way && l.dirty();
        });
    }
    /// All predictions of the set, 3 being the most.
    void grow(std::uint64_t set, std::map<std::pair<std::uint64_t, std::uint32_t>, unsigned>& next) const {
        for (auto& [place, prediction] : next)
            if (place.first == set && prediction < 3) ++prediction;
    }
    static std::uint64_t split_mix(std::uint64_t index) {
        std::uint64_t state = 0;
        state += (index + 1) * 0x9e3779b97f4a7c15U;
        std::uint64_t z = state;
        z ^= z >> 30;
        z *= 0xbf58476d1ce4e5b9U;
        z ^= z >> 27;
        z *= 0x94d049bb133111ebU;
        z ^= z >> 31;
        return z >> 32;
    }
    /// A line that is here is used.
    void use(line& l) {
        l.last_use = ++now_;
        next_use_[{set_of(l.address), l.way}] = 0;
        point_away(l);
    }
    void point_away(line const& l) {
        std::uint32_t from = 0;
        auto to = std::bit_ceil(p_.geometry.ways);
        while (to - from > 1) {
            auto const middle = (from + to) / 2;
            bool const upper = l.way >= middle;
            upper_next_[{set_of(l.address), from, to}] = !upper;
            (upper ? from : to) = middle;
        }
    }
    departed_line make_line(std::uint64_t a, warp_slot owner) {
        departed_line gone;
        auto const set = set_of(a);
        auto const way = way_for(a);
        for (auto i = lines_.begin(); i != lines_.end(); ++i) {
            if (set_of(i->address) != set || i->way != way) continue;
            while (next_use_[{set, way}] != 3) grow(set, next_use_);
            gone = {i->address, i->owner, line_departure::evicted};
            ++counted.evictions;
            write_back(*i);
            lines_.erase(i);
            break;
        }
        line l;
        l.address = line_of(a);
        l.way = way;
        l.owner = owner;
        l.born = l.last_use = ++now_;
        next_use_[{set, way}] = 2;
        point_away(l);
        ++born_;
        lines_.push_back(l);
        return gone;
    }

    // ---- requests ----
    std::size_t room() const { return p_.miss_queue > requests.size() ? p_.miss_queue - requests.size() : 0; }
    void write_back(line& l) {
        lower_request r;
        r.kind = lower_kind::write_back;
        r.address = l.address;
        r.owner = l.owner;
        for (auto& [address, s] : l.sectors)
            if (s.dirty) {
                r.sectors = static_cast<std::uint16_t>(
                    r.sectors | 1U << ((address - l.address) / p_.geometry.sector_bytes));
                r.bytes += p_.geometry.sector_bytes;
                s.dirty = false;
            }
        if (r.bytes == 0) return;
        requests.push_back(r);
        ++counted.write_backs;
    }
    void pass_on(cache_access const& a) {
        lower_request r;
        r.kind = a.kind == access_kind::atomic ? lower_kind::atomic : lower_kind::store;
        r.address = a.address;
        r.bytes = a.bytes;
        r.token = a.token;
        r.written = a.written;
        r.space = a.space;
        r.owner = a.owner;
        requests.push_back(r);
        ++counted.stores_passed_on;
    }

    // ---- answers ----
    cache_result refuse(refusal why) {
        if (why == refusal::line_allocation) ++counted.refused_line_allocation;
        if (why == refusal::mshr_entry) ++counted.refused_mshr_entry;
        if (why == refusal::mshr_merge) ++counted.refused_mshr_merge;
        if (why == refusal::miss_queue) ++counted.refused_miss_queue;
        if (why == refusal::mshr_read_write_pending) ++counted.refused_mshr_read_write_pending;
        return {{}, cache_outcome::reservation_fail, why, cache_answer::refused};
    }
    cache_result accept(cache_outcome o, cache_answer answer, departed_line gone = {}) {
        ++counted.accesses;
        if (o == cache_outcome::hit) ++counted.hits;
        if (o == cache_outcome::hit_reserved) ++counted.hit_reserved;
        if (o == cache_outcome::miss) ++counted.misses;
        if (o == cache_outcome::sector_miss) ++counted.sector_misses;
        return {gone, o, refusal::line_allocation, answer};
    }

    std::optional<refusal> cannot_fetch(cache_access const& a, std::size_t slots) {
        if (room() < slots) return refusal::miss_queue;
        auto const m = misses_.find(sector_of(a.address));
        if (m != misses_.end() && m->second.tokens.size() >= p_.mshr_merges) return refusal::mshr_merge;
        if (m == misses_.end() && misses_.size() >= p_.mshr_entries) return refusal::mshr_entry;
        return {};
    }
    void fetch(cache_access const& a, std::uint32_t token, bool store = false) {
        auto const address = sector_of(a.address);
        if (misses_.count(address) == 0) {
            misses_[address].first = a.owner;
            lower_request r;
            r.kind = lower_kind::fetch;
            r.address = address;
            r.bytes = p_.geometry.sector_bytes;
            r.token = a.token;
            r.space = a.space;
            r.owner = a.owner;
            requests.push_back(r);
            ++counted.fetches;
        }
        misses_[address].tokens.push_back(token);
        misses_[address].kinds += store ? 'S' : 'L';
    }
    void await(cache_access const& a, bool dirties) {
        auto& s = find(a.address)->sectors[sector_of(a.address)];
        s.waiting = true;
        s.dirty_when_filled = s.dirty_when_filled || dirties;
    }

    cache_result load(cache_access const& a, bool dirties) {
        auto* l = find(a.address);
        auto const address = sector_of(a.address);
        sector* s = l != nullptr && l->sectors.count(address) != 0 ? &l->sectors[address] : nullptr;
        if (s != nullptr && readable(*s)) {
            use(*l);
            s->dirty = s->dirty || dirties;
            l->stored_to = l->stored_to || dirties;
            return accept(cache_outcome::hit, cache_answer::now);
        }
        auto outcome = l != nullptr ? cache_outcome::sector_miss : cache_outcome::miss;
        if (s != nullptr && s->waiting) outcome = cache_outcome::hit_reserved;
        if (c_.allocate_on_fill && misses_.count(address) != 0) outcome = cache_outcome::hit_reserved;
        if (l == nullptr && !c_.allocate_on_fill && !can_make_line(a.address))
            return refuse(refusal::line_allocation);
        if (auto const why = cannot_fetch(a, c_.read_only ? 1 : 2)) return refuse(*why);
        fetch(a, a.token);
        departed_line gone;
        if (l != nullptr)
            use(*l);
        else if (!c_.allocate_on_fill)
            gone = make_line(a.address, a.owner);
        if (!c_.allocate_on_fill) await(a, dirties);
        return accept(outcome, cache_answer::at_fill, gone);
    }

    cache_result store(cache_access const& a) {
        auto const hit = c_.on_hit(a.space);
        auto* l = find(a.address);
        bool all = l != nullptr;
        bool any_waits = false;
        if (l != nullptr)
            for (auto const s : sectors_of(a)) {
                auto const i = l->sectors.find(s);
                bool const here = i != l->sectors.end() && at_hand(i->second);
                all = all && here;
                any_waits = any_waits || (i != l->sectors.end() && i->second.waiting);
            }
        auto const outcome = l == nullptr ? cache_outcome::miss
                             : all        ? cache_outcome::hit
                             : any_waits  ? cache_outcome::hit_reserved
                                          : cache_outcome::sector_miss;
        if ((all && hit == write_hit::evict) || a.kind == access_kind::atomic) return drop(a, l, outcome);
        if (all && hit == write_hit::back) {
            use(*l);
            keep(a, *l, true);
            return accept(outcome, cache_answer::now);
        }
        if (all) {
            if (room() < 1) return refuse(refusal::miss_queue);
            pass_on(a);
            use(*l);
            keep(a, *l, false);
            return accept(outcome, cache_answer::below);
        }

        auto const way = c_.on_miss(a.space);
        if (way == write_miss::no_allocate) {
            if (room() < 1) return refuse(refusal::miss_queue);
            pass_on(a);
            return accept(outcome, cache_answer::below);
        }
        if (l == nullptr && !can_make_line(a.address)) return refuse(refusal::line_allocation);
        bool const whole = bytes_of(a).size() == sectors_of(a).size() * p_.geometry.sector_bytes;
        if (way == write_miss::lazy_fetch || (way != write_miss::write_and_fetch && whole)) {
            std::size_t need = 1;
            if (hit == write_hit::through && l == nullptr && leaves_dirty(a.address)) need = 2;
            if (room() < need) return refuse(refusal::miss_queue);
            if (hit == write_hit::through) pass_on(a);
            departed_line gone;
            if (l == nullptr)
                gone = make_line(a.address, a.owner);
            else
                use(*l);
            keep(a, *find(a.address), hit == write_hit::back);
            return accept(outcome, hit == write_hit::through ? cache_answer::below : cache_answer::now, gone);
        }
        bool const both = way == write_miss::write_and_fetch;
        if (auto const why = cannot_fetch(a, both ? 3 : 2)) return refuse(*why);
        auto const m = misses_.find(sector_of(a.address));
        if (way == write_miss::ordered_fetch_on_write && m != misses_.end() &&
            m->second.kinds.find("SL") != std::string::npos)
            return refuse(refusal::mshr_read_write_pending);
        if (both) pass_on(a);
        fetch(a, both ? no_token : a.token, !both);
        departed_line gone;
        if (l == nullptr)
            gone = make_line(a.address, a.owner);
        else
            use(*l);
        await(a, !both);
        return accept(outcome, both ? cache_answer::below : cache_answer::at_fill, gone);
    }

    void keep(cache_access const& a, line& l, bool dirty) {
        l.stored_to = true;
        for (auto const s : sectors_of(a)) {
            auto& there = l.sectors[s];
            there.dirty = there.dirty || dirty;
            for (auto const b : bytes_of(a))
                if (sector_of(b) == s) there.stored.insert(b);
        }
    }

    cache_result drop(cache_access const& a, line* l, cache_outcome outcome) {
        std::vector<std::uint64_t> doomed;
        bool dirty = false;
        if (l != nullptr)
            for (auto const s : sectors_of(a)) {
                auto const i = l->sectors.find(s);
                if (i == l->sectors.end() || !at_hand(i->second)) continue;
                doomed.push_back(s);
                dirty = dirty || i->second.dirty;
            }
        if (room() < (dirty ? 2U : 1U)) return refuse(refusal::miss_queue);
        departed_line gone;
        if (!doomed.empty()) {
            if (dirty) {
                write_back(*l);
                l->stored_to = false;
            }
            for (auto const s : doomed) {
                auto& there = l->sectors[s];
                there.stored.clear();
                there.filled = false;
                if (!there.waiting) l->sectors.erase(s);
            }
            if (l->sectors.empty()) {
                gone = {l->address, l->owner, line_departure::invalidated};
                next_use_.erase({set_of(l->address), l->way});
                lines_.remove_if([l](line const& x) { return &x == l; });
            }
        }
        pass_on(a);
        return accept(outcome, cache_answer::below, gone);
    }

    cache_parameters p_;
    choices c_;
    std::list<line> lines_;
    std::map<std::uint64_t, miss> misses_;
    std::uint64_t now_ = 0;
    std::uint64_t born_ = 0; // lines so far
    std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, bool>
        upper_next_;                                                       // by set and range of ways
    std::map<std::pair<std::uint64_t, std::uint32_t>, unsigned> next_use_; // by set and way; 3 is distant
};

} // namespace naive
