// expect: warpkit: an observer is a value
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct refers {
    explicit refers(int& count) : count_(count) {}
    void on(l2_evicted const&) { ++count_; }
    int& count_;
};
using mine = presets::gtx480::with<use::l2_observer<refers>>::policies;
mine const never{};
