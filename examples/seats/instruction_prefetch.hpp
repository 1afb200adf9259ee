#pragma once
// The seat `instruction_prefetch`: which code is fetched ahead of all warps. The contract is in
// warpkit/fetch/concepts.hpp.
#include <warpkit/base/events.hpp>

namespace seats_of_mine {

using namespace warpkit;

/// Wants the line behind each one that was missing, while few MSHRs are in use.
class my_instruction_prefetch {
public:
    static constexpr char const* name() noexcept { return "my_instruction_prefetch"; }
    bool wants(fetched const& e, unsigned occupied_mshrs) const noexcept {
        return e.outcome == cache_outcome::miss && occupied_mshrs < 8;
    }
    friend bool operator==(my_instruction_prefetch const&, my_instruction_prefetch const&) = default;
};

} // namespace seats_of_mine
