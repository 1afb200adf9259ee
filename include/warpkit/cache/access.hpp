#pragma once
/// \file
/// What goes into a cache and what comes out: accesses, answers, requests to the next level, counters.

#include <warpkit/base/events.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>

#include <array>
#include <cstdint>

namespace warpkit {

/// One bit per byte of a 128-byte aligned block: byte b is bit b % 64 of word b / 64.
using block_bytes = std::array<std::uint64_t, 2>;

/// The token of an access that nobody waits for (a prefetch, an L2's own fetch): a fill never reports it.
inline constexpr std::uint32_t no_token = 0xffffffff;

/// The instruction of an access that is no instruction's: a copy from the host, a prefetch, and whatever reaches an L2.
inline constexpr std::uint32_t no_pc = 0xffffffff;

/// One access to a cache. A load or atomic lies within one sector (an unsectored line is one sector), and so does a
/// store under a policy that fetches on a write miss; any other store lies within one line.
struct cache_access {
    std::uint64_t address = 0; ///< of the first byte
    std::uint32_t bytes = 4;   ///< at least 1
    access_kind kind = access_kind::load;
    memory_space space = memory_space::global;
    warp_slot owner{}; ///< the warp on whose behalf; becomes the owner of a line that this brings in
    std::uint32_t token =
        no_token;             ///< the caller's handle, handed back by fill() or with the request sent on
    std::uint32_t pc = no_pc; ///< byte address of the instruction
    /// Stores: the bytes written, relative to the 128-byte aligned block of `address`; at least one of the `bytes`.
    /// Sectors without a written byte are not touched. All zero stands for every one of the `bytes` (and is the only
    /// choice for an access that crosses a 128-byte boundary).
    block_bytes written{};

    friend bool operator==(cache_access const&, cache_access const&) = default;
};

/// Who uses a line, as replacement policies are told that want to know.
struct line_use {
    std::uint64_t address = 0; ///< of the access
    std::uint32_t pc = no_pc;
    warp_slot warp{};
    bool ahead = false; ///< read ahead: nobody waits for it

    constexpr line_use() = default;
    constexpr line_use(std::uint64_t at, std::uint32_t instruction, warp_slot by,
                       bool before_all = false) noexcept
        : address(at),
          pc(instruction),
          warp(by),
          ahead(before_all) {}
    constexpr line_use(cache_access const& a) noexcept
        : line_use(a.address, a.pc, a.owner, a.kind == access_kind::load && a.token == no_token) {}
    WARPKIT_STORED_MEMBERS(4)
    friend bool operator==(line_use const&, line_use const&) = default;
};

/// Where the answer to an access comes from.
enum class cache_answer : std::uint8_t {
    refused, ///< nothing happened: try again later
    now,     ///< the cache has the data, or has taken the store
    at_fill, ///< fill() will hand back the token
    below    ///< the access itself was sent on (a store or atomic request): the next level answers it
};

/// What happened to a line that had to go.
enum class line_departure : std::uint8_t {
    none,
    evicted,    ///< replaced by another line
    invalidated ///< removed by a store that hit it (write-evict)
};

/// A line that left, for l1_evicted and for victim tags.
struct departed_line {
    std::uint64_t line = 0; ///< byte address
    warp_slot owner{};      ///< who brought it in
    line_departure how = line_departure::none;

    constexpr explicit operator bool() const noexcept { return how != line_departure::none; }
    friend bool operator==(departed_line const&, departed_line const&) = default;
};

/// The result of one access.
struct cache_result {
    /// What left the cache on this account. (Its tail padding holds the rest, so that two registers hold it all.)
    [[no_unique_address]] departed_line departed{};
    cache_outcome outcome = cache_outcome::reservation_fail;
    refusal reason = refusal::line_allocation; ///< only if the outcome is reservation_fail
    cache_answer answer = cache_answer::refused;

