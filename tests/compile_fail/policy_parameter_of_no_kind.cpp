// expect: warpkit: a parameter is an unsigned number, number<>, a bool, a floating-point number
// expect-gcc: error: static assertion failed
// expect-clang: error: static(_assert| assertion) failed
#include <warpkit/base/policy_text.hpp>

using namespace warpkit;

struct signed_limit {
    template <class Self, class F>
    static constexpr void each_parameter(Self& self, F&& f) {
        f(parameter{"limit", "warps", 1, 64}, self.limit);
    }
    int limit = 4;
};
auto const all = parameters_of<signed_limit>();
