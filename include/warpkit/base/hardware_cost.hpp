#pragma once
/// \file
/// What a policy would cost in hardware: storage bits by structure, computed for a core's shape, so that the overhead
/// tables of the papers are computed and not quoted.

#include <warpkit/base/standard.hpp>

#include <cstddef>
#include <cstdint>

namespace warpkit {

/// The sizes that a policy's storage depends on. The defaults are a GTX480 core's (docs/model/machines.md#fermi).
struct core_shape {
    unsigned warp_slots = 48;
    unsigned schedulers = 2;
    unsigned cta_slots = 8;
    unsigned cores = 15;
    unsigned l1_lines = 128; ///< lines of the L1 data cache
    unsigned group_warps =
        8; ///< warps of a group, the least: for who orders groups; a grouping tells its own

    /// The most groups of warps that there are.
    constexpr unsigned groups() const noexcept { return (warp_slots + group_warps - 1) / group_warps; }
    /// The most warps that one scheduler owns.
    constexpr unsigned warps_per_scheduler() const noexcept {
        return (warp_slots + schedulers - 1) / schedulers;
    }
};

/// The same of a DRAM controller. The defaults are a GTX480's (docs/model/machines.md#fermi).
struct controller_shape {
    unsigned banks = 16;
    unsigned queue = 64; ///< requests
    unsigned cores = 15;
};

/// Bits that tell `values` values apart: the width of a pointer to one of so many places. 0 for one value.
constexpr unsigned bits_for(std::uint64_t values) noexcept {
    unsigned bits = 0;
    while (bits < 64 && (std::uint64_t{1} << bits) < values) ++bits;
    return bits;
}

/// One structure: its name and its storage in bits, per core or controller.
struct storage_cost {
    char const* structure = "";
    std::uint64_t bits = 0;
};

/// A policy's structures in one core.
class hardware_cost_list {
public:
    static constexpr std::size_t capacity = 16;

    constexpr hardware_cost_list() = default;

    /// Adds a structure; beyond `capacity` structures the bits go to the last one, so that the total stays right.
    constexpr hardware_cost_list& add(char const* structure, std::uint64_t bits) noexcept {
        if (count_ == capacity)
            item_[capacity - 1].bits += bits;
        else
            item_[count_++] = {structure, bits};
        return *this;
    }
    constexpr hardware_cost_list& add(hardware_cost_list const& part) noexcept {
        for (auto const& item : part) add(item.structure, item.bits);
        return *this;
    }
    constexpr std::uint64_t total_bits() const noexcept {
        std::uint64_t sum = 0;
        for (auto const& item : *this) sum += item.bits;
        return sum;
    }
    constexpr std::size_t size() const noexcept { return count_; }
    constexpr storage_cost const* begin() const noexcept { return item_; }
    constexpr storage_cost const* end() const noexcept { return item_ + count_; }

private:
    storage_cost item_[capacity]{};
    std::size_t count_ = 0;
};

/// P tells its hardware cost: `hardware_cost(core_shape const&)`, of the value where its parameters count, else static.
template <class P>
concept tells_hardware_cost = requires(P const& policy, core_shape const& shape) {
    hardware_cost_list(policy.hardware_cost(shape));
};

/// The cost of a policy in one core of this shape, all its schedulers together; empty for a part that tells none.
template <class P>
constexpr hardware_cost_list hardware_cost_of([[maybe_unused]] P const& policy,
                                              [[maybe_unused]] core_shape const& shape) noexcept {
    if constexpr (tells_hardware_cost<P>)
        return policy.hardware_cost(shape);
    else
        return {};
}
/// The same with the parameters that it has if nobody sets them.
template <class P>
constexpr hardware_cost_list hardware_cost_of(core_shape const& shape) noexcept {
    return hardware_cost_of(P{}, shape);
}

} // namespace warpkit
