#pragma once
/// \file
/// Stride prefetching, warp by warp.

#include <warpkit/base/events.hpp>
#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/lsu/data_prefetch.hpp>
#include <warpkit/lsu/stride_table.hpp>

#include <cstdint>

namespace warpkit {

/// What per_warp_stride_of goes by.
struct stride_numbers {
    std::uint32_t entries = 32; ///< of the table, at least 1
    std::uint32_t distance = 1; ///< executions ahead, at least 1
    std::uint32_t degree = 1;   ///< executions that are prefetched at once, at least 1
    std::uint32_t queue = 16;   ///< blocks that may wait for the L1
    friend bool operator==(stride_numbers const&, stride_numbers const&) = default;
};

/// A table has the last address and stride of load instructions, for each warp apart. Once an instruction of a warp
/// has had the same stride twice in a row, what it will touch `distance` executions later is prefetched. Numbers are
/// fixed by the template argument or set by name.
///
/// Source: Baer and Chen, "An Effective On-Chip Preloading Scheme To Reduce Data Access Penalty", Supercomputing
/// 1991; indexed by instruction and warp, with 32 entries, as Lee, Lakshminarayana, Kim and Vuduc, "Many-Thread Aware
/// Prefetching Mechanisms for GPGPU Applications", MICRO 2010, section III, begin with (PWS).
/// Differs from the source: it is trained when the load/store unit takes the load over, by the first block that it
/// touches, and prefetches all blocks of the load. Entries of a warp that has ended stay until they are replaced, and
/// are trained anew by the next warp in its slot.
template <auto Numbers = run_time>
class per_warp_stride_of {
    using held_numbers = numbers<stride_numbers, Numbers>;

public:
    static constexpr char const* name() noexcept { return "per_warp_stride"; }

    per_warp_stride_of() { parameters_set(); }

    std::uint32_t queue() const noexcept { return n_->queue; }
    template <class Ask>
    void seen(load_seen const& l, prefetch_record const&, Ask const& ask) {
        auto* const e =
            table_.find([&](warp_stride const& s) { return s.pc == l.pc && s.warp == l.warp.index(); });
        if (e == nullptr) {
            table_.insert({l.pc, l.warp.index(), l.address, 0, false});
            return;
        }
        e->train(l.address);
        if (!e->trained) return;
        for (std::uint32_t i = 0; i < n_->degree; ++i) ask(e->stride * (std::int64_t{n_->distance} + i));
    }
    void on(kernel_began const&) noexcept { table_.clear(); }

    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"distance", "executions ahead", 1, 1000}, self.n_.get().distance);
        f(parameter{"degree", "executions that are prefetched at once", 1, 64}, self.n_.get().degree);
        f(parameter{"entries", "of the table", 1, 4096}, self.n_.get().entries);
        f(parameter{"queue", "blocks that may wait for the L1", 1, 4096}, self.n_.get().queue);
    }
    void parameters_set() { table_ = lru_table<warp_stride>(n_->entries); }
    hardware_cost_list hardware_cost(core_shape const&) const noexcept {
        return hardware_cost_list().add("strides of instructions and warps", std::uint64_t{n_->entries} * 93);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(n_->entries, n_->distance, n_->degree, n_->queue, table_);
    }
    friend bool operator==(per_warp_stride_of const&, per_warp_stride_of const&) = default;

private:
    [[no_unique_address]] held_numbers n_;
    lru_table<warp_stride> table_;
};
using per_warp_stride = per_warp_stride_of<stride_numbers{}>;
static_assert(data_prefetch<per_warp_stride>);

} // namespace warpkit
