#pragma once
/// \file
/// The memory system of the preset gtx480, which gtx480_accelsim has too, is compiled once where WARPKIT_COMPILED says
/// so (CMake's target warpkit::compiled). A program that changes policies of the core alone then compiles the core
/// alone; other machines have a memory system of their own, as without.

#include <warpkit/config/presets.hpp>
#include <warpkit/gpu/memory/memory_system.hpp>

namespace warpkit {

#ifdef WARPKIT_COMPILED
extern template class memory_system<presets::gtx480::policies::memory>;
extern template class crossbar_interconnect<noc::round_robin_arbitration>;
extern template struct network_way<crossbar_interconnect<noc::round_robin_arbitration>>;
#endif

} // namespace warpkit
