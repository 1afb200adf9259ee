#pragma once
/// \file
/// Caches: tags, MSHRs and the miss queue; and the texture cache (docs/model/cache.md). Tick-free: the caller owns
/// time, banks, ports and latencies.

#include <warpkit/base/error.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/composition.hpp>
#include <warpkit/cache/fwd.hpp>
#include <warpkit/cache/plain_cache.hpp>
#include <warpkit/cache/way_set.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/reference/link.hpp>

#include <algorithm>
#include <vector>

namespace warpkit::reference {

/// A sector is absent, or waits for its data, or has all of its bytes or those stored; it may wait and have some.
struct cached_sector {
    std::vector<bool> has; ///< which bytes; empty where it has none
    bool waiting = false;
    bool dirty = false;
    bool dirty_when_filled = false; ///< an access that waits for it will change it

    bool present() const { return !has.empty(); }
    bool readable() const { return present() && std::find(has.begin(), has.end(), false) == has.end(); }
};
struct cached_line {
    std::uint64_t address = 0;
    warp_slot owner; ///< who brought it in
    bool stored_to = false;
    std::vector<cached_sector> sectors; ///< none: no line is in this place

    bool valid() const { return !sectors.empty(); }
    bool any(bool cached_sector::*is) const {
        return std::any_of(sectors.begin(), sectors.end(), [is](auto const& s) { return s.*is; });
    }
};

/// What all caches have: lines, counters, and requests that wait for the next level. The policies choose the set of a
/// line, and which line leaves.
template <class Index, class Replacement>
class cache_base {
public:
    cache_base() = default;
    explicit cache_base(cache_parameters const& p)
        : p_(p),
          index_(detail::make_index<Index>(p)),
          replacement_(detail::make_replacement<Replacement>(p)),
          lines_(std::size_t{p.geometry.sets} * p.geometry.ways),
          ways_(p.geometry.ways) {}

    /// The parameters of its policies.
    template <class Self, class F>
    static void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.index_, self.replacement_);
    }
    void parameters_set() { tell_parameters_set(index_, replacement_); }
    cache_parameters const& parameters() const { return p_; }
    cache_counters const& counters() const { return counters_; }
    bool has_request() const { return !queue_.empty(); }
    lower_request const& front_request() const { return queue_.front(); }
    void pop_request() { queue_.pop_front(); }
    std::size_t requests() const { return queue_.size(); }
    /// Drops every line, dirty or not. Accesses that wait for a fetch are still served.
    void invalidate_all() {
        for (auto& l : lines_)
            if (l.valid()) remove(l);
        if constexpr (hears_launches<Replacement>) replacement_.emptied();
    }
    /// From the next invalidate_all() on, only so many lines are used: the first ways of each set.
    void carve(std::uint32_t lines) { ways_ = lines / p_.geometry.sets; }
    /// Lines that these warps brought in belong to nobody from now on.
    void disown(warp_set warps) {
        for (auto& l : lines_)
            if (warps.contains(l.owner)) l.owner = no_warp;
        if constexpr (hears_launches<Replacement>) replacement_.launched(warps);
    }
    /// These warps have ended.
    void exited([[maybe_unused]] warp_set warps) {
        if constexpr (hears_exits<Replacement>) replacement_.exited(warps);
    }
    /// So many warps may keep lines.
    void granted([[maybe_unused]] unsigned warps) {
        if constexpr (hears_grants<Replacement>) replacement_.granted(warps);
    }

