#pragma once

#include <warpkit/lsu/replay_entries.hpp>

namespace warpkit {

/// ELF's cache access re-execution queue: a request that the L1 refuses steps aside, so that those behind it may be
/// hits.
///
/// A request enters when it was refused, or when it may not pass what its warp has in the queue: a load passes loads,
/// nothing passes a store, and a store or atomic passes nothing of its own warp; other warps are independent. The unit
/// has priority. The queue is worked on when the unit is idle or the queue is full; then the unit waits until there is
/// a place again.
/// Source: ELF, Park, Park and Mahlke, SC 2015, section 3.4, figures 5 and 6, table 3 (32 entries).
/// Differs from the paper: what it leaves open is our reading (docs/model/load_store.md#new-car-readings). The oldest
/// request that may go is tried first, one attempt a cycle; when it is refused, the next; none twice before something
/// has changed. An entry is one transaction. Atomics count as stores.
class new_car {
    using mask = detail::replay_entries::mask;

public:
    static constexpr char const* name() noexcept { return "new_car"; }
    static constexpr bool queues() noexcept { return true; }
    static constexpr std::uint32_t default_entries = 32;

    constexpr new_car() : new_car(default_entries) {}
    /// Throws `error` unless `entries` is 1 to 64.
    explicit constexpr new_car(std::uint32_t entries) : entries_(entries) {}

    constexpr replay_route route(warp_slot w, access_kind k) const noexcept {
        if (entries_.full()) return replay_route::wait;
        return may_pass(w, k == access_kind::load) ? replay_route::access : replay_route::enter;
    }
    constexpr bool takes_refused() const noexcept { return !entries_.full(); }
    constexpr std::uint32_t push(warp_slot w, access_kind k, bool refused) noexcept {
        bool const load = k == access_kind::load;
        bool const free = may_pass(w, load);
        auto const entry = entries_.push(w, load);
        auto const bit = mask{1} << entry;
        free_ = free ? free_ | bit : free_ & ~bit;
        tried_ = refused ? tried_ | bit : tried_ & ~bit;
        (load ? loads_ : stores_).insert(w);
        return entry;
    }
    constexpr std::uint32_t pick(bool unit_idle) const noexcept {
        auto const open = free_ & ~tried_;
        if (open == 0 || !(unit_idle || entries_.full())) return no_replay_entry;
        return entries_.oldest(open);
    }
    constexpr void accepted(std::uint32_t entry) noexcept {
        auto const w = entries_.warp(entry);
        entries_.erase(entry);
        free_ &= ~(mask{1} << entry);
        tried_ &= ~(mask{1} << entry);
        // What is left of this warp: what may go now?
        loads_.erase(w);
        stores_.erase(w);
        entries_.each_of(w, [&](std::uint32_t e, bool load) {
            if (may_pass(w, load)) free_ |= mask{1} << e;
            (load ? loads_ : stores_).insert(w);
        });
    }
    constexpr void refused(std::uint32_t entry) noexcept { tried_ |= mask{1} << entry; }
    constexpr void room_changed() noexcept { tried_ = 0; }
    static constexpr bool bypasses_full_sets() noexcept { return false; }
    constexpr bool empty() const noexcept { return entries_.empty(); }
    constexpr std::uint32_t capacity() const noexcept { return entries_.capacity(); }

    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        return hardware_cost_list{}.add("NewCAR", entries_.capacity() * detail::replay_entry_bits(shape));
    }
    friend constexpr bool operator==(new_car const&, new_car const&) = default;
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.entries_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(entries_, free_, tried_, loads_, stores_);
    }

private:
    /// Whether a request may pass all that its warp has in the queue (figure 6).
    constexpr bool may_pass(warp_slot w, bool load) const noexcept {
        return !stores_.contains(w) && (load || !loads_.contains(w));
    }

    detail::replay_entries entries_;
    mask free_ = 0;   ///< entries that pass nothing that they may not
    mask tried_ = 0;  ///< refused since something changed
    warp_set loads_;  ///< warps with a load in the queue
    warp_set stores_; ///< warps with a store or atomic in the queue
};
static_assert(replay_policy<new_car>);

} // namespace warpkit
