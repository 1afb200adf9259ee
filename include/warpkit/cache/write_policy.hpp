#pragma once
/// \file
/// What a cache does with stores. A policy chooses, by memory space, one of three actions for a hit and one of four
/// for a miss; the cache carries them out.

#include <warpkit/base/memory_space.hpp>

#include <cstdint>

namespace warpkit {

/// A store finds its sector.
enum class write_hit : std::uint8_t {
    back,    ///< written here, marked dirty
    through, ///< written here and sent on
    evict    ///< sent on, the sector is dropped
};

/// A store does not find its sector. The letters are GPGPU-Sim's.
enum class write_miss : std::uint8_t {
    no_allocate,     ///< N: sent on
    write_and_fetch, ///< W: sent on, and the sector is fetched like a load's (3.x; three queue slots)
    fetch_on_write, ///< F: the sector is fetched, dirty from then on; a store of whole sectors needs no fetch
    lazy_fetch, ///< L: the line is allocated and the written bytes noted; a later load fetches what is missing
    /// F as GPGPU-Sim 4.x means it: a store must not join a load that waits behind another store for the same sector,
    /// as the load would read what it brings (refusal mshr_read_write_pending). There stores wait as reads, so that it
    /// never happens.
    ordered_fetch_on_write
};
/// Whether a store that misses waits for its sector.
constexpr bool waits_for_fetch(write_miss m) noexcept {
    return m == write_miss::fetch_on_write || m == write_miss::ordered_fetch_on_write;
}

/// Their names, in this order.
inline constexpr char const* write_miss_names[] = {"no_allocate", "write_and_fetch", "fetch_on_write",
                                                   "lazy_fetch", "ordered_fetch_on_write"};
constexpr char const* name_of(write_miss m) noexcept { return write_miss_names[static_cast<unsigned>(m)]; }

/// No stores are expected; one that comes is sent on and drops what it hits. Needs one queue slot per read miss,
/// where all others need two (docs/model/cache.md#needs).
struct read_only {
    static constexpr char const* name() noexcept { return "read_only"; }
    static constexpr bool is_read_only = true;
    static constexpr write_hit on_hit(memory_space) noexcept { return write_hit::evict; }
    static constexpr write_miss on_miss(memory_space) noexcept { return write_miss::no_allocate; }
    friend bool operator==(read_only const&, read_only const&) = default;
};

/// Stores are kept and written back at eviction. GPGPU-Sim's 'B'; L2 of the 3.x configurations with write_and_fetch,
/// of the 4.x ones with lazy_fetch.
template <write_miss Miss>
struct write_back {
    static constexpr char const* name() noexcept { return "write_back"; }
    static constexpr bool is_read_only = false;
    static constexpr write_hit on_hit(memory_space) noexcept { return write_hit::back; }
    static constexpr write_miss on_miss(memory_space) noexcept { return Miss; }
    friend bool operator==(write_back const&, write_back const&) = default;
};

/// Every store is sent on; what is here is kept up to date. GPGPU-Sim's 'T'; Volta's L1 with lazy_fetch.
template <write_miss Miss>
struct write_through {
    static_assert(
        Miss == write_miss::no_allocate || Miss == write_miss::lazy_fetch,
        "warpkit: write_through sends every store on, so it cannot also fetch for it: choose no_allocate or "
        "lazy_fetch");
    static constexpr char const* name() noexcept { return "write_through"; }
    static constexpr bool is_read_only = false;
    static constexpr write_hit on_hit(memory_space) noexcept { return write_hit::through; }
    static constexpr write_miss on_miss(memory_space) noexcept { return Miss; }
    friend bool operator==(write_through const&, write_through const&) = default;
};

/// Every store is sent on, and drops what it hits: nothing here is ever newer than below. GPGPU-Sim's 'E'.
struct write_evict {
    static constexpr char const* name() noexcept { return "write_evict"; }
    static constexpr bool is_read_only = false;
    static constexpr write_hit on_hit(memory_space) noexcept { return write_hit::evict; }
    static constexpr write_miss on_miss(memory_space) noexcept { return write_miss::no_allocate; }
    friend bool operator==(write_evict const&, write_evict const&) = default;
};

/// Local stores are written back, all others evict. GPGPU-Sim's 'L'. `LocalMiss` is for local stores alone.
template <write_miss LocalMiss>
struct local_back_global_evict {
    static constexpr char const* name() noexcept { return "local_back_global_evict"; }
    static constexpr bool is_read_only = false;
    static constexpr write_hit on_hit(memory_space s) noexcept {
        return s == memory_space::local ? write_hit::back : write_hit::evict;
    }
    static constexpr write_miss on_miss(memory_space s) noexcept {
        return s == memory_space::local ? LocalMiss : write_miss::no_allocate;
    }
    friend bool operator==(local_back_global_evict const&, local_back_global_evict const&) = default;
};

/// What a write policy says of each space, for who wants no type of its own for each policy.
class write_rules {
public:
    bool is_read_only = false;