protected:
    std::uint32_t set_of(std::uint64_t address) const {
        return index_(address, address / p_.geometry.line_bytes);
    }
    cached_line* find(std::uint64_t address) {
        return const_cast<cached_line*>(static_cast<cache_base const*>(this)->find(address));
    }
    cached_line const* find(std::uint64_t address) const {
        auto const line = address - address % p_.geometry.line_bytes;
        auto* const set = &lines_[std::size_t{set_of(address)} * p_.geometry.ways];
        for (auto* l = set; l < set + p_.geometry.ways; ++l)
            if (l->valid() && l->address == line) return l;
        return nullptr;
    }
    /// The place that a new line takes: the highest-numbered way without a line, else the replacement policy's choice
    /// among those that wait for no data and are not kept by the write ratio. A set full of lines that are kept gives
    /// one up. Of all ways those count that the policy allows whoever asks.
    cached_line* place_for(std::uint64_t address, [[maybe_unused]] line_use const& by) {
        auto* const set = &lines_[std::size_t{set_of(address)} * p_.geometry.ways];
        auto const stored = std::count_if(lines_.begin(), lines_.end(), [](auto& l) { return l.stored_to; });
        auto const all_lines = std::size_t{p_.geometry.sets} * ways_;
        bool const keeps = static_cast<std::size_t>(stored) * 100 < p_.write_ratio * all_lines;
        way_range allowed;
        if constexpr (confines_lines<Replacement>) allowed = replacement_.allowed(by);
        way_mask eligible(p_.geometry.ways);
        bool all_kept = true;
        for (auto way = ways_; way-- > 0;) {
            if (!allowed.contains(way)) continue;
            if (!set[way].valid()) return &set[way];
            bool const settled = !set[way].any(&cached_sector::waiting);
            bool const kept = keeps && set[way].stored_to;
            if (settled && !kept) eligible.insert(way);
            all_kept &= settled && kept;
        }
        if (all_kept)
            for (std::uint32_t way = 0; way < ways_; ++way)
                if (allowed.contains(way)) eligible.insert(way);
        return eligible.empty() ? nullptr : &set[victim_of(replacement_, set_of(address), eligible)];
    }
    /// Brings the line of `address` in where place_for() has found a place; `departed` tells what had to go for it.
    cached_line& bring_in(std::uint64_t address, warp_slot owner, line_use const& by,
                          departed_line& departed) {
        auto& l = *place_for(address, by);
        if (l.valid()) {
            departed = {l.address, l.owner, line_departure::evicted};
            ++counters_.evictions;
            if (l.any(&cached_sector::dirty)) write_back(l);
        }
        l = {address - address % p_.geometry.line_bytes, owner, false, {}};
        l.sectors.resize(p_.geometry.sectors_per_line());
        tell_inserted(replacement_, set_of(address), way_of(l), by);
        return l;
    }
    /// The line of an access that is accepted: is used, or comes in.
    cached_line& use_or_bring_in(cache_access const& a, departed_line& departed) {
        auto* const l = find(a.address);
        if (l == nullptr) return bring_in(a.address, a.owner, a, departed);
        use(*l, a);
        return *l;
    }
    /// Whether what this access asked for is given to those who wait, and not kept.
    bool declines([[maybe_unused]] line_use const& by) const {
        if constexpr (declines_lines<Replacement>)
            return replacement_.declines(by);
        else
            return false;
    }
    void check_declines(bool reserves) const { detail::check_declines(replacement_, reserves); }
    void use(cached_line const& l, line_use const& by) {
        tell_used(replacement_, set_of(l.address), way_of(l), by);
    }
    void remove(cached_line& l) {
        if constexpr (hears_removals<Replacement>) replacement_.removed(set_of(l.address), way_of(l));
        l = {};
    }

    std::uint32_t room() const { // a fill that evicts may go beyond it
        auto const used = static_cast<std::uint32_t>(queue_.size());
        return used < p_.miss_queue ? p_.miss_queue - used : 0;
    }
    void fetch(cache_access const& a, std::uint64_t address, std::uint32_t bytes, std::uint64_t number) {
        queue_.push_back({address, bytes, a.token, {}, lower_kind::fetch, a.space, a.owner});
        queue_.back().mshr = static_cast<std::uint16_t>(number);
        ++counters_.fetches;
    }
    void pass_on(cache_access const& a) {
        auto const kind = a.kind == access_kind::atomic ? lower_kind::atomic : lower_kind::store;
        queue_.push_back({a.address, a.bytes, a.token, a.written, kind, a.space, a.owner});
        ++counters_.stores_passed_on;
    }
    void write_back(cached_line& l) {
        lower_request r{l.address, 0, no_token, {}, lower_kind::write_back, memory_space::none, l.owner};
        for (std::size_t i = 0; i < l.sectors.size(); ++i)
            if (l.sectors[i].dirty) {
                r.sectors = static_cast<std::uint16_t>(r.sectors | 1U << i);
                r.bytes += p_.geometry.sector_bytes;
                l.sectors[i].dirty = false;
            }
        queue_.push_back(r);
        ++counters_.write_backs;
    }
    cache_result refused(refusal why) {
        counters_.count(why);
        return {{}, cache_outcome::reservation_fail, why, cache_answer::refused};
    }
    cache_result accepted(cache_outcome found, cache_answer answer, departed_line departed = {}) {
        counters_.count(found);
        return {departed, found, {}, answer};
    }

    cache_parameters p_{};
    cache_counters counters_;

