#pragma once
/// \file
/// Many-thread aware prefetching.

#include <warpkit/base/cycle.hpp>
#include <warpkit/base/events.hpp>
#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/lsu/data_prefetch.hpp>
#include <warpkit/lsu/stride_table.hpp>

#include <cstdint>

namespace warpkit {

/// What many_thread_aware_prefetch_of goes by.
struct many_thread_aware_numbers {
    std::uint32_t per_warp = 32; ///< entries of the table of strides by warp (PWS), at least 1
    std::uint32_t global = 8;    ///< of that by instruction alone (GS), at least 1
    std::uint32_t between = 8;   ///< of that of strides between warps (IP), at least 1
    std::uint32_t distance = 1;  ///< executions, or warps, ahead, at least 1
    std::uint32_t queue = 16;    ///< blocks that may wait for the L1
    std::uint32_t period =
        100'000; ///< core cycles between two adjustments of the throttle; 0: none, all is asked for
    friend bool operator==(many_thread_aware_numbers const&, many_thread_aware_numbers const&) = default;
};

/// Three tables, and a throttle.
///   - PWS has the strides of load instructions for each warp apart, as per_warp_stride.
///   - GS has those of instructions alone: once three warps in PWS have trained the same stride of an instruction, it
///     is promoted, so that other warps need not train it, and its entries in PWS are free again.
///   - IP has strides between warps: once three different warps in a row have executed an instruction with addresses
///     that follow from the warps' numbers, each prefetches for the warp `distance` behind it.
/// A load asks GS first, then IP, and PWS if neither knows it. Period by period the throttle looks at the fraction of
/// early evictions, useless over useful, and of merges, merges over requests, each averaged with its value before:
/// many early evictions (above 2 %) stop prefetching; some (1 %) leave out a fifth more; else many merges (above 15 %)
/// leave out a fifth less, and few a fifth more. It begins by leaving out two fifths. Numbers are fixed by the template
/// argument or set by name.
///
/// Source: Lee, Lakshminarayana, Kim and Vuduc, "Many-Thread Aware Prefetching Mechanisms for GPGPU Applications",
/// MICRO 2010, sections III (MT-HWP) and V (throttling); tables of 32, 8 and 8 entries, distance 1; the throttle's
/// thresholds from memory.
/// Differs from the paper: prefetches go to the L1 (there to a prefetch cache of 16 KB, cache/prefetch_cache.hpp); it
/// is trained when the load/store unit takes the load over, by the first block that it touches, and prefetches all
/// blocks of the load. Warps are told apart by their slots, so strides between warps cross from one CTA to the next.
/// Merges are those in the MSHRs of the L1.
template <auto Numbers = run_time>
class many_thread_aware_prefetch_of {
    using held_numbers = numbers<many_thread_aware_numbers, Numbers>;

public:
    static constexpr char const* name() noexcept { return "many_thread_aware_prefetch"; }

    many_thread_aware_prefetch_of() { parameters_set(); }

    std::uint32_t queue() const noexcept { return n_->queue; }
    template <class Ask>
    void seen(load_seen const& l, prefetch_record const& so_far, Ask const& ask) {
        if (n_->period != 0 && l.at >= adjusted_ + n_->period) adjust(l.at, so_far);
        auto const* const global = global_.find([&](global_stride const& s) { return s.pc == l.pc; });
        auto const* const between = train_between(l);
        if (global != nullptr)
            request(global->stride, ask);
        else if (between != nullptr)
            request(between->stride, ask);
        else
            train_per_warp(l, ask);
    }
    void on(kernel_began const&) noexcept {
        per_warp_.clear();
        global_.clear();
        between_.clear();
    }
    /// Fifths of the prefetches that are left out.
    unsigned throttle() const noexcept { return n_->period == 0 ? 0 : throttle_; }

    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"distance", "executions, or warps, ahead", 1, 1000}, self.n_.get().distance);
        f(parameter{"period", "core cycles between two adjustments of the throttle; 0: no throttle"},
          self.n_.get().period);
        f(parameter{"per_warp", "entries of the table of strides by warp", 1, 4096}, self.n_.get().per_warp);
        f(parameter{"global", "entries of the table of strides by instruction", 1, 4096},
          self.n_.get().global);
        f(parameter{"between", "entries of the table of strides between warps", 1, 4096},
          self.n_.get().between);
        f(parameter{"queue", "blocks that may wait for the L1", 1, 4096}, self.n_.get().queue);
    }
    void parameters_set() {
        per_warp_ = lru_table<warp_stride>(n_->per_warp);
        global_ = lru_table<global_stride>(n_->global);
        between_ = lru_table<stride_between>(n_->between);
    }
    /// The 557 bytes of the paper, for its numbers.
    hardware_cost_list hardware_cost(core_shape const&) const noexcept {
        auto const& n = n_.get();
        return hardware_cost_list()
            .add("strides of instructions and warps", std::uint64_t{n.per_warp} * 93)
            .add("strides of instructions", std::uint64_t{n.global} * 52)
            .add("strides between warps", std::uint64_t{n.between} * 133);
    }
    WARPKIT_STORED_MEMBERS(10)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(n_->per_warp, n_->global, n_->between, n_->distance, n_->queue, n_->period, per_warp_, global_,
          between_, throttle_, requests_, adjusted_, early_, merged_);
    }
    friend bool operator==(many_thread_aware_prefetch_of const&,
                           many_thread_aware_prefetch_of const&) = default;

