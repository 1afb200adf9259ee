#pragma once

#include <warpkit/base/hardware_cost.hpp>
#include <warpkit/base/number.hpp>
#include <warpkit/base/parameters.hpp>
#include <warpkit/base/policy_name.hpp>
#include <warpkit/warp/age_matrix.hpp>
#include <warpkit/warp/concepts.hpp>

namespace warpkit {

namespace detail {
struct memory_owner_text {
    static constexpr char const* name() noexcept { return "memory_owner"; }
};
} // namespace detail

/// While the way to memory is saturated, only one warp may issue loads, stores and atomics: the owner. All others may
/// compute. Saturated means that fewer than FreeMshrs miss status registers, or fewer than FreeQueue places in the
/// miss queue, are free; each is fixed by its template argument or given to the constructor.
///
/// The owner is the warp that issued the first of these since there was none; until then the oldest that has one ready
/// may be it. It is owner until it waits for its loads, at a barrier or at a fence, or exits, or until nothing is
/// saturated any more.
/// Source: the memory-aware scheduling of Mascar (Sethia, Jamshidi and Mahlke, HPCA 2015;
/// docs/model/warp_scheduling.md#memory-ownership).
/// Differs from the paper: its text was not at hand. There is an owner per scheduler, not per core. As it is
/// remembered, saturated is what has no room for one more warp's worst case; 32 registers and a queue of 8 never have
/// that once anything is under way, so the room kept free is a number here.
/// Hardware cost: a pointer to the owner and an age matrix per scheduler, and a flag.
template <std::uint64_t FreeMshrs = 8, std::uint64_t FreeQueue = 2>
class memory_owner {
    static_assert((FreeMshrs == run_time) == (FreeQueue == run_time),
                  "warpkit: the numbers of memory_owner<> are both fixed, or both known at run time");

public:
    static constexpr char const* name() noexcept {
        return composed_name<detail::memory_owner_text, number_in_name<FreeMshrs>,
                             number_in_name<FreeQueue>>::name();
    }
    static constexpr char const* name() noexcept requires(FreeMshrs == run_time) {
        return detail::memory_owner_text::name();
    }

    constexpr memory_owner() = default;
    constexpr memory_owner(unsigned free_mshrs, unsigned free_queue) noexcept requires(FreeMshrs == run_time)
        : free_mshrs_(free_mshrs),
          free_queue_(free_queue) {}

    constexpr warp_set eligible(warp_set candidates, issue_classes const& classes) const noexcept {
        if (!saturated_) return candidates;
        auto others = candidates & classes.memory();
        if (!others) return candidates;
        auto const owner = owner_ ? owner_ : age_.oldest_of(others);
        others.assign(owner, false);
        return candidates - others;
    }

    constexpr void on(kernel_began const&) noexcept {
        auto const mshrs = free_mshrs_;
        auto const queue = free_queue_;
        *this = {};
        free_mshrs_ = mshrs;
        free_queue_ = queue;
    }
    constexpr void on(cta_launched const& e) noexcept { age_.launch(e.warps); }
    constexpr void on(memory_pressure const& e) noexcept {
        saturated_ = (e.mshrs != 0 && e.free_mshrs < free_mshrs_.get()) ||
                     (e.queue != 0 && e.free_queue < free_queue_.get());
        if (!saturated_) owner_ = no_warp;
    }
    constexpr void on(issued const& e) noexcept {
        if (!saturated_ || owner_) return;
        if (e.kind == issue_class::load || e.kind == issue_class::store || e.kind == issue_class::atomic)
            owner_ = e.warp;
    }
    constexpr void on(blocked const& e) noexcept {
        if (e.warp == owner_ && e.reason != block_reason::dependency) owner_ = no_warp;
    }
    constexpr void on(barrier_arrived const& e) noexcept {
        if (e.waits && e.warp == owner_) owner_ = no_warp;
    }
    constexpr void on(warp_exited const& e) noexcept {
        if (e.warp == owner_) owner_ = no_warp;
    }

    constexpr bool saturated() const noexcept { return saturated_; }
    /// The owner, or none.
    constexpr warp_slot owner() const noexcept { return owner_; }

    static constexpr hardware_cost_list hardware_cost(core_shape const& shape) noexcept {
        auto const n = std::uint64_t{shape.warps_per_scheduler()};
        return hardware_cost_list{}
            .add("owner", shape.schedulers * bits_for(n + 1))
            .add("age matrix", shape.schedulers * (n * (n - 1) / 2))
            .add("saturation", 1);
    }
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"free_mshrs", "miss status registers; fewer free ones are saturation", 0, 65536},
          self.free_mshrs_);
        f(parameter{"free_queue", "places of the miss queue; fewer free ones are saturation", 0, 65536},
          self.free_queue_);
    }
    template <class F>
    constexpr void each_member(F&& f) const {
        f(age_, owner_, saturated_, free_mshrs_.get(), free_queue_.get());
    }
    friend bool operator==(memory_owner const&, memory_owner const&) = default;

private:
    age_matrix age_;
    warp_slot owner_;
    bool saturated_ = false;
    [[no_unique_address]] number<unsigned, FreeMshrs> free_mshrs_{
        FreeMshrs == run_time ? 8 : static_cast<unsigned>(FreeMshrs)};
    [[no_unique_address]] number<unsigned, FreeQueue> free_queue_{
        FreeQueue == run_time ? 2 : static_cast<unsigned>(FreeQueue)};
};
static_assert(eligibility<memory_owner<>> && narrows_by_class<memory_owner<>>);

} // namespace warpkit