private:
    std::uint32_t way_of(cached_line const& l) const {
        return static_cast<std::uint32_t>(&l - lines_.data()) % p_.geometry.ways;
    }
    Index index_{};
    Replacement replacement_{};
    std::vector<cached_line> lines_; ///< way by way within a set
    std::uint32_t ways_ = 0;         ///< of a set that are used
    fifo_queue<lower_request> queue_;
};

/// A cache of lines and sectors. When a line gets its place, and what becomes of a store, are told when it is made: so
/// caches that differ in nothing else are one type. An access that is refused has changed nothing but a counter, and
/// may be tried again.
template <class Index, class Replacement>
class sectored_cache : public cache_base<Index, Replacement> {
    using base = cache_base<Index, Replacement>;
    using base::p_, base::counters_, base::find, base::place_for, base::bring_in, base::use_or_bring_in,
        base::room, base::accepted, base::refused;

public:
    sectored_cache() = default;
    /// `reserves`: a line gets its place with the miss, not with the fill.
    sectored_cache(cache_parameters const& p, bool reserves, write_rules const& write)
        : base(p),
          reserves_(reserves),
          write_(write) {
        this->check_declines(reserves);
    }

    /// Whether a store to this space that hits stays here; whether one may fetch its sector.
    bool keeps_stores(memory_space s) const { return is_perfect() || write_.on_hit(s) == write_hit::back; }
    bool fetches_on_store() const { return detail::ever_fetches(write_); }
    /// Fetches that have not been filled.
    std::uint32_t outstanding() const { return static_cast<std::uint32_t>(mshrs_.size()); }
    /// Whether an access that found no way may find one when the sector of `filled` has come.
    bool may_free_way(std::uint64_t wanted, std::uint64_t filled) const {
        return p_.write_ratio != 0 || this->set_of(wanted) == this->set_of(filled);
    }
    void disown(warp_set warps) {
        base::disown(warps);
        for (auto& m : mshrs_)
            if (warps.contains(m.owner)) m.owner = no_warp;
    }

