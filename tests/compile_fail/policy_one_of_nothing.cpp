// expect: warpkit: one_of<> has nothing to choose from: name at least one policy
#include <warpkit/base/one_of.hpp>

using namespace warpkit;

one_of<> const nothing;
