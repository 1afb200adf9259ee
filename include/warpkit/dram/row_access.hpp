#pragma once
/// \file
/// An event of the memory: which CTA's request reaches which DRAM row.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit::dram {

class row_sharing; // dram/row_sharing.hpp

/// A CTA's request reaches a row, by which the DRAM will read or write it: an event.
struct row_access {
    std::uint32_t bank = 0; ///< among all of the machine
    std::uint32_t row = 0;
    std::uint32_t cta = 0;
};

} // namespace warpkit::dram
