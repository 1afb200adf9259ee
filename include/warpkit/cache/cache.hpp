#pragma once
/// \file
/// The cache: geometry, index, replacement, allocation, write policy and MSHRs put together. Tick-free: the
/// caller owns time, banks, ports and latencies.
///
/// Contract:
///   - `access` answers at once and says where the data comes from (`cache_answer`). A refused access changed
///     nothing but the refusal counters and may be retried.
///   - Requests to the next level wait in a queue of bounded length; the caller takes them with front_request() and
///     pop_request(). A fetch is answered with `fill`, in any order, whole or in parts.
///   - Addresses are the caller's: an L2 slice may be given addresses without the channel bits
///     (docs/model/l2_partition.md#set-index).
///   - Nothing is allocated after construction.

#include <warpkit/base/error.hpp>
#include <warpkit/base/flattened.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/allocation.hpp>
#include <warpkit/cache/composition.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/cache/geometry.hpp>
#include <warpkit/cache/line_sectors.hpp>
#include <warpkit/cache/miss_queue.hpp>
#include <warpkit/cache/mshr.hpp>
#include <warpkit/cache/tag_array.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/cache/written_bytes.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace warpkit {

/// A cache with GPGPU-Sim's semantics (docs/model/cache.md), line-grained or sectored.
/// Differs from GPGPU-Sim, beside what the policies and mshr_table say:
///   - A line that waits for data is never evicted, not even if a store has meanwhile written to it (there the late
///     fill then marks whatever line has taken the place).
///   - A load of a partly written sector whose fetch is under way is hit_reserved (there: sector_miss, merged alike).
///   - Under allocate-on-fill, an access that merges with an outstanding fetch is hit_reserved (there: miss).
///   - A store that evicts a dirty line writes it back (there the dirt is lost; it cannot occur with local and global
///     data in different lines).
///   - With a write ratio, a set full of lines that have been stored to gives one of them up even below the ratio
///     (there the access waits for ever). In GPGPU-Sim's Volta, whose four sets are a quarter of the lines each, it
///     cannot occur.
template <set_index_policy Index, replacement_policy Replacement, allocation_policy Allocation,
          write_policy Write>
class cache {
    static_assert(detail::combination<Allocation, Write>::is_legal);

public:
    using index_policy = Index;
    using replacement_policy_type = Replacement;
    using allocation_policy_type = Allocation;
    using write_policy_type = Write;
    using line_place = warpkit::line_place;
    /// Replacement goes by who uses a line, which hit_at() does not say.
    static constexpr bool asks_who = hears_users<Replacement>;

    /// The shortest miss queue with which every kind of access can be accepted; of policies that are chosen at run
    /// time, with the first of them.
    static constexpr std::uint32_t miss_queue_minimum = detail::miss_queue_minimum(Write{});

    /// An unusable cache, to be assigned to.
    cache() = default;
    /// Throws `error` if a number is impossible, naming the nearest legal one.
    [[gnu::cold]] explicit cache(cache_parameters const& p)
        : allocation_(detail::chosen<Allocation>(p.choice)),
          write_(detail::chosen<Write>(p.choice)),
          parameters_(detail::checked<Index>(p, allocation_, write_)),
          sectors_(p.geometry),
          tags_(p.geometry, p.write_ratio, detail::make_index<Index>(p),
                detail::make_replacement<Replacement>(p)),
          written_(fetches_lazily(write_) ? tags_.size() : 0, p.geometry),
          mshr_(parameters_.mshr_entries, parameters_.mshr_merges, !allocation_.reserves),
          waits_(allocation_.reserves ? tags_.size() * p.geometry.sectors_per_line() : 0),
          asked_by_(allocation_.reserves ? 0 : parameters_.mshr_entries),
          // A fill may add a write-back when the queue is full.
          queue_(p.miss_queue, allocation_.reserves ? 0 : parameters_.mshr_entries) {
        tags_.check_declines(allocation_.reserves);
    }

    cache_parameters const& parameters() const noexcept { return parameters_; }
    cache_counters const& counters() const noexcept { return counters_; }
    void reset_counters() noexcept { counters_ = {}; }

