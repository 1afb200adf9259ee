#pragma once
/// \file
/// Which warps live, and which of them are held up for long? Shared by the parts that move on when a group is stuck.

#include <warpkit/warp/events.hpp>

namespace warpkit {

/// Keeps the live warps of a core and those that wait for memory, at a barrier or at a fence. Short waits (a dependency
/// on an arithmetic result) do not count. A warp at a barrier is known by its arrival or by being blocked, whichever
/// the host tells.
class waiting_warps {
public:
    constexpr warp_set live() const noexcept { return live_; }
    constexpr warp_set at_barrier() const noexcept { return barrier_; }
    constexpr warp_set at_fence() const noexcept { return fence_; }
    constexpr warp_set on_memory() const noexcept { return memory_; }
    /// Live warps that wait for nothing long.
    constexpr warp_set going() const noexcept { return live_ - (memory_ | barrier_ | fence_); }

    constexpr void on(kernel_began const&) noexcept { *this = {}; }
    constexpr void on(cta_launched const& e) noexcept {
        live_ |= e.warps;
        forget(e.warps);
    }
    constexpr void on(warp_exited const& e) noexcept {
        live_.erase(e.warp);
        forget(warp_set{e.warp});
    }
    constexpr void on(blocked const& e) noexcept {
        if (auto* set = set_for(e.reason)) set->insert(e.warp);
    }
    constexpr void on(unblocked const& e) noexcept {
        if (auto* set = set_for(e.reason)) set->erase(e.warp);
    }
    constexpr void on(barrier_arrived const& e) noexcept {
        if (e.waits) barrier_.insert(e.warp);
    }
    constexpr void on(barrier_released const& e) noexcept { barrier_ -= e.warps; }

    friend bool operator==(waiting_warps const&, waiting_warps const&) = default;

private:
    constexpr warp_set* set_for(block_reason reason) noexcept {
        switch (reason) {
        case block_reason::memory:
            return &memory_;
        case block_reason::barrier:
            return &barrier_;
        case block_reason::fence:
            return &fence_;
        case block_reason::dependency:
            break;
        }
        return nullptr;
    }
    constexpr void forget(warp_set warps) noexcept {
        memory_ -= warps;
        barrier_ -= warps;
        fence_ -= warps;
    }

    warp_set live_;
    warp_set memory_;
    warp_set barrier_;
    warp_set fence_;
};

} // namespace warpkit
