#pragma once
/// \file
/// Declarations of cta/.

namespace warpkit {

struct grid_began;
struct cta_dispatched;
struct cta_retired;
struct core_rooms;
struct cta_assignment;
struct cta_needs;
struct core_resources;
struct occupancy;

class round_robin_dispatch;
class no_limit;
class static_limit;

} // namespace warpkit
