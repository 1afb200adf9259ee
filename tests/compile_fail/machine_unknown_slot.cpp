// expect: with<> names a slot that this machine does not have
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>
namespace w = warpkit;
struct tlb {
    static constexpr char const* name = "tlb";
};
struct use_tlb {
    using slot = tlb;
    using policy = w::lrr;
};
using mine = w::presets::gtx480::with<use_tlb>;
mine built;
