#pragma once
/// \file
/// The cache: geometry, index, replacement, allocation, write policy and MSHRs put together (DESIGN 3). Tick-free: the
/// caller owns time, banks, ports and latencies.
///
/// Contract:
///   - `access` answers at once and says where the data comes from (`cache_answer`). A refused access changed
///     nothing but the refusal counters and may be retried.
///   - Requests to the next level wait in a queue of bounded length; the caller takes them with front_request() and
///     pop_request(). A fetch is answered with `fill`, in any order, whole or in parts.
///   - Addresses are the caller's: an L2 slice may be given addresses without the channel bits (SPEC 6.1).
///   - Nothing is allocated after construction.

#include <warpkit/base/error.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/allocation.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/cache/geometry.hpp>
#include <warpkit/cache/mshr.hpp>
#include <warpkit/cache/write_policy.hpp>
#include <warpkit/cache/written_bytes.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace warpkit {

/// A cache with GPGPU-Sim's semantics (SPEC 4.3), line-grained or sectored.
/// Differs from GPGPU-Sim, beside what the policies and mshr_table say:
///   - A line that waits for data is never evicted, not even if a store has meanwhile written to it (there the late
///     fill then marks whatever line has taken the place).
///   - A load of a partly written sector whose fetch is under way is hit_reserved (there: sector_miss, merged alike).
///   - Under allocate-on-fill, an access that merges with an outstanding fetch is hit_reserved (there: miss).
///   - A store that evicts a dirty line writes it back (there the dirt is lost; it cannot occur with local and global
///     data in different lines).
///   - With a write ratio, a set full of lines that have been stored to gives one of them up even below the ratio (there
///     the access waits for ever). In GPGPU-Sim's Volta, whose four sets are a quarter of the lines each, it cannot occur.
template <set_index_policy Index, replacement_policy Replacement, allocation_policy Allocation,
          write_policy Write>
class cache {
    static constexpr bool judged_at_run_time_ = !std::is_empty_v<Allocation> || !std::is_empty_v<Write>;
    static constexpr bool keeps_whole_sectors_ =
        std::is_empty_v<Write> && detail::keeps_whole_sectors(Write{});
    static_assert(judged_at_run_time_ || Allocation{}.reserves || !detail::ever_allocates_dirty(Write{}),
                  "warpkit: a cache whose stores bring dirty lines in cannot allocate on fill: a fill that "
                  "evicts a dirty line "
                  "may find no room for the write-back; choose on_miss");
    static_assert(judged_at_run_time_ || Allocation{}.reserves || !detail::keeps_global_stores(Write{}),
                  "warpkit: a cache that writes global data back cannot allocate on fill; choose on_miss");
    static_assert(judged_at_run_time_ || detail::fetches_what_it_keeps(Write{}),
                  "warpkit: fetch_on_write belongs to write_hit::back: the fetched sector is dirty here");

public:
    using index_policy = Index;
    using replacement_policy_type = Replacement;
    using allocation_policy_type = Allocation;
    using write_policy_type = Write;

    /// The shortest miss queue with which every kind of access can be accepted; of policies that are chosen at run time,
    /// with the first of them.
    static constexpr std::uint32_t miss_queue_minimum = detail::miss_queue_minimum(Write{});

    /// An unusable cache, to be assigned to.
    cache() = default;
    /// Throws `error` if a number is impossible, naming the nearest legal one.
    explicit cache(cache_parameters const& p)
        : allocation_(chosen<Allocation>(p.choice)),
          write_(chosen<Write>(p.choice)),
          parameters_(checked(p)),
          index_(make_index(p)),
          replacement_(make_replacement(p)),
          tags_(std::size_t{p.geometry.sets} * p.geometry.ways, no_tag_),
          lines_(std::size_t{p.geometry.sets} * p.geometry.ways),
          written_(fetches_lazily(write_) ? lines_.size() : 0, p.geometry),
          mshr_(parameters_.mshr_entries, parameters_.mshr_merges, !allocation_.reserves),
          waits_(allocation_.reserves ? lines_.size() * p.geometry.sectors_per_line() : 0),
          pending_ways_(p.geometry.sets),
          stored_ways_(p.write_ratio != 0 ? p.geometry.sets : 0),
          // A fill may add a write-back when the queue is full; see on_fill.
          queue_(p.miss_queue + (allocation_.reserves ? 0 : parameters_.mshr_entries)),
          ways_(p.geometry.ways),
          line_shift_(log2(p.geometry.line_bytes)),
          sector_shift_(log2(p.geometry.sector_bytes)),
          sector_mask_(p.geometry.sectors_per_line() - 1) {
        absent_ = tags_.size();
    }

    cache_parameters const& parameters() const noexcept { return parameters_; }
    cache_counters const& counters() const noexcept { return counters_; }
    void reset_counters() noexcept { counters_ = {}; }