    cache_result access(cache_access const& a) {
        auto const found = probe(a);
        if (is_perfect()) return accepted(found, cache_answer::now);
        if (!reads(a)) return store(a, found);
        return found == cache_outcome::hit ? hit(a) : wait(a, found);
    }
    /// How `access` would find it, without changing anything.
    cache_outcome probe(cache_access const& a) const {
        if (is_perfect()) return cache_outcome::hit;
        auto const* const l = find(a.address);
        bool hits = l != nullptr;
        bool waits = reads(a) && !reserves_ && being_fetched(a.address);
        for (auto const b : bytes_of(a))
            if (l != nullptr) {
                hits &= reads(a) ? sector(*l, b).readable() : sector(*l, b).present();
                waits |= sector(*l, b).waiting;
            }
        if (hits) return cache_outcome::hit;
        if (waits) return cache_outcome::hit_reserved;
        return l != nullptr ? cache_outcome::sector_miss : cache_outcome::miss;
    }
    /// Whether the sector of `address` could be read now.
    bool contains(std::uint64_t address) const {
        return probe({.address = address, .bytes = 1}) == cache_outcome::hit;
    }
    /// The address of the fetch whose data this is a part of.
    std::uint64_t fetch_of(std::uint64_t address) const {
        return address - address % p_.geometry.sector_bytes;
    }
    /// `bytes` of the sector of `address` have come. With the last of them, calls `sink(token)` for those who have
    /// waited, in their order; what had to go for it, where lines get their place only now.
    template <class Sink>
    departed_line fill(std::uint64_t address, std::uint32_t bytes, Sink sink, std::uint32_t = no_token) {
        auto const m = find_mshr(address);
        if (m == mshrs_.end()) throw error({"cache: nobody has asked for the data of address ", address});
        m->arrived += bytes;
        if (m->arrived < p_.geometry.sector_bytes) return {};
        departed_line departed;
        auto* l = find(address);
        if (l == nullptr && !reserves_ && !this->declines(m->by) && place_for(address, m->by) != nullptr)
            l = &bring_in(address, m->owner, m->by, departed);
        if (l != nullptr) { // or it was dropped meanwhile
            auto& s = sector(*l, address);
            if (s.waiting || !reserves_) s.has.assign(p_.geometry.sector_bytes, true);
            s.dirty |= s.dirty_when_filled;
            l->stored_to |= s.dirty_when_filled;
            s.waiting = s.dirty_when_filled = false;
        }
        auto const tokens = std::move(m->tokens);
        mshrs_.erase(m);
        for (auto const token : tokens)
            if (token != no_token) sink(token);
        return departed;
    }
    /// Data that nobody asked for has come. False, and nothing done, where it is on its way already, or there is no
    /// place for it or none in the queue for a write-back.
    bool install(std::uint64_t address, departed_line& departed) {
        if (probe({.address = address, .bytes = 1}) == cache_outcome::hit_reserved) return false;
        auto* l = find(address);
        if (l == nullptr) {
            line_use const by{address, no_pc, no_warp, true};
            auto const* const place = place_for(address, by);
            if (place == nullptr || (place->any(&cached_sector::dirty) && room() == 0)) return false;
            l = &bring_in(address, no_warp, by, departed);
        }
        sector(*l, address).has.assign(p_.geometry.sector_bytes, true);
        return true;
    }

private:
    /// A sector that is being fetched, and who waits for it, in the order in which they came.
    struct mshr {
        std::uint64_t address = 0;
        warp_slot owner; ///< of the first
        line_use by;     ///< the same, though its slot has another warp meanwhile
        std::vector<std::uint32_t> tokens;
        bool store_waits = false;
        bool load_behind_store = false;
        std::uint32_t arrived = 0; ///< bytes
    };
    auto find_mshr(std::uint64_t address) {
        auto const sector = address - address % p_.geometry.sector_bytes;
        return std::find_if(mshrs_.begin(), mshrs_.end(), [&](mshr const& m) { return m.address == sector; });
    }
    bool being_fetched(std::uint64_t address) const {
        return const_cast<sectored_cache*>(this)->find_mshr(address) != mshrs_.end();
    }
    template <class Line>
    auto& sector(Line& l, std::uint64_t address) const {
        return l.sectors[(address - l.address) / p_.geometry.sector_bytes];
    }
    /// The bytes that an access reads or writes.
    static std::vector<std::uint64_t> bytes_of(cache_access const& a) {
        bool const all = a.written[0] == 0 && a.written[1] == 0;
        std::vector<std::uint64_t> bytes;
        for (auto b = a.address; b < a.address + a.bytes; ++b)
            if (all || (a.written[b % 128 / 64] >> b % 64 & 1) != 0) bytes.push_back(b);
        return bytes;
    }
    bool is_perfect() const { return p_.choice.perfect != 0; }
    bool reads(cache_access const& a) const {
        return a.kind == access_kind::load || (a.kind == access_kind::atomic && keeps_stores(a.space));
    }

