#pragma once
/// \file
/// Miss status holding registers: who waits for which block.

#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpkit {

/// A fixed number of entries, each with a block address and the tokens that wait for it, in order of arrival. Who
/// remembers the entry of a block need not look it up. A look-up is by open addressing (linear probing, deletion by
/// shifting back), so it costs a few loads however many entries there are; a table made without it looks at every
/// entry, and spends nothing on keeping one. A regular value; allocates only when constructed.
/// Source: D. Kroft, "Lockup-Free Instruction Fetch/Prefetch Cache Organization", ISCA 1981; entry and merge limits
/// as GPGPU-Sim's (docs/model/cache.md#mshr).
/// Differs from GPGPU-Sim: an entry is free as soon as its data has come, not when the last waiter has been served.
class mshr_table {
public:
    using entry = std::uint32_t;
    static constexpr entry none = 0xffffffff;

    mshr_table() = default;
    /// `entries` 1 to 16384 blocks, `merges` waiting tokens for each, 1 to 4096.
    [[gnu::cold]] mshr_table(std::uint32_t entries, std::uint32_t merges, bool indexed = true)
        : entry_(heap_array<state>::blank(entries)),
          token_(std::size_t{entries} * merges),
          free_(heap_array<std::uint16_t>::of(
              entries, [&](std::size_t i) { return static_cast<std::uint16_t>(entries - 1 - i); })),
          slot_(indexed ? std::bit_ceil(2 * entries) : 0),
          entries_(entries),
          merges_(merges) {
        if (indexed) shift_ = 64 - static_cast<std::uint32_t>(std::countr_zero(slot_.size()));
    }

    std::uint32_t entries() const noexcept { return entries_; }
    std::uint32_t merges() const noexcept { return merges_; }
    std::uint32_t used() const noexcept { return used_; }
    bool full() const noexcept { return used_ == entries_; }

    /// The entry of `block`, or none.
    entry find(std::uint64_t block) const noexcept {
        if (slot_.empty()) {
            for (entry e = 0; e != entries_; ++e)
                if (entry_[e].inverse == ~block) return e;
            return none;
        }
        for (auto i = home(block); slot_[i] != 0; i = next(i))
            if (entry_[slot_[i] - 1U].inverse == ~block) return slot_[i] - 1U;
        return none;
    }
    /// The same for a caller who remembers the entry, or something that may be it.
    entry find(std::uint64_t block, entry hint) const noexcept {
        return hint < entries_ && entry_[hint].inverse == ~block ? hint : find(block);
    }
    bool can_merge(entry e) const noexcept { return entry_[e].waiting != merges_; }
    /// A new entry, without waiters; precondition: not full, `block` not present.
    /// `owner` and `place`, the caller's note, are kept with it.
    entry allocate(std::uint64_t block, warp_slot owner = {}, std::uint32_t place = none) noexcept {
        auto const e = next_free();
        entry_[e] = {~block, 0, 0, place, 0, owner, false, false};
        link(e);
        return e;
    }
    /// The same with one that waits: a token of a store or of anything else.
    entry allocate(std::uint64_t block, warp_slot owner, std::uint32_t place, std::uint32_t token,
                   bool store) noexcept {
        auto const e = next_free();
        entry_[e] = {~block, 0, 1, place, token, owner, store, false};
        link(e);
        return e;
    }
    /// Lets `token` wait, that of a store or of anything else; precondition: can_merge(e).
    void add(entry e, std::uint32_t token, bool store = false) noexcept {
        auto& s = entry_[e];
        (s.waiting == 0 ? s.first : token_[std::size_t{e} * merges_ + s.waiting]) = token;
        ++s.waiting;
        if (store)
            s.store_waits = true;
        else
            s.load_behind_store = s.store_waits;
    }
    /// Whether something that is no store has come after a store: see ordered_fetch_on_write.
    bool read_after_write(entry e) const noexcept { return entry_[e].load_behind_store; }
    /// Counts bytes that came for the entry; the sum so far.
    std::uint32_t arrive(entry e, std::uint32_t bytes) noexcept { return entry_[e].arrived += bytes; }
    std::uint32_t waiting(entry e) const noexcept { return entry_[e].waiting; }
    std::uint64_t block(entry e) const noexcept { return ~entry_[e].inverse; }
    warp_slot owner(entry e) const noexcept { return entry_[e].owner; }
    std::uint32_t place(entry e) const noexcept { return entry_[e].place; }
    void move(entry e, std::uint32_t place) noexcept { entry_[e].place = place; }

    /// Entries of these owners have none from now on.
    void disown(warp_set warps) noexcept {
        for (auto& e : entry_)
            if (warps.contains(e.owner)) e.owner = no_warp;
    }

