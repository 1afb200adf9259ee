#pragma once
/// \file
/// Tree pseudo-LRU replacement.

#include <warpkit/base/standard.hpp>
#include <warpkit/cache/way_set.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// A binary tree over the ways of a set, one bit a node, which says in which half the next victim is. A use turns the
/// bits on its way from the root, so that they point away from it; the victim is where the bits lead. Where they lead
/// to no eligible way, the other half is taken: so it works for any number of ways, and with ways that wait for data.
/// One 64-bit word per set, or as many as its ways need, the next power of two of them.
class pseudo_lru {
public:
    static constexpr char const* name() noexcept { return "pseudo_lru"; }
    pseudo_lru() = default;
    pseudo_lru(std::uint32_t sets, std::uint32_t ways)
        : words_(ways <= 64 ? 1 : std::bit_ceil(ways) / 64),
          tree_(std::size_t{sets} * words_),
          levels_(static_cast<std::uint32_t>(std::countr_zero(std::bit_ceil(ways)))) {}

    void used(std::uint32_t set, std::uint32_t way) noexcept {
        auto* const tree = tree_.data() + std::size_t{set} * words_;
        auto node = std::uint32_t{1};
        for (auto level = levels_; level-- != 0;) {
            auto const half = way >> level & 1;
            auto& word = tree[node / 64];
            auto const bit = std::uint64_t{1} << node % 64;
            word = half != 0 ? word & ~bit : word | bit;
            node = 2 * node + half;
        }
    }
    void inserted(std::uint32_t set, std::uint32_t way) noexcept { used(set, way); }
    std::uint32_t victim(std::uint32_t set, way_set eligible) const noexcept {
        auto const* const tree = tree_.data() + std::size_t{set} * words_;
        auto node = std::uint32_t{1};
        auto first = std::uint32_t{0}; // of the ways below the node
        for (auto level = levels_; level-- != 0;) {
            auto const size = std::uint32_t{1} << level;
            auto half = static_cast<std::uint32_t>(tree[node / 64] >> node % 64 & 1);
            if (!eligible.any_in(first + half * size, size)) half ^= 1;
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
    std::uint32_t words_ = 1; // of a set
    std::vector<std::uint64_t>
        tree_; // bit n: the next victim is in the upper half below node n; the root is node 1
    std::uint32_t levels_ = 0;
};

} // namespace warpkit