    /// Whether a store to this space that hits stays here, its sector dirty.
    constexpr bool keeps_stores(memory_space s) const noexcept { return write_.on_hit(s) == write_hit::back; }
    /// Whether there are stores that must lie within one sector, as they may fetch it.
    constexpr bool fetches_on_store() const noexcept {
        return detail::ever_misses_with(write_, write_miss::fetch_on_write) ||
               detail::ever_misses_with(write_, write_miss::ordered_fetch_on_write) ||
               detail::ever_misses_with(write_, write_miss::write_and_fetch);
    }
    /// Whether a line is in the cache as soon as it has missed.
    constexpr bool reserves() const noexcept { return allocation_.reserves; }
    /// Places in the miss queue that a load must find free if it misses. GPGPU-Sim's wants room for a write-back too.
    constexpr std::uint32_t load_places() const noexcept { return write_.is_read_only ? 1 : 2; }

    // ---- accesses -------------------------------------------------------------------------------------------------

    /// Looks up, and does what the policies say. See cache_result.
    cache_result access(cache_access const& a) {
        auto const line = a.address >> line_shift_;
        auto const at = find(a.address, line);
        if (a.kind == access_kind::load) [[likely]] {
            if (at.way != ways_) {
                auto const& l = lines_[recent_];
                auto const bit = sector_bit(a.address);
                if ((l.readable & bit) != 0) [[likely]] {
                    replacement_.used(at.set, at.way);
                    return accepted_hit();
                }
                if (allocation_.reserves && !orphans_ && (l.pending & bit) == 0 && room() >= load_places() &&
                    !mshr_.full())
                    return sector_miss(a, at);
            } else if (allocation_.reserves && !orphans_) {
                return line_miss(a, line, at.set);
            }
            return read_miss(a, line, at.set, at.way);
        }
        if constexpr (keeps_whole_sectors_)
            if (a.kind == access_kind::store && at.way != ways_ &&
                a.bytes == parameters_.geometry.sector_bytes && covers_sectors(a) && room() != 0)
                return store_sector(a, at);
        return access_slowly(a, line, at.set, at.way);
    }

    /// How `access` would find the line, without changing anything: hit, hit_reserved, sector_miss or miss. Whether
    /// a miss would be refused is not looked into.
    cache_outcome probe(cache_access const& a) const noexcept {
        auto const [set, way] = find(a.address, a.address >> line_shift_);
        bool const reads =
            a.kind == access_kind::load || (a.kind == access_kind::atomic && keeps_stores(a.space));
        return reads ? classify_load(a.address, set, way) : classify_store(a, set, way);
    }
    /// Whether the sector of `address` could be read now.
    bool contains(std::uint64_t address) const noexcept {
        return probe({.address = address, .bytes = 1}) == cache_outcome::hit;
    }

    /// A place in the cache.
    struct line_place {
        std::uint32_t set = 0;
        std::uint32_t way = 0;
        friend bool operator==(line_place const&, line_place const&) = default;
    };
    /// For who remembers where a line was: access() for a load of `address` if it hits there; if not, false and nothing
    /// happens.
    bool hits_at(line_place p, std::uint64_t address) noexcept {
        auto const i = std::size_t{p.set} * ways_ + p.way;
        if (tags_[i] != address >> line_shift_ || (lines_[i].readable & sector_bit(address)) == 0)
            return false;
        replacement_.used(p.set, p.way);
        count_hit();
        return true;
    }
    /// Where the line lies that access() found last.
    line_place found() const noexcept { return recent_place_; }

    /// For who knows that nothing else happens in between: how many of the next sectors, those of the `bytes` bytes behind
    /// that of `address`, access() would find readable one after the other, in the line that it has just found.
    std::uint8_t hits_behind(std::uint64_t address, std::uint32_t bytes) const noexcept {
        auto const behind = sector_number(address) + 1;
        auto const readable = static_cast<std::uint32_t>(lines_[recent_].readable) >> behind;
        auto const there = static_cast<std::uint32_t>(std::countr_one(readable));
        auto const asked = bytes >> sector_shift_;
        return static_cast<std::uint8_t>(there < asked ? there : asked);
    }
    /// access() for each of them.
    void hit_again() noexcept {
        replacement_.used(recent_place_.set, recent_place_.way);
        count_hit();
    }

    /// access() for a load that is known to miss in a sector of the line that was found or reserved last, and to be refused for
    /// nothing: not for want of an MSHR or places in the queue.
    void miss_again(cache_access const& a) { sector_miss(a, recent_place_); }

    /// For who knows that an access, which was refused for this reason, would be again: counts that it was.
    void refuse_again(refusal reason) noexcept { refused(reason); }

    /// Whether two addresses compete for the same ways. An access refused for want of anything but an MSHR or a place in
    /// the queue stays refused until a fill of its own set.
    /// With a write ratio that is so of any set.
    bool same_set(std::uint64_t a, std::uint64_t b) const noexcept {
        return !stored_ways_.empty() || index_(a, a >> line_shift_) == index_(b, b >> line_shift_);
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
        auto const block = address >> sector_shift_;
        auto const e = mshr_.find(block, hint);
        if (e == mshr_table::none) refuse_fill(address);
        if (mshr_.arrive(e, bytes) < parameters_.geometry.sector_bytes) return {};
        return fill_all(e, static_cast<Sink&&>(sink));
    }
    /// All of the fetch that has this `mshr` has come. Precondition: it is outstanding.
    template <class Sink>
    departed_line fill_all(mshr_table::entry e, Sink&& sink) {
        departed_line departed;
        auto const block = mshr_.block(e);
        auto const line = block >> (line_shift_ - sector_shift_);
        auto const bit = static_cast<std::uint16_t>(1U << (static_cast<std::uint32_t>(block) & sector_mask_));
        if (allocation_.reserves) {
            // Reserved when the fetch was asked for, and kept, unless invalidate_all came in between.
            auto const place = mshr_.place(e);
            if (tags_[place] == line) arrived(place, bit);
        } else {
            auto [set, way] = find(block << sector_shift_, line);
            if (way == ways_) {
                way = choose_way(set);
                departed = replace(set, way, line, mshr_.owner(e));
                replacement_.inserted(set, way);
            }
            auto const place = std::size_t{set} * ways_ + way;
            note_pending(set, way, place, bit);
            arrived(place, bit);
        }
        mshr_.release(e, [&](std::uint32_t token) {
            if (token != no_token) sink(token);
        });
        if (mshr_.used() == 0) orphans_ = false;
        return departed;
    }
    /// Its address.
    std::uint64_t fetched(mshr_table::entry e) const noexcept { return mshr_.block(e) << sector_shift_; }

