#pragma once
// The seat `cta_choice`: which CTA goes to which core. The contract is in warpkit/cta/concepts.hpp.
#include <warpkit/cta/concepts.hpp>

#include <cstdint>

namespace seats_of_mine {

using namespace warpkit;

/// Gives the next CTA to the lowest core with room.
class my_cta_choice {
public:
    static constexpr char const* name() noexcept { return "my_cta_choice"; }
    cta_assignment choose(core_rooms rooms) const noexcept {
        for (unsigned core = 0; core < rooms.size() && next_ < end_; ++core)
            if (rooms[core] != 0) return {core, next_, 1};
        return {};
    }
    void on(grid_began const& e) noexcept { next_ = 0, end_ = e.ctas(); }
    void on(cta_dispatched const&) noexcept { ++next_; }
    friend bool operator==(my_cta_choice const&, my_cta_choice const&) = default;

private:
    std::uint64_t next_ = 0;
    std::uint64_t end_ = 0;
};

} // namespace seats_of_mine
