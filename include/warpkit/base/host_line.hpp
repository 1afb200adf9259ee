#pragma once
/// \file
/// What the host's caches keep together: state of different components is kept apart by it, since different threads may
/// advance them.

#include <warpkit/base/standard.hpp>

#include <cstddef>

namespace warpkit {

/// Bytes that pass between the host's cores as one.
inline constexpr std::size_t host_line = 64;

/// The last member of a component. Who walks through the component in front of it, in memory, makes its host core fetch
/// what lies behind, up to some twenty lines, and so take it away from the one that advances the next component. No
/// part of a value.
class host_gap {
public:
    static constexpr bool made_again = true; ///< (machine/state_archive.hpp)
    host_gap() noexcept {}
    host_gap(host_gap const&) noexcept {}
    host_gap& operator=(host_gap const&) noexcept { return *this; }
    friend bool operator==(host_gap const&, host_gap const&) noexcept { return true; }

private:
    [[maybe_unused]] unsigned char bytes_[24 * host_line];
};

} // namespace warpkit
