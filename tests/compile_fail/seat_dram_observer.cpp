// expect: warpkit: an event handler must not take its event by mutable reference
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct mends {
    void on(dram::command& c);
    friend bool operator==(mends const&, mends const&) = default;
};
using mine = presets::gtx480::with<use::dram_observer<mends>>::policies;
mine const never{};
