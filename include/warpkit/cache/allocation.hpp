#pragma once
/// \file
/// When a missing line gets its place.

namespace warpkit {

/// At the miss: the way is reserved while the data is on its way, so a set can run out of ways (refusal
/// line_allocation, the associativity stall). GPGPU-Sim's 'm' (SPEC 4.3).
struct on_miss {
    static constexpr char const* name = "on_miss";
    static constexpr bool reserves = true;
    friend bool operator==(on_miss const&, on_miss const&) = default;
};

/// When the data arrives: nothing is reserved and no access is refused for want of a way. GPGPU-Sim's 'f'.
struct on_fill {
    static constexpr char const* name = "on_fill";
    static constexpr bool reserves = false;
    friend bool operator==(on_fill const&, on_fill const&) = default;
};

} // namespace warpkit