    /// Whether a store to this space that hits stays here, its sector dirty.
    constexpr bool keeps_stores(memory_space s) const noexcept { return write_.on_hit(s) == write_hit::back; }
    /// Whether there are stores that must lie within one sector, as they may fetch it.
    constexpr bool fetches_on_store() const noexcept { return detail::ever_fetches(write_); }

    // ---- accesses -------------------------------------------------------------------------------------------------

    /// Looks up, and does what the policies say. See cache_result. `Whole` for who asks in one place, in a function
    /// that does nothing else: all that a load takes will be part of that.
    template <bool Whole = false>
    [[gnu::always_inline]] cache_result access(cache_access const& a) {
        return a.kind == access_kind::load    ? load<Whole>(a)
               : a.kind == access_kind::store ? store(a)
                                              : atomic(a);
    }

    /// How `access` would find the line, without changing anything: hit, hit_reserved, sector_miss or miss. Whether
    /// a miss would be refused is not looked into.
    cache_outcome probe(cache_access const& a) const noexcept {
        auto const at = tags_.find(a.address, sectors_.line(a.address));
        bool const reads =
            a.kind == access_kind::load || (a.kind == access_kind::atomic && keeps_stores(a.space));
        return reads ? classify_load(a.address, at) : classify_store(a, at);
    }
    /// Whether the sector of `address` could be read now.
    bool contains(std::uint64_t address) const noexcept {
        return probe({.address = address, .bytes = 1}) == cache_outcome::hit;
    }

    /// Whether an access to `wanted`, refused for want of anything but an MSHR or a place in the queue, may be taken
    /// when the sector of `filled` has come: a line of its own set or, with a write ratio, of any.
    bool may_free_way(std::uint64_t wanted, std::uint64_t filled) const noexcept {
        return tags_.sets_depend() || set_of(wanted) == set_of(filled);
    }

    // ---- the next level -------------------------------------------------------------------------------------------

    bool has_request() const noexcept { return !queue_.empty(); }
    /// The oldest request; precondition: has_request().
    lower_request const& front_request() const noexcept { return queue_.front(); }
    void pop_request() noexcept { queue_.pop(); }
    /// Requests waiting.
    std::size_t requests() const noexcept { return queue_.size(); }

    /// The data of a fetch has come; `address` is that of the fetch. Calls `sink(token)` for each access that waits,
    /// in order of arrival. What it returns was evicted (allocate-on-fill only).
    /// Throws `error` if nothing was asked for there.
    template <class Sink>
    departed_line fill(std::uint64_t address, Sink&& sink) {
        return fill(address, parameters_.geometry.sector_bytes, static_cast<Sink&&>(sink));
    }
    /// `bytes` of it have come: for next levels that answer in parts. The last part completes the fill. Who has kept
    /// the request's `mshr` may say so, which saves a look-up.
    template <class Sink>
    departed_line fill(std::uint64_t address, std::uint32_t bytes, Sink&& sink,
                       mshr_table::entry hint = mshr_table::none) {
        auto const e = mshr_.find(sectors_.sector_begin(address), hint);
        if (e == mshr_table::none) refuse_fill(address);
        if (!count_part(e, bytes)) return {};
        return fill_all(e, static_cast<Sink&&>(sink));
    }
    /// Data that nobody asked for has come: the sector is in the cache from now on. Counts nothing but what it evicts.
    /// False, and nothing done, where it is on its way already, or there is no way for it or no room for a write-back.
    bool install(std::uint64_t address, departed_line& departed) {
        auto const line = sectors_.line(address);
        auto at = tags_.find(address, line);
        if (classify_load(address, at) == cache_outcome::hit_reserved) return false;
        if (!here(at)) {
            line_use const by{address, no_pc, no_warp, true};
            at.way = tags_.choose_way(at.set, by);
            if (!here(at) || (is_dirty(at) && queue_.room() == 0)) return false;
            departed = replace(at, line, no_warp);
            tags_.inserted(at, by);
        }
        tags_[tags_.index(at)].complete(sectors_.bit(address));
        return true;
    }

    /// Fetches outstanding or still in the queue.
    std::uint32_t outstanding() const noexcept { return mshr_.used(); }
    /// No fetch outstanding and no request waiting.
    bool idle() const noexcept { return mshr_.used() == 0 && queue_.empty(); }
    mshr_table const& mshrs() const noexcept { return mshr_; }

