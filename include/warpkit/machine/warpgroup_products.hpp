#pragma once
/// \file
/// Products of matrices by warpgroups (PTX: wgmma; docs/model/asynchronous.md#products), in both engines.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/slot.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/machine/parameters.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpkit {

/// Each warp of a warpgroup has its quarter of a product done by its sub-core's tensor cores, one behind the other,
/// while it goes on. They finish so many columns of the sum in a cycle, since the depth of each shape is 32 bytes;
/// and what lies in shared memory, a quarter of the second factor and perhaps rows of the first one, must have been
/// read: of that, all sub-cores together get as much in a cycle as the shared memory has banks. A commit ends a group
/// of products, a wait holds its warp until at most the last n groups are under way.
/// Source: PTX ISA, "wgmma.mma_async"; Luo et al., arXiv 2402.13499, for the rates.
class warpgroup_products {
public:
    warpgroup_products() = default;
    warpgroup_products(asynchronous_numbers const& n, unsigned sub_cores, std::uint32_t shared_banks,
                       unsigned warp_slots)
        : columns_(n.product_columns),
          latency_(n.product_latency),
          shared_bytes_(4 * std::uint64_t{shared_banks}),
          free_(sub_cores),
          committed_(warp_slots) {}

    /// A new warp is in this slot.
    void launch(warp_slot w) noexcept { committed_[w.index()] = 0; }
    /// A product of so many columns begins in cycle `at`, which is to come, or later.
    void issue(cycle at, warp_slot w, std::uint32_t columns, bool first_in_shared) {
        auto const bytes = (first_in_shared ? rows * depth : 0) + columns * depth / warps;
        product_.push_back({w, committed_[w.index()], at, columns, static_cast<std::uint32_t>(bytes)});
    }
    void commit(warp_slot w) noexcept { ++committed_[w.index()]; }
    /// Whether a wait that lets the last `groups` be must go on.
    bool must_wait(warp_slot w, std::uint32_t groups) const noexcept {
        return std::any_of(product_.begin(), product_.end(), [&](product const& p) {
            return p.warp == w && std::uint64_t{p.group} + groups < committed_[w.index()];
        });
    }
    /// Products of this warp under way.
    std::uint32_t of(warp_slot w) const noexcept {
        return static_cast<std::uint32_t>(
            std::count_if(product_.begin(), product_.end(), [w](product const& p) { return p.warp == w; }));
    }
    /// A cycle: products begin whose tensor cores are free. Calls `ended(warp)` for each that has its result by `now`,
    /// in the order of issue.
    template <class Ended>
    void tick(cycle now, Ended&& ended) {
        for (auto& p : product_) {
            auto& unit = free_[p.warp.index() % free_.size()];
            if (p.ready != never || p.at > now || unit > now) continue;
            shared_ = std::max(shared_, now * shared_bytes_) + p.bytes;
            unit = std::max(now + (p.columns + columns_ - 1) / columns_,
                            (shared_ + shared_bytes_ - 1) / shared_bytes_);
            p.ready = unit + latency_;
        }
        for (std::size_t i = 0; i < product_.size();) {
            if (product_[i].ready > now) {
                ++i;
                continue;
            }
            auto const w = product_[i].warp;
            product_.erase(product_.begin() + static_cast<std::ptrdiff_t>(i));
            ended(w);
        }
    }
    /// When the next one begins or has its result; `never` if none is under way.
    cycle next() const noexcept {
        auto first = never;
        for (auto const& p : product_)
            first = std::min(first, p.ready != never ? p.ready
                                                     : std::max(p.at, free_[p.warp.index() % free_.size()]));
        return first;
    }
    bool empty() const noexcept { return product_.empty(); }

    friend bool operator==(warpgroup_products const&, warpgroup_products const&) = default;
    WARPKIT_STORED_MEMBERS(7)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(shared_);
        for (auto const c : free_) f(c);
        for (auto const n : committed_) f(n);
        for (auto const& p : product_) f(p.warp, p.group, p.at, p.columns, p.bytes, p.ready);
    }

private:
    static constexpr std::uint64_t rows = 16;  ///< of a warp
    static constexpr std::uint64_t depth = 32; ///< bytes
    static constexpr std::uint64_t warps = 4;

    struct product {
        warp_slot warp;
        std::uint32_t group = 0;
        cycle at = 0; ///< it does not begin before
        std::uint32_t columns = 0;
        std::uint32_t bytes = 0; ///< read of shared memory
        cycle ready = never;     ///< when its result is there, once it has begun
        friend bool operator==(product const&, product const&) = default;
    };
    std::uint32_t columns_ = 1;
    cycle latency_ = 0;
    std::uint64_t shared_bytes_ = 1;       ///< read in a cycle
    std::uint64_t shared_ = 0;             ///< until when shared memory is read, in such bytes
    std::vector<cycle> free_;              ///< by sub-core: when its tensor cores are
    std::vector<product> product_;         ///< under way
    std::vector<std::uint32_t> committed_; ///< groups, by warp slot
};

} // namespace warpkit
