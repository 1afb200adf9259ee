#pragma once
/// \file
/// Replacement policies of cache/ and data prefetchers of lsu/ as modules of ChampSim. docs/howto/champsim.md has the
/// files that make them.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/listen.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/cache/access.hpp>
#include <warpkit/cache/composition.hpp>
#include <warpkit/cache/concepts.hpp>
#include <warpkit/lsu/data_prefetch.hpp>

#include <cstdint>
#include <utility>

namespace warpkit::adapters {

namespace detail {
/// ChampSim's addresses are integers, or a class that becomes one by to<>().
template <class Address>
std::uint64_t champsim_number(Address a) {
    if constexpr (requires { a.template to<std::uint64_t>(); })
        return a.template to<std::uint64_t>();
    else
        return static_cast<std::uint64_t>(a);
}
} // namespace detail

/// Policy as a replacement module of ChampSim (2024 and later: modules are classes). Base is its class
/// champsim::modules::replacement, Cache its CACHE: the module is
///
///     struct warpkit_lru : warpkit::adapters::champsim_replacement<champsim::modules::replacement, CACHE,
/// warpkit::lru> {
///         using champsim_replacement::champsim_replacement;
///     };
///
/// A write that hits is no use, as in ChampSim's own modules. What is asked with is the instruction's address and, as
/// warp, the number of the core. A policy that keeps lines out (declines_lines) bypasses, for what is no write.
template <class Base, class Cache, replacement_policy Policy>
class champsim_replacement : public Base {
public:
    explicit champsim_replacement(Cache* cache)
        : champsim_replacement(cache, static_cast<long>(cache->NUM_SET), static_cast<long>(cache->NUM_WAY)) {}
    champsim_replacement(Cache* cache, long sets, long ways)
        : Base(cache),
          policy_(static_cast<std::uint32_t>(sets), static_cast<std::uint32_t>(ways)),
          ways_(ways) {
        warpkit::detail::check_ways(static_cast<std::uint32_t>(ways), warpkit::detail::most_ways_of<Policy>);
    }

    template <class Block, class Address, class Type>
    long find_victim(std::uint32_t core, std::uint64_t, long set, Block const*, Address ip, Address address,
                     Type type) {
        if constexpr (declines_lines<Policy>)
            if (type != Type::WRITE && policy_.declines(use_of(core, ip, address))) return ways_;
        auto const all = way_mask::all(static_cast<std::uint32_t>(ways_));
        return static_cast<long>(victim_of(policy_, static_cast<std::uint32_t>(set), all));
    }
    template <class Address, class Type>
    void replacement_cache_fill(std::uint32_t core, long set, long way, Address address, Address ip, Address,
                                Type) {
        if (way < ways_)
            tell_inserted(policy_, static_cast<std::uint32_t>(set), static_cast<std::uint32_t>(way),
                          use_of(core, ip, address));
    }
    template <class Address, class Type>
    void update_replacement_state(std::uint32_t core, long set, long way, Address address, Address ip,
                                  Address, Type type, std::uint8_t hit) {
        if (hit != 0 && type != Type::WRITE)
            tell_used(policy_, static_cast<std::uint32_t>(set), static_cast<std::uint32_t>(way),
                      use_of(core, ip, address));
    }
    Policy const& policy() const noexcept { return policy_; }

private:
    template <class Address>
    static line_use use_of(std::uint32_t core, Address ip, Address address) {
        return {detail::champsim_number(address), static_cast<std::uint32_t>(detail::champsim_number(ip)),
                warp_slot{core}};
    }

    Policy policy_;
    long ways_;
};

/// Policy as a prefetcher module of ChampSim. Base is its class champsim::modules::prefetcher, Cache its CACHE: the
/// module is
///
///     struct warpkit_stride : warpkit::adapters::champsim_prefetcher<champsim::modules::prefetcher, CACHE,
///                                                                    warpkit::per_warp_stride> {
///         using champsim_prefetcher::champsim_prefetcher;
///     };
///
/// The policy sees each load, with its instruction's address and the host's cycles; all loads are one warp's, since a
/// cache's module is not told whose they are. What it asks for waits in a queue of its `queue()` blocks and enters the
/// cache one a cycle, as ChampSim has room; what finds the queue full is dropped, as in a core. A policy with a
/// throttle is told how many were issued, were useful, and how many accesses there were and missed; what left the
/// cache unused, or was met on its way, ChampSim does not say.
template <class Base, class Cache, data_prefetch Policy>
class champsim_prefetcher : public Base {
public:
    explicit champsim_prefetcher(Cache* cache, Policy const& policy = {})
        : Base(cache),
          policy_(policy),
          waiting_(policy.queue()) {
        if constexpr (hears<Policy, kernel_began>) policy_.on(kernel_began{});
    }

    template <class Address, class Type>
    std::uint32_t prefetcher_cache_operate(Address address, Address ip, std::uint8_t hit, bool useful,
                                           Type type, std::uint32_t metadata) {
        if (type != Type::LOAD) return metadata;
        so_far_.useful += useful;
        so_far_.requests += hit == 0;
        auto const at = detail::champsim_number(address);
        policy_.seen({warp_slot{0}, static_cast<std::uint32_t>(detail::champsim_number(ip)), at, now_},
                     so_far_, [&](std::int64_t offset) {
                         if (!waiting_.full()) waiting_.push(at + static_cast<std::uint64_t>(offset));
                     });
        return metadata;
    }
    template <class Address>
    std::uint32_t prefetcher_cache_fill(Address, long, long, std::uint8_t, Address, std::uint32_t metadata) {
        return metadata;
    }
    void prefetcher_cycle_operate() {
        ++now_;
        if (waiting_.empty() || !this->prefetch_line(waiting_.front(), true, 0)) return;
        waiting_.pop();
        ++so_far_.issued;
    }
    Policy const& policy() const noexcept { return policy_; }
    prefetch_record const& so_far() const noexcept { return so_far_; }

private:
    Policy policy_;
    prefetch_record so_far_;
    ring<std::uint64_t> waiting_; ///< addresses
    cycle now_ = 0;
};

} // namespace warpkit::adapters
