#pragma once
/// \file
/// Ways in the order of their last use.

#include <warpkit/base/heap_array.hpp>
#include <warpkit/cache/way_set.hpp>

#include <cstddef>
#include <cstdint>

namespace warpkit {

/// For each of several sets a list of its ways, the one whose use lies farthest back first: what costs as much however
/// many ways there are. At first that is way 0, 1, ...
class use_order {
public:
    use_order() = default;
    [[gnu::cold]] use_order(std::uint32_t sets, std::uint32_t ways)
        : link_(std::size_t{sets} * (ways + 1)),
          ways_(ways) {
        auto const next = [ways](std::uint32_t i) { return i == ways ? 0 : i + 1; };
        for (std::size_t first = 0; first != link_.size(); first += ways + 1)
            for (std::uint32_t i = 0; i <= ways; ++i) {
                link_[first + i].newer = static_cast<std::uint16_t>(next(i));
                link_[first + next(i)].older = static_cast<std::uint16_t>(i);
            }
    }
    void used(std::uint32_t set, std::uint32_t way) noexcept {
        auto* const in = link_.data() + std::size_t{set} * (ways_ + 1);
        auto& ends = in[ways_];
        if (ends.older == way) return; // the newest already
        in[in[way].newer].older = in[way].older;
        in[in[way].older].newer = in[way].newer;
        in[way] = {static_cast<std::uint16_t>(ways_), ends.older};
        in[ends.older].newer = static_cast<std::uint16_t>(way);
        ends.older = static_cast<std::uint16_t>(way);
    }
    /// The first in the list that is eligible. Precondition: one is.
    std::uint32_t oldest(std::uint32_t set, way_set eligible) const noexcept {
        auto const* const in = link_.data() + std::size_t{set} * (ways_ + 1);
        std::uint32_t way = in[ways_].newer;
        while (!eligible.contains(way)) way = in[way].newer;
        return way;
    }
    template <class F>
    void each_member(F&& f) const {
        f(link_, ways_);
    }
    friend bool operator==(use_order const&, use_order const&) = default;

private:
    /// Of a way, its neighbours; a set's last link is both ends of its list.
    struct link {
        std::uint16_t newer = 0;
        std::uint16_t older = 0;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(newer, older);
        }
        friend bool operator==(link const&, link const&) = default;
    };
    heap_array<link> link_;
    std::uint32_t ways_ = 0;
};

} // namespace warpkit
