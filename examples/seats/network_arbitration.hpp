#pragma once
// The seat `network_arbitration`: which packet goes first in a network. The contract is in warpkit/noc/arbitration.hpp.
#include <cstdint>

namespace seats_of_mine {

/// Lets the lowest port that asks go first.
struct my_network_arbitration {
    static constexpr char const* name() noexcept { return "my_network_arbitration"; }
    template <class Ports, class Born>
    Ports pick(Ports const& asking, std::uint32_t /*last*/, Born const& /*born*/) const noexcept {
        Ports first;
        asking.for_each([&](std::uint32_t i) {
            if (first.empty()) first.insert(i);
        });
        return first;
    }
    friend bool operator==(my_network_arbitration const&, my_network_arbitration const&) = default;
};

} // namespace seats_of_mine