    /// Frees the entry and then calls `sink(token)` for each waiter, the first that came first. `sink` may use the
    /// table again for other blocks' lookups but must not allocate in it.
    template <class Sink>
    [[gnu::always_inline]] void release(entry e, Sink&& sink) {
        auto const waiting = entry_[e].waiting;
        auto const first = entry_[e].first;
        erase(e);
        if (waiting == 1) [[likely]]
            return sink(first);
        for (std::uint32_t i = 0; i < waiting; ++i) sink(i == 0 ? first : token(e, i));
    }

    /// Equal tables hold the same blocks with the same waiters; unused places and the order of entries do not matter.
    friend bool operator==(mshr_table const& a, mshr_table const& b) noexcept {
        if (a.entries_ != b.entries_ || a.merges_ != b.merges_ || a.used_ != b.used_) return false;
        for (entry e = 0; e != a.entries_; ++e)
            if (a.entry_[e].inverse != 0 && !a.same_entry(e, b)) return false;
        return true;
    }
    /// For hashing: independent of the order of entries, like ==.
    WARPKIT_STORED_MEMBERS(8)
    template <class F>
    constexpr void each_member(F&& f) const {
        std::uint64_t sum = 0;
        for (entry e = 0; e != entries_; ++e)
            if (entry_[e].inverse != 0) sum += entry_hash(e);
        f(entries_, merges_, used_, sum);
    }

private:
    struct state {
        std::uint64_t inverse =
            0; ///< of the block, bit by bit; 0: a free entry, so that new tables are zeros
        std::uint32_t arrived = 0; ///< bytes
        std::uint32_t waiting = 0; ///< tokens
        std::uint32_t place = none;
        std::uint32_t first = 0; ///< the token that came first
        warp_slot owner{};
        bool store_waits = false;
        bool load_behind_store = false;
    };

    static constexpr std::uint64_t scatter(std::uint64_t x) noexcept { return x * 0x9e3779b97f4a7c15U; }
    std::size_t home(std::uint64_t block) const noexcept {
        return static_cast<std::size_t>(scatter(block ^ (block >> 32)) >> shift_);
    }
    std::size_t next(std::size_t i) const noexcept { return (i + 1) & (slot_.size() - 1); }

    [[gnu::always_inline]] entry next_free() noexcept { return free_[entries_ - 1 - used_++]; }
    [[gnu::always_inline]] void link(entry e) noexcept {
        if (slot_.empty()) return;
        auto i = home(block(e));
        while (slot_[i] != 0) i = next(i);
        slot_[i] = static_cast<std::uint16_t>(e + 1);
    }
    [[gnu::always_inline]] void erase(entry e) noexcept {
        if (!slot_.empty()) unlink(e);
        entry_[e].inverse = 0;
        --used_;
        free_[entries_ - 1 - used_] = static_cast<std::uint16_t>(e);
    }
    void unlink(entry e) noexcept {
        auto hole = home(block(e));
        while (slot_[hole] != e + 1) hole = next(hole);
        for (auto i = next(hole); slot_[i] != 0; i = next(i)) {
            // An element may fill the hole if that lies on its way from home.
            auto const from = home(block(slot_[i] - 1U));
            auto const mask = slot_.size() - 1;
            if (((i - from) & mask) >= ((i - hole) & mask)) {
                slot_[hole] = slot_[i];
                hole = i;
            }
        }
        slot_[hole] = 0;
    }
    std::uint32_t token(entry e, std::uint32_t i) const noexcept {
        return i == 0 ? entry_[e].first : token_[std::size_t{e} * merges_ + i];
    }
    bool same_entry(entry e, mshr_table const& o) const noexcept {
        auto const& mine = entry_[e];
        auto const other = o.find(~mine.inverse);
        if (other == none) return false;
        auto const& its = o.entry_[other];
        if (mine.waiting != its.waiting || mine.arrived != its.arrived || mine.owner != its.owner ||
            mine.store_waits != its.store_waits || mine.load_behind_store != its.load_behind_store)
            return false;
        for (std::uint32_t i = 0; i < mine.waiting; ++i)
            if (token(e, i) != o.token(other, i)) return false;
        return true;
    }
    std::uint64_t entry_hash(entry e) const noexcept {
        auto const& x = entry_[e];
        auto h = scatter(~x.inverse) ^ x.arrived ^ std::uint64_t{x.owner.index()} << 32;
        for (std::uint32_t i = 0; i < x.waiting; ++i) h = scatter((h ^ (h >> 29)) + token(e, i) + 1);
        return h ^ (h >> 31);
    }

    heap_array<state> entry_;
    heap_array<std::uint32_t> token_; // merges_ per entry; the first lies in the entry itself
    heap_array<std::uint16_t> free_;  // a stack: the top is at entries_ - 1 - used_
    heap_array<std::uint16_t> slot_;  // hash table of entry + 1; 0 is empty
    std::uint32_t entries_ = 0;
    std::uint32_t merges_ = 0;
    std::uint32_t used_ = 0;
    std::uint32_t shift_ = 63;
};

} // namespace warpkit
