#pragma once
/// \file
/// The names of noc/, without their definitions.

namespace warpkit::noc {

struct crossbar_parameters;
struct crossbar_counters;
template <class Payload>
struct packet;
template <class Payload>
class crossbar;

} // namespace warpkit::noc