    // ---- what becomes of an access
    cache_result hit(cache_access const& a) {
        auto& l = *find(a.address);
        this->use(l, a);
        if (a.kind == access_kind::atomic) sector(l, a.address).dirty = l.stored_to = true;
        return accepted(cache_outcome::hit, cache_answer::now);
    }
    /// It waits for the data of its sector, which is asked for unless under way; a store may be sent on beside that.
    cache_result wait(cache_access const& a, cache_outcome found) {
        auto const how = write_.on_miss(a.space);
        bool const sent_on = a.kind == access_kind::store && how == write_miss::write_and_fetch;
        bool const stores = a.kind == access_kind::store && !sent_on;
        bool const held = find(a.address) != nullptr;
        if (reserves_ && !held && place_for(a.address, a) == nullptr)
            return refused(refusal::line_allocation);
        if (room() < (sent_on ? 3U : write_.is_read_only ? 1U : 2U)) return refused(refusal::miss_queue);
        auto m = find_mshr(a.address);
        bool const asked_for = m != mshrs_.end();
        if (!asked_for && mshrs_.size() == p_.mshr_entries) return refused(refusal::mshr_entry);
        if (asked_for && m->tokens.size() == p_.mshr_merges) return refused(refusal::mshr_merge);
        if (asked_for && stores && how == write_miss::ordered_fetch_on_write && m->load_behind_store)
            return refused(refusal::mshr_read_write_pending);

        if (sent_on) this->pass_on(a);
        if (!asked_for) {
            auto const address = a.address - a.address % p_.geometry.sector_bytes;
            this->fetch(a, address, p_.geometry.sector_bytes, 0xffff);
            m = mshrs_.insert(m, {address, a.owner, {address, a.pc, a.owner, line_use(a).ahead}, {}});
        }
        m->tokens.push_back(sent_on ? no_token : a.token);
        m->load_behind_store |= m->store_waits && !stores;
        m->store_waits |= stores;
        departed_line departed;
        if (reserves_ || held) {
            auto& s = sector(use_or_bring_in(a, departed), a.address);
            s.waiting = reserves_;
            s.dirty_when_filled |= s.waiting && (stores || a.kind == access_kind::atomic);
        }
        return accepted(found, sent_on ? cache_answer::below : cache_answer::at_fill, departed);
    }
    cache_result store(cache_access const& a, cache_outcome found) {
        bool const hits = found == cache_outcome::hit;
        auto const miss = write_.on_miss(a.space);
        if (a.kind == access_kind::atomic || (hits && write_.on_hit(a.space) == write_hit::evict))
            return send_on(a, found, true);
        if (!hits && miss == write_miss::no_allocate) return send_on(a, found, false);
        bool const covers = bytes_of(a).size() == p_.geometry.sector_bytes;
        if (!hits && (miss == write_miss::write_and_fetch || (waits_for_fetch(miss) && !covers)))
            return wait(a, found);
        return keep(a, found, write_.on_hit(a.space) == write_hit::through);
    }
    /// Its bytes stay here, in a new line if need be; nothing is fetched.
    cache_result keep(cache_access const& a, cache_outcome found, bool through) {
        auto const* const place = found == cache_outcome::miss ? place_for(a.address, a) : find(a.address);
        if (place == nullptr) return refused(refusal::line_allocation);
        bool const displaces = found == cache_outcome::miss && place->any(&cached_sector::dirty);
        if (room() < (through && displaces ? 2U : through || found != cache_outcome::hit ? 1U : 0U))
            return refused(refusal::miss_queue);
        if (through) this->pass_on(a);
        departed_line departed;
        auto& l = use_or_bring_in(a, departed);
        l.stored_to = true;
        for (auto const b : bytes_of(a)) {
            auto& s = sector(l, b);
            s.has.resize(p_.geometry.sector_bytes);
            s.has[b % p_.geometry.sector_bytes] = true;
            s.dirty |= !through;
        }
        return accepted(found, through ? cache_answer::below : cache_answer::now, departed);
    }
    /// It goes on; maybe the sectors that it touches are dropped, and the line, if one is dirty, written back before.
    cache_result send_on(cache_access const& a, cache_outcome found, bool drops) {
        auto* const l = drops ? find(a.address) : nullptr;
        bool dirty = false;
        bool present = false;
        for (auto const b : bytes_of(a)) {
            dirty |= l != nullptr && sector(*l, b).dirty;
            present |= l != nullptr && sector(*l, b).present();
        }
        if (room() < (dirty ? 2U : 1U)) return refused(refusal::miss_queue);
        if (dirty) this->write_back(*l);
        departed_line departed;
        if (present) {
            l->stored_to &= !dirty;
            for (auto const b : bytes_of(a)) sector(*l, b).has.clear();
            if (std::none_of(l->sectors.begin(), l->sectors.end(),
                             [](auto const& s) { return s.present() || s.waiting; })) {
                departed = {l->address, l->owner, line_departure::invalidated};
                this->remove(*l);
            }
        }
        this->pass_on(a);
        return accepted(found, cache_answer::below, departed);
    }

