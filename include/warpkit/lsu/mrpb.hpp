#pragma once

#include <warpkit/lsu/replay_entries.hpp>

namespace warpkit {

/// The memory request prioritisation buffer: every request waits in a FIFO of its warp, and one FIFO at a time is
/// drained until it is empty, then the first that is not, by the warp's number. So a warp's lines are used before
/// others displace them. A load whose set has all its ways waiting for data goes past the L1 rather than block it.
///
/// Source: MRPB, Jia, Shaw and Martonosi, HPCA 2014, from memory (docs/model/load_store.md#mrpb) and as ELF (SC 2015,
/// section 3.4) tells it.
/// Differs from the paper: it was not at hand. The FIFOs share their places, of which there are 64 (ours), and stand at
/// the look-up, behind the L1's delay pipe.
class mrpb {
public:
    static constexpr char const* name() noexcept { return "mrpb"; }
    static constexpr bool queues() noexcept { return true; }
    static constexpr std::uint32_t default_entries = 64;

    constexpr mrpb() : mrpb(default_entries) {}
    /// Throws `error` unless `entries` is 1 to 64.
    explicit constexpr mrpb(std::uint32_t entries) : entries_(entries) {}

    constexpr replay_route route(warp_slot, access_kind) const noexcept {
        return entries_.full() ? replay_route::wait : replay_route::enter;
    }
    constexpr bool takes_refused() const noexcept { return !entries_.full(); }
    constexpr std::uint32_t push(warp_slot w, access_kind k, bool) noexcept {
        auto const entry = entries_.push(w, k == access_kind::load);
        of_[w.index()] |= std::uint64_t{1} << entry;
        warps_.insert(w);
        return entry;
    }
    constexpr std::uint32_t pick(bool) const noexcept {
        if (stuck_ || entries_.empty()) return no_replay_entry;
        return entries_.oldest(of_[(warps_.contains(current_) ? current_ : warps_.first()).index()]);
    }
    constexpr void accepted(std::uint32_t entry) noexcept {
        current_ = entries_.warp(entry);
        auto& its = of_[current_.index()];
        its &= ~(std::uint64_t{1} << entry);
        if (its == 0) warps_.erase(current_);
        entries_.erase(entry);
    }
    constexpr void refused(std::uint32_t entry) noexcept {
        current_ = entries_.warp(entry);
        stuck_ = true;
    }
    constexpr void room_changed() noexcept { stuck_ = false; }
    static constexpr bool bypasses_full_sets() noexcept { return true; }
    constexpr bool empty() const noexcept { return entries_.empty(); }
    constexpr std::uint32_t capacity() const noexcept { return entries_.capacity(); }

    constexpr hardware_cost_list hardware_cost(core_shape const& shape) const noexcept {
        return hardware_cost_list{}
            .add("MRPB", entries_.capacity() * detail::replay_entry_bits(shape))
            .add("heads and tails of FIFOs",
                 std::uint64_t{2} * shape.warp_slots * bits_for(entries_.capacity()))
            .add("FIFO in turn", bits_for(shape.warp_slots));
    }
    friend constexpr bool operator==(mrpb const&, mrpb const&) = default;
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        each_parameter_of(f, self.entries_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(entries_, of_, warps_, current_, stuck_);
    }

private:
    detail::replay_entries entries_;
    std::array<std::uint64_t, warp_set::width> of_{}; ///< by warp: its requests
    warp_set warps_;                                  ///< with requests
    warp_slot current_{0};                            ///< whose FIFO is being drained
    bool stuck_ = false;                              ///< its head was refused, and nothing has changed since
};
static_assert(replay_policy<mrpb>);

} // namespace warpkit
