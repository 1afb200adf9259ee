#pragma once
// The seat `observer`: nothing: it hears what happens in a core. The contract is in warpkit/base/events.hpp.
#include <warpkit/base/events.hpp>

#include <cstdint>

namespace seats_of_mine {

using namespace warpkit;

/// Counts the instructions that were issued.
struct my_observer {
    std::uint64_t instructions = 0;
    void on(issued const&) noexcept { ++instructions; }
    friend bool operator==(my_observer const&, my_observer const&) = default;
};

} // namespace seats_of_mine
