#pragma once
/// \file
/// Declarations of fetch/.

namespace warpkit::fetch {

class loose_round_robin;

} // namespace warpkit::fetch
