#pragma once

#include <warpkit/lsu/replay_entries.hpp>

namespace warpkit {

/// MASCAR's cache access re-execution: a request that the L1 refuses steps aside, one for each warp, so that requests
/// of other warps may find their data at hand (hit under miss). The queue is worked on in order, when the unit is idle
/// or must wait, or when the queue is full.
///
/// Source: MASCAR, Sethia, Jamshidi and Mahlke, HPCA 2015, as ELF (SC 2015, sections 3.4 and 4.2) tells it
/// (docs/model/load_store.md#car).
/// Differs from the paper: it was not at hand. A warp's further request waits in the unit. An entry is one transaction.
class car {
    using mask = detail::replay_entries::mask;

public:
    static constexpr char const* name() noexcept { return "car"; }
    static constexpr bool queues() noexcept { return true; }
    static constexpr std::uint32_t default_entries = 32;

    constexpr car() : car(default_entries) {}
    /// Throws `error` unless `entries` is 1 to 64.
    explicit constexpr car(std::uint32_t entries) : entries_(entries) {}

    constexpr replay_route route(warp_slot w, access_kind) const noexcept {
        return entries_.full() || warps_.contains(w) ? replay_route::wait : replay_route::access;
    }
    constexpr bool takes_refused() const noexcept { return !entries_.full(); }
    constexpr std::uint32_t push(warp_slot w, access_kind k, bool refused) noexcept {
        warps_.insert(w);
        auto const entry = entries_.push(w, k == access_kind::load);
        if (refused) tried_ |= mask{1} << entry;
        return entry;
    }
    constexpr std::uint32_t pick(bool unit_idle) const noexcept {
        if (entries_.empty() || !(unit_idle || entries_.full())) return no_replay_entry;
        auto const head = entries_.oldest();
        return (tried_ >> head & 1) != 0 ? no_replay_entry : head;
    }
    constexpr void accepted(std::uint32_t entry) noexcept {
        warps_.erase(entries_.warp(entry));
        entries_.erase(entry);
        tried_ &= ~(mask{1} << entry);
    }
    constexpr void refused(std::uint32_t entry) noexcept { tried_ |= mask{1} << entry; }
    constexpr void room_changed() noexcept { tried_ = 0; }
    static constexpr bool bypasses_full_sets() noexcept { return false; }
    constexpr bool empty() const noexcept { return entries_.empty(); }
    constexpr std::uint32_t capacity() const noexcept { return entries_.capacity(); }

    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        return hardware_cost_list{}.add("CAR", entries_.capacity() * detail::replay_entry_bits(shape));
    }
    friend constexpr bool operator==(car const&, car const&) = default;
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.entries_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(entries_, warps_, tried_);
    }

private:
    detail::replay_entries entries_;
    warp_set warps_; ///< with a request in the queue
    mask tried_ = 0; ///< refused since something changed
};
static_assert(replay_policy<car>);

} // namespace warpkit
