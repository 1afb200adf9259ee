#pragma once

#include <warpkit/lsu/car.hpp>
#include <warpkit/lsu/mrpb.hpp>
#include <warpkit/lsu/new_car.hpp>
#include <warpkit/lsu/no_replay.hpp>

namespace warpkit {

/// The replay queues by name.
enum class replay_kind : std::uint8_t { none, mrpb, car, new_car };

/// A replay queue that is chosen at run time: for programs that would otherwise compile every machine once for each.
class any_replay {
    template <class Self, class F>
    static constexpr decltype(auto) visit(Self& self, F&& f) {
        switch (self.kind_) {
        case replay_kind::mrpb:
            return f(self.mrpb_);
        case replay_kind::car:
            return f(self.car_);
        case replay_kind::new_car:
            return f(self.new_car_);
        case replay_kind::none:
            break;
        }
        return f(self.none_);
    }

public:
    static constexpr char const* name = "any";

    constexpr any_replay() = default;
    explicit constexpr any_replay(replay_kind kind) noexcept : kind_(kind) {}
    constexpr replay_kind kind() const noexcept { return kind_; }

    constexpr bool queues() const noexcept { return kind_ != replay_kind::none; }
    constexpr replay_route route(warp_slot w, access_kind k) const noexcept {
        return visit(*this, [&](auto const& q) { return q.route(w, k); });
    }
    constexpr bool takes_refused() const noexcept {
        return visit(*this, [](auto const& q) { return q.takes_refused(); });
    }
    constexpr std::uint32_t push(warp_slot w, access_kind k, bool refused) noexcept {
        return visit(*this, [&](auto& q) { return q.push(w, k, refused); });
    }
    constexpr std::uint32_t pick(bool unit_idle) const noexcept {
        return visit(*this, [&](auto const& q) { return q.pick(unit_idle); });
    }
    constexpr void accepted(std::uint32_t entry) noexcept {
        visit(*this, [&](auto& q) { q.accepted(entry); });
    }
    constexpr void refused(std::uint32_t entry) noexcept {
        visit(*this, [&](auto& q) { q.refused(entry); });
    }
    constexpr void room_changed() noexcept {
        visit(*this, [](auto& q) { q.room_changed(); });
    }
    constexpr bool bypasses_full_sets() const noexcept { return kind_ == replay_kind::mrpb; }
    constexpr bool empty() const noexcept {
        return visit(*this, [](auto const& q) { return q.empty(); });
    }
    constexpr std::uint32_t capacity() const noexcept {
        return visit(*this, [](auto const& q) { return q.capacity(); });
    }

    friend constexpr bool operator==(any_replay const&, any_replay const&) = default;
    template <class F>
    constexpr void each_member(F&& f) const {
        f(kind_, mrpb_, car_, new_car_);
    }

private:
    replay_kind kind_ = replay_kind::none;
    no_replay none_;
    mrpb mrpb_;
    car car_;
    new_car new_car_;
};
static_assert(replay_policy<any_replay>);

} // namespace warpkit
