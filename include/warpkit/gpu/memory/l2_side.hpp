#pragma once
/// \file
/// The L2 side of a memory partition: its slices, which run on one clock.
///
/// In the reference: the slices of `l2_partition`, in `l2_partition::tick` (reference/l2_partition.hpp).

#include <warpkit/base/clock.hpp>
#include <warpkit/base/cycle.hpp>
#include <warpkit/base/error.hpp>
#include <warpkit/base/heap_array.hpp>
#include <warpkit/base/ring.hpp>
#include <warpkit/base/stored_members.hpp>
#include <warpkit/cache/plain_cache.hpp>
#include <warpkit/dram/address_mapping.hpp>
#include <warpkit/gpu/common/link.hpp>
#include <warpkit/gpu/memory/l2_ports.hpp>
#include <warpkit/gpu/memory/l2_slice.hpp>
#include <warpkit/gpu/memory/l2_surroundings.hpp>
#include <warpkit/machine/l2_events.hpp>
#include <warpkit/machine/packet.hpp>
#include <warpkit/machine/parameters.hpp>
#include <warpkit/machine/policy_parameters.hpp>
#include <warpkit/machine/prefetched_sectors.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace warpkit {

/// P is a memory_policies. Cycles in which nothing can happen in any slice are skipped.
template <class P>
class l2_side {
    using l2_cache = engine_cache<typename P::l2_cache>;
    using slice = l2_slice<P>;
    using surroundings = l2_surroundings<P>;

public:
    l2_side() = default;
    [[gnu::cold]] l2_side(unsigned channel, gpu_parameters const& p, clock_domain const& clock)
        : slices_(p.memory.slices) {
        surroundings::check(p);
        auto const& m = p.memory;
        numbers_.clock = clock;
        numbers_.parts = {p.l2.sector, p.network.flit};
        numbers_.enabled = p.l2.size != 0;
        numbers_.miss_queue = p.l2.miss_queue;
        numbers_.line_shift = static_cast<std::uint32_t>(std::countr_zero(p.l2.line));
        banks_ = p.dram.banks;
        auto const half = p.core.count - p.core.count / 2;
        std::pair<std::uint32_t, std::uint32_t> near(0, half);
        if (in_second_half(channel, m.channels)) near = {half, p.core.count};
        for (std::uint32_t s = 0; s < m.slices; ++s) {
            auto& x = slices_[s];
            x.node = channel * m.slices + s;
            x.l2 = make_cache<l2_cache>("l2", p.l2, p.l2_variant, p.policy_parameters);
            auto const& n = x.l2.parameters(); // some make more of them (streaming)
            numbers_.mshr_entries = n.mshr_entries;
            x.requests = request_port(m.rop_latency, m.l2_input_queue, clock, m.far_latency, near);
            x.replies = reply_port(std::size_t{n.mshr_entries} * n.mshr_merges, m.l2_output_queue, clock);
            x.dram = dram_port(m.l2_to_dram_queue, m.dram_to_l2_queue, s, p.l2.sector, p.dram);
            if (slice::prefetches) x.prefetched = prefetched_sectors(p.l2);
        }
    }

    bool enabled() const noexcept { return numbers_.enabled; }
    clock_domain const& clock() const noexcept { return numbers_.clock; }
    std::uint32_t sector() const noexcept { return numbers_.parts.sector; }
    heap_array<slice> const& slices() const noexcept { return slices_; }
    heap_array<slice>& slices() noexcept { return slices_; }
    slice& operator[](std::uint32_t index) noexcept { return slices_[index]; }
    typename P::l2_observer const& observer() const noexcept { return observer_; }
    typename P::l2_observer& observer() noexcept { return observer_; }

    /// The tick of the first cycle in which there is something to do, as far as is known; look() may find a sooner one.
    tick due() const noexcept { return due_; }
    /// Whether a request arrives before `end`, or a credit may that a reply waits for.
    bool disturbed(tick end, link<packet>* requests) const noexcept {
        for (auto const& s : slices_) {
            requests->look(end);
            if (s.replies.wants_link() || requests++->next_arrival() < end) return true;
        }
        return false;
    }
    /// A window begins that ends at `end`. Whether replies that have waited for credits leave in it.
    bool look(tick end, link<packet>* requests, link<packet>* replies) noexcept {
        bool any = false;
        for (auto& s : slices_) {
            if (requests->look(end) && s.look(*requests, end)) not_after(s.wake);
            if (s.replies.wants_link()) any |= s.replies.let_leave(end, *replies);
            ++requests;
            ++replies;
        }
        return any;
    }
    /// The tick before which there is nothing to do, between windows.
    tick next_event(link<packet> const* requests, link<packet> const* replies) const noexcept {
        auto next = due_;
        for (auto const& s : slices_)
            if (auto const t = s.next_event(*requests++, *replies++); t < next) next = t;
        return next;
    }
    /// What the slices are handed. `asking` counts what they ask the DRAM for.
    surroundings around(dram::address_mapping const& map, typename P::dram_observer& dram_observer,
                        l2_demands& asking) noexcept {
        return {{map, banks_, observer_, dram_observer}, numbers_, asking};
    }
    /// The cycle that is due, in a window that ends at `end`; the DRAM does nothing before tick `alone`, but for what
    /// it is asked.
    [[gnu::always_inline]] void cycle_due(tick end, tick alone, surroundings const& around,
                                          link<packet>* requests, link<packet>* replies) {
        auto const now = due_;
        next_ = now + numbers_.clock.period();
        auto next = never;
        auto* s = slices_.begin();
        for (auto* const last = requests + slices_.size(); requests != last; ++requests, ++replies, ++s) {
            s->advance(now, end, alone, around, *requests, *replies);
            if (s->wake < next) next = s->wake;
        }
        due_ = next <= next_ ? next_ : next;
    }
    /// The DRAM has given the slice something to do at tick `now`.
    void wake(slice& s, tick now) noexcept {
        s.wake = slice::in_next_cycle;
        if (next_ < now) next_ = edge(now);
        if (next_ < due_) due_ = next_;
    }
    /// See partition::copied().
    void copied(std::uint32_t index, std::uint64_t local, dram::address_mapping const& map,
                typename P::dram_observer& dram_observer, l2_demands& asking) {
        if (enabled()) slices_[index].copied(local, around(map, dram_observer, asking));
    }

    friend bool operator==(l2_side const& a, l2_side const& b) {
        return a.numbers_ == b.numbers_ && a.slices_ == b.slices_ && a.observer_ == b.observer_;
    }
    WARPKIT_STORED_MEMBERS(6)
    template <class F>
    constexpr void each_member(F&& f) const {
        f(slices_);
    }

private:
    tick edge(tick t) const noexcept { return numbers_.clock.at(numbers_.clock.first_at_or_after(t)); }
    /// There is something to do in the cycle at tick `t` or, if that is past, in the next one.
    void not_after(tick t) noexcept {
        if (t >= due_) return;
        due_ = t <= next_ ? next_ : t;
    }

    l2_numbers numbers_;
    std::uint32_t banks_ = 1; ///< of the DRAM
    heap_array<slice> slices_;
    tick next_ = 0; ///< the first cycle that has not passed for all of them; a hint, no state, as `due_` is
    [[no_unique_address]] typename P::l2_observer observer_{};
    tick due_ = never;
};

} // namespace warpkit
