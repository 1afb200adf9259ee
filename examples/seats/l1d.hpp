#pragma once
// The seat `l1d`: what the L1 data cache keeps. The contract is in warpkit/cache/concepts.hpp.
#include <warpkit/cache/cache.hpp>
#include <warpkit/cache/fermi_index.hpp>

#include <cstdint>

namespace seats_of_mine {

using namespace warpkit;

/// Evicts the lowest way that may go.
struct my_replacement {
    static constexpr char const* name() noexcept { return "my_replacement"; }
    my_replacement() = default;
    my_replacement(std::uint32_t /*sets*/, std::uint32_t /*ways*/) {}
    void used(std::uint32_t /*set*/, std::uint32_t /*way*/) noexcept {}
    void inserted(std::uint32_t /*set*/, std::uint32_t /*way*/) noexcept {}
    std::uint32_t victim(std::uint32_t /*set*/, way_set eligible) const noexcept { return eligible.nth(0); }
    friend bool operator==(my_replacement const&, my_replacement const&) = default;
};
using my_l1d = cache<fermi_index, my_replacement, on_miss, local_back_global_evict<write_miss::no_allocate>>;

} // namespace seats_of_mine