    bool reserves_ = true;
    write_rules write_;
    std::vector<mshr> mshrs_;
};

/// A texture cache. The tags are looked up, and a missing line gets its way, as soon as an access comes; it then waits
/// in the fragment FIFO, and is served when it is in front and, if it missed, the line in front of the reorder buffer
/// has come. The numbers stand in the places of a cache's: `mshr_entries` is the reorder buffer, `mshr_merges` the
/// FIFO.
template <class Index, class Replacement>
class texture_cache : public cache_base<Index, Replacement> {
    using base = cache_base<Index, Replacement>;
    using base::p_;

public:
    using base::base;

    cache_result access(cache_access const& a) {
        auto const on_their_way =
            std::count_if(fragments_.begin(), fragments_.end(), [](auto const& f) { return f.missed; });
        if (fragments_.size() == p_.mshr_merges) return this->refused(refusal::mshr_merge);
        if (on_their_way == p_.mshr_entries) return this->refused(refusal::mshr_entry);
        if (this->room() == 0) return this->refused(refusal::miss_queue);
        bool const missed = this->find(a.address) == nullptr;
        auto const number = this->counters_.fetches % most_mshr_entries;
        departed_line departed;
        auto const& l = this->use_or_bring_in(a, departed);
        fragments_.push_back({a.token, missed, number, 0});
        if (!missed) return this->accepted(cache_outcome::hit_reserved, cache_answer::at_fill);
        this->fetch(a, l.address, p_.geometry.line_bytes, number);
        return this->accepted(cache_outcome::miss, cache_answer::at_fill, departed);
    }
    /// `bytes` of the fetch whose request had this number, `mshr`, have come.
    void fill(std::uint64_t, std::uint32_t bytes, std::uint32_t number) {
        for (auto& f : fragments_)
            if (f.missed && f.number == number) f.arrived += bytes;
    }
    bool can_serve() const {
        if (fragments_.empty()) return false;
        return !fragments_.front().missed || fragments_.front().arrived >= p_.geometry.line_bytes;
    }
    /// Serves the access in front: calls `sink(token)`. Precondition: can_serve().
    template <class Sink>
    void serve(Sink sink) {
        sink(fragments_.front().token);
        fragments_.pop_front();
    }

private:
    /// An access that waits for its turn and, if it missed, for a line: a place in the reorder buffer.
    struct fragment {
        std::uint32_t token = no_token;
        bool missed = false;
        std::uint64_t number = 0;  ///< of the fetch
        std::uint32_t arrived = 0; ///< bytes
    };
    fifo_queue<fragment> fragments_;
};

/// The reference's model of a machine's cache: of the same policies, or the cache itself if it has none. Throws `error`
/// if a number is impossible, naming the nearest legal one.
template <class Own>
struct cache_of : plain_cache<Own> {
    using cache_of::plain_cache::plain_cache;
    std::uint64_t fetch_of(std::uint64_t address) const { return this->fetched(this->number_of(address)); }
};
template <class Own>
requires(
    requires { typename Own::index_policy; } &&
    !requires { typename Own::write_policy_type; }) struct cache_of<Own>
    : texture_cache<typename Own::index_policy, typename Own::replacement_policy_type> {
    using cache_of::texture_cache::texture_cache;
};
template <class Own>
requires requires { typename Own::write_policy_type; }
struct cache_of<Own> : sectored_cache<typename Own::index_policy, typename Own::replacement_policy_type> {
    cache_of() = default;
    explicit cache_of(cache_parameters const& p)
        : cache_of(p, detail::chosen<typename Own::allocation_policy_type>(p.choice),
                   detail::chosen<typename Own::write_policy_type>(p.choice)) {}

private:
    template <class Allocation, class Write>
    cache_of(cache_parameters const& p, Allocation const& allocation, Write const& write)
        : cache_of::sectored_cache(detail::checked<typename Own::index_policy>(p, allocation, write),
                                   allocation.reserves, write_rules(write)) {}
};

} // namespace warpkit::reference
