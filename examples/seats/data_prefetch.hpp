#pragma once
// The seat `data_prefetch`: what the L1 data cache is asked for ahead of all warps. The contract is in
// warpkit/lsu/data_prefetch.hpp.
#include <warpkit/lsu/data_prefetch.hpp>

#include <cstdint>

namespace seats_of_mine {

using namespace warpkit;

/// Asks for the block behind each that a load touches.
class my_data_prefetch {
public:
    static constexpr char const* name() noexcept { return "my_data_prefetch"; }
    std::uint32_t queue() const noexcept { return 8; }
    template <class Ask>
    void seen(load_seen const&, prefetch_record const&, Ask const& ask) const {
        ask(128);
    }
    friend bool operator==(my_data_prefetch const&, my_data_prefetch const&) = default;
};

} // namespace seats_of_mine
