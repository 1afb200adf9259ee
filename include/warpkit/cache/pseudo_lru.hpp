#pragma once
/// \file
/// Tree pseudo-LRU replacement.

#include <warpkit/base/standard.hpp>

#include <bit>
#include <cstdint>
#include <vector>

namespace warpkit {

/// A binary tree over the ways of a set, one bit a node, which says in which half the next victim is. A use turns the
/// bits on its way from the root, so that they point away from it; the victim is where the bits lead. Where they lead
/// to no eligible way, the other half is taken: so it works for any number of ways, and with ways that wait for data.
/// One 64-bit word per set.
class pseudo_lru {
public:
    static constexpr char const* name() noexcept { return "pseudo_lru"; }
    pseudo_lru() = default;
    pseudo_lru(std::uint32_t sets, std::uint32_t ways)
        : tree_(sets),
          levels_(static_cast<std::uint32_t>(std::countr_zero(std::bit_ceil(ways)))) {}

    void used(std::uint32_t set, std::uint32_t way) noexcept {
        auto tree = tree_[set];
        auto node = std::uint32_t{1};
        for (auto level = levels_; level-- != 0;) {
            auto const half = way >> level & 1;
            auto const bit = std::uint64_t{1} << node;
            tree = half != 0 ? tree & ~bit : tree | bit;
            node = 2 * node + half;
        }
        tree_[set] = tree;
    }
    void inserted(std::uint32_t set, std::uint32_t way) noexcept { used(set, way); }
    std::uint32_t victim(std::uint32_t set, std::uint64_t eligible) const noexcept {
        auto const tree = tree_[set];
        auto node = std::uint32_t{1};
        auto first = std::uint32_t{0}; // of the ways below the node
        for (auto level = levels_; level-- != 0;) {
            auto const size = std::uint32_t{1} << level;
            auto half = static_cast<std::uint32_t>(tree >> node & 1);
            if ((eligible >> (first + half * size) & ((std::uint64_t{1} << size) - 1)) == 0) half ^= 1;
            first += half * size;
            node = 2 * node + half;
        }
        return first;
    }
    template <class F>
    void each_member(F&& f) const {
        f(tree_, levels_);
    }
    friend bool operator==(pseudo_lru const&, pseudo_lru const&) = default;

private:
    std::vector<std::uint64_t>
        tree_; // bit n: the next victim is in the upper half below node n; the root is node 1
    std::uint32_t levels_ = 0;
};

} // namespace warpkit
