#pragma once
/// \file
/// Random replacement.

#include <warpkit/base/standard.hpp>
#include <warpkit/cache/way_set.hpp>

#include <cstdint>

namespace warpkit {

/// Evicts any way, each with the same chance, by a number that depends on how many lines have been brought in so far:
/// so a run can be repeated. With n lines brought in, e eligible ways and x = mix(n), the way is number floor(x * e /
/// 2^32) of them; mix(n) is the upper half of SplitMix64's n-th number from seed 0.
/// Source of the generator: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
class random_replacement {
public:
    static constexpr char const* name() noexcept { return "random"; }
    constexpr random_replacement() = default;
    constexpr random_replacement(std::uint32_t, std::uint32_t) noexcept {}

    constexpr void used(std::uint32_t, std::uint32_t) noexcept {}
    constexpr void inserted(std::uint32_t, std::uint32_t) noexcept { ++inserted_; }
    constexpr std::uint32_t victim(std::uint32_t, way_set eligible) const noexcept {
        return eligible.nth(static_cast<std::uint32_t>(mix(inserted_) * eligible.size() >> 32));
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(inserted_);
    }
    friend bool operator==(random_replacement const&, random_replacement const&) = default;

private:
    static constexpr std::uint64_t mix(std::uint64_t n) noexcept {
        auto z = (n + 1) * 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return (z ^ (z >> 31)) >> 32;
    }
    std::uint64_t inserted_ = 0;
};

} // namespace warpkit
