#pragma once
/// \file
/// Replacement policies of cache/ as modules of ChampSim. docs/howto/champsim.md has the file that makes one.

#include <warpkit/cache/access.hpp>
#include <warpkit/cache/composition.hpp>
#include <warpkit/cache/concepts.hpp>

#include <cstdint>
#include <utility>

namespace warpkit::adapters {

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
        return {number_of(address), static_cast<std::uint32_t>(number_of(ip)), warp_slot{core}};
    }
    template <class Address>
    static std::uint64_t number_of(Address a) {
        if constexpr (requires { a.template to<std::uint64_t>(); })
            return a.template to<std::uint64_t>();
        else
            return static_cast<std::uint64_t>(a);
    }

    Policy policy_;
    long ways_;
};

} // namespace warpkit::adapters