    // ---- what it tells ahead (tells_ahead in cache/concepts.hpp): nothing that a cache would need
    // -----------------------

    /// Whether a line is in the cache as soon as it has missed.
    constexpr bool reserves() const noexcept { return allocation_.reserves; }
    /// Places in the miss queue that a load must find free if it misses. GPGPU-Sim's wants room for a write-back too.
    constexpr std::uint32_t load_places() const noexcept { return write_.is_read_only ? 1 : 2; }
    /// For who remembers where a line was: access() for a load of `address` if it hits there; if not, false and nothing
    /// happens.
    bool hits_at(line_place p, std::uint64_t address) noexcept {
        auto const i = tags_.index(p);
        if (!tags_.holds(i, sectors_.line(address)) || (tags_[i].readable & sectors_.bit(address)) == 0)
            return false;
        hit_at(p);
        return true;
    }
    /// access() for a load that is known to hit there, since nothing has changed in the cache since it last did.
    void hit_at(line_place p) noexcept {
        tags_.used(p, {});
        count_hit();
    }
    /// Where the line lies that access() found last.
    line_place found() const noexcept { return tags_.found(); }

    /// For who knows that nothing else happens in between: how many of the next sectors, those of the `bytes` bytes
    /// behind that of `address`, access() would find readable one after the other, in the line that it has just found.
    std::uint8_t hits_behind(std::uint64_t address, std::uint32_t bytes) const noexcept {
        auto const behind = sectors_.sector(address) + 1;
        auto const readable = static_cast<std::uint32_t>(tags_[tags_.found_index()].readable) >> behind;
        auto const there = static_cast<std::uint32_t>(std::countr_one(readable));
        auto const asked = sectors_.count(bytes);
        return static_cast<std::uint8_t>(there < asked ? there : asked);
    }
    /// access() for each of them. That the line is used again in a row means nothing to a replacement policy.
    void hit_again() noexcept { count_hit(); }

    /// access() for a load that is known to miss in a sector of the line that was found or reserved last, and to be
    /// refused for nothing: not for want of an MSHR or places in the queue. Nobody has used another line since.
    WARPKIT_FLATTENED void miss_again(cache_access const& a) {
        auto const at = tags_.found();
        auto const place = tags_.found_index();
        auto const sector = sectors_.sector(a.address);
        waits_[sectors_.index(place, sector)] =
            static_cast<std::uint16_t>(new_fetch(a, place, a.token, false));
        tags_.used_again(at, a);
        tags_.note_pending(at, place, static_cast<std::uint16_t>(1U << sector));
        counters_.count(cache_outcome::sector_miss);
    }

    /// For who knows that an access, which was refused for this reason, would be again: counts that it was.
    void refuse_again(refusal reason) noexcept { refused(reason); }

    /// Of the set of an access that was refused, and of the fetch that has this `mshr`, before it is filled:
    /// may_free_way(). Its place is one of its set, so no index is needed.
    std::uint32_t set_of(std::uint64_t address) const noexcept {
        return tags_.set_of(address, sectors_.line(address));
    }
    bool fill_may_free_way(std::uint32_t set, mshr_table::entry e) const noexcept {
        if (tags_.sets_depend()) return true;
        return allocation_.reserves ? tags_.in_set(set, mshr_.place(e)) : set_of(fetched(e)) == set;
    }
    /// `bytes` of the fetch that has this `mshr` have come. Whether that was the last part: then fill_all() is to
    /// follow. Precondition: it is outstanding.
    [[gnu::always_inline]] bool count_part(mshr_table::entry e, std::uint32_t bytes) noexcept {
        return mshr_.arrive(e, bytes) >= parameters_.geometry.sector_bytes;
    }

