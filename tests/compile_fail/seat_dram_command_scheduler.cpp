// expect: warpkit: a DRAM command scheduler says when it could send a command next
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct never_says {
    never_says() = default;
    never_says(dram::timing const&, dram::queue_sizes const&, dram::command_bus) {}
    bool can_accept(bool) const { return true; }
    bool can_accept(dram::request const&) const { return true; }
    dram::push_result push(dram::request const&, dram::device const&) { return {}; }
    template <class Rules, class Bus>
    bool prepare(cycle, dram::device const&, Rules const&, Bus&) {
        return false;
    }
    template <class Rules, class Bus>
    bool schedule(cycle, dram::device const&, Rules const&, Bus&) {
        return false;
    }
    friend bool operator==(never_says const&, never_says const&) = default;
};
using mine = presets::gtx480::with<use::dram_scheduler<never_says>>::policies;
mine const never{};
