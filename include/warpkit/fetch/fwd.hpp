#pragma once
/// \file
/// Declarations of fetch/.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit::fetch {

class loose_round_robin;
template <class Order>
class interleaved;
class no_prefetch;
template <std::uint64_t Threshold>
class next_line;
class prefetched_lines;
template <std::uint64_t Lines>
class stream_buffer;

} // namespace warpkit::fetch