    /// All of the fetch that has this `mshr` has come. Precondition: it is outstanding.
    template <class Sink>
    WARPKIT_FLATTENED departed_line fill_all(mshr_table::entry e, Sink&& sink) {
        departed_line departed;
        auto const address = fetched(e);
        auto const line = sectors_.line(address);
        auto const bit = sectors_.bit(address);
        if (allocation_.reserves) {
            // Reserved when the fetch was asked for, and kept, unless invalidate_all came in between.
            auto const place = mshr_.place(e);
            if (!orphans_ || tags_.holds(place, line)) tags_.arrived(place, bit);
        } else {
            departed = put(line, address, bit, mshr_.owner(e), user_of(e));
        }
        mshr_.release(e, [&](std::uint32_t token) {
            if (token != no_token) sink(token);
        });
        if (mshr_.used() == 0) orphans_ = false;
        return departed;
    }
    /// Its address.
    std::uint64_t fetched(mshr_table::entry e) const noexcept { return mshr_.block(e); }

    // ---- the whole cache ------------------------------------------------------------------------------------------

    /// Drops every line at once, dirty or not; the number of bytes in dirty sectors that were dropped with them.
    /// Accesses that wait for a fetch are still served by its fill.
    std::uint64_t invalidate_all() noexcept {
        auto const dropped = dirty_bytes();
        tags_.clear();
        orphans_ = mshr_.used() != 0;
        return dropped;
    }
    /// From the next invalidate_all() on only so many lines are used, the first ways of each set. Precondition: whole
    /// ways, one at least and at most all; and invalidate_all() comes ahead of any access.
    void carve(std::uint32_t lines) noexcept { tags_.use_ways(lines / parameters_.geometry.sets); }
    /// Lines that these warps brought in, or are bringing in, belong to nobody from now on.
    void disown(warp_set warps) noexcept {
        tags_.disown(warps);
        mshr_.disown(warps);
    }
    /// Whether it minds which warps there are, so that it is to be told by disown() and exited() in any case.
    static constexpr bool minds_warps() noexcept { return hears_launches<Replacement>; }
    /// These warps have ended.
    void exited(warp_set warps) noexcept { tags_.exited(warps); }
    /// So many warps may keep lines, if the replacement policy minds; 0: as many as it was made for.
    void granted(unsigned warps) noexcept { tags_.granted(warps); }
    /// Queues write-backs of dirty lines, as many as there is room for; true when no dirty line is left. Lines stay.
    bool flush() {
        for (std::size_t i = 0; i < tags_.size(); ++i) {
            if (tags_[i].dirty != 0) {
                if (queue_.room() == 0) return false;
                push_write_back(i);
                tags_[i].dirty = 0;
            }
            tags_.forget_stored(i);
        }
        return true;
    }
    /// Bytes in dirty sectors.
    std::uint64_t dirty_bytes() const noexcept {
        std::uint64_t sectors = 0;
        for (auto const& l : tags_.lines()) sectors += static_cast<unsigned>(std::popcount(l.dirty));
        return sectors_.bytes(sectors);
    }

    friend bool operator==(cache const& a, cache const& b) {
        return a.parameters_ == b.parameters_ && a.tags_ == b.tags_ && a.written_ == b.written_ &&
               a.mshr_ == b.mshr_ && a.queue_ == b.queue_ && a.counters_ == b.counters_;
    }
    /// The parameters of its policies.
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.tags_);
    }
    /// Throws `error` where they do not go with the allocation.
    void parameters_set() {
        tell_parameters_set(tags_);
        tags_.check_declines(allocation_.reserves);
    }
    WARPKIT_STORED_MEMBERS(12)
    template <class F>
    void each_member(F&& f) const {
        f(tags_, written_, mshr_, queue_, counters_);
    }

