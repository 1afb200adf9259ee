#pragma once
/// \file
/// What comes to a network in one window.
///
/// In the reference: the networks ask each of their links in each cycle (reference/network.hpp).

#include <warpkit/base/clock.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/machine/packet.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// The inputs that something comes to, cycle by cycle. All that comes in a window is known when it begins.
class window_arrivals {
public:
    /// For the cycles from `now` to before `last`, those before tick `end`; of link i the first inside[i] packets have
    /// come before.
    void sort(clock_domain const& clock, cycle now, cycle last, tick end, heap_array<link<packet>> const& in,
              std::vector<std::uint32_t> const& inside) {
        if (in_cycle_.size() < last - now) in_cycle_.resize(last - now);
        auto const begin = clock.at(now);
        for (std::uint32_t i = 0; i < in.size(); ++i)
            for (auto n = inside[i];; ++n) {
                auto const t = in[i].next_arrival(n);
                if (t >= end) break;
                std::size_t k = 0;
                for (auto at = begin; at < t; at += clock.period()) ++k;
                if (k < last - now) in_cycle_[k].push_back(static_cast<std::uint16_t>(i));
            }
    }
    /// The inputs that packets come to in the k-th cycle, once for each packet; to be emptied by who takes them.
    std::vector<std::uint16_t>& in_cycle(std::size_t k) noexcept { return in_cycle_[k]; }
    /// When the first packet comes of which nothing is known yet; `never` if none is under way.
    static tick next(heap_array<link<packet>> const& in, std::vector<std::uint32_t> const& inside) noexcept {
        auto first = never;
        for (std::uint32_t i = 0; i < in.size(); ++i)
            if (auto const t = in[i].next_arrival(inside[i]); t < first) first = t;
        return first;
    }

    WARPKIT_STORED_MEMBERS(1)
private:
    std::vector<std::vector<std::uint16_t>> in_cycle_;
};

} // namespace warpkit
