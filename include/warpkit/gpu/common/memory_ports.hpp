#pragma once
/// \file
/// The links between the networks and the components around them.
///
/// In the reference: the four rows of links that `gpu` has (reference/gpu.hpp).

#include <warpkit/gpu/common/link.hpp>
#include <warpkit/machine/packet.hpp>

namespace warpkit {

/// Where the components around the networks find their ends: a link for each core or slice.
struct memory_ports {
    link<packet>* from_core = nullptr;
    link<packet>* to_slice = nullptr;
    link<packet>* from_slice = nullptr;
    link<packet>* to_core = nullptr;
};

} // namespace warpkit