    /// Data that nobody asked for has come: the sector is in the cache from now on. Counts nothing but what it evicts. False,
    /// and nothing done, where it is on its way already, or there is no way for it or no room for a write-back.
    bool install(std::uint64_t address, departed_line& departed) {
        auto const line = address >> line_shift_;
        auto [set, way] = find(address, line);
        if (classify_load(address, set, way) == cache_outcome::hit_reserved) return false;
        if (way == ways_) {
            way = choose_way(set);
            if (way == ways_ || (is_dirty(set, way) && room() == 0)) return false;
            departed = replace(set, way, line, no_warp);
            replacement_.inserted(set, way);
        }
        at(set, way).readable |= sector_bit(address);
        at(set, way).present |= sector_bit(address);
        return true;
    }

    /// `bytes` of a fetch have come, and more will: does what fill() does then. False, and nothing done, if they are the
    /// last.
    bool take_part(std::uint64_t address, std::uint32_t bytes, mshr_table::entry hint = mshr_table::none) {
        auto const e = mshr_.find(address >> sector_shift_, hint);
        if (e == mshr_table::none) refuse_fill(address);
        if (mshr_.arrived(e) + bytes >= parameters_.geometry.sector_bytes) return false;
        mshr_.arrive(e, bytes);
        return true;
    }

    /// Fetches outstanding or still in the queue.
    std::uint32_t outstanding() const noexcept { return mshr_.used(); }
    /// No fetch outstanding and no request waiting.
    bool idle() const noexcept { return mshr_.used() == 0 && queue_.empty(); }
    mshr_table const& mshrs() const noexcept { return mshr_; }

    // ---- the whole cache ------------------------------------------------------------------------------------------

    /// Drops every line at once, dirty or not; the number of bytes in dirty sectors that were dropped with them.
    /// Accesses that wait for a fetch are still served by its fill.
    std::uint64_t invalidate_all() noexcept {
        auto const dropped = dirty_bytes();
        if constexpr (hears_removals<Replacement>)
            for (std::size_t i = 0; i < tags_.size(); ++i)
                if (tags_[i] != no_tag_)
                    replacement_.removed(static_cast<std::uint32_t>(i / ways_),
                                         static_cast<std::uint32_t>(i % ways_));
        for (auto& t : tags_) t = no_tag_;
        absent_ = tags_.size();
        for (auto& l : lines_) l = {};
        for (auto& w : pending_ways_) w = 0;
        for (auto& w : stored_ways_) w = 0;
        stored_lines_ = 0;
        orphans_ = mshr_.used() != 0;
        return dropped;
    }
    /// Lines that these warps brought in, or are bringing in, belong to nobody from now on.
    void disown(warp_set warps) noexcept {
        for (auto& l : lines_)
            if (warps.contains(l.owner)) l.owner = no_warp;
        mshr_.disown(warps);
    }
    /// Queues write-backs of dirty lines, as many as there is room for; true when no dirty line is left. Lines stay.
    bool flush() {
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            if (lines_[i].dirty != 0) {
                if (room() == 0) return false;
                push_write_back(tags_[i], lines_[i]);
                lines_[i].dirty = 0;
            }
            forget_stored(i);
        }
        return true;
    }
    /// Bytes in dirty sectors.
    std::uint64_t dirty_bytes() const noexcept {
        std::uint64_t sectors = 0;
        for (auto const& l : lines_) sectors += static_cast<unsigned>(std::popcount(l.dirty));
        return sectors << sector_shift_;
    }

    friend bool operator==(cache const& a, cache const& b) {
        return a.parameters_ == b.parameters_ && a.index_ == b.index_ && a.replacement_ == b.replacement_ &&
               a.tags_ == b.tags_ && a.lines_ == b.lines_ && a.written_ == b.written_ && a.mshr_ == b.mshr_ &&
               a.queue_ == b.queue_ && a.counters_ == b.counters_ && a.stored_ways_ == b.stored_ways_;
    }
    template <class F>
    void each_member(F&& f) const {
        f(index_, replacement_, tags_, lines_, written_, stored_ways_, mshr_, queue_, counters_);
    }

