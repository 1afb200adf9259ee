#pragma once
// The seat `replay_queue`: what becomes of requests that the L1 refuses. The contract is in
// warpkit/lsu/replay_policy.hpp.
#include <warpkit/lsu/replay_policy.hpp>

#include <cstdint>

namespace seats_of_mine {

using namespace warpkit;

/// Keeps one request, until it is taken; all others wait behind it.
class my_replay_queue {
public:
    static constexpr char const* name() noexcept { return "my_replay_queue"; }
    bool queues() const noexcept { return true; }
    replay_route route(warp_slot, access_kind) const noexcept {
        return waits_ ? replay_route::wait : replay_route::access;
    }
    bool takes_refused() const noexcept { return !waits_; }
    std::uint32_t push(warp_slot, access_kind, bool refused) noexcept {
        waits_ = true, refused_ = refused;
        return 0;
    }
    std::uint32_t pick(bool) const noexcept { return waits_ && !refused_ ? 0 : no_replay_entry; }
    void accepted(std::uint32_t) noexcept { waits_ = refused_ = false; }
    void refused(std::uint32_t) noexcept { refused_ = true; }
    void room_changed() noexcept { refused_ = false; }
    bool bypasses_full_sets() const noexcept { return false; }
    bool empty() const noexcept { return !waits_; }
    std::uint32_t capacity() const noexcept { return 1; }
    friend bool operator==(my_replay_queue const&, my_replay_queue const&) = default;

private:
    bool waits_ = false;
    bool refused_ = false;
};

} // namespace seats_of_mine
