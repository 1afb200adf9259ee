// expect: warpkit: this class has a member .on. that hears no event of the vocabulary
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>

using namespace warpkit;

struct counts {
    void on(int);
    friend bool operator==(counts const&, counts const&) = default;
};
using mine = presets::gtx480::with<use::observer<counts>>::policies;
mine const never{};