    friend bool operator==(cache_result const&, cache_result const&) = default;
};

/// What a cache asks of the next level.
enum class lower_kind : std::uint8_t {
    fetch,     ///< read a sector (a whole line if unsectored); to be answered with fill()
    store,     ///< a store passed on; answered, if at all, to whoever made it
    atomic,    ///< an atomic passed on; answered likewise
    write_back ///< dirty sectors of an evicted or flushed line; not answered
};

/// One request to the next level.
struct lower_request {
    std::uint64_t address = 0; ///< fetch: of the sector; write-back: of the line; otherwise as the access
    std::uint32_t bytes = 0;   ///< data asked for or carried; write-back: dirty sectors * sector bytes
    std::uint32_t token = no_token; ///< of the access that caused it
    block_bytes written{};          ///< stores and atomics: as the access
    lower_kind kind = lower_kind::fetch;
    memory_space space = memory_space::none; ///< of the access; none for a write-back
    warp_slot owner{};                       ///< of the access; of a write-back, of the line
    std::uint16_t sectors = 0;               ///< write-back: which sectors of the line are dirty
    std::uint16_t mshr = 0xffff;             ///< fetch: the MSHR entry, a hint for fill()

    friend bool operator==(lower_request const&, lower_request const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(address, bytes, token, written, kind, space, owner, sectors, mshr);
    }
};

/// What a cache has counted. All in accesses, but for the last four.
struct cache_counters {
    std::uint64_t accesses = 0;      ///< accepted: the sum of the next four
    std::uint64_t hits = 0;          ///< data at hand, or store to a sector at hand
    std::uint64_t hit_reserved = 0;  ///< sector on its way
    std::uint64_t misses = 0;        ///< line absent
    std::uint64_t sector_misses = 0; ///< line at hand, but not this sector, or only some bytes of it
    std::uint64_t refused_line_allocation = 0; ///< refused: every way of the set waits for data, or is kept
    std::uint64_t refused_mshr_entry = 0;      ///< refused: no MSHR free
    std::uint64_t refused_mshr_merge = 0;      ///< refused: the MSHR cannot take another access
    std::uint64_t refused_miss_queue = 0;      ///< refused: no room for the requests it might cause
    std::uint64_t refused_mshr_read_write_pending =
        0;                              ///< refused: a store, where a load waits behind a store
    std::uint64_t evictions = 0;        ///< lines replaced
    std::uint64_t fetches = 0;          ///< sectors asked of the next level
    std::uint64_t stores_passed_on = 0; ///< stores and atomics sent to the next level
    std::uint64_t write_backs = 0;      ///< write-back requests

    /// An access was accepted, and found this.
    [[gnu::always_inline]] constexpr void count(cache_outcome o) noexcept {
        ++accesses;
        switch (o) {
        case cache_outcome::hit:
            ++hits;
            break;
        case cache_outcome::hit_reserved:
            ++hit_reserved;
            break;
        case cache_outcome::miss:
            ++misses;
            break;
        default:
            ++sector_misses;
            break;
        }
    }
    /// One was refused.
    constexpr void count(refusal reason) noexcept {
        switch (reason) {
        case refusal::line_allocation:
            ++refused_line_allocation;
            break;
        case refusal::mshr_entry:
            ++refused_mshr_entry;
            break;
        case refusal::mshr_merge:
            ++refused_mshr_merge;
            break;
        case refusal::mshr_read_write_pending:
            ++refused_mshr_read_write_pending;
            break;
        default:
            ++refused_miss_queue;
            break;
        }
    }

    constexpr cache_counters& operator+=(cache_counters const& o) noexcept {
        accesses += o.accesses;
        hits += o.hits;
        hit_reserved += o.hit_reserved;
        misses += o.misses;
        sector_misses += o.sector_misses;
        refused_line_allocation += o.refused_line_allocation;
        refused_mshr_entry += o.refused_mshr_entry;
        refused_mshr_merge += o.refused_mshr_merge;
        refused_miss_queue += o.refused_miss_queue;
        refused_mshr_read_write_pending += o.refused_mshr_read_write_pending;
        evictions += o.evictions;
        fetches += o.fetches;
        stores_passed_on += o.stores_passed_on;
        write_backs += o.write_backs;
        return *this;
    }
    /// The same, but with the refusals of `o`.
    constexpr cache_counters with_refusals(cache_counters const& o) const noexcept {
        auto c = *this;
        c.refused_line_allocation = o.refused_line_allocation;
        c.refused_mshr_entry = o.refused_mshr_entry;
        c.refused_mshr_merge = o.refused_mshr_merge;
        c.refused_miss_queue = o.refused_miss_queue;
        c.refused_mshr_read_write_pending = o.refused_mshr_read_write_pending;
        return c;
    }
    friend bool operator==(cache_counters const&, cache_counters const&) = default;
};

} // namespace warpkit
