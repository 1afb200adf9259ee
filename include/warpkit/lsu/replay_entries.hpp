#pragma once
/// \file
/// What the replay queues are made of: requests in order of age, and the bits of one of them.

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/lanes.hpp>
#include <warpkit/base/memory_space.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/base/warp_set.hpp>
#include <warpkit/lsu/replay_policy.hpp>

#include <array>
#include <cstdint>

namespace warpkit::detail {

/// Up to 64 requests, oldest first. Each has a number below the capacity for as long as it stays; sets of requests are
/// masks of these numbers.
class replay_entries {
public:
    using mask = std::uint64_t;

    replay_entries() = default;
    /// Throws `error` unless `capacity` is 1 to 64.
    explicit constexpr replay_entries(std::uint32_t capacity) : capacity_(checked(capacity)) {}

    constexpr std::uint32_t capacity() const noexcept { return capacity_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr bool full() const noexcept { return size_ == capacity_; }
    constexpr warp_slot warp(std::uint32_t entry) const noexcept { return warp_[entry]; }

    /// Adds a request; its number. Precondition: not full.
    constexpr std::uint32_t push(warp_slot w, bool load) noexcept {
        std::uint32_t entry = 0;
        while ((used_ >> entry & 1) != 0) ++entry;
        used_ |= mask{1} << entry;
        warp_[entry] = w;
        load_ = load ? load_ | mask{1} << entry : load_ & ~(mask{1} << entry);
        order_[size_++] = static_cast<std::uint8_t>(entry);
        return entry;
    }
    constexpr void erase(std::uint32_t entry) noexcept {
        std::uint32_t i = 0;
        while (order_[i] != entry) ++i;
        for (--size_; i < size_; ++i) order_[i] = order_[i + 1];
        order_[size_] = 0;
        used_ &= ~(mask{1} << entry);
    }
    /// The oldest request of a set; `no_replay_entry` if it is empty.
    constexpr std::uint32_t oldest(mask of = ~mask{0}) const noexcept {
        for (std::uint32_t i = 0; i < size_; ++i)
            if ((of >> order_[i] & 1) != 0) return order_[i];
        return no_replay_entry;
    }
    /// Calls f(entry, is_load) for each request of `w`, oldest first.
    template <class F>
    constexpr void each_of(warp_slot w, F&& f) const {
        for (std::uint32_t i = 0; i < size_; ++i)
            if (warp_[order_[i]] == w) f(std::uint32_t{order_[i]}, (load_ >> order_[i] & 1) != 0);
    }

    friend constexpr bool operator==(replay_entries const& a, replay_entries const& b) noexcept {
        if (a.capacity_ != b.capacity_ || a.size_ != b.size_ || (a.load_ & a.used_) != (b.load_ & b.used_))
            return false;
        for (std::uint32_t i = 0; i < a.size_; ++i)
            if (a.order_[i] != b.order_[i] || a.warp_[a.order_[i]] != b.warp_[a.order_[i]]) return false;
        return true;
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"entries", "requests that wait at most", 1, most_}, self.capacity_);
    }
    WARPKIT_STORED_MEMBERS(6)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(capacity_, size_, load_ & used_);
        for (std::uint32_t i = 0; i < size_; ++i) f(order_[i], warp_[order_[i]]);
    }

private:
    static constexpr std::uint32_t most_ = 64;
    static constexpr std::uint32_t checked(std::uint32_t capacity) {
        if (capacity == 0 || capacity > most_)
            raise_error(error("replay queue: " + std::to_string(capacity) +
                              " entries; the nearest legal value is " + (capacity == 0 ? "1" : "64")));
        return capacity;
    }

    std::array<warp_slot, most_> warp_{};
    std::array<std::uint8_t, most_> order_{}; ///< numbers, oldest first
    mask used_ = 0;
    mask load_ = 0;
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = 1;
};

/// Bits of a request that waits for the L1, for a core of this shape: who takes part, the address of the 128-byte
/// block, each lane's place in it, the warp, the destination register of 64, load or store. ELF's table 3 prints the
/// sum, 301, and says that CAR's is the same; which fields make it up is our reading.
constexpr std::uint64_t replay_entry_bits(core_shape const& shape) noexcept {
    constexpr std::uint64_t lane_count = lanes;
    return lane_count + 32 + lane_count * bits_for(128) + bits_for(shape.warp_slots) + bits_for(64) + 1;
}

} // namespace warpkit::detail