    write_rules() = default;
    template <class Write>
    constexpr explicit write_rules(Write const& w) noexcept : is_read_only(w.is_read_only) {
        for (unsigned s = 0; s < memory_space_count; ++s) {
            hit_[s] = w.on_hit(static_cast<memory_space>(s));
            miss_[s] = w.on_miss(static_cast<memory_space>(s));
        }
    }
    constexpr write_hit on_hit(memory_space s) const noexcept { return hit_[static_cast<unsigned>(s)]; }
    constexpr write_miss on_miss(memory_space s) const noexcept { return miss_[static_cast<unsigned>(s)]; }
    friend bool operator==(write_rules const&, write_rules const&) = default;

private:
    write_hit hit_[memory_space_count]{};
    write_miss miss_[memory_space_count]{};
};

/// Fermi's L1 data cache as GPGPU-Sim configures it ("L:L:m:N"): a store that misses is sent on, local or not.
using fermi_l1 = local_back_global_evict<write_miss::no_allocate>;

namespace detail {

inline constexpr memory_space cached_spaces[] = {memory_space::global,   memory_space::local,
                                                 memory_space::constant, memory_space::parameter,
                                                 memory_space::texture,  memory_space::none};

template <class Write>
constexpr bool ever_misses_with(Write const& w, write_miss m) noexcept {
    for (auto const s : cached_spaces)
        if (w.on_miss(s) == m) return true;
    return false;
}
/// Whether stores that miss ask for their sector, some of them.
template <class Write>
constexpr bool ever_fetches(Write const& w) noexcept {
    return ever_misses_with(w, write_miss::write_and_fetch) ||
           ever_misses_with(w, write_miss::fetch_on_write) ||
           ever_misses_with(w, write_miss::ordered_fetch_on_write);
}
template <class Write>
constexpr bool fetches_what_it_keeps(Write const& w) noexcept {
    for (auto const s : cached_spaces)
        if (waits_for_fetch(w.on_miss(s)) && w.on_hit(s) != write_hit::back) return false;
    return true;
}
/// Whether stores to memory that caches share make lines dirty, or bring them in dirty.
template <class Write>
constexpr bool keeps_global_stores(Write const& w) noexcept {
    return w.on_hit(memory_space::global) == write_hit::back;
}
/// Whether stores that bring their line in leave it dirty.
template <class Write>
constexpr bool ever_allocates_dirty(Write const& w) noexcept {
    for (auto const s : cached_spaces)
        if (w.on_miss(s) != write_miss::no_allocate && w.on_hit(s) != write_hit::through) return true;
    return false;
}
/// The shortest miss queue with which every kind of access can be accepted.
template <class Write>
constexpr std::uint32_t miss_queue_minimum(Write const& w) noexcept {
    return ever_misses_with(w, write_miss::write_and_fetch) ? 3 : w.is_read_only ? 1 : 2;
}

} // namespace detail

} // namespace warpkit
