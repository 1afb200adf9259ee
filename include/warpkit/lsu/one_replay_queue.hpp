#pragma once

#include <warpkit/base/one_of.hpp>
#include <warpkit/lsu/car.hpp>
#include <warpkit/lsu/check.hpp>
#include <warpkit/lsu/mrpb.hpp>
#include <warpkit/lsu/new_car.hpp>
#include <warpkit/lsu/no_replay.hpp>

namespace warpkit {

/// One of these replay queues, at first the first one.
template <class... Q>
class one_replay_queue : public one_of<Q...> {
    static_assert((check_replay_queue<Q>() && ...));

public:
    static constexpr char const* name() noexcept { return "one_replay_queue"; }

    using one_of<Q...>::one_of;
    bool queues() const noexcept {
        bool does = false;
        this->ask([&](auto const& q) { does = q.queues(); });
        return does;
    }
    replay_route route(warp_slot w, access_kind k) const noexcept {
        auto where = replay_route::wait;
        this->ask([&](auto const& q) { where = q.route(w, k); });
        return where;
    }
    bool takes_refused() const noexcept {
        bool does = false;
        this->ask([&](auto const& q) { does = q.takes_refused(); });
        return does;
    }
    std::uint32_t push(warp_slot w, access_kind k, bool refused) noexcept {
        auto entry = no_replay_entry;
        this->change([&](auto& q) { entry = q.push(w, k, refused); });
        return entry;
    }
    std::uint32_t pick(bool unit_idle) const noexcept {
        auto entry = no_replay_entry;
        this->ask([&](auto const& q) { entry = q.pick(unit_idle); });
        return entry;
    }
    void accepted(std::uint32_t entry) noexcept {
        this->change([&](auto& q) { q.accepted(entry); });
    }
    void refused(std::uint32_t entry) noexcept {
        this->change([&](auto& q) { q.refused(entry); });
    }
    void room_changed() noexcept {
        this->change([](auto& q) { q.room_changed(); });
    }
    bool bypasses_full_sets() const noexcept {
        bool does = false;
        this->ask([&](auto const& q) { does = q.bypasses_full_sets(); });
        return does;
    }
    bool empty() const noexcept {
        bool is = true;
        this->ask([&](auto const& q) { is = q.empty(); });
        return is;
    }
    std::uint32_t capacity() const noexcept {
        std::uint32_t entries = 0;
        this->ask([&](auto const& q) { entries = q.capacity(); });
        return entries;
    }
    friend bool operator==(one_replay_queue const&, one_replay_queue const&) = default;
};

/// Whichever replay queue a user names.
using any_replay_queue = one_replay_queue<no_replay, mrpb, car, new_car>;
static_assert(replay_policy<any_replay_queue>);

} // namespace warpkit