private:
    struct global_stride {
        std::uint32_t pc = 0;
        std::int64_t stride = 0;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(pc, stride);
        }
        friend bool operator==(global_stride const&, global_stride const&) = default;
    };
    /// From the last warp that executed an instruction to the one before.
    struct stride_between {
        std::uint32_t pc = 0;
        std::uint32_t warp = 0;
        std::uint64_t last = 0;
        std::int64_t stride = 0; ///< from one slot to the next
        bool known = false;
        bool trained = false;
        template <class F>
        constexpr void each_member(F&& f) const {
            f(pc, warp, last, stride, known, trained);
        }
        friend bool operator==(stride_between const&, stride_between const&) = default;
    };

    template <class Ask>
    void request(std::int64_t stride, Ask const& ask) {
        if (n_->period != 0 && requests_++ % 5 < throttle_) return;
        ask(stride * std::int64_t{n_->distance});
    }
    template <class Ask>
    void train_per_warp(load_seen const& l, Ask const& ask) {
        auto* const e =
            per_warp_.find([&](warp_stride const& s) { return s.pc == l.pc && s.warp == l.warp.index(); });
        if (e == nullptr) {
            per_warp_.insert({l.pc, l.warp.index(), l.address, 0, false});
            return;
        }
        e->train(l.address);
        if (!e->trained) return;
        auto const stride = e->stride;
        unsigned warps = 0;
        per_warp_.each(
            [&](warp_stride const& s) { warps += s.pc == l.pc && s.trained && s.stride == stride; });
        if (warps >= 3) {
            global_.insert({l.pc, stride});
            per_warp_.erase([&](warp_stride const& s) { return s.pc == l.pc; });
        }
        request(stride, ask);
    }
    /// The entry of this instruction, if it is trained.
    stride_between const* train_between(load_seen const& l) noexcept {
        auto const warp = l.warp.index();
        auto* const e = between_.find([&](stride_between const& s) { return s.pc == l.pc; });
        if (e == nullptr) {
            between_.insert({l.pc, warp, l.address, 0, false, false});
            return nullptr;
        }
        if (warp == e->warp) { // says nothing of others
            e->last = l.address;
            return e->trained ? e : nullptr;
        }
        auto const moved = static_cast<std::int64_t>(l.address - e->last);
        auto const slots = static_cast<std::int64_t>(warp) - static_cast<std::int64_t>(e->warp);
        bool const near = moved > -(std::int64_t{1} << 40) && moved < std::int64_t{1} << 40;
        bool const even = near && moved % slots == 0;
        auto const stride = even ? moved / slots : 0;
        e->trained = e->known && even && stride == e->stride && stride != 0 && is_short_stride(stride);
        e->known = even;
        e->stride = stride;
        e->warp = warp;
        e->last = l.address;
        return e->trained ? e : nullptr;
    }
    /// A period has ended, or several. Fractions are in thousandths.
    void adjust(cycle now, prefetch_record const& r) noexcept {
        auto const share = [](std::uint64_t part, std::uint64_t whole) {
            return part * 1000 / (whole == 0 ? 1 : whole);
        };
        early_ = (early_ + share(r.useless - before_.useless, r.useful - before_.useful)) / 2;
        merged_ = (merged_ + share(r.merges - before_.merges, r.requests - before_.requests)) / 2;
        before_ = r;
        adjusted_ = now;
        if (early_ > 20)
            throttle_ = 5;
        else if (early_ >= 10 || merged_ <= 150)
            throttle_ += throttle_ != 5;
        else
            throttle_ -= throttle_ != 0;
    }

    [[no_unique_address]] held_numbers n_;
    lru_table<warp_stride> per_warp_;
    lru_table<global_stride> global_;
    lru_table<stride_between> between_;
    unsigned throttle_ = 2;
    std::uint64_t requests_ = 0;
    cycle adjusted_ = 0;
    std::uint64_t early_ = 0;
    std::uint64_t merged_ = 0;
    prefetch_record before_; ///< when it was adjusted last
};
using many_thread_aware_prefetch = many_thread_aware_prefetch_of<many_thread_aware_numbers{}>;
static_assert(data_prefetch<many_thread_aware_prefetch>);

} // namespace warpkit
