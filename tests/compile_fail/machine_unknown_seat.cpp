// expect: with<> names a seat that this machine does not have
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/config/presets.hpp>
namespace w = warpkit;
template <class P>
struct tlb_seat : w::seat<w::machine_part::core, P> {
    static constexpr char const* name = "tlb";
};
using mine = w::presets::gtx480::with<tlb_seat<w::lrr>>;
mine built;
