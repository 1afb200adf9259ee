#pragma once

#include <warpkit/lsu/replay_policy.hpp>

namespace warpkit {

/// No queue: a refused request keeps its place at the head of the line, and all behind it wait
/// (docs/model/load_store.md#head-of-line). This is ELF's "memory conflict".
struct no_replay {
    static constexpr char const* name() noexcept { return "none"; }
    static constexpr bool queues() noexcept { return false; }

    static constexpr replay_route route(warp_slot, access_kind) noexcept { return replay_route::access; }
    static constexpr bool takes_refused() noexcept { return false; }
    static constexpr std::uint32_t push(warp_slot, access_kind, bool) noexcept { return no_replay_entry; }
    static constexpr std::uint32_t pick(bool) noexcept { return no_replay_entry; }
    static constexpr void accepted(std::uint32_t) noexcept {}
    static constexpr void refused(std::uint32_t) noexcept {}
    static constexpr void room_changed() noexcept {}
    static constexpr bool bypasses_full_sets() noexcept { return false; }
    static constexpr bool empty() noexcept { return true; }
    static constexpr std::uint32_t capacity() noexcept { return 0; }
    friend bool operator==(no_replay const&, no_replay const&) = default;
};
static_assert(replay_policy<no_replay>);

} // namespace warpkit