private:
    static constexpr bool fetches_lazily(Write const& w) noexcept {
        return detail::ever_misses_with(w, write_miss::lazy_fetch);
    }
    /// Whether there may be sectors of which some bytes have been stored.
    bool keeps_parts() const noexcept {
        if constexpr (std::is_empty_v<Write>)
            return fetches_lazily(Write{});
        else
            return !written_.empty();
    }
    [[noreturn, gnu::noinline]] static void refuse_fill(std::uint64_t address) {
        raise_error(
            error({"cache: a fill came for address ", address,
                   ", which no outstanding fetch asked for; fill with the address of a fetch, once"}));
    }

    // ---- look-up ----

    /// Whether the line was found, or a way for it.
    bool here(line_place p) const noexcept { return p.way != tags_.ways(); }
    bool is_dirty(line_place p) const noexcept { return tags_[tags_.index(p)].dirty != 0; }

    cache_outcome classify_load(std::uint64_t address, line_place at) const noexcept {
        auto const found =
            here(at) ? tags_[tags_.index(at)].load_outcome(sectors_.bit(address)) : cache_outcome::miss;
        if (allocation_.reserves || found == cache_outcome::hit) return found;
        return mshr_.find(sectors_.sector_begin(address)) != mshr_table::none ? cache_outcome::hit_reserved
                                                                              : found;
    }
    cache_outcome classify_store(cache_access const& a, line_place at) const noexcept {
        return here(at) ? tags_[tags_.index(at)].store_outcome(sectors_.touched(a)) : cache_outcome::miss;
    }

    // ---- answers ----

    cache_result refused(refusal reason) noexcept {
        counters_.count(reason);
        cache_result r;
        r.reason = reason;
        return r;
    }
    void count_hit() noexcept {
        ++counters_.accesses;
        ++counters_.hits;
    }
    cache_result accepted_hit() noexcept {
        count_hit();
        cache_result r;
        r.outcome = cache_outcome::hit;
        r.answer = cache_answer::now;
        return r;
    }
    cache_result accepted(cache_outcome o, cache_answer answer, departed_line departed = {}) noexcept {
        counters_.count(o);
        cache_result r;
        r.departed = departed;
        r.outcome = o;
        r.answer = answer;
        return r;
    }

    // ---- requests, and lines that go ----

    void pass_on(cache_access const& a) {
        queue_.pass_on(a);
        ++counters_.stores_passed_on;
    }
    void push_write_back(std::size_t place) {
        auto const& l = tags_[place];
        queue_.write_back(sectors_.line_address(tags_.line_at(place)), sectors_.bytes_of(l.dirty), l.dirty,
                          l.owner);
        ++counters_.write_backs;
    }
    /// Gives the place to `line`, queueing the write-back of what was there. No sector is present afterwards.
    departed_line replace(line_place at, std::uint64_t line, warp_slot owner) {
        auto const i = tags_.index(at);
        departed_line departed;
        if (tags_.occupied(i)) {
            departed = {sectors_.line_address(tags_.line_at(i)), tags_[i].owner, line_departure::evicted};
            ++counters_.evictions;
            if (tags_[i].dirty != 0) push_write_back(i);
        } else {
            tags_.occupy(at);
        }
        tags_.place(i, line, owner);
        if (keeps_parts()) written_.clear(i);
        return departed;
    }

    /// On whose account the fetch with this `mshr` was sent.
    line_use user_of(mshr_table::entry e) const noexcept {
        if constexpr (hears_users<Replacement>)
            if (!allocation_.reserves) return asked_by_[e];
        return {};
    }
    /// A sector comes for which no line was reserved.
    [[gnu::noinline]] departed_line put(std::uint64_t line, std::uint64_t address, std::uint16_t bit,
                                        warp_slot owner, line_use const& by) {
        departed_line departed;
        auto at = tags_.find(address, line);
        if (!here(at)) {
            if constexpr (declines_lines<Replacement>)
                if (tags_.declines(by)) return departed;
            at.way = tags_.choose_way(at.set, by);
            if constexpr (confines_lines<Replacement>)
                if (!here(at)) return departed;
            departed = replace(at, line, owner);
            tags_.inserted(at, by);
        }
        auto const place = tags_.index(at);
        tags_.note_pending(at, place, bit);
        tags_.arrived(place, bit);
        return departed;
    }

    // ---- loads, and everything that fetches ----

    template <bool Whole>
    [[gnu::always_inline]] cache_result load(cache_access const& a) {
        auto const line = sectors_.line(a.address);
        auto const at = tags_.find(a.address, line);
        if (here(at)) {
            auto const& l = tags_[tags_.found_index()];
            auto const bit = sectors_.bit(a.address);
            if ((l.readable & bit) != 0) [[likely]] {
                tags_.used(at, a);
                return accepted_hit();
            }
            if (allocation_.reserves && !orphans_ && (l.pending & bit) == 0 &&
                queue_.room() >= load_places() && !mshr_.full())
                return sector_miss(a, at);
        } else if (allocation_.reserves && !orphans_) {
            if constexpr (Whole)
                return line_miss_here(a, line, at.set);
            else
                return line_miss(a, line, at.set);
        }
        return read_miss(a, line, at.set, at.way);
    }

    /// An access that needs the data of its sector and does not have it: waits for a fetch, which is sent unless one is
    /// under way, and reserves a place. Of a store the outcome is known, and it is sent on as well (write_and_fetch) or
    /// waits.
    template <bool Store = false>
    [[gnu::always_inline]] cache_result fetch(cache_access const& a, std::uint64_t line, line_place at,
                                              bool dirties, write_miss how = {}, cache_outcome outcome = {}) {
        bool const held = here(at);
        bool const reserves = allocation_.reserves;
        bool const sent = Store && how == write_miss::write_and_fetch;
        if (reserves && !held && (at.way = tags_.choose_way(at.set, a)) == tags_.ways())
            return refused(refusal::line_allocation);
        if (queue_.room() < (sent ? 3U : load_places()))
            return refused(refusal::miss_queue); // the most frequent reason by far
        auto const place = tags_.index(at);
        auto const sector = sectors_.sector(a.address);
        auto const bit = static_cast<std::uint16_t>(1U << sector);
        auto const waits = sectors_.index(place, sector);
        bool const pending = held && (tags_[place].pending & bit) != 0;
        auto e = mshr_table::none;
        if (reserves && pending)
            e = waits_[waits];
        else if (!reserves || orphans_)
            e = mshr_.find(sectors_.sector_begin(a.address));
        if constexpr (!Store)
            outcome = pending || (!reserves && e != mshr_table::none) ? cache_outcome::hit_reserved
                      : held                                          ? cache_outcome::sector_miss
                                                                      : cache_outcome::miss;
        if (e == mshr_table::none) {
            if (mshr_.full()) return refused(refusal::mshr_entry);
            if (sent) pass_on(a);
            e = new_fetch(a, place, sent ? no_token : a.token, Store && !sent);
        } else {
            if (!mshr_.can_merge(e)) return refused(refusal::mshr_merge);
            if (Store && how == write_miss::ordered_fetch_on_write && mshr_.read_after_write(e))
                return refused(refusal::mshr_read_write_pending);
            if (sent) pass_on(a);
            if (orphans_) mshr_.move(e, static_cast<std::uint32_t>(place));
            mshr_.add(e, sent ? no_token : a.token, Store && !sent);
        }
        departed_line departed;
        if (reserves) {
            waits_[waits] = static_cast<std::uint16_t>(e);
            if (!held) {
                departed = replace(at, line, a.owner);
                tags_.inserted(at, a);
                tags_.note_found(at); // its other sectors are likely to be next
            } else {
                tags_.used(at, a);
            }
            tags_.note_pending(at, place, bit);
            if (dirties) tags_[place].dirty_on_fill |= bit;
        } else if (held) {
            tags_.used(at, a);
        }
        return accepted(outcome, sent ? cache_answer::below : cache_answer::at_fill, departed);
    }
    /// The fetch of an access that nothing is in the way of; `token` waits for it.
    WARPKIT_FLATTENED mshr_table::entry new_fetch(cache_access const& a, std::size_t place,
                                                  std::uint32_t token, bool store) {
        auto const address = sectors_.sector_begin(a.address);
        auto const e = mshr_.allocate(address, a.owner, static_cast<std::uint32_t>(place), token, store);
        if constexpr (hears_users<Replacement>)
            if (!allocation_.reserves) {
                asked_by_[e] = a;
                asked_by_[e].address = address;
            }
        queue_.fetch(a, address, parameters_.geometry.sector_bytes, e);
        ++counters_.fetches;
        return e;
    }
    /// What fetch() does where a place is reserved, no fetch has lost its line, and the line is here; nothing is in the
    /// way.
    WARPKIT_FLATTENED cache_result sector_miss(cache_access const& a, line_place at) {
        auto const place = tags_.found_index();
        wait_in(a, place);
        tags_.used(at, a);
        tags_.note_pending(at, place, sectors_.bit(a.address));
        return accepted(cache_outcome::sector_miss, cache_answer::at_fill);
    }
    /// The same where the line is not here.
    [[gnu::noinline, gnu::flatten]] cache_result line_miss(cache_access const& a, std::uint64_t line,
                                                           std::uint32_t set) {
        return line_miss_here(a, line, set);
    }
    [[gnu::always_inline]] cache_result line_miss_here(cache_access const& access, std::uint64_t line,
                                                       std::uint32_t set) {
        auto const a = access; // or it would be read again behind each store
        line_place const at{set, tags_.choose_way(set, a)};
        if (!here(at)) return refused(refusal::line_allocation);
        if (queue_.room() < load_places()) return refused(refusal::miss_queue);
        if (mshr_.full()) return refused(refusal::mshr_entry);
        tags_.note_found(at);
        auto const place = tags_.found_index();
        wait_in(a, place); // a fetch goes ahead of the write-back that makes room for it
        auto const departed = replace(at, line, a.owner);
        tags_.inserted(at, a);
        tags_.note_first_pending(at, place, sectors_.bit(a.address));
        return accepted(cache_outcome::miss, cache_answer::at_fill, departed);
    }
    /// A fetch of its own for a sector of the line that has, or will have, this place.
    WARPKIT_FLATTENED void wait_in(cache_access const& a, std::size_t place) {
        waits_[sectors_.index(place, sectors_.sector(a.address))] =
            static_cast<std::uint16_t>(new_fetch(a, place, a.token, false));
    }
    [[gnu::noinline]] cache_result read_miss(cache_access const& a, std::uint64_t line, std::uint32_t set,
                                             std::uint32_t way, bool dirties = false) {
        return fetch(a, line, {set, way}, dirties);
    }

    // ---- stores and atomics; kept apart so that loads stay short ----

    [[gnu::noinline]] cache_result atomic(cache_access const& a) {
        auto const line = sectors_.line(a.address);
        auto const at = tags_.find(a.address, line);
        if (!keeps_stores(a.space)) return pass_on_and_drop(a, at.set, at.way, classify_store(a, at));
        auto const place = tags_.index(at);
        auto const bit = sectors_.bit(a.address);
        if (!here(at) || (tags_[place].readable & bit) == 0) return read_miss(a, line, at.set, at.way, true);
        tags_.used(at, a);
        tags_[place].dirty |= bit;
        tags_.note_stored(place);
        return accepted(cache_outcome::hit, cache_answer::now);
    }

    /// Whether any store to this space would be refused now, whatever it finds: it is sent on in any case, and the
    /// queue is full.
    bool refuses_stores(memory_space s) const noexcept {
        return write_.on_hit(s) != write_hit::back && write_.on_miss(s) == write_miss::no_allocate &&
               queue_.room() == 0;
    }
    [[gnu::noinline]] cache_result store(cache_access const& a) {
        auto const hit = write_.on_hit(a.space);
        auto const miss = write_.on_miss(a.space);
        bool const through = hit == write_hit::through;
        if (refuses_stores(a.space)) return refused(refusal::miss_queue);
        auto const line = sectors_.line(a.address);
        auto const at = tags_.find(a.address, line);
        if (!here(at)) {
            if (miss == write_miss::no_allocate) return pass_by(a, cache_outcome::miss);
            if constexpr (may_fetch_stores())
                if (fetches(a, miss))
                    return store_and_fetch(a, line, at.set, at.way, miss, cache_outcome::miss);
            return store_new(a, line, at.set);
        }
        auto const place = tags_.found_index();
        auto const bits = sectors_.touched(a);
        auto const outcome = tags_[place].store_outcome(bits);
        if (outcome == cache_outcome::hit) {
            if (hit == write_hit::evict) return pass_on_and_drop(a, at.set, at.way, outcome);
            if (through && queue_.room() == 0) return refused(refusal::miss_queue);
        } else {
            if (miss == write_miss::no_allocate) return pass_by(a, outcome);
            if constexpr (may_fetch_stores())
                if (fetches(a, miss)) return store_and_fetch(a, line, at.set, at.way, miss, outcome);
            if (queue_.room() == 0) return refused(refusal::miss_queue);
        }
        if (through) pass_on(a);
        tags_.used(at, a);
        write(a, place, bits, !through);
        return accepted(outcome, through ? cache_answer::below : cache_answer::now);
    }
    /// Whether there may be stores that ask for their sector: false only where the policy's type says so.
    static constexpr bool may_fetch_stores() noexcept {
        if constexpr (std::is_empty_v<Write>)
            return detail::ever_fetches(Write{});
        else
            return true;
    }
    /// Whether a store that misses asks for its sector.
    bool fetches(cache_access const& a, write_miss how) const noexcept {
        return how == write_miss::write_and_fetch || (waits_for_fetch(how) && !sectors_.covered(a));
    }
    /// It stays out of the cache.
    cache_result pass_by(cache_access const& a, cache_outcome outcome) {
        if (queue_.room() == 0) return refused(refusal::miss_queue);
        pass_on(a);
        return accepted(outcome, cache_answer::below);
    }
    [[gnu::noinline]] cache_result store_and_fetch(cache_access const& a, std::uint64_t line,
                                                   std::uint32_t set, std::uint32_t way, write_miss how,
                                                   cache_outcome outcome) {
        return fetch<true>(a, line, {set, way}, how != write_miss::write_and_fetch, how, outcome);
    }
    /// Brings the line in with nothing but what is stored; nothing is fetched.
    [[gnu::noinline]] cache_result store_new(cache_access const& a, std::uint64_t line, std::uint32_t set) {
        bool const through = write_.on_hit(a.space) == write_hit::through;
        line_place const at{set, tags_.choose_way(set, a)};
        if (!here(at)) return refused(refusal::line_allocation);
        if (queue_.room() < (through && is_dirty(at) ? 2U : 1U)) return refused(refusal::miss_queue);
        if (through) pass_on(a);
        auto const departed = replace(at, line, a.owner);
        tags_.inserted(at, a);
        write(a, tags_.index(at), sectors_.touched(a), !through);
        return accepted(cache_outcome::miss, through ? cache_answer::below : cache_answer::now, departed);
    }

    /// Sends the access on and drops the sectors it touches.
    [[gnu::noinline]] cache_result pass_on_and_drop(cache_access const& a, std::uint32_t set,
                                                    std::uint32_t way, cache_outcome outcome) {
        line_place const at{set, way};
        auto const place = tags_.index(at);
        auto const bits = sectors_.touched(a);
        bool const drops = here(at) && (tags_[place].present & bits) != 0;
        bool const dirty = drops && (tags_[place].dirty & bits) != 0;
        if (queue_.room() < (dirty ? 2U : 1U)) return refused(refusal::miss_queue);
        departed_line departed;
        if (drops) {
            auto& l = tags_[place];
            if (dirty) {
                push_write_back(place);
                l.dirty = 0;
                tags_.forget_stored(place);
            }
            l.forget(bits);
            if (keeps_parts()) written_.forget(place, bits);
            if ((l.present | l.pending) == 0) {
                departed = {sectors_.line_address(tags_.line_at(place)), l.owner,
                            line_departure::invalidated};
                tags_.remove(at);
            }
        }
        pass_on(a);
        return accepted(outcome, cache_answer::below, departed);
    }

    /// The bytes of a store, which touches the sectors `bits`, are in the line from now on.
    [[gnu::always_inline]] void write(cache_access const& a, std::size_t place, std::uint16_t bits,
                                      bool dirties) noexcept {
        auto& l = tags_[place];
        if (dirties) l.dirty |= bits;
        tags_.note_stored(place);
        if ((l.readable & bits) != bits) // a store without fetch covers its sectors, if parts are not kept
            l.readable |= keeps_parts() ? written_.add(place, a, bits) : bits;
        l.present |= bits;
    }

    [[no_unique_address]] Allocation allocation_{};
    [[no_unique_address]] Write write_{};
    cache_parameters parameters_{};
    line_sectors sectors_;
    bool orphans_ = false; // invalidate_all has parted fetches from their lines, and some may be outstanding
    tag_array<Index, Replacement> tags_;
    written_bytes written_; // of lines with partly written sectors
    mshr_table mshr_;
    heap_array<std::uint16_t> waits_; // by line and sector: the MSHR entry, if the sector is pending
    /// By MSHR, where lines come in with their data and their replacement asks for whom.
    struct nobody {
        explicit nobody(std::uint32_t = 0) {}
    };
    [[no_unique_address]] std::conditional_t<hears_users<Replacement>, heap_array<line_use>, nobody>
        asked_by_{};
    miss_queue queue_;
    cache_counters counters_;
};

} // namespace warpkit
