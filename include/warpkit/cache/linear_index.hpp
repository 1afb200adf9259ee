#pragma once
/// \file
/// Linear set index: consecutive lines lie in consecutive sets.

#include <warpkit/cache/geometry.hpp>

#include <bit>
#include <cstdint>

namespace warpkit {

/// Set = line number modulo the number of sets; any number of sets. GPGPU-Sim's 'L' (docs/model/cache.md#index).
/// Differs from GPGPU-Sim: there the sets must be a power of two.
class linear_index {
public:
    static constexpr char const* name() noexcept { return "linear"; }
    static void check(cache_geometry const&) {}

    constexpr linear_index() = default;
    constexpr explicit linear_index(cache_geometry const& g) noexcept
        : sets_(g.sets),
          mask_(g.sets - 1),
          masks_(std::has_single_bit(g.sets)) {}
    constexpr std::uint32_t operator()(std::uint64_t, std::uint64_t line) const noexcept {
        return static_cast<std::uint32_t>(masks_ ? line & mask_ : line % sets_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(sets_);
    }
    friend bool operator==(linear_index const&, linear_index const&) = default;

private:
    std::uint32_t sets_ = 1;
    std::uint32_t mask_ = 0;
    bool masks_ = true; // the number of sets is a power of two: no division
};

} // namespace warpkit
