#pragma once
/// \file
/// Linear set index: consecutive lines lie in consecutive sets.

#include <warpkit/base/number.hpp>
#include <warpkit/cache/geometry.hpp>

#include <cstdint>

namespace warpkit {

/// Set = line number modulo the number of sets; any number of sets. GPGPU-Sim's 'L' (SPEC 4.3).
/// Differs from GPGPU-Sim: there the sets must be a power of two.
class linear_index {
public:
    static constexpr char const* name = "linear";
    static void check(cache_geometry const&) {}

    constexpr linear_index() = default;
    constexpr explicit linear_index(cache_geometry const& g) noexcept : sets_(g.sets) {}
    constexpr std::uint32_t operator()(std::uint64_t, std::uint64_t line) const noexcept {
        return static_cast<std::uint32_t>(line % sets_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(sets_.value());
    }
    friend bool operator==(linear_index const&, linear_index const&) = default;

private:
    divisor sets_{1};
};

} // namespace warpkit
