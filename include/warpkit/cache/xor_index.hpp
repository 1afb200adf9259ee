#pragma once
/// \file
/// XOR set index: the line number's low bits, XORed with the bits above them.

#include <warpkit/cache/geometry.hpp>

#include <bit>
#include <cstdint>

namespace warpkit {

/// Set = the line number's lowest bits XOR as many bits above them, so that a power-of-two stride of one row of sets
/// reaches them all. GPGPU-Sim's 'X' (docs/model/cache.md#index).
class xor_index {
public:
    static constexpr char const* name() noexcept { return "xor"; }
    /// Throws unless the sets are a power of two.
    static void check(cache_geometry const& g) {
        if (!std::has_single_bit(g.sets))
            detail::refuse_cache_number("sets", g.sets,
                                        "does not suit the XOR index, which wants a power of two",
                                        detail::nearest_power_of_two(g.sets));
    }

    constexpr xor_index() = default;
    constexpr explicit xor_index(cache_geometry const& g) noexcept
        : mask_(g.sets - 1),
          bits_(static_cast<std::uint32_t>(std::countr_zero(g.sets))) {}
    constexpr std::uint32_t operator()(std::uint64_t, std::uint64_t line) const noexcept {
        return static_cast<std::uint32_t>((line ^ line >> bits_) & mask_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(mask_);
    }
    friend bool operator==(xor_index const&, xor_index const&) = default;

private:
    std::uint32_t mask_ = 0;
    std::uint32_t bits_ = 0;
};

} // namespace warpkit
