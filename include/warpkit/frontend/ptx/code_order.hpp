#pragma once
/// \file
/// In which order the instructions of a kernel stand.

#include <warpkit/base/standard.hpp>

#include <cstdint>

namespace warpkit::ptx {

/// PTX is what a compiler's front half made; what the chip runs has been put in another order by its back half.
enum class code_order : std::uint8_t {
    as_written, ///< that of the text
    scheduled   ///< that of list scheduling (program/list_schedule.hpp), block by block
};

} // namespace warpkit::ptx
