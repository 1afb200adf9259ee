// expect: write .dram::request take
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct never_gives {
    explicit never_gives(std::uint32_t = 16, std::uint32_t = 64) {}
    bool can_accept() const noexcept { return true; }
    void push(dram::request const&) {}
    std::uint32_t size() const noexcept { return 0; }
    dram::bank_set waiting() const noexcept { return 0; }
    dram::request const& pick(std::uint32_t, std::uint32_t) const;
    bool has_row_hit(std::uint32_t, std::uint32_t) const noexcept { return false; }
    friend bool operator==(never_gives const&, never_gives const&) = default;
};
using mine = presets::gtx480::with<use::dram_scheduler<never_gives>>::policies;
mine const never{};