private:
    static constexpr std::uint64_t no_tag_ = ~std::uint64_t{0};

    /// Each mask has one bit per sector. A sector is absent, or waits for data (pending), or has some bytes (present)
    /// or all (readable, which implies present); it may wait and have bytes that were stored meanwhile.
    struct line_state {
        std::uint16_t readable = 0;
        std::uint16_t present = 0;
        std::uint16_t dirty = 0;
        std::uint16_t pending = 0;
        std::uint16_t dirty_on_fill = 0;
        warp_slot owner{};
        friend bool operator==(line_state const&, line_state const&) = default;
    };

    static std::uint32_t log2(std::uint32_t v) noexcept {
        return static_cast<std::uint32_t>(std::countr_zero(v));
    }
    template <class Policy>
    static Policy chosen([[maybe_unused]] cache_choice const& c) {
        if constexpr (std::constructible_from<Policy, cache_choice const&>)
            return Policy(c);
        else
            return Policy();
    }
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
    static Index make_index(cache_parameters const& p) {
        if constexpr (std::constructible_from<Index, cache_geometry const&, std::uint32_t>)
            return Index(p.geometry, p.choice.index);
        else
            return Index(p.geometry);
    }
    static Replacement make_replacement(cache_parameters const& p) {
        auto const& g = p.geometry;
        if constexpr (std::constructible_from<Replacement, std::uint32_t, std::uint32_t, std::uint32_t>)
            return Replacement(g.sets, g.ways, p.choice.replacement);
        else
            return Replacement(g.sets, g.ways);
    }
    cache_parameters checked(cache_parameters const& p) const {
        check(p);
        if constexpr (judged_at_run_time_) check_combination();
        if constexpr (requires { Index::check(p.geometry, p.choice.index); })
            Index::check(p.geometry, p.choice.index);
        else
            Index::check(p.geometry);
        if (auto const least = detail::miss_queue_minimum(write_); p.miss_queue < least)
            detail::refuse_cache_number("miss_queue", p.miss_queue,
                                        "can never hold the requests that one access may cause", least);
        if constexpr (requires { allocation_.widened(p); }) return allocation_.widened(p);
        return p;
    }
    /// What the assertions say, of policies that are chosen at run time.
    void check_combination() const {
        if (!allocation_.reserves &&
            (detail::ever_allocates_dirty(write_) || detail::keeps_global_stores(write_)))
            throw error(
                "cache: stores that make lines dirty do not go with allocation on a fill, which may find no "
                "room for the write-back; choose on_miss, or write_through");
        if (!detail::fetches_what_it_keeps(write_))
            throw error("cache: fetch_on_write goes with write_back alone: the fetched sector is dirty here");
    }
    [[noreturn, gnu::noinline]] static void refuse_fill(std::uint64_t address) {
        throw error("cache: a fill came for address " + std::to_string(address) +
                    ", which no outstanding fetch asked for; fill with the address of a fetch, once");
    }

    // ---- lookup ----

    line_state& at(std::uint32_t set, std::uint32_t way) noexcept {
        return lines_[std::size_t{set} * ways_ + way];
    }
    line_state const& at(std::uint32_t set, std::uint32_t way) const noexcept {
        return lines_[std::size_t{set} * ways_ + way];
    }
    /// Where the line of `address` is, which is number `line`; way ways_ where it is not here. The sectors of a line tend
    /// to be asked for one after the other.
    line_place find(std::uint64_t address, std::uint64_t line) noexcept {
        if (tags_[recent_] == line) return recent_place_;
        auto const p = search(address, line);
        if (p.way != ways_) note_found(p);
        return p;
    }
    line_place find(std::uint64_t address, std::uint64_t line) const noexcept {
        return tags_[recent_] == line ? recent_place_ : search(address, line);
    }
    void note_found(line_place p) noexcept {
        recent_ = std::size_t{p.set} * ways_ + p.way;
        recent_place_ = p;
    }
    line_place search(std::uint64_t address, std::uint64_t line) const noexcept {
        auto const set = index_(address, line);
        return {set, way_of(std::size_t{set} * ways_, line)};
    }
    /// In the set that begins at place `first`.
    std::uint32_t way_of(std::size_t first, std::uint64_t line) const noexcept {
        auto const* const tag = tags_.data() + first;
        auto way = ways_; // downwards, as the ways are filled
        for (; way >= 4; way -= 4) {
            if (tag[way - 1] == line) return way - 1;
            if (tag[way - 2] == line) return way - 2;
            if (tag[way - 3] == line) return way - 3;
            if (tag[way - 4] == line) return way - 4;
        }
        while (way-- != 0)
            if (tag[way] == line) return way;
        return ways_;
    }
    std::uint32_t sector_number(std::uint64_t address) const noexcept {
        return static_cast<std::uint32_t>(address >> sector_shift_) & sector_mask_;
    }
    std::uint16_t sector_bit(std::uint64_t address) const noexcept {
        return static_cast<std::uint16_t>(1U << sector_number(address));
    }
    /// The sectors that a store or atomic touches: those in its range in which it writes at least one byte.
    std::uint16_t sector_bits(cache_access const& a) const noexcept {
        auto const first = sector_number(a.address);
        auto const last = sector_number(a.address + a.bytes - 1);
        auto bits = (2U << last) - (1U << first);
        if (first != last && (a.written[0] | a.written[1]) != 0) {
            auto const size = std::uint64_t{1} << sector_shift_;
            auto begin = a.address;
            for (auto s = first; s <= last; ++s) {
                auto end = (begin & ~(size - 1)) + size;
                if (end > a.address + a.bytes) end = a.address + a.bytes;
                auto const at = static_cast<std::uint32_t>(begin & 127);
                auto const to = at + static_cast<std::uint32_t>(end - begin);
                if (((a.written[0] & byte_range(at, to, 0)) | (a.written[1] & byte_range(at, to, 1))) == 0)
                    bits &= ~(1U << s);
                begin = end;
            }
        }
        return static_cast<std::uint16_t>(bits);
    }
    /// The sector waits for data from now on.
    void note_pending(std::uint32_t set, std::uint32_t way, std::size_t place, std::uint16_t bit) noexcept {
        auto& pending = lines_[place].pending;
        if (pending == 0) pending_ways_[set] |= std::uint64_t{1} << way;
        pending |= bit;
    }
    /// The data of a sector has come.
    void arrived(std::size_t place, std::uint16_t bit) noexcept {
        auto& l = lines_[place];
        if ((l.pending & bit) == 0) return;
        l.pending = off(l.pending, bit);
        l.readable |= bit;
        l.present |= bit;
        if ((l.dirty_on_fill & bit) != 0) {
            l.dirty |= bit;
            l.dirty_on_fill = off(l.dirty_on_fill, bit);
            note_stored(place);
        }
        if (l.pending == 0) {
            auto const set = static_cast<std::uint32_t>(place) / ways_;
            pending_ways_[set] &= ~(std::uint64_t{1} << (place - std::size_t{set} * ways_));
        }
    }
    static std::uint16_t off(std::uint16_t mask, std::uint16_t bits) noexcept {
        return static_cast<std::uint16_t>(mask & ~bits);
    }

    cache_outcome classify_load(std::uint64_t address, std::uint32_t set, std::uint32_t way) const noexcept {
        auto const bit = sector_bit(address);
        if (way != ways_) {
            auto const& l = at(set, way);
            if ((l.readable & bit) != 0) return cache_outcome::hit;
            if ((l.pending & bit) != 0) return cache_outcome::hit_reserved;
        }
        if (!allocation_.reserves)
            if (mshr_.find(address >> sector_shift_) != mshr_table::none) return cache_outcome::hit_reserved;
        return way != ways_ ? cache_outcome::sector_miss : cache_outcome::miss;
    }
    cache_outcome classify_store(cache_access const& a, std::uint32_t set, std::uint32_t way) const noexcept {
        if (way == ways_) return cache_outcome::miss;
        auto const bits = sector_bits(a);
        auto const& l = at(set, way);
        if ((l.present & bits) == bits) return cache_outcome::hit;
        return (l.pending & bits) != 0 ? cache_outcome::hit_reserved : cache_outcome::sector_miss;
    }

    // ---- answers ----

    cache_result refused(refusal reason) noexcept {
        switch (reason) {
        case refusal::line_allocation:
            ++counters_.refused_line_allocation;
            break;
        case refusal::mshr_entry:
            ++counters_.refused_mshr_entry;
            break;
        case refusal::mshr_merge:
            ++counters_.refused_mshr_merge;
            break;
        case refusal::mshr_read_write_pending:
            ++counters_.refused_mshr_read_write_pending;
            break;
        default:
            ++counters_.refused_miss_queue;
            break;
        }
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
        ++counters_.accesses;
        switch (o) {
        case cache_outcome::hit:
            ++counters_.hits;
            break;
        case cache_outcome::hit_reserved:
            ++counters_.hit_reserved;
            break;
        case cache_outcome::miss:
            ++counters_.misses;
            break;
        default:
            ++counters_.sector_misses;
            break;
        }
        cache_result r;
        r.departed = departed;
        r.outcome = o;
        r.answer = answer;
        return r;
    }

    // ---- requests ----

    /// Requests that may still be queued. GPGPU-Sim's read miss wants room for a write-back too (SPEC 4.3).
    std::uint32_t room() const noexcept {
        auto const used = static_cast<std::uint32_t>(queue_.size());
        return used < parameters_.miss_queue ? parameters_.miss_queue - used : 0;
    }
    void push_passed_on(cache_access const& a) {
        queue_.push({.address = a.address,
                     .bytes = a.bytes,
                     .token = a.token,
                     .written = a.written,
                     .kind = a.kind == access_kind::atomic ? lower_kind::atomic : lower_kind::store,
                     .space = a.space,
                     .owner = a.owner,
                     .sectors = 0,
                     .mshr = 0xffff});
        ++counters_.stores_passed_on;
    }
    void push_fetch(cache_access const& a, mshr_table::entry e) {
        auto& r = queue_.extend(); // in place: half of all that a miss takes is this
        r.address = a.address >> sector_shift_ << sector_shift_;
        r.bytes = parameters_.geometry.sector_bytes;
        r.token = a.token;
        r.written = {};
        r.kind = lower_kind::fetch;
        r.space = a.space;
        r.owner = a.owner;
        r.sectors = 0;
        r.mshr = static_cast<std::uint16_t>(e);
        ++counters_.fetches;
    }
    void push_write_back(std::uint64_t line, line_state const& l) {
        queue_.push({.address = line << line_shift_,
                     .bytes = static_cast<std::uint32_t>(std::popcount(l.dirty)) << sector_shift_,
                     .token = no_token,
                     .written = {},
                     .kind = lower_kind::write_back,
                     .space = memory_space::none,
                     .owner = l.owner,
                     .sectors = l.dirty,
                     .mshr = 0xffff});
        ++counters_.write_backs;
    }

    // ---- places ----

    /// The way that a new line would take: the highest-numbered invalid one, else the replacement policy's choice
    /// among those that wait for no data and are not kept by the write ratio; ways_ if there is none. A set that is full of
    /// lines that are kept gives one up, as nothing else would ever make room.
    std::uint32_t choose_way(std::uint32_t set) const noexcept {
        auto const* const tag = tags_.data() + std::size_t{set} * ways_;
        if (absent_ != 0)
            for (auto w = ways_; w-- != 0;)
                if (tag[w] == no_tag_) return w;
        auto eligible = ~pending_ways_[set] & ~std::uint64_t{0} >> (64 - ways_);
        if (!stored_ways_.empty() && stored_lines_ * 100 < parameters_.write_ratio * lines_.size()) {
            auto const others = eligible & ~stored_ways_[set];
            if (others != 0 || pending_ways_[set] != 0) eligible = others;
        }
        return eligible == 0 ? ways_ : replacement_.victim(set, eligible);
    }
    /// Gives the way to `line`, queueing the write-back of what was there. No sector is present afterwards.
    departed_line replace(std::uint32_t set, std::uint32_t way, std::uint64_t line, warp_slot owner) {
        auto const i = std::size_t{set} * ways_ + way;
        departed_line departed;
        if (tags_[i] != no_tag_) {
            departed = {tags_[i] << line_shift_, lines_[i].owner, line_departure::evicted};
            ++counters_.evictions;
            if (lines_[i].dirty != 0) push_write_back(tags_[i], lines_[i]);
            forget_stored(i);
        } else {
            --absent_;
        }
        tags_[i] = line;
        lines_[i] = {};
        lines_[i].owner = owner;
        if (keeps_parts()) written_.clear(i);
        return departed;
    }
    bool is_dirty(std::uint32_t set, std::uint32_t way) const noexcept { return at(set, way).dirty != 0; }
    /// The line has been stored to. Noted only where there is a write ratio.
    void note_stored(std::size_t place) noexcept {
        if (stored_ways_.empty()) [[likely]]
            return;
        auto const bit = std::uint64_t{1} << place % ways_;
        auto& stored = stored_ways_[place / ways_];
        stored_lines_ += (stored & bit) == 0;
        stored |= bit;
    }
    void forget_stored(std::size_t place) noexcept {
        if (stored_ways_.empty()) [[likely]]
            return;
        auto const bit = std::uint64_t{1} << place % ways_;
        auto& stored = stored_ways_[place / ways_];
        stored_lines_ -= (stored & bit) != 0;
        stored &= ~bit;
    }

    // ---- loads, and everything that fetches ----

    /// An access that needs the data of its sector and does not have it: waits for a fetch, which is sent unless one is under
    /// way, and reserves a place. Of a store the outcome is known, and it is sent on as well (write_and_fetch)
    /// or waits.
    template <bool Store = false>
    [[gnu::always_inline]] cache_result fetch(cache_access const& a, std::uint64_t line, std::uint32_t set,
                                              std::uint32_t way, bool dirties, write_miss how = {},
                                              cache_outcome outcome = {}) {
        bool const held = way != ways_;
        bool const reserves = allocation_.reserves;
        bool const sent = Store && how == write_miss::write_and_fetch;
        if (reserves || Store)
            if (!held && (way = choose_way(set)) == ways_) return refused(refusal::line_allocation);
        if (room() < (sent ? 3U : load_places()))
            return refused(refusal::miss_queue); // the most frequent reason by far
        auto const place = std::size_t{set} * ways_ + way;
        auto const sector = sector_number(a.address);
        auto const bit = static_cast<std::uint16_t>(1U << sector);
        auto const waits = (place << (line_shift_ - sector_shift_)) + sector;
        bool const pending = held && (lines_[place].pending & bit) != 0;
        auto e = mshr_table::none;
        if (reserves && pending)
            e = waits_[waits];
        else if (!reserves || orphans_)
            e = mshr_.find(a.address >> sector_shift_);
        if constexpr (!Store)
            outcome = pending || (!reserves && e != mshr_table::none) ? cache_outcome::hit_reserved
                      : held                                          ? cache_outcome::sector_miss
                                                                      : cache_outcome::miss;
        if (e == mshr_table::none) {
            if (mshr_.full()) return refused(refusal::mshr_entry);
            if (sent) push_passed_on(a);
            e = new_fetch(a, place, sent ? no_token : a.token, Store && !sent);
        } else {
            if (!mshr_.can_merge(e)) return refused(refusal::mshr_merge);
            if (Store && how == write_miss::ordered_fetch_on_write && mshr_.read_after_write(e))
                return refused(refusal::mshr_read_write_pending);
            if (sent) push_passed_on(a);
            if (orphans_) mshr_.move(e, static_cast<std::uint32_t>(place));
            mshr_.add(e, sent ? no_token : a.token, Store && !sent);
        }
        departed_line departed;
        if (reserves) {
            waits_[waits] = static_cast<std::uint16_t>(e);
            if (!held) {
                departed = replace(set, way, line, a.owner);
                replacement_.inserted(set, way);
                note_found({set, way}); // its other sectors are likely to be next
            } else {
                replacement_.used(set, way);
            }
            note_pending(set, way, place, bit);
            if (dirties) lines_[place].dirty_on_fill |= bit;
        } else if (held) {
            replacement_.used(set, way);
        }
        return accepted(outcome, sent ? cache_answer::below : cache_answer::at_fill, departed);
    }
    /// The fetch of an access that nothing is in the way of; `token` waits for it.
    mshr_table::entry new_fetch(cache_access const& a, std::size_t place, std::uint32_t token, bool store) {
        auto const e = mshr_.allocate(a.address >> sector_shift_, a.owner, static_cast<std::uint32_t>(place));
        mshr_.add(e, token, store);
        push_fetch(a, e);
        return e;
    }
    /// What fetch() does where a place is reserved, no fetch has lost its line, and the line is here; nothing is in the way.
    cache_result sector_miss(cache_access const& a, line_place at) {
        auto const sector = sector_number(a.address);
        wait_in(a, recent_, sector);
        replacement_.used(at.set, at.way);
        note_pending(at.set, at.way, recent_, static_cast<std::uint16_t>(1U << sector));
        return accepted(cache_outcome::sector_miss, cache_answer::at_fill);
    }
    /// The same where the line is not here.
    [[gnu::noinline, gnu::flatten]] cache_result line_miss(cache_access const& a, std::uint64_t line,
                                                           std::uint32_t set) {
        auto const way = choose_way(set);
        if (way == ways_) return refused(refusal::line_allocation);
        if (room() < load_places()) return refused(refusal::miss_queue);
        if (mshr_.full()) return refused(refusal::mshr_entry);
        note_found({set, way});
        auto const sector = sector_number(a.address);
        wait_in(a, recent_, sector);
        auto const departed = replace(set, way, line, a.owner);
        replacement_.inserted(set, way);
        note_pending(set, way, recent_, static_cast<std::uint16_t>(1U << sector));
        return accepted(cache_outcome::miss, cache_answer::at_fill, departed);
    }
    /// A fetch of its own for the sector of a line that has, or will have, this place.
    void wait_in(cache_access const& a, std::size_t place, std::uint32_t sector) {
        waits_[(place << (line_shift_ - sector_shift_)) + sector] =
            static_cast<std::uint16_t>(new_fetch(a, place, a.token, false));
    }
    [[gnu::noinline]] cache_result read_miss(cache_access const& a, std::uint64_t line, std::uint32_t set,
                                             std::uint32_t way) {
        return fetch(a, line, set, way, false);
    }

    /// All but loads; kept apart so that those stay short.
    [[gnu::noinline]] cache_result access_slowly(cache_access const& a, std::uint64_t line, std::uint32_t set,
                                                 std::uint32_t way) {
        if (a.kind == access_kind::atomic) return atomic(a, line, set, way);
        return store(a, line, set, way);
    }

    // ---- stores and atomics ----

    cache_result atomic(cache_access const& a, std::uint64_t line, std::uint32_t set, std::uint32_t way) {
        if (!keeps_stores(a.space)) return pass_on_and_drop(a, set, way, classify_store(a, set, way));
        if (way == ways_ || (at(set, way).readable & sector_bit(a.address)) == 0)
            return fetch(a, line, set, way, true);
        replacement_.used(set, way);
        at(set, way).dirty |= sector_bit(a.address);
        note_stored(std::size_t{set} * ways_ + way);
        return accepted(cache_outcome::hit, cache_answer::now);
    }

    cache_result store(cache_access const& a, std::uint64_t line, std::uint32_t set, std::uint32_t way) {
        auto const outcome = classify_store(a, set, way);
        auto const hit = write_.on_hit(a.space);
        if (outcome == cache_outcome::hit) {
            if (hit == write_hit::evict) return pass_on_and_drop(a, set, way, outcome);
            if (hit == write_hit::through && room() == 0) return refused(refusal::miss_queue);
            if (hit == write_hit::through) push_passed_on(a);
            replacement_.used(set, way);
            write(a, set, way, hit == write_hit::back);
            return accepted(outcome, hit == write_hit::back ? cache_answer::now : cache_answer::below);
        }
        auto const miss = write_.on_miss(a.space);
        switch (miss) {
        case write_miss::lazy_fetch:
            return store_without_fetch(a, line, set, way, outcome);
        case write_miss::fetch_on_write:
        case write_miss::ordered_fetch_on_write:
            if (covers_sectors(a)) return store_without_fetch(a, line, set, way, outcome);
            return fetch<true>(a, line, set, way, true, miss, outcome);
        case write_miss::write_and_fetch:
            return fetch<true>(a, line, set, way, false, miss, outcome);
        default:
            if (room() == 0) return refused(refusal::miss_queue);
            push_passed_on(a);
            return accepted(outcome, cache_answer::below);
        }
    }

    /// What store() does with a whole sector of a line that is here, where it is kept in any case and there is room.
    cache_result store_sector(cache_access const& a, line_place at) {
        auto const bit = sector_bit(a.address);
        auto& l = lines_[recent_];
        auto const outcome = (l.present & bit) != 0   ? cache_outcome::hit
                             : (l.pending & bit) != 0 ? cache_outcome::hit_reserved
                                                      : cache_outcome::sector_miss;
        replacement_.used(at.set, at.way);
        l.dirty |= bit;
        l.readable |= bit;
        l.present |= bit;
        note_stored(recent_);
        return accepted(outcome, cache_answer::now);
    }

    /// Sends the access on and drops the sectors it touches.
    cache_result pass_on_and_drop(cache_access const& a, std::uint32_t set, std::uint32_t way,
                                  cache_outcome outcome) {
        auto const bits = sector_bits(a);
        bool const drops = way != ways_ && (at(set, way).present & bits) != 0;
        bool const dirty = drops && (at(set, way).dirty & bits) != 0;
        if (room() < (dirty ? 2U : 1U)) return refused(refusal::miss_queue);
        departed_line departed;
        if (drops) {
            auto const i = std::size_t{set} * ways_ + way;
            auto& l = lines_[i];
            if (dirty) {
                push_write_back(tags_[i], l);
                l.dirty = 0;
                forget_stored(i);
            }
            l.readable = off(l.readable, bits);
            l.present = off(l.present, bits);
            if (keeps_parts()) written_.forget(i, bits);
            if ((l.present | l.pending) == 0) {
                departed = {tags_[i] << line_shift_, l.owner, line_departure::invalidated};
                tags_[i] = no_tag_;
                ++absent_;
                forget_stored(i);
                l = {};
                if constexpr (hears_removals<Replacement>) replacement_.removed(set, way);
            }
        }
        push_passed_on(a);
        return accepted(outcome, cache_answer::below, departed);
    }

    /// Allocates if need be and writes; nothing is fetched.
    cache_result store_without_fetch(cache_access const& a, std::uint64_t line, std::uint32_t set,
                                     std::uint32_t way, cache_outcome outcome) {
        bool const through = write_.on_hit(a.space) == write_hit::through;
        auto place = way;
        if (way == ways_ && (place = choose_way(set)) == ways_) return refused(refusal::line_allocation);
        if (room() < (through && way == ways_ && is_dirty(set, place) ? 2U : 1U))
            return refused(refusal::miss_queue);
        if (through) push_passed_on(a);
        departed_line departed;
        if (way == ways_) {
            departed = replace(set, place, line, a.owner);
            replacement_.inserted(set, place);
        } else {
            replacement_.used(set, place);
        }
        write(a, set, place, !through);
        return accepted(outcome, through ? cache_answer::below : cache_answer::now, departed);
    }

    /// Whether a store writes every byte of the sectors it touches.
    bool covers_sectors(cache_access const& a) const noexcept {
        auto const last = a.address + a.bytes;
        auto const low = (std::uint64_t{1} << sector_shift_) - 1;
        if ((a.address & low) != 0 || (last & low) != 0) return false;
        if ((a.written[0] | a.written[1]) == 0) return true;
        auto const begin = static_cast<std::uint32_t>(a.address & 127);
        for (std::uint32_t w = 0; w != 2; ++w) {
            auto const range = byte_range(begin, begin + a.bytes, w);
            if ((a.written[w] & range) != range) return false;
        }
        return true;
    }
    /// The bytes of a store are in the line from now on.
    void write(cache_access const& a, std::uint32_t set, std::uint32_t way, bool dirties) noexcept {
        auto const i = std::size_t{set} * ways_ + way;
        auto const bits = sector_bits(a);
        auto& l = lines_[i];
        if (dirties) l.dirty |= bits;
        note_stored(i);
        if (keeps_parts()) {
            if (covers_sectors(a))
                l.readable |= bits;
            else if ((l.readable & bits) != bits)
                l.readable |= written_.add(i, a, off(bits, l.readable));
            l.present |= bits;
        } else {
            l.present |= bits;
            l.readable |= bits; // a store without fetch covers its sectors, any other hits them
        }
    }
    [[no_unique_address]] Allocation allocation_{};
    [[no_unique_address]] Write write_{};
    cache_parameters parameters_{};
    [[no_unique_address]] Index index_{};
    Replacement replacement_{};
    heap_array<std::uint64_t> tags_; // line numbers, way by way within a set; no_tag_ where there is no line
    heap_array<line_state> lines_;
    written_bytes written_; // of lines with partly written sectors
    mshr_table mshr_;
    heap_array<std::uint16_t> waits_;        // by line and sector: the MSHR entry, if the sector is pending
    heap_array<std::uint64_t> pending_ways_; // by set: ways that wait for data
    heap_array<std::uint64_t>
        stored_ways_;              // by set: ways that have been stored to; empty without a write ratio
    std::size_t stored_lines_ = 0; // bits in it
    bool orphans_ = false; // invalidate_all has parted fetches from their lines, and some may be outstanding
    ring<lower_request> queue_;
    cache_counters counters_;
    std::size_t recent_ = 0; // place of the line found last: a hint, no state
    line_place recent_place_{};
    std::size_t absent_ = 0; // places without a line
    std::uint32_t ways_ = 0;
    std::uint32_t line_shift_ = 0;
    std::uint32_t sector_shift_ = 0;
    std::uint32_t sector_mask_ = 0; // sectors per line - 1
};

} // namespace warpkit
