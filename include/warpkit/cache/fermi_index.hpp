#pragma once
/// \file
/// The set index of the Fermi presets' L1 data cache, for any size.

#include <warpkit/cache/fermi_hash_index.hpp>
#include <warpkit/cache/linear_index.hpp>

#include <cstdint>

namespace warpkit {

/// Fermi's hash where it is defined, at 32 and 64 sets; the linear index for any other number. So a sweep of the L1's
/// size (the multithreading-degree thesis runs 8 KB and more) needs no other policy.
class fermi_index {
public:
    static constexpr char const* name() noexcept { return "fermi_hash"; }
    static void check(cache_geometry const&) {}

    constexpr fermi_index() = default;
    constexpr explicit fermi_index(cache_geometry const& g) noexcept
        : hash_(g),
          linear_(g),
          hashed_(g.sets == 32 || g.sets == 64) {}
    constexpr std::uint32_t operator()(std::uint64_t address, std::uint64_t line) const noexcept {
        return hashed_ ? hash_(address, line) : linear_(address, line);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(hash_, linear_, hashed_);
    }
    friend bool operator==(fermi_index const&, fermi_index const&) = default;

private:
    fermi_hash_index hash_;
    linear_index linear_;
    bool hashed_ = false;
};

} // namespace warpkit
