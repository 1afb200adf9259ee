// expect: write .void room_changed\(\).
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct forgets {
    bool queues() const noexcept { return true; }
    replay_route route(warp_slot, access_kind) const noexcept { return replay_route::enter; }
    bool takes_refused() const noexcept { return true; }
    std::uint32_t push(warp_slot, access_kind, bool) { return 0; }
    std::uint32_t pick(bool) const noexcept { return no_replay_entry; }
    void accepted(std::uint32_t) {}
    void refused(std::uint32_t) {}
    bool bypasses_full_sets() const noexcept { return false; }
    bool empty() const noexcept { return true; }
    std::uint32_t capacity() const noexcept { return 1; }
    friend bool operator==(forgets const&, forgets const&) = default;
};
using mine = presets::gtx480::with<use::replay_queue<forgets>>::policies;
mine const never{};
