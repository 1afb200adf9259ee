#pragma once
/// \file
/// The names of noc/, without their definitions.

#include <warpkit/noc/arbitration.hpp>

namespace warpkit::noc {

struct crossbar_parameters;
struct network_counters;
template <class Payload>
struct packet;
template <class Payload, arbitration Arbitration = round_robin_arbitration>
class crossbar;
struct mesh_parameters;
template <class Payload, arbitration Arbitration = round_robin_arbitration>
class mesh;

} // namespace warpkit::noc
