#pragma once
/// \file
/// The names of lsu/, without their definitions.

#include <warpkit/base/standard.hpp>

namespace warpkit {

struct warp_access;
struct transaction;
class transaction_list;
struct fermi_coalescing;
struct sectored_coalescing;
struct line_coalescing;
struct local_interleaving;
class shared_banks;
struct no_replay;
class mrpb;
class car;
class new_car;
template <class... P>
class one_coalescer;
template <class... Q>
class one_replay_queue;

} // namespace warpkit
