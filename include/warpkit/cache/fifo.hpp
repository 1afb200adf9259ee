#pragma once
/// \file
/// First in, first out replacement.

#include <warpkit/cache/lru.hpp>
#include <warpkit/cache/way_set.hpp>

#include <cstdint>

namespace warpkit {

/// Evicts the way that was allocated first, however often it was used since (docs/model/cache.md#replacement).
class fifo {
public:
    static constexpr char const* name() noexcept { return "fifo"; }
    fifo() = default;
    fifo(std::uint32_t sets, std::uint32_t ways) : order_(sets, ways) {}

    void used(std::uint32_t, std::uint32_t) noexcept {}
    void inserted(std::uint32_t set, std::uint32_t way) noexcept { order_.used(set, way); }
    std::uint32_t victim(std::uint32_t set, way_set eligible) const noexcept {
        return order_.victim(set, eligible);
    }
    template <class F>
    void each_member(F&& f) const {
        f(order_);
    }
    friend bool operator==(fifo const&, fifo const&) = default;

private:
    lru order_; // of allocations only
};

} // namespace warpkit
