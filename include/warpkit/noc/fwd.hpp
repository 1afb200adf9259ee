#pragma once
/// \file
/// The names of noc/, without their definitions.

namespace warpkit::noc {

struct crossbar_parameters;
struct network_counters;
template <class Payload>
struct packet;
template <class Payload>
class crossbar;
struct mesh_parameters;
template <class Payload>
class mesh;

} // namespace warpkit::noc
